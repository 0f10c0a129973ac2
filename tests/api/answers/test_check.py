"""/v1/check: faults made on purpose are found with joint and time in 50 generated clips, and the clean clips give none.

The rig is rotated, scaled unevenly and off the origin. Its clips turn joints by sums of sines at 30 frames a second."""
import base64
import json
import math
import random
import struct

import packets
import pytest

from conftest import Server

DRAWS = False

RATE, FRAMES = 30, 37  # the last frame is the first again
NAMES = ["hips", "spine", "neck", "arm", "hand"]


def turned(axis, degrees):
    half = math.radians(degrees) / 2
    return [*(math.sin(half) * x for x in axis), math.cos(half)]


def times(a, b):
    ax, ay, az, aw = a
    bx, by, bz, bw = b
    return [aw * bx + ax * bw + ay * bz - az * by, aw * by - ax * bz + ay * bw + az * bx,
            aw * bz + ax * by - ay * bx + az * bw, aw * bw - ax * bx - ay * by - az * bz]


def clean(seed):
    """Returns {joint: [rotation of each frame]}, a loop."""
    rng = random.Random(seed)
    tracks = {}
    for name in NAMES:
        axis = [rng.gauss(0, 1) for _ in range(3)]
        length = math.sqrt(sum(x * x for x in axis))
        axis = [x / length for x in axis]
        waves = [(rng.uniform(-25, 25) / k, rng.uniform(0, 6.28), k) for k in (1, 2)]
        tracks[name] = [turned(axis, sum(a * math.sin(p + 2 * math.pi * k * i / (FRAMES - 1)) for a, p, k in waves))
                        for i in range(FRAMES)]
    return tracks


def gltf(tracks):
    nodes = [{"name": "place", "children": [1], "translation": [3, -2, 5], "rotation": turned([0, 1, 0], 40), "scale": [1.5, 0.7, 2]}]
    nodes += [{"name": name, "translation": [0.1, 0.4, 0.05], **({"children": [i + 2]} if i + 1 < len(NAMES) else {})}
              for i, name in enumerate(NAMES)]
    data = struct.pack(f"<{FRAMES}f", *(i / RATE for i in range(FRAMES)))
    accessors = [{"bufferView": 0, "componentType": 5126, "count": FRAMES, "type": "SCALAR", "min": [0], "max": [(FRAMES - 1) / RATE]}]
    views = [{"buffer": 0, "byteOffset": 0, "byteLength": len(data)}]
    samplers, channels = [], []
    for i, name in enumerate(NAMES):
        keys = b"".join(struct.pack("<4f", *q) for q in tracks[name])
        views.append({"buffer": 0, "byteOffset": len(data), "byteLength": len(keys)})
        data += keys
        accessors.append({"bufferView": i + 1, "componentType": 5126, "count": FRAMES, "type": "VEC4"})
        samplers.append({"input": 0, "output": i + 1})
        channels.append({"sampler": i, "target": {"node": i + 1, "path": "rotation"}})
    return json.dumps({"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}], "nodes": nodes, "accessors": accessors,
                       "bufferViews": views, "animations": [{"name": "idle", "samplers": samplers, "channels": channels}],
                       "buffers": [{"byteLength": len(data), "uri": "data:application/octet-stream;base64," + base64.b64encode(data).decode()}]})


@pytest.fixture(scope="module")
def ask(tmp_path_factory):
    root = tmp_path_factory.mktemp("check")
    server = Server(root, "--tcp", "127.0.0.1:0", draws=False)

    def ask(name, tracks, **parameters):
        (root / f"{name}.gltf").write_text(gltf(tracks))
        clip, = server.json("/v1/check", model=f"{name}.gltf", **parameters)["clips"]
        return [(f["rule"], f.get("joint", {}).get("name"), f) for f in clip["findings"]]

    ask.server = server
    yield ask
    server.end()


@pytest.mark.parametrize("seed", range(50))
def test_faults_are_found_and_clean_clips_have_none(ask, seed):
    rng = random.Random(1000 + seed)
    assert ask(f"clean{seed}", clean(seed)) == []
    joint, frame = rng.choice(NAMES), rng.randrange(3, FRAMES - 4)
    tracks = clean(seed)
    tracks[joint][frame] = times(tracks[joint][frame], turned([1, 0, 0], 20))
    found, = ask(f"pop{seed}", tracks)
    assert found[:2] == ("pop", joint) and found[2]["time"] == pytest.approx(frame / RATE, abs=1e-5)
    assert found[2]["unit"] == "degrees" and found[2]["value"] == pytest.approx(20, abs=8)
    tracks = clean(seed)
    joint = rng.choice(NAMES[1:])
    tracks[joint] = [times(q, turned([0, 1, 0], 3 * i / (FRAMES - 1))) for i, q in enumerate(tracks[joint])]
    rules = ask(f"loop{seed}", tracks)
    assert [f[0] for f in rules] == ["loop-jump"] and rules[0][2]["time"] == pytest.approx((FRAMES - 1) / RATE, abs=1e-5)
    assert ask(f"loop{seed}", tracks, loop="no") == []


def test_errors_and_bounds(ask):
    ask("clean", clean(1))
    server = ask.server
    assert server.get("/v1/check?model=none.glb").error() == "model_not_found"
    assert server.get("/v1/check?model=clean.gltf&clip=nobody").error() == "clip_not_found"
    assert server.get("/v1/check?model=clean.gltf&root=nobody").error() == "joint_not_found"
    assert server.get("/v1/check?model=clean.gltf&max_jump=-1").error() == "bad_parameter"
    assert server.get("/v1/check?model=clean.gltf&t=0").error() == "unknown_parameter"
    first = server.get("/v1/check?model=clean.gltf")
    same = server.get("/v1/check?model=clean.gltf", f"If-None-Match: {first.headers['etag']}")
    assert same.status == 304 and first.headers["etag"] != server.get("/v1/check?model=clean.gltf&max_jump=0.5").headers["etag"]


def test_packets_have_the_same_answer(ask):
    tracks = clean(2)
    tracks["arm"][9] = times(tracks["arm"][9], turned([1, 0, 0], 20))
    ask("packets", tracks)
    target = "/v1/check?model=packets.gltf&loop=yes"
    with packets.Link(ask.server.ports["tcp"]) as link:
        answer = link.ask("call", packets.call(target))
    assert b'"pop"' in answer.payload and answer.payload == ask.server.get(target).body


def test_more_work_than_allowed_is_refused(start, tmp_path):
    (tmp_path / "a.gltf").write_text(gltf(clean(1)))
    answer = start("--max-evaluations", "20").get("/v1/check?model=a.gltf")
    assert answer.error() == "too_many_frames"
