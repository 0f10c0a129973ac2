"""Whatever a renderer does, its picture gets an error that says so, and the next renderer draws as if nothing had happened."""
import time

import pytest

import small_models
from conftest import Server, wait_until
from disk_kills import children
from renderers import MISDEEDS, UNASKED, install
from server_state import memory_files, memory_kib, open_files

PICTURE = "/v1/render?model=a.gltf&width=64&height=48"
LIMITS = {"render_timeout": ("--render-timeout", "1500ms"), "render_cpu": ("--render-cpu", "1s")}


@pytest.fixture(scope="module")
def good_picture(tmp_path_factory):
    """The model drawn by a working renderer."""
    root = tmp_path_factory.mktemp("good")
    (root / "a.gltf").write_text(small_models.gltf())
    server = Server(root, "--render-workers", "1")
    answer = server.get(PICTURE)
    server.end()
    assert answer.status == 200, answer.body
    return answer.body


def begin(start, tmp_path, misdeed, *options):
    root = tmp_path / "root"
    root.mkdir()
    (root / "a.gltf").write_text(small_models.gltf())
    where, good = install(tmp_path / "bin", misdeed)
    server = start(*where, *options, root=root)
    assert server.get("/v1/palette?model=a.gltf").status == 200
    return server, good


@pytest.mark.parametrize("misdeed", MISDEEDS)
def test_misdeed(start, tmp_path, good_picture, misdeed):
    script, (status, code), word = MISDEEDS[misdeed]
    server, good = begin(start, tmp_path, script, *LIMITS.get(code, ()))
    files = open_files(server)
    with server.connect() as connection:
        answer = connection.get(PICTURE)
        assert (answer.status, answer.error()) == (status, code), answer.body
        message = answer.json()["error"]["message"]
        assert word in message and ("signal 9" not in message or misdeed == "signal 9"), message
        assert ("retry-after" in answer.headers) == (status == 503)
        assert connection.get("/healthz").status == 200
        good.touch()
        # a renderer that started before may still be drawing
        wait_until(lambda: connection.get(PICTURE).status == 200)
        assert connection.get(PICTURE).body == good_picture
    wait_until(lambda: len(children(server)) == 1, "a renderer that was replaced is left")
    wait_until(lambda: open_files(server) <= files + 1, "something of a renderer is left")


@pytest.mark.parametrize("misdeed", UNASKED)
def test_unasked(start, tmp_path, good_picture, misdeed):
    script, word = UNASKED[misdeed]
    server, good = begin(start, tmp_path, script)
    server.wait_for_line(word)
    good.touch()
    assert server.get(PICTURE).body == good_picture


@pytest.mark.parametrize("steps", ["n = job(); hang(); draw(*n)", "hang(); draw(*job())"])
def test_a_renderer_that_hangs_once_costs_nobody_an_answer(start, tmp_path, steps):
    """Whether or not it had read its job."""
    hang = f"""
def hang():
    if not os.path.exists({str(tmp_path / "hung")!r}):
        open({str(tmp_path / "hung")!r}, "w").close()
        wait()
"""
    server, _ = begin(start, tmp_path, f"{hang}\nready(); {steps}", *LIMITS["render_timeout"])
    assert server.get(PICTURE).status == 200
    server.wait_for_line("posed-render took too long and was killed")


def test_what_takes_long_without_computing_is_drawn(start, tmp_path):
    """--render-cpu limits work, not waiting."""
    script = f"""
        ready()
        n, w, h = job()
        open({str(tmp_path / "drawing")!r}, "w")
        while not os.path.exists({str(tmp_path / "go")!r}):
            time.sleep(0.05)
        draw(n, w, h)
        """
    server, _ = begin(start, tmp_path, script, "--render-cpu", "1s")
    with server.connect() as connection:
        connection.send(f"GET {PICTURE} HTTP/1.1\r\nHost: localhost\r\n\r\n")
        wait_until((tmp_path / "drawing").exists)
        time.sleep(2)  # more than the limit, by the clock
        (tmp_path / "go").touch()
        assert connection.answer().status == 200


def test_the_right_picture_when_the_second_try_succeeds(start, tmp_path, good_picture):
    """If a renderer fails once, no client loses an answer."""
    server, good = begin(start, tmp_path, "ready(); job(); open(sys.argv[0][:-12] + 'good', 'w'); die(11)")
    assert server.get(PICTURE).body == good_picture


def test_descriptors_that_come_with_an_answer_are_not_kept(start, tmp_path):
    send = """
        files = array.array("i", [2] * 200)
        def send_files(data):
            posed.sendmsg([data], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, files)])
        send_files(result(message=b"stand-in"))
        while True:
            n, w, h = job()
            png = picture(w, h)
            send_files(result(n, size=len(png)))
            send_files(png)
        """
    server, _ = begin(start, tmp_path, send)
    assert server.get(PICTURE).status == 200
    files = open_files(server)
    for width in range(20, 30):
        assert server.get(PICTURE.replace("64", str(width))).status == 200
    wait_until(lambda: open_files(server) <= files + 1, "descriptors are kept")


def test_a_second_answer_is_no_other_pictures(start, tmp_path, good_picture):
    """The next picture has a number of its own."""
    script = """
        ready()
        n, w, h = job()
        draw(n, w, h)
        open(sys.argv[0][:-12] + "good", "w")  # before the server can start the next one
        draw(n, w, h)
        draw(n + 1, w, h)
        wait()
        """
    server, _ = begin(start, tmp_path, script)
    first = server.get(PICTURE)
    assert first.status == 200 and first.body != good_picture
    server.wait_for_line("sent something that is no answer")
    assert server.get(PICTURE).body == good_picture


def test_renderers_that_end_before_they_are_ready(start, tmp_path, good_picture):
    for number, misdeed in enumerate(("os._exit(0)", "die(11)", "send(b'x' * 5000); wait()", "ready(number=51); wait()",
                                      "ready(size=1); wait()", "ready(job=1); wait()", "posed.close(); wait()")):
        folder = tmp_path / str(number)
        folder.mkdir()
        server, good = begin(start, folder, misdeed)
        wait_until(lambda: server.get(PICTURE).status == 503)
        answer = server.get(PICTURE)
        assert answer.error() == "unavailable" and "does not start" in answer.json()["error"]["message"], answer.body
        good.touch()
        wait_until(lambda: server.get(PICTURE).status == 200)
        assert server.get(PICTURE).body == good_picture


def test_a_name_that_is_no_text_forges_nothing(start, tmp_path):
    server, _ = begin(start, tmp_path, r"ready(message=b'\"},\n2026 warn forged \xff\x1b[2J\0more'); wait()")
    wait_until(lambda: any("pictures are drawn by" in line for line in server.lines()))
    assert not any(line.startswith("2026 warn forged") or "\x1b" in line for line in server.lines())
    assert "forged" in server.json("/v1/version")["renderer"]


def test_memory_stays_what_it_was(start, tmp_path):
    """A claimed size takes no memory until the bytes arrive."""
    server, _ = begin(start, tmp_path, MISDEEDS["two gigabytes and no more"][0], "--render-timeout", "300ms")
    before = memory_kib(server)
    for width in range(20, 23):  # two tries each
        assert server.get(PICTURE.replace("64", str(width))).error() in ("render_timeout", "unavailable")
    assert memory_kib(server) - before < 16384
    assert memory_files(server) <= 1
