"""PUT and DELETE /v1/models/NAME: a model is stored completely and described, or not at all."""
import concurrent.futures
import io
import json
import os
import pathlib
import sys
import zipfile

import pytest

import importers
from conftest import BUILD, SAMPLES, wait_until
from small_models import gltf
from upload_kills import kill_rounds
from upload_requests import TRIANGLE, delete, files, put


@pytest.fixture
def taking(start, tmp_path):
    """A server that accepts uploads, its root and the folder."""
    root = tmp_path / "root"
    root.mkdir()
    server = start("--uploads", str(root / "in"), root=root)
    return server, root, root / "in"


def test_an_upload_becomes_a_model(taking):
    server, root, folder = taking
    answer = put(server, "birds/r%C3%B6bin+1.gltf", TRIANGLE)
    assert answer.status == 201, answer.body
    assert "etag" not in answer.headers and answer.headers["cache-control"] == "no-store"
    described = answer.json()
    path = "in/birds/röbin+1.gltf"
    assert described == server.json("/v1/model", model=path)
    assert (root / path).read_bytes() == TRIANGLE
    assert [entry["model"] for entry in server.json("/v1/models")["models"]] == [path]
    wait_until(lambda: files(folder) == ["birds", "birds/röbin+1.gltf"])


def test_a_second_upload_replaces_the_first(taking):
    server, root, folder = taking
    assert put(server, "a.gltf", TRIANGLE).status == 201
    first = server.json("/v1/model", model="in/a.gltf")
    other = (SAMPLES / "robot.glb").read_bytes()
    assert put(server, "b.glb", other, chunk=5000).status == 201
    document = json.loads(TRIANGLE)
    document["nodes"][0]["name"] = "changed"
    changed = json.dumps(document).encode()
    answer = put(server, "a.gltf", changed, chunk=7)
    assert answer.status == 200
    assert answer.json()["hash"] == server.json("/v1/model", model="in/a.gltf")["hash"] != first["hash"]
    assert (folder / "a.gltf").read_bytes() == changed


def test_a_part_or_a_condition_replaces_nothing(taking):
    """Formats without an end are valid models when they are cut: a part is a different model."""
    server, _, folder = taking
    points = [f"v {i} 0 0\nv 1 {i} 0\nv 0 1 {i}\nf 1 2 3\n".encode() for i in (1, 2)]
    assert put(server, "a.obj", points[0]).status == 201
    for header in ("Content-Range: bytes 33-65/66", "If-None-Match: *", 'if-match: "x"', "If-Unmodified-Since: Sat, 29 Oct 1994 19:43:31 GMT"):
        for answer in (put(server, "a.obj", points[1], header), server.get("/v1/models/a.obj", header, method="DELETE")):
            assert (answer.status, answer.error()) == (400, "bad_request"), header
            assert header.split(":")[0].lower() in answer.json()["error"]["message"].lower()
        assert server.get("/v1/mesh?model=in/a.obj", header).status in (200, 304)
    assert (folder / "a.obj").read_bytes() == points[0]
    assert put(server, "a.obj", points[1]).status == 200
    assert delete(server, "a.obj").status == 204


def test_what_is_no_model_leaves_nothing(taking):
    server, root, folder = taking
    assert put(server, "a.gltf", TRIANGLE).status == 201
    for name, body, status, code in (
            ("a.gltf", b"{", 422, "bad_model"),
            ("new/b.glb", b"glTF" + b"\0" * 100, 415, "not_a_model"),
            ("b.gltf", b"", 415, "empty_file"),
            ("b.txt", TRIANGLE, 415, "unknown_format"),
            (".hidden.gltf", TRIANGLE, 400, "bad_path"),
            (".posed-upload-0/b.gltf", TRIANGLE, 400, "bad_path"),
            ("a/../b.gltf", TRIANGLE, 400, "bad_path"),
            ("%2e%2e/b.gltf", TRIANGLE, 400, "bad_path"),
            ("%2Fetc/b.gltf", TRIANGLE, 400, "bad_path"),
            ("a%00b.gltf", TRIANGLE, 400, "bad_path"),
            ("", TRIANGLE, 400, "bad_path"),
            ("a.gltf/b.gltf", TRIANGLE, 409, "conflict"),
            ("n" * 300 + ".gltf", TRIANGLE, 400, "bad_path"),
            ("b.gltf?model=a.gltf", TRIANGLE, 400, "unknown_parameter")):
        answer = put(server, name, body)
        assert (answer.status, answer.error()) == (status, code), (name, answer.body)
        assert ".posed-upload" not in answer.json()["error"]["message"] or name.startswith(".posed")
    wait_until(lambda: files(folder) == ["a.gltf"])
    assert (folder / "a.gltf").read_bytes() == TRIANGLE
    assert server.json("/v1/model", model="in/a.gltf")["meshes"]


def test_delete(taking):
    server, root, folder = taking
    put(server, "x/y/a.gltf", TRIANGLE)
    put(server, "x/b.gltf", TRIANGLE)
    assert server.json("/v1/model", model="in/x/y/a.gltf")
    answer = delete(server, "x/y/a.gltf")
    assert (answer.status, answer.body) == (204, b"")
    assert server.get("/v1/model?model=in/x/y/a.gltf").status == 404
    wait_until(lambda: files(folder) == ["x", "x/b.gltf"])
    answer = delete(server, "x/y/a.gltf")
    assert (answer.status, answer.error()) == (404, "model_not_found")
    assert delete(server, "..").status == 400
    assert delete(server, "x").status == 204
    wait_until(lambda: files(folder) == [])
    assert server.json("/v1/stats")["uploads"] == {"running": 0, "stored": 2, "refused": 0, "deleted": 2}


def test_other_methods(taking):
    server, _, _ = taking
    answer = server.get("/v1/models/a.gltf")
    assert (answer.status, answer.headers["allow"]) == (405, "PUT, DELETE")
    answer = server.get("/v1/models", method="DELETE")
    assert (answer.status, answer.headers["allow"]) == (405, "GET, HEAD")


def test_off_unless_asked_for(server):
    answer = put(server, "a.gltf", TRIANGLE)
    assert (answer.status, answer.error()) == (503, "unavailable")
    assert "--uploads" in answer.json()["error"]["message"]
    answer = delete(server, "a.gltf")
    assert (answer.status, answer.error()) == (503, "unavailable")


def test_off_where_everybody_could_change_models(start, tmp_path):
    """On an address that is not loopback, uploads need a token, and the server says what it lacks."""
    (tmp_path / "in").mkdir()
    (tmp_path / "tokens").write_text("0123456789abcdef-one\n")
    options = ("--uploads", str(tmp_path / "in"), "--http", "0.0.0.0:0")

    def begin(*more):
        server = start(*options, *more)
        server.address = "127.0.0.1:" + server.address.rsplit(":", 1)[1]
        return server
    server = begin()
    server.wait_for_line("so it takes none: set --token-file")
    version = server.json("/v1/version")
    assert (version["uploads"], version["uploads_lack"]) == (None, "token")
    for answer in put(server, "a.gltf", TRIANGLE), delete(server, "a.gltf"):
        assert (answer.status, answer.error()) == (503, "unavailable")
        assert "--token-file" in answer.json()["error"]["message"]
    server = begin("--token-file", str(tmp_path / "tokens"), "--token-for", "uploads")
    version = server.json("/v1/version")
    assert (version["uploads"], version["uploads_lack"]) == ("in/", None)
    assert put(server, "a.gltf", TRIANGLE).status == 401
    assert start().json("/v1/version")["uploads_lack"] == "folder"


def test_too_large_is_refused_before_its_bytes(start, tmp_path):
    server = start("--uploads", str(tmp_path / "in"), "--max-upload", "1000")
    with server.connect() as connection:
        connection.send("PUT /v1/models/a.gltf HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1001\r\nExpect: 100-continue\r\n\r\n")
        answer = connection.answer()
        assert (answer.status, answer.error()) == (413, "body_too_large"), answer.body
    answer = put(server, "a.gltf", b" " * 1001, chunk=100)
    assert (answer.status, answer.error()) == (413, "body_too_large")
    assert put(server, "a.gltf", b"{" + b" " * 998 + b"}").status == 422
    wait_until(lambda: files(tmp_path / "in") == [])


def test_expect_is_answered_once_the_upload_is_welcome(taking):
    server, _, _ = taking
    with server.connect() as connection:
        connection.send(f"PUT /v1/models/a.gltf HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(TRIANGLE)}\r\n"
                        "Expect: 100-continue\r\n\r\n")
        assert connection.answer().status == 100
        connection.send(TRIANGLE)
        assert connection.answer().status == 201
        assert connection.get("/v1/model?model=in/a.gltf").status == 200
    with server.connect() as connection:
        connection.send("PUT /v1/models/a.txt HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n")
        assert connection.answer().status == 415
        assert connection.is_closed_by_server()


def test_requests_behind_an_upload(taking):
    server, _, _ = taking
    with server.connect() as connection:
        head = f"PUT /v1/models/a.gltf HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(TRIANGLE)}\r\n\r\n".encode()
        get = b"GET /v1/model?model=in/a.gltf HTTP/1.1\r\nHost: localhost\r\n\r\n"
        connection.send(head + TRIANGLE + get + head + TRIANGLE + get)
        assert [connection.answer().status for _ in range(4)] == [201, 200, 200, 200]


def test_a_client_that_leaves_half_way_leaves_nothing(taking):
    server, _, folder = taking
    for _ in range(10):
        with server.connect() as connection:
            connection.send("PUT /v1/models/a.gltf HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9000000\r\n\r\n")
            connection.send(b" " * 1_000_000)
    wait_until(lambda: server.json("/v1/stats")["uploads"]["running"] == 0)
    wait_until(lambda: files(folder) == [])


def test_a_large_upload_does_not_stay_in_memory(start, tmp_path):
    server = start("--uploads", str(tmp_path / "in"), "--max-upload", "400m")
    status = pathlib.Path(f"/proc/{server.process.pid}/status")

    def peak_bytes():
        return int(status.read_text().split("VmHWM:")[1].split()[0]) * 1024

    before = peak_bytes()
    body = b"{" + b" " * 150_000_000
    answer = put(server, "a.gltf", body, timeout_s=120)
    assert answer.status in (415, 422), answer.body
    assert peak_bytes() - before < 60_000_000
    wait_until(lambda: files(tmp_path / "in") == [])


def test_large_models_at_the_same_time(taking):
    """Describing each takes a thread. Uploads that wait for theirs take none from other work."""
    server, _, _ = taking
    document = json.loads(TRIANGLE)
    document["nodes"] += [{"name": f"node {i}"} for i in range(12_000)]
    body = json.dumps(document).encode()
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda i: put(server, f"{i}.gltf", body), range(4)))
    assert [answer.status for answer in answers] == [201] * 4
    assert server.json("/v1/stats")["answers"]["running"] == 0


def test_uploads_under_way_are_bounded(start, tmp_path):
    server = start("--uploads", str(tmp_path / "in"), "--max-uploads", "2")
    head = "PUT /v1/models/a{}.gltf HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\n"
    with server.connect() as one, server.connect() as two:
        for i, connection in enumerate((one, two)):
            connection.send(head.format(i) + " " * 1000)
        wait_until(lambda: server.json("/v1/stats")["uploads"]["running"] == 2)
        answer = put(server, "b.gltf", TRIANGLE)
        assert (answer.status, answer.error()) == (503, "overloaded") and int(answer.headers["retry-after"]) > 0
    wait_until(lambda: server.json("/v1/stats")["uploads"]["running"] == 0)
    assert put(server, "b.gltf", TRIANGLE).status == 201


def test_killed_half_way_and_started_again(start, tmp_path):
    server = start("--uploads", str(tmp_path / "in"))
    assert put(server, "a.gltf", TRIANGLE).status == 201
    with server.connect() as connection:
        connection.send("PUT /v1/models/a.gltf HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9000000\r\n\r\n" + " " * 1_000_000)
        wait_until(lambda: any(name.startswith(".posed-upload-") for name in os.listdir(tmp_path / "in")))
        server.process.kill()
        server.process.wait()
    start("--uploads", str(tmp_path / "in"))
    assert files(tmp_path / "in") == ["a.gltf"]
    assert (tmp_path / "in" / "a.gltf").read_bytes() == TRIANGLE


def test_killed_again_and_again(tmp_path):
    counts = kill_rounds(tmp_path / "root", rounds=10)
    assert counts["answered"] > 0 and counts["cut"] > 0 and counts["swept"] > 0, counts


def test_names_are_as_deep_as_listings_go(taking):
    server, _, folder = taking
    assert put(server, "d/" * 63 + "a.gltf", TRIANGLE).status == 201  # in 64 folders of the root
    assert [entry["model"] for entry in server.json("/v1/models")["models"]] == ["in/" + "d/" * 63 + "a.gltf"]
    assert server.get("/v1/model?model=in/" + "d/" * 63 + "a.gltf").status == 200
    assert delete(server, "d/" * 63 + "a.gltf").status == 204
    wait_until(lambda: files(folder) == [])
    for name in ("d/" * 64 + "a.gltf", "d/" * 1500 + "a.gltf", "d/" * 63 + "a.zip"):
        # refused by its head: nothing of the body is read
        with server.connect() as connection:
            connection.send(f"PUT /v1/models/{name} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\nExpect: 100-continue\r\n\r\n")
            answer = connection.answer()
        assert (answer.status, answer.error()) == (400, "bad_path"), answer.body
        message = answer.json()["error"]["message"]
        assert "'d/d/" in message and ("64" in message or "too long" in message), message
        assert delete(server, name).status == (404 if name.endswith(".zip") else 400)
    assert files(folder) == []


def test_what_is_deleted_is_off_the_disk_however_deep(taking):
    server, _, folder = taking
    for name in ("a/b", "c"):
        assert put(server, f"{name}/x.gltf", TRIANGLE).status == 201
        deep = folder / name / "/".join("d" * 500)
        deep.mkdir(parents=True)
        (deep / "x.gltf").write_bytes(TRIANGLE)
        (folder / name / "closed" / "x").mkdir(parents=True)
        (folder / name / "closed").chmod(0)
    listed = [entry["model"] for entry in server.json("/v1/models")["models"]]
    assert listed == ["in/a/b/x.gltf", "in/c/x.gltf"]
    wait_until(lambda: sorted(os.listdir(folder)) == ["a", "c"])
    assert delete(server, "a/b").status == 204
    assert files(folder)[0] == "c" and os.listdir(folder) == ["c"]
    assert delete(server, "c").status == 204
    assert os.listdir(folder) == []
    assert "'in/a/b/d/" in server.wait_for_line("is left out of /v1/models")


def test_stopping_during_an_upload(start, tmp_path):
    server = start("--uploads", str(tmp_path / "in"), "--drain-timeout", "300ms")
    with server.connect() as connection:
        connection.send("PUT /v1/models/a.gltf HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9000000\r\n\r\n" + " " * 1_000_000)
        wait_until(lambda: server.json("/v1/stats")["uploads"]["running"] == 1)
        server.signal(15)
        assert server.wait() == 0
    assert files(tmp_path / "in") == []


def test_a_full_disk_is_said(start, tmp_path):
    import resource
    server = start("--uploads", str(tmp_path / "in"))
    resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (50_000, 50_000))
    answer = put(server, "a.gltf", b"{" + b" " * 10_000_000)
    assert (answer.status, answer.error()) == (507, "storage")
    wait_until(lambda: files(tmp_path / "in") == [])


def zipped(**entries):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, data in entries.items():
            archive.writestr(name.replace("__", "/").replace("_gltf", ".gltf"), data)
    return out.getvalue()


def imports_of(server):
    return server.json("/v1/stats")["imports"]["started"]


def test_an_upload_is_imported_once(start, tmp_path):
    """The model checked before it is stored is the one in memory and in the disk cache afterwards."""
    root = tmp_path / "root"
    root.mkdir()
    options = ("--uploads", str(root / "in"), "--cache-dir", str(tmp_path / "cache"))
    server = start(*options, root=root)
    archive = zipped(b__c_gltf=TRIANGLE)
    # an importer unpacks a zip, and counts as an import
    uploads = [("x/a.gltf", TRIANGLE, 1), ("x/z.zip", archive, 2), ("robot.glb", (SAMPLES / "robot.glb").read_bytes(), 1)]
    for again in range(2):
        for name, body, most in uploads:
            before = imports_of(server)
            answer = put(server, name, body)
            assert answer.status == (200 if again else 201), answer.body
            path = "in/" + {"x/z.zip": "x/z/b/c.gltf"}.get(name, name)
            assert server.json("/v1/model", model=path) == answer.json()
            assert imports_of(server) - before == most, name
    wait_until(lambda: server.json("/v1/stats")["disk"]["stored"] == 3)
    server.signal(15)
    assert server.wait() == 0
    server = start(*options, root=root)
    for model in ("in/x/a.gltf", "in/x/z/b/c.gltf", "in/robot.glb"):
        assert server.get(f"/v1/model?model={model}").status == 200
    assert imports_of(server) == 0 and server.json("/v1/stats")["disk"]["hits"] == 3


def test_an_upload_that_is_changed_before_it_is_stored(start, tmp_path):
    """Somebody with the rights of the server changes the staged files after the importer has read them. The answered model is imported
    again."""
    root = tmp_path / "root"
    root.mkdir()
    document = json.loads(TRIANGLE)
    document["nodes"][0]["name"] = "changed"
    changed = json.dumps(document).encode()
    (tmp_path / "changed").write_bytes(changed)
    stage = f'"{root}"/in/.posed-upload-*/'
    script = f'"$0.real" "$@"; status=$?; for f in {stage}a.gltf; do [ -e "$f" ] && cat "{tmp_path}/changed" > "$f"; done; exit $status'
    options = importers.install(tmp_path / "bin", script)
    (tmp_path / "bin/posed-import.real").symlink_to((BUILD / "posed-import").resolve())
    server = start(*options, "--uploads", str(root / "in"), root=root)
    answer = put(server, "a.gltf", TRIANGLE)
    assert answer.status == 201 and b"changed" not in answer.body
    assert (root / "in/a.gltf").read_bytes() == changed
    assert b"changed" in server.get("/v1/model?model=in/a.gltf").body
    assert imports_of(server) == 2


# An importer that says what it likes about the paths that it knows: 'PATH' in the words is the model's path, 'FOLDER' that of its folder.
SAYS = """
import os, struct, sys

DRAWS = False
path = sys.argv[-1]
if {only}:
    words = {words!r}.replace("PATH", path).replace("FOLDER", os.path.dirname(path)).encode()[:479]
    os.write(4, struct.pack("<8sII480s", b"posedno\\n", 34, 0, words))
    sys.exit(1)
os.execv({real!r}, [{real!r}, *sys.argv[1:]])
"""


@pytest.mark.parametrize("words, single, unzipped", [
    ("PATH: bad", "IN/x/a.gltf: bad", "IN/x/a/b/c.gltf: bad"),
    ("PATH: cannot open 'FOLDER/d.bin', nor 'PATH'", "IN/x/a.gltf: cannot open 'IN/x/d.bin', nor 'IN/x/a.gltf'",
     "IN/x/a/b/c.gltf: cannot open 'IN/x/a/b/d.bin', nor 'IN/x/a/b/c.gltf'"),
    ("bad PATH", "bad IN/x/a.gltf", "bad IN/x/a/b/c.gltf"),
    ("PATH: " + "p" * 410 + " PATH", "p" * 400, "p" * 350),
    ("PATH PATH PATH PATH PATH PATH PATH PATH PATH PATH PATH PATH PATH PATH PATH PATH", "IN/x/a.gltf IN/x/a.gltf", "IN/x/a/b/c.gltf IN/x/a/b/c.gltf")],
    ids=["at the start", "companion", "within", "cut", "many"])
@pytest.mark.parametrize("folder", ["in", "."])
def test_no_message_tells_of_the_stage(start, tmp_path, folder, words, single, unzipped):
    """An importer knows only the path that the model will have."""
    root = tmp_path / "root"
    root.mkdir()
    script = SAYS.format(words=words, only="not path.endswith('.zip')", real=str(BUILD / "posed-import"))
    (tmp_path / "says.py").write_text(script)
    server = start(*importers.install(tmp_path / "bin", f'exec {sys.executable} {tmp_path}/says.py "$@"'), "--uploads", str(root / folder), root=root)
    for name, body, expected in (("x/a.gltf", TRIANGLE, single), ("x/a.zip", zipped(b__c_gltf=TRIANGLE), unzipped)):
        answer = put(server, name, body)
        assert answer.status == 422
        expected = expected.replace("IN/", "in/" if folder == "in" else "")
        message = answer.json()["error"]["message"]
        assert expected in message and ".posed" not in message
        assert len(words) > 60 or message == expected


def test_a_missing_companion_is_named_where_it_would_lie(taking):
    server, _, _ = taking
    lacking = gltf(buffer="nowhere.bin").encode()
    for name, body, said in (("x/a.gltf", lacking, "'in/x/nowhere.bin' is another file"),
                             ("x/a.zip", zipped(b__c_gltf=lacking), "there is no file 'in/x/a/b/nowhere.bin'")):
        answer = put(server, name, body)
        assert (answer.status, answer.error()) == (422, "companion_missing")
        assert said in answer.json()["error"]["message"]


def test_no_refusal_tells_of_the_stage(start, tmp_path):
    """If there is no place for the import, or the importer dies, the message does not name the staging path either."""
    root = tmp_path / "root"
    root.mkdir()
    (root / "a.gltf").write_bytes(TRIANGLE)
    options, go = importers.install_waiting(tmp_path / "bin")
    server = start(*options, "--import-workers", "1", "--import-queue", "1", "--uploads", str(root / "in"), root=root)
    waiting = [server.connect(), server.connect()]
    for connection, model in zip(waiting, ("a.gltf", "in/none.gltf")):
        (root / model).write_bytes(TRIANGLE)
        connection.send(f"GET /v1/palette?model={model} HTTP/1.1\r\nHost: localhost\r\n\r\n")
        wait_until(lambda: server.json("/v1/stats")["imports"]["running"] == 1)
    wait_until(lambda: server.json("/v1/stats")["imports"]["waiting"] == 1)
    answer = put(server, "b.gltf", TRIANGLE)
    assert (answer.status, answer.error()) == (503, "overloaded")
    assert answer.json()["error"]["message"].startswith("in/b.gltf: as many models as ")
    go.touch()
    assert [connection.answer().status for connection in waiting] == [200, 200]
    for connection in waiting:
        connection.socket.close()


def test_an_upload_whose_importer_is_killed(start, tmp_path):
    """503, so that it is sent again. If the importer is killed again, the bytes count as the reason, whatever the name."""
    root = tmp_path / "root"
    root.mkdir()
    server = start(*importers.install(tmp_path / "bin", f'[ -e {tmp_path}/well ] || kill -KILL $$; exec {{real}}'), "--uploads", str(root / "in"), root=root)
    archive = zipped(b_gltf=TRIANGLE)
    for name, again, body in (("a.gltf", "b.gltf", TRIANGLE), ("x/a.zip", "x/b.zip", archive)):
        answer = put(server, name, body)
        assert (answer.status, answer.error()) == (503, "import_killed") and int(answer.headers["retry-after"]) > 0
        assert answer.json()["error"]["message"].startswith(f"in/{name}: the importer was killed")
        answer = put(server, again, body)
        assert (answer.status, answer.error()) == (422, "import_memory"), answer.body
        assert answer.json()["error"]["message"].startswith(f"in/{again}: the importer was killed twice in a row")
    wait_until(lambda: files(root / "in") == [])
    (tmp_path / "well").touch()
    assert put(server, "a.gltf", TRIANGLE).status == 201
    (tmp_path / "well").unlink()
    assert put(server, "c.gltf", TRIANGLE).error() == "import_killed"


@pytest.mark.parametrize("folder, why", [("/", "beneath"), ("none/such", "No such file"), (".hidden", "hidden")])
def test_the_folder_lies_beneath_the_root(command, tmp_path, folder, why):
    code, _, complaint = command("--root", tmp_path, "--http", "127.0.0.1:0", "--uploads", str(tmp_path / folder))
    assert code == 2 and "--uploads" in complaint and why in complaint
