"""The C client when its connection ends. Another one replaces it, and the caller gets only what it asked for."""
import os
import re
import shutil
import struct
import subprocess

import pytest

import packets
from client_probe import Probe
from conftest import BUILD, PATIENCE_S, SAMPLES, Server
from cutting_relay import CuttingRelay

pytestmark = pytest.mark.short
KIND = packets.KIND


@pytest.fixture(scope="module")
def running(tmp_path_factory):
    if os.environ.get("POSED_SERVER"):
        pytest.skip("needs a server of its own")
    root = tmp_path_factory.mktemp("reconnect")
    for name in "dragon.glb", "robot.glb":
        shutil.copy(SAMPLES / name, root / name)
    server = Server(root, "--tcp", "127.0.0.1:0")
    server.root = root
    yield server
    server.end()


LINES = ["open dragon.glb", "palette clip=1 t=0.3", "find clip fly", "info", "palette clip=0 t=0.5", "ping"]


def answers(address, lines=LINES):
    with Probe(address) as probe:
        return [probe.ask(line) for line in lines], probe.ask("reconnects")


@pytest.mark.parametrize("is_reset", [False, True])
def test_a_cut_at_any_byte_is_not_seen(running, is_reset):
    tcp = running.ports["tcp"]
    expected, _ = answers(tcp)
    with CuttingRelay(tcp) as relay:
        answers(relay.address)
        whole = relay.passed[0]
    hello = 32 + 64
    opened = hello + 32 + 48
    interesting = {0, 1, 31, 32, 33, hello - 1, hello, hello + 1, hello + 32, opened - 1, opened, opened + 1, opened + 32, opened + 200,
                   whole - 33, whole - 32, whole - 1}
    interesting |= set(range(opened, whole, max(1, whole // 12)))
    for size in sorted(interesting):
        with CuttingRelay(tcp, [size], is_reset) as relay:
            got, _ = answers(relay.address)
            assert got == expected, size
            assert len(relay.passed) == 2, size


def test_a_request_is_made_twice_at_most(running):
    with CuttingRelay(running.ports["tcp"]) as relay:
        answers(relay.address, LINES[:1])
        opened = relay.passed[0]
    with CuttingRelay(running.ports["tcp"], [opened + 5, opened + 5, opened + 5]) as relay, Probe(relay.address) as probe:
        assert probe.ask("open dragon.glb").startswith("opened ")
        failed = probe.ask("palette t=0.3")
        assert re.match(r"failed -3 gave up on palette after \d+ tries in \d+ ms: the server closed the connection", failed), failed
        assert len(relay.passed) == 2


def test_it_gives_up_within_its_bounds_and_says_so(running):
    for bounds in dict(PROBE_TRIES="3"), dict(PROBE_MS="300"):
        with CuttingRelay(running.ports["tcp"]) as relay, Probe(relay.address, **bounds) as probe:
            assert probe.ask("ping") == "done"
            relay.refuse()
            relay.sever()
            failed = probe.ask("call /v1/version")
            tries = int(re.match(r"failed -3 gave up on [a-z ]+ after (\d+) tries in \d+ ms: .*Connection refused", failed)[1])
            # Pauses double: 300 ms are over long before the default of ten tries.
            assert tries <= (4 if "PROBE_TRIES" in bounds else 6)
            assert probe.ask("ping").startswith("failed -1 ")


def test_it_can_be_switched_off(running):
    with CuttingRelay(running.ports["tcp"]) as relay, Probe(relay.address, PROBE_TRIES="-1") as probe:
        assert probe.ask("ping") == "done"
        relay.sever()
        assert probe.ask("ping").startswith("failed -3 the server closed the connection")
        assert len(relay.passed) == 1


def test_models_keep_their_numbers(running):
    with CuttingRelay(running.ports["tcp"]) as relay, Probe(relay.address) as probe:
        assert probe.ask("open robot.glb").split()[1] == "1"
        assert probe.ask("close") == "done"
        assert probe.ask("open dragon.glb").split()[1] == "1"
        dragon = probe.ask("palette t=0.3")
        relay.sever()
        assert probe.ask("open robot.glb").split()[1] == "2"
        relay.sever()
        robot = probe.ask("palette t=0.3")
        assert robot != dragon and robot == answers(running.ports["tcp"], ["open robot.glb", "palette t=0.3"])[0][1]
        assert probe.ask("close") == "done"
        assert probe.ask("open dragon.glb").split()[1] == "2"
        assert probe.ask("palette t=0.3") == dragon
        assert probe.ask("reconnects") == "2"


def test_pipelined_requests_are_made_again_in_their_order(running):
    times = [i / 10 for i in range(8)]
    lines = ["open dragon.glb", *(f"palette t={t}" for t in times)]
    expected = answers(running.ports["tcp"], lines)[0][1:]
    with CuttingRelay(running.ports["tcp"]) as relay:
        answers(relay.address, lines[:2])
        one = relay.passed[0]
    for size in range(200, one + 4000, 1777):
        with CuttingRelay(running.ports["tcp"], [size]) as relay, Probe(relay.address) as probe:
            assert probe.ask("open dragon.glb").startswith("opened ")
            assert [probe.ask(f"send palette t={t}") for t in times] == ["done"] * len(times)
            assert [probe.ask("next 60000") for _ in times] == expected, size


@pytest.mark.parametrize("rate", [250, 0])
def test_a_stream_goes_on_behind_its_last_frame(running, rate):
    def frame(probe):
        payload = probe.payload("next 60000", "stream")
        tick, skipped, _ = struct.unpack_from("<Q2I", payload)
        frames = payload[16:]
        blocks, = struct.unpack_from("<I", frames, 20)
        return tick, skipped, struct.unpack_from("<d", frames, 96 + 32 * blocks)[0]
    with CuttingRelay(running.ports["tcp"]) as relay, Probe(relay.address) as probe:
        probe.ask("open dragon.glb")
        assert probe.ask(f"subscribe kind=5 credit=100000 stream_rate={rate} stream_speed=0.5 position=0.25") == "done"
        seen = []
        for _ in range(3):
            seen += [frame(probe) for _ in range(6)]
            relay.sever()
        seen += [frame(probe) for _ in range(6)]
        ticks = [tick for tick, _, _ in seen]
        for (tick, skipped, time_s), (before, _, earlier_s) in zip(seen[1:], seen):
            assert tick == before + 1 + skipped, ticks
            if rate:
                assert time_s - earlier_s == pytest.approx((tick - before) * 0.5 / rate, abs=1e-9)
            else:
                assert time_s >= earlier_s
        assert probe.ask("control steer=1") == "done"
        relay.sever()
        assert probe.ask("control steer=4 seek=1.5") == "done"
        while frame(probe)[2] != 1.5:
            pass
        assert probe.ask("unsubscribe") == "done"
        assert probe.ask("next 30") == "nothing"


def test_a_watch_tells_what_changed_between_two_connections(running, tmp_path):
    model = running.root / "watched.glb"
    shutil.copy(SAMPLES / "robot.glb", model)
    with CuttingRelay(running.ports["tcp"]) as relay, Probe(relay.address) as probe:
        first = probe.ask("open watched.glb").split()[-1]
        assert probe.ask("watch 1") == "done"
        relay.sever()
        while probe.ask("reconnects") != "1":
            assert probe.ask("next 100") == "nothing"
        relay.refuse()
        relay.sever()
        shutil.copy(SAMPLES / "dragon.glb", tmp_path / "new.glb")
        os.replace(tmp_path / "new.glb", model)
        relay.listen()
        changed = probe.ask("next 60000").split()
        assert changed[:2] == [str(KIND["changed"]), "2"] and changed[2] != first
        assert probe.ask("palette wanted=1").startswith("error 26 ")
        assert probe.payload("palette wanted=2 t=0.1", "frames") == running.get("/v1/palette?model=watched.glb&t=0.1&format=bin").body


def test_a_server_that_drains_and_its_successor(running):
    old = Server(running.root, "--tcp", "127.0.0.1:0")
    with CuttingRelay(old.ports["tcp"]) as relay, Probe(relay.address) as probe:
        probe.ask("open dragon.glb")
        before = probe.ask("palette t=0.3")
        relay.target = running.ports["tcp"]
        old.end()
        assert probe.ask("palette t=0.3") == before
        assert probe.ask("reconnects") == "1"


def posectl(*arguments):
    done = subprocess.run([BUILD / "posectl", *arguments], capture_output=True, text=True, timeout=PATIENCE_S)
    return done.returncode, done.stdout, done.stderr


def test_posectl_asks_again_and_says_when_it_gave_up(running):
    asked = ["palette", "robot.glb", "--clip", "walk", "--t", "0.3", "--json", "--server"]
    expected = posectl(*asked, running.ports["tcp"])
    assert expected[0] == 0
    for size in 0, 50, 96, 120, 1000:
        with CuttingRelay(running.ports["tcp"], [size]) as relay:
            assert posectl(*asked, relay.address) == expected, size
            assert len(relay.passed) == 2, size
    with CuttingRelay(running.ports["tcp"], [120]) as relay:
        status, _, said = posectl(*asked, relay.address, "--reconnect", "0")
        assert status == 3 and "the server closed the connection" in said and "gave up" not in said, said
        assert len(relay.passed) == 1
    with CuttingRelay(running.ports["tcp"], [120, 120]) as relay:
        status, _, said = posectl(*asked, relay.address)
        assert status == 3 and re.search(r"gave up on call after 2 tries in \d+ ms: the server closed the connection", said), said
