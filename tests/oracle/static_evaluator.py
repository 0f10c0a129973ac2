"""Formats without skeletons, in their text forms: the vertices that a surface uses, as they stand in the file.

Wavefront OBJ (`v`, `f`), STL (`vertex`), PLY 1.0 (the elements' order as its header says), OFF. The formats have no nodes, no unit and no
axes, so scene space is the file's.
"""


def of_obj(words):
    points = [list(map(float, row[1:4])) for row in words if row and row[0] == "v"]
    corners = [int(corner.split("/")[0]) for row in words if row and row[0] == "f" for corner in row[1:]]
    return [points[c - 1 if c > 0 else c] for c in dict.fromkeys(corners)]


def of_stl(words):
    return [list(map(float, row[1:4])) for row in words if row and row[0] == "vertex"]


def of_ply(words):
    names = [row[2] for row in words if row[:1] == ["property"] and row[1] != "list"]
    count = next(int(row[2]) for row in words if row[:2] == ["element", "vertex"])
    first = words.index(["end_header"]) + 1
    return [[float(row[names.index(axis)]) for axis in "xyz"] for row in words[first:first + count]]


def of_off(words):
    rows = [row for row in words if row and not row[0].startswith("#")]
    return [list(map(float, row[:3])) for row in rows[2:2 + int(rows[1][0])]]


class Model:
    nodes, parents, clips = [], [], []

    def __init__(self, path):
        words = [line.split() for line in path.read_text(encoding="utf-8").splitlines()]
        self.points = {".obj": of_obj, ".stl": of_stl, ".ply": of_ply, ".off": of_off}[path.suffix](words)

    def pose(self, clip, t):
        return []

    def palettes(self, scene):
        return []

    def vertices(self, scene):
        return [(p, p) for p in self.points]
