"""A model with every awkward case of the contract, the arithmetic for its expected results, and a reader of binary frames written only from
protocol/frames.md."""
import base64
import json
import math
import struct

TIMES_OF_BEND = [0.0, 1.0, 2.0]


class Document:
    """A glTF file under construction, with its bytes inside."""

    def __init__(self):
        self.bytes = b""
        self.root = {"asset": {"version": "2.0"}, "bufferViews": [], "accessors": []}

    def accessor(self, kind, values, component=5126, bounds=False):
        width = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}[kind]
        letter = {5126: "f", 5123: "H", 5121: "B"}[component]
        view = {"buffer": 0, "byteOffset": len(self.bytes), "byteLength": len(values) * struct.calcsize(letter)}
        self.bytes += struct.pack(f"<{len(values)}{letter}", *values)
        self.bytes += b"\0" * (-len(self.bytes) % 4)
        accessor = {"bufferView": len(self.root["bufferViews"]), "componentType": component,
                    "count": len(values) // width, "type": kind}
        if bounds:
            accessor["min"] = [min(values[i::width]) for i in range(width)]
            accessor["max"] = [max(values[i::width]) for i in range(width)]
        self.root["bufferViews"].append(view)
        self.root["accessors"].append(accessor)
        return len(self.root["accessors"]) - 1

    def text(self):
        data = base64.b64encode(self.bytes).decode()
        return json.dumps({**self.root, "buffers": [
            {"uri": "data:application/octet-stream;base64," + data, "byteLength": len(self.bytes)}]})


# --- the model ---

TURN_X = [0.5, 0.0, 0.0, math.sqrt(0.75)]  # 60 degrees
TURN_Y = [0.0, 0.6, 0.0, 0.8]
TURN_Z = [0.0, 0.0, math.sqrt(0.5), math.sqrt(0.5)]  # 90 degrees
SHEARED = [1, 0, 0, 0, 0.5, 2, 0, 0, 0, 0.25, 1, 0, 3, -1, 0.5, 1]
BONES = [[1, 0, 0, 0, 0, 0, -1, 0, 0, 1, 0, 0, 1, 2, 3, 1], [0.5, 0, 0, 0, 0, 2, 0, 0, 0, 0, 1, 0, -4, 0.25, 1, 1]]

HAND, MESH_NODE, ARM, SHEAR, ROOT, NAMELESS, OUTSIDE, TWIN_A, TWIN_B, DIGITS, COMMA = range(11)
NODES = [
    {"name": "hand", "translation": [3, 0.5, -1], "rotation": TURN_X, "scale": [1, 0.5, 2]},
    {"mesh": 0, "skin": 0, "translation": [-7, 2, 1], "rotation": TURN_Z, "scale": [2, 1, 0.25]},
    {"name": "arm", "children": [HAND], "translation": [1, 4, 2], "rotation": TURN_Y, "scale": [2, 3, 0.5]},
    {"name": "", "mesh": 1, "matrix": SHEARED},
    {"name": "root", "children": [ARM, MESH_NODE, SHEAR, NAMELESS], "translation": [10, -20, 30], "rotation": TURN_X,
     "scale": [1, 2, 4]},
    {"children": [TWIN_A, TWIN_B, DIGITS, COMMA]},
    {"name": "outside", "mesh": 1, "translation": [100, 0, 0]},
    {"name": "twin"},
    {"name": "twin", "translation": [0, 1, 0]},
    {"name": "7", "translation": [0, 0, 7]},
    {"name": "a,b+c", "translation": [1, 0, 0]},
]
PARENTS = [next((p for p, node in enumerate(NODES) if i in node.get("children", [])), -1) for i in range(len(NODES))]
BODY = [0, 0, 0, 1, 0, 0, 0, 1, 0, 2, 1, 5]
BODY_JOINTS = [0, 1, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0]
BODY_WEIGHTS = [0.75, 0.25, 0, 0, 1, 0, 0, 0, 0.5, 0.5, 0, 0, 1, 0, 0, 0]
PLATE = [0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4]

CLIPS = ["bend", "twin", "twin", None, "7", "", "late", "instant", "overflow"]
BEND, TWIN, _, UNNAMED, SEVEN, EMPTY, LATE, INSTANT, OVERFLOW = range(9)
ROOT_SCALES = [1, 2, 4, 3, 1, 2, 0.5, 0.5, 0.5]
MESH_PLACES = [-7, 2, 1, 0, 0, 0, 5, 5, 5]


def awkward():
    document = Document()
    root = document.root
    root["scene"], root["scenes"] = 0, [{"nodes": [ROOT]}]
    root["nodes"] = NODES
    normals = [0, 0, 1] * 4
    body = {"POSITION": document.accessor("VEC3", BODY, bounds=True), "NORMAL": document.accessor("VEC3", normals),
            "JOINTS_0": document.accessor("VEC4", BODY_JOINTS, 5123),
            "WEIGHTS_0": document.accessor("VEC4", BODY_WEIGHTS)}
    plate = {"POSITION": document.accessor("VEC3", PLATE, bounds=True)}
    indices = document.accessor("SCALAR", [0, 1, 2, 0, 2, 3], 5123)
    root["meshes"] = [
        {"name": "body", "primitives": [{"attributes": body, "indices": indices}]},
        {"primitives": [{"attributes": plate, "indices": indices}, {"attributes": plate, "indices": indices}]},
    ]
    root["skins"] = [
        {"name": "two", "joints": [ARM, HAND], "inverseBindMatrices": document.accessor("MAT4", sum(BONES, []))},
        {"name": "3", "joints": [HAND]},
        {"joints": [HAND, ARM]},
        {"name": "two", "joints": [ARM]},
    ]

    def clip(name, *channels):
        one = {"samplers": [], "channels": []}
        if name is not None:
            one["name"] = name
        for node, path, times, values, interpolation in channels:
            kind = "VEC4" if path == "rotation" else "VEC3"
            one["channels"].append({"sampler": len(one["samplers"]), "target": {"node": node, "path": path}})
            one["samplers"].append({"input": document.accessor("SCALAR", times, bounds=True),
                                    "output": document.accessor(kind, values), "interpolation": interpolation})
        return one

    hand = [0, 0, 0, 2, 0, 0]
    root["animations"] = [
        clip("bend", (ARM, "rotation", TIMES_OF_BEND, TURN_Y + TURN_Z + TURN_X, "LINEAR"),
             (ROOT, "scale", TIMES_OF_BEND, ROOT_SCALES, "LINEAR"),
             (MESH_NODE, "translation", TIMES_OF_BEND, MESH_PLACES, "LINEAR")),
        clip("twin", (HAND, "translation", [0, 1], hand, "LINEAR")),
        clip("twin", (HAND, "translation", [0, 4], hand, "LINEAR")),
        clip(None, (HAND, "translation", [0, 0.5], hand, "LINEAR")),
        clip("7", (HAND, "translation", [0, 0.25], hand, "LINEAR")),
        clip("", (HAND, "translation", [0, 0.75], hand, "LINEAR")),
        clip("late", (HAND, "translation", [1, 2, 3], [5, 0, 0, 6, 0, 0, 7, 0, 0], "STEP")),
        clip("instant", (HAND, "translation", [0], [9, 9, 9], "LINEAR")),
        clip("overflow", (HAND, "translation", [0, 1], [0, 0, 0, 3e38, 3e38, 3e38], "LINEAR")),
    ]
    return document.text()


# --- arithmetic: matrices are 16 numbers in columns ---

IDENTITY = [float(i % 5 == 0) for i in range(16)]


def product(a, b):
    return [sum(a[4 * k + r] * b[4 * c + k] for k in range(4)) for c in range(4) for r in range(4)]


def place(m, v):
    return [sum(m[4 * k + r] * x for k, x in enumerate([*v, 1])) for r in range(3)]


def of_trs(trs):
    x, y, z, w = trs[3:7]
    turn = [[1 - 2 * (y * y + z * z), 2 * (x * y + z * w), 2 * (x * z - y * w)],
            [2 * (x * y - z * w), 1 - 2 * (x * x + z * z), 2 * (y * z + x * w)],
            [2 * (x * z + y * w), 2 * (y * z - x * w), 1 - 2 * (x * x + y * y)]]
    return sum(([turn[c][r] * trs[7 + c] for r in range(3)] + [0] for c in range(3)), []) + [*trs[0:3], 1]


def inverse(m):
    """The inverse of an affine matrix, by cofactors."""
    a = [m[4 * c:4 * c + 3] for c in range(3)]
    cross = [[a[(c + 1) % 3][(r + 1) % 3] * a[(c + 2) % 3][(r + 2) % 3]
              - a[(c + 1) % 3][(r + 2) % 3] * a[(c + 2) % 3][(r + 1) % 3] for r in range(3)] for c in range(3)]
    whole = sum(a[0][r] * cross[0][r] for r in range(3))
    linear = sum(([cross[r][c] / whole for r in range(3)] + [0] for c in range(3)), [])
    back = place(linear + [0, 0, 0, 1], m[12:15])
    return linear + [-x for x in back] + [1]


def mix(a, b, u):
    return [x + (y - x) * u for x, y in zip(a, b)]


def slerp(a, b, u):
    cosine = sum(x * y for x, y in zip(a, b))
    if cosine < 0:
        b, cosine = [-y for y in b], -cosine
    angle = math.acos(min(cosine, 1))
    sine = math.sin(angle)
    return [(math.sin((1 - u) * angle) * x + math.sin(u * angle) * y) / sine for x, y in zip(a, b)]


def rest_trs(node):
    node = NODES[node]
    return [*node.get("translation", [0, 0, 0]), *node.get("rotation", [0, 0, 0, 1]), *node.get("scale", [1, 1, 1])]


def bend(time=None):
    """scene_from_node of every node in the clip 'bend' at a time of 0..2; at rest without a time."""
    local = [NODES[i].get("matrix") or of_trs(rest_trs(i)) for i in range(len(NODES))]
    if time is not None:
        key = min(int(time), 1)
        u = time - key
        arm, root, mesh = rest_trs(ARM), rest_trs(ROOT), rest_trs(MESH_NODE)
        turns = [TURN_Y, TURN_Z, TURN_X]
        arm[3:7] = slerp(turns[key], turns[key + 1], u)
        root[7:10] = mix(ROOT_SCALES[3 * key:3 * key + 3], ROOT_SCALES[3 * key + 3:3 * key + 6], u)
        mesh[0:3] = mix(MESH_PLACES[3 * key:3 * key + 3], MESH_PLACES[3 * key + 3:3 * key + 6], u)
        local[ARM], local[ROOT], local[MESH_NODE] = of_trs(arm), of_trs(root), of_trs(mesh)

    def scene(node):
        return local[node] if PARENTS[node] < 0 else product(scene(PARENTS[node]), local[node])

    return [scene(i) for i in range(len(NODES))]


def is_near(a, b, tolerance=2e-6):
    """Whether two lists agree within a share of their size."""
    size = max(1, *map(abs, b))
    return len(a) == len(b) and all(abs(x - y) <= tolerance * size for x, y in zip(a, b))


def bits(floats):
    return struct.pack(f"<{len(floats)}f", *floats)


# --- binary frames, after protocol/frames.md ---

KINDS = {1: "palette", 2: "scene", 3: "local", 4: "local_matrix", 5: "positions", 6: "normals", 7: "root_motion",
         16: "nodes", 17: "sheared", 18: "rest", 19: "indices"}


class Frames:
    def __init__(self, data):
        self.data = data
        (magic, self.version, self.layout, self.header_bytes, self.kind, self.space, self.frame_count, self.block_count,
         self.clip, self.wrap, self.frames_offset, self.frame_bytes, self.size_bytes, self.duration_s,
         content) = struct.unpack_from("<4s2HI2H2IiI3Qd32s", data)
        self.hash = content.hex()
        assert magic == b"PSDF" and self.version == 1 and self.size_bytes == len(data)
        assert self.header_bytes % 16 == self.frames_offset % 16 == self.frame_bytes % 16 == 0
        rows = [struct.unpack_from("<2HI2i2IQ", data, 96 + 32 * i) for i in range(self.block_count)]
        names = ["kind", "once", "index", "node", "primitive", "count", "item_bytes", "offset"]
        self.blocks = [dict(zip(names, row), name=KINDS[row[0]]) for row in rows]
        self.times = list(struct.iter_unpack("<2d", data[96 + 32 * self.block_count:][:16 * self.frame_count]))
        assert [b["once"] for b in self.blocks] == sorted((b["once"] for b in self.blocks), reverse=True)
        assert all(b["offset"] % 16 == 0 for b in self.blocks)

    def named(self, name):
        return [block for block in self.blocks if block["name"] == name]

    def bytes(self, block, frame=0):
        at = (0 if block["once"] else self.frames_offset + frame * self.frame_bytes) + block["offset"]
        return self.data[at:at + block["count"] * block["item_bytes"]]

    def integers(self, block):
        return list(struct.unpack(f"<{block['count']}I", self.bytes(block)))
