"""A model with a face, and random layers for it and for others: given poses, clips, masks, weights. For test_given_blends.py and others."""
import base64
import math
import struct

import rigs
from humans import about
from vrm_files import glb

BUFFER = "data:application/octet-stream;base64," + base64.b64encode(struct.pack("<9f", 0, 0, 0, 1, 0, 0, 0, 1, 0)).decode()
# 400 nodes share a mesh of 120 targets, all called 'a': one name means 48,000 weights
CROWDED = {"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": list(range(400))}], "nodes": [{"mesh": 0, "name": f"n{i}"} for i in range(400)],
           "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "targets": [{"POSITION": 0}] * 120}], "extras": {"targetNames": ["a"] * 120}}],
           "accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3", "min": [0, 0, 0], "max": [1, 1, 0]}],
           "bufferViews": [{"buffer": 0, "byteLength": 36}], "buffers": [{"byteLength": 36, "uri": BUFFER}]}

FACE = {"smile": (0.3, -0.1, 0.2), "frown": (-0.2, 0.4, 0.1)}
RIG = {"root": (None, {"translation": [5, -1, 2], "rotation": [0, 0, rigs.HALF, rigs.HALF], "scale": [2, 1, 0.5]}),
       "hip": ("root", {"translation": [0, 1, 0], "rotation": list(about((1, 2, -1), 0.4)), "scale": [1.2, 0.8, 1]}),
       "knee": ("hip", {"translation": [0, 2, 0], "rotation": [rigs.HALF, 0, 0, rigs.HALF]}),
       "toe": ("knee", {"translation": [0, 1, 0.5], "scale": [0.7, 1.1, 0.9]}), "mask": ("toe", {"translation": [0.1, 0.2, 0.3]})}
TURNS = [about((0.3, 1, 0.2), 0.9), about((-1, 0.4, 0.5), 1.3), about((0.1, -0.6, 1), 0.7)]


def turned(node, turn):
    return list(rigs_product(RIG[node][1].get("rotation", [0, 0, 0, 1]), turn))


def rigs_product(a, b):
    (ax, ay, az, aw), (bx, by, bz, bw) = a, b
    return (aw * bx + ax * bw + ay * bz - az * by, aw * by - ax * bz + ay * bw + az * bx, aw * bz + ax * by - ay * bx + az * bw,
            aw * bw - ax * bx - ay * by - az * bz)


CLIPS = {"walk": {("hip", "translation"): [[0, 1, 0], [0.2, 1.1, -0.3]], ("hip", "rotation"): [RIG["hip"][1]["rotation"], turned("hip", TURNS[0])],
                  ("knee", "rotation"): [turned("knee", (0, 0, 0, 1)), turned("knee", TURNS[1])]},
         "wave": {("toe", "rotation"): [[0, 0, 0, 1], list(TURNS[2])], ("toe", "scale"): [[0.7, 1.1, 0.9], [1, 0.8, 1.2]],
                  ("knee", "rotation"): [turned("knee", TURNS[2]), turned("knee", TURNS[0])]}}


def faced():
    """A turned, unevenly scaled skin off the origin, whose mesh has two morph targets, and a mask with one of the same name."""
    writer = rigs.Writer()
    writer.rig(list(RIG), RIG)
    writer.skin()
    document = writer.document
    body, = document["meshes"]
    count = 6
    body.update(name="skin", weights=[0.1, 0.25], extras={"targetNames": list(FACE)})
    body["primitives"][0]["targets"] = [{"POSITION": writer.accessor([[x * (v + 1) for x in move] for v in range(count)], "VEC3")}
                                        for move in FACE.values()]
    document["meshes"].append({"name": "paper", "extras": {"targetNames": ["smile"]}, "primitives": [{
        "material": 0, "attributes": {"POSITION": writer.accessor([(0, 0, 0), (0.5, 0, 0.1), (0, 0.5, -0.2)], "VEC3")},
        "targets": [{"POSITION": writer.accessor([(0, 0.2, 0.1), (0.1, 0, 0), (0.3, 0, 0.2)], "VEC3")}]}]})
    document["nodes"][list(RIG).index("mask")]["mesh"] = 1
    writer.clips(CLIPS)
    times = document["animations"][0]["samplers"][0]["input"]
    document["animations"][1]["samplers"].append({"input": times, "output": writer.accessor([0, 0.5, 0.75, 1], "SCALAR")})
    document["animations"][1]["channels"].append({"sampler": len(document["animations"][1]["samplers"]) - 1,
                                                  "target": {"node": len(RIG), "path": "weights"}})
    return glb(writer)


# --- random layers ---

class Chances:
    """Layers for a model (gltf_evaluator.Model) whose given poses are of its own size."""

    def __init__(self, rng, model, size, morphs=()):
        self.rng, self.model, self.size, self.morphs = rng, model, size, list(morphs)
        self.nodes = model.nodes
        names = [node.get("name") for node in self.nodes]
        self.named = [n for n, name in enumerate(names) if name and names.count(name) == 1]

    def quaternion(self):
        q = [self.rng.gauss(0, 1) for _ in range(4)]
        length = math.sqrt(sum(x * x for x in q)) / self.rng.choice([1, 1, 1, 0.25, 7])
        return [x / length for x in q]

    def part(self, node, path, is_from_rest):
        rest = self.nodes[node].get(path, {"translation": [0, 0, 0], "scale": [1, 1, 1]}.get(path))
        if path == "rotation":
            return self.quaternion()
        if path == "degrees":
            return [self.rng.uniform(-400, 400) for _ in range(3)]
        if path == "translation":
            return [(0 if is_from_rest else x) + self.rng.uniform(-0.2, 0.2) * self.size for x in rest]
        return [(1 if is_from_rest else x) * self.rng.uniform(0.5, 1.6) for x in rest]

    def paths(self):
        some = [path for path in ("translation", "rotation", "degrees", "scale") if self.rng.random() < 0.5]
        return [path for path in some if not (path == "degrees" and "rotation" in some)] or ["rotation"]

    def word(self, node):
        return self.nodes[node]["name"] if node in self.named and self.rng.random() < 0.6 else node

    def morph_names(self):
        return self.rng.sample(self.morphs, self.rng.randint(0, len(self.morphs)))

    def one_frame(self, pose, is_from_rest):
        some = self.rng.sample(range(len(self.nodes)), self.rng.randint(1, min(6, len(self.nodes))))
        if self.rng.random() < 0.5:
            some = [n for n in some if n in self.named] or self.named[:1]
            pose["nodes"] = {self.nodes[n]["name"]: {path: self.part(n, path, is_from_rest) for path in self.paths()} for n in some}
        else:
            pose["nodes"] = [self.word(n) if self.rng.random() < 0.8 else {"node": n} for n in some]
            self.rows(pose, some, [self.paths() for _ in some], is_from_rest)
        morphs = self.morph_names()
        if morphs:
            pose["morphs"] = {name: self.rng.uniform(-0.5, 1.2) for name in morphs}

    def rows(self, frame, nodes, paths, is_from_rest):
        for key in "translation", "rotation", "degrees", "scale":
            if any(key in some for some in paths):
                frame[key] = [self.part(n, key, is_from_rest) if key in some else None for n, some in zip(nodes, paths)]

    def frames(self, pose, is_from_rest):
        some = self.rng.sample(range(len(self.nodes)), self.rng.randint(1, min(6, len(self.nodes))))
        paths, morphs = [self.paths() for _ in some], self.morph_names()
        pose["nodes"] = [self.word(n) for n in some]
        if morphs:
            pose["morphs"] = [{"target": name, "mesh": "skin"} if name == "smile" and self.rng.random() < 0.5 else name for name in morphs]
        pose["frames"], at, has_times = [], 0.0, self.rng.random() < 0.5
        for _ in range(self.rng.randint(2, 5)):
            frame = {"time": at} if has_times else {}
            at += self.rng.uniform(0.05, 0.5)
            self.rows(frame, some, paths, is_from_rest)
            if morphs:
                frame["morphs"] = [self.rng.uniform(-0.5, 1.2) for _ in morphs]
            pose["frames"].append(frame)
        if not has_times and self.rng.random() < 0.5:
            pose["rate"] = self.rng.uniform(2, 10)

    def pose(self):
        pose, is_from_rest = {}, self.rng.random() < 0.5
        if is_from_rest or self.rng.random() < 0.2:
            pose["relative_to"] = "rest" if is_from_rest else "parent"
        if self.rng.random() < 0.5:
            pose["order"] = self.rng.choice(["xyz", "xzy", "yxz", "yzx", "zxy", "zyx"])
        (self.frames if self.rng.random() < 0.4 else self.one_frame)(pose, is_from_rest)
        return pose

    def mask(self, layer, share):
        if self.rng.random() < share:
            layer[self.rng.choice(["subtree", "except", "joints"])] = self.rng.randrange(len(self.nodes))

    def weight(self, most, times):
        one = lambda: self.rng.choice([0, 1, self.rng.uniform(0, 1), self.rng.uniform(0, 1)]) * most
        return [one() for _ in range(times)] if times > 1 and self.rng.random() < 0.3 else one()

    def played(self, layer):
        layer["wrap"] = self.rng.choice(["loop", "clamp", "mirror"])
        if self.rng.random() < 0.4:
            layer["t"] = self.rng.uniform(-1, 3)
        if self.rng.random() < 0.3:
            layer["speed"] = self.rng.uniform(-2, 2)
        if self.rng.random() < 0.2:
            layer["phase"] = self.rng.uniform(0, 1)

    def given_layer(self, times, masks=0.2):
        layer = {"pose": self.pose(), "weight": self.weight(1, times)}
        mode = self.rng.choice([None, "replace", "additive"])
        layer.update({"mode": mode} if mode else {})
        self.mask(layer, masks)
        self.played(layer)
        return layer

    def clip_layer(self, times, masks=0.2):
        clips = len(self.model.document["animations"])
        layer = {"clip": self.rng.choice([*range(clips), "-"]), "weight": self.weight(self.rng.choice([1, 1, 5]), times)}
        if self.rng.random() < 0.3:
            layer.update(mode="additive", weight=self.weight(1, times))
            if self.rng.random() < 0.5:
                layer["reference"] = {"clip": self.rng.choice([*range(clips), "-"]), "t": self.rng.uniform(0, 2)}
        self.mask(layer, masks)
        self.played(layer)
        return layer

    def layers(self, times=1):
        """Clips beneath, given poses among and above them; half of the mixtures have no masks."""
        masks = self.rng.choice([0, 0.25])
        layers = [self.clip_layer(times, masks) for _ in range(self.rng.randint(0, 2))]
        for _ in range(self.rng.randint(1, 3)):
            layers.insert(self.rng.randint(0, len(layers)), self.given_layer(times, masks))
        return layers


def floats(data, at, count):
    return struct.unpack_from(f"<{count}f", data, at)
