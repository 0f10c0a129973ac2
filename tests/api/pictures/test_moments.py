"""What a picture shows that names no clip, no time and no frame: not harm, not a calibration, and the pose as large as it fits."""
import math

import numpy
import pytest

from humans import A, ABOVE, RATE, ROLES, T, UNREAL, Human, HumanWriter, about
from rigs import Writer
from test_camera import animated, ask, box

UNKNOWN = {role: f"b{i}" for i, role in enumerate(ROLES)}
FAR = {"place": A["place"], "turn": [0, 0.6, 0, 0.8], "scale": 100}  # turned, in centimetres, far from the origin


def capture(shape, arm_deg, still_keys, blend_keys=0):
    """A human at rest folded up. Its clip begins with spread arms, this far below the horizontal, and then walks."""
    human = Human(shape)
    walked = human.walk()
    still = numpy.array([0, 0, 0, 1.0])
    spread = {role: still for role in ROLES}
    folded = {role: still for role in ROLES}
    for side, sign in (("left", 1), ("right", -1)):
        for limb in ("UpperArm", "LowerArm"):
            spread[side + limb] = about((0, 0, 1), -sign * math.radians(arm_deg))
            folded[side + limb] = about((0, 0, 1), -sign * math.radians(100))
        folded[side + "UpperLeg"], folded[side + "LowerLeg"] = about((1, 0, 0), -2), about((1, 0, 0), 0.5)
    locals_of = lambda turns, role: human.local(role, turns[role], turns.get(ABOVE.get(role), still))
    channels = {}
    for role in ROLES:
        first = numpy.array(locals_of(spread, role))
        rows = walked.get((human.names[role], "rotation")) or [list(locals_of({r: still for r in ROLES}, role))] * len(walked[(human.names["hips"], "translation")])
        target = numpy.array(rows[0]) * (1 if numpy.dot(rows[0], first) >= 0 else -1)
        blend = [first + (target - first) * k / blend_keys for k in range(blend_keys)]
        channels[human.names[role], "rotation"] = [list(first)] * still_keys + [list(q / numpy.linalg.norm(q)) for q in blend] + rows
    places = walked[(human.names["hips"], "translation")]
    channels[human.names["hips"], "translation"] = [places[0]] * (still_keys + blend_keys) + places
    rig = human.rig()
    for role in ROLES:
        rig[human.names[role]][1]["rotation"] = list(locals_of(folded, role))
    writer = HumanWriter()
    writer.rig(list(rig), rig)
    writer.body(human)
    times = writer.accessor([key / RATE for key in range(len(places) + still_keys + blend_keys)], "SCALAR")
    writer.document["animations"] = [{
        "samplers": [{"input": times, "output": writer.accessor(rows, "VEC4" if path == "rotation" else "VEC3")}
                     for (_, path), rows in channels.items()],
        "channels": [{"sampler": i, "target": {"node": writer.names.index(node), "path": path}}
                     for i, (node, path) in enumerate(channels)]}]
    return writer.text()


@pytest.mark.parametrize("shape, arm_deg, still_keys, blend_keys", [
    (T, 0, 30, 10), (T, 45, 30, 10), ({**T, **FAR}, 0, 30, 10), ({**T, **FAR, "names": UNREAL}, 50, 20, 12),
    (T, 0, 1, 0), ({**T, "names": UNKNOWN}, 0, 3, 0)])
def test_a_calibration_is_not_the_moment(start, tmp_path, shape, arm_deg, still_keys, blend_keys):
    (tmp_path / "capture.gltf").write_text(capture(shape, arm_deg, still_keys, blend_keys))
    time_s = float(ask(start(), "model=capture.gltf&width=64&height=64").headers["x-posed-time"])
    assert time_s >= (still_keys + 0.3 * blend_keys) / RATE - 1e-6


def test_a_calibration_is_shown_where_there_is_nothing_else(start, tmp_path):
    (tmp_path / "capture.gltf").write_text(capture(T, 0, 30))
    server = start()
    for part in ("&to=0.9", "&from=0.2&to=0.6"):
        assert float(ask(server, f"model=capture.gltf{part}").headers["x-posed-time"]) < 1


def walker(far=40):
    """A post, turned and unevenly scaled, that travels far over the ground."""
    post = [(0, 0, 0), (0.3, 0, 0), (0, 1, 0), (0, 0, 0), (0, 1, 0), (0, 0, 0.3)]
    return animated({(0, "translation"): {0: (3, 1, -2), 1: (3 + far, 1, -2)}, (0, "scale"): {0: (1, 2, 1), 1: (1, 2.2, 1)}},
                    positions=post, material={"doubleSided": True}, rotation=[0, 0.6, 0, 0.8], scale=[1, 2, 1])


def height_of(answer, side=200):
    _, top, _, bottom = box(answer)
    return (bottom - top) / side


def test_a_still_frames_its_pose(start, tmp_path):
    """The walker fills the picture whose time the server picks. Pictures of given times have one scale."""
    (tmp_path / "walker.gltf").write_text(walker())
    server = start()
    model = "model=walker.gltf&width=200&height=200"
    still = ask(server, model)
    assert height_of(still) > 0.8
    assert ask(server, model + "&frame=pose").body == ask(server, model + "&t=auto").body == still.body
    assert height_of(ask(server, model + "&frame=clip")) < 0.2
    assert ask(server, f"{model}&t={still.headers['x-posed-time']}&frame=pose").body == still.body
    assert ask(server, f"{model}&t={still.headers['x-posed-time']}").body == ask(server, model + "&frame=clip").body
    heights = [height_of(ask(server, f"{model}&t={t}")) for t in (0.1, 0.9)]
    assert max(heights) < 0.2
    onion = ask(server, model + "&view=onion")
    assert numpy.ptp(box(onion)[::2]) > 100  # all of its poses


def test_a_turntable_frames_its_pose_and_a_sheet_its_clip(start, tmp_path):
    (tmp_path / "walker.gltf").write_text(walker())
    server = start()
    for query, least, most in [
            ("turntable?columns=4&frames=4&", 0.6, 1), ("turntable?columns=4&frames=4&frame=clip&", 0, 0.3), ("turntable?columns=4&frames=4&t=0.3&", 0, 0.3),
            ("sheet?frames=1&", 0, 0.2), ("sheet?frames=1&frame=pose&", 0.6, 1)]:
        answer = server.get(f"/v1/{query}model=walker.gltf&width=100&height=100&format=png")
        assert answer.status == 200 and least < height_of(answer, 100) < most, query


def named(names):
    """A triangle with a clip of each name."""
    writer = Writer()
    document = writer.document
    document["meshes"] = [{"primitives": [{"attributes": {"POSITION": writer.accessor([(0, 0, 0), (1, 0, 0), (0, 1, 0)], "VEC3")}}]}]
    document["nodes"], document["scene"], document["scenes"] = [{"mesh": 0}], 0, [{"nodes": [0]}]
    times = writer.accessor([0, 1], "SCALAR")
    document["animations"] = [{
        "name": name, "samplers": [{"input": times, "output": writer.accessor([(0, 0, 0), (1, i, 0)], "VEC3")}],
        "channels": [{"sampler": 0, "target": {"node": 0, "path": "translation"}}]} for i, name in enumerate(names)]
    return writer.text()


@pytest.mark.parametrize("names, shown", [
    (["Armature|Death", "Armature|HitReact", "Armature|Walk"], 2), (["Death", "Fall", "REST_02"], 2), (["T-Pose", "Run"], 1),
    (["Rig|hurt|Layer0", "Rig|Run|Layer0", "Rig|Breathe|Layer0"], 2), (["Hit", "Death"], 0)])
def test_the_clip_is_not_one_of_harm(start, tmp_path, names, shown):
    (tmp_path / "named.gltf").write_text(named(names))
    assert start().json("/v1/render?model=named.gltf&format=json")["clip"]["index"] == shown
