"""what=materials of /v1/pose: the materials that clips and expressions change, against those of the GLB file of the same pose."""
import base64
import json
import os
import struct
import urllib.parse

import numpy as np
import pytest

from conftest import Server
from raw_requests import post
from vrm_avatar import CHEEK, EYE, SHIRT, avatar, write_all
from vrm_files import edited

DRAWS = False
TIMES, COLOURS = [0.0, 1.0], [[1.0, 0, 0, 1], [0, 0.5, 1, 1]]


def moved(document):
    """A clip that moves the colour of the cheeks, and the head."""
    head = next(i for i, node in enumerate(document["nodes"]) if node["name"] == "J_head")
    half = 0.5 ** 0.5
    parts = [TIMES, sum(COLOURS, []), [0, 0, 0, 1, 0, half, 0, half]]
    data = b"".join(struct.pack(f"<{len(part)}f", *part) for part in parts)
    document["buffers"].append({"byteLength": len(data), "uri": "data:application/octet-stream;base64," + base64.b64encode(data).decode()})
    first, at = len(document["accessors"]), 0
    for part, kind in zip(parts, ("SCALAR", "VEC4", "VEC4")):
        document["bufferViews"].append({"buffer": 1, "byteOffset": at, "byteLength": 4 * len(part)})
        document["accessors"].append({"bufferView": len(document["bufferViews"]) - 1, "componentType": 5126, "count": 2, "type": kind, **({"min": [0], "max": [1]} if at == 0 else {})})
        at += 4 * len(part)
    pointer = {"extensions": {"KHR_animation_pointer": {"pointer": f"/materials/{CHEEK}/pbrMetallicRoughness/baseColorFactor"}}, "path": "pointer"}
    document["animations"] = [{"samplers": [{"input": first, "output": first + 1}, {"input": first, "output": first + 2}],
                               "channels": [{"sampler": 0, "target": pointer}, {"sampler": 1, "target": {"node": head, "path": "rotation"}}]}]
    document["extensionsUsed"].append("KHR_animation_pointer")


def far(document):
    """Expressions whose sum no float holds."""
    bind = lambda offset: {"textureTransformBinds": [{"material": SHIRT, "offset": [offset, 0], "scale": [1, 1]}]}
    document["extensions"]["VRMC_vrm"]["expressions"]["custom"] = {"a": bind(-3e38), "b": bind(1.6e38), "c": bind(1.6e38)}


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    if os.environ.get("POSED_SERVER"):
        pytest.skip("needs a server of its own")
    root = tmp_path_factory.mktemp("materials")
    write_all(root)
    (root / "moved.vrm").write_bytes(edited(avatar(1, "expression"), moved))
    (root / "far.vrm").write_bytes(edited(avatar(1, "expression"), far))
    running = Server(root, "--tcp", "127.0.0.1:0", "--log", "off", draws=False)
    yield running
    running.end()


def looks(server, body):
    """The materials that differ from the file's, by index, of each frame."""
    answer = post(server, "/v1/pose", {**body, "what": "materials"})
    assert answer.status == 200, answer.body[:300]
    assert "nodes" not in answer.json()
    return [{one["index"]: one for one in frame["materials"]} for frame in answer.json()["frames"]]


def of_file(server, body):
    answer = post(server, "/v1/mesh", {**body, "format": "glb"})
    assert answer.status == 200, answer.body[:300]
    size, = struct.unpack_from("<I", answer.body, 12)
    return {one["name"]: one for one in json.loads(answer.body[20:20 + size])["materials"]}


def transform(matrix):
    """Offset and scale of a texture."""
    return np.array([matrix[2], matrix[5], np.hypot(matrix[0], matrix[3]), np.hypot(matrix[1], matrix[4])])


def check(server, body):
    """Returns the changed materials of each time."""
    known = server.json("/v1/model", model=body["model"])["materials"]
    found = looks(server, body)
    times = body.get("t", [0])
    assert len(found) == len(times)
    for time, frame in zip(times, found):
        file = of_file(server, {**body, "t": time})
        for plain in known:
            look, written = frame.get(plain["index"], plain), file[plain["name"]]["pbrMetallicRoughness"]
            assert np.allclose(look["base_color"], written.get("baseColorFactor", [1, 1, 1, 1]), atol=2e-6), (time, plain["name"])
            assert np.allclose(look["emissive"], file[plain["name"]].get("emissiveFactor", [0, 0, 0]), atol=2e-6)
            if "base_color" in look["textures"]:
                said = written["baseColorTexture"].get("extensions", {}).get("KHR_texture_transform", {})
                assert np.allclose(transform(look["textures"]["base_color"]["uv_from_texcoord"]), [*said.get("offset", [0, 0]), *said.get("scale", [1, 1])], atol=2e-6)
            assert {key: value for key, value in look.items() if key not in ("base_color", "emissive", "textures")} == {
                key: value for key, value in plain.items() if key not in ("base_color", "emissive", "textures")}
            assert plain["index"] not in frame or look != plain
    return found


@pytest.mark.parametrize("version", [0, 1])
def test_expressions_change_materials(server, version):
    model = f"ann{version}_bone.vrm"
    found = check(server, {"model": model, "layers": [{"pose": {"expressions": {"happy": 1, "stripes": 0.5}}}]})
    assert found[0].keys() == {CHEEK, SHIRT}
    assert check(server, {"model": model, "layers": [{"pose": {"expressions": {"angry": 0.5}}}]}) == [{}]  # binary: not yet
    assert check(server, {"model": model, "layers": [{"pose": {"expressions": {"angry": 0.51}}, "weight": 0.5}]})[0].keys() == {CHEEK}
    assert check(server, {"model": model, "clip": "-"}) == [{}]
    short = server.json(f"/v1/pose?model={model}&what=materials&expression=happy:1&expression=stripes:0.5")
    assert [{one["index"]: one for one in frame["materials"]} for frame in short["frames"]] == found


@pytest.mark.parametrize("version", [0, 1])
def test_looks_follow_the_head_at_each_time(server, version):
    model = f"ann{version}_expression.vrm"
    frames = {"nodes": ["head"], "frames": [{"degrees": [[0, 0, 0]]}, {"degrees": [[10, 60, 0]]}], "rate": 1, "relative_to": "rest", "look": {"at": [1, 2, 2]}}
    found = check(server, {"model": model, "t": [0, 0.5, 0.999], "layers": [{"pose": frames}]})
    offsets = [tuple(transform(frame[EYE]["textures"]["base_color"]["uv_from_texcoord"])[:2]) for frame in found]
    assert len(set(offsets)) == 3
    assert check(server, {"model": model, "layers": [{"pose": {"look": {"yaw": 30}}}]})[0].keys() == {EYE}


def test_clips_move_materials_beneath_a_pose(server):
    clip = {"model": "moved.vrm", "clip": 0, "wrap": "clamp", "t": [0, 0.25, 1]}
    found = check(server, clip)
    assert np.allclose([frame[CHEEK]["base_color"] for frame in found], [np.add(np.multiply(COLOURS[0], 1 - t), np.multiply(COLOURS[1], t)) for t in clip["t"]], atol=1e-6)
    over = check(server, {**clip, "expression": "happy:0.5", "look": "1,2,3"})
    assert all(frame.keys() == {CHEEK, EYE} for frame in over)
    assert over[0][CHEEK]["base_color"] != over[2][CHEEK]["base_color"] != found[2][CHEEK]["base_color"]


def test_other_words_beside_it_and_what_is_refused(server):
    query = {"model": "ann1_bone.vrm", "expression": "happy:0.5"}
    ask = lambda **more: server.get("/v1/pose?" + urllib.parse.urlencode({**query, **more}))
    alone, both, plain = ask(what="materials").json(), ask(what="local,materials").json(), ask(what="local").json()
    assert both["frames"][0] == {**plain["frames"][0], "materials": alone["frames"][0]["materials"]} and both["nodes"] == plain["nodes"]
    again = post(server, "/v1/pose", {"model": "ann1_bone.vrm", "what": "local", "layers": [{"pose": both}]})
    assert again.json()["frames"][0]["local"] == plain["frames"][0]["local"]
    assert ask(what="materials").headers["etag"] != ask(what="local,materials").headers["etag"] != ask(what="local").headers["etag"]
    for more in {"what": "materials", "format": "bin"}, {"what": "scene,materials", "format": "bin"}, {"what": "material"}:
        refused = ask(**more)
        assert (refused.status, refused.error()) == (400, "bad_parameter") and "materials" in refused.json()["error"]["message"]
    batch = post(server, "/v1/query", {"queries": [{"op": "pose", **query, "what": "materials"}]})
    assert batch.json()["results"][0]["frames"] == alone["frames"] and alone["frames"][0]["materials"][0]["index"] == CHEEK


def test_many_frames_are_the_same_in_pieces(server):
    """An answer that is longer than a piece, with times that a loop does not make at once."""
    times = [k / 1000 for k in range(1000)]
    answer = server.get("/v1/pose?model=moved.vrm&clip=0&what=materials&expression=happy:0.5&t=0:0.999:1000")
    assert answer.status == 200, answer.body[:200]
    frames = answer.json()["frames"]
    assert [round(frame["time"], 6) for frame in frames] == times and len({frame["materials"][0]["base_color"][0] for frame in frames}) > 900


def test_a_material_beyond_numbers_is_refused_before_anything_is_sent(server):
    """Only the last of many frames overflows, so the answer would be under way when its numbers are met."""
    layers = [{"pose": {"expressions": {"a": 1}}}, {"pose": {"expressions": {"b": 1, "c": 1}}, "weight": [0] * 299 + [1]}]
    body = {"model": "far.vrm", "what": "materials,scene,local", "t": [0] * 300, "layers": layers}
    answer = post(server, "/v1/pose", body)
    assert answer.status in (400, 422) and answer.error() in ("not_finite", "too_many_frames"), answer.body[:300]
    layers[1]["weight"] = 0
    assert post(server, "/v1/pose", body).status == 200
