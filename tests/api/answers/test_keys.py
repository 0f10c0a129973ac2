"""/v1/keys: the keys of a glTF file are returned unchanged, also as clips of another model and under other names."""
import json
import struct

import numpy as np
import pytest

from importers import NO_RENDERING
from rigs import CLIPS, DURATION, RIG, Writer, character, moves

DRAWS = False

pytestmark = pytest.mark.short
TANGENTS = [[0.5, 1, 2], [0, 1, 0], [3, 2, 1], [1, 1, 1], [1, 3, -2], [0, 0, 0.25]]  # in, value, out of two keys


@pytest.fixture
def root(tmp_path):
    (tmp_path / "whole.gltf").write_text(character(CLIPS))
    (tmp_path / "body.gltf").write_text(character())
    rig = {f"A {name}": (parent and f"A {parent}", place) for name, (parent, place) in RIG.items()}
    clips = {clip: {(f"A {name}", path): rows for (name, path), rows in channels.items()} for clip, channels in CLIPS.items()}
    (tmp_path / "other.gltf").write_text(moves(clips, list(rig), rig))
    writer = Writer()
    writer.rig(list(RIG))
    writer.clips({"curve": {("hip", "translation"): TANGENTS}, "step": {("knee", "scale"): [[1, 1, 1], [1, 2, 3]]}})
    for animation, kind in zip(writer.document["animations"], ("CUBICSPLINE", "STEP")):
        animation["samplers"][0]["interpolation"] = kind
    (tmp_path / "curves.gltf").write_text(writer.text())
    return tmp_path


def keys(server, **parameters):
    return server.json("/v1/keys", **parameters)["clips"]


def check(clips):
    assert [clip["name"] for clip in clips] == list(CLIPS)
    for clip in clips:
        assert clip["duration"] == DURATION and clip["start"] == 0
        found = {(one["name"], one["path"]): one for one in clip["channels"]}
        assert found.keys() == CLIPS[clip["name"]].keys()
        for key, rows in CLIPS[clip["name"]].items():
            one = found[key]
            assert one["interpolation"] == "LINEAR" and one["components"] == len(rows[0]) and one["times"] == [0, DURATION]
            np.testing.assert_array_equal(np.array(one["values"], "f4"), np.ravel(np.array(rows, "f4")))


def test_of_the_file(start, root):
    server = start(*NO_RENDERING, root=root)
    check(keys(server, model="whole.gltf"))
    run, = keys(server, model="whole.gltf", clip="run", joints="knee", path="rotation,scale")
    assert [(one["name"], one["path"]) for one in run["channels"]] == [("knee", "rotation"), ("knee", "scale")]
    run, = keys(server, model="whole.gltf", clip="1", subtree="knee")
    assert {one["name"] for one in run["channels"]} == {"knee"}
    assert keys(server, model="whole.gltf", clip="-") == []


def test_tangents_and_steps(start, root):
    server = start(*NO_RENDERING, root=root)
    curve, step = keys(server, model="curves.gltf")
    one, = curve["channels"]
    assert one["interpolation"] == "CUBICSPLINE" and one["components"] == 3 and one["times"] == [0, DURATION]
    assert one["values"] == [number for row in TANGENTS for number in row]
    assert step["channels"][0]["interpolation"] == "STEP"


def test_of_another_file(start, root):
    server = start(*NO_RENDERING, root=root)
    answer = server.json("/v1/keys", model="body.gltf", clip_file="other.gltf", rename_joints="A *=*")
    check(answer["clips"])
    nodes = [node["name"] for node in server.json("/v1/model", model="body.gltf")["nodes"]]
    assert all(nodes[one["node"]] == one["name"] for clip in answer["clips"] for one in clip["channels"])
    assert answer["clip_file"]["unmatched"]["nodes"] == []
    lost = server.get("/v1/keys?model=body.gltf&clip_file=other.gltf")
    assert lost.status == 200 and all(clip["channels"] == [] for clip in lost.json()["clips"])
    assert lost.headers["x-posed-unmatched"].startswith("2;") and len(lost.json()["clip_file"]["unmatched"]["nodes"]) == 2
    assert server.get("/v1/keys?model=body.gltf&clip_file=other.gltf&clip=run").error() == "clip_no_match"


def test_binary(start, root):
    server = start(*NO_RENDERING, root=root)
    body = server.get("/v1/keys?model=curves.gltf&format=bin").body
    frame_count, block_count, clip = struct.unpack_from("<2Ii", body, 16)
    assert (frame_count, block_count, clip) == (0, 5, -1)
    blocks = [struct.unpack_from("<2HI2i2IQ", body, 96 + 32 * i) for i in range(block_count)]
    assert [(block[0], block[2], block[5]) for block in blocks] == [(27, 0, 2), (28, 0, 2), (28, 1, 2), (29, 0, 18), (29, 1, 6)]
    assert struct.unpack_from("<12I", body, blocks[0][7]) == (0, 1, 0, 2, 3, 2, 1, 2, 2, 1, 3, 2)
    assert struct.unpack_from("<2d", body, blocks[1][7]) == (0, DURATION)
    assert struct.unpack_from("<18f", body, blocks[3][7]) == tuple(number for row in TANGENTS for number in row)


def test_batch_and_errors(start, root):
    server = start(*NO_RENDERING, "--max-answer", "4096", root=root)
    body = json.dumps({"queries": [{"op": "keys", "model": "whole.gltf", "clip": "run", "path": ["scale"]}]}).encode()
    with server.connect() as connection:
        connection.send(f"POST /v1/query HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body)
        result, = connection.answer().json()["results"]
    assert result["clips"] == keys(server, model="whole.gltf", clip="run", path="scale")
    for query, code in (("path=size", "bad_parameter"), ("joints=tail", "joint_not_found"), ("clip=no", "clip_not_found"), ("t=1", "unknown_parameter"),
                        ("rename_joints=a=b", "bad_parameter")):
        assert server.get("/v1/keys?model=whole.gltf&" + query).error() == code
    many = {f"n{i}": {("hip", "translation"): [[0, 0, 0], [1, 2, 3]]} for i in range(60)}
    (root / "many.gltf").write_text(character(many))
    for form in ("json", "bin"):
        refused = server.get(f"/v1/keys?model=many.gltf&format={form}")
        assert refused.error() == "too_many_frames" and "4096" in refused.json()["error"]["message"]
