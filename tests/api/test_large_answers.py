"""Answers that take long to make are made beside the loop: others are served meanwhile, and nothing else changes."""
import signal
import time

import pytest

from importers import NO_RENDERING
from small_models import gltf

pytestmark = pytest.mark.short
MESH = "/v1/mesh?model=a.gltf&t=0:39:1"  # forty frames of 60000 vertices


@pytest.fixture
def server(start, tmp_path):
    root = tmp_path / "root"
    root.mkdir()
    (root / "a.gltf").write_text(gltf(x=0.25, triangles=20000))
    running = start(*NO_RENDERING, root=root)
    assert running.get("/v1/model?model=a.gltf").status == 200
    return running


def test_many_frames_are_the_single_ones(server):
    many = server.get("/v1/palette?model=a.gltf&t=0:99.99:100").json()["frames"]
    assert len(many) == 10000
    assert many[7] == server.get("/v1/palette?model=a.gltf&t=0.07").json()["frames"][0]
    whole = server.get(MESH)
    assert whole.status == 200 and len(whole.json()["frames"]) == 40 and whole.headers["etag"]
    assert server.get(MESH, f"If-None-Match: {whole.headers['etag']}").status == 304
    assert server.get(MESH, "If-None-Match: *").status == 304


def test_others_are_served_meanwhile(server):
    began = time.monotonic()
    assert server.get(MESH).status == 200
    alone_s = time.monotonic() - began
    large = [server.connect() for _ in range(4)]
    for one in large:
        one.send(f"HEAD {MESH} HTTP/1.1\r\nHost: x\r\n\r\n")
    waits = []
    with server.connect() as small:
        end = time.monotonic() + 1.5 * alone_s
        while time.monotonic() < end:
            began = time.monotonic()
            assert small.get("/v1/palette?model=a.gltf&t=0.5").status == 200
            waits.append(time.monotonic() - began)
    assert [one.answer(is_head=True).status for one in large] == [200] * 4
    for one in large:
        one.socket.close()
    # the median: on a busy machine a single one may wait for its turn
    assert sorted(waits)[len(waits) // 2] < alone_s / 4, (waits, alone_s)


def test_too_large_is_refused(server):
    answer = server.get("/v1/mesh?model=a.gltf&t=0:9999:1")
    assert (answer.status, answer.error()) == (400, "too_many_frames")


def test_stopping_during_large_answers(server):
    large = [server.connect() for _ in range(4)]
    for one in large:
        one.send(f"GET {MESH} HTTP/1.1\r\nHost: x\r\n\r\n")
    time.sleep(0.05)
    server.signal(signal.SIGTERM)
    assert [one.answer().status for one in large] == [200] * 4
    assert server.wait() == 0
    for one in large:
        one.socket.close()


def test_clients_that_leave(server):
    for _ in range(6):
        with server.connect() as one:
            one.send(f"GET {MESH} HTTP/1.1\r\nHost: x\r\n\r\n")
    assert server.get("/v1/palette?model=a.gltf").status == 200
    server.signal(signal.SIGTERM)
    assert server.wait() == 0
