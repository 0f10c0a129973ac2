"""Clips of other files stay ready from one request to the next. Equal requests have equal bytes, whether their clips were kept, made again,
or made by a server that can keep none."""
import json

import pytest

from humans import A, T, Human
from importers import NO_RENDERING
from rigs import CLIPS, character, moves

DRAWS = False

pytestmark = pytest.mark.short
NAMED = "model=body.gltf&clip_file=moves.gltf"
BY_REST = "model=hero.gltf&clip_file=walk.gltf&retarget=rest"
LAYERS = {"model": "body.gltf", "t": [0.1, 0.35], "clip_file": "moves.gltf", "format": "bin",
          "layers": [{"clip": "run"}, {"clip": "stand", "weight": 0.5}, {"clip": "run", "mode": "additive", "weight": 0.25}]}


@pytest.fixture
def root(tmp_path):
    folder = tmp_path / "root"
    folder.mkdir()
    (folder / "body.gltf").write_text(character())
    (folder / "moves.gltf").write_text(moves())
    (folder / "walk.gltf").write_text(Human(T).write(has_walk=True))
    (folder / "hero.gltf").write_text(Human(A).write())
    return folder


def views(server):
    return server.json("/v1/stats")["clip_views"]


def post(server, body, path="/v1/palette"):
    text = json.dumps(body)
    with server.connect() as connection:
        connection.send(f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                        f"Content-Length: {len(text)}\r\n\r\n{text}")
        return connection.answer()


def ask_all(server):
    """The answers to all of the requests."""
    answers = [server.get(f"/v1/{op}?{about}{more}&t={times}") for about in (NAMED + "&clip=run", BY_REST) for op, more, times in (
        ("palette", "&format=bin", 0.3), ("palette", "", "0:0.4:10"), ("palette", "&layout=dualquat" if about == BY_REST else "&layout=mat3x4", 0.1),
        ("pose", "", 0.3), ("mesh", "&format=bin", 0.2), ("bounds", "", 0.2))]
    answers += [server.get(f"/v1/keys?{NAMED}&clip=run"), server.get(f"/v1/palette?{BY_REST}&feet=lock&t=0.3"), post(server, LAYERS)]
    assert [answer.status for answer in answers] == [200] * len(answers), [answer.body for answer in answers if answer.status != 200]
    return [(answer.body, answer.headers["etag"], answer.headers["x-posed-unmatched"]) for answer in answers]


def test_kept_or_made_the_bytes_are_the_same(start, root):
    server = start(*NO_RENDERING, root=root)
    first = ask_all(server)
    made = views(server)
    assert made["misses"] == made["kept"] == 4 and made["bytes"] > 0 and made["hits"] > 0  # run, stand, the walk free and locked
    assert ask_all(server) == first
    again = views(server)
    assert again["misses"] == made["misses"] and again["hits"] > made["hits"]
    no_room = start(*NO_RENDERING, "--cache-bytes", "1M", "--cache-dir", "none", root=root)
    assert ask_all(no_room) == first == ask_all(no_room)


def test_the_least_recently_used_go(start, root):
    many = {f"run {i}": CLIPS["run"] for i in range(64)}
    (root / "moves.gltf").write_text(moves(many))
    server = start(*NO_RENDERING, "--cache-bytes", "1M", root=root)
    wanted = server.get(f"/v1/palette?{NAMED}&clip=0&t=0.3&format=bin").body
    for i in range(64):
        assert server.get(f"/v1/palette?{NAMED}&clip={i}&t=0.3&format=bin").body[-3 * 64:] == wanted[-3 * 64:]
    told = views(server)
    assert told["misses"] == 64 and told["evicted"] > 0 and told["kept"] == 64 - told["evicted"] and 0 < told["bytes"] <= 1 << 17
    server.get(f"/v1/palette?{NAMED}&clip=63&t=0.4")
    assert views(server)["misses"] == 64  # it was kept
    assert server.get(f"/v1/palette?{NAMED}&clip=0&t=0.3&format=bin").body == wanted
    assert views(server)["misses"] == 65  # and the first was dropped


def test_every_parameter_that_changes_a_clip_tells_it_apart(start, root):
    server = start(*NO_RENDERING, root=root)
    ways = ["", "&feet=lock", "&feet=free", "&map=unreal", "&clip_map=mixamo", "&bones=leftHand%3D-", "&clip_bones=leftHand%3D-",
            "&rename_joints=a%3Db", "&rename_joints=a%3Dc"]
    told = [server.get(f"/v1/palette?{BY_REST}{way}&t=0.3") for way in ways]
    assert [answer.status for answer in told] == [200] * len(ways), [answer.body for answer in told]
    assert views(server)["misses"] == len(ways) - 1  # feet=free is the default
    for answer, way in zip(told, ways):
        assert server.get(f"/v1/palette?{BY_REST}{way}&t=0.3").body == answer.body
    assert views(server)["misses"] == len(ways) - 1
    assert told[0].json()["frames"] == told[2].json()["frames"] != told[1].json()["frames"]


def test_a_changed_file_has_other_clips(start, root):
    server = start(*NO_RENDERING, root=root)
    target = f"/v1/pose?{NAMED}&clip=run&t=0.25"
    before = server.get(target).json()["frames"]
    assert server.get(target).json()["frames"] == before
    (root / "moves.gltf").write_text(moves({"run": CLIPS["stand"]}))
    after = server.get(target).json()["frames"]
    assert after != before and views(server)["misses"] == 2


def test_errors_are_not_kept(start, root):
    (root / "moves.gltf").write_text(moves(names=["nobody"], rig={"nobody": (None, {})}, clips={"run": {("nobody", "translation"): [[0, 0, 0], [1, 1, 1]]}}))
    server = start(*NO_RENDERING, root=root)
    for _ in range(2):
        answer = server.get(f"/v1/palette?{NAMED}&t=0.3")
        assert answer.status == 422 and answer.json()["error"]["code"] == "clip_no_match"
    assert views(server)["kept"] == views(server)["misses"] == 0


def test_what_one_request_may_take_does_not_follow_what_is_kept(start, root):
    """Two queries of a batch share its limit. The second one is refused, although the first has just made its clip ready."""
    query = {"op": "palette", "model": "hero.gltf", "clip_file": "walk.gltf", "retarget": "rest", "t": 0.3}
    most = 1000
    while start(*NO_RENDERING, "--max-evaluations", str(most), root=root).get(f"/v1/palette?{BY_REST}&t=0.3").status != 200:
        most = most * 3 // 2
    server = start(*NO_RENDERING, "--max-evaluations", str(most), root=root)
    for _ in range(2):
        answer = post(server, {"queries": [query, query]}, "/v1/query")
        assert answer.status == 200 and ["error" in item for item in answer.json()["results"]] == [False, True], answer.body
    assert views(server)["misses"] == 1
