"""Models in memory: imported once, imported again when a file changes, dropped when there are too many."""
import os
import socket
import struct

import pytest

from conftest import wait_until
from importers import NO_RENDERING, imports, install, install_waiting
from small_models import MD5MESH, TRIANGLE, gltf, md5anim, place

DRAWS = False

pytestmark = pytest.mark.short


@pytest.fixture
def root(tmp_path):
    folder = tmp_path / "root"
    folder.mkdir()
    return folder


def ask(server, model="a.gltf"):
    return server.get(f"/v1/palette?model={model}")


def state(server):
    return {one["model"]: one["state"] for one in server.get("/v1/models").json()["models"]}


def test_waiters_share_one_import(start, root, tmp_path):
    (root / "a.gltf").write_text(gltf(x=3))
    options, go = install_waiting(tmp_path / "bin")
    server = start(*options, root=root)
    waiting = [server.connect() for _ in range(12)]
    for one in waiting:
        one.send("GET /v1/palette?model=a.gltf HTTP/1.1\r\nHost: localhost\r\n\r\n")
    wait_until(lambda: state(server)["a.gltf"] == "importing", "the import does not begin")
    go.touch()
    assert [place(one.answer()) for one in waiting] == [3] * 12
    for one in waiting:
        one.socket.close()
    assert place(ask(server)) == 3
    assert imports(server) == 1 and state(server)["a.gltf"] == "ready"


def test_changed_file(start, root):
    (root / "a.gltf").write_text(gltf(x=1))
    server = start(*NO_RENDERING, root=root)
    assert [place(ask(server)) for _ in range(3)] == [1, 1, 1]
    (root / "a.gltf").write_text(gltf(x=2))  # as many bytes as before
    assert place(ask(server)) == 2
    (root / "new.gltf").write_text(gltf(x=3))
    os.replace(root / "new.gltf", root / "a.gltf")
    assert place(ask(server)) == 3
    assert imports(server) == 3


def test_deleted_file(start, root):
    (root / "a.gltf").write_text(gltf(x=1))
    server = start(*NO_RENDERING, root=root)
    assert ask(server).status == 200
    (root / "a.gltf").unlink()
    assert ask(server).status == 404
    (root / "a.gltf").write_text(gltf(x=2))
    assert place(ask(server)) == 2


def test_changed_companion(start, root):
    (root / "a.gltf").write_text(gltf(buffer="tri.bin"))
    (root / "tri.bin").write_bytes(TRIANGLE)
    server = start(*NO_RENDERING, root=root)
    first = ask(server).headers["etag"]
    (root / "tri.bin").write_bytes(TRIANGLE[:-4] + b"\0\0\x80\x3f")
    assert ask(server).headers["etag"] != first
    (root / "tri.bin").unlink()
    assert ask(server).error() == "companion_missing"


def test_texture_appears(start, root):
    (root / "a.gltf").write_text(gltf(image="skin.png"))
    server = start(*NO_RENDERING, root=root)
    texture = lambda: server.get("/v1/model?model=a.gltf").json()["textures"][0]["state"]
    assert texture() == "missing"
    assert texture() == "missing" and imports(server) == 1
    (root / "skin.png").write_bytes(b"no picture")
    assert texture() != "missing" and imports(server) == 2


def test_md5_clips_come_and_go(start, root):
    (root / "leg.md5mesh").write_text(MD5MESH)
    (root / "walk.md5anim").write_text(md5anim(7))
    server = start(*NO_RENDERING, root=root)
    clips = lambda: [clip["name"] for clip in server.get("/v1/model?model=leg.md5mesh").json()["clips"]]
    assert clips() == ["walk"]
    assert clips() == ["walk"] and imports(server) == 1
    (root / "leg.md5anim").write_text(md5anim(9))
    assert clips() == ["leg", "walk"]
    (root / "walk.md5anim").unlink()
    assert clips() == ["leg"] and imports(server) == 3
    pose = server.get("/v1/pose?model=leg.md5mesh&clip=leg&t=0.1&wrap=clamp").json()
    hip = [node["name"] for node in pose["nodes"]].index("hip")
    assert pose["frames"][0]["scene"][hip][12:15] == pytest.approx([9, 2, 3])


def test_companion_that_is_a_link_is_no_reason_to_import_again(start, root):
    (root / "a.gltf").write_text(gltf(image="skin.png"))
    (root / "skin.png").symlink_to("elsewhere.png")
    server = start(*NO_RENDERING, root=root)
    assert [ask(server).status for _ in range(3)] == [200] * 3
    assert imports(server) == 1


def test_failure_is_remembered_for_a_while(start, root):
    (root / "a.gltf").write_text("{}")
    server = start("--failure-ttl", "60m", *NO_RENDERING, root=root)
    answers = [ask(server) for _ in range(3)]
    assert {(one.status, one.error()) for one in answers} == {(422, "bad_model")}
    assert answers[0].body == answers[2].body and imports(server) == 1
    (root / "a.gltf").write_text(gltf(x=5))
    assert place(ask(server)) == 5 and imports(server) == 2


def test_failure_is_tried_again(start, root):
    (root / "a.gltf").write_text(gltf(buffer="tri.bin"))
    server = start(*NO_RENDERING, root=root)
    assert ask(server).error() == "companion_missing"
    (root / "tri.bin").write_bytes(TRIANGLE)
    wait_until(lambda: ask(server).status == 200, "the failure is kept for ever")


def test_change_during_an_import(start, root, tmp_path):
    """A request after the change gets the new file; one before it may get the old one."""
    (root / "a.gltf").write_text(gltf(x=1))
    done, go = tmp_path / "done", tmp_path / "go"
    script = "{real}; rc=$?; touch %s; while [ ! -e %s ]; do sleep 0.02; done; exit $rc" % (done, go)
    server = start(*install(tmp_path / "bin", script), root=root)
    with server.connect() as early, server.connect() as late:
        early.send("GET /v1/palette?model=a.gltf HTTP/1.1\r\nHost: localhost\r\n\r\n")
        wait_until(lambda: state(server)["a.gltf"] == "importing", "the import does not begin")
        wait_until(done.exists, "the importer does not end")
        (root / "a.gltf").write_text(gltf(x=2))
        late.send("GET /v1/palette?model=a.gltf HTTP/1.1\r\nHost: localhost\r\n\r\n")
        go.touch()
        assert place(early.answer()) == 1
        assert place(late.answer()) == 2
    assert imports(server) == 2


LARGE = 20000  # triangles: more than a megabyte when baked


def test_models_larger_than_the_cache(start, root):
    for name in "abc":
        (root / f"{name}.gltf").write_text(gltf(x=ord(name), triangles=LARGE))
    server = start("--cache-bytes", "1m", *NO_RENDERING, root=root)
    for name in "abcabc":
        assert place(ask(server, f"{name}.gltf")) == ord(name)
    assert imports(server) == 6 and set(state(server).values()) == {"new"}


def test_least_recently_used_goes_first(start, root):
    for name in "abc":
        (root / f"{name}.gltf").write_text(gltf(x=ord(name), triangles=LARGE))
    server = start("--cache-bytes", "100m", *NO_RENDERING, root=root)
    ask(server)
    size = int(server.wait_for_line("import model='a.gltf'").split("bytes=")[1].split()[0])
    server = start("--cache-bytes", str(2 * size), *NO_RENDERING, root=root)
    for name in "abac":
        assert place(ask(server, f"{name}.gltf")) == ord(name)
    assert state(server) == {"a.gltf": "ready", "b.gltf": "new", "c.gltf": "ready"}
    assert imports(server) == 3


def test_a_model_that_took_long_is_not_the_first_to_go(start, root, tmp_path):
    """Models that were used during its import count as used more recently than its request."""
    for name in "abc":
        (root / f"{name}.gltf").write_text(gltf(x=ord(name), triangles=LARGE))
    server = start("--cache-bytes", "100m", *NO_RENDERING, root=root)
    ask(server)
    size = int(server.wait_for_line("import model='a.gltf'").split("bytes=")[1].split()[0])
    options, go = install_waiting(tmp_path / "bin", "*c.gltf*")
    server = start(*options, "--cache-bytes", str(2 * size), root=root)
    ask(server, "a.gltf")
    ask(server, "b.gltf")
    with server.connect() as patient:
        patient.send("GET /v1/palette?model=c.gltf HTTP/1.1\r\nHost: localhost\r\n\r\n")
        wait_until(lambda: state(server)["c.gltf"] == "importing", "the import does not begin")
        assert [place(ask(server, f"{name}.gltf")) for name in "ab"] == [ord("a"), ord("b")]
        go.touch()
        assert place(patient.answer()) == ord("c")
    assert state(server) == {"a.gltf": "new", "b.gltf": "ready", "c.gltf": "ready"}
    assert place(ask(server, "c.gltf")) == ord("c") and imports(server) == 3


def test_abandoned_import_is_not_begun(start, root, tmp_path):
    for name in "ab":
        (root / f"{name}.gltf").write_text(gltf())
    options, go = install_waiting(tmp_path / "bin")
    server = start(*options, "--import-workers", "1", root=root)
    with server.connect() as patient:
        patient.send("GET /v1/palette?model=a.gltf HTTP/1.1\r\nHost: localhost\r\n\r\n")
        wait_until(lambda: state(server)["a.gltf"] == "importing", "the import does not begin")
        with server.connect() as impatient:
            impatient.send("GET /v1/palette?model=b.gltf HTTP/1.1\r\nHost: localhost\r\n\r\n")
            wait_until(lambda: state(server)["b.gltf"] == "importing", "the second does not wait")
            impatient.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))  # reset
        wait_until(lambda: state(server)["b.gltf"] == "new", "the second waits for nobody")
        go.touch()
        assert patient.answer().status == 200
    assert imports(server) == 1
