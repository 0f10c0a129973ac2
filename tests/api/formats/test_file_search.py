"""Companions and textures that are elsewhere than written are found in one order, in files of each family of formats."""
import json
import struct
import zlib

import pytest

from conftest import wait_until
from importers import NO_RENDERING, imports
from png_picture import Picture
from small_models import MD5MESH, TRIANGLE, gltf


def png(color):
    def chunk(kind, body):
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
    rows = zlib.compress(b"".join(b"\0" + bytes(color) * 2 for _ in range(2)))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 2, 2, 8, 2, 0, 0, 0)) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


RED, GREEN = png((200, 0, 0)), png((0, 200, 0))


def textured_gltf(image, buffer=None):
    """A triangle whose texture coordinates are its positions, with a texture from the file `image`."""
    document = json.loads(gltf(image=image, buffer=buffer))
    document["meshes"][0]["primitives"][0]["attributes"]["TEXCOORD_0"] = 1
    document["meshes"][0]["primitives"][0]["material"] = 0
    document["bufferViews"].append({"buffer": 0, "byteStride": 12, "byteLength": len(TRIANGLE)})
    document["accessors"].append({"bufferView": len(document["bufferViews"]) - 1, "componentType": 5126, "count": 3, "type": "VEC2"})
    document["materials"] = [{"pbrMetallicRoughness": {"baseColorTexture": {"index": 0}, "metallicFactor": 0}, "doubleSided": True}]
    return json.dumps(document)


OBJ = "{library}\nv 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nvt 1 0\nvt 0 1\nusemtl skin\nf 1/1 2/2 3/3\n"
MTL = "newmtl skin\nKd 1 1 1\nmap_Kd {image}\n"
AC3D = """AC3Db
MATERIAL "skin" rgb 1 1 1 amb 0 0 0 emis 0 0 0 spec 0 0 0 shi 0 trans 0
OBJECT world
kids 1
OBJECT poly
name "triangle"
texture "{image}"
numvert 3
0 0 0
1 0 0
0 1 0
numsurf 1
SURF 0x20
mat 0
refs 3
0 0 0
1 1 0
2 0 1
kids 0
"""
DIRECTX = """xof 0303txt 0032
Frame hip {{
 Mesh body {{
  3;
  0.0;0.0;0.0;,
  1.0;0.0;0.0;,
  0.0;1.0;0.0;;
  1;
  3;0,1,2;;
  MeshTextureCoords {{
   3;
   0.0;0.0;,
   1.0;0.0;,
   0.0;1.0;;
  }}
  MeshMaterialList {{
   1;
   1;
   0;;
   Material skin {{
    1.0;1.0;1.0;1.0;;
    1.0;
    0.0;0.0;0.0;;
    0.0;0.0;0.0;;
    TextureFilename {{ "{image}"; }}
   }}
  }}
 }}
}}
"""
COLLADA = """<?xml version="1.0" encoding="utf-8"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><up_axis>Y_UP</up_axis></asset>
<library_images><image id="picture"><init_from>{image}</init_from></image></library_images>
<library_effects><effect id="effect"><profile_COMMON>
<newparam sid="surface"><surface type="2D"><init_from>picture</init_from></surface></newparam>
<newparam sid="sampler"><sampler2D><source>surface</source></sampler2D></newparam>
<technique sid="common"><lambert><diffuse><texture texture="sampler" texcoord="UV"/></diffuse></lambert></technique>
</profile_COMMON></effect></library_effects>
<library_materials><material id="skin"><instance_effect url="#effect"/></material></library_materials>
<library_geometries><geometry id="mesh"><mesh>
<source id="places"><float_array id="places-array" count="9">0 0 0 1 0 0 0 1 0</float_array><technique_common>
<accessor source="#places-array" count="3" stride="3"><param name="X" type="float"/><param name="Y" type="float"/><param name="Z" type="float"/></accessor>
</technique_common></source>
<source id="coordinates"><float_array id="coordinates-array" count="6">0 0 1 0 0 1</float_array><technique_common>
<accessor source="#coordinates-array" count="3" stride="2"><param name="S" type="float"/><param name="T" type="float"/></accessor>
</technique_common></source>
<vertices id="vertices"><input semantic="POSITION" source="#places"/></vertices>
<triangles count="1" material="symbol"><input semantic="VERTEX" source="#vertices" offset="0"/>
<input semantic="TEXCOORD" source="#coordinates" offset="0" set="0"/><p>0 1 2</p></triangles></mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="scene"><node id="node"><instance_geometry url="#mesh"><bind_material><technique_common>
<instance_material symbol="symbol" target="#skin"><bind_vertex_input semantic="UV" input_semantic="TEXCOORD" input_set="0"/></instance_material>
</technique_common></bind_material></instance_geometry></node></visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#scene"/></scene></COLLADA>
"""
FBX = """; FBX 7.4.0 project file
FBXHeaderExtension:  {{
\tFBXHeaderVersion: 1003
\tFBXVersion: 7400
}}
GlobalSettings:  {{
}}
Objects:  {{
\tGeometry: 1, "Geometry::", "Mesh" {{
\t\tVertices: *9 {{
\t\t\ta: 0,0,0,1,0,0,0,1,0
\t\t}}
\t\tPolygonVertexIndex: *3 {{
\t\t\ta: 0,1,-3
\t\t}}
\t\tLayerElementUV: 0 {{
\t\t\tMappingInformationType: "ByPolygonVertex"
\t\t\tReferenceInformationType: "Direct"
\t\t\tUV: *6 {{
\t\t\t\ta: 0,0,1,0,0,1
\t\t\t}}
\t\t}}
\t\tLayerElementMaterial: 0 {{
\t\t\tMappingInformationType: "AllSame"
\t\t\tReferenceInformationType: "IndexToDirect"
\t\t\tMaterials: *1 {{
\t\t\t\ta: 0
\t\t\t}}
\t\t}}
\t\tLayer: 0 {{
\t\t\tLayerElement:  {{
\t\t\t\tType: "LayerElementUV"
\t\t\t\tTypedIndex: 0
\t\t\t}}
\t\t\tLayerElement:  {{
\t\t\t\tType: "LayerElementMaterial"
\t\t\t\tTypedIndex: 0
\t\t\t}}
\t\t}}
\t}}
\tModel: 2, "Model::body", "Mesh" {{
\t}}
\tMaterial: 3, "Material::skin", "" {{
\t}}
\tTexture: 4, "Texture::skin", "" {{
\t\tFileName: "{image}"
\t\tRelativeFilename: "..\\..\\textures\\other\\{name}"
\t}}
}}
Connections:  {{
\tC: "OO",1,2
\tC: "OO",2,0
\tC: "OO",3,2
\tC: "OP",4,3,"DiffuseColor"
}}
"""
SHADER = MD5MESH.replace('"skin"', '"{image}"').replace("{\n", "{{\n").replace("}\n", "}}\n")

# The name in a model's file, in the folder art/hero of the root; the existing files; the one that becomes the texture.
CASES = {
    "OBJ, a material library in another case": (
        "art/hero/hero.obj", OBJ.format(library="mtllib Hero.MTL"),
        {"art/hero/hero.mtl": MTL.format(image="TEX\\Skin.PNG")}, "art/hero/Tex/skin.png"),
    "OBJ, a material library of Windows": (
        "art/hero/hero.obj", OBJ.format(library="mtllib C:\\art\\hero\\hero.mtl"),
        {"art/hero/hero.mtl": MTL.format(image="D:/pictures/skin.png")}, "art/textures/skin.png"),
    "OBJ, a name with a space": (
        "art/hero/hero.obj", OBJ.format(library="mtllib mats/hero 1.mtl"),
        {"art/hero/Hero 1.mtl": MTL.format(image="my%20skin.png")}, "art/hero/maps/my skin.png"),
    "glTF, another case": (
        "art/hero/hero.gltf", textured_gltf("Textures/Skin%20A.PNG"), {}, "art/hero/textures/skin a.png"),
    "glTF, a path of Windows": (
        "art/hero/hero.gltf", textured_gltf("C:\\art\\hero\\Skin.png"), {}, "art/hero/images/skin.png"),
    "glTF, a buffer in another case": (
        "art/hero/hero.gltf", textured_gltf("skin.png", buffer="BIN/hero.bin"), {"art/hero/bin/Hero.bin": TRIANGLE}, "art/hero/Skin.png"),
    "FBX": (
        "art/hero/hero.fbx", FBX.format(image="C:\\Users\\me\\body\\skin.png", name="Skin.PNG"), {}, "art/Textures/SKIN.png"),
    "FBX, the folder of the same name": (
        "art/hero/hero.fbx", FBX.format(image="C:\\Users\\me\\body\\skin.png", name="no.png"), {}, "art/hero/Body/skin.png"),
    "COLLADA, a URI": (
        "art/hero/hero.dae", COLLADA.format(image="file:///C:/art/my%20skin.png"), {}, "art/hero/images/My Skin.png"),
    "COLLADA, another case": (
        "art/hero/hero.dae", COLLADA.format(image="./Tex/skin.png"), {}, "art/hero/tex/SKIN.png"),
    "AC3D": ("art/hero/hero.ac", AC3D.format(image="C:\\art\\skin.png"), {}, "art/hero/tex/skin.png"),
    "DirectX": ("art/hero/hero.x", DIRECTX.format(image="Skin.PNG"), {}, "art/hero/textures/skin.png"),
    "OBJ, another extension": (
        "art/hero/hero.obj", OBJ.format(library="mtllib hero.mtl"), {"art/hero/hero.mtl": MTL.format(image="tex/skin.dds")}, "art/hero/tex/skin.png"),
    "glTF, another extension": ("art/hero/hero.gltf", textured_gltf("skin.jpg"), {}, "art/hero/textures/Skin.PNG"),
    "FBX, another extension": ("art/hero/hero.fbx", FBX.format(image="C:\\Users\\me\\skin.psd", name="skin.tga"), {}, "art/hero/skin.png"),
    "COLLADA, the folders of Gazebo": (
        "art/meshes/hero.dae", COLLADA.format(image="skin.png"), {}, "art/materials/textures/skin.png"),
    "MD5": ("art/hero/hero.md5mesh", SHADER.format(image="models/Hero/skin.png"), {}, "art/hero/skin.png"),
}


def write(root, path, content):
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_bytes(content if isinstance(content, bytes) else content.encode())


def codes(model):
    return {warning["code"] for warning in model["warnings"]}


def reds(server, name):
    """The number of red pixels of a picture."""
    answer = server.get(f"/v1/render?model={name}&width=48&height=48")
    assert answer.status == 200, answer.body
    return sum(r > 2 * g and r > 2 * b for row in Picture(answer.body).rows for r, g, b, *_ in row)


@pytest.mark.parametrize("case", CASES)
def test_a_texture_is_found(start, tmp_path, case):
    name, text, others, texture = CASES[case]
    for path, content in {name: text, texture: RED, **others}.items():
        write(tmp_path, path, content)
    server = start(root=tmp_path)
    model = server.json("/v1/model", model=name)
    assert [one["state"] for one in model["textures"]] == ["found"], model["warnings"]
    found = [warning["message"] for warning in model["warnings"] if warning["code"] == "file_found_elsewhere"]
    for path in [texture, *others]:
        assert {"path": path, "missing": False} in [{key: one[key] for key in ("path", "missing")} for one in model["files"]]
        assert any(f"'{path}' is taken" in message for message in found) or path == "art/hero/hero.mtl", found
    assert not codes(model) & {"texture_missing", "companion_missing"}, model["warnings"]
    assert reds(server, name) > 100, "the texture is not drawn"


def test_what_lies_as_written_is_no_warning(start, tmp_path):
    write(tmp_path, "hero.obj", OBJ.format(library="mtllib hero.mtl"))
    write(tmp_path, "hero.mtl", MTL.format(image="tex\\skin.png"))
    write(tmp_path, "tex/skin.png", RED)
    write(tmp_path, "tex/SKIN.png", GREEN)
    model = start(*NO_RENDERING, root=tmp_path).json("/v1/model", model="hero.obj")
    assert codes(model) == set()
    assert {one["path"]: one["role"] for one in model["files"]} == {"hero.obj": "model", "hero.mtl": "companion", "tex/skin.png": "texture"}


def test_a_missing_material_library_is_said(start, tmp_path):
    write(tmp_path, "hero.obj", OBJ.format(library="mtllib none.mtl"))
    model = start(*NO_RENDERING, root=tmp_path).json("/v1/model", model="hero.obj")
    messages = [warning["message"] for warning in model["warnings"] if warning["code"] == "companion_missing"]
    assert len(messages) == 1 and "there is no file 'none.mtl'" in messages[0], model["warnings"]


def test_a_missing_texture_says_where_it_was_looked_for(start, tmp_path):
    write(tmp_path, "hero.gltf", textured_gltf("art/skin.png"))
    model = start(*NO_RENDERING, root=tmp_path).json("/v1/model", model="hero.gltf")
    messages = [warning["message"] for warning in model["warnings"] if warning["code"] == "texture_missing"]
    assert len(messages) == 1 and "no file 'art/skin.png', and no 'skin.png' in its folder, textures, tex" in messages[0]


LATER = ("art/materials/textures/skin.bmp", "art/hero/skin.tga", "art/hero/art/skin.JPG", "art/Materials/textures/skin.png", "art/textures/SKIN.png", "art/hero/Images/skin.png", "art/hero/maps/skin.png", "art/hero/tex/skin.png",
         "art/hero/textures/skin.png", "art/hero/Skin.png", "art/hero/ART/skin.png", "art/hero/art/Skin.png", "art/hero/art/skin.png")


@pytest.mark.parametrize("options", [(), ("--watch", "poll", "--watch-interval", "20ms")], ids=["watched", "polled"])
def test_a_file_that_appears_later_is_a_change(start, tmp_path, options):
    write(tmp_path, "art/hero/hero.gltf", textured_gltf("art/skin.png"))
    server = start(*NO_RENDERING, *options, root=tmp_path)
    ask = lambda: server.get("/v1/model?model=art/hero/hero.gltf")
    state = lambda: ask().json()["textures"][0]["state"]
    before = ask().headers["etag"]
    assert state() == "missing"
    for path in LATER:  # from the last place of the order to the first
        write(tmp_path, path, RED)
        taken = lambda: [one["path"] for one in ask().json()["files"] if one["role"] == "texture" and not one["missing"]]
        if options:
            wait_until(lambda: taken() == [path], f"{path} is not seen")
        assert taken() == [path] and state() == "found"
    assert ask().headers["etag"] != before
    for path in LATER:
        (tmp_path / path).unlink()
    if options:
        wait_until(lambda: state() == "missing", "the texture is still seen")
    assert state() == "missing" and ask().headers["etag"] == before


@pytest.mark.parametrize("options", [(), ("--watch", "poll", "--watch-interval", "20ms")], ids=["watched", "polled"])
def test_other_files_beside_it_are_no_change(start, tmp_path, options):
    """A model with a missing texture is not read again for each new file beside it."""
    write(tmp_path, "art/hero.gltf", textured_gltf("C:\\art\\skin.png"))
    write(tmp_path, "art/tex/other.png", GREEN)
    server = start(*NO_RENDERING, *options, root=tmp_path)
    state = lambda: server.json("/v1/model", model="art/hero.gltf")["textures"][0]["state"]
    for path in ("art/hero.png", "art/skin.jpg.png", "art/skins.jpg", "art/other.gltf", "art/skin.png.part", "art/tex/more.png", "art/sub/skin.png", "new.txt", "maps2/x"):
        assert state() == "missing"
        write(tmp_path, path, GREEN)
    assert state() == "missing" and imports(server) == 1
    write(tmp_path, "art/Maps/SKIN.png", RED)
    wait_until(lambda: state() == "found", "the texture is not seen")
    assert imports(server) == 2


def test_a_disk_cache_knows_what_was_looked_for(start, tmp_path):
    root = tmp_path / "root"
    write(root, "art/hero.gltf", textured_gltf("C:\\art\\skin.png"))
    begin = lambda: start(*NO_RENDERING, root=root, env={"POSED_CACHE_DIR": str(tmp_path / "cache")})
    state = lambda server: server.json("/v1/model", model="art/hero.gltf")["textures"][0]["state"]
    server = begin()
    assert state(server) == "missing"
    wait_until(lambda: server.json("/v1/stats")["disk"]["stored"] == 1, "the model is not stored")
    server.end()
    write(root, "art/other.png", GREEN)
    server = begin()
    assert state(server) == "missing" and imports(server) == 0
    server.end()
    write(root, "textures/Skin.png", RED)
    server = begin()
    assert state(server) == "found" and imports(server) == 1


def test_the_picture_changes_with_the_file(start, tmp_path):
    write(tmp_path, "hero.gltf", textured_gltf("skin.png"))
    server = start(root=tmp_path)
    assert reds(server, "hero.gltf") == 0
    (tmp_path / "Textures").mkdir()
    assert reds(server, "hero.gltf") == 0
    write(tmp_path, "Textures/SKIN.PNG", RED)
    assert reds(server, "hero.gltf") > 100


def test_what_is_as_written_is_not_looked_for(start, tmp_path):
    """If all files of a model are in their places, other names that come and go do not make the server read it again."""
    write(tmp_path, "hero.gltf", textured_gltf("skin.png"))
    write(tmp_path, "skin.png", RED)
    server = start(*NO_RENDERING, root=tmp_path)
    server.json("/v1/model", model="hero.gltf")
    write(tmp_path, "Skin.png", GREEN)
    (tmp_path / "textures").mkdir()
    model = server.json("/v1/model", model="hero.gltf")
    assert imports(server) == 1 and codes(model) == set()


def test_nothing_hidden_is_found_by_its_name(start, tmp_path):
    for path in (".skin.png", ".tex/skin.png", "textures/.skin.png"):
        write(tmp_path, path, RED)
    write(tmp_path, "hero.obj", OBJ.format(library="mtllib hero.mtl"))
    for image in ("C:\\.skin.png", "C:\\.tex\\skin.png", ".TEX/skin.png", "textures/.SKIN.png", "/.tex/skin.png"):
        write(tmp_path, "hero.mtl", MTL.format(image=image))
        model = start("--allow-hidden", *NO_RENDERING, root=tmp_path).json("/v1/model", model="hero.obj")
        assert [one["state"] for one in model["textures"]] == ["missing"], image
