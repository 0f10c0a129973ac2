"""Cameras by numbers: K, a matrix, near and far, in the conventions of OpenCV and OpenGL, given and told back."""
import io
import json
import math

import numpy
import pytest
from PIL import Image

import raw_requests
from conftest import SAMPLES, Server
from test_camera import ORTHOGRAPHIC, PERSPECTIVE, animated

FLIP = numpy.diag([1, -1, -1, 1])
WIDTH, HEIGHT = 300, 211
# What lies askew: rotated, unevenly scaled, off the origin.
ASKEW = {"translation": [31, -7, 12], "rotation": [0.2, 0.4, -0.1, math.sqrt(1 - 0.21)], "scale": [1.5, 0.6, 2.5]}


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    root = tmp_path_factory.mktemp("numbers")
    for name in "robot.glb", "dragon.glb":
        (root / name).write_bytes((SAMPLES / name).read_bytes())
    cameras = [(PERSPECTIVE, {"translation": [27, -6, 20], "rotation": [-0.1, -0.3, 0.05, math.sqrt(1 - 0.1025)], "scale": [2, 0.5, 3]}),
               (ORTHOGRAPHIC, {"translation": [31, -4.5, 12], "rotation": [-0.7071067811865476, 0, 0, 0.7071067811865476]})]
    (root / "askew.gltf").write_text(animated({(0, "translation"): {0: ASKEW["translation"], 1: (31, -6, 12)}}, cameras=cameras, positions=[
        (0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 0), (0, 1, 0), (0, 0, 1)], material={"doubleSided": True}, **ASKEW))
    running = Server(root, "--tcp", "127.0.0.1:0", "--log", "off")
    yield running
    running.end()


def post(server, path="/v1/render", status=200, **parameters):
    answer = raw_requests.post(server, path, parameters)
    assert answer.status == status, (parameters, answer.body[:500])
    return answer


def told(answer):
    return json.loads(answer.headers["x-posed-camera"])


def matrix(numbers):
    return numpy.array(numbers, float).reshape(4, 4).T


def columns(array):
    return numpy.asarray(array, float).T.ravel().tolist()


def pixels_of_pass(answer):
    with numpy.load(io.BytesIO(answer.body)) as file:
        return {name: file[name] for name in file}


def colours(answer):
    return numpy.array(Image.open(io.BytesIO(answer.body)).convert("RGBA")).astype(int)


def look_at(eye, target, up=(0, 1, 0)):
    """camera_from_scene in OpenCV's convention."""
    forward = numpy.subtract(target, eye) / numpy.linalg.norm(numpy.subtract(target, eye))
    right = numpy.cross(forward, up) / numpy.linalg.norm(numpy.cross(forward, up))
    rows = numpy.stack([right, numpy.cross(forward, right), forward])
    return numpy.vstack([numpy.c_[rows, -rows @ numpy.array(eye, float)], [0, 0, 0, 1]])


def project(points, camera_from_scene, fx, fy, cx, cy, is_flat=False):
    """Pixels and depths by OpenCV's convention."""
    seen = numpy.asarray(points, float) @ camera_from_scene[:3, :3].T + camera_from_scene[:3, 3]
    divisor = 1 if is_flat else seen[..., 2:]
    return seen[..., :2] * [fx, fy] / divisor + [cx, cy], seen[..., 2]


EYE = look_at((2.2, 1.9, 3.1), (0.1, 0.8, 0))
LENS = {"fx": 310.0, "fy": 265.5, "cx": 121.25, "cy": 140.75}
CAMERA = {**LENS, "camera_from_scene": columns(EYE), "convention": "opencv"}

FRAMED = [
    {"model": "robot.glb", "clip": "walk", "t": 0.3},
    {"model": "dragon.glb", "clip": "fly", "t": 0.4, "yaw": 77, "pitch": -20, "fov": 77, "shadow": 1, "ao": 1},
    {"model": "robot.glb", "clip": "walk", "t": 0.3, "projection": "isometric"},
    {"model": "robot.glb", "t": 0.2, "ortho": 1, "yaw": 200, "target": "head", "distance": 0.4},
    {"model": "robot.glb", "t": 0.2, "target": "3,1,2", "distance": 0.03, "allow_empty": 1},
    {"model": "robot.glb", "clip": "walk", "t": 0.1, "frame_box": [-3, -1, -2, 3, 4, 2], "margin": 0.2},
    {"model": "askew.gltf", "t": 0.2, "camera": 0},
    {"model": "askew.gltf", "t": 0.7, "camera": 1},
]
OF_CAMERAS = ("yaw", "pitch", "fov", "projection", "ortho", "target", "distance", "frame_box", "margin", "camera")


@pytest.mark.parametrize("query", FRAMED, ids=[f"{row['model']}-{number}" for number, row in enumerate(FRAMED)])
@pytest.mark.parametrize("size", [(WIDTH, HEIGHT), (123, 321), (256, 256)], ids=str)
def test_a_camera_that_came_back_makes_the_same_picture(server, query, size):
    query = {**query, "width": size[0], "height": size[1]}
    first = post(server, **query)
    plain = {name: value for name, value in query.items() if name not in OF_CAMERAS}
    camera = told(first)
    again = post(server, camera=camera, **plain)
    assert again.body == first.body and again.headers["x-posed-camera"] == first.headers["x-posed-camera"]
    for convention in "opencv", "opengl":
        written = {name: camera[name] for name in ("projection", "fx", "fy", "cx", "cy", "near", "far")}
        written.update(camera_from_scene=camera["camera_from_scene"][convention], convention=convention)
        assert post(server, camera=written, **plain).body == first.body
    assert post(server, format="json", camera=camera, **plain).json()["camera"] == camera
    passes = dict(passes="depth,normal,position,node", allow_empty=1)
    assert post(server, **{**query, **passes}).body == post(server, camera=camera, **{**plain, **passes}).body


@pytest.mark.parametrize("query", FRAMED, ids=[f"{row['model']}-{number}" for number, row in enumerate(FRAMED)])
def test_both_conventions_show_vertices_at_the_same_pixels(server, query):
    camera = told(post(server, **{**query, "width": WIDTH, "height": HEIGHT, "allow_empty": 1}))
    mesh = server.json("/v1/mesh", **{name: query[name] for name in ("model", "clip", "t") if name in query})
    points = numpy.concatenate([numpy.array(part).reshape(-1, 3) for part in mesh["frames"][0]["positions"]]).astype(float)
    is_flat = camera["projection"] == "orthographic"
    opencv, opengl = (matrix(camera["camera_from_scene"][name]) for name in ("opencv", "opengl"))
    assert numpy.array_equal(opencv, FLIP @ opengl) and numpy.array_equal(opengl, matrix(camera["view_from_scene"]))
    got, depth = project(points, opencv, *(camera[name] for name in ("fx", "fy", "cx", "cy")), is_flat=is_flat)
    clip = numpy.c_[points, numpy.ones(len(points))] @ (matrix(camera["clip_from_view"]) @ opengl).T
    is_seen = clip[:, 3] > 1e-3
    expected = (clip[:, :2] / clip[:, 3:] * [0.5, -0.5] + 0.5) * [WIDTH, HEIGHT]
    assert is_seen.sum() > 5 and abs(got - expected)[is_seen].max() < 1e-4
    # OpenGL's depth is -1 at near and 1 at far.
    near, far = camera["near"], camera["far"]
    ndc = (clip[:, 2] / clip[:, 3])[is_seen]
    inside = (depth[is_seen] > near) & (depth[is_seen] < far)
    assert numpy.array_equal(inside, abs(ndc) < 1)


@pytest.mark.parametrize("model", ["robot.glb", "askew.gltf"])
@pytest.mark.parametrize("projection", ["perspective", "orthographic"])
def test_pixels_show_what_the_numbers_say(server, model, projection):
    """Off the middle and with unequal focal lengths: the place that a pixel shows is projected to the centre of that pixel."""
    is_flat = projection == "orthographic"
    target, eye = ((31.3, -6.8, 12.5), (33, -3.5, 17)) if model == "askew.gltf" else ((0, 1, 0), (2.2, 1.9, 3.1))
    placed = look_at(eye, target, up=(0.1, 1, 0.2))
    lens = {"fx": 48, "fy": 61, "cx": 190.5, "cy": 96} if is_flat else {**LENS, "cx": 190.5, "cy": 96}
    camera = {**lens, "camera_from_scene": columns(FLIP @ placed), "convention": "opengl", "projection": projection}
    answer = post(server, model=model, t=0.3, width=WIDTH, height=HEIGHT, passes="color,position,depth,node", camera=camera)
    shown = pixels_of_pass(answer)
    rows, across = numpy.nonzero(shown["node"] >= 0)
    assert len(rows) > 300
    places, depths = project(shown["position"][rows, across], placed, *lens.values(), is_flat=is_flat)
    off = abs(places - numpy.c_[across + 0.5, rows + 0.5]).max(1)
    assert numpy.quantile(off, 0.98) < 1e-4 and off.max() < 0.1  # at an edge a pixel has the nearest place of its triangle
    assert abs(depths - shown["depth"][rows, across]).max() < 1e-5 * depths.max()
    # The picture covers the pixels of the passes, but for its smoothed edges.
    alpha = shown["color"][..., 3]
    assert (alpha[shown["node"] >= 0] > 0).all() and (alpha[shown["node"] < 0] < 255).mean() > 0.99
    # Vertices are in the picture where they are projected.
    mesh = server.json("/v1/mesh", model=model, t=0.3)
    points = numpy.concatenate([numpy.array(part).reshape(-1, 3) for part in mesh["frames"][0]["positions"]])
    corners, _ = project(points, placed, *lens.values(), is_flat=is_flat)
    inside = ((corners >= 0) & (corners < [WIDTH, HEIGHT])).all()
    assert inside and abs(corners.min(0) - [across.min(), rows.min()]).max() < 2
    assert abs(corners.max(0) - [across.max(), rows.max()]).max() < 5  # a sharp corner covers no centre of a pixel


def test_arrays_of_passes_have_the_camera(server):
    for extra, name, is_flat in ({}, "camera_k", False), ({"projection": "orthographic", "fx": 60, "fy": 50}, "camera_affine", True):
        camera = {**CAMERA, "near": 0.5, "far": 20, **extra}
        answer = post(server, model="robot.glb", t=0.3, width=WIDTH, height=HEIGHT, passes="node", camera=camera)
        file = pixels_of_pass(answer)
        assert list(file) == ["node", name, "camera_from_scene_opencv", "camera_from_scene_opengl", "near_far"]
        assert all(file[key].dtype == numpy.float64 for key in list(file)[1:])
        lens = [[camera["fx"], 0, camera["cx"]], [0, camera["fy"], camera["cy"]], [0, 0, 1]]
        assert file[name].tolist() == (lens[:2] if is_flat else lens)
        assert file["near_far"].tolist() == [0.5, 20]
        assert numpy.array_equal(file["camera_from_scene_opencv"], EYE)
        assert numpy.array_equal(file["camera_from_scene_opengl"], FLIP @ EYE)
        assert matrix(told(answer)["camera_from_scene"]["opencv"]).tolist() == EYE.tolist()


@pytest.mark.parametrize("looks", [{}, {"ao": 1}, {"shadow": 1}, {"view": "normals"}, {"view": "depth"}, {"view": "wireframe"}, {"view": "skeleton"},
                                   {"view": "weights"}, {"light": "outdoor"}], ids=str)
@pytest.mark.parametrize("model", ["robot.glb", "dragon.glb"])
def test_another_centre_moves_the_picture(server, model, looks):
    """Everything is computed per pixel from its ray, so 24 pixels to the right and 16 down the picture is the same."""
    eye = look_at((3, 2.4, 5), (0, 1, 0)) if model == "robot.glb" else look_at((2.2, 1.6, 3.4), (0, 0.7, 0))
    query = dict(model=model, t=0.3, width=256, height=256, aa=0, allow_empty=1, **looks)
    camera = {"fx": 330, "fy": 250, "cx": 128, "cy": 128, "convention": "opencv", "camera_from_scene": columns(eye), "near": 1, "far": 60}
    middle, moved = colours(post(server, camera=camera, **query)), colours(post(server, camera={**camera, "cx": 152, "cy": 144}, **query))
    margin = 21 if "shadow" in looks else 0  # a shadow fades at the sides of the picture
    here = middle[margin:240 - margin, margin:232 - margin]
    there = moved[16 + margin:256 - margin, 24 + margin:256 - margin]
    assert (here[..., 3] > 0).sum() > 2000
    differ = abs(here - there).max(2) > 3
    assert differ.mean() < 0.002, (differ.sum(), abs(here - there).max())
    if "ao" in looks or "shadow" in looks:
        plain = colours(post(server, camera=camera, **{**query, "ao": 0, "shadow": 0}))
        assert (abs(plain - middle).max(2) > 3).sum() > 100, "it shows"


def test_near_and_far_cut(server):
    query = dict(model="robot.glb", t=0.3, width=WIDTH, height=HEIGHT, passes="depth")
    whole = pixels_of_pass(post(server, camera=CAMERA, **query))
    depth = whole["depth"]
    reached = depth[numpy.isfinite(depth)]
    middle = float((reached.min() + reached.max()) / 2)
    assert whole["near_far"][0] < reached.min() and whole["near_far"][1] > reached.max()
    cut = pixels_of_pass(post(server, camera={**CAMERA, "near": middle}, **query))["depth"]
    assert numpy.isfinite(cut).any() and cut.min() >= middle
    cut = pixels_of_pass(post(server, camera={**CAMERA, "far": middle}, **query))["depth"]
    assert cut[numpy.isfinite(cut)].max() <= middle and numpy.array_equal(numpy.isfinite(cut), depth <= middle)


def test_a_camera_that_sees_nothing_says_so(server):
    behind = look_at((0, 1, 5), (0, 1, 9))
    answer = post(server, model="robot.glb", camera={**LENS, "camera_from_scene": columns(behind), "convention": "opencv"}, status=422)
    assert answer.error() == "nothing_to_draw" and "outside" in answer.json()["error"]["message"]


def test_refusals_name_the_member(server):
    """tests/unit/request/test_request_camera.c has all of them."""
    for change, word in (({"fx": -1}, "'fx'"), ({"near": 3, "far": 2}, "'near'"), ({"camera_from_scene": columns(2 * EYE)}, "last row"),
                         ({"convention": "blender"}, "'convention'"), ({"k1": 0.1}, "'k1'")):
        answer = post(server, model="robot.glb", camera={**CAMERA, **change}, status=400)
        assert word in answer.json()["error"]["message"], answer.body
    answer = post(server, model="robot.glb", camera=CAMERA, yaw=30, status=400)
    assert "'yaw' does not go with a camera by numbers" in answer.json()["error"]["message"]


def test_every_number_has_an_etag_of_its_own(server):
    query = dict(model="robot.glb", t=0.3, format="json")
    etags = {post(server, camera={**CAMERA, **change}, **query).headers["etag"] for change in (
        {}, {"fx": 311}, {"fy": 266}, {"cx": 121}, {"cy": 140}, {"near": 0.5}, {"far": 50}, {"projection": "orthographic", "fx": 99},
        {"camera_from_scene": columns(look_at((2.2, 1.9, 3.2), (0.1, 0.8, 0)))})}
    assert len(etags) == 9
    flipped = {**CAMERA, "camera_from_scene": columns(FLIP @ EYE), "convention": "opengl"}
    assert post(server, camera=flipped, **query).headers["etag"] == post(server, camera=CAMERA, **query).headers["etag"]


def test_sheets_have_one_camera_for_all_cells(server):
    size = {"width": 80, "height": 60}
    camera = {**CAMERA, "fx": 70, "fy": 66, "cx": 50, "cy": 21}
    query = dict(model="robot.glb", clip="walk", frames=3, camera=camera, **size)
    manifest = post(server, "/v1/sheet", format="json", **query).json()
    sheet = Image.open(io.BytesIO(post(server, "/v1/sheet", **query).body)).convert("RGBA")
    for cell in manifest["cells"]:
        single = Image.open(io.BytesIO(post(server, model="robot.glb", clip="walk", t=cell["time"], camera=camera, **size).body)).convert("RGBA")
        x, y = cell["x"], cell["y"]
        assert sheet.crop((x, y, x + 80, y + 60)).tobytes() == single.tobytes()
        assert matrix(cell["view_from_scene"]).tolist() == (FLIP @ EYE).tolist()
    place, _ = project([(0, 0, 0)], EYE, 70, 66, 50, 21)
    assert manifest["directions"][0]["origin"] == pytest.approx(place[0].tolist())
    for path, extra in ("/v1/sheet", {"directions": 4}), ("/v1/turntable", {}):
        answer = post(server, path, model="robot.glb", camera=camera, status=400, **extra)
        assert "cannot go round" in answer.json()["error"]["message"]
