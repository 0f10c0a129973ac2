"""A file as Blender 2.79 and older write them: one textured triangle, whose picture is packed. Newer versions of Blender no longer write
faces like these. A .blend file describes its own structures (SDNA), so this one has only those members that a reader of a mesh needs."""
import re
import struct

SIZES = {"char": 1, "short": 2, "int": 4, "float": 4, "void": 0}
FORMS = {"char": "b", "short": "h", "int": "i", "float": "f"}
POINTER_BYTES = 8

STRUCTURES = {
    "ID": ["char name[24]"],
    "ListBase": ["void *first", "void *last"],
    "Scene": ["ID id", "Object *camera", "Base *basact", "ListBase base"],
    "Base": ["Base *next", "Base *prev", "Object *object"],
    "Object": ["ID id", "int type", "float obmat[4][4]", "float parentinv[4][4]", "char parsubstr[32]", "Object *parent", "void *data"],
    "Mesh": ["ID id", "int totface", "int totedge", "int totvert", "int pad", "MFace *mface", "MTFace *mtface", "MVert *mvert", "MEdge *medge",
             "Material **mat"],
    "MVert": ["float co[3]", "short no[3]", "char flag", "char mat_nr"],
    "MFace": ["int v1", "int v2", "int v3", "int v4", "short mat_nr", "short flag"],
    "MTFace": ["float uv[4][2]"],
    "MEdge": ["int v1", "int v2"],
    "Material": ["ID id", "float r", "float g", "float b", "float alpha", "MTex *mtex[18]"],
    "MTex": ["short mapto", "short texco", "int blendtype", "Tex *tex"],
    "Tex": ["ID id", "int type", "int pad", "Image *ima"],
    "Image": ["ID id", "char name[240]", "PackedFile *packedfile"],
    "PackedFile": ["int size", "int seek", "void *data"],
}
MESH, IMAGE, COLOUR = 1, 8, 1  # Object.type, Tex.type, MTex.mapto


def member(text):
    """(type, name, the lookup name, elements, whether it is a pointer) of "float uv[4][2]"."""
    kind, name = text.split(" ")
    count = 1
    for one in re.findall(r"\[(\d+)\]", name):
        count *= int(one)
    return kind, name, name.split("[")[0].lstrip("*"), count, name.startswith("*")


def size_of(kind):
    if kind in SIZES:
        return SIZES[kind]
    return sum(count * (POINTER_BYTES if is_pointer else size_of(of)) for of, _, _, count, is_pointer in map(member, STRUCTURES[kind]))


def packed(kind, values):
    """The bytes of a structure; members that `values` lacks are zero. A name begins with two letters of its kind."""
    out = b""
    for of, _, name, count, is_pointer in map(member, STRUCTURES[kind]):
        value = values.get(name)
        if is_pointer:
            pointers = value if isinstance(value, list) else [value or 0]
            out += struct.pack(f"<{count}Q", *pointers, *[0] * (count - len(pointers)))
        elif of in STRUCTURES:
            out += packed(of, {"name": value} if of == "ID" else value)
        elif isinstance(value, str):
            out += value.encode().ljust(count, b"\0")
        else:
            numbers = value if isinstance(value, list) else [value or 0]
            out += struct.pack(f"<{count}{FORMS[of]}", *numbers, *[0] * (count - len(numbers)))
    return out


def aligned(data):
    return data + bytes(-len(data) % 4)


def sdna():
    """The names, types, sizes and structures of the file."""
    members = {kind: [member(text) for text in texts] for kind, texts in STRUCTURES.items()}
    names = sorted({name for texts in members.values() for _, name, _, _, _ in texts})
    types = [*SIZES, *STRUCTURES]
    parts = b"SDNA" + aligned(b"NAME" + struct.pack("<i", len(names)) + b"".join(name.encode() + b"\0" for name in names))
    parts += aligned(b"TYPE" + struct.pack("<i", len(types)) + b"".join(kind.encode() + b"\0" for kind in types))
    parts += aligned(b"TLEN" + struct.pack(f"<{len(types)}H", *map(size_of, types)))
    parts += b"STRC" + struct.pack("<i", len(STRUCTURES))
    for kind, texts in members.items():
        parts += struct.pack("<HH", types.index(kind), len(texts))
        parts += b"".join(struct.pack("<HH", types.index(of), names.index(name)) for of, name, _, _, _ in texts)
    return parts


def blend(data, name):
    """The file; `data`: of the picture, whose file was called `name`."""
    places = ["scene", "base", "object", "mesh", "vertices", "faces", "uvs", "materials", "material", "mtex", "tex", "image", "packed", "data"]
    at = {place: 0x10000 * (n + 1) for n, place in enumerate(places)}
    identity = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]
    blocks = []

    def add(code, place, kind, *values):
        blocks.append((code, at[place], list(STRUCTURES).index(kind), len(values), b"".join(packed(kind, one) for one in values)))
    add(b"SC\0\0", "scene", "Scene", {"id": "SCscene", "basact": at["base"], "base": {"first": at["base"], "last": at["base"]}})
    add(b"DATA", "base", "Base", {"object": at["object"]})
    add(b"OB\0\0", "object", "Object", {"id": "OBtriangle", "type": MESH, "obmat": identity, "parentinv": identity, "data": at["mesh"]})
    add(b"ME\0\0", "mesh", "Mesh", {"id": "MEtriangle", "totface": 1, "totvert": 3, "mface": at["faces"], "mtface": at["uvs"],
                                   "mvert": at["vertices"], "mat": at["materials"]})
    add(b"DATA", "vertices", "MVert", *({"co": co, "no": [0, 0, 32767]} for co in ([0, 0, 0], [1, 0, 0], [0, 1, 0])))
    add(b"DATA", "faces", "MFace", {"v1": 0, "v2": 1, "v3": 2})
    add(b"DATA", "uvs", "MTFace", {"uv": [0, 0, 1, 0, 0, 1, 0, 0]})
    blocks.append((b"DATA", at["materials"], 0, 1, struct.pack("<Q", at["material"])))
    add(b"MA\0\0", "material", "Material", {"id": "MAskin", "r": 1, "g": 1, "b": 1, "alpha": 1, "mtex": [at["mtex"]]})
    add(b"DATA", "mtex", "MTex", {"mapto": COLOUR, "tex": at["tex"]})
    add(b"TE\0\0", "tex", "Tex", {"id": "TEskin", "type": IMAGE, "ima": at["image"]})
    add(b"IM\0\0", "image", "Image", {"id": "IMskin", "name": f"//{name}", "packedfile": at["packed"]})
    add(b"DATA", "packed", "PackedFile", {"size": len(data), "data": at["data"]})
    blocks.append((b"DATA", at["data"], 0, 1, data))
    blocks.append((b"DNA1", 1, 0, 1, sdna()))
    out = b"BLENDER-v279"
    for code, address, index, count, body in blocks:
        body = aligned(body)
        out += code + struct.pack("<iQii", len(body), address, index, count) + body
    return out + b"ENDB" + struct.pack("<iQii", 0, 0, 0, 0)


def write(folder, data, kind):
    """Writes the model; returns its name."""
    (folder / "a.blend").write_bytes(blend(data, f"skin.{kind}"))
    return "a.blend"
