"""Meshes and skins of a COLLADA file (1.4.1, chapter 4, "Skinning in COLLADA") on the nodes of collada_evaluator.py: a vertex is the sum
of weight * joint * inverse bind matrix * bind shape matrix * vertex. Scene space is the file's own: its <unit> and <up_axis> are
reported, not applied.
"""
import math
import re

import collada_evaluator
from matrices import multiply, skinned, transform

UP = {"X_UP": [1, 0, 0], "Y_UP": [0, 1, 0], "Z_UP": [0, 0, 1]}


def numbers(text):
    return [float(word) for word in text.split()]


class Model:
    def __init__(self, path):
        self.scene = collada_evaluator.Scene(path.read_text(encoding="utf-8"))
        self.by_id, self.root = self.scene.ids, self.scene.root
        self.unit_m = float(self.root.find("asset/unit").get("meter"))
        self.up = UP[self.root.find("asset/up_axis").text]
        self.elements = [element for element, _ in self.scene.nodes]
        self.nodes = [element.get("name") for element in self.elements]
        channels = self.scene.channels(self.scene.everything)
        times = {t for curves in channels.values() for _, curve in curves for t in curve.times}
        self.clips = [{"name": None, "times": sorted(times)}] if times else []

    def pose(self, clip, t):
        return self.scene.evaluate(None if clip is None else t)

    def _rows(self, source):
        """Rows of numbers of the params with names; of all params if none has a name."""
        accessor = source.find("technique_common/accessor")
        words = numbers(self.by_id[accessor.get("source")[1:]].text)
        stride, offset = int(accessor.get("stride", 1)), int(accessor.get("offset", 0))
        named, column = [], 0
        for param in accessor.findall("param"):
            size = math.prod(int(side) for side in re.findall(r"\d", param.get("type") or ""))  # 16 of a float4x4, 1 of a float
            named += range(column, column + size) if param.get("name") else []
            column += size
        named = named or range(stride)
        return [[words[offset + row * stride + i] for i in named] for row in range(int(accessor.get("count")))]

    def _floats(self, source):
        return [value for row in self._rows(source) for value in row]

    def _input(self, of, semantic):
        return next(i for i in of.findall("input") if i.get("semantic") == semantic).get("source")[1:]

    def _points(self, geometry):
        source = self.by_id[self._input(self.by_id[geometry].find(".//vertices"), "POSITION")]
        return self._rows(source)

    def _weights(self, source, clip, t):
        """Morph weights at a time; t None: at rest."""
        weights = self._floats(self.by_id[source])
        animations = self.scene.everything if clip is None else self.scene.clips[clip]
        for indices, curve in [] if t is None else self.scene.channels(animations).get((source, None), []):
            for c, index in enumerate(indices):
                weights[index] = curve.at(c, t)
        return weights

    def _morphed(self, controller, clip, t):
        """Base points, and their places by the weights (1.4.1, <morph>)."""
        morph = self.by_id[controller].find("morph")
        base = self._points(morph.get("source")[1:])
        targets = [self._points(name) for name in self.by_id[self._input(morph.find("targets"), "MORPH_TARGET")].find("IDREF_array").text.split()]
        weights = self._weights(self._input(morph.find("targets"), "MORPH_WEIGHT"), clip, t)
        keep = 1 if morph.get("method") == "RELATIVE" else 1 - sum(weights)
        return base, [[keep * p[i] + sum(w * target[v][i] for w, target in zip(weights, targets)) for i in range(3)] for v, p in enumerate(base)]

    def _shape(self, url, clip, t):
        """(points as in the file, points after a morph)"""
        if self.by_id[url].tag == "geometry":
            points = self._points(url)
            return points, points
        return self._morphed(url, clip, t)

    def _node_below(self, root, sid):
        """The first, least deep node with this sid at the element `root` or below it."""
        level = [root]
        while level:
            for element in level:
                if element.get("sid") == sid:
                    return self.elements.index(element)
            level = [child for element in level for child in element.findall("node")]
        return None

    def _joints(self, instance, source):
        ids = source.find("IDREF_array")
        if ids is not None:
            return [next(n for n, e in enumerate(self.elements) if e.get("id") == name) for name in ids.text.split()]
        roots = [self.by_id[s.text.strip()[1:]] for s in instance.findall("skeleton")] or self.root.findall(".//visual_scene/node")
        found = [[self._node_below(root, sid) for root in roots] for sid in source.find("Name_array").text.split()]
        return [next(n for n in nodes if n is not None) for nodes in found]

    def _skin(self, instance):
        """(url of the bent geometry, influences of each point, nodes of the joints, their inverse bind matrices times the bind shape).
        Joint -1 is the bind shape itself: the last pair, with node None."""
        skin = self.by_id[instance.get("url")[1:]].find("skin")
        shape = numbers(skin.find("bind_shape_matrix").text)
        shape = [shape[4 * r:4 * r + 4] for r in range(4)]
        joints = skin.find("joints")
        nodes = self._joints(instance, self.by_id[self._input(joints, "JOINT")])
        binds = self._floats(self.by_id[self._input(joints, "INV_BIND_MATRIX")])
        binds = [multiply([binds[16 * j + 4 * r:16 * j + 4 * r + 4] for r in range(4)], shape) for j in range(len(nodes))]
        weights = skin.find("vertex_weights")
        shares = self._floats(self.by_id[self._input(weights, "WEIGHT")])
        offsets = {i.get("semantic"): int(i.get("offset")) for i in weights.findall("input")}
        stride = max(offsets.values()) + 1
        words = [int(x) for x in weights.find("v").text.split()]
        influences, at = [], 0
        for count in numbers(weights.find("vcount").text):
            rows = [words[at + stride * i:at + stride * (i + 1)] for i in range(int(count))]
            pairs = [(row[offsets["JOINT"]] % (len(nodes) + 1), shares[row[offsets["WEIGHT"]]]) for row in rows]
            total = sum(share for _, share in pairs)
            influences.append([(joint, share / total) for joint, share in pairs])
            at += stride * int(count)
        return skin.get("source")[1:], influences, nodes + [None], binds + [shape]

    def palettes(self, scene):
        found = []
        for instance in self.root.iter("instance_controller"):
            _, _, nodes, binds = self._skin(instance)
            found.append({self.nodes[n]: multiply(scene[n], bind) for n, bind in zip(nodes, binds) if n is not None})
        return found

    def vertices(self, scene, clip=None, t=None):
        """The first number of each pair is the vertex as in the file."""
        found = []
        for n, node in enumerate(self.elements):
            for instance in node.findall("instance_controller"):
                url = instance.get("url")[1:]
                if self.by_id[url].find("skin") is None:
                    base, points = self._shape(url, clip, t)
                    found += [(p, transform(scene[n], q)) for p, q in zip(base, points)]
                    continue
                source, influences, nodes, binds = self._skin(instance)
                base, points = self._shape(source, clip, t)
                palette = [bind if joint is None else multiply(scene[joint], bind) for joint, bind in zip(nodes, binds)]
                found += [(p, skinned(i, palette, q)) for p, q, i in zip(base, points, influences)]
            for instance in node.findall("instance_geometry"):
                found += [(p, transform(scene[n], p)) for p in self._points(instance.get("url")[1:])]
        return found
