"""A small file of every format is drawn, and exported to GLB, in which posed finds the same poses."""
import pathlib
import re
import shutil
import sys

import pytest

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2]))
import conformance  # noqa: E402
import small_static  # noqa: E402
import vrm_files  # noqa: E402
from conftest import REPOSITORY, SAMPLES, Server  # noqa: E402
from conversions import original, readers  # noqa: E402
from conversions.case import Case  # noqa: E402
from import_models import write_models  # noqa: E402
from png_picture import Picture  # noqa: E402

EXACT = 2e-6  # of the size
# Meshes of points, or of nothing, and morph targets of a single point
NOTHING_TO_DRAW = {"corner_morph.gltf", "corner_names.gltf"}
# Scales that children do not inherit, and random files of which glTF has no form
NOT_IN_GLTF = {"gate.fbx", "joints.fbx", *(f"random_{seed}.{ending}" for ending in ("bvh", "fbx") for seed in range(4))} - {"random_1.bvh"}
MARKERS = {"C7": [(0, 0, 1700), (10, 0, 1700), (20, 0, 1710)], "CLAV": [(0, 100, 1600), (10, 100, 1600), (20, 100, 1600)]}
LWS = """LWSC
5

FirstFrame 1
LastFrame 2
FramesPerSecond 25

LoadObjectLayer 1 10000000 layers.lwo
ObjectMotion
NumChannels 9
"""


def csm():
    rows = [" ".join(f"{x:.6f}" for place in places for x in place) for places in zip(*MARKERS.values())]
    points = "\n".join(f"{frame} {row}" for frame, row in enumerate(rows, 1))
    # assimp writes as many frames as the header says, and one more
    return f"$FirstFrame 1\n$LastFrame {len(rows) + 1}\n$Rate 30.000\n\n$Order\n{' '.join(MARKERS)}\n\n$Points\n{points}\n"


def lws():
    """An object that moves along x, by keys of which each is linear."""
    keys = "  Key {} 0 3 0 0 0 0 0 0\n  Key {} 0.5 3 0 0 0 0 0 0\n"
    return LWS + "".join(f"Channel {i}\n{{ Envelope\n  2\n{keys.format(int(i > 5), 2 if i == 0 else int(i > 5))}  Behaviors 1 1\n}}\n" for i in range(9))


def write_more(root):
    (root / "markers.csm").write_text(csm())
    (root / "scene.lws").write_text(lws())
    (root / "scene.q3s").write_bytes(small_static.q3o())  # a scene is an object that stands in it
    shutil.copy(SAMPLES / "robot.glb", root / "robot.vrm")
    (root / "move.vrma").write_bytes(vrm_files.motion())
    return ["markers.csm", "scene.lws", "scene.q3s", "robot.vrm", "move.vrma", "wave.md5anim"]


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    """A server, and the names of its models."""
    root = tmp_path_factory.mktemp("models")
    names = [name for name in write_models(root) if not name.endswith(".hdr")] + write_more(root)
    (root / "converted").mkdir()
    running = Server(root)
    yield running, names
    running.end()


def test_every_model_is_drawn(models):
    server, names = models
    for name in names:
        answer = server.get(f"/v1/render?model={name}&width=32&height=32")
        if name in NOTHING_TO_DRAW:
            assert answer.error() == "nothing_to_draw", name
        else:
            assert answer.status == 200, (name, answer.body)
            assert any(pixel[3] > 0 for row in Picture(answer.body).rows for pixel in row), name


def test_every_model_is_exported_and_has_the_same_poses(models):
    server, names = models
    for name in names:
        data, error = original.export(server, name, exact=1)
        if name in NOT_IN_GLTF:
            assert error["code"] == "not_in_gltf", name
            continue
        assert error is None, (name, error)
        path = server.root / "converted" / (name + ".glb")
        path.write_bytes(data)
        case = Case(server, name, (), path, "converted/" + path.name)
        at_rest = original.difference(case.rest, original.poses(server, case.converted, None, [0.0]), [0.0])
        off, where = max(readers.by_posed(case), at_rest)
        conformance.exported(server.root / name, off)
        assert off <= EXACT, f"{name}: {where} is off by {off:.1e} of the size"


def test_places_that_the_test_knows(models):
    server, _ = models
    expect(server, "scene.q3s", points(server, model="scene.q3s"), small_static.CORNERS)
    nodes = server.json("/v1/model", model="markers.csm")["nodes"]
    for frame in range(3):
        pose = server.json("/v1/pose", model="markers.csm", clip=0, t=repr((frame + 1) / 30), wrap="clamp", what="scene")["frames"][0]["scene"]
        got = {node["name"]: matrix[12:15] for node, matrix in zip(nodes, pose)}
        expect(server, "markers.csm", [got[name] for name in MARKERS], [places[frame] for places in MARKERS.values()])
    moved = [(x + 0.5, y, z) for x, y, z in points(server, model="layers.lwo")]
    expect(server, "scene.lws", points(server, model="scene.lws", clip=0, t=0.125), moved)


def points(server, **query):
    positions = server.json("/v1/mesh", **query)["frames"][0]["positions"]
    return [row[i:i + 3] for row in positions for i in range(0, len(row), 3)]


def expect(server, name, got, expected):
    conformance.compared_points(server.root / name, conformance.WORKED, got, expected)
    assert conformance.apart(got, expected) < 1e-6, (name, got, expected)


def test_every_format_but_one_is_there(models):
    """blend: nothing of the project writes it."""
    _, names = models
    rows = set(re.findall(r'^X\("(\w+)"', (REPOSITORY / "protocol/formats.def").read_text(encoding="utf-8"), re.M))
    assert rows - {name.rsplit(".", 1)[1] for name in names} == {"blend"}
