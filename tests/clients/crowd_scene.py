"""One crowd for all clients: a scene of random entities, as text that every runner reads, and the canonical form of its answer.

A scene has a line for each item. Entities refer to models, masks and wanted items by index:

    model PATH
    mask SCOPE NODE ..                     for each node; SCOPE: node, subtree, except
    wanted palette SKIN [PLACE ..]         SKIN -1: all
    wanted nodes NODE ..
    entity MODEL WANTED LAYOUT [12 numbers, the upper three rows of world_from_scene]
    layer CLIP SECONDS WEIGHT MASK WRAP MODE REFERENCE_CLIP REFERENCE_SECONDS [FILE]       of the preceding entity; MASK -1: all nodes;
                                           FILE: index of the model whose clips are played; absent: the entity's own
    pose NODE PARTS NUMBER .. ..           for each node, rising: translation (1), rotation (2) and scale (4), floats
    given POSE WEIGHT MASK MODE            a layer of the preceding entity with a pose; MODE: replace, additive

A result has a line for each entity: `PLACE COUNT CRC`, with its index, the number of its matrices and the CRC-32 of their bytes, or
`PLACE error CODE`. The last line, `all BYTES CRC`, is about the floats of all entities.
"""
import math
import random
import struct
import zlib

LAYOUTS = ["mat4", "mat3x4", "dualquat"]
WRAPS = ["loop", "clamp", "mirror"]
PARTS = {"translation": 3, "rotation": 4, "scale": 3}
POSES = 5


def turned(chance):
    """The upper three rows of a matrix that rotates, scales unevenly and moves."""
    angle, scale = chance.uniform(0, 2 * math.pi), [chance.uniform(0.5, 2) for _ in range(3)]
    c, s = math.cos(angle), math.sin(angle)
    rows = [[c * scale[0], 0, s * scale[2]], [0, scale[1], 0], [-s * scale[0], 0, c * scale[2]]]
    return [number for row in rows for number in [*row, chance.uniform(-50, 50)]]


def given(chance):
    """The words of a pose of some of the nodes 1 to 7."""
    words = []
    for node in sorted(chance.sample(range(1, 8), chance.randrange(1, 5))):
        parts = chance.randrange(1, 8)
        numbers = [chance.uniform(0.5, 1.5) if part == "scale" else chance.gauss(0, 0.5)
                   for place, (part, count) in enumerate(PARTS.items()) if parts >> place & 1 for _ in range(count)]
        words += [node, parts, *struct.unpack(f"{len(numbers)}f", struct.pack(f"{len(numbers)}f", *numbers))]
    return " ".join(map(repr, words))


def make(models, count=200, seed=20, lent=()):
    """models: {path: number of clips}; each has at least 8 nodes and a skin of 6 joints. lent: (path, number of clips) of a file whose
    clips move nodes of the first model, and none of the others. Its reference clips are its own."""
    chance, of_poses = random.Random(seed), random.Random(seed + 1)
    lines = [f"model {path}" for path in [*models, *lent[:1]]]
    lines += ["mask subtree 4", "mask except 3", "mask node 2 subtree 5"]
    lines += ["wanted palette 0", "wanted palette -1", "wanted palette 0 3 0 5", "wanted nodes 2 7 1"]
    lines += ["pose " + given(of_poses) for _ in range(POSES)]
    for i in range(count):
        place = chance.randrange(len(models))
        clips = list(models.values())[place]
        rigid = chance.random() < 0.5
        layout = chance.choice(LAYOUTS if rigid else LAYOUTS[:2])
        world = "" if layout == "dualquat" or rigid else " " + " ".join(map(repr, turned(chance)))
        lines.append(f"entity {place} {chance.randrange(4)} {layout}{world}")
        depth = chance.choice([0, 1, 1, 2, 3])
        for layer in range(depth):
            clip = chance.randrange(clips) if i % 25 else clips + layer  # now and then an index without a clip
            mask = -1 if layer == 0 else chance.randrange(-1, 3)
            additive = layer == 2
            file = ""
            if lent and chance.random() < 0.4 and (place == 0 or i % 10 == 0):  # now and then it moves nothing
                clip, clips, file = chance.randrange(lent[1]), lent[1], f" {len(models)}"
            lines.append(f"layer {clip} {chance.uniform(-3, 6)!r} {chance.choice([0.25, 0.5, 1.0])!r} {mask} {chance.choice(WRAPS)} "
                         + (f"additive {chance.randrange(clips)} {chance.uniform(0, 2)!r}" if additive else "override 0 0.0") + file)
            clips = list(models.values())[place]
        if of_poses.random() < 0.3:
            lines.append(f"given {of_poses.randrange(POSES)} {of_poses.choice([0.25, 1.0, 1.0])!r} {of_poses.randrange(-1, 3)} "
                         + of_poses.choice(["replace", "replace", "additive"]))
    return "\n".join(lines) + "\n"


class Scene:
    """The contents of a scene's text: lists of models, masks [(scope, node)], wanted, poses {node: {part: numbers}} and entities."""

    def __init__(self, text):
        self.models, self.masks, self.wanted, self.poses, self.entities = [], [], [], [], []
        for line in text.splitlines():
            word, *rest = line.split()
            getattr(self, "_" + word)(rest)

    def _model(self, rest):
        self.models.append(rest[0])

    def _mask(self, rest):
        self.masks.append([(scope, int(node)) for scope, node in zip(rest[::2], rest[1::2])])

    def _wanted(self, rest):
        what, *numbers = rest
        numbers = [int(number) for number in numbers]
        self.wanted.append({"nodes": numbers} if what == "nodes" else {"skin": numbers[0], "joints": numbers[1:]})

    def _entity(self, rest):
        model, wanted, layout, *world = rest
        self.entities.append({"model": int(model), "wanted": int(wanted), "layout": layout, "layers": [],
                              "world": [float(number) for number in world] or None})

    def _layer(self, rest):
        clip, time_s, weight, mask, wrap, mode, reference_clip, reference_time_s, *file = rest
        self.entities[-1]["layers"].append({
            "clip": int(clip), "time_s": float(time_s), "weight": float(weight), "mask": int(mask), "wrap": wrap,
            "additive": mode == "additive", "reference_clip": int(reference_clip), "reference_time_s": float(reference_time_s),
            "clip_file": self.models[int(file[0])] if file else None})

    def _pose(self, rest):
        words, pose = iter(rest), {}
        for node in words:
            parts = int(next(words))
            pose[int(node)] = {part: [float(next(words)) for _ in range(count)] for place, (part, count) in enumerate(PARTS.items()) if parts >> place & 1}
        self.poses.append(pose)

    def _given(self, rest):
        pose, weight, mask, mode = rest
        self.entities[-1]["layers"].append({"pose": int(pose), "weight": float(weight), "mask": int(mask), "additive": mode == "additive"})


def line_of(place, count, data):
    return f"{place} {count} {zlib.crc32(data):08x}"
