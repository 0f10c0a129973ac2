"""posectl draws long sheets and turntables in parts. The file equals that of a single request."""
import contextlib
import os
import pty
import re
import shutil
import signal
import subprocess

import pytest

from acting_relay import ActingRelay
from conftest import SAMPLES
from posectl import POSECTL, environment, png_size, posectl
from server_state import workers

SHEET = ["sheet", "robot.glb", "--clips", "all", "--frames", "4", "--directions", "2", "--captions", "--gap", "3", "--padding", "7"]
STRIP = ["sheet", "dragon.glb", "--clip", "fly", "--frames", "9", "--speed", "0.7", "--captions"]
TURN = ["turntable", "octopus.glb", "--frames", "10", "--background", "20304080"]
SMALL = ["--width", "64", "--height", "64"]


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    folder = tmp_path_factory.mktemp("split")
    for name in "robot.glb", "dragon.glb", "octopus.glb":
        shutil.copy(SAMPLES / name, folder / name)
    return folder


@pytest.fixture
def servers(start, root):
    """A server that draws a picture of few pixels at a time, and one that draws all of them."""
    return [start("--tcp", "127.0.0.1:0", *more, root=root) for more in (["--max-picture-pixels", "30000"], [])]


def address(server):
    return server.ports["tcp"]


def started(server):
    return server.json("/v1/stats")["renders"]["started"]


@pytest.mark.parametrize("command, name", [
    (SHEET, "a.png"), (SHEET, "a.jpg"), ([*SHEET, "--quality", "40"], "b.jpg"), ([*SHEET, "--compression", "small"], "c.png"),
    (STRIP, "a.gif"), (STRIP, "a.webp"), ([*STRIP, "--quality", "60", "--loops", "3"], "b.webp"), (STRIP, "a.y4m"),
    ([*STRIP, "--format", "apng", "--play-rate", "7"], "a.png"), (TURN, "a.png"), ([*TURN, "--format", "png"], "b.png"),
    ([*TURN[:-2], "--background", "transparent"], "c.jpg"), (TURN[:-2], "d.jpg"),
    ([*TURN[:-2], "--background", "20304080,00ff0040"], "e.jpg")])
def test_the_file_is_that_of_one_request(servers, tmp_path, command, name):
    made = []
    for server in servers:
        before = started(server)
        file = tmp_path / f"{len(made)}-{name}"
        done = posectl(*command, *SMALL, "--server", address(server), "-o", file)
        assert done.status == 0, done.err
        made.append((done.out.replace(str(file), ""), file.read_bytes(), started(server) - before))
    assert made[0][:2] == made[1][:2]
    assert made[0][2] > 1 and made[1][2] == 1


def test_a_sheet_may_be_larger_than_a_picture_of_the_server(servers, tmp_path):
    command = ["sheet", "robot.glb", "--clip", "walk", "--frames", "300", "--columns", "1", *SMALL]
    done = posectl(*command, "--server", address(servers[1]), "-o", tmp_path / "long.png")
    assert done.status == 0, done.err
    assert png_size(tmp_path / "long.png") == (64, 300 * 64)  # 19200 pixels; a server draws at most 16384


def test_layers_are_split_too(servers, tmp_path):
    layers = '[{"clip":"wave","weight":[1,0.6,0.3,0]},{"clip":"walk","weight":[0,0.4,0.7,1]}]'
    files = []
    for server in servers:
        files.append(tmp_path / f"{len(files)}.png")
        done = posectl("sheet", "robot.glb", "--layers", layers, "--t", "0,0.1,0.2,0.3", "--columns", "1", *["--width", "100", "--height", "100"],
                       "--server", address(server), "-o", files[-1])
        assert done.status == 0, done.err
    assert files[0].read_bytes() == files[1].read_bytes()


def test_the_estimate_is_of_the_whole(servers):
    low, full = (posectl(*SHEET, *SMALL, "--estimate", "--json", "--server", address(server)) for server in servers)
    assert low.status == full.status == 0, low.err + full.err
    import json
    low, full = (json.loads(done.out)["estimate"] for done in (low, full))
    assert low["sheet"]["rows_at_once"] < low["sheet"]["rows"] == full["sheet"]["rows_at_once"]
    assert 0.5 < low["bytes"] / full["bytes"] < 2
    assert low["seconds"] > 0
    line = posectl(*SHEET, *SMALL, "--estimate", "--server", address(servers[0]))
    assert line.out.startswith("about ") and started(servers[0]) == 0


@pytest.mark.parametrize("command, code", [
    ([*SHEET, "--view", "onion"], "bad_parameter"), (["sheet", "robot.glb", "--clip", "nope"], "clip_not_found"),
    (["sheet", "nope.glb"], "model_not_found"), (["sheet", "robot.glb", "--clips", "all", "--frames", "1000"], "too_many_frames"),
    ([*SHEET, "--first-row", "6"], "bad_parameter"), ([*SHEET, "--quality", "40"], "bad_parameter")])
def test_errors_are_those_of_one_request(servers, tmp_path, command, code):
    low, full = (posectl(*command, *SMALL, "--json", "--server", address(server), "-o", tmp_path / "x.png") for server in servers)
    assert low.status != 0 and code in low.err + low.out
    if code != "bad_parameter":
        without_server = lambda text: re.sub(r" \(server [^)]*\)", "", text)
        assert (low.status, without_server(low.err), low.out) == (full.status, without_server(full.err), full.out)
    assert not list(tmp_path.glob("*.png"))


def test_a_hash_is_given_once(servers, tmp_path):
    content = servers[0].json("/v1/model", model="robot.glb")["hash"]
    for given, status in ((content, 0), ("0" * 64, 1)):
        done = posectl(*SHEET, *SMALL, "--hash", given, "--server", address(servers[0]), "-o", tmp_path / "x.png")
        assert done.status == status, done.err
    assert "hash_mismatch" in done.err


def test_a_model_that_changes_meanwhile_is_an_error(start, tmp_path):
    root = tmp_path / "root"
    root.mkdir()
    shutil.copy(SAMPLES / "robot.glb", root / "robot.glb")
    server = start("--tcp", "127.0.0.1:0", "--max-picture-pixels", "30000", root=root)

    def change():
        shutil.copy(SAMPLES / "dragon.glb", root / "new")
        os.replace(root / "new", root / "robot.glb")
    with ActingRelay(address(server), b"first_row=2", change) as relay:
        done = posectl(*SHEET, *SMALL, "--server", relay.address, "-o", tmp_path / "x.png")
    assert relay.act is None
    assert done.status == 1 and "hash_mismatch" in done.err
    assert not (tmp_path / "x.png").exists()


def test_a_server_that_ends_meanwhile_leaves_no_file(servers, tmp_path):
    server = servers[0]
    with ActingRelay(address(server), b"first_row=2", server.process.kill) as relay:
        done = posectl(*SHEET, *SMALL, "--server", relay.address, "--reconnect", "0", "-o", tmp_path / "x.png")
    server.wait()
    assert done.status == 3 and done.err
    assert not (tmp_path / "x.png").exists()


def test_the_bar_tells_of_the_whole(start, root, tmp_path):
    """240 pictures of a million pixels take seconds everywhere. The renderer stands still meanwhile: nothing waits for them."""
    server = start("--tcp", "127.0.0.1:0", "--max-picture-pixels", "1100000", "--render-workers", "1", root=root)
    assert server.get("/v1/render?model=dragon.glb&clip=fly&width=64&height=64").status == 200
    stopped, = workers(server)
    ours, theirs = pty.openpty()
    os.kill(stopped, signal.SIGSTOP)
    process = subprocess.Popen([POSECTL, "sheet", "dragon.glb", "--clip", "fly", "--frames", "240", "--columns", "1", "--width", "1024", "--height",
                                "1024", "--server", address(server), "-o", tmp_path / "x.png"], stderr=theirs, env=environment(TERM="xterm"))
    try:
        os.close(theirs)
        shown = b""
        while b"about" not in shown:
            shown += os.read(ours, 65536)  # an error once posectl has ended
    finally:
        process.kill()
        with contextlib.suppress(ProcessLookupError):  # the server ends a renderer that stands still for long
            os.kill(stopped, signal.SIGCONT)
    assert b"sheet dragon.glb" in shown
    process.wait()
    os.close(ours)
