"""Files beside a glTF file and inside its data URIs, as exporters write their names and bytes."""
import base64
import io
import json
import math
import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "oracle"))
from conftest import REPOSITORY  # noqa: E402
from contract_model import Document  # noqa: E402
from PIL import Image  # noqa: E402

DRAWS = False
OF_OTHERS = REPOSITORY.parent / "shared/models/bugs/gltf"


def picture():
    with io.BytesIO() as file:
        Image.new("RGB", (2, 2), (200, 100, 50)).save(file, "PNG")
        return file.getvalue()


PICTURE = picture()



def write(folder, uri, texture=None):
    """A triangle with a texture of this URI, whose buffer is in a file of another odd name."""
    document = Document()
    corner = document.accessor("VEC3", [1, 0, 0, 0, 2, 0, 0, 0, 3], bounds=True)
    texcoord = document.accessor("VEC2", [0, 0, 1, 0, 0, 1])
    document.root.update(nodes=[{"mesh": 0}], meshes=[{"primitives": [{"attributes": {"POSITION": corner, "TEXCOORD_0": texcoord}, "material": 0}]}],
                         materials=[{"pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}}], images=[{"uri": uri}],
                         textures=[{"source": 0} if texture is None else texture])
    (folder / "a.gltf").write_text(document.text())


def shown(server):
    model = server.json("/v1/model?model=a.gltf")
    return [texture["state"] for texture in model["textures"]], [warning["code"] for warning in model["warnings"]]


@pytest.mark.parametrize("uri, name", [
    ("my%20skin.png", "my skin.png"), ("my%20skin.png", "my%20skin.png"), ("100%.png", "100%.png"), ("skin.png?v=3", "skin.png"),
    ("my%20skin.png?v=3#top", "my skin.png"), ("skin.png?v=3", "skin.png?v=3"), ("skin%231.png", "skin#1.png"), ("skin#1.png", "skin#1.png")])
def test_a_picture_is_found_under_the_name_that_was_meant(start, tmp_path, uri, name):
    write(tmp_path, uri)
    (tmp_path / name).write_bytes(PICTURE)
    assert shown(start(root=tmp_path)) == (["found"], [])


def test_the_decoded_name_comes_first(start, tmp_path):
    write(tmp_path, "my%20skin.png")
    (tmp_path / "my skin.png").write_bytes(PICTURE)
    (tmp_path / "my%20skin.png").write_bytes(b"no picture")
    assert shown(start(root=tmp_path)) == (["found"], [])


@pytest.mark.parametrize("name", ["of a b.bin", "of%20a%20b.bin", "of%20a%20b.bin?v=2"])
def test_a_buffer_is_found_likewise(start, tmp_path, name):
    write(tmp_path, "skin.png")
    (tmp_path / "skin.png").write_bytes(PICTURE)
    document = json.loads((tmp_path / "a.gltf").read_text())
    (tmp_path / name).write_bytes(base64.b64decode(document["buffers"][0]["uri"].split(",")[1]))
    document["buffers"][0]["uri"] = "of%20a%20b.bin?v=2"
    (tmp_path / "a.gltf").write_text(json.dumps(document))
    assert shown(start(root=tmp_path)) == (["found"], [])


def test_a_data_uri_may_have_line_breaks(start, tmp_path):
    text = base64.b64encode(PICTURE).decode()
    write(tmp_path, "data:image/png;base64," + "\r\n".join(text[i:i + 20] for i in range(0, len(text), 20)))
    assert shown(start(root=tmp_path)) == (["found"], ["data_uri_blanks"])


@pytest.mark.parametrize("uri", ["data:image/png;base64,!!!!", "data:image/png;base64", "data:image/png;base64,AAAA", "data:image/png;base64,"])
def test_a_broken_data_uri_costs_the_picture_only(start, tmp_path, uri):
    write(tmp_path, uri)
    assert shown(start(root=tmp_path)) == (["broken"], ["texture_broken"])


def test_an_extension_without_a_source_leaves_the_texture_its_own(start, tmp_path):
    write(tmp_path, "skin.png", {"source": 0, "extensions": {"EXT_texture_webp": {}}})
    (tmp_path / "skin.png").write_bytes(PICTURE)
    assert shown(start(root=tmp_path)) == (["found"], [])


@pytest.mark.skipif(not OF_OTHERS.is_dir(), reason="no ../shared/models/bugs")
@pytest.mark.parametrize("name, state, code", [
    ("baduri_broken64", "broken", "texture_broken"), ("datauri_newlines", "found", "data_uri_blanks"), ("name_literal20", "found", None),
    ("name_query", "found", None)])
def test_files_of_others(start, name, state, code):
    model = start(root=OF_OTHERS).json(f"/v1/model?model={name}.gltf")
    assert [texture["state"] for texture in model["textures"]] == [state]
    assert [warning["code"] for warning in model["warnings"]] == [code] * (code is not None)


@pytest.mark.skipif(not OF_OTHERS.is_dir(), reason="no ../shared/models/bugs")
def test_pointers_of_others_move_weights(start):
    """One node has the mesh's weights, the other its own; at half the time, a scale and a quarter turn are half done."""
    server = start(root=OF_OTHERS)
    answer = server.json("/v1/mesh?model=animation_pointers.glb&clip=pointers&t=1")
    corners, turned = [(-1, 0), (1, 0), (1, 1), (-1, 1)], math.sqrt(0.5)
    expected = [[(1.5 * x, 1.5 * y + 3, 1.5 * 0.75) for x, y in corners], [(5 + turned * (x - y), turned * (x + y), 0.625) for x, y in corners]]
    for positions, points in zip(answer["frames"][0]["positions"], expected, strict=True):
        assert positions == pytest.approx([x for point in points for x in point], abs=1e-5)
