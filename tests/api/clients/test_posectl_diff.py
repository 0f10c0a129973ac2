"""posectl diff: files, folders, revisions of git, the four formats of the report, and the exit status."""
import base64
import json
import os
import struct
import subprocess
import xml.etree.ElementTree

import pytest

from conftest import is_sanitized
from posectl import posectl
from rigs import CLIPS, HALF, RIG, Writer
from stand_ins import stand_in_library

pytestmark = [pytest.mark.short, pytest.mark.skipif("POSED_SERVER" in os.environ, reason="starts servers of its own")]
TURNED = {**CLIPS, "run": {**CLIPS["run"], ("hip", "rotation"): [[0, 0, 0, 1], [0.1, HALF, 0, HALF]]}}


def rig(clips=CLIPS, name="knee"):
    """A glTF file with its buffer inside."""
    writer = Writer()
    names = ["root", "hip", "knee", "toe"]
    writer.rig(names, RIG)
    writer.skin()
    writer.clips(clips)
    writer.document["nodes"][2]["name"] = name
    return writer.text()


def glb(text):
    """The same as a GLB file with its buffer inside."""
    document = json.loads(text)
    data = base64.b64decode(document["buffers"][0].pop("uri").split(",")[1])
    head = json.dumps(document).encode()
    head += b" " * (-len(head) % 4)
    data += b"\0" * (-len(data) % 4)
    return (struct.pack("<4sII", b"glTF", 2, 28 + len(head) + len(data)) + struct.pack("<I4s", len(head), b"JSON") + head +
            struct.pack("<I4s", len(data), b"BIN\0") + data)


def write(folder, files):
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder


@pytest.fixture
def folders(tmp_path):
    write(tmp_path / "old", {"a.gltf": rig(), "sub/b.gltf": rig(), "gone.gltf": rig(), "bad.gltf": "no model", "as.gltf": rig(), "same.glb": glb(rig())})
    write(tmp_path / "new", {"a.gltf": rig(TURNED), "sub/b.gltf": rig(), "come.gltf": rig(), "bad.gltf": "no model", "as.glb": glb(rig()), "same.glb": glb(rig())})
    return tmp_path


def test_two_files(folders):
    same = posectl("diff", "old/sub/b.gltf", "new/sub/b.gltf", cwd=folders)
    assert (same.status, same.out) == (0, "1 model: 1 equal, 0 different\n"), same.err
    other = posectl("diff", "old/a.gltf", "new/a.gltf", cwd=folders)
    assert other.status == 1 and "pose" in other.out and "joint 'hip'" in other.out and "at 0.5 s" in other.out
    assert posectl("diff", "old/a.gltf", "new/a.gltf", "--tolerance", "1", cwd=folders).status == 0
    refused = posectl("diff", "old/a.gltf", "new/a.gltf", "--tolerance", "5%", cwd=folders)
    assert refused.status == 2 and "tolerance" in refused.out + refused.err
    assert posectl("diff", "old/a.gltf", "new/a.gltf", "--clip", "stand", cwd=folders).status == 0


def test_two_folders(folders):
    done = posectl("diff", "old", "new", "--json", cwd=folders)
    report = json.loads(done.out)
    assert done.status == 1
    assert [(model["model"], model["state"]) for model in report["models"]] == [
        ("a.gltf", "different"), ("as.glb", "equal"), ("bad.gltf", "failed"), ("come.gltf", "added"), ("gone.gltf", "removed"),
        ("same.glb", "equal"), ("sub/b.gltf", "equal")]
    assert report["totals"] == {"models": 7, "equal": 3, "different": 1, "added": 1, "removed": 1, "failed": 1}
    told = report["models"][0]["differences"]
    assert [(d["kind"], d["subject"]["joint"], d["time_s"]) for d in told] == [("pose", "hip", 0.5)]
    assert report["models"][2]["error"]["code"] == "not_a_model"
    text = posectl("diff", "old", "new", cwd=folders).out
    assert "come.gltf  added" in text and text.endswith("7 models: 3 equal, 1 different, 1 added, 1 removed, 1 failed\n")
    only = posectl("diff", "old", "new", "--include", "sub/**", cwd=folders)
    assert (only.status, only.out) == (0, "1 model: 1 equal, 0 different\n")


def test_folders_far_apart(folders, tmp_path_factory):
    """Neither is in the current folder, and no folder nearby contains both."""
    far = tmp_path_factory.mktemp("far")
    os.rename(folders / "old", far / "old")
    done = posectl("diff", far / "old", folders / "new", "--json", cwd="/")
    assert json.loads(done.out)["totals"]["equal"] == 3


def test_reports_for_other_programs(folders):
    done = posectl("diff", "old", "new", "--format", "junit", "-o", "report.xml", cwd=folders)
    assert done.status == 1 and done.out == ""
    suite = xml.etree.ElementTree.parse(folders / "report.xml").getroot()[0]
    assert (suite.get("tests"), suite.get("failures")) == ("7", "4")
    failed = {case.get("name"): case.find("failure").get("type") for case in suite if case.find("failure") is not None}
    assert failed == {"a.gltf": "pose", "bad.gltf": "model_failed", "come.gltf": "model_added", "gone.gltf": "model_removed"}
    run, = json.loads(posectl("diff", "old", "new", "--format", "sarif", cwd=folders).out)["runs"]
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert sorted(result["ruleId"] for result in run["results"]) == ["model_added", "model_failed", "model_removed", "pose"]
    for result in run["results"]:
        assert rules[result["ruleIndex"]] == result["ruleId"] and result["message"]["text"]


def test_wrong_command_lines(folders):
    for arguments in (["old"], ["old", "new", "old"], ["old/a.gltf", "new"], ["old", "nowhere"], ["old", "new", "--format", "html"], []):
        done = posectl("diff", *arguments, cwd=folders)
        assert done.status == 2 and done.err, arguments
    (folders / "empty").mkdir()
    assert posectl("diff", "empty", "empty", cwd=folders).status == 2
    added = posectl("diff", "empty", "new", "--json", cwd=folders)
    assert added.status == 1 and json.loads(added.out)["totals"]["added"] == 6


# --- git ---

NOBODY = {"GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null", **{f"GIT_{who}_{what}": "a@b.c" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}}
POINTER = "version https://git-lfs.github.com/spec/v1\noid sha256:%064d\nsize 5\n"


@pytest.fixture
def repository(tmp_path):
    """Make commits of files, each on top of the previous one. Returns the folder and the function that commits."""
    top = tmp_path / "repository"
    top.mkdir()

    def git(*arguments):
        subprocess.run(["git", *arguments], cwd=top, env={**os.environ, **NOBODY}, check=True, capture_output=True)

    def commit(files):
        write(top, files)
        git("add", "-A")
        git("commit", "-q", "-m", "x", "--allow-empty")
    git("init", "-q", "-b", "main", ".")
    return top, git, commit


def test_revisions(repository, tmp_path):
    top, git, commit = repository
    commit({"models/a.gltf": rig(), "models/b.gltf": rig(), "readme.md": "one"})
    commit({"models/a.gltf": rig(TURNED), "readme.md": "two"})
    commit({"models/sub/c.gltf": rig()})
    (tmp_path / "temporary").mkdir()

    def diff(*arguments, cwd=top, **env):
        done = posectl("diff", *arguments, "--json", cwd=cwd, env={**NOBODY, "TMPDIR": str(tmp_path / "temporary"), **env})
        assert not list((tmp_path / "temporary").iterdir())
        return done
    both = diff("--git", "HEAD~2..HEAD")
    assert both.status == 1, both.err
    assert [(model["model"], model["state"]) for model in json.loads(both.out)["models"]] == [("models/a.gltf", "different"), ("models/sub/c.gltf", "added")]
    below = json.loads(diff("--git", "HEAD~2..", "sub", cwd=top / "models").out)
    assert [model["model"] for model in below["models"]] == ["models/sub/c.gltf"]
    none = diff("--git", "HEAD~2..HEAD", "readme.md")
    assert none.status == 0 and json.loads(none.out)["models"] == []
    git("branch", "old", "HEAD~2")
    git("checkout", "-q", "old")
    commit({"models/b.gltf": rig(name="other")})
    left = json.loads(diff("--git", "main...old").out)
    assert [(model["model"], model["differences"][0]["kind"]) for model in left["models"]] == [("models/b.gltf", "joint_renamed")]
    for arguments in (["--git", "HEAD"], ["--git", "nope..HEAD"], ["--git", "HEAD..HEAD", "--server", "localhost:1"]):
        assert diff(*arguments).status == 2, arguments
    assert diff("--git", "HEAD..HEAD", cwd=tmp_path).status == 2


def test_a_file_beside_the_model(repository):
    """A buffer that changed changes the model."""
    top, _, commit = repository

    def parts(clips):
        document = json.loads(rig(clips))
        data = base64.b64decode(document["buffers"][0]["uri"].split(",")[1])
        document["buffers"][0]["uri"] = "../data/a.bin"
        return {"models/a.gltf": json.dumps(document), "data/a.bin": data}
    commit({**parts(CLIPS), "far/away/z.gltf": rig()})
    commit(parts(TURNED))
    report = json.loads(posectl("diff", "--git", "HEAD~..HEAD", "--json", cwd=top, env=NOBODY).out)
    assert [(model["model"], model["state"]) for model in report["models"]] == [("models/a.gltf", "different")]


def test_pointers_of_git_lfs(repository, tmp_path):
    top, _, commit = repository
    commit({"a.gltf": POINTER % 1})
    commit({"a.gltf": POINTER % 2})
    without = posectl("diff", "--git", "HEAD~..HEAD", cwd=top, env=NOBODY)
    assert without.status == 1 and "lfs_pointer" in without.out and "a.gltf" in without.err and "git-lfs" in without.err
    write(tmp_path, {"1": rig(), "2": rig(TURNED), "bin/git-lfs": f"#!/bin/sh\ncase \"$(cat)\" in *0001*) cat {tmp_path}/1;; *) cat {tmp_path}/2;; esac\n"})
    (tmp_path / "bin/git-lfs").chmod(0o755)
    told = posectl("diff", "--git", "HEAD~..HEAD", cwd=top, env={**NOBODY, "PATH": f"{tmp_path}/bin:{os.environ['PATH']}"})
    assert told.status == 1 and "joint 'hip'" in told.out, told.err


# --- files that change or are none ---

def test_a_model_that_is_cut_while_it_is_compared(folders):
    if is_sanitized():
        pytest.skip("a sanitizer has to be the first library of a process")
    env = {"LD_PRELOAD": str(stand_in_library("truncate_stand_in")), "TRUNCATE_STAND_IN": str(folders / "new/same.glb")}
    done = posectl("diff", "old/same.glb", "new/same.glb", cwd=folders, env=env)
    assert done.status == 1 and "same.glb" in done.out and "1 failed" in done.out, (done.status, done.out, done.err)


def test_large_files_are_compared_to_their_ends(folders):
    """More bytes of JSON than are read at once."""
    model = glb(rig())
    document = json.loads(model[20:20 + struct.unpack_from("<I", model, 12)[0]])
    document["extras"] = "x" * 200000
    head = json.dumps(document).encode()
    head += b" " * (-len(head) % 4)
    data = model[20 + struct.unpack_from("<I", model, 12)[0]:]
    large = struct.pack("<4sII", b"glTF", 2, 20 + len(head) + len(data)) + struct.pack("<I4s", len(head), b"JSON") + head + data
    write(folders, {"old/large.glb": large, "new/large.glb": large})
    done = posectl("diff", "old/large.glb", "new/large.glb", cwd=folders)
    assert (done.status, done.out) == (0, "1 model: 1 equal, 0 different\n"), done.err


@pytest.mark.parametrize("names", [("old/same.glb", "pipe.glb"), ("pipe.glb", "old/same.glb")])
def test_a_pipe_is_no_model(folders, names):
    os.mkfifo(folders / "pipe.glb")
    done = posectl("diff", *names, cwd=folders)
    assert done.status == 1 and "'pipe.glb' is not a regular file" in done.out, (done.out, done.err)
