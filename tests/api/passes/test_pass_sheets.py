"""passes= of sheets and turntables: each cell shows the numbers of the pass as colours that the document defines."""
import io
import urllib.parse

import numpy
import pytest
from PIL import Image

import pass_scenes
from conftest import Server
from pass_evaluator import arrays

WIDTH, HEIGHT, TIMES = 60, 44, [0.1, 0.3, 0.6]
IDS = ["node", "mesh", "material", "joint"]


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    root = tmp_path_factory.mktemp("sheets")
    (root / "turned.glb").write_bytes(pass_scenes.turned())
    (root / "mixed.glb").write_bytes(pass_scenes.mixed())
    running = Server(root, "--tcp", "127.0.0.1:0", "--log", "off")
    yield running
    running.end()


def ask(server, path, **query):
    return server.get(path + "?" + urllib.parse.urlencode({"model": "turned.glb", "width": WIDTH, "height": HEIGHT, **query}))


def pixels(answer):
    assert answer.status == 200, answer.body
    return numpy.array(Image.open(io.BytesIO(answer.body)).convert("RGBA")).astype(int)


def colors_of(name, numbers, planes):
    """The document's colours."""
    if name == "depth":
        near, far = planes
        with numpy.errstate(invalid="ignore"):
            return numpy.stack([255 * (far - numbers.astype(float)) / (far - near)] * 3, 2)
    if name == "normal":
        return 255 * (numbers.astype(float) + 1) / 2
    color = (numbers.astype(numpy.int64) + 1) * 0x9E3779 % 2**24
    return numpy.stack([color >> 16, color >> 8 & 255, color & 255], 2)


def planes_of(told):
    """near and far of a camera with perspective"""
    slope, shift = told["clip_from_view"][10], told["clip_from_view"][14]
    return shift / (slope - 1), shift / (slope + 1)


@pytest.mark.parametrize("name", ["depth", "normal", *IDS])
@pytest.mark.parametrize("more", [{}, {"background": "204060", "normal_space": "scene", "alpha": "premultiplied"}])
def test_cells_have_the_numbers_of_the_pass(server, name, more):
    more = {key: value for key, value in more.items() if name == "normal" or key != "normal_space"}
    query = {"clip": "move", "camera": "eye", **more, "passes": name}
    sheet = ask(server, "/v1/sheet", t=",".join(map(str, TIMES)), columns=3, **query)
    told = ask(server, "/v1/sheet", t=",".join(map(str, TIMES)), columns=3, **query, format="json").json()
    picture = pixels(sheet)
    assert picture.shape == (HEIGHT, 3 * WIDTH, 4)
    for cell, time in zip(told["cells"], TIMES):
        found = picture[cell["y"]:cell["y"] + HEIGHT, cell["x"]:cell["x"] + WIDTH]
        numbers = arrays(ask(server, "/v1/render", t=time, **{**query, "passes": f"node,{name}"}))
        shown = numbers["node"] >= 0
        wanted = colors_of(name, numbers[name], planes_of(told))
        assert abs(found[..., :3] - wanted)[shown].max() <= (0 if name in IDS else 0.501), time
        assert (found[..., 3] == (255 if "background" in more else numpy.where(shown, 255, 0))).all()
        background = [0x20, 0x40, 0x60] if "background" in more else [0, 0, 0]
        assert (found[~shown][:, :3] == background).all() and 200 < shown.sum() < shown.size - 200
    assert ask(server, "/v1/sheet", t=",".join(map(str, TIMES)), columns=3, **query).body == sheet.body


def test_a_surface_without_a_number_is_black_and_opaque(server):
    """The line and the point of mixed.glb have no material."""
    numbers = arrays(ask(server, "/v1/render", model="mixed.glb", yaw=30, t=0, passes="node,material"))
    picture = pixels(ask(server, "/v1/sheet", model="mixed.glb", yaw=30, t=0, passes="material"))
    bare = (numbers["node"] >= 0) & (numbers["material"] < 0)
    black = (picture == [0, 0, 0, 255]).all(2)
    assert bare.sum() > 10 and abs(int(black.sum()) - int(bare.sum())) <= 0.2 * bare.sum()


def test_turntables_animations_and_captions(server):
    query = {"clip": "move", "t": 0.3, "frames": 4, "passes": "node"}
    frames = Image.open(io.BytesIO(ask(server, "/v1/turntable", **query).body))
    assert frames.n_frames == 4
    seen = set()
    for frame in range(4):
        frames.seek(frame)
        seen.add(frames.convert("RGBA").tobytes())
        colors = {tuple(pixel) for pixel in numpy.array(frames.convert("RGBA")).reshape(-1, 4)}
        assert colors <= {(0, 0, 0, 0), *(tuple((node + 1) * 0x9E3779 % 2**24 >> shift & 255 for shift in (16, 8, 0)) + (255,) for node in range(8))}
    assert len(seen) == 4
    for form in "gif", "webp", "y4m":
        assert ask(server, "/v1/turntable", **query, format=form).status == 200, form
    plain, with_text = (pixels(ask(server, "/v1/sheet", clip="move", t="0.1,0.3", passes="joint", captions=on)) for on in (0, 1))
    assert with_text.shape[0] > HEIGHT == plain.shape[0] and (with_text[:HEIGHT] == plain).all()


def test_color_is_the_sheet_itself_and_empty_sheets_are_refused(server):
    query = {"clip": "move", "t": "0.1,0.3"}
    assert ask(server, "/v1/sheet", **query, passes="color").body == ask(server, "/v1/sheet", **query).body
    assert ask(server, "/v1/sheet", **query, passes="depth").body != ask(server, "/v1/sheet", **query).body
    assert ask(server, "/v1/sheet", **query, passes="depth", frame_box="900,900,900,901,901,901").error() == "nothing_to_draw"
    estimate = ask(server, "/v1/sheet", **query, passes="depth", estimate=1).json()["estimate"]
    assert estimate["sheet"]["cells"] == 2 and estimate["bytes"] > 1000
