"""Skinned models with as many joints as asked for: what skeletons of games are like, but for their number.

Chains of six joints, from whose tips four others begin (a body and its limbs, a hand and its fingers); every joint turns, the first
also moves: 61 linear keys over two seconds, or 21 keys of cubic splines. One triangle for each joint. Formulas alone, so that two runs
measure the same.
"""
import json
import math
import struct

CHAIN, LIMBS, KEYS, FPS = 6, 4, 61, 30
SPLINE_STEP = 3  # a key of a spline for so many linear ones


def parent_of(joint):
    if joint == 0:
        return None
    if joint % CHAIN:
        return joint - 1
    return (joint // CHAIN - 1) // LIMBS * CHAIN + CHAIN - 1


def step_of(joint):
    """From the parent's origin to the joint's."""
    return 0.0 if joint == 0 else 0.1 * math.cos(joint), 0.12, 0.1 * math.sin(joint)


def rotation(joint, key):
    """A rotation about an axis of the joint's own: up to half a radian each way."""
    axis = math.cos(2.1 * joint), math.sin(1.3 * joint), math.cos(0.7 * joint + 1)
    length = math.sqrt(sum(one * one for one in axis))
    half = 0.25 * math.sin(2 * math.pi * key / (KEYS - 1) * (1 + joint % 2) + joint)
    return [one / length * math.sin(half) for one in axis] + [math.cos(half)]


class Binary:
    """Buffer, views and accessors of a glTF file."""

    def __init__(self):
        self.bytes, self.views, self.accessors = b"", [], []

    def add(self, rows, kind, component=5126):
        code, size = {5126: ("f", 4), 5123: ("H", 2)}[component]
        flat = [one for row in rows for one in row]
        self.bytes += b"\0" * (-len(self.bytes) % 4)
        self.views.append({"buffer": 0, "byteOffset": len(self.bytes), "byteLength": size * len(flat)})
        self.bytes += struct.pack(f"<{len(flat)}{code}", *flat)
        columns = list(zip(*rows))
        bounds = {} if kind == "MAT4" else {"min": [min(one) for one in columns], "max": [max(one) for one in columns]}
        self.accessors.append({"bufferView": len(self.views) - 1, "componentType": component, "count": len(rows), "type": kind, **bounds})
        return len(self.accessors) - 1


def single(value):
    """As float32, which min and max of an accessor must be."""
    return struct.unpack("<f", struct.pack("<f", value))[0]


def place(key):
    return [0.2 * math.sin(key / 7), 0.12, key / 100]


def spline(function, key):
    """In-tangent, value and out-tangent, as three rows."""
    slope = [(after - before) / 2e-3 * FPS for before, after in zip(function(key - 1e-3), function(key + 1e-3))]
    return [slope, function(key), slope]


def glb(joints, has_splines=False):
    """The file's bytes; nodes are joint_0 and so on, then the mesh."""
    data, places = Binary(), []
    for joint in range(joints):
        base = places[parent_of(joint)] if joint else (0.0, 0.0, 0.0)
        places.append(tuple(a + b for a, b in zip(base, step_of(joint))))
    corners = [(0.0, 0.0, 0.0), (0.05, 0.0, 0.0), (0.0, 0.1, 0.02)]
    positions = [[single(a + b) for a, b in zip(place, corner)] for place in places for corner in corners]
    inverse_bind = [[1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, -x, -y, -z, 1] for x, y, z in places]
    vertices = [joint for joint in range(joints) for _ in corners]
    primitive = {"attributes": {"POSITION": data.add(positions, "VEC3"),
                                "JOINTS_0": data.add([[joint, 0, 0, 0] for joint in vertices], "VEC4", 5123),
                                "WEIGHTS_0": data.add([[1.0, 0.0, 0.0, 0.0]] * len(vertices), "VEC4")}}
    skin = {"joints": list(range(joints)), "inverseBindMatrices": data.add(inverse_bind, "MAT4")}
    keys = range(0, KEYS, SPLINE_STEP if has_splines else 1)
    times = data.add([[single(key / FPS)] for key in keys], "SCALAR")
    samplers, channels = [], []
    for joint in range(joints):
        tracks = [("rotation", "VEC4", lambda key, joint=joint: rotation(joint, key))]
        if joint == 0:
            tracks.append(("translation", "VEC3", place))
        for path, kind, function in tracks:
            rows = [row for key in keys for row in (spline(function, key) if has_splines else [function(key)])]
            channels.append({"sampler": len(samplers), "target": {"node": joint, "path": path}})
            samplers.append({"input": times, "output": data.add([[single(one) for one in row] for row in rows], kind),
                             "interpolation": "CUBICSPLINE" if has_splines else "LINEAR"})
    nodes = [{"name": f"joint_{joint}", "translation": list(step_of(joint)),
              "children": [child for child in range(joint + 1, joints) if parent_of(child) == joint]} for joint in range(joints)]
    for node in nodes:
        if not node["children"]:
            del node["children"]
    document = {
        "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0, joints]}],
        "nodes": nodes + [{"name": "body", "mesh": 0, "skin": 0}], "skins": [skin], "meshes": [{"primitives": [primitive]}],
        "animations": [{"name": "move", "samplers": samplers, "channels": channels}],
        "accessors": data.accessors, "bufferViews": data.views, "buffers": [{"byteLength": len(data.bytes)}],
    }
    text = json.dumps(document, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 4)
    binary = data.bytes + b"\0" * (-len(data.bytes) % 4)
    return (struct.pack("<4sIIII", b"glTF", 2, 28 + len(text) + len(binary), len(text), 0x4E4F534A) + text +
            struct.pack("<II", len(binary), 0x004E4942) + binary)
