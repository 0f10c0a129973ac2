"""Changes of known size to the models of animated.py: what each does to a glb_file.Editor, and the difference that /v1/compare must tell."""
import json
import math
from dataclasses import dataclass

from .edits import (
    add_to_moved, each_key, edit_attribute, edit_target, hue, key_later, lose_channels, lose_clip, lose_target, lose_texture,
    lose_triangles, make_step, move, move_bind, move_rows, new_joint, nod, other_material, paint, rename_clips, reparent, retimed,
    scale_tangents, set_material, set_node, swap_influences, turn, turned_round, value_of_keys)


@dataclass(frozen=True)
class Change:
    """kinds: any of them is right. clip and joint: of the difference; joint: its name, or its index in the original. between: of its time.
    size: (a field, its number). words: what else it says."""

    name: str
    model: str
    change: object
    kinds: tuple
    clip: str = None
    joint: object = None
    between: tuple = None
    size: tuple = None
    words: tuple = ()

    def is_told_by(self, difference, is_rewritten):
        """is_rewritten: by a tool, whose own difference may add to the size, and which may resample."""
        subject = difference["subject"]
        if difference["kind"] not in self.kinds:
            return False
        if self.clip and subject.get("clip") != self.clip:
            return False
        if isinstance(self.joint, int) and subject.get("nodes", [None])[0] != self.joint:
            return False
        if isinstance(self.joint, str) and _plain(subject.get("joint")) != _plain(self.joint):
            return False
        if self.between and not self.between[0] <= difference.get("time_s", -1) <= self.between[1]:
            return False
        if self.size:
            share = difference.get(self.size[0], 0) / self.size[1]
            if share < (0.75 if is_rewritten else 0.95) or share > (math.inf if is_rewritten else 1.05):
                return False
        return all(word in json.dumps(difference) for word in self.words)


def _plain(name):
    """A name without what three.js and Blender remove."""
    return "".join(c for c in name or "" if c.isalnum())


SAUSAGE = "maya_game_sausage_7500_binary_combined"
CHANGES = (
    # a moved key, a turned or moved joint
    Change("neck_2_degrees_for_a_second", "Fox", turn("Survey", "b_Neck_04", 2, 1, 2),
           ("pose",), "Survey", "b_Neck_04", (0.9, 2.1), size=("angle_deg", 2)),
    Change("two_keys_of_a_wing_8_degrees", "dragon", turn("fly", "wing_left_lower", 8, 0.41, 0.46),
           ("pose",), "fly", "wing_left_lower", (0.35, 0.55), size=("angle_deg", 8)),
    Change("cubic_key_later", "robot", key_later("wave", "arm_right", "rotation", 6, 0.09),
           ("pose",), "wave", "arm_right", (0.6, 0.9), size=("angle_deg", 1.8)),
    Change("cubic_tangents_doubled", "a_cubic_skin", scale_tangents("cubic", "joint1", "rotation", 2),
           ("pose",), "cubic", "joint1", size=("share", 0.398)),
    Change("head_3_degrees_for_a_second", "01_01", turn("Motion", "Head", 3, 10, 11),
           ("pose",), "Motion", "Head", (9.9, 11.1), size=("angle_deg", 3)),
    Change("thigh_5_degrees_always", "01_01", turn("Motion", "RightUpLeg", 5, 0, 23),
           ("pose",), "Motion", "RightUpLeg", size=("angle_deg", 5)),
    Change("elbow_4_degrees", "ozz_astro_max", turn("animation", "L_elbow", 4, 0.3, 0.6),
           ("pose",), "animation", "L_elbow", (0.25, 0.65), size=("angle_deg", 4)),
    Change("bone_5_degrees", "huesitos", turn("Armature|Action", "Bone.008", 5, 0.4, 0.8),
           ("pose",), "Armature|Action", "Bone.008", (0.3, 0.9), size=("angle_deg", 5)),
    Change("cubic_joint_6_degrees", SAUSAGE, turn("spin", "joint2", 6, 0.3, 0.5),
           ("pose",), "spin", "joint2", (0.2, 0.6), size=("angle_deg", 6)),
    Change("bone_3_degrees", "rigged_simple", turn(0, "Bone.001", 3, 1, 1.5),
           ("pose",), joint="Bone.001", between=(0.9, 1.6), size=("angle_deg", 3)),
    Change("unnamed_joint_4_degrees", "cesium_man", turn(0, 7, 4, 0.5, 1), ("pose",), joint=7, between=(0.4, 1.1), size=("angle_deg", 4)),
    Change("box_moved", "box_animated", move(0, 0, [0, 0.4, 0], 1, 2), ("pose",), joint=0, between=(0.1, 2.4), size=("distance", 0.4)),
    Change("root_moved_for_half_a_second", "octopus", move("swim", "root", [0, 0.1, 0], 0.5, 1),
           ("pose",), "swim", "root", (0.4, 1.1), size=("distance", 0.1)),
    Change("hips_moved_in_one_key", "Fox", move("Walk", "b_Hip_01", [0, 4, 0], 0.33, 0.34),
           ("pose",), "Walk", "b_Hip_01", (0.25, 0.45), size=("distance", 4)),
    Change("crown_5_percent_larger", "octopus", value_of_keys("swim", "crown", "scale", 0, 2, lambda v: [1.05 * x for x in v]),
           ("pose",), "swim", "crown", size=("share", 0.012)),
    Change("blink_longer", "dragon", each_key("walk", "eye_left", "scale", 0.1, 0.4, lambda v: [1, 0.1, 1]),
           ("pose",), "walk", "eye_left", (0.05, 0.5), size=("share", 0.0134)),
    Change("linear_made_step", "dragon", make_step("walk", "tail_4", "rotation"), ("pose",), "walk", "tail_4", size=("angle_deg", 2.46)),
    Change("channel_lost", "robot", lose_channels("walk", "forearm_left"), ("pose",), "walk", "forearm_left", size=("angle_deg", 38)),
    Change("morph_weight", "MorphStressTest", value_of_keys("Pulse", 0, "weights", 2, 3, lambda v: [v[0], v[1] - 0.3, *v[2:]]),
           ("pose",), "Pulse", between=(1.9, 3.1), size=("share", 0.075), words=("Key 2",)),
    Change("morph_weight_of_a_skin", "m_morph_and_skin", value_of_keys("morph", 3, "weights", 0.4, 0.6, lambda v: [0.5 * v[0], v[1]]),
           ("pose",), "morph", size=("share", 0.0238)),
    # clips
    Change("clip_reversed", "Fox", retimed("Walk", lambda t: 0.7083333134651184 - t),
           ("pose", "clip_reversed"), "Walk", "b_LeftFoot01_017", size=("share", 0.246)),
    Change("clip_slower", "robot", retimed("dance", lambda t: 1.2 * t), ("clip_length",), "dance"),
    Change("clip_begins_later", SAUSAGE, retimed("spin", lambda t: t + 0.3), ("clip_range", "clip_length", "pose"), "spin"),
    Change("clip_renamed", "Fox", rename_clips(Run="Sprint"), ("clip_renamed",), words=("Run", "Sprint")),
    Change("clip_lost", "octopus", lose_clip("greet"), ("clip_removed",), words=("greet",)),
    Change("clip_new", "dragon", nod("head"), ("clip_added",), words=("nod",)),
    # the skeleton
    Change("joint_renamed", "robot", set_node("forearm_left", name="lower_arm_left"),
           ("joint_renamed",), words=("forearm_left", "lower_arm_left")),
    Change("joint_new", "octopus", new_joint("arm0_6", "arm0_5"), ("joint_added",), joint="arm0_6"),
    Change("joint_reparented", "robot", reparent("antenna", "chest"), ("joint_reparented",), joint="antenna"),
    Change("bind_moved", "huesitos", move_bind("Bone.008", [0, 0.3, 0]), ("rest", "mesh")),
    # vertices
    Change("influences_swapped", "dragon", swap_influences("tail_2", 12), ("weights",), joint="tail_2"),
    Change("vertices_painted", "Fox", paint("b_Head_05", "b_Neck_04", 0.3, 20), ("weights",), words=("b_Neck_04",)),
    Change("morph_lost", "MorphStressTest", lose_target(7), ("morph_targets",), words=("Key 8",)),
    Change("morph_moved", "MorphStressTest", edit_target(2, add_to_moved([0.2, 0, 0], 6), 1), ("morph_targets",), words=("Key 3",)),
    Change("triangles_lost", "dragon", lose_triangles(400, 20), ("triangles",)),
    Change("vertices_moved", "Fox", edit_attribute("POSITION", move_rows(300, 6, [0, 5, 0])), ("mesh", "triangles")),
    Change("texture_coordinates_moved", "cesium_man", edit_attribute("TEXCOORD_0", move_rows(100, 60, [0.1, 0])), ("mesh",)),
    Change("normals_turned", "octopus", edit_attribute("NORMAL", turned_round(500, 400)), ("mesh",), words=("normal",)),
    # what is drawn
    Change("hue", "dragon", hue(0), ("texture",)),
    Change("roughness", "robot", set_material(0, "pbrMetallicRoughness", roughnessFactor=0.6), ("material",), words=("roughness",)),
    Change("color", "cesium_man", set_material(0, "pbrMetallicRoughness", baseColorFactor=[1, 0.6, 0.6, 1]),
           ("material",), words=("colour",)),
    Change("one_side", "huesitos", set_material(0, doubleSided=False), ("material",)),
    Change("another_material", "ozz_astro_max", other_material(3, 1), ("material", "mesh")),
    Change("color_of_a_box", "box_animated", set_material(1, "pbrMetallicRoughness", baseColorFactor=[0.9, 0.5, 0.1, 1]),
           ("material",), words=("outer",)),
    Change("emission", "robot", set_material(0, emissiveFactor=[1, 0.4, 0.4]), ("material",), words=("emi",)),
    Change("normal_texture_lost", "dragon", lose_texture(0, "normalTexture"), ("texture", "material")),
)
