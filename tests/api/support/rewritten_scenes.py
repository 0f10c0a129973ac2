"""Models that other tools rewrite without changing a pose. Keys are LINEAR or STEP, because Blender has no cubic tangents of glTF. No joint
is scaled at rest, because Blender's bones cannot be."""
import random

import small_scenes
from small_scenes import about


def arm():
    """The smallest: three joints, a strip of triangles, a clip, on a rotated root off the origin."""
    nodes = {"root": {"parent": None, "translation": [5, -1, 2], "rotation": about([1, 1, 0], 40)},
             "shoulder": {"parent": "root", "translation": [0.5, 0, 0]},
             "elbow": {"parent": "shoulder", "translation": [0, 1, 0], "rotation": about([1, 0, 0], 20)},
             "wrist": {"parent": "elbow", "translation": [0, 0.8, 0]}, "sleeve": {"parent": None}}
    joints = ["shoulder", "elbow", "wrist"]
    scene = {"nodes": nodes, "skin": dict.fromkeys(joints), "materials": {"cloth": {
        "doubleSided": True, "pbrMetallicRoughness": {"baseColorFactor": [0.2, 0.4, 0.8, 1], "metallicFactor": 0, "roughnessFactor": 0.5}}}}
    at_rest = small_scenes.rest_matrices(scene)
    place = lambda joint, x: [at_rest[joint][r][3] + x * at_rest[joint][r][0] for r in range(3)]
    positions = [place(joint, x) for joint in joints for x in (-0.2, 0.2)]
    weights = [row for i, joint in enumerate(joints) for row in [{joint: 0.75, joints[i - 1]: 0.25} if i else {joint: 1.0}] * 2]
    scene["meshes"] = {"sleeve": [{"positions": positions, "weights": weights, "material": "cloth",
                                   "triangles": [[0, 1, 2], [1, 3, 2], [2, 3, 4], [3, 5, 4]]}]}
    scene["clips"] = {"bend": {
        ("elbow", "rotation"): ("LINEAR", [0.0, 0.5, 1.0], small_scenes.swing([1, 0, 0], 20, 100, 20)),
        ("wrist", "rotation"): ("STEP", [0.0, 0.25, 0.75], small_scenes.swing([0, 0, 1], 0, 45, -45)),
        ("shoulder", "translation"): ("LINEAR", [0.0, 1.0], [[0.5, 0, 0], [0.5, 0, 0.5]])}}
    return small_scenes.bound(scene)


def bare():
    """Without a material: three.js writes one with the defaults of glTF."""
    scene = arm()
    del scene["materials"], scene["meshes"]["sleeve"][0]["material"]
    return scene


def hero(root=None):
    scene = small_scenes.hero(root, (1, 1, 1))
    del scene["clips"]["wave"]
    return scene


def creature(seed):
    """A tree of up to 20 joints with a box around each, random rotations, sizes from a hundredth to a hundred, two clips and morph targets.
    """
    rng = random.Random(seed)
    size = 10 ** rng.uniform(-2, 2)
    vector = lambda scale: [rng.uniform(-scale, scale) for _ in range(3)]
    turn = lambda degrees: about(vector(1), rng.uniform(-degrees, degrees))
    nodes = {"top": {"parent": None, "translation": vector(5 * size), "rotation": turn(180), "scale": [rng.uniform(0.5, 2)] * 3}}
    joints = [f"joint_{i}" for i in range(rng.randint(3, 20))]
    for i, joint in enumerate(joints):
        nodes[joint] = {"parent": rng.choice(joints[max(0, i - 3):i] or ["top"]), "translation": vector(size), "rotation": turn(90)}
    nodes["skin_of_all"] = {"parent": None}
    scene = {"nodes": nodes, "skin": dict.fromkeys(joints), "materials": {
        name: {"pbrMetallicRoughness": {"baseColorFactor": [rng.random(), rng.random(), rng.random(), 1], "metallicFactor": rng.random(),
                                        "roughnessFactor": rng.random()}} for name in ("one", "other")}}
    at_rest = small_scenes.rest_matrices(scene)
    part = {"positions": [], "triangles": [], "weights": [], "material": rng.choice(["one", "other"])}
    for joint in joints:
        positions, triangles = small_scenes.box([at_rest[joint][r][3] for r in range(3)], [size * rng.uniform(0.05, 0.3) for _ in range(3)])
        part["triangles"] += [[len(part["positions"]) + i for i in t] for t in triangles]
        part["positions"] += positions
        above = nodes[joint]["parent"]
        share = rng.choice([0, 0.25, 0.5]) if above in joints else 0
        part["weights"] += [{joint: 1 - share, **({above: share} if share else {})}] * len(positions)
    part["targets"] = {"wide": [vector(0.1 * size) for _ in part["positions"]]}
    scene["meshes"] = {"skin_of_all": [part]}
    scene["clips"] = {name: clip(rng, nodes, joints, size) for name in ("first", "second")}
    times = [0.0, rng.uniform(0.1, 0.9), 1.0]
    scene["clips"]["second"]["skin_of_all", "weights"] = ("LINEAR", times, [[0], [rng.uniform(0.5, 1)], [0]])
    return small_scenes.bound(scene)


def clip(rng, nodes, joints, size):
    channels = {}
    for joint in rng.sample(joints, max(2, len(joints) // 2)):
        times = sorted({0.0, *(rng.randint(1, 48) / 24 for _ in range(rng.randint(1, 6)))})
        channels[joint, "rotation"] = (rng.choice(["LINEAR", "LINEAR", "STEP"]), times,
                                       [about([rng.uniform(-1, 1) for _ in range(3)], rng.uniform(-120, 120)) for _ in times])
        if rng.random() < 0.4:
            channels[joint, "translation"] = ("LINEAR", times, [[x + rng.uniform(-0.3, 0.3) * size for x in nodes[joint]["translation"]] for _ in times])
    return channels


SCENES = {
    "arm": arm,
    "bare": bare,
    "crane": small_scenes.crane,
    "hero": lambda: hero({"translation": [5, -1, 2], "rotation": [0, 0, 0.6, 0.8]}),
    "uneven_hero": hero,
    **{f"creature_{seed}": lambda seed=seed: creature(seed) for seed in range(6)},
}
