#!/usr/bin/env python3
"""Runs posectl thumbs for 200 models: the samples, and Debian's assimp-testmodels if they are installed. It must report the broken
ones. A second run must do nothing, and a run after a change must draw one model. After five runs that are killed half-way,
the next must complete and leave no partial file. Closes with one line, `N passed, M failed, K skipped`.

    thumbs.py [--models 200]
"""
import argparse
import itertools
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "api"))
from conftest import BUILD, SAMPLES  # noqa: E402
from posectl import environment, png_size  # noqa: E402

TESTMODELS = pathlib.Path("/usr/share/assimp/models")
ENDINGS = {".fbx", ".dae", ".x", ".bvh", ".md5mesh", ".b3d", ".smd", ".obj", ".stl", ".ply", ".3ds", ".ase", ".ms3d", ".gltf", ".glb",
           ".md2", ".md3", ".mdl", ".lwo", ".off", ".blend", ".ac", ".dxf", ".nff", ".cob", ".iqm"}


def fill(folder, count):
    """`count` models: every test model with its companions, then copies of samples, some of them cut."""
    if TESTMODELS.is_dir():
        shutil.copytree(TESTMODELS, folder / "assimp", dirs_exist_ok=True)
    found = [p for p in sorted(folder.rglob("*")) if p.suffix.lower() in ENDINGS]
    for path in found[count // 2:]:
        path.unlink()
    here = sum(p.suffix.lower() in ENDINGS for p in folder.rglob("*"))
    for i, sample in zip(range(here, count), itertools.cycle(sorted(SAMPLES.glob("*.glb")))):
        data = sample.read_bytes()
        (folder / f"{i:03}-{sample.name}").write_bytes(data if i % 10 else data[:len(data) // 2])


def thumbs(folder, out, *options):
    done = subprocess.run([BUILD / "posectl", "thumbs", folder, "-o", out, "--size", "96", "--json", *options], capture_output=True,
                          text=True, env=environment(POSED_CACHE_DIR=str(out) + "-cache"))
    assert done.returncode in (0, 1), (done.returncode, done.stderr)
    return json.loads(done.stdout)


def expect(name, condition, result):
    print(f"{'ok' if condition else 'FAILED'}  {name}: {result}", flush=True)
    return bool(condition)


def whole(out):
    for path in out.rglob("*.png"):
        png_size(path)
    return len(list(out.rglob("*.png")))


def kill_half_way(folder, out, count):
    """Wait for `count` more pictures. Returns their number."""
    already = len(list(out.rglob("*.png"))) if out.exists() else 0
    process = subprocess.Popen([BUILD / "posectl", "thumbs", folder, "-o", out, "--size", "96", "-q"], stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL, env=environment(POSED_CACHE_DIR=str(out) + "-cache"))
    while process.poll() is None and len(list(out.rglob("*.png"))) < already + count:
        time.sleep(0.005)
    process.send_signal(signal.SIGKILL)
    process.wait()
    return whole(out)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", type=int, default=200)
    count = parser.parse_args().models
    passed = []
    with tempfile.TemporaryDirectory(prefix="posed-thumbs-") as temporary:
        folder, out, other = (pathlib.Path(temporary) / name for name in ("assets", "out", "killed"))
        folder.mkdir()
        fill(folder, count)
        start = time.monotonic()
        first = thumbs(folder, out, "--index")
        passed.append(expect("first run", first["models"] >= count * 0.9 and first["failed"] and
                             first["made"] + len(first["failed"]) == first["models"],
                             f"{first['models']} models, {first['made']} drawn, {len(first['failed'])} failed, "
                             f"{time.monotonic() - start:.1f} s"))
        second = thumbs(folder, out)
        passed.append(expect("second run", second["made"] == 0 and second["unchanged"] == first["made"], second["made"]))
        changed = next(p for p in sorted(folder.glob("*-dragon.glb")) if p.stat().st_size == (SAMPLES / "dragon.glb").stat().st_size)
        changed.write_bytes((SAMPLES / "robot.glb").read_bytes())
        third = thumbs(folder, out)
        passed.append(expect("after one change", third["made"] == 1, third["made"]))
        seen = [kill_half_way(folder, other, first["made"] // 6) for _ in range(5)]
        last = thumbs(folder, other)
        passed.append(expect("killed five times", last["made"] + last["unchanged"] == first["made"] and
                             last["unchanged"] >= seen[-1] - 16 and whole(other) == first["made"] and
                             sorted(os.listdir(other / ".posectl")) == ["lock", "manifest.jsonl"],
                             f"{seen}, then {last['made']} drawn, {last['unchanged']} unchanged"))
    print(f"{sum(passed)} passed, {len(passed) - sum(passed)} failed, 0 skipped")
    return 0 if all(passed) else 1


if __name__ == "__main__":
    sys.exit(main())
