"""Expressions and gaze of VRM files in /v1/model, and VRM animations that move them. tests/web compares the vertices with three-vrm."""
import json

import numpy as np
import pytest

from constraint_files import human
from humans import A, Human
from importers import NO_RENDERING
from posectl import posectl
from vrm_files import BINARY, BINDS, GAZE, TALL, TIMES, TURNED, WEIGHTS, edited, model, motion

WILD = {**WEIGHTS, "blink": [1, 0.25, 3, 1.5], "aa": [0.5, 0.5, -1, 1], "happy": [0, 0.25, 0, 0]}
PARTS = {"blink": "blink", "aa": "mouth", "lookLeft": "gaze", "lookRight": "gaze", "lookUp": "gaze", "lookDown": "gaze"}


@pytest.fixture
def root(tmp_path):
    (tmp_path / "hero.vrm").write_bytes(model("turned.vrm"))
    (tmp_path / "old.vrm").write_bytes(model("old.vrm"))
    (tmp_path / "looking.vrm").write_bytes(model("looking.vrm", "expression"))
    (tmp_path / "move.vrma").write_bytes(motion(turned=TURNED))
    return tmp_path


def by_name(answer):
    return {one["name"]: one for one in answer["expressions"]}


def test_a_model_names_its_expressions(start, root):
    server = start(*NO_RENDERING, root=root)
    hero = server.json("/v1/model", model="hero.vrm")
    face = next(node["node"] for node in hero["nodes"] if node["name"] == "face")
    assert [one["name"] for one in hero["expressions"]] == sorted(BINDS)
    assert by_name(hero)["happy"] == {
        "name": "happy", "preset": True, "binary": False, "override_mouth": "block", "override_blink": "blend", "override_look_at": "none",
        "binds": [{"kind": "morph", "node": face, "index": 0, "weight": 1},
                  {"kind": "color", "material": 0, "property": "emission_color", "value": [1, 0.5, 0, 1]},
                  {"kind": "texture_transform", "material": 0, "scale": [2, 1], "offset": [0.25, 0]}]}
    assert by_name(hero)["wink"]["binary"] and not by_name(hero)["wink"]["preset"]
    assert hero["look_at"] == {"kind": "bone", "offset": [0, 0.06, 0.05], "inner": {"most_deg": 90, "output": 12},
                               "outer": {"most_deg": 60, "output": 20}, "down": {"most_deg": 80, "output": 15}, "up": {"most_deg": 80, "output": 15}}
    old = server.json("/v1/model", model="old.vrm")
    assert {name: (one["preset"], one["binary"]) for name, one in by_name(old).items()} == {
        name: (name != "wink", name == BINARY) for name in BINDS}
    face = next(node["node"] for node in old["nodes"] if node["name"] == "face")
    assert by_name(old)["happy"]["binds"] == [
        {"kind": "morph", "node": face, "index": 0, "weight": 1}, {"kind": "color", "material": 0, "property": "color", "value": [1, 0, 0, 1]},
        {"kind": "texture_transform", "material": 0, "scale": [1, 0.5], "offset": [0, 0.25]}]
    moves = server.json("/v1/model", model="move.vrma")
    assert moves["nodes"][by_name(moves)["blink"]["node"]]["name"] == "blink" and moves["humanoid"]["hips"] == 1
    assert moves["nodes"][moves["look_at"]["node"]]["name"] == "look" and [w["code"] for w in moves["warnings"]] == []


def expected(weights, yaw, pitch):
    """The sums of the morph weights, as VRMC_vrm-1.0/expressions.md and lookAt.md have them."""
    shown = {name: min(1, max(0, weights.get(name, 0))) for name in BINDS}
    shown.update(lookLeft=min(max(yaw, 0), 60) / 60 * 2, lookRight=min(max(-yaw, 0), 60) / 60 * 2,
                 lookDown=min(max(pitch, 0), 80) / 80 * 1.5, lookUp=min(max(-pitch, 0), 80) / 80 * 1.5)
    shown = {name: min(1, weight) for name, weight in shown.items()}
    shown[BINARY] = float(shown[BINARY] > 0.5)
    kept = {"blink": 1 - shown["happy"], "mouth": 0 if shown["happy"] > 0 else 1, "gaze": 1}
    sums = [0, 0, 0, 0]
    for name, binds in BINDS.items():
        for target, weight in binds:
            sums[target] += weight * shown[name] * kept.get(PARTS.get(name), 1)
    return sums


def weights_of(server, query):
    """The morph weights of the face at each time, from its vertices: each target moves the second corner by its own amount."""
    meshes = server.json("/v1/mesh", model="looking.vrm", t=",".join(map(str, TIMES)), wrap="clamp", **query)
    nodes = server.json("/v1/model", model="looking.vrm")["nodes"]
    at = next(i for i, mesh in enumerate(meshes["meshes"]) if nodes[mesh["node"]]["name"] == "face")
    return np.array([frame["positions"][at] for frame in meshes["frames"]]).reshape(len(TIMES), 3, 3)


def test_weights_are_cut_overridden_and_summed(start, root):
    (root / "wild.vrma").write_bytes(motion(weights=WILD))
    server = start(*NO_RENDERING, root=root)
    points = weights_of(server, {"clip_file": "wild.vrma", "retarget": "rest", "clip": 0})
    for k in range(len(TIMES)):
        sums = expected({name: values[k] for name, values in WILD.items()}, *GAZE[k])
        moved = points[k] - np.array([(0, 1.7, 0.1), (0.1, 1.8, 0.1), (-0.1, 1.8, 0.12)])
        assert np.allclose(moved[:, 0], sum(0.01 * (t + 1) * weight for t, weight in enumerate(sums)), atol=1e-6), (k, sums)
        assert np.allclose(moved[1, 2], 0.02 * sum(sums), atol=1e-6), (k, sums)


def test_a_face_alone_moves_expressions_and_the_eyes(start, root):
    (root / "face.vrma").write_bytes(motion(has_bones=False))
    (root / "plain.gltf").write_text(Human(A).write())
    server = start(*NO_RENDERING, root=root)
    at = {"clip": 0, "retarget": "rest"}
    assert np.array_equal(weights_of(server, {**at, "clip_file": "face.vrma"}), weights_of(server, {**at, "clip_file": "move.vrma"}))
    nodes = server.json("/v1/model", model="hero.vrm")["nodes"]
    local = {clip: np.array(server.json("/v1/pose", model="hero.vrm", what="local", t=0.5, **({"clip_file": clip, **at} if clip else {"clip": "-"}))
                            ["frames"][0]["local"]) for clip in ("face.vrma", "move.vrma", "")}
    for node, face, move, rest in zip(nodes, *local.values()):
        expected = move if node["name"] in ("leftEye", "rightEye") else rest
        assert np.allclose(face, expected, atol=1e-6), node["name"]
    assert not np.allclose(local["face.vrma"], local[""], atol=0.01)
    told = server.json("/v1/pose", model="hero.vrm", t=0.5, clip_file="face.vrma", **at)["clip_file"]
    assert [one["code"] for one in told["warnings"] if "unmatched" in one["code"]] == ["expressions_unmatched"] and told["retarget"]["scale"] == 1
    refused = server.get("/v1/pose?model=plain.gltf&clip_file=face.vrma&retarget=rest&clip=0&t=0")
    assert refused.error() == "clip_no_match"
    for query, code in (("clip_map=unreal", "humanoid_incomplete"), ("clip_bones=hips=none", "joint_not_found")):  # these ask for a human
        assert server.get(f"/v1/pose?model=hero.vrm&clip_file=face.vrma&retarget=rest&clip=0&t=0&{query}").error() == code


def answer_of(server, **query):
    return server.json("/v1/pose", clip=0, t=0.5, retarget="rest", clip_file="move.vrma", **query)["clip_file"]


def test_what_does_not_fit_is_named(start, root):
    (root / "plain.gltf").write_text(Human(A).write())
    server = start(*NO_RENDERING, root=root)
    told = answer_of(server, model="hero.vrm")
    assert [(one["code"], one["message"]) for one in told["warnings"] if "unmatched" in one["code"]] == [
        ("expressions_unmatched", "'nobody' is no expression of the model")]
    assert [node["name"] for node in told["unmatched"]["nodes"]] == ["nobody"]
    counted = [int(server.get(f"/v1/pose?model={model}&clip_file=move.vrma&clip=0&retarget=rest").headers["x-posed-warnings"])
               - sum(len(server.json("/v1/model", model=one)["warnings"]) for one in (model, "move.vrma")) for model in ("hero.vrm", "plain.gltf")]
    assert counted == [len(answer_of(server, model=model)["warnings"]) for model in ("hero.vrm", "plain.gltf")]
    assert told["unmatched"]["joints"] == []
    height = {name: next(n for n in server.json("/v1/pose", model=name, t=0)["frames"][0]["scene"][1:2])[13] for name in ("hero.vrm", "move.vrma")}
    assert told["retarget"]["scale"] == pytest.approx(height["hero.vrm"] / height["move.vrma"], rel=1e-6)
    told = answer_of(server, model="plain.gltf")
    assert [one["code"] for one in told["warnings"] if "unmatched" in one["code"]] == ["expressions_unmatched", "gaze_unmatched"]
    refused = json.loads(server.get("/v1/pose?model=plain.gltf&clip_file=move.vrma&clip=0&t=0").body)["error"]
    assert refused["code"] == "clip_no_match" and "retarget=rest moves the bones of a human" in refused["message"]


def test_a_motion_without_retargeting_is_matched_by_names(start, root):
    """Bones turn, expressions and the gaze move nothing, and are told."""
    server = start(*NO_RENDERING, root=root)
    still = weights_of(server, {"clip": "-"})
    assert not np.allclose(weights_of(server, {"clip_file": "move.vrma", "clip": 0, "retarget": "rest"}), still, atol=1e-3)
    assert np.allclose(weights_of(server, {"clip_file": "move.vrma", "clip": 0}), still, atol=1e-6)
    told = server.json("/v1/pose", model="looking.vrm", clip_file="move.vrma", clip=0, t=0.5, joints="J_hips", what="local")
    assert {node["name"] for node in told["clip_file"]["unmatched"]["nodes"]} == {*WEIGHTS, "look"} and told["clip_file"]["unmatched"]["joints"] == []
    assert told["frames"][0]["local"] != server.json("/v1/pose", model="looking.vrm", clip="-", joints="J_hips", what="local")["frames"][0]["local"]


def test_limbs_of_any_human_point_where_the_motion_has_them(start, root):
    hero, source = Human(A), Human({**TALL, "odd": 0.5, "place": [0.2, 0.1, 0.3]})
    (root / "plain.gltf").write_text(hero.write())
    server = start(*NO_RENDERING, root=root)
    for time in (0.5, 1.25):
        moved = server.json("/v1/pose", model="plain.gltf", clip_file="move.vrma", clip=0, retarget="rest", t=time)
        moves = server.json("/v1/pose", model="move.vrma", clip=0, t=time)
        at = [{node["name"]: np.array(matrix[12:15]) for node, matrix in zip(one["nodes"], one["frames"][0]["scene"])} for one in (moved, moves)]
        for limb, end in (("leftUpperArm", "leftLowerArm"), ("rightLowerLeg", "rightFoot"), ("rightLowerArm", "rightHand")):
            own = hero.canonical(at[0][hero.names[end]] - at[0][hero.names[limb]])
            other = at[1][source.names[end]] - at[1][source.names[limb]]
            assert np.allclose(own / np.linalg.norm(own), other / np.linalg.norm(other), atol=1e-5), (time, limb)


def test_damaged_files_are_refused_or_read_and_hurt_nothing(start, root):
    whole = (root / "move.vrma").read_bytes()
    (root / "cut.vrma").write_bytes(whole)
    server = start(*NO_RENDERING, root=root)
    for size in [*range(0, 40, 3), *range(40, len(whole), len(whole) // 12)]:
        (root / f"cut{size}.vrma").write_bytes(whole[:size])
        answer = server.get(f"/v1/model?model=cut{size}.vrma")
        assert answer.status == 422 or answer.status == 415, (size, answer.body)
    for old, new in ((b'"node": 1}', b'"node":99}'), (b'"node": 1}', b'"node":-1}'), (b'"hips"', b'"Hips"'), (b'"preset"', b'"Preset"')):
        (root / "cut.vrma").write_bytes(whole.replace(old, new))
        answer = server.get("/v1/pose?model=hero.vrm&clip_file=cut.vrma&retarget=rest&clip=0&t=0.5")
        assert answer.status in (200, 422), answer.body
    assert server.json("/v1/pose", model="hero.vrm", t=0)["frames"]



# --- what one file in a hundred has ---

def test_vrm_0_counts_as_unity_does(start, root):
    """A mesh that two nodes show, a texture that moves from below, and eyes whose z points backwards."""
    def edit(document):
        vrm = document["extensions"]["VRM"]
        document["nodes"].append({"name": "mirror", "mesh": 1})
        document["scenes"][0]["nodes"].append(len(document["nodes"]) - 1)
        vrm["blendShapeMaster"]["blendShapeGroups"][0]["materialValues"][1]["targetValue"] = [1, 0.5, 0, 0.125]
        vrm["firstPerson"]["firstPersonBoneOffset"] = {"x": 0.25, "y": 0.5, "z": 0.75}
    (root / "twice.vrm").write_bytes(edited(model("old.vrm"), edit))
    answer = start(*NO_RENDERING, root=root).json("/v1/model", model="twice.vrm")
    happy = by_name(answer)["happy"]["binds"]
    faces = [node["node"] for node in answer["nodes"] if node["name"] in ("face", "mirror")]
    assert [bind["node"] for bind in happy if bind["kind"] == "morph"] == faces and len(faces) == 2
    assert happy[-1] == {"kind": "texture_transform", "material": 0, "scale": [1, 0.5], "offset": [0, 0.375]}
    assert answer["look_at"]["offset"] == [0.25, 0.5, -0.75]


def test_presets_come_before_custom_expressions_of_the_same_name(start, root):
    def edit(document):
        document["extensions"]["VRMC_vrm"]["expressions"]["custom"]["happy"] = {"isBinary": True}
    (root / "twice.vrm").write_bytes(edited(model("turned.vrm"), edit))
    answer = start(*NO_RENDERING, root=root).json("/v1/model", model="twice.vrm")
    assert [one["name"] for one in answer["expressions"]] == sorted(BINDS)
    assert by_name(answer)["happy"]["preset"] and not by_name(answer)["happy"]["binary"]
    assert "expressions_ignored" in [warning["code"] for warning in answer["warnings"]]


def test_info_tells_what_a_character_has(root):
    (root / "helped.vrm").write_bytes(human())
    told = {name: posectl("info", name, cwd=root).out.splitlines() for name in ("helped.vrm", "looking.vrm", "move.vrma")}
    names = ", ".join(sorted(BINDS))
    assert f"  {len(BINDS)} expressions: {names}" in told["helped.vrm"] and "  gaze turns the eyes" in told["helped.vrm"]
    assert "  5 constraints of nodes: 2 aim, 2 roll, 1 rotation" in told["helped.vrm"]
    assert "  gaze is shown by expressions" in told["looking.vrm"] and not any("constraint" in line for line in told["looking.vrm"])
    assert "  gaze is a direction" in told["move.vrma"]
