"""Random small ASCII FBX files that use what the format has for placing, moving and deforming. The same seed, the same file.

Chains and bushes of nodes with pivots, offsets, pre- and post-rotation, every order of angles and every kind of inherited scale, some of it
from templates; meshes of triangles, quadrangles and larger polygons with geometric transforms, seldom shared by nodes; skins of every
method with and without bind matrices; blend shapes with in-betweens, or by Blender with a weight for each point. random_fbx_takes writes what moves.
"""
import random

import random_fbx_takes

ROOT = 0
CREATORS = ["FBX SDK/FBX Plugins version 2020.0.1", "Blender (stable FBX IO) - 4.4.0 - 5.12.0"]
KINDS = ["Null", "LimbNode", "LimbNode"]
METHODS = ["Linear", "Linear", "DualQuaternion", "Blend", "Rigid"]
# Faces around eight points
FACES = [[0, 1, 3, 2], [4, 5, 7], [4, 7, 6], [0, 1, 5, 4], [2, 3, 7, 6], [1, 3, 7, 5]]


def numbers(values):
    return ",".join(repr(v) for v in values)


def array(name, values):
    return f"{name}: *{len(values)} {{\n a: {numbers(values)}\n}}\n"


class Writer:
    """Objects and links as text. Ids are random 64-bit numbers, some of them negative. is_even: scales are uniform and constant, because
    nothing defines how dual quaternions decompose skew or mirrors."""

    def __init__(self, seed):
        self.rng, self.is_even, self.is_by_blender = random.Random(seed), False, False
        self.objects, self.links, self.used = [], [], set()

    def add(self, kind, name, subtype, body="", prefix=None):
        """The new object's id."""
        identity = self.rng.choice([1, 1, 1, -1]) * self.rng.randint(1, 1 << 40)
        while identity in self.used:
            identity += 1
        self.used.add(identity)
        self.objects.append(f'{kind}: {identity}, "{prefix or kind}::{name}", "{subtype}" {{\n{body}}}\n')
        return identity

    def link(self, child, parent, prop=None):
        self.links.append(f'C: "{"OP" if prop else "OO"}",{child},{parent}' + (f', "{prop}"' if prop else "") + "\n")

    def vector(self, size):
        return [self.rng.uniform(-size, size) for _ in range(3)]

    def scales(self, mirrors=True):
        if self.is_even:
            return [self.rng.uniform(0.5, 1.7)] * 3
        sign = self.rng.choice([1, 1, 1, 1, -1]) if mirrors else 1
        return [sign * self.rng.uniform(0.5, 1.7), self.rng.uniform(0.5, 1.7), self.rng.uniform(0.5, 1.7)]

    def has(self, share):
        return self.rng.random() < share


def properties(rows):
    """rows: (name, kind of value, values); kinds only matter to the SDK."""
    text = "".join(f'P: "{name}", "{kind}", "", "A",{numbers(values)}\n' for name, kind, values in rows)
    return f"Properties70:  {{\n{text}}}\n"


class Node:
    """The stored data of a Model. is_free: Lcl Rotation rotates in RotationOrder, between pre- and post-rotation."""

    def __init__(self, identity, is_mesh, is_free):
        self.id, self.is_mesh, self.is_free = identity, is_mesh, is_free


def node_rows(w, is_mesh):
    """(rows of properties, whether Lcl Rotation turns in RotationOrder)."""
    rows = [("Lcl Translation", "Lcl Translation", w.vector(3))] if w.has(0.9) else []
    if w.has(0.8):
        rows.append(("Lcl Rotation", "Lcl Rotation", w.vector(w.rng.choice([60, 180, 700]))))
    if w.has(0.6):
        rows.append(("Lcl Scaling", "Lcl Scaling", w.scales()))
    for name in ("RotationOffset", "RotationPivot", "ScalingOffset", "ScalingPivot"):
        if w.has(0.35):
            rows.append((name, "Vector3D", w.vector(1.5)))
    for name in ("PreRotation", "PostRotation"):
        if w.has(0.35):
            rows.append((name, "Vector3D", w.vector(180)))
    is_active, for_limits = w.has(0.75), w.has(0.1)
    rows.append(("RotationActive", "bool", [int(is_active)]))
    if for_limits:
        rows.append(("RotationSpaceForLimitOnly", "bool", [1]))
    if w.has(0.6):
        rows.append(("RotationOrder", "enum", [w.rng.randint(0, 5)]))
    if w.has(0.85):
        rows.append(("InheritType", "enum", [w.rng.choice([0, 1, 1, 2])]))
    if is_mesh:
        for name, kind, make in (("GeometricTranslation", "Vector3D", lambda: w.vector(1)), ("GeometricRotation", "Vector3D", lambda: w.vector(180)),
                                 ("GeometricScaling", "Vector3D", lambda: w.scales(False))):
            if w.has(0.3):
                rows.append((name, kind, make()))
    w.rng.shuffle(rows)
    return rows, is_active and not for_limits


def make_nodes(w):
    count = w.rng.randint(3, 7)
    mesh_count = w.rng.choice([1, 1, 2])
    nodes = []
    for n in range(count):
        is_mesh = n < mesh_count
        rows, is_free = node_rows(w, is_mesh)
        name = f"n{n}" + w.rng.choice(["", "", " ü", "&quot;", ".x"])
        identity = w.add("Model", name, "Mesh" if is_mesh else w.rng.choice(KINDS), "Version: 232\n" + properties(rows))
        nodes.append(Node(identity, is_mesh, is_free))
    order = list(range(count))
    w.rng.shuffle(order)
    for place, n in enumerate(order):
        parent = nodes[order[w.rng.randrange(place)]].id if place and w.has(0.8) else ROOT
        w.link(nodes[n].id, parent)
    return nodes


def make_geometry(w, points):
    faces = w.rng.sample(FACES, w.rng.randint(4, len(FACES))) + [[0, 7, 2], [1, 6, 5, 3]]
    corners = [i if k + 1 < len(face) else -1 - i for face in faces for k, i in enumerate(face)]
    return w.add("Geometry", "", "Mesh", array("Vertices", [x for p in points for x in p]) + array("PolygonVertexIndex", corners) +
                 "GeometryVersion: 124\n")


def rigid(w):
    """A rotated, uniformly scaled and moved matrix as 16 numbers in columns."""
    a, b, s = w.rng.uniform(-1, 1), w.rng.uniform(-1, 1), w.rng.uniform(0.7, 1.4)
    # the quaternion (a, b, 0.5, 1) as a matrix
    n = a * a + b * b + 0.25 + 1
    x, y, z, q = a, b, 0.5, 1.0
    rows = [[1 - 2 * (y * y + z * z) / n, 2 * (x * y - z * q) / n, 2 * (x * z + y * q) / n],
            [2 * (x * y + z * q) / n, 1 - 2 * (x * x + z * z) / n, 2 * (y * z - x * q) / n],
            [2 * (x * z - y * q) / n, 2 * (y * z + x * q) / n, 1 - 2 * (x * x + y * y) / n]]
    return [s * rows[r][c] if r < 3 else 0.0 for c in range(3) for r in range(4)] + w.vector(2) + [1.0]


def make_skin(w, geometry, nodes, method, point_count):
    body = f'Version: 101\nLink_DeformAcuracy: 50\nSkinningType: "{method}"\n'
    if method == "Blend":
        points = sorted(w.rng.sample(range(point_count), w.rng.randint(3, point_count)))
        body += array("Indexes", points) + array("BlendWeights", [w.rng.random() for _ in points])
    skin = w.add("Deformer", "skin", "Skin", body)
    w.link(skin, geometry)
    joints = w.rng.sample([n for n in nodes if not n.is_mesh], w.rng.randint(1, min(4, len([n for n in nodes if not n.is_mesh]))))
    weights = [{} for _ in joints]
    for v in range(point_count):
        if w.has(0.15):
            continue  # follows the mesh's node
        picked = w.rng.sample(range(len(joints)), 1 if method == "Rigid" else w.rng.randint(1, len(joints)))
        for j in picked:
            weights[j][v] = w.rng.uniform(0.1, 1.0) if method != "Rigid" else 1.0
    for joint, some in zip(joints, weights):
        body = "Version: 100\n" + array("Indexes", list(some)) + array("Weights", list(some.values()))
        if w.has(0.75):
            body += array("Transform", rigid(w) if w.has(0.9) else [0.0] * 16)
        if w.has(0.8):
            body += array("TransformLink", rigid(w))
        cluster = w.add("Deformer", "", "Cluster", body, "SubDeformer")
        w.link(cluster, skin)
        w.link(joint.id, cluster)


def make_bind_poses(w, nodes):
    """Of some nodes, some of them twice."""
    for _ in range(w.rng.randint(0, 2)):
        some = w.rng.sample(nodes, w.rng.randint(1, len(nodes)))
        w.add("Pose", "bind", "BindPose", 'Type: "BindPose"\nVersion: 100\n' +
              "".join(f"PoseNode: {{\nNode: {node.id}\n{array('Matrix', rigid(w))}}}\n" for node in some))


def make_shapes(w, geometry, point_count):
    """Ids of the channels."""
    deformer = w.add("Deformer", "shapes", "BlendShape", "Version: 100\n")
    w.link(deformer, geometry)
    channels = []
    for c in range(w.rng.randint(1, 3)):
        full = w.rng.choice([[100.0], [100.0], [50.0, 100.0], [30.0, 60.0, 100.0], [-50.0, 100.0], [80.0]])
        points = [sorted(w.rng.sample(range(point_count), w.rng.randint(1, point_count))) for _ in full]
        if w.is_by_blender:  # a share of each point
            points, full = points[:1], [w.rng.uniform(-20, 130) for _ in points[0]]
        body = properties([("DeformPercent", "Number", [w.rng.choice([0.0, w.rng.uniform(-60, 160)])])]) + array("FullWeights", full)
        channel = w.add("Deformer", f"channel {c}", "BlendShapeChannel", "Version: 100\n" + body, "SubDeformer")
        w.link(channel, deformer)
        channels.append(channel)
        for moved in points:
            body = array("Indexes", moved) + array("Vertices", [x for _ in moved for x in w.vector(1)])
            if w.has(0.4):
                body += array("Normals", [0.0] * (3 * len(moved)))
            w.link(w.add("Geometry", f"shape {c}", "Shape", "Version: 101\n" + body), channel)
    return channels


def make_meshes(w, nodes, method):
    """Ids of the channels of blend shapes."""
    channels, last = [], None
    for node in [n for n in nodes if n.is_mesh]:
        if last and w.has(0.4):
            w.link(last, node.id)  # the same mesh once more
            continue
        points = [w.vector(1.5) for _ in range(8)]
        geometry = make_geometry(w, points)
        w.link(geometry, node.id)
        is_skinned = w.has(0.7)
        if is_skinned:
            make_skin(w, geometry, nodes, method, len(points))
        if w.has(0.5):
            channels += make_shapes(w, geometry, len(points))
        last = None if is_skinned else geometry
    return channels


def header(w):
    """(text, ticks a second)."""
    version, flags, ticks = w.rng.choice([(7300, "", 46186158000), (7400, "", 46186158000), (7500, "", 46186158000),
                                          (7700, "OtherFlags:  {\nTCDefinition: 127\n}\n", 46186158000),
                                          (7700, "OtherFlags:  {\nTCDefinition: 0\n}\n", 141120000)])
    up = w.rng.choice([1, 2])
    settings = [("UpAxis", "int", [up]), ("UpAxisSign", "int", [1]), ("FrontAxis", "int", [3 - up]),
                ("FrontAxisSign", "int", [1 if up == 1 else -1]), ("CoordAxis", "int", [0]), ("CoordAxisSign", "int", [1]),
                ("UnitScaleFactor", "double", [w.rng.choice([1.0, 2.54, 100.0])])]
    return (f"; FBX {version // 1000}.{version // 100 % 10}.0 project file\n; made for a test\n\n"
            f"FBXHeaderExtension:  {{\nFBXHeaderVersion: {1004 if flags else 1003}\nFBXVersion: {version}\n"
            f'Creator: "{CREATORS[w.is_by_blender]}"\n{flags}}}\n'
            f"GlobalSettings:  {{\nVersion: 1000\n{properties(settings)}}}\n"), ticks


def definitions(w):
    template = [("Lcl Translation", "Lcl Translation", [0, 0, 0]), ("Lcl Rotation", "Lcl Rotation", [0, 0, 0]),
                ("Lcl Scaling", "Lcl Scaling", [1, 1, 1]), ("InheritType", "enum", [w.rng.choice([0, 1, 2])]), ("RotationOrder", "enum", [0])]
    if w.has(0.3):
        template.append(("RotationPivot", "Vector3D", w.vector(1)))
    return f'Definitions:  {{\nVersion: 100\nObjectType: "Model" {{\nCount: 1\nPropertyTemplate: "FbxNode" {{\n{properties(template)}}}\n}}\n}}\n'


def make(seed):
    """The text of a file."""
    w = Writer(seed)
    w.is_by_blender = w.has(0.2)
    top, ticks_per_s = header(w)
    method = w.rng.choice(METHODS)
    w.is_even = method in ("DualQuaternion", "Blend")
    nodes = make_nodes(w)
    channels = make_meshes(w, nodes, method)
    make_bind_poses(w, nodes)
    random_fbx_takes.make_stacks(w, nodes, channels, ticks_per_s)
    return (top + definitions(w) + "Objects:  {\n" + "".join(w.objects) + "}\n\n; Object connections\n\nConnections:  {\n" +
            "".join(w.links) + "}\n")

