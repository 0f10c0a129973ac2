#!/usr/bin/env python3
"""Measures how long the first palette of a model takes after a restart: with an import, and from the disk cache.

    disk_cache.py [--repeat 15]

Each measurement starts a new server, and lasts from the ready line to the last byte of the answer. The files of the disk cache are in
the page cache. The models are the samples, and copies of one with an enlarged buffer or texture. Prints a table, and a line of JSON for
each model: medians and minima in ms, and the gain.
"""
import argparse
import json
import pathlib
import shutil
import statistics
import struct
import sys
import tempfile
import time
import zlib

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "api"))
import conftest  # noqa: E402
import small_models  # noqa: E402


def noise_png(side):
    """A picture that does not compress, so that it costs as much as a photograph."""
    state, rows = 1, []
    for _ in range(side):
        row = bytearray(1 + 3 * side)
        for i in range(1, len(row)):
            state = (state * 1103515245 + 12345) & 0x7fffffff
            row[i] = state >> 16 & 255
        rows.append(bytes(row))
    chunk = lambda kind, data: struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)) +
            chunk(b"IDAT", zlib.compress(b"".join(rows), 1)) + chunk(b"IEND", b""))


def make_models(root):
    for path in sorted(conftest.SAMPLES.glob("*.glb")):
        shutil.copy(path, root)
    (root / "textured.gltf").write_text(small_models.gltf(image="noise.png"))
    (root / "noise.png").write_bytes(noise_png(1024))
    (root / "large.gltf").write_text(small_models.gltf(triangles=100000))
    return sorted(path.name for path in root.iterdir() if path.suffix in (".glb", ".gltf"))


def first_palette(root, model, *options):
    """Milliseconds, and the server's counters."""
    server = conftest.Server(root, "--render-workers", "0", "--log", "off", *options)
    try:
        begin = time.perf_counter()
        with server.connect() as connection:
            answer = connection.get(f"/v1/palette?model={model}&format=bin")
            ms = (time.perf_counter() - begin) * 1e3
            assert answer.status == 200, answer.body
            while "none" not in options and not server.json("/v1/stats")["disk"]["bytes"]:
                time.sleep(0.01)
        return ms, server.json("/v1/stats")
    finally:
        server.end()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeat", type=int, default=15)
    options = parser.parse_args()
    print(f"{'first palette after a restart':32}{'import':>18}{'disk cache':>18}{'gain':>8}")
    with tempfile.TemporaryDirectory(prefix="posed-bench-") as folder:
        root, cache = pathlib.Path(folder) / "root", pathlib.Path(folder) / "cache"
        root.mkdir()
        models = make_models(root)
        time.sleep(2.1)  # files that changed within two seconds before an import are hashed at the next start (disk_load.c)
        for model in models:
            first_palette(root, model, "--cache-dir", str(cache))
            runs = [(first_palette(root, model, "--cache-dir", "none")[0], first_palette(root, model, "--cache-dir", str(cache)))
                    for _ in range(options.repeat)]
            imported, cached = [one for one, _ in runs], [other[0] for _, other in runs]
            assert all(other[1]["disk"]["hits"] == 1 for _, other in runs), "it did not come from disk"
            row = {"model": model, "import_ms": statistics.median(imported), "import_min_ms": min(imported),
                   "disk_ms": statistics.median(cached), "disk_min_ms": min(cached)}
            row["gain"] = row["import_ms"] / row["disk_ms"]
            print(f"{model:32}{row['import_ms']:12.2f} ms   {row['disk_ms']:12.2f} ms   {row['gain']:6.0f}x")
            print(json.dumps({name: value if isinstance(value, str) else round(value, 3) for name, value in row.items()}))


if __name__ == "__main__":
    main()
