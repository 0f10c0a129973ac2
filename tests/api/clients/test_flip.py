"""posectl's comparison of pictures (clients/cli/moments/flip.h), tested with another implementation of the same paper: P. Andersson et al.,
FLIP: A Difference Evaluator for Alternating Images, 2020. They share no code; this one's filters are whole two-dimensional windows."""
import io
import math
import struct
import subprocess
import zlib

import numpy
import pytest
from PIL import Image, ImageDraw

from conftest import BUILD

PROBE = BUILD / "test/flip_probe"
SIZE = (72, 56)


# --- the paper, with numpy ---

def matrix():
    """XYZ from linear RGB, from the chromaticities of sRGB's primaries and of D65."""
    primaries = numpy.array([(x / y, 1, (1 - x - y) / y) for x, y in [(0.64, 0.33), (0.3, 0.6), (0.15, 0.06)]]).T
    x, y = 0.3127, 0.3290
    return primaries * numpy.linalg.solve(primaries, [x / y, 1, (1 - x - y) / y])


M = matrix()
WHITE = M @ numpy.ones(3)


def linear(rgb):
    return numpy.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)


def ycxcz(rgb):
    x, y, z = numpy.moveaxis(rgb @ M.T / WHITE, -1, 0)
    return numpy.stack([116 * y - 16, 500 * (x - y), 200 * (y - z)], -1)


def rgb_of(opponent):
    y = (opponent[..., 0] + 16) / 116
    return numpy.stack([y + opponent[..., 1] / 500, y, y - opponent[..., 2] / 200], -1) * WHITE @ numpy.linalg.inv(M).T


def hunt_lab(rgb):
    t = rgb @ M.T / WHITE
    f = numpy.where(t > (6 / 29) ** 3, numpy.cbrt(t), t / (3 * (6 / 29) ** 2) + 4 / 29)
    l = 116 * f[..., 1] - 16
    return numpy.stack([l, 0.01 * l * 500 * (f[..., 0] - f[..., 1]), 0.01 * l * 200 * (f[..., 1] - f[..., 2])], -1)


def hyab(a, b):
    d = a - b
    return abs(d[..., 0]) + numpy.sqrt(d[..., 1] ** 2 + d[..., 2] ** 2)


def window(radius):
    return numpy.mgrid[-radius:radius + 1, -radius:radius + 1].astype(float)


def convolve(plane, kernel):
    radius = len(kernel) // 2
    padded = numpy.pad(plane, radius, mode="edge")
    return sum(kernel[y, x] * padded[y:y + plane.shape[0], x:x + plane.shape[1]]
               for y in range(len(kernel)) for x in range(len(kernel)))


def csf(channel, ppd):
    (a1, b1), (a2, b2) = [[(1, 0.0047), (0, 1e-5)], [(1, 0.0053), (0, 1e-5)], [(34.1, 0.04), (13.5, 0.025)]][channel]
    y, x = window(math.ceil(3 * math.sqrt(0.04 / (2 * math.pi ** 2)) * ppd))
    d2 = (x * x + y * y) / ppd ** 2
    g = (a1 * math.sqrt(math.pi / b1) * numpy.exp(-math.pi ** 2 * d2 / b1)
         + a2 * math.sqrt(math.pi / b2) * numpy.exp(-math.pi ** 2 * d2 / b2))
    return g / g.sum()


def features(y_plane, ppd, order):
    sigma = 0.5 * 0.082 * ppd
    y, x = window(math.ceil(3 * sigma))
    g = numpy.exp(-(x * x + y * y) / (2 * sigma * sigma))
    kernel = -x * g if order == 1 else (x * x / sigma ** 2 - 1) * g
    kernel = numpy.where(kernel > 0, kernel / kernel[kernel > 0].sum(), kernel / -kernel[kernel < 0].sum())
    return numpy.sqrt(convolve(y_plane, kernel) ** 2 + convolve(y_plane, kernel.T) ** 2)


C_MAX = hyab(hunt_lab(numpy.array([0., 1, 0])), hunt_lab(numpy.array([0., 0, 1]))) ** 0.7


def flip(before, after, ppd):
    labs, edges, points = [], [], []
    for picture in before, after:
        opponent = ycxcz(linear(picture / 255))
        seen = numpy.stack([convolve(opponent[..., c], csf(c, ppd)) for c in range(3)], -1)
        labs.append(hunt_lab(numpy.clip(rgb_of(seen), 0, 1)))
        luminance = (opponent[..., 0] + 16) / 116
        edges.append(features(luminance, ppd, 1))
        points.append(features(luminance, ppd, 2))
    distance = hyab(*labs) ** 0.7
    knee = 0.4 * C_MAX
    color = numpy.where(distance < knee, 0.95 / knee * distance, 0.95 + (distance - knee) / (C_MAX - knee) * 0.05)
    feature = numpy.sqrt(numpy.maximum(abs(edges[0] - edges[1]), abs(points[0] - points[1])) / math.sqrt(2))
    return color ** (1 - feature)


# --- pictures ---

def drawn(*shapes, back=(238, 238, 238)):
    image = Image.new("RGB", SIZE, back)
    for kind, place, color in shapes:
        getattr(ImageDraw.Draw(image), kind)(place, fill=color)
    return numpy.array(image)


def noise(seed, of=None, strength=255):
    random = numpy.random.default_rng(seed)
    if of is None:
        return random.integers(0, 256, (SIZE[1], SIZE[0], 3), dtype=numpy.uint8)
    return numpy.clip(of.astype(int) + random.integers(-strength, strength + 1, of.shape), 0, 255).astype(numpy.uint8)


BAR = drawn(("rectangle", (20, 8, 40, 48), (200, 40, 30)), ("ellipse", (45, 20, 65, 40), (20, 90, 200)))
PAIRS = {
    "edges shifted": (BAR, numpy.roll(BAR, 2, axis=1)),
    "one colour": (BAR, drawn(("rectangle", (20, 8, 40, 48), (40, 170, 60)), ("ellipse", (45, 20, 65, 40), (20, 90, 200)))),
    "green and blue": (drawn(back=(0, 255, 0)), drawn(back=(0, 0, 255))),
    "black and white": (drawn(back=(0, 0, 0)), drawn(back=(255, 255, 255))),
    "a point": (drawn(), drawn(("point", (30, 30), (0, 0, 0)))),
    "weak noise": (BAR, noise(1, BAR, 6)),
    "noise": (noise(2), noise(3)),
    "a turned line": (drawn(("line", (10, 10, 60, 12), (0, 0, 0))), drawn(("line", (10, 10, 60, 30), (0, 0, 0)))),
}


def png(path, pixels):
    Image.fromarray(pixels).save(path)
    return path


def ask(tmp_path, before, after, *more):
    done = subprocess.run([PROBE, png(tmp_path / "a.png", before), png(tmp_path / "b.png", after), *map(str, more)],
                          capture_output=True, check=True)
    width, height = struct.unpack_from("<II", done.stdout)
    values = numpy.frombuffer(done.stdout, "<f8", width * height, 8).reshape(height, width)
    return values, numpy.array(Image.open(io.BytesIO(done.stdout[8 + 8 * width * height:])).convert("RGB"))


@pytest.mark.parametrize("ppd", [67, 20])
@pytest.mark.parametrize("pair", PAIRS)
def test_differences_are_those_of_the_paper(tmp_path, pair, ppd):
    before, after = PAIRS[pair]
    values, _ = ask(tmp_path, before, after, ppd)
    expected = flip(before, after, ppd)
    assert expected.max() > 0.03 and numpy.abs(values - expected).max() < 1e-3
    back, _ = ask(tmp_path, after, before, ppd)
    assert numpy.allclose(values, back, atol=1e-12)  # the order of the two does not matter


def test_the_same_picture_differs_nowhere(tmp_path):
    for picture in BAR, noise(4):
        values, heat = ask(tmp_path, picture, picture)
        assert (values == 0).all() and (heat == (0, 0, 4)).all()


def test_greatest_difference_and_where_it_is(tmp_path):
    assert C_MAX == pytest.approx(41.28, abs=0.01)  # the paper says 41
    values, _ = ask(tmp_path, *PAIRS["green and blue"])
    assert values == pytest.approx(1, abs=1e-9)
    values, heat = ask(tmp_path, *PAIRS["one colour"])
    assert values[28, 30] > 0.3 and values[28, 60] < 1e-6 and values[2, 2] < 1e-6
    assert heat[2, 2].sum() < 10 and heat[28, 30].sum() > 150


def test_heat_is_magma(tmp_path):
    """Ten of its colours, with linear interpolation between them."""
    anchors = numpy.array([[int(color[i:i + 2], 16) for i in (0, 2, 4)] for color in
                           "000004 180f3e 451077 721f81 9f2f7f cd4071 f1605d fd9567 fec98d fcfdbf".split()])
    values, heat = ask(tmp_path, *PAIRS["noise"])
    assert values.min() < 0.3 and values.max() > 0.7
    for c in range(3):
        assert numpy.abs(numpy.interp(values, numpy.linspace(0, 1, 10), anchors[:, c]) - heat[..., c]).max() <= 0.51
    assert (ask(tmp_path, *PAIRS["green and blue"])[1] == anchors[9]).all()


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


@pytest.mark.parametrize("what", ["empty", "half", "huge", "no picture", "bad checksum"])
def test_pictures_that_cannot_be_read(tmp_path, what):
    good = png(tmp_path / "a.png", BAR)
    data = good.read_bytes()
    header = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 100000, 100000, 8, 2, 0, 0, 0))
    broken = {"empty": b"", "half": data[:len(data) // 2], "no picture": b"GIF89a" + bytes(64), "huge": header + chunk(b"IDAT", b"") + chunk(b"IEND", b""),
              "bad checksum": data[:40] + bytes([data[40] ^ 1]) + data[41:]}[what]
    (tmp_path / "b.png").write_bytes(broken)
    done = subprocess.run([PROBE, good, tmp_path / "b.png"], capture_output=True, text=True)
    assert done.returncode == 1 and "b.png: the picture" in done.stderr
    if what == "huge":
        assert "100000 x 100000 pixels; 2048 x 2048 are compared at most" in done.stderr
