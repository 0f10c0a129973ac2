"""posectl warm makes a cache folder for other servers, also for one that may only read it. Also: which processes private servers start."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

import pytest

from conftest import SAMPLES, Server
from importers import NO_RENDERING, imports
from posectl import POSECTL, posectl
from small_models import TRIANGLE, gltf, place

pytestmark = pytest.mark.short

SOMEBODY = 65533


@pytest.fixture
def root(tmp_path):
    folder = tmp_path / "models"
    (folder / "sub").mkdir(parents=True)
    for i in range(3):
        (folder / f"sub/{i}.gltf").write_text(gltf(x=i, buffer="tri.bin"))
    (folder / "sub/tri.bin").write_bytes(TRIANGLE)
    return folder


def copied(root, to):
    """Other inodes and times."""
    shutil.copytree(root, to, copy_function=shutil.copyfile)
    return to


def check_all_there(server, count=3):
    for i in range(count):
        assert place(server.get(f"/v1/palette?model=sub/{i}.gltf")) == i
    stats = server.json("/v1/stats")
    assert stats["imports"]["started"] == 0 and stats["disk"]["hits"] == count


def test_a_warm_folder_needs_no_import_elsewhere(start, root, tmp_path):
    done = posectl("warm", "models", "--cache-dir", "release/cache", cwd=tmp_path)
    assert done.status == 0 and "3 models: 3 imported, 0 already there, 0 failed" in done.out
    elsewhere = copied(root, tmp_path / "another" / "machine")
    folder = copied(tmp_path / "release/cache", tmp_path / "carried")
    folder.chmod(0o700)
    for memory in (("--max-file", "64m", "--max-model", "128m", "--import-memory", "256m"), ()):
        server = start("--cache-dir", str(folder), *NO_RENDERING, *memory, root=elsewhere)
        check_all_there(server)
        server.end()
    again = posectl("warm", "models", "--cache-dir", "release/cache", cwd=tmp_path)
    assert again.status == 0 and "0 imported, 3 already there" in again.out


def test_more_models_than_wait_for_the_disk(root, tmp_path):
    for i in range(150):
        (root / f"{i}.gltf").write_text(gltf(x=i))
    done = posectl("warm", root, "--cache-dir", tmp_path / "cache", "--json", "-j", "8")
    report = json.loads(done.out)
    assert done.status == 0 and (report["models"], report["imported"], report["failed"]) == (153, 153, [])
    assert len(list((tmp_path / "cache").glob("*.model"))) == 153


def test_models_that_fail(root, tmp_path):
    (root / "bad.gltf").write_text("{}")
    done = posectl("warm", root, "--cache-dir", tmp_path / "cache")
    assert done.status == 1 and "failed  bad.gltf  bad_model: " in done.out and "3 imported, 0 already there, 1 failed" in done.out
    report = json.loads(posectl("warm", root, "--cache-dir", tmp_path / "cache", "--json").out)
    assert [one["model"] for one in report["failed"]] == ["bad.gltf"] and report["found"] == 3
    assert posectl("warm", root, "--cache-dir", tmp_path / "cache", "--exclude", "bad*").status == 0


def test_options_of_the_servers(start, root, tmp_path):
    """Options that change the result of an import come from the environment."""
    assert posectl("warm", root, "--cache-dir", tmp_path / "cache", env={"POSED_MAX_TEXTURE_SIDE": "512"}).status == 0
    server = start("--cache-dir", str(tmp_path / "cache"), *NO_RENDERING, "--max-texture-side", "512", root=root)
    check_all_there(server)
    server.end()
    server = start("--cache-dir", str(tmp_path / "cache"), *NO_RENDERING, root=root)
    assert place(server.get("/v1/palette?model=sub/1.gltf")) == 1 and imports(server) == 1


@pytest.mark.parametrize("arguments, status, word", [
    ((), 2, "one folder"), (("models",), 2, "--cache-dir DIR"), (("models/sub/1.gltf", "--cache-dir", "out"), 2, "not a folder"),
    (("none", "--cache-dir", "out"), 2, "not a folder"), (("models", "--cache-dir", "out", "--server", "localhost:1"), 2, "private server"),
    (("models", "--cache-dir", "shared"), 3, "3 of 3 models were not stored in shared"),
    (("models", "--cache-dir", "models/sub/tri.bin/out"), 3, "cannot make the folder"),
])
def test_what_cannot_be(root, tmp_path, arguments, status, word):
    (tmp_path / "shared").mkdir()
    (tmp_path / "shared").chmod(0o777)
    done = posectl("warm", *arguments, cwd=tmp_path)
    assert done.status == status and word in done.err
    assert not (tmp_path / "out").exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="the folder has to be root's, and the server another user's")
def test_a_folder_of_roots_is_only_read(root, worker_programs):
    with tempfile.TemporaryDirectory() as top:
        os.chmod(top, 0o755)
        models, folder = copied(root, pathlib.Path(top) / "models"), pathlib.Path(top) / "cache"
        for path in (models, models / "sub"):
            path.chmod(0o755)
        (models / "late.gltf").write_text(gltf(x=7))
        assert posectl("warm", models, "--cache-dir", folder, "--exclude", "late*", "--readable").status == 0
        before = {path.name: path.stat().st_mtime_ns for path in folder.iterdir()}
        by = ("setpriv", "--reuid", str(SOMEBODY), "--regid", str(SOMEBODY), "--clear-groups")
        for mode, reads in ((0o755, True), (0o757, False), (0o755, True)):
            folder.chmod(mode)
            server = Server(models, "--cache-dir", str(folder), "--worker-dir", worker_programs, *NO_RENDERING, by=by)
            try:
                if reads:
                    server.wait_for_line("which is root's: it is only read")
                    check_all_there(server)
                    assert place(server.get("/v1/palette?model=late.gltf")) == 7
                else:
                    server.wait_for_line("no disk cache: ")
                    assert place(server.get("/v1/palette?model=sub/1.gltf")) == 1 and imports(server) == 1
                assert server.json("/v1/stats")["disk"]["errors"] == 0 and server.get("/readyz").status == 200
            finally:
                server.end()
            assert {path.name: path.stat().st_mtime_ns for path in folder.iterdir()} == before


@pytest.mark.skipif(os.geteuid() != 0, reason="the files have to be root's, and the server another user's")
def test_a_file_that_another_user_may_write_is_not_believed(root, worker_programs):
    with tempfile.TemporaryDirectory() as top:
        os.chmod(top, 0o755)
        models, folder = copied(root, pathlib.Path(top) / "models"), pathlib.Path(top) / "cache"
        for path in (models, models / "sub"):
            path.chmod(0o755)
        assert posectl("warm", models, "--cache-dir", folder, "--readable").status == 0
        for path in folder.glob("*.model"):
            subprocess.run(["chown", "65532", path], check=True)
        by = ("setpriv", "--reuid", str(SOMEBODY), "--regid", str(SOMEBODY), "--clear-groups")
        server = Server(models, "--cache-dir", str(folder), "--worker-dir", worker_programs, *NO_RENDERING, by=by)
        try:
            assert place(server.get("/v1/palette?model=sub/1.gltf")) == 1 and imports(server) == 1
        finally:
            server.end()


# --- what a private server is started for ---

@pytest.mark.parametrize("draws, words", [
    (False, ("check", "a.glb")), (False, ("info", "a.glb")), (False, ("keys", "a.glb", "--clip", "walk")), (False, ("text", "a.glb")),
    (False, ("convert", "a.glb", "-o", "c.glb")), (False, ("bake", "a.glb", "-o", "b.json")), (False, ("diff", "a.glb", "b.glb")),
    (True, ("diff", "a.glb", "b.glb", "--format", "markdown")), (True, ("thumbs", "a.glb", "-o", "out", "--size", "16")),
], ids=lambda words: words if isinstance(words, bool) else " ".join(words))
def test_renderers_start_for_those_who_draw(tmp_path, draws, words):
    """Other commands would wait for a driver, which takes longer than everything else."""
    for name in ("a.glb", "b.glb"):
        shutil.copy(SAMPLES / "robot.glb", tmp_path / name)
    program, options = tmp_path / "posed", tmp_path / "options"
    program.write_text(f'#!/bin/sh\necho "$*" >"{options}"\nexec "{POSECTL.parent}/posed" "$@"\n')
    program.chmod(0o755)
    done = posectl(*words, cwd=tmp_path, env={"POSED_PROGRAM": str(program)})
    assert done.status == 0, done.err
    count, = re.findall(r"--render-workers (\d+)", options.read_text())
    assert (int(count) > 0) == draws
