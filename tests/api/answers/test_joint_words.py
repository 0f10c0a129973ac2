"""Bones of a human in rigs that no table knows: joints are read as a side and a word. Every rig walks like the one with Mixamo's names."""
import math
import shutil

import numpy as np
import pytest

from conftest import SAMPLES
from humans import A, ABOVE, LIMBS, MIXAMO, RATE, ROLES, SIDES, T, Human, apart, named, places, pointing
from importers import NO_RENDERING

pytestmark = pytest.mark.short
TIMES = [i / RATE for i in range(0, 61, 6)]

BODY = ["hip", "knee", "ankle", "foot", "shoulder", "elbow", "wrist"]
RIGS = {
    # vchoutas/smplx, smplx/joint_names.py: SMPL_JOINT_NAMES, and the names of SMPL's FBX files
    "SMPL": named(["pelvis", "spine1", "neck", "head"], BODY, lambda limb, side: f"{side}_{limb}"),
    "SMPL of files": named(["Pelvis", "Spine1", "Neck", "Head"], BODY, lambda limb, side: f"{side[0].upper()}_{limb.title()}"),
    # Autodesk, MAXScript help, "Biped Node Hierarchy"; the name of the biped, Bip01 by default, comes before each
    "Biped": named(["Bip01 Pelvis", "Bip01 Spine", "Bip01 Neck", "Bip01 Head"],
                   ["Thigh", "Calf", "Foot", "Toe0", "UpperArm", "Forearm", "Hand"], lambda limb, side: f"Bip01 {side[0].upper()} {limb}"),
    # Roblox Creator Hub, enum BodyPartR15: it has neither a neck nor toes, which the test's human has
    "R15": named(["LowerTorso", "UpperTorso", "neck", "Head"], ["UpperLeg", "LowerLeg", "Foot", "Toe", "UpperArm", "LowerArm", "Hand"],
                 lambda limb, side: side.title() + limb),
    # jsan3386/avatar, genesis3.trg and genesis.trg: Daz Genesis 3 and 8, and Genesis, whose names are Poser's
    "Daz Genesis 8": named(["hip", "abdomenLower", "neckLower", "head"], ["ThighBend", "Shin", "Foot", "Toe", "ShldrBend", "ForearmBend", "Hand"],
                           lambda limb, side: side[0] + limb),
    "Daz Genesis": named(["hip", "abdomen", "neck", "head"], ["Thigh", "Shin", "Foot", "Toe", "Shldr", "ForeArm", "Hand"], lambda limb, side: side[0] + limb),
    # soupday/cc_blender_tools, hik.py
    "Character Creator": named(["CC_Base_Hip", "CC_Base_Waist", "CC_Base_NeckTwist01", "CC_Base_Head"],
                               ["Thigh", "Calf", "Foot", "ToeBase", "Upperarm", "Forearm", "Hand"], lambda limb, side: f"CC_Base_{side[0].upper()}_{limb}"),
    # the .asf files of the CMU Graphics Lab Motion Capture Database
    "CMU": named(["root.", "lowerback", "lowerneck", "head"], ["femur", "tibia", "foot", "toes", "humerus", "radius", "wrist"],
                 lambda limb, side: side[0] + limb),
    # Rokoko/rokoko-studio-live-blender, core/animation_lists.py; DADIU-2019-Team-4/MoMa, BoneType.cs
    "Rokoko": named(["hip", "spine", "neck", "head"], ["UpLeg", "Leg", "Foot", "Toe", "UpperArm", "LowerArm", "Hand"], lambda limb, side: side + limb),
    "Rokoko Newton": named(["hips", "spine1", "neck", "head"], ["Thigh", "Shin", "Foot", "Toe", "Arm", "ForeArm", "Hand"], lambda limb, side: side + limb),
    # sketchpunklabs/kaykit_char, mannequin.gltf, which has no neck
    "KayKit": named(["hips", "spine", "neck", "head"], ["upperleg", "lowerleg", "foot", "toes", "upperarm", "lowerarm", "wrist"],
                    lambda limb, side: f"{limb}.{side[0]}"),
    # an FBX file of Maya's HumanIK, whose character is called Character1
    "HumanIK": named(["Character1_Hips", "Character1_Spine", "Character1_Neck", "Character1_Head"],
                     ["UpLeg", "Leg", "Foot", "ToeBase", "Arm", "ForeArm", "Hand"], lambda limb, side: f"Character1_{side.title()}{limb}"),
    "a rig's own prefix": named(["Hero_Pelvis", "Hero_Spine", "Hero_Neck", "Hero_Head"], BODY, lambda limb, side: f"Hero_{limb}_{side[0].upper()}"),
    "UpperLeg.L": named(["Hips", "Torso", "Neck", "Head"], ["UpperLeg", "LowerLeg", "Foot", "Toes", "UpperArm", "LowerArm", "Wrist"],
                        lambda limb, side: f"{limb}.{side[0].upper()}"),
    "leg_left": named(["hips", "chest", "neck", "head"], ["leg", "shin", "foot", "toe", "arm", "forearm", "hand"],
                      lambda limb, side: f"{limb}_{side}"),
    "l_thigh": named(["hip", "spine_01", "neck_01", "head"], ["thigh", "shin", "foot", "toe", "upperarm", "forearm", "hand"],
                     lambda limb, side: f"{side[0]}_{limb}"),
    "lThigh": named(["hip", "abdomen", "neck", "head"], ["Thigh", "Shin", "Foot", "Toe", "Arm", "Forearm", "Hand"],
                    lambda limb, side: side[0] + limb),
}


@pytest.mark.parametrize("rig", RIGS)
def test_words_and_sides(start, tmp_path, rig):
    root = tmp_path / "root"
    root.mkdir()
    walker, hero = Human(T), Human({**T, "names": RIGS[rig], "thigh": 0.4, "arm": 45})
    (root / "walk.gltf").write_text(walker.write(has_walk=True))
    (root / "hero.gltf").write_text(hero.write())
    server = start(*NO_RENDERING, root=root)
    source, _ = places(server, walker, TIMES, model="walk.gltf", clip="walk")
    moved, answer = places(server, hero, TIMES, model="hero.gltf", clip_file="walk.gltf", clip="walk", retarget="rest")
    for limb in LIMBS:
        assert apart(hero, moved, walker, source, limb) < 1, limb
    assert answer["clip_file"]["unmatched"]["nodes"] == []


class LooseFeet(Human):
    """weftspun/quaternius-stage, SK_SmoothMaleCasual.usda: feet hang beside the body, which is above the legs and Hips, and Hips only above the spine."""

    def rig(self):
        rig = super().rig()
        for side, _ in SIDES:
            rig[self.names[side + "Foot"]] = ("root", {"translation": list(self.places[side + "Foot"]), "rotation": list(self.turns[side + "Foot"])})
        return rig


QUATERNIUS = named(["Body", "Abdomen", "Neck", "Head"], ["UpperLeg", "LowerLeg", "Foot", "Toes", "UpperArm", "LowerArm", "Palm"],
                   lambda limb, side: f"{limb}.{side[0].upper()}")


class WithHips(LooseFeet):
    def rig(self):
        rig = super().rig()
        rig["Hips"] = ("Body", {})
        rig["Abdomen"] = ("Hips", rig["Abdomen"][1])
        return rig


@pytest.mark.parametrize("feet", ["free", "lock"])
def test_feet_that_do_not_hang_below_their_legs(start, tmp_path, feet):
    """They follow the legs, with their vertices; locked ones stay where they stand."""
    root = tmp_path / "root"
    root.mkdir()
    shape = {**A, "names": QUATERNIUS}
    walker, hero, plain = Human(T), LooseFeet(shape), Human({**A})
    (root / "walk.gltf").write_text(walker.write(has_walk=True))
    (root / "hero.gltf").write_text(hero.write())
    (root / "hips.gltf").write_text(WithHips(shape).write(has_body=False))
    (root / "plain.gltf").write_text(plain.write())
    server = start(*NO_RENDERING, root=root)
    query = {"clip_file": "walk.gltf", "clip": "walk", "retarget": "rest", "feet": feet}
    at = {}
    for model, human in (("hero", hero), ("hips", hero), ("plain", plain)):
        at[model], answer = places(server, human, TIMES, model=f"{model}.gltf", **query)
        assert answer["clip_file"]["unmatched"]["nodes"] == []
    for role in at["plain"]:
        for model in ("hero", "hips"):
            assert np.abs(at[model][role] - at["plain"][role]).max() < 0.02, (model, role)
    frames = [np.array([frame["positions"][0] for frame in server.json("/v1/mesh", model=f"{model}.gltf", **query, wrap="clamp",
                                                                       t=",".join(map(str, TIMES)))["frames"]]) for model in ("hero", "plain")]
    assert np.abs(frames[0] - frames[1]).max() < 0.02 # of 180


def test_the_robot_walks(start, tmp_path):
    root = tmp_path / "root"
    root.mkdir()
    walker = Human(T)
    (root / "walk.gltf").write_text(walker.write(has_walk=True))
    shutil.copy(f"{SAMPLES}/robot.glb", root / "robot.glb")
    server = start(*NO_RENDERING, root=root)
    source, _ = places(server, walker, TIMES, model="walk.gltf", clip="walk")
    answer = server.get("/v1/pose?model=robot.glb&clip_file=walk.gltf&retarget=rest&t=" + ",".join(map(str, TIMES)))
    assert answer.status == 200, answer.body
    names = [node["name"] for node in answer.json()["nodes"]]
    frames = np.array([frame["scene"] for frame in answer.json()["frames"]], float).reshape(len(TIMES), len(names), 16)
    for side, _ in SIDES:
        for limb, joints in (("UpperLeg", ("leg", "shin")), ("LowerLeg", ("shin", "foot")), ("UpperArm", ("arm", "forearm"))):
            start_at, end_at = (frames[:, names.index(f"{joint}_{side}"), 12:15] for joint in joints)
            ours = (end_at - start_at) / np.linalg.norm(end_at - start_at, axis=1)[:, None]
            assert (ours * pointing(walker, source, side + limb)).sum(axis=1).min() > math.cos(math.radians(1)), (side, limb)


def test_an_error_names_a_joint_that_may_be_meant(start, tmp_path):
    root = tmp_path / "root"
    root.mkdir()
    names = {**MIXAMO, "leftUpperLeg": "ham", "hips": "middle"}
    (root / "walk.gltf").write_text(Human(T).write(has_walk=True))
    (root / "hero.gltf").write_text(Human({**T, "names": names}).write(has_walk=True))
    server = start(*NO_RENDERING, root=root)
    query = "/v1/pose?model=hero.gltf&clip_file=walk.gltf&retarget=rest"
    message = server.get(query).json()["error"]["message"]
    assert message.startswith("'hero.gltf': hips, leftUpperLeg are unknown") and message.endswith(": bones=leftUpperLeg=ham"), message
    message = server.get(query + "&bones=leftUpperLeg=ham").json()["error"]["message"]
    assert "hips is unknown" in message and message.endswith(": bones=hips=middle"), message
    assert server.get(query + "&bones=hips=middle&bones=leftUpperLeg=ham").status == 200
    message = server.get("/v1/pose?model=walk.gltf&clip_file=hero.gltf&retarget=rest").json()["error"]["message"]
    assert message.startswith("'hero.gltf'") and message.endswith(": clip_bones=leftUpperLeg=ham"), message


@pytest.mark.parametrize("rig", ["Mixamo", "Rokoko", "l_thigh"])
def test_end_sites_below_names_with_namespaces_are_no_joints(start, tmp_path, rig):
    """posed calls the end site of 'ns:Head' 'EndSite_ns:Head': what stands before the colon is no namespace."""
    names = MIXAMO if rig == "Mixamo" else RIGS[rig]
    below = {role: [other for other, above in ABOVE.items() if above == role] for role in ROLES}

    def joint(role, word="JOINT"):
        offset = {"hips": "0 1 0"}.get(role, "-0.1 -0.4 0" if role.startswith("right") else "0.1 -0.4 0" if role.startswith("left") else "0 0.2 0")
        inner = "".join(map(joint, below[role])) or "End Site\n{\nOFFSET 0 0.1 0\n}\n"
        return f"{word} ns:{names[role]}\n{{\nOFFSET {offset}\nCHANNELS 3 Zrotation Xrotation Yrotation\n{inner}}}\n"
    root = tmp_path / "root"
    root.mkdir()
    (root / "take.bvh").write_text(f"HIERARCHY\n{joint('hips', 'ROOT')}MOTION\nFrames: 1\nFrame Time: 0.1\n{'0 ' * 3 * len(ROLES)}\n")
    model = start(*NO_RENDERING, root=root).json("/v1/model", model="take.bvh")
    assert sum(node["name"].startswith("EndSite_ns:") for node in model["nodes"]) == 5
    assert {role: model["nodes"][node]["name"] for role, node in model["bones"]["roles"].items() if role in ROLES} == {
        role: f"ns:{names[role]}" for role in ROLES}
