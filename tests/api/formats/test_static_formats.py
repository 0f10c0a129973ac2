"""PLY, STL and X3D: each notation that a file may use gives the same vertices, and errors are named with their position."""
import pathlib
import struct
import sys
import zlib

import pytest

import conformance
from conftest import REPOSITORY

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "oracle"))
from matrices import from_trs, multiply, transform  # noqa: E402

DRAWS = False

MESHLAB = REPOSITORY.parent / "shared" / "models" / "bugs" / "t3" / "cube_binary.stl"
CORNERS = [(1.0, 2.0, 3.0), (4.0, 2.0, 3.0), (1.0, 7.0, 3.0), (1.0, 2.0, 9.0)]
FACES = [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]


def rounded(points):
    return {tuple(round(x, 3) + 0.0 for x in point) for point in points}


def expect_points(server, name, expected):
    """All vertices in scene space, in any order."""
    frame = server.json("/v1/mesh", model=name)["frames"][0]
    got = [positions[i:i + 3] for positions in frame["positions"] for i in range(0, len(positions), 3)]
    conformance.compared_points(server.root / name, conformance.WORKED, got, expected)
    assert rounded(got) == rounded(expected), name


def model(server, name):
    return server.json("/v1/model", model=name)


def refusal(server, name):
    answer = server.get(f"/v1/model?model={name}")
    assert answer.status == 422, answer.body
    return answer.json()["error"]["message"]


# --- PLY ---

def ply_header(form, faces=len(FACES), color="uchar", start=""):
    return (f"{start}ply\nformat {form} 1.0\ncomment made by a test\nelement vertex 4\nproperty float x\nproperty double y\nproperty float z\n"
            f"property {color} red\nproperty {color} green\nproperty {color} blue\nelement face {faces}\n"
            "property list uchar int vertex_indices\nend_header\n")


def ply(form, start=""):
    if form == "ascii":
        rows = [f"{x} {y} {z} 255 0 51" for x, y, z in CORNERS] + [f"3 {a} {b} {c}" for a, b, c in FACES]
        return (ply_header(form, start=start) + "\n".join(rows) + "\n").encode()
    order = "<" if form == "binary_little_endian" else ">"
    body = b"".join(struct.pack(order + "fdf3B", *corner, 255, 0, 51) for corner in CORNERS)
    body += b"".join(struct.pack(order + "B3i", 3, *face) for face in FACES)
    return ply_header(form, start=start).encode() + body


PLY_FILES = {
    "ascii.ply": ply("ascii"), "little.ply": ply("binary_little_endian"), "big.ply": ply("binary_big_endian"),
    "newline.ply": ply("ascii", start="\n"), "newline_binary.ply": ply("binary_little_endian", start="\r\n\n"),
    "crlf.ply": ply("ascii").replace(b"\n", b"\r\n"),
    "cr.ply": ply("ascii", start="\n").replace(b"\n", b"\r"),
    "cr_binary.ply": ply_header("binary_big_endian").replace("\n", "\r").encode() + ply("binary_big_endian")[len(ply_header("binary_big_endian")):],
}


def test_ply_in_every_encoding(start, tmp_path):
    for name, content in PLY_FILES.items():
        (tmp_path / name).write_bytes(content)
    server = start("--render-workers", "0", root=tmp_path)
    hashes = set()
    for name in PLY_FILES:
        expect_points(server, name, CORNERS)
        answer = model(server, name)
        assert answer["counts"]["triangles"] == 4 and answer["warnings"] == [], name
        hashes.add(answer["hash"])
    assert len(hashes) == 1


@pytest.mark.parametrize("form", ["ascii", "binary_little_endian"])
def test_ply_faces_may_come_before_their_vertices(start, tmp_path, form):
    whole, header = ply(form), ply_header(form).encode()
    at = header.index(b"element face")
    body = whole[len(header):]
    cut = len(b"".join(body.splitlines(True)[:4])) if form == "ascii" else 4 * 19
    swapped = header[:header.index(b"element vertex")] + header[at:header.index(b"end_header")] + header[header.index(b"element vertex"):at] + b"end_header\n"
    (tmp_path / "plain.ply").write_bytes(whole)
    (tmp_path / "swapped.ply").write_bytes(swapped + body[cut:] + body[:cut])
    (tmp_path / "beyond.ply").write_bytes((swapped + body[cut:] + body[:cut]).replace(b"vertex 4", b"vertex 3"))
    server = start("--render-workers", "0", root=tmp_path)
    assert model(server, "swapped.ply")["hash"] == model(server, "plain.ply")["hash"]
    assert "names vertex 3 of 3" in refusal(server, "beyond.ply")


def test_ply_texture_may_have_blanks_around_and_in_its_name(start, tmp_path):
    text = ply("ascii").decode().replace("comment made by a test", "comment TextureFile  my skin.png \t")
    (tmp_path / "blank.ply").write_text(text)
    server = start("--render-workers", "0", root=tmp_path)
    assert [texture["uri"] for texture in model(server, "blank.ply")["textures"]] == ["my skin.png"]


def test_ply_without_faces_is_lines_or_points(start, tmp_path):
    cloud = ply_header("ascii", faces=0) + "".join(f"{x} {y} {z} 1 2 3\n" for x, y, z in CORNERS)
    (tmp_path / "cloud.ply").write_text(cloud)
    (tmp_path / "blender.ply").write_text(cloud.replace("element face 0\n", ""))
    edges = cloud.replace("element face 0\nproperty list uchar int vertex_indices\n",
                          "element edge 2\nproperty int vertex1\nproperty int vertex2\n") + "0 1\n2 3\n"
    (tmp_path / "edges.ply").write_text(edges)
    strip = cloud.replace("element face 0", "element tristrips 1") + "9 0 1 2 3 -1 2 1 0 -1\n"
    (tmp_path / "strip.ply").write_text(strip)
    server = start("--render-workers", "1", root=tmp_path)
    for name, triangles in [("cloud", 0), ("blender", 0), ("edges", 0), ("strip", 3)]:
        expect_points(server, f"{name}.ply", CORNERS)
        assert model(server, f"{name}.ply")["counts"]["triangles"] == triangles
    assert server.get("/v1/render?model=cloud.ply&width=32&height=32").status == 200


def test_ply_points_that_are_not_finite_are_left_out(start, tmp_path):
    text = ply("ascii").decode().replace("1.0 2.0 9.0", "nan nan nan")
    (tmp_path / "holes.ply").write_text(text)
    server = start("--render-workers", "0", root=tmp_path)
    expect_points(server, "holes.ply", CORNERS[:3])
    assert [w["code"] for w in model(server, "holes.ply")["warnings"]] == ["not_finite_repaired"]


def test_ply_that_is_wrong_is_refused_with_the_place(start, tmp_path):
    good = ply("ascii").decode()
    wrong = {
        "index.ply": (good.replace("3 1 2 3", "3 1 2 4"), ["face 3", "vertex 4 of 4"]),
        "word.ply": (good.replace("3 0 1 3", "3 0 x 3"), ["line 19", "'x' is no number"]),
        "cr.ply": (good.replace("3 0 1 3", "3 0 x 3").replace("\n", "\r"), ["line 19", "'x' is no number"]),
        "short.ply": (good[:-12], ["line 20", "a list of 3 values"]),
        "type.ply": (good.replace("float x", "quad x"), ["line 5 of the header", "type"]),
        "many.ply": (good.replace("vertex 4", "vertex 4000000000"), ["4000000000", "vertex", "room"]),
        "axes.ply": (good.replace("float z", "float w"), ["'x', 'y' and 'z'"]),
        "none.ply": ("ply\nformat ascii 1.0\nelement vertex 0\nproperty float x\nproperty float y\nproperty float z\nend_header\n", ["no vertex"]),
    }
    for name, (text, _) in wrong.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "cut.ply").write_bytes(ply("binary_big_endian")[:-3])
    server = start("--render-workers", "0", root=tmp_path)
    for name, (_, words) in wrong.items():
        assert all(word in refusal(server, name) for word in words), refusal(server, name)
    assert "byte" in refusal(server, "cut.ply")


# --- STL ---

def stl_solid(name, faces=FACES, shift=0.0):
    lines = [f"solid {name}"]
    for face in faces:
        lines += ["  facet normal 0 0 0", "    outer loop"]
        lines += [f"      vertex {CORNERS[i][0] + shift} {CORNERS[i][1]} {CORNERS[i][2]}" for i in face]
        lines += ["    endloop", "  endfacet"]
    return "\n".join(lines + [f"endsolid {name}"]) + "\n"


def stl_binary(header, colors=None, faces=FACES):
    body = struct.pack("<80sI", header, len(faces))
    for i, face in enumerate(faces):
        body += struct.pack("<12fH", 0, 0, 0, *[x for c in face for x in CORNERS[c]], colors[i] if colors else 0)
    return body


def test_stl_as_text_and_binary(start, tmp_path):
    (tmp_path / "text.stl").write_text(stl_solid("a part"))
    (tmp_path / "upper.stl").write_text(stl_solid("A").upper())
    (tmp_path / "binary.stl").write_bytes(stl_binary(b"made by a test"))
    (tmp_path / "liar.stl").write_bytes(stl_binary(b"solid is what this begins with"))
    server = start("--render-workers", "0", root=tmp_path)
    for name in ("text", "upper", "binary", "liar"):
        expect_points(server, f"{name}.stl", CORNERS)
        assert model(server, f"{name}.stl")["counts"]["triangles"] == 4
    assert [n["name"] for n in model(server, "text.stl")["nodes"]] == ["a part"]


def test_stl_of_several_solids_some_of_them_empty(start, tmp_path):
    (tmp_path / "three.stl").write_text(stl_solid("one") + "solid x endsolid x\nendsolid x\n" + stl_solid("two", FACES[:1], shift=10.0))
    (tmp_path / "bare.stl").write_text("solid\nendsolid\n" + stl_solid("one"))
    (tmp_path / "empty.stl").write_text("solid a\nendsolid a\nsolid b\nendsolid b\n")
    server = start("--render-workers", "0", root=tmp_path)
    expect_points(server, "three.stl", CORNERS + [(x + 10, y, z) for x, y, z in CORNERS[:3]])
    assert [n["name"] for n in model(server, "three.stl")["nodes"]] == ["one", "two"]
    expect_points(server, "bare.stl", CORNERS)
    assert "all its solids are empty" in refusal(server, "empty.stl")


def test_stl_colours(start, tmp_path):
    red_low, own = 31, 0x8000
    (tmp_path / "viscam.stl").write_bytes(stl_binary(b"x", [own | 31 << 10, own | 31, 0, 0]))
    (tmp_path / "magics.stl").write_bytes(stl_binary(b"COLOR=" + bytes([0, 255, 0, 255]), [red_low, own, own, own]))
    (tmp_path / "plain.stl").write_bytes(stl_binary(b"x"))
    server = start("--render-workers", "0", root=tmp_path)
    assert model(server, "viscam.stl")["hash"] != model(server, "plain.stl")["hash"]
    assert len({model(server, f"{n}.stl")["hash"] for n in ("viscam", "magics", "plain")}) == 3


def test_stl_of_meshlab_has_colours_only_where_the_highest_bit_is_set(start, tmp_path):
    header = b"COLOR=\x7f\x7f\x7f MATERIAL=\x7f\x7f\x7f \x7f\x7f\x7f \x7f\x7f\x7f"
    (tmp_path / "none.stl").write_bytes(stl_binary(header))
    (tmp_path / "some.stl").write_bytes(stl_binary(header, [0x8000 | 31, 0, 0, 0]))
    server = start("--render-workers", "0", root=tmp_path)
    attributes = {name: server.json("/v1/mesh", model=f"{name}.stl", attributes=1)["attributes"][0] for name in ("none", "some")}
    assert "colors" not in attributes["none"] and model(server, "none.stl")["materials"][0]["base_color"] == [1, 1, 1, 1]
    found = attributes["some"]["colors"]
    assert {tuple(found[i:i + 4]) for i in range(0, len(found), 4)} == {(255, 0, 0, 255), (255, 255, 255, 255)}


@pytest.mark.skipif(not MESHLAB.is_file(), reason="../shared/models/bugs is not there")
def test_a_cube_of_meshlab_is_white(start):
    server = start("--render-workers", "0", root=MESHLAB.parent)
    assert "colors" not in server.json("/v1/mesh", model=MESHLAB.name, attributes=1)["attributes"][0]
    assert model(server, MESHLAB.name)["counts"]["triangles"] == 12


def test_stl_that_is_wrong_is_refused_with_the_place(start, tmp_path):
    text = stl_solid("a")
    wrong = {"loop.stl": (text.replace("outer loop", "outer", 1), ["line 4", "'loop'", "'vertex'"]),
             "number.stl": (text.replace("4.0", "four", 1), ["line 6", "a number", "'four'"]),
             "comma.stl": (text.replace("4.0", "4,0", 1), ["line 6", "a number", "'4,0'"]),
             "end.stl": (text[:100], ["the file ends where"])}
    for name, (content, _) in wrong.items():
        (tmp_path / name).write_text(content)
    (tmp_path / "cut.stl").write_bytes(stl_binary(b"x")[:-1])
    server = start("--render-workers", "0", root=tmp_path)
    for name, (_, words) in wrong.items():
        assert all(word in refusal(server, name) for word in words), refusal(server, name)
    assert "byte 80 says 4 facets, but the file has room for 3" in refusal(server, "cut.stl")


# --- X3D ---

OUTER = ([3.0, -2.0, 5.0], [0.0, 0.6, 0.0, 0.8], [2.0, 0.5, 1.5])  # rotated, unevenly scaled, off the origin
INNER = ([1.0, 2.0, 3.0], [0.5, 0.5, -0.5, 0.5], [1.0, 3.0, 0.25])
COORDINATE = "<Coordinate point='" + ", ".join(f"{x} {y} {z}" for x, y, z in CORNERS) + "'/>"
FACE_SET = "<IndexedFaceSet coordIndex='" + " ".join(f"{a} {b} {c} -1" for a, b, c in FACES) + f"'>{COORDINATE}</IndexedFaceSet>"


def x3d_transform(trs, inside, name=""):
    import math
    translation, (x, y, z, w), scale = trs
    half = math.acos(w)
    axis = [c / math.sin(half) for c in (x, y, z)]
    numbers = {"translation": translation, "rotation": [*axis, 2 * half], "scale": scale}
    fields = " ".join(f"{key}='{' '.join(map(repr, value))}'" for key, value in numbers.items())
    return f"<Transform {name} {fields}>{inside}</Transform>"


def x3d(inside):
    return ("<?xml version='1.0' encoding='UTF-8'?>\n<!DOCTYPE X3D PUBLIC 'ISO//Web3D//DTD X3D 3.3//EN' 'https://www.web3d.org/x3d-3.3.dtd'>\n"
            f"<X3D version='3.3'><head><meta name='generator' content='a test'/></head>\n<Scene>\n{inside}\n</Scene></X3D>\n")


def test_x3d_transforms_and_uses(start, tmp_path):
    shape = f"<Shape DEF='S'><Appearance><Material diffuseColor='1 0 0'/></Appearance>{FACE_SET}</Shape>"
    inside = x3d_transform(OUTER, x3d_transform(INNER, shape, "DEF='inner'")) + "<Transform translation='100 0 0'><Group USE='inner'/></Transform>"
    (tmp_path / "a.x3d").write_text(x3d(inside))
    server = start("--render-workers", "1", root=tmp_path)
    deep = multiply(from_trs(*OUTER), from_trs(*INNER))
    beside = multiply(from_trs([100.0, 0.0, 0.0], [0, 0, 0, 1], [1, 1, 1]), from_trs(*INNER))
    expect_points(server, "a.x3d", [transform(m, c) for m in (deep, beside) for c in CORNERS])
    answer = model(server, "a.x3d")
    assert answer["warnings"] == [] and answer["generator"] == "a test" and answer["counts"]["meshes"] == 1
    assert server.get("/v1/render?model=a.x3d&width=32&height=32").status == 200


SETS = {
    "IndexedTriangleSet": (f"index='{' '.join(str(i) for f in FACES for i in f)}'", CORNERS, 4),
    "IndexedTriangleStripSet": ("index='0 1 2 3 -1'", CORNERS, 2),
    "IndexedTriangleFanSet": ("index='0 1 2 3 -1'", CORNERS, 2),
    "IndexedQuadSet": ("index='0 1 2 3'", CORNERS, 2),
    "TriangleSet": ("", CORNERS[:3], 1),
    "TriangleStripSet": ("stripCount='4'", CORNERS, 2),
    "TriangleFanSet": ("fanCount='4'", CORNERS, 2),
    "QuadSet": ("", CORNERS, 2),
    "IndexedLineSet": ("coordIndex='0 1 -1 2 3'", CORNERS, 0),
    "LineSet": ("vertexCount='4'", CORNERS, 0),
    "PointSet": ("", CORNERS, 0),
}


def test_x3d_geometry_of_each_kind(start, tmp_path):
    for tag, (fields, _, _) in SETS.items():
        (tmp_path / f"{tag}.x3d").write_text(x3d(f"<Shape><{tag} {fields}>{COORDINATE}</{tag}></Shape>"))
    solids = {"Box": "<Box size='2 4 6'/>", "Sphere": "<Sphere radius='3'/>", "Cone": "<Cone bottomRadius='2' height='6'/>",
              "Cylinder": "<Cylinder radius='2' height='6'/>", "Extrusion": "<Extrusion spine='0 -3 0 0 3 0'/>",
              "ElevationGrid": "<ElevationGrid xDimension='2' zDimension='2' xSpacing='3' zSpacing='5' height='0 1 2 3'/>"}
    for tag, text in solids.items():
        (tmp_path / f"{tag}.x3d").write_text(x3d(f"<Shape>{text}</Shape>"))
    server = start("--render-workers", "0", root=tmp_path)
    for tag, (_, corners, triangles) in SETS.items():
        expect_points(server, f"{tag}.x3d", corners)
        assert model(server, f"{tag}.x3d")["counts"]["triangles"] == triangles, tag
    sizes = {"Box": ([-1, -2, -3], [1, 2, 3]), "Sphere": ([-3, -3, -3], [3, 3, 3]), "Cone": ([-2, -3, -2], [2, 3, 2]),
             "Cylinder": ([-2, -3, -2], [2, 3, 2]), "Extrusion": ([-1, -3, -1], [1, 3, 1]), "ElevationGrid": ([0, 0, 0], [3, 3, 5])}
    for tag, (low, high) in sizes.items():
        bounds = model(server, f"{tag}.x3d")["bounds"]
        assert bounds["min"] == pytest.approx(low, abs=1e-5) and bounds["max"] == pytest.approx(high, abs=1e-5), tag


def pixel():
    """A PNG of one red texel."""
    def chunk(kind, body):
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(b"\0\xff\0\0")) + chunk(b"IEND", b""))


def test_x3d_takes_the_first_picture_that_is_there(start, tmp_path):
    picture = "<Appearance><ImageTexture url='\"https://example.org/a.png\" \"gone.png\" \"the%20one.png\" \"other.png\"'/></Appearance>"
    (tmp_path / "a.x3d").write_text(x3d(f"<Shape>{picture}{FACE_SET}</Shape>"))
    (tmp_path / "gone.x3d").write_text(x3d(f"<Shape>{picture.replace('the%20one', 'a').replace('other', 'b')}{FACE_SET}</Shape>"))
    (tmp_path / "bare.x3d").write_text(x3d(f"<Shape><Appearance><ImageTexture url='other.png'/></Appearance>{FACE_SET}</Shape>"))
    for name in ("the one.png", "other.png"):
        (tmp_path / name).write_bytes(pixel())
    server = start("--render-workers", "0", root=tmp_path)
    for name, uri in [("a.x3d", "the one.png"), ("bare.x3d", "other.png")]:
        answer = model(server, name)
        assert answer["warnings"] == [] and [t["uri"] for t in answer["textures"]] == [uri]
    assert [w["code"] for w in model(server, "gone.x3d")["warnings"]] == ["texture_missing"]


MATERIALS = {
    "physical": ("<PhysicalMaterial baseColor='0.5 0.5 0.5' emissiveColor='1 1 1' metallic='0.25' roughness='0.75' normalScale='2' occlusionStrength='0.5'>"
                 "<ImageTexture containerField='normalTexture' url='\"n.png\"'/><ImageTexture containerField='baseTexture' url='\"b.png\"'/>"
                 "<ImageTexture containerField='emissiveTexture' url='\"e.png\"'/><ImageTexture containerField='occlusionTexture' url='\"o.png\"'/>"
                 "<ImageTexture containerField='metallicRoughnessTexture' url='\"m.png\"'/></PhysicalMaterial>",
                 {"base_color": "b.png", "normal": "n.png", "emissive": "e.png", "occlusion": "o.png", "metallic_roughness": "m.png"}),
    "classic": ("<Material diffuseColor='0.5 0.5 0.5'><ImageTexture containerField='diffuseTexture' url='\"b.png\"'/>"
                "<ImageTexture containerField='normalTexture' url='\"n.png\"'/></Material>", {"base_color": "b.png", "normal": "n.png"}),
    "unlit": ("<UnlitMaterial><ImageTexture containerField='emissiveTexture' url='\"e.png\"'/></UnlitMaterial>", {"base_color": "e.png"}),
    "bare": ("<PhysicalMaterial><ImageTexture url='\"b.png\"'/></PhysicalMaterial>", {"base_color": "b.png"}),
}


def test_x3d_materials_have_the_textures_of_their_fields(start, tmp_path):
    for name, (text, _) in MATERIALS.items():
        (tmp_path / f"{name}.x3d").write_text(x3d(f"<Shape><Appearance><TextureTransform scale='2 3'/>{text}</Appearance>{FACE_SET}</Shape>"))
    for name in "bneom":
        (tmp_path / f"{name}.png").write_bytes(pixel())
    server = start("--render-workers", "0", root=tmp_path)
    for name, (_, expected) in MATERIALS.items():
        answer = model(server, f"{name}.x3d")
        material = answer["materials"][0]
        found = {use: answer["textures"][texture["texture"]] for use, texture in material["textures"].items()}
        assert {use: texture["uri"] for use, texture in found.items()} == expected, name
        assert answer["warnings"] == []
        assert all(texture["content"] == ("colors" if use in ("base_color", "emissive") else "data") for use, texture in found.items())
        assert all(texture["uv_from_texcoord"][0] == 2 for texture in material["textures"].values())
    physical = model(server, "physical.x3d")["materials"][0]
    assert (physical["metallic"], physical["roughness"], physical["normal_scale"], physical["occlusion_strength"]) == (0.25, 0.75, 2, 0.5)
    assert physical["base_color"][:3] == pytest.approx([0.2140411] * 3) and physical["emissive"] == [1, 1, 1]


def test_x3d_children_are_of_the_field_that_they_name(start, tmp_path):
    box = "<Shape containerField='proxy'><Box size='100 100 100'/></Shape>"
    inside = ("<Shape><Appearance><Material containerField='backMaterial' diffuseColor='0 1 0'/><Material containerField='material' diffuseColor='1 0 0'/>"
              f"</Appearance>{FACE_SET}</Shape>")
    body = (f"<HAnimHumanoid><HAnimJoint DEF='hip' containerField='skeleton'><HAnimSegment>{inside}</HAnimSegment></HAnimJoint>"
            "<HAnimJoint USE='hip' containerField='joints'/></HAnimHumanoid>")
    (tmp_path / "a.x3d").write_text(x3d(f"<Collision>{box}{body}</Collision>"))
    (tmp_path / "skin.x3d").write_text(x3d("<Shape><Appearance><Material><ImageTexture containerField='shininessTexture' url='\"a.png\"'/></Material>"
                                           f"</Appearance>{FACE_SET}</Shape>"))
    server = start("--render-workers", "0", root=tmp_path)
    answer = model(server, "a.x3d")
    assert answer["counts"]["triangles"] == 4
    expect_points(server, "a.x3d", CORNERS)
    assert answer["materials"][0]["base_color"] == [1, 0, 0, 1]
    assert answer["warnings"] == []
    assert [(w["code"], "shininessTexture" in w["message"]) for w in model(server, "skin.x3d")["warnings"]] == [("elements_ignored", True)]


def test_x3d_nodes_that_are_not_read_are_warnings(start, tmp_path):
    extra = ("<Viewpoint/><Inline url='\"b.x3d\"'/><Wobble/><TimeSensor DEF='T'/><PositionInterpolator DEF='P'/>"
             "<ROUTE fromNode='T' fromField='f' toNode='P' toField='g'/><Script><field name='x'/></Script>"
             "<Group USE='nothing'/><Shape><Text string='\"hello\"'/></Shape>")
    (tmp_path / "a.x3d").write_text(x3d(f"{extra}<Shape>{FACE_SET}</Shape>"))
    server = start("--render-workers", "0", root=tmp_path)
    expect_points(server, "a.x3d", CORNERS)
    warnings = model(server, "a.x3d")["warnings"]
    assert {w["code"] for w in warnings} == {"inline_ignored", "elements_ignored", "clips_not_read"}
    words = " ".join(w["message"] for w in warnings)
    assert all(f"<{tag}>" in words for tag in ("Inline", "Wobble", "TimeSensor", "Script", "Text")), words


def test_x3d_that_is_wrong_is_refused_with_the_place(start, tmp_path):
    wrong = {
        "index.x3d": (x3d(f"<Shape>\n{FACE_SET.replace('1 2 3 -1', '1 2 4 -1')}</Shape>"), ["line 6", "<IndexedFaceSet>", "point 4 of 4"]),
        "number.x3d": (x3d(f"<Shape>{FACE_SET.replace('4.0 2.0', '4.0 two')}</Shape>"), ["line 5", "<Coordinate>", "'two'", "'point'"]),
        "loop.x3d": (x3d("<Group DEF='G'><Group USE='G'/></Group>"), ["<Group>", "deep"]),
        "broken.x3d": (x3d("<Shape></Shap>"), ["line 5", "XML"]),
        "nothing.x3d": (x3d("<Viewpoint/>"), ["no shape"]),
        "entity.x3d": ("<!DOCTYPE X3D [<!ENTITY a 'aaaa'>]>\n" + "<X3D><Scene><Group DEF='&a;'/></Scene></X3D>", ["entities"]),
        "grid.x3d": (x3d("<Shape><ElevationGrid xDimension='1e9' zDimension='1e9' height='0 1'/></Shape>"), ["<ElevationGrid>", "2 heights"]),
    }
    for name, (text, _) in wrong.items():
        (tmp_path / name).write_text(text)
    server = start("--render-workers", "0", root=tmp_path)
    for name, (_, words) in wrong.items():
        assert all(word in refusal(server, name) for word in words), refusal(server, name)
