"""Rows of sheets, rows= and first_row=: bands of the whole picture, or frames of the whole animation."""
import io
import json

import numpy
import pytest
from PIL import Image

from conftest import SAMPLES

SMALL = "&width=64&height=64"
SHEET = "/v1/sheet?model=robot.glb&clips=all&frames=4&directions=3&captions=1&gap=5&padding=9&background=203040" + SMALL


def pixels(server, target):
    answer = server.get(target)
    assert answer.status == 200, answer.body[:300]
    return numpy.asarray(Image.open(io.BytesIO(answer.body)).convert("RGBA"))


def bands(server, target, rows, at_once):
    return numpy.vstack([pixels(server, f"{target}&first_row={first}&rows={at_once}") for first in range(0, rows, at_once)])


def frames(server, target):
    """Pixels and milliseconds of each."""
    answer = server.get(target)
    assert answer.status == 200, answer.body[:300]
    image, found = Image.open(io.BytesIO(answer.body)), []
    for i in range(image.n_frames):
        image.seek(i)
        found.append((numpy.asarray(image.convert("RGBA")).tobytes(), image.info["duration"]))
    return found


@pytest.mark.parametrize("target, rows", [
    (SHEET, 9),
    (SHEET + "&frame=pose", 9),
    ("/v1/sheet?model=dragon.glb&clip=fly&frames=10&columns=3&distance=0.9&yaw=70&pitch=30" + SMALL, 4),
    ("/v1/sheet?model=dragon.glb&clip=fly&frames=6&columns=2&frame=pose&root_motion=extract&captions=1" + SMALL, 3),
    ("/v1/sheet?model=octopus.glb&clips=all&columns=1&gap=3" + SMALL, 3),
    ("/v1/turntable?model=dragon.glb&format=png&frames=12&columns=2&captions=1&padding=4" + SMALL, 6)])
def test_parts_are_bands_of_the_sheet(server, target, rows):
    whole = pixels(server, target)
    for at_once in 1, 2, rows:
        assert (bands(server, target, rows, at_once) == whole).all()


def test_rows_that_follow_are_all_there_are(server):
    whole = pixels(server, SHEET)
    assert (pixels(server, SHEET + "&rows=1024") == whole).all()
    assert (pixels(server, SHEET + "&first_row=7") == whole[len(whole) - len(pixels(server, SHEET + "&first_row=7")):]).all()
    assert (numpy.vstack([pixels(server, SHEET + "&rows=7"), pixels(server, SHEET + "&first_row=7")]) == whole).all()


def test_parts_of_animations_are_some_of_their_frames(server):
    target = "/v1/sheet?model=robot.glb&clip=walk&frames=7&speed=0.7&captions=1&format="
    whole = frames(server, target + "apng" + SMALL)
    parts = [frame for first in (0, 3, 6) for frame in frames(server, f"{target}apng{SMALL}&first_row={first}&rows=3")]
    assert len(parts) == 7 and parts == whole
    whole, parts = (server.get(target + "y4m" + SMALL + part).body for part in ("", "&first_row=2&rows=2"))
    line, size = whole.index(b"\n") + 1, len(b"FRAME\n") + 64 * (64 + 16) * 3 // 2
    assert parts == whole[:line] + whole[line + 2 * size:line + 4 * size]


def test_layers_have_the_times_of_their_rows(server):
    body = {"model": "robot.glb", "t": [0, 0.2, 0.4, 0.6], "columns": 1, "width": 48, "height": 64,
            "layers": [{"clip": 0, "weight": [1, 0.5, 0.2, 0]}, {"clip": 1, "weight": [0, 0.5, 0.8, 1]}]}

    def drawn(**more):
        text = json.dumps({**body, **more})
        with server.connect() as connection:
            connection.send(f"POST /v1/sheet HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                            f"Content-Length: {len(text)}\r\n\r\n{text}")
            answer = connection.answer()
        assert answer.status == 200, answer.body
        return numpy.asarray(Image.open(io.BytesIO(answer.body)).convert("RGBA"))
    assert (numpy.vstack([drawn(first_row=row, rows=1) for row in range(4)]) == drawn()).all()


def test_a_part_may_be_empty_where_the_sheet_is_not(server):
    """The camera sees the model only in the first of two directions."""
    target = "/v1/sheet?model=dragon.glb&clip=fly&t=0,0.5&columns=1&root_motion=extract&distance=0.3&target=1e6,0,0" + SMALL
    assert server.get(target).status == 422
    for row in 0, 1:
        answer = server.get(f"{target}&first_row={row}&rows=1")
        assert answer.status == 422 and answer.json()["error"] == server.get(target).json()["error"]
        assert not pixels(server, f"{target}&first_row={row}&rows=1&allow_empty=1").any()


def test_a_part_that_is_empty_is_drawn_where_another_is_not(start, tmp_path):
    """Two points: one clip keeps the mesh in view, the other scales it to zero."""
    tmp_path.joinpath("vanish.gltf").write_text(json.dumps(vanishing()))
    server = start(root=tmp_path)
    target = "/v1/sheet?model=vanish.gltf&clips=all&t=0&columns=1" + SMALL
    whole = pixels(server, target)
    assert whole[:64].any() and not whole[64:].any()
    assert (bands(server, target, 2, 1) == whole).all()


def vanishing():
    """A triangle, rotated and off the origin, that clip 0 does not change and clip 1 scales to zero."""
    import base64
    import struct
    data = struct.pack("<9f", 0, 0, 0, 2, 0, 0, 0, 3, 0) + struct.pack("<f", 0) + struct.pack("<3f", 1, 2, 0.5) + struct.pack("<3f", 0, 0, 0)
    views = [(0, 36), (36, 4), (40, 12), (52, 12)]
    return {
        "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0, "rotation": [0.1, 0.2, 0.3, 0.9273618495], "translation": [5, -2, 1], "scale": [1, 2, 0.5]}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
        "buffers": [{"byteLength": len(data), "uri": "data:application/octet-stream;base64," + base64.b64encode(data).decode()}],
        "bufferViews": [{"buffer": 0, "byteOffset": at, "byteLength": size} for at, size in views],
        "accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3", "min": [0, 0, 0], "max": [2, 3, 0]},
                      {"bufferView": 1, "componentType": 5126, "count": 1, "type": "SCALAR", "min": [0], "max": [0]},
                      {"bufferView": 2, "componentType": 5126, "count": 1, "type": "VEC3"},
                      {"bufferView": 3, "componentType": 5126, "count": 1, "type": "VEC3"}],
        "animations": [{"name": name, "samplers": [{"input": 1, "output": output}],
                        "channels": [{"sampler": 0, "target": {"node": 0, "path": "scale"}}]} for name, output in (("stay", 2), ("go", 3))]}


@pytest.mark.parametrize("query, words", [
    ("&first_row=9", "parameter 'first_row' is 9, and the sheet's rows are 0 to 8"),
    ("&rows=0", "'rows'"), ("&rows=1.5", "'rows'"), ("&first_row=-1", "'first_row'"),
    ("&rows=1&format=json", "'rows' does not go with format=json")])
def test_what_is_refused(server, query, words):
    answer = server.get(SHEET + query)
    assert answer.status == 400 and answer.json()["error"]["code"] == "bad_parameter"
    assert words in answer.json()["error"]["message"]


def test_sheets_that_are_too_large_are_drawn_in_parts(start, server):
    small = start("--max-picture-pixels", "50000", root=SAMPLES)
    refused = small.get(SHEET)
    assert refused.status == 400 and refused.json()["error"]["message"].endswith("--max-picture-pixels 50000: 'rows' draws some of them")
    told = small.get(SHEET + "&rows=1&estimate=1").json()["estimate"]["sheet"]
    assert told["cells"] == 36 and told["rows"] == 9 and 1 <= told["rows_at_once"] < 9
    whole = pixels(server, SHEET)
    assert (bands(small, SHEET, 9, told["rows_at_once"]) == whole).all()
    assert small.json(SHEET + "&format=json") == server.json(SHEET + "&format=json")
    more = told["rows_at_once"] + 1
    assert small.get(f"{SHEET}&first_row=1&rows={more + 1}").status == 400
    assert server.get(SHEET + "&estimate=1").json()["estimate"]["sheet"] == {"cells": 36, "rows": 9, "rows_at_once": 9}


def test_parts_have_tags_of_their_own(server):
    tags = {server.get(SHEET + part).headers["etag"] for part in ("", "&rows=1", "&rows=2", "&first_row=1&rows=1")}
    assert len(tags) == 4
