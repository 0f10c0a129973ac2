"""Matrices, quaternions and points for the evaluators: plain, slow, in double precision, and shared with nothing else.

A matrix is a list of four rows for column vectors. A quaternion is [x, y, z, w].
"""
import math

IDENTITY = [[1.0 if r == c else 0.0 for c in range(4)] for r in range(4)]


def multiply(a, b, *more):
    b0, b1, b2, b3 = b
    product = [[x * b0[c] + y * b1[c] + z * b2[c] + w * b3[c] for c in range(4)] for x, y, z, w in a]
    return multiply(product, *more) if more else product


def transform(m, p):
    x, y, z = p
    return [row[0] * x + row[1] * y + row[2] * z + row[3] for row in m[:3]]


def flat(m):
    """The 16 column-major numbers of glTF and of posed's answers."""
    return [m[r][c] for c in range(4) for r in range(4)]


def from_flat(values):
    return [[values[4 * c + r] for c in range(4)] for r in range(4)]


def inverse(m):
    """Gauss-Jordan with row exchange."""
    rows = [list(m[r]) + list(IDENTITY[r]) for r in range(4)]
    for c in range(4):
        pivot = max(range(c, 4), key=lambda r: abs(rows[r][c]))
        rows[c], rows[pivot] = rows[pivot], rows[c]
        rows[c] = [x / rows[c][c] for x in rows[c]]
        for r in range(4):
            if r != c:
                rows[r] = [x - rows[r][c] * y for x, y in zip(rows[r], rows[c])]
    return [row[4:] for row in rows]


def rotate(q, v):
    """v rotated by q, vector part u and real part w: v + 2w(u x v) + 2 u x (u x v). The quaternion is used unchanged: keys stored as
    integers have unit length only to a few 1e-5, and no specification says to normalise them."""
    x, y, z, w = q
    cross = lambda a, b: [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    once = cross([x, y, z], v)
    twice = cross([x, y, z], once)
    return [v[i] + 2 * (w * once[i] + twice[i]) for i in range(3)]


def from_trs(translation, rotation, scale):
    """T * R * S: its columns are the scaled, rotated axes and the translation."""
    columns = []
    for axis in range(3):
        unit = [0.0, 0.0, 0.0]
        unit[axis] = scale[axis]
        columns.append(rotate(rotation, unit))
    return [[columns[0][r], columns[1][r], columns[2][r], translation[r]] for r in range(3)] + [[0.0, 0.0, 0.0, 1.0]]


def translation(v):
    return from_trs(v, [0, 0, 0, 1], [1, 1, 1])


def scaling(v):
    return from_trs([0, 0, 0], [0, 0, 0, 1], v)


def axis_rotation(axis, radians):
    """About a unit axis, anticlockwise seen from its tip (Rodrigues)."""
    x, y, z = axis
    s = math.sin(radians / 2)
    return from_trs([0, 0, 0], [x * s, y * s, z * s, math.cos(radians / 2)], [1, 1, 1])


def turned(axis, radians):
    """The same as a quaternion, the axis by its letter."""
    s = math.sin(radians / 2)
    return [s * (axis == letter) for letter in "xyz"] + [math.cos(radians / 2)]


def hamilton(a, b):
    """The product that rotates by b first."""
    ax, ay, az, aw = a
    bx, by, bz, bw = b
    return [aw * bx + ax * bw + ay * bz - az * by, aw * by - ax * bz + ay * bw + az * bx,
            aw * bz + ax * by - ay * bx + az * bw, aw * bw - ax * bx - ay * by - az * bz]


def normalized(q):
    n = math.sqrt(sum(x * x for x in q))
    return [x / n for x in q]


def slerp(a, b, u):
    """On the shorter arc. The angle is the one between the two, whatever their lengths."""
    if sum(x * y for x, y in zip(a, b)) < 0:
        b = [-x for x in b]
    lengths = math.sqrt(sum(x * x for x in a) * sum(x * x for x in b))
    angle = math.acos(min(sum(x * y for x, y in zip(a, b)) / lengths, 1.0))
    if angle < 1e-6:
        return [x + (y - x) * u for x, y in zip(a, b)]
    return [(math.sin((1 - u) * angle) * x + math.sin(u * angle) * y) / math.sin(angle) for x, y in zip(a, b)]


def lerp(a, b, u):
    return [(1 - u) * x + u * y for x, y in zip(a, b)]


def span(times, t):
    """(k, u): t is at the share u of the way from times[k] to times[k + 1]; outside, the nearest key and 0."""
    if t <= times[0]:
        return 0, 0.0
    if t >= times[-1]:
        return len(times) - 1, 0.0
    k = max(i for i, key in enumerate(times) if key <= t)
    return k, (t - times[k]) / (times[k + 1] - times[k])


def scene_matrices(parents, local):
    """scene_from_node of every node, parents before children or not."""
    done = {}

    def scene(n):
        if n not in done:
            done[n] = local[n] if parents[n] < 0 else multiply(scene(parents[n]), local[n])
        return done[n]

    return [scene(n) for n in range(len(local))]


def skinned(influences, palette, point):
    """The weighted sum of the point as each joint moves it; influences are (joint, weight)."""
    moved = [(weight, transform(palette[joint], point)) for joint, weight in influences]
    return [math.fsum(weight * q[i] for weight, q in moved) for i in range(3)]
