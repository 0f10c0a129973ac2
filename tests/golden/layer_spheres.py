"""GLB files of spheres, one row for each extension KHR_materials_* that puts a layer on, around or into a surface.

Every number comes from a formula here. Each row begins without the layer. Spheres are turned and unevenly scaled, away from the origin.

    layer_spheres.py FOLDER     writes all of them; beside.py FOLDER/layers_*.glb draws them beside three.js
"""
import json
import math
import pathlib
import struct
import sys

import numpy

from material_models import File, ball

RED, GOLD, WHITE, DARK = [0.7, 0.05, 0.05, 1], [1, 0.77, 0.34, 1], [0.9, 0.9, 0.9, 1], [0.05, 0.05, 0.06, 1]
TEXTURE_SIDE = 64


def surface(color=WHITE, metallic=0.0, roughness=0.5, **extensions):
    """A material with extensions, by the last parts of their names."""
    material = {"pbrMetallicRoughness": {"baseColorFactor": color, "metallicFactor": metallic, "roughnessFactor": roughness}}
    if extensions:
        material["extensions"] = {f"KHR_materials_{name}": value for name, value in extensions.items()}
    return material


def stripes(low, high):
    """An RGBA picture of stripes around the ball."""
    row = (numpy.arange(TEXTURE_SIDE) // 8 % 2)[:, None, None]
    pixels = numpy.where(row == 0, numpy.array(low, float), numpy.array(high, float))
    return numpy.broadcast_to(pixels, (TEXTURE_SIDE, TEXTURE_SIDE, 4))


def rows(file):
    """Name of an extension: the materials of its spheres; textures are put into the file."""
    half = {"index": file.picture(stripes([0, 0, 0, 0], [1, 1, 1, 1]))}
    waves = numpy.ones((TEXTURE_SIDE, TEXTURE_SIDE, 4))
    waves[..., 0] = 0.5 + 0.35 * numpy.sin(numpy.arange(TEXTURE_SIDE) * math.pi / 4)[None, :]
    waves[..., 1] = 0.5
    bumps = {"index": file.picture(waves)}
    turned = numpy.ones((TEXTURE_SIDE, TEXTURE_SIDE, 4))
    turned[..., 0], turned[..., 1] = 0.5, 1.0  # along the bitangent
    across = {"index": file.picture(turned)}
    coat = lambda **more: surface(RED, 0, 0.6, clearcoat={"clearcoatFactor": 1, **more})
    film = lambda nm, **more: {"iridescenceFactor": 1, "iridescenceThicknessMaximum": nm, **more}
    brushed = lambda **more: surface(GOLD, 1, 0.3, anisotropy={"anisotropyStrength": 0.8, **more})
    glass = lambda factor, color=WHITE, roughness=0.0, **more: surface(color, 0, roughness, transmission={"transmissionFactor": factor, **more})
    return {
        "clearcoat": [surface(RED, 0, 0.6), surface(RED, 0, 0.6, clearcoat={"clearcoatFactor": 0.5}), coat(),
                      coat(clearcoatRoughnessFactor=0.4), coat(clearcoatTexture=half), coat(clearcoatNormalTexture=bumps)],
        "specular": [surface(DARK, 0, 0.2), surface(DARK, 0, 0.2, specular={"specularFactor": 0}),
                     surface(DARK, 0, 0.2, specular={"specularFactor": 0.5}),
                     surface(DARK, 0, 0.2, specular={"specularColorFactor": [1, 0.2, 0.2]}),
                     surface(DARK, 0, 0.2, specular={"specularColorFactor": [4, 8, 16]}),
                     surface(DARK, 0, 0.2, specular={"specularTexture": half})],
        "ior": [surface(DARK, 0, 0.1, ior={"ior": ior}) for ior in (1, 1.33, 1.5, 1.8, 2.4, 0)],
        "sheen": [surface(RED, 0, 1), *(surface(RED, 0, 1, sheen={"sheenColorFactor": [0.8, 0.8, 1], "sheenRoughnessFactor": r})
                                        for r in (0.2, 0.5, 1)),
                  surface(DARK, 0, 1, sheen={"sheenColorFactor": [0.2, 0.3, 1], "sheenRoughnessFactor": 0.4}),
                  surface(RED, 0, 1, sheen={"sheenColorFactor": [1, 1, 1], "sheenRoughnessFactor": 0.5, "sheenColorTexture": half})],
        "iridescence": [surface(DARK, 0, 0.1), *(surface(DARK, 0, 0.1, iridescence=film(nm)) for nm in (250, 400, 700)),
                        surface(GOLD, 1, 0.2, iridescence=film(400, iridescenceIor=1.8)),
                        surface(DARK, 0, 0.1, iridescence=film(800, iridescenceIor=1.5, iridescenceThicknessTexture=half))],
        "anisotropy": [surface(GOLD, 1, 0.3), surface(GOLD, 1, 0.3, anisotropy={"anisotropyStrength": 0.4}), brushed(),
                       brushed(anisotropyRotation=math.pi / 4), brushed(anisotropyRotation=math.pi / 2), brushed(anisotropyTexture=across)],
        "transmission": [glass(0), glass(0.5), glass(1), glass(1, [0.3, 0.8, 0.4, 1]), glass(1, roughness=0.4), glass(1, transmissionTexture=half)],
    }


def turn(file, node, k):
    """Rotated and unevenly scaled: tangents and normals must not be confused."""
    s, c = math.sin(0.2 + 0.1 * k), math.cos(0.2 + 0.1 * k)
    node["rotation"] = [0.6 * s, 0.8 * s, 0, c]
    node["scale"] = [0.9, 1.0, 0.8]


def spheres(name):
    """The file of one row as GLB."""
    file = File()
    shape = file.shape(*ball())
    for k, material in enumerate(rows(file)[name]):
        file.place(shape, material, (10 + 2.2 * k, 5, -3))
        turn(file, file.json["nodes"][-1], k)
    if name == "transmission":  # something to see through them
        for k in range(6):
            file.place(shape, surface([0.9, 0.5, 0.1, 1] if k % 2 else [0.1, 0.3, 0.9, 1]), (10 + 2.2 * k + 0.5, 5.3, -6))
    return glb(file)


def glb(file):
    used = {key: value for key, value in file.json.items() if value != []}
    used["extensionsUsed"] = sorted({name for material in file.json["materials"] for name in material.get("extensions", {})})
    used["buffers"] = [{"byteLength": len(file.bytes)}]
    text = json.dumps({key: value for key, value in used.items() if value != []}).encode()
    text += b" " * (-len(text) % 4)
    data = file.bytes + b"\0" * (-len(file.bytes) % 4)
    return struct.pack("<4sII", b"glTF", 2, 28 + len(text) + len(data)) + struct.pack("<I4s", len(text), b"JSON") + text \
        + struct.pack("<I4s", len(data), b"BIN\0") + data


NAMES = list(rows(File()))


def write(folder):
    for name in NAMES:
        (folder / f"layers_{name}.glb").write_bytes(spheres(name))


if __name__ == "__main__":
    write(pathlib.Path(sys.argv[1]))
