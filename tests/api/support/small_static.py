"""Small files of formats that are read as still meshes, written from public documents about the formats: a tetrahedron off the origin."""
import io
import struct
import zipfile

CORNERS = [(1.0, 2.0, 3.0), (4.0, 2.0, 3.0), (1.0, 7.0, 3.0), (1.0, 2.0, 9.0)]
FACES = [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]


def lines(form, rows):
    return "".join(form.format(*row) for row in rows)


def amf():
    vertices = lines("<vertex><coordinates><x>{}</x><y>{}</y><z>{}</z></coordinates></vertex>", CORNERS)
    triangles = lines("<triangle><v1>{}</v1><v2>{}</v2><v3>{}</v3></triangle>", FACES)
    return (f"<?xml version='1.0'?><amf unit='millimeter' version='1.1'><object id='0'><mesh><vertices>{vertices}</vertices>"
            f"<volume>{triangles}</volume></mesh></object></amf>")


def off():
    return "OFF\n4 4 6\n" + lines("{} {} {}\n", CORNERS) + lines("3 {} {} {}\n", FACES)


def ac():
    surfaces = lines("SURF 0x0\nmat 0\nrefs 3\n{} 0 0\n{} 1 0\n{} 0 1\n", FACES)
    return ("AC3Db\nMATERIAL \"m\" rgb 1 0 0 amb 0 0 0 emis 0 0 0 spec 0 0 0 shi 0 trans 0\nOBJECT world\nkids 1\nOBJECT poly\nname \"t\"\n"
            "numvert 4\n" + lines("{} {} {}\n", CORNERS) + f"numsurf 4\n{surfaces}kids 0\n")


def dxf():
    text = "0\nSECTION\n2\nENTITIES\n"
    for face in FACES:
        text += "0\n3DFACE\n8\n0\n"
        for place, corner in enumerate([*face, face[2]]):
            text += "".join(f"{10 * (axis + 1) + place}\n{CORNERS[corner][axis]}\n" for axis in range(3))
    return text + "0\nENDSEC\n0\nEOF\n"


def nff():
    return "v\nfrom 0 0 10\nat 0 0 0\nup 0 1 0\nangle 40\nhither 1\nresolution 64 64\nf 1 0 0 1 0 0 0 1\n" + "".join(
        "p 3\n" + lines("{} {} {}\n", [CORNERS[i] for i in face]) for face in FACES)


def enff():
    return "nff\nversion 2.0\nt\n4\n" + lines("{} {} {}\n", CORNERS) + "4\n" + lines("3 {} {} {} 0xf00\n", FACES)


def ase():
    vertices = "".join(f"*MESH_VERTEX {i} {x} {y} {z}\n" for i, (x, y, z) in enumerate(CORNERS))
    faces = "".join(f"*MESH_FACE {i}: A: {a} B: {b} C: {c} AB: 1 BC: 1 CA: 1 *MESH_SMOOTHING 1 *MESH_MTLID 0\n" for i, (a, b, c) in enumerate(FACES))
    return ("*3DSMAX_ASCIIEXPORT 200\n*GEOMOBJECT {\n*NODE_NAME \"t\"\n*NODE_TM {\n*NODE_NAME \"t\"\n*TM_ROW0 1 0 0\n*TM_ROW1 0 1 0\n*TM_ROW2 0 0 1\n"
            f"*TM_ROW3 0 0 0\n}}\n*MESH {{\n*MESH_NUMVERTEX 4\n*MESH_NUMFACES 4\n*MESH_VERTEX_LIST {{\n{vertices}}}\n*MESH_FACE_LIST {{\n{faces}}}\n}}\n}}\n")


def xgl():
    points = "".join(f"<P ID=\"{i}\">{x}, {y}, {z}</P>" for i, (x, y, z) in enumerate(CORNERS))
    faces = "".join("<F><MATREF>0</MATREF>" + "".join(f"<FV{k + 1}><PREF>{i}</PREF><NREF>0</NREF></FV{k + 1}>" for k, i in enumerate(face)) + "</F>"
                    for face in FACES)
    return ("<WORLD><BACKGROUND><BACKCOLOR>1,1,1</BACKCOLOR></BACKGROUND><LIGHTING><AMBIENT>0,0,0</AMBIENT></LIGHTING>"
            "<MESH ID=\"0\"><MAT ID=\"0\"><AMB>0,1,0</AMB><DIFF>0,1,0</DIFF><SPEC>1,1,1</SPEC><EMISS>0,0,0</EMISS><SHINE>10</SHINE><ALPHA>1</ALPHA></MAT>"
            f"{points}<N ID=\"0\">0, 0, 1</N>{faces}</MESH><OBJECT><TRANSFORM><FORWARD>0,0,1</FORWARD><UP>0,1,0</UP><POSITION>0,0,0</POSITION>"
            "</TRANSFORM><MESHREF>0</MESHREF></OBJECT></WORLD>")


def ogex(colors=3):
    rows = ", ".join("{" + ", ".join(map(str, c)) + "}" for c in CORNERS)
    shades = ", ".join("{" + ", ".join(["0.5"] * colors) + "}" for _ in CORNERS)
    faces = ", ".join("{" + ", ".join(map(str, f)) + "}" for f in FACES)
    return ("Metric (key = \"distance\") {float {1}}\nMetric (key = \"up\") {string {\"z\"}}\n"
            "GeometryNode $node1\n{\nName {string {\"t\"}}\nObjectRef {ref {$geometry1}}\nTransform\n{\nfloat[16]\n{\n"
            "{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}\n}\n}\n}\n"
            "GeometryObject $geometry1\n{\nMesh (primitive = \"triangles\")\n{\n"
            f"VertexArray (attrib = \"position\")\n{{\nfloat[3]\n{{\n{rows}\n}}\n}}\n"
            f"VertexArray (attrib = \"color\")\n{{\nfloat[{colors}]\n{{\n{shades}\n}}\n}}\n"
            f"IndexArray\n{{\nunsigned_int32[3]\n{{\n{faces}\n}}\n}}\n}}\n}}\n")


def cob():
    faces = "".join("Face verts 3 flags 0 mat 1\n" + "".join(f"<{i},0> " for i in face) + "\n" for face in FACES)
    body = ("Name t,1\ncenter 0 0 0\nx axis 1 0 0\ny axis 0 1 0\nz axis 0 0 1\nTransform\n1 0 0 0\n0 1 0 0\n0 0 1 0\n0 0 0 1\nWorld Vertices 4\n"
            + lines("{:.6f} {:.6f} {:.6f}\n", CORNERS) + f"Texture Vertices 1\n0.000000 0.000000\nFaces 4\n{faces}")
    return f"Caligari V00.01ALH             \nPolH V0.06 Id 12 Parent 0 Size {len(body):08}\n{body}END V1.00 Id 0 Parent 0 Size        0\n"


def ifc(owner="$"):
    points = "".join(f"#{20 + i}=IFCCARTESIANPOINT(({x},{y},{z}));\n" for i, (x, y, z) in enumerate(CORNERS))
    faces = "".join(f"#{30 + 3 * i}=IFCPOLYLOOP((#{20 + a},#{20 + b},#{20 + c}));\n#{31 + 3 * i}=IFCFACEOUTERBOUND(#{30 + 3 * i},.T.);\n"
                    f"#{32 + 3 * i}=IFCFACE((#{31 + 3 * i}));\n" for i, (a, b, c) in enumerate(FACES))
    return ("ISO-10303-21;\nHEADER;\nFILE_DESCRIPTION((''),'2;1');\nFILE_NAME('t','2026-01-01T00:00:00',(''),(''),'','','');\n"
            "FILE_SCHEMA(('IFC2X3'));\nENDSEC;\nDATA;\n#1=IFCSIUNIT(*,.LENGTHUNIT.,$,.METRE.);\n#2=IFCUNITASSIGNMENT((#1));\n"
            "#3=IFCCARTESIANPOINT((0.,0.,0.));\n#4=IFCAXIS2PLACEMENT3D(#3,$,$);\n#5=IFCGEOMETRICREPRESENTATIONCONTEXT($,'Model',3,1.E-5,#4,$);\n"
            f"#6=IFCPROJECT('0000000000000000000001',{owner},'p',$,$,$,$,(#5),#2);\n#7=IFCLOCALPLACEMENT($,#4);\n"
            f"#8=IFCSITE('0000000000000000000002',{owner},'s',$,$,#7,$,$,.ELEMENT.,$,$,$,$,$);\n"
            f"#9=IFCRELAGGREGATES('0000000000000000000003',{owner},$,$,#6,(#8));\n{points}{faces}"
            "#50=IFCCLOSEDSHELL((#32,#35,#38,#41));\n#51=IFCFACETEDBREP(#50);\n#52=IFCSHAPEREPRESENTATION(#5,'Body','Brep',(#51));\n"
            "#53=IFCPRODUCTDEFINITIONSHAPE($,$,(#52));\n#54=IFCLOCALPLACEMENT(#7,#4);\n"
            f"#55=IFCBUILDINGELEMENTPROXY('0000000000000000000004',{owner},'t',$,$,#54,#53,$,$);\n"
            f"#56=IFCRELCONTAINEDINSPATIALSTRUCTURE('0000000000000000000005',{owner},$,$,(#55),#8);\nENDSEC;\nEND-ISO-10303-21;\n")


def flat_normals():
    return [(0.0, 0.0, 1.0)] * 4


def md3():
    """Quake III: positions in 64ths, one frame, one surface."""
    vertices = b"".join(struct.pack("<3hH", *[round(64 * x) for x in corner], 0) for corner in CORNERS)
    triangles = b"".join(struct.pack("<3i", *face) for face in FACES)
    shader, uvs = struct.pack("<64si", b"", 0), b"\0" * 32
    at = 108
    surface = struct.pack("<4s64s10i", b"IDP3", b"t", 0, 1, 1, 4, 4, at + 68, at, at + 68 + 48, at + 68 + 48 + 32, at + 68 + 48 + 32 + 32)
    surface += shader + triangles + uvs + vertices
    frame = struct.pack("<10f16s", 0, 0, 0, 9, 9, 9, 0, 0, 0, 9, b"f")
    return struct.pack("<4si64s9i", b"IDP3", 15, b"t", 0, 1, 0, 1, 0, 108, 164, 164, 164 + len(surface)) + frame + surface


def mdc():
    """Return to Castle Wolfenstein: like Quake III, with complete frames and differences."""
    vertices = b"".join(struct.pack("<3hH", *[round(64 * x) for x in corner], 0) for corner in CORNERS)
    triangles = b"".join(struct.pack("<3i", *face) for face in FACES)
    shader, uvs = struct.pack("<64si", b"", 0), b"\0" * 32
    head = 4 + 64 + 15 * 4 - 4
    head = 124
    first = head
    offsets = {"triangles": first + 68, "shaders": first, "uvs": first + 116, "base": first + 148, "compressed": first + 180,
               "base_frames": first + 180, "compressed_frames": first + 182, "end": first + 184}
    surface = struct.pack("<4s64siiiiii8i", b"\x07\0\0\0", b"t", 0, 0, 1, 1, 4, 4, offsets["triangles"], offsets["shaders"], offsets["uvs"],
                          offsets["base"], offsets["compressed"], offsets["base_frames"], offsets["compressed_frames"], offsets["end"])
    surface += shader + triangles + uvs + vertices + struct.pack("<2h", 0, -1)
    frame = struct.pack("<10f16s", 0, 0, 0, 9, 9, 9, 0, 0, 0, 9, b"f")
    return struct.pack("<4si64s10i", b"IDPC", 2, b"t", 0, 1, 0, 1, 0, 112, 168, 168, 168, 168 + len(surface)) + frame + surface


def iqm():
    """Inter-Quake Model 2: a header of 27 numbers, then text, a mesh, its arrays and triangles."""
    text = b"\0t\0m\0"
    text += b"\0" * (-len(text) % 4)
    at = 124
    texts, at = at, at + len(text)
    meshes, at = at, at + 24
    arrays, at = at, at + 2 * 20
    positions, at = at, at + 48
    normals, at = at, at + 48
    triangles, at = at, at + 48
    header = struct.pack("<16s27I", b"INTERQUAKEMODEL\0", 2, at, 0, len(text), texts, 1, meshes, 2, 4, arrays, 4, triangles, 0, *[0] * 14)
    body = text + struct.pack("<6I", 1, 3, 0, 4, 0, 4) + struct.pack("<10I", 0, 0, 7, 3, positions, 2, 0, 7, 3, normals)
    body += b"".join(struct.pack("<3f", *c) for c in CORNERS) + b"".join(struct.pack("<3f", *n) for n in flat_normals())
    return header + body + b"".join(struct.pack("<3I", *face) for face in FACES)


def q3o():
    """Quick3D: one mesh. Its normals belong to the points, so they have no indices of their own."""
    mesh = struct.pack("<I", 4) + b"".join(struct.pack("<3f", *c) for c in CORNERS)
    mesh += struct.pack("<I4H", 4, 3, 3, 3, 3) + b"".join(struct.pack("<3I", *f) for f in FACES) + struct.pack("<4I", 0, 0, 0, 0)
    mesh += struct.pack("<I", 4) + b"".join(struct.pack("<3f", *n) for n in flat_normals()) + struct.pack("<I9f", 0, *[0.0] * 9)
    return b"quick3Do30" + struct.pack("<3I", 1, 0, 0) + b"m" + mesh


def pmx():
    """MikuMikuDance 2.0: indices of a byte, text in UTF-8, one material and one bone."""
    def text(value):
        return struct.pack("<i", len(value)) + value
    body = struct.pack("<4sfB8B", b"PMX ", 2.0, 8, 1, 0, 1, 1, 1, 1, 1, 1) + text(b"t") * 4
    body += struct.pack("<i", 4)
    for corner in CORNERS:
        body += struct.pack("<8fBBf", *corner, 0, 0, 1, 0, 0, 0, 0, 1)
    body += struct.pack("<i", 12) + bytes(i for face in FACES for i in face)
    body += struct.pack("<i", 0)
    body += struct.pack("<i", 1) + text(b"m") * 2 + struct.pack("<4f3ff3fB4ff", 1, 0, 0, 1, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 1, 1)
    body += struct.pack("<bbBBb", -1, -1, 0, 0, -1) + text(b"") + struct.pack("<i", 12)
    body += struct.pack("<i", 1) + text(b"bone") * 2 + struct.pack("<3fbiH3f", 0, 0, 0, -1, 0, 0, 0, 1, 0)
    return body + struct.pack("<iiii", 0, 0, 0, 0)


def lxo():
    """Modo: chunks of LightWave's second form, in a form of its own."""
    def chunk(name, body):
        return name + struct.pack(">I", len(body)) + body + b"\0" * (len(body) % 2)
    points = b"".join(struct.pack(">3f", *c) for c in CORNERS)
    polygons = b"FACE" + b"".join(struct.pack(">4H", 3, *f) for f in FACES)
    parts = (chunk(b"TAGS", b"m\0") + chunk(b"LAYR", struct.pack(">2H3f", 0, 0, 0, 0, 0) + b"t\0") + chunk(b"PNTS", points) + chunk(b"POLS", polygons)
             + chunk(b"PTAG", b"SURF" + b"".join(struct.pack(">2H", i, 0) for i in range(4)))
             + chunk(b"SURF", b"m\0\0\0" + b"COLR" + struct.pack(">H3fH", 14, 1, 0, 0, 0)))
    return b"FORM" + struct.pack(">I", 4 + len(parts)) + b"LXOB" + parts


def zipped(name, text):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, text)
    return out.getvalue()
