"""Rows of packets that differ only in id and time have the same answers as single packets."""
import math
import random
import shutil

import pytest

import packets
from conftest import SAMPLES, Server, wait_until
from packets import packet, query

DRAWS = False

pytestmark = pytest.mark.short
TIME_BYTES = 8


@pytest.fixture(scope="module")
def quiet(tmp_path_factory):
    """A server that logs no requests: with a log it times each one, and does not take rows together."""
    root = tmp_path_factory.mktemp("rows")
    for name in "dragon.glb", "robot.glb":
        shutil.copy(SAMPLES / name, root / name)
    running = Server(root, "--log", "off", "--tcp", "127.0.0.1:0", "--render-workers", "0")
    yield running
    code = running.process.poll()
    running.end()
    assert code is None, f"the server died with {code}"


@pytest.fixture(params=["tcp", "ws"])
def link(quiet, request):
    with packets.connect(quiet.ports, request.param) as one:
        yield one


def counts(server):
    return server.json("/v1/stats")["requests"]


def palette(time, id, model, **values):
    return packet("palette", query([time], clip=0, **values), id, model)


def alone(link, payloads):
    """The answers to the packets, one at a time."""
    found = []
    for data in payloads:
        link.send(data)
        found.append(link.read().bytes)
    return found


def together(link, data, count):
    link.send(data)
    return [link.read().bytes for _ in range(count)]


@pytest.mark.parametrize("layout", [0, 1])
def test_a_row_has_the_bytes_of_its_packets(quiet, link, layout):
    model = link.open("robot.glb")
    rows = [palette(random.Random(i).uniform(-9, 9), 7 * i + 1, model, layout=layout) for i in range(100)]
    single = alone(link, rows)

    def is_repeated():
        """On a busy machine the server may have to look at the model's files first, and then takes each packet alone."""
        before = counts(quiet)
        assert together(link, b"".join(rows), len(rows)) == single
        after = counts(quiet)
        assert after["answered"] - before["answered"] == len(rows) + 1  # and that of the statistics themselves
        return after["repeated"] - before["repeated"] == len(rows)

    wait_until(is_repeated, "the packets are not taken together")


def test_rows_of_several_models_and_layouts(link):
    models = [link.open(name) for name in ("robot.glb", "dragon.glb", "robot.glb")]
    chosen = random.Random(3)
    rows, count = [], 0
    while len(rows) < 200:
        model, layout = chosen.choice(models), chosen.choice((0, 1))
        for _ in range(chosen.randint(1, 40)):
            rows.append(palette(chosen.uniform(0, 5), count, model, layout=layout))
            count += 1
    single = alone(link, rows)
    assert together(link, b"".join(rows), len(rows)) == single


def test_a_row_that_comes_in_parts(link):
    model = link.open("robot.glb")
    rows = [palette(0.01 * i, i, model) for i in range(64)]
    single = alone(link, rows)
    data = b"".join(rows)
    for size in 1, 111, 113, 1000:
        got = []
        for at in range(0, len(data), size):
            link.send(data[at:at + size])
        got = [link.read().bytes for _ in rows]
        assert got == single


@pytest.mark.parametrize("wrong", [math.nan, math.inf, -math.inf])
def test_one_wrong_time_within_a_row_fails_alone(link, wrong):
    model = link.open("robot.glb")
    times = [0.1, 0.2, 0.3, wrong, 0.4, 0.5]
    rows = [palette(time, i, model) for i, time in enumerate(times)]
    link.send(b"".join(rows))
    answers = [link.read() for _ in rows]
    assert [answer.kind for answer in answers] == ["frames"] * 3 + ["error"] + ["frames"] * 2
    assert [answer.id for answer in answers] == list(range(6))
    assert "'t' is not a finite number" in answers[3].error()[2]


def test_a_malformed_packet_behind_a_row_is_told_with_its_byte(quiet):
    """The offset counts the packets of the row, too."""
    with packets.connect(quiet.ports, "tcp") as one:
        model = one.open("robot.glb")
        sent = len(packets.hello()) + len(packet("open", b"robot.glb"))
        rows = b"".join(palette(0.1 * i, i, model) for i in range(20))
        broken = bytearray(palette(0.5, 99, model))
        broken[6] = 1  # flags of a request are 0
        one.send(rows + bytes(broken))
        answers = [one.read() for _ in range(21)]
        assert [answer.kind for answer in answers] == ["frames"] * 20 + ["error"]
        assert answers[20].error()[1] == sent + len(rows) + 6


def test_a_changed_model_ends_the_row(tmp_path):
    """Answers before the change have one content, those after it the other. The flag marks the change once."""
    shutil.copy(SAMPLES / "robot.glb", tmp_path / "it.glb")
    server = Server(tmp_path, "--log", "off", "--tcp", "127.0.0.1:0", "--render-workers", "0")
    try:
        with packets.connect(server.ports, "tcp") as one:
            model = one.open("it.glb")
            row = b"".join(palette(0.1 * i, i, model) for i in range(16))
            first = [one.read() for _ in range(16) if _ or one.send(row) is None]
            assert {answer.generation for answer in first} == {first[0].generation}
            shutil.copy(SAMPLES / "dragon.glb", tmp_path / "new.glb")
            (tmp_path / "new.glb").rename(tmp_path / "it.glb")
            changed = False
            for _ in range(500):
                one.send(row)
                answers = [one.read() for _ in range(16)]
                flags = [answer.has("changed") for answer in answers]
                generations = [answer.generation for answer in answers]
                assert generations == sorted(generations) and sum(flags) <= 1
                if any(flags):
                    assert generations[flags.index(True)] == first[0].generation + 1
                    changed = True
                    break
            assert changed, "the change was never told"
    finally:
        server.end()
