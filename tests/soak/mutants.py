#!/usr/bin/env python3
"""Sends damaged models to a running server, which must survive all of them, answer each with a code, and free the memory.

    mutants.py [--count 3000] [--seed 1] [--jobs 3] [--only fbx] [--keep DIR]

The seeds are the project's samples, Debian's assimp-testmodels and ../shared/models, if they exist. Each mutant is requested as a
model, a palette and, now and then, a mesh and a picture. Between the mutants, a good model is requested. FBX files are also damaged
in known places: sizes of records, counts of arrays, ids. --only takes the seeds with one extension, --keep saves the mutants whose
answer was not allowed. Closes with one line, `N passed, M failed, K skipped`.
"""
import argparse
import collections
import concurrent.futures
import os
import pathlib
import random
import re
import signal
import struct
import sys
import tempfile
import time
import urllib.parse

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "api"))
import conftest  # noqa: E402

SOURCES = (conftest.SAMPLES, conftest.REPOSITORY / "tests" / "fuzz" / "corpus" / "fbx", conftest.REPOSITORY.parent / "shared" / "models",
           pathlib.Path("/usr/share/assimp/models"))
# By extension: formats with different readers. glTF and FBX have posed's own readers, the others assimp's.
FORMATS = ("glb", "gltf", "fbx", "dae", "md5mesh", "x", "obj", "stl", "ply", "bvh", "b3d", "ms3d", "smd", "3ds", "ac", "ase",
           "blend", "iqm", "lwo", "lws", "md2", "md3", "mdl", "3mf", "off", "dxf", "irrmesh", "ogex", "xgl", "x3d")
SEED_MAX_BYTES = 300_000
SEEDS_PER_FORMAT = 12
FBX_SEEDS = 60 # because of many versions and exporters
ALLOWED = {200, 415, 422, 503}
MEMORY_SLACK_BYTES = 50 << 20


def seeds():
    """Paths of undamaged files by extension, small ones, in an order that does not depend on the machine."""
    found = collections.defaultdict(list)
    for source in SOURCES:
        if not source.is_dir():
            continue
        for path in sorted(source.rglob("*")):
            ending = path.suffix[1:].lower()
            if ending in FORMATS and path.is_file() and 0 < path.stat().st_size <= SEED_MAX_BYTES:
                found[ending].append(path)
    return {ending: sorted(paths, key=lambda p: (p.stat().st_size, p.name))[:FBX_SEEDS if ending == "fbx" else SEEDS_PER_FORMAT]
            for ending, paths in found.items()}


# --- damage: bytes and a random.Random to other bytes ---

def flip_bits(data, rng):
    data = bytearray(data)
    for _ in range(rng.choice((1, 1, 3, 20, 200))):
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    return bytes(data)


def truncate(data, rng):
    return data[:rng.randrange(1, len(data) + 1)]


def grow_length(data, rng):
    """An aligned 32-bit field becomes huge, as if it were a length or a count."""
    data = bytearray(data)
    at = rng.randrange(0, max(1, min(len(data), rng.choice((64, 4096, len(data)))) - 4)) // 4 * 4
    value = rng.choice((0xffffffff, 0x7fffffff, 0x80000000, 0x10000000, 0x00ffffff, 0, 1, rng.getrandbits(32)))
    data[at:at + 4] = struct.pack("<I", value)
    return bytes(data)


def change_number(data, rng):
    """A run of digits becomes another number: counts, indices and coordinates of text formats."""
    digits = [i for i in range(len(data)) if 48 <= data[i] <= 57 and (i == 0 or not 48 <= data[i - 1] <= 57)]
    if not digits:
        return flip_bits(data, rng)
    at = rng.choice(digits)
    end = at
    while end < len(data) and 48 <= data[end] <= 57:
        end += 1
    value = rng.choice((b"0", b"-1", b"4294967295", b"2147483648", b"99999999999999999999", b"1e400", b"nan", b"inf", b"1e-320",
                        b"1000000", b"65536", b""))
    return data[:at] + value + data[end:]


def nest(data, rng):
    """A bomb of brackets somewhere in the middle."""
    opening = rng.choice((b"[", b"{", b'{"a":', b"<a>", b"(", b"{ a ", b"\0\0\0\1", b"  child {\n"))
    at = rng.randrange(len(data) + 1)
    return data[:at] + opening * rng.choice((100, 10_000, 100_000)) + data[at:]


def cut_out(data, rng):
    start = rng.randrange(len(data))
    return data[:start] + data[min(len(data), start + rng.choice((1, 4, 64, 4096))):] or b"\0"


def double(data, rng):
    start = rng.randrange(len(data))
    part = data[start:start + rng.choice((4, 64, 4096))]
    return data[:start] + part * rng.choice((2, 3, 50)) + data[start:]


def overwrite(data, rng):
    data = bytearray(data)
    start = rng.randrange(len(data))
    size = min(rng.choice((4, 32, 512)), len(data) - start)
    data[start:start + size] = rng.choice((b"\0", b"\xff", b" ", b"A")) * size
    return bytes(data)


# --- damage that knows FBX; text and broken files get other damage instead ---

FBX_NUMBERS = (0, 1, 2, 3, 4, 12, 13, 25, 31, 32, 33, 255, 256, 65535, 1 << 24, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff)


def fbx_records(data):
    """The beginning of each record of a binary file, and the width of its three numbers."""
    if data[:18] != b"Kaydara FBX Binary" or data[22:23] != b"\0":
        return [], 0
    width = 8 if struct.unpack_from("<I", data, 23)[0] >= 7500 else 4
    found, ends, at = [], [len(data)], 27
    while ends:
        end, values, size = struct.unpack_from("<3Q" if width == 8 else "<3I", data, at) if at + 3 * width < ends[-1] else (0, 0, 0)
        if end == 0 or end > ends[-1]:
            at = ends.pop()
            continue
        found.append(at)
        inside = at + 3 * width + 1 + data[at + 3 * width] + size
        if inside < end:
            ends.append(end)
        at = inside
    return found, width


def change_record(data, rng):
    """The end, the number of values, their bytes or the name's length of one record."""
    found, width = fbx_records(data)
    if not found:
        return change_number(data, rng)
    data, at = bytearray(data), rng.choice(found)
    field = rng.randrange(4)
    if field == 3:
        data[at + 3 * width] = rng.randrange(256)
    else:
        old = int.from_bytes(data[at + field * width:at + (field + 1) * width], "little")
        new = rng.choice((old + rng.choice((-13, -1, 1, 13, 25)), rng.choice(FBX_NUMBERS), rng.choice(found)))
        data[at + field * width:at + (field + 1) * width] = (new % (1 << 8 * width)).to_bytes(width, "little")
    return bytes(data)


def change_array(data, rng):
    """The count, the encoding or the size of a binary array."""
    found, width = fbx_records(data)
    arrays = []
    for at in found:
        first = at + 3 * width + 1 + data[at + 3 * width]
        if data[first:first + 1] in (b"d", b"f", b"i", b"l"):
            arrays.append(first + 1)
    if not arrays:
        return change_number(data, rng)
    data, at = bytearray(data), rng.choice(arrays) + 4 * rng.choice((0, 0, 0, 1, 2))
    old = struct.unpack_from("<I", data, at)[0]
    struct.pack_into("<I", data, at, rng.choice((old + rng.choice((-1, 1, 2, 3)), rng.choice(FBX_NUMBERS), old * 2)) % (1 << 32))
    return bytes(data)


def swap_ids(data, rng):
    """Connections join other objects: cycles, skins of skins, curves that drive curves."""
    found, _ = fbx_records(data)
    if found:
        ids = [span for span in (m.span(1) for m in re.finditer(rb"L(.{8})", data, re.DOTALL))
               if 1000 < int.from_bytes(data[slice(*span)], "little") < 1 << 40]
    else:
        ids = [m.span(1) for m in re.finditer(rb'(?:C|Connect|Model|Deformer|Geometry): *"?(?:OO|OP)?"?,? *("?[^",\n]+"?)', data)]
    if not ids:
        return flip_bits(data, rng)
    for _ in range(rng.choice((1, 2, 10))):
        to, source = rng.choice(ids), rng.choice(ids)
        if to[1] - to[0] == source[1] - source[0]:
            data = data[:to[0]] + data[source[0]:source[1]] + data[to[1]:]
    return data


FBX_DAMAGE = (change_record, change_record, change_array, change_array, swap_ids, swap_ids)
DAMAGE = (flip_bits, flip_bits, truncate, grow_length, grow_length, change_number, change_number, nest, cut_out, double, overwrite)


def damage_of(seed):
    return DAMAGE + FBX_DAMAGE if seed.suffix.lower() == ".fbx" else DAMAGE


class Run:
    def __init__(self, root, keep=None):
        self.root, self.keep = pathlib.Path(root), keep
        self.faults = []
        self.codes = collections.Counter()
        self.formats = collections.Counter()
        good = sorted(conftest.SAMPLES.glob("robot.glb"))
        self.good = self.root / "good.glb"
        self.good.write_bytes(good[0].read_bytes())
        self.server = conftest.Server(self.root, "--log", "off", "--cache-bytes", "16m", "--import-workers", "2",
                                      "--render-workers", "1", "--import-cpu", "10s")

    def ask(self, connection, target, name, allowed):
        answer = connection.get(target)
        if answer is None:
            self.faults.append(f"{name}: the server closed on {target}")
            return None
        if answer.status not in allowed:
            self.faults.append(f"{name}: {answer.status} to {target}: {answer.body[:200]!r}")
        code = 200 if answer.status == 200 else answer.error()
        self.codes[code] += 1
        if code == "import_syscall": # either an attack, or a call that a reader needs and may not use
            print(f"{name}:", answer.json()["error"]["message"])
        return answer.status

    def mutant(self, number, seed, rng):
        damage = rng.choice(damage_of(seed))
        name = f"m{number:05d}-{damage.__name__}{seed.suffix.lower()}"
        data = damage(seed.read_bytes(), rng)
        path = self.root / name
        path.write_bytes(data)
        before = len(self.faults)
        query = urllib.parse.quote(name)
        try:
            with self.server.connect(timeout_s=120) as connection:
                # A full import queue is a valid answer. The client follows Retry-After a few times.
                for _ in range(20):
                    if self.ask(connection, f"/v1/model?model={query}", name, ALLOWED) != 503:
                        break
                    time.sleep(0.2)
                self.ask(connection, f"/v1/palette?model={query}&t=0.3", name, ALLOWED | {404})
                if number % 4 == 0:
                    self.ask(connection, f"/v1/mesh?model={query}&t=0.1", name, ALLOWED | {404, 400})
                if number % 8 == 0:
                    self.ask(connection, f"/v1/render?model={query}&t=0.1&width=64&height=64", name, ALLOWED | {404, 500})
                if number % 10 == 0:
                    self.ask(connection, "/v1/palette?model=good.glb&t=0.3", "good.glb", {200})
        except (OSError, AssertionError) as problem:
            self.faults.append(f"{name}: {problem!r}")
        self.formats[seed.suffix[1:].lower()] += 1
        if self.keep and len(self.faults) > before:
            pathlib.Path(self.keep, name).write_bytes(data)
        path.unlink()

    def resident_bytes(self):
        status = pathlib.Path(f"/proc/{self.server.process.pid}/status").read_text()
        return int(status.split("VmRSS:")[1].split()[0]) * 1024

    def importers(self):
        found = []
        for entry in pathlib.Path("/proc").glob("[0-9]*/stat"):
            try:
                name, rest = entry.read_text().split("(", 1)[1].rsplit(")", 1)
            except OSError:
                continue
            if int(rest.split()[1]) == self.server.process.pid and name.startswith("posed-import"):
                found.append(entry.parent.name)
        return found

    def files(self):
        return len(os.listdir(f"/proc/{self.server.process.pid}/fd"))

    def settle(self):
        """Request good models until the server is idle. The memory that it uses then is what it keeps."""
        deadline = time.monotonic() + 60
        while self.importers() and time.monotonic() < deadline:
            time.sleep(0.1)
        with self.server.connect(timeout_s=60) as connection:
            self.ask(connection, "/v1/palette?model=good.glb&t=0.3", "good.glb", {200})
            self.ask(connection, "/v1/render?model=good.glb&width=64&height=64", "good.glb", {200})

    def all(self, count, seed, jobs, only):
        by_format = seeds()
        endings = [ending for ending in FORMATS if by_format.get(ending) and only in (None, ending)]
        self.settle()
        resident, files = self.resident_bytes(), self.files()
        tasks = []
        for number in range(count):
            rng = random.Random(f"{seed}/{number}")
            ending = endings[number % len(endings)]
            tasks.append((number, rng.choice(by_format[ending]), rng))
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            for done in [pool.submit(self.mutant, *task) for task in tasks]:
                done.result()
        if self.server.process.poll() is not None:
            self.faults.append(f"the server ended with {self.server.process.returncode}: {self.server.lines()[-5:]}")
            return
        self.settle()
        if self.importers():
            self.faults.append(f"importers left behind: {self.importers()}")
        grown = self.resident_bytes() - resident
        if grown > MEMORY_SLACK_BYTES:
            self.faults.append(f"memory grew by {grown >> 20} MB")
        stats = self.server.json("/v1/stats")
        if self.files() - stats["cache"]["models"] > files + 4: # the cache holds a file per model
            self.faults.append(f"open files grew from {files} to {self.files()}, of {stats['cache']['models']} models")
        if stats["imports"]["running"] + stats["imports"]["waiting"] > 0:
            self.faults.append(f"imports that nobody waits for: {stats['imports']}")

    def end(self):
        if self.server.process.poll() is None:
            self.server.signal(signal.SIGTERM)
            status = self.server.wait(30)
            if status != 0:
                self.faults.append(f"the server ended with {status}: {self.server.lines()[-5:]}")
        self.server.end()


def run(count, seed=1, jobs=3, keep=None, only=None):
    """Return (faults, answers by code, mutants by format)."""
    with tempfile.TemporaryDirectory(prefix="posed-mutants-") as root:
        one = Run(root, keep)
        try:
            one.all(count, seed, jobs, only)
        finally:
            one.end()
        left = [path.name for path in pathlib.Path(root).iterdir() if path.name != "good.glb"]
        if left:
            one.faults.append(f"files left behind: {left}")
        return one.faults, one.codes, one.formats


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=3000)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--jobs", type=int, default=3)
    parser.add_argument("--only", choices=FORMATS)
    parser.add_argument("--keep")
    options = parser.parse_args()
    faults, codes, formats = run(options.count, options.seed, options.jobs, options.keep, options.only)
    print("mutants by format:", dict(sorted(formats.items())))
    print("answers by code:", dict(codes.most_common()))
    for fault in faults:
        print("FAULT", fault)
    print(f"{sum(formats.values()) - len(faults)} passed, {len(faults)} failed, 0 skipped")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
