"""Many requests that wait for one thing, an import or a walk: when it ends, each turn of the loop makes some of their answers, in processor
time of the loop's thread, which the server itself reads. All of them together take four times the bound, and the share of a turn is a twentieth of it."""
import os
import shutil
import signal
import socket
import struct

import pytest

from conftest import SAMPLES, is_sanitized, wait_until
from importers import install_waiting
from raw_requests import ask, file_limit, final_answer
from server_state import wait_for_stats
from small_models import gltf

DRAWS = False
COUNT, LISTINGS, MODELS = 400, 800, 4000
LONGEST_US = 80000
POSE = "/v1/pose?model=dragon.glb&clip=0&t={}:{}:45"


def target(n):
    return POSE.format(n / 1000, n / 1000 + 1)


@pytest.fixture
def waiting(start, tmp_path):
    """A server, the file that lets its import go on, and connections whose requests wait for that."""
    if os.environ.get("POSED_SERVER") or not file_limit(COUNT):
        pytest.skip("needs a server of its own and many descriptors")
    root = tmp_path / "root"
    root.mkdir()
    shutil.copy(SAMPLES / "dragon.glb", root)
    options, go = install_waiting(tmp_path / "bin", "*dragon.glb")
    server = start(*options, root=root)
    connections = [ask(server, target(n)) for n in range(COUNT)]
    wait_for_stats(server, lambda stats: stats["imports"]["shared"] == COUNT - 1)
    yield server, go, connections
    for connection in connections:
        connection.socket.close()


def longest_turn_us(server):
    return server.json("/v1/stats")["loops"]["longest_turn_us"]


def expect_short_turns(server):
    if not is_sanitized():  # which takes many times the processor time
        assert longest_turn_us(server) < LONGEST_US


def test_those_who_wait_for_an_import_share_turns(waiting):
    server, go, connections = waiting
    go.touch()
    answers = [final_answer(connection) for connection in connections]
    expect_short_turns(server)
    assert [answer.status for answer in answers] == [200] * COUNT
    for n in range(0, COUNT, 40):
        assert answers[n].body == server.get(target(n)).body
    assert len({answer.body for answer in answers}) == COUNT


def test_those_who_leave_meanwhile_leave_others_their_answers(waiting):
    server, go, connections = waiting
    go.touch()
    first = final_answer(connections[0])
    for connection in connections[COUNT // 2:]:
        connection.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        connection.socket.close()
    answers = [first, *(final_answer(connection) for connection in connections[1:COUNT // 2])]
    assert [answer.status for answer in answers] == [200] * (COUNT // 2)
    assert answers[-1].body == server.get(target(COUNT // 2 - 1)).body
    wait_until(lambda: server.json("/v1/stats")["connections"]["open"] == 1)


def test_a_drain_answers_all_that_wait(waiting):
    server, go, connections = waiting
    go.touch()
    first = final_answer(connections[0])
    server.signal(signal.SIGTERM)
    answers = [first, *(final_answer(connection) for connection in connections[1:])]
    assert [answer.status for answer in answers] == [200] * COUNT
    assert server.wait() == 0


def test_a_failed_import_is_told_to_all(start, tmp_path):
    if not file_limit(COUNT):
        pytest.skip("needs many descriptors")
    root = tmp_path / "root"
    root.mkdir()
    (root / "bad.gltf").write_text("{")
    options, go = install_waiting(tmp_path / "bin")
    server = start(*options, root=root)
    connections = [ask(server, f"/v1/pose?model=bad.gltf&t={n}") for n in range(COUNT)]
    wait_for_stats(server, lambda stats: stats["imports"]["shared"] == COUNT - 1)
    go.touch()
    answers = [final_answer(connection) for connection in connections]
    assert {(answer.status, answer.error()) for answer in answers} == {(422, "bad_model")}
    expect_short_turns(server)


def test_those_who_wait_for_a_walk_share_turns(start, tmp_path):
    """While the server is stopped all of them come, so that they are read before the walk of the first can end."""
    if not file_limit(LISTINGS):
        pytest.skip("needs many descriptors")
    root = tmp_path / "root"
    root.mkdir()
    for n in range(MODELS):
        (root / f"{n:04d}.gltf").touch()
    server = start("--list-queue", str(LISTINGS), root=root)
    connections = [server.connect() for _ in range(LISTINGS)]
    server.signal(signal.SIGSTOP)
    for connection in connections:
        connection.send("GET /v1/models HTTP/1.1\r\nHost: localhost\r\n\r\n")
    server.signal(signal.SIGCONT)
    answers = [final_answer(connection) for connection in connections]
    expect_short_turns(server)
    assert {answer.status for answer in answers} == {200} and len({answer.body for answer in answers}) == 1
    assert len(answers[0].json()["models"]) == 1000
