"""Pairs of models with a single difference: the comparison finds it, and names the joint and the time if it is in a pose."""
import json
import urllib.parse

import pytest

import changed_pairs
import conftest
from posectl import posectl

DRAWS = False

NAMES = [pair.name for pair in changed_pairs.PAIRS]


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    root = tmp_path_factory.mktemp("pairs")
    for side in ("old", "new"):
        (root / side).mkdir()
    for pair in changed_pairs.PAIRS:
        for side, data in zip(("old", "new"), pair.files()):
            (root / side / f"{pair.name}.glb").write_bytes(data)
    return root


@pytest.fixture(scope="module")
def server(folders):
    running = conftest.Server(folders, "--log", "off", "--render-workers", "0")
    yield running
    running.end()


def compare(server, name):
    return server.json("/v1/compare", model=f"new/{name}.glb", **{"with": f"old/{name}.glb"})


def says(pair, difference):
    """Whether it is the difference of the pair: one of its kinds, with its names, at its time."""
    if difference["kind"] not in pair.kinds:
        return False
    if difference["kind"] == "pose" and "pose" == pair.kinds[0]:
        low, high = pair.between
        subject = difference["subject"]
        return (subject["clip"], subject["joint"]) == pair.named and low <= difference["time_s"] <= high
    return all(f'"{word}' in json.dumps(difference) for word in pair.named)


def test_there_are_enough_pairs_and_each_has_a_name():
    assert len(NAMES) >= 30 and len(set(NAMES)) == len(NAMES)


@pytest.mark.parametrize("pair", changed_pairs.PAIRS, ids=NAMES)
def test_the_difference_is_found_and_named(server, pair):
    answer = compare(server, pair.name)
    assert answer["equal"] is False
    assert any(says(pair, one) for one in answer["differences"]), json.dumps(answer["differences"], indent=1)


@pytest.mark.parametrize("pair", changed_pairs.PAIRS, ids=NAMES)
def test_the_difference_is_found_in_what_posed_converts(server, folders, pair):
    query = urllib.parse.urlencode({"model": f"new/{pair.name}.glb", "format": "glb", "compress": "meshopt"})
    answer = server.get("/v1/export?" + query)
    assert answer.status == 200, answer.body
    (folders / "new" / f"{pair.name}.converted.glb").write_bytes(answer.body)
    found = server.json("/v1/compare", model=f"new/{pair.name}.converted.glb", **{"with": f"old/{pair.name}.glb"})["differences"]
    (folders / "new" / f"{pair.name}.converted.glb").unlink()
    assert any(says(pair, one) for one in found), json.dumps(found, indent=1)


@pytest.mark.parametrize("pair", changed_pairs.PAIRS[:1] + changed_pairs.PAIRS[4:5] + changed_pairs.PAIRS[1:2], ids=lambda pair: pair.name)
def test_a_model_is_equal_to_itself(server, pair):
    answer = server.json("/v1/compare", model=f"old/{pair.name}.glb", **{"with": f"old/{pair.name}.glb"})
    assert answer["equal"] is True and answer["differences"] == []


def test_posectl_tells_all_of_them_apart(folders):
    """One run over both folders."""
    done = posectl("diff", folders / "old", folders / "new", "--json")
    assert done.status == 1, done.err
    found = {one["model"]: one for one in json.loads(done.out)["models"]}
    for pair in changed_pairs.PAIRS:
        one = found[f"{pair.name}.glb"]
        assert one["state"] == "different" and any(says(pair, difference) for difference in one["differences"]), pair.name


def test_posectl_names_the_joint_and_the_time(folders):
    name = "forearm_turned_8_degrees.glb"
    done = posectl("diff", folders / "old" / name, folders / "new" / name)
    assert done.status == 1 and "clip 'walk': joint 'forearm.L'" in done.out and "at 0.5 s" in done.out, done.out + done.err
    assert posectl("diff", folders / "old" / name, folders / "old" / name).status == 0
