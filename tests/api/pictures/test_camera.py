"""The cameras of pictures: the headers, cameras of the file, telling moments, empty pictures."""
import io
import json
import math

import numpy
import pytest
from PIL import Image

from contract_model import awkward as awkward_text
from rigs import Writer
from small_models import gltf

HALF = 0.5 ** 0.5
TRIANGLE = [(0, 0, 0), (1, 0, 0), (0, 1, 0)]


def animated(moves, positions=TRIANGLE, material=None, cameras=(), **node):
    """A triangle on node 0, moved by a clip of {path: {time: value}}; cameras: (camera, its node)."""
    writer = Writer()
    document = writer.document
    primitive = {"attributes": {"POSITION": writer.accessor(positions, "VEC3")}}
    if material is not None:
        document["materials"], primitive["material"] = [material], 0
    document["meshes"] = [{"primitives": [primitive]}]
    document["nodes"] = [{"mesh": 0, **node}]
    document["scene"], document["scenes"] = 0, [{"nodes": [0]}]
    if cameras:
        document["cameras"] = [camera for camera, _ in cameras]
    for index, (_, place) in enumerate(cameras):
        document["scenes"][0]["nodes"].append(len(document["nodes"]))
        document["nodes"].append({"camera": index, **place})
    samplers, channels = [], []
    for (target, path), keys in moves.items():
        channels.append({"sampler": len(samplers), "target": {"node": target, "path": path}})
        samplers.append({"input": writer.accessor(list(keys), "SCALAR"),
                         "output": writer.accessor(list(keys.values()), "VEC4" if path == "rotation" else "VEC3")})
    if samplers:
        document["animations"] = [{"samplers": samplers, "channels": channels}]
    return writer.text()


def ask(server, query, status=200):
    answer = server.get(f"/v1/render?{query}")
    assert answer.status == status, (query, answer.body[:500])
    return answer


# A tetrahedron: three of its sides can face away from a camera.
CORNERS = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
CLOSED = [CORNERS[i] for i in (0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3)]


def camera_of(answer):
    camera = json.loads(answer.headers["x-posed-camera"])
    return [numpy.array(camera[name]).reshape(4, 4).T for name in ("view_from_scene", "clip_from_view")]


def alpha(answer):
    return numpy.array(Image.open(io.BytesIO(answer.body)).convert("RGBA"))[..., 3]


def box(answer):
    """Left, top, right, bottom of the covered pixels; right and bottom are exclusive."""
    rows, columns = (numpy.flatnonzero((alpha(answer) > 0).any(axis)) for axis in (1, 0))
    return columns[0], rows[0], columns[-1] + 1, rows[-1] + 1


def places(answer, points):
    """Pixels (as floats) of points of the scene."""
    view, clip = camera_of(answer)
    size = numpy.array(Image.open(io.BytesIO(answer.body)).size)
    projected = numpy.c_[numpy.array(points, float), numpy.ones(len(points))] @ (clip @ view).T
    return (projected[:, :2] / projected[:, 3:] * [1, -1] + 1) / 2 * size


PERSPECTIVE = {"name": "shot", "type": "perspective", "perspective": {"yfov": 0.8, "aspectRatio": 2, "znear": 0.01, "zfar": 50}}
ORTHOGRAPHIC = {"name": "plan", "type": "orthographic", "orthographic": {"xmag": 3, "ymag": 1.5, "znear": 0, "zfar": 9}}


@pytest.fixture
def studio(start, tmp_path):
    """Two cameras: one looks along +x from (-4, 0.5, 0.25) at t=0 and from (-8, ..) at t=1, the other from above."""
    cameras = [(PERSPECTIVE, {"translation": [-4, 0.5, 0.25], "rotation": [0, -HALF, 0, HALF], "scale": [2, 0.5, 3]}),
               (ORTHOGRAPHIC, {"translation": [0, 5, 0], "rotation": [-HALF, 0, 0, HALF], "name": "above"})]
    (tmp_path / "studio.gltf").write_text(animated(
        {(1, "translation"): {0: (-4, 0.5, 0.25), 1: (-8, 0.5, 0.25)}}, positions=[(0, 0, 0), (0, 0, -1), (0, 1, -1)],
        material={"doubleSided": True}, cameras=cameras))
    return start()


def test_camera_of_the_file(studio):
    model = "model=studio.gltf&aa=0"
    assert [(c["index"], c["name"], c["node"], c["kind"]) for c in studio.json("/v1/model?model=studio.gltf")["cameras"]] == [
        (0, "shot", 1, "perspective"), (1, "plan", 2, "orthographic")]
    shown = ask(studio, f"{model}&camera=shot&width=200&height=100&t=0")
    view, clip = camera_of(shown)
    # Scale has no effect. x to the right is +z, y is up, and -x points away from the target.
    assert numpy.allclose(view, [[0, 0, 1, -0.25], [0, 1, 0, -0.5], [-1, 0, 0, -4], [0, 0, 0, 1]], atol=1e-6)
    assert math.isclose(clip[1, 1], 1 / math.tan(0.4), rel_tol=1e-6)
    assert math.isclose(clip[0, 0], clip[1, 1] / 2, rel_tol=1e-6)
    corners = places(shown, [(0, 0, 0), (0, 0, -1), (0, 1, -1)])
    assert numpy.allclose(box(shown), [*corners.min(0), *corners.max(0)], atol=1)
    assert camera_of(ask(studio, f"{model}&camera=0&t=0.5&width=200&height=100"))[0][2, 3] == pytest.approx(-6)
    assert ask(studio, f"{model}&camera_name=shot&t=0").body == ask(studio, f"{model}&camera=0&t=0").body
    # A picture narrower than the camera's shows its whole width, a wider one shows more.
    assert camera_of(ask(studio, f"{model}&camera=shot&t=0"))[1][0, 0] == pytest.approx(0.5 / math.tan(0.4), rel=1e-6)
    assert camera_of(ask(studio, f"{model}&camera=shot&t=0&width=400&height=100"))[1][1, 1] == pytest.approx(
        1 / math.tan(0.4), rel=1e-6)


def test_orthographic_camera_of_the_file(studio):
    shown = ask(studio, "model=studio.gltf&camera=plan&width=256&height=256&allow_empty=1")
    view, clip = camera_of(shown)
    assert clip[3].tolist() == [0, 0, 0, 1]
    assert clip[0, 0] == pytest.approx(1 / 3) and clip[1, 1] == pytest.approx(1 / 3)
    assert numpy.allclose(view @ [0, 5, 0, 1], [0, 0, 0, 1], atol=1e-6)


def test_sheets_by_a_camera_of_the_file(studio):
    """Each cell shows what the camera sees at its moment. A moving camera has a view for each cell, and no common anchor."""
    query = "/v1/sheet?model=studio.gltf&camera=shot&frames=4&columns=2&width=60&height=40&aa=0"
    manifest = studio.json(query + "&format=json")
    sheet = Image.open(io.BytesIO(studio.get(query).body)).convert("RGBA")
    assert sheet.size == (120, 80) == (manifest["width"], manifest["height"])
    clip = numpy.array(manifest["clip_from_view"]).reshape(4, 4).T
    for cell in manifest["cells"]:
        single = ask(studio, f"model=studio.gltf&camera=shot&t={cell['time']}&width=60&height=40&aa=0")
        x, y = cell["x"], cell["y"]
        assert sheet.crop((x, y, x + 60, y + 40)).tobytes() == Image.open(io.BytesIO(single.body)).convert("RGBA").tobytes()
        view, own = camera_of(single)
        assert numpy.allclose(numpy.array(cell["view_from_scene"]).reshape(4, 4).T, view)
        assert numpy.allclose(clip[:2], own[:2]) and numpy.array_equal(clip[3], own[3])
        depths = [(clip @ view @ (*point, 1)) for point in [(0, 0, 0), (0, 0, -1), (0, 1, -1)]]
        assert all(-1 <= place[2] / place[3] <= 1 for place in depths), "the planes hold the model in every cell"
    assert manifest["anchor"] is None and manifest["pixels_per_unit"] is None
    assert manifest["directions"] == [{"yaw": None, "pitch": None, "origin": None, "view_from_scene": None}]
    still = studio.json("/v1/sheet?model=studio.gltf&camera=plan&frames=2&width=60&height=40&format=json&allow_empty=1")
    assert still["pixels_per_unit"] == pytest.approx(10) and still["projection"] == "orthographic"
    assert still["directions"][0]["view_from_scene"] == still["cells"][1]["view_from_scene"]
    assert still["directions"][0]["origin"] == pytest.approx([30, 20])


def test_a_camera_of_the_file_goes_round_nothing(studio):
    for query in ("sheet?directions=4&", "turntable?"):
        answer = studio.get(f"/v1/{query}model=studio.gltf&camera=shot")
        assert (answer.status, answer.error()) == (400, "bad_parameter")
        assert "cannot go round" in answer.json()["error"]["message"]
    refused = ask(studio, "model=studio.gltf&camera=shot&projection=level", 400)
    assert "'projection'" in refused.json()["error"]["message"]


def test_a_moment_that_is_not_finite_is_named(start, tmp_path):
    """Those beside it are drawn."""
    (tmp_path / "far.gltf").write_text(awkward_text())
    server, model = start(), "model=far.gltf&clip=overflow&width=64&height=64"
    assert ask(server, f"{model}&t=0").body == ask(server, model).body == ask(server, f"{model}&t=0&frame=pose").body
    assert server.get(f"/v1/sheet?{model}&t=0,1").status == 200, "a loop is at its start again"
    for query, words in [(f"render?{model}&t=0.9", "'far.gltf', clip 8 'overflow' at 0.9 s"),
                         (f"render?{model}&t=0,0.9&view=onion", "'far.gltf': moment 1, clip 8 at 0.9 s"),
                         (f"sheet?{model}&t=0,1,0.9", "'far.gltf': moment 2, clip 8 at 0.9 s")]:
        answer = server.get("/v1/" + query)
        assert (answer.status, answer.error()) == (422, "not_finite"), answer.body
        assert words in answer.json()["error"]["message"], answer.body
    # still finite, but nothing would be visible beside it
    (tmp_path / "wide.gltf").write_text(animated({(0, "scale"): {0: (1, 1, 1), 1: (1, 1, 1), 1.5: (3e38, 3e38, 3e38)}}))
    answer = server.get("/v1/sheet?model=wide.gltf&t=0,0.5,1.4")
    assert (answer.status, answer.error()) == (422, "not_finite"), answer.body
    assert "'wide.gltf': moment 2, clip 0 at 1.4 s: a vertex is at " in answer.json()["error"]["message"], answer.body
    assert ask(server, "model=wide.gltf&t=0.5").status == 200


def test_cameras_that_are_not_there(studio):
    answer = ask(studio, "model=studio.gltf&camera=shto", 404)
    assert answer.error() == "camera_not_found"
    assert [c["name"] for c in answer.json()["error"]["candidates"]] == ["shot", "plan"]
    assert "no camera 2" in ask(studio, "model=studio.gltf&camera=2", 404).json()["error"]["message"]
    assert ask(studio, "model=studio.gltf&camera_name=front", 404).error() == "camera_not_found"


def test_presets_and_yaw(start, tmp_path):
    (tmp_path / "t.gltf").write_text(gltf())
    server = start()

    def eye(query):
        return camera_of(ask(server, f"model=t.gltf&allow_empty=1&{query}"))[0][2, :3]

    for query, direction in [("camera=front", (0, 0, 1)), ("camera=back", (0, 0, -1)), ("camera=left", (1, 0, 0)),
                             ("camera=right", (-1, 0, 0)), ("camera=top", (0, 1, 0)), ("camera=back&yaw=90", (-1, 0, 0)),
                             ("camera=top&pitch=-90", (0, 0, 1)), ("yaw=90", (1, 0, 0))]:
        assert numpy.allclose(eye(query), direction, atol=1e-12), query
    usual = eye("")
    assert numpy.allclose(usual, eye("camera=three_quarter")) and usual.min() > 0.2


def test_strip_stands_still(start, tmp_path):
    """Something small that jumps far: the camera is the same at all times, and never cuts it off."""
    (tmp_path / "jump.gltf").write_text(animated({(0, "translation"): {0: (0, 0, 0), 0.5: (30, 10, 0), 0.55: (0, -20, 4)}}))
    server = start()
    times = [i * 0.55 / 40 for i in range(41)]
    strip = [ask(server, f"model=jump.gltf&camera=front&width=200&height=120&wrap=clamp&t={t}") for t in times]
    cameras = {answer.headers["x-posed-camera"] for answer in strip}
    assert len(cameras) == 1
    boxes = numpy.array([box(answer) for answer in strip])
    assert boxes[:, :2].min() >= 5 and boxes[:, 2].max() <= 195 and boxes[:, 3].max() <= 115
    assert boxes[:, 1].min() < 12 and boxes[:, 3].max() > 108  # and it reaches to the margins
    still = [ask(server, f"model=jump.gltf&camera=front&width=200&height=120&frame=pose&t={t}") for t in times]
    assert all(numpy.ptp(box(answer)[::2]) > 90 for answer in still)
    part = ask(server, "model=jump.gltf&camera=front&to=0.01&width=200&height=120&t=0")
    assert numpy.ptp(box(part)[::2]) > 50  # a short part has less to fit in


def test_telling_moment(start, tmp_path):
    """The moment that is farthest from the rest pose. The header's time draws it again."""
    (tmp_path / "bow.gltf").write_text(animated({(0, "scale"): {0: (1, 1, 1), 1: (1, 1, 1), 1.5: (3, 2, 1), 2: (1, 1, 1)}}))
    server = start()
    shown = ask(server, "model=bow.gltf")
    assert shown.headers["x-posed-time"] == "1.5"
    assert ask(server, "model=bow.gltf&t=1.5").body == shown.body
    assert ask(server, "model=bow.gltf&t=auto").body == shown.body
    assert ask(server, "model=bow.gltf", 200).headers["etag"] == shown.headers["etag"]
    document = server.json("/v1/render?model=bow.gltf&format=json")
    assert (document["time"], document["clip_time"], document["width"]) == (1.5, 1.5, 256)
    part = ask(server, "model=bow.gltf&from=0.25&to=1.25")
    assert float(part.headers["x-posed-time"]) == pytest.approx(1, abs=0.1)  # the last but one of its poses
    assert ask(server, "model=bow.gltf&phase=0.25").headers["x-posed-time"] == "0"
    assert ask(server, "model=bow.gltf&clip=-").headers["x-posed-time"] == "0"


@pytest.mark.parametrize("sizes, least", [
    ({0: 1e-5, 1: 1}, 0.7), ({0: 1, 1: 0}, 0.7), ({0: 1, 0.5: 0, 1: 1}, 0.7), ({0: 0, 0.2: 1.2, 0.4: 1, 2: 1}, 1),
    ({0: 1, 1.5: 1, 2: 0}, 0.7), ({0: 0, 0.03: 1}, 0.7)])
def test_telling_moments_show_the_model(start, tmp_path, sizes, least):
    """A model that appears or vanishes is farthest from its rest pose where it is scaled to zero."""
    (tmp_path / "pop.gltf").write_text(animated({(0, "scale"): {time: [size] * 3 for time, size in sizes.items()}}))
    server = start()
    model = "model=pop.gltf&camera=front&width=100&height=100"
    shown = box(ask(server, model))
    time_s = float(ask(server, model).headers["x-posed-time"])
    assert numpy.interp(time_s, list(sizes), list(sizes.values())) >= least
    assert shown[2] - shown[0] > 50 and shown[3] - shown[1] > 50, shown
    sheet = server.get(f"/v1/sheet?{model}&frames=1")
    assert (sheet.status, sheet.headers["content-type"]) == (200, "image/png")


def test_telling_moments_have_open_eyes(server):
    for model, eye in [("robot.glb", "eyes"), ("dragon.glb", "eye_left"), ("octopus.glb", "eye_left")]:
        for clip in range(3):
            time_s = ask(server, f"model={model}&clip={clip}").headers["x-posed-time"]
            (shown,) = server.json(f"/v1/pose?model={model}&clip={clip}&t={time_s}&joints={eye}&what=local")["frames"]
            assert min(shown["local"][0][7:10]) > 0.9, (model, clip)


def test_target_and_distance(start, tmp_path):
    (tmp_path / "t.gltf").write_text(animated({(0, "translation"): {0: (0, 0, 0), 1: (8, 0, 0)}}, name="x,1"))
    server = start()
    model = "model=t.gltf&camera=front&width=100&height=100"
    for query, middle in [("t=0&target=0.5,2,0", (0.5, 2, 0)), ("t=0&target=0", (4, 0, 0)),
                          ("t=0.5&target_name=x,1&frame=pose", (4, 0, 0)), ("t=0&target=x,1&ortho=1", (4, 0, 0))]:
        assert numpy.allclose(places(ask(server, f"{model}&{query}"), [middle]), 50, atol=1e-3), query
    near, far = (numpy.ptp(box(ask(server, f"{model}&t=0&frame=pose&distance={d}"))[::2]) for d in (1, 4))
    assert far == pytest.approx(near / 4, abs=2)
    near, far = (numpy.ptp(box(ask(server, f"{model}&t=0&frame=pose&ortho=1&distance={d}"))[::2]) for d in (1, 4))
    assert far == pytest.approx(near / 4, abs=2)


BOX = (-3, -1, -2, 5, 4, 2.5)


def test_a_box_of_its_own_frames_a_model_as_it_is(start, tmp_path):
    """A box that equals the model's own frames it as `frame=pose` does: its corners are the model's outermost points."""
    corners = [(x, y, z) for x in (-1, 2) for y in (0, 3) for z in (-0.5, 0.5)]
    (tmp_path / "box.gltf").write_text(animated({}, positions=[corners[i] for i in (0, 3, 7, 1, 5, 6, 2, 4, 0)],
                                                translation=[5, -1, 2], scale=[2, 1, 0.5]))
    server = start()
    bounds = server.json("/v1/model?model=box.gltf")["bounds"]
    numbers = [*bounds["min"], *bounds["max"]]
    for more in "", "&yaw=200&pitch=-30&fov=80", "&ortho=1&margin=0.2", "&distance=0.5&width=90", "&target=0,1,0":
        told = ask(server, f"model=box.gltf&allow_empty=1&frame_box={','.join(map(str, numbers))}{more}")
        own = ask(server, f"model=box.gltf&allow_empty=1&frame=pose{more}")
        for a, b in zip(camera_of(told), camera_of(own)):
            assert numpy.allclose(a, b, rtol=1e-6, atol=1e-5), more
    body = json.dumps({"model": "box.gltf", "frame_box": numbers, "allow_empty": 1})
    with server.connect() as connection:
        connection.send(f"POST /v1/render HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                        f"Content-Length: {len(body)}\r\n\r\n{body}")
        listed = connection.answer()
    assert listed.status == 200 and listed.body == ask(server, f"model=box.gltf&allow_empty=1&frame_box={','.join(map(str, numbers))}").body


@pytest.mark.parametrize("more", ["", "&camera=front", "&yaw=-60&pitch=70&ortho=1", "&distance=0.6&fov=100", "&target=1,1,1"])
def test_models_in_one_box_have_one_camera(start, tmp_path, more):
    """Models of different sizes and places, one rotated, unevenly scaled and moving. A place of the scene is at the same pixel in both, and
    a vertex at that place is visible there."""
    (tmp_path / "small.gltf").write_text(animated({}, material={"doubleSided": True}, translation=[1, 1, 1]))
    (tmp_path / "large.gltf").write_text(animated(
        {(0, "translation"): {0: (5, -1, 2), 1: (900, 30, -70)}}, material={"doubleSided": True}, rotation=[0, 0, HALF, HALF],
        scale=[2, 1, 0.5]))
    server = start()
    frame = f"frame_box={','.join(map(str, BOX))}&allow_empty=1&width=160&height=120&aa=0{more}"
    shown = [ask(server, f"model={name}.gltf&t={t}&{frame}") for name, t in [("small", 0), ("large", 0), ("large", 0.5)]]
    corners = [(x, y, z) for x in BOX[::3] for y in BOX[1::3] for z in BOX[2::3]]
    at = [places(answer, corners) for answer in shown]
    assert numpy.allclose(at[0], at[1], atol=1e-9) and numpy.allclose(at[0], at[2], atol=1e-9)
    if not more:  # everything just fits
        assert at[0].min() >= 0 and at[0][:, 0].max() <= 160 and at[0][:, 1].max() <= 120
        assert min(at[0][:, 0].min() / 160, at[0][:, 1].min() / 120) == pytest.approx(0.06, abs=1e-3)
    vertices = numpy.array([(1, 1, 1), (2, 1, 1), (1, 2, 1)])  # of the small one
    seen = places(shown[1], vertices)  # through the camera of the other
    if "target" not in more and "distance" not in more:
        assert numpy.allclose(box(shown[0]), [*seen.min(0), *seen.max(0)], atol=2)  # thin tips


@pytest.mark.parametrize("scale, offset", [(1e-6, 0), (2e-3, 0), (2e3, 0), (1e15, 0), (1e-20, 0), (1e30, 0), (1, 1e6), (100, -3e7)])
def test_screws_and_ships(start, tmp_path, scale, offset):
    (tmp_path / "unit.gltf").write_text(gltf())
    (tmp_path / "t.gltf").write_text(animated({}, scale=[scale] * 3, translation=[offset, -offset, offset]))
    server = start()
    unit, other = (alpha(ask(server, f"model={name}.gltf&aa=0")) > 0 for name in ("unit", "t"))
    assert unit.sum() > 1000
    assert (unit & other).sum() / (unit | other).sum() > 0.98


def test_far_off_bind_positions(start, tmp_path):
    """Float32 has steps of 1/64 there."""
    far = [(x + 2e5, y - 1e5, z + 1e5) for x, y, z in [(0, 0, 0), (64, 0, 0), (0, 64, 0)]]
    (tmp_path / "t.gltf").write_text(animated({}, positions=far))
    (tmp_path / "unit.gltf").write_text(gltf())
    server = start()
    unit, other = (alpha(ask(server, f"model={name}.gltf&aa=0&width=512&height=512")) > 0 for name in ("unit", "t"))
    assert (unit & other).sum() / (unit | other).sum() > 0.99


@pytest.mark.parametrize("name, query, words", [
    ("t", "target=5000,0,0&distance=0.001", "outside of the camera's view"),
    ("t", "camera=back", "another 'yaw' shows their fronts"),
    ("shape", "distance=1000", "smaller than a pixel: ask for a larger picture"),
    ("glass", "", "fully transparent: look at the alpha of their materials"),
    ("holes", "", "fully transparent"),
    ("line", "", "without area"),
    ("point", "", "without area"),
    ("speck", "frame=clip", "smaller than a pixel"),
    ("nothing", "", "neither geometry nor bones"),
    ("node", "", "neither geometry nor bones"),
])
def test_nothing_is_seen(start, tmp_path, name, query, words):
    models = {
        "t": gltf(),
        "shape": animated({}, positions=CLOSED),
        "glass": animated({}, material={"alphaMode": "BLEND", "pbrMetallicRoughness": {"baseColorFactor": [1, 1, 1, 0]}}),
        "holes": animated({}, material={"alphaMode": "MASK", "pbrMetallicRoughness": {"baseColorFactor": [1, 1, 1, 0.4]}}),
        "line": animated({}, positions=[(0, 0, 0), (1, 1, 0), (2, 2, 0)]),
        "point": animated({}, positions=[(1, 1, 1)] * 3),
        "speck": animated({(0, "translation"): {0: (0, 0, 0), 1: (1e4, 0, 0)}}),
        "nothing": '{"asset":{"version":"2.0"}}',
        "node": '{"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[0]}],"nodes":[{"translation":[1,2,3]}]}',
    }
    (tmp_path / f"{name}.gltf").write_text(models[name])
    server = start()
    answer = ask(server, f"model={name}.gltf&{query}", 422)
    assert answer.error() == "nothing_to_draw"
    assert words in answer.json()["error"]["message"]
    shown = ask(server, f"model={name}.gltf&width=30&height=20&allow_empty=1&{query}")
    assert not alpha(shown).any()
    assert Image.open(io.BytesIO(shown.body)).size == (30, 20)
    camera_of(shown)
    assert ask(server, f"model={name}.gltf&allow_empty=1&background=00ff00&{query}").status == 200


def clips_named(*names):
    """A triangle that each clip moves to a place of its own."""
    writer = Writer()
    writer.document.update(meshes=[{"primitives": [{"attributes": {"POSITION": writer.accessor(TRIANGLE, "VEC3")}, "material": 0}]}], scene=0,
                           materials=[{"doubleSided": True}], scenes=[{"nodes": [0]}], nodes=[{"name": "body", "mesh": 0, "rotation": [0.5, 0.5, -0.5, 0.5], "scale": [2, 0.5, 1]}], animations=[])
    for index, name in enumerate(names):
        sampler = {"input": writer.accessor([0, 1], "SCALAR"), "output": writer.accessor([(index, -3, 7)] * 2, "VEC3")}
        writer.document["animations"].append({**({} if name is None else {"name": name}), "samplers": [sampler],
                                              "channels": [{"sampler": 0, "target": {"node": 0, "path": "translation"}}]})
    return writer.text()


def test_pictures_without_a_clip_show_an_idle_one(start, tmp_path):
    (tmp_path / "hero.gltf").write_text(clips_named("Run", "Rig|Idle gun \u00e9", None))
    (tmp_path / "moves.gltf").write_text(clips_named("Jump", "stand"))
    (tmp_path / "plain.gltf").write_text(clips_named("Run", None))
    (tmp_path / "still.gltf").write_text(gltf())
    server = start("--render-workers", "1", root=tmp_path)
    small = "&width=16&height=16"
    for query, told in [("/v1/render?model=hero.gltf", "1 Rig%7CIdle%20gun%20%C3%A9"), ("/v1/sheet?frames=2&model=hero.gltf", "1 Rig%7CIdle%20gun%20%C3%A9"),
                        ("/v1/turntable?frames=2&model=hero.gltf", "1 Rig%7CIdle%20gun%20%C3%A9"), ("/v1/render?model=hero.gltf&clip=0", "0 Run"),
                        ("/v1/render?model=hero.gltf&clip=2", "2 "), ("/v1/render?model=hero.gltf&clip=-", "-"),
                        ("/v1/render?model=hero.gltf&clip_file=moves.gltf", "1 stand"), ("/v1/render?model=plain.gltf", "0 Run"),
                        ("/v1/render?model=still.gltf", "-"), ("/v1/sheet?frames=1&clips=all&model=hero.gltf", None)]:
        answer = server.get(query + small)
        assert answer.status == 200, answer.body
        assert (answer.headers.get("x-posed-clip") or "").strip() == (told or "").strip(), query
        assert ("x-posed-clip" in answer.headers) == (told is not None)
    assert server.json("/v1/render", model="hero.gltf", format="json")["clip"] == {"index": 1, "name": "Rig|Idle gun \u00e9", "duration": 1}
    assert [server.json("/v1/model", model=f"{name}.gltf")["usual_clip"] for name in ("hero", "moves", "plain", "still")] == [1, 1, 0, None]
    shown = [server.get(f"/v1/render?model=hero.gltf&frame=pose&target=0,0,0{small}{clip}").body for clip in ("", "&clip=1", "&clip=0")]
    assert shown[0] == shown[1] != shown[2]
    assert server.json("/v1/palette", model="hero.gltf")["clip"]["index"] == 0


@pytest.mark.parametrize("view", ["lit", "normals"])
@pytest.mark.parametrize("size, diameter", [(96, (3, 7)), (512, (18, 24))])
def test_points_are_discs_that_are_seen(start, tmp_path, view, size, diameter):
    points = [(0, 0, 0), (4, 0, 0), (0, 4, 0), (4, 4, 0)]
    document = json.loads(animated({}, points))
    document["meshes"][0]["primitives"][0]["mode"] = 0
    (tmp_path / "points.gltf").write_text(json.dumps(document))
    server = start("--render-workers", "1", root=tmp_path)
    picture = numpy.asarray(Image.open(io.BytesIO(server.get(f"/v1/render?model=points.gltf&width={size}&height={size}&camera=front&view={view}").body)))
    corner = picture[:size // 2, :size // 2, 3] / 255  # one point is in each quarter
    rows, columns = numpy.nonzero(corner)
    height, width = numpy.ptp(rows) + 1, numpy.ptp(columns) + 1
    assert diameter[0] <= height <= diameter[1] and diameter[0] <= width <= diameter[1]
    assert corner.sum() / (height * width) == pytest.approx(math.pi / 4, abs=0.16 if size < 200 else 0.06)
