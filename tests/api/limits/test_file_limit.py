"""The system lets the server open few files, or none for a moment. The server then does less and says so, refuses work without a
descriptor, goes on when it has one, and ends when it is told to."""
import contextlib
import os
import pathlib
import re
import resource
import shutil
import signal
import socket
import struct
import subprocess
import time

import pytest

from conftest import BUILD, PATIENCE_S, REPOSITORY, is_sanitized, wait_until
from importers import NO_RENDERING
from packets import HEADER, hello, packet
from raw_requests import file_limit
from small_models import gltf, place
from stand_ins import stand_in_library
from upload_requests import put

WAVE = 200
MODELS = 12
PAUSE_S = 0.1  # of a port that cannot accept


@pytest.fixture
def root(tmp_path):
    folder = tmp_path / "root"
    folder.mkdir()
    for x in range(MODELS):
        (folder / f"{x}.gltf").write_text(gltf(x=x))
    return folder


class Client:
    """A client that asks for a model on any port, and may get no answer."""

    def __init__(self, server, port, x):
        if port == "unix":
            self.socket = socket.socket(socket.AF_UNIX)
            self.socket.settimeout(PATIENCE_S)
            self.socket.connect(server.ports["unix"])
        else:
            host, number = server.ports["http" if port == "http" else "tcp"].rsplit(":", 1)
            self.socket = socket.create_connection((host, int(number)), timeout=PATIENCE_S)
        self.is_packets = port == "packets"
        try:
            if self.is_packets:
                self.socket.sendall(hello() + packet("open", f"{x}.gltf".encode(), id=1))
            else:
                self.socket.sendall(f"GET /v1/palette?model={x}.gltf HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        except OSError:
            pass  # it was refused without an answer

    def outcome(self):
        """The meaning of the answer's first bytes: a status, "packets", or None if the server closed instead."""
        data = b""
        try:
            while len(data) < HEADER:
                more = self.socket.recv(4096)
                if not more:
                    break
                data += more
        except ConnectionError:
            return None
        if not data:
            return None
        return "packets" if self.is_packets else int(data.split()[1])

    def leave(self, is_rude):
        if is_rude:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.socket.close()


def stats_of(server):
    return server.json("/v1/stats")


def wait_until_idle(server):
    """Wait until the server has a place again. A client without a place may see a reset instead of the 503, because its request arrived
    after the close."""
    def is_idle():
        with contextlib.suppress(ConnectionError):
            answer = server.get("/healthz")  # None: it was closed, because no file was left
            return answer is not None and answer.status == 200
        return False

    wait_until(is_idle, "it answers nobody any more")


def needs_files(count):
    if not file_limit(count):
        pytest.skip("this process may not open so many files")


# --- few files ---

@pytest.mark.parametrize("loops", [1, 2, 4])
@pytest.mark.parametrize("files", [72, 96, 128])
def test_waves_beside_imports(start, root, tmp_path, files, loops):
    """Each of them gets an answer or is closed while all hold on: there are enough descriptors for that."""
    needs_files(WAVE + 50)
    server = start("--loops", str(loops), "--tcp", "127.0.0.1:0", "--unix", str(tmp_path / "socket"), root=root, files=files)
    seen = set()
    for wave in range(2):
        clients = [Client(server, ("http", "packets", "unix")[i % 3], (wave + i) % MODELS) for i in range(WAVE)]
        seen |= {client.outcome() for client in clients}
        for client in clients:
            client.leave(is_rude=wave == 1)
        wait_until_idle(server)
    assert seen & {200, "packets"} and seen <= {200, 503, "packets", None}
    for x in range(MODELS):
        assert place(server.get(f"/v1/palette?model={x}.gltf")) == x
    connections = stats_of(server)["connections"]
    assert connections["not_accepted"] == 0 and connections["refused"] > 0
    server.signal(signal.SIGTERM)
    assert server.wait() == 0


def test_says_what_becomes_less(start, root):
    options = {"loops": 4, "import-workers": 6, "render-workers": 9}
    words = [word for name, count in options.items() for word in (f"--{name}", str(count))]
    server = start(*words, "--uploads", str(root / "in"), root=root, files=72)
    line = server.wait_for_line("open files")
    assert re.search(r" warn only \d+ connections instead of 10000, .*: the system allows 72 open files; ", line)
    for name, count in {**options, "max-uploads": 16}.items():
        assert re.search(rf", --{name} \d instead of {count}\b", line), line
    assert stats_of(server)["loops"]["count"] == int(re.search(r"--loops (\d)", line).group(1))


def test_says_when_they_are_too_few(root):
    done = subprocess.run(["sh", "-c", f'ulimit -n 40; exec "{BUILD / "posed"}" --root {root} --http 127.0.0.1:0 --cache-dir none'],
                          capture_output=True, text=True, timeout=PATIENCE_S)
    assert done.returncode == 2 and "the system allows 40 open files and the server needs" in done.stderr
    assert "ulimit -Hn" in done.stderr


# --- none for the moment ---

def open_files(server):
    return len(os.listdir(f"/proc/{server.process.pid}/fd"))


def allow(server, files):
    resource.prlimit(server.process.pid, resource.RLIMIT_NOFILE, (files, resource.prlimit(server.process.pid, resource.RLIMIT_NOFILE)[1]))


def check_want(server, loops, begin, end):
    """A port that cannot accept tries again after a pause, not continuously. Then it accepts the waiting clients. It ends when it is told
    to."""
    assert place(server.get("/v1/palette?model=3.gltf")) == 3
    with server.connect() as watcher:

        def count():
            return watcher.get("/v1/stats").json()["connections"]["not_accepted"]

        assert count() == 0
        since_s = time.monotonic()
        begin()
        clients = [Client(server, port, 3) for port in ("http", "packets", "unix") * 7]
        wait_until(lambda: count() >= 3, "it has not rested")
        assert count() <= 3 * loops * ((time.monotonic() - since_s) / PAUSE_S + 2)
        end()
        assert [client.outcome() for client in clients] == [200, "packets", 200] * 7
        begin()
        clients += [Client(server, port, 3) for port in ("http", "packets", "unix")]
        before = count()
        wait_until(lambda: count() > before, "it has not rested")
    for client in clients:
        client.leave(is_rude=False)
    if is_sanitized():
        end()  # leak checkers open files
    server.signal(signal.SIGTERM)
    assert server.wait() == 0


@pytest.mark.parametrize("loops", [1, 2, 4])
def test_descriptors_are_gone_for_a_while(start, root, tmp_path, loops):
    server = start("--loops", str(loops), "--tcp", "127.0.0.1:0", "--unix", str(tmp_path / "socket"), *NO_RENDERING,
                   root=root, files=256)
    check_want(server, loops, lambda: allow(server, 3), lambda: allow(server, 256))


def sweep(server, ask):
    """ask(n) for n = 1 to 16 with a growing number of spare descriptors, from none at all; `ask` closes what it opens."""
    for n, spare in enumerate(range(-2, 14), 1):  # the open files of the server are counted a moment before, and may be fewer by then
        wait_until_idle(server)
        wait_until(lambda: stats_of(server)["connections"]["open"] == 1 and stats_of(server)["imports"]["running"] == 0)
        before = open_files(server)
        with server.connect() as connection:
            assert connection.get("/healthz").status == 200
            allow(server, before + spare)
            ask(connection, n)
        allow(server, 256)


def test_imports_without_descriptors(start, tmp_path):
    """A model is complete or missing: it never lacks a texture that could not be opened, and the shortage is not remembered."""
    root = tmp_path / "root"
    picture = (REPOSITORY / "tests").rglob("*.png")
    texture = next(iter(picture), None)
    for n in range(17):
        (root / str(n)).mkdir(parents=True)
        (root / str(n) / "a.gltf").write_text(gltf(x=n, image="a.png" if texture else None))
        if texture:
            shutil.copy(texture, root / str(n) / "a.png")
    server = start(*NO_RENDERING, root=root, files=256)
    whole = server.get("/v1/model?model=0/a.gltf")
    assert whole.status == 200
    outcomes = []

    def ask(connection, n):
        answer = connection.get(f"/v1/model?model={n}/a.gltf")
        outcomes.append(answer.status)
        if answer.status == 200:
            assert answer.json()["warnings"] == whole.json()["warnings"]
        else:
            assert (answer.status, answer.error()) == (503, "overloaded") and int(answer.headers["retry-after"]) > 0
        allow(server, 256)
        again = connection.get(f"/v1/model?model={n}/a.gltf")
        assert again.status == 200 and again.json()["warnings"] == whole.json()["warnings"]

    sweep(server, ask)
    assert {200, 503} == set(outcomes), outcomes


def test_listings_without_descriptors(start, root):
    (root / "b").mkdir()
    (root / "b" / "b.gltf").write_text(gltf())
    server = start(*NO_RENDERING, root=root, files=256)
    whole = server.get("/v1/models").body
    seen = set()

    def ask(connection, _):
        (root / "b" / "note.txt").write_text("")  # the earlier listing is out of date now
        answer = connection.get("/v1/models")
        seen.add(answer.status)
        assert answer.body == whole if answer.status == 200 else (answer.status, answer.error()) == (503, "overloaded")

    sweep(server, ask)
    assert seen == {200, 503}


@pytest.mark.parametrize("loops", [1, 2])
def test_uploads_without_descriptors(start, root, loops):
    server = start("--loops", str(loops), "--uploads", str(root / "in"), *NO_RENDERING, root=root, files=256)
    assert put(server, "a.gltf", gltf(x=100).encode()).status == 201
    stored, seen = 100, set()

    def ask(connection, n):
        """A refused request has changed nothing."""
        nonlocal stored
        body = gltf(x=n).encode()
        connection.send(f"PUT /v1/models/a.gltf HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body)
        answer = connection.answer()
        seen.add(answer.status)
        assert answer.status == 200 or (answer.status, answer.error()) == (503, "overloaded"), answer.body
        allow(server, 256)
        stored = n if answer.status == 200 else stored
        assert place(server.get("/v1/palette?model=in/a.gltf")) == stored

    sweep(server, ask)
    assert seen == {200, 503}


# --- what no limit of a process makes: stand-ins for accept() ---

@pytest.fixture
def stand_in(start, root, tmp_path):
    """begin(*options): a server with accept_stand_in.c, and the file that it reads."""
    if is_sanitized():
        pytest.skip("a sanitizer has to be the first library of a process")
    library = stand_in_library("accept_stand_in")

    def begin(name, *options):
        says = tmp_path / name
        env = {"LD_PRELOAD": str(library), "ACCEPT_STAND_IN": str(says)}
        return start("--tcp", "127.0.0.1:0", "--unix", f"{says}.socket", *NO_RENDERING, *options, root=root, env=env), says

    return begin


def say(says, word):
    (says.parent / "new").write_text(word)
    os.replace(says.parent / "new", says)


@pytest.mark.parametrize("loops", [1, 2])
@pytest.mark.parametrize("error", ["ENFILE", "ENOMEM"])
def test_the_system_has_none(stand_in, error, loops):
    server, says = stand_in("accept", "--loops", str(loops))
    check_want(server, loops, lambda: say(says, error), says.unlink)


def test_a_loop_that_cannot_go_on_does_not_hold_the_end_back(stand_in):
    """Two servers at once, because each takes a while: one's main loop is stuck, whose thread has the program's name, the other's another
    loop."""
    servers = []
    for thread in ("posed", "loop-2"):
        server, says = stand_in(thread, "--loops", "2", "--drain-timeout", "100ms")
        say(says, thread)
        clients = [server.connect() for _ in range(30)]  # the kernel distributes them over the loops
        wait_until(pathlib.Path(f"{says}.stopped").exists, "no loop stopped")
        server.signal(signal.SIGTERM)
        servers.append((server, clients))
    for server, clients in servers:
        assert server.wait() == 1
        server.ends = (1,)
        assert any("could not be ended in time" in line for line in server.lines())
        for client in clients:
            client.socket.close()
