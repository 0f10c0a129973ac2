"""Models whose layers are exported, and how far the clip of such a file is from the layers: for test_export_layers.py and
test_export_layers_rules.py."""
import base64
import json
import math
import shutil
import struct
import sys

from conftest import REPOSITORY, SAMPLES
from raw_requests import post
from round_trip import Glb

sys.path[:0] = [str(REPOSITORY / "tests" / "api" / folder) for folder in ("answers", "formats")] + [str(REPOSITORY / "tests" / "oracle")]
import constraint_files  # noqa: E402
import random_fbx  # noqa: E402
import vrm_avatar  # noqa: E402
import vrm_files  # noqa: E402
from given_mixtures import CLIPS, RIG, faced  # noqa: E402
from rigs import moves  # noqa: E402
from humans import A, T, Human  # noqa: E402
from test_export import strange  # noqa: E402

TOLERANCE = 1e-6  # of the size: transforms are rounded to floats
FBX_SEEDS = range(8)
RUN = {"run": {**CLIPS["walk"], ("root", "translation"): [[5, -1, 2], [9, -1, 2]]}}


def glowing(avatar):
    """The avatar with an expression that shines brighter than 1."""
    def edit(document):
        for bind in document["extensions"].get("VRMC_vrm", {}).get("expressions", {}).get("preset", {}).get("angry", {}).get("materialColorBinds", []):
            bind["targetValue"][:2] = [3, 1] if bind["type"] == "emissionColor" else bind["targetValue"][:2]
    return vrm_files.edited(avatar, edit)


def fill(folder):
    for name in ("robot.glb", "octopus.glb"):
        shutil.copy(SAMPLES / name, folder)
    (folder / "faced.glb").write_bytes(faced())
    (folder / "hero.gltf").write_text(Human(A).write(), encoding="utf-8")
    (folder / "walker.gltf").write_text(Human({**T, "thigh": 0.3, "scale": 2, "place": [5, 1, -3]}).write(has_walk=True), encoding="utf-8")
    (folder / "strange.gltf").write_text(strange().text(), encoding="utf-8")
    (folder / "shown.gltf").write_text(shown(), encoding="utf-8")
    (folder / "run.gltf").write_text(moves(RUN, list(RIG), RIG), encoding="utf-8")
    (folder / "constrained.glb").write_bytes(constraint_files.glb(constraint_files.many().document()))
    for seed in FBX_SEEDS:
        (folder / f"fbx_{seed}.fbx").write_text(random_fbx.make(seed), encoding="utf-8")
    for name in ("uneven.vrm", "looking.vrm"):
        (folder / name).write_bytes(vrm_files.model(name))
    for version in (0, 1):
        for gaze in ("bone", "expression"):
            (folder / f"avatar_{version}_{gaze}.vrm").write_bytes(glowing(vrm_avatar.avatar(version, gaze)))


def shown():
    """A turned triangle below a scaled node off the origin. A clip turns it, hides it and changes its colour."""
    numbers = {"points": ("VEC3", [0, 0, 0, 1, 0, 0, 0, 1, 0]), "times": ("SCALAR", [0, 0.5, 1]), "flags": ("SCALAR", [1, 0, 1]),
               "turns": ("VEC4", [0, 0, 0, 1, 0, 0, 0.6, 0.8, 0.6, 0, 0, 0.8]), "colors": ("VEC4", [1, 0, 0, 1, 0, 1, 0, 1, 0, 0.5, 1, 0.5])}
    data, views, accessors, places = b"", [], [], {}
    for name, (kind, values) in numbers.items():
        packed = bytes(values) + b"\0" if name == "flags" else struct.pack(f"<{len(values)}f", *values)
        views.append({"buffer": 0, "byteOffset": len(data), "byteLength": len(packed)})
        more = {"min": [0, 0, 0], "max": [1, 1, 0]} if name == "points" else {"min": [0], "max": [1]} if name == "times" else {}
        accessors.append({"bufferView": len(places), "componentType": 5121 if name == "flags" else 5126, "count": 3, "type": kind, **more})
        places[name] = len(places)
        data += packed
    pointer = lambda text: {"path": "pointer", "extensions": {"KHR_animation_pointer": {"pointer": text}}}
    channels = [("turns", {"node": 1, "path": "rotation"}), ("flags", pointer("/nodes/1/extensions/KHR_node_visibility/visible")),
                ("colors", pointer("/materials/0/pbrMetallicRoughness/baseColorFactor"))]
    return json.dumps({
        "asset": {"version": "2.0"}, "extensionsUsed": ["KHR_animation_pointer", "KHR_node_visibility"], "scene": 0, "scenes": [{"nodes": [0]}],
        "nodes": [{"children": [1], "translation": [3, -2, 5], "rotation": [0, 0.6, 0, 0.8], "scale": [2, 0.5, 1]}, {"mesh": 0}],
        "materials": [{"name": "skin", "alphaMode": "BLEND", "pbrMetallicRoughness": {"baseColorFactor": [1, 0, 0, 1]}}], "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "material": 0}]}],
        "animations": [{"name": "shown", "extras": {"mood": "odd"}, "channels": [{"sampler": i, "target": target} for i, (_, target) in enumerate(channels)],
                        "samplers": [{"input": places["times"], "output": places[name], "interpolation": "STEP" if name == "flags" else "LINEAR"}
                                     for name, _ in channels]}],
        "accessors": accessors, "bufferViews": views,
        "buffers": [{"byteLength": len(data), "uri": "data:application/octet-stream;base64," + base64.b64encode(data).decode()}]})


def export(server, model, layers, **more):
    answer = post(server, "/v1/export", {"model": model, "layers": layers, **more})
    assert answer.status == 200, (answer.body, json.dumps(layers))
    return answer.body, Glb(answer.body)


def codes(glb):
    return [warning["code"] for warning in glb.json["asset"]["extras"]["warnings"]]


def share_off(glb):
    return max((one["share_of_size"] for one in glb.json["asset"]["extras"]["approximations"]), default=0)


def asked(server, path, body):
    answer = post(server, path, body)
    assert answer.status == 200, (answer.body, body)
    return answer.json()


def flat(rows):
    return [x for row in rows for x in (flat(row) if isinstance(row, list) else [row])]


def error_of(got, expected, size):
    got, expected = flat(got), flat(expected)
    assert len(got) == len(expected) and all(map(math.isfinite, got))
    return max((abs(a - b) for a, b in zip(got, expected)), default=0) / size


def largest(numbers):
    return max((abs(x) for x in flat(numbers)), default=0)


def compare(server, model, file, times, layers, **on_top):
    """The scene matrices and vertices of the file's clip at these times against those of the layers, as shares of the size."""
    count = len(server.json("/v1/model", model=model)["nodes"])
    worst = 0
    for i in range(0, len(times), 40):
        some = times[i:i + 40]
        for path, values in (("/v1/pose", lambda frame: frame["scene"][:count]), ("/v1/mesh", lambda frame: frame["positions"])):
            if path == "/v1/mesh" and not server.json("/v1/model", model=model)["meshes"]:
                continue
            wanted = asked(server, path, {"model": model, "t": some, **on_top, **({"layers": layers} if layers is not None else {})})
            found = asked(server, path, {"model": file, "t": some, "clip": 0, "wrap": "clamp"})
            for one, other in zip(wanted["frames"], found["frames"], strict=True):
                worst = max(worst, error_of(values(other), values(one), max(largest(values(one)), 1e-6)))
    return worst


def materials(server, body):
    """The numbers of the materials of a posed mesh, with transforms of their textures as matrices."""
    answer = post(server, "/v1/mesh", {**body, "format": "glb"})
    assert answer.status == 200, answer.body
    found = {}
    for material in Glb(answer.body).json["materials"]:
        surface = material["pbrMetallicRoughness"]
        strength = material.get("extensions", {}).get("KHR_materials_emissive_strength", {}).get("emissiveStrength", 1)
        numbers = surface.get("baseColorFactor", [1] * 4) + [strength * x for x in material.get("emissiveFactor", [0] * 3)]
        for use in (surface.get("baseColorTexture"), material.get("emissiveTexture")):
            moved = (use or {}).get("extensions", {}).get("KHR_texture_transform", {})
            (x, y), turn = moved.get("scale", [1, 1]), moved.get("rotation", 0)
            numbers += moved.get("offset", [0, 0]) + [math.cos(turn) * x, math.sin(turn) * y, -math.sin(turn) * x, math.cos(turn) * y]
        found[material["name"]] = numbers
    return found
