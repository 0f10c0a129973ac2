"""Surfaces with holes from a texture (alpha MASK): the smoothness of their edges, and how they look from afar."""
import io

import numpy
import pytest
from PIL import Image

import small_scenes

SIDE = 64


def png(alpha):
    """A picture of one colour with these alphas."""
    rgba = numpy.zeros((*alpha.shape, 4), numpy.uint8)
    rgba[:, :, :3], rgba[:, :, 3] = (60, 160, 40), alpha
    out = io.BytesIO()
    Image.fromarray(rgba).save(out, "PNG")
    return out.getvalue()


def leaves():
    """Discs on a repeating square of 128 texels, with soft edges: a fifth of it is solid."""
    random, y, x = numpy.random.default_rng(5), *numpy.mgrid[0:128, 0:128]
    alpha = numpy.zeros((128, 128))
    for centre in random.uniform(0, 128, (26, 2)):
        dx, dy = (numpy.abs((a - c + 64) % 128 - 64) for a, c in ((x, centre[0]), (y, centre[1])))
        alpha = numpy.maximum(alpha, numpy.clip(6.5 - numpy.hypot(dx, dy), 0, 1))
    return (255 * alpha).astype(numpy.uint8)


def card(alpha, repeat=1.0, mode="MASK", factor=1.0, cutoff=None):
    material = {"alphaMode": mode, "doubleSided": True,
                "pbrMetallicRoughness": {"baseColorTexture": {"index": 0}, "metallicFactor": 0, "baseColorFactor": [1, 1, 1, factor]}}
    if cutoff is not None:
        material["alphaCutoff"] = cutoff
    scene = {"nodes": {"card": {}}, "clips": {}, "pictures": {"holes": png(alpha)}, "materials": {"leaf": material},
             "meshes": {"card": [{"positions": [(-1, -1, 0), (1, -1, 0), (1, 1, 0), (-1, 1, 0)], "triangles": [(0, 1, 2), (0, 2, 3)],
                                  "uvs": [(0, repeat), (repeat, repeat), (repeat, 0), (0, 0)], "material": "leaf"}]}}
    return small_scenes.glb(scene)


def shown(server, name, query=""):
    """The alphas of the picture, from 0 to 1. The card fills it."""
    answer = server.get(f"/v1/render?model={name}&camera=front&ortho=1&margin=0&width={SIDE}&height={SIDE}{query}")
    assert answer.status == 200, answer.body
    return numpy.asarray(Image.open(io.BytesIO(answer.body)).convert("RGBA"))[:, :, 3] / 255


@pytest.fixture
def ask(start, tmp_path):
    (tmp_path / "models").mkdir()

    def ask(content, query="", name=iter(range(99))):
        path = tmp_path / "models" / f"{next(name)}.glb"
        path.write_bytes(content)
        return shown(ask.server, path.name, query)
    ask.server = start(root=tmp_path / "models")
    return ask


@pytest.mark.parametrize("repeat", [1, 4, 16, 50])
def test_leaves_cover_as_much_from_afar_as_from_near(ask, repeat):
    near = (leaves() >= 128).mean()
    assert 0.15 < near < 0.25
    assert abs(ask(card(leaves(), repeat)).mean() - near) < 0.06


def test_an_edge_passes_through_all_shares_of_a_pixel(ask):
    """An edge that crosses the picture almost upright covers its pixels by quarters, not only by halves."""
    y, x = numpy.mgrid[0:128, 0:128]
    alpha = numpy.clip(127.5 + (x + 0.5 - 48 - y * 32 / 128) * 40, 0, 255).astype(numpy.uint8)
    found = ask(card(alpha))
    assert {round(4 * a) for a in found.flat} == {0, 1, 2, 3, 4}
    wanted = numpy.clip((x[:SIDE, :SIDE] + 0.5) - 24 - (y[:SIDE, :SIDE] + 0.5) * 16 / 64 + 0.5, 0, 1)
    assert numpy.abs(found - wanted)[2:-2, 2:-2].max() < 0.3
    assert numpy.sqrt(numpy.mean((found - wanted) ** 2)) < 0.03
    one = ask(card(alpha), "&aa=0")
    assert set(one.flat) == {0.0, 1.0}


def test_an_even_alpha_is_there_or_not(ask):
    even = numpy.full((16, 16), 128, numpy.uint8)
    assert (ask(card(even, cutoff=128 / 255 - 0.001)) == 1).all()
    assert (ask(card(numpy.full((16, 16), 255, numpy.uint8), factor=0.5, cutoff=0.5)) == 1).all()
    assert (ask(card(even, cutoff=0.51), "&allow_empty=1") == 0).all()


def test_what_is_seen_through_keeps_its_alphas(ask):
    assert abs(ask(card(leaves(), 50, mode="BLEND")).mean() - (leaves() / 255).mean()) < 0.02


def test_views_are_cut_alike(ask):
    content = card(leaves(), 0.4)
    assert (ask(content, "&view=normals") == ask(content)).mean() > 0.999
