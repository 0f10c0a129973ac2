"""An MD5 evaluator written from the format (Doom 3's .md5mesh and .md5anim, version 10), in the file's own axes.

- The real part of a rotation is not in the file: w = -sqrt(1 - x2 - y2 - z2), 0 where the radicand is negative.
- .md5mesh: joints in model space; a vertex is the sum of bias * (joint applied to the weight's position).
- .md5anim: joints relative to their parents; where a flag's bit is set, a frame's next number replaces that of the base
  frame. Frame f is at f / frameRate seconds.
- Between frames the relative joints are interpolated: positions linearly, rotations on the shorter arc.
"""
import math
import re

from matrices import from_trs, inverse, lerp, multiply, normalized, scene_matrices, skinned, slerp, span, transform

NUMBER = r"(-?[0-9.]+(?:e-?[0-9]+)?)"
TRIPLE = r"\(\s*%s\s+%s\s+%s\s*\)" % (NUMBER, NUMBER, NUMBER)


def block(text, name):
    start = text.index("{", re.search(r"^\s*%s\s*\{" % name, text, re.M).start())
    return text[start + 1:text.index("}", start)]


def rotation(xyz):
    return normalized(list(xyz) + [-math.sqrt(max(0.0, 1 - sum(v * v for v in xyz)))])


class Model:
    up = [0, 0, 1]

    def __init__(self, mesh_path, clip_paths):
        text = mesh_path.read_text(encoding="utf-8")
        rows = re.findall(r'"([^"]*)"\s+(-?\d+)\s*' + TRIPLE + r"\s*" + TRIPLE, block(text, "joints"))
        self.nodes = [row[0] for row in rows]
        self.parents = [int(row[1]) for row in rows]
        self.bind = [from_trs([float(x) for x in row[2:5]], rotation([float(x) for x in row[5:8]]), [1, 1, 1]) for row in rows]
        self.meshes = []
        for mesh in re.findall(r"^mesh\s*\{([^}]*)\}", text, re.M):
            vertices = [(int(a), int(n)) for a, n in re.findall(r"\bvert\s+\d+\s*\([^)]*\)\s*(\d+)\s+(\d+)", mesh)]
            weights = [(int(row[0]), float(row[1]), [float(x) for x in row[2:5]])
                       for row in re.findall(r"\bweight\s+\d+\s+(\d+)\s+" + NUMBER + r"\s*" + TRIPLE, mesh)]
            self.meshes.append([weights[first:first + count] for first, count in vertices])
        self.clips = [self._clip(path) for path in clip_paths]

    def _clip(self, path):
        text = path.read_text(encoding="utf-8")
        rate = float(re.search(r"^frameRate\s+(\S+)", text, re.M)[1])
        rows = re.findall(r'"([^"]*)"\s+(-?\d+)\s+(\d+)\s+(\d+)', block(text, "hierarchy"))
        assert [row[0] for row in rows] == self.nodes
        base = [[float(x) for x in row] for row in re.findall(TRIPLE + r"\s*" + TRIPLE, block(text, "baseframe"))]
        frames = []
        for numbers in re.findall(r"^frame\s+\d+\s*\{([^}]*)\}", text, re.M):
            values, joints = [float(x) for x in numbers.split()], []
            for (_, _, flags, start), rest in zip(rows, base):
                joint, at = list(rest), int(start)
                for bit in range(6):
                    if int(flags) >> bit & 1:
                        joint[bit] = values[at]
                        at += 1
                joints.append((joint[:3], rotation(joint[3:])))
            frames.append(joints)
        return {"name": path.stem, "times": [f / rate for f in range(len(frames))], "frames": frames}

    def pose(self, clip, t):
        if clip is None:
            return self.bind
        k, u = span(self.clips[clip]["times"], t)
        frames = self.clips[clip]["frames"]
        joints = frames[k] if u == 0 else [(lerp(a[0], b[0], u), slerp(a[1], b[1], u)) for a, b in zip(frames[k], frames[k + 1])]
        return scene_matrices(self.parents, [from_trs(p, q, [1, 1, 1]) for p, q in joints])

    def palettes(self, scene):
        return [dict(zip(self.nodes, (multiply(a, inverse(b)) for a, b in zip(scene, self.bind))))]

    def vertices(self, scene):
        """(bind position, position) of every vertex: the format's own sum, without a palette."""
        found = []
        for mesh in self.meshes:
            for weights in mesh:
                place = lambda pose: [math.fsum(bias * transform(pose[j], p)[i] for j, bias, p in weights) for i in range(3)]
                found.append((place(self.bind), place(scene)))
        return found
