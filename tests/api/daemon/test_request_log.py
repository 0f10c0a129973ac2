"""The request log: the content of a request's line, over HTTP and packets. A line explains its error."""
import json
import os
import re
import signal
import time

import pytest

from conftest import wait_until
from importers import SLOW_A, install, pid_in, wait_for_imports
from packets import Link, call, query
from raw_requests import ask, final_answer
from small_models import gltf

pytestmark = pytest.mark.short
KEYS = ["method", "path", "status", "bytes", "ms", "id", "remote", "code", "operation", "model", "from", "queue_ms", "work_ms"]


@pytest.fixture
def root(tmp_path):
    folder = tmp_path / "root"
    folder.mkdir()
    for name in "abcd":
        (folder / f"{name}.gltf").write_text(gltf(x=ord(name)))
    return folder


def logged(server, request_id):
    """The line of the request, which must have all keys."""
    line = json.loads(server.wait_for_line(f'"id":"{request_id}"'))
    assert list(line)[:2] == ["time", "level"] and list(line)[2:15] == KEYS
    assert list(line)[15:] == ([] if line["code"] == "-" else ["message"])
    assert 0 <= line["queue_ms"] <= line["ms"] and 0 <= line["work_ms"] <= line["ms"]
    return line


def get(server, target, request_id, *headers):
    answer = server.get(target, f"X-Request-Id: {request_id}", *headers)
    return answer, logged(server, request_id)


def test_where_a_model_came_from(start, root, tmp_path):
    for expected in ("import", "disk"):
        server = start("--log", "json", "--cache-dir", tmp_path / "cache", root=root)
        for number, origin in enumerate((expected, "memory", "memory", "memory")):
            _, line = get(server, "/v1/palette?model=a.gltf&t=0", f"{expected}-{number}")
            assert (line["operation"], line["model"], line["from"]) == ("palette", "a.gltf", origin)
            assert (line["level"], line["status"], line["code"]) == ("info", 200, "-")
        _, line = get(server, "/v1/pose?model=b.gltf&clip_file=a.gltf", f"{expected}-both")
        assert (line["operation"], line["model"], line["from"]) == ("pose", "b.gltf", expected)
        if expected == "import":  # a model is stored after its answer
            wait_until(lambda: server.json("/v1/stats")["disk"]["stored"] >= 2, "the models are not stored")
        server.end()


def test_requests_without_a_model(start, root):
    server = start("--log", "json", "--log-probes", root=root)
    for target, status, operation, code in (("/healthz", 200, "healthz", "-"), ("/v1/stats", 200, "stats", "-"),
                                            ("/v1/models", 200, "models", "-"), ("/", 200, "gallery", "-"),
                                            ("/v1/nothing", 404, "-", "not_found"),
                                            ("/v1/palette?t=x", 400, "palette", "bad_parameter")):
        answer, line = get(server, target, f"id{target.replace('/', '_').replace('?', '_').replace('=', '_')}")
        assert (answer.status, line["operation"], line["code"], line["model"], line["from"]) == (status, operation, code, "-", "-")


def test_error_with_its_sentence(start, root):
    server = start("--log", "json", "--render-workers", "0", root=root)
    answer, line = get(server, "/v1/render?model=a.gltf", "undrawn")
    assert answer.status == 503 and (line["level"], line["status"], line["code"]) == ("warn", 503, "unavailable")
    assert (line["operation"], line["model"]) == ("render", "a.gltf")
    assert line["message"] == answer.json()["error"]["message"] and "--render-workers 0" in line["message"]
    answer, line = get(server, "/v1/pose?model=no%22ne.gltf", "none")
    assert (line["status"], line["code"], line["model"]) == (404, "model_not_found", 'no"ne.gltf')
    assert line["message"] == answer.json()["error"]["message"]


def test_text_lines_have_the_same_keys(start, root):
    server = start("--render-workers", "0", root=root)
    server.get("/v1/palette?model=a.gltf", "X-Request-Id: good")
    server.get("/v1/render?model=a.gltf", "X-Request-Id: bad")
    good, bad = server.wait_for_line("id=good"), server.wait_for_line("id=bad")
    assert re.findall(r" (\w+)=", good) == KEYS
    assert re.search(r" code=- operation=palette model=a\.gltf from=import queue_ms=\d+\.\d{3} work_ms=\d+\.\d{3}$", good)
    assert re.search(r' code=unavailable operation=render model=a\.gltf .* message="this server draws no pictures: .*"$', bad)


def test_lines_of_packets(start, root):
    server = start("--log", "json", "--tcp", "127.0.0.1:0", "--render-workers", "0", root=root)
    with Link(server.ports["tcp"]) as link:
        model = link.open("a.gltf")
        lines = [logged(server, link.next_id)]
        assert link.ask("palette", query(times=[0]), model).kind == "frames"
        lines.append(logged(server, link.next_id))
        refused = link.ask("call", call("/v1/render?model=b.gltf"))
        lines.append(logged(server, link.next_id))
        assert link.ask("ping").kind == "done"
        lines.append(logged(server, link.next_id))
        link.ask("palette", query(times=[0]), model + 1)
        lines.append(logged(server, link.next_id))
    told = [(line["method"], line["status"], line["code"], line["operation"], line["model"], line["from"]) for line in lines]
    assert told[0] == ("PACKET", 200, "-", "open", "a.gltf", "import")
    assert told[1] == ("PACKET", 200, "-", "palette", "a.gltf", "memory")
    assert told[2][:5] == ("PACKET", 503, "unavailable", "render", "b.gltf")
    assert told[3] == ("PACKET", 200, "-", "ping", "-", "-")
    assert told[4] == ("PACKET", 404, "model_not_found", "palette", "-", "-")
    assert lines[2]["message"] == refused.error()[2] and "--render-workers 0" in lines[2]["message"]


def test_full_queue_and_waiting_time(start, root, tmp_path):
    """One model is being imported, one waits for it, and a third finds the queue full."""
    pids = tmp_path / "pids"
    options = install(tmp_path / "bin", SLOW_A.replace("{pids}", str(pids)))
    server = start(*options, "--log", "json", "--import-workers", "1", "--import-queue", "1", root=root)
    running = ask(server, "/v1/palette?model=a.gltf")
    importer = pid_in(pids)
    waiting = ask(server, "/v1/palette?model=b.gltf")
    wait_for_imports(server, running=1, waiting=1)
    answer, line = get(server, "/v1/palette?model=c.gltf", "full")
    assert answer.status == 503 and (line["status"], line["code"], line["model"]) == (503, "overloaded", "c.gltf")
    assert "--import-queue 1" in line["message"] and line["queue_ms"] < 1000
    time.sleep(0.1)  # at least the work of the first and the waiting of the second
    os.kill(importer, signal.SIGKILL)
    assert [final_answer(one).status for one in (running, waiting)] == [503, 200]
    lines = [json.loads(server.wait_for_line(f"model={name}.gltf")) for name in "ab"]
    assert [(line["code"], line["from"]) for line in lines] == [("import_killed", "import"), ("-", "import")]
    assert lines[0]["work_ms"] >= 100 and lines[1]["queue_ms"] >= 100


def test_file_that_is_being_written(start, root):
    """No data came from any source, and the time was waiting, not work."""
    server = start("--log", "json", "--settle-timeout", "300ms", root=root)
    with open(root / "a.gltf", "r+b"):
        answer, line = get(server, "/v1/palette?model=a.gltf", "written")
    assert (answer.status, line["code"], line["from"]) == (503, "model_changing", "-")
    assert line["queue_ms"] >= 300


def test_client_that_left(start, root, tmp_path):
    options = install(tmp_path / "bin", SLOW_A.replace("{pids}", str(tmp_path / "pids")))
    server = start(*options, "--log", "json", root=root)
    client = ask(server, "/v1/palette?model=a.gltf")
    pid_in(tmp_path / "pids")
    client.socket.close()
    line = json.loads(server.wait_for_line('"status":499'))
    assert (line["operation"], line["model"], line["bytes"]) == ("palette", "a.gltf", 0)
