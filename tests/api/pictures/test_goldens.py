"""The golden pictures: every view and preset of the project's own models equals the picture that somebody has checked."""
import pathlib
import sys

import pytest

import stored_answers
from conftest import REPOSITORY, SAMPLES, Server

sys.path.insert(0, str(REPOSITORY / "tests" / "golden"))
import goldens  # noqa: E402


@pytest.fixture(scope="module")
def gallery(tmp_path_factory):
    """A server with all models of the golden pictures."""
    root = tmp_path_factory.mktemp("golden")
    goldens.fill_root(root, SAMPLES)
    running = Server(root)
    yield running
    running.end()


@pytest.mark.parametrize("name, target", goldens.pictures())
def test_picture(gallery, name, target):
    answer = gallery.get("/v1/" + target)
    assert answer.status == 200, answer.body
    why = goldens.compare(name, answer.body)
    assert why is None, f"{why}; see tests/golden/index.html, or `make goldens` if that is meant"
    if gallery.json("/v1/version")["renderer"] == stored_answers.load()["renderer"]:  # its entity tags stand for these bytes
        expected = (goldens.HERE / "expected" / f"{name}.png").read_bytes()
        assert answer.body == expected, f"other bytes, though nobody sees it: increment ANSWER_VERSION in {stored_answers.HEADER}, then make goldens answers"


def test_page_shows_what_is_compared():
    assert (goldens.HERE / "index.html").read_text() == goldens.page()


def test_there_is_no_picture_too_many():
    names = {name for name, _ in goldens.pictures()}
    assert {path.stem for path in (goldens.HERE / "expected").iterdir()} == names


def test_difference_is_seen():
    """A picture that was rotated or cut, or has a patch of another colour differs."""
    path = sorted((goldens.HERE / "expected").iterdir())[0]
    picture = goldens.rgba(pathlib.Path(path).read_bytes())
    patched = picture.copy()
    patched[100:120, 100:120] = [255, 0, 255, 255]
    assert goldens.judge(picture, picture) is None
    assert goldens.judge(picture, picture[::-1]) is not None
    assert goldens.judge(picture, picture[1:]) is not None
    assert goldens.judge(picture, patched) is not None
