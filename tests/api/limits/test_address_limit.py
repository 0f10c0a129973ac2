"""--max-connections-per-address: one client leaves room for others."""
import contextlib
import socket

import pytest

from conftest import PATIENCE_S, Connection, wait_until

DRAWS = False
LIMIT, TOLD = ("--max-connections-per-address", "3"), 16


class From(Connection):
    """A connection from another loopback address."""

    def __init__(self, address, client):
        host, port = address.rsplit(":", 1)
        self.socket = socket.create_connection((host, int(port)), PATIENCE_S, source_address=(client, 0))
        self.unread = b""


@contextlib.contextmanager
def connections(server, count):
    with contextlib.ExitStack() as stack:
        some = [stack.enter_context(server.connect()) for _ in range(count)]
        assert all(one.get("/healthz").status == 200 for one in some)
        yield some


@pytest.mark.short
@pytest.mark.parametrize("loops", ("1", "3"))
def test_one_address_has_so_many_and_others_theirs(start, loops):
    server = start(*LIMIT, "--loops", loops)
    with connections(server, 3):
        refused = server.get("/healthz")
        assert refused.status == 503 and refused.error() == "overloaded"
        assert "--max-connections-per-address 3" in refused.json()["error"]["message"]
        with From(server.address, "127.0.0.2") as other:
            assert other.get("/healthz").status == 200
            assert other.get("/v1/stats").json()["connections"]["refused"] == 1

    def is_there_room():
        with server.connect() as one:
            return one.get("/healthz").status == 200
    wait_until(is_there_room)


def test_few_are_told_and_the_rest_is_closed(start):
    """Clients that are told of the limit wait for the message. There are few places for that."""
    server = start(*LIMIT, "--tcp", "127.0.0.1:0")
    with connections(server, 3), contextlib.ExitStack() as stack:
        # A port for packets waits for the first byte before it answers.
        waiting = [stack.enter_context(Connection(server.ports["tcp"])) for _ in range(TOLD)]
        with From(server.address, "127.0.0.2") as other:
            wait_until(lambda: other.get("/v1/stats").json()["connections"]["open"] == 3 + TOLD + 1)
        for _ in range(3):
            with Connection(server.ports["tcp"]) as one:
                assert one.is_closed_by_server()
        assert waiting[0].get("/healthz").error() == "overloaded"


@pytest.mark.short
def test_not_of_trusted_proxies_unix_sockets_and_admin(start, tmp_path):
    server = start(*LIMIT, "--trusted-proxy", "127.0.0.2", "--unix", str(tmp_path / "socket"), "--admin", "127.0.0.1:0", root=tmp_path)
    with connections(server, 3), contextlib.ExitStack() as stack:
        proxies = [stack.enter_context(From(server.address, "127.0.0.2")) for _ in range(5)]
        watchers = [stack.enter_context(Connection(server.ports["admin"])) for _ in range(5)]
        assert all(one.get("/healthz").status == 200 for one in proxies + watchers)
        for _ in range(5):
            one = stack.enter_context(socket.socket(socket.AF_UNIX))
            one.connect(str(tmp_path / "socket"))
            one.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
            assert one.recv(100).startswith(b"HTTP/1.1 200 ")
