"""Parts of clips, dual quaternions, subtrees and boxes, on the sample models."""
import math
import struct

import pytest

from conftest import SAMPLES
from importers import NO_RENDERING
from rigs import drawn_often

pytestmark = pytest.mark.short

MODEL = "robot.glb"


def refused(server, target, status, code):
    answer = server.get(target)
    assert (answer.status, answer.error()) == (status, code), answer.body
    return answer.json()["error"]["message"]


@pytest.mark.parametrize("path", ["/v1/palette", "/v1/pose", "/v1/mesh", "/v1/bounds"])
def test_a_part_in_frames_is_the_same_as_its_times(server, path):
    part = server.json(path, model=MODEL, clip="walk", **{"from": 6, "to": 24, "fps": 30, "t": "0,0.25,0.7", "speed": 2})
    assert (part["from"], part["to"], part["speed"], part["phase"]) == (0.2, 0.8, 2, 0)
    times = [frame["clip_time"] for frame in part["frames"]]
    assert times == pytest.approx([0.2, 0.2 + 0.5, 0.2 + (1.4 - 1.2)], abs=1e-12)
    plain = server.json(path, model=MODEL, clip="walk", t=",".join(map(repr, times)))
    for a, b in zip(part["frames"], plain["frames"]):
        a.pop("time"), b.pop("time")
        assert a == b
    assert "from" not in plain


def test_a_part_in_binary_names_itself(server):
    answer = server.get(f"/v1/palette?model={MODEL}&clip=walk&from=0.25&phase=0.5&t=0&format=bin")
    kinds = {}
    for i in range(struct.unpack_from("<I", answer.body, 20)[0]):
        kind, once, *_, offset = struct.unpack_from("<2HI2i2IQ", answer.body, 96 + 32 * i)
        kinds[kind] = (once, offset)
    once, offset = kinds[20]
    duration = struct.unpack_from("<d", answer.body, 56)[0]
    assert once == 1 and struct.unpack_from("<4d", answer.body, offset) == (0.25, duration, 1, 0.5)


def test_a_picture_of_a_part(server):
    part = server.get(f"/v1/render?model={MODEL}&clip=wave&from=0.5&to=1.5&t=2.25&width=64&height=64&frame=pose")
    if part.status == 503:
        pytest.skip("no renderer")
    plain = server.get(f"/v1/render?model={MODEL}&clip=wave&t=0.75&width=64&height=64&frame=pose")
    assert part.status == 200 and part.body == plain.body and part.headers["etag"] != plain.headers["etag"]


def test_bad_parts_are_refused(server):
    at = f"/v1/pose?model={MODEL}&clip=wave&"
    assert "ends at 2 s" in refused(server, at + "to=3", 400, "bad_parameter")
    assert "frame 60" in refused(server, at + "to=90&fps=30", 400, "bad_parameter")
    assert "after 'to'" in refused(server, at + "from=1&to=0.5", 400, "bad_parameter")
    assert "did you mean 'speed'" in refused(server, at + "sped=1", 400, "unknown_parameter")
    refused(server, f"/v1/render?model={MODEL}&clip=wave&from=9", 400, "bad_parameter")


def by_matrix(m, p):
    return [sum(m[4 * c + r] * (*p, 1)[c] for c in range(4)) for r in range(3)]


def quaternion_product(a, b):
    ax, ay, az, aw = a
    bx, by, bz, bw = b
    return (aw * bx + ax * bw + ay * bz - az * by, aw * by - ax * bz + ay * bw + az * bx,
            aw * bz + ax * by - ay * bx + az * bw, aw * bw - ax * bx - ay * by - az * bz)


def by_dual_quaternion(q, p):
    """real p real* + 2 dual real*, by the definition."""
    real, dual = q[:4], q[4:]
    conjugate = (-real[0], -real[1], -real[2], real[3])
    turned = quaternion_product(quaternion_product(real, (*p, 0)), conjugate)
    shift = quaternion_product(dual, conjugate)
    return [turned[i] + 2 * shift[i] for i in range(3)]


def test_dual_quaternions_move_points_as_matrices_do(server):
    query = {"model": MODEL, "clip": "dance", "t": "0:1.2:10", "skin": 0}
    matrices = server.json("/v1/palette", **query)
    dual = server.json("/v1/palette", layout="dualquat", **query)
    assert dual["layout"] == "dualquat"
    for a, b in zip(matrices["frames"], dual["frames"]):
        for m, q in zip(a["palettes"][0], b["palettes"][0]):
            assert len(q) == 8
            for point in [(0, 0, 0), (0.3, 1.5, -0.2)]:
                assert by_dual_quaternion(q, point) == pytest.approx(by_matrix(m, point), abs=2e-6)


def test_dual_quaternions_of_neighbours_are_in_one_hemisphere(server):
    parents = {n["node"]: n["parent"] for n in server.json("/v1/model", model=MODEL)["nodes"]}
    palette = server.json("/v1/palette", model=MODEL, clip="dance", t="0:1.2:30", skin=0, layout="dualquat")
    place = {joint["node"]: i for i, joint in enumerate(palette["skins"][0]["joints"])}
    compared = 0
    for frame in palette["frames"]:
        quaternions = frame["palettes"][0]
        for node, i in place.items():
            above = parents[node]
            while above >= 0 and above not in place:
                above = parents[above]
            if above < 0:
                assert quaternions[i][3] >= 0
                continue
            assert math.fsum(x * y for x, y in zip(quaternions[i][:4], quaternions[place[above]][:4])) >= 0
            compared += 1
    assert compared > 100


def test_dual_quaternions_cannot_blink(server):
    """The robot closes its eyes by scaling them."""
    query = f"/v1/palette?model={MODEL}&clip=dance&t=1.3&layout=dualquat"
    for target in [query, query + "&format=bin"]:
        message = refused(server, target, 422, "not_rigid")
        assert "'eyes'" in message and "scales by 1, 0.15, 1" in message and "1.3 s" in message


def test_dual_quaternions_in_binary_have_the_same_floats(server):
    query = f"/v1/palette?model={MODEL}&clip=walk&t=0.3&skin=0&layout=dualquat"
    expected = server.get(query).json()["frames"][0]["palettes"][0]
    body = server.get(query + "&format=bin").body
    assert struct.unpack_from("<H", body, 6)[0] == 2
    frames_offset = struct.unpack_from("<Q", body, 32)[0]
    count, item_bytes, offset = struct.unpack_from("<2IQ", body, 96 + 16)
    assert (count, item_bytes) == (len(expected), 32)
    floats = struct.unpack_from(f"<{8 * count}f", body, frames_offset + offset)
    as_floats = struct.unpack(f"<{8 * count}f", struct.pack(f"<{8 * count}f", *[x for q in expected for x in q]))
    assert floats == as_floats


def test_a_subtree_is_a_node_and_all_below_it(server):
    nodes = server.json("/v1/model", model=MODEL)["nodes"]
    parents = {n["node"]: n["parent"] for n in nodes}

    def is_below(node, top):
        while node >= 0 and node != top:
            node = parents[node]
        return node == top

    top = next(n for n in nodes if n["name"] and "arm" in n["name"] and n["node"] in parents.values())
    expected = sorted(n["node"] for n in nodes if is_below(n["node"], top["node"]))
    assert len(expected) > 1
    pose = server.json("/v1/pose", model=MODEL, clip="wave", t=0.5, subtree=top["name"], joints=0)
    assert sorted(n["node"] for n in pose["nodes"]) == sorted(expected + [0])
    whole = server.json("/v1/pose", model=MODEL, clip="wave", t=0.5)
    for node, matrix in zip(pose["nodes"], pose["frames"][0]["scene"]):
        assert matrix == whole["frames"][0]["scene"][node["node"]]
    answer = server.get(f"/v1/pose?model={MODEL}&subtree=hand_rihgt")
    assert answer.status == 404 and "hand_right" in [c["name"] for c in answer.json()["error"]["candidates"]]


def box_of(points):
    axes = [points[i::3] for i in range(3)]
    return {"min": [min(a) for a in axes], "max": [max(a) for a in axes]}


def test_bounds_are_around_the_vertices(server):
    bounds = server.json("/v1/bounds", model=MODEL, clip="dance", t="0,0.4")
    mesh = server.json("/v1/mesh", model=MODEL, clip="dance", t="0,0.4")
    assert bounds["source"] == "vertices" and len(bounds["meshes"]) == len(mesh["meshes"])
    for a, b in zip(bounds["frames"], mesh["frames"]):
        assert a["meshes"] == [box_of(p) for p in b["positions"]]
        assert a["bounds"] == box_of([x for p in b["positions"] for x in p])


def test_bounds_over_a_clip_hold_its_poses(server):
    whole = server.json("/v1/bounds", model=MODEL, clip="walk", over="clip", per="joint")
    clip = next(c for c in server.json("/v1/model", model=MODEL)["clips"] if c["name"] == "walk")
    assert whole["sampled"]["to"] == clip["duration"] and whole["sampled"]["rate"] == 60
    assert whole["sampled"]["poses"] >= 60 * clip["duration"]
    size = max(b - a for a, b in zip(whole["whole"]["bounds"]["min"], whole["whole"]["bounds"]["max"]))
    frames = server.json("/v1/bounds", model=MODEL, clip="walk", t="0:1.2:47", wrap="clamp", per="joint")
    assert frames["joints"] == whole["joints"] and len(whole["joints"]) > 5
    for frame in frames["frames"]:
        pairs = [(frame["bounds"], whole["whole"]["bounds"])]
        for a, b in zip(frame["joints"], whole["whole"]["joints"]):
            pairs += [(a["scene"], b["scene"]), (a["joint"], b["joint"])]
        for inner, outer in pairs:
            assert all(a >= b - 2e-3 * size for a, b in zip(inner["min"], outer["min"]))
            assert all(a <= b + 2e-3 * size for a, b in zip(inner["max"], outer["max"]))


def test_bounds_are_json_only(server):
    assert server.get(f"/v1/bounds?model={MODEL}", "Accept: application/vnd.posed.frames").json()["frames"]
    assert "Accept" not in server.get(f"/v1/bounds?model={MODEL}").headers["vary"].split(", ")
    refused(server, f"/v1/bounds?model={MODEL}&format=bin", 400, "unknown_parameter")


def test_bounds_have_a_limit(start):
    server = start("--max-bounds", "1", root=SAMPLES)
    assert "1 poses" in refused(server, f"/v1/bounds?model={MODEL}", 400, "too_many_frames")


def test_morph_targets_that_have_a_weight_count_as_work(start, tmp_path):
    """Of 96 targets, those whose weight is 0 take nothing, and 32 moves of a vertex count as one more vertex."""
    for name, weight in ("still", 0), ("moved", 0.01):
        (tmp_path / f"{name}.gltf").write_text(drawn_often(4, 2, 1, [weight] * 96))
    server = start("--max-bounds", "40", *NO_RENDERING, root=tmp_path)
    still = server.get("/v1/bounds?model=still.gltf")
    assert still.status == 200, still.body
    assert "morph targets" in refused(server, "/v1/bounds?model=moved.gltf", 400, "too_many_frames")
