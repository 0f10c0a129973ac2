"""A limb: a tube over two joints, with the weights of a test. It is rotated, unevenly scaled and off the origin."""
import cmath
import math

from rigs import HALF, Writer

SIDES, RINGS, STEP = 12, 17, 0.25
ROOT = {"translation": [5, -1, 2], "rotation": [0, 0, HALF, HALF], "scale": [2, 1, 0.5]}
RIG = {"root": (None, ROOT), "upper": ("root", {}), "lower": ("upper", {"translation": [0, 2, 0]}),
       "end": ("lower", {"translation": [0, 2, 0]})}
NAMES = list(RIG)


def even(y, first=1.5, last=2.5):
    """How much a vertex at this height follows the lower joint."""
    return min(max((y - first) / (last - first), 0), 1)


def points():
    """The vertices, ring by ring, then the middles of both ends."""
    rings = [(0.1 + 0.5 * math.cos(2 * math.pi * i / SIDES), STEP * r, 0.5 * math.sin(2 * math.pi * i / SIDES))
             for r in range(RINGS) for i in range(SIDES)]
    return rings + [(0.1, 0, 0), (0.1, STEP * (RINGS - 1), 0)]


def triangles(is_closed=True):
    """Counterclockwise from outside."""
    found = []
    for r in range(RINGS - 1):
        for i in range(SIDES):
            a, b = r * SIDES + i, r * SIDES + (i + 1) % SIDES
            found += [(a, a + SIDES, b), (b, a + SIDES, b + SIDES)]
    top = (RINGS - 1) * SIDES
    for i in range(SIDES if is_closed else 0):
        found += [(i, (i + 1) % SIDES, RINGS * SIDES), (top + (i + 1) % SIDES, top + i, RINGS * SIDES + 1)]
    return found


def limb(share=even, is_closed=True, painted=None, faces=None, split=False, rig=RIG, joints=NAMES):
    """The glTF text. share: of the lower joint by height. painted: {vertex: share} instead. faces: instead of the tube's. split: every
    triangle has vertices of its own. joints: the tube's, of the rig's."""
    places, faces = points(), triangles(is_closed) if faces is None else faces
    shares = [(painted or {}).get(v, share(y)) for v, (_, y, _) in enumerate(places)]
    if split:
        corners = [v for face in faces for v in face]
        places, shares = [places[v] for v in corners], [shares[v] for v in corners]
        faces = [(i, i + 1, i + 2) for i in range(0, len(corners), 3)]
    writer = Writer()
    writer.rig(list(rig), rig)
    attributes = {"POSITION": writer.accessor(places, "VEC3"),
                  "JOINTS_0": writer.accessor([(1, 2, 0, 0)] * len(places), "VEC4", 5121, "B"),
                  "WEIGHTS_0": writer.accessor([(1 - s, s, 0, 0) for s in shares], "VEC4")}
    indices = writer.accessor([v for face in faces for v in face], "SCALAR", 5125, "I")
    writer.document["meshes"] = [{"name": "tube", "primitives": [{"attributes": attributes, "indices": indices}]}]
    binds = [[1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, y, 0, 1] for y in (0, 0, -2, -4)]
    writer.document["skins"] = [{"joints": [list(rig).index(name) for name in joints], "inverseBindMatrices": writer.accessor(binds, "MAT4")}]
    writer.document["nodes"].append({"name": "body", "mesh": 0, "skin": 0})
    writer.document["scenes"][0]["nodes"].append(len(rig))
    return writer.text()


def bent(axis, degrees, share=even):
    """The vertices in the root's space when the lower joint turns: linear skinning by complex numbers, one plane at a time."""
    turn = cmath.exp(1j * math.radians(degrees))
    a, b = [(1, 2), (2, 0), (0, 1)]["xyz".index(axis)]
    found = []
    for place in points():
        s, at = share(place[1]), [place[0], place[1] - 2, place[2]]
        moved = complex(at[a], at[b]) * (1 - s + s * turn)
        at[a], at[b] = moved.real, moved.imag
        found.append((at[0], at[1] + 2, at[2]))
    return found


def volume(places):
    """Of the closed tube."""
    total = 0
    for a, b, c in triangles():
        p, q, r = places[a], places[b], places[c]
        total += p[0] * (q[1] * r[2] - q[2] * r[1]) + p[1] * (q[2] * r[0] - q[0] * r[2]) + p[2] * (q[0] * r[1] - q[1] * r[0])
    return total / 6


def section():
    """The area of a ring."""
    return SIDES / 2 * 0.25 * math.sin(2 * math.pi / SIDES)


def in_scene(place):
    """What the root makes of a place in its space: scaled, turned by 90 degrees about z, moved."""
    x, y, z = 2 * place[0], place[1], 0.5 * place[2]
    return (5 - y, -1 + x, 2 + z)
