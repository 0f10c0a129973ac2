"""Bodies that work threads parse have the same answers and errors as small bodies, in the same order."""
import contextlib
import json
import pathlib
import socket

import pytest

import crowds
import large_requests
import packets
import raycasts
from conftest import SAMPLES, Server, wait_until
from raw_requests import post

DRAWS = False
pytestmark = pytest.mark.short
PADDING = " " * 20000  # more than a loop parses itself
TIMES = {"model": "robot.glb", "clip": "walk", "joints": ["hand_right"], "t": [n / 1000 for n in range(1000)]}


@pytest.fixture(scope="module")
def own():
    running = Server(SAMPLES, "--tcp", "127.0.0.1:0", draws=False)
    assert running.get("/v1/model?model=robot.glb").status == 200
    yield running
    running.end()
    assert running.process.returncode == 0


def request(path, body, *headers, version="1.1"):
    lines = "".join(f"{line}\r\n" for line in ("Host: localhost", "Content-Type: application/json", f"Content-Length: {len(body)}", *headers))
    return f"POST {path} HTTP/{version}\r\n{lines}\r\n{body}"


@pytest.mark.parametrize("path, body", [
    ("/v1/pose", TIMES), ("/v1/pose", {**TIMES, "joints": ["nobody"]}), ("/v1/pose", {**TIMES, "t": "x"}), ("/v1/pose", {"modle": "robot.glb"}),
    ("/v1/pose", []), ("/v1/nothing", {}), ("/v1/query", {"queries": [{"op": "pose", **TIMES}, {"op": "model", "model": "robot.glb"}]}),
    ("/v1/raycast", {"entities": [{"model": "robot.glb"}], "rays": [{"origin": [0, 1, 9], "direction": [0, 0, -1]}] * 100}),
    ("/v1/pose?estimate=1", TIMES), ("/v1/healthz", {})])
def test_the_same_as_of_a_small_body(own, path, body):
    text = json.dumps(body)
    small, large = post(own, path, text.encode()), post(own, path, (text + PADDING).encode())
    assert large.status == small.status and large.headers["content-type"] == small.headers["content-type"]
    if "estimate" not in path:
        assert large.body == small.body


def crowd(padding, **more):
    """Two robots; padding: unneeded items."""
    return large_requests.crowd(entity=crowds.record("ENTITY", first_layer=0, layer_count=1) + crowds.record("ENTITY", **more),
                                layer=crowds.record("LAYER", time_s=0.3), wanted_item=bytes(4 * padding))


@pytest.mark.parametrize("more", [{}, {"layout": 3}, {"reserved": 1}, {"world": 0}], ids=str)
@pytest.mark.parametrize("way", large_requests.WAYS)
def test_a_binary_crowd_that_a_thread_reads(own, way, more):
    small, large = crowd(0, **more), crowd(140_000, **more)
    assert len(small) < 500 and 524_288 < len(large) < 1_000_000
    for _ in range(2):
        assert large_requests.ask(own, way, "/v1/crowd", large) == large_requests.ask(own, way, "/v1/crowd", small)


def test_a_binary_raycast_that_a_thread_reads(own):
    def body(count):
        return large_requests.raycast_binary("robot.glb", large_requests.rays(4) + large_requests.rays(1) * count,)
    for way in large_requests.WAYS:
        few, many = (large_requests.ask(own, way, "/v1/raycast", body(count)) for count in (0, 7000))
        assert len(body(7000)) > 524_288 and few[0] and many[0]
        assert raycasts.read_hits(many[1])["hits"][:4] == raycasts.read_hits(few[1])["hits"]


def test_handles_of_a_crowd_that_a_thread_reads(own):
    def body(padding, handle):
        return crowds.build(entity=[{}], wanted=[{}], model=[{"handle": handle}], wanted_item=[{}] * padding)
    with packets.Link(own.ports["tcp"]) as link:
        handle = link.open("robot.glb")
        answers = [link.ask("crowd", body(padding, handle)) for padding in (0, 140_000)]
        assert answers[0].kind != "error" and answers[0].payload == answers[1].payload
        answers = [link.ask("crowd", body(padding, handle + 1)) for padding in (0, 140_000)]
        assert answers[0].payload == answers[1].payload


@pytest.mark.parametrize("text", ["{", '{"t":[', "nothing", '{"model":"robot.glb","model":"robot.glb"}'])
def test_what_is_no_json_is_said(own, text):
    answer = post(own, "/v1/pose", (PADDING + text).encode())
    assert answer.status == 400 and answer.error() in ("bad_request", "duplicate_parameter")


def test_answers_keep_their_order(own):
    body = json.dumps(TIMES) + PADDING
    alone = post(own, "/v1/pose", body.encode()).body
    with own.connect() as one:
        for _ in range(5):
            one.send(request("/v1/pose", body) + "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        for _ in range(5):
            assert one.answer().body == alone and one.answer().json() == {"status": "ok"}


def test_a_client_that_has_said_all_gets_its_answer(own):
    body = json.dumps(TIMES) + PADDING
    with own.connect() as one:
        one.send(request("/v1/pose", body))
        one.socket.shutdown(socket.SHUT_WR)
        assert one.answer().status == 200 and one.is_closed_by_server()
    with own.connect() as one:
        one.send(request("/v1/pose", body, version="1.0"))
        assert one.answer().status == 200 and one.is_closed_by_server()


def test_clients_that_leave_meanwhile(own):
    body = request("/v1/pose", json.dumps({**TIMES, "t": [n / 1000 for n in range(9999)]}) + PADDING)
    for _ in range(40):
        with own.connect() as one:
            one.send(body)
    wait_until(lambda: own.json("/v1/stats")["connections"]["open"] == 1)
    assert own.get("/v1/pose?model=robot.glb&t=0.1").status == 200


def spent_ns(server):
    """{thread: its processor time}, which does not depend on other work of the machine. A thread may end meanwhile."""
    spent = {}
    for path in pathlib.Path(f"/proc/{server.process.pid}/task").glob("*/schedstat"):
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            spent[path.parent.name] = int(path.read_text().split()[0])
    return spent


def spent_on(server, path, body, code):
    """By the loop and by all other threads, in ns, for bodies that are refused with this code."""
    before = spent_ns(server)
    assert all(post(server, path, body).error() == code for _ in range(10))
    spent = {thread: ns - before.get(thread, 0) for thread, ns in spent_ns(server).items()}
    return spent.pop(str(server.process.pid)), sum(spent.values())


def test_a_loop_leaves_the_parsing_to_others(start):
    """The body is read to its end, and then refused."""
    body = json.dumps({"t": [n / 7 for n in range(40000)]}).encode()
    assert len(body) > 500_000
    loop, others = spent_on(start(root=SAMPLES), "/v1/pose", body, "too_many_frames")
    assert loop < others


def test_a_loop_leaves_large_binary_crowds_to_others(start):
    """The error is at the end of millions of bytes, which the loop only receives."""
    server = start("--max-body", "16m", "--max-answer", "20m", "--client-memory", "200m", root=SAMPLES)
    layers = crowds.record("LAYER", time_s=0.3) * 150_000 + crowds.record("LAYER", wrap=9)
    loop, others = spent_on(server, "/v1/crowd", large_requests.crowd(entity=crowds.record("ENTITY"), layer=layers), "bad_parameter")
    assert others > loop / 4
