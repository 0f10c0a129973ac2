"""make bench: its statistics, its detection of disturbances, its tables and its picture. The measured values are not asserted."""
import importlib
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree

import pytest

BENCH = pathlib.Path(__file__).resolve().parents[2] / "bench"
sys.path.append(str(BENCH))
import bench  # noqa: E402
import chart  # noqa: E402
import pictures  # noqa: E402
import quiet  # noqa: E402
import report  # noqa: E402
import rounds  # noqa: E402
import skeletons  # noqa: E402
import thumbnails  # noqa: E402


def rounds_of(*rows):
    """Rounds of two tasks: rows of (a, b) or (a, b, reason of a)."""
    made = rounds.Rounds()
    for a, b, *reason in rows:
        made.add({"a": (a, list(reason)), "b": (b, [])})
    return made


def test_a_figure_is_the_median_and_half_of_all_rounds():
    figure = rounds_of(*((value, 1) for value in (10, 11, 12, 13, 50))).figure("a", spread_max=1)
    assert (figure.median, figure.spread, figure.is_good) == (12, pytest.approx(2 / 12), True)
    assert figure.times(0.5).median == 6 and figure.times(0.5).spread == figure.spread


def test_a_ratio_is_that_of_each_round():
    """A machine that slows down during a run does not change the ratio."""
    ratio = rounds_of((10, 5), (20, 10), (40, 20), (80, 40), (160, 80)).ratio("a", "b")
    assert (ratio.median, ratio.spread, ratio.disturbed) == (2, 0, [])


def test_disturbed_rounds_do_not_count():
    clean = [(10, 5)] * 5
    assert rounds_of(*clean, (99, 5, "other processes ran")).ratio("a", "b").rounds == [2] * 5
    few = rounds_of(*clean[:4], (99, 5, "other processes ran"))
    assert few.ratio("a", "b").disturbed == ["4 clean rounds of 5", "other processes ran"]
    assert few.figure("a").disturbed and few.figure("b").is_good


def test_rounds_that_differ_are_no_ratio():
    wild = rounds_of((10, 5), (20, 5), (30, 5), (40, 5), (50, 5))
    assert wild.ratio("a", "b").disturbed == ["rounds differ by 67%"]
    assert wild.ratio("a", "b", spread_max=0.7).is_good


def test_what_was_disturbed_is_measured_again():
    reasons, settled = iter([["noise"], [], ["noise"], [], [], [], []]), []
    made = rounds.interleave(lambda task: (task(), next(reasons)), {"a": lambda: 1}, settle=lambda: settled.append(1))
    assert (len(made.rows), made.count_clean(), len(settled)) == (7, 5, 2)


def test_it_gives_up():
    made = rounds.interleave(lambda task: (task(), ["noise"]), {"a": lambda: 1}, wanted=5, again=3)
    assert len(made.rows) == 8 and made.figure("a").disturbed == ["0 clean rounds of 5", "noise"]


@pytest.mark.parametrize("change, reason", [
    ({}, None),
    ({"others_s": 0.1}, "other processes ran"),
    ({"unseen_s": 0.4}, "other processes ran"),
    ({"steal_s": 0.05}, "the hypervisor took time"),
    ({"work": (1.0, 1.3)}, "the processor was slower"),
    ({"work": (1.3, 1.0)}, "the processor was slower"),
    ({"waits": (0.0, 0.1)}, "it waited for a processor"),
])
def test_each_disturbance_has_a_name(change, reason):
    calm = {"seconds": 1.0, "cpus": 2, "others_s": 0.02, "unseen_s": 0.1, "steal_s": 0.0, "work": (1.0, 1.05), "best": 1.0, "waits": (0.0, 0.001)}
    assert quiet.reasons_of(**{**calm, **change}) == ([reason] if reason else [])


def test_processor_time_bears_a_neighbour():
    busy = {"seconds": 1.0, "unseen_s": 0.0, "steal_s": 0.0, "best": 1.0, "waits": (), "is_processor_time": True}
    assert quiet.reasons_of(**busy, cpus=2, others_s=1.0, work=(1.0, 1.05)) == []
    assert quiet.reasons_of(**busy, cpus=2, others_s=1.0, work=(1.0, 1.3)) == ["the processor was slower"]
    assert quiet.reasons_of(**busy, cpus=2, others_s=1.4, work=(1.0, 1.05)) == ["other processes ran"]
    assert quiet.reasons_of(**busy, cpus=1, others_s=0.1, work=(1.0, 1.05)) == ["other processes ran"]


def test_time_of_own_children_is_known():
    before = quiet.totals()[0]
    subprocess.run([sys.executable, "-c", "import time\nwhile time.process_time() < 0.3: pass"], check=True)
    assert quiet.totals()[0] - before >= 0.25


def test_work_of_somebody_else_is_noticed():
    # an orphan is no longer a child of this process
    spin = f"{sys.executable} -c 'while True: pass' >/dev/null & echo $!"
    orphan = int(subprocess.run(["sh", "-c", spin], stdout=subprocess.PIPE, check=True).stdout)
    watcher = quiet.Quiet()
    watcher.patience_s = 0.5
    try:
        _, reasons = watcher.watch(lambda: time.sleep(0.5))
        watcher.settle()  # in vain, but not forever
    finally:
        os.kill(orphan, signal.SIGKILL)
    assert "other processes ran" in reasons and watcher.patience_s <= 0


def line(value, target, theirs=True, disturbed=(), **fields):
    one = lambda number: rounds.Figure(number, 0.02, [number] * 5, list(disturbed))
    return report.Line("serving", "palette", "answers a second", one(value), "redis" if theirs else "", one(2.0) if theirs else None,
                       one(value / 2) if theirs else None, target, headline=True, **fields)


def test_verdicts():
    assert line(1.8, "http_redis").verdict() == "met"
    assert line(1.7, "http_redis").verdict() == "missed"
    assert line(2.9, "memory", is_share=True).verdict() == "met"
    assert line(3.1, "memory", is_share=True).verdict() == "missed"
    assert line(7.0, "pose_ns_per_node", theirs=False).verdict() == "met"
    assert line(9.0, "pose_ns_per_node", theirs=False).verdict() == "missed"
    assert line(9.0, "").verdict() == ""
    assert line(1.8, "http_redis", disturbed=["noise"]).verdict() == "disturbed"


def test_a_disturbed_ratio_is_no_number_anywhere():
    row = line(1.8, "http_redis", disturbed=["noise"]).json()
    assert row["ratio"]["median"] is None and row["ratio"]["disturbed"] == ["noise"]
    text = "\n".join([*report.table("title", [row]), *report.markdown({"lines": [row]})])
    assert "0.9x" in text and "disturbed" in text and not re.search(r"\d+x", text.replace("0.9x", ""))


def a_report():
    rows = [line(1.8, "http_redis"), line(1.7, "http_redis"), line(1.8, "http_redis", disturbed=["noise"]),
            line(2.9, "memory", is_share=True), line(7.0, "pose_ns_per_node", theirs=False)]
    for joints in (24, 1000):
        rows.append(line(100.0 * joints, ""))
        rows[-1].facts = {"model": "rig", "joints": joints, "pattern": "random", "layout": "mat3x4"}
    return {"quick": False, "machine": {"processor": "a <processor>", "processors": 2, "system": "Debian", "kernel": "6"}, "builds": {"commit": "abc"},
            "lines": [row.json() for row in rows]}


def test_the_picture_is_well_formed():
    drawn = xml.etree.ElementTree.fromstring(chart.svg(a_report()))
    words = [one.text for one in drawn.iter("{http://www.w3.org/2000/svg}text")]
    assert any("met" in one for one in words) and any(one.startswith("disturbed") for one in words)
    width = float(drawn.attrib["width"])
    for bar in drawn.iter("{http://www.w3.org/2000/svg}rect"):
        assert bar.attrib["width"].endswith("%") or 0 < float(bar.attrib["x"]) + float(bar.attrib["width"]) < width


def test_readme_takes_the_table_and_nothing_else(tmp_path, monkeypatch):
    readme = tmp_path / "README.md"
    readme.write_text(f"before\n{bench.MARKS[0]}\nold\n{bench.MARKS[1]}\nbehind\n")
    (tmp_path / "bench.json").write_text(json.dumps(a_report()))
    (tmp_path / "bench.svg").write_text("<svg/>")
    monkeypatch.setattr(bench, "README", readme)
    monkeypatch.setattr(bench, "HERE", tmp_path)
    bench.write_readme(tmp_path)
    text = readme.read_text()
    assert text.startswith(f"before\n{bench.MARKS[0]}\n") and text.endswith(f"{bench.MARKS[1]}\nbehind\n")
    assert "old" not in text and "| 50 connections: palette |" in text and bench.PICTURE in text and (tmp_path / "speed.svg").exists()


def test_readme_keeps_the_rest_when_a_part_was_measured_on_its_own(tmp_path, monkeypatch):
    readme = tmp_path / "README.md"
    readme.write_text(f"before\n{bench.MARKS[0]}\nold\n{bench.MARKS[1]}\nbehind\n")
    (tmp_path / "bench.svg").write_text("<svg/>")
    monkeypatch.setattr(bench, "README", readme)
    monkeypatch.setattr(bench, "HERE", tmp_path)
    for part, commit in (("poses", "p1"), ("memory", "m1"), ("poses", "p2")):
        (tmp_path / f"bench-{part}.json").write_text(json.dumps({**a_report(), "builds": {"commit": commit}}))
        bench.write_readme(tmp_path, [part])
    text = readme.read_text()
    assert "\nold\n" in text and text.count("Measured later, on its own.") == 2 and text.endswith(f"{bench.MARKS[1]}\nbehind\n")
    assert "commit m1" in text and "commit p2" in text and "commit p1" not in text
    (tmp_path / "bench.json").write_text(json.dumps(a_report()))
    bench.write_readme(tmp_path)
    assert "Measured later" not in readme.read_text()


def test_the_readme_has_a_place_for_it():
    text = (BENCH / "README.md").read_text()
    assert text.count(bench.MARKS[0]) == 1 and text.index(bench.MARKS[0]) < text.index(bench.MARKS[1])


@pytest.mark.parametrize("name", bench.PARTS)
def test_parts_are_there(name):
    part = importlib.import_module(name)
    assert pathlib.Path(part.__file__).parent == BENCH and part.TITLE and callable(part.run)


def test_every_part_has_a_title():
    assert set(report.TITLES) == set(bench.PARTS)


def test_every_target_is_measured():
    sources = "".join((BENCH / f"{name}.py").read_text() for name in bench.PARTS)
    assert not [name for name in report.TARGETS if f'"{name}"' not in sources]


def test_each_model_of_the_targets_is_drawn_plain_and_full():
    for stem in (pathlib.Path(other).stem for other in thumbnails.OTHERS):
        assert pictures.MODELS[f"{stem} base"] == "thumbnails_base" and pictures.MODELS[f"{stem} full"] == "thumbnails_full"


def test_a_full_model_has_every_texture_of_a_material(tmp_path):
    path = tmp_path / "two.gltf"
    path.write_text(json.dumps({"materials": [{"pbrMetallicRoughness": {"baseColorTexture": {"index": 3}}}, {"extensions": {}}]}))
    assert thumbnails.make_full(path) == "full.gltf"
    materials = json.loads((tmp_path / "full.gltf").read_text())["materials"]
    for material, index in zip(materials, (3, 0), strict=True):
        own = material["pbrMetallicRoughness"]
        places = [material[name] for name in ("normalTexture", "occlusionTexture", "emissiveTexture")]
        assert [*places, own["baseColorTexture"], own["metallicRoughnessTexture"]] == [{"index": index}] * 5 and "extensions" not in material


def test_an_unknown_part_is_named():
    done = subprocess.run([sys.executable, BENCH / "bench.py", "posse"], capture_output=True, text=True, check=False)
    assert done.returncode == 2 and "no part 'posse'; there are poses," in done.stderr


@pytest.mark.parametrize("joints", [1, 24, 1000])
def test_made_skeletons_are_models(tmp_path, joints):
    (tmp_path / "rig.glb").write_bytes(skeletons.glb(joints))
    server = bench.peers.conftest.Server(tmp_path, "--render-workers", "0")
    try:
        model = server.json("/v1/model", model="rig.glb")
        assert len(model["skins"][0]["joints"]) == joints and not model["warnings"]
        first, later = (server.json("/v1/palette", model="rig.glb", clip=0, t=t)["frames"][0]["palettes"][0] for t in (0, 0.7))
        assert all(a != b for a, b in zip(first, later))
    finally:
        server.end()


def test_time_of_adopted_orphans_is_known():
    program = ("import subprocess, sys, time\n"
               "sys.path.append(sys.argv[1])\n"
               "import quiet\n"
               "quiet.adopt_orphans()\n"
               "before = quiet.totals()[0]\n"
               "spin = 'import time\\nwhile time.process_time() < 0.4: pass\\nprint()'\n"
               "subprocess.run(['sh', '-c', f'{sys.executable} -c \"{spin}\" & exit'], check=True, stdout=subprocess.PIPE)\n"
               "print(quiet.totals()[0] - before)\n")
    done = subprocess.run([sys.executable, "-c", program, BENCH], stdout=subprocess.PIPE, text=True, check=True)
    assert float(done.stdout) >= 0.35
