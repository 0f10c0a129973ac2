"""Computes the passes of a picture from the triangles of /v1/mesh and the camera that the picture reports, with numpy alone.

A pixel counts where the answer cannot depend on rounding: its centre is at least EDGE pixels from every edge that could change it, and no
other surface is about as near.
"""
import io
import json
import urllib.parse

import numpy

EDGE = 0.02  # pixels
NEAR = 1e-3  # of the range of depths
PASSES = "depth,normal,position,node,mesh,material,joint,uv"


def arrays(answer):
    """The passes of an answer by name."""
    assert answer.status == 200, answer.body
    with numpy.load(io.BytesIO(answer.body)) as file:
        return {name: file[name] for name in file}


class Camera:
    def __init__(self, answer, width, height):
        told = json.loads(answer.headers["x-posed-camera"])
        self.view_from_scene = numpy.array(told["view_from_scene"]).reshape(4, 4).T
        self.clip_from_view = numpy.array(told["clip_from_view"]).reshape(4, 4).T
        self.size = numpy.array([width, height])

    def view(self, points):
        return points @ self.view_from_scene[:3, :3].T + self.view_from_scene[:3, 3]

    def pixels(self, points):
        """Places on the picture, from the top left corner, and w."""
        clip = numpy.c_[self.view(points), numpy.ones(len(points))] @ self.clip_from_view.T
        return (clip[:, :2] / clip[:, 3:] * [0.5, -0.5] + 0.5) * self.size, clip[:, 3]


def determinants(part, mesh, pose):
    """Of what moves the part: of all joints of its skin, or of its node."""
    scene_from_node = [numpy.array(matrix).reshape(4, 4).T for matrix in pose["frames"][0]["scene"]]
    if part["skin"] is None:
        return numpy.array([numpy.linalg.det(scene_from_node[part["node"]][:3, :3])])
    skin = next(skin for skin in mesh["skins"] if skin["index"] == part["skin"])
    return numpy.array([numpy.linalg.det((scene_from_node[joint["node"]] @ numpy.array(bind).reshape(4, 4).T)[:3, :3])
                        for joint, bind in zip(skin["joints"], skin["joint_from_bind"])])


class Part:
    """A drawn primitive: positions, normals, .. of its vertices."""

    def __init__(self, number, mesh, later, model, pose, is_flat):
        self.about = mesh["meshes"][number]
        take = lambda source: numpy.array(source, float).reshape(-1, 3)
        self.positions, self.normals = take(mesh["frames"][0]["positions"][number]), take(mesh["frames"][0]["normals"][number])
        self.later = None if later is None else take(later["frames"][0]["positions"][number])
        self.triangles = numpy.array(mesh["indices"][number], int).reshape(-1, 3)
        uvs = mesh["attributes"][number].get("texcoords")
        self.uvs = numpy.full((len(self.positions), 2), numpy.nan) if uvs is None else numpy.array(uvs, float).reshape(-1, 2)
        self.is_flat = is_flat
        material = self.about["material"]
        signs = determinants(self.about, mesh, pose) < 0
        is_single = model["format"].lower().startswith("gl") and not (material is not None and model["materials"][material]["double_sided"])
        self.culled = 0 if not is_single or signs.any() != signs.all() else 1 if signs.all() else -1
        self.weights = self._weights(number, mesh)

    def _weights(self, number, mesh):
        """Of each vertex {node: weight}."""
        if self.about["skin"] is None:
            return [{self.about["node"]: 1.0}] * len(self.positions)
        skin = next(skin for skin in mesh["skins"] if skin["index"] == self.about["skin"])
        table, rows = mesh["influences"][number], []
        for first, end in zip(table["firsts"], table["firsts"][1:]):
            row = {}
            for joint, weight in zip(table["joints"][first:end], table["weights"][first:end]):
                node = skin["joints"][joint]["node"]
                row[node] = row.get(node, 0) + weight
            rows.append(row)
        return rows


class Evaluation:
    """What each pixel shows: part, triangle and weights of its corners; is_sure: as above."""

    def __init__(self, parts, camera):
        width, height = camera.size
        self.parts, self.camera = parts, camera
        self.part = numpy.full((height, width), -1)
        self.triangle = numpy.full((height, width), -1)
        self.weights = numpy.zeros((height, width, 3))
        self.depth = numpy.full((height, width), numpy.inf)
        self.second = numpy.full((height, width), numpy.inf)  # depth of the next nearest that covers the pixel or may do so
        for number, part in enumerate(parts):
            places, w = camera.pixels(part.positions)
            assert (w > 0).all(), "no vertex is behind the camera"
            depths = -camera.view(part.positions)[:, 2]
            for t, corners in enumerate(part.triangles):
                self._add(number, t, places[corners], 1 / w[corners], depths[corners], part.culled)
        shown = self.depth[self.part >= 0]
        gap = NEAR * (numpy.ptp(shown) if len(shown) else 0) + 1e-5 * numpy.where(self.part >= 0, self.depth, 1)
        self.is_sure = numpy.where(self.part >= 0, self.second > numpy.where(self.part >= 0, self.depth, 0) + gap, numpy.isinf(self.second))

    def _add(self, number, t, at, inverse_w, depths, culled):
        height, width = self.part.shape
        area = (at[1, 0] - at[0, 0]) * (at[2, 1] - at[0, 1]) - (at[1, 1] - at[0, 1]) * (at[2, 0] - at[0, 0])
        sides = numpy.linalg.norm(at - numpy.roll(at, -1, 0), axis=1)
        is_thin = abs(area) <= 2 * EDGE * sides.max()  # its side is a matter of rounding
        if culled and not is_thin and culled * area < 0:  # rows go down: counterclockwise is negative
            return
        low = numpy.maximum(numpy.ceil(at.min(0) - EDGE - 0.5), 0).astype(int)
        high = numpy.minimum(numpy.floor(at.max(0) + EDGE - 0.5), [width - 1, height - 1]).astype(int)
        if (low > high).any():
            return
        x, y = numpy.meshgrid(numpy.arange(low[0], high[0] + 1) + 0.5, numpy.arange(low[1], high[1] + 1) + 0.5)
        crosses = numpy.stack([(at[j, 0] - x) * (at[k, 1] - y) - (at[j, 1] - y) * (at[k, 0] - x) for j, k in ((1, 2), (2, 0), (0, 1))], -1)
        crosses *= -1 if area < 0 else 1
        distances = crosses / numpy.maximum(numpy.roll(sides, -1), 1e-30)  # from the edges, in pixels
        part = numpy.s_[low[1]:high[1] + 1, low[0]:high[0] + 1]
        if is_thin:
            self.second[part] = numpy.minimum(self.second[part], numpy.where((distances >= -EDGE).all(-1), depths.min(), numpy.inf))
            return
        weights = crosses / abs(area) * inverse_w
        weights /= weights.sum(-1, keepdims=True)
        depth = weights @ depths
        is_inside, is_near = (distances > EDGE).all(-1), (distances >= -EDGE).all(-1)
        is_first = is_inside & (depth < self.depth[part])
        behind = numpy.where(is_first, self.depth[part], numpy.where(is_near, numpy.clip(depth, depths.min(), depths.max()), numpy.inf))
        self.second[part] = numpy.minimum(self.second[part], behind)
        self.part[part][is_first], self.triangle[part][is_first] = number, t
        self.weights[part][is_first], self.depth[part][is_first] = weights[is_first], depth[is_first]

    def pixels(self):
        """Of each sure pixel that shows something: y, x, part, corners, weights."""
        for y, x in zip(*numpy.nonzero(self.is_sure & (self.part >= 0))):
            part = self.parts[self.part[y, x]]
            yield y, x, part, part.triangles[self.triangle[y, x]], self.weights[y, x]


def normal_of(part, corners, weights, camera):
    """Interpolated, or of the triangle; on the side that the camera sees. In the camera's space."""
    view = camera.view(part.positions[corners])
    face = numpy.cross(view[1] - view[0], view[2] - view[0])
    turned = weights @ part.normals[corners] @ camera.view_from_scene[:3, :3].T
    normal = face if part.is_flat or numpy.linalg.norm(turned) <= 1e-4 else turned
    normal = normal / numpy.linalg.norm(normal)
    is_flat_picture = camera.clip_from_view[3, 2] == 0
    to_eye = numpy.array([0, 0, 1.0]) if is_flat_picture else -(weights @ view)
    seen_face = face if face @ to_eye > 0 else -face
    return normal if normal @ seen_face >= 0 else -normal


def joint_of(part, corners, weights):
    """The node with the largest sum, and by how much."""
    sums = {}
    for corner, weight in zip(corners, weights):
        for node, share in part.weights[corner].items():
            sums[node] = sums.get(node, 0) + weight * share
    order = sorted(sums, key=lambda node: (-sums[node], node))
    return order[0], sums[order[0]] - (sums[order[1]] if len(order) > 1 else 0)


def is_clear(model, material):
    """Blended, and so thin that it hides nothing. (No texture makes these models thinner.)"""
    about = {} if material is None else model["materials"][material]
    return about.get("alpha_mode") == "blend" and about["base_color"][3] < 0.5


def scene(server, model, camera, pose, is_flat, t2=None):
    """The evaluation of a model's pose (parameters of clip and time) by a camera."""
    asked = {"model": model, **pose}
    about = server.json("/v1/model", model=model)
    details = {"indices": 1, "normals": 1, "attributes": 1, "weights": 1}
    mesh = server.json("/v1/mesh?" + urllib.parse.urlencode({**asked, **details}))
    later = None if t2 is None else server.json("/v1/mesh?" + urllib.parse.urlencode({**asked, "t": t2}))
    nodes = server.json("/v1/pose?" + urllib.parse.urlencode(asked))
    parts = [Part(number, mesh, later, about, nodes, is_flat(entry))
             for number, entry in enumerate(mesh["meshes"])
             if entry["in_scene"] and entry["topology"] == "triangles" and not is_clear(about, entry["material"])]
    return Evaluation(parts, camera)
