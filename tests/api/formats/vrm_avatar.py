"""An avatar of VRM 0 or 1 that can be looked at: a body of capsules, eyes, lids, brows and a mouth of morph targets, cheeks whose colour an
expression changes, a striped shirt whose texture another one moves. Its eyes look by bones, or by expressions that move their texture.

`vrm_avatar.py FILE [VERSION [GAZE]]` writes it."""
import math
import pathlib
import sys

import numpy as np

if __name__ == "__main__":
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
from humans import ROLES, T, rotate
from small_scenes import png
from vrm_files import OLD_NAMES, VRM_NAMES, Vrm, glb

SHAPE = {**T, "names": VRM_NAMES, "place": [0.3, 0.05, -0.2], "scale": 1.1}
SKIN, SHIRT, TROUSERS, HAIR, EYE, DARK, CHEEK = range(7)
COLORS = {"skin": (0.85, 0.56, 0.4), "shirt": (1, 1, 1), "trousers": (0.03, 0.05, 0.12), "hair": (0.08, 0.03, 0.01), "eye": (0.9, 0.9, 0.9),
          "dark": (0.06, 0.01, 0.01), "cheek": (0.85, 0.56, 0.4)}
HEAD, HEAD_RADII = (0, 0.11, 0.01), (0.085, 0.115, 0.095)  # from the joint
EYES = {"left": (0.034, 0.085, 0.075), "right": (-0.034, 0.085, 0.075)}
TARGETS = ("smile", "frown", "open", "brow_angry", "brow_sad", "brow_up", "lid_left", "lid_right")
# expression -> morph binds
FACES = {"happy": {"smile": 1}, "angry": {"frown": 0.6, "brow_angry": 1}, "sad": {"frown": 1, "brow_sad": 1},
         "surprised": {"open": 0.8, "brow_up": 1}, "relaxed": {"smile": 0.5, "lid_left": 0.55, "lid_right": 0.55},
         "blink": {"lid_left": 1, "lid_right": 1}, "blinkLeft": {"lid_left": 1}, "aa": {"open": 1}, "stripes": {}}
LOOKS = {"lookLeft": (-0.16, 0), "lookRight": (0.16, 0), "lookUp": (0, 0.16), "lookDown": (0, -0.16)}  # what the eyes' texture moves by
OLD = {**OLD_NAMES, "angry": "angry", "sad": "sorrow", "relaxed": "fun", "surprised": "unknown", "stripes": "unknown", "blinkLeft": "blink_l"}
SHIRT_AT_REST = {"scale": [1, 6], "offset": [0.1, 0.2], "rotation": 0.3}


def sphere(rows=10, columns=14):
    """Directions, places in a texture, and triangles."""
    ways = [(math.sin(math.pi * r / rows) * math.cos(2 * math.pi * c / columns), math.cos(math.pi * r / rows),
             math.sin(math.pi * r / rows) * math.sin(2 * math.pi * c / columns)) for r in range(rows + 1) for c in range(columns + 1)]
    places = [(c / columns, r / rows) for r in range(rows + 1) for c in range(columns + 1)]
    corner = lambda r, c: r * (columns + 1) + c
    triangles = [corner(*one) for r in range(rows) for c in range(columns)
                 for one in ((r, c), (r, c + 1), (r + 1, c), (r, c + 1), (r + 1, c + 1), (r + 1, c))]
    return np.array(ways), places, triangles


def on_head(x, y, above=0.003):
    """A point of the face, from the joint of the head."""
    inside = 1 - (x / HEAD_RADII[0]) ** 2 - ((y - HEAD[1]) / HEAD_RADII[1]) ** 2
    return np.array([x, y, HEAD[2] + HEAD_RADII[2] * math.sqrt(max(inside, 0)) + above])


def strip(middle, thickness, steps=12):
    """Two rows of points of the face along middle(u), u from -1 to 1."""
    rows = [[on_head(x, y + sign * thick) for u in np.linspace(-1, 1, steps + 1) for (x, y), thick in [(middle(u), thickness(u))]] for sign in (1, -1)]
    return np.array(rows[0] + rows[1]), [i for s in range(steps) for i in (s, steps + 1 + s, s + 1, s + 1, steps + 1 + s, steps + 2 + s)]


def mouth(smile=0.0, frown=0.0, opened=0.0):
    wide = 0.026 + 0.01 * smile - 0.008 * opened
    return strip(lambda u: (wide * u, 0.043 + (0.018 * smile - 0.016 * frown) * u * u - 0.006 * smile + 0.006 * frown),
                 lambda u: (0.0035 + 0.018 * opened) * math.sqrt(max(1 - u * u, 0)) + 0.0005)


def brow(side, inner=0.0, outer=0.0, up=0.0):
    return strip(lambda u: (side * (0.035 + 0.02 * u), 0.122 + up + (inner * (1 - u) + outer * (1 + u)) / 2 - 0.004 * u * u), lambda u: 0.0045)


def lid(side, shut=0.0):
    """Part of a shell around the eye, above it or before it."""
    middle, steps = np.array(EYES["left" if side > 0 else "right"]), 8
    points = [middle + 0.0325 * rotate_x((math.sin(a) * 1.0, 0, math.cos(a)), up) for up in np.linspace(1.25, 0.95 - 1.35 * shut, 5)
              for a in np.linspace(-1.3, 1.3, steps + 1)]
    corner = lambda r, c: r * (steps + 1) + c
    return np.array(points), [corner(*one) for r in range(4) for c in range(steps)
                              for one in ((r, c), (r + 1, c), (r, c + 1), (r, c + 1), (r + 1, c), (r + 1, c + 1))]


def rotate_x(way, up):
    x, _, z = way
    return np.array([x, z * math.sin(up), z * math.cos(up)])


def normals_of(points, triangles):
    sums = np.zeros_like(points)
    for a, b, c in np.reshape(triangles, (-1, 3)):
        sums[[a, b, c]] += np.cross(points[b] - points[a], points[c] - points[a])
    return sums / np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), 1e-12)


class Avatar(Vrm):
    def __init__(self):
        super().__init__()
        self.human(SHAPE, None)
        for side, place in EYES.items():
            self.document["nodes"][self.names.index(side + "Eye")]["translation"] = list(place)
            self.document["nodes"][self.names.index(side + "Eye")]["rotation"] = [0, 0, 0, 1]
        self.joints = [*ROLES, "leftEye", "rightEye"]
        head = self.who.places["head"]
        self.at = {**self.who.places, **{side + "Eye": head + place for side, place in EYES.items()}}
        self.document["materials"] = [{"name": name, "pbrMetallicRoughness": {"baseColorFactor": [*color, 1], "metallicFactor": 0, "roughnessFactor": 0.8},
                                       "doubleSided": True} for name, color in COLORS.items()]

    def primitive(self, material, joint, points, normals, triangles, places=None, targets=None):
        number = self.joints.index(joint)
        rows = lambda array: [tuple(map(float, row)) for row in array]
        index = self.accessor(triangles, "SCALAR", 5125, "I")
        made = {"material": material, "indices": index, "attributes": {
            "POSITION": self.accessor(rows(points), "VEC3"), "NORMAL": self.accessor(rows(normals), "VEC3"),
            "JOINTS_0": self.accessor([(number, 0, 0, 0)] * len(points), "VEC4", 5121, "B"), "WEIGHTS_0": self.accessor([(1, 0, 0, 0)] * len(points), "VEC4")}}
        if places is not None:
            made["attributes"]["TEXCOORD_0"] = self.accessor(rows(places), "VEC2")
        if targets is not None:
            made["targets"] = [{"POSITION": self.accessor(rows(one), "VEC3")} for one in targets]
        return made

    def capsule(self, material, joint, start, end, radii):
        ways, places, triangles = sphere()
        start, end, radii = np.array(start), np.array(end), np.array(radii)
        points = ways * radii + np.where((ways @ (end - start) > 0)[:, None], end, start)
        normals = ways / radii
        return self.primitive(material, joint, points, normals / np.linalg.norm(normals, axis=1, keepdims=True), triangles, places)

    def body(self):
        at = self.at
        parts = [self.capsule(TROUSERS, "hips", at["hips"] - (0.06, 0.03, 0), at["hips"] + (0.06, -0.03, 0), (0.09, 0.09, 0.09)),
                 self.capsule(SHIRT, "spine", at["spine"] - (0, 0.04, 0), at["spine"] + (0, 0.3, 0), (0.15, 0.12, 0.1)),
                 self.capsule(SKIN, "neck", at["neck"] - (0, 0.04, 0), at["head"], (0.045, 0.04, 0.045)),
                 self.capsule(SKIN, "head", at["head"] + HEAD, at["head"] + HEAD, HEAD_RADII),
                 self.capsule(HAIR, "head", at["head"] + (0, 0.145, -0.025), at["head"] + (0, 0.12, -0.03), (0.092, 0.092, 0.086))]
        for side in ("left", "right"):
            for start, end, radius, material in (("UpperLeg", "LowerLeg", 0.07, TROUSERS), ("LowerLeg", "Foot", 0.055, TROUSERS), ("Foot", "Toes", 0.04, HAIR),
                                                 ("UpperArm", "LowerArm", 0.05, SHIRT), ("LowerArm", "Hand", 0.038, SKIN)):
                parts.append(self.capsule(material, side + start, at[side + start], at[side + end], (radius,) * 3))
            sign = 1 if side == "left" else -1
            parts.append(self.capsule(SKIN, side + "Hand", at[side + "Hand"] + (0.02 * sign, 0, 0), at[side + "Hand"] + (0.07 * sign, 0, 0), (0.04, 0.025, 0.035)))
        return parts

    def eyes(self, gaze):
        """Balls with a dark cap, or balls that a texture of it covers from the front."""
        ways, _, triangles = sphere()
        parts = []
        for joint in ("leftEye", "rightEye"):
            parts.append(self.primitive(EYE, joint, self.at[joint] + 0.03 * ways, ways, triangles, 0.5 + 0.5 * ways[:, :2] * (1, -1)))
            if gaze == "bone":
                cap = np.array([rotate_cap(way) for way in ways])
                parts.append(self.primitive(DARK, joint, self.at[joint] + 0.0306 * cap, cap, triangles))
        return parts

    def face(self):
        at, zero = self.at["head"], np.array([0, 0, 0])
        parts = []
        for material, make, moves in (
                (DARK, mouth, {"smile": {"smile": 1}, "frown": {"frown": 1}, "open": {"opened": 1}}),
                *[(HAIR, lambda *_, side=side, **how: brow(side, **how),
                   {"brow_angry": {"inner": -0.014, "outer": 0.008}, "brow_sad": {"inner": 0.012, "outer": -0.01}, "brow_up": {"up": 0.018}}) for side in (1, -1)],
                (SKIN, lambda **how: lid(1, **how), {"lid_left": {"shut": 1}}), (SKIN, lambda **how: lid(-1, **how), {"lid_right": {"shut": 1}})):
            points, triangles = make()
            targets = [make(**moves[one])[0] - points if one in moves else np.zeros_like(points) for one in TARGETS]
            parts.append(self.primitive(material, "head", at + points, normals_of(points, triangles), triangles, None, targets))
        for side in (1, -1):
            points, triangles = strip(lambda u: (side * 0.054 + 0.013 * u, 0.058), lambda u: 0.011 * math.sqrt(max(1 - u * u, 0)))
            parts.append(self.primitive(CHEEK, "head", at + points, normals_of(points, triangles), triangles, None, [np.zeros_like(points)] * len(TARGETS)))
        return parts

    def picture(self, colors):
        data = png(colors)
        self.document["bufferViews"].append({"buffer": 0, "byteOffset": len(self.bytes), "byteLength": len(data)})
        self.bytes += data + b"\0" * (-len(data) % 4)
        self.document.setdefault("images", []).append({"bufferView": len(self.document["bufferViews"]) - 1, "mimeType": "image/png"})
        self.document.setdefault("textures", []).append({"source": len(self.document["images"]) - 1})
        return len(self.document["textures"]) - 1

    def textures(self, gaze):
        materials = self.document["materials"]
        stripes = [[(200, 60, 50)] * 2] * 2 + [[(240, 235, 220)] * 2] * 2
        materials[SHIRT]["pbrMetallicRoughness"]["baseColorTexture"] = {
            "index": self.picture(stripes), "extensions": {"KHR_texture_transform": SHIRT_AT_REST}}
        if gaze == "expression":
            size, middle = 32, 15.5
            iris = [[(20, 10, 10) if math.hypot(x - middle, y - middle) < 6 else (255, 255, 255) for x in range(size)] for y in range(size)]
            materials[EYE]["pbrMetallicRoughness"]["baseColorTexture"] = {"index": self.picture(iris)}


def rotate_cap(way):
    """Bends a sphere to a cap of 28 degrees about z."""
    angle = math.acos(max(-1, min(1, way[2]))) * 28 / 180
    level = math.hypot(way[0], way[1])
    return np.array([way[0] / level * math.sin(angle), way[1] / level * math.sin(angle), math.cos(angle)] if level > 1e-9 else [0, 0, math.cos(angle)])


def expressions_1(face, gaze):
    made = {name: {"morphTargetBinds": [{"node": face, "index": TARGETS.index(target), "weight": weight} for target, weight in moves.items()]}
            for name, moves in FACES.items()}
    made["happy"].update(materialColorBinds=[{"material": CHEEK, "type": "color", "targetValue": [0.9, 0.12, 0.15, 1]}], overrideMouth="block")
    made["angry"].update(materialColorBinds=[{"material": CHEEK, "type": "emissionColor", "targetValue": [0.3, 0, 0, 1]},
                                             {"material": CHEEK, "type": "color", "targetValue": [0.5, 0, 0, 0.5]}], overrideBlink="blend", isBinary=True)
    made["stripes"]["textureTransformBinds"] = [{"material": SHIRT, "scale": [2, 3], "offset": [0.25, -0.5]}]
    if gaze == "expression":
        made.update({name: {"textureTransformBinds": [{"material": EYE, "scale": [1, 1], "offset": list(offset)}]} for name, offset in LOOKS.items()})
    return {"preset": {name: one for name, one in made.items() if name != "stripes"}, "custom": {"stripes": made["stripes"]}}


def groups_0(gaze):
    values = {"happy": [{"materialName": "cheek", "propertyName": "_Color", "targetValue": [0.9, 0.12, 0.15, 1]}],
              "angry": [{"materialName": "cheek", "propertyName": "_EmissionColor", "targetValue": [0.3, 0, 0, 1]}],
              "stripes": [{"materialName": "shirt", "propertyName": "_MainTex_ST", "targetValue": [2, 3, 0.25, -1.5]}]}
    looks = {} if gaze == "bone" else LOOKS
    return [*({"name": name, "presetName": OLD[name], "isBinary": name == "angry", "materialValues": values.get(name, []),
               "binds": [{"mesh": 1, "index": TARGETS.index(target), "weight": 100 * weight} for target, weight in moves.items()]} for name, moves in FACES.items()),
            *({"name": name, "presetName": OLD[name], "binds": [], "materialValues": [
                {"materialName": "eye", "propertyName": "_MainTex_ST", "targetValue": [1, 1, x, -y]}]} for name, (x, y) in looks.items())]


def avatar(version=1, gaze="bone"):
    """The bytes of a GLB file."""
    writer = Avatar()
    writer.textures(gaze)
    binds = [np.eye(4) for _ in writer.joints]
    for bind, joint in zip(binds, writer.joints):
        bind[3, :3] = -writer.at[joint]
    writer.document["meshes"] = [{"primitives": writer.body() + writer.eyes(gaze)},
                                 {"primitives": writer.face(), "extras": {"targetNames": list(TARGETS)}, "weights": [0] * len(TARGETS)}]
    writer.document["skins"] = [{"joints": [writer.names.index(VRM_NAMES.get(joint, joint)) for joint in writer.joints],
                                 "inverseBindMatrices": writer.accessor([list(map(float, bind.flatten())) for bind in binds], "MAT4")}]
    writer.node({"name": "body", "mesh": 0, "skin": 0})
    face = writer.node({"name": "face", "mesh": 1, "skin": 0})
    if version == 0:
        writer.document["nodes"][0]["rotation"] = [0, 1, 0, 0]  # VRM 0 looks along -z
    bones = writer.bones()
    most = {"bone": 30, "expression": 1}[gaze]
    if version == 1:
        ranges = {"rangeMap" + key: {"inputMaxValue": 60, "outputScale": most} for key in ("HorizontalInner", "HorizontalOuter", "VerticalDown", "VerticalUp")}
        extension = {"VRMC_vrm": {
            "specVersion": "1.0", "meta": {"name": "Ann", "authors": ["posed"], "licenseUrl": "https://vrm.dev/licenses/1.0/"},
            "humanoid": {"humanBones": {role: {"node": node} for role, node in bones.items()}}, "expressions": expressions_1(face, gaze),
            "lookAt": {"type": gaze, "offsetFromHeadBone": [0, 0.085, 0.075], **ranges}}}
    else:
        ranges = {"lookAt" + key: {"curve": [0, 0, 0, 1, 1, 1, 1, 0], "xRange": 60, "yRange": most}
                  for key in ("HorizontalInner", "HorizontalOuter", "VerticalDown", "VerticalUp")}
        extension = {"VRM": {
            "exporterVersion": "none", "specVersion": "0.0", "meta": {"title": "Ann"},
            "humanoid": {"humanBones": [{"bone": role, "node": node, "useDefaultValues": True} for role, node in bones.items()]},
            "firstPerson": {"firstPersonBone": bones["head"], "firstPersonBoneOffset": {"x": 0, "y": 0.085, "z": -0.075},
                            "lookAtTypeName": "Bone" if gaze == "bone" else "BlendShape", **ranges},
            "blendShapeMaster": {"blendShapeGroups": groups_0(gaze)}}}
    writer.document.update(extensions=extension, extensionsUsed=[*extension, "KHR_texture_transform"])
    return glb(writer)


def write_all(folder):
    for version in (0, 1):
        for gaze in ("bone", "expression"):
            (folder / f"ann{version}_{gaze}.vrm").write_bytes(avatar(version, gaze))


if __name__ == "__main__":
    path = pathlib.Path(sys.argv[1])
    if path.is_dir():
        write_all(path)
    else:
        path.write_bytes(avatar(int((sys.argv[2:] or [1])[0]), (sys.argv[3:] or ["bone"])[0]))
