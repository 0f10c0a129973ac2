"""Several event loops over one cache (--loops): whatever loop a connection is on, it gets the same answers, sees a change
at once, and counts in the same sums.

Which loop has a connection is the kernel's choice; the ids that the server gives to requests tell it: each loop counts up
from a random start."""
import concurrent.futures
import json
import os
import random
import shutil
import signal
import socket
import struct
import threading
import time

import pytest

from conftest import PATIENCE_S, SAMPLES, wait_until
from importers import NO_RENDERING, imports, install_waiting
from packets import Link, connect, packet, query, subscribe
from server_state import memory_files, sanitizer_reports
from small_models import gltf, place
from upload_requests import put

LOOPS = 3
MANY = 48  # connections: the chance that one of three loops gets none of them is 10^-8
CHANGES = 60
PALETTE = "/v1/palette?model={}&t=0.25&format=bin"


@pytest.fixture
def root(tmp_path):
    folder = tmp_path / "root"
    folder.mkdir()
    return folder


@pytest.fixture
def loops(start):
    """loops(root, *options): a server with LOOPS loops. It must end well."""
    running = []

    def begin(root, *options):
        running.append(start("--loops", str(LOOPS), *options, root=root, env={"TSAN_OPTIONS": "exitcode=0"}))
        return running[-1]

    yield begin
    for server in running:
        if server.process.poll() is None:
            server.signal(signal.SIGTERM)
            assert server.wait() == 0
        assert not sanitizer_reports(server)


def loop_of(answer):
    """A number that is the same for requests of the same loop, and hardly ever for others."""
    return int(answer.headers["x-request-id"], 16) >> 24


class Everywhere:
    """Connections on every loop."""

    def __init__(self, server, count=MANY):
        self.all = [server.connect() for _ in range(count)]
        self.loops = {}
        for connection in self.all:
            self.loops.setdefault(loop_of(connection.get("/healthz")), []).append(connection)
        assert len(self.loops) == LOOPS, self.loops

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for connection in self.all:
            connection.socket.close()

    def one_each(self):
        return [connections[0] for connections in self.loops.values()]

    def get(self, target, *headers):
        return [connection.get(target, *headers) for connection in self.one_each()]


def post(connection, target, body):
    connection.send(f"POST {target} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n{body}")
    return connection.answer()


def same(answers):
    bodies = {answer.body for answer in answers}
    assert len(bodies) == 1, [(answer.status, answer.body[:80]) for answer in answers]
    etags = {answer.headers.get("etag") for answer in answers}
    assert len(etags) == 1 and len({answer.status for answer in answers}) == 1
    return answers[0]


# --- the same bits ---

ASKED = [
    "/v1/palette?model=robot.glb&t=0.3", "/v1/palette?model=robot.glb&t=0:1:24&format=bin&layout=mat3x4",
    "/v1/pose?model=octopus.glb&t=0.7", "/v1/mesh?model=octopus.glb&t=0.2&format=bin", "/v1/bounds?model=octopus.glb&t=0.2",
    "/v1/bounds?model=robot.glb&of=clip", "/v1/model?model=robot.glb", "/v1/palette?model=robot.glb&clip_name=nobody&t=0",
    "/v1/palette?model=robot.glb", "/v1/palette?model=nobody.glb&t=0", "/v1/models", "/v1/formats", "/v1/nothing",
    "/v1/mesh?model=robot.glb&t=0.2&format=glb", "/v1/palette?model=robot.glb&t=0.3&clip_file=robot.glb",
    "/v1/render?model=robot.glb&t=0.3&width=48&height=48",
]


def test_every_loop_gives_the_answers_of_one(loops, start):
    alone, server = start(root=SAMPLES), loops(SAMPLES)
    with Everywhere(server) as everywhere:
        for target in ASKED:
            before = same(everywhere.get(target))
            again = same(everywhere.get(target))
            wanted = alone.get(target)
            assert before.status == wanted.status and before.body == again.body == wanted.body, target
            assert before.headers.get("etag") == wanted.headers.get("etag"), target
            if before.status == 200 and "etag" in before.headers:
                not_modified = same(everywhere.get(target, "If-None-Match: " + before.headers["etag"]))
                assert not_modified.status == 304 and not_modified.body == b""


def test_loops_and_work_threads_make_the_same_clips_of_other_files(loops):
    """Many clients ask at once for clips that are not ready. For some of them there is no room."""
    for options in ((), ("--cache-bytes", "8M")):
        server = loops(SAMPLES, *options)
        targets = [f"/v1/palette?model=robot.glb&clip_file=robot.glb&clip={i % 3}&t=0.3&format=bin&rename_joints=a%3D{i // 3}" for i in range(12)]
        wanted = [server.get(f"/v1/palette?model=robot.glb&clip={i}&t=0.3&format=bin").body for i in range(3)]
        with Everywhere(server) as everywhere, concurrent.futures.ThreadPoolExecutor(MANY) as pool:
            def ask(number, connection):
                order = random.Random(number).sample(range(len(targets)), len(targets))
                return [(i, connection.get(targets[i]).body) for i in order]
            answers = list(pool.map(ask, range(MANY), everywhere.all))
        assert all(body == wanted[i % 3] for list_ in answers for i, body in list_)
        told = server.json("/v1/stats")["clip_views"]
        assert told["misses"] >= len(targets) and told["hits"] + told["misses"] >= MANY * len(targets)


BATCHES = [  # queries, and whether each loop answers them itself once it knows the models
    ([{"op": "palette", "model": "robot.glb", "clip": "walk", "t": 0.3}, {"op": "pose", "model": "octopus.glb", "t": [0.1, 0.7]}], True),
    ([{"op": "palette", "model": "robot.glb", "clip": "nobody", "t": 0}, {"op": "palette", "model": "robot.glb", "t": "x"},
      {"op": "bounds", "model": "robot.glb", "t": 0.2}], True),
    ([{"op": "palette", "model": "robot.glb", "t": 0.3}, {"op": "palette", "model": "nobody.glb", "t": 0}], False),
    ([{"op": "mesh", "model": "octopus.glb", "t": "0:1:40"}, {"op": "palette", "model": "robot.glb", "t": 0}], False),  # too much work
]


@pytest.mark.parametrize("queries, is_local", BATCHES)
def test_a_batch_is_answered_by_its_loop_where_it_knows_all_models_and_with_the_same_bytes(loops, start, queries, is_local):
    options = ("--watch-interval", "1m", "--max-answer", "8MiB", *NO_RENDERING)
    alone, server = start(*options, root=SAMPLES), loops(SAMPLES, *options)
    body = json.dumps({"queries": queries})
    wanted = post(alone.connect(), "/v1/query", body)
    assert wanted.status == 200 and len(wanted.json()["results"]) == len(queries)
    with Everywhere(server) as everywhere:
        for _ in range(4):  # a batch makes the models known to its loop as well
            [post(connection, "/v1/query", body) for connection in everywhere.one_each()]
        before = server.json("/v1/stats")["loops"]["forwarded"]
        for _ in range(10):
            answers = [post(connection, "/v1/query", body) for connection in everywhere.one_each()]
            assert same(answers).body == wanted.body
        forwarded = server.json("/v1/stats")["loops"]["forwarded"] - before
    assert forwarded <= 2 if is_local else forwarded >= 10 * (LOOPS - 1)


def test_a_batch_on_any_loop_keeps_the_limits_of_one_answer(loops, start):
    """All queries of a batch share --max-answer. The one that exceeds it is an error, and those before it are not."""
    options = ("--watch-interval", "1m", "--max-answer", "20000", *NO_RENDERING)
    body = json.dumps({"queries": [{"op": "palette", "model": "robot.glb", "clip": "walk", "t": [0, t]} for t in (0.1, 0.2, 0.3, 0.4)]})
    alone, server = start(*options, root=SAMPLES), loops(SAMPLES, *options)
    wanted = post(alone.connect(), "/v1/query", body)
    assert 1 <= ["error" in result for result in wanted.json()["results"]].count(True) <= 3
    with Everywhere(server) as everywhere:
        for _ in range(4):  # until each loop knows the model
            [post(connection, "/v1/query", body) for connection in everywhere.one_each()]
        before = server.json("/v1/stats")["loops"]["forwarded"]
        assert same([post(connection, "/v1/query", body) for connection in everywhere.one_each()]).body == wanted.body
        assert server.json("/v1/stats")["loops"]["forwarded"] - before <= 2  # /v1/stats itself


def test_a_model_is_imported_once_and_then_answered_by_each_loop(loops):
    server = loops(SAMPLES, "--watch-interval", "1m", *NO_RENDERING)
    with Everywhere(server) as everywhere:
        for _ in range(4):
            same(everywhere.get(PALETTE.format("robot.glb")))
        before = server.json("/v1/stats")
        for _ in range(50):
            same(everywhere.get(PALETTE.format("robot.glb")))
        after = server.json("/v1/stats")
    assert imports(server) == 1
    assert after["cache"]["hits"] - before["cache"]["hits"] == 50 * LOOPS
    assert after["loops"]["count"] == LOOPS
    assert after["loops"]["forwarded"] - before["loops"]["forwarded"] <= 2  # /v1/stats itself


def test_packets_on_every_loop(loops):
    """Handles, pipelining, streams; over TCP and the Unix socket."""
    server = loops(SAMPLES, "--tcp", "127.0.0.1:0", "--unix", f"/tmp/posed-loops-{os.getpid()}.sock", *NO_RENDERING)
    links = [connect(server.ports, way) for way in ("tcp", "unix", "ws") for _ in range(16)]
    try:
        answers = set()
        for link in links:
            model = link.open("robot.glb")
            for id in range(20):
                link.send(packet("palette", query([id % 4 / 4], clip=0), id=id, model=model))
            answers.add(tuple(link.read().payload for _ in range(20)))
        assert len(answers) == 1
        frames = set()
        for link in links:
            link.send(packet("subscribe", subscribe(credit=3, rate=500, clip=0), id=7, model=1))
            assert link.read().kind == "done"
            got = [link.read() for _ in range(3)]
            assert [one.kind for one in got] == ["stream"] * 3
            frames.add(len(got[0].payload))
        assert len(frames) == 1
    finally:
        for link in links:
            link.socket.close()


# --- changes ---

@pytest.mark.parametrize("how", ["replaced", "written", "gone"])
def test_the_request_after_a_change_sees_it_on_every_loop(loops, root, how):
    (root / "a.gltf").write_text(gltf(x=0))
    server = loops(root, *NO_RENDERING)
    with Everywhere(server) as everywhere:
        for x in range(1, CHANGES):
            for _ in range(2):  # the second is answered by the loop itself
                assert {place(answer) for answer in everywhere.get("/v1/palette?model=a.gltf")} == {x - 1}
            if how == "replaced":
                (root / "new").write_text(gltf(x=x))
                os.replace(root / "new", root / "a.gltf")
            elif how == "written":
                (root / "a.gltf").write_text(gltf(x=x))
            else:
                (root / "a.gltf").unlink()
                assert same(everywhere.get("/v1/palette?model=a.gltf")).status == 404
                (root / "a.gltf").write_text(gltf(x=x))
            connection = random.Random(x).choice(everywhere.all)
            assert place(connection.get("/v1/palette?model=a.gltf")) == x


def test_a_change_behind_the_cache_is_found_on_every_loop(loops, root):
    """If the system reports no changes, within --watch-interval."""
    (root / "a.gltf").write_text(gltf(x=0))
    server = loops(root, "--watch", "poll", "--watch-interval", "100ms", *NO_RENDERING)
    with Everywhere(server) as everywhere:
        everywhere.get("/v1/palette?model=a.gltf")
        (root / "a.gltf").write_text(gltf(x=5))
        wait_until(lambda: {place(answer) for answer in everywhere.get("/v1/palette?model=a.gltf")} == {5})


def test_watches_are_told_on_every_loop(loops, root):
    (root / "a.gltf").write_text(gltf(x=0))
    server = loops(root, "--tcp", "127.0.0.1:0", *NO_RENDERING)
    links = [Link(server.ports["tcp"]) for _ in range(MANY)]
    for link in links:
        link.send(packet("watch", struct.pack("<I", 1), id=9, model=link.open("a.gltf")))
        assert link.read().kind == "done"
    for x in (1, 2):
        (root / "new").write_text(gltf(x=x))
        os.replace(root / "new", root / "a.gltf")
        hashes = set()
        for link in links:
            changed = link.read()
            assert (changed.kind, changed.id, changed.code, changed.generation) == ("changed", 9, 0, x + 1)
            hashes.add(changed.payload)
        assert len(hashes) == 1
    for link in links:
        link.socket.close()


# --- what only the first loop does ---

def test_uploads_from_every_loop(loops, root):
    server = loops(root, "--uploads", str(root / "in"), *NO_RENDERING)
    with Everywhere(server) as everywhere:
        others = everywhere.one_each()
        for x, connection in enumerate(everywhere.all, 1):
            body = gltf(x=x).encode()
            # behind an answer and before a request, in one write
            connection.send(f"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\nPUT /v1/models/a.gltf HTTP/1.1\r\nHost: localhost\r\n"
                            f"Content-Length: {len(body)}\r\n\r\n".encode() + body +
                            b"GET /v1/palette?model=in/a.gltf HTTP/1.1\r\nHost: localhost\r\n\r\n")
            assert connection.answer().status == 200
            assert connection.answer().status == (201 if x == 1 else 200)
            assert place(connection.answer()) == x
            for other in others:
                assert place(other.get("/v1/palette?model=in/a.gltf")) == x
        assert server.json("/v1/stats")["uploads"]["stored"] == MANY
        wait_until(lambda: server.json("/v1/stats")["connections"]["open"] == MANY + 1)
        answer = everywhere.one_each()[1].get("/v1/models/a.gltf", method="DELETE")
        assert answer.status == 204
        assert same(everywhere.get("/v1/palette?model=in/a.gltf")).status == 404


def test_large_and_refused_uploads_from_every_loop(loops, root):
    server = loops(root, "--uploads", str(root / "in"), *NO_RENDERING)
    large = gltf(triangles=40000).encode()
    for n in range(12):
        assert put(server, f"large{n}.gltf", large, chunk=100000 if n % 2 else None).status == 201
        assert put(server, "no.such-format", b"1").error() == "unknown_format"
        with server.connect() as connection:
            connection.send("PUT /v1/models/b.gltf HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n")
            assert connection.answer().status == 100
            connection.send("abc")
            assert connection.answer().status == 415
    assert sorted(name for name in os.listdir(root / "in") if name[0] != ".") == sorted(f"large{n}.gltf" for n in range(12))


def test_clients_that_leave_take_their_work_with_them(loops, root, tmp_path):
    for n in range(MANY):
        (root / f"{n}.gltf").write_text(gltf(x=n))
    options, go = install_waiting(tmp_path / "bin")
    server = loops(root, *options, "--import-workers", "1", "--import-queue", str(MANY))
    connections = [server.connect() for _ in range(MANY)]
    for n, connection in enumerate(connections):
        connection.send(f"GET /v1/palette?model={n}.gltf HTTP/1.1\r\nHost: localhost\r\n\r\n")
    wait_until(lambda: server.json("/v1/stats")["imports"]["waiting"] == MANY - 1)
    for connection in connections:
        connection.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        connection.socket.close()

    def is_over():
        stats = server.json("/v1/stats")
        return stats["connections"]["open"] == 1 and stats["imports"]["waiting"] == 0 and stats["requests"]["abandoned"] == MANY
    wait_until(is_over)
    go.touch()


# --- sums and bounds ---

def test_a_thousand_connections_over_all_loops(loops):
    server = loops(SAMPLES, "--max-connections", "1010", *NO_RENDERING)
    with Everywhere(server, 1000) as everywhere:
        before = server.json("/v1/stats")
        assert before["connections"]["open"] == 1001
        for connection in everywhere.all:
            connection.send("GET " + PALETTE.format("robot.glb") + " HTTP/1.1\r\nHost: localhost\r\n\r\n")
        bodies = {connection.answer().body for connection in everywhere.all}
        assert len(bodies) == 1
        after = server.json("/v1/stats")
        assert after["requests"]["answered"] - before["requests"]["answered"] == 1001
        assert min(len(connections) for connections in everywhere.loops.values()) > 200
        # all loops share one limit
        more = [server.connect() for _ in range(11)]
        refused = [connection for connection in more if connection.get("/healthz").status == 503]
        assert len(refused) in (1, 2)  # the connection of `after` may still be open
        for connection in more:
            connection.socket.close()


def test_answers_that_nobody_reads_share_one_budget(loops, root):
    shutil.copy(SAMPLES / "octopus.glb", root)
    server = loops(root, "--client-memory", "8m", "--max-answer", "2m", *NO_RENDERING)
    target = "/v1/mesh?model=octopus.glb&t=0:1:8&format=bin"
    size = len(server.get(target).body)
    assert size > 500000
    clients = []
    for _ in range(MANY):
        clients.append(server.connect(receive_bytes=4096))
        clients[-1].send(f"GET {target} HTTP/1.1\r\nHost: localhost\r\n\r\n")
    stats = server.json("/v1/stats")
    assert stats["client_memory"]["bytes"] <= 10 << 20
    with concurrent.futures.ThreadPoolExecutor(MANY) as readers:
        assert {answer.status for answer in readers.map(lambda client: client.answer(), clients)} == {200}
    for client in clients:
        client.socket.close()
    wait_until(lambda: server.json("/v1/stats")["client_memory"]["bytes"] < 100000)


def test_memory_is_bounded_and_what_is_used_stays(loops, root):
    """A model counts as used if only other loops use it. All loops free an evicted model."""
    for n in range(30):
        (root / f"{n}.gltf").write_text(gltf(x=n, triangles=2000))
    server = loops(root, "--cache-bytes", "1m", "--watch-interval", "1m", *NO_RENDERING)
    with Everywhere(server) as everywhere:
        for n in range(30):
            for _ in range(2):
                assert {place(answer) for answer in everywhere.get(f"/v1/palette?model={n}.gltf")} == {n}
                assert {place(answer) for answer in everywhere.get("/v1/palette?model=0.gltf")} == {0}
        stats = server.json("/v1/stats")
        assert stats["cache"]["evicted"] > 10 and stats["cache"]["bytes"] <= 1 << 20
        assert imports(server, "0.gltf") == 1
        wait_until(lambda: memory_files(server) <= stats["cache"]["models"])


# --- start and end ---

def test_the_end_waits_for_the_answers_of_all_loops(loops, root, tmp_path):
    for n in range(MANY):
        (root / f"{n % 4}.gltf").write_text(gltf(x=n % 4))
    options, go = install_waiting(tmp_path / "bin")
    server = loops(root, *options, "--import-workers", "4")
    with Everywhere(server) as everywhere:
        for n, connection in enumerate(everywhere.all):
            connection.send(f"GET /v1/palette?model={n % 4}.gltf HTTP/1.1\r\nHost: localhost\r\n\r\n")
        with Everywhere(server):
            pass  # every loop has answered since, so it has read everything that was sent before
        server.signal(signal.SIGTERM)
        server.wait_for_line("stopping on SIGTERM")
        go.touch()
        for n, connection in enumerate(everywhere.all):
            answer = connection.answer()
            assert place(answer) == n % 4 and answer.headers["connection"] == "close"
    assert server.wait() == 0


@pytest.mark.parametrize("first", ["1", str(LOOPS)])
@pytest.mark.parametrize("second", ["1", str(LOOPS)])
def test_a_port_is_one_servers(start, command, tmp_path, first, second):
    """Sockets that share a port must not let another server join."""
    server = start("--loops", first)
    status, _, err = command("--root", tmp_path, "--http", server.address, "--tcp", "none", "--loops", second, "--cache-dir", "none")
    assert status == 2 and f"cannot listen on {server.address}: address already in use" in err
    assert server.get("/healthz").status == 200


def test_how_many_loops(start, command, tmp_path):
    server = start("--loops", "0")
    assert server.json("/v1/stats")["loops"]["count"] == len(os.sched_getaffinity(0))
    assert start().json("/v1/stats")["loops"]["count"] == int(os.environ.get("POSED_LOOPS", "1"))
    status, _, err = command("--root", tmp_path, "--loops", "65", "--check-config")
    assert status == 2 and "--loops: '65' is not a whole number from 0 to 64" in err
    assert "POSED_LOOPS=2\n" in command("--root", tmp_path, "--loops", "2", "--check-config")[1]


# --- all at once ---

class Stress:
    """Clients of every kind, while models change and are evicted, until they have done enough."""

    def __init__(self, server, root, seconds):
        self.server, self.root, self.failures = server, root, []
        self.end = time.monotonic() + seconds
        self.versions = {n: 0 for n in range(12)}
        self.count = 0

    def run(self, job, *arguments):
        try:
            while not self.is_over() and not self.failures:
                job(*arguments)
        except Exception as failure:  # pylint: disable=broad-except
            self.failures.append(repr(failure))

    def is_over(self):
        is_enough = self.count > 100 and sum(self.versions.values()) > 20
        return time.monotonic() > self.end + (0 if is_enough else PATIENCE_S)

    def ask(self, generator):
        with self.server.connect() as connection:
            for _ in range(30):
                n = min(generator.randrange(12), generator.randrange(12))
                least = self.versions[n]
                connection.send("".join(f"GET /v1/palette?model={n}.gltf&t=0 HTTP/1.1\r\nHost: localhost\r\n\r\n" for _ in range(4)))
                for _ in range(4):
                    assert place(connection.answer()) >= least, f"{n}.gltf is older than {least}"
                    self.count += 1

    def leave(self, generator):
        with self.server.connect() as connection:
            connection.send(f"GET /v1/palette?model={generator.randrange(12)}.gltf HTTP/1.1\r\nHost: localhost\r\n\r\n")

    def stream(self, generator):
        with Link(self.server.ports["tcp"]) as link:
            n = generator.randrange(12)
            model = link.open(f"{n}.gltf")
            link.send(packet("watch", struct.pack("<I", 1), id=3, model=model))
            link.send(packet("subscribe", subscribe(credit=20, rate=1000), id=4, model=model))
            seen = 0
            while seen < 20:
                one = link.read()
                assert one.kind in ("done", "stream", "changed"), one
                seen += one.kind == "stream"

    def change(self, generator):
        n = generator.randrange(12)
        version = self.versions[n] + 1
        temporary = self.root / "new"
        temporary.write_text(gltf(x=version, triangles=1500))
        os.replace(temporary, self.root / f"{n}.gltf")
        self.versions[n] = version
        time.sleep(0.005)

    def upload(self, generator):
        answer = put(self.server, f"up{generator.randrange(3)}.gltf", gltf(x=generator.random()).encode())
        assert answer.status in (200, 201, 503), answer.body  # clients that left half-way still count for a moment

    def leave_half_way(self, generator):
        with self.server.connect() as connection:
            connection.send(b"PUT /v1/models/half.gltf HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5000\r\n\r\n" +
                            b"x" * generator.randrange(2000))
            connection.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))

    def look(self):
        self.server.json("/v1/stats")
        self.server.json("/v1/models")


@pytest.mark.parametrize("cache", ["64m", "1m"])
def test_stress(loops, root, cache):
    """With config=tsan this finds races."""
    for n in range(12):
        (root / f"{n}.gltf").write_text(gltf(x=0, triangles=1500))
    server = loops(root, "--cache-bytes", cache, "--uploads", str(root / "in"), "--tcp", "127.0.0.1:0", *NO_RENDERING)
    stress = Stress(server, root, float(os.environ.get("POSED_STRESS_S", "4")))
    jobs = [stress.ask] * 6 + [stress.leave, stress.stream, stress.stream, stress.change, stress.upload, stress.leave_half_way]
    threads = [threading.Thread(target=stress.run, args=(job, random.Random(i))) for i, job in enumerate(jobs)]
    threads.append(threading.Thread(target=stress.run, args=(stress.look,)))
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not stress.failures and stress.count > 100, stress.failures
    assert sum(stress.versions.values()) > 20

    def is_calm():
        stats = server.json("/v1/stats")
        return stats["uploads"]["running"] == 0 and stats["connections"]["open"] == 1 and stats["client_memory"]["bytes"] < 1 << 20
    wait_until(is_calm)
    server.signal(signal.SIGTERM)
    assert server.wait() == 0


# --- reloads ---

def test_reloads_under_load(loops, root, tmp_path):
    """Every loop receives the tokens. No request with a token that stays is ever refused, and all streams of a removed token end."""
    stays, goes, tokens = "a-token-that-stays-all-along", "a-token-that-comes-and-goes", tmp_path / "tokens"
    bearer = f"Authorization: Bearer {stays}"
    (root / "a.gltf").write_text(gltf())
    tokens.write_text(f"{stays}\n{goes}\n")
    server = loops(root, *NO_RENDERING, "--tcp", "127.0.0.1:0", "--token-file", str(tokens))
    is_over, refused = threading.Event(), []

    def ask(number):
        with server.connect() as one:
            while not is_over.is_set():
                answer = one.get(f"/v1/palette?model=a.gltf&t={number}&format=bin", bearer)
                if answer.status != 200:
                    refused.append(answer)

    def reload(words, count):
        server.signal(signal.SIGHUP)
        wait_until(lambda: sum(words in line for line in server.lines()) == count, f"nothing said of {words}")

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for count in range(1, 9):
        links = [Link(server.ports["tcp"], token=goes.encode()) for _ in range(12)]
        for link in links:
            model = link.open("a.gltf")
            link.send(packet("subscribe", subscribe(clip=-2, credit=2**31, rate=100, indices=[0]), id=7, model=model))
        tokens.write_text(f"{stays}\n")
        reload("reloaded: 1 token (0 added, 1 removed); ended 12 connections of removed tokens", count)
        for link in links:
            while (last := link.read()) is not None:
                assert last.kind in ("done", "stream") or last.code == 16, last
            link.socket.close()
        tokens.write_text(f"{stays}\n{goes}\n")
        reload("reloaded: 2 tokens (1 added, 0 removed)", count)
    is_over.set()
    for thread in threads:
        thread.join()
    assert not refused
