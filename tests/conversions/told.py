"""What /v1/compare is right to tell of a model that a tool has rewritten: each of REASONS is a change that the tool makes. It was found by
reading both files, or by the poses that three.js and tests/oracle see in them."""
from dataclasses import dataclass

STEPS_WITH_MESHOPT = ("meshopt", "gltf-transform")
GLTFPACK = ("gltfpack", "gltfpack-keep")
BLENDER = ("blender", "blender-keys")
SAUSAGE = "maya_game_sausage_7500_binary_combined"


@dataclass(frozen=True)
class Reason:
    """where: `model`, or `model/clip` (an unnamed clip: its index in the original). says: a part of the message."""

    why: str
    tools: tuple
    kinds: tuple
    where: tuple
    says: str = ""

    def places_in(self, tool, model):
        """Those of `where` that the rewritten model may need."""
        return [place for place in self.where if tool in self.tools and place.split("/")[0] == model]

    def explains(self, tool, model, difference):
        """The place that explains it, or None."""
        subject = difference["subject"]
        of_clip = {f"{model}/{clip}" for clip in (subject.get("clip"), *subject.get("clips", [])[:1])}
        places = self.places_in(tool, model) if difference["kind"] in self.kinds and self.says in difference["message"] else []
        return next((place for place in (model, *of_clip) if place in places), None)


def clips(model, *names):
    return tuple(f"{model}/{name}" for name in names)


REASONS = (
    Reason("60 poses a second miss keys between them: steps, 120 keys a second, keys at other times", ("posed-fps60",), ("pose",),
           (*clips("dragon", "idle", "walk", "fly"), *clips("octopus", "drift", "swim", "greet"), *clips("robot", "walk", "wave", "dance"),
            *clips("Fox", "Walk", "Run"), "cesium_man/0", *clips("a_cubic_skin", "cubic", "cubic_sign"), "huesitos/Armature|Action",
            *clips(SAUSAGE, "wiggle", "spin", "deform"), "01_01/Motion", "rigged_simple/0")),
    Reason("three.js does not read the weights of a node", ("three",), ("pose",), clips("m_morph_and_skin", "morph", "morph_cubic")),
    Reason("gltf-transform's meshopt makes tangents of cubic rotations unit quaternions", STEPS_WITH_MESHOPT, ("pose",),
           ("dragon/idle", *clips("octopus", "drift", "greet"), "robot/wave", *clips("a_cubic_skin", "cubic", "cubic_sign"),
            "huesitos/Armature|Action", *clips(SAUSAGE, "wiggle", "spin", "deform"))),
    Reason("gltf-transform's meshopt keeps 12 bits of a translation", STEPS_WITH_MESHOPT, ("pose",), ("01_01/Motion",)),
    Reason("gltfpack writes 30 poses a second and ends a clip at the next one", GLTFPACK, ("pose", "clip_length"),
           (*clips("dragon", "walk", "fly"), *clips("octopus", "drift", "swim", "greet"), *clips("robot", "walk", "wave", "dance"),
            *clips("Fox", "Survey", "Walk", "Run"), "cesium_man/0", "MorphStressTest/TheWave", *clips("a_cubic_skin", "cubic", "cubic_sign"),
            "huesitos/Armature|Action", *clips(SAUSAGE, "wiggle", "spin", "deform"), "01_01/Motion",
            "box_animated/0", "rigged_simple/0")),
    Reason("gltfpack writes weights of morph targets as bytes from 0 to 1", GLTFPACK, ("pose",),
           (*clips("MorphStressTest", "Individuals", "Pulse"), *clips("m_morph_and_skin", "morph", "morph_cubic"))),
    Reason("Blender bakes 24 poses a second, without steps, and ends a clip at the last whole frame", ("blender",), ("pose", "clip_length"),
           (*clips("dragon", "idle", "walk", "fly"), *clips("octopus", "drift", "swim", "greet"), *clips("robot", "walk", "wave", "dance"),
            "Fox/Run", "huesitos/Armature|Action", *clips(SAUSAGE, "wiggle", "spin", "deform"),
            "01_01/Motion", "box_animated/0", "rigged_simple/0", "m_morph_and_skin/morph")),
    Reason("Blender has no cubic tangents of glTF", BLENDER, ("pose",),
           ("dragon/idle", *clips("octopus", "drift", "greet"), "robot/wave", *clips("a_cubic_skin", "cubic", "cubic_sign"),
            "m_morph_and_skin/morph_cubic", "huesitos/Armature|Action", *clips(SAUSAGE, "wiggle", "spin", "deform"))),
    Reason("Blender's normals are lost where triangles have next to no area, at the poles of eyes and snouts", BLENDER, ("mesh",),
           ("dragon", "octopus", "robot"), "normal"),
    Reason("Blender guesses another bind pose, moves the joint to it and turns it about itself", BLENDER, ("pose", "rest", "placement"),
           ("rigged_simple",)),
    Reason("Blender puts joints that no clip moves, here of fingers, where they were bound", BLENDER, ("pose", "mesh"), ("ozz_astro_max",)),
    Reason("Blender moves nodes that hang under the last joint of a skin and are none of its joints", BLENDER, ("pose",),
           ("ozz_astro_max/animation", f"{SAUSAGE}/deform")),
)
