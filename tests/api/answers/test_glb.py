"""/v1/mesh?format=glb: files that other programs can open, with the bits of the other answers."""
import json
import struct
import subprocess
import urllib.parse

import pytest

from conftest import SAMPLES
from png_picture import picture
from raw_requests import post
from small_models import MD5MESH, gltf, md5anim

TYPE = "model/gltf-binary"
SAMPLE = "model=robot.glb&clip=walk&t=0.3"
WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4}
LETTERS = {5121: "B", 5125: "I", 5126: "f"}


class Glb:
    """A parsed GLB file (chapter 4 of the specification)."""

    def __init__(self, data):
        assert struct.unpack("<4sII", data[:12]) == (b"glTF", 2, len(data))
        size, kind = struct.unpack("<I4s", data[12:20])
        assert kind == b"JSON" and size % 4 == 0
        self.json = json.loads(data[20:20 + size])
        at = 20 + size
        size, kind = struct.unpack("<I4s", data[at:at + 8])
        assert kind == b"BIN\0" and size % 4 == 0 and at + 8 + size == len(data)
        self.bin = data[at + 8:]
        [buffer] = self.json["buffers"]
        assert 0 <= size - buffer["byteLength"] < 4

    def view(self, index):
        view = self.json["bufferViews"][index]
        assert view["buffer"] == 0 and view["byteOffset"] % 4 == 0
        return self.bin[view["byteOffset"]:view["byteOffset"] + view["byteLength"]]

    def values(self, index):
        accessor = self.json["accessors"][index]
        count = accessor["count"] * WIDTHS[accessor["type"]]
        return list(struct.unpack(f"<{count}{LETTERS[accessor['componentType']]}", self.view(accessor["bufferView"])))

    def entries(self):
        """(node, primitive) of everything in the scene, in the order of the mesh answer."""
        nodes, found = self.json["nodes"], []
        roots = self.json["scenes"][self.json["scene"]]["nodes"]
        for root in roots:
            for index in nodes[root].get("children", [root]):
                for primitive in self.json["meshes"][nodes[index]["mesh"]]["primitives"]:
                    found.append((nodes[index], primitive))
        return found


def glb_of(answer):
    assert (answer.status, answer.headers["content-type"]) == (200, TYPE), answer.body[:500]
    return Glb(answer.body)


def f32(values):
    return struct.pack(f"<{len(values)}f", *values)


def check_same_as_json(server, query):
    """Every vertex of the file equals that of the JSON answer, bit for bit."""
    glb = glb_of(server.get(f"/v1/mesh?{query}&format=glb"))
    answer = json.loads(server.get(f"/v1/mesh?{query}&normals=1&indices=1").body, parse_int=float)  # -0 is a float
    [frame] = answer["frames"]
    drawn = [e for e, mesh in enumerate(answer["meshes"]) if mesh["in_scene"] and mesh["indices"]]
    entries = glb.entries()
    assert len(drawn) == len(entries) > 0
    for e, (node, primitive) in zip(drawn, entries):
        attributes = primitive["attributes"]
        assert f32(glb.values(attributes["POSITION"])) == f32(frame["positions"][e])
        if "NORMAL" in attributes:
            assert f32(glb.values(attributes["NORMAL"])) == f32(frame["normals"][e])
        assert sorted(glb.values(primitive["indices"])) == sorted(answer["indices"][e])
        bounds = glb.json["accessors"][attributes["POSITION"]]
        for c in range(3):
            column = [struct.unpack("<f", struct.pack("<f", x))[0] for x in frame["positions"][e][c::3]]
            low, high = (struct.unpack("<f", struct.pack("<f", bounds[end][c]))[0] for end in ("min", "max"))
            assert (low, high) == (min(column), max(column))
    return glb, answer


@pytest.mark.short
def test_headers(server):
    answer = server.get(f"/v1/mesh?{SAMPLE}&format=glb")
    glb_of(answer)
    assert answer.headers["content-disposition"] == 'attachment; filename="robot-posed.glb"'
    assert answer.headers["vary"] == "Accept"
    head = server.get(f"/v1/mesh?{SAMPLE}&format=glb", method="HEAD")
    assert (head.status, head.body, head.headers["content-length"]) == (200, b"", str(len(answer.body)))
    assert head.headers["etag"] == answer.headers["etag"]
    again = server.get(f"/v1/mesh?{SAMPLE}&format=glb", "If-None-Match: " + answer.headers["etag"])
    assert (again.status, again.body) == (304, b"")
    assert server.get(f"/v1/mesh?{SAMPLE}", "Accept: " + TYPE).body == answer.body
    assert server.get(f"/v1/mesh?{SAMPLE}&format=json", "Accept: " + TYPE).headers["content-type"] == "application/json"
    assert server.get(f"/v1/mesh?{SAMPLE}&format=bin").headers["etag"] != answer.headers["etag"]


def test_a_name_in_another_script(start, tmp_path):
    (tmp_path / "龍 \"1\".gltf").write_text(gltf())
    answer = start().get("/v1/mesh?format=glb&model=" + urllib.parse.quote("龍 \"1\".gltf"))
    glb_of(answer)
    assert answer.headers["content-disposition"] == (
        "attachment; filename=\"___ _1_-posed.glb\"; filename*=UTF-8''%E9%BE%8D%20%221%22-posed.glb")


@pytest.mark.skipif(not SAMPLES.is_dir(), reason="no sample models")
@pytest.mark.parametrize("query", [
    SAMPLE, "model=robot.glb&clip=-", "model=dragon.glb&clip=fly&t=0.4", "model=octopus.glb&clip=1&t=0.77",
    "model=robot.glb&clip=walk&t=7&root_motion=extract"])
def test_samples_have_the_bits_of_the_json(server, query):
    glb, answer = check_same_as_json(server, query)
    extras = glb.json["asset"]["extras"]
    assert (extras["model"], extras["hash"], extras["clip"]) == (answer["model"], answer["hash"], answer["clip"])
    assert extras["frame"] == {k: v for k, v in answer["frames"][0].items() if k not in ("positions", "normals")}
    assert len(glb.json["images"]) == len(extras["textures"]) > 0
    for image in glb.json["images"]:
        assert image["mimeType"] == "image/png" and glb.view(image["bufferView"])[:4] == b"\x89PNG"


@pytest.mark.parametrize("query", ["t=0", "t=1.3", "clip=-", "mesh=body", "mesh=1", "mesh_name=body"])
def test_awkward_model_has_the_bits_of_the_json(awkward, query):
    glb, answer = check_same_as_json(awkward, "model=awkward.gltf&" + query)
    names = {n["node"]: n["name"] for n in awkward.json("/v1/model?model=awkward.gltf")["nodes"]}
    drawn = [mesh for mesh in answer["meshes"] if mesh["in_scene"] and mesh["indices"]]
    assert [node.get("name") for node, _ in glb.entries()] == [names[mesh["node"]] for mesh in drawn]
    assert "outside" not in [node.get("name") for node in glb.json["nodes"]]


@pytest.mark.skipif(not SAMPLES.is_dir(), reason="no sample models")
def test_imported_again_it_is_the_same_mesh(server, start, tmp_path):
    """The file is the same bit for bit at rest, and gives the picture of the source in that pose."""
    (tmp_path / "again.glb").write_bytes(server.get(f"/v1/mesh?{SAMPLE}&format=glb").body)
    again = start(root=tmp_path)
    [source] = server.json("/v1/mesh?" + SAMPLE)["frames"]
    mesh = again.json("/v1/mesh?model=again.glb&rest=1")
    assert [f32(p) for p in mesh["frames"][0]["positions"]] == [f32(p) for p in source["positions"]]
    model = again.json("/v1/model?model=again.glb")
    assert model["warnings"] == [] and model["materials"] == server.json("/v1/model?model=robot.glb")["materials"]
    assert [(t["state"], t["content"]) for t in model["textures"]] == [
        ("found", "colors"), ("found", "data"), ("found", "colors")]
    assert model["clips"] == [] and model["counts"]["joints"] == 0
    size = "&width=200&height=200&yaw=40&frame=pose"
    one, other = picture(server.get(f"/v1/render?{SAMPLE}{size}")), picture(again.get("/v1/render?model=again.glb" + size))
    differing = sum(max(abs(a - b) for a, b in zip(p, q)) > 8 for x, y in zip(one.rows, other.rows) for p, q in zip(x, y))
    assert differing < 200 * 200 / 500


def test_source_with_other_axes(start, tmp_path):
    """MD5 is +Z up: a node rotates the scene, and the vertices stay as in the source."""
    (tmp_path / "man.md5mesh").write_text(MD5MESH)
    (tmp_path / "man_run.md5anim").write_text(md5anim(4))
    server = start()
    glb, _ = check_same_as_json(server, "model=man.md5mesh&clip=0&t=0.05")
    up = server.json("/v1/model?model=man.md5mesh")["up"]
    assert up == [0, 0, 1]
    top = glb.json["nodes"][glb.json["scenes"][0]["nodes"][0]]
    assert top["name"] == "gltf_from_scene"
    matrix = top["matrix"]
    assert [sum(matrix[4 * c + r] * up[c] for c in range(3)) for r in range(3)] == [0, 1, 0]


@pytest.mark.skipif(not SAMPLES.is_dir(), reason="no sample models")
def test_without_textures(server):
    whole, bare = (server.get(f"/v1/mesh?{SAMPLE}&format=glb&textures={n}") for n in ("keep", "none"))
    glb = glb_of(bare)
    assert "images" not in glb.json and "baseColorTexture" not in glb.json["materials"][0]["pbrMetallicRoughness"]
    textures = glb.json["asset"]["extras"]["textures"]
    assert [(t["material"], t["slot"], t["state"]) for t in textures] == [
        (0, slot, "left_out") for slot in ("base_color", "metallic_roughness", "emissive")]
    assert len(bare.body) < len(whole.body) and bare.headers["etag"] != whole.headers["etag"]


@pytest.mark.skipif(not SAMPLES.is_dir(), reason="no sample models")
@pytest.mark.parametrize("name", ["dragon", "octopus", "robot"])
def test_assimp_opens_it(server, tmp_path, name):
    answer = server.get(f"/v1/mesh?model={name}.glb&clip=0&t=0.2&format=glb")
    glb = glb_of(answer)
    path = tmp_path / "posed.glb"
    path.write_bytes(answer.body)
    info = subprocess.run(["assimp", "info", path, "-r"], capture_output=True, text=True, timeout=60)
    assert info.returncode == 0, info.stdout + info.stderr
    counts = dict(line.rsplit(None, 1) for line in info.stdout.splitlines() if line.count(":") == 1 and line.rsplit(None, 1)[-1].isdigit())
    entries = glb.entries()
    assert int(counts["Meshes:"]) == len(entries)
    assert int(counts["Vertices:"]) == sum(glb.json["accessors"][p["attributes"]["POSITION"]]["count"] for _, p in entries)
    assert int(counts["Faces:"]) == sum(glb.json["accessors"][p["indices"]]["count"] // 3 for _, p in entries)
    assert int(counts["Textures (embed.):"]) == len(glb.json["images"]) and int(counts["Animations:"]) == 0


@pytest.mark.skipif(not SAMPLES.is_dir(), reason="no sample models")
def test_posted_layers(server):
    asked = {"model": "robot.glb", "t": 0.3, "layers": [{"clip": "walk", "weight": 1}, {"clip": "wave", "weight": 1}]}
    glb = glb_of(post(server, "/v1/mesh", {**asked, "format": "glb"}))
    [frame] = post(server, "/v1/mesh", asked).json()["frames"]
    for (_, primitive), positions in zip(glb.entries(), frame["positions"]):
        assert f32(glb.values(primitive["attributes"]["POSITION"])) == f32(positions)
    assert [layer["clip"]["name"] for layer in glb.json["asset"]["extras"]["layers"]] == ["walk", "wave"]


@pytest.mark.short
@pytest.mark.parametrize("query, words", [
    ("mesh?format=glb&t=0,1", "2 times"), ("mesh?format=glb&t=0:1:30", "31 times"), ("mesh?format=glb&rest=1", "'rest'"),
    ("mesh?textures=none", "format=glb"), ("mesh?format=bin&textures=none", "format=glb"), ("pose?format=glb", "json or bin"),
    ("palette?format=glb", "json or bin"), ("mesh?format=gltf", "json, bin or glb")])
def test_refusals(awkward, query, words):
    op, _, rest = query.partition("?")
    answer = awkward.get(f"/v1/{op}?model=awkward.gltf&{rest}")
    assert (answer.status, answer.error()) == (400, "bad_parameter")
    assert words in answer.json()["error"]["message"]


@pytest.mark.short
def test_not_in_a_batch(awkward):
    answer = post(awkward, "/v1/query", {"queries": [{"op": "mesh", "model": "awkward.gltf", "format": "glb"}]})
    [result] = answer.json()["results"]
    assert result["error"]["code"] == "bad_parameter" and "JSON" in result["error"]["message"]


def test_errors_are_json(awkward):
    for query, status, code in (("clip=nothing", 404, "clip_not_found"), ("mesh=bod", 404, "mesh_not_found")):
        answer = awkward.get(f"/v1/mesh?model=awkward.gltf&format=glb&{query}")
        assert (answer.status, answer.error()) == (status, code)
        assert "content-disposition" not in answer.headers


def test_nothing_to_export(start, tmp_path):
    document = json.loads(gltf())
    del document["nodes"][0]["mesh"]
    (tmp_path / "bare.gltf").write_text(json.dumps(document))
    answer = start().get("/v1/mesh?model=bare.gltf&format=glb")
    assert (answer.status, answer.error()) == (422, "nothing_to_draw")


@pytest.mark.skipif(not SAMPLES.is_dir(), reason="no sample models")
def test_answer_limit(start):
    server = start("--max-answer", "100000", root=SAMPLES)
    for textures in ("none", "keep"):
        answer = server.get(f"/v1/mesh?{SAMPLE}&format=glb&textures={textures}")
        assert (answer.status, answer.error()) == (400, "too_many_frames")


def test_mesh_by_a_name_of_digits(start, tmp_path):
    document = json.loads(gltf())
    document["meshes"] = [{**document["meshes"][0], "name": name} for name in ("body", "0", "")]
    document["nodes"] = [{"mesh": mesh} for mesh in range(3)]
    document["scenes"] = [{"nodes": [0, 1, 2]}]
    (tmp_path / "three.gltf").write_text(json.dumps(document))
    server = start()
    meshes = lambda op, query: [m["mesh"] for m in server.json(f"/v1/{op}?model=three.gltf&{query}")["meshes"]]
    for op in ("mesh", "bounds"):
        assert meshes(op, "mesh=0") == [0]
        assert meshes(op, "mesh_name=0") == [1]
        assert meshes(op, "mesh_name=") == [2]
    answer = server.get("/v1/mesh?model=three.gltf&mesh_name=bodi")
    assert (answer.status, answer.error()) == (404, "mesh_not_found")
    assert answer.json()["error"]["candidates"][0] == {"index": 0, "name": "body"}
