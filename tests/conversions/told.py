"""What /v1/compare is right to tell of a model that a tool has rewritten: each of REASONS is a change that the tool makes. It was found by
reading both files, or by the poses that three.js and tests/oracle see in them."""
from dataclasses import dataclass

STEPS_WITH_MESHOPT = ("meshopt", "gltf-transform")
GLTFPACK = ("gltfpack", "gltfpack-keep")
BLENDER = ("blender", "blender-keys")


@dataclass(frozen=True)
class Reason:
    """where: `model`, or `model/clip` (an unnamed clip: its index in the original)."""

    why: str
    tools: tuple
    kinds: tuple
    where: tuple

    def places_in(self, tool, model):
        """Those of `where` that the rewritten model may need."""
        return [place for place in self.where if tool in self.tools and place.split("/")[0] == model]

    def explains(self, tool, model, difference):
        """The place that explains it, or None."""
        subject = difference["subject"]
        clip = subject.get("clip")
        if clip is None and "clips" in subject:
            clip = subject["clips"][0]
        places = self.places_in(tool, model) if difference["kind"] in self.kinds else []
        return next((place for place in (model, f"{model}/{clip}") if place in places), None)


def clips(model, *names):
    return tuple(f"{model}/{name}" for name in names)


REASONS = (
    Reason("60 poses a second miss keys between them: steps, 120 keys a second, keys at other times", ("posed-fps60",), ("pose",),
           (*clips("dragon", "idle", "walk", "fly"), *clips("octopus", "drift", "swim", "greet"), *clips("robot", "walk", "wave", "dance"),
            *clips("Fox", "Walk", "Run"), "cesium_man/0", *clips("a_cubic_skin", "cubic", "cubic_sign"), "huesitos/Armature|Action",
            *clips("maya_game_sausage_7500_binary_combined", "wiggle", "spin", "deform"), "01_01/Motion", "rigged_simple/0")),
    Reason("glTF cannot say scales that joints do not inherit: the file's warnings say how far off it is", ("convert",), ("pose",),
           ("maya_game_sausage_7500_binary_combined/deform",)),
    Reason("three.js does not read the weights of a node", ("three",), ("pose",), clips("m_morph_and_skin", "morph", "morph_cubic")),
    Reason("gltf-transform's meshopt makes tangents of cubic rotations unit quaternions", STEPS_WITH_MESHOPT, ("pose",),
           ("dragon/idle", *clips("octopus", "drift", "greet"), "robot/wave", *clips("a_cubic_skin", "cubic", "cubic_sign"),
            "huesitos/Armature|Action", *clips("maya_game_sausage_7500_binary_combined", "wiggle", "spin", "deform"))),
    Reason("gltf-transform's meshopt keeps 12 bits of a translation", STEPS_WITH_MESHOPT, ("pose",), ("01_01/Motion",)),
    Reason("gltfpack writes 30 poses a second and ends a clip at the next one", GLTFPACK, ("pose", "clip_length"),
           (*clips("dragon", "walk", "fly"), *clips("octopus", "drift", "swim", "greet"), *clips("robot", "walk", "wave", "dance"),
            *clips("Fox", "Survey", "Walk", "Run"), "cesium_man/0", "MorphStressTest/TheWave", *clips("a_cubic_skin", "cubic", "cubic_sign"),
            "huesitos/Armature|Action", *clips("maya_game_sausage_7500_binary_combined", "wiggle", "spin", "deform"), "01_01/Motion",
            "box_animated/0", "rigged_simple/0")),
    Reason("gltfpack writes weights of morph targets as bytes from 0 to 1", GLTFPACK, ("pose",),
           (*clips("MorphStressTest", "Individuals", "Pulse"), *clips("m_morph_and_skin", "morph", "morph_cubic"))),
    Reason("Blender bakes 24 poses a second, without steps, and ends a clip at the last whole frame", ("blender",), ("pose", "clip_length"),
           (*clips("dragon", "idle", "walk", "fly"), *clips("octopus", "drift", "swim", "greet"), *clips("robot", "walk", "wave", "dance"),
            "Fox/Run", "huesitos/Armature|Action", *clips("maya_game_sausage_7500_binary_combined", "wiggle", "spin", "deform"),
            "01_01/Motion", "box_animated/0", "rigged_simple/0")),
    Reason("Blender has no cubic tangents of glTF", BLENDER, ("pose",),
           ("dragon/idle", *clips("octopus", "drift", "greet"), "robot/wave", *clips("a_cubic_skin", "cubic", "cubic_sign"),
            "huesitos/Armature|Action", *clips("maya_game_sausage_7500_binary_combined", "wiggle", "spin", "deform"))),
    Reason("Blender does not read the weights of a node, and keeps weights within 0 and 1", BLENDER, ("pose",),
           clips("m_morph_and_skin", "morph", "morph_cubic")),
    Reason("Blender's normals are lost where triangles have next to no area, at the poles of eyes and snouts", BLENDER, ("mesh",),
           ("dragon", "octopus", "robot")),
    Reason("Blender guesses another bind pose, moves the joint to it and turns it about itself", BLENDER, ("pose", "rest"),
           ("rigged_simple", "rigged_simple/0")),
    Reason("Blender puts joints that no clip moves, here of fingers, where they were bound", BLENDER, ("pose",),
           ("ozz_astro_max/animation",)),
)
