"""A glTF file with everything that posed itself does not use: copyright, extras, scenes, extensions of others, markers."""
import base64
import json
import struct

PNG = base64.b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")
TRIANGLE = (0, 0, 0, 1, 0, 0, 0, 1, 0)


def vrm(meta=None):
    return {"specVersion": "1.0",
            "meta": meta or {"name": "Ada", "authors": ["Ada L."], "licenseUrl": "https://vrm.dev/licenses/1.0/", "thumbnailImage": 0},
            "humanoid": {"humanBones": {"hips": {"node": 2}, "head": {"node": 3}}},
            "firstPerson": {"meshAnnotations": [{"node": 1, "type": "both"}]},
            "expressions": {"preset": {"happy": {"morphTargetBinds": [{"node": 1, "index": 0, "weight": 0.5}],
                                                 "materialColorBinds": [{"material": 0, "type": "color", "targetValue": [1, 0, 0, 1]}]}}}}


def document():
    """Node 1 draws mesh 0, 4 and 5 draw mesh 1; scene 1 is shown."""
    blob, views, accessors = b"", [], []

    def add(kind, numbers, width):
        nonlocal blob
        data = numbers if isinstance(numbers, bytes) else struct.pack(f"<{len(numbers)}f", *numbers)
        views.append({"buffer": 0, "byteOffset": len(blob), "byteLength": len(data)})
        blob += data + bytes(-len(data) % 4)
        if kind:
            accessors.append({"bufferView": len(views) - 1, "componentType": 5126, "count": len(numbers) // width, "type": kind,
                              "min": [min(numbers[i::width]) for i in range(width)], "max": [max(numbers[i::width]) for i in range(width)]})

    add("VEC3", TRIANGLE, 3)
    add("VEC2", (0, 0, 1, 0, 0, 1), 2)
    add("VEC2", (.5, 0, 1, .5, 0, .25), 2)
    add("SCALAR", (0, 1), 1)
    add("VEC3", (0, 0, 0, 1, 2, 3), 3)
    add("SCALAR", (1, 2, 3), 1)
    add(None, PNG, 1)
    return {
        "asset": {"version": "2.0", "generator": 'a "tool"', "copyright": "2026 Ada, CC-BY 4.0",
                  "extras": {"title": "A fine\u00e9 thing", "author": {"name": "Ada"}, "hash": "its own"}},
        "extras": {"of": "the document"},
        "extensionsUsed": ["KHR_lights_punctual", "VRMC_vrm", "VRMC_springBone", "KHR_xmp_json_ld", "MSFT_lod", "KHR_materials_volume",
                           "KHR_materials_transmission", "X_unknown", "VRMC_node_constraint"],
        "extensions": {
            "KHR_lights_punctual": {"lights": [{"type": "point", "name": "lamp", "extras": {"watt": 60}}]},
            "X_unknown": {"node": 1},
            "KHR_xmp_json_ld": {"packets": [{"@context": {"dc": "http://purl.org/dc/elements/1.1/"}, "dc:creator": "Ada"}]},
            "VRMC_vrm": vrm(),
            "VRMC_springBone": {"specVersion": "1.0", "springs": [{"name": "tail", "joints": [{"node": 2}, {"node": 3}], "center": 0}]}},
        "scene": 1,
        "scenes": [{"name": "studio", "nodes": [4], "extras": {"s": 0}},
                   {"name": "main", "nodes": [0], "extras": {"s": 1}, "extensions": {"KHR_xmp_json_ld": {"packet": 0}}}, {"nodes": [5]}],
        "nodes": [{"name": "root", "children": [1, 2]},
                  {"name": "body", "mesh": 0, "translation": [0, 1, 0], "extensions": {"MSFT_lod": {"ids": [5]}}},
                  {"name": "bone", "children": [3], "camera": 0, "extensions": {"KHR_lights_punctual": {"light": 0}}},
                  {"name": "tip", "extensions": {"VRMC_node_constraint": {
                      "specVersion": "1.0", "constraint": {"rotation": {"source": 2, "weight": 0.5}}}}},
                  {"name": "stage", "mesh": 1}, {"name": "far", "mesh": 1}],
        "cameras": [{"name": "eye", "type": "perspective", "perspective": {"yfov": 1, "znear": .125}, "extras": {"c": 1}},
                    {"name": "spare", "type": "perspective", "perspective": {"yfov": 1, "znear": .125}}],
        "meshes": [{"name": "m", "extras": {"targetNames": ["smile"], "lod": 2, "s": "}{"}, "primitives": [
                       {"attributes": {"POSITION": 0, "TEXCOORD_0": 1, "TEXCOORD_1": 2, "TEXCOORD_2": 2, "_ID": 5}, "material": 0,
                        "targets": [{"POSITION": 0}], "extras": {"p": 7}}]},
                   {"primitives": [{"attributes": {"POSITION": 0, "TEXCOORD_0": 1}, "material": 1}], "extras": {"q": 1},
                    "extensions": {"KHR_xmp_json_ld": {"packet": 0}}}],
        "materials": [{"name": "skin", "pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}},
                      {"name": "glass", "extensions": {"KHR_materials_transmission": {"transmissionFactor": 1}, "KHR_materials_volume": {
                          "thicknessFactor": .5, "attenuationColor": [1, .5, .5], "thicknessTexture": {"index": 0}}}}],
        "textures": [{"name": "tex", "source": 0, "sampler": 0, "extras": {"t": 1}}],
        "samplers": [{"name": "smp", "wrapS": 33071, "extras": {"sm": 1}}],
        "images": [{"name": "img", "bufferView": 6, "mimeType": "image/png", "extras": {"i": 1}}],
        "animations": [{"name": "go", "channels": [{"sampler": 0, "target": {"node": 2, "path": "translation"}}],
                        "samplers": [{"input": 3, "output": 4}],
                        "extras": {"markers": [{"time": .5, "name": "step", "value": "left"}, {"time": .25, "name": "blink"}, {"time": "x"}]}}],
        "accessors": accessors, "bufferViews": views,
        "buffers": [{"byteLength": len(blob), "uri": "data:application/octet-stream;base64," + base64.b64encode(blob).decode()}]}


def text(**changes):
    """The file, with other members at its top."""
    return json.dumps({**document(), **changes})
