"""The effect of material layers on a picture, where a formula defines it: in even white light without a tone map, at pixels that face the
camera."""
import io
import math
import sys

import numpy
import pytest
from PIL import Image

from conftest import REPOSITORY

sys.path.insert(0, str(REPOSITORY / "tests" / "golden"))
import layer_spheres  # noqa: E402
from material_models import File, ball  # noqa: E402

BLACK, WHITE = [0, 0, 0, 1], [1, 1, 1, 1]
EVEN = "&light=flat&tone=none"
SIDE = 128


def file_of(materials, behind=None):
    """Balls in a row, rotated and unevenly scaled, off the origin, with a large one behind them."""
    file = File()
    shape = file.shape(*ball())
    for k, material in enumerate(materials):
        file.place(shape, material, (50 + 2 * k, 7, -20))
        layer_spheres.turn(file, file.json["nodes"][-1], k)
    if behind is not None:
        file.place(shape, behind, (50, 7, -26), 2.5)
    return layer_spheres.glb(file)


@pytest.fixture()
def draw(start, tmp_path):
    """(bytes of a GLB file, query) -> RGBA 0..1 of the picture."""
    server = start(root=tmp_path)
    made = []

    def picture(glb, query=EVEN, width=SIDE):
        made.append(f"m{len(made)}.glb")
        (tmp_path / made[-1]).write_bytes(glb)
        answer = server.get(f"/v1/render?model={made[-1]}&yaw=0&pitch=0&width={width}&height={SIDE}{query}")
        assert answer.status == 200, answer.body
        return numpy.asarray(Image.open(io.BytesIO(answer.body)).convert("RGBA"), float) / 255

    return picture


def linear(encoded):
    return numpy.where(encoded <= 0.04045, encoded / 12.92, ((encoded + 0.055) / 1.055) ** 2.4)


def facing(picture):
    """Linear light at the centre of the picture, which faces the camera."""
    return linear(picture[SIDE // 2, picture.shape[1] // 2, :3])


def one(draw, material, **more):
    return facing(draw(file_of([material]), **more))


def test_without_effect_they_are_the_bytes_of_the_plain_material(draw):
    plain = draw(file_of([layer_spheres.surface([0.3, 0.5, 0.2, 1], 0.3, 0.4)]), "")
    neutral = layer_spheres.surface(
        [0.3, 0.5, 0.2, 1], 0.3, 0.4, clearcoat={"clearcoatFactor": 0, "clearcoatRoughnessFactor": 1}, specular={"specularFactor": 1},
        ior={"ior": 1.5}, sheen={"sheenColorFactor": [0, 0, 0], "sheenRoughnessFactor": 1}, iridescence={"iridescenceFactor": 0},
        anisotropy={"anisotropyStrength": 0, "anisotropyRotation": 2}, transmission={"transmissionFactor": 0})
    assert (draw(file_of([neutral]), "") == plain).all()


def test_index_of_refraction_and_specular_are_f0(draw):
    for ior in 1, 1.2, 2, 3, 0:
        f0 = ((ior - 1) / (ior + 1)) ** 2
        got = one(draw, layer_spheres.surface(BLACK, 0, 0, ior={"ior": ior}))
        assert abs(got - f0).max() < 0.01, ior
    tinted = one(draw, layer_spheres.surface(BLACK, 0, 0, specular={"specularColorFactor": [1, 10, 0]}))
    assert abs(tinted - [0.04, 0.4, 0]).max() < 0.01
    assert one(draw, layer_spheres.surface(BLACK, 0, 0, specular={"specularFactor": 0})).max() < 0.001
    metal = one(draw, layer_spheres.surface([0.5, 0.25, 0.125, 1], 1, 0, ior={"ior": 1}))
    assert abs(metal - [0.5, 0.25, 0.125]).max() < 0.02  # it is no dielectric


def test_clearcoat_reflects_and_darkens_what_is_below(draw):
    black = layer_spheres.surface(BLACK, 0, 1, specular={"specularFactor": 0}, clearcoat={"clearcoatFactor": 1})
    assert abs(one(draw, black) - 0.04).max() < 0.01
    glowing = {**layer_spheres.surface(BLACK, 0, 1, specular={"specularFactor": 0}, clearcoat={"clearcoatFactor": 0.5}), "emissiveFactor": [0.5, 0, 0]}
    assert abs(one(draw, glowing) - [0.5 * 0.98 + 0.02, 0.02, 0.02]).max() < 0.01
    edge = draw(file_of([black]))
    row = linear(edge[SIDE // 2, :, 0])[edge[SIDE // 2, :, 3] == 1]
    assert row[1] > 3 * row[len(row) // 2]  # Fresnel


def test_sheen_is_added_and_what_it_takes_is_taken_from_below(draw):
    for roughness, albedo in (0.5, 0.048), (1, 0.1):  # integrals over the hemisphere, facing
        got = one(draw, layer_spheres.surface(BLACK, 0, 1, specular={"specularFactor": 0},
                                              sheen={"sheenColorFactor": [1, 0.5, 0], "sheenRoughnessFactor": roughness}))
        assert abs(got - [albedo, albedo / 2, 0]).max() < 0.02, roughness
    white = one(draw, layer_spheres.surface(WHITE, 0, 1, specular={"specularFactor": 0},
                                            sheen={"sheenColorFactor": [1, 1, 1], "sheenRoughnessFactor": 1}))
    assert abs(white - 1).max() < 0.01  # no light is lost or added


def thin_film(nm, ior, base, wavelength_nm):
    """The reflection of light that falls straight onto a film between air and a dielectric (Airy's sum)."""
    first, second = (1 - ior) / (1 + ior), (ior - base) / (ior + base)
    turn = complex(math.cos(4 * math.pi * ior * nm / wavelength_nm), math.sin(4 * math.pi * ior * nm / wavelength_nm))
    return abs((first + second * turn) / (1 + first * second * turn)) ** 2


def test_iridescence_has_the_colours_of_a_thin_film(draw):
    shown = {}
    for nm in 0, 280, 350, 420:
        film = {"iridescenceFactor": 1, "iridescenceIor": 1.8, "iridescenceThicknessMaximum": nm}
        shown[nm] = one(draw, layer_spheres.surface(BLACK, 0, 0, iridescence=film))
    assert abs(shown[0] - 0.04).max() < 0.02  # there is no film
    for nm in 280, 350, 420:  # the order of the channels is that of the film's own formula at their wavelengths
        expected = [thin_film(nm, 1.8, 1.5, wavelength) for wavelength in (610, 550, 460)]
        assert int(numpy.argmax(shown[nm])) == int(numpy.argmax(expected)), (nm, shown[nm], expected)


def test_anisotropy_turns_with_its_rotation_and_keeps_even_light(draw):
    def brushed(strength, rotation=0.0):
        return file_of([layer_spheres.surface([1, 0.8, 0.4, 1], 1, 0.3, anisotropy={"anisotropyStrength": strength, "anisotropyRotation": rotation})])

    even = [draw(brushed(strength)) for strength in (0.01, 0.9)]
    assert abs(even[0] - even[1]).max() < 0.03
    along, across, around = (draw(brushed(0.9, angle), "") for angle in (0, math.pi / 2, math.pi))
    assert abs(along - across).max() > 0.1
    assert abs(along - around).max() < 0.01  # half a turn has no effect


def test_transmission_shows_what_is_behind_in_the_base_colour(draw):
    glass = lambda color, **more: layer_spheres.surface(color, 0, 0, transmission={"transmissionFactor": 1}, ior={"ior": 1}, **more)
    behind = layer_spheres.surface([0.2, 0.5, 0.8, 1], 0, 1, specular={"specularFactor": 0})
    alone, through, tinted = (facing(draw(file_of([material], behind))) for material in
                              (layer_spheres.surface(WHITE, 0, 1), glass(WHITE), glass([0.5, 1, 0.25, 1])))
    assert abs(alone - 1).max() < 0.05
    assert abs(through - [0.2, 0.5, 0.8]).max() < 0.01
    assert abs(tinted - [0.1, 0.5, 0.2]).max() < 0.01
    green = linear(draw(file_of([glass([0.3, 0.8, 0.3, 1])]), EVEN + "&background=ffffff")[SIDE // 2, SIDE // 2, :3])
    assert green[1] > 0.7 and abs(green[0] - green[2]) < 0.02 and green[1] > green[0] + 0.3  # a white background through it
    empty = draw(file_of([glass([0.5, 0.5, 0.5, 1])]))
    assert abs(empty[SIDE // 2, SIDE // 2, 3] - 0.5) < 0.02  # nothing is behind: the picture is as transparent


def test_many_layers_in_one_file_look_as_each_alone(draw):
    """With three kinds or more, one program has all."""
    materials = [layer_spheres.surface([0.6, 0.1, 0.1, 1], 0, 0.6, clearcoat={"clearcoatFactor": 1}),
                 layer_spheres.surface([0.6, 0.1, 0.1, 1], 0, 1, sheen={"sheenColorFactor": [0.5, 0.5, 1], "sheenRoughnessFactor": 0.5}),
                 layer_spheres.surface([0.05, 0.05, 0.05, 1], 0, 0.1, iridescence={"iridescenceFactor": 1})]
    together = draw(file_of(materials), "&ortho=1&margin=0", 3 * SIDE)
    twice = draw(file_of(materials[:1] * 3), "&ortho=1&margin=0", 3 * SIDE)
    ball_width = 3 * SIDE // 4
    assert abs(together[:, :ball_width] - twice[:, :ball_width]).max() <= 1.5 / 255
    assert abs(together - twice).max() > 0.1
