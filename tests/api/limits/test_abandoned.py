"""Clients that leave before their answer: queued work for them is dropped, and nothing remains."""
import signal
import socket
import struct

import pytest

from conftest import wait_until
from small_models import gltf

pytestmark = pytest.mark.short
CLIENTS = 20


def test_abandoned_pictures(start, tmp_path):
    root = tmp_path / "root"
    root.mkdir()
    (root / "a.gltf").write_text(gltf())
    server = start("--render-workers", "1", root=root)
    assert server.get("/v1/render?model=a.gltf").status == 200
    for i in range(CLIENTS):
        with server.connect() as one:
            one.send(f"GET /v1/render?model=a.gltf&width=1024&height=1024&yaw={i} HTTP/1.1\r\nHost: localhost\r\n\r\n")
            server.get("/healthz")  # by now the picture is queued or being drawn
            one.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))  # close by reset
    assert server.get("/v1/render?model=a.gltf&yaw=77").status == 200
    answered = lambda: sum("path=/v1/render" in line for line in server.lines())
    wait_until(lambda: answered() >= CLIENTS + 2, "a request is not in the log")
    dropped = sum("path=/v1/render" in line and "status=499" in line for line in server.lines())
    assert answered() == CLIENTS + 2 and dropped > 0
    server.signal(signal.SIGTERM)
    assert server.wait() == 0
