"""The data that the page draws: textures as pictures, and the vertices' normals, texture coordinates, colours and tangents."""
import struct
import zlib

import pytest

from importers import NO_RENDERING
from small_scenes import File, about, png

DRAWS = False

pytestmark = pytest.mark.short
COLORS = [[(255, 0, 0), (0, 128, 255)], [(1, 2, 3), (250, 240, 20)]]
NORMALS = [[0, 0, 1], [0.6, 0, 0.8], [0, -0.6, 0.8]]
UVS, SECOND_UVS = [[0, 0], [1.5, 0], [0.25, -1]], [[0.125, 1], [0, 0], [1, 0.5]]
TINTS = [[255, 0, 7, 255], [0, 128, 1, 64], [9, 9, 9, 0]]
TANGENTS = [[1, 0, 0, 1], [0, 1, 0, -1], [0, 0, 1, 1]]
BLOCKS = {30: ("3f", NORMALS), 31: ("2f", UVS), 32: ("2f", SECOND_UVS), 33: ("4B", TINTS), 34: ("4f", TANGENTS)}


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    from conftest import Server
    root = tmp_path_factory.mktemp("attributes")
    file = File()
    rows = lambda values, component=5126: file.rows(values, component)
    full = {"POSITION": file.rows([[5, 1, 2], [6, 1, 2], [5, 3, 2]], has_bounds=True), "NORMAL": rows(NORMALS), "TEXCOORD_0": rows(UVS),
            "TEXCOORD_1": rows(SECOND_UVS), "COLOR_0": rows(TINTS, 5121), "TANGENT": rows(TANGENTS)}
    file.document["accessors"][full["COLOR_0"]]["normalized"] = True
    bare = {"POSITION": full["POSITION"]}
    file.document.update(
        meshes=[{"primitives": [{"attributes": full, "material": 0}, {"attributes": bare}]}],
        nodes=[{"mesh": 0, "rotation": about([1, 2, 3], 70), "scale": [1, 2, 0.5], "translation": [3, -4, 5]}], scenes=[{"nodes": [0]}],
        images=[{"bufferView": file.view(png(COLORS)), "mimeType": "image/png"}, {"uri": "gone.png"}],
        textures=[{"source": 0}, {"source": 1}],
        materials=[{"pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}, "emissiveTexture": {"index": 1},
                    "normalTexture": {"index": 0, "texCoord": 1}}])
    (root / "full.glb").write_bytes(file.glb())
    plain = File()
    plain.document.update(nodes=[{"name": "alone"}], scenes=[{"nodes": [0]}])
    (root / "plain.glb").write_bytes(plain.glb())
    one = Server(root, *NO_RENDERING)
    yield one
    one.end()


def pixels(data):
    """Rows of an 8-bit RGB or RGBA picture. Reads rows without a filter and with some of the filters."""
    width, height, depth, kind = struct.unpack_from(">IIBB", data, 16)
    assert depth == 8
    size, at, packed = {2: 3, 6: 4}[kind], 8, b""
    while at < len(data):
        length, name = struct.unpack_from(">I4s", data, at)
        packed += data[at + 8:at + 8 + length] if name == b"IDAT" else b""
        at += 12 + length
    raw, before, rows = zlib.decompress(packed), bytes(size * width), []
    for y in range(height):
        line = bytearray(raw[y * (1 + size * width):(y + 1) * (1 + size * width)])
        way, line = line[0], line[1:]
        for x in range(len(line)):
            left, up, corner = (line[x - size] if x >= size else 0), before[x], (before[x - size] if x >= size else 0)
            guess = left + up - corner
            paeth = min((abs(guess - left), 0, left), (abs(guess - up), 1, up), (abs(guess - corner), 2, corner))[2]
            line[x] = (line[x] + (0, left, up, (left + up) // 2, paeth)[way]) & 255
        rows.append([tuple(line[size * x:size * x + size]) for x in range(width)])
        before = line
    return rows


def test_texture_is_the_files_image(server):
    answer = server.get("/v1/texture?model=full.glb&texture=0")
    assert answer.status == 200 and answer.headers["content-type"] == "image/png"
    assert pixels(answer.body) == COLORS
    tag = answer.headers["etag"]
    assert server.get("/v1/texture?model=full.glb&texture=0", f"If-None-Match: {tag}").status == 304
    hash_ = server.json("/v1/model", model="full.glb")["hash"]
    kept = server.get(f"/v1/texture?model=full.glb&texture=0&hash={hash_}")
    assert kept.body == answer.body and "immutable" in kept.headers["cache-control"] and kept.headers["etag"] != tag


@pytest.mark.parametrize("query, code, words", [
    ("model=full.glb&texture=9", "texture_not_found", "no texture 9: they go from 0 to 2"),
    ("model=full.glb&texture=2", "texture_not_found", "texture 2 has no pixels: its image 'gone.png' is missing"),
    ("model=plain.glb&texture=0", "texture_not_found", "'plain.glb' has no textures"),
    ("model=full.glb", "missing_parameter", "texture"), ("model=full.glb&texture=-1", "bad_parameter", "'texture'"),
    ("model=full.glb&texture=99999999999", "bad_parameter", "'texture'"), ("model=none.glb&texture=0", "model_not_found", "none.glb"),
])
def test_texture_refuses_by_name(server, query, code, words):
    answer = server.get("/v1/texture?" + query)
    assert answer.error() == code and words in answer.json()["error"]["message"]


def test_attributes_are_the_files(server):
    answer = server.json("/v1/mesh", model="full.glb", attributes=1)
    full, bare = answer["attributes"]
    assert full["colors"] == sum(TINTS, []) and full["texcoords"] == sum(UVS, []) and full["second_texcoords"] == sum(SECOND_UVS, [])
    assert full["tangents"] == sum(TANGENTS, [])
    assert full["normals"] == pytest.approx(sum(NORMALS, []), abs=1e-6)
    assert list(bare) == ["normals"] and bare["normals"] == [0, 0, 1] * 3


def test_attributes_in_binary(server):
    body = server.get("/v1/mesh?model=full.glb&attributes=1&format=bin&t=0,1").body
    found = {}
    for i in range(struct.unpack_from("<I", body, 20)[0]):
        kind, once, index, node, primitive, count, item_bytes, offset = struct.unpack_from("<HHIiiIIQ", body, 96 + 32 * i)
        if kind in BLOCKS:
            assert once == 1 and node == 0 and primitive == index and count == 3
            assert item_bytes == struct.calcsize("<" + BLOCKS[kind][0]) and offset % 16 == 0
            found[index, kind] = sum((list(struct.unpack_from("<" + BLOCKS[kind][0], body, offset + item_bytes * v)) for v in range(count)), [])
    assert sorted(found) == [(0, 30), (0, 31), (0, 32), (0, 33), (0, 34), (1, 30)]
    for kind, (_, rows) in BLOCKS.items():
        assert found[0, kind] == pytest.approx(sum(rows, []), abs=1e-6)


def test_attributes_do_not_go_into_a_glb(server):
    assert "'attributes'" in server.get("/v1/mesh?model=full.glb&attributes=1&format=glb").json()["error"]["message"]
