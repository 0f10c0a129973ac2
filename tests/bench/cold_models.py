#!/usr/bin/env python3
"""Writes a folder of many small models, all different, like real collections: static, textured and skinned GLB, OBJ, STL and PLY.

    cold_models.py FOLDER [--count 1000] [--seed 1]

Formulas make the shapes: each is a tube of 100 to 2000 triangles whose radius is a sum of waves."""
import argparse
import json
import math
import pathlib
import random
import struct
import zlib

import numpy

KINDS = ("static.glb", "textured.glb", "skinned.glb", "static.glb", "textured.glb", "skinned.glb", "plain.obj", "plain.stl", "plain.ply", "static.glb")
JOINTS = 4


def shape(rng):
    """(positions, normals, uvs, triangles): a closed tube along y, of `rings` times `sides` quads."""
    rings, sides = rng.randrange(8, 33), rng.randrange(6, 33)
    height, radius = rng.uniform(0.5, 3), rng.uniform(0.2, 1)
    waves = [(rng.randrange(1, 5), rng.uniform(0, 0.3), rng.uniform(0, 6)) for _ in range(3)]
    along, around = numpy.meshgrid(numpy.linspace(0, 1, rings), numpy.linspace(0, 2 * math.pi, sides + 1), indexing="ij")
    radii = radius * numpy.sin(math.pi * (0.05 + 0.9 * along)) * (1 + sum(size * numpy.sin(count * around + turn + 3 * along)
                                                                        for count, size, turn in waves))
    positions = numpy.stack([radii * numpy.cos(around), height * along, radii * numpy.sin(around)], -1).reshape(-1, 3)
    normals = numpy.stack([numpy.cos(around), 0 * around, numpy.sin(around)], -1).reshape(-1, 3)
    uvs = numpy.stack([around / (2 * math.pi), along], -1).reshape(-1, 2)
    first = (numpy.arange(rings - 1)[:, None] * (sides + 1) + numpy.arange(sides)[None, :]).reshape(-1)
    over = first + sides + 1
    triangles = numpy.stack([first, over, first + 1, first + 1, over, over + 1], -1).reshape(-1, 3)
    return positions.astype("<f4"), normals.astype("<f4"), uvs.astype("<f4"), triangles.astype("<u2")


def png(rng, size=128):
    """A checked picture of two colours."""
    chunk = lambda kind, data: struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    colours = [bytes(rng.randrange(256) for _ in range(3)) for _ in range(2)]
    rows = b"".join(b"\0" + b"".join(colours[(x // 16 + y // 16) % 2] for x in range(size)) for y in range(size))
    header = struct.pack(">IIBBBBB", size, size, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


class Glb:
    def __init__(self):
        self.document = {"asset": {"version": "2.0"}, "accessors": [], "bufferViews": [], "nodes": [], "scene": 0}
        self.data = b""

    def view(self, data):
        self.data += b"\0" * (-len(self.data) % 4)
        self.document["bufferViews"].append({"buffer": 0, "byteOffset": len(self.data), "byteLength": len(data)})
        self.data += data
        return len(self.document["bufferViews"]) - 1

    def accessor(self, array, kind, component, has_bounds=False):
        row = {"bufferView": self.view(array.tobytes()), "componentType": component, "count": array.size // {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4,
                                                                                                         "MAT4": 16}[kind], "type": kind}
        if has_bounds:
            flat = array.reshape(row["count"], -1)
            row.update(min=flat.min(0).tolist(), max=flat.max(0).tolist())
        self.document["accessors"].append(row)
        return len(self.document["accessors"]) - 1

    def bytes(self):
        self.data += b"\0" * (-len(self.data) % 4)
        self.document["buffers"] = [{"byteLength": len(self.data)}]
        text = json.dumps(self.document).encode()
        text += b" " * (-len(text) % 4)
        body = struct.pack("<II", len(text), 0x4E4F534A) + text + struct.pack("<II", len(self.data), 0x004E4942) + self.data
        return b"glTF" + struct.pack("<II", 2, 12 + len(body)) + body


def skin(glb, rng, positions, attributes):
    """A chain of joints along y, that waves for a second."""
    height = float(positions[:, 1].max())
    place = positions[:, 1] / height * (JOINTS - 1)
    first = numpy.minimum(place.astype(int), JOINTS - 2)
    joints = numpy.stack([first, first + 1, 0 * first, 0 * first], -1).astype("<u2")
    share = (place - first).astype("<f4")
    weights = numpy.stack([1 - share, share, 0 * share, 0 * share], -1).astype("<f4")
    attributes.update(JOINTS_0=glb.accessor(joints, "VEC4", 5123), WEIGHTS_0=glb.accessor(weights, "VEC4", 5126))
    step = height / (JOINTS - 1)
    inverses = numpy.zeros((JOINTS, 16), "<f4")
    inverses[:, [0, 5, 10, 15]] = 1
    inverses[:, 13] = -step * numpy.arange(JOINTS)
    nodes = glb.document["nodes"]
    for i in range(JOINTS):
        nodes.append({"name": f"bone{i}", "translation": [0, step if i else 0, 0], **({"children": [i + 2]} if i < JOINTS - 1 else {})})
    glb.document["skins"] = [{"joints": list(range(1, JOINTS + 1)), "inverseBindMatrices": glb.accessor(inverses, "MAT4", 5126)}]
    times = numpy.linspace(0, 1, 9, dtype="<f4")
    half = rng.uniform(0.1, 0.4) * numpy.sin(2 * math.pi * times) / 2
    turns = numpy.stack([0 * half, 0 * half, numpy.sin(half), numpy.cos(half)], -1).astype("<f4")
    time, turn = glb.accessor(times, "SCALAR", 5126, True), glb.accessor(turns, "VEC4", 5126)
    glb.document["animations"] = [{"name": "wave", "samplers": [{"input": time, "output": turn}],
                                   "channels": [{"sampler": 0, "target": {"node": i + 1, "path": "rotation"}} for i in range(1, JOINTS)]}]


def make_glb(rng, kind):
    positions, normals, uvs, triangles = shape(rng)
    glb = Glb()
    attributes = {"POSITION": glb.accessor(positions, "VEC3", 5126, True), "NORMAL": glb.accessor(normals, "VEC3", 5126)}
    material = {"pbrMetallicRoughness": {"baseColorFactor": [rng.random(), rng.random(), rng.random(), 1], "roughnessFactor": rng.random()}}
    if kind == "textured":
        attributes["TEXCOORD_0"] = glb.accessor(uvs, "VEC2", 5126)
        glb.document.update(images=[{"bufferView": glb.view(png(rng)), "mimeType": "image/png"}], textures=[{"source": 0}])
        material["pbrMetallicRoughness"]["baseColorTexture"] = {"index": 0}
    glb.document["nodes"].append({"mesh": 0, "name": "tube"})
    if kind == "skinned":
        skin(glb, rng, positions, attributes)
        glb.document["nodes"][0]["skin"] = 0
    glb.document["meshes"] = [{"primitives": [{"attributes": attributes, "indices": glb.accessor(triangles, "SCALAR", 5123), "material": 0}]}]
    glb.document["materials"] = [material]
    glb.document["scenes"] = [{"nodes": [0] + ([1] if kind == "skinned" else [])}]
    return glb.bytes()


def make_obj(rng):
    positions, normals, _, triangles = shape(rng)
    lines = [f"v {x:.6f} {y:.6f} {z:.6f}" for x, y, z in positions] + [f"vn {x:.6f} {y:.6f} {z:.6f}" for x, y, z in normals]
    lines += [f"f {a}//{a} {b}//{b} {c}//{c}" for a, b, c in triangles.astype(int) + 1]
    return ("\n".join(lines) + "\n").encode()


def make_stl(rng):
    positions, _, _, triangles = shape(rng)
    corners = positions[triangles]
    rows = numpy.zeros(len(triangles), numpy.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")]))
    rows["corners"] = corners
    rows["normal"] = numpy.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    return b" " * 80 + struct.pack("<I", len(rows)) + rows.tobytes()


def make_ply(rng):
    positions, _, _, triangles = shape(rng)
    header = (f"ply\nformat binary_little_endian 1.0\nelement vertex {len(positions)}\nproperty float x\nproperty float y\nproperty float z\n"
              f"element face {len(triangles)}\nproperty list uchar int vertex_indices\nend_header\n")
    faces = numpy.zeros(len(triangles), numpy.dtype([("count", "u1"), ("corners", "<i4", 3)]))
    faces["count"], faces["corners"] = 3, triangles
    return header.encode() + positions.tobytes() + faces.tobytes()


def make(folder, count, seed=1, kinds=KINDS):
    """Returns the names; the same seed makes the same files."""
    rng = random.Random(seed)
    makers = {"obj": make_obj, "stl": make_stl, "ply": make_ply}
    names = []
    for number in range(count):
        kind, ending = kinds[number % len(kinds)].split(".")
        names.append(f"{number:04}-{kind}.{ending}")
        data = make_glb(rng, kind) if ending == "glb" else makers[ending](rng)
        (pathlib.Path(folder) / names[-1]).write_bytes(data)
    return names


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    make(options.folder, options.count, options.seed)


if __name__ == "__main__":
    main()
