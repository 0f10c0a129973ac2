"""3MF packages: every triangle in scene space with the linear colours of its corners, from the specifications (Core 1.3; Materials and
Properties 1.2; Production 1.1). Nothing here is shared with the server.

Textures are ignored: the colour of a triangle with a texture is None, and so is that of a missing property.
"""
import xml.etree.ElementTree
import zipfile

CORE = "{http://schemas.microsoft.com/3dmanufacturing/core/2015/02}"
MATERIAL = "{http://schemas.microsoft.com/3dmanufacturing/material/2015/02}"
PRODUCTION = "{http://schemas.microsoft.com/3dmanufacturing/production/2015/06}"
RELATIONSHIP = "{http://schemas.openxmlformats.org/package/2006/relationships}Relationship"
MODEL_TYPE = "http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel"
UNITS = {"micron": 1e-6, "millimeter": 1e-3, "centimeter": 1e-2, "inch": 0.0254, "foot": 0.3048, "meter": 1}
IDENTITY = "1 0 0 0 1 0 0 0 1 0 0 0"


def linear(text):
    """#RRGGBB[AA] to linear red, green, blue, and alpha."""
    values = [int(text[i:i + 2], 16) / 255 for i in range(1, len(text), 2)] + [1.0]
    return [v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in values[:3]] + [values[3]]


def affine(text):
    """The rows of a 4x3 matrix for row vectors."""
    values = list(map(float, text.split()))
    return [values[i:i + 3] for i in range(0, 12, 3)]


def times(first, then):
    """The effect of `first` and then `then` on a row vector."""
    rows = [[sum(row[k] * then[k][c] for k in range(3)) for c in range(3)] for row in first]
    rows[3] = [a + b for a, b in zip(rows[3], then[3])]
    return rows


def moved(point, matrix):
    return [sum(point[k] * matrix[k][c] for k in range(3)) + matrix[3][c] for c in range(3)]


class Model:
    def __init__(self, path):
        self.zip = zipfile.ZipFile(path)
        self.parts = {}
        root = next(r.get("Target") for r in xml.etree.ElementTree.fromstring(self.zip.read("_rels/.rels")).iter(RELATIONSHIP)
                    if r.get("Type") == MODEL_TYPE)
        document = self.part(root)
        self.unit_m = UNITS[document.get("unit", "millimeter")]
        self.nodes = []  # (name, parent, triangles: three points and three colours each), in the order of the file, depth first
        for item in document.find(CORE + "build"):
            self.add(item, root, affine(IDENTITY), -1)

    def part(self, name):
        if name not in self.parts:
            self.parts[name] = xml.etree.ElementTree.fromstring(self.zip.read(name.lstrip("/")))
        return self.parts[name]

    def resource(self, part, number):
        return next(r for r in self.part(part).find(CORE + "resources") if r.get("id") == number)

    def add(self, use, part, above, parent):
        part = use.get(PRODUCTION + "path", part)
        placed = times(affine(use.get("transform", IDENTITY)), above)
        thing = self.resource(part, use.get("objectid"))
        index = len(self.nodes)
        mesh, components = thing.find(CORE + "mesh"), thing.find(CORE + "components")
        self.nodes.append((thing.get("name"), parent, [] if mesh is None else list(self.triangles(part, thing, mesh, placed))))
        for component in [] if components is None else components:
            self.add(component, part, placed, index)

    def triangles(self, part, thing, mesh, placed):
        points = [moved([float(v.get(a)) for a in "xyz"], placed) for v in mesh.find(CORE + "vertices")]
        for triangle in mesh.find(CORE + "triangles"):
            yield [points[int(triangle.get(v))] for v in ("v1", "v2", "v3")], self.colors(part, thing, triangle)

    def colors(self, part, thing, triangle):
        first = triangle.get("p1")
        group = triangle.get("pid", thing.get("pid")) if first is not None else thing.get("pid")
        if group is None:
            return [None] * 3
        properties = [triangle.get(p, first) if first is not None else thing.get("pindex", "0") for p in ("p1", "p2", "p3")]
        if self.resource(part, group).tag == CORE + "basematerials":
            properties = properties[:1] * 3
        return [self.color(part, group, int(p)) for p in properties]

    def color(self, part, number, index, is_layer=False):
        group = self.resource(part, number)
        rows = list(group)
        if group.tag == CORE + "basematerials":
            return linear(rows[index].get("displaycolor"))
        if group.tag == MATERIAL + "colorgroup":
            color = linear(rows[index].get("color"))
            return color if is_layer else color[:3] + [1.0]
        if group.tag == MATERIAL + "compositematerials":
            wanted = group.get("matindices").split()
            shares = ([float(v) for v in rows[index].get("values", "").split()] + [0.0] * len(wanted))[:len(wanted)]
            shares = [s / sum(shares) for s in shares] if sum(shares) > 0 else [1 / len(wanted)] * len(wanted)
            parts = [self.color(part, group.get("matid"), int(w)) for w in wanted]
            return [sum(s * p[k] for s, p in zip(shares, parts)) for k in range(4)]
        if group.tag == MATERIAL + "multiproperties":
            return self.layers(part, group, rows[index])
        return None

    def layers(self, part, group, row):
        pids = group.get("pids").split()
        indices = (list(map(int, row.get("pindices").split())) + [0] * len(pids))[:len(pids)]
        methods = [None] + (group.get("blendmethods", "").split() + ["mix"] * len(pids))[:len(pids) - 1]
        colors = [self.color(part, pid, index, is_layer=True) for pid, index in zip(pids, indices)]
        if None in colors:
            return None
        material = None
        if self.resource(part, pids[0]).tag in (CORE + "basematerials", MATERIAL + "compositematerials"):
            material, colors, methods = colors[0], colors[1:], methods[1:]
        if not colors:
            return material
        rgb, alpha = colors[0][:3], colors[0][3] if material is not None and methods[0] == "mix" else 1.0
        for color, method in zip(colors[1:], methods[1:]):
            if method == "multiply":
                rgb, alpha = [a * b for a, b in zip(rgb, color)], alpha * color[3]
            else:
                a = color[3]
                rgb, alpha = [new * a + old * (1 - a) for new, old in zip(color, rgb)], a + alpha * (1 - a)
        if material is not None:
            rgb = [new * alpha + old * (1 - alpha) for new, old in zip(rgb, material)]
        return rgb + [1.0]
