"""Edits of a glb_file.Editor: each function returns one. Nodes are given by name, or by index; clips too."""
import io
import math

from PIL import Image

from small_scenes import about


def node_of(file, name):
    """The index of a node by its name, or the index itself."""
    return name if isinstance(name, int) else [node.get("name") for node in file.document["nodes"]].index(name)


def clip_of(file, name):
    clips = file.document["animations"]
    return clips[name] if isinstance(name, int) else next(clip for clip in clips if clip["name"] == name)


def edit_keys(clip, node, path, edit):
    """edit(times, values, tangents) returns the new ones; values and tangents: a row a key, tangents: (in, out) or None."""
    def change(file):
        one = clip_of(file, clip)
        channel = next(c for c in one["channels"] if (c["target"]["node"], c["target"]["path"]) == (node_of(file, node), path))
        sampler = dict(one["samplers"][channel["sampler"]])
        times = [t for t, in file.rows(sampler["input"])]
        rows = file.rows(sampler["output"])
        width = len(rows) * len(rows[0]) // len(times)
        numbers = [x for row in rows for x in row]
        parts = [numbers[i:i + width] for i in range(0, len(numbers), width)]
        if sampler.get("interpolation") == "CUBICSPLINE":
            size = width // 3
            keys = [[part[:size], part[size:2 * size], part[2 * size:]] for part in parts]
        else:
            keys = [[None, part, None] for part in parts]
        times, keys = edit(times, keys)
        flat = [x for key in keys for part in key if part for x in part]
        wide = len(rows[0])
        sampler["input"] = file.add_rows(sampler["input"], [[t] for t in times])
        sampler["output"] = file.add_rows(sampler["output"], [flat[i:i + wide] for i in range(0, len(flat), wide)])
        one["samplers"].append(sampler)
        channel["sampler"] = len(one["samplers"]) - 1
    return change


def each_key(clip, node, path, start, end, edit):
    """edit(row) of values and tangents of the keys from `start` to `end`."""
    def edited(times, keys):
        return times, [[part and edit(part) for part in key] if start <= t <= end else key for t, key in zip(times, keys)]
    return edit_keys(clip, node, path, edited)


def turned(q, r):
    """Quaternions: r in the axes of q, then q."""
    (a, b, c, d), (x, y, z, w) = q, r
    return [d * x + a * w + b * z - c * y, d * y - a * z + b * w + c * x, d * z + a * y - b * x + c * w, d * w - a * x - b * y - c * z]


def turn(clip, joint, degrees, start, end, axis=(1, 1, 0)):
    return each_key(clip, joint, "rotation", start, end, lambda q: turned(q, about(axis, degrees)))


def value_of_keys(clip, node, path, start, end, edit):
    """edit(value) of the keys' values alone."""
    def edited(times, keys):
        return times, [[key[0], edit(key[1]), key[2]] if start <= t <= end else key for t, key in zip(times, keys)]
    return edit_keys(clip, node, path, edited)


def move(clip, joint, by, start, end):
    return value_of_keys(clip, joint, "translation", start, end, lambda v: [a + b for a, b in zip(v, by)])


def key_later(clip, joint, path, key, by):
    def edited(times, keys):
        return [t + by * (i == key) for i, t in enumerate(times)], keys
    return edit_keys(clip, joint, path, edited)


def scale_tangents(clip, joint, path, factor):
    scale = lambda part: [factor * x for x in part]
    return edit_keys(clip, joint, path, lambda times, keys: (times, [[scale(a), v, scale(b)] for a, v, b in keys]))


def retimed(clip, of):
    """All keys of a clip at other times, in the order of the times."""
    def edited(times, keys):
        pairs = sorted(zip(map(of, times), keys))
        return [t for t, _ in pairs], [key for _, key in pairs]

    def change(file):
        for channel in clip_of(file, clip)["channels"]:
            edit_keys(clip, channel["target"]["node"], channel["target"]["path"], edited)(file)
    return change


def make_step(clip, joint, path):
    def change(file):
        one = clip_of(file, clip)
        channel = next(c for c in one["channels"] if (c["target"]["node"], c["target"]["path"]) == (node_of(file, joint), path))
        one["samplers"].append({**one["samplers"][channel["sampler"]], "interpolation": "STEP"})
        channel["sampler"] = len(one["samplers"]) - 1
    return change


def lose_channels(clip, joint):
    def change(file):
        one = clip_of(file, clip)
        one["channels"] = [c for c in one["channels"] if c["target"]["node"] != node_of(file, joint)]
    return change


def rename_clips(**names):
    def change(file):
        for clip in file.document["animations"]:
            clip["name"] = names.get(clip["name"], clip["name"])
    return change


def lose_clip(name):
    def change(file):
        file.document["animations"] = [clip for clip in file.document["animations"] if clip["name"] != name]
    return change


def nod(joint):
    """A new clip: one joint turns up and down."""
    def change(file):
        like = next(s for s in file.document["animations"][0]["samplers"] if file.document["accessors"][s["output"]]["type"] == "VEC4")
        at_rest = file.document["nodes"][node_of(file, joint)].get("rotation", [0, 0, 0, 1])
        sampler = {"input": file.add_rows(like["input"], [[0.0], [0.25], [0.5]]),
                   "output": file.add_rows(like["output"], [turned(at_rest, about([1, 0, 0], x)) for x in (0, 20, 0)])}
        target = {"node": node_of(file, joint), "path": "rotation"}
        file.document["animations"].append({"name": "nod", "samplers": [sampler], "channels": [{"sampler": 0, "target": target}]})
    return change


def set_node(node, **values):
    return lambda file: file.document["nodes"][node_of(file, node)].update(values)


def new_joint(name, parent):
    def change(file):
        nodes, skin = file.document["nodes"], file.document["skins"][0]
        nodes.append({"name": name, "translation": [0, 0.1, 0]})
        nodes[node_of(file, parent)].setdefault("children", []).append(len(nodes) - 1)
        binds = file.rows(skin["inverseBindMatrices"])
        skin["inverseBindMatrices"] = file.add_rows(skin["inverseBindMatrices"], [*binds, binds[skin["joints"].index(node_of(file, parent))]])
        skin["joints"].append(len(nodes) - 1)
    return change


def reparent(name, parent):
    def change(file):
        node = node_of(file, name)
        for other in file.document["nodes"]:
            if node in other.get("children", []):
                other["children"].remove(node)
        file.document["nodes"][node_of(file, parent)].setdefault("children", []).append(node)
    return change


def move_bind(joint, by):
    def change(file):
        skin = file.document["skins"][0]
        binds, j = file.rows(skin["inverseBindMatrices"]), skin["joints"].index(node_of(file, joint))
        binds[j][12:15] = [a + b for a, b in zip(binds[j][12:15], by)]
        skin["inverseBindMatrices"] = file.add_rows(skin["inverseBindMatrices"], binds)
    return change


def edit_attribute(name, edit, primitive=0):
    """edit(rows) of an attribute of a primitive of the first mesh changes them in place."""
    def change(file):
        attributes = file.document["meshes"][0]["primitives"][primitive]["attributes"]
        rows = file.rows(attributes[name])
        edit(rows)
        attributes[name] = file.add_rows(attributes[name], rows)
    return change


def move_rows(first, count, by):
    def edit(rows):
        for row in rows[first:first + count]:
            row[:] = [a + b for a, b in zip(row, by)]
    return edit


def turned_round(first, count):
    def edit(rows):
        for row in rows[first:first + count]:
            row[:] = [-x for x in row]
    return edit


def swap_influences(joint, count):
    """The first vertices that follow a joint by the larger of two shares follow it by the smaller one."""
    def change(file):
        attributes = file.document["meshes"][0]["primitives"][0]["attributes"]
        joints, weights = file.rows(attributes["JOINTS_0"]), file.rows(attributes["WEIGHTS_0"])
        wanted = file.document["skins"][0]["joints"].index(node_of(file, joint))
        order = [sorted(range(4), key=lambda i: -w[i]) for w in weights]  # of the influences of each vertex, the largest first
        chosen = [v for v, (a, b, c, _) in enumerate(order)
                  if joints[v][a] == wanted and weights[v][a] > 1.5 * weights[v][b] > 0 and weights[v][c] < 0.1 * weights[v][b]][:count]
        assert len(chosen) == count, f"{len(chosen)} vertices"
        for v in chosen:
            a, b = order[v][:2]
            weights[v][a], weights[v][b] = weights[v][b], weights[v][a]
        attributes["WEIGHTS_0"] = file.add_rows(attributes["WEIGHTS_0"], weights)
    return change


def paint(joint, other, share, count):
    """The first vertices that follow `joint` alone give a share of their weight to `other`."""
    def change(file):
        attributes = file.document["meshes"][0]["primitives"][0]["attributes"]
        joints, weights = file.rows(attributes["JOINTS_0"]), file.rows(attributes["WEIGHTS_0"])
        of = lambda name: file.document["skins"][0]["joints"].index(node_of(file, name))
        chosen = [v for v, w in enumerate(weights) if dict(zip(joints[v], w)).get(of(joint), 0) > 0.99 * sum(w)][:count]
        assert len(chosen) == count, f"{len(chosen)} vertices"
        for v in chosen:
            whole = sum(weights[v])
            joints[v], weights[v] = [of(joint), of(other), 0, 0], [(1 - share) * whole, share * whole, 0, 0]
        attributes["JOINTS_0"] = file.add_rows(attributes["JOINTS_0"], joints)
        attributes["WEIGHTS_0"] = file.add_rows(attributes["WEIGHTS_0"], weights)
    return change


def lose_target(index):
    """Of the first mesh, with its weights in all clips."""
    def change(file):
        mesh = file.document["meshes"][0]
        for part in mesh["primitives"]:
            del part["targets"][index]
        del mesh["extras"]["targetNames"][index]
        mesh.pop("weights", None)
        without = lambda row: row[:index] + row[index + 1:]
        for clip in range(len(file.document["animations"])):
            edit_keys(clip, 0, "weights", lambda times, keys: (times, [[part and without(part) for part in key] for key in keys]))(file)
    return change


def edit_target(index, edit, primitive=0):
    def change(file):
        target = file.document["meshes"][0]["primitives"][primitive]["targets"][index]
        rows = file.rows(target["POSITION"])
        edit(rows)
        target["POSITION"] = file.add_rows(target["POSITION"], rows)
    return change


def add_to_moved(by, count):
    """Of the vertices that a target moves, the first go further."""
    def edit(rows):
        moved = [row for row in rows if math.hypot(*row) > 0.1][:count]
        assert len(moved) == count, f"{len(moved)} vertices"
        for row in moved:
            row[:] = [a + b for a, b in zip(row, by)]
    return edit


def lose_triangles(first, count):
    def change(file):
        part = file.document["meshes"][0]["primitives"][0]
        rows = file.rows(part["indices"])
        part["indices"] = file.add_rows(part["indices"], rows[:3 * first] + rows[3 * (first + count):])
    return change


def set_material(index, inner=None, **values):
    def change(file):
        material = file.document["materials"][index]
        (material.setdefault(inner, {}) if inner else material).update(values)
    return change


def other_material(primitive, material):
    return lambda file: file.document["meshes"][0]["primitives"][primitive].update(material=material)


def hue(image):
    """Red becomes green, green blue, blue red."""
    def change(file):
        one, picture = file.document["images"][image], io.BytesIO()
        red, green, blue = Image.open(io.BytesIO(file.view(one["bufferView"]))).convert("RGB").split()
        Image.merge("RGB", (blue, red, green)).save(picture, "PNG")
        one["bufferView"] = file.add_view(picture.getvalue())
    return change


def lose_texture(index, name):
    return lambda file: file.document["materials"][index].pop(name)
