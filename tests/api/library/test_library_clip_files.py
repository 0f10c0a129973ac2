"""Clips of other .posed files in libposed-eval: the bits of clip_file= of the server, in any blend."""
import random

import pytest

from conftest import Server
from crowds import query_of
from eval_probe import EvalProbe, LibraryError
from humans import A, Human, T
from rigs import CLIPS, HALF, RIG, character, moves

DRAWS = False

pytestmark = pytest.mark.short
SWAY = {"sway": {("hip", "rotation"): [[0, 0, 0, 1], [0.6, 0, 0, 0.8]], ("toe", "scale"): [[1, 1, 1], [2, 1, 0.5]]}}
KICK = {"kick": {("knee", "rotation"): [[HALF, 0, 0, HALF], [0.6, 0, 0, 0.8]]}, "nod": {("toe", "translation"): [[0, 1, 0.5], [1, 1, 0]]}}
# Each with the number of its clips; the first is the model that plays them. The last one's nodes are in another order.
FILES = {"anna.gltf": 1, "ben.gltf": 2, "walk.gltf": 2, "kicks.gltf": 2}
SCOPES = {"subtree": ("subtree=2", "knee"), "except": ("except=2", "knee")}


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    root, folder = tmp_path_factory.mktemp("root"), tmp_path_factory.mktemp("posed")
    (root / "anna.gltf").write_text(character(SWAY))
    (root / "ben.gltf").write_text(character(KICK))
    (root / "walk.gltf").write_text(moves(CLIPS))
    (root / "kicks.gltf").write_text(moves(KICK, ("hip", "root", "knee", "toe")))
    (root / "half.gltf").write_text(moves({"half": {**CLIPS["run"], ("tail", "translation"): [[0, 0, 0], [1, 1, 1]]}}, ["hip", "knee", "root", "tail"],
                                          {**RIG, "tail": ("hip", {})}))
    (root / "nobody.gltf").write_text(moves({"run": {("nobody", "translation"): [[0, 0, 0], [1, 1, 1]]}}, ["nobody"], {"nobody": (None, {})}))
    running = Server(root, draws=False)
    for name in [*FILES, "half.gltf", "nobody.gltf"]:
        (folder / name).with_suffix(".posed").write_bytes(running.get(f"/v1/export?model={name}&format=posed").body)
    running.folder = folder
    yield running
    running.end()


@pytest.fixture
def probe(server):
    with EvalProbe(server.folder / "anna.posed") as started:
        assert started.first == "ready"
        for name in list(FILES)[1:]:
            started.ask(f"source {(server.folder / name).with_suffix('.posed')}")
        yield started


def layer_of(chance, is_first):
    """(words for the probe, the same layer in JSON)"""
    source = chance.randrange(len(FILES))
    name = list(FILES)[source]
    file = {"clip_file": name} if source else {}
    clip, time_s, weight = chance.randrange(-1, FILES[name]), chance.uniform(-1, 2), chance.choice([0.25, 0.5, 1])
    words = [f"clip={clip} t={time_s!r} weight={weight!r} source={source}"]
    layer = {"clip": "-" if clip < 0 else clip, "t": time_s, "weight": weight, **file}
    if not is_first and chance.random() < 0.5:
        scope = chance.choice(list(SCOPES))
        words.append(SCOPES[scope][0])
        layer[scope] = SCOPES[scope][1]
    if not is_first and chance.random() < 0.4:
        reference, at = chance.randrange(-1, FILES[name]), chance.uniform(0, 1)
        words.append(f"additive=1 reference={reference} reference_t={at!r}")
        layer.update(mode="additive", reference={"clip": "-" if reference < 0 else reference, "t": at, **file})
    return " ".join(words), layer


def test_blends_of_clips_of_several_files_have_the_bits_of_the_server(server, probe):
    chance = random.Random(7)
    for _ in range(120):
        layers = [layer_of(chance, i == 0) for i in range(chance.choice([1, 1, 2, 3]))]
        probe.evaluate(*(words for words, _ in layers))
        found = bytes.fromhex(probe.ask("palette 0 0"))
        assert found == query_of(server, "anna.gltf", {"layout": "mat4", "skin": 0, "layers": [layer for _, layer in layers]}), layers


def test_a_retargeted_clip_says_what_it_is(server, probe):
    probe.ask(f"source {server.folder / 'half.posed'}")
    probe.evaluate("clip=0 t=0.3 source=4")
    duration_s, channels, unmatched, is_compiled, evaluation = probe.ask("retargeted 4 0").split()
    source = server.json("/v1/model", model="half.gltf")["clips"][0]
    assert float(duration_s) == source["duration"] and int(channels) == source["channels"] == 5
    assert int(unmatched) == 1 and is_compiled == "1" and evaluation == "linear"
    assert server.json("/v1/palette", model="anna.gltf", clip_file="half.gltf")["clip_file"]["unmatched"]["nodes"][0]["name"] == "tail"


def test_a_clip_that_moves_none_of_the_nodes_is_not_found(server, probe):
    probe.ask(f"source {server.folder / 'nobody.posed'}")
    with pytest.raises(LibraryError) as error:
        probe.ask("layer clip=0 source=4")
    assert error.value.status == -6 and "run" in str(error.value)


def test_a_source_without_such_a_clip_is_refused(probe):
    with pytest.raises(LibraryError) as error:
        probe.ask("layer clip=2 source=3")
    assert error.value.status == -1 and "there is no clip 2; there are 2" in str(error.value)


# --- between humans whose rigs differ ---

HOWS = [({}, "0 0 0"), ({"feet": "lock"}, "1 0 0"), ({"clip_rest": "zero"}, "0 1 0"), ({"clip_rest": "frame:3"}, "0 2 3")]


@pytest.fixture(scope="module")
def humans(tmp_path_factory):
    root = tmp_path_factory.mktemp("humans")
    (root / "hero.gltf").write_text(Human(A).write(has_walk=True))
    (root / "walk.gltf").write_text(Human(T).write(has_walk=True))
    (root / "robot.gltf").write_text(character(SWAY))
    running = Server(root, draws=False)
    for name in ("hero", "walk", "robot"):
        (root / f"{name}.posed").write_bytes(running.get(f"/v1/export?model={name}.gltf&format=posed").body)
    running.root = root
    yield running
    running.end()


@pytest.mark.parametrize("query, how", HOWS, ids=[how for _, how in HOWS])
def test_clips_by_rest_have_the_bits_of_the_server(humans, query, how):
    """Two humans with other bones, another rest pose, other axes and units."""
    with EvalProbe(humans.root / "hero.posed") as probe:
        probe.ask(f"source {humans.root / 'walk.posed'} by_rest {how}")
        for t in (0, 0.37, 1):
            probe.evaluate(f"clip=0 t={t!r} source=1")
            asked = {"layout": "mat4", "skin": 0, "clip": "walk", "t": t, "clip_file": "walk.gltf", "retarget": "rest", **query}
            assert bytes.fromhex(probe.ask("palette 0 0")) == query_of(humans, "hero.gltf", asked), t


@pytest.mark.parametrize("model, source, how, status, words", [
    ("hero", "robot", "0 0 0", -6, "hips"), ("robot", "walk", "0 0 0", -6, "hips"), ("hero", "walk", "0 2 99999", -1, "the first clip has"),
    ("hero", "walk", "0 3 0", -1, "there is no clip_rest 3")])
def test_by_rest_what_cannot_be_is_said(humans, model, source, how, status, words):
    with EvalProbe(humans.root / f"{model}.posed") as probe:
        probe.ask(f"source {humans.root / source}.posed by_rest {how}")
        with pytest.raises(LibraryError) as error:
            probe.ask("layer clip=0 source=1")
        assert error.value.status == status and words in str(error.value)
