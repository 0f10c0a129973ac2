"""light=file: the lights of a glTF file (KHR_lights_punctual) light the model. The expected numbers follow glTF 2.0, appendix B."""
import io
import json
import math

import numpy
import pytest
from PIL import Image

from posectl import posectl
from rigs import Writer

PLACE = numpy.array([5.0, -3.0, 2.0])  # of the card's middle
GREY, ROUGH = 0.4, 1.0
AROUND = 0.05
QUERY = "camera=front&pitch=0&ortho=1&aa=0&width=65&height=65&tone=none"
HALF = 0.5 ** 0.5


def facing_z(direction):
    """A rotation from -z to this direction: x, y, z, w."""
    d = numpy.array(direction, float) / numpy.linalg.norm(direction)
    axis, w = numpy.cross([0, 0, -1], d), 1 + numpy.dot([0, 0, -1], d)
    q = numpy.array([*axis, w]) if w > 1e-6 else numpy.array([1.0, 0, 0, 0])
    return (q / numpy.linalg.norm(q)).tolist()


def card(lights, nodes, material=None, moves=None, clip=()):
    """A card of 2 x 2 across z at PLACE. nodes: further nodes; those that are numbered are in the scene."""
    writer = Writer()
    document = writer.document
    corners = [(-1, -1, 0), (1, -1, 0), (1, 1, 0), (-1, -1, 0), (1, 1, 0), (-1, 1, 0)]
    document["meshes"] = [{"primitives": [{"material": 0, "attributes": {"POSITION": writer.accessor(corners, "VEC3"),
                                                                        "NORMAL": writer.accessor([(0, 0, 1)] * 6, "VEC3")}}]}]
    document["materials"] = [material or {"pbrMetallicRoughness": {"baseColorFactor": [GREY, GREY, GREY, 1], "metallicFactor": 0, "roughnessFactor": ROUGH}}]
    document["nodes"] = [{"mesh": 0, "translation": PLACE.tolist()}, *nodes]
    children = {child for node in nodes for child in node.get("children", ())}
    document["scene"], document["scenes"] = 0, [{"nodes": [n for n in range(1 + len(nodes)) if n not in children]}]
    document["extensionsUsed"] = ["KHR_lights_punctual"]
    document["extensions"] = {"KHR_lights_punctual": {"lights": lights}}
    if moves:
        document["animations"] = [{"channels": [{"sampler": 0, "target": {"node": moves, "path": "translation"}}],
                                   "samplers": [{"input": writer.accessor([0.0, 1.0], "SCALAR"), "output": writer.accessor([tuple(place) for place in clip], "VEC3")}]}]
    return writer.text()


def at(index=0, **node):
    return {"extensions": {"KHR_lights_punctual": {"light": index}}, **node}


def linear(server, query, model="a.gltf", pixel=(32, 32)):
    """The light of a pixel: the middle one."""
    answer = server.get(f"/v1/render?model={model}&{query}")
    assert answer.status == 200, answer.body[:400]
    pixels = numpy.asarray(Image.open(io.BytesIO(answer.body)).convert("RGBA"), float) / 255
    assert pixels[pixel[1], pixel[0], 3] == 1
    c = pixels[pixel[1], pixel[0], :3]
    return numpy.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)


def reflected(to_light, color=GREY, roughness=ROUGH, metallic=0.0):
    """The light that an eye at +z receives from a surface that faces it, for a unit of light from there."""
    light = numpy.array(to_light, float) / numpy.linalg.norm(to_light)
    half = (light + [0, 0, 1]) / numpy.linalg.norm(light + [0, 0, 1])
    n_l, n_h, v_h = light[2], half[2], half[2]
    a2 = max(roughness, 0.05) ** 4
    d = a2 / (math.pi * (n_h * n_h * (a2 - 1) + 1) ** 2)
    v = 0.5 / (n_l * math.sqrt((1 - a2) + a2) + math.sqrt(n_l * n_l * (1 - a2) + a2))
    f0 = 0.04 + (color - 0.04) * metallic
    f = f0 + (1 - f0) * (1 - v_h) ** 5
    return n_l * ((1 - f) * color * (1 - metallic) / math.pi + f * d * v)


@pytest.fixture
def show(start, tmp_path):
    server = start()

    def shown(text, query="light=file", name="a.gltf"):
        (tmp_path / name).write_text(text)
        return linear(server, f"{QUERY}&{query}", name)
    shown.server, shown.folder = server, tmp_path
    return shown


def near(found, direct, around=AROUND):
    """Slightly above the base colour's share, because of the light around."""
    expected = direct + around * GREY
    assert numpy.allclose(found, expected, atol=0.006 + 0.02 * abs(expected).max() if hasattr(expected, "max") else 0.006 + 0.02 * expected), (found, expected)


def test_directional_light_of_pi_lux_shows_the_base_colour(show):
    near(show(card([{"type": "directional", "intensity": math.pi}], [at(translation=[7, 7, -9], scale=[0.5, 3, 2])])),
         math.pi * reflected([0, 0, 1]))


def test_slanted_and_coloured_light(show):
    way = [-1.0, -0.5, -1.0]
    light = {"type": "directional", "intensity": 2.5, "color": [1, 0.5, 0.125]}
    near(show(card([light], [at(rotation=facing_z(way))])), 2.5 * reflected([1, 0.5, 1]) * numpy.array([1, 0.5, 0.125]))
    # from behind it lights nothing
    near(show(card([light], [at(rotation=facing_z([0, 0, 1]))])), 0)


def test_point_light_below_a_turned_scaled_parent(show):
    # parent: rotated by 90 degrees about z, unevenly scaled, off the origin; its child is at PLACE + (1.5, 0, 2)
    parent = {"children": [2], "rotation": [0, 0, HALF, HALF], "scale": [2, 4, 0.5], "translation": [4.5, -2.0, 1.0]}
    want = PLACE + [1.5, 0, 2] - parent["translation"]
    child = [want[1] / 2, -want[0] / 4, want[2] / 0.5]  # x of the child goes to y, y to -x
    near(show(card([{"type": "point", "intensity": 12}], [parent, at(translation=child)])), 12 / 6.25 * reflected([1.5, 0, 2]))


def test_light_that_a_clip_moves(show):
    text = card([{"type": "point", "intensity": 3}], [at()], moves=1, clip=[PLACE + [0, 0, 1.5], PLACE + [0, 0, 3]])
    for time, distance in ((0, 1.5), (0.5, 2.25), (1, 3)):
        near(show(text, f"light=file&clip=0&wrap=clamp&t={time}"), 3 / distance ** 2 * reflected([0, 0, 1]))


def test_range_ends_a_light(show):
    for reach, share in ((4, 1 - (2 / 4) ** 4), (2.2, 1 - (2 / 2.2) ** 4), (1.9, 0)):
        near(show(card([{"type": "point", "intensity": 8, "range": reach}], [at(translation=(PLACE + [0, 0, 2]).tolist())])),
             8 / 4 * share * reflected([0, 0, 1]))


@pytest.mark.parametrize("angle, inner, outer", [(0, 0.3, 0.5), (0.29, 0.3, 0.5), (0.4, 0.3, 0.5), (0.52, 0.3, 0.5), (0.6, 0, 1)])
def test_spot_cones(show, angle, inner, outer):
    """The spot is above the centre and shines past it by the angle."""
    way = [math.sin(angle), 0, -math.cos(angle)]
    edge = (math.cos(angle) - math.cos(outer)) / max(0.001, math.cos(inner) - math.cos(outer))
    near(show(card([{"type": "spot", "intensity": 9, "spot": {"innerConeAngle": inner, "outerConeAngle": outer}}],
                   [at(translation=(PLACE + [0, 0, 3]).tolist(), rotation=facing_z(way), scale=[1, 3, 0.25])])),
         9 / 9 * min(max(edge, 0), 1) ** 2 * reflected([0, 0, 1]))


def test_highlight_of_metal(show):
    material = {"pbrMetallicRoughness": {"baseColorFactor": [GREY, GREY, GREY, 1], "metallicFactor": 1, "roughnessFactor": 0.6}}
    way = [0.3, 0, 1]
    found = show(card([{"type": "directional", "intensity": 1}], [at(rotation=facing_z(-numpy.array(way)))], material))
    near(found, reflected(way, roughness=0.6, metallic=1.0))


def test_lights_of_layers(show):
    def material(**layers):
        return {"pbrMetallicRoughness": {"baseColorFactor": [GREY, GREY, GREY, 1], "metallicFactor": 0, "roughnessFactor": ROUGH}, "extensions": layers}
    sun = [{"type": "directional", "intensity": 3}]
    plain = show(card(sun, [at()]))
    dull = show(card(sun, [at()], material(KHR_materials_specular={"specularFactor": 0})))
    assert numpy.allclose(dull, 3 * GREY / math.pi + AROUND * GREY, atol=0.01) and (dull != plain).all()
    coat = show(card(sun, [at()], material(KHR_materials_clearcoat={"clearcoatFactor": 1, "clearcoatRoughnessFactor": 0.5})))
    under = 3 * reflected([0, 0, 1]) * 0.96
    assert numpy.allclose(coat, under + 3 * 0.04 / (math.pi * 4 * 0.5 ** 4) + AROUND * GREY, rtol=0.05)
    fibres = show(card(sun, [at(rotation=facing_z([-1, 0, -0.3]))], material(KHR_materials_sheen={"sheenColorFactor": [1, 1, 1], "sheenRoughnessFactor": 0.5})))
    assert (fibres > show(card(sun, [at(rotation=facing_z([-1, 0, -0.3]))]))).all()


def test_the_first_sixteen_shine(show):
    weak = {"type": "directional", "intensity": 0.1}
    near(show(card([weak], [at() for _ in range(20)])), 1.6 * reflected([0, 0, 1]))
    warnings = {w["code"]: w["message"] for w in show.server.json("/v1/model?model=a.gltf")["warnings"]}
    assert "20 lights" in warnings["too_many_lights"] and "nodes[17]" in warnings["too_many_lights"]


def test_hidden_lights_and_those_outside_of_the_scene(show):
    sun = [{"type": "directional", "intensity": 2}, {"type": "directional", "intensity": 1}]
    hidden = at(0)
    hidden["extensions"]["KHR_node_visibility"] = {"visible": False}
    near(show(card(sun, [hidden, at(1)])), reflected([0, 0, 1]))
    outside = json.loads(card(sun, [at(0), at(1)]))
    outside["scenes"][0]["nodes"] = [0, 2]
    near(show(json.dumps(outside)), reflected([0, 0, 1]))


def test_listed_and_exported(show):
    text = card([{"type": "spot", "name": "lamp", "intensity": 30, "range": 9, "color": [1, 0.5, 0.25], "spot": {"outerConeAngle": 0.5}}, {"type": "directional"}],
                [at(1, name="sun"), at(0, translation=(PLACE + [0, 0, 5]).tolist(), name="post")])
    first = show(text)
    told = show.server.json("/v1/model?model=a.gltf")["lights"]
    assert told == [
        {"index": 0, "name": "sun", "node": 1, "kind": "directional", "color": [1, 1, 1], "intensity": 1},
        {"index": 1, "name": "lamp", "node": 2, "kind": "spot", "color": [1, 0.5, 0.25], "intensity": 30, "range": 9, "inner_cone": 0, "outer_cone": 0.5}]
    lines = posectl("text", show.folder / "a.gltf").out.splitlines()
    assert [line for line in lines if line.startswith("light ")] == ["light lamp: spot, at post", "light sun: directional, at sun"]
    (show.folder / "b.glb").write_bytes(show.server.get("/v1/export?model=a.gltf").body)
    assert show.server.json("/v1/model?model=b.glb")["lights"] == told
    assert numpy.allclose(linear(show.server, f"{QUERY}&light=file", "b.glb"), first, atol=0.004)


def test_a_model_without_lights(show):
    text = json.loads(card([{"type": "point"}], []))
    (show.folder / "a.gltf").write_text(json.dumps(text))
    answer = show.server.get("/v1/render?model=a.gltf&light=file")
    assert (answer.status, answer.error()) == (404, "light_not_found") and "'a.gltf' has no lights" in answer.json()["error"]["message"]
    for path in ("sheet", "turntable"):
        assert show.server.get(f"/v1/{path}?model=a.gltf&light=file").status == 404
    assert show.server.get("/v1/render?model=a.gltf&light=flat").status == 200


def test_sheets_and_turntables(show):
    show(card([{"type": "directional"}], [at()]))
    for path in ("sheet?frames=2", "turntable?frames=2&format=png"):
        lit, plain = (show.server.get(f"/v1/{path}&model=a.gltf&width=32&height=32&light={light}").body for light in ("file", "flat"))
        assert lit != plain
