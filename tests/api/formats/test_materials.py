"""Materials from a file to /v1/model and to an exported GLB: metallic-roughness, specular-glossy, and classic ones."""
import math
import pathlib
import struct

import pytest

DRAWS = False

CORPUS = pathlib.Path(__file__).parents[2] / "fuzz" / "corpus" / "gltf"

OBJ = "mtllib a.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nvt 1 0\nvt 0 1\nusemtl m\nf 1/1 2/2 3/3\n"


def materials(server, model):
    return server.json(f"/v1/model?model={model}")


@pytest.fixture()
def model(start, tmp_path):
    (tmp_path / "material.gltf").write_bytes((CORPUS / "material.gltf").read_bytes())
    server = start(root=tmp_path)
    return server, materials(server, "material.gltf")


def test_metallic_roughness(model):
    _, answer = model
    full = answer["materials"][0]
    assert (full["metallic"], full["roughness"], full["normal_scale"], full["occlusion_strength"]) == (0.5, 0.25, 2, 0.5)
    assert full["emissive"] == [5, 5, 0] and full["alpha_mode"] == "blend" and full["double_sided"]
    assert full["texture"] == full["textures"]["base_color"]["texture"] == 0
    contents = {slot: answer["textures"][use["texture"]]["content"] for slot, use in full["textures"].items()}
    assert contents == {"base_color": "colors", "metallic_roughness": "data", "normal": "data", "occlusion": "data",
                        "emissive": "colors"}
    sets = {slot: use["texcoord_set"] for slot, use in full["textures"].items()}
    assert sets == {"base_color": 0, "metallic_roughness": 0, "normal": 1, "occlusion": 1, "emissive": 0}
    # offset (0.5, 0.25), rotation 0.5, scale (2, -1): KHR_texture_transform, translation * rotation * scale
    c, s = math.cos(0.5), math.sin(0.5)
    expected = [2 * c, -s, 0.5, -2 * s, -c, 0.25]
    for got, wanted in zip(full["textures"]["normal"]["uv_from_texcoord"], expected):
        assert abs(got - wanted) < 1e-6
    assert answer["textures"][full["textures"]["occlusion"]["texture"]]["state"] == "missing"


def test_specular_glossy_is_approximated_and_said(model):
    _, answer = model
    gloss = answer["materials"][1]
    assert set(gloss["textures"]) == {"base_color", "metallic_roughness"}
    assert (gloss["metallic"], gloss["roughness"]) == (1, 1)  # the texture has the values
    codes = {warning["code"] for warning in answer["warnings"]}
    assert codes == {"texture_missing", "material_approximated"}


def test_exported_and_read_again_it_is_the_same_material(model, start, tmp_path_factory):
    server, answer = model
    folder = tmp_path_factory.mktemp("again")
    (folder / "again.glb").write_bytes(server.get("/v1/mesh?model=material.gltf&format=glb").body)
    again = materials(start(root=folder), "again.glb")
    for before, after in zip(answer["materials"], again["materials"]):
        for field in "name", "base_color", "metallic", "roughness", "normal_scale", "alpha_mode", "double_sided", "unlit":
            assert before[field] == after[field]
        for got, wanted in zip(after["emissive"], before["emissive"]):
            assert abs(got - wanted) < 1e-6
        found = [slot for slot, use in before["textures"].items()
                 if answer["textures"][use["texture"]]["state"] == "found"]
        assert list(after["textures"]) == found  # a missing picture cannot be copied into the file
        for slot in found:
            one, other = before["textures"][slot], after["textures"][slot]
            assert one["texcoord_set"] == other["texcoord_set"]
            for got, wanted in zip(other["uv_from_texcoord"], one["uv_from_texcoord"]):
                assert abs(got - wanted) < 1e-6


def test_classic_material(start, tmp_path):
    tga = struct.pack("<BBB5xHHHHBB", 0, 0, 2, 0, 0, 1, 1, 24, 0x20) + bytes([255, 128, 128])
    (tmp_path / "a.obj").write_text(OBJ)
    (tmp_path / "a.mtl").write_text("newmtl m\nillum 2\nKd 1 0 0\nKs 1 1 1\nNs 6\nKe 0 1 0\nmap_Bump bump.tga\n")
    (tmp_path / "bump.tga").write_bytes(tga)
    answer = materials(start(root=tmp_path), "a.obj")
    [material] = [m for m in answer["materials"] if m["name"] == "m"]
    assert material["base_color"] == [1, 0, 0, 1] and material["emissive"] == [0, 1, 0] and material["metallic"] == 0
    assert abs(material["roughness"] - math.sqrt(0.5)) < 1e-6  # alpha = sqrt(2 / (6 + 2))
    assert list(material["textures"]) == ["normal"] and answer["warnings"] == []
