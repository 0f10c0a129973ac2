"""Raycasts of the Python client: the bytes of the example, arrays and objects, without NumPy, damaged answers, invalid requests."""
import math
import subprocess
import sys

import numpy
import pytest

import packet_examples
import posed
from conftest import BUILD, ENVIRONMENT, PACKAGE, SAMPLES
from posed import Entity, Hits, Layer, Ray, Target, crowd, packets, raycast

IDENTITY = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0]
AHEAD = [1, 0, 0, 3, 0, 1, 0, 0, 0, 0, 1, 0]
WALK = Entity([Layer(0, 0.3)], world_from_scene=IDENTITY)
SHOT = Ray([0, 1.5, 9], [0, 0, -1])


def example():
    return [bytes(byte or 0 for byte in step.bytes) for step in packet_examples.load("raycast")[1]]


def test_requests_are_the_bytes_of_the_example_but_for_the_handle():
    """The example has a handle. This client names models by their paths, which are at the end."""
    poses = crowd.build(["awkward.gltf"], [Entity(world_from_scene=IDENTITY)], None, None, [], [crowd.Wanted(nodes=[0])], [])
    body = raycast.build(poses, None, [Ray([0, 0, 5000], [0, 0, -1], radius=1000)], "capsule", "volumes", "nearest")
    made, asked = packets.packet("raycast", body, 25), example()[0]
    same = (44, 52), (56, 200), (204, 236), (240, 376), (384, 444)  # everything except sizes, handle and path
    assert [made[a:b] for a, b in same] == [asked[a:b] for a, b in same]
    assert made[444:456] == b"awkward.gltf" and len(made) == 464


def test_the_answer_of_the_example_is_read():
    hit, = Hits(example()[1][32:])
    assert (hit.ray, hit.entity, hit.node, hit.part, hit.triangle, hit.inside) == (0, 0, 2, 1, 0, False)
    assert hit.distance == 3951.832763671875 and hit.point[0] == 13 and hit.normal[2] == pytest.approx(0.999847) and hit.barycentric == (0, 0, 0)


def test_hits_are_those_of_json(client):
    ray = {"origin": [0, 1.5, 9], "direction": [0, 0, -1]}
    for words in ({}, {"fit": "sphere", "hits": "all"}, {"test": "mesh"}):
        told = client.raycast([{"model": "robot.glb", "clip": 0, "t": 0.3}], [ray], **words)
        hits = client.raycast_crowd(["robot.glb"], [WALK], [SHOT], **words)
        assert len(hits) == len(told) > 0 and (hits.entity_count, hits.ray_count, hits.test) == (1, 1, words.get("test", "volumes"))
        for hit, one in zip(hits, told):
            assert (hit.entity, hit.node, hit.triangle) == (one["entity"], one.get("joint", one.get("node")), one.get("triangle", 0))
            assert numpy.array_equal(numpy.float32([one["distance"], *one["point"], *one["normal"]]), numpy.float32([hit.distance, *hit.point, *hit.normal]))


def test_arrays_and_objects_ask_the_same(client):
    """Targets with masks, one of which moves; rays with a moment, a mask, an ignored target, a radius and an end."""
    poses = [WALK, Entity([Layer(0, 0.5)], world_from_scene=AHEAD), Entity([Layer(1, 0.1)], world_from_scene=AHEAD)]
    targets = [Target(0, 1, mask=1), Target(2, mask=2)]
    asked = [Ray([x, 1.0, 9], [0, 0, -1], radius=r, at=at, mask=mask, ignore=ignore, max=far)
             for x, r, at, mask, ignore, far in ((0, 0, 0, 3, -1, math.inf), (3, 0.2, 1, 1, -1, 20), (3, 0.2, 1, 3, 1, 20), (1.5, 0, 0.5, 1, -1, math.inf),
                                                 (3, 0, 0, 2, -1, 2))]
    one = client.raycast_crowd(["robot.glb"], poses, asked, targets=targets)
    rows = numpy.array([(0, 1, 1), (2, -1, 2)], posed.target_dtype())
    columns = {name: [getattr(ray, name) for ray in asked] for name in ("max", "radius", "at", "mask", "ignore")}
    rays = posed.rays([ray.origin for ray in asked], [0, 0, -1], **columns)
    other = client.raycast_crowd(["robot.glb"], poses, rays, targets=rows)
    assert bytes(one.data) == bytes(other.data) and one.ray.tolist() == [0, 1, 2, 3] and one.entity.tolist() == [0, 0, 0, 0]
    entities = numpy.zeros(1, posed.entity_dtype())
    entities["world"], entities["layer_count"] = 0, 1
    layers = numpy.zeros(1, posed.layer_dtype())
    layers["mask"], layers["weight"], layers["time_s"] = -1, 1, 0.3
    arrays = client.raycast_crowd(["robot.glb"], entities, rays[::3], layers=layers, worlds=numpy.array(IDENTITY, float))
    assert bytes(arrays.data) == bytes(client.raycast_crowd(["robot.glb"], [WALK], asked[::3]).data)


def test_columns_are_views_on_the_answer(client):
    hits = client.raycast_crowd(["robot.glb"], [WALK], [SHOT, Ray([99, 0, 0], [1, 0, 0]), SHOT], hits="all")
    data = numpy.frombuffer(hits.data, "u1")
    for name, shape, kind in (("ray", (), "u4"), ("node", (), "u4"), ("distance", (), "f4"), ("point", (3,), "f4"), ("normal", (3,), "f4"), ("barycentric", (3,), "f4")):
        column = getattr(hits, name)
        assert column.shape == (len(hits), *shape) and column.dtype == numpy.dtype(kind) and numpy.shares_memory(column, data)
        assert numpy.array_equal(column, hits.records[name])
    assert hits.inside.dtype == bool and hits.inside.tolist() == [False] * len(hits)
    assert hits[-1] == list(hits)[-1] and hits[-1].ray == 2 and repr(hits).startswith("<posed.Hits: ")
    with pytest.raises(IndexError):
        hits[len(hits)]
    none = client.raycast_crowd(["robot.glb"], [WALK], posed.rays([99, 0, 0], [1, 0, 0]))
    assert len(none) == 0 and none.point.shape == (0, 3) and list(none) == []


PROGRAM = """
import sys
sys.modules["numpy"] = None
sys.path.insert(0, sys.argv[1])
import posed
with posed.serve(sys.argv[2], program=sys.argv[3]) as client:
    hits = client.raycast_crowd(["robot.glb"], [posed.Entity([posed.Layer(0, 0.3)])], [posed.Ray([0, 1.5, 9], [0, 0, -1])], hits="all", targets=[posed.Target(0)])
    print(bytes(hits.data).hex())
    print(hits.ray == tuple(hit.ray for hit in hits), hits.point == tuple(hit.point for hit in hits), hits.inside, len(hits.records) // 64 == len(hits))
    try:
        posed.rays([0, 0, 0], [0, 0, 1])
    except ValueError as error:
        print(error)
"""


def test_without_numpy_there_are_tuples(server):
    done = subprocess.run([sys.executable, "-c", PROGRAM, PACKAGE, SAMPLES, BUILD / "posed"], capture_output=True, text=True, env=ENVIRONMENT, timeout=60)
    data, same, said = done.stdout.splitlines()
    hits = server.raycast_crowd(["robot.glb"], [Entity([Layer(0, 0.3)])], [SHOT], hits="all")
    assert bytes.fromhex(data) == bytes(hits.data), done.stderr
    assert same == f"True True {(False,) * len(hits)} True" and "there is no NumPy" in said


@pytest.mark.parametrize("ask, message", [
    (lambda c: c.raycast_crowd(["robot.glb"], [WALK], [SHOT], fit="cube"), "fit is one of capsule, box, sphere, not 'cube'"),
    (lambda c: c.raycast_crowd(["robot.glb"], [WALK], [SHOT], test="meshes"), "test is one of volumes, mesh"),
    (lambda c: c.raycast_crowd(["robot.glb"], [WALK], [SHOT], hits="first"), "hits is one of nearest, all"),
    (lambda c: c.raycast_crowd(["robot.glb"], [WALK], [SHOT, Ray([0, 1], [0, 0, 1])]), r"rays\[1\]: origin and direction have 2 and 3 numbers"),
    (lambda c: c.raycast_crowd(["robot.glb"], [WALK], [Ray([0, 0, 1], [0, 0, "x"])]), r"rays\[0\]: "),
    (lambda c: c.raycast_crowd(["robot.glb"], [WALK], [Ray([0, 0, 1], [0, 0, 1], ignore=-2)]), r"rays\[0\]: "),
    (lambda c: c.raycast_crowd(["robot.glb"], [WALK], [{"origin": [0, 0, 0]}]), r"rays\[0\]: "),
    (lambda c: c.raycast_crowd(["robot.glb"], [WALK], [SHOT], targets=[Target(0), Target(-1)]), r"targets\[1\]: "),
    (lambda c: c.raycast_crowd(["robot.glb"], [WALK], numpy.zeros((4, 10))), r"rays: an array of float64, not of ray_dtype\(\)"),
    (lambda c: c.raycast_crowd(["robot.glb"], [WALK], [SHOT], targets=numpy.zeros(1)), "targets: an array of float64"),
    (lambda c: c.raycast_crowd(["robot.glb"], [WALK], bytes(81)), "rays: 81 bytes are no records of 80"),
    (lambda c: c.raycast_crowd(["robot.glb"], [WALK], 7), "rays: a list or records, not int"),
    (lambda c: posed.rays([[0, 0]], [0, 0, 1]), r"origin has the shape \(1, 2\)"),
    (lambda c: posed.rays(numpy.zeros((2, 3)), numpy.zeros((3, 3))), "different numbers of origin, direction"),
    (lambda c: posed.rays([0, 0, 0], [0, 0, 1], mask=-1), "mask is whole numbers from 0"),
    (lambda c: posed.rays([0, 0, 0], [0, 0, 1], ignore=0.5), "ignore is whole numbers from -1"),
    (lambda c: posed.rays([0, 0, 0], [0, 0, 1], at=numpy.zeros((2, 2))), "rays have one axis, not 2"),
])
def test_what_cannot_be_asked(server, ask, message):
    with pytest.raises(ValueError, match=message):
        ask(server)


@pytest.mark.parametrize("words, code, message", [
    ({"rays": [Ray([0, 0, 0], [0, 0, 0])]}, "bad_parameter", r"rays\[0\]: .*direction"),
    ({"rays": [SHOT, Ray([0, 0, 0], [0, 0, 1], at=1.5)]}, "bad_parameter", r"rays\[1\]: 'at'"),
    ({"rays": []}, "bad_parameter", "1 entities and 0 rays"),
    ({"rays": [SHOT], "targets": []}, "bad_parameter", "0 entities and 1 rays"),
    ({"rays": [SHOT], "targets": [Target(0), Target(5)]}, "bad_parameter", r"entities\[1\]: its poses are 5"),
    ({"rays": [SHOT], "entities": [WALK, Entity([Layer(99)])]}, "clip_not_found", r"entities\[1\]: "),
    ({"rays": [SHOT], "models": ["nobody.glb"]}, "model_not_found", "nobody.glb"),
    ({"rays": [SHOT], "hashes": ["1" * 64]}, "hash_mismatch", "robot.glb"),
])
def test_what_the_server_refuses_is_raised_and_named(client, words, code, message):
    with pytest.raises(posed.PosedError, match=message) as caught:
        client.raycast_crowd(**{"models": ["robot.glb"], "entities": [WALK], **words})
    assert caught.value.code == code


def test_an_answer_that_is_damaged_or_cut_is_an_error(server):
    data = bytes(server.raycast_crowd(["robot.glb"], [WALK], [SHOT, SHOT]).data)
    assert len(Hits(data)) == 2
    for size in range(0, len(data)):
        with pytest.raises(posed.ProtocolError):
            Hits(data[:size])
    for at in (0, 4, 16, 20, 24, 35, 39, 99, 103):  # magic, version, counts, test, size; places of both hits
        with pytest.raises(posed.ProtocolError):
            Hits(data[:at] + bytes([data[at] ^ 0x82]) + data[at + 1:])
