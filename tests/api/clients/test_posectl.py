"""posectl's commands about one model, its messages and statuses, and help, man page and completions."""
import fcntl
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import tempfile

import pytest

from conftest import PATIENCE_S, REPOSITORY, SAMPLES, Server, wait_until
from posectl import POSECTL, begin, children, environment, is_running, on_terminal, png_size, posectl

pytestmark = pytest.mark.skipif("POSED_SERVER" in os.environ, reason="starts servers of its own")
ROBOT = SAMPLES / "robot.glb"


@pytest.fixture(scope="module")
def ports(tmp_path_factory):
    unix = str(tmp_path_factory.mktemp("posectl") / "socket")
    running = Server(SAMPLES, "--tcp", "127.0.0.1:0", "--unix", unix)
    running.unix = unix
    yield running
    running.end()


@pytest.mark.short
def test_help_alone_is_enough_for_a_thumbnail(tmp_path):
    """Runs the first example of --help unchanged."""
    shutil.copy(ROBOT, tmp_path / "fox.glb")
    example = re.search(r"^  posectl (render .*)$", posectl("--help").out, re.M)[1]
    done = posectl(*example.split(), cwd=tmp_path)
    assert done.status == 0, done.err
    assert png_size(tmp_path / "fox.png") == (512, 512) and "512 x 512" in done.out


def test_its_readme_shows_what_the_shell_prints(tmp_path):
    for sample in SAMPLES.glob("*.glb"):
        shutil.copy(sample, tmp_path)
    text = (REPOSITORY / "clients/cli/README.md").read_text()
    env = environment(PATH=f"{POSECTL.parent}:{os.environ['PATH']}")
    commands = re.findall(r"^\$ (.*)\n((?:(?!\$ |```).*\n)*)", text, re.M)
    assert len(commands) >= 3
    for command, printed in commands:
        done = subprocess.run(["bash", "-c", command], cwd=tmp_path, env=env, capture_output=True, text=True)
        number = lambda out: re.sub(r"(?m)^(\S+\.png .*)\b\d+ bytes", r"\1N bytes", out)  # a picture's size depends on the processor
        assert (done.returncode, number(done.stdout)) == (0, number(printed)), done.stderr
    (tmp_path / "assets").mkdir()
    shutil.move(tmp_path / "dragon.glb", tmp_path / "assets/dragon.glb")
    for command in re.findall(r"^posectl .*$", text, re.M):
        assert subprocess.run(["bash", "-c", command], cwd=tmp_path, env=env, capture_output=True).returncode == 0, command
        if " thumbs/ " in command:
            drawn = sorted(str(path.relative_to(tmp_path / "thumbs")) for path in (tmp_path / "thumbs").rglob("*.png"))
            assert len(drawn) == 3 and all(f'src="{name}"' in (tmp_path / "thumbs/index.html").read_text() for name in drawn)
    assert (tmp_path / "thumbs/index.html").exists() and (tmp_path / "robot.gif").read_bytes()[:3] == b"GIF"


@pytest.mark.parametrize("where", ["private", "tcp", "unix"])
def test_answers_are_the_servers(ports, where, tmp_path):
    server = {"private": [], "tcp": ["--server", ports.ports["tcp"]], "unix": ["--server", ports.unix]}[where]
    robot = ROBOT if where == "private" else "robot.glb"
    folder = ["--models", SAMPLES] if where == "private" else []
    cases = [(["info", robot, "--json"], "/v1/model?model=robot.glb"),
             (["palette", robot, "--clip", "wave", "--t", "0.3", "--t=0.5:1:4", "--layout", "mat3x4", "--json"],
              "/v1/palette?model=robot.glb&clip=wave&t=0.3,0.5:1:4&layout=mat3x4"),
             (["keypoints", robot, "--clip", "walk", "--t", "0.3", "--joints", "head", "--yaw", "40", "--json"],
              "/v1/keypoints?model=robot.glb&clip=walk&t=0.3&joints=head&yaw=40"),
             (["pose", robot, "--joint-name", "head", "--what", "local", "--t", "-0.25", "--json"],
              "/v1/pose?model=robot.glb&joints=head&what=local&t=-0.25")]
    for arguments, target in cases:
        done = posectl(*arguments, *folder, *server)
        assert done.status == 0, done.err
        assert json.loads(done.out) == ports.get(target).json()
    for arguments, name, target in [
            (["mesh", robot, "--t", "0.3"], "out.glb", "/v1/mesh?model=robot.glb&t=0.3&format=glb"),
            (["mesh", robot, "--normals", "1"], "out.bin", "/v1/mesh?model=robot.glb&normals=1&format=bin"),
            (["render", robot, "--width", "40", "--height", "30", "--yaw", "90"], "out.png",
             "/v1/render?model=robot.glb&width=40&height=30&yaw=90")]:
        done = posectl(*arguments, "-o", tmp_path / name, *folder, *server)
        assert done.status == 0, done.err
        assert (tmp_path / name).read_bytes() == ports.get(target).body
    done = posectl("mesh", robot, "-o", tmp_path / "out.glb", "--json", *folder, *server)
    assert json.loads(done.out) == {"model": "robot.glb", "file": str(tmp_path / "out.glb"), "bytes": (tmp_path / "out.glb").stat().st_size}


@pytest.mark.parametrize("arguments, name, target", [
    (["sheet", "robot.glb", "--clip", "walk", "--frames", "3"], "robot-sheet.png", "sheet?model=robot.glb&clip=walk&frames=3"),
    (["sheet", "robot.glb", "--frames", "2", "-o", "x.gif"], "x.gif", "sheet?model=robot.glb&frames=2&format=gif"),
    (["turntable", "robot.glb", "--frames", "2"], "robot-turntable.png", "turntable?model=robot.glb&frames=2"),
    (["render", "robot.glb", "--format", "jpeg"], "robot.jpg", "render?model=robot.glb&format=jpeg"),
    (["render", "robot.glb", "-o", "a.JPG", "--quality", "40"], "a.JPG", "render?model=robot.glb&format=jpeg&quality=40"),
    (["render", "robot.glb", "-o", "a.webp"], "a.webp", "render?model=robot.glb&format=webp"),
    (["render", "robot.glb", "--passes", "depth,joint"], "robot.npz", "render?model=robot.glb&passes=depth,joint"),
    (["render", "robot.glb", "--passes", "depth", "--passes", "node", "-o", "a.npz"], "a.npz", "render?model=robot.glb&passes=depth,node"),
    (["render", "robot.glb", "--passes", "depth", "-o", "a.png"], "a.png", "render?model=robot.glb&passes=depth&format=png"),
    (["turntable", "robot.glb", "--frames", "2", "-o", "a.y4m"], "a.y4m", "turntable?model=robot.glb&frames=2&format=y4m"),
    (["turntable", "robot.glb", "--frames", "2", "--format", "webp"], "robot-turntable.webp",
     "turntable?model=robot.glb&frames=2&format=webp"),
    (["sheet", "robot.glb", "-o", "x.json"], "x.json", "sheet?model=robot.glb&format=json"),
])
def test_sheets_and_turntables(ports, tmp_path, arguments, name, target):
    done = posectl(*arguments, "--width", "32", "--height", "32", "--server", ports.unix, cwd=tmp_path)
    assert done.status == 0, done.err
    assert (tmp_path / name).read_bytes() == ports.get(f"/v1/{target}&width=32&height=32").body


def test_layers_are_asked_for_in_a_body(ports):
    layers = [{"clip": "walk"}, {"clip": "wave", "weight": 0.5}]
    done = posectl("pose", "robot.glb", "--layers", json.dumps(layers), "--joints", "head", "--json", "--server", ports.unix)
    assert done.status == 0, done.err
    assert len(json.loads(done.out)["layers"]) == 2


def test_what_is_asked_of_a_server(ports, tmp_path):
    (tmp_path / "queries.json").write_text('{"queries":[{"op":"pose","model":"robot.glb"},{"op":"palette","model":"robot.glb","clip":"x"}]}')
    for command, target in ["formats", "/v1/formats"], ["version", "/v1/version"], ["models", "/v1/models"]:
        answer = ports.get(target).body.decode()
        assert posectl(command, "--json", "--server", ports.unix).out == answer
        assert posectl(command, "-o", "file", "--server", ports.unix, cwd=tmp_path).status == 0
        assert (tmp_path / "file").read_text() == answer
        assert posectl(command, "too", "many", "--server", ports.unix).status == 2
    done = posectl("query", "queries.json", "--models", SAMPLES, cwd=tmp_path)
    first, second = json.loads(done.out)["results"]
    assert (done.status, first["model"], second["error"]["code"]) == (1, "robot.glb", "clip_not_found")
    assert done.err == "posectl: query 1: clip_not_found: 'robot.glb' has no clip 'x'\n"
    assert posectl("query", "no-such.json").status == 2


def test_the_models_of_a_folder(tmp_path):
    for path in "a.glb", "birds/b.glb", "birds/deep/c.glb":
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROBOT, tmp_path / path)
    rows = lambda *arguments: [row.split()[-1] for row in posectl("models", *arguments, cwd=tmp_path).out.splitlines()]
    assert rows() == ["a.glb", "birds/b.glb", "birds/deep/c.glb"] and rows("birds") == rows("birds/") == ["birds/b.glb", "birds/deep/c.glb"]
    assert rows("--limit", "1") == ["a.glb"] and rows("--after", "a.glb", "--limit", "1") == ["birds/b.glb"]
    assert rows("--prefix", "birds/d") == ["birds/deep/c.glb"]
    assert posectl("models", "a.glb", cwd=tmp_path).status == 2


def test_boxes(ports):
    """Rows of numbers: for times, for a clip, for joints."""
    numbers = lambda text: [float(x) for x in text.split()]
    done = posectl("bounds", "robot.glb", "--clip", "walk", "--t", "0.25,0.5", "--per", "joint", "--server", ports.unix)
    answer = ports.json("/v1/bounds", model="robot.glb", clip="walk", t="0.25,0.5", per="joint")
    rows = re.findall(r"^ +everything ([-. \d]+)$", done.out, re.M)
    for row, frame in zip(rows, answer["frames"], strict=True):
        assert numbers(row) == pytest.approx([*frame["bounds"]["min"], *frame["bounds"]["max"]], abs=1e-6)
    head = re.findall(r"^  joint  head +([-. \d]+)$", done.out, re.M)[1]
    box = answer["frames"][1]["joints"][[joint["name"] for joint in answer["joints"]].index("head")]["scene"]
    assert numbers(head) == pytest.approx([*box["min"], *box["max"]], abs=1e-6)
    over = posectl("bounds", "robot.glb", "--clip", "walk", "--over", "clip", "--server", ports.unix).out
    assert re.search(r"^from 0 to 1\.2 s, \d+ poses$", over, re.M) and len(re.findall("everything", over)) == 1


def test_a_flag_needs_no_value(ports, tmp_path):
    for words in ["--shadow"], ["--shadow", "1"], ["--shadow=true"], ["--param", "shadow=1"]:
        done = posectl("render", *words, "robot.glb", "--t", "0.5", "--width", "40", "-o", "a.png", "--server", ports.unix, cwd=tmp_path)
        assert done.status == 0, done.err
        assert (tmp_path / "a.png").read_bytes() == ports.get("/v1/render?model=robot.glb&t=0.5&width=40&shadow=1").body


@pytest.mark.short
def test_people_see_aligned_rows():
    info = posectl("info", ROBOT)
    assert re.search(r"^  +1  wave +2\.000 +7 +135  cubic$", info.out, re.M), info.out
    pose = posectl("pose", ROBOT, "--joints", "head")
    assert re.search(r"^ +\d+  head( +-?\d+\.\d{6}){3}$", pose.out, re.M), pose.out
    keypoints = posectl("keypoints", ROBOT, "--points", '[{"name":"tip","joint":"head","offset":[0,0.1,0]},{"joint":0}]')
    assert re.search(r"^  tip( +-?\d+\.\d{2}){2} +\d+\.\d{6}  (visible|hidden)$", keypoints.out, re.M), keypoints.out + keypoints.err
    palette = posectl("palette", ROBOT, "--clip", "-")
    rows = [line for line in palette.out.splitlines() if re.match(r".*(-?\d+\.\d{6} *){4}$", line)]
    assert len(rows) == 3 * 19 and "\033" not in info.out + pose.out + palette.out
    version, told = posectl("version"), json.loads(posectl("version", "--json").out)
    values = {re.match(f"{key} +", line).end() for key, line in zip(told, version.out.splitlines(), strict=True)}
    assert values == {max(map(len, told)) + 2}, version.out


@pytest.mark.short
@pytest.mark.parametrize("arguments, status, says", [
    (["rendr", "x.glb"], 2, "did you mean render?"),
    (["render", "x.glb", "--wdth", "3"], 2, "did you mean --width?"),
    (["render", "no-such.glb"], 2, "'no-such.glb': No such file"),
    (["render", ROBOT, "--clip", "wlak"], 1,
     "clip_not_found: 'robot.glb' has no clip 'wlak'\nposectl: candidates: 0 'walk', 1 'wave', 2 'dance'"),
    (["render", ROBOT, "-o", "r.bmp"], 2, "render writes .png, .json, .jpeg, .webp, .npz, not 'r.bmp'"),
    (["sheet", ROBOT, "-o", "dir.d/s.bmp"], 2, "sheet writes .png, .apng, .gif, .webp, .json, .jpeg, .y4m, not 'dir.d/s.bmp'"),
    (["mesh", ROBOT, "-o", "m.txt"], 2, "mesh writes .json, .bin, .glb, not 'm.txt'"),
    (["pose", ROBOT, "-o", "p.glb"], 2, "pose writes .json, .bin, not 'p.glb'"),
    (["bounds", ROBOT, "-o", "b.bin"], 2, "bounds writes .json, not 'b.bin'"),
    (["mesh", ROBOT, "-o", "m.glb", "--format", "json"], 2, "--format json and the extension of 'm.glb' contradict each other"),
    (["turntable", ROBOT, "-o", "t.png", "--format", "gif"], 2, "--format gif and the extension of 't.png' contradict each other"),
    (["thumbs", SAMPLES, "-o", "out", "--size", "5000"], 2, "bad_parameter: parameter 'width' is '5000'"),
    (["thumbs", SAMPLES, "-o", "out", "--view", "nope"], 2, "bad_parameter: parameter 'view' is 'nope'"),
    (["thumbs", SAMPLES, "-o", "out", "--layers", "[{]"], 2, "bad_request: the body is not JSON"),
    (["render", ROBOT, "--width", "abc"], 2, "bad_parameter: parameter 'width' is 'abc'; it must be a whole number"),
    (["pose", ROBOT, "--layers", "[{]"], 2, "bad_request: the body is not JSON"),
    (["render", ROBOT, "--param", "Wdth"], 2, "--param takes NAME=VALUE"),
    (["render", ROBOT, "--width", "9", "--width", "8"], 2, "given twice"),
    (["render"], 2, "missing argument; usage: posectl render MODEL"),
    (["render", ROBOT, ROBOT], 2, "takes one model"),
    (["render", SAMPLES], 2, "is not a model"),
    (["thumbs", SAMPLES], 2, "-o DIR"),
    (["thumbs", SAMPLES, "-o", "out", "--size", "none"], 2, "--size takes a whole number"),
    (["check", SAMPLES, "--fail-on", "doom"], 2, "--fail-on takes one of error|warning|info|never"),
    (["check", SAMPLES, "--severity", "no-rule=off"], 2, "--rules lists them"),
    (["info", "x.glb", "--server", "127.0.0.1:1"], 3, "cannot connect"),
    (["info", "x.glb", "--server", "http://127.0.0.1:7878"], 3, "is a URL, but posectl uses the binary protocol"),
    (["info", "x.glb", "--server", "nowhere"], 3, "neither HOST:PORT, nor a port, nor the path"),
    (["render", ROBOT, "-o", "/proc/no/file.png"], 3, "cannot write /proc/no/file.png"),
    ([], 2, "posectl --help"),
])
def test_what_is_wrong_is_said(tmp_path, arguments, status, says):
    done = posectl(*arguments, cwd=tmp_path)
    assert (done.status, says in done.err) == (status, True), (done.status, done.err)
    assert done.out == "" and list(tmp_path.iterdir()) == []


def test_a_misspelt_file_names_the_nearest(tmp_path):
    (tmp_path / "rigs").mkdir()
    shutil.copy(ROBOT, tmp_path / "rigs/robot.glb")
    for given, meant in ("rigs/rbot.glb", "; did you mean 'rigs/robot.glb'?"), ("rig", "; did you mean 'rigs'?"), ("rigs/dragon.glb", ""), ("no/robot.glb", ""):
        done = posectl("info", given, cwd=tmp_path)
        assert (done.status, done.err) == (2, f"posectl: '{given}': No such file or directory{meant}\n")


def test_an_error_names_the_server_that_answered(ports):
    tcp = ports.ports["tcp"]
    for address, named in (tcp, tcp), (tcp.split(":")[1], tcp), (ports.unix, ports.unix):
        done = posectl("info", "nothing.glb", "--server", address)
        assert done.status == 1 and done.err.splitlines()[0].startswith("posectl: model_not_found: "), done.err
        assert done.err.splitlines()[0].endswith(f" (server {named})")
    assert "(server" not in posectl("info", "robot.glb", "--clip", "nothing", cwd=SAMPLES).err


def test_a_port_alone_is_one_of_this_machine(ports):
    done = posectl("info", "robot.glb", "--server", ports.ports["tcp"].split(":")[1])
    assert done.status == 0 and "robot.glb" in done.out, done.err


NUMBERS = r"(?:PIXELS|DEGREES|STOPS|QUALITY|SHARE|FACTOR|RATE|SECONDS|COUNT|ROW|N|S|MINX)(?![\w=/])"


@pytest.mark.parametrize("command", ["palette", "pose", "mesh", "bounds", "convert", "bake", "render", "sheet", "turntable", "thumbs", "check",
                                     "diff", "models", "bench"])
def test_text_in_place_of_a_number_is_a_wrong_command_line(ports, tmp_path, command):
    options = re.findall(rf"^  (?:-\w, )?(--[\w-]+) {NUMBERS}", posectl(command, "--help").out, re.M)
    models = {"diff": ["robot.glb", "dragon.glb"], "models": []}.get(command, ["robot.glb"])
    more = {"convert": ["-o", "out.glb"], "thumbs": ["-o", "out"], "diff": ["--format", "markdown"]}.get(command, [])
    for option in options:
        done = posectl(command, *models, *more, f"{option}=abc", "--server", ports.unix, cwd=tmp_path)
        assert done.status == 2 and "abc" in done.err + done.out, (option, done.status, done.err)
    assert options and not list(tmp_path.rglob("*.png"))


def test_the_port_of_http_is_told_apart(ports):
    done = posectl("version", "--server", ports.ports["http"])
    assert done.status == 3 and "is this the port of its --http?" in done.err


@pytest.mark.parametrize("arguments, status, code", [
    (["pose", ROBOT, "--joints", "hed"], 1, "joint_not_found"),
    (["info", "x.glb", "--server", "127.0.0.1:1"], 3, "connection_lost"),
    (["render", ROBOT, "-o", "/proc/no/file.png"], 3, "failed"),
    (["render", ROBOT, "--wdth", "3"], 2, "usage"),
])
def test_with_json_errors_are_json(tmp_path, arguments, status, code):
    done = posectl(*arguments, "--json", cwd=tmp_path)
    error = json.loads(done.out)["error"]
    assert (done.status, error["code"]) == (status, code) and error["message"] in done.err
    assert ("candidates" in error) == (code == "joint_not_found")


def test_each_model_of_info_is_answered(ports):
    done = posectl("info", "robot.glb", "nobody.glb", "dragon.glb", "--json", "--server", ports.unix)
    lines = [json.loads(line) for line in re.findall(r"^\{.*?\n(?=\{|\Z)", done.out, re.M | re.S)]
    assert done.status == 1 and len(lines) == 3
    assert [line.get("model") for line in lines] == ["robot.glb", None, "dragon.glb"]


def test_a_server_that_wants_a_token(start, tmp_path):
    (tmp_path / "tokens").write_text("a-token-of-20-letters\n")
    server = start("--tcp", "127.0.0.1:0", "--token-file", str(tmp_path / "tokens"), root=SAMPLES)
    ask = ["info", "robot.glb", "--json", "--server", server.ports["tcp"]]
    assert posectl(*ask).status == 3
    assert posectl(*ask, "--token-file", tmp_path / "tokens").status == 0
    assert posectl(*ask, env={"POSED_TOKEN": "a-token-of-20-letters"}).status == 0


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_the_private_server_ends_with_posectl(number):
    running = begin("bench", ROBOT, "--seconds", "600")
    wait_until(lambda: children(running.pid))
    server, = children(running.pid)
    wait_until(lambda: running.poll() is not None or b"posed\0" in open(f"/proc/{server}/cmdline", "rb").read())
    sockets = [word for word in open(f"/proc/{server}/cmdline", "rb").read().split(b"\0") if word.endswith(b".sock")]
    wait_until(lambda: os.path.exists(sockets[0]))
    running.send_signal(number)
    running.communicate(timeout=PATIENCE_S)
    assert running.returncode == (-number if number == signal.SIGKILL else 130)
    wait_until(lambda: not is_running(server))
    assert not os.path.exists(sockets[0])


def test_the_socket_of_a_killed_private_server_is_removed_by_the_next():
    with tempfile.TemporaryDirectory(prefix="posed-") as folder:  # a short path, because that of a socket has at most 107 bytes
        path = os.path.join(folder, "posectl-1-2.sock")
        with socket.socket(socket.AF_UNIX) as killed:
            killed.bind(path)
        assert os.path.exists(path) and posectl("info", ROBOT, env={"XDG_RUNTIME_DIR": folder}).status == 0
        assert not os.path.exists(path)


def test_the_socket_of_a_server_that_starts_is_left_alone():
    """Between bind() and listen() it looks like the socket of a killed server. Servers hold the folder's lock meanwhile."""
    with tempfile.TemporaryDirectory(prefix="posed-") as folder, socket.socket(socket.AF_UNIX) as starting:
        path = os.path.join(folder, "posectl-1-2.sock")
        lock = os.open(folder, os.O_RDONLY)
        fcntl.flock(lock, fcntl.LOCK_EX)
        starting.bind(path)
        running = begin("info", ROBOT, env={"XDG_RUNTIME_DIR": folder})
        wait_until(lambda: children(running.pid))  # its server, which waits for the lock
        assert os.path.exists(path)
        os.close(lock)
        assert running.communicate(timeout=PATIENCE_S)[0] and running.returncode == 0


def test_names_without_an_ending_are_as_they_were(ports, tmp_path):
    small = ["--width", "16", "--height", "16", "--server", ports.unix]
    for command, name, options, begins in [
            ("render", "plain", [], b"\x89PNG"), ("render", ".hidden", [], b"\x89PNG"), ("render", "a.b/plain", [], b"\x89PNG"),
            ("turntable", "moves.png", ["--format", "apng", "--frames", "1"], b"\x89PNG"),
            ("sheet", "S.GIF", ["--frames", "1"], b"GIF8"), ("sheet", "frame.0001", ["--frames", "1", "--format", "gif"], b"GIF8")]:
        done = posectl(command, "robot.glb", "-o", name, *options, *small, cwd=tmp_path)
        assert done.status == 0, done.err
        assert (tmp_path / name).read_bytes().startswith(begins)
    done = posectl("render", "robot.glb", "-o", "-", *small, text=False)
    assert done.status == 0 and done.out.startswith(b"\x89PNG")


def test_posed_is_found_where_the_environment_says(tmp_path):
    """A posectl without posed beside it finds one, too. Otherwise it prints where it looked."""
    shutil.copy(POSECTL, tmp_path)
    alone = lambda **env: subprocess.run([tmp_path / "posectl", "version", "--json"], capture_output=True, text=True,
                                         env=environment(PATH=str(tmp_path), **env))
    assert alone(POSED_PROGRAM=str(POSECTL.parent / "posed")).returncode == 0
    lost, wrong = alone(), alone(POSED_PROGRAM="/nowhere/posed")
    assert lost.returncode == wrong.returncode == 3
    assert f"cannot run posed, neither in {tmp_path}/ nor on the PATH; POSED_PROGRAM" in lost.stderr
    assert "cannot run /nowhere/posed, which POSED_PROGRAM names: No such file" in wrong.stderr
    assert "POSED_PROGRAM" in posectl("--help").out


def test_the_environment_of_a_server_is_not_the_private_ones(tmp_path):
    done = posectl("info", ROBOT, env={"POSED_TOKEN_FILE": "/no/such/file", "POSED_ROOT": "/no/such", "POSED_UPLOADS": "/nowhere"})
    assert done.status == 0, done.err


@pytest.mark.parametrize("op", ["palette", "pose", "mesh", "render"])
def test_bench_counts_answers(ports, op):
    done = posectl("bench", "robot.glb", "--op", op, "--seconds", "0.2", "-c", "2", "--size", "32", "--json", "--server", ports.unix)
    result = json.loads(done.out)
    assert result["answers"] > 0 and result["connections"] == 2 and result["op"] == op
    assert 0 < result["latency_ms"]["p50"] <= result["latency_ms"]["p99"] <= result["latency_ms"]["max"]


def test_colours_and_a_bar_only_on_a_terminal(tmp_path):
    models = tmp_path / "models"
    models.mkdir()
    for i in range(12):
        shutil.copy(ROBOT, models / f"{i}.glb")
    status, shown = on_terminal("thumbs", "models", "-o", "out", "--size", "256", "-j", "1", cwd=tmp_path)
    assert status == 0
    assert re.search(r"\rthumbs \[#*-+\] \d+/12  \d+(\.\d)?/s  \d+ s left", shown), shown
    assert "\033[32m12 drawn\033[0m" in shown
    assert "\033[1m" in on_terminal("info", ROBOT, cwd=tmp_path)[1]
    assert "\033[1m" not in on_terminal("info", ROBOT, cwd=tmp_path, NO_COLOR="1")[1]
    assert "\033[1m" in posectl("info", ROBOT, "--color", "always", env={"NO_COLOR": "1"}).out
    assert "refusing to write a picture to a terminal" in on_terminal("render", ROBOT, "-o", "-", cwd=tmp_path)[1]


@pytest.mark.parametrize("closed, status", [("<&-", 0), (">&-", 3), ("2>&-", 0), ("<&- >&- 2>&-", 3)])
def test_standard_files_may_be_closed(closed, status):
    """Only the output is lost, and the exit status reports it."""
    done = subprocess.run(["sh", "-c", f'exec "$@" {closed}', "sh", POSECTL, "info", ROBOT], env=environment(), capture_output=True)
    assert done.returncode == status, done.stderr
    assert bool(done.stdout) == (status == 0) and (closed != ">&-" or b"stdout" in done.stderr)


def test_names_cannot_speak_to_the_terminal(tmp_path):
    model = json.loads((REPOSITORY / "protocol/examples/awkward.gltf").read_text())
    model["nodes"][0]["name"] = "\033[31mred\u009b1m"
    (tmp_path / "evil.gltf").write_text(json.dumps(model))
    done = posectl("pose", "evil.gltf", "--clip", "-", cwd=tmp_path)
    assert done.status == 0, done.err
    assert "\\x1b[31mred\\u009b1m" in done.out and "\033" not in done.out and "\u009b" not in done.out


@pytest.mark.parametrize("arguments", [
    ["info", "no\033[31mpe"], ["render", "evil\033[31m.glb", "--width", "16"], ["mesh", "evil\033[31m.glb", "-o", "m\033[31m.glb"],
    ["sheet", "evil\033[31m.glb", "--frames", "1", "--width", "16"], ["thumbs", "evil\033[31m.glb", "-v", "-o", "out", "--size", "16"],
    ["render", "evil\033[31m.glb", "--clip", "\033[31m"], ["\033[31m"], ["info", "--\033[31m"],
    ["version", "-s", "/nowhere\033[31m"], ["render", "evil\033[31m.glb", "-o", "/proc/\033[31m.png"],
], ids=lambda arguments: arguments[0].replace("\033", "?"))
def test_names_of_files_cannot_speak_to_the_terminal_either(tmp_path, arguments):
    shutil.copy(ROBOT, tmp_path / "evil\033[31m.glb")
    done = posectl(*arguments, cwd=tmp_path)
    shown = done.out + done.err
    assert "\\x1b[31m" in shown or "has no clip '?[31m'" in shown, shown  # the latter is a message of the server
    assert "\033" not in shown, shown


# --- made from the tables ---


@pytest.mark.short
def test_every_command_has_help_and_every_option_a_place_in_the_manual():
    commands = re.findall(r"^  (\w+) ", re.search(r"Commands:\n(.*?)\n\n", posectl("--help").out, re.S)[1], re.M)
    manual = posectl("man").out
    assert len(commands) == len(re.findall(r"^COMMAND\(", (REPOSITORY / "clients/cli/command_line/options.def").read_text(), re.M))
    for command in commands:
        text = posectl(command, "--help").out
        assert text.startswith(f"posectl {command} - ") and text == posectl("help", command).out
        for option, values in re.findall(r"^  (?:-\w, )?(--[a-z-]+)(?: (\S+))?", text, re.M):
            assert option.replace("-", r"\-") in manual
            assert values.replace("-", r"\-") in manual, (option, values)
    assert "--view lit|weights|skeleton|" in posectl("render", "--help").out and "--shadow [0|1]" in posectl("thumbs", "--help").out
    assert not re.search(r" VALUE\b", manual)


def bash_completes(tmp_path, *words):
    script = tmp_path / "posectl.bash"
    script.write_text(posectl("completion", "bash").out)
    line = f'COMP_WORDS=({" ".join(words)}); COMP_CWORD={len(words) - 1}; _posectl; printf "%s\\n" "${{COMPREPLY[@]}}"'
    return subprocess.run(["bash", "-c", f'source {script}; {line}'], capture_output=True, text=True, check=True,
                          cwd=tmp_path).stdout.split()


def test_bash_completes(tmp_path):
    assert bash_completes(tmp_path, "posectl", "th") == ["thumbs"]
    assert {"--clip-name", "--clip-file", "--clip-hash"} <= set(bash_completes(tmp_path, "posectl", "render", "--clip-"))
    assert bash_completes(tmp_path, "posectl", "check", "--format", "s") == ["sarif"]
    assert bash_completes(tmp_path, "posectl", "sheet", "--format", "g") == ["gif"]
    assert bash_completes(tmp_path, "posectl", "thumbs", "--view", "w") == ["weights", "wireframe"]
    assert bash_completes(tmp_path, "posectl", "render", "--camera", "t") == ["top", "three_quarter"]
    assert bash_completes(tmp_path, "posectl", "render", "--view", "=", "sk") == ["skeleton"]
    assert "skeleton" in bash_completes(tmp_path, "posectl", "render", "--view", "=")
    assert bash_completes(tmp_path, "posectl", "--server", "here:1", "bench", "--op", "po") == ["pose"]
    (tmp_path / "fox.glb").touch()
    assert bash_completes(tmp_path, "posectl", "render", "fo") == ["fox.glb"]


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_other_shells_take_the_completion(tmp_path, shell):
    script = posectl("completion", shell).out
    assert "thumbs" in script and "clip" in script and "--clip" in script.replace("-l clip", "--clip")
    if shutil.which(shell):
        (tmp_path / "script").write_text(script)
        subprocess.run([shell, "-n", tmp_path / "script"], check=True)


@pytest.mark.skipif(not shutil.which("groff"), reason="no groff")
@pytest.mark.parametrize("page", ["posectl.1", "posed.1"])
def test_the_manual_is_valid(tmp_path, page):
    text = (POSECTL.parent / "gen" / page).read_bytes()
    done = subprocess.run(["groff", "-man", "-Tutf8", "-ww"], input=text, capture_output=True, check=True)
    assert done.stderr == b"" and len(done.stdout) > 4000
