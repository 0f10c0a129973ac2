"""A folder that nobody has looked at yet: 1000 small models, each imported and drawn once; and one import of the smallest model there is.

256 x 256. `posectl thumbs` begins with no server, no cache and no manifest. f3d 1.3 is a process for each picture under one Xvfb, two at a
time, and has a part of the same models, because it takes that long. three.js draws them in a page of one Chromium that runs already.
"""
import json
import os
import statistics
import struct
import subprocess
import time

import cold_models
import peers
import pictures

TITLE = "a cold folder"
COUNT, QUICK_COUNT, F3D_COUNT = 1000, 60, 40
IMPORTS = 60
NODE_MODULES = peers.conftest.REPOSITORY / "tests/web/node_modules"


def begin_anew(bench, name):
    """Use a new folder each time: after deletions, some file systems take longer to make files."""
    bench.cold_turns = getattr(bench, "cold_turns", 0) + 1
    return bench.make_folder(f"{name}-{bench.cold_turns}")


def posed_s(bench, root, count):
    out, cache = begin_anew(bench, "cold-out"), begin_anew(bench, "cold-cache")
    begin = time.perf_counter()
    done = subprocess.run([peers.conftest.BUILD / "posectl", "thumbs", root, "-o", out, "--size", "256"], capture_output=True, text=True,
                          env={**os.environ, "POSED_CACHE_DIR": str(cache)}, check=False)
    seconds = time.perf_counter() - begin
    if done.returncode != 0 or sum(pictures.is_picture(path) for path in out.glob("*.png")) != count:
        raise SystemExit(f"posectl thumbs: {done.stderr[-500:]}")
    return seconds


def f3d_s(bench, paths):
    """Every model by a process of its own."""
    out = begin_anew(bench, "cold-f3d")
    script = ('printf "%s\\n" "$@" | xargs -P 2 -I N sh -c \'"$0" "$1" --output="$2/$(basename "$1").png" --resolution=256,256 --no-background '
              f'--dry-run --quiet\' {peers.program("f3d")} N {out}')
    for _ in range(3):  # it crashes now and then on busy machines
        begin = time.perf_counter()
        subprocess.run([peers.program("xvfb-run"), "-a", "sh", "-c", script, "sh", *map(str, paths)], stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL, check=False)
        seconds = time.perf_counter() - begin
        if sum(pictures.is_picture(path) for path in out.glob("*.png")) == len(paths):
            return seconds
    raise SystemExit("f3d does not draw all models")


def three_s(bench, three, root, count):
    out = begin_anew(bench, "cold-three")
    found = three.ask(json.dumps({"folder": str(root), "out": str(out)}))
    if found["count"] != count or sum(pictures.is_picture(path) for path in out.glob("*.png")) != count:
        raise SystemExit("three.js does not draw all models")
    return found["ms"] / 1e3


def triangle(number):
    """The smallest GLB: one triangle, different in each file."""
    corners = struct.pack("<9f", 0, 0, 0, 1 + number, 0, 0, 0, 1, 0)
    glb = cold_models.Glb()
    glb.document.update(
        accessors=[{"bufferView": glb.view(corners), "componentType": 5126, "count": 3, "type": "VEC3", "min": [0, 0, 0], "max": [1 + number, 1, 0]}],
        meshes=[{"primitives": [{"attributes": {"POSITION": 0}}]}], nodes=[{"mesh": 0}], scenes=[{"nodes": [0]}])
    return glb.bytes()


def tiny_ms(server, turn):
    """The median of some imports, from the request to the answer."""
    times = []
    with server.connect() as connection:
        for i in range(IMPORTS):
            begin = time.perf_counter()
            answer = connection.get(f"/v1/model?model={turn}/{i}.glb")
            times.append((time.perf_counter() - begin) * 1e3)
            if answer.status != 200:
                raise SystemExit(f"the smallest model: {answer.body}")
    return statistics.median(times)


def run_tiny(bench):
    root = bench.make_folder("tiny")
    turns = iter(range(1000))
    server = peers.conftest.Server(root, "--log", "off", "--render-workers", "0", "--cache-dir", "none")

    def once():
        turn = next(turns)
        (root / str(turn)).mkdir()
        for i in range(IMPORTS):
            (root / str(turn) / f"{i}.glb").write_bytes(triangle(turn * IMPORTS + i))
        return tiny_ms(server, turn)

    try:
        rounds = bench.interleave({"posed": once})
    finally:
        server.end()
    bench.add("cold_folder", "tiny GLB import, request to answer, in its sandbox", "ms", rounds.figure("posed"), target="tiny_import_ms",
              headline=True)


def run(bench):
    run_tiny(bench)
    root = bench.make_folder("cold")
    count = QUICK_COUNT if bench.is_quick else COUNT
    cold_models.make(root, count)
    few = sorted(root.iterdir())[:F3D_COUNT]  # a share of every kind
    tasks = {"posed": lambda: count / posed_s(bench, root, count), "f3d": lambda: len(few) / f3d_s(bench, few)}
    three = None
    if NODE_MODULES.is_dir():
        three = peers.Asked(peers.program("node"), peers.conftest.REPOSITORY / "tests/bench/programs/three_thumbs.mjs")
        tasks["three.js"] = lambda: count / three_s(bench, three, root, count)
    else:
        bench.skip("three.js")
    try:
        rounds = bench.interleave(tasks)
    finally:
        if three:
            three.end()
    for peer in list(tasks)[1:]:
        bench.add("cold_folder", f"{count} small models, 256 x 256, no cache", "a second", rounds.figure("posed"), peer, rounds.figure(peer),
                  rounds.ratio("posed", peer), "cold_folder", headline=True)
