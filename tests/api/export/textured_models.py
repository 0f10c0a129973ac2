"""Models of one textured triangle in several formats, whose picture is embedded or beside them."""
import base64
import io
import json
import struct
import zipfile

from PIL import Image


def picture(kind, width=48, height=20, seed=7, mode="RGB"):
    """The bytes of a picture file; sides are no powers of two, so that a server that draws it has to scale it."""
    image = Image.new(mode, (width, height))
    image.putdata([tuple((seed + 5 * x + 3 * y * (c + 1)) % 256 for c in range(len(mode))) for y in range(height) for x in range(width)])
    out = io.BytesIO()
    image.save(out, kind, **({"quality": 80} if kind in ("JPEG", "WEBP") else {}))
    return out.getvalue()


MIME = {"png": "image/png", "jpg": "image/jpeg", "webp": "image/webp", "ktx2": "image/ktx2"}
EXTENSIONS = {"webp": "EXT_texture_webp", "ktx2": "KHR_texture_basisu"}


def triangle():
    return struct.pack("<15f", 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1)


def gltf(data, kind, where="beside", slot="base", name="skin"):
    """(document, binary chunk or None): where: beside, uri (a data URI), view (of the GLB's chunk), uri_view (of a buffer in a data URI)."""
    geometry = triangle()
    views = [{"buffer": 0, "byteOffset": 0, "byteLength": 36}, {"buffer": 0, "byteOffset": 36, "byteLength": 24}]
    blob = geometry
    if where in ("view", "uri_view"):
        blob += bytes(1) + data  # begins in the middle of a group of base64
        views.append({"buffer": 0, "byteOffset": 61, "byteLength": len(data)})
        image = {"bufferView": 2, "mimeType": MIME[kind]}
    elif where == "uri":
        image = {"uri": f"data:{MIME[kind]};base64," + base64.b64encode(data).decode()}
    else:
        image = {"uri": f"{name}.{kind}"}
    extension = EXTENSIONS.get(kind)
    texture = {"source": 0} if extension is None else {"extensions": {extension: {"source": 0}}}
    buffer = {"byteLength": len(blob)}
    if where != "view":
        buffer["uri"] = "data:application/octet-stream;base64," + base64.b64encode(blob).decode()
    material = {"base": {"pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}}, "normal": {"normalTexture": {"index": 0}},
                "both": {"pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}, "occlusionTexture": {"index": 0}}}[slot]
    document = {
        "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}], "nodes": [{"mesh": 0}], "images": [image], "textures": [texture],
        "materials": [material], "meshes": [{"primitives": [{"attributes": {"POSITION": 0, "TEXCOORD_0": 1}, "material": 0}]}],
        "buffers": [buffer], "bufferViews": views,
        "accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3", "min": [0, 0, 0], "max": [1, 1, 0]},
                      {"bufferView": 1, "componentType": 5126, "count": 3, "type": "VEC2"}]}
    if extension is not None:
        document["extensionsUsed"] = document["extensionsRequired"] = [extension]
    return document, blob if where == "view" else None


def glb(document, blob):
    text = json.dumps(document).encode()
    text += b" " * (-len(text) % 4)
    blob += bytes(-len(blob) % 4)
    parts = struct.pack("<II", len(text), 0x4E4F534A) + text + struct.pack("<II", len(blob), 0x004E4942) + blob
    return struct.pack("<4sII", b"glTF", 2, 12 + len(parts)) + parts


def write_gltf(folder, data, kind, where="beside", slot="base"):
    """Writes the model, and its picture where it is beside it; returns the model's name."""
    document, blob = gltf(data, kind, where, slot)
    if where == "beside":
        (folder / f"skin.{kind}").write_bytes(data)
    if blob is None:
        (folder / "a.gltf").write_text(json.dumps(document))
        return "a.gltf"
    (folder / "a.glb").write_bytes(glb(document, blob))
    return "a.glb"


def write_obj(folder, data, kind):
    (folder / f"skin.{kind}").write_bytes(data)
    (folder / "a.mtl").write_text(f"newmtl skin\nmap_Kd skin.{kind}\n")
    (folder / "a.obj").write_text("mtllib a.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nvt 1 0\nvt 0 1\nusemtl skin\nf 1/1 2/2 3/3\n")
    return "a.obj"


# --- FBX: records of (name, values, children) ---

def fbx_tree(data, kind):
    zero = b"\0\1"
    content = [("Content", [data], [])] if data is not None else []
    layer = [("MappingInformationType", ["ByPolygonVertex"], []), ("ReferenceInformationType", ["Direct"], [])]
    return [
        ("GlobalSettings", [], [("Version", [1000], [])]),
        ("Objects", [], [
            ("Geometry", [10, "g" + zero.decode() + "Geometry", "Mesh"], [
                ("Vertices", [[0.0, 0, 0, 1, 0, 0, 0, 1, 0]], []), ("PolygonVertexIndex", [(0, 1, -3)], []),
                ("LayerElementUV", [0], [*layer, ("UV", [[0.0, 0, 1, 0, 0, 1]], [])]),
                ("LayerElementMaterial", [0], [("MappingInformationType", ["AllSame"], []), ("ReferenceInformationType", ["IndexToDirect"], []),
                                               ("Materials", [(0,)], [])]),
                ("Layer", [0], [("LayerElement", [], [("Type", [name], []), ("TypedIndex", [0], [])])
                                for name in ("LayerElementUV", "LayerElementMaterial")])]),
            ("Model", [11, "m" + zero.decode() + "Model", "Mesh"], []),
            ("Material", [12, "wool" + zero.decode() + "Material", ""], [("ShadingModel", ["lambert"], [])]),
            ("Texture", [13, "t" + zero.decode() + "Texture", ""], [("RelativeFilename", [f"skin.{kind}"], [])]),
            ("Video", [14, "v" + zero.decode() + "Video", "Clip"], [("RelativeFilename", [f"skin.{kind}"], []), *content])]),
        ("Connections", [], [("C", ["OO", child, parent], []) for child, parent in ((11, 0), (10, 11), (12, 11), (14, 13))]
         + [("C", ["OP", 13, 12, "DiffuseColor"], [])])]


def fbx_value(value):
    if isinstance(value, str):
        return b"S" + struct.pack("<I", len(value.encode("latin-1"))) + value.encode("latin-1")
    if isinstance(value, bytes):
        return b"R" + struct.pack("<I", len(value)) + value
    if isinstance(value, int):
        return b"L" + struct.pack("<q", value)
    code, form = ("d", "d") if isinstance(value, list) else ("i", "i")
    return code.encode() + struct.pack("<III", len(value), 0, struct.calcsize(form) * len(value)) + struct.pack(f"<{len(value)}{form}", *value)


def fbx_record(record, at):
    name, values, children = record
    packed = b"".join(map(fbx_value, values))
    head = 13 + len(name)
    body, end = packed, at + head + len(packed)
    for child in children:
        part = fbx_record(child, end)
        body += part
        end += len(part)
    if children:
        body += bytes(13)
    return struct.pack("<IIIB", at + head + len(body), len(values), len(packed), len(name)) + name.encode() + body


def write_fbx(folder, data, kind, where="embedded"):
    """A binary FBX 7.4."""
    out = b"Kaydara FBX Binary  \0\x1a\0" + struct.pack("<I", 7400)
    for record in fbx_tree(data if where == "embedded" else None, kind):
        out += fbx_record(record, len(out))
    (folder / "a.fbx").write_bytes(out + bytes(13))
    if where == "beside":
        (folder / f"skin.{kind}").write_bytes(data)
    return "a.fbx"


# --- the same tree as text ---

def fbx_text(record, depth, piece):
    name, values, children = record
    pad = "\t" * depth

    def text(value):
        if isinstance(value, bytes):
            encoded = [base64.b64encode(value[i:i + piece]).decode() for i in range(0, len(value), piece)]
            return "," + f"\n{pad}\t" + ",\n".join(f'"{part}"' for part in encoded)
        if isinstance(value, str):
            label, _, kind = value.partition("\0\1")
            return f'"{kind}::{label}"' if kind else f'"{value}"'
        return str(value) if isinstance(value, int) else f"*{len(value)} {{ a: " + ",".join(map(str, value)) + " }"
    line = f"{pad}{name}: " + ", ".join(map(text, values))
    if children:
        line += " {\n" + "".join(fbx_text(child, depth + 1, piece) for child in children) + pad + "}"
    return line + "\n"


def write_text_fbx(folder, data, kind, piece=1 << 30):
    """An ASCII FBX 7.4, whose content has pieces of that many bytes."""
    header = "; FBX 7.4.0 project file\nFBXHeaderExtension:  {\n\tFBXVersion: 7400\n}\n"
    (folder / "a.fbx").write_text(header + "".join(fbx_text(record, 0, piece) for record in fbx_tree(data, kind)))
    return "a.fbx"


# --- zips ---

THREEMF = ('<model xmlns="http://schemas.microsoft.com/3dmanufacturing/core/2015/02" xmlns:m="http://schemas.microsoft.com/3dmanufacturing/material/2015/02">'
           '<resources><m:texture2d id="1" path="/3D/skin.{0}" contenttype="image/png"/><m:texture2dgroup id="2" texid="1"><m:tex2coord u="0" v="0"/>'
           '<m:tex2coord u="1" v="0"/><m:tex2coord u="0" v="1"/></m:texture2dgroup><object id="9"><mesh><vertices><vertex x="0" y="0" z="0"/>'
           '<vertex x="1" y="0" z="0"/><vertex x="0" y="1" z="0"/></vertices><triangles><triangle v1="0" v2="1" v3="2" pid="2" p1="0" p2="1" p3="2"/>'
           '</triangles></mesh></object></resources><build><item objectid="9"/></build></model>')
RELATIONSHIPS = ('<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r" Target="/3D/3dmodel.model" '
                 'Type="http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel"/></Relationships>')
COLLADA = ('<COLLADA version="1.4.1" xmlns="http://www.collada.org/2005/11/COLLADASchema"><asset><up_axis>Y_UP</up_axis></asset><library_images>'
           '<image id="i"><init_from>skin.{0}</init_from></image></library_images><library_effects><effect id="e"><profile_COMMON>'
           '<technique sid="c"><lambert><diffuse><texture texture="i" texcoord="t"/></diffuse></lambert></technique></profile_COMMON></effect></library_effects>'
           '<library_materials><material id="m"><instance_effect url="#e"/></material></library_materials><library_geometries><geometry id="g"><mesh>'
           '<source id="p"><float_array id="pa" count="9">0 0 0 1 0 0 0 1 0</float_array><technique_common><accessor source="#pa" count="3" stride="3">'
           '<param name="X" type="float"/><param name="Y" type="float"/><param name="Z" type="float"/></accessor></technique_common></source>'
           '<source id="u"><float_array id="ua" count="6">0 0 1 0 0 1</float_array><technique_common><accessor source="#ua" count="3" stride="2">'
           '<param name="S" type="float"/><param name="T" type="float"/></accessor></technique_common></source><vertices id="v">'
           '<input semantic="POSITION" source="#p"/></vertices><triangles count="1" material="w"><input semantic="VERTEX" source="#v" offset="0"/>'
           '<input semantic="TEXCOORD" source="#u" offset="0" set="0"/><p>0 1 2</p></triangles></mesh></geometry></library_geometries>'
           '<library_visual_scenes><visual_scene id="s"><node id="n"><instance_geometry url="#g"><bind_material><technique_common>'
           '<instance_material symbol="w" target="#m"><bind_vertex_input semantic="t" input_semantic="TEXCOORD" input_set="0"/></instance_material>'
           '</technique_common></bind_material></instance_geometry></node></visual_scene></library_visual_scenes>'
           '<scene><instance_visual_scene url="#s"/></scene></COLLADA>')


def write_zip(folder, data, kind, name="a.3mf", method=zipfile.ZIP_DEFLATED, comment=b""):
    """A 3MF package or an archive of COLLADA, by the name."""
    others = {"_rels/.rels": RELATIONSHIPS, "3D/3dmodel.model": THREEMF.format(kind)} if name.endswith("3mf") else {"a.dae": COLLADA.format(kind)}
    with zipfile.ZipFile(folder / name, "w", method) as out:
        for path, text in others.items():
            out.writestr(path, text)
        out.writestr(f"3D/skin.{kind}" if name.endswith("3mf") else f"skin.{kind}", data)
        out.comment = comment
    return name


# --- read by assimp ---

def write_ac(folder, data, kind):
    (folder / f"skin.{kind}").write_bytes(data)
    (folder / "a.ac").write_text('AC3Db\nMATERIAL "" rgb 1 1 1 amb 0 0 0 emis 0 0 0 spec 0 0 0 shi 0 trans 0\nOBJECT world\nkids 1\nOBJECT poly\n'
                                 f'name "a"\ntexture "skin.{kind}"\nnumvert 3\n0 0 0\n1 0 0\n0 1 0\nnumsurf 1\nSURF 0x20\nmat 0\nrefs 3\n'
                                 '0 0 0\n1 1 0\n2 0 1\nkids 0\n')
    return "a.ac"
