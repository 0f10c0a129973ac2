"""ao=1 makes corners darker, and nothing else."""
import io

import numpy
import pytest
from PIL import Image

import small_scenes

ROBOT = "/v1/render?model=robot.glb&clip=1&t=0.2&width=200&height=160"


def pixels(answer):
    assert answer.status == 200, answer.body
    return numpy.asarray(Image.open(io.BytesIO(answer.body)).convert("RGBA")).astype(int)


@pytest.mark.parametrize("query", ["", "&aa=0", "&ortho=1", "&background=ffffff", "&shadow=1", "&view=onion", "&light=outdoor"])
def test_pictures_only_get_darker_in_corners(server, query):
    open_to_light, occluded = (pixels(server.get(ROBOT + query + f"&ao={ao}")) for ao in (0, 1))
    assert (open_to_light[:, :, 3] == occluded[:, :, 3]).all()
    darker = (open_to_light - occluded)[:, :, :3]
    assert darker.min() >= (0 if "background" in query or "aa=0" in query else -1)  # rounding, where alpha is divided out
    assert 5 < darker.max() < 120 and 0.005 < (darker.max(axis=2) > 2).mean() < 0.2
    assert (pixels(server.get(ROBOT + query)) == open_to_light).all()  # the default
    assert server.get(ROBOT + query + "&ao=1").body == server.get(ROBOT + query + "&ao=true").body


def grid(corners, cells):
    """A card of cells x cells squares as points and triangles."""
    a, b, _, d = numpy.array(corners, float)
    steps = numpy.linspace(0, 1, cells + 1)
    points = [(a + x * (b - a) + y * (d - a)).tolist() for y in steps for x in steps]
    first = [y * (cells + 1) + x for y in range(cells) for x in range(cells)]
    return points, [t for i in first for t in ((i, i + 1, i + cells + 2), (i, i + cells + 2, i + cells + 1))]


def room(*cards, cells=1):
    """Cards as (corners, is unlit), each with a colour of its own."""
    scene = {"nodes": {}, "clips": {}, "materials": {}, "meshes": {}}
    for i, (corners, is_unlit) in enumerate(cards):
        scene["nodes"][f"card{i}"] = {"translation": [0.5, 2, -1]}
        scene["materials"][f"paint{i}"] = {"doubleSided": True, "pbrMetallicRoughness": {"baseColorFactor": [0.6, 0.4, 0.2 + i * 0.1, 1],
                                                                                        "metallicFactor": 0}}
        if is_unlit:
            scene["materials"][f"paint{i}"]["extensions"] = {"KHR_materials_unlit": {}}
        points, triangles = grid(corners, cells)
        scene["meshes"][f"card{i}"] = [{"positions": points, "triangles": triangles, "material": f"paint{i}"}]
    return small_scenes.glb(scene)


FLOOR = [(-2, 0, 0), (2, 0, 0), (2, 0, 3), (-2, 0, 3)]
WALL = [(-2, 0, 0), (2, 0, 0), (2, 3, 0), (-2, 3, 0)]


@pytest.mark.parametrize("cells", [1, 100])  # drawn triangle by triangle; as many as the processor rasterizes itself
def test_a_floor_alone_stays_and_a_wall_on_it_darkens_both(start, tmp_path, cells):
    (tmp_path / "floor.glb").write_bytes(room((FLOOR, False), cells=cells))
    (tmp_path / "both.glb").write_bytes(room((FLOOR, False), (WALL, False), cells=cells))
    (tmp_path / "sign.glb").write_bytes(room((FLOOR, False), (WALL, True), cells=cells))
    server = start(root=tmp_path)
    query = "&camera=front&pitch=45&width=128&height=128&background=ffffff&ao="
    light, dark = {}, {}
    for name in ("floor", "both", "sign"):
        light[name], dark[name] = (pixels(server.get(f"/v1/render?model={name}.glb{query}{ao}"))[:, :, :3] for ao in (0, 1))
    assert (light["floor"] == dark["floor"]).all()
    lost = (light["both"] - dark["both"]).max(axis=2)
    rows = lost[:, 54:74].mean(axis=1)  # the middle
    crease = int(rows.argmax())
    assert rows[crease] > 20 and 40 < crease < 90
    assert rows[crease - 4] > 3 and rows[crease + 4] > 3 and rows[crease - 30] == 0 and rows[crease + 30] == 0
    sign = (light["sign"] - dark["sign"]).max(axis=2)[:, 54:74].mean(axis=1)
    assert (sign[:crease - 1] == 0).all() and sign[crease + 2] > 10


def test_other_views_have_no_light_to_lose(server):
    answer = server.get(ROBOT + "&view=normals&ao=1")
    assert answer.status == 400 and "'ao'" in answer.json()["error"]["message"]
