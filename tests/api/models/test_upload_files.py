"""The files that an uploaded model may open, and the fate of the older one when an upload is refused."""
import base64
import concurrent.futures
import fcntl
import json
import os
import random
import select
import struct
import subprocess
import sys
import time
import warnings

import pytest

from conftest import wait_until
from importers import install
from small_models import MD5MESH, gltf
from upload_requests import TRIANGLE, delete, files, packed, put

# As a buffer of three vertices: a model that reads it shows it in /v1/mesh.
SECRET = struct.pack("<9f", *[7.25 + i for i in range(9)])
SECRET_NUMBER = "7.25"
PIXEL = base64.b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==")


def model(buffer=None, image=None, x=0.0):
    """A triangle whose vertices are in the file `buffer`, with a texture from the file `image`."""
    document = json.loads(gltf(x, buffer, image))
    for bound in ("min", "max") if buffer else ():
        del document["accessors"][0][bound]
    return json.dumps(document)


@pytest.fixture
def place(tmp_path):
    """A root with files that no uploader may read, and the upload folder."""
    root = tmp_path / "root"
    for name in (".env", "plain.bin", ".private/s.bin", "in/.env", "in/theirs.bin", "in/theirs/x.bin", "birds/crow.bin"):
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(SECRET)
    for name in (".private/s.png", "s.png", "in/s.png"):
        (root / name).write_bytes(PIXEL)
    return root, root / "in"


@pytest.fixture
def taking(start, place):
    root, folder = place
    return start("--uploads", str(folder), root=root), root, folder


# Paths to existing files, each with one to a missing file, as written in in/up/hero/m.gltf or in/up/m.gltf.
FOREIGN = [("../../../.env", "../../../.nev"), ("../../../plain.bin", "../../../plane.bin"), ("../../.env", "../../.nev"),
           ("../../../.private/s.bin", "../../../.private/t.bin"), ("../../theirs.bin", "../../there.bin"),
           ("../../theirs/x.bin", "../../theirs/y.bin"), ("..\\..\\..\\.env", "..\\..\\..\\.nev"),
           ("%2e%2e/%2e%2e/%2e%2e/.env", "%2e%2e/%2e%2e/%2e%2e/.nev"), ("./.././.././../.env", "./.././.././../.nev"),
           ("x/../../../../.env", "x/../../../../.nev"), ("..//..//..//.env", "..//..//..//.nev"),
           ("../../../../../../etc/passwd", "../../../../../../etc/passwt"), ("/etc/passwd", "/etc/passwt"),
           ("file:///etc/passwd", "file:///etc/passwt"), (".posed-zip", ".posed-zap"), ("../../../in/.env", "../../../in/.nev")]


def alike(there, missing, body_there, body_missing):
    """Whether two answers differ only in the requested path."""
    clean = [body.decode().replace("%2e", ".").replace("\\\\", "/") for body in (body_there, body_missing)]
    names = [uri.replace("%2e", ".").replace("\\", "/").rsplit("/", 1)[-1] for uri in (there, missing)]
    return clean[0].replace(names[0], "NAME") == clean[1].replace(names[1], "NAME")


@pytest.mark.parametrize("as_zip", [True, False])
def test_an_upload_opens_only_its_own(taking, as_zip):
    server, _, folder = taking
    # an uploader may create these folders first, so that paths through them are valid
    for decoy in ("up/env.zip", "up/private.zip"):
        assert put(server, decoy, packed([("m.gltf", gltf()), ("x.bin", SECRET)])).status == 201

    def send(document):
        return put(server, "up/hero.zip", packed([("m.gltf", document)])) if as_zip else put(server, "up/m.gltf", document.encode())

    for there, missing in FOREIGN + [("../env/x.bin", "../env/y.bin")]:
        answers = [send(model(uri)) for uri in (there, missing)]
        for uri, answer in zip((there, missing), answers):
            assert (answer.status, answer.error()) == (422, "companion_missing"), (uri, answer.body)
        assert alike(there, missing, answers[0].body, answers[1].body), (answers[0].body, answers[1].body)
        assert ".posed-upload" not in answers[0].json()["error"]["message"]
    wait_until(lambda: sorted(path.name for path in (folder / "up").iterdir()) == ["env", "private"])


@pytest.mark.parametrize("as_zip", [True, False])
def test_a_texture_of_others_is_a_missing_one(taking, as_zip):
    server, _, _ = taking
    codes = set()
    for there, missing in (("../../../.private/s.png", "../../../.private/t.png"), ("../../../s.png", "../../../t.png"),
                           ("../../s.png", "../../t.png")):
        bodies = []
        for uri in (there, missing):
            document = model(image=uri)
            answer = put(server, "up/hero.zip", packed([("m.gltf", document)])) if as_zip else put(server, "up/m.gltf", document.encode())
            assert answer.status in (200, 201), answer.body
            described = answer.json()
            assert [texture["state"] for texture in described["textures"]] == ["missing"]
            assert all(entry["missing"] for entry in described["files"] if entry["role"] == "texture"), described["files"]
            codes |= {warning["code"] for warning in described["warnings"]}
            again = server.get(f"/v1/model?model={described['model']}")
            assert again.body == answer.body
            bodies.append(json.dumps({k: v for k, v in described.items() if k != "hash"}).encode())
        assert alike(there, missing, *bodies), bodies
    assert codes == {"texture_missing", "texcoord_missing"}


def test_an_upload_finds_by_name_what_came_with_it(taking):
    server, _, folder = taking
    (folder / "up" / "textures").mkdir(parents=True)
    for name in ("s.png", "textures/s.png"):
        (folder / "up" / name).write_bytes(PIXEL)

    def state(name, body):
        described = put(server, name, body).json()
        taken = [entry["path"] for entry in described["files"] if not entry["missing"] and entry["role"] != "model"]
        return described["textures"][0]["state"], taken

    for uri in ("S.png", "C:/s.png", "x/s.png", "Textures/s.png"):
        assert state("up/alone.gltf", model(image=uri).encode()) == ("missing", []), uri
    for uri in ("S.png", "C:/s.png", "x/s.png", "../s.png", "../Textures/s.png"):
        assert state("up/zip.zip", packed([("m.gltf", model(image=uri))])) == ("missing", ["in/up/zip"]), uri
    whole = [("m/m.gltf", model(image="C:/art/S.png")), ("Textures/s.png", PIXEL)]
    assert state("up/whole.zip", packed(whole)) == ("found", ["in/up/whole/m", "in/up/whole", "in/up/whole/Textures", "in/up/whole/Textures/s.png"])


def test_no_model_finds_uploads_by_name(taking):
    server, root, folder = taking
    (folder / "t.png").write_bytes(PIXEL)
    for uri in ("in/T.png", "C:/in/t.png", "IN/t.png"):
        (root / "m.gltf").write_text(model(image=uri))
        described = server.json("/v1/model", model="m.gltf")
        assert described["textures"][0]["state"] == "missing" and not any("in" == entry["path"] for entry in described["files"])


def test_a_folder_of_uploads_that_is_moved(taking):
    server, root, folder = taking
    assert put(server, "old.gltf", model(image="../s.png").encode()).status == 201
    (folder / "b.gltf").write_text(model("../plain.bin"))
    moved = root / "box"
    folder.rename(moved)
    assert [texture["state"] for texture in server.json("/v1/model", model="box/old.gltf")["textures"]] == ["missing"]
    answer = server.get("/v1/mesh?model=box/b.gltf")
    assert (answer.status, answer.error()) == (422, "companion_missing")
    before = files(moved)
    for is_empty in (False, True):  # nothing in its place, or another folder
        if is_empty:
            folder.mkdir()
        for answer in (put(server, "new.gltf", TRIANGLE), put(server, "new.zip", packed([("m.gltf", gltf())])), delete(server, "old.gltf")):
            assert (answer.status, answer.error()) == (503, "unavailable"), answer.body
        assert files(moved) == before
    folder.rmdir()
    moved.rename(folder)
    assert put(server, "new.gltf", TRIANGLE).status == 201
    assert server.get("/v1/model?model=in/new.gltf").status == 200


def test_a_root_that_is_replaced(taking, tmp_path):
    """A file reported as stored is found, and a deleted file was the one that was found."""
    server, root, _ = taking
    assert put(server, "old.gltf", TRIANGLE).status == 201
    root.rename(tmp_path / "away")
    (root / "in").mkdir(parents=True)
    for answer in (put(server, "new.gltf", TRIANGLE), delete(server, "old.gltf")):
        assert (answer.status, answer.error()) == (503, "unavailable"), answer.body
    assert files(root) == ["in"] and (tmp_path / "away" / "in" / "old.gltf").exists()


def test_a_folder_of_uploads_that_is_mounted_twice(start, place):
    root, folder = place
    (folder / ".h").mkdir()
    (folder / ".h" / "m.gltf").write_text(gltf())
    twin = root / "twin"
    twin.mkdir()
    if subprocess.run(["mount", "--bind", folder, twin], capture_output=True).returncode != 0:
        pytest.skip("mounting is not allowed here")
    try:
        server = start("--uploads", str(folder), "--allow-hidden", root=root)
        assert put(server, "a.gltf", model(image="../s.png").encode()).status == 201
        assert server.json("/v1/model", model="twin/a.gltf")["textures"][0]["state"] == "missing"
        for name in ("in/.h/m.gltf", "twin/.h/m.gltf", "twin/.h/none.gltf"):
            assert server.get(f"/v1/model?model={name}").status == 404, name
        server.end()
    finally:
        subprocess.run(["umount", "--lazy", twin], check=True)


def test_what_may_not_be_opened_is_not_looked_at_later(start, place):
    root, folder = place
    server = start("--uploads", str(folder), "--watch", "poll", "--watch-interval", "1ms", root=root)
    answer = put(server, "hero.zip", packed([("m.gltf", model(image="../../.private/s.png"))]))
    assert answer.status == 201
    described = server.get("/v1/model?model=in/hero/m.gltf")
    count = server.json("/v1/stats")["imports"]["started"]
    for change in (lambda path: path.write_bytes(b"x"), lambda path: path.unlink(), lambda path: path.mkdir()):
        change(root / ".private" / "s.png")
        for _ in range(4):  # a file beside one that was found is visible to the next request
            again = server.get("/v1/model?model=in/hero/m.gltf")
            assert (again.body, again.headers["etag"]) == (described.body, described.headers["etag"])
            time.sleep(0.01)
    assert server.json("/v1/stats")["imports"]["started"] == count


def test_who_comes_first_has_the_folder(taking):
    """A zip, a file and another zip for one folder at the same time: their files never mix."""
    server, _, folder = taking
    tries = {"hero.zip": packed([("m.gltf", gltf())]), "hero/other.gltf": TRIANGLE, "hero/sub.zip": packed([("m.gltf", gltf())])}
    with concurrent.futures.ThreadPoolExecutor(3) as pool:
        for i in range(8):
            answers = dict(zip(tries, pool.map(lambda name, i=i: put(server, f"{i}/{name}", tries[name]).status, tries)))
            there = files(folder / str(i))
            if answers["hero.zip"] == 201:
                assert answers == {"hero.zip": 201, "hero/other.gltf": 409, "hero/sub.zip": 409}
                assert there == ["hero", "hero/.posed-zip", "hero/m.gltf"]
            else:
                assert answers == {"hero.zip": 409, "hero/other.gltf": 201, "hero/sub.zip": 201}
                assert there == ["hero", "hero/other.gltf", "hero/sub", "hero/sub/.posed-zip", "hero/sub/m.gltf"]


def test_formats_that_name_files(taking):
    server, _, folder = taking
    (folder / "up").mkdir()
    (folder / "up" / "hero.mtl").write_text("newmtl red\nKd 1 0 0\nmap_Kd ../s.png\n")
    (folder / "up" / "hero.md5anim").write_text("MD5Version 10\n")
    obj = b"mtllib hero.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl red\nf 1 2 3\n"
    described = put(server, "up/hero.obj", obj).json()
    assert all(entry["missing"] for entry in described["files"] if entry["role"] != "model"), described["files"]
    described = put(server, "up/obj.zip", packed([("hero.obj", obj), ("hero.mtl", "newmtl red\nKd 1 0 0\nmap_Kd s.png\n"), ("s.png", PIXEL)])).json()
    assert {entry["path"]: entry["missing"] for entry in described["files"]} == {
        "in/up/obj/hero.obj": False, "in/up/obj/hero.mtl": False, "in/up/obj/s.png": False}
    answer = put(server, "up/hero.md5mesh", MD5MESH.encode())
    assert answer.status == 201, answer.body
    assert [entry["path"] for entry in answer.json()["files"] if entry["role"] in ("folder", "companion")] == []


def test_other_models_open_nothing_hidden_and_no_upload(start, place):
    root, folder = place
    names = {"env": "../.env", "private": "../.private/s.bin", "theirs": "../in/theirs.bin", "zip": "../in/theirs/x.bin"}
    for name, uri in names.items():
        (root / "birds" / f"{name}.gltf").write_text(model(uri))
    (root / "birds" / "crow.gltf").write_text(model("crow.bin"))
    (root / ".private" / "m.gltf").write_text(gltf())

    def states(*options):
        server = start(*options, root=root)
        answers = {name: server.get(f"/v1/mesh?model=birds/{name}.gltf") for name in (*names, "crow")}
        answers["hidden"] = server.get("/v1/mesh?model=.private/m.gltf")
        assert all((SECRET_NUMBER in answer.body.decode()) == (answer.status == 200) for name, answer in answers.items() if name != "hidden")
        missing = server.get("/v1/mesh?model=.private/none.gltf")
        assert (missing.status, missing.error()) == (404, "model_not_found")
        if answers["hidden"].status != 200:
            assert missing.body.replace(b"none", b"m") == answers["hidden"].body
        assert not any("/." in entry["model"] or entry["model"][0] == "." for entry in server.json("/v1/models")["models"])
        return {name: answer.status for name, answer in answers.items()}

    refused = {"env": 422, "private": 422, "theirs": 422, "zip": 422, "crow": 200, "hidden": 404}
    assert states("--uploads", str(folder)) == refused
    assert states() == {**refused, "theirs": 200, "zip": 200}
    assert states("--allow-hidden") == dict.fromkeys(refused, 200)
    assert states("--uploads", str(folder), "--allow-hidden") == {**dict.fromkeys(refused, 200), "theirs": 422, "zip": 422}


def test_a_disk_cache_knows_what_might_be_opened(start, place, tmp_path):
    root, folder = place
    (root / "birds" / "m.gltf").write_text(model(image="../.private/s.png"))
    (root / "birds" / "u.gltf").write_text(model(image="../in/s.png"))
    env = {"POSED_CACHE_DIR": str(tmp_path / "cache")}

    def states(*options):
        server = start(*options, root=root, env=env)
        found = [server.json("/v1/model", model=f"birds/{name}.gltf")["textures"][0]["state"] for name in ("m", "u")]
        wait_until(lambda: server.json("/v1/stats")["disk"]["stored"] + server.json("/v1/stats")["disk"]["hits"] >= 2)
        server.end()
        return found

    for _ in range(2):
        assert states() == ["missing", "found"]
        assert states("--allow-hidden") == ["found", "found"]
        assert states("--uploads", str(folder)) == ["missing", "missing"]


def test_what_came_as_a_zip_stays_one(start, place, tmp_path):
    root, folder = place
    options = ("--uploads", str(folder))
    env = {"POSED_CACHE_DIR": str(tmp_path / "cache")}
    server = start(*options, root=root, env=env)
    whole = packed([("hero.gltf", model("data/x.bin", "s.png")), ("data/x.bin", SECRET), ("s.png", PIXEL)])
    answer = put(server, "people/hero.zip", whole)
    assert answer.status == 201 and answer.json()["textures"][0]["state"] == "found", answer.body
    mesh = server.get("/v1/mesh?model=in/people/hero/hero.gltf").body
    assert SECRET_NUMBER.encode() in mesh
    # nothing gets in from outside
    for name, body in (("people/hero/x.gltf", TRIANGLE), ("people/hero/data/x.gltf", TRIANGLE), ("people/hero/new/x.gltf", TRIANGLE),
                       ("people/hero/x.zip", whole), ("people/hero.zip/x.gltf", TRIANGLE), ("people.zip", whole), ("theirs.zip", whole)):
        answer = put(server, name, body)
        expected = 201 if name == "people/hero.zip/x.gltf" else 409
        assert answer.status == expected, (name, answer.body)
        assert expected == 201 or answer.error() == "conflict"
    assert (folder / "theirs" / "x.bin").read_bytes() == SECRET
    assert "x.gltf" not in " ".join(files(folder / "people" / "hero"))
    assert server.get("/v1/mesh?model=in/people/hero/hero.gltf").body == mesh
    server.end()
    server = start(*options, root=root, env=env)
    assert server.get("/v1/mesh?model=in/people/hero/hero.gltf").body == mesh

    # The mark decides. Somebody who copies a folder in makes a mark; without it each file is separate.
    target = "/v1/mesh?model=in/people/hero/hero.gltf"
    (folder / "people" / "hero" / ".posed-zip").rename(folder / "people" / ".posed-zip")
    assert server.get(target).body == mesh  # the nearest mark above counts
    (folder / "people" / ".posed-zip").unlink()
    wait_until(lambda: server.get(target).status == 422)
    assert server.get(target).error() == "companion_missing"
    (folder / "people" / "hero" / ".posed-zip").touch()
    wait_until(lambda: server.get(target).body == mesh)

    # file by file until nothing is left
    for name in ("people/hero/data/x.bin", "people/hero/s.png", "people/hero/hero.gltf", "people/hero.zip/x.gltf"):
        assert delete(server, name).status == 204
    wait_until(lambda: not (folder / "people").exists())


def test_a_refused_upload_leaves_the_older_model(taking):
    server, root, folder = taking
    good = packed([("hero.gltf", model("x.bin")), ("x.bin", SECRET)])
    assert put(server, "a/hero.zip", good).status == 201
    mesh = server.get("/v1/mesh?model=in/a/hero/hero.gltf").body
    assert put(server, "a/one.gltf", TRIANGLE).status == 201
    one = server.get("/v1/mesh?model=in/a/one.gltf").body
    before = files(folder)
    for name in (".env", "a/.env", "a/x.bin"):  # so that paths are valid from any place where an upload may be staged
        (folder / name).write_bytes(SECRET)
    before = files(folder)
    for uri in ("../../../.env", "../../.env", "../.env", "../x.bin", ".env"):
        assert put(server, "a/hero.zip", packed([("hero.gltf", model(uri))])).status == 422
        assert put(server, "a/one.gltf", model(uri).encode()).status == 422
        assert server.get("/v1/mesh?model=in/a/hero/hero.gltf").body == mesh
        assert server.get("/v1/mesh?model=in/a/one.gltf").body == one
    wait_until(lambda: files(folder) == before)


def test_the_check_is_what_answers(start, place, tmp_path):
    """The importer checks only once. The answer describes the stored files, even if other work fails for lack of time."""
    root, folder = place
    count = tmp_path / "count"
    server = start(*install(tmp_path / "bin", f'echo x >> "{count}"; [ "$(wc -l < "{count}")" -le 1 ] || kill -SEGV $$; exec {{real}}'),
                   "--uploads", str(folder), root=root)
    answer = put(server, "a.gltf", TRIANGLE)
    assert answer.status == 201, answer.body
    assert answer.json()["model"] == "in/a.gltf" and answer.json()["meshes"]


@pytest.mark.parametrize("option", ["--cache-dir", "--token-file", "--worker-dir", "--unix"])
def test_what_is_the_operators_lies_elsewhere(command, tmp_path, option):
    folder = tmp_path / "in" / "sub"
    folder.mkdir(parents=True)
    (folder / "file").write_text("a-token-of-sixteen-bytes-or-more\n")
    path = folder / "file" if option == "--token-file" else folder / "socket" if option == "--unix" else folder
    if option == "--worker-dir":
        for program in ("posed-import", "posed-render"):
            (folder / program).write_text("#!/bin/sh\n")
            (folder / program).chmod(0o755)
    environment = {"POSED_CACHE_DIR": "none", "POSED_TCP": "none"}
    code, _, complaint = command("--root", str(tmp_path), "--http", "127.0.0.1:0", "--uploads", str(tmp_path / "in"), option, str(path), env=environment)
    assert code == 2 and option in complaint and "uploads" in complaint, complaint


# An importer under foreign control: it asks for whatever it likes, and reports the answers.
SUBVERTED = """
import array, os, socket, struct, sys

DRAWS = False
files = socket.socket(fileno=3)
said = []
for line in open({wanted!r}, encoding="utf-8"):
    kind, path = line.rstrip("\\n").split(" ", 1)
    files.send(struct.pack("<II4096s16s", 0x4c494650, int(kind), path.encode(), b""))
    data, parts, _, _ = files.recvmsg(4096, socket.CMSG_SPACE(4))
    magic, error, size, *stamps = struct.unpack_from("<Ii5Q", data)
    content = b""
    for _, _, part in parts:
        fd = array.array("i", part)[0]
        content = os.read(fd, 1 << 16)
    said.append(f"{{path}}\\t{{error}}\\t{{size}} {{stamps}}\\t{{content.hex()}}")
open({told!r}, "w").write("\\n".join(said) + "\\n")
os.kill(os.getpid(), 9)
"""


def test_a_subverted_importer_gets_no_more(start, place, tmp_path):
    root, folder = place
    wanted, told, script = tmp_path / "wanted", tmp_path / "told", tmp_path / "subverted.py"
    script.write_text(SUBVERTED.format(wanted=str(wanted), told=str(told)))
    normal = start("--uploads", str(folder), root=root)
    assert put(normal, "up/hero.zip", packed([("m.gltf", gltf()), ("x.bin", b"own")])).status == 201
    assert put(normal, "up/one.gltf", TRIANGLE).status == 201
    normal.end()
    server = start(*install(tmp_path / "bin", f'exec "{sys.executable}" "{script}"'), "--failure-ttl", "1ms", "--uploads", str(folder), root=root)
    ways = [".env", "plain.bin", ".private/s.bin", "in/.env", "in/theirs.bin", "in/theirs/x.bin", "in/up/../.env", "../root/.env",
            "in/up/hero/../../.env", "./.env", "in//.env", "/etc/passwd", "in/up/hero/.posed-zip", str(root / ".env")]
    for name in ("in/up/hero/m.gltf", "in/up/one.gltf"):
        own = ["in/up/hero/x.bin", "in/up/hero/m.gltf"] if "hero" in name else [name]
        alone = "in/up/hero/x.bin" if "hero" not in name else "in/up/one.gltf"
        folders = [".", "in", "in/up", ".private", "in/theirs", ".."] + ([] if "hero" in name else ["in/up/hero"])
        asked = [f"1 {path}" for path in ways + [path + "-none" for path in ways] + [alone]] + [f"2 {path}" for path in folders]
        wanted.write_text("\n".join(asked + [f"1 {path}" for path in own]) + "\n")
        told.unlink(missing_ok=True)
        answer = server.get(f"/v1/mesh?model={name}")
        assert answer.status in (422, 503), answer.body
        rows = [line.split("\t") for line in told.read_text().splitlines()]
        assert len(rows) == len(asked) + len(own)
        for path, error, stamp, content in rows[:len(asked)]:
            assert (int(error) != 0, stamp, content) == (True, "0 [0, 0, 0, 0]", ""), (name, path, error, stamp)
        replies = {path: error for path, error, *_ in rows}
        assert all(replies[path] == replies[path + "-none"] for path in ways), replies
        assert all(error == "0" and content for _, error, _, content in rows[len(asked):]), rows[len(asked):]


# ---- whatever is refused leaves the older model ----

def answers(server, path):
    """Everything about a model: its description, its vertices, its palettes."""
    return [server.get(f"/v1/{what}?model={path}{more}").body for what, more in (("model", ""), ("mesh", ""), ("palette", "&t=0"))]


def random_zip(dice, number):
    """The bytes of a zip that may be valid."""
    binary = struct.pack("<9f", number, 0, 0, number, 1, 0, number, 0, 1)
    ways = ["x.bin", "data/x.bin", "./data/../x.bin", "../hero/x.bin", "../../a/hero/x.bin", "../../../in/a/hero/data/x.bin",
            "../../../.env", "../../.env", "../.env", ".env", "../x.bin", "../one.gltf", "none.bin", "/etc/passwd", "..\\x.bin",
            "data\\x.bin", "../../theirs.bin", ".posed-zip", "%2e%2e/x.bin", "x.bin/", "", "a" * 300, "../" * 70 + "x"]
    document = model(dice.choice(ways) if dice.random() < 0.8 else None, dice.choice([None, "s.png", "../../s.png", "../../../.private/s.png"]),
                     x=float(number))
    entries = [("hero.gltf", document), ("x.bin", binary), ("data/x.bin", binary), ("s.png", PIXEL)]
    for _ in range(dice.choice([0, 0, 0, 1, 2])):
        entries.insert(dice.randrange(len(entries) + 1), dice.choice([
            ("../.env", b"x"), ("/abs.bin", b"x"), ("a\\..\\b.bin", b"x"), (".hidden", b"x"), ("sub/.posed-zip", b"x"), (".posed-zip", b"x"),
            ("sub/other.gltf", gltf()), ("other.gltf", gltf()), ("hero.glb", b"glTF"), ("hero.gltf/x", b"x"), ("C:/x.bin", b"x"),
            ("__MACOSX/x", b"x"), ("deep/" * 31 + "x", b"x"), ("n" * 256, b"x")]))
    if dice.random() < 0.2:
        entries = [entry for entry in entries if entry[0] != dice.choice(["hero.gltf", "x.bin", "data/x.bin", "s.png"])]
    if dice.random() < 0.1:
        entries[0] = (entries[0][0], dice.choice(["{", "", "null", document[:-9], "\0" * 40]))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # duplicate names
        body = packed(entries)
    if dice.random() < 0.15:
        at = dice.randrange(len(body))
        body = dice.choice([body[:at], body[:at] + bytes([body[at] ^ 0xff]) + body[at + 1:], body + b"x" * 9])
    return body


@pytest.mark.parametrize("seed", [1, 2])
def test_random_zips_over_a_good_model(taking, seed):
    server, root, folder = taking
    dice = random.Random(seed)
    (folder / "a").mkdir()
    for name in ("a/.env", "a/x.bin", "x.bin"):
        (folder / name).write_bytes(SECRET)
    assert put(server, "a/hero.zip", packed([("hero.gltf", model("x.bin")), ("x.bin", SECRET)])).status == 201
    assert put(server, "a/one.gltf", TRIANGLE).status == 201
    path, stored = "in/a/hero/hero.gltf", 0
    older, single = answers(server, path), answers(server, "in/a/one.gltf")
    for number in range(1, 31):
        answer = put(server, "a/hero.zip", random_zip(dice, number))
        said = (seed, number, answer.status, answer.body[:300])
        if answer.status == 200:
            stored += 1
            described = answer.json()
            assert described["model"].startswith("in/a/hero/"), said
            path = described["model"]
            older = answers(server, path)
            assert older[0] == answer.body, said
            assert SECRET_NUMBER.encode() not in older[1], said
        else:
            assert 400 <= answer.status < 500 and answer.error() != "not_found", said
            assert answers(server, path) == older, said
        assert answers(server, "in/a/one.gltf") == single, said
    assert 3 <= stored <= 27, stored
    server.end()


def test_deletions_that_wait_are_few(start, tmp_path):
    """Another, stopped server may hold the lock of the folder. The threads for files must stay available."""
    root = tmp_path / "root"
    (root / "in").mkdir(parents=True)
    (root / "a.gltf").write_text(gltf())
    server = start("--uploads", str(root / "in"), "--max-uploads", "4", root=root)
    lock = os.open(root / "in", os.O_RDONLY | os.O_DIRECTORY)
    fcntl.flock(lock, fcntl.LOCK_EX)
    waiting = {one.socket: one for one in (server.connect() for _ in range(5))}
    for one in waiting.values():
        one.send("DELETE /v1/models/nothing.glb HTTP/1.1\r\nHost: localhost\r\n\r\n")
    refused = waiting.pop(*select.select(list(waiting), [], [])[0])
    assert refused.answer().status == 503
    assert server.get("/v1/mesh?model=a.gltf&t=0:9:1000").status == 200 and server.get("/v1/models").status == 200
    os.close(lock)
    assert [one.answer().status for one in waiting.values()] == [404] * 4
    assert delete(server, "nothing.glb").status == 404
