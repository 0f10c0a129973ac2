"""posectl bake of folders: the tables and their index, what is not baked again, clips onto another model, and what a stopped run leaves."""
import functools
import json
import os
import shutil
import signal
import time
import xml.etree.ElementTree
import zipfile

import numpy as np
import pytest

from conftest import PATIENCE_S, SAMPLES, Server, wait_until
from humans import A, T, Human
from importers import NO_RENDERING
from posectl import begin, children, is_running, pass_folder, posectl
from rigs import CLIPS, RIG, character, moves
from small_fbx import fbx
from small_models import gltf

pytestmark = pytest.mark.skipif("POSED_SERVER" in os.environ or not SAMPLES.is_dir(), reason="starts servers of its own, on the samples")

# Poses that translations, rotations and scales can say.
EVEN = {**RIG, "root": (None, {**RIG["root"][1], "scale": [2, 2, 2]})}
STIFF = {"stand": CLIPS["stand"], "run": {channel: rows for channel, rows in CLIPS["run"].items() if channel[1] != "scale"}}
BVH = """HIERARCHY
ROOT hip
{
OFFSET 0 0 0
CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
JOINT knee
{
OFFSET 0 2 0
CHANNELS 3 Zrotation Xrotation Yrotation
End Site
{
OFFSET 0 1 0
}
}
}
MOTION
Frames: %d
Frame Time: 0.05
"""


def bvh(frames=5, step=10):
    return BVH % frames + "".join(f"{i} 1 2 {i * step} 20 {-i * step} {i * step} 0 5\n" for i in range(frames))


@pytest.fixture
def library(tmp_path):
    """Motion in five formats in a tree, and a broken file."""
    folder = tmp_path / "library"
    for place in "walks/slow", "others":
        (folder / place).mkdir(parents=True)
    (folder / "walks/one.bvh").write_text(bvh())
    (folder / "walks/slow/two.bvh").write_text(bvh(step=3))
    (folder / "walks/slow/hero.fbx").write_text(fbx())
    shutil.copy(SAMPLES / "robot.glb", folder / "others/robot.glb")
    (folder / "others/moves.gltf").write_text(moves(STIFF, rig=EVEN))
    (folder / "others/crate.gltf").write_text(gltf())
    (folder / "broken.bvh").write_text(bvh()[:120])
    return folder


run = functools.partial(pass_folder, "bake")


def read(path):
    """{name: array} of a table, by Python's zip reader, which checks the CRCs, and by NumPy."""
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None and {entry.compress_type for entry in archive.infolist()} == {zipfile.ZIP_STORED}
        found = {name: np.lib.format.read_array(archive.open(name)) for name in archive.namelist()}
    with np.load(path) as loaded:
        assert [f"{name}.npy" for name in loaded.files] == list(found)
    return {name.removesuffix(".npy"): array for name, array in found.items()}


def tables(out):
    """{name: (time, values)} of the complete tables."""
    return {str(path.relative_to(out)): (path.stat().st_mtime_ns, read(path)["values"].tobytes()) for path in out.rglob("*.npz")}


def index(out):
    found = json.loads((out / "index.json").read_text())
    return found, {file["model"]: file for file in found["files"]}


ALL = {"walks/one.npz", "walks/slow/two.npz", "walks/slow/hero.npz", "others/robot.npz", "others/moves.npz", "others/crate.npz"}


@pytest.mark.short
def test_each_file_becomes_a_table_and_the_index_tells_of_all(library):
    out = library.parent / "out"
    report = run(library, status=1)
    assert (report["models"], report["made"], report["tables"], report["index"]) == (7, 6, 6, "out/index.json")
    assert [(f["model"], f["code"]) for f in report["failed"]] == [("library/broken.bvh", "bad_model")]
    assert set(tables(out)) == ALL
    whole, files = index(out)
    assert list(files) == sorted(f"library/{name}" for name in ["broken.bvh", "walks/one.bvh", "walks/slow/two.bvh", "walks/slow/hero.fbx",
                                                                "others/robot.glb", "others/moves.gltf", "others/crate.gltf"])
    assert files["library/broken.bvh"] == {"model": "library/broken.bvh", "error": {k: report["failed"][0][k] for k in ("code", "message")}}
    one, two = files["library/walks/one.bvh"], files["library/walks/slow/two.bvh"]
    assert (one["file"], one["fps"], one["frame_count"], one["values"]) == ("walks/one.npz", 20, 5, "trs")
    assert [(clip["first_frame"], clip["frame_count"], round(clip["duration"], 6)) for clip in one["clips"]] == [(0, 5, 0.2)]
    assert one["skeleton"] == two["skeleton"] and whole["skeletons"][one["skeleton"]][:2] == ["hip", "knee"]
    assert [clip["name"] for clip in files["library/others/robot.glb"]["clips"]] == ["walk", "wave", "dance"]
    assert len({json.dumps(names) for names in whole["skeletons"]}) == len(whole["skeletons"]) == 5
    for file in files.values():
        if "error" not in file:
            table = read(out / file["file"])
            about = json.loads(table["about"].item())
            assert (about["hash"], about["clips"], about["model"]) == (file["hash"], file["clips"], file["model"])
            assert table["values"].shape == (file["frame_count"], len(whole["skeletons"][file["skeleton"]]), 10)
            assert table["values"].dtype == np.dtype("<f4") and table["times"].shape == (file["frame_count"],)
            assert (out / file["file"]).stat().st_size == file["bytes"]


def test_one_file_is_the_same_as_alone_and_as_the_other_formats(library):
    options = ["--fps", "12", "--values", "matrix", "--clips", "*"]
    run(library, *options, "--include", "moves.gltf", "--include", "*.bvh", status=1)
    for kind in "npz", "npy":
        assert posectl("bake", "library/others/moves.gltf", "-o", f"alone.{kind}", *options, cwd=library.parent).status == 0
    assert (library.parent / "alone.npz").read_bytes() == (library.parent / "out/others/moves.npz").read_bytes()
    table, about = read(library.parent / "alone.npz"), json.loads((library.parent / "alone.npy.json").read_text())
    assert np.array_equal(table["values"], np.load(library.parent / "alone.npy")) and table["values"].shape[2:] == (4, 4)
    assert table["times"].tolist() == about.pop("times") and json.loads(table["about"].item()) == about


@pytest.mark.short
def test_what_is_unchanged_is_not_baked_again(library):
    out = library.parent / "out"
    run(library, status=1)
    before, written = tables(out), (out / "index.json").stat().st_mtime_ns
    second = run(library, status=1)
    assert (second["made"], second["unchanged"], len(second["failed"])) == (0, 6, 1)
    assert tables(out) == before and (out / "index.json").stat().st_mtime_ns == written
    (library / "walks/one.bvh").write_text(bvh(step=11))
    os.utime(library / "others/robot.glb")  # only the content counts
    third = run(library, status=1)
    after = tables(out)
    assert (third["made"], third["unchanged"]) == (1, 5) and {name for name in ALL if after[name] != before[name]} == {"walks/one.npz"}
    assert after["walks/one.npz"][1] != before["walks/one.npz"][1]
    (out / "walks/one.npz").unlink()
    (out / "others/crate.npz").write_bytes(b"cut")
    assert run(library, status=1)["made"] == 2 and run(library, "--force", status=1)["made"] == 6
    for options in ["--fps", "5"], ["--clips", "first"], ["--values", "matrix"]:
        assert run(library, *options, status=1)["made"] == 6 and run(library, *options, status=1)["made"] == 0
    assert sorted(p.name for p in (out / ".posectl").iterdir()) == ["bake.jsonl", "lock"]


def test_a_file_that_fails_later_has_no_table_in_the_index(library):
    run(library, "--exclude", "broken*")
    (library / "walks/one.bvh").write_text("junk")
    report = run(library, "--exclude", "broken*", status=1)
    _, files = index(library.parent / "out")
    assert files["library/walks/one.bvh"] == {"model": "library/walks/one.bvh",
                                              "error": {k: report["failed"][0][k] for k in ("code", "message")}}
    assert len([file for file in files.values() if "file" in file]) == 5


def test_shards_partition_the_library_and_share_an_index(library):
    for name in "abcd":  # their tables keep the extensions, in whichever shards they are
        (library / f"walks/{name}.bvh").write_text(bvh(step=ord(name)))
        (library / f"walks/{name}.fbx").write_text(fbx())
    made = []
    for number in 1, 2, 3:
        done = posectl("bake", "library", "-o", "out", "--json", "--shard", f"{number}/3", cwd=library.parent)
        made.append(json.loads(done.out))
    assert sum(report["models"] for report in made) == 15 and sum(report["made"] for report in made) == 14
    assert all(report["models"] < 15 for report in made)
    run(library, out="whole", status=1)
    assert {name: values for name, (_, values) in tables(library.parent / "out").items()} == \
        {name: values for name, (_, values) in tables(library.parent / "whole").items()}
    assert (library.parent / "out/index.json").read_bytes() == (library.parent / "whole/index.json").read_bytes()
    assert {f"walks/{name}.{kind}.npz" for name in "abcd" for kind in ("bvh", "fbx")} <= set(tables(library.parent / "out"))


def test_prune_patterns_and_ignore_files(library):
    out = library.parent / "out"
    run(library, "--exclude", "broken.bvh")
    (library / "others/.posedignore").write_text("crate.gltf\n")
    (library / "broken.bvh").unlink()
    (library / "walks/one.bvh").unlink()
    run(library)
    assert set(tables(out)) == ALL  # what earlier runs wrote stays
    assert "library/walks/one.bvh" in index(out)[1]
    run(library, "--prune")
    assert set(tables(out)) == ALL - {"walks/one.npz", "others/crate.npz"} == {file["file"] for file in index(out)[0]["files"]}
    run(library, out="two", what=("library/**/*.[bf][vb]*",))
    assert {file["model"] for file in index(library.parent / "two")[0]["files"]} == {"library/walks/slow/two.bvh", "library/walks/slow/hero.fbx"}
    run(library, out="three", what=("library/others/robot.glb", "library/walks/slow/two.bvh"))
    assert set(tables(library.parent / "three")) == {"library/others/robot.npz", "library/walks/slow/two.npz"}
    (library / "walks/slow/two.npz").write_bytes(b"of another tool")
    done = posectl("bake", "library", "-o", "library", cwd=library.parent)
    assert done.status == 2 and "is the folder of the models" in done.err and (library / "walks/slow/two.npz").read_bytes() == b"of another tool"


@pytest.mark.parametrize("arguments, says", [
    (["library"], "missing output folder: -o DIR"), (["library", "-o", "x.npz"], "not 'x.npz': -o DIR"), (["library", "-o", "-"], "not '-': -o DIR"),
    (["library", "-o", "x.csv"], "not 'x.csv': -o DIR"), (["library", "-o", "out", "--as", "csv"], "--as csv is for one model"),
    (["library", "-o", "out", "--fps", "often"], "'often'"), (["library", "-o", "out", "--socket", "x"], "--socket takes NAME=JOINT"),
    (["library", "-o", "out", "--prune", "--shard", "1/2"], "--prune and --shard contradict"), (["library", "nobody", "-o", "out"], "'nobody'"),
    (["library/*.obj", "-o", "out"], "matches no model"), (["library", "-o", "out", "--retarget", "rest"], "--onto MODEL"),
    (["library", "-o", "out", "--onto", "library"], "--onto takes a model, not 'library'"),
    (["library", "-o", "out", "--onto", "library/others/robot.glb", "--clips", "rest"], "--onto and --clips rest"),
    (["library", "-o", "out", "--onto", "library/others/robot.glb", "--retarget", "rst"], "it must be names or rest"),
    (["library/walks/one.bvh", "-o", "one.posed", "--onto", "library/others/robot.glb"], "--onto does not go with posed")])
def test_what_the_command_line_may_not_say(library, arguments, says):
    done = posectl("bake", *arguments, cwd=library.parent)
    assert (done.status, says in done.err, done.out) == (2, True, ""), done.err
    assert not (library.parent / "out/walks").exists()


def test_clips_that_match_nothing_and_joints_that_are_missing(library):
    done = posectl("bake", "library", "-o", "out", "--clips", "wave", "--exclude", "broken*", cwd=library.parent)
    assert done.status == 0 and "'library/walks/one.bvh' has no clip that matches 'wave': no table" in done.err
    _, files = index(library.parent / "out")
    assert files["library/walks/one.bvh"] == {"model": "library/walks/one.bvh", "unmatched": True}
    assert [clip["name"] for clip in files["library/others/robot.glb"]["clips"]] == ["wave"]
    done = posectl("bake", "library", "-o", "two", "--clips", "nothing", "--exclude", "broken*", cwd=library.parent)
    assert done.status == 1 and "--clips 'nothing' matches no clip of any model" in done.err
    report = run(library, "--joints", "knee,hip", "--include", "others/*", out="three", status=1)
    assert [(f["model"], f["code"]) for f in report["failed"]] == [("library/others/crate.gltf", "joint_not_found"),
                                                                   ("library/others/robot.glb", "joint_not_found")]
    assert index(library.parent / "three")[0]["skeletons"] == [["knee", "hip"]]


def test_reports_as_junit(library):
    done = posectl("bake", "library", "-o", "out", "--report", "report.xml", cwd=library.parent)
    assert done.status == 1 and done.out.splitlines()[-1].startswith("7 models: 6 baked, 0 unchanged, 1 failed, in ")
    printed = posectl("bake", "library", "-o", "out", "--format", "junit", cwd=library.parent)
    for root in xml.etree.ElementTree.parse(library.parent / "report.xml").getroot(), xml.etree.ElementTree.fromstring(printed.out):
        assert (root[0].get("name"), root[0].get("tests"), root[0].get("failures")) == ("posectl bake", "7", "1")
        cases = {case.get("name"): case for case in root[0]}
        assert cases["library/broken.bvh"].find("failure").get("type") == "bad_model"


# --- onto another model ---

@pytest.fixture
def people(tmp_path):
    """Walks of two humans and of a rig, and whom they move: another human, and that rig with its skin."""
    folder = tmp_path / "library"
    folder.mkdir()
    (folder / "walk.gltf").write_text(Human(T).write(has_walk=True))
    (folder / "stroll.gltf").write_text(Human({**T, "thigh": 0.4, "arm": 20}).write(has_walk=True, has_body=False))
    (folder / "crate.gltf").write_text(gltf())
    (folder / "hero.gltf").write_text(Human(A).write())
    (tmp_path / "rig.gltf").write_text(character())
    return folder


def test_onto_another_human_each_table_is_the_same_as_alone(people):
    onto = ["--onto", "library/hero.gltf", "--retarget", "rest"]
    report = run(people, *onto, status=1)
    assert report["models"] == 3 and [(f["model"], f["code"], f["message"]) for f in report["failed"]] == [
        ("library/crate.gltf", "clip_not_found", "the file has no clips")]  # the hero itself is no motion
    whole, files = index(people.parent / "out")
    assert len(whole["skeletons"]) == 1 and set(whole["skeletons"][0]) == {A["names"][role] for role in A["names"]}
    for name in "walk", "stroll":
        assert posectl("bake", f"library/{name}.gltf", "-o", f"{name}.npz", *onto, cwd=people.parent).status == 0
        assert (people.parent / f"{name}.npz").read_bytes() == (people.parent / f"out/{name}.npz").read_bytes()
        assert files[f"library/{name}.gltf"]["onto"] == "library/hero.gltf"
    first, second = (read(people.parent / f"out/{name}.npz") for name in ("walk", "stroll"))
    assert first["values"].shape == second["values"].shape and not np.array_equal(first["values"], second["values"])
    about = json.loads(first["about"].item())
    assert (about["model"], about["clip_file"]["model"]) == ("library/hero.gltf", "library/walk.gltf")
    assert about["clip_file"]["hash"] == files["library/walk.gltf"]["hash"] != about["hash"]
    assert posectl("convert", "library/hero.gltf", "--clips", "library/walk.gltf", "--retarget", "rest", "-o", "has.glb", cwd=people.parent).status == 0
    assert posectl("bake", "has.glb", "-o", "has.npz", "--fps", about["fps"], cwd=people.parent).status == 0
    np.testing.assert_allclose(read(people.parent / "has.npz")["values"], first["values"], atol=2e-3 * A["scale"])


def test_vertices_of_a_sheared_rig_onto_which_clips_are_baked(start, people):
    """A rotated, unevenly scaled root off the origin: tests the vertices that the palettes give."""
    (people / "moves.gltf").write_text(moves())
    run(people, "--onto", "rig.gltf", "--values", "palette", "--include", "moves.gltf", "--fps", "8")
    table = read(people.parent / "out/moves.npz")
    clips = json.loads(table["about"].item())["clips"]
    assert [clip["name"] for clip in clips] == list(CLIPS)
    first = clips[1]["first_frame"]
    server = start(*NO_RENDERING, root=people.parent)
    mesh = server.get("/v1/mesh?model=rig.gltf&clip_file=library/moves.gltf&clip=run&wrap=clamp&rest=1&weights=1&t=" +
                      ",".join(map(repr, table["times"][first:].tolist()))).json()
    rest = np.reshape(mesh["rest"][0], (-1, 3))
    vertices = np.hstack([rest, np.ones((len(rest), 1))])
    for palette, frame in zip(table["values"][first:].astype(float), mesh["frames"], strict=True):
        skinned = [sum(weight * (palette[joint] @ vertex) for joint, weight in zip((i % 3, (i + 1) % 3), (0.25, 0.75)))[:3]
                   for i, vertex in enumerate(vertices)]
        np.testing.assert_allclose(skinned, np.reshape(frame["positions"][0], (-1, 3)), rtol=1e-5, atol=1e-5)


def test_arms_that_the_clips_do_not_move_are_named(people):
    """A rig whose arms have names that nobody knows: the hero's arms stay at rest. Bones that the command line names do not."""
    rig, arms = json.loads(Human(T).write(has_walk=True)), {}
    for role in "leftUpperArm", "leftLowerArm":
        node, = [node for node in rig["nodes"] if node.get("name") == T["names"][role]]
        arms[role] = node["name"] = "strange" + role[4:]
    (people / "strange.gltf").write_text(json.dumps(rig))
    onto = ["--onto", "library/hero.gltf", "--retarget", "rest", "--include", "strange.gltf"]

    def said(*more):
        run(people, *onto, *more)
        return [w["message"] for w in index(people.parent / "out")[1]["library/strange.gltf"]["warnings"] if w["code"] == "bones_at_rest"]
    assert said() == ["no joints of the clips' file are known as these bones, which stay at rest in the model: leftUpperArm, leftLowerArm; "
                      "--clip-bones ROLE=JOINT names them"]
    assert said("--clip-bones", f"leftUpperArm={arms['leftUpperArm']}", "--clip-bones", f"leftLowerArm={arms['leftLowerArm']}") == []
    assert run(people, *onto[:4], "--include", "walk.gltf")["made"] == 1
    assert "bones_at_rest" not in json.dumps(index(people.parent / "out")[1]["library/walk.gltf"])


def test_files_that_fail_for_one_reason_are_one_line(people):
    """The message names the file, whose names differ."""
    (people / "hands.gltf").write_text(moves(STIFF, rig=EVEN))
    (people / "more of 'them'.gltf").write_text(moves(STIFF, rig=EVEN))
    done = posectl("bake", "library", "-o", "out", "--onto", "library/hero.gltf", "--retarget", "rest", cwd=people.parent)
    failed = [line for line in done.out.splitlines() if line.startswith("failed  ")]
    assert done.status == 1 and len(failed) == 2, done.out
    assert failed[0].startswith("failed  2 models, library/hands.gltf among them  humanoid_incomplete: 'library/hands.gltf': leftUpperLeg, "), failed


def test_a_changed_target_or_map_bakes_again(people):
    walks = ["--include", "walk.gltf", "--include", "stroll.gltf"]
    onto = ["--onto", "library/hero.gltf", "--retarget", "rest", *walks]
    assert run(people, *onto)["made"] == 2 and run(people, *onto)["unchanged"] == 2
    before = tables(people.parent / "out")
    (people.parent / "bones.json").write_text(json.dumps({"leftLowerArm": "-"}))
    for more in ["--clip-map", "./bones.json"], ["--feet", "lock"]:
        assert run(people, *onto, *more)["made"] == 2 and run(people, *onto, *more)["made"] == 0
        assert tables(people.parent / "out")["walk.npz"][1] != before["walk.npz"][1], more
    assert run(people, *onto)["made"] == 2 and tables(people.parent / "out")["walk.npz"][1] == before["walk.npz"][1]
    (people / "hero.gltf").write_text(Human({**A, "arm": 80}).write())
    assert run(people, *onto)["made"] == 2
    assert tables(people.parent / "out")["walk.npz"][1] != before["walk.npz"][1]


def test_what_the_reader_says_of_the_motion_is_a_warning(library):
    """A file that ends too early is baked as far as it goes. What does not concern the motion is not told."""
    (library / "walks/cut.bvh").write_text(bvh().replace("Frames: 5", "Frames: 9"))
    bare = json.loads(moves(STIFF, rig=EVEN))
    bare.update(extensionsUsed=["EXAMPLE_unknown"])
    (library / "others/bare.gltf").write_text(json.dumps(bare))
    says = {"code": "frame_count_differs", "message": "the file says that it has 9 frames, but it has 5"}
    done = posectl("bake", "library", "-o", "out", "--include", "cut.bvh", "--include", "bare.gltf", cwd=library.parent)
    assert done.status == 0 and done.out.splitlines()[0] == f"warning  library/walks/cut.bvh  {says['code']}: {says['message']}", done.out
    files = index(library.parent / "out")[1]
    assert files["library/walks/cut.bvh"]["warnings"] == [says] and files["library/others/bare.gltf"]["warnings"] == []
    assert posectl("info", "library/others/bare.gltf", cwd=library.parent).out.count("extension_ignored") == 1
    alone = posectl("bake", "library/walks/cut.bvh", "-o", "x.npz", "--json", cwd=library.parent)
    assert json.loads(alone.out)["warnings"] == [says] and f"warning: {says['code']}: {says['message']}\n" in alone.err
    run(library, "--include", "cut.bvh", "--onto", "library/walks/one.bvh")
    assert index(library.parent / "out")[1]["library/walks/cut.bvh"]["warnings"] == [says]


def test_what_the_server_says_of_clips_on_the_model_is_a_warning(people):
    (people / "moves.gltf").write_text(moves())
    rig = json.loads(character())
    rig["nodes"][2]["name"] = "shin"
    (people.parent / "other.gltf").write_text(json.dumps(rig))
    done = posectl("bake", "library", "-o", "out", "--onto", "other.gltf", "--values", "matrix", "--include", "moves.gltf", cwd=people.parent)
    assert done.status == 0 and done.out.startswith("warning  library/moves.gltf  unmatched: 1 node with keys has no partner: knee\n"), done.out
    assert index(people.parent / "out")[1]["library/moves.gltf"]["warnings"] == [
        {"code": "unmatched", "message": "1 node with keys has no partner: knee"}]
    alone = posectl("bake", "library/moves.gltf", "-o", "x.npz", "--onto", "other.gltf", "--values", "matrix", cwd=people.parent)
    assert alone.status == 0 and "warning: unmatched: 1 node with keys has no partner: knee\n" in alone.err
    renamed = posectl("bake", "library", "-o", "out", "--onto", "other.gltf", "--values", "matrix", "--include", "moves.gltf",
                      "--rename-joints", "knee=shin", cwd=people.parent)
    assert renamed.status == 0 and "warning" not in renamed.out


def test_another_server_bakes_what_lies_under_its_root(people):
    server = Server(people.parent, *NO_RENDERING, "--tcp", "127.0.0.1:0")
    there = ["--server", server.ports["tcp"], "--onto", "library/hero.gltf", "--retarget", "rest", "--include", "*walk*"]
    try:
        assert run(people, *there, what=("library/",))["made"] == 1
        assert run(people, *there, what=("library/",))["unchanged"] == 1
        assert run(people, *there, what=("library",))["unchanged"] == 1  # a name without an extension is no model's
        done = posectl("bake", "library", "-o", "out2/", *there[:6], cwd=people.parent)
        assert (done.status, done.err) == (1, "") and (people.parent / "out2/walk.npz").exists()
        done = posectl("info", "library", *there[:2], cwd=people.parent)
        assert done.status == 2 and done.err.startswith("posectl: 'library' is not a model; only thumbs, "), done.err
    finally:
        server.end()


# --- runs that stop ---

@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_a_run_that_is_stopped_is_completed_by_the_next(tmp_path, number):
    (tmp_path / "library").mkdir()
    for i in range(80):
        (tmp_path / f"library/{i:03}.bvh").write_text(bvh(frames=400, step=i))
    out = tmp_path / "out"
    running = begin("bake", "library", "-o", "out", "-j", "2", "--json", cwd=tmp_path)
    wait_until(lambda: running.poll() is not None or len(list(out.glob("*.npz"))) >= 4, "no files")
    server, = children(running.pid)
    running.send_signal(number)
    stdout, _ = running.communicate(timeout=PATIENCE_S)
    before = tables(out)  # each is complete
    assert 4 <= len(before) < 80, "it was not stopped"
    if number == signal.SIGINT:
        report = json.loads(stdout)
        assert running.returncode == 130 and report["interrupted"] and report["failed"] == []
        assert {file["file"] for file in index(out)[0]["files"]} == set(before)
    with open(out / ".posectl/bake.jsonl", "a") as journal:
        journal.write('{"model":"library/079.bvh","ha')  # and an incomplete line
    done = json.loads(posectl("bake", "library", "-o", "out", "--json", cwd=tmp_path).out)
    after = tables(out)
    assert len(after) == 80 == len(index(out)[0]["files"]) and done["made"] + done["unchanged"] == 80
    assert done["unchanged"] >= len(before) - 2  # those that were written at the end
    assert sorted(p.name for p in (out / ".posectl").iterdir()) == ["bake.jsonl", "lock"]
    wait_until(lambda: not is_running(server), "the server of the stopped run lives on")


def test_an_interrupt_within_a_long_file_is_no_failure(tmp_path):
    (tmp_path / "library").mkdir()
    (tmp_path / "library/long.bvh").write_text(bvh(frames=15000))
    running = begin("bake", "library", "-o", "out", "--fps", "1000", "--json", cwd=tmp_path)
    wait_until(lambda: (tmp_path / "out/.posectl/bake.jsonl").exists(), "it did not begin")
    time.sleep(0.7)  # 750,000 frames take longer than this
    running.send_signal(signal.SIGINT)
    stdout, _ = running.communicate(timeout=PATIENCE_S)
    report = json.loads(stdout)
    assert (running.returncode, report["interrupted"], report["failed"], report["made"]) == (130, True, [], 0)
    assert not list((tmp_path / "out").glob("*.npz")) and index(tmp_path / "out")[0]["files"] == []


def test_the_index_is_utf_8_whatever_files_are_called(tmp_path):
    (tmp_path / "library").mkdir()
    shutil.copy(SAMPLES / "robot.glb", os.fsencode(tmp_path / "library") + b"/\xff.glb")
    done = posectl("bake", "library", "-o", "out", cwd=tmp_path)
    (file,) = json.loads((tmp_path / "out/index.json").read_bytes().decode())["files"]
    assert done.status == 1 and file["model"].endswith("\ufffd.glb") and "error" in file, (done.out, file)
