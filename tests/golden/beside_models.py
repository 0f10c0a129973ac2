"""Eight models for beside.py, one kind of material each, as GLB: saturated, skin-like, dark as hair, white, rough metal, mirror, foliage
with holes, lacquer over metal. Every number comes from a formula here; axes and units are glTF's."""
import json
import math
import struct

import numpy
from material_models import File, ball


def knot(along=240, around=24, thickness=0.34):
    """A trefoil as a tube: positions, normals, texcoords, indices."""
    t = numpy.linspace(0, 2 * math.pi, along + 1)
    line = numpy.stack([numpy.sin(t) + 2 * numpy.sin(2 * t), numpy.cos(t) - 2 * numpy.cos(2 * t), -numpy.sin(3 * t)], -1) / 2.4
    ahead = numpy.stack([numpy.cos(t) + 4 * numpy.cos(2 * t), -numpy.sin(t) + 4 * numpy.sin(2 * t), -3 * numpy.cos(3 * t)], -1)
    ahead /= numpy.linalg.norm(ahead, axis=-1, keepdims=True)
    side = numpy.cross(ahead, [0.0, 0.0, 1.0])
    side /= numpy.linalg.norm(side, axis=-1, keepdims=True)
    other = numpy.cross(ahead, side)
    a = numpy.linspace(0, 2 * math.pi, around + 1)
    normals = numpy.cos(a)[None, :, None] * side[:, None] + numpy.sin(a)[None, :, None] * other[:, None]
    positions = line[:, None] + thickness * normals
    uv = numpy.stack(numpy.broadcast_arrays(t[:, None] / (2 * math.pi) * 8, a[None, :] / (2 * math.pi)), -1)
    at = numpy.arange(along)[:, None] * (around + 1) + numpy.arange(around)
    corners = [at, at + 1, at + around + 1, at + 1, at + around + 2, at + around + 1]
    shape = {"POSITION": positions.reshape(-1, 3), "NORMAL": normals.reshape(-1, 3), "TEXCOORD_0": uv.reshape(-1, 2)}
    return shape, numpy.stack(corners, -1).reshape(-1)


def leaves(count=72):
    """Cards around a ball, each rotated differently; visible from both sides."""
    corners = numpy.array([[-0.32, -0.32, 0], [0.32, -0.32, 0], [0.32, 0.32, 0], [-0.32, 0.32, 0]], float)
    uv = numpy.array([[0, 1], [1, 1], [1, 0], [0, 0]], float)
    positions, normals, texcoords, indices = [], [], [], []
    for i in range(count):
        up, turn = 1 - 2 * (i + 0.5) / count, i * math.pi * (3 - math.sqrt(5))
        flat = math.sqrt(1 - up * up)
        out = numpy.array([flat * math.cos(turn), up, flat * math.sin(turn)])
        x = numpy.cross([0.0, 1, 0.2], out)
        x /= numpy.linalg.norm(x)
        turned = numpy.stack([x, numpy.cross(out, x), out])
        positions.append(corners @ turned + 0.9 * out)
        normals.append(numpy.tile(out, (4, 1)))
        texcoords.append(uv)
        indices.append(numpy.array([0, 1, 2, 0, 2, 3]) + 4 * i)
    shape = {"POSITION": numpy.concatenate(positions), "NORMAL": numpy.concatenate(normals), "TEXCOORD_0": numpy.concatenate(texcoords)}
    return shape, numpy.concatenate(indices)


def leaf(size=128):
    """A leaf with veins, of straight alpha: sRGB and alpha 0..1."""
    y, x = numpy.meshgrid(*[(numpy.arange(size) + 0.5) / size * 2 - 1] * 2, indexing="ij")
    half = 0.45 * numpy.sqrt(numpy.clip(1 - y * y, 0, 1)) * (1 - 0.25 * y)
    vein = (numpy.abs(x) < 0.05) | (numpy.abs((y + numpy.abs(x)) * 4 % 1 - 0.5) < 0.06)
    color = numpy.where(vein[..., None], [0.45, 0.62, 0.22], [0.16, 0.42, 0.10])
    return numpy.concatenate([color, (numpy.abs(x) < half)[..., None]], -1)


def strands(size=256):
    """Dark hair: streaks along v."""
    at = numpy.arange(size) / size * 2 * math.pi
    wave = numpy.sin(23 * at)[:, None] + numpy.sin(61 * at + 1)[:, None] + 0 * at[None, :]
    return numpy.array([0.16, 0.10, 0.07]) * (1 + 0.3 * wave[..., None] / 2)


def glb(document, data):
    """One GLB file of a material_models.File."""
    document = {name: value for name, value in document.items() if value != []}
    data += b"\0" * (-len(data) % 4)
    text = json.dumps({**document, "buffers": [{"byteLength": len(data)}]}).encode()
    text += b" " * (-len(text) % 4)
    return struct.pack("<4sIIII", b"glTF", 2, 28 + len(text) + len(data), len(text), 0x4E4F534A) + text + \
        struct.pack("<II", len(data), 0x004E4942) + data


def plain(color, metallic, roughness, **more):
    return {"pbrMetallicRoughness": {"baseColorFactor": [*color, 1], "metallicFactor": metallic, "roughnessFactor": roughness}, **more}


def textured(file, pixels, roughness, **more):
    return {"pbrMetallicRoughness": {"baseColorTexture": {"index": file.picture(pixels)}, "metallicFactor": 0, "roughnessFactor": roughness}, **more}


MODELS = {
    "saturated": (ball, lambda file: plain((0.80, 0.01, 0.01), 0, 0.7)),
    "skin": (ball, lambda file: plain((0.60, 0.30, 0.20), 0, 0.55)),
    "dark_hair": (knot, lambda file: textured(file, strands(), 0.5)),
    "white": (knot, lambda file: plain((0.9, 0.9, 0.9), 0, 0.8)),
    "rough_metal": (knot, lambda file: plain((1.0, 0.77, 0.34), 1, 0.45)),
    "mirror": (ball, lambda file: plain((0.95, 0.95, 0.95), 1, 0.02)),
    "foliage": (leaves, lambda file: textured(file, leaf(), 0.8, alphaMode="MASK", doubleSided=True)),
    "lacquer": (ball, lambda file: plain((0.55, 0.02, 0.04), 0.6, 0.5, extensions={
        "KHR_materials_clearcoat": {"clearcoatFactor": 1, "clearcoatRoughnessFactor": 0.03}})),
}


def write(folder):
    """Write the eight files into a folder. Returns their names."""
    names = []
    for name, (shape, material) in MODELS.items():
        file = File()
        made = material(file)
        if "extensions" in made:
            file.json["extensionsUsed"] = sorted(made["extensions"])
        file.place(file.shape(*shape()), made, (0, 0, 0))
        (folder / f"{name}.glb").write_bytes(glb(file.json, file.bytes))
        names.append(f"{name}.glb")
    return names
