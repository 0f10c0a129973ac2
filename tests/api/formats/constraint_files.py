"""Files with constraints of nodes (VRMC_node_constraint), and what the specification makes of them, computed in Python.

Rests are turned, off the origin and unevenly scaled. `constraint_files.py FOLDER` writes the files for tests in other languages."""
import json
import math
import pathlib
import sys

import numpy as np

if __name__ == "__main__":
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
from humans import about, back, product, rotate
from rigs import Writer
from vrm_files import VRM_NAMES, glb, model as vrm_model

TIMES = [0.0, 0.5, 1.25, 2.0]
WEIGHTS = [0, 0.3, 1]
ROLLS = ["X", "Y", "Z"]
AIMS = {sign + axis: np.eye(3)[i] * (1 if sign == "Positive" else -1) for i, axis in enumerate("XYZ") for sign in ("Positive", "Negative")}
NONE = (0, 0, 0, 1)


def constraint(kind, source, axis=None, weight=None):
    body = {"source": source, **({} if axis is None else {kind + "Axis": axis}), **({} if weight is None else {"weight": weight})}
    return {"VRMC_node_constraint": {"specVersion": "1.0", "constraint": {kind: body}}}


class Rig:
    """Nodes with parents, rests, keys and constraints."""

    def __init__(self, seed=40):
        self.random = np.random.RandomState(seed)
        self.nodes, self.parents, self.keys = [], [], {}

    def turn(self, most=1.2):
        return about(self.random.normal(size=3), self.random.uniform(0.3, most))

    def add(self, name, parent=None, scale=None, rule=None, at=None):
        place = self.random.uniform(-0.6, 0.6, 3) if at is None else np.array(at)
        self.nodes.append({"name": name, "translation": list(place), "rotation": list(self.turn()), **({"scale": scale} if scale else {}),
                           **({"extensions": rule} if rule else {})})
        self.parents.append(parent)
        if parent is not None:
            self.nodes[parent].setdefault("children", []).append(len(self.nodes) - 1)
        return len(self.nodes) - 1

    def animate(self, node, path="rotation"):
        """Keys near the rest, so that no turn is half a circle."""
        rest = self.nodes[node][path]
        self.keys[node, path] = [list(product(rest, self.turn(1.4))) if path == "rotation" else list(rest + self.random.uniform(-0.4, 0.4, 3)) for _ in TIMES]

    def document(self):
        writer = Writer()
        writer.document["nodes"] = [*self.nodes, {"name": "body", "mesh": 0, "skin": 0}]
        writer.document["scenes"] = [{"nodes": [n for n, parent in enumerate(self.parents) if parent is None]}]
        writer.document["scene"] = 0
        joints = list(range(len(self.nodes)))
        corners = [(0, 0, 0), (0.05, 0.01, 0.1), (-0.04, 0.08, 0.02)]
        writer.document["meshes"] = [{"primitives": [{"attributes": {
            "POSITION": writer.accessor(corners * len(joints), "VEC3"),
            "JOINTS_0": writer.accessor([(j, 0, 0, 0) for j in joints for _ in corners], "VEC4", 5123, "H"),
            "WEIGHTS_0": writer.accessor([(1, 0, 0, 0)] * 3 * len(joints), "VEC4")}}]}]
        writer.document["skins"] = [{"joints": joints, "inverseBindMatrices": writer.accessor([list(np.eye(4).flatten())] * len(joints), "MAT4")}]
        writer.document["scenes"][0]["nodes"].append(len(self.nodes))
        if self.keys:
            times = writer.accessor(TIMES, "SCALAR")
            writer.document["accessors"][-1].update(min=[TIMES[0]], max=[TIMES[-1]])
            writer.document["animations"] = [{
                "name": "move", "samplers": [{"input": times, "output": writer.accessor(rows, "VEC4" if path == "rotation" else "VEC3")}
                                             for (_, path), rows in self.keys.items()],
                "channels": [{"sampler": i, "target": {"node": node, "path": path}} for i, (node, path) in enumerate(self.keys)]}]
        writer.document["extensionsUsed"] = ["VRMC_node_constraint"]
        return writer


def many():
    """Each kind, axis and weight; chains of them; rules for nodes with keys. Nodes that others depend on stand behind them."""
    rig = Rig()
    top = rig.add("top", scale=[1.3] * 3, at=(2, -1, 0.5))
    arm = rig.add("arm", top, [1.4, 0.8, 1.1])
    hand = rig.add("hand", arm, [0.7, 1.2, 1.5])
    tip = rig.add("tip", hand, at=(0.3, 0.9, -0.2))
    for weight in WEIGHTS:
        for axis in ROLLS:
            rig.add(f"roll {axis} {weight}", arm, [1, 2, 0.5], constraint("roll", hand, axis, weight))
        for axis in AIMS:
            rig.add(f"aim {axis} {weight}", arm, [1, 2, 0.5], constraint("aim", tip, axis, weight))
        rig.add(f"rotation {weight}", tip, [1, 2, 0.5], constraint("rotation", hand, weight=weight))
    rig.add("no weight", hand, rule=constraint("rotation", tip))
    alone = rig.add("aim of a root", rule=constraint("aim", tip, "PositiveY", 0.8), at=(-1, 0.4, 1))
    rig.add("below", alone, [1, 1.5, 1])
    # a chain whose last link stands first: aim C at the child of an aim, below a roll B of a rotation A
    count = len(rig.nodes)
    c, b, a, d, e = range(count, count + 5)
    rig.add("C", None, rule=constraint("aim", e, "NegativeZ", 0.9))
    rig.add("B", None, rule=constraint("roll", a, "Y", 0.7))
    rig.add("A", hand, rule=constraint("rotation", arm, weight=0.6))
    rig.add("D", top, rule=constraint("aim", tip, "PositiveX"))
    rig.add("E", d, at=(0.2, 0.8, 0.4))
    for root in (b,):
        rig.parents[root] = top
        rig.nodes[top]["children"].append(root)
    rig.parents[c] = b
    rig.nodes[b]["children"] = [c]
    for node in (arm, hand, tip, a):
        rig.animate(node)
    rig.animate(top, "translation")
    rig.animate(tip, "translation")
    for name in ("roll X 1", "aim PositiveY 0.3", "rotation 0"):
        rig.animate([node["name"] for node in rig.nodes].index(name))
    return rig


def human(name="turned.vrm"):
    """A VRM file with twist bones, and with an aim and a rotation, which its motion moves."""
    data = vrm_model(name)
    size = int.from_bytes(data[12:16], "little")
    document, rest = json.loads(data[20:20 + size]), data[20 + size + 8:]
    nodes = document["nodes"]
    names = [node["name"] for node in nodes]
    random, triangle = Rig(7), len(document["meshes"]) - 1
    for bone, kind, axis, weight in (("leftLowerArm", "roll", "X", 0.5), ("rightLowerArm", "rotation", None, 0.4), ("leftUpperLeg", "roll", "Z", 1),
                                     ("rightHand", "aim", "PositiveY", 1), ("spine", "aim", "NegativeX", 0.25)):
        source = names.index(VRM_NAMES[bone])
        parent = next(node for node in nodes if source in node.get("children", []))
        nodes.append({"name": "helper_" + bone, "mesh": triangle, "translation": list(random.random.uniform(-0.2, 0.2, 3)),
                      "rotation": list(random.turn()), "extensions": constraint(kind, source, axis, weight)})
        parent["children"].append(len(nodes) - 1)
    document["extensionsUsed"].append("VRMC_node_constraint")
    writer = Writer()
    writer.document, writer.bytes = {key: value for key, value in document.items() if key != "buffers"}, rest
    return glb(writer)


# --- the specification, in Python ---

def slerp(a, b, t):
    a, b = np.array(a, float), np.array(b, float)
    b = -b if a @ b < 0 else b
    angle = math.acos(min(1, a @ b))
    return a if angle < 1e-9 else (math.sin((1 - t) * angle) * a + math.sin(t * angle) * b) / math.sin(angle)


def between(a, b):
    q = np.array([*np.cross(a, b), 1 + a @ b])
    return q / np.linalg.norm(q)


def matrix(node, rotation, translation):
    m = np.eye(4)
    m[:3, :3] = np.column_stack([rotate(rotation, axis) for axis in np.eye(3)]) * node.get("scale", [1, 1, 1])
    m[:3, 3] = translation
    return m


class Pose:
    """The scene matrices of a rig whose rotations and translations are given."""

    def __init__(self, rig, rotations, translations):
        self.rig, self.rotations, self.translations = rig, dict(rotations), translations
        self.done = set()
        for n in range(len(rig.parents)):
            self.constrain(n)

    def rule(self, n):
        rule = self.rig.nodes[n].get("extensions", {}).get("VRMC_node_constraint")
        return next(iter(rule["constraint"].items())) if rule else None

    def chain(self, n):
        return [] if n is None else [*self.chain(self.rig.parents[n]), n]

    def scene(self, n):
        m = np.eye(4)
        for k in self.chain(n):
            m = m @ matrix(self.rig.nodes[k], self.rotations[k], self.translations[k])
        return m

    def scene_rotation(self, n):
        q = NONE
        for k in self.chain(n):
            q = product(q, self.rotations[k])
        return q

    def constrain(self, n):
        rule = self.rule(n)
        if n in self.done or rule is None:
            return
        self.done.add(n)
        kind, body = rule
        source, parent = body["source"], self.rig.parents[n]
        needs = self.chain(parent) + self.chain(self.rig.parents[source]) if kind == "aim" else [source]
        for need in needs:
            self.constrain(need)
        rest, source_rest = self.rig.nodes[n]["rotation"], self.rig.nodes[source]["rotation"]
        turn = product(back(source_rest), self.rotations[source])
        if kind == "rotation":
            target = product(rest, turn)
        elif kind == "roll":
            axis = np.eye(3)["XYZ".index(body["rollAxis"])]
            turn = product(product(source_rest, turn), back(source_rest))
            turn = product(product(back(rest), turn), rest)
            target = product(rest, product(back(between(axis, rotate(turn, axis))), turn))
        else:
            above = self.scene_rotation(parent)
            to = self.scene(source)[:3, 3] - self.scene(n)[:3, 3]
            turn = between(rotate(product(above, rest), AIMS[body["aimAxis"]]), to / np.linalg.norm(to))
            target = product(product(product(back(above), turn), above), rest)
        self.rotations[n] = slerp(rest, target, body.get("weight", 1))


def poses(rig, times=TIMES):
    """The scene matrices of all nodes at key times of its clip; None: at rest."""
    frames = []
    for time in times:
        rotations = {n: node["rotation"] for n, node in enumerate(rig.nodes)}
        translations = {n: node["translation"] for n, node in enumerate(rig.nodes)}
        for (node, path), rows in rig.keys.items():
            if time is not None:
                (rotations if path == "rotation" else translations)[node] = rows[TIMES.index(time)]
        pose = Pose(rig, rotations, translations)
        frames.append(np.array([pose.scene(n) for n in range(len(rig.parents))]))
    return np.array(frames)


def write_all(folder):
    (folder / "many.glb").write_bytes(glb(many().document()))
    (folder / "helped.vrm").write_bytes(human())


if __name__ == "__main__":
    write_all(pathlib.Path(sys.argv[1]))
