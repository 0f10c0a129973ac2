"""Streams and watches: credit, the clock, changes by the client, slow clients, changed models. No test measures time: a frame has its tick
and its time, and these must fit."""
import os
import shutil
import signal
import struct
import urllib.parse

import pytest

from conftest import SAMPLES
from packets import Link, connect, control, find, packet, query, subscribe

DRAWS = False

pytestmark = pytest.mark.short


@pytest.fixture(scope="module")
def streaming(tmp_path_factory):
    if os.environ.get("POSED_SERVER"):
        pytest.skip("needs a server of its own")
    from conftest import Server
    root = tmp_path_factory.mktemp("streams")
    shutil.copy(SAMPLES / "dragon.glb", root / "dragon.glb")
    running = Server(root, "--tcp", "127.0.0.1:0", draws=False)
    yield running
    code = running.process.poll()
    running.end()
    assert code is None, f"the server died with {code}"


@pytest.fixture(params=["tcp", "ws"])
def link(streaming, request):
    with connect(streaming.ports, request.param) as one:
        one.model = one.open("dragon.glb")
        yield one


class Frame:
    def __init__(self, of):
        assert of.kind == "stream", of
        self.packet = of
        head = of.view()
        self.tick, self.skipped, self.credit, self.frames = head["tick"], head["skipped"], head["credit"], head["rest"]
        self.time, self.clip_time = struct.unpack_from("<2d", self.frames, 96 + 32 * struct.unpack_from("<I", self.frames, 20)[0])


def begin(link, id, payload):
    """Subscribe and read the answer."""
    link.send(packet("subscribe", payload, id=id, model=link.model))
    answer = link.read()
    assert (answer.kind, answer.id, answer.model) == ("done", id, link.model), answer
    return answer


def credit(link, stream, count):
    link.send(packet("credit", struct.pack("<II", stream, count), id=1))


def frames(link, count):
    return [Frame(link.read()) for _ in range(count)]


def test_frames_are_the_answers_of_requests(streaming, link):
    begin(link, 7, subscribe(clip=1, layout=1, credit=3, rate=60, position_s=0.25, indices=[0]))
    got = frames(link, 3)
    for frame in got:
        assert frame.packet.id == 7 and frame.packet.model == link.model and frame.packet.generation == 1
        asked = urllib.parse.urlencode({"model": "dragon.glb", "clip": 1, "layout": "mat3x4", "skin": 0, "format": "bin",
                                        "t": repr(frame.time)})
        assert streaming.get("/v1/palette?" + asked).body == frame.frames
    first = got[0]  # on a busy machine some were due before it
    assert first.tick == first.skipped and first.time == pytest.approx(0.25 + first.tick / 60, abs=1e-12)


@pytest.mark.parametrize("kind, options", [("palette", {}), ("pose", {"what": 3, "indices": [2, 3]}),
                                           ("mesh", {"flag_names": ["normals"]})])
def test_every_kind_of_frame(link, kind, options):
    begin(link, 7, subscribe(kind, credit=1, rate=30, **options))
    frame, = frames(link, 1)
    indices = options.pop("indices", ())
    names = options.pop("flag_names", ())
    answer = link.ask(kind, query([frame.time], indices, names, **options), model=link.model)
    assert answer.body == frame.frames


def test_ticks_show_exactly_their_time(link):
    begin(link, 7, subscribe(credit=20, rate=250, position_s=-1, speed=-3))
    for frame in frames(link, 20):
        assert frame.time == -1 + -3 * (frame.tick / 250)


def test_without_credit_there_are_no_frames_and_then_only_new_ones(link):
    begin(link, 7, subscribe(credit=2, rate=500))
    first = frames(link, 2)
    assert [frame.credit for frame in first] == [1, 0]
    for _ in range(50):
        link.ask("ping")
    while True:  # until some ticks have passed
        credit(link, 7, 1)
        frame, = frames(link, 1)
        if frame.skipped:
            break
    assert frame.tick > first[-1].tick + 1 and frame.time == frame.tick / 500


def test_every_tick_is_sent_or_counted_as_skipped(link):
    begin(link, 7, subscribe(credit=1, rate=1000))
    last, = frames(link, 1)
    assert last.tick == last.skipped
    for _ in range(30):
        credit(link, 7, 1)
        frame, = frames(link, 1)
        assert frame.tick == last.tick + 1 + frame.skipped
        last = frame


def test_credit_adds_up(link):
    begin(link, 7, subscribe(credit=0, rate=1000))
    for count in 2, 3, 1:
        credit(link, 7, count)
    assert [frame.credit for frame in frames(link, 6)][-1] == 0
    assert link.ask("ping").kind == "done" and link.unread == b""
    credit(link, 7, 2**32 - 1)
    credit(link, 7, 2**32 - 1)
    assert frames(link, 1)[0].credit >= 2**32 - 3


def test_without_a_rate_a_frame_comes_for_each_credit(link):
    begin(link, 7, subscribe(credit=5, rate=0, position_s=2, speed=1))
    got = frames(link, 5)
    assert [frame.tick for frame in got] == list(range(5)) and not any(frame.skipped for frame in got)
    times = [frame.time for frame in got]
    assert times == sorted(times) and times[0] >= 2
    assert link.ask("ping").kind == "done" and link.unread == b""
    credit(link, 7, 1)
    assert frames(link, 1)[0].time > times[-1]


def test_pause_seek_resume_speed_and_rate(link):
    begin(link, 7, subscribe(credit=1000, rate=100, is_paused=1, position_s=5))
    assert link.ask("ping").kind == "done"
    link.send(packet("control", control(7, "seek", position_s=1.5), id=1) + packet("ping", id=2))
    kinds = [link.read() for _ in range(3)]
    frame, = [Frame(one) for one in kinds if one.kind == "stream"]
    assert frame.time == 1.5
    assert link.ask("ping").kind == "done" and link.unread == b"", "one frame of a paused stream, no more"
    assert link.ask("control", control(7, "resume", "speed", speed=-2)).kind == "done"
    first, second = frames(link, 2)
    assert first.tick > frame.tick and first.time == 1.5 - 2 * ((first.tick - frame.tick - 1) / 100)
    assert second.time == 1.5 - 2 * ((second.tick - frame.tick - 1) / 100)
    link.send(packet("control", control(7, "pause"), id=3))
    while True:
        one = link.read()
        if one.kind == "done":
            break
        second = Frame(one)
    assert link.ask("ping").kind == "done" and link.unread == b""
    link.send(packet("control", control(7, "resume", "rate", rate=50), id=4))
    assert link.read().kind == "done"
    third, fourth = frames(link, 2)
    # it goes on with the tick after the last one
    assert third.time == pytest.approx(second.time - 2 / 100 - 2 * ((third.tick - second.tick - 1) / 50))
    assert fourth.time == pytest.approx(third.time - 2 * ((fourth.tick - third.tick) / 50))


def test_a_frame_that_is_sought_waits_for_credit(link):
    begin(link, 7, subscribe(credit=0, rate=100, is_paused=1))
    for position_s in 3.25, 0.75:
        assert link.ask("control", control(7, "seek", position_s=position_s)).kind == "done"
    credit(link, 7, 5)
    assert frames(link, 1)[0].time == 0.75
    assert link.ask("ping").kind == "done" and link.unread == b""


def test_unsubscribe_is_the_end(link):
    begin(link, 7, subscribe(credit=2**31, rate=1000))
    frames(link, 3)
    assert link.ask("unsubscribe", struct.pack("<I", 7)).kind == "done"
    for _ in range(20):
        link.send(packet("ping", id=5))
        assert link.read().kind == "done"
    assert link.ask("control", control(7, "pause")).error()[0] == 9
    credit(link, 7, 1)
    assert link.ask("unsubscribe", struct.pack("<I", 7)).kind == "done"
    begin(link, 7, subscribe(credit=1, rate=10))
    assert frames(link, 1)[0].tick == 0


def test_several_streams_beside_requests(link):
    for id, rate in (1, 30), (2, 60), (3, 120):
        begin(link, id, subscribe(credit=5, rate=rate, position_s=id)) if id == 1 else link.send(
            packet("subscribe", subscribe(credit=5, rate=rate, position_s=id), id=id, model=link.model))
    seen, done = {1: 0, 2: 0, 3: 0}, 0
    link.send(b"".join(packet("palette", query([0.1]), id=50, model=link.model) for _ in range(10)))
    while sum(seen.values()) < 15 or done < 12:
        one = link.read()
        if one.kind == "stream":
            seen[one.id] += 1
            assert Frame(one).time == one.id + Frame(one).tick / {1: 30, 2: 60, 3: 120}[one.id]
        else:
            done += 1
    assert seen == {1: 5, 2: 5, 3: 5}


def test_streams_are_refused(link):
    begin(link, 7, subscribe(credit=0, rate=10))
    assert link.ask("subscribe", subscribe(credit=1, rate=10), model=link.model, id=7).error()[0] == 19
    assert link.ask("subscribe", subscribe(credit=1, rate=10), model=99).error()[0] == 20
    assert link.ask("subscribe", subscribe(credit=1, rate=2000), model=link.model).error()[0] == 3
    assert link.ask("subscribe", subscribe("render", credit=1, rate=10), model=link.model).error()[0] == 3
    assert link.ask("control", control(8, "pause")).error()[0] == 9
    for id in range(100, 115):
        assert link.ask("subscribe", subscribe(credit=0, rate=10), model=link.model, id=id).kind == "done"
    code, _, _, _ = link.ask("subscribe", subscribe(credit=0, rate=10), model=link.model, id=200).error()
    assert code == 53


def test_a_frame_that_cannot_be_made_ends_the_stream(link):
    begin(link, 7, subscribe(clip=99, credit=5, rate=100))
    last = link.read()
    assert last.error()[0] == 21 and last.id == 7 and last.has("last") and not last.has("closing")
    assert link.ask("control", control(7, "pause")).error()[0] == 9
    assert link.ask("ping").kind == "done"


def test_close_ends_the_streams_of_its_handle(link):
    begin(link, 7, subscribe(credit=2**31, rate=1000))
    assert link.ask("close", model=link.model).kind == "done"
    assert link.ask("ping").kind == "done" and link.unread == b""


def test_a_client_that_does_not_read_costs_no_memory_and_gets_no_old_frames(streaming):
    """The credit of a thousand frames of 100 KB, granted by a client that reads none of them."""
    with Link(streaming.ports["tcp"], receive_bytes=4096) as slow, Link(streaming.ports["tcp"]) as other:
        model = slow.open("dragon.glb")
        before = streaming.json("/v1/stats")
        slow.send(packet("subscribe", subscribe("mesh", credit=2**31, rate=1000, flag_names=["normals", "rest"]), id=7,
                         model=model))
        while streaming.json("/v1/stats")["streams"]["skipped"] < before["streams"]["skipped"] + 500:
            assert other.ask("ping").kind == "done"
        stats = streaming.json("/v1/stats")
        assert stats["client_memory"]["bytes"] < 2 << 20
        assert stats["streams"]["frames"] - before["streams"]["frames"] < 100
        assert slow.read().kind == "done"
        last = -1
        while True:  # those in the sockets' buffers, then new ones
            frame = Frame(slow.read())
            assert frame.tick == last + 1 + frame.skipped
            last = frame.tick
            if frame.skipped > 400:
                break


def test_streams_end_with_their_connection(streaming):
    with Link(streaming.ports["tcp"]) as one:
        one.model = one.open("dragon.glb")
        begin(one, 7, subscribe(credit=2**31, rate=1000))
        frames(one, 2)
        assert streaming.json("/v1/stats")["streams"]["open"] >= 1
    while streaming.json("/v1/stats")["streams"]["open"]:
        pass


def test_stop_ends_streams(start, tmp_path):
    shutil.copy(SAMPLES / "dragon.glb", tmp_path)
    own = start("--tcp", "127.0.0.1:0")
    with Link(own.ports["tcp"]) as one:
        one.model = one.open("dragon.glb")
        assert one.ask("watch", struct.pack("<I", 1), model=one.model).kind == "done"
        begin(one, 7, subscribe(credit=2**31, rate=1000))
        own.signal(signal.SIGTERM)
        while (last := one.read()).kind == "stream":
            pass
        assert last.error()[0] == 54 and last.has("closing") and one.read() is None
    assert own.wait() == 0


# --- changed models ---


def replace(path, sample):
    shutil.copy(SAMPLES / sample, path.with_name(".new"))
    os.rename(path.with_name(".new"), path)


def test_a_stream_goes_on_with_the_new_content(start, tmp_path):
    path = tmp_path / "m.glb"
    replace(path, "dragon.glb")
    with Link(start("--tcp", "127.0.0.1:0").ports["tcp"]) as one:
        one.model = one.open("m.glb")
        begin(one, 7, subscribe(credit=2**31, rate=200))
        old = frames(one, 2)
        replace(path, "robot.glb")
        while True:
            frame = Frame(one.read())
            if frame.packet.has("changed"):
                break
            assert frame.packet.generation == 1 and frame.frames[64:96] == old[0].frames[64:96]
        assert frame.packet.generation == 2 and frame.frames[64:96] != old[0].frames[64:96]
        after, = frames(one, 1)
        assert after.packet.generation == 2 and not after.packet.has("changed")
        os.unlink(path)
        while (last := one.read()).kind == "stream":
            pass
        assert last.error()[0] == 20 and last.has("last")
        assert one.ask("ping").kind == "done"


@pytest.mark.parametrize("how", ["auto", "poll"])
def test_a_watch_tells_of_changes(start, tmp_path, how):
    path = tmp_path / "m.glb"
    replace(path, "dragon.glb")
    own = start("--tcp", "127.0.0.1:0", "--watch", how, "--watch-interval", "100ms")
    with Link(own.ports["tcp"]) as one:
        model = one.open("m.glb")
        assert one.ask("watch", struct.pack("<I", 1), model=model, id=9).kind == "done"
        replace(path, "robot.glb")
        changed = one.read()
        assert (changed.kind, changed.id, changed.model, changed.generation, changed.code) == ("changed", 9, model, 2, 0)
        assert changed.has("changed")
        assert changed.payload[:32].hex() == own.json("/v1/model", model="m.glb")["hash"]
        answer = one.ask("palette", query(), model=model, generation=2)
        assert answer.kind == "frames" and not answer.has("changed")
        os.unlink(path)
        gone = one.read()
        assert (gone.kind, gone.code, gone.payload[:32]) == ("changed", 20, bytes(32)) and gone.payload[32:]
        replace(path, "dragon.glb")
        back = one.read()
        assert (back.kind, back.code, back.generation) == ("changed", 0, 3)
        path.write_bytes(b"no model")
        broken = one.read()
        assert broken.kind == "changed" and broken.code not in (0, 20)
        assert one.ask("watch", struct.pack("<I", 0), model=model).kind == "done"


def test_a_touched_file_is_no_change(start, tmp_path):
    path = tmp_path / "m.glb"
    replace(path, "dragon.glb")
    own = start("--tcp", "127.0.0.1:0", "--watch-interval", "100ms")
    with Link(own.ports["tcp"]) as one:
        model = one.open("m.glb")
        assert one.ask("watch", struct.pack("<I", 1), model=model).kind == "done"
        replace(path, "dragon.glb")  # the same bytes
        own.wait_for_line("changed model='m.glb'")
        replace(path, "robot.glb")
        changed = one.read()
        assert changed.kind == "changed" and changed.payload[:32].hex() == own.json("/v1/model", model="m.glb")["hash"]
        assert changed.generation == 2


def test_watches_of_many_connections(start, tmp_path):
    path = tmp_path / "m.glb"
    replace(path, "dragon.glb")
    own = start("--tcp", "127.0.0.1:0")
    links = [Link(own.ports["tcp"]) for _ in range(20)]
    for one in links:
        one.model = one.open("m.glb")
        assert one.ask("watch", struct.pack("<I", 1), model=one.model, id=3).kind == "done"
    for one in links[10:]:
        one.socket.close()
    assert links[0].ask("watch", struct.pack("<I", 0), model=links[0].model).kind == "done"
    replace(path, "robot.glb")
    assert [one.read().kind for one in links[1:10]] == ["changed"] * 9
    answer = links[0].ask("find", find("skin", index=0), model=links[0].model)
    assert answer.has("changed") and answer.generation == 2
    for one in links[:10]:
        one.socket.close()


@pytest.mark.parametrize("rate", [0, 1000, 1e-300, 5e-324])
def test_a_stream_as_fast_as_it_goes_does_not_stop_the_others(streaming, rate):
    with Link(streaming.ports["tcp"]) as fast, Link(streaming.ports["tcp"]) as other:
        model = fast.open("dragon.glb")
        for id in range(16):
            fast.send(packet("subscribe", subscribe(credit=2**31, rate=rate), id=id, model=model))
        for _ in range(20):
            assert other.ask("ping").kind == "done" and streaming.get("/healthz").status == 200
        fast.send(packet("ping", id=99))
        kinds = {id: [] for id in [*range(16), 99]}
        while not kinds[99]:
            one = fast.read()
            kinds[one.id].append(one.kind)
        assert all(of[0] == "done" for of in kinds.values())


def test_a_position_that_leaves_the_numbers_ends_the_stream(link):
    begin(link, 7, subscribe(credit=2**31, rate=1000, position_s=1.7e308, speed=1e308))
    while (last := link.read()).kind == "stream":
        pass
    assert last.error()[0] == 42 and last.has("last")
    assert link.ask("ping").kind == "done"


def test_a_client_that_shuts_down_its_side_gets_no_more_frames(link):
    begin(link, 7, subscribe(credit=2**31, rate=500))
    frames(link, 2)
    link.socket.shutdown(1)
    while (one := link.read()) is not None:
        assert one.kind == "stream"
