"""Answers a second, and how long they take: palettes that are computed, beside a file of nginx and a value of redis of the same size.

One client program for all, on a processor of its own; every server has one other. nginx is measured with sendfile and without, and the
faster of the two counts, round by round.
"""
import functools

import peers
import skeletons

TITLE = "50 connections"
JOINTS = 24
TARGET = f"/v1/palette?model=rig_{JOINTS}.glb&clip=0&t={{t}}&format=bin"
HANDLE = f"palette?model=rig_{JOINTS}.glb&clip=0&layout=mat4&t={{t}}"
PIPELINES = (1, 16)
LATENCY_SPREAD_MAX = 0.3


def start(bench):
    """Servers by name, with the request for each: {name: (server, address, language, target)}."""
    root = bench.make_folder("serving")
    (root / f"rig_{JOINTS}.glb").write_bytes(skeletons.glb(JOINTS))
    socket = bench.folder / "posed.sock"
    server = peers.conftest.Server(root, "--log", "off", "--render-workers", "0", "--tcp", "127.0.0.1:0", "--unix", str(socket))
    server.pid = server.process.pid
    body = server.get(TARGET.replace("{t}", "0.5")).body
    found = {"posed HTTP": (server, server.address, "http", TARGET),
             "posed TCP": (server, server.ports["tcp"], "packets", HANDLE),
             "posed Unix socket": (server, f"unix:{socket}", "packets", HANDLE),
             "redis": (peers.redis(bench.folder / "redis", body), None, "resp", "body")}
    for sendfile in ("on", "off"):
        peer = peers.nginx(bench.folder / f"nginx-{sendfile}", sendfile, body)
        found[peer.name] = (peer, None, "http", "/body")
    for one, *_ in found.values():
        peers.pin(one.pid, bench.server_processor)
    return found, len(body)


def ask(bench, place, pipeline):
    server, address, language, target = place
    return peers.load(address or server.address, target, pid=server.pid, processor=bench.client_processor, speak=language,
                      connections=50, pipeline=pipeline, seconds=bench.seconds(0.6), warm_up=bench.seconds(0.1), times=2)


def faster_nginx(row, pipeline):
    """The better of the two, of one round: (value, reasons)."""
    two = [row[f"nginx, sendfile {how}", pipeline] for how in ("on", "off")]
    best = max(two, key=lambda one: one[0]["per_second"])
    return best[0], sorted({reason for _, reasons in two for reason in reasons})


def add_lines(bench, rounds, pipeline, size):
    words = "no pipelining" if pipeline == 1 else f"pipeline {pipeline}"
    rate, late = lambda found: found["per_second"], lambda found: found["p99_ms"] * 1e3
    pairs = [("posed HTTP", "redis", "http_redis" if pipeline == 1 else ""), ("posed HTTP", "nginx", "http_nginx" if pipeline == 1 else ""),
             ("posed TCP", "redis", "tcp_redis" if pipeline == 16 else ""), ("posed Unix socket", "redis", "")]
    for ours, theirs, target in pairs:
        what = f"{ours.removeprefix('posed ')}, palette of {JOINTS} joints, {size} bytes, {words}"
        one, other = (ours, pipeline), (theirs, pipeline)
        bench.add("serving", what, "answers a second", rounds.figure(one, rate), theirs, rounds.figure(other, rate), rounds.ratio(one, other, rate),
                  target, headline=bool(target))
    cost = lambda found: found["cpu_us"]
    for name in ("posed HTTP", "posed TCP", "posed Unix socket"):
        for peer in ("redis", "nginx"):
            bench.add("serving", f"{name.removeprefix('posed ')}, {words}, processor time per answer", "\u00b5s",
                      rounds.figure((name, pipeline), cost), peer, rounds.figure((peer, pipeline), cost),
                      rounds.ratio((peer, pipeline), (name, pipeline), cost))
        bench.add("serving", f"{name.removeprefix('posed ')}, {words}, p50", "\u00b5s",
                  rounds.figure((name, pipeline), lambda found: found["p50_ms"] * 1e3))
        bench.add("serving", f"{name.removeprefix('posed ')}, {words}, p99", "\u00b5s", rounds.figure((name, pipeline), late, LATENCY_SPREAD_MAX),
                  "redis", rounds.figure(("redis", pipeline), late, LATENCY_SPREAD_MAX),
                  rounds.ratio(("redis", pipeline), (name, pipeline), late, 2 * LATENCY_SPREAD_MAX))


def run(bench):
    places, size = start(bench)
    try:
        tasks = {}
        for pipeline in PIPELINES:
            for name, place in places.items():
                tasks[name, pipeline] = task = functools.partial(ask, bench, place, pipeline)
                task.pids = (place[0].pid,) if bench.server_processor is not None else ()
        rounds = bench.interleave(tasks)
    finally:
        for server in {id(place[0]): place[0] for place in places.values()}.values():
            server.end()
    for row in rounds.rows:
        for pipeline in PIPELINES:
            row["nginx", pipeline] = faster_nginx(row, pipeline)
    for pipeline in PIPELINES:
        add_lines(bench, rounds, pipeline, size)
