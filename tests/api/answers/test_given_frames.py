"""Frames of clips that are sent back as given poses: the local transforms come again with the same bits, and vertices where they were.

Models are turned, sheared, unevenly scaled and off the origin; they have scales of FBX that are not inherited, constraints and skins."""
import json
import pathlib
import random
import struct
import sys
import urllib.parse

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "oracle"))
import constraint_files  # noqa: E402
import fbx_evaluator  # noqa: E402
import packets  # noqa: E402
import random_fbx  # noqa: E402
import random_models  # noqa: E402
import rigs  # noqa: E402
import vrm_files  # noqa: E402
from conftest import SAMPLES, Server  # noqa: E402
from raw_requests import post  # noqa: E402

DRAWS = False
PER_FILE = 3  # moments of each clip
VERTEX_BOUND = 1e-6  # of the model's size
FBX_SEEDS, GLTF_SEEDS = (1, 14, 23, 26, 30, 35, 38, 53, 80, 87), (0, 5, 11, 17, 29, 34)
HUMANS = "turned.vrm", "uneven.vrm", "old.vrm", "looking.vrm", "helped.vrm"
NAMES = ["robot.glb", "octopus.glb", "dragon.glb", "many.glb", "rig.gltf", *HUMANS, *(f"fbx_{seed}.fbx" for seed in FBX_SEEDS),
         *(f"gltf_{seed}.gltf" for seed in GLTF_SEEDS)]


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    root = tmp_path_factory.mktemp("given")
    for name in "robot.glb", "octopus.glb", "dragon.glb":
        (root / name).write_bytes((SAMPLES / name).read_bytes())
    vrm_files.write_all(root)
    constraint_files.write_all(root)
    (root / "rig.gltf").write_text(rigs.character(rigs.CLIPS))
    for seed in FBX_SEEDS:
        (root / f"fbx_{seed}.fbx").write_text(random_fbx.make(seed), encoding="utf-8")
    for seed in GLTF_SEEDS:
        (root / f"gltf_{seed}.gltf").write_text(json.dumps(random_models.make(seed)))
    running = Server(root, "--tcp", "127.0.0.1:0", draws=False)
    yield running
    running.end()


def layer_of(clip):
    return {key: value for key, value in clip.items() if key != "retarget"}


def request_of(clip):
    return {key: value for key, value in clip.items() if key == "retarget"}


def clips_of(server, name):
    """(parameters of a clip, its duration)"""
    if name in HUMANS:
        return [({"clip_file": "move.vrma", "retarget": "rest"}, vrm_files.TIMES[-1])]
    return [({"clip": c}, clip["duration"]) for c, clip in enumerate(server.json("/v1/model", model=name)["clips"])] or [({"clip": "-"}, 0)]


def moments(server, name, clip, duration):
    """Those at which every local transform is one: where scales are not inherited, some moments have nodes that shear."""
    rng, found = random.Random(name), []
    for t in sorted({0.0, duration, *(rng.uniform(0, duration) for _ in range(PER_FILE - 2))}):
        answer = server.get("/v1/pose?" + urllib.parse.urlencode({"model": name, "t": repr(t), "wrap": "clamp", "what": "local", **clip}))
        assert answer.status == 200 or (answer.error() == "not_rigid" and name[:3] == "fbx"), answer.body
        found += [t] * (answer.status == 200)
    assert found, (name, clip)
    return found


def asked(server, op, body):
    answer = post(server, f"/v1/{op}", body)
    assert answer.status == 200, (body.get("model"), answer.body[:500])
    return answer.json()


def locals_of(answer):
    return [{key: frame[key] for key in frame if key[:5] == "local"} for frame in answer["frames"]]


def distance(a, b):
    return max((abs(x - y) for p, q in zip(a, b, strict=True) for x, y in zip(p, q, strict=True)), default=0)


def size_of(vertices):
    return max([1e-3] + [abs(x) for positions in vertices for x in positions])


@pytest.mark.parametrize("name", NAMES)
def test_a_frame_sent_back_is_the_frame(server, name):
    for clip, duration in clips_of(server, name):
        for t in moments(server, name, clip, duration):
            query = {"model": name, "t": t, "wrap": "clamp", **clip}
            pose = server.json("/v1/pose", what="local", **query)
            back = asked(server, "pose", {"model": name, "what": "local", "layers": [{"pose": pose}]})
            assert locals_of(back) == locals_of(pose), (clip, t)
            # on top of something else, and in a model whose morph weights, which no pose tells, are those of the clip
            over = {"model": name, "t": t, "wrap": "clamp", "layers": [{**layer_of(clip)}, {"pose": pose}], **request_of(clip)}
            assert locals_of(asked(server, "pose", {**over, "what": "local"})) == locals_of(pose)
            other = {**over, "layers": [{**layer_of(clip), "t": duration * 0.77}, {"pose": pose}]}
            assert locals_of(asked(server, "pose", {**other, "what": "local"})) == locals_of(pose)
            there, again = server.json("/v1/mesh", **query)["frames"][0]["positions"], asked(server, "mesh", over)["frames"][0]["positions"]
            assert distance(there, again) <= VERTEX_BOUND * size_of(there), (clip, t)


@pytest.mark.parametrize("name", NAMES)
def test_frames_sent_back_are_the_clip_at_their_times(server, name):
    """In JSON and as binary frames, in one request; between two frames the given pose is between them."""
    for clip, duration in clips_of(server, name):
        times = moments(server, name, clip, duration)
        query = {"model": name, "t": times, "wrap": "clamp", "what": "local", **clip}
        pose = server.json("/v1/pose", **query)
        back = asked(server, "pose", {"model": name, "what": "local", "t": times, "layers": [{"pose": pose, "wrap": "clamp"}]})
        assert locals_of(back) == locals_of(pose)
        packed = server.get("/v1/pose?" + "&".join(f"{key}={value if key != 't' else ','.join(map(repr, times))}" for key, value in query.items()) + "&format=bin").body
        target = f"/v1/pose?model={name}&what=local&wrap=clamp&t={','.join(map(repr, times))}"
        over_http = post(server, target, packed, Content_Type="application/vnd.posed.frames")
        assert over_http.status == 200, over_http.body
        assert over_http.json()["frames"] == back["frames"], clip
        assert local_bytes(post(server, target + "&format=bin", packed).body) == local_bytes(packed)


def local_bytes(answer):
    """The floats of all frames of binary frames."""
    count, blocks = struct.unpack_from("<2I", answer, 16)
    frames_offset, frame_bytes = struct.unpack_from("<2Q", answer, 32)
    assert blocks > 0
    return answer[frames_offset:frames_offset + count * frame_bytes]


@pytest.mark.parametrize("name", ["many.glb", "fbx_14.fbx"])
def test_every_transport_takes_the_frame(server, name):
    clip, duration = clips_of(server, name)[0]
    pose = server.json("/v1/pose", model=name, t=duration / 3, what="local", **clip)
    packed = server.get(f"/v1/pose?model={name}&t={duration / 3!r}&what=local&format=bin&clip={clip['clip']}").body
    body = {"model": name, "what": "local", "layers": [{"pose": pose}]}
    over_http = asked(server, "pose", body)
    assert over_http["frames"][0]["local"] == pose["frames"][0]["local"]
    assert asked(server, "query", {"queries": [{"op": "pose", **body}]})["results"] == [over_http]
    for way in "tcp", "ws":
        with packets.connect(server.ports, way) as link:
            assert json.loads(link.ask("call", packets.call("/v1/pose", json.dumps(body))).body) == over_http
            call = packets.call(f"/v1/pose?model={name}&what=local")
            call = packets.fields("call", method=1, target_bytes=len(call) - 16, body_bytes=len(packed)) + call[16:] + packed
            found = json.loads(link.ask("call", call).body)
            assert found["frames"][0]["local"] == over_http["frames"][0]["local"]


def test_the_models_have_what_is_hard(server):
    """The files themselves: without these corners the tests above would show less."""
    sheared = [seed for seed in GLTF_SEEDS if "local_matrix" in server.json("/v1/pose", model=f"gltf_{seed}.gltf", what="local")["frames"][0]]
    assert len(sheared) >= 2, sheared
    assert all(any(kind != 1 for kind in fbx_evaluator.Model(pathlib.Path(server.root, f"fbx_{seed}.fbx")).inherit) for seed in FBX_SEEDS)
