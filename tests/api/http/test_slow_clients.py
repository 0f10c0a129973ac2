"""Clients that read slowly, send slowly or do nothing: they cost other clients time at most, and the server a limited amount of memory."""
import json
import resource
import select
import socket
import subprocess
import time

import pytest

import packets
from conftest import BUILD, PATIENCE_S, is_sanitized, wait_until as wait_for
from raw_requests import connect_many, file_limit, post
from server_state import memory_kib, wait_for_stats
from small_models import gltf

DRAWS = False

pytestmark = pytest.mark.short
MIB = 1 << 20
LARGE = "/v1/mesh?model=large.gltf&t=0:19:1"  # twenty frames of 15000 vertices: about 3.5 MB
MIDDLE = "/v1/mesh?model=large.gltf&format=bin"  # one frame, of 180 KB: made on the loop
SMALL = "/v1/palette?model=large.gltf"


@pytest.fixture
def slow(start, tmp_path):
    """slow(*options): a server with large.gltf in memory and 8 MiB for all clients."""
    root = tmp_path / "root"
    root.mkdir()
    (root / "large.gltf").write_text(gltf(x=0.25, triangles=5000))

    def begin(*options, memory="8m", answer="4m"):
        server = start("--render-workers", "0", "--client-memory", memory, "--max-answer", answer, *options, root=root)
        assert server.get(SMALL).status == 200
        return server

    return begin


def ask(server, target):
    """A client that does not read for now."""
    connection = server.connect(receive_bytes=16384)
    connection.send(f"GET {target} HTTP/1.1\r\nHost: localhost\r\n\r\n")
    return connection


def memory(server):
    return server.json("/v1/stats")["client_memory"]


@pytest.mark.skipif(is_sanitized(), reason="a sanitizer keeps freed memory")
def test_answers_that_nobody_reads_have_a_budget(slow):
    server = slow("--write-timeout", "1s", "--answer-queue", "64")
    size = len(server.get(LARGE).body)
    assert 2 * MIB < size < 4 * MIB
    before_kib = memory_kib(server)
    clients = [ask(server, LARGE) for _ in range(24)]
    deadline = time.monotonic() + 3 * PATIENCE_S
    while True:
        stats = server.json("/v1/stats")
        assert stats["client_memory"]["bytes"] <= 8 * MIB + MIB  # 24 answers are ten times as much
        assert server.get(SMALL).status == 200
        if stats["answers"]["started"] == 25 and stats["connections"]["open"] == 1:
            break
        assert time.monotonic() < deadline, stats
        time.sleep(0.02)
    assert (memory_kib(server) - before_kib) / 1024 < 60
    assert stats["connections"]["timed_out"] == 24 and memory(server)["bytes"] < MIB
    for one in clients:
        one.socket.close()
    assert len(server.get(LARGE).body) == size


def test_large_answers_wait_for_room(slow):
    server = slow()
    clients = []
    for count in range(1, 13):  # the server has them in the order in which they are read below: those that wait are last
        clients.append(ask(server, LARGE))
        wait_for_stats(server, lambda stats, count=count: stats["answers"]["started"] + stats["answers"]["waiting"] == count)
    wait_for_stats(server, lambda stats: stats["answers"]["waiting"] >= 1 and stats["answers"]["running"] == 0)
    assert server.get(SMALL).status == 200
    for one in clients:
        answer = one.answer()
        assert answer.status == 200 and len(answer.json()["frames"]) == 20
        one.socket.close()
    stats = server.json("/v1/stats")
    assert stats["answers"]["started"] == 12 and stats["requests"]["errors"] == {}


def test_answer_without_room_for_long_is_refused(slow):
    """The room is taken by the body of another request, which stays, and not by an answer that somebody reads too slowly."""
    server = slow("--write-timeout", "500ms", memory="6m", answer="4m")
    with server.connect() as one, server.connect() as another, server.connect() as third:
        for sender in one, another, third:
            sender.send("POST /v1/mesh HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                        f"Content-Length: {MIB}\r\n\r\n" + (MIB * 3 // 4) * " ")
        wait_for_stats(server, lambda stats: stats["client_memory"]["bytes"] > 2 * MIB)
        answer = server.get(LARGE)
        assert (answer.status, answer.json()["error"]["code"]) == (503, "overloaded")
        assert "no room for a large answer for 1500 ms" in answer.json()["error"]["message"]
    wait_for_stats(server, lambda stats: stats["client_memory"]["bytes"] < MIB // 8)
    assert len(server.get(LARGE).json()["frames"]) == 20


def test_who_still_sends_when_the_answer_comes_gets_it(slow):
    """A body refused at once, from a client that sends all of it before it reads."""
    server = slow()
    with server.connect() as client:
        client.send(f"POST /v1/mesh HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {100 * MIB}\r\n\r\n")
        for _ in range(16):  # longer than the server waits for a silent client
            client.send(1024 * " ")
            time.sleep(0.25)
        answer = client.answer()
        assert (answer.status, answer.error()) == (413, "body_too_large")
        assert client.is_closed_by_server(PATIENCE_S)


def fill(server):
    """Request answers of the middle size until there is no room. Returns their clients and the refusal."""
    clients = []
    for _ in range(200):
        one = ask(server, MIDDLE)
        clients.append(one)
        if memory(server)["refused"] > 0:
            return clients, one.answer()
    raise AssertionError(memory(server))


def test_middle_answers_are_refused_without_room(slow):
    server = slow("--max-body", "256k", memory="2m", answer="768k")
    clients, refused = fill(server)
    assert (refused.status, refused.error()) == (503, "overloaded") and int(refused.headers["retry-after"]) > 0
    assert memory(server)["bytes"] <= 2 * MIB + 65536
    body = json.dumps({"queries": [{"op": "pose", "model": "large.gltf"}], "x": "y" * 200000})
    with server.connect() as one:
        one.send(f"POST /v1/query HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n\r\n{body[:195000]}")
        answer = one.answer()
        assert (answer.status, answer.error()) in ((503, "overloaded"), (400, "unknown_parameter"))
    assert server.get(SMALL).status == 200
    assert clients[0].answer().status == 200  # an answer that has begun is sent completely
    for one in clients:
        one.socket.close()
    wait_for_stats(server, lambda stats: stats["client_memory"]["bytes"] < 65536)
    assert server.get(MIDDLE).status == 200


def test_steady_reader_is_closed_only_when_others_need_the_room(slow):
    """It reads 20 KB at a time. That is progress, but an answer of megabytes would take a long time."""
    server = slow("--write-timeout", "2s", "--idle-timeout", "10min")
    slow_one = ask(server, LARGE)
    got, end = 0, time.monotonic() + 5
    while time.monotonic() < end or got < 500000:
        data = slow_one.socket.recv(20000)
        assert data
        got += len(data)
        time.sleep(0.05)
    assert server.json("/v1/stats")["connections"]["timed_out"] == 0
    others, reads = [], 0

    def is_closed():
        """Reads on, while clients that need room arrive one after the other."""
        nonlocal reads
        if reads % 10 == 0:
            others.append(ask(server, LARGE))
        reads += 1
        try:
            return slow_one.socket.recv(2000) == b""
        except ConnectionResetError:
            return True
    wait_for(is_closed, "the slow reader kept its room")
    for one in others:
        one.socket.close()


def test_trickled_body_is_408(start):
    """A byte now and then is not progress."""
    server = start("--render-workers", "0", "--body-timeout", "800ms")
    with server.connect() as one:
        one.send("POST /v1/query HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\n")
        began, answer = time.monotonic(), None
        one.socket.settimeout(0.1)
        while answer is None and time.monotonic() < began + PATIENCE_S:
            try:
                one.send("x")
                answer = one.answer()
            except socket.timeout:
                pass
        assert (answer.status, answer.error()) == (408, "request_timeout")


def test_body_of_steady_parts_is_no_trickle(start):
    server = start("--render-workers", "0", "--body-timeout", "3s")
    body = json.dumps({"model": "none.glb", "clip": "x" * 150000}).encode()
    with server.connect() as one:
        one.send(f"POST /v1/pose HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n\r\n")
        for at in range(0, len(body), 16384):
            one.send(body[at:at + 16384])
            time.sleep(0.4)
        assert one.answer().error() == "model_not_found"


# --- connections that do nothing ---


def hold_idle(server, count, per_connection_kib):
    """Open idle connections. Checks that all of them are held, cost little, and can still be used."""
    before_kib = memory_kib(server)
    clients = connect_many(server, count)
    wait_for_stats(server, lambda stats: stats["connections"]["open"] == count + 1)
    each_kib = (memory_kib(server) - before_kib) / count
    print(f"{count} idle connections, {each_kib:.1f} KiB each")
    assert each_kib < per_connection_kib
    for one in clients[:: max(1, count // 50)]:
        one.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert one.recv(4096).startswith(b"HTTP/1.1 200")
    stats = server.json("/v1/stats")["connections"]
    assert stats["timed_out"] == stats["refused"] == 0
    for one in clients:
        one.close()
    wait_for_stats(server, lambda stats: stats["connections"]["open"] == 1)


def test_thousand_idle_connections(slow):
    if not file_limit(1000):
        pytest.skip("this process may not open so many files")
    server = slow("--header-timeout", "5min", "--idle-timeout", "5min")
    assert server.get(SMALL).status == 200
    hold_idle(server, 1000, per_connection_kib=16)


@pytest.mark.skipif(is_sanitized(), reason="a sanitizer keeps freed memory")
def test_keep_alive_connections_keep_little(start):
    """Even after large bodies and heads."""
    if not file_limit(300):
        pytest.skip("this process may not open so many files")
    server = start("--render-workers", "0", "--idle-timeout", "5min")
    assert server.get("/healthz").status == 200
    before_kib = memory_kib(server)
    body = json.dumps({"model": "none.glb", "clip": "x" * 200000})
    clients = []
    for _ in range(300):
        one = server.connect()
        one.send(f"POST /v1/pose HTTP/1.1\r\nHost: localhost\r\nX-Padding: {'p' * 6000}\r\n"
                 f"Content-Length: {len(body)}\r\n\r\n{body}")
        assert one.answer().error() == "model_not_found"
        clients.append(one)
    assert memory(server)["bytes"] < MIB
    assert (memory_kib(server) - before_kib) / 300 < 24
    for one in clients:
        one.socket.close()


def test_says_when_the_system_allows_fewer_connections(start):
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < 600:
        pytest.skip("the limit is lower already")
    process = subprocess.Popen(
        ["sh", "-c", f'ulimit -n 600; exec "{BUILD / "posed"}" --root . --http 127.0.0.1:0 --tcp none --render-workers 0'],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        address = process.stdout.readline().split("http=")[1].split()[0]
        line = next(line for line in process.stderr if "open files" in line)
        assert " warn " in line and "600 open files" in line and "instead of 10000" in line, line
        allowed = int(line.split("only ")[1].split()[0])
        assert 200 < allowed < 600
        host, port = address.rsplit(":", 1)
        clients = [socket.create_connection((host, int(port)), timeout=PATIENCE_S) for _ in range(allowed)]
        clients.append(socket.create_connection((host, int(port)), timeout=PATIENCE_S))
        (refused,), _, _ = select.select(clients, [], [], PATIENCE_S)  # with several loops, it need not be the last one
        assert refused.recv(4096).startswith(b"HTTP/1.1 503")
        clients.remove(refused)
        refused.close()
        clients[0].sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert clients[0].recv(4096).startswith(b"HTTP/1.1 200")
        for one in clients:
            one.close()
    finally:
        process.terminate()
        assert process.wait(PATIENCE_S) == 0
        process.stdout.close()
        process.stderr.close()


def test_limits_follow_the_memory(command):
    status, text, _ = command("--check-config", "--client-memory", "3m", "--max-answer", "1m")
    assert status == 0 and "POSED_CLIENT_MEMORY=3m" in text
    status, _, said = command("--check-config", "--client-memory", "2m", "--max-answer", "4m")
    assert status == 2 and "--client-memory" in said and "--max-answer" in said


def test_client_memory_has_room_for_the_largest_answer_and_request(command):
    status, _, said = command("--check-config", "--client-memory", "4m", "--max-answer", "4m")
    assert status == 2 and "--client-memory 4194304" in said and "--max-answer 4194304" in said
    assert "--max-body 1048576 and 1 MiB have to fit in it" in said
    for memory_bytes, body_bytes, is_enough in (6 * MIB - 1, MIB, False), (6 * MIB, MIB, True), (6 * MIB, MIB + 1, False), (MIB - 1, 1, False):
        status, _, said = command("--check-config", "--client-memory", str(memory_bytes), "--max-answer", "4m", "--max-body", str(body_bytes))
        assert (status == 0) == is_enough, said


def test_the_least_client_memory_makes_the_largest_answers(slow):
    """The sizes of these answers are not known beforehand. Idle clients are connected, and the request has almost the greatest size. A
    connection of packets always holds some memory."""
    server = slow("--write-timeout", "500ms", "--tcp", "127.0.0.1:0", memory="6m", answer="4m")
    others = [server.connect() for _ in range(50)]
    assert {other.get("/healthz").status for other in others} == {200}
    body = json.dumps({"model": "large.gltf", "t": list(range(20))}).ljust(MIB * 15 // 16).encode()
    with packets.Link(server.ports["tcp"]) as link:
        assert link.ask("call", packets.call(LARGE)).kind != "error"
        answers = [server.get(LARGE), post(server, "/v1/mesh", body)]
    assert [answer.status for answer in answers] == [200, 200]
    assert answers[0].body == answers[1].body and len(answers[0].body) > 2 * MIB
    for other in others:
        other.socket.close()
