"""Where the humans of VRM files face: VRM 1 and .vrma along +z, as glTF has it, VRM 0 along -z. Pictures show the face, files are turned by it."""
import json
import math
import os
import struct

import numpy as np
import pytest

import vrm_files
from conftest import Server
from humans import ROLES
from png_picture import picture
from vrm_avatar import avatar, write_all
from vrm_files import edited

AHEAD, BEHIND = [0, 0, 1], [0, 0, -1]


def of_both(document):
    document["extensions"]["VRM"] = {"exporterVersion": "none"}


def without_toes(document):
    bones = document["extensions"]["VRM"]["humanoid"]["humanBones"]
    bones[:] = [bone for bone in bones if not bone["bone"].endswith("Toes")]


def no_object(document):
    document["extensions"]["VRM"] = []


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    if os.environ.get("POSED_SERVER"):
        pytest.skip("needs a server of its own")
    root = tmp_path_factory.mktemp("front")
    vrm_files.write_all(root)
    write_all(root)
    for name, of, change in (("both.vrm", avatar(1), of_both), ("toeless.vrm", vrm_files.model("old.vrm"), without_toes), ("odd.vrm", avatar(0), no_object)):
        (root / name).write_bytes(edited(of, change))
    running = Server(root, "--log", "off")
    yield running
    running.end()


@pytest.mark.parametrize("model, forward", [("old.vrm", BEHIND), ("ann0_bone.vrm", BEHIND), ("toeless.vrm", BEHIND), ("turned.vrm", AHEAD), ("ann1_bone.vrm", AHEAD),
                                            ("move.vrma", AHEAD), ("both.vrm", AHEAD), ("odd.vrm", AHEAD)])
def test_a_model_tells_where_it_faces(server, model, forward):
    assert server.json("/v1/model", model=model)["forward"] == forward


@pytest.mark.parametrize("op, view", [("render", {}), ("render", {"yaw": 70, "pitch": 20}), ("render", {"camera": "left"}), ("render", {"target": "head", "distance": 0.2}),
                                      ("sheet", {"frames": 2})])
def test_pictures_of_both_versions_show_the_face(server, op, view):
    """The same avatar, turned by the root of VRM 0. Its picture differs in roundings alone."""
    draw = lambda model: picture(server.get(f"/v1/{op}?" + "&".join(f"{key}={value}" for key, value in {
        "model": model, "clip": "-", "width": 96, "height": 128, "yaw": 0, "pitch": 0, **view}.items())))
    old, new = (np.array(draw(f"ann{version}_bone.vrm").rows, int) for version in (0, 1))
    assert old.shape == new.shape and (np.abs(old - new).max(axis=2) > 24).mean() < 0.003


def test_the_face_is_in_the_picture(server):
    """The eyes' white, which hair hides from behind."""
    def white(version, yaw):
        rows = picture(server.get(f"/v1/render?model=ann{version}_bone.vrm&clip=-&width=128&height=128&yaw={yaw}&pitch=0&target=head&distance=0.1")).rows
        return sum(min(pixel[:3]) > 180 and max(pixel[:3]) - min(pixel[:3]) < 20 and pixel[3] == 255 for row in rows[:64] for pixel in row)

    for version in (0, 1):
        assert white(version, 0) > 50 and white(version, 180) == 0


def document_of(data):
    size, = struct.unpack_from("<I", data, 12)
    return json.loads(data[20:20 + size])


def test_vertices_as_a_file_face_as_gltf_has_it(server):
    made = {version: document_of(server.get(f"/v1/mesh?model=ann{version}_bone.vrm&format=glb&clip=-").body) for version in (0, 1)}
    top = made[0]["nodes"][made[0]["scenes"][0]["nodes"][0]]
    assert top["name"] == "gltf_from_scene" and top["matrix"] == [-1, 0, 0, 0, 0, 1, 0, 0, 0, 0, -1, 0, 0, 0, 0, 1]
    assert all(node.get("name") != "gltf_from_scene" for node in made[1]["nodes"])


def place_of_toes(server, model):
    answer = server.json("/v1/pose", model=model, clip="-", what="scene")
    places = {node["name"]: np.array(matrix[12:15]) for node, matrix in zip(answer["nodes"], answer["frames"][0]["scene"])}
    return places["J_leftToes"] - places["J_leftFoot"]


def test_exported_files_face_as_their_up_axis_has_it(server, tmp_path):
    """With z up, fronts are -y. Without a turn the file keeps the extension, and is of VRM 0 again."""
    root = tmp_path / "exported"
    root.mkdir()
    for version in (0, 1):
        for name, up in ("same", ""), ("tall", "&up=z"):
            (root / f"{name}{version}.glb").write_bytes(server.get(f"/v1/export?model=ann{version}_bone.vrm{up}").body)
    second = Server(root, "--log", "off")
    try:
        assert [second.json("/v1/model", model=f"same{version}.glb")["forward"] for version in (0, 1)] == [BEHIND, AHEAD]
        for version in (0, 1):
            x, y, z = place_of_toes(second, f"tall{version}.glb")
            assert y < -0.1 and abs(x) < 1e-4 and abs(z) < 0.1, version
    finally:
        second.end()


def test_sides_of_a_human_without_toes(server):
    """Nothing but VRM's promise tells where it faces."""
    told = server.json("/v1/pose", model="toeless.vrm", clip_file="move.vrma", retarget="rest", clip=0, t=0.5)["clip_file"]
    assert "sides_swapped" not in [one["code"] for one in told["warnings"]]
    moved = {name: server.json("/v1/mesh", model=name, clip_file="move.vrma", retarget="rest", clip=0, t=0.5)["frames"][0]["positions"] for name in ("toeless.vrm", "old.vrm")}
    arms = slice(9 * ROLES.index("leftUpperArm"), 9 * ROLES.index("leftUpperArm") + 9)
    assert all(math.isclose(a, b, abs_tol=1e-5) for a, b in zip(*(positions[0][arms] for positions in moved.values())))
