"""Blends of clips and given poses of glTF models, written only from protocol/blending.md and protocol/time.md. posed must agree with it.

It reads layers as requests have them, uses double precision and shares no code with the server. Nodes have translation, rotation and scale,
no matrices.
"""
import copy
import math

import matrices
from matrices import hamilton, lerp, normalized, slerp

NO_TURN = [0.0, 0.0, 0.0, 1.0]
PATHS = "translation", "rotation", "scale"


def clip_time(layer, t, duration):
    """protocol/time.md: Parts of a clip, speed, phase."""
    begin, end = layer.get("from", 0.0), layer.get("to", duration)
    span = end - begin
    if span <= 0:
        return begin
    x, wrap = t * layer.get("speed", 1) + layer.get("phase", 0) * span, layer.get("wrap", "loop")
    if wrap == "loop":
        return begin + x % span
    if wrap == "clamp":
        return begin + min(max(x, 0.0), span)
    x = abs(x) % (2 * span)
    return begin + (x if x <= span else 2 * span - x)


def from_degrees(degrees, order):
    """R = R1 R2 R3, about the node's own axes in the order of the name."""
    out = NO_TURN
    for letter in order:
        out = hamilton(out, matrices.turned(letter, math.radians(degrees["xyz".index(letter)])))
    return out


def inverse(q):
    square = sum(x * x for x in q)
    return [-q[0] / square, -q[1] / square, -q[2] / square, q[3] / square]


def mean(rotations, weights):
    """The rotation from which the arcs to all, each times its weight, add up to 0 (Buss, Fillmore 2001)."""
    total = sum(weights)
    at = rotations[max(range(len(weights)), key=lambda i: weights[i])]
    for _ in range(200):
        step = [0.0, 0.0, 0.0]
        for q, w in zip(rotations, weights):
            x, y, z, c = hamilton(inverse(at), q)
            x, y, z, c = (x, y, z, c) if c >= 0 else (-x, -y, -z, -c)
            sine = math.sqrt(x * x + y * y + z * z)
            share = 2 * math.atan2(sine, c) / sine if sine > 1e-12 else 2.0
            step = [s + w / total * share * v for s, v in zip(step, (x, y, z))]
        angle = math.sqrt(sum(s * s for s in step))
        if angle < 1e-14:
            break
        at = normalized(hamilton(at, [s / angle * math.sin(angle / 2) for s in step] + [math.cos(angle / 2)]))
    return at


class Pose:
    """What each node and each morph weight is."""

    def __init__(self, transforms, weights):
        self.transforms, self.weights = transforms, weights  # [node][path], [node][target]


class Blends:
    """The blends of a model (gltf_evaluator.Model)."""

    def __init__(self, model):
        self.model, self.nodes = model, model.nodes
        self.parents = [model.parent.get(n, -1) for n in range(len(self.nodes))]
        assert not any("matrix" in node for node in self.nodes)

    def find(self, node):
        if not isinstance(node, str):
            return node
        found = [n for n, one in enumerate(self.nodes) if one.get("name") == node]
        assert len(found) == 1, node
        return found[0]

    # --- poses ---

    def rest(self):
        default = {"translation": [0.0, 0.0, 0.0], "rotation": NO_TURN, "scale": [1.0, 1.0, 1.0]}
        return Pose([{path: list(node.get(path, default[path])) for path in PATHS} for node in self.nodes],
                    self.model.pose()[1])

    def clip(self, layer, t):
        out = self.rest()
        if layer["clip"] == "-":
            return out
        animation = self.model.document["animations"][layer["clip"]]
        at = clip_time(layer, t, self.model.duration(layer["clip"]))
        for channel in animation["channels"]:
            node, path = channel["target"]["node"], channel["target"]["path"]
            width = {"translation": 3, "rotation": 4, "scale": 3}.get(path) or self.model.morph_count(node)
            value = self.model.sample(animation["samplers"][channel["sampler"]], width, at, path == "rotation")
            if path == "weights":
                out.weights[node] = list(value)
            else:
                out.transforms[node][path] = normalized(value) if path == "rotation" else list(value)
        return out

    def may_move(self, layer, node):
        chain = [node]
        while self.parents[chain[-1]] >= 0:
            chain.append(self.parents[chain[-1]])
        listed = lambda key: {self.find(one) for one in (layer[key] if isinstance(layer[key], list) else [layer[key]])} if key in layer else set()
        is_all = "joints" not in layer and "subtree" not in layer
        is_named = is_all or node in listed("joints") or any(n in listed("subtree") for n in chain)
        return is_named and not any(n in listed("except") for n in chain)

    # --- given poses ---

    def given_frame(self, pose, frame, names):
        """{(node, path): value} and {(node, target): weight} of one frame of a given pose."""
        out, weights, rest = {}, {}, self.rest()
        is_from_rest = pose.get("relative_to") == "rest"
        rows = {}
        if isinstance(pose.get("nodes"), dict):
            rows = {self.find(name): row for name, row in pose["nodes"].items()}
        else:
            for i, node in enumerate(pose.get("nodes", [])):
                node = self.find(node["node"] if isinstance(node, dict) else node)
                rows[node] = {key: frame[key][i] for key in (*PATHS, "degrees", "local") if frame.get(key) is not None and frame[key][i] is not None}
        for node, row in rows.items():
            if "local" in row:
                row = {"translation": row["local"][:3], "rotation": row["local"][3:7], "scale": row["local"][7:]}
            for path in PATHS:
                if path == "rotation" and "degrees" in row:
                    value = from_degrees(row["degrees"], pose.get("order", "xyz"))
                elif path in row:
                    value = normalized(row[path]) if path == "rotation" else list(row[path])
                else:
                    continue
                own = rest.transforms[node][path]
                if is_from_rest:
                    value = hamilton(own, value) if path == "rotation" else [a + b if path == "translation" else a * b for a, b in zip(own, value)]
                out[node, path] = value
        for (target, mesh), weight in zip(*names(frame)):
            for node, index in self.targets(target, mesh):
                weights[node, index] = weight
        return out, weights

    def targets(self, target, mesh):
        found = []
        for n, node in enumerate(self.nodes):
            if "mesh" in node:
                one = self.model.document["meshes"][node["mesh"]]
                names = one.get("extras", {}).get("targetNames", [])
                if target in names and mesh in (None, one.get("name"), node.get("name")):
                    found.append((n, names.index(target)))
        assert found, target
        return found

    def given(self, layer, t):
        pose = layer["pose"]
        frames = pose.get("frames")
        if frames is None:
            morphs = pose.get("morphs", {})
            return self.given_frame(pose, pose, lambda _: ([(name, None) for name in morphs], list(morphs.values())))
        listed = [(one["target"], one["mesh"]) if isinstance(one, dict) else (one, None) for one in pose.get("morphs", [])]
        times = [frame.get("time", i / pose.get("rate", 30)) for i, frame in enumerate(frames)]
        at = clip_time(layer, t, times[-1] if len(frames) > 1 else 0)
        k, u = matrices.span(times, at) if len(frames) > 1 else (0, 0.0)
        names = lambda frame: (listed, frame.get("morphs", []))
        first, weights = self.given_frame(pose, frames[k], names)
        if u > 0:
            second, others = self.given_frame(pose, frames[k + 1], names)
            first = {key: normalized(slerp(value, second[key], u)) if key[1] == "rotation" else lerp(value, second[key], u)
                     for key, value in first.items()}
            weights = {key: (1 - u) * value + u * others[key] for key, value in weights.items()}
        return first, weights

    # --- the arithmetic ---

    def override(self, layers, poses, weights):
        out = self.rest()
        for n in range(len(self.nodes)):
            share = [i for i, layer in enumerate(layers) if "pose" not in layer and layer.get("mode", "override") == "override" and
                     weights[i] > 0 and self.may_move(layer, n)]
            if not share:
                continue
            w = [weights[i] for i in share]
            total = sum(w)
            for path in "translation", "scale":
                out.transforms[n][path] = [sum(a * poses[i].transforms[n][path][k] for a, i in zip(w, share)) / total for k in range(3)]
            out.transforms[n]["rotation"] = mean([poses[i].transforms[n]["rotation"] for i in share], w)
            out.weights[n] = [sum(a * poses[i].weights[n][k] for a, i in zip(w, share)) / total for k in range(len(out.weights[n]))]
        return out

    def add(self, out, node, path, value, reference, w):
        now = out.transforms[node][path]
        if path == "translation":
            now = [x + w * (p - r) for x, p, r in zip(now, value, reference)]
        elif path == "scale":
            now = [x * (1 + w * (p / r - 1)) if r != 0 else x + w * p for x, p, r in zip(now, value, reference)]
        else:
            now = normalized(hamilton(now, slerp(NO_TURN, hamilton(inverse(reference), value), w)))
        out.transforms[node][path] = now

    def pose(self, layers, t, frame=0):
        """The pose of these layers at a time; `frame`: which of their own times and weights."""
        pick = lambda value: value[frame] if isinstance(value, list) else value
        at = [pick(layer.get("t", t)) for layer in layers]
        weights = [pick(layer.get("weight", 1)) for layer in layers]
        poses = [None if "pose" in layer else self.clip(layer, time) for layer, time in zip(layers, at)]
        out = self.override(layers, poses, weights)
        for layer, played, time, w in zip(layers, poses, at, weights):
            if w > 0 and "pose" in layer:
                self.give(out, layer, time, w)
            elif w > 0 and layer.get("mode") == "additive":
                reference = self.reference(layer)
                for n in range(len(self.nodes)):
                    if self.may_move(layer, n):
                        for path in PATHS:
                            self.add(out, n, path, played.transforms[n][path], reference.transforms[n][path], w)
                        out.weights[n] = [m + w * (p - r) for m, p, r in zip(out.weights[n], played.weights[n], reference.weights[n])]
        return out

    def reference(self, layer):
        one = layer.get("reference", {})
        return self.clip({"clip": layer["clip"], **one}, one.get("t", 0))

    def give(self, out, layer, time, w):
        rest, (values, morphs) = self.rest(), self.given(layer, time)
        is_added = layer.get("mode") == "additive"
        for (node, path), value in values.items():
            if not self.may_move(layer, node):
                continue
            if is_added:
                self.add(out, node, path, value, rest.transforms[node][path], w)
            else:
                now = out.transforms[node][path]
                out.transforms[node][path] = normalized(slerp(now, value, w)) if path == "rotation" else lerp(now, value, w)
        for (node, index), value in morphs.items():
            if self.may_move(layer, node):
                out.weights[node][index] += w * (value - (rest.weights[node] if is_added else out.weights[node])[index])

    # --- what is asked for ---

    def locals(self, pose):
        return [matrices.from_trs(one["translation"], one["rotation"], one["scale"]) for one in copy.deepcopy(pose.transforms)]

    def scene(self, pose):
        return matrices.scene_matrices(self.parents, self.locals(pose))

    def palettes(self, pose):
        local = self.locals(pose)
        return [self.model.palette(s, local) for s in range(len(self.model.document.get("skins", [])))]

    def vertices(self, pose, node, primitive, only=None):
        return self.model.vertices(node, primitive, self.locals(pose), pose.weights, only)
