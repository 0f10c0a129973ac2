"""A small rig, its skin and its moves as glTF files: all in one file, or the moves in files of their own. And a limb: a tube over two
joints, with the weights of a test; rotated, unevenly scaled and off the origin."""
import base64
import cmath
import json
import math
import struct

HALF = 0.5 ** 0.5
# name -> (parent, transform); a rotated, unevenly scaled root off the origin
RIG = {
    "root": (None, {"translation": [5, -1, 2], "rotation": [0, 0, HALF, HALF], "scale": [2, 1, 0.5]}),
    "hip": ("root", {"translation": [0, 1, 0]}),
    "knee": ("hip", {"translation": [0, 2, 0], "rotation": [HALF, 0, 0, HALF]}),
    "toe": ("knee", {"translation": [0, 1, 0.5]}),
}
CLIPS = {
    "stand": {("hip", "translation"): [[0, 1, 0], [0, 1, 0.25]]},
    "run": {("hip", "translation"): [[0, 1, 0], [1, 3, -2]], ("hip", "rotation"): [[0, 0, 0, 1], [0, HALF, 0, HALF]],
            ("knee", "rotation"): [[HALF, 0, 0, HALF], [0, 0, -0.6, 0.8]], ("knee", "scale"): [[1, 1, 1], [1, 2, 3]]},
}
DURATION = 0.5


class Writer:
    """A glTF file with all its data inside."""

    def __init__(self):
        self.bytes = b""
        self.document = {"asset": {"version": "2.0"}, "bufferViews": [], "accessors": [], "nodes": []}

    def accessor(self, rows, kind, component=5126, code="f"):
        flat = [number for row in rows for number in (row if isinstance(row, (list, tuple)) else [row])]
        data = struct.pack(f"<{len(flat)}{code}", *flat)
        self.document["bufferViews"].append({"buffer": 0, "byteOffset": len(self.bytes), "byteLength": len(data)})
        self.bytes += data + b"\0" * (-len(data) % 4)
        self.document["accessors"].append({"bufferView": len(self.document["bufferViews"]) - 1, "type": kind,
                                           "componentType": component, "count": len(rows)})
        return len(self.document["accessors"]) - 1

    def rig(self, names, rig=RIG):
        nodes = self.document["nodes"]
        for name in names:
            nodes.append({"name": name, **rig[name][1]})
        for name in names:
            children = [names.index(child) for child in names if rig[child][0] == name]
            if children:
                nodes[names.index(name)]["children"] = children
        self.document["scenes"] = [{"nodes": [i for i, name in enumerate(names) if rig[name][0] not in names]}]
        self.document["scene"] = 0
        self.names = names

    def skin(self):
        """Triangles between the joints, each vertex on two of them. The bind pose differs from the rest pose."""
        joints = [self.names.index(name) for name in ("knee", "hip", "toe")]
        binds = [[1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, -1 * i, 0.5, i, 1] for i in range(3)]
        positions = [(0, 0, 0), (1, 0, 0), (0, 2, 0), (1, 2, 3), (-1, 1, 1), (0.5, -2, 1)]
        self.document["materials"] = [{"doubleSided": True}]
        primitive = {"material": 0, "attributes": {
            "POSITION": self.accessor(positions, "VEC3"),
            "JOINTS_0": self.accessor([(i % 3, (i + 1) % 3, 0, 0) for i in range(6)], "VEC4", 5121, "B"),
            "WEIGHTS_0": self.accessor([(0.25, 0.75, 0, 0)] * 6, "VEC4")}}
        self.document["meshes"] = [{"primitives": [primitive]}]
        self.document["skins"] = [{"joints": joints, "inverseBindMatrices": self.accessor(binds, "MAT4")}]
        self.document["nodes"].append({"name": "body", "mesh": 0, "skin": 0})
        self.document["scenes"][0]["nodes"].append(len(self.document["nodes"]) - 1)

    def clips(self, clips):
        times = self.accessor([0, DURATION], "SCALAR")
        self.document["animations"] = [{
            "name": name,
            "samplers": [{"input": times, "output": self.accessor(rows, "VEC4" if path == "rotation" else "VEC3")}
                         for (_, path), rows in channels.items()],
            "channels": [{"sampler": i, "target": {"node": self.names.index(node), "path": path}}
                         for i, (node, path) in enumerate(channels)]} for name, channels in clips.items()]

    def text(self):
        self.document["buffers"] = [{"byteLength": len(self.bytes), "uri": "data:application/octet-stream;base64," +
                                     base64.b64encode(self.bytes).decode()}]
        return json.dumps(self.document)


def character(clips=None):
    writer = Writer()
    writer.rig(["root", "hip", "knee", "toe"])
    writer.skin()
    if clips:
        writer.clips(clips)
    return writer.text()


def moves(clips=CLIPS, names=("toe", "knee", "hip", "root"), rig=RIG):
    writer = Writer()
    writer.rig(list(names), rig)
    writer.clips(clips)
    return writer.text()


# --- a limb ---

LIMB_SIDES, LIMB_RINGS, LIMB_STEP = 12, 17, 0.25
LIMB_ROOT = {"translation": [5, -1, 2], "rotation": [0, 0, HALF, HALF], "scale": [2, 1, 0.5]}
LIMB_RIG = {"root": (None, LIMB_ROOT), "upper": ("root", {}), "lower": ("upper", {"translation": [0, 2, 0]}),
            "end": ("lower", {"translation": [0, 2, 0]})}
LIMB_NAMES = list(LIMB_RIG)


def even_share(y, first=1.5, last=2.5):
    """How much a vertex at this height follows the lower joint."""
    return min(max((y - first) / (last - first), 0), 1)


def limb_points():
    """The vertices, ring by ring, then the middles of both ends."""
    rings = [(0.1 + 0.5 * math.cos(2 * math.pi * i / LIMB_SIDES), LIMB_STEP * r, 0.5 * math.sin(2 * math.pi * i / LIMB_SIDES))
             for r in range(LIMB_RINGS) for i in range(LIMB_SIDES)]
    return rings + [(0.1, 0, 0), (0.1, LIMB_STEP * (LIMB_RINGS - 1), 0)]


def limb_triangles(is_closed=True):
    """Counterclockwise from outside."""
    found = []
    for r in range(LIMB_RINGS - 1):
        for i in range(LIMB_SIDES):
            a, b = r * LIMB_SIDES + i, r * LIMB_SIDES + (i + 1) % LIMB_SIDES
            found += [(a, a + LIMB_SIDES, b), (b, a + LIMB_SIDES, b + LIMB_SIDES)]
    top = (LIMB_RINGS - 1) * LIMB_SIDES
    for i in range(LIMB_SIDES if is_closed else 0):
        found += [(i, (i + 1) % LIMB_SIDES, LIMB_RINGS * LIMB_SIDES), (top + (i + 1) % LIMB_SIDES, top + i, LIMB_RINGS * LIMB_SIDES + 1)]
    return found


def limb(share=even_share, is_closed=True, painted=None, faces=None, split=False, rig=LIMB_RIG, joints=LIMB_NAMES):
    """The glTF text. share: of the lower joint by height. painted: {vertex: share} instead. faces: instead of the tube's. split: every
    triangle has vertices of its own. joints: the tube's, of the rig's."""
    places, faces = limb_points(), limb_triangles(is_closed) if faces is None else faces
    shares = [(painted or {}).get(v, share(y)) for v, (_, y, _) in enumerate(places)]
    if split:
        corners = [v for face in faces for v in face]
        places, shares = [places[v] for v in corners], [shares[v] for v in corners]
        faces = [(i, i + 1, i + 2) for i in range(0, len(corners), 3)]
    writer = Writer()
    writer.rig(list(rig), rig)
    attributes = {"POSITION": writer.accessor(places, "VEC3"),
                  "JOINTS_0": writer.accessor([(1, 2, 0, 0)] * len(places), "VEC4", 5121, "B"),
                  "WEIGHTS_0": writer.accessor([(1 - s, s, 0, 0) for s in shares], "VEC4")}
    indices = writer.accessor([v for face in faces for v in face], "SCALAR", 5125, "I")
    writer.document["meshes"] = [{"name": "tube", "primitives": [{"attributes": attributes, "indices": indices}]}]
    binds = [[1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, y, 0, 1] for y in (0, 0, -2, -4)]
    writer.document["skins"] = [{"joints": [list(rig).index(name) for name in joints], "inverseBindMatrices": writer.accessor(binds, "MAT4")}]
    writer.document["nodes"].append({"name": "body", "mesh": 0, "skin": 0})
    writer.document["scenes"][0]["nodes"].append(len(rig))
    return writer.text()


def bent_limb(axis, degrees, share=even_share):
    """The vertices in the root's space when the lower joint turns: linear skinning by complex numbers, one plane at a time."""
    turn = cmath.exp(1j * math.radians(degrees))
    a, b = [(1, 2), (2, 0), (0, 1)]["xyz".index(axis)]
    found = []
    for place in limb_points():
        s, at = share(place[1]), [place[0], place[1] - 2, place[2]]
        moved = complex(at[a], at[b]) * (1 - s + s * turn)
        at[a], at[b] = moved.real, moved.imag
        found.append((at[0], at[1] + 2, at[2]))
    return found


def limb_volume(places):
    """Of the closed tube."""
    total = 0
    for a, b, c in limb_triangles():
        p, q, r = places[a], places[b], places[c]
        total += p[0] * (q[1] * r[2] - q[2] * r[1]) + p[1] * (q[2] * r[0] - q[0] * r[2]) + p[2] * (q[0] * r[1] - q[1] * r[0])
    return total / 6


def limb_section():
    """The area of a ring."""
    return LIMB_SIDES / 2 * 0.25 * math.sin(2 * math.pi / LIMB_SIDES)


def limb_in_scene(place):
    """What the root makes of a place in its space: scaled, turned by 90 degrees about z, moved."""
    x, y, z = 2 * place[0], place[1], 0.5 * place[2]
    return (5 - y, -1 + x, 2 + z)


def drawn_often(draws, joints, skins, weights=(0,)):
    """A triangle with a morph target for each of the weights, drawn by many nodes with one skin after the other. A clip moves the first of
    the joints."""
    writer = Writer()
    document = writer.document
    document["nodes"] = [{"name": f"joint {i}"} for i in range(joints)] + [{"mesh": 0, "skin": i % skins} for i in range(draws)]
    document["scenes"], document["scene"] = [{"nodes": list(range(joints + draws))}], 0
    document["meshes"] = [{"weights": list(weights), "primitives": [{
        "targets": [{"POSITION": writer.accessor([(0, 0, 1)] * 3, "VEC3")}] * len(weights), "attributes": {
            "POSITION": writer.accessor([(0, 0, 0), (1, 0, 0), (0, 1, 0)], "VEC3"),
            "JOINTS_0": writer.accessor([(0, 1, 0, 0)] * 3, "VEC4", 5123, "H"),
            "WEIGHTS_0": writer.accessor([(0.5, 0.5, 0, 0)] * 3, "VEC4")}}]}]
    document["skins"] = [{"joints": list(range(joints))} for _ in range(skins)]
    document["animations"] = [{"name": "loop", "channels": [{"sampler": 0, "target": {"node": 0, "path": "translation"}}], "samplers": [
        {"input": writer.accessor([0, 0.5, 1], "SCALAR"), "output": writer.accessor([(0, 0, 0), (1, 0, 0), (0, 0, 0)], "VEC3")}]}]
    return writer.text()
