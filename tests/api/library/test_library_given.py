"""Given poses in libposed-eval: the bits of the server, and errors that name what is wrong. The rig is rotated, unevenly scaled and off
the origin, and its mesh has morph targets."""
import json
import random

import numpy
import pytest

from conftest import SAMPLES, Server
from contract_model import Frames
from eval_probe import EvalProbe, LibraryError
from rigs import CLIPS, HALF, Writer

DRAWS = False

pytestmark = pytest.mark.short
SWAY = {"sway": {("hip", "rotation"): [[0, 0, 0, 1], [0.6, 0, 0, 0.8]], ("knee", "translation"): [[0, 2, 0], [0.5, 2, 1]]}}
NAMES, NODES, BODY, TARGETS = ["root", "hip", "knee", "toe"], 5, 4, 3
PARTS = {"translation": (1, 3), "rotation": (2, 4), "scale": (4, 3)}
SCOPES = {"subtree": ("subtree=2", "knee"), "except": ("except=2", "knee")}


def morphing():
    writer = Writer()
    writer.rig(["root", "hip", "knee", "toe"])
    writer.skin()
    writer.clips({**SWAY, **CLIPS})
    mesh = writer.document["meshes"][0]
    mesh["primitives"][0]["targets"] = [{"POSITION": writer.accessor([(0.1 * i, -0.2, 0.3 * t) for i in range(6)], "VEC3")} for t in range(TARGETS)]
    mesh["extras"] = {"targetNames": ["smile", "frown", "blink"]}
    mesh["weights"] = [0.25, 0, 0.5]
    return writer.text()


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    root, folder = tmp_path_factory.mktemp("root"), tmp_path_factory.mktemp("posed")
    (root / "morphing.gltf").write_text(morphing())
    for name in "robot", "octopus":
        (root / f"{name}.glb").write_bytes((SAMPLES / f"{name}.glb").read_bytes())
    running = Server(root, draws=False)
    for name in "morphing.gltf", "robot.glb", "octopus.glb":
        (folder / name).with_suffix(".posed").write_bytes(running.get(f"/v1/export?model={name}&format=posed").body)
    running.folder = folder
    yield running
    running.end()


@pytest.fixture
def probe(server):
    with EvalProbe(server.folder / "morphing.posed") as started:
        assert started.first == "ready"
        yield started


# --- the same pose, for both ---

def turn(chance):
    q = [chance.gauss(0, 1) for _ in range(4)]
    length = sum(x * x for x in q) ** 0.5 * chance.choice([1, 1, 0.5, 3])
    return [x / length for x in q]


def random_frame(chance, given):
    """{node: {part: numbers}}, {target: weight} for what is given."""
    values = {"translation": lambda: [chance.uniform(-2, 2) for _ in range(3)], "rotation": lambda: turn(chance),
              "scale": lambda: [chance.uniform(0.5, 2) for _ in range(3)]}
    nodes, targets = given
    return {node: {part: values[part]() for part in parts} for node, parts in nodes.items()}, {t: chance.uniform(-0.5, 1) for t in targets}


def random_given(chance):
    nodes = {node: chance.sample(sorted(PARTS), chance.randrange(1, 4)) for node in chance.sample(range(NODES - 1), chance.randrange(0, NODES))}
    targets = chance.sample(range(TARGETS), chance.randrange(0 if nodes else 1, TARGETS + 1))
    return nodes, targets


def give(probe, frame):
    nodes, weights = frame
    for node, parts in nodes.items():
        numbers = [number for part, (_, count) in PARTS.items() for number in parts.get(part, [0] * count)]
        probe.ask(f"give {node} {sum(PARTS[part][0] for part in parts)} " + " ".join(map(repr, numbers)))
    for target, weight in weights.items():
        probe.ask(f"weight {BODY} {target} {weight!r}")


TARGET_NAMES = ["smile", "frown", "blink"]


def pose_json(frame, is_from_rest):
    nodes, weights = frame
    return {"nodes": {NAMES[node]: parts for node, parts in nodes.items()}, "relative_to": "rest" if is_from_rest else "parent",
            **({"morphs": {TARGET_NAMES[target]: weight for target, weight in weights.items()}} if weights else {})}


def motion_json(frames, times, rate, is_from_rest):
    nodes, weights = frames[0]
    rows = [{**({"time": times[i]} if times else {}), **{part: [of.get(part) for of in frame[0].values()] for part in PARTS
                                                         if any(part in of for of in frame[0].values())},
             **({"morphs": list(frame[1].values())} if weights else {})} for i, frame in enumerate(frames)]
    return {"nodes": [node for node in nodes], "frames": rows, "relative_to": "rest" if is_from_rest else "parent",
            **({"rate": rate} if rate else {}), **({"morphs": [TARGET_NAMES[target] for target in weights]} if weights else {})}


def make_motion(probe, chance):
    """(index, how long it lasts, JSON)"""
    given, rate = random_given(chance), chance.choice([10, 30, None])
    frames = [random_frame(chance, given) for _ in range(chance.randrange(1, 5))]
    times = None if rate else [0.1 + 0.25 * i * i for i in range(len(frames))]
    is_from_rest = chance.random() < 0.3
    for i, frame in enumerate(frames):
        give(probe, frame)
        probe.ask(f"frame {times[i] if times else -1}")
    index, duration_s = probe.ask(f"motion {rate or 0} {int(is_from_rest)}").split()
    assert float(duration_s) == (0 if len(frames) == 1 else times[-1] if times else (len(frames) - 1) / rate)
    return int(index), float(duration_s), motion_json(frames, times, rate, is_from_rest)


def given_layer(probe, chance):
    """Asks the probe for a layer, and returns it in JSON."""
    words, layer = [], {}
    weight = chance.choice([1, 1, 0.3, chance.random()])
    if chance.random() < 0.4:
        index, duration_s, layer["pose"] = make_motion(probe, chance)
        time_s, wrap, speed = chance.uniform(-0.2, 1.5), chance.randrange(3), chance.choice([1, 2, -1])
        words.append(f"motion={index} t={time_s!r} wrap={wrap} speed={speed}")
        layer.update(t=time_s, wrap=["loop", "clamp", "mirror"][wrap], speed=speed)
        if duration_s > 0 and chance.random() < 0.3:
            words.append(f"from={duration_s / 4!r} to={duration_s / 2!r}")
            layer.update({"from": duration_s / 4, "to": duration_s / 2})
    else:
        is_from_rest = chance.random() < 0.3
        frame = random_frame(chance, random_given(chance))
        give(probe, frame)
        words.append(f"pose={int(is_from_rest)}")
        layer["pose"] = pose_json(frame, is_from_rest)
    words.append(f"weight={weight!r}")
    layer["weight"] = weight
    if chance.random() < 0.3:
        words.append("additive=1")
        layer["mode"] = "additive"
    if chance.random() < 0.2:
        scope = chance.choice(list(SCOPES))
        words.append(SCOPES[scope][0])
        layer[scope] = SCOPES[scope][1]
    probe.ask("layer " + " ".join(words))
    return layer


def clip_layer(probe, chance):
    clip, time_s, weight = chance.randrange(3), chance.uniform(0, 2), chance.choice([0.25, 0.5, 1])
    probe.ask(f"layer clip={clip} t={time_s!r} weight={weight!r}")
    return {"clip": clip, "t": time_s, "weight": weight}


def as_bytes(probe, line):
    return bytes.fromhex(probe.ask(line))


def post(server, op, **query):
    text = json.dumps(query).encode()
    with server.connect() as connection:
        connection.send(f"POST /v1/{op} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(text)}\r\n\r\n".encode() + text)
        answer = connection.answer()
    assert answer.status == 200, answer.body
    return answer.body


class Asked:
    """Blocks of the server's binary answer."""

    def __init__(self, server, op, path, **query):
        self.frames = Frames(post(server, op, model=path, format="bin", **query))

    def floats(self, name):
        return b"".join(self.frames.bytes(block) for block in self.frames.named(name))


def check_all(server, probe, path, layers):
    """What the library says of the layers it has, and the server of the same layers."""
    assert as_bytes(probe, "palette 0 0") == Asked(server, "palette", path, skin=[0], layout="mat4", layers=layers).floats("palette"), layers
    local = Asked(server, "pose", path, what="local", layers=layers)
    assert as_bytes(probe, "locals") == local.floats("local"), layers
    positions = Asked(server, "mesh", path, layers=layers).floats("positions")
    assert len(positions) > 0 and as_bytes(probe, "vertices 0")[:len(positions)] == positions, layers
    scene = Asked(server, "pose", path, what="scene", layout="mat3x4", layers=layers)
    assert as_bytes(probe, "nodes 1") == scene.floats("scene"), layers


def test_layers_with_given_poses_have_the_bits_of_the_server(server, probe):
    chance = random.Random(41)
    seen = {"additive": 0, "motion": 0, "masked": 0}
    for _ in range(150):
        kinds = [chance.choice([given_layer, given_layer, clip_layer]) for _ in range(chance.randrange(1, 4))]
        layers = [kind(probe, chance) for kind in kinds]
        probe.ask("evaluate")
        check_all(server, probe, "morphing.gltf", layers)
        seen["additive"] += any("mode" in layer for layer in layers)
        seen["motion"] += any("frames" in layer.get("pose", {}) for layer in layers)
        seen["masked"] += any("subtree" in layer or "except" in layer for layer in layers)
    assert all(count > 10 for count in seen.values()), seen
    compiled, exact = map(int, probe.ask("counts").split())
    assert compiled > 20 and exact > 20


def test_a_vertex_follows_what_is_given(server, probe):
    """By the formula of skinning, from the scene matrices that numpy multiplies: of a rotated, unevenly scaled root off the origin."""
    hip = {"translation": [0.5, 1.5, -0.25], "rotation": [0, HALF, 0, HALF], "scale": [1, 2, 0.5]}
    give(probe, ({1: hip}, {0: 1.0}))
    probe.evaluate("pose=0")
    palette = probe.floats("palette 0 0").reshape(-1, 4, 4).transpose(0, 2, 1)
    turned = numpy.array([[0, 0, 1], [0, 1, 0], [-1, 0, 0]])
    local = numpy.eye(4)
    local[:3, :3], local[:3, 3] = turned * hip["scale"], hip["translation"]
    root = numpy.eye(4)
    root[:3, :3], root[:3, 3] = numpy.array([[0, -1, 0], [1, 0, 0], [0, 0, 1]]) * [2, 1, 0.5], [5, -1, 2]
    bind = numpy.array([[1, 0, 0, -1], [0, 1, 0, 0.5], [0, 0, 1, 1], [0, 0, 0, 1]])  # of joint 1, the hip
    assert numpy.allclose(palette[1], root @ local @ bind, atol=2e-6)
    vertex = numpy.array([1 + 0.1 + 0.3 * 0 * 0.5, 0 - 0.2 * 1.5, 0.6 * 0.5, 1])  # vertex 1: morphs 1, 0, 0.5 of theirs
    vertex[0] = 1 + 0.1 * 1.5
    found = probe.floats("vertices 0")[3:6]  # on joints 1 and 2, with 0.25 and 0.75
    expected = 0.25 * (palette[1] @ vertex) + 0.75 * (palette[2] @ vertex)
    assert numpy.allclose(found, expected[:3], atol=1e-5)


# --- there and back ---

def give_rows(probe, rows):
    for node, row in enumerate(rows):
        probe.ask(f"give {node} 7 " + " ".join(map(repr, row)))
    probe.evaluate("pose=0")


@pytest.mark.parametrize("path", ["morphing.gltf", "robot.glb", "octopus.glb"])
def test_all_local_transforms_of_a_frame_come_again_bit_for_bit(server, path):
    """What pe_locals() wrote for a clip, given back, is what it writes then, and so with the server's answer, here and there."""
    chance = random.Random(path)
    info = server.json("/v1/model", model=path)
    with EvalProbe((server.folder / path).with_suffix(".posed")) as probe:
        assert probe.first == "ready"
        for clip in info["clips"]:
            for t in (0, 0.37 * clip["duration"], chance.random() * clip["duration"]):
                probe.evaluate(f"clip={clip['index']} t={t!r}")
                before = probe.ask("locals")
                give_rows(probe, numpy.frombuffer(bytes.fromhex(before), numpy.float32).reshape(-1, 10).astype(float).tolist())
                assert probe.ask("locals") == before
                answer = json.loads(post(server, "pose", model=path, clip=clip["index"], t=t, what="local"))
                rows = [[*row[:10]] for row in answer["frames"][0]["local"]]
                give_rows(probe, rows)  # its numbers in JSON are the shortest that round to these floats
                assert probe.ask("locals") == before
                assert Asked(server, "pose", path, what="local", layers=[{"pose": answer}]).floats("local").hex() == before
                for skin in range(len(info["skins"])):
                    there = Asked(server, "palette", path, skin=[skin], layout="mat4", layers=[{"pose": answer}])
                    assert as_bytes(probe, f"palette {skin} 0") == there.floats("palette")


def test_nodes_by_name_are_those_by_index(probe):
    frame = ({1: {"rotation": [0, HALF, 0, HALF]}, 3: {"translation": [1, 2, 3]}}, {})
    found = []
    for has_names in (False, True):
        give(probe, frame)
        if has_names:
            probe.ask("name 0 hip")
            probe.ask("name 1 toe")
        probe.ask("frame -1")
        index, _ = probe.ask("motion 30 0").split()
        probe.evaluate(f"motion={index}")
        found.append(probe.ask("palette 0 0"))
    assert found[0] == found[1]


# --- everything that takes layers ---

def test_rays_hit_what_is_given(server, probe):
    hip = {"translation": [30, 1, 0]}
    asked = {"rays": [{"origin": [4, 59, 60], "direction": [0, 0, -1], "radius": 3}]}
    probe.ask("hitboxes 0")
    probe.ask("meshes")
    for poses, hits in (({}, False), ({1: hip}, True)):
        layers = []
        if poses:
            give(probe, (poses, {}))
            probe.ask("layer pose=0")
            layers = [{"pose": pose_json((poses, {}), False)}]
        else:
            probe.ask("layer clip=-1")
            layers = [{"clip": "-"}]
        probe.ask("add 0")
        found = probe.ask("rays nearest 4 59 60 0 0 -1 0 3 0 0 -1")
        answer = json.loads(post(server, "raycast", **asked, entities=[{"model": "morphing.gltf", "layers": layers}]))
        assert bool(found) == hits == bool(answer["hits"]), (found, answer)
        probe.ask("clear")


# --- what is wrong ---

@pytest.mark.parametrize("given, words, said", [
    (["give 1 2 0 0 0 0 0 0 0 0 0 0"], "pose=0", "layer 1: frame 0: the rotation of node 1 'hip': a quaternion of length 0 is no rotation"),
    (["give 1 7 0 0 nan 0 0 0 1 1 1 1"], "pose=0", "layer 1: frame 0: the translation of node 1 'hip': number 2 is not finite as a float"),
    (["give 1 7 0 0 0 0 inf 0 1 1 1 1"], "pose=1", "layer 1: frame 0: the rotation of node 1 'hip': number 1 is not finite as a float"),
    (["give 1 4 0 0 0 0 0 0 1 1 1e39 1"], "pose=0", "layer 1: frame 0: the scale of node 1 'hip': number 1 is not finite as a float"),
    (["give 77 1 0 0 0 0 0 0 1 1 1 1"], "pose=0", "layer 1: frame 0: nodes[0]: node 77 of 5, parts 1"),
    (["give 1 8 0 0 0 0 0 0 1 1 1 1"], "pose=0", "layer 1: frame 0: nodes[0]: node 1 of 5, parts 8"),
    (["give 3 1 0 0 0 0 0 0 1 1 1 1", "give 1 1 0 0 0 0 0 0 1 1 1 1", "give 3 2 0 0 0 0 0 0 1 1 1 1"], "pose=0",
     "layer 1: frame 0: node 3 'toe' is given twice"),
    (["weight 4 3 1"], "pose=0", "layer 1: frame 0: weights[0]: node 4 of 5, morph target 3 of 3"),
    (["weight 2 0 1"], "pose=0", "layer 1: frame 0: weights[0]: node 2 of 5, morph target 0 of 0"),
    (["weight 4 1 1", "weight 4 1 0.5"], "pose=0", "layer 1: frame 0: morph weight 1 of node 4 is given twice"),
    (["weight 4 1 nan"], "pose=0", "layer 1: frame 0: morph weight 1 of node 4 'body': it is not finite as a float"),
    (["give 1 1 0 0 0 0 0 0 1 1 1 1"], "pose=2", "layer 1: the pose has no nodes, weights or expressions, or relative_to is unknown"),
    (["give 1 1 0 0 0 0 0 0 1 1 1 1"], "pose=0 weight=1.5", "layer 1: weight is not in 0..1"),
    (["give 1 1 0 0 0 0 0 0 1 1 1 1"], "pose=0 reference=0", "layer 1: a given pose has no reference"),
])
def test_what_is_wrong_is_said(probe, given, words, said):
    probe.evaluate("clip=0 t=0.1")
    before = probe.ask("palette 0 0")
    probe.ask("layer clip=0 t=0.1")
    for line in given:
        probe.ask(line)
    probe.ask("layer " + words)
    with pytest.raises(LibraryError) as error:
        probe.ask("evaluate")
    assert (error.value.status, error.value.message) == (-1, said)
    probe.evaluate("clip=0 t=0.1")
    assert probe.ask("palette 0 0") == before


ZERO = "0 0 0 0 0 0 1 1 1 1"


@pytest.mark.parametrize("lines, motion, status, said", [
    ([f"give 1 7 {ZERO}", "frame 0", f"give 1 7 {ZERO}", "frame 0"], "0 0", -1, "frame 1: its time is 0 s; times begin at 0 or later and rise"),
    ([f"give 1 7 {ZERO}", "frame 0.5", f"give 1 7 {ZERO}", "frame 0.25"], "0 0", -1, "frame 1: its time is 0.25 s"),
    ([f"give 1 7 {ZERO}", "frame nan"], "30 0", 0, ""),
    ([f"give 1 7 {ZERO}", "frame -1", "give 1 7 0 0 0 0 0 0 0 1 1 1", "frame -1"], "30 0", -1,
     "frame 1: the rotation of node 1 'hip': a quaternion of length 0 is no rotation"),
    ([f"give 1 7 {ZERO}", "frame -1", f"give 1 7 {ZERO}", "frame -1"], "0 0", -1, "there are no times, and the rate is not finite and above 0"),
    ([f"give 1 7 {ZERO}", f"give 1 7 {ZERO}", "frame -1"], "30 0", -1, "node 1 'hip' is given twice"),
    ([f"give 9 7 {ZERO}", "frame -1"], "30 0", -1, "nodes[0]: node 9 of 5"),
    ([f"give 1 0 {ZERO}", "frame -1"], "30 0", -1, "nodes[0]: parts 0"),
    ([f"give 1 7 {ZERO}", "name 0 tail", "frame -1"], "30 0", -6, "nodes[0]: the model has no node 'tail'"),
    (["frame -1"], "30 0", -1, "nothing is given: 1 frames of 0 nodes, 0 morph weights and 0 expressions"),
    ([f"give 1 7 {ZERO}", "frame -1"], "30 5", -1, "relative_to is unknown"),
])
def test_motions_that_are_wrong_are_refused(probe, lines, motion, status, said):
    for line in lines:
        probe.ask(line)
    if status == 0:
        assert probe.ask("motion " + motion).startswith("0 ")
        return
    with pytest.raises(LibraryError) as error:
        probe.ask("motion " + motion)
    assert error.value.status == status and said in error.value.message
