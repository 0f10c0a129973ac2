"""The table of `make check`, tests/areas.txt, compared with the existing folders and tests."""
import os
import pathlib
import subprocess
import sys

import pytest

TOP = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(TOP / "tests"))
import areas  # noqa: E402
import check  # noqa: E402

TABLE = areas.rows()
WORDS = set(areas.markers()) | {"short"}


def folders():
    """Folders of server/, clients/ and tests/ to the second level, the others at the top."""
    listed = subprocess.run(["git", "-c", "safe.directory=*", "ls-files"], cwd=TOP, capture_output=True, text=True, check=True).stdout.splitlines()
    paths = [pathlib.PurePath(name).parts[:-1] for name in listed]
    return {"/".join(parts[:depth]) for parts in paths for depth in (1, 2, 3)
            if len(parts) >= depth and depth <= {"server": 3, "clients": 2, "tests": 2}.get(parts[0], 1) and parts[:2] != ("server", "docs")[:depth]}


def test_every_folder_has_a_row():
    found = folders()
    assert len(found) > 60 and {"server/anim/pose", "clients/cli", "protocol", "tests/unit"} <= found
    assert not found - set(TABLE)


def test_every_row_is_of_a_folder():
    assert not [folder for folder in TABLE if not (TOP / folder).is_dir()]


def test_every_marker_is_one_of_some_test():
    unknown = {word for _, expression in TABLE.values() for word in areas.names(expression)} - WORDS
    assert not unknown


def test_every_suite_is_known():
    assert {suite for suites, _ in TABLE.values() for suite in suites} == {"unit", "python"}


@pytest.mark.parametrize("paths, suites, words, collected", [
    (["server/daemon/upload/upload_store.c"], {"unit"}, {"test_uploads", "short"}, "tests/api/models"),
    (["clients/python/posed/client.py"], {"python"}, set(), None),
    (["tests/api/http/test_pages.py"], set(), {"test_pages"}, "tests/api/http/test_pages.py"),
    (["README.md"], set(), {"test_run"}, "tests/api/project/test_run.py"),
    (["server/anim/pose/pose.c", "tests/api/http/test_pages.py"], {"unit"}, {"test_pages", "test_refs"}, "tests/api/answers/test_refs.py"),
])
def test_what_runs_after_a_change(paths, suites, words, collected):
    got_suites, expression, got = areas.of(paths)
    assert got_suites == suites and words <= areas.names(expression)
    assert got == [] if collected is None else collected in got


def git(folder, *arguments):
    done = subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@example.com", *arguments], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done
    return done.stdout.strip()


def test_what_has_changed(tmp_path, monkeypatch):
    monkeypatch.setattr(check, "TOP", tmp_path)
    git(tmp_path, "init", "-q", "-b", "main")
    for name in "kept", "gone", "edited":
        (tmp_path / name).write_text(name)
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-q", "-m", "first")
    first = git(tmp_path, "rev-parse", "HEAD")
    (tmp_path / "gone").unlink()
    (tmp_path / "edited").write_text("anew")
    (tmp_path / "added").write_text("new")
    uncommitted = (["added", "edited"], ["gone"])
    assert check.changed_since(None) == ("HEAD", *uncommitted)
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-q", "-m", "second")
    assert check.changed_since(None) == ("HEAD~1", *uncommitted)
    git(tmp_path, "checkout", "-q", "-b", "work")
    (tmp_path / "third").write_text("third")
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-q", "-m", "third")
    assert check.changed_since(None) == (git(tmp_path, "rev-parse", "main"), ["third"], [])
    assert check.changed_since(first) == (first, ["added", "edited", "third"], ["gone"])
    with pytest.raises(SystemExit, match="nothing"):
        check.changed_since("nothing")


def test_objects_of_another_make_are_built_again(tmp_path):
    objects = tmp_path / "obj"
    objects.mkdir()
    for name, source, at_ns in ("old", "a", 1), ("new", "a", 3), ("other", "b", 3):
        (objects / f"{name}.o").write_text("")
        (objects / f"{name}.d").write_text(f"obj/{name}.o: server/{source}.c \\\n server/base/err.h\n")
        os.utime(objects / f"{name}.o", ns=(at_ns, at_ns))
    (tmp_path / "checked").write_text("")
    os.utime(tmp_path / "checked", ns=(2, 2))
    left = lambda: sorted(path.stem for path in objects.glob("*.o"))
    check.forget_unchecked_objects(tmp_path, ["server/a.c", "README.md"])
    assert left() == ["old", "other"]
    check.forget_unchecked_objects(tmp_path, ["server/base/err.h"])
    assert left() == ["old"]
