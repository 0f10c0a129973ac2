"""Textures in KTX 2 files of Basis Universal (KHR_texture_basisu): drawn, exported, broken. tests/web/ktx2_samples.mjs made the files of a scene
whose colours are repeated here; tests/web/ktx2.test.mjs compares all pixels with three.js."""
import base64
import hashlib
import io
import json
import math
import pathlib
import re
import struct

import pytest
from PIL import Image

TESTS = pathlib.Path(__file__).parents[2]
SAMPLES = {name: (int(width), int(height), digest) for name, width, height, digest in re.findall(
    r'KTX2_SAMPLE\("(\w+)", (\d+), (\d+),\s*"(\w+)"\)', (TESTS / "unit/import/ktx2_samples.def").read_text())}
NEAREST = 9728


def sample(name):
    return (TESTS / "fuzz/corpus/texture" / f"{name}.ktx2").read_bytes()


def card(image, **texture):
    """A unit square with the picture, unlit, whose texels are to be seen as they are."""
    floats = [0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 0, 1, 1, 1, 1, 0, 0, 0]
    data = struct.pack("<20f6H", *floats, 0, 1, 2, 0, 2, 3)
    views = [{"buffer": 0, "byteOffset": at, "byteLength": size} for at, size in ((0, 48), (48, 32), (80, 12))]
    return json.dumps({
        "asset": {"version": "2.0"}, "extensionsUsed": ["KHR_texture_basisu", "KHR_materials_unlit"], "images": image,
        "samplers": [{"magFilter": NEAREST, "minFilter": NEAREST}], "textures": [{"sampler": 0, **texture}],
        "materials": [{"alphaMode": "BLEND", "extensions": {"KHR_materials_unlit": {}}, "pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}}],
        "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0, "TEXCOORD_0": 1}, "indices": 2, "material": 0}]}],
        "buffers": [{"byteLength": len(data), "uri": "data:application/octet-stream;base64," + base64.b64encode(data).decode()}], "bufferViews": views,
        "accessors": [{"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3", "min": [0, 0, 0], "max": [1, 1, 0]},
                      {"bufferView": 1, "componentType": 5126, "count": 4, "type": "VEC2"},
                      {"bufferView": 2, "componentType": 5123, "count": 6, "type": "SCALAR"}]})


def basis(uri):
    return card([{"uri": uri}], extensions={"KHR_texture_basisu": {"source": 0}})


def picture(answer):
    assert answer.status == 200, answer.body
    return Image.open(io.BytesIO(answer.body)).convert("RGBA")


def drawn(server, model, side):
    return picture(server.get(f"/v1/render?model={model}&camera=front&ortho=1&margin=0&aa=0&width={side}&height={side}&background=00000000"))


@pytest.mark.parametrize("name", [name for name, (width, height, _) in SAMPLES.items() if width & (width - 1) == height & (height - 1) == 0])
def test_textures_have_the_transcoders_pixels(start, tmp_path, name):
    width, height, digest = SAMPLES[name]
    (tmp_path / "a.gltf").write_text(basis("a.ktx2"))
    (tmp_path / "a.ktx2").write_bytes(sample(name))
    server = start("--render-workers", "0", root=tmp_path)
    assert server.json("/v1/model", model="a.gltf")["warnings"] == []
    texture = picture(server.get("/v1/texture?model=a.gltf&texture=0&textures=png"))
    assert texture.size == (width, height) and hashlib.sha256(texture.tobytes()).hexdigest() == digest


def disc(x, y, width, height):
    """The colour of the scene's disc without its noise; None outside, and near its edge, which shares blocks with the ground."""
    u, v = x / width, y / height
    far = math.hypot(u - 0.5, v - 0.4)
    return (220 - 300 * far, 60 + 200 * v, 40 + 40 * math.sin(20 * u)) if far < 0.2 else None


@pytest.mark.parametrize("name", ["etc1s_busy", "etc1s_alpha", "uastc_alpha_zstd"])
def test_textures_are_drawn_in_their_colours(start, tmp_path, name):
    width, height, _ = SAMPLES[name]
    (tmp_path / "a.gltf").write_text(basis("a.ktx2"))
    (tmp_path / "a.ktx2").write_bytes(sample(name))
    server = start("--render-workers", "1", root=tmp_path)
    texture, pixels = picture(server.get("/v1/texture?model=a.gltf&texture=0&textures=png")), drawn(server, "a.gltf", 64)
    errors = []
    for y in range(64):
        for x in range(64):
            texel = texture.getpixel((x * width // 64, y * height // 64))
            pixel = pixels.getpixel((x, y))
            assert abs(pixel[3] - texel[3]) <= 1
            if texel[3] == 255:
                assert max(abs(a - b) for a, b in zip(pixel, texel)) <= 1, (x, y)
            colour = disc(x * width // 64, y * height // 64, width, height)
            errors += [abs(a - b) for a, b in zip(pixel, colour)] if colour else []
    assert len(errors) > 300 and sum(errors) / len(errors) < 15  # the noise, and what blocks of 4x4 lose


def test_a_fallback_picture_comes_first(start, tmp_path):
    Image.new("RGBA", (4, 4), (10, 200, 30, 255)).save(tmp_path / "a.png")
    (tmp_path / "a.ktx2").write_bytes(sample("uastc_opaque"))
    (tmp_path / "a.gltf").write_text(card([{"uri": "a.ktx2"}, {"uri": "a.png"}], source=1, extensions={"KHR_texture_basisu": {"source": 0}}))
    server = start("--render-workers", "0", root=tmp_path)
    assert picture(server.get("/v1/texture?model=a.gltf&texture=0&textures=png")).getcolors() == [(16, (10, 200, 30, 255))]


def test_broken_files_are_lilac_squares_and_a_warning(start, tmp_path):
    whole = sample("etc1s_alpha")
    reserved = bytearray(sample("uastc_opaque"))
    reserved[-16] = 0x45
    kinds = bytearray(sample("uastc_opaque"))
    kinds[12:16] = struct.pack("<I", 145)
    rows = {"cut": (whole[:-1], r"byte \d+: level 0 has \d+ bytes"), "reserved": (reserved, r"level 0, byte \d+: the block at 3, 3 has no mode"),
            "bc7": (kinds, r"byte 12: texels of VkFormat 145 are not read here"), "one": (b"\xabKTX 11\xbb\r\n\x1a\n" + bytes(64), "KTX 1 pictures are not read"),
            "codes": (whole[:300] + bytes(100) + whole[400:], r"byte \d+: ")}
    for name, (data, _) in rows.items():
        (tmp_path / f"{name}.ktx2").write_bytes(data)
        (tmp_path / f"{name}.gltf").write_text(basis(f"{name}.ktx2"))
    server = start("--render-workers", "1", root=tmp_path)
    for name, (_, reason) in rows.items():
        warning, = server.json("/v1/model", model=f"{name}.gltf")["warnings"]
        assert warning["code"] == "texture_broken" and re.search(f"'{name}.ktx2': .*{reason}", warning["message"]), warning
        assert {(205, 180, 222), (142, 98, 170)} == {colour[:3] for _, colour in drawn(server, f"{name}.gltf", 64).getcolors()}
