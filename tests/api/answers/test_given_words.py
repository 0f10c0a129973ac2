"""The words of given poses: names, indices and roles of nodes, lists and objects, orders of degrees, what is relative to rest; morph targets
and expressions of VRM 0 and 1, by the vertices that they move."""
import math

import numpy as np
import pytest

import vrm_files
from conftest import SAMPLES, Server
from given_mixtures import FACE, RIG, faced
from humans import about, product
from raw_requests import post

DRAWS = False
NAMES = ["A", "B", "C", "D"]
ORDERS = "xyz", "xzy", "yxz", "yzx", "zxy", "zyx"
AXES = {"x": (1, 0, 0), "y": (0, 1, 0), "z": (0, 0, 1)}


def named(document):
    """Names for the morph targets, and a node whose name is a role that another one has."""
    document["meshes"][1]["extras"] = {"targetNames": NAMES}
    for node in document["nodes"]:
        node["name"] = "jaw" if node["name"] == "face" else node["name"]


def unnamed(document):
    """The mask's target has no name, and a skin's is called as the index of the other one."""
    del document["meshes"][1]["extras"]
    document["meshes"][0]["extras"]["targetNames"] = ["", "0"]


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    root = tmp_path_factory.mktemp("words")
    (root / "faced.glb").write_bytes(faced())
    (root / "unnamed.glb").write_bytes(vrm_files.edited(faced(), unnamed))
    (root / "robot.glb").write_bytes((SAMPLES / "robot.glb").read_bytes())
    for name in "turned.vrm", "old.vrm":
        (root / name).write_bytes(vrm_files.edited(vrm_files.model(name), named))
    (root / "called.vrm").write_bytes(vrm_files.edited(vrm_files.model("turned.vrm"), lambda document: document["nodes"][-1].update(name="head")))
    running = Server(root, "--tcp", "127.0.0.1:0", "--log", "off", draws=False)
    yield running
    running.end()


def asked(server, op, model, pose, layers=(), **layer):
    answer = post(server, f"/v1/{op}", {"model": model, "layers": [*layers, {"pose": pose, **layer}], **({"what": "local"} if op == "pose" else {})})
    assert answer.status == 200, answer.body
    return answer.json()


def local(server, model, pose, node, **layer):
    """Translation, rotation, scale of one node."""
    answer = asked(server, "pose", model, pose, **layer)
    row, = [row for one, row in zip(answer["nodes"], answer["frames"][0]["local"]) if one["name"] == node]
    return np.array(row[:3]), np.array(row[3:7]), np.array(row[7:])


def is_rotation(got, expected):
    return min(np.abs(got - expected).max(), np.abs(got + np.array(expected)).max()) < 2e-7


# --- nodes ---

def test_forms_of_the_same_pose(server):
    turn, place = list(about((1, 2, 3), 0.7)), [0.1, 1.2, -0.3]
    frames = [asked(server, "pose", "faced.glb", pose)["frames"] for pose in (
        {"nodes": {"hip": {"rotation": turn, "translation": place}, "toe": {"scale": [1, 2, 0.5]}}},
        {"nodes": ["hip", "toe"], "rotation": [turn, None], "translation": [place, None], "scale": [None, [1, 2, 0.5]]},
        {"nodes": [3, 1], "rotation": [None, turn], "translation": [None, place], "scale": [[1, 2, 0.5], None]},
        {"nodes": [{"node": 1, "name": "hip", "parent": 0}, {"node": 3}], "rotation": [turn, None], "translation": [place, None],
         "scale": [None, [1, 2, 0.5]]},
        {"nodes": ["hip", "toe"], "frames": [{"rotation": [turn, None], "translation": [place, None], "scale": [None, [1, 2, 0.5]]}]},
        {"nodes": {"hip": {"rotation": [-3 * x for x in turn], "translation": place}, "toe": {"scale": [1, 2, 0.5]}}})]
    assert all(np.allclose(np.abs(one[0]["local"]), np.abs(frames[0][0]["local"]), atol=2e-7, rtol=0) for one in frames)
    assert all(one == frames[0] for one in frames[:5])
    rest = server.json("/v1/pose", model="faced.glb", what="local")["frames"][0]["local"]
    assert [i for i, row in enumerate(rest) if row != frames[0][0]["local"][i]] == [1, 3]


def test_whole_transforms_by_name(server):
    row = [0.1, 0.2, 0.3, *about((0, 1, 1), 1.1), 2, 0.5, 1]
    got = np.concatenate(local(server, "faced.glb", {"nodes": {"knee": {"local": row}}}, "knee"))
    assert np.allclose(got, row, atol=2e-7)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("relative", [None, "parent", "rest"])
def test_degrees_turn_about_the_axes_in_their_order(server, order, relative):
    degrees = [20, -130, 75]
    turn = (0, 0, 0, 1)
    for letter in order:
        turn = product(turn, about(AXES[letter], math.radians(degrees["xyz".index(letter)])))
    expected = product(RIG["hip"][1]["rotation"], turn) if relative == "rest" else turn
    pose = {"nodes": {"hip": {"degrees": degrees}}, "order": order, **({"relative_to": relative} if relative else {})}
    assert is_rotation(local(server, "faced.glb", pose, "hip")[1], expected)
    listed = {"nodes": ["hip"], "frames": [{"degrees": [degrees]}], "order": order, **({"relative_to": relative} if relative else {})}
    assert is_rotation(local(server, "faced.glb", listed, "hip")[1], expected)


def test_what_is_relative_to_rest(server):
    place, turn, scale = [0.5, -0.25, 1], about((3, -1, 2), 0.8), [2, 0.5, 3]
    pose = {"nodes": {"hip": {"translation": place, "rotation": list(turn), "scale": scale}}, "relative_to": "rest"}
    got = local(server, "faced.glb", pose, "hip")
    assert np.allclose(got[0], np.array(RIG["hip"][1]["translation"]) + place, atol=1e-6)
    assert is_rotation(got[1], product(RIG["hip"][1]["rotation"], turn))
    assert np.allclose(got[2], np.array(RIG["hip"][1]["scale"]) * scale, atol=1e-6)
    still = {"nodes": {"hip": {"translation": [0, 0, 0], "degrees": [0, 0, 0], "scale": [1, 1, 1]}}, "relative_to": "rest"}
    assert asked(server, "pose", "faced.glb", still)["frames"][0]["local"] == server.json("/v1/pose", model="faced.glb", clip="-", what="local")["frames"][0]["local"]


def test_roles_of_a_human(server):
    for model in "turned.vrm", "old.vrm":
        poses = [{"nodes": {name: {"degrees": [0, 30, 70]}}, "relative_to": "rest"} for name in ("leftUpperArm", "J_leftUpperArm")]
        a, b = (asked(server, "mesh", model, pose)["frames"][0]["positions"] for pose in poses)
        assert a == b != server.json("/v1/mesh", model=model)["frames"][0]["positions"]
        assert asked(server, "pose", model, {"nodes": ["hips", "head"], "degrees": [[0, 9, 0], [9, 0, 0]]})["frames"] == \
            asked(server, "pose", model, {"nodes": ["J_head", "J_hips"], "degrees": [[9, 0, 0], [0, 9, 0]]})["frames"]


def test_a_name_comes_before_a_role(server):
    """The node of the face is called 'head' there."""
    answer = asked(server, "pose", "called.vrm", {"nodes": {"head": {"translation": [7, 8, 9]}}})
    found = {one["name"]: row[:3] for one, row in zip(answer["nodes"], answer["frames"][0]["local"])}
    assert found["head"] == [7, 8, 9] != found["J_head"]


def test_masks_of_a_pose(server):
    pose = {"nodes": {"hip": {"translation": [9, 9, 9]}, "knee": {"translation": [8, 8, 8]}, "toe": {"translation": [7, 7, 7]}}}
    for mask, moved in (({"joints": ["hip"]}, {"hip"}), ({"subtree": "knee"}, {"knee", "toe"}), ({"except": "knee"}, {"hip"}),
                        ({"subtree": "hip", "except": "toe"}, {"hip", "knee"})):
        answer = asked(server, "pose", "faced.glb", pose, **mask)
        far = {one["name"] for one, row in zip(answer["nodes"], answer["frames"][0]["local"]) if row[0] >= 7}
        assert far == moved, mask


# --- morph targets and expressions ---

def offsets(server, model, pose, mesh, layers=(), **layer):
    """How far the vertices of a mesh of a node have moved from those of the rest pose."""
    answer = asked(server, "mesh", model, pose, layers, **layer)
    at = next(i for i, one in enumerate(answer["meshes"]) if one["node"] == mesh)
    rest = server.json("/v1/mesh", model=model, clip="-")["frames"][0]["positions"][at]
    return np.array(answer["frames"][0]["positions"][at]).reshape(-1, 3) - np.array(rest).reshape(-1, 3)


def node_of(server, model, name):
    return next(node["node"] for node in server.json("/v1/model", model=model)["nodes"] if node["name"] == name)


def sums(moved):
    """Of the face of vrm_files, whose target t moves vertex v by (0.01 (t + 1), 0, 0.02 v): the sum of the weights, and that of them times t + 1."""
    assert np.allclose(moved[:, 1], 0, atol=1e-6)
    return moved[1, 2] / 0.02, moved[0, 0] / 0.01


def expected(weights):
    """The morph weights of these expressions (VRMC_vrm-1.0/expressions.md)."""
    shown = {name: min(1, max(0, weights.get(name, 0))) for name in vrm_files.BINDS}
    shown["wink"] = float(shown["wink"] > 0.5)
    return shown


@pytest.mark.parametrize("model", ["turned.vrm", "old.vrm"])
@pytest.mark.parametrize("weights", [
    {"happy": 0.5}, {"aa": 1}, {"blink": 0.75}, {"wink": 0.5}, {"wink": 0.51}, {"happy": 1, "blink": 1, "aa": 1}, {"happy": 0.25, "blink": 0.5},
    {"happy": 0.01, "aa": 0.7}, {"aa": 3, "blink": -2}, {"lookLeft": 0.5, "lookDown": 1, "happy": 1}, {"happy": 0, "aa": 0.5, "blink": 0.5}])
def test_expressions_are_cut_overridden_and_summed(server, model, weights):
    shown = expected(weights)
    if model == "turned.vrm":  # VRM 0 has no overrides
        shown["blink"] *= 1 - shown["happy"]
        shown["aa"] *= 0 if shown["happy"] > 0 else 1
    morphs = [0, 0, 0, 0]
    for name, binds in vrm_files.BINDS.items():
        for target, weight in binds:
            morphs[target] += weight * shown[name]
    face = node_of(server, model, "jaw")
    for pose in {"expressions": weights}, {"expressions": list(weights), "frames": [{"expressions": list(weights.values())}]}:
        got = sums(offsets(server, model, pose, face))
        assert np.allclose(got, (sum(morphs), sum(w * (t + 1) for t, w in enumerate(morphs))), atol=1e-4), (got, morphs)


def test_expressions_and_clips(server):
    """What is given replaces what the clip has of the same targets; others stay."""
    face = node_of(server, "turned.vrm", "jaw")
    beneath = [{"pose": {"morphs": {"A": 0.5, "B": 0.25, "D": 1}}}]
    assert np.allclose(sums(offsets(server, "turned.vrm", {"expressions": {"happy": 0}}, face, beneath)), (1.25, 0.5 + 4), atol=1e-4)
    assert np.allclose(sums(offsets(server, "turned.vrm", {"expressions": {"blink": 1}}, face, beneath)), (0.5 + 0.5 + 0.25 + 1, 0.5 + 2 * 0.5 + 3 * 0.25 + 4), atol=1e-4)
    half = offsets(server, "turned.vrm", {"expressions": {"happy": 1}}, face, beneath, weight=0.5)
    assert np.allclose(sums(half), (0.75 + 0.25 + 1, 0.75 + 0.5 + 4), atol=1e-4)
    added = offsets(server, "turned.vrm", {"expressions": {"happy": 1}}, face, beneath, weight=0.5, mode="additive")
    assert np.allclose(sums(added), (1 + 0.25 + 1, 1 + 0.5 + 4), atol=1e-4)


def test_a_target_that_is_given_is_not_moved_by_expressions(server):
    face = node_of(server, "turned.vrm", "jaw")
    got = sums(offsets(server, "turned.vrm", {"morphs": {"B": 0.125}, "expressions": {"blink": 1}}, face))
    assert np.allclose(got, (0.125 + 0.25, 2 * 0.125 + 3 * 0.25), atol=1e-4)


def test_targets_of_one_mesh_or_of_all(server):
    skin, paper = node_of(server, "faced.glb", "body"), node_of(server, "faced.glb", "mask")
    everywhere, one = {"morphs": {"smile": 0.9}}, {"morphs": [{"target": "smile", "mesh": "skin"}], "frames": [{"morphs": [0.9]}]}
    by_node = {"morphs": [{"target": "smile", "mesh": "body"}], "frames": [{"morphs": [0.9]}]}
    assert np.abs(offsets(server, "faced.glb", everywhere, paper)).max() > 0.1
    assert np.abs(offsets(server, "faced.glb", one, paper)).max() == 0
    for pose in one, by_node:
        assert (offsets(server, "faced.glb", pose, skin) == offsets(server, "faced.glb", everywhere, skin)).all()
    # 0.8 more than at rest, of what the skin's joints make of the target's offsets
    some, twice = (offsets(server, "faced.glb", {"morphs": {"smile": 0.1 + w}}, skin) for w in (0.4, 0.8))
    assert np.allclose(twice, 2 * some, atol=1e-5) and np.abs(some).max() > 0.05
    assert list(FACE) == ["smile", "frown"]


def test_targets_without_a_name_have_that_of_their_index(server):
    skin, paper = node_of(server, "unnamed.glb", "body"), node_of(server, "unnamed.glb", "mask")
    same = lambda pose, other: all((offsets(server, "unnamed.glb", pose, node) == offsets(server, "faced.glb", other, node)).all() for node in (skin, paper))
    of_mesh = lambda mesh, target: {"morphs": [{"target": target, "mesh": mesh}], "frames": [{"morphs": [0.9]}]}
    assert same({"morphs": {"0": 0.9}}, {"morphs": {"smile": 0.9, "frown": 0.9}})
    assert same(of_mesh("paper", "0"), of_mesh("paper", "smile")) and np.abs(offsets(server, "unnamed.glb", of_mesh("paper", "0"), paper)).max() > 0.1
    short, plain = server.get("/v1/mesh?model=unnamed.glb&morph=0:0.9"), server.get("/v1/mesh?model=faced.glb&morph=smile:0.9&morph=frown:0.9")
    assert short.json()["frames"][0]["positions"] == plain.json()["frames"][0]["positions"]
    for wrong in "1", "00", "+0", "0x0", "4294967296", "-1":
        answer = post(server, "/v1/pose", {"model": "unnamed.glb", "layers": [{"pose": {"morphs": {wrong: 0.5}}}]})
        assert (answer.status, answer.error()) == (404, "morph_not_found"), wrong
    assert post(server, "/v1/pose", {"model": "faced.glb", "layers": [{"pose": {"morphs": {"0": 0.5}}}]}).error() == "morph_not_found"


def test_frames_of_weights_are_linear_between_their_times(server):
    face = node_of(server, "turned.vrm", "jaw")
    pose = {"morphs": ["A"], "frames": [{"time": 0.5, "morphs": [0]}, {"time": 1.5, "morphs": [1]}, {"time": 2, "morphs": [0]}]}
    for t, weight in ((0, 0), (0.5, 0), (1, 0.5), (1.25, 0.75), (1.75, 0.5), (9, 0)):
        got = sums(offsets(server, "turned.vrm", pose, face, t=t, wrap="clamp"))
        assert np.allclose(got, (weight, weight), atol=1e-4), (t, got)
    got = sums(offsets(server, "turned.vrm", {"expressions": ["aa"], "rate": 2, "frames": [{"expressions": [w]} for w in (0, 1, 0.5)]}, face, t=0.75, wrap="clamp"))
    assert np.allclose(got, (0.75, 2.25), atol=1e-4)
