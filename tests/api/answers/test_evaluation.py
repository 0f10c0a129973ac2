"""How palettes of a clip are evaluated: the model answer says it, posectl info prints it, and /v1/stats counts it."""
import base64
import json
import struct

from conftest import SAMPLES
from eval_probe import EvalProbe
from posectl import posectl
from raw_requests import post

DRAWS = False


def write_lone_node(path):
    """A glTF file with a node that moves and neither a mesh nor a skin."""
    data = struct.pack("<2f6f", 0, 1, 0, 0, 0, 1, 2, 3)
    uri = "data:application/octet-stream;base64," + base64.b64encode(data).decode()
    views = [{"buffer": 0, "byteOffset": 0, "byteLength": 8}, {"buffer": 0, "byteOffset": 8, "byteLength": 24}]
    accessors = [{"bufferView": 0, "componentType": 5126, "count": 2, "type": "SCALAR", "min": [0], "max": [1]},
                 {"bufferView": 1, "componentType": 5126, "count": 2, "type": "VEC3"}]
    channel = {"sampler": 0, "target": {"node": 0, "path": "translation"}}
    path.write_text(json.dumps({"asset": {"version": "2.0"}, "scenes": [{"nodes": [0]}], "scene": 0, "nodes": [{"name": "alone"}],
                                "animations": [{"channels": [channel], "samplers": [{"input": 0, "output": 1}]}],
                                "buffers": [{"byteLength": len(data), "uri": uri}], "bufferViews": views, "accessors": accessors}))


def evaluations(server, model):
    return [clip["evaluation"] for clip in server.json("/v1/model", model=model)["clips"]]


def counts(server):
    poses = server.json("/v1/stats")["poses"]
    return poses["compiled"], poses["cubic"], poses["exact"]


def test_the_model_answer_says_how_clips_are_evaluated(start, tmp_path):
    write_lone_node(tmp_path / "lone.gltf")
    assert evaluations(start(root=SAMPLES), "robot.glb") == ["linear", "cubic", "linear"]
    assert evaluations(start(root=tmp_path), "lone.gltf") == ["exact"]


def test_the_library_says_it_too(start, tmp_path):
    write_lone_node(tmp_path / "lone.gltf")
    for root, model in ((SAMPLES, "robot.glb"), (tmp_path, "lone.gltf")):
        server = start(root=root)
        (tmp_path / "one.posed").write_bytes(server.get(f"/v1/export?model={model}&format=posed").body)
        said = evaluations(server, model)
        with EvalProbe(tmp_path / "one.posed") as probe:
            assert probe.first == "ready"
            assert [probe.ask(f"clip {i}") for i in range(len(said))] == [f"{int(one != 'exact')} {one}" for one in said]


def test_stats_count_poses_with_splines(start):
    server = start("--render-workers", "0", root=SAMPLES)
    server.json("/v1/palette", model="robot.glb", clip=0, t=0.3)
    assert counts(server) == (1, 0, 0)
    server.json("/v1/palette", model="robot.glb", clip=1, t=0.3)
    assert counts(server) == (2, 1, 0)
    layers = [{"clip": 0, "t": 0.2, "weight": 0.5}, {"clip": 1, "t": 0.3, "weight": 0.5}]
    assert post(server, "/v1/query", {"queries": [{"op": "palette", "model": "robot.glb", "t": 0, "layers": layers}]}).status == 200
    assert counts(server) == (3, 2, 0)


def test_posectl_info_prints_it():
    lines = posectl("info", SAMPLES / "robot.glb").out.splitlines()
    head = next(i for i, line in enumerate(lines) if "palettes" in line)
    assert [line.split()[-1] for line in lines[head + 1:head + 4]] == ["linear", "cubic", "linear"]
