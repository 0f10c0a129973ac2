"""t and wrap: the times of an answer, and the resulting times in the clip."""
import math

import pytest

from contract_model import ARM, TIMES_OF_BEND, bend, is_near

pytestmark = pytest.mark.short


def frames(server, query):
    answer = server.get("/v1/pose?model=awkward.gltf&joints=0&" + query)
    assert answer.status == 200, answer.body
    return answer.json()["frames"]


def times(server, query):
    return [frame["time"] for frame in frames(server, query)]


def clip_times(server, query):
    return [frame["clip_time"] for frame in frames(server, query)]


@pytest.mark.parametrize("query, expected", [
    ("", [0]),
    ("t=0.5", [0.5]),
    ("t=0.5&t=0.25", [0.5, 0.25]),
    ("t=0,0.5&t=1:2:4", [0, 0.5, 1, 1.25, 1.5, 1.75, 2]),
    ("t=1,1,1&t=1", [1, 1, 1, 1]),
    ("t=2,0:1:2,-1", [2, 0, 0.5, 1, -1]),
    ("t=0:1:3", [0, 1 / 3, 2 / 3, 1]),
    ("t=0:0.99:3", [0, 1 / 3, 2 / 3]),
    ("t=0:0.9999999995:2", [0, 0.5, 1]),
    ("t=0:0.999999998:2", [0, 0.5]),
    ("t=0.1:0.7:10", [0.1 + i / 10 for i in range(7)]),
    ("t=3:3:30", [3]),
    ("t=-1:1:1", [-1, 0, 1]),
    ("t=0:1:0.25", [0]),
    ("t=1e-3,.5,5.,-0.25,1E2", [0.001, 0.5, 5, -0.25, 100]),
    ("t=0%2C1", [0, 1]),
    ("t=1e%2B1", [10]),
])
def test_times_asked_for(awkward, query, expected):
    assert times(awkward, query) == expected


@pytest.mark.parametrize("value", [
    "", ",", "0,", ",0", "abc", "nan", "NaN", "inf", "-inf", "infinity", "1e999", "0x10", "1_0", "--1", "%2B1", "+1", "1+",
    "1:2", "0:1:2:3", "0:1:0", "0:1:-1", "1:0:30", "0:inf:1", "::", "0:1:", "1e", "1e+1",
])
def test_bad_times(awkward, value):
    answer = awkward.get(f"/v1/palette?model=awkward.gltf&t={value}")
    assert (answer.status, answer.error()) == (400, "bad_parameter"), value
    assert "'t'" in answer.json()["error"]["message"]


@pytest.mark.parametrize("value", ["0:1000:1000", "0:1:1e300", "-1e308:1e308:1", "0:1e300:1e300"])
def test_too_many_times(awkward, value):
    answer = awkward.get(f"/v1/palette?model=awkward.gltf&t={value}")
    assert (answer.status, answer.error()) == (400, "too_many_frames")


def test_10000_times_are_not_too_many(awkward):
    assert len(times(awkward, "t=0:99.99:100")) == 10000
    assert awkward.get("/v1/pose?model=awkward.gltf&joints=0&t=0:100:100").error() == "too_many_frames"


def mirror(t, d):
    t = math.fmod(abs(t), 2 * d)
    return t if t <= d else 2 * d - t


ASKED = [0, 0.25, 1, 1.999, 2, 2.5, 3.75, 4, 5, -0.25, -2, -3.5, -4]


def test_loop(awkward):
    query = "t=" + ",".join(map(str, ASKED))
    assert clip_times(awkward, query) == clip_times(awkward, query + "&wrap=loop") == [t % 2 for t in ASKED]


def test_clamp(awkward):
    assert clip_times(awkward, "wrap=clamp&t=" + ",".join(map(str, ASKED))) == [min(max(t, 0), 2) for t in ASKED]


def test_mirror(awkward):
    assert clip_times(awkward, "wrap=mirror&t=" + ",".join(map(str, ASKED))) == [mirror(t, 2) for t in ASKED]


@pytest.mark.parametrize("wrap", ["loop", "clamp", "mirror"])
def test_huge_times(awkward, wrap):
    asked = [1e15 + 0.5, -1e15 - 0.5, 1.7e308, -1.7e308, 5e-324, -5e-324]
    query = f"wrap={wrap}&t=" + ",".join(map(repr, asked)).replace("+", "")
    found = clip_times(awkward, query)
    assert times(awkward, query) == asked
    assert all(0 <= t <= 2 for t in found) and (wrap != "loop" or all(t < 2 for t in found))
    if wrap == "loop":
        assert found[:4] == [math.fmod(asked[0], 2), 2 + math.fmod(asked[1], 2), math.fmod(asked[2], 2),
                             (2 + math.fmod(asked[3], 2)) % 2]


def test_wrap_reaches_the_pose(awkward):
    """At the duration, loop gives the first pose, clamp the last, mirror the turning point."""
    def arm(query):
        return awkward.get("/v1/pose?model=awkward.gltf&joints=arm&" + query).json()["frames"][0]["scene"][0]

    first, last, middle = (bend(t)[ARM] for t in (0, 2, 1.5))
    assert not is_near(first, last)
    assert is_near(arm("t=2"), first) and is_near(arm("t=2&wrap=clamp"), last) and is_near(arm("t=9&wrap=clamp"), last)
    assert is_near(arm("t=-1&wrap=clamp"), first) and is_near(arm("t=2&wrap=mirror"), last)
    assert is_near(arm("t=2.5&wrap=mirror"), middle) and is_near(arm("t=-1.5&wrap=mirror"), middle)
    assert is_near(arm("t=-0.5"), middle) and TIMES_OF_BEND[-1] == 2


def test_clip_that_starts_late(awkward):
    """Clip time 0 is the file's. Before the first key its value holds; at its key a STEP has the new value."""
    answer = awkward.get("/v1/pose?model=awkward.gltf&clip=late&joints=0&what=local&wrap=clamp&t=0,0.5,1,1.5,2,2.999,3,4")
    assert [frame["local"][0][0] for frame in answer.json()["frames"]] == [5, 5, 5, 5, 6, 6, 7, 7]
    assert answer.json()["clip"] == {"index": 6, "name": "late", "duration": 3}
    looped = awkward.get("/v1/pose?model=awkward.gltf&clip=late&joints=0&what=local&t=3,5").json()["frames"]
    assert [(frame["clip_time"], frame["local"][0][0]) for frame in looped] == [(0, 5), (2, 6)]


@pytest.mark.parametrize("wrap", ["loop", "clamp", "mirror"])
def test_clip_of_one_pose(awkward, wrap):
    answer = awkward.get(f"/v1/pose?model=awkward.gltf&clip=instant&joints=0&what=local&wrap={wrap}&t=-1,0,1e9").json()
    assert [frame["local"][0][:3] for frame in answer["frames"]] == [[9, 9, 9]] * 3
    assert [frame["clip_time"] for frame in answer["frames"]] == [0, 0, 0]
    assert answer["clip"]["duration"] == 0


def test_rest_has_any_time(awkward):
    answer = awkward.get("/v1/pose?model=awkward.gltf&clip=-&joints=arm&t=-1,0,1e9").json()
    assert answer["clip"] is None and [frame["clip_time"] for frame in answer["frames"]] == [0, 0, 0]
    assert [frame["time"] for frame in answer["frames"]] == [-1, 0, 1e9]
    assert all(is_near(frame["scene"][0], bend()[ARM]) for frame in answer["frames"])
