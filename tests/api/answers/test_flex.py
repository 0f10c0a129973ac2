"""/v1/flex: what bending joints does to skins, compared with linear skinning by complex numbers; faults made on purpose are found, and
good skins give none."""
import base64
import json
import math
import random
import struct

import packets
import pytest

import rigs
from conftest import Server
from rigs import limb
from small_models import gltf

DRAWS = False
NO_RENDERING = ("--render-workers", "0")


@pytest.fixture(scope="module")
def ask(start_module):
    def ask(name, text, **parameters):
        (ask.root / name).write_text(text)
        return ask.server.json("/v1/flex", model=name, **parameters)
    ask.server, ask.root = start_module
    return ask


@pytest.fixture(scope="module")
def start_module(tmp_path_factory):
    root = tmp_path_factory.mktemp("flex")
    server = Server(root, "--tcp", "127.0.0.1:0", draws=False)
    yield server, root
    server.end()


def lower(answer):
    return next(joint for joint in answer["joints"] if joint["name"] == "lower")


def turns(answer):
    return {(turn["axis"], turn["angle"]): turn for turn in lower(answer)["turns"]}


def test_volume_lost_is_that_of_the_whole_tube(ask):
    """The whole tube loses what its bend zone loses; the server closes the zone itself, on a closed tube and on an open one."""
    zone = rigs.limb_section() * 1.0  # the weights fall over a length of 1
    for name, text in (("closed.gltf", limb()), ("open.gltf", limb(is_closed=False)), ("split.gltf", limb(split=True))):
        answer = ask(name, text, angles="90,30,60")
        assert lower(answer)["long_axis"] == "y" and lower(answer)["triangles"] == 4 * 2 * rigs.LIMB_SIDES
        assert lower(answer)["volume"] == pytest.approx(zone * 2 * 1 * 0.5, rel=1e-5)
        found = turns(answer)
        assert sorted(found) == sorted((a, d * s) for a in "xyz" for d in (30, 60, 90) for s in (1, -1))
        for (axis, degrees), turn in found.items():
            lost = (rigs.limb_volume(rigs.limb_points()) - rigs.limb_volume(rigs.bent_limb(axis, degrees))) / zone
            assert turn["volume_lost"] == pytest.approx(lost, abs=2e-5), (name, axis, degrees)
        assert answer["findings"] == [] and answer["left_out"] == 0


def test_joints_that_are_not_measured_are_told(ask):
    """The upper one moves all of the tube. A joint that is asked for is told of alone."""
    told = lambda answer: [(joint["node"], joint["name"], joint["why"]) for joint in answer["not_measured"]]
    assert told(ask("limb.gltf", limb())) == [(0, "root", "no_vertices"), (1, "upper", "no_triangles"), (3, "end", "no_vertices")]
    assert told(ask("limb.gltf", limb(), joint="upper")) == [(1, "upper", "no_triangles")]
    assert told(ask("limb.gltf", limb(), joint="lower")) == [] and told(ask("none.gltf", gltf())) == []


def walled(z):
    """The limb, and a wall beside it that hides it from the front (z > 0) or the back, and follows the root."""
    document = json.loads(limb())
    corners = [(x, y, z) for x in (-3.5, 3.5) for y in (-6, 10)]
    data = struct.pack("<12f", *(c for corner in corners for c in corner)) + struct.pack("<16B", *[0] * 16) + struct.pack("<16f", *[1, 0, 0, 0] * 4)
    data += struct.pack("<6H", 0, 1, 2, 2, 1, 3)
    document["buffers"].append({"byteLength": len(data), "uri": "data:application/octet-stream;base64," + base64.b64encode(data).decode()})
    first = len(document["accessors"])
    for at, size, component, kind, count in ((0, 48, 5126, "VEC3", 4), (48, 16, 5121, "VEC4", 4), (64, 64, 5126, "VEC4", 4), (128, 12, 5123, "SCALAR", 6)):
        document["bufferViews"].append({"buffer": len(document["buffers"]) - 1, "byteOffset": at, "byteLength": size})
        document["accessors"].append({"bufferView": len(document["bufferViews"]) - 1, "componentType": component, "type": kind, "count": count,
                                      **({"min": [-3.5, -6, z], "max": [3.5, 10, z]} if at == 0 else {})})
    document["meshes"].append({"name": "wall", "primitives": [{"indices": first + 3, "attributes": {
        "POSITION": first, "JOINTS_0": first + 1, "WEIGHTS_0": first + 2}}]})
    document["nodes"].append({"name": "wall", "mesh": 1, "skin": 0})
    document["scenes"][0]["nodes"].append(len(document["nodes"]) - 1)
    return json.dumps(document)


def test_the_side_from_which_the_zone_is_seen(ask):
    """Pictures look at the zone from there, and not at what hides it."""
    sides = {z: lower(ask(f"wall{z}.gltf", walled(z)))["camera"] for z in (-4, 4)}
    assert sides[-4] == lower(ask("free.gltf", limb()))["camera"] == {"yaw": 35, "pitch": 15}
    assert abs(sides[4]["yaw"]) == 145, sides


def sub(a, b):
    return tuple(x - y for x, y in zip(a, b))


def cross(a, b):
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def normal(places, face):
    p, q, r = (rigs.limb_in_scene(places[v]) for v in face)
    return cross(sub(q, p), sub(r, p))


@pytest.mark.parametrize("axis, degrees", [("x", 60), ("x", -80), ("z", 85), ("y", 120), ("z", -170)])
def test_triangles_turned_over_are_counted(ask, axis, degrees):
    steep = lambda y: rigs.even_share(y, 1.75, 2.25)
    answer = ask("steep.gltf", limb(steep), angles=abs(degrees))
    rest, bent, rigid = rigs.limb_points(), rigs.bent_limb(axis, degrees, steep), rigs.bent_limb(axis, degrees, lambda y: 1)
    flipped = collapsed = 0
    for face in rigs.limb_triangles():
        share = sum(steep(rest[v][1]) for v in face) / 3
        if 0 < share < 1:
            expected, found = normal(rigid if share >= 0.5 else rest, face), normal(bent, face)
            is_collapsed = math.hypot(*found) <= 0.1 * math.hypot(*expected)
            collapsed += is_collapsed
            flipped += not is_collapsed and sum(a * b for a, b in zip(expected, found)) < 0
    turn = turns(answer)[axis, degrees]
    assert (turn["flipped"], turn["collapsed"]) == (flipped, collapsed) and flipped > 0


def rules(answer):
    return [(finding["rule"], finding["joint"]["name"]) for finding in answer["findings"]]


def test_a_candy_wrapper_is_found(ask):
    """Half and half over a long zone, twisted by a right angle; weights that fall evenly, twisted by half a turn."""
    half = lambda y: 0 if y < 0.9 else 1 if y > 3.1 else 0.5
    answer = ask("half.gltf", limb(half), angles=90)
    assert rules(answer) == [("flex-volume", "lower")]
    finding = answer["findings"][0]
    assert (finding["axis"], finding["angle"], finding["limit"]) == ("y", 90, 0.45) and 0.45 < finding["value"] < 0.5
    answer = ask("even.gltf", limb(), angles=180)
    assert ("flex-volume", "lower") in rules(answer)
    finding = next(f for f in answer["findings"] if f["rule"] == "flex-volume")
    zone = rigs.limb_section()
    lost = (rigs.limb_volume(rigs.limb_points()) - rigs.limb_volume(rigs.bent_limb(finding["axis"], 180))) / zone
    assert finding["value"] == pytest.approx(lost, abs=1e-4)
    assert rules(ask("even.gltf", limb())) == []


def test_a_joint_that_collapses_is_found(ask):
    """Rings that follow the lower joint and not in turns."""
    answer = ask("turns.gltf", limb(lambda y: 0 if y < 1 or int(y / rigs.LIMB_STEP) % 2 else 1), angles=90)
    assert {"flex-flipped", "flex-volume", "flex-collapsed"} & {rule for rule, _ in rules(answer)}


@pytest.mark.parametrize("seed", range(25))
def test_a_vertex_painted_wrong_is_found(ask, seed):
    """On the narrow sides, which are nearer to the bone beside them."""
    rng = random.Random(seed)
    side = rng.choice((3, 9))
    stays, share = seed % 2 == 0, rng.uniform(0, 0.3)
    vertex = rng.randrange(13, 16) * rigs.LIMB_SIDES + side if stays else rng.randrange(1, 4) * rigs.LIMB_SIDES + side
    answer = ask("painted.gltf", limb(painted={vertex: share if stays else 1 - share}))
    assert rules(answer) == [("flex-left-behind" if stays else "flex-dragged", "lower")]
    finding = answer["findings"][0]
    assert (finding["vertex"], finding["vertices"], finding["mesh"]["name"], finding["other"]["name"]) == (vertex, 1, "tube", "upper")
    assert lower(answer)["left_behind" if stays else "dragged"] == 1
    place, most = rigs.limb_points()[vertex], 0
    for axis in "xyz":
        for degrees in (-60, 60):
            rigid = rigs.bent_limb(axis, degrees, lambda y: 1)[vertex]
            most = max(most, math.dist(rigs.limb_in_scene(rigid), rigs.limb_in_scene(place)))
    scene = [rigs.limb_in_scene(p) for p in rigs.limb_points()]
    size = max(max(p[i] for p in scene) - min(p[i] for p in scene) for i in range(3))
    assert answer["size"] == pytest.approx(size, rel=1e-6)
    assert finding["value"] == pytest.approx(most * (1 - share) / size, rel=1e-4)


def test_what_nobody_sees_is_no_stray(ask):
    """A vertex painted wrong that is out of place by little, as the joint turns by little."""
    painted = limb(painted={14 * rigs.LIMB_SIDES + 3: 0.1})
    assert rules(ask("painted.gltf", painted, angles=30)) == [("flex-left-behind", "lower")]
    assert rules(ask("painted.gltf", painted, angles=2)) == []


def test_the_moved_box_is_around_what_any_turn_moves(ask):
    """The zone and what is beyond it, but no vertex that stays, and none of no triangle."""
    at = lambda vertex: rigs.limb_points()[vertex][1]
    faces = [face for face in rigs.limb_triangles() if max(map(at, face)) < 3.9]  # without the last ring
    for name, options in (("box.gltf", {}), ("cut.gltf", {"faces": faces}), ("split.gltf", {"split": True})):
        box = lower(ask(name, limb(**options), angles="90,35"))["moved_box"]
        moved = {v for face in options.get("faces", rigs.limb_triangles()) for v in face if max(map(at, face)) > 1.5}
        places = [rigs.limb_in_scene(rigs.bent_limb(axis, side * degrees)[v])
                  for axis in "xyz" for degrees in (35, 90) for side in (1, -1) for v in moved]
        assert box["min"] == pytest.approx([min(p[i] for p in places) for i in range(3)], abs=1e-5), name
        assert box["max"] == pytest.approx([max(p[i] for p in places) for i in range(3)], abs=1e-5), name
    assert "moved_box" not in lower(ask("apart.gltf", limb(lambda y: float(y > 2.1), faces=[f for f in rigs.limb_triangles() if f[0] // rigs.LIMB_SIDES != 8])))


def test_flat_and_rigid_skins_have_no_volume(ask):
    answer = ask("strip.gltf", limb(faces=[face for face in rigs.limb_triangles(False) if {v % rigs.LIMB_SIDES for v in face} <= {1, 2}]))
    assert lower(answer)["volume"] is None and lower(answer)["triangles"] == 8
    assert all(turn["volume_lost"] is None for turn in lower(answer)["turns"]) and answer["findings"] == []
    twice = ask("twice.gltf", limb(faces=[f for face in rigs.limb_triangles() for f in (face, face[::-1])]))
    assert lower(twice)["volume"] is None
    apart = ask("apart.gltf", limb(lambda y: float(y > 2.1), faces=[f for f in rigs.limb_triangles() if f[0] // rigs.LIMB_SIDES != 8]))
    assert lower(apart)["triangles"] == 0 and lower(apart)["volume"] is None and apart["findings"] == []


def test_one_joint_and_its_range(ask):
    human = {"place": (None, rigs.LIMB_ROOT), "Hips": ("place", {}), "LeftUpLeg": ("Hips", {"translation": [0, -1, 0]}),
             "LeftLeg": ("LeftUpLeg", {"translation": [0, -1, 0]}), "LeftFoot": ("LeftLeg", {"translation": [0, -1, 0]}),
             "RightUpLeg": ("Hips", {"translation": [1, -1, 0]}), "RightLeg": ("RightUpLeg", {"translation": [0, -1, 0]}),
             "RightFoot": ("RightLeg", {"translation": [0, -1, 0]}), "Spine": ("Hips", {"translation": [0, 1, 0]}),
             "Head": ("Spine", {"translation": [0, 1, 0]}), "LeftArm": ("Spine", {}), "LeftForeArm": ("LeftArm", {}),
             "LeftHand": ("LeftForeArm", {}), "RightArm": ("Spine", {}), "RightForeArm": ("RightArm", {}), "RightHand": ("RightForeArm", {})}
    text = limb(rig=human, joints=("place", "LeftUpLeg", "LeftLeg", "LeftFoot"))
    answer = ask("human.gltf", text, joint="LeftLeg", angles="20,170")
    assert [(joint["name"], joint["role"], joint["long_axis"]) for joint in answer["joints"]] == [("LeftLeg", "leftLowerLeg", "y")]
    assert {(turn["axis"], turn["angle"]) for turn in answer["joints"][0]["turns"]} == {
        (axis, side * angle) for axis in "xz" for angle in (20, 135) for side in (1, -1)}
    whole = ask("human.gltf", text, angles="20,170")
    assert [joint["name"] for joint in whole["joints"]] == ["LeftUpLeg", "LeftLeg"] and whole["joints"][1] == answer["joints"][0]
    refused = ask.server.get("/v1/flex?model=human.gltf&joint=Head")
    assert (refused.status, refused.error()) == (400, "bad_parameter") and "no vertex follows node" in refused.body.decode()


def test_samples_bend_well(server):
    for model in ("robot.glb", "dragon.glb", "octopus.glb"):
        answer = server.json("/v1/flex", model=model)
        assert answer["findings"] == [] and len(answer["joints"]) > 15, model


def test_models_without_a_skin(ask):
    answer = ask("still.gltf", gltf())
    assert (answer["joints"], answer["findings"], answer["size"], answer["poses"]) == ([], [], None, 0)


@pytest.mark.parametrize("query, words", [
    ("angles=0", "above 0, up to 180"), ("angles=-5", "above 0"), ("angles=181", "up to 180"), ("angles=nan", "above 0"),
    ("angles=1,2,3,4,5,6,7,8,9", "more than 8"), ("angles=", "above 0")])
def test_bad_angles_are_refused(ask, query, words):
    (ask.root / "bad.gltf").write_text(limb())
    answer = ask.server.get(f"/v1/flex?model=bad.gltf&{query}")
    assert (answer.status, answer.error()) == (400, "bad_parameter") and words in answer.body.decode()


def test_errors_tags_and_packets(ask):
    (ask.root / "a.gltf").write_text(limb())
    assert ask.server.get("/v1/flex?model=a.gltf&joint=nobody").error() == "joint_not_found"
    assert ask.server.get("/v1/flex?model=a.gltf&joint=99").error() == "joint_not_found"
    assert ask.server.get("/v1/flex?model=a.gltf&clip=0").error() == "unknown_parameter"
    plain, other = ask.server.get("/v1/flex?model=a.gltf"), ask.server.get("/v1/flex?model=a.gltf&angles=30")
    assert plain.headers["etag"] != other.headers["etag"]
    with packets.Link(ask.server.ports["tcp"]) as link:
        answer = link.ask("call", packets.call("/v1/flex?model=a.gltf&joint=lower&angles=45"))
    assert b'"volume_lost"' in answer.payload and answer.payload == ask.server.get("/v1/flex?model=a.gltf&joint=lower&angles=45").body


def test_more_work_than_allowed_is_refused(start, tmp_path):
    (tmp_path / "a.gltf").write_text(limb())
    for option, most in (("--max-evaluations", "100"), ("--max-bounds", "6000")):
        server = start(option, most, *NO_RENDERING, root=tmp_path)
        answer = server.get("/v1/flex?model=a.gltf")
        assert (answer.status, answer.error()) == (400, "too_many_frames") and "name a joint" in answer.body.decode(), option
        assert server.get("/v1/flex?model=a.gltf&joint=lower&angles=30").status == 200, option


def test_whatever_weights_and_places(ask):
    """Places at the ends of floats, weights of nothing, triangles of one vertex: an answer, or an error that says what is wrong."""
    rng = random.Random(5)
    for seed in range(8):
        faces = [tuple(rng.randrange(rigs.LIMB_SIDES * rigs.LIMB_RINGS + 2) for _ in range(3)) for _ in range(200)] + [(5, 5, 5), (7, 7, 8)]
        answer = ask("any.gltf", limb(lambda y: rng.choice((0, 1e-7, 0.3, 0.5, 1)), faces=faces), angles="180,90")
        assert len(answer["joints"]) == 2
    for change in ({"translation": [0, 3e38, 0]}, {"scale": [1e38, 1, 1]}, {"scale": [0, 0, 0]}):
        (ask.root / "far.gltf").write_text(limb(rig=dict(rigs.LIMB_RIG, lower=("upper", change))))
        answer = ask.server.get("/v1/flex?model=far.gltf&angles=45")
        if answer.status == 200:
            assert all(-2 < (turn["volume_lost"] or 0) < 2 for turn in lower(answer.json())["turns"]), change
        else:
            assert answer.error() == "not_finite", answer.body
