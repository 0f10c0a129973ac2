"""posectl convert of folders: names of the files, what is not converted again, reports, and what a killed run leaves."""
import functools
import json
import os
import re
import shutil
import signal
import struct
import time
import xml.etree.ElementTree

import pytest

from conftest import PATIENCE_S, SAMPLES, Server, wait_until
from posectl import begin, children, is_running, pass_folder, posectl
from small_fbx import fbx
from small_models import TRIANGLE, gltf

pytestmark = pytest.mark.skipif("POSED_SERVER" in os.environ or not SAMPLES.is_dir(), reason="starts servers of its own, on the samples")


@pytest.fixture
def assets(tmp_path):
    """Five models in a tree, two of them broken."""
    folder = tmp_path / "assets"
    for place in "birds/small", "machines":
        (folder / place).mkdir(parents=True)
    shutil.copy(SAMPLES / "dragon.glb", folder / "birds/dragon.glb")
    (folder / "birds/small/hero.fbx").write_text(fbx())
    (folder / "machines/crate.gltf").write_text(gltf(x=2))
    (folder / "machines/junk.fbx").write_bytes(b"no model at all")
    (folder / "broken.gltf").write_text(gltf(buffer="nowhere.bin"))
    return folder


run = functools.partial(pass_folder, "convert")


def files(out):
    """{name: (time, JSON)} of the complete GLB files."""
    found = {}
    for path in out.rglob("*.glb"):
        data = path.read_bytes()
        magic, version, size, json_bytes, kind = struct.unpack_from("<4sII I4s", data)
        assert (magic, version, size, kind) == (b"glTF", 2, len(data), b"JSON"), f"{path} is no whole GLB file"
        found[str(path.relative_to(out))] = path.stat().st_mtime_ns, json.loads(data[20:20 + json_bytes])
    return found


@pytest.mark.short
def test_what_is_unchanged_is_not_converted_again(assets):
    out = assets.parent / "out"
    first = run(assets, status=1)
    assert (first["models"], first["made"], first["unchanged"], first["outputs"]) == (5, 3, 0, 3)
    assert [(f["model"], f["code"]) for f in first["failed"]] == [
        ("assets/broken.gltf", "companion_missing"), ("assets/machines/junk.fbx", "not_a_model")]
    before = files(out)
    assert set(before) == {"birds/dragon.glb", "birds/small/hero.glb", "machines/crate.glb"}
    assert before["machines/crate.glb"][1]["nodes"][0]["translation"] == [2, 0, 0]
    second = run(assets, status=1)
    assert (second["made"], second["unchanged"], len(second["failed"])) == (0, 3, 2) and files(out) == before
    assert [(f["model"], f["file"], f["clips"]) for f in second["files"]] == [
        ("assets/birds/dragon.glb", "birds/dragon.glb", 3), ("assets/birds/small/hero.fbx", "birds/small/hero.glb", 1),
        ("assets/machines/crate.gltf", "machines/crate.glb", 0)]
    (assets / "machines/crate.gltf").write_text(gltf(x=3))
    os.utime(assets / "birds/dragon.glb")  # only the content counts
    third = run(assets, status=1)
    assert (third["made"], third["unchanged"]) == (1, 2)
    assert files(out)["machines/crate.glb"][1]["nodes"][0]["translation"] == [3, 0, 0]
    (out / "birds/dragon.glb").unlink()
    (out / "machines/crate.glb").write_bytes(b"cut")
    assert run(assets, status=1)["made"] == 2 and run(assets, "--force", status=1)["made"] == 3
    assert run(assets, "--clips", "walk", "--include", "dragon.glb")["made"] == 1
    assert len(files(out)["birds/dragon.glb"][1]["animations"]) == 1
    assert run(assets, "--clips", "walk", "--include", "dragon.glb")["made"] == 0
    assert sorted(p.name for p in (out / ".posectl").iterdir()) == ["convert.jsonl", "lock"]


def test_one_file_is_the_same_as_alone(assets):
    run(assets, "--unit", "cm", "--fps", "12", status=1)
    assert posectl("convert", "assets/birds/small/hero.fbx", "-o", "alone.glb", "--unit", "cm", "--fps", "12", cwd=assets.parent).status == 0
    assert (assets.parent / "alone.glb").read_bytes() == (assets.parent / "out/birds/small/hero.glb").read_bytes()


def test_a_buffer_and_a_clip_file_count(assets):
    model = assets / "machines/crate.gltf"
    model.write_text(gltf(buffer="crate.bin"))
    (assets / "machines/crate.bin").write_bytes(TRIANGLE)
    only = ["--include", "crate.gltf"]
    assert run(assets, *only)["made"] == 1 and run(assets, *only)["made"] == 0
    (assets / "machines/crate.bin").write_bytes(TRIANGLE[:-8] + struct.pack("<2f", 5, 0))
    assert run(assets, *only)["made"] == 1
    (assets.parent / "wave.fbx").write_text(fbx())
    clips = ["--include", "hero.fbx", "--clips", "wave.fbx", "--name", "{file}"]
    assert run(assets, *clips)["made"] == 1 and run(assets, *clips)["made"] == 0
    assert len(files(assets.parent / "out")["birds/small/hero.glb"][1]["animations"]) == 2
    (assets.parent / "wave.fbx").write_text(fbx(leg=['P: "Lcl Rotation", "Lcl Rotation", "", "A",0,0,30']))
    assert run(assets, *clips)["made"] == 1


def test_models_of_one_name_keep_their_extensions(assets):
    """The names depend on the models only, not on what was converted before or on the shard."""
    (assets / "birds/small/hero.bvh").write_text("HIERARCHY\nROOT hip\n{\nOFFSET 0 0 0\nCHANNELS 3 Xposition Yposition Zposition\nEnd Site\n"
                                                 "{\nOFFSET 0 1 0\n}\n}\nMOTION\nFrames: 2\nFrame Time: 0.5\n0 0 0\n1 0 0\n")
    (assets / "birds/small/hero.fbx.gltf").write_text(gltf())  # its short name is the long one of hero.fbx
    only = ["--include", "birds/*"]
    done = posectl("convert", "assets", "-o", "out", *only, cwd=assets.parent)
    expected = {"birds/dragon.glb", "birds/small/hero.bvh.glb", "birds/small/hero.fbx.glb", "birds/small/hero.fbx.gltf.glb"}
    assert done.status == 0 and set(files(assets.parent / "out")) == expected
    assert "3 models keep the extension in the names of their files" in done.err
    for shard in "1/2", "2/2":
        posectl("convert", "assets", "-o", "parts", "--shard", shard, *only, cwd=assets.parent)
    assert set(files(assets.parent / "parts")) == expected
    for name in "hero.bvh", "hero.fbx.gltf":
        (assets / "birds/small" / name).unlink()
    report = run(assets, *only, "--prune")
    assert (report["made"], set(files(assets.parent / "out"))) == (1, {"birds/dragon.glb", "birds/small/hero.glb"})


def test_patterns_arguments_and_ignore_files(assets):
    (assets / "birds/.posedignore").write_text("small/\n")
    names = lambda out: set(files(assets.parent / out))
    run(assets, "--exclude", "broken.gltf", "--exclude", "machines/j*")
    assert names("out") == {"birds/dragon.glb", "machines/crate.glb"}
    run(assets, what=("assets/**/*.gl[bt]*",), out="two", status=1)
    assert names("two") == {"birds/dragon.glb", "machines/crate.glb"}
    run(assets, what=("assets/birds/dragon.glb", "assets/machines/crate.gltf"), out="three")
    assert names("three") == {"assets/birds/dragon.glb", "assets/machines/crate.glb"}
    (assets.parent / "four").mkdir()
    run(assets, what=("assets/machines/crate.gltf",), out="four")
    assert names("four") == {"crate.glb"}


def test_outputs_are_no_models_and_overwrite_none(assets):
    refused = posectl("convert", "assets", "-o", "assets", cwd=assets.parent)
    assert refused.status == 2 and "the output folder assets is the folder of the models" in refused.err
    for made in 3, 0:
        report = run(assets, out="assets/glb", status=1)
        assert (report["models"], report["made"]) == (5, made)
    before = (assets / "birds/dragon.glb").read_bytes()
    report = run(assets, what=("assets/birds/*.glb",), out="assets/birds", status=1)
    assert report["failed"][0]["message"].startswith("its file would take the place of the model 'assets/birds/dragon.glb'")
    assert (assets / "birds/dragon.glb").read_bytes() == before


@pytest.mark.parametrize("arguments, says", [
    (["assets"], "missing output folder: -o DIR"), (["assets", "-o", "x.glb"], "not 'x.glb': -o DIR"), (["assets", "-o", "-"], "not '-': -o DIR"),
    (["assets", "-o", "out", "--estimate"], "--estimate is for one model"), (["assets", "-o", "out", "--fps", "often"], "parameter 'fps' is 'often'"),
    (["assets", "-o", "out", "--prune", "--shard", "1/2"], "--prune and --shard contradict"), (["assets", "nobody", "-o", "out"], "'nobody'"),
    (["assets/*.obj", "-o", "out"], "matches no model"), (["assets", "-o", "out", "--format", "posed"], "--format posed is for one model")])
def test_what_the_command_line_may_not_say(assets, arguments, says):
    done = posectl("convert", *arguments, cwd=assets.parent)
    assert (done.status, says in done.err, done.out) == (2, True, ""), done.err
    assert not (assets.parent / "out/birds").exists()


def test_the_report_has_failures_and_warnings_by_reason(assets):
    for i in range(3):
        (assets / f"birds/{i}.fbx").write_text(fbx(hip=['P: "Lcl Scaling", "Lcl Scaling", "", "A",2,0,3'], leg=[
            'P: "InheritType", "enum", "", "",2', 'P: "Lcl Rotation", "Lcl Rotation", "", "A",0,0,30']))
    convert = lambda *options: posectl("convert", "assets", "-o", "out", *options, cwd=assets.parent)
    done = convert("--report", "report.xml")
    lines = done.out.splitlines()
    assert done.status == 1 and [line.split()[1] for line in lines[:2]] == ["assets/broken.gltf", "assets/machines/junk.fbx"]
    approximated, = (line for line in lines if "scales_approximated" in line)
    assert approximated.startswith("warning  3 models, assets/birds/0.fbx among them  scales_approximated: ")
    assert re.match(r"8 models: 6 converted, 0 unchanged, 2 failed, in ", lines[-1])
    named = convert("-v").out.splitlines()
    for i in range(3):
        assert any(line.startswith(f"warning  assets/birds/{i}.fbx  scales_approximated: ") for line in named)
        assert any(line.startswith(f"approximated  assets/birds/{i}.fbx  scales_approximated: the rest pose") for line in named)
    suite = xml.etree.ElementTree.parse(assets.parent / "report.xml").getroot()[0]
    assert (suite.get("name"), suite.get("tests"), suite.get("failures"), suite.get("skipped")) == ("posectl convert", "8", "2", "0")
    cases = {case.get("name"): case for case in suite}
    assert cases["assets/machines/junk.fbx"].find("failure").get("type") == "not_a_model"
    assert "scales_approximated: " in cases["assets/birds/1.fbx"].find("system-out").text
    assert cases["assets/birds/dragon.glb"].get("classname") == "posectl.convert"
    exact = run(assets, "--exact", "--include", "birds/1.fbx", status=1)
    assert exact["failed"][0]["code"] == "not_in_gltf"
    assert convert("-q").out.splitlines() == [line for line in lines if line.startswith("failed")]


def test_what_failed_is_not_imported_again_until_something_changes(assets):
    newest = max(path.stat().st_ctime for path in assets.rglob("*"))
    wait_until(lambda: time.time() - newest > 1.1, "the clock stands still")
    remembered = lambda *options: {f["model"]: f["remembered"] for f in run(assets, *options, status=1)["failed"]}
    junk, broken = "assets/machines/junk.fbx", "assets/broken.gltf"
    assert remembered() == {junk: False, broken: False} and remembered() == {junk: True, broken: False}
    assert remembered("--retry") == {junk: False, broken: False}
    (assets / "machines/junk.fbx").write_text(fbx())
    assert remembered() == {broken: False} and "machines/junk.glb" in files(assets.parent / "out")


def test_another_server_converts_what_lies_under_its_root(assets):
    server = Server(assets, "--tcp", "127.0.0.1:0")
    there = ["--server", server.ports["tcp"]]
    try:
        assert run(assets, *there, what=("birds/",))["made"] == 2
        assert set(files(assets.parent / "out")) == {"dragon.glb", "small/hero.glb"}
        assert run(assets, *there, what=("birds/",))["unchanged"] == 2
        assert run(assets, *there, what=("machines/c*",), out="two")["made"] == 1
    finally:
        server.end()


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_a_run_that_is_stopped_is_completed_by_the_next(tmp_path, number):
    (tmp_path / "assets").mkdir()
    for i in range(60):
        shutil.copy(SAMPLES / ("robot.glb", "dragon.glb")[i % 2], tmp_path / f"assets/{i:03}.glb")
    out = tmp_path / "out"
    running = begin("convert", "assets", "-o", "out", "-j", "2", "--json", cwd=tmp_path)
    wait_until(lambda: running.poll() is not None or len(list(out.glob("*.glb"))) >= 4, "no files")
    server, = children(running.pid)
    running.send_signal(number)
    stdout, _ = running.communicate(timeout=PATIENCE_S)
    before = files(out)  # each is complete
    assert 4 <= len(before) < 60, "it was not stopped"
    if number == signal.SIGINT:
        assert running.returncode == 130 and json.loads(stdout)["interrupted"]
    with open(out / ".posectl/convert.jsonl", "a") as journal:
        journal.write('{"model":"assets/059.glb","ha')  # and an incomplete line
    done = json.loads(posectl("convert", "assets", "-o", "out", "--json", cwd=tmp_path).out)
    after = files(out)
    assert len(after) == 60 and done["made"] + done["unchanged"] == 60
    assert done["unchanged"] >= len(before) - 2  # those that were written at the end
    assert sorted(p.name for p in (out / ".posectl").iterdir()) == ["convert.jsonl", "lock"]
    wait_until(lambda: not is_running(server), "the server of the stopped run lives on")


def test_it_and_thumbs_may_share_a_folder(assets):
    run(assets, status=1)
    assert posectl("thumbs", "assets", "-o", "out", "--size", "32", cwd=assets.parent).status == 1
    assert run(assets, status=1)["unchanged"] == 3
