"""What an export keeps of a glTF source beyond what posed uses, and the list of what it drops."""
import copy
import json
import struct
import zipfile

import pytest

import rich_gltf
import textured_models
from conftest import REPOSITORY
from importers import NO_RENDERING
from small_fbx import fbx

DRAWS = False


def glb(body):
    size, = struct.unpack_from("<I", body, 12)
    return json.loads(body[20:20 + size])


@pytest.fixture
def export(start, tmp_path):
    server = start(*NO_RENDERING, root=tmp_path)

    def ask(content, query="", name="rich.gltf"):
        (tmp_path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
        answer = server.get(f"/v1/export?model={name}{query}")
        assert answer.status == 200, answer.body
        return answer.body
    ask.model = lambda name: server.get(f"/v1/model?model={name}").json()
    ask.get = server.get
    ask.root = tmp_path
    return ask


def without(value, *names):
    return {key: one for key, one in value.items() if key not in names}


def dropped(file):
    return {(one["code"], one["message"]) for one in file["asset"]["extras"]["dropped"]}


@pytest.mark.short
def test_everything_of_the_source_is_there_or_told(export):
    source, file = rich_gltf.document(), glb(export(rich_gltf.text()))
    asset = file["asset"]
    assert asset["copyright"] == source["asset"]["copyright"] and asset["generator"].startswith("posed ")
    assert asset["extras"]["generator"] == 'a "tool"' and asset["extras"]["title"] == "A fine\u00e9 thing"
    assert asset["extras"]["author"] == {"name": "Ada"} and len(asset["extras"]["hash"]) == 64
    assert (file["extras"], file["scene"], file["scenes"]) == (source["extras"], 1, source["scenes"])
    assert [mesh.get("extras") for mesh in file["meshes"]] == [mesh["extras"] for mesh in source["meshes"]]
    assert file["meshes"][0]["primitives"][0]["extras"] == {"p": 7}
    assert [file["cameras"][0]["name"], file["cameras"][0]["extras"]] == ["eye", {"c": 1}] and len(file["cameras"]) == 1
    for kind in "textures", "samplers", "images":
        assert (file[kind][0]["name"], file[kind][0]["extras"]) == (source[kind][0]["name"], source[kind][0]["extras"])
    light = file["extensions"]["KHR_lights_punctual"]["lights"][0]
    assert (light["name"], light["extras"]) == ("lamp", {"watt": 60})
    assert dropped(file) == {
        ("attribute", "TEXCOORD_2: meshes[0].primitives[0]"), ("attribute", "_ID: meshes[0].primitives[0]"), ("extension", "X_unknown"),
        ("extension", "VRMC_vrm: meta/thumbnailImage"), ("extension", "KHR_materials_volume: */index"),
        ("extras", "hash: asset.extras"), ("unused", "camera without a node: cameras[1]")}


def test_texture_coordinates_that_no_texture_uses(export):
    body = export(rich_gltf.text())
    file = glb(body)
    accessor = file["accessors"][file["meshes"][0]["primitives"][0]["attributes"]["TEXCOORD_1"]]
    binary = 20 + struct.unpack_from("<I", body, 12)[0] + 8
    values = struct.unpack_from("<6f", body, binary + file["bufferViews"][accessor["bufferView"]]["byteOffset"])
    assert values == (.5, 0, 1, .5, 0, .25)


def test_extensions_are_the_sources(export):
    source, file = rich_gltf.document(), glb(export(rich_gltf.text()))
    for name in "KHR_xmp_json_ld", "VRMC_springBone":
        assert file["extensions"][name] == source["extensions"][name]
    expected = copy.deepcopy(source["extensions"]["VRMC_vrm"])
    del expected["meta"]["thumbnailImage"]  # images have other numbers
    assert file["extensions"]["VRMC_vrm"] == expected
    assert [node.get("extensions") for node in file["nodes"]] == [node.get("extensions") for node in source["nodes"]]
    assert file["materials"][1]["extensions"]["KHR_materials_volume"] == without(
        source["materials"][1]["extensions"]["KHR_materials_volume"], "thicknessTexture")
    assert set(file["extensionsUsed"]) == set(source["extensionsUsed"]) - {"X_unknown"} and "extensionsRequired" not in file


def test_numbers_are_those_of_the_file(export):
    """With a part of the nodes all numbers change. What names nodes of other parts goes."""
    def later(value):
        if isinstance(value, dict):
            return {k: later(v) if isinstance(v, (dict, list)) and k not in ("nodes", "children", "ids") else [n + 1 for n in v]
                    if isinstance(v, list) else v + 1 if k in ("node", "source", "center") else v for k, v in value.items()}
        return [later(one) for one in value] if isinstance(value, list) else value

    source = rich_gltf.document()
    nodes = [without(node, "camera") for node in source["nodes"]]
    whole = {**without(source, "animations"), "nodes": [{"name": "first"}] + later(nodes), "scenes": later(source["scenes"]),
             "extensions": later(source["extensions"])}
    file = glb(export(json.dumps(whole), "&subtree=bone&clips=-"))
    names = [node.get("name") for node in file["nodes"]]
    spring = file["extensions"]["VRMC_springBone"]["springs"][0]
    assert [names[joint["node"]] for joint in spring["joints"]] == ["bone", "tip"] and names[spring["center"]] == "root"
    assert names.index("tip") != 4
    constraint = file["nodes"][names.index("tip")]["extensions"]["VRMC_node_constraint"]["constraint"]["rotation"]
    assert names[constraint["source"]] == "bone"
    human = file["extensions"]["VRMC_vrm"]
    assert [names[human["humanoid"]["humanBones"][bone]["node"]] for bone in ("hips", "head")] == ["bone", "tip"]
    assert human["firstPerson"]["meshAnnotations"] == [] and human["expressions"]["preset"]["happy"]["morphTargetBinds"] == []
    assert ("extension", "VRMC_vrm: firstPerson/meshAnnotations/*/node, which is not in this file") in dropped(file)
    assert len(file["scenes"]) == 1 and any(code == "scene" for code, _ in dropped(file))
    boneless = glb(export(json.dumps(whole), "&subtree=body&clips=-"))
    assert "VRMC_vrm" not in boneless.get("extensions", {}) and "VRMC_vrm" not in boneless.get("extensionsUsed", [])
    assert ("extension", "VRMC_vrm, which names what is not in this file") in dropped(boneless)


def test_what_parts_of_objects_say_is_told(export):
    source, other = rich_gltf.document(), {"extras": {"p": 1}, "extensions": {"X_part": {}}}
    animation, camera, lights = source["animations"][0], source["cameras"][0], source["extensions"]["KHR_lights_punctual"]["lights"]
    lights[0] |= {"type": "spot", "spot": {"outerConeAngle": 0.5, **other}}
    source["materials"][0]["normalTexture"] = {"index": 0, **other}
    for one in animation["samplers"][0], animation["channels"][0], animation["channels"][0]["target"], camera["perspective"]:
        one |= other
    for one in animation, source["images"][0], source["samplers"][0]:
        one["extensions"] = {"X_own": {}}
    animation["channels"].append({"sampler": 0, "target": {"path": "pointer", "extensions": {"KHR_animation_pointer": {"pointer": "/materials/0/unknown"}}}})
    told = dropped(glb(export(json.dumps(source)))) - dropped(glb(export(rich_gltf.text())))
    assert told == {
        ("extras", "normalTexture.extras: materials[0]"), ("extras", "samplers.extras: animations[0]"), ("extras", "channels.extras: animations[0]"),
        ("extras", "channels.target.extras: animations[0]"), ("extras", "perspective.extras: cameras[0]"), ("extras", "spot.extras: lights[0]"),
        ("extension", "X_part: materials[0].normalTexture and 5 more"), ("extension", "X_own: animations[0] and 2 more"),
        ("channel", "channel of KHR_animation_pointer: animations[0].channels[1]")}


def test_objects_that_nothing_uses_are_told(export):
    source = rich_gltf.document()
    source["extensions"]["KHR_lights_punctual"]["lights"].append({"type": "point", "name": "spare"})
    source["images"].append({**source["images"][0], "name": "spare"})
    source["samplers"].append({"name": "spare"})
    told = dropped(glb(export(json.dumps(source)))) - dropped(glb(export(rich_gltf.text())))
    assert told == {("unused", "light without a node: lights[1]"), ("unused", "image that no texture shows: images[1]"),
                    ("unused", "sampler without a texture: samplers[1]")}


def test_a_picture_that_only_an_extension_names_keeps_its_name(export):
    source = rich_gltf.document()
    source["textures"][0] = {"name": "tex", "extensions": {"EXT_texture_webp": {"source": 0}}}
    assert [(image["name"], image["extras"]) for image in glb(export(json.dumps(source)))["images"]] == [("img", {"i": 1})]


@pytest.mark.parametrize("query, skeleton, expected", [("", 0, "root"), ("", 3, "bone"), ("&subtree=bone", 0, "root"), ("&subtree=bone", 3, "bone"),
                                                       ("&up=z", 3, "bone"), ("", 4, None), ("", 1, None)])
def test_the_skeleton_of_a_skin_stays(export, query, skeleton, expected):
    """It is above all joints: numbers change with the nodes. Elsewhere, the file has none, and says so."""
    source = rich_gltf.document()
    source["nodes"] = [{"name": "root", "children": [1, 3]}, {"name": "stage"}, {"name": "body", "mesh": 0, "skin": 0},
                       {"name": "bone", "translation": [1, 2, 0], "rotation": [0, 0, 0.6, 0.8], "scale": [1, 2, 1], "children": [4, 2]}, {"name": "tip"}]
    source["scenes"], source["scene"] = [{"nodes": [0]}], 0
    source["skins"] = [{"joints": [4, 3], "skeleton": skeleton, "name": "s"}]
    source["animations"][0]["channels"][0]["target"]["node"] = 3
    source["extensions"] = {}
    weights = len(source["accessors"])
    source["accessors"] += [{"componentType": 5121, "count": 3, "type": "VEC4"}, {"componentType": 5126, "count": 3, "type": "VEC4"}]
    source["meshes"][0]["primitives"][0]["attributes"] |= {"JOINTS_0": weights, "WEIGHTS_0": weights + 1}
    file = glb(export(json.dumps(source), query))
    assert [file["nodes"][skin["skeleton"]]["name"] if "skeleton" in skin else None for skin in file["skins"]] == [expected]
    assert ("skeleton", "the skeleton of a skin, which is not above its joints") in dropped(file) or expected


@pytest.mark.parametrize("image, code, words", [({"uri": "nowhere.png"}, "texture_missing", "'nowhere.png'"),
                                                ({"uri": "data:image/png;base64,AAAA"}, "texture_broken", "texture"),
                                                (None, "texture_without_image", "textures[0]")])
def test_a_texture_that_the_file_lacks_is_a_warning(export, image, code, words):
    source = rich_gltf.document()
    if image:
        source["images"][0] = image
    else:
        source["textures"][0] = {}

    def said(query=""):
        warnings = glb(export(json.dumps(source), query))["asset"]["extras"]["warnings"]
        return [one for one in warnings if one["code"] != "constraints_kept"]
    warning, = said()
    assert warning["code"] == code and words in warning["message"]
    assert said("&textures=none") == []


def test_an_old_human_keeps_authors_and_licence(export):
    old = {"meta": {"title": "Ada", "author": "Ada L.", "licenseName": "CC_BY", "texture": 0},
           "humanoid": {"humanBones": [{"bone": "hips", "node": 2}]}, "firstPerson": {"firstPersonBone": -1, "meshAnnotations": [{"mesh": 1}]},
           "blendShapeMaster": {"blendShapeGroups": [{"name": "A", "binds": [{"mesh": 0, "index": 0, "weight": 100}]}]},
           "secondaryAnimation": {"boneGroups": [{"center": -1, "bones": [3]}]},
           "materialProperties": [{"name": "skin", "textureProperties": {"_MainTex": 0}}]}
    file = glb(export(rich_gltf.text(extensions={"VRM": old, "KHR_lights_punctual": rich_gltf.document()["extensions"]["KHR_lights_punctual"]})))
    expected = copy.deepcopy(old)
    del expected["meta"]["texture"]
    expected["materialProperties"][0]["textureProperties"] = {}
    assert file["extensions"]["VRM"] == expected


def test_one_scene_is_left_below_a_node_above_all(export):
    file = glb(export(rich_gltf.text(), "&up=z"))
    assert (file["scene"], len(file["scenes"]), file["scenes"][0]["name"]) == (0, 1, "main")
    assert ("scene", "the scenes that are not shown, because of the nodes of this file") in dropped(file)


def test_again_and_again_is_the_same(export):
    """A file that posed wrote loses nothing more, and its own remarks do not pile up."""
    first = export(rich_gltf.text())
    second = export(first, name="again.glb")
    third = export(second, name="third.glb")
    changes = lambda file: {**file, "asset": {**file["asset"], "extras": without(file["asset"]["extras"], "model", "hash", "generator", "format",
                                                                                "textures", "dropped")}}
    assert changes(glb(second)) == changes(glb(third))
    assert without(changes(glb(first)), "asset", "nodes") == without(changes(glb(second)), "asset", "nodes")
    assert not [one for one in dropped(glb(third)) if one[0] != "name"]


def test_markers_are_events_again(export):
    export(rich_gltf.text())
    assert export.model("rich.gltf")["clips"][0]["markers"] == [
        {"name": "blink", "time": .25}, {"name": "step", "time": .5, "value": "left"}]
    take = fbx(span=(1, 3), markers=[("hit", 2.25), ("first", 1)])
    (export.root / "man.glb").write_bytes(export(take, name="man.fbx"))
    assert export.model("man.glb")["clips"][0]["markers"] == export.model("man.fbx")["clips"][0]["markers"] == [
        {"name": "first", "time": 0}, {"name": "hit", "time": 1.25}]
    (export.root / "again.glb").write_bytes(export.get("/v1/export?model=man.glb").body)
    assert export.model("again.glb")["clips"][0]["markers"] == export.model("man.fbx")["clips"][0]["markers"]


def test_the_copyright_of_a_collada_file_and_of_one_pose(export):
    text = (REPOSITORY / "tests/oracle/models/lever.dae").read_text()
    said = '<contributor><copyright>2026 "Ada" &amp; Zo\u00eb\n\\</copyright></contributor>'
    file = glb(export(text.replace("<asset>", "<asset>" + said), name="lever.dae"))
    assert file["asset"]["copyright"] == '2026 "Ada" & Zo\u00eb \\'
    export(rich_gltf.text())
    assert glb(export.get("/v1/mesh?model=rich.gltf&format=glb").body)["asset"]["copyright"] == "2026 Ada, CC-BY 4.0"


def test_every_attribute_that_is_left_out_is_told(export):
    """Whatever the number of sets: further colours and texture coordinates, and joints without a skin."""
    source = rich_gltf.document()
    attributes = source["meshes"][0]["primitives"][0]["attributes"]
    vec4 = len(source["accessors"])
    source["accessors"] += [{"componentType": 5126, "count": 3, "type": "VEC4"}, {"componentType": 5121, "count": 3, "type": "VEC4"}]
    attributes.update({"TEXCOORD_3": 1, "COLOR_0": vec4, "COLOR_1": vec4, "COLOR_2": vec4, "JOINTS_0": vec4 + 1, "WEIGHTS_0": vec4,
                       "JOINTS_1": vec4 + 1, "WEIGHTS_1": vec4, "NORMAL": 0, "TANGENT": vec4})
    body = export(json.dumps(source))
    kept = glb(body)["meshes"][0]["primitives"][0]["attributes"]
    at = "meshes[0].primitives[0]"
    told = {message for code, message in dropped(glb(body)) if code == "attribute"}
    assert {"POSITION", "NORMAL", "TEXCOORD_0", "TEXCOORD_1", "COLOR_0"} == set(kept)
    assert told == {f"{name}: {at}" for name in (
        "TEXCOORD_2", "TEXCOORD_3", "COLOR_1", "COLOR_2", "_ID", "TANGENT, which no texture of the material needs",
        "JOINTS and WEIGHTS, which no skin needs")}


FACTS = {"Title": "A fine \u00e9 thing", "Subject": "", "Author": 'Ada "L"', "Keywords": "lever, hip", "Revision": "3", "Comment": "by hand"}
LAYERS = """\t\tLayerElementUV: {0} {{
\t\t\tName: "{1}"
\t\t\tMappingInformationType: "ByVertice"
\t\t\tReferenceInformationType: "Direct"
\t\t\tUV: *6 {{
\t\t\t\ta: 0,0,1,0,0,1
\t\t\t}}
\t\t}}
\t\tLayerElementColor: {0} {{
\t\t\tMappingInformationType: "AllSame"
\t\t\tReferenceInformationType: "Direct"
\t\t\tColors: *4 {{
\t\t\t\ta: 1,0.5,0,1
\t\t\t}}
\t\t}}
"""


def test_an_fbx_file_keeps_its_author_and_tells_what_is_left_out(export):
    info = "\tSceneInfo: \"SceneInfo::GlobalInfo\", \"UserData\" {\n\t\tMetaData:  {\n\t\t\tVersion: 100\n" + "".join(
        f'\t\t\t{name}: "{value}"\n'.replace('"Ada "L""', '"Ada &quot;L&quot;"') for name, value in FACTS.items()) + "\t\t}\n\t}\n"
    layers = "".join(LAYERS.format(n, name) for n, name in enumerate(("skin", "light", "wear", "more")))
    take = fbx().replace("\tFBXVersion: 7400\n", "\tFBXVersion: 7400\n" + info).replace("\t\tLayerElementMaterial: 0 {", layers + "\t\tLayerElementMaterial: 0 {")
    file = glb(export(take, name="man.fbx"))
    kept = {name: file["asset"]["extras"].get(name) for name in FACTS}
    assert kept == {**FACTS, "Subject": None}
    assert dropped(file) == {("attribute", f"{what}: node 'body'") for what in ("UV layer 'light'", "UV layer 'wear'", "UV layer 'more'", "further colours of vertices")}
    again = glb(export(export(take, name="man.fbx"), name="man.glb"))
    assert {name: again["asset"]["extras"].get(name) for name in FACTS} == kept


def test_a_collada_file_keeps_its_author(export):
    text = (REPOSITORY / "tests/oracle/models/lever.dae").read_text()
    said = "<contributor><author>Ada &amp; Zo\u00eb</author><comments>by hand</comments></contributor>"
    text = text.replace("<asset>", "<asset>" + said).replace("</asset>", "<title>A lever</title></asset>", 1)
    extras = glb(export(text, name="lever.dae"))["asset"]["extras"]
    assert [extras[name] for name in ("title", "author", "comments")] == ["A lever", "Ada & Zo\u00eb", "by hand"]


def test_a_3mf_package_keeps_its_metadata(export, tmp_path):
    model = textured_models.THREEMF.format("png").replace("<resources>", "".join(f'<metadata name="{name}">{text}</metadata>' for name, text in (
        ("Title", "A fine thing"), ("Designer", "Ada"), ("Copyright", '2026 "Ada"'), ("Application", "a tool"), ("x:y", "a"), ("Rating", ""),
        ("LicenseTerms", "CC-BY 4.0"), ("Title", "Another title"), ("Description", "x" + 600 * "\u00e9"))) + "<resources>", 1)
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as out:
        for path, data in {"_rels/.rels": textured_models.RELATIONSHIPS, "3D/3dmodel.model": model, "3D/skin.png": textured_models.picture("PNG")}.items():
            out.writestr(path, data)
    file = glb(export((tmp_path / "a.zip").read_bytes(), name="a.3mf"))
    extras = file["asset"]["extras"]
    assert file["asset"]["copyright"] == '2026 "Ada"' and extras["generator"] == "a tool"
    assert [extras[name] for name in ("Title", "Designer", "LicenseTerms")] == ["A fine thing", "Ada", "CC-BY 4.0"] and "Rating" not in extras
    assert extras["Description"] == "x" + 511 * "\u00e9"  # at most 1024 bytes, and no part of a character
    assert dropped(file) == {("extras", "x:y: metadata")}


def test_too_much_is_left_out_with_a_warning(export):
    file = glb(export(rich_gltf.text(extras={"long": "x" * (1 << 20)})))
    assert "extras" not in file and file["asset"]["copyright"] == "2026 Ada, CC-BY 4.0"
    assert "extras_dropped" in [one["code"] for one in export.model("rich.gltf")["warnings"]]
