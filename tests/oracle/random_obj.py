"""Random OBJ files with a material library, in the notations of many programs. The same seed gives the same files."""
import random

NAMES = ("box", "left half", "two  blanks", "Größe", "a#1", "g", "Material #25", "0")
UNREAD = ("vp 0.1 0.2", "cstype bezier", "curv 0 1 1 2", "bevel off", "call x.obj", "end", "# c:\\art\\", "mg 1 0.5")
FILES = ("t.png", "my tex.png", "sub\\t.png", "a -o b.png")


class Maker:
    def __init__(self, seed):
        rng = self.rng = random.Random(seed)
        self.end_of_line = rng.choice(["\n", "\n", "\r\n", "\r"])
        self.blank = rng.choice([" ", " ", "\t", "  "])
        self.form = rng.choice(["{:g}", "{:.6f}", "{:.4e}", "{:+.3f}"])
        self.colors = rng.choice(["none", "none", "some", "all", "bytes", "w"])
        self.has_texcoords, self.has_normals = rng.random() < 0.7, rng.random() < 0.6
        self.counts = [0, 0, 0]
        self.names = rng.sample(NAMES, 3)

    def number(self, value):
        text = self.form.format(round(value, 2))
        if self.form == "{:g}" and self.rng.random() < 0.2:
            text = text.replace("0.", ".", 1) if text.startswith(("0.", "-0.")) else text
            text = text if "." in text or "e" in text else text + "."
        return text

    def line(self, keyword, values):
        blank = self.blank if self.rng.random() < 0.95 else " \\\n "
        return self.rng.choice(["", "", "", " ", "\t"]) + keyword + self.blank + blank.join(values) + self.rng.choice(["", "", " ", "\t"])

    def vertices(self):
        rng, lines = self.rng, []
        for _ in range(rng.randint(4, 8)):
            values = [self.number(rng.uniform(-9, 9)) for _ in range(3)]
            if self.colors in ("all", "bytes") or (self.colors == "some" and rng.random() < 0.5):
                values += [str(rng.choice([0, 255 if self.colors == "bytes" else 1])) for _ in range(3)]
            elif self.colors == "w":
                values.append(self.number(rng.uniform(0.1, 3)))
            lines.append(self.line("v", values))
            self.counts[0] += 1
        for _ in range(rng.randint(1, 5) if self.has_texcoords else 0):
            lines.append(self.line("vt", [self.number(rng.uniform(-2, 2)) for _ in range(rng.choice([1, 2, 2, 2, 3]))]))
            self.counts[1] += 1
        for _ in range(rng.randint(1, 4) if self.has_normals else 0):
            lines.append(self.line("vn", [self.number(rng.uniform(0.1, 1) * rng.choice([-1, 1])) for _ in range(3)]))
            self.counts[2] += 1
        return lines

    def corner(self, point):
        rng = self.rng
        parts = [point, rng.randrange(self.counts[1]) if self.counts[1] and rng.random() < 0.9 else None,
                 rng.randrange(self.counts[2]) if self.counts[2] and rng.random() < 0.8 else None]
        is_back = rng.random() < 0.3
        words = ["" if p is None else str(p - count if is_back else p + 1) for p, count in zip(parts, self.counts)]
        return "/".join(words).rstrip("/") if rng.random() < 0.8 or parts[2] is not None else "/".join(words)

    def elements(self):
        rng, lines = self.rng, []
        for _ in range(rng.randint(1, 4)):
            keyword, least, most = rng.choice([("f", 3, 3), ("f", 3, 6), ("f", 1, 2), ("fo", 3, 4), ("l", 1, 4), ("p", 1, 3)])
            points = rng.sample(range(self.counts[0]), min(rng.randint(least, most), self.counts[0]))
            lines.append(self.line(keyword, [self.corner(point) for point in points]))
        return lines

    def state(self):
        rng = self.rng
        return rng.choice([f"g {rng.choice(NAMES)}", "g", f"o {rng.choice(NAMES)}", f"usemtl  {rng.choice(self.names)} ", f"usemtl {rng.choice(self.names)}",
                           rng.choice(["s 1", "s off", "s 4", "s 0"]), rng.choice(UNREAD), "", "# " + "x" * rng.randint(0, 5)])

    def library(self):
        rng = self.rng
        lines = [rng.choice(["", "Kd 0 0 0", "map_Kd t.png", "# none"])]
        for name in self.names:
            lines += [f"newmtl {name}", self.line("Kd", [self.number(rng.random()) for _ in range(rng.choice([1, 3, 3, 3]))])]
            for _ in range(rng.randint(0, 4)):
                options = [rng.choice(["-s 2", "-s 2 .5 1", "-o 0.25 0.5", "-o .5", "-bm 0.5", "-cc on", "-colorspace sRGB", "-texres 256", "-mm 0 1",
                                       "-t 0 0 0", "-blendu off", "-type sphere"]) for _ in range(rng.randint(0, 3))]
                before = rng.randint(0, len(options))
                value = " ".join([*options[:before], rng.choice(FILES), *options[before:]])
                lines.append(rng.choice([f"map_Kd {value}", f"norm {value}", f"map_Ke {value}", "d 0.5", "Tr 0.25", "d -halo 0.75", "Ns", "aniso 0", "Pccns 1-1",
                                         "Kd xyz 0.1 0.2 0.3", "decal x.png", "illum 2"]))
        return lines


def encoded(rng, lines, end_of_line):
    text = "\n".join(lines) + rng.choice(["\n", ""])
    return text.replace("\n", end_of_line).encode(rng.choice(["utf-8", "utf-8", "utf-8", "utf-8-sig", "utf-16"]))


def make(seed, stem="a"):
    """The bytes of a file, and those of its library, which it names as STEM.mtl."""
    maker = Maker(seed)
    lines = [f"mtllib {stem}.mtl"] + maker.vertices()
    for _ in range(maker.rng.randint(1, 8)):
        lines += maker.rng.choice([maker.elements, maker.elements, lambda: [maker.state()], lambda: [maker.state()], maker.vertices])()
    return encoded(maker.rng, lines, maker.end_of_line), encoded(maker.rng, maker.library(), "\n")
