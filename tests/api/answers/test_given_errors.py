"""What a given pose can have wrong: the code, and the layer, frame, node and number that the message names; the same over TCP."""
import json
import math
import re
import struct

import pytest

import packets
import vrm_files
from conftest import REPOSITORY, SAMPLES, Server
from given_mixtures import CROWDED, faced
from raw_requests import post

DRAWS = False
NUMBERS = {name: int(number) for number, name in re.findall(r'^X\(\w+, (\d+), \d+, "(\w+)"', (REPOSITORY / "protocol/errors.def").read_text(), re.M)}
TWINS = {"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0, 1, 2]}], "nodes": [{"name": "twin"}, {"name": "twin"}, {"name": "one"}]}
NO_TURN, TURN = [0, 0, 0, 1], [0, 0, 1, 0]
HEAD = {"head": {"degrees": [0, 20, 0]}}


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    root = tmp_path_factory.mktemp("errors")
    (root / "robot.glb").write_bytes((SAMPLES / "robot.glb").read_bytes())
    (root / "faced.glb").write_bytes(faced())
    (root / "twins.gltf").write_text(json.dumps(TWINS))
    (root / "crowded.gltf").write_text(json.dumps(CROWDED))
    vrm_files.write_all(root)
    running = Server(root, "--tcp", "127.0.0.1:0", "--log", "off", "--max-frames", "100", draws=False)
    yield running
    running.end()


def of(model, pose, **layer):
    return {"model": model, "layers": [{"clip": "-"}, {"pose": pose, **layer}]}


def robot(nodes, **more):
    return of("robot.glb", {"nodes": nodes, **more})


def frames(*rows, **more):
    return of("robot.glb", {"nodes": ["chest", "head"], "frames": list(rows), **more})


# (body, status, code, what the message has)
WRONG = {
    "a node that is not there": (robot({"hed": HEAD["head"]}), 404, "joint_not_found", ["layers[1]", "nodes[0]", "'hed'"]),
    "of a list": (robot(["head", "hed"], degrees=[[0, 1, 2], None]), 404, "joint_not_found", ["layers[1]", "nodes[1]", "'hed'"]),
    "an index": (robot([99], degrees=[[0, 1, 2]]), 404, "joint_not_found", ["layers[1]", "nodes[0]", "99", "0 to 19"]),
    "a role of what is no human": (robot({"leftEye": HEAD["head"]}), 404, "joint_not_found", ["layers[1]", "'leftEye'"]),
    "two of a name": (of("twins.gltf", {"nodes": {"twin": HEAD["head"]}}), 409, "ambiguous_name", ["layers[1]", "nodes[0]", "'twin'"]),
    "a node twice": (robot(["head", 5], degrees=[[0, 1, 2]] * 2), 400, "duplicate_parameter", ["layers[1]", "nodes[0]", "nodes[1]", "'head'"]),
    "a node twice by its role": (of("turned.vrm", {"nodes": {"head": {"degrees": [0, 1, 2]}, "J_head": {"degrees": [0, 1, 2]}}}), 400,
                                 "duplicate_parameter", ["layers[1]", "nodes[0]", "nodes[1]", "'J_head'"]),
    "two rotations": (robot({"head": {"degrees": [0, 1, 2], "rotation": TURN}}), 400, "duplicate_parameter", ["layers[1]", "'head'", "rotations"]),
    "no direction": (robot({"head": {"rotation": [0, 0, 0, 0]}}), 400, "bad_parameter", ["layers[1]", "frame 0", "rotation", "'head'", "length 0"]),
    "no direction later": (frames({"rotation": [None, TURN]}, {"rotation": [None, [0, 0, 0, 0]]}), 400, "bad_parameter",
                           ["layers[1]", "frame 1", "rotation", "'head'", "length 0"]),
    "no float": (robot({"head": {"translation": [0, 1e39, 0]}}), 400, "bad_parameter", ["layers[1]", "frame 0", "translation", "'head'", "number 1"]),
    "no float later": (frames({"scale": [[1, 1, 1], None]}, {"scale": [[1, 1, -1e39], None]}), 400, "bad_parameter",
                       ["layers[1]", "frame 1", "scale", "'chest'", "number 2"]),
    "no float by rest": (of("faced.glb", {"nodes": {"root": {"scale": [3e38, 1, 1]}}, "relative_to": "rest"}), 400, "bad_parameter",
                         ["layers[1]", "frame 0", "scale", "'root'", "number 0"]),
    "no double": ('{"model":"robot.glb","layers":[{"pose":{"nodes":{"head":{"translation":[0,1e400,0]}}}}]}', 400, "bad_parameter",
                  ["layers[0]", "translation", "'head'", "number 1"]),
    "NaN": ('{"model":"robot.glb","layers":[{"pose":{"nodes":{"head":{"translation":[0,NaN,0]}}}}]}', 400, "bad_request", ["JSON", "byte 74"]),
    "no number": (robot({"head": {"translation": [0, "x", 1]}}), 400, "bad_parameter", ["layers[1]", "translation", "'head'", "number 1"]),
    "three of four": (robot({"head": {"rotation": [0, 0, 1]}}), 400, "bad_parameter", ["layers[1]", "rotation", "'head'", "4 numbers"]),
    "five of four": (robot(["head"], rotation=[[0, 0, 1, 0, 0]]), 400, "bad_parameter", ["layers[1]", "rotation", "'head'", "4 numbers"]),
    "nine of ten": (robot(["head"], local=[[0] * 9]), 400, "bad_parameter", ["layers[1]", "local", "'head'", "10 numbers"]),
    "more rows than nodes": (robot(["head"], rotation=[TURN, TURN]), 400, "bad_parameter", ["layers[1]", "'rotation'", "2 entries", "1 nodes"]),
    "fewer rows than nodes": (frames({"rotation": [TURN]}), 400, "bad_parameter", ["layers[1]", "frame 0", "'rotation'", "1 entries", "2 nodes"]),
    "other parts later": (frames({"rotation": [TURN, None]}, {"rotation": [TURN, TURN]}), 400, "bad_parameter", ["layers[1]", "frame 1", "'head'", "rotation"]),
    "fewer parts later": (frames({"rotation": [TURN, TURN]}, {"rotation": [TURN, None]}), 400, "bad_parameter", ["layers[1]", "frame 1", "'head'", "rotation"]),
    "times that stand": (frames({"time": 0, "rotation": [TURN, None]}, {"time": 0, "rotation": [TURN, None]}), 400, "bad_parameter",
                         ["layers[1]", "frame 1", "time is 0 s"]),
    "times that fall": (frames(*({"time": t, "rotation": [TURN, None]} for t in (0, 1, 0.5))), 400, "bad_parameter", ["layers[1]", "frame 2", "0.5 s"]),
    "a time before 0": (frames({"time": -1, "rotation": [TURN, None]}), 400, "bad_parameter", ["layers[1]", "frame 0", "-1 s"]),
    "a time that ends not": ('{"model":"robot.glb","layers":[{"pose":{"nodes":["head"],"frames":[{"time":1e400,"degrees":[[1,1,1]]}]}}]}', 400,
                             "bad_parameter", ["layers[0]", "frame 0", "time"]),
    "no time": (frames({"time": "x", "rotation": [TURN, None]}), 400, "bad_parameter", ["layers[1]", "frame 0", "'time'"]),
    "too many frames": (frames(*[{"rotation": [TURN, None]}] * 101), 400, "too_many_frames", ["layers[1]", "frame 100", "100 frames"]),
    "no frames": (frames(), 400, "bad_parameter", ["layers[1]", "no frames"]),
    "frames that are none": (frames(3), 400, "bad_parameter", ["layers[1]", "frame 0"]),
    "frames and nodes by name": (of("robot.glb", {"nodes": HEAD, "frames": [{}]}), 400, "bad_parameter", ["layers[1]", "'nodes'"]),
    "numbers outside of frames": (frames({"rotation": [TURN, None]}, rotation=[TURN, None]), 400, "bad_parameter", ["layers[1]", "'rotation'"]),
    "nothing": (of("robot.glb", {}), 400, "bad_parameter", ["layers[1]", "gives nothing"]),
    "no object": (of("robot.glb", []), 400, "bad_parameter", ["layers[1]", "'pose'", "object"]),
    "a node that is none": (robot([True], degrees=[[1, 1, 1]]), 400, "bad_parameter", ["layers[1]", "nodes[0]"]),
    "an index with a fraction": (robot(["head", 1.5], degrees=[[1, 1, 1]] * 2), 400, "bad_parameter", ["layers[1]", "nodes[1]"]),
    "an unknown part": (robot({"head": {"turn": [0, 0, 1]}}), 400, "unknown_parameter", ["layers[1]", "'head'", "'turn'"]),
    "an unknown member": (robot(HEAD, nix=1), 400, "unknown_parameter", ["layers[1]", "'nix'"]),
    "an unknown member of a frame": (frames({"rotation": [TURN, None]}, {"rotation": [TURN, None], "nix": 1}), 400, "unknown_parameter",
                                     ["layers[1]", "frame 1", "'nix'"]),
    "an order": (robot(HEAD, order="xxy"), 400, "bad_parameter", ["layers[1]", "'order'"]),
    "relative to what": (robot(HEAD, relative_to="scene"), 400, "bad_parameter", ["layers[1]", "'relative_to'"]),
    "a rate": (robot(HEAD, rate=0), 400, "bad_parameter", ["layers[1]", "'rate'"]),
    "a morph target": (of("faced.glb", {"morphs": {"smle": 1}}), 404, "morph_not_found", ["layers[1]", "'smle'", "did you mean 'smile'?"]),
    "a morph target of a mesh": (of("faced.glb", {"morphs": [{"target": "frown", "mesh": "paper"}], "frames": [{"morphs": [1]}]}), 404,
                                 "morph_not_found", ["layers[1]", "'frown'", "'paper'"]),
    "a morph target twice": (of("faced.glb", {"morphs": ["smile", {"target": "smile", "mesh": "skin"}], "frames": [{"morphs": [1, 0]}]}), 400,
                             "duplicate_parameter", ["layers[1]", "'smile'", "twice"]),
    "a target that many weights have, in many frames": (of("crowded.gltf", {"morphs": ["a"], "frames": [{"morphs": [0.5]}] * 100}), 400, "too_many_frames",
                                                        ["layers[1]", "100 frames", "48001", "the layers may move 4000000 numbers together"]),
    "a target that many weights have, many times": (of("crowded.gltf", {"morphs": ["a"] * 1000, "frames": [{"morphs": [0] * 1000}]}), 400,
                                                    "duplicate_parameter", ["layers[1]", "'a'"]),
    "weights of a frame by name": (of("faced.glb", {"morphs": ["smile", "frown"], "frames": [{"morphs": {"frown": 1, "smile": 0}}]}), 400, "bad_parameter",
                                   ["layers[1]", "frame 0", "'morphs'", "list"]),
    "weights of a frame without names": (of("robot.glb", {"nodes": ["head"], "frames": [{"rotation": [TURN], "morphs": 5}]}), 400, "bad_parameter",
                                         ["layers[1]", "frame 0", "'morphs'", "list"]),
    "a weight that is none": (of("faced.glb", {"morphs": {"smile": None}}), 400, "bad_parameter", ["layers[1]", "'smile'", "no number"]),
    "a weight that is no float": (of("faced.glb", {"morphs": {"frown": 1e39}}), 400, "bad_parameter", ["layers[1]", "frame 0", "morph weight 1", "'body'"]),
    "fewer weights than names": (of("faced.glb", {"morphs": ["smile", "frown"], "frames": [{"morphs": [0, 0]}, {"morphs": [0]}]}), 400,
                                 "bad_parameter", ["layers[1]", "frame 1", "1 weights", "2 names"]),
    "an expression": (of("turned.vrm", {"expressions": {"hapy": 1}}), 404, "expression_not_found", ["layers[1]", "'hapy'", "aa, blink, happy"]),
    "an expression of a model without": (of("robot.glb", {"expressions": {"happy": 1}}), 404, "expression_not_found", ["layers[1]", "'happy'", "none"]),
    "an expression twice": (of("turned.vrm", {"expressions": ["aa", "aa"], "frames": [{"expressions": [1, 0]}]}), 400, "duplicate_parameter",
                            ["layers[1]", "'aa'", "twice"]),
    "a clip too": (of("robot.glb", {"nodes": HEAD}, clip="walk"), 400, "bad_parameter", ["layers[1]", "'clip'", "pose"]),
    "a file of clips too": (of("robot.glb", {"nodes": HEAD}, clip_file="faced.glb"), 400, "bad_parameter", ["layers[1]", "'clip_file'", "pose"]),
    "a reference": (of("robot.glb", {"nodes": HEAD}, mode="additive", reference={"clip": "-"}), 400, "bad_parameter", ["layers[1]", "'reference'", "pose"]),
    "a clip's mode": (of("robot.glb", {"nodes": HEAD}, mode="override"), 400, "bad_parameter", ["layers[1]", "'mode'", "replace or additive"]),
    "a pose's mode": ({"model": "robot.glb", "layers": [{"clip": "walk", "mode": "replace"}]}, 400, "bad_parameter", ["layers[0]", "'mode'", "replace"]),
    "no mode": (of("robot.glb", {"nodes": HEAD}, mode="nix"), 400, "bad_parameter", ["layers[1]", "'mode'", "'nix'"]),
    "a weight above 1": (of("robot.glb", {"nodes": HEAD}, weight=1.5), 400, "bad_parameter", ["layers[1]", "'weight'", "1.5", "1"]),
    "a weight above 1, added": (of("robot.glb", {"nodes": HEAD}, weight=1.5, mode="additive"), 400, "bad_parameter", ["layers[1]", "'weight'", "1.5"]),
    "more weights than times": (of("robot.glb", {"nodes": HEAD}, weight=[0, 1]), 400, "bad_parameter", ["layers[1]", "'weight'", "2 numbers"]),
    "beyond its end": (of("robot.glb", {"nodes": HEAD}, to=1), 400, "bad_parameter", ["layers[1]", "'to'", "0 s"]),
    "outside of layers": ({"model": "robot.glb", "pose": {"nodes": HEAD}}, 400, "unknown_parameter", ["'pose'", "layer"]),
}


@pytest.mark.parametrize("about", WRONG)
def test_what_is_wrong_is_named(server, about):
    body, status, code, words = WRONG[about]
    text = body if isinstance(body, str) else json.dumps(body)
    for op in "palette", "pose", "mesh":
        answer = post(server, f"/v1/{op}", text.encode())
        assert answer.status == status and answer.error() == code, answer.body[:400]
        message = answer.json()["error"]["message"]
        assert all(word in message for word in words), message
    with packets.connect(server.ports, "tcp") as link:
        number, offset, said, found = link.ask("call", packets.call("/v1/mesh", text)).error()
        assert number == NUMBERS[code] and said == message and json.loads(found) == answer.json()
        assert link.ask("ping").kind == "done"
    if not isinstance(body, str):
        good, bad = post(server, "/v1/query", {"queries": [{"op": "pose", "model": "robot.glb"}, {"op": "pose", **body}]}).json()["results"]
        assert "frames" in good and bad["error"]["code"] == code and all(word in bad["error"]["message"] for word in words)


def local_bytes(server, model="robot.glb", t="0"):
    return server.get(f"/v1/pose?model={model}&what=local&format=bin&t={t}").body


def test_binary_frames_that_are_wrong(server):
    """Each names the frame, the node and the number as JSON does."""
    good = local_bytes(server, t="0:1:10")
    frames_offset, frame_bytes = struct.unpack_from("<2Q", good, 32)
    nodes = len(server.json("/v1/model", model="robot.glb")["nodes"])

    def changed(frame, node, number, value, count=1):
        data = bytearray(good)
        struct.pack_into(f"<{count}f", data, frames_offset + frame * frame_bytes + node * 40 + number * 4, *[value] * count)
        return bytes(data)

    def refused(body, code, *words, model="robot.glb"):
        answer = post(server, f"/v1/pose?model={model}&t=0:1:10", body)
        assert answer.error() == code and all(word in answer.json()["error"]["message"] for word in words), answer.body[:300]
        call = packets.call(f"/v1/pose?model={model}&t=0:1:10")
        call = packets.fields("call", method=1, target_bytes=len(call) - 16, body_bytes=len(body)) + call[16:] + body
        with packets.connect(server.ports, "tcp") as link:
            assert link.ask("call", call).error()[0] == NUMBERS[code]

    assert post(server, "/v1/pose?model=robot.glb&t=0:1:10", good).status == 200
    refused(changed(3, 5, 3, 0.0, 4), "bad_parameter", "frame 3", "rotation", "'head'", "length 0")
    refused(changed(2, 5, 1, math.inf), "bad_parameter", "frame 2", "translation", "'head'", "number 1")
    refused(changed(2, 5, 8, math.nan), "bad_parameter", "frame 2", "scale", "'head'", "number 1")
    refused(changed(4, 5, 3, math.nan, 4), "bad_parameter", "frame 4", "node 5", "rotation")
    refused(good, "joint_not_found", f"node {3}", model="twins.gltf")
    times = bytearray(good)
    at = struct.unpack_from("<I", good, 8)[0]
    first = 96 + 32 * struct.unpack_from("<I", good, 20)[0]
    assert first < at
    struct.pack_into("<d", times, first + 16 * 2, 0.0)
    refused(bytes(times), "bad_parameter", "frame 2", "time is 0 s")
    refused(good[:-1], "bad_request", "byte 48")
    refused(server.get("/v1/pose?model=robot.glb&what=scene&format=bin").body, "bad_request", "local")
    refused(server.get("/v1/palette?model=robot.glb&format=bin").body, "bad_request", "byte 12")
    assert nodes == 20


def test_too_many_frames_and_numbers(server, start):
    """The limits of frames, and of numbers in all of them."""
    many = start("--log", "off", root=server.root)
    pose = local_bytes(many)
    frames_offset, frame_bytes = struct.unpack_from("<2Q", pose, 32)
    blocks, = struct.unpack_from("<I", pose, 20)

    def repeated(count):
        """The first frame so many times."""
        head, table = pose[:96], pose[96:96 + 32 * blocks]
        times = b"".join(struct.pack("<2d", i / 10, i / 10) for i in range(count))
        times += bytes(-(96 + len(table) + len(times)) % 16)
        data = bytearray(head + table + times + pose[frames_offset:frames_offset + frame_bytes] * count)
        struct.pack_into("<I", data, 8, 96 + len(table) + len(times))
        struct.pack_into("<I", data, 16, count)
        struct.pack_into("<Q", data, 32, 96 + len(table) + len(times))
        struct.pack_into("<Q", data, 48, len(data))
        return bytes(data)

    assert post(many, "/v1/pose?model=robot.glb", repeated(1000)).status == 200
    refused = post(server, "/v1/pose?model=robot.glb", repeated(101))
    assert refused.error() == "too_many_frames" and "100 frames" in refused.json()["error"]["message"]
    wide = start("--log", "off", "--max-body", "64MiB", root=server.root)
    assert post(wide, "/v1/pose?model=robot.glb", repeated(5000)).status == 200
    refused = post(wide, "/v1/pose?model=robot.glb", repeated(5001))
    assert refused.error() == "too_many_frames" and "1000000 numbers" in refused.json()["error"]["message"]


def test_a_name_that_is_given_again_and_again_is_refused_before_the_model_is_searched(server):
    found = server.get("/v1/palette?model=crowded.gltf" + "&morph=a:1" * 200)
    assert (found.status, found.error()) == (400, "duplicate_parameter")
    assert "'a'" in found.json()["error"]["message"]
