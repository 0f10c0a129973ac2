#!/usr/bin/env python3
"""Measures how many thumbnails a second the server draws, the share of the PNG in that time, and the time from a cold start to the first.

    thumbnails.py [--seconds 2] [--repeat 3] [--models FOLDER]

All pictures differ; they are anti-aliased and 256 x 256 pixels large, drawn by two render workers over eight connections. The models are
the samples, and Fox, cesium_man and Bob from FOLDER (by default ../shared/models, if it exists). 'base' is the model itself. 'full' is the
model as glTF with every texture that a material can have; Bob is converted by assimp's exporter, if the program is installed. CPU is that of
the render workers alone, so it shows what a machine without other work would do. For wall-clock figures, this program, the load client
and the server share the processors. Then come sheets of 16 such cells: cells a second, and jobs of the renderers for each sheet
(`renders.started` of /v1/stats), which should be one: one worker, one context and one picture in memory. Prints tables, and a line of JSON
for each row: medians.
"""
import argparse
import json
import os
import pathlib
import shutil
import statistics
import struct
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "api"))
import conftest  # noqa: E402

BENCH = conftest.BUILD / "bench"
SHARED = pathlib.Path(__file__).resolve().parents[3] / "shared" / "models"
OTHERS = ("gltf/Fox.glb", "gltf/cesium_man.gltf", "md5/Bob.md5mesh")
WORKERS = 2
PICTURE = "/v1/render?model={}&width=256&height=256"
CELLS = 16
SHEET = "/v1/sheet?model={}" + f"&frames={CELLS}&columns=4&width=256&height=256"
TICKS = os.sysconf("SC_CLK_TCK")


def fill_materials(text):
    """A glTF document in which each material has its texture, or else the first texture, in every slot."""
    document = json.loads(text)
    for material in document["materials"]:
        own = material.setdefault("pbrMetallicRoughness", {})
        used = {"index": own.get("baseColorTexture", {}).get("index", 0)}
        material.pop("extensions", None)
        material.update(normalTexture=used, occlusionTexture=used, emissiveTexture=used, emissiveFactor=[0.1, 0.1, 0.1])
        own.update(baseColorTexture=used, metallicRoughnessTexture=used)
    return json.dumps(document).encode()


def full_glb(glb):
    size = struct.unpack_from("<I", glb, 12)[0]
    text, rest = fill_materials(glb[20:20 + size]), glb[20 + size:]
    text += b" " * (-len(text) % 4)
    return struct.pack("<4sIII4s", b"glTF", 2, 20 + len(text) + len(rest), len(text), b"JSON") + text + rest


def make_full(path):
    """The name of the model beside `path` whose materials have every texture, or None."""
    if path.suffix == ".gltf":
        (path.parent / "full.gltf").write_bytes(fill_materials(path.read_bytes()))
        return "full.gltf"
    glb = path
    if path.suffix != ".glb":
        if not shutil.which("assimp"):
            return None
        glb = path.parent / "full.glb"
        subprocess.run(["assimp", "export", path, glb], stdout=subprocess.DEVNULL, check=True)
    (path.parent / "full.glb").write_bytes(full_glb(glb.read_bytes()))
    return "full.glb"


def make_models(root, others):
    """Pairs (name to show, path of the model)."""
    found = [(path.stem, path) for path in sorted(conftest.SAMPLES.glob("*.glb"))]
    found += [(pathlib.Path(one).stem, others / one) for one in OTHERS if (others / one).is_file()]
    rows = []
    for name, path in found:
        folder = root / name
        shutil.copytree(path.parent, folder) if path.parent != conftest.SAMPLES else folder.mkdir()
        shutil.copy(path, folder)
        rows.append((f"{name} base", f"{name}/{path.name}"))
        full = make_full(folder / path.name)
        if full:
            rows.append((f"{name} full", f"{name}/{full}"))
    return rows


def worker_cpu_s(server):
    """User and system time of the render workers so far."""
    total = 0
    for entry in pathlib.Path("/proc").iterdir():
        try:
            head, tail = (entry / "stat").read_text().rsplit(")", 1)
        except (OSError, ValueError):
            continue
        fields = tail.split()
        if "posed-render" in head and int(fields[1]) == server.process.pid:
            total += int(fields[11]) + int(fields[12])
    return total / TICKS


def load(server, target, seconds, first):
    words = ["--seconds", str(seconds), "--connections", "8", "--first", str(first), "--name", "thumbnails", server.address, target]
    done = subprocess.run([BENCH / "load", *words], capture_output=True, text=True, check=True)
    figures = json.loads(done.stdout)
    if set(figures["status"]) != {"200"}:
        raise SystemExit(f"{target}: {figures['status']}")
    return figures


def png_ms(server, target):
    """CPU milliseconds for encoding one such picture."""
    answer = server.get(target)
    done = subprocess.run([BENCH / "encode"], input=answer.body, capture_output=True, check=True)
    return {**json.loads(done.stdout), "bytes": len(answer.body)}


def measure(server, model, options, turn):
    target = PICTURE.format(model) + "&yaw={}"
    before, drawn = worker_cpu_s(server), server.json("/v1/stats")["renders"]["started"]
    figures = load(server, target, options.seconds, 1000 * turn)
    count = server.json("/v1/stats")["renders"]["started"] - drawn
    return {"per_second": figures["per_second"], "cpu_ms": (worker_cpu_s(server) - before) * 1e3 / count,
            **png_ms(server, target.format(30))}


def measure_sheets(server, model, options, turn):
    before, drawn = worker_cpu_s(server), server.json("/v1/stats")["renders"]["started"]
    figures = load(server, SHEET.format(model) + "&yaw={}", options.seconds, 1000 * turn)
    jobs = server.json("/v1/stats")["renders"]["started"] - drawn
    return {"sheets_per_second": figures["per_second"], "cells_per_second": CELLS * figures["per_second"],
            "cpu_ms_per_cell": (worker_cpu_s(server) - before) * 1e3 / jobs / CELLS, "jobs": jobs, "sheets": figures["status"]["200"]}


def show_sheets(sheets, runs):
    print(f"\n{f'sheets of {CELLS} cells':24} {'per second':>10} {'cells':>10} {'CPU ms/cell':>12} {'alone':>8} {'jobs/sheet':>11}")
    for name in sheets:
        one = {key: round(statistics.median(run[key] for run in sheets[name]), 3) for key in sheets[name][0]}
        # a load that ends while pictures are drawn leaves one for each connection
        one["jobs_per_sheet"] = round(one.pop("jobs") / one.pop("sheets"), 2)
        one["alone_cpu_ms"] = round(statistics.median(run["cpu_ms"] for run in runs[name]), 3)
        print(f"{name:24} {one['sheets_per_second']:10.1f} {one['cells_per_second']:10.0f} {one['cpu_ms_per_cell']:12.2f} "
              f"{one['alone_cpu_ms']:8.2f} {one['jobs_per_sheet']:11.2f}")
        print(json.dumps({"bench": "sheets", "model": name, "cells": CELLS, **one}))


def first_thumbnail(root, cache, model):
    """Milliseconds from the start of the server to the last byte, with the model in the disk cache."""
    begin = time.perf_counter()
    server = conftest.Server(root, "--render-workers", str(WORKERS), "--log", "off", "--cache-dir", str(cache))
    try:
        if server.get(PICTURE.format(model)).status != 200:
            raise SystemExit(f"no first thumbnail of {model}")
        ms = (time.perf_counter() - begin) * 1e3
        while not server.json("/v1/stats")["disk"]["bytes"]:
            time.sleep(0.01)
        return ms
    finally:
        server.end()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=2)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--models", type=pathlib.Path, default=SHARED)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="posed-bench-") as folder:
        root, cache = pathlib.Path(folder) / "root", pathlib.Path(folder) / "cache"
        root.mkdir()
        rows = make_models(root, options.models)
        runs = {name: [] for name, _ in rows}
        sheets = {name: [] for name, _ in rows if name.endswith("base")}
        server = conftest.Server(root, "--render-workers", str(WORKERS), "--log", "off")
        try:
            for _, model in rows:
                server.get(PICTURE.format(model))
            for turn in range(options.repeat):
                for name, model in rows:
                    runs[name].append(measure(server, model, options, turn))
                    if name in sheets:
                        sheets[name].append(measure_sheets(server, model, options, turn))
        finally:
            server.end()
        starts = {name: [first_thumbnail(root, cache, model) for _ in range(options.repeat + 1)][1:] for name, model in rows}
    print(f"{'256 x 256, anti-aliased':24} {'per second':>10} {'CPU ms':>8} {'2 workers':>10} {'PNG ms':>8} {'share':>6} {'small':>14} {'first':>8}")
    for name, _ in rows:
        one = {key: round(statistics.median(run[key] for run in runs[name]), 3) for key in runs[name][0]}
        one["png_share"] = round(one["fast_ms"] / one["cpu_ms"], 3)
        one["two_workers_per_second"] = round(WORKERS * 1e3 / one["cpu_ms"])
        one["first_ms"] = round(statistics.median(starts[name]), 1)
        print(f"{name:24} {one['per_second']:10.0f} {one['cpu_ms']:8.2f} {one['two_workers_per_second']:10} {one['fast_ms']:8.3f} "
              f"{one['png_share']:6.1%} {one['small_ms']:5.2f} ms {one['small_bytes'] / one['fast_bytes'] - 1:4.0%} {one['first_ms']:5.0f} ms")
        print(json.dumps({"bench": "thumbnails", "model": name, **one}))
    show_sheets(sheets, runs)


if __name__ == "__main__":
    main()
