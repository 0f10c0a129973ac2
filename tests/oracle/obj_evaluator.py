"""Wavefront OBJ and MTL from their specification, as lists of polygons: what a reader must make of a file. It shares no code with the server.

A polygon is a list of corners, and a corner is (place, texture coordinates or None, normal or None, colour or None), with v upwards. Polygons
are under (part, material, topology).
"""
import math
import re

WORD = re.compile(r"[^ \t\v\f]+")
TOPOLOGIES = {"f": "triangles", "fo": "triangles", "l": "lines", "p": "points"}
MAPS = {"map_kd": "base_color", "norm": "normal", "map_bump": "normal", "bump": "normal", "map_ke": "emissive"}
OPTIONS = {"-o": (1, 3), "-s": (1, 3), "-t": (1, 3), "-mm": (1, 2), "-bm": (1, 1), "-boost": (1, 1), "-texres": (1, 1)}
WORDS = {"-blendu", "-blendv", "-cc", "-clamp", "-colorspace", "-imfchan", "-type"}


def text_of(data):
    for mark, encoding in ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16")):
        if data.startswith(mark):
            return data.decode(encoding)
    return data.decode("utf-8")


def statements(data):
    """Keyword and the rest of each line, continued lines joined."""
    joined = ""
    for line in re.split(r"\r\n|\n|\r", text_of(data)):
        joined += line
        if joined.endswith("\\") and not joined.lstrip().startswith("#"):
            joined = joined[:-1] + " "
            continue
        found = WORD.search(joined)
        if found and found[0][0] != "#":
            yield found[0], joined[found.end():].strip(" \t\v\f")
        joined = ""


def number(word):
    try:
        return float(word.replace(",", ".")) if "_" not in word else None
    except ValueError:
        return math.nan if re.match(r"[+-]?\d+\.#", word) else None


def numbers(rest):
    found = []
    for word in WORD.findall(rest):
        value = number(word)
        if value is None:
            break
        found.append(value)
    return found


class Model:
    def __init__(self, path):
        self.points, self.colors, self.texcoords, self.normals = [], [], [], []
        self.polygons, self.materials, self.folder = {}, {}, path.parent
        owner = group = material = ""
        elements = []
        for keyword, rest in statements(path.read_bytes()):
            if keyword == "v":
                values = numbers(rest)
                self.points.append(values[:3])
                self.colors.append(values[3:6] if len(values) >= 6 else None)
            elif keyword in ("vt", "vn"):
                (self.texcoords if keyword == "vt" else self.normals).append((numbers(rest) + [0.0])[:2 if keyword == "vt" else 3])
            elif keyword in TOPOLOGIES:
                counts = [len(self.points), len(self.texcoords), len(self.normals)]
                corners = [[self.index(part, count) for part, count in zip(word.split("/"), counts)]
                           for word in WORD.findall(rest.split("#")[0])]
                elements.append(((owner, group), material, TOPOLOGIES[keyword], corners))
            elif keyword == "o":
                owner, group = rest, ""
            elif keyword == "g":
                group = rest
            elif keyword == "usemtl":
                material = rest
            elif keyword == "mtllib":
                for name in re.findall(r".*?\.mtl(?=\s|$)", rest):
                    self.read_library(path.parent / name.strip())
        if max((x for color in self.colors if color for x in color), default=0) >= 2:
            self.colors = [color and [x / 255 for x in color] for color in self.colors]
        cloud = [((owner, group), material, "points", [[p] for p in range(len(self.points))])]
        for polygons in (elements, cloud):
            for part, name, topology, corners in polygons if polygons is elements or not self.polygons else []:
                for polygon in self.parts_of(topology, [self.corner(*(corner + [None, None])[:3]) for corner in corners]):
                    if all(math.isfinite(x) for corner in polygon for x in corner[0]):
                        self.polygons.setdefault((part, name, topology), []).append(polygon)

    def index(self, text, count):
        return None if text == "" else int(text) - 1 if int(text) > 0 else count + int(text) if int(text) < 0 else None

    def corner(self, point, texcoord, normal):
        def value(values, index):
            return tuple(values[index]) if index is not None and 0 <= index < len(values) else None
        return value(self.points, point), value(self.texcoords, texcoord), value(self.normals, normal), self.colors[point]

    def parts_of(self, topology, corners):
        if topology == "points":
            return [[corner] for corner in corners]
        if topology == "lines":
            return [list(pair) for pair in zip(corners, corners[1:])]
        return [corners] if len(corners) >= 3 else []

    def read_library(self, path):
        found = None
        for keyword, rest in statements(path.read_bytes()):
            keyword = keyword.lower()
            values = numbers(rest.replace("-halo", ""))
            if keyword == "newmtl":
                found = self.materials.setdefault(rest, {"color": [1, 1, 1], "opacity": 1, "maps": {}})
            elif found is not None and keyword == "kd" and values:
                found["color"] = (values * 3 if len(values) == 1 else values)[:3]
            elif found is not None and keyword in ("d", "tr") and values:
                found["opacity"] = values[0] if keyword == "d" else 1 - values[0]
            elif found is not None and keyword in MAPS:
                found["maps"][MAPS[keyword]] = map_of(rest)
        for material in self.materials.values():
            material["maps"] = {use: value for use, value in material["maps"].items() if value[0]}


def take_options(words, options):
    """Takes options off the front of the words."""
    while words and (words[0] in WORDS or words[0] in OPTIONS):
        name, taken = words[0], 1
        if name in WORDS:
            taken = 2
        else:
            while taken <= OPTIONS[name][1] and taken < len(words) and number(words[taken]) is not None:
                taken += 1
        if taken < 2 or taken > len(words):
            return words
        options[name] = words[1:taken]
        words = words[taken:]
    return words


def map_of(rest):
    """The file, and the scale and offset of texture coordinates."""
    options = {}
    words = take_options(re.findall(r"\S+", rest), options)
    for at in range(1, len(words)):
        behind = {}
        if not take_options(words[at:], behind):
            options |= behind
            words = words[:at]
            break
    scale, offset = ([float(x) for x in options.get(name, [])] for name in ("-s", "-o"))
    name = " ".join(words)
    name = name[1:-1] if len(name) > 1 and name[0] == name[-1] == '"' else name
    return name, (scale + [1.0, 1.0][len(scale):])[:2], (offset + [0.0, 0.0][len(offset):])[:2]
