"""A folder of 1000 small models beside the same as posed has converted them: how fast it converts, and how long `posectl diff` takes.

Nothing is in a cache: `posectl diff` begins with no server and imports all 2000 files. No other program is measured
beside it: we know of none that does it.
"""
import os
import subprocess
import time
import urllib.parse

import cold_models
import peers
from cold_folder import begin_anew

TITLE = "converted and compared"
COUNT, QUICK_COUNT = 1000, 60
KINDS = ("static.glb", "textured.glb", "skinned.glb")  # these keep their names when they are converted


def convert_s(bench, root, names, out):
    """Every model over one connection, one after the other, on a server that has not read them."""
    server = peers.conftest.Server(root, "--log", "off", "--render-workers", "0", "--cache-dir", "none")
    try:
        with server.connect() as connection:
            begin = time.perf_counter()
            for name in names:
                answer = connection.get(f"/v1/export?format=glb&model={urllib.parse.quote(name)}")
                if answer.status != 200:
                    raise SystemExit(f"{name}: {answer.body[:200]}")
                (out / name).write_bytes(answer.body)
            return time.perf_counter() - begin
    finally:
        server.end()


def compare_s(bench, old, new, count):
    cache = begin_anew(bench, "compare-cache")
    begin = time.perf_counter()
    done = subprocess.run([peers.conftest.BUILD / "posectl", "diff", old, new], capture_output=True, text=True,
                          env={**os.environ, "POSED_CACHE_DIR": str(cache)}, check=False)
    seconds = time.perf_counter() - begin
    if done.returncode != 0:
        raise SystemExit(f"posectl diff: status {done.returncode}: {(done.stdout + done.stderr)[-500:]}")
    return seconds


def run(bench):
    root, out = bench.make_folder("compare-old"), bench.make_folder("compare-new")
    count = QUICK_COUNT if bench.is_quick else COUNT
    names = cold_models.make(root, count, kinds=KINDS)
    tasks = {"convert": lambda: count / convert_s(bench, root, names, out), "compare": lambda: compare_s(bench, root, out, count)}
    rounds = bench.interleave(tasks)
    bench.add("comparisons", f"{count} small models to GLB, one at a time, imports included", "a second", rounds.figure("convert"))
    bench.add("comparisons", f"{count} small models beside converted copies, no cache, posectl diff", "s", rounds.figure("compare"),
              target="compare_s", headline=True)
