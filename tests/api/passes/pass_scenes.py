"""Models for tests of passes: what their files hold, and scenes of their own."""
import json
import math
import struct

from small_scenes import File, about, swing

# Corners of a box of size 1, four for each side, so that each has its own normal and texture coordinates.
SIDES = [((1, 0, 0), (0, 1, 0), (0, 0, 1)), ((-1, 0, 0), (0, 0, 1), (0, 1, 0)), ((0, 1, 0), (0, 0, 1), (1, 0, 0)),
         ((0, -1, 0), (1, 0, 0), (0, 0, 1)), ((0, 0, 1), (1, 0, 0), (0, 1, 0)), ((0, 0, -1), (0, 1, 0), (1, 0, 0))]
CORNERS = [(-1, -1), (1, -1), (1, 1), (-1, 1)]


def document_of(path):
    """The JSON of a glTF or GLB file."""
    data = path.read_bytes()
    if data[:4] != b"glTF":
        return json.loads(data)
    return json.loads(data[20:20 + struct.unpack("<I", data[12:16])[0]])


def is_flat_in(path):
    """Says of an entry of /v1/mesh that its file has no normals."""
    meshes = document_of(path)["meshes"]
    return lambda entry: "NORMAL" not in meshes[entry["mesh"]]["primitives"][entry["primitive"]]["attributes"]


def put_box(file, material):
    """A primitive: a box around the origin with normals and texture coordinates."""
    positions, normals, uvs = [], [], []
    for normal, right, up in SIDES:
        for across, along in CORNERS:
            positions.append([(n + across * r + along * u) / 2 for n, r, u in zip(normal, right, up)])
            normals.append(list(normal))
            uvs.append([(1 + across) / 2, (1 + along) / 2])
    triangles = [4 * side + corner for side in range(6) for corner in (0, 1, 2, 0, 2, 3)]
    return {"attributes": {"POSITION": file.rows(positions, has_bounds=True), "NORMAL": file.rows(normals), "TEXCOORD_0": file.rows(uvs)},
            "indices": file.rows([[i] for i in triangles], 5123), "material": material}


def turned():
    """Boxes that are rotated, unevenly scaled, mirrored and far from the origin, two of them the same mesh; a plane that is seen from behind;
    a perspective and an orthographic camera that stand askew. The clip moves all of it."""
    file = File()
    document = file.document
    document["materials"] = [{"name": "red", "pbrMetallicRoughness": {"baseColorFactor": [0.9, 0.2, 0.2, 1]}},
                             {"name": "glass", "alphaMode": "BLEND", "pbrMetallicRoughness": {"baseColorFactor": [0.2, 0.2, 0.9, 0.3]}},
                             {"name": "cloth", "doubleSided": True, "alphaMode": "BLEND", "pbrMetallicRoughness": {"baseColorFactor": [0.2, 0.8, 0.2, 0.7]}}]
    plane = {"attributes": {"POSITION": file.rows([[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]], has_bounds=True)},
             "indices": file.rows([[0], [2], [1], [0], [3], [2]], 5123), "material": 2}
    document["meshes"] = [{"primitives": [put_box(file, 0)]}, {"primitives": [put_box(file, 1), plane]}]
    document["nodes"] = [
        {"name": "away", "translation": [40, -7, 12], "rotation": about((1, 2, 3), 50), "children": [1, 2, 3, 4]},
        {"name": "long", "mesh": 0, "rotation": about((0, 1, 1), 35), "scale": [3, 0.6, 1.2]},
        {"name": "mirrored", "mesh": 0, "translation": [0.5, 1.4, -1], "rotation": about((1, 0, 0), 20), "scale": [-1.5, 0.9, 0.7]},
        {"name": "cloth", "mesh": 1, "translation": [-1.2, -0.4, 1.3], "rotation": about((1, 1, 0), -25), "scale": [1.1, 1.6, 0.8]},
        {"name": "corner", "children": [5, 6]},
        {"name": "eye", "camera": 0, "translation": [0.8, 0.5, 7], "rotation": about((0, 0, 1), 15)},
        {"name": "flat eye", "camera": 1, "translation": [-0.4, 0.2, 6], "rotation": about((0, 1, 0), -4)},
    ]
    document["cameras"] = [{"type": "perspective", "perspective": {"yfov": math.radians(45), "znear": 0.1, "zfar": 100}},
                           {"type": "orthographic", "orthographic": {"xmag": 3, "ymag": 3, "znear": 0.1, "zfar": 50}}]
    times = file.rows([[0], [0.5], [1]], has_bounds=True)
    moves = [(1, "rotation", swing((0, 0, 1), 0, 60, 10)), (2, "translation", [[0.5, 1.4, -1], [0.1, 1.7, 0.2], [0.5, 1.4, -1]]),
             (3, "scale", [[1.1, 1.6, 0.8], [1.6, 0.9, 1], [1.1, 1.6, 0.8]])]
    document["animations"] = [{"name": "move", "samplers": [{"input": times, "output": file.rows(rows)} for _, _, rows in moves],
                               "channels": [{"sampler": i, "target": {"node": node, "path": path}} for i, (node, path, _) in enumerate(moves)]}]
    document["scenes"] = [{"nodes": [0]}]
    return file.glb()
