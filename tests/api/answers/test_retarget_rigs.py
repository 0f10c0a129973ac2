"""retarget=rest on rigs that are mirrored, scaled unevenly or large, and with the files that people had trouble with. Vertices are checked,
not only joints: the tip of each bone's body must lie at the joint where the bone ends."""
import json
import math
import shutil
import urllib.parse

import numpy as np
import pytest

from conftest import REPOSITORY, SAMPLES
from humans import A, ABOVE, ENDS, KEYS, LIMBS, RATE, ROLES, SHAPES, SIDES, T, Human, RestingHuman, about, back, places, pointing, rotate
from importers import NO_RENDERING

pytestmark = pytest.mark.short
TIMES = [i / RATE for i in range(0, KEYS, 4)]
OF_OTHERS = REPOSITORY.parent / "shared/models/bugs/retarget"


def degrees(one, other):
    return math.degrees(math.acos(np.clip((one * other).sum(axis=-1).min(), -1, 1)))


@pytest.fixture
def root(tmp_path):
    folder = tmp_path / "root"
    folder.mkdir()
    return folder


def below(text, **node):
    """The rig below one more node."""
    document = json.loads(text)
    top = document["scenes"][0]["nodes"]
    document["nodes"].append({"name": "above", "children": list(top), **node})
    document["scenes"][0]["nodes"] = [len(document["nodes"]) - 1]
    return json.dumps(document)


def limb_ends(server, query, times):
    """limb -> [time][2][3], both ends of its body, by the vertices of the mesh."""
    frames = server.json("/v1/mesh", **query, wrap="clamp", t=",".join(map(str, times)))["frames"]
    vertices = np.array([frame["positions"][0] for frame in frames], float).reshape(len(times), -1, 6, 3)
    bones = {(ABOVE[role], role): i for i, role in enumerate(ABOVE)}
    return {limb: vertices[:, bones[limb, limb[: 5 if limb.startswith("right") else 4] + ENDS[limb[5 if limb.startswith("right") else 4:]]]][:, [0, 5]]
            for limb in LIMBS}


TURN = about((1, 0.3, -0.5), 0.8) # far from the scene's axes, to which a rig's own would snap
NODES = {"mirrored": {"scale": [-1.5, 1.5, 1.5]}, "uneven": {"scale": [1, 1.6, 0.8]}}


@pytest.mark.parametrize("kind", NODES)
@pytest.mark.parametrize("shape", ["upright", "z up in centimetres"])
def test_vertices_of_rigs_below_a_scale(start, root, kind, shape):
    hero, walker = Human(SHAPES[shape]), Human(T)
    node = {"translation": [7, -2, 30], "rotation": list(TURN), **NODES[kind]}
    (root / "walk.gltf").write_text(walker.write(has_walk=True, has_body=False))
    (root / "hero.gltf").write_text(below(hero.write(), **node))
    server = start(*NO_RENDERING, root=root)
    query = {"model": "hero.gltf", "clip_file": "walk.gltf", "clip": "walk", "retarget": "rest"}
    source, _ = places(server, walker, TIMES, model="walk.gltf", clip="walk")
    moved, answer = places(server, hero, TIMES, **query)
    ends = limb_ends(server, query, TIMES)
    worst = {}
    for limb in LIMBS:
        side = "left" if limb.startswith("left") else "right"
        joints = np.stack([moved[limb], moved[side + ENDS[limb[len(side):]]]], axis=1)
        size = np.abs(joints[:, 1] - joints[:, 0]).max()
        assert np.abs(ends[limb] - joints).max() < 1e-3 * size, limb
        seen = np.array([rotate(back(TURN), line) for line in ends[limb][:, 1] - ends[limb][:, 0]])
        if kind == "mirrored": # the rig that is stretched is compared as it is seen
            seen = seen / np.array(node["scale"])
        lines = np.array([hero.canonical(line) for line in seen])
        worst[limb] = degrees(lines / np.linalg.norm(lines, axis=1)[:, None], pointing(walker, source, limb))
    told = {limb["role"]: limb["degrees"] for limb in answer["clip_file"]["retarget"].get("limbs", [])}
    if kind == "mirrored":
        assert max(worst.values()) < 1 and told == {}
    else:
        assert told == {limb: pytest.approx(angle, abs=0.3) for limb, angle in worst.items()}
        assert any(warning["code"] == "limbs_differ" for warning in answer["clip_file"]["warnings"])


def test_a_rig_of_16000_nodes(start, root):
    hero, walker = Human(SHAPES["upright"]), Human(T)
    (root / "walk.gltf").write_text(walker.write(has_walk=True, has_body=False))
    source = None
    for count in (16000, 16400):
        document = json.loads(hero.write())
        first = len(document["nodes"])
        document["nodes"] += [{"name": f"hair {i}"} for i in range(first, count)]
        document["nodes"][next(i for i, node in enumerate(document["nodes"]) if node["name"] == "head")]["children"] = list(range(first, count))
        (root / f"hero{count}.gltf").write_text(json.dumps(document))
    server = start(*NO_RENDERING, root=root)
    source, _ = places(server, walker, TIMES, model="walk.gltf", clip="walk")
    moved, answer = places(server, hero, TIMES[:3], model="hero16000.gltf", clip_file="walk.gltf", clip="walk", retarget="rest")
    for limb in LIMBS:
        assert degrees(pointing(hero, moved, limb), pointing(walker, {role: at[:3] for role, at in source.items()}, limb)) < 1, limb
    assert "limbs" not in answer["clip_file"]["retarget"]
    refused = server.get("/v1/pose?model=hero16400.gltf&clip_file=walk.gltf&retarget=rest")
    assert (refused.status, refused.error()) == (422, "humanoid_incomplete") and "16384" in refused.json()["error"]["message"]
    assert "bones" not in server.json("/v1/model", model="hero16000.gltf") # an event loop makes this answer


def test_the_choice_of_a_rest_is_within_the_limit_of_evaluations(start, root):
    (root / "walk.gltf").write_text(RestingHuman(T, {"hips": about((1, 0, 0), -math.pi / 2), "leftUpperLeg": about((0, 0, 1), 2)}).write(has_walk=True, has_body=False))
    (root / "hero.gltf").write_text(Human(SHAPES["upright"]).write())
    server = start(*NO_RENDERING, "--max-evaluations", "300", root=root)
    query = "/v1/palette?model=hero.gltf&clip_file=walk.gltf&retarget=rest"
    refused = server.get(query)
    assert (refused.status, refused.error()) == (400, "too_many_frames"), refused.body
    assert "a pose that stands is looked for in " in refused.json()["error"]["message"] and "clip_rest=zero" in refused.json()["error"]["message"]
    refused = server.get(query + "&clip_rest=zero") # the clip itself is too much, too
    assert refused.status == 400 and "each moment takes" in refused.json()["error"]["message"], refused.body


# --- files of people who had trouble ---

HEROES = {"plain_human.glb": lambda side: [side + part for part in ("Arm", "ForeArm", "Hand", "UpLeg", "Leg", "Foot")],
          "robot.glb": lambda side: [f"{part}_{side.lower()}" for part in ("arm", "forearm", "hand", "leg", "shin", "foot")]}


def lines_of(server, names, times, **query):
    """limb -> [time][3] unit vectors."""
    answer = server.json("/v1/pose", **query, wrap="clamp", t=",".join(map(str, times)))
    nodes = [node["name"] for node in answer["nodes"]]
    matrices = np.array([frame["scene"] for frame in answer["frames"]], float).reshape(len(times), len(nodes), 16)
    lines = {}
    for side, _ in SIDES:
        joints = [matrices[:, nodes.index(name), 12:15] for name in names(side.title())]
        for limb, (start_at, end_at) in zip(("UpperArm", "LowerArm", "UpperLeg", "LowerLeg"), (joints[0:2], joints[1:3], joints[3:5], joints[4:6])):
            lines[side + limb] = (end_at - start_at) / np.linalg.norm(end_at - start_at, axis=1)[:, None]
    return lines, answer


@pytest.mark.skipif(not OF_OTHERS.is_dir(), reason="the files of others are not here")
@pytest.mark.parametrize("motion", ["tpose.bvh", "collapsed_rest.bvh"])
def test_files_of_others(start, root, motion):
    for file in OF_OTHERS.iterdir():
        shutil.copy(file, root)
    shutil.copy(f"{SAMPLES}/robot.glb", root)
    for i, shape in enumerate(SHAPES.values()):
        (root / f"hero{i}.gltf").write_text(Human(shape).write())
    server = start(*NO_RENDERING, root=root)
    times = [i / 30 for i in range(31)]
    source, _ = lines_of(server, HEROES["plain_human.glb"], times, model=motion, clip=0)
    for hero, names in HEROES.items():
        if not all(name in {node["name"] for node in server.json("/v1/model", model=hero)["nodes"]} for side in ("Left", "Right") for name in names(side)):
            continue
        moved, answer = lines_of(server, names, times, model=hero, clip_file=motion, clip=0, retarget="rest")
        assert max(degrees(moved[limb], source[limb]) for limb in LIMBS) < 3, hero
        assert "limbs" not in answer["clip_file"]["retarget"]
    walker = Human({**T})
    for i, shape in enumerate(SHAPES.values()):
        human = Human(shape)
        moved, answer = places(server, human, times, model=f"hero{i}.gltf", clip_file=motion, clip=0, retarget="rest")
        assert max(degrees(pointing(human, moved, limb), np.array([walker.canonical(line) for line in source[limb]])) for limb in LIMBS) < 3, i
        assert "limbs" not in answer["clip_file"]["retarget"]


def swapped_sides(shape):
    """The shape with the names of left and right exchanged."""
    other = {"left": "right", "right": "left"}
    names = {role: shape["names"][next((role.replace(side, other[side], 1) for side in other if role.startswith(side)), role)] for role in ROLES}
    return {**shape, "names": names}


def test_names_of_the_wrong_side_are_told(start, root):
    """The rig is turned, uneven and far from the origin. One that a scale mirrors, or two that are both swapped, are no such case."""
    node = {"translation": [7, -2, 30], "rotation": list(TURN)}
    uneven, mirrored = {"scale": [1, 1.6, 0.8], **node}, {"scale": [-1.5, 1.2, 1.5], **node}
    for name, shape in ("walk", T), ("swalk", swapped_sides(T)):
        (root / f"{name}.gltf").write_text(Human(shape).write(has_walk=True))
    for name, shape in ("hero", A), ("shero", swapped_sides(A)):
        (root / f"{name}.gltf").write_text(below(Human(shape).write(), **uneven))
        (root / f"mirrored_{name}.gltf").write_text(below(Human(shape).write(), **mirrored))
    server = start(*NO_RENDERING, root=root)

    def told(model, clips):
        query = {"model": f"{model}.gltf", "clip_file": f"{clips}.gltf", "retarget": "rest", "clip": 0, "t": 0.3}
        answer, header = server.json("/v1/pose", **query), server.get("/v1/pose?" + urllib.parse.urlencode({**query, "format": "bin"})).headers
        said = [one["message"] for one in answer["clip_file"]["warnings"] if one["code"] == "sides_swapped"]
        assert (";sides=1" in header["x-posed-unmatched"]) == bool(said)
        assert int(header.get("x-posed-warnings", 0)) - len(answer["clip_file"]["warnings"]) == counted
        return said
    counted = sum(len(server.json("/v1/model", model=f"{name}.gltf")["warnings"]) for name in ("hero", "walk"))
    for model in "hero", "mirrored_hero":
        assert told(model, "walk") == [] and told("s" + model if model == "hero" else "mirrored_shero", "swalk") == []
        said, = told(model, "swalk")
        assert said.startswith("left and right are swapped in the clips' file: at rest its left bones are on the right of the body") and "clip_bones=" in said
        said, = told("shero" if model == "hero" else "mirrored_shero", "walk")
        assert said.startswith("left and right are swapped in the model: ")
