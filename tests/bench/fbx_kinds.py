"""Writes four FBX files, each of which is large in one way: the vertices of a grid, the keys of many joints, cubic keys of three angles
of one joint, and text.

    fbx_kinds.py FOLDER
"""
import argparse
import math
import pathlib

import fbx_rigs
from fbx_rigs import TICKS, Array, Id, leaf, named, properties, vector

GRID_SIDE = 283  # 80,089 vertices
CLIP_SECONDS, CLIP_FPS = 10.5, 30
EULER_KEYS, EULER_SWING = 80000, 12.0
TEXT_GRID_SIDE, TEXT_KEYS = 86, 18000


# --- pieces ---

def grid(number, side):
    """A geometry of side x side points, with a normal and texture coordinates for each corner."""
    points, normals, uvs = [], [], []
    for row in range(side):
        for column in range(side):
            x, z = column / (side - 1), row / (side - 1)
            slope = 0.6 * math.cos(6 * x)
            points += [x, 0.1 * math.sin(6 * x), z]
            normals.append((-slope / math.hypot(1, slope), 1 / math.hypot(1, slope), 0.0))
            uvs += [x, z]
    corners, by_corner, places = [], [], []
    for row in range(side - 1):
        for column in range(side - 1):
            first = row * side + column
            quad = [first, first + side, first + side + 1, first + 1]
            corners += [*quad[:3], ~quad[3]]
            for point in quad:
                by_corner += normals[point]
            places += quad
    layer = [leaf("Version", 101), leaf("Name", ""), leaf("MappingInformationType", "ByPolygonVertex")]
    return ("Geometry", (Id(number), named("grid", "Geometry"), "Mesh"), [
        leaf("Vertices", Array("d", points)), leaf("PolygonVertexIndex", Array("i", corners)), leaf("GeometryVersion", 124),
        ("LayerElementNormal", (0,), [*layer, leaf("ReferenceInformationType", "Direct"), leaf("Normals", Array("d", by_corner))]),
        ("LayerElementUV", (0,), [*layer, leaf("ReferenceInformationType", "IndexToDirect"), leaf("UV", Array("d", uvs)),
                                  leaf("UVIndex", Array("i", places))])])


def scene(objects, links, version=7500):
    return [("FBXHeaderExtension", (), [leaf("FBXHeaderVersion", 1003), leaf("FBXVersion", version), leaf("Creator", "posed")]),
            ("GlobalSettings", (), [leaf("Version", 1000), properties(
                ("UpAxis", "int", "Integer", "", 1), ("UpAxisSign", "int", "Integer", "", 1), ("FrontAxis", "int", "Integer", "", 2),
                ("FrontAxisSign", "int", "Integer", "", 1), ("CoordAxis", "int", "Integer", "", 0),
                ("CoordAxisSign", "int", "Integer", "", 1), ("UnitScaleFactor", "double", "Number", "", 1.0))]),
            ("Definitions", (), [leaf("Version", 100)]), ("Objects", (), objects), ("Connections", (), links)]


def turned_grid(side, key_count):
    """A grid below a node, of which each of three angles has key_count cubic keys."""
    model, mesh, stack, layer, node, curves = 1000, 2000, 7000, 7001, 8000, 9000
    objects = [grid(mesh, side), ("Model", (Id(model), named("grid", "Model"), "Mesh"), [leaf("Version", 232), properties(
        ("RotationActive", "bool", "", "", 1), vector("Lcl Translation", (0.5, 0.25, -2)))])]
    links = [leaf("C", "OO", Id(model), Id(0)), leaf("C", "OO", Id(mesh), Id(model))]
    if key_count == 0:
        return scene(objects, links)
    times = [i / 60 for i in range(key_count)]
    objects += [("AnimationStack", (Id(stack), named("Take 001", "AnimStack"), ""), [properties(
        ("LocalStart", "KTime", "Time", "", Id(0)), ("LocalStop", "KTime", "Time", "", Id(round(times[-1] * TICKS))))]),
                ("AnimationLayer", (Id(layer), named("Base", "AnimLayer"), ""), [leaf("Version", 100)]),
                ("AnimationCurveNode", (Id(node), named("R", "AnimCurveNode"), ""), [properties(
                    *((f"d|{axis}", "Number", "", "A", 0.0) for axis in "XYZ"))])]
    links += [leaf("C", "OO", Id(stack), Id(0)), leaf("C", "OO", Id(layer), Id(stack)), leaf("C", "OO", Id(node), Id(layer)),
              leaf("C", "OP", Id(node), Id(model), "Lcl Rotation")]
    for i, axis in enumerate("XYZ"):
        objects.append(fbx_rigs.curve(curves + i, times, lambda time_s, i=i: EULER_SWING * fbx_rigs.angle(0, i, time_s)))
        links.append(leaf("C", "OP", Id(curves + i), Id(node), f"d|{axis}"))
    return scene(objects, links)


# --- text ---

def text_value(one):
    if isinstance(one, Array):
        return f"*{len(one)}"
    if isinstance(one, bytes | str):
        text = one if isinstance(one, str) else one.decode()
        name, _, kind = text.partition("\0\1")
        return f'"{kind}::{name}"' if kind else f'"{text}"'
    return repr(one) if isinstance(one, float) else str(int(one))


def text_records(records, depth=0):
    """The lines of a text file."""
    tabs = "\t" * depth
    for name, values, children in records:
        arrays = [one for one in values if isinstance(one, Array)]
        line = f"{tabs}{name}: {', '.join(map(text_value, values))}"
        if arrays:
            yield line + " {\n" + tabs + "\ta: " + ",".join(map(text_number(arrays[0].code), arrays[0])) + "\n" + tabs + "}\n"
        elif children:
            yield line + " {\n"
            yield from text_records(children, depth + 1)
            yield tabs + "}\n"
        else:
            yield line + "\n"


def text_number(code):
    return (lambda one: f"{one:.15g}") if code == "d" else (lambda one: f"{one:.9g}") if code == "f" else str


def text_file(records, version=7500):
    whole = f"; FBX {version // 1000}.{version // 100 % 10}.0 project file\n" + "".join(text_records(records))
    return whole.encode()


# --- files ---

def write_all(folder):
    """Returns {what is large: path}."""
    contents = {"grid_80000": lambda: fbx_rigs.file_of(turned_grid(GRID_SIDE, 0)),
                "keys_62000": lambda: fbx_rigs.rig(400, 65, CLIP_SECONDS, CLIP_FPS),
                "euler_240000": lambda: fbx_rigs.file_of(turned_grid(2, EULER_KEYS)),
                "text_4mb": lambda: text_file(turned_grid(TEXT_GRID_SIDE, TEXT_KEYS))}
    paths = {}
    for name, content in contents.items():
        paths[name] = pathlib.Path(folder) / f"{name}.fbx"
        paths[name].write_bytes(content())
    return paths


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    write_all(parser.parse_args().folder)


if __name__ == "__main__":
    main()
