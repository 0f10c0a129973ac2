"""A tick of a game server: 120 characters of 65 joints, each at times of its own, over every transport, compared with 120 mixers of
three.js, and with crowds that get poses in place of clips; and 1,000 rays at as many characters, posing included.

Server and client have a processor each; a single process has one. Times of three.js are processor time, all others elapsed time.
"""
import functools
import json
import subprocess
import sys

import peers
import quiet
import skeletons

TITLE = "a tick of 120 characters"
CHARACTERS, JOINTS = 120, 65
MODEL = f"rig_{JOINTS}.glb"
NODE = 6  # chains fork here: the nodes below move in the second layer
THREE = peers.conftest.REPOSITORY / "tests/web/node_modules/three"
HERE = peers.conftest.REPOSITORY / "tests/bench"
WORDS = {1: "one layer", 2: "two layers and a mask"}
GIVEN = {3: "three joints", 0: "all joints"}
TARGETS = {("Unix socket", 2): "crowd_unix", ("in process", 2): "crowd_process", ("Python, Unix socket", 2): "crowd_python"}
RAYS = {"rays": "1000 rays", "rays, moving characters": "1000 rays, characters that move", "meshes": "1000 rays at meshes", "balls": "1000 balls"}


def below(joint):
    """Joints of the skeleton at and below one."""
    found = {joint}
    for one in range(joint, JOINTS):
        if skeletons.parent_of(one) in found:
            found.add(one)
    return sorted(found)


def start(bench):
    """(server, {way: program})"""
    root = bench.folder / "crowds"
    root.mkdir(exist_ok=True)
    (root / MODEL).write_bytes(skeletons.glb(JOINTS))
    socket = bench.folder / "crowd.sock"
    server = peers.conftest.Server(root, "--log", "off", "--render-workers", "0", "--tcp", "127.0.0.1:0", "--unix", str(socket))
    baked = bench.folder / "rig.posed"
    baked.write_bytes(server.get(f"/v1/export?model={MODEL}&format=posed").body)
    crowd, more = peers.PROGRAMS / "crowd", [CHARACTERS, NODE]
    found = {"in process": peers.Asked(crowd, "process", baked, *more), "Unix socket": peers.Asked(crowd, socket, MODEL, *more),
             "TCP": peers.Asked(crowd, server.ports["tcp"], MODEL, *more),
             "Python, Unix socket": peers.Asked(sys.executable, HERE / "crowd_python.py", f"unix:{socket}", MODEL, *more)}
    if THREE.is_dir():
        found["JavaScript, WebSocket"] = peers.Asked("node", HERE / "programs/crowd_socket.mjs", server.url, MODEL, *more)
        found["three.js"] = peers.Asked("node", HERE / "programs/three_crowd.mjs", root / MODEL, CHARACTERS, *(f"joint_{joint}" for joint in below(NODE)))
    else:
        bench.skip("three.js")
    peers.pin(server.process.pid, bench.server_processor)
    for way, program in found.items():
        for layers in WORDS:
            program.ask(f"measure {layers} {bench.seconds(0.5)}")  # node compiles hot code
        if "node" not in program.words[0]:
            peers.pin(program.process.pid, bench.client_processor)
    return server, found


def ask(program, layers, seconds):
    return program.ask(f"measure {layers} {seconds}")["ns"]


def add_ticks(bench):
    server, programs = start(bench)
    try:
        tasks = {}
        for way, program in programs.items():
            for layers in WORDS:
                task = functools.partial(ask, program, layers, bench.seconds(0.5))
                tasks[way, layers] = quiet.processor_time(task) if way == "three.js" else task
        rounds = bench.interleave(tasks)
    finally:
        for program in programs.values():
            program.end()
        server.end()
    facts = {"characters": CHARACTERS, "joints": JOINTS}
    for layers, words in WORDS.items():
        for way in programs:
            if way == "three.js":
                continue
            peer = ("three.js", rounds.figure(("three.js", layers)).times(1e-6), rounds.ratio(("three.js", layers), (way, layers))) \
                if "three.js" in programs else ()
            bench.add("crowd_ticks", f"{way}, {words}", "ms a tick", rounds.figure((way, layers)).times(1e-6), *peer, target=TARGETS.get((way, layers), ""),
                      headline=True, facts={**facts, "way": way, "layers": layers})


def add_single_calls(bench):
    """The time of a crowd in units of single calls for the same characters, side by side in one process."""
    server, programs = start(bench)
    try:
        compared = {layers: quiet.processor_time(lambda layers=layers: programs["in process"].ask(f"compare {layers} {bench.seconds(0.5)}")["ratio"])
                    for layers in WORDS}
        rounds = bench.interleave(compared)
    finally:
        for program in programs.values():
            program.end()
        server.end()
    for layers, words in WORDS.items():
        bench.add("crowd_ticks", f"in process, {words}, in units of single calls", "single calls", rounds.figure(layers), target="crowd_single",
                  headline=True, facts={"characters": CHARACTERS, "joints": JOINTS, "layers": layers})


def add_given(bench):
    """The time of a crowd whose second layer is a given pose, in units of the crowd whose second layer is a clip, side by side."""
    server, programs = start(bench)
    try:
        rounds = bench.interleave({joints: quiet.processor_time(
            lambda joints=joints: programs["in process"].ask(f"given {joints} {bench.seconds(0.5)}")["ratio"]) for joints in GIVEN})
    finally:
        for program in programs.values():
            program.end()
        server.end()
    for joints, words in GIVEN.items():
        bench.add("crowd_ticks", f"in process, a clip and a given pose of {words}, in units of two clips", "two clips", rounds.figure(joints),
                  target="crowd_given", headline=True, facts={"characters": CHARACTERS, "joints": JOINTS, "given": joints or JOINTS})


def cast(rounds):
    """{what: microseconds of all}, from one run of rays.c."""
    done = subprocess.run([peers.PROGRAMS / "rays", "-r", str(rounds)], stdout=subprocess.PIPE, text=True, check=True)
    return {row["what"]: row["all"]["us"] for row in map(json.loads, done.stdout.splitlines())}


def add_rays(bench):
    rounds = bench.interleave({"rays": quiet.processor_time(lambda: cast(5 if bench.is_quick else 21))})
    for what, words in RAYS.items():
        bench.add("crowd_ticks", f"{words}, posing included", "ms", rounds.figure("rays", lambda found, what=what: found[what] / 1e3),
                  target="rays" if what == "rays" else "", headline=True, facts={"characters": CHARACTERS, "joints": JOINTS})


def run(bench):
    add_ticks(bench)
    add_single_calls(bench)
    add_given(bench)
    add_rays(bench)
