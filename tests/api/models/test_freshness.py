"""Files that change while the server runs: the next request sees the change, whoever made it and in whatever way."""
import mmap
import os
import pathlib
import shutil
import socket
import struct
import tempfile

import pytest

from conftest import Server, wait_until
from importers import NO_RENDERING, imports, install
from small_models import TRIANGLE, gltf, place

DRAWS = False

pytestmark = pytest.mark.short
SOON = ("--watch-interval", "100ms")
HOWS = pytest.mark.parametrize("how", ["auto", "poll"])


@pytest.fixture
def root(tmp_path):
    folder = tmp_path / "root"
    folder.mkdir()
    return folder


def ask(server, model="a.gltf"):
    return server.get(f"/v1/palette?model={model}")


def send(connection, model="a.gltf"):
    connection.send(f"GET /v1/palette?model={model} HTTP/1.1\r\nHost: localhost\r\n\r\n")


def state(server):
    return {one["model"]: one["state"] for one in server.json("/v1/models")["models"]}


def answers(server, x, model="a.gltf"):
    """Wait until the model is at x. Without events of the system, it takes a moment to notice a change."""
    def is_there():
        answer = ask(server, model)
        return answer.status == 200 and place(answer) == x
    wait_until(is_there, f"{model} does not come to be at {x}")


@HOWS
def test_changed_model(start, root, how):
    (root / "a.gltf").write_text(gltf(x=1))
    server = start("--watch", how, *SOON, *NO_RENDERING, root=root)
    answers(server, 1)
    (root / "a.gltf").write_text(gltf(x=2))
    answers(server, 2)
    (root / "new").write_text(gltf(x=3))
    os.replace(root / "new", root / "a.gltf")
    answers(server, 3)
    (root / "a.gltf").unlink()
    wait_until(lambda: ask(server).status == 404, "the model is still there")
    (root / "a.gltf").write_text(gltf(x=4))
    answers(server, 4)
    assert imports(server) == 4
    assert server.json("/v1/stats")["cache"]["changed"] == 3


@pytest.mark.parametrize("folder", ["a/sub", "b", "a/../c/d"])
def test_a_companion_in_a_folder_of_its_own(start, root, folder):
    """Only an event reports it in time."""
    (root / "a").mkdir()
    (root / folder).mkdir(parents=True)
    bytes_file = root / folder / "x.bin"
    bytes_file.write_bytes(TRIANGLE)
    (root / "a" / "m.gltf").write_text(gltf(buffer=os.path.relpath(bytes_file, root / "a")))
    server = start("--watch-interval", "10m", *NO_RENDERING, root=root)
    for x in (1, 2, 3):
        bytes_file.write_bytes(struct.pack("<f", x) + TRIANGLE[4:])
        assert server.json("/v1/mesh", model="a/m.gltf")["frames"][0]["positions"][0][0] == x


@HOWS
def test_companions(start, root, how):
    """Changed, removed, created, in a folder that did not exist."""
    (root / "a.gltf").write_text(gltf(buffer="data/tri.bin", image="tex/deep/skin.png"))
    (root / "data").mkdir()
    (root / "data" / "tri.bin").write_bytes(TRIANGLE)
    server = start("--watch", how, *SOON, *NO_RENDERING, root=root)
    texture = lambda: server.json("/v1/model", model="a.gltf")["textures"][0]["state"]
    assert texture() == "missing"
    (root / "tex" / "deep").mkdir(parents=True)
    (root / "tex" / "deep" / "skin.png").write_bytes(b"no picture")
    wait_until(lambda: texture() == "broken", "the texture is not seen")
    shutil.rmtree(root / "tex")
    wait_until(lambda: texture() == "missing", "the texture is still seen")
    before = ask(server).headers["etag"]
    (root / "data" / "tri.bin").write_bytes(TRIANGLE[:-4] + b"\0\0\x80\x3f")
    wait_until(lambda: ask(server).headers["etag"] != before, "the buffer is the old one")
    (root / "data" / "tri.bin").unlink()
    wait_until(lambda: ask(server).status == 422, "the buffer is still there")


def test_next_request_sees_the_change(start, root):
    """With events of the system, the next request sees the change; other models in the folder stay."""
    for name in "abc":
        (root / f"{name}.gltf").write_text(gltf(x=0))
    server = start("--watch-interval", "60m", *NO_RENDERING, root=root)
    for name in "abc":
        assert place(ask(server, f"{name}.gltf")) == 0
    for x in range(1, 20):
        (root / "a.gltf").write_text(gltf(x=x))
        assert [place(ask(server, f"{name}.gltf")) for name in "abc"] == [x, 0, 0]
    assert (imports(server, "a.gltf"), imports(server, "b.gltf"), imports(server, "c.gltf")) == (20, 1, 1)


def test_folders_that_are_moved(start, root):
    (root / "birds" / "small").mkdir(parents=True)
    (root / "birds" / "small" / "a.gltf").write_text(gltf(x=1))
    server = start("--watch-interval", "60m", *NO_RENDERING, root=root)
    assert place(ask(server, "birds/small/a.gltf")) == 1
    (root / "birds").rename(root / "other")
    assert ask(server, "birds/small/a.gltf").status == 404
    assert place(ask(server, "other/small/a.gltf")) == 1
    (root / "birds" / "small").mkdir(parents=True)
    (root / "birds" / "small" / "a.gltf").write_text(gltf(x=2))
    assert place(ask(server, "birds/small/a.gltf")) == 2
    (root / "other" / "small" / "a.gltf").write_text(gltf(x=3))
    (root / "birds" / "small" / "a.gltf").write_text(gltf(x=4))
    assert [place(ask(server, f"{folder}/small/a.gltf")) for folder in ("birds", "other")] == [4, 3]


def test_changes_that_no_event_tells(start, root, tmp_path):
    """Through a mapping, and through another name outside the root."""
    for name in "ab":
        (root / f"{name}.gltf").write_text(gltf(x=1))
    os.link(root / "b.gltf", tmp_path / "elsewhere.gltf")
    server = start(*SOON, *NO_RENDERING, root=root)
    answers(server, 1)
    answers(server, 1, "b.gltf")
    with open(root / "a.gltf", "r+b") as file, mmap.mmap(file.fileno(), 0) as mapping:
        at = mapping.find(b'"translation": [1')
        mapping[at:at + 17] = b'"translation": [2'
        mapping.flush()
    answers(server, 2)
    with open(tmp_path / "elsewhere.gltf", "r+") as file:
        file.write(gltf(x=2))
    answers(server, 2, "b.gltf")


def test_watch_off(start, root):
    (root / "a.gltf").write_text(gltf(x=1))
    server = start("--watch", "off", *SOON, *NO_RENDERING, root=root)
    assert place(ask(server)) == 1
    (root / "a.gltf").write_text(gltf(x=2))
    (root / "b.gltf").write_text(gltf(x=3))
    assert place(ask(server, "b.gltf")) == 3  # a model that was never requested
    assert place(ask(server)) == 1 and imports(server) == 2


def test_changes_are_noticed_without_a_request(start, root):
    (root / "a.gltf").write_text(gltf(x=1))
    (root / "b.gltf").write_text(gltf(x=1))
    server = start(*NO_RENDERING, root=root)
    assert place(ask(server)) == place(ask(server, "b.gltf")) == 1
    (root / "a.gltf").write_text(gltf(x=2))
    server.wait_for_line("changed model='a.gltf'")
    (root / "b.gltf").unlink()
    server.wait_for_line("changed model='b.gltf'")
    assert server.json("/v1/stats")["cache"] == {**server.json("/v1/stats")["cache"], "models": 0, "bytes": 0}


def test_new_files_are_listed(start, root):
    server = start(*NO_RENDERING, root=root)
    assert state(server) == {}
    (root / "new").mkdir()
    (root / "new" / "a.gltf").write_text(gltf())
    assert state(server) == {"new/a.gltf": "new"}


def test_the_root_is_removed_and_put_back(start, root):
    (root / "a.gltf").write_text(gltf(x=1))
    server = start(*SOON, *NO_RENDERING, root=root)
    answers(server, 1)
    for x in (2, 3):
        shutil.rmtree(root)
        wait_until(lambda: "x-posed-stale" in ask(server).headers, "the root is still there")
        assert server.get("/healthz").status == 200 and place(ask(server)) == x - 1
        server.wait_for_line("cannot be read")
        root.mkdir()
        (root / "a.gltf").write_text(gltf(x=x))
        answers(server, x)
    (root / "a.gltf").write_text(gltf(x=4))
    answers(server, 4)


def test_the_root_is_a_link_that_is_turned(start, tmp_path):
    """As in deployments: a new folder, then one rename."""
    for version in (1, 2):
        (tmp_path / f"v{version}").mkdir()
        (tmp_path / f"v{version}" / "a.gltf").write_text(gltf(x=version))
    link = tmp_path / "current"
    link.symlink_to("v1")
    server = start(*SOON, *NO_RENDERING, root=link)
    answers(server, 1)
    (tmp_path / "next").symlink_to("v2")
    os.replace(tmp_path / "next", link)
    answers(server, 2)


class Writer:
    """Writes a file in two halves."""

    def __init__(self, path, text):
        self.file, self.rest = open(path, "w"), text[len(text) // 2:]
        self.file.write(text[:len(text) // 2])
        self.file.flush()

    def finish(self):
        self.file.write(self.rest)
        self.file.close()


@HOWS
def test_half_written_file_is_waited_for(start, root, how):
    server = start("--watch", how, *SOON, *NO_RENDERING, root=root)
    writer = Writer(root / "a.gltf", gltf(x=5))
    with server.connect() as connection:
        send(connection)
        wait_until(lambda: state(server)["a.gltf"] == "importing", "nobody waits")
        writer.finish()
        assert place(connection.answer()) == 5
    assert imports(server) == 1


@HOWS
def test_former_model_is_answered_while_the_next_is_written(start, root, how):
    (root / "a.gltf").write_text(gltf(x=1))
    server = start("--watch", how, *SOON, *NO_RENDERING, root=root)
    answers(server, 1)
    writer = Writer(root / "a.gltf", gltf(x=2))
    for _ in range(5):
        assert place(ask(server)) == 1
    writer.finish()
    answers(server, 2)
    assert imports(server) == 2


def test_file_that_is_written_for_ever(start, root):
    server = start("--settle-timeout", "300ms", *NO_RENDERING, root=root)
    writer = Writer(root / "a.gltf", gltf(x=2))
    answer = ask(server)
    assert (answer.status, answer.error()) == (503, "model_changing") and int(answer.headers["retry-after"]) > 0
    assert "a.gltf" in answer.json()["error"]["message"]
    writer.finish()
    assert place(ask(server)) == 2 and imports(server) == 1


def test_client_that_gives_up_on_a_half_written_file(start, root):
    server = start("--settle-timeout", "60m", *NO_RENDERING, root=root)
    writer = Writer(root / "a.gltf", gltf(x=2))
    with server.connect() as connection:
        send(connection)
        wait_until(lambda: state(server)["a.gltf"] == "importing", "nobody waits")
        connection.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))  # reset
    wait_until(lambda: (writer.file.write(" ") and writer.file.flush()) or state(server)["a.gltf"] == "new",
               "it is waited for, for nobody")


def test_writer_who_cannot_be_seen():
    """A server of another user cannot see who has files open for writing: it waits until they are quiet."""
    if os.environ.get("POSED_SERVER") or os.geteuid() != 0:
        pytest.skip("needs a server of another user")
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        path = pathlib.Path(folder) / "a.gltf"
        try:
            server = Server(folder, *NO_RENDERING, user=65534)
        except (PermissionError, FileNotFoundError):
            pytest.skip("the program cannot be started by another user")
        try:
            writer = Writer(path, gltf(x=6))
            with server.connect() as connection:
                send(connection)
                server.wait_for_line("import model='a.gltf'")
                writer.finish()
                assert place(connection.answer()) == 6
            path.write_text("{}")
            assert ask(server).error() == "bad_model"
        finally:
            server.end()


def test_change_while_a_failing_import_runs(start, root, tmp_path):
    """A request for the broken file gets the repaired one."""
    (root / "a.gltf").write_text("{}")
    server = start(*install(tmp_path / "bin", "{real}; rc=$?; touch ended; while [ ! -e go ]; do sleep 0.02; done; exit $rc"
                            .replace("ended", str(tmp_path / "ended")).replace("go ]", str(tmp_path / "go") + " ]")),
                   root=root)
    with server.connect() as connection:
        send(connection)
        wait_until((tmp_path / "ended").exists, "no import")
        (root / "a.gltf").write_text(gltf(x=3))
        (tmp_path / "go").touch()
        assert place(connection.answer()) == 3
    assert imports(server) == 2


def test_failures_are_kept_for_a_while(start, root):
    (root / "a.gltf").write_text("{}")
    server = start("--failure-ttl", "60m", *NO_RENDERING, root=root)
    assert {ask(server).error() for _ in range(20)} == {"bad_model"} and imports(server) == 1
    (root / "other.txt").write_text("x")  # in the same folder
    assert {ask(server).error() for _ in range(20)} == {"bad_model"} and imports(server) <= 2
    (root / "a.gltf").write_text(gltf(x=1))
    assert place(ask(server)) == 1


def test_missing_buffer_appears_beside_the_model(start, root):
    (root / "a.gltf").write_text(gltf(buffer="tri.bin"))
    server = start("--failure-ttl", "60m", *NO_RENDERING, root=root)
    assert ask(server).error() == "companion_missing"
    (root / "tri.bin").write_bytes(TRIANGLE)
    wait_until(lambda: ask(server).status == 200, "the failure is kept")


def test_failures_are_forgotten(start, root):
    (root / "a.gltf").write_text(gltf(buffer="data/tri.bin"))
    (root / "data").mkdir()
    server = start("--failure-ttl", "300ms", "--watch", "poll", *NO_RENDERING, root=root)
    assert ask(server).error() == "companion_missing"
    (root / "data" / "tri.bin").write_bytes(TRIANGLE)
    wait_until(lambda: ask(server).status == 200, "the failure is kept for ever")
