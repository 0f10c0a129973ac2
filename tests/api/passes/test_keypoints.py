"""Where /v1/keypoints says that points are: joints by the matrices of /v1/pose, points of surfaces by the triangles of /v1/mesh, both through
the camera that came back; and whether they are seen, by the rays of /v1/raycast."""
import json
import random
import struct
import urllib.parse

import numpy
import pytest

import pass_scenes
from conftest import REPOSITORY, SAMPLES, Server
from pass_evaluator import Camera, arrays, is_clear
from raw_requests import post

SHARED = REPOSITORY.parent / "shared" / "models" / "gltf"
WIDTH, HEIGHT = 240, 192
SIZE = {"width": WIDTH, "height": HEIGHT}
PIXEL = 1e-4
CASES = [
    ("turned.glb", {"clip": "move"}, {}),
    ("turned.glb", {"clip": "move"}, {"camera": "eye"}),
    ("turned.glb", {"clip": "move"}, {"camera": "flat eye"}),
    ("turned.glb", {"clip": "move"}, {"ortho": 1, "yaw": -70, "pitch": 30}),
    ("dragon.glb", {"clip": "fly"}, {}),
    ("octopus.glb", {}, {"yaw": 150, "pitch": -20, "fov": 70, "distance": 0.6}),
    ("robot.glb", {"clip": "walk"}, {"frame": "pose", "pitch": 20}),
    ("Fox.glb", {"clip": "Run"}, {"yaw": 20}),
    ("cesium_man.gltf", {}, {"frame": "pose"}),
    ("MorphStressTest.gltf", {}, {"pitch": 25}),
]
IDS = [f"{case[0]}-{number}" for number, case in enumerate(CASES)]
TIMES = [0.3, 0.7, 0.1]


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    root = tmp_path_factory.mktemp("keypoints")
    (root / "turned.glb").write_bytes(pass_scenes.turned())
    for name in "dragon.glb", "octopus.glb", "robot.glb":
        (root / name).write_bytes((SAMPLES / name).read_bytes())
    for path in SHARED.glob("*"):
        (root / path.name).write_bytes(path.read_bytes())
    running = Server(root, "--tcp", "127.0.0.1:0", "--log", "off")
    running.root = root
    yield running
    running.end()


def check(server, model):
    if not (server.root / model).exists():
        pytest.skip(f"there is no {model}")


def ask(server, body):
    answer = post(server, "/v1/keypoints", body, Content_Type="application/json")
    assert answer.status == 200, answer.body
    return answer.json()


def matrix(numbers):
    return numpy.array(numbers).reshape(4, 4).T


class Shown(Camera):
    """The camera of a frame."""

    def __init__(self, frame):
        self.view_from_scene, self.clip_from_view = (matrix(frame["camera"][name]) for name in ("view_from_scene", "clip_from_view"))
        self.size = numpy.array([WIDTH, HEIGHT])

    def check(self, frame, points):
        """Pixels, depths and what is outside are those of points of the scene."""
        points = numpy.array(points)
        pixels, w = self.pixels(points)
        depths = -self.view(points)[:, 2]
        for at, (pixel, depth, state) in enumerate(zip(frame["pixels"], frame["depths"], frame["states"])):
            assert depth == pytest.approx(depths[at], rel=1e-5, abs=1e-5 * numpy.ptp(depths))
            if abs(w[at]) < 1e-5 * abs(w).max():
                continue  # beside the camera itself: rounding decides
            assert (pixel is None) == (w[at] <= 0)
            if pixel is not None:
                nearness = numpy.linalg.norm(points[at]) / max(abs(depth), 1e-9)  # floats of a matrix far from the origin, seen from near by
                assert numpy.abs(pixels[at] - pixel).max() < PIXEL * max(1, numpy.abs(pixels[at]).max() / WIDTH) * max(1, nearness)
            is_inside = w[at] > 0 and depth > 0 and (pixels[at] >= 0).all() and (pixels[at] < self.size).all()
            assert (state != "outside") == is_inside
        return pixels


@pytest.mark.parametrize("model, pose, view", CASES, ids=IDS)
def test_joints_are_where_their_matrices_are(server, model, pose, view):
    check(server, model)
    answer = ask(server, {"model": model, **pose, **view, **SIZE, "t": TIMES})
    scene = server.json("/v1/pose?" + urllib.parse.urlencode({"model": model, **pose, "t": TIMES}, doseq=True))
    assert [point["joint"] for point in answer["points"]] == [node["node"] for node in scene["nodes"]]
    assert [point["name"] for point in answer["points"]] == [node["name"] for node in scene["nodes"]]
    assert [frame["time"] for frame in answer["frames"]] == TIMES
    for frame, posed in zip(answer["frames"], scene["frames"]):
        Shown(frame).check(frame, [matrix(numbers)[:3, 3] for numbers in posed["scene"]])
        picture = server.json("/v1/render?" + urllib.parse.urlencode({"model": model, **pose, **view, **SIZE, "t": frame["time"], "format": "json", "allow_empty": 1}))
        assert frame["camera"] == picture["camera"] and frame["clip_time"] == picture["clip_time"]


@pytest.mark.parametrize("model, pose, view", CASES, ids=IDS)
def test_an_offset_is_in_the_space_of_its_joint(server, model, pose, view):
    check(server, model)
    nodes = server.json("/v1/model", model=model)["nodes"]
    rng = random.Random(5)
    picked = [rng.randrange(len(nodes)) for _ in range(12)]
    offsets = [[rng.uniform(-0.5, 0.5) for _ in range(3)] for _ in picked]
    points = [{"name": f"p{at}", "joint": node, "offset": offset} for at, (node, offset) in enumerate(zip(picked, offsets))]
    answer = ask(server, {"model": model, **pose, **view, **SIZE, "t": 0.3, "points": points})
    scene = server.json("/v1/pose?" + urllib.parse.urlencode({"model": model, **pose, "t": 0.3}))["frames"][0]["scene"]
    assert [(point["name"], point["joint"], point["offset"]) for point in answer["points"]] == \
        [(point["name"], point["joint"], pytest.approx(point["offset"])) for point in points]
    frame = answer["frames"][0]
    Shown(frame).check(frame, [(matrix(scene[node]) @ [*offset, 1])[:3] for node, offset in zip(picked, offsets)])


def triangles_of(server, model, pose):
    """Of each part that hides something: what /v1/mesh says of it, and the corners of its triangles in the scene."""
    about = server.json("/v1/model", model=model)
    mesh = server.json("/v1/mesh?" + urllib.parse.urlencode({"model": model, **pose, "indices": 1, "attributes": 1}))
    for part, positions, indices in zip(mesh["meshes"], mesh["frames"][0]["positions"], mesh["indices"]):
        if part["in_scene"] and part["topology"] == "triangles" and not is_clear(about, part["material"]):
            yield part, numpy.array(positions).reshape(-1, 3)[numpy.array(indices).reshape(-1, 3)]


def points_on(server, model, pose, count):
    """Points on random triangles, and where they are in the scene."""
    rng = numpy.random.default_rng(7)
    parts = list(triangles_of(server, model, pose))
    points, places = [], []
    for at in range(count):
        part, corners = parts[at % len(parts)]
        triangle = int(rng.integers(len(corners)))
        weights = rng.dirichlet([1, 1, 1])
        points.append({"name": f"p{at}", **{key: part[key] for key in ("mesh", "node", "primitive")}, "triangle": triangle, "barycentric": list(weights)})
        places.append(weights @ corners[triangle])
    return points, numpy.array(places)


def rays_to(camera, pixels, depths):
    """Rays from the camera to places of the picture, and how far each is."""
    scene_from_view = numpy.linalg.inv(camera.view_from_scene)
    view_from_clip = numpy.linalg.inv(camera.clip_from_view)
    rays, distances = [], []
    for (x, y), depth in zip(pixels, depths):
        near, far = (view_from_clip @ [2 * x / WIDTH - 1, 1 - 2 * y / HEIGHT, z, 1] for z in (-1, 1))
        near, far = near[:3] / near[3], far[:3] / far[3]
        along = (far - near) / -(far - near)[2]  # of depth 1
        start, end = (near + along * (depth_at - -near[2]) for depth_at in (0, depth))
        rays.append({"origin": list((scene_from_view @ [*start, 1])[:3]), "direction": list(scene_from_view[:3, :3] @ along)})
        distances.append(numpy.linalg.norm(end - start))
    return rays, numpy.array(distances)


def nearest(server, model, pose, rays):
    """How far each ray gets before a surface that hides what is behind it."""
    about = server.json("/v1/model", model=model)
    clear = {(number, at) for number, part in enumerate(about["meshes"]) for at, primitive in enumerate(part["primitives"])
             if is_clear(about, primitive["material"])}
    answer = post(server, "/v1/raycast", {"test": "mesh", "hits": "all", "entities": [{"model": model, **pose}], "rays": rays}, Content_Type="application/json")
    assert answer.status == 200, answer.body
    reached = numpy.full(len(rays), numpy.inf)
    for hit in answer.json()["hits"]:
        if (hit["mesh"], hit["primitive"]) not in clear:
            reached[hit["ray"]] = min(reached[hit["ray"]], hit["distance"])
    return reached


@pytest.mark.parametrize("model, pose, view", CASES, ids=IDS)
def test_points_of_surfaces_are_seen_where_rays_reach_them(server, model, pose, view):
    check(server, model)
    pose = {**pose, "t": 0.3}
    points, places = points_on(server, model, pose, 300)
    answer = ask(server, {"model": model, **pose, **view, **SIZE, "points": points})
    told = [{key: value for key, value in point.items() if key != "barycentric"} for point in answer["points"]]
    assert told == [{key: value for key, value in point.items() if key != "barycentric"} for point in points]
    frame, size = answer["frames"][0], answer["tolerance"] / 1e-3
    camera = Shown(frame)
    pixels = camera.check(frame, places)
    depths, states = numpy.array(frame["depths"]), numpy.array(frame["states"])
    is_seen, is_hidden = states != "outside", states != "outside"
    for across in (0, -0.8, 0.8):  # what the whole neighbourhood agrees on does not depend on which part of a pixel is drawn
        for along in (0, -0.8, 0.8):
            rays, distances = rays_to(camera, pixels + [across, along], depths)
            before = (distances - nearest(server, model, pose, rays)) / size  # of the point
            is_seen &= abs(before) <= (2e-4 if across == along == 0 else 0.005)  # its own surface may slope, but has no outline here
            is_hidden &= before > 0.01
    is_sure = is_seen | is_hidden
    assert is_sure.sum() > 40 and is_seen.sum() > 15
    assert (states[is_sure] == numpy.where(is_seen[is_sure], "visible", "hidden")).all()
    assert is_hidden.sum() > 5


@pytest.mark.parametrize("model, pose, view", CASES, ids=IDS)
def test_the_vertices_that_are_seen_lie_on_what_is_drawn(server, model, pose, view):
    """Each visible point of a surface is as far away as what its pixel shows, whose joint is that of the pass."""
    check(server, model)
    pose = {**pose, "t": 0.3}
    points, _ = points_on(server, model, pose, 300)
    frame = ask(server, {"model": model, **pose, **view, **SIZE, "points": points})["frames"][0]
    passes = arrays(server.get("/v1/render?" + urllib.parse.urlencode({"model": model, **pose, **view, **SIZE, "passes": "depth,joint"})))
    padded = numpy.pad(passes["joint"], 1, constant_values=-1)
    alike, shown = 0, 0
    for pixel, depth, state, drawn, joint in zip(*(frame[name] for name in ("pixels", "depths", "states", "drawn_depths", "drawn_joints"))):
        if state == "outside":
            assert drawn is None and joint is None
            continue
        x, y = int(pixel[0]), int(pixel[1])
        assert (drawn is None) == numpy.isinf(passes["depth"][y, x])
        if drawn is None:
            assert state == "visible"
            continue
        around = padded[y:y + 3, x:x + 3]
        if (around == around[1, 1]).all():
            assert joint == around[1, 1]
            shown += 1
        alike += state == "visible" and abs(depth - drawn) < 0.01 * numpy.ptp(passes["depth"][numpy.isfinite(passes["depth"])])
    assert shown > 10 and alike > 20


def test_a_tolerance_sees_into_the_flesh(server):
    query = {"model": "robot.glb", "clip": "walk", "t": 0.3, "joints": ["head", "hips"], **SIZE}
    states = lambda **more: ask(server, {**query, **more})["frames"][0]["states"]
    assert states() == ["hidden", "hidden"]
    assert states(tolerance=1) == ["visible", "visible"]
    assert ask(server, {**query, "tolerance": 0.25})["tolerance"] == pytest.approx(250 * ask(server, query)["tolerance"])


def test_layers_and_turns_move_points(server):
    body = {"model": "robot.glb", "t": [0.1, 0.4], "joints": ["head"], **SIZE, "yaw": 40,
            "layers": [{"clip": "walk"}, {"clip": "wave", "weight": 0.5}], "turn": "hips:0,0,40"}
    answer = ask(server, body)
    posed = post(server, "/v1/pose", {key: body[key] for key in ("model", "t", "joints", "layers", "turn")}, Content_Type="application/json").json()
    assert answer["clip"] is None
    for frame, scene in zip(answer["frames"], posed["frames"]):
        Shown(frame).check(frame, [matrix(scene["scene"][0])[:3, 3]])


@pytest.mark.parametrize("view", [{"yaw": 70, "pitch": 10}, {"ortho": 1, "yaw": 20}, {"camera": "eye"}])
def test_a_camera_that_came_back_is_the_same_again(server, view):
    body = {"model": "turned.glb", "clip": "move", "t": 0.3, **SIZE}
    answer = ask(server, {**body, **view})
    assert ask(server, {**body, "camera": answer["frames"][0]["camera"]}) == answer
    moved = {**answer["frames"][0]["camera"], "cx": answer["frames"][0]["camera"]["cx"] + 7.25}
    del moved["clip_from_view"], moved["view_from_scene"]
    frame = ask(server, {**body, "camera": moved})["frames"][0]
    for pixel, before in zip(frame["pixels"], answer["frames"][0]["pixels"]):
        assert (pixel is None) == (before is None)
        assert pixel is None or pixel == pytest.approx([before[0] + 7.25, before[1]], abs=1e-6 * max(1, abs(before[0])))


def test_one_question_has_one_answer(server):
    get = server.get("/v1/keypoints?model=robot.glb&clip=walk&t=0.3,0.5&joints=head,1&width=240&height=192")
    posted = post(server, "/v1/keypoints", {"model": "robot.glb", "clip": "walk", "t": [0.3, 0.5], "joints": ["head", 1], **SIZE}, Content_Type="application/json")
    assert get.status == 200 and get.body == posted.body and get.headers["etag"] == posted.headers["etag"]
    assert server.get("/v1/keypoints?model=robot.glb&clip=walk&t=0.3,0.5&joints=head,1&width=240&height=192", f"If-None-Match: {get.headers['etag']}").status == 304
    tags = {get.headers["etag"]}
    for more in ({"tolerance": 0.01}, {"body": "roles"}, *({"points": [point]} for point in (
            {"joint": 2}, {"joint": 3}, {"joint": 3, "name": "a"}, {"joint": 3, "offset": [0, 0, 1]},
            {"mesh": 0, "triangle": 1, "barycentric": [1, 0, 0]}, {"mesh": 0, "triangle": 2, "barycentric": [1, 0, 0]},
            {"mesh": 0, "triangle": 2, "barycentric": [0, 1, 0]}))):
        answer = post(server, "/v1/keypoints", {"model": "robot.glb", "joints": ["head"], **SIZE, **more}, Content_Type="application/json")
        assert answer.status in (200, 422), answer.body
        if answer.status == 200:
            assert answer.headers["etag"] not in tags
            tags.add(answer.headers["etag"])


REFUSED = [
    ([{"joint": 0}, {"joint": "nose"}], 404, "joint_not_found", "points[1]: 'turned.glb' has no node 'nose'"),
    ([{"joint": 99}], 404, "joint_not_found", "points[0]: 'turned.glb' has no node 99"),
    ([{"name": "tip"}], 400, "missing_parameter", "points[0] 'tip': a point needs the parameter 'joint' or 'mesh'"),
    ([{"joint": 0, "mesh": 0}], 400, "bad_parameter", "points[0]: parameter 'joint' does not go with 'mesh'"),
    ([{"joint": 0, "triangle": 0}], 400, "bad_parameter", "points[0]: parameter 'triangle' needs 'mesh'"),
    ([{"joint": 0, "offset": [1, 2]}], 400, "bad_parameter", "points[0]: parameter 'offset' must be a list of 3 numbers"),
    ([{"joint": 0, "offset": [1, 2, 1e39]}], 400, "bad_parameter", "points[0]: parameter 'offset' must be a list of 3 numbers"),
    ([{"joint": -1}], 400, "bad_parameter", "points[0]: parameter 'joint' must be an index or a name"),
    ([{"joint": 0, "name": 3}], 400, "bad_parameter", "points[0]: parameter 'name' must be a text"),
    ([{"joint": 0, "weights": []}], 400, "unknown_parameter", "points[0]: unknown parameter 'weights'; a point takes name"),
    ([{"mesh": 0, "triangle": 1}], 400, "missing_parameter", "points[0]: a point on a mesh needs the parameter 'barycentric'"),
    ([{"mesh": 1, "triangle": 12, "barycentric": [0, 0, 1]}], 400, "bad_parameter", "points[0]: primitive 0 of mesh 1 has no triangle 12: it has 12"),
    ([{"mesh": 1, "primitive": 2, "triangle": 0, "barycentric": [0, 0, 1]}], 400, "bad_parameter", "points[0]: mesh 1 has no primitive 2: it has 2"),
    ([{"mesh": 7, "triangle": 0, "barycentric": [0, 0, 1]}], 404, "mesh_not_found", "points[0]: 'turned.glb' has no mesh 7"),
    ([{"mesh": 0, "triangle": 0, "barycentric": [0, 0, 1]}], 400, "bad_parameter", "points[0]: 2 nodes show the mesh; parameter 'node' says which is meant"),
    ([{"mesh": 0, "node": "cloth", "triangle": 0, "barycentric": [0, 0, 1]}], 400, "bad_parameter", "points[0]: node 3 does not show the mesh"),
    ([{"mesh": 1, "triangle": 0, "barycentric": [0.5, 0.5, 0.5]}], 400, "bad_parameter", "points[0]: parameter 'barycentric' must be three weights"),
    ([{"mesh": 1, "triangle": 0, "barycentric": [-0.5, 1, 0.5]}], 400, "bad_parameter", "points[0]: parameter 'barycentric' must be three weights"),
    ([], 400, "bad_parameter", "parameter 'points' has 0 entries"),
    ({"joint": 0}, 400, "bad_parameter", "parameter 'points' must be a list of objects"),
]


@pytest.mark.parametrize("points, status, code, message", REFUSED, ids=[str(number) for number in range(len(REFUSED))])
def test_a_refused_point_is_named(server, points, status, code, message):
    answer = post(server, "/v1/keypoints", {"model": "turned.glb", "points": points}, Content_Type="application/json")
    assert (answer.status, answer.error()) == (status, code), answer.body
    assert message in answer.json()["error"]["message"]


@pytest.mark.parametrize("query, code, message", [
    ("joints=all&joints=1", "bad_parameter", "parameter 'joints' is all, and names joints"),
    ("joints=1,nothing", "joint_not_found", "has no node 'nothing'"),
    ("t=auto", "bad_parameter", "t"),
    ("t=0:2000:1", "too_many_frames", "parameter 't' names 2001 times; keypoints are of 1024 at most"),
    ("body=openpose", "humanoid_incomplete", "'turned.glb': parameter 'body' needs a human"),
    ("view=lit", "unknown_parameter", "view"),
    ("points=1", "bad_parameter", "does not fit a query"),
    ("map=vrm", "bad_parameter", "parameter 'map' needs retarget=rest"),
    ("camera=nothing", "camera_not_found", "nothing"),
    ("tolerance=2", "bad_parameter", "a share of the model's size"),
])
def test_queries_are_refused(server, query, code, message):
    answer = server.get("/v1/keypoints?model=turned.glb&" + query)
    assert answer.error() == code, answer.body
    assert message in answer.json()["error"]["message"]


def test_too_many_points_are_refused(server):
    points = [{"joint": 0}] * 20000
    body = {"model": "turned.glb", "points": points, "t": [0, 1, 2, 3]}
    answer = post(server, "/v1/keypoints", body, Content_Type="application/json")
    assert answer.error() == "too_many_frames" and "20000 points are more than 16384, the limit for so many times" in answer.json()["error"]["message"]
    assert len(ask(server, {**body, "t": [0, 1, 2]})["frames"][2]["pixels"]) == 20000


def test_what_is_not_shown_has_no_pixel(server, tmp_path):
    """A mesh of a hidden node, and one that a clip hides."""
    file = json.loads(json.dumps(pass_scenes.document_of(server.root / "turned.glb")))
    assert file["nodes"][1]["name"] == "long"
    data = (server.root / "turned.glb").read_bytes()
    file["nodes"][1]["extensions"] = {"KHR_node_visibility": {"visible": False}}
    file["extensionsUsed"] = ["KHR_node_visibility"]
    json_bytes = struct.unpack_from("<I", data, 12)[0]
    text = json.dumps(file).encode()
    text += b" " * (-len(text) % 4)
    body = struct.pack("<I4s", len(text), b"JSON") + text + data[20 + json_bytes:]
    (server.root / "hidden.glb").write_bytes(struct.pack("<4sII", b"glTF", 2, 12 + len(body)) + body)
    point = {"mesh": 0, "triangle": 0, "barycentric": [0.2, 0.3, 0.5]}
    answer = ask(server, {"model": "hidden.glb", "points": [{**point, "node": "long"}, {**point, "node": "mirrored"}]})
    frame = answer["frames"][0]
    assert frame["states"][0] == "hidden" and frame["pixels"][0] is None and frame["depths"][0] is None
    assert frame["pixels"][1] is not None and frame["depths"][1] > 0
