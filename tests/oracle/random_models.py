"""Random glTF models and clips that use every corner of the format, the same for the same seed.

Chains and bushes of joints in any order, with or without inverse bind matrices; mirrored, unevenly scaled and sheared
nodes; skins that share joints; unskinned meshes; up to twelve influences a vertex in any weight type; morph targets;
LINEAR, STEP and CUBICSPLINE channels that start late, end early or have one key; integer and sparse data.
"""
import base64
import math
import random
import struct

FLOAT, UBYTE, USHORT, BYTE, SHORT, UINT = 5126, 5121, 5123, 5120, 5122, 5125
PACK = {FLOAT: "f", UBYTE: "B", USHORT: "H", BYTE: "b", SHORT: "h", UINT: "I"}
FULL = {UBYTE: 255, USHORT: 65535, BYTE: 127, SHORT: 32767}
TYPES = {1: "SCALAR", 2: "VEC2", 3: "VEC3", 4: "VEC4", 16: "MAT4"}


def f32(x):
    return struct.unpack("<f", struct.pack("<f", x))[0]


class Writer:
    """Collects accessors in one buffer."""

    def __init__(self, rng):
        self.rng, self.binary, self.views, self.accessors = rng, bytearray(), [], []

    def view(self, data, stride=None):
        while len(self.binary) % 4:
            self.binary.append(0)
        view = {"buffer": 0, "byteOffset": len(self.binary), "byteLength": len(data)}
        if stride:
            view["byteStride"] = stride
        self.binary += data
        self.views.append(view)
        return len(self.views) - 1

    def rows(self, rows, component=FLOAT, normalized=False, is_vertex=False):
        """An accessor of rows of numbers, sometimes sparse or strided where the format allows it."""
        width, code = len(rows[0]), PACK[component]
        encode = lambda x: round(x * FULL[component]) if normalized else (int(x) if component != FLOAT else x)
        pack = lambda row: struct.pack("<%d%s" % (width, code), *(encode(x) for x in row))
        size = len(pack(rows[0]))
        accessor = {"componentType": component, "type": TYPES[width], "count": len(rows)}
        if normalized:
            accessor["normalized"] = True
        if component == FLOAT and len(rows) > 2 and self.rng.random() < 0.15:
            picked = sorted(self.rng.sample(range(len(rows)), self.rng.randint(1, len(rows) - 1)))
            base = [[0.0] * width if i in picked else row for i, row in enumerate(rows)]
            accessor["bufferView"] = self.view(b"".join(map(pack, base)))
            accessor["sparse"] = {"count": len(picked), "indices": {
                "componentType": USHORT, "bufferView": self.view(struct.pack("<%dH" % len(picked), *picked))},
                "values": {"bufferView": self.view(b"".join(pack(rows[i]) for i in picked))}}
        elif is_vertex and (size % 4 or self.rng.random() < 0.3):
            stride = (size + 3) // 4 * 4 + 4 * self.rng.randint(0, 2)
            accessor["bufferView"] = self.view(b"".join(pack(row).ljust(stride, b"\xcd") for row in rows), stride)
        else:
            accessor["bufferView"] = self.view(b"".join(map(pack, rows)))
        self.accessors.append(accessor)
        return len(self.accessors) - 1


def quaternion(rng):
    q = [rng.gauss(0, 1) for _ in range(4)]
    n = math.sqrt(sum(x * x for x in q))
    return [f32(x / n) for x in q]


def vector(rng, size):
    return [f32(rng.uniform(-size, size)) for _ in range(3)]


def scales(rng):
    return [f32(rng.choice([1, 1, 1, -1]) * rng.uniform(0.4, 1.8)) for _ in range(3)]


def make_nodes(rng):
    """Joints as a random forest in shuffled order; some names are missing, empty or duplicate."""
    count = rng.randint(2, 12)
    order = list(range(count))
    rng.shuffle(order)
    nodes = [{} for _ in range(count)]
    for place, n in enumerate(order):
        node = nodes[n]
        if rng.random() < 0.8:
            node["name"] = rng.choice(["Bone", "", "Knochen ä", "joint%d" % n, "joint%d" % n])
        if rng.random() < 0.15:
            node["matrix"] = [f32(x) for c in range(3) for x in vector(rng, 1) + [0]] + vector(rng, 2) + [1]
        else:
            for path, value in (("translation", vector(rng, 2)), ("rotation", quaternion(rng)), ("scale", scales(rng))):
                if rng.random() < 0.75:
                    node[path] = value
        if place and rng.random() < 0.85:
            nodes[order[rng.randrange(place)]].setdefault("children", []).append(n)
    return nodes


def make_skin(rng, writer, joint_count):
    joints = rng.sample(range(joint_count), rng.randint(1, joint_count))
    skin = {"joints": joints}
    if rng.random() < 0.8:
        skin["inverseBindMatrices"] = writer.rows(
            [[x for c in range(3) for x in vector(rng, 1) + [0]] + vector(rng, 2) + [1] for _ in joints])
    return skin


def make_influences(rng, writer, attributes, vertex_count, joint_count):
    sets = rng.choice([1, 1, 2, 3])
    component = rng.choice([FLOAT, UBYTE, USHORT])
    joints = [[[rng.randrange(joint_count) for _ in range(4)] for _ in range(vertex_count)] for _ in range(sets)]
    shares = [[[rng.random() if rng.random() < 0.7 else 0.0 for _ in range(4)] for _ in range(vertex_count)] for _ in range(sets)]
    for v in range(vertex_count):
        shares[0][v][0] += 0.2
        total = sum(sum(s[v]) for s in shares)
        for s in shares:
            s[v] = [x / total for x in s[v]]
    for i in range(sets):
        attributes["JOINTS_%d" % i] = writer.rows(joints[i], rng.choice([UBYTE, USHORT]), is_vertex=True)
        attributes["WEIGHTS_%d" % i] = writer.rows(shares[i], component, component != FLOAT, is_vertex=True)


def make_mesh(rng, writer, joint_count):
    """joint_count 0: not for a skin."""
    vertex_count = 3 * rng.randint(1, 3)
    primitive = {"attributes": {"POSITION": writer.rows([vector(rng, 2) for _ in range(vertex_count)], is_vertex=True)}}
    if joint_count:
        make_influences(rng, writer, primitive["attributes"], vertex_count, joint_count)
    targets = rng.choice([0, 0, 1, 3])
    if targets:
        primitive["targets"] = [{"POSITION": writer.rows([vector(rng, 1) for _ in range(vertex_count)], is_vertex=True)}
                                for _ in range(targets)]
    mesh = {"primitives": [primitive]}
    if targets and rng.random() < 0.6:
        mesh["weights"] = [f32(rng.uniform(-1, 1)) for _ in range(targets)]
    return mesh


def make_sampler(rng, writer, path, width):
    keys = rng.choice([1, 2, 3, 6])
    times = [f32(rng.choice([0, 0, 0.75]) + 0.0)]
    for _ in range(keys - 1):
        times.append(f32(times[-1] + rng.uniform(0.05, 0.8)))
    mode = rng.choice(["LINEAR", "STEP", "CUBICSPLINE"])
    one = {"translation": lambda: vector(rng, 2), "rotation": lambda: quaternion(rng), "scale": lambda: scales(rng),
           "weights": lambda: [f32(rng.uniform(-1, 1)) for _ in range(width)]}[path]
    rows = []
    for _ in range(keys):
        value = one()
        tangent = lambda: [f32(rng.uniform(-2, 2)) for _ in value]
        rows += [tangent(), value, tangent()] if mode == "CUBICSPLINE" else [value]
    if path == "weights":
        rows = [[x] for row in rows for x in row]
    is_small = mode != "CUBICSPLINE" and path in ("rotation", "weights")
    component = rng.choice([FLOAT, FLOAT, SHORT]) if is_small else FLOAT
    sampler = {"input": writer.rows([[t] for t in times]), "output": writer.rows(rows, component, component != FLOAT)}
    if mode != "LINEAR" or rng.random() < 0.5:
        sampler["interpolation"] = mode
    return sampler


def make_animation(rng, writer, nodes, meshes):
    samplers, channels = [], []
    for n, node in enumerate(nodes):
        paths = [] if "matrix" in node else ["translation", "rotation", "scale"]
        targets = len(meshes[node["mesh"]]["primitives"][0].get("targets", [])) if "mesh" in node else 0
        for path in paths + (["weights"] if targets else []):
            if rng.random() < 0.6:
                channels.append({"sampler": len(samplers), "target": {"node": n, "path": path}})
                samplers.append(make_sampler(rng, writer, path, targets))
    return {"samplers": samplers, "channels": channels} if channels else None


def make(seed):
    """A glTF document with its buffer inside."""
    rng = random.Random(seed)
    writer = Writer(rng)
    nodes = make_nodes(rng)
    joint_count = len(nodes)
    skins = [make_skin(rng, writer, joint_count) for _ in range(rng.randint(1, 2))]
    meshes = []
    for s, skin in enumerate(skins):
        meshes.append(make_mesh(rng, writer, len(skin["joints"])))
        nodes.append({"mesh": len(meshes) - 1, "skin": s, "translation": vector(rng, 3), "rotation": quaternion(rng)})
    meshes.append(make_mesh(rng, writer, 0))
    nodes.append({"mesh": len(meshes) - 1, "translation": vector(rng, 3), "rotation": quaternion(rng), "scale": scales(rng)})
    if rng.random() < 0.5:
        nodes[rng.randrange(joint_count)].setdefault("children", []).append(len(nodes) - 1)
    for node in nodes[joint_count:]:
        targets = len(meshes[node["mesh"]]["primitives"][0].get("targets", []))
        if targets and rng.random() < 0.4:
            node["weights"] = [f32(rng.uniform(-1, 1)) for _ in range(targets)]
    children = {c for node in nodes for c in node.get("children", [])}
    roots = [n for n in range(len(nodes)) if n not in children]
    document = {"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": roots}], "nodes": nodes, "meshes": meshes,
                "skins": skins}
    animations = [a for a in (make_animation(rng, writer, nodes, meshes) for _ in range(rng.randint(1, 2))) if a]
    if animations:
        document["animations"] = animations
    document["bufferViews"], document["accessors"] = writer.views, writer.accessors
    document["buffers"] = [{"byteLength": len(writer.binary),
                            "uri": "data:application/octet-stream;base64," + base64.b64encode(writer.binary).decode()}]
    return document
