"""The system gives the server less memory than the machine has: by ulimit -v, or by a control group."""
import contextlib
import os
import pathlib
import resource
import sys

import pytest

from conftest import is_sanitized, wait_until
from disk_kills import children, fork_servers
from importers import NO_RENDERING, install
from server_state import memory_kib
from small_models import gltf, place

PALETTE = "/v1/palette?model=a.gltf"
MIB = 1 << 20

pytestmark = pytest.mark.skipif(is_sanitized(), reason="a sanitizer bears no limit on memory")


@pytest.fixture
def root(tmp_path):
    folder = tmp_path / "root"
    folder.mkdir()
    (folder / "a.gltf").write_text(gltf(x=1))
    (folder / "large.gltf").write_text(gltf(x=2, triangles=20000))
    return folder


@contextlib.contextmanager
def address_space(size_bytes):
    before = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (size_bytes, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)


def test_clients_cannot_use_up_a_small_address_space(start, root):
    with address_space(300 * MIB):
        server = start(*NO_RENDERING, root=root)
    assert place(server.get(PALETTE)) == 1
    held = []
    for _ in range(400):  # bodies that do not end, and answers that nobody reads
        held.append(server.connect())
        with contextlib.suppress(OSError):
            held[-1].send("POST /v1/query HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 1000000\r\n\r\n"
                          + "[" * 900000)
        held.append(server.connect())
        held[-1].send(2 * "GET /v1/mesh?model=large.gltf HTTP/1.1\r\nHost: localhost\r\n\r\n")
    assert place(server.get(PALETTE)) == 1
    assert server.json("/v1/stats")["connections"]["open"] > 300
    for one in held:
        one.socket.close()
    wait_until(lambda: server.json("/v1/stats")["connections"]["open"] == 1)
    answer = server.get("/v1/mesh?model=large.gltf")
    assert answer.status == 200, answer.body
    assert memory_kib(server) < 150 * 1024


class Group:
    """A control group of this machine with a limit on memory, version 1 or 2."""

    def __init__(self, limit_bytes):
        base = pathlib.Path("/sys/fs/cgroup")
        is_v1 = (base / "memory").is_dir()
        self.path = (base / "memory" if is_v1 else base) / f"posed-test-{os.getpid()}"
        try:
            self.path.mkdir()
            (self.path / ("memory.limit_in_bytes" if is_v1 else "memory.max")).write_text(str(limit_bytes))
        except OSError as problem:
            self.remove()
            pytest.skip(f"may not make a control group: {problem}")

    def remove(self):
        with contextlib.suppress(OSError):
            self.path.rmdir()


@pytest.fixture
def group():
    one = Group(256 * MIB)
    yield one
    wait_until(lambda: not (one.path / "cgroup.procs").read_text(), "somebody is left in the control group")
    one.remove()


def test_an_importer_ends_before_the_server(group, start, root, tmp_path):
    """The kernel ends the worker that uses up the group's memory, and no other process."""
    eat = f"{sys.executable} -c 'x = [bytearray(b\"x\" * (1 << 20)) for _ in range(4000)]'"
    options = install(tmp_path / "bin", f'echo 1000 > /proc/self/oom_score_adj; case "$*" in *large*) exec {eat};; esac; exec {{real}}')
    server = start(*options, root=root)
    for pid in (server.process.pid, *fork_servers(server)):
        (group.path / "cgroup.procs").write_text(str(pid))
    for _ in range(3):
        answer = server.get("/v1/model?model=large.gltf")
        assert answer.error() in ("import_memory", "import_killed"), answer.body
        assert place(server.get(PALETTE)) == 1
    wait_until(lambda: not children(server))
    assert server.process.poll() is None
    server.end()
