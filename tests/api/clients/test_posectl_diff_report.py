"""posectl diff: what its reports say first, what they tell as one change, and in which order."""
import importlib.util
import json
import os
import re
import sys
import xml.etree.ElementTree

import pytest

from conftest import REPOSITORY
from posectl import posectl
from rigs import CLIPS, HALF, RIG, Writer

pytestmark = [pytest.mark.short, pytest.mark.skipif("POSED_SERVER" in os.environ, reason="starts servers of its own")]
# The root's z scale is 0.5, so 0.25 more in the joint's own units are 0.125 m in the scene.
LIFTED = {**CLIPS, "stand": {("hip", "translation"): [[0, 1, 0], [0, 1, 0.5]]}}
FINGERS = [f"finger {i}" for i in range(6)]


def rig(clips=CLIPS, edit=lambda document: None):
    """A rotated, unevenly scaled rig off the origin, with a material."""
    writer = Writer()
    writer.rig(["root", "hip", "knee", "toe"], RIG)
    writer.skin()
    writer.clips(clips)
    writer.document["materials"][0].update(name="skin", pbrMetallicRoughness={"roughnessFactor": 0.5})
    edit(writer.document)
    return writer.text()


def rough(document):
    document["materials"][0]["pbrMetallicRoughness"]["roughnessFactor"] = 0.75


def renamed(document):
    document["materials"][0]["name"] = "leather"
    document["nodes"][2]["name"] = "knee_joint"


def hand(reach, duration=1):
    """A hand whose fingers move by reach[i] metres in the middle of its clip; the hand itself is rotated, scaled and off the origin."""
    writer = Writer()
    joints = {"hand": (None, RIG["root"][1]), **{name: ("hand", {"translation": [i, 0, 0]}) for i, name in enumerate(FINGERS)}}
    writer.rig(list(joints), joints)
    times = writer.accessor([0, duration / 2, duration], "SCALAR")
    rows = [[[i, 0, 0], [i, reach[i], 0], [i, 0, 0]] for i in range(len(FINGERS))]
    writer.document["animations"] = [{"name": "grip", "samplers": [{"input": times, "output": writer.accessor(row, "VEC3")} for row in rows],
                                      "channels": [{"sampler": i, "target": {"node": i + 1, "path": "translation"}} for i in range(len(FINGERS))]}]
    return writer.text()


def diff(tmp_path, old, new, *arguments):
    tmp_path.mkdir(exist_ok=True)
    for side, models in ("old", old), ("new", new):
        for name, text in models.items():
            (tmp_path / side / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / side / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    return posectl("diff", "old", "new", *arguments, cwd=tmp_path)


@pytest.fixture
def nine(tmp_path):
    """Nine models: the same material is changed in seven, one of these moves otherwise, one model has new names, one is equal."""
    names = [f"{letter}.gltf" for letter in "abcdefghi"]
    new = {name: rig(edit=rough) for name in names[:6]}
    new |= {"g.gltf": rig(LIFTED, rough), "h.gltf": rig(edit=renamed), "i.gltf": rig()}
    return tmp_path, {name: rig() for name in names}, new


FIRST = "8 of 9 models changed: motion in 1, materials in 7, names in 1"
WORST = re.compile(r"The worst is g\.gltf: 'hip' of 'stand' is 0\.125 m \(([0-9.]+) % of its size\) elsewhere at 0\.5 s\.")


def test_the_first_two_sentences_say_what_changed(nine):
    text = diff(*nine).out.splitlines()
    first, worst = text[0].split(". ", 1)
    assert first == FIRST and WORST.fullmatch(worst), text[0]
    page = diff(*nine, "--format", "markdown").out.splitlines()
    assert page[0] == "# " + FIRST and WORST.fullmatch(page[2]), page[:3]
    report = json.loads(diff(*nine, "--json").out)
    assert report["summary"] == text[0] and report["areas"] == {"motion": 1, "materials": 7, "names": 1}
    (told,) = [d for model in report["models"] for d in model.get("differences", []) if d["kind"] == "pose"]
    assert told["distance"] == pytest.approx(0.125) and 100 * told["share"] == pytest.approx(float(WORST.fullmatch(worst)[1]), rel=0.01)


def test_a_change_of_several_models_is_one_line(nine):
    text = diff(*nine).out
    assert "a.gltf, b.gltf, c.gltf, d.gltf, e.gltf and 2 more: material 'skin': roughness is 0.75 and was 0.5\n" in text
    assert text.count("roughness") == 1
    page = diff(*nine, "--format", "markdown").out
    assert "| a.gltf, b.gltf, c.gltf, d.gltf, e.gltf and 2 more | material 'skin': roughness is 0.75 and was 0.5 | 0.5 | 0.75 |" in page
    assert page.count("roughness") == 1
    for ungrouped in diff(*nine, "-v").out, diff(*nine, "--json").out:
        assert ungrouped.count("roughness is 0.75 and was 0.5") == 7
    every = diff(*nine, "-v", "--format", "markdown").out
    assert every.count("roughness") == 8 and every.startswith(page[:page.index("\n")])


def test_reports_for_programs_carry_the_groups(nine):
    run, = json.loads(diff(*nine, "--format", "sarif").out)["runs"]
    (one,) = [result for result in run["results"] if result["ruleId"] == "material" and "roughness" in result["message"]["text"]]
    uris = [place["physicalLocation"]["artifactLocation"]["uri"] for place in one["locations"] + one["relatedLocations"]]
    assert uris == [f"{letter}.gltf" for letter in "abcdefg"] and len(one["locations"]) == 1
    assert "(in 7 models: a.gltf, " in one["message"]["text"]
    assert [result["ruleId"] for result in run["results"]] == ["pose", "material", "material", "joint_renamed"]
    suite = xml.etree.ElementTree.fromstring(diff(*nine, "--format", "junit").out)[0]
    failures = {case.get("name"): case.find("failure") for case in suite if case.find("failure") is not None}
    assert len(failures) == 8
    assert failures["g.gltf"].get("type") == "pose" and "joint 'hip' is 0.125 m" in failures["g.gltf"].get("message")
    assert failures["g.gltf"].text.splitlines()[1] == "material: material 'skin': roughness is 0.75 and was 0.5 (the same in 6 other models)"


def test_areas_have_one_order(nine):
    areas = [line for line in diff(*nine).out.splitlines()[1:-1] if not line.startswith(" ")]
    assert areas == ["motion", "materials", "names"]
    page = diff(*nine, "--format", "markdown", "-o", "page.md", "--size", "32")
    assert page.status == 1, page.err
    text = (nine[0] / "page.md").read_text()
    assert re.findall(r"^## (.*)$", text, re.M) == ["Pictures", "Motion", "Materials", "Names"]
    assert re.findall(r"^### (.*)$", text, re.M)[0] == "g.gltf"  # the worst comes first
    report = json.loads(diff(*nine, "--json").out)
    (model,) = [model for model in report["models"] if model["model"] == "g.gltf"]
    assert [d["area"] for d in model["differences"]] == ["motion", "materials"]
    (model,) = [model for model in report["models"] if model["model"] == "h.gltf"]
    assert {d["area"] for d in model["differences"]} == {"names"}


def test_a_clip_names_three_joints_and_counts_the_others(tmp_path):
    old, new = {"a.gltf": hand([0] * 6)}, {"a.gltf": hand([0.1, 0.6, 0.3, 0.5, 0.2, 0.4])}
    done = diff(tmp_path, old, new)
    lines = [line for line in done.out.splitlines() if line.startswith("  ")]
    # the hand's y scale is 1, and its x scale of 2 is that of the row of fingers, whose longest side is 10
    assert lines == ["  pose             clip 'grip': joint 'finger 1' is 0.6 m (6 % of the size) elsewhere at 0.5 s, "
                     "joint 'finger 3' 0.5 m (5 %) at 0.5 s, joint 'finger 5' 0.4 m (4 %) at 0.5 s, and 3 more joints"]
    assert done.out.startswith("a.gltf changed: 6 differences in motion. The worst: 'finger 1' of 'grip' is 0.6 m (6 % of its size) elsewhere at 0.5 s.\n")
    every = [line for line in diff(tmp_path, old, new, "-v").out.splitlines() if line.startswith("  pose")]
    assert len(every) == 6 and "joint 'finger 0' is 0.1 m (1 % of the size) elsewhere at 0.5 s" in every[5]
    assert len(json.loads(diff(tmp_path, old, new, "--json").out)["models"][0]["differences"]) == 6


BVH = """HIERARCHY
ROOT hips
{
 OFFSET 5 -1 2
 CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
 JOINT chest
 {
  OFFSET 0 10 0
  CHANNELS 3 Zrotation Xrotation Yrotation
  End Site
  {
   OFFSET 0 10 0
  }
 }
}
MOTION
Frames: 3
Frame Time: 0.1
5 -1 2 90 0 0 0 0 0
5 -1 %g 90 0 0 0 0 0
5 -1 2 90 0 0 0 0 0
"""


def test_a_length_has_the_unit_of_the_file_or_none(tmp_path):
    done = diff(tmp_path, {"a.bvh": BVH % 2}, {"a.bvh": BVH % 4})
    assert "'hips' of " in done.out.splitlines()[0] and " is 2 units (" in done.out.splitlines()[0] and "elsewhere at 0.1 s." in done.out, done.out


def test_what_moves_nothing_has_no_worst(tmp_path):
    old = {name: rig() for name in ("a.gltf", "b.gltf", "c.gltf")}
    done = diff(tmp_path, old, {**old, "a.gltf": rig(edit=rough), "b.gltf": rig(edit=rough)})
    assert done.out.splitlines()[0] == ("2 of 3 models changed: materials in 2. No joint is elsewhere; "
                                        "the first change is a.gltf: material 'skin': roughness is 0.75 and was 0.5, as in 1 more.")
    (tmp_path / "new/c.gltf").unlink()
    (tmp_path / "new/a.gltf").write_text(old["a.gltf"])
    (tmp_path / "new/b.gltf").write_text("no model")
    assert posectl("diff", "old", "new", cwd=tmp_path).out.startswith("None of 3 models changed; 1 removed, 1 could not be compared.\n")


def test_what_is_gone_is_counted_in_the_first_sentence(tmp_path):
    clips = {name: CLIPS[name] for name in ("run",)}
    old = {"a.gltf": rig({**CLIPS, "walk": CLIPS["run"]}), "b.gltf": rig(), "c.gltf": rig()}
    new = {"a.gltf": rig(clips), "b.gltf": rig({**CLIPS, "jump": LIFTED["stand"]}), "c.gltf": rig()}
    done = diff(tmp_path, old, new)
    assert done.out.startswith("2 of 3 models changed: motion in 2 (2 clips gone, 1 new). No joint is elsewhere; the first change is a.gltf: clip "), done.out
    assert diff(tmp_path / "one", {"a.gltf": rig()}, {"a.gltf": rig(clips)}).out.startswith("a.gltf changed: 1 difference in motion (1 clip gone). ")


def test_a_turned_joint_is_turned_and_not_elsewhere(tmp_path):
    """The last joint of a chain turns where it is and carries nothing."""
    clips = {"stand": {("toe", "rotation"): [[0, 0, 0, 1], [0, 0, 0, 1]]}}
    turned = {"stand": {("toe", "rotation"): [[0, 0, 0, 1], [0, 0, 0.5 * HALF, (1 - 0.125) ** 0.5]]}}
    done = diff(tmp_path, {"a.gltf": bones(clips)}, {"a.gltf": bones(turned)})
    assert re.search(r"joint 'toe' is turned by [0-9.]+ degrees at 0\.5 s", done.out) and "elsewhere" not in done.out, done.out


def bones(clips):
    writer = Writer()
    writer.rig(["root", "hip", "knee", "toe"], RIG)
    writer.clips(clips)
    return writer.text()


def test_it_says_where_poses_were_compared_by_phase(tmp_path):
    done = diff(tmp_path, {"a.gltf": hand([0.5] * 6)}, {"a.gltf": hand([0.5] * 5 + [1], 2)})
    assert "clip 'grip' by phase: joint 'finger 5' is 0.5 m (5 % of the size) elsewhere at 1 s\n" in done.out, done.out


def bound_in_another_pose():
    """(old, new): the pair of the tests of comparisons, as GLB files."""
    spec = importlib.util.spec_from_file_location("seen_pairs", REPOSITORY / "tests/api/compare/seen_pairs.py")
    pairs = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(pairs)
    (pair,) = (pair for pair in pairs.PAIRS if pair.name == "bound_in_another_pose")
    return pair.files()


def test_what_looks_the_same_is_a_note(tmp_path):
    was, now = bound_in_another_pose()
    old, new = {"a.glb": was, "b.glb": was, "c.glb": was}, {"a.glb": now, "b.glb": now, "c.glb": was}
    done = diff(tmp_path, old, new)
    assert done.status == 0 and re.fullmatch(r"notes\n  bind_pose        a\.glb and b\.glb: \d+ joints are bound .*\n3 models: 3 equal, 0 different\n", done.out), done.out
    page = diff(tmp_path, old, new, "--format", "markdown").out
    assert "\n## Notes\n\n- a.glb and b.glb: " in page and page.startswith("# None of 3 models changed\n")
    report = json.loads(diff(tmp_path, old, new, "--json").out)
    assert [len(model.get("notes", [])) for model in report["models"]] == [1, 1, 0]


def test_many_of_one_kind_are_one_line(tmp_path):
    """Six joints have other names: three are named, and -v and JSON have all."""
    def prefixed(text):
        document = json.loads(text)
        for node in document["nodes"][:7]:
            node["name"] = "rig:" + node["name"]
        return json.dumps(document)

    files = {"a.gltf": hand([0.5] * 6)}, {"a.gltf": prefixed(hand([0.5] * 6))}
    text = diff(tmp_path, *files).out
    assert text.splitlines()[0].endswith("joint 'finger 0' is now joint 'rig:finger 0' and 5 more."), text
    line, = [line for line in text.splitlines() if "joint_renamed" in line]
    assert line.endswith("joint 'finger 0' is now joint 'rig:finger 0'; joint 'finger 1' is now joint 'rig:finger 1'; "
                         "joint 'finger 2' is now joint 'rig:finger 2'; and 3 more"), text
    run, = json.loads(diff(tmp_path, *files, "--format", "sarif").out)["runs"]
    assert len(run["results"]) == 1
    assert diff(tmp_path, *files, "-v").out.count("is now joint") == 6 + 1  # and once in the summary
    assert len(json.loads(diff(tmp_path, *files, "--json").out)["models"][0]["differences"]) == 6


def test_the_first_sentence_counts_clips_of_another_length(tmp_path):
    text = diff(tmp_path, {"a.gltf": hand([0.5] * 6)}, {"a.gltf": hand([0.5] * 6, duration=2)}).out
    assert "1 difference in motion (1 clip of another length)." in text.splitlines()[0], text


def test_vertices_elsewhere_are_told_in_the_files_unit(tmp_path):
    sys.path.insert(0, str(REPOSITORY / "tests" / "api" / "compare"))
    import seen_pairs
    old, new = next(pair for pair in seen_pairs.PAIRS if pair.name == "vertices_moved_in_their_order").files()
    text = diff(tmp_path, {"a.glb": old}, {"a.glb": new}).out
    assert re.search(r"The worst: mesh 'hills_mesh': 18 vertices are elsewhere, up to 0\.5 m \([0-9.]+ % of the size\)", text.splitlines()[0]), text
