"""Connections that end, over a relay that cuts them. Others replace them, and the caller gets only what it asked for."""
import itertools

import numpy
import pytest

import posed
from conftest import start
from cutting_relay import CuttingRelay

WAYS = {"tcp": ("tcp", ""), "ws": ("http", "ws://"), "http": ("http", "http://")}


def relay_of(server, way, cuts=(), **options):
    port, scheme = WAYS[way]
    relay = CuttingRelay(server.ports[port], cuts, **options)
    relay.url = scheme + relay.address
    return relay


def palette_of(url, **options):
    with posed.connect(url, **options) as client:
        return client.model("robot.glb").palette("walk", 0.3)


@pytest.mark.parametrize("is_reset", [False, True])
@pytest.mark.parametrize("way", WAYS)
def test_a_cut_at_any_byte_is_not_seen(server, way, is_reset):
    expected = server.model("robot.glb").palette("walk", 0.3)
    with relay_of(server, way) as relay:
        palette_of(relay.url)
        whole = relay.passed[0]
    sizes = {0, 1, 5, 8, 9, 12, 13, 16, 17, 31, 32, 33, 95, 96, 97, whole - 33, whole - 1, *range(0, whole, max(1, whole // 24))}
    for size in sorted(sizes):
        with relay_of(server, way, [size], is_reset=is_reset) as relay:
            assert numpy.array_equal(palette_of(relay.url), expected), size
            assert len(relay.passed) == 2, size


@pytest.mark.parametrize("way", WAYS)
def test_a_request_is_made_twice_at_most(server, way):
    with relay_of(server, way) as relay, posed.connect(relay.url) as client:
        client.version()
        relay.sever()
        relay.cuts += [None] * (len(relay.passed) - len(relay.cuts))
        relay.cuts += [400 if way == "ws" else 110] * 4
        with pytest.raises(posed.ConnectionLost, match=r"gave up on .* after 2 tries in \d+\.\d s: ") as caught:
            client.model("robot.glb").info()
        assert caught.value.tries == 2 and len(relay.passed) == 3


@pytest.mark.parametrize("way", WAYS)
def test_it_gives_up_within_its_bounds_and_says_so(server, way):
    for bounds in dict(reconnect_tries=3), dict(reconnect_s=0.3):
        told = []
        with relay_of(server, way) as relay, posed.connect(relay.url, on_reconnect=lambda *event: told.append(event), **bounds) as client:
            client.version()
            relay.refuse()
            relay.sever()
            with pytest.raises(posed.ConnectionLost, match=r"gave up on GET /v1/version after \d+ tries in \d+\.\d s: .*refused") as caught:
                client.version()
            # Pauses double: 0.3 s are over long before the default of ten tries.
            assert caught.value.tries <= (4 if "reconnect_tries" in bounds else 6)
            assert isinstance(caught.value.__cause__, posed.ConnectionLost) and not told
            relay.listen()
            assert client.version()["name"] == "posed"


@pytest.mark.parametrize("way", WAYS)
def test_it_can_be_switched_off(server, way):
    cut = {"tcp": 200, "ws": 400, "http": 20}[way]
    with relay_of(server, way, [cut]) as relay, posed.connect(relay.url, reconnect_tries=0) as client:
        with pytest.raises(posed.PosedError) as caught:
            client.model("robot.glb").info()
        assert "gave up" not in caught.value.message and len(relay.passed) == 1


@pytest.mark.parametrize("way", WAYS)
def test_an_idle_connection_that_is_closed_is_no_error(server, way):
    with relay_of(server, way) as relay, posed.connect(relay.url) as client:
        for _ in range(3):
            assert client.version()["name"] == "posed"
            relay.sever()
        assert len(relay.passed) == 3


def test_errors_and_uploads_are_not_repeated(server):
    with relay_of(server, "http") as relay, posed.connect(relay.url) as client:
        with pytest.raises(posed.PosedError, match="model_not_found"):
            client.model("nobody.glb").info()
        assert len(relay.passed) == 1
    with relay_of(server, "http", [20, 20]) as relay, posed.connect(relay.url) as client:
        with pytest.raises(posed.ConnectionLost) as caught:
            client.upload("a.glb", b"x")
        assert "gave up" not in caught.value.message and len(relay.passed) == 1


@pytest.mark.parametrize("way", WAYS)
def test_a_stream_goes_on_behind_its_last_frame(server, way):
    with relay_of(server, way) as relay, posed.connect(relay.url) as client:
        with client.model("robot.glb").stream("palette", "walk", rate=250, position_s=0.25, speed=0.5, credit=1000) as stream:
            frames = []
            for _ in range(3):
                frames += itertools.islice(stream, 6)
                relay.sever()
            frames += itertools.islice(stream, 6)
            for frame, before in zip(frames[1:], frames):
                assert frame.tick == before.tick + 1 + frame.skipped and not frame.is_changed and frame.generation == 1
                assert frame.time_s - before.time_s == pytest.approx((frame.tick - before.tick) * 0.5 / 250, abs=1e-9)
            stream.pause()
            relay.sever()
            stream.seek(1.5)
            relay.sever()
            assert next(stream).time_s == 1.5
            stream.set_speed(2)
            stream.resume()
            assert next(stream).time_s == pytest.approx(1.5, abs=0.5)


def test_a_watch_tells_what_changed_between_two_connections(root, tmp_path):
    text = (root / "awkward.gltf").read_text()
    (tmp_path / "m.gltf").write_text(text)
    with start(tmp_path) as server, relay_of(server, "tcp") as relay, posed.connect(relay.url) as client:
        with client.model("m.gltf").watch() as watch, client.model("m.gltf").stream("pose", paused=True) as stream:
            stream.seek(0.5)
            assert next(stream).generation == 1
            relay.refuse()
            relay.sever()
            (tmp_path / "m.gltf").write_text(text.replace('"arm"', '"leg"'))
            relay.listen()
            change = next(watch)
            assert change.generation == 2 and change.error is None and change.content_hash != watch.content_hash
            stream.seek(0.5)
            frame = next(stream)
            assert frame.is_changed and frame.generation == 2 and frame.frames.content_hash == change.content_hash


def test_a_server_that_drains_is_left_for_another(server, root):
    with start(root) as old, relay_of(old, "tcp") as packets, relay_of(old, "http") as web:
        told = []
        with posed.connect(packets.url, on_reconnect=lambda *event: told.append(event)) as one, posed.connect(web.url) as other:
            clients = [client.model("robot.glb") for client in (one, other)]
            before = [model.palette("walk", 0.3).tobytes() for model in clients]
            packets.target, web.target = server.ports["tcp"], server.ports["http"]
            old.close()
            assert [model.palette("walk", 0.3).tobytes() for model in clients] == before
