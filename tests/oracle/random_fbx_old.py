"""Random ASCII FBX files of version 6: Properties60, vertices in the Model, connections by name, takes with lists of keys."""

import random_fbx

TICKS_PER_S = 46186158000
OLD_NAMES = {"T": ("Lcl Translation", 2), "R": ("Lcl Rotation", 120), "S": ("Lcl Scaling", 0.5)}


def numbers(values):
    return ",".join(repr(v) for v in values)


def properties(rows):
    return "Properties60:  {\n" + "".join(f'Property: "{name}", "{kind}", "A+",{numbers(values)}\n' for name, kind, values in rows) + "}\n"


def key_words(rng, spread):
    """The values after time and value of a key."""
    slopes = [rng.uniform(-spread, spread) * 2 for _ in range(2)]
    weights = [round(rng.uniform(0.1, 0.9), 4) for _ in range(2)]
    both = numbers(slopes)
    return rng.choice(["L", "C,s", "C,n", "U,a,n", "U,a,n", f"U,s,{both},n", f"U,b,{both},n", f"U,s,{both},a,{numbers(weights)}",
                       f"U,b,{both},r,{weights[0]!r}", f"U,s,{both},l,{weights[1]!r}"])


def channel(rng, name, middle, spread):
    text = f'Channel: "{name}" {{\nDefault: {middle!r}\n'
    if rng.random() < 0.7:
        times = sorted(rng.sample(range(1, 60, 2), rng.choice([1, 2, 3, 5])))
        keys = ",\n".join(f"{t * TICKS_PER_S // 24},{middle + rng.uniform(-spread, spread)!r},{key_words(rng, spread)}" for t in times)
        text += f"KeyVer: 4005\nKeyCount: {len(times)}\nKey: \n{keys}\n"
    return text + "}\n"


def take(rng, index, names):
    begin = rng.choice([0, 0, rng.randint(-20, 40)])
    span = numbers([begin * TICKS_PER_S // 24, (begin + rng.randint(6, 90)) * TICKS_PER_S // 24])
    text = f'Take: "take {index}" {{\nFileName: "take_{index}.tak"\nLocalTime: {span}\nReferenceTime: {span}\n'
    for name in names:
        parts = ""
        for letter, (_, spread) in OLD_NAMES.items():
            if rng.random() < 0.5:
                middle = 1.2 if letter == "S" else 0.25
                parts += f'Channel: "{letter}" {{\n' + "".join(channel(rng, axis, middle, spread) for axis in "XYZ") + "LayerType: 1\n}\n"
        text += f'Model: "Model::{name}" {{\nVersion: 1.1\nChannel: "Transform" {{\n{parts}}}\n}}\n'
    return text + "}\n"


def mesh_of(points):
    faces = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 4, 6, 2], [1, 3, 7], [1, 7, 5], [0, 1, 5, 4]]
    corners = [i if k + 1 < len(face) else -1 - i for face in faces for k, i in enumerate(face)]
    vertices = numbers([x for p in points for x in p])
    half = len(vertices.split(",")) // 2
    lines = [",".join(part) for part in (vertices.split(",")[:half], vertices.split(",")[half:])]  # a line may begin with its comma
    return f"Vertices: {lines[0]}\n,{lines[1]}\nPolygonVertexIndex: {numbers(corners)}\nGeometryVersion: 124\n"


def skin_of(w, mesh, joints, links):
    text = f'Deformer: "Deformer::Skin {mesh}", "Skin" {{\nVersion: 100\nType: "Skin"\nProperties60:  {{\n}}\nLink_DeformAcuracy: 50\n}}\n'
    links.append((f"Deformer::Skin {mesh}", f"Model::{mesh}"))
    for joint in joints:
        points = sorted(w.rng.sample(range(8), w.rng.randint(2, 7)))
        name = f"SubDeformer::Cluster {mesh} {joint}"
        text += (f'Deformer: "{name}", "Cluster" {{\nVersion: 100\nType: "Cluster"\nProperties60:  {{\n}}\nUserData: "", ""\n'
                 f"Indexes: {numbers(points)}\nWeights: {numbers([w.rng.uniform(0.1, 1) for _ in points])}\n"
                 f"Transform: {numbers(random_fbx.rigid(w))}\nTransformLink: {numbers(random_fbx.rigid(w))}\n}}\n")
        links += [(name, f"Deformer::Skin {mesh}"), (f"Model::{joint}", name)]
    return text


def make(seed):
    """The text of a file."""
    w = random_fbx.Writer(seed)
    count = w.rng.randint(3, 6)
    names, models, links = [f"n{n}" + w.rng.choice(["", " ü", "&quot;", ".x"]) for n in range(count)], "", []
    for n, name in enumerate(names):
        rows, _ = random_fbx.node_rows(w, n == 0)
        rows = [row for row in rows if row[0] != "InheritType"] + [("InheritType", "enum", [w.rng.choice([0, 1, 1, 2])])]
        body = mesh_of([w.vector(1.5) for _ in range(8)]) if n == 0 else ""
        models += f'Model: "Model::{name}", "{"Limb" if n else "Mesh"}" {{\nVersion: 232\n{properties(rows)}{body}}}\n'
        links.append((f"Model::{name}", f"Model::{w.rng.choice(names[:n])}" if n and w.has(0.8) else "Model::Scene"))
    if w.has(0.7):
        models += skin_of(w, names[0], w.rng.sample(names[1:], w.rng.randint(1, count - 1)), links)
    settings = properties([("UpAxis", "int", [1]), ("UpAxisSign", "int", [1]), ("FrontAxis", "int", [2]), ("FrontAxisSign", "int", [1]),
                           ("CoordAxis", "int", [0]), ("CoordAxisSign", "int", [1]), ("UnitScaleFactor", "double", [1.0])])
    takes = "".join(take(w.rng, index, names) for index in range(w.rng.choice([1, 2])))
    return ("; FBX 6.1.0 project file\nFBXHeaderExtension:  {\nFBXHeaderVersion: 1003\nFBXVersion: 6100\n}\n"
            f"Objects:  {{\n{models}GlobalSettings:  {{\nVersion: 1000\n{settings}}}\n}}\nConnections:  {{\n" +
            "".join(f'Connect: "OO", "{child}", "{parent}"\n' for child, parent in links) + f'}}\nTakes:  {{\nCurrent: "take 0"\n{takes}}}\n')
