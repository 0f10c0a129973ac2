"""Expressions and looks of given poses in libposed-eval: the bits of the server, for avatars of VRM 0 and 1 whose eyes turn or look by
expressions, with expressions that override others or are binary. Their rigs are turned, unevenly scaled and off the origin."""
import random
import subprocess

import pytest

import vrm_files
from conftest import BUILD, PATIENCE_S, SAMPLES, Server
from eval_probe import EvalProbe, LibraryError
from test_library_given import Asked, as_bytes
from vrm_avatar import avatar
from vrm_files import edited

DRAWS = False

pytestmark = pytest.mark.short


def shy(document):
    """Every second expression is binary, and some override the gaze, the mouth or blinking."""
    faces = document["extensions"]["VRMC_vrm"]["expressions"]["preset"]
    for i, name in enumerate(sorted(faces)):
        faces[name]["isBinary"] = i % 2 == 1
        faces[name][["overrideLookAt", "overrideBlink", "overrideMouth"][i % 3]] = ["blend", "block", "none"][i % 4 % 3]


MODELS = {**{name: vrm_files.model(name, "expression" if name == "looking.vrm" else "bone") for name in vrm_files.MODELS},
          **{f"ann{version}_{gaze}.vrm": avatar(version, gaze) for version in (0, 1) for gaze in ("bone", "expression")},
          "shy.vrm": edited(avatar(1, "expression"), shy)}


TARGETS = ["one", "two", "three", "four"]


def named_targets(document):
    document["meshes"][1]["extras"] = {"targetNames": TARGETS}


def without_eyes(document):
    bones = document["extensions"]["VRMC_vrm"]["humanoid"]["humanBones"]
    del bones["leftEye"], bones["rightEye"]


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    root, folder = tmp_path_factory.mktemp("root"), tmp_path_factory.mktemp("posed")
    for name, data in MODELS.items():
        (root / name).write_bytes(data)
    (root / "move.vrma").write_bytes(vrm_files.motion(turned=vrm_files.TURNED))
    (root / "named.vrm").write_bytes(edited(MODELS["looking.vrm"], named_targets))
    (root / "blind.vrm").write_bytes(edited(vrm_files.model("turned.vrm"), without_eyes))
    (root / "robot.glb").write_bytes((SAMPLES / "robot.glb").read_bytes())
    running = Server(root, draws=False)
    for name in (*MODELS, "blind.vrm", "move.vrma", "robot.glb"):
        (folder / name).write_bytes(running.get(f"/v1/export?model={name}&format=posed").body)
    running.folder = folder
    yield running
    running.end()


def started(server, name):
    probe = EvalProbe(server.folder / name)
    assert probe.first == "ready", probe.first
    return probe


def faces(server, name):
    """[[name, number of morph weights, whether it is binary]]"""
    with started(server, name) as probe:
        return [[word.split(",")[0], int(word.split(",")[1]), bool(int(word.split(",")[2]))] for word in probe.ask("expressions").split()[2:]]


@pytest.mark.parametrize("name", MODELS)
def test_the_file_has_the_expressions_of_the_model(server, name):
    info = server.json("/v1/model", model=name)
    wanted = [[one["name"], sum("weight" in bind for bind in one["binds"]), one["binary"]] for one in info["expressions"]]
    assert faces(server, name) == wanted and sum(count for _, count, _ in wanted) > 4
    with started(server, name) as probe:
        assert probe.ask("expressions").startswith("gaze 1 ")
        assert [int(probe.ask("find expression " + one[0])) for one in wanted] == list(range(len(wanted)))
        with pytest.raises(LibraryError, match=f"no expression 'smug' among its {len(wanted)}: '{wanted[0][0]}'"):
            probe.ask("find expression smug")


def test_other_models_have_neither(server):
    with started(server, "robot.glb") as probe:
        assert probe.ask("expressions") == "gaze 0"


# --- the same face, for both ---

class Given:
    """What the probe and the server get: expressions, morph weights of a node, nodes and a look."""

    def __init__(self, server, name, probe):
        self.probe, self.info = probe, server.json("/v1/model", model=name)
        self.names = [one[0] for one in faces(server, name)]

    def choose(self, chance):
        self.chosen = chance.sample(range(len(self.names)), chance.randrange(0, min(6, len(self.names)) + 1))
        self.look = chance.choice([None, None, "angles", "point"])
        if not self.chosen and self.look is None:
            self.chosen = [chance.randrange(len(self.names))]

    def frame(self, chance):
        """Gives a frame to the probe. Returns its weights."""
        weights = [chance.choice([0, 0.5, 1, 0.75, chance.uniform(-0.5, 1.5)]) for _ in self.chosen]
        for expression, weight in zip(self.chosen, weights):
            self.probe.ask(f"expression {expression} {weight!r}")
        return weights

    def give_look(self, chance):
        """Tells the probe where to look. Returns the same in JSON."""
        if self.look == "angles":
            yaw, pitch = chance.uniform(-120, 120), chance.uniform(-80, 80)
            self.probe.ask(f"look 1 {yaw!r} {pitch!r} 0 0 0")
            return {"look": {"yaw": yaw, "pitch": pitch}}
        if self.look == "point":
            at = [chance.uniform(-3, 3) for _ in range(3)]
            self.probe.ask("look 2 0 0 " + " ".join(map(repr, at)))
            return {"look": {"at": at}}
        return {}


def one_frame(given, chance):
    given.choose(chance)
    weights, look = given.frame(chance), given.give_look(chance)
    shown = {"expressions": {given.names[e]: weight for e, weight in zip(given.chosen, weights)}} if given.chosen else {}
    return "pose=0", {"pose": {**shown, **look}}


def motion(given, chance):
    given.choose(chance)
    look, rows = None, []
    for _ in range(chance.randrange(1, 4)):
        weights = given.frame(chance)
        look = look or given.give_look(chance)
        rows.append({"expressions": weights} if given.chosen else {})
        given.probe.ask("frame -1")
    index = given.probe.ask("motion 4 0").split()[0]
    time_s = chance.uniform(0, 0.5)
    names = {"expressions": [given.names[e] for e in given.chosen]} if given.chosen else {}
    return f"motion={index} t={time_s!r} wrap=1", {"pose": {"frames": rows, "rate": 4, **names, **look}, "t": time_s, "wrap": "clamp"}


def turned_head(given, chance):
    """A pose of nodes below, so that a look at a point depends on where the head is."""
    node = chance.randrange(len(given.info["nodes"]))
    q = [chance.gauss(0, 1) for _ in range(4)]
    given.probe.ask(f"give {node} 2 0 0 0 {' '.join(map(repr, q))} 1 1 1")
    return "pose=0", {"pose": {"nodes": [node], "rotation": [q]}}


def vertices(probe, draws):
    """Positions of all draws; normals follow them."""
    found = [as_bytes(probe, f"vertices {draw}") for draw in range(draws)]
    return [one[:len(one) // 2] for one in found]


@pytest.mark.parametrize("name", MODELS)
def test_faces_have_the_bits_of_the_server(server, name):
    chance, changed = random.Random(name), 0
    with started(server, name) as probe:
        given = Given(server, name, probe)
        draws = int(probe.ask("info").split(" draws")[0].split()[-1])
        probe.evaluate("clip=-1")
        rest = vertices(probe, draws)
        for _ in range(40):
            layers = []
            for make in [turned_head] * chance.randrange(2) + [chance.choice([one_frame, motion]) for _ in range(chance.randrange(1, 3))]:
                words, layer = make(given, chance)
                layer["weight"] = chance.choice([1, 1, 0.3])
                if make is not turned_head and chance.random() < 0.2:
                    words, layer["mode"] = words + " additive=1", "additive"
                probe.ask(f"layer {words} weight={layer['weight']!r}")
                layers.append(layer)
            probe.ask("evaluate")
            local = Asked(server, "pose", name, what="local", layers=layers)
            assert as_bytes(probe, "locals") == local.floats("local"), layers
            positions = Asked(server, "mesh", name, layers=layers).frames
            found = vertices(probe, draws)
            assert found == [positions.bytes(block) for block in positions.named("positions")], layers
            changed += found != rest
        assert changed > 20


@pytest.mark.parametrize("name", ["turned.vrm", "uneven.vrm", "old.vrm", "looking.vrm"])
def test_a_vrm_animation_moves_bones_expressions_and_the_gaze(server, name):
    """Retargeted by rest, of which VRM's T-pose is the one that both files promise."""
    with started(server, name) as probe:
        draws = int(probe.ask("info").split(" draws")[0].split()[-1])
        probe.ask(f"source {server.folder / 'move.vrma'} by_rest 0 0 0")
        for t in (0, 0.4, 0.9):
            probe.evaluate(f"clip=0 source=1 t={t!r}")
            asked = {"clip": "move", "clip_file": "move.vrma", "retarget": "rest", "t": t}
            assert as_bytes(probe, "locals") == Asked(server, "pose", name, what="local", **asked).floats("local")
            positions = Asked(server, "mesh", name, **asked).frames
            assert vertices(probe, draws) == [positions.bytes(block) for block in positions.named("positions")]


def test_nothing_is_allocated_for_a_face(server, tmp_path):
    """In evaluations, hits and crowds, whose members have the floats of single ones."""
    for name in ("looking.vrm", "ann0_bone.vrm"):
        done = subprocess.run([BUILD / "test" / "no_allocation", server.folder / name], capture_output=True, text=True, timeout=PATIENCE_S, check=False)
        assert done.returncode == 0 and done.stdout.endswith(" evaluations, 0 allocations\n"), done.stdout + done.stderr


# --- what is wrong ---

@pytest.mark.parametrize("name, given, said", [
    ("looking.vrm", ["expression 77 1"], r"layer 1: frame 0: expressions\[0\]: expression 77 of \d+$"),
    ("looking.vrm", ["expression 1 1", "expression 0 1", "expression 1 0.5"], r"layer 1: frame 0: the expression '\w+' is given twice$"),
    ("looking.vrm", ["expression 1 1", "expression 0 nan"], r"layer 1: frame 0: the weight of the expression 'aa' is not finite$"),
    ("looking.vrm", ["expression 0 1"] * 40, r"layer 1: 40 expressions of \d+ are given$"),
    ("looking.vrm", ["look 3 0 0 0 0 0"], r"layer 1: look: its kind is unknown$"),
    ("looking.vrm", ["look -1 0 0 0 0 0"], r"layer 1: look: its kind is unknown$"),
    ("looking.vrm", ["look 1 10 400 0 0 0"], r"layer 1: look: number 1 of the angles is too large, or not finite$"),
    ("looking.vrm", ["look 2 0 0 0 0 inf"], r"layer 1: look: number 2 of the point is too large, or not finite$"),
    ("robot.glb", ["expression 0 1"], r"layer 1: 1 expressions of 0 are given$"),
    ("robot.glb", ["look 1 10 0 0 0 0"], r"layer 1: look: the model does not say how it looks somewhere, as VRM files do$"),
    ("blind.vrm", ["look 1 10 0 0 0 0"], r"layer 1: look: the model has neither eyes that turn nor expressions that look$"),
])
def test_what_is_wrong_is_said(server, name, given, said):
    with started(server, name) as probe:
        probe.evaluate("clip=-1")
        before = probe.ask("locals")
        probe.ask("layer clip=-1")
        for line in given:
            probe.ask(line)
        probe.ask("layer pose=0")
        with pytest.raises(LibraryError, match=said) as error:
            probe.ask("evaluate")
        assert error.value.status == -1
        probe.evaluate("clip=-1")
        assert probe.ask("locals") == before


def test_a_weight_that_is_given_is_not_moved_by_expressions(server):
    """As on the server: the first target of the face, with all expressions at 1 and a look."""
    info = server.json("/v1/model", model="looking.vrm")
    node = next(bind["node"] for one in info["expressions"] for bind in one["binds"] if "weight" in bind)
    with started(server, "looking.vrm") as probe:
        for e in range(len(info["expressions"])):
            probe.ask(f"expression {e} 1")
        probe.ask("look 2 0 0 1 5 2")
        for target in range(4):
            probe.ask(f"weight {node} {target} {0.125 * target!r}")
        probe.evaluate("pose=0")
        assert probe.floats(f"weights {node}").tolist()[:4] == [0, 0.125, 0.25, 0.375]


@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize("place", range(4))
def test_two_layers_look_each_with_weights_of_its_own(server, first, place):
    """One of both gives a morph weight itself, which its look then does not move."""
    info = server.json("/v1/model", model="looking.vrm")
    looks = [bind for one in info["expressions"] if one["name"].startswith("look") for bind in one["binds"] if "weight" in bind]
    bind = looks[place]
    with started(server, "looking.vrm") as probe:
        layers = []
        for gives in (first, not first):
            probe.ask("look 2 0 0 1 5 2")
            if gives:
                probe.ask(f"weight {bind['node']} {bind['index']} 0.25")
            probe.ask("layer pose=0 weight=0.5")
            layers.append({"pose": {"look": {"at": [1, 5, 2]}, **({"morphs": {TARGETS[bind["index"]]: 0.25}} if gives else {})}, "weight": 0.5})
        probe.ask("evaluate")
        draws = int(probe.ask("info").split(" draws")[0].split()[-1])
        positions = Asked(server, "mesh", "named.vrm", layers=layers).frames
        assert vertices(probe, draws) == [positions.bytes(block) for block in positions.named("positions")]
