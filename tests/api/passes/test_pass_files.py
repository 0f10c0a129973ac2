"""The files of passes: the same bytes whoever asks, their arrays, PNG files of 16 bits and what their header says, memory and size limits."""
import io
import json
import struct
import zipfile
import zlib

import numpy
import pytest
from PIL import Image

from pass_evaluator import arrays
from raw_requests import post

MODEL = {"model": "robot.glb", "clip": "walk", "t": 0.3, "width": 96, "height": 64}
ALL = "color,depth,normal,position,node,mesh,material,joint,uv,motion"
SHAPES = {"color": ((4,), "u1"), "depth": ((), "<f4"), "normal": ((3,), "<f4"), "position": ((3,), "<f4"), "node": ((), "<i4"), "mesh": ((), "<i4"),
          "material": ((), "<i4"), "joint": ((), "<i4"), "uv": ((2,), "<f4"), "motion": ((2,), "<f4")}
CAMERA = ["camera_k", "camera_from_scene_opencv", "camera_from_scene_opengl", "near_far"]  # test_camera_numbers.py has what they hold


def ask(server, **query):
    return server.get("/v1/render?" + "&".join(f"{key}={value}" for key, value in {**MODEL, **query}.items()))


def test_arrays_have_their_shapes_and_order(server):
    answer = ask(server, passes=ALL, t2=0.4)
    found = arrays(answer)
    assert list(found) == [*SHAPES, *CAMERA]
    for name, (axes, kind) in SHAPES.items():
        assert (found[name].shape, found[name].dtype) == ((64, 96, *axes), numpy.dtype(kind)), name
    assert answer.headers["content-type"] == "application/zip"
    with zipfile.ZipFile(io.BytesIO(answer.body)) as file:
        assert file.testzip() is None
        assert {entry.date_time for entry in file.infolist()} == {(1980, 1, 1, 0, 0, 0)}
        assert {entry.compress_type for entry in file.infolist()} == {zipfile.ZIP_DEFLATED}


def test_equal_requests_have_equal_bytes(server):
    one = ask(server, passes="depth,color,uv")
    for other in ask(server, passes="uv,depth,color,depth"), ask(server, passes="color&passes=uv&passes=depth"), \
            post(server, "/v1/render", {**MODEL, "passes": ["depth", "uv", "color"]}), post(server, "/v1/render", {**MODEL, "passes": "depth,color,uv", "format": "npz"}):
        assert other.status == 200 and other.body == one.body and other.headers["etag"] == one.headers["etag"]
    again = server.get("/v1/render?" + "&".join(f"{k}={v}" for k, v in {**MODEL, "passes": "depth,color,uv"}.items()), f"If-None-Match: {one.headers['etag']}")
    assert again.status == 304
    assert ask(server, passes="depth,color").headers["etag"] != one.headers["etag"]
    normal = ask(server, passes="normal")
    assert ask(server, passes="normal", normal_space="scene").body != normal.body == ask(server, passes="normal", normal_space="camera").body


def test_a_pass_does_not_depend_on_the_others(server):
    together = arrays(ask(server, passes=ALL, t2=0.4))
    for name in SHAPES:
        alone = arrays(ask(server, passes=name, **({"t2": 0.4} if name == "motion" else {})))
        assert list(alone) == [name, *CAMERA] and numpy.array_equal(alone[name], together[name], equal_nan=name == "uv"), name


def test_color_is_the_picture(server):
    for query in {}, {"aa": 0, "background": "204060"}, {"alpha": "premultiplied", "shadow": 1}:
        plain = ask(server, **query)
        wanted = numpy.array(Image.open(io.BytesIO(plain.body)).convert("RGBA"))
        assert (arrays(ask(server, passes="color,node", **query))["color"] == wanted).all(), query
    assert ask(server, passes="color", format="png").body == ask(server).body


@pytest.mark.parametrize("name", ["depth", "normal", "node", "mesh", "material", "joint"])
def test_png_files_hold_what_their_header_says(server, name):
    numbers = arrays(ask(server, passes=name))[name]
    shown = arrays(ask(server, passes="node"))["node"] >= 0
    answer = ask(server, passes=name, format="png")
    told = json.loads(answer.headers["x-posed-pass"])
    assert answer.headers["content-type"] == "image/png" and told["pass"] == name
    values = rows_of(answer.body)
    assert values.shape[:2] == numbers.shape[:2] and (values.reshape(64, 96, -1)[~shown] == 0).all()
    again = told["offset"] + told["scale"] * values.astype(float)
    assert abs(again[shown] - numbers[shown]).max() <= (told["scale"] / 2 * 1.001 if name in ("depth", "normal") else 0)
    if name == "depth":
        assert (values[shown].min(), values[shown].max()) == (1, 65535)
    small = ask(server, passes=name, format="png", compression="small")
    assert (rows_of(small.body) == values).all()


def rows_of(data):
    """The 16 bit numbers of a PNG file, without a library that reduces them to 8."""
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    at, packed, head = 8, b"", None
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + size]
        assert struct.unpack(">I", data[at + 8 + size:at + 12 + size])[0] == zlib.crc32(kind + body)
        head = struct.unpack(">IIBBBBB", body) if kind == b"IHDR" else head
        packed += body if kind == b"IDAT" else b""
        at += 12 + size
    width, height, bits, colors = head[:4]
    assert bits == 16 and colors in (0, 2)
    channels = 1 if colors == 0 else 3
    lines = numpy.frombuffer(zlib.decompress(packed), numpy.uint8).reshape(height, 1 + 2 * width * channels)
    assert (lines[:, 0] == 2).all()  # each byte minus the one above
    rows = numpy.cumsum(lines[:, 1:], 0, dtype=numpy.uint8).reshape(height, width, channels, 2).astype(int)
    values = rows[..., 0] * 256 + rows[..., 1]
    return values[..., 0] if channels == 1 else values


def test_large_passes_are_drawn_or_refused(server):
    answer = ask(server, passes="depth,node", width=2500, height=1200)
    assert arrays(answer)["depth"].shape == (1200, 2500)
    refused = ask(server, passes=ALL, t2=0, width=2049, height=2048)
    assert refused.status == 400 and "have 268566528 bytes, more than" in refused.json()["error"]["message"]


def test_nothing_to_draw_and_allow_empty(server):
    away = {"frame_box": "100,100,100,101,101,101", "passes": "depth,node"}
    assert ask(server, **away).error() == "nothing_to_draw"
    found = arrays(ask(server, **away, allow_empty=1))
    assert numpy.isinf(found["depth"]).all() and (found["node"] == -1).all()


def test_motion_of_layers_and_of_a_time_that_the_server_picks(server):
    layers = [{"clip": "walk"}, {"clip": "wave", "weight": 0.5}]
    body = {key: value for key, value in MODEL.items() if key != "clip"}
    found = arrays(post(server, "/v1/render", {**body, "layers": layers, "passes": ["motion", "node"], "t2": 0.6}))
    assert abs(found["motion"]).max() > 1
    still = arrays(post(server, "/v1/render", {**body, "layers": layers, "passes": ["motion"], "t2": 0.3}))
    assert (still["motion"] == 0).all()
    own = arrays(post(server, "/v1/render", {**body, "layers": [{**layer, "t": 0.3} for layer in layers], "passes": ["motion"], "t2": 0.6}))
    assert (own["motion"] == 0).all(), "layers with times of their own stand still"
    answer = server.get("/v1/render?model=robot.glb&clip=walk&passes=motion&t2=0.1&width=64&height=64")
    time_s = answer.headers["x-posed-time"]
    told = server.get(f"/v1/render?model=robot.glb&clip=walk&passes=motion&t2=0.1&width=64&height=64&frame=pose&t={time_s}")
    assert answer.status == told.status == 200 and answer.body == told.body
