"""Ogre's binary meshes: all versions, material scripts, and what is missing. Poses are in test_refs.py."""
import json
import pathlib
import struct
import sys
import zlib

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "oracle"))
import ogre_models  # noqa: E402

chunk = lambda name, data: struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
PNG = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">2I5B", 1, 1, 8, 2, 0, 0, 0)) + chunk(b"IDAT", zlib.compress(b"\0\xff\0\0")) + chunk(b"IEND", b"")
SCRIPT = """
// a script
import * from "base.material"

DRAWS = False
vertex_program wobble glsl { source wobble.glsl }
abstract material base { technique { pass { alpha_rejection greater_equal 128
    cull_hardware none } } }
material skin : base
{
    technique
    {
        pass
        {
            diffuse 1 0.5 0 1
            texture_unit { env_map spherical }
            texture_unit
            {
                texture skin.png
                tex_address_mode clamp
                scale 0.5 0.5
            }
        }
        pass { lighting off }
    }
}
"""


def put(folder, make, stem, **other):
    for name, data in {**make.files(stem), **other}.items():
        (folder / name).write_bytes(data)


def test_every_version_says_the_same(start, tmp_path):
    everything = {**ogre_models.ALL, **ogre_models.OTHERS}
    for name, make in everything.items():
        put(tmp_path, make, name[:-len(".mesh")])
    server = start(root=tmp_path)
    assert len(server.json("/v1/models")["models"]) == len(everything), "a skeleton is no model"
    for clip in ("walk", "wave", "morph"):
        answers = {name: server.json("/v1/mesh", model=name, clip=clip, t=[0.3, 1.1])["frames"] for name in everything}
        first = answers["ogre_1_100.mesh"]
        assert all(frame["positions"][0] for frame in first)
        assert all(frames == first for frames in answers.values()), [name for name in answers if answers[name] != first]
    shown = server.json("/v1/model", model="ogre_1_100.mesh")
    assert [mesh["name"] for mesh in shown["meshes"]] == ["body", "coat"]
    assert [clip["name"] for clip in shown["clips"]] == ["walk", "wave", "morph"]
    assert {warning["code"] for warning in shown["warnings"]} == {"material_missing"}


def test_scripts_beside_the_mesh_are_its_materials(start, tmp_path):
    put(tmp_path, ogre_models.Ogre, "m", **{"other.material": SCRIPT.encode(), "m.material": b"material cloth\n{\n}\n"})
    server = start(root=tmp_path)
    skin, cloth = server.json("/v1/model", model="m.mesh")["materials"]
    assert (skin["name"], skin["alpha_mode"], skin["double_sided"], skin["unlit"]) == ("skin", "mask", True, False)
    assert skin["alpha_cutoff"] == pytest.approx(128 / 255) and skin["base_color"][2] == 0
    assert skin["textures"]["base_color"]["uv_from_texcoord"] == [2, 0, -0.5, 0, 2, -0.5]
    assert not cloth["double_sided"] and cloth["alpha_mode"] == "opaque"
    codes = {warning["code"] for warning in server.json("/v1/model", model="m.mesh")["warnings"]}
    assert codes == {"texture_missing"}


def test_scripts_and_pictures_are_found_where_media_of_ogre_have_them(start, tmp_path):
    for folder in ("models", "materials/scripts", "materials/textures"):
        (tmp_path / folder).mkdir(parents=True)
    put(tmp_path / "models", ogre_models.Ogre, "m")
    (tmp_path / "materials/scripts/all.material").write_text(SCRIPT + "material cloth\n{\n}\n")
    (tmp_path / "materials/textures/skin.png").write_bytes(PNG)
    shown = start(root=tmp_path).json("/v1/model", model="models/m.mesh")
    assert [(texture["uri"], texture["state"]) for texture in shown["textures"]] == [("../materials/textures/skin.png", "found")]
    assert shown["warnings"] == []


def test_what_is_missing_is_said(start, tmp_path):
    put(tmp_path, ogre_models.Ogre, "m")
    (tmp_path / "m_more.skeleton").unlink()
    put(tmp_path, ogre_models.Ogre, "bare")
    (tmp_path / "bare.skeleton").unlink()
    put(tmp_path, ogre_models.Ogre, "broken")
    (tmp_path / "broken.skeleton").write_bytes((tmp_path / "broken.skeleton").read_bytes()[:100])
    server = start(root=tmp_path)
    warnings = {warning["code"]: warning["message"] for warning in server.json("/v1/model", model="m.mesh")["warnings"]}
    assert "m_more.skeleton" in warnings["clips_not_read"]
    bare = server.json("/v1/model", model="bare.mesh")
    warnings = {warning["code"]: warning["message"] for warning in bare["warnings"]}
    assert "bare.skeleton" in warnings["skeleton_not_read"] and bare["counts"]["triangles"] == 4
    answer = server.get("/v1/model?model=broken.mesh")
    error = json.loads(answer.body)["error"]
    assert answer.status == 422 and error["code"] == "bad_model" and "broken.skeleton" in error["message"] and "byte" in error["message"]


def test_indices_that_do_not_exist_are_refused_by_name(start, tmp_path):
    writer = ogre_models.MeshWriter("1.8")
    shared = writer.geometry(4, (1, writer.FLOAT3, ogre_models.POINTS))
    (tmp_path / "a.mesh").write_bytes(writer.file(shared, [writer.submesh("skin", [0, 1, 4])], ("body",)))
    (tmp_path / "b.mesh").write_bytes(writer.file(shared, [writer.submesh("skin", [0, 1, 2])], poses=[writer.pose("up", 0, {9: [1, 0, 0]})]))
    (tmp_path / "c.mesh").write_bytes(b"\0\x10[MeshSerializer_v2.1 R2]\n")
    server = start(root=tmp_path)
    say = lambda name: json.loads(server.get(f"/v1/model?model={name}").body)["error"]["message"]
    assert say("a.mesh") == "a.mesh: index 2 of submesh 0 'body' is vertex 4, but there are 4"
    assert "pose 'up' moves vertex 9, but there are 4" in say("b.mesh")
    assert "v2.1 R2" in say("c.mesh") and "1.100" in say("c.mesh")
