"""posectl --retarget rest: --map and --clip-map name a table of joint names, or a file of the user."""
import json

import pytest

from humans import A, ROLES, T, UNREAL, Human
from posectl import posectl

pytestmark = pytest.mark.short
NAMES = {role: f"j{i}, {role}=" for i, role in enumerate(UNREAL)}


@pytest.fixture
def models(tmp_path):
    folder = tmp_path / "models"
    folder.mkdir()
    (folder / "hero.gltf").write_text(Human(A).write())
    (folder / "own.gltf").write_text(Human({**A, "names": NAMES}).write())
    (folder / "walk.gltf").write_text(Human(T).write(has_walk=True))
    (folder / "rigless.gltf").write_text(Human({**T, "names": NAMES}).write(has_walk=True))
    return folder


def ask(models, model, file, *options):
    return posectl("pose", model, "--clip-file", file, "--retarget", "rest", "--t", "0.3", *options, "--json", cwd=models)


def frames(models, *options):
    done = ask(models, *options)
    assert done.status == 0, done.err
    return json.loads(done.out)["frames"]


def test_files_of_bones(models, tmp_path):
    lines, mapping = tmp_path / "own.map", tmp_path / "map.json"
    lines.write_text("# whose joint is what\n" + "".join(f"{role} = {name}\n" for role, name in NAMES.items()))
    mapping.write_text(json.dumps(NAMES))
    known = frames(models, "hero.gltf", "walk.gltf")
    assert ask(models, "own.gltf", "walk.gltf").status == 1
    assert frames(models, "own.gltf", "walk.gltf", "--map", lines) == known
    assert frames(models, "own.gltf", "walk.gltf", "--map", mapping, "--clip-map", "mixamo") == known
    assert frames(models, "hero.gltf", "rigless.gltf", "--clip-map", lines, "--map", "unreal") == known
    assert frames(models, "own.gltf", "rigless.gltf", "--clip-map", mapping, "--map", lines) == known
    lines.write_text("hips=nobody\n")
    named = [text for role, name in NAMES.items() for text in ("--bones", f"{role}={name}")]
    assert frames(models, "own.gltf", "walk.gltf", "--map", mapping, *named) == known
    assert ask(models, "own.gltf", "walk.gltf", "--map", lines).status == 1


def test_faults_of_files(models, tmp_path):
    for text, problem in (("hips Pelvis\n", ":1: 'hips Pelvis' is no rule"), ("", "has no rules"), ('{"hips":1}', ":1: the new name of 'hips'")):
        (tmp_path / "bad.map").write_text(text)
        done = ask(models, "hero.gltf", "walk.gltf", "--map", tmp_path / "bad.map")
        assert done.status == 2 and "--map: " in done.err and problem in done.err, done.err
    for option in "--map", "--clip-map":
        (tmp_path / "bad.map").write_text("hips = pelvis\nleftUperLeg = thigh_l\n")
        done = ask(models, "hero.gltf", "walk.gltf", option, tmp_path / "bad.map")
        assert done.status == 2 and f"{option}: {tmp_path}/bad.map:2: 'leftUperLeg' is no bone of a human; did you mean 'leftUpperLeg'?" in done.err
    done = ask(models, "hero.gltf", "walk.gltf", "--clip-map", "unity")
    assert done.status == 2 and "--clip-map: cannot read 'unity'" in done.err


def test_bones_that_are_missing(models):
    """The server's words are those of parameters."""
    done = posectl("pose", "own.gltf", "--clip-file", "walk.gltf", "--retarget", "rest", "--clip", "0", cwd=models)
    assert done.status == 1 and "--bones ROLE=JOINT, or as a file for --map" in done.err, done.err
    done = posectl("pose", "hero.gltf", "--clip-file", "rigless.gltf", "--retarget", "rest", "--clip", "0", cwd=models)
    assert done.status == 1 and "--clip-bones ROLE=JOINT, or as a file for --clip-map" in done.err, done.err


def test_warnings_about_retargeted_clips_of_pictures(models, tmp_path):
    """A picture's answer only counts them. Those of the clip that is shown, once each."""
    said = "posectl: warning: feet_slide: walk.gltf: feet that stand in the clip slide by up to "
    options = ["--clip-file", "walk.gltf", "--retarget", "rest", "--width", "32", "--height", "32", "--json", "-o", tmp_path / "it.png"]
    for command in (["render"], ["sheet", "--frames", "2"], ["sheet", "--clips", "all", "--frames", "1"], ["turntable", "--frames", "2"]):
        done = posectl(*command, "hero.gltf", *options, cwd=models)
        assert done.status == 0 and done.err.count(said) == 1, (command, done.err)
        assert "warning" not in posectl(*command, "hero.gltf", *options, "--feet", "lock", cwd=models).err
    layers = json.dumps([{"clip": "walk", "clip_file": "walk.gltf"}])
    done = posectl("render", "hero.gltf", "--layers", layers, *options[2:], cwd=models)
    assert done.status == 0 and said in done.err, done.err
    assert "warning" not in posectl("render", "hero.gltf", *options[4:], cwd=models).err


def test_a_file_with_the_clips(models, tmp_path):
    (tmp_path / "own.map").write_text("".join(f"{role} = {name}\n" for role, name in NAMES.items()))
    done = posectl("convert", "own.gltf", "--clips", "./walk.gltf", "--retarget", "rest", "--feet", "lock", "--map", tmp_path / "own.map",
                   "-o", "own.glb", "--json", cwd=models)
    assert done.status == 0, done.err
    told, = json.loads(done.out)["clip_files"]
    assert told["retarget"]["feet"] == "lock" and told["unmatched"]["nodes"] == []
    poses = [json.loads(posectl("pose", *words, "--t", "0.3", "--json", cwd=models).out)["frames"][0]["scene"] for words in (
        ("own.glb", "--clip", "walk"), ("own.gltf", "--clip-file", "walk.gltf", "--retarget", "rest", "--feet", "lock", "--map", tmp_path / "own.map"))]
    assert max(abs(a - b) for one, two in zip(*poses) for a, b in zip(one, two)) < 1e-2 # of 180: a human in centimetres


def test_a_map_to_edit(models, tmp_path):
    edited = tmp_path / "edited.json"
    done = posectl("map", "hero.gltf", "rigless.gltf", "-o", edited, cwd=models)
    assert done.status == 0, done.err
    bones = json.loads(edited.read_text())
    assert bones["map"]["leftUpperLeg"] == UNREAL["leftUpperLeg"]
    assert len(bones["clip_map"]) == 15 and set(bones["clip_map"].values()) == {"-"} and "in place of -" in done.err
    bones["clip_map"] = NAMES
    edited.write_text(json.dumps(bones))
    assert frames(models, "hero.gltf", "rigless.gltf", "--map", edited, "--clip-map", edited) == frames(models, "hero.gltf", "walk.gltf")
    told = posectl("info", "hero.gltf", cwd=models).out
    told = told.decode() if isinstance(told, bytes) else told
    assert "bones 100 % of a human, by unreal" in told


def test_a_bone_without_a_name_is_left_to_the_file(models, tmp_path):
    human = Human(A)
    document = json.loads(human.write())
    joints = [node["name"] for node in document["nodes"]]
    document["extensionsUsed"] = ["VRMC_vrm"]
    document["extensions"] = {"VRMC_vrm": {"specVersion": "1.0", "humanoid": {"humanBones": {
        role: {"node": joints.index(human.names[role])} for role in ROLES}}}}
    for role in "spine", "leftFoot":
        del document["nodes"][joints.index(human.names[role])]["name"]
    (models / "nameless.gltf").write_text(json.dumps(document))
    told = posectl("map", "nameless.gltf", "-o", tmp_path / "map.json", cwd=models)
    assert told.status == 0, told.err
    assert set(json.loads((tmp_path / "map.json").read_text())["map"]) == set(ROLES) - {"spine", "leftFoot"}
    assert frames(models, "nameless.gltf", "walk.gltf", "--map", tmp_path / "map.json") == frames(models, "nameless.gltf", "walk.gltf")
