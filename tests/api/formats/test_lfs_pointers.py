"""Pointers of Git LFS in place of a model, or of any file that belongs to one."""
import json
import struct

import pytest

from conftest import REPOSITORY, wait_until

DRAWS = False

SHARED = REPOSITORY.parent / "shared" / "models" / "bugs" / "lfs"
POINTER = "version https://git-lfs.github.com/spec/v1\noid sha256:2391d177d8da0814a00c15b632166c892dccde4384d35548b2738415566c8d23\nsize 36\n"
POINTS = struct.pack("<9f", 0, 0, 0, 1, 0, 0, 0, 1, 0)
OBJ = "mtllib look.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl red\nf 1 2 3\n"
MTL = "newmtl red\nKd 1 0 0\n"


def gltf(byte_length=36, **more):
    return json.dumps({
        "asset": {"version": "2.0"}, "buffers": [{"uri": "data.bin", "byteLength": byte_length}], "bufferViews": [{"buffer": 0, "byteLength": byte_length}],
        "accessors": [{"bufferView": 0, "componentType": 5126, "count": byte_length // 12, "type": "VEC3", "min": [0, 0, 0], "max": [1, 1, 0]}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, **more}]}], "nodes": [{"mesh": 0}], "scenes": [{"nodes": [0]}]})


def refusal(server, name):
    answer = server.get(f"/v1/model?model={name}")
    assert answer.status == 415 and answer.error() == "lfs_pointer", answer.body
    return answer.json()["error"]["message"]


def warnings(server, name):
    return [(one["code"], one["message"]) for one in server.json("/v1/model", model=name)["warnings"]]


@pytest.mark.parametrize("byte_length", [36, 3600])
def test_a_buffer(start, tmp_path, byte_length):
    """Whatever length it should have. Once it is fetched, the model is read."""
    (tmp_path / "a.gltf").write_text(gltf(byte_length))
    (tmp_path / "data.bin").write_text(POINTER)
    server = start("--render-workers", "0", root=tmp_path)
    message = refusal(server, "a.gltf")
    assert all(word in message for word in ("buffers[0]", "'data.bin' is a Git LFS pointer", "git lfs pull"))
    (tmp_path / "fetched").write_bytes(POINTS * (byte_length // 36))
    (tmp_path / "fetched").rename(tmp_path / "data.bin")  # as git does
    wait_until(lambda: server.get("/v1/model?model=a.gltf").status == 200, "the failure is kept")
    assert server.json("/v1/model", model="a.gltf")["bounds"]["max"] == [1, 1, 0]


def test_a_library_of_materials(start, tmp_path):
    (tmp_path / "a.obj").write_text(OBJ)
    (tmp_path / "look.mtl").write_text(POINTER)
    server = start("--render-workers", "0", root=tmp_path)
    (_, message), = [one for one in warnings(server, "a.obj") if one[0] == "lfs_pointer"]
    assert message == "'look.mtl' is a Git LFS pointer, not the file; fetch it with 'git lfs pull'"
    (tmp_path / "look.mtl").write_text(MTL)
    assert warnings(server, "a.obj") == []
    assert server.json("/v1/model", model="a.obj")["materials"][-1]["base_color"] == [1, 0, 0, 1]


def test_a_texture(start, tmp_path):
    document = json.loads(gltf(material=0))
    document |= {"images": [{"uri": "skin.png"}], "textures": [{"source": 0}], "materials": [{"emissiveTexture": {"index": 0}}]}
    (tmp_path / "a.gltf").write_text(json.dumps(document))
    (tmp_path / "data.bin").write_bytes(POINTS)
    (tmp_path / "skin.png").write_text(POINTER)
    server = start("--render-workers", "0", root=tmp_path)
    assert ("texture_broken", "texture 'skin.png': it is a Git LFS pointer, not the picture; fetch it with 'git lfs pull'") in warnings(server, "a.gltf")


def test_a_hitbox_file(start, tmp_path):
    (tmp_path / "a.gltf").write_text(gltf())
    (tmp_path / "data.bin").write_bytes(POINTS)
    (tmp_path / "a.hitboxes.json").write_text(POINTER)
    server = start("--render-workers", "0", root=tmp_path)
    assert warnings(server, "a.gltf") == [("lfs_pointer", "'a.hitboxes.json' is a Git LFS pointer, not the file; fetch it with 'git lfs pull'")]


@pytest.mark.skipif(not SHARED.is_dir(), reason="../shared/models/bugs is not there")
def test_files_of_others(start):
    server = start("--render-workers", "0", root=SHARED)
    for name in "a.3mf", "a.dae", "a.ply", "hero.fbx", "hero.glb", "hero.gltf", "hero.obj", "part.stl", "w.bvh":
        assert "this is a Git LFS pointer, not the model" in refusal(server, name)
    for name in "bin_is_pointer.gltf", "bin_is_pointer_short.gltf":
        assert "'data.bin' is a Git LFS pointer" in refusal(server, name)
    assert any(code == "lfs_pointer" and "'mat.mtl'" in message for code, message in warnings(server, "mtl_is_pointer.obj"))
    assert any(code == "texture_broken" and "'tex.png': it is a Git LFS pointer" in message for code, message in warnings(server, "tex_is_pointer.gltf"))
