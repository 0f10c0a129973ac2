"""posectl dataset: the samples and their lists, what is not drawn again, and what a stopped run leaves."""
import hashlib
import json
import os
import re
import shutil
import signal
import xml.etree.ElementTree

import numpy as np
import pytest

from conftest import PATIENCE_S, SAMPLES, wait_until
from posectl import begin, children, is_running, pass_folder, png_size, posectl
from rigs import CLIPS, character, limb

pytestmark = pytest.mark.skipif("POSED_SERVER" in os.environ or not SAMPLES.is_dir(), reason="starts servers of its own, on the samples")

OBJ = "v 4 -1 2\nv 6 -1 2\nv 4 2 3\nvn 0 0 1\nf 1//1 2//1 3//1\n"


@pytest.fixture
def zoo(tmp_path):
    """Three models of three formats in a tree, and a broken one."""
    folder = tmp_path / "zoo"
    (folder / "rigs").mkdir(parents=True)
    shutil.copy(SAMPLES / "robot.glb", folder)
    (folder / "rigs/moves.gltf").write_text(character(CLIPS))
    (folder / "rigs/card.obj").write_text(OBJ)
    (folder / "rigs/junk.fbx").write_bytes(b"no model at all")
    return folder


def run(zoo, *options, **more):
    return pass_folder("dataset", zoo, "--size", "24", *options, **{"status": 1, **more})


def files(out):
    """{name: bytes} of all that a reader of the set sees."""
    return {str(path.relative_to(out)): path.read_bytes() for path in out.rglob("*") if path.is_file() and ".posectl" not in path.parts}


def lines(out):
    return [json.loads(line) for line in (out / "manifest.jsonl").read_text().splitlines()]


def cameras(out, name):
    return json.loads((out / name / "cameras.json").read_text())


SMALL = ("--frames", "2", "--orbit", "2:0,40", "--lights", "studio,flat")


@pytest.mark.short
def test_each_moment_by_each_camera_in_each_light_is_a_sample(zoo):
    out = zoo.parent / "out"
    report = run(zoo, *SMALL)
    assert (report["models"], report["made"], report["manifest"]) == (4, 3, "out/manifest.jsonl")
    assert [(f["model"], f["code"]) for f in report["failed"]] == [("zoo/rigs/junk.fbx", "not_a_model")]
    found = lines(out)
    views = 4 * 2
    of = {model: [line for line in found if line["model"] == f"zoo/{model}"] for model in ("robot.glb", "rigs/moves.gltf", "rigs/card.obj")}
    assert {model: len(these) for model, these in of.items()} == {
        "robot.glb": 3 * 2 * views, "rigs/moves.gltf": len(CLIPS) * 2 * views, "rigs/card.obj": views}
    assert [line["model"] for line in found] == sorted(line["model"] for line in found)
    walk = of["robot.glb"][:2 * views]
    assert [(line["clip"]["name"], line["camera"], line["light"]) for line in walk] == [
        ("walk", camera, light) for _ in range(2) for camera in range(4) for light in ("studio", "flat")]
    duration = walk[0]["clip"]["duration"]
    assert [line["time"] for line in walk[::views]] == pytest.approx([0, duration / 2])
    assert {line["clip"] for line in of["rigs/card.obj"]} == {None}
    for line in found:
        for file in line, line["arrays"]:
            data = (out / file["file"]).read_bytes()
            assert (len(data), hashlib.sha256(data).hexdigest()) == (file["bytes"], file["sha256"])
        assert png_size(out / line["file"]) == (line["width"], line["height"]) == (24, 24)
        with np.load(out / line["arrays"]["file"]) as arrays:
            assert set(arrays) >= {"depth", "normal", "node", "mesh", "joint"} and "color" not in arrays
            assert arrays["depth"].shape == (24, 24)
        assert re.fullmatch(r".+/\d{6}\.png", line["file"])
    kept = {line["file"] for line in found} | {line["arrays"]["file"] for line in found}
    assert set(files(out)) == kept | {"manifest.jsonl"} | {f"{name}/cameras.json" for name in of}


@pytest.mark.parametrize("name, pose, moments", [("limb.gltf", ["--turn", "lower:20,0,60"], 1), ("robot.glb", ["--exposure", "0"], 9)])
def test_vertices_are_where_cameras_json_says(zoo, name, pose, moments):
    """The vertices of /v1/mesh, by the camera of cameras.json, enclose the pixels of the arrays and their depth. The limb is a bent tube,
    rotated, unevenly scaled and off the origin."""
    out, pixels = zoo.parent / "out", 0
    (zoo / "limb.gltf").write_text(limb())
    run(zoo, "--include", name, "--frames", "3", "--orbit", "3:-20,50", "--size", "96", *pose, status=0)
    listed, found = cameras(out, name), lines(out)
    assert [entry["file"] for entry in listed] == [line["file"].rsplit("/", 1)[1] for line in found] and len(listed) == 6 * moments
    for entry, line in list(zip(listed, found))[::5]:
        assert (entry["clip"], entry["time"], entry["width"], entry["height"]) == (line["clip"], line["time"], 96, 96)
        clip = ["--clip", str(line["clip"]["index"]) if line["clip"] else "-", "--t", repr(line["time"])]
        mesh = json.loads(posectl("mesh", f"zoo/{name}", *clip, *(pose if "--turn" in pose else []), "--json", cwd=zoo.parent).out)
        points = np.concatenate([np.reshape(part, (-1, 3)) for part in mesh["frames"][0]["positions"]])
        camera, places = entry["camera"], {}
        for convention, sign in ("opencv", 1), ("opengl", -1):
            matrix = np.reshape(camera["camera_from_scene"][convention], (4, 4)).T
            x, y, z = (points @ matrix[:3, :3].T + matrix[:3, 3]).T * [[1], [sign], [sign]]
            places[convention] = np.array([camera["fx"] * x / z + camera["cx"], camera["fy"] * y / z + camera["cy"], z])
        assert np.allclose(places["opencv"], places["opengl"])
        x, y, z = places["opencv"]
        with np.load(out / line["arrays"]["file"]) as arrays:
            depth, rows, columns = arrays["depth"], *np.nonzero(arrays["node"] >= 0)
            assert np.array_equal(arrays["camera_from_scene_opencv"], np.reshape(camera["camera_from_scene"]["opencv"], (4, 4)).T)
        for shown, points in (columns + .5, x), (rows + .5, y):
            assert 0 <= shown.min() - points.min() < 1.5 and 0 <= points.max() - shown.max() < 1.5
        near, far = depth[rows, columns].min(), depth[rows, columns].max()
        assert z.min() * (1 - 1e-5) <= near < z.min() + .1 * (z.max() - z.min()) and far <= z.max() * (1 + 1e-5)
        pixels += len(rows)
    assert pixels > 500 * moments


def test_a_list_of_cameras_may_be_that_of_a_set(zoo):
    """The same cameras make the same pictures to the last bit; a word is a side of the model."""
    out = zoo.parent / "out"
    only = ("--include", "robot.glb", "--clips", "wave", "--t", "0.25")
    run(zoo, *only, "--orbit", "2:10", status=0)
    first = files(out)
    (zoo.parent / "own.json").write_text(json.dumps([cameras(out, "robot.glb")[1], cameras(out, "robot.glb")[0]["camera"], "top"]))
    run(zoo, *only, "--cameras", "own.json", status=0)
    second = files(out)
    for name in "png", "npz":
        assert second[f"robot.glb/000000.{name}"] == first[f"robot.glb/000001.{name}"] != first[f"robot.glb/000000.{name}"]
        assert second[f"robot.glb/000001.{name}"] == first[f"robot.glb/000000.{name}"]
        assert f"robot.glb/000002.{name}" in second and second[f"robot.glb/000002.{name}"] not in first.values()


@pytest.mark.short
def test_what_is_unchanged_is_not_drawn_again_and_other_options_are(zoo):
    out = zoo.parent / "out"
    run(zoo, *SMALL)
    before = {name: (out / name).stat().st_mtime_ns for name in files(out)}
    second = run(zoo, *SMALL)
    assert (second["made"], second["unchanged"], second["outputs"]) == (0, 3, 0)
    assert {name: (out / name).stat().st_mtime_ns for name in files(out)} == before
    (zoo / "rigs/card.obj").write_text(OBJ.replace("6", "7"))
    assert run(zoo, *SMALL)["made"] == 1
    (out / "robot.glb/000003.npz").unlink()
    (out / "rigs/moves.gltf/cameras.json").write_text("[]")
    assert run(zoo, *SMALL)["made"] == 2
    for option in ["--passes", "none"], ["--lights", "flat"], ["--orbit", "3"], ["--frames", "1"], ["--rate", "3"], ["--clips", "first"]:
        kept = [word for k in range(0, len(SMALL), 2) for word in SMALL[k:k + 2]
                if SMALL[k] != option[0] and not (option[0] == "--rate" and SMALL[k] == "--frames")]
        assert run(zoo, *kept, *option)["made"] == 3 and run(zoo, *kept, *option)["made"] == 0
        named = {line["file"] for line in lines(out)} | {line["arrays"]["file"] for line in lines(out) if "arrays" in line}
        assert {name for name in files(out) if name.endswith((".png", ".npz"))} == named  # nothing of other options is left
    (zoo / "rigs/card.obj").unlink()
    run(zoo, "--prune", *SMALL)
    assert not (out / "rigs/card.obj").exists() and not [line for line in lines(out) if "card" in line["model"]]


def test_parts_and_jobs_give_the_same_files(zoo):
    whole = zoo.parent / "whole"
    run(zoo, *SMALL, "--jobs", "1", out="whole")
    expected = files(whole)
    run(zoo, *SMALL, "--jobs", "8", out="many")
    assert files(zoo.parent / "many") == expected
    parts = []
    for number in 1, 2, 3:
        done = posectl("dataset", "zoo", "-o", f"part{number}", "--size", "24", *SMALL, "--shard", f"{number}/3", "--json", cwd=zoo.parent)
        assert done.status in (0, 1), done.err
        parts.append(files(zoo.parent / f"part{number}"))
        parts[-1]["manifest.jsonl"] = parts[-1].get("manifest.jsonl", b"")
    named = [set(part) - {"manifest.jsonl"} for part in parts]
    assert sum(map(len, named)) == len(set().union(*named)) == len(expected) - 1
    together = {name: data for part in parts for name, data in part.items()}
    together["manifest.jsonl"] = b"".join(sorted((line for part in parts for line in part["manifest.jsonl"].splitlines(True)),
                                                 key=lambda line: (json.loads(line)["model"], json.loads(line)["file"])))
    assert together == expected


def stop_half_way(zoo, how, least, *options):
    """A run in which at least so many pictures were written before the signal."""
    out = zoo.parent / "out"
    process = begin("dataset", "zoo", "-o", "out", "--size", "24", *options, cwd=zoo.parent)
    wait_until(lambda: len(list(out.rglob("*.png"))) >= least or process.poll() is not None)
    servers = children(process.pid)
    process.send_signal(how)
    process.communicate(timeout=PATIENCE_S)
    wait_until(lambda: not any(map(is_running, servers)))
    return process.returncode


@pytest.mark.parametrize("how, status", [(signal.SIGINT, 130), (signal.SIGKILL, -signal.SIGKILL)])
def test_a_stopped_run_is_continued_within_a_model(zoo, how, status):
    out = zoo.parent / "out"
    options = ("--include", "robot.glb", "--frames", "12", "--orbit", "4", "--jobs", "1")
    run(zoo, *options, status=0, out="whole")
    expected = files(zoo.parent / "whole")
    total = sum(name.endswith(".png") for name in expected)
    assert stop_half_way(zoo, how, 40, *options) == status
    left = files(out)
    assert 40 <= sum(name.endswith(".png") for name in left) < total and all(left[name] == expected[name] for name in left if "/" in name)
    assert (out / "manifest.jsonl").exists() == (how == signal.SIGINT) and not left.get("manifest.jsonl")
    kept = {name: (out / name).stat().st_mtime_ns for name in left}
    report = run(zoo, *options, status=0)
    again = [name for name in left if (out / name).stat().st_mtime_ns != kept[name]]
    assert files(out) == expected and report["made"] == 1
    # After SIGINT nothing is drawn twice; after SIGKILL at most what the journal did not have yet.
    assert len([name for name in again if name.endswith(".png")]) <= (1 if how == signal.SIGINT else 20)
    assert report["outputs"] < len(expected) - 40


def test_a_stopped_run_with_other_options_leaves_nothing_behind(zoo):
    out = zoo.parent / "out"
    more = ("--include", "robot.glb", "--frames", "20", "--orbit", "4", "--jobs", "1")
    assert stop_half_way(zoo, signal.SIGKILL, 60, *more) == -signal.SIGKILL
    few = ("--include", "robot.glb", "--frames", "1", "--orbit", "2", "--passes", "none")
    run(zoo, *few, status=0)
    assert set(files(out)) == {f"robot.glb/{k:06}.png" for k in range(6)} | {"robot.glb/cameras.json", "manifest.jsonl"}
    run(zoo, *few, status=0, out="fresh")
    assert files(out) == files(zoo.parent / "fresh")


def test_what_shows_nothing_is_told(zoo):
    """A card seen from behind is an empty sample; a model that no camera sees is a failure, and leaves no file."""
    only = ("--include", "card.obj", "--orbit", "2:0")
    run(zoo, *only, status=0)
    out = zoo.parent / "out"
    emptiness = [line.get("empty", False) for line in lines(out)]
    with np.load(out / lines(out)[emptiness.index(False)]["arrays"]["file"]) as arrays:
        assert (arrays["node"] >= 0).any()
    (zoo / "nothing.gltf").write_text(json.dumps(
        {"asset": {"version": "2.0"}, "nodes": [{"name": "a"}], "scenes": [{"nodes": [0]}], "scene": 0}))
    report = run(zoo, "--include", "nothing.gltf", "--orbit", "2:0")
    assert [(f["model"], f["code"]) for f in report["failed"]] == [("zoo/nothing.gltf", "nothing_to_draw")]
    assert not (out / "nothing.gltf").exists()


def test_motion_leads_to_the_next_moment(zoo):
    out = zoo.parent / "out"
    only = ("--include", "robot.glb", "--clips", "walk", "--passes", "motion,position")
    run(zoo, *only, "--rate", "10", status=0)
    first = lines(out)[0]
    posectl("render", "zoo/robot.glb", "--clip", "walk", "--t", "0", "--t2", "0.1", "--passes", "motion,position", "--width", "24",
            "--height", "24", "-o", "one.npz", cwd=zoo.parent)
    assert (zoo.parent / "one.npz").read_bytes() == (out / first["arrays"]["file"]).read_bytes()
    assert [line["time"] for line in lines(out)] == pytest.approx([k / 10 for k in range(len(lines(out)))], abs=1e-6)
    with np.load(out / first["arrays"]["file"]) as arrays:
        assert np.abs(arrays["motion"]).max() > .1
    done = posectl("dataset", "zoo", "-o", "out", *only, cwd=zoo.parent)
    assert done.status == 2 and "--passes motion needs the moment after each" in done.err


@pytest.mark.parametrize("options", [["--orbit", "2"], ["--orbit", "2", "--t", "0.4", "--margin", "0.2"], ["--cameras", "own.json", "--clip", "wave"]])
def test_keypoints_are_those_of_the_picture(zoo, options):
    """They have its time and its camera, also where the server picks the time: what is drawn at a visible point is at its depth."""
    out = zoo.parent / "out"
    numbers = {"fx": 60, "fy": 50, "cx": 20, "cy": 30, "convention": "opencv", "camera_from_scene": [1, 0, 0, 0, 0, -1, 0, 0, 0, 0, -1, 0, 0, 1, 5, 1]}
    (zoo.parent / "own.json").write_text(json.dumps([numbers]))
    run(zoo, "--include", "robot.glb", "--keypoints", "all", "--size", "64", *options, status=0)
    found, listed, states = lines(out), cameras(out, "robot.glb"), []
    for line, entry in zip(found, listed, strict=True):
        data = (out / line["keypoints"]["file"]).read_bytes()
        assert hashlib.sha256(data).hexdigest() == line["keypoints"]["sha256"] and entry["keypoints"] == line["keypoints"]["file"].split("/")[1]
        told = json.loads(data)
        frame = told["frames"][0]
        assert (told["width"], told["clip"], frame["time"]) == (64, line["clip"], line["time"]) and len(told["points"]) == 20
        assert frame["camera"]["view_from_scene"] == entry["camera"]["view_from_scene"]
        with np.load(out / line["arrays"]["file"]) as arrays:
            depth = arrays["depth"]
        for pixel, far, state in zip(frame["pixels"], frame["drawn_depths"], frame["states"]):
            if pixel is not None and state != "outside":
                drawn = depth[int(pixel[1]), int(pixel[0])]
                assert (far is None) == np.isinf(drawn)
                assert far is None or abs(far - drawn) < .3
                states.append(state)
    assert len(states) > 15 * len(found)
    done = posectl("dataset", "zoo", "-o", "out", "--include", "robot.glb", "--keypoints", "all", "--size", "64", *options, "--json", cwd=zoo.parent)
    assert json.loads(done.out)["unchanged"] == 1
    run(zoo, "--include", "robot.glb", "--size", "64", *options, status=0)
    assert not list(out.glob("robot.glb/0*.json")) and (out / "robot.glb/cameras.json").exists()


@pytest.mark.parametrize("options, said", [
    (["--orbit", "0"], "--orbit takes SIDES"), (["--orbit", "4:91"], "--orbit takes SIDES"), (["--orbit", "4:"], "--orbit takes SIDES"),
    (["--orbit", "4", "--yaw", "3"], "--orbit and --yaw contradict"), (["--orbit", "4", "--cameras", "x.json"], "--orbit and --cameras contradict"),
    (["--cameras", "none.json"], "there is no file 'none.json'"), (["--cameras", "object.json"], "is no list of 1 to"),
    (["--cameras", "number.json"], "number.json:1: this is no camera"), (["--cameras", "skew.json"], "camera_from_scene"),
    (["--t", "1,x"], "--t takes SECONDS"), (["--t", "1:0:5"], "--t takes SECONDS"), (["--t", "1", "--frames", "2"], "give one of them"),
    (["--clip", "walk", "--frames", "2"], "give the times of --clip as --t"), (["--clip", "walk", "--clips", "w*"], "--clips and --clip contradict"),
    (["--frames", "2", "--from", "0.5"], "counts moments of whole clips"), (["--lights", "studio,,flat"], "--lights takes lights"),
    (["--lights", "moon"], "moon"), (["--passes", "colour"], "colour"), (["--lights", "flat", "--light", "file"], "--lights and --light contradict"),
])
def test_wrong_options_are_told_once_and_write_nothing(zoo, options, said):
    (zoo.parent / "object.json").write_text("{}")
    (zoo.parent / "number.json").write_text("[3]")
    good = {"fx": 20, "fy": 20, "cx": 12, "cy": 12, "convention": "opencv", "camera_from_scene": [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 9, 1]}
    (zoo.parent / "skew.json").write_text(json.dumps([good, {**good, "camera_from_scene": [2] + good["camera_from_scene"][1:]}]))
    done = posectl("dataset", "zoo", "-o", "out", *options, cwd=zoo.parent)
    assert (done.status, done.err.count(said)) == (2, 1), done.err
    if "skew.json" in options:
        assert "that is camera 1 of 'skew.json'" in done.err
    assert not (zoo.parent / "out").exists()


def test_the_report_is_junit_with_a_case_for_each_model(zoo):
    done = posectl("dataset", "zoo", "-o", "out", "--size", "16", "--clips", "walk", "--report", "set.xml", cwd=zoo.parent)
    assert done.status == 1 and re.search(r"4 models: 2 drawn \(6 outputs\), 0 unchanged, 1 failed, 1 without such a clip, in ", done.out), done.out
    cases = {case.get("name"): [child.tag for child in case] for case in xml.etree.ElementTree.parse(zoo.parent / "set.xml").iter("testcase")}
    assert cases == {"zoo/robot.glb": [], "zoo/rigs/card.obj": [], "zoo/rigs/junk.fbx": ["failure"], "zoo/rigs/moves.gltf": ["skipped"]}
    assert posectl("dataset", "zoo", cwd=zoo.parent).status == 2
