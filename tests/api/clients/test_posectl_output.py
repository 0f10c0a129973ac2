"""posectl writes only into the folder that it is given: it follows no links in it, which somebody may have committed."""
import json
import os
import stat

import pytest

from posectl import posectl
from small_models import gltf

pytestmark = pytest.mark.skipif("POSED_SERVER" in os.environ, reason="starts servers of its own")


@pytest.fixture
def tree(tmp_path):
    """A model in a folder, and outside the work tree a folder and a file of somebody else."""
    work = tmp_path / "work"
    (work / "assets/birds").mkdir(parents=True)
    (work / "assets/birds/crow.gltf").write_text(gltf())
    (work / "out").mkdir()
    (tmp_path / "victim").mkdir()
    (tmp_path / "victim/file").write_text("of somebody else\n")
    return work


def thumbs(tree, *options):
    return posectl("thumbs", "assets", "-o", "out", "--size", "32", "--json", *options, cwd=tree)


def assert_untouched(tree, names=("file",)):
    victim = tree.parent / "victim"
    assert sorted(os.listdir(victim)) == sorted(names) and (victim / "file").read_text() == "of somebody else\n"


@pytest.mark.parametrize("name", ["birds/crow.gltf.png", "index.html"])
@pytest.mark.parametrize("target", ["file", "nothing"])
def test_a_link_in_the_place_of_a_file_is_replaced(tree, name, target):
    (tree / "out/birds").mkdir()
    (tree / "out" / name).symlink_to(tree.parent / "victim" / target)
    done = thumbs(tree, "--index")
    assert done.status == 0, done.err
    assert_untouched(tree)
    assert stat.S_ISREG((tree / "out" / name).lstat().st_mode)


def test_a_link_is_no_picture_that_was_made(tree):
    """If a link leads to a file with the size that the manifest has for a picture, the picture is drawn anyway."""
    assert thumbs(tree).status == 0
    picture = tree / "out/birds/crow.gltf.png"
    (tree.parent / "victim/picture").write_bytes(picture.read_bytes())
    picture.unlink()
    picture.symlink_to(tree.parent / "victim/picture")
    assert json.loads(thumbs(tree).out)["made"] == 1 and not picture.is_symlink()
    assert_untouched(tree, ["file", "picture"])


@pytest.mark.parametrize("name", ["lock", "manifest.jsonl"])
@pytest.mark.parametrize("target", ["file", "nothing"])
def test_the_manifest_is_no_link(tree, name, target):
    (tree / "out/.posectl").mkdir()
    (tree / "out/.posectl" / name).symlink_to(tree.parent / "victim" / target)
    done = thumbs(tree)
    assert done.status == 3 and done.err == f"posectl: 'out/.posectl/{name}' is a symbolic link; posectl writes through none: remove it\n"
    assert_untouched(tree)


@pytest.mark.parametrize("name", ["lock", "manifest.jsonl"])
def test_the_manifest_is_no_pipe(tree, name):
    """A restored cache can hold a pipe, whose reader would wait forever."""
    thumbs(tree)
    (tree / "out/.posectl" / name).unlink()
    os.mkfifo(tree / "out/.posectl" / name)
    done = thumbs(tree)
    assert done.status == 3 and done.err == f"posectl: 'out/.posectl/{name}' is no regular file\n"


def test_a_pipe_is_no_page_to_keep_up_to_date(tree):
    (tree / "out").mkdir(exist_ok=True)
    os.mkfifo(tree / "out/index.html")
    assert thumbs(tree).status == 0 and (tree / "out/index.html").is_fifo()


@pytest.mark.parametrize("name", [".posectl", "birds"])
def test_a_folder_within_is_no_link(tree, name):
    (tree.parent / "victim/tmp-1").write_text("as what a killed posectl leaves")
    (tree / "out" / name).symlink_to(tree.parent / "victim")
    done = thumbs(tree)
    assert done.status in (1, 3) and f"'out/{name}' is a symbolic link; posectl writes through none: remove it" in done.err + done.out
    assert_untouched(tree, ["file", "tmp-1"])


def test_nothing_behind_a_link_is_removed(tree):
    """A manifest that somebody committed names pictures that are no longer made."""
    assert thumbs(tree).status == 0
    manifest = tree / "out/.posectl/manifest.jsonl"
    entry = json.loads(manifest.read_text().splitlines()[-1])
    entry.update(model="assets/gone.gltf", pictures=[{"file": "more/file", "clip": "", "bytes": 17}])
    with manifest.open("a") as file:
        file.write(json.dumps(entry) + "\n")
    (tree / "out/more").symlink_to(tree.parent / "victim")
    done = thumbs(tree, "--prune")
    assert done.status == 0 and "removed the pictures of assets/gone.gltf" in done.err
    assert_untouched(tree)


def test_the_folder_that_is_named_may_be_a_link(tree):
    (tree / "real").mkdir()
    (tree / "out").rmdir()
    (tree / "out").symlink_to("real")
    assert thumbs(tree).status == 0 and (tree / "real/birds/crow.gltf.png").is_file()


@pytest.mark.parametrize("command, name", [
    (["convert", "-o", "out/crow.glb"], "out/crow.glb"), (["convert"], "crow.glb"),
    (["bake", "--as", "csv", "-o", "out/"], "out/crow.csv"), (["bake", "--as", "csv"], "crow.csv"),
    (["check", "--format", "sarif", "-o", "out/check.sarif"], "out/check.sarif"), (["render", "--width", "16"], "crow.png")])
def test_files_of_other_commands_replace_links(tree, command, name):
    (tree / name).symlink_to(tree.parent / "victim/file")
    done = posectl(command[0], "assets/birds/crow.gltf", *command[1:], cwd=tree)
    assert done.status == 0, done.err
    assert_untouched(tree)
    assert not (tree / name).is_symlink()


def test_a_link_to_what_is_no_file_is_refused(tree):
    """posectl writes to a pipe that the command line names, and to /dev/stdout, which is a link. It does not write through a link that
    somebody committed."""
    os.mkfifo(tree.parent / "pipe")
    reader = os.open(tree.parent / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    (tree / "crow.glb").symlink_to(tree.parent / "pipe")
    done = posectl("convert", "assets/birds/crow.gltf", cwd=tree)
    assert done.status == 3 and done.err == "posectl: 'crow.glb' is a symbolic link; posectl writes through none: remove it\n"
    assert posectl("convert", "assets/birds/crow.gltf", "-o", "/dev/stdout", cwd=tree, text=False).out.startswith(b"glTF")
    try:
        assert os.read(reader, 1) == b""
    finally:
        os.close(reader)


def test_the_folder_of_pictures_that_nobody_named_is_no_link(tree):
    (tree / "after").mkdir()
    (tree / "after/crow.gltf").write_text(gltf(x=2))
    (tree / "page.pictures").symlink_to(tree.parent / "victim")
    differ = lambda *options: posectl("diff", "assets/birds", "after", "--format", "markdown", "-o", "page.md", *options, cwd=tree)
    done = differ()
    assert done.status == 3 and "'page.pictures' is a symbolic link; posectl writes through none: remove it" in done.err
    assert_untouched(tree)
    assert differ("--pictures", "page.pictures").status == 1 and len(os.listdir(tree.parent / "victim")) > 1  # as the user wanted
