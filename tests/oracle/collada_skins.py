"""Meshes and skins of a COLLADA file (1.4.1, chapter 4, "Skinning in COLLADA") on the nodes of collada_evaluator.py: a vertex is the sum
of weight * joint * inverse bind matrix * bind shape matrix * vertex. Scene space is the file's own: its <unit> and <up_axis> are
reported, not applied.
"""
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

    @staticmethod
    def _floats(source):
        return numbers(source.find("float_array").text)

    def _input(self, of, semantic):
        return next(i for i in of.findall("input") if i.get("semantic") == semantic).get("source")[1:]

    def _points(self, geometry):
        source = self.by_id[self._input(self.by_id[geometry].find(".//vertices"), "POSITION")]
        values = self._floats(source)
        return [values[i:i + 3] for i in range(0, len(values), 3)]

    def _skin(self, controller):
        """(points, influences of each, names of the joints, their inverse bind matrices times the bind shape)."""
        skin = self.by_id[controller].find("skin")
        shape = numbers(skin.find("bind_shape_matrix").text)
        shape = [shape[4 * r:4 * r + 4] for r in range(4)]
        joints = skin.find("joints")
        sids = self.by_id[self._input(joints, "JOINT")].find("Name_array").text.split()
        binds = self._floats(self.by_id[self._input(joints, "INV_BIND_MATRIX")])
        binds = [multiply([binds[16 * j + 4 * r:16 * j + 4 * r + 4] for r in range(4)], shape) for j in range(len(sids))]
        weights = skin.find("vertex_weights")
        shares = self._floats(self.by_id[self._input(weights, "WEIGHT")])
        pairs = [int(x) for x in weights.find("v").text.split()]
        influences, at = [], 0
        for count in numbers(weights.find("vcount").text):
            influences.append([(pairs[at + 2 * i], shares[pairs[at + 2 * i + 1]]) for i in range(int(count))])
            at += 2 * int(count)
        nodes = [next(n for n, e in enumerate(self.elements) if e.get("sid") == sid) for sid in sids]
        return self._points(skin.get("source")[1:]), influences, nodes, binds

    def palettes(self, scene):
        found = []
        for instance in self.root.iter("instance_controller"):
            _, _, nodes, binds = self._skin(instance.get("url")[1:])
            found.append({self.nodes[n]: multiply(scene[n], bind) for n, bind in zip(nodes, binds)})
        return found

    def vertices(self, scene):
        """The first number of each pair is the vertex as in the file."""
        found = []
        for n, node in enumerate(self.elements):
            for instance in node.findall("instance_controller"):
                points, influences, nodes, binds = self._skin(instance.get("url")[1:])
                palette = [multiply(scene[joint], bind) for joint, bind in zip(nodes, binds)]
                found += [(p, skinned(i, palette, p)) for p, i in zip(points, influences)]
            for instance in node.findall("instance_geometry"):
                found += [(p, transform(scene[n], p)) for p in self._points(instance.get("url")[1:])]
        return found
