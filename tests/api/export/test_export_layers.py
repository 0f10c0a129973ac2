"""layers of /v1/export: one clip whose poses at its keys are those of /v1/pose, in GLB files and .posed files."""
import json
import math
import random

import pytest

from conftest import Server
from eval_probe import EvalProbe
from exported_layers import FBX_SEEDS, TOLERANCE, asked, codes, compare, error_of, export, fill, flat, largest, materials, share_off
from importers import NO_RENDERING
from raw_requests import post
from round_trip import Glb, query

import gltf_evaluator  # this and the others are from folders that exported_layers adds
import vrm_avatar
from given_mixtures import FACE, Chances

DRAWS = False

COUNTS = {"faced.glb": 40, "robot.glb": 8, "octopus.glb": 6}
RATES = [4, 7.5, 24, 30]
LONGEST_S = 12


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


def tame(layers):
    """Without layers that take minutes."""
    for layer in layers:
        if 0 < abs(layer.get("speed", 1)) < 0.4:
            layer["speed"] = math.copysign(0.4, layer["speed"])
    return layers


def turns_the_short_way(glb):
    clip, = glb.json["animations"]
    rows = [glb.rows(clip["samplers"][channel["sampler"]]["output"]) for channel in clip["channels"] if channel["target"]["path"] == "rotation"]
    return all(sum(a * b for a, b in zip(one, other)) >= 0 for some in rows for one, other in zip(some, some[1:]))


def within(times, layers):
    """Without the last key where a layer loops, and the first where one does so backwards: it is at the end of its part, where /v1/pose
    begins anew."""
    speeds = [layer.get("speed", 1) for layer in layers if layer["wrap"] == "loop" and "t" not in layer]
    return times[any(speed < 0 for speed in speeds):len(times) - (len(speeds) > 0)]


@pytest.mark.parametrize("name", COUNTS)
def test_random_mixtures_have_the_poses_of_the_layers_at_their_keys(server, root, name):
    rng = random.Random("export " + name)
    model = gltf_evaluator.Model.from_glb((root / name).read_bytes())
    chances = Chances(rng, model, 3, FACE if name == "faced.glb" else ())
    ends, worst, moved = 0, 0, 0
    for _ in range(COUNTS[name]):
        layers, rate = tame(chances.layers()), rng.choice(RATES)
        data, glb = export(server, name, layers, fps=rate)
        (root / "blend.glb").write_bytes(data)
        clip, = glb.json["animations"]
        assert clip["name"] == "blend"
        times = glb.key_times(0)
        end = times[-1]
        assert end <= LONGEST_S and times[0] == 0
        moved += len(times) > 1
        if len(times) > 2:  # otherwise nothing moves, and the file has the first and the last time
            assert times[:-1] == pytest.approx([k / rate for k in range(len(times) - 1)], rel=1e-6) and 0.001 / rate < end - times[-2] < 1.002 / rate
        assert turns_the_short_way(glb)
        ends += times == within(times, layers)
        error = compare(server, name, "blend.glb", within(times, layers), layers)
        assert error <= TOLERANCE, (error, json.dumps(layers))
        worst = max(worst, error)
    assert moved > COUNTS[name] / 3 and ends > 0 and worst > 0


def test_morph_weights_are_those_of_the_layers(server, root):
    layers = [{"clip": "wave"}, {"pose": {"morphs": {"smile": 0.75}}, "weight": 0.5}, {"pose": {"morphs": {"frown": 0.5}}, "mode": "additive"}]
    data, glb = export(server, "faced.glb", layers, fps=8)
    (root / "weights.glb").write_bytes(data)
    channels = [c for c in glb.json["animations"][0]["channels"] if c["target"]["path"] == "weights"]
    assert len(channels) == 2, "both meshes have a target 'smile'"
    times = glb.key_times(0)
    for channel in channels:
        sampler = glb.json["animations"][0]["samplers"][channel["sampler"]]
        node = channel["target"]["node"]
        count = len(glb.json["meshes"][glb.json["nodes"][node]["mesh"]]["primitives"][0]["targets"])
        rows = glb.values(sampler["output"])
        if count == 1:  # the mask: its rest weight is 0, and nothing moves it but the given pose
            assert rows == [0.375] and glb.values(sampler["input"]) == [0]
            continue
        assert glb.values(sampler["input"]) == times
        for k, t in enumerate(times):
            u = t / times[-1]
            smile, frown = 0.75 * u, 0.5 + 0.5 * u  # the clip's
            wanted = asked(server, "/v1/mesh", {"model": "faced.glb", "layers": [{**layers[0], "wrap": "clamp"}, *layers[1:]], "t": t})
            found = asked(server, "/v1/mesh", {"model": "weights.glb", "clip": 0, "t": t, "wrap": "clamp"})
            assert error_of(found["frames"][0]["positions"], wanted["frames"][0]["positions"], 10) < TOLERANCE
            assert rows[2 * k:2 * k + 2] == pytest.approx([smile + 0.5 * (0.75 - smile), frown + 0.5 - 0.25], abs=1e-6)


def test_constraints_act_in_the_clip(server, root):
    """A program that does not know constraints plays the same poses."""
    layers = [{"pose": {"nodes": [0, 1], "frames": [{"degrees": [[0, 0, 0], [0, 0, 0]]}, {"degrees": [[40, 20, 10], [-50, 30, 0]]}], "rate": 1}, "wrap": "clamp"}]
    data, glb = export(server, "constrained.glb", layers, fps=5)
    (root / "led.glb").write_bytes(data)
    assert "constraints_kept" in codes(glb)
    assert len(glb.key_times(0)) == 6 and compare(server, "constrained.glb", "led.glb", glb.key_times(0), layers) < TOLERANCE


def test_a_matrix_that_shears_gives_way_to_a_layer(server, root):
    """Where a layer moves such a node, even by nothing, its translation, rotation and scale count, as for clips."""
    layers = [{"clip": "twist", "wrap": "clamp"}, {"pose": {"nodes": {"bent": {"degrees": [0, 0, 0]}}, "relative_to": "rest"}}]
    data, glb = export(server, "strange.gltf", layers, fps=4)
    (root / "straight.glb").write_bytes(data)
    assert compare(server, "strange.gltf", "straight.glb", glb.key_times(0), layers) < TOLERANCE
    sheared, straight = ([frame["scene"][3] for frame in asked(server, "/v1/pose", {"model": "strange.gltf", "t": 0, **some})["frames"]]
                         for some in ({"clip": "twist"}, {"layers": layers}))
    assert error_of(sheared, straight, 1) > 0.1


def test_models_with_scales_of_their_own(server, root):
    """Some nodes of FBX do not inherit scales. A layer that gives a rotation becomes keys; one that gives a factor of a matrix is refused."""
    exported = refused = 0
    for seed in FBX_SEEDS:
        name = f"fbx_{seed}.fbx"
        nodes = server.json("/v1/model", model=name)["nodes"]
        layers = [{"clip": 0, "wrap": "clamp"}, {"pose": {"nodes": [len(nodes) - 1], "degrees": [[20, 0, 40]], "relative_to": "rest"}}]
        answer = post(server, "/v1/export", {"model": name, "layers": layers, "fps": 4})
        assert answer.status == 200, answer.body
        (root / "own.glb").write_bytes(answer.body)
        glb = Glb(answer.body)
        off = share_off(glb)
        times = [t for t in glb.key_times(0) if t * 4 == int(t * 4)][:20]  # scales that are undone have more keys between
        assert compare(server, name, "own.glb", times, layers) < 1e-5 + 20 * off, name
        exported += off < 1e-6 and len(times) > 1
        whole = {"translation": [0.2, 1, 0], "degrees": [30, 40, 50], "scale": [1, 1.5, 0.7]}
        layers = [{"pose": {"nodes": [0, len(nodes) - 1], **{key: [whole[key]] * 2 for key in whole}}}]
        answer = post(server, "/v1/export", {"model": name, "layers": layers})
        if answer.status == 200:
            (root / "own.glb").write_bytes(answer.body)
            assert compare(server, name, "own.glb", [0], layers) < 1e-5 + 20 * share_off(Glb(answer.body)), name
        else:
            refused += answer.error() == "bad_parameter" and "factor of its matrix; keys are not" in answer.json()["error"]["message"]
            assert refused
    assert exported > 2 and 0 < refused < len(FBX_SEEDS)


def test_expressions_of_a_human(server, root):
    """Morphs of an expression and the eyes are in the clip."""
    top = {"expression": "happy:0.8", "look": "20,-10", "turn": "head:0,20,0"}
    answer = server.get(query("/v1/export", model="looking.vrm", clips="-", **top))
    assert answer.status == 200, answer.body
    (root / "happy.glb").write_bytes(answer.body)
    assert compare(server, "looking.vrm", "happy.glb", [0], None, clip="-", **top) < TOLERANCE
    paths = [channel["target"]["path"] for channel in Glb(answer.body).json["animations"][0]["channels"]]
    assert paths.count("rotation") == 3 and "weights" in paths


@pytest.mark.parametrize("version", [0, 1])
@pytest.mark.parametrize("gaze", ["bone", "expression"])
def test_what_expressions_do_to_materials_is_in_the_clip(server, root, version, gaze):
    name = f"avatar_{version}_{gaze}.vrm"
    motion = {"nodes": ["head"], "expressions": ["happy", "stripes", "angry"], "rate": 2,
              "frames": [{"degrees": [[0, 30 * k, 10]], "expressions": [k / 2, 1 - k / 2, 0.3 * k]} for k in range(3)]}
    layers = [{"pose": motion, "wrap": "clamp"}, {"pose": {"look": {"yaw": 20, "pitch": -10}}, "weight": 0.5}]
    data, glb = export(server, name, layers, fps=4)
    (root / "face.glb").write_bytes(data)
    assert codes(glb) == codes(export(server, name, [{"clip": "-"}])[1]), "nothing is left out"
    pointers = [channel["target"]["extensions"]["KHR_animation_pointer"]["pointer"] for channel in glb.json["animations"][0]["channels"]
                if channel["target"]["path"] == "pointer"]
    for material in (vrm_avatar.SHIRT, *([vrm_avatar.EYE] if gaze == "expression" else [])):
        assert sorted(one.split("/")[-1] for one in pointers if f"/{material}/" in one) == ["offset", "rotation", "scale"], "all or none"
    seen = set()
    for t in (0, 0.25, 0.5, 1):
        wanted = materials(server, {"model": name, "layers": layers, "t": t})
        found = materials(server, {"model": "face.glb", "clip": 0, "t": t, "wrap": "clamp"})
        assert found.keys() == wanted.keys()
        for material, numbers in wanted.items():
            assert found[material] == pytest.approx(numbers, abs=2e-6), (material, t)
            seen.add((material, *(round(x, 4) for x in numbers)))
    moved = {material for material, *_ in seen if sum(one == material for one, *_ in seen) > 1}
    assert {"cheek", "shirt"} <= moved
    assert compare(server, name, "face.glb", [0, 0.25, 0.5, 1], layers) < 2e-6


def test_a_binary_body_is_a_clip(server, root):
    """The binary answer of /v1/pose sent to /v1/export: the only layer."""
    times = [k / 8 for k in range(5)]
    answer = post(server, "/v1/pose", {"model": "faced.glb", "clip": "walk", "wrap": "clamp", "t": times, "what": "local", "format": "bin"})
    data = post(server, "/v1/export?model=faced.glb&fps=8", answer.body, Content_Type="application/vnd.posed.frames")
    assert data.status == 200, data.body
    (root / "sent.glb").write_bytes(data.body)
    assert Glb(data.body).key_times(0) == times
    assert compare(server, "faced.glb", "sent.glb", times, [{"clip": "walk", "wrap": "clamp"}]) < TOLERANCE


def test_a_human_walks_like_another_and_waves(server, root):
    """A layer with the clip of another human, by rest; the pose of an arm by roles on top."""
    layers = [{"clip_file": "walker.gltf", "wrap": "clamp"}, {"pose": {"nodes": {"leftUpperArm": {"degrees": [0, 0, 60]}}, "relative_to": "rest"}}]
    data, glb = export(server, "hero.gltf", layers, fps=10, retarget="rest", feet="lock")
    (root / "walking.glb").write_bytes(data)
    assert len(glb.json["animations"]) == 1 and "slide" in glb.json["asset"]["extras"]["clip_files"][0]["retarget"]
    assert len(glb.key_times(0)) > 5
    wanted = asked(server, "/v1/pose", {"model": "hero.gltf", "layers": layers, "t": glb.key_times(0), "retarget": "rest", "feet": "lock"})
    found = asked(server, "/v1/pose", {"model": "walking.glb", "clip": 0, "wrap": "clamp", "t": glb.key_times(0)})
    for one, other in zip(wanted["frames"], found["frames"], strict=True):
        assert error_of(other["scene"], one["scene"], largest(one["scene"])) < TOLERANCE


def test_a_posed_file_has_a_pose_on_top(server, tmp_path):
    """Of a model with one clip, which keeps its visibility."""
    answer = server.get(query("/v1/export", model="shown.gltf", format="posed", turn="0:0,30,0", fps=4))
    assert answer.status == 200, answer.body
    (tmp_path / "top.posed").write_bytes(answer.body)
    with EvalProbe(tmp_path / "top.posed") as probe:
        for t in (0, 0.25, 1):
            wanted = asked(server, "/v1/mesh", {"model": "shown.gltf", "clip": 0, "wrap": "clamp", "turn": "0:0,30,0", "t": t})["frames"][0]["positions"]
            probe.evaluate(f"clip=0 t={t} wrap=1")
            assert error_of(probe.floats("vertices 0")[:9].tolist(), wanted, largest(wanted)) < 2e-6
    several = server.get(query("/v1/export", model="robot.glb", format="posed", turn="head:0,30,0"))
    assert several.error() == "bad_parameter" and "has 3: give it as a layer" in several.json()["error"]["message"]


@pytest.mark.parametrize("name, layers", [
    ("faced.glb", [{"clip": "walk", "wrap": "clamp"}, {"pose": {"nodes": {"knee": {"degrees": [0, 30, 0]}}, "relative_to": "rest"}, "mode": "additive"}]),
    ("robot.glb", [{"clip": "walk", "wrap": "clamp"}, {"clip": "wave", "wrap": "clamp", "subtree": "head", "weight": 3}])])
def test_a_posed_file_plays_the_layers(server, tmp_path, name, layers):
    answer = post(server, "/v1/export", {"model": name, "layers": layers, "fps": 10, "format": "posed"})
    assert (answer.status, answer.headers["content-type"]) == (200, "application/vnd.posed.model")
    path = tmp_path / "blend.posed"
    path.write_bytes(answer.body)
    with EvalProbe(path) as probe:
        assert int(probe.ask("info").split()[4]) == 1
        for t in (0, 0.3, 1):
            meshes = asked(server, "/v1/mesh", {"model": name, "layers": layers, "t": t})["frames"][0]["positions"]
            probe.evaluate(f"clip=0 t={t} wrap=1")
            for draw, wanted in enumerate(meshes):
                assert error_of(probe.floats(f"vertices {draw}")[:len(flat(wanted))].tolist(), wanted, largest(wanted)) < 2e-6
