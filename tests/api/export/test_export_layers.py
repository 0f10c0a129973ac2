"""layers and poses on top of /v1/export: one clip whose poses at its keys are those of /v1/pose, in GLB files and .posed files."""
import json
import math
import random
import shutil
import sys

import pytest

from conftest import REPOSITORY, SAMPLES, Server
from eval_probe import EvalProbe
from importers import NO_RENDERING
from raw_requests import post
from round_trip import Glb, query

sys.path[:0] = [str(REPOSITORY / "tests" / "api" / folder) for folder in ("answers", "formats")] + [str(REPOSITORY / "tests" / "oracle")]
import constraint_files  # noqa: E402
import gltf_evaluator  # noqa: E402
import random_fbx  # noqa: E402
import vrm_avatar  # noqa: E402
import vrm_files  # noqa: E402
from given_mixtures import CLIPS, FACE, RIG, Chances, faced  # noqa: E402
from rigs import moves  # noqa: E402

DRAWS = False

TOLERANCE = 1e-6  # of the size: transforms are rounded to floats
COUNTS = {"faced.glb": 40, "robot.glb": 8, "octopus.glb": 6}
RATES = [4, 7.5, 24, 30]
LONGEST_S = 12
FBX_SEEDS = range(8)
RUN = {"run": {**CLIPS["walk"], ("root", "translation"): [[5, -1, 2], [9, -1, 2]]}}


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    folder = tmp_path_factory.mktemp("layers")
    for name in ("robot.glb", "octopus.glb"):
        shutil.copy(SAMPLES / name, folder)
    (folder / "faced.glb").write_bytes(faced())
    (folder / "run.gltf").write_text(moves(RUN, list(RIG), RIG), encoding="utf-8")
    (folder / "constrained.glb").write_bytes(constraint_files.glb(constraint_files.many().document()))
    for seed in FBX_SEEDS:
        (folder / f"fbx_{seed}.fbx").write_text(random_fbx.make(seed), encoding="utf-8")
    for name in ("uneven.vrm", "looking.vrm"):
        (folder / name).write_bytes(vrm_files.model(name))
    for version in (0, 1):
        for gaze in ("bone", "expression"):
            (folder / f"avatar_{version}_{gaze}.vrm").write_bytes(vrm_avatar.avatar(version, gaze))
    return folder


@pytest.fixture(scope="module")
def server(root):
    running = Server(root, *NO_RENDERING, "--log", "off")
    yield running
    running.end()


def export(server, model, layers, **more):
    answer = post(server, "/v1/export", {"model": model, "layers": layers, **more})
    assert answer.status == 200, (answer.body, json.dumps(layers))
    return answer.body, Glb(answer.body)


def codes(glb):
    return [warning["code"] for warning in glb.json["asset"]["extras"]["warnings"]]


def share_off(glb):
    return max((one["share_of_size"] for one in glb.json["asset"]["extras"]["approximations"]), default=0)


def asked(server, path, body):
    answer = post(server, path, body)
    assert answer.status == 200, (answer.body, body)
    return answer.json()


def flat(rows):
    return [x for row in rows for x in (flat(row) if isinstance(row, list) else [row])]


def error_of(got, expected, size):
    got, expected = flat(got), flat(expected)
    assert len(got) == len(expected) and all(map(math.isfinite, got))
    return max((abs(a - b) for a, b in zip(got, expected)), default=0) / size


def largest(numbers):
    return max((abs(x) for x in flat(numbers)), default=0)


def compare(server, model, file, times, layers, **on_top):
    """The scene matrices and vertices of the file's clip at these times against those of the layers, as shares of the size."""
    count = len(server.json("/v1/model", model=model)["nodes"])
    worst = 0
    for i in range(0, len(times), 40):
        some = times[i:i + 40]
        for path, values in (("/v1/pose", lambda frame: frame["scene"][:count]), ("/v1/mesh", lambda frame: frame["positions"])):
            if path == "/v1/mesh" and not server.json("/v1/model", model=model)["meshes"]:
                continue
            wanted = asked(server, path, {"model": model, "t": some, **on_top, **({"layers": layers} if layers is not None else {})})
            found = asked(server, path, {"model": file, "t": some, "clip": 0, "wrap": "clamp"})
            for one, other in zip(wanted["frames"], found["frames"], strict=True):
                worst = max(worst, error_of(values(other), values(one), max(largest(values(one)), 1e-6)))
    return worst


def tame(layers):
    """Without layers that take minutes."""
    for layer in layers:
        if 0 < abs(layer.get("speed", 1)) < 0.4:
            layer["speed"] = math.copysign(0.4, layer["speed"])
    return layers


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
            assert times[:-1] == pytest.approx([k / rate for k in range(len(times) - 1)], rel=1e-6) and 0 < end - times[-2] < 1.002 / rate
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
    ([{"clip": "walk", "from": 0.1, "to": 0.4, "speed": -0.5, "wrap": "clamp", "phase": 1}], 0.6),
    ([{"clip": "walk", "wrap": "mirror", "speed": 2}, {"clip": "wave"}], 0.5),
    ([{"clip": "walk", "t": 0.5}, {"pose": {"nodes": ["hip"], "frames": [{"time": 0, "degrees": [[0, 0, 0]]}, {"time": 0.7, "degrees": [[0, 50, 0]]}]}}], 0.7),
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


def test_constraints_act_in_the_clip(server, root):
    """A program that does not know constraints plays the same poses."""
    layers = [{"pose": {"nodes": [0, 1], "frames": [{"degrees": [[0, 0, 0], [0, 0, 0]]}, {"degrees": [[40, 20, 10], [-50, 30, 0]]}], "rate": 1}, "wrap": "clamp"}]
    data, glb = export(server, "constrained.glb", layers, fps=5)
    (root / "led.glb").write_bytes(data)
    assert "constraints_kept" in codes(glb)
    assert len(glb.key_times(0)) == 6 and compare(server, "constrained.glb", "led.glb", glb.key_times(0), layers) < TOLERANCE


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


def materials(server, body):
    """The numbers of the materials of a posed mesh, with transforms of their textures as matrices."""
    answer = post(server, "/v1/mesh", {**body, "format": "glb"})
    assert answer.status == 200, answer.body
    found = {}
    for material in Glb(answer.body).json["materials"]:
        surface = material["pbrMetallicRoughness"]
        strength = material.get("extensions", {}).get("KHR_materials_emissive_strength", {}).get("emissiveStrength", 1)
        numbers = surface.get("baseColorFactor", [1] * 4) + [strength * x for x in material.get("emissiveFactor", [0] * 3)]
        for use in (surface.get("baseColorTexture"), material.get("emissiveTexture")):
            moved = (use or {}).get("extensions", {}).get("KHR_texture_transform", {})
            (x, y), turn = moved.get("scale", [1, 1]), moved.get("rotation", 0)
            numbers += moved.get("offset", [0, 0]) + [math.cos(turn) * x, math.sin(turn) * y, -math.sin(turn) * x, math.cos(turn) * y]
        found[material["name"]] = numbers
    return found


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
