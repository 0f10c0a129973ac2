"""Pictures of degenerate models, and of models without enough memory: a picture or an error message, and then the next picture."""
import io
import json

import pytest
from PIL import Image

import render_loads
import small_models
from conftest import is_sanitized

RENDER = "/v1/render?model=model.gltf"


def changed(**node):
    """The triangle, with these properties of its node."""
    document = json.loads(small_models.gltf())
    document["nodes"][0].update(node)
    return json.dumps(document)


def draw(start, folder, model, query="&width=64&height=64"):
    (folder / "model.gltf").write_text(model)
    return start("--render-workers", "1", root=folder).get(RENDER + query)


@pytest.mark.parametrize("scale", [1e30, 1e-30])
def test_enormous_and_tiny_models_fill_the_picture(start, tmp_path, scale):
    answer = draw(start, tmp_path, changed(scale=[scale] * 3))
    assert answer.status == 200, answer.body
    left, top, right, bottom = Image.open(io.BytesIO(answer.body)).getchannel("A").getbbox()
    assert right - left > 36 and bottom - top > 36


@pytest.mark.parametrize("scale, code", [
    ([0, 0, 0], "nothing_to_draw"),
    ([1, 0, 0], "nothing_to_draw"),
    ([3e38, 3e38, 1], "not_finite"),
    ([1e200, 1, 1], None),
])
def test_poses_without_area_or_end(start, tmp_path, scale, code):
    answer = draw(start, tmp_path, changed(scale=scale))
    assert answer.status == 422, answer.body
    assert code is None or answer.error() == code


@pytest.mark.skipif(is_sanitized(), reason="a sanitizer bears no limit on memory")
def test_the_next_picture_after_one_that_memory_does_not_suffice_for(start, tmp_path):
    (tmp_path / "model.gltf").write_text(small_models.gltf())
    server = start("--render-workers", "1", "--render-memory", "500M", root=tmp_path)
    small = RENDER + "&width=64&height=64"
    before, (worker,) = server.get(small), render_loads.workers(server)
    assert before.status == 200, before.body
    refused = server.get(RENDER + "&width=4096&height=4096")
    assert (refused.status, refused.error()) == (503, "render_memory"), refused.body
    assert "--render-memory 524288000" in refused.json()["error"]["message"], refused.body
    assert server.get(small).body == before.body
    assert render_loads.workers(server) != [worker], "a context that ran out of memory draws no other picture"
