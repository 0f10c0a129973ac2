"""The rights of the processes that read files and draw pictures: no capability and, if root started the server, another user. Tested on
several kinds of machine, by what the kernel reports from outside."""
import os
import pathlib
import signal
import subprocess
import sys
import tempfile

import pytest

from conftest import BUILD, Server, is_sanitized, wait_until
from importers import importer_of, write_long_model
from render_loads import workers
from small_models import gltf

pytestmark = pytest.mark.skipif(is_sanitized(), reason="sanitizers need what the sandbox takes away")

NOBODY, SOMEBODY = 65534, 65533
OWN = os.geteuid()
ASK = "GET /v1/model?model=long.obj HTTP/1.1\r\nHost: localhost\r\n\r\n"

# A filter as in a chroot and many containers: no user namespaces, also for child processes.
REFUSE_USER_NAMESPACES = """
import ctypes, os, sys
class Compare(ctypes.Structure):
    _fields_ = [("arg", ctypes.c_uint), ("op", ctypes.c_int), ("a", ctypes.c_uint64), ("b", ctypes.c_uint64)]
library = ctypes.CDLL("libseccomp.so.2")
library.seccomp_init.restype = ctypes.c_void_p
new_filter = ctypes.c_void_p(library.seccomp_init(0x7fff0000))
new_user = Compare(0, 7, 0x10000000, 0x10000000)  # CLONE_NEWUSER among the flags
for name in (b"unshare", b"clone"):
    call = library.seccomp_syscall_resolve_name(name)
    assert library.seccomp_rule_add_array(new_filter, 0x00050001, call, 1, ctypes.byref(new_user)) == 0
assert library.seccomp_load(new_filter) == 0
os.execv(sys.argv[1], sys.argv[1:])
"""


INHERITABLE = ("--inh-caps", "+kill,+net_raw", "--ambient-caps", "+kill,+net_raw")

# How the server is started, and the user of its workers.
MACHINES = {
    "as it is": ((), NOBODY if OWN == 0 else OWN),
    "no user namespaces": ((sys.executable, "-c", REFUSE_USER_NAMESPACES), NOBODY if OWN == 0 else OWN),
    "root without capabilities": (("setpriv", "--bounding-set", "-all"), 0),
    "root that could not end another's": (("setpriv", "--bounding-set", "-kill"), 0),
    "root with inheritable ones": (("setpriv", *INHERITABLE), NOBODY),
    "a user with some": (("setpriv", "--reuid", str(SOMEBODY), "--regid", str(SOMEBODY), "--clear-groups", *INHERITABLE),
                         SOMEBODY),
}


@pytest.fixture(scope="module")
def root():
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)  # for the other user
        (pathlib.Path(folder) / "a.gltf").write_text(gltf())
        write_long_model(folder)
        yield folder


@pytest.fixture
def start_by(root, worker_programs):
    """start_by(*command): a server that the command starts, if this machine allows it."""
    if os.environ.get("POSED_SERVER"):
        pytest.skip("needs a server of its own")
    running = []

    def begin(*by):
        tried = subprocess.run([*by, BUILD / "posed", "--version"], capture_output=True, text=True, check=False)
        if tried.returncode != 0:
            pytest.skip(f"not on this machine: {tried.stderr}")
        running.append(Server(root, "--render-workers", "1", "--worker-dir", worker_programs, by=by))
        return running[-1]

    yield begin
    for server in running:
        server.end()


def can_become_nobody():
    tried = ["setpriv", "--reuid", str(NOBODY), "--regid", str(NOBODY), "--clear-groups", "true"]
    effective = next(line for line in pathlib.Path("/proc/self/status").read_text().splitlines() if "CapEff" in line)
    return int(effective.split()[1], 16) >> 5 & 1 and subprocess.run(tried, capture_output=True, check=False).returncode == 0


def check(pid, user):
    """Each thread."""
    for path in pathlib.Path(f"/proc/{pid}/task").glob("*/status"):
        status = dict(line.split(":\t", 1) for line in path.read_text().splitlines() if ":\t" in line)
        for held in ("CapEff", "CapPrm", "CapInh", "CapAmb"):
            assert int(status[held], 16) == 0, (held, status)
        # Shrinking the last set needs a capability.
        assert user in (OWN, SOMEBODY) and user != 0 or int(status["CapBnd"], 16) == 0, status
        assert status["NoNewPrivs"] == "1" and status["Seccomp"] == "2"
        assert set(status["Uid"].split()) == set(status["Gid"].split()) == {str(user)}, status
        assert user != NOBODY or status["Groups"].split() == []


@pytest.mark.parametrize("machine", MACHINES)
def test_rights_of_workers(start_by, machine):
    by, user = MACHINES[machine]
    if "setpriv" in by and OWN != 0:
        pytest.skip("only root can start a server so")
    if user == NOBODY and not can_become_nobody():
        pytest.skip("root cannot become nobody here")
    server = start_by(*by)
    assert server.get("/v1/render?model=a.gltf").status == 200
    check(workers(server)[0], user)
    with server.connect() as connection:
        connection.send(ASK)
        check(importer_of(server), user)
    said = server.wait_for_line("sandbox:")
    assert " info " in said and "workers are confined" in said, said


def test_workers_end_with_the_server(start_by):
    """Also those that cannot end by themselves: the kernel forgets the signal of a parent's death when a process changes its user."""
    server = start_by()
    assert server.get("/v1/render?model=a.gltf").status == 200
    with server.connect() as connection:
        connection.send(ASK)
        left = [importer_of(server), *workers(server)]
        for pid in left:
            os.kill(pid, signal.SIGSTOP)
        server.process.kill()
        server.wait()

    def is_gone(pid):
        try:
            return pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] in "ZX"
        except (FileNotFoundError, ProcessLookupError):
            return True
    try:
        wait_until(lambda: all(map(is_gone, left)), "they outlive it")
    finally:
        for pid in left:
            if not is_gone(pid):
                os.kill(pid, signal.SIGKILL)
