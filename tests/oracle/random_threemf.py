"""Random 3MF packages that use the format's features for placing and colouring objects. The same seed gives the same file."""
import random
import zipfile

NAMESPACES = ('xmlns="http://schemas.microsoft.com/3dmanufacturing/core/2015/02" '
              'xmlns:m="http://schemas.microsoft.com/3dmanufacturing/material/2015/02" '
              'xmlns:pr="http://schemas.microsoft.com/3dmanufacturing/production/2015/06"')
ROOT, OTHER = "/3D/3dmodel.model", "/3D/Objects/object_1.model"
RELATIONSHIPS = ('<?xml version="1.0" encoding="UTF-8"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
                 '<Relationship Id="t" Target="/Metadata/thumbnail.png" '
                 'Type="http://schemas.openxmlformats.org/package/2006/relationships/metadata/thumbnail"/>'
                 f'<Relationship Id="r" Target="{ROOT}" Type="http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel"/></Relationships>')
TYPES = ('<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="model" '
         'ContentType="application/vnd.ms-package.3dmanufacturing-3dmodel+xml"/></Types>')


class Maker:
    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.groups = []  # (id, kind, count) of the part under construction

    def color(self):
        return "#%02X%02X%02X" % tuple(self.rng.choice([0, 16, 128, 200, 255]) for _ in range(3)) + self.rng.choice(["", "FF", "80", "40"])

    def transform(self):
        """Rotations, scales, mirrors and shears, off the origin."""
        rng = self.rng
        if rng.random() < 0.2:
            return ""
        values = [round(rng.uniform(-2, 2), 4) for _ in range(9)] + [round(rng.uniform(-50, 50), 3) for _ in range(3)]
        if rng.random() < 0.2:
            values[:9] = [0, 1, 0, -1, 0, 0, 0, 0, 2.5]
        return ' transform="' + " ".join(f"{v:g}" for v in values) + '"'

    def make_groups(self):
        rng, out = self.rng, []
        bases, colors = rng.randint(1, 4), rng.randint(2, 5)
        out.append('<basematerials id="101">' + "".join(f'<base name="b{i}" displaycolor="{self.color()}"/>' for i in range(bases)) + "</basematerials>")
        out.append('<m:colorgroup id="102">' + "".join(f'<m:color color="{self.color()}"/>' for _ in range(colors)) + "</m:colorgroup>")
        wanted = [str(rng.randrange(bases)) for _ in range(rng.randint(1, 3))]
        rows = [" ".join(f"{rng.choice([0, 0.25, 1, 2])}" for _ in range(rng.randint(1, 4))) for _ in range(2)]
        out.append(f'<m:compositematerials id="103" matid="101" matindices="{" ".join(wanted)}">' +
                   "".join(f'<m:composite values="{row}"/>' for row in rows) + "</m:compositematerials>")
        out.append('<m:colorgroup id="105">' + "".join(f'<m:color color="{self.color()}"/>' for _ in range(2)) + "</m:colorgroup>")
        pids = rng.choice([["101", "102", "105"], ["102", "105"], ["103", "105"], ["102"], ["101"]])
        methods = rng.choice(["", ' blendmethods="multiply"', ' blendmethods="mix multiply"'])
        out.append(f'<m:multiproperties id="104" pids="{" ".join(pids)}"{methods}><m:multi pindices="0 1 1"/><m:multi pindices="0"/></m:multiproperties>')
        self.groups = [("101", bases), ("102", colors), ("103", 2), ("104", 2)]
        return "".join(out)

    def properties(self, prefix):
        """Attributes of a triangle (p) or an object."""
        rng = self.rng
        if rng.random() < 0.3:
            return ""
        group, count = rng.choice(self.groups)
        if prefix == "object":
            return f' pid="{group}" pindex="{rng.randrange(count)}"'
        kind = rng.random()
        names = ["p1"] if kind < 0.6 else ["p1", "p2", "p3"]
        return f' pid="{group}"' + "".join(f' {name}="{rng.randrange(count)}"' for name in names)

    def mesh(self):
        rng = self.rng
        points = [[round(rng.uniform(-20, 20), 4) for _ in range(3)] for _ in range(rng.randint(4, 9))]
        triangles = [rng.sample(range(len(points)), 3) for _ in range(rng.randint(1, 9))]
        return ("<mesh><vertices>" + "".join('<vertex x="%r" y="%r" z="%r"/>' % tuple(p) for p in points) + "</vertices><triangles>" +
                "".join('<triangle v1="%d" v2="%d" v3="%d"' % tuple(t) + self.properties("triangle") + "/>" for t in triangles) +
                "</triangles></mesh>")

    def part(self, path, meshes, elsewhere):
        """A model part; `elsewhere` are ids of the other one."""
        rng = self.rng
        out, objects = [self.make_groups()], []
        for i in range(meshes):
            objects.append((None, i + 1))
            out.append(f'<object id="{i + 1}" name="mesh {i + 1} of {path[-8:]}"{self.properties("object")}>{self.mesh()}</object>')
        for i in range(rng.randint(0, 3) if path == ROOT else 0):
            number, choices = len(objects) + 1, objects + [(OTHER, n) for n in elsewhere]
            uses = [rng.choice(choices) for _ in range(rng.randint(1, 3))]
            out.append(f'<object id="{number}"><components>' + "".join(
                f'<component objectid="{n}"{self.transform()}' + (f' pr:path="{p}"' if p else "") + "/>" for p, n in uses) + "</components></object>")
            objects.append((None, number))
        build = ""
        if path == ROOT:
            uses = [rng.choice(objects + [(OTHER, n) for n in elsewhere]) for _ in range(rng.randint(1, 4))]
            build = "".join(f'<item objectid="{n}"{self.transform()}' + (f' pr:path="{p}"' if p else "") + "/>" for p, n in uses)
        unit = rng.choice(["", ' unit="micron"', ' unit="centimeter"', ' unit="inch"', ' unit="foot"', ' unit="meter"', ' unit="millimeter"'])
        return (f'<?xml version="1.0" encoding="UTF-8"?>\n<model{unit} {NAMESPACES} requiredextensions="m pr"><resources>' + "".join(out) +
                f"</resources><build>{build}</build></model>")


def write(seed, path):
    maker = Maker(seed)
    others = maker.rng.randint(0, 2)
    with zipfile.ZipFile(path, "w", maker.rng.choice([zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED])) as package:
        package.writestr("[Content_Types].xml", TYPES)
        package.writestr("_rels/.rels", RELATIONSHIPS)
        if others:
            package.writestr(OTHER[1:], maker.part(OTHER, others, []))
        package.writestr(ROOT[1:], maker.part(ROOT, maker.rng.randint(1, 3), range(1, others + 1)))
