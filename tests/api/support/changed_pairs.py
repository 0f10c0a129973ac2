"""Pairs of models with a single difference: the change, and the expected result of a comparison."""
import copy
from dataclasses import dataclass, field

import small_scenes
from small_scenes import about

STRAIGHT = {"translation": [0, 0, 0]}


@dataclass
class Pair:
    """name: of the files. kinds: any of them is correct. named: words in the subject or the values of one difference of these kinds.
    between: the times within which the change is visible; the difference's time must be among them."""

    name: str
    scene: object
    change: object
    kinds: tuple
    named: tuple = ()
    between: tuple = ()
    options: dict = field(default_factory=dict)

    def files(self):
        """(the old one, the new one) as GLB."""
        old = self.scene()
        new = copy.deepcopy(old)
        self.change(new)
        return small_scenes.glb(old), small_scenes.glb(new)


def straight():
    return small_scenes.hero(STRAIGHT)


def turn_key(clip, node, key, axis, degrees):
    """Turn one key of a rotation further. (Of a cubic one, its value.)"""
    def change(scene):
        mode, _, rows = scene["clips"][clip][node, "rotation"]
        i = 3 * key + 1 if mode == "CUBICSPLINE" else key
        x, y, z, w = about(axis, degrees)
        a, b, c, d = rows[i]
        rows[i] = [d * x + a * w + b * z - c * y, d * y - a * z + b * w + c * x, d * z + a * y - b * x + c * w, d * w - a * x - b * y - c * z]
    return change


def set_row(clip, node, path, row, values):
    def change(scene):
        scene["clips"][clip][node, path][2][row] = values
    return change


def set_times(clip, times_of, *channels):
    """times_of: new times from the old ones, for all channels if none is named."""
    def change(scene):
        for channel, (mode, times, rows) in scene["clips"][clip].items():
            if not channels or channel in channels:
                scene["clips"][clip][channel] = (mode, times_of(times), rows)
    return change


def drop_key(clip, node, path, key):
    def change(scene):
        mode, times, rows = scene["clips"][clip][node, path]
        scene["clips"][clip][node, path] = (mode, times[:key] + times[key + 1:], rows[:key] + rows[key + 1:])
    return change


def set_mode(clip, node, path, mode):
    def change(scene):
        scene["clips"][clip][node, path] = (mode, *scene["clips"][clip][node, path][1:])
    return change


def drop_channel(clip, node, path):
    return lambda scene: scene["clips"][clip].pop((node, path))


def rename_clip(scene):
    scene["clips"] = {"stroll" if name == "walk" else name: clip for name, clip in scene["clips"].items()}


def rename_joint(old, new):
    def change(scene):
        name = lambda one: new if one == old else one
        scene["nodes"] = {name(n): {**part, "parent": name(part.get("parent"))} for n, part in scene["nodes"].items()}
        scene["skin"] = {name(n): bind for n, bind in scene["skin"].items()}
        scene["clips"] = {c: {(name(n), path): keys for (n, path), keys in clip.items()} for c, clip in scene["clips"].items()}
        for parts in scene["meshes"].values():
            for part in parts:
                part["weights"] = [{name(n): share for n, share in row.items()} for row in part["weights"]]
    return change


def add_joint(scene):
    scene["nodes"]["tail"] = {"parent": "hips", "translation": [0, -0.1, -0.2]}
    scene["skin"]["tail"] = scene["skin"]["hips"]


def remove_joint(scene):
    """Remove toe.L, and give its vertices to the shin."""
    for parts in scene["meshes"].values():
        for part in parts:
            part["weights"] = [{"shin.L": 1.0} if "toe.L" in row else row for row in part["weights"]]
    del scene["nodes"]["toe.L"], scene["skin"]["toe.L"]


def reparent(scene):
    scene["nodes"]["head"].update(parent="hips", translation=[0, 1.2, 0])


def set_node(name, **values):
    return lambda scene: scene["nodes"][name].update(values)


def set_weights(joint, shares):
    """Set the weights of a joint's first vertex."""
    def change(scene):
        rows = next(p["weights"] for p in scene["meshes"]["body"] if any(joint in row for row in p["weights"]))
        rows[next(i for i, row in enumerate(rows) if next(iter(row)) == joint)] = shares
    return change


def move_bind(scene):
    scene["skin"]["forearm.L"][13] += 0.2


def move_target(scene):
    scene["meshes"]["body"][1]["targets"]["blink"][3] = [0.4, 0, 0]


def remove_target(scene):
    for part in scene["meshes"]["body"]:
        del part["targets"]["blink"]
    mode, times, rows = scene["clips"]["breathe"]["body", "weights"]
    scene["clips"]["breathe"]["body", "weights"] = (mode, times, [row[:1] for row in rows])


def set_material(name, inner=None, **values):
    return lambda scene: (scene["materials"][name][inner] if inner else scene["materials"][name]).update(values)


def repaint(scene):
    scene["pictures"]["spots"] = small_scenes.png([[(200, 150, 90), (90, 60, 30)], [(90, 60, 30), (20, 170, 210)]])


def swap_materials(scene):
    scene["meshes"]["mast"][0]["material"] = "paint"


def remove_triangle(scene):
    del scene["meshes"]["body"][0]["triangles"][20]


def move_vertex(scene):
    scene["meshes"]["boom"][0]["positions"][0][1] += 5


def add_clip(scene):
    scene["clips"]["nod"] = {("head", "rotation"): ("LINEAR", [0.0, 0.5], [[0, 0, 0, 1], about([1, 0, 0], 20)])}


HERO, CRANE = small_scenes.hero, small_scenes.crane
PAIRS = [
    Pair("forearm_turned_8_degrees", HERO, turn_key("walk", "forearm.L", 2, [1, 0, 0], 8), ("pose",), ("walk", "forearm.L"), (0.25, 0.75)),
    Pair("finger_turned", straight, turn_key("walk", "finger.L", 1, [1, 1, 0], 60), ("pose",), ("walk", "finger.L"), (0.0, 1.0)),
    Pair("thigh_turned_at_the_end", HERO, turn_key("walk", "thigh.L", 4, [0, 1, 0], 15), ("pose",), ("walk", "thigh.L"), (0.75, 1.0)),
    Pair("hips_moved_at_the_start", straight, set_row("walk", "hips", "translation", 0, [0.05, 1, 0]), ("pose",), ("walk", "hips"), (0.0, 0.25)),
    Pair("mast_turned", CRANE, turn_key("lift", "mast", 2, [0, 1, 0], 5), ("pose",), ("lift", "mast"), (1.0, 3.0)),
    Pair("cable_scaled", CRANE, set_row("lift", "cable", "scale", 1, [1, 0.45, 1]), ("pose",), ("lift", "cable"), (0.5, 2.5)),
    Pair("hook_jumps_elsewhere", CRANE, set_row("lift", "hook", "translation", 1, [0, -33, 0]), ("pose",), ("lift", "hook"), (1.5, 2.5)),
    Pair("spine_scaled", HERO, set_row("breathe", "spine", "scale", 1, [1.05, 1, 1.3]), ("pose",), ("breathe", "spine"), (0.0, 2.0)),
    Pair("tangent_between_keys", HERO, set_row("wave", "upper_arm.L", "rotation", 5, [0.1, 2.4, 0.2, 0]), ("pose",), ("wave", "upper_arm.L"),
         (0.4, 0.8)),
    Pair("cubic_value", straight, turn_key("wave", "upper_arm.L", 1, [0, 1, 0], 12), ("pose",), ("wave", "upper_arm.L"), (0.0, 0.8)),
    Pair("step_value", straight, turn_key("wave", "hand.L", 2, [0, 0, 1], 15), ("pose",), ("wave", "hand.L"), (0.4, 0.6)),
    Pair("key_later", HERO, set_times("walk", lambda t: [t[0], t[1], 0.6, *t[3:]], ("shin.L", "rotation")), ("pose",), ("walk", "shin.L"), (0.25, 0.75)),
    Pair("jump_later", CRANE, set_times("lift", lambda t: [t[0], 1.7, *t[2:]], ("hook", "translation")), ("pose",), ("lift", "hook"), (1.5, 1.7)),
    Pair("key_lost", HERO, drop_key("walk", "thigh.L", "rotation", 3), ("pose",), ("walk", "thigh.L"), (0.5, 1.0)),
    Pair("linear_made_step", CRANE, set_mode("sway", "boom", "rotation", "STEP"), ("pose",), ("sway", "boom"), (0.0, 2.0)),
    Pair("channel_lost", straight, drop_channel("walk", "forearm.L", "rotation"), ("pose",), ("walk", "forearm.L"), (0.0, 1.0)),
    Pair("morph_weight", HERO, set_row("breathe", "body", "weights", 1, [0.4, 0.25]), ("weights", "morph_weights", "pose", "morph_targets"),
         ("breathe", "body"), (0.0, 2.0)),
    Pair("clip_slower", HERO, set_times("walk", lambda times: [1.2 * t for t in times]), ("clip_length",), ("walk",)),
    Pair("clip_begins_later", CRANE, set_times("sway", lambda times: [t + 0.5 for t in times]), ("clip_range", "clip_length", "pose"), ("sway",)),
    Pair("clip_renamed", HERO, rename_clip, ("clip_renamed",), ("walk", "stroll")),
    Pair("clip_lost", straight, lambda scene: scene["clips"].pop("breathe"), ("clip_removed",), ("breathe",)),
    Pair("clip_new", HERO, add_clip, ("clip_added",), ("nod",)),
    Pair("joint_renamed", HERO, rename_joint("shin.L", "calf.L"), ("joint_renamed",), ("shin.L", "calf.L")),
    Pair("joint_new", HERO, add_joint, ("joint_added",), ("tail",)),
    Pair("joint_lost", straight, remove_joint, ("joint_removed",), ("toe.L",)),
    Pair("joint_reparented", HERO, reparent, ("joint_reparented",), ("head", "hips")),
    Pair("rest_moved", HERO, set_node("toe.L", translation=[0, 0.45, 0.16]), ("rest",), ("toe.L",)),
    Pair("node_moved", CRANE, set_node("base", translation=[300, 24, -150]), ("placement",), ("the whole model is moved by (0, 4, 0)",)),
    Pair("weights_of_a_vertex", HERO, set_weights("hand.L", {"hand.L": 0.35, "forearm.L": 0.65}), ("weights",), ("body",)),
    Pair("vertex_of_another_joint", straight, set_weights("finger.L", {"head": 1.0}), ("weights",), ("body",)),
    Pair("bind_moved", HERO, move_bind, ("bind", "binds", "skin", "weights", "inverse_binds", "rest", "pose"), ("forearm.L",)),
    Pair("target_moved", straight, move_target, ("morph_targets",), ("body",)),
    Pair("target_lost", HERO, remove_target, ("morph_targets",), ("body",)),
    Pair("color", CRANE, set_material("paint", "pbrMetallicRoughness", baseColorFactor=[0.9, 0.5, 0, 1]), ("material",), ("paint",)),
    Pair("roughness", HERO, set_material("eyes", "pbrMetallicRoughness", roughnessFactor=0.6), ("material",), ("eyes",)),
    Pair("one_side", CRANE, set_material("paint", doubleSided=False), ("material",), ("paint",)),
    Pair("texture", HERO, repaint, ("texture",), ("hide",)),
    Pair("another_material", CRANE, swap_materials, ("material", "mesh"), ("mast",)),
    Pair("triangle_lost", HERO, remove_triangle, ("triangles",), ("body",)),
    Pair("vertex_moved", CRANE, move_vertex, ("mesh", "triangles", "vertices"), ("boom",)),
]
