"""The transforms of FBX nodes: Autodesk's "Computing transformation matrices" (FBX SDK help) and FbxTransform's three kinds of inheritance.

    local = T * Roff * Rp * Rpre * R * Rpost^-1 * Rp^-1 * Soff * Sp * S * Sp^-1

- Angles are degrees. R turns in the order of RotationOrder; pre-, post- and geometric rotation turn about x, then y, then z.
- RotationActive 0 or RotationSpaceForLimitOnly 1: the turn is Lcl Rotation alone, about x, then y, then z.
- InheritType: how the parent's rotation R and scale S combine with the node's r and s. The position is always the parent's whole
  matrix times T.
    1 RSrs  the product of matrices
    0 RrSs  scales multiply by component, after both rotations
    2 Rrs   the parent's own scale does not count; the scale that it inherits (by 0) does
"""
import math

from matrices import IDENTITY, axis_rotation, hamilton, inverse, multiply, scaling, translation, turned

ORDERS = ["xyz", "xzy", "yzx", "yxz", "zxy", "zyx"]
AXES = {"x": [1, 0, 0], "y": [0, 1, 0], "z": [0, 0, 1]}


def order_of(model):
    """Letters in the order of rotation. Order 6, spheric, is undocumented and treated as 0."""
    number = int(model.number("RotationOrder"))
    return ORDERS[number] if 0 <= number < 6 else "xyz"


def euler(degrees, order="xyz"):
    m = IDENTITY
    for axis in order:
        m = multiply(axis_rotation(AXES[axis], math.radians(degrees["xyz".index(axis)])), m)
    return m


def euler_quaternion(degrees, order):
    q = [0.0, 0.0, 0.0, 1.0]
    for axis in order:
        q = hamilton(turned(axis, math.radians(degrees["xyz".index(axis)])), q)
    return q


def quaternion_euler(q, order):
    """Degrees whose rotation in this order is q: of the matrix C B A of rotations about a, b, c, the entry (c, a) is -+sin(b)."""
    x, y, z, w = q
    m = [[1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
         [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
         [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)]]
    a, b, c = ("xyz".index(letter) for letter in order)
    sign = 1.0 if (b - a) % 3 == 1 else -1.0
    sine = max(-1.0, min(1.0, -sign * m[c][a]))
    angles = [0.0, 0.0, 0.0]
    angles[b] = math.asin(sine)
    if abs(sine) < 1 - 1e-12:
        angles[a] = math.atan2(sign * m[c][b], m[c][c])
        angles[c] = math.atan2(sign * m[b][a], m[a][a])
    else:  # a and c rotate about one axis: all of it goes to c
        angles[c] = math.atan2(-sign * m[a][b], m[b][b])
    return [math.degrees(angle) for angle in angles]


class Local:
    """A node's transform at a time. Pivots and offsets only move it, so it is a translation, a rotation (a matrix) and a scale."""

    def __init__(self, model, value):
        """value(name, fallback): the three numbers of a property at the time."""
        turn_pivot, size_pivot = translation(value("RotationPivot")), translation(value("ScalingPivot"))
        if int(model.number("RotationActive")) and not int(model.number("RotationSpaceForLimitOnly")):
            turn = multiply(euler(value("PreRotation")), euler(value("Lcl Rotation"), order_of(model)), inverse(euler(value("PostRotation"))))
        else:
            turn = euler(value("Lcl Rotation"))
        self.scale = value("Lcl Scaling", (1, 1, 1))
        self.turn = turn
        whole = multiply(translation(value("Lcl Translation")), translation(value("RotationOffset")), turn_pivot, turn,
                         inverse(turn_pivot), translation(value("ScalingOffset")), size_pivot, scaling(self.scale), inverse(size_pivot))
        self.place = [whole[r][3] for r in range(3)]

    def matrix(self, place=None, scale=None):
        return multiply(translation(self.place if place is None else place), self.turn, scaling(self.scale if scale is None else scale))


def scene_matrices(parents, locals_, inherit):
    """scene_from_node of every node. Keeps for each node: that; the same without the node's scale; the scale that it passes on."""
    done = {}

    def node(n):
        if n in done:
            return done[n]
        local = locals_[n]
        above, unscaled_above, above_passed = node(parents[n]) if parents[n] >= 0 else (IDENTITY, IDENTITY, [1, 1, 1])
        scale, place = local.scale, local.place
        if inherit[n] != 1:
            giver = scale_giver(parents, inherit, n)
            scale = [a * b for a, b in zip(scale, node(giver)[2] if giver >= 0 else [1, 1, 1])]
            place = [a * b for a, b in zip(place, above_passed)]
            above = unscaled_above
        done[n] = (multiply(above, local.matrix(place, scale)), multiply(above, local.matrix(place, [1, 1, 1])), scale)
        return done[n]

    return [node(n)[0] for n in range(len(parents))]


def scale_giver(parents, inherit, n):
    """The node whose passed scale multiplies this node's: the parent for 0; for 2 the parent's own giver, because the parent's scale is
    left out."""
    if parents[n] < 0 or inherit[n] == 1:
        return -1
    return parents[n] if inherit[n] == 0 else scale_giver(parents, inherit, parents[n])


def geometric(model):
    """node_from_mesh: for the node's own mesh only, never for its children. It rotates about x, y, z, whatever the node's order."""
    return multiply(translation(model.vector("GeometricTranslation")), euler(model.vector("GeometricRotation")),
                    scaling(model.vector("GeometricScaling", (1, 1, 1))))
