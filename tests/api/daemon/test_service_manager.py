"""What systemd sends and receives: sockets that it passes, reloads, and the watchdog. The test acts as systemd."""
import contextlib
import os
import pathlib
import shutil
import signal
import socket
import subprocess

import pytest

from conftest import BUILD, PATIENCE_S, REPOSITORY, Connection, is_sanitized, wait_until
from importers import NO_RENDERING
from packets import Link
from small_models import gltf

# A shell names the intended process, and then becomes the server, as a service manager does between fork and exec.
BECOME = 'export LISTEN_PID=$$; exec "$@"'


@pytest.fixture
def notified(tmp_path):
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(str(tmp_path / "notify"))
        manager.settimeout(PATIENCE_S)
        yield manager


@contextlib.contextmanager
def passed(tmp_path, sockets, *options, names=None, count=None, pid=None):
    """A server started with these sockets from descriptor 3 on. Returns (process, its first line, stderr so far)."""
    env = {key: value for key, value in os.environ.items() if not key.startswith("POSED_")}
    env.update({"LISTEN_FDS": str(len(sockets) if count is None else count)}, **({} if names is None else {"LISTEN_FDNAMES": names}))
    become = BECOME if pid is None else BECOME.replace("$$", str(pid))

    def prepare():
        spare = [os.dup(one.fileno()) for one in sockets]
        high = [os.dup2(fd, 100 + i) for i, fd in enumerate(spare)]
        for i, fd in enumerate(high):
            os.dup2(fd, 3 + i, inheritable=True)
            os.close(fd)

    with open(tmp_path / "log", "wb") as log:
        process = subprocess.Popen(["sh", "-c", become, "sh", BUILD / "posed", "--root", tmp_path, "--cache-dir", "none", *NO_RENDERING,
                                    *options], stdout=subprocess.PIPE, stderr=log, env=env, preexec_fn=prepare, close_fds=False)
    try:
        yield process, process.stdout.readline().decode(), lambda: (tmp_path / "log").read_text()
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
            assert process.wait(PATIENCE_S) == 0
    finally:
        process.kill()
        process.communicate()


def listening(where="127.0.0.1", family=socket.AF_INET):
    one = socket.socket(family)
    one.bind((where, 0) if family != socket.AF_UNIX else where)
    one.listen()
    return one


def name_of(one):
    return "{}:{}".format(*one.getsockname()[:2])


def test_sockets_by_their_names(tmp_path):
    (tmp_path / "a.gltf").write_text(gltf())
    with listening() as tcp, listening() as http, listening() as more, listening(str(tmp_path / "s"), socket.AF_UNIX) as unix, \
            passed(tmp_path, [tcp, http, unix, more], names="tcp:http:unix:http") as (_, line, _):
        assert line == f"posed ready tcp={name_of(tcp)} http={name_of(http)} unix={tmp_path}/s http={name_of(more)}\n"
        for one in http, more:
            with Connection(name_of(one)) as connection:
                assert connection.get("/v1/model?model=a.gltf").status == 200
        for address in name_of(tcp), str(tmp_path / "s"):
            with Link(address) as link:
                assert link.open("a.gltf")
    assert (tmp_path / "s").exists(), "the socket is not the server's"


@pytest.mark.parametrize("loops", ["1", "3"])
def test_sockets_without_names(tmp_path, loops):
    """A unit without FileDescriptorName= passes them with its own name."""
    with listening(str(tmp_path / "s"), socket.AF_UNIX) as unix, listening() as http, listening() as tcp, \
            passed(tmp_path, [unix, http, tcp], "--loops", loops, names="posed.socket:posed.socket:posed.socket") as (_, line, said):
        assert line == f"posed ready unix={tmp_path}/s http={name_of(http)} tcp={name_of(tcp)}\n"
        for _ in range(20):
            with Connection(name_of(http)) as connection, Link(str(tmp_path / "s")) as link, Link(name_of(tcp)) as other:
                assert connection.get("/healthz").status == 200
                assert link.ask("ping").kind == other.ask("ping").kind == "done"
        assert "listening on 3 sockets that were passed" in said()


@pytest.mark.parametrize("loops", ["1", "3"])
def test_the_port_of_those_who_watch_is_passed_or_opened(tmp_path, loops):
    with listening() as http, listening() as admin, passed(tmp_path, [http, admin], "--loops", loops, names="http:admin") as (_, line, _):
        assert line == f"posed ready http={name_of(http)} admin={name_of(admin)}\n"
        for _ in range(5):
            with Connection(name_of(admin)) as one:
                assert one.get("/metrics").status == 200 and one.get("/v1/models").status == 404
    with listening() as http, passed(tmp_path, [http], "--loops", loops, "--admin", "127.0.0.1:0") as (_, line, _):
        assert line.startswith(f"posed ready http={name_of(http)} admin=127.0.0.1:")
        with Connection(line.strip().rpartition("=")[2]) as one:
            assert one.get("/metrics").status == 200


def test_the_next_server_has_the_connections_of_between(tmp_path):
    with listening() as http:
        with passed(tmp_path, [http]) as (_, line, _):
            assert line == f"posed ready http={name_of(http)}\n"
        with Connection(name_of(http)) as waiting:
            waiting.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
            with passed(tmp_path, [http]):
                assert waiting.answer().status == 200


def test_who_may_ask_follows_the_socket(tmp_path):
    """A socket that other machines reach accepts any Host name, as with --http, and the log warns."""
    with listening("0.0.0.0") as http, passed(tmp_path, [http]) as (_, _, said):
        with Connection(f"127.0.0.1:{http.getsockname()[1]}") as one:
            one.send("GET /v1/models HTTP/1.1\r\nHost: any.example\r\n\r\n")
            assert one.answer().status == 200
        assert "everyone who reaches this server can read the models" in said()
    with listening() as http, passed(tmp_path, [http]) as (_, _, said):
        with Connection(name_of(http)) as one:
            one.send("GET /v1/models HTTP/1.1\r\nHost: any.example\r\n\r\n")
            assert one.answer().status == 421


def test_what_is_meant_for_another_process(tmp_path):
    with listening() as http, passed(tmp_path, [http], "--http", "127.0.0.1:0", "--tcp", "none", pid=1) as (_, line, _):
        assert name_of(http) not in line and " http=127.0.0.1:" in line


def unbound(kind=socket.SOCK_STREAM):
    one = socket.socket(socket.AF_INET, kind)
    one.bind(("127.0.0.1", 0))
    return one


@pytest.mark.parametrize("make, options, words", [
    (lambda path: [unbound()], {}, "descriptor 3 of LISTEN_FDS is not a listening socket"),
    (lambda path: [unbound(socket.SOCK_DGRAM)], {}, "descriptor 3 of LISTEN_FDS is neither a TCP socket nor a Unix stream socket"),
    (lambda path: [open("/dev/null")], {}, "descriptor 3 of LISTEN_FDS is no socket"),
    (lambda path: [listening()], {"names": "unix"}, "the socket 'unix' of LISTEN_FDS is no Unix socket"),
    (lambda path: [listening(path, socket.AF_UNIX)], {"names": "http"}, "the socket 'http' of LISTEN_FDS is a Unix socket"),
    (lambda path: [listening()], {"names": "http:tcp"}, "LISTEN_FDNAMES has 2 names for 1 sockets"),
    (lambda path: [listening(), listening(), listening()], {}, "what socket 3 of LISTEN_FDS is for is not known"),
    (lambda path: [listening()], {"count": "many"}, "LISTEN_FDS='many' is not a number"),
    (lambda path: [listening()], {"count": "99"}, "LISTEN_FDS=99 is more than 16 sockets"),
])
def test_sockets_that_do_not_fit(tmp_path, make, options, words):
    with contextlib.ExitStack() as opened:
        sockets = [opened.enter_context(one) for one in make(str(tmp_path / "s"))]
        with passed(tmp_path, sockets, **options) as (process, line, said):
            assert line == "" and process.wait(PATIENCE_S) == 2
            assert said().startswith("posed: ") and words in said(), said()


# --- states ---

def test_a_reload_is_told(start, tmp_path, notified):
    tokens = tmp_path / "tokens"
    tokens.write_text("a-token-of-20-letters\n")
    server = start(*NO_RENDERING, "--token-file", str(tokens), env={"NOTIFY_SOCKET": str(tmp_path / "notify")})
    assert notified.recv(100) == b"READY=1"
    for text in "another-token-of-20-letters\n", "wrong\n":
        tokens.write_text(text)
        server.signal(signal.SIGHUP)
        first, second = notified.recv(100).decode().split("\n")
        assert first == "RELOADING=1" and second.startswith("MONOTONIC_USEC=") and int(second[15:]) > 0
        assert notified.recv(100) == b"READY=1"
    server.signal(signal.SIGTERM)
    assert notified.recv(100) == b"STOPPING=1"


def test_nothing_to_reload_is_no_reload(start, tmp_path, notified):
    server = start(*NO_RENDERING, env={"NOTIFY_SOCKET": str(tmp_path / "notify")})
    assert notified.recv(100) == b"READY=1"
    server.signal(signal.SIGHUP)
    server.wait_for_line("SIGHUP: there is nothing to reload")
    server.signal(signal.SIGTERM)
    assert notified.recv(100) == b"STOPPING=1"


def watched(tmp_path, usec="1000000", **more):
    return {"NOTIFY_SOCKET": str(tmp_path / "notify"), "WATCHDOG_USEC": usec, **more}


@pytest.mark.parametrize("loops", ["1", "2"])
def test_the_watchdog_is_told(start, tmp_path, notified, loops):
    server = start(*NO_RENDERING, "--loops", loops, env=watched(tmp_path))
    heard = [notified.recv(100) for _ in range(6)]
    assert sorted(set(heard)) == [b"READY=1", b"WATCHDOG=1"] and heard.count(b"READY=1") == 1
    server.signal(signal.SIGTERM)
    while notified.recv(100) != b"STOPPING=1":
        pass
    assert server.wait() == 0


@pytest.mark.parametrize("env", [{"WATCHDOG_PID": "1"}, {"usec": "0"}, {"usec": "soon"}])
def test_a_watchdog_of_others(start, tmp_path, notified, env):
    server = start(*NO_RENDERING, env=watched(tmp_path, **env))
    server.signal(signal.SIGTERM)
    assert [notified.recv(100), notified.recv(100)] == [b"READY=1", b"STOPPING=1"]


def test_a_stuck_loop_stops_the_watchdog(start, tmp_path, notified):
    if is_sanitized():
        pytest.skip("a sanitizer has to be the first library of a process")
    if not shutil.which("cc"):
        pytest.skip("there is no C compiler")
    library, says = tmp_path / "accept.so", tmp_path / "accept"
    subprocess.run(["cc", "-shared", "-fPIC", "-o", library, REPOSITORY / "tests" / "api" / "support" / "stand_in" / "accept_stand_in.c", "-ldl"], check=True)
    server = start(*NO_RENDERING, "--loops", "2", "--drain-timeout", "100ms",
                   env=watched(tmp_path, LD_PRELOAD=str(library), ACCEPT_STAND_IN=str(says)))
    assert sorted({notified.recv(100) for _ in range(4)}) == [b"READY=1", b"WATCHDOG=1"]
    (tmp_path / "new").write_text("loop-2")
    os.replace(tmp_path / "new", says)
    clients = [server.connect() for _ in range(30)]  # the kernel distributes them over the loops
    wait_until(pathlib.Path(f"{says}.stopped").exists, "no loop stopped")
    server.wait_for_line("an event loop has not turned for")
    notified.settimeout(0)
    with contextlib.suppress(BlockingIOError):
        while notified.recv(100):
            pass
    notified.settimeout(2)  # twice what the watchdog allows
    with pytest.raises(TimeoutError):
        notified.recv(100)
    for client in clients:
        client.socket.close()
    server.process.kill()
