"""One pose at some time of a clip: nanoseconds by model, joints and access pattern, beside the classic walk on assimp and three.js.

posed's kernels (pose.c) write mat3x4 and mat4, the others matrices of 4x4. What the server itself takes is the best kernel of the processor.
"""
import json
import shutil
import subprocess
import time

import peers
import quiet
import skeletons

TITLE = "one palette"
JOINTS = (24, 40, 100, 300, 1000)
SPLINE_JOINTS = (40, 53, 100)
PATTERNS = {"random": "random times", "sequential": "60 frames a second"}
LAYOUTS = ("mat3x4", "mat4")
SPLINES = "rig of splines"
POSES = 100000  # poses that pose.c evaluates for one figure
SAME = 2e-4  # relative to a palette's greatest number: the tolerance for float32 and the shortcuts of other programs
THREE = peers.conftest.REPOSITORY / "tests/web/node_modules/three"
OTHERS = ("gltf/Fox.glb", "gltf/cesium_man.gltf", "md5/Bob.md5mesh")


def make_models(bench):
    """(root, [(name, file, whether three.js reads it, whether it is in README.md)]). assimp reads no splines, so nothing walks those."""
    root = bench.make_folder("poses")
    found = []
    for path in bench.others(*OTHERS):
        for one in path.parent.glob(path.stem + ".*"):
            shutil.copy(one, root)
        found.append((path.stem, path.name, path.suffix in (".glb", ".gltf"), path.stem == "Fox"))
    for joints in JOINTS:
        (root / f"rig_{joints}.glb").write_bytes(skeletons.glb(joints))
        found.append(("rig", f"rig_{joints}.glb", True, joints in (40, 100)))
    for joints in SPLINE_JOINTS:
        (root / f"splines_{joints}.glb").write_bytes(skeletons.glb(joints, has_splines=True))
        found.append((SPLINES, f"splines_{joints}.glb", True, joints in (40, 100)))
    return root, found


def bake(server, cache, file):
    """The baked model of a file, from the disk cache."""
    known = set(cache.rglob("*.model"))
    if server.get(f"/v1/palette?model={file}").status != 200:
        raise SystemExit(f"no palette of {file}")
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        new = set(cache.rglob("*.model")) - known
        if new:
            return new.pop()
        time.sleep(0.01)
    raise SystemExit(f"{file} does not come into the disk cache")


def palette_of(server, file, time_s, space):
    """{joint: 16 numbers} from posed's answers. Joints without names have assimp's names."""
    joints = server.json("/v1/model", model=file)["skins"][0]["joints"]
    frame = server.json("/v1/palette", model=file, clip=0, t=time_s, skin=0, space=space)["frames"][0]
    return {joint["name"] or f"nodes[{joint['node']}]": matrix for joint, matrix in zip(joints, frame["palettes"][0])}


def check_same(who, file, theirs, ours):
    """Programs with other results are not compared."""
    both = set(theirs) & set(ours)
    if not both or len(both) < len(ours) - 1:
        raise SystemExit(f"{who} has other joints of {file}")
    size = max(abs(one) for matrix in ours.values() for one in matrix)
    worst = max(abs(a - b) for name in both for a, b in zip(theirs[name], ours[name]))
    if worst > SAME * size:
        raise SystemExit(f"{who} has another pose of {file}: off by {worst / size:.1e} of {size:.3g}")


def kernels(baked, rounds, poses, *options):
    """{(kernel, pattern, layout): output of pose.c}; kernels from the simplest to the best, then "double"."""
    words = [peers.PROGRAMS / "pose", "-r", rounds, "-n", poses, *options, baked]
    found = subprocess.run([str(word) for word in words], stdout=subprocess.PIPE, text=True, check=True).stdout
    return {(row["kernel"], row["access"], row["form"]): row for row in map(json.loads, found.splitlines())}


def programs_of(path, is_gltf, has_splines):
    programs = {} if has_splines else {"classic walk": peers.Asked(peers.PROGRAMS / "classic_walk", path, 0),
                                       "walk with a map": peers.Asked(peers.PROGRAMS / "classic_walk", path, 0, "map")}
    if is_gltf and THREE.is_dir():
        programs["three.js"] = peers.Asked(peers.program("node"), peers.conftest.REPOSITORY / "tests/bench/programs/three_pose.mjs", path, 0)
    return programs


def measure_all(bench, root, model, baked, server):
    """(rounds of everything, the other programs' names, one answer of pose.c)."""
    name, file, is_gltf, _ = model
    programs = programs_of(root / file, is_gltf, name == SPLINES)
    described = server.json("/v1/model", model=file)
    seconds = bench.seconds(0.04)
    try:
        for who, program in programs.items():  # node compiles hot code again and again
            for pattern in PATTERNS:
                program.ask(f"measure {pattern} {bench.seconds(0.4) if who == 'three.js' else 0.02}")
        time_s = round(0.37 * described["clips"][0]["duration"], 6)
        for who, program in programs.items():  # the tutorials remove the root node, three.js does not
            check_same(who, file, program.ask(f"palette {time_s}"), palette_of(server, file, time_s, "scene" if who == "three.js" else "root"))
        tasks = {(who, pattern): quiet.processor_time(lambda program=program, pattern=pattern: program.ask(f"measure {pattern} {seconds}")["ns"])
                 for pattern in PATTERNS for who, program in programs.items()}
        poses = max(64, POSES // len(described["skins"][0]["joints"]))
        tasks["posed"] = quiet.processor_time(lambda: kernels(baked, 1 if bench.is_quick else 3, poses, "-b"))
        rounds = bench.interleave(tasks)
    finally:
        for program in programs.values():
            program.end()
    for row in rounds.rows:
        found, reasons = row.pop("posed")
        row.update({key: (one["ns_per_pose"], reasons) for key, one in found.items()})
    return rounds, list(programs), found


def add_kernels(bench, rounds, what, found, best, facts):
    """The times of the other kernels, and the best one's difference from double precision."""
    for kernel in dict.fromkeys(kernel for kernel, *_ in found):
        layout = "mat4" if kernel == "double" else "mat3x4"
        row = found[kernel, "random", layout]
        is_target = kernel == "avx2" or (kernel == best and ("avx2", "random", layout) not in found)
        bench.add("poses", f"{what}, {layout}, kernel {kernel}", "ns per evaluated node",
                  rounds.figure((kernel, "random", layout)).times(1 / row["nodes"]), target="pose_ns_per_node" if is_target else "",
                  headline=kernel in ("avx2", best), facts={**facts, "kernel": kernel, "layout": layout})
    if best != "double":
        bench.add_exact("poses", f"{what}, error against double precision", "of the model's size", found[best, "random", "mat3x4"]["error"],
                        target="pose_error", headline=True, facts=facts)


def add_blend(bench, rounds, what, found, best, facts):
    """Two layers, one of them masked, compared with single poses."""
    if (best, "blend", "mat3x4") not in found:
        return
    facts = {**facts, "pattern": "blend"}
    bench.add("poses", f"{what}, two layers and a mask, mat3x4", "ns per pose", rounds.figure((best, "blend", "mat3x4")),
              "double precision, mat4", rounds.figure(("double", "blend", "mat4")), rounds.ratio(("double", "blend", "mat4"), (best, "blend", "mat3x4")),
              headline=True, facts=facts)
    bench.add("poses", f"{what}, a layer of two with a mask", "single poses",
              rounds.ratio((best, "blend", "mat3x4"), (best, "random", "mat3x4")).times(1 / 2), target="blend_per_layer", facts=facts)


def add_many(bench, baked, what, facts):
    """Each pose uses another copy of the model; there are more copies than fit the caches."""
    rounds = bench.interleave({"many": quiet.processor_time(lambda: kernels(baked, 1, 2048, "-m", "-k", "auto"))})
    of = lambda found: next(row for key, row in found.items() if key[1:] == ("many", "mat3x4"))["ns_per_pose"]
    bench.add("poses", f"{what}, models that are not in the processor's cache, mat3x4", "ns per pose", rounds.figure("many", of),
              facts={**facts, "pattern": "many"})


def measure(bench, model, root, baked, server):
    name, _, _, is_headline = model
    rounds, others, found = measure_all(bench, root, model, baked, server)
    best = ([kernel for kernel, *_ in found if kernel != "double"] or ["double"])[-1]  # kernels may not cover a clip
    first_layout = LAYOUTS[0] if (best, "random", LAYOUTS[0]) in found else LAYOUTS[1]
    one = next(iter(found.values()))
    for pattern, words in PATTERNS.items():
        what = f"{name}, {one['joints']} joints, {words}"
        facts = {"model": name, "joints": one["joints"], "nodes": one["nodes"], "pattern": pattern}
        is_first = is_headline and pattern == "random"
        for layout in LAYOUTS[LAYOUTS.index(first_layout):]:
            ours = best, pattern, layout
            if not others:
                bench.add("poses", f"{what}, {layout}", "ns per pose", rounds.figure(ours), facts={**facts, "layout": layout})
            for who in others if layout == first_layout or pattern == "random" else ():
                target = {"classic walk": "pose_classic", "three.js": "pose_three"}.get(who, "") if is_first and layout == first_layout else ""
                bench.add("poses", f"{what}, {layout}", "ns per pose", rounds.figure(ours), who, rounds.figure((who, pattern)),
                          rounds.ratio((who, pattern), ours), target, headline=is_first and layout == first_layout, facts={**facts, "layout": layout})
        if is_first:
            add_kernels(bench, rounds, what, found, best, facts)
            add_blend(bench, rounds, what, found, best, facts)
            add_many(bench, baked, f"{name}, {one['joints']} joints, random times", facts)


def run(bench):
    root, models = make_models(bench)
    if not THREE.is_dir():
        bench.skip("three.js")
    cache = bench.make_folder("poses-cache")
    server = peers.conftest.Server(root, "--log", "off", "--render-workers", "0", "--cache-dir", str(cache))
    try:
        for model in models:
            measure(bench, model, root, bake(server, cache, model[1]), server)
    finally:
        server.end()
