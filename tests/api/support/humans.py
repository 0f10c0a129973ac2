"""Two humans as glTF files, one of whom walks. They differ in bones, rest pose (T and A), names, axes and units."""
import json
import math

import numpy as np

from rigs import Writer

KEYS, STEP, RATE, STRIDE = 61, 15, 30, 0.9
SIDES = (("left", 1), ("right", -1))
ABOVE = {"spine": "hips", "neck": "spine", "head": "neck"}
for _side, _ in SIDES:
    ABOVE.update({_side + "UpperLeg": "hips", _side + "LowerLeg": _side + "UpperLeg", _side + "Foot": _side + "LowerLeg",
                  _side + "Toes": _side + "Foot", _side + "UpperArm": "spine", _side + "LowerArm": _side + "UpperArm",
                  _side + "Hand": _side + "LowerArm"})
ROLES = ["hips", *ABOVE]


def named(spine, limbs, side_of):
    """Names of the joints by role; side_of(limb, side) names one of a limb."""
    names = dict(zip(("hips", "spine", "neck", "head"), spine))
    for side, _ in SIDES:
        for role, limb in zip(("UpperLeg", "LowerLeg", "Foot", "Toes", "UpperArm", "LowerArm", "Hand"), limbs):
            names[side + role] = side_of(limb, side)
    return names


MIXAMO = named(["mixamorig:Hips", "mixamorig:Spine", "mixamorig:Neck", "mixamorig:Head"],
                ["UpLeg", "Leg", "Foot", "ToeBase", "Arm", "ForeArm", "Hand"],
                lambda limb, side: f"mixamorig:{side.title()}{limb}")
UNREAL = named(["pelvis", "spine_01", "neck_01", "head"],
                ["thigh", "calf", "foot", "ball", "upperarm", "lowerarm", "hand"], lambda limb, side: f"{limb}_{side[0]}")
RIGIFY = named(["DEF-spine", "DEF-spine.001", "DEF-spine.004", "DEF-spine.006"],
                ["thigh", "shin", "foot", "toe", "upper_arm", "forearm", "hand"],
                lambda limb, side: f"DEF-{limb}.{side[0].upper()}")
HALF = 0.5 ** 0.5
# scene_from_canonical (x to the human's left, y up, z forward) is scale, then rotation, then translation
T = {"names": MIXAMO, "thigh": 0.45, "shin": 0.45, "upper_arm": 0.3, "lower_arm": 0.28, "arm": 0, "leg": 0, "odd": 0,
     "place": [0, 0, 0], "turn": [0, 0, 0, 1], "scale": 1}
A = {"names": UNREAL, "thigh": 0.30, "shin": 0.62, "upper_arm": 0.4, "lower_arm": 0.2, "arm": 50, "leg": 8, "odd": 0.7,
     "place": [300, -40, 12], "turn": [0, HALF, HALF, 0], "scale": 100}


def product(a, b):
    ax, ay, az, aw = a
    bx, by, bz, bw = b
    return np.array([aw * bx + ax * bw + ay * bz - az * by, aw * by - ax * bz + ay * bw + az * bx,
                     aw * bz + ax * by - ay * bx + az * bw, aw * bw - ax * bx - ay * by - az * bz])


def back(q):
    return np.array([-q[0], -q[1], -q[2], q[3]])


def rotate(q, v):
    return product(product(q, [*v, 0]), back(q))[:3]


def about(axis, radians):
    axis = np.array(axis, float)
    return np.array([*(math.sin(radians / 2) * axis / np.linalg.norm(axis)), math.cos(radians / 2)])


class Human:
    def __init__(self, shape):
        self.shape, self.names = shape, shape["names"]
        out, down = math.radians(shape["leg"]), math.radians(shape["arm"])
        hip = 0.08 + (shape["thigh"] + shape["shin"]) * math.cos(out)
        self.places = {role: np.array([0, hip + up, 0]) for role, up in zip(ROLES, (0.05, 0.15, 0.55, 0.65))}
        for side, sign in SIDES:
            knee = 0.1 + shape["thigh"] * math.sin(out)
            foot = knee + shape["shin"] * math.sin(out)
            elbow = np.array([0.18 + shape["upper_arm"] * math.cos(down), hip + 0.5 - shape["upper_arm"] * math.sin(down), 0])
            at = {"UpperLeg": (0.1, hip, 0), "LowerLeg": (knee, hip - shape["thigh"] * math.cos(out), 0),
                  "Foot": (foot, 0.08, 0), "Toes": (foot, 0.02, 0.14), "UpperArm": (0.18, hip + 0.5, 0), "LowerArm": elbow,
                  "Hand": elbow + shape["lower_arm"] * np.array([math.cos(down), -math.sin(down), 0])}
            self.places.update({side + limb: np.array(place) * (sign, 1, 1) for limb, place in at.items()})
        self.turns = {role: about((math.sin(shape["odd"] * (i + 1)), math.cos(2 * i), 0.5), shape["odd"] * (i + 1))
                      for i, role in enumerate(ROLES)}

    def local(self, role, turn, above):
        """The rotation of a joint that has turned by `turn` from its rest pose, in canonical space. `above`: that of its parent."""
        parent = product(above, self.turns[ABOVE[role]]) if role in ABOVE else above
        return product(back(parent), product(turn, self.turns[role]))

    def rig(self):
        still = np.array([0, 0, 0, 1.0])
        rig = {"root": (None, {"translation": self.shape["place"], "rotation": self.shape["turn"],
                               "scale": [self.shape["scale"]] * 3})}
        for role in ROLES:
            offset = self.places[role]
            if role in ABOVE:
                offset = rotate(back(self.turns[ABOVE[role]]), offset - self.places[ABOVE[role]])
            rig[self.names[role]] = (self.names[ABOVE[role]] if role in ABOVE else "root",
                                     {"translation": list(offset), "rotation": list(self.local(role, still, still))})
        return rig

    def canonical(self, vector):
        return rotate(back(self.shape["turn"]), vector) / self.shape["scale"]

    def leg(self):
        return (self.shape["thigh"] + self.shape["shin"]) * self.shape["scale"]

    # --- walking, of a human whose rest is T ---

    def _turns(self, key):
        still = np.array([0, 0, 0, 1.0])
        along = STRIDE * key / (2 * STEP) - STRIDE / 4
        turns = {}
        for number, (side, sign) in enumerate(SIDES):
            cycle = key + number * STEP
            at = cycle % (2 * STEP)
            u = max(0, (at - STEP) / STEP)
            foot = STRIDE * (cycle // (2 * STEP) + u * u * (3 - 2 * u)) - number * STRIDE / 2
            height = 0.12 * math.sin(math.pi * u) ** 2
            ahead, below = foot - along, self.places[side + "UpperLeg"][1] - 0.07 - 0.08 - height
            a, b, d = self.shape["thigh"], self.shape["shin"], math.hypot(ahead, below)
            thigh = math.atan2(ahead, below) + math.acos(min(1, (a * a + d * d - b * b) / (2 * a * d)))
            shin = math.atan2(ahead - a * math.sin(thigh), below - a * math.cos(thigh))
            turns[side + "UpperLeg"], turns[side + "LowerLeg"] = about((1, 0, 0), -thigh), about((1, 0, 0), -shin)
            turns[side + "Foot"] = still
            down, swing = about((0, 0, 1), -sign * math.pi / 2), sign * 0.5 * math.sin(7 * along)
            turns[side + "UpperArm"] = product(about((1, 0, 0), -swing), down)
            turns[side + "LowerArm"] = product(about((1, 0, 0), -swing - 0.4), down)
        return turns, np.array([0, self.places["hips"][1] - 0.07, along])

    def walk(self):
        still = np.array([0, 0, 0, 1.0])
        rows, hips = {}, []
        for key in range(KEYS):
            turns, place = self._turns(key)
            hips.append(list(place))
            for role, turn in turns.items():
                rows.setdefault(role, []).append(list(self.local(role, turn, turns.get(ABOVE[role], still))))
        return {(self.names["hips"], "translation"): hips,
                **{(self.names[role], "rotation"): values for role, values in rows.items()}}

    # --- files ---

    def write(self, has_walk=False, has_body=True):
        writer = HumanWriter()
        rig = self.rig()
        writer.rig(list(rig), rig)
        if has_body:
            writer.body(self)
        if has_walk:
            writer.walk(self.walk())
        return writer.text()


class RestingHuman(Human):
    """A human that walks, whose file rests in another pose. rest: role -> how far the joint has turned from T at rest, in
    canonical space; others turn like the role above. hips: where the hips are at rest."""

    def __init__(self, shape, rest, hips=None):
        super().__init__(shape)
        self.rest, self.hips = {}, self.places["hips"] if hips is None else hips
        for role in ROLES:
            self.rest[role] = rest.get(role, self.rest[ABOVE[role]] if role in ABOVE else np.array([0, 0, 0, 1.0]))

    def rig(self):
        rig = super().rig()
        for role in ROLES:
            above = self.rest[ABOVE[role]] if role in ABOVE else np.array([0, 0, 0, 1.0])
            rig[self.names[role]][1]["rotation"] = list(self.local(role, self.rest[role], above))
        rig[self.names["hips"]][1]["translation"] = list(self.hips)
        return rig

    def walk(self):
        channels, still = super().walk(), np.array([0, 0, 0, 1.0])
        for role in ROLES:
            if (self.names[role], "rotation") not in channels:
                channels[self.names[role], "rotation"] = [list(self.local(role, still, still))] * KEYS
        return channels


class HumanWriter(Writer):
    def body(self, human):
        """An octahedron along each bone. Its vertices follow the joint at the bone's beginning."""
        names = self.names[1:]
        places = {human.names[role]: human.places[role] for role in ROLES}
        above = {human.names[role]: human.names[up] for role, up in ABOVE.items()}
        scale, place = human.shape["scale"], np.array(human.shape["place"])
        to_scene = lambda p: rotate(human.shape["turn"], p * scale) + place
        positions, joints, indices = [], [], []
        for name, parent in above.items():
            start, end = places[parent], places[name]
            line = end - start
            if np.linalg.norm(line) < 1e-9:
                continue
            side = np.cross(line, [0.3, 0.4, 0.8])
            side *= 0.12 * np.linalg.norm(line) / np.linalg.norm(side)
            other = np.cross(line, side) / np.linalg.norm(line)
            middle = start + 0.25 * line
            first = len(positions)
            positions += [list(to_scene(p)) for p in (start, middle + side, middle + other, middle - side, middle - other, end)]
            joints += [(names.index(parent), 0, 0, 0)] * 6
            for i in range(4):
                indices += [first, first + 1 + (i + 1) % 4, first + 1 + i, first + 5, first + 1 + i, first + 1 + (i + 1) % 4]
        binds = []
        for name in names:
            role = next(role for role in ROLES if human.names[role] == name)
            turn = product(human.shape["turn"], human.turns[role])
            matrix = np.eye(4)
            for c in range(3):
                matrix[:3, c] = rotate(turn, np.eye(3)[c]) * scale
            matrix[:3, 3] = to_scene(human.places[role])
            binds.append(list(np.linalg.inv(matrix).T.flatten()))
        self.document["materials"] = [{"doubleSided": True}]
        self.document["meshes"] = [{"primitives": [{"material": 0, "indices": self.accessor(indices, "SCALAR", 5123, "H"), "attributes": {
            "POSITION": self.accessor(positions, "VEC3"), "JOINTS_0": self.accessor(joints, "VEC4", 5121, "B"),
            "WEIGHTS_0": self.accessor([(1, 0, 0, 0)] * len(positions), "VEC4")}}]}]
        self.document["skins"] = [{"joints": [self.names.index(name) for name in names],
                                   "inverseBindMatrices": self.accessor(binds, "MAT4")}]
        self.document["nodes"].append({"name": "body", "mesh": 0, "skin": 0})
        self.document["scenes"][0]["nodes"].append(len(self.document["nodes"]) - 1)

    def walk(self, channels):
        times = self.accessor([key / RATE for key in range(KEYS)], "SCALAR")
        self.document["animations"] = [{
            "name": "walk",
            "samplers": [{"input": times, "output": self.accessor(rows, "VEC4" if path == "rotation" else "VEC3")}
                         for (_, path), rows in channels.items()],
            "channels": [{"sampler": i, "target": {"node": self.names.index(node), "path": path}}
                         for i, (node, path) in enumerate(channels)]}]


# --- limbs ---

SHAPES = {"upright": {**A, "turn": [0, HALF, 0, HALF], "scale": 1}, "z up in centimetres": A,
          "small, facing somewhere": {**A, "turn": [0, math.sin(0.3), 0, math.cos(0.3)], "scale": 0.01, "arm": 80, "place": [0.3, -0.4, 0.1]},
          "rigify": {**A, "names": RIGIFY, "turn": [0, 0, 0, 1], "odd": 0}}
LIMBS = [side + bone for side, _ in SIDES for bone in ("UpperArm", "LowerArm", "UpperLeg", "LowerLeg")]
ENDS = {"UpperArm": "LowerArm", "LowerArm": "Hand", "UpperLeg": "LowerLeg", "LowerLeg": "Foot"}


def places(server, human, times, **query):
    """role -> [time][3] in scene space; and the answer."""
    answer = server.get("/v1/pose?" + "&".join(f"{key}={value}" for key, value in query.items()) + "&wrap=clamp&t=" + ",".join(map(str, times)))
    assert answer.status == 200, answer.body
    names = [node["name"] for node in answer.json()["nodes"]]
    matrices = np.array([frame["scene"] for frame in answer.json()["frames"]], float).reshape(len(times), len(names), 16)
    return {role: matrices[:, names.index(name), 12:15] for role, name in human.names.items()}, answer.json()


def pointing(human, at, limb):
    side = limb[: -len(next(bone for bone in ENDS if limb.endswith(bone)))]
    lines = at[side + ENDS[limb[len(side):]]] - at[limb]
    return np.array([human.canonical(line) / np.linalg.norm(human.canonical(line)) for line in lines])


def apart(hero, moved, walker, source, limb):
    """The greatest angle between a limb of two humans, in degrees; places of both at the same times."""
    cosines = (pointing(hero, moved, limb) * pointing(walker, source, limb)).sum(axis=1)
    return math.degrees(math.acos(min(1, cosines.min())))
