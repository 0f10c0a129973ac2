"""/v1/render: a PNG of the requested size, alpha, angles, and models in every state."""
import os
import signal
import struct
import zlib

import pytest

from contract_model import Document, awkward as awkward_text
from server_state import workers
from small_models import gltf

P = "model=awkward.gltf"


class Picture:
    """An 8-bit RGB or RGBA PNG, after the specification (ISO/IEC 15948)."""

    def __init__(self, data):
        assert data[:8] == b"\x89PNG\r\n\x1a\n"
        at, packed = 8, b""
        while at < len(data):
            size, kind = struct.unpack_from(">I4s", data, at)
            body = data[at + 8:at + 8 + size]
            assert struct.unpack_from(">I", data, at + 8 + size)[0] == zlib.crc32(kind + body)
            if kind == b"IHDR":
                self.width, self.height, depth, color, _, _, interlace = struct.unpack(">2I5B", body)
                assert depth == 8 and color in (2, 6) and interlace == 0
            packed += body if kind == b"IDAT" else b""
            at += 12 + size
        assert kind == b"IEND"
        self.channels = 3 if color == 2 else 4
        self.rows = self._unfilter(zlib.decompress(packed))

    def _unfilter(self, raw):
        n, stride, rows = self.channels, self.width * self.channels, []
        above = bytearray(stride)
        assert len(raw) == self.height * (stride + 1)
        for y in range(self.height):
            kind, line = raw[y * (stride + 1)], bytearray(raw[y * (stride + 1) + 1:(y + 1) * (stride + 1)])
            for i in range(stride):
                left, up, corner = (line[i - n] if i >= n else 0), above[i], (above[i - n] if i >= n else 0)
                if kind == 4:
                    guess = min((abs(up - corner), 0, left), (abs(left - corner), 1, up),
                                (abs(left + up - 2 * corner), 2, corner))[2]
                else:
                    guess = [0, left, up, (left + up) // 2][kind]
                line[i] = (line[i] + guess) & 255
            rows.append(line)
            above = line
        return rows

    def pixel(self, x, y):
        color = tuple(self.rows[y][x * self.channels:(x + 1) * self.channels])
        return color if len(color) == 4 else (*color, 255)

    def drawn(self, background=(0, 0, 0, 0)):
        """The box around the pixels that differ from the background: x from, x to, y from, y to."""
        hits = [(x, y) for y in range(self.height) for x in range(self.width) if self.pixel(x, y) != background]
        return (min(x for x, _ in hits), max(x for x, _ in hits), min(y for _, y in hits), max(y for _, y in hits))


def picture(server, query):
    answer = server.get("/v1/render?" + query)
    assert answer.status == 200, answer.body
    assert answer.headers["content-type"] == "image/png"
    return Picture(answer.body)


def flag(quads):
    """Upright unlit squares: (x, y, z, side, colour)."""
    document = Document()
    root = document.root
    root.update(scene=0, scenes=[{"nodes": list(range(len(quads)))}], nodes=[], meshes=[], materials=[],
                extensionsUsed=["KHR_materials_unlit"])
    for i, (x, y, z, side, color) in enumerate(quads):
        points = [0, 0, 0, side, 0, 0, side, side, 0, 0, 0, 0, side, side, 0, 0, side, 0]
        root["materials"].append({"doubleSided": True, "pbrMetallicRoughness": {"baseColorFactor": [*color, 1]},
                                  "extensions": {"KHR_materials_unlit": {}}})
        position = document.accessor("VEC3", points, bounds=True)
        root["meshes"].append({"primitives": [{"attributes": {"POSITION": position}, "material": i}]})
        root["nodes"].append({"mesh": i, "translation": [x, y, z]})
    return document.text()


@pytest.fixture(scope="module")
def pictures(awkward, tmp_path_factory):
    """The root of the awkward server is its first argument; the flags are beside the model."""
    folder = awkward.process.args[awkward.process.args.index("--root") + 1]
    red, green, blue = (1, 0, 0), (0, 1, 0), (0, 0, 1)
    (folder / "flag.gltf").write_text(flag([(0, 0, 0, 1, red), (1, 0, 0, 1, green), (0, 1, 0, 1, blue), (1, 1, 0, 1, blue)]))
    (folder / "deep.gltf").write_text(flag([(0, 0, 1, 1, red), (0, 0, -1, 1, green)]))
    yield awkward
    (folder / "flag.gltf").unlink()
    (folder / "deep.gltf").unlink()


@pytest.mark.short
@pytest.mark.parametrize("query, size", [("", (256, 256)), ("&width=64", (64, 256)), ("&height=1", (256, 1)),
                                         ("&width=1&height=1", (1, 1)), ("&width=33&height=47", (33, 47)),
                                         ("&width=4096&height=2", (4096, 2))])
def test_size(pictures, query, size):
    found = picture(pictures, "model=flag.gltf" + query)
    assert (found.width, found.height) == size


@pytest.mark.short
def test_small_pictures_of_sound_models(awkward):
    """A thin model may be between the samples of a tiny picture. That is an error, unless the request accepts an empty picture."""
    for query in ("width=1&height=1", "width=256&height=1", "width=8", "height=15"):
        picture(awkward, f"{P}&{query}&allow_empty=1")
        answer = awkward.get(f"/v1/render?{P}&{query}")
        assert answer.status == 200 or (answer.error() == "nothing_to_draw" and "smaller than a pixel" in answer.body.decode())


@pytest.mark.short
def test_up_left_and_margins(pictures):
    """Seen from +Z with +Y up: red is below left, green below right, blue above. Everything is inside and centred."""
    found = picture(pictures, "model=flag.gltf&width=64&height=64")
    x0, x1, y0, y1 = found.drawn()
    assert 0 < x0 < 16 and 48 < x1 < 63 and 0 < y0 < 16 and 48 < y1 < 63
    assert abs((63 - x1) - x0) <= 1 and abs((63 - y1) - y0) <= 1
    assert found.pixel(24, 40) == (255, 0, 0, 255) and found.pixel(40, 40) == (0, 255, 0, 255)
    assert found.pixel(24, 24) == found.pixel(40, 24) == (0, 0, 255, 255)
    wide = picture(pictures, "model=flag.gltf&width=128&height=32").drawn()
    assert 56 - 32 < wide[0] < 64 < wide[1] < 104 and wide[3] - wide[2] > 20


@pytest.mark.short
def test_yaw_and_pitch(pictures):
    """Anticlockwise seen from above: at 90 the camera is at +X, and +Z is on the left."""
    behind = picture(pictures, "model=flag.gltf&width=64&height=64&yaw=180")
    assert behind.pixel(24, 40) == (0, 255, 0, 255) and behind.pixel(40, 40) == (255, 0, 0, 255)
    turned = picture(pictures, "model=deep.gltf&width=64&height=64&yaw=60")
    columns = {color: [x for x in range(64) for y in range(64) if turned.pixel(x, y) == (*color, 255)]
               for color in ((255, 0, 0), (0, 255, 0))}
    left, right = (sum(one) / len(one) for one in columns.values())
    assert left < right, "at yaw 60, what is in front lies left"
    above = picture(pictures, "model=deep.gltf&width=64&height=64&pitch=60")
    rows = {color: [y for x in range(64) for y in range(64) if above.pixel(x, y) == (*color, 255)]
            for color in ((255, 0, 0), (0, 255, 0))}
    assert sum(rows[255, 0, 0]) / len(rows[255, 0, 0]) > sum(rows[0, 255, 0]) / len(rows[0, 255, 0]), "front is below"
    for query in ("pitch=90", "pitch=-90", "yaw=-720.5", "yaw=1e300"):
        assert picture(pictures, f"model=deep.gltf&width=16&height=16&{query}").width == 16
    a, b = (pictures.get(f"/v1/render?model=flag.gltf&width=16&height=16&yaw={yaw}").body for yaw in (30, 390))
    assert a == b


@pytest.mark.short
@pytest.mark.parametrize("background, pixel, channels", [
    ("transparent", (0, 0, 0, 0), 4), ("ff8000", (255, 128, 0, 255), 3), ("10203040", (16, 32, 48, 64), 4),
    ("FF8000FF", (255, 128, 0, 255), 3),
])
def test_background(pictures, background, pixel, channels):
    found = picture(pictures, f"model=flag.gltf&width=32&height=32&background={background}")
    assert found.pixel(0, 0) == pixel and found.pixel(31, 31) == pixel and found.channels == channels
    assert found.pixel(12, 20) == (255, 0, 0, 255)


@pytest.mark.short
def test_edges_keep_their_colour(pictures):
    """Straight alpha: the transparent black behind them does not darken half covered pixels."""
    found = picture(pictures, "model=flag.gltf&width=63&height=63&yaw=20&pitch=10")
    for row in range(found.height):
        for x in range(found.width):
            r, g, b, a = found.pixel(x, row)
            assert a == 0 or 245 <= r + g + b <= 265, (x, row, r, g, b, a)


@pytest.mark.short
@pytest.mark.parametrize("query", ["t=0,1", "t=0&t=1", "t=0:1:1"])
def test_a_picture_shows_one_time(awkward, query):
    answer = awkward.get(f"/v1/render?{P}&{query}")
    assert (answer.status, answer.error()) == (400, "bad_parameter")
    assert "'t'" in answer.json()["error"]["message"] and "one" in answer.json()["error"]["message"]
    assert awkward.get(f"/v1/render?{P}&t=1:1:30&width=64").status == 200


@pytest.mark.short
def test_time_and_wrap_reach_the_picture(awkward):
    def body(query):
        return awkward.get(f"/v1/render?{P}&width=32&height=32&frame=pose&{query}").body

    assert body("t=0") == body("t=2") != body("t=2&wrap=clamp") == body("t=7&wrap=clamp")
    assert body("clip=-") == body("clip=-&t=5") and body("t=1.5") == body("t=2.5&wrap=mirror")


def test_models_of_every_state(start, tmp_path):
    """Never requested, changed, broken, empty, only a skeleton, nothing at all."""
    (tmp_path / "new.gltf").write_text(gltf())
    (tmp_path / "bad.gltf").write_text("{")
    (tmp_path / "empty.glb").touch()
    (tmp_path / "bones.gltf").write_text(
        '{"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[0]}],"nodes":[{"children":[1]},{"translation":[0,1,0]}]}')
    (tmp_path / "nothing.gltf").write_text('{"asset":{"version":"2.0"}}')
    (tmp_path / "awkward.gltf").write_text(awkward_text())
    server = start(root=tmp_path)
    small = "&width=32&height=32"
    assert picture(server, "model=new.gltf" + small).drawn()
    (tmp_path / "new.gltf").write_text(gltf(x=9))
    assert picture(server, "model=new.gltf" + small).drawn()
    assert picture(server, "model=bones.gltf" + small).drawn()
    for name, status, code in [("bad.gltf", 422, "bad_model"), ("empty.glb", 415, "empty_file"),
                               ("nothing.gltf", 422, "nothing_to_draw"), ("none.glb", 404, "model_not_found")]:
        answer = server.get(f"/v1/render?model={name}{small}")
        assert (answer.status, answer.error()) == (status, code) and name in answer.json()["error"]["message"]
    answer = server.get(f"/v1/render?model=awkward.gltf&clip=overflow&t=0.9{small}")
    assert (answer.status, answer.error()) == (422, "not_finite")
    assert picture(server, "model=awkward.gltf" + small).drawn(), "the renderer lives on"


def test_palettes_do_not_wait_for_pictures(awkward):
    stopped = workers(awkward)
    with awkward.connect() as slow, awkward.connect() as quick:
        for pid in stopped:
            os.kill(pid, signal.SIGSTOP)
        try:
            for i in range(8):
                slow.send(f"GET /v1/render?{P}&width=1500&height=1500&yaw={i} HTTP/1.1\r\nHost: localhost\r\n\r\n")
            for _ in range(50):
                assert quick.get(f"/v1/palette?{P}").status == 200
        finally:
            for pid in stopped:
                os.kill(pid, signal.SIGCONT)
        assert all(slow.answer().status == 200 for _ in range(8))
