"""Small MD2 files (Quake II, version 8) and PCX pictures, written from the formats."""
import struct

POINTS = [[0, 0, 0], [255, 0, 0], [255, 255, 0], [0, 128, 64]]
TRIANGLES = [(0, 1, 2), (0, 2, 3)]
TEXCOORDS = [(0, 0), (63, 0), (63, 31), (0, 31)]


def md2(frames, skins=(), points=POINTS):
    """frames: (name, scale, translation). The points are bytes, scaled and moved."""
    names = b"".join(name.encode().ljust(64, b"\0") for name in skins)
    texcoords = b"".join(struct.pack("<2h", *row) for row in TEXCOORDS)
    triangles = b"".join(struct.pack("<6H", *row, *row) for row in TRIANGLES)
    vertices = b"".join(struct.pack("<4B", *p, 0) for p in points)
    rows = b"".join(struct.pack("<6f", *scale, *move) + name.encode().ljust(16, b"\0") + vertices for name, scale, move in frames)
    places = [68]
    for part in (names, texcoords, triangles, rows):
        places.append(places[-1] + len(part))
    header = struct.pack("<4s16i", b"IDP2", 8, 64, 32, 40 + 4 * len(points), len(skins), len(points), len(TEXCOORDS), len(TRIANGLES), 0,
                         len(frames), *places[:4], places[4], places[4])
    return header + names + texcoords + triangles + rows


def pcx(width, height, indices, palette):
    """A PCX of 8 bits. Rows are padded to an even length. Runs and single bytes both occur."""
    def row(values):
        values, out = list(values) + [0] * (width % 2), b""
        while values:
            run = 1
            while run < min(len(values), 63) and values[run] == values[0]:
                run += 1
            out += bytes([values[0]]) if run == 1 and values[0] < 0xc0 else bytes([0xc0 | run, values[0]])
            values = values[run:]
        return out
    header = struct.pack("<4B4H", 10, 5, 1, 8, 0, 0, width - 1, height - 1).ljust(65, b"\0") + struct.pack("<BH", 1, width + width % 2)
    body = b"".join(row(indices[y * width:(y + 1) * width]) for y in range(height))
    return header.ljust(128, b"\0") + body + b"\x0c" + bytes(x for color in palette for x in color).ljust(768, b"\0")
