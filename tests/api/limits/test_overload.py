"""More work than the server can do: it does equal work once, drops work that nobody waits for, limits its queues, and answers small
requests meanwhile."""
import os
import signal
import socket
import struct
import time

import pytest

import conftest
from importers import SLOW_A, install, install_waiting, pid_in, wait_for_imports
from raw_requests import ask, final_answer
from server_state import wait_for_stats, workers
from small_models import gltf

pytestmark = pytest.mark.short
PICTURE = "/v1/render?model=a.gltf"


@pytest.fixture
def root(tmp_path):
    folder = tmp_path / "root"
    folder.mkdir()
    for name in "abcdef":
        (folder / f"{name}.gltf").write_text(gltf(x=ord(name)))
    return folder


@pytest.fixture
def stopped(start, root):
    """A server whose one render worker has been stopped; .go() lets it go on."""
    server = start("--render-workers", "1", "--render-queue", "2", root=root)
    assert server.get(PICTURE).status == 200
    pid = workers(server)[0]
    os.kill(pid, signal.SIGSTOP)
    server.go = lambda: os.kill(pid, signal.SIGCONT)
    yield server
    try:
        server.go()
    except ProcessLookupError:
        pass


def reset(connection):
    connection.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.socket.close()


def close(connection):
    connection.socket.close()


def renders(server, **values):
    """Waits until the statistics of pictures have these values."""
    return wait_for_stats(server, lambda stats: values.items() <= stats["renders"].items())["renders"]


# --- the same thing is done once ---

def test_same_pictures_are_drawn_once(stopped):
    target = PICTURE + "&yaw=5"
    first = ask(stopped, target)
    renders(stopped, running=1)
    others = [ask(stopped, target) for _ in range(5)] + [ask(stopped, "/v1/render?yaw=5.0&model=a.gltf")]
    head = ask(stopped, target, method="HEAD")
    other = ask(stopped, PICTURE + "&yaw=6")
    renders(stopped, shared=7, running=1, waiting=1)
    stopped.go()
    answers = [final_answer(one) for one in [first, *others]]
    assert {(one.status, one.body, one.headers["etag"]) for one in answers} == \
        {(200, answers[0].body, answers[0].headers["etag"])}
    assert answers[0].body.startswith(b"\x89PNG") and len({one.headers["x-request-id"] for one in answers}) == 7
    head = final_answer(head, is_head=True)
    assert (head.status, head.headers["content-length"]) == (200, str(len(answers[0].body)))
    different = final_answer(other)
    assert different.status == 200 and different.headers["etag"] != answers[0].headers["etag"]
    assert renders(stopped, running=0)["started"] == 3  # with the one of the fixture
    again = stopped.get(target)
    assert again.body == answers[0].body


def test_same_pictures_wait_in_one_place_of_the_queue(stopped):
    running = ask(stopped, PICTURE + "&yaw=1")
    renders(stopped, running=1)
    queued = [ask(stopped, PICTURE + f"&yaw={yaw}") for yaw in (2, 3, 2, 3, 2, 3)]
    renders(stopped, waiting=2, shared=4)
    refused = stopped.get(PICTURE + "&yaw=4")
    assert (refused.status, refused.error()) == (503, "overloaded") and int(refused.headers["retry-after"]) > 0
    assert stopped.json("/v1/stats")["renders"]["refused"] == 1
    assert stopped.get("/v1/palette?model=a.gltf").status == 200
    stopped.go()
    assert [final_answer(one).status for one in [running, *queued]] == [200] * 7


def test_who_leaves_a_shared_picture_does_not_take_it_along(stopped):
    first = ask(stopped, PICTURE + "&yaw=1")
    renders(stopped, running=1)
    second, third = ask(stopped, PICTURE + "&yaw=1"), ask(stopped, PICTURE + "&yaw=2")
    fourth = ask(stopped, PICTURE + "&yaw=2")
    renders(stopped, shared=2, waiting=1)
    reset(first)
    reset(third)
    wait_for_stats(stopped, lambda stats: stats["requests"]["abandoned"] == 2)
    stopped.go()
    assert [final_answer(one).status for one in (second, fourth)] == [200, 200]
    assert renders(stopped, running=0)["cancelled"] == 0


def test_models_in_memory_are_answered_beside_full_import_queues(start, root, tmp_path):
    pids = tmp_path / "pids"
    options = install(tmp_path / "bin", SLOW_A.replace("{pids}", str(pids)))
    server = start(*options, "--import-workers", "1", "--import-queue", "1", root=root)
    assert server.get("/v1/palette?model=b.gltf").status == 200
    clients = [ask(server, "/v1/palette?model=a.gltf")]
    importer = pid_in(pids)
    clients.append(ask(server, "/v1/palette?model=c.gltf"))
    wait_for_imports(server, running=1, waiting=1)
    refused = server.get("/v1/palette?model=d.gltf")
    assert (refused.status, refused.error()) == (503, "overloaded") and int(refused.headers["retry-after"]) > 0
    with server.connect() as connection:
        for i in range(100):
            assert connection.get(f"/v1/palette?model=b.gltf&t={i}").status == 200
    assert wait_for_imports(server, running=1, waiting=1)["started"] == 2
    os.kill(importer, signal.SIGKILL)
    assert [final_answer(one).status for one in clients] == [503, 200]


# --- what nobody waits for is not done ---

@pytest.mark.parametrize("leave", [reset, close])
def test_queued_picture_of_a_client_that_left(stopped, leave):
    first = ask(stopped, PICTURE + "&yaw=1")
    renders(stopped, running=1)
    gone = [ask(stopped, PICTURE + f"&yaw={yaw}") for yaw in (2, 3)]
    renders(stopped, waiting=2)
    for one in gone:
        leave(one)
    renders(stopped, waiting=0, cancelled=2)
    queued = ask(stopped, PICTURE + "&yaw=4")  # there is room again
    renders(stopped, waiting=1)
    stopped.go()
    assert [final_answer(one).status for one in (first, queued)] == [200, 200]
    assert renders(stopped, running=0)["started"] == 3


def test_running_picture_that_nobody_waits_for_makes_room(stopped):
    reset(ask(stopped, PICTURE + "&yaw=1"))
    wait_for_stats(stopped, lambda stats: stats["requests"]["abandoned"] == 1)
    assert renders(stopped, running=1)["cancelled"] == 0  # it is in no other request's way
    assert stopped.get(PICTURE + "&yaw=2").status == 200  # although the worker never went on
    stats = renders(stopped, running=0, cancelled=1)
    assert (stats["workers_ended"], stats["failed"]) == (1, {})
    assert not any(" warn " in line and "sandbox:" not in line for line in stopped.lines())


def test_picture_that_is_wanted_again_in_time_is_not_ended(stopped):
    reset(ask(stopped, PICTURE + "&yaw=1"))
    wait_for_stats(stopped, lambda stats: stats["requests"]["abandoned"] == 1)
    again, other = ask(stopped, PICTURE + "&yaw=1"), ask(stopped, PICTURE + "&yaw=2")
    renders(stopped, shared=1, waiting=1)
    stopped.go()
    assert [final_answer(one).status for one in (again, other)] == [200, 200]
    assert renders(stopped, running=0, cancelled=0)["workers_ended"] == 0


def is_alive(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as stat:
            return stat.read().rsplit(")", 1)[1].split()[0] not in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return False


@pytest.mark.parametrize("leave", [reset, close])
def test_running_import_that_nobody_waits_for_makes_room(start, root, tmp_path, leave):
    pids = tmp_path / "pids"
    options = install(tmp_path / "bin", SLOW_A.replace("{pids}", str(pids)))
    server = start(*options, "--import-workers", "1", root=root)
    gone = ask(server, "/v1/palette?model=a.gltf")
    importer = pid_in(pids)
    leave(gone)
    wait_for_stats(server, lambda stats: stats["requests"]["abandoned"] == 1)
    assert wait_for_imports(server, running=1)["cancelled"] == 0 and is_alive(importer)
    assert server.get("/v1/palette?model=b.gltf").status == 200
    assert wait_for_imports(server, running=0, cancelled=1)["failed"] == {}
    conftest.wait_until(lambda: not is_alive(importer), "the importer lives on")
    states = {one["model"]: one["state"] for one in server.json("/v1/models")["models"]}
    assert (states["a.gltf"], states["b.gltf"]) == ("new", "ready")


def test_import_that_is_in_nobodys_way_goes_on(start, root, tmp_path):
    options, go = install_waiting(tmp_path / "bin")
    server = start(*options, "--import-workers", "1", root=root)
    gone = ask(server, "/v1/palette?model=a.gltf")
    wait_for_imports(server, running=1)
    reset(gone)
    wait_for_stats(server, lambda stats: stats["requests"]["abandoned"] == 1)
    go.touch()
    wait_for_stats(server, lambda stats: stats["cache"]["models"] == 1)
    assert server.get("/v1/palette?model=a.gltf").status == 200
    assert wait_for_imports(server)["started"] == 1


def test_queued_imports_of_clients_that_left(start, root, tmp_path):
    pids = tmp_path / "pids"
    options = install(tmp_path / "bin", SLOW_A.replace("{pids}", str(pids)))
    server = start(*options, "--import-workers", "1", "--import-queue", "3", root=root)
    running = ask(server, "/v1/palette?model=a.gltf")
    importer = pid_in(pids)
    gone = [ask(server, f"/v1/palette?model={name}.gltf") for name in "bc"]
    body = '{"queries":[{"op":"pose","model":"b.gltf"},{"op":"pose","model":"d.gltf"}]}'
    batch = server.connect()
    batch.send(f"POST /v1/query HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n\r\n{body}")
    wait_for_imports(server, waiting=3)
    refused = server.get("/v1/palette?model=e.gltf")
    assert (refused.status, refused.error()) == (503, "overloaded") and int(refused.headers["retry-after"]) > 0
    assert wait_for_imports(server)["refused"] == 1
    for one in [*gone, batch]:
        reset(one)
    assert wait_for_imports(server, waiting=0, cancelled=3)["started"] == 1
    queued = ask(server, "/v1/palette?model=e.gltf")
    wait_for_imports(server, waiting=1)
    os.kill(importer, signal.SIGKILL)
    assert final_answer(running).error() == "import_killed" and final_answer(queued).status == 200


def test_large_answers_wait_in_a_queue(start, root):
    """Two are evaluated at a time and others wait. The server never begins those whose clients leave."""
    (root / "large.gltf").write_text(gltf(triangles=20000))
    server = start("--render-workers", "0", "--answer-queue", "3", root=root)
    assert server.get("/v1/model?model=large.gltf").status == 200
    clients = [ask(server, f"/v1/mesh?model=large.gltf&t={i}:{i + 60}:1", method="HEAD") for i in range(5)]
    stats = wait_for_stats(server, lambda stats: stats["answers"]["started"] + stats["answers"]["waiting"] == 5)
    if stats["answers"]["waiting"] == 3:  # a fast machine may have made one already
        refused = server.get("/v1/mesh?model=large.gltf&t=9:69:1", method="HEAD")
        assert refused.status in (200, 503)
    for one in clients[3:]:
        reset(one)
    assert [final_answer(one, is_head=True).status for one in clients[:3]] == [200] * 3
    stats = wait_for_stats(server, lambda stats: stats["answers"]["running"] == stats["answers"]["waiting"] == 0)
    assert stats["answers"]["started"] + stats["answers"]["cancelled"] >= 5


def test_large_answer_of_a_client_that_left_ends(start, root):
    (root / "large.gltf").write_text(gltf(triangles=20000))
    server = start("--render-workers", "0", "--max-evaluations", "1000000000", "--max-answer", "4g", "--client-memory", "8g", root=root)
    assert server.get("/v1/model?model=large.gltf").status == 200
    # All its frames are made, and counted, before the answer begins: about 6 seconds.
    gone = ask(server, "/v1/mesh?model=large.gltf&t=0:2999:1", method="HEAD")
    wait_for_stats(server, lambda stats: stats["answers"]["running"] == 1)
    reset(gone)
    stats = wait_for_stats(server, lambda stats: stats["answers"]["running"] == 0)
    assert stats["answers"]["cancelled"] == 1 and stats["requests"]["abandoned"] == 1


# --- clients that shut down one side only, and the end ---

@pytest.mark.parametrize("version", ["1.0", "1.1"])
def test_half_closed_client_gets_a_slow_answer(start, root, tmp_path, version):
    options, go = install_waiting(tmp_path / "bin")
    server = start(*options, root=root)
    connection = ask(server, "/v1/palette?model=a.gltf", version=version)
    connection.socket.shutdown(socket.SHUT_WR)
    beginning = connection.socket.recv(9)  # the beginning of every answer is sent ahead: a client that had left would have reset the connection
    assert beginning == b"HTTP/1.1 "
    connection.unread = beginning
    go.touch()
    assert connection.answer().status == 200 and connection.is_closed_by_server()


def test_pipelined_requests_of_a_client_that_left(stopped):
    one = stopped.connect()
    one.send("".join(f"GET {PICTURE}&yaw={yaw} HTTP/1.1\r\nHost: localhost\r\n\r\n" for yaw in range(1, 5)))
    renders(stopped, running=1)
    reset(one)
    wait_for_stats(stopped, lambda stats: stats["requests"]["abandoned"] == 1 and stats["connections"]["open"] == 1)
    stopped.go()
    assert renders(stopped, running=0)["started"] == 2  # those after the first were never begun


def test_stopping_with_full_queues(stopped):
    clients = [ask(stopped, PICTURE + f"&yaw={yaw}") for yaw in (1, 2, 3)]
    renders(stopped, running=1, waiting=2)
    stopped.signal(signal.SIGTERM)
    stopped.wait_for_line("stopping on SIGTERM")
    stopped.go()
    answers = [final_answer(one) for one in clients]
    assert [(one.status, one.headers["connection"]) for one in answers] == [(200, "close")] * 3
    assert stopped.wait() == 0


def test_stopping_has_an_end_with_full_queues(start, root):
    server = start("--render-workers", "1", "--drain-timeout", "500ms", root=root)
    assert server.get(PICTURE).status == 200
    pid = workers(server)[0]
    os.kill(pid, signal.SIGSTOP)
    clients = [ask(server, PICTURE + f"&yaw={yaw}") for yaw in (1, 2, 3)]
    renders(server, running=1, waiting=2)
    server.signal(signal.SIGTERM)
    assert server.wait() == 0
    assert [one.answer() for one in clients] == [None] * 3
    conftest.wait_until(lambda: not is_alive(pid), "the renderer lives on")
