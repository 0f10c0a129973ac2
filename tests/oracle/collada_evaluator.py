"""A COLLADA evaluator written from the specification (Khronos, COLLADA 1.4.1), for files whose curves are LINEAR.

- A node's transform is the product of its elements in document order; angles are degrees (5, <rotate>, <matrix>: rows).
- <skin>: joint * inverse bind * bind shape * vertex, summed by weight (chapter 4, "Skinning in COLLADA").
- A channel's target is NODE/SID for a whole element or NODE/SID.MEMBER for one of its numbers; LINEAR curves are straight.
- Scene space is the file's own: its <unit> and <up_axis> are reported, not applied.
"""
import math
import xml.etree.ElementTree as tree

from matrices import IDENTITY, axis_rotation, lerp, multiply, scaling, skinned, span, transform, translation

NAMESPACE = "{http://www.collada.org/2005/11/COLLADASchema}"
MEMBERS = {"X": 0, "Y": 1, "Z": 2, "ANGLE": 3}


def numbers(text):
    return [float(word) for word in text.split()]


class Model:
    def __init__(self, path):
        self.root = tree.fromstring(path.read_bytes())
        asset = self.root.find(NAMESPACE + "asset")
        self.unit_m = float(asset.find(NAMESPACE + "unit").get("meter"))
        self.up = {"X_UP": [1, 0, 0], "Y_UP": [0, 1, 0], "Z_UP": [0, 0, 1]}[asset.find(NAMESPACE + "up_axis").text]
        self.by_id = {e.get("id"): e for e in self.root.iter() if e.get("id")}
        self.elements, self.nodes, self.parents = [], [], []
        self._node_index = {}
        scene = self.root.find(f"{NAMESPACE}scene/{NAMESPACE}instance_visual_scene").get("url")[1:]
        for node in self.by_id[scene].findall(NAMESPACE + "node"):
            self._add(node, -1)
        channels, times = {}, set()
        for channel in self.root.iter(NAMESPACE + "channel"):
            sampler = self.by_id[channel.get("source")[1:]]
            source = {i.get("semantic"): self.by_id[i.get("source")[1:]] for i in sampler.findall(NAMESPACE + "input")}
            assert set(source["INTERPOLATION"].find(NAMESPACE + "Name_array").text.split()) == {"LINEAR"}
            keys = self._floats(source["INPUT"])
            values = self._floats(source["OUTPUT"])
            width = len(values) // len(keys)
            channels[channel.get("target")] = keys, [values[i * width:(i + 1) * width] for i in range(len(keys))]
            times.update(keys)
        self.clips = [{"name": None, "times": sorted(times), "channels": channels}] if channels else []

    @staticmethod
    def _floats(source):
        return numbers(source.find(NAMESPACE + "float_array").text)

    def _add(self, node, parent):
        n = len(self.nodes)
        self._node_index[node.get("id")] = n
        self.elements.append(node)
        self.nodes.append(node.get("name"))
        self.parents.append(parent)
        for child in node.findall(NAMESPACE + "node"):
            self._add(child, n)

    def _element(self, node, element, clip, t):
        values = numbers(element.text)
        for target, (keys, rows) in (self.clips[clip]["channels"] if clip is not None else {}).items():
            owner, _, rest = target.partition("/")
            sid, _, member = rest.partition(".")
            if owner != node.get("id") or sid != element.get("sid"):
                continue
            k, u = span(keys, t)
            now = rows[k] if u == 0 else lerp(rows[k], rows[k + 1], u)
            if member:
                values[MEMBERS[member]] = now[0]
            else:
                values[:len(now)] = now
        kind = element.tag[len(NAMESPACE):]
        return {"translate": lambda: translation(values), "scale": lambda: scaling(values),
                "rotate": lambda: axis_rotation(values[:3], math.radians(values[3])),
                "matrix": lambda: [values[4 * r:4 * r + 4] for r in range(4)]}[kind]()

    def pose(self, clip, t):
        scene = []
        for node, parent in zip(self.elements, self.parents):
            m = IDENTITY if parent < 0 else scene[parent]
            for element in node:
                if element.tag[len(NAMESPACE):] in ("translate", "rotate", "scale", "matrix"):
                    m = multiply(m, self._element(node, element, clip, t))
            scene.append(m)
        return scene

    def _input(self, of, semantic):
        return next(i for i in of.findall(NAMESPACE + "input") if i.get("semantic") == semantic).get("source")[1:]

    def _points(self, geometry):
        source = self.by_id[self._input(self.by_id[geometry].find(f".//{NAMESPACE}vertices"), "POSITION")]
        values = self._floats(source)
        return [values[i:i + 3] for i in range(0, len(values), 3)]

    def _skin(self, controller):
        """(points, influences of each, names of the joints, their inverse bind matrices times the bind shape)."""
        skin = self.by_id[controller].find(NAMESPACE + "skin")
        shape = numbers(skin.find(NAMESPACE + "bind_shape_matrix").text)
        shape = [shape[4 * r:4 * r + 4] for r in range(4)]
        joints = skin.find(NAMESPACE + "joints")
        sids = self.by_id[self._input(joints, "JOINT")].find(NAMESPACE + "Name_array").text.split()
        binds = self._floats(self.by_id[self._input(joints, "INV_BIND_MATRIX")])
        binds = [multiply([binds[16 * j + 4 * r:16 * j + 4 * r + 4] for r in range(4)], shape) for j in range(len(sids))]
        weights = skin.find(NAMESPACE + "vertex_weights")
        shares = self._floats(self.by_id[self._input(weights, "WEIGHT")])
        pairs = [int(x) for x in weights.find(NAMESPACE + "v").text.split()]
        influences, at = [], 0
        for count in numbers(weights.find(NAMESPACE + "vcount").text):
            influences.append([(pairs[at + 2 * i], shares[pairs[at + 2 * i + 1]]) for i in range(int(count))])
            at += 2 * int(count)
        nodes = [next(n for n, e in enumerate(self.elements) if e.get("sid") == sid) for sid in sids]
        return self._points(skin.get("source")[1:]), influences, nodes, binds

    def palettes(self, scene):
        found = []
        for instance in self.root.iter(NAMESPACE + "instance_controller"):
            _, _, nodes, binds = self._skin(instance.get("url")[1:])
            found.append({self.nodes[n]: multiply(scene[n], bind) for n, bind in zip(nodes, binds)})
        return found

    def vertices(self, scene):
        """The first number of each pair is the vertex as in the file."""
        found = []
        for n, node in enumerate(self.elements):
            for instance in node.findall(NAMESPACE + "instance_controller"):
                points, influences, nodes, binds = self._skin(instance.get("url")[1:])
                palette = [multiply(scene[joint], bind) for joint, bind in zip(nodes, binds)]
                found += [(p, skinned(i, palette, p)) for p, i in zip(points, influences)]
            for instance in node.findall(NAMESPACE + "instance_geometry"):
                found += [(p, transform(scene[n], p)) for p in self._points(instance.get("url")[1:])]
        return found
