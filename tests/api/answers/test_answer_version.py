"""ANSWER_VERSION stands for the bytes of answers in entity tags. It is incremented when these bytes change."""
import copy
import os

import pytest

import stored_answers
from conftest import SAMPLES, Server
from stored_answers import complaint, refusal

KINDS = {"bits", "library", "example", "picture", "query"}


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    if os.environ.get("POSED_SERVER"):
        pytest.skip("needs a server of its own")
    if not SAMPLES.is_dir():
        pytest.skip("no sample models")
    root = tmp_path_factory.mktemp("answers")
    stored_answers.fill_root(root)
    server = Server(root)
    made = stored_answers.find(server)
    server.end()
    return made


def test_a_change_of_bytes_raises_the_number(found):
    assert complaint(stored_answers.load(), *found) is None


def test_every_kind_is_there(found):
    hashes = found[0]["hashes"]
    assert {key.split()[0] for key in hashes} == KINDS and len(hashes) > 250
    assert {key.split()[2] for key in hashes if key.startswith("query")} == {
        "palette", "pose", "keys", "mesh", "render", "keypoints", "sheet", "turntable", "bounds", "model", "query", "export", "hitboxes", "compare", "check", "flex",
        "texture", "environment"}


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_other_bytes_are_noticed(found, kind):
    """If stored bytes change and the number does not, this test fails, and so does the program that writes the hashes."""
    now, drawn = found
    before = copy.deepcopy(now)
    key = [key for key in now["hashes"] if key.startswith(kind) and key not in drawn][-1]
    before["hashes"][key] = "another"
    assert key in complaint(before, now, drawn) and "increment ANSWER_VERSION" in complaint(before, now, drawn)
    assert key in refusal(before, now, drawn)
    raised = {**now, "answer_version": now["answer_version"] + 1}
    assert "make answers" in complaint(before, raised, drawn) and refusal(before, raised, drawn) is None
    assert complaint(raised, raised, drawn) is None
    assert refusal(raised, now, drawn) == f"ANSWER_VERSION {now['answer_version']} has stood for other bytes: it only rises"


def test_what_another_renderer_draws_is_no_change(found):
    now, drawn = found
    before = copy.deepcopy(now)
    for key in drawn:
        before["hashes"][key] = "another"
    assert set(stored_answers.changed(before, now, drawn)) == drawn != set()
    before["renderer"] = "another"
    assert complaint(before, now, drawn) is None and refusal(before, now, drawn) is None


def test_another_question_is_no_change(found):
    now, drawn = found
    before = copy.deepcopy(now)
    del before["hashes"][next(iter(now["hashes"]))]
    assert "other answers" in complaint(before, now, drawn) and refusal(before, now, drawn) is None
