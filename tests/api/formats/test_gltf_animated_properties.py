"""KHR_animation_pointer at numbers of materials, lights and cameras. A picture at a time is that of a file that has the numbers at rest."""
import base64
import copy
import io
import itertools
import json
import math
import os

import numpy
import pytest
from PIL import Image

from conftest import Server
from contract_model import Document
from posectl import posectl

MATERIAL, LIGHT, CAMERA = "/materials/0/", "/extensions/KHR_lights_punctual/lights/0/", "/cameras/"
SIDE = 12


def texture(colours):
    """A picture of 2 x 2 as a data URI."""
    out = io.BytesIO()
    Image.fromarray(numpy.array(colours, numpy.uint8).reshape(2, 2, 4)).save(out, "PNG")
    return "data:image/png;base64," + base64.b64encode(out.getvalue()).decode()


def bulge(document):
    """A square of SIDE x SIDE quads that bulges towards +z."""
    places = [(x / SIDE, y / SIDE) for y in range(SIDE + 1) for x in range(SIDE + 1)]
    height = [0.4 * math.sin(math.pi * x) * math.sin(math.pi * y) for x, y in places]
    slopes = [(-0.4 * math.pi * math.cos(math.pi * x) * math.sin(math.pi * y), -0.4 * math.pi * math.sin(math.pi * x) * math.cos(math.pi * y)) for x, y in places]
    normals = [(dx / math.hypot(dx, dy, 1), dy / math.hypot(dx, dy, 1), 1 / math.hypot(dx, dy, 1)) for dx, dy in slopes]
    row = SIDE + 1
    corners = [k for y in range(SIDE) for x in range(SIDE) for a in [y * row + x] for k in (a, a + 1, a + row + 1, a, a + row + 1, a + row)]
    return {"attributes": {"POSITION": document.accessor("VEC3", [v for (x, y), z in zip(places, height) for v in (x, y, z)], bounds=True),
                           "NORMAL": document.accessor("VEC3", [v for n in normals for v in n]),
                           "TEXCOORD_0": document.accessor("VEC2", [v for place in places for v in place])},
            "indices": document.accessor("SCALAR", corners, component=5123), "material": 0}


TEXTURES = {"color": 0, "data": 1, "normal": 2}
SLOTS = {"pbrMetallicRoughness/baseColorTexture": 0, "pbrMetallicRoughness/metallicRoughnessTexture": 1, "normalTexture": 2, "occlusionTexture": 1, "emissiveTexture": 0}
LAYERS = {"clearcoat": {"clearcoatTexture": 1, "clearcoatRoughnessTexture": 1, "clearcoatNormalTexture": 2}, "specular": {"specularTexture": 3, "specularColorTexture": 0},
          "sheen": {"sheenColorTexture": 0, "sheenRoughnessTexture": 3}, "iridescence": {"iridescenceTexture": 1, "iridescenceThicknessTexture": 1},
          "anisotropy": {"anisotropyTexture": 2}, "transmission": {"transmissionTexture": 1}}
STRENGTHS = {"clearcoat": {"clearcoatFactor": 1, "clearcoatRoughnessFactor": 0.5}, "specular": {"specularFactor": 0.5}, "sheen": {"sheenColorFactor": [1, 0.5, 0], "sheenRoughnessFactor": 0.4},
             "iridescence": {"iridescenceFactor": 1}, "anisotropy": {"anisotropyStrength": 0.8}, "transmission": {"transmissionFactor": 0.8}, "ior": {"ior": 1.5}}


def layer(name):
    return f"KHR_materials_{name}"


def parent(root, pointer):
    """The object, and the member's name, that a pointer names. Makes the objects on the way."""
    *path, last = pointer.strip("/").split("/")
    at = root
    for name in path:
        at = at[int(name)] if isinstance(at, list) else at.setdefault(name, {})
    return at, last


def put(root, pointer, value):
    at, last = parent(root, pointer)
    at[last] = value


def scene(textured=(), layers=()):
    """The bulge, with its own lights and cameras. textured: pointers at textures; layers: names of those that have an effect."""
    document = Document()
    root = document.root
    root["meshes"] = [{"primitives": [bulge(document)]}]
    root["materials"] = [{"pbrMetallicRoughness": {"baseColorFactor": [0.8, 0.6, 0.4, 1], "metallicFactor": 0.3, "roughnessFactor": 0.4},
                          "emissiveFactor": [0, 0, 0], "extensions": {layer(name): STRENGTHS[name] if name in layers else {} for name in layers}}]
    root["samplers"] = [{"magFilter": 9728, "minFilter": 9728}]
    root["images"] = [{"uri": texture(c)} for c in ([[255, 0, 0, 255], [0, 255, 0, 255], [0, 0, 255, 255], [255, 255, 255, 255]],
                                                    [[90, 60, 250, 255], [240, 200, 40, 255], [10, 255, 120, 255], [160, 130, 200, 255]],
                                                    [[128, 128, 255, 255], [200, 128, 220, 255], [128, 60, 220, 255], [90, 190, 220, 255]],
                                                    [[255, 255, 255, 40], [255, 255, 255, 255], [255, 255, 255, 120], [255, 255, 255, 200]])]
    root["textures"] = [{"source": i, "sampler": 0} for i in range(4)]
    for pointer, index in textured:
        put(root, MATERIAL + pointer, {"index": index, "extensions": {"KHR_texture_transform": {"offset": [0.1, 0.2], "scale": [0.8, 1.2], "rotation": 0.3}}})
    root["nodes"] = [{"mesh": 0}, {"translation": [0.2, 0.8, 1.5], "extensions": {"KHR_lights_punctual": {"light": 0}}},
                     {"translation": [0.5, 0.5, 3], "camera": 0}, {"translation": [0.5, 0.5, 3], "camera": 1}]
    root["scene"], root["scenes"] = 0, [{"nodes": [0, 1, 2, 3]}]
    root["extensionsUsed"] = ["KHR_lights_punctual", "KHR_texture_transform", "KHR_animation_pointer", "KHR_materials_emissive_strength", *map(layer, layers)]
    root["extensions"] = {"KHR_lights_punctual": {"lights": [{"type": "spot", "color": [1, 1, 1], "intensity": 20, "range": 5, "spot": {}}]}}
    root["cameras"] = [{"type": "perspective", "perspective": {"yfov": 0.5, "znear": 0.1, "zfar": 10, "aspectRatio": 1}},
                       {"type": "orthographic", "orthographic": {"xmag": 1, "ymag": 1, "znear": 0.1, "zfar": 10}}]
    return document


def width(value):
    return "VEC%d" % len(value) if isinstance(value, list) else "SCALAR"


def flat(values):
    return [number for value in values for number in (value if isinstance(value, list) else [value])]


def animate(document, *channels, interpolation="LINEAR"):
    """channels: (pointer, times, values)."""
    document.root["animations"] = [{"samplers": [], "channels": []}]
    for i, (pointer, times, values) in enumerate(channels):
        clip = document.root["animations"][0]
        clip["samplers"].append({"input": document.accessor("SCALAR", [float(t) for t in times], bounds=True),
                                 "output": document.accessor(width(values[0]), [float(v) for v in flat(values)]), "interpolation": interpolation})
        clip["channels"].append({"sampler": i, "target": {"path": "pointer", "extensions": {"KHR_animation_pointer": {"pointer": pointer}}}})
    return document.text()


def json_copy(document):
    changed = Document()
    changed.root, changed.bytes = copy.deepcopy(document.root), document.bytes
    return changed


def still(document, pointer, value):
    changed = json_copy(document)
    put(changed.root, pointer, value)
    return changed.text()


def json_of_glb(data):
    return json.loads(data[20:20 + int.from_bytes(data[12:16], "little")])




@pytest.fixture(scope="module")
def server(tmp_path_factory):
    if os.environ.get("POSED_SERVER"):
        pytest.skip("needs a server of its own")
    folder = tmp_path_factory.mktemp("moving")
    running = Server(folder)
    running.folder = folder
    yield running
    running.end()


COUNT = itertools.count()


def written(server, text):
    """The name of a file with this text, new in the server's root."""
    name = f"{next(COUNT)}.gltf"
    (server.folder / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    return name


CHANGES = [
    # pointer, its value at 1 s, textures, layers with an effect, query
    ("pbrMetallicRoughness/baseColorFactor", [0.1, 0.9, 0.3, 1], (), (), ""),
    ("pbrMetallicRoughness/metallicFactor", 1, (), (), ""),
    ("pbrMetallicRoughness/roughnessFactor", 0.9, (), (), ""),
    ("emissiveFactor", [0.5, 0, 0.25], (), (), ""),
    ("normalTexture/scale", 3, ("normalTexture",), (), ""),
    ("occlusionTexture/strength", 0.2, ("occlusionTexture",), (), ""),
    *[(f"extensions/KHR_materials_{name}/{member}", value, (), (), "") for name, members in STRENGTHS.items()
      for member, value in members.items() if member not in ("clearcoatRoughnessFactor", "sheenRoughnessFactor", "ior")],
    ("extensions/KHR_materials_ior/ior", 2.4, (), (), ""),
    ("extensions/KHR_materials_clearcoat/clearcoatRoughnessFactor", 0.1, (), ("clearcoat",), ""),
    ("extensions/KHR_materials_clearcoat/clearcoatNormalTexture/scale", 3, ("extensions/KHR_materials_clearcoat/clearcoatNormalTexture",), ("clearcoat",), ""),
    ("extensions/KHR_materials_sheen/sheenRoughnessFactor", 0.9, (), ("sheen",), ""),
    ("extensions/KHR_materials_specular/specularColorFactor", [1, 0, 0], (), ("specular",), ""),
    ("extensions/KHR_materials_iridescence/iridescenceIor", 1.8, (), ("iridescence",), ""),
    ("extensions/KHR_materials_iridescence/iridescenceThicknessMaximum", 250, (), ("iridescence",), ""),
    ("extensions/KHR_materials_iridescence/iridescenceThicknessMinimum", 300, ("extensions/KHR_materials_iridescence/iridescenceThicknessTexture",), ("iridescence",), ""),
    ("extensions/KHR_materials_anisotropy/anisotropyRotation", 1.2, (), ("anisotropy",), ""),
    *[(f"{slot}/extensions/KHR_texture_transform/{part}", value, (slot,), (), "") for slot in SLOTS
      for part, value in (("offset", [0.6, 0.45]), ("scale", [-2, 0.5]), ("rotation", 1.9))],
    *[(f"extensions/KHR_materials_{name}/{slot}/extensions/KHR_texture_transform/offset", [0.6, 0.45], (f"extensions/KHR_materials_{name}/{slot}",), (name,), "")
      for name, slots in LAYERS.items() for slot in slots],
]
INDEX = {**SLOTS, **{f"extensions/KHR_materials_{name}/{slot}": index for name, slots in LAYERS.items() for slot, index in slots.items()}}
OTHERS = [
    (LIGHT + "color", [1, 0.2, 0.1], "light=file"), (LIGHT + "intensity", 60, "light=file"), (LIGHT + "range", 1.6, "light=file"),
    (LIGHT + "spot/outerConeAngle", 0.3, "light=file"), (LIGHT + "spot/innerConeAngle", 0.7, "light=file"),
    (CAMERA + "0/perspective/yfov", 0.9, "camera=0"), (CAMERA + "1/orthographic/ymag", 2, "camera=1"), (CAMERA + "1/orthographic/xmag", 2, "camera=1"),
]
REST = {LIGHT + "spot/outerConeAngle": math.pi / 4, LIGHT + "spot/innerConeAngle": 0}


def rest_of(root, pointer):
    """The value at rest; the specification's where the file has none."""
    at, last = parent(copy.deepcopy(root), pointer)
    missing = {"offset": [0, 0], "scale": 1, "strength": 1, "ior": 1.5, "specularFactor": 1, "specularColorFactor": [1, 1, 1], "iridescenceIor": 1.3,
               "iridescenceThicknessMaximum": 400, "iridescenceThicknessMinimum": 100, "sheenColorFactor": [0, 0, 0]}
    return at.get(last, REST.get(pointer, missing.get(last, 0)))


def image_of(answer):
    assert answer.status == 200, answer.body
    return numpy.asarray(Image.open(io.BytesIO(answer.body)).convert("RGBA"), int)


def opaque(answer):
    """The colours of a picture's opaque pixels."""
    return {tuple(colour[:3]) for colour in numpy.unique(image_of(answer).reshape(-1, 4), axis=0).tolist() if colour[3] == 255}


def picture(server, name, query):
    return image_of(server.get(f"/v1/render?model={name}&{query}"))


def prepared(pointer, textures, layers):
    named = [part[len("KHR_materials_"):] for part in pointer.split("/") if part.startswith("KHR_materials_")]
    document = scene([(slot, INDEX[slot]) for slot in textures], layers)
    if pointer.startswith(MATERIAL + "emissiveTexture"):
        document.root["materials"][0]["emissiveFactor"] = [0.5, 1, 1]
    for name in named:  # a layer without effect at rest
        document.root["materials"][0]["extensions"].setdefault(layer(name), {})
        document.root["extensionsUsed"].append(layer(name))
    return document


def query_of(query):
    return f"width=64&height=64&aa=0&wrap=clamp&{query}" + ("" if "camera=" in query else "&camera=three_quarter&frame=pose")


def apart(a, b):
    return numpy.abs(a - b).max()


@pytest.mark.parametrize("pointer, value, textures, layers, query",
                         [(MATERIAL + pointer, value, textures, layers, query) for pointer, value, textures, layers, query in CHANGES]
                         + [(pointer, value, (), (), query) for pointer, value, query in OTHERS])
def test_a_property_has_its_value_at_each_time(server, pointer, value, textures, layers, query):
    document = prepared(pointer, textures, layers)
    begin = rest_of(document.root, pointer)
    middle = [(a + b) / 2 for a, b in zip(begin, value)] if isinstance(value, list) else (begin + value) / 2
    query = query_of(query)
    stills = [picture(server, written(server, still(document, pointer, number)), query) for number in (begin, middle, value)]
    moving = written(server, animate(document, (pointer, [0, 2], [begin, value])))
    assert server.json("/v1/model", model=moving)["warnings"] == []
    answer = server.get(f"/v1/export?format=glb&model={moving}")
    assert answer.status == 200, answer.body
    exported = written(server, answer.body)
    assert server.json("/v1/model", model=exported)["warnings"] == []
    for t, expected in enumerate(stills):
        # a layer without effect at rest may be drawn by another program, which rounds in its own way
        shown = picture(server, moving, query + f"&clip=0&t={t}")
        assert apart(shown, expected) <= 1, t
        assert apart(picture(server, exported, query + f"&clip=0&t={t}"), shown) <= 1, t
    assert apart(stills[0], stills[2]) > 2


# --- what else moves, and how ---

RED, GREEN = [1, 0, 0, 1], [0, 1, 0, 1]
BASE_COLOR = MATERIAL + "pbrMetallicRoughness/baseColorFactor"


def unlit():
    """The bulge as a plane of one colour: each of its pixels is the base colour."""
    document = scene()
    document.root["materials"] = [{"pbrMetallicRoughness": {"baseColorFactor": RED}, "extensions": {"KHR_materials_unlit": {}}}]
    return document


def colours(server, name, query):
    return opaque(server.get(f"/v1/render?model={name}&{query_of(query)}"))


def srgb(*linear):
    return tuple(round(255 * (12.92 * c if c <= 0.0031308 else 1.055 * c ** (1 / 2.4) - 0.055)) for c in linear)


@pytest.mark.parametrize("interpolation, values, t, expected", [
    ("LINEAR", [RED, GREEN], 0.5, srgb(0.75, 0.25, 0)),
    ("STEP", [RED, GREEN], 1.9, srgb(1, 0, 0)),
    ("STEP", [RED, GREEN], 2, srgb(0, 1, 0)),
    # at half the time of two seconds: the mean, and 2 / 8 of the slopes' difference
    ("CUBICSPLINE", [[0] * 4, RED, [0, 0.5, 0, 0], [0, 0, -1, 0], GREEN, [0] * 4], 1, srgb(0.5, 0.5 + 0.125, 0.25)),
    # limited to what a colour can be
    ("LINEAR", [[-4, 9, 0.5, 1]] * 2, 1, srgb(0, 1, 0.5)),
])
def test_keys_are_interpolated_as_those_of_nodes(server, interpolation, values, t, expected):
    document = unlit()
    name = written(server, animate(document, (BASE_COLOR, [0, 2], values), interpolation=interpolation))
    assert colours(server, name, f"clip=0&t={t}") == {expected}


def test_integers_are_their_own_numbers(server):
    document = unlit()
    animate(document, (BASE_COLOR, [0, 2], [RED, GREEN]))
    document.root["accessors"][-1].update(componentType=5121, normalized=True)
    document.root["bufferViews"][-1].update(byteOffset=len(document.bytes), byteLength=8)
    document.bytes += bytes([255, 0, 0, 255, 0, 102, 0, 255])
    name = written(server, document.text())
    assert colours(server, name, "clip=0&t=2") == {srgb(0, 0.4, 0)}
    document.root["accessors"][-1].pop("normalized")
    document.bytes = document.bytes[:-8] + bytes([1, 0, 0, 1, 0, 1, 1, 1])
    assert colours(server, written(server, document.text()), "clip=0&t=2") == {srgb(0, 1, 1)}


def test_parts_of_one_number_move_together_and_alone(server):
    """An emission is the product of its factor and its strength; a transform has three parts."""
    document = scene([("pbrMetallicRoughness/baseColorTexture", 0)])
    root, place = document.root, MATERIAL + "pbrMetallicRoughness/baseColorTexture/extensions/KHR_texture_transform/"
    root["materials"][0].update(emissiveFactor=[0.1, 0.2, 0.3], extensions={"KHR_materials_emissive_strength": {"emissiveStrength": 0.5}})
    expected = json_copy(document)
    put(expected.root, MATERIAL + "emissiveFactor", [0.2, 0.1, 0])
    put(expected.root, MATERIAL + "extensions/KHR_materials_emissive_strength/emissiveStrength", 2)
    put(expected.root, place + "offset", [0.5, 0.25])
    put(expected.root, place + "rotation", -1)
    moving = written(server, animate(document, (MATERIAL + "extensions/KHR_materials_emissive_strength/emissiveStrength", [0, 1], [0.5, 2]),
                                     (place + "rotation", [0.5, 1], [0.3, -1]), (MATERIAL + "emissiveFactor", [0], [[0.2, 0.1, 0]]), (place + "offset", [0, 1], [[0.1, 0.2], [0.5, 0.25]])))
    still_name = written(server, expected.text())
    exported = written(server, server.get(f"/v1/export?format=glb&model={moving}").body)
    for name in (moving, exported):
        assert apart(picture(server, name, query_of("clip=0&t=1")), picture(server, still_name, query_of(""))) <= 1
    channels = json_of_glb((server.folder / exported).read_bytes())["animations"][0]["channels"]
    assert len(channels) == 5, channels  # the scale keeps its value


def test_the_cutoff_of_a_mask_moves(server):
    document = scene([("pbrMetallicRoughness/baseColorTexture", 3)])
    document.root["materials"][0].update(alphaMode="MASK", alphaCutoff=0.1)
    name = written(server, animate(document, (MATERIAL + "alphaCutoff", [0, 1], [0.1, 0.9])))
    covered = [(picture(server, name, query_of(f"clip=0&t={t}"))[:, :, 3] > 0).sum() for t in (0, 0.5, 1)]
    assert covered[0] > covered[1] > covered[2] > 0


def test_cones_and_distances_keep_their_order(server):
    """An inner cone as wide as the outer one, and a far plane before the near one."""
    spot = LIGHT + "spot/"
    name = written(server, animate(scene(), (spot + "innerConeAngle", [0], [0.7]), (spot + "outerConeAngle", [0], [0.4]),
                                   (CAMERA + "0/perspective/zfar", [0], [0.01]), (CAMERA + "0/perspective/znear", [0], [1])))
    for query in ("light=file", "camera=0"):
        assert picture(server, name, query_of(f"clip=0&t=0&{query}")).shape == (64, 64, 4)
    assert picture(server, name, query_of("clip=0&t=0&light=file"))[:, :, :3].max() > 100


def test_blends_and_clips_of_others_look_as_at_rest(server):
    """Another file's clip moves nodes by name, and nothing else of the model."""
    document = unlit()
    document.root["nodes"][0]["name"] = "card"
    other = written(server, document.text())
    animate(document, (BASE_COLOR, [0, 2], [GREEN, GREEN]))
    document.root["animations"][0]["samplers"].append({"input": document.accessor("SCALAR", [0.0, 2.0], bounds=True), "output": document.accessor("VEC3", [0.0] * 6)})
    document.root["animations"][0]["channels"].append({"sampler": 1, "target": {"node": 0, "path": "translation"}})
    moving = written(server, document.text())
    assert colours(server, moving, "clip=0&t=1") == {srgb(0, 1, 0)} and colours(server, moving, "clip=-") == {srgb(1, 0, 0)}
    assert colours(server, other, f"clip_file={moving}&clip=0&t=1") == {srgb(1, 0, 0)}
    text = json.dumps({"model": moving, "layers": [{"clip": 0, "t": 1, "weight": 1}], "width": 64, "height": 64, "aa": 0})
    with server.connect() as connection:
        connection.send(f"POST /v1/render HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {len(text)}\r\n\r\n{text}")
        assert opaque(connection.answer()) == {srgb(1, 0, 0)}


def test_a_posed_file_has_the_look_of_its_time(server):
    name = written(server, animate(unlit(), (BASE_COLOR, [0, 2], [RED, GREEN])))
    for t, colour in ((0, RED), (1, [0.5, 0.5, 0, 1]), (2, GREEN)):
        posed = json_of_glb(server.get(f"/v1/mesh?format=glb&model={name}&clip=0&wrap=clamp&t={t}").body)
        assert posed["materials"][0]["pbrMetallicRoughness"]["baseColorFactor"] == colour


def test_sheets_show_the_look_of_each_cell(server):
    name = written(server, animate(unlit(), (BASE_COLOR, [0, 1, 2], [RED, GREEN, [0, 0, 1, 1]]), interpolation="STEP"))
    pixels = image_of(server.get(f"/v1/sheet?model={name}&clip=0&wrap=clamp&t=0,1,2&columns=3&width=32&height=32&aa=0"))
    assert [tuple(pixels[16, 32 * i + 16, :3].tolist()) for i in range(3)] == [srgb(1, 0, 0), srgb(0, 1, 0), srgb(0, 0, 1)]


def test_an_export_of_sampled_poses_keeps_these_keys(server):
    name = written(server, animate(unlit(), (BASE_COLOR, [0, 2], [RED, GREEN]), interpolation="STEP"))
    document = json_of_glb(server.get(f"/v1/export?format=glb&model={name}&fps=30").body)
    sampler, = document["animations"][0]["samplers"]
    assert sampler["interpolation"] == "STEP" and document["accessors"][sampler["input"]]["count"] == 2
    assert document["extensionsUsed"].count("KHR_animation_pointer") == 1


def test_keys_lists_the_channels(server):
    """With their limits, and the parts of a transform that keep their value. A light is told once for each node that has it."""
    document = scene([("pbrMetallicRoughness/baseColorTexture", 0)])
    document.root["nodes"] += [{"extensions": {"KHR_lights_punctual": {"light": 0}}}, {"name": "still"}]
    place = MATERIAL + "pbrMetallicRoughness/baseColorTexture/extensions/KHR_texture_transform/"
    name = written(server, animate(document, (place + "rotation", [0, 1], [0, 1]), (LIGHT + "intensity", [0.5], [3])))
    clip, = server.json("/v1/model", model=name)["clips"]
    assert (clip["channels"], clip["properties"], clip["duration"]) == (0, 5, 1)
    for query in ({}, {"path": "property"}, {"path": "scale,property"}):
        answer, = server.json("/v1/keys", model=name, **query)["clips"]
        assert answer["channels"] == []
        said = {channel["pointer"]: (channel["interpolation"], channel["components"], channel["times"], channel["values"]) for channel in answer["properties"]}
        assert said == {
            place + "offset": ("STEP", 2, [0], pytest.approx([0.1, 0.2])), place + "scale": ("STEP", 2, [0], pytest.approx([0.8, 1.2])),
            place + "rotation": ("LINEAR", 1, [0, 1], [0, 1]),
            LIGHT + "intensity": ("LINEAR", 1, [0.5], [3]), LIGHT.replace("0", "1") + "intensity": ("LINEAR", 1, [0.5], [3])}
        limits = {channel["pointer"]: (channel["least"], channel["most"]) for channel in answer["properties"]}
        assert limits[place + "rotation"] == (-1e6, 1e6) and limits[LIGHT + "intensity"][0] == 0
    for query in ({"path": "scale"}, {"joints": "still"}):
        assert "properties" not in server.json("/v1/keys", model=name, **query)["clips"][0]
    lines = posectl("text", str(server.folder / name)).out.splitlines()
    assert [line for line in lines if "KHR_texture_transform/rotation" in line] == [
        f"clip -: {place}rotation at 0 s: 0", f"clip -: {place}rotation at 1 s: 1"]


# --- pointers at nothing ---

@pytest.mark.parametrize("pointer, values, why", [
    ("/materials/1/emissiveFactor", [[1, 1, 1]], "which the file does not have"),
    ("/materials/4294967296/emissiveFactor", [[1, 1, 1]], "which is not animated here"),
    ("/materials/00/emissiveFactor", [[1, 1, 1]], "which is not animated here"),
    ("/materials/-1/emissiveFactor", [[1, 1, 1]], "which is not animated here"),
    ("/materials//emissiveFactor", [[1, 1, 1]], "which is not animated here"),
    ("/materials/0/emissiveFactor/0", [1], "which is not animated here"),
    ("/materials/0/emissiveFactors", [[1, 1, 1]], "which is not animated here"),
    ("/materials/0/name", [1], "which is not animated here"),
    ("/materials/0/" + "a" * 5000, [1], "which is not animated here"),
    ("", [1], "which is not animated here"),
    ("/materials/0/normalTexture/scale", [1], "which the file does not have"),
    ("/materials/0/extensions/KHR_materials_ior/ior", [1], "which the file does not have"),
    ("/materials/0/extensions/KHR_materials_dispersion/dispersion", [1], "which is not animated here"),
    ("/materials/0/pbrMetallicRoughness/baseColorTexture/extensions/KHR_texture_transform/offset", [[1, 1]], "which the file does not have"),
    (LIGHT.replace("0", "1") + "intensity", [1], "which the file does not have"),
    (CAMERA + "0/orthographic/xmag", [1], "which the file does not have"),
    (CAMERA + "1/perspective/yfov", [1], "which the file does not have"),
    (CAMERA + "7/perspective/yfov", [1], "which the file does not have"),
])
def test_a_pointer_at_nothing_is_told(server, pointer, values, why):
    name = written(server, animate(scene(), (pointer, [0], values)))
    warning, = server.json("/v1/model", model=name)["warnings"]
    assert warning["code"] == "channel_ignored"
    assert warning["message"].startswith(f"animations[0].channels[0] points at '{pointer[:100]}") and warning["message"].endswith(why)


def test_what_no_picture_shows_is_told(server):
    document = scene()
    root = document.root
    del root["nodes"][1]["extensions"]  # no node has the light
    root["materials"][0]["extensions"] = {"KHR_materials_unlit": {}, "KHR_materials_clearcoat": {}}
    name = written(server, animate(document, (LIGHT + "intensity", [0], [1]), (MATERIAL + "extensions/KHR_materials_clearcoat/clearcoatFactor", [0], [1])))
    assert [warning["message"].split(", which ")[1] for warning in server.json("/v1/model", model=name)["warnings"]] == ["no picture shows"] * 2


def test_the_first_of_two_channels_counts(server):
    name = written(server, animate(unlit(), (BASE_COLOR, [0], [GREEN]), (BASE_COLOR, [0], [RED])))
    assert colours(server, name, "clip=0&t=0") == {srgb(0, 1, 0)}
    assert [warning["message"] for warning in server.json("/v1/model", model=name)["warnings"]] == [
        "animations[0].channels[1] moves what channels[0] before it points at"]


@pytest.mark.parametrize("kind, component, word", [("VEC3", 5126, "VEC3"), ("SCALAR", 5126, "SCALAR"), ("VEC4", 5125, "UNSIGNED_INT")])
def test_keys_of_another_type_are_refused(server, kind, component, word):
    document = unlit()
    animate(document, (BASE_COLOR, [0], [RED]))
    document.root["accessors"][-1].update(type=kind, componentType=component)
    answer = server.get(f"/v1/model?model={written(server, document.text())}")
    assert answer.status == 422
    assert all(part in answer.json()["error"]["message"] for part in ("animations[0].channels[0]./materials/0/pbrMetallicRoughness/baseColorFactor", "accessors[", word))


def test_a_light_at_several_nodes_moves_at_all(server):
    document = scene()
    document.root["nodes"].append({"translation": [0.9, 0.1, 1.5], "extensions": {"KHR_lights_punctual": {"light": 0}}})
    document.root["scenes"][0]["nodes"].append(4)
    expected = picture(server, written(server, still(document, LIGHT + "intensity", 2)), query_of("light=file"))
    name = written(server, animate(document, (LIGHT + "intensity", [0], [2])))
    assert apart(picture(server, name, query_of("clip=0&t=0&light=file")), expected) <= 1
    exported = written(server, server.get(f"/v1/export?format=glb&model={name}").body)
    assert apart(picture(server, exported, query_of("clip=0&t=0&light=file")), expected) <= 1


def test_a_light_that_channels_move_twice_is_told_once_for_all_its_nodes(server):
    document = scene()
    document.root["nodes"] += [{"extensions": {"KHR_lights_punctual": {"light": 0}}} for _ in range(5)]
    name = written(server, animate(document, *[(LIGHT + "intensity", [0], [n]) for n in range(3)]))
    model = server.json("/v1/model", model=name)
    assert model["clips"][0]["properties"] == 6
    assert [warning["message"] for warning in model["warnings"]] == [
        f"animations[0].channels[{n}] moves what channels[0] before it points at" for n in (1, 2)]
