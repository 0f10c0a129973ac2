"""The body of view=openpose and of body=openpose: where its points are, and the colours at their places in the picture."""
import io
import json
import urllib.parse

import numpy
import pytest
from PIL import Image

import walkers
from conftest import SAMPLES, Server
from vrm_avatar import avatar

# Of OpenPose's COCO model (Cao et al. 2018), as ControlNet's pose models were trained with.
COLORS = [(255, 0, 0), (255, 85, 0), (255, 170, 0), (255, 255, 0), (170, 255, 0), (85, 255, 0), (0, 255, 0), (0, 255, 85), (0, 255, 170),
          (0, 255, 255), (0, 170, 255), (0, 85, 255), (0, 0, 255), (85, 0, 255), (170, 0, 255), (255, 0, 255), (255, 0, 170), (255, 0, 85)]
LIMBS = [(1, 2), (1, 5), (2, 3), (3, 4), (5, 6), (6, 7), (1, 8), (8, 9), (9, 10), (1, 11), (11, 12), (12, 13), (1, 0), (0, 14), (14, 16), (0, 15), (15, 17)]
NAMES = ["nose", "neck", "right_shoulder", "right_elbow", "right_wrist", "left_shoulder", "left_elbow", "left_wrist", "right_hip", "right_knee",
         "right_ankle", "left_hip", "left_knee", "left_ankle", "right_eye", "left_eye", "right_ear", "left_ear"]
ROLES = {"right_shoulder": "rightUpperArm", "right_elbow": "rightLowerArm", "right_wrist": "rightHand", "left_shoulder": "leftUpperArm",
         "left_elbow": "leftLowerArm", "left_wrist": "leftHand", "right_hip": "rightUpperLeg", "right_knee": "rightLowerLeg",
         "right_ankle": "rightFoot", "left_hip": "leftUpperLeg", "left_knee": "leftLowerLeg", "left_ankle": "leftFoot"}
FACE = ["nose", "right_eye", "left_eye", "right_ear", "left_ear"]
SIDE = 512
RADIUS = SIDE / 128
CASES = [("ann.vrm", {"t": 0, "camera": "front"}), ("ann.vrm", {"clip": "-", "yaw": 60, "pitch": 15}), ("ann0.vrm", {"t": 0, "camera": "front"}),
         ("walk.gltf", {"clip": "walk", "t": 0.35, "yaw": 40}), ("walk.gltf", {"clip": "walk", "t": 0.9, "ortho": 1, "yaw": -30}),
         ("turned.gltf", {"clip": "walk", "t": 0.35})]


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    root = tmp_path_factory.mktemp("openpose")
    (root / "ann.vrm").write_bytes(avatar(1, "bone"))
    (root / "ann0.vrm").write_bytes(avatar(0, "bone"))
    walker = walkers.gltf(walkers.Walk(3))
    walker = json.loads(walker) if isinstance(walker, str) else walker
    (root / "walk.gltf").write_text(json.dumps(walker))
    walker["nodes"][0].update(rotation=walkers.turned((0.6, 0, 0.8), 70), translation=[30, -8, 5])
    (root / "turned.gltf").write_text(json.dumps(walker))
    (root / "dragon.glb").write_bytes((SAMPLES / "dragon.glb").read_bytes())
    running = Server(root, "--tcp", "127.0.0.1:0", "--log", "off")
    yield running
    running.end()


def body_of(server, model, **query):
    """The points of a body by name: pixel or None."""
    answer = server.json("/v1/keypoints", model=model, body="openpose", width=SIDE, height=SIDE, **query)
    assert [point["name"] for point in answer["points"]] == NAMES
    return answer, dict(zip(NAMES, answer["frames"][0]["pixels"]))


def picture(server, model, **query):
    answer = server.get("/v1/render?" + urllib.parse.urlencode({"model": model, "view": "openpose", "width": SIDE, "height": SIDE, **query}))
    assert answer.status == 200, answer.body
    return numpy.asarray(Image.open(io.BytesIO(answer.body)).convert("RGBA")).astype(int)


def expected(places, width, height, radius):
    """The picture without smoothing, and how far each pixel's centre is from changing: limbs in their order, then points."""
    x, y = numpy.meshgrid(numpy.arange(width) + 0.5, numpy.arange(height) + 0.5)
    colors, margin = numpy.zeros((height, width, 3), int), numpy.full((height, width), numpy.inf)

    def paint(share, color, size):
        colors[share <= 1] = color
        margin[...] = numpy.minimum(margin, abs(numpy.sqrt(share) - 1) * size)

    for limb, (a, b) in enumerate(LIMBS):
        if places[a] is None or places[b] is None:
            continue
        (ax, ay), (bx, by) = places[a], places[b]
        length = numpy.hypot(bx - ax, by - ay)
        along = ((x - (ax + bx) / 2) * (bx - ax) + (y - (ay + by) / 2) * (by - ay)) / length
        across = ((y - (ay + by) / 2) * (bx - ax) - (x - (ax + bx) / 2) * (by - ay)) / length
        paint((along / (length / 2)) ** 2 + (across / radius) ** 2, numpy.array(COLORS[limb]) * 6 // 10, radius)
    for point, place in enumerate(places):
        if place is not None:
            paint(((x - place[0]) ** 2 + (y - place[1]) ** 2) / radius ** 2, COLORS[point], radius)
    return colors, margin


@pytest.mark.parametrize("model, query", CASES, ids=[f"{case[0]}-{number}" for number, case in enumerate(CASES)])
def test_colours_are_at_the_projected_joints(server, model, query):
    _, places = body_of(server, model, **({"t": 0, **query}))
    found = picture(server, model, aa=0, **({"t": 0, **query}))
    assert all(place is not None for place in places.values())
    colors, margin = expected(list(places.values()), SIDE, SIDE, RADIUS)
    is_sure = margin > 0.01
    assert is_sure.mean() > 0.95 and (colors[is_sure] > 0).any(-1).sum() > 1500
    assert (found[is_sure][:, :3] == colors[is_sure]).all() and (found[..., 3] == 255).all()
    smooth = picture(server, model, **({"t": 0, **query}))
    assert abs(smooth - found).mean() < 2 and abs(smooth - found).max() > 30


@pytest.mark.parametrize("model, query", CASES, ids=[f"{case[0]}-{number}" for number, case in enumerate(CASES)])
def test_points_are_the_joints_of_the_roles(server, model, query):
    query = {"t": 0, **query}
    answer, places = body_of(server, model, **query)
    roles = server.json("/v1/keypoints", model=model, body="roles", width=SIDE, height=SIDE, **query)
    joints = dict(zip([point["name"] for point in roles["points"]], roles["frames"][0]["pixels"]))
    for name, role in ROLES.items():
        assert places[name] == joints[role]
    told = {point["name"]: point for point in answer["points"]}
    shoulders = [point["joint"] for point in roles["points"] if point["name"] in ("rightUpperArm", "leftUpperArm")]
    assert sorted(told["neck"]["joints"]) == sorted(shoulders)
    if "leftEye" in joints:
        assert (places["left_eye"], places["right_eye"]) == (joints["leftEye"], joints["rightEye"])
    head = next(point["joint"] for point in roles["points"] if point["name"] == "head")
    for name in ["nose", "left_ear", "right_ear"]:
        assert told[name]["joint"] == head


def scene_of(server, model, bones=(), **query):
    """The points of a body in the scene, by name, from joints and offsets and the matrices of /v1/pose."""
    answer, _ = body_of(server, model, bones=bones, **query)
    scene = [numpy.array(matrix).reshape(4, 4).T for matrix in server.json("/v1/pose", model=model, **query)["frames"][0]["scene"]]
    places = {}
    for point in answer["points"]:
        ends = [scene[joint][:3, 3] for joint in point["joints"]] if "joints" in point else [(scene[point["joint"]] @ [*point.get("offset", [0, 0, 0]), 1])[:3]]
        places[point["name"]] = numpy.mean(ends, 0)
    return places


@pytest.mark.parametrize("model", ["ann.vrm", "ann0.vrm", "walk.gltf", "turned.gltf"])
def test_a_face_is_in_front_of_the_head_and_on_its_own_sides(server, model):
    at = scene_of(server, model, clip="-", t=0)
    left = at["left_shoulder"] - at["right_shoulder"]
    up = at["neck"] - (at["left_hip"] + at["right_hip"]) / 2
    left, up = left / numpy.linalg.norm(left), up - left * (left @ up) / (left @ left)
    up /= numpy.linalg.norm(up)
    forward = numpy.cross(left, up)
    between = lambda a, b: (at[a] + at[b]) / 2
    eyes, ears = between("left_eye", "right_eye"), between("left_ear", "right_ear")
    assert (at["left_eye"] - at["right_eye"]) @ left > 0 and (at["left_ear"] - at["right_ear"]) @ left > (at["left_eye"] - at["right_eye"]) @ left
    assert (at["nose"] - ears) @ forward > (eyes - ears) @ forward > 0 and (eyes - at["nose"]) @ up > 0
    assert (at["nose"] - at["neck"]) @ up > 0


def test_a_face_without_eyes_is_that_of_its_head(server):
    """Estimated from the vertices of the head, it is near the one by the joints of the eyes."""
    by_eyes = scene_of(server, "ann.vrm", clip="-", t=0)
    without = scene_of(server, "ann.vrm", clip="-", t=0, bones=["leftEye=-", "rightEye=-"])
    apart = numpy.linalg.norm(by_eyes["left_ear"] - by_eyes["right_ear"])
    for name in FACE:
        assert numpy.linalg.norm(by_eyes[name] - without[name]) < 0.6 * apart, name


def test_what_is_missing_is_left_out(server):
    """A model without a head has no face; without an upper arm no shoulder and no neck, and none of their limbs."""
    answer, places = body_of(server, "walk.gltf", clip="walk", t=0.35, bones="head=-")
    assert [name for name in NAMES if places[name] is None] == sorted(FACE, key=NAMES.index)
    states = dict(zip(NAMES, answer["frames"][0]["states"]))
    assert states["nose"] is None and states["neck"] in ("hidden", "visible")
    found = picture(server, "walk.gltf", clip="walk", t=0.35, bones="head=-", aa=0)
    colors, margin = expected(list(places.values()), SIDE, SIDE, RADIUS)
    assert (found[margin > 0.01][:, :3] == colors[margin > 0.01]).all()
    _, places = body_of(server, "walk.gltf", clip="walk", t=0.35, bones="leftUpperArm=-")
    assert [name for name in NAMES if places[name] is None] == ["neck", "left_shoulder"]


def test_sheets_and_backgrounds(server):
    query = {"model": "walk.gltf", "view": "openpose", "clip": "walk", "width": 64, "height": 64}
    sheet = server.get("/v1/sheet?" + urllib.parse.urlencode({**query, "frames": 4, "columns": 2}))
    pixels = numpy.asarray(Image.open(io.BytesIO(sheet.body)).convert("RGB"))
    assert pixels.shape == (128, 128, 3) and all((pixels[y:y + 64, x:x + 64] > 200).any() for y in (0, 64) for x in (0, 64))
    clear = server.get("/v1/render?" + urllib.parse.urlencode({**query, "background": "transparent"}))
    alpha = numpy.asarray(Image.open(io.BytesIO(clear.body)).convert("RGBA"))[..., 3]
    assert alpha.min() == 0 and alpha.max() == 255
    jpeg = server.get("/v1/render?" + urllib.parse.urlencode({**query, "format": "jpeg"}))
    assert numpy.asarray(Image.open(io.BytesIO(jpeg.body)))[0, 0].max() < 8


@pytest.mark.parametrize("query, code, message", [
    ("model=dragon.glb&view=openpose", "humanoid_incomplete", "'dragon.glb': view=openpose needs a human: "),
    ("model=walk.gltf&view=openpose&shadow=1", "bad_parameter", "'shadow'"),
    ("model=walk.gltf&view=openpose&joint=1", "bad_parameter", "'joint' needs view=weights"),
    ("model=walk.gltf&view=openpose&light=flat", "bad_parameter", "'light'"),
    ("model=walk.gltf&view=openpose&passes=depth", "bad_parameter", "it needs view=lit"),
    ("model=walk.gltf&view=openpose&bones=head=nothing", "joint_not_found", "nothing"),
    ("model=walk.gltf&view=lit&bones=head=Head", "bad_parameter", "'bones' needs retarget=rest"),
])
def test_what_is_refused(server, query, code, message):
    answer = server.get("/v1/render?" + query)
    assert answer.error() == code and message in answer.json()["error"]["message"], answer.body
