"""posectl flex: findings, reports and exit status as posectl check has them, and the sheet."""
import json
import os
import xml.etree.ElementTree

import numpy
import pytest
from PIL import Image

import rigs
from conftest import SAMPLES
from posectl import on_terminal, png_size, posectl
from rigs import limb
from small_models import gltf

pytestmark = pytest.mark.skipif("POSED_SERVER" in os.environ, reason="starts servers of its own")

PAINTED = rigs.LIMB_SIDES * 14 + 3


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("flex")
    (folder / "good.gltf").write_text(limb())
    (folder / "painted.gltf").write_text(limb(painted={PAINTED: 0}))
    (folder / "still.gltf").write_text(gltf())
    return folder


def test_findings_and_exit_status(folder):
    done = posectl("flex", ".", cwd=folder)
    assert done.status == 1 and done.out.splitlines()[0] == "painted.gltf" and "flex-left-behind" in done.out
    assert f"vertex {PAINTED} of mesh 'tube'" in done.out and done.out.endswith("3 models: 1 error, 0 warnings, 0 infos, 6 joints not measured (-v names them)\n")
    assert posectl("flex", "good.gltf", cwd=folder).status == 0
    assert posectl("flex", ".", "--fail-on", "never", cwd=folder).status == 0
    assert posectl("flex", ".", "--severity", "flex-left-behind=info", cwd=folder).status == 0
    assert posectl("flex", "painted.gltf", "--joint", "upper", cwd=folder).status == 0
    wrapper = posectl("flex", "good.gltf", "--angles", "180", cwd=folder)
    assert wrapper.status == 1 and "flex-volume" in wrapper.out and "180 degrees" in wrapper.out


def test_reports(folder):
    found = json.loads(posectl("flex", ".", "--json", cwd=folder).out)
    assert [(m["model"], [(f["rule"], f["severity"], f["subject"]) for f in m["findings"]]) for m in found["models"]] == [
        ("good.gltf", []), ("painted.gltf", [("flex-left-behind", "error", "joint 'lower'")]), ("still.gltf", [])]
    suite = xml.etree.ElementTree.fromstring(posectl("flex", ".", "--format", "junit", cwd=folder).out)
    suites = [suite] if suite.tag == "testsuite" else suite.findall("testsuite")
    assert [case.get("classname") for case in suites[0].iter("testcase")] == ["posectl.flex"] * 3 and suites[0].get("name") == "posectl flex"
    assert len(list(suite.iter("failure"))) == 1
    run, = json.loads(posectl("flex", ".", "--format", "sarif", cwd=folder).out)["runs"]
    assert [(r["ruleId"], r["level"]) for r in run["results"]] == [("flex-left-behind", "error")]


def test_accepted_findings(folder, tmp_path):
    known = tmp_path / "known.json"
    assert posectl("flex", ".", "--write-baseline", known, cwd=folder).status == 0
    done = posectl("flex", ".", "--baseline", known, cwd=folder)
    assert done.status == 0 and "1 accepted" in done.out


def test_joints_that_are_not_measured_are_told(folder):
    """They are no findings, whatever --fail-on is."""
    done = posectl("flex", ".", "--exclude", "painted*", "--fail-on", "info", cwd=folder)
    assert done.status == 0 and done.out == "2 models: 0 errors, 0 warnings, 0 infos, 3 joints not measured (-v names them)\n"
    text = "3 joints are not measured: no vertex follows 'root', 'end'; no triangle deforms at 'upper'"
    assert text in posectl("flex", "good.gltf", "-v", cwd=folder).out
    found = json.loads(posectl("flex", "good.gltf", "--json", cwd=folder).out)
    assert found["models"][0]["notes"] == [{"rule": "flex-volume", "message": text}] and found["totals"]["not_measured"] == 3
    assert "not measured" not in posectl("flex", "good.gltf", "--joint", "lower", cwd=folder).out


def test_a_baseline_that_check_and_flex_share(tmp_path):
    """Each keeps what the other wrote, drops what it finds no longer, and does not call the other's findings gone."""
    def names():
        return sorted(finding["rule"] for finding in json.loads((tmp_path / "known.json").read_text())["findings"])
    written = ["--write-baseline", "known.json"]
    (tmp_path / "a.gltf").write_text(limb(painted={PAINTED: 0}))
    (tmp_path / "bad.gltf").write_text("no")
    posectl("flex", ".", *written, cwd=tmp_path)
    assert names() == ["flex-left-behind", "unreadable"]
    posectl("check", ".", "--set", "max_triangles=1", *written, cwd=tmp_path)
    assert names() == ["flex-left-behind", "too-many-triangles", "unreadable"]
    for command, more in (("flex", []), ("check", ["--set", "max_triangles=1"])):
        done = posectl(command, ".", *more, "--baseline", "known.json", cwd=tmp_path)
        assert done.status == 0 and "2 accepted" in done.out and "no longer" not in done.out, done.out
    (tmp_path / "bad.gltf").unlink()
    (tmp_path / "a.gltf").write_text(limb())
    posectl("flex", ".", *written, cwd=tmp_path)
    assert names() == ["too-many-triangles"]
    posectl("check", ".", *written, cwd=tmp_path)
    assert names() == []


@pytest.mark.parametrize("options, words", [
    (["--angles", "0"], "above 0"), (["--angles", "45,nine"], "nine"), (["--sheet", "x.png"], "a picture of one model")])
def test_a_wrong_command_line_is_status_2(folder, options, words):
    done = posectl("flex", ".", *options, cwd=folder)
    assert done.status == 2 and words in done.err and done.out == ""


def test_a_joint_that_models_lack(folder, tmp_path):
    """Misspelt it is refused with candidates; a model of several that lacks it is not at fault."""
    done = posectl("flex", "good.gltf", "--joint", "lowre", cwd=folder)
    assert done.status == 2 and "has no node 'lowre'; candidates: " in done.err and "'lower'" in done.err and done.out == ""
    done = posectl("flex", ".", "--joint", "lower", "-v", cwd=folder)
    assert done.status == 1 and "note     unreadable             not bent: 'still.gltf' has no node 'lower'" in done.out
    assert "1 error," in done.out, "of painted.gltf"


@pytest.mark.parametrize("name, begins", [("r.json", "{"), ("r.sarif", "{"), ("r.xml", "<?xml"), ("r.txt", "painted.gltf")])
def test_the_extension_selects_the_format(folder, tmp_path, name, begins):
    posectl("flex", "painted.gltf", "-o", tmp_path / name, cwd=folder)
    text = (tmp_path / name).read_text()
    assert text.startswith(begins) and ("$schema" in text) == name.endswith("sarif")
    posectl("flex", "painted.gltf", "-o", tmp_path / name, "--format", "junit", cwd=folder)
    assert (tmp_path / name).read_text().startswith("<?xml"), "as asked for"


def test_a_sheet_is_a_png(folder, tmp_path):
    done = posectl("flex", "good.gltf", "--sheet", tmp_path / "sheet.jpg", cwd=folder)
    assert done.status == 2 and "ends in .png" in done.err and not (tmp_path / "sheet.jpg").exists()


def test_an_unreadable_model(folder, tmp_path):
    (tmp_path / "bad.gltf").write_text("{")
    done = posectl("flex", ".", cwd=tmp_path)
    assert done.status == 1 and "unreadable" in done.out


def test_the_sheet(folder, tmp_path):
    sheet = tmp_path / "sheet.png"
    done = posectl("flex", "painted.gltf", "--joint", "lower", "--angles", "45", "--sheet", sheet, cwd=folder)
    if "render" in done.err and "no renderer" in done.err:
        pytest.skip("no renderer")
    assert done.status == 1 and "row 1: lower: x+45 x-45 y+45 y-45 z+45 z-45" in done.err, done.err
    assert png_size(sheet) == (6 * 160, 160)
    pixels = numpy.asarray(Image.open(sheet).convert("RGB"))
    cells = [pixels[:, 160 * column:160 * (column + 1)] for column in range(6)]
    for cell in cells:
        assert tuple(cell[80, 1]) == (200, 30, 30) and (cell[8:152, 8:152] != 255).any()
    assert len({cell.tobytes() for cell in cells}) == 6  # each turn looks different
    none = posectl("flex", "still.gltf", "--sheet", tmp_path / "none.png", cwd=folder)
    assert none.status == 1 and "no joint of the model bends triangles" in none.err and not (tmp_path / "none.png").exists()


@pytest.mark.skipif(not SAMPLES.is_dir(), reason="no sample models")
def test_the_rows_are_listed_after_the_progress(tmp_path):
    _, shown = on_terminal("flex", SAMPLES / "dragon.glb", "--angles", "45", "--sheet", tmp_path / "sheet.png", cwd=tmp_path)
    if "render" in shown and "no renderer" in shown:
        pytest.skip("no renderer")
    assert "row 9: " in shown and "0/1" not in shown[shown.index("row 1: "):], shown


def test_a_cell_of_the_sheet_cuts_nothing_that_moves(folder, tmp_path):
    """The zone and the long end of the limb alone: no pixel of them at the edge of any cell, and they fill the row together."""
    at = lambda vertex: rigs.limb_points()[vertex][1]
    (folder / "end.gltf").write_text(limb(faces=[face for face in rigs.limb_triangles() if max(map(at, face)) > 1.5]))
    sheet = tmp_path / "end.png"
    done = posectl("flex", "end.gltf", "--joint", "lower", "--angles", "30,75", "--sheet", sheet, cwd=folder)
    if "render" in done.err and "no renderer" in done.err:
        pytest.skip("no renderer")
    assert done.status == 0, done.err
    drawn = (numpy.asarray(Image.open(sheet).convert("RGB")) != 255).any(axis=2)
    cells = [drawn[:, 160 * column:160 * (column + 1)] for column in range(12)]
    for cell in cells:
        assert cell.any() and not (cell[:4].any() or cell[-4:].any() or cell[:, :4].any() or cell[:, -4:].any())
    rows, columns = (numpy.flatnonzero(sum(cells).any(axis=axis)) for axis in (1, 0))
    assert max(rows[-1] - rows[0], columns[-1] - columns[0]) > 110
