"""The same request gives the same numbers, bit for bit, over every transport, by name or index, with NumPy or without."""
import math
import struct
import subprocess
import sys

import numpy
import pytest

import posed
from conftest import PACKAGE, WAYS, addresses

TIMES = [0.0, 0.3, 0.7]
QUESTIONS = [
    ("palette", "robot.glb", dict(clip="walk", t=0.3)),
    ("palette", "robot.glb", dict(clip=1, t=TIMES, layout="mat3x4")),
    ("palette", "robot.glb", dict(clip=posed.REST, t="0:1:30", layout="dualquat")),
    ("palette", "robot.glb", dict(clip="wave", t=TIMES, wrap="mirror", from_=0.2, to=1.5, speed=-0.5, phase=0.25)),
    ("palette", "awkward.gltf", dict(clip="bend", t=0.7, skin=[1, 0, 1])),
    ("palette", "awkward.gltf", dict(clip=0, t=0.7, skin=0, space="root")),
    ("palette", "awkward.gltf", dict(clip=0, t=0.7, skin=0, space="mesh", mesh=1)),
    ("pose", "robot.glb", dict(clip="dance", t=TIMES, joints=["hand_right", 4, "head"])),
    ("pose", "awkward.gltf", dict(clip="bend", t=[0.1, 1.9], what=["local", "scene"])),
    ("pose", "awkward.gltf", dict(clip="bend", t=0.5, joints=["a,b+c"], what="local")),
    ("pose", "awkward.gltf", dict(clip="bend", t=0.5, joints="7")),
    ("pose", "awkward.gltf", dict(clip=0, t=0.5, subtree=2)),
    ("pose", "robot.glb", dict(clip="walk", t=TIMES, root_motion="extract", yaw=True)),
    ("mesh", "awkward.gltf", dict(clip="bend", t=TIMES, normals=True, indices=True, rest=True)),
    ("mesh", "robot.glb", dict(clip="dance", t=1.1, normals=True)),
    ("mesh", "awkward.gltf", dict(clip="bend", t=TIMES, rest=True, weights=True)),
    ("pose", "robot.glb", dict(clip=None, t=0.5, layers=[{"clip": "walk", "weight": 0.5}, {"clip": "wave", "weight": 0.5}])),
]


def asked(address, kind, path, question):
    with posed.connect(address) as client:
        return client.model(path).frames(kind, **question)


@pytest.mark.parametrize("kind, path, question", QUESTIONS, ids=range(len(QUESTIONS)))
def test_bytes_are_the_same_by_every_way_in(server, kind, path, question):
    first, *others = [bytes(asked(addresses(server)[way], kind, path, question).data) for way in WAYS]
    assert all(other == first for other in others)


def bits(numbers):
    """Nested lists of numbers as the bits of their float32."""
    return [bits(x) for x in numbers] if isinstance(numbers, (list, tuple)) else struct.pack("<f", numbers)


@pytest.mark.parametrize("way", ["tcp", "http"])
def test_weights_are_those_of_the_json(server, way):
    with posed.connect(addresses(server)[way]) as client:
        for path in "robot.glb", "awkward.gltf":
            json = client.json("/v1/mesh", model=path, t=0.3, weights=1)
            mesh = client.model(path).mesh(None, 0.3, weights=True)
            for part, moved in zip(mesh.parts, json["influences"]):
                assert part.influence_firsts.tolist() == moved["firsts"] and part.influence_joints.tolist() == moved["joints"]
                assert bits(part.influence_weights.tolist()) == bits(moved["weights"])
            assert len(mesh.parts) == len(json["influences"])
            assert list(mesh.joint_from_bind) == list(mesh.joint_nodes) == [skin["index"] for skin in json["skins"]]
            for skin in json["skins"]:
                expected = [[[matrix[4 * c + r] for c in range(4)] for r in range(4)] for matrix in skin["joint_from_bind"]]
                assert bits(mesh.joint_from_bind[skin["index"]].tolist()) == bits(expected)
                assert mesh.joint_nodes[skin["index"]].tolist() == [joint["node"] for joint in skin["joints"]]


@pytest.mark.parametrize("way", ["tcp", "http"])
def test_keys_are_those_of_the_json(server, way):
    with posed.connect(addresses(server)[way]) as client:
        clip, = client.model("robot.glb").keys("walk", joints=["head", 3], path="rotation")["clips"]
        frames = posed.Frames(client.ask("/v1/keys", model="robot.glb", clip="walk", joints=["head", 3], path="rotation", format="bin").body)
        assert frames.kind == "keys" and frames.frame_count == 0 and len(clip["channels"]) == 2
        table = frames.array(frames.find("channels")).tolist()
        for i, channel in enumerate(clip["channels"]):
            assert table[i] == [clip["index"], channel["node"], 1, 0, 4, len(channel["times"])]
            assert frames.array(frames.find("key_times", i)).tolist() == channel["times"]
            assert bits(frames.array(frames.find("key_values", i)).tolist()) == bits(channel["values"])


@pytest.mark.parametrize("way", WAYS)
def test_numbers_are_those_of_the_json(server, way):
    with posed.connect(addresses(server)[way]) as client:
        json = client.json("/v1/palette", model="robot.glb", clip="wave", t=TIMES, skin=0)
        palette = client.model("robot.glb").palette("wave", TIMES)
        expected = [[[[matrix[4 * c + r] for c in range(4)] for r in range(4)] for matrix in frame["palettes"][0]]
                    for frame in json["frames"]]
        assert palette.shape == (3, 19, 4, 4)
        assert bits(palette.tolist()) == bits(expected)
        json = client.json("/v1/pose", model="awkward.gltf", clip="bend", t=TIMES, what="local")
        pose = client.model("awkward.gltf").pose("bend", TIMES, what="local")
        local = [[entry or [0] * 10 for entry in frame["local"]] for frame in json["frames"]]
        assert bits(pose.local.tolist()) == bits(local)
        sheared = json["frames"][1]["local_matrix"]
        assert sorted(map(str, pose.local_matrix)) == sorted(sheared) == ["3"]
        assert bits(pose.local_matrix[3][1].T.reshape(16).tolist()) == bits(sheared["3"])


def test_a_vertex_is_where_the_palette_takes_it(server):
    """Columns and rows, on a rotated and unevenly scaled joint: the palette and pose * inverse bind take a point to the same place."""
    model = server.model("awkward.gltf")
    pose = model.pose("bend", 0.7).scene
    json = server.json("/v1/pose", model="awkward.gltf", clip="bend", t=0.7)
    point = [0.25, -3.0, 2.0, 1.0]
    for node in 0, 2, 3:
        m = json["frames"][0]["scene"][node]
        expected = [sum(m[4 * c + r] * point[c] for c in range(4)) for r in range(4)]
        assert (pose[node] @ point).tolist() == pytest.approx(expected, rel=1e-6)
        assert not math.isclose(expected[0], point[0], rel_tol=0.01)


def test_arrays_are_views_on_the_answer(server):
    frames = server.model("robot.glb").frames("palette", "walk", TIMES)
    data = numpy.frombuffer(frames.data, "u1")
    for block in frames.blocks:
        for frame in None, 1:
            array = frames.array(block, frame)
            assert numpy.shares_memory(array, data) and array.dtype == numpy.float32 and array.flags.aligned


def test_a_pose_has_its_parts(server):
    pose = server.model("robot.glb").pose("walk", TIMES, joints=["hand_right", "head"], what=["scene", "local"], root_motion="extract")
    names = [server.model("robot.glb").info()["nodes"][node]["name"] for node in pose.nodes]
    assert names == ["hand_right", "head"]
    assert pose.scene.shape == (3, 2, 4, 4) and pose.local.shape == (3, 2, 10)
    assert pose.times == tuple(TIMES) and pose.local_matrix == {} and len(pose.root_motion) == 3 and len(pose.root_motion[0]) == 4


def test_a_mesh_has_its_parts(server):
    mesh = server.model("awkward.gltf").mesh("bend", 0.5, indices=True, normals=True, rest=True)
    assert len(mesh.parts) == 5
    for part in mesh.parts:
        assert part.positions.shape == part.normals.shape == part.rest.shape == (part.vertex_count, 3)
        assert part.indices.max() < part.vertex_count
        with pytest.raises(LookupError):
            server.model("awkward.gltf").mesh("bend", 0.5).parts[0].normals


WITHOUT_NUMPY = """
import struct, sys
sys.modules["numpy"] = None
import posed
flat = lambda x: [y for part in x for y in flat(part)] if isinstance(x, tuple) else [x]
shape = lambda x: (len(x), *shape(x[0])) if isinstance(x, tuple) else ()
with posed.connect(sys.argv[1]) as client:
    model, robot = client.model("awkward.gltf"), client.model("robot.glb")
    mesh = model.mesh("bend", 0.5, indices=True)
    pose = model.pose("bend", [0.1, 0.9], what=["scene", "local"])
    for array in (robot.palette("walk", 0.3), robot.palette("walk", [0, 1], layout="dualquat"), robot.palette("walk", "0:1:2", layout="mat3x4"),
                  mesh.parts[0].positions, mesh.parts[1].indices, pose.scene, pose.local, tuple(pose.local_matrix[3])):
        assert isinstance(array, tuple), type(array)
        print(shape(array), struct.pack("<%df" % len(flat(array)), *flat(array)).hex())
    with robot.stream("palette", "walk", paused=True) as stream:
        stream.seek(0.3)
        frame = next(stream).palette
        print(shape(frame), struct.pack("<%df" % len(flat(frame)), *flat(frame)).hex())
"""


def test_without_numpy_the_numbers_are_the_same_in_tuples(server):
    result = subprocess.run([sys.executable, "-c", WITHOUT_NUMPY, server.address], capture_output=True, text=True,
                            env={"PYTHONPATH": str(PACKAGE)}, timeout=60)
    assert result.returncode == 0, result.stderr
    model, robot = server.model("awkward.gltf"), server.model("robot.glb")
    mesh = model.mesh("bend", 0.5, indices=True)
    pose = model.pose("bend", [0.1, 0.9], what=["scene", "local"])
    arrays = [robot.palette("walk", 0.3), robot.palette("walk", [0, 1], layout="dualquat"), robot.palette("walk", "0:1:2", layout="mat3x4"),
              mesh.parts[0].positions, mesh.parts[1].indices, pose.scene, pose.local, numpy.array(pose.local_matrix[3]),
              robot.palette("walk", 0.3)]
    expected = [f"{tuple(a.shape)} {numpy.ascontiguousarray(a, '<f4').tobytes().hex()}" for a in arrays]
    assert result.stdout.splitlines() == expected
