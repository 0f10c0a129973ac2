"""Constraints of nodes (VRMC_node_constraint) at every pose, against the specification in Python. tests/web compares with three-vrm."""
import json

import numpy as np
import pytest

from constraint_files import TIMES, Rig, constraint, glb, many, poses
from importers import NO_RENDERING

NEAR = 2e-5  # of the rig, whose size is about 1


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


def test_palettes_meshes_bounds_rays_and_crowds_have_them(start, tmp_path, rig):
    server = start(*NO_RENDERING, root=tmp_path)
    expected = poses(rig)
    at = {"model": "many.glb", "clip": 0, "t": AT, "wrap": "clamp"}
    palette = np.array([frame["skins"][0] if "skins" in frame else frame["palettes"][0] for frame in server.json("/v1/palette", **at)["frames"]])
    assert np.abs(palette.reshape(len(TIMES), -1, 4, 4).transpose(0, 1, 3, 2) - expected).max() < NEAR
    corners = np.array([(0, 0, 0, 1), (0.05, 0.01, 0.1, 1), (-0.04, 0.08, 0.02, 1)])
    vertices = np.einsum("fnij,cj->fnci", expected, corners)[..., :3]
    mesh = np.array([frame["positions"][0] for frame in server.json("/v1/mesh", **at)["frames"]]).reshape(vertices.shape)
    assert np.abs(mesh - vertices).max() < NEAR
    bounds = server.json("/v1/bounds", **at)["frames"]
    for frame, points in zip(bounds, vertices):
        assert np.allclose([frame["min"], frame["max"]], [points.min((0, 1)), points.max((0, 1))], atol=NEAR)
