"""tests/run.py and tests/times.py: suites are counted, run at the same time, and leave a table of times."""
import pathlib
import subprocess
import sys

import pytest

TOP = pathlib.Path(__file__).resolve().parents[3]
JUNIT = """<testsuites><testsuite name="pytest">
<testcase classname="tests.api.a" file="tests/api/a.py" name="test_one[x-1]" time="1.5"/>
<testcase classname="tests.api.a" file="tests/api/a.py" name="test_two" time="0.25"><failure message="no">no</failure></testcase>
<testcase classname="tests.api.b" name="test_three" time="3"><skipped/></testcase>
</testsuite></testsuites>"""


def run(folder, *suites):
    done = subprocess.run([sys.executable, TOP / "tests/run.py", "--log", folder, *suites], capture_output=True, text=True)
    assert not done.stderr, done.stderr
    return done.returncode, done.stdout.splitlines()


def table(folder):
    """The rows of times.tsv, without its head, by kind."""
    head, *lines = (folder / "times.tsv").read_text(encoding="utf-8").splitlines()
    assert head.split("\t") == ["kind", "suite", "file", "test", "seconds", "processor_s", "result"]
    rows = [line.split("\t") for line in lines]
    return {kind: [row[1:] for row in rows if row[0] == kind] for kind in ("run", "suite", "file", "test")}


@pytest.mark.parametrize("kind, command, last, status", [
    ("total", "echo 5 passed, 1 failed, 2 skipped; echo 4 passed, 0 failed, 1 skipped", "4 passed, 0 failed, 1 skipped", 0),
    ("total", "echo 4 passed, 2 failed, 0 skipped; false", "4 passed, 2 failed, 0 skipped", 1),
    ("total", "echo 4 passed, 0 failed, 0 skipped; false", "4 passed, 1 failed, 0 skipped", 1),
    ("total", "echo nothing", "0 passed, 1 failed, 0 skipped", 1),
    ("one", "kill -9 $$", "0 passed, 1 failed, 0 skipped", 1),
    ("cmocka", "echo '[  PASSED  ] 3 test(s).'; kill -SEGV $$", "0 passed, 1 failed, 0 skipped", 1)])
def test_what_suites_say_is_counted(tmp_path, kind, command, last, status):
    ended, lines = run(tmp_path, f"soak={kind}:{command}")
    assert (lines[-1], ended) == (last, status)


def test_suites_run_beside_each_other_and_are_shown_one_after_the_other(tmp_path):
    """Each of two suites waits until the other has begun. Their outputs do not mix."""
    meet = "echo {0} begins; touch {1}/{0}; until [ -e {1}/{2} ]; do sleep 0.02; done; echo {0} ends"
    first, second = (meet.format(*names) for names in (("a", tmp_path, "b"), ("b", tmp_path, "a")))
    status, lines = run(tmp_path, "--slots", "2", f"first=one:{first}", f"second=one:{second}")
    assert status == 0 and lines[-1] == "2 passed, 0 failed, 0 skipped"
    shown = [line for line in lines if line.endswith(("begins", "ends"))]
    assert shown in (["a begins", "a ends", "b begins", "b ends"], ["b begins", "b ends", "a begins", "a ends"])


def test_a_stage_begins_when_all_before_it_have_ended(tmp_path):
    order = [f"{name}=one:echo {name} >> {tmp_path}/order" for name in "abc"]
    assert run(tmp_path, "--slots", "3", order[0], order[1], "then", order[2])[0] == 0
    ran = (tmp_path / "order").read_text(encoding="utf-8").split()
    assert sorted(ran[:2]) == ["a", "b"] and ran[2:] == ["c"]


def test_a_suite_is_no_part_of_the_make_that_runs_it(tmp_path, monkeypatch):
    monkeypatch.setenv("MAKEFLAGS", "n -j1")
    monkeypatch.setenv("MAKELEVEL", "1")
    assert run(tmp_path, "make=one:test -z \"$MAKEFLAGS$MAKELEVEL\"")[0] == 0


def test_each_suite_file_and_test_is_in_the_table_of_times(tmp_path):
    (tmp_path / "report").write_text(JUNIT, encoding="utf-8")
    unit = "; ".join(f"echo '{line}'" for line in (
        "[ RUN      ] hit_scene_volumes_are_where_their_joints_are", "[       OK ] hit_scene_volumes_are_where_their_joints_are", "[ RUN      ] broken", "[  FAILED  ] broken",
        "[==========] unit: 2 test(s) run.", "[  FAILED  ] unit: 1 test(s), listed below:", "[  FAILED  ] broken"))
    status, lines = run(tmp_path, f"api=pytest:cp {tmp_path}/report $POSED_TIMES_XML; echo 1 passed, 1 failed, 1 skipped; false",
                        f"unit=cmocka:{unit}", "replay=replay:echo replay ply: 7 inputs in 2.25 s")
    assert status == 1 and lines[-1] == "9 passed, 2 failed, 1 skipped"
    rows = table(tmp_path)
    assert [row[:3] + row[5:] for row in rows["test"]] == [
        ["api", "tests/api/a.py", "test_one[x-1]", "passed"], ["api", "tests/api/a.py", "test_two", "failed"],
        ["api", "tests/api/b.py", "test_three", "skipped"], ["unit", "tests/unit/hits/test_hit_scene.c", "hit_scene_volumes_are_where_their_joints_are", "passed"], ["unit", "", "broken", "failed"],
        ["replay", "tests/fuzz/fuzz_ply.c", "ply", "passed"]]
    assert [row[1:4] + row[5:] for row in rows["file"] if row[0] != "unit"] == [
        ["tests/api/b.py", "", "3.000", "passed"], ["tests/fuzz/fuzz_ply.c", "", "2.250", "passed"], ["tests/api/a.py", "", "1.750", "failed"]]
    assert [(row[0], row[5]) for row in rows["suite"]] == [("api", "failed"), ("unit", "failed"), ("replay", "passed")]
    slow = subprocess.run([sys.executable, TOP / "tests/times.py", tmp_path / "times.tsv", "1"], capture_output=True, text=True, check=True).stdout
    assert "1 slowest of 6 tests" in slow and "    3.00  api tests/api/b.py test_three\n" in slow
    assert "idle" in slow.splitlines()[-1] and "processors" in slow.splitlines()[-1]


def test_without_a_run_there_are_no_times(tmp_path):
    done = subprocess.run([sys.executable, TOP / "tests/times.py", tmp_path / "times.tsv"], capture_output=True, text=True)
    assert done.returncode == 1 and "make test" in done.stderr
