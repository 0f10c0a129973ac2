"""Files that show materials: glTF with rows of balls, and cards that are masked, blended, unlit and textured in parts; an OBJ.

Every number comes from a formula here; nothing is read from elsewhere. Axes and units are glTF's (y up, metres).
"""
import base64
import io
import json
import math

import numpy
from PIL import Image

FLOAT, UINT = 5126, 5125
BALL_COLUMNS, BALL_ROWS = 48, 24


def ball():
    """A unit ball: positions, normals, texcoords, tangents (x, y, z, handedness), indices."""
    u, v = numpy.meshgrid(numpy.linspace(0, 1, BALL_COLUMNS + 1), numpy.linspace(0, 1, BALL_ROWS + 1))
    around, down = 2 * math.pi * u, math.pi * v
    normals = numpy.stack([numpy.sin(down) * numpy.sin(around), numpy.cos(down), numpy.sin(down) * numpy.cos(around)], -1)
    tangents = numpy.stack([numpy.cos(around), 0 * u, -numpy.sin(around), 1 + 0 * u], -1)
    at = numpy.arange(BALL_ROWS)[:, None] * (BALL_COLUMNS + 1) + numpy.arange(BALL_COLUMNS)
    corners = [at, at + BALL_COLUMNS + 1, at + 1, at + 1, at + BALL_COLUMNS + 1, at + BALL_COLUMNS + 2]
    indices = numpy.stack(corners, -1).reshape(-1)
    return {"POSITION": normals.reshape(-1, 3), "NORMAL": normals.reshape(-1, 3),
            "TEXCOORD_0": numpy.stack([u, v], -1).reshape(-1, 2), "TANGENT": tangents.reshape(-1, 4)}, indices


def card():
    """A square in the xy plane that faces +z; its texture's top is its top."""
    positions = numpy.array([[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]], float)
    return {"POSITION": positions, "NORMAL": numpy.tile([0.0, 0, 1], (4, 1)),
            "TEXCOORD_0": numpy.array([[0, 1], [1, 1], [1, 0], [0, 0]], float)}, numpy.array([0, 1, 2, 0, 2, 3])


class File:
    """A glTF file under construction, with everything inside it."""

    def __init__(self):
        self.bytes = b""
        self.json = {"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": []}], "nodes": [], "meshes": [],
                     "materials": [], "textures": [], "images": [], "accessors": [], "bufferViews": []}

    def add(self, group, thing):
        self.json[group].append(thing)
        return len(self.json[group]) - 1

    def view(self, data):
        self.bytes += b"\0" * (-len(self.bytes) % 4)
        first = len(self.bytes)
        self.bytes += data
        return self.add("bufferViews", {"buffer": 0, "byteOffset": first, "byteLength": len(data)})

    def accessor(self, rows):
        rows = numpy.asarray(rows)
        is_index = rows.ndim == 1
        data = rows.astype("<u4" if is_index else "<f4")
        accessor = {"bufferView": self.view(data.tobytes()), "componentType": UINT if is_index else FLOAT,
                    "count": len(data), "type": "SCALAR" if is_index else f"VEC{data.shape[1]}"}
        if not is_index:
            accessor.update(min=data.min(0).tolist(), max=data.max(0).tolist())
        return self.add("accessors", accessor)

    def shape(self, attributes, indices):
        """The parts of a primitive other than its material; many primitives may share them."""
        return {"attributes": {name: self.accessor(rows) for name, rows in attributes.items()},
                "indices": self.accessor(indices)}

    def picture(self, pixels):
        """A texture of pixels 0..1, rows top first."""
        packed = io.BytesIO()
        Image.fromarray((numpy.clip(pixels, 0, 1) * 255 + 0.5).astype("uint8")).save(packed, "PNG")
        image = self.add("images", {"bufferView": self.view(packed.getvalue()), "mimeType": "image/png"})
        return self.add("textures", {"source": image})

    def place(self, shape, material, at, size=1.0, turn_y=0.0):
        mesh = self.add("meshes", {"primitives": [{**shape, "material": self.add("materials", material)}]})
        node = self.add("nodes", {"mesh": mesh, "translation": list(at), "scale": [size] * 3,
                                  "rotation": [0, math.sin(turn_y / 2), 0, math.cos(turn_y / 2)]})
        self.json["scenes"][0]["nodes"].append(node)

    def text(self):
        used = {name: value for name, value in self.json.items() if value != []}
        uri = "data:application/octet-stream;base64," + base64.b64encode(self.bytes).decode()
        return json.dumps({**used, "buffers": [{"uri": uri, "byteLength": len(self.bytes)}]})


def grid(size, cells):
    """0 or 1 like a chess board."""
    at = numpy.arange(size) * cells // size
    return (at[:, None] + at) % 2


def studs(size, count):
    """A normal map (glTF 2.0, 3.9.3: x right, y up, z out, each 2c - 1) of half balls in rows."""
    at = (numpy.arange(size) + 0.5) / size * count % 1 * 2 - 1
    x, y = at[None, :] + 0 * at[:, None], -at[:, None] + 0 * at[None, :]
    inside = x * x + y * y < 0.64
    normal = numpy.stack([inside * x, inside * y, numpy.sqrt(1 - numpy.where(inside, x * x + y * y, 0))], -1)
    return normal / 2 + 0.5


def metals():
    """Roughness grows to the right; rows from the top: metal, half metal, dielectric, and a black and a white dielectric."""
    file = File()
    shape = file.shape(*ball())
    rows = [([1, 0.77, 0.34], 1), ([0.9, 0.3, 0.25], 0.5), ([0.2, 0.4, 0.8], 0), ([0, 0, 0], 0), ([1, 1, 1], 0)]
    for row, (color, metallic) in enumerate(rows):
        for column in range(6):
            pbr = {"baseColorFactor": [*color, 1], "metallicFactor": metallic, "roughnessFactor": column / 5}
            file.place(shape, {"pbrMetallicRoughness": pbr}, (column * 2.2, -row * 2.2, 0))
    return file.text()


def channels():
    """All colours whose channels are 0, 0.5 or 1, as columns; rows from the top: dielectric, half metal and metal, then the same that shine."""
    file = File()
    shape = file.shape(*ball())
    for row in range(6):
        for column in range(27):
            color = [column // 9 / 2, column // 3 % 3 / 2, column % 3 / 2]
            material = {"pbrMetallicRoughness": {"baseColorFactor": [*color, 1], "metallicFactor": row % 3 / 2, "roughnessFactor": 1}}
            if row > 2:
                material["emissiveFactor"] = [0, 0.1, 0.3]
            file.place(shape, material, (column * 2.2, -row * 2.2, 0))
    return file.text()


def layers():
    """Balls with one kind of texture each: base colour, metallic-roughness, normal, occlusion, emissive, all of them; below, the same with
    rotated and repeated textures (KHR_texture_transform)."""
    file = File()
    shape = file.shape(*ball())
    board = grid(64, 8)[..., None]
    color = file.picture(board * numpy.array([0.9, 0.2, 0.1]) + (1 - board) * numpy.array([0.95, 0.9, 0.8]))
    gloss = file.picture(numpy.concatenate([0 * board, 0.15 + 0.7 * board, 1.0 - board], -1))
    bumps = file.picture(studs(128, 8))
    shade = file.picture(numpy.repeat(0.2 + 0.8 * board, 3, -1))
    glow = file.picture(board * numpy.array([0.1, 0.9, 0.4]) + 0 * numpy.zeros(3))
    for row in range(2):
        def info(texture, **more):
            moved = {"offset": [0.25, 0.1], "rotation": 0.5, "scale": [2, 2]}
            extra = {"extensions": {"KHR_texture_transform": moved}} if row else {}
            return {"index": texture, **extra, **more}

        grey = {"baseColorFactor": [0.5, 0.5, 0.55, 1], "metallicFactor": 0, "roughnessFactor": 0.4}
        materials = [
            {"pbrMetallicRoughness": {**grey, "baseColorFactor": [1, 1, 1, 1], "baseColorTexture": info(color)}},
            {"pbrMetallicRoughness": {"baseColorFactor": [0.9, 0.7, 0.4, 1], "metallicRoughnessTexture": info(gloss)}},
            {"pbrMetallicRoughness": grey, "normalTexture": info(bumps, scale=1.0)},
            {"pbrMetallicRoughness": grey, "occlusionTexture": info(shade, strength=1.0)},
            {"pbrMetallicRoughness": grey, "emissiveTexture": info(glow), "emissiveFactor": [1, 1, 1]},
            {"pbrMetallicRoughness": {"baseColorTexture": info(color), "metallicRoughnessTexture": info(gloss)},
             "normalTexture": info(bumps), "occlusionTexture": info(shade), "emissiveTexture": info(glow),
             "emissiveFactor": [0.3, 0.3, 0.3]}]
        for column, material in enumerate(materials):
            file.place(shape, material, (column * 2.2, -row * 2.2, 0))
    file.json["extensionsUsed"] = ["KHR_texture_transform"]
    return file.text()


def surfaces():
    """A masked, a blended, an unlit card and one seen from its back, in front of a row of balls; the last card's texture is missing."""
    file = File()
    shape, flat = file.shape(*ball()), file.shape(*card())
    board = grid(64, 8)[..., None]
    holes = file.picture(numpy.concatenate([numpy.repeat(0.3 + 0.7 * board, 3, -1), board], -1))
    for column in range(5):
        pbr = {"baseColorFactor": [0.8, 0.55, 0.2, 1], "metallicFactor": 0, "roughnessFactor": 0.5}
        file.place(shape, {"pbrMetallicRoughness": pbr}, (column * 2.4, 0, -1.5), 0.8)
    rough = {"metallicFactor": 0, "roughnessFactor": 0.8}
    file.place(flat, {"alphaMode": "MASK", "alphaCutoff": 0.5, "doubleSided": True,
                      "pbrMetallicRoughness": {**rough, "baseColorTexture": {"index": holes}}}, (0, 0, 0))
    for depth, color in enumerate(([1, 0, 0, 0.4], [0, 0, 1, 0.4])):
        file.place(flat, {"alphaMode": "BLEND", "doubleSided": True,
                          "pbrMetallicRoughness": {**rough, "baseColorFactor": color}},
                   (2.4 + 0.3 * depth, 0.3 * depth, 0.5 * depth), 0.8)
    file.place(flat, {"extensions": {"KHR_materials_unlit": {}},
                      "pbrMetallicRoughness": {"baseColorTexture": {"index": holes}}}, (4.8, 0, 0), 0.7)
    file.place(flat, {"doubleSided": True, "pbrMetallicRoughness": {**rough, "baseColorFactor": [0.3, 0.7, 0.3, 1]}},
               (7.2, 0, 0), 0.7, math.pi * 0.8)
    missing = file.add("textures", {"source": file.add("images", {"uri": "not-there.png"})})
    file.place(flat, {"pbrMetallicRoughness": {**rough, "baseColorTexture": {"index": missing}}}, (9.6, 0, 0), 0.7)
    file.json["extensionsUsed"] = ["KHR_materials_unlit"]
    return file.text()


def bumps(folder):
    """An OBJ without normals: a box with edges, a column of twelve sides, and bricks as heights on both."""
    rows, columns = numpy.mgrid[0:64, 0:128]
    brick = (columns + numpy.where(rows // 16 % 2, 16, 0)) % 32
    heights = numpy.where((rows % 16 < 2) | (brick < 2), 60, 220).astype("uint8")
    Image.fromarray(heights).save(folder / "bricks.png")
    (folder / "bumps.mtl").write_text("newmtl clay\nillum 2\nKd 0.75 0.4 0.3\nKs 0.4 0.4 0.4\nNs 20\nmap_Bump bricks.png\n")
    lines, base = ["mtllib bumps.mtl", "usemtl clay"], 1
    for sides, middle, radius in ((4, -1.2, 1.0), (12, 1.2, 0.9)):
        for k in range(sides + 1):
            turn = 2 * math.pi * k / sides
            for y in (0, 2):
                lines.append(f"v {middle + radius * math.sin(turn):.6f} {y} {radius * math.cos(turn):.6f}")
                lines.append(f"vt {4 * k / sides:.6f} {y}")
        for k in range(sides):
            a, b, c, d = (base + 2 * k + step for step in (0, 2, 3, 1))
            lines.append(f"f {a}/{a} {b}/{b} {c}/{c} {d}/{d}")
        lines.append("f " + " ".join(f"{base + 2 * k + 1}/{base + 2 * k + 1}" for k in range(sides)))
        base += 2 * (sides + 1)
    (folder / "bumps.obj").write_text("\n".join(lines) + "\n")


def write(folder):
    for make in (metals, channels, layers, surfaces):
        (folder / f"{make.__name__}.gltf").write_text(make())
    bumps(folder)
