"""`look` of given poses and look= of addresses: a sheared head, layers, masks, weights, packets, errors; what expressions do to pictures.
tests/web compares vertices and materials with three-vrm."""
import json
import math
import os
import shutil
import struct
import urllib.parse

import numpy as np
import pytest

import vrm_files
from conftest import SAMPLES, Server
from humans import back, product, rotate
from packets import call, connect, packet, subscribe
from png_picture import picture
from raw_requests import post
from vrm_avatar import CHEEK, avatar, write_all
from vrm_files import RANGE, edited

HEAD = {"target": "head", "width": 128, "height": 128, "yaw": 0, "pitch": 0, "distance": 0.1, "background": "ffffff"}


def without_eyes(document):
    bones = document["extensions"]["VRMC_vrm"]["humanoid"]["humanBones"]
    del bones["leftEye"], bones["rightEye"]


def without_gaze(document):
    del document["extensions"]["VRMC_vrm"]["lookAt"]


def binary_looks(document):
    for name in ("lookLeft", "lookUp"):
        document["extensions"]["VRMC_vrm"]["expressions"]["preset"][name]["isBinary"] = True


def named_targets(document):
    document["meshes"][1]["extras"] = {"targetNames": ["one", "two", "three", "four"]}


def neutral(document):
    document["extensions"]["VRMC_vrm"]["expressions"]["preset"]["neutral"] = {}


def glowing(document):
    document["extensions"]["VRMC_vrm"]["expressions"]["preset"]["happy"]["overrideLookAt"] = "blend"


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    if os.environ.get("POSED_SERVER"):
        pytest.skip("needs a server of its own")
    root = tmp_path_factory.mktemp("looks")
    vrm_files.write_all(root)
    write_all(root)
    shutil.copy(SAMPLES / "robot.glb", root / "robot.glb")
    for name, of, change in (("blind.vrm", vrm_files.model("turned.vrm"), without_eyes), ("still.vrm", vrm_files.model("turned.vrm"), without_gaze),
                             ("named.vrm", vrm_files.model("looking.vrm", "expression"), named_targets), ("steps.vrm", vrm_files.model("looking.vrm", "expression"), binary_looks), ("neutral.vrm", avatar(), neutral),
                             ("shy.vrm", avatar(1, "expression"), glowing),
                             ("strong.vrm", avatar(), stronger), ("strong0.vrm", avatar(0), stronger), ("bright.vrm", avatar(), brighter)):
        (root / name).write_bytes(edited(of, change))
    running = Server(root, "--tcp", "127.0.0.1:0", "--log", "off")
    yield running
    code = running.process.poll()
    running.end()
    assert code is None, f"the server died with {code}"


def given(look, **more):
    return {"pose": {"look": look, **more}}


def local_of(server, body, joint):
    """Translation, rotation and scale of a joint."""
    answer = post(server, "/v1/pose", {**body, "what": "local", "joints": [joint]})
    assert answer.status == 200, answer.body
    return np.array(answer.json()["frames"][0]["local"][0])


def matrices(server, model, short=""):
    answer = server.get(f"/v1/pose?model={model}&clip=-&what=scene" + short).json()
    return {node["name"]: np.array(matrix).reshape(4, 4).T for node, matrix in zip(answer["nodes"], answer["frames"][0]["scene"])}


def vertices(server, query, node):
    """Of a query, or of a body."""
    answer = (server.get("/v1/mesh?" + query) if isinstance(query, str) else post(server, "/v1/mesh", query)).json()
    nodes = server.json("/v1/model", model=answer["model"])["nodes"]
    at = next(i for i, mesh in enumerate(answer["meshes"]) if nodes[mesh["node"]]["name"] == node)
    return np.array(answer["frames"][0]["positions"][at]).reshape(-1, 3)


def nearest(matrix):
    """The rotation nearest to a matrix."""
    u, _, v = np.linalg.svd(matrix[:3, :3])
    return u @ v


def turned_eye(side, yaw, pitch):
    """VRMC_vrm-1.0/lookAt.md: about the axes of the T-pose."""
    across = RANGE["outer" if (yaw > 0) == (side == "left") else "inner"]
    down = RANGE["down" if pitch > 0 else "up"]
    return vrm_files.yaw_pitch(math.copysign(min(abs(yaw), across[0]) / across[0] * across[1], yaw),
                               math.copysign(min(abs(pitch), down[0]) / down[0] * down[1], pitch))


def matrix_of(quaternion):
    return np.array([rotate(quaternion, axis) for axis in np.eye(3)]).T


@pytest.mark.parametrize("at", [(0.4, 1.2, 3), (-2, 3, 1), (0.1, -1, 0.4), (-0.5, 1.1, -2)])
def test_a_sheared_head_has_the_nearest_rotation(server, at):
    """The rig is unevenly scaled, off the origin, and turned where the scale shears it."""
    turn = "&turn=head:25,30,-20&turn=spine:-10,-25,15"
    rest, posed = matrices(server, "uneven.vrm"), matrices(server, "uneven.vrm", turn)
    head = posed["J_head"]
    turned = nearest(head) @ nearest(rest["J_head"]).T
    x, y, z = turned.T @ (np.array(at) - (head @ [0, 0.06, 0.05, 1])[:3])
    yaw, pitch = math.degrees(math.atan2(x, z)), math.degrees(math.atan2(-y, math.hypot(x, z)))
    for side in ("left", "right"):
        look, above = matrix_of(turned_eye(side, yaw, pitch)), nearest(rest["J_head"])
        at_rest = np.linalg.inv(rest["J_head"]) @ rest[side + "Eye"]
        local = np.eye(4)
        local[:3, :3], local[:3, 3] = above.T @ look @ above @ at_rest[:3, :3], at_rest[:3, 3]
        corners = np.array([(0, 0, 0, 1), (0.02, 0.01, 0.05, 1), (-0.01, 0.02, 0.05, 1)])
        found = vertices(server, f"model=uneven.vrm&clip=-{turn}&look={','.join(map(str, at))}", side + "Eye")
        assert np.allclose(found, (corners @ (head @ local).T)[:, :3], atol=2e-6), (side, yaw, pitch)


def test_a_place_at_the_eyes_and_far_above_them(server):
    """The eyes' own place is no direction: what is answered is within the ranges."""
    head = matrices(server, "looking.vrm")["J_head"]
    eyes = (head @ [0, 0.06, 0.05, 1])[:3]
    ahead = vertices(server, "model=looking.vrm&clip=-", "face")
    weights = lambda at: vertices(server, f"model=looking.vrm&clip=-&look={','.join(repr(float(x)) for x in at)}", "face") - ahead
    assert np.all(np.abs(weights(eyes)) <= 0.05)
    up, ahead_of = np.array([0, 5, 0]), np.array([0, 0, 0.5])
    assert np.allclose(weights(eyes + up + ahead_of)[:, 0], 0.01 * 3 * 0.5, atol=1e-5)  # lookUp alone, at most 1
    assert np.allclose(weights(eyes - up + ahead_of)[:, 0], 0.01 * 4 * 0.5, atol=1e-5)


def between(one, other, share):
    """The shorter arc."""
    dot = float(np.dot(one, other))
    other = other if dot >= 0 else -other
    angle = math.acos(min(1, abs(dot)))
    return (math.sin((1 - share) * angle) * one + math.sin(share * angle) * other) / math.sin(angle)


def test_layers_weigh_and_mask_looks(server):
    model = {"model": "turned.vrm"}
    full = {"layers": [given({"yaw": 50, "pitch": 30})], **model}
    rest = {side: local_of(server, {**model, "clip": "-"}, side + "Eye") for side in ("left", "right")}
    looks = {side: local_of(server, full, side + "Eye") for side in ("left", "right")}
    for side in rest:
        turn = product(back(rest[side][3:7]), looks[side][3:7])
        assert 0.1 < 2 * math.acos(min(1, abs(turn[3]))) < 0.5
        half = local_of(server, {"layers": [{**given({"yaw": 50, "pitch": 30}), "weight": 0.5}], **model}, side + "Eye")
        assert np.allclose(half[3:7], between(rest[side][3:7], looks[side][3:7], 0.5), atol=1e-6)
        none = local_of(server, {"layers": [{**given({"yaw": 50}), "weight": 0}], **model}, side + "Eye")
        assert np.allclose(none, rest[side], atol=1e-7)
        masked = local_of(server, {"layers": [{**given({"yaw": 50, "pitch": 30}), "joints": ["leftEye"]}], **model}, side + "Eye")
        assert np.allclose(masked, looks[side] if side == "left" else rest[side], atol=1e-7)
        later = local_of(server, {"layers": [given({"yaw": -80}), given({"yaw": 50, "pitch": 30})], **model}, side + "Eye")
        assert np.allclose(later, looks[side], atol=1e-7)
        clip = {"clip": 0, "clip_file": "move.vrma", "retarget": "rest", "t": 0.5, **model}
        over = local_of(server, {**clip, "look": "50,30"}, side + "Eye")
        assert np.allclose(over, looks[side], atol=1e-6) and not np.allclose(local_of(server, clip, side + "Eye"), over, atol=1e-2)


def test_a_look_follows_the_head_of_all_layers(server):
    """The layer that turns the head may come after the one that looks; a look by angles does not care."""
    at, turn = {"at": [1, 1.5, 2.5]}, {"nodes": {"head": {"degrees": [0, 40, 10]}}, "relative_to": "rest"}
    one = [{"pose": turn}, given(at)]
    eye = [local_of(server, {"model": "turned.vrm", "layers": layers}, "leftEye") for layers in (one, one[::-1], [{"pose": {**turn, "look": at}}], [given(at)])]
    assert np.array_equal(eye[0], eye[1]) and np.array_equal(eye[0], eye[2]) and not np.allclose(eye[0], eye[3], atol=5e-3)
    angles = [local_of(server, {"model": "turned.vrm", "layers": layers}, "leftEye") for layers in ([given({"yaw": 20}), {"pose": turn}], [given({"yaw": 20})])]
    assert np.allclose(*angles, atol=1e-7)


def moved(server, query, model="looking.vrm"):
    """How far the weights of the face's targets, each times its number from 1 on, and their sum go."""
    points = vertices(server, f"model={model}&clip=-&{query}", "face") - vertices(server, f"model={model}&clip=-", "face")
    return points[0][0] / 0.01, points[1][2] / 0.02


def test_looks_set_the_expressions_that_look(server):
    look = "look=30,-40"  # lookLeft 1 of 60 * 2, lookUp 0.75: target 0 and 2 by half of it
    assert moved(server, look) == pytest.approx((0.5 + 3 * 0.375, 0.875), abs=1e-4)
    assert moved(server, look + "&expression=lookUp:0&expression=lookRight:1") == pytest.approx((0.5 + 3 * 0.375, 0.875), abs=1e-4)
    assert moved(server, look + "&expression=aa:0.5") == pytest.approx((0.5 + 3 * 0.875, 1.375), abs=1e-4)
    steps = moved(server, "look=10,-40", "steps.vrm")  # lookLeft 0.33 is 0, lookUp 0.75 is 1
    assert steps == pytest.approx((3 * 0.5, 0.5), abs=1e-4)
    # at a point the numbers are those of its angles, and binary ones are steps too
    head = matrices(server, "looking.vrm")["J_head"]
    eyes = (head @ [0, 0.06, 0.05, 1])[:3]
    for yaw, pitch in ((30, -40), (10, -40), (-20, 5)):
        way = rotate(vrm_files.yaw_pitch(yaw, pitch), (0, 0, 2))
        place = "look=" + ",".join(map(repr, map(float, eyes + way)))
        for model in ("looking.vrm", "steps.vrm"):
            assert moved(server, place, model) == pytest.approx(moved(server, f"look={yaw},{pitch}", model), abs=1e-3), (model, yaw, pitch)


def test_a_morph_target_wins_over_looks(server):
    """By angles and at a place."""
    head = matrices(server, "named.vrm")["J_head"]
    way = (head @ [0, 0.06, 0.05, 1])[:3] + rotate(vrm_files.yaw_pitch(30, -40), (0, 0, 2))
    for look in ("30,-40", ",".join(map(repr, map(float, way)))):
        assert moved(server, f"look={look}", "named.vrm") == pytest.approx((0.5 + 3 * 0.375, 0.875), abs=1e-3)
        assert moved(server, f"look={look}&morph=one:0.1&morph=four:0.25", "named.vrm") == pytest.approx((0.1 + 3 * 0.375 + 4 * 0.25, 0.725), abs=1e-3)


def test_looks_by_expressions_replace_and_weigh(server):
    """What a clip makes of the same morph weights goes, as with expressions of a pose."""
    clip = {"model": "looking.vrm", "clip_file": "face.vrma", "retarget": "rest", "clip": 0, "t": 0.5}
    query = urllib.parse.urlencode(clip)
    at = "0.5,1.2,2"
    for look in ("30,10", at):
        alone, over = (vertices(server, one + "&look=" + look, "face") for one in ("model=looking.vrm&clip=-", query))
        assert np.allclose(alone, over, atol=1e-6)
    body = lambda weight: {"model": "looking.vrm", "layers": [{**given({"at": [0.5, 1.2, 2]}), "weight": weight}]}
    rest, half, full = (vertices(server, body(weight), "face") for weight in (0, 0.5, 1))
    assert np.allclose(half, (rest + full) / 2, atol=1e-6) and not np.allclose(rest, full, atol=1e-3)


def test_an_expression_that_overrides_looks_and_one_without_binds(server):
    ahead, full, less, none = (glb_material(server, f"model=shy.vrm&clip=-&{short}", "eye")["offset"]
                               for short in ("turn=head:0,0,0", "look=60,0", "look=60,0&expression=happy:0.25", "look=60,0&expression=happy:1"))
    assert ahead == [0, 0] and full == pytest.approx([-0.16, 0], abs=1e-6)
    assert less == pytest.approx([-0.12, 0], abs=1e-6) and none == pytest.approx([0, 0], abs=1e-6)
    place = matrices(server, "shy.vrm")["J_head"] @ [9, 0.085, 0.075, 1]
    to_left = ",".join(map(repr, map(float, place[:3])))
    eye = glb_material(server, f"model=shy.vrm&clip=-&look={to_left}&expression=happy:0.25", "eye")
    assert eye["offset"] == pytest.approx([-0.12, 0], abs=1e-4) and eye["scale"] == pytest.approx([1, 1], abs=1e-6)
    still = server.get("/v1/mesh?model=neutral.vrm&clip=-&expression=neutral:1")
    assert still.status == 200 and still.json()["frames"][0]["positions"] == server.json("/v1/mesh", model="neutral.vrm", clip="-")["frames"][0]["positions"]


def glb_material(server, query, name):
    answer = server.get("/v1/mesh?format=glb&" + query)
    assert answer.status == 200, answer.body[:300]
    size, = struct.unpack_from("<I", answer.body, 12)
    material = next(one for one in json.loads(answer.body[20:20 + size])["materials"] if one["name"] == name)
    base = material["pbrMetallicRoughness"]
    transform = base.get("baseColorTexture", {}).get("extensions", {}).get("KHR_texture_transform", {})
    return {"color": base.get("baseColorFactor", [1, 1, 1, 1]), "offset": transform.get("offset", [0, 0]),
            "scale": transform.get("scale", [1, 1])}


def test_expressions_colour_pictures(server):
    """Cheeks redden; the shirt's stripes change; half a weight is half the way; a clip's picture is as before."""
    draw = lambda short, **more: picture(server.get("/v1/render?" + urllib.parse.urlencode({"model": "ann1_bone.vrm", "clip": "-", **HEAD, **more}) + short))
    plain, happy = draw(""), draw("&expression=happy:1")
    happier = [(a, b) for rows in zip(plain.rows, draw("&expression=happy:1&morph=smile:0").rows) for a, b in zip(*rows) if a != b]
    assert len(happier) > 50 and all(b[1] < a[1] for a, b in happier), "cheeks alone, which have less green"
    assert happy.rows != draw("&expression=happy:1&morph=smile:0").rows, "and a mouth that smiles"
    wide = {"target": "", "distance": 1}
    whole = {key: value for key, value in HEAD.items() if key not in wide}
    striped = picture(server.get("/v1/render?" + urllib.parse.urlencode({"model": "ann1_bone.vrm", "clip": "-", **whole, "expression": "stripes:1"})))
    still = picture(server.get("/v1/render?" + urllib.parse.urlencode({"model": "ann1_bone.vrm", "clip": "-", **whole})))
    assert striped.rows != still.rows and [[p[3] for p in row] for row in striped.rows] == [[p[3] for p in row] for row in still.rows]
    colour = lambda layers: glb_colour(server, layers)
    full = colour([{"pose": {"expressions": {"happy": 1}}}])
    assert full == pytest.approx([0.9, 0.12, 0.15, 1], abs=1e-6)
    rest = colour([{"clip": "-", "weight": 1}])
    half = colour([{"pose": {"expressions": {"happy": 1}}, "weight": 0.5}])
    assert half == pytest.approx([(a + b) / 2 for a, b in zip(rest, full)], abs=1e-6)
    assert colour([{"pose": {"expressions": {"happy": 0.5}}}]) == pytest.approx(half, abs=1e-6)


def test_masks_are_about_nodes_and_do_not_reach_materials(server):
    """A mask keeps an expression from the face's morph weights, by the node that has the mesh, and not from its colours."""
    pose = {"expressions": {"happy": 1}}
    masked, face = {"pose": pose, "joints": ["leftEye"]}, {"pose": pose, "joints": ["face"]}
    assert glb_colour(server, [masked]) == glb_colour(server, [{"pose": pose}]) != glb_colour(server, [{"clip": "-", "weight": 1}])
    shape = lambda layer: vertices(server, {"model": "ann1_bone.vrm", "layers": [layer]}, "face").tolist()
    assert shape(masked) == shape({"clip": "-", "weight": 1}) != shape(face) == shape({"pose": pose})


def glb_colour(server, layers):
    answer = post(server, "/v1/mesh", {"model": "ann1_bone.vrm", "format": "glb", "layers": layers})
    assert answer.status == 200, answer.body[:300]
    size, = struct.unpack_from("<I", answer.body, 12)
    return next(one for one in json.loads(answer.body[20:20 + size])["materials"] if one["name"] == "cheek")["pbrMetallicRoughness"]["baseColorFactor"]


@pytest.mark.parametrize("op", ["palette", "pose", "mesh", "bounds", "render", "sheet", "turntable"])
def test_every_answer_takes_looks_and_has_its_tag(server, op):
    small = {"width": 64, "height": 64} if op in ("render", "sheet", "turntable") else {}
    target = lambda look: f"/v1/{op}?" + urllib.parse.urlencode({"model": "ann1_bone.vrm", "clip": "-", **small, "look": look})
    one, other, place = (server.get(target(look)) for look in ("20,-10", "20,-11", "0.3,1.7,1"))
    for answer in (one, other, place):
        assert answer.status == 200, answer.body[:300]
    tags = {answer.headers["etag"] for answer in (one, other, place)}
    assert len(tags) == 3
    again = server.get(target("20.0,-1e1"))
    assert again.headers["etag"] == one.headers["etag"] and again.body == one.body
    assert server.get(target("20,-10"), f"If-None-Match: {one.headers['etag']}").status == 304
    assert server.get(target("20,-11"), f"If-None-Match: {one.headers['etag']}").status == 200
    posted = post(server, f"/v1/{op}", {"model": "ann1_bone.vrm", "clip": "-", **small, "look": "20,-10"})
    assert posted.body == one.body and posted.headers["etag"] == one.headers["etag"]


@pytest.mark.parametrize("way", ["tcp", "ws"])
def test_packets_have_the_same_answers(server, way):
    with connect(server.ports, way) as link:
        handle = link.open("ann1_expression.vrm")
        body = {"layers": [given({"at": [0.4, 1.2, 3]}, expressions={"happy": 0.4})]}
        for op, more in (("mesh", {}), ("mesh", {"format": "glb"}), ("palette", {"format": "bin"})):
            answer = link.ask("call", call("/v1/" + op, json.dumps({**body, **more})), model=handle)
            assert answer.body == post(server, "/v1/" + op, {"model": "ann1_expression.vrm", **body, **more}).body
        short = "look=20,-10&expression=happy:0.5"
        answer = link.ask("call", call("/v1/mesh?" + short), model=handle)
        assert answer.body == server.get("/v1/mesh?" + short + "&model=ann1_expression.vrm").body
        refused = link.ask("call", call("/v1/mesh?look=20"), model=handle)
        assert refused.kind == "error"


@pytest.mark.parametrize("way", ["tcp", "ws"])
@pytest.mark.parametrize("more", [{"look": "0.4,1.2,3"}, {"look": "-30,20", "expression": "happy:0.5"},
                                  {"layers": [{"clip": "-"}, {**given({"at": [0.4, 1.2, 3]}), "weight": 0.5}]}], ids=str)
def test_streams_look(server, way, more):
    with connect(server.ports, way) as link:
        handle = link.open("looking.vrm")
        link.send(packet("subscribe", subscribe("mesh", credit=1, speed=0, flag_names=["more"]) + json.dumps(more).encode(), id=7, model=handle))
        assert link.read().kind == "done"
        answer = link.read()
        assert answer.kind == "stream", answer
        want = post(server, "/v1/mesh", {"model": "looking.vrm", **({} if "layers" in more else {"clip": "-"}), "format": "bin", **more})
        assert want.status == 200 and answer.view()["rest"] == want.body


@pytest.mark.parametrize("model, code, part", [
    ("robot.glb", "bad_parameter", "does not say how it looks"), ("still.vrm", "bad_parameter", "does not say how it looks"),
    ("blind.vrm", "bad_parameter", "neither eyes that turn nor expressions")])
def test_models_that_cannot_look(server, model, code, part):
    for answer in (server.get(f"/v1/pose?model={model}&look=20,0"), post(server, "/v1/pose", {"model": model, "layers": [given({"at": [0, 0, 1]})]})):
        error = answer.json()["error"]
        assert (answer.status, error["code"]) == (400, code) and part in error["message"] and model in error["message"], error
    assert server.get(f"/v1/pose?model={model}").status == 200


@pytest.mark.parametrize("text", ["", "1", "1,2,3,4", "a,b", "1,", ",1", "nan,0", "inf,0", "361,0", "0,-361", "1e31,0,0", "0,0,nan", "1,2,", " 1,2"])
def test_numbers_that_are_no_look(server, text):
    answer = server.get("/v1/pose?" + urllib.parse.urlencode({"model": "turned.vrm", "look": text}))
    assert (answer.status, answer.error()) == (400, "bad_parameter") and "'look'" in answer.json()["error"]["message"]


@pytest.mark.parametrize("look", [{}, [], 3, None, "20,0", {"yaw": "a"}, {"yaw": 361}, {"pitch": -361}, {"at": [1, 2]}, {"at": [1, 2, "a"]}, {"at": 3},
                                  {"at": [1e31, 0, 0]}, {"yaw": 1, "at": [1, 2, 3]}, {"yaw": 1, "roll": 0}, {"at": [1, 2, 3, 4]}])
def test_members_that_are_no_look(server, look):
    answer = post(server, "/v1/pose", {"model": "turned.vrm", "layers": [{"clip": "-"}, given(look)]})
    message = answer.json()["error"]["message"]
    assert (answer.status, answer.error()) == (400, "bad_parameter") and message.startswith("layers[1]: pose: ") and "look" in message, message


def test_looks_twice_and_of_frames(server):
    assert server.get("/v1/pose?model=turned.vrm&look=1,2&look=1,3").error() == "duplicate_parameter"
    frames = {"nodes": ["head"], "frames": [{"degrees": [[0, 0, 0]]}, {"degrees": [[0, 60, 0]]}], "rate": 1, "relative_to": "rest"}
    ask = lambda pose, time: local_of(server, {"model": "turned.vrm", "t": time, "wrap": "clamp", "layers": [{"pose": pose}]}, "leftEye")
    at = [ask({**frames, "look": {"at": [2, 1.5, 2]}}, time) for time in (0, 0.5, 1)]
    assert not np.allclose(at[0], at[1], atol=1e-2) and not np.allclose(at[1], at[2], atol=1e-2)  # the head turns away from the place
    same = [ask({**frames, "look": {"yaw": 30}}, time) for time in (0, 0.5, 1)]
    assert np.allclose(same[0], same[2], atol=1e-7)
    still = post(server, "/v1/pose", {"model": "turned.vrm", "layers": [{"pose": {"frames": [{"look": {"yaw": 1}}]}}]})
    assert still.status == 400 and "look" in still.json()["error"]["message"]


# --- KHR_materials_emissive_strength ---

def stronger(document):
    document["materials"][CHEEK].setdefault("extensions", {})["KHR_materials_emissive_strength"] = {"emissiveStrength": 2.5}


def brighter(document):
    document["extensions"]["VRMC_vrm"]["expressions"]["preset"]["angry"]["materialColorBinds"][0]["targetValue"] = [0.75, 0, 0, 1]


def emission(server, name):
    binds = next(one for one in server.json("/v1/model", model=name)["expressions"] if one["name"] == "angry")["binds"]
    return next(bind["value"] for bind in binds if bind.get("property") == "emission_color")


def test_the_emission_of_a_bind_is_multiplied_by_the_strength_of_its_material(server):
    """VRMC_vrm-1.0/expressions.md: it is emissiveFactor, which the strength multiplies, as three-vrm does. In VRM 0 it is the whole emission."""
    draw = lambda name: picture(server.get(f"/v1/render?model={name}&clip=-&expression=angry:1&" + urllib.parse.urlencode(HEAD))).rows
    assert emission(server, "strong.vrm") == emission(server, "bright.vrm") == [0.75, 0, 0, 1]
    assert emission(server, "strong0.vrm") == [0.3, 0, 0, 1]
    assert draw("strong.vrm") == draw("bright.vrm") != draw("ann1_bone.vrm")
    assert draw("strong0.vrm") == draw("ann0_bone.vrm")
