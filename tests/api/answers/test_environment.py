"""GET /v1/environment: the light of pictures, for other programs."""
import pathlib
import struct
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "golden"))
import panorama  # noqa: E402

DRAWS = False


@pytest.fixture
def folder(start, tmp_path):
    pixels = panorama.uniform(0.5)
    pixels[:, 40:56, 0] = 4  # red around +z, which is behind the camera
    (tmp_path / "red.hdr").write_bytes(panorama.packed(pixels))
    server = start(root=tmp_path)
    server.folder = tmp_path
    return server


def test_light_flat_is_one_all_around(folder):
    answer = folder.json("/v1/environment", light="flat")
    assert answer["light"] == "flat" and answer["environment"] is None and answer["hash"] is None
    assert answer["harmonics"][0] == pytest.approx([1, 1, 1], abs=1e-4)
    assert sum(answer["harmonics"][1:], []) == pytest.approx([0] * 24, abs=1e-4)


def test_a_file_and_its_turn(folder):
    ahead = folder.json("/v1/environment", environment="red.hdr")
    turned = folder.json("/v1/environment", environment="red.hdr", environment_yaw=90)
    assert (ahead["light"], ahead["environment"], ahead["width"], ahead["height"]) == ("file", "red.hdr", 64, 32)
    assert ahead["hash"] == turned["hash"] and len(ahead["hash"]) == 64
    z, x = ahead["harmonics"][2], ahead["harmonics"][3]
    assert z[0] > 0.5 and abs(x[0]) < 0.02 and z[1] == pytest.approx(0, abs=0.01)
    assert turned["harmonics"][3][0] == pytest.approx(z[0], abs=0.01)  # anticlockwise from above: +z comes to +x


def test_the_file_comes_back(folder):
    answer = folder.get("/v1/environment?environment=red.hdr&format=hdr")
    assert answer.headers["content-type"] == "image/vnd.radiance"
    before, after = panorama.unpacked((folder.folder / "red.hdr").read_bytes()), panorama.unpacked(answer.body)
    assert before.shape == after.shape and abs(before - after).max() <= 4 / 128


def test_a_picture_lit_by_the_studio_as_a_file_is_that_of_the_studio(folder):
    (folder.folder / "studio.hdr").write_bytes(folder.get("/v1/environment?format=hdr").body)
    formula = folder.json("/v1/environment")["harmonics"]
    for one, other in zip(formula, folder.json("/v1/environment", environment="studio.hdr")["harmonics"], strict=True):
        assert one == pytest.approx(other, abs=0.01)


def test_frames(folder):
    answer = folder.get("/v1/environment?environment=red.hdr", "Accept: application/vnd.posed.frames")
    kind, = struct.unpack_from("<H", answer.body, 12)
    count, = struct.unpack_from("<I", answer.body, 20)
    assert kind == 5 and count > 4 and answer.headers["vary"].startswith("Accept")
    hash_bytes = folder.json("/v1/environment", environment="red.hdr")["hash"]
    assert answer.body[64:96].hex() == hash_bytes
    offset, = struct.unpack_from("<Q", answer.body, 96 + 24)
    colors = struct.unpack_from("<27f", answer.body, offset)
    assert colors == pytest.approx(sum(folder.json("/v1/environment", environment="red.hdr")["harmonics"], []), abs=1e-6)
    offset, = struct.unpack_from("<Q", answer.body, 96 + 32 + 24)
    texels = struct.unpack_from(f"<{4 * 128 * 128}e", answer.body, offset)
    middle = 4 * (64 * 128 + 64)  # of the octahedron: +z
    assert texels[middle] == pytest.approx(4, rel=0.02) and texels[middle + 1] == pytest.approx(0.5, rel=0.02)


def test_it_is_cached_as_its_file_is(folder):
    first = folder.get("/v1/environment?environment=red.hdr")
    tag = f"If-None-Match: {first.headers['etag']}"
    assert folder.get("/v1/environment?environment=red.hdr", tag).status == 304
    formula = folder.get("/v1/environment").headers["etag"]
    assert folder.get("/v1/environment", f"If-None-Match: {formula}").status == 304
    (folder.folder / "red.hdr").write_bytes(panorama.packed(panorama.uniform()))
    assert folder.get("/v1/environment?environment=red.hdr", tag).status == 200


@pytest.mark.parametrize("query, status, code", [
    ("light=sun", 400, "bad_parameter"),
    ("light=file", 400, "bad_parameter"),
    ("format=png", 400, "bad_parameter"),
    ("model=red.hdr", 400, "unknown_parameter"),
    ("environment=no.hdr", 404, "model_not_found"),
    ("environment=a.glb", 415, "unknown_format"),
    ("environment=../a.hdr", 400, "bad_path"),
])
def test_refusals(folder, query, status, code):
    answer = folder.get("/v1/environment?" + query)
    assert (answer.status, answer.error()) == (status, code)


def test_post_is_not_taken(folder):
    assert folder.get("/v1/environment", "Content-Length: 0", method="POST").status == 405
