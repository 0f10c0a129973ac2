"""The workers are confined: forbidden actions, tried from inside; the answer for each kind of end; and machines that do not let workers
give up system calls."""
import ctypes
import os
import pathlib
import signal
import socket
import stat
import subprocess

import pytest

from conftest import BUILD, PATIENCE_S, REPOSITORY, Connection, is_sanitized
from disk_kills import fork_servers
from importers import NO_RENDERING, REAL, importer_of, install, write_long_model
from render_loads import workers
from small_models import gltf

pytestmark = pytest.mark.skipif(is_sanitized(), reason="sanitizers need what the sandbox takes away")

# The actions that kill the importer, and their system calls on x86-64.
FORBIDDEN = {"open": "openat", "create": "openat", "openat2": "openat2", "socket": "socket",
             "socket-unix": "socket", "execve": "execve", "fork": "clone", "vfork": "clone", "ptrace": "ptrace",
             "kill": "kill", "kill-group": "kill", "process-vm-readv": "process_vm_readv", "unshare": "unshare",
             "setrlimit": "prlimit64", "setpriority": "setpriority", "sigaction": "rt_sigaction", "ioctl": "ioctl",
             "memfd": "memfd_create", "io-uring": "io_uring_setup", "bpf": "bpf", "userfaultfd": "userfaultfd",
             "seccomp": "seccomp", "write": "write", "writev": "writev", "thread": "clone", "setuid": "setresuid",
             "capset": "capset"}
# Actions that a driver might try: the renderer gets an error and lives.
ONLY_DENIED_TO_RENDER = dict.fromkeys(("open", "create", "setrlimit", "setpriority", "ioctl", "memfd", "write", "writev"),
                                      "Operation not permitted") | {"thread": "Resource temporarily unavailable"}


@pytest.fixture
def root(tmp_path):
    folder = tmp_path / "root"
    folder.mkdir()
    (folder / "a.gltf").write_text(gltf())
    return folder


def attempt(program, name):
    done = subprocess.run([BUILD / program, "--attempt", name], capture_output=True, text=True, timeout=30, check=False)
    assert "sandbox: system calls=filtered" in done.stderr, done.stderr
    return done.returncode, done.stderr.splitlines()[-1]


# ---- from inside ----

@pytest.mark.parametrize("name", FORBIDDEN)
def test_forbidden_to_importers(name):
    code, words = attempt("posed-import", name)
    assert code == -signal.SIGSYS and words.startswith("refused system call "), words


@pytest.mark.parametrize("name", FORBIDDEN)
def test_forbidden_to_renderers(name):
    code, words = attempt("posed-render", name)
    if name in ONLY_DENIED_TO_RENDER:
        assert (code, words) == (0, f"failed: {ONLY_DENIED_TO_RENDER[name]}")
    else:
        assert code == -signal.SIGSYS and words.startswith("refused system call "), words


def test_every_attempt_is_listed():
    for program in ("posed-import", "posed-render"):
        listed = subprocess.run([BUILD / program, "--attempt", "list"], capture_output=True, text=True, check=True).stdout
        assert {line.split("\t")[0] for line in listed.splitlines()} == {*FORBIDDEN, "memory", "processor-time"}


def test_self_test(command):
    status, out, err = command("--self-test-sandbox")
    assert (status, err) == (0, "") and "POSSIBLE" not in out
    importer, renderer = out.split("posed-render\n")
    for half in (importer, renderer):
        rows = {line.split("  ")[1]: line for line in half.splitlines() if line.startswith("  ")}
        assert set(FORBIDDEN) | {"memory", "processor-time", "system calls", "Landlock", "namespaces", "user"} <= set(rows)
        assert all("refused: " in rows[name] for name in FORBIDDEN)
        assert "refused: killed after 1 s" in rows["processor-time"]
        assert rows["capabilities"].split()[1].startswith("none")
        assert rows["core dump"].split()[-2:] == ["0", "bytes"]
        assert rows["out-of-memory score"].split()[-1] == "1000"
    # Without the sandbox the same calls succeed, otherwise the attempts would prove nothing.
    status, out, _ = command("--self-test-sandbox", "--sandbox", "off")
    assert status == 1 and "NOT CONFINED" in out
    possible = {line.split("  ")[1] for line in out.splitlines() if "POSSIBLE" in line}
    assert {"open", "create", "socket", "execve", "fork", "thread", "ptrace", "memfd", "write"} <= possible
    assert not {"capset", "processor-time"} & possible  # no filter has to refuse these


# ---- each end has its code ----

@pytest.mark.parametrize("name", ["open", "socket", "execve", "fork", "ptrace"])
def test_refused_call_is_an_answer(start, root, tmp_path, name):
    server = start(*install(tmp_path / "bin", f"exec {REAL.split()[0]} --attempt {name}"), root=root)
    answer = server.get("/v1/palette?model=a.gltf")
    assert (answer.status, answer.error()) == (422, "import_syscall")
    message = answer.json()["error"]["message"]
    assert "a.gltf" in message and (os.uname().machine != "x86_64" or f" {FORBIDDEN[name]}()" in message)
    assert server.json("/v1/stats")["imports"]["failed"] == {"import_syscall": 1}
    assert server.get("/healthz").status == 200


def test_the_last_words_on_a_broken_heap_are_passed_on(start, root, tmp_path):
    server = start(*install(tmp_path / "bin", f"exec {REAL.split()[0]} --attempt broken-heap"), root=root)
    answer = server.get("/v1/palette?model=a.gltf")
    assert (answer.status, answer.error()) == (422, "import_aborted")
    assert "a.gltf" in answer.json()["error"]["message"] and "free(): invalid" in answer.json()["error"]["message"]


@pytest.mark.parametrize("number, code", [
    (signal.SIGKILL, "import_killed"), (signal.SIGTERM, "import_killed"), (signal.SIGSEGV, "import_crashed"), (signal.SIGABRT, "import_aborted"),
    (signal.SIGXCPU, "import_cpu")])
def test_signal_to_a_real_importer(start, root, number, code):
    write_long_model(root)
    server = start(*NO_RENDERING, root=root)
    with server.connect() as connection:
        connection.send("GET /v1/model?model=long.obj HTTP/1.1\r\nHost: localhost\r\n\r\n")
        pid = importer_of(server)
        os.kill(pid, number)
        answer = connection.answer()
        assert (answer.status, answer.error()) == (503 if code == "import_killed" else 422, code), answer.body
    assert not pathlib.Path(f"/proc/{pid}").exists()
    assert server.json("/v1/stats")["imports"]["failed"] == {code: 1}
    assert server.get("/v1/palette?model=a.gltf").status == 200


def nice_of(place):
    """Of a process or a thread, below /proc."""
    return int(pathlib.Path(f"/proc/{place}/stat").read_text().rsplit(")", 1)[1].split()[16])


def test_who_goes_first(start, root):
    """The server and the process that forks importers run at normal priority. Workers give way to them, with all threads."""
    write_long_model(root)
    server = start("--render-workers", "1", root=root)
    own = nice_of(server.process.pid)
    assert server.get("/v1/render?model=a.gltf&width=16&height=16").status == 200
    renderer, = workers(server)
    assert {nice_of(f"{renderer}/task/{thread}") for thread in os.listdir(f"/proc/{renderer}/task")} == {19}
    with server.connect() as connection:
        connection.send("GET /v1/model?model=long.obj HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert nice_of(importer_of(server)) == 19
        assert {nice_of(pid) for pid in fork_servers(server)} == {own}
        assert connection.answer().status == 200


def test_result_that_is_too_large(start, root):
    write_long_model(root)
    server = start(*NO_RENDERING, "--max-model", "1m", root=root)
    answer = server.get("/v1/model?model=long.obj")
    # The importer counts what it makes, or the kernel limits what it writes.
    assert answer.status == 422 and answer.error() in ("model_limit", "import_too_large"), answer.body
    assert "1048576" in answer.json()["error"]["message"]


def test_files_that_crash_assimp(start):
    bad = REPOSITORY.parent / "shared" / "models" / "bad" / "invalid"
    if not bad.is_dir():
        pytest.skip("no ../shared/models here")
    server = start(*NO_RENDERING, root=bad)
    for path in sorted(bad.iterdir()):
        answer = server.get(f"/v1/model?model={path.name}")
        assert answer.status in (200, 415, 422), (path, answer.body)
        if path.name.startswith("crash-30d6d0"):  # a PLY file that posed's own reader refuses
            assert answer.error() == "bad_model"
        if path.name.startswith("OutOfMemory"):
            assert answer.error() == "import_memory"
    assert server.get("/healthz").status == 200


# ---- what a process has ----

def test_limits_of_a_real_importer(start, root):
    write_long_model(root)
    server = start(*NO_RENDERING, "--import-memory", "1g", "--import-cpu", "50s", root=root)
    with server.connect() as connection:
        connection.send("GET /v1/model?model=long.obj HTTP/1.1\r\nHost: localhost\r\n\r\n")
        proc = pathlib.Path(f"/proc/{importer_of(server)}")
        assert (proc / "oom_score_adj").read_text().strip() == "1000"
        status = dict(line.split(":\t", 1) for line in (proc / "status").read_text().splitlines() if ":\t" in line)
        assert status["NoNewPrivs"] == "1" and status["Threads"] == "1"
        limits = {line[:26].strip(): line[26:].split()[0] for line in (proc / "limits").read_text().splitlines()}
        assert limits["Max address space"] == str(1 << 30) and limits["Max cpu time"] == "50"
        assert limits["Max core file size"] == "0" and limits["Max open files"] == "64"
        files = [os.readlink(proc / "fd" / name) for name in os.listdir(proc / "fd")]
        # /dev/null, the pipe for messages, the socket for requests and the result; for a moment a file that it was given. No directory, no
        # client's socket, no port.
        kinds = sorted(name.split(":")[0].split(" ")[0] for name in files if name != str(root / "long.obj"))
        assert kinds == ["/dev/null", "/dev/null", "/memfd", "pipe", "socket"] or \
            kinds == ["/dev/null", "/dev/null", "/memfd", "socket", "socket"], files
        assert connection.answer().status == 200


def test_limits_of_a_renderer(start, root):
    server = start("--render-workers", "1", root=root)
    assert server.get("/v1/render?model=a.gltf").status == 200
    children = pathlib.Path(f"/proc/{server.process.pid}/task/{server.process.pid}/children").read_text().split()
    proc = next(p for p in map(pathlib.Path, (f"/proc/{pid}" for pid in children))
                if "posed-render" in (p / "comm").read_text())
    assert (proc / "oom_score_adj").read_text().strip() == "1000"
    limits = {line[:26].strip(): line[26:].split()[0] for line in (proc / "limits").read_text().splitlines()}
    assert int(limits["Max cpu time"]) >= 3600 and limits["Max processes"] == "0"
    for thread in (proc / "task").iterdir():  # including the driver's
        status = (thread / "status").read_text()
        assert "Seccomp:\t2" in status and "NoNewPrivs:\t1" in status and "CapEff:\t0000000000000000" in status


SUBVERTED = r"""
#include <linux/futex.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { WANTED = 8000 };
static void *stay(void *word) { for (;;) syscall(SYS_futex, word, FUTEX_WAIT, 0, NULL, NULL, 0); }

/* the renderer waits for its next job */
ssize_t recvmsg(int fd, struct msghdr *message, int flags)
{
    static int made = -1, word;
    pthread_attr_t small;
    pthread_t thread;
    if (made < 0) {
        pthread_attr_init(&small);
        pthread_attr_setstacksize(&small, 16384);
        for (int i = made = 0; i < WANTED; i++)
            made += pthread_create(&thread, &small, stay, &word) == 0;
        dprintf(STDERR_FILENO, "subverted: made %d of %d threads\n", made, WANTED);
    }
    return syscall(SYS_recvmsg, fd, message, flags);
}
"""


@pytest.mark.parametrize("gl", ["osmesa", "egl"])
def test_subverted_renderer_makes_no_threads(start, root, tmp_path, gl):
    source, library = tmp_path / "subverted.c", tmp_path / "subverted.so"
    source.write_text(SUBVERTED)
    subprocess.run([os.environ.get("CC", "cc"), "-D_GNU_SOURCE", "-shared", "-fPIC", "-o", library, source], check=True)
    server = start("--render-workers", "1", "--gl", gl, root=root, env={"LD_PRELOAD": str(library)})
    answer = server.get("/v1/render?model=a.gltf")
    if answer.status == 503 and "nothing to draw with" in answer.json()["error"]["message"]:
        pytest.skip(f"no {gl} here")
    assert answer.status == 200  # only with the driver's threads
    renderer = workers(server)[0]
    count = len(os.listdir(f"/proc/{renderer}/task"))
    os.kill(renderer, signal.SIGTERM)
    assert "subverted: made 0 of 8000 threads" in server.wait_for_line("posed-render was killed by signal 15")
    assert count < 16


# ---- companions ----

def test_companions_beyond_the_root(start, root, tmp_path):
    secret = tmp_path / "secret.bin"
    secret.write_bytes(bytes(1000))
    (root / "link.bin").symlink_to(secret)
    (root / "linked").symlink_to(tmp_path)
    os.mkfifo(root / "fifo.bin")
    listening = socket.socket(socket.AF_UNIX)
    listening.bind(str(root / "socket.bin"))
    names = ["../secret.bin", "../../../../../../etc/passwd", "/etc/passwd", "link.bin", "linked/secret.bin", "fifo.bin",
             "socket.bin", ".", "..", "/dev/zero", "file:///etc/passwd", "..%2f..%2fetc%2fpasswd", "/proc/self/environ"]
    if os.geteuid() == 0:
        try:
            os.mknod(root / "device.bin", stat.S_IFCHR | 0o666, os.makedev(1, 5))
            names.append("device.bin")
        except PermissionError:
            pass
    server = start(*NO_RENDERING, root=root)
    for i, name in enumerate(names):
        (root / f"{i}.gltf").write_text(gltf(buffer=name))
        answer = server.get(f"/v1/model?model={i}.gltf")
        assert answer.status == 422 and answer.error() in ("companion_missing", "bad_model"), (name, answer.body)
    # Files that a material file of assimp's names are found in the same way.
    (root / "m.obj").write_text("mtllib ../../../../../../etc/passwd\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    assert server.get("/v1/model?model=m.obj").status == 200
    listening.close()


# ---- machines that do not let workers give anything up ----

def no_filters():
    """A filter of the test: this process and its children cannot make another."""
    library = ctypes.CDLL("libseccomp.so.2", use_errno=True)
    library.seccomp_init.restype = ctypes.c_void_p
    errno_eperm, allow = 0x00050001, 0x7fff0000
    filter_ = ctypes.c_void_p(library.seccomp_init(allow))
    for name in (b"landlock_create_ruleset", b"unshare", b"seccomp"):
        library.seccomp_rule_add(filter_, errno_eperm, library.seccomp_syscall_resolve_name(name), 0)
    rule = library.seccomp_rule_add_array
    class Compare(ctypes.Structure):
        _fields_ = [("arg", ctypes.c_uint), ("op", ctypes.c_int), ("a", ctypes.c_uint64), ("b", ctypes.c_uint64)]
    set_seccomp = Compare(0, 4, 22, 0)  # prctl(PR_SET_SECCOMP)
    rule(filter_, errno_eperm, library.seccomp_syscall_resolve_name(b"prctl"), 1, ctypes.byref(set_seccomp))
    if library.seccomp_load(filter_) != 0:
        os._exit(99)


def run_without_filters(*options):
    return subprocess.Popen([BUILD / "posed", "--http", "127.0.0.1:0", "--tcp", "none", *options], stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True, preexec_fn=no_filters)


def test_require_refuses_to_start(root):
    process = run_without_filters("--root", root, "--sandbox", "require")
    out, err = process.communicate(timeout=30)
    assert (process.returncode, out) == (2, "")
    assert "--sandbox require" in err and "no filter on system calls" in err and "the kernel or the container refuses one" in err


@pytest.mark.parametrize("late_s", [0.3, 0.6, 0.9, 2])
def test_a_start_that_is_refused_late_ends_in_order(root, tmp_path, late_s):
    """When the loop's timers (EXPIRE_MS and STALL_MS in loop.c) would be due, had they begun with the start."""
    for name in "posed-import", "posed-render":
        (tmp_path / name).write_text(f'#!/bin/sh\nsleep {late_s}\nexec "{BUILD / name}" "$@"\n')
        (tmp_path / name).chmod(0o755)
    process = run_without_filters("--root", root, "--sandbox", "require", "--worker-dir", tmp_path)
    out, err = process.communicate(timeout=PATIENCE_S)
    assert (process.returncode, out) == (2, "") and "--sandbox require" in err


def test_try_goes_on_with_a_warning(root):
    process = run_without_filters("--root", root)
    address = process.stdout.readline().split("http=")[1].split()[0]
    try:
        with Connection(address) as connection:
            assert connection.get("/v1/palette?model=a.gltf").status == 200
            assert connection.get("/v1/render?model=a.gltf").status == 200
    finally:
        process.terminate()
        _, err = process.communicate(timeout=30)
    lines = [line for line in err.splitlines() if "sandbox" in line]
    assert len(lines) == 1 and " warn " in lines[0] and "unfiltered" in lines[0], err
    assert process.returncode == 0


def test_one_line_at_start(start, root):
    for options, level, word in ((NO_RENDERING, "info", "workers are confined"),
                                 ((*NO_RENDERING, "--sandbox", "require"), "info", "workers are confined"),
                                 ((*NO_RENDERING, "--sandbox", "off"), "warn", "switched off")):
        server = start(*options, root=root)
        lines = [line for line in server.lines() if "sandbox:" in line]
        assert len(lines) == 1 and f" {level} " in lines[0] and word in lines[0], lines
        assert server.get("/v1/palette?model=a.gltf").status == 200
