"""A human that walks, as glTF text, and what goes wrong with it: for the rules of /v1/check.

The rig stands under a node that is rotated, unevenly scaled and off the origin. Its feet are planted exactly, roll over their balls, and
swing. It walks over the ground, or in place. Limbs are tubes whose vertices follow two joints each."""
import base64
import json
import math
import pathlib
import random
import struct
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "oracle"))
from matrices import hamilton  # noqa: E402

RATE, FRAMES = 30, 37  # of a clip; the last frame is the first again
DURATION = (FRAMES - 1) / RATE
HEIGHT = 1.75  # from the soles to the top of the head
THIGH, SHIN, ANKLE = 0.45, 0.45, 0.08
BALL = (0.0, -0.05, 0.13)  # of the foot
# joint: parent, place in it
RIG = {
    "Hips": (None, (0, THIGH + SHIN + ANKLE, 0)), "Spine": ("Hips", (0, 0.15, 0)), "Neck": ("Spine", (0, 0.4, 0)), "Head": ("Neck", (0, 0.1, 0)),
    **{f"{side}{name}": (parent.format(side), (sign * x, y, z)) for side, sign in (("Left", 1), ("Right", -1)) for name, parent, x, y, z in (
        ("Arm", "Spine", 0.2, 0.35, 0), ("ForeArm", "{}Arm", 0.27, 0, 0), ("Hand", "{}ForeArm", 0.25, 0, 0),
        ("UpLeg", "Hips", 0.1, 0, 0), ("Leg", "{}UpLeg", 0, -THIGH, 0), ("Foot", "{}Leg", 0, -SHIN, 0), ("ToeBase", "{}Foot", *BALL))},
}
NAMES = list(RIG)
CHAINS = [["Hips", "Spine", "Neck", "Head"]] + [[f"{side}{name}" for name in names] for side in ("Left", "Right") for names in (
    ("Arm", "ForeArm", "Hand"), ("UpLeg", "Leg", "Foot", "ToeBase"))]
TIPS = {"Head": (0, 0.12, 0), "LeftHand": (0.1, 0, 0), "RightHand": (-0.1, 0, 0), "LeftToeBase": (0, 0, 0.08), "RightToeBase": (0, 0, 0.08)}
RADIUS = 0.03


def turned(axis, degrees):
    half = math.radians(degrees) / 2
    return [*(math.sin(half) * x for x in axis), math.cos(half)]


def smooth(u):
    u = min(max(u, 0), 1)
    return u * u * (3 - 2 * u)


class Walk:
    """Rotations of all joints and places of the hips, frame by frame. shift(side, frame): what is added to where a foot stands."""

    STANCE = 0.62

    def __init__(self, seed, shift=None, lift=None):
        rng = random.Random(seed)
        self.in_place = seed % 2 == 0
        self.stride = rng.uniform(0.9, 1.15)  # of a cycle of two steps
        self.roll = rng.choice([0, rng.uniform(15, 30)])  # degrees by which the heel is lifted in the last part of the stance
        self.clear = rng.uniform(0.06, 0.12)
        self.shift = shift or (lambda side, frame: (0, 0, 0))
        lift = lift or (lambda frame: 0)
        swing, sway, bob = rng.uniform(15, 30), rng.uniform(2, 6), rng.uniform(0.005, 0.015)
        self.tracks = {name: [] for name in NAMES}
        self.places = []
        for frame in range(FRAMES):
            u = frame / (FRAMES - 1)
            wave = math.sin(2 * math.pi * u)
            hips = (0, THIGH + SHIN + ANKLE - 0.1 - bob * math.cos(4 * math.pi * u) + lift(frame), self.stride * u)
            self.places.append([hips[0], hips[1], hips[2] - (self.stride * u if self.in_place else 0)])
            turns = {name: [0, 0, 0, 1] for name in NAMES}
            turns["Spine"] = turned((0, 1, 0), sway * wave)
            turns["Head"] = turned((0, 1, 0), -sway * wave)
            turns["LeftArm"] = hamilton(turned((0, 0, 1), -70), turned((0, 1, 0), -swing * wave))
            turns["RightArm"] = hamilton(turned((0, 0, 1), 70), turned((0, 1, 0), -swing * wave))
            turns["LeftForeArm"] = turned((0, 1, 0), -swing - swing / 2 * wave)
            turns["RightForeArm"] = turned((0, 1, 0), swing - swing / 2 * wave)
            for side, start in (("Left", 0.0), ("Right", 0.5)):
                self.leg(side, (u - start) % 1, math.floor(u - start), frame, hips, lift(frame), turns)
            for name in NAMES:
                self.tracks[name].append(turns[name])

    def leg(self, side, phase, cycle, frame, hips, lift, turns):
        """A stance from phase 0 to STANCE, in which the sole is `ahead` of the middle of the cycle's stride; then a swing."""
        here, following = cycle * self.stride, (cycle + 1) * self.stride
        ahead = self.stride * (self.STANCE / 2 + (0.5 if side == "Right" else 0))
        pitch = 0.0
        if phase <= self.STANCE:
            pitch = self.roll * smooth((phase / self.STANCE - 0.75) / 0.25)
            heel, up = here + ahead, 0.0
        else:
            swing = (phase - self.STANCE) / (1 - self.STANCE)
            pitch = self.roll * (1 - smooth(swing / 0.6))
            heel, up = here + ahead + (following - here) * smooth(swing), self.clear * math.sin(math.pi * swing) ** 2
        move = self.shift(side, frame)
        turn = math.radians(pitch)
        # the ankle turns about the ball
        back, above = -BALL[2], -BALL[1]
        z = heel + BALL[2] + back * math.cos(turn) + above * math.sin(turn) - hips[2] + move[2]
        y = up + lift + ANKLE - above - back * math.sin(turn) + above * math.cos(turn) - hips[1] + move[1]
        reach = math.hypot(y, z)
        knee = math.pi - math.acos(max(-1, min(1, (THIGH ** 2 + SHIN ** 2 - reach ** 2) / (2 * THIGH * SHIN))))
        inner = math.acos(max(-1, min(1, (THIGH ** 2 + reach ** 2 - SHIN ** 2) / (2 * THIGH * reach))))
        hip = -math.atan2(z, -y) - inner
        turns[f"{side}UpLeg"] = turned((1, 0, 0), math.degrees(hip))
        turns[f"{side}Leg"] = turned((1, 0, 0), math.degrees(knee))
        turns[f"{side}Foot"] = turned((1, 0, 0), pitch - math.degrees(hip + knee))
        turns[f"{side}ToeBase"] = turned((1, 0, 0), -pitch)

    def stances(self):
        """Lists (side, first frame, last frame) of each whole stance in the clip."""
        found = []
        for side, start in (("Left", 0.0), ("Right", 0.5)):
            inside = [f for f in range(FRAMES) if (f / (FRAMES - 1) - start) % 1 <= self.STANCE and f / (FRAMES - 1) >= start]
            found.append((side, inside[0], max(f for f in inside if f / (FRAMES - 1) <= start + self.STANCE)))
        return found


def place_of(name):
    """Returns where a joint is at rest."""
    place = [0.0, 0.0, 0.0]
    while name:
        parent, offset = RIG[name]
        place = [a + b for a, b in zip(place, offset)]
        name = parent
    return place


def tubes():
    """Returns vertices, joints, weights and indices. A ring of four vertices at the middle and the end of each bone."""
    points, joints, weights, indices = [], [], [], []
    for chain in CHAINS:
        ends = [place_of(name) for name in chain]
        ends.append([a + b for a, b in zip(ends[-1], TIPS[chain[-1]])])
        along = [b - a for a, b in zip(ends[0], ends[1])]
        rings = [(0, chain[0], chain[0], 1.0)]
        for i, name in enumerate(chain):
            rings += [(i + 0.5, name, name, 1.0), (i + 1, name, chain[min(i + 1, len(chain) - 1)], 0.5)]
        sideways = (0, 1) if abs(along[2]) > max(abs(along[0]), abs(along[1])) else (1, 2) if abs(along[0]) > abs(along[1]) else (0, 2)
        first = len(points)
        for at, one, other, share in rings:
            i = min(int(at), len(chain) - 1)
            center = [a + (b - a) * (at - i) for a, b in zip(ends[i], ends[i + 1])]
            across = (0, 1) if one.endswith("ToeBase") else sideways  # the soles are at height 0
            for x, y in ((-1, -1), (1, -1), (1, 1), (-1, 1)):
                point = list(center)
                point[across[0]] += x * RADIUS
                point[across[1]] += y * RADIUS
                points.append(point)
                joints.append([NAMES.index(one), NAMES.index(other), 0, 0])
                weights.append([share, 1 - share, 0, 0] if one != other else [1.0, 0, 0, 0])
        for ring in range(len(rings) - 1):
            for k in range(4):
                a, b = first + 4 * ring + k, first + 4 * ring + (k + 1) % 4
                indices += [a, b, a + 4, b, b + 4, a + 4]
    return points, joints, weights, indices


def gltf(walk, name="walk", paint=None, clips=True, spline=False, button=None):
    """paint: (vertex, joint, weight): a weight that is painted wrong. spline: all keys have tangents of 0. button: a joint that moves a piece
    of its own, beside the head."""
    data, views, accessors = b"", [], []

    def accessor(rows, kind, component=5126, code="f", **more):
        nonlocal data
        flat = [x for row in rows for x in (row if isinstance(row, (list, tuple)) else [row])]
        packed = struct.pack(f"<{len(flat)}{code}", *flat)
        views.append({"buffer": 0, "byteOffset": len(data), "byteLength": len(packed)})
        data += packed + b"\0" * (-len(packed) % 4)
        accessors.append({"bufferView": len(views) - 1, "componentType": component, "count": len(rows), "type": kind, **more})
        return len(accessors) - 1

    points, joints, weights, indices = tubes()
    if paint:
        vertex, joint, weight = paint
        joints[vertex] = [joints[vertex][0], NAMES.index(joint), 0, 0]
        weights[vertex] = [1 - weight, weight, 0, 0]
    if button:
        first = len(points)
        points += [[0.1, 1.6, 0], [0.13, 1.6, 0], [0.13, 1.63, 0]]
        joints, weights, indices = joints + [[NAMES.index(button), 0, 0, 0]] * 3, weights + [[1.0, 0, 0, 0]] * 3, indices + [first, first + 1, first + 2]
    binds = []
    for joint in NAMES:
        x, y, z = place_of(joint)
        binds.append([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, -x, -y, -z, 1])
    nodes = [{"name": "place", "translation": [3, 0, 5], "rotation": turned([0, 1, 0], 40), "scale": [0.8, 1, 0.9], "children": [1]}]
    for joint in NAMES:
        children = [i + 1 for i, other in enumerate(NAMES) if RIG[other][0] == joint]
        nodes.append({"name": joint, "translation": list(RIG[joint][1]), **({"children": children} if children else {})})
    nodes.append({"name": "body", "mesh": 0, "skin": 0})
    low, high = [min(p[i] for p in points) for i in range(3)], [max(p[i] for p in points) for i in range(3)]
    document = {
        "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0, len(nodes) - 1]}], "nodes": nodes,
        "meshes": [{"name": "body", "primitives": [{"attributes": {
            "POSITION": accessor(points, "VEC3", min=low, max=high), "JOINTS_0": accessor(joints, "VEC4", 5121, "B"),
            "WEIGHTS_0": accessor(weights, "VEC4")}, "indices": accessor(indices, "SCALAR", 5123, "H")}]}],
        "skins": [{"joints": [i + 1 for i in range(len(NAMES))], "inverseBindMatrices": accessor(binds, "MAT4")}]}
    if clips:
        keys = accessor([i / RATE for i in range(FRAMES)], "SCALAR", min=[0], max=[DURATION])
        samplers, channels = [], []
        for path, joint, rows in [("translation", "Hips", walk.places)] + [("rotation", joint, walk.tracks[joint]) for joint in NAMES]:
            if spline:
                rows = [row for value in rows for row in ([0] * len(value), value, [0] * len(value))]
            samplers.append({"interpolation": "CUBICSPLINE" if spline else "LINEAR", "input": keys, "output": accessor(rows, "VEC3" if path == "translation" else "VEC4")})
            channels.append({"sampler": len(samplers) - 1, "target": {"node": NAMES.index(joint) + 1, "path": path}})
        document["animations"] = [{"name": name, "samplers": samplers, "channels": channels}]
    document.update(accessors=accessors, bufferViews=views, buffers=[
        {"byteLength": len(data), "uri": "data:application/octet-stream;base64," + base64.b64encode(data).decode()}])
    return json.dumps(document)
