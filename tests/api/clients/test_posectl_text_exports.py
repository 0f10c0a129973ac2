"""posectl text of a model and of the same model as another program writes it: the lines that differ are counted."""
import json
import math
import os
import random
import struct

import numpy
import pytest

from conftest import SAMPLES
from posectl import posectl

pytestmark = pytest.mark.skipif("POSED_SERVER" in os.environ, reason="starts servers of its own")
WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}
TYPES = {5121: "u1", 5123: "<u2", 5125: "<u4", 5126: "<f4"}
PARTS = "nodes", "meshes", "materials", "textures", "images", "skins", "accessors", "animations"
NOISE = 1e-7  # of the value


class Model:
    """A GLB file that is taken apart: its document, and the numbers of each accessor."""

    def __init__(self, data):
        size = struct.unpack_from("<I", data, 12)[0]
        self.document, binary = json.loads(data[20:20 + size]), data[28 + size:]
        views = self.document["bufferViews"]
        self.images = [binary[views[i["bufferView"]].get("byteOffset", 0):][:views[i["bufferView"]]["byteLength"]] for i in self.document.get("images", [])]
        self.numbers = []
        for accessor in self.document["accessors"]:
            view, width = views[accessor["bufferView"]], WIDTHS[accessor["type"]]
            assert "byteStride" not in view or view["byteStride"] == width * numpy.dtype(TYPES[accessor["componentType"]]).itemsize
            start = view.get("byteOffset", 0) + accessor.get("byteOffset", 0)
            self.numbers.append(numpy.frombuffer(binary, TYPES[accessor["componentType"]], accessor["count"] * width, start).reshape(-1, width).copy())

    def index(self, name):
        (index,) = (i for i, node in enumerate(self.document["nodes"]) if node.get("name") == name)
        return index

    def channels(self, path):
        for animation in self.document["animations"]:
            for channel in animation["channels"]:
                if channel["target"]["path"] == path:
                    yield animation, channel["target"]["node"], animation["samplers"][channel["sampler"]]["output"]

    def write(self, path):
        binary, views = b"", []
        for i, data in enumerate([numbers.tobytes() for numbers in self.numbers] + self.images):
            views.append({"buffer": 0, "byteOffset": len(binary), "byteLength": len(data)})
            binary += data + b"\0" * (-len(data) % 4)
        for i, accessor in enumerate(self.document["accessors"]):
            accessor.update(bufferView=i, byteOffset=0)
            if "min" in accessor:
                accessor.update(min=self.numbers[i].min(0).tolist(), max=self.numbers[i].max(0).tolist())
        for i, image in enumerate(self.document.get("images", [])):
            image["bufferView"] = len(self.numbers) + i
        self.document.update(bufferViews=views, buffers=[{"byteLength": len(binary)}])
        head = json.dumps(self.document).encode()
        head += b" " * (-len(head) % 4)
        path.write_bytes(struct.pack("<4sII", b"glTF", 2, 28 + len(head) + len(binary)) + struct.pack("<I4s", len(head), b"JSON") + head +
                         struct.pack("<I4s", len(binary), b"BIN\0") + binary)
        return path


def shuffled(model, seed):
    """Everything that has an index gets another one; joints of skins, channels and roots are in another order."""
    dice, document = random.Random(seed), model.document
    new = {}
    for part in PARTS:
        old = list(range(len(document.get(part, []))))
        dice.shuffle(old)
        new[part] = {was: now for now, was in enumerate(old)}
        if part in document:
            document[part] = [document[part][i] for i in old]
        if part == "accessors":
            model.numbers = [model.numbers[i] for i in old]
        if part == "images":
            model.images = [model.images[i] for i in old]

    def move(thing, key, part):
        if key in thing:
            thing[key] = [new[part][i] for i in thing[key]] if isinstance(thing[key], list) else new[part][thing[key]]
    for node in document["nodes"]:
        move(node, "mesh", "meshes"), move(node, "skin", "skins"), move(node, "children", "nodes")
        dice.shuffle(node.get("children", []))
    for scene in document["scenes"]:
        move(scene, "nodes", "nodes")
        dice.shuffle(scene["nodes"])
    for mesh in document["meshes"]:
        for primitive in mesh["primitives"]:
            move(primitive, "indices", "accessors"), move(primitive, "material", "materials")
            for target in [primitive["attributes"], *primitive.get("targets", [])]:
                for key in target:
                    move(target, key, "accessors")
    for material in document["materials"]:
        for holder in (material, material.get("pbrMetallicRoughness", {})):
            for use in (value for key, value in holder.items() if key.endswith("Texture")):
                move(use, "index", "textures")
    for texture in document.get("textures", []):
        move(texture, "source", "images")
    for animation in document["animations"]:
        for sampler in animation["samplers"]:
            move(sampler, "input", "accessors"), move(sampler, "output", "accessors")
        for channel in animation["channels"]:
            move(channel["target"], "node", "nodes")
        dice.shuffle(animation["channels"])
    for skin in document["skins"]:
        move(skin, "inverseBindMatrices", "accessors"), move(skin, "joints", "nodes"), move(skin, "skeleton", "nodes")
        shuffle_joints(model, skin, new, dice)
    return model


def shuffle_joints(model, skin, new, dice):
    """The joints of the one skin."""
    assert len(model.document["skins"]) == 1
    order = list(range(len(skin["joints"])))
    dice.shuffle(order)
    skin["joints"] = [skin["joints"][i] for i in order]
    model.numbers[skin["inverseBindMatrices"]] = model.numbers[skin["inverseBindMatrices"]][order]
    places = numpy.argsort(order)
    for mesh in model.document["meshes"]:
        for primitive in mesh["primitives"]:
            at = primitive["attributes"]["JOINTS_0"]
            model.numbers[at] = places[model.numbers[at]].astype(model.numbers[at].dtype)


def blur(numbers):
    """Changes the last digits, in the same way for the same number, as a program does that computes with it."""
    numbers = numpy.asarray(numbers, float)
    return numbers * (1 + NOISE * numpy.sin(12345 * numbers))


def noisy(model):
    """The opposite quaternions, and the last digits of keys, binds, vertices and rest pose."""
    for animation, _, at in model.channels("rotation"):
        is_cubic = any(sampler["output"] == at and sampler.get("interpolation") == "CUBICSPLINE" for sampler in animation["samplers"])
        model.numbers[at][::1 if is_cubic else 2] *= -1  # a spline through opposite quaternions is another motion
    for node in model.document["nodes"][::2]:
        if "rotation" in node:
            node["rotation"] = [-number for number in node["rotation"]]
    for node in model.document["nodes"]:
        for key in {"translation", "rotation"} & set(node):
            node[key] = blur(node[key]).tolist()
    exact = {primitive["attributes"]["WEIGHTS_0"] for mesh in model.document["meshes"] for primitive in mesh["primitives"]}
    times = {sampler["input"] for animation in model.document["animations"] for sampler in animation["samplers"]}
    for i, numbers in enumerate(model.numbers):
        if numbers.dtype == numpy.float32 and i not in exact | times:
            model.numbers[i] = blur(numbers).astype(numpy.float32)
    return model


AXIS = numpy.array([math.sqrt(0.5), 0, 0, math.sqrt(0.5)])  # a quarter turn about x


def times(a, b):
    """Products of quaternions, x y z w, along the last axis."""
    a, b = numpy.broadcast_arrays(numpy.asarray(a, float), numpy.asarray(b, float))
    (x, y, z, w), (p, q, r, s) = numpy.moveaxis(a, -1, 0), numpy.moveaxis(b, -1, 0)
    return numpy.stack([w * p + x * s + y * r - z * q, w * q - x * r + y * s + z * p, w * r + x * q - y * p + z * s, w * s - x * p - y * q - z * r], -1)


def with_other_axes(model):
    """Each joint's own axes are turned, as Blender points bones along y: poses of joints and vertices are the same."""
    document, back = model.document, AXIS * [-1, -1, -1, 1]
    joints = set(document["skins"][0]["joints"])
    above = {child: i for i, node in enumerate(document["nodes"]) for child in node.get("children", [])}

    def turn_back(vectors):  # by the turn of the joint above
        x, y, z = numpy.moveaxis(numpy.asarray(vectors, float), -1, 0)
        return numpy.stack([x, z, -y], -1)
    for i, node in enumerate(document["nodes"]):
        if above.get(i) in joints and "translation" in node:
            node["translation"] = turn_back(node["translation"]).tolist()
        if i in joints:
            node["rotation"] = times(times(back, node.get("rotation", [0, 0, 0, 1])) if above.get(i) in joints else node.get("rotation", [0, 0, 0, 1]), AXIS).tolist()
        assert i in joints or above.get(i) not in joints
    for path in "translation", "rotation", "scale":
        for _, node, at in model.channels(path):
            numbers = model.numbers[at].astype(float)
            if path == "translation" and above.get(node) in joints:
                numbers = turn_back(numbers)
            if path == "rotation" and node in joints:
                numbers = times(times(back, numbers) if above.get(node) in joints else numbers, AXIS)
            if path == "scale" and node in joints:
                numbers = numbers[:, [0, 2, 1]]
            model.numbers[at] = numbers.astype(numpy.float32)
    binds = document["skins"][0]["inverseBindMatrices"]
    turned = numpy.array([[1, 0, 0, 0], [0, 0, 1, 0], [0, -1, 0, 0], [0, 0, 0, 1]], float)  # the turn, backwards
    matrices = model.numbers[binds].astype(float).reshape(-1, 4, 4).transpose(0, 2, 1)
    model.numbers[binds] = (turned @ matrices).transpose(0, 2, 1).reshape(-1, 16).astype(numpy.float32)
    return model


def lines_of(path):
    done = posectl("text", path)
    assert done.status == 0, done.err
    return done.out.splitlines()


def differing(old, new):
    return sorted(set(old) ^ set(new))


MOST = 4  # lines that noise changes: the hash of the vertices, before and after, and one number in the middle between two roundings


@pytest.mark.parametrize("sample, count", [("robot", 1600), ("dragon", 2900), ("octopus", 13000)])
def test_a_re_export_changes_few_lines(tmp_path, sample, count):
    original = (SAMPLES / f"{sample}.glb").read_bytes()
    old = lines_of(SAMPLES / f"{sample}.glb")
    assert len(old) >= count
    assert lines_of(shuffled(Model(original), 7).write(tmp_path / "shuffled.glb")) == old
    told = differing(old, lines_of(noisy(shuffled(Model(original), 8)).write(tmp_path / "noisy.glb")))
    assert 0 < len(told) <= MOST, (len(told), told[:20])
    assert sum(": vertices " in line for line in told) == 2
    assert posectl("diff", SAMPLES / f"{sample}.glb", tmp_path / "noisy.glb").status == 0


@pytest.mark.parametrize("sample", ["dragon", "octopus"])
def test_triangles_without_area_stay_without(tmp_path, sample):
    """Vertices that were at one place are a little apart: only the hash differs, and not the number of triangles."""
    model, dice = Model((SAMPLES / f"{sample}.glb").read_bytes()), numpy.random.default_rng(3)
    for mesh in model.document["meshes"]:
        for primitive in mesh["primitives"]:
            at = primitive["attributes"]["POSITION"]
            model.numbers[at] = (model.numbers[at] * (1 + NOISE * dice.uniform(-1, 1, model.numbers[at].shape))).astype(numpy.float32)
    told = differing(lines_of(SAMPLES / f"{sample}.glb"), lines_of(model.write(tmp_path / "apart.glb")))
    assert len(told) == 2 and all(": vertices " in line for line in told), told


@pytest.mark.parametrize("sample", ["robot", "dragon", "octopus"])
def test_a_joints_own_axes_are_not_told(tmp_path, sample):
    path = with_other_axes(Model((SAMPLES / f"{sample}.glb").read_bytes())).write(tmp_path / "turned.glb")
    assert posectl("diff", SAMPLES / f"{sample}.glb", path).status == 0
    assert differing(lines_of(SAMPLES / f"{sample}.glb"), lines_of(path)) == []


@pytest.mark.parametrize("degrees", [1, 30])
def test_a_change_is_seen_in_a_re_export(tmp_path, degrees):
    """Some keys of one joint are turned, and the file is written by another program, with other axes."""
    model = Model((SAMPLES / "robot.glb").read_bytes())
    joint = model.index("forearm_left")
    ((_, _, at),) = (found for found in model.channels("rotation") if found[0]["name"] == "walk" and found[1] == joint)
    half = math.radians(degrees) / 2
    model.numbers[at][10:15] = times([math.sin(half), 0, 0, math.cos(half)], model.numbers[at][10:15])
    told = differing(lines_of(SAMPLES / "robot.glb"), lines_of(noisy(shuffled(with_other_axes(model), 9)).write(tmp_path / "new.glb")))
    changed = [line for line in told if line.startswith("clip walk: forearm_left at ")]
    assert len(changed) >= 8, told
    assert len(told) - len(changed) <= MOST, [line for line in told if line not in changed]
