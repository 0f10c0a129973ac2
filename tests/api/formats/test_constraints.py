"""Constraints of nodes (VRMC_node_constraint) at every pose, against the specification in Python. tests/web compares with three-vrm."""
import json

import numpy as np
import pytest

import crowds
from constraint_files import TIMES, Pose, Rig, constraint, glb, many, poses, slerp
from importers import NO_RENDERING

NEAR = 2e-5  # of the rig, whose size is about 1
CORNERS = np.array([(0, 0, 0, 1), (0.05, 0.01, 0.1, 1), (-0.04, 0.08, 0.02, 1)])  # of the triangle of each node


@pytest.fixture
def rig(tmp_path):
    made = many()
    (tmp_path / "many.glb").write_bytes(glb(made.document()))
    return made


def scene_of(server, **query):
    frames = server.json("/v1/pose", **query)["frames"]
    return np.array([frame["scene"] for frame in frames]).reshape(len(frames), -1, 4, 4).transpose(0, 1, 3, 2)


AT = ",".join(map(str, TIMES))


def test_all_kinds_axes_and_weights_are_as_specified(start, tmp_path, rig):
    server = start(*NO_RENDERING, root=tmp_path)
    expected = poses(rig)
    scene = scene_of(server, model="many.glb", clip=0, t=AT, wrap="clamp")
    assert np.abs(scene[:, :len(rig.parents)] - expected).max() < NEAR
    assert np.abs(expected - expected[:1]).max() > 0.5
    rest = scene_of(server, model="many.glb", clip="-", t=0)
    assert np.abs(rest[:, :len(rig.parents)] - poses(rig, [None])).max() < NEAR
    info = server.json("/v1/model", model="many.glb")
    assert info["clips"][0]["evaluation"] == "exact" and info["warnings"] == []
    assert len(info["constraints"]) == sum("extensions" in node for node in rig.nodes)
    named = {rig.nodes[one["node"]]["name"]: one for one in info["constraints"]}
    assert named["roll Y 0.3"] == {"node": named["roll Y 0.3"]["node"], "kind": "roll", "source": 2, "axis": "y", "weight": pytest.approx(0.3)}
    assert named["aim NegativeZ 1"]["axis"] == "-z" and "axis" not in named["no weight"] and named["no weight"]["weight"] == 1
    order = [rig.nodes[one["node"]]["name"] for one in info["constraints"]]
    assert order.index("A") < order.index("B") < order.index("C") > order.index("D")


def test_palettes_meshes_and_bounds_have_them(start, tmp_path, rig):
    server = start(*NO_RENDERING, root=tmp_path)
    expected = poses(rig)
    at = {"model": "many.glb", "clip": 0, "t": AT, "wrap": "clamp"}
    palette = np.array([frame["palettes"][0] for frame in server.json("/v1/palette", **at)["frames"]])
    assert np.abs(palette.reshape(len(TIMES), -1, 4, 4).transpose(0, 1, 3, 2) - expected).max() < NEAR
    vertices = np.einsum("fnij,cj->fnci", expected, CORNERS)[..., :3]
    mesh = np.array([frame["positions"][0] for frame in server.json("/v1/mesh", **at)["frames"]]).reshape(vertices.shape)
    assert np.abs(mesh - vertices).max() < NEAR
    bounds = server.json("/v1/bounds", **at)["frames"]
    for frame, points in zip(bounds, vertices):
        assert np.allclose([frame["bounds"]["min"], frame["bounds"]["max"]], [points.min((0, 1)), points.max((0, 1))], atol=NEAR)


def ask(server, path, body):
    data = json.dumps(body).encode()
    with server.connect() as connection:
        connection.send(f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(data)}\r\n\r\n".encode() + data)
        answer = connection.answer()
    assert answer.status == 200, answer.body
    return answer.json()


def test_crowds_and_rays_have_them(start, tmp_path, rig):
    server = start(*NO_RENDERING, root=tmp_path)
    expected = poses(rig)
    crowd = crowds.Crowd()
    crowd.model("many.glb")
    crowd.wanted()
    for time in TIMES * 3:  # enough for a group
        crowd.entity([{"clip": 0, "time_s": time, "weight": 1, "wrap": 1}])
    answer = crowds.Answer(crowds.post(server, crowd.bytes()).body)
    assert len(answer.floats) == 12 and answer.errors == {}
    for i, floats in enumerate(answer.floats):
        palette = np.frombuffer(floats, np.float32).reshape(len(rig.parents), -1)
        wanted = expected[i % 4][:, :3] if palette.shape[1] == 12 else expected[i % 4].transpose(0, 2, 1)
        assert np.abs(palette - wanted.reshape(palette.shape)).max() < NEAR
    node = next(n for n, one in enumerate(rig.nodes) if one["name"] == "aim NegativeZ 1")
    corners = [(expected[2, node] @ corner)[:3] for corner in CORNERS]
    middle, normal = np.mean(corners, 0), np.cross(corners[1] - corners[0], corners[2] - corners[0])
    normal /= np.linalg.norm(normal)
    hits = ask(server, "/v1/raycast", {
        "test": "mesh", "hits": "all", "entities": [{"model": "many.glb", "clip": 0, "t": TIMES[2]}],
        "rays": [{"origin": list(middle + 0.01 * normal), "direction": list(-normal), "max": 0.02}]})["hits"]
    hit = next(one for one in hits if one["triangle"] == node)
    assert np.abs(np.array(hit["point"]) - middle).max() < NEAR


def test_blends_are_constrained_after_they_are_blended(start, tmp_path, rig):
    server = start(*NO_RENDERING, root=tmp_path)
    rotations = {n: node["rotation"] for n, node in enumerate(rig.nodes[:len(rig.parents)])}
    translations = {n: node["translation"] for n, node in enumerate(rig.nodes[:len(rig.parents)])}
    for (node, path), rows in rig.keys.items():
        if path == "rotation":
            rotations[node] = slerp(rotations[node], rows[2], 0.25)
        else:
            translations[node] = 0.75 * np.array(translations[node]) + 0.25 * np.array(rows[2])
    pose = Pose(rig, rotations, translations)
    frames = ask(server, "/v1/pose", {"model": "many.glb", "layers": [{"clip": 0, "t": TIMES[2], "weight": 0.25}, {"clip": "-", "weight": 0.75}]})["frames"]
    scene = np.array(frames[0]["scene"]).reshape(-1, 4, 4).transpose(0, 2, 1)
    assert np.abs(scene[:len(rig.parents)] - [pose.scene(n) for n in range(len(rig.parents))]).max() < NEAR


def exported(server, tmp_path, query):
    """The scene matrices by name, of the model that the exported file makes."""
    answer = server.get(f"/v1/export?model=many.glb{query}")
    assert answer.status == 200, answer.body
    name = f"made{len(list(tmp_path.iterdir()))}.glb"
    (tmp_path / name).write_bytes(answer.body)
    info = server.json("/v1/model", model=name)
    scene = scene_of(server, model=name, clip=0, t=AT, wrap="clamp")
    return info, {node["name"]: scene[:, n] for n, node in enumerate(info["nodes"]) if node["name"]}


@pytest.mark.parametrize("query, near", (("", NEAR), ("&optimize=1", 2e-4), ("&fps=60", 2e-3), ("&compress=meshopt", NEAR)))
def test_exported_files_have_the_constraints_and_the_poses(start, tmp_path, rig, query, near):
    server = start(*NO_RENDERING, root=tmp_path)
    info, scene = exported(server, tmp_path, query)
    expected = poses(rig)
    assert len(info["constraints"]) == len(server.json("/v1/model", model="many.glb")["constraints"])
    for n, node in enumerate(rig.nodes[:len(rig.parents)]):
        assert np.abs(scene[node["name"]] - expected[:, n]).max() < near, node["name"]


def test_a_subtree_brings_what_its_constraints_need(start, tmp_path, rig):
    """The joints of a skin stay, so these files have none."""
    writer = rig.document()
    rig.nodes[:] = rig.nodes[:len(rig.parents)]
    writer.document.pop("skins"), writer.document.pop("meshes")
    writer.document.update(nodes=rig.nodes, scenes=[{"nodes": [n for n, parent in enumerate(rig.parents) if parent is None]}])
    (tmp_path / "many.glb").write_bytes(glb(writer))
    server = start(*NO_RENDERING, root=tmp_path)
    expected, names = poses(rig), [node["name"] for node in rig.nodes]
    for top, brings in (("roll X 1", {"top", "arm", "hand"}), ("C", {"top", "arm", "hand", "tip", "A", "B", "D", "E"}), ("below", {"aim of a root", "tip", "hand", "arm", "top"})):
        info, scene = exported(server, tmp_path, "&subtree=" + top.replace(" ", "%20"))
        assert scene.keys() == brings | {top}, top
        for name in scene:
            assert np.abs(scene[name] - expected[:, names.index(name)]).max() < NEAR, (top, name)
