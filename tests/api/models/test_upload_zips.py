"""Zips of a model and its companions: unpacked as a folder and described, or not stored at all."""
import json
import struct
import zipfile

import pytest

from conftest import SAMPLES, wait_until
from small_models import gltf
from upload_requests import TRIANGLE, delete, files, packed, put


def apart():
    """robot.glb as a .gltf with its .bin in a folder of its own."""
    glb = (SAMPLES / "robot.glb").read_bytes()
    size = struct.unpack_from("<I", glb, 12)[0]
    document = json.loads(glb[20:20 + size])
    document["buffers"][0]["uri"] = "data/r%C3%B6bot.bin"
    return json.dumps(document), glb[20 + size + 8:]


@pytest.fixture
def taking(start, tmp_path):
    root = tmp_path / "root"
    root.mkdir()
    return start("--uploads", str(root / "in"), "--max-model", "20m", root=root), root / "in"


def test_a_model_with_its_companions(taking):
    server, folder = taking
    document, binary = apart()
    body = packed([("hero.gltf", document), ("data/röbot.bin", binary), (".DS_Store", "x"), ("__MACOSX/._hero.gltf", "x")])
    answer = put(server, "people/hero.zip", body)
    assert answer.status == 201, answer.body
    assert answer.json() == server.json("/v1/model", model="in/people/hero/hero.gltf")
    assert answer.json()["warnings"] == []
    unpacked = ["people", "people/hero", "people/hero/.posed-zip", "people/hero/data", "people/hero/data/röbot.bin",
                "people/hero/hero.gltf"]
    wait_until(lambda: files(folder) == unpacked)
    assert server.get("/v1/render?model=in/people/hero/hero.gltf&width=64&height=64").status == 200

    changed = packed([("hero.gltf", document.replace('"asset"', ' "asset"')), ("data/röbot.bin", binary)])
    assert put(server, "people/hero.zip", changed).status == 200
    assert put(server, "people/hero.zip", packed([("hero.gltf", "{")])).status == 422
    assert server.json("/v1/model", model="in/people/hero/hero.gltf")["clips"]
    assert delete(server, "people/hero").status == 204
    wait_until(lambda: files(folder) == [])


def test_which_model_it_is_about(taking):
    server, _ = taking
    model = gltf()
    assert put(server, "a.zip", packed([("x/top.gltf", model), ("x/y/deep.gltf", model)])).json()["model"] == "in/a/x/top.gltf"
    assert put(server, "b.zip", packed([("one.gltf", model), ("b.gltf", model)])).json()["model"] == "in/b/b.gltf"
    answer = put(server, "c.zip", packed([("one.gltf", model), ("two.gltf", model)]))
    assert (answer.status, answer.error()) == (409, "ambiguous_name")
    assert "one.gltf" in answer.json()["error"]["message"]


def link(name):
    info = zipfile.ZipInfo(name)
    info.create_system = 3
    info.external_attr = 0o120777 << 16
    return info


def encrypted(body):
    """The flag of an encrypted entry set in every header."""
    data = bytearray(body)
    for magic, at in ((b"PK\3\4", 6), (b"PK\1\2", 8)):
        start = 0
        while (start := data.find(magic, start)) >= 0:
            data[start + at] |= 1
            start += 4
    return bytes(data)


def damaged(body):
    data = bytearray(body)
    data[60] ^= 0xff
    return bytes(data)


MODEL = ("m.gltf", gltf())


@pytest.mark.parametrize("name, body, status, code", [
    ("no zip", lambda: TRIANGLE, 415, "not_a_model"),
    ("cut", lambda: packed([MODEL])[:-10], 415, "not_a_model"),
    ("no files", lambda: packed([]), 415, "not_a_model"),
    ("no model", lambda: packed([("readme.txt", "x")]), 415, "unknown_format"),
    ("broken model", lambda: packed([("m.gltf", "{")]), 422, "bad_model"),
    ("traversal", lambda: packed([MODEL, ("../out.gltf", "x")]), 422, "bad_model"),
    ("hidden traversal", lambda: packed([MODEL, ("a/../../out.gltf", "x")]), 422, "bad_model"),
    ("backslashes", lambda: packed([MODEL, ("a\\..\\..\\out.gltf", "x")]), 422, "bad_model"),
    ("absolute", lambda: packed([MODEL, ("/tmp/out.gltf", "x")]), 422, "bad_model"),
    ("drive", lambda: packed([MODEL, ("C:/out.gltf", "x")]), 422, "bad_model"),
    ("link", lambda: packed([MODEL, (link("l.bin"), "/etc/passwd")]), 422, "bad_model"),
    ("file and folder", lambda: packed([MODEL, ("a", "x"), ("a/b", "x")]), 422, "bad_model"),
    ("encrypted", lambda: encrypted(packed([MODEL])), 422, "bad_model"),
    ("damaged", lambda: damaged(packed([("m.gltf", gltf() + " " * 4000)])), 422, "bad_model"),
    ("bomb", lambda: packed([MODEL, ("zero.bin", b"\0" * 30_000_000)]), 422, "model_limit"),
    ("many", lambda: packed([MODEL] + [(f"{i}.bin", "") for i in range(4100)]), 422, "model_limit"),
    ("long name", lambda: packed([MODEL, ("n" * 300 + ".bin", "")]), 422, "bad_model"),
    ("deep", lambda: packed([MODEL, ("d/" * 63 + "a.bin", "")]), 422, "bad_model"),
    ("deeper", lambda: packed([MODEL, ("d/" * 500 + "a.bin", "")]), 422, "bad_model"),
])
def test_what_is_refused_leaves_nothing(taking, name, body, status, code):
    server, folder = taking
    answer = put(server, "z.zip", body())
    assert (answer.status, answer.error()) == (status, code), answer.body
    assert ".posed-upload" not in answer.json()["error"]["message"]
    wait_until(lambda: files(folder) == [])
    assert sorted(path.name for path in folder.parent.parent.iterdir()) == ["root"]
    assert server.get("/healthz").status == 200


def test_entries_are_as_deep_as_listings_go(taking):
    server, folder = taking
    assert put(server, "x/y/z.zip", packed([MODEL, ("d/" * 60 + "a.bin", "")])).status == 201  # in 64 folders of the root
    assert delete(server, "x/y/z").status == 204
    answer = put(server, "x/y/z.zip", packed([MODEL, ("d/" * 61 + "a.bin", "")]))
    assert (answer.status, answer.error()) == (422, "bad_model")
    message = answer.json()["error"]["message"]
    assert "x/y/z.zip: entry 'd/d/" in message and "65 folders" in message, message
    # the path of the model would be too long
    long = "/".join(["n" * 250] * 13) + "/z"
    answer = put(server, long + ".zip", packed([("m" * 200 + "/" + "m" * 200 + "/" + "m" * 200 + "/m.gltf", gltf())]))
    assert (answer.status, answer.error()) == (422, "bad_model"), answer.body
    assert "entry 'mmm" in answer.json()["error"]["message"]
    wait_until(lambda: files(folder) == [])


def test_twice_the_same_name(taking):
    server, folder = taking
    with pytest.warns(UserWarning):
        body = packed([MODEL, MODEL])
    assert put(server, "z.zip", body).error() == "not_a_model"
    wait_until(lambda: files(folder) == [])
