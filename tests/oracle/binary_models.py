"""Small files of two binary formats, B3D and MS3D, and what they mean: the writer and the evaluator of each beside the other.

B3D (Mark Sibly, "B3D File Format", 2003): nodes with position, scale and rotation (w x y z, of the opposite sense), bones with their
vertices, keys in frames and an ANIM chunk with the frames a second. Left-handed; posed's answers are right-handed: every z is
the negative one. Vertices are in the space of the node that has the mesh.

MS3D (Mete Ciragan, MilkShape 3D 1.8 file format and viewer): joints with Euler angles in radians, about x first, then y, then z, relative
to their parents. A key is relative to the joint's place at rest: local = rest * key. Times are seconds.

Between keys places and scales go straight, rotations on the shorter arc.
"""
import math
import struct

from matrices import (IDENTITY, from_trs, hamilton, inverse, lerp, multiply, scaling, scene_matrices, skinned, slerp, span, transform, turned)

POINTS = [[1, 2, 3], [4, 1, -1], [2, 6, 0.5], [-3, 1, 2]]
CORNERS = [[0, 1, 2], [0, 2, 3]]
floats = lambda *values: struct.pack("<%df" % len(values), *values)
ints = lambda *values: struct.pack("<%di" % len(values), *values)


def euler(x, y, z):
    return hamilton(turned("z", z), hamilton(turned("y", y), turned("x", x)))


def degrees(*angles):
    return euler(*map(math.radians, angles))


class Rig:
    """The common parts: joints with keyed local transforms, and weights of vertices. `scene_from_bind`: for the vertices."""

    scene_from_bind = IDENTITY

    def _palette(self, scene):
        return {j: multiply(scene[j], inverse(self.bind[j]), self.scene_from_bind) for j in self.joints}

    def palettes(self, scene):
        return [{self.nodes[j]: m for j, m in self._palette(scene).items()}]

    def vertices(self, scene):
        return [(rest, skinned(self.weights[v], self._palette(scene), rest)) for v, rest in enumerate(self.rest)]


class B3d(Rig):
    FRAMES_PER_S = 20
    MIRROR = scaling([1, 1, -1])
    nodes, parents, joints = ["body", "base", "arm"], [-1, 0, 1], [1, 2]
    places = [([1, 2, 3], degrees(10, 20, 30), [1, 2, 0.5]), ([0, 1, 0], degrees(0, 40, 0), [1, 1, 1]),
              ([4, 0, 1], degrees(-20, 35, 5), [1.25, 1, 0.75])]
    weights = [[(1, 1.0)], [(1, 0.25), (2, 0.75)], [(1, 0.5), (2, 0.5)], [(2, 1.0)]]
    keys = {2: [(0, places[2]), (11, ([3, 1, 1], degrees(60, 35, 5), [1, 1, 1])), (31, ([0, 2, 1], degrees(100, -35, 50), [2, 1, 1]))],
            1: [(6, places[1]), (31, ([0, 3, -1], degrees(30, -80, 10), [1, 1.5, 1]))]}

    def __init__(self):
        self.bind = self.pose(None, 0)
        self.scene_from_bind = self.bind[0]
        self.rest = [transform(self.MIRROR, p) for p in POINTS]
        times = sorted({frame / self.FRAMES_PER_S for rows in self.keys.values() for frame, _ in rows})
        self.clips = [{"name": None, "times": times}]

    def pose(self, clip, t):
        local = []
        for n, place in enumerate(self.places):
            if clip is not None and n in self.keys:
                rows = self.keys[n]
                k, u = span([frame / self.FRAMES_PER_S for frame, _ in rows], t)
                (p, q, s), (p2, q2, s2) = rows[k][1], rows[min(k + 1, len(rows) - 1)][1]
                place = lerp(p, p2, u), slerp(q, q2, u) if u else q, lerp(s, s2, u)
            p, (x, y, z, w), s = place
            local.append(from_trs(p, [-x, -y, -z, w], s))
        return [multiply(self.MIRROR, m, self.MIRROR) for m in scene_matrices(self.parents, local)]

    @classmethod
    def file(cls):
        chunk = lambda tag, data: tag + ints(len(data)) + data
        trs = lambda place, order: b"".join(floats(*part) for part in (place[0], place[2], [place[1][3], *place[1][:3]]))
        bone = lambda j: chunk(b"BONE", b"".join(ints(v) + floats(w) for v, pairs in enumerate(cls.weights) for k, w in pairs if k == j))
        keys = lambda j: chunk(b"KEYS", ints(7) + b"".join(ints(frame) + trs(place, 0) for frame, place in cls.keys[j]))
        node = lambda n, *body: chunk(b"NODE", cls.nodes[n].encode() + b"\0" + trs(cls.places[n], 0) + b"".join(body))
        mesh = chunk(b"MESH", ints(-1) + chunk(b"VRTS", ints(0, 0, 0) + b"".join(floats(*p) for p in POINTS)) +
                     chunk(b"TRIS", ints(-1) + b"".join(ints(*c) for c in CORNERS)))
        arm = node(2, bone(2), keys(2))
        return chunk(b"BB3D", ints(1) + node(0, mesh, chunk(b"ANIM", ints(0, 31) + floats(cls.FRAMES_PER_S)), node(1, bone(1), keys(1), arm)))


class Ms3d(Rig):
    nodes, parents, joints = ["base", "arm"], [-1, 0], [0, 1]
    places = [([1, 2, 3], [0.1, 0.2, 0.3]), ([4, 0, 1], [-0.3, 0.6, 0.1])]
    weights = [[(0, 1.0)], [(1, 1.0)], [(1, 1.0)], [(0, 1.0)]]
    turns = [[(0.5, [0, 0, 0]), (1.25, [0.5, 0.2, 0])], [(0.5, [0.1, -0.4, 0.2]), (1.25, [0.1, 0.9, 0.3])]]
    moves = [[(0.5, [0, 0, 0]), (1.25, [1, 0, 2])], [(0.5, [0.5, 0, -1]), (1.25, [0, 2, 0])]]
    rest = POINTS
    clips = [{"name": None, "times": [0.5, 1.25]}]

    def __init__(self):
        self.bind = self.pose(None, 0)

    def pose(self, clip, t):
        local = []
        for (place, angles), turns, moves in zip(self.places, self.turns, self.moves):
            m = from_trs(place, euler(*angles), [1, 1, 1])
            if clip is not None:
                k, u = span([time for time, _ in turns], t)
                more = min(k + 1, len(turns) - 1)
                turn = slerp(euler(*turns[k][1]), euler(*turns[more][1]), u)
                m = multiply(m, from_trs(lerp(moves[k][1], moves[more][1], u), turn, [1, 1, 1]))
            local.append(m)
        return scene_matrices(self.parents, local)

    @classmethod
    def file(cls):
        name = lambda text: text.encode().ljust(32, b"\0")
        vertices = b"".join(b"\0" + floats(*p) + struct.pack("<bB", cls.weights[v][0][0], 1) for v, p in enumerate(POINTS))
        corners = b"".join(struct.pack("<4H", 0, *c) + floats(*[0, 0, 1] * 3, *[0] * 6) + b"\1\0" for c in CORNERS)
        joints = b""
        for n, (place, angles) in enumerate(cls.places):
            keys = b"".join(floats(time, *value) for rows in (cls.turns[n], cls.moves[n]) for time, value in rows)
            above = cls.nodes[cls.parents[n]] if cls.parents[n] >= 0 else ""
            joints += b"\0" + name(cls.nodes[n]) + name(above) + floats(*angles, *place) + struct.pack("<2H", 2, 2) + keys
        group = b"\0" + name("all") + struct.pack("<3Hb", 2, 0, 1, -1)
        return b"MS3D000000" + ints(4) + struct.pack("<H", 4) + vertices + struct.pack("<H", 2) + corners + struct.pack("<H", 1) + group + \
            struct.pack("<H", 0) + floats(24, 0) + ints(30) + struct.pack("<H", 2) + joints


ALL = {"blitz.b3d": B3d, "milkshape.ms3d": Ms3d}
