"""Pictures over HTTP: their content, and what happens when the processes that draw them stop, hang and die."""
import json
import os
import pathlib
import signal
import socket
import struct
import sys
import time
import zlib

import pytest

from conftest import BUILD, PATIENCE_S, is_sanitized, wait_until
from png_picture import picture
from renderers import install_script
from server_state import workers
from small_models import gltf

ONE = ("--render-workers", "1")
PICTURE = "/v1/render?model=triangle.gltf&camera=front"
PALETTE = "/v1/palette?model=triangle.gltf"


@pytest.fixture
def triangle(tmp_path):
    """A folder with triangle.gltf: right angle at the origin, legs to (1, 0, 0) and (0, 1, 0), facing +z."""
    folder = tmp_path / "models"
    folder.mkdir()
    (folder / "triangle.gltf").write_text(gltf())
    return folder


@pytest.fixture
def server_of_one(start, triangle):
    """A server with one render worker, which has drawn before. Tests stop, continue and kill it."""
    server = start(*ONE, root=triangle)
    picture(server.get(PICTURE))
    return server


def environment_of_a_worker(server):
    """Waits until it exists: for a moment a process has its name and no environment yet."""
    read = lambda: [pathlib.Path(f"/proc/{pid}/environ").read_bytes() for pid in workers(server)]
    wait_until(lambda: b"".join(read()), "a renderer")
    return read()[0].split(b"\0")


def ask(server, target=PICTURE):
    """Send a request. Returns its connection when the server has it."""
    connection = server.connect()
    connection.send(f"GET {target} HTTP/1.1\r\nHost: localhost\r\n\r\n")
    assert server.get("/healthz").status == 200  # one loop: everything that was sent before has been read
    return connection


def has_answer(connection, within_s=0.2):
    connection.socket.settimeout(within_s)
    try:
        return bool(connection.socket.recv(1, socket.MSG_PEEK))
    except socket.timeout:
        return False
    finally:
        connection.socket.settimeout(PATIENCE_S)


# ---- what a picture shows ----

@pytest.mark.short
def test_default_picture(server_of_one):
    shown = picture(server_of_one.get(PICTURE))
    assert (shown.width, shown.height) == (256, 256)
    assert shown.has_alpha
    assert shown.rows[0][0] == (0, 0, 0, 0)
    # It is centred, right angle lower left, with a margin of 6 % on each side.
    left, top, right, bottom = shown.covered()
    assert abs(left - 15) <= 2 and abs(right - 240) <= 2
    assert abs(top - 15) <= 2 and abs(bottom - 240) <= 2
    assert shown.rows[230][25][3] == 255
    assert shown.rows[25][230][3] == 0


@pytest.mark.parametrize("width, height", [(1, 1), (64, 200), (333, 77)])
def test_size(server_of_one, width, height):
    shown = picture(server_of_one.get(f"{PICTURE}&width={width}&height={height}"))
    assert (shown.width, shown.height) == (width, height)


def test_large_picture(server_of_one):
    answer = server_of_one.get(f"{PICTURE}&width=4096&height=3")
    assert (picture(answer).width, picture(answer).height) == (4096, 3)


@pytest.mark.short
def test_same_query_same_bytes(server_of_one):
    first = server_of_one.get(f"{PICTURE}&yaw=20")
    between = server_of_one.get(f"{PICTURE}&yaw=40&width=100")
    second = server_of_one.get(f"{PICTURE}&yaw=20")
    assert first.status == between.status == 200
    assert first.body == second.body
    assert first.headers["etag"] == second.headers["etag"] != between.headers["etag"]
    again = server_of_one.get(f"{PICTURE}&yaw=20", f"If-None-Match: {first.headers['etag']}")
    assert (again.status, again.body) == (304, b"")


def test_same_bytes_from_another_process(server_of_one):
    before = server_of_one.get(f"{PICTURE}&yaw=20").body
    os.kill(workers(server_of_one)[0], signal.SIGKILL)
    assert server_of_one.get(f"{PICTURE}&yaw=20").body == before


def test_background(server_of_one):
    shown = picture(server_of_one.get(f"{PICTURE}&background=336699"))
    assert not shown.has_alpha
    assert shown.rows[0][0] == (0x33, 0x66, 0x99, 255)
    half = picture(server_of_one.get(f"{PICTURE}&background=33669980"))
    assert half.has_alpha
    assert half.rows[0][0] == (0x33, 0x66, 0x99, 0x80)
    assert half.rows[230][25] == shown.rows[230][25]


def test_yaw_turns_the_camera(server_of_one):
    front = picture(server_of_one.get(PICTURE))
    turned = picture(server_of_one.get(f"{PICTURE}&yaw=70"))
    width = front.covered()[2] - front.covered()[0]
    assert turned.covered()[2] - turned.covered()[0] < width / 2


def test_the_back_of_a_single_sided_triangle_is_nothing(server_of_one):
    answer = server_of_one.get(f"{PICTURE}&yaw=180")
    assert (answer.status, answer.error()) == (422, "nothing_to_draw")


def test_empty_scene(start, tmp_path):
    (tmp_path / "empty.gltf").write_text(json.dumps({"asset": {"version": "2.0"}, "scene": 0, "scenes": [{}]}))
    answer = start(*ONE).get("/v1/render?model=empty.gltf")
    assert (answer.status, answer.error()) == (422, "nothing_to_draw")


@pytest.mark.parametrize("query, status, code", [
    ("clip=Nope", 404, "clip_not_found"),
    ("width=0", 400, "bad_parameter"),
    ("width=100000", 400, "bad_parameter"),
    ("t=0&t=1", 400, None),
    ("background=red", 400, "bad_parameter"),
    ("yaw=nan", 400, "bad_parameter"),
    ("colour=1", 400, "unknown_parameter"),
])
def test_bad_queries(server_of_one, query, status, code):
    answer = server_of_one.get(f"{PICTURE}&{query}")
    assert answer.status == status, answer.body
    assert code is None or answer.error() == code


def test_osmesa_and_egl_draw_the_same(start, triangle):
    bodies = set()
    for driver in ("osmesa", "egl"):
        server = start(*ONE, "--gl", driver, root=triangle)
        answer = server.get(f"{PICTURE}&yaw=20")
        if answer.status == 503:
            pytest.skip(answer.json()["error"]["message"])
        bodies.add(picture(answer).rows[128][60])
        assert driver in server.wait_for_line("pictures are drawn by").lower()
    assert len(bodies) == 1


def test_without_a_writable_home(start, triangle):
    server = start(*ONE, root=triangle, env={"HOME": "/proc/nothing", "XDG_CACHE_HOME": "/proc/nothing"})
    picture(server.get(PICTURE))


# ---- a renderer that stops, hangs or dies ----

def test_killed_over_a_picture(server_of_one):
    stopped = workers(server_of_one)[0]
    os.kill(stopped, signal.SIGSTOP)
    with ask(server_of_one) as connection:
        assert not has_answer(connection)
        os.kill(stopped, signal.SIGKILL)
        picture(connection.answer())
    assert stopped not in workers(server_of_one)
    picture(server_of_one.get(f"{PICTURE}&yaw=1"))


def test_killed_while_idle(server_of_one):
    for _ in range(3):
        before = workers(server_of_one)
        os.kill(before[0], signal.SIGKILL)
        picture(server_of_one.get(PICTURE))
        assert workers(server_of_one) != before


def test_palettes_are_answered_while_pictures_wait(server_of_one):
    stopped = workers(server_of_one)[0]
    os.kill(stopped, signal.SIGSTOP)
    try:
        connections = [ask(server_of_one) for _ in range(3)]
        assert server_of_one.get(PALETTE).status == 200
        assert not any(has_answer(c, 0.05) for c in connections)
    finally:
        os.kill(stopped, signal.SIGCONT)
    for connection in connections:
        with connection:
            picture(connection.answer())


def test_deadline(start, triangle):
    """A hanging job is tried once more by another renderer."""
    server = start(*ONE, "--render-timeout", "3s", root=triangle)
    picture(server.get(PICTURE))
    stopped, = workers(server)
    os.kill(stopped, signal.SIGSTOP)
    picture(server.get(PICTURE))
    assert workers(server) != [stopped]
    server.wait_for_line("posed-render took too long and was killed")


def test_full_queue(start, triangle):
    server = start(*ONE, "--render-queue", "1", root=triangle)
    picture(server.get(PICTURE))
    stopped = workers(server)[0]
    os.kill(stopped, signal.SIGSTOP)
    try:
        drawn, queued = ask(server), ask(server, PICTURE + "&yaw=1")
        refused = server.get(PICTURE + "&yaw=2")
        assert (refused.status, refused.error()) == (503, "overloaded")
        assert int(refused.headers["retry-after"]) > 0
    finally:
        os.kill(stopped, signal.SIGCONT)
    for connection in (drawn, queued):
        with connection:
            picture(connection.answer())


def test_renderers_end_with_the_server(start, triangle):
    server = start("--render-workers", "2", root=triangle)
    wait_until(lambda: len(workers(server)) == 2, "two renderers")
    found = workers(server)
    server.process.kill()
    server.wait()
    wait_until(lambda: not any(pathlib.Path(f"/proc/{pid}").exists() for pid in found), "they outlive it")


def test_no_renderers(start, triangle):
    """A picture that cannot be drawn is refused before its model is imported."""
    server = start("--render-workers", "0", root=triangle)
    for target in PICTURE, PICTURE.replace("render", "sheet"), PICTURE.replace("render", "turntable"):
        answer = server.get(target)
        assert (answer.status, answer.error()) == (503, "unavailable")
    assert server.json("/v1/stats")["imports"]["started"] == 0
    assert server.get(PALETTE).status == 200
    assert server.json("/v1/stats")["imports"]["started"] == 1


# ---- renderers that misbehave ----

def test_renderer_that_does_not_start(start, triangle, tmp_path):
    began = time.monotonic()
    script = "#!/bin/sh\necho 'first line' >&2\necho 'libnothing.so.1: cannot open' >&2\nexit 3\n"
    server = start(*ONE, *install_script(tmp_path / "workers", script), root=triangle)
    answer = server.get(PICTURE)
    assert (answer.status, answer.error()) == (503, "unavailable")
    message = answer.json()["error"]["message"]
    assert "libnothing.so.1: cannot open" in message and "status 3" in message
    assert server.get(PALETTE).status == 200
    ended = lambda: server.json("/v1/stats")["renders"]["workers_ended"]
    wait_until(lambda: ended() >= 5, "it is not tried again")
    started = server.json("/v1/stats")["imports"]["started"]
    (triangle / "other.gltf").write_text(gltf())
    assert server.get(PICTURE.replace("triangle", "other")).error() == "unavailable"
    assert server.json("/v1/stats")["imports"]["started"] == started
    count = ended()
    # at once, then with pauses of 100, 200, 400 ms ..
    assert time.monotonic() - began >= 0.1 * (2 ** (count - 2) - 1), "it is tried again without pauses"
    for words in (" warn the renderer does not start: posed-render ended with status 3", " warn pictures are not ready: "):
        assert sum(words in line for line in server.lines()) == 1, server.lines()


@pytest.mark.skipif(is_sanitized(), reason="a start takes all of that time with sanitizers")
def test_renderer_makes_way_before_its_time_is_up(start, triangle, tmp_path):
    """--cpu 1: one second of processor time until the kernel ends it, half a second until it makes way."""
    script = f'#!/bin/sh\nexec "{(BUILD / "posed-render").resolve()}" "$@" --cpu 1\n'
    server = start(*ONE, *install_script(tmp_path / "workers", script), root=triangle)
    anew = lambda: sum(" info posed-render is started anew: " in line and "processor time" in line for line in server.lines())
    for i in range(2000):
        picture(server.get(f"{PICTURE}&yaw={i}&width=500&height=500"))
        if anew():
            break
    assert anew()
    picture(server.get(PICTURE))
    assert server.json("/v1/stats")["renders"]["failed"] == {}
    assert not any("signal" in line for line in server.lines())


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


# Pictures of the stand-ins; the server does not pass on one of another size.
SMALL = PICTURE + "&width=16&height=16"
DRAWN = (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 16, 16, 8, 6, 0, 0, 0))
         + chunk(b"IDAT", zlib.compress((b"\0" + b"\0\0\0\xff" * 16) * 16)) + chunk(b"IEND", b""))

FAKE = f"""#!{sys.executable}
import os, signal, socket, struct, sys
if "--attempt" in sys.argv:
    sys.exit()
posed = socket.socket(fileno=3)
posed.sendall(struct.pack("<IIQQ480s336s1536s", 0x53455250, 0, 0, 0, b"fake", b"", b""))
def job():
    data = posed.recv(1 << 16)
    return struct.unpack("<IiQ", data[:16])[2] if data else os._exit(0)
def answer(job_id, number=0, size=0, magic=0x53455250, unmatched=b"", shown=b""):
    posed.sendall(struct.pack("<IIQQ480s336s1536s", magic, number, job_id, size, b"fake words", shown, unmatched))
DRAWN = {DRAWN!r}
def draw(job_id):
    answer(job_id, size=len(DRAWN))
    posed.sendall(DRAWN)
"""


@pytest.mark.parametrize("behaviour, status, code, words", [
    ("os.kill(os.getpid(), signal.SIGSEGV)", 500, "render_failed", "signal 11"),
    ("os._exit(0)", 500, "render_failed", "status 0"),
    ("answer(number, magic=1)", 500, "render_failed", "no answer"),
    ("answer(number + 1, size=9)", 500, "render_failed", "no answer"),
    ("answer(number, size=1 << 60)", 500, "render_failed", "no answer"),
    ("answer(number)", 500, "render_failed", "no answer"),
    ("answer(number, size=9, unmatched=b'1\\r\\nSet-Cookie: a=b')", 500, "render_failed", "no answer"),
    ("answer(number, size=9, unmatched=b'1' * 1536)", 500, "render_failed", "no answer"),
    ("answer(number, size=9, unmatched=bytes([0xff]))", 500, "render_failed", "no answer"),
    ("answer(number, size=9, shown=struct.pack('<42d', *[0] * 41, float('nan')))", 500, "render_failed", "no answer"),
    ("answer(number, size=9); posed.sendall(b'1234'); os._exit(1)", 500, "render_failed", "status 1"),
    ("os.kill(os.getpid(), signal.SIGKILL)", 503, "render_memory", "signal 9"),
    ("os.write(2, b'terminate called: std::bad_alloc'); os.kill(os.getpid(), signal.SIGABRT)", 503, "render_memory",
     "std::bad_alloc"),
    ("os.write(2, b'refused system call 99999\\n'); os.kill(os.getpid(), signal.SIGSYS)", 500, "render_syscall",
     "stopped at system call 99999"),
    ("answer(number, number=51)", 500, "render_failed", "fake words"),
    ("answer(number, number=12345)", 500, "render_failed", "fake words"),
    ("answer(number, number=43)", 422, "nothing_to_draw", "fake words"),
    ("answer(number, number=55)", 503, "render_memory", "fake words; see --render-memory"),
])
def test_renderer_that_fails(start, triangle, tmp_path, behaviour, status, code, words):
    script = FAKE + f"while True:\n    number = job()\n    {behaviour}\n"
    server = start(*ONE, *install_script(tmp_path / "workers", script), root=triangle)
    for _ in range(2):
        answer = server.get(PICTURE)
        assert (answer.status, answer.error()) == (status, code), answer.body
        assert words in answer.json()["error"]["message"], answer.body
    assert server.get(PALETTE).status == 200


@pytest.mark.parametrize("drawn_first", [0, 1])
def test_renderer_that_computes_with_nothing_to_draw(start, triangle, tmp_path, drawn_first):
    script = FAKE + f"""
for _ in range({drawn_first}):
    draw(job())
while True:
    pass
"""
    server = start(*ONE, *install_script(tmp_path / "workers", script), root=triangle)
    wait_until(lambda: workers(server), "a renderer")
    found = workers(server)
    for _ in range(drawn_first):
        assert server.get(SMALL).body == DRAWN
    server.wait_for_line("posed-render computed with nothing to draw and was killed")
    assert not pathlib.Path(f"/proc/{found[0]}").exists()


def test_deaths_before_a_job_is_read_are_not_its_fault(start, triangle, tmp_path):
    """Five renderers die while the job is in their socket, as if killed while idle. The sixth draws."""
    script = FAKE + f"""
lives = {str(tmp_path / "lives")!r}
count = os.path.getsize(lives) if os.path.exists(lives) else 0
open(lives, "a").write("x")
if count < 5:
    posed.recv(1, socket.MSG_PEEK)
    os.kill(os.getpid(), signal.SIGKILL)
while True:
    draw(job())
"""
    server = start(*ONE, *install_script(tmp_path / "workers", script), root=triangle)
    answer = server.get(SMALL)
    assert (answer.status, answer.body) == (200, DRAWN)
    assert (tmp_path / "lives").stat().st_size == 6


def test_environment_of_a_renderer(start, triangle):
    """It may need to know about the driver's files, not about the server's."""
    server = start(*ONE, root=triangle, env={"SECRET": "s", "POSED_LOG": "text", "MESA_DEBUG": "silent"})
    environment = environment_of_a_worker(server)
    assert b"MESA_DEBUG=silent" in environment
    assert not any(name.startswith((b"SECRET", b"POSED_")) for name in environment)


def shader_caches(server):
    environment = environment_of_a_worker(server)
    return [one.decode() for one in environment if one.startswith(b"MESA_SHADER_CACHE_DIR=")]


def test_the_driver_keeps_what_it_compiles_beside_the_models(start, triangle, tmp_path):
    cache = tmp_path / "cache"
    server = start(*ONE, "--cache-dir", str(cache), root=triangle)
    assert shader_caches(server) == [f"MESA_SHADER_CACHE_DIR={cache}/shaders"]
    picture(server.get(PICTURE))
    assert (cache / "shaders").stat().st_mode & 0o777 == 0o700
    own = start(*ONE, "--cache-dir", str(cache), root=triangle, env={"MESA_SHADER_CACHE_DIR": str(tmp_path)})
    assert shader_caches(own) == [f"MESA_SHADER_CACHE_DIR={tmp_path}"]
    assert shader_caches(start(*ONE, "--cache-dir", "none", root=triangle)) == []


def test_compiled_code_that_others_may_write_is_not_used(start, triangle, tmp_path):
    shaders = tmp_path / "cache" / "shaders"
    shaders.mkdir(parents=True, mode=0o700)
    (tmp_path / "cache").chmod(0o700)
    shaders.chmod(0o777)
    server = start(*ONE, "--cache-dir", str(tmp_path / "cache"), root=triangle)
    assert shader_caches(server) == []
    picture(server.get(PICTURE))


def test_picture_in_many_pieces(start, triangle, tmp_path):
    behaviour = """
    answer(number, size=len(DRAWN), unmatched=b"2;joints=0")
    for c in DRAWN:
        posed.sendall(bytes([c]))
"""
    server = start(*ONE, *install_script(tmp_path / "workers", FAKE + "while True:\n    number = job()" + behaviour),
                   root=triangle)
    answer = server.get(SMALL)
    assert answer.body == DRAWN and answer.headers["x-posed-unmatched"] == "2;joints=0"
