"""TIFF textures: libtiff reads them, which only the importers of models that need it load."""
import io
import pathlib

import pytest
from PIL import Image

from conftest import BUILD
from importers import NO_RENDERING, imports
from png_picture import Picture

OBJ = "mtllib flag.mtl\nv 0 0 0\nv 3 0 0\nv 3 2 0\nv 0 2 0\nvt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\nusemtl cloth\nf 1/1 2/2 3/3 4/4\n"
MTL = "newmtl cloth\nKd 1 1 1\nillum 1\nmap_Kd {image}\n"
AC3D = """AC3Db
MATERIAL "cloth" rgb 1 1 1 amb 0 0 0 emis 0 0 0 spec 0 0 0 shi 0 trans 0
OBJECT poly
name "flag"
texture "flag.tif"
numvert 3
0 0 0
3 0 0
0 2 0
numsurf 1
SURF 0x20
mat 0
refs 3
0 0 0
1 1 0
2 0 1
kids 0
"""


def flag():
    """Red and green above blue and white."""
    picture = Image.new("RGB", (64, 64))
    for corner, color in {(0, 0): (200, 20, 20), (32, 0): (20, 160, 20), (0, 32): (20, 20, 200), (32, 32): (240, 240, 240)}.items():
        picture.paste(color, (*corner, corner[0] + 32, corner[1] + 32))
    return picture


def write_flag(folder, image, **options):
    """flag.obj with a texture of that name, which is written only if `options` are given."""
    (folder / "flag.obj").write_text(OBJ)
    (folder / "flag.mtl").write_text(MTL.format(image=image))
    if options:
        flag().save(folder / image, **options)


def maps_of_fork_servers(server):
    """The names of the libraries that each fork server has loaded."""
    maps = []
    for status in pathlib.Path("/proc").glob("[0-9]*/status"):
        try:
            text = status.read_text()
            if "Name:\tposed-forks" in text and f"PPid:\t{server.process.pid}\n" in text:
                maps.append((status.parent / "maps").read_text())
        except OSError:
            pass  # it has ended
    return maps


@pytest.mark.parametrize("options", [{"compression": "tiff_lzw"}, {"compression": "tiff_adobe_deflate"}, {"compression": "jpeg", "quality": 95}],
                         ids=lambda options: options["compression"])
def test_a_tiff_is_drawn_like_a_png(start, tmp_path, options):
    write_flag(tmp_path, "flag.tif", **options)
    (tmp_path / "png").mkdir()
    write_flag(tmp_path / "png", "flag.png", format="PNG")
    server = start(root=tmp_path)
    assert server.json("/v1/model", model="flag.obj")["warnings"] == []
    pictures = [server.get(f"/v1/render?model={name}&width=96&height=96") for name in ("flag.obj", "png/flag.obj")]
    if options["compression"] == "jpeg":
        tiff, png = (Picture(picture.body).rows for picture in pictures)
        assert max(abs(a - b) for rows in zip(tiff, png) for pixels in zip(*rows) for a, b in zip(*pixels)) < 24
    else:
        assert pictures[0].body == pictures[1].body
    colors = {pixel[:3] for row in Picture(pictures[0].body).rows for pixel in row}
    assert any(r > 2 * g for r, g, b in colors) and any(g > 2 * r for r, g, b in colors) and any(b > 2 * r for r, g, b in colors)


def test_libtiff_is_loaded_only_for_models_that_need_it(start, tmp_path):
    write_flag(tmp_path, "flag.tif", format="TIFF")
    (tmp_path / "png").mkdir()
    write_flag(tmp_path / "png", "flag.png", format="PNG")
    server = start(*NO_RENDERING, root=tmp_path)
    server.json("/v1/model", model="png/flag.obj")
    assert ["libtiff" in maps for maps in maps_of_fork_servers(server)] == [False]
    server.json("/v1/model", model="flag.obj")
    assert sorted("libtiff" in maps for maps in maps_of_fork_servers(server)) == [False, True]
    stats = server.json("/v1/stats")["imports"]
    assert (stats["started"], imports(server)) == (2, 2)


def test_a_tiff_of_a_model_that_assimp_reads(start, tmp_path):
    (tmp_path / "flag.ac").write_text(AC3D)
    flag().save(tmp_path / "flag.tif")
    model = start(*NO_RENDERING, root=tmp_path).json("/v1/model", model="flag.ac")
    assert [one["state"] for one in model["textures"]] == ["found"], model["warnings"]


def test_a_tiff_takes_the_place_of_another_picture(start, tmp_path):
    write_flag(tmp_path, "flag.tga")
    flag().save(tmp_path / "flag.tiff")
    model = start(*NO_RENDERING, root=tmp_path).json("/v1/model", model="flag.obj")
    assert [one["state"] for one in model["textures"]] == ["found"]
    assert [warning["code"] for warning in model["warnings"]] == ["file_found_elsewhere"]


def test_without_libtiff_the_picture_is_broken_and_the_warning_says_what_to_install(start, tmp_path):
    (tmp_path / "models").mkdir()
    write_flag(tmp_path / "models", "flag.tif", format="TIFF")
    (tmp_path / "libtiff.so.6").write_bytes(b"")
    program = tmp_path / "posed-import"
    program.write_text(f'#!/bin/sh\nLD_LIBRARY_PATH="{tmp_path}" exec "{(BUILD / "posed-import").resolve()}" "$@"\n')
    program.chmod(0o755)
    server = start("--worker-dir", str(tmp_path), *NO_RENDERING, root=tmp_path / "models")
    model = server.json("/v1/model", model="flag.obj")
    assert [one["state"] for one in model["textures"]] == ["broken"]
    (warning,) = model["warnings"]
    assert warning["code"] == "texture_broken" and "install Debian's libtiff6" in warning["message"]


def test_a_damaged_tiff_costs_only_the_picture(start, tmp_path):
    write_flag(tmp_path, "flag.tif")
    whole = io.BytesIO()
    flag().save(whole, "TIFF", compression="tiff_lzw")
    (tmp_path / "flag.tif").write_bytes(whole.getvalue()[:60])
    model = start(*NO_RENDERING, root=tmp_path).json("/v1/model", model="flag.obj")
    assert [one["state"] for one in model["textures"]] == ["broken"]
    assert [warning["code"] for warning in model["warnings"]] == ["texture_broken"]
    assert "TIFF" in model["warnings"][0]["message"]
