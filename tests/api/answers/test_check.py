"""/v1/check: faults made on purpose are found with joint and time in 50 generated clips, and the clean clips give none.

The rig is rotated, scaled unevenly and off the origin. Its clips turn joints by sums of sines at 30 frames a second."""
import base64
import json
import math
import random
import shutil
import struct
import subprocess
import sys

import packets
import pytest

from conftest import REPOSITORY, Server
from rigs import drawn_often
from walkers import hamilton, turned

sys.path.insert(0, str(REPOSITORY / "clients" / "python"))
import posed  # noqa: E402

DRAWS = False

RATE, FRAMES = 30, 37  # the last frame is the first again
NAMES = ["hips", "spine", "neck", "arm", "hand"]


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

    ask.server, ask.root = server, root
    yield ask
    server.end()


@pytest.mark.parametrize("seed", range(50))
def test_faults_are_found_and_clean_clips_have_none(ask, seed):
    rng = random.Random(1000 + seed)
    assert ask(f"clean{seed}", clean(seed)) == []
    joint, frame = rng.choice(NAMES), rng.randrange(3, FRAMES - 4)
    tracks = clean(seed)
    tracks[joint][frame] = hamilton(tracks[joint][frame], turned([1, 0, 0], 20))
    found, = ask(f"pop{seed}", tracks)
    assert found[:2] == ("pop", joint) and found[2]["time"] == pytest.approx(frame / RATE, abs=1e-5)
    assert found[2]["unit"] == "degrees" and found[2]["value"] == pytest.approx(20, abs=8)
    tracks = clean(seed)
    joint = rng.choice(NAMES[1:])
    tracks[joint] = [hamilton(q, turned([0, 1, 0], 3 * i / (FRAMES - 1))) for i, q in enumerate(tracks[joint])]
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
    tracks["arm"][9] = hamilton(tracks["arm"][9], turned([1, 0, 0], 20))
    ask("packets", tracks)
    target = "/v1/check?model=packets.gltf&loop=yes"
    with packets.Link(ask.server.ports["tcp"]) as link:
        answer = link.ask("call", packets.call(target))
    assert b'"pop"' in answer.payload and answer.payload == ask.server.get(target).body


def test_clients_have_the_same_answer(ask):
    tracks = clean(3)
    tracks["arm"][9] = hamilton(tracks["arm"][9], turned([1, 0, 0], 20))
    ask("clients", tracks)
    expected = ask.server.json("/v1/check", model="clients.gltf", clip="idle", loop="yes")
    assert [f["rule"] for f in expected["clips"][0]["findings"]] == ["pop"]
    with posed.connect(ask.server.url) as client:
        assert client.model("clients.gltf").check("idle", loop="yes") == expected
    if shutil.which("node"):
        client = (REPOSITORY / "clients/js/posed.js").as_uri()
        script = f"""const {{ Client }} = await import('{client}'); const model = new Client('{ask.server.url}').model('clients.gltf');
                     console.log(JSON.stringify(await model.check({{ clip: 'idle', loop: 'yes' }})));"""
        done = subprocess.run(["node", "--input-type=module", "-e", script], capture_output=True, text=True, timeout=60)
        assert done.returncode == 0 and json.loads(done.stdout) == expected, done.stderr


@pytest.mark.parametrize("parameters, rule", [({"loop": "no"}, None), ({"loop": "yes"}, "loop-jump")])
def test_times_and_places_at_the_ends_of_floats(ask, parameters, rule):
    """A clip of years, one of an instant, places that no float holds: findings are finite numbers, or there are none."""
    for name, step_s, offset in ("years", 1e9 / FRAMES, 0), ("instant", 1e-30, 0), ("far", 1 / RATE, 1e37), ("too_far", 1 / RATE, 3e38):
        document = json.loads(gltf(clean(5)))
        data = bytearray(base64.b64decode(document["buffers"][0]["uri"].split(",")[1]))
        struct.pack_into(f"<{FRAMES}f", data, 0, *(i * step_s for i in range(FRAMES)))
        document["buffers"][0]["uri"] = "data:application/octet-stream;base64," + base64.b64encode(bytes(data)).decode()
        document["accessors"][0]["max"] = [(FRAMES - 1) * step_s]
        document["nodes"][0]["translation"] = [offset] * 3
        document["nodes"][1]["translation"] = [offset] * 3
        (ask.root / f"{name}.gltf").write_text(json.dumps(document))
        answer = ask.server.get(f"/v1/check?model={name}.gltf&" + "&".join(f"{k}={v}" for k, v in parameters.items()))
        assert answer.status == 200, answer.body
        assert not any(word in answer.body for word in (b"nan", b"inf", b"NaN")), answer.body
        rules = {f["rule"] for f in answer.json()["clips"][0]["findings"]}
        assert ("not-posed" in rules) == (name == "too_far"), rules


def test_shapes_beyond_a_limit_are_left_out(start, tmp_path):
    """Many nodes draw one mesh: its shapes are looked at as far as --max-bounds goes, and no array of all is made."""
    count, vertices = 200, 3000
    positions = struct.pack("<9f", 0, 0, 0, 1, 0, 0, 0, 1, 0) * (vertices // 3)
    data = positions + struct.pack("<9f", 0, 0, 1, 0, 0, 1, 0, 0, 1) * (vertices // 3) + struct.pack("<4f", 0, 1, 0, 1)
    views = [(0, len(positions)), (len(positions), len(positions)), (2 * len(positions), 8), (2 * len(positions) + 8, 8)]
    document = {
        "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": list(range(count))}], "nodes": [{"mesh": 0} for _ in range(count)],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "targets": [{"POSITION": 1}]}]}],
        "bufferViews": [{"buffer": 0, "byteOffset": at, "byteLength": size} for at, size in views],
        "accessors": [{"bufferView": i, "componentType": 5126, "count": vertices if i < 2 else 2, "type": "VEC3" if i < 2 else "SCALAR"} for i in range(4)],
        "animations": [{"name": "shapes", "samplers": [{"input": 2, "output": 3}], "channels": [{"sampler": 0, "target": {"node": count - 1, "path": "weights"}}]}],
        "buffers": [{"byteLength": len(data), "uri": "data:application/octet-stream;base64," + base64.b64encode(data).decode()}]}
    document["accessors"][0].update(min=[0, 0, 0], max=[1, 1, 0])
    (tmp_path / "many.gltf").write_text(json.dumps(document))
    server = start("--max-bounds", "100000", root=tmp_path)
    clip, = server.json("/v1/check", model="many.gltf")["clips"]
    assert [f["rule"] for f in clip["findings"]] == ["clip-without-motion"], clip  # the last one moves, beyond the limit
    assert start(root=tmp_path).json("/v1/check", model="many.gltf")["clips"][0]["findings"] == []


def test_more_work_than_allowed_is_refused(start, tmp_path):
    (tmp_path / "a.gltf").write_text(gltf(clean(1)))
    answer = start("--max-evaluations", "20").get("/v1/check?model=a.gltf")
    assert answer.error() == "too_many_frames"


def test_joints_of_skins_count_where_shapes_are_looked_at(start, tmp_path):
    """400 draws take turns with two skins of 300 joints: their matrices are made anew for each."""
    (tmp_path / "turns.gltf").write_text(drawn_often(400, 300, 2))
    (tmp_path / "one.gltf").write_text(drawn_often(400, 300, 1))
    server = start("--max-evaluations", "200000", root=tmp_path)
    assert server.get("/v1/check?model=turns.gltf").error() == "too_many_frames"
    assert server.get("/v1/check?model=one.gltf").status == 200
    assert server.get("/v1/check?model=turns.gltf&loop=no").status == 200
