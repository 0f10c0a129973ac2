"""--client-memory: the server checks for room before it makes an answer."""
import json

import pytest

import crowds
import large_requests
import raycasts
from conftest import SAMPLES
from raw_requests import post
from server_state import wait_for_stats
from small_models import gltf

DRAWS = False
MIB = 1 << 20


@pytest.fixture
def full(start):
    """A server whose memory for clients is taken by one client's body."""
    server = start("--client-memory", "3m", "--max-answer", "1m", root=SAMPLES)
    assert server.get("/v1/model?model=robot.glb").status == 200
    with server.connect() as one, server.connect() as another, server.connect() as third:
        for sender in one, another, third:
            sender.send("POST /v1/mesh HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                        f"Content-Length: {MIB}\r\n\r\n" + (MIB - 1) * " ")
        wait_for_stats(server, lambda stats: stats["client_memory"]["bytes"] >= 3 * MIB - 70000)
        yield server


def poses(server):
    stats = server.json("/v1/stats")["poses"]
    return stats["compiled"] + stats["exact"]


@pytest.mark.parametrize("ask", [
    lambda server: server.get("/v1/palette?model=robot.glb&clip=walk&format=bin&t=0:1:60"),
    lambda server: server.get("/v1/pose?model=robot.glb&clip=walk&format=bin&what=scene&t=0:1:120"),
    lambda server: post(server, "/v1/crowd", large_requests.crowd(entity=crowds.record("ENTITY") * 60)),
], ids=["palette", "pose", "crowd"])
def test_nothing_is_made_that_has_no_room(full, ask):
    before = poses(full)
    answers = [ask(full) for _ in range(20)]
    assert [(answer.status, answer.error()) for answer in answers] == [(503, "overloaded")] * 20
    assert poses(full) == before


def test_large_requests_leave_room_for_answers(start):
    """The data of a raycast in JSON takes far more memory than its text, and the answers need some, too."""
    server = start("--client-memory", "6m", "--max-answer", "1m", root=SAMPLES)
    body = json.dumps({"entities": [{"model": "robot.glb"}] * 8000, "rays": large_requests.rays(1)}).encode()
    for _ in range(2):
        answer = post(server, "/v1/raycast", body)
        assert (answer.status, answer.error()) == (503, "overloaded") and "half of --client-memory" in answer.json()["error"]["message"]
    fewer = json.dumps({"entities": [{"model": "robot.glb"}] * 1000, "rays": large_requests.rays(1)}).encode()
    for _ in range(20):  # each gives its memory back
        assert post(server, "/v1/raycast", fewer).status == 200
    binary = raycasts.raycast([{"model": 0, "layers": []}] * 4000, large_requests.rays(1), [("robot.glb", 0)])
    assert post(server, "/v1/raycast", binary).status == 200  # it takes about as much memory as its body


def test_batches_do_not_wait_for_each_others_memory(start, tmp_path):
    """Together they hold more parts than the memory has room for. Each gets its turn long before the queue gives up."""
    (tmp_path / "a.gltf").write_text(gltf(triangles=5000))
    server = start("--client-memory", "8m", "--max-answer", "4m", root=tmp_path)
    body = json.dumps({"queries": [{"op": "mesh", "model": "a.gltf", "t": [0]}] * 26}).encode()
    alone = post(server, "/v1/query", body)
    assert alone.status == 200 and len(alone.body) > 2 * MIB and not any("error" in one for one in alone.json()["results"])
    connections = [server.connect() for _ in range(8)]
    for one in connections:
        one.send(f"POST /v1/query HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n" + body.decode())
    assert [one.answer().body == alone.body for one in connections] == [True] * 8
    assert server.json("/v1/stats")["answers"]["refused"] == 0
