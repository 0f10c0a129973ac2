"""The time of /livez on the port of --admin while one client's many connections send requests without a pause. A prober considers a late
server dead."""
import shutil

import overload
import peers

TITLE = "/livez a hundred times a second, over 10 connections"
CONNECTIONS, PIPELINE, RATE = 600, 16, 100
LEAD_S = 0.5
SPREAD_MAX = 1.0  # of a p99, because of scheduling


def run(bench):
    root = bench.make_folder("probes")
    shutil.copy(bench.samples / "robot.glb", root)
    server = peers.conftest.Server(root, "--log", "off", "--render-workers", "0", "--admin", "127.0.0.1:0")
    admin = type("Port", (), {"address": server.ports["admin"]})

    def measure(is_beside):
        seconds = bench.seconds(2.5)
        beside = overload.load(server, seconds + 1, [overload.PALETTE], connections=CONNECTIONS, pipeline=PIPELINE) if is_beside else None
        probes = overload.result(overload.load(admin, seconds + LEAD_S, ["/livez"], connections=10, rate=RATE, warm_up=LEAD_S))
        if set(probes["status"]) != {"200"} or (beside and not overload.result(beside)["status"].get("200")):
            raise SystemExit(f"not every probe was answered: {probes['status']}")
        return probes

    try:
        if server.get(overload.PALETTE).status != 200:
            raise SystemExit("the server does not answer")
        rounds = bench.interleave({"idle": lambda: measure(False), "beside": lambda: measure(True)}, again=3)
    finally:
        server.end()
    for key, target in (("p50_ms", ""), ("p99_ms", "p99_livez")):
        of = lambda found, key=key: found[key]
        bench.add("probes", f"{key[:3]} of /livez beside {CONNECTIONS} connections that pipeline {PIPELINE} palettes", "ms",
                  rounds.figure("beside", of, SPREAD_MAX), "idle", rounds.figure("idle", of, SPREAD_MAX),
                  rounds.ratio("beside", "idle", of, SPREAD_MAX), target, is_share=True, headline=bool(target))
