"""Moves the vertices of an FBX mesh: blend shapes first, then the first skin or, without one, the node with its geometric transform.

- A channel's DeformPercent (100 is full; values below 0 and above 100 continue the line) blends between the shapes of the channel, each of
  which is full at its FullWeights; nothing is full at 0. Shapes are differences by control point. Blender has FullWeights for the points, and
  its shapes are full at 100.
- A cluster's Transform takes the mesh's node to the bone as it was bound; the mesh's geometric transform comes before it. Without
  Transform, the mesh was bound at the rest pose of its node. The bone was bound at TransformLink, else at a BindPose, else at its rest pose.
- Weights belong to control points and are divided by their sum. A point without weights follows the mesh's node.
- DualQuaternion scales linearly, and then blends rotations and positions as dual quaternions (Kavan et al. 2007), with the signs that
  bring each closest to the heaviest one. Blend mixes the linear and this result by BlendWeights, which belong to control points.
"""
import math

from fbx_transforms import geometric
from matrices import from_flat, hamilton, inverse, multiply, scaling, transform, translation

DUAL, BLEND = "DualQuaternion", "Blend"


def shape_weights(percent, full):
    """The share of each shape at a percentage: linear through 0 and the full percentages, and extrapolated beyond them."""
    knots = sorted([(0.0, None)] + [(x, i) for i, x in enumerate(full)], key=lambda knot: knot[0])
    zero = next(k for k, knot in enumerate(knots) if knot[1] is None)
    if percent > 0:
        k = next((k for k in range(zero + 1, len(knots)) if knots[k][0] > percent), len(knots) - 1)
        other = k - 1
        if k == zero:  # all shapes are full below 0
            other = zero - 1
    else:
        k = next((k for k in range(zero - 1, -1, -1) if knots[k][0] < percent), 0)
        other = k + 1
        if k == zero:
            other = zero + 1
    weights = [0.0] * len(full)
    (a, first), (b, second) = knots[other], knots[k]
    u = (percent - a) / (b - a) if b != a else 0.0
    for index, share in ((first, 1 - u), (second, u)):
        if index is not None:
            weights[index] = share
    return weights


class Shapes:
    """The blend shapes of a geometry."""

    def __init__(self, scene, geometry):
        self.channels = []
        for deformer, _ in scene.below(geometry.id, "Deformer", "BlendShape"):
            for channel, _ in scene.below(deformer.id, "Deformer", "BlendShapeChannel"):
                shapes = [g for g, _ in scene.below(channel.id, "Geometry", "Shape")]
                full = [float(x) for x in channel.record.array("FullWeights")]
                is_by_point = len(shapes) == 1 and len(full) == len(shapes[0].record.array("Indexes")) and (scene.is_by_blender or len(full) > 1)
                is_at_100 = is_by_point or scene.is_by_blender or len(full) < len(shapes)
                self.channels.append((channel, shapes, [100.0] * len(shapes) if is_at_100 else full[:len(shapes)],
                                      full if is_by_point else None))

    def moved(self, points, percent):
        """percent(channel): its DeformPercent."""
        points = [list(p) for p in points]
        for channel, shapes, full, by_point in self.channels:
            for shape, weight in zip(shapes, shape_weights(percent(channel), full) if shapes else []):
                numbers = shape.record.array("Vertices")
                for k, v in enumerate(shape.record.array("Indexes")):
                    share = weight * by_point[k] / 100 if by_point and k < len(by_point) else weight
                    for c in range(3):
                        points[v][c] += share * numbers[3 * k + c]
        return points


def bind_poses(scene):
    """{id of a node: scene_from_node}. If a node has several, the first counts."""
    found = {}
    for pose in [o for o in scene.objects.values() if o.kind == "Pose" and o.subtype == "BindPose"]:
        for node in pose.record.all("PoseNode"):
            found.setdefault(node.value("Node"), from_flat(node.array("Matrix")))
    return found


class Skin:
    """clusters: (node, bone_from_mesh at bind, {point: weight}); method, share: {point: share of dual quaternions}."""

    def __init__(self, scene, skin, node_of, model, rest):
        """rest: scene_from_node of all without any take, for data that a cluster lacks."""
        self.method, self.clusters = skin.record.value("SkinningType", "Linear"), []
        poses = bind_poses(scene)
        for cluster, _ in scene.below(skin.id, "Deformer", "Cluster"):
            bone = next((o.id for o, _ in scene.below(cluster.id, "Model")), None)
            if bone is None:
                continue
            link, bind = cluster.record.array("TransformLink"), cluster.record.array("Transform")
            scene_from_bone = from_flat(link) if any(link) else poses.get(bone, rest[node_of[bone]])
            bone_from_node = from_flat(bind) if any(bind) else multiply(inverse(scene_from_bone), rest[node_of[model.id]])
            weights = dict(zip(cluster.record.array("Indexes"), cluster.record.array("Weights")))
            self.clusters.append((node_of[bone], multiply(bone_from_node, geometric(model)), weights))
        self.share = dict(zip(skin.record.array("Indexes"), skin.record.array("BlendWeights"))) if self.method == BLEND else {}

    def palette(self, scene):
        return [multiply(scene[node], bind) for node, bind, _ in self.clusters]

    def moved(self, points, palette, own):
        """own: scene_from_mesh of the mesh's node, for points without weights."""
        parts = [parts_of(m) for m in palette] if self.method in (DUAL, BLEND) else []
        found = []
        for v, p in enumerate(points):
            influences = [(weights[v], j) for j, (_, _, weights) in enumerate(self.clusters) if weights.get(v, 0) > 0]
            total = sum(weight for weight, _ in influences)
            if total <= 0:
                found.append(transform(own, p))
                continue
            influences = [(weight / total, j) for weight, j in influences]
            share = max(0.0, min(1.0, self.share.get(v, 0.0))) if self.method == BLEND else float(self.method == DUAL)
            linear = [math.fsum(weight * transform(palette[j], p)[c] for weight, j in influences) for c in range(3)]
            dual = transform(dual_blend(influences, parts), p) if share > 0 else linear
            found.append([(1 - share) * a + share * b for a, b in zip(linear, dual)])
        return found


def parts_of(m):
    """(translation, rotation as a quaternion, scale) of a matrix without skew. For a mirrored one the first scale is negative."""
    columns = [[m[r][c] for r in range(3)] for c in range(3)]
    scale = [math.sqrt(sum(x * x for x in column)) for column in columns]
    a, b, c = columns
    if a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) + a[2] * (b[0] * c[1] - b[1] * c[0]) < 0:
        scale[0] = -scale[0]
    r = [[columns[column][row] / scale[column] for column in range(3)] for row in range(3)]
    # each squared component of the quaternion from the diagonal; the largest gives the others' signs
    squares = [1 + r[0][0] - r[1][1] - r[2][2], 1 - r[0][0] + r[1][1] - r[2][2], 1 - r[0][0] - r[1][1] + r[2][2], 1 + r[0][0] + r[1][1] + r[2][2]]
    k = max(range(4), key=lambda i: squares[i])
    s = 2 * math.sqrt(squares[k])
    rows = [[s / 4, (r[0][1] + r[1][0]) / s, (r[0][2] + r[2][0]) / s, (r[2][1] - r[1][2]) / s],
            [(r[0][1] + r[1][0]) / s, s / 4, (r[1][2] + r[2][1]) / s, (r[0][2] - r[2][0]) / s],
            [(r[0][2] + r[2][0]) / s, (r[1][2] + r[2][1]) / s, s / 4, (r[1][0] - r[0][1]) / s],
            [(r[2][1] - r[1][2]) / s, (r[0][2] - r[2][0]) / s, (r[1][0] - r[0][1]) / s, s / 4]]
    return [m[row][3] for row in range(3)], rows[k], scale


def turn_matrix(q):
    x, y, z, w = q
    return [[1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w), 0.0],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w), 0.0],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y), 0.0], [0.0, 0.0, 0.0, 1.0]]


def dual_blend(influences, parts):
    first = parts[max(influences, key=lambda pair: (pair[0], -pair[1]))[1]][1]
    real, dual, scale = [0.0] * 4, [0.0] * 4, [0.0] * 3
    for weight, j in influences:
        place, turn, size = parts[j]
        if sum(a * b for a, b in zip(first, turn)) < 0:
            turn = [-x for x in turn]
        half = hamilton([x / 2 for x in place] + [0.0], turn)
        real = [a + weight * b for a, b in zip(real, turn)]
        dual = [a + weight * b for a, b in zip(dual, half)]
        scale = [a + weight * b for a, b in zip(scale, size)]
    length = math.sqrt(sum(x * x for x in real))
    place = hamilton([2 * x / length / length for x in dual], [-real[0], -real[1], -real[2], real[3]])
    return multiply(translation(place[:3]), turn_matrix([x / length for x in real]), scaling(scale))
