"""Black-box tests: the real server over real sockets.

POSED_BUILD    folder of posed, posed-import and posed-render (default: build)
POSED_SAMPLES  folder of the sample models (default: build/samples)
POSED_LOOPS    --loops of the servers that the tests start (default: 1)
POSED_SERVER   host:port of a server that runs already, on the samples; tests that need one of their own are skipped
"""
import collections
import contextlib
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.parse

import pytest

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
# Test modules, and programs of other folders, import the modules of support/ by name. No test module imports another.
sys.path[:0] = [str(folder) for folder in sorted((REPOSITORY / "tests" / "api").iterdir()) if folder.is_dir()]
sys.path.append(str(REPOSITORY / "tests"))

import areas  # noqa: E402
import conformance  # noqa: E402
import contract_model  # noqa: E402

BUILD = pathlib.Path(os.environ.get("POSED_BUILD", REPOSITORY / "build"))
SAMPLES = pathlib.Path(os.environ.get("POSED_SAMPLES", REPOSITORY / "build" / "samples"))
PATIENCE_S = 120  # for events that are immediate unless the machine is busy
# Timeouts of a server, unless a test is about them: a test, a client or a worker that had to wait for the processor is not a failure.
PATIENT = {f"POSED_{name}_TIMEOUT": f"{PATIENCE_S}s" for name in ("HEADER", "IDLE", "BODY", "WRITE", "IMPORT", "SETTLE", "RENDER")}

PROCESSOR_S = pytest.StashKey()


def is_sanitized():
    """Whether posed was built with sanitizers. They keep freed memory, and work with neither limits on memory nor the sandbox."""
    if not (BUILD / "posed").exists():
        return False
    return "sanitize" in subprocess.run([BUILD / "posed", "--version"], capture_output=True, text=True, check=True).stdout


def pytest_configure(config):
    config.addinivalue_line("markers", "short: quick enough to repeat with other compilers and under sanitizers")
    for name, path in areas.markers().items():
        config.addinivalue_line("markers", f"{name}: the tests of {path}")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Each test has the names of its folder and of its file as markers. tests/areas.txt names them. `make conformance` is the same on every
    machine, and leaves out what needs files from elsewhere."""
    if conformance.FOLDER:
        items[:] = [item for item in items if item.get_closest_marker("skipif") is None]
    for item in items:
        item.add_marker(item.path.parent.name)
        item.add_marker(item.path.stem)


def processor_s():
    """Seconds of processor time of this process and of its children that have ended, as times(2) tells them."""
    return sum(os.times()[:4])


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item):
    item.stash[PROCESSOR_S] = processor_s()


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_runtest_teardown(item):
    """tests/times.py finds what each test cost. A server that many tests share counts where it ends."""
    yield
    item.user_properties.append(("processor_s", f"{processor_s() - item.stash[PROCESSOR_S]:.2f}"))


def pytest_deselected(items):
    """POSED_CHECK_LEFT: a folder in which tests/check.py finds the number of tests in each folder that do not run."""
    left = os.environ.get("POSED_CHECK_LEFT")
    counts = collections.Counter(item.path.parent.name for item in items) if left else {}
    for name, count in counts.items():
        pathlib.Path(left, name).write_text(str(count), encoding="utf-8")


def wait_until(condition, what="it does not come to be so"):
    deadline = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < deadline, what
        time.sleep(0.02)


class Answer:
    """One HTTP answer: status, headers (names in lower case), body."""

    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    def json(self):
        return json.loads(self.body)

    def error(self):
        """The error's code. Checks that the answer is an error according to the contract."""
        assert self.headers["content-type"].startswith("application/json"), self.headers
        error = self.json()["error"]
        assert error["message"], error
        return error["code"]


class Connection:
    """A socket that sends bytes unchanged and reads one answer at a time."""

    def __init__(self, address, timeout_s=PATIENCE_S, receive_bytes=None):
        """receive_bytes: size of the socket's buffer. A small one makes the system accept little for a client that does not read."""
        host, port = address.rsplit(":", 1)
        self.socket = socket.socket(socket.AF_INET6 if "[" in host else socket.AF_INET)
        self.socket.settimeout(timeout_s)
        if receive_bytes:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_bytes)
        self.socket.connect((host.strip("[]"), int(port)))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.unread = b""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def send(self, data):
        self.socket.sendall(data.encode("latin-1") if isinstance(data, str) else data)

    def get(self, target, *headers, method="GET"):
        lines = "".join(line + "\r\n" for line in headers)
        self.send(f"{method} {target} HTTP/1.1\r\nHost: localhost\r\n{lines}\r\n")
        return self.answer(is_head=method == "HEAD")

    def _more(self):
        data = self.socket.recv(65536)
        self.unread += data
        return bool(data)

    def answer(self, is_head=False):
        """The next answer; None if the server closed instead."""
        while b"\r\n\r\n" not in self.unread:
            if not self._more():
                assert not self.unread, self.unread
                return None
        head, self.unread = self.unread.split(b"\r\n\r\n", 1)
        first, *lines = head.decode("latin-1").split("\r\n")
        version, status, _ = first.split(" ", 2)
        assert version == "HTTP/1.1"
        headers = {name.lower(): value.strip() for name, value in (line.split(":", 1) for line in lines)}
        if int(status) < 200:
            return Answer(int(status), headers, b"")
        if is_head or int(status) in (204, 304):
            return Answer(int(status), headers, b"")
        if "transfer-encoding" in headers:
            assert headers["transfer-encoding"] == "chunked" and "content-length" not in headers
            return Answer(int(status), headers, self._chunks())
        return Answer(int(status), headers, self._take(int(headers["content-length"])))

    def _take(self, size):
        """The next `size` bytes, each copied once: bodies of a hundred megabytes would be copied for every piece that arrives."""
        if size <= len(self.unread):
            data, self.unread = self.unread[:size], self.unread[size:]
            return data
        body, taken = bytearray(size), len(self.unread)
        body[:taken], self.unread = self.unread, b""
        with memoryview(body) as rest:
            while taken < size:
                count = self.socket.recv_into(rest[taken:])
                assert count, "the body is cut"
                taken += count
        return bytes(body)

    def _chunks(self):
        """A chunked body (RFC 9112, 7.1), without extensions and trailers."""
        chunks = []
        while True:
            while b"\r\n" not in self.unread:
                assert self._more(), "the body is cut"
            size, self.unread = self.unread.split(b"\r\n", 1)
            chunks.append(self._take(int(size, 16)))
            assert self._take(2) == b"\r\n"
            if not chunks[-1]:
                return b"".join(chunks)

    def is_closed_by_server(self, within_s=PATIENCE_S):
        """True when the server closes without sending anything more."""
        self.socket.settimeout(within_s)
        try:
            return not self.unread and self.socket.recv(1) == b""
        except socket.timeout:
            return False
        except ConnectionResetError:
            return True


# Ends by itself or by one signal; at once by SIGKILL; at once by a second signal.
ENDS = (0, -signal.SIGKILL, 128 + signal.SIGTERM, 128 + signal.SIGINT)


class Server:
    """posed, started on a free port and ended by its process id."""

    def __init__(self, root, *options, env=None, user=None, files=None, by=(), draws=True):
        """files: how many files the system lets it open. by: a command that replaces itself by the program in its arguments. draws: whether
        it has renderers, whose start takes several times as long as everything else."""
        self.root = root
        self.log = tempfile.TemporaryFile()
        self.ends = ENDS
        environment = {k: v for k, v in os.environ.items() if not k.startswith("POSED_")}
        environment.update(PATIENT, POSED_DRAIN_TIMEOUT=f"{PATIENCE_S // 2}s")
        environment["POSED_CACHE_DIR"] = "none"  # tests do not share imports
        environment["POSED_TCP"] = "none"  # one port for all of them
        environment["POSED_RENDER_WORKERS"] = "1" if draws else "0"  # tests about more name a number
        environment["POSED_LOOPS"] = os.environ.get("POSED_LOOPS", "1")
        limit = ["sh", "-c", f'ulimit -n {files}; exec "$@"', "sh"] if files else []
        self.process = subprocess.Popen(
            [*by, *limit, BUILD / "posed", "--root", root, "--http", "127.0.0.1:0", *options],
            stdout=subprocess.PIPE, stderr=self.log, env={**environment, **(env or {})}, user=user)
        line = self.process.stdout.readline().decode()
        assert line.startswith("posed ready "), (line, self.lines())
        self.ports = dict(port.split("=", 1) for port in line.split()[2:])
        self.address = self.ports.get("http")

    def connect(self, **options):
        return Connection(self.address, **options)

    def get(self, target, *headers, method="GET"):
        with self.connect() as connection:
            answer = connection.get(target, *headers, method=method)
        conformance.note_answer(self.root, target, answer, method)
        return answer

    def json(self, path, /, **query):
        """The JSON of an answer that must be a 200."""
        answer = self.get(path + ("?" + urllib.parse.urlencode(query, doseq=True) if query else ""))
        assert answer.status == 200, answer.body
        return answer.json()

    @property
    def url(self):
        return "http://" + self.address

    def lines(self):
        """The server's output on stderr so far."""
        # Not by seek(): the server writes through the same open file, and a seek would move its position.
        size = os.fstat(self.log.fileno()).st_size
        return os.pread(self.log.fileno(), size, 0).decode(errors="replace").splitlines()

    def wait_for_line(self, text):
        deadline = time.monotonic() + PATIENCE_S
        while time.monotonic() < deadline:
            for line in self.lines():
                if text in line:
                    return line
            time.sleep(0.02)
        raise AssertionError(f"no log line with {text!r}: {self.lines()}")

    def signal(self, number):
        self.process.send_signal(number)

    def wait(self, timeout_s=PATIENCE_S):
        return self.process.wait(timeout_s)

    def end(self):
        """End the server if it runs. Fails if it ended otherwise than by a signal of a test, because clients see only a reset when a server
        crashes."""
        if self.log.closed:
            return
        if self.process.poll() is None:
            self.signal(signal.SIGTERM)
            try:
                self.wait()
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        said = self.lines()[-30:]
        self.process.stdout.close()
        self.log.close()
        assert self.process.returncode in self.ends, (self.process.returncode, said)


class RunningServer:
    """A server that someone else started: POSED_SERVER=host:port."""

    def __init__(self, address):
        self.address, self.root = address, SAMPLES

    connect = Server.connect
    get = Server.get
    json = Server.json
    url = Server.url


@pytest.fixture(scope="session")
def server():
    """A server on the sample models (an empty folder if there are none), shared by all tests that change nothing."""
    if os.environ.get("POSED_SERVER"):
        yield RunningServer(os.environ["POSED_SERVER"])
        return
    with tempfile.TemporaryDirectory() as empty:
        running = Server(SAMPLES if SAMPLES.is_dir() else empty)
        yield running
        code = running.process.poll()
        running.end()
        assert code is None, f"the shared server died with {code}"
        assert running.process.returncode == 0


@pytest.fixture(scope="session")
def awkward(tmp_path_factory):
    """A server with a single model, awkward.gltf of contract_model.py, shared by tests that change nothing."""
    if os.environ.get("POSED_SERVER"):
        pytest.skip("needs a server of its own")
    root = tmp_path_factory.mktemp("awkward")
    (root / "awkward.gltf").write_text(contract_model.awkward())
    running = Server(root)
    yield running
    code = running.process.poll()
    running.end()
    assert code is None, f"the server died with {code}"


@pytest.fixture
def start(tmp_path, request):
    """start(*options, root=..., env=..., files=...): a server of the test's own; default root: an empty folder. In a module with DRAWS =
    False it has no renderers."""
    if os.environ.get("POSED_SERVER"):
        pytest.skip("needs a server of its own")
    with contextlib.ExitStack() as running:

        def begin(*options, root=tmp_path, env=None, files=None):
            server = Server(root, *options, env=env, files=files, draws=getattr(request.module, "DRAWS", True))
            running.callback(server.end)
            return server

        yield begin


@pytest.fixture(scope="session")
def worker_programs():
    """Copies of the workers where another user finds them, too, wherever the build is."""
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        for name in ("posed-import", "posed-assimp.so", "posed-render"):
            shutil.copy(BUILD / name, folder)
        yield folder


@pytest.fixture
def command():
    """command(*options): runs posed to its end; returns (exit status, stdout, stderr)."""
    if os.environ.get("POSED_SERVER"):
        pytest.skip("needs the program")

    def run(*options, env=None):
        environment = {k: v for k, v in os.environ.items() if not k.startswith("POSED_")}
        done = subprocess.run([BUILD / "posed", *options], capture_output=True, text=True, timeout=PATIENCE_S,
                              env={**environment, **(env or {})})
        return done.returncode, done.stdout, done.stderr

    return run


@pytest.fixture(scope="session")
def a_model(server):
    """The name of one of the server's models, percent-encoded for a query."""
    models = server.get("/v1/models").json()["models"]
    if not models:
        pytest.skip("no sample models")
    return urllib.parse.quote(models[0]["model"])
