"""Each limit on a model is an option with a message of its own. A small file that claims to be huge is refused, in every format."""
import json
import re
import struct

import pytest

from conftest import REPOSITORY, is_sanitized
from importers import NO_RENDERING
from server_state import memory_kib
from small_models import MD5MESH, TRIANGLE, gltf, md5anim

pytestmark = pytest.mark.short


def chain(nodes, **members):
    """Nodes one below another, with other members of the document."""
    return json.dumps({"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}],
                       "nodes": [{"children": [i + 1]} if i + 1 < nodes else {} for i in range(nodes)], **members})


def zeros(count, kind="SCALAR"):
    return {"componentType": 5126, "count": count, "type": kind, "min": [0] * 3, "max": [1] * 3}


def skinned():
    return chain(4, skins=[{"joints": [0, 1, 2]}, {"joints": [1, 2]}])


def clips(count):
    """Each clip moves the first node: two keys of three floats."""
    return chain(1, bufferViews=[{"buffer": 0, "byteLength": 8}],
                 buffers=[{"byteLength": 8, "uri": "data:application/octet-stream;base64,AAAAAAAAgD8="}],
                 accessors=[{"bufferView": 0, **zeros(2)}, zeros(2, "VEC3")],
                 animations=[{"channels": [{"sampler": 0, "target": {"node": 0, "path": "translation"}}],
                              "samplers": [{"input": 0, "output": 1}]}] * count)


def many_of_one_mesh(nodes):
    document = json.loads(gltf())
    document["nodes"] = [{"mesh": 0}] * nodes
    document["scenes"] = [{"nodes": list(range(nodes))}]
    return json.dumps(document)


def textures(count):
    document = json.loads(gltf(image="none0.png"))
    document["images"] = [{"uri": f"none{i}.png"} for i in range(count)]
    document["textures"] = [{"source": i} for i in range(count)]
    document["materials"] = [{"pbrMetallicRoughness": {"baseColorTexture": {"index": i}}} for i in range(count)]
    return json.dumps(document)


def weights():
    document = json.loads(gltf())
    document["meshes"][0]["primitives"][0]["targets"] = [{}] * 5
    return json.dumps(document)


OBJ = "".join(f"v {i} {i * i} 0\n" for i in range(9)) + "f 1 2 3\nf 4 5 6\nf 7 8 9\n"
GLTF = {  # option, a value that the model exceeds, the model
    "nodes": ("max-nodes", 5, chain(6)),
    "depth": ("max-depth", 5, chain(6)),
    "joints": ("max-joints", 4, skinned()),
    "clips": ("max-clips", 2, clips(3)),
    "keys": ("max-keys", 5, clips(2)),
    "vertices": ("max-vertices", 8, gltf(triangles=3)),
    "indices": ("max-indices", 8, gltf(triangles=3)),
    "drawn vertices": ("max-drawn-vertices", 8, many_of_one_mesh(3)),
    "weights": ("max-weights", 4, weights()),
    "textures": ("max-textures", 1, textures(2)),
    "file": ("max-file", 500, gltf(triangles=9)),
    "files": ("max-source-files", 1, gltf(buffer="triangle.bin")),
}
ASSIMP = {
    "vertices": ("max-vertices", 8, "a.obj", OBJ),
    "indices": ("max-indices", 8, "a.obj", OBJ),
    "nodes": ("max-nodes", 2, "a.md5mesh", MD5MESH),
    "joints": ("max-joints", 1, "a.md5mesh", MD5MESH),
    "depth": ("max-depth", 2, "a.md5mesh", MD5MESH),
    "clips": ("max-clips", 1, "a.md5mesh", MD5MESH),
    "keys": ("max-keys", 3, "a.md5mesh", MD5MESH),
    "file": ("max-file", 100, "a.obj", OBJ),
}


def check_refused(server, name, option, value):
    answer = server.get(f"/v1/model?model={name}")
    assert (answer.status, answer.error()) == (422, "model_limit"), answer.body
    message = answer.json()["error"]["message"]
    assert name in message and re.search(rf"--{option} {value}\b|more than {value} ", message), message


@pytest.mark.parametrize("what", GLTF)
def test_limit_of_a_gltf_model(start, tmp_path, what):
    option, value, document = GLTF[what]
    (tmp_path / "a.gltf").write_text(document)
    (tmp_path / "triangle.bin").write_bytes(TRIANGLE)
    check_refused(start(*NO_RENDERING, f"--{option}", str(value), root=tmp_path), "a.gltf", option, value)


def test_models_at_their_limits_are_taken(start, tmp_path):
    (tmp_path / "triangle.bin").write_bytes(TRIANGLE)
    for i, (_, _, document) in enumerate(GLTF.values()):
        (tmp_path / f"{i}.gltf").write_text(document)
    server = start(*NO_RENDERING, "--max-nodes", "6", "--max-depth", "6", "--max-joints", "5", "--max-clips", "3", "--max-keys", "18",
                   "--max-vertices", "27", "--max-indices", "27", "--max-drawn-vertices", "27", "--max-weights", "5",
                   "--max-textures", "2", "--max-source-files", "3", root=tmp_path)
    for i in range(len(GLTF)):
        answer = server.get(f"/v1/model?model={i}.gltf")
        assert answer.status == 200, answer.body


@pytest.mark.parametrize("what", ASSIMP)
def test_limit_of_another_format(start, tmp_path, what):
    option, value, name, text = ASSIMP[what]
    (tmp_path / name).write_text(text)
    for i in range(2):
        (tmp_path / f"a{i}.md5anim").write_text(md5anim(i))
    check_refused(start(*NO_RENDERING, f"--{option}", str(value), root=tmp_path), name, option, value)


def test_picture_limits(start, tmp_path):
    (tmp_path / "a.gltf").write_text(gltf())
    server = start("--render-workers", "0", "--max-picture-side", "200", "--max-picture-pixels", "10000", root=tmp_path)
    answer = server.get("/v1/render?model=a.gltf&width=201")
    assert answer.error() == "bad_parameter" and "200" in answer.json()["error"]["message"]
    answer = server.get("/v1/render?model=a.gltf&width=200&height=51")
    assert answer.error() == "bad_parameter" and "--max-picture-pixels 10000" in answer.json()["error"]["message"]
    for query in ("", "&width=200&height=50"):
        assert server.get("/v1/render?model=a.gltf" + query).error() == "unavailable"


def test_every_limit_that_issue_names_is_an_option(command):
    """From file size to queue lengths: in --help, and as a variable."""
    status, text, _ = command("--help")
    assert status == 0
    for name in ("max-file", "max-vertices", "max-joints", "max-nodes", "max-depth", "max-clips", "max-keys", "max-image-pixels",
                 "max-picture-side", "max-picture-pixels", "max-frames", "max-body", "max-connections", "import-queue",
                 "render-queue", "answer-queue", "list-queue", "client-memory"):
        assert f"  --{name} " in text and "POSED_" + name.upper().replace("-", "_") in text, name


# --- small files that claim to be huge ---

BILLION = 1_000_000_000


def md2():
    """A header with a billion vertices in a billion frames, and nothing after it."""
    return struct.pack("<4s16i", b"IDP2", 8, 64, 64, BILLION, 1, BILLION, 1, BILLION, 1, BILLION, 68, 68, 68, 68, 68, 2000)


def md3():
    return struct.pack("<4si64s9i", b"IDP3", 15, b"x", 0, BILLION, BILLION, BILLION, 0, 108, 108, 108, 2000)


HUGE = {
    "a.gltf": json.dumps({"asset": {"version": "2.0"}, "nodes": [{"mesh": 0}], "accessors": [zeros(BILLION, "VEC3")],
                          "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}]}),
    "b.gltf": json.dumps({"asset": {"version": "2.0"}, "buffers": [{"byteLength": 20 * BILLION}], "nodes": [{"mesh": 0}],
                          "bufferViews": [{"buffer": 0, "byteLength": 12 * BILLION}],
                          "accessors": [{"bufferView": 0, **zeros(BILLION, "VEC3")}],
                          "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}]}),
    "a.glb": struct.pack("<4sIIII", b"glTF", 2, 4_000_000_000, 3_900_000_000, 0x4E4F534A) + b"{}" * 700,
    "a.md5mesh": MD5MESH.replace("numverts 3", f"numverts {BILLION}"),
    "b.md5mesh": MD5MESH.replace("numJoints 2", f"numJoints {BILLION}"),
    "c.md5mesh": MD5MESH.replace("numweights 3", f"numweights {BILLION}").replace("numtris 1", f"numtris {BILLION}"),
    "a.stl": b"x" * 80 + struct.pack("<I", 400_000_000) + b"\0" * 1400,
    "a.ply": f"ply\nformat binary_little_endian 1.0\nelement vertex {BILLION}\nproperty float x\nproperty float y\n"
             "property float z\nend_header\n",
    "a.off": f"OFF\n{BILLION} {BILLION} 0\n0 0 0\n",
    "a.x": f"xof 0303txt 0032\nMesh m {{\n{BILLION};\n0;0;0;,\n{BILLION};\n3;0,1,2;;\n}}\n",
    "a.md2": md2(), "a.md3": md3(),
    "a.bvh": "HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 3 Xposition Yposition Zposition\nEnd Site\n{\nOFFSET 0 1 0\n}\n}\n"
             f"MOTION\nFrames: {BILLION}\nFrame Time: 0.1\n0 0 0\n",
    "a.obj": "v 0 0 0\n" * 3 + f"f 1 2 {BILLION}\n",
    "a.ase": "*3DSMAX_ASCIIEXPORT 200\n*GEOMOBJECT {\n*MESH {\n"
             f"*MESH_NUMVERTEX {BILLION}\n*MESH_NUMFACES {BILLION}\n}}\n}}\n",
}
CODES = {"bad_model", "model_limit", "import_memory", "not_a_model", "import_crashed", "import_cpu", "companion_missing", "empty_file"}


@pytest.mark.skipif(is_sanitized(), reason="a sanitizer bears no limit on memory")
def test_small_files_that_claim_to_be_huge(start, tmp_path):
    for name, content in HUGE.items():
        data = content.encode() if isinstance(content, str) else content
        assert len(data) < 2000
        (tmp_path / name).write_bytes(data)
    (tmp_path / "good.gltf").write_text(gltf())
    server = start(*NO_RENDERING, "--import-timeout", "60s", "--import-memory", "512m", root=tmp_path)
    assert server.get("/v1/model?model=good.gltf").status == 200
    before_kib = memory_kib(server)
    codes = {}
    for name in HUGE:
        answer = server.get(f"/v1/model?model={name}")
        # some readers stop at the end of the file and keep what they have
        codes[name] = "ok" if answer.status == 200 else answer.error()
        assert answer.status in (200, 415, 422) and codes[name] in CODES | {"ok"}, (name, answer.body)
        message = answer.json().get("error", {}).get("message", "")
        if codes[name] == "import_memory":
            assert re.search("--import-memory|limit of [0-9]+ bytes", message), message
        if codes[name] == "model_limit":
            assert re.search(r"--max-\w+|more than \d+", message), message
    assert codes["a.gltf"] in ("model_limit",) and codes["b.gltf"] in ("bad_model", "model_limit", "companion_missing"), codes
    assert "import_memory" in codes.values() or "model_limit" in codes.values()
    assert server.get("/v1/palette?model=good.gltf").status == 200
    assert memory_kib(server) - before_kib < 50 * 1024
    print(codes)


def test_the_table_of_limits_has_no_two_of_one_option():
    rows = re.findall(r'^X\((\w+), "([\w-]*)"', (REPOSITORY / "protocol" / "limits.def").read_text(), re.M)
    options = [option for _, option in rows if option]
    assert len(options) == len(set(options)) and len(options) > 30
