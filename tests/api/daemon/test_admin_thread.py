"""The port of --admin has a thread of its own. It says whether the server is alive, whatever the other loops do."""
import contextlib
import json
import os
import select

import pytest

from clocks import Clocks
from conftest import Connection, is_sanitized, wait_until
from stand_ins import stand_in_library

DRAWS = False
DEAD_S = 20


@pytest.fixture
def stuck(start, tmp_path):
    """A server whose loop for clients is stuck in accept(), with the clocks that it sees."""
    if is_sanitized():
        pytest.skip("a sanitizer must be loaded first")
    clocks, order = Clocks(tmp_path / "clocks"), tmp_path / "accept"
    libraries = f"{clocks.env['LD_PRELOAD']}:{stand_in_library('accept_stand_in')}"
    server = start("--admin", "127.0.0.1:0", root=tmp_path, env={**clocks.env, "LD_PRELOAD": libraries, "ACCEPT_STAND_IN": str(order)})
    order.write_text("posed\n")  # the thread of the main loop
    with server.connect():
        wait_until(lambda: os.path.exists(f"{order}.stopped"))
        yield server, clocks
    server.process.kill()


def test_the_server_lives_though_a_loop_does_not_answer(stuck):
    server, _ = stuck
    for target in "/livez", "/healthz":
        with Connection(server.ports["admin"]) as one:
            assert one.get(target).json() == {"status": "ok"}


def test_a_loop_that_does_not_turn_for_long_is_told(stuck):
    server, clocks = stuck
    with Connection(server.ports["admin"]) as one:
        clocks.turn(monotonic_s=DEAD_S)
        answer = one.get("/livez")
        assert answer.status == 503 and answer.error() == "unavailable"
        assert "an event loop has not turned for 2" in json.loads(answer.body)["error"]["message"]


def test_what_the_main_loop_knows_is_asked_there(start, tmp_path):
    server = start("--admin", "127.0.0.1:0", "--loops", "64", root=tmp_path)
    with Connection(server.ports["admin"]) as one:
        assert one.get("/readyz").json() == {"status": "ok"} and "posed_build_info" in one.get("/metrics").body.decode()
        assert server.json("/v1/stats")["loops"]["count"] == 64


PLACES = 16


@pytest.fixture
def crowded(start, tmp_path):
    """A server with all places of --admin taken by idle clients that have sent one request each. The first has waited longest."""
    server = start("--admin", "127.0.0.1:0", "--header-timeout", "10min", "--idle-timeout", "10min", root=tmp_path)
    clients = []
    for _ in range(PLACES):
        clients.append(Connection(server.ports["admin"]))
        assert clients[-1].get("/livez").status == 200
    yield server, clients
    for client in clients:
        client.socket.close()


def test_a_probe_gets_in_beside_idle_clients(crowded):
    server, clients = crowded
    for _ in range(3):
        with Connection(server.ports["admin"]) as probe:
            assert probe.get("/livez").json() == {"status": "ok"}
    assert clients[0].is_closed_by_server()
    assert clients[-1].get("/livez").status == 200


@pytest.mark.parametrize("sent", ["", "G", "GET /livez HTTP/1.1\r\nHost: localhost\r\n",
                                  "POST /livez HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n1"],
                         ids=["nothing", "a letter", "a head", "a body"])
def test_a_probe_gets_in_beside_clients_that_stop_halfway(start, tmp_path, sent):
    server = start("--admin", "127.0.0.1:0", "--header-timeout", "10min", "--body-timeout", "10min", root=tmp_path)
    with contextlib.ExitStack() as stack:
        for _ in range(2 * PLACES):
            client = stack.enter_context(Connection(server.ports["admin"]))
            with contextlib.suppress(ConnectionError):  # if it was closed for another one
                client.send(sent)
        for target in "/livez", "/readyz":
            with Connection(server.ports["admin"]) as probe:
                assert probe.get(target).status == 200


def test_a_request_under_way_does_not_make_way(stuck):
    """The loop that knows the answer is stuck. Clients that arrive meanwhile replace each other."""
    server, _ = stuck
    with Connection(server.ports["admin"]) as asking:
        asking.send("GET /readyz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        for _ in range(3 * PLACES):
            with Connection(server.ports["admin"]) as probe:
                assert probe.get("/livez").status == 200
        others = [Connection(server.ports["admin"]) for _ in range(2 * PLACES)]
        assert others[0].is_closed_by_server()
        assert not select.select([asking.socket], [], [], 0)[0]
        for other in others:
            other.socket.close()
