"""The files that posectl's models may open: nothing hidden, and nothing more because of a link among the arguments."""
import json
import os
import struct

import pytest

from posectl import posectl
from small_models import gltf

pytestmark = pytest.mark.skipif("POSED_SERVER" in os.environ, reason="starts servers of its own")
SECRET = struct.pack("<9f", *[1234.5] * 9)


@pytest.fixture
def tree(tmp_path):
    """A work tree of a stranger: evil.gltf takes its vertices from .git/config."""
    folder = tmp_path / "work"
    for inner in ".git", "in", ".hidden":
        (folder / inner).mkdir(parents=True)
    (folder / ".git/config").write_bytes(SECRET)
    (folder / "in/ok.gltf").write_text(gltf())
    (folder / "evil.gltf").write_text(gltf(buffer=".git/config"))
    (folder / ".hidden/own.gltf").write_text(gltf(buffer="own.bin"))
    (folder / ".hidden/own.bin").write_bytes(bytes(36))
    (folder / ".hidden/evil.gltf").write_text(gltf(buffer="../.git/config"))
    (folder / ".one.gltf").write_text(gltf())
    (tmp_path / "outside.gltf").write_text(gltf())
    (tmp_path / "secret.bin").write_bytes(SECRET)
    return folder


def checked(*arguments, cwd):
    """check's result for each model, None or why it cannot be read, and the whole run."""
    done = posectl("check", *arguments, "--json", cwd=cwd)
    models = json.loads(done.out)["models"] if done.out.startswith("{\n") else []
    return {model["model"]: next((f["message"] for f in model["findings"] if f["rule"] == "unreadable"), None) for model in models}, done


@pytest.mark.parametrize("command", [["convert", "evil.gltf", "-o", "-"], ["mesh", "evil.gltf", "--json"], ["bake", "evil.gltf", "-o", "-", "--as", "csv"],
                                     ["thumbs", ".", "-o", "out", "--json"], ["info", "evil.gltf"]])
def test_a_model_opens_no_hidden_file(tree, command):
    done = posectl(*command, cwd=tree, text=False, env={"POSED_ALLOW_HIDDEN": "1"})
    assert done.status == 1 and b"see --allow-hidden" in done.out + done.err, done.err
    assert SECRET[:4] not in done.out and b"1234.5" not in done.out


def test_an_option_opens_hidden_files(tree):
    done = posectl("mesh", "evil.gltf", "--json", "--allow-hidden", cwd=tree)
    assert done.status == 0 and "1234.5" in done.out
    assert "--allow-hidden" in posectl("--help").out and "--allow-hidden" in posectl("completion", "bash").out


def test_what_the_command_line_names_may_be_hidden(tree):
    of, done = checked(".hidden/own.gltf", ".hidden/evil.gltf", ".one.gltf", "in/ok.gltf", cwd=tree)
    refused = of.pop(".hidden/evil.gltf")
    assert of == {".hidden/own.gltf": None, ".one.gltf": None, "in/ok.gltf": None}, done.err
    assert "'.git/config' has a part that begins with a dot" in refused
    assert set(checked(".hidden", cwd=tree)[0]) == {".hidden/own.gltf", ".hidden/evil.gltf"}
    assert checked(".hidden/o*", cwd=tree)[0] == {".hidden/own.gltf": None}


def test_a_tree_below_a_hidden_folder_is_not_hidden(tree, tmp_path_factory):
    home = tree.parent / ".runner/work"
    home.mkdir(parents=True)
    tree.rename(home / "repository")
    assert checked("in", cwd=home / "repository")[0] == {"in/ok.gltf": None}
    for cwd in "/", tree.parent, tmp_path_factory.mktemp("elsewhere"):
        assert list(checked(home / "repository/in/ok.gltf", cwd=cwd)[0].values()) == [None]
    assert "see --allow-hidden" in checked("evil.gltf", cwd=home / "repository")[0]["evil.gltf"]


def test_links_are_refused_one_by_one(tree):
    (tree / "lost.gltf").symlink_to("nowhere.gltf")
    (tree / "leaves.gltf").symlink_to("../outside.gltf")
    (tree / "hidden.gltf").symlink_to(".one.gltf")
    (tree / "inside.gltf").symlink_to("in/ok.gltf")
    of, done = checked("lost.gltf", "leaves.gltf", "inside.gltf", "in/ok.gltf", cwd=tree)
    assert done.status == 1 and of.pop("in/ok.gltf", "") is None
    assert set(of) == {"lost.gltf", "leaves.gltf"} and all("symbolic link" in why for why in of.values())
    assert "see --allow-hidden" in checked("hidden.gltf", cwd=tree)[0][".one.gltf"]
    assert checked("hidden.gltf", "--allow-hidden", cwd=tree)[0] == {".one.gltf": None}
    of, _ = checked("hidden.gltf", ".hidden/own.gltf", cwd=tree)  # hidden models are served here, so the link is not followed
    assert "symbolic link" in of["hidden.gltf"] and of[".hidden/own.gltf"] is None


@pytest.mark.parametrize("target", ["..", "/"])
def test_a_link_does_not_widen_what_models_open(tree, target):
    """A model that names a file outside the work tree does not get it, whatever a link beside it leads to."""
    (tree / "thief.gltf").write_text(gltf(buffer="../secret.bin"))
    (tree / "models").symlink_to(target)
    (tree / "deep").symlink_to(target)
    (tree / "leaves.gltf").symlink_to(tree.parent / "outside.gltf")
    for links in (["models"], ["models/"], ["leaves.gltf"], ["models/*.gltf"], ["./in/../models"], [tree / "models"], ["deep/outside.gltf"]):
        if target == "/" and links == ["deep/outside.gltf"]:
            continue
        of, done = checked("thief.gltf", *links, cwd=tree)
        assert done.status == 1 and of["thief.gltf"] is not None, (links, done.out)
        assert "symbolic link" in done.err or "symbolic link" in done.out
    done = posectl("check", "models", cwd=tree)
    assert done.status == 2 and f"name {'/' if target == '/' else tree.parent}, or --models" in done.err


def test_a_folder_that_is_named_from_outside_may_be_a_link(tree, tmp_path_factory):
    (tree.parent / "current").symlink_to(tree / "in")
    elsewhere = tree.parent / "elsewhere"
    elsewhere.mkdir()
    assert checked("../current", cwd=elsewhere)[0] == {"ok.gltf": None}
    assert checked(tree.parent / "current", cwd=tmp_path_factory.mktemp("elsewhere"))[0] == {"ok.gltf": None}
    (tree.parent / "way").symlink_to(tree)
    done = posectl("check", tree.parent / "way/in", cwd=tree.parent / "way", env={"PWD": str(tree.parent / "way")})
    assert done.status == 0 and "1 model: 0 errors" in done.out, done.err


def test_other_folders_are_found_as_they_are_named(tree):
    (tree / "thief.gltf").write_text(gltf(buffer="../secret.bin"))
    of, _ = checked("../outside.gltf", "in/ok.gltf", cwd=tree)
    assert of == {"outside.gltf": None, "work/in/ok.gltf": None}
    done = posectl("mesh", "thief.gltf", "--json", "--models", "..", cwd=tree)
    assert done.status == 0 and "1234.5" in done.out  # this is what --models is for
    done = posectl("check", "../outside.gltf", "--models", ".", cwd=tree)
    assert done.status == 2 and "is not under --models" in done.err


def test_a_link_to_a_folder_is_told_of(tree):
    """Its models are left out, and the user should know that they are not checked."""
    (tree / "in/more").symlink_to(tree.parent / "elsewhere")
    (tree.parent / "elsewhere").mkdir()
    (tree.parent / "elsewhere/far.gltf").write_text(gltf())
    (tree / "in/round").symlink_to(".")  # its models are found without following it
    of, done = checked("in", cwd=tree)
    target = tree.parent / "elsewhere"
    assert of == {"in/ok.gltf": None} and done.status == 0
    assert done.err.splitlines() == [
        f"posectl: 'in/more' is a symbolic link to a folder and left out; to read that too, name {target}"], done.err
    assert set(checked("in", target, cwd=tree)[0]) == {"work/in/ok.gltf", "elsewhere/far.gltf"}  # following the printed advice works
    for quiet in ["in", "--exclude", "more"], ["in", "--exclude", "more/*"], ["in", "--quiet"], ["in/*.gltf"], ["in/ok.gltf"]:
        assert "symbolic link" not in checked(*quiet, cwd=tree)[1].err, quiet
    (tree / "in/other").symlink_to("../.hidden")
    assert "'in/more' and 1 more are symbolic links to folders and left out" in checked("in", cwd=tree)[1].err
    (tree / "in/.posedignore").write_text("more/\nother\n")
    assert checked("in", cwd=tree)[1].err == ""


def test_a_refused_link_says_what_to_name(tree):
    (tree / "leaves.gltf").symlink_to("../outside.gltf")
    assert "links are not followed: name what it leads to" in checked("leaves.gltf", cwd=tree)[0]["leaves.gltf"]
