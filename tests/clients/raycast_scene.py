"""One scene for the raycasts of all clients: entities as crowd_scene.py writes them, then targets, rays, and the casts that use them.

    target BEGIN END MASK                  indices of entities; END -1: it stands still
    ray ORIGIN DIRECTION MAX RADIUS AT MASK IGNORE       11 numbers; MAX inf: endless; IGNORE: a target, or -1
    cast FIT TEST HITS                     all rays at all targets

For each cast, a result has a line `cast FIT TEST HITS COUNT`, then a line for each hit: `RAY ENTITY NODE PART TRIANGLE INSIDE` and the bits
of its ten floats, 8 hex digits each: distance, point, normal, barycentric.
"""
import math
import random
import struct

import crowd_scene

ALL = 0xFFFFFFFF
FITS, TESTS, HITS = ["capsule", "box", "sphere"], ["volumes", "mesh"], ["nearest", "all"]
CASTS = [f"{fit} volumes {hits}" for fit in FITS for hits in HITS] + [f"capsule mesh {hits}" for hits in HITS]


def rotation(chance):
    """Three rows, from a random quaternion."""
    x, y, z, w = (chance.gauss(0, 1) for _ in range(4))
    length = math.sqrt(x * x + y * y + z * z + w * w)
    x, y, z, w = x / length, y / length, z / length, w / length
    return [[1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)]]


def place(chance, around):
    """The upper three rows of a matrix that rotates, scales unevenly and moves; off the origin by `around`."""
    scale = [chance.uniform(0.5, 2) for _ in range(3)]
    return [number for row in rotation(chance)
            for number in [*(a * b for a, b in zip(row, scale)), chance.uniform(-around, around)]]


def entity_lines(chance, model, clips, world):
    """An entity at rest, or with one layer or two. The second may have a mask."""
    yield f"entity {model} {chance.randrange(2)} mat4 " + " ".join(map(repr, world))
    for layer in range(chance.choice([0, 1, 2, 2, 2])):
        yield (f"layer {chance.randrange(clips)} {chance.uniform(-3, 6)!r} {chance.choice([0.25, 0.5, 1.0])!r} "
               f"{chance.randrange(-1, 3) if layer else -1} {chance.choice(crowd_scene.WRAPS)} "
               + (f"additive {chance.randrange(clips)} {chance.uniform(0, 2)!r}" if layer and chance.random() < 0.3 else "override 0 0.0"))


def ray_line(chance, centers, reach):
    """From anywhere, now and then from inside, at the centre of a target or past it; one in four is a ball."""
    aim = [x + chance.gauss(0, reach / 30) for x in chance.choice(centers)]
    origin = [x + chance.gauss(0, reach if chance.random() < 0.8 else reach / 60) for x in aim]
    scale = chance.choice([1, 1e-3, 40])
    numbers = [*origin, *(scale * (a - b) for a, b in zip(aim, origin)),
               chance.choice([math.inf, math.inf, chance.uniform(0, 3 * reach)]), chance.choice([0.0, 0.0, 0.0, chance.uniform(0, reach / 50)]),
               chance.choice([0.0, 1.0, chance.random()])]
    mask, ignore = chance.choice([ALL, ALL, chance.randrange(1, 4)]), chance.choice([-1, chance.randrange(len(centers))])
    return f"ray {' '.join(map(repr, numbers))} {mask} {ignore}"


def make(models, targets=40, rays=200, seed=7):
    """models: {path: (number of clips, centre of the bounds, their longest side)}, for the models of crowd_scene.make."""
    chance, lines = random.Random(seed), [f"model {path}" for path in models]
    lines += ["mask subtree 4", "mask except 3", "mask node 2 subtree 5", "wanted palette 0", "wanted nodes 2 7 1"]
    reach = 3 * max(side for _, _, side in models.values())
    asked, centers, count = [], [], 0
    for _ in range(targets):
        model = chance.randrange(len(models))
        clips, middle, _ = list(models.values())[model]
        begin, end, world = count, -1, place(chance, reach)
        lines += entity_lines(chance, model, clips, world)
        count += 1
        if chance.random() < 0.4:  # it moves, and its whole place changes
            end, count = count, count + 1
            moved = place(chance, 0) if chance.random() < 0.3 else list(world)
            moved[3::4] = [a + chance.gauss(0, reach / 20) for a in world[3::4]]
            lines += entity_lines(chance, model, clips, moved)
        centers.append([sum(a * b for a, b in zip(world[4 * row:], [*middle, 1])) for row in range(3)])
        asked.append(f"target {begin} {end} {chance.choice([ALL, ALL, chance.randrange(1, 4)])}")
    lines += asked + [ray_line(chance, centers, reach) for _ in range(rays)] + [f"cast {words}" for words in CASTS]
    return "\n".join(lines) + "\n"


class Scene(crowd_scene.Scene):
    """Also targets [(begin, end, mask)], rays as dicts with the members of JSON, and casts [(fit, test, hits)]."""

    def __init__(self, text):
        self.targets, self.rays, self.casts = [], [], []
        super().__init__(text)

    def _target(self, rest):
        self.targets.append(tuple(int(word) for word in rest))

    def _ray(self, rest):
        numbers = [float(word) for word in rest[:9]]
        self.rays.append({"origin": numbers[:3], "direction": numbers[3:6], "max": numbers[6], "radius": numbers[7], "at": numbers[8],
                          "mask": int(rest[9]), "ignore": int(rest[10])})

    def _cast(self, rest):
        self.casts.append(tuple(rest))


def line_of(hit, floats):
    """hit: ray, entity, node, part, triangle, inside; floats: ten."""
    return " ".join([*(str(int(number)) for number in hit), *(f"{bits:08x}" for bits in struct.unpack("<10I", struct.pack("<10f", *floats)))])
