"""posectl --camera-json: a camera by numbers from a file, or from what render --format json wrote."""
import json
import os
import shutil
import subprocess

import pytest

from conftest import SAMPLES, Server
from posectl import POSECTL, environment


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    if os.environ.get("POSED_SERVER"):
        pytest.skip("needs a server of its own")
    root = tmp_path_factory.mktemp("cameras")
    shutil.copy(SAMPLES / "robot.glb", root)
    running = Server(root, "--tcp", "127.0.0.1:0")
    yield running
    running.end()


@pytest.fixture
def ask(own, tmp_path):
    """Run posectl in tmp_path on the server. Returns what subprocess does."""
    def run(*arguments):
        return subprocess.run([POSECTL, *map(str, arguments), "--server", own.ports["tcp"]], cwd=tmp_path, env=environment(), capture_output=True,
                              timeout=120)
    return run


LENS = {"fx": 120.5, "fy": 90, "cx": 70, "cy": 44.25, "convention": "opencv", "camera_from_scene": [1, 0, 0, 0, 0, -1, 0, 0, 0, 0, -1, 0, 0.1, 1, 5, 1]}


def test_a_camera_file_is_what_render_writes(ask, tmp_path):
    size = ("--width", 133, "--height", 90)
    done = ask("render", "robot.glb", "--clip", "walk", "--t", 0.3, "--yaw", 50, "--fov", 61, *size, "-o", "first.png")
    assert done.returncode == 0, done.stderr
    assert ask("render", "robot.glb", "--clip", "walk", "--t", 0.3, "--yaw", 50, "--fov", 61, *size, "--format", "json", "-o", "shot.json").returncode == 0
    done = ask("render", "robot.glb", "--clip", "walk", "--t", 0.3, *size, "--camera-json", "shot.json", "-o", "again.png")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "again.png").read_bytes() == (tmp_path / "first.png").read_bytes()
    (tmp_path / "camera.json").write_text(json.dumps(json.loads((tmp_path / "shot.json").read_text())["camera"]))
    assert ask("render", "robot.glb", "--clip", "walk", "--t", 0.3, *size, "--camera-json", "camera.json", "-o", "third.png").returncode == 0
    assert (tmp_path / "third.png").read_bytes() == (tmp_path / "first.png").read_bytes()


def test_a_camera_by_hand(ask, tmp_path):
    (tmp_path / "lens.json").write_text(json.dumps(LENS))
    done = ask("render", "robot.glb", "--t", 0.3, "--camera-json", "lens.json", "--format", "json")
    told = json.loads(done.stdout)["camera"]
    assert (told["fx"], told["cy"], told["camera_from_scene"]["opencv"]) == (120.5, 44.25, LENS["camera_from_scene"])
    done = ask("sheet", "robot.glb", "--frames", 2, "--camera-json", "lens.json", "-o", "cells.png")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "cells.png").stat().st_size > 1000


@pytest.mark.parametrize("text, extra, status, words", [
    (None, [], 2, ["there is no file 'lens.json'"]),
    ("{", [], 2, ["lens.json", "JSON"]),
    ("[1]", [], 2, ["is no camera, which is an object"]),
    (json.dumps(LENS), ["--camera", "front"], 2, ["--camera-json is another camera than --camera"]),
    (json.dumps({**LENS, "fx": 0}), [], 2, ["'fx' is 0"]),
    (json.dumps(LENS), ["--yaw", "3"], 2, ["'yaw' does not go with a camera by numbers"]),
])
def test_camera_files_that_are_refused(ask, tmp_path, text, extra, status, words):
    if text is not None:
        (tmp_path / "lens.json").write_text(text)
    done = ask("render", "robot.glb", "--t", 0.3, "--camera-json", "lens.json", "-o", "no.png", *extra)
    assert done.returncode == status and not (tmp_path / "no.png").exists(), done
    for word in words:
        assert word in done.stderr.decode(), done.stderr
