"""posectl check: every rule with a model made for it, the four formats of the report, and the exit status."""
import json
import math
import os
import pathlib
import re
import shutil
import sys
import xml.etree.ElementTree as ElementTree

import pytest

from conftest import REPOSITORY, SAMPLES, Server
from posectl import posectl
from rigs import HALF, Writer
from small_models import gltf

sys.path.insert(0, str(REPOSITORY / "tests" / "api" / "answers"))
import walkers  # noqa: E402

pytestmark = pytest.mark.skipif("POSED_SERVER" in os.environ, reason="starts servers of its own")


def character(clips=None, change=lambda document: None, weights=(0.25, 0.75, 0, 0), more_joints=False):
    """rigs.py's character, changed."""
    writer = Writer()
    writer.rig(["root", "hip", "knee", "toe"])
    writer.skin()
    attributes = writer.document["meshes"][0]["primitives"][0]["attributes"]
    attributes["WEIGHTS_0"] = writer.accessor([weights] * 6, "VEC4")
    if more_joints:
        attributes["JOINTS_1"] = writer.accessor([(0, 1, 2, 0)] * 6, "VEC4", 5121, "B")
        attributes["WEIGHTS_1"] = writer.accessor([(0.1, 0.1, 0.1, 0)] * 6, "VEC4")
        attributes["JOINTS_0"] = writer.accessor([(0, 1, 2, 1)] * 6, "VEC4", 5121, "B")
    if clips:
        writer.clips(clips)
    change(writer.document)
    return writer.text()


def crate(path, rows, kind="VEC3", component=5126, code="f"):
    """A triangle with a morph target on a node, moved by a looping clip; nothing has joints."""
    writer = Writer()
    triangle, target = [(0, 0, 0), (1, 0, 0), (0, 1, 0)], [(0, 0, 0), (0, 0, 0), (0, 0.5, 0)]
    times = writer.accessor([0, 0.5], "SCALAR")
    output = writer.accessor(rows, kind, component, code)
    writer.document["accessors"][output].update({"normalized": True} if code == "b" else {})
    primitive = {"attributes": {"POSITION": writer.accessor(triangle, "VEC3")}, "targets": [{"POSITION": writer.accessor(target, "VEC3")}]}
    writer.document.update({
        "scenes": [{"nodes": [0]}], "meshes": [{"primitives": [primitive]}],
        "nodes": [{"name": "base", "children": [1], "translation": [3, 0, 1], "scale": [2, 1, 0.5]}, {"name": "crate", "mesh": 0}],
        "animations": [{"name": "loop", "samplers": [{"input": times, "output": output}],
                        "channels": [{"sampler": 0, "target": {"node": 1, "path": path}}]}]})
    return writer.text()


def rename(old, new):
    def change(document):
        for node in document["nodes"]:
            if node["name"] == old:
                node["name"] = new
    return change


def long_rotation(document):
    document["nodes"][2]["rotation"] = [0, 0, 0, 2]


def second_clip_of_the_same_name(document):
    document["animations"].append(dict(document["animations"][0]))


TURN = {("hip", "rotation"): [[0, 0, 0, 1], [0, HALF, 0, HALF]]}
ROUND = {("hip", "rotation"): [[0, 0, 0, 1], [0, 0, 0, 1]]}
TOE = {("toe", "rotation"): [[0, 0, 0, 1], [0, HALF, 0, HALF]]}  # a leaf rotates but does not move
NAN = {("hip", "rotation"): [[0, 0, 0, 1], [math.nan, 0, 0, 3]]}
LONG = {("hip", "rotation"): [[0, 0, 0, 1], [0, 1, 0, 1]]}
NO_TURN = {("hip", "rotation"): [[0, 0, 0, 1], [0, 0, 0, 0]]}
FLAT = {("hip", "scale"): [[1, 1, 1], [1, 0, 1]]}


def still(document):
    """The clip's keys all at time 0."""
    document["animations"][0]["samplers"] = document["animations"][0]["samplers"][:1]
    document["accessors"][document["animations"][0]["samplers"][0]["input"]]["count"] = 1
    document["accessors"][document["animations"][0]["samplers"][0]["output"]]["count"] = 1


STILL = ["--set", "least_motion=0"]
# name, model, options, the rules with findings
CASES = [
    ("good", character({"walk": ROUND, "jump": TURN}), STILL, []),
    ("junk", "not JSON", [], ["unreadable"]),
    ("nothing", '{"asset":{"version":"2.0"},"scenes":[{"nodes":[0]}],"nodes":[{"name":"alone"}]}', [], ["nothing-in-it"]),
    ("texture", gltf(image="nowhere.png"), ["--severity", "broken-texture=off"], ["missing-texture"]),
    ("coordinates", gltf(image="nowhere.png"), ["--severity", "missing-texture=off"], ["broken-texture"]),
    ("influences", character(weights=(0.1, 0.2, 0.3, 0.1), more_joints=True), ["--max-influences", "2"], ["too-many-influences"]),
    ("joints", character(), ["--max-joints", "2"], ["too-many-joints"]),
    ("weights", character(weights=(0.25, 0.5, 0, 0)), [], ["bad-weights"]),
    ("rotation", character(change=long_rotation), [], ["bad-keys"]),
    ("long_key", character({"a": LONG}), [], ["bad-keys"]),
    ("rounded_key", crate("rotation", [(0, 90, 0, 90), (0, 90, 0, 90)], "VEC4", 5120, "b"), STILL, []),
    ("nan", character({"a": NAN}), [], ["bad-keys"]),
    ("infinite", crate("translation", [(0, 0, 0), (math.inf, 0, 0)]), [], ["bad-keys"]),
    ("no_turn", character({"a": NO_TURN}), [], ["bad-keys"]),
    ("nan_unasked", character({"a": NAN}), ["--severity", "bad-keys=off"], ["unreadable"]),
    ("flat", character({"a": FLAT}), [], ["collapsed-joint"]),
    ("clips", character({"twin": ROUND}, second_clip_of_the_same_name), STILL, ["duplicate-clip-name"]),
    ("joint_names", character(change=rename("toe", "hip")), [], ["duplicate-joint-name"]),
    ("node_names", character(change=lambda d: d["nodes"].extend([{"name": "twin"}, {"name": "twin"}])), [], ["duplicate-node-name"]),
    ("still", character({"jump": {("hip", "rotation"): [[0, 0, 0, 1]]}}, still), [], ["zero-length-clip"]),
    ("loop", character({"Walk fast": TURN}), [], ["loop-jump"]),
    ("leaf", character({"walk": TOE}), [], ["loop-jump"]),
    ("node", crate("rotation", [(0, 0, 0, 1), (0, HALF, 0, HALF)], "VEC4"), [], ["loop-jump"]),
    ("shape", crate("weights", [0, 1], "SCALAR"), [], ["loop-jump"]),
    ("shape_returns", crate("weights", [0.5, 0.5], "SCALAR"), STILL, []),
    ("motionless", character({"jump": ROUND}), [], ["clip-without-motion"]),
    ("motionless_shape", crate("weights", [0.5, 0.5], "SCALAR"), [], ["clip-without-motion"]),
    ("any_loop", character({"jump": TURN}), ["--loops", "*"], ["loop-jump"]),
    ("no_loop", character({"walk": TURN}), ["--loops", ""], []),
    ("far_enough", character({"walk": TURN}), ["--max-jump", "100"], []),
]


def test_long_names_are_whole_in_subjects_and_tell_what_a_clip_is(tmp_path):
    """Two clips that differ beyond 100 bytes stay two for a baseline. Of a clip and a joint each has 240 bytes."""
    first, second, joint = "é" * 75 + "1", "é" * 75 + "2", "j" * 300
    (tmp_path / "still.gltf").write_text(character({first: ROUND, second: ROUND, "b" * 120 + "_Pose": ROUND, "c" * 120 + "Walk": TURN}))
    (tmp_path / "flat.gltf").write_text(character({"x" * 300: FLAT}, rename("hip", joint)))
    done = posectl("check", ".", "--json", cwd=tmp_path)
    found = {entry["model"]: [(f["rule"], f["subject"]) for f in entry["findings"]] for entry in json.loads(done.out)["models"]}
    assert sorted(found["still.gltf"]) == sorted([
        ("clip-without-motion", f"clip '{first}'"), ("clip-without-motion", f"clip '{second}'"), ("loop-jump", f"clip '{'c' * 120}Walk'")])
    assert found["flat.gltf"] == [("collapsed-joint", f"{('clip ' + chr(39) + 'x' * 300)[:240]}, {('joint ' + chr(39) + joint)[:240]}")]


def test_a_wrong_weight_is_told_once_and_of_models_without_clips(tmp_path):
    paint = (next(v for v, joints in enumerate(walkers.tubes()[1]) if walkers.NAMES[joints[0]] == "LeftHand"), "RightFoot", 0.5)
    walk = json.loads(walkers.gltf(walkers.Walk(1), paint=paint))
    walk["animations"].append({**walk["animations"][0], "name": "stroll"})
    (tmp_path / "walks.gltf").write_text(json.dumps(walk))
    (tmp_path / "still.gltf").write_text(walkers.gltf(None, paint=paint, clips=False))
    (tmp_path / "clean.gltf").write_text(walkers.gltf(walkers.Walk(1)))
    done = posectl("check", ".", "--json", cwd=tmp_path)
    found = {entry["model"]: [(f["rule"], f["subject"]) for f in entry["findings"]] for entry in json.loads(done.out)["models"]}
    stray = [("stray-weight", "mesh 'body', joint 'RightFoot'")]
    assert found == {"walks.gltf": stray, "still.gltf": stray, "clean.gltf": []}


@pytest.mark.parametrize("name, model, options, rules", CASES, ids=[case[0] for case in CASES])
def test_each_rule_speaks_of_its_model_and_no_other(tmp_path, name, model, options, rules):
    (tmp_path / f"{name}.gltf").write_text(model)
    done = posectl("check", f"{name}.gltf", "--json", *options, cwd=tmp_path)
    found, = json.loads(done.out)["models"]
    assert [f["rule"] for f in found["findings"]] == rules, found
    assert done.status == int(any(f["severity"] == "error" for f in found["findings"]))


def test_a_file_refused_for_its_keys_is_an_error(tmp_path):
    """Bad keys are only a warning in files that can be read. Here the severity of unreadable files applies."""
    (tmp_path / "nan.gltf").write_text(character({"a": NAN}))
    done = posectl("check", "nan.gltf", cwd=tmp_path)
    assert done.status == 1 and re.search(r"error +bad-keys +bad_keys: .*the value of key 1 is not finite", done.out), done.out
    assert posectl("check", "nan.gltf", "--severity", "unreadable=info", cwd=tmp_path).status == 0


def test_approximations_are_told():
    done = posectl("check", REPOSITORY / "tests/oracle/models/turned.bvh", "--json")
    assert [f["rule"] for f in json.loads(done.out)["models"][0]["findings"]] == ["approximated"] and done.status == 0


def test_samples_are_clean():
    done = posectl("check", SAMPLES, "--loops", "*", "--json")
    found = [(model["model"], one["rule"], one["subject"]) for model in json.loads(done.out)["models"] for one in model["findings"]]
    assert done.status == 0 and found == []


def test_the_robot_dances_on_the_floor(server):
    """The hips sink as much as the knees bend, and the feet stay where they are, between keys too."""
    times = ",".join(str(1.6 * i / 128) for i in range(128))
    boxes = server.json("/v1/bounds", model="robot.glb", clip="dance", t=times)["frames"]
    assert max(abs(box["bounds"]["min"][1] - boxes[0]["bounds"]["min"][1]) for box in boxes) < 0.002, boxes
    poses = server.json("/v1/pose", model="robot.glb", clip="dance", t=times, joints="foot_left,foot_right", what="scene")["frames"]
    for foot in range(2):
        places = [pose["scene"][foot][12:15] for pose in poses]
        assert max(max(axis) - min(axis) for axis in zip(*places)) < 0.003, places


def questions(server, *options):
    """How many requests a check of the server's model made, beside those about the connection."""
    before = server.json("/v1/stats")["requests"]["answered"]
    done = posectl("check", "it.gltf", "--json", "--server", server.ports["tcp"], *options)
    assert done.status in (0, 1), done.err
    found, = json.loads(done.out)["models"]
    return server.json("/v1/stats")["requests"]["answered"] - before - 1, [(f["rule"], f["subject"]) for f in found["findings"]]


def test_all_clips_of_a_model_are_one_question(tmp_path):
    """Clips that rules treat otherwise than the others are asked about alone, with the same findings."""
    away = {("hip", "rotation"): [[0, 0, 0, 1], [HALF, 0, 0, HALF]], ("hip", "translation"): [[0, 1, 0], [9, 1, 6]]}
    (tmp_path / "it.gltf").write_text(character({name: away for name in ("walk", "jump", "run", "turn", "idle")}))
    jumping = lambda found: [subject for rule, subject in found if rule == "loop-jump"]
    repeating = ["clip 'walk'", "clip 'run'", "clip 'idle'"]
    server = Server(tmp_path, "--tcp", "127.0.0.1:0", draws=False)
    try:
        few, found = questions(server)
        assert jumping(found) == repeating
        assert few == questions(server, "--loops", "*")[0] == questions(server, "--loops", "nothing")[0]
        more, found = questions(server, "--loops", "walk,jump")
        assert jumping(found) == ["clip 'walk'", "clip 'jump'"] and more == few + 3
        more, found = questions(server, "--set", "in_place=turn")
        assert ("not-in-place", "clip 'turn'") in found and more == few + 1
    finally:
        server.end()
    server = Server(tmp_path, "--tcp", "127.0.0.1:0", "--max-evaluations", "300", draws=False)  # enough for each clip, and not for all
    try:
        assert server.get("/v1/check?model=it.gltf").json()["error"]["code"] == "too_many_frames"
        more, found = questions(server)
        assert jumping(found) == repeating and more == few + 5
    finally:
        server.end()


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "in/bad <&\">.gltf").write_text("no")
    (tmp_path / "in/weak.gltf").write_text(character(weights=(0.25, 0.5, 0, 0)))
    shutil.copy(SAMPLES / "octopus.glb", tmp_path / "in/fine.glb")
    return tmp_path


@pytest.mark.parametrize("options, status", [
    ([], 1), (["--fail-on", "never"], 0), (["--severity", "unreadable=warning"], 0),
    (["--severity", "unreadable=warning", "--fail-on", "warning"], 1),
    (["--exclude", "bad*", "--fail-on", "warning"], 1), (["--exclude", "bad*"], 0),
    (["--severity", "unreadable=off", "--severity", "bad-weights=off", "--fail-on", "info"], 0),
    (["--severity", "unreadable=off", "--severity", "bad-weights=error"], 1),
])
def test_the_exit_status_follows_the_threshold(folder, options, status):
    assert posectl("check", "in", *options, cwd=folder).status == status


def test_junit_is_xml_with_a_case_for_each_model(folder):
    done = posectl("check", "in", "--format", "junit", "-o", "report.xml", cwd=folder)
    assert done.status == 1 and done.out == ""
    suite = ElementTree.parse(folder / "report.xml").getroot().find("testsuite")
    assert (suite.get("tests"), suite.get("failures")) == ("3", "2")
    cases = {case.get("name"): case.find("failure") for case in suite.findall("testcase")}
    assert cases["in/fine.glb"] is None
    assert cases['in/bad <&">.gltf'].get("type") == "unreadable" and cases["in/weak.gltf"].get("type") == "bad-weights"


def test_sarif_names_rules_places_and_levels(folder):
    done = posectl("check", "in", "--format", "sarif", cwd=folder)
    report = json.loads(done.out)
    assert report["version"] == "2.1.0"
    run, = report["runs"]
    rules = run["tool"]["driver"]["rules"]
    results = [(r["ruleId"], r["level"], r["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]) for r in run["results"]]
    assert results == [("unreadable", "error", "in/bad%20%3C%26%22%3E.gltf"), ("bad-weights", "warning", "in/weak.gltf")]
    assert all(rules[r["ruleIndex"]]["id"] == r["ruleId"] and r["message"]["text"] for r in run["results"])


def test_files_refused_for_one_reason_are_told_of_once(tmp_path):
    for i in range(5):
        (tmp_path / f"{i}.fbx").write_bytes(b"no model")
    (tmp_path / "other.gltf").write_text("not JSON")
    done = posectl("check", ".", cwd=tmp_path)
    lines = done.out.splitlines()
    assert (done.status, lines[0], lines[-1]) == (1, "5 models, among them 0.fbx", "6 models: 6 errors, 0 warnings, 0 infos")
    assert len(lines) == 5 and lines[2] == "other.gltf"
    every = posectl("check", ".", "-v", cwd=tmp_path).out.splitlines()
    assert len(every) == 13 and {f"{i}.fbx" for i in range(5)} <= set(every)


def test_rules_are_listed_and_know_every_warning():
    """rules.def maps the codes of protocol/warnings.md; codes that may change a pose are bad keys or approximations."""
    listed = json.loads(posectl("check", "--rules", "--json").out)
    assert [r["rule"] for r in listed] == re.findall(r"^([a-z-]+) ", posectl("check", "--rules").out, re.M)
    table = (REPOSITORY / "clients/cli/check/rules.def").read_text()
    mapped = dict(re.findall(r'^WARNING\("(\w+)", (\w+)\)', table, re.M))
    pose, skins, other = (re.findall(r"`(\w+)`(?=[^|]*\|)", re.sub(r"\|[^|\n]*\|$", "|", part, flags=re.M)) for part in
                          re.split(r"^## .*$", (REPOSITORY / "protocol/warnings.md").read_text(), flags=re.M)[1:4])
    assert {mapped.get(code) for code in pose} <= {"APPROXIMATED", "BAD_KEYS"}
    assert {mapped.get(code) for code in skins} <= {"BAD_WEIGHTS", "BAD_SKIN"}
    assert set(mapped) <= set(pose + skins + other)
    assert len(pose) > 20 and len(skins) > 8


def test_folders_are_as_deep_as_a_server_lists(tmp_path):
    """Deeper folders are reported, and the status is a failure."""
    deepest = tmp_path / "/".join("d" * 64)
    os.makedirs(deepest / "/".join("d" * 300))
    (deepest / "a.gltf").write_text(gltf())
    (deepest / "d" / "b.gltf").write_text(gltf())
    done = posectl("check", tmp_path, "--fail-on", "never")
    assert done.status == 1 and done.out.startswith("1 model:"), (done.status, done.out, done.err)
    assert done.err.count("cannot read folder") == 1 and "d/d: it is nested deeper" in done.err, done.err
