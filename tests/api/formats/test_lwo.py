"""LightWave objects without layers: LWO2 without a LAYR chunk, and LWOB, which has none."""
import json
import struct

import conformance
import pytest

DRAWS = False

POINTS = [[0, 0, 0], [2, 0, 0], [2, 3, 0], [0, 3, 4]]
POLYGONS = [([0, 1, 2], 1), ([0, 2, 3], -2), ([1, 2, 3], 1)]  # the last one lies on the second


def chunk(name, content, short=False):
    return name.encode() + struct.pack(">H" if short else ">I", len(content)) + content + b"\0" * (len(content) % 2)


def text(words):
    return words.encode() + b"\0" * (2 - len(words) % 2)


def form(kind, *chunks):
    return chunk("FORM", kind.encode() + b"".join(chunks))


def points():
    return chunk("PNTS", b"".join(struct.pack(">3f", *p) for p in POINTS))


def lwob(picture="", polygons=None):
    if polygons is None:
        polygons = b"".join(struct.pack(">H%dHh" % len(corners), len(corners), *corners, surface) + (b"\0\1" if surface < 0 else b"")
                            for corners, surface in POLYGONS)
    texture = chunk("TIMG", text(picture), short=True) if picture else b""
    red = chunk("COLR", b"\xff\0\0\0", short=True) + chunk("FLAG", struct.pack(">H", 256), short=True) + texture
    blue = chunk("COLR", b"\0\0\xff\0", short=True) + chunk("VTRN", struct.pack(">f", 0.5), short=True)
    return form("LWOB", points(), chunk("SRFS", text("red") + text("blue")), chunk("POLS", polygons),
                chunk("SURF", text("red") + red), chunk("SURF", text("blue") + blue))


def lwo2(layer=b""):
    faces = b"".join(struct.pack(">4H", 3, *corners) for corners, _ in POLYGONS)
    tags = b"".join(struct.pack(">2H", i, abs(surface) - 1) for i, (_, surface) in enumerate(POLYGONS))
    color = lambda *rgb: chunk("COLR", struct.pack(">3fH", *rgb, 0), short=True)
    return form("LWO2", chunk("TAGS", text("red") + text("blue")), layer, points(), chunk("POLS", b"FACE" + faces), chunk("PTAG", b"SURF" + tags),
                chunk("SURF", text("red") + text("") + color(1, 0, 0)), chunk("SURF", text("blue") + text("") + color(0, 0, 1)))


def triangles(server, name):
    """Sorted triangles of points, each beginning with its smallest corner. LightWave is left-handed, and so is assimp's z."""
    mesh = server.json("/v1/mesh", model=name, t=0, rest=1, indices=1)["frames"][0]["positions"]
    return sorted(tuple(positions[i:i + 3]) for positions in mesh for i in range(0, len(positions), 3))


def test_objects_without_layers_are_those_with_one(start, tmp_path):
    (tmp_path / "layer.lwo").write_bytes(lwo2(chunk("LAYR", bytes(18))))
    (tmp_path / "none.lwo").write_bytes(lwo2())
    (tmp_path / "old.lwo").write_bytes(lwob())
    (tmp_path / "own.lwo").write_bytes(lwo2(chunk("LAYR", struct.pack(">2H3f", 1, 0, 0, 0, 0) + b"a\0" + struct.pack(">H", 1))))
    server = start(root=tmp_path)
    for name in ("none.lwo", "old.lwo", "own.lwo"):
        shown = server.json("/v1/model", model=name)
        assert shown["counts"]["triangles"] == 3 and shown["warnings"] == []
        assert shown["bounds"] == server.json("/v1/model", model="layer.lwo")["bounds"]
        assert triangles(server, name) == triangles(server, "layer.lwo")
    corners = [(x, y, -z) for polygon, _ in POLYGONS for x, y, z in (POINTS[i] for i in polygon)]
    for name in ("layer.lwo", "none.lwo", "old.lwo", "own.lwo"):
        got = server.json("/v1/mesh", model=name)["frames"][0]["positions"]
        got = [positions[i:i + 3] for positions in got for i in range(0, len(positions), 3)]
        conformance.compared_points(tmp_path / name, conformance.WORKED, got, corners)
        assert conformance.apart(got, corners) < 1e-6, name
    used = {row["name"]: row for row in server.json("/v1/model", model="old.lwo")["materials"]}
    assert used["red"]["base_color"][:3] == [1, 0, 0] and used["red"]["double_sided"]
    assert used["blue"]["base_color"] == [0, 0, 1, pytest.approx(0.5)] and not used["blue"]["double_sided"]


def test_pictures_of_old_objects_are_said_to_be_lost(start, tmp_path):
    (tmp_path / "a.lwo").write_bytes(lwob(picture="wood.iff"))
    assert [row["code"] for row in start(root=tmp_path).json("/v1/model", model="a.lwo")["warnings"]] == ["textures_ignored"]


def test_damaged_old_objects_are_refused_by_polygon(start, tmp_path):
    (tmp_path / "a.lwo").write_bytes(lwob(polygons=struct.pack(">4Hh", 3, 0, 1, 2, 1) + struct.pack(">2H", 3, 0)))
    error = json.loads(start(root=tmp_path).get("/v1/model?model=a.lwo").body)["error"]
    assert error["code"] == "bad_model" and "polygon 1 has 3 corners" in error["message"]
