"""What is seen is compared, and not how it is stored: pairs that look the same are equal, and those that nearly do are told."""
import json

import pytest

import conftest
import seen_pairs

DRAWS = False

NAMES = [pair.name for pair in seen_pairs.PAIRS]


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    root = tmp_path_factory.mktemp("seen")
    for pair in seen_pairs.PAIRS:
        for side, data in zip(("old", "new"), pair.files()):
            (root / f"{pair.name}.{side}.glb").write_bytes(data)
    running = conftest.Server(root, "--log", "off", "--render-workers", "0")
    yield running
    running.end()


def compare(server, name, new="new", old="old"):
    return server.json("/v1/compare", model=f"{name}.{new}.glb", **{"with": f"{name}.{old}.glb"})


@pytest.mark.parametrize("pair", seen_pairs.PAIRS, ids=NAMES)
def test_pairs(server, pair):
    answer = compare(server, pair.name)
    told = [(one["kind"], one["message"]) for one in answer["differences"]]
    assert len(told) == len(pair.expected) and all(
        kind == wanted and all(word in message for word in words)
        for (kind, message), (wanted, *words) in zip(told, pair.expected)), json.dumps(answer, indent=1)
    assert answer["equal"] == (not pair.expected)


# a name that is lost is told, and a new one is not; a rest pose that is lost likewise
ONE_WAY = ("nodes_without_names", "leg_rests_in_its_first_pose")
TWO_WAYS = [pair for pair in seen_pairs.PAIRS if not pair.expected and pair.name not in ONE_WAY]


@pytest.mark.parametrize("pair", TWO_WAYS, ids=lambda p: p.name)
def test_it_is_equal_the_other_way_round(server, pair):
    answer = compare(server, pair.name, "old", "new")
    assert answer["equal"], json.dumps(answer, indent=1)


def test_another_bind_pose_is_a_note(server):
    """One line, whatever the number of joints."""
    answer = compare(server, "bound_in_another_pose")
    assert [note["kind"] for note in answer["notes"]] == ["bind_pose"] and "joints" in answer["notes"][0]["message"]
    assert compare(server, "transform_in_node")["notes"] == []


@pytest.mark.parametrize("name, by", [("clip_slower", "phase"), ("clip_later", "phase"), ("clip_ends_sooner", "time"), ("clip_without_a_prefix", "time")])
def test_it_says_how_poses_were_compared(server, name, by):
    answer = compare(server, name)
    assert [clip["compared"] for clip in answer["clips"] if clip["name"].endswith("walk")] == [by]


def test_a_target_has_the_moment_that_shows_it(server):
    """The clip in which its weight is greatest, for pictures: at rest it is not seen."""
    told, = compare(server, "target_bumps")["differences"]
    assert (told["subject"]["clip"], told["time_s"]) == ("grow", 1) and "up to 0.6 units" in told["message"], told
