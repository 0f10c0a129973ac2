"""Small .3ds files of two boxes, A and B: meshes as in the editor, and a keyframer."""
import math
import struct

BOX = [[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)]
FACES = [(0, 1, 3), (0, 3, 2), (4, 6, 7), (4, 7, 5), (0, 4, 5), (0, 5, 1), (2, 3, 7), (2, 7, 6), (0, 2, 6), (0, 6, 4), (1, 5, 7), (1, 7, 3)]
ROOT = 0xffff


def chunk(number, *parts):
    content = b"".join(parts)
    return struct.pack("<HI", number, 6 + len(content)) + content


def text(words):
    return words.encode() + b"\0"


def mesh(name, points, scene_from_mesh):
    """scene_from_mesh: rows of a matrix; points in the scene."""
    columns = [scene_from_mesh[r][c] for c in range(4) for r in range(3)]
    return chunk(0x4000, text(name), chunk(
        0x4100, chunk(0x4110, struct.pack("<H", len(points)), b"".join(struct.pack("<3f", *p) for p in points)),
        chunk(0x4120, struct.pack("<H", len(FACES)), b"".join(struct.pack("<4H", *face, 7) for face in FACES)),
        chunk(0x4160, struct.pack("<12f", *columns))))


def track(number, values):
    """One key at frame 0, with one number of the spline."""
    return chunk(number, struct.pack("<H8xI", 0, 1), struct.pack("<IHf%df" % len(values), 0, 4, 0.5, *values))


def node(number, name, parent, pivot=(0, 0, 0), keys=None):
    """keys: place, axis, degrees, scale; None: no tracks."""
    tracks = b""
    if keys:
        place, axis, degrees, scale = keys
        tracks = track(0xb020, place) + track(0xb021, [math.radians(-degrees), *axis]) + track(0xb022, scale)
    return chunk(0xb002, chunk(0xb030, struct.pack("<H", number)), chunk(0xb010, text(name), struct.pack("<3H", 0, 0, parent)),
                 chunk(0xb013, struct.pack("<3f", *pivot)), tracks)


def file(meshes, nodes):
    return chunk(0x4d4d, chunk(0x0002, struct.pack("<I", 3)), chunk(0x3d3d, chunk(0x3d3e, struct.pack("<I", 3)), *meshes),
                 chunk(0xb000, chunk(0xb00a, struct.pack("<H", 5), text("T"), struct.pack("<I", 100)), *nodes))
