"""A COLLADA 1.4.1 evaluator written from the specification, in doubles, with the standard library. It computes where every node of the
shown scene is at a time. It ignores meshes. Angles are in degrees; matrices in a file are stored by row.

    collada_evaluator.py FILE TIME...     prints scene_from_node of every node by column
"""
import json
import math
import re
import sys
import xml.etree.ElementTree as ElementTree

WIDTHS = {"matrix": 16, "translate": 3, "rotate": 4, "scale": 3, "lookat": 9}


def multiply(a, b):
    return [[sum(a[r][k] * b[k][c] for k in range(4)) for c in range(4)] for r in range(4)]


def identity():
    return [[float(r == c) for c in range(4)] for r in range(4)]


def normalised(v):
    length = math.sqrt(sum(x * x for x in v))
    return [x / length for x in v]


def crossed(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def rotation(axis, degrees):
    """Rodrigues' formula."""
    x, y, z = normalised(axis)
    c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    d = 1 - c
    return [[c + x * x * d, x * y * d - z * s, x * z * d + y * s, 0], [y * x * d + z * s, c + y * y * d, y * z * d - x * s, 0],
            [z * x * d - y * s, z * y * d + x * s, c + z * z * d, 0], [0, 0, 0, 1]]


def bezier(p0, p1, p2, p3, s):
    """de Casteljau."""
    line = [p0, p1, p2, p3]
    while len(line) > 1:
        line = [a + (b - a) * s for a, b in zip(line, line[1:])]
    return line[0]


class Sampler:
    """times, rows of values, names of interpolations, rows of tangents (time and value for each component)"""

    def __init__(self, times, values, kinds, before, behind):
        self.times, self.values, self.kinds, self.before, self.behind = times, values, kinds, before, behind

    def at(self, c, t):
        times, values = self.times, self.values
        if t < times[0]:
            return values[0][c]
        k = max(i for i, x in enumerate(times) if x <= t)
        if k + 1 == len(times) or self.kinds[k] == "STEP":
            return values[k][c]
        t0, t1, v0, v1 = times[k], times[k + 1], values[k][c], values[k + 1][c]
        if self.kinds[k] == "LINEAR":
            return v0 + (v1 - v0) * (t - t0) / (t1 - t0)
        (x0, y0), (x1, y1) = self.behind[k][2 * c:2 * c + 2], self.before[k + 1][2 * c:2 * c + 2]
        if self.kinds[k] == "HERMITE":
            x0, y0, x1, y1 = t0 + x0 / 3, v0 + y0 / 3, t1 - x1 / 3, v1 - y1 / 3
        low, high = 0.0, 1.0
        for _ in range(200):
            middle = (low + high) / 2
            low, high = (middle, high) if bezier(t0, x0, x1, t1, middle) < t else (low, middle)
        return bezier(v0, y0, y1, v1, (low + high) / 2)


class Scene:
    def __init__(self, text):
        root = ElementTree.fromstring(re.sub(r'\sxmlns="[^"]*"', "", text, count=1))
        self.root = root
        self.ids = {e.get("id"): e for e in root.iter() if e.get("id")}
        self.nodes = []  # (element, parent)
        url = root.find("scene/instance_visual_scene").get("url")
        for node in self.ids[url[1:]].findall("node"):
            self.add(node, -1)
        self.clips = {clip.get("name"): [self.ids[i.get("url")[1:]] for i in clip.findall("instance_animation")]
                      for clip in root.iter("animation_clip")}
        self.everything = root.findall("library_animations/animation")

    def add(self, element, parent):
        self.nodes.append((element, parent))
        place = len(self.nodes) - 1
        for child in element.findall("node"):
            self.add(child, place)
        for instance in element.findall("instance_node"):
            self.add(self.ids[instance.get("url")[1:]], place)

    def rows(self, sampler, semantic, of=float):
        found = [i for i in sampler.findall("input") if i.get("semantic") == semantic]
        if not found:
            return None
        accessor = self.ids[found[0].get("source")[1:]].find("technique_common/accessor")
        words = [of(x) for x in self.ids[accessor.get("source")[1:]].text.split()]
        stride = int(accessor.get("stride", 1))
        return [words[k * stride:(k + 1) * stride] for k in range(int(accessor.get("count")))]

    def channels(self, animations):
        """{(node id, sid): [(indices of values, sampler)]}"""
        found = {}
        for animation in animations:
            for channel in animation.iter("channel"):
                sampler = self.ids[channel.get("source")[1:]]
                times = [row[0] for row in self.rows(sampler, "INPUT")]
                kinds = [row[0] for row in self.rows(sampler, "INTERPOLATION", str) or [["LINEAR"]] * len(times)]
                curve = Sampler(times, self.rows(sampler, "OUTPUT"), kinds, self.rows(sampler, "IN_TANGENT"), self.rows(sampler, "OUT_TANGENT"))
                target = channel.get("target")  # of a node's element, or of an array of weights
                node, sid, member, brackets = re.fullmatch(r"([^/(]+)(?:/([^.(]+)(?:\.(\w+))?)?((?:\(\d+\))*)", target).groups()
                indices = [int(x) for x in re.findall(r"\d+", brackets)]
                if len(indices) == 2:  # column, row
                    indices = [indices[0] + 4 * indices[1]]
                elif member:
                    indices = [["X", "Y", "Z", "ANGLE"].index(member)]
                found.setdefault((node, sid), []).append((indices or list(range(len(curve.values[0]))), curve))
        return found

    def step(self, element, channels, t):
        tag, values = element.tag, [float(x) for x in element.text.split()]
        assert len(values) == WIDTHS[tag]
        for indices, curve in channels:
            for c, index in enumerate(indices):
                values[index] = curve.at(c, t)
        result = identity()
        if tag == "matrix":
            return self.matrix(values, channels, t)
        if tag == "rotate":
            return rotation(values[:3], values[3])
        if tag == "lookat":
            ahead = normalised([values[3 + i] - values[i] for i in range(3)])
            right = normalised(crossed(ahead, values[6:]))
            over = crossed(right, ahead)
            for r in range(3):
                result[r] = [right[r], over[r], -ahead[r], values[r]]
            return result
        for i in range(3):
            if tag == "translate":
                result[i][3] = values[i]
            else:
                result[i][i] = values[i]
        return result

    def matrix(self, values, channels, t):
        """Between keys a matrix of LINEAR channels is interpolated as translation, rotation, scale."""
        times = sorted({x for _, curve in channels for x in curve.times})
        own = [values[4 * r:4 * r + 4] for r in range(3)] + [[0, 0, 0, 1]]
        if not times or t <= times[0] or t >= times[-1] or t in times or any(set(curve.kinds) != {"LINEAR"} for _, curve in channels):
            return own
        ends = []
        k = max(i for i, x in enumerate(times) if x <= t)
        for key in times[k:k + 2]:
            at_key = list(values)
            for indices, curve in channels:
                for c, index in enumerate(indices):
                    at_key[index] = curve.at(c, key)
            scale = [math.sqrt(sum(at_key[4 * r + c] ** 2 for r in range(3))) for c in range(3)]
            ends.append(([at_key[4 * r + 3] for r in range(3)], [[at_key[4 * r + c] / scale[c] for c in range(3)] for r in range(3)], scale))
        (p, a, s), (q, b, w) = ends
        u = (t - times[k]) / (times[k + 1] - times[k])
        # the rotation from one to the other, b * transposed(a), as axis and angle; u of it
        d = [[sum(b[r][k2] * a[c][k2] for k2 in range(3)) for c in range(3)] for r in range(3)]
        axis = [d[2][1] - d[1][2], d[0][2] - d[2][0], d[1][0] - d[0][1]]
        angle = math.degrees(math.atan2(math.sqrt(sum(x * x for x in axis)), d[0][0] + d[1][1] + d[2][2] - 1))
        turn = rotation(axis, angle * u) if any(axis) else identity()
        result = multiply(turn, [row + [0] for row in a] + [[0, 0, 0, 1]])
        for r in range(3):
            result[r] = [result[r][c] * (s[c] + (w[c] - s[c]) * u) for c in range(3)] + [p[r] + (q[r] - p[r]) * u]
        return result

    def evaluate(self, t, clip=None):
        """scene_from_node of every node: rows of 4x4; t None: at rest."""
        channels = {} if t is None else self.channels(self.everything if clip is None else self.clips[clip])
        scene = []
        for element, parent in self.nodes:
            local = identity() if parent < 0 else scene[parent]
            for child in element:
                if child.tag in WIDTHS:
                    local = multiply(local, self.step(child, channels.get((element.get("id"), child.get("sid")), []), t))
            scene.append(local)
        return scene


def flat(matrix):
    return [matrix[r][c] for c in range(4) for r in range(4)]


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as file:
        one = Scene(file.read())
    json.dump([[flat(m) for m in one.evaluate(float(t))] for t in sys.argv[2:]], sys.stdout)
