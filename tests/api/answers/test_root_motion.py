"""root_motion=extract: the extracted motion, put back into the pose, gives the clip."""
import base64
import json
import math
import struct

import pytest

from png_picture import picture


pytestmark = pytest.mark.short


def walk():
    """glTF text: hips below a scaled, turned armature walk along x and turn left; a spine and a prop beside them."""
    times, moves = [0, 1, 2], [0, 5, 0, 3, 6, 0, 6, 5, -2]
    half = math.sqrt(0.5)
    turns = [0, 0, 0, 1, 0, math.sin(math.pi / 8), 0, math.cos(math.pi / 8), 0, half, 0, half]
    data = struct.pack("<3f9f12f", *times, *moves, *turns)
    views = [(0, 12), (12, 36), (48, 48)]
    return json.dumps({
        "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0, 3]}],
        "nodes": [{"name": "armature", "children": [1], "translation": [2, 0, 0], "scale": [2, 2, 2], "rotation": [0, half, 0, half]},
                  {"name": "hips", "children": [2], "translation": [0, 5, 0]},
                  {"name": "spine", "translation": [0.25, 1, 0]}, {"name": "prop", "translation": [7, 7, 7]}],
        "buffers": [{"byteLength": len(data),
                     "uri": "data:application/octet-stream;base64," + base64.b64encode(data).decode()}],
        "bufferViews": [{"buffer": 0, "byteOffset": at, "byteLength": size} for at, size in views],
        "accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "SCALAR", "min": [0], "max": [2]},
                      {"bufferView": 1, "componentType": 5126, "count": 3, "type": "VEC3"},
                      {"bufferView": 2, "componentType": 5126, "count": 3, "type": "VEC4"}],
        "animations": [{"name": "walk", "samplers": [{"input": 0, "output": 1}, {"input": 0, "output": 2}],
                        "channels": [{"sampler": 0, "target": {"node": 1, "path": "translation"}},
                                     {"sampler": 1, "target": {"node": 1, "path": "rotation"}}]}]})


@pytest.fixture
def served(start, tmp_path):
    (tmp_path / "walk.gltf").write_text(walk())
    return start(root=tmp_path)


def put_back(m, head, step):
    """T(origin + translation) * R(y, yaw) * T(-origin) * m, with m in columns."""
    angle = math.radians(step.get("yaw", 0))
    out = []
    for c in range(4):
        x, y, z, w = m[4 * c:4 * c + 4]
        x, y, z = [v - w * o for v, o in zip((x, y, z), head["origin"])]
        x, z = x * math.cos(angle) + z * math.sin(angle), z * math.cos(angle) - x * math.sin(angle)
        x, y, z = [v + w * (o + d) for v, o, d in zip((x, y, z), head["origin"], step["translation"])]
        out += [x, y, z, w]
    return out


@pytest.mark.parametrize("yaw", [0, 1])
def test_what_is_taken_out_put_back_is_the_clip(served, yaw):
    query = {"model": "walk.gltf", "t": "0:2:8", "wrap": "clamp", "what": "scene,local"}
    still = served.json("/v1/pose", root_motion="extract", root="hips", yaw=yaw, **query)
    plain = served.json("/v1/pose", **query)
    head = still["root_motion"]
    assert head["root"] == {"node": 1, "name": "hips"} and head["up"] == [0, 1, 0]
    for a, b in zip(still["frames"], plain["frames"]):
        for node in (1, 2):
            assert put_back(a["scene"][node], head, a["root_motion"]) == pytest.approx(b["scene"][node], abs=1e-5)
        assert [a["scene"][n] for n in (0, 3)] == [b["scene"][n] for n in (0, 3)]
        assert [a["local"][n] for n in (0, 2, 3)] == [b["local"][n] for n in (0, 2, 3)]
        x, y, z = a["scene"][1][12:15]
        assert [x, z] == pytest.approx([head["origin"][0], head["origin"][2]], abs=1e-5)
        assert y == pytest.approx(b["scene"][1][13], abs=1e-5)
    last = still["frames"][-1]["root_motion"]
    assert last == head["lap"]
    # the armature turns x to -z and doubles it: 6 along x, -2 along z become -12 along z, -4 along x
    assert last["translation"] == pytest.approx([-4, 0, -12], abs=1e-5)
    assert ("yaw" in last) == bool(yaw) and last.get("yaw", 90) == pytest.approx(90, abs=1e-4)


def test_boxes_are_those_of_the_still_pose(served):
    query = {"model": "walk.gltf", "root_motion": "extract", "root": "hips", "yaw": 1, "wrap": "clamp"}
    boxes = served.json("/v1/bounds", t="0:2:8", **query)
    poses = served.json("/v1/pose", t="0:2:8", **query)
    assert boxes["root_motion"] == poses["root_motion"]
    for box, pose in zip(boxes["frames"], poses["frames"]):
        assert box["root_motion"] == pose["root_motion"]
        places = [matrix[12:15] for matrix in pose["scene"]]
        assert box["bounds"]["min"] == [min(p[i] for p in places) for i in range(3)]
        assert box["bounds"]["max"] == [max(p[i] for p in places) for i in range(3)]
    del query["wrap"]
    whole = served.json("/v1/bounds", over="clip", rate=8, **query)
    assert whole["sampled"]["poses"] == 17 and whole["root_motion"] == poses["root_motion"]
    for i in range(3):
        assert whole["whole"]["bounds"]["min"][i] == min(box["bounds"]["min"][i] for box in boxes["frames"])
        assert whole["whole"]["bounds"]["max"][i] == max(box["bounds"]["max"][i] for box in boxes["frames"])


def scene_with_a_post():
    """walk() with a triangle on the spine and another that stands still, so that a picture shows motion."""
    document = json.loads(walk())
    data = struct.pack("<9f", 0, 0, 0, 1, 0, 0, 0, 2, 1)
    document["buffers"].append({"byteLength": len(data),
                                "uri": "data:application/octet-stream;base64," + base64.b64encode(data).decode()})
    document["bufferViews"].append({"buffer": 1, "byteLength": len(data)})
    document["accessors"].append({"bufferView": 3, "componentType": 5126, "count": 3, "type": "VEC3",
                                  "min": [0, 0, 0], "max": [1, 2, 1]})
    document["materials"] = [{"doubleSided": True}]
    document["meshes"] = [{"primitives": [{"attributes": {"POSITION": 3}, "material": 0}]}]
    document["nodes"][2]["mesh"] = document["nodes"][3]["mesh"] = 0
    document["nodes"][3]["translation"] = [4, 12, 0]
    return json.dumps(document)


def unlike(a, b):
    """The number of pixels that differ clearly; edges may be rounded differently."""
    return sum(max(abs(x - y) for x, y in zip(p, q)) > 64 for one, other in zip(a.rows, b.rows) for p, q in zip(one, other))


def test_pictures_of_a_character_that_stays_in_place(start, tmp_path):
    (tmp_path / "walk.gltf").write_text(scene_with_a_post())
    server = start(root=tmp_path)
    query = "/v1/render?model=walk.gltf&wrap=clamp&width=96&height=96&yaw=30&pitch=20&frame=pose"
    still = "&root_motion=extract&root=hips"
    first, moved = picture(server.get(query + "&t=0")), picture(server.get(query + "&t=2"))
    placed, both = picture(server.get(query + "&t=2" + still)), picture(server.get(query + "&t=2&root_yaw=1" + still))
    # At t = 2 the hips have their first height again: without translation and turning the pose equals the first one.
    assert unlike(first, moved) > 200 and unlike(first, placed) > 50 and unlike(first, both) < 20
    assert picture(server.get(query + "&t=0&root_yaw=1" + still)).rows == first.rows
    # the motion begins at the start of the part
    late = picture(server.get(query + "&from=1&t=1&root_yaw=1" + still))
    assert unlike(late, picture(server.get(query + "&from=1&t=0"))) > 20
    tags = {server.get(query + part).headers["etag"] for part in ("&t=2", "&t=2" + still, "&t=2&root_yaw=1" + still)}
    assert len(tags) == 3


def test_pictures_refuse_what_poses_refuse(start, tmp_path):
    (tmp_path / "walk.gltf").write_text(walk())
    server = start(root=tmp_path)
    for query, status, code in [("root=hips", 400, "bad_parameter"), ("root_yaw=1", 400, "bad_parameter"),
                                ("root_motion=extract&root=hip", 404, "joint_not_found")]:
        answer = server.get("/v1/render?model=walk.gltf&" + query)
        assert (answer.status, answer.error()) == (status, code), answer.body
    assert server.get("/v1/pose?model=walk.gltf&root_motion=extract&root=hips&root_yaw=1").error() == "unknown_parameter"


def test_it_begins_at_from(served):
    step = served.json("/v1/pose", model="walk.gltf", root_motion="extract", root=1, t=0.5, **{"from": 1})
    assert step["root_motion"]["lap"]["translation"] == pytest.approx([-4, 0, -6], abs=1e-5)
    assert step["frames"][0]["root_motion"]["translation"] == pytest.approx([-2, 0, -3], abs=1e-5)


def test_file_without_skins_has_the_root_that_its_clips_move(served, tmp_path):
    answer = served.json("/v1/pose", model="walk.gltf", root_motion="extract", t=1)
    assert answer["root_motion"]["root"] == {"node": 1, "name": "hips"}
    assert any(answer["frames"][0]["root_motion"]["translation"])
    two = json.loads(walk())
    two["animations"][0]["channels"][1]["target"]["node"] = 3
    (tmp_path / "two.gltf").write_text(json.dumps(two))
    refused = served.get("/v1/pose?model=two.gltf&root_motion=extract")
    assert (refused.status, refused.error()) == (400, "bad_parameter") and b"root=" in refused.body


def test_what_is_refused(served):
    for query, status, code in [("root=hips", 400, "bad_parameter"),
                                ("root_motion=extract&root=hip", 404, "joint_not_found")]:
        answer = served.get("/v1/pose?model=walk.gltf&" + query)
        assert (answer.status, answer.error()) == (status, code), answer.body


def test_samples_find_their_root(server):
    answer = server.json("/v1/palette", model="robot.glb", clip="walk", t=0.3, root_motion="extract", yaw=1)
    assert answer["root_motion"]["root"]["name"] is not None and "yaw" in answer["frames"][0]["root_motion"]
