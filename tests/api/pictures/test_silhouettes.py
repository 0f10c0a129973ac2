"""The pixels that a picture covers are those that its reported camera puts the triangles of /v1/mesh on.

The projection is written anew here, with numpy: a pixel is covered when its centre lies in a triangle.
Models with cut-out materials (alpha MASK), such as Bob of the md5 files, are not among them.
"""
import io
import json
import os
import urllib.parse

import numpy
import pytest
from PIL import Image

from conftest import REPOSITORY, SAMPLES, Server

SIDE = 1024
LEAST = 0.995  # intersection over union
OWN = REPOSITORY / "tests" / "oracle" / "models"
SHARED = REPOSITORY.parent / "shared" / "models"

VIEWS = [
    "",
    "camera=front&frame=pose",
    "yaw=-110&pitch=35&fov=75&distance=1.4&margin=0&t=0.3",
    "camera=top&ortho=1&t=0.1&root_motion=extract&root=0",
    "yaw=200&pitch=-50&ortho=1&target=0&distance=0.8",
]
MODELS = [
    (SAMPLES, "dragon.glb"), (SAMPLES, "octopus.glb"), (SAMPLES, "robot.glb"),
    (OWN, "crane.x"), (OWN, "crate.smd"), (OWN, "guard.md5mesh"), (OWN, "lever.dae"), (OWN, "pivots.fbx"), (OWN, "roof.obj"),
    (SHARED, "gltf/Fox.glb"), (SHARED, "gltf/cesium_man.gltf"), (SHARED, "gltf/MorphStressTest.gltf"),
    (SHARED, "gltf/rigged_simple.gltf"), (SHARED, "gltf/SimpleSkin.gltf"),
    (SHARED, "gltf/box_animated.gltf"), (SHARED, "gltf/interpolation_test.gltf"),
    (SHARED, "x/dwarf.x"), (SHARED, "dae/ozz_astro_max.dae"), (SHARED, "dae/box_nested_animation.dae"),
    (SHARED, "fbx/huesitos.fbx"), (SHARED, "fbx/ozz_arnaud.fbx"), (SHARED, "fbx/multiple_animations_test.fbx"),
    *((SHARED, f"adversarial/{name}.gltf") for name in (
        "a_cubic_skin", "b_step", "c_two_skins_shared_joints", "d2_eight_influences_u8", "f_duplicate_names",
        "h_late_start", "k_one_property", "m_morph_and_skin")),
]


@pytest.fixture(scope="module")
def servers():
    """A server for each folder of models, by path."""
    if os.environ.get("POSED_SERVER"):
        pytest.skip("needs servers of its own")
    running = {}
    yield running
    for server in running.values():
        server.end()


def server_of(servers, folder):
    if folder not in servers:
        servers[folder] = Server(folder)
    return servers[folder]


def fill(mask, corners):
    """Set the pixels whose centres are within the triangle."""
    low = numpy.maximum(numpy.ceil(corners.min(0) - 0.5), 0).astype(int)
    high = numpy.minimum(numpy.floor(corners.max(0) - 0.5), SIDE - 1).astype(int)
    if (low > high).any():
        return
    x = numpy.arange(low[0], high[0] + 1)[None, :] + 0.5
    y = numpy.arange(low[1], high[1] + 1)[:, None] + 0.5
    a, b, c = corners
    turn = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
    if turn == 0:
        return
    inside = True
    for p, q in ((a, b), (b, c), (c, a)):
        inside = inside & (((q[0] - p[0]) * (y - p[1]) - (q[1] - p[1]) * (x - p[0])) * turn >= 0)
    mask[low[1]:high[1] + 1, low[0]:high[0] + 1] |= inside


def project(mesh, model, camera):
    """The mask of all triangles in front of the near plane. glTF's back faces are not drawn."""
    clip_from_scene = (numpy.array(camera["clip_from_view"]).reshape(4, 4).T
                       @ numpy.array(camera["view_from_scene"]).reshape(4, 4).T)
    mask = numpy.zeros((SIDE, SIDE), bool)
    for part, triangle_list, positions in zip(mesh["meshes"], mesh["indices"], mesh["frames"][0]["positions"]):
        points = numpy.array(positions).reshape(-1, 3)
        clip = numpy.c_[points, numpy.ones(len(points))] @ clip_from_scene.T
        with numpy.errstate(divide="ignore", invalid="ignore"):
            ndc = clip[:, :3] / clip[:, 3:]
        places = numpy.c_[(ndc[:, 0] + 1) / 2 * SIDE, (1 - ndc[:, 1]) / 2 * SIDE]
        triangles = numpy.array(triangle_list, int).reshape(-1, 3)
        triangles = triangles[(clip[triangles][..., 2] >= -clip[triangles][..., 3]).all(1)]
        material = model["materials"][part["material"]] if part["material"] is not None else {"double_sided": False}
        if model["format"].startswith("GL") or model["format"].startswith("glT"):
            if not material["double_sided"]:
                a, b, c = (places[triangles[:, i]] for i in range(3))
                turn = (b[:, 0] - a[:, 0]) * (c[:, 1] - a[:, 1]) - (b[:, 1] - a[:, 1]) * (c[:, 0] - a[:, 0])
                triangles = triangles[turn < 0]  # y points down here
        for triangle in triangles:
            fill(mask, places[triangle])
    return mask


@pytest.mark.parametrize("folder, name", MODELS, ids=[name for _, name in MODELS])
def test_silhouettes(servers, folder, name):
    if not (folder / name).exists():
        pytest.skip(f"there is no {folder / name}")
    server = server_of(servers, folder)
    asked = "model=" + urllib.parse.quote(name)
    model = server.json(f"/v1/model?{asked}")
    for view in VIEWS:
        target = f"/v1/render?{asked}&width={SIDE}&height={SIDE}&aa=0&allow_empty=1&{view}"
        picture = server.get(target)
        assert picture.status == 200, (view, picture.body)
        camera = json.loads(picture.headers["x-posed-camera"])
        assert server.json(target + "&format=json")["camera"] == camera
        motion = "&root_motion=extract&root=0" if "root_motion" in view else ""
        time_s = picture.headers["x-posed-time"]
        mesh = server.json(f"/v1/mesh?{asked}&indices=1&t={time_s}{motion}")
        expected = project(mesh, model, camera)
        shown = numpy.array(Image.open(io.BytesIO(picture.body)).convert("RGBA"))[..., 3] > 0
        union = (shown | expected).sum()
        if union == 0:  # all of it faces away
            refused = server.get(target.replace("&allow_empty=1", ""))
            assert (refused.status, refused.error()) == (422, "nothing_to_draw"), view
            assert view != "", "the usual view shows something"
            continue
        overlap = (shown & expected).sum() / union
        assert overlap >= LEAST, (view, overlap)
