"""Views of a picture: the numbers in their pixels, compared with the tests' own rasterizer and reader of GLB files."""
import base64
import io
import json
import struct

import numpy
import pytest
from PIL import Image

from conftest import SAMPLES
from rasterizer import Raster
from small_models import gltf

WIDTH, HEIGHT = 300, 220
MOMENT = "model=dragon.glb&clip=1&t=0.37&yaw=-40&pitch=20"
ALL = "lit, weights, skeleton, wireframe, normals, depth, joints, hitboxes, onion or openpose"
VIEWS = ["lit", "weights", "skeleton", "wireframe", "normals", "depth", "joints", "hitboxes"]
COMPONENTS = {5121: "u1", 5123: "u2", 5125: "u4", 5126: "f4"}


def pixels(answer):
    assert answer.status == 200, answer.body[:500]
    assert answer.headers["content-type"] == "image/png"
    return numpy.asarray(Image.open(io.BytesIO(answer.body)).convert("RGBA")).astype(int)


class Glb:
    """A GLB file: its JSON and its accessors."""

    def __init__(self, path):
        data = path.read_bytes()
        size = struct.unpack_from("<I", data, 12)[0]
        self.document, self.bytes = json.loads(data[20:20 + size]), data[28 + size:]

    def accessor(self, index):
        accessor = self.document["accessors"][index]
        view = self.document["bufferViews"][accessor["bufferView"]]
        width = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}[accessor["type"]]
        kind = numpy.dtype("<" + COMPONENTS[accessor["componentType"]])
        start = view.get("byteOffset", 0) + accessor.get("byteOffset", 0)
        stride = view.get("byteStride", width * kind.itemsize)
        rows = [numpy.frombuffer(self.bytes, kind, width, start + i * stride) for i in range(accessor["count"])]
        return numpy.array(rows)

    def weights(self, node):
        """[vertex, node] of the first primitive of a node's mesh."""
        node = self.document["nodes"][node]
        attributes = self.document["meshes"][node["mesh"]]["primitives"][0]["attributes"]
        joints = numpy.array(self.document["skins"][node["skin"]]["joints"])
        total = None
        for name in [name for name in attributes if name.startswith("WEIGHTS_")]:
            weights = self.accessor(attributes[name]).astype(float)
            nodes = joints[self.accessor(attributes[name.replace("WEIGHTS", "JOINTS")])]
            if total is None:
                total = numpy.zeros((len(weights), len(self.document["nodes"])))
            numpy.add.at(total, (numpy.arange(len(weights))[:, None], nodes), weights)
        return total / total.sum(1, keepdims=True)


class Scene:
    """A moment of a sample: the server's vertices and camera, and the triangle at each pixel."""

    def __init__(self, server, moment):
        self.server, self.query = server, f"/v1/render?{moment}&width={WIDTH}&height={HEIGHT}"
        words = [word for word in moment.split("&") if not word.startswith(("yaw", "pitch"))]
        mesh = server.get("/v1/mesh?normals=1&indices=1&" + "&".join(words)).json()
        assert len(mesh["meshes"]) == 1, "the sample is one mesh"
        self.node = mesh["meshes"][0]["node"]
        self.triangles = numpy.array(mesh["indices"][0]).reshape(-1, 3)
        points, normals = (numpy.array(mesh["frames"][0][name][0]).reshape(-1, 3) for name in ("positions", "normals"))
        camera = json.loads(server.get(self.query).headers["x-posed-camera"])
        view = numpy.array(camera["view_from_scene"]).reshape(4, 4).T
        self.clip_from_view = numpy.array(camera["clip_from_view"]).reshape(4, 4).T
        self.points, self.normals = points @ view[:3, :3].T + view[:3, 3], normals @ view[:3, :3].T
        self.raster = Raster(self.points, self.triangles, self.clip_from_view, WIDTH, HEIGHT)

    def draw(self, rest):
        return pixels(self.server.get(f"{self.query}&{rest}"))


@pytest.fixture(scope="module")
def scene(server):
    if not (SAMPLES / "dragon.glb").exists():
        pytest.skip("no sample models")
    return Scene(server, MOMENT)


@pytest.mark.short
def test_joints_are_the_nodes_that_move_each_triangle_most(scene):
    found = scene.draw("view=joints")
    color = found[..., 0] << 16 | found[..., 1] << 8 | found[..., 2]
    index = (color * 0xB382C9 & 0xFFFFFF) - 1
    assert set(numpy.unique(found[..., 3])) == {0, 255}
    assert ((index >= 0) == (found[..., 3] == 255)).all()
    weights = Glb(SAMPLES / "dragon.glb").weights(scene.node)
    expected = weights[scene.triangles].sum(1).argmax(1)
    assert (((index + 1) * 0x9E3779 & 0xFFFFFF) == color).all()
    shown = scene.raster.triangle
    # where two triangles meet, a pixel may belong to either
    assert ((index >= 0) == (shown >= 0)).mean() > 0.999
    inner = scene.raster.is_inner & (index >= 0)
    assert inner.sum() > 5000
    assert (index[inner] == expected[shown[inner]]).mean() > 0.999
    both = (shown >= 0) & (index >= 0)
    assert (index[both] == expected[shown[both]]).mean() > 0.98
    assert len(numpy.unique(index)) > 15


def test_normals_are_those_of_the_mesh(server, scene):
    scene = Scene(server, MOMENT.replace("dragon", "octopus"))  # it has no normal texture
    found = scene.draw("view=normals&aa=0")
    covered = scene.raster.is_inner & (found[..., 3] == 255)
    assert covered.sum() > 5000
    decoded = 2 * found[..., :3][covered] / 255 - 1
    assert numpy.abs(numpy.linalg.norm(decoded, axis=1) - 1).max() < 0.02
    corners = scene.triangles[scene.raster.triangle[covered]]
    expected = (scene.normals[corners] * scene.raster.weights[covered][..., None]).sum(1)
    expected /= numpy.linalg.norm(expected, axis=1, keepdims=True)
    cosine = (decoded * expected).sum(1) / numpy.linalg.norm(decoded, axis=1)
    assert (cosine > 0.9995).mean() > 0.97, "all but normals that are turned to the side that is seen"


@pytest.mark.parametrize("camera", ["front", "back"])
def test_normals_of_both_sides_face_the_camera(start, tmp_path, camera):
    """The file's normals point to the front. Seen from behind they are flipped."""
    document = json.loads(gltf())
    normals = base64.b64encode(struct.pack("<9f", *(0, 0, 1) * 3)).decode()
    document["buffers"].append({"uri": "data:application/octet-stream;base64," + normals, "byteLength": 36})
    document["bufferViews"].append({"buffer": 1, "byteLength": 36})
    document["accessors"].append({"bufferView": 1, "componentType": 5126, "count": 3, "type": "VEC3"})
    document["materials"] = [{"doubleSided": True}]
    document["meshes"][0]["primitives"][0] = {"attributes": {"POSITION": 0, "NORMAL": 1}, "material": 0}
    (tmp_path / "a.gltf").write_text(json.dumps(document))
    server = start(root=tmp_path)
    found = pixels(server.get(f"/v1/render?model=a.gltf&view=normals&aa=0&camera={camera}&width=64&height=64"))
    shown = found[found[..., 3] == 255]
    assert len(shown) > 100 and (numpy.abs(shown[:, :3] - (128, 128, 255)) <= 1).all(), numpy.unique(shown, axis=0)


def test_depth_is_the_distance_along_the_line_of_sight(scene):
    found = scene.draw("view=depth&aa=0")
    m = scene.clip_from_view
    near, far = m[2, 3] / (m[2, 2] - 1), m[2, 3] / (m[2, 2] + 1)
    covered = scene.raster.is_inner & (found[..., 3] == 255)
    assert (found[..., 0] == found[..., 1]).all() and (found[..., 0] == found[..., 2]).all()
    decoded = far - found[..., 0][covered] / 255 * (far - near)
    error = numpy.abs(decoded - scene.raster.depth[covered])
    assert (error < 0.6 / 255 * (far - near)).mean() > 0.999
    assert numpy.ptp(found[..., 0][covered]) > 100


def test_weights_of_a_joint_are_the_heat_of_its_weights(scene):
    glb = Glb(SAMPLES / "dragon.glb")
    weights = glb.weights(scene.node)
    joint = max(range(weights.shape[1]), key=lambda node: ((weights[:, node] > 0.2) & (weights[:, node] < 0.8)).sum())
    found = scene.draw(f"view=weights&joint={joint}&aa=0")[..., :3]
    ramp = numpy.array([[int(color[i:i + 2], 16) for i in (0, 2, 4)] for color in
                        "440154 472D7B 3B528B 2C728E 21908C 27AD81 5DC863 AADC32 FDE725".split()])
    covered = scene.raster.is_inner & (found.sum(-1) > 0)
    corners = scene.triangles[scene.raster.triangle[covered]]
    at = (weights[corners, joint] * scene.raster.weights[covered]).sum(1)
    heat = numpy.stack([numpy.interp(at * 8, range(9), ramp[:, i]) for i in range(3)], 1)
    shade = (found[covered] * heat).sum(1) / (heat * heat).sum(1)  # the light that fits the pixel best
    assert shade.min() > 0.68 and shade.max() < 1.01
    assert (numpy.abs(shade[:, None] * heat - found[covered]).max(1) < 4).mean() > 0.995
    assert (at > 0.2).sum() > 200
    name = glb.document["nodes"][joint]["name"]
    assert (scene.draw(f"view=weights&joint={name}&aa=0")[..., :3] == found).all()


def test_all_views_cover_the_same_pixels(scene):
    lit = scene.draw("view=lit")
    assert (scene.draw("") == lit).all()
    for view in VIEWS[1:]:
        found = scene.draw(f"view={view}")
        assert not (found == lit).all()
        if view == "joints":
            assert (found[..., 3] == scene.draw("view=lit&aa=0")[..., 3]).all()
        elif view in ("skeleton", "hitboxes"):  # parts outside the mesh are visible
            assert ((found[..., 3] > 0) | (lit[..., 3] == 0)).all()
        else:
            assert (found[..., 3] == lit[..., 3]).all(), view


def test_backgrounds_lie_behind_every_view(scene):
    for view in VIEWS:
        clear, laid = scene.draw(f"view={view}"), scene.draw(f"view={view}&background=306090")
        assert (laid[..., 3] == 255).all()
        assert (laid[clear[..., 3] == 0][:, :3] == [0x30, 0x60, 0x90]).all()
        solid = clear[..., 3] == 255
        assert solid.any() and (laid[solid] == clear[solid]).all()


def test_skeleton_marks_the_joint(scene):
    plain, marked = scene.draw("view=skeleton"), scene.draw("view=skeleton&joint=neck_2")
    changed = (plain != marked).any(-1)
    assert 10 < changed.sum() < 3000
    assert (marked[changed][:, 2] - marked[changed][:, 0] > plain[changed][:, 2] - plain[changed][:, 0]).mean() > 0.95


HALF, TURN = [0.2, 0.3, 0.1], [0.0, 0.3826834, 0.0, 0.9238795]


def orange(picture):
    return (picture[..., 0] > picture[..., 2] + 60) & (picture[..., 3] > 60)


def test_hitboxes_are_where_the_volumes_of_the_pose_are(start, tmp_path):
    """The corners of a rotated box on a joint that moves, through the server's pose and camera."""
    (tmp_path / "robot.glb").write_bytes((SAMPLES / "robot.glb").read_bytes())
    box = {"joint": "head", "name": "plate", "box": {"center": [0.1, 0.1, 0.1], "half": HALF, "rotation": TURN}}
    (tmp_path / "robot.hitboxes.json").write_text(json.dumps({"version": 1, "volumes": [box]}))
    server = start(root=tmp_path)
    moment = "model=robot.glb&clip_name=walk&t=0.3"
    answer = server.get(f"/v1/render?{moment}&yaw=35&pitch=15&view=hitboxes&width=400&height=400")
    found, camera = orange(pixels(answer)), json.loads(answer.headers["x-posed-camera"])
    joint = next(volume["joint"] for volume in server.json("/v1/hitboxes", model="robot.glb")["volumes"] if volume.get("volume") == "plate")
    frame, = server.get(f"/v1/pose?{moment}").json()["frames"]
    matrices = [numpy.array(m).reshape(4, 4).T for m in (camera["clip_from_view"], camera["view_from_scene"], frame["scene"][joint])]
    sine, cosine = 2 * TURN[1] * TURN[3], 1 - 2 * TURN[1] ** 2
    turn = numpy.array([[cosine, 0, sine], [0, 1, 0], [-sine, 0, cosine]])
    for signs in numpy.ndindex(2, 2, 2):
        corner = turn @ (numpy.array(HALF) * (2 * numpy.array(signs) - 1)) + box["box"]["center"]
        clip = matrices[0] @ matrices[1] @ matrices[2] @ [*corner, 1]
        x, y = ((clip[:2] / clip[3] * [0.5, -0.5] + 0.5) * 400).astype(int)
        assert found[max(y - 3, 0):y + 4, max(x - 3, 0):x + 4].any(), signs
    assert 200 < found.sum() < 8000
    (tmp_path / "robot.hitboxes.json").unlink()
    plain = server.get(f"/v1/render?{moment}&yaw=35&pitch=15&view=hitboxes&width=400&height=400")
    assert not orange(pixels(plain)).any() and plain.body != answer.body


def test_hitboxes_of_a_bad_file_are_its_error(start, tmp_path):
    (tmp_path / "robot.glb").write_bytes((SAMPLES / "robot.glb").read_bytes())
    (tmp_path / "robot.hitboxes.json").write_text('{"version": 1, "volumes": [{"joint": "nobody", "none": true}]}')
    server = start(root=tmp_path)
    answer = server.get("/v1/render?model=robot.glb&view=hitboxes&width=64&height=64")
    assert answer.status == 422 and answer.error() == "bad_hitboxes" and "nobody" in answer.json()["error"]["message"]
    assert server.get("/v1/render?model=robot.glb&view=skeleton&width=64&height=64").status == 200


def onion(scene, times, rest=""):
    """Several pictures of a moment's query on top of each other, by numpy."""
    query = scene.query.replace("t=0.37", "t={}")
    below = numpy.zeros((HEIGHT, WIDTH, 4))
    for i, t in enumerate(times):
        layer = pixels(scene.server.get(query.format(t) + rest)) / 255
        layer[..., :3] *= layer[..., 3:]
        layer *= 1 if i + 1 == len(times) else 0.6 * (i + 1) / len(times)
        below = layer + below * (1 - layer[..., 3:])
    below[..., :3] /= numpy.maximum(below[..., 3:], 1e-6)
    return below * 255


def test_onion_is_its_moments_over_each_other(scene):
    times = [0.2, 0.5, 0.9, 0.1]
    query = scene.query.replace("t=0.37", "t=" + ",".join(map(str, times))) + "&aa=0"
    answer = scene.server.get(query + "&view=onion")
    found, expected = pixels(answer), onion(scene, times, "&aa=0")
    assert answer.headers["x-posed-time"] == "0.1"
    assert numpy.abs(found[..., 3] - expected[..., 3]).max() < 4
    dense = found[..., 3] > 60
    assert dense.sum() > 5000
    assert numpy.abs(found - expected)[dense].max() < 12 and numpy.abs(found - expected)[dense].mean() < 1
    assert ((found[..., 3] > 10) & (found[..., 3] < 200)).sum() > 500, "earlier moments show"
    ahead = scene.server.get(query.replace("0.2,0.5,0.9,0.1", "0.1,0.9,0.5,0.2") + "&view=onion")
    assert ahead.body != answer.body and ahead.headers["etag"] != answer.headers["etag"]
    assert scene.server.get(query + "&view=onion").body == answer.body


def test_onion_without_times_is_spread_over_the_part(scene):
    query = scene.query.replace("t=0.37&", "from=0.2&to=0.7&") + "&view=onion"
    spread = scene.server.get(query)
    asked = scene.server.get(query + "&t=" + ",".join(f"{0.1 * i:.1f}" for i in range(5)))
    assert numpy.abs(pixels(spread) - pixels(asked)).max() <= 2
    assert abs(float(spread.headers["x-posed-time"]) - 0.4) < 1e-9 and asked.headers["x-posed-time"] == "0.4"


def test_onion_blends_layers_at_each_time(scene):
    body = {"model": "dragon.glb", "view": "onion", "t": [0, 0.3], "yaw": -40, "width": 120, "height": 90,
            "layers": [{"clip": 1}, {"clip": 2, "weight": 0.5}]}

    def ask(body):
        data = json.dumps(body)
        with scene.server.connect() as connection:
            connection.send(f"POST /v1/render HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                            f"Content-Length: {len(data)}\r\n\r\n{data}")
            return pixels(connection.answer())

    two, first, last = ask(body), ask({**body, "t": [0]}), ask({**body, "t": [0.3]})
    assert not (two == first).all() and not (two == last).all()
    assert (two[..., 3] > 0).sum() > max((first[..., 3] > 0).sum(), 500)


def test_unknown_and_ambiguous_joints_are_refused(awkward):
    unknown = awkward.get("/v1/render?model=awkward.gltf&view=weights&joint=hend")
    assert unknown.status == 404 and unknown.error() == "joint_not_found"
    assert "hand" in [candidate["name"] for candidate in unknown.json()["error"]["candidates"]]
    assert awkward.get("/v1/render?model=awkward.gltf&view=skeleton&joint=99").status == 404
    twice = awkward.get("/v1/render?model=awkward.gltf&view=weights&joint=twin")
    assert twice.status == 409 and twice.error() == "ambiguous_name"
    assert [candidate["index"] for candidate in twice.json()["error"]["candidates"]] == [7, 8]
    assert awkward.get("/v1/render?model=awkward.gltf&view=weights&joint=7").status == 200
    assert awkward.get("/v1/render?model=awkward.gltf&view=weights&joint_name=7").status == 200


@pytest.mark.short
def test_refusals_name_what_there_is(server, a_model):
    answer = server.get(f"/v1/render?model={a_model}&view=x-ray")
    assert answer.status == 400 and answer.error() == "bad_parameter"
    assert ALL in answer.json()["error"]["message"]
    for query in ("joint=0", "joint=0&view=normals", "joint_name=a&view=joints"):
        answer = server.get(f"/v1/render?model={a_model}&{query}")
        assert answer.status == 400 and "view=weights or skeleton" in answer.json()["error"]["message"]
    assert server.get(f"/v1/render?model={a_model}&view=depth&shadow=1").status == 400
    assert server.get(f"/v1/render?model={a_model}&view=depth&t=0,1").status == 400


def test_tags_tell_views_and_joints_apart(scene):
    rests = ["view=lit", "view=weights", "view=weights&joint=1", "view=weights&joint=2", "view=skeleton&joint=1", "view=depth"]
    tags = [scene.server.get(f"{scene.query}&{rest}").headers["etag"] for rest in rests]
    assert len(set(tags)) == len(rests)
    assert scene.server.get(scene.query).headers["etag"] == tags[0]
    with scene.server.connect() as connection:
        assert connection.get(f"{scene.query}&{rests[2]}", f"If-None-Match: {tags[2]}").status == 304
        assert connection.get(f"{scene.query}&{rests[2]}", f"If-None-Match: {tags[3]}").status == 200


def test_pictures_are_the_same_bytes_again(scene):
    first = [scene.server.get(f"{scene.query}&view={view}").body for view in VIEWS]
    for view, body in reversed(list(zip(VIEWS, first))):
        assert scene.server.get(f"{scene.query}&view={view}").body == body
