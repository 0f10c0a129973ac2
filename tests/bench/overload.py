#!/usr/bin/env python3
"""The time of palettes on an idle server, and while renders and imports are saturated.

    overload.py [--seconds 8] [--rate 2000] [--repeat 3]

A real server on loopback. Palettes are requested at a fixed rate over 20 connections, and an answer's time counts from when its
request was due. The scenarios are: nothing else; 64 clients that request pictures, each a different one; 64 clients that request
models, more than the cache holds, so that each needs an import; both. The palettes' model is in memory at the beginning, because
otherwise it would wait for its import. Prints a table, and a line of JSON for each scenario: the medians of the repetitions, which
are interleaved.
"""
import argparse
import json
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "api"))
import conftest  # noqa: E402

LOAD = conftest.BUILD / "bench" / "load"
PALETTE = "/v1/palette?model=robot.glb&clip=walk&t=0.3&format=bin"
PICTURE = "/v1/render?model=dragon.glb&clip=fly&t=0.4&width=512&height=512&yaw={}"
MODELS = 96
LEAD_S = 1.5
SCENARIOS = ("idle", "renders", "imports", "both")


def load(server, seconds, targets, **options):
    words = [word for name, value in options.items() for word in ("--" + name.replace("_", "-"), str(value))]
    return subprocess.Popen([LOAD, "--seconds", str(seconds), *words, server.address, *targets], stdout=subprocess.PIPE, text=True)


def result(process):
    output, _ = process.communicate()
    if process.returncode != 0:
        raise SystemExit(f"the load client ended with {process.returncode}: {output}")
    return json.loads(output)


def imports():
    return [f"/v1/model?model=copy{i}.glb" for i in range(MODELS)]


def measure(server, scenario, seconds, rate, first):
    """Palettes during the scenario's load, which begins before the measurement and ends after it."""
    palettes = load(server, seconds + LEAD_S, [PALETTE], connections=20, rate=rate, warm_up=LEAD_S, name="palettes")
    beside = []
    if scenario in ("renders", "both"):
        beside.append(load(server, seconds + 2, [PICTURE], connections=64, first=first, name="renders"))
    if scenario in ("imports", "both"):
        beside.append(load(server, seconds + 2, imports(), connections=64, name="imports"))
    return result(palettes), [result(one) for one in beside]


def median_of(runs):
    keys = ("per_second", "p50_ms", "p90_ms", "p99_ms", "max_ms")
    return {key: round(statistics.median(run[key] for run in runs), 3) for key in keys}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=8)
    parser.add_argument("--rate", type=float, default=2000)
    parser.add_argument("--repeat", type=int, default=3)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as root:
        for name in ("robot", "dragon"):
            shutil.copy(conftest.SAMPLES / f"{name}.glb", root)
        for i in range(MODELS):
            shutil.copy(conftest.SAMPLES / "octopus.glb", pathlib.Path(root) / f"copy{i}.glb")
        server = conftest.Server(root, "--log", "off", "--cache-bytes", "24m", "--render-queue", "32", "--import-queue", "32")
        try:
            for target in (PALETTE, PICTURE.format(0)):
                if server.get(target).status != 200:
                    raise SystemExit(f"the server does not answer {target}")
            palettes, beside = {name: [] for name in SCENARIOS}, {name: [] for name in SCENARIOS}
            for turn in range(options.repeat):
                for i, name in enumerate(SCENARIOS):
                    one, others = measure(server, name, options.seconds, options.rate, 1000000 * (turn * len(SCENARIOS) + i))
                    palettes[name].append(one)
                    beside[name].append(others)
            stats = server.json("/v1/stats")
        finally:
            server.end()
    print(f"{'beside palettes':16} {'per second':>10} {'p50 ms':>8} {'p90 ms':>8} {'p99 ms':>8} {'max ms':>8}  answers beside them")
    for name in SCENARIOS:
        figures = median_of(palettes[name])
        if any(set(run["status"]) != {"200"} for run in palettes[name]):
            raise SystemExit(f"not every palette was answered beside {name}: {palettes[name]}")
        others = " ".join(f"{one['name']} {one['status']}" for one in beside[name][-1])
        print(f"{name:16} {figures['per_second']:10.0f} {figures['p50_ms']:8.3f} {figures['p90_ms']:8.3f} "
              f"{figures['p99_ms']:8.3f} {figures['max_ms']:8.3f}  {others}")
    for name in SCENARIOS:
        print(json.dumps({"bench": "overload", "beside": name, "rate": options.rate, "repeat": options.repeat,
                          **median_of(palettes[name])}))
    print(json.dumps({"bench": "overload", "imports": stats["imports"], "renders": stats["renders"]}))


if __name__ == "__main__":
    main()
