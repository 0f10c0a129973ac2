"""Extensions of glTF that change what is there: instances of a mesh, nodes that are not visible, channels that point."""
import json
import pathlib
import struct
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "oracle"))
from contract_model import Document  # noqa: E402
from matrices import from_trs, multiply, transform  # noqa: E402

TURN = [0.5, 0.5, -0.5, 0.5]
OUTER = ([3.0, -2.0, 5.0], [0.0, 0.6, 0.0, 0.8], [2.0, 0.5, 1.5])  # turned, scaled by axis, off the origin
INSTANCES = [([1.0, 2.0, 3.0], TURN, [1.0, 3.0, 0.25]), ([-4.0, 0.0, 1.0], [0.0, 0.0, 0.6, 0.8], [2.0, 1.0, 1.0])]
CORNERS = [[1.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 3.0]]


def triangle(document):
    position = document.accessor("VEC3", [x for corner in CORNERS for x in corner], bounds=True)
    document.root["meshes"] = [{"primitives": [{"attributes": {"POSITION": position}}]}]


def node(trs):
    return dict(zip(("translation", "rotation", "scale"), trs))


def vertices(server, **query):
    """[(node, points)] of each mesh."""
    answer = server.json("/v1/mesh", **query)
    return [(mesh["node"], [positions[i:i + 3] for i in range(0, len(positions), 3)], mesh["in_scene"])
            for mesh, positions in zip(answer["meshes"], answer["frames"][0]["positions"], strict=True)]


def test_every_instance_of_a_mesh_is_drawn(start, tmp_path):
    document = Document()
    triangle(document)
    attributes = {name: document.accessor(kind, [x for instance in INSTANCES for x in instance[i]])
                  for i, (name, kind) in enumerate([("TRANSLATION", "VEC3"), ("ROTATION", "VEC4"), ("SCALE", "VEC3")])}
    document.root.update(nodes=[{**node(OUTER), "name": "grove", "mesh": 0, "extensions": {"EXT_mesh_gpu_instancing": {"attributes": attributes}}}],
                         scenes=[{"nodes": [0]}], extensionsRequired=["EXT_mesh_gpu_instancing"])
    (tmp_path / "grove.gltf").write_text(document.text())
    server = start("--render-workers", "1", root=tmp_path)
    got = vertices(server, model="grove.gltf")
    assert len(got) == len(INSTANCES)
    for (_, points, in_scene), instance in zip(got, INSTANCES):
        scene_from_instance = multiply(from_trs(*OUTER), from_trs(*instance))
        assert in_scene
        for point, corner in zip(points, CORNERS, strict=True):
            assert point == pytest.approx(transform(scene_from_instance, corner), abs=1e-5)
    nodes = server.json("/v1/model", model="grove.gltf")["nodes"]
    assert [(n["name"], n["parent"]) for n in nodes] == [("grove", -1), ("", 0), ("", 0)]
    assert server.get("/v1/render?model=grove.gltf&width=32&height=32").status == 200


def test_instances_that_no_model_can_have_are_refused(start, tmp_path):
    server = start("--render-workers", "0", "--max-nodes", "100", root=tmp_path)
    for name, rows, other, code in [("many", 200, 200, "model_limit"), ("uneven", 3, 2, "bad_model")]:
        document = Document()
        triangle(document)
        attributes = {"TRANSLATION": document.accessor("VEC3", [0.5] * 3 * rows), "SCALE": document.accessor("VEC3", [1.0] * 3 * other)}
        document.root.update(nodes=[{"mesh": 0, "extensions": {"EXT_mesh_gpu_instancing": {"attributes": attributes}}}])
        (tmp_path / f"{name}.gltf").write_text(document.text())
        answer = server.get(f"/v1/model?model={name}.gltf")
        error = json.loads(answer.body)["error"]
        assert (answer.status, error["code"]) == (422, code) and "nodes[0].extensions.EXT_mesh_gpu_instancing" in error["message"]


def test_nodes_that_are_not_visible_are_not_drawn(start, tmp_path):
    document = Document()
    triangle(document)
    document.root.update(nodes=[{"mesh": 0, "translation": [9, 0, 0]},
                                {"mesh": 0, "children": [2], "extensions": {"KHR_node_visibility": {"visible": False}}}, {"mesh": 0}],
                         extensionsRequired=["KHR_node_visibility"])
    (tmp_path / "veil.gltf").write_text(document.text())
    server = start("--render-workers", "0", root=tmp_path)
    assert [(n, in_scene) for n, _, in_scene in vertices(server, model="veil.gltf")] == [(0, True), (1, False), (2, False)]
    assert [n.get("hidden", False) for n in server.json("/v1/model", model="veil.gltf")["nodes"]] == [False, True, True]


def test_channels_that_point_move_nodes(start, tmp_path):
    document = Document()
    triangle(document)
    times, values = document.accessor("SCALAR", [0.0, 1.0], bounds=True), document.accessor("VEC3", [2, 0.5, 1.5, 1, 1, 3])
    document.root.update(nodes=[{**node(OUTER), "mesh": 0}], extensionsRequired=["KHR_animation_pointer"], animations=[{
        "samplers": [{"input": times, "output": values}],
        "channels": [{"sampler": 0, "target": {"path": "pointer", "extensions": {"KHR_animation_pointer": {"pointer": "/nodes/0/scale"}}}}]}])
    (tmp_path / "swell.gltf").write_text(document.text())
    server = start("--render-workers", "0", root=tmp_path)
    (_, points, _), = vertices(server, model="swell.gltf", clip=0, t=0.5)
    for point, corner in zip(points, CORNERS, strict=True):
        assert point == pytest.approx(transform(from_trs(OUTER[0], OUTER[1], [1.5, 0.75, 2.25]), corner), abs=1e-5)


def test_a_vrm_file_names_the_bones_of_its_human(start, tmp_path):
    document = Document()
    triangle(document)
    document.root.update(nodes=[{"mesh": 0, "children": [1]}, {"name": "J_Hips", "children": [2]}, {"name": "J_Spine"}], scenes=[{"nodes": [0]}],
                         extensionsUsed=["VRMC_vrm"], extensions={"VRMC_vrm": {"specVersion": "1.0", "humanoid": {"humanBones": {
                             "spine": {"node": 2}, "hips": {"node": 1}}}}})
    text = document.text().encode()
    text += b" " * (-len(text) % 4)
    (tmp_path / "hero.vrm").write_bytes(struct.pack("<4sIIII", b"glTF", 2, 20 + len(text), len(text), 0x4e4f534a) + text)
    server = start("--render-workers", "0", root=tmp_path)
    model = server.json("/v1/model", model="hero.vrm")
    assert model["humanoid"] == {"hips": 1, "spine": 2} and model["format"] == "GLB 2.0"
    assert [m["model"] for m in server.json("/v1/models")["models"]] == ["hero.vrm"]
    (tmp_path / "hero.vrm").write_bytes(b"no GLB")
    assert json.loads(server.get("/v1/model?model=hero.vrm").body)["error"]["code"] == "not_a_model"
