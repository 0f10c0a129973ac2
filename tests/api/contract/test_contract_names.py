"""Clips, skins, nodes and meshes by index and name, and model paths."""
import urllib.parse

import pytest

from contract_model import CLIPS, COMMA, DIGITS, HAND, NODES, PARENTS, SHEAR
from small_models import gltf

pytestmark = pytest.mark.short
P = "model=awkward.gltf"


def clip_of(server, query):
    answer = server.get(f"/v1/palette?{P}&{query}")
    assert answer.status == 200, answer.body
    clip = answer.json()["clip"]
    return clip and clip["index"]


@pytest.mark.parametrize("query, index", [
    ("", 0), ("clip=bend", 0), ("clip=0", 0), ("clip=3", 3), ("clip=007", 7), ("clip=7", 7), ("clip_name=7", 4),
    ("clip=late", 6), ("clip_name=late", 6), ("clip_name=", 5), ("clip=-", None),
])
def test_clip(awkward, query, index):
    assert clip_of(awkward, query) == index


def test_model_without_clips_is_at_rest(start, tmp_path):
    (tmp_path / "a.gltf").write_text(gltf(x=3))
    answer = start(root=tmp_path).json("/v1/palette", model="a.gltf", t=5)
    assert answer["clip"] is None and answer["frames"][0]["time"] == 5 and answer["frames"][0]["clip_time"] == 0


@pytest.mark.parametrize("target, status, code, candidates", [
    ("palette?clip=twin", 409, "ambiguous_name", [1, 2]),
    ("render?clip=twin", 409, "ambiguous_name", [1, 2]),
    ("palette?skin=two", 409, "ambiguous_name", [0, 3]),
    ("pose?joints=twin", 409, "ambiguous_name", [7, 8]),
    ("palette?clip=tw", 404, "clip_not_found", None),
    ("palette?clip=Bend", 404, "clip_not_found", None),
    ("palette?clip=9", 404, "clip_not_found", None),
    ("palette?clip=2147483647", 404, "clip_not_found", None),
    ("palette?clip_name=-", 404, "clip_not_found", None),
    ("mesh?clip=nothing", 404, "clip_not_found", None),
    ("palette?skin=6", 404, "skin_not_found", None),
    ("palette?skin=0,nobody", 404, "skin_not_found", None),
    ("pose?joints=11", 404, "joint_not_found", None),
    ("pose?joints=hand&joints=foot", 404, "joint_not_found", None),
    ("mesh?mesh=2", 404, "mesh_not_found", None),
    ("mesh?mesh=head", 404, "mesh_not_found", None),
    ("palette?space=mesh&mesh=0", 404, "mesh_not_found", [1, 3, 6]),
])
def test_not_found_and_ambiguous(awkward, target, status, code, candidates):
    answer = awkward.get(f"/v1/{target}&{P}")
    assert (answer.status, answer.error()) == (status, code)
    error = answer.json()["error"]
    assert set(error) == {"code", "message", "candidates"}
    assert all(set(one) == {"index", "name"} for one in error["candidates"]) and error["candidates"]
    assert candidates is None or sorted(one["index"] for one in error["candidates"]) == candidates


def test_candidates_begin_with_the_nearest_and_are_20_at_most(awkward, start, tmp_path):
    candidates = awkward.get(f"/v1/palette?{P}&clip=bendd").json()["error"]["candidates"]
    assert candidates[0] == {"index": 0, "name": "bend"}
    assert sorted(one["index"] for one in candidates) == list(range(len(CLIPS)))
    assert {one["name"] for one in candidates} == set(CLIPS)
    many = gltf().replace('"nodes": [{', '"nodes": [' + '{"name": "extra"},' * 100 + "{").replace("[0]", "[100]", 1)
    (tmp_path / "many.gltf").write_text(many)
    candidates = start(root=tmp_path).get("/v1/pose?model=many.gltf&joints=extra").json()["error"]["candidates"]
    assert len(candidates) == 20 and all(one["name"] == "extra" for one in candidates)


def test_no_candidates_in_other_errors(awkward):
    assert set(awkward.get(f"/v1/palette?{P}&wrap=x").json()["error"]) == {"code", "message"}


@pytest.mark.parametrize("query, expected", [
    ("", [0, 1, 2, 3, 4, 5]), ("skin=1", [1]), ("skin=3,0", [3, 0]), ("skin=0&skin=0,2", [0, 0, 2]), ("skin_name=3", [1]),
    ("skin=5", [5]),
])
def test_skins(awkward, query, expected):
    answer = awkward.json("/v1/palette?" + P + "&" + query)
    assert [skin["index"] for skin in answer["skins"]] == expected
    assert [len(p) for p in answer["frames"][0]["palettes"]] == [len(skin["joints"]) for skin in answer["skins"]]


def test_skins_in_order_with_names_and_joints(awkward):
    skins = awkward.json("/v1/palette?" + P)["skins"]
    assert [skin["name"] for skin in skins] == ["two", "3", None, "two", None, None]
    assert ["rigid" in skin and skin["rigid"] for skin in skins] == [False] * 4 + [True] * 2
    joints = [[joint["node"] for joint in skin["joints"]] for skin in skins]
    assert joints == [[2, 0], [0], [0, 2], [2], [3], [6]]
    assert skins[0]["joints"] == [{"node": 2, "name": "arm"}, {"node": 0, "name": "hand"}]


@pytest.mark.parametrize("query, expected", [
    ("joints=hand", [HAND]), ("joints=0,arm&joints=hand", [0, 2, 0]), ("joints=7", [7]), ("joint_name=7", [DIGITS]),
    ("joint_name=a,b%2Bc", [COMMA]), ("joint_name=", [SHEAR]), ("joints=1&joint_name=outside&joints=5", [1, 6, 5]),
])
def test_joints(awkward, query, expected):
    nodes = awkward.json(f"/v1/pose?{P}&{query}")["nodes"]
    assert [node["node"] for node in nodes] == expected
    assert [node["parent"] for node in nodes] == [PARENTS[i] for i in expected]


def test_nodes_are_the_files_own(awkward):
    """Indices, names (null is not ""), parents that come after their children, nodes outside the scene."""
    expected = [{"node": i, "name": node.get("name"), "parent": PARENTS[i]} for i, node in enumerate(NODES)]
    assert awkward.json(f"/v1/pose?{P}")["nodes"] == expected
    model = awkward.json(f"/v1/model?{P}")
    assert [{key: node[key] for key in ("node", "name", "parent")} for node in model["nodes"]] == expected
    assert [node["in_scene"] for node in model["nodes"]] == [i != 6 for i in range(len(NODES))]
    assert [node["mesh"] for node in model["nodes"]] == [node.get("mesh") for node in NODES]
    assert [node["skin"] for node in model["nodes"]] == [node.get("skin") for node in NODES]
    assert [clip["name"] for clip in model["clips"]] == CLIPS
    assert [(clip["start"], clip["duration"]) for clip in model["clips"]][6:8] == [(1, 3), (0, 0)]


def test_plus_is_a_space(start, tmp_path):
    for name in ["a b.gltf", "a+b.gltf", "é&=?#%.gltf"]:
        (tmp_path / name).write_text(gltf())
    server = start(root=tmp_path)
    assert server.get("/v1/model?model=a+b.gltf").json()["model"] == "a b.gltf"
    assert server.get("/v1/model?model=a%20b.gltf").json()["model"] == "a b.gltf"
    assert server.get("/v1/model?model=a%2Bb.gltf").json()["model"] == "a+b.gltf"
    odd = "é&=?#%.gltf"
    assert server.get("/v1/model?model=" + urllib.parse.quote(odd)).json()["model"] == odd


@pytest.mark.parametrize("path", ["", "/etc/passwd", "%2Fawkward.gltf", "..", "../awkward.gltf", "a/../awkward.gltf",
                                  "a%2F..%2Fawkward.gltf", "./awkward.gltf", "a//b.gltf", "a/", "awkward.gltf%00",
                                  "awkward.gltf%00.txt", "%ff.gltf", "%c0%ae%c0%ae/x.gltf", "a" * 4096])
def test_bad_paths(awkward, path):
    answer = awkward.get(f"/v1/model?model={path}")
    assert (answer.status, answer.error()) == (400, "bad_path")


@pytest.mark.parametrize("path", ["Awkward.gltf", "awkward.gltf/x.gltf", "nowhere/awkward.gltf", "....gltf", "a" * 300 + ".glb",
                                  "awkward.gltf%20", "%0a.gltf", "~/.gltf", "%5c..%5cawkward.gltf"])
def test_paths_of_nothing(awkward, path):
    answer = awkward.get(f"/v1/model?model={path}")
    assert answer.status in (404, 415), answer.body
    answer.error()
