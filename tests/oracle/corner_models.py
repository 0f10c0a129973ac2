"""Small glTF files, one for each group of corner cases of the format, as their names say. Every one has joints that are rotated, unevenly
scaled and off the origin. Numbers are written as float32, so that a file has the same meaning everywhere."""
import base64
import math
import struct

from random_models import BYTE, FLOAT, PACK, SHORT, TYPES, UBYTE, USHORT, f32

FULL = {UBYTE: 255, USHORT: 65535, BYTE: 127, SHORT: 32767}
POINTS = [[1, 2, 3], [4, 1, -1], [2, 6, 0.5], [-3, 1, 2], [0.5, -2, 1], [2, 2, -4]]


def quaternion(axis, degrees):
    n = math.sqrt(sum(x * x for x in axis))
    s = math.sin(math.radians(degrees) / 2)
    return [f32(x / n * s) for x in axis] + [f32(math.cos(math.radians(degrees) / 2))]


class File:
    """A glTF document under construction, with one buffer."""

    def __init__(self, nodes):
        self.binary = bytearray()
        self.document = {"asset": {"version": "2.0"}, "nodes": nodes, "bufferViews": [], "accessors": []}

    def view(self, data, stride=None):
        while len(self.binary) % 4:
            self.binary.append(0)
        view = {"buffer": 0, "byteOffset": len(self.binary), "byteLength": len(data)}
        if stride:
            view["byteStride"] = stride
        self.binary += data
        self.document["bufferViews"].append(view)
        return len(self.document["bufferViews"]) - 1

    def rows(self, rows, component=FLOAT, normalized=False, stride=None):
        """An accessor; normalized: the rows are in -1..1 and stored as integers."""
        encode = lambda x: round(x * FULL[component]) if normalized else (x if component == FLOAT else int(x))
        pack = lambda row: struct.pack("<%d%s" % (len(row), PACK[component]), *map(encode, row))
        accessor = {"bufferView": self.view(b"".join(pack(row).ljust(stride or 0, b"\xcd") for row in rows), stride),
                    "componentType": component, "type": TYPES[len(rows[0])], "count": len(rows)}
        if normalized:
            accessor["normalized"] = True
        self.document["accessors"].append(accessor)
        return len(self.document["accessors"]) - 1

    def sparse(self, count, changes, base=None):
        """An accessor of zeros or of `base` (rows) in which some rows are others."""
        width = len(next(iter(changes.values())))
        pack = lambda rows: b"".join(struct.pack("<%df" % width, *row) for row in rows)
        places = sorted(changes)
        accessor = {"componentType": FLOAT, "type": TYPES[width], "count": count, "sparse": {
            "count": len(places),
            "indices": {"componentType": UBYTE, "bufferView": self.view(bytes(places))},
            "values": {"bufferView": self.view(pack(changes[i] for i in places))}}}
        if base:
            accessor["bufferView"] = self.view(pack(base))
        self.document["accessors"].append(accessor)
        return len(self.document["accessors"]) - 1

    def add(self, kind, **item):
        self.document.setdefault(kind, []).append(item)
        return len(self.document[kind]) - 1

    def skin(self, joints, binds=None):
        if binds:
            return self.add("skins", joints=joints, inverseBindMatrices=self.rows([[f32(x) for x in m] for m in binds]))
        return self.add("skins", joints=joints)

    def clip(self, name, *channels):
        """channels: (node, path, times, values, interpolation); values as rows, three a key for CUBICSPLINE."""
        clip = {"samplers": [], "channels": []}
        if name is not None:
            clip["name"] = name
        for node, path, times, values, interpolation, *output in channels:
            if path == "weights" and not output:
                values = [[x] for row in values for x in row]
            clip["channels"].append({"sampler": len(clip["samplers"]), "target": {"node": node, "path": path}})
            clip["samplers"].append({"input": self.rows([[f32(t)] for t in times]), "interpolation": interpolation,
                                     "output": output[0] if output else self.rows(values)})
        self.document.setdefault("animations", []).append(clip)

    def finish(self, roots=None):
        nodes = self.document["nodes"]
        children = {c for node in nodes for c in node.get("children", [])}
        self.document["scene"] = 0
        self.document["scenes"] = [{"nodes": roots if roots is not None else [n for n in range(len(nodes)) if n not in children]}]
        self.document["buffers"] = [{"byteLength": len(self.binary), "uri": "data:application/octet-stream;base64," +
                                     base64.b64encode(self.binary).decode()}]
        return self.document


def chain():
    """Three joints below each other, children first: nodes 2 > 1 > 0."""
    return [{"name": "hand", "translation": [0, 5, -1], "rotation": quaternion([1, 2, -1], 50), "scale": [1, 1.5, 1]},
            {"name": "arm", "translation": [4, 0, 1], "rotation": quaternion([-1, 0.5, 3], 70), "scale": [1.25, 1, 0.75],
             "children": [0]},
            {"name": "base", "translation": [1, 2, 3], "rotation": quaternion([0.3, 1, 0.2], 35), "scale": [1, 2, 0.5],
             "children": [1]}]


BINDS = [[1, 0.25, 0, 0, -0.5, 1.5, 0.125, 0, 0, 0.5, 0.75, 0, 2, -1, 3, 1],
         [0, 1, 0, 0, -1.25, 0, 0.5, 0, 0.25, 0, 1, 0, -4, 0.5, 1, 1],
         [0.5, 0, 1, 0, 0, -1, 0.25, 0, 1.5, 0, 0, 0, 1, 3, -2, 1]]


def swing(file, **output):
    file.clip("swing", (2, "rotation", [0, 0.5, 1.25], [quaternion([0.3, 1, 0.2], d) for d in (35, 170, 300)], "LINEAR"),
              (1, "translation", [0.25, 1], [[4, 0, 1], [2, 3, -1]], "LINEAR"),
              (0, "scale", [0, 1], [[1, 1.5, 1], [2, 0.5, 1]], "LINEAR"))


def influences(file, joints, weights, component=FLOAT):
    """Attributes of one set for every four influences."""
    found = {}
    for i in range(len(joints[0]) // 4):
        found["JOINTS_%d" % i] = file.rows([row[4 * i:4 * i + 4] for row in joints], UBYTE)
        found["WEIGHTS_%d" % i] = file.rows([row[4 * i:4 * i + 4] for row in weights], component, component != FLOAT)
    return found


JOINTS = [[0, 1, 2, 0], [1, 0, 2, 0], [2, 1, 0, 0], [2, 0, 1, 0], [0, 2, 1, 0], [1, 2, 0, 0]]
WEIGHTS = [[1, 0, 0, 0], [0.25, 0.75, 0, 0], [0.2, 0.3, 0.5, 0], [0, 1, 0, 0], [0.6, 0, 0.4, 0], [0.5, 0.5, 0, 0]]


def skins():
    """Two skins that share joints in other orders with other inverse bind matrices, one mesh in both, mesh nodes whose transforms must not
    count, a joint outside the scene, a mirrored joint."""
    nodes = chain() + [{"name": "stray", "translation": [-2, 1, 4], "rotation": quaternion([1, 0, 1], 80), "scale": [-1, 1.5, 1]}]
    file = File(nodes)
    one = file.skin([2, 0, 1], BINDS)
    other = file.skin([3, 1, 2], [BINDS[2], BINDS[0], BINDS[1]])
    mesh = file.add("meshes", primitives=[{"attributes": {"POSITION": file.rows(POINTS), **influences(file, JOINTS, WEIGHTS)}}])
    for skin in (one, other):
        nodes.append({"mesh": mesh, "skin": skin, "translation": [50, 60, 70], "rotation": quaternion([1, 1, 1], 120), "scale": [3, 3, 3]})
    swing(file)
    file.clip("stray", (3, "rotation", [0, 1], [quaternion([1, 0, 1], 80), quaternion([0, 1, 0], 20)], "LINEAR"))
    return file.finish(roots=[2, 4, 5])


def weights():
    """No inverse bind matrices, twelve influences a vertex in three sets, weights that do not sum to 1."""
    nodes = chain()
    file = File(nodes)
    skin = file.skin([0, 1, 2])
    joints = [[(v + i) % 3 for i in range(12)] for v in range(6)]
    shares = [[f32(((5 * v + 3 * i) % 7) / 10) for i in range(12)] for v in range(6)]
    mesh = file.add("meshes", primitives=[{"attributes": {"POSITION": file.rows(POINTS), **influences(file, joints, shares)}}])
    nodes.append({"mesh": mesh, "skin": skin})
    swing(file)
    return file.finish()


def names():
    """Missing, empty, and shared names, in several scripts, for nodes and clips; a mesh and its node with one name."""
    nodes = chain() + [{"translation": [1, 0, 0], "rotation": quaternion([0, 0, 1], 30)}, {"name": "", "translation": [0, 3, 1]}]
    for node, name in zip(nodes, ["Bone", "Bone", "骨"]):
        node["name"] = name
    nodes[0]["children"] = [3]
    nodes[3]["children"] = [4]
    file = File(nodes)
    mesh = file.add("meshes", name="Bone", primitives=[{"attributes": {"POSITION": file.rows(POINTS)}}])
    nodes.append({"name": "Bone", "mesh": mesh, "translation": [7, 8, 9], "scale": [1, 2, 3]})
    nodes[4]["children"] = [5]
    for name, node in (("Lauf ü", 0), ("Lauf ü", 1), (None, 3), ("", 4)):
        file.clip(name, (node, "rotation", [0, 1], [quaternion([1, 2, 3], 10), quaternion([3, 1, -1], 140)], "LINEAR"))
    return file.finish()


def morph():
    """Morph targets before the skin; weights LINEAR, STEP and CUBICSPLINE; default weights of a mesh and of a node."""
    nodes = chain()
    file = File(nodes)
    skin = file.skin([0, 1, 2], BINDS)
    targets = [{"POSITION": file.rows([[0.5 * v, 1, -v] for v in range(6)])}, {"POSITION": file.sparse(6, {1: [3, 0, 1], 4: [0, -2, 5]})}]
    mesh = file.add("meshes", weights=[0.25, -0.5], primitives=[{
        "attributes": {"POSITION": file.rows(POINTS), **influences(file, JOINTS, WEIGHTS)}, "targets": targets}])
    nodes += [{"mesh": mesh, "skin": skin}, {"mesh": mesh, "skin": skin, "weights": [1.5, 0.75]}]
    turn = (1, "rotation", [0, 1], [quaternion([-1, 0.5, 3], 70), quaternion([1, 1, 0], 10)], "LINEAR")
    rows = [[0, 1], [0.75, -0.25], [2, 0.5]]
    file.clip("linear", turn, (3, "weights", [0, 0.5, 1.5], rows, "LINEAR"))
    file.clip("step", turn, (4, "weights", [0.25, 0.5, 1.5], rows, "STEP"))
    tangents = [[1, -2], [0.5, 3], [-1, 1]]
    file.clip("cubic", (3, "weights", [0, 0.5, 1.5], [x for row, d in zip(rows, tangents) for x in (d, row, d[::-1])], "CUBICSPLINE"))
    return file.finish()


def integers():
    """KHR_mesh_quantization: positions, deltas and normals as integers; rotations and weights normalized; sparse keys; -32768."""
    nodes = chain()
    file = File(nodes)
    file.document["extensionsUsed"] = file.document["extensionsRequired"] = ["KHR_mesh_quantization"]
    skin = file.skin([2, 1, 0], BINDS)
    small = [[x / 8 for x in p] for p in POINTS]
    mesh = file.add("meshes", primitives=[{
        "attributes": {"POSITION": file.rows(small, SHORT, True, stride=8), "NORMAL": file.rows([[0, 0, 1]] * 6, BYTE, True, stride=4),
                       **influences(file, JOINTS, WEIGHTS, UBYTE)},
        "targets": [{"POSITION": file.rows([[1, 0, -1]] * 6, BYTE, True, stride=4)}]}])
    whole = file.add("meshes", primitives=[{"attributes": {"POSITION": file.rows(POINTS, BYTE, stride=4)}}])
    nodes += [{"mesh": mesh, "skin": skin, "weights": [0.5]}, {"mesh": whole, "scale": [0.5, 0.25, 2], "translation": [1, 1, 1]}]
    turns = [quaternion([1, 2, -1], d) for d in (50, 120, 200)]
    low = file.rows([[-1, 0, 0, 0], [0, 0, 1, 0]], SHORT, True)
    view = file.document["bufferViews"][file.document["accessors"][low]["bufferView"]]
    file.binary[view["byteOffset"]:view["byteOffset"] + 2] = struct.pack("<h", -32768)
    file.clip("shorts", (0, "rotation", [0, 1, 2], None, "LINEAR", file.rows(turns, SHORT, True)),
              (2, "rotation", [0, 2], None, "LINEAR", low))
    exact = [[-80, 80, -25, 52], [-88, 2, 59, 70], [54, 69, 66, 64]]  # 127 long
    file.clip("bytes", (1, "rotation", [0, 1, 2], None, "LINEAR", file.rows([[x / 127 for x in q] for q in exact], BYTE, True)),
              (3, "weights", [0, 1.5], None, "LINEAR", file.rows([[0.1], [0.9]], UBYTE, True)))
    file.clip("sparse", (1, "translation", [0, 1, 2], None, "LINEAR", file.sparse(3, {1: [4, 3, 2]}, base=[[4, 0, 1]] * 3)),
              (0, "translation", [0, 1], None, "LINEAR", file.sparse(2, {1: [1, 2, 3]})))
    return file.finish()


def curves():
    """Each interpolation on each path; late starts, early ends, single keys; quaternions whose neighbours have the opposite sign."""
    nodes = chain() + [{"name": "still", "translation": [9, 0, 1], "matrix": [1, 0.5, 0, 0, 0.25, 2, 0, 0, 0, -0.5, 1, 0, 3, 1, 2, 1]}]
    nodes[3].pop("translation")
    nodes[2]["children"] = [1, 3]
    file = File(nodes)
    skin = file.skin([0, 1, 2, 3], BINDS + [BINDS[1]])
    mesh = file.add("meshes", primitives=[{"attributes": {"POSITION": file.rows(POINTS), **influences(file, JOINTS, WEIGHTS)}}])
    solid = file.add("meshes", primitives=[{"attributes": {"POSITION": file.rows(POINTS)}}])
    nodes += [{"mesh": mesh, "skin": skin}]
    nodes[3]["mesh"] = solid
    minus = lambda q: [-x for x in q]
    turns = [quaternion([1, 2, -1], 50), minus(quaternion([1, 2, -1], 110)), quaternion([0, 1, 1], 60)]
    places, sizes = [[0, 5, -1], [3, 1, 2], [-2, 4, 0]], [[1, 1.5, 1], [2, 0.5, 1], [0.75, 1, 3]]
    late = [0.75, 1, 2.25]
    for mode in ("LINEAR", "STEP"):
        file.clip(mode, (0, "translation", late, places, mode), (1, "rotation", [0, 0.5, 1.5], turns, mode), (2, "scale", [0, 1, 3], sizes, mode))
    tangent = lambda k, width: [f32(math.sin(7 * k + i)) * 3 for i in range(width)]
    cubic = lambda rows: [x for k, row in enumerate(rows) for x in (tangent(2 * k, len(row)), row, tangent(2 * k + 1, len(row)))]
    file.clip("CUBICSPLINE", (0, "translation", late, cubic(places), "CUBICSPLINE"),
              (1, "rotation", [0, 0.5, 1.5], cubic(turns), "CUBICSPLINE"), (2, "scale", [0, 1, 3], cubic(sizes), "CUBICSPLINE"))
    file.clip("one key", (0, "rotation", [1.5], [turns[2]], "LINEAR"), (1, "translation", [0], [[1, 1, 1]], "STEP"),
              (2, "scale", [0.5], cubic([sizes[1]]), "CUBICSPLINE"))
    return file.finish()


ALL = {"corner_%s.gltf" % make.__name__: make for make in (skins, weights, names, morph, integers, curves)}
