#!/usr/bin/env python3
"""Runs posectl bake for a library of 10,000 BVH files, a hundredth of them broken. Stopped half-way by Ctrl-C, it must leave whole tables
and an index of just them, and the next run must complete it. A further run must do nothing, four shards must partition the library, and
all clips must go onto one skeleton. Tables drawn by lot must have the bytes of single bakes, the rest must be whole. Prints times, and the
memory of posectl and of its server; how much they are is not judged. Closes with one line, `N passed, M failed, K skipped`.

    bake.py [--files 10000]
"""
import argparse
import hashlib
import json
import math
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time
import zipfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "api"))
from conftest import BUILD  # noqa: E402
from humans import A, Human  # noqa: E402
from posectl import children, environment  # noqa: E402

# Bone: the bone above and the offset from it in centimetres; names of Mixamo.
BONES = {"Hips": (None, (0, 100, 0)), "Spine": ("Hips", (0, 12, 0)), "Neck": ("Spine", (0, 42, 0)), "Head": ("Neck", (0, 10, 0))}
for side, sign in (("Left", 1), ("Right", -1)):
    BONES.update({f"{side}Arm": ("Spine", (18 * sign, 38, 0)), f"{side}ForeArm": (f"{side}Arm", (28 * sign, 0, 0)),
                  f"{side}Hand": (f"{side}ForeArm", (25 * sign, 0, 0)), f"{side}UpLeg": ("Hips", (9 * sign, -4, 0)),
                  f"{side}Leg": (f"{side}UpLeg", (0, -42, 0)), f"{side}Foot": (f"{side}Leg", (0, -42, 0)),
                  f"{side}ToeBase": (f"{side}Foot", (0, -8, 14))})
EACH_BROKEN = 100


def hierarchy(bone, indent=0):
    """The lines of a bone with all below it, and the bones in their order."""
    above, offset = BONES[bone]
    below = [name for name, (parent, _) in BONES.items() if parent == bone]
    tab = "  " * indent
    channels = ("6 Xposition Yposition Zposition" if above is None else "3") + " Zrotation Xrotation Yrotation"
    lines = [f"{tab}{'ROOT' if above is None else 'JOINT'} {bone}", tab + "{", f"{tab}  OFFSET {offset[0]} {offset[1]} {offset[2]}",
             f"{tab}  CHANNELS {channels}"]
    order = [bone]
    for name in below:
        more, bones = hierarchy(name, indent + 1)
        lines, order = lines + more, order + bones
    if not below:
        lines += [f"{tab}  End Site", tab + "  {", f"{tab}    OFFSET 0 5 0", tab + "  }"]
    return [*lines, tab + "}"], order


def motion(lot, lines, order):
    frames, rate = lot.randint(20, 90), lot.choice([24, 30, 60, 120])
    waves = [(lot.uniform(-25, 25), lot.uniform(0.5, 3), lot.uniform(0, 6)) for _ in range(3 * len(order))]
    rows = []
    for frame in range(frames):
        t = frame / rate
        turns = [size * math.sin(speed * t + phase) for size, speed, phase in waves]
        rows.append(" ".join(f"{value:.3f}" for value in (0, 100, 120 * t, *turns)))
    return "\n".join([*lines, "MOTION", f"Frames: {frames}", f"Frame Time: {1 / rate:.7f}", *rows, ""])


def fill(folder, count):
    lot = random.Random(1)
    lines, order = hierarchy("Hips")
    for i in range(count):
        path = folder / f"{i // 100:03}" / f"{i:05}.bvh"
        path.parent.mkdir(exist_ok=True)
        text = motion(lot, ["HIERARCHY", *lines], order)
        path.write_text(text if i % EACH_BROKEN != 7 else text[:len(text) // 20])


def peak_mb(pid):
    """The largest memory that the process has had, without files that it maps."""
    try:
        status = pathlib.Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    except OSError:
        return 0
    return max((int(line.split()[1]) / 1024 for line in status.splitlines() if line.startswith("VmHWM")), default=0)


class Run:
    """posectl bake, with the peaks of its memory and of its server's."""

    def __init__(self, folder, out, *options, stop_at=None):
        started = time.monotonic()
        process = subprocess.Popen([BUILD / "posectl", "bake", folder.name, "-o", out.name, "--json", "-q", *options], cwd=folder.parent,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment())
        self.own_mb = self.server_mb = 0
        server = None
        while True:
            try:
                stdout, self.err = process.communicate(timeout=0.25)
                break
            except subprocess.TimeoutExpired:
                server = server or next(iter(children(process.pid)), None)
                self.own_mb = max(self.own_mb, peak_mb(process.pid))
                self.server_mb = max(self.server_mb, peak_mb(server) if server else 0)
                journal = out / ".posectl/bake.jsonl"
                if stop_at and journal.exists() and journal.read_text(encoding="utf-8").count("\n") >= stop_at:
                    process.send_signal(signal.SIGINT)
                    stop_at = None
        self.status, self.seconds = process.returncode, time.monotonic() - started
        self.report = json.loads(stdout)

    def __str__(self):
        report = self.report
        return (f"{report['models']} models: {report['made']} baked, {report['unchanged']} unchanged, {len(report['failed'])} failed, "
                f"{self.seconds:.1f} s, at most {self.server_mb:.0f} MB in the server and {self.own_mb:.0f} MB in posectl")


def expect(name, condition, result):
    print(f"{'ok' if condition else 'FAILED'}  {name}: {result}", flush=True)
    return bool(condition)


def digests(out):
    """{name: hash} of the tables, each of which is whole."""
    found = {}
    for path in out.rglob("*.npz"):
        with zipfile.ZipFile(path) as archive:
            assert archive.testzip() is None, path
        found[str(path.relative_to(out))] = hashlib.sha256(path.read_bytes()).hexdigest()
    return found


def indexed(out):
    return [file["file"] for file in json.loads((out / "index.json").read_text(encoding="utf-8"))["files"] if "file" in file]


def alone(folder, names, *options):
    """{name: hash} of single bakes."""
    found = {}
    for name in names:
        path = folder.parent / "alone.npz"
        subprocess.run([BUILD / "posectl", "bake", f"{folder.name}/{name.removesuffix('npz')}bvh", "-o", path.name, "-q", *options],
                       cwd=folder.parent, check=True, env=environment())
        found[name] = hashlib.sha256(path.read_bytes()).hexdigest()
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=int, default=10000)
    count = parser.parse_args().files
    passed = []
    with tempfile.TemporaryDirectory(prefix="posed-bake-") as temporary:
        top = pathlib.Path(temporary)
        folder, out, moved = (top / name for name in ("library", "out", "moved"))
        folder.mkdir()
        fill(folder, count)
        (top / "hero.gltf").write_text(Human(A).write(), encoding="utf-8")
        broken = len([i for i in range(count) if i % EACH_BROKEN == 7])
        whole = count - broken
        first = Run(folder, out, stop_at=count // 2)
        half = digests(out)
        passed.append(expect("stopped half-way", first.status == 130 and first.report["interrupted"] and count // 3 < len(half) < whole and
                             sorted(indexed(out)) == sorted(half), f"{first}; {len(half)} whole tables, all in the index"))
        second = Run(folder, out)
        tables = digests(out)
        passed.append(expect("completed", second.status == 1 and len(tables) == whole == len(indexed(out)) and
                             len(second.report["failed"]) == broken and second.report["made"] <= whole - len(half) + 16 and
                             half.items() <= tables.items(), second))
        third = Run(folder, out)
        passed.append(expect("nothing to do", third.report["made"] == 0 and third.report["unchanged"] == whole and digests(out) == tables, third))
        onto = ["--onto", "hero.gltf", "--retarget", "rest"]
        shards = [Run(folder, moved, *onto, "--shard", f"{number}/4") for number in (1, 2, 3, 4)]
        for number, shard in enumerate(shards, 1):
            print(f"    shard {number}/4 onto a human: {shard}", flush=True)
        of_one = digests(moved)
        skeletons = json.loads((moved / "index.json").read_text(encoding="utf-8"))["skeletons"]
        passed.append(expect("shards onto one skeleton", sum(shard.report["models"] for shard in shards) == count and len(of_one) == whole and
                             sum(shard.report["made"] for shard in shards) == whole and len(skeletons) == 1,
                             f"{len(of_one)} tables of {len(skeletons)} skeleton, {sum(shard.seconds for shard in shards):.1f} s"))
        some = random.Random(2).sample(sorted(tables), 8)
        passed.append(expect("as alone", alone(folder, some).items() <= tables.items() and alone(folder, some, *onto).items() <= of_one.items(),
                             f"{len(some)} of each"))
    print(f"{sum(passed)} passed, {len(passed) - sum(passed)} failed, 0 skipped")
    return 0 if all(passed) else 1


if __name__ == "__main__":
    sys.exit(main())
