"""environment=: pictures in the light of a Radiance file."""
import io
import pathlib
import sys

import numpy
import pytest
from PIL import Image

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "golden"))
import material_models  # noqa: E402
import panorama  # noqa: E402

SIZE = 96
WHITE = {"pbrMetallicRoughness": {"baseColorFactor": [0.6, 0.6, 0.6, 1], "metallicFactor": 0, "roughnessFactor": 1}}


def axes():
    """Red light from the right of the camera, green from above, blue from behind it, and a little from everywhere."""
    d = panorama.directions(64, 32)
    return 0.02 + numpy.where(d > 0.8, 3.0, 0.0)


def ball(material):
    file = material_models.File()
    file.place(file.shape(*material_models.ball()), material, (2, -1, 3), size=0.7, turn_y=0.4)
    return file.text()


@pytest.fixture
def scene(start, tmp_path):
    (tmp_path / "ball.gltf").write_text(ball(WHITE))
    (tmp_path / "sky").mkdir()
    (tmp_path / "sky" / "axes.hdr").write_bytes(panorama.packed(axes()))
    server = start(root=tmp_path)
    server.folder = tmp_path
    return server


def ask(server, query, *headers, environment="sky/axes.hdr"):
    return server.get(f"/v1/render?model=ball.gltf&width={SIZE}&height={SIZE}&environment={environment}&{query}", *headers)


def pixels(answer):
    assert answer.status == 200, answer.body
    return numpy.asarray(Image.open(io.BytesIO(answer.body)).convert("RGBA")).astype(int)


def lit_sides(answer):
    """Colours of the ball at its right, its top, its left and its centre."""
    picture, far = pixels(answer), int(SIZE * 0.36)
    return [picture[SIZE // 2 + y * far, SIZE // 2 + x * far, :3] for x, y in ((1, 0), (0, -1), (-1, 0), (0, 0))]


def error(answer):
    return answer.status, answer.json()["error"]["code"], answer.json()["error"]["message"]


@pytest.mark.parametrize("camera", ["yaw=0", "yaw=130&pitch=40"])
def test_an_environment_hangs_at_the_camera(scene, camera):
    right, top, left, middle = lit_sides(ask(scene, camera))
    assert right.argmax() == 0 and top.argmax() == 1 and middle.argmax() == 2
    assert left[0] < right[0] / 2


def test_an_environment_turns_anticlockwise(scene):
    right, top, _, middle = lit_sides(ask(scene, "yaw=0&environment_yaw=90"))
    assert right.argmax() == 2 and top.argmax() == 1 and middle.max() < right.max()
    assert ask(scene, "yaw=0&environment_yaw=450").body == ask(scene, "yaw=0&environment_yaw=90").body


def test_even_white_light_is_light_flat(scene):
    (scene.folder / "white.hdr").write_bytes(panorama.packed(panorama.uniform()))
    flat = scene.get(f"/v1/render?model=ball.gltf&width={SIZE}&height={SIZE}&light=flat")
    assert abs(pixels(ask(scene, "", environment="white.hdr")) - pixels(flat)).max() <= 1


def test_sheets_and_turntables_have_it(scene):
    plain = scene.get("/v1/turntable?model=ball.gltf&frames=2&width=64&height=64&format=png")
    lit = scene.get("/v1/turntable?model=ball.gltf&frames=2&width=64&height=64&format=png&environment=sky/axes.hdr")
    sheet = scene.get("/v1/sheet?model=ball.gltf&frames=1&directions=2&width=64&height=64&environment=sky/axes.hdr")
    assert abs(pixels(plain) - pixels(lit)).max() > 40
    assert sheet.status == 200, sheet.body


def test_a_changed_file_changes_the_picture(scene):
    first = ask(scene, "")
    tag = f"If-None-Match: {first.headers['etag']}"
    assert ask(scene, "", tag).status == 304
    (scene.folder / "sky" / "axes.hdr").write_bytes(panorama.packed(axes()[..., ::-1]))
    second = ask(scene, "", tag)
    assert second.status == 200 and second.headers["etag"] != first.headers["etag"]
    assert abs(pixels(second) - pixels(first)).max() > 40
    (scene.folder / "sky" / "axes.hdr").unlink()
    status, code, message = error(ask(scene, "", tag))
    assert (status, code) == (404, "model_not_found") and "sky/axes.hdr" in message


def test_two_environments_of_one_model_are_two_pictures(scene):
    (scene.folder / "b.hdr").write_bytes(panorama.packed(axes()[..., ::-1]))
    one, other, again = ask(scene, ""), ask(scene, "", environment="b.hdr"), ask(scene, "")
    assert one.body == again.body != other.body
    assert one.headers["etag"] != other.headers["etag"]


def test_an_answer_with_a_hash_of_the_model_alone_may_change(scene):
    model = scene.json("/v1/model", model="ball.gltf")["hash"]
    assert "immutable" not in ask(scene, f"hash={model}").headers["cache-control"]


def test_an_environment_is_no_model(scene):
    assert [one["model"] for one in scene.json("/v1/models")["models"]] == ["ball.gltf"]
    for target in ("model?model=sky/axes.hdr", "pose?model=sky/axes.hdr", "render?model=sky/axes.hdr", "pose?model=ball.gltf&clip_file=sky/axes.hdr"):
        status, code, message = error(scene.get("/v1/" + target))
        assert (status, code) == (415, "unknown_format") and "sky/axes.hdr" in message and "environment" in message
    status, code, message = error(ask(scene, "", environment="ball.gltf"))
    assert (status, code) == (415, "unknown_format") and "'ball.gltf', which is no environment" in message


HEAD = b"#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n"


@pytest.mark.parametrize("data, code, words", [
    (b"\x89PNG\r\n\x1a\n", "not_a_model", "no Radiance picture"),
    (b"", "empty_file", "empty"),
    (b"version https://git-lfs.github.com/spec/v1\n", "lfs_pointer", "Git LFS"),
    (HEAD.replace(b"rgbe", b"xyze") + b"-Y 1 +X 1\n....", "not_a_model", "byte 11"),
    (HEAD + b"-Y 1 +X 9\n....", "bad_model", "ends early, at byte 49"),
    (HEAD + b"-Y 99999 +X 99999\n....", "model_limit", "99999 x 99999"),
])
def test_faults_name_the_file_and_the_place(scene, data, code, words):
    (scene.folder / "odd.hdr").write_bytes(data)
    status, said, message = error(ask(scene, "", environment="odd.hdr"))
    assert said == code and status in (415, 422)
    assert "odd.hdr" in message and words in message


def test_light_beyond_numbers_is_bounded(scene):
    (scene.folder / "sun.hdr").write_bytes(HEAD + b"-Y 1 +X 2\n\xff\xff\xff\xff\x00\x00\x00\x00")
    assert pixels(ask(scene, "tone=none", environment="sun.hdr"))[..., :3].max() == 255


def test_a_model_stays_as_it_is_where_only_the_light_is_broken(scene):
    (scene.folder / "odd.hdr").write_bytes(b"#?RADIANCE\n")
    assert ask(scene, "", environment="odd.hdr").status == 422
    assert scene.get("/v1/render?model=ball.gltf&width=32&height=32").status == 200
