"""layers of /v1/export: length, ends, names and other tracks of the clip; what is refused, limited and estimated."""
import base64
import json
import struct

import pytest

from conftest import Server
from exported_layers import TOLERANCE, asked, codes, compare, export, fill, materials
from importers import NO_RENDERING
from raw_requests import post
from round_trip import Glb, query

DRAWS = False


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    folder = tmp_path_factory.mktemp("layers")
    fill(folder)
    return folder


@pytest.fixture(scope="module")
def server(root):
    running = Server(root, *NO_RENDERING, "--log", "off")
    yield running
    running.end()


def test_the_last_key_is_the_end_of_layers_that_loop(server, root):
    """run.gltf moves the root by 4. At its end /v1/pose begins anew; the clip does not, and one played backwards begins there."""
    for speed, first, last in ((1, 5, 9), (-2, 9, 5)):
        data, glb = export(server, "faced.glb", [{"clip_file": "run.gltf", "clip": "run", "speed": speed}], fps=8)
        (root / "ends.glb").write_bytes(data)
        times = glb.key_times(0)
        length = server.json("/v1/model", model="run.gltf")["clips"][0]["duration"]
        assert times[-1] == pytest.approx(length / abs(speed))
        frames = asked(server, "/v1/pose", {"model": "ends.glb", "clip": 0, "wrap": "clamp", "t": [0, times[-1]], "what": "local"})["frames"]
        assert [frame["local"][0][0] for frame in frames] == pytest.approx([first, last])


@pytest.mark.parametrize("layers, length", [
    ([{"clip": "walk", "from": 0.1, "to": 0.4}], 0.3),
    ([{"clip": "walk", "to": 0.40002}], 0.40002),  # the pose at 0.4 would be too near
    ([{"clip": "walk", "from": 0.1, "to": 0.4, "speed": -0.5, "wrap": "clamp", "phase": 1}], 0.6),
    ([{"clip": "walk", "wrap": "mirror", "speed": 2, "from": 0.1}, {"clip": "wave", "to": 0.3}], 0.4),
    ([{"clip": "walk", "t": 0.5}, {"pose": {"nodes": ["hip"], "frames": [{"time": 0, "degrees": [[0, 0, 0]]}, {"time": 0.2, "degrees": [[0, 50, 0]]}]}}], 0.2),
    ([{"clip": "walk", "speed": 0}, {"pose": {"nodes": {"hip": {"degrees": [0, 9, 0]}}}}], 0),
])
def test_the_length_is_that_of_the_longest_layer(server, layers, length):
    assert server.json("/v1/model", model="faced.glb")["clips"][0]["duration"] == 0.5
    _, glb = export(server, "faced.glb", layers)
    times = glb.key_times(0)
    assert times[-1] == pytest.approx(length) and len(times) == round(length * 30) + 1, "30 poses a second"


def test_clips_of_other_files_are_in_the_blend_only(server, root):
    layers = [{"clip": "walk", "wrap": "clamp"}, {"clip_file": "run.gltf", "clip": "run", "weight": 2, "subtree": "hip", "wrap": "clamp"}]
    data, glb = export(server, "faced.glb", layers, fps=6)
    (root / "other.glb").write_bytes(data)
    assert [clip["name"] for clip in glb.json["animations"]] == ["blend"]
    other, = glb.json["asset"]["extras"]["clip_files"]
    assert other["model"] == "run.gltf" and other["unmatched"]["nodes"] == []
    assert [joint["name"] for joint in other["unmatched"]["joints"]] == ["toe"], "no played clip of the file moves it"
    assert compare(server, "faced.glb", "other.glb", glb.key_times(0), layers) < TOLERANCE
    _, same = export(server, "faced.glb", [{"clip": "run", "subtree": "hip"}], fps=6, clip_file="run.gltf", clip_names="{file} and {clip}")
    assert [clip["name"] for clip in same.json["animations"]] == ["faced and blend"]
    _, named = export(server, "faced.glb", [{"clip": "walk"}], clip_names="tired walk")
    assert [clip["name"] for clip in named.json["animations"]] == ["tired walk"]
    retargeted = post(server, "/v1/export", {"model": "faced.glb", "layers": [{"clip_file": "run.gltf"}], "retarget": "rest"})
    assert retargeted.error() in ("no_humanoid", "humanoid_incomplete")


def test_a_pose_on_top_changes_one_clip(server, root):
    """Without layers it lies on the clip of clips=, which keeps its name, or on the rest pose."""
    answer = server.get(query("/v1/export", model="faced.glb", clips="walk", turn="hip:10,30,-20", morph="smile:0.5", fps=12))
    assert answer.status == 200, answer.body
    (root / "top.glb").write_bytes(answer.body)
    glb = Glb(answer.body)
    assert [clip["name"] for clip in glb.json["animations"]] == ["walk"]
    times = glb.key_times(0)
    assert compare(server, "faced.glb", "top.glb", times, None, clip="walk", wrap="clamp", turn="hip:10,30,-20", morph="smile:0.5") < TOLERANCE
    rest = server.get(query("/v1/export", model="faced.glb", clips="-", turn="hip:10,30,-20"))
    (root / "still.glb").write_bytes(rest.body)
    clip, = Glb(rest.body).json["animations"]
    assert clip["name"] == "blend" and len(clip["channels"]) == 1 and Glb(rest.body).key_times(0) == [0]
    assert compare(server, "faced.glb", "still.glb", [0], None, clip="-", turn="hip:10,30,-20") < TOLERANCE
    assert answer.headers["etag"] != rest.headers["etag"]


def test_lists_have_a_number_for_each_pose(server, root):
    """A cross-fade: five poses, and five weights."""
    layers = [{"clip": "walk", "wrap": "clamp"}, {"clip": "wave", "wrap": "clamp", "weight": [0, 0.5, 1, 2, 9]}]
    data, glb = export(server, "faced.glb", layers, fps=8)
    (root / "fade.glb").write_bytes(data)
    assert glb.key_times(0) == [0, 0.125, 0.25, 0.375, 0.5]
    for k, weight in enumerate(layers[1]["weight"]):
        assert compare(server, "faced.glb", "fade.glb", [k / 8], [layers[0], {**layers[1], "weight": weight}]) < TOLERANCE
    for name, numbers in (("weight", [1, 1]), ("t", [0, 1, 2, 3, 4, 5])):
        answer = post(server, "/v1/export", {"model": "faced.glb", "layers": [{"clip": "walk"}, {"clip": "wave", name: numbers}], "fps": 8})
        assert answer.error() == "bad_parameter"
        assert f"layers[1]: parameter '{name}' has {len(numbers)} numbers for 5 poses" in answer.json()["error"]["message"]


def test_other_parameters_act_on_the_clip(server, root):
    """root_motion takes the way out of the blend, subtree keeps some nodes, optimize drops keys."""
    layers = [{"clip_file": "run.gltf", "clip": "run", "wrap": "clamp"}]
    data, glb = export(server, "faced.glb", layers, fps=8, root_motion="in-place", root="root")
    (root / "in_place.glb").write_bytes(data)
    frames = asked(server, "/v1/pose", {"model": "in_place.glb", "clip": 0, "wrap": "clamp", "t": [0, 0.5], "what": "local"})["frames"]
    first, last = [frame["local"][0][:3] for frame in frames]
    assert last == pytest.approx(first, abs=1e-5)
    _, part = export(server, "faced.glb", layers, fps=8, subtree="knee")
    assert {part.json["nodes"][channel["target"]["node"]]["name"] for channel in part.json["animations"][0]["channels"]} <= {"root", "hip", "knee"}
    _, dense = export(server, "faced.glb", layers, fps=240)
    _, optimal = export(server, "faced.glb", layers, fps=240, optimize=1)
    assert optimal.json["asset"]["extras"]["optimized"]["keys"][0] > 2 * optimal.json["asset"]["extras"]["optimized"]["keys"][1]
    assert len(dense.key_times(0)) == 121
    exact = post(server, "/v1/export", {"model": "faced.glb", "layers": layers, "fps": 7, "exact": 1})
    assert exact.status == 200, exact.body


def test_visible_and_other_tracks(server, root):
    """Layers leave keys of visibility out and say so; a clip below a pose keeps them, with its markers and extras."""
    layers = [{"clip": "shown"}]
    _, glb = export(server, "shown.gltf", layers)
    assert codes(glb) == ["layers_move_nodes"] and "extras" not in glb.json["animations"][0]
    answer = server.get(query("/v1/export", model="shown.gltf", clips="shown", turn="0:0,30,0", fps=4))
    (root / "kept.glb").write_bytes(answer.body)
    clip, = Glb(answer.body).json["animations"]
    assert clip["name"] == "shown" and clip["extras"] == {"mood": "odd"}
    pointers = [channel["target"]["extensions"]["KHR_animation_pointer"]["pointer"] for channel in clip["channels"] if channel["target"]["path"] == "pointer"]
    assert sorted(pointers) == ["/materials/0/pbrMetallicRoughness/baseColorFactor", "/nodes/1/extensions/KHR_node_visibility/visible"]
    assert compare(server, "shown.gltf", "kept.glb", [0, 0.25, 1], None, clip="shown", wrap="clamp", turn="0:0,30,0") < TOLERANCE
    for t in (0, 0.4, 1):
        wanted = materials(server, {"model": "shown.gltf", "clip": "shown", "wrap": "clamp", "t": t})
        assert materials(server, {"model": "kept.glb", "clip": 0, "wrap": "clamp", "t": t}) == wanted


@pytest.mark.parametrize("body, said", [
    ({"layers": [{"clip": "walk"}], "clips": "walk"}, "parameter 'clips' does not go with layers"),
    ({"layers": [{"clip": "walk"}], "clip_file": ["run.gltf", "robot.glb"]}, "parameter 'clip_file' names 2 files"),
    ({"layers": [{"clip": "walk"}], "strict": 1, "clip_file": "run.gltf"}, "parameter 'strict' does not go with layers"),
    ({"layers": [{"clip": "walk", "speed": 1e-300}]}, "more than one request may ask for"),
    ({"layers": [{"clip": "walk", "to": 3}]}, "parameter 'to' is 3 s"),
    ({"layers": [{"pose": {"nodes": {"nobody": {"degrees": [0, 0, 0]}}}}]}, "nobody"),
    ({"layers": [{"pose": {"nodes": {"hip": {"translation": [3e38, 0, 0]}}}, "mode": "additive"}] * 2}, "node 1 'hip' at 0 s has a number that is not finite"),
    ({"turn": "hip:1,2,3"}, "a pose on top needs one clip"),
    ({"turn": "hip:1,2,3", "clips": ["walk", "wave"]}, "parameter 'turn' lies on top of one clip"),
    ({"morph": "smile:1", "clip_file": "run.gltf"}, "parameter 'morph' does not go with 'clip_file'"),
    ({"turn": "hip:1,2,3", "clips": "nothing"}, "nothing"),
    ({"turn": "nobody:1,2,3", "clips": "walk"}, "nobody"),
])
def test_what_is_refused(server, body, said):
    answer = post(server, "/v1/export", {"model": "faced.glb", **body})
    assert answer.status in (400, 404, 422) and said in answer.json()["error"]["message"], answer.body


def test_the_work_is_limited(start, root):
    """Four poses a second of a minute are fewer steps than the limit, forty are more."""
    server = start("--max-evaluations", "60000", *NO_RENDERING, root=root)
    layers = [{"clip": "walk", "speed": 1 / 120}, {"pose": {"nodes": {"hip": {"degrees": [0, 9, 0]}}}}]
    export(server, "faced.glb", layers, fps=4)
    answer = post(server, "/v1/export", {"model": "faced.glb", "layers": layers, "fps": 40})
    assert answer.error() == "too_many_frames" and "2401 poses of 'faced.glb', those from 0 to 60 s at fps=40" in answer.json()["error"]["message"]


def test_an_estimate_knows_the_layers(server):
    layers = [{"clip": "walk"}]
    def estimate(**more):
        return asked(server, "/v1/export", {"model": "faced.glb", "layers": layers, "estimate": 1, **more})["estimate"]
    data, _ = export(server, "faced.glb", layers, fps=1000)
    assert 0.5 * len(data) < estimate(fps=1000)["bytes"] < 2 * len(data)
    assert estimate(fps=1000)["bytes"] > estimate(fps=10)["bytes"]


def test_times_of_a_model_without_nodes_cost_something(server, root):
    """Nothing is posed, but each of 10^9 times would take memory."""
    times, colours = [0, 1e9], [1, 0, 0, 1, 0, 1, 0, 1]
    data = base64.b64encode(struct.pack("<10f", *times, *colours)).decode()
    pointer = {"path": "pointer", "extensions": {"KHR_animation_pointer": {"pointer": "/materials/0/pbrMetallicRoughness/baseColorFactor"}}}
    (root / "no_nodes.gltf").write_text(json.dumps({
        "asset": {"version": "2.0"}, "extensionsUsed": ["KHR_animation_pointer"], "materials": [{"pbrMetallicRoughness": {"baseColorFactor": [1, 1, 1, 1]}}],
        "buffers": [{"byteLength": 40, "uri": f"data:application/octet-stream;base64,{data}"}],
        "bufferViews": [{"buffer": 0, "byteLength": 8}, {"buffer": 0, "byteOffset": 8, "byteLength": 32}],
        "accessors": [{"bufferView": 0, "componentType": 5126, "count": 2, "type": "SCALAR", "min": [0], "max": [1e9]},
                      {"bufferView": 1, "componentType": 5126, "count": 2, "type": "VEC4"}],
        "animations": [{"samplers": [{"input": 0, "output": 1}], "channels": [{"sampler": 0, "target": pointer}]}]}))
    answer = post(server, "/v1/export", {"model": "no_nodes.gltf", "layers": [{"clip": 0}], "fps": 0.9})
    assert (answer.status, answer.error()) == (400, "too_many_frames"), answer.body[:300]


def test_a_clip_of_no_time_keeps_its_end(server):
    pose = {"nodes": ["hip"], "frames": [{"translation": [[0, 0, 0]]}, {"translation": [[1, 2, 3]]}]}
    _, glb = export(server, "faced.glb", [{"pose": pose, "wrap": "clamp", "speed": 1e9}])
    sampler, = glb.json["animations"][0]["samplers"]
    assert glb.rows(sampler["output"])[-1] == pytest.approx([1, 2, 3])


def test_a_pose_on_top_of_several_clips_says_what_the_format_takes(server):
    for query, words in {"": "name it by 'clips', or - for the rest pose, or give it as a layer", "&format=posed": "3: give it as a layer"}.items():
        answer = server.get("/v1/export?model=robot.glb&turn=head:0,20,0" + query)
        assert answer.error() == "bad_parameter" and answer.json()["error"]["message"].replace("has 3", "3").endswith(words), answer.body
