"""Clocks that jump, files with arbitrary dates, and a server stopped for a while: the answers stay the same."""
import email.utils
import json
import os
import pathlib
import resource
import signal
import tempfile
import time

import pytest

import importers
from clocks import YEAR_S, Clocks
from conftest import wait_until
from disk_kills import children, is_alive
from importers import NO_RENDERING
from small_models import gltf, place

PALETTE = "/v1/palette?model=a.gltf"


@pytest.fixture
def root(tmp_path):
    folder = tmp_path / "root"
    folder.mkdir()
    (folder / "a.gltf").write_text(gltf(x=1))
    return folder


@pytest.fixture
def clocks(tmp_path):
    return Clocks(tmp_path / "clocks")


def test_the_wall_clock_jumps(start, root, tmp_path, clocks):
    (root / "up").mkdir()
    server = start(*NO_RENDERING, "--cache-dir", str(tmp_path / "cache"), "--uploads", str(root / "up"), "--header-timeout", "2s", "--idle-timeout",
                   "2s", root=root, env=clocks.env)
    with server.connect() as connection:
        first = connection.get(PALETTE)
        tag = first.headers["etag"]
        for i, jump_s in enumerate((YEAR_S, -20 * YEAR_S, 300 * YEAR_S, -281 * YEAR_S)):
            clocks.turn(wall_s=jump_s)
            answer = connection.get(PALETTE)
            assert answer.status == 200 and answer.body == first.body and answer.headers["etag"] == tag
            assert connection.get(PALETTE, f"If-None-Match: {tag}").status == 304
            said = email.utils.parsedate_to_datetime(answer.headers["date"]).timestamp()
            assert abs(said - time.time() - sum((YEAR_S, -20 * YEAR_S, 300 * YEAR_S, -281 * YEAR_S)[:i + 1])) < 60
            (root / "a.gltf").write_text(gltf(x=5 + i))  # a change is seen
            wait_until(lambda: place(connection.get(PALETTE)) == 5 + i)
            (root / "a.gltf").write_text(gltf(x=1))
            wait_until(lambda: connection.get(PALETTE).body == first.body)
            body = gltf(x=i)
            connection.send(f"PUT /v1/models/up{i}.gltf HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n\r\n{body}")
            assert connection.answer().status in (200, 201)
            assert place(connection.get(f"/v1/palette?model=up/up{i}.gltf")) == i
            assert {entry["model"] for entry in connection.get("/v1/models").json()["models"]} >= {"a.gltf", f"up/up{i}.gltf"}


def test_the_disk_cache_takes_models_again_whatever_the_wall_clock_says(start, root, tmp_path, clocks):
    server = start(*NO_RENDERING, "--cache-dir", str(tmp_path / "cache"), root=root, env=clocks.env)
    _, hard = resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE)
    resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (20000, hard))  # its log is a file too
    (root / "a.gltf").write_text(gltf(x=1, triangles=1000))
    assert place(server.get(PALETTE)) == 1
    server.wait_for_line("takes nothing for now")
    resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (hard, hard))
    clocks.turn(wall_s=-YEAR_S, monotonic_s=61)
    (root / "b.gltf").write_text(gltf(x=2))
    assert place(server.get("/v1/palette?model=b.gltf")) == 2
    server.wait_for_line("takes models again")


DATES = {  # seconds, and their form in the listing
    2**33: "2242-03-16T12:56:32Z", 2**34: "2262-04-11T23:47:16Z", 2**40: "2262-04-11T23:47:16Z", 0: "1970-01-01T00:00:00Z",
    -0.5: "1969-12-31T23:59:59Z", -2**31: "1901-12-13T20:45:52Z", -2**40: "1677-09-21T00:12:43Z",
}


@pytest.fixture
def far_root(root):
    """In memory, where the system allows any date, if it has such a place."""
    if not os.access("/dev/shm", os.W_OK):
        yield root
        return
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        (pathlib.Path(folder) / "a.gltf").write_text(gltf(x=1))
        yield pathlib.Path(folder)


@pytest.mark.parametrize("date_s", DATES)
def test_a_file_of_any_date(far_root, start, tmp_path, date_s):
    root, path = far_root, far_root / "a.gltf"

    def set_date():
        os.utime(path, (0, date_s))
        return path.stat().st_mtime == date_s

    if not set_date():
        pytest.skip("the file system has no such dates")
    options = (*NO_RENDERING, "--cache-dir", str(tmp_path / "cache"))
    server = start(*options, root=root)
    assert place(server.get(PALETTE)) == 1
    entry, = server.json("/v1/models")["models"]
    assert DATES[date_s] in json.dumps(entry), entry
    path.write_text(gltf(x=3))
    set_date()
    wait_until(lambda: place(server.get(PALETTE)) == 3)
    server.end()
    path.write_text(gltf(x=4))
    set_date()
    assert place(start(*options, root=root).get(PALETTE)) == 4


def stand_still(server, clocks, meanwhile, seconds=100):
    """Stop the server, so that everything that happens meanwhile arrives at once, and late."""
    server.signal(signal.SIGSTOP)
    wait_until(lambda: open(f"/proc/{server.process.pid}/stat").read().rsplit(")", 1)[1].split()[0] == "T")
    meanwhile()
    clocks.turn(monotonic_s=seconds)
    server.signal(signal.SIGCONT)


def test_a_request_that_came_while_the_server_stood_still(start, root, clocks):
    server = start(*NO_RENDERING, "--header-timeout", "5s", "--body-timeout", "5s", root=root, env=clocks.env)
    body = json.dumps({"queries": [{"op": "palette", "model": "a.gltf"}]})
    texts = (f"GET {PALETTE} HTTP/1.1\r\nHost: localhost\r\n\r\n",
             f"POST /v1/query HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n{body}")
    with server.connect() as one, server.connect() as other:
        assert server.get(PALETTE).status == 200
        one.send(texts[0][:20])
        other.send(texts[1][:-20])
        assert server.get("/healthz").status == 200  # everything that was sent before has been read
        stand_still(server, clocks, lambda: (one.send(texts[0][20:]), other.send(texts[1][-20:])))
        assert one.answer().status == 200
        assert other.answer().status == 200


def test_an_import_that_ended_while_the_server_stood_still(start, root, tmp_path, clocks):
    go = tmp_path / "go"
    options = importers.install(tmp_path / "bin", f'{{real}}; status=$?; : > {go}0; while [ ! -e {go} ]; do sleep 0.02; done; exit $status')
    server = start(*options, "--import-timeout", "60s", root=root, env=clocks.env)
    with server.connect() as connection:
        connection.send(f"GET {PALETTE} HTTP/1.1\r\nHost: localhost\r\n\r\n")
        wait_until((tmp_path / "go0").exists, "no import")
        importer, = children(server)

        def end():
            go.touch()
            wait_until(lambda: not is_alive(importer), "the importer does not end")

        stand_still(server, clocks, end)
        answer = connection.answer()
        assert answer.status == 200, answer.body
