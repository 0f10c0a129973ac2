"""posectl diff --format markdown: before, after and a heat map of the worst moments, through one camera, on a page that GitHub shows."""
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
from rigs import Writer
from test_posectl_text import KEYS, LEAN, arm, turn

pytestmark = pytest.mark.skipif("POSED_SERVER" in os.environ, reason="starts servers of its own")


def turned_robot(degrees, clip="walk", joint="forearm_left", keys=range(10, 15)):
    """The sample with some keys of a joint rotated by an angle."""
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


@pytest.mark.parametrize("clip, joint, degrees", [("walk", "forearm_left", 30), ("wave", "forearm_right", 8)])
def test_a_turned_forearm_glows(tmp_path, clip, joint, degrees):
    (tmp_path / "old.glb").write_bytes((SAMPLES / "robot.glb").read_bytes())
    (tmp_path / "new.glb").write_bytes(turned_robot(degrees, clip, joint, range(3, 7)))
    page = tmp_path / "out/page.md"
    done = posectl("diff", tmp_path / "old.glb", tmp_path / "new.glb", "--format", "markdown", "-o", page, "--size", 200)
    assert done.status == 1, done.err
    text = page.read_text()
    check_tables(text)
    assert joint in text and re.search(rf"\*\*Clip {clip} at 0\.\d+ s\*\*", text)
    ((before, after, heat),) = pictures(page)
    assert before.shape == after.shape == heat.shape == (200, 200, 3)
    differs, hot = numpy.abs(before - after).max(-1) > 24, heat.sum(-1) > 200
    assert 40 < hot.sum() < 0.1 * hot.size
    rows, columns = numpy.nonzero(differs)
    hot_rows, hot_columns = numpy.nonzero(hot)  # the bright part is where something changed, with a blur around it
    assert rows.min() - 8 <= hot_rows.min() and hot_rows.max() <= rows.max() + 8
    assert columns.min() - 8 <= hot_columns.min() and hot_columns.max() <= columns.max() + 8
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["page.md", "page.pictures"]
    assert len(list((tmp_path / "out/page.pictures").iterdir())) == 3


def test_models_that_are_equal_have_no_pictures(tmp_path):
    for name in "old.glb", "new.glb":
        (tmp_path / name).write_bytes((SAMPLES / "robot.glb").read_bytes())
    done = posectl("diff", tmp_path / "old.glb", tmp_path / "new.glb", "--format", "markdown", "--pictures", tmp_path / "p")
    assert done.status == 0 and "![" not in done.out and not list((tmp_path / "p").glob("*")), done.err


def test_only_models_whose_change_is_seen_are_under_pictures(tmp_path):
    for folder in "old", "new":
        (tmp_path / folder).mkdir()
        for name in "renamed.glb", "turned.glb":
            (tmp_path / folder / name).write_bytes((SAMPLES / "robot.glb").read_bytes())
    data = (SAMPLES / "robot.glb").read_bytes()
    (tmp_path / "new/renamed.glb").write_bytes(data.replace(b'"name":"dance"', b'"name":"sways"'))
    (tmp_path / "new/turned.glb").write_bytes(turned_robot(30))
    page = tmp_path / "page.md"
    done = posectl("diff", tmp_path / "old", tmp_path / "new", "--format", "markdown", "-o", page, "--size", 200)
    text = page.read_text()
    assert done.status == 1 and "sways" in text, done.err
    assert re.findall("^###? .*", text, re.M)[:3] == ["## Pictures", "### turned.glb", "## Motion"]
    assert "### renamed.glb" not in text and len(pictures(page)) == 1


@pytest.mark.parametrize("options, words", [
    (["--pictures", "p"], "--pictures needs --format markdown"), (["--size", "99", "--format", "json"], "--size needs --format markdown"),
    (["--size", "4000", "--format", "markdown"], "--size takes a whole number from 16 to 1024"),
    (["--size", "many", "--format", "markdown"], "--size"),
    (["--format", "markdown", "-o", "a.glb/page.md"], "a.glb/page")])
def test_what_cannot_be_drawn_or_written(tmp_path, options, words):
    for name in "a.glb", "b.glb":
        (tmp_path / name).write_bytes((SAMPLES / "robot.glb").read_bytes() if name == "a.glb" else turned_robot(30))
    done = posectl("diff", "a.glb", "b.glb", *options, cwd=tmp_path)
    assert done.status in (2, 3) and words in done.err, (done.status, done.err)


def test_added_removed_and_broken_models_are_rows(tmp_path):
    for side, names in ("old", ["gone.glb", "same.glb", "broken.gltf"]), ("new", ["here.glb", "same.glb", "broken.gltf"]):
        (tmp_path / side).mkdir()
        for name in names:
            (tmp_path / side / name).write_bytes(b"{" + side.encode() if "broken" in name else (SAMPLES / "robot.glb").read_bytes())
    done = posectl("diff", tmp_path / "old", tmp_path / "new", "--format", "markdown")
    assert done.status == 1 and "# None of 4 models changed; 1 added, 1 removed, 1 could not be compared\n" in done.out, done.err
    assert "| gone.glb | removed |" in done.out and "| here.glb | added |" in done.out and "| broken.gltf | failed: " in done.out
    check_tables(done.out)


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


def bones(angle):
    """The arm without its sleeve, like a file of animations, and a node far away that nothing moves."""
    writer = Writer()
    writer.rig(list(LEAN), LEAN)
    writer.document["nodes"].append({"name": "far", "translation": [15000, -15000, 15000]})
    writer.document["scenes"][0]["nodes"].append(len(LEAN))
    times = writer.accessor([0, 0.5, 1], "SCALAR")
    moves = {"upper": [turn(0), turn(10), turn(0)], "forearm.L": [turn(0), turn(angle), turn(0)], "tip": [turn(0), turn(5), turn(0)]}
    writer.document["animations"] = [{"name": "swing", "samplers": [{"input": times, "output": writer.accessor(rows, "VEC4")} for rows in moves.values()],
                                      "channels": [{"sampler": i, "target": {"node": list(LEAN).index(name), "path": "rotation"}}
                                                   for i, name in enumerate(moves)]}]
    return writer.text()


def test_files_of_animations_show_their_bones(tmp_path):
    (tmp_path / "old.gltf").write_text(bones(20))
    (tmp_path / "new.gltf").write_text(bones(50))
    done = posectl("diff", "old.gltf", "new.gltf", "--format", "markdown", "-o", "page.md", cwd=tmp_path)
    assert done.status == 1, done.err
    ((before, after, heat),) = pictures(tmp_path / "page.md")
    for picture in before, after:
        rows, columns = numpy.nonzero((picture < 200).any(-1))
        assert max(numpy.ptp(rows), numpy.ptp(columns)) > 0.4 * len(picture)
    assert (heat.sum(-1) > 200).sum() > 100


CORNERS = [(1, 2, 3), (4, 2, 3), (1, 5, 3), (1, 2, 7), (4, 2, 7), (1, 5, 9)]  # +Z up, metres


def collada(corners):
    """Two triangles as a file in centimetres with +Z up."""
    numbers = " ".join(str(100 * number) for corner in corners for number in corner)
    return f"""<?xml version="1.0"?><COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><unit meter="0.01"/><up_axis>Z_UP</up_axis></asset>
<library_effects><effect id="e"><profile_COMMON><technique sid="t"><lambert><diffuse><color>1 0.5 0.2 1</color></diffuse></lambert></technique>
<extra><technique profile="GOOGLEEARTH"><double_sided>1</double_sided></technique></extra></profile_COMMON></effect></library_effects>
<library_materials><material id="m"><instance_effect url="#e"/></material></library_materials>
<library_geometries><geometry id="g"><mesh><source id="p"><float_array id="pa" count="18">{numbers}</float_array><technique_common>
<accessor source="#pa" count="6" stride="3"><param name="X" type="float"/><param name="Y" type="float"/><param name="Z" type="float"/></accessor>
</technique_common></source><vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
<triangles count="2" material="s"><input semantic="VERTEX" source="#v" offset="0"/><p>0 1 2 3 4 5</p></triangles></mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="s"><node id="n" name="n"><instance_geometry url="#g"><bind_material><technique_common>
<instance_material symbol="s" target="#m"/></technique_common></bind_material></instance_geometry></node></visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#s"/></scene></COLLADA>"""


def test_files_of_other_axes_and_units_are_seen_by_one_camera(tmp_path):
    """Centimetres with +Z up, and metres with +Y up. One corner differs: everything else is at the same pixels."""
    (tmp_path / "old.dae").write_text(collada(CORNERS))
    writer = Writer()
    moved = [*CORNERS[:5], (1, 5, 9.5)]
    writer.document["materials"] = [{"doubleSided": True, "pbrMetallicRoughness": {"baseColorFactor": [1, 0.214, 0.0331, 1], "metallicFactor": 0}}]
    positions = writer.accessor([(x, z, -y) for x, y, z in moved], "VEC3")
    writer.document["meshes"] = [{"primitives": [{"material": 0, "attributes": {"POSITION": positions}}]}]
    writer.document.update(nodes=[{"name": "n", "mesh": 0}], scenes=[{"nodes": [0]}], scene=0)
    (tmp_path / "new.gltf").write_text(writer.text())
    page = tmp_path / "page.md"
    done = posectl("diff", tmp_path / "old.dae", tmp_path / "new.gltf", "--format", "markdown", "-o", page)
    assert done.status == 1, done.err
    ((before, after, heat),) = pictures(page)
    rows = numpy.nonzero((before < 250).any(-1).any(-1))[0]
    assert numpy.ptp(rows) > 0.7 * len(before)  # both triangles are there, one above the other
    middle = len(before) // 2
    lower = numpy.abs(before - after)[middle:].max(-1)
    assert (before[middle:] < 250).any() and (lower > 60).sum() <= 8  # except pixels of an edge
    assert (heat[:middle].sum(-1) > 200).sum() > 300 and (heat[middle:].sum(-1) > 200).sum() < 30
