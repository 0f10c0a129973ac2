"""Writes animated rigs as binary FBX 7.5: a tube with a given number of vertices, skinned to a chain of joints that turn all the time.

Like motion capture, three angles of every joint have a key for each frame, with user tangents. The first joint also moves. Each vertex
has four influences, texture coordinates and a normal by corner. All values come from formulas, so that two runs measure the same.

    fbx_rigs.py [--vertices 30000] [--joints 65] [--seconds 60] [--fps 30] [--version 7500] FILE
"""
import argparse
import math
import pathlib
import struct
import zlib

TICKS = 46186158000
SIDES = 20
INFLUENCES = 4
# The footer's bytes; readers of records stop before them.
FOOTER = b"\xfa\xbc\xab\x09\xd0\xc8\xd4\x66\xb1\x76\xfb\x83\x1c\xf7\x26\x7e" + bytes(4)


class Array(list):
    """Numbers that become one array value: of type d, f, i or l."""

    def __init__(self, code, numbers):
        super().__init__(numbers)
        self.code = code


class Id(int):
    """An object's number or a time: always 64 bits."""


def value(one):
    if isinstance(one, Id):
        return b"L" + struct.pack("<q", one)
    if isinstance(one, Array):
        raw = struct.pack(f"<{len(one)}{one.code.replace('l', 'q')}", *one)
        packed = zlib.compress(raw, 6)
        is_packed = len(packed) < len(raw)
        data = packed if is_packed else raw
        return one.code.encode() + struct.pack("<III", len(one), is_packed, len(data)) + data
    if isinstance(one, bool):
        return b"C" + struct.pack("<B", one)
    if isinstance(one, int):
        return (b"I" + struct.pack("<i", one)) if abs(one) < 1 << 31 else b"L" + struct.pack("<q", one)
    if isinstance(one, float):
        return b"D" + struct.pack("<d", one)
    data = one.encode() if isinstance(one, str) else one
    return (b"S" if isinstance(one, str) else b"R") + struct.pack("<I", len(data)) + data


def record(name, values=(), children=(), at=0, wide=True):
    """The bytes of a record that begins at byte `at`; children are (name, values, children)."""
    head = "<QQQB" if wide else "<IIIB"
    data = b"".join(map(value, values))
    first = at + struct.calcsize(head) + len(name) + len(data)
    inside = b"".join(pieces(children, first, wide))
    if children:
        inside += bytes(struct.calcsize(head))
    return struct.pack(head, first + len(inside), len(values), len(data), len(name)) + name.encode() + data + inside


def pieces(children, at, wide):
    for name, values, inner in children:
        piece = record(name, values, inner, at, wide)
        at += len(piece)
        yield piece


def file_of(children, version=7500):
    head = b"Kaydara FBX Binary  \0\x1a\0" + struct.pack("<I", version)
    wide = version >= 7500
    return head + b"".join(pieces(children, len(head), wide)) + bytes(25 if wide else 13) + FOOTER


def leaf(name, *values):
    return name, values, ()


def named(name, kind):
    return f"{name}\0\1{kind}"


def properties(*rows):
    return "Properties70", (), [leaf("P", *row) for row in rows]


def vector(name, xyz, kind=None):
    return name, kind or name, "", "A", *(float(one) for one in xyz)


# --- the rig ---

def joint_length(joints):
    return 2.0 / joints


def tube(vertices, joints):
    """Points, corners with FBX's end of a polygon, normals and texture coordinates by corner."""
    rings = max(2, vertices // SIDES)
    points, normals = [], []
    for ring in range(rings):
        y = 2.0 * ring / (rings - 1)
        for side in range(SIDES):
            angle = 2 * math.pi * side / SIDES
            points += [0.1 * math.cos(angle), y, 0.1 * math.sin(angle)]
            normals.append((math.cos(angle), 0.0, math.sin(angle)))
    corners, by_corner, uvs, places = [], [], [], []
    for ring in range(rings):
        for side in range(SIDES + 1):
            uvs += [side / SIDES, ring / (rings - 1)]
    for ring in range(rings - 1):
        for side in range(SIDES):
            quad = [(ring, side), (ring + 1, side), (ring + 1, side + 1), (ring, side + 1)]
            found = [r * SIDES + s % SIDES for r, s in quad]
            corners += found[:3] + [~found[3]]
            for point, (r, s) in zip(found, quad):
                by_corner += normals[point]
                places.append(r * (SIDES + 1) + s)
    return rings, points, corners, by_corner, uvs, places


def geometry(number, vertices, joints):
    rings, points, corners, normals, uvs, places = tube(vertices, joints)
    layer = [leaf("Version", 101), leaf("Name", ""), leaf("MappingInformationType", "ByPolygonVertex")]
    children = [
        leaf("Vertices", Array("d", points)), leaf("PolygonVertexIndex", Array("i", corners)), leaf("GeometryVersion", 124),
        ("LayerElementNormal", (0,), [*layer, leaf("ReferenceInformationType", "Direct"), leaf("Normals", Array("d", normals))]),
        ("LayerElementUV", (0,), [*layer, leaf("ReferenceInformationType", "IndexToDirect"), leaf("UV", Array("d", uvs)),
                                  leaf("UVIndex", Array("i", places))])]
    return rings, ("Geometry", (Id(number), named("tube", "Geometry"), "Mesh"), children)


def weights(rings, joints):
    """{joint: ({point: weight})}: four joints near each ring; nearer ones have greater weights."""
    found = [{} for _ in range(joints)]
    for ring in range(rings):
        place = ring / (rings - 1) * (joints - 1)
        first = max(0, min(joints - INFLUENCES, int(place) - 1))
        near = {j: 1 / (0.5 + abs(j - place)) for j in range(first, min(joints, first + INFLUENCES))}
        total = sum(near.values())
        for joint, weight in near.items():
            for side in range(SIDES):
                found[joint][ring * SIDES + side] = weight / total
    return found


def moved(y):
    return Array("d", [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, y, 0, 1])


def angle(joint, axis, time_s):
    return 12 * math.sin((1 + 0.37 * axis + 0.11 * joint) * time_s + joint + axis) + 3 * math.sin(7.3 * time_s + axis)


def curve(number, times, function):
    values = [function(time_s) for time_s in times]
    slopes = [(function(time_s + 1e-4) - function(time_s - 1e-4)) / 2e-4 for time_s in times]
    bits = []
    for i in range(len(times)):
        bits += [slopes[i], slopes[min(i + 1, len(times) - 1)], 0.0, 0.0]
    cubic_user = 0x8 | 0x400
    return ("AnimationCurve", (Id(number), named("", "AnimCurve"), ""), [
        leaf("Default", 0.0), leaf("KeyVer", 4009), leaf("KeyTime", Array("l", [round(time_s * TICKS) for time_s in times])),
        leaf("KeyValueFloat", Array("f", values)), leaf("KeyAttrFlags", Array("i", [cubic_user] * len(times))),
        leaf("KeyAttrDataFloat", Array("f", bits)), leaf("KeyAttrRefCount", Array("i", [1] * len(times)))])


def rig(vertices=30000, joints=65, seconds=60.0, fps=30, version=7500):
    """The file's bytes."""
    objects, links = [], []
    length = joint_length(joints)
    times = [i / fps for i in range(int(seconds * fps) + 1)]

    def link(child, parent, name=None):
        links.append(leaf("C", "OO" if name is None else "OP", Id(child), Id(parent), *([] if name is None else [name])))

    model, skin, mesh, material, stack, layer = 1000, 5000, 2000, 3000, 7000, 7001
    rings, one = geometry(mesh, vertices, joints)
    objects += [one, ("Model", (Id(999), named("body", "Model"), "Mesh"), [leaf("Version", 232), properties()]),
                ("Material", (Id(material), named("skin", "Material"), ""), [leaf("ShadingModel", "phong"), properties(
                    vector("DiffuseColor", (0.8, 0.6, 0.5), "Color"))]),
                ("Deformer", (Id(skin), named("", "Deformer"), "Skin"), [leaf("Version", 101)])]
    for child, parent in ((999, 0), (mesh, 999), (material, 999), (skin, mesh)):
        link(child, parent)
    seconds_ticks = round(seconds * TICKS)
    objects += [("AnimationStack", (Id(stack), named("Take 001", "AnimStack"), ""), [properties(
        ("LocalStart", "KTime", "Time", "", Id(0)), ("LocalStop", "KTime", "Time", "", Id(seconds_ticks)))]),
                ("AnimationLayer", (Id(layer), named("Base", "AnimLayer"), ""), [leaf("Version", 100)])]
    link(stack, 0)
    link(layer, stack)
    for joint, near in enumerate(weights(rings, joints)):
        number = model + joint
        step = (0, length if joint else 0, 0)
        objects.append(("Model", (Id(number), named(f"joint_{joint}", "Model"), "LimbNode"), [leaf("Version", 232), properties(
            ("RotationActive", "bool", "", "", 1), ("InheritType", "enum", "", "", 1), vector("Lcl Translation", step))]))
        link(number, number - 1 if joint else 0)
        cluster, nodes, curves = 6000 + joint, 8000 + 2 * joint, 9000 + 6 * joint
        objects.append(("Deformer", (Id(cluster), named("", "Deformer"), "Cluster"), [
            leaf("Version", 100), leaf("Indexes", Array("i", near)), leaf("Weights", Array("d", near.values())),
            leaf("Transform", moved(-length * joint)), leaf("TransformLink", moved(length * joint))]))
        link(cluster, skin)
        link(number, cluster)
        driven = [("R", "Lcl Rotation", lambda axis: lambda time_s: angle(joint, axis, time_s), (0, 0, 0))]
        if joint == 0:
            driven.append(("T", "Lcl Translation", lambda axis: lambda time_s: 0.1 * axis * math.sin(time_s), (0, 0, 0)))
        for place, (letter, name, function, rest) in enumerate(driven):
            objects.append(("AnimationCurveNode", (Id(nodes + place), named(letter, "AnimCurveNode"), ""), [properties(
                *((f"d|{axis}", "Number", "", "A", float(rest[i])) for i, axis in enumerate("XYZ")))]))
            link(nodes + place, layer)
            link(nodes + place, number, name)
            for i, axis in enumerate("XYZ"):
                objects.append(curve(curves + 3 * place + i, times, function(i)))
                link(curves + 3 * place + i, nodes + place, f"d|{axis}")
    return file_of([
        ("FBXHeaderExtension", (), [leaf("FBXHeaderVersion", 1003), leaf("FBXVersion", version), leaf("Creator", "posed")]),
        ("GlobalSettings", (), [leaf("Version", 1000), properties(
            ("UpAxis", "int", "Integer", "", 1), ("UpAxisSign", "int", "Integer", "", 1), ("FrontAxis", "int", "Integer", "", 2),
            ("FrontAxisSign", "int", "Integer", "", 1), ("CoordAxis", "int", "Integer", "", 0),
            ("CoordAxisSign", "int", "Integer", "", 1), ("UnitScaleFactor", "double", "Number", "", 1.0))]),
        ("Documents", (), [leaf("Count", 1), ("Document", (Id(1), "", "Scene"), [leaf("RootNode", 0)])]),
        ("Definitions", (), [leaf("Version", 100)]),
        ("Objects", (), objects), ("Connections", (), links)], version)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=pathlib.Path)
    parser.add_argument("--vertices", type=int, default=30000)
    parser.add_argument("--joints", type=int, default=65)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--fps", type=int, default=30)
    parser.add_argument("--version", type=int, default=7500)
    options = parser.parse_args()
    options.file.write_bytes(rig(options.vertices, options.joints, options.seconds, options.fps, options.version))


if __name__ == "__main__":
    main()
