"""/v1/models, and valid names of models."""
import datetime
import json
import os
import re

import pytest

from importers import NO_RENDERING
from small_models import gltf

DRAWS = False

pytestmark = pytest.mark.short


def names(answer):
    return [one["model"] for one in answer.json()["models"]]


@pytest.fixture
def root(tmp_path):
    """A root of its own, beside the test's other files."""
    folder = tmp_path / "root"
    folder.mkdir()
    return folder


def test_empty_root(start, root):
    assert start(root=root).get("/v1/models").json() == {"models": [], "next": None}


def test_states(start, root):
    (root / "good.gltf").write_text(gltf())
    (root / "bad.gltf").write_text("{}")
    server = start(root=root)
    entries = server.get("/v1/models").json()["models"]
    assert [one["state"] for one in entries] == ["new", "new"]
    assert entries[1]["bytes"] == (root / "good.gltf").stat().st_size
    modified = datetime.datetime.strptime(entries[1]["modified"], "%Y-%m-%dT%H:%M:%S%z").timestamp()
    assert modified == int((root / "good.gltf").stat().st_mtime)
    assert entries[1]["hash"] is None and entries[1]["error"] is None

    assert server.get("/v1/model?model=good.gltf").status == 200
    refused = server.get("/v1/model?model=bad.gltf")
    assert (refused.status, refused.error()) == (422, "bad_model")
    bad, good = server.get("/v1/models").json()["models"]
    assert good["state"] == "ready" and re.fullmatch("[0-9a-f]{64}", good["hash"]) and good["error"] is None
    assert bad["state"] == "failed" and bad["hash"] is None
    assert bad["error"]["code"] == "bad_model" and "bad.gltf" in bad["error"]["message"]

    (root / "good.gltf").write_text(gltf(x=1))
    assert server.get("/v1/models").json()["models"][1]["state"] == "new"


def test_what_is_listed(start, root):
    for path in ["b/z.glb", "b-1.obj", "b.FBX", "b0.dae", "md5/bob.md5mesh", "md5/bob.md5anim", "md5/walk.md5anim",
                 "b/tri.bin", "b/skin.png", "readme.md", ".hidden.glb", ".git/x.glb", "ä b.glb"]:
        (root / path).parent.mkdir(exist_ok=True)
        (root / path).write_text("x")
    (root / "link.glb").symlink_to("b/z.glb")
    (root / "loop").symlink_to(".")
    (root / "folder.glb").mkdir()
    assert names(start(root=root).get("/v1/models")) == [
        "b-1.obj", "b.FBX", "b/z.glb", "b0.dae", "md5/bob.md5mesh", "md5/walk.md5anim", "ä b.glb"]


def test_pages(start, root):
    expected = []
    for folder in ["a", "b"]:
        (root / folder).mkdir()
        for i in range(5):
            (root / folder / f"{i}.glb").write_text("x")
            expected.append(f"{folder}/{i}.glb")
    server = start(root=root)
    assert names(server.get("/v1/models?prefix=b/")) == expected[5:]
    assert names(server.get("/v1/models?prefix=b/4")) == ["b/4.glb"]
    seen, target = [], "/v1/models?limit=3"
    while True:
        page = server.get(target)
        seen.append(names(page))
        if page.json()["next"] is None:
            break
        assert page.json()["next"] == seen[-1][-1]
        target = f"/v1/models?limit=3&after={page.json()['next']}"
    assert [len(page) for page in seen] == [3, 3, 3, 1] and sum(seen, []) == expected


def test_large_tree_does_not_delay_others(start, root):
    for i in range(50):
        (root / f"{i:02}").mkdir()
        for j in range(100):
            (root / f"{i:02}" / f"{j:02}.glb").touch()
    server = start(root=root)
    with server.connect() as slow, server.connect() as quick:
        for _ in range(4):
            slow.send("GET /v1/models?after=49/98.glb HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert quick.get("/healthz").status == 200
        for _ in range(4):
            assert names(slow.answer()) == ["49/99.glb"]
    assert len(names(server.get("/v1/models"))) == 1000


def test_a_misspelt_model_names_the_nearest(start, root):
    (root / "rigs").mkdir()
    (root / "rigs" / "soldier.gltf").write_text(gltf())
    (root / "rigs" / ".secret.gltf").write_text(gltf())
    server = start(root=root)
    for asked, meant in ("rigs/soldeir.gltf", "rigs/soldier.gltf"), ("rigs/Soldier.glb", "rigs/soldier.gltf"), ("rigs/secret.gltf", None), ("soldier.gltf", None):
        answer = server.get("/v1/pose?model=" + asked)
        says = f"did you mean '{meant}'?" if meant else "/v1/models lists them"
        assert (answer.status, answer.error()) == (404, "model_not_found")
        assert answer.json()["error"]["message"] == f"there is no model '{asked}' under the root; {says}"


@pytest.mark.parametrize("path, status, code, word", [
    ("missing.glb", 404, "model_not_found", "no model"),
    ("good.gltf/x.glb", 404, "model_not_found", "no model"),
    ("folder.glb", 404, "model_not_found", "folder"),
    ("link.gltf", 404, "model_not_found", "links are not followed"),
    ("linked/good.gltf", 404, "model_not_found", "links are not followed"),
    ("pipe.glb", 404, "model_not_found", "regular"),
    ("../root/good.gltf", 400, "bad_path", ".."),
    ("/etc/passwd", 400, "bad_path", ""),
    ("notes.txt", 415, "unknown_format", "extension"),
    ("noending", 415, "unknown_format", "extension"),
    ("empty.glb", 415, "empty_file", "empty"),
    ("pointer.glb", 415, "lfs_pointer", "git lfs pull"),
    ("text.glb", 415, "not_a_model", "GLB"),
    ("cut.gltf", 422, "bad_model", "cut.gltf"),
])
def test_what_is_no_model(start, root, path, status, code, word):
    (root / "good.gltf").write_text(gltf())
    (root / "cut.gltf").write_text(gltf()[:-20])
    (root / "folder.glb").mkdir()
    (root / "link.gltf").symlink_to("good.gltf")
    (root / "linked").symlink_to(".")
    os.mkfifo(root / "pipe.glb")
    (root / "notes.txt").write_text("x")
    (root / "noending").write_text("x")
    (root / "empty.glb").touch()
    (root / "pointer.glb").write_text("version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 12\n")
    (root / "text.glb").write_text("nothing of that kind")
    server = start(*NO_RENDERING, root=root)
    answer = server.get(f"/v1/palette?model={path}")
    assert (answer.status, answer.error()) == (status, code)
    message = answer.json()["error"]["message"]
    assert word in message
    if status != 400:
        assert path in message
    assert answer.headers["cache-control"] == "no-store"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_unreadable_file(start, root):
    (root / "secret.gltf").write_text(gltf())
    (root / "secret.gltf").chmod(0)
    server = start(root=root)
    answer = server.get("/v1/model?model=secret.gltf")
    assert (answer.status, answer.error()) == (403, "forbidden")
    assert "secret.gltf" in answer.json()["error"]["message"] and "user" in answer.json()["error"]["message"]
    (root / "secret.gltf").chmod(0o644)
    assert server.get("/v1/model?model=secret.gltf").status == 200


def test_etag_and_hash(start, root):
    (root / "a.gltf").write_text(gltf())
    server = start(root=root)
    target = "/v1/palette?model=a.gltf&t=0.5"
    answer = server.get(target)
    tag = answer.headers["etag"]
    assert tag[0] == tag[-1] == '"' and answer.headers["cache-control"] == "no-cache"
    for value in [tag, f'"x", {tag}', f"W/{tag}", "*"]:
        again = server.get(target, f"If-None-Match: {value}")
        assert (again.status, again.body, again.headers["etag"]) == (304, b"", tag)
    assert server.get(target, 'If-None-Match: "x"').status == 200
    assert server.get("/v1/palette?model=a.gltf&t=0.6").headers["etag"] != tag
    assert server.get(target, "Accept: application/vnd.posed.frames").headers["etag"] != tag
    assert server.get("/v1/palette?model=a.gltf&clip=7", "If-None-Match: *").status == 404

    known = server.get("/v1/models").json()["models"][0]["hash"]
    pinned = server.get(f"{target}&hash={known}")
    assert pinned.status == 200 and "immutable" in pinned.headers["cache-control"]
    other = server.get(f"{target}&hash={'0' * 64}")
    assert (other.status, other.error()) == (409, "hash_mismatch") and known in other.json()["error"]["message"]

    (root / "a.gltf").write_text(gltf(x=1))
    assert server.get(target, f"If-None-Match: {tag}").status == 200


def test_extras_and_counted_warnings(start, root):
    document = json.loads(gltf(image="gone.png"))
    extras = {"socket": "hand", "weights": [1, 2.5, None], "名": {"deep": [True, {}]}}
    document["nodes"][0]["extras"] = extras
    document["nodes"].append({"name": "plain"})
    document["materials"][0]["extras"] = "wool"
    document["animations"] = [{"name": "a", "channels": [], "samplers": [], "extras": {"loop": False}}]
    (root / "a.gltf").write_text(json.dumps(document))
    model = start(*NO_RENDERING, root=root).get("/v1/model?model=a.gltf").json()
    assert model["nodes"][0]["extras"] == extras and "extras" not in model["nodes"][1]
    assert model["materials"][0]["extras"] == "wool" and model["clips"][0]["extras"] == {"loop": False}
    assert model["counts"]["warnings"] == len(model["warnings"]) > 0
