"""/v1/stats: it has every row of protocol/stats.def, and each counts the right events."""
import os
import re
import signal
import socket
import struct

import pytest

from conftest import REPOSITORY
from server_state import wait_for_stats, workers
from small_models import gltf

DRAWS = False

pytestmark = pytest.mark.short
ROWS = re.findall(r'^X\(\w+, (COUNTER|GAUGE), "(\w+)", "(\w+)"', (REPOSITORY / "protocol" / "stats.def").read_text(), re.M)
BY_CODE = {("requests", "errors"), ("imports", "failed"), ("renders", "failed")}


def test_has_every_row(server):
    stats = server.json("/v1/stats")
    assert len(ROWS) > 20
    assert {(group, name) for group in stats for name in stats[group]} == {row[1:] for row in ROWS} | BY_CODE
    assert all(isinstance(stats[group][name], int) for _, group, name in ROWS)


def test_counters_never_fall(server):
    before = server.json("/v1/stats")
    server.get("/v1/model?model=none.glb")
    after = server.json("/v1/stats")
    assert all(after[group][name] >= before[group][name] for kind, group, name in ROWS if kind == "COUNTER")


def test_takes_no_parameter_and_is_not_kept(server):
    answer = server.get("/v1/stats")
    assert answer.headers["cache-control"] == "no-store"
    assert server.get("/v1/stats?x=1").error() == "unknown_parameter"


def test_counts_requests_and_connections(start):
    server = start()
    assert server.get("/nothing").status == 404
    with server.connect() as one:
        assert [one.get("/nowhere").status for _ in range(2)] == [404, 404]
        stats = one.get("/v1/stats").json()
    assert stats["requests"] == {"answered": 3, "not_modified": 0, "repeated": 0, "abandoned": 0, "errors": {"not_found": 3}}
    assert stats["connections"]["accepted"] == 2 and stats["connections"]["refused"] == 0
    wait_for_stats(server, lambda stats: stats["connections"]["open"] == 1)  # the one that asks


def test_counts_imports_and_the_cache(start, tmp_path):
    (tmp_path / "a.gltf").write_text(gltf())
    (tmp_path / "bad.gltf").write_text("{}")
    server = start("--render-workers", "0", root=tmp_path)
    tag = server.get("/v1/model?model=a.gltf").headers["etag"]
    assert server.get("/v1/pose?model=a.gltf").status == 200
    assert server.get("/v1/model?model=a.gltf", f"If-None-Match: {tag}").status == 304
    code = server.get("/v1/model?model=bad.gltf").error()
    stats = server.json("/v1/stats")
    assert (stats["imports"]["started"], stats["imports"]["running"], stats["imports"]["waiting"]) == (2, 0, 0)
    assert stats["imports"]["failed"] == {code: 1} and stats["requests"]["errors"] == {code: 1}
    assert stats["requests"]["not_modified"] == 1
    cache = stats["cache"]
    assert (cache["models"], cache["hits"], cache["misses"], cache["evicted"]) == (1, 2, 2, 0) and cache["bytes"] > 0


def test_counts_pictures(start, tmp_path):
    (tmp_path / "a.gltf").write_text(gltf())
    server = start("--render-workers", "1", root=tmp_path)
    for yaw in range(3):
        assert server.get(f"/v1/render?model=a.gltf&yaw={yaw}").status == 200
    renders = server.json("/v1/stats")["renders"]
    assert (renders["started"], renders["running"], renders["waiting"], renders["workers_ended"]) == (3, 0, 0, 0)
    worker, = workers(server)
    os.kill(worker, signal.SIGSTOP)
    with server.connect() as one:
        one.send("GET /v1/render?model=a.gltf&yaw=5 HTTP/1.1\r\nHost: localhost\r\n\r\n")
        wait_for_stats(server, lambda stats: stats["renders"]["started"] == 4)
        one.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))  # close by reset
    wait_for_stats(server, lambda stats: stats["requests"]["abandoned"] == 1)
    os.kill(worker, signal.SIGCONT)
