"""estimate=1: how long an answer takes and how large it is, without making it."""
import json
import shutil

import pytest

import packets
from conftest import SAMPLES, Server

pytestmark = pytest.mark.short
RANGE = "t=0:30:60"


@pytest.fixture(scope="module")
def warm(tmp_path_factory):
    """A server of its own, because its measurements depend on its requests."""
    root = tmp_path_factory.mktemp("estimates")
    for name in "dragon.glb", "robot.glb":
        shutil.copy(SAMPLES / name, root / name)
    running = Server(root, "--tcp", "127.0.0.1:0", "--render-workers", "1", "--loops", "2")
    for name in "dragon.glb", "robot.glb":
        running.json("/v1/model", model=name)
    yield running
    code = running.process.poll()
    running.end()
    assert code is None, f"the server died with {code}"


def estimate(server, target):
    answer = server.get(target + "&estimate=1")
    assert answer.status == 200, answer.body
    assert answer.headers["content-type"] == "application/json" and answer.headers["cache-control"] == "no-store"
    assert "etag" not in answer.headers
    found = answer.json()["estimate"]
    of_cells = {"sheet"} if found["imports"] == 0 and ("/v1/sheet" in target or "/v1/turntable" in target) else set()
    assert set(found) == {"seconds", "wait_seconds", "bytes", "imports", "measured"} | of_cells
    assert 0 <= found["wait_seconds"] <= found["seconds"]
    return found


@pytest.mark.parametrize("target", ["palette?model=robot.glb&" + RANGE, "palette?model=robot.glb&layout=mat3x4&" + RANGE,
                                    "pose?model=robot.glb&joints=hand_right&" + RANGE, "mesh?model=dragon.glb&t=0:1:4"])
def test_binary_answers_are_as_large_as_estimated(warm, target):
    target = f"/v1/{target}&format=bin"
    assert estimate(warm, target)["bytes"] == len(warm.get(target).body)


@pytest.mark.parametrize("target", ["palette?model=robot.glb&" + RANGE, "mesh?model=dragon.glb&t=0.2", "export?model=dragon.glb",
                                    "mesh?model=robot.glb&format=glb", "bounds?model=robot.glb&t=0:1:30", "keys?model=robot.glb"])
def test_other_answers_have_about_the_estimated_size(warm, target):
    size = len(warm.get("/v1/" + target).body)
    assert size / 4 < estimate(warm, "/v1/" + target)["bytes"] < 4 * size


def test_exports_are_estimated_by_the_poses_that_they_sample(warm):
    target = "/v1/export?model=robot.glb&textures=none&fps=1000"
    size = len(warm.get(target).body)
    assert size > 2 * estimate(warm, "/v1/export?model=robot.glb&textures=none")["bytes"]
    assert abs(estimate(warm, target)["bytes"] - size) < size / 4


def test_pictures_are_not_drawn_for_an_estimate(warm):
    before = warm.json("/v1/stats")["renders"]
    for target in "/v1/render?model=robot.glb", "/v1/sheet?model=robot.glb&clips=all", "/v1/turntable?model=robot.glb&format=gif":
        found = estimate(warm, target)
        assert found["bytes"] > 0 and found["seconds"] > 0
    assert warm.json("/v1/stats")["renders"] == before


def test_more_cells_take_longer(warm):
    few, many = (estimate(warm, f"/v1/sheet?model=robot.glb&clip=walk&frames={frames}") for frames in (4, 40))
    assert many["seconds"] > few["seconds"] and many["bytes"] > few["bytes"]


def test_what_was_done_is_learned_from(warm):
    target = "/v1/sheet?model=dragon.glb&clip=0&frames=3&width=64&height=64"
    assert warm.get(target).status == 200
    found = estimate(warm, target)
    assert found["measured"]
    assert warm.get("/v1/export?model=dragon.glb").status == 200
    assert estimate(warm, "/v1/export?model=dragon.glb")["measured"]


def test_models_that_are_not_in_memory_stay_where_they_are(tmp_path):
    for name in "dragon.glb", "robot.glb":
        shutil.copy(SAMPLES / name, tmp_path / name)
    server = Server(tmp_path, "--render-workers", "0")
    try:
        found = estimate(server, "/v1/compare?model=dragon.glb&with=robot.glb")
        assert found["imports"] == 2 and found["bytes"] is None and not found["measured"]
        assert estimate(server, "/v1/palette?model=dragon.glb")["imports"] == 1
        assert server.json("/v1/stats")["imports"]["started"] == 0
        server.json("/v1/model", model="dragon.glb")
        found = estimate(server, "/v1/compare?model=dragon.glb&with=robot.glb")
        assert found["imports"] == 1 and found["measured"]
    finally:
        server.end()


@pytest.mark.parametrize("target, status, code", [
    ("palette?model=robot.glb&clip=nope", 404, "clip_not_found"),
    ("palette?model=robot.glb&skin=9", 404, "skin_not_found"),
    ("sheet?model=robot.glb&clips=all&frames=1024", 422, None),
    ("render?model=robot.glb&joint=nope&view=weights", 404, "joint_not_found"),
    ("palette?model=robot.glb&estimate=2", 400, "bad_parameter"),
    ("model?model=robot.glb&estimate=1", 400, "unknown_parameter")])
def test_errors_are_those_of_the_answer(warm, target, status, code):
    answer = warm.get(f"/v1/{target}" + ("" if "estimate" in target else "&estimate=1"))
    without = warm.get(f"/v1/{target}")
    if "estimate" not in target:
        assert (answer.status, answer.body) == (without.status, without.body)
    if code:
        assert answer.status == status and answer.json()["error"]["code"] == code
    else:
        assert answer.status >= 400


def test_packets_and_batches_estimate_as_well(warm):
    target = "/v1/palette?model=robot.glb&format=bin&" + RANGE
    size = estimate(warm, target)["bytes"]
    with packets.connect(warm.ports, "tcp") as link:
        answer = link.ask("call", packets.call(target + "&estimate=1"))
        assert answer.kind == "json" and json.loads(answer.body)["estimate"]["bytes"] == size
    body = json.dumps({"queries": [{"op": "palette", "model": "robot.glb", "t": [0, 1], "estimate": 1},
                                   {"op": "palette", "model": "robot.glb", "t": [0, 1]}]})
    with warm.connect() as connection:
        connection.send(f"POST /v1/query HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                        f"Content-Length: {len(body)}\r\n\r\n{body}")
        first, second = connection.answer().json()["results"]
    assert "estimate" in first and "frames" in second
