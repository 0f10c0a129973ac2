"""POST: JSON bodies, layers, batches."""
import json
import signal
import time
import urllib.parse

import numpy
import pytest

from conftest import SAMPLES
from importers import NO_RENDERING, imports, install
from raw_requests import post
from small_models import gltf, place

DRAWS = False

pytestmark = pytest.mark.short


def frames(answer):
    assert answer.status == 200, answer.body
    return answer.json()["frames"]


@pytest.fixture(scope="module")
def model(server, a_model):
    """A sample with at least two clips, and their names."""
    name = urllib.parse.unquote(a_model)
    clips = [clip["name"] for clip in server.json("/v1/model", model=name)["clips"]]
    assert len(clips) >= 2
    return name, clips


def test_get_and_post_are_one_answer(server, model):
    name, clips = model
    got = server.get("/v1/palette?" + urllib.parse.urlencode({"model": name, "clip": clips[1], "t": "0:1:5"}))
    for body in ({"model": name, "clip": clips[1], "t": "0:1:5"},
                 {"t": [0, 0.2, 0.4, 0.6, 0.8, 1.0], "clip": 1, "model": name}):
        posted = post(server, "/v1/palette", body)
        assert frames(posted) == frames(got)
        if body["clip"] != 1:
            assert posted.headers["etag"] == got.headers["etag"]
    # a condition on a copy is for GET and HEAD
    again = post(server, "/v1/palette", {"model": name}, If_None_Match="*")
    assert again.status == 200 and again.body


def test_what_takes_which_method(server):
    with server.connect() as connection:
        assert connection.get("/v1/query").headers["allow"] == "POST"
        assert connection.get("/v1/query", method="HEAD").status == 405
        assert connection.get("/v1/pose", method="PUT").headers["allow"] == "GET, HEAD, POST"
        assert connection.get("/healthz", method="POST").headers["allow"] == "GET, HEAD"


@pytest.mark.parametrize("body,headers,status,code", [
    (b"", {}, 400, "bad_request"),
    (b"{", {}, 400, "bad_request"),
    (b'{"model":"a"}x', {}, 400, "bad_request"),
    (b'{"modle":"a"}', {}, 400, "unknown_parameter"),
    (b'{"model":"a","model":"a"}', {}, 400, "duplicate_parameter"),
    (b'{"model":"../a"}', {}, 400, "bad_path"),
    (b'{"model":"a"}', {"Content_Type": "text/plain"}, 415, "unsupported_media_type"),
    (b'{"model":"none.glb"}', {"Content_Type": "application/json; charset=utf-8"}, 404, "model_not_found"),
    (b"[" * 100000, {}, 400, "bad_request"),
    (b'{"t":[' + b"1," * 100000 + b"1]}", {}, 413, "body_too_large"),
    (b'{"t":"' + b"1" * 2000000 + b'"}', {}, 413, "body_too_large"),
])
def test_bad_bodies(server, body, headers, status, code):
    answer = post(server, "/v1/pose", body, **headers)
    assert (answer.status, answer.error()) == (status, code)


def test_layers_in_every_operation(server, model):
    name, clips = model
    for path in ("/v1/palette", "/v1/pose", "/v1/mesh", "/v1/bounds"):
        alone = frames(post(server, path, {"model": name, "clip": clips[1], "t": [0.1, 0.7]}))
        same = frames(post(server, path, {"model": name, "t": [0.1, 0.7], "layers": [
            {"clip": clips[1], "weight": 0.5}, {"clip": clips[1], "weight": 0.5}]}))
        other = frames(post(server, path, {"model": name, "t": [0.1, 0.7], "layers": [
            {"clip": clips[1], "weight": 0.5}, {"clip": clips[0], "weight": 0.5}]}))
        kind = {"/v1/palette": "palettes", "/v1/pose": "scene", "/v1/mesh": "positions",
                "/v1/bounds": "bounds"}[path]
        if kind == "palettes":  # a single clip comes from its compiled form, a blend from double precision
            for a, b in zip(same, alone):
                assert numpy.allclose(a[kind], b[kind], rtol=0, atol=1e-6)
        else:
            assert [f[kind] for f in same] == [f[kind] for f in alone]
        assert [f[kind] for f in other] != [f[kind] for f in alone]
        assert other[1]["clip_times"] == [0.7, 0.7]


def test_layers_in_pictures(server, model):
    if server.get("/v1/version").json()["renderer"] is None and server.get(
            "/v1/render?model=" + urllib.parse.quote(model[0])).status == 503:
        pytest.skip("this server draws no pictures")
    name, clips = model
    shape = {"model": name, "t": 0.6, "width": 64, "height": 64, "frame": "pose"}
    alone = post(server, "/v1/render", {**shape, "clip": clips[1]})
    same = post(server, "/v1/render", {**shape, "layers": [{"clip": clips[1]}, {"clip": clips[1], "weight": 3}]})
    rest = post(server, "/v1/render", {**shape, "clip": "-"})
    mixed = post(server, "/v1/render", {**shape, "layers": [{"clip": clips[1]}, {"clip": "-", "weight": 2}]})
    assert {a.status for a in (alone, same, rest, mixed)} == {200}
    assert same.body == alone.body
    assert len({alone.body, rest.body, mixed.body}) == 3
    bad = post(server, "/v1/render", {**shape, "layers": [{"clip": "no such clip"}]})
    assert (bad.status, bad.error()) == (404, "clip_not_found")


@pytest.fixture
def root(tmp_path):
    for i in range(6):
        (tmp_path / f"{i}.gltf").write_text(gltf(x=i))
    (tmp_path / "bad.gltf").write_text("{}")
    return tmp_path


def test_batch_of_many_models(start, root):
    server = start(*NO_RENDERING, root=root)
    queries = [{"op": "palette", "model": f"{i % 6}.gltf"} for i in range(30)]
    queries[4] = {"op": "palette", "model": "bad.gltf"}
    queries[5] = {"op": "palette", "model": "none.gltf"}
    queries[6] = {"op": "fly"}
    queries[7] = {"op": "pose", "model": "1.gltf", "wdth": 1}
    queries[8] = {"op": "pose", "model": "1.gltf", "clip": "no"}
    answer = post(server, "/v1/query", {"queries": queries})
    assert answer.status == 200 and answer.headers["cache-control"] == "no-store" and "etag" not in answer.headers
    results = answer.json()["results"]
    assert len(results) == 30
    codes = [one.get("error", {}).get("code") for one in results]
    assert codes[4:9] == ["bad_model", "model_not_found", "bad_parameter", "unknown_parameter", "clip_not_found"]
    for i, one in enumerate(results):
        if not 4 <= i <= 8:
            assert codes[i] is None
            assert one["frames"][0]["palettes"][0][0][12] == i % 6
    assert imports(server) == 7


def test_batch_says_what_single_queries_say(server, model):
    name, clips = model
    one = {"model": name, "clip": clips[0], "t": [0, 0.5]}
    ops = ("palette", "pose", "mesh", "bounds")
    whole = {"model": name, "clip": clips[0], "over": "clip", "per": "joint"}
    results = post(server, "/v1/query", {"queries": [{"op": op, **one} for op in ops] + [
        {"op": "model", "model": name}, {"op": "bounds", **whole}]}).json()["results"]
    assert results[:4] == [post(server, "/v1/" + op, one).json() for op in ops]
    assert results[4] == server.json("/v1/model", model=name)
    assert results[5] == server.json("/v1/bounds", **whole)


def test_bounds_of_layers(server, model):
    """Around the vertices of the blend; per joint; not over a clip, because there are several."""
    name, clips = model
    layers = [{"clip": clips[1], "weight": 2, "speed": 0.5}, {"clip": clips[0], "mode": "additive", "weight": 0.5}]
    body = {"model": name, "t": [0.1, 0.7], "layers": layers}
    answer = post(server, "/v1/bounds", {**body, "per": "joint"}).json()
    mesh = post(server, "/v1/mesh", body).json()
    assert [one["mode"] for one in answer["layers"]] == ["override", "additive"] and answer["joints"]
    for box, shape in zip(answer["frames"], mesh["frames"]):
        points = [p for one in shape["positions"] for p in one]
        assert box["bounds"] == {"min": [min(points[i::3]) for i in range(3)], "max": [max(points[i::3]) for i in range(3)]}
        assert box["clip_times"] == shape["clip_times"] and len(box["joints"]) == len(answer["joints"])
    refused = post(server, "/v1/bounds", {"model": name, "layers": layers, "over": "clip"})
    assert (refused.status, refused.error()) == (400, "bad_parameter")
    assert "'over'" in refused.json()["error"]["message"]


def test_batch_counts_every_pose_of_a_whole_clip(start, model):
    name, clips = model
    one = {"op": "bounds", "model": name, "clip": clips[0], "over": "clip"}
    poses = start(*NO_RENDERING, root=SAMPLES).json("/v1/bounds", model=name, clip=clips[0], over="clip")["sampled"]["poses"]
    server = start(*NO_RENDERING, "--max-frames", str(2 * poses + 1), root=SAMPLES)
    results = post(server, "/v1/query", {"queries": [one, one, one]}).json()["results"]
    assert [one.get("error", {}).get("code") for one in results] == [None, None, "too_many_frames"]


def test_batch_shares_what_one_request_may_have(start, root):
    server = start(*NO_RENDERING, "--max-frames", "10", "--max-answer", "20000", "--max-queries", "50", root=root)
    results = post(server, "/v1/query", {"queries": [
        {"op": "palette", "model": "1.gltf", "t": "0:5:1"}, {"op": "palette", "model": "1.gltf", "t": "0:4:1"},
        {"op": "palette", "model": "1.gltf", "t": [1, 2, 3, 4]}]}).json()["results"]
    assert [one.get("error", {}).get("code") for one in results] == [None, "too_many_frames", None]
    answer = post(server, "/v1/query", {"queries": [{"op": "model", "model": "1.gltf"}] * 50})
    codes = [one.get("error", {}).get("code") for one in answer.json()["results"]]
    assert codes[0] is None and codes[-1] == "too_many_frames" and len(answer.body) < 40000
    answer = post(server, "/v1/query", {"queries": [{"op": "model", "model": "1.gltf"}] * 51})
    assert (answer.status, answer.error()) == (400, "bad_parameter")
    assert place(server.get("/v1/palette?model=2.gltf")) == 2


def test_large_batch_lets_others_through(server, model):
    name, _ = model
    body = json.dumps({"queries": [{"op": "mesh", "model": name, "t": "0:1:4"} for _ in range(40)]}).encode()
    with server.connect() as one:
        one.send(f"POST /v1/query HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body)
        for _ in range(5):
            assert server.get("/healthz").status == 200
        assert len(one.answer().json()["results"]) == 40


def test_client_leaves_its_batch(start, root):
    server = start(*NO_RENDERING, root=root)
    body = json.dumps({"queries": [{"op": "palette", "model": f"{i % 6}.gltf"} for i in range(60)]}).encode()
    for _ in range(5):
        with server.connect() as one:
            one.send(f"POST /v1/query HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body)
    assert place(server.get("/v1/palette?model=3.gltf")) == 3


def test_stopping_during_batches(start, root, tmp_path):
    """One batch waits for its first import, and one has lost its client. The server still stops cleanly."""
    server = start(*install(tmp_path / "slow", "sleep 1\n{real}"), "--drain-timeout", "200", root=root)
    body = json.dumps({"queries": [{"op": "palette", "model": f"{i}.gltf"} for i in range(6)]}).encode()
    request = f"POST /v1/query HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body
    with server.connect() as one, server.connect() as other:
        one.send(request)
        other.send(request)
        time.sleep(0.3)
        other.socket.close()
        time.sleep(0.1)
        server.signal(signal.SIGTERM)
        assert server.wait() == 0
