"""Half-Life models: masked textures, and files that are a part of another one."""
import json
import struct

import pytest
from small_mdl import mdl

DRAWS = False

WALK = ("walk", 10, 2, [])
MASKED = 64


@pytest.mark.parametrize("flags, mode", [(0, "opaque"), (MASKED, "mask")])
def test_masked_textures_have_holes(start, tmp_path, flags, mode):
    (tmp_path / "a.mdl").write_bytes(mdl(WALK, flags=flags, texel=255))
    assert [material["alpha_mode"] for material in start(root=tmp_path).json("/v1/model", model="a.mdl")["materials"]] == [mode]


def test_the_last_colour_alone_is_the_hole(start, tmp_path):
    """All colours of the palette are equal, so differences show the visible part."""
    for flags in (0, MASKED):
        for texel in (254, 255):
            (tmp_path / f"{flags}_{texel}").mkdir()
            (tmp_path / f"{flags}_{texel}" / "a.mdl").write_bytes(mdl(WALK, flags=flags, texel=texel))
    server = start(root=tmp_path)
    hash_of = lambda flags, texel: server.json("/v1/model", model=f"{flags}_{texel}/a.mdl")["hash"]
    assert hash_of(0, 254) == hash_of(0, 255)
    assert hash_of(MASKED, 254) != hash_of(MASKED, 255)


def test_parts_of_a_model_are_refused_and_say_of_which(start, tmp_path):
    (tmp_path / "man01.mdl").write_bytes(b"IDSQ" + struct.pack("<i", 10) + bytes(500))
    textures = bytearray(mdl(WALK))
    textures[140:144] = textures[204:208] = bytes(4)
    (tmp_path / "manT.mdl").write_bytes(textures)
    (tmp_path / "man.mdl").write_bytes(mdl(WALK))
    for name in ("man02.mdl", "ment.mdl", "men.mdl", "lone01.mdl"):  # models of their own, and sequences without theirs
        (tmp_path / name).write_bytes((tmp_path / ("man01.mdl" if "lone" in name else "man.mdl")).read_bytes())
    (tmp_path / "man03.mdl").mkdir()
    server = start(root=tmp_path)
    assert [m["model"] for m in server.json("/v1/models")["models"]] == ["lone01.mdl", "man.mdl", "man02.mdl", "men.mdl", "ment.mdl"]
    for name, what in (("man01.mdl", "sequences"), ("manT.mdl", "textures")):
        error = json.loads(server.get(f"/v1/model?model={name}").body)["error"]
        assert error["code"] == "not_a_model" and what in error["message"] and "'man.mdl'" in error["message"]
    assert server.get("/v1/model?model=man.mdl").status == 200
