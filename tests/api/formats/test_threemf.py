"""3MF packages compared with an evaluator written from the specification: triangles in scene space, colours; textures; errors."""
import pathlib
import struct
import sys
import zipfile
import zlib

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "oracle"))
import conformance  # noqa: E402
import random_threemf  # noqa: E402
import threemf_evaluator  # noqa: E402
from png_picture import picture  # noqa: E402

pytestmark = pytest.mark.short

CASES = 60
TOLERANCE = 1e-5  # relative to the greatest number
COLOR_TOLERANCE = 1e-6
CORE = random_threemf.NAMESPACES


def package(path, parts):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as out:
        out.writestr("_rels/.rels", random_threemf.RELATIONSHIPS)
        for name, content in parts.items():
            out.writestr(name, content)


def png(side, rgb):
    """A PNG of rows of three bytes a pixel."""
    def chunk(kind, body):
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
    rows = b"".join(b"\0" + rgb[3 * side * y:3 * side * (y + 1)] for y in range(side))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)) + chunk(b"IDAT", zlib.compress(rows)) +
            chunk(b"IEND", b""))


def model(resources, build, attributes=""):
    return f'<model {CORE} {attributes}><resources>{resources}</resources><build>{build}</build></model>'


def triangles_of(answer, described):
    """The triangles of each node: three points and the base colour of the material, or None."""
    out = {}
    for entry, positions, indices in zip(answer["meshes"], answer["frames"][0]["positions"], answer["indices"], strict=True):
        points = [positions[i:i + 3] for i in range(0, len(positions), 3)]
        color = None if entry["material"] is None else described["materials"][entry["material"]]["base_color"]
        out.setdefault(entry["node"], []).extend(([points[i] for i in indices[t:t + 3]], color) for t in range(0, len(indices), 3))
    return out


def distance(a, b):
    return max(abs(x - y) for p, q in zip(a, b, strict=True) for x, y in zip(p, q, strict=True))


def check(server, path):
    expected, described = threemf_evaluator.Model(path), server.json("/v1/model", model=path.name)
    assert described["unit_m"] == pytest.approx(expected.unit_m) and described["up"] == [0, 0, 1]
    assert {w["code"] for w in described["warnings"]} == set(), described["warnings"]
    assert [(n["name"], n["parent"]) for n in described["nodes"]] == [(name, parent) for name, parent, _ in expected.nodes]
    found = triangles_of(server.json("/v1/mesh", model=path.name, indices=1), described)
    colored = 0
    for n, (_, _, triangles) in enumerate(expected.nodes):
        left = found.pop(n, [])
        assert len(left) == len(triangles)
        conformance.compared_points(path, conformance.EVALUATOR, *([p for points, _ in some for p in points] for some in (left, triangles)))
        size = max([1e-3] + [abs(x) for points, _ in triangles for p in points for x in p])
        is_even = all(colors[0] == colors[1] == colors[2] for _, colors in triangles)
        for points, colors in triangles:
            near = [k for k, (got, _) in enumerate(left) if distance(got, points) <= TOLERANCE * size]
            assert near, (path.name, n, points)
            if is_even and colors[0] is not None:
                colored += 1
                near = [k for k in near if left[k][1] is not None and distance([left[k][1]], [colors[0]]) <= COLOR_TOLERANCE]
                assert near, (path.name, n, colors)
            left.pop(near[0])
    assert not found
    return colored


def test_random_files_agree_with_the_specification(start, tmp_path):
    server = start("--log", "off", "--render-workers", "0", root=tmp_path)
    colored = 0
    for seed in range(CASES):
        path = tmp_path / f"random_{seed}.3mf"
        random_threemf.write(seed, path)
        colored += check(server, path)
    assert colored > 100


def test_random_files_use_every_corner(tmp_path):
    texts = []
    for seed in range(CASES):
        random_threemf.write(seed, tmp_path / "a.3mf")
        with zipfile.ZipFile(tmp_path / "a.3mf") as made:
            texts.append("".join(made.read(name).decode() for name in made.namelist()))
    for word in ("pr:path", "<components>", "<item objectid", 'pid="101"', 'pid="102"', 'pid="103"', 'pid="104"', "multiply", ' p3="', 'unit="inch"'):
        assert sum(word in text for text in texts) >= 5, word


QUAD = ('<object id="9"><mesh><vertices><vertex x="-10" y="0" z="-10"/><vertex x="10" y="0" z="-10"/><vertex x="10" y="0" z="10"/>'
        '<vertex x="-10" y="0" z="10"/></vertices><triangles><triangle v1="0" v2="1" v3="2" {0}/><triangle v1="0" v2="2" v3="3" {1}/>'
        '</triangles></mesh></object>')


def test_a_texture_is_drawn_upright(start, tmp_path):
    """A picture of four colours on an upright quad, seen from the front."""
    corners = {(0, 0): (255, 0, 0), (1, 0): (0, 255, 0), (0, 1): (0, 0, 255), (1, 1): (255, 255, 0)}
    pixels = b"".join(bytes(corners[x // 8, y // 8]) for y in range(16) for x in range(16))
    resources = ('<m:texture2d id="1" path="/3D/Textures/t.png" contenttype="image/png"/><m:texture2dgroup id="2" texid="1"><m:tex2coord u="0" '
                 'v="0"/><m:tex2coord u="1" v="0"/><m:tex2coord u="1" v="1"/><m:tex2coord u="0" v="1"/></m:texture2dgroup>')
    package(tmp_path / "a.3mf", {"3D/3dmodel.model": model(resources + QUAD.format('pid="2" p1="0" p2="1" p3="2"', 'pid="2" p1="0" p2="2" p3="3"'),
                                                           '<item objectid="9"/>'),
                                 "3D/Textures/t.png": png(16, pixels)})
    server = start(root=tmp_path)
    described = server.json("/v1/model", model="a.3mf")
    assert described["warnings"] == [] and described["textures"][0]["state"] == "found"
    seen = picture(server.get("/v1/render?model=a.3mf&width=64&height=64&yaw=0&pitch=0")).rows
    for (x, y), color in corners.items():
        pixel = seen[24 + 16 * y][24 + 16 * x]
        assert [c > 128 for c in pixel[:3]] == [c > 128 for c in color], ((x, y), pixel)


def test_faults_name_the_part(start, tmp_path):
    server = start("--log", "off", "--render-workers", "0", root=tmp_path)
    package(tmp_path / "cut.3mf", {"3D/3dmodel.model": "<model"})
    package(tmp_path / "needs.3mf", {"3D/3dmodel.model": model("", "", 'xmlns:q="http://example.com/q" requiredextensions="q"')})
    package(tmp_path / "lost.3mf", {"3D/3dmodel.model": model("", '<item objectid="1" pr:path="/3D/none.model"/>')})
    (tmp_path / "text.3mf").write_text("solid a")
    (tmp_path / "no.3mf").write_bytes(b"PK\x03\x04" + bytes(100))
    for name, code, words in (("cut", "bad_model", "3D/3dmodel.model"), ("needs", "unsupported_extension", "http://example.com/q"),
                              ("lost", "bad_model", "3D/none.model"), ("text", "not_a_model", ""), ("no", "not_a_model", "zip")):
        answer = server.get(f"/v1/model?model={name}.3mf")
        assert answer.error() == code, (name, answer.body)
        assert words.encode() in answer.body, (name, answer.body)


def test_no_other_ending_takes_a_package_to_another_reader(start, tmp_path):
    random_threemf.write(4, tmp_path / "a.3mf")
    for name in ("a.amf", "a.obj", "a.ogex"):
        (tmp_path / name).write_bytes((tmp_path / "a.3mf").read_bytes())
    server = start("--log", "off", "--render-workers", "0", root=tmp_path)
    for name in ("a.amf", "a.obj", "a.ogex"):
        assert server.get(f"/v1/model?model={name}").status in (415, 422), name


def test_a_picture_that_is_none_is_named(start, tmp_path):
    resources = ('<m:texture2d id="1" path="/3D/t.png" contenttype="image/png"/><m:texture2dgroup id="2" texid="1"><m:tex2coord u="0" v="0"/>'
                 "</m:texture2dgroup>")
    package(tmp_path / "a.3mf", {"3D/3dmodel.model": model(resources + QUAD.format('pid="2" p1="0"', ""), '<item objectid="9"/>'),
                                 "3D/t.png": "no picture"})
    server = start("--log", "off", "--render-workers", "0", root=tmp_path)
    warnings = server.json("/v1/model", model="a.3mf")["warnings"]
    assert [w["code"] for w in warnings] == ["texture_broken"] and "/3D/t.png" in warnings[0]["message"]
