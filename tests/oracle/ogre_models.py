"""Small binary models of Ogre: a writer of .mesh and .skeleton files, and an evaluator.

OgreMeshFileFormat.h and OgreSkeletonFileFormat.h define the format, Ogre 1.12 its meaning:

- A bone at a key has its bind translation plus the key's, its rotation times the key's, and its scale times the key's.
- Between keys, positions and scales are interpolated linearly; so are quaternions, on the shorter arc, and then normalised. After the
  last key, a track returns to its first key. It reaches it at the end of the animation plus the time of the first key.
- A bone inherits its parent's scale axis by axis; here all scales are uniform.
- A pose adds its offsets times its influence, a morph replaces the positions; both happen before bones move them.
- Animations of the skeleton and of the mesh with the same name run together. Animations of a linked skeleton belong to this one, too;
  their changes of position and scale are multiplied.
"""
import math
import struct

from matrices import from_trs, hamilton, inverse, lerp, multiply, normalized, scene_matrices, skinned, turned


def nlerp(a, b, u):
    side = -1 if sum(x * y for x, y in zip(a, b)) < 0 else 1
    return normalized([(1 - u) * x + u * side * y for x, y in zip(a, b)])


def between(times, length, t):
    """(key, next key, share of the way) at t."""
    if t <= times[0]:
        return 0, 0, 0.0
    k = max(i for i, key in enumerate(times) if key <= t)
    if k + 1 < len(times):
        return k, k + 1, (t - times[k]) / (times[k + 1] - times[k])
    behind = length + times[0] - times[-1]
    return k, 0, (t - times[-1]) / behind if behind > 0 and len(times) > 1 else 0.0


# --- files ---

class Writer:
    def __init__(self, version, is_big=False):
        self.version, self.order = version, ">" if is_big else "<"

    def pack(self, layout, *values):
        return struct.pack(self.order + layout, *values)

    def chunk(self, number, *parts, size=None):
        """`size`: the size that it claims, instead of its number of bytes."""
        content = b"".join(parts)
        return self.pack("HI", number, 6 + len(content) if size is None else size) + content

    def floats(self, *values):
        return self.pack("%df" % len(values), *values)

    @staticmethod
    def line(text):
        return text.encode() + b"\n"

    def header(self, text):
        return self.pack("H", 0x1000) + self.line(text)


class SkeletonWriter(Writer):
    def file(self, bones, animations, links=()):
        """bones: (name, handle, parent's handle or None, place, rotation, scale). animations: (name, length, {handle: keys}), a key (time,
        rotation, place, scale). The size of a bone's chunk does not include its name."""
        out = self.header(f"[Serializer_v{self.version}]")
        if self.version == "1.80":
            out += self.chunk(0x1010, self.pack("H", 0))
        for name, handle, _, place, rotation, scale in bones:
            scales = self.floats(*scale) if scale != [1, 1, 1] else b""
            out += self.chunk(0x2000, self.line(name), self.pack("H", handle), self.floats(*place, *rotation), scales,
                              size=36 + len(scales))
        for _, handle, parent, *_ in bones:
            if parent is not None:
                out += self.chunk(0x3000, self.pack("2H", handle, parent))
        for name, length, tracks in animations:
            out += self.chunk(0x4000, self.line(name), self.floats(length), *(self.track(*row) for row in tracks.items()))
        for name, scale in links:
            out += self.chunk(0x5000, self.line(name), self.floats(scale))
        return out

    def track(self, handle, keys):
        rows = (self.floats(time, *rotation, *place) + (self.floats(*scale) if scale != [1, 1, 1] else b"")
                for time, rotation, place, scale in keys)
        return self.chunk(0x4100, self.pack("H", handle), *(self.chunk(0x4110, row) for row in rows))


class MeshWriter(Writer):
    NUMBER = {"1.10": 110, "1.20": 120, "1.30": 130, "1.40": 140, "1.41": 141, "1.8": 180, "1.100": 1100}
    # Number and layout of a vertex element's type, and the conversion of a value to its form in the file.
    FLOAT2, FLOAT3, COLOR = (1, "2f", None), (2, "3f", None), (4, "I", None)
    SHORT4 = (8, "4h", lambda v: [int(x) for x in v] + [1])
    USHORT2_NORM = (33, "2H", lambda v: [round(x * 65535) for x in v])
    BYTE4_NORM = (29, "4b", lambda v: [round(x * 127) for x in v] + [0])
    HALF3 = (38, "3e", None)
    DOUBLE3 = (14, "3d", None)

    def __init__(self, version, is_big=False):
        super().__init__(version, is_big)
        self.number = self.NUMBER[version]

    def geometry(self, count, *elements):
        """elements: (semantic 1, 4, 5 or 7, type, values). Each has a buffer of its own, except that the first two share one."""
        if self.number < 130:
            return self.old_geometry(count, *elements)
        buffers = [elements[:2]] + [[one] for one in elements[2:]]
        declared, data = b"", b""
        for source, buffer in enumerate(buffers):
            offset = 0
            for semantic, (number, layout, _), _ in buffer:
                declared += self.chunk(0x5110, self.pack("5H", source, number, semantic, offset, 0))
                offset += struct.calcsize("<" + layout)
            vertices = b"".join(self.value(kind, values[v]) for v in range(count) for _, kind, values in buffer)
            data += self.chunk(0x5200, self.pack("2H", source, offset), self.chunk(0x5210, vertices))
        return self.chunk(0x5000, self.pack("I", count), self.chunk(0x5100, declared), data)

    def value(self, kind, value):
        number, layout, convert = kind
        return self.pack(layout, *(convert(value) if convert else value if isinstance(value, (list, tuple)) else [value]))

    def old_geometry(self, count, *elements):
        out = self.pack("I", count)
        for semantic, kind, values in elements:
            array = b"".join(self.value(kind, value) for value in values)
            out += array if semantic == 1 else self.chunk({4: 0x5100, 5: 0x5200}[semantic], array) if semantic != 7 else \
                self.chunk(0x5300, self.pack("H", 2), array)
        return self.chunk(0x5000, out)

    def submesh(self, material, indices, geometry=b"", operation=4, weights=(), is_wide=False):
        """weights: (vertex, bone's handle, weight), for its own geometry."""
        return self.chunk(0x4000, self.line(material), self.pack("?I?", not geometry, len(indices), is_wide),
                          self.pack("%d%s" % (len(indices), "I" if is_wide else "H"), *indices), geometry,
                          self.chunk(0x4010, self.pack("H", operation)), *(self.weight(0x4100, *row) for row in weights))

    def weight(self, number, vertex, bone, weight):
        return self.chunk(number, self.pack("IHf", vertex, bone, weight))

    def lod(self, submeshes):
        """One level of a triangle for each submesh. The sizes are wrong, as in many files."""
        strategy = self.line("Distance") if self.number >= 141 else b""
        if self.number >= 1100:
            level = self.chunk(0x8120, self.floats(10), *[self.pack("3I?I3H", 3, 0, 0xffffffff, False, 3, 0, 1, 2)] * submeshes)
            return self.chunk(0x8000, strategy, self.pack("H", 2), level, size=9)
        parts = [self.chunk(0x8120, self.pack("I?3H", 3, False, 0, 1, 2), size=7)] * submeshes
        return self.chunk(0x8000, strategy, self.pack("H?", 2, False), self.chunk(0x8100, self.floats(10), *parts, size=3), size=9)

    def edges(self):
        closed = b"\1" if self.number >= 140 else b""
        range_of_group = self.pack("2I", 0, 1) if self.number >= 140 else b""
        group = self.chunk(0xb110, self.pack("I", 0), range_of_group, self.pack("I", 1), bytes(25))
        return self.chunk(0xb000, self.chunk(0xb100, self.pack("H?", 0, False), closed, self.pack("2I", 1, 1), bytes(48), group, size=1))

    def pose(self, name, target, offsets):
        flag = b"\0" if self.number >= 180 else b""
        return self.chunk(0xc100, self.line(name), self.pack("H", target), flag,
                          *(self.chunk(0xc111, self.pack("I3f", vertex, *offset)) for vertex, offset in offsets.items()))

    def animation(self, name, length, *tracks):
        return self.chunk(0xd100, self.line(name), self.floats(length), *tracks)

    def pose_track(self, target, keys):
        """keys: (time, {pose: influence})."""
        rows = (self.chunk(0xd112, self.floats(time), *(self.chunk(0xd113, self.pack("Hf", *row)) for row in poses.items()))
                for time, poses in keys)
        return self.chunk(0xd110, self.pack("2H", 2, target), *rows)

    def morph_track(self, target, keys):
        """keys: (time, positions)."""
        flag = b"\0" if self.number >= 180 else b""
        rows = (self.chunk(0xd111, self.floats(time), flag, *(self.floats(*p) for p in points)) for time, points in keys)
        return self.chunk(0xd110, self.pack("2H", 1, target), *rows)

    def file(self, shared, submeshes, names=(), skeleton="", weights=(), poses=(), animations=()):
        link = self.chunk(0x6000, self.line(skeleton)) if skeleton else b""
        table = self.chunk(0xa000, *(self.chunk(0xa100, self.pack("H", i), self.line(name)) for i, name in enumerate(names)))
        return self.header(f"[MeshSerializer_v{self.version}]") + self.chunk(
            0x3000, self.pack("?", bool(skeleton)), shared, *submeshes, link, *(self.weight(0x7000, *row) for row in weights),
            self.lod(len(submeshes)), self.chunk(0x9000, self.floats(-20, -20, -20, 20, 20, 20, 40)), table, self.edges(),
            *([self.chunk(0xc000, *poses)] if poses else []), *([self.chunk(0xd000, *animations)] if animations else []),
            self.chunk(0xe000, self.pack("H3f", 0, 1, 2, 3)))


# --- models ---

POINTS = [[1, 2, 3], [4, 1, -1], [2, 6, 0.5], [-3, 1, 2]]
OWN_POINTS = [[5, 2, 1], [7, 3, -2], [6, 8, 4], [9, 4, 1]]
NORMALS = [[0, 0, 1]] * 4
TEXCOORDS = [[0, 0], [1, 0], [0.5, 1], [0, 1]]
angle = lambda axis, degrees: turned(axis, math.radians(degrees))


class Ogre:
    """Two submeshes: triangles of the shared geometry and a strip of its own. Handles of bones differ from their order."""
    up, unit_m = [0, 1, 0], None
    nodes, handles, parents = ["hip", "arm", "hand", "tail"], [2, 0, 3, 1], [-1, 0, 1, 0]
    places = [([1, 2, 3], normalized(hamilton(angle("z", 30), angle("x", 20))), [1.5, 1.5, 1.5]), ([0, 3, 1], angle("y", 40), [1, 1, 1]),
              ([2, 0, 1], angle("x", -70), [0.5, 0.5, 0.5]), ([0, -2, 0], angle("z", 100), [1, 1, 1])]
    shared_weights = [(0, 2, 1.0), (1, 0, 0.25), (1, 3, 0.75), (2, 0, 0.5), (2, 1, 0.5), (3, 1, 1.0)]
    own_weights = [(0, 3, 1.0), (1, 3, 0.5), (1, 2, 0.25), (1, 0, 0.25), (2, 0, 1.0), (3, 1, 1.0)]
    ONE = [1, 1, 1]
    walk = {0: [(0, [0, 0, 0, 1], [0, 0, 0], ONE), (0.5, angle("z", 150), [1, 0, 2], ONE), (1.5, angle("z", -80), [0, 1, 0], ONE)],
            2: [(0.25, angle("x", 50), [0, 0, 1], [2, 2, 2]), (2, [-x for x in angle("x", 60)], [3, 0, 0], [0.5, 0.5, 0.5])]}
    wave = {3: [(0, angle("y", 10), [1, 0, 0], [2, 2, 2]), (1, angle("y", 170), [0, 1, 0], ONE)]}
    LINK_SCALE = 2.0
    poses = [("grow", 0, {0: [0, 0, 2], 2: [1, 1, 0]}), ("sink", 0, {3: [0, -4, 0]})]
    pose_keys = [(0, {0: 1.0}), (0.75, {0: 0.25, 1: 1.0}), (1.25, {1: 0.5})]
    morph_keys = [(0, OWN_POINTS), (0.5, [[x + 1, y, z] for x, y, z in OWN_POINTS]), (1, [[x, 2 * y, z - 1] for x, y, z in OWN_POINTS])]
    clips = [{"name": "walk", "times": [0, 0.25, 0.5, 0.75, 1, 1.5, 2]}, {"name": "wave", "times": [0, 0.5, 1]},
             {"name": "morph", "times": [0, 0.5, 1, 1.25]}]
    version, skeleton_version, is_big = "1.100", "1.80", False
    position_type, own_type = MeshWriter.FLOAT3, MeshWriter.SHORT4

    def __init__(self):
        self.bind = self.pose(None, 0)

    def local(self, tracks, length, scale, t):
        out = []
        for handle, (place, rotation, size) in zip(self.handles, self.places):
            if handle in tracks:
                keys = tracks[handle]
                a, b, u = between([key[0] for key in keys], length, t)
                place = [x + scale * y for x, y in zip(place, lerp(keys[a][2], keys[b][2], u))]
                rotation = hamilton(rotation, nlerp(keys[a][1], keys[b][1], u))
                size = [x * (1 + scale * (y - 1)) for x, y in zip(size, lerp(keys[a][3], keys[b][3], u))]
            out.append(from_trs(place, rotation, size))
        return out

    def pose(self, clip, t):
        self.at = (clip, t)
        tracks, length, scale = {None: ({}, 0, 1), 0: (self.walk, 2, 1), 1: (self.wave, 1, self.LINK_SCALE), 2: ({}, 0, 1)}[clip]
        return scene_matrices(self.parents, self.local(tracks, length, scale, t))

    def palette(self, scene):
        return {j: multiply(scene[j], inverse(self.bind[j])) for j in range(len(self.nodes))}

    def palettes(self, scene):
        return [{self.nodes[j]: m for j, m in self.palette(scene).items()}]

    def moved(self, target, points):
        """The places of a geometry's points after poses and morphs."""
        clip, t = self.at
        out = [list(p) for p in points]
        keys = self.pose_keys if clip == 0 and target == 0 else []
        if keys:
            a, b, u = between([key[0] for key in keys], 2, t)
            for p, (_, _, offsets) in enumerate(self.poses):
                influence = (1 - u) * keys[a][1].get(p, 0) + u * keys[b][1].get(p, 0)
                for vertex, offset in offsets.items():
                    out[vertex] = [x + influence * y for x, y in zip(out[vertex], offset)]
        if clip == 2 and target == 2:
            a, b, u = between([key[0] for key in self.morph_keys], 1.25, t)
            out = [lerp(p, q, u) for p, q in zip(self.morph_keys[a][1], self.morph_keys[b][1])]
        return out

    def vertices(self, scene):
        found = []
        for target, points, weights in ((0, POINTS, self.shared_weights), (2, OWN_POINTS, self.own_weights)):
            for v, (rest, place) in enumerate(zip(points, self.moved(target, points))):
                influences = [(self.handles.index(bone), weight) for vertex, bone, weight in weights if vertex == v]
                found.append((rest, skinned(influences, self.palette(scene), place)))
        return found

    @classmethod
    def files(cls, stem):
        bones = [(name, handle, None if parent < 0 else cls.handles[parent], *place)
                 for name, handle, parent, place in zip(cls.nodes, cls.handles, cls.parents, cls.places)]
        skeletons = SkeletonWriter(cls.skeleton_version, cls.is_big)
        mesh = MeshWriter(cls.version, cls.is_big)
        shared = mesh.geometry(4, (1, cls.position_type, POINTS), (4, mesh.FLOAT3, NORMALS), (7, mesh.FLOAT2, TEXCOORDS))
        old = mesh.number < 130
        own = mesh.geometry(4, (1, mesh.FLOAT3 if old else cls.own_type, OWN_POINTS), (4, mesh.FLOAT3 if old else mesh.BYTE4_NORM, NORMALS),
                            (7, mesh.FLOAT2 if old else mesh.USHORT2_NORM, TEXCOORDS))
        animations = [mesh.animation("walk", 2, mesh.pose_track(0, cls.pose_keys)),
                      mesh.animation("morph", 1.25, mesh.morph_track(2, cls.morph_keys))]
        return {
            f"{stem}.mesh": mesh.file(
                shared, [mesh.submesh("skin", [0, 1, 2, 0, 2, 3], is_wide=True), mesh.submesh("cloth", [0, 1, 2, 3], own, 5, cls.own_weights)],
                ("body", "coat"), f"{stem}.skeleton", cls.shared_weights, [mesh.pose(*row) for row in cls.poses], animations),
            f"{stem}.skeleton": skeletons.file(bones, [("walk", 2, cls.walk)], [(f"{stem}_more.skeleton", cls.LINK_SCALE)]),
            f"{stem}_more.skeleton": skeletons.file(bones, [("wave", 1, cls.wave), ("walk", 1, cls.wave)]),
        }


class OgreBig(Ogre):
    version, skeleton_version, is_big = "1.8", "1.10", True
    position_type, own_type = MeshWriter.DOUBLE3, MeshWriter.HALF3


def of_version(number):
    return type("Ogre" + number.replace(".", ""), (Ogre,), {"version": number, "skeleton_version": "1.10"})


ALL = {"ogre_1_100.mesh": Ogre, "ogre_1_8_big.mesh": OgreBig}
# The same model in other versions.
OTHERS = {f"ogre_{number.replace('.', '_')}.mesh": of_version(number) for number in ("1.10", "1.20", "1.30", "1.40", "1.41")}
