"""One scene of 200 random entities has the same bits through every client over every transport, in process, and entity by entity over plain
HTTP. tests/clients/crowd_scene.py has the scene and the canonical form of its answer."""
import json
import os
import re
import shutil
import subprocess
import sys

import pytest

from conftest import BUILD, REPOSITORY, SAMPLES, Server
from eval_probe import EvalProbe, LibraryError
from packets import DOCUMENTS
from rigs import moves

FOLDER = REPOSITORY / "tests" / "clients"
sys.path.insert(0, str(FOLDER))
import crowd_scene  # noqa: E402

MODELS = ["robot.glb", "dragon.glb", "octopus.glb"]
MOVES = {"bow": (3, 4), "shrug": (2, 5, 7)}  # clips in files of their own: the robot's nodes that they rotate
CODES = {number: name for number, name in re.findall(r'^X\(ERR_\w+, (\d+), \d+, "(\w+)"', (DOCUMENTS / "errors.def").read_text(), re.M)}
PYTHON, NODE = [sys.executable, FOLDER / "crowd_python.py"], ["node", FOLDER / "crowd_js.mjs"]
CLIENTS = {
    "python-http": (PYTHON, lambda s: s.url, []),
    "python-tcp": (PYTHON, lambda s: s.ports["tcp"], []),
    "python-unix": (PYTHON, lambda s: "unix:" + s.ports["unix"], []),
    "python-websocket": (PYTHON, lambda s: "ws://" + s.address, []),
    "c-tcp": ([BUILD / "test/client_crowd"], lambda s: s.ports["tcp"], []),
    "c-unix": ([BUILD / "test/client_crowd"], lambda s: s.ports["unix"], []),
    "javascript-http": (NODE, lambda s: s.url, []),
    "javascript-websocket": (NODE, lambda s: s.url, ["socket"]),
}


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    if os.environ.get("POSED_SERVER"):
        pytest.skip("needs a server of its own")
    root = tmp_path_factory.mktemp("crowds")
    for name in MODELS:
        shutil.copy(SAMPLES / name, root)
    running = Server(root, "--tcp", "127.0.0.1:0", "--unix", str(root / "socket"))
    names = [node["name"] for node in running.json("/v1/model", model=MODELS[0])["nodes"]]
    clips = {clip: {(names[node], "rotation"): [[0, 0, 0, 1], [0.6, 0, 0.1 * node, 0.8]] for node in nodes} for clip, nodes in MOVES.items()}
    (root / "moves.gltf").write_text(moves(clips, names, {name: (None, {}) for name in names}))
    yield running
    running.end()


@pytest.fixture(scope="module")
def scene(own, tmp_path_factory):
    """The file of the scene."""
    path = tmp_path_factory.mktemp("scene") / "scene.txt"
    path.write_text(crowd_scene.make({name: len(own.json("/v1/model", model=name)["clips"]) for name in MODELS}, lent=("moves.gltf", len(MOVES))))
    return path


def post(server, op, body):
    text = json.dumps(body).encode()
    with server.connect() as connection:
        connection.send(f"POST /v1/{op} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(text)}\r\n\r\n".encode() + text)
        return connection.answer()


def layers_of(scene, entity):
    layers = []
    for one in entity["layers"]:
        if "pose" in one:
            pose = scene.poses[one["pose"]]
            parts = {part: [of.get(part) for of in pose.values()] for part in crowd_scene.PARTS}
            layer = {"pose": {"nodes": list(pose), **parts}, "weight": one["weight"], "mode": "additive" if one["additive"] else "replace"}
        else:
            layer = {"clip": one["clip"], "t": one["time_s"], "weight": one["weight"], "wrap": one["wrap"]}
        if one["mask"] >= 0:
            for scope, node in scene.masks[one["mask"]]:
                layer.setdefault({"node": "joints"}.get(scope, scope), []).append(node)
        if one.get("clip_file"):
            layer["clip_file"] = one["clip_file"]
        if one["additive"] and "pose" not in one:
            file = {"clip_file": one["clip_file"]} if one["clip_file"] else {}
            layer.update(mode="additive", reference={"clip": one["reference_clip"], "t": one["reference_time_s"], **file})
        layers.append(layer)
    return layers


def alone(server, scene, entity):
    """The bytes of its matrices over plain HTTP, or the error's code. The answer for an entity with a place has matrices of the scene."""
    wanted = scene.wanted[entity["wanted"]]
    query = {"model": scene.models[entity["model"]], "layout": entity["layout"], "format": "bin"}
    layers = layers_of(scene, entity)
    if not layers:
        query["clip"] = "-"
    elif len(layers) == 1 and "mode" not in layers[0]:
        query.update({name: value for name, value in layers[0].items() if name != "weight"})
    else:
        query["layers"] = layers
    nodes = wanted.get("nodes")
    answer = post(server, "pose" if nodes else "palette", {**query, **({"joints": nodes} if nodes else {"skin": 0} if wanted["skin"] == 0 else {})})
    if answer.status != 200:
        return answer.error(), None
    offset, size = (int.from_bytes(answer.body[at:at + 8], "little") for at in (32, 40))
    data = answer.body[offset:offset + size]
    item = {"mat4": 64, "mat3x4": 48, "dualquat": 32}[entity["layout"]]
    rows = [data[i:i + item] for i in range(0, len(data) - item + 1, item)]
    places = wanted.get("joints") or range(len(nodes) if nodes else len(rows))
    return None, b"".join(rows[place] for place in places)


@pytest.fixture(scope="module")
def answers(own, scene):
    """{client: its lines}"""
    subprocess.run([REPOSITORY / "tests" / "web" / "run.sh", "--install"], check=True, timeout=300)
    found = {}
    for name, (command, address, more) in CLIENTS.items():
        done = subprocess.run([*command, address(own), scene, *more], capture_output=True, text=True, timeout=300, env={**os.environ, "POSED_BUILD": str(BUILD)})
        assert done.returncode == 0, (name, done.stderr[-2000:])
        lines = done.stdout.splitlines()
        if name.startswith("c-"):  # C programs take numbers
            lines = [re.sub(r"error (\d+)$", lambda match: "error " + CODES[match[1]], line) for line in lines]
        found[name] = lines
    return found


def test_every_client_has_the_same_bits(answers, scene):
    first = answers["python-http"]
    assert len(first) == 201 and first[-1].startswith("all ")
    wrong = [line for line in first if " error " in line]
    assert 3 <= len(wrong) <= 20 and "clip_not_found" in "".join(wrong) and "clip_no_match" in "".join(wrong)
    assert len({line.split()[-1] for line in first}) > 150
    assert scene.read_text().count("\ngiven ") > 40
    for name, lines in answers.items():
        assert lines == first, name


def test_they_are_what_each_entity_is_alone(own, scene, answers):
    read = crowd_scene.Scene(scene.read_text())
    compared = 0
    for i, entity in enumerate(read.entities):
        if entity["world"]:
            continue
        code, data = alone(own, read, entity)
        expected = f"{i} error {code}" if code else crowd_scene.line_of(i, len(data) // {"mat4": 64, "mat3x4": 48, "dualquat": 32}[entity["layout"]], data)
        assert answers["python-http"][i] == expected, entity
        compared += 1
    assert compared > 90


def test_in_process_they_are_the_same(own, scene, answers, tmp_path):
    """libposed-eval on the .posed files of the same models."""
    read = crowd_scene.Scene(scene.read_text())
    probes = []
    for name in MODELS:
        path = tmp_path / (name + ".posed")
        path.write_bytes(own.get(f"/v1/export?model={name}&format=posed").body)
        probes.append(EvalProbe(path))
    compared = 0
    for i, entity in enumerate(read.entities):
        if any(layer.get("clip_file") for layer in entity["layers"]):  # the library has no clips of other files
            continue
        probe, wanted = probes[entity["model"]], read.wanted[entity["wanted"]]
        told = answers["python-http"][i]
        try:
            data = in_process(probe, read, entity, wanted)
        except LibraryError as error:
            assert " error " in told, (told, error)
            continue
        assert told == crowd_scene.line_of(i, len(data) // {"mat4": 64, "mat3x4": 48, "dualquat": 32}[entity["layout"]], data), entity
        compared += 1
    for probe in probes:
        probe.__exit__()
    assert compared > 140


def in_process(probe, scene, entity, wanted):
    rows = entity["world"]
    world = "" if rows is None else "world=" + ",".join(repr(rows[4 * row + column] if row < 3 else float(column == 3)) for column in range(4) for row in range(4))
    probe.ask("entity " + (world or "motion=0"))
    for one in entity["layers"]:
        for node, given in scene.poses[one["pose"]].items() if "pose" in one else ():
            bits = sum(1 << place for place, part in enumerate(crowd_scene.PARTS) if part in given)
            numbers = [number for part, count in crowd_scene.PARTS.items() for number in given.get(part, [0] * count)]
            probe.ask(f"give {node} {bits} " + " ".join(map(repr, numbers)))
        words = [f"pose=0 additive={int(one['additive'])}"] if "pose" in one else [
            f"clip={one['clip']} t={one['time_s']!r} wrap={crowd_scene.WRAPS.index(one['wrap'])}"]
        words.append(f"weight={one['weight']!r}")
        if one["additive"] and "pose" not in one:
            words.append(f"additive=1 reference={one['reference_clip']} reference_t={one['reference_time_s']!r}")
        if one["mask"] >= 0:
            words += [f"{scope}={node}" for scope, node in scene.masks[one["mask"]]]
        probe.ask("layer " + " ".join(words))
    probe.ask("evaluate")
    layout = crowd_scene.LAYOUTS.index(entity["layout"])
    if "nodes" in wanted:
        return probe.floats(f"nodes {layout} " + " ".join(map(str, wanted["nodes"]))).tobytes()
    floats = probe.floats(f"palette 0 {layout}")
    item = {"mat4": 16, "mat3x4": 12, "dualquat": 8}[entity["layout"]]
    return floats.reshape(-1, item)[wanted["joints"] or slice(None)].tobytes()
