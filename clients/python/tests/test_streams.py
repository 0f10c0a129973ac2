"""Streams and watches over a real server."""
import itertools

import numpy
import pytest

import posed
from conftest import start


def test_frames_of_a_stream_are_those_of_requests(server):
    robot = server.model("robot.glb")
    with robot.stream("palette", "walk", rate=200, position_s=0.25, speed=0.5, skin=0, layout="mat3x4") as stream:
        frames = list(itertools.islice(stream, 8))
    ticks = [frame.tick for frame in frames]
    assert ticks == sorted(set(ticks)) and ticks[0] == 0
    for frame, before in zip(frames[1:], frames):
        assert frame.tick - before.tick - 1 == frame.skipped
    for frame in frames:
        assert frame.time_s == 0.25 + 0.5 * (frame.tick / 200)
        assert numpy.array_equal(frame.palette, robot.palette("walk", frame.time_s, layout="mat3x4"))
    with pytest.raises(StopIteration):
        next(stream)


@pytest.mark.parametrize("kind, block, options", [
    ("pose", "scene", dict(joints=["head", 4])), ("pose", "local", dict(what="local")), ("mesh", "normals", dict(normals=True))])
def test_streams_of_other_kinds(server, kind, block, options):
    robot = server.model("robot.glb")
    with robot.stream(kind, "wave", position_s=0.3, speed=0, **options) as stream:
        frame = next(stream)
    whole = robot.frames(kind, "wave", 0.3, **options)
    assert numpy.array_equal(frame.array(block), whole.array(whole.find(block), 0))


def test_pause_seek_and_speed(server):
    with server.model("robot.glb").stream("palette", "walk", rate=500, credit=100) as stream:
        next(stream)
        stream.pause()
        for position_s in 0.75, 0.125, 0.5:
            stream.seek(position_s)
            assert next(stream).time_s == position_s
        stream.set_speed(-2)
        stream.set_rate(100)
        stream.seek(0.5)
        stream.resume()
        # counted from the seek: 2 / 100 seconds back with every tick
        frames = list(itertools.islice(stream, 5))
        assert frames[0].time_s == 0.5
        for before, frame in zip(frames, frames[1:]):
            assert frame.time_s < before.time_s


def wait_for_skips(server, count):
    before = server.stats()["streams"]["skipped"]
    while server.stats()["streams"]["skipped"] < before + count:
        pass  # the server skips a tick each millisecond


def test_who_is_slow_gets_no_late_frame(server):
    """A frame shows the time at which it is requested."""
    with server.model("robot.glb").stream("palette", "walk", rate=1000) as stream:
        first = next(stream)
        wait_for_skips(server, 20)
        second = next(stream)
        assert second.skipped >= 20 and second.tick == first.tick + 1 + second.skipped


def test_who_gives_more_credit_gets_so_many_frames_ahead(server):
    with server.model("robot.glb").stream("palette", "walk", rate=1000, credit=2) as stream:
        next(stream)
        wait_for_skips(server, 20)
        second, third = itertools.islice(stream, 2)
        assert third.tick - second.tick - 1 == third.skipped and second.skipped + third.skipped >= 20


def next_at_last(stream):
    """Return the next frame, even if it takes longer than the stream waits."""
    for _ in range(5000):
        try:
            return next(stream)
        except posed.TimedOut:
            pass
    raise AssertionError("no frame")


def test_a_paused_stream_times_out_and_goes_on(server):
    with server.model("robot.glb").stream("palette", "walk", paused=True, timeout_s=0.02) as stream:
        with pytest.raises(posed.TimedOut):
            next(stream)
        stream.seek(0.5)
        assert next_at_last(stream).time_s == 0.5


@pytest.mark.parametrize("options, error, match", [
    (dict(clip="wlak"), posed.PosedError, "clip_not_found"), (dict(rate=1e9), posed.PosedError, "bad_parameter"),
    (dict(t=3), ValueError, "position_s"), (dict(layers=[]), posed.PosedError, "layers"),
    (dict(dance=1), posed.PosedError, "dance"), (dict(kind="render"), ValueError, "stream is of")])
def test_streams_that_cannot_be(server, options, error, match):
    with pytest.raises(error, match=match):
        server.model("robot.glb").stream(**options)


def test_a_model_that_changes_under_a_stream_and_a_watch(root, tmp_path):
    text = (root / "awkward.gltf").read_text()
    path = tmp_path / "m.gltf"
    path.write_text(text)
    with start(tmp_path) as server:
        model = server.model("m.gltf")
        first = model.frames("pose").content_hash
        with model.watch() as watch, model.stream("pose", paused=True) as stream:
            assert watch.content_hash == first
            stream.seek(0.5)
            assert next(stream).generation == 1
            path.write_text(text.replace('"arm"', '"leg"'))
            change = next(watch)
            assert change.error is None and change.generation == 2 and change.content_hash == model.frames("pose").content_hash != first
            stream.seek(0.5)
            frame = next(stream)
            assert frame.is_changed and frame.generation == 2 and frame.frames.content_hash == change.content_hash
            path.write_text("{")
            change = next(watch)
            assert change.error is not None and change.error.status in (415, 422) and change.content_hash == ""
            stream.seek(0.25)
            with pytest.raises(posed.PosedError) as caught:
                next(stream)
            assert caught.value.code == change.error.code
            with pytest.raises(StopIteration):
                next(stream)


def test_a_server_that_ends_ends_the_stream(root):
    with start(root) as server:
        stream = server.model("robot.glb").stream("palette", "walk", paused=True)
        server.close()
        with pytest.raises(posed.PosedError) as caught:
            next(stream)
        assert caught.value.code in ("shutting_down", "connection_lost")
