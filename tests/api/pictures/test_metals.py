"""Metals whose colour has a channel at 0, in the light of pictures: nothing jumps between them and what nearly is one."""
import io
import json
import sys

import numpy
import pytest
from PIL import Image

from conftest import REPOSITORY

sys.path.insert(0, str(REPOSITORY / "tests" / "golden"))
import material_models  # noqa: E402

BOX = REPOSITORY.parent / "shared" / "models" / "bugs" / "t3" / "BoxInterleaved.glb"


def drawn(server, model, query):
    answer = server.get(f"/v1/render?model={model}&{query}")
    assert answer.status == 200, answer.body
    return numpy.asarray(Image.open(io.BytesIO(answer.body)).convert("RGBA"), float)


@pytest.mark.parametrize("light", ["", "&light=outdoor", "&light=flat", "&tone=aces", "&tone=none"])
def test_a_metal_looks_like_what_nearly_is_one(start, tmp_path, light):
    """Every metallic factor, channel and emission of the golden picture, with numbers that differ by a thousandth."""
    text = material_models.channels()
    (tmp_path / "at.gltf").write_text(text)
    near = json.loads(text)
    for material in near["materials"]:
        pbr = material["pbrMetallicRoughness"]
        pbr["baseColorFactor"] = [min(max(channel, 0.001), 0.999) for channel in pbr["baseColorFactor"][:3]] + [1]
        pbr["metallicFactor"] = min(pbr["metallicFactor"], 0.999)
    (tmp_path / "near.gltf").write_text(json.dumps(near))
    server = start(root=tmp_path)
    query = "ortho=1&yaw=0&pitch=0&width=486&height=108&aa=0" + light
    pictures = [drawn(server, model, query) for model in ("at.gltf", "near.gltf")]
    assert pictures[0].max() > 200
    assert abs(pictures[0] - pictures[1]).max() <= 8


@pytest.mark.skipif(not BOX.is_file(), reason="../shared/models/bugs is not there")
def test_the_red_box_of_khronos_is_red(start):
    red, green, blue, alpha = drawn(start(root=BOX.parent), BOX.name, "width=64&height=64")[32, 32]
    assert red > 120 and green < 20 and blue < 20 and alpha == 255
