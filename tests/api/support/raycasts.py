"""Binary raycasts, written only from protocol/raycast.def and protocol/crowd.def."""
import math
import struct

NONE = 0xFFFFFFFF
WORDS = {"fit": ["capsule", "box", "sphere"], "test": ["volumes", "mesh"], "hits": ["nearest", "all"]}
IDENTITY = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]


def rows(world):
    """The upper three rows of a matrix given column by column."""
    return [world[4 * c + r] for r in range(3) for c in range(4)]


def crowd(poses, models):
    """poses: (model's index, [(clip, seconds, weight[, clip_model])], world); models: (path, handle)."""
    entities, layers, worlds = [], [], []
    for model, clips, world in poses:
        entities.append(struct.pack("<HHIHBBiQ", model, 0, len(layers), len(clips), 0, 0, len(worlds), 0))
        layers += [struct.pack("<iiddBBHid", clip, -1, seconds, weight, 0, 0, *(file or [0]), 0, 0) for clip, seconds, weight, *file in clips]
        worlds.append(struct.pack("<12d", *rows(world)))
    paths = b"".join(path.encode() for path, handle in models if not handle)
    files = [struct.pack("<IIQ32s", handle, 0 if handle else len(path.encode()), 0, b"") for path, handle in models]
    wanted, item = struct.pack("<HHiII", 1, 0, 0, 0, 1), struct.pack("<I", 0)  # a raycast ignores it
    lists = b"".join([*entities, *layers, *worlds, *files, wanted, item, paths])
    head = struct.pack("<4sHHIIIIIIIIII16s", b"PSDC", 1, 0, 64 + len(lists), len(entities), len(layers), len(worlds),
                       len(files), 0, 0, 1, 1, len(paths), b"")
    return head + lists


def raycast(entities, rays, models, **words):
    """entities: {"model": index, "layers": [(clip, seconds, weight)], "world": .., "end": {..}, "mask": ..}; rays as in JSON."""
    poses, targets = [], []
    for entity in entities:
        first = len(poses)
        poses.append((entity["model"], entity["layers"], entity.get("world", IDENTITY)))
        if "end" in entity:
            end = entity["end"]
            poses.append((entity["model"], end.get("layers", entity["layers"]), end.get("world", poses[first][2])))
        targets.append(struct.pack("<IiII", first, first + 1 if "end" in entity else -1, entity.get("mask", NONE), 0))
    return of_crowd(crowd(poses, models), targets, rays, **words)


def of_crowd(scene, targets, rays, **words):
    """scene: the bytes of a crowd; targets: their records."""
    lines = [struct.pack("<9d2I", *ray["origin"], *ray["direction"], ray.get("max", math.inf), ray.get("radius", 0),
                         ray.get("at", 0), ray.get("mask", NONE), ray.get("ignore", NONE)) for ray in rays]
    body = b"".join([*targets, *lines, scene])
    word = {name: WORDS[name].index(words.get(name, WORDS[name][0])) for name in WORDS}
    return struct.pack("<4sHHIIIIBBBB36s", b"PSDR", 1, 0, 64 + len(body), len(targets), len(lines), len(scene),
                       word["fit"], word["test"], word["hits"], 0, b"") + body


def read_hits(data):
    magic, version, reserved, entities, rays, count, test, size = struct.unpack_from("<4sHHIIIIQ", data)
    assert (magic, version, reserved, size) == (b"PSDH", 1, 0, len(data)) and len(data) == 32 + 64 * count
    hits = []
    for h in range(count):
        ray, entity, node, part, triangle, flags, *floats = struct.unpack_from("<6I10f", data, 32 + 64 * h)
        hits.append({"ray": ray, "entity": entity, "node": node, "part": part, "triangle": triangle, "inside": flags == 1,
                     "distance": floats[0], "point": floats[1:4], "normal": floats[4:7], "barycentric": floats[7:]})
    return {"entities": entities, "rays": rays, "test": WORDS["test"][test & 255], "hits": hits}
