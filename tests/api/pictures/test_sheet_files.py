"""A sheet of the clips of several files: clip_file= of /v1/sheet repeats."""
import io
import json

import numpy
import pytest
from PIL import Image

from humans import A, T, Human
from posectl import posectl

pytestmark = pytest.mark.short
FILES = ["anims/tall.gltf", "anims/short.gltf"]
BOX = "100,-150,-50,500,400,250"
SIZE = "width=96&height=96"


def png(data):
    return numpy.asarray(Image.open(io.BytesIO(data)).convert("RGBA"))


@pytest.fixture
def root(tmp_path):
    (tmp_path / "anims").mkdir()
    (tmp_path / "anims/tall.gltf").write_text(Human(T).write(has_walk=True))
    short = json.loads(Human({**T, "thigh": 0.3, "shin": 0.35}).write(has_walk=True))
    short["animations"].append({**short["animations"][0], "name": "short"})
    (tmp_path / "anims/short.gltf").write_text(json.dumps(short))
    (tmp_path / "anims/still.gltf").write_text(Human(T).write())
    (tmp_path / "hero.gltf").write_text(Human(A).write())
    return tmp_path


def sheet(server, files=FILES, **more):
    return server.get("/v1/sheet?model=hero.gltf&retarget=rest&" + "&".join(
        [SIZE] + [f"clip_file={file}" for file in files] + [f"{key}={value}" for key, value in more.items()]))


def test_cells_are_the_pictures_of_their_files(start, root):
    server = start(root=root)
    query = {"clips": "all", "frames": 3, "frame_box": BOX}
    manifest = sheet(server, **query, format="json").json()
    assert [(clip["index"], clip["name"], clip["clip_file"]) for clip in manifest["clips"]] == [
        (0, "walk", FILES[0]), (0, "walk", FILES[1]), (1, "short", FILES[1])]
    told = [(cell["row"], cell["column"], cell["clip"], cell["clip_file"]) for cell in manifest["cells"]]
    assert told == [(row, column, clip, file) for row, (clip, file) in enumerate([(0, FILES[0]), (0, FILES[1]), (1, FILES[1])]) for column in range(3)]
    answer = sheet(server, **query)
    whole = png(answer.body)
    assert answer.status == 200 and "x-posed-unmatched" in answer.headers
    seen = set()
    for cell in manifest["cells"]:
        one = server.get(f"/v1/render?model=hero.gltf&retarget=rest&{SIZE}&clip_file={cell['clip_file']}&clip={cell['clip']}"
                         f"&t={cell['time']}&frame_box={BOX}")
        x, y = cell["x"], cell["y"]
        assert (whole[y:y + 96, x:x + 96] == png(one.body)).all(), cell
        seen.add(one.body)
    assert len(seen) == 6, "both clips of the second file are alike"
    assert sheet(server, FILES[::-1], **query).body != answer.body


def test_captions_name_file_and_clip(start, root):
    server = start(root=root)
    query = {"clips": "all", "t": "0", "captions": 1, "frame_box": BOX}
    manifest = sheet(server, **query, format="json").json()
    whole = png(sheet(server, **query).body)
    one = png(sheet(server, FILES[1:], **query).body)
    height = manifest["caption_height"]
    words = [whole[cell["y"] + 96:cell["y"] + 96 + height, cell["x"]:cell["x"] + 96] for cell in manifest["cells"]]
    assert (words[0] != words[1]).any() and (words[1] != words[2]).any()
    alone = one[96:96 + height]
    assert (words[1] != alone[:, :96]).any(), "of one file the clip's name says enough"
    assert (words[2] == alone[:, 96:192]).all(), "a clip that is called as its file is named once"


def test_what_is_refused(start, root):
    server = start(root=root)
    for files, more, code, words in (
            (FILES, {}, "bad_parameter", ["2 files", "clips=all"]),
            (FILES, {"clips": "all", "clip_hash": "0" * 64}, "bad_parameter", ["clip_hash"]),
            ([*FILES, "anims/still.gltf"], {"clips": "all"}, "clip_not_found", ["anims/still.gltf"]),
            ([*FILES, "anims/none.gltf"], {"clips": "all"}, "model_not_found", ["anims/none.gltf"]),
            ([f"{i}.gltf" for i in range(17)], {"clips": "all"}, "bad_parameter", ["clip_file", "16"]),
            (FILES, {"clips": "all", "frames": 1024}, "too_many_frames", []),
            (FILES, {"clips": "all", "retarget": "names"}, "duplicate_parameter", [])):
        answer = sheet(server, files, **more)
        assert answer.error() == code and all(word in answer.json()["error"]["message"] for word in words), answer.body
    answer = server.get("/v1/sheet?model=hero.gltf&clips=all&" + "&".join(f"clip_file={file}" for file in FILES))
    assert answer.error() == "clip_no_match" and "'tall'" in answer.json()["error"]["message"], answer.body
    assert server.get("/v1/render?model=hero.gltf&retarget=rest&" + "&".join(f"clip_file={file}" for file in FILES)).error() == "duplicate_parameter"
    assert sheet(server, [FILES[0], FILES[0]]).body == sheet(server, FILES[:1]).body


def test_posectl(root):
    done = posectl("sheet", "hero.gltf", "--clip-file", FILES[0], "--clip-file", FILES[1], "--clips", "all", "--retarget", "rest",
                   "--frames", "2", "--width", "64", "--height", "64", "-o", "moves.png", cwd=root)
    assert done.status == 0, done.err
    assert png((root / "moves.png").read_bytes()).shape[:2] == (192, 128)


def test_a_frame_that_no_clip_has_is_named(start, root):
    server = start(root=root)
    for path in ("render", "sheet", "turntable"):
        refused = server.get(f"/v1/{path}?model=hero.gltf&retarget=rest&{SIZE}&clip_file={FILES[0]}&clip_rest=frame:1000000")
        assert (refused.status, refused.error()) == (400, "bad_parameter") and "frames" in refused.json()["error"]["message"], path
