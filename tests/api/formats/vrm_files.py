"""Humans of VRM 0 and 1, and motion for them (.vrma), as GLB files: rests that are turned, off the origin, unevenly scaled.

`vrm_files.py FOLDER` writes them all for tests in other languages."""
import json
import math
import pathlib
import struct
import sys

import numpy as np

if __name__ == "__main__":
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
from humans import ABOVE, ROLES, T, Human, HumanWriter, about, back, product, rotate

VRM_NAMES = {role: "J_" + role for role in ROLES}
TALL = {**T, "names": VRM_NAMES, "thigh": 0.5, "shin": 0.42, "upper_arm": 0.35, "lower_arm": 0.25}
SMALL = {**TALL, "thigh": 0.25, "shin": 0.31, "upper_arm": 0.2, "lower_arm": 0.22}
# file -> (version, shape, rotation of the root that the hips take back, uneven scale)
TURNED = about((1, 0.3, -0.2), 1.1)
MODELS = {
    "turned.vrm": (1, {**TALL, "odd": 0.7, "place": [0.4, 0.1, -0.3], "scale": 1.2}, TURNED, [1, 1, 1]),
    "uneven.vrm": (1, {**SMALL, "place": [-0.2, 0.05, 0.6]}, None, [1.4, 0.8, 1.1]),
    "old.vrm": (0, {**SMALL, "turn": [0, 1, 0, 0], "place": [0.1, 0, 0.2]}, None, [1, 1, 1]),
    "looking.vrm": (1, {**SMALL, "odd": 0.3}, None, [1, 1, 1]),
}
TIMES = [0.0, 0.5, 1.25, 2.0]
WEIGHTS = {"happy": [0, 1, 0.5, 0], "blink": [1, 0.25, 1, 0.5], "aa": [0.5, 0.5, 0, 1], "wink": [0, 0.75, 0.25, 1], "nobody": [0, 1, 0, 1]}
GAZE = [(0, 0), (40, -20), (-75, 30), (10, 60)]  # yaw and pitch in degrees
# morph binds of the models' expressions: name -> [(target, weight)]
BINDS = {"happy": [(0, 1)], "blink": [(1, 0.5), (2, 0.25)], "aa": [(2, 1)], "wink": [(1, 1)],
         "lookLeft": [(0, 0.5)], "lookRight": [(1, 0.5)], "lookUp": [(2, 0.5)], "lookDown": [(3, 0.5)]}
BINARY = "wink"
RANGE = {"inner": (90, 12), "outer": (60, 20), "down": (80, 15), "up": (80, 15)}
OLD_NAMES = {"happy": "joy", "blink": "blink", "aa": "a", "wink": "unknown", "lookLeft": "lookleft", "lookRight": "lookright",
             "lookUp": "lookup", "lookDown": "lookdown"}


def yaw_pitch(yaw_deg, pitch_deg):
    return product(about((0, 1, 0), math.radians(yaw_deg)), about((1, 0, 0), math.radians(pitch_deg)))


def glb(writer):
    document = {**writer.document, "buffers": [{"byteLength": len(writer.bytes)}]}
    text = json.dumps(document).encode()
    text += b" " * (-len(text) % 4)
    return (struct.pack("<4sIIII", b"glTF", 2, 28 + len(text) + len(writer.bytes), len(text), 0x4e4f534a) + text +
            struct.pack("<II", len(writer.bytes), 0x004e4942) + writer.bytes)


def edited(data, edit):
    """A GLB file with another document."""
    size, = struct.unpack_from("<I", data, 12)
    document = json.loads(data[20:20 + size])
    edit(document)
    text = json.dumps(document).encode()
    text += b" " * (-len(text) % 4)
    rest = data[20 + size:]
    return struct.pack("<4sIIII", b"glTF", 2, 20 + len(text) + len(rest), len(text), 0x4e4f534a) + text + rest


class Vrm(HumanWriter):
    def human(self, shape, turned):
        """A rig at rest. `turned`: a rotation of the root that the hips take back, so that the pose stays."""
        self.who = Human(shape)
        rig = self.who.rig()
        if turned is not None:
            hips, place = rig[VRM_NAMES["hips"]][1], rig["root"][1]
            place["rotation"] = list(product(shape["turn"], turned))
            hips["rotation"] = list(product(back(turned), hips["rotation"]))
            hips["translation"] = list(rotate(back(turned), hips["translation"]))
        for side, x in (("left", 1), ("right", -1)):
            odd = about((1, x, 0.5), shape["odd"])
            rig[side + "Eye"] = (VRM_NAMES["head"], {"translation": [0.03 * x, 0.06, 0.05], "rotation": list(odd)})
        self.rig(list(rig), rig)
        return rig

    def node(self, node):
        self.document["nodes"].append(node)
        self.document["scenes"][0]["nodes"].append(len(self.document["nodes"]) - 1)
        return len(self.document["nodes"]) - 1

    def bones(self, has_eyes=True):
        eyes = {side + "Eye": self.names.index(side + "Eye") for side in ("left", "right") if has_eyes}
        return {**{role: self.names.index(name) for role, name in VRM_NAMES.items()}, **eyes}

    def skinned(self):
        """A triangle in the space of each joint."""
        joints = [self.names.index(name) for name in VRM_NAMES.values()]
        corners = [(0, 0, 0), (0.05, 0.01, 0.1), (-0.04, 0.08, 0.02)]
        self.document["materials"] = [{"doubleSided": True, "name": "cloth"}]
        self.document["meshes"] = [{"primitives": [{"material": 0, "attributes": {
            "POSITION": self.accessor(corners * len(joints), "VEC3"),
            "JOINTS_0": self.accessor([(j, 0, 0, 0) for j in range(len(joints)) for _ in corners], "VEC4", 5121, "B"),
            "WEIGHTS_0": self.accessor([(1, 0, 0, 0)] * 3 * len(joints), "VEC4")}}]}]
        self.document["skins"] = [{"joints": joints, "inverseBindMatrices": self.accessor([list(np.eye(4).flatten())] * len(joints), "MAT4")}]
        self.node({"name": "body", "mesh": 0, "skin": 0})

    def faces(self):
        """A mesh with four morph targets, and a triangle at each eye."""
        triangle = [(0, 0, 0), (0.02, 0.01, 0.05), (-0.01, 0.02, 0.05)]
        corners = [(0, 1.7, 0.1), (0.1, 1.8, 0.1), (-0.1, 1.8, 0.12)]
        moved = [[(0.01 * (t + 1), 0, 0.02 * v) for v in range(3)] for t in range(4)]
        self.document["meshes"] += [
            {"primitives": [{"material": 0, "attributes": {"POSITION": self.accessor(corners, "VEC3")},
                             "targets": [{"POSITION": self.accessor(rows, "VEC3")} for rows in moved]}]},
            {"primitives": [{"material": 0, "attributes": {"POSITION": self.accessor(triangle, "VEC3")}}]}]
        for side in ("left", "right"):
            self.document["nodes"][self.names.index(side + "Eye")]["mesh"] = 2
        return self.node({"name": "face", "mesh": 1})


def expressions_1(face):
    made = {name: {"morphTargetBinds": [{"node": face, "index": index, "weight": weight} for index, weight in binds], "isBinary": name == BINARY}
            for name, binds in BINDS.items()}
    made["happy"].update(overrideBlink="blend", overrideMouth="block",
                         materialColorBinds=[{"material": 0, "type": "emissionColor", "targetValue": [1, 0.5, 0, 1]}],
                         textureTransformBinds=[{"material": 0, "scale": [2, 1], "offset": [0.25, 0]}])
    return {"preset": {name: one for name, one in made.items() if name != "wink"}, "custom": {"wink": made["wink"]}}


def model(name, gaze="bone"):
    version, shape, turned, uneven = MODELS[name]
    writer = Vrm()
    writer.human(shape, turned)
    writer.skinned()
    face = writer.faces()
    writer.document["nodes"][0]["scale"] = [shape["scale"] * scale for scale in uneven]
    bones = writer.bones()
    if version == 1:
        ranges = {"rangeMap" + key: {"inputMaxValue": RANGE[one][0], "outputScale": RANGE[one][1] if gaze == "bone" else RANGE[one][1] / 10}
                  for key, one in (("HorizontalInner", "inner"), ("HorizontalOuter", "outer"), ("VerticalDown", "down"), ("VerticalUp", "up"))}
        extension = {"VRMC_vrm": {
            "specVersion": "1.0", "meta": {"name": "a", "authors": ["b"], "licenseUrl": "https://vrm.dev/licenses/1.0/"},
            "humanoid": {"humanBones": {role: {"node": node} for role, node in bones.items()}},
            "expressions": expressions_1(face), "lookAt": {"type": gaze, "offsetFromHeadBone": [0, 0.06, 0.05], **ranges}}}
    else:
        ranges = {"lookAt" + key: {"curve": [0, 0, 0, 1, 1, 1, 1, 0], "xRange": RANGE[one][0], "yRange": RANGE[one][1]}
                  for key, one in (("HorizontalInner", "inner"), ("HorizontalOuter", "outer"), ("VerticalDown", "down"), ("VerticalUp", "up"))}
        groups = [{"name": "Group " + one, "presetName": OLD_NAMES[one], "isBinary": one == BINARY,
                   "binds": [{"mesh": 1, "index": index, "weight": 100 * weight} for index, weight in binds],
                   "materialValues": []} for one, binds in BINDS.items()]
        next(group for group in groups if group["presetName"] == "unknown")["name"] = "wink"
        groups[0]["materialValues"] = [{"materialName": "cloth", "propertyName": "_Color", "targetValue": [1, 0, 0, 1]},
                                       {"materialName": "cloth", "propertyName": "_MainTex_ST", "targetValue": [1, 0.5, 0, 0.25]}]
        extension = {"VRM": {
            "exporterVersion": "none", "specVersion": "0.0", "meta": {"title": "a"},
            "humanoid": {"humanBones": [{"bone": role, "node": node, "useDefaultValues": True} for role, node in bones.items()]},
            "firstPerson": {"firstPersonBone": bones["head"], "lookAtTypeName": "Bone" if gaze == "bone" else "BlendShape", **ranges},
            "blendShapeMaster": {"blendShapeGroups": groups}}}
    writer.document.update(extensions=extension, extensionsUsed=list(extension))
    return glb(writer)


def motion(shape=None, turned=None, roles=ROLES, weights=WEIGHTS, gaze=GAZE, has_bones=True):
    """A motion of all bones, the hips, some expressions and the gaze. Without bones: of expressions and the gaze."""
    writer = Vrm()
    shape = shape or {**TALL, "odd": 0.5, "place": [0.2, 0.1, 0.3]}
    rig = writer.human(shape, turned)
    channels = {}
    for i, role in enumerate(roles):
        rest = rig[VRM_NAMES[role]][1]["rotation"]
        channels[writer.names.index(VRM_NAMES[role]), "rotation"] = [
            list(product(rest, about((math.sin(i), math.cos(2 * i), 0.4), 0.5 * math.sin(3 * time + i)))) for time in TIMES]
    hips = np.array(rig[VRM_NAMES["hips"]][1]["translation"])
    channels[writer.names.index(VRM_NAMES["hips"]), "translation"] = [
        list(hips + 0.3 * np.array([math.sin(2 * time), math.sin(5 * time) / 3, time])) for time in TIMES]
    if not has_bones:
        channels.clear()
    extension = {"specVersion": "1.0", **({} if not has_bones else {"humanoid": {"humanBones": {role: {"node": node} for role, node in writer.bones(False).items()}}})}
    if weights:
        nodes = {name: writer.node({"name": name}) for name in weights}
        for name, values in weights.items():
            channels[nodes[name], "translation"] = [[value, 0.3, -0.2] for value in values]
        look = writer.node({"name": "look"})
        channels[look, "rotation"] = [list(yaw_pitch(*one)) for one in gaze]
        custom = ("wink", "nobody")
        extension["expressions"] = {"preset": {name: {"node": node} for name, node in nodes.items() if name not in custom},
                                    "custom": {name: {"node": node} for name, node in nodes.items() if name in custom}}
        extension["lookAt"] = {"node": look, "offsetFromHeadBone": [0, 0.06, 0]}
    times = writer.accessor(TIMES, "SCALAR")
    writer.document["accessors"][-1].update(min=[TIMES[0]], max=[TIMES[-1]])
    writer.document["animations"] = [{
        "name": "move",
        "samplers": [{"input": times, "output": writer.accessor(rows, "VEC4" if path == "rotation" else "VEC3")} for (_, path), rows in channels.items()],
        "channels": [{"sampler": i, "target": {"node": node, "path": path}} for i, (node, path) in enumerate(channels)]}]
    writer.document.update(extensions={"VRMC_vrm_animation": extension}, extensionsUsed=["VRMC_vrm_animation"])
    return glb(writer)


def write_all(folder):
    for name in MODELS:
        (folder / name).write_bytes(model(name, "expression" if name == "looking.vrm" else "bone"))
    (folder / "move.vrma").write_bytes(motion(turned=TURNED))
    (folder / "face.vrma").write_bytes(motion(has_bones=False))
    (folder / "bones.vrma").write_bytes(motion(turned=TURNED, weights=None))


if __name__ == "__main__":
    write_all(pathlib.Path(sys.argv[1]))
