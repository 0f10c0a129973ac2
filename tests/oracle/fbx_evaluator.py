"""An FBX evaluator for ASCII files of version 7, written from Autodesk's documents ("Computing transformation matrices", FBX SDK help,
and the property names in the files), for curves that are straight between their keys.

    scene = parent * T * Roff * Rp * Rpre * R * Rpost^-1 * Rp^-1 * Soff * Sp * S * Sp^-1

- Euler angles are degrees; R turns in the order of RotationOrder, pre- and post-rotation always about x, then y, then z.
- The geometric transform moves the node's own mesh only. A cluster's Transform takes the mesh to the bone as it was bound.
- A take is the part LocalStart..LocalStop of one time line; 46186158000 ticks are a second. Angles are interpolated one by one.
- Scene space is the file's own: unit and axes are reported, not applied.
"""
import math
import re

from matrices import (IDENTITY, axis_rotation, from_flat, inverse, lerp, multiply, scaling, scene_matrices, skinned, span, transform,
                      translation)

TICKS_PER_S = 46186158000
ORDERS = ["xyz", "xzy", "yzx", "yxz", "zxy", "zyx"]
AXES = {"x": [1, 0, 0], "y": [0, 1, 0], "z": [0, 0, 1]}


class Record:
    def __init__(self, name, values):
        self.name, self.values, self.records = name, values, []

    def all(self, name):
        return [record for record in self.records if record.name == name]

    def one(self, name):
        return self.all(name)[0]

    def array(self, name):
        return self.one(name).one("a").values


def parse(text):
    """Records of `Name: value, value {`; a line that ends in a comma goes on in the next."""
    top = Record("", [])
    stack = [top]
    for line in re.sub(r",\s*\n\s*", ",", text).splitlines():
        line = line.strip()
        if not line or line[0] == ";":
            continue
        if line == "}":
            stack.pop()
            continue
        name, rest = line.split(":", 1)
        is_open = rest.rstrip().endswith("{")
        words = re.findall(r'"[^"]*"|[^\s,"]+', rest.rstrip()[:-1] if is_open else rest)
        values = [word[1:-1] if word[0] == '"' else float(word) if re.fullmatch(r"[-+0-9.eE]+", word) else word for word in words]
        stack[-1].records.append(Record(name, values))
        if is_open:
            stack.append(stack[-1].records[-1])
    return top


def euler(degrees, order="xyz"):
    m = IDENTITY
    for axis in order:
        m = multiply(axis_rotation(AXES[axis], math.radians(degrees["xyz".index(axis)])), m)
    return m


class Model:
    def __init__(self, path):
        top = parse(path.read_text(encoding="utf-8"))
        settings = {p.values[0]: p.values[4] for p in top.one("GlobalSettings").one("Properties70").all("P")}
        self.unit_m = settings["UnitScaleFactor"] / 100
        self.up = [int(settings["UpAxisSign"]) * (axis == settings["UpAxis"]) for axis in range(3)]
        self.objects = {int(record.values[0]): record for record in top.one("Objects").records}
        self.links = [record.values for record in top.one("Connections").all("C")]
        models = [i for i, record in self.objects.items() if record.name == "Model"]
        self.ids = models
        self.nodes = [self.objects[i].values[1].split("::", 1)[1] for i in models]
        above = {int(c[1]): int(c[2]) for c in self.links if c[0] == "OO" and int(c[1]) in models and int(c[2]) in models}
        self.parents = [models.index(above[i]) if i in above else -1 for i in models]
        self.properties = [{p.values[0]: p.values[4:] for p in self.objects[i].one("Properties70").all("P")} for i in models]
        self.clips = [self._clip(i) for i, record in self.objects.items() if record.name == "AnimationStack"]

    def _below(self, i, name):
        """(object, property it is linked to) of this kind."""
        found = [(int(c[1]), c[3] if c[0] == "OP" else None) for c in self.links if int(c[2]) == i]
        return [(other, prop) for other, prop in found if other in self.objects and self.objects[other].name == name]

    def _clip(self, stack):
        spans = {p.values[0]: p.values[4] / TICKS_PER_S for p in self.objects[stack].one("Properties70").all("P")}
        begin, end = spans["LocalStart"], spans["LocalStop"]
        curves, times = {}, {0.0, end - begin}
        for layer, _ in self._below(stack, "AnimationLayer"):
            for curve_node, _ in self._below(layer, "AnimationCurveNode"):
                target = next(c for c in self.links if c[0] == "OP" and int(c[1]) == curve_node)
                for curve, channel in self._below(curve_node, "AnimationCurve"):
                    keys = [ticks / TICKS_PER_S - begin for ticks in self.objects[curve].array("KeyTime")]
                    curves[self.ids.index(int(target[2])), target[3], "XYZ".index(channel[-1])] = (
                        keys, self.objects[curve].array("KeyValueFloat"))
                    times.update(key for key in keys if 0 < key < end - begin)
        moving = [(node, prop) for (node, prop, _), (_, rows) in curves.items() if prop == "Lcl Rotation" and len(set(rows)) > 1]
        return {"name": self.objects[stack].values[1].split("::", 1)[1], "times": sorted(times), "curves": curves,
                "begin": begin, "keys_only": len(moving) > len(set(moving))}

    def _local(self, n, clip, t):
        def value(name, default=(0, 0, 0)):
            values = list(self.properties[n].get(name, default))
            for (node, prop, axis), (keys, rows) in (self.clips[clip]["curves"] if clip is not None else {}).items():
                if node == n and prop == name:
                    k, u = span(keys, t)
                    values[axis] = rows[k] if u == 0 else lerp([rows[k]], [rows[k + 1]], u)[0]
            return values

        order = ORDERS[int(self.properties[n].get("RotationOrder", [0])[0])]
        turn_pivot, size_pivot = translation(value("RotationPivot")), translation(value("ScalingPivot"))
        return multiply(translation(value("Lcl Translation")), translation(value("RotationOffset")), turn_pivot,
                        euler(value("PreRotation")), euler(value("Lcl Rotation"), order), inverse(euler(value("PostRotation"))),
                        inverse(turn_pivot), translation(value("ScalingOffset")), size_pivot,
                        scaling(value("Lcl Scaling", (1, 1, 1))), inverse(size_pivot))

    def pose(self, clip, t):
        return scene_matrices(self.parents, [self._local(n, clip, t) for n in range(len(self.nodes))])

    def _clusters(self, geometry):
        """(node, mesh to bone, {vertex: weight})."""
        found = []
        for skin, _ in self._below(geometry, "Deformer"):
            for cluster, _ in self._below(skin, "Deformer"):
                bone = next(i for i, _ in self._below(cluster, "Model"))
                record = self.objects[cluster]
                found.append((self.ids.index(bone), from_flat(record.array("Transform")),
                              {int(v): w for v, w in zip(record.array("Indexes"), record.array("Weights"))}))
        return found

    def _meshes(self):
        return [(n, g) for n, i in enumerate(self.ids) for g, _ in self._below(i, "Geometry")]

    def palettes(self, scene):
        found = [{self.nodes[n]: multiply(scene[n], bind) for n, bind, _ in self._clusters(g)} for _, g in self._meshes()]
        return [palette for palette in found if palette]

    def vertices(self, scene):
        found = []
        for n, geometry in self._meshes():
            clusters = self._clusters(geometry)
            palette = [multiply(scene[joint], bind) for joint, bind, _ in clusters]
            get = lambda name, default: self.properties[n].get("Geometric" + name, default)
            own = multiply(scene[n], translation(get("Translation", (0, 0, 0))), euler(get("Rotation", (0, 0, 0))),
                           scaling(get("Scaling", (1, 1, 1))))
            numbers = self.objects[geometry].array("Vertices")
            for v in range(len(numbers) // 3):
                p = numbers[3 * v:3 * v + 3]
                influences = [(j, weights[v]) for j, (_, _, weights) in enumerate(clusters) if v in weights]
                found.append((p, skinned(influences, palette, p) if clusters else transform(own, p)))
        return found
