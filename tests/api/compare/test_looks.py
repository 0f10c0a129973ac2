"""What clips move beside joints is compared: numbers of materials, lights and cameras, the place of textures, the visibility of nodes. So
are normals of morph targets, and texture coordinates where a texture repeats."""
import json

import pytest

import conftest
import seen_pairs
import small_scenes

DRAWS = False

TIMES = [0.0, 0.5, 1.0]


def curve(file, pointer, rows, mode="LINEAR"):
    """A channel more of the first clip, at anything."""
    clip = file.document["animations"][0]
    clip["channels"].append({"sampler": len(clip["samplers"]), "target": {
        "path": "pointer", "extensions": {"KHR_animation_pointer": {"pointer": pointer}}}})
    component, values = (5121, [[int(row)] for row in rows]) if mode == "STEP" else (5126, rows)
    clip["samplers"].append({"input": file.rows([[t] for t in TIMES], has_bounds=True), "output": file.rows(values, component),
                             "interpolation": mode})
    file.document["extensionsUsed"] = ["KHR_animation_pointer", "KHR_lights_punctual", "KHR_texture_transform", "KHR_node_visibility"]


def plate(*curves, edit=None, is_in_material=False):
    """The plate of seen_pairs on its rotated, scaled node, with a light and a camera, and curves (pointer, rows[, mode])."""
    file = small_scenes.file_of(seen_pairs.plate(True, is_in_material=is_in_material))
    document = file.document
    document["extensions"] = {"KHR_lights_punctual": {"lights": [{"type": "point", "name": "lamp", "intensity": 40}]}}
    document["cameras"] = [{"type": "perspective", "name": "eye", "perspective": {"yfov": 0.8, "znear": 0.1}}]
    document["nodes"] += [{"name": "lamp", "extensions": {"KHR_lights_punctual": {"light": 0}}}, {"name": "eye", "camera": 0}]
    document["scenes"][0]["nodes"] += [1, 2]
    for one in curves:
        curve(file, *one)
    document.setdefault("extensionsUsed", ["KHR_lights_punctual"])
    if edit:
        edit(file)
    return file.glb()


ROUGHNESS = "/materials/0/pbrMetallicRoughness/roughnessFactor"
COLOR = "/materials/0/pbrMetallicRoughness/baseColorFactor"
OFFSET = "/materials/0/normalTexture/extensions/KHR_texture_transform/offset"
LIGHT = "/extensions/KHR_lights_punctual/lights/0/intensity"
VIEW = "/cameras/0/perspective/yfov"
SHOWN = "/nodes/0/extensions/KHR_node_visibility/visible"


def red(middle):
    return (COLOR, [[1, 0, 0, 1], [middle, 0, 0, 1], [1, 0, 0, 1]])


def normals(lean):
    """A target that moves normals too."""
    def edit(file):
        part = file.document["meshes"][0]["primitives"][0]
        part["targets"][0]["NORMAL"] = file.rows([[lean, 0, 0]] * 6)
    return edit


def shifted(by, vertices=range(6), wrap=10497):
    """Texture coordinates moved by whole numbers, of some vertices; the same wrap in both files."""
    def edit(file):
        part = file.document["meshes"][0]["primitives"][0]
        scene = seen_pairs.plate(True)["meshes"]["plate"][0]
        rows = [[u + by[0] * (i in vertices), v + by[1] * (i in vertices)] for i, (u, v) in enumerate(scene["uvs"])]
        part["attributes"]["TEXCOORD_0"] = file.rows(rows)
        file.document["samplers"] = [{"wrapS": wrap, "wrapT": wrap}]
        file.document["textures"] = [{**texture, "sampler": 0} for texture in file.document["textures"]]
    return edit


REPEAT, CLAMP, MIRROR = 10497, 33071, 33648
# name: (old, new, kinds of the differences in order, words of the first message)
PAIRS = {
    "roughness": (plate((ROUGHNESS, [[1], [0.2], [1]])), plate((ROUGHNESS, [[1], [0.5], [1]])),
                  ["look"], ("clip 'grow'", "material 'cloth'", "roughnessFactor is 0.5 and was 0.2", "at 0.5 s")),
    "color": (plate(red(0.4)), plate(red(0.5)), ["look"], ("baseColorFactor is 0.5, 0, 0, 1 and was 0.4, 0, 0, 1",)),
    "color_is_the_same": (plate(red(0.4)), plate(red(0.4005)), [], ()),
    "color_is_lost": (plate(red(0.4)), plate(), ["look"], ("material 'cloth'", "baseColorFactor is 1, 1, 1, 1 and was 1, 0, 0, 1")),
    "texture_moves": (plate((OFFSET, [[0, 0], [0.25, 0], [0, 0]]), is_in_material=True),
                      plate((OFFSET, [[0, 0], [0.5, 0], [0, 0]]), is_in_material=True), ["look"], ("normalTexture", "KHR_texture_transform", "at 0.5 s")),
    "texture_moves_by_one": (plate((OFFSET, [[0, 0], [1, 0], [0, 0]]), is_in_material=True),
                             plate((OFFSET, [[1, 0], [2, 0], [1, 0]]), is_in_material=True), [], ()),
    "light": (plate((LIGHT, [[40], [10], [40]])), plate((LIGHT, [[40], [11], [40]])), ["look"], ("light 'lamp'", "intensity is 11 and was 10")),
    "camera": (plate((VIEW, [[0.8], [0.5], [0.8]])), plate((VIEW, [[0.8], [0.6], [0.8]])), ["look"], ("camera 'eye'", "yfov is 0.6 and was 0.5")),
    "shown": (plate((SHOWN, [1, 0, 1], "STEP")), plate((SHOWN, [1, 1, 1], "STEP")),
              ["look"], ("node 'plate'", "is shown and was hidden", "at 0.5 s")),
    "shown_as_before": (plate((SHOWN, [1, 0, 1], "STEP")), plate((SHOWN, [1, 0, 1], "STEP")), [], ()),
    "normals_of_a_target": (plate(edit=normals(0.2)), plate(edit=normals(1.5)), ["morph_targets"], ("'up'", "turns normals otherwise")),
    "normals_of_a_target_nearly": (plate(edit=normals(0.2)), plate(edit=normals(0.21)), [], ()),
    "repeats": (plate(edit=shifted((0, 0))), plate(edit=shifted((2, -1))), [], ()),
    "repeats_and_stretched": (plate(edit=shifted((0, 0))), plate(edit=shifted((1, 0), [0])), ["mesh"], ("somewhere else on the textures",)),
    "elsewhere_and_stretched": (plate(edit=shifted((0, 0))), plate(edit=shifted((1.3, 0), [0])), ["mesh"], ("3 vertices are somewhere else",)),
    "clamped": (plate(edit=shifted((0, 0), wrap=CLAMP)), plate(edit=shifted((1, 0), wrap=CLAMP)), ["mesh"], ("6 vertices", "on the textures")),
    "mirrored": (plate(edit=shifted((0, 0), wrap=MIRROR)), plate(edit=shifted((1, 0), wrap=MIRROR)), ["mesh"], ("6 vertices",)),
    "mirrored_twice": (plate(edit=shifted((0, 0), wrap=MIRROR)), plate(edit=shifted((2, 4), wrap=MIRROR)), [], ()),
}


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    root = tmp_path_factory.mktemp("looks")
    for name, (old, new, *_) in PAIRS.items():
        (root / f"{name}.old.glb").write_bytes(old)
        (root / f"{name}.new.glb").write_bytes(new)
    running = conftest.Server(root, "--log", "off", "--render-workers", "0")
    yield running
    running.end()


@pytest.mark.parametrize("name", PAIRS)
def test_pairs(server, name):
    _, _, kinds, words = PAIRS[name]
    answer = server.json("/v1/compare", model=f"{name}.new.glb", **{"with": f"{name}.old.glb"})
    told = answer["differences"]
    assert [one["kind"] for one in told] == kinds and all(word in told[0]["message"] for word in words), json.dumps(answer, indent=1)
    assert answer["equal"] == (not kinds)


def test_a_look_has_its_subject_and_values(server):
    one = server.json("/v1/compare", model="roughness.new.glb", **{"with": "roughness.old.glb"})["differences"][0]
    assert one["subject"] == {"clip": "grow", "clips": [0, 0], "material": "cloth", "materials": [0, 0]}
    assert (round(one["old"], 3), round(one["new"], 3), one["time_s"]) == (0.2, 0.5, 0.5)
    node = server.json("/v1/compare", model="shown.new.glb", **{"with": "shown.old.glb"})["differences"][0]
    assert (node["subject"]["joint"], node["old"], node["new"]) == ("plate", "hidden", "shown")
