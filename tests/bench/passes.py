"""Numbers for each pixel: poses of Fox a second as .npz files of color, depth, normal, node and joint, and their cost beside color alone.

256 x 256, a time of its own for each, two render workers. three.js draws the same five to float targets in a page of one Chromium that runs
already, reads them back and deflates them. Blender draws color, depth, normal and the object's index to an OpenEXR file: it has no joints.
"""
import json
import shutil
import subprocess

import peers
import thumbnails

TITLE = "passes of 256 x 256"
MODEL, CLIP, LENGTH_S = "Fox.glb", "Run", 1.158
COLOR, ALL = "color", "color,depth,normal,node,joint"
PICTURE = f"/v1/render?model={MODEL}&clip={CLIP}&width=256&height=256&format=npz" + "&t={t}&passes="
PROGRAMS = peers.conftest.REPOSITORY / "tests/bench/programs"
NODE_MODULES = peers.conftest.REPOSITORY / "tests/web/node_modules"
THREE_COUNT, BLENDER_COUNT = 20, 10


def measure(bench, server, passes):
    """Poses a second, and milliseconds of the workers' processor time for each."""
    before, drawn = thumbnails.worker_cpu_s(server), server.json("/v1/stats")["renders"]["started"]
    found = peers.load(server.address, PICTURE + passes, connections=8, times=LENGTH_S, seconds=bench.seconds(2), warm_up=bench.seconds(0.2))
    count = server.json("/v1/stats")["renders"]["started"] - drawn
    return {"per_second": found["per_second"], "cpu_ms": (thumbnails.worker_cpu_s(server) - before) * 1e3 / count}


def three_per_second(three, root):
    found = three.ask(json.dumps({"folder": str(root), "model": MODEL, "clip": CLIP, "count": THREE_COUNT, "side": 256}))
    if found["covered"] < 1000 or found["joints"] < 10 or found["shown"] < found["covered"]:
        raise SystemExit(f"three.js does not draw the passes: {found}")
    return THREE_COUNT * 1e3 / found["ms"]


def blender_per_second(root, out):
    done = subprocess.run([peers.program("blender"), "-b", "--factory-startup", "-noaudio", "-P", PROGRAMS / "blender_passes.py", "--", root / MODEL,
                           CLIP, str(BLENDER_COUNT), out], capture_output=True, text=True, check=False)
    if done.returncode != 0 or not (out / f"{BLENDER_COUNT}.exr").is_file():
        raise SystemExit(f"Blender draws no passes: {(done.stdout + done.stderr)[-500:]}")
    found = json.loads(next(line for line in done.stdout.splitlines() if line.startswith("{")))
    return found["count"] / found["s"]


def run(bench):
    root, out = bench.make_folder("passes"), bench.make_folder("passes-blender")
    if not bench.others(f"gltf/{MODEL}"):
        return
    shutil.copy(bench.shared / "gltf" / MODEL, root)
    server = peers.conftest.Server(root, "--render-workers", str(thumbnails.WORKERS), "--log", "off")
    tasks = {"all": lambda: measure(bench, server, ALL), "color": lambda: measure(bench, server, COLOR)}
    three = None
    if NODE_MODULES.is_dir():
        three = peers.Asked(peers.program("node"), PROGRAMS / "three_passes.mjs")
        tasks["three.js"] = lambda: {"per_second": three_per_second(three, root)}
    else:
        bench.skip("three.js")
    if shutil.which("blender"):
        tasks["Blender"] = lambda: {"per_second": blender_per_second(root, out)}
    else:
        bench.skip("Blender")
    try:
        for passes in (ALL, COLOR):
            if server.get((PICTURE + passes).replace("{t}", "0")).status != 200:
                raise SystemExit("the server draws no passes")
        rounds = bench.interleave(tasks)
    finally:
        server.end()
        if three:
            three.end()
    rate, cpu = (lambda found: found["per_second"]), (lambda found: found["cpu_ms"])
    what = "Fox, color, depth, normal, node and joint as npz"
    for peer in [name for name in tasks if name not in ("all", "color")] or [""]:
        ratio = (rounds.figure(peer, rate), rounds.ratio("all", peer, rate)) if peer else (None, None)
        bench.add("passes", what, "poses a second", rounds.figure("all", rate), peer, *ratio, "passes", headline=True)
    bench.add("passes", f"{what}, processor time of the workers", "ms", rounds.figure("all", cpu), "color alone", rounds.figure("color", cpu),
              rounds.ratio("all", "color", cpu), "passes_cost", is_share=True, headline=True)
