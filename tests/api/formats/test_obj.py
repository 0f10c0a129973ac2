"""OBJ and MTL files compared with an evaluator written from the format, and the files that readers get wrong."""
import collections
import math
import pathlib
import sys

import pytest
from conftest import REPOSITORY

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "oracle"))
import conformance  # noqa: E402
import obj_evaluator  # noqa: E402
import random_obj  # noqa: E402

DRAWS = False

CASES = 150
TOLERANCE = 1e-6
OF_OTHERS = REPOSITORY.parent / "shared" / "models" / "bugs"


def near(a, b, size=1.0):
    return all(math.isclose(x, y, rel_tol=TOLERANCE, abs_tol=TOLERANCE * size) for x, y in zip(a, b, strict=True))


def area(polygon):
    """Twice the area as a vector, whatever way the polygon is cut."""
    origin, total = polygon[0], [0.0, 0.0, 0.0]
    for p, q in zip(polygon[1:], polygon[2:]):
        a, b = ([x - o for x, o in zip(point, origin)] for point in (p, q))
        total = [t + s for t, s in zip(total, (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]))]
    return total


def rounded(values):
    return tuple(round(x, 4) + 0.0 for x in values)


def light(srgb):
    """IEC 61966-2-1: linear light of sRGB, both 0..1."""
    return srgb / 12.92 if srgb <= 0.04045 else ((srgb + 0.055) / 1.055) ** 2.4


def stored(color):
    """A colour of a file as answers have it."""
    return tuple(round(255 * light(min(max(x, 0), 1))) for x in color) if color else (255, 255, 255)


def corner_of(corner, has_texcoords, has_normals, has_colors):
    place, texcoord, normal, color = corner
    found = [rounded(place)]
    if has_texcoords:
        found.append(rounded((texcoord[0], 1 - texcoord[1]) if texcoord else (0, 1)))
    if has_normals:
        length = math.hypot(*normal)
        found.append(rounded(x / length for x in normal))
    if has_colors:
        found.append(stored(color))
    return tuple(found)


def shown_corners(answer, i):
    """The corners of primitive i, and whether they have texture coordinates and colours."""
    attributes, positions = answer["attributes"][i], answer["frames"][0]["positions"][i]
    rows = [(positions[3 * v:3 * v + 3], attributes.get("texcoords", [])[2 * v:2 * v + 2], attributes["normals"][3 * v:3 * v + 3],
             attributes.get("colors", [])[4 * v:4 * v + 3]) for v in answer["indices"][i]]
    return rows, "texcoords" in attributes, "colors" in attributes


def check_primitive(answer, i, polygons, topology):
    size = {"triangles": 3, "lines": 2, "points": 1}[topology]
    rows, has_texcoords, has_colors = shown_corners(answer, i)
    corners = [corner for polygon in polygons for corner in polygon]
    assert has_texcoords == any(corner[1] for corner in corners)
    assert len(rows) == sum(size * max(len(polygon) - 2, 1) if topology == "triangles" else size for polygon in polygons)
    has_normals = topology == "triangles" and all(corner[2] for corner in corners)
    expected = [corner_of(corner, has_texcoords, has_normals, has_colors) for corner in corners]
    found = [tuple([rounded(place)] + [rounded(uv)] * has_texcoords + [rounded(normal)] * has_normals + [tuple(color)] * has_colors)
             for place, uv, normal, color in rows]
    assert set(found) == set(expected)
    if all(len(polygon) == size for polygon in polygons):
        def turned(triangle):
            return min(tuple(triangle[k:] + triangle[:k]) for k in range(len(triangle))) if size == 3 else tuple(triangle)
        def pieces(list_of):
            return collections.Counter(turned(list_of[k:k + size]) for k in range(0, len(list_of), size))
        assert pieces(found) == pieces(expected)
    if topology == "triangles":
        sums = [[sum(part) for part in zip(*map(area, shapes))] for shapes in (
            [[row[0] for row in rows[k:k + 3]] for k in range(0, len(rows), 3)], [[corner[0] for corner in polygon] for polygon in polygons])]
        assert near(*sums, size=1000), sums


def check_material(shown, model, name, material):
    expected = model.materials.get(name, {"color": [1, 1, 1], "opacity": 1, "maps": {}})
    assert material["name"] == (name or None)
    is_replaced = "base_color" in expected["maps"] and not any(expected["color"])
    linear = [1.0 if is_replaced else x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4 for x in expected["color"]]
    assert near(material["base_color"], linear + [expected["opacity"]]), (name, material["base_color"], linear)
    assert set(material["textures"]) == set(expected["maps"]), name
    for use, (file, scale, offset) in expected["maps"].items():
        texture = material["textures"][use]
        assert shown["textures"][texture["texture"]]["uri"] == file
        assert near(texture["uv_from_texcoord"], [scale[0], 0, offset[0], 0, scale[1], 1 - scale[1] - offset[1]])


def check(server, root, name):
    """Compares parts, materials and all corners. Returns the evaluator's model."""
    model = obj_evaluator.Model(root / name)
    shown = server.json("/v1/model", model=name)
    answer = server.json("/v1/mesh", model=name, indices=1, attributes=1)
    got = [positions[i:i + 3] for positions in answer["frames"][0]["positions"] for i in range(0, len(positions), 3)]
    expected = [corner[0] for polygons in model.polygons.values() for polygon in polygons for corner in polygon]
    conformance.compared_points(root / name, conformance.EVALUATOR, got, expected)
    nodes, materials = shown["nodes"], shown["materials"]
    found = collections.defaultdict(list)
    for i, one in enumerate(answer["meshes"]):
        found[(nodes[one["node"]]["name"], materials[one["material"]]["name"], one["topology"])].append(i)
    expected = collections.defaultdict(list)
    for ((owner, group), material, topology), polygons in model.polygons.items():
        expected[(group or owner or None, material or None, topology)].append(polygons)
    assert {key: len(value) for key, value in found.items()} == {key: len(value) for key, value in expected.items()}
    for key, lists in expected.items():
        for i, polygons in zip(found[key], lists, strict=True):
            check_primitive(answer, i, polygons, key[2])
            check_material(shown, model, key[1] or "", materials[answer["meshes"][i]["material"]])
    return model


def test_random_files_agree_with_the_format(start, tmp_path):
    for seed in range(CASES):
        data, library = random_obj.make(seed, f"lib {seed}")
        (tmp_path / f"random_{seed}.obj").write_bytes(data)
        (tmp_path / f"lib {seed}.mtl").write_bytes(library)
    server = start("--log", "off", "--render-workers", "0", root=tmp_path)
    for seed in range(CASES):
        check(server, tmp_path, f"random_{seed}.obj")


def test_random_files_use_every_corner():
    makers = [random_obj.Maker(seed) for seed in range(CASES)]
    files = [[data.decode("utf-16" if data.startswith(b"\xff\xfe") else "utf-8") for data in random_obj.make(seed)] for seed in range(CASES)]
    assert {maker.end_of_line for maker in makers} == {"\n", "\r\n", "\r"} and {maker.colors for maker in makers} == {"none", "some", "all", "bytes", "w"}
    for part in ("\\", "//", "/-", "f\t", "fo ", "usemtl", "s off", "\ufeff", "vp ", "g\n", "o left half", "e+00", "e-0", " -."):
        assert any(part in text for text, _ in files), part
    for part in ("-o .5", ".png -", "-halo", "xyz", "newmtl a#1"):
        assert any(part in text for _, text in files), part


# --- files that readers get wrong ---

TRIANGLE = "v 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nvt 1 0\nvt 0 1\n"
FACE = TRIANGLE + "usemtl m\nf 1/1 2/2 3/3\n"
RED = "newmtl m\nKd 1 0 0\n"
KINDS = {  # the model, its library, warnings
    "numbers": (TRIANGLE.replace("0\n", "0.\n").replace("v 1", "v 1e05") + "v .5 -.5 +.5\nf 1 2 4\n", RED, []),
    "divided": ("v 0 0 0 2\nv 1 0 0 2\nv 0 1 0 2\nf 1 2 3\n", RED, []),
    "bytes": ("v 0 0 0 255 0 0\nv 1 0 0 255 0 0\nv 0 1 0 0 255 0\nf 1 2 3\n", RED, []),
    "negative": (TRIANGLE + "f -3/-3 -2/-2 -1/-1\nv 5 0 0\nf -4 -3 -1\n", RED, []),
    "dangling": ("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1/1/1 2/1/1 3/1/1\n", RED, ["attribute_ignored"] * 2),
    "two_corners": (TRIANGLE + "f 1 2\nf 1 2 3\nl 1 2 3\np 2\n", RED, ["indices_trimmed"]),
    "one_number": (TRIANGLE.replace("vt 1 0", "vt 1") + "f 1/2 2/2 3/1\n", RED, []),
    "free_form": ("cstype bezier\ndeg 3\n" + TRIANGLE + "curv 0 1 1 2 3 \\\n 1\nparm u 0 1\nend\nf 1 2 3\n", RED, ["elements_ignored"]),
    "continued": (TRIANGLE.replace("v 1 0", "v 1 \\\n0") + "f 1 \\\n2 3\n", RED, []),
    "unknown": (FACE, RED + "aniso 0\nadobe_density 0\nPccns 1-1\ndecal x.png\nKd xyz 1 1 1\nd -halo 0.5\n", ["elements_ignored"]),
    "before_newmtl": (FACE, "map_Kd t.png\n" + RED, ["elements_ignored"]),
    "options": (FACE, RED + "map_Kd -o 0.5 -s 2 -cc on -colorspace sRGB -texres 512 t.png\nnorm t.png -bm 0.3\n", ["texture_missing"]),
    "blanks": (FACE.replace(" m\n", "  a  b \n"), RED.replace(" m\n", " a  b\t\n"), []),
    "unnamed": (FACE.replace("usemtl m\n", ""), RED, []),
    "lost": (FACE, "newmtl n\nKd 1 0 0\n", ["material_missing"]),
}


def test_files_that_readers_get_wrong(start, tmp_path):
    for name, (text, library, _) in KINDS.items():
        for ending, end_of_line in (("", "\n"), ("_crlf", "\r\n"), ("_cr", "\r")):
            (tmp_path / f"{name}{ending}.obj").write_bytes(f"mtllib {name}.mtl\n{text}".replace("\n", end_of_line).encode())
        (tmp_path / f"{name}.mtl").write_text(library)
    server = start("--render-workers", "0", root=tmp_path)
    for name, (_, _, codes) in KINDS.items():
        for ending in ("", "_crlf", "_cr"):
            check(server, tmp_path, f"{name}{ending}.obj")
            assert [warning["code"] for warning in server.json("/v1/model", model=f"{name}{ending}.obj")["warnings"]] == codes, name


# --- files of others ---

REFUSED = {"index_beyond": "line 7: no vertex has the number 9: there are 3", "index_zero": "line 7: no vertex has the number 0: there are 3"}
OF_PIXELS = {"q4", "u6"}  # mixed pictures
CODES = {
    "elements_ignored": {"freeform", "k_Kd", "k_Kd_spectral_file_rfl_1", "k_Kd_xyz_0_3_0_3_0_3", "k_Ns", "k_d", "k_illum", "mixed_forms", "oldcommands",
                         "q6", "q7", "u1", "u2", "u9", "ua", "uc"},
    "attribute_ignored": {"dangling_vn", "dangling_vt", "dangling_vt2", "vt_beyond"},
    "material_missing": {"n_grow_two_mtl", "n_pos_two_mtl", "n_usemtl_blank", "t_usemtl_tab"},
    "not_finite_repaired": {"v_nan", "vt_nan"},
    "texcoord_missing": {"t_mtl_mapkd_tab"},
}
GREY = 0.21404114
COLORS = {  # base colours; where no material is, white
    "k_Kd_0_5": [GREY] * 3 + [1], "k_Kd_1_0_0_5_0": [1, GREY, 0, 1], "k_d__halo_0_5": [1, 0, 0, 0.5], "s2": [1, 1, 1, 0.5], "s5": [1, 1, 1, 0.75],
    "s1": [0.6038274, 0.13286833, 0.033104762, 1], "s6": [0.6038274, 0.13286833, 0.033104762, 1], "uni": [1, 0, 0, 1], "blanks_usemtl": [1, 0, 0, 1],
    "cr_only": [1, 0, 0, 1], "bom1": [1, 0, 0, 1], "bom2": [1, 0, 0, 1], "n_mtl_blank": [1, 0, 0, 1], "t_mtllib_tab": [1, 0, 0, 1],
    "t_mtl_kd_tab": [1, 0, 0, 1], "t_mtl_newmtl_tab": [1, 0, 0, 1], "t_mtl_tab_indent": [1, 0, 0, 1], "n_mtl_blank2": [1, 0, 0, 1],
}


def color_of_others(name):
    return COLORS.get(name, [1, 0, 0, 1] if name[0] == "k" or (name[0] == "u" and name != "utf16") else [1, 1, 1, 1])


@pytest.mark.skipif(not OF_OTHERS.is_dir(), reason="no ../shared/models/bugs")
def test_files_of_others(start):
    server = start("--render-workers", "0", root=OF_OTHERS / "obj")
    names = sorted(path.stem for path in (OF_OTHERS / "obj").glob("*.obj"))
    assert len(names) > 100
    for name in names:
        answer = server.get(f"/v1/model?model={name}.obj")
        if name in REFUSED:
            assert answer.error() == "bad_model" and REFUSED[name] in answer.json()["error"]["message"], answer.body
            continue
        shown = answer.json()
        assert {warning["code"] for warning in shown["warnings"]} == {code for code, files in CODES.items() if name in files}, name
        assert near(shown["materials"][0]["base_color"], color_of_others(name)), (name, shown["materials"])
        assert all(texture["state"] == "found" for texture in shown["textures"]), name
        assert shown["counts"]["triangles"] == (2 if name in ("r2", "mixed_forms") or name.startswith(("n_grow", "n_pos", "n_vt_grow", "n_mtl_blank2")) else 1), name
        if name not in OF_PIXELS and name != "vt_nan":
            check(server, OF_OTHERS / "obj", f"{name}.obj")
    values = {name: server.json("/v1/model", model=f"{name}.obj")["materials"][0] for name in ("k_Ke_1_1_1", "k_Pm_1", "k_Pr_0_5", "s4", "q4", "u6")}
    assert values["k_Ke_1_1_1"]["emissive"] == [1, 1, 1] and near(values["s4"]["emissive"], [GREY, 0.05087609, 0.010022826])
    assert values["k_Pm_1"]["metallic"] == 1 and values["k_Pr_0_5"]["roughness"] == 0.5
    assert set(values["q4"]["textures"]) == {"metallic_roughness"} and values["u6"]["alpha_mode"] == "blend"
    corners = server.json("/v1/mesh", model="vt_nan.obj", indices=1, attributes=1)["attributes"][0]["texcoords"]
    assert all(math.isfinite(x) for x in corners)


# --- other formats ---

def test_a_scene_of_lightwave_takes_no_file_to_another_reader(start, tmp_path):
    (tmp_path / "a.lws").write_text("LWSC\n3\n\nLoadObjectLayer 1 a.obj\n")
    (tmp_path / "a.obj").write_text("map_Kd x\n" + FACE)
    answer = start("--render-workers", "0", root=tmp_path).get("/v1/model?model=a.lws")
    assert answer.status == 422 or answer.json()["counts"]["vertices"] == 0, answer.body


# --- damage ---

def test_errors_name_the_line(start, tmp_path):
    texts = {"number": (TRIANGLE + "v 1 zwei 3\n", "line 7: 'v' needs 3 numbers and has 1 before 'zwei'"),
             "index": (FACE + "f 1 2 99\n", "line 9: no vertex has the number 99"), "corner": (FACE + "f 1 2 x\n", "line 9: 'x' is no corner"),
             "nothing": ("mtllib a.mtl\n", "the file holds no vertex")}
    for name, (text, _) in texts.items():
        (tmp_path / f"{name}.obj").write_text(text)
    server = start("--render-workers", "0", root=tmp_path)
    for name, (_, message) in texts.items():
        answer = server.get(f"/v1/model?model={name}.obj")
        assert answer.error() == "bad_model" and message in answer.json()["error"]["message"], answer.body


def test_cut_files_have_an_answer(start, tmp_path):
    (tmp_path / "a.mtl").write_text(RED)
    data = f"mtllib a.mtl\n{FACE}g b\nl 1 2\n".encode()
    for size in range(1, len(data)):
        (tmp_path / f"{size}.obj").write_bytes(data[:size])
    server = start("--render-workers", "0", root=tmp_path)
    statuses = [server.get(f"/v1/model?model={size}.obj").status for size in range(1, len(data))]
    assert set(statuses) == {200, 422} and statuses[-1] == 200
