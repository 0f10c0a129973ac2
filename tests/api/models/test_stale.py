"""A root that cannot be read: content in memory or on disk is answered and marked, everything else is 503. 404 is only for files that a
readable root does not have."""
import json
import os
import shutil
import threading

import pytest

from conftest import is_sanitized, wait_until
from importers import NO_RENDERING, imports
from packets import connect, packet, subscribe
from raw_requests import post
from small_models import TRIANGLE, gltf, place
from stand_ins import stand_in_library

DRAWS = False

pytestmark = pytest.mark.short
SOON = ("--watch-interval", "100ms")
ERRORS = pytest.mark.parametrize("error", ["EIO", "ESTALE", "ENOTCONN"])
FINE = None


@pytest.fixture
def root(tmp_path):
    folder = tmp_path / "root"
    folder.mkdir()
    (folder / "a.gltf").write_text(gltf(x=1))
    (folder / "b.gltf").write_text(gltf(x=2))
    return folder


@pytest.fixture
def begin(start, root, tmp_path):
    """begin(*options): a server with source_stand_in.c, and say(word, prefix), which sets the state of the file system."""
    if is_sanitized():
        pytest.skip("a sanitizer has to be the first library of a process")
    library = stand_in_library("source_stand_in")
    says = tmp_path / "says"

    def say(word, prefix="*"):
        if word is FINE:
            says.unlink(missing_ok=True)
            return
        (tmp_path / "new").write_text(f"{word} {prefix}\n")
        os.replace(tmp_path / "new", says)

    def run(*options):
        say(FINE)
        env = {"LD_PRELOAD": str(library), "SOURCE_STAND_IN": str(says)}
        return start("--watch", "poll", *SOON, *NO_RENDERING, *options, root=root, env=env), say

    return run


def ask(server, model="a.gltf"):
    return server.get(f"/v1/palette?model={model}")


def is_stale(answer):
    assert answer.status == 200, answer.body
    return int(answer.headers.get("x-posed-stale", 0)) > 0


def is_unavailable(answer):
    return (answer.status, answer.error()) == (503, "source_unavailable") and int(answer.headers["retry-after"]) > 0


def available(server):
    return server.json("/v1/stats")["source"]["available"]


def wait_stale(server, model="a.gltf"):
    wait_until(lambda: is_stale(ask(server, model)), "the model is not stale")


def wait_fresh(server, model="a.gltf"):
    wait_until(lambda: ask(server, model).status == 200 and not is_stale(ask(server, model)), "the model stays stale")


@ERRORS
@pytest.mark.parametrize("loops", [1, 2])
def test_a_root_that_fails(begin, root, error, loops):
    server, say = begin("--loops", str(loops))
    first = ask(server)
    assert place(first) == 1 and "x-posed-stale" not in first.headers and available(server) == 1
    say(error)
    wait_stale(server)
    stale = ask(server)
    assert stale.body == first.body and stale.headers["etag"] == first.headers["etag"]
    again = server.get("/v1/palette?model=a.gltf", f"If-None-Match: {first.headers['etag']}")
    assert again.status == 304 and int(again.headers["x-posed-stale"]) > 0
    assert is_unavailable(ask(server, "b.gltf")) and is_unavailable(ask(server, "none.gltf"))
    server.wait_for_line("cannot be read")
    assert available(server) == 0 and server.json("/v1/stats")["cache"]["stale"] > 1
    assert server.json("/v1/stats")["requests"]["errors"]["source_unavailable"] == 2
    say(FINE)
    wait_fresh(server)
    assert place(ask(server, "b.gltf")) == 2 and ask(server, "none.gltf").status == 404
    wait_until(lambda: available(server) == 1, "the root stays unavailable")
    lines = [line for line in server.lines() if "the root " in line]
    assert sum("cannot be read" in line for line in lines) == sum("can be read again" in line for line in lines) == 1, lines
    (root / "a.gltf").unlink()
    wait_until(lambda: ask(server).status == 404, "a deleted model is still there")


def test_a_file_that_fails_is_no_other_models_fault(begin):
    server, say = begin()
    assert place(ask(server)) == 1 and place(ask(server, "b.gltf")) == 2
    say("EIO", "a.")
    wait_stale(server)
    assert not is_stale(ask(server, "b.gltf"))
    server.wait_for_line("'a.gltf'")
    say(FINE)
    wait_fresh(server)
    server.wait_for_line("can be read again")


def test_only_the_content_that_a_request_names_is_never_stale(begin):
    server, say = begin()
    hash = server.json("/v1/model", model="a.gltf")["hash"]
    say("EIO")
    wait_stale(server)
    assert "x-posed-stale" not in server.get(f"/v1/palette?model=a.gltf&hash={hash}").headers


def test_models_on_disk(begin, tmp_path):
    cache = ("--cache-dir", str(tmp_path / "cache"))
    server, _ = begin(*cache)
    first = ask(server)
    wait_until(lambda: server.json("/v1/stats")["disk"]["stored"] == 1, "nothing is stored")
    server.end()
    server, say = begin(*cache)
    say("ENOTCONN")
    answer = ask(server)
    assert is_stale(answer) and answer.body == first.body and answer.headers["etag"] == first.headers["etag"]
    assert is_unavailable(ask(server, "b.gltf")) and imports(server) == 0
    say(FINE)
    wait_fresh(server)
    assert imports(server) == 0


def test_a_model_on_disk_of_another_root_is_another(begin, start, tmp_path):
    cache = ("--cache-dir", str(tmp_path / "cache"))
    other = tmp_path / "other"
    other.mkdir()
    (other / "a.gltf").write_text(gltf(x=7))
    server = start(*cache, *NO_RENDERING, root=other)
    assert place(ask(server)) == 7
    wait_until(lambda: server.json("/v1/stats")["disk"]["stored"] == 1, "nothing is stored")
    server.end()
    server, say = begin(*cache)
    say("EIO")
    assert is_unavailable(ask(server))


@pytest.mark.parametrize("limit", ["0", "300ms"])
def test_for_so_long_and_no_longer(begin, limit):
    server, say = begin("--stale-if-error", limit)
    assert place(ask(server)) == 1
    say("EIO")
    wait_until(lambda: ask(server).status == 503, "the model is answered for ever")
    assert is_unavailable(ask(server))
    say(FINE)
    wait_fresh(server)
    assert imports(server) == 1


def test_hours_are_a_unit(command):
    assert command("--check-config", "--stale-if-error", "2h")[0] == 0
    status, _, error = command("--check-config", "--stale-if-error", "2d")
    assert status != 0 and "1h" in error


def threads(server):
    return len(os.listdir(f"/proc/{server.process.pid}/task"))


def test_a_root_that_does_not_answer(begin):
    """Requests wait for a bounded time, once. No request takes a thread. Hanging calls end when the root is back."""
    server, say = begin("--source-timeout", "300ms")
    assert place(ask(server)) == 1
    say("HANG")
    statuses = []

    def crowd(model):
        statuses.append(ask(server, model).status)

    crowds = [threading.Thread(target=crowd, args=(f"{i}.gltf",)) for i in range(40)]
    for one in crowds:
        one.start()
    wait_stale(server)
    for one in crowds:
        one.join()
    assert set(statuses) == {503}
    before = threads(server)
    for i in range(60):
        assert is_stale(ask(server)) and is_unavailable(ask(server, f"{i}.gltf"))
    assert threads(server) <= before
    server.wait_for_line("does not return")
    assert server.get("/healthz").status == 200 and is_unavailable(server.get("/v1/models"))
    say(FINE)
    wait_fresh(server)
    assert place(ask(server, "b.gltf")) == 2 and ask(server, "1.gltf").status == 404


def test_an_import_that_waits_for_the_root(begin, root):
    (root / "c.bin").write_bytes(TRIANGLE)
    (root / "c.gltf").write_text(gltf(x=3, buffer="c.bin"))
    server, say = begin("--source-timeout", "300ms")
    say("HANG", "c.bin")
    assert is_unavailable(ask(server, "c.gltf"))
    assert is_unavailable(ask(server, "b.gltf"))  # for now the server knows nothing about any file
    say(FINE)
    wait_until(lambda: ask(server, "c.gltf").status == 200, "the model stays unavailable")
    assert place(ask(server, "c.gltf")) == 3 and place(ask(server, "b.gltf")) == 2


def test_a_companion_that_fails_makes_no_other_model(begin, root):
    """Without its bytes the model would be broken, and without a texture it would differ."""
    (root / "c.bin").write_bytes(TRIANGLE)
    (root / "c.gltf").write_text(gltf(x=3, buffer="c.bin"))
    server, say = begin()
    for word in ("EIO", "READ"):
        say(word, "c.bin")
        assert is_unavailable(ask(server, "c.gltf")), word
    say("READ", "c.gltf")
    assert is_unavailable(ask(server, "c.gltf"))
    say(FINE)
    wait_until(lambda: ask(server, "c.gltf").status == 200, "the model stays unavailable")
    assert place(ask(server, "c.gltf")) == 3
    say("EIO", "c.bin")
    wait_stale(server, "c.gltf")


def test_lists(begin):
    server, say = begin()
    first = server.get("/v1/models")
    say("EIO")
    wait_until(lambda: is_stale(server.get("/v1/models")), "the list is not stale")
    assert [m["model"] for m in server.json("/v1/models")["models"]] == ["a.gltf", "b.gltf"]
    assert "x-posed-stale" not in first.headers
    say(FINE)
    wait_until(lambda: not is_stale(server.get("/v1/models")), "the list stays stale")
    server, say = begin()
    say("EIO")
    assert is_unavailable(server.get("/v1/models")) and is_unavailable(server.get("/v1/models?folders=1"))


def test_batches_say_so_too(begin):
    server, say = begin()
    assert place(ask(server)) == 1
    say("EIO")
    wait_stale(server)
    body = '{"queries":[{"op":"palette","model":"a.gltf"},{"op":"palette","model":"b.gltf"}]}'
    with server.connect() as connection:
        connection.send(f"POST /v1/query HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n{body}")
        answer = connection.answer()
    assert is_stale(answer) and "error" not in answer.json()["results"][0]
    assert answer.json()["results"][1]["error"]["code"] == "source_unavailable"


# --- without a stand-in: the root's path ---

def test_the_root_is_removed_and_put_back(start, root):
    server = start(*SOON, *NO_RENDERING, root=root)
    assert place(ask(server)) == 1
    os.rename(root, root.parent / "away")
    wait_stale(server)
    assert place(ask(server)) == 1 and is_unavailable(ask(server, "b.gltf")) and is_unavailable(ask(server, "none.gltf"))
    server.wait_for_line("No such file")
    root.mkdir()  # like the folder beneath a mount point
    wait_until(lambda: b"without anything in it" in ask(server, "b.gltf").body, "the empty folder is not told")
    for _ in range(5):
        assert is_stale(ask(server)) and is_unavailable(ask(server, "b.gltf"))
    (root / "a.gltf").write_text(gltf(x=5))
    wait_until(lambda: place(ask(server)) == 5, "the folder is not taken")
    assert not is_stale(ask(server)) and ask(server, "b.gltf").status == 404
    server.wait_for_line("can be read again")


def test_the_root_is_replaced_under_requests(start, root):
    """Never 404 meanwhile: until the server uses the new folder, the removed one gives no answer."""
    server = start(*SOON, *NO_RENDERING, root=root)
    assert place(ask(server)) == 1
    for x in range(2, 12):
        (root.parent / "next").mkdir()
        (root.parent / "next" / "a.gltf").write_text(gltf(x=x))
        os.rename(root, root.parent / "away")
        os.rename(root.parent / "next", root)
        shutil.rmtree(root.parent / "away")
        def is_there():
            answer = ask(server)
            assert answer.status == 200, answer.body
            return place(answer) == x
        wait_until(is_there, "the other folder is not taken")


def test_streams_go_on(begin):
    server, say = begin("--tcp", "127.0.0.1:0")
    with connect(server.ports, "tcp") as link:
        model = link.open("a.gltf")
        link.send(packet("subscribe", subscribe("pose", rate=50, credit=1000000), id=7, model=model))
        assert link.read().kind == "done"
        first = link.read()
        assert first.kind == "stream" and not first.has("stale")

        def read_until(is_there):
            for _ in range(5000):
                frame = link.read()
                assert frame.kind == "stream", frame
                if is_there(frame):
                    return
            raise AssertionError("no such frame")

        say("EIO")
        read_until(lambda frame: frame.has("stale"))
        say(FINE)
        read_until(lambda frame: not frame.has("stale"))


def test_imports_that_wait_for_a_disk_keep_no_other_waiting(begin, root):
    """More of them than threads for files: other models are checked and imported, other threads make long answers."""
    (root / "bin").mkdir()
    for i in range(24):
        (root / "bin" / f"{i}.bin").write_bytes(TRIANGLE)
        (root / f"far{i}.gltf").write_text(gltf(x=i, buffer=f"bin/{i}.bin"))
    server, say = begin("--import-workers", "20", "--source-timeout", "10min", "--watch-interval", "10min")
    large = "/v1/mesh?model=a.gltf&t=0:9:1000"
    expected = server.get(large)
    assert expected.status == 200
    say("HANG", "bin")
    waiting = [server.connect() for _ in range(24)]

    hangs = root.parent / "says.hangs"
    for i, one in enumerate(waiting[:12]):  # each waits for its file before the next is looked at
        one.send(f"GET /v1/palette?model=far{i}.gltf HTTP/1.1\r\nHost: localhost\r\n\r\n")
        wait_until(lambda: hangs.exists() and f"bin/{i}.bin\n" in hangs.read_text(), f"import {i} has not come to its file")
    assert place(ask(server, "b.gltf")) == 2
    for i, one in enumerate(waiting[12:], 12):
        one.send(f"GET /v1/palette?model=far{i}.gltf HTTP/1.1\r\nHost: localhost\r\n\r\n")
    wait_until(lambda: server.json("/v1/stats")["imports"]["running"] == 20)
    assert server.get(large).body == expected.body
    body = json.dumps({"model": "a.gltf", "t": [i / 7 for i in range(4000)]})
    assert post(server, "/v1/palette", body.encode()).status == 200
    say(FINE)
    for i, one in enumerate(waiting):
        assert one.answer().status == 200
        one.socket.close()
