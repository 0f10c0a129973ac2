"""/v1/check of 50 walks, over the ground and in place: faults made on purpose are found with joint and time, clean walks have none."""
import random

import pytest
import walkers
from walkers import DURATION, FRAMES, HEIGHT, NAMES, RATE, Walk, smooth, times, turned

from conftest import Server

DRAWS = False


@pytest.fixture(scope="module")
def ask(tmp_path_factory):
    root = tmp_path_factory.mktemp("walks")
    server = Server(root, draws=False)

    def ask(walk, name="walk", paint=None, **parameters):
        (root / "walk.gltf").write_text(walkers.gltf(walk, name, paint))
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
    walk.tracks[joint][frame] = times(walk.tracks[joint][frame], turned([1, 0, 0], 20))
    found = ask(walk)
    assert [(f["rule"], f["joint"]["name"]) for f in found] == [("pop", joint)] and found[0]["time"] == pytest.approx(frame / RATE, abs=1e-5)


@pytest.mark.parametrize("seed", range(50))
def test_a_loop_off_by_three_degrees(ask, seed):
    """The joint is told that is turned, not the hand that moves farthest."""
    walk, joint = Walk(seed), random.Random(seed).choice(["Spine", "Neck", "LeftArm", "RightForeArm", "RightHand"])
    walk.tracks[joint] = [times(q, turned([0, 0.6, 0.8], 3 * i / (FRAMES - 1))) for i, q in enumerate(walk.tracks[joint])]
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
    assert 0 <= found["time"] <= DURATION and found["value"] > found["limit"] and found["subject"] == f"mesh 'body', joint '{wrong}'"
