"""weights=1 of /v1/mesh: the data that an engine skins with, tested by skinning with it."""
import json

import numpy as np
import pytest

from conftest import SAMPLES
from importers import NO_RENDERING
from rigs import CLIPS, character

DRAWS = False

pytestmark = pytest.mark.short


@pytest.fixture
def root(tmp_path):
    (tmp_path / "rig.gltf").write_text(character(CLIPS))
    document = json.loads(character(CLIPS))
    del document["meshes"][0]["primitives"][0]["attributes"]["JOINTS_0"]
    del document["meshes"][0]["primitives"][0]["attributes"]["WEIGHTS_0"]
    (tmp_path / "free.gltf").write_text(json.dumps(document))
    for name in ("robot.glb", "dragon.glb"):
        (tmp_path / name).write_bytes((SAMPLES / name).read_bytes())
    return tmp_path


def skinned(rest, firsts, joints, weights, palette):
    """The weighted sum over the joints of every vertex (protocol/answers.md)."""
    point = np.concatenate([rest, np.ones((len(rest), 1))], axis=1)
    out = np.zeros((len(rest), 3))
    for vertex in range(len(rest)):
        for at in range(firsts[vertex], firsts[vertex + 1]):
            out[vertex] += weights[at] * (palette[joints[at]] @ point[vertex])[:3]
    return out


@pytest.mark.parametrize("model, clip", [("rig.gltf", "run"), ("robot.glb", "walk"), ("free.gltf", "run")])
def test_vertices_are_where_these_weights_put_them(start, root, model, clip):
    server = start(*NO_RENDERING, root=root)
    answer = server.get(f"/v1/mesh?model={model}&clip={clip}&t=0.3&rest=1&weights=1").json()
    pose = server.get(f"/v1/pose?model={model}&clip={clip}&t=0.3").json()["frames"][0]["scene"]
    skins = {skin["index"]: skin for skin in answer["skins"]}
    assert sorted(skins) == sorted({entry["skin"] for entry in answer["meshes"]})
    for entry, rest, moved, positions in zip(answer["meshes"], answer["rest"], answer["influences"], answer["frames"][0]["positions"],
                                             strict=True):
        skin = skins[entry["skin"]]
        palette = [np.reshape(pose[joint["node"]], (4, 4)).T @ np.reshape(bind, (4, 4)).T
                   for joint, bind in zip(skin["joints"], skin["joint_from_bind"], strict=True)]
        firsts, joints, weights = moved["firsts"], moved["joints"], moved["weights"]
        assert firsts[0] == 0 and firsts[-1] == len(joints) == len(weights) and len(firsts) == entry["vertices"] + 1
        assert all(one < other for one, other in zip(firsts, firsts[1:])), "no vertex is without"
        found = skinned(np.reshape(rest, (-1, 3)), firsts, joints, weights, palette)
        np.testing.assert_allclose(np.reshape(positions, (-1, 3)), found, atol=2e-5)


def test_refused(start, root):
    server = start(*NO_RENDERING, "--max-answer", "100000", root=root)
    refused = server.get("/v1/mesh?model=robot.glb&format=glb&weights=1")
    assert refused.error() == "bad_parameter" and "'weights'" in refused.json()["error"]["message"]
    assert server.get("/v1/pose?model=robot.glb&weights=1").error() == "unknown_parameter"
    for form in ("json", "bin"):
        assert server.get(f"/v1/mesh?model=robot.glb&format={form}&weights=1").error() == "too_many_frames"
