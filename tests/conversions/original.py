"""The answers of a running posed about a model: its clips, its poses at times, and its GLB file."""
import urllib.parse
from dataclasses import dataclass


@dataclass
class Poses:
    """Moments of one clip. A matrix is 16 numbers in columns, in scene space."""

    names: list     # of the nodes
    parents: list   # of the nodes: an index, or -1
    joints: list    # of the skins: the node of each joint
    frames: list    # (matrices of the nodes, of each skin the matrices of its joints, of each drawn mesh the corners of its box)
    size: float     # the largest coordinate of a node or a vertex


def clips_of(server, model):
    """The model's clips, or None if posed cannot read it."""
    answer = server.get("/v1/model?" + urllib.parse.urlencode({"model": model}))
    return answer.json()["clips"] if answer.status == 200 else None


def export(server, model, **query):
    """(bytes, None) of the GLB file, or (None, the error of the answer)."""
    answer = server.get("/v1/export?" + urllib.parse.urlencode({"model": model, "format": "glb", **query}, doseq=True))
    return (answer.body, None) if answer.status == 200 else (None, answer.json()["error"])


def poses(server, model, clip, times, **query):
    """clip: its index, or None at rest. Further parameters say where the clip is from."""
    query = {"model": model, "clip": "-" if clip is None else clip, "wrap": "clamp", "t": [repr(t) for t in times], **query}
    pose, palette, bounds = (server.json("/v1/" + what, **query) for what in ("pose", "palette", "bounds"))
    frames = [(a["scene"], b["palettes"], [box["min"] + box["max"] for box in c["meshes"] if box])
              for a, b, c in zip(pose["frames"], palette["frames"], bounds["frames"])]
    coordinates = [abs(x) for nodes, _, boxes in frames for row in [m[12:15] for m in nodes] + boxes for x in row]
    return Poses([node["name"] for node in pose["nodes"]], [node["parent"] for node in pose["nodes"]],
                 [[joint["node"] for joint in skin["joints"]] for skin in palette["skins"]], frames, max([1e-3, *coordinates]))


def find_nodes(one, other):
    """Return the matching node of `other` for each node of `one`, or -1. If the other has the same nodes followed by more (some of which may
    be between two of them in the tree), the index is the same. Else the node has the same name below the same nodes."""
    if one.names == other.names[:len(one.names)]:
        return list(range(len(one.names)))
    known, found = {}, {}
    for node in sorted(range(len(other.names)), key=lambda n: depth(other.parents, n)):
        known.setdefault((other.parents[node], other.names[node] or None), []).append(node)
    for node in sorted(range(len(one.names)), key=lambda n: depth(one.parents, n)):
        parent = one.parents[node]
        left = known.get((found[parent] if parent >= 0 else -1, one.names[node] or None))
        found[node] = left.pop(0) if left else -1
    return [found[node] for node in range(len(one.names))]


def depth(parents, node):
    count = 0
    while parents[node] >= 0:
        node, count = parents[node], count + 1
    return count


def worst(size, pairs):
    """(the greatest difference of two rows of numbers relative to the size, and their description); pairs: (description, one row, the
    other, and the allowed difference)."""
    found = (0.0, "")
    for what, one, other, *free in pairs:
        scale = max(size, *map(abs, one))  # of a palette that scales: float32 has no more digits
        error = max(abs(x - y) for x, y in zip(one, other, strict=True)) / scale - (free[0] if free else 0.0)
        if not error <= found[0]:  # also if it is NaN
            found = (error, what)
    return found


def rows_of(poses, place, times):
    """{description and time: numbers} of all in Poses. place: for each node, its index in the other file."""
    found = {}
    for t, (nodes, palettes, boxes) in zip(times, poses.frames, strict=True):
        found.update({("node", place[n], t): row for n, row in enumerate(nodes)})
        found.update({("skin", s, j, t): row for s, skin in enumerate(palettes) for j, row in enumerate(skin)})
        found.update({("box", b, t): row for b, row in enumerate(boxes)})
    return found


def difference(one, other, times, free=None):
    """The greatest difference between two series of Poses at the same times, of the same model in two files. free: for each time, the
    allowed difference. ValueError if they do not correspond."""
    place = find_nodes(one, other)
    if -1 in place:
        raise ValueError(f"node '{one.names[place.index(-1)]}' is not in the other file")
    if [[place[n] for n in skin] for skin in one.joints] != other.joints:
        raise ValueError("the skins have other joints")
    rows, rows_2 = rows_of(one, place, times), rows_of(other, range(len(other.names)), times)
    lost = [key for key in rows if key not in rows_2]
    if lost:
        raise ValueError(f"{lost[0]} is not in the other file")
    return worst(one.size, [(f"{key[:-1]} at {key[-1]!r} s", row, rows_2[key], (free or {}).get(key[-1], 0.0)) for key, row in rows.items()])
