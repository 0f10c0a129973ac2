"""Work threads make answers that take long. The loop serves other clients meanwhile, and nothing else changes."""
import json
import signal
import urllib.request

import pytest

from conftest import SAMPLES, wait_until
from importers import NO_RENDERING
from small_models import gltf

DRAWS = False

pytestmark = pytest.mark.short
MESH = "/v1/mesh?model=a.gltf&t=0:39:1"  # forty frames of 60000 vertices


@pytest.fixture
def server(start, tmp_path):
    root = tmp_path / "root"
    root.mkdir()
    (root / "a.gltf").write_text(gltf(x=0.25, triangles=20000))
    running = start(*NO_RENDERING, root=root)
    assert running.get("/v1/model?model=a.gltf").status == 200
    return running


def test_many_frames_are_the_single_ones(server):
    many = server.get("/v1/palette?model=a.gltf&t=0:99.99:100").json()["frames"]
    assert len(many) == 10000
    assert many[7] == server.get("/v1/palette?model=a.gltf&t=0.07").json()["frames"][0]
    whole = server.get(MESH)
    assert whole.status == 200 and len(whole.json()["frames"]) == 40 and whole.headers["etag"]
    assert server.get(MESH, f"If-None-Match: {whole.headers['etag']}").status == 304
    assert server.get(MESH, "If-None-Match: *").status == 304


def long_lists():
    """A quarter of a million clips: a long answer about a model with one node."""
    return json.dumps({"asset": {"version": "2.0"}, "nodes": [{}],
                       "animations": [{"channels": [], "samplers": []}] * 250000})


def one_mesh(targets, nodes):
    """A mesh of 10000 vertices without bytes, drawn under every node."""
    primitive = {"attributes": {"POSITION": 0}, "targets": [{}] * targets}
    return json.dumps({"asset": {"version": "2.0"}, "scenes": [{"nodes": list(range(nodes))}],
                       "accessors": [{"componentType": 5126, "type": "VEC3", "count": 10000}],
                       "meshes": [{"primitives": [primitive]}], "nodes": [{"mesh": 0}] * nodes})


MANY = ",".join(["0"] * 3900)


def is_served_beside(server, clients, request):
    """Whether small requests are answered while large answers are made for the clients."""
    before = server.json("/v1/stats")["answers"]["started"]
    for one in clients:
        one.send(request)
    served = 0
    with server.connect() as small:
        while served < 10:
            assert small.get("/v1/palette?model=a.gltf&t=0.5").status == 200
            answers = small.get("/v1/stats").json()["answers"]
            served += answers["running"] > 0
            if answers["started"] == before + len(clients) and answers["running"] == 0:
                break
    assert [one.answer(is_head=True).status for one in clients] == [200] * len(clients)
    return served == 10


@pytest.mark.parametrize("model, path", [
    (None, MESH),
    (None, f"/v1/palette?model=a.gltf&t=0:599:1&skin={MANY}"),
    (None, f"/v1/pose?model=a.gltf&t=0:599:1&joints={MANY}"),
    (long_lists(), "/v1/model?model=b.gltf"),
    (one_mesh(targets=10000, nodes=1), "/v1/mesh?model=b.gltf"),
    (one_mesh(targets=0, nodes=600), "/v1/mesh?model=b.gltf"),
], ids=["frames", "skins", "joints", "lists", "targets", "nodes"])
def test_others_are_served_meanwhile(server, tmp_path, model, path):
    if model is not None:
        (tmp_path / "root" / "b.gltf").write_text(model)
    assert server.get(path).status == 200
    head = f"HEAD {path} HTTP/1.1\r\nHost: localhost\r\n\r\n"
    large = [server.connect() for _ in range(4)]
    # retries, because this client may get the processor only when everything is done
    wait_until(lambda: is_served_beside(server, large, head), "others wait for large answers")
    for one in large:
        one.socket.close()


def test_too_large_is_refused(server):
    answer = server.get("/v1/mesh?model=a.gltf&t=0:9999:1")
    assert (answer.status, answer.error()) == (400, "too_many_frames")


def query(server, queries):
    body = json.dumps({"queries": queries}).encode()
    with server.connect() as one:
        one.send(f"POST /v1/query HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                 f"Content-Length: {len(body)}\r\n\r\n".encode() + body)
        answer = one.answer()
    assert answer.status == 200, answer.body
    results = answer.json()["results"]
    assert len(results) == len(queries)
    return [one.get("error", {}).get("code") for one in results]


def test_a_batch_has_one_budget_of_work(start, tmp_path):
    """Queries that fail after much work only use up the batch's budget of work; the rest is not done."""
    (tmp_path / "a.gltf").write_text(gltf(x=0.25, triangles=20000))
    # forty frames are at least 14.4 MB, and here 21.6 MB
    server = start(*NO_RENDERING, "--max-answer", "18m", "--batch-cpu", "10ms")
    small = {"op": "palette", "model": "a.gltf", "t": 1}
    large = {"op": "mesh", "model": "a.gltf", "t": "0:39:1"}
    wrong = {"op": "palette", "model": "a.gltf", "t": "x"}
    assert query(server, [small, large] + [large] * 30 + [wrong, small]) == [
        None, "too_many_frames"] + ["batch_cpu"] * 30 + ["bad_parameter", "batch_cpu"]
    assert server.json("/v1/stats")["answers"]["started"] == 1
    assert query(server, [small, small]) == [None, None]  # the next batch has a budget of its own
    with server.connect() as one:
        body = json.dumps({"queries": [large, small]})
        one.send(f"POST /v1/query HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                 f"Content-Length: {len(body)}\r\n\r\n{body}")
        error = one.answer().json()["results"][1]["error"]
    assert error["code"] == "batch_cpu" and "more than --batch-cpu 10 ms" in error["message"], error


@pytest.mark.parametrize("ops", [["palette", "pose", "mesh", "bounds", "model"], ["mesh"]], ids=" ".join)
def test_256_honest_queries(start, ops):
    if not SAMPLES.is_dir():
        pytest.skip("no sample models")
    models = ["dragon.glb", "octopus.glb", "robot.glb"]
    server = start(*NO_RENDERING, root=SAMPLES)
    queries = [{"op": ops[i % len(ops)], "model": models[i % len(models)]} for i in range(256)]
    for i, one in enumerate(queries):
        if one["op"] != "model":
            one["t"] = i / 100
    body = json.dumps({"queries": queries}).encode()
    request = urllib.request.Request(server.url + "/v1/query", body, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request) as answer:
        results = answer.read()  # 70 MB of meshes, which take a while to parse
    assert results.count(b'\n{"model":') == 256 and b'\n{"error":' not in results


def test_stopping_during_large_answers(server):
    large = [server.connect() for _ in range(4)]
    for one in large:
        one.send(f"GET {MESH} HTTP/1.1\r\nHost: localhost\r\n\r\n")
    wait_until(lambda: (answers := server.json("/v1/stats")["answers"])["started"] + answers["waiting"] == 4)
    server.signal(signal.SIGTERM)
    assert [one.answer().status for one in large] == [200] * 4
    assert server.wait() == 0
    for one in large:
        one.socket.close()


def test_clients_that_leave(server):
    for _ in range(6):
        with server.connect() as one:
            one.send(f"GET {MESH} HTTP/1.1\r\nHost: localhost\r\n\r\n")
    assert server.get("/v1/palette?model=a.gltf").status == 200
    server.signal(signal.SIGTERM)
    assert server.wait() == 0
