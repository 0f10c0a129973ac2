"""Random COLLADA files that use what the format has for placing and moving nodes. The same seed, the same file."""
import math
import random

TEMPLATE = """<?xml version="1.0" encoding="utf-8"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><unit name="centimeter" meter="0.01"/><up_axis>Z_UP</up_axis></asset>
<library_nodes><node id="part" sid="p" name="part"><translate sid="t">1 -2 0.5</translate><rotate sid="r">0 1 1 33</rotate></node></library_nodes>
<library_animations>{animations}</library_animations>{clips}
<library_visual_scenes><visual_scene id="scene" name="scene">{nodes}</visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#scene"/></scene></COLLADA>"""

AXES = {"rotateX": "1 0 0", "rotateY": "0 1 0", "rotateZ": "0 0 1", "lean": "1 2 -0.5"}


def numbers(values):
    return " ".join(repr(float(v)) for v in values)


class Maker:
    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.animations = []
        self.count = 0

    def source(self, suffix, rows, kind="float"):
        """A <source> of rows."""
        self.count += 1
        name, words = f"s{self.count}-{suffix}", [x for row in rows for x in row]
        text = " ".join(words) if kind == "Name" else numbers(words)
        return name, (f'<source id="{name}"><{kind}_array id="{name}-array" count="{len(words)}">{text}</{kind}_array><technique_common>'
                      f'<accessor source="#{name}-array" count="{len(rows)}" stride="{len(rows[0])}"/></technique_common></source>')

    def animate(self, target, values):
        """values(k): a row for key k. All interpolations in one curve, or straight lines where the target is a matrix."""
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
        """A turned, mirrored or unevenly scaled matrix, as 16 numbers."""
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
        return f'<node id="{name}" name="n {name}">{inner}</node>'


def make(seed):
    """(text, names of clips)"""
    maker = Maker(seed)
    nodes = "".join(maker.node(f"n{i}", 0) for i in range(maker.rng.randint(1, 2)))
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
    return TEMPLATE.format(animations="".join(maker.animations), clips=clips, nodes=nodes), names
