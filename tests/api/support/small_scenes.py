"""Small animated models as plain Python data that a test can change in one place, and the glTF files of them.

A scene is a dictionary: `nodes` (name: parent, translation, rotation, scale), `skin` (joints and their inverse binds), `meshes`, `materials`, `pictures`, `clips`
(name: {(node, path): (interpolation, times, rows)}).
"""
import base64
import collections
import json
import math
import pathlib
import struct
import sys
import zlib

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "oracle"))
from matrices import flat, from_trs, inverse, scene_matrices  # noqa: E402

HALF = 0.5 ** 0.5
WIDTHS = {1: "SCALAR", 2: "VEC2", 3: "VEC3", 4: "VEC4", 16: "MAT4"}
CODES = {5126: "f", 5123: "H", 5121: "B"}


def about(axis, degrees):
    """A quaternion; the axis need not be of unit length."""
    n, s = math.sqrt(sum(x * x for x in axis)), math.sin(math.radians(degrees) / 2)
    return [x / n * s for x in axis] + [math.cos(math.radians(degrees) / 2)]


def png(colors):
    """A picture of one row of RGB colours for each list."""
    chunk = lambda kind, data: struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    rows = b"".join(b"\0" + b"".join(map(bytes, row)) for row in colors)
    header = struct.pack(">IIBBBBB", len(colors[0]), len(colors), 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def rest_matrices(scene):
    """scene_from_node of every node by its name."""
    names = list(scene["nodes"])
    parts = [scene["nodes"][name] for name in names]
    local = [from_trs(p.get("translation", [0, 0, 0]), p.get("rotation", [0, 0, 0, 1]), p.get("scale", [1, 1, 1])) for p in parts]
    return dict(zip(names, scene_matrices([names.index(p["parent"]) if p.get("parent") else -1 for p in parts], local)))


def bound(scene):
    """The same scene with inverse binds from its rest pose."""
    at_rest = rest_matrices(scene)
    scene["skin"] = {joint: flat(inverse(at_rest[joint])) for joint in scene["skin"]}
    return scene


class File:
    """A glTF file under construction, with everything inside."""

    def __init__(self):
        self.bytes = b""
        self.document = {"asset": {"version": "2.0"}, "scene": 0, "bufferViews": [], "accessors": [], "nodes": []}

    def view(self, data):
        self.document["bufferViews"].append({"buffer": 0, "byteOffset": len(self.bytes), "byteLength": len(data)})
        self.bytes += data + b"\0" * (-len(data) % 4)
        return len(self.document["bufferViews"]) - 1

    def rows(self, rows, component=5126, has_bounds=False):
        width = len(rows[0])
        accessor = {"bufferView": self.view(b"".join(struct.pack(f"<{width}{CODES[component]}", *row) for row in rows)),
                    "componentType": component, "count": len(rows), "type": WIDTHS[width]}
        if has_bounds:
            as_stored = [struct.unpack(f"<{width}f", struct.pack(f"<{width}f", *row)) for row in rows]
            accessor.update(min=list(map(min, *as_stored, as_stored[0])), max=list(map(max, *as_stored, as_stored[0])))
        self.document["accessors"].append(accessor)
        return len(self.document["accessors"]) - 1

    def glb(self):
        self.document["buffers"] = [{"byteLength": len(self.bytes)}]
        text = json.dumps(self.document).encode()
        text += b" " * (-len(text) % 4)
        return struct.pack("<4sIIII", b"glTF", 2, 28 + len(text) + len(self.bytes), len(text), 0x4E4F534A) + text \
            + struct.pack("<II", len(self.bytes), 0x004E4942) + self.bytes

    def text(self):
        self.document["buffers"] = [{"byteLength": len(self.bytes), "uri": "data:application/octet-stream;base64," +
                                     base64.b64encode(self.bytes).decode()}]
        return json.dumps(self.document)


def put_nodes(file, scene):
    names = list(scene["nodes"])
    below = collections.defaultdict(list)
    for i, part in enumerate(scene["nodes"].values()):
        below[part.get("parent")].append(i)
    for name, part in scene["nodes"].items():
        children = below[name]
        node = {**({} if scene.get("has_unnamed_nodes") else {"name": name}), **{k: v for k, v in part.items() if k != "parent"}, **({"children": children} if children else {})}
        file.document["nodes"].append(node)
    file.document["scenes"] = [{"nodes": [i for i, part in enumerate(scene["nodes"].values()) if not part.get("parent")]}]
    return names


def put_materials(file, scene):
    if scene.get("pictures"):
        file.document["images"] = [{"name": name, "bufferView": file.view(data), "mimeType": "image/png"}
                                   for name, data in scene["pictures"].items()]
        file.document["textures"] = [{"source": i} for i in range(len(scene["pictures"]))]
    if scene.get("materials"):
        name_of = lambda name: {} if scene.get("has_unnamed_materials") else {"name": name}
        file.document["materials"] = [{**name_of(name), **material} for name, material in scene["materials"].items()]


def put_primitive(file, scene, part):
    attributes = {"POSITION": file.rows(part["positions"], has_bounds=True)}
    for key, semantic in (("normals", "NORMAL"), ("tangents", "TANGENT"), ("uvs", "TEXCOORD_0")):
        if key in part:
            attributes[semantic] = file.rows(part[key])
    if "weights" in part:  # of each vertex {joint: share}
        joints = list(scene["skin"])
        pad = lambda row: (row + [0] * 4)[:4]
        attributes["JOINTS_0"] = file.rows([pad([joints.index(joint) for joint in row]) for row in part["weights"]], 5121)
        attributes["WEIGHTS_0"] = file.rows([pad(list(row.values())) for row in part["weights"]])
    primitive = {"attributes": attributes, "indices": file.rows([[i] for triangle in part["triangles"] for i in triangle], 5123)}
    if "targets" in part:
        primitive["targets"] = [{"POSITION": file.rows(rows, has_bounds=True)} for rows in part["targets"].values()]
    if "material" in part:
        primitive["material"] = list(scene["materials"]).index(part["material"])
    return primitive


def put_meshes(file, scene, names):
    file.document["meshes"] = []
    for node, parts in scene["meshes"].items():
        mesh = {"name": node + "_mesh", "primitives": [put_primitive(file, scene, part) for part in parts]}
        if "targets" in parts[0]:
            mesh.update(weights=[0.0] * len(parts[0]["targets"]), extras={"targetNames": list(parts[0]["targets"])})
        file.document["nodes"][names.index(node)]["mesh"] = len(file.document["meshes"])
        file.document["meshes"].append(mesh)
        if "weights" in parts[0]:
            file.document["nodes"][names.index(node)]["skin"] = 0
    if scene.get("skin"):
        file.document["skins"] = [{"joints": [names.index(joint) for joint in scene["skin"]],
                                   "inverseBindMatrices": file.rows(list(scene["skin"].values()))}]


def put_clips(file, scene, names):
    file.document["animations"] = []
    for name, channels in scene["clips"].items():
        clip = {**({"name": name} if name and not scene.get("has_unnamed_clips") else {}), "samplers": [], "channels": []}
        for (node, path), (mode, times, rows) in channels.items():
            rows = [[x] for row in rows for x in row] if path == "weights" else rows
            clip["channels"].append({"sampler": len(clip["samplers"]), "target": {"node": names.index(node), "path": path}})
            clip["samplers"].append({"input": file.rows([[t] for t in times], has_bounds=True), "output": file.rows(rows), "interpolation": mode})
        file.document["animations"].append(clip)


def file_of(scene):
    file = File()
    names = put_nodes(file, scene)
    put_materials(file, scene)
    put_meshes(file, scene, names)
    put_clips(file, scene, names)
    return file


def glb(scene):
    return file_of(scene).glb()


def text(scene):
    return file_of(scene).text()


QUARTERS = [0.0, 0.25, 0.5, 0.75, 1.0]


def swing(axis, *degrees):
    return [about(axis, one) for one in degrees]


def box(center, size, is_open=False):
    """(positions, triangles) of a box."""
    positions = [[c + s * sign for c, s, sign in zip(center, size, signs)]
                 for signs in ((-1, -1, -1), (1, -1, -1), (1, 1, -1), (-1, 1, -1), (-1, -1, 1), (1, -1, 1), (1, 1, 1), (-1, 1, 1))]
    quads = [(0, 3, 2, 1), (4, 5, 6, 7), (0, 1, 5, 4), (2, 3, 7, 6), (1, 2, 6, 5), (0, 4, 7, 3)]
    triangles = [t for a, b, c, d in quads[:5 if is_open else 6] for t in ((a, b, c), (a, c, d))]
    return positions, triangles


def hero(root=None, finger=(0.9, 1.1, 1)):
    """A character whose root is rotated, unevenly scaled and off the origin, with large joints and a small finger (its scale)."""
    nodes = {
        "root": {"parent": None, **(root or {"translation": [5, -1, 2], "rotation": [0, 0, HALF, HALF], "scale": [2, 1, 0.5]})},
        "hips": {"parent": "root", "translation": [0, 1, 0]},
        "spine": {"parent": "hips", "translation": [0, 0.4, 0], "rotation": about([1, 0, 0], 5)},
        "head": {"parent": "spine", "translation": [0, 0.8, 0]},
        "upper_arm.L": {"parent": "spine", "translation": [0.3, 0.6, 0], "rotation": about([0, 0, 1], -60)},
        "forearm.L": {"parent": "upper_arm.L", "translation": [0, 0.4, 0], "rotation": about([1, 0, 0.2], 15)},
        "hand.L": {"parent": "forearm.L", "translation": [0, 0.35, 0]},
        "finger.L": {"parent": "hand.L", "translation": [0.02, 0.1, 0], "scale": list(finger)},
        "thigh.L": {"parent": "hips", "translation": [0.15, 0, 0], "rotation": about([1, 0, 0], 175)},
        "shin.L": {"parent": "thigh.L", "translation": [0, 0.5, 0]},
        "toe.L": {"parent": "shin.L", "translation": [0, 0.45, 0.1]},
        "body": {"parent": None},
    }
    joints = [name for name in nodes if name not in ("root", "body")]
    scene = {"nodes": nodes, "skin": dict.fromkeys(joints), "materials": {
        "hide": {"pbrMetallicRoughness": {"baseColorFactor": [0.8, 0.6, 0.4, 1], "metallicFactor": 0.1, "roughnessFactor": 0.7,
                                          "baseColorTexture": {"index": 0}}},
        "eyes": {"pbrMetallicRoughness": {"baseColorFactor": [0.1, 0.3, 0.9, 1], "metallicFactor": 0, "roughnessFactor": 0.2},
                 "emissiveFactor": [0, 0.1, 0.2]}},
        "pictures": {"spots": png([[(200, 150, 90), (90, 60, 30)], [(90, 60, 30), (220, 170, 110)]])}}
    scene["meshes"] = {"body": hero_parts(scene, joints)}
    scene["clips"] = hero_clips()
    return bound(scene)


def hero_parts(scene, joints):
    """A box around each joint, bound to it and a little to the joint above. The head's boxes are a primitive of their own with morph
    targets."""
    at_rest = rest_matrices(scene)
    parts = []
    for wanted, material in (([j for j in joints if j != "head"], "hide"), (["head"], "eyes")):
        part = {"positions": [], "triangles": [], "weights": [], "uvs": [], "material": material}
        for joint in wanted:
            size = 0.03 if joint == "finger.L" else 0.12
            positions, triangles = box([at_rest[joint][r][3] for r in range(3)], [size, size * 1.5, size])
            part["triangles"] += [[len(part["positions"]) + i for i in t] for t in triangles]
            above = scene["nodes"][joint]["parent"]
            share = 0.25 if above in joints else 0.0
            for i, position in enumerate(positions):
                part["positions"].append(position)
                part["uvs"].append([i % 2, i // 2 % 2])
                part["weights"].append({joint: 1 - share, **({above: share} if share else {})})
        part["targets"] = {name: [[d * (1 + i % 3) for d in delta] for i in range(len(part["positions"]))]
                           for name, delta in (("smile", [0.02, 0, 0.05]), ("blink", [0, -0.03, 0.01]))}
        parts.append(part)
    return parts


def hero_clips():
    cubic = lambda rows, tangents: [x for row, tangent in zip(rows, tangents) for x in (tangent, row, tangent)]
    turns = swing([0, 1, 0.3], 0, 40, 10)
    return {
        "walk": {
            ("hips", "translation"): ("LINEAR", QUARTERS, [[0, 1, 0], [0, 1.05, 0.2], [0, 1, 0.4], [0, 1.05, 0.6], [0, 1, 0.8]]),
            ("thigh.L", "rotation"): ("LINEAR", QUARTERS, swing([1, 0, 0], 175, 200, 175, 150, 175)),
            ("shin.L", "rotation"): ("LINEAR", QUARTERS, swing([1, 0, 0], 0, 20, 45, 20, 0)),
            ("forearm.L", "rotation"): ("LINEAR", QUARTERS, swing([1, 0, 0.2], 15, 30, 45, 30, 15)),
            ("finger.L", "rotation"): ("LINEAR", [0.0, 0.5, 1.0], swing([0, 0, 1], 0, 50, 0)),
        },
        "wave": {
            ("upper_arm.L", "rotation"): ("CUBICSPLINE", [0.0, 0.4, 0.8], cubic(turns, [[0, 0, 0, 0], [0.1, 0.8, 0.2, 0], [0, 0, 0, 0]])),
            ("hand.L", "rotation"): ("STEP", [0.0, 0.2, 0.4, 0.6], swing([0, 0, 1], -30, 30, -30, 30)),
            ("head", "translation"): ("CUBICSPLINE", [0.0, 0.8], cubic([[0, 0.8, 0], [0, 0.8, 0.1]], [[0, 0, 0.5], [0, 0, -0.5]])),
        },
        "breathe": {
            ("spine", "scale"): ("LINEAR", [0.0, 1.0, 2.0], [[1, 1, 1], [1.05, 1, 1.15], [1, 1, 1]]),
            ("body", "weights"): ("LINEAR", [0.0, 0.5, 2.0], [[0, 0], [1, 0.25], [0, 0]]),
        },
    }


def crane():
    """A machine of plain nodes in large units: rotating parts, a jump, two primitives in a mesh, a small hook."""
    parts = [("base", None, [0, 0, 0], [60, 10, 60]), ("mast", "base", [0, 100, 0], [10, 90, 10]), ("boom", "mast", [40, 90, 0], [90, 8, 8]),
             ("cable", "boom", [85, -40, 0], [1, 40, 1]), ("hook", "cable", [0, -42, 0], [3, 2, 3])]
    nodes = {name: {"parent": parent, "translation": place} for name, parent, place, _ in parts}
    nodes["base"].update(translation=[300, 20, -150], rotation=about([0.2, 1, 0], 35), scale=[1, 1.5, 0.75])
    meshes = {}
    for name, _, _, size in parts:
        positions, triangles = box([0, 0, 0], size)
        meshes[name] = [{"positions": positions, "triangles": triangles[:6], "material": "steel"},
                        {"positions": positions, "triangles": triangles[6:], "material": "paint"}]
    return {"nodes": nodes, "meshes": meshes, "materials": {
        "steel": {"pbrMetallicRoughness": {"baseColorFactor": [0.5, 0.5, 0.55, 1], "metallicFactor": 1, "roughnessFactor": 0.3}},
        "paint": {"pbrMetallicRoughness": {"baseColorFactor": [0.9, 0.7, 0, 1], "metallicFactor": 0, "roughnessFactor": 0.6}, "doubleSided": True}},
        "clips": {"lift": {
            ("mast", "rotation"): ("LINEAR", [0.0, 1.0, 2.0, 3.0], swing([0, 1, 0], 0, 60, 60, 0)),
            ("cable", "scale"): ("LINEAR", [0.5, 1.5, 2.5], [[1, 1, 1], [1, 0.4, 1], [1, 1, 1]]),
            ("hook", "translation"): ("STEP", [0.0, 1.5, 2.5], [[0, -42, 0], [0, -30, 0], [0, -42, 0]])},
            "sway": {("boom", "rotation"): ("LINEAR", [0.0, 1.0, 2.0], swing([0, 0, 1], 0, 12, 0))}}}
