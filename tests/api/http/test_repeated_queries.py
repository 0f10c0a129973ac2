"""Queries of palettes that repeat with other times. The server reads only the time of such a query. Each answer is the same as without
earlier queries."""
import json
import os
import shutil
import struct
import urllib.parse

import packets
import pytest
from conftest import SAMPLES, Server, wait_until
from importers import NO_RENDERING
from small_models import gltf, place

DRAWS = False

pytestmark = pytest.mark.short
TOKEN = "0123456789abcdef-one"
TIMES = ("0", "0.3", "0.14285714285714285", "1e-05", "0.30", "1.7", "-0.25", "17", "0.123456789012345", ".5", "2.", "-0")


@pytest.fixture(scope="module")
def both(tmp_path_factory):
    """A server on two sample models, with a port for packets."""
    if os.environ.get("POSED_SERVER"):
        pytest.skip("needs a server of its own")
    root = tmp_path_factory.mktemp("repeated")
    for name in "dragon.glb", "robot.glb":
        shutil.copy(SAMPLES / name, root / name)
    running = Server(root, "--tcp", "127.0.0.1:0", *NO_RENDERING)
    yield running
    assert running.process.poll() is None
    running.end()
    assert running.process.returncode == 0


def repeated(server):
    return server.json("/v1/stats")["requests"]["repeated"]


def post(connection, target):
    """The same by POST, which the server does not remember."""
    path, query = target.split("?", 1)
    values = {name: [] for name, _ in urllib.parse.parse_qsl(query)}
    for name, value in urllib.parse.parse_qsl(query):
        values[name].append(value)
    body = json.dumps({name: value if len(value) > 1 else value[0] for name, value in values.items()})
    connection.send(f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n{body}")
    return connection.answer()


CONSTANT = ["model=robot.glb&clip=walk&format=bin", "model=robot.glb&clip=walk", "model=robot.glb&clip=1&format=bin&layout=mat3x4",
            "model=robot.glb&clip=-&format=bin", "model=dragon.glb&clip=fly&space=root", "model=robot.glb&format=bin&skin=0&wrap=clamp",
            "model=robot.glb&clip=walk&format=bin&from=0.2&speed=2&phase=0.5", "model=robot.glb&clip=walk&layout=dualquat",
            "model=robot.glb&clip=walk&root_motion=extract", "model=robot.glb&clip_file=robot.glb&clip=0"]


@pytest.mark.parametrize("constant", CONSTANT)
@pytest.mark.parametrize("place_of_t", ["last", "first"])
def test_every_answer_is_the_same(both, constant, place_of_t):
    with both.connect() as connection:
        for turn in range(3):
            for t in TIMES:
                target = "/v1/palette?" + (f"{constant}&t={t}" if place_of_t == "last" else f"t={t}&{constant}")
                answer, other = connection.get(target), post(connection, target)
                assert (answer.status, answer.body) == (other.status, other.body), (target, turn)
                assert answer.status == 200
                for name in "etag", "content-type", "cache-control", "vary", "content-length":
                    assert answer.headers[name] == other.headers[name], (name, target)


def test_they_are_counted(both):
    target = "/v1/palette?model=robot.glb&clip=walk&format=bin&skin=0&t={}"

    def count():
        before = repeated(both)
        with both.connect() as connection:  # the connection stays on one loop
            for i in range(10):
                assert connection.get(target.format(i / 7)).status == 200
        return repeated(both) - before

    # all but the first, which is read as any request; unless the model's file is being checked, for which a query waits
    wait_until(lambda: count() in (9, 10), "queries that are the same are not counted as such")


@pytest.mark.parametrize("t", ["0:1:10", "0,0.5", "1e+1", "%30.5", "nan", "", "0.5&t=0.7", "1e400", "0.5&speed=x"])
def test_other_times(both, t):
    """Times that are not plain numbers take the usual path, every time."""
    target = f"/v1/palette?model=robot.glb&clip=walk&t={t}"
    with both.connect() as connection:
        first = connection.get(target)
        for _ in range(3):
            again = connection.get(target)
            assert (again.status, again.body) == (first.status, first.body)


def test_one_byte_makes_another_query(both):
    targets = ["/v1/palette?model=robot.glb&clip=0&t=0.4", "/v1/palette?model=robot.glb&clip=1&t=0.4",
               "/v1/palette?model=robot.glb&clip=7&t=0.4", "/v1/palette?model=robot.glc&clip=0&t=0.4",
               "/v1/palette?model=robot.glb&clip=0&T=0.4", "/v1/palettf?model=robot.glb&clip=0&t=0.4",
               "/v1/palette?model=robot.glb&clip=0&t=0.5", "/v1/pose?model=robot.glb&clip=0&t=0.4"]
    with both.connect() as connection:
        first = [connection.get(target) for target in targets]
        assert len({answer.body for answer in first}) == len(targets)
        for _ in range(3):
            for target, expected in zip(targets, first):
                answer = connection.get(target)
                assert (answer.status, answer.body) == (expected.status, expected.body), target


def test_accept_and_head_are_part_of_it(both):
    target = "/v1/palette?model=robot.glb&clip=walk&t=0.7"
    with both.connect() as connection:
        for _ in range(4):
            assert connection.get(target).headers["content-type"] == "application/json"
            binary = connection.get(target, "Accept: application/vnd.posed.frames")
            assert binary.headers["content-type"] == "application/vnd.posed.frames"
            head = connection.get(target, "Accept: application/vnd.posed.frames", method="HEAD")
            assert (head.status, head.body, head.headers["content-length"]) == (200, b"", binary.headers["content-length"])
            assert connection.get(target, method="DELETE").status == 405


def test_tags_are_compared_each_time(both):
    target = "/v1/palette?model=robot.glb&clip=walk&format=bin&t={}"
    with both.connect() as connection:
        tags = {}
        for turn in range(3):
            for t in TIMES:
                answer = connection.get(target.format(t))
                assert tags.setdefault(repr(float(t)), answer.headers["etag"]) == answer.headers["etag"]
                unchanged = connection.get(target.format(t), "If-None-Match: " + answer.headers["etag"])
                assert (unchanged.status, unchanged.body, unchanged.headers["etag"]) == (304, b"", answer.headers["etag"])
                assert connection.get(target.format(t), 'If-None-Match: "other"').body == answer.body
                assert connection.get(target.format(t), "If-None-Match: *").status == 304
        assert len(set(tags.values())) == len(tags)


def test_a_change_is_seen_by_the_next(start, tmp_path):
    root = tmp_path / "root"
    root.mkdir()
    (root / "a.gltf").write_text(gltf(x=0))
    server = start("--tcp", "127.0.0.1:0", *NO_RENDERING, root=root)
    target = "/v1/palette?model=a.gltf&t={}"
    with server.connect() as connection, packets.Link(server.ports["tcp"]) as link:
        model = link.open("a.gltf")
        for x in range(1, 6):
            other = root / "other"
            other.write_text(gltf(x=x))
            os.replace(other, root / "a.gltf")
            for t in range(4):
                assert place(connection.get(target.format(t))) == x
                frames = link.ask("palette", packets.query([t / 8]), model)
                assert frames.has("changed") == (t == 0)
                size, = struct.unpack_from("<I", frames.body, 8)
                assert struct.unpack_from("<16f", frames.body, size)[12] == x
        (root / "a.gltf").unlink()
        assert connection.get(target.format(9)).status == 404
        assert link.ask("palette", packets.query([9]), model).kind == "error"
        (root / "a.gltf").write_text(gltf(x=7))
        assert place(connection.get(target.format(9))) == 7
    assert repeated(server) >= 15


def test_a_hash_is_compared_each_time(start, tmp_path):
    root = tmp_path / "root"
    root.mkdir()
    (root / "a.gltf").write_text(gltf(x=1))
    server = start(*NO_RENDERING, root=root)
    wanted = server.json("/v1/model", model="a.gltf")["hash"]
    target = f"/v1/palette?model=a.gltf&hash={wanted}&t="
    with server.connect() as connection:
        for t in range(4):
            assert place(connection.get(target + str(t))) == 1
        (root / "a.gltf").write_text(gltf(x=2))
        for t in range(3):
            assert connection.get(target + str(t)).error() == "hash_mismatch"
        (root / "a.gltf").write_text(gltf(x=1))
        assert place(connection.get(target + "5")) == 1


def test_a_generation_is_compared_each_time(start, tmp_path):
    root = tmp_path / "root"
    root.mkdir()
    (root / "a.gltf").write_text(gltf(x=1))
    server = start("--tcp", "127.0.0.1:0", *NO_RENDERING, root=root)
    with packets.Link(server.ports["tcp"]) as link:
        model = link.open("a.gltf")
        for t in range(4):
            assert link.ask("palette", packets.query([t]), model, generation=1).generation == 1
        (root / "a.gltf").write_text(gltf(x=2))
        assert link.ask("palette", packets.query([5]), model, generation=1).kind == "error"
        assert link.ask("palette", packets.query([5]), model).generation == 2
        for t in range(3):
            assert link.ask("palette", packets.query([t]), model, generation=2).kind == "frames"
            assert link.ask("palette", packets.query([t]), model, generation=1).kind == "error"


def test_access_is_checked_each_time(start, tmp_path):
    (tmp_path / "tokens").write_text(TOKEN + "\n")
    shutil.copy(SAMPLES / "robot.glb", tmp_path)
    server = start("--token-file", tmp_path / "tokens", "--token-for", "all", *NO_RENDERING)
    target = "/v1/palette?model=robot.glb&format=bin&t={}"
    bearer = f"Authorization: Bearer {TOKEN}"
    with server.connect() as connection:
        good = connection.get(target.format(1), bearer)
        assert good.status == 200
        for _ in range(4):
            assert connection.get(target.format(1), bearer).body == good.body
            assert connection.get(target.format(1)).status == 401
            assert connection.get(target.format(1), bearer[:-1] + "x").status == 401
            connection.send(f"GET {target.format(1)} HTTP/1.1\r\nHost: evil.example\r\n{bearer}\r\n\r\n")
            assert connection.answer().status == 421


def test_pipelined_and_in_pieces(both):
    target = "/v1/palette?model=robot.glb&clip=walk&format=bin&t={}"
    times = [i / 16 for i in range(40)]
    with both.connect() as connection:
        expected = [connection.get(target.format(t)).body for t in times]
        requests = "".join(f"GET {target.format(t)} HTTP/1.1\r\nHost: localhost\r\n\r\n" for t in times)
        connection.send(requests)
        assert [connection.answer().body for _ in times] == expected
        for at in range(0, len(requests), 37):
            connection.send(requests[at:at + 37])
        assert [connection.answer().body for _ in times] == expected


@pytest.mark.parametrize("values", [{}, {"clip": 0}, {"clip": -1}, {"layout": 1}, {"space": 1}, {"wrap": 2}])
def test_packets(both, values):
    """The same as a `call` with many times, frame by frame. Errors repeat, too."""
    with packets.Link(both.ports["tcp"]) as link:
        model = link.open("robot.glb")
        times = [0.1 * i for i in range(12)]
        whole = link.ask("palette", packets.query(times, **values), model)
        frames_offset, frame_bytes, _ = struct.unpack_from("<QQQ", whole.body, 32)
        for turn in range(2):
            for i, t in enumerate(times):
                one = link.ask("palette", packets.query([t], **values), model)
                offset, = struct.unpack_from("<Q", one.body, 32)
                at = frames_offset + i * frame_bytes
                assert one.body[offset:] == whole.body[at:at + frame_bytes]
                assert link.ask("palette", packets.query([t], clip=99), model).kind == "error"
                assert link.ask("palette", packets.query([t], layout=3), model).kind == "error"
                assert link.ask("palette", packets.query([float("nan")], **values), model).kind == "error"
                assert link.ask("palette", packets.query([t], **values), model + 1).kind == "error"


def test_more_queries_than_are_remembered(both):
    """Each query comes back when its place has long been taken by another."""
    with both.connect() as connection:
        def ask(i, t):
            return connection.get(f"/v1/palette?model=robot.glb&clip=walk&format=bin&phase={i / 1024}&t={t}")
        first = [ask(i, 0.2).body for i in range(600)]
        for _ in range(2):
            for i in range(600):
                assert ask(i, 0.2).body == first[i]
