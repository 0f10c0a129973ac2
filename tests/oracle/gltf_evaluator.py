"""A glTF 2.0 evaluator written only from the specification. posed must agree with it.

It uses only the standard library and double precision; it is simple and slow. It shares no code with the server and uses other methods
if there are any: matrices are rows of rows, and a vertex is skinned by summing transformed points. Section numbers refer to the glTF 2.0
specification (Khronos, 2021-10-11).
"""
import base64
import json
import math
import struct

from matrices import IDENTITY, flat, from_flat, from_trs, lerp, multiply, normalized, skinned, slerp, transform

COMPONENTS = {5120: ("b", 1, 127.0), 5121: ("B", 1, 255.0), 5122: ("h", 2, 32767.0), 5123: ("H", 2, 65535.0),
              5125: ("I", 4, None), 5126: ("f", 4, None)}
SIZES = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}


class Model:
    """A parsed glTF document whose buffers are data URIs or given as bytes."""

    def __init__(self, document, buffers=None):
        self.document = document
        self.buffers = buffers or [base64.b64decode(b["uri"].split(",", 1)[1]) for b in document.get("buffers", [])]
        self.nodes = document.get("nodes", [])
        self.parent = {child: n for n, node in enumerate(self.nodes) for child in node.get("children", [])}
        self.read, self.joined = {}, {}

    @classmethod
    def from_glb(cls, data):
        """A GLB file (4.4): header, JSON chunk, binary chunk."""
        json_size = struct.unpack_from("<I", data, 12)[0]
        binary = 20 + json_size
        binary_size = struct.unpack_from("<I", data, binary)[0] if binary < len(data) else 0
        return cls(json.loads(data[20:binary]), [data[binary + 8:binary + 8 + binary_size]])

    # --- accessors (3.6.2) ---

    def _value(self, view, offset, code, normalized_by):
        start = view.get("byteOffset", 0) + offset
        value = struct.unpack_from("<" + code, self.buffers[view["buffer"]], start)[0]
        return value if normalized_by is None else max(value / normalized_by, -1.0)

    def accessor(self, index):
        """A list of tuples."""
        if index not in self.read:
            self.read[index] = self._accessor(index)
        return self.read[index]

    def numbers(self, index):
        """The same in one list."""
        if index not in self.joined:
            self.joined[index] = [x for row in self.accessor(index) for x in row]
        return self.joined[index]

    def _accessor(self, index):
        a = self.document["accessors"][index]
        code, size, full = COMPONENTS[a["componentType"]]
        width, by = SIZES[a["type"]], full if a.get("normalized") else None
        rows = [[0.0] * width for _ in range(a["count"])]
        if "bufferView" in a:
            view = self.document["bufferViews"][a["bufferView"]]
            stride, row_of = view.get("byteStride", width * size), struct.Struct(f"<{width}{code}")
            data, start = self.buffers[view["buffer"]], view.get("byteOffset", 0) + a.get("byteOffset", 0)
            for i in range(a["count"]):
                row = list(row_of.unpack_from(data, start + i * stride))
                rows[i] = row if by is None else [max(value / by, -1.0) for value in row]
        if "sparse" in a:
            s = a["sparse"]
            index_code, index_size, _ = COMPONENTS[s["indices"]["componentType"]]
            index_view = self.document["bufferViews"][s["indices"]["bufferView"]]
            value_view = self.document["bufferViews"][s["values"]["bufferView"]]
            for i in range(s["count"]):
                at = self._value(index_view, s["indices"].get("byteOffset", 0) + i * index_size, index_code, None)
                for k in range(width):
                    rows[at][k] = self._value(value_view, s["values"].get("byteOffset", 0) + (i * width + k) * size, code, by)
        return [tuple(row) for row in rows]

    # --- animation (3.11, appendix C) ---

    def sample(self, sampler, width, t, is_rotation):
        """The value of one sampler, `width` numbers, at time t. Before and after its keys the nearest one counts (3.11)."""
        times, numbers = self.numbers(sampler["input"]), self.numbers(sampler["output"])
        mode = sampler.get("interpolation", "LINEAR")
        element = lambda i: numbers[i * width:(i + 1) * width]
        value = (lambda k: element(3 * k + 1)) if mode == "CUBICSPLINE" else element
        if t <= times[0]:
            return value(0)
        if t >= times[-1]:
            return value(len(times) - 1)
        k = max(i for i, key in enumerate(times) if key <= t)
        if t == times[k] or mode == "STEP":
            return value(k)
        span = times[k + 1] - times[k]
        u = (t - times[k]) / span
        if mode == "CUBICSPLINE":
            out_tangent, in_tangent = element(3 * k + 2), element(3 * (k + 1))
            result = [(2 * u ** 3 - 3 * u ** 2 + 1) * v0 + span * (u ** 3 - 2 * u ** 2 + u) * b0 +
                      (-2 * u ** 3 + 3 * u ** 2) * v1 + span * (u ** 3 - u ** 2) * a1
                      for v0, b0, v1, a1 in zip(value(k), out_tangent, value(k + 1), in_tangent)]
            return normalized(result) if is_rotation else result
        if is_rotation:
            return slerp(value(k), value(k + 1), u)
        return lerp(value(k), value(k + 1), u)

    def morph_count(self, node):
        mesh = self.nodes[node].get("mesh")
        return 0 if mesh is None else max(len(p.get("targets", [])) for p in self.document["meshes"][mesh]["primitives"])

    def duration(self, clip):
        animation = self.document["animations"][clip]
        return max((self.accessor(s["input"])[-1][0] for s in animation["samplers"]), default=0.0)

    def pose(self, clip=None, t=0.0):
        """(local matrices, morph weights) of every node; clip None: the rest pose."""
        animated = {}
        if clip is not None:
            animation = self.document["animations"][clip]
            for channel in animation["channels"]:
                node, path = channel["target"]["node"], channel["target"]["path"]
                width = {"translation": 3, "rotation": 4, "scale": 3}.get(path) or self.morph_count(node)
                sampler = animation["samplers"][channel["sampler"]]
                animated[node, path] = self.sample(sampler, width, t, path == "rotation")
        local, weights = [], []
        for n, node in enumerate(self.nodes):
            mesh = self.document["meshes"][node["mesh"]] if "mesh" in node else {}
            count = self.morph_count(n)
            weights.append(list(animated.get((n, "weights"), node.get("weights", mesh.get("weights", [0.0] * count)))))
            if "matrix" in node:
                local.append(from_flat(node["matrix"]))
                continue
            part = lambda path, default: animated.get((n, path), node.get(path, default))
            local.append(from_trs(part("translation", [0, 0, 0]), part("rotation", [0, 0, 0, 1]), part("scale", [1, 1, 1])))
        return local, weights

    def scene_from_node(self, local, node):
        m = local[node]
        while node in self.parent:
            node = self.parent[node]
            m = multiply(local[node], m)
        return m

    # --- skins (3.7.3) ---

    def palette(self, skin, local):
        s = self.document["skins"][skin]
        binds = [from_flat(row) for row in self.accessor(s["inverseBindMatrices"])] if "inverseBindMatrices" in s else None
        return [multiply(self.scene_from_node(local, joint), binds[j] if binds else IDENTITY)
                for j, joint in enumerate(s["joints"])]

    def vertices(self, node, primitive, local, weights, only=None):
        """Scene positions of a mesh node's primitive: morph targets first (3.7.2.2), then skin or node (3.7.3.3). `only`: the indices of
        the requested ones."""
        attributes = primitive["attributes"]
        only = range(len(self.accessor(attributes["POSITION"]))) if only is None else only
        pick = lambda index: [self.accessor(index)[v] for v in only]
        positions = [list(p) for p in pick(attributes["POSITION"])]
        for target, weight in zip(primitive.get("targets", []), weights[node]):
            if "POSITION" in target:
                for p, delta in zip(positions, pick(target["POSITION"])):
                    for i in range(3):
                        p[i] += weight * delta[i]
        if "skin" not in self.nodes[node]:
            m = self.scene_from_node(local, node)
            return [transform(m, p) for p in positions]
        palette = self.palette(self.nodes[node]["skin"], local)
        sets = sorted(name[7:] for name in attributes if name.startswith("JOINTS_"))
        joints = [pick(attributes["JOINTS_" + n]) for n in sets]
        shares = [pick(attributes["WEIGHTS_" + n]) for n in sets]
        result = []
        for v, p in enumerate(positions):
            pairs = [(j, w) for js, ws in zip(joints, shares) for j, w in zip(js[v], ws[v]) if w != 0]
            total = math.fsum(w for _, w in pairs)
            result.append(skinned([(j, w / total) for j, w in pairs], palette, p))
        return result
