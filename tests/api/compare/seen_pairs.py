"""Pairs of models that are stored otherwise and look the same, and for each a pair that is nearly so and does not look the same."""
import copy
import random
import sys
from dataclasses import dataclass

import small_scenes
from small_scenes import about, bound, rest_matrices

sys.path.insert(0, str(small_scenes.pathlib.Path(__file__).resolve().parents[2] / "oracle"))
from matrices import flat, from_trs, inverse, multiply  # noqa: E402


@dataclass
class Seen:
    """old, new: scenes. expected: (kind, words of the message) of each difference, in the order of the answer; empty: equal."""

    name: str
    old: object
    new: object
    expected: tuple = ()

    def files(self):
        return small_scenes.glb(self.old), small_scenes.glb(self.new)


TURN = {"translation": [3, -2, 1], "rotation": about([1, 0.5, 0.2], 70), "scale": [2, 0.5, 1.25]}
KEYS = small_scenes.QUARTERS


def point(m, p):
    return [sum(m[r][c] * p[c] for c in range(3)) + m[r][3] for r in range(3)]


def direction(m, v):
    return [sum(m[r][c] * v[c] for c in range(3)) for r in range(3)]


def unit(v):
    n = sum(x * x for x in v) ** 0.5
    return [x / n for x in v]


def normal(m, v):
    """By the inverse transpose, which keeps a normal upright on its surface."""
    back = inverse(m)
    return unit([sum(back[c][r] * v[c] for c in range(3)) for r in range(3)])


# --- a plate on a node ---

def sliver(height, is_torn=False):
    """The plate with a triangle more, of this height. is_torn: without a triangle that is seen."""
    scene = plate(False)
    part = scene["meshes"]["plate"][0]
    for words in ("positions", "normals", "tangents", "uvs"):
        part[words] = [*part[words], list(part[words][0])]
    part["targets"] = {"up": [*part["targets"]["up"], part["targets"]["up"][0]]}
    part["positions"][6][0] += height
    part["triangles"] = [*part["triangles"][is_torn:], [0, 6, 1]]
    return scene


def plate(is_in_node, bump=0.4, lean=0.0, spin=0.0, offset=(0.0, 0.0), is_in_material=False):
    """A bent plate with a morph target and a normal map. Its transform is the node's or the vertices'. `lean`, `spin`: degrees by which the
    normals lean and the tangents turn. The texture's transform is the material's or the vertices'."""
    m = from_trs(TURN["translation"], TURN["rotation"], TURN["scale"])
    positions = [[x, 0.2 * x * x, z] for x in (-1, 0, 1) for z in (-1, 1)]
    normals = [direction(from_trs([0, 0, 0], about([0, 0, 1], lean), [1, 1, 1]), unit([-0.4 * p[0], 1, 0])) for p in positions]
    spun = from_trs([0, 0, 0], about([0, 1, 0], spin), [1, 1, 1])
    tangents = [direction(spun, unit([1, 0.4 * p[0], 0])) for p in positions]
    target = [[0, bump * (1 + i), 0.1] for i in range(6)]
    uvs = [[(p[0] + 1) / 2, (p[2] + 1) / 2] for p in positions]
    transform = {"offset": [0.25 + offset[0], 0.5 + offset[1]], "scale": [0.5, 2]}
    if not is_in_node:
        positions, target = [point(m, p) for p in positions], [direction(m, v) for v in target]
        normals, tangents = [normal(m, v) for v in normals], [unit(direction(m, v)) for v in tangents]
    if not is_in_material:
        uvs = [[0.25 + offset[0] + 0.5 * u, 0.5 + offset[1] + 2 * v] for u, v in uvs]
    place = {"index": 0, **({"extensions": {"KHR_texture_transform": transform}} if is_in_material else {})}
    part = {"positions": positions, "normals": normals, "tangents": [[*t, 1] for t in tangents], "uvs": uvs, "targets": {"up": target},
            "triangles": [[0, 1, 2], [1, 3, 2], [2, 3, 4], [3, 5, 4]], "material": "cloth"}
    return {"nodes": {"plate": {"parent": None, **(TURN if is_in_node else {})}}, "meshes": {"plate": [part]},
            "pictures": {"weave": small_scenes.png([[(200, 150, 90), (90, 60, 30)], [(90, 60, 30), (220, 170, 110)]])},
            "materials": {"cloth": {"doubleSided": True, "normalTexture": place, "pbrMetallicRoughness": {"baseColorTexture": place}}},
            "clips": {"grow": {("plate", "weights"): ("LINEAR", [0.0, 1.0], [[0], [1]])}}}


# --- vertices that are moved ---

def hills(height=0.0, shuffle=None, is_mapped=True):
    """Two surfaces of 10 x 10 vertices, one above the other by 1, whose middles are higher. shuffle: of a random order of vertices and
    triangles. is_mapped: each vertex has texture coordinates of its own."""
    part = {"positions": [], "normals": [], "uvs": [], "triangles": [], "material": "cloth"}
    for layer in range(2):
        for i in range(100):
            x, z = i % 10, i // 10
            part["positions"].append([x, layer + height * (3 <= x <= 5 and 3 <= z <= 5), z])
            part["normals"].append([0, 1, 0])
            part["uvs"].append([x / 20 + layer / 2, z / 10] if is_mapped else [0, 0])
        corners = [100 * layer + 10 * z + x for z in range(9) for x in range(9)]
        part["triangles"] += [t for c in corners for t in ([c, c + 10, c + 1], [c + 1, c + 10, c + 11])]
    if shuffle is not None:
        rng = random.Random(shuffle)
        order = rng.sample(range(200), 200)
        for words in ("positions", "normals", "uvs"):
            part[words] = [part[words][i] for i in order]
        part["triangles"] = [[order.index(v) for v in t] for t in rng.sample(part["triangles"], len(part["triangles"]))]
    return {**plate(False), "nodes": {"hills": {"parent": None, **TURN}}, "meshes": {"hills": [part]}, "clips": {}}


def far():
    """A triangle that is drawn at no finite place."""
    return {"nodes": {"far": {"parent": None, "scale": [1e30, 1e30, 1e30]}}, "clips": {},
            "meshes": {"far": [{"positions": [[3e38, 0, 0], [3e38, 1, 0], [3e38, 0, 1]], "triangles": [[0, 1, 2]]}]}}


# --- a character of rigid parts, bound in another pose ---

def puppet(key=45, is_rebound=False, arm_moved=0.0, is_spaced=False, is_blended=False):
    """Each vertex follows one joint, or a quarter of the next one with `is_blended`. `is_rebound`: bound with the arm raised, and the vertices are stored there; nothing looks otherwise.
    `is_spaced`: bind space is turned, scaled and moved as a whole. `arm_moved`: the vertices of the forearm are elsewhere."""
    scene = small_scenes.hero(None, (1, 1, 1))
    for part in scene["meshes"]["body"]:
        if not is_blended:
            part["weights"] = [{max(row, key=row.get): 1.0} for row in part["weights"]]
        del part["targets"]
    scene["clips"] = {"walk": scene["clips"]["walk"]}
    scene["clips"]["walk"]["forearm.L", "rotation"][2][2] = about([1, 0, 0.2], key)
    raised = copy.deepcopy(scene)
    raised["nodes"]["upper_arm.L"]["rotation"] = about([0, 0, 1], 20)
    raised["nodes"]["thigh.L"]["rotation"] = about([1, 0, 0], 150)
    space = from_trs([4, 1, -3], about([0.3, 1, 0], 50), [10, 10, 10])
    at_rest, binds = rest_matrices(scene), rest_matrices(raised)
    if is_rebound or is_spaced:
        for part in scene["meshes"]["body"]:
            for i, row in enumerate(part["weights"]):
                palettes = [(share, multiply(at_rest[joint], inverse(binds[joint] if is_rebound else multiply(space, at_rest[joint]))))
                            for joint, share in row.items()]
                blend = [[sum(share * m[r][c] for share, m in palettes) for c in range(4)] for r in range(4)]
                part["positions"][i] = point(inverse(blend), part["positions"][i])
        scene["skin"] = {joint: flat(inverse(binds[joint] if is_rebound else multiply(space, at_rest[joint]))) for joint in scene["skin"]}
    for part in scene["meshes"]["body"]:
        for i, row in enumerate(part["weights"]):
            if "forearm.L" in row:
                part["positions"][i][0] += arm_moved
    return scene


def without(scene, *words):
    """The scene without these members, of itself and of the parts of its meshes."""
    meshes = {name: [{k: v for k, v in part.items() if k not in words} for part in parts] for name, parts in scene["meshes"].items()}
    return {**{k: v for k, v in scene.items() if k not in words}, "meshes": meshes}


# --- the whole model elsewhere ---

def under(scene, **place):
    """The scene under a node more."""
    nodes = {name: {**node, "parent": node["parent"] or "all"} for name, node in scene["nodes"].items()}
    return {**scene, "nodes": {"all": {"parent": None, **place}, **nodes}}


def larger(scene, size):
    """The same in numbers that are `size` times as large, as of another unit."""
    scene = copy.deepcopy(scene)
    scale = lambda rows: [[size * x for x in row] for row in rows]
    for node in scene["nodes"].values():
        node["translation"] = scale([node.get("translation", [0, 0, 0])])[0]
    for part in (part for parts in scene["meshes"].values() for part in parts):
        part["positions"] = scale(part["positions"])
        part["targets"] = {name: scale(rows) for name, rows in part.get("targets", {}).items()}
    for clip in scene["clips"].values():
        for (node, path), (kind, times, rows) in clip.items():
            clip[node, path] = (kind, times, scale(rows) if path == "translation" else rows)
    return bound(scene) if "skin" in scene else scene


def rests_elsewhere():
    """Its root is elsewhere at rest, and where it was in its clips."""
    scene = puppet()
    at_rest = scene["nodes"]["root"]["translation"]
    scene["clips"]["walk"]["root", "translation"] = ("LINEAR", [0.0, 1.0], [at_rest, at_rest])
    other = copy.deepcopy(scene)
    other["nodes"]["root"]["translation"] = [at_rest[0] + 3, *at_rest[1:]]
    return scene, other


# --- materials at a seam ---

def seam(order=(0, 1, 2), swapped=None, names=("a", "b", "c"), layers=False):
    """Three strips, each with a material of its own, that share the places of their edges. `order`: of the primitives. `swapped`: the strip
    that has another strip's material. layers: a fourth lies on the first."""
    colors = {"a": [0.8, 0.1, 0.1, 1], "b": [0.1, 0.8, 0.1, 1], "c": [0.1, 0.1, 0.8, 1]}
    parts = []
    for strip in (*range(3), *([0] if layers else [])):
        is_top = layers and len(parts) == 3
        parts.append({"positions": [[x, 0, z] for x in (strip, strip + 1) for z in (0, 1, 2)], "triangles": [[0, 1, 3], [1, 4, 3], [1, 2, 4], [2, 5, 4]],
                      "material": names[1 if is_top else strip if swapped != strip else (strip + 1) % 3]})
    parts = [parts[i] for i in order]
    used = list(dict.fromkeys(p["material"] for p in parts))
    return {"nodes": {"floor": {"parent": None, **TURN}}, "meshes": {"floor": parts}, "clips": {}, "materials": {
        name: {"doubleSided": True, "pbrMetallicRoughness": {"baseColorFactor": colors["abc"[names.index(name)]]}} for name in used}}


def shared():
    """The strips as primitives that all have the vertices of all strips."""
    scene = seam()
    parts = scene["meshes"]["floor"]
    positions = [p for part in parts for p in part["positions"]]
    for i, part in enumerate(parts):
        part["triangles"] = [[6 * i + v for v in t] for t in part["triangles"]]
        part["positions"] = positions
    return scene


def halves(shift=0.0, is_reordered=False):
    """A body without textures whose vertices follow two joints to equal parts. shift: of its texture coordinates, which nothing shows.
    is_reordered: the skin has its joints in another order."""
    scene = without(puppet(is_blended=True), "materials", "pictures", "material")
    for part in scene["meshes"]["body"]:
        part["weights"] = [{joint: 0.5 for joint in ("hips", next(j for j in row if j != "hips"))} if set(row) != {"hips"} else row for row in part["weights"]]
        part["uvs"] = [[0.01 * i + shift, shift] for i in range(len(part["positions"]))]
    return {**scene, "skin": dict(reversed(scene["skin"].items())) if is_reordered else scene["skin"]}


def unnamed(scene):
    return {**scene, "has_unnamed_materials": True}


# --- weights, poles, names ---

def weighted(joint="forearm.L", share=0.0):
    """The hero with a share of the first vertex of its hand at another joint."""
    scene = small_scenes.hero()
    rows = next(part["weights"] for part in scene["meshes"]["body"] if any("hand.L" in row for row in part["weights"]))
    row = rows[next(i for i, row in enumerate(rows) if next(iter(row)) == "hand.L")]
    row["hand.L"] -= share
    row[joint] = row.get(joint, 0) + share
    return scene


def pole(is_up=False, spin=0.0):
    """A cone of eight triangles, each with its own vertex at the top. `is_up`: these have a normal of the axis, as Blender writes them.
    `spin`: of the texture coordinates of the top."""
    part = {"positions": [], "normals": [], "uvs": [], "triangles": [], "material": "cloth"}
    for i in range(8):
        for k, height in ((i, 0), (i + 1, 0), (i + 0.5, 1)):
            x, _, z = direction(from_trs([0, 0, 0], about([0, 1, 0], 45 * k), [1, 1, 1]), [1, 0, 0])
            part["positions"].append([x * (1 - height), 2 * height, z * (1 - height)])
            part["normals"].append([0, 1, 0] if height and is_up else unit([2 * x, 1, 2 * z]))
            part["uvs"].append([k / 8 + spin * height, height])
        part["triangles"].append([3 * i, 3 * i + 2, 3 * i + 1])
    return {**plate(False), "nodes": {"cone": {"parent": None, **TURN}}, "meshes": {"cone": [part]}, "clips": {}}


def nested(inner, is_unnamed=False, degrees=90):
    """Boxes under nodes that all have the same place, the node of the inner one under another name."""
    positions, triangles = small_scenes.box([0, 0, 0], [1, 2, 0.5])
    part = lambda size: [{"positions": [[x * size for x in p] for p in positions], "triangles": triangles}]
    return {"nodes": {"Node_0": {"parent": None}, "Node_1": {"parent": "Node_0"}, inner: {"parent": "Node_1"}, "outer": {"parent": None}},
            "meshes": {inner: part(1), "outer": part(3)}, "has_unnamed_nodes": is_unnamed, "clips": {"turn": {
                (inner, "rotation"): ("LINEAR", [0.0, 1.0], [[0, 0, 0, 1], about([0, 1, 0], degrees)]),
                ("Node_0", "translation"): ("LINEAR", [0.0, 1.0], [[0, 0, 0], [0, 2, 0]])}}}


# --- clips ---

def clips(change=None, **names):
    """The hero with its clip walk under other names; `change` changes that clip."""
    scene = small_scenes.hero()
    del scene["clips"]["breathe"]
    if change:
        change(scene["clips"]["walk"])
    scene["clips"] = {names.get(name, name): clip for name, clip in scene["clips"].items()}
    return scene


def named(**names):
    return lambda change=None: clips(change, **names)


def bend(clip):
    mode, times, rows = clip["forearm.L", "rotation"]
    clip["forearm.L", "rotation"] = (mode, times, [*rows[:2], about([1, 0, 0.2], 60), *rows[3:]])


def retell(clip):
    """Another motion, to which only the name leads."""
    clip["thigh.L", "rotation"] = (*clip["thigh.L", "rotation"][:2], small_scenes.swing([1, 0, 0], 175, 20, 175, 330, 175))
    clip["hips", "translation"] = (*clip["hips", "translation"][:2], [[0, 1, 0]] * 5)


def retime(of):
    def change(clip):
        for channel, (mode, times, rows) in clip.items():
            clip[channel] = (mode, [of(t) for t in times], rows)
    return change


def both(*changes):
    def change(clip):
        for one in changes:
            one(clip)
    return change


def trim(clip):
    """Ends at its second quarter."""
    for channel, (mode, times, rows) in clip.items():
        keep = [i for i, t in enumerate(times) if t <= 0.5]
        clip[channel] = (mode, [times[i] for i in keep], [rows[i] for i in keep])


def alone(name=None, change=None, other=None):
    """One clip, whose name may be missing."""
    scene = clips(change)
    scene["clips"] = {name: scene["clips"]["walk"], **(other or {})}
    return scene


def many(order, change=None):
    """Clips without names, of which no two move the same: `order` of the moves. change: of the first clip's angles."""
    scene = puppet()
    bends = {i: [about([1, 0, 0.2], d) for d in (3 * i, 8 * i - 40, 2 * i)] for i in order}
    if change:
        bends[order[0]] = [about([1, 0, 0.2], d) for d in change]
    return {**scene, "has_unnamed_clips": True, "clips": {i: {("forearm.L", "rotation"): ("LINEAR", [0.0, 0.5, 1.0], rows)} for i, rows in bends.items()}}


def deep(count, is_swapped=False):
    """Joints without names, one below another, then leaves without names below the last; each joint turns by an angle of its own.
    is_swapped: the file has the leaves in another order."""
    nodes = {0: {"parent": None, **TURN}}
    for i in range(1, count):
        nodes[i] = {"parent": i - 1 if i > 1 else 0, "translation": [0, 0.1, 0]}
    leaves = {f"leaf {i}": {"parent": count - 1, "translation": [0.3 * i, 0.1, 0]} for i in range(30)}
    nodes |= dict(reversed(leaves.items())) if is_swapped else leaves
    turns = {(name, "rotation"): ("LINEAR", [0.0, 1.0], [[0, 0, 0, 1], about([0, 0, 1], 0.01 * (i % 7))]) for i, name in enumerate(leaves)}
    turns |= {(i, "rotation"): ("LINEAR", [0.0, 1.0], [[0, 0, 0, 1], about([0, 0, 1], 0.01 * (i % 7))]) for i in range(count)}
    return {"nodes": nodes, "meshes": {}, "has_unnamed_nodes": True, "clips": {"turn": turns}}


# --- two bodies at one place, and a leg without a skin ---

def twins(is_swapped=False, moved=0.5):
    """Two nodes draw the same vertices with other weights of the morph target; a clip moves that of the second. is_swapped: the file has the
    nodes in another order, each with a mesh of its own."""
    scene = plate(True)
    part = scene["meshes"]["plate"][0]
    names = ["second", "first"] if is_swapped else ["first", "second"]
    weights = {"first": [1.0], "second": [0.25]}
    return {**scene, "nodes": {name: {"parent": None, **TURN, "weights": weights[name]} for name in names},
            "meshes": {name: [part] for name in names},
            "clips": {"grow": {("second", "weights"): ("LINEAR", [0.0, 1.0], [[0], [moved]])}}}


def leg(degrees=0, is_posed=False):
    """Joints alone: a pelvis, a straight leg with a foot, and an arm, far from the scene's origin once the clip plays. `degrees`: by which the
    thigh is turned always, about no axis of the leg. is_posed: the rest pose is the first one of the clip."""
    turned = lambda q: product(q, about([1, 0.6, 0.3], degrees))
    walk = {("pelvis", "translation"): ("LINEAR", KEYS, [[8, 3, 1], [8, 3, 2], [8, 3.1, 3], [8, 3, 4], [8, 3, 5]]),
            ("thigh", "rotation"): ("LINEAR", KEYS, [turned(about([1, 0, 0], d)) for d in (0, 30, -20, 10, 0)]),
            ("shin", "rotation"): ("LINEAR", KEYS, [about([1, 0, 0], d) for d in (0, 20, 40, 10, 0)])}
    nodes = {"root": {"parent": None, "translation": [5, -1, 2], "rotation": about([0, 0, 1], 90), "scale": [2, 2, 2]},
             "pelvis": {"parent": "root", "translation": [0, 1, 0]}, "thigh": {"parent": "pelvis", "translation": [0.2, -0.1, 0]},
             "shin": {"parent": "thigh", "translation": [0, -1, 0]}, "foot": {"parent": "shin", "translation": [0, -1, 0]},
             "toe": {"parent": "foot", "translation": [0, 0, 0.4]}}
    above = "pelvis"
    for i in range(30):  # of which the leg is a small part
        nodes[f"tail_{i}"] = {"parent": above, "translation": [0, 0.02, -0.05]}
        walk[f"tail_{i}", "rotation"] = ("LINEAR", [0.0, 1.0], [about([0, 1, 0], 2), about([0, 1, 0], -2)])
        above = f"tail_{i}"
    for joint in ("foot", "toe"):
        walk[joint, "rotation"] = ("LINEAR", [0.0, 1.0], [about([1, 0, 0], 0), about([1, 0, 0], 5)])
    for (node, path), (_, _, rows) in walk.items() if is_posed else ():
        nodes[node][path] = rows[0]
    return {"nodes": nodes, "meshes": {}, "clips": {"walk": walk}}


def product(a, b):
    """The quaternion of both rotations, b first."""
    (x, y, z, w), (p, q, r, s) = a, b
    return [w * p + x * s + y * r - z * q, w * q - x * r + y * s + z * p, w * r + x * q - y * p + z * s, w * s - x * p - y * q - z * r]


NOD = {"nod": {("head", "rotation"): ("LINEAR", [0.0, 0.5], [[0, 0, 0, 1], about([1, 0, 0], 20)])}}
BENT = ("pose", "joint 'forearm.L'", "at 0.5 s")
PAIRS = [
    Seen("transform_in_node", plate(False), plate(True)),
    Seen("normals_lean", plate(False), plate(True, lean=60), (("mesh", "another normal"),)),
    Seen("tangents_turned", plate(False), plate(True, spin=40), (("mesh", "another tangent"),)),
    Seen("target_bumps", plate(False), plate(True, bump=0.6), (("morph_targets", "'up'"),)),
    Seen("transform_in_material", plate(False), plate(False, is_in_material=True)),
    Seen("texture_moved_by_vertices", plate(False), plate(False, is_in_material=True, offset=(0.1, 0)), (("mesh", "on the textures"),)),
    Seen("texture_moved_by_material", plate(False, is_in_material=True), plate(False, is_in_material=True, offset=(0.1, 0)),
         (("texture", "'cloth'", "base colour", "elsewhere on the surface"), ("texture", "'cloth'", "normal", "elsewhere on the surface"))),
    *(Seen(f"vertices_moved_{name}", hills(is_mapped=is_mapped), hills(height, shuffle, is_mapped), (("mesh", f"18 vertices are elsewhere, up to {0.5 * height:g} units"),))
      for name, height, shuffle, is_mapped in (("in_their_order", 1, None, True), ("in_another_order", 1, 1, True), ("without_a_map", 1.5, 2, False))),
    Seen("vertices_moved_from_another_order", hills(0, 3, False), hills(1.5, None, False), (("mesh", "18 vertices are elsewhere, up to 0.75 units"),)),
    Seen("vertices_beyond_all_numbers", far(), far(), (("mesh", "3 vertices are gone"), ("mesh", "3 vertices are new"))),
    Seen("bound_in_another_pose", puppet(), puppet(is_rebound=True)),
    Seen("bound_in_another_pose_and_bent", puppet(), puppet(60, is_rebound=True), (BENT,)),
    Seen("bound_in_another_pose_and_moved", puppet(), puppet(is_rebound=True, arm_moved=0.2),
         (("mesh", "8 vertices are elsewhere, up to 0.3941 units", "at joint 'forearm.L'"),)),
    Seen("bound_in_another_pose_and_blended", puppet(is_blended=True), puppet(is_rebound=True, is_blended=True),
         (("pose", "'thigh.L'"),)),
    Seen("skin_lost", puppet(), without(puppet(), "skin", "weights"), (("weights", "mesh 'body_mesh' has no skin any more: ", " vertices follow only node 'body'"),)),
    Seen("skin_new", without(puppet(), "skin", "weights"), puppet(), (("weights", "mesh 'body_mesh' has a skin now: "),)),
    Seen("flat_without_normals", hills(), without(hills(), "normals")),
    Seen("round_without_normals", pole(), without(pole(), "normals"), (("mesh", "24 vertices are lit by another normal"),)),
    Seen("whole_model_larger", puppet(), under(puppet(), scale=[100, 100, 100]), (("placement", "the whole model is 100 times as large,"),)),
    Seen("whole_model_turned_and_moved", small_scenes.hero(), under(small_scenes.hero(), rotation=about([0, 1, 0], 90), translation=[0, 2, 0]),
         (("placement", "is turned by 90 degrees about (0, 1, 0), moved by (0, 2, 0),"),)),
    Seen("whole_model_turned_by_half", hills(), under(hills(), rotation=[0, 0.70710678, -0.70710678, 0], translation=[0, 5, 0]),
         (("placement", "is turned by 180 degrees about (0, 0.707, -0.707),"),)),
    Seen("whole_model_larger_and_bent", puppet(), under(puppet(60), scale=[100, 100, 100]),
         (("pose", "joint 'forearm.L'", "5.55 % of the size", "at 0.5 s"), ("placement", "100 times as large"))),
    Seen("whole_model_in_another_unit", small_scenes.hero(), larger(small_scenes.hero(), 39.37), (("placement", "is 39.37 times as large,"),)),
    Seen("whole_prop_in_another_unit", {**plate(False), "has_unnamed_nodes": True, "clips": {}},
         {**larger(plate(False), 0.01), "has_unnamed_nodes": True, "clips": {}}, (("placement", "is 0.01 times as large,"),)),
    Seen("rests_elsewhere_and_moves_as_before", *rests_elsewhere(), (
        ("rest", "joint 'hips' is 3 units"), ("rest", "joint 'root' is 3 units"))),
    Seen("bound_in_another_space", puppet(), puppet(is_spaced=True)),
    Seen("bound_in_another_space_and_bent", puppet(), puppet(60, is_spaced=True), (BENT,)),
    Seen("primitives_in_another_order", seam(), seam((2, 0, 1))),
    Seen("primitives_without_names", unnamed(seam()), unnamed(seam((2, 0, 1)))),
    Seen("primitives_that_share_vertices", unnamed(seam()), unnamed(shared())),
    Seen("layers_in_another_order", unnamed(seam((0, 1, 2, 3), layers=True)), unnamed(seam((3, 2, 1, 0), layers=True))),
    Seen("strip_with_another_material", unnamed(seam()), unnamed(seam((2, 0, 1), swapped=1)), (("material", "material 0", "base colour"),)),
    Seen("half_of_a_material_is_another", seam(), {**(s := seam()), "meshes": {"floor": [
        {**s["meshes"]["floor"][0], "triangles": s["meshes"]["floor"][0]["triangles"][:1], "material": "b"},
        {**s["meshes"]["floor"][0], "triangles": s["meshes"]["floor"][0]["triangles"][1:]}, *s["meshes"]["floor"][1:]]}},
         (("material", "1 triangle of mesh 'floor_mesh' has material 'b' and had material 'a'"),)),
    Seen("strip_with_the_material_of_another", seam(), seam(swapped=1), (("material", "4 triangles of mesh 'floor_mesh' have material 'c' and had material 'b'"),)),
    Seen("joints_in_another_order_and_unseen_coordinates", halves(), halves(0.3, is_reordered=True)),
    Seen("weight_rounded", weighted(), weighted(share=0.01)),
    Seen("weight_of_a_far_joint", weighted(), weighted("toe.L", 0.01), 
         (("weights", "1 vertex", "'hand.L'"), ("weights", "1 vertex", "'toe.L'"))),
    Seen("normals_of_a_pole", pole(), pole(True), (("mesh", "8 vertices are lit by another normal"),)),
    Seen("texture_of_a_pole", pole(), pole(True, 0.2), 
         (("mesh", "8 vertices are somewhere else on the textures"), ("mesh", "8 vertices are lit by another normal"))),
    Seen("sliver_by_rounding", sliver(0), sliver(2e-6)),
    Seen("sliver_and_a_hole", sliver(0), sliver(2e-6, is_torn=True), (("triangles", "0.75 times the area"),)),
    Seen("nodes_without_names", nested("inner", True), nested("inner_mesh")),
    Seen("nodes_without_names_turned", nested("inner", True), nested("inner_mesh", degrees=80), (("pose", "'inner_mesh'", "at 1 s"),)),
    Seen("clip_without_a_prefix", clips(walk="Armature|walk", wave="Armature|wave"), clips(),
         (("clip_renamed", "'Armature|walk' is now clip 'walk'"), ("clip_renamed", "'wave'"))),
    Seen("clip_of_mixamo", clips(walk="mixamo.com"), clips(bend, walk="Armature|mixamo.com|Layer0"), (("clip_renamed", "'mixamo.com'"), BENT)),
    Seen("clip_without_a_prefix_bent", clips(walk="Armature|walk"), clips(retell), (("clip_renamed", "'walk'"), ("pose", "'thigh.L'"), ("pose", "'hips'"))),
    Seen("clip_renamed_and_bent", clips(), clips(bend, walk="stroll"), (("clip_renamed", "'walk'", "'stroll'"), BENT)),
    Seen("clip_replaced", alone("walk"), alone("nod", other=NOD), (("clip_added", "'nod'"), ("clip_removed", "'walk'"))),
    Seen("clip_without_a_name_bent", alone(), alone(None, bend), (("pose", "clip 0", *BENT[1:]),)),
    Seen("clip_shorter_by_half_a_frame", clips(), clips(retime(lambda t: 0.98 * t)), (("clip_length", "0.98 s", "1 s"),)),
    Seen("clip_slower", clips(), clips(retime(lambda t: 1.2 * t)), (("clip_length", "1.2 s", "1 s"),)),
    Seen("clip_slower_and_bent", clips(), clips(both(bend, retime(lambda t: 1.2 * t))), (("clip_length", "1.2 s"), ("pose", "'forearm.L'", "at 0.6 s"))),
    Seen("clip_later", clips(), clips(retime(lambda t: t + 0.5)), (("clip_range", "0.5 s"),)),
    Seen("clip_ends_sooner", clips(), clips(trim), (("clip_length", "0.5 s", "1 s"),)),
    Seen("clip_ends_sooner_and_bent", clips(), clips(both(bend, trim)), (("clip_length", "0.5 s", "1 s"), BENT)),
    Seen("many_clips_without_names", many(range(60)), many(range(60))),
    Seen("many_clips_without_names_in_another_order", many(range(60)), many(range(59, -1, -1))),
    Seen("many_clips_without_names_and_one_bent", many(range(60)), many(range(60), (0, -50, 0)), (("pose", "clip 0", "'forearm.L'", "at 0.5 s"),)),
    Seen("many_joints_without_names", deep(3000), deep(3000, is_swapped=True)),
    Seen("twins_in_another_order", twins(), twins(True)),
    Seen("twins_of_which_one_moves_otherwise", twins(), twins(True, moved=0.8), (("pose", "of mesh 'second_mesh'", "at 1 s"),)),
    Seen("leg_rests_in_its_first_pose", leg(), leg(is_posed=True)),
    Seen("leg_rests_in_its_first_pose_turned", leg(), leg(5, is_posed=True), (("pose", "joint 'thigh'", "turned by 5 degrees"),)),
    Seen("leg_turned", leg(is_posed=True), leg(5, is_posed=True),
         (("pose", "joint 'thigh'", "turned by 5 degrees"), ("rest", "'toe'"), ("rest", "'foot'"), ("rest", "'shin'"))),
]
