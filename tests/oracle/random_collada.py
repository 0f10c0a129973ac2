"""Random COLLADA files that use the format's features for placing and moving nodes and the vertices of meshes, skins and morphs. The same
seed gives the same file."""
import math
import random

TEMPLATE = """<?xml version="1.0" encoding="utf-8"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><unit name="centimeter" meter="0.01"/><up_axis>Z_UP</up_axis></asset>
<library_nodes><node id="part" sid="p" name="part"><translate sid="t">1 -2 0.5</translate><rotate sid="r">0 1 1 33</rotate></node></library_nodes>
{things}<library_animations>{animations}</library_animations>{clips}
<library_visual_scenes><visual_scene id="scene" name="scene">{nodes}</visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#scene"/></scene></COLLADA>"""

AXES = {"rotateX": "1 0 0", "rotateY": "0 1 0", "rotateZ": "0 0 1", "lean": "1 2 -0.5"}


def numbers(values):
    return " ".join(repr(float(v)) for v in values)


PRIMITIVES = ["triangles", "polylist", "polygons", "tristrips", "trifans"]


class Maker:
    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.animations = []
        self.names = []  # of nodes
        self.things = {"geometries": "", "controllers": ""}
        self.count = 0

    def source(self, suffix, rows, kind="float"):
        """A <source> of rows."""
        self.count += 1
        name, words = f"s{self.count}-{suffix}", [x for row in rows for x in row]
        text = numbers(words) if kind == "float" else " ".join(words)
        return name, (f'<source id="{name}"><{kind}_array id="{name}-array" count="{len(words)}">{text}</{kind}_array><technique_common>'
                      f'<accessor source="#{name}-array" count="{len(rows)}" stride="{len(rows[0])}"/></technique_common></source>')

    def animate(self, target, values):
        """values(k): a row for key k. All interpolations in one curve, or only linear ones if the target is a matrix."""
        rng = self.rng
        times = sorted(rng.sample([round(0.05 * i + 0.013, 3) for i in range(40)], rng.randint(1, 5)))
        rows = [values(k) for k in range(len(times))]
        kinds = [rng.choice(["LINEAR", "STEP", "BEZIER", "HERMITE"]) for _ in times]
        if "matrix" in target:
            kinds = ["LINEAR"] * len(times)
        before, behind = [[0] * 2 * len(rows[0]) for _ in times], [[0] * 2 * len(rows[0]) for _ in times]
        for k in range(len(times) - 1):
            span = times[k + 1] - times[k]
            for c in range(len(rows[0])):
                x0, x1 = rng.uniform(0.05, 0.95) * span, rng.uniform(0.05, 0.95) * span
                y0, y1 = rng.uniform(-2, 2), rng.uniform(-2, 2)
                if kinds[k] == "HERMITE":
                    behind[k][2 * c:2 * c + 2], before[k + 1][2 * c:2 * c + 2] = [x0, y0], [x1, y1]
                else:
                    behind[k][2 * c:2 * c + 2] = [times[k] + x0, rows[k][c] + y0]
                    before[k + 1][2 * c:2 * c + 2] = [times[k + 1] - x1, rows[k + 1][c] + y1]
        parts = {"INPUT": self.source("in", [[t] for t in times]), "OUTPUT": self.source("out", rows),
                 "INTERPOLATION": self.source("kind", [[k] for k in kinds], "Name"),
                 "IN_TANGENT": self.source("before", before), "OUT_TANGENT": self.source("behind", behind)}
        inputs = "".join(f'<input semantic="{s}" source="#{name}"/>' for s, (name, _) in parts.items())
        name = f"a{len(self.animations)}"
        body = ("".join(text for _, text in parts.values()) + f'<sampler id="{name}-sampler">{inputs}</sampler>'
                f'<channel source="#{name}-sampler" target="{target}"/>')
        nested = f'<animation id="{name}-inner">{body}</animation>' if rng.random() < 0.3 else body
        self.animations.append(f'<animation id="{name}">{nested}</animation>')

    def rigid(self):
        """A rotated, mirrored or unevenly scaled matrix, as 16 numbers."""
        a, b = self.rng.uniform(-3, 3), self.rng.uniform(-1, 1)
        x = [math.cos(a), math.sin(a), 0]
        y = [-math.sin(a) * math.cos(b), math.cos(a) * math.cos(b), math.sin(b)]
        z = [x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2], x[0] * y[1] - x[1] * y[0]]
        s = [self.rng.uniform(0.5, 2) for _ in range(3)]
        rows = [[x[r] * s[0], y[r] * s[1], z[r] * s[2], self.rng.uniform(-3, 3)] for r in range(3)]
        return [v for row in rows for v in row] + [0, 0, 0, 1]

    def stack(self, node):
        """The transforms of one node, some of them animated."""
        rng = self.rng
        if rng.random() < 0.25:
            if rng.random() < 0.5:
                self.animate(f"{node}/matrix", lambda k: self.rigid())
            else:
                for r in range(3):
                    self.animate(f"{node}/matrix(3)({r})", lambda k: [rng.uniform(-2, 2)])
            return f'<matrix sid="matrix">{numbers(self.rigid())}</matrix>'
        text = f'<translate sid="place">{numbers(rng.uniform(-3, 3) for _ in range(3))}</translate>'
        if rng.random() < 0.5:
            self.animate(f"{node}/place", lambda k: [rng.uniform(-3, 3) for _ in range(3)])
        elif rng.random() < 0.5:
            self.animate(f"{node}/place.Y", lambda k: [rng.uniform(-3, 3)])
        if rng.random() < 0.2:
            text += "<lookat>0 1 0 3 2 -1 0 0 1</lookat>"
        for sid in rng.sample(sorted(AXES), rng.randint(0, 3)):
            text += f'<rotate sid="{sid}">{AXES[sid]} {rng.uniform(-180, 180)!r}</rotate>'
            if rng.random() < 0.7:
                far = rng.choice([60, 300, 3000])
                self.animate(f"{node}/{sid}.ANGLE", lambda k: [rng.uniform(-far, far)])
        text += f'<scale sid="size">{numbers(rng.choice([-1, 1, 1, 1]) * rng.uniform(0.5, 1.5) for _ in range(3))}</scale>'
        if rng.random() < 0.3:
            self.animate(f"{node}/size", lambda k: [rng.uniform(0.4, 2) for _ in range(3)])
        return text

    def node(self, name, depth):
        inner = self.stack(name)
        for i in range(self.rng.randint(0, 2) if depth < 2 else 0):
            inner += self.node(f"{name}_{i}", depth + 1)
        if self.rng.random() < 0.2:
            inner += '<instance_node url="#part"/>'
        self.names.append(name)
        # the same sids below each root: a skeleton's root decides which joints are meant
        return f'<node id="{name}" sid="j{name[2:]}" name="n {name}">{inner}@{name}@</node>'

    # --- meshes ---

    def text_of(self, values):
        """Numbers as programs write them."""
        rng = self.rng
        forms = [repr, "{:.20f}".format, "{:.17e}".format, "{:+.17g}".format]
        return rng.choice(["", " ", "\n\t "]) + rng.choice([" ", "\n", "\t  "]).join(rng.choice(forms)(float(v)) for v in values) + rng.choice(["", "  "])

    def floats(self, rows, params="XYZ"):
        """A <source> of rows, which may begin late in its array and have numbers between them that no <param> names."""
        self.count += 1
        name, late, gap = f"f{self.count}", self.rng.choice([0, 0, 2]), self.rng.choice([0, 0, 1]) if params else 0
        words = [9e9] * late + [v for row in rows for v in [*([8e8] * gap), *row]]
        named = "".join(f'<param name="{c}" type="float"/>' for c in params) if params else '<param type="float"/>' * len(rows[0])
        return name, (f'<source id="{name}"><float_array id="{name}-a" count="{len(words)}">{self.text_of(words)}</float_array><technique_common>'
                      f'<accessor source="#{name}-a" count="{len(rows)}" offset="{late}" stride="{len(rows[0]) + gap}">'
                      f'{"<param type=" + chr(34) + "float" + chr(34) + "/>" if gap else ""}{named}</accessor></technique_common></source>')

    def primitive(self, kind, vertices, point_count, inputs):
        """A primitive element of random faces. inputs: (semantic, source, rows)"""
        rng = self.rng
        semantics = [("VERTEX", vertices, point_count)] + inputs
        rng.shuffle(semantics)
        corner = lambda point: " ".join(str(point if s == "VERTEX" else rng.randrange(rows)) for s, _, rows in semantics)  # noqa: E731
        faces = [rng.sample(range(point_count), 3 if kind == "triangles" else rng.randint(3, min(5, point_count))) for _ in range(rng.randint(1, 3))]
        texts = [" ".join(corner(p) for p in face) for face in faces]
        heads = "".join(f'<input semantic="{s}" source="#{name}" offset="{i}"/>' for i, (s, name, _) in enumerate(semantics))
        if kind == "triangles":
            body = f'<p>{" ".join(texts)}</p>'
        elif kind == "polylist":
            body = f'<vcount>{" ".join(str(len(face)) for face in faces)}</vcount><p>{" ".join(texts)}</p>'
        else:
            body = "".join(f"<p>{text}</p>" for text in texts)
        return f'<{kind} count="{len(faces)}">{heads}{body}</{kind}>'

    def geometry(self, points):
        """Its id; the points are used by random faces."""
        rng = self.rng
        self.count += 1
        name = f"g{self.count}"
        place, texts = self.floats(points)
        inputs = []
        for semantic, params in (("NORMAL", "XYZ"), ("TEXCOORD", "ST")):
            if rng.random() < 0.6:
                rows = [[rng.uniform(-1, 1) for _ in params] for _ in range(rng.randint(1, 4))]
                source, text = self.floats(rows, params)
                inputs.append((semantic, source, len(rows)))
                texts += text
        texts += f'<vertices id="{name}-v"><input semantic="POSITION" source="#{place}"/></vertices>'
        for _ in range(rng.randint(1, 2)):
            texts += self.primitive(rng.choice(PRIMITIVES), f"{name}-v", len(points), inputs)
        self.things["geometries"] += f'<geometry id="{name}"><mesh>{texts}</mesh></geometry>'
        return name

    def points(self, count):
        return [[self.rng.uniform(-2, 2) for _ in range(3)] for _ in range(count)]

    def morph(self, count):
        """Its id: some targets, with weights that partly move."""
        rng = self.rng
        base, targets = self.geometry(self.points(count)), [self.geometry(self.points(count)) for _ in range(rng.randint(1, 3))]
        weights, text = self.floats([[rng.uniform(-0.5, 1)] for _ in targets], rng.choice(["", "W"]))
        self.count += 1
        name = f"m{self.count}"
        of, names = self.source("targets", [[t] for t in targets], "IDREF")
        if rng.random() < 0.5:
            self.animate(f"{weights}({rng.randrange(len(targets))})", lambda k: [rng.uniform(-0.5, 1)])
        elif rng.random() < 0.7:
            self.animate(weights, lambda k: [rng.uniform(-0.5, 1) for _ in targets])
        method = rng.choice(['method="NORMALIZED"', 'method="RELATIVE"', ""])
        self.things["controllers"] += (f'<controller id="{name}"><morph {method} source="#{base}">{names}{text}<targets><input semantic="MORPH_TARGET" source="#{of}"/>'
                                       f'<input semantic="MORPH_WEIGHT" source="#{weights}"/></targets></morph></controller>')
        return name

    def skin(self):
        """The <instance_controller> of a skin of a mesh or of a morph, below one of the roots."""
        rng = self.rng
        count = rng.randint(4, 8)
        of = self.morph(count) if rng.random() < 0.4 else self.geometry(self.points(count))
        root = rng.choice(["n0", "n1"] if "n1" in self.names else ["n0"])
        below = [name for name in self.names if name.startswith(root)]
        joints = rng.sample(below, rng.randint(1, min(4, len(below))))
        by_id = rng.random() < 0.3
        names, joints_text = self.source("joints", [[j if by_id else "j" + j[2:]] for j in joints], "IDREF" if by_id else "Name")
        binds, binds_text = self.floats([self.rigid() for _ in joints], "ABCDEFGHIJKLMNOP")
        shares, pairs, counts = [], [], []
        for _ in range(count):
            chosen = [rng.randrange(-1 if rng.random() < 0.2 else 0, len(joints)) for _ in range(rng.randint(1, 5))]
            raw = [rng.uniform(0.1, 1) for _ in chosen]
            pairs += [(joint, len(shares) + i) for i, joint in enumerate(chosen)]
            shares += [[w / sum(raw)] for w in raw]
            counts.append(len(chosen))
        weights, weights_text = self.floats(shares, rng.choice(["", "W"]))
        swap = rng.random() < 0.3
        self.count += 1
        name = f"k{self.count}"
        joint_input = f'<input semantic="JOINT" source="#{names}"'
        self.things["controllers"] += (
            f'<controller id="{name}"><skin source="#{of}"><bind_shape_matrix>{self.text_of(self.rigid())}</bind_shape_matrix>{joints_text}{binds_text}{weights_text}'
            f'<joints>{joint_input}/><input semantic="INV_BIND_MATRIX" source="#{binds}"/></joints><vertex_weights count="{count}">'
            f'{joint_input} offset="{int(swap)}"/><input semantic="WEIGHT" source="#{weights}" offset="{int(not swap)}"/>'
            f'<vcount>{" ".join(map(str, counts))}</vcount><v>{" ".join(f"{w} {j}" if swap else f"{j} {w}" for j, w in pairs)}</v></vertex_weights></skin></controller>')
        return f'<instance_controller url="#{name}"><skeleton>#{root}</skeleton></instance_controller>'

    def shown(self):
        """The content of a node, which may be empty."""
        chance = self.rng.random()
        if chance < 0.25:
            return f'<instance_geometry url="#{self.geometry(self.points(self.rng.randint(3, 7)))}"/>'
        if chance < 0.4:
            return f'<instance_controller url="#{self.morph(self.rng.randint(3, 6))}"/>'
        return self.skin() if chance < 0.6 else ""


def make(seed):
    """(text, names of clips)"""
    maker = Maker(seed)
    nodes = "".join(maker.node(f"n{i}", 0) for i in range(maker.rng.randint(1, 2)))
    for name in list(maker.names):
        nodes = nodes.replace(f"@{name}@", maker.shown())
    if not maker.animations:
        maker.animate("n0/place", lambda k: [k, 0, -k])
        nodes = nodes.replace("<matrix", '<translate sid="place">0 0 0</translate><matrix', 1)
    names, clips = [], ""
    if seed % 3 == 0:
        for c in range(2):
            chosen = [a for a in range(len(maker.animations)) if maker.rng.random() < 0.6] or [0]
            names.append(f"clip {c}")
            clips += f'<animation_clip id="c{c}" name="clip {c}">' + "".join(f'<instance_animation url="#a{a}"/>' for a in chosen) + "</animation_clip>"
        clips = f"<library_animation_clips>{clips}</library_animation_clips>"
    things = "".join(f"<library_{kind}>{text}</library_{kind}>" for kind, text in maker.things.items() if text)
    return TEMPLATE.format(animations="".join(maker.animations), clips=clips, nodes=nodes, things=things), names
