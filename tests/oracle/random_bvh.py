"""Random BVH files: joints off the origin, turned by channels in any order and number, in the layouts of several programs. The same seed gives
the same file."""
import random

NAMES = ("Hips", "Bip01 Spine 1", "mixamorig:Head", "Hüfte", "left  hand", "End Site", "MOTION", "OFFSET 2", "7", "a")
POSITIONS = ("Xposition", "Yposition", "Zposition")
ROTATIONS = ("Xrotation", "Yrotation", "Zrotation")


class Maker:
    def __init__(self, seed):
        rng = self.rng = random.Random(seed)
        self.width, self.nodes = 0, 0
        self.end_of_line = rng.choice(["\n", "\n", "\r\n", "\r"])
        self.opens = rng.choice([" {", "\n{", "\n\t{", "{"])
        self.upper = rng.choice([str, str, str.upper, str.lower])
        self.end_site = rng.choice(["End Site", "End site", "end SITE", "END  SITE"])

    def number(self, least, most):
        return self.rng.choice(["{:g}", "{:.6f}", "{:.4e}", "{:+.3f}"]).format(self.rng.uniform(least, most))

    def offset(self):
        return f"{self.upper('OFFSET')} " + self.rng.choice([" ", "\t", "  "]).join(self.number(-9, 9) for _ in range(3))

    def channels(self, is_root):
        rng, found = self.rng, []
        kind = rng.random()
        if kind < 0.3 or is_root:
            found = rng.sample(POSITIONS, 3) + rng.sample(ROTATIONS, 3)
        elif kind < 0.7:
            found = rng.sample(ROTATIONS, 3)
        elif kind < 0.9:
            found = [rng.choice(POSITIONS + ROTATIONS) for _ in range(rng.randint(0, 5))]
            found = [c for i, c in enumerate(found) if c in ROTATIONS or c not in found[:i]]
        if rng.random() < 0.2:
            rng.shuffle(found)
        self.width += len(found)
        return self.upper("CHANNELS") + f" {len(found)}" + "".join(" " + self.upper(c) for c in found)

    def joint(self, word, depth):
        """A joint with what is below it."""
        rng = self.rng
        self.nodes += 1
        lines = [self.offset(), self.channels(word == "ROOT")]
        for _ in range(0 if depth > 5 else rng.choice([0, 1, 1, 1, 2])):
            lines += self.joint("JOINT", depth + 1)
        if rng.random() < 0.5 or len(lines) == 2:
            self.nodes += 1
            lines += [f"{self.end_site}{self.opens}", "  " + self.offset(), "}"]
        return [f"{self.upper(word)} {rng.choice(NAMES)}{self.opens}", *("  " + line for line in lines), "}"]

    def motion(self):
        rng, count = self.rng, self.rng.randint(1, 6)
        said = count + rng.choice([0, 0, 0, 1, 5, -1])
        step = rng.choice(["0.0333333", ".04", "1", "8.33333E-03", "0", None])
        labels = [f"Frames: {said}"] + ([f"Frame Time: {step}"] if step is not None else [])
        rows = [" ".join(self.number(*rng.choice([(-90, 90), (-400, 400)])) for _ in range(self.width)) for _ in range(count)]
        if rng.random() < 0.2:
            rows = " ".join(rows).replace(" ", "\n").split(" ")
        return [self.upper("MOTION"), *labels, *rows]


def make(seed):
    """The text of a file."""
    maker = Maker(seed)
    lines = [line for _ in range(maker.rng.choice([1, 1, 2, 3])) for line in maker.joint("ROOT", 0)]
    return "\n".join([maker.upper("HIERARCHY"), *lines, *maker.motion()]).replace("\n", maker.end_of_line) + maker.end_of_line
