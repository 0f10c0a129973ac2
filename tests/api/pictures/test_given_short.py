"""turn=, morph= and expression= of addresses against the same in layers: palettes, poses, vertices, boxes and pictures; their ETags; root
motion with given layers; sheets."""
import json
import os
import signal
import urllib.parse

import pytest

import vrm_files
from conftest import Server
from given_mixtures import CROWDED, faced
from png_picture import picture
from raw_requests import post
from server_state import wait_for_stats, workers

VIEW = {"width": 64, "height": 64, "frame_box": "-3,-4,-3,9,6,9"}
WALK, TURNED = {"clip": "walk"}, {"hip": [20, -10, 5], "toe": [0, 0, 70]}
POSE = {"nodes": {name: {"degrees": degrees} for name, degrees in TURNED.items()}, "relative_to": "rest", "morphs": {"smile": 0.9}}
SHORT = [("turn", f"{name}:{','.join(map(str, degrees))}") for name, degrees in TURNED.items()] + [("morph", "smile:0.9")]


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    root = tmp_path_factory.mktemp("short")
    (root / "faced.glb").write_bytes(faced())
    (root / "crowded.gltf").write_text(json.dumps(CROWDED))
    for name in "turned.vrm", "old.vrm":
        (root / name).write_bytes(vrm_files.model(name))
    running = Server(root, "--tcp", "127.0.0.1:0", "--log", "off")
    yield running
    running.end()


def get(server, op, short=SHORT, model="faced.glb", **more):
    return server.get(f"/v1/{op}?" + urllib.parse.urlencode([("model", model), *more.items(), *short]))


def frames(answer):
    assert answer.status == 200, answer.body
    return [{key: value for key, value in frame.items() if key not in ("clip_time", "clip_times")} for frame in answer.json()["frames"]]


@pytest.mark.parametrize("op, more", [("palette", {}), ("palette", {"layout": "mat3x4"}), ("pose", {"what": "local"}), ("pose", {"what": "scene"}), ("mesh", {}),
                                      ("mesh", {"normals": 1}), ("bounds", {})])
def test_short_forms_are_a_layer_on_top(server, op, more):
    short = get(server, op, **WALK, t="0.1,0.3", **more)
    body = {"model": "faced.glb", "t": [0.1, 0.3], **more}
    assert frames(short) == frames(post(server, f"/v1/{op}", {**body, "layers": [WALK, {"pose": POSE}]}))
    if op != "palette" and more != {"what": "scene"}:
        assert frames(short) != frames(get(server, op, [], **WALK, t="0.1,0.3", **more))
    listed = {"turn": [value for key, value in SHORT if key == "turn"], "morph": "smile:0.9"}
    assert frames(short) == frames(post(server, f"/v1/{op}", {**body, **WALK, **listed}))
    over = frames(post(server, f"/v1/{op}", {**body, **listed, "layers": [WALK, {"clip": "wave", "weight": 0.5}]}))
    assert over == frames(post(server, f"/v1/{op}", {**body, "layers": [WALK, {"clip": "wave", "weight": 0.5}, {"pose": POSE}]}))
    packed = get(server, op, **WALK, t="0.1,0.3", **more, **({} if op == "bounds" else {"format": "bin"}))
    assert packed.status == 200 and (op == "bounds" or packed.body[:4] == b"PSDF")


@pytest.mark.parametrize("model", ["turned.vrm", "old.vrm"])
def test_expressions_and_roles_in_addresses(server, model):
    short = [("expression", "happy:0.8"), ("expression", "aa:0.25"), ("turn", "head:0,20,0"), ("turn", "leftUpperArm:0,0,70")]
    pose = {"expressions": {"happy": 0.8, "aa": 0.25}, "nodes": {"head": {"degrees": [0, 20, 0]}, "leftUpperArm": {"degrees": [0, 0, 70]}}, "relative_to": "rest"}
    assert frames(get(server, "mesh", short, model)) == frames(post(server, "/v1/mesh", {"model": model, "layers": [{"pose": pose}]}))
    drawn = get(server, "render", short, model, width=64, height=64, frame="pose", target="head")
    posted = post(server, "/v1/render", {"model": model, "width": 64, "height": 64, "frame": "pose", "target": "head", "layers": [{"pose": pose}]})
    assert picture(drawn).rows == picture(posted).rows != picture(get(server, "render", [], model, width=64, height=64, frame="pose", target="head")).rows


def test_pictures_of_short_forms_and_layers_are_the_same(server):
    short = get(server, "render", **WALK, t=0.2, **VIEW)
    posted = post(server, "/v1/render", {"model": "faced.glb", "t": 0.2, **VIEW, "frame_box": [-3, -4, -3, 9, 6, 9], "layers": [WALK, {"pose": POSE}]})
    plain = get(server, "render", [], **WALK, t=0.2, **VIEW)
    assert picture(short).rows == picture(posted).rows != picture(plain).rows
    only_face = get(server, "render", [("morph", "smile:3")], **WALK, t=0.2, **VIEW)
    assert picture(only_face).rows != picture(plain).rows


def test_tags_tell_requests_apart(server):
    """Equal requests have equal tags, whatever the order of other parameters; a changed digit makes another one."""
    def tag(op, short, **more):
        answer = get(server, op, short, **more)
        assert answer.status == 200, answer.body
        return answer.headers["etag"]

    for op, more in ("palette", {}), ("mesh", {}), ("render", VIEW):
        tags = [tag(op, short, t=0.1, **WALK, **more) for short in (
            [], [("turn", "hip:0,20,0")], [("turn", "hip:0,20.5,0")], [("turn", "toe:0,20,0")], [("turn", "hip:20,0,0")], [("morph", "smile:0.5")],
            [("morph", "smile:0.75")], [("morph", "frown:0.5")], [("turn", "hip:0,20,0"), ("morph", "smile:0.5")])]
        assert len(set(tags)) == len(tags), tags
        assert tag(op, [("turn", "hip:0,20,0")], **WALK, t=0.1, **more) == tags[1] == tag(op, [("turn", "hip:0,20.0,0")], **more, **WALK, t=0.1)
        again = server.get(f"/v1/{op}?" + urllib.parse.urlencode([("model", "faced.glb"), ("t", 0.1), *WALK.items(), *more.items(), ("turn", "hip:0,20,0")]),
                           f"If-None-Match: {tags[1]}")
        assert again.status == 304
    bodies = [{"nodes": {"hip": {"degrees": [0, 20, 0]}}}, {"nodes": {"hip": {"degrees": [0, 20.5, 0]}}}, {"nodes": {"toe": {"degrees": [0, 20, 0]}}},
              {"nodes": {"hip": {"scale": [0, 20, 0]}}}, {"nodes": ["hip"], "frames": [{"degrees": [[0, 20, 0]]}] * 2},
              {"nodes": ["hip"], "frames": [{"degrees": [[0, 20, 0]]}] * 2, "rate": 10}, {"morphs": {"smile": 0.5}}, {"morphs": {"frown": 0.5}},
              {"nodes": {"hip": {"degrees": [0, 20, 0]}}, "relative_to": "rest"}, {"nodes": {"hip": {"degrees": [0, 20, 0]}}, "morphs": {"smile": 0.5}}]
    ask = lambda pose, **layer: post(server, "/v1/palette", {"model": "faced.glb", "layers": [{"pose": pose, **layer}]}).headers["etag"]
    tags = [ask(pose) for pose in bodies] + [ask(bodies[0], mode="additive"), ask(bodies[0], weight=0.5), ask(bodies[0], subtree="hip")]
    assert len(set(tags)) == len(tags)
    assert ask(bodies[0]) == tags[0] == ask({"nodes": {"hip": {"degrees": [0.0, 2e1, 0]}}})
    assert ask({"nodes": ["hip"], "degrees": [[0, 20, 0]]}) == tags[0]


def test_root_motion_under_turned_joints(server):
    """The clip's movement is taken out; joints are turned in what stays. Layers have no root motion."""
    query = {"clip": "walk", "t": "0,0.1,0.4", "what": "scene"}
    turned, still = (get(server, "pose", **query, **more) for more in ({}, {"root_motion": "extract", "root": "hip"}))
    plain = get(server, "pose", [], **query, root_motion="extract", root="hip").json()
    assert turned.status == still.status == 200, still.body
    nodes = [node["name"] for node in turned.json()["nodes"]]
    assert [frame["root_motion"] for frame in still.json()["frames"]] == [frame["root_motion"] for frame in plain["frames"]]
    for before, after in zip(turned.json()["frames"], still.json()["frames"], strict=True):
        moved = after["root_motion"]["translation"]
        for name in "hip", "knee", "toe":
            a, b = before["scene"][nodes.index(name)], after["scene"][nodes.index(name)]
            assert all(abs(a[12 + k] - b[12 + k] - moved[k]) < 1e-5 for k in range(3)) and max(abs(x - y) for x, y in zip(a[:12], b[:12])) < 1e-5, (name, moved)
    refused = post(server, "/v1/pose", {"model": "faced.glb", "layers": [{"pose": POSE}], "root_motion": "extract", "root": "hip"})
    assert refused.error() == "bad_parameter" and "'root_motion'" in refused.json()["error"]["message"]


def test_sheets_turn_each_clip(server):
    """Each cell of a sheet of all clips is turned as its own picture is."""
    sheet = picture(get(server, "sheet", [("turn", "toe:0,0,70"), ("morph", "smile:0.9")], clips="all", frames=2, **VIEW))
    plain = picture(get(server, "sheet", [], clips="all", frames=2, **VIEW))
    assert (sheet.width, sheet.height) == (plain.width, plain.height) == (128, 128)
    for row in range(2):
        for column in range(2):
            cell = lambda of: [line[64 * column:64 * column + 64] for line in of.rows[64 * row:64 * row + 64]]
            assert cell(sheet) != cell(plain), (row, column)
    table = post(server, "/v1/turntable", {"model": "faced.glb", "format": "png", "frames": 4, **VIEW, "frame_box": [-3, -4, -3, 9, 6, 9], "layers": [{"pose": POSE}]})
    assert picture(table).rows == picture(get(server, "turntable", format="png", clip="-", frames=4, **VIEW)).rows


def test_a_picture_takes_fewer_numbers(server):
    body = {"model": "crowded.gltf", "layers": [{"pose": {"morphs": ["a"], "frames": [{"morphs": [0.5]}] * 20}}]}
    assert post(server, "/v1/pose", body).status == 200
    found = post(server, "/v1/render", body)
    assert (found.status, found.error()) == (400, "too_many_frames")
    assert "the layers of a picture may move 500000 numbers together" in found.json()["error"]["message"]


def test_given_poses_of_waiting_pictures_have_a_limit(start, tmp_path):
    """A short body may mean many numbers, which wait with the picture."""
    (tmp_path / "crowded.gltf").write_text(json.dumps(CROWDED))
    server = start("--render-workers", "1", "--client-memory", "20m", "--max-answer", "1m", root=tmp_path)
    body = lambda yaw: json.dumps({"model": "crowded.gltf", "yaw": yaw, "width": 16, "height": 16, "layers": [
        {"pose": {"morphs": ["a"], "frames": [{"morphs": [0.5]}] * 10}}]}).encode()  # 3.84 MB
    picture(server.get("/v1/render?model=crowded.gltf&width=16&height=16"))
    stopped, = workers(server)
    os.kill(stopped, signal.SIGSTOP)
    try:
        connections = []
        for yaw in 0, 1:
            connections.append(server.connect())
            connections[-1].send(f"POST /v1/render HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body(yaw))}\r\n\r\n")
            connections[-1].send(body(yaw))
            wait_for_stats(server, lambda stats, yaw=yaw: (stats["renders"]["running"], stats["renders"]["waiting"]) == (1, yaw))
        refused = post(server, "/v1/render", body(2))
        assert (refused.status, refused.error()) == (503, "overloaded") and "given poses" in refused.json()["error"]["message"]
    finally:
        os.kill(stopped, signal.SIGCONT)
    for connection in connections:
        with connection:
            picture(connection.answer())
