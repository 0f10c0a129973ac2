"""posed.rules.json: each rule with a model that passes and one that fails, which file applies, and the errors of a file."""
import json
import os
import re
import shutil
import struct
import subprocess
import zlib

import pytest

from conftest import REPOSITORY, SAMPLES
from posectl import POSECTL, environment, posectl
from rigs import HALF, RIG, Writer
from small_models import gltf

pytestmark = pytest.mark.skipif("POSED_SERVER" in os.environ, reason="starts servers of its own")

TURN = {("hip", "rotation"): [[0, 0, 0, 1], [0, HALF, 0, HALF]]}
STILL = {("hip", "rotation"): [[0, 0, 0, 1], [0, 0, 0, 1]]}
TREMBLE = {("hip", "rotation"): [[0, 0, 0, 1], [0, 0.001, 0, 0.9999995]]}
AWAY = {("hip", "translation"): [[0, 1, 0], [9, 1, 6]]}
NAMES = ["root", "hip", "knee", "toe"]


def character(clips=None, names=tuple(NAMES), rig=RIG, change=None, skin=True):
    """rigs.py's character: its root is rotated, unevenly scaled and off the origin."""
    writer = Writer()
    writer.rig(list(names), rig)
    if skin:
        writer.skin()
    if clips:
        writer.clips(clips)
    if change:
        change(writer)
    return writer.text()


def blink(writer):
    """A triangle whose shape changes for a fiftieth of a second, between the times of the poses."""
    first = writer.accessor([(0, 0, 0), (1, 0, 0), (0, 1, 0)], "VEC3")
    target = writer.accessor([(0, 0, 0), (0, 0, 0), (0, 0.5, 0)], "VEC3")
    times = writer.accessor([0, 0.51, 0.52, 0.53, 1], "SCALAR")
    weights = writer.accessor([0, 0, 1, 0, 0], "SCALAR")
    document = writer.document
    document["meshes"].append({"name": "eye", "primitives": [{"attributes": {"POSITION": first}, "targets": [{"POSITION": target}]}]})
    document["nodes"].append({"name": "eye", "mesh": 1, "translation": [1, 2, 3], "rotation": [0, HALF, 0, HALF]})
    document["scenes"][0]["nodes"].append(len(document["nodes"]) - 1)
    document["animations"] = [{"name": "blink", "samplers": [{"input": times, "output": weights}],
                               "channels": [{"sampler": 0, "target": {"node": len(document["nodes"]) - 1, "path": "weights"}}]}]


def pictured(width, height):
    """A picture of that size as a data URI."""
    rows = b"".join(b"\0" + bytes(3 * width) for _ in range(height))
    chunk = lambda kind, data: struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)) + chunk(
        b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def whole(writer):
    """The skin has all joints."""
    writer.document["skins"][0] = {"joints": list(range(len(writer.names)))}


def renamed(old, new):
    def change(writer):
        whole(writer)
        writer.document["nodes"][writer.names.index(old)]["name"] = new
    return {"change": change}


WHOLE = {"change": whole}

# key, value, a model that breaks the rule, one that passes, the rule, the subject
CASES = [
    ("required_clips", ["idle*", "Walk"], character({"idle_1": TURN, "walk": TURN}), character({"idle_1": TURN, "Walk": TURN}),
     "clip-missing", "clip 'Walk'"),
    ("required_joints", ["toe", "hand_*"], character(), character(**renamed("knee", "hand_l")), "joint-missing", "joint 'hand_*'"),
    ("in_place", ["*WALK*"], character({"walk": AWAY}), character({"walk": TURN}), "not-in-place", "clip 'walk'"),
    ("root_motion", ["walk"], character({"walk": TURN}), character({"walk": AWAY}), "no-root-motion", "clip 'walk'"),
    ("least_motion", 0.1, character({"a": TREMBLE}), character({"a": TURN}), "clip-without-motion", "clip 'a'"),
    ("loops", ["jump"], character({"jump": TURN}), character({"leap": TURN}), "loop-jump", "clip 'jump'"),
    ("max_jump", 0.001, character({"walk": TREMBLE}), character({"jump": TREMBLE}), "loop-jump", "clip 'walk'"),
    ("frame_rate", 25, character({"a": TURN}), None, "frame-rate", "clip 'a'"),
    ("frame_rate", [25, 30], None, character({"a": TURN}), "frame-rate", "clip 'a'"),
    ("max_joints", 3, character(**WHOLE), character(), "too-many-joints", "skin 0"),
    ("max_influences", 1, character(), gltf(), "too-many-influences", "mesh 0"),
    ("max_triangles", 2, gltf(triangles=3), gltf(triangles=2), "too-many-triangles", "model"),
    ("max_vertices", 6, gltf(triangles=3), gltf(triangles=2), "too-many-vertices", "model"),
    ("max_meshes", 1, character(change=blink), gltf(), "too-many-meshes", "model"),
    ("max_morph_targets", 0, character(change=blink), gltf(), "too-many-morph-targets", "mesh 'eye'"),
    ("max_materials", 0, character(), gltf(), "too-many-materials", "model"),
    ("max_textures", 0, None, gltf(), "too-many-textures", "model"),
    ("max_nodes", 4, character(), gltf(), "too-many-nodes", "model"),
    ("max_clips", 1, character({"a": TURN, "b": TURN}), character({"a": TURN}), "too-many-clips", "model"),
    ("max_file_bytes", 1500, character(), gltf(), "file-too-large", "model"),
]


def findings(tmp_path, *options, cwd=None, path="."):
    done = posectl("check", path, "--json", *options, cwd=cwd or tmp_path)
    assert done.status in (0, 1), (done.status, done.err)
    return {entry["model"]: [(f["rule"], f["subject"]) for f in entry["findings"]] for entry in json.loads(done.out)["models"]}


@pytest.mark.parametrize("key, value, broken, kept, rule, subject", CASES, ids=[f"{case[0]}-{i}" for i, case in enumerate(CASES)])
def test_each_key_has_its_rule(tmp_path, key, value, broken, kept, rule, subject):
    (tmp_path / "posed.rules.json").write_text(json.dumps({key: value}))
    for name, model in ("broken", broken), ("kept", kept):
        if model is not None:
            (tmp_path / f"{name}.gltf").write_text(model)
    found = findings(tmp_path)
    assert broken is None or (rule, subject) in found["broken.gltf"], found
    assert kept is None or rule not in [r for r, _ in found["kept.gltf"]], found
    (tmp_path / "posed.rules.json").write_text("{}")
    if rule != "clip-without-motion":
        assert rule not in [r for entry in findings(tmp_path).values() for r, _ in entry]


def test_textures_have_a_greatest_size(tmp_path):
    (tmp_path / "a.gltf").write_text(gltf(image="a.png"))
    (tmp_path / "a.png").write_bytes(pictured(20, 8))
    options = "--severity", "broken-texture=off"
    assert findings(tmp_path, *options, "--set", "max_texture_size=16") == {"a.gltf": [("texture-too-large", "texture 'a.png'")]}
    assert findings(tmp_path, *options, "--set", "max_texture_size=20") == {"a.gltf": []}
    assert findings(tmp_path, *options, "--set", "max_textures=0") == {"a.gltf": [("too-many-textures", "model")]}


def test_a_clip_that_moves_nothing_is_told_of_without_a_file(tmp_path):
    """A short blink between the poses is motion."""
    (tmp_path / "still.gltf").write_text(character({"a": STILL}))
    (tmp_path / "blink.gltf").write_text(character(change=blink))
    assert findings(tmp_path) == {"still.gltf": [("clip-without-motion", "clip 'a'")], "blink.gltf": []}
    assert posectl("check", ".", "--fail-on", "warning", cwd=tmp_path).status == 1


def test_ground_is_measured_at_the_root_that_is_named(tmp_path):
    """The knee moves away, the hip above it stays."""
    knee = {("knee", "translation"): [[0, 2, 0], [0, 2, 50]]}
    (tmp_path / "a.gltf").write_text(character({"walk": knee}))
    options = "--set", "in_place=walk"
    assert findings(tmp_path, *options)["a.gltf"] == [("loop-jump", "clip 'walk'")]
    assert ("not-in-place", "clip 'walk'") in findings(tmp_path, *options, "--set", "root_joint=knee")["a.gltf"]
    assert ("not-in-place", "clip 'walk'") not in findings(tmp_path, *options, "--set", "root_joint=knee", "--set", "max_drift=1000")["a.gltf"]
    assert ("not-in-place", "clip 'walk'") in findings(tmp_path, *options, "--set", "root_joint=nobody")["a.gltf"]


def test_a_wrong_root_joint_is_told_as_such(tmp_path):
    """Misspelt, or a joint that stays: what is said names it."""
    knee = {("knee", "translation"): [[0, 2, 0], [0, 2, 0.5]]}
    (tmp_path / "a.gltf").write_text(character({"walk": knee}))
    def said(joint, key="root_motion"):
        done = posectl("check", ".", "--set", f"{key}=walk", "--set", f"root_joint={joint}", "--set", "max_drift=1000", cwd=tmp_path)
        return done.out
    assert "clip 0 'walk' is not judged: root_joint of the rules is 'knees', and the model has no such joint; did you mean 'knee'?" in said("knees")
    assert "is not judged: root_joint of the rules is 'knees'" in said("knees", "in_place")
    assert "not by more than 1e+03: its root is taken to be joint 1 'hip', which does not move over the ground" in said("hip")
    assert re.search(r"moves the model over the ground by 0\.\d+ of its size, not by more than 1e\+03, as its root, joint 2 'knee', does", said("knee"))


def test_a_clip_of_both_lists_is_judged_by_both_rules(tmp_path):
    (tmp_path / "stays.gltf").write_text(character({"walk": TURN}))
    (tmp_path / "goes.gltf").write_text(character({"walk": AWAY}))
    options = "--set", "in_place=walk", "--set", "root_motion=walk"
    alone = findings(tmp_path)
    found = findings(tmp_path, *options)
    assert sorted(found["stays.gltf"]) == sorted([*alone["stays.gltf"], ("no-root-motion", "clip 'walk'")])
    assert sorted(found["goes.gltf"]) == sorted([*alone["goes.gltf"], ("not-in-place", "clip 'walk'")])
    found = findings(tmp_path, *options, "--set", "root_joint=nobody")
    for model, rest in alone.items():
        assert sorted(found[model]) == sorted([*rest, ("no-root-motion", "clip 'walk'"), ("not-in-place", "clip 'walk'")])


# --- reference_skeleton ---


def test_skeletons_are_compared_by_name_and_parent(tmp_path):
    moved = {name: ("root" if name == "toe" else parent, transform) for name, (parent, transform) in RIG.items()}
    longer = {**RIG, "tail": ("hip", {})}
    between = {**RIG, "twist": ("hip", {}), "knee": ("twist", RIG["knee"][1])}
    (tmp_path / "rigs").mkdir()
    (tmp_path / "rigs/hero.gltf").write_text(character(**WHOLE))
    (tmp_path / "in").mkdir()
    for name, text in {
            "same": character({"a": TURN}, **WHOLE),
            "moved": character(rig=moved, **WHOLE), "longer": character(names=(*NAMES, "tail"), rig=longer, **WHOLE),
            "between": character(names=("root", "hip", "twist", "knee", "toe"), rig=between, **WHOLE),
            "renamed": character(**renamed("knee", "Knee")), "other": gltf(),
            "clips": character({"a": TURN}, skin=False), "part": character({"a": TURN}, names=("root", "hip"), skin=False)}.items():
        (tmp_path / f"in/{name}.gltf").write_text(text)
    (tmp_path / "in/posed.rules.json").write_text('{"reference_skeleton": "../rigs/hero.gltf"}')
    done = posectl("check", "in", "--json", cwd=tmp_path)
    told = {entry["model"][3:-5]: sorted(f["message"] for f in entry["findings"] if f["rule"] == "skeleton-differs")
            for entry in json.loads(done.out)["models"]}
    assert told == {
        "same": [], "clips": [],
        "moved": ["joint 'toe' has the parent 'root', but 'knee' in rigs/hero.gltf"],
        "longer": ["joint 'tail' is not in rigs/hero.gltf"],
        "between": ["joint 'twist' is not in rigs/hero.gltf"],
        "renamed": ["joint 'Knee' is not in rigs/hero.gltf", "joint 'knee' of rigs/hero.gltf is missing"],
        "part": ["joint 'knee' of rigs/hero.gltf is missing", "joint 'toe' of rigs/hero.gltf is missing"],
        "other": ["the model has no joints, but rigs/hero.gltf has 4"]}, told


@pytest.mark.parametrize("path, says", [
    ("nobody.gltf", "in/posed.rules.json:2: 'reference_skeleton': in/nobody.gltf: model_not_found"),
    ("../../hero.gltf", "in/posed.rules.json:2: 'reference_skeleton' leads out of the folder of the models"),
    ("/hero.gltf", "in/posed.rules.json:2: 'reference_skeleton' leads out of the folder of the models"),
    ("bad.gltf", "in/posed.rules.json:2: 'reference_skeleton': in/bad.gltf: not_a_model"),
])
def test_a_reference_must_be_a_model(tmp_path, path, says):
    (tmp_path / "in").mkdir()
    (tmp_path / "in/a.gltf").write_text(gltf())
    (tmp_path / "in/bad.gltf").write_text("no")
    (tmp_path / "in/posed.rules.json").write_text('{\n"reference_skeleton": "%s"}' % path)
    done = posectl("check", "in", cwd=tmp_path)
    assert (done.status, says in done.err) == (2, True), done.err


# --- which file counts ---


@pytest.fixture
def tree(tmp_path):
    (tmp_path / "a/b").mkdir(parents=True)
    for name in "top.gltf", "a/middle.gltf", "a/b/deep.gltf":
        (tmp_path / name).write_text(gltf(triangles=2))
    return tmp_path


def rules_of(found):
    return {model: [rule for rule, _ in entry] for model, entry in found.items()}


def test_deeper_files_win_key_by_key(tree):
    (tree / "posed.rules.json").write_text('{"max_triangles": 1, "max_vertices": 5, "severity": {"too-many-triangles": "info", "too-many-vertices": "info"}}')
    (tree / "a/posed.rules.json").write_text('{"max_vertices": 6, "severity": {"too-many-triangles": "warning"}}')
    (tree / "a/b/posed.rules.json").write_text('{"max_triangles": null}')
    report = json.loads(posectl("check", ".", "--json", cwd=tree).out)
    assert {entry["model"]: [(f["rule"], f["severity"]) for f in entry["findings"]] for entry in report["models"]} == {
        "top.gltf": [("too-many-triangles", "info"), ("too-many-vertices", "info")],
        "a/middle.gltf": [("too-many-triangles", "warning")], "a/b/deep.gltf": []}
    # the same if one folder or one model is checked
    assert rules_of(findings(tree, path="a/b")) == {"a/b/deep.gltf": []}
    assert rules_of(findings(tree, path="a/middle.gltf")) == {"a/middle.gltf": ["too-many-triangles"]}


def test_options_win_over_files(tree):
    (tree / "posed.rules.json").write_text('{"max_triangles": 1, "severity": {"too-many-triangles": "off"}}')
    (tree / "a/posed.rules.json").write_text('{"max_triangles": 1, "severity": {"too-many-triangles": "info"}}')
    assert rules_of(findings(tree, "--set", "max_triangles=2")) == {"top.gltf": [], "a/middle.gltf": [], "a/b/deep.gltf": []}
    assert rules_of(findings(tree, "--severity", "too-many-triangles=error"))["top.gltf"] == ["too-many-triangles"]
    (tree / "more.json").write_text('{"max_vertices": 1, "max_triangles": 7}')
    assert rules_of(findings(tree, "--rules-file", "more.json")) == {
        "top.gltf": ["too-many-vertices"], "a/middle.gltf": ["too-many-triangles", "too-many-vertices"],
        "a/b/deep.gltf": ["too-many-triangles", "too-many-vertices"]}


def test_ignored_models_are_not_checked(tree):
    (tree / "posed.rules.json").write_text('{"ignore": ["a/", "top*"], "max_triangles": 1}')
    (tree / "a/b/posed.rules.json").write_text('{"ignore": ["!deep.gltf"]}')
    done = posectl("check", ".", cwd=tree)
    assert done.out.splitlines()[-1] == "1 model: 1 error, 0 warnings, 0 infos, 2 ignored models" and done.out.startswith("a/b/deep.gltf")
    assert rules_of(findings(tree, "--set", "ignore=deep.gltf")) == {}
    assert rules_of(findings(tree, path="top.gltf")) == {}


def test_a_running_server_has_the_rules_of_the_command_line(start, tree):
    server = start(f"--root={tree}", "--tcp=127.0.0.1:0")
    (tree / "posed.rules.json").write_text('{"max_triangles": 1}')
    more = tree.parent / f"{tree.name}.json"
    more.write_text('{"max_vertices": 5}')
    found = findings(tree, "--server", server.ports["tcp"], "--rules-file", str(more), path="./")
    assert rules_of(found) == dict.fromkeys(("top.gltf", "a/middle.gltf", "a/b/deep.gltf"), ["too-many-vertices"])


# --- what is wrong in a file ---

WRONG = [
    ('{"max_joint": 3}', "posed.rules.json:1: unknown key 'max_joint'; did you mean 'max_joints'?"),
    ('{\n\n"nonsense_of_all": 3}', "posed.rules.json:3: unknown key 'nonsense_of_all'; posectl check --rules lists them"),
    ('{"max_joints": "many"}', "posed.rules.json:1: 'max_joints' takes a whole number from 0 to 9007199254740992, not \"many\""),
    ('{"max_joints": -1}', "'max_joints' takes a whole number"),
    ('{"max_joints": 1.5}', "'max_joints' takes a whole number"),
    ('{"max_joints": 1e999}', "'max_joints' takes a whole number"),
    ('{"max_drift": true}', "'max_drift' takes a number from 0 to 1e9, not true"),
    ('{"in_place": "walk"}', "'in_place' takes a list of patterns, 1000 at most, each a text of 1 to 255 bytes, not \"walk\""),
    ('{"in_place": [\n"walk",\n3]}', "posed.rules.json:3: 'in_place' takes a list of patterns"),
    ('{"in_place": [""]}', "'in_place' takes"),
    (json.dumps({"in_place": ["x" * 256]}), "'in_place' takes"),
    (json.dumps({"in_place": ["x"] * 1001}), "'in_place' takes"),
    (json.dumps({"ignore": {"a": 1}}), "'ignore' takes"),
    ('{"frame_rate": 0}', "'frame_rate' takes a number above 0, or a list of 1 to 1000 such numbers, not 0"),
    ('{"frame_rate": []}', "'frame_rate' takes"),
    ('{"frame_rate": [30, -1]}', "not -1"),
    ('{"reference_skeleton": []}', "'reference_skeleton' takes a path"),
    ('{"severity": []}', "'severity' takes an object that gives rules a severity, not []"),
    ('{"severity": {\n"bad-skins": "off"}}', "posed.rules.json:2: unknown rule 'bad-skins'; did you mean 'bad-skin'?"),
    ('{"severity": {"bad-skin": "loud"}}', "'bad-skin' takes error, warning, info or off, not \"loud\""),
    ('{"max_nodes": 1,\n"max_nodes": 2}', "posed.rules.json:2: key 'max_nodes' is there twice"),
    ('{"max_nodes": 1', "posed.rules.json:1: it is not JSON"),
    ('{"max_nodes": 1,\n\n}', "posed.rules.json:3: it is not JSON"),
    ('{"max_nodes": 1} {}', "it is not JSON"),
    ("", "posed.rules.json:1: it is not JSON, but empty"),
    ("[]", "posed.rules.json:1: rules are an object of keys, not []"),
    ("3", "rules are an object of keys, not 3"),
    ("null", "rules are an object of keys, not null"),
    ("{}\0", "it has a NUL byte"),
    ("[" * 500000, "posed.rules.json:1: it is not JSON"),
    ('{"a":' * 500, "posed.rules.json:1: it is not JSON"),
    ('{"a":' * 500 + "1" + "}" * 500, "unknown key 'a'"),
    ('{"ignore": ' + "[" * 900 + "]" * 900 + "}", "'ignore' takes"),
    (" " * (1 << 20) + "{}", "posed.rules.json: it has more than 1048576 bytes"),
    (json.dumps({f"wrong_{i}": i for i in range(20000)}), "posed.rules.json: and 19990 faults more"),
    ('{"max_\\u001b[31m": 3}', "unknown key 'max_\\x1b[31m'"),
]


@pytest.mark.parametrize("text, says", WRONG, ids=range(len(WRONG)))
def test_what_is_wrong_in_a_file_is_said(tmp_path, text, says):
    (tmp_path / "a.gltf").write_text(gltf())
    (tmp_path / "posed.rules.json").write_text(text)
    done = posectl("check", ".", cwd=tmp_path)
    assert (done.status, says in done.err, done.out) == (2, True, ""), done.err[-1000:]
    assert done.err.count("\n") <= 11


def test_every_bad_file_is_told_of(tree):
    (tree / "posed.rules.json").write_text('{"max_trianglse": 1}')
    (tree / "a/posed.rules.json").write_text("{")
    done = posectl("check", ".", cwd=tree)
    assert done.status == 2 and "posectl: posed.rules.json:1: unknown key" in done.err
    (tree / "posed.rules.json").write_text("{}")
    assert "posectl: a/posed.rules.json:1: it is not JSON" in posectl("check", ".", cwd=tree).err
    assert posectl("check", "top.gltf", cwd=tree).status == 0


def test_every_truncation_of_a_file_is_refused(tmp_path):
    """By the file alone: --rules-file is read before a server is asked."""
    text = json.dumps({"$schema": "s", "ignore": ["old/"], "severity": {"bad-skin": "off"}, "max_drift": 0.5, "frame_rate": [30], "in_place": ["a"]})
    for size in range(len(text)):
        (tmp_path / "cut.json").write_text(text[:size])
        done = posectl("check", ".", "--rules-file", "cut.json", "--rules", cwd=tmp_path)
        assert done.status == 2 and done.err.startswith("posectl: cut.json:"), (size, done.err)
    (tmp_path / "cut.json").write_text(text)
    assert posectl("check", ".", "--rules-file", "cut.json", "--rules", cwd=tmp_path).status == 0


def test_no_byte_of_a_file_ends_posectl(tmp_path):
    text = json.dumps({"severity": {"bad-skin": "off"}, "max_drift": 0.5, "frame_rate": [30], "in_place": ["a\\u00e9*"], "root_joint": "hip"}).encode()
    for at in range(len(text)):
        for byte in 0, 0x22, 0x5C, 0xFF, text[at] ^ 1:
            (tmp_path / "cut.json").write_bytes(text[:at] + bytes([byte]) + text[at + 1:])
            done = posectl("check", ".", "--rules-file", "cut.json", "--rules", cwd=tmp_path)
            assert done.status == 0 or done.status == 2 and done.err.startswith("posectl: cut.json:"), (at, byte, done.err)


def test_what_is_no_file_is_refused(tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "in/a.gltf").write_text(gltf())
    (tmp_path / "in/posed.rules.json").mkdir()
    done = posectl("check", ".", cwd=tmp_path / "in")
    assert done.status == 2 and "posed.rules.json: it is no regular file" in done.err
    (tmp_path / "in/posed.rules.json").rmdir()
    os.mkfifo(tmp_path / "in/posed.rules.json")
    assert posectl("check", ".", cwd=tmp_path / "in").status == 2
    (tmp_path / "in/posed.rules.json").unlink()
    (tmp_path / "outside.json").write_text("{}")
    (tmp_path / "in/posed.rules.json").symlink_to("../outside.json")
    done = posectl("check", ".", cwd=tmp_path / "in")
    assert done.status == 2 and "posed.rules.json: the symbolic link leads out of" in done.err
    assert posectl("check", "in", cwd=tmp_path).status == 0  # it stays under the root here
    done = posectl("check", "in", "--rules-file", "nowhere.json", cwd=tmp_path)
    assert done.status == 2 and "'nowhere.json': No such file" in done.err


@pytest.mark.parametrize("options, says", [
    (["--set", "max_joint=3"], "the command line: unknown key 'max_joint'; did you mean 'max_joints'?"),
    (["--set", "max_joints=many"], "the command line: 'max_joints' takes a whole number"),
    (["--set", "max_joints"], "--set takes KEY=VALUE, not 'max_joints'"),
    (["--set", "frame_rate=[30,0]"], "not 0"),
    (["--severity", "bad-skin=loud"], "--severity takes RULE=LEVEL"),
    (["--severity", "foot-slid=off"], "unknown rule 'foot-slid'; did you mean 'foot-slide'?"),
])
def test_what_is_wrong_in_options_is_said(tmp_path, options, says):
    (tmp_path / "a.gltf").write_text(gltf())
    done = posectl("check", ".", *options, cwd=tmp_path)
    assert (done.status, says in done.err) == (2, True), done.err


# --- documents ---


def test_its_page_shows_what_the_shell_prints(tmp_path):
    for sample in SAMPLES.glob("*.glb"):
        shutil.copy(sample, tmp_path)
    text = (REPOSITORY / "clients/cli/check.md").read_text()
    rules, = re.findall(r"^```json\n(.*?)^```", text, re.M | re.S)
    (tmp_path / "posed.rules.json").write_text(rules)
    commands = re.findall(r"^\$ (.*)\n((?:(?!\$ |```).*\n)*)", text, re.M)
    assert len(commands) >= 4
    for command, printed in commands:
        done = subprocess.run(["bash", "-c", command], cwd=tmp_path, env=environment(PATH=f"{POSECTL.parent}:{os.environ['PATH']}"),
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        assert (done.returncode in (0, 1), done.stdout) == (True, printed)


def test_the_schema_has_every_key_and_rule():
    """And the page, and --rules."""
    schema = json.loads((REPOSITORY / "protocol/posed.rules.schema.json").read_text())
    table = (REPOSITORY / "clients/cli/check/rules.def").read_text()
    table = table.replace('#include "protocol/rules/flex_rules.def"\n', (REPOSITORY / "protocol/rules/flex_rules.def").read_text())
    keys = dict(re.findall(r'^KEY\(\w+, "([^"]+)", (\w+),', table, re.M))
    table = table.replace('#include "protocol/rules/motion_rules.def"\n', (REPOSITORY / "protocol/rules/motion_rules.def").read_text())
    rules = re.findall(r'^RULE\(\w+, "([^"]+)"', table, re.M)
    assert list(schema["properties"]) == list(keys) and schema["additionalProperties"] is False
    kinds = {"WHOLE": "whole", "NUMBER": "number", "NAMES": "patterns", "PATHS": "patterns", "RATES": "rates", "TEXT": "text", "MODEL": "text"}
    for key, kind in keys.items():
        if kind != "LEVELS":
            assert schema["properties"][key]["anyOf"] == [{"$ref": f"#/$defs/{kinds[kind]}"}, {"type": "null"}], key
        assert schema["properties"][key]["description"]
    levels = schema["properties"]["severity"]["anyOf"][0]
    assert levels["propertyNames"]["enum"] == rules and levels["additionalProperties"]["enum"] == ["error", "warning", "info", "off"]
    page = (REPOSITORY / "clients/cli/check.md").read_text()
    assert re.findall(r"^\| `([^`]+)` \|.*\|.*\|.*\|$", page, re.M) == list(keys)
    assert re.findall(r"^\| `([^`]+)` \| (?:error|warning|info) \|", page, re.M) == rules
    listed = json.loads(posectl("check", "--rules", "--json").out)
    assert [r["rule"] for r in listed] == rules
    assert {k["key"] for r in listed for k in r["keys"]} == set(keys) - {"$schema", "ignore", "severity"}
    text = posectl("check", "--rules").out
    assert all(re.search(rf"^  {re.escape(key)} ", text, re.M) for key in keys)
