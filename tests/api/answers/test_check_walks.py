"""/v1/check of 50 walks, over the ground and in place: faults made on purpose are found with joint and time, clean walks have none."""
import math
import random

import pytest
import walkers
from walkers import DURATION, FRAMES, HEIGHT, NAMES, RATE, Walk, hamilton, smooth, turned

from conftest import Server
from rigs import Writer

DRAWS = False


@pytest.fixture(scope="module")
def ask(tmp_path_factory):
    root = tmp_path_factory.mktemp("walks")
    server = Server(root, draws=False)

    def ask(walk, name="walk", paint=None, spline=False, button=None, **parameters):
        (root / "walk.gltf").write_text(walkers.gltf(walk, name, paint, spline=spline, button=button))
        clip, = server.json("/v1/check", model="walk.gltf", **parameters)["clips"]
        return clip["findings"]

    ask.server, ask.root = server, root
    yield ask
    server.end()


def of_rule(findings, rule):
    return [(f["joint"]["name"], f["time"], f["value"]) for f in findings if f["rule"] == rule]


@pytest.mark.parametrize("seed", range(50))
def test_clean_walks_have_no_findings(ask, seed):
    assert ask(Walk(seed)) == []


@pytest.mark.parametrize("seed", range(50))
def test_a_foot_that_slides_by_one_percent_of_the_height(ask, seed):
    side, first, last = random.Random(seed).choice(Walk(seed).stances())

    def shift(which, frame):
        return (0, 0, 0.01 * HEIGHT * smooth((frame - first) / (last - first)) if which == side and frame >= first else 0)
    found = ask(Walk(seed, shift))
    slides = of_rule(found, "foot-slide")
    assert len(slides) == 1 and slides[0][0] in (f"{side}Foot", f"{side}ToeBase"), found
    assert first / RATE <= slides[0][1] <= last / RATE + 1e-6 and 0.005 < slides[0][2] < 0.011


@pytest.mark.parametrize("seed", range(50))
def test_a_foot_two_centimetres_through_the_floor(ask, seed):
    side, first, last = random.Random(seed).choice(Walk(seed).stances())
    middle = (first + last) // 2

    def shift(which, frame):
        return (0, -0.02 * max(0, 1 - abs(frame - middle) / 4) if which == side else 0, 0)
    (joint, time, value), = of_rule(ask(Walk(seed, shift)), "through-floor")
    assert joint in (f"{side}Foot", f"{side}ToeBase") and time == pytest.approx(middle / RATE, abs=0.02)
    assert value == pytest.approx(0.02 / HEIGHT, abs=1e-3)


@pytest.mark.parametrize("seed", range(50))
def test_a_key_turned_by_20_degrees(ask, seed):
    rng = random.Random(seed)
    walk, joint, frame = Walk(seed), rng.choice(["Spine", "Neck", "Head", "LeftArm", "RightForeArm", "LeftHand"]), rng.randrange(3, FRAMES - 4)
    walk.tracks[joint][frame] = hamilton(walk.tracks[joint][frame], turned([1, 0, 0], 20))
    found = ask(walk)
    assert [(f["rule"], f["joint"]["name"]) for f in found] == [("pop", joint)] and found[0]["time"] == pytest.approx(frame / RATE, abs=1e-5)


@pytest.mark.parametrize("seed", range(50))
def test_a_loop_off_by_three_degrees(ask, seed):
    """The joint is told that is turned, not the hand that moves farthest."""
    walk, joint = Walk(seed), random.Random(seed).choice(["Spine", "Neck", "LeftArm", "RightForeArm", "RightHand"])
    walk.tracks[joint] = [hamilton(q, turned([0, 0.6, 0.8], 3 * i / (FRAMES - 1))) for i, q in enumerate(walk.tracks[joint])]
    found = ask(walk)
    assert [(f["rule"], f["joint"]["name"]) for f in found] == [("loop-jump", joint)] and found[0]["time"] == pytest.approx(DURATION, abs=1e-5)
    assert ask(walk, loop="no") == []


@pytest.mark.parametrize("seed", range(50))
def test_a_weight_painted_wrong(ask, seed):
    rng = random.Random(seed)
    points, joints, _, _ = walkers.tubes()
    far = {"Left": "Right", "Right": "Left"}
    vertex = rng.choice([v for v in range(len(points)) if NAMES[joints[v][0]].endswith(("ForeArm", "Hand", "Leg", "Foot"))])
    side = "Left" if NAMES[joints[vertex][0]].startswith("Left") else "Right"
    wrong = far[side] + ("Foot" if "Arm" in NAMES[joints[vertex][0]] or "Hand" in NAMES[joints[vertex][0]] else "Hand")
    found, = ask(Walk(seed), paint=(vertex, wrong, rng.uniform(0.3, 1)))
    assert (found["rule"], found["joint"]["name"], found["mesh"]["name"]) == ("stray-weight", wrong, "body")
    assert 0 <= found["time"] <= DURATION + 1e-5 and found["value"] > found["limit"] and found["subject"] == f"mesh 'body', joint '{wrong}'"


# --- rules beyond the five faults ---


@pytest.mark.parametrize("seed", range(8))
def test_a_joint_that_jitters(ask, seed):
    rng = random.Random(seed)
    walk, joint = Walk(seed), rng.choice(["Spine", "Head", "LeftForeArm", "RightHand"])
    walk.tracks[joint] = [hamilton(q, turned([0.6, 0, 0.8], rng.choice([-1, 1]) * rng.uniform(1, 3) if i % 2 else 0)) for i, q in enumerate(walk.tracks[joint])]
    walk.tracks[joint][-1] = walk.tracks[joint][0]
    (name, time, value), = of_rule(ask(walk, loop="no"), "jitter")
    assert name == joint and 0 < time < DURATION and 1 < value < 4


@pytest.mark.parametrize("seed", range(8))
def test_a_joint_that_freezes_and_catches_up(ask, seed):
    rng = random.Random(seed)
    walk, joint = Walk(seed), rng.choice(["LeftArm", "RightArm"])
    sweep = [turned([1, 0, 0], 60 * smooth(i / (FRAMES - 1) * 2 if i < FRAMES / 2 else 2 - i / (FRAMES - 1) * 2)) for i in range(FRAMES)]
    walk.tracks[joint] = [hamilton(q, s) for q, s in zip(walk.tracks[joint], sweep)]
    assert of_rule(ask(walk), "frozen-joint") == []
    for frame in range(8, 13):
        walk.tracks[joint][frame] = walk.tracks[joint][7]
    (name, time, value), = of_rule(ask(walk), "frozen-joint")
    assert name == joint and time == pytest.approx(7 / RATE, abs=1e-5) and value > 5
    for track in walk.tracks.values():  # all stand still: a blow
        for frame in range(8, 13):
            track[frame] = track[7]
    assert of_rule(ask(walk), "frozen-joint") == []


@pytest.mark.parametrize("joint", ["LeftUpLeg", "LeftLeg", "RightUpLeg", "RightLeg"])
def test_a_leg_that_stands_still_beside_one_that_walks(ask, joint):
    walk = Walk(3)
    walk.tracks[joint] = [walk.tracks[joint][0]] * FRAMES
    assert joint in [name for name, _, _ in of_rule(ask(walk), "frozen-joint")]
    assert of_rule(ask(walk, name="limp"), "frozen-joint") == []


@pytest.mark.parametrize("seed", range(8))
def test_a_speed_that_jumps_at_the_end_of_a_loop(ask, seed):
    """The arm is at the end where it began, but swings the other way."""
    rng = random.Random(seed)
    walk, joint = Walk(seed), rng.choice(["LeftArm", "RightForeArm"])
    walk.tracks[joint] = [hamilton(q, turned([1, 0, 0], 60 * math.sin(math.pi * i / (FRAMES - 1)))) for i, q in enumerate(walk.tracks[joint])]
    found = ask(walk)
    assert [(f["rule"], f["joint"]["name"], f["unit"]) for f in found] == [("loop-jump", joint, "degrees/s")], found
    assert found[0]["time"] == pytest.approx(DURATION, abs=1e-5) and found[0]["value"] == pytest.approx(2 * 60 * math.pi / DURATION, rel=0.4)


@pytest.mark.parametrize("seed", range(8))
def test_feet_that_leave_the_ground_together_in_a_walk(ask, seed):
    middle = random.Random(seed).randrange(8, FRAMES - 8)

    def lift(frame):
        return 0.1 * max(0, 1 - abs(frame - middle) / 6)
    (joint, time, value), = of_rule(ask(Walk(seed, lift=lift)), "feet-off-ground")
    assert joint.endswith(("Foot", "ToeBase")) and time == pytest.approx(middle / RATE, abs=0.04) and 0.03 < value < 0.12
    assert of_rule(ask(Walk(seed, lift=lift), name="jump"), "feet-off-ground") == []


def test_a_spline_with_keys_of_opposite_signs_turns_the_long_way_round(ask):
    walk = Walk(2)
    assert ask(walk, spline=True) == []
    walk.tracks["Head"][20] = [-x for x in walk.tracks["Head"][20]]
    assert ask(walk) == []  # linear keys take the shorter way
    found = [(f["rule"], f["joint"]["name"], round(f["time"] * RATE)) for f in ask(walk, spline=True)]
    assert found == [("pop", "Head", 19), ("pop", "Head", 20)]


def test_weights_of_a_model_without_clips(ask):
    points, joints, _, _ = walkers.tubes()
    vertex = next(v for v in range(len(points)) if NAMES[joints[v][0]] == "LeftHand")
    (ask.root / "still.gltf").write_text(walkers.gltf(None, paint=(vertex, "RightFoot", 0.5), clips=False))
    answer = ask.server.json("/v1/check", model="still.gltf")
    found, = answer["findings"]
    assert answer["clips"] == [] and (found["rule"], found["joint"]["name"]) == ("stray-weight", "RightFoot") and "time" not in found
    assert found["value"] > found["limit"] and found["unit"] == "size"
    (ask.root / "still.gltf").write_text(walkers.gltf(None, clips=False))
    assert ask.server.json("/v1/check", model="still.gltf")["findings"] == []


def test_a_piece_of_its_own_may_follow_any_joint(ask):
    assert ask(Walk(1), button="RightFoot") == []


@pytest.mark.parametrize("about", ["heel", "ball"])
def test_a_foot_may_turn_on_its_sole(ask, about):
    """Straight legs turn about the upright line through the ankle; about the ball, the hips go round it."""
    walk = Walk(1)
    length = walkers.BALL[2]
    for frame in range(FRAMES):
        degrees = 40 * math.sin(math.pi * frame / (FRAMES - 1)) ** 2
        turn = math.radians(degrees)
        for name in NAMES:
            walk.tracks[name][frame] = [0, 0, 0, 1]
        walk.tracks["LeftUpLeg"][frame] = turned([0, 1, 0], degrees)
        x, z = (0, 0) if about == "heel" else (-length * math.sin(turn), length * (1 - math.cos(turn)))
        walk.places[frame] = [x, walkers.place_of("Hips")[1], z]
        if about == "ball":  # the other foot goes with the hips, above the ground
            walk.tracks["RightUpLeg"][frame] = turned([1, 0, 0], -20)
    assert ask(walk, name="stand") == []


@pytest.mark.parametrize("duration", [5.0001, 5.02, 5.05, 7])
def test_a_wheel_that_turns_evenly_does_not_jump_however_long_it_turns(ask, duration):
    writer, count = Writer(), 200
    writer.rig(["root", "hip", "knee", "toe"])
    turns = [turned([0, 0.6, 0.8], 360 * 3 * i / (count - 1)) for i in range(count)]
    writer.document["animations"] = [{"name": "loop", "channels": [{"sampler": 0, "target": {"node": 2, "path": "rotation"}}], "samplers": [
        {"input": writer.accessor([duration * i / (count - 1) for i in range(count)], "SCALAR"), "output": writer.accessor(turns, "VEC4")}]}]
    (ask.root / "wheel.gltf").write_text(writer.text())
    assert ask.server.json("/v1/check", model="wheel.gltf", loop="yes")["clips"][0]["findings"] == []


# --- what is no fault ---

@pytest.mark.parametrize("seed", range(8))
def test_a_foot_just_below_the_floor_is_no_fault(ask, seed):
    """1.4 cm of a person for some frames, as in clean clips of games, is not seen; 1.6 cm is reported."""
    side, first, last = random.Random(seed).choice(Walk(seed).stances())
    middle = (first + last) // 2

    def found(depth):
        return of_rule(ask(Walk(seed, lambda which, frame: (0, -depth * max(0, 1 - abs(frame - middle) / 4) if which == side else 0, 0))), "through-floor")
    assert found(0.008 * HEIGHT) == []
    assert len(found(0.009 * HEIGHT)) == 1


@pytest.mark.parametrize("seed", range(6))
def test_a_foot_through_the_floor_does_not_move_the_ground(ask, seed):
    """The ground is where the lower foot is most of the time: the other foot slides on it."""
    first, second = Walk(seed).stances()

    def shift(side, frame):
        if side == first[0]:
            return 0, -0.03 * max(0, 1 - abs(frame - (first[1] + first[2]) // 2) / 4), 0
        return 0, 0, 0.01 * HEIGHT * smooth((frame - second[1]) / (second[2] - second[1])) if frame >= second[1] else 0
    found = ask(Walk(seed, shift))
    assert [joint[:4] for joint, _, _ in of_rule(found, "foot-slide")] == [second[0][:4]], found
    assert [joint[:4] for joint, _, _ in of_rule(found, "through-floor")] == [first[0][:4]], found


@pytest.mark.parametrize("seed", [0, 1, 2, 4, 5])
def test_a_step_down_is_not_through_the_floor(ask, seed):
    """A walk on a platform far above the soles of the rest pose: its floor is where it stands, and there may be a step down from it."""
    _, first, last = random.Random(seed).choice(Walk(seed).stances())

    def down(depth):
        found = ask(Walk(seed, lift=lambda frame: 0.3 - depth * max(0, 1 - abs(frame - (first + last) // 2) / 3)))
        return of_rule(found, "through-floor")
    assert down(0.03)
    assert down(0.2) == []


@pytest.mark.parametrize("seed", range(6))
def test_feet_that_leave_the_ground_for_one_frame_do_not_fly(ask, seed):
    middle = random.Random(seed).randrange(8, FRAMES - 8)
    assert of_rule(ask(Walk(seed, lift=lambda frame: 0.08 * (frame == middle))), "feet-off-ground") == []


@pytest.mark.parametrize("joint", ["UpLeg", "Leg"])
def test_two_legs_that_stand_still_are_no_fault(ask, joint):
    walk = Walk(3)
    for side in ("Left", "Right"):
        walk.tracks[side + joint] = [walk.tracks[side + joint][0]] * FRAMES
    assert [found for found in of_rule(ask(walk), "frozen-joint") if found[0].endswith(("LeftLeg", "RightLeg", "UpLeg"))] == []


@pytest.mark.parametrize("seed", range(6))
def test_a_blow_does_not_pop(ask, seed):
    """Two frames that turn the same way, from rest to rest."""
    rng = random.Random(seed)
    walk, joint, frame = Walk(seed), rng.choice(["Head", "RightHand", "LeftForeArm"]), rng.randrange(4, FRAMES - 4)
    walk.tracks[joint] = [hamilton(walk.tracks[joint][0], turned([1, 0, 0], 20 * min(2, max(0, i - frame + 1)))) for i in range(FRAMES)]
    assert of_rule(ask(walk, loop="no"), "pop") == []
