"""posectl diff --format markdown: before, after and a heat map of the worst moments, by one camera, on a page that GitHub shows."""
import json
import math
import os
import re
import struct
from urllib.parse import unquote

import numpy
import pytest
from PIL import Image

from conftest import SAMPLES
from posectl import posectl
from test_posectl_text import KEYS, arm, turn

pytestmark = pytest.mark.skipif("POSED_SERVER" in os.environ, reason="starts servers of its own")


def turned_robot(degrees, clip="walk", joint="forearm_left", keys=range(10, 15)):
    """The sample with some keys of a joint turned by so many degrees."""
    data = bytearray((SAMPLES / "robot.glb").read_bytes())
    size = struct.unpack_from("<I", data, 12)[0]
    document = json.loads(data[20:20 + size])
    (animation,) = (a for a in document["animations"] if a["name"] == clip)
    (channel,) = (c for c in animation["channels"] if document["nodes"][c["target"]["node"]]["name"] == joint)
    accessor = document["accessors"][animation["samplers"][channel["sampler"]]["output"]]
    start = 28 + size + document["bufferViews"][accessor["bufferView"]].get("byteOffset", 0) + accessor.get("byteOffset", 0)
    s, c = math.sin(math.radians(degrees) / 2), math.cos(math.radians(degrees) / 2)
    for key in keys:
        x, y, z, w = struct.unpack_from("<4f", data, start + 16 * key)
        struct.pack_into("<4f", data, start + 16 * key, w * s + x * c, y * c + z * s, z * c - y * s, w * c - x * s)
    return bytes(data)


def pixels(path):
    return numpy.array(Image.open(path).convert("RGB")).astype(int)


def pictures(page):
    """Rows of three pictures, by the links of the page."""
    rows = re.findall(r"^\| !\[before\]\(([^)]*)\) \| !\[after\]\(([^)]*)\) \| !\[difference\]\(([^)]*)\) \|$", page.read_text(), re.M)
    return [[pixels(page.parent / unquote(link)) for link in row] for row in rows]


def check_tables(text):
    """Every row of a table has as many cells as its head."""
    columns = 0
    for line in text.splitlines():
        if not line.startswith("|"):
            columns = 0
            continue
        cells = len(re.sub(r"\\.", "", line).strip().strip("|").split("|"))
        assert columns in (0, cells), line
        columns = cells


def test_a_turned_forearm_glows(tmp_path):
    (tmp_path / "old.glb").write_bytes((SAMPLES / "robot.glb").read_bytes())
    (tmp_path / "new.glb").write_bytes(turned_robot(30))
    page = tmp_path / "out/page.md"
    done = posectl("diff", tmp_path / "old.glb", tmp_path / "new.glb", "--format", "markdown", "-o", page, "--size", 200)
    assert done.status == 1, done.err
    text = page.read_text()
    check_tables(text)
    assert "forearm_left" in text and re.search(r"\*\*Clip walk at 0\.\d+ s\*\*", text)
    ((before, after, heat),) = pictures(page)
    assert before.shape == after.shape == heat.shape == (200, 200, 3)
    differs, hot = numpy.abs(before - after).max(-1) > 24, heat.sum(-1) > 200
    assert 60 < hot.sum() < 0.1 * hot.size
    rows, columns = numpy.nonzero(differs)
    hot_rows, hot_columns = numpy.nonzero(hot)  # what glows is where something changed, and a blur around it
    assert rows.min() - 8 <= hot_rows.min() and hot_rows.max() <= rows.max() + 8
    assert columns.min() - 8 <= hot_columns.min() and hot_columns.max() <= columns.max() + 8
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["page.md", "page.pictures"]
    assert len(list((tmp_path / "out/page.pictures").iterdir())) == 3


def test_models_that_are_equal_have_no_pictures(tmp_path):
    for name in "old.glb", "new.glb":
        (tmp_path / name).write_bytes((SAMPLES / "robot.glb").read_bytes())
    done = posectl("diff", tmp_path / "old.glb", tmp_path / "new.glb", "--format", "markdown", "--pictures", tmp_path / "p")
    assert done.status == 0 and "![" not in done.out and not list((tmp_path / "p").glob("*")), done.err


def test_names_are_only_names(tmp_path):
    name = "we|ird [x](http://y) <b>@team #1 *it* `c` :x:"
    def edit(document):
        document["nodes"][2]["name"] = name
        document["animations"][0]["name"] = name + "\n| a | b |"
    (tmp_path / "old.gltf").write_text(arm(edit=edit))
    (tmp_path / "new.gltf").write_text(arm(keys={**KEYS, 0.5: turn(60)}, edit=edit))
    done = posectl("diff", tmp_path / "old.gltf", tmp_path / "new.gltf", "--format", "markdown", "--pictures", tmp_path / "my p", cwd=tmp_path)
    assert done.status == 1, done.err
    check_tables(done.out)
    for mark in "[x]", "<b>", "@team", "#1 ", "*it*", "`", "http://", ":x:":
        assert mark not in done.out, mark
    assert done.out.count("](my%20p/") == 3 and len(list((tmp_path / "my p").iterdir())) == 3
