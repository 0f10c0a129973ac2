"""The binary protocol on TCP and on a Unix socket: the rules of protocol/tcp.md for hello, requests, handles and errors."""
import json
import os
import shutil
import signal
import socket
import stat
import struct
import subprocess

import pytest

import packets
from conftest import BUILD, SAMPLES, Server
from packets import NO_OFFSET, Link, call, find, packet, query, render
from small_models import gltf

pytestmark = pytest.mark.short


class Both:
    """A server and its ports."""

    def __init__(self, running, unix):
        self.server, self.unix, self.tcp = running, unix, running.ports["tcp"]

    def address(self, port):
        return {"tcp": self.tcp, "unix": self.unix}[port]


@pytest.fixture(scope="module")
def both(tmp_path_factory):
    """A server on a copy of two sample models, with all ports; shared by tests that change nothing."""
    if os.environ.get("POSED_SERVER"):
        pytest.skip("needs a server of its own")
    root = tmp_path_factory.mktemp("packets")
    for name in "dragon.glb", "robot.glb":
        shutil.copy(SAMPLES / name, root / name)
    unix = str(root / "s")
    running = Server(root, "--tcp", "127.0.0.1:0", "--unix", unix, "--import-workers", "2")
    yield Both(running, unix)
    code = running.process.poll()
    running.end()
    assert code is None, f"the server died with {code}"
    assert running.process.returncode == 0 and not os.path.exists(unix)


@pytest.fixture(params=["tcp", "unix", "ws"])
def link(both, request):
    with packets.connect(both.server.ports, request.param) as one:
        yield one


def http(both, target, **options):
    answer = both.server.get(target, **options)
    assert answer.status == 200, answer.body
    return answer.body


# --- hello ---


def test_hello_tells_version_and_limits(both, link):
    told = link.hello.view()
    assert link.hello.kind == "hello" and link.hello.id == 0 and told["version"] == 1
    assert told["payload_max"] == 1048576 and told["streams_max"] == 16 and told["frames_max"] == 10000
    # only the release, so that packets do not differ from commit to commit
    assert told["server"].rstrip(b"\0").decode() == json.loads(http(both, "/v1/version"))["version"].split("+")[0]


def test_the_ports_speak_http_as_well(both):
    for port in "tcp", "unix":
        with Link(both.address(port), greet=False) as one:
            one.send(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            text = one.socket.makefile("rb").read()
            assert text.startswith(b"HTTP/1.1 200 OK\r\n") and text.endswith(b'{"status":"ok"}\n')


def test_the_http_port_speaks_http_alone(both):
    with Link(both.server.address, greet=False) as one:
        one.send(packets.hello())
        assert one.socket.recv(100).startswith(b"HTTP/1.1 400 ")


def test_a_later_version_gets_this_one(both):
    with Link(both.tcp, greet=False) as one:
        one.send(packets.hello(version=7))
        assert one.read().view()["version"] == 1


def test_hello_and_requests_may_come_in_one_piece(both):
    with Link(both.tcp, greet=False) as one:
        one.send(packets.hello() + packet("ping", id=5) + packet("open", b"dragon.glb", id=6) + packet("ping", id=7))
        assert [(p.kind, p.id) for p in (one.read() for _ in range(4))] == [
            ("hello", 0), ("done", 5), ("opened", 6), ("done", 7)]


def test_byte_by_byte(both):
    with Link(both.tcp, greet=False) as one:
        for byte in packets.hello() + packet("open", b"dragon.glb", id=6):
            one.send(bytes([byte]))
        assert [one.read().kind, one.read().kind] == ["hello", "opened"]


# --- the same as HTTP ---

QUERIES = [
    ("palette", query(), "/v1/palette?"),
    ("palette", query([0.5], clip=0, layout=1, space=1), "/v1/palette?clip=0&t=0.5&layout=mat3x4&space=root"),
    ("palette", query([-1, 0.25, 1e3], clip=1, wrap=2), "/v1/palette?clip=1&t=-1,0.25,1e3&wrap=mirror"),
    ("palette", query([0, 1, 30], clip=0, flag_names=["range"]), "/v1/palette?clip=0&t=0:1:30"),
    ("palette", query([0.1], [0], clip=-1), "/v1/palette?clip=-&t=0.1&skin=0"),
    ("palette", query([0.3], clip=0, flag_names=["from", "to", "speed", "phase"], from_s=0.1, to_s=0.4, speed=-1.5,
                      phase=0.25), "/v1/palette?clip=0&t=0.3&from=0.1&to=0.4&speed=-1.5&phase=0.25"),
    ("pose", query([0.5], clip=0, what=3), "/v1/pose?clip=0&t=0.5&what=local,scene"),
    ("pose", query([0.5], [3, 1], clip=0, what=1, layout=1), "/v1/pose?clip=0&t=0.5&what=local&joints=3,1&layout=mat3x4"),
    ("pose", query([0.5], clip=0, flag_names=["root_motion", "turn"]), "/v1/pose?clip=0&t=0.5&root_motion=extract&yaw=1"),
    ("mesh", query([0.2], clip=0, flag_names=["indices", "normals", "rest"]),
     "/v1/mesh?clip=0&t=0.2&indices=1&normals=1&rest=1"),
]


@pytest.mark.parametrize("kind, payload, target", QUERIES, ids=[target for _, _, target in QUERIES])
def test_answers_are_the_bytes_of_http(both, link, kind, payload, target):
    for model in "dragon.glb", "robot.glb":
        handle = link.open(model)
        answer = link.ask(kind, payload, model=handle)
        assert answer.kind == "frames", answer.error()
        assert answer.body == http(both, f"{target}&model={model}&format=bin")
        with_json = bytearray(payload)
        struct.pack_into("<I", with_json, 8, struct.unpack_from("<I", payload, 8)[0] | packets.FLAG["query", "json"])
        answer = link.ask(kind, bytes(with_json), model=handle)
        assert (answer.kind, answer.body) == ("json", http(both, f"{target}&model={model}"))


def test_floats_lie_where_they_can_be_used(link):
    """Each block of floats begins at a multiple of 16 from the packet's first byte."""
    handle = link.open("dragon.glb")
    for kind in "palette", "pose", "mesh":
        body = link.ask(kind, query([0, 0.5], clip=0), model=handle).body
        count, frames_offset, frame_bytes = struct.unpack_from("<I", body, 20)[0], *struct.unpack_from("<2Q", body, 32)
        assert (packets.HEADER + frames_offset) % 16 == frame_bytes % 16 == 0
        assert all(struct.unpack_from("<Q", body, 96 + 32 * i + 24)[0] % 16 == 0 for i in range(count))


def test_pictures_and_files_are_those_of_http(both, link):
    handle = link.open("dragon.glb")
    answer = link.ask("render", render([0.4], clip=0, width=64, height=48, yaw_deg=30, pitch_deg=10,
                                       background=[16, 32, 255, 128]), model=handle)
    assert answer.kind == "png"
    assert answer.body == http(both, "/v1/render?model=dragon.glb&clip=0&t=0.4&width=64&height=48&yaw=30&pitch=10"
                                     "&background=1020ff80")
    answer = link.ask("mesh", query([0.4], clip=0, flag_names=["weights"]), model=handle)
    assert answer.body == http(both, "/v1/mesh?model=dragon.glb&clip=0&t=0.4&format=bin&weights=1")
    answer = link.ask("mesh", query([0.4], clip=0, flag_names=["glb", "no_textures"]), model=handle)
    assert answer.kind == "glb"
    assert answer.body == http(both, "/v1/mesh?model=dragon.glb&clip=0&t=0.4&format=glb&textures=none")


def test_call_reaches_every_operation(both, link):
    handle = link.open("dragon.glb")
    for target in "/v1/bounds?clip=0&over=clip&rate=10", "/v1/pose?joints=head&t=0.1", "/v1/model":
        answer = link.ask("call", call(target), model=handle)
        assert (answer.kind, answer.body) == ("json", http(both, target + ("&" if "?" in target else "?") + "model=dragon.glb"))
    body = json.dumps({"layers": [{"clip": 0, "t": 0.2}, {"clip": 1, "t": 0.1, "weight": 0.5}], "format": "bin"})
    answer = link.ask("call", call("/v1/palette", body), model=handle)
    assert answer.kind == "frames"
    for target, kind in ("/v1/models", "json"), ("/v1/formats", "json"), ("/", "other"), ("/healthz", "json"):
        answer = link.ask("call", call(target))
        assert answer.kind == kind and answer.body == http(both, target)
    assert link.ask("call", call("/")).notes == "Content-Type: text/html; charset=utf-8\n"


def test_a_batch_is_a_call(both, link):
    queries = json.dumps({"queries": [{"op": "palette", "model": "dragon.glb", "t": [0, 0.5]},
                                      {"op": "pose", "model": "robot.glb", "clip": "nonsense"}]})
    answer = link.ask("call", call("/v1/query", queries))
    first, second = json.loads(answer.body)["results"]
    assert first == json.loads(http(both, "/v1/palette?model=dragon.glb&t=0,0.5"))
    assert second["error"]["code"] == "clip_not_found"


def test_notes_are_the_headers_of_http(both, link):
    target = "/v1/palette?clip_file=robot.glb&clip=0&format=bin"
    answer = link.ask("call", call(target), model=link.open("dragon.glb"))
    header = both.server.get(target + "&model=dragon.glb").headers
    if answer.kind == "error":
        assert answer.error()[0] == 45 and json.loads(answer.error()[3])["error"]["code"] == "clip_no_match"
        return
    assert answer.notes == f"X-Posed-Unmatched: {header['x-posed-unmatched']}\n"
    assert answer.warnings == int(header.get("x-posed-warnings", 0))


def test_info_is_the_model(both, link):
    handle = link.open("robot.glb")
    answer = link.ask("info", model=handle)
    assert answer.kind == "json" and answer.body == http(both, "/v1/model?model=robot.glb")


def test_find_tells_indices(both, link):
    model = json.loads(http(both, "/v1/model?model=robot.glb"))
    handle = link.open("robot.glb")
    opened = link.ask("open", b"robot.glb").view()
    assert opened["content_hash"].hex() == model["hash"]
    assert [opened[name] for name in ("node_count", "skin_count", "clip_count", "mesh_count")] == [
        len(model[name]) for name in ("nodes", "skins", "clips", "meshes")]
    for clip in model["clips"]:
        for payload in find("clip", clip["name"]), find("clip", index=clip["index"]):
            found = link.ask("find", payload, model=handle).view()
            assert (found["index"], found["duration_s"], found["start_s"], found["rest"].decode()) == (
                clip["index"], clip["duration"], clip["start"], clip["name"])
    skin = model["skins"][0]
    found = link.ask("find", find("skin", index=0), model=handle).view()
    nodes = struct.unpack_from(f"<{found['joint_count']}I", found["rest"])
    assert list(nodes) == [joint["node"] if isinstance(joint, dict) else joint for joint in skin["joints"]]
    node = model["nodes"][3]
    found = link.ask("find", find("node", node["name"]), model=handle).view()
    assert (found["index"], found["node"]) == (3, node["parent"])
    assert link.ask("find", find("mesh", index=0), model=handle).view()["what"] == 4


# --- order ---


def test_pipelined_answers_come_in_order(link):
    handle = link.open("dragon.glb")
    count = 200
    link.send(b"".join(packet("palette", query([i / 100], clip=0), id=i, model=handle) if i % 3 else packet("ping", id=i)
                       for i in range(count)))
    assert [link.read().id for _ in range(count)] == list(range(count))


# --- errors ---


def test_errors_are_those_of_http(both, link):
    handle = link.open("dragon.glb")
    code, offset, message, body = link.ask("palette", query(clip=99), model=handle).error()
    answer = both.server.get("/v1/palette?model=dragon.glb&clip=99")
    assert (code, offset, body) == (21, NO_OFFSET, answer.body) and message == answer.json()["error"]["message"]
    code, _, _, body = link.ask("open", b"nothing.glb").error()
    assert code == 20 and body == both.server.get("/v1/model?model=nothing.glb").body
    assert link.ask("find", find("clip", "flap"), model=handle).error()[0] == 21
    assert link.ask("open", b"../x.glb").error()[0] == 6
    assert link.ask("palette", query([float("nan")]), model=handle).error()[0] == 3
    assert link.ask("palette", query(what=1), model=handle).error()[0] == 2
    assert link.ask("palette", query(), model=99).error()[0] == 20
    assert link.ask("palette", query()).error()[0] == 20
    assert link.ask(77).error()[0] == 9
    assert link.ask("palette", query(), model=handle).kind == "frames"


MALFORMED = {
    "magic": (b"\x89PSDX\r\n\0", 4),
    "version": (packets.MAGIC + b"\0" * 8, 8),
    "hello reserved": (packets.MAGIC + b"\1\0\1\0" + b"\0" * 4, 10),
    "token too long": (packets.MAGIC + b"\1\0\0\0\1\1\0\0", 12),
    "token padding": (packets.hello(b"x")[:-1] + b"\1", 31),
    "flags": (packets.hello() + bytes(6) + b"\1" + bytes(25), 16 + 6),
    "code": (packets.hello() + bytes(20) + b"\1" + bytes(11), 16 + 20),
    "too long": (packets.hello() + struct.pack("<I", 1 << 30) + bytes(28), 16),
    "padding": (packets.hello() + packet("open", b"a")[:-1] + b"\1", 16 + 47),
    "short payload": (packets.hello() + packet("ping", id=1) + packet("control", bytes(31)), 16 + 32),
    "long payload": (packets.hello() + packet("ping", b"\0"), 16),
    "reserved field": (packets.hello() + packet("find", b"\1\0\0\0" + bytes(4) + b"\1" + bytes(7)), 16 + 32 + 8),
    # even if the handle is not open or missing
    "reserved field, no model": (packets.hello() + packet("find", b"\1\0\0\0" + bytes(4) + b"\0\1" + bytes(6)), 16 + 32 + 9),
    "short payload, another model": (packets.hello() + packet("palette", bytes(16), model=5), 16),
    "counts of nothing, another model": (packets.hello() + packet("pose", query(time_count=9), model=5), 16),
    "short payload, no model": (packets.hello() + packet("render", bytes(64)), 16),
    "info with a payload, another model": (packets.hello() + packet("info", b"a", model=5), 16),
    "short stream, another model": (packets.hello() + packet("subscribe", query(), model=5), 16),
}


@pytest.mark.parametrize("name", MALFORMED)
def test_malformed_bytes_are_refused_where_they_are(both, name):
    data, at = MALFORMED[name]
    needs_model = b"open" not in name.encode() and name == "reserved field"
    with Link(both.tcp, greet=False) as one:
        if needs_model:
            opened = packet("open", b"dragon.glb", id=9)
            data = data[:16] + opened + packet("find", data[48:], model=1)
            at += len(opened)
        one.send(data)
        answers = []
        while (answer := one.read()) is not None:
            answers.append(answer)
        code, offset, message, _ = answers[-1].error()
        assert code in (1, 12) and offset == at and answers[-1].has("closing"), (code, offset, message)
        assert all(answer.kind != "error" for answer in answers[:-1])


@pytest.mark.parametrize("at", [22, 47])
def test_malformed_bytes_of_a_request_are_answered_under_its_id(both, at):
    """In its header, or in its padding."""
    request = packet("open", b"a", id=7)
    with Link(both.tcp) as one:
        one.send(request[:at] + b"\1" + request[at + 1:])
        answer = one.read()
        assert answer.error()[0] == 1 and answer.id == 7 and one.read() is None


def test_what_was_asked_before_malformed_bytes_is_answered(both):
    with Link(both.tcp) as one:
        one.send(packet("open", b"dragon.glb", id=1) + packet("palette", query([0.5]), id=2, model=1) + b"\0" * 6 + b"\1" * 26)
        assert [one.read().kind for _ in range(3)] == ["opened", "frames", "error"]
        assert one.read() is None


# --- handles ---


def test_handles_are_numbers_of_their_connection(both):
    with Link(both.tcp) as one, Link(both.tcp) as other:
        assert [one.open("dragon.glb"), one.open("robot.glb"), one.open("dragon.glb")] == [1, 2, 3]
        assert one.ask("close", model=2).kind == "done"
        assert one.ask("palette", query(), model=2).error()[0] == 20
        assert one.ask("close", model=2).error()[0] == 20
        assert one.open("robot.glb") == 2
        assert other.ask("palette", query(), model=1).error()[0] == 20


def test_handles_are_limited(both):
    with Link(both.tcp) as one:
        most = one.hello.view()["models_max"]
        one.send(b"".join(packet("open", b"dragon.glb", id=i) for i in range(most + 1)))
        kinds = [one.read().kind for _ in range(most + 1)]
        assert kinds == ["opened"] * most + ["error"]
        assert one.ask("close", model=7).kind == "done" and one.open("dragon.glb") == 7


def test_a_handle_survives_a_change_and_says_so(start, tmp_path):
    shutil.copy(SAMPLES / "dragon.glb", tmp_path / "m.glb")
    with Link(start("--tcp", "127.0.0.1:0").ports["tcp"]) as one:
        handle = one.open("m.glb")
        before = one.ask("palette", query([0.5], clip=0), model=handle)
        assert before.generation == 1 and not before.has("changed")
        shutil.copy(SAMPLES / "robot.glb", tmp_path / "new")
        os.rename(tmp_path / "new", tmp_path / "m.glb")
        after = one.ask("palette", query([0.5], clip=0), model=handle)
        assert after.kind == "frames" and after.generation == 2 and after.has("changed")
        assert after.body[64:96] != before.body[64:96]
        again = one.ask("palette", query([0.5], clip=0), model=handle, generation=2)
        assert again.body == after.body and again.generation == 2 and not again.has("changed")
        stale = one.ask("palette", query([0.5], clip=0), model=handle, generation=1)
        assert stale.error()[0] == 26


def test_a_generation_is_checked_against_the_content_itself(start, tmp_path):
    """The request that needs the old content finds the change itself."""
    shutil.copy(SAMPLES / "dragon.glb", tmp_path / "m.glb")
    with Link(start("--tcp", "127.0.0.1:0").ports["tcp"]) as one:
        handle = one.open("m.glb")
        shutil.copy(SAMPLES / "robot.glb", tmp_path / "new")
        os.rename(tmp_path / "new", tmp_path / "m.glb")
        stale = one.ask("palette", query(), model=handle, generation=1)
        assert stale.error()[0] == 26 and stale.has("changed") and stale.generation == 2
        assert one.ask("palette", query(), model=handle, generation=2).kind == "frames"
        os.unlink(tmp_path / "m.glb")
        assert one.ask("palette", query(), model=handle).error()[0] == 20
        shutil.copy(SAMPLES / "robot.glb", tmp_path / "new")
        os.rename(tmp_path / "new", tmp_path / "m.glb")
        assert one.ask("palette", query(), model=handle).kind == "frames"


# --- who may ask ---


def test_tokens_go_into_the_hello(start, tmp_path):
    (tmp_path / "tokens").write_text("a-token-of-20-letters\n")
    shutil.copy(SAMPLES / "dragon.glb", tmp_path)
    own = start("--tcp", "127.0.0.1:0", "--token-file", str(tmp_path / "tokens"))
    for token in b"", b"a-token-of-20-letterz", b"x" * 256:
        with Link(own.ports["tcp"], token=token) as one:
            assert one.hello.error()[0] == 16 and one.hello.has("closing") and one.read() is None
    with Link(own.ports["tcp"], token=b"a-token-of-20-letters") as one:
        assert one.open("dragon.glb") == 1
    with Link(own.ports["tcp"], greet=False) as one:
        one.send(packets.hello(b"bad") + packet("open", b"dragon.glb"))
        assert one.read().kind == "error" and one.read() is None


def test_tokens_for_uploads_do_not_concern_packets(start, tmp_path):
    (tmp_path / "tokens").write_text("a-token-of-20-letters\n")
    own = start("--tcp", "127.0.0.1:0", "--token-file", str(tmp_path / "tokens"), "--token-for", "uploads")
    with Link(own.ports["tcp"]) as one:
        assert one.ask("ping").kind == "done"


# --- the ports ---


def test_ports_of_ipv6(start, tmp_path):
    try:
        socket.create_server(("::1", 0), family=socket.AF_INET6).close()
    except OSError:
        pytest.skip("no IPv6 here")
    (tmp_path / "a.gltf").write_text(gltf(x=3))
    server = start("--http", "[::1]:0", "--tcp", "[::1]:0", root=tmp_path)
    said = set()
    for way in "tcp", "ws":
        with packets.connect(server.ports, way) as link:
            said.add(link.ask("palette", packets.query(times=[0]), model=link.open("a.gltf")).body)
    assert len(said) == 1
    done = subprocess.run([BUILD / "posectl", "info", "a.gltf", "--server", server.ports["tcp"]], capture_output=True, text=True)
    assert done.returncode == 0 and "a.gltf" in done.stdout, done.stderr


def test_unix_socket_is_its_owners(both):
    assert stat.S_IMODE(os.stat(both.unix).st_mode) == 0o600


def test_unix_socket_takes_the_mode_it_is_given(start, tmp_path):
    path = str(tmp_path / "s")
    start("--unix", path, "--unix-mode", "0660")
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o660


def test_unix_socket_of_a_dead_server_is_taken_over(start, tmp_path):
    path = str(tmp_path / "s")
    first = start("--unix", path)
    first.signal(signal.SIGKILL)
    first.wait()
    assert os.path.exists(path)
    start("--unix", path)
    with Link(path) as one:
        assert one.ask("ping").kind == "done"


def test_unix_socket_of_a_living_server_is_left(start, command, tmp_path):
    path = str(tmp_path / "s")
    start("--unix", path)
    code, _, said = command("--root", str(tmp_path), "--http", "127.0.0.1:0", "--tcp", "none", "--unix", path)
    assert code == 2 and "another server" in said
    with Link(path) as one:
        assert one.ask("ping").kind == "done"


def test_unix_socket_leaves_other_things_alone(command, tmp_path):
    path = tmp_path / "s"
    path.write_text("precious")
    code, _, said = command("--root", str(tmp_path), "--http", "127.0.0.1:0", "--tcp", "none", "--unix", str(path))
    assert code == 2 and "no socket" in said and path.read_text() == "precious"


def test_unix_socket_that_another_server_made_since_is_not_removed(start, tmp_path):
    path = str(tmp_path / "s")
    first = start("--unix", path)
    os.unlink(path)
    second = start("--unix", path)
    first.end()
    assert os.path.exists(path)
    second.end()
    assert not os.path.exists(path)


@pytest.mark.parametrize("options, words", [
    (["--unix", "x" * 108], "1 to 107 bytes"), (["--unix", "a\nb"], "control"), (["--unix-mode", "999"], "octal"),
    (["--unix-mode", "01777"], "octal"), (["--http", "none", "--tcp", "none"], "nothing to listen on"),
    (["--tcp", "localhost"], "ADDR:PORT")])
def test_options_of_the_ports_are_checked(command, tmp_path, options, words):
    code, _, said = command("--root", str(tmp_path), "--http", "127.0.0.1:0", "--tcp", "127.0.0.1:0", *options)
    assert code == 2 and words in said


def test_a_port_that_nobody_asked_for_may_be_taken(start, command):
    with socket.socket() as taken:
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            taken.bind(("127.0.0.1", 7879))
            taken.listen()
        except OSError:
            pass  # another process has it
        own = start(env={"POSED_TCP": ""})
        assert "tcp" not in own.ports and own.get("/healthz").status == 200
        assert any("no binary protocol on TCP, and who asks 127.0.0.1:7879 asks the other server: " in line for line in own.lines())
        code, _, said = command("--root", ".", "--http", "127.0.0.1:0", "--tcp", "127.0.0.1:7879")
        assert code == 2 and "cannot listen on 127.0.0.1:7879" in said


def test_without_http(command, tmp_path):
    path = str(tmp_path / "s")
    own = Server(tmp_path, "--http", "none", "--unix", path)
    try:
        assert own.ports == {"unix": path}
        with Link(path) as one:
            assert one.ask("ping").kind == "done"
        assert command("--health", "--http", "none", "--tcp", "none", "--unix", path)[0] == 0
    finally:
        own.end()


# --- limits and ends ---


def test_idle_connections_stay(start):
    own = start("--tcp", "127.0.0.1:0", "--idle-timeout", "500ms", "--header-timeout", "500ms")
    with Link(own.ports["tcp"]) as quiet, Link(own.ports["tcp"], greet=False) as mute, own.connect() as http_idle:
        assert http_idle.get("/healthz").status == 200
        assert http_idle.is_closed_by_server() and mute.is_closed_by_server()
        assert quiet.ask("ping").kind == "done"


def test_half_a_packet_times_out(start):
    own = start("--tcp", "127.0.0.1:0", "--body-timeout", "500ms", "--header-timeout", "500ms")
    with Link(own.ports["tcp"]) as one, Link(own.ports["tcp"], greet=False) as half:
        one.send(packet("open", b"dragon.glb")[:40])
        half.send(packets.hello()[:9])
        for late in one, half:
            answer = late.read()
            assert answer.error()[0] == 11 and answer.has("closing") and late.read() is None


def test_one_connection_too_many_is_told_so(start):
    own = start("--tcp", "127.0.0.1:0", "--max-connections", "1")
    with Link(own.ports["tcp"]) as one, Link(own.ports["tcp"]) as other:
        code, _, _, _ = other.hello.error()
        assert code == 53 and other.hello.view()["retry_after_s"] >= 1 and other.hello.has("closing")
        assert other.read() is None and one.ask("ping").kind == "done"


def test_goodbye(start):
    own = start("--tcp", "127.0.0.1:0")
    with Link(own.ports["tcp"]) as one:
        assert one.ask("ping").kind == "done"
        own.signal(signal.SIGTERM)
        last = one.read()
        assert last.error()[0] == 54 and last.id == 0 and last.has("closing") and one.read() is None
    assert own.wait() == 0


def test_what_is_under_way_is_finished_before_the_goodbye(start, tmp_path):
    shutil.copy(SAMPLES / "dragon.glb", tmp_path)
    own = start("--tcp", "127.0.0.1:0")
    with Link(own.ports["tcp"]) as one:
        one.send(packet("open", b"dragon.glb", id=3))
        own.signal(signal.SIGTERM)
        kinds = []
        while (answer := one.read()) is not None:
            kinds.append(answer.kind)
        assert kinds in (["opened", "error"], ["error"])
    assert own.wait() == 0


def test_a_slow_reader_costs_bounded_memory(start, tmp_path):
    shutil.copy(SAMPLES / "dragon.glb", tmp_path)
    own = start("--tcp", "127.0.0.1:0", "--client-memory", "300m")
    with Link(own.ports["tcp"], receive_bytes=4096) as one, Link(own.ports["tcp"]) as other:
        handle = one.open("dragon.glb")
        ask = packet("palette", query([0, 5, 60], clip=0, flag_names=["range"]), model=handle)
        one.socket.setblocking(False)
        try:
            for _ in range(20000):
                one.send(ask)
        except BlockingIOError:
            pass
        other.ask("ping")
        assert own.json("/v1/stats")["client_memory"]["bytes"] < 8 << 20
        assert other.ask("ping").kind == "done"
