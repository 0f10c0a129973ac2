"""Colours of vertices: sRGB in all formats but glTF and 3MF. Pictures, the numbers of answers and exported GLBs say the same light."""
import base64
import io
import json
import struct

import numpy
import pytest
from PIL import Image

import small_static
from conftest import REPOSITORY

SHARED = REPOSITORY.parent / "shared" / "models" / "bugs" / "colours"
SQUARE = [(-1, -1, 0), (1, -1, 0), (1, 1, 0), (-1, 1, 0)]
STEPS = 16
WIDE = 1280
#: One colour for each format: its sRGB bytes.
GREY, ORANGE = (128, 128, 128), (230, 120, 20)


def light(srgb):
    """IEC 61966-2-1: linear light, 0..1, of a byte of sRGB."""
    s = srgb / 255
    return s / 12.92 if s <= 0.04045 else ((s + 0.055) / 1.055) ** 2.4


def numbers(rows, form="{:.9g}"):
    return " ".join(form.format(x) for row in rows for x in row)


def ply(color, kind="uchar"):
    shown = color if kind == "uchar" else [c / 255 for c in color]
    head = "".join(f"property float {axis}\n" for axis in "xyz") + "".join(f"property {kind} {c}\n" for c in ("red", "green", "blue"))
    rows = "".join(f"{numbers([at])} {numbers([shown])}\n" for at in SQUARE)
    return f"ply\nformat ascii 1.0\nelement vertex 4\n{head}element face 1\nproperty list uchar int vertex_indices\nend_header\n{rows}4 0 1 2 3\n"


def ply_faces(color):
    head = "".join(f"property float {axis}\n" for axis in "xyz")
    return (f"ply\nformat ascii 1.0\nelement vertex 4\n{head}element face 1\nproperty list uchar int vertex_indices\nproperty uchar red\n"
            f"property uchar green\nproperty uchar blue\nend_header\n" + "".join(f"{numbers([at])}\n" for at in SQUARE) + f"4 0 1 2 3 {numbers([color])}\n")


def off(color, whole=255):
    shown = [c * whole / 255 for c in color] + [whole]
    return "COFF\n4 1 0\n" + "".join(f"{numbers([at])} {numbers([shown])}\n" for at in SQUARE) + "4 0 1 2 3\n"


def obj(color):
    return "".join(f"v {numbers([at])} {numbers([[c / 255 for c in color]])}\n" for at in SQUARE) + "f 1 2 3 4\n"


def x3d(color, material="", colors=True):
    shade = f"<Color color='{numbers([[c / 255 for c in color]] * 4)}'/>" if colors else ""
    return (f"<X3D version='3.3' profile='Interchange'><Scene><Shape>{material}<IndexedFaceSet coordIndex='0 1 2 3 -1'>"
            f"<Coordinate point='{numbers(SQUARE)}'/>{shade}</IndexedFaceSet></Shape></Scene></X3D>")


def x3d_of(color):
    """The same colour as a material's, which the others are compared with."""
    material = f"<Appearance><Material diffuseColor='{numbers([[c / 255 for c in color]])}'/></Appearance>"
    return x3d(color, material, False)


def x3d_replaced(color):
    """19775-1, 11.4.1: colours of the geometry stand in place of the material's."""
    return x3d(color, "<Appearance><Material diffuseColor='0.2 0.9 0.4'/></Appearance>")


def dae(color, material=""):
    def source(name, rows, params):
        return (f"<source id='{name}'><float_array id='{name}-a' count='12'>{numbers(rows)}</float_array><technique_common>"
                f"<accessor source='#{name}-a' count='4' stride='3'>" + "".join(f"<param name='{p}' type='float'/>" for p in params)
                + "</accessor></technique_common></source>")

    return ("<COLLADA xmlns='http://www.collada.org/2005/11/COLLADASchema' version='1.4.1'><library_geometries><geometry id='g'><mesh>"
            + source("p", SQUARE, "XYZ") + source("c", [[c / 255 for c in color]] * 4, "RGB")
            + "<vertices id='v'><input semantic='POSITION' source='#p'/></vertices><triangles count='2'><input semantic='VERTEX' source='#v' offset='0'/>"
            "<input semantic='COLOR' source='#c' offset='0'/><p>0 1 2 0 2 3</p></triangles></mesh></geometry></library_geometries>"
            "<library_visual_scenes><visual_scene id='s'><node><instance_geometry url='#g'/></node></visual_scene></library_visual_scenes>"
            "<scene><instance_visual_scene url='#s'/></scene></COLLADA>")


def fbx(color):
    shade = ",".join(f"{c / 255:.9g}" for c in (*color, 255))
    return ("; FBX 7.4.0 project file\nFBXHeaderExtension: {\n FBXVersion: 7400\n}\nObjects: {\nModel: 1, \"Model::a\", \"Mesh\" {\n}\n"
            f"Geometry: 3, \"Geometry::\", \"Mesh\" {{\n Vertices: *12 {{ a: {numbers(SQUARE).replace(' ', ',')} }}\n PolygonVertexIndex: *4 {{ a: 0,1,2,-4 }}\n"
            " LayerElementColor: 0 {\n MappingInformationType: \"AllSame\"\n ReferenceInformationType: \"Direct\"\n"
            f" Colors: *4 {{ a: {shade} }}\n }}\n Layer: 0 {{\n LayerElement: {{\n Type: \"LayerElementColor\"\n TypedIndex: 0\n }}\n }}\n}}\n}}\n"
            "Connections: {\nC: \"OO\",1,0\nC: \"OO\",3,1\n}\n")


def gltf(color, form="<4f", scale=1.0, component=5126):
    """Linear, as glTF has it."""
    shade = struct.pack(form, *(round(scale * light(c)) if scale > 1 else light(c) for c in color), int(scale)) * 4
    data = b"".join(struct.pack("<3f", *at) for at in SQUARE) + struct.pack("<6H", 0, 1, 2, 0, 2, 3) + shade
    sizes = (48, 12, len(shade))
    return json.dumps({
        "asset": {"version": "2.0"}, "buffers": [{"byteLength": len(data), "uri": "data:;base64," + base64.b64encode(data).decode()}],
        "bufferViews": [{"buffer": 0, "byteOffset": sum(sizes[:i]), "byteLength": size} for i, size in enumerate(sizes)],
        "accessors": [{"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3", "min": [-1, -1, 0], "max": [1, 1, 0]},
                      {"bufferView": 1, "componentType": 5123, "count": 6, "type": "SCALAR"},
                      {"bufferView": 2, "componentType": component, "normalized": component != 5126, "count": 4, "type": "VEC4"}],
        "materials": [{"pbrMetallicRoughness": {"metallicFactor": 0}}], "nodes": [{"mesh": 0}], "scenes": [{"nodes": [0]}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0, "COLOR_0": 2}, "indices": 1, "material": 0}]}]})


def stl(color):
    """VisCAM's: five bits a channel, blue in the lowest."""
    red, green, blue = (round(c * 31 / 255) for c in color)
    facets = b"".join(struct.pack("<12fH", 0, 0, 1, *SQUARE[0], *SQUARE[i], *SQUARE[i + 1], 0x8000 | red << 10 | green << 5 | blue) for i in (1, 2))
    return b"by a test".ljust(80) + struct.pack("<I", 2) + facets


#: Name of a file: the maker of its text or bytes.
FORMATS = {"bytes.ply": ply, "floats.ply": lambda color: ply(color, "float"), "faces.ply": ply_faces, "whole.off": off,
           "parts.off": lambda color: off(color, 1.0), "a.obj": obj, "a.x3d": x3d, "replaced.x3d": x3d_replaced, "a.dae": dae, "a.fbx": fbx,
           "floats.gltf": gltf, "shorts.gltf": lambda color: gltf(color, "<4H", 65535, 5123), "bytes.gltf": lambda color: gltf(color, "<4B", 255, 5121)}


def put(folder, name, content):
    (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())


def picture(server, model, query="&light=flat", width=160):
    answer = server.get(f"/v1/render?model={model}&yaw=0&pitch=0&ortho=1&background=ffffff&width={width}&height=64{query}")
    assert answer.status == 200, answer.body
    return numpy.asarray(Image.open(io.BytesIO(answer.body)).convert("RGB"), int)


def middle(server, model):
    return picture(server, model)[32, 80]


def colors_of(server, model):
    """The numbers of /v1/mesh, 4 a vertex."""
    frame = server.json("/v1/mesh", model=model, attributes=1)
    return numpy.array(frame["attributes"][0]["colors"]).reshape(-1, 4)


def chunks(glb):
    size, = struct.unpack_from("<I", glb, 12)
    return json.loads(glb[20:20 + size]), glb[28 + size:]


def exported(server, model):
    """The exported file, its colours as linear light of 0..1, and the number that is 1."""
    glb = server.get(f"/v1/export?model={model}").body
    document, data = chunks(glb)
    accessor = document["accessors"][document["meshes"][0]["primitives"][0]["attributes"]["COLOR_0"]]
    assert accessor["normalized"] and accessor["componentType"] in (5121, 5123)
    view = document["bufferViews"][accessor["bufferView"]]
    kind, whole = ("<u1", 255) if accessor["componentType"] == 5121 else ("<u2", 65535)
    rows = numpy.frombuffer(data, kind, 4 * accessor["count"], view.get("byteOffset", 0)).reshape(-1, 4)
    return glb, rows / whole, whole


@pytest.mark.parametrize("color", [GREY, ORANGE], ids=["grey", "orange"])
def test_every_format_has_the_colour_of_a_material(start, tmp_path, color):
    for name, make in FORMATS.items():
        put(tmp_path, name, make(color))
    put(tmp_path, "material.x3d", x3d_of(color))
    server = start(root=tmp_path)
    wanted = middle(server, "material.x3d")
    for name in FORMATS:
        assert abs(middle(server, name) - wanted).max() <= (2 if name != "bytes.gltf" else 7), name
        assert abs(colors_of(server, name)[:, :3] - [255 * light(c) for c in color]).max() <= 0.51, name
        glb, found, _ = exported(server, name)
        assert abs(found[:, :3] - [light(c) for c in color]).max() <= 0.51 / 255, name
        assert (found[:, 3] == 1).all()
        put(tmp_path, "again.glb", glb)
        assert abs(middle(server, "again.glb") - middle(server, name)).max() <= 1, name


def test_colours_of_facets_are_srgb(start, tmp_path):
    put(tmp_path, "a.stl", stl((16 * 255 / 31, 255, 0)))
    server = start("--render-workers", "0", root=tmp_path)
    assert abs(colors_of(server, "a.stl") - [255 * light(16 * 255 / 31), 255, 0, 255]).max() <= 0.51


def ramp():
    """STEPS greys side by side, as colours of vertices; and the same as a texture."""
    head = "".join(f"property float {axis}\n" for axis in "xyz")
    corners = [(k + x, y, 0, *[17 * k] * 3) for k in range(STEPS) for x, y in ((0, 0), (1, 0), (1, 4), (0, 4))]
    faces = "".join(f"4 {4 * k} {4 * k + 1} {4 * k + 2} {4 * k + 3}\n" for k in range(STEPS))
    colors = (f"ply\nformat ascii 1.0\nelement vertex {4 * STEPS}\n{head}property uchar red\nproperty uchar green\nproperty uchar blue\n"
              f"element face {STEPS}\nproperty list uchar int vertex_indices\nend_header\n" + "".join(f"{numbers([row])}\n" for row in corners) + faces)
    texture = (f"ply\nformat ascii 1.0\ncomment TextureFile ramp.png\nelement vertex 4\n{head}property float s\nproperty float t\nelement face 1\n"
               "property list uchar int vertex_indices\nend_header\n0 0 0 0 0\n16 0 0 1 0\n16 4 0 1 1\n0 4 0 0 1\n4 0 1 2 3\n")
    packed = io.BytesIO()
    Image.fromarray(numpy.arange(STEPS, dtype="uint8")[None, :] * 17).save(packed, "PNG")
    return {"ramp.ply": colors, "ramp_tex.ply": texture, "ramp.png": packed.getvalue()}


def steps(pixels):
    """The colour in the middle of each step. The ramp fills the width."""
    seen = numpy.flatnonzero(pixels[32].max(-1) < 255)
    first, size = seen[0], (seen[-1] + 1 - seen[0]) / STEPS
    return numpy.array([pixels[32, int(first + size * (k + 0.5))] for k in range(STEPS)])


def check_ramp(server, folder, query="&light=flat"):
    """Dark steps are those that eight bits of linear light would move. At the middle of a texel a texture shows the texel; the outer ones
    meet each other, because the texture repeats."""
    colors, texture = (picture(server, name, query, WIDE) for name in ("ramp.ply", "ramp_tex.ply"))
    assert abs(steps(colors) - steps(texture))[1:-1].max() <= 2
    assert len({tuple(row) for row in steps(colors)}) >= STEPS - 1
    glb, found, whole = exported(server, "ramp.ply")
    assert whole == 65535
    assert abs(numpy.unique(found[:, 0]) - [light(17 * k) for k in range(STEPS)]).max() < 2e-5
    return colors, glb


@pytest.mark.parametrize("light_of_picture", ["&light=flat", ""])
def test_a_ramp_of_colours_is_a_ramp_of_texels(start, tmp_path, light_of_picture):
    for name, content in ramp().items():
        put(tmp_path, name, content)
    server = start(root=tmp_path)
    colors, glb = check_ramp(server, tmp_path, light_of_picture)
    put(tmp_path, "again.glb", glb)
    assert abs(picture(server, "again.glb", light_of_picture, WIDE) - colors).max() <= 1


@pytest.mark.skipif(not SHARED.is_dir(), reason="../shared/models/bugs is not there")
def test_grey_files_are_the_same_grey(start):
    server = start(root=SHARED)
    wanted = middle(server, "grey_material.x3d")
    for name in "grey.ply", "grey.obj":
        assert abs(middle(server, name) - wanted).max() <= 1, name
        assert (colors_of(server, name)[:, :3] == 55).all(), name
        _, found, whole = exported(server, name)
        assert whole == 255 and (255 * found == [55, 55, 55, 255]).all(), name  # bytes are enough for this grey
    assert sorted(colors_of(server, "grey_colorgroup.3mf")[:, 0]) == [55, 55, 55, 56]  # of 0x80 and 0x81
    check_ramp(server, SHARED)


def x(material=""):
    """A square of .x."""
    rows = "".join(f"{p[0]};{p[1]};{p[2]};{',' if p is not SQUARE[-1] else ';'}" for p in SQUARE)
    of = f"MeshMaterialList {{ 1; 1; 0; Material {material} }}" if material else ""
    return f"xof 0303txt 0032\nMesh a {{ 4; {rows} 1; 4;0,1,2,3;; {of} }}\n"


#: Files without a material, and without colours.
BARE = {"a.off": small_static.off(), "a.dxf": small_static.dxf(), "a.ase": small_static.ase(), "a.x": x(), "a.dae": dae(GREY).replace("COLOR", "COLOUR"),
        "a.obj": obj((255, 255, 255)), "a.x3d": x3d(GREY, colors=False)}
#: Files whose own material is the grey that a reader gives to those.
GREY_OF_ITS_OWN = {"five.x": (x("{ 0.5;0.5;0.5;1;; 5; 0;0;0;; 0;0;0;; }"), 0.5), "six.x": (x("{ 0.6;0.6;0.6;1;; 1; 0;0;0;; 0;0;0;; }"), 0.6),
                   "red.nff": (small_static.nff(), None)}


def base_colors(server, model):
    """Of the parts of an exported file: factors and colours of vertices together."""
    document, data = chunks(server.get(f"/v1/export?model={model}").body)
    part, = (part for mesh in document["meshes"] for part in mesh["primitives"])
    factor = document["materials"][part["material"]]["pbrMetallicRoughness"].get("baseColorFactor", [1, 1, 1, 1])[:3] if "material" in part else [1, 1, 1]
    if "COLOR_0" not in part["attributes"]:
        return numpy.array([factor])
    return exported(server, model)[1][:, :3] * factor


def test_what_has_no_material_is_white(start, tmp_path):
    """No grey that stands in for a material darkens it."""
    for name, text in BARE.items():
        put(tmp_path, name, text)
    for name, (text, _) in GREY_OF_ITS_OWN.items():
        put(tmp_path, name, text)
    server = start("--render-workers", "0", root=tmp_path)
    for name in BARE:
        assert (base_colors(server, name) == 1).all(), (name, base_colors(server, name))
    for name, (_, grey) in GREY_OF_ITS_OWN.items():
        assert numpy.allclose(base_colors(server, name), [1, 0, 0] if grey is None else light(255 * grey), atol=1e-4), name
