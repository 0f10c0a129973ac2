"""The time of palettes while renders saturate their workers: p99, compared with an idle server. overload.py has more."""
import shutil

import overload
import peers

TITLE = "palettes at a fixed rate of 2,000 a second, over 20 connections"
RATE = 2000
SPREAD_MAX = 0.4  # of a p99


def run(bench):
    root = bench.make_folder("beside")
    for name in ("robot", "dragon"):
        shutil.copy(bench.samples / f"{name}.glb", root)
    workers = max(1, bench.processors - 1)
    server = peers.conftest.Server(root, "--log", "off", "--render-queue", "32", "--render-workers", str(workers))
    drawn = iter(range(10**6, 10**9, 10**6))

    def measure(scenario):
        palettes, beside = overload.measure(server, scenario, bench.seconds(2.5), RATE, next(drawn))
        if set(palettes["status"]) != {"200"}:
            raise SystemExit(f"not every palette was answered: {palettes['status']}")
        return {**palettes, "pictures": beside[0]["status"].get("200", 0) if beside else 0}

    try:
        for target in (overload.PALETTE, overload.PICTURE.format(0)):
            if server.get(target).status != 200:
                raise SystemExit(f"the server does not answer {target}")
        rounds = bench.interleave({name: lambda name=name: measure(name) for name in ("idle", "renders")}, again=3)
    finally:
        server.end()
    beside = f"beside saturated renders, {workers} worker{'s' if workers > 1 else ''}"
    for key, target in (("p50_ms", ""), ("p99_ms", "p99_beside_renders")):
        of = lambda found, key=key: found[key] * 1e3
        bench.add("beside_renders", f"{key[:3]} of palettes {beside}", "\u00b5s", rounds.figure("renders", of, SPREAD_MAX),
                  "idle", rounds.figure("idle", of, SPREAD_MAX), rounds.ratio("renders", "idle", of, SPREAD_MAX),
                  target, is_share=True, headline=bool(target))
