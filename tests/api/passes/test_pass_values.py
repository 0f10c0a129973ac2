"""Each number of a pass is the one that the triangles of /v1/mesh have at that pixel of the camera that the picture reports."""
import json
import urllib.parse

import numpy
import pytest

import pass_scenes
import random_models
from conftest import REPOSITORY, SAMPLES, Server
from pass_evaluator import PASSES, Camera, arrays, joint_of, normal_of, scene

SHARED = REPOSITORY.parent / "shared" / "models" / "gltf"
WIDTH, HEIGHT = 88, 72
PIXELS_MIN = 40
CASES = [
    ("turned.glb", {"clip": "move", "t": 0.3}, {}, 0.45),
    ("turned.glb", {"clip": "move", "t": 0.3}, {"camera": "eye"}, 0.35),
    ("turned.glb", {"clip": "move", "t": 0.6}, {"camera": "flat eye"}, 0.8),
    ("turned.glb", {"clip": "move", "t": 0.1}, {"ortho": 1, "yaw": -70, "pitch": 30, "normal_space": "scene"}, 0.4),
    ("dragon.glb", {"clip": "fly", "t": 0.21}, {}, 0.3),
    ("octopus.glb", {"t": 0.4}, {"yaw": 150, "pitch": -20, "fov": 70}, 0.5),
    ("Fox.glb", {"clip": "Run", "t": 0.2}, {}, 0.27),
    ("Fox.glb", {"clip": "Walk", "t": 0.5}, {"ortho": 1, "yaw": 200, "normal_space": "scene"}, 0.6),
    ("cesium_man.gltf", {"t": 0.7}, {"yaw": 20}, 0.8),
    ("MorphStressTest.gltf", {"t": 1.1}, {"pitch": 25, "frame": "pose"}, 1.3),
    *((f"random{seed}.gltf", {"t": 0.4}, {"yaw": 37 * seed, "pitch": 20, "frame": "pose", "distance": 1.5}, 0.45) for seed in range(8)),
]


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    root = tmp_path_factory.mktemp("passes")
    (root / "turned.glb").write_bytes(pass_scenes.turned())
    for name in "dragon.glb", "octopus.glb":
        (root / name).write_bytes((SAMPLES / name).read_bytes())
    for seed in range(8):
        (root / f"random{seed}.gltf").write_text(json.dumps(random_models.make(seed)))
    for path in SHARED.glob("*"):
        (root / path.name).write_bytes(path.read_bytes())
    running = Server(root, "--tcp", "127.0.0.1:0", "--log", "off")
    running.root = root
    yield running
    running.end()


@pytest.mark.parametrize("model, pose, view, t2", CASES, ids=[f"{case[0]}-{number}" for number, case in enumerate(CASES)])
def test_numbers_are_those_of_the_mesh(server, model, pose, view, t2):
    path = server.root / model
    if not path.exists():
        pytest.skip(f"there is no {model}")
    answer = server.get("/v1/render?" + urllib.parse.urlencode(
        {"model": model, **pose, **view, "width": WIDTH, "height": HEIGHT, "t2": t2, "passes": PASSES + ",motion"}))
    found = arrays(answer)
    camera = Camera(answer, WIDTH, HEIGHT)
    expected = scene(server, model, camera, pose, pass_scenes.is_flat_in(path), t2)
    background = expected.is_sure & (expected.part < 0)
    assert background.sum() > PIXELS_MIN
    assert numpy.isinf(found["depth"][background]).all() and numpy.isinf(found["position"][background]).all()
    assert (found["normal"][background] == 0).all() and (found["motion"][background] == 0).all() and numpy.isnan(found["uv"][background]).all()
    assert all((found[name][background] == -1).all() for name in ("node", "mesh", "material", "joint"))
    size = numpy.ptp(numpy.concatenate([part.positions for part in expected.parts]), 0).max()
    count = 0
    for y, x, part, corners, weights in expected.pixels():
        at, about = f"{y}, {x}", part.about
        assert (found["node"][y, x], found["mesh"][y, x]) == (about["node"], about["mesh"]), at
        assert found["material"][y, x] == (-1 if about["material"] is None else about["material"]), at
        assert found["depth"][y, x] == pytest.approx(expected.depth[y, x], rel=1e-5), at
        place = weights @ part.positions[corners]
        assert found["position"][y, x] == pytest.approx(place, abs=1e-5 * max(size, abs(place).max(), expected.depth[y, x])), at
        normal = normal_of(part, corners, weights, camera)
        if view.get("normal_space") == "scene":
            normal = camera.view_from_scene[:3, :3].T @ normal
        assert found["normal"][y, x] == pytest.approx(normal, abs=2e-5), at
        assert found["uv"][y, x] == pytest.approx(weights @ part.uvs[corners], abs=2e-5, nan_ok=True), at
        joint, lead = joint_of(part, corners, weights)
        if lead > 1e-5:
            assert found["joint"][y, x] == joint, at
        (then,), (w,) = camera.pixels((weights @ part.later[corners])[None])
        if w > 1e-3 * size:
            assert found["motion"][y, x] == pytest.approx(then - [x + 0.5, y + 0.5], abs=2e-3), at
        count += 1
    assert count > PIXELS_MIN, "enough pixels are away from edges"
