"""Surfaces that are no plain triangles: holes, thin glass, lines, points, bones, variants; and what hides what."""
import urllib.parse

import numpy
import pytest

import pass_scenes
import small_models
from conftest import Server
from pass_evaluator import PASSES, Camera, arrays

SIDE = 128


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    root = tmp_path_factory.mktemp("surfaces")
    (root / "mixed.glb").write_bytes(pass_scenes.mixed())
    (root / "turned.glb").write_bytes(pass_scenes.turned())
    (root / "decal.glb").write_bytes(pass_scenes.decal())
    (root / "bones.bvh").write_text(BONES)
    running = Server(root, "--tcp", "127.0.0.1:0", "--log", "off")
    yield running
    running.end()


BONES = """HIERARCHY
ROOT hip
{
  OFFSET 3 1 -2
  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
  JOINT knee
  {
    OFFSET 0 -4 0
    CHANNELS 3 Zrotation Xrotation Yrotation
    End Site
    {
      OFFSET 0 -3 1
    }
  }
}
MOTION
Frames: 2
Frame Time: 1
3 1 -2 0 0 0 0 0 0
3 1 -2 0 0 0 60 0 0
"""


def ask(server, model, passes=PASSES, **query):
    answer = server.get("/v1/render?" + urllib.parse.urlencode({"model": model, "width": SIDE, "height": SIDE, "passes": passes, **query}))
    return arrays(answer), Camera(answer, SIDE, SIDE)


def pixel(camera, scene_from_node, point):
    """The column and row that show a point of a node."""
    place = scene_from_node[:3, :3] @ point + scene_from_node[:3, 3]
    (at,), _ = camera.pixels(place[None])
    return int(at[0]), int(at[1]), place


def matrices(server, model):
    return [numpy.array(matrix).reshape(4, 4).T for matrix in server.json("/v1/pose", model=model)["frames"][0]["scene"]]


def test_holes_show_what_is_behind_them(server):
    found, camera = ask(server, "mixed.glb", yaw=30, ortho=1)
    front, = [matrices(server, "mixed.glb")[1]]
    seen = {}
    for x in (-0.6, 0.6):
        for y in (-0.6, 0.6):
            column, row, place = pixel(camera, front, numpy.array([x, y, 0]))
            seen[x, y] = found["node"][row, column]
            if seen[x, y] == 1:
                assert found["position"][row, column] == pytest.approx(place, abs=0.1)
    assert seen == {(-0.6, -0.6): 1, (0.6, -0.6): 1, (-0.6, 0.6): 1, (0.6, 0.6): 2}, "the hole is at the upper right"
    assert set(numpy.unique(found["node"])) == {-1, 1, 2, 3, 4} and set(numpy.unique(found["mesh"])) == {-1, 0, 1, 2, 3}
    assert set(numpy.unique(found["material"][found["mesh"] >= 2])) == {-1}, "the line and the point have no material"


@pytest.mark.parametrize("view", [{"yaw": 30}, {"yaw": -10, "pitch": 20, "ortho": 1}])
def test_lines_and_points_have_the_numbers_of_their_places(server, view):
    found, camera = ask(server, "mixed.glb", **view)
    scene_from_node = matrices(server, "mixed.glb")
    where = lambda node, point: scene_from_node[node][:3, :3] @ point + scene_from_node[node][:3, 3]
    point, (one, other) = where(4, [2, 1, 0.5]), [where(3, end) for end in ([-3, -1.6, 0], [3, -1.6, 1])]
    dots, lines = found["node"] == 4, found["node"] == 3
    assert dots.sum() > 3 and lines.sum() > 30
    assert found["position"][dots] == pytest.approx(numpy.tile(point, (dots.sum(), 1)), abs=1e-5)
    assert found["depth"][dots] == pytest.approx(numpy.full(dots.sum(), -camera.view(point[None])[0, 2]), rel=1e-5)
    assert (found["normal"][dots | lines] == [0, 0, 1]).all() and numpy.isnan(found["uv"][dots | lines]).all()
    for y, x in zip(*numpy.nonzero(lines)):
        place = found["position"][y, x].astype(float)
        share = (place - one) @ (other - one) / ((other - one) @ (other - one))
        assert place == pytest.approx(one + share * (other - one), abs=1e-5) and -1e-6 <= share <= 1 + 1e-6
        assert found["depth"][y, x] == pytest.approx(-camera.view(place[None])[0, 2], rel=1e-5)
        (at,), _ = camera.pixels(place[None])
        assert abs(at - [x + 0.5, y + 0.5]).max() < 1.1


def test_thin_glass_hides_nothing(server):
    """Node 3 is a box of glass with an alpha of 0.3 and a cloth of 0.7."""
    found, _ = ask(server, "turned.glb", camera="eye", clip="move", t=0.3)
    assert set(numpy.unique(found["material"][found["node"] == 3])) == {2}
    color = ask(server, "turned.glb", "color,node", camera="eye", clip="move", t=0.3)[0]["color"]
    glass = (color[..., 3] > 0) & (color[..., 3] < 128) & (found["node"] < 0)
    assert glass.sum() > 20, "the picture shows it beside the rest"


def test_bones_are_nodes(server):
    found, camera = ask(server, "bones.bvh", PASSES + ",motion", t=0, t2=0.9, yaw=20)
    shown = found["node"] >= 0
    assert set(numpy.unique(found["node"][shown])) <= {0, 1, 2} and len(numpy.unique(found["node"][shown])) >= 2
    assert (found["joint"] == found["node"]).all() and (found["mesh"] == -1).all() and (found["material"] == -1).all()
    for y, x in zip(*numpy.nonzero(shown)):
        place = found["position"][y, x].astype(float)
        (at,), _ = camera.pixels(place[None])
        assert abs(at - [x + 0.5, y + 0.5]).max() < 0.05
        assert found["depth"][y, x] == pytest.approx(-camera.view(place[None])[0, 2], rel=1e-5)
    assert abs(found["motion"][found["node"] == 0]).max() < 0.5 and abs(found["motion"][found["node"] == 1]).max() > 3


def test_materials_are_those_of_the_variant(server):
    plain, other = (ask(server, "mixed.glb", "node,material", yaw=30, **query)[0] for query in ({}, {"variant": "painted"}))
    assert set(plain["material"][plain["node"] == 2]) == {1} and set(other["material"][other["node"] == 2]) == {2}


@pytest.mark.parametrize("yaw", [-40, 40])
def test_order_of_draws_does_not_depend_on_the_picture(server, yaw):
    """A lit picture sorts draws with blended surfaces by their distance. Of surfaces that are as near the last one counts."""
    alone, together = (ask(server, "decal.glb", passes, yaw=yaw)[0]["node"] for passes in ("node", "color,node"))
    assert (alone == together).all() and (alone == 1).sum() > 200 and (alone == 0).sum() > 200


def test_a_small_model_without_normals(server, tmp_path):
    """Triangles far from the origin have flat normals towards the camera."""
    root = tmp_path / "models"
    root.mkdir()
    (root / "far.gltf").write_text(small_models.gltf(x=4000))
    own = Server(root, "--tcp", "127.0.0.1:0", "--log", "off")
    try:
        found, _ = ask(own, "far.gltf", yaw=25)
    finally:
        own.end()
    shown = found["node"] >= 0
    assert shown.sum() > 500 and numpy.ptp(found["normal"][shown], 0).max() < 1e-6
    assert found["normal"][shown][0] == pytest.approx([-numpy.sin(numpy.radians(25)), 0, numpy.cos(numpy.radians(25))], abs=1e-6)
