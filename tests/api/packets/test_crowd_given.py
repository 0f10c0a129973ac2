"""Given poses in crowds and binary raycasts: the bits of /v1/palette and /v1/pose, errors of one entity, and malformed bytes."""
import itertools
import json
import random
import re
import shutil
import struct
import subprocess
import sys

import pytest

import crowds
import packets
import raycasts
from conftest import REPOSITORY, SAMPLES, Server
from crowds import Answer, Crowd, answers_of, query_of
from given_mixtures import faced
from raw_requests import post

DRAWS = False
sys.path.append(str(REPOSITORY / "clients" / "python"))
ROBOT, OCTOPUS, FACED = "robot.glb", "octopus.glb", "faced.glb"
PATHS = {1: "translation", 2: "rotation", 4: "scale"}
PLACE = [1, 0, 0, 5, 0, 0, -1, 2, 0, 1, 0, -3]


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    root = tmp_path_factory.mktemp("crowd")
    for name in ROBOT, OCTOPUS:
        (root / name).write_bytes((SAMPLES / name).read_bytes())
    (root / FACED).write_bytes(faced())
    running = Server(root, "--tcp", "127.0.0.1:0", "--unix", str(root / "socket"), "--log", "off", draws=False)
    yield running
    running.end()


def f32(x):
    return struct.unpack("<f", struct.pack("<f", x))[0]


class Chances:
    """Random given poses of a model, as records and as JSON."""

    def __init__(self, server, name, seed):
        self.rng, self.name = random.Random(seed), name
        answer = server.json("/v1/pose", model=name, what="local", clip=0, t=0.3)
        self.rest = answer["frames"][0]["local"]

    def part(self, node, part):
        row = self.rest[node]
        if part == 2:
            q = [self.rng.gauss(0, 1) for _ in range(4)]
            length = sum(x * x for x in q) ** 0.5
            return [f32(x / length) for x in q]
        return [f32(x * self.rng.uniform(0.6, 1.5)) for x in (row[:3] if part == 1 else row[7:])]

    def pose(self, is_whole=False):
        nodes = range(len(self.rest)) if is_whole else sorted(self.rng.sample(range(len(self.rest)), self.rng.randint(1, 6)))
        return [(node, {part: self.part(node, part) for part in ([1, 2, 4] if is_whole else self.rng.choice([[2], [1, 2], [4], [1, 2, 4]]))})
                for node in nodes]


def as_json(nodes):
    """The same in the words of JSON; numbers as floats are written."""
    rows = {path: [parts.get(part) for _, parts in nodes] for part, path in PATHS.items()}
    return {"nodes": [node for node, _ in nodes], **{path: row for path, row in rows.items() if any(one is not None for one in row)}}


def test_crowds_have_the_bits_of_palettes_and_poses(server):
    """Random layers of clips and given poses, shared and own, with masks; some entities of each kind of matrices; over each transport."""
    crowd, expected = Crowd(), []
    chances = [Chances(server, name, name) for name in (ROBOT, OCTOPUS, FACED)]
    for one in chances:
        crowd.model(one.name)
    crowd.wanted()
    crowd.wanted(what=1)
    crowd.wanted(skin=0, items=[2, 0])
    poses = [[(nodes, crowd.pose(*nodes)) for nodes in (one.pose(i == 0) for i in range(4))] for one in chances]
    masks = [crowd.mask((1, 1)), crowd.mask((2, 2), (0, 1))]
    scopes = [{"subtree": 1}, {"except": 2, "subtree": 0}]
    rng = random.Random(41)
    for i in range(120):
        place = i % 3
        layers, words = [], []
        for _ in range(rng.randint(0, 2)):
            clip, t, weight = rng.randrange(2), rng.uniform(0, 3), rng.uniform(0.1, 2)
            layers.append({"clip": clip, "time_s": t, "weight": weight})
            words.append({"clip": clip, "t": t, "weight": weight})
        for _ in range(rng.randint(1, 2)):
            nodes, pose = rng.choice(poses[place])
            weight, is_added, mask = rng.choice([0, 0.25, 1, 1]), rng.random() < 0.3, rng.choice([-1, -1, -1, 0, 1])
            at = rng.randint(0, len(layers))
            layers.insert(at, {"clip": pose, "mode": 3 if is_added else 2, "weight": weight, "mask": masks[mask] if mask >= 0 else -1})
            words.insert(at, {"pose": as_json(nodes), "mode": "additive" if is_added else "replace", "weight": weight, **(scopes[mask] if mask >= 0 else {})})
        wanted = rng.choice([0, 1, 2])
        layout = rng.choice([0, 1])
        crowd.entity(layers, model=place, wanted=wanted, layout=layout)
        expected.append((chances[place].name, words, wanted, ["mat4", "mat3x4"][layout]))
    found = answers_of(server, crowd)
    assert len(set(found.values())) == 1
    answer = Answer(found["http"])
    assert not answer.errors, answer.errors
    for i, (name, words, wanted, layout) in enumerate(expected):
        body = {"layers": words, "layout": layout}
        floats = query_of(server, name, {**body, "what": "scene"}, "pose") if wanted == 1 else query_of(server, name, {**body, "skin": 0})
        size = {"mat4": 64, "mat3x4": 48}[layout]
        floats = floats[2 * size:3 * size] + floats[:size] if wanted == 2 else floats
        assert answer.floats[i] == floats, (i, name, json.dumps(words))


def test_a_frame_sent_back_in_a_crowd_is_the_frame(server):
    pose = server.json("/v1/pose", model=OCTOPUS, clip=1, t=0.7, what="local")
    rows = pose["frames"][0]["local"]
    crowd = Crowd()
    crowd.model(OCTOPUS)
    crowd.wanted(what=1)
    place = crowd.pose(*((i, {1: row[:3], 2: row[3:7], 4: row[7:]}) for i, row in enumerate(rows)))
    crowd.entity([{"clip": place, "mode": 2}])
    crowd.entity([{"clip": 0, "time_s": 0.2}, {"clip": place, "mode": 2}])
    answer = Answer(crowds.post(server, crowd.bytes()).body)
    floats = {"nodes": list(range(len(rows))), "local": [[f32(x) for x in row] for row in rows]}  # records have floats, JSON their decimals
    assert answer.floats[0] == answer.floats[1] == query_of(server, OCTOPUS, {"layers": [{"pose": floats}], "what": "scene"}, "pose")


def test_places_and_worlds_go_with_given_poses(server):
    crowd = Crowd()
    crowd.model(ROBOT)
    crowd.wanted(what=1)
    head = crowd.pose((5, {2: [0, 0.6, 0, 0.8]}))
    crowd.entity([{"clip": 0, "time_s": 0.3}, {"clip": head, "mode": 2}], world=crowd.world(PLACE))
    crowd.entity([{"clip": 0, "time_s": 0.3}, {"clip": head, "mode": 2}])
    answer = Answer(crowds.post(server, crowd.bytes()).body)
    moved, still = (struct.unpack_from("<16f", answer.floats[i], 5 * 64) for i in range(2))
    for r in range(3):
        for c in range(4):
            there = sum(PLACE[4 * r + k] * still[4 * c + k] for k in range(3)) + (PLACE[4 * r + 3] if c == 3 else 0)
            assert abs(moved[4 * c + r] - there) < 1e-5


# --- errors ---

def test_what_is_wrong_is_of_its_entity(server):
    crowd = Crowd()
    for path in ROBOT, FACED:
        crowd.model(path)
    crowd.wanted()
    good, far = crowd.pose((5, {2: [0, 0, 0, 1]})), crowd.pose((1, {1: [0, 0, 0]}), (19, {1: [0, 0, 0]}))
    endless = crowd.pose((5, {1: [0, float("inf"), 0]}))
    none, zero = crowd.pose((5, {4: [float("nan"), 1, 1]})), crowd.pose((4, {1: [0, 0, 0]}), (5, {2: [0, 0, 0, 0]}))
    cases = [(0, {"clip": good}, None), (0, {"clip": far}, None), (1, {"clip": far}, ("joint_not_found", "layer 0", f"given pose {far}", "node 19")),
             (0, {"clip": endless}, ("bad_parameter", "layer 0", f"given pose {endless}", "translation", "'head'", "number 1")),
             (0, {"clip": none}, ("bad_parameter", "layer 0", "scale", "'head'", "number 0")), (0, {"clip": zero}, ("bad_parameter", "'head'", "length 0")),
             (0, {"clip": good, "weight": 1.5}, ("bad_parameter", "layer 0", "weight", "0 to 1")),
             (0, {"clip": good, "weight": -0.1}, ("bad_parameter", "layer 0", "weight")),
             (0, {"clip": good, "mask": crowd.mask((99, 0))}, ("joint_not_found", "mask", "99")), (0, {"clip": zero}, ("bad_parameter", "length 0"))]
    for mode, (model, layer, _) in itertools.product((2, 3), cases):
        crowd.entity([{**layer, "mode": mode}], model=model)
    found = answers_of(server, crowd)
    assert len(set(found.values())) == 1
    answer = Answer(found["http"])
    numbers = {name: int(number) for number, name in re.findall(r'^X\(\w+, (\d+), \d+, "(\w+)"', (crowds.DOCUMENTS / "errors.def").read_text(), re.M)}
    for i, (model, _, wrong) in enumerate(cases * 2):
        if wrong is None:
            assert i not in answer.errors and any(answer.floats[i])
            continue
        code, message = answer.errors[i]
        assert code == numbers[wrong[0]] and all(word in message for word in wrong[1:]), message
        assert f"entity {i} of" in message and [ROBOT, FACED][model] in message


def test_the_whole_request_is_wrong(server):
    def crowd(**changes):
        one = Crowd()
        one.model(ROBOT)
        one.wanted()
        pose = one.pose((3, {1: [0, 1, 0]}), (5, {2: [0, 0, 0, 1]}))
        one.entity([{"clip": pose, "mode": 2}])
        for name, value in changes.items():
            part, field = name.split("__")
            one.lists[part][int(field[-1]) if field[-1].isdigit() else 0].update({field.rstrip("01"): value})
        return one.bytes()

    assert Answer(crowds.post(server, crowd()).body).errors == {}
    for changes, code, words in (({"layer__clip": 1}, "bad_parameter", "layer 0"), ({"layer__clip": -1}, "bad_parameter", "layer 0"),
                                 ({"layer__mode": 4}, "bad_parameter", "layer 0"), ({"layer__time_s": 1.0}, "bad_request", "byte"),
                                 ({"layer__wrap": 1}, "bad_request", "byte"), ({"layer__clip_model": 1}, "bad_request", "byte"),
                                 ({"layer__reference_time_s": 1.0}, "bad_request", "byte"), ({"pose__first_node": 1}, "bad_parameter", "given pose 0"),
                                 ({"pose__node_count": 0}, "bad_parameter", "given pose 0"), ({"pose__node_count": 3}, "bad_parameter", "given pose 0"),
                                 ({"pose__first_number": 1}, "bad_parameter", "given pose 0: its numbers"), ({"pose__reserved": 1}, "bad_request", "byte"),
                                 ({"pose_node__node1": 3}, "bad_parameter", "do not rise"), ({"pose_node__node1": 2}, "bad_parameter", "do not rise"),
                                 ({"pose_node__parts0": 0}, "bad_parameter", "node of a given pose 0"), ({"pose_node__parts1": 8}, "bad_parameter", "1"),
                                 ({"pose_node__parts1": 7}, "bad_parameter", "its numbers"), ({"pose_node__reserved0": 1}, "bad_request", "byte")):
        answer = crowds.post(server, crowd(**changes))
        assert answer.error() == code and words in answer.json()["error"]["message"], (changes, answer.body)


def test_poses_of_many_models_and_many_poses_are_limited(server, start):
    """All poses of all models have at most a million numbers."""
    wide = start("--log", "off", "--max-body", "64MiB", root=server.root)
    crowd = Crowd()
    crowd.model(OCTOPUS)
    crowd.wanted()
    nodes = 53
    body = bytearray()
    for count, status in ((1886, 200), (1887, 400)):
        crowd = Crowd()
        crowd.model(OCTOPUS)
        crowd.wanted()
        one = crowd.pose(*((n, {1: [0, 0, 0], 2: [0, 0, 0, 1], 4: [1, 1, 1]}) for n in range(nodes)))
        for _ in range(count - 1):
            crowd.add("pose", first_node=0, node_count=nodes, first_number=0)
        for i in range(count):
            crowd.entity([{"clip": i, "mode": 2}])
        body = crowd.bytes()
        answer = crowds.post(wide, body)
        assert one == 0 and answer.status == status, answer.body[:300]
    assert answer.error() == "too_many_frames" and "1000000 numbers" in answer.json()["error"]["message"]


# --- raycasts ---

def test_binary_raycasts_have_given_poses(server):
    """The same hit as in JSON: the arm is where the pose puts it."""
    nodes = [(8, {2: [0, 0, f32(0.6), f32(0.8)]}), (9, {2: [0, 0, f32(0.28), f32(0.96)]})]
    rays = [{"origin": [x, y, 4], "direction": [0, 0, -1]} for x in (0.3, 0.5, 0.7) for y in (0.9, 1.2, 1.5, 1.8)]
    asked = {"entities": [{"model": ROBOT, "layers": [{"clip": 0, "t": 0.3}, {"pose": as_json(nodes)}]}], "rays": rays, "test": "mesh"}
    named = post(server, "/v1/raycast", asked).json()["hits"]
    plain = post(server, "/v1/raycast", {**asked, "entities": [{"model": ROBOT, "layers": [{"clip": 0, "t": 0.3}]}]}).json()["hits"]
    assert len(named) > 2 and named != plain
    crowd = Crowd()
    crowd.model(ROBOT)
    crowd.wanted()
    crowd.entity([{"clip": 0, "time_s": 0.3}, {"clip": crowd.pose(*nodes), "mode": 2}])
    body = raycasts.of_crowd(crowd.bytes(), [struct.pack("<IiII", 0, -1, raycasts.NONE, 0)], rays, test="mesh")
    answer = post(server, "/v1/raycast?format=json", body, Content_Type="application/vnd.posed.raycast")
    assert answer.status == 200, answer.body
    assert answer.json()["hits"] == named
    with packets.connect(server.ports, "tcp") as link:
        hits = raycasts.read_hits(link.ask("raycast", body).payload)["hits"]
    assert [(hit["ray"], hit["distance"]) for hit in hits] == [(hit["ray"], pytest.approx(hit["distance"], rel=1e-6)) for hit in
                                                               raycasts.read_hits(post(server, "/v1/raycast", body).body)["hits"]]


# --- clients ---

def test_clients_make_the_same_bytes():
    """Python and JavaScript; tests/unit/packets/test_crowd_poses.c has those of C."""
    from posed.crowd import CrowdPose, Entity, Layer, Mask, Wanted, build
    crowd = Crowd()
    crowd.model(ROBOT)
    crowd.wanted()
    crowd.mask((4, 1))
    turned, moved = crowd.pose((5, {2: [0, 0.6, 0, 0.8]})), crowd.pose((2, {1: [1, 2, 3], 4: [1, 2, 1]}), (10, {2: [0, 0, 1, 0]}))
    crowd.entity([{"clip": 1, "time_s": 0.5, "weight": 0.75}, {"clip": moved, "mode": 2, "weight": 0.5, "mask": 0}, {"clip": turned, "mode": 3}])
    crowd.entity([{"clip": turned, "mode": 2}])
    nodes = [{5: {"rotation": [0, 0.6, 0, 0.8]}}, {10: {"rotation": [0, 0, 1, 0]}, 2: {"scale": [1, 2, 1], "translation": [1, 2, 3]}}]
    entities = [Entity([Layer(1, 0.5, 0.75), Layer(pose=1, weight=0.5, mask=0, time_s=7, wrap="clamp"), Layer(pose=0, additive=True)]), Entity([Layer(pose=0)])]
    assert build([ROBOT], entities, None, None, [Mask(subtree=[4])], [Wanted()], [], [CrowdPose(one) for one in nodes]) == crowd.bytes()
    with pytest.raises(ValueError, match="degrees"):
        build([ROBOT], entities, None, None, [], [Wanted()], [], [CrowdPose({1: {"degrees": [1, 2, 3]}})])
    if not shutil.which("node"):
        pytest.skip("no node")
    asked = {"models": [ROBOT], "masks": [{"subtree": [4]}], "poses": [{"nodes": one} for one in nodes], "entities": [
        {"layers": [{"clip": 1, "t": 0.5, "weight": 0.75}, {"pose": 1, "weight": 0.5, "mask": 0, "t": 7, "wrap": "clamp"}, {"pose": 0, "mode": "additive"}]},
        {"layers": [{"pose": 0}]}]}
    program = f"import {{ buildCrowd }} from '{REPOSITORY}/clients/js/crowd.js'; process.stdout.write(Buffer.from(buildCrowd({json.dumps(asked)})).toString('hex'));"
    made = subprocess.run(["node", "--input-type=module", "-e", program], capture_output=True, text=True, check=True).stdout
    assert bytes.fromhex(made) == crowd.bytes()


def test_the_python_client_poses_a_crowd(server):
    import posed
    from posed.crowd import CrowdPose, Entity, Layer
    with posed.connect(server.url) as client:
        found = client.crowd([ROBOT], [Entity([Layer(0, 0.3), Layer(pose=0)])], poses=[CrowdPose({5: {"rotation": [0, 0.6, 0, 0.8]}})])
    floats = query_of(server, ROBOT, {"layers": [{"clip": 0, "t": 0.3}, {"pose": {"nodes": [5], "rotation": [[0, f32(0.6), 0, f32(0.8)]]}}], "skin": 0})
    assert bytes(memoryview(found.floats).cast("B")) == floats
