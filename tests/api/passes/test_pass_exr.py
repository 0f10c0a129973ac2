"""format=exr: every channel has the bits of the array of format=npz, colour is linear light, and the header has the camera."""
import re
import struct
import urllib.parse

import numpy
import pytest

import exr_decoder
import pass_scenes
from conftest import REPOSITORY, Server
from pass_evaluator import Camera, arrays
from raw_requests import post

ALL = "color,depth,normal,position,node,mesh,material,joint,uv,motion"
LETTERS = {"color": ["R", "G", "B", "A"], "depth": ["Z"], "normal": ["normal.X", "normal.Y", "normal.Z"],
           "position": ["position.X", "position.Y", "position.Z"], "node": ["node.V"], "mesh": ["mesh.V"], "material": ["material.V"],
           "joint": ["joint.V"], "uv": ["uv.U", "uv.V"], "motion": ["motion.X", "motion.Y"]}
SIZES = [(96, 64), (33, 17), (1, 1), (50, 16), (7, 32)]
VIEWS = [{"yaw": 30}, {"camera": "eye"}, {"ortho": 1, "yaw": -70, "pitch": 30}]


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    root = tmp_path_factory.mktemp("exr")
    (root / "turned.glb").write_bytes(pass_scenes.turned())
    running = Server(root, "--tcp", "127.0.0.1:0", "--log", "off")
    yield running
    running.end()


def ask(server, **query):
    query = {"model": "turned.glb", "clip": "move", "t": 0.3, "width": 96, "height": 64, **query}
    return server.get("/v1/render?" + urllib.parse.urlencode(query))


def light_of(color):
    """sRGB (IEC 61966-2-1) with straight alpha, as linear light times alpha."""
    share = color / 255.0
    linear = numpy.where(share[..., :3] <= 0.04045, share[..., :3] / 12.92, ((share[..., :3] + 0.055) / 1.055) ** 2.4)
    return numpy.concatenate([linear * share[..., 3:], share[..., 3:]], 2)


@pytest.mark.parametrize("width, height", SIZES)
def test_channels_have_the_bits_of_the_arrays(server, width, height):
    query = {"passes": ALL, "t2": 0.6, "width": width, "height": height, "camera": "eye", "allow_empty": 1}
    answer, expected = ask(server, **query, format="exr"), arrays(ask(server, **query))
    assert answer.status == 200 and answer.headers["content-type"] == "image/x-exr", answer.body
    header, found = exr_decoder.read(answer.body)
    assert list(found) == sorted(name for names in LETTERS.values() for name in names) and header["type"] == ("string", b"scanlineimage")
    for name, channels in LETTERS.items():
        wanted = expected[name].reshape(height, width, -1)
        for place, channel in enumerate(channels):
            assert found[channel].shape == (height, width)
            if name == "color":
                assert found[channel].dtype == "f4" and abs(found[channel] - light_of(wanted)[..., place]).max() < 1e-6, channel
                continue
            kind = "<u4" if wanted.dtype == "i4" else "<f4"
            assert found[channel].dtype == kind, channel
            assert (found[channel].view("u4") == wanted[..., place].astype(wanted.dtype).view("u4")).all(), channel
    if width == 96:
        alphas = numpy.unique(expected["color"][..., 3])
        assert len(alphas) > 10 and numpy.isinf(found["Z"]).any() and (found["node.V"] == 2**32 - 1).any(), "there is smoothing and background"


def test_color_alone_and_over_a_background(server):
    wanted = arrays(ask(server, passes="color", background="204060"))["color"]
    header, found = exr_decoder.read(ask(server, passes="color", background="204060", format="exr").body)
    assert list(found) == ["A", "B", "G", "R"] and (found["A"] == 1).all()
    assert abs(found["B"] - light_of(wanted)[..., 2]).max() < 1e-6
    assert struct.unpack("<8f", header["chromaticities"][1]) == pytest.approx((0.64, 0.33, 0.3, 0.6, 0.15, 0.06, 0.3127, 0.329))
    assert "chromaticities" not in exr_decoder.read(ask(server, passes="depth", format="exr").body)[0]


def test_equal_requests_have_equal_bytes(server):
    one = ask(server, passes="depth,color,uv", format="exr")
    other = post(server, "/v1/render", {"model": "turned.glb", "clip": "move", "t": 0.3, "width": 96, "height": 64, "passes": ["uv", "color", "depth"], "format": "exr"})
    assert one.status == other.status == 200 and one.body == other.body and one.headers["etag"] == other.headers["etag"]
    assert ask(server, passes="depth,color,uv").headers["etag"] != one.headers["etag"]
    small = ask(server, passes="depth,color,uv", format="exr", compression="small")
    assert len(small.body) < len(one.body)
    plain, packed = (exr_decoder.read(answer.body)[1] for answer in (one, small))
    assert all(numpy.array_equal(plain[name].view("u4"), packed[name].view("u4")) for name in plain)


def matrix(header, name):
    """For column vectors; the file has it for row vectors."""
    kind, value = header[name]
    assert kind == "m44f"
    return numpy.array(struct.unpack("<16f", value)).reshape(4, 4).T


@pytest.mark.parametrize("view", VIEWS)
def test_the_header_has_the_camera(server, view):
    answer = ask(server, passes="depth,position,node", **view, format="exr")
    header, found = exr_decoder.read(answer.body)
    camera = Camera(answer, 96, 64)
    shown = found["node.V"] < 2**32 - 1
    places = numpy.stack([found[f"position.{axis}"][shown] for axis in "XYZ"] + [numpy.ones(shown.sum())], 1)
    seen = places @ matrix(header, "worldToCamera").T
    assert seen[:, 2] == pytest.approx(found["Z"][shown], rel=1e-4), "z is forward"
    assert seen[:, :2] == pytest.approx(camera.view(places[:, :3])[:, :2], abs=1e-3)
    flat = places @ matrix(header, "worldToNDC").T
    rows, columns = numpy.nonzero(shown)
    assert shown.sum() > 100 and flat[:, :2] / flat[:, 3:] * [96, 64] == pytest.approx(numpy.stack([columns, rows], 1) + 0.5, abs=0.05)
    # screenWindowWidth is the width at a distance of 1, or of all the picture without perspective
    width, = struct.unpack("<f", header["screenWindowWidth"][1])
    centre = numpy.array(struct.unpack("<2f", header["screenWindowCenter"][1]))
    window = (seen[:, :2] / (1 if "ortho" in view else seen[:, 2:3]) - centre) / width
    assert (window + [0.5, 0]) [:, 0] * 96 == pytest.approx(columns + 0.5, abs=0.05)
    assert 32 - window[:, 1] * 96 == pytest.approx(rows + 0.5, abs=0.05)


def test_what_does_not_go_together(server):
    said = lambda **query: ask(server, **query, format="exr").json()["error"]["message"]
    assert "format=exr needs the parameter 'passes'" in said()
    assert "'alpha' does not go with format=exr" in said(passes="color", alpha="premultiplied")
    assert "'quality' does not go with format=exr" in said(passes="color", quality=5)


def test_the_document_has_every_channel():
    text = (REPOSITORY / "protocol/http.md").read_text()
    for names in LETTERS.values():
        assert re.search(r"`" + r"`, `".join(map(re.escape, names)) + "`", text), names
