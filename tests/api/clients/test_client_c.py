"""The C client against a real server on TCP and a Unix socket: the same bytes as HTTP, streams, watches, errors.
tests/unit/packets/test_client.c and tests/fuzz/fuzz_client.c test hostile bytes."""
import json
import os
import re
import shutil
import struct
import subprocess
import sys

import pytest

import packets
from client_probe import Probe
from conftest import BUILD, PATIENCE_S, REPOSITORY, SAMPLES, Server

sys.path.insert(0, str(REPOSITORY / "tests" / "oracle"))
from gltf_evaluator import Model  # noqa: E402

pytestmark = pytest.mark.short
KIND = packets.KIND


@pytest.fixture(scope="module")
def ports(tmp_path_factory):
    if os.environ.get("POSED_SERVER"):
        pytest.skip("needs a server of its own")
    root = tmp_path_factory.mktemp("client")
    for name in "dragon.glb", "robot.glb":
        shutil.copy(SAMPLES / name, root / name)
    unix = str(root / "socket")
    running = Server(root, "--tcp", "127.0.0.1:0", "--unix", unix)
    running.unix, running.root = unix, root
    yield running
    running.end()


@pytest.fixture(params=["tcp", "unix"])
def probe(ports, request):
    with Probe(ports.ports["tcp"] if request.param == "tcp" else ports.unix) as one:
        assert one.ask("hello").startswith("hello 1 10000 ")
        yield one


@pytest.mark.parametrize("line, target", [
    ("palette t=0.3", "palette?t=0.3&format=bin"),
    ("palette clip=2 t=0,0.5,1.25 layout=1 space=1 indices=0 wrap=2",
     "palette?clip=2&t=0,0.5,1.25&layout=mat3x4&space=root&skin=0&wrap=mirror&format=bin"),
    ("palette clip=0 t=0,1,10 flags=16 layout=1 wrap=1", "palette?clip=0&t=0:1:10&layout=mat3x4&wrap=clamp&format=bin"),
    ("pose clip=1 t=0.25 what=3 indices=3,5,3", "pose?clip=1&t=0.25&what=local,scene&joints=3,5,3&format=bin"),
    ("pose clip=1 t=0.9 flags=15 from=0.1 to=0.7 speed=-0.5 phase=0.25",
     "pose?clip=1&t=0.9&from=0.1&to=0.7&speed=-0.5&phase=0.25&format=bin"),
    ("pose clip=0 t=0.7 flags=96", "pose?clip=0&t=0.7&root_motion=extract&yaw=1&format=bin"),
    ("mesh clip=2 t=0.4 flags=896", "mesh?clip=2&t=0.4&indices=1&normals=1&rest=1&format=bin"),
])
def test_frames_are_those_of_http(ports, probe, line, target):
    probe.ask("open dragon.glb")
    path, rest = target.split("?")
    assert probe.payload(line, "frames") == ports.get(f"/v1/{path}?model=dragon.glb&{rest}").body


def test_each_kind_of_frames_has_its_call(ports, probe):
    probe.ask("open robot.glb")
    for number, kind in enumerate(("palette", "pose", "mesh"), start=1):
        body = ports.get(f"/v1/{kind}?model=robot.glb&clip=1&t=0.25,0.5&format=bin").body
        assert probe.ask(f"frames {kind} clip=1 t=0.25,0.5") == f"frames {number} 2 {body.hex()}"
        assert probe.ask(f"frames {kind} flags=1024").endswith("use posed_ask()")
    assert probe.ask("frames pose clip=99").startswith("error ")


def test_other_forms_are_those_of_http(ports, probe):
    assert probe.ask("open robot.glb").startswith("opened 1 1 20 1 3 1 ")
    same = [("info", "json", "/v1/model?model=robot.glb"),
            ("pose clip=-1 flags=1024", "json", "/v1/pose?model=robot.glb&clip=-"),
            ("mesh clip=1 t=0.3 flags=6144", "glb", "/v1/mesh?model=robot.glb&clip=1&t=0.3&format=glb&textures=none"),
            ("render clip=1 t=0.3 width=64 height=48 background=102030ff yaw=30 pitch=10", "png",
             "/v1/render?model=robot.glb&clip=1&t=0.3&width=64&height=48&background=102030&yaw=30&pitch=10"),
            ("call /v1/bounds?model=robot.glb&over=clip", "json", "/v1/bounds?model=robot.glb&over=clip"),
            ('call /v1/pose {"model":"robot.glb","t":[0.5],"joints":["head"]}', "json",
             "/v1/pose?model=robot.glb&t=0.5&joints=head")]
    for line, kind, target in same:
        assert probe.payload(line, kind) == ports.get(target).body, line


def test_names_are_found(probe):
    probe.ask("open robot.glb")
    assert probe.ask("find clip wave") == "found 1 1 1 -1 2 0 wave"
    assert probe.ask("find node head") == probe.ask("index node " + probe.ask("find node head").split()[3])
    skin = probe.ask("index skin 0").split()
    assert skin[1] == "2" and len(skin[7:]) >= 19
    assert probe.ask("find clip wlak").startswith("error 21 ") or "no clip 'wlak'" in probe.ask("find clip wlak")


def test_errors_are_the_servers_and_the_connection_goes_on(probe):
    assert "no such model" in probe.ask("open nothing.glb") or probe.ask("open nothing.glb").startswith("error 20 ")
    probe.ask("open robot.glb")
    assert probe.ask("palette clip=99").startswith("error ")
    assert probe.ask("palette mesh=3").startswith("error ")
    assert probe.ask("ping") == "done"
    assert probe.ask("close") == "done"
    assert probe.ask("info").startswith("error 20 ")


def test_a_stream_sends_frames_for_credit(ports, probe):
    probe.ask("open dragon.glb")
    assert probe.ask("subscribe kind=6 credit=2 position=0.5 stream_speed=0 stream_rate=200") == "done"
    for tick in range(2):
        payload = probe.payload("next 30000", "stream")
        assert struct.unpack_from("<Q2I", payload)[2] == 1 - tick
        assert payload[16:] == ports.get("/v1/pose?model=dragon.glb&t=0.5&format=bin").body
    assert probe.ask("next 30") == "nothing"
    assert probe.ask("control steer=4 seek=1.25") == "done"
    assert probe.ask("credit 1") == "done"
    payload = probe.payload("next 30000", "stream")
    assert payload[16:] == ports.get("/v1/pose?model=dragon.glb&t=1.25&format=bin").body
    assert probe.ask("unsubscribe") == "done"
    assert probe.ask("credit 5") == "done"
    assert probe.ask("ping") == "done"


def test_a_stream_of_layers_shows_a_given_pose(ports, probe):
    """What a query has no member for is JSON: a clip's frame sent back as a layer, and turns."""
    probe.ask("open robot.glb")
    frame = ports.json("/v1/pose", model="robot.glb", clip="walk", t=0.3, what="local")
    wanted = ports.get("/v1/pose?model=robot.glb&clip=walk&t=0.3&what=local&format=bin").body[-20 * 40:]
    more = json.dumps({"layers": [{"clip": "wave"}, {"pose": {"nodes": list(range(20)), "local": frame["frames"][0]["local"]}}]}, separators=(",", ":"))
    assert probe.ask(f"subscribe kind=6 what=1 credit=1 position=0.7 more={more}") == "done"
    payload = probe.payload("next 30000", "stream")
    assert payload[-20 * 40:] == wanted != ports.get("/v1/pose?model=robot.glb&clip=wave&t=0.7&what=local&format=bin").body[-20 * 40:]
    assert probe.ask("unsubscribe") == "done"
    assert probe.ask('subscribe kind=5 clip=0 credit=1 position=0.5 more={"turn":["head:0,40,0","arm_left:0,0,70"]}') == "done"
    assert probe.payload("next 30000", "stream")[16:] == ports.get(
        "/v1/palette?model=robot.glb&clip=0&t=0.5&turn=head:0,40,0&turn=arm_left:0,0,70&format=bin").body
    for more, code in (('{"t":1}', 3), ('{"estimate":1}', 3), ('{"what":"local"}', 4), ('{"layers":[{"pose":{}}]}', 3), ("[]", 1), ("{", 1),
                       ('{"dance":1}', 2), ('{"layers":[{"clip":0}],"clip":1}', 3)):
        assert probe.ask(f"subscribe kind=6 what=1 credit=1 more={more}").startswith(f"error {code} "), more
    assert probe.ask("palette flags=16384").startswith("error 2 ") and probe.ask("ping") == "done"


def test_a_watch_tells_of_a_change_and_handles_go_on(ports, tmp_path):
    model = ports.root / "watched.glb"
    shutil.copy(SAMPLES / "robot.glb", model)
    with Probe(ports.unix) as probe:
        opened = probe.ask("open watched.glb").split()
        assert probe.ask("watch 1") == "done"
        shutil.copy(SAMPLES / "dragon.glb", tmp_path / "new.glb")
        os.replace(tmp_path / "new.glb", model)
        changed = probe.ask("next 30000").split()
        assert changed[:2] == [str(KIND["changed"]), "2"] and changed[2] != opened[-1]
        assert probe.ask("palette wanted=1").startswith("error 26 ")
        assert probe.payload("palette wanted=2 t=0.1", "frames") == ports.get(
            "/v1/palette?model=watched.glb&t=0.1&format=bin").body


def test_the_hello_is_refused_without_the_token(start, tmp_path):
    (tmp_path / "tokens").write_text("a-token-of-20-letters\n")
    server = start("--tcp", "127.0.0.1:0", "--token-file", str(tmp_path / "tokens"))
    with Probe(server.ports["tcp"]) as probe:
        assert probe.process.stdout.readline().startswith("error 16 ")
    with Probe(server.ports["tcp"], "a-token-of-20-letters") as probe:
        assert probe.ask("ping") == "done"


def test_a_port_that_speaks_only_http_is_told_apart(ports):
    with Probe(ports.ports["http"]) as probe:
        assert probe.process.stdout.readline().startswith("failed ")


def test_the_example_skins_a_vertex(ports):
    """Weights and position come from the file through the tests' own reader, and the server's position is that of the same vertex."""
    glb = (SAMPLES / "dragon.glb").read_bytes()
    model = Model.from_glb(glb)
    primitive = model.document["meshes"][0]["primitives"][0]["attributes"]
    joints, weights, positions = (model.accessor(primitive[name]) for name in ("JOINTS_0", "WEIGHTS_0", "POSITION"))
    names = [model.nodes[node]["name"] for node in model.document["skins"][0]["joints"]]
    mesh = ports.json("/v1/mesh", model="dragon.glb", clip="fly", t="0.37", rest="1")
    rest, posed = mesh["rest"][0], mesh["frames"][0]["positions"][0]
    at = next(i for i, w in enumerate(weights) if sorted(w)[-2] > 0.3)  # one that follows two joints
    x, y, z = positions[at]
    place = next(i for i in range(0, len(rest), 3) if rest[i:i + 3] == [x, y, z])
    pairs = [f"{names[int(j)]}:{w!r}" for j, w in zip(joints[at], weights[at]) if w > 0]
    done = subprocess.run([BUILD / "example_skin", ports.ports["tcp"], "dragon.glb", "fly", "0.37", repr(x), repr(y), repr(z),
                           *pairs], capture_output=True, text=True, timeout=PATIENCE_S)
    assert done.returncode == 0, done.stderr
    got = [float(n) for n in done.stdout.split()]
    assert len(pairs) >= 2 and max(abs(a - b) for a, b in zip(got, [x, y, z])) > 0.01
    assert got == pytest.approx(posed[place:place + 3], abs=2e-6)


def test_the_header_is_c99_and_cpp(tmp_path):
    source = REPOSITORY / "clients" / "c"
    strict = ["-Wall", "-Wextra", "-Wconversion", "-Werror", "-pedantic", "-fsyntax-only"]
    for compiler in [c for c in ("gcc", "clang") if shutil.which(c)]:
        for name in "posed.c", "example_skin.c":
            subprocess.run([compiler, "-std=c99", *strict, source / name], check=True)
    for compiler in [c for c in ("g++", "clang++") if shutil.which(c)]:
        subprocess.run([compiler, "-std=c++11", *strict, "-x", "c++", source / "example_skin.c"], check=True)


def test_a_cpp_program_with_a_loop_of_its_own(ports, tmp_path):
    """Non-blocking: the program connects, sends many requests ahead and reads answers without a blocking call. It is linked as C++."""
    sanitize = ["-fsanitize=address,undefined"] if "sanitize" in str(BUILD) else []
    subprocess.run(["g++", "-std=c++11", "-Wall", "-Wextra", "-Wconversion", "-Werror", *sanitize, "-I", REPOSITORY, "-o", tmp_path / "loop",
                    REPOSITORY / "tests/clients/poll_loop.cpp", BUILD / "libposed.a"], check=True)
    expected = b"".join(ports.get(f"/v1/palette?model=robot.glb&format=bin&t={i / 100}").body for i in range(200))
    for address in ports.ports["tcp"], ports.unix:
        done = subprocess.run([tmp_path / "loop", address, "robot.glb", "200"], capture_output=True, timeout=PATIENCE_S)
        assert (done.returncode, done.stderr) == (0, b"")
        assert done.stdout == expected
    refused = subprocess.run([tmp_path / "loop", ports.unix, "nobody.glb", "1"], capture_output=True, text=True, timeout=PATIENCE_S)
    assert refused.returncode == 1 and "nobody.glb" in refused.stderr


def test_the_installed_library_builds_the_readmes_program(ports, tmp_path):
    """pkg-config finds the installed header and library."""
    out = os.path.relpath(BUILD, REPOSITORY)
    subprocess.run(["make", "-s", "-o", "all", "install", "NODEPS=1", f"DESTDIR={tmp_path}", "PREFIX=/usr",
                    *([] if out == "build" else [f"out={out}"])], cwd=REPOSITORY, check=True, capture_output=True)
    env = {**os.environ, "PKG_CONFIG_PATH": str(tmp_path / "usr/lib/pkgconfig"), "PKG_CONFIG_SYSROOT_DIR": str(tmp_path)}
    readme = (REPOSITORY / "clients/c/README.md").read_text()
    code = re.search(r"```c\n(.*?)```", readme, re.S)[1]
    (tmp_path / "palette.c").write_text(code.replace("127.0.0.1:7879", ports.ports["tcp"]))
    (tmp_path / "clients").symlink_to(REPOSITORY / "clients")
    commands = re.findall(r"^cc .*$", readme, re.M)
    assert len(commands) == 2
    for command in commands:
        if "sanitize" in str(BUILD):
            command = command.replace("cc ", "gcc -fsanitize=address,undefined ", 1)
        subprocess.run(["bash", "-c", f"rm -f palette && {command}"], cwd=tmp_path, env=env, check=True)
        done = subprocess.run([tmp_path / "palette"], capture_output=True, text=True, timeout=PATIENCE_S)
        assert done.returncode == 0 and f"$ ./palette\n{done.stdout}```\n" in readme, done.stdout + done.stderr
    for path in ("bin/posectl", "share/man/man1/posectl.1", "share/man/man1/posed.1", "share/fish/vendor_completions.d/posectl.fish",
                 "share/bash-completion/completions/posectl", "share/zsh/site-functions/_posectl"):
        assert (tmp_path / "usr" / path).stat().st_size > 500, path
