"""SIGHUP: the server reads tokens, lists and the log file again. Everything that used a removed token ends, the rest goes on. If a file
cannot be read, its old content stays, and the log says so."""
import os
import resource
import signal
import stat
import struct
import subprocess
import threading

import pytest

from conftest import BUILD, PATIENCE_S, Connection, wait_until
from importers import NO_RENDERING, install_waiting
from packets import Link, WebSocketLink, connect, packet, subscribe
from small_models import gltf

OLD, STAYS, NEW = "an-old-token-of-some-length", "a-token-that-stays-all-along", "a-new-token-of-some-length"
UNAUTHORIZED = 16


@pytest.fixture
def root(tmp_path):
    folder = tmp_path / "root"
    folder.mkdir()
    (folder / "a.gltf").write_text(gltf(x=0.25))
    return folder


@pytest.fixture
def tokens(tmp_path):
    file = tmp_path / "tokens.txt"
    file.write_text(f"# who may ask\n{OLD}\n{STAYS}\n")
    return file


@pytest.fixture
def own(start, root, tokens):
    return start(*NO_RENDERING, "--tcp", "127.0.0.1:0", "--token-file", str(tokens), root=root)


def bearer(token):
    return f"Authorization: Bearer {token}"


def said(server, words):
    return sum(words in line for line in server.lines())


def reload(server, words="reloaded: "):
    """Return the line with the result."""
    before = said(server, words)
    server.signal(signal.SIGHUP)
    wait_until(lambda: said(server, words) > before, f"nothing said of {words!r}: {server.lines()}")
    return [line for line in server.lines() if words in line][-1]


def status(server, token):
    return server.get("/v1/models", bearer(token)).status


def test_tokens_are_read_again(own, tokens):
    assert [status(own, token) for token in (OLD, STAYS, NEW)] == [200, 200, 401]
    with own.connect() as kept:
        assert kept.get("/v1/models", bearer(OLD)).status == 200
        tokens.write_text(f"{STAYS}\r\n{NEW}\n")
        line = reload(own)
        assert line.endswith("info reloaded: 2 tokens (1 added, 1 removed)"), line
        assert [status(own, token) for token in (OLD, STAYS, NEW)] == [401, 200, 200]
        refused = kept.get("/v1/models", bearer(OLD))
        assert refused.error() == "unauthorized" and kept.get("/v1/models", bearer(NEW)).status == 200
    assert "2 tokens (0 added, 0 removed)" in reload(own)
    assert not any(token in line for token in (OLD, STAYS, NEW) for line in own.lines())


@pytest.mark.parametrize("text, words", [
    (f"{NEW}\nshort\n", "line 2 is not a token"), ("", "there is no token in it"), (f"{NEW} {NEW}\n", "line 1 is not a token"),
    ("x" * 70000, "too large"), (None, "No such file or directory")])
def test_a_file_that_is_wrong_changes_nothing(own, tokens, text, words):
    if text is None:
        tokens.unlink()
    else:
        tokens.write_text(text)
    line = reload(own, "not reloaded: ")
    assert f" warn not reloaded: --token-file {tokens}: " in line and words in line and "stays as it was" in line
    assert [status(own, token) for token in (OLD, STAYS, NEW)] == [200, 200, 401]
    tokens.write_text(f"{NEW}\n")
    assert "1 token (1 added, 2 removed)" in reload(own)


def begin_stream(link, token):
    link.model = link.open("a.gltf")
    link.send(packet("subscribe", subscribe(clip=-2, credit=4_000_000_000, rate=200, indices=[0]), id=7, model=link.model))
    assert link.read().kind == "done"
    assert link.ask("watch", struct.pack("<I", 1), model=link.model).kind == "done"
    return link


def open_link(server, how, token):
    if how == "header":
        return WebSocketLink(server.address, headers={"Authorization": f"Bearer {token}"})
    return connect(server.ports, how, token=token.encode())


@pytest.mark.parametrize("how", ["tcp", "ws", "header"])
def test_streams_of_a_removed_token_end(own, tokens, how):
    with open_link(own, how, OLD) as gone, open_link(own, how, STAYS) as stays:
        begin_stream(gone, OLD)
        begin_stream(stays, STAYS)
        tokens.write_text(f"{STAYS}\n")
        assert "ended 1 connection of removed tokens" in reload(own)
        while (last := gone.read()).kind in ("stream", "changed"):
            pass
        assert last.kind == "error" and last.id == 7 and last.code == UNAUTHORIZED and last.has("last"), last
        end = gone.read()
        assert end.kind == "error" and end.code == UNAUTHORIZED and end.has("closing") and "token" in end.error()[2], end
        assert gone.is_closed_by_server() if how == "tcp" else gone.read() is None
        tick = None
        for _ in range(50):
            head = stays.read().view()
            assert tick is None or head["tick"] == tick + 1 + head["skipped"]
            tick = head["tick"]
        assert stays.ask("ping").kind == "done"
    with open_link(own, "tcp", OLD) as refused:
        assert refused.hello.kind == "error" and refused.hello.code == UNAUTHORIZED


def test_calls_under_way(start, root, tokens, tmp_path):
    options, go = install_waiting(tmp_path / "bin")
    own = start(*NO_RENDERING, *options, "--tcp", "127.0.0.1:0", "--token-file", str(tokens), root=root)
    ask = f"GET /v1/model?model=a.gltf HTTP/1.1\r\nHost: localhost\r\n{bearer('%s')}\r\n\r\n"
    with own.connect() as gone, own.connect() as stays, Link(own.ports["tcp"], token=OLD.encode()) as link, \
            Link(own.ports["tcp"], token=STAYS.encode()) as other:
        gone.send(ask % OLD)
        stays.send(ask % STAYS)
        for one in link, other:
            one.send(packet("open", b"a.gltf", id=5))
        wait_until(lambda: own.get("/v1/stats", bearer(STAYS)).json()["imports"]["running"] == 1)
        assert own.get("/healthz").status == 200  # everything that was sent before has been read
        tokens.write_text(f"{STAYS}\n")
        assert "ended 2 connections of removed tokens" in reload(own)
        go.touch()
        refused = gone.answer()
        assert refused.status == 401 and refused.headers["connection"] == "close" and gone.is_closed_by_server()
        end = link.read()
        assert end.kind == "error" and end.id == 5 and end.code == UNAUTHORIZED and end.has("closing")
        assert link.is_closed_by_server()
        assert stays.answer().status == 200 and other.read().kind == "opened"


@pytest.mark.parametrize("more", ["", "Connection: close\r\n"])
def test_a_long_answer_breaks_off(own, tokens, more):
    """It must not look complete: chunks have an end."""
    long = f"GET /v1/palette?model=a.gltf&t=0:99.99:100 HTTP/1.1\r\nHost: localhost\r\n{more}{bearer('%s')}\r\n\r\n"
    with own.connect(receive_bytes=4096) as gone, own.connect() as stays:
        gone.send(long % OLD)
        assert gone.socket.recv(1) == b"H"
        tokens.write_text(f"{STAYS}\n")
        assert "ended 1 connection of removed tokens" in reload(own)
        rest = b""
        try:
            while data := gone.socket.recv(65536):
                rest += data
        except ConnectionResetError:
            pass
        assert not rest.endswith(b"\r\n0\r\n\r\n")
        stays.send(long % STAYS)
        assert len(stays.answer().json()["frames"]) == 10000


def test_an_upload_under_way_is_refused(start, root, tokens):
    (root / "in").mkdir()
    own = start(*NO_RENDERING, "--uploads", str(root / "in"), "--token-file", str(tokens), "--token-for", "uploads", root=root)
    body = gltf().encode()
    head = f"PUT /v1/models/%s HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n{bearer('%s')}\r\n\r\n"
    with own.connect() as gone, own.connect() as stays:
        for one, name, token in ((gone, "gone.gltf", OLD), (stays, "stays.gltf", STAYS)):
            one.send((head % (name, token)).encode() + body[:50])
        wait_until(lambda: own.json("/v1/stats")["uploads"]["running"] == 2)
        tokens.write_text(f"{STAYS}\n")
        assert "ended 1 connection" in reload(own)
        assert gone.answer().status == 401
        stays.send(body[50:])
        assert stays.answer().status == 201
    assert [one["model"] for one in own.json("/v1/models")["models"]] == ["a.gltf", "in/stays.gltf"]


def test_lists_of_files(start, root, tmp_path):
    hosts, origins, frames = (tmp_path / name for name in ("hosts", "origins", "frames"))
    hosts.write_text("# names\na.example\n\n*.b.example, c.example\n")
    origins.write_text("https://editor.example\n")
    frames.write_text("")
    own = start(*NO_RENDERING, "--allow-host", f"@{hosts}", "--cors", f"@{origins}", "--frame-ancestors", f"@{frames}", root=root)

    def host(name):
        with own.connect() as one:
            one.send(f"GET /v1/models HTTP/1.1\r\nHost: {name}\r\n\r\n")
            return one.answer().status

    policy = lambda: own.get("/embed/a.gltf").headers["content-security-policy"].split("frame-ancestors ")[1]
    cors = lambda origin: own.get("/v1/models", f"Origin: {origin}").headers.get("access-control-allow-origin")
    assert [host(name) for name in ("a.example", "x.b.example", "c.example", "d.example", "localhost")] == [200, 200, 200, 421, 200]
    assert cors("https://editor.example") and not cors("https://other.example") and policy() == "'none'"
    hosts.write_text("d.example\n")
    frames.write_text("self\nhttps://wiki.example\n")
    line = reload(own)
    assert line.endswith("reloaded: --allow-host changed, --cors unchanged, --frame-ancestors changed"), line
    assert [host(name) for name in ("a.example", "d.example")] == [421, 200]
    assert policy() == "'self' https://wiki.example"
    origins.write_text("\nhttps://other.example\nnot an origin\n")
    assert f"--cors {origins}: line 3: 'not an origin' is not an origin" in reload(own, "not reloaded")
    assert cors("https://editor.example") and not cors("https://other.example")
    hosts.write_text("")
    reload(own, "not reloaded")
    assert host("d.example") == 200, "half of it was taken"


def test_a_list_that_is_wrong_at_the_start(command, tmp_path):
    (tmp_path / "hosts").write_text("good.example\nb/d\n")
    status, _, said = command("--root", str(tmp_path), "--allow-host", f"@{tmp_path}/hosts")
    assert status == 2 and f"--allow-host {tmp_path}/hosts: line 2: 'b/d' is not a host name" in said
    status, _, said = command("--root", str(tmp_path), "--cors", f"@{tmp_path}/nothing")
    assert status == 2 and f"--cors {tmp_path}/nothing: No such file" in said


def test_the_log_file_is_opened_again(start, tmp_path):
    log, old, folder = (tmp_path / name for name in ("logs/log", "logs/log.1", "logs"))
    folder.mkdir()
    own = start(*NO_RENDERING, "--log-probes", "--log-file", str(log))
    assert stat.S_IMODE(log.stat().st_mode) == 0o640 & ~os.umask(os.umask(0))
    text = lambda file: file.read_text() if file.exists() else ""
    assert own.get("/healthz", "X-Request-Id: first").status == 200
    wait_until(lambda: "id=first" in text(log))
    log.rename(old)
    own.signal(signal.SIGHUP)
    wait_until(lambda: "the log file is opened again" in text(log))
    assert own.get("/healthz", "X-Request-Id: second").status == 200
    wait_until(lambda: "id=second" in text(log))
    assert "id=second" not in text(old) and "id=first" in text(old) and stat.S_IMODE(log.stat().st_mode) & 0o007 == 0
    folder.rename(tmp_path / "gone")
    own.signal(signal.SIGHUP)
    moved = tmp_path / "gone" / "log"
    wait_until(lambda: f"not reloaded: --log-file {log}: No such file" in text(moved))
    assert own.get("/healthz", "X-Request-Id: third").status == 200
    wait_until(lambda: "id=third" in text(moved))
    assert own.lines() == []


def test_a_log_file_that_cannot_be_made_is_told_before_the_start(command, tmp_path):
    (tmp_path / "file").write_text("")
    for path, why in ("gone/log", "No such file"), ("file/log", "Not a directory"):
        status, _, said = command("--check-config", "--root", str(tmp_path), "--log-file", str(tmp_path / path))
        assert status == 2 and f"--log-file {tmp_path / path}: {why}" in said
    assert command("--check-config", "--root", str(tmp_path), "--log-file", str(tmp_path / "log"))[0] == 0
    assert not (tmp_path / "log").exists()


def test_a_log_file_that_takes_nothing(tmp_path):
    """Its lines go to stderr, with the reason."""
    log, heard = tmp_path / "log", []
    process = subprocess.Popen([BUILD / "posed", "--root", tmp_path, "--http", "127.0.0.1:0", "--tcp", "none", "--cache-dir", "none",
                                *NO_RENDERING, "--log-probes", "--log-file", log], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    reader = threading.Thread(target=lambda: heard.extend(process.stderr))
    reader.start()
    try:
        address = process.stdout.readline().decode().split("http=")[1].split()[0]
        resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (4096, resource.RLIM_INFINITY))
        with Connection(address) as one:
            for i in range(100):
                assert one.get("/healthz", f"X-Request-Id: number-{i}").status == 200
            wait_until(lambda: any(b"id=number-99 " in line for line in heard), heard[-3:])
            assert heard[0] == b"posed: the log file takes no lines: File too large; they follow here\n"
            assert sum(line.startswith(b"posed: ") for line in heard) == 1
            resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
            assert one.get("/healthz", "X-Request-Id: last").status == 200
            wait_until(lambda: "id=last" in log.read_text())
        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE_S) == 0
    finally:
        process.kill()
        reader.join()
        process.stdout.close()
        process.stderr.close()


def test_log_files_that_are_none(command, tmp_path):
    for path, words in ((tmp_path, "Is a directory"), (tmp_path / "no" / "log", "No such file"), ("/dev/null", "is no file")):
        status, _, said_there = command("--root", str(tmp_path), "--http", "127.0.0.1:0", "--tcp", "none", "--log-file", str(path))
        assert status == 2 and f"--log-file {path}" in said_there and words in said_there, said_there
