"""Answers of many frames arrive in pieces: they have the same bytes, need little memory, and do not look complete if they break off."""
import gzip
import struct
import time

import pytest

import packets
from conftest import is_sanitized
from importers import NO_RENDERING
from server_state import memory_kib, sanitizer_reports, wait_for_stats
from small_models import gltf

DRAWS = False

pytestmark = pytest.mark.short
MIB = 1 << 20
JSON = "/v1/palette?model=a.gltf&t=0:49.99:100"  # 5000 frames of two joints: a megabyte
BIN = "/v1/palette?model=a.gltf&t=0:99.99:100&format=bin"
LARGE = "/v1/mesh?model=large.gltf&t=0:39:1"  # forty frames of 15000 vertices: 5 MB


@pytest.fixture
def server(start, tmp_path):
    root = tmp_path / "root"
    root.mkdir()
    (root / "a.gltf").write_text(gltf(x=0.25))
    (root / "large.gltf").write_text(gltf(x=0.25, triangles=5000))
    running = start(*NO_RENDERING, "--tcp", "127.0.0.1:0", root=root)
    for model in ("a.gltf", "large.gltf"):
        assert running.get(f"/v1/model?model={model}").status == 200
    return running


def whole(server, target):
    """The same answer to an HTTP/1.0 client, which never receives chunks."""
    with server.connect() as one:
        one.send(f"GET {target} HTTP/1.0\r\nHost: localhost\r\n\r\n")
        return one.answer()


def answers(server):
    return server.json("/v1/stats")["answers"]


@pytest.mark.parametrize("target", [
    JSON, LARGE, LARGE + "&normals=1&rest=1&indices=1", "/v1/pose?model=a.gltf&t=0:49.99:100&what=local,scene",
    "/v1/palette?model=a.gltf&t=0:49.99:100&layout=mat3x4&space=root&speed=1.5"])
def test_json_is_chunked_and_the_same(server, target):
    before = answers(server)["streamed"]
    pieces = server.get(target)
    assert pieces.status == 200 and pieces.headers["transfer-encoding"] == "chunked"
    assert answers(server)["streamed"] == before + 1
    alone = whole(server, target)
    assert int(alone.headers["content-length"]) == len(pieces.body)
    assert alone.body == pieces.body and alone.headers["etag"] == pieces.headers["etag"]
    assert len(pieces.json()["frames"]) in (40, 5000)
    assert server.get(target, f"If-None-Match: {pieces.headers['etag']}").status == 304
    assert server.get(target, "If-None-Match: *").status == 304


@pytest.mark.parametrize("target", [BIN, LARGE + "&format=bin", LARGE + "&format=bin&rest=1&normals=1&indices=1"])
def test_binary_says_its_size(server, target):
    before = answers(server)["streamed"]
    with server.connect() as one:
        pieces = one.get(target)
        assert answers(server)["streamed"] == before + 1 and "transfer-encoding" not in pieces.headers
        head = one.get(target, method="HEAD")
        assert head.headers["content-length"] == str(len(pieces.body)) and head.headers["etag"] == pieces.headers["etag"]
        assert one.get(target).body == pieces.body
    assert whole(server, target).body == pieces.body


def test_head_has_the_headers_of_get(server):
    with server.connect() as one:
        get, head = one.get(JSON), one.get(JSON, method="HEAD")
        differ = {"date", "x-request-id"}
        assert {k: v for k, v in get.headers.items() if k not in differ} == {k: v for k, v in head.headers.items() if k not in differ}
        assert one.get("/healthz").status == 200


def test_pipelined_behind_pieces(server):
    """Answers stay in order, and the connection stays usable."""
    with server.connect() as one:
        for target in (JSON, "/healthz", BIN, JSON, "/v1/version"):
            one.send(f"GET {target} HTTP/1.1\r\nHost: localhost\r\n\r\n")
        sizes = [len(one.answer().body) for _ in range(5)]
        assert sizes[0] == sizes[3] > MIB / 4 and sizes[2] > MIB / 2 and sizes[1] < 100 and sizes[4] < 300


def test_last_answer_of_a_connection(server):
    with server.connect() as one:
        answer = one.get(JSON, "Connection: close")
        assert answer.headers["connection"] == "close" and len(answer.json()["frames"]) == 5000
        assert one.is_closed_by_server()


def test_what_is_wrong_with_a_late_frame_is_said_first(server, awkward):
    answer = awkward.get("/v1/palette?model=awkward.gltf&clip=overflow&t=0:1:9000&wrap=clamp")
    assert (answer.status, answer.error()) == (422, "not_finite")
    assert "transfer-encoding" not in answer.headers


def test_limit_counts_json_exactly(server, start, tmp_path):
    size = len(server.get(JSON).body)
    for limit, status in ((size, 200), (size - 1, 400)):
        other = start(*NO_RENDERING, "--max-answer", str(limit), root=tmp_path / "root")
        answer = other.get(JSON)
        assert answer.status == status, (limit, answer.body[:200])
        if status == 400:
            assert answer.error() == "too_many_frames"


# --- clients that read slowly, or not ---

def ask(server, target):
    one = server.connect(receive_bytes=16384)
    one.send(f"GET {target} HTTP/1.1\r\nHost: localhost\r\n\r\n")
    return one


@pytest.mark.skipif(is_sanitized(), reason="a sanitizer keeps freed memory")
def test_slow_readers_cost_a_piece_or_two(server):
    """Thirty answers of five megabytes each. Clients read only the beginning."""
    size = len(server.get(LARGE).body)
    assert size > 5 * MIB
    before_kib = memory_kib(server)
    clients = [ask(server, LARGE) for _ in range(30)]
    wait_for_stats(server, lambda stats: stats["answers"]["streamed"] == 31 and stats["answers"]["running"] == 0)
    deadline, most = time.monotonic() + 2, 0
    while time.monotonic() < deadline:
        most = max(most, server.json("/v1/stats")["client_memory"]["bytes"])
        time.sleep(0.05)
    assert MIB < most < 30 * MIB, most  # complete answers would take 150 MiB
    assert (memory_kib(server) - before_kib) / 1024 < 80
    assert len(clients[0].answer().body) == size
    assert len(clients[29].answer().body) == size
    for one in clients:
        one.socket.close()
    stats = wait_for_stats(server, lambda stats: stats["answers"]["streaming"] == 0 and stats["client_memory"]["bytes"] < MIB)
    assert stats["answers"]["broken"] == 0


def test_clients_that_leave_half_way(server):
    for _ in range(8):
        one = ask(server, LARGE)
        one.socket.recv(1000)
        one.socket.close()
    for _ in range(4):
        ask(server, LARGE).socket.close()
    wait_for_stats(server, lambda stats: stats["answers"]["streaming"] == 0 and stats["connections"]["open"] == 1 and
               stats["client_memory"]["bytes"] < MIB)
    assert len(server.get(LARGE).json()["frames"]) == 40


def test_others_are_answered_beside_slow_readers(server):
    clients = [ask(server, LARGE) for _ in range(12)]
    wait_for_stats(server, lambda stats: stats["answers"]["streaming"] == 12)
    assert len(server.get(LARGE).body) > 5 * MIB
    assert server.get("/v1/palette?model=a.gltf&t=0.5").status == 200
    for one in clients:
        one.socket.close()


@pytest.mark.parametrize("target", [LARGE, LARGE + "&format=bin&normals=1"])
def test_what_breaks_off_does_not_look_whole(server, target):
    """A server is stopped at once, in the middle of an answer."""
    one = ask(server, target)
    wait_for_stats(server, lambda stats: stats["answers"]["streaming"] == 1)
    server.signal(15)
    server.wait_for_line("stopping on SIGTERM")
    server.signal(15)
    server.wait()
    with pytest.raises((AssertionError, ConnectionResetError), match="the body is cut|reset"):
        one.answer()
    one.socket.close()


def test_answers_under_way_are_finished_when_the_server_stops(server):
    one = ask(server, LARGE)
    wait_for_stats(server, lambda stats: stats["answers"]["streaming"] == 1)
    server.signal(15)
    answer = one.answer()
    assert len(answer.json()["frames"]) == 40
    assert one.is_closed_by_server()
    assert server.wait() == 0
    one.socket.close()


def test_model_that_changes_meanwhile(server, tmp_path):
    """An answer that has begun is finished from the same version of the model."""
    before = server.get(LARGE).body
    one = ask(server, LARGE)
    wait_for_stats(server, lambda stats: stats["answers"]["streaming"] == 1)
    (tmp_path / "root" / "large.gltf").write_text(gltf(x=0.5, triangles=5000))
    assert server.get(LARGE).body != before
    assert one.answer().body == before
    one.socket.close()


# --- packets ---

def test_packets_in_pieces(server):
    with packets.Link(server.ports["tcp"]) as link:
        model = link.open("a.gltf")
        many = tuple(i / 100 for i in range(10000))
        before = answers(server)["streamed"]
        answer = link.ask("palette", packets.query(times=many, indices=()), model=model)
        assert answers(server)["streamed"] == before + 1
        assert answer.payload[:4] == b"PSDF"
        single = server.get(BIN)
        assert len(answer.payload) == len(single.body)
        assert link.ask("ping").kind == "done"
        link.send(packets.packet("palette", packets.query(times=many), id=7, model=model) + packets.packet("ping", id=8))
        assert len(link.read().payload) == len(single.body) and link.read().id == 8


def test_nothing_is_said_between_the_pieces_of_a_packet(server, tmp_path):
    """Streams and notices of changes wait for the end of an answer that the client reads slowly."""
    with packets.Link(server.ports["tcp"], receive_bytes=16384) as link:
        model = link.open("large.gltf")
        assert link.ask("watch", struct.pack("<I", 1), model=model).kind == "done"
        link.send(packets.packet("mesh", packets.query(times=tuple(range(40))), id=5, model=model))
        wait_for_stats(server, lambda stats: stats["answers"]["streaming"] == 1)
        (tmp_path / "root" / "large.gltf").write_text(gltf(x=0.5, triangles=5000))
        assert server.get(LARGE).status == 200
        time.sleep(0.3)
        answer = link.read()
        assert answer.id == 5 and answer.payload[:4] == b"PSDF" and len(answer.payload) > 40 * 15000 * 12
        changed = link.read()
        assert changed.kind == "changed"


# --- several loops ---

def test_pieces_on_every_loop(start, tmp_path):
    """Connections of every loop get the same bytes, plain and compressed. Some of their clients leave half-way."""
    root = tmp_path / "root"
    root.mkdir()
    (root / "a.gltf").write_text(gltf(x=0.25))
    (root / "large.gltf").write_text(gltf(x=0.25, triangles=5000))
    server = start(*NO_RENDERING, "--loops", "3", "--tcp", "127.0.0.1:0", root=root, env={"TSAN_OPTIONS": "exitcode=0"})
    expected = {target: whole(server, target).body for target in (JSON, LARGE, BIN)}
    for turn in range(4):
        clients = [(ask(server, target), target) for target in expected for _ in range(4)]
        for one, target in clients[turn::5]:
            one.socket.close()
        for i, (one, target) in enumerate(clients):
            if i % 5 == turn:
                continue
            assert one.answer().body == expected[target]
            if target != BIN:
                assert gzip.decompress(one.get(target, "Accept-Encoding: gzip").body) == expected[target]
            one.socket.close()
        with packets.Link(server.ports["tcp"]) as link:
            many = tuple(i / 100 for i in range(10000))
            assert len(link.ask("palette", packets.query(times=many), model=link.open("a.gltf")).payload) == len(expected[BIN])
    stats = wait_for_stats(server, lambda stats: stats["answers"]["streaming"] == 0 and stats["connections"]["open"] == 1)
    assert stats["answers"]["broken"] == 0 and stats["client_memory"]["bytes"] < MIB
    server.signal(15)
    assert server.wait() == 0
    assert not sanitizer_reports(server)
