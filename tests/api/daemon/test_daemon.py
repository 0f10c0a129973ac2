"""The process: options, ready line, log, signals, health probe, gallery page."""
import contextlib
import fcntl
import json
import os
import pathlib
import pty
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import termios
import time

import pytest

import packets
from conftest import PATIENCE_S, BUILD, SAMPLES, Connection, is_sanitized, wait_until
from importers import install_waiting
from server_state import wait_for_stats

pytestmark = pytest.mark.short


def one_line(stderr):
    assert stderr.startswith("posed: ") and stderr.endswith("\n") and stderr.count("\n") == 1, stderr
    return stderr


def reset(connection):
    """Close so that the server sees an error, not an end."""
    connection.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.socket.close()


def test_bad_option(command):
    status, out, err = command("--rot", "x")
    assert (status, out) == (2, "") and "did you mean --root DIR?" in one_line(err)


def test_missing_root(command, tmp_path):
    status, out, err = command("--root", str(tmp_path / "nothing"), "--http", "127.0.0.1:0")
    assert (status, out) == (2, "") and "nothing" in one_line(err)


def test_root_is_a_file(command, tmp_path):
    (tmp_path / "file").write_text("x")
    status, out, err = command("--root", str(tmp_path / "file"), "--http", "127.0.0.1:0")
    assert (status, out) == (2, "") and "not a folder" in one_line(err)


def test_port_in_use(command, tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as other:
        address = "127.0.0.1:%d" % other.getsockname()[1]
        status, out, err = command("--root", str(tmp_path), "--http", address, "--log", "off")
    assert (status, out, one_line(err)) == (
        2, "", f"posed: --http: cannot listen on {address}: address already in use, maybe by another posed; --http PORT takes another port, --http 0 any free one\n")


@pytest.mark.parametrize("address", ["nonsense", "127.0.0.1", "127.0.0.1:99999", "::1:80", ":80", "127.0.0.1:8x"])
def test_bad_address(command, tmp_path, address):
    status, out, err = command("--root", str(tmp_path), "--http", address)
    assert (status, out) == (2, "") and address in one_line(err)


def test_a_port_alone_is_one_of_loopback(start, command, tmp_path):
    server = start("--http", "0", "--tcp", "0", "--admin", "0")
    assert sorted(server.ports) == ["admin", "http", "tcp"]
    assert all(re.fullmatch(r"127\.0\.0\.1:[1-9]\d+", address) for address in server.ports.values())
    port = server.address.split(":")[1]
    assert command("--health", port)[0] == 0 and command("--health", env={"POSED_HTTP": port})[0] == 0
    assert "POSED_HTTP=127.0.0.1:7999\n" in command("--check-config", "--root", str(tmp_path), "--http", "7999")[1]


@pytest.mark.parametrize("option", ["--tcp", "--admin", "--unix"])
def test_a_taken_address_names_its_option(command, tmp_path, option):
    with contextlib.ExitStack() as taken:
        if option == "--unix":
            address = str(tmp_path / "socket")
            taken.enter_context(socket.socket(socket.AF_UNIX)).bind(address)
            (tmp_path / "socket").unlink()
            (tmp_path / "socket").write_text("no socket")
        else:
            address = "127.0.0.1:%d" % taken.enter_context(socket.create_server(("127.0.0.1", 0))).getsockname()[1]
        status, out, err = command("--root", str(tmp_path), "--http", "127.0.0.1:0", "--tcp", "none", "--log", "off", option, address)
    assert (status, out) == (2, "") and one_line(err).startswith(f"posed: {option}: cannot listen on {address}: ")
    assert option == "--unix" or f"address already in use, maybe by another posed; {option} PORT takes another port, {option} 0 any free one" in err


def test_variable_is_read_and_named(command):
    status, _, err = command(env={"POSED_CACHE_BYTES": "much"})
    assert status == 2 and "POSED_CACHE_BYTES" in one_line(err)


def test_check_config(command, tmp_path):
    status, out, err = command("--check-config", "--root", str(tmp_path), "--max-url", "4k")
    assert (status, err) == (0, "") and "POSED_MAX_URL=4k\n" in out
    assert command("--check-config", "--root", str(tmp_path / "nothing"))[0] == 2


@pytest.mark.parametrize("folder, why", [("/", "beneath"), ("none/such", "No such file"), ("root/.hidden", "hidden"), ("elsewhere/new", "beneath"),
                                         ("root/file", "Not a directory"), ("root/none", None), ("root", None)])
def test_what_the_start_refuses_of_uploads_the_check_refuses(command, tmp_path, folder, why):
    for made in "root", "elsewhere":
        (tmp_path / made).mkdir()
    (tmp_path / "root/file").write_text("no folder")
    before = sorted(tmp_path.rglob("*"))
    options = ("--root", str(tmp_path / "root"), "--http", "127.0.0.1:0", "--tcp", "none", "--uploads", str(tmp_path / folder), "--cache-dir", "none")
    status, out, err = command(*options, "--check-config")
    assert status == (2 if why else 0), (out, err)
    if why:
        assert out == "" and one_line(err).startswith(f"posed: --uploads {tmp_path / folder}: ") and why in err
        status, _, said = command(*options, "--log", "off")
        assert (status, said) == (2, err)
    assert sorted(tmp_path.rglob("*")) == before, "something was made"


def test_a_folder_of_uploads_that_is_made_is_told(start, tmp_path):
    folder = tmp_path / "uploads"
    server = start("--uploads", str(folder))
    assert " info " in server.wait_for_line(f"--uploads {folder}: there was no such folder, made it") and folder.is_dir()
    server.end()
    assert not any("made it" in line for line in start("--uploads", str(folder)).lines())


def test_a_cache_folder_that_is_none_is_told(start, command, tmp_path):
    file = tmp_path / "file"
    file.write_text("no folder")
    for path in file, file / "below":
        server = start("--cache-dir", str(path))
        line = server.wait_for_line("no disk cache: --cache-dir: ")
        assert " warn " in line and str(path) in line and "Not a directory" in line
        assert server.get("/readyz").status == 200
        status, out, err = command("--check-config", "--root", str(tmp_path), "--cache-dir", str(path))
        assert (status, out) == (2, "") and one_line(err) == f"posed: --cache-dir: cannot open the folder '{path}': Not a directory\n"
    assert command("--check-config", "--root", str(tmp_path), "--cache-dir", str(tmp_path / "new/folder"))[0] == 0
    assert sorted(tmp_path.iterdir()) == [file]


def test_the_first_line_of_the_log_is_short(start):
    server = start()
    if server.json("/v1/stats")["sandbox"]["active"]:
        assert len(server.lines()[0]) < 120, server.lines()[0]


def test_help_and_version(command):
    status, out, _ = command("--help")
    assert status == 0 and "--cache-bytes" in out and "POSED_CACHE_BYTES" in out
    assert max(len(line) for line in out.splitlines()) <= 80
    first = re.findall(r"^  --([a-z-]+)", out, re.M)[:10]
    assert first == ["root", "http", "tcp", "uploads", "token-file", "allow-host", "cache-dir", "render-workers", "log", "admin"]
    assert re.fullmatch(r"posed \d+\.\d+\.\d+(\+git\d{8}\.\d{6}\.[0-9a-f]{8}(\.dirty)?)? \((release|debug|sanitize) build, \w+ kernel\)\n", command("--version")[1])


@pytest.mark.parametrize("columns, longest", [(60, 60), (100, 100), (300, 120)])
def test_help_is_as_wide_as_its_terminal(columns, longest):
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    process = subprocess.Popen([BUILD / "posed", "--help"], stdout=theirs, stderr=subprocess.DEVNULL)
    os.close(theirs)
    said = b""
    while True:
        try:
            more = os.read(ours, 65536)
        except OSError:  # the other end has closed, and everything was read
            break
        if not more:
            break
        said += more
    os.close(ours)
    assert process.wait(PATIENCE_S) == 0
    lengths = [len(line) for line in said.decode().splitlines()]
    assert longest * 3 // 4 < max(lengths) <= longest


def test_listens_on_ipv6(start):
    try:
        socket.create_server(("::1", 0), family=socket.AF_INET6).close()
    except OSError:
        pytest.skip("no IPv6 here")
    server = start("--http", "[::1]:0")
    assert re.fullmatch(r"\[::1\]:\d+", server.address)
    assert server.get("/healthz").status == 200


def test_health_probe(start, command):
    server = start("--http", "0.0.0.0:0")
    port = server.address.rsplit(":", 1)[1]
    status, out, _ = command("--health", f"http://127.0.0.1:{port}")
    assert status == 0 and out.startswith("healthy") and out.count("\n") == 1
    assert command("--health", env={"POSED_HTTP": f"0.0.0.0:{port}"})[0] == 0, "does not follow the configured port"
    status, _, err = command("--health", f"http://127.0.0.1:{port}/nothing")
    assert status == 1 and "404" in one_line(err)
    server.end()
    status, _, err = command("--health", f"http://127.0.0.1:{port}")
    assert status == 1 and "refused" in one_line(err)


def test_log_is_json_lines(start):
    server = start("--log", "json")
    server.get("/healthz?a=%22%0a", "X-Request-Id: me", method="HEAD")
    with server.connect() as connection:
        connection.send(b'GET /"\xff\\ HTTP/1.1\r\nHost: localhost\r\n\r\n')
        connection.answer()
    server.wait_for_line('"me"')
    server.signal(signal.SIGTERM)
    assert server.wait() == 0
    lines = [json.loads(line) for line in server.lines()]
    assert all(line["time"].endswith("Z") and line["level"] in ("info", "warn", "error") for line in lines)
    mine = next(line for line in lines if line.get("id") == "me")
    assert mine["method"] == "HEAD" and mine["bytes"] == 0 and mine["ms"] >= 0
    assert mine["path"] == "/healthz?a=%22%0a" and mine["remote"].startswith("127.0.0.1:")
    assert any("serves" in line.get("message", "") for line in lines)
    assert any("SIGTERM" in line.get("message", "") for line in lines)


def test_log_text_one_line_a_request(start):
    server = start("--log-probes")
    for _ in range(3):
        server.get("/healthz")
    server.wait_for_line("path=/healthz")
    server.signal(signal.SIGTERM)
    assert server.wait() == 0
    lines = [line for line in server.lines() if "method=GET path=/healthz status=200" in line]
    assert len(lines) == 3 and all(re.match(r"\d{4}-\d\d-\d\dT[\d:.]+Z info method=GET ", line) for line in lines)


def test_log_that_nobody_reads_stops_nothing(tmp_path):
    """stderr is a full pipe. Answers go on, and the server can end."""
    if os.environ.get("POSED_SERVER"):
        pytest.skip("needs a server of its own")
    process = subprocess.Popen([BUILD / "posed", "--root", tmp_path, "--http", "127.0.0.1:0", "--tcp", "none", "--log-probes"],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        address = process.stdout.readline().decode().split("http=")[1].split()[0]
        with Connection(address) as connection:
            for _ in range(4000):
                assert connection.get("/healthz", "X-Request-Id: " + "x" * 64).status == 200
        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE_S) == 0
        lines = process.stderr.read().decode().splitlines()
        assert 100 < len(lines) < 4000
    finally:
        process.kill()
        process.communicate()


@pytest.mark.skipif(int(pathlib.Path("/proc/sys/net/ipv4/ip_unprivileged_port_start").read_text()) < 1024, reason="any user may listen on port 80")
def test_a_port_of_root_is_named_as_such(worker_programs):
    """As a user who is not root, with copies of the programs that any user finds."""
    program = shutil.copy(BUILD / "posed", worker_programs)
    done = subprocess.run([program, "--root", worker_programs, "--http", "127.0.0.1:80", "--tcp", "none", "--cache-dir", "none"], capture_output=True,
                          text=True, user="nobody" if os.geteuid() == 0 else None, timeout=PATIENCE_S)
    assert done.returncode == 2 and done.stdout == ""
    assert done.stderr.splitlines()[-1] == ("posed: --http: cannot listen on 127.0.0.1:80: permission denied, the system keeps it for root; "
                                            "--http PORT takes a port from 1024 on")


def test_log_off(start):
    server = start("--log", "off")
    server.get("/healthz")
    server.signal(signal.SIGTERM)
    assert server.wait() == 0
    # warnings stay
    assert [line for line in server.lines() if not (is_sanitized() and "sandbox:" in line)] == []


@pytest.mark.parametrize("loops", ["1", "2"])
def test_a_stop_answers_what_was_sent_before_it(start, loops):
    """The connections wait in the kernel's queue, and their requests in their sockets, while the server is stopped."""
    server = start("--loops", loops, "--render-workers", "0")
    server.signal(signal.SIGSTOP)
    clients = [server.connect() for _ in range(40)]
    for one in clients:
        one.send(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
    server.signal(signal.SIGTERM)
    server.signal(signal.SIGCONT)
    answers = [one.answer() for one in clients]
    assert [answer.status for answer in answers] == [200] * len(clients)
    assert all(one.is_closed_by_server() for one in clients)
    assert server.wait() == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_signal_ends_it_well(start, number):
    server = start()
    with server.connect() as idle:
        assert idle.get("/healthz").status == 200
        server.signal(number)
        assert idle.is_closed_by_server()
        assert server.wait() == 0
    with pytest.raises(ConnectionRefusedError):
        server.connect()


def begin_in_session(tmp_path, terminal=None, is_nohup=False):
    """A server that leads a session of its own, with this terminal or none. Returns when it is ready."""

    def prepare():
        if terminal is not None:
            fcntl.ioctl(terminal, termios.TIOCSCTTY, 0)
        signal.signal(signal.SIGHUP, signal.SIG_IGN if is_nohup else signal.SIG_DFL)  # whatever started the tests

    with open(tmp_path / "log", "wb") as log:
        process = subprocess.Popen([BUILD / "posed", "--root", tmp_path, "--http", "127.0.0.1:0", "--tcp", "none", "--cache-dir", "none",
                                    "--render-workers", "0"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=log,
                                   start_new_session=True, preexec_fn=prepare)
    line = process.stdout.readline().decode()
    assert line.startswith("posed ready "), (line, process.communicate())

    def has_said(words, times=1):
        wait_until(lambda: process.poll() is not None or (tmp_path / "log").read_text().count(words) >= times, f"nothing said of {words}")
        return (tmp_path / "log").read_text().count(words) >= times

    return process, line.split("http=")[1].split()[0], has_said


def test_hangup_while_its_terminal_is_there_is_a_reload(tmp_path):
    """kill -HUP does not mean a closed terminal. Closing the terminal later still ends the server."""
    if not os.path.exists("/dev/tty"):
        pytest.skip("no /dev/tty here")
    ours, theirs = pty.openpty()
    process, address, has_said = begin_in_session(tmp_path, theirs)
    os.close(theirs)
    try:
        for i in range(3):
            process.send_signal(signal.SIGHUP)
            assert has_said("SIGHUP: there is nothing to reload", 1 + i), "the server has ended"
        with Connection(address) as connection:
            assert connection.get("/healthz").status == 200
        os.close(ours)
        assert has_said("stopping on SIGHUP") and process.wait(PATIENCE_S) == 0
    finally:
        process.kill()
        process.communicate()


SHELL = """import os, signal, subprocess, sys, time
job = subprocess.Popen(sys.argv[2:], stdin=subprocess.DEVNULL, process_group=0)
sys.stdin.readline()  # until it is told to exit
os.kill(job.pid, signal.SIGHUP)
time.sleep(float(sys.argv[1]))
"""


@pytest.mark.parametrize("exit_s", [0, 2.5])
def test_a_shell_that_hangs_up_its_jobs_and_exits(tmp_path, exit_s):
    """Some shells do this: the signal arrives while the terminal still exists. The terminal goes with the shell, on a busy machine a little
    later."""
    if not os.path.exists("/dev/tty"):
        pytest.skip("no /dev/tty here")
    ours, theirs = pty.openpty()
    ready, log = tmp_path / "ready", tmp_path / "log"

    def prepare():
        fcntl.ioctl(theirs, termios.TIOCSCTTY, 0)
        signal.signal(signal.SIGHUP, signal.SIG_DFL)  # nohup may have started the tests

    with open(log, "wb") as said, open(ready, "wb") as out:
        shell = subprocess.Popen([sys.executable, "-c", SHELL, str(exit_s), BUILD / "posed", "--root", tmp_path, "--http", "127.0.0.1:0", "--tcp",
                                  "none", "--cache-dir", "none", "--render-workers", "0"], stdin=theirs, stdout=out, stderr=said,
                                 start_new_session=True, preexec_fn=prepare)
    wait_until(lambda: "posed ready" in ready.read_text())
    os.write(ours, b"exit\n")
    assert shell.wait(PATIENCE_S) == 0
    wait_until(lambda: log.read_text().rstrip().endswith(" stopped"), log.read_text())
    assert "SIGHUP: there is nothing to reload" in log.read_text() and "stopping on SIGHUP" in log.read_text()
    os.close(ours)
    os.close(theirs)


def test_hangup_without_a_terminal_is_a_reload(tmp_path):
    """A daemon that no terminal has started, as with a service manager."""
    process, address, has_said = begin_in_session(tmp_path)
    try:
        for i in range(3):
            process.send_signal(signal.SIGHUP)
            assert has_said("SIGHUP: there is nothing to reload", 1 + i), "the server has ended"
            with Connection(address) as connection:
                assert connection.get("/healthz").status == 200
        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE_S) == 0
    finally:
        process.kill()
        process.communicate()


@pytest.mark.parametrize("is_nohup", [False, True])
def test_hangup_of_its_terminal_ends_it_well(tmp_path, is_nohup):
    """It answers waiting clients first; unless it was started to outlive its terminal."""
    if not os.path.exists("/dev/tty"):
        pytest.skip("no /dev/tty here")
    ours, theirs = pty.openpty()
    process, address, has_said = begin_in_session(tmp_path, theirs, is_nohup)
    os.close(theirs)
    try:
        with Connection(address) as connection:
            begin_a_request(connection)
            os.close(ours)
            assert has_said("SIGHUP: there is nothing to reload" if is_nohup else "stopping on SIGHUP")
            connection.send("\r\n")
            assert connection.answer().status == 200
        if is_nohup:
            process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE_S) == 0
    finally:
        process.kill()
        process.communicate()


def wait_until_refused(server):
    """The listener closes a moment after the signal."""
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        try:
            server.connect().socket.close()
        except ConnectionRefusedError:
            return
        except ConnectionResetError:
            pass  # it closes at this moment
        time.sleep(0.01)
    raise AssertionError("the server still takes connections")


def begin_a_request(connection):
    """Return when the server has a part of the request. The answer to the request before it, in the same bytes, shows that it has read
    both."""
    connection.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\nGET /healthz HTTP/1.1\r\nHost: localhost\r\n")
    assert connection.answer().status == 200


def test_drain_lets_a_request_under_way_finish(start):
    server = start()
    with server.connect() as connection:
        begin_a_request(connection)
        server.signal(signal.SIGTERM)
        wait_until_refused(server)
        connection.send("\r\n")
        answer = connection.answer()
        assert answer.status == 200 and answer.headers["connection"] == "close"
    assert server.wait() == 0


@pytest.mark.parametrize("count", [1, 20])
def test_drain_ends_connections_that_were_answered_in_the_same_turn(start, count):
    """Their answers wait for the end of the turn, and say that more requests may follow."""
    server = start("--drain-timeout", "120s")
    connections = [server.connect() for _ in range(count)]
    for connection in connections:
        connection.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert connection.answer().status == 200
    server.signal(signal.SIGSTOP)
    for connection in connections:
        connection.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
    server.signal(signal.SIGTERM)
    server.signal(signal.SIGCONT)
    for connection in connections:
        assert connection.answer().status == 200
        assert connection.is_closed_by_server()
        connection.socket.close()
    assert server.wait() == 0
    assert not any("did not finish in time" in line for line in server.lines())


def test_drain_lets_a_slow_client_have_the_answer_that_the_system_still_sends(start):
    """Requests of the client do not reset its connection meanwhile, which would make the system drop unsent bytes."""
    server = start("--drain-timeout", "120s", root=SAMPLES)
    wanted = server.get("/v1/mesh?model=dragon.glb&t=0&format=bin").body
    clients = [server.connect(receive_bytes=4096) for _ in range(5)]
    for client in clients:
        client.send("GET /v1/mesh?model=dragon.glb&t=0&format=bin HTTP/1.1\r\nHost: localhost\r\n\r\n")
    wait_for_stats(server, lambda stats: stats["connections"]["sent_bytes"] > 6 * len(wanted))  # the system has accepted them
    server.signal(signal.SIGTERM)
    wait_until_refused(server)
    for client in clients:
        client.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
    for client in clients:
        assert client.answer().body == wanted
        client.socket.close()
    assert server.wait() == 0


@pytest.mark.parametrize("way", [packets.Link, packets.WebSocketLink])
def test_drain_waits_for_no_client_that_goes_on_asking(start, way):
    """Such as a timer that checks whether the server is alive, and ignores the end of the connection."""
    server = start("--tcp", "127.0.0.1:0", "--drain-timeout", "10s")
    with way(server.ports["tcp"] if way is packets.Link else server.address) as link:
        assert link.ask("ping").kind == "done"
        server.signal(signal.SIGTERM)
        while server.process.poll() is None:
            with contextlib.suppress(OSError):
                link.send(packets.packet("ping", id=3))
            time.sleep(0.1)
    assert server.wait() == 0
    assert not any("did not finish in time" in line for line in server.lines())


@pytest.mark.parametrize("way", [packets.Link, packets.WebSocketLink])
def test_drain_ends_a_link_whose_request_a_thread_finds_wrong(start, way):
    """It gets the error, and then the notice that the server stops. The signal arrives in the turn that hands the request to the thread."""
    server = start("--tcp", "127.0.0.1:0", "--drain-timeout", "120s")
    with way(server.ports["tcp"] if way is packets.Link else server.address) as link:
        server.signal(signal.SIGSTOP)
        link.send(packets.packet("call", packets.call("/v1/pose", "x" * 30000), id=1))
        server.signal(signal.SIGTERM)
        server.signal(signal.SIGCONT)
        assert "not JSON" in link.read().error()[2] and "stopping" in link.read().error()[2]
        assert link.is_closed_by_server()
    assert server.wait() == 0
    assert not any("did not finish in time" in line for line in server.lines())


def test_drain_sends_the_answers_of_imports_under_way(start, a_model):
    server = start("--import-workers", "1", root=SAMPLES)
    models = [one["model"] for one in server.get("/v1/models").json()["models"]]
    connections = [server.connect() for _ in models]
    for connection, model in zip(connections, models):
        connection.send(f"GET /v1/model?model={model} HTTP/1.1\r\nHost: localhost\r\n\r\n")
    wait_until(lambda: (imports := server.json("/v1/stats")["imports"])["started"] + imports["waiting"] == len(models))
    server.signal(signal.SIGTERM)
    for connection, model in zip(connections, models):
        answer = connection.answer()
        assert answer.status == 200 and answer.json()["model"] == model
        connection.socket.close()
    assert server.wait() == 0


def test_client_that_leaves_during_an_import_is_logged_as_gone(start, a_model, tmp_path):
    options, go = install_waiting(tmp_path / "bin")
    server = start(*options, "--import-workers", "1", root=SAMPLES)
    models = [one["model"] for one in server.get("/v1/models").json()["models"]]
    with server.connect() as staying:
        leaving = server.connect()
        for connection, model in ((staying, models[0]), (leaving, models[1])):
            connection.send(f"GET /v1/model?model={model} HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert server.get("/healthz").status == 200
        reset(leaving)
        assert models[1] in server.wait_for_line("status=499")
        go.touch()
        assert staying.answer().status == 200
    assert server.get(f"/v1/model?model={models[1]}").status == 200


def test_drain_has_an_end(start):
    server = start("--drain-timeout", "300ms")
    with server.connect() as connection:
        begin_a_request(connection)
        server.signal(signal.SIGTERM)
        assert connection.is_closed_by_server()
    assert server.wait() == 0


def test_second_signal_ends_it_at_once(start):
    server = start()
    with server.connect() as connection:
        begin_a_request(connection)  # it would wait for this request
        server.signal(signal.SIGTERM)
        server.wait_for_line("SIGTERM")
        server.signal(signal.SIGTERM)
        assert server.wait() == 128 + signal.SIGTERM


@pytest.mark.parametrize("closed", [(0,), (1,), (2,), (0, 1, 2)])
def test_serves_with_standard_files_closed(tmp_path, closed):
    """Otherwise the event queue gets the number of stdout, and receives the ready line."""
    (tmp_path / "models").mkdir()
    place = tmp_path / "posed.sock"
    words = f'exec "$@" {" ".join(f"{number}>&-" for number in closed)}'
    process = subprocess.Popen(["sh", "-c", words, "sh", BUILD / "posed", "--root", tmp_path / "models", "--http", "none", "--tcp", "none",
                                "--unix", place, "--cache-dir", "none"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        with socket.socket(socket.AF_UNIX) as client:
            wait_until(lambda: client.connect_ex(str(place)) == 0, "the socket")
            client.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            assert client.recv(12) == b"HTTP/1.1 200"
    finally:
        process.terminate()
        said = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 0, said


def test_signals_at_its_very_end_are_no_other(start):
    """A server that has stopped, and is only freeing its memory, ends by a signal as it did a moment before."""
    for _ in range(8):
        server = start()
        server.signal(signal.SIGTERM)
        while server.process.poll() is None and not any("stopped" in line for line in server.lines()):
            pass
        while server.process.poll() is None:
            server.signal(signal.SIGTERM)
        assert server.wait() in (0, 128 + signal.SIGTERM)


def test_client_that_leaves_while_answered_does_no_harm(start):
    server = start()
    for _ in range(20):
        connection = server.connect()
        connection.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n" * 50)
        reset(connection)
    assert server.get("/healthz").status == 200


def test_tells_systemd(start, tmp_path):
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(str(tmp_path / "notify"))
        manager.settimeout(PATIENCE_S)
        server = start(env={"NOTIFY_SOCKET": str(tmp_path / "notify")})
        assert manager.recv(100) == b"READY=1"
        server.signal(signal.SIGTERM)
        assert manager.recv(100) == b"STOPPING=1"


def test_works_as_process_1(start, tmp_path):
    """Process 1 has no default signal actions, so SIGTERM needs a handler."""
    process = subprocess.Popen(["unshare", "--pid", "--fork", "--kill-child", BUILD / "posed", "--root", tmp_path,
                                "--http", "127.0.0.1:0", "--tcp", "none"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    line = process.stdout.readline()
    if not line:
        pytest.skip("cannot make a process namespace here: " + process.stderr.read().decode().strip())
    child = int(open(f"/proc/{process.pid}/task/{process.pid}/children").read().split()[0])
    subprocess.run(["kill", "-TERM", str(child)], check=True)
    assert process.wait(PATIENCE_S) == 0


def test_hangups_while_the_server_ends_are_nothing(start, tmp_path):
    for _ in range(10):
        server = start(root=tmp_path)
        server.signal(signal.SIGTERM)
        while server.process.poll() is None:
            server.signal(signal.SIGHUP)
        assert server.process.returncode == 0


def test_who_locks_the_folder_of_a_socket_keeps_no_server_from_starting(start, tmp_path):
    with tempfile.TemporaryDirectory(prefix="posed-") as folder:
        lock = os.open(folder, os.O_RDONLY)
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert "unix" in start("--unix", os.path.join(folder, "socket"), root=tmp_path).ports
        os.close(lock)
