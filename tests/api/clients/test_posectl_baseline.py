"""posectl check --baseline: findings that were accepted, in every format of the report; --shard, and the reports of thumbs."""
import json
import os
import shutil
import xml.etree.ElementTree as ElementTree

import pytest

from conftest import SAMPLES
from posectl import posectl
from rigs import Writer
from small_models import gltf

pytestmark = pytest.mark.skipif("POSED_SERVER" in os.environ, reason="starts servers of its own")


def weak(first=0.5, name="body"):
    """A skin whose weights do not sum to 1."""
    writer = Writer()
    writer.rig(["root", "hip", "knee", "toe"])
    writer.skin()
    attributes = writer.document["meshes"][0]["primitives"][0]["attributes"]
    attributes["WEIGHTS_0"] = writer.accessor([(0.25, first, 0, 0)] * 6, "VEC4")
    writer.document["meshes"][0]["name"] = name
    return writer.text()


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "in/deep").mkdir(parents=True)
    (tmp_path / "in/bad.gltf").write_text("no")
    (tmp_path / "in/deep/weak.gltf").write_text(weak())
    shutil.copy(SAMPLES / "octopus.glb", tmp_path / "in/fine.glb")
    return tmp_path


def check(folder, *options, status, path="in", **more):
    done = posectl("check", path, "--fail-on", "warning", *options, cwd=more.get("cwd", folder))
    assert done.status == status, (done.status, done.out, done.err)
    return done


def test_what_is_accepted_does_not_count(folder):
    assert check(folder, status=1).out.endswith("3 models: 1 error, 1 warning, 0 infos\n")
    wrote = check(folder, "--write-baseline", "known.json", status=0)
    assert wrote.err == "posectl: known.json accepts 2 findings\n"
    assert wrote.out == "3 models: 0 errors, 0 warnings, 0 infos, 2 accepted\n"
    text = (folder / "known.json").read_text()
    assert [json.loads(line.rstrip(",")) for line in text.splitlines()[1:-1]] == [
        {"model": "in/bad.gltf", "rule": "unreadable", "subject": "not_a_model '.gltf'"},
        {"model": "in/deep/weak.gltf", "rule": "bad-weights", "subject": "weights_renormalised"}], text

    done = check(folder, "--baseline", "known.json", status=0)
    assert done.out == "3 models: 0 errors, 0 warnings, 0 infos, 2 accepted\n"
    told = check(folder, "--baseline", "known.json", "-v", status=0).out
    assert told.count("  accepted ") == 2 and "bad-weights" in told
    assert check(folder, "--write-baseline", "known.json", status=0) and (folder / "known.json").read_text() == text


def test_numbers_in_the_text_may_move_and_new_findings_count(folder):
    check(folder, "--write-baseline", "known.json", status=0)
    (folder / "in/deep/weak.gltf").write_text(weak(0.625))
    check(folder, "--baseline", "known.json", status=0)
    (folder / "in/new.gltf").write_text(weak())
    done = check(folder, "--baseline", "known.json", status=1)
    assert done.out.splitlines()[0] == "in/new.gltf" and "1 warning, 0 infos, 2 accepted" in done.out


def test_each_line_accepts_one_finding(tmp_path):
    """Two clips of one name are two findings of one subject."""
    writer = Writer()
    writer.rig(["root", "hip", "knee", "toe"])
    writer.skin()
    still = {("hip", "rotation"): [[0, 0, 0, 1], [0, 0, 0, 1]]}
    writer.clips({"a": still, "b": still})
    options = "a.gltf", "--severity", "duplicate-clip-name=off"
    document = json.loads(writer.text())
    document["animations"][1]["name"] = "a"
    (tmp_path / "a.gltf").write_text(json.dumps(document))
    posectl("check", *options, "--write-baseline", "known.json", cwd=tmp_path)
    lines = (tmp_path / "known.json").read_text().splitlines()
    assert len(lines) == 4 and lines[1].rstrip(",") == lines[2]
    (tmp_path / "known.json").write_text("\n".join([lines[0], lines[2], lines[3]]))
    assert "1 warning, 0 infos, 1 accepted" in posectl("check", *options, "--baseline", "known.json", cwd=tmp_path).out


def test_what_is_gone_is_told(folder):
    check(folder, "--write-baseline", "known.json", status=0)
    (folder / "in/deep/weak.gltf").write_text(weak(0.75))
    (folder / "in/bad.gltf").unlink()
    done = check(folder, "--baseline", "known.json", status=0)
    assert done.out.splitlines()[0] == "known.json: 2 accepted findings are no longer there, --write-baseline removes them"
    assert [line.split() for line in done.out.splitlines()[1:3]] == [
        ["gone", "unreadable", "in/bad.gltf:", "not_a_model", "'.gltf'"], ["gone", "bad-weights", "in/deep/weak.gltf:", "weights_renormalised"]]
    report = json.loads(check(folder, "--baseline", "known.json", "--format", "json", status=0).out)
    assert [(g["model"], g["rule"]) for g in report["gone"]] == [("in/bad.gltf", "unreadable"), ("in/deep/weak.gltf", "bad-weights")]
    assert "no longer there: in/bad.gltf unreadable" in check(folder, "--baseline", "known.json", "--format", "junit", status=0).out
    notes = json.loads(check(folder, "--baseline", "known.json", "--format", "sarif", status=0).out)["runs"][0]["invocations"][0]
    assert len(notes["toolExecutionNotifications"]) == 2
    check(folder, "--write-baseline", "known.json", status=0)
    assert len((folder / "known.json").read_text().splitlines()) == 2


def test_a_run_over_a_part_keeps_what_is_accepted_of_others(folder):
    check(folder, "--write-baseline", "known.json", status=0)
    text = (folder / "known.json").read_text()
    check(folder, "--write-baseline", "known.json", path="in/deep", status=0)
    assert (folder / "known.json").read_text() == text
    assert "no longer" not in check(folder, "--baseline", "known.json", path="in/fine.glb", status=0).out


def test_paths_are_from_the_folder_of_the_file(folder):
    (folder / "in/deep/textured.gltf").write_text(gltf(image="nowhere.png"))
    check(folder, "--write-baseline", "lists/known.json", status=0)
    assert '"../in/deep/weak.gltf"' in (folder / "lists/known.json").read_text()
    done = check(folder, "--baseline", "../../lists/known.json", path=".", cwd=folder / "in/deep", status=0)
    assert done.out == "2 models: 0 errors, 0 warnings, 0 infos, 3 accepted\n"


def test_junit_skips_and_sarif_suppresses_what_is_accepted(folder):
    check(folder, "--write-baseline", "known.json", status=0)
    (folder / "in/new.gltf").write_text(weak())
    suite = ElementTree.fromstring(check(folder, "--baseline", "known.json", "--format", "junit", status=1).out).find("testsuite")
    assert [suite.get(word) for word in ("tests", "failures", "skipped")] == ["4", "1", "2"]
    cases = {case.get("name"): case for case in suite.findall("testcase")}
    assert cases["in/bad.gltf"].find("skipped") is not None and cases["in/bad.gltf"].find("failure") is None
    assert cases["in/new.gltf"].find("failure") is not None and cases["in/fine.glb"].find("skipped") is None
    run, = json.loads(check(folder, "--baseline", "known.json", "--format", "sarif", status=1).out)["runs"]
    assert [(r["locations"][0]["physicalLocation"]["artifactLocation"]["uri"], [s["status"] for s in r["suppressions"]])
            for r in run["results"]] == [("in/bad.gltf", ["accepted"]), ("in/deep/weak.gltf", ["accepted"]), ("in/new.gltf", [])]
    assert run["results"][1]["partialFingerprints"] == {"modelRuleSubject/v1": "in/deep/weak.gltf|bad-weights|weights_renormalised"}
    assert all("suppressions" not in r for r in json.loads(check(folder, "--format", "sarif", status=1).out)["runs"][0]["results"])


@pytest.mark.parametrize("text, says", [
    (None, "'known.json': No such file or directory; --write-baseline known.json writes it"),
    ("", "known.json:1: it is not JSON, but empty"),
    ("{}", "known.json:1: not written by posectl check --write-baseline: {}"),
    ('{"posectl_baseline": 2, "findings": []}', "known.json:1: not written by"),
    ('{"posectl_baseline": 1, "findings": {}}', "known.json:1: not written by"),
    ('{"posectl_baseline": 1, "findings": [\n{"model": "a", "rule": "b"}\n]}', "known.json:2: an accepted finding has the texts"),
    ('{"posectl_baseline": 1, "findings": [\n{"model": "a", "rule": "b", "subject": 3}\n]}', 'known.json:2: an accepted finding has the texts'),
    ('{"posectl_baseline": 1,\n "findings": [], "findings": []}', "known.json:2: key 'findings' is there twice"),
    ("[" * 100000, "known.json:1: it is not JSON"),
])
def test_a_bad_baseline_is_refused(tmp_path, text, says):
    (tmp_path / "a.gltf").write_text(gltf())
    if text is not None:
        (tmp_path / "known.json").write_text(text)
    done = posectl("check", "a.gltf", "--baseline", "known.json", cwd=tmp_path)
    assert (done.status, says in done.err) == (2, True), done.err


def test_every_truncation_of_a_baseline_is_refused(tmp_path):
    (tmp_path / "a.gltf").write_text("no")
    posectl("check", "a.gltf", "--write-baseline", "known.json", cwd=tmp_path)
    text = (tmp_path / "known.json").read_text().rstrip("\n")
    for size in range(len(text)):
        (tmp_path / "cut.json").write_text(text[:size])
        done = posectl("check", "a.gltf", "--baseline", "cut.json", "--server", "/nowhere", cwd=tmp_path)
        assert done.status == 2 and done.err.startswith("posectl: cut.json:"), (size, done.err)


# --- shards ---


@pytest.mark.parametrize("count", [1, 3, 40])
def test_every_model_is_in_one_shard(tmp_path, count):
    names = [f"{folder}/{i}.gltf" for folder in ("a", "b") for i in range(5)]
    for name in names:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(gltf())
    parts = []
    for number in range(1, count + 1):
        done = posectl("check", ".", "--shard", f"{number}/{count}", "--json", cwd=tmp_path)
        assert done.status == 0, done.err
        parts.append([entry["model"] for entry in json.loads(done.out)["models"]])
    assert sorted(sum(parts, [])) == sorted(names)
    assert count == 1 or sum(bool(part) for part in parts) > 1
    if count == 3:
        again = posectl("check", "b", "--shard", "2/3", "--json", cwd=tmp_path)
        assert [entry["model"] for entry in json.loads(again.out)["models"]] == [name for name in parts[1] if name.startswith("b/")]


def test_shards_of_pictures_are_the_whole(tmp_path):
    (tmp_path / "in").mkdir()
    for i in range(4):
        (tmp_path / f"in/{i}.gltf").write_text(gltf(x=i))
    for number in 1, 2, 3:
        done = posectl("thumbs", "in", "-o", "out", "--size", "16", "--shard", f"{number}/3", cwd=tmp_path)
        assert done.status == 0, done.err
    assert sorted(path.name for path in (tmp_path / "out").glob("*.png")) == [f"{i}.gltf.png" for i in range(4)]
    done = posectl("thumbs", "in", "-o", "out", "--size", "16", "--shard", "1/3", "--prune", cwd=tmp_path)
    assert done.status == 2 and "--prune and --shard contradict each other" in done.err
    assert len(list((tmp_path / "out").glob("*.png"))) == 4


@pytest.mark.parametrize("value", ["0/3", "4/3", "1", "1/", "/2", "a/b", "1/2/3", "-1/2", "1/0", "100000/100000"])
def test_a_shard_is_a_number_of_a_count(tmp_path, value):
    done = posectl("check", ".", "--shard", value, cwd=tmp_path)
    assert (done.status, "--shard takes NUMBER/COUNT" in done.err) == (2, True), done.err


# --- reports of thumbs ---


def draw(folder, *options, status=1):
    done = posectl("thumbs", "in", "-o", "out", "--size", "16", *options, cwd=folder)
    assert done.status == status, (done.status, done.out, done.err)
    return done


def test_pictures_have_a_junit_report_with_a_case_for_each_model(folder):
    (folder / "in/a<&>.gltf").write_text(gltf())
    done = draw(folder, "--report", "reports/thumbs.xml")
    assert "4 models: 3 drawn (3 pictures), 0 unchanged, 1 failed" in done.out
    suite = ElementTree.parse(folder / "reports/thumbs.xml").getroot().find("testsuite")
    assert [suite.get(word) for word in ("name", "tests", "failures", "skipped")] == ["posectl thumbs", "4", "1", "0"]
    cases = {case.get("name"): case.find("failure") for case in suite.findall("testcase")}
    assert {name for name, failure in cases.items() if failure is None} == {"in/a<&>.gltf", "in/deep/weak.gltf", "in/fine.glb"}
    assert cases["in/bad.gltf"].get("type") == "not_a_model" and cases["in/bad.gltf"].get("message") in cases["in/bad.gltf"].text
    assert draw(folder, "--format", "junit").out.startswith('<?xml version="1.0"')


def test_models_without_such_a_clip_are_skipped(folder):
    (folder / "in/bad.gltf").unlink()
    draw(folder, "--clips", "swim", "--report", "thumbs.xml", status=0)
    suite = ElementTree.parse(folder / "thumbs.xml").getroot().find("testsuite")
    assert [suite.get(word) for word in ("tests", "failures", "skipped")] == ["2", "0", "0"], "a model without clips is drawn at rest"
    draw(folder, "--clips", "nothing*", "--report", "thumbs.xml")
    suite = ElementTree.parse(folder / "thumbs.xml").getroot().find("testsuite")
    assert suite.get("skipped") == "1" and suite.find("testcase[@name='in/fine.glb']/skipped") is not None


def test_the_json_report_is_what_json_prints(folder):
    printed = json.loads(draw(folder, "--json", "--report", "thumbs.json").out)
    written = json.loads((folder / "thumbs.json").read_text())
    assert {k: v for k, v in printed.items() if k != "seconds"} == {k: v for k, v in written.items() if k != "seconds"}
    draw(folder, "--report", "thumbs.txt", "--format", "junit")
    assert (folder / "thumbs.txt").read_text().startswith("<?xml")
    for options, says in ((["--report", "thumbs.txt"], "--report writes .json or .xml (JUnit), not 'thumbs.txt'"),
                          (["--report", "thumbs.xml", "--format", "text"], "--report writes json or junit, not text")):
        assert says in draw(folder, *options, status=2).err
    assert "cannot write /proc/no/thumbs.xml" in draw(folder, "--report", "/proc/no/thumbs.xml", status=3).err
