"""Models for tests of passes: what their files hold, and scenes of their own."""
import json
import math
import struct
import zlib

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


def mixed():
    """A plane with a hole in its texture's alpha in front of another one, a line and a point, each at a node of its own, turned together."""
    file = File()
    document = file.document
    rows = [[[255, 0, 0, 255], [255, 0, 0, 0]], [[255, 0, 0, 255], [255, 0, 0, 255]]]  # the hole is at u > 0.5, v < 0.5
    document["images"] = [{"bufferView": file.view(rgba_png(rows)), "mimeType": "image/png"}]
    document["samplers"] = [{"magFilter": 9728, "minFilter": 9728, "wrapS": 33071, "wrapT": 33071}]
    document["textures"] = [{"source": 0, "sampler": 0}]
    document["materials"] = [{"alphaMode": "MASK", "pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}}, {}, {"name": "paint"}]
    document["extensionsUsed"] = ["KHR_materials_variants"]
    document["extensions"] = {"KHR_materials_variants": {"variants": [{"name": "painted"}]}}
    painted = {"KHR_materials_variants": {"mappings": [{"material": 2, "variants": [0]}]}}
    square = {"POSITION": file.rows([[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]], has_bounds=True),
              "TEXCOORD_0": file.rows([[0, 1], [1, 1], [1, 0], [0, 0]])}
    corners = file.rows([[0], [1], [2], [0], [2], [3]], 5123)
    ends = {"POSITION": file.rows([[-3, -1.6, 0], [3, -1.6, 1]], has_bounds=True)}
    dot = {"POSITION": file.rows([[2, 1, 0.5]], has_bounds=True)}
    document["meshes"] = [{"primitives": [{"attributes": square, "indices": corners, "material": 0}]},
                          {"primitives": [{"attributes": {"POSITION": square["POSITION"]}, "indices": corners, "material": 1, "extensions": painted}]},
                          {"primitives": [{"attributes": ends, "mode": 1}]}, {"primitives": [{"attributes": dot, "mode": 0}]}]
    document["nodes"] = [{"translation": [5, 2, -3], "rotation": about((0, 1, 0), 30), "children": [1, 2, 3, 4]}, {"mesh": 0},
                         {"mesh": 1, "translation": [0, 0, -2]}, {"mesh": 2}, {"mesh": 3}]
    document["scenes"] = [{"nodes": [0]}]
    return file.glb()


def decal():
    """A square, and at the place of one of its triangles another mesh, slightly transparent: both are as near."""
    file = File()
    document = file.document
    corners = {"POSITION": file.rows([[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]], has_bounds=True)}
    document["materials"] = [{"doubleSided": True}, {"doubleSided": True, "alphaMode": "BLEND", "pbrMetallicRoughness": {"baseColorFactor": [1, 0, 0, 0.9]}}]
    indices = [file.rows([[i] for i in rows], 5123) for rows in ([0, 1, 2, 0, 2, 3], [0, 1, 2])]
    document["meshes"] = [{"primitives": [{"attributes": corners, "indices": indices[i], "material": i}]} for i in (0, 1)]
    document["nodes"] = [{"mesh": 0}, {"mesh": 1}]
    document["scenes"] = [{"nodes": [0, 1]}]
    return file.glb()


def rgba_png(rows):
    """A PNG file of rows of RGBA colours."""
    chunk = lambda kind, data: struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    data = b"".join(b"\0" + b"".join(map(bytes, row)) for row in rows)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", len(rows[0]), len(rows), 8, 6, 0, 0, 0)) \
        + chunk(b"IDAT", zlib.compress(data)) + chunk(b"IEND", b"")
