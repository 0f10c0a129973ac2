"""/readyz: the reasons why a server is not ready, the report about each part, and the time between SIGTERM and the drain."""
import pathlib
import re
import shutil
import signal
import subprocess

import pytest

from conftest import BUILD, REPOSITORY, is_sanitized, wait_until
from importers import NO_RENDERING
from packets import Link
from renderers import install
from small_models import gltf
from upload_requests import put

NAMES = ["shutdown", "root", "renderer", "sandbox", "cache"]


@pytest.fixture
def root(tmp_path):
    folder = tmp_path / "root"
    folder.mkdir()
    (folder / "a.gltf").write_text(gltf())
    return folder


def ask(server):
    """(status, {name: (status, reason)}) of /readyz?verbose, which agrees with the short form."""
    answer, short = server.get("/readyz?verbose"), server.get("/readyz")
    body = answer.json()
    assert [check["name"] for check in body["checks"]] == NAMES
    assert all(set(check) == {"name", "status", "reason"} for check in body["checks"])
    assert (body["status"] == "ok") == (answer.status == 200) == ("error" not in body) and body["status"] in ("ok", "failed")
    if answer.status == short.status == 503:
        assert answer.error() == short.error() and body["error"] == short.json()["error"]
    return answer.status, {check["name"]: (check["status"], check["reason"]) for check in body["checks"]}


def test_all_is_well(start, root, tmp_path):
    server = start("--cache-dir", str(tmp_path / "cache"), "--render-workers", "1", root=root)
    wait_until(lambda: ask(server)[1]["renderer"] == ("ok", None))
    status, checks = ask(server)
    sandbox = checks.pop("sandbox")
    assert sandbox == ("ok", None) or sandbox[0] == "warning" and "workers" in sandbox[1]
    assert status == 200 and set(checks.values()) == {("ok", None)}, checks
    assert server.get("/readyz").body == server.get("/readyz?verbose=0").body == b'{"status":"ok"}\n'
    assert server.get("/readyz?verbose=1").body == server.get("/readyz?verbose").body
    assert server.get("/readyz?verbose=2").error() == "bad_parameter"
    assert server.get("/livez?verbose").error() == server.get("/readyz?verbos").error() == "unknown_parameter"


@pytest.mark.parametrize("words, said", [("", "it ended with status 7"), ("no driver", "no driver")])
def test_a_renderer_that_does_not_start_says_nothing_of_the_sandbox(start, command, root, tmp_path, words, said):
    """Importers have reported which rights the machine lets workers give up. That there are no renderers is reported as such."""
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "posed-import").symlink_to((BUILD / "posed-import").resolve())
    (folder / "posed-render").write_text(f"#!/bin/sh\n[ -z '{words}' ] || echo '{words}' >&2\nexit 7\n")
    (folder / "posed-render").chmod(0o755)
    server = start("--worker-dir", str(folder), "--render-workers", "1", root=root)
    line = server.wait_for_line("sandbox: ")
    assert line.endswith(f"; posed-render: not known, {said}"), line
    alone = start(*NO_RENDERING, root=root)  # nothing is worse than without renderers
    assert ask(server)[1]["sandbox"][0] == ask(alone)[1]["sandbox"][0]
    assert server.json("/v1/stats")["sandbox"] == alone.json("/v1/stats")["sandbox"]
    wait_until(lambda: ask(server)[1]["renderer"][0] == "warning")
    assert "the renderer does not start" in ask(server)[1]["renderer"][1]
    if ask(alone)[1]["sandbox"] == ("ok", None):  # "require" needs a report from each worker, and names the missing one
        status, _, why = command("--root", str(root), "--http", "127.0.0.1:0", "--worker-dir", str(folder), "--sandbox", "require")
        assert status == 2 and "--sandbox require, but a worker does not start; posed-import: " in why and said in why


def test_of_workers_that_do_not_start_nothing_is_known(start, root, tmp_path):
    """No worker has reported its sandbox. That does not mean that filters are missing."""
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "posed-import").write_text("#!/bin/sh\nexit 7\n")
    (folder / "posed-import").chmod(0o755)
    server = start("--worker-dir", str(folder), *NO_RENDERING, root=root)
    line = server.wait_for_line("sandbox: ")
    assert " warn " in line and "no worker starts, so that nothing is known of it" in line and "filter" not in line, line
    status, reason = ask(server)[1]["sandbox"]
    assert status == "warning" and "no worker starts" in reason and "posed-import: not known, " in reason


def test_the_document_names_each_part():
    text = (REPOSITORY / "protocol" / "http.md").read_text().split("## `GET /readyz`\n")[1].split("\n## ")[0]
    assert re.findall(r"^\| `(\w+)` \| `ok`", text, re.M) == NAMES


def test_what_is_off(start, root):
    server = start(*NO_RENDERING, "--sandbox", "off", root=root)
    status, checks = ask(server)
    assert status == 200
    assert checks["renderer"] == ("off", "--render-workers 0") and checks["cache"] == ("off", "--cache-dir none")
    assert checks["sandbox"] == ("off", "--sandbox off")


def test_renderers_that_never_work(start, root, tmp_path):
    options, good = install(tmp_path / "workers", "os.write(2, b'no driver here\\n'); os._exit(3)", workers=2)
    server = start(*options, "--ready", "pictures", root=root)
    wait_until(lambda: server.get("/readyz").status == 503)
    status, checks = ask(server)
    assert status == 503 and checks["renderer"][0] == "failed" and "no driver here" in checks["renderer"][1]
    short = server.get("/readyz")
    assert short.error() == "unavailable" and short.json()["error"]["message"].startswith("not ready: renderer: the renderer does not start")
    assert server.get("/healthz").status == server.get("/livez").status == server.get("/v1/model?model=a.gltf").status == 200
    wait_until(lambda: server.json("/v1/stats")["renders"]["workers_ended"] >= 8, "they are not tried again")
    for words in (" warn pictures are not ready: ", " warn the renderer does not start: ", "no driver here"):
        assert sum(words in line for line in server.lines() if "/readyz" not in line) == 1, server.lines()
    good.touch()
    wait_until(lambda: server.get("/readyz").status == 200)
    server.wait_for_line(" info pictures are ready again")
    assert server.get("/v1/render?model=a.gltf&width=16&height=16").status == 200


@pytest.mark.parametrize("ready", [(), ("--ready", "poses"), ("--ready", "poses,models")])
def test_poses_need_no_renderer(start, root, tmp_path, ready):
    options, _ = install(tmp_path / "workers", "os.write(2, b'no driver here\\n'); os._exit(3)")
    server = start(*options, *ready, root=root)
    wait_until(lambda: ask(server)[1]["renderer"][0] == "warning")
    status, checks = ask(server)
    assert status == 200 and "no driver here" in checks["renderer"][1]
    assert server.get("/v1/render?model=a.gltf").status == 503


def test_ready_for_pictures_that_are_off(command, tmp_path):
    status, _, said = command("--root", str(tmp_path), "--ready", "pictures", *NO_RENDERING)
    assert status == 2 and "--ready pictures, but --render-workers 0" in said
    status, _, said = command("--root", str(tmp_path), "--ready", "all")
    assert status == 2 and "'all' is no list of poses|pictures|models" in said


def test_a_renderer_that_dies_now_and_then_is_one(start, root, tmp_path):
    options, _ = install(tmp_path / "workers", "ready(); job(); os._exit(3)")
    server = start(*options, "--ready", "pictures", root=root)
    for _ in range(5):
        assert server.get("/v1/render?model=a.gltf&width=16&height=16").status == 500
        assert server.get("/readyz").status == 200


def test_a_cache_folder_that_is_not_usable(start, root, tmp_path):
    cache = tmp_path / "cache"
    cache.mkdir()
    cache.chmod(0o777)
    server = start(*NO_RENDERING, "--cache-dir", str(cache), root=root)
    status, checks = ask(server)
    assert status == 200 and checks["cache"][0] == "warning" and str(cache) in checks["cache"][1]


def test_a_root_that_goes_and_comes(start, root, tmp_path):
    server = start(*NO_RENDERING, root=root)
    root.rename(tmp_path / "away")
    wait_until(lambda: ask(server)[1]["root"] == ("warning", f"{root}: No such file or directory"))
    assert server.get("/readyz").status == 200
    (tmp_path / "away").rename(root)
    wait_until(lambda: ask(server)[1]["root"] == ("ok", None))


@pytest.mark.parametrize("ready", ["models", "pictures,models"])
def test_ready_for_models_whose_root_goes_and_comes(start, root, tmp_path, ready):
    server = start("--render-workers", "1", "--ready", ready, root=root)
    root.rename(tmp_path / "away")
    wait_until(lambda: server.get("/readyz").status == 503)
    status, checks = ask(server)
    assert status == 503 and checks["root"] == ("failed", f"{root}: No such file or directory")
    assert server.get("/readyz").error() == "unavailable"
    assert server.get("/healthz").status == 200
    (tmp_path / "away").rename(root)
    wait_until(lambda: server.get("/readyz").status == 200)


def test_a_root_that_does_not_answer(start, root, tmp_path):
    """Neither the probe nor the end of the server waits for the root."""
    if is_sanitized():
        pytest.skip("a sanitizer has to be the first library of a process")
    if not shutil.which("cc"):
        pytest.skip("there is no C compiler")
    library, hangs = tmp_path / "root.so", tmp_path / "hangs"
    subprocess.run(["cc", "-shared", "-fPIC", "-o", library, REPOSITORY / "tests" / "api" / "support" / "stand_in" / "root_stand_in.c", "-ldl"], check=True)
    server = start(*NO_RENDERING, root=root, env={"LD_PRELOAD": str(library), "ROOT_STAND_IN": str(hangs)})
    assert ask(server)[1]["root"] == ("ok", None)
    hangs.touch()
    wait_until(lambda: ask(server)[1]["root"][0] == "warning")
    assert re.fullmatch(re.escape(str(root)) + r" has not answered for \d+ s", ask(server)[1]["root"][1])
    hangs.unlink()
    wait_until(lambda: ask(server)[1]["root"] == ("ok", None))
    hangs.touch()
    wait_until(lambda: ask(server)[1]["root"][0] == "warning")
    server.signal(signal.SIGTERM)
    assert server.wait() == 0


# --- --drain-delay ---

def test_all_goes_on_during_the_delay(start, root):
    """Except /readyz. A second signal ends the delay."""
    (root / "in").mkdir()
    server = start(*NO_RENDERING, "--tcp", "127.0.0.1:0", "--uploads", str(root / "in"), "--drain-delay", "10m", root=root)
    with server.connect() as kept, Link(server.ports["tcp"]) as link:
        assert kept.get("/readyz").status == 200
        server.signal(signal.SIGTERM)
        wait_until(lambda: kept.get("/readyz").status == 503)
        status, checks = ask(server)  # over new connections
        assert status == 503 and checks["shutdown"] == ("failed", "the server is stopping")
        assert server.get("/readyz").error() == "shutting_down"
        answer = kept.get("/v1/model?model=a.gltf")
        assert answer.status == 200 and "close" not in answer.headers.get("connection", "")
        assert server.get("/healthz").status == 200 and link.ask("ping").kind == "done"
        assert put(server, "b.gltf", gltf().encode()).status == 201
    said = [line for line in server.lines() if "stopping on SIGTERM" in line or "connections are taken for 600.0 s more" in line]
    assert len(said) == 2 and server.process.poll() is None
    server.signal(signal.SIGTERM)
    assert server.wait() == 128 + signal.SIGTERM


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_the_drain_follows_the_delay(start, root, number):
    server = start(*NO_RENDERING, "--tcp", "127.0.0.1:0", "--drain-delay", "300ms", root=root)
    with server.connect() as kept, Link(server.ports["tcp"]) as link:
        assert kept.get("/readyz").status == 200
        server.signal(number)
        assert kept.is_closed_by_server() and link.read().code == 54 and server.wait() == 0


def test_delays_that_are_none(command, tmp_path):
    status, _, said = command("--root", str(tmp_path), "--drain-delay", "soon")
    assert status == 2 and "--drain-delay: 'soon' is not a time" in said
    status, out, _ = command("--root", str(tmp_path), "--drain-delay", "5s", "--check-config")
    assert status == 0 and "POSED_DRAIN_DELAY=5s\n" in out
