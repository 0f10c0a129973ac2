"""The other file formats of pictures: JPEG, WebP and Y4M, compared with a PNG of the same query."""
import io
import shutil
import subprocess

import numpy
import pytest
from PIL import Image

from conftest import SAMPLES

RENDER, SHEET, TURN = "/v1/render?model=robot.glb", "/v1/sheet?model=robot.glb&clip=1", "/v1/turntable?model=robot.glb"
SIZE = "&width=96&height=64"
WHITE = "&background=ffffff"


def pixels(answer, kind="image/png", mode="RGBA"):
    assert (answer.status, answer.headers["content-type"]) == (200, kind), answer.body[:300]
    image = Image.open(io.BytesIO(answer.body))
    return numpy.asarray(image.convert(mode)).astype(int), image


@pytest.mark.parametrize("query", [RENDER + "&t=0.3", SHEET + "&frames=3&captions=1", TURN + "&frames=4", RENDER + "&view=onion"])
def test_jpeg_shows_what_the_png_shows_on_white(server, query):
    png, _ = pixels(server.get(query + SIZE + WHITE + "&format=png"), mode="RGB")
    answer = server.get(query + SIZE + "&format=jpeg&quality=98")
    jpeg, image = pixels(answer, "image/jpeg", "RGB")
    assert image.format == "JPEG" and jpeg.shape == png.shape
    assert numpy.abs(jpeg - png).max() < 24 and numpy.abs(jpeg - png).mean() < 1
    assert server.get(query + SIZE + WHITE + "&format=jpeg&quality=98").headers["etag"] == answer.headers["etag"]
    half = server.get(query + SIZE + "&background=ff000080&format=jpeg&quality=98")
    assert (pixels(half, "image/jpeg", "RGB")[0][0, 0] - [255, 127, 127]).__abs__().max() <= 2


@pytest.mark.parametrize("background", ["", "&background=204060"])
def test_webp_shows_what_the_png_shows(server, background):
    png, _ = pixels(server.get(RENDER + SIZE + background + "&t=0.3"))
    webp, image = pixels(server.get(RENDER + SIZE + background + "&t=0.3&format=webp&quality=95"), "image/webp")
    assert image.format == "WEBP" and getattr(image, "n_frames", 1) == 1
    assert (webp[:, :, 3] == png[:, :, 3]).all()  # alpha loses nothing
    is_there = png[:, :, 3] == 255
    assert numpy.abs(webp - png)[is_there].mean() < 6


def test_quality_and_compression(server):
    for form in ("jpeg", "webp"):
        sizes = {}
        for quality in (5, 85, 100):
            sizes[quality] = server.get(RENDER + SIZE + f"&format={form}&quality={quality}")
        assert len(sizes[5].body) < len(sizes[85].body) < len(sizes[100].body)
        assert server.get(RENDER + SIZE + f"&format={form}").body == sizes[85].body
        small = server.get(RENDER + SIZE + f"&format={form}&compression=small")
        assert len(small.body) < len(sizes[85].body)
        assert len({answer.headers["etag"] for answer in (*sizes.values(), small)}) == 4
    lossy = server.get(SHEET + SIZE + "&frames=3&format=webp&quality=40")
    assert len(lossy.body) < len(server.get(SHEET + SIZE + "&frames=3&format=webp").body)
    assert pixels(lossy, "image/webp")[1].n_frames == 3


def test_the_same_bytes_twice_and_from_the_cache(server, start):
    other = start(root=SAMPLES)
    for query in (RENDER + "&format=jpeg", RENDER + "&format=webp", TURN + "&frames=3&format=y4m", RENDER + "&format=jpeg&compression=small"):
        one, two = server.get(query + SIZE), other.get(query + SIZE)
        assert one.status == 200 and one.body == two.body and one.headers["etag"] == two.headers["etag"]
        assert server.get(query + SIZE, f"If-None-Match: {one.headers['etag']}").status == 304


def test_headers_are_those_of_a_png(server):
    png = server.get(RENDER + SIZE)
    for form in ("jpeg", "webp"):
        answer = server.get(RENDER + SIZE + "&format=" + form)
        for name in ("x-posed-clip", "x-posed-time", "x-posed-camera", "cache-control"):
            assert answer.headers[name] == png.headers[name]
        assert answer.headers["etag"] != png.headers["etag"] and answer.headers["etag"].endswith(f'-{form}"')
    for query, name in ((SHEET + "&frames=2&format=jpeg", "robot-sheet.jpg"), (TURN + "&frames=2&format=y4m", "robot-turntable.y4m")):
        assert name in server.get(query + SIZE).headers["content-disposition"]


@pytest.mark.parametrize("query, words", [
    (RENDER + "&quality=50", "'quality' does not go with format=png"),
    (RENDER + "&format=json&quality=50", "'quality' does not go with format=json"),
    (TURN + "&quality=50", "'quality' does not go with format=apng"),
    (TURN + "&format=y4m&quality=50", "'quality' does not go with format=y4m"),
    (RENDER + "&format=jpeg&quality=0", "from 1 to 100"), (RENDER + "&format=jpeg&quality=101", "from 1 to 100"),
    (RENDER + "&format=y4m", "png, json, jpeg, webp, npz or exr"), (TURN + "&format=y4m&loops=2", "'loops' does not go with format=y4m"),
    (TURN + "&format=y4m&gap=2", "'gap' does not go with an animation"),
    (SHEET + "&format=jpeg&play_rate=2", "'play_rate' does not go with format=jpeg"),
    (SHEET + "&format=y4m&t=0,0.1,0.5", "in a video all last alike"), (SHEET + "&format=y4m&t=0,1e-7", "'play_rate' says how many"),
])
def test_what_does_not_go_together(server, query, words):
    answer = server.get(query)
    assert answer.status == 400 and words in answer.json()["error"]["message"], answer.body


# --- video ---

def read_y4m(body):
    """The words of the header by their first letter, and each frame's planes Y, Cb, Cr as arrays."""
    head, rest = body.split(b"\n", 1)
    words = head.decode().split(" ")
    assert words[0] == "YUV4MPEG2"
    told = {word[0]: word[1:] for word in words[1:] if word[0] != "X"}
    told["X"] = [word[1:] for word in words[1:] if word[0] == "X"]
    width, height = int(told["W"]), int(told["H"])
    half = (width + 1) // 2, (height + 1) // 2
    frames = []
    while rest:
        assert rest[:6] == b"FRAME\n"
        at, planes = 6, []
        for size in ((width, height), half, half):
            planes.append(numpy.frombuffer(rest[at:at + size[0] * size[1]], numpy.uint8).reshape(size[1], size[0]).astype(float))
            assert planes[-1].size == size[0] * size[1]
            at += size[0] * size[1]
        frames.append(planes)
        rest = rest[at:]
    return told, frames


def expected_planes(rgb):
    """ITU-R BT.601 in its limited range, with the exact factors."""
    rgb = rgb.astype(float)
    luma = rgb @ [0.299, 0.587, 0.114]
    wide = numpy.pad(rgb, ((0, rgb.shape[0] % 2), (0, rgb.shape[1] % 2), (0, 0)), "edge")
    mean = (wide[::2, ::2] + wide[1::2, ::2] + wide[::2, 1::2] + wide[1::2, 1::2]) / 4
    around = mean @ [0.299, 0.587, 0.114]
    return 16 + luma * 219 / 255, 128 + (mean[:, :, 2] - around) / 1.772 * 224 / 255, 128 + (mean[:, :, 0] - around) / 1.402 * 224 / 255


@pytest.mark.parametrize("size", ["&width=96&height=64", "&width=37&height=51"])
@pytest.mark.parametrize("query", [TURN + "&frames=5&background=ff2000", SHEET + "&frames=4&captions=1&play_rate=29.97002997",
                                   SHEET + "&rate=7"])
def test_y4m_has_the_frames_of_the_sheet(server, query, size):
    animation = Image.open(io.BytesIO(server.get(query + size + ("" if "background" in query else WHITE) + "&format=apng").body))
    answer = server.get(query + size + "&format=y4m")
    assert (answer.status, answer.headers["content-type"]) == (200, "video/x-yuv4mpeg"), answer.body[:300]
    told, frames = read_y4m(answer.body)
    assert (int(told["W"]), int(told["H"])) == animation.size and told["C"] == "420jpeg" and told["I"] == "p" and told["A"] == "1:1"
    assert "COLORRANGE=LIMITED" in told["X"]
    assert told["F"] == ("12:1" if "turntable" in query else "30000:1001" if "29.97" in query else "7:1")
    assert len(frames) == animation.n_frames
    for i, planes in enumerate(frames):
        animation.seek(i)
        for plane, expected in zip(planes, expected_planes(numpy.asarray(animation.convert("RGB")))):
            assert plane.shape == expected.shape and numpy.abs(plane - expected).max() < 0.52


def test_ffmpeg_makes_a_video_of_it(server, tmp_path):
    if shutil.which("ffmpeg") is None:
        pytest.skip("no ffmpeg here")
    query = TURN + "&frames=6&width=96&height=64&background=ff2000"
    (tmp_path / "turn.y4m").write_bytes(server.get(query + "&format=y4m").body)
    made = subprocess.run(["ffmpeg", "-v", "error", "-i", tmp_path / "turn.y4m", "-pix_fmt", "rgb24", "-f", "rawvideo", "-"], check=True,
                          stdout=subprocess.PIPE).stdout
    frames = numpy.frombuffer(made, numpy.uint8).reshape(-1, 64, 96, 3).astype(int)
    assert len(frames) == 6 and numpy.abs(frames[:, 0, 0] - [255, 32, 0]).max() <= 3
    subprocess.run(["ffmpeg", "-v", "error", "-i", tmp_path / "turn.y4m", tmp_path / "turn.mp4"], check=True)
    assert (tmp_path / "turn.mp4").stat().st_size > 1000


def test_a_video_of_clips_of_any_length(server):
    assert server.get("/v1/sheet?model=robot.glb&clips=all&rate=10&format=y4m" + SIZE).status == 200  # a shorter last frame
    assert server.get("/v1/sheet?model=robot.glb&clips=all&frames=3&format=y4m" + SIZE).status == 400
    assert server.get("/v1/sheet?model=robot.glb&clips=all&frames=3&play_rate=5&format=y4m" + SIZE).status == 200
