"""clip_rest=: the pose that stands for the rest of a clips' file. Files rest lying, sitting, hanging, facing backwards, or in no pose at
all; their motion is the same walk, and the limbs of four other humans point where the walker's do."""
import math

import numpy as np
import pytest

from humans import HALF, KEYS, LIMBS, RATE, SHAPES, SIDES, T, Human, RestingHuman, about, places, pointing, rotate
from importers import NO_RENDERING

pytestmark = pytest.mark.short
TIMES = [i / RATE for i in range(KEYS)]
BACK, DOWN, SIT = about((0, 1, 0), math.pi), about((1, 0, 0), math.pi), about((1, 0, 0), -math.pi / 2)
STILL = np.array([0, 0, 0, 1.0])
# all bones of a collapsed rest point upwards
COLLAPSED = {side + limb: turn for side, sign in SIDES
             for limb, turn in (("UpperArm", about((0, 0, 1), sign * math.pi / 2)), ("UpperLeg", DOWN), ("Foot", about((1, 0, 0), -1.1)))}
SITTING = {side + limb: turn for side, _ in SIDES for limb, turn in (("UpperLeg", SIT), ("LowerLeg", STILL))}
FACING_LEFT = {**T, "turn": [0, HALF, 0, HALF]}
Z_UP = {**T, "turn": [HALF, 0, 0, HALF], "scale": 100}
# rest -> the walker, how far its scene is turned about the up axis against the models', and which pose the answer tells
RESTS = {
    "collapsed": (RestingHuman(T, COLLAPSED, [0, 0, 0]), 0, "frame"),
    "collapsed, odd joints": (RestingHuman({**T, "odd": 0.7}, COLLAPSED), 0, "frame"),
    "collapsed, z up in centimetres": (RestingHuman(Z_UP, COLLAPSED, [0, 0, 0]), 0, "frame"),
    "collapsed, walks to the left": (RestingHuman(FACING_LEFT, COLLAPSED), math.pi / 2, "frame"),
    "sits": (RestingHuman(T, SITTING, [0, 0.5, 0]), 0, "frame"),
    "lies": (RestingHuman(T, {"hips": SIT}, [0, 0.1, 0]), 0, "direction"),
    "hangs head down": (RestingHuman(T, {"hips": about((0, 0, 1), math.pi)}, [0, 2, 0]), 0, "direction"),
    "hangs high": (RestingHuman(T, {}, [0, 3, 0]), 0, "lowered"),
    "sits, z up in centimetres": (RestingHuman(Z_UP, SITTING, [0, 0.5, 0]), 0, "frame"),
    "lies on the face, z up in centimetres": (RestingHuman(Z_UP, {"hips": about((1, 0, 0), math.pi / 2)}, [0, 0.1, 0]), 0, "direction"),
    "lies on the face, walks to the left": (RestingHuman({**FACING_LEFT, "odd": 0.7}, {"hips": about((1, 0, 0), math.pi / 2)}, [0, 0.1, 0]), math.pi / 2, "direction"),
    "hangs head down, z up in centimetres": (RestingHuman(Z_UP, {"hips": about((0, 0, 1), math.pi)}, [0, 2, 0]), 0, "direction"),
    "faces backwards, z up in centimetres": (RestingHuman(Z_UP, {"hips": BACK}), math.pi, None),
    "faces backwards": (RestingHuman(T, {"hips": BACK}), math.pi, None),
    "z up in centimetres": (RestingHuman(Z_UP, {}), 0, None),
}


@pytest.fixture
def root(tmp_path):
    folder = tmp_path / "root"
    folder.mkdir()
    return folder


def worst_limb_deg(hero, moved, walker, source, yaw, limbs=LIMBS):
    worst = 0
    for limb in limbs:
        theirs = np.array([rotate(about((0, 1, 0), yaw), line) for line in pointing(walker, source, limb)])
        cosines = (pointing(hero, moved, limb) * theirs).sum(axis=1)
        worst = max(worst, math.degrees(math.acos(np.clip(cosines.min(), -1, 1))))
    return worst


def told_of_limbs(answer, angles):
    """The answer names the limbs that differ by more than 3 degrees, with their angles, and warns of them."""
    told = {limb["role"]: limb["degrees"] for limb in answer["clip_file"]["retarget"].get("limbs", [])}
    assert told == {limb: pytest.approx(angle, rel=0.05, abs=1) for limb, angle in angles.items() if angle > 3}
    warned = [warning["message"] for warning in answer["clip_file"]["warnings"] if warning["code"] == "limbs_differ"]
    assert len(warned) == (len(told) > 0)
    assert not told or all(f"{limb} ({angle:.1f})" in warned[0] for limb, angle in told.items())


def sole(hero, at):
    """The lowest height of an ankle over the clip, in leg lengths."""
    return min(hero.canonical(place)[1] for side, _ in SIDES for place in at[side + "Foot"]) * hero.shape["scale"] / hero.leg()


@pytest.mark.parametrize("rest", RESTS)
def test_limbs_point_where_the_sources_do_whatever_the_rest(start, root, rest):
    walker, yaw, told_as = RESTS[rest]
    (root / "walk.gltf").write_text(walker.write(has_walk=True, has_body=False))
    (root / "plain.gltf").write_text(Human(T).write(has_walk=True))
    for i, shape in enumerate(SHAPES.values()):
        (root / f"hero{i}.gltf").write_text(Human(shape).write())
    server = start(*NO_RENDERING, root=root)
    source, _ = places(server, walker, TIMES, model="walk.gltf", clip="walk")
    for i, shape in enumerate(SHAPES.values()):
        hero = Human(shape)
        moved, answer = places(server, hero, TIMES, model=f"hero{i}.gltf", clip_file="walk.gltf", clip="walk", retarget="rest")
        assert worst_limb_deg(hero, moved, walker, source, yaw) < 3, (rest, i)
        told_of_limbs(answer, {})
        told = answer["clip_file"]["retarget"].get("rest")
        warned = [warning["message"] for warning in answer["clip_file"]["warnings"] if warning["code"] == "clip_rest"]
        if told_as is None:
            assert told is None and warned == []
        elif told_as == "lowered":
            assert told["lowered"] == pytest.approx(2.05, abs=0.2) and warned == []
        else:
            assert told["matched_by"] == "direction" and ("frame" in told) == (told_as == "frame") and len(warned) == 1
        plain, _ = places(server, hero, TIMES, model=f"hero{i}.gltf", clip_file="plain.gltf", clip="walk", retarget="rest")
        assert sole(hero, moved) == pytest.approx(sole(hero, plain), abs=0.06), (rest, i)


def test_a_chosen_frame_and_the_rest_itself(start, root):
    walker, hero = RESTS["collapsed"][0], Human(T)
    (root / "walk.gltf").write_text(walker.write(has_walk=True, has_body=False))
    (root / "hero.gltf").write_text(hero.write())
    server = start(*NO_RENDERING, root=root)
    query = {"model": "hero.gltf", "clip_file": "walk.gltf", "clip": "walk", "retarget": "rest"}
    source, _ = places(server, walker, TIMES, model="walk.gltf", clip="walk")
    moved, answer = places(server, hero, TIMES, **query, clip_rest="frame:20")
    assert worst_limb_deg(hero, moved, walker, source, 0) < 3
    told = answer["clip_file"]["retarget"]["rest"]
    assert (told["clip"], told["frame"], told["time_s"]) == (0, 20, pytest.approx(20 / RATE, rel=1e-4)) and answer["clip_file"]["warnings"] == []
    moved, answer = places(server, hero, TIMES, **query, clip_rest="zero")
    assert worst_limb_deg(hero, moved, walker, source, 0) > 60 # the collapsed rest is taken as it is, and the answer says so
    warned = [warning["message"] for warning in answer["clip_file"]["warnings"] if warning["code"] == "clip_rest"]
    assert len(warned) == 1 and "clip_rest=auto" in warned[0]
    told_of_limbs(answer, {limb: worst_limb_deg(hero, moved, walker, source, 0, [limb]) for limb in LIMBS})
    refused = server.get("/v1/pose?model=hero.gltf&clip_file=walk.gltf&retarget=rest&clip_rest=frame:61")
    assert (refused.status, refused.error()) == (400, "bad_parameter") and "61 frames" in refused.json()["error"]["message"]
    header = server.get("/v1/palette?model=hero.gltf&clip_file=walk.gltf&retarget=rest&format=bin").headers
    assert ";rests=1;slide=" in header["x-posed-unmatched"] and header["x-posed-warnings"] == "1"
    header = server.get("/v1/palette?model=hero.gltf&clip_file=walk.gltf&retarget=rest&format=bin&clip_rest=zero").headers
    assert ";rests=1;limbs=1;slide=" in header["x-posed-unmatched"] and header["x-posed-warnings"] == "2"
    missing = server.json("/v1/pose", **{**query, "clip_rest": "zero"}, t=0)["clip_file"]["retarget"]["rest"]
    assert missing["matched_by"] == "rest"


class Loose(Human):
    """Its left elbow slips out of its place, to the side, as joints of motion captures do."""

    def walk(self):
        at = np.array(self.rig()[self.names["leftLowerArm"]][1]["translation"])
        aside = np.cross(at, [0.3, 0.5, 0.8])
        rows = [list(at + aside / np.linalg.norm(aside) * np.linalg.norm(at) * math.tan(math.radians(10 * key / KEYS))) for key in range(KEYS)]
        return {**super().walk(), (self.names["leftLowerArm"], "translation"): rows}


def test_the_limb_that_cannot_follow_is_named(start, root):
    walker, hero = Loose(T), Human(next(iter(SHAPES.values())))
    (root / "walk.gltf").write_text(walker.write(has_walk=True, has_body=False))
    (root / "hero.gltf").write_text(hero.write())
    server = start(*NO_RENDERING, root=root)
    source, _ = places(server, walker, TIMES, model="walk.gltf", clip="walk")
    for feet in ("free", "lock"):
        moved, answer = places(server, hero, TIMES, model="hero.gltf", clip_file="walk.gltf", clip="walk", retarget="rest", feet=feet)
        if feet == "lock": # it bends legs, which the answer lists and does not warn of
            legs = {limb["role"] for limb in answer["clip_file"]["retarget"]["limbs"]} - {"leftUpperArm"}
            assert legs and all("Leg" in leg for leg in legs)
            warned = [warning["message"] for warning in answer["clip_file"]["warnings"] if warning["code"] == "limbs_differ"]
            assert len(warned) == 1 and "leftUpperArm (9.8)" in warned[0] and "Leg" not in warned[0]
        else:
            angle = worst_limb_deg(hero, moved, walker, source, 0, ["leftUpperArm"])
            assert 9 < angle < 10
            told_of_limbs(answer, {"leftUpperArm": angle})


class Riser(RestingHuman):
    """It sits at the first keys, and walks at the others."""

    SEATED = 12

    def walk(self):
        channels = super().walk()
        for role, turn in SITTING.items():
            above = SITTING.get(role.replace("Lower", "Upper"), STILL) if "Lower" in role else STILL
            channels[self.names[role], "rotation"][:self.SEATED] = [list(self.local(role, turn, above))] * self.SEATED
        return channels


def test_the_frame_is_one_that_stands(start, root):
    """The file rests in no pose, and its clip begins with a human that sits."""
    walker, hero = Riser(T, COLLAPSED), Human(T)
    (root / "walk.gltf").write_text(walker.write(has_walk=True, has_body=False))
    (root / "hero.gltf").write_text(hero.write())
    server = start(*NO_RENDERING, root=root)
    source, _ = places(server, walker, TIMES, model="walk.gltf", clip="walk")
    moved, answer = places(server, hero, TIMES, model="hero.gltf", clip_file="walk.gltf", clip="walk", retarget="rest")
    assert answer["clip_file"]["retarget"]["rest"]["frame"] >= Riser.SEATED
    assert worst_limb_deg(hero, moved, walker, source, 0) < 3
