"""/v1/models for clients that keep a list open: folders, tags, counts, and changes on disk."""
import os
import socket
import threading

import pytest

from importers import NO_RENDERING
from small_models import gltf

DRAWS = False

pytestmark = pytest.mark.short
OBJ = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"


@pytest.fixture
def root(tmp_path):
    folder = tmp_path / "root"
    for name in "a.obj", "set/b.obj", "set/deep/c.obj", "set/deep/d.obj", "set-2/e.obj":
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(OBJ)
    return folder


def tagged(server, target, tag=None):
    answer = server.get(target, *([f"If-None-Match: {tag}"] if tag else []))
    return answer.status, answer.headers.get("etag"), answer


def folders(server, **query):
    return [(one["folder"], one["models"], one["models_beneath"]) for one in server.json("/v1/models", folders=1, **query)["folders"]]


def test_folders_with_counts(start, root):
    (root / "empty").mkdir()
    server = start(root=root)
    assert folders(server) == [("", 1, 5), ("set-2/", 1, 1), ("set/", 1, 3), ("set/deep/", 2, 2)]
    assert folders(server, prefix="set/") == [("set/", 1, 3), ("set/deep/", 2, 2)]
    first = server.json("/v1/models", folders=1, limit=2)
    assert [one["folder"] for one in first["folders"]] == ["", "set-2/"] and first["next"] == "set-2/"
    assert folders(server, after=first["next"]) == [("set/", 1, 3), ("set/deep/", 2, 2)]
    assert server.json("/v1/models", folders=1)["folders"][3]["bytes"] == 2 * len(OBJ)
    assert server.json("/v1/models", folders=0)["models"][0]["model"] == "a.obj"


def test_folders_of_nothing(start, tmp_path):
    assert folders(start(root=tmp_path)) == [("", 0, 0)]


@pytest.mark.parametrize("watch", ["auto", "poll"])
def test_a_change_is_seen_by_who_asks_with_the_tag(start, root, watch):
    server = start("--watch", watch, "--watch-interval", "1ms", root=root)
    status, tag, answer = tagged(server, "/v1/models?folders=1")
    assert status == 200 and answer.headers["cache-control"] == "no-cache"
    assert tagged(server, "/v1/models?folders=1", tag)[:2] == (304, tag)
    versions = {one["folder"]: one["version"] for one in answer.json()["folders"]}

    def changed(tag):
        while True:  # at once with events, after a while without
            status, new, answer = tagged(server, "/v1/models?folders=1", tag)
            if status == 200:
                return new, {one["folder"] for one in answer.json()["folders"] if versions.get(one["folder"]) != one["version"]}
            assert watch == "poll"
    (root / "set" / "new.obj").write_text(OBJ)
    tag, which = changed(tag)
    assert which == {"set/"}
    assert [one["model"] for one in server.json("/v1/models", prefix="set/new")["models"]] == ["set/new.obj"]
    os.remove(root / "set" / "new.obj")
    tag, which = changed(tag)
    assert which == set()  # nothing has changed
    (root / "other").mkdir()
    (root / "other" / "f.obj").write_text(OBJ)
    tag, which = changed(tag)
    assert which == {"other/"}
    os.rename(root / "other", root / "another")
    tag, which = changed(tag)
    assert which == {"another/"}


def test_the_tag_of_a_list_stands_for_all_it_says(start, root):
    server = start(*NO_RENDERING, root=root)
    status, tag, _ = tagged(server, "/v1/models")
    assert tagged(server, "/v1/models", tag)[0] == 304
    assert tagged(server, "/v1/models?prefix=a", tag)[0] == 200
    assert server.get("/v1/model?model=a.obj").status == 200
    status, new, answer = tagged(server, "/v1/models", tag)  # it is ready now
    assert (status, answer.json()["models"][0]["state"]) == (200, "ready") and new != tag


def test_tags_of_compressed_lists(start, root):
    for i in range(60):
        (root / f"more{i}.obj").write_text(OBJ)
    server = start(root=root)
    whole = server.get("/v1/models", "Accept-Encoding: gzip")
    assert whole.headers["content-encoding"] == "gzip" and "Accept-Encoding" in whole.headers["vary"]
    again = server.get("/v1/models", "Accept-Encoding: gzip", "If-None-Match: " + whole.headers["etag"])
    assert again.status == 304 and again.headers["etag"] == whole.headers["etag"]


def test_counts_are_those_of_the_model(start, tmp_path, server):
    (tmp_path / "rigid.gltf").write_text(gltf())
    (tmp_path / "bad.gltf").write_text("{}")
    (tmp_path / "a.obj").write_text("mtllib none.mtl\n" + OBJ)
    own = start("--cache-bytes", "1m", root=tmp_path)
    for entry in own.json("/v1/models")["models"]:
        assert entry["counts"] is None
        own.get("/v1/model?model=" + entry["model"])
    for entry in own.json("/v1/models")["models"]:
        if entry["model"] == "bad.gltf":
            assert entry["counts"] is None and entry["format"] == "glTF 2.0"
            continue
        counts = own.json("/v1/model", model=entry["model"])["counts"]
        assert entry["counts"] == {name: counts[name] for name in ("clips", "joints", "warnings")}
    (tmp_path / "a.obj").write_text(OBJ + OBJ)
    assert own.json("/v1/models", prefix="a.obj")["models"][0]["counts"] is None  # of another file now
    robot = server.json("/v1/model", model="robot.glb")["counts"]
    entry, = [one for one in server.json("/v1/models")["models"] if one["model"] == "robot.glb"]
    assert (entry["counts"]["joints"], entry["counts"]["clips"]) == (robot["joints"], robot["clips"]) and robot["joints"] > 0


def test_a_crowd_that_asks_at_once_gets_one_walk(start, root):
    """All are answered, while files come and go and some clients leave."""
    server = start("--list-queue", "64", root=root)
    failures = []

    def ask(number):
        for i in range(20):
            if number % 4 == 0 and i % 5 == 0:
                with server.connect() as connection:
                    connection.send("GET /v1/models HTTP/1.1\r\nHost: localhost\r\n\r\n")
                    connection.socket.shutdown(socket.SHUT_RDWR)
                continue
            if number == 1:
                (root / f"n{i}.obj").write_text(OBJ)
            answer = server.get("/v1/models")
            names = [one["model"] for one in answer.json()["models"]]
            if answer.status != 200 or (number == 1 and f"n{i}.obj" not in names):
                failures.append((number, i, answer.status, names))
    threads = [threading.Thread(target=ask, args=(n,)) for n in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert len(server.json("/v1/models")["models"]) == 25
