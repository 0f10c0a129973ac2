"""A layer with a list of weights: each frame equals the request for its time with its single weight."""
import json

import pytest

pytestmark = pytest.mark.short
TIMES, WALK, WAVE, MORE = [0.1, 0.35, 0.6], [1, 0.25, 0], [0, 3, 1000], [0.5, 0, 1]


def post(server, path, body):
    text = json.dumps(body)
    with server.connect() as connection:
        connection.send(f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                        f"Content-Length: {len(text)}\r\n\r\n{text}")
        return connection.answer()


def layers(walk, wave, more):
    return [{"clip": "walk", "weight": walk}, {"clip": "wave", "weight": wave, "subtree": "chest"},
            {"clip": "dance", "weight": more, "mode": "additive", "clip_file": "robot.glb"}]


@pytest.mark.parametrize("about", [{"op": "palette"}, {"op": "palette", "layout": "mat3x4"}, {"op": "pose", "what": ["local", "scene"]},
                                   {"op": "mesh"}, {"op": "bounds"}])
def test_frames_have_their_own_weights(server, about):
    path, more = "/v1/" + about["op"], {name: value for name, value in about.items() if name != "op"}
    whole = post(server, path, {"model": "robot.glb", "t": TIMES, "layers": layers(WALK, WAVE, MORE), **more})
    assert whole.status == 200, whole.body
    assert [layer["weight"] for layer in whole.json()["layers"]] == [WALK, WAVE, MORE]
    for i, frame in enumerate(whole.json()["frames"]):
        alone = post(server, path, {"model": "robot.glb", "t": TIMES[i], "layers": layers(WALK[i], WAVE[i], MORE[i]), **more})
        assert alone.json()["frames"] == [frame]
        assert [layer["weight"] for layer in alone.json()["layers"]] == [WALK[i], WAVE[i], MORE[i]]
    assert len({json.dumps({**frame, "time": 0, "clip_time": 0}) for frame in whole.json()["frames"]}) == len(TIMES)


def test_one_weight_is_no_list(server):
    one, other = ({"model": "robot.glb", "t": TIMES, "layers": [{"clip": "walk", "weight": weight}, {"clip": "wave"}]} for weight in (0.5, [0.5]))
    a, b, same = post(server, "/v1/palette", one), post(server, "/v1/palette", other), post(server, "/v1/palette", {**one, "layers": [{"clip": "walk", "weight": [0.5] * 3}, {"clip": "wave"}]})
    assert a.body == b.body and a.headers["etag"] == b.headers["etag"] != same.headers["etag"]
    assert a.json()["frames"] == same.json()["frames"] and same.json()["layers"][0]["weight"] == [0.5] * 3


def test_binary_and_batch(server):
    body = {"model": "robot.glb", "t": TIMES, "layers": layers(WALK, WAVE, MORE)}
    whole = post(server, "/v1/palette", {**body, "format": "bin"}).body
    swapped = post(server, "/v1/palette", {**body, "format": "bin", "layers": layers(WALK[::-1], WAVE, MORE)}).body
    assert len(whole) == len(swapped) and whole != swapped
    batch = post(server, "/v1/query", {"queries": [{"op": "palette", **body}, {"op": "palette", **body, "t": [0, 1]}]}).json()["results"]
    assert batch[0]["frames"] == post(server, "/v1/palette", body).json()["frames"]
    assert "layers[0]: parameter 'weight' has 3 numbers for 2 frames" in batch[1]["error"]["message"]


def test_cells_of_a_sheet_have_their_own_weights(server):
    body = {"model": "robot.glb", "t": [0.2, 0.4], "width": 96, "height": 48}
    pictures = [post(server, "/v1/sheet", {**body, "layers": [{"clip": "walk", "weight": walk}, {"clip": "wave", "weight": wave}]})
                for walk, wave in (([1, 0], [0, 1]), ([0, 1], [1, 0]), ([1, 1], [0.5, 0.5]), (1, 0.5))]
    assert [picture.status for picture in pictures] == [200] * 4, [picture.body[:300] for picture in pictures]
    assert len({picture.body for picture in pictures}) == 3 and pictures[2].body == pictures[3].body
