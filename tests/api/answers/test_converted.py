"""Models converted to GLB. Every node, joint and vertex is where the original has it, at keys and between them, both for posed and for an
evaluator written from the specification. tests/web asks three.js and Khronos' validator, `make soak t=convert` also asks Blender."""
import json
import pathlib
import shutil
import sys

import pytest

TESTS = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TESTS), str(TESTS / "oracle")]
import conftest  # noqa: E402
import corner_models  # noqa: E402
import matrices  # noqa: E402
import random_models  # noqa: E402
import small_scenes  # noqa: E402
from conversions import original, readers  # noqa: E402
from conversions.case import Case  # noqa: E402

DRAWS = False

TOLERANCE = 2e-6  # of the model's size
ORACLE = TESTS / "oracle" / "models"
RANDOM = range(40)
OWN = sorted(path.name for path in ORACLE.iterdir() if path.suffix != ".md5anim")


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    folder = tmp_path_factory.mktemp("converted")
    for path in ORACLE.iterdir():
        shutil.copy(path, folder)
    for name, make in corner_models.ALL.items():
        (folder / name).write_text(json.dumps(make()), encoding="utf-8")
    for seed in RANDOM:
        (folder / f"random_{seed}.gltf").write_text(json.dumps(random_models.make(seed)), encoding="utf-8")
    for scene in (small_scenes.hero, small_scenes.crane):
        (folder / f"{scene.__name__}.glb").write_bytes(small_scenes.glb(scene()))
    for path in conftest.SAMPLES.glob("*.glb"):
        shutil.copy(path, folder)
    (folder / "converted").mkdir()
    return folder


@pytest.fixture(scope="module")
def server(root):
    running = conftest.Server(root, "--log", "off", "--render-workers", "0")
    yield running
    running.end()


def converted(server, root, model, **query):
    """The case of a model, or None if glTF cannot express it."""
    data, error = original.export(server, model, exact=1, **query)
    if error and error["code"] == "not_in_gltf":
        return None
    assert data, error
    path = root / "converted" / (model + ".glb")
    path.write_bytes(data)
    return Case(server, model, (), path, "converted/" + path.name)


def check(case):
    error, where = readers.by_posed(case)
    assert error <= TOLERANCE, f"{where} is off by {error:.1e} of the size"
    again = original.poses(case.server, case.converted, None, [0.0])
    assert original.difference(case.rest, again, [0.0])[0] <= TOLERANCE, "at rest"


@pytest.mark.parametrize("model", [*OWN, *sorted(corner_models.ALL), "hero.glb", "crane.glb", "dragon.glb", "octopus.glb", "robot.glb"])
def test_poses_are_the_originals(server, root, model):
    case = converted(server, root, model)
    if case:
        check(case)
    else:
        assert model in NOT_IN_GLTF


# glTF cannot express these: scales that children do not inherit
NOT_IN_GLTF = {"gate.fbx", "joints.fbx"}


def test_poses_of_random_models(server, root):
    cases = [converted(server, root, f"random_{seed}.gltf") for seed in RANDOM]
    for case in filter(None, cases):
        check(case)
    assert sum(case is not None for case in cases) > len(cases) / 2


@pytest.mark.parametrize("model", ["hero.glb", "crane.glb", "robot.glb", "curves.fbx", "lever.dae", "turned.bvh"])
def test_the_specification_says_the_same(server, root, model):
    """Nodes and palettes by tests/oracle, which shares nothing with the server."""
    case = converted(server, root, model)
    for clip in case.clips:
        poses, times, pairs = case.original(clip.index), case.times[clip.index], []
        for f in range(0, len(times), max(1, len(times) // 6)):
            local, _ = case.parsed.pose(clip.index, times[f])
            nodes, palettes, _ = poses.frames[f]
            pairs += [(f"node {n}", m, matrices.flat(case.parsed.scene_from_node(local, case.places[n]))) for n, m in enumerate(nodes)]
            pairs += [(f"skin {s}", m, matrices.flat(other)) for s in range(len(case.parsed.document.get("skins", [])))
                      for m, other in zip(palettes[s], case.parsed.palette(s, local), strict=True)]
        error, where = original.worst(poses.size, pairs)
        assert error <= TOLERANCE, f"{where} of clip {clip.index} is off by {error:.1e} of the size"
