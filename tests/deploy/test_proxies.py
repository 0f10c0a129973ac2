"""deploy/proxies: HAProxy, nginx and Varnish in front of several instances. One is killed, one drained and one added under load."""
import contextlib
import http.server
import json
import os
import pathlib
import signal
import threading
import time

import pytest
from conftest import Connection, Server, wait_until
from farm import Farm, make_models
from fronts import CachingNginx, HAProxy, Nginx, Varnish
from load import Load, exchange, questions
from small_models import gltf

FRONTS = [HAProxy, Nginx, CachingNginx, Varnish]
REFUSED_UPLOADS = (502, 503, 504)  # deploy/proxies/README.md: the instance died under it, or none was there; it was sent once


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models")
    make_models(folder)
    return folder


@pytest.fixture(scope="module")
def models(root):
    return sorted(path.name for path in root.glob("*.glb"))


@pytest.fixture(scope="module")
def asked(root, models):
    """The answers of a single instance."""
    lone = Server(root)
    try:
        return questions(lone, models)
    finally:
        lone.end()


@pytest.fixture
def front(request, root, tmp_path):
    with Farm(root) as farm, request.param(farm, tmp_path) as running:
        yield running


class Uploads:
    """Uploads one after the other, each with another name and an id of its own."""

    def __init__(self, address):
        self.address, self.is_over, self.statuses = address, threading.Event(), {}
        self.thread = threading.Thread(target=self.work, daemon=True)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.is_over.set()
        self.thread.join()

    def work(self):
        body = gltf().encode()
        for i in range(1 << 30):
            if self.is_over.wait(0.01):
                break
            identity = f"upload-{id(self)}-{i}"
            try:
                with Connection(self.address) as one:
                    answer = exchange(one, "PUT", f"/v1/models/n{id(self)}-{i}.gltf", body, [f"X-Request-Id: {identity}"])
            except OSError:
                answer = None
            self.statuses[identity] = answer.status if answer else 0


def settle(farm, load, models):
    """Wait until every model has been requested since, and each from one instance only: moved models have arrived. Returns the place of
    each."""
    placed = {}

    def is_settled():
        nonlocal placed, since
        placed = farm.placement(since)
        if any(len(at) > 1 for at in placed.values()):
            since = farm.marks()  # some were still moving
        return set(placed) == set(models) and all(len(at) == 1 for at in placed.values())

    since = farm.marks()
    load.wait_for(20)
    wait_until(is_settled, "models are not placed on one instance each")
    return {model: next(iter(at)) for model, at in placed.items()}


@pytest.mark.parametrize("front", FRONTS, ids=lambda front: front.name, indirect=True)
def test_an_instance_dies_one_drains_one_is_added(front, models, asked):
    farm = front.farm
    with Load(front.address, asked) as load, Uploads(front.address) as uploads:
        first = settle(farm, load, models)
        assert len(set(first.values())) > 1, first

        killed = next(slot for slot in farm.slots if slot.name == first[models[0]])
        killed.server.signal(signal.SIGKILL)
        killed.server.wait()
        load.wait_for(len(asked))
        without = settle(farm, load, models)
        assert killed.name not in without.values()
        assert all(without[model] == at for model, at in first.items() if at != killed.name), "models moved that were not there"

        farm.begin(killed)
        wait_until(lambda: settle(farm, load, models) == first, "models do not return to the instance that is back")

        drained = next(slot for slot in farm.slots if slot.name == first[models[-1]])
        drained.server.signal(signal.SIGTERM)
        assert drained.server.wait() == 0
        load.wait_for(len(asked))
        assert drained.name not in settle(farm, load, models).values()
        farm.begin(drained)

        added = farm.slots[4]
        farm.begin(added)
        front.add(added)
        wait_until(lambda: added.name in settle(farm, load, models).values(), "the fifth instance gets nothing")
    report(front, load, uploads)
    assert not load.failures, load.failures[:5]
    assert load.counts["right"] > 3 * len(asked)
    refused = [status for status in uploads.statuses.values() if status not in (200, 201)]
    assert all(status in REFUSED_UPLOADS for status in refused), refused
    for identity in uploads.statuses:
        assert len(farm.lines_of(f" id={identity} ")) <= 1, f"{identity} was sent twice"
    assert sum(status in (200, 201) for status in uploads.statuses.values()) > 20


def report(front, load, uploads):
    stored = sum(status in (200, 201) for status in uploads.statuses.values())
    print(f"{front.name}: {load.counts['right']} answers right, {load.counts['closed']} connections closed, {load.counts['repeat']} to be repeated, "
          f"{len(load.failures)} failed, slowest {load.slowest_s:.2f} s; {stored} of {len(uploads.statuses)} uploads stored")


def unread(port):
    """Unread bytes at a stopped server, for each connection to its port."""
    sizes = []
    for line in pathlib.Path("/proc/net/tcp").read_text().splitlines()[1:]:
        local, _, state, queues = line.split()[1:5]
        if int(local.split(":")[1], 16) == port and state == "01":
            sizes.append(int(queues.split(":")[1], 16))
    return sizes


@pytest.mark.parametrize("front", FRONTS, ids=lambda front: front.name, indirect=True)
def test_only_questions_are_repeated(front, models, asked):
    """An instance that has the requests and dies without an answer. Reading requests get their answers from another one. PUT and DELETE get
    an error, and no other instance ever sees them."""
    farm = front.farm
    model = models[0]
    with Load(front.address, [question for question in asked if model in question.target], threads=1) as load:
        load.wait_for(20)
    victim = next(slot for slot in farm.slots if slot.name in farm.placement()[model])
    padding = "X-Padding: " + "p" * 2000  # distinguishes these requests from health checks
    get = next(question for question in asked if question.method == "GET" and model in question.target and question.status == 200 and "hash=" not in question.target)
    post = next(question for question in asked if question.method == "POST" and model in question.target)
    upload = ("PUT", f"/v1/models/once.gltf?route={model}", gltf().encode())
    delete = ("DELETE", f"/v1/models/never-there.gltf?route={model}", None)
    requests = [(get.method, get.target, get.body), (post.method, post.target, post.body), upload, delete]
    victim.server.signal(signal.SIGSTOP)
    with contextlib.ExitStack() as open_connections:
        connections = []
        for i, (method, target, body) in enumerate(requests):
            one = open_connections.enter_context(Connection(front.address))
            length = f"Content-Length: {len(body)}\r\n" if body is not None else ""
            one.send(f"{method} {target} HTTP/1.1\r\nHost: localhost\r\nX-Request-Id: once-{i}\r\n{padding}\r\n{length}\r\n".encode() + (body or b""))
            connections.append(one)
        try:
            wait_until(lambda: sum(size > 2000 for size in unread(victim.http.number)) == 4, "the requests do not arrive at one instance")
        finally:
            victim.server.signal(signal.SIGKILL)
        answers = [one.answer() for one in connections]
    assert [(answer.status, answer.body, answer.headers["etag"]) for answer in answers[:2]] == [(question.status, question.answer, question.etag) for question in (get, post)]
    assert answers[2].status in REFUSED_UPLOADS and answers[3].status in REFUSED_UPLOADS, [(answer.status, answer.body) for answer in answers]
    assert farm.lines_of(" id=once-2 ") == farm.lines_of(" id=once-3 ") == []
    assert not any("method=PUT" in line or "method=DELETE" in line for slot in farm.slots for line in slot.lines())


def test_haproxy_counts_and_carries_packets(root, tmp_path):
    with Farm(root, count=2, slots=2) as farm, HAProxy(farm, tmp_path) as front:
        with Connection(front.packets.address) as one:
            one.send(b"\x89PSDP\r\n\0\1\0\0\0\0\0\0\0")
            while len(one.unread) < 32:
                assert one._more()
            assert one.unread[4:6] == b"\x80\0"  # hello
        with Connection(front.address) as one:
            assert one.get("/v1/version").status == 200
        up = front.samples()
        assert up['haproxy_server_status{proxy="posed",server="posed-1",state="UP"}'] == 1
        farm.slots[0].server.signal(signal.SIGKILL)
        wait_until(lambda: front.samples()['haproxy_server_status{proxy="posed",server="posed-1",state="DOWN"}'] == 1, "HAProxy does not notice")
        assert front.samples()['haproxy_server_status{proxy="posed-packets",server="posed-1",state="DOWN"}'] == 1


class LateInstance(http.server.ThreadingHTTPServer):
    """Replaces an instance on a busy machine: each probe gets its answer later than the interval of probes."""
    allow_reuse_port = True

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self):
            time.sleep(0.7)
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()
            self.server.probes += 1

        def log_message(self, *_):
            pass

    def __init__(self, port):
        self.probes = 0
        super().__init__(("127.0.0.1", port), self.Handler)
        self.thread = threading.Thread(target=self.serve_forever)
        self.thread.start()

    def end(self):
        self.shutdown()
        self.thread.join()
        self.server_close()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root has rights to drop")
def test_haproxy_that_root_starts_works_as_another_user(root, tmp_path):
    with Farm(root, count=1, slots=1) as farm, HAProxy(farm, tmp_path) as front:
        pid = front.process.pid
        workers = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        assert len(workers) == 1
        for kind in "Uid", "Gid":
            ids = next(line for line in pathlib.Path(f"/proc/{workers[0]}/status").read_text().splitlines() if line.startswith(kind)).split()[1:]
            assert len(set(ids)) == 1 and ids[0] != "0", ids


def test_haproxy_keeps_who_answers_probes_late(root, tmp_path):
    with contextlib.ExitStack() as left, Farm(root, count=0, slots=1) as farm:
        late = LateInstance(farm.slots[0].http.number)
        left.callback(late.end)
        with HAProxy(farm, tmp_path) as front:
            seen = late.probes
            wait_until(lambda: late.probes >= seen + 6, "it is not probed")
            with Connection(front.address) as one:
                assert one.get("/v1/version").status == 200


@pytest.mark.parametrize("front", [CachingNginx, Varnish], ids=lambda front: front.name, indirect=True)
def test_what_never_changes_is_answered_without_any_instance(front, models, asked):
    kept = [question for question in asked if "hash=" in question.target and question.status == 200]
    with Connection(front.address) as one:
        for question in kept:
            assert exchange(one, question.method, question.target).body == question.answer
        for slot in front.farm.up():
            slot.server.signal(signal.SIGKILL)
            slot.server.wait()
        for question in kept:
            answer = exchange(one, question.method, question.target)
            assert (answer.status, answer.body, answer.headers["etag"]) == (200, question.answer, question.etag)
            assert one.get(question.target, f"If-None-Match: {question.etag}").status == 304


@pytest.mark.parametrize("front", [CachingNginx, Varnish], ids=lambda front: front.name, indirect=True)
def test_equal_requests_are_asked_once(front, models, asked):
    """Fifty clients at a time request a new picture: one request reaches an instance."""
    with Connection(front.address) as one:
        content = json.loads(one.get(f"/v1/model?model={models[1]}").body)["hash"]
    target = f"/v1/render?model={models[1]}&hash={content}&t=0.375&width=64&height=64"
    with contextlib.ExitStack() as clients:
        ones = [clients.enter_context(Connection(front.address)) for _ in range(50)]
        for one in ones:
            one.send(f"GET {target} HTTP/1.1\r\nHost: localhost\r\n\r\n")
        answers = [one.answer() for one in ones]
    assert {answer.status for answer in answers} == {200} and len({answer.body for answer in answers}) == 1
    assert len(front.farm.lines_of("&t=0.375&")) == 1


@pytest.mark.parametrize("front_type", [CachingNginx, Varnish], ids=lambda front: front.name)
def test_a_cache_keeps_nothing_from_a_token_that_is_over(front_type, root, models, asked, tmp_path):
    tokens = tmp_path / "tokens"
    tokens.write_text("first-token-0123456789\n")
    question = next(question for question in asked if "hash=" in question.target)
    with Farm(root, count=1, slots=1, options=("--token-file", str(tokens))) as farm, front_type(farm, tmp_path) as front:
        def status(*headers):
            with Connection(front.address) as one:
                return one.get(question.target, *headers).status

        assert [status("Authorization: Bearer first-token-0123456789") for _ in range(2)] == [200, 200]
        assert status() == status("Authorization: Bearer another-token-0123456789") == 401
        tokens.write_text("second-token-0123456789\n")
        farm.slots[0].server.signal(signal.SIGTERM)
        farm.begin(farm.slots[0])
        wait_until(lambda: status("Authorization: Bearer second-token-0123456789") == 200)
        assert status("Authorization: Bearer first-token-0123456789") == 401
