"""The codec of the binary protocol: tables, the worked examples, and answers that are cut or lie about their lengths."""
import gzip
import itertools
import re
import socket
import struct
import threading
import tracemalloc

import packet_examples  # tests/api/support: reads protocol/examples
import packets as oracle  # tests/api/support: a client made from packets.def alone
import pytest

from conftest import PROTOCOL, start
from posed import Frames, PosedError, ProtocolError, connect, crowd, errors, packets
from posed.address import Address, parse
from posed.http import HttpTransport
from posed.packets import Query, Reader

EXAMPLES = sorted(path.stem for path in (PROTOCOL / "examples").glob("*.txt"))
FLAG = packets.QUERY_FLAGS


def test_tables_are_those_of_the_protocol():
    assert packets.KINDS == oracle.KIND
    flags = {part: {name: value for (p, name), value in oracle.FLAG.items() if p == part} for part in ("header", "query", "control")}
    assert (packets.HEADER_FLAGS, packets.QUERY_FLAGS, packets.CONTROL_FLAGS) == (flags["header"], flags["query"], flags["control"])
    rows = re.findall(r'^X\(ERR_\w+, (\d+), (\d+), "(\w+)"', (PROTOCOL / "errors.def").read_text(), re.M)
    assert errors.CODES == {int(number): (name, int(status)) for number, status, name in rows}


#: the client's packets for each request of an example, in their order
REQUESTS = {
    "hello": [packets.hello()],
    "hello_token": [packets.hello("a-token-of-20-letters")],
    "open": [packets.packet("open", b"awkward.gltf", 1)],
    "find": [packets.packet("find", packets.find("clip", "bend"), 2, 1), packets.packet("find", packets.find_index("skin", 0), 3, 1),
             packets.packet("find", packets.find("clip", "bent"), 4, 1)],
    "palette": [packets.packet("palette", Query(clip=0, layout=1, times=[0.5], indices=[0]).payload(), 5, 1)],
    "pose": [packets.packet("pose", Query(clip=0, what=1, flags=FLAG["range"], times=[0, 1, 2], indices=[2]).payload(), 6, 1, 1)],
    "mesh": [packets.packet("mesh", Query(clip=-1, mesh=1).payload(), 7, 1)],
    "render": [packets.packet("render", Query(clip=0, times=[0.5]).render(64, 48, bytes(4), 90, 0), 8, 1)],
    "info": [packets.packet("info", b"", 9, 1)],
    "call": [packets.packet("call", packets.call("/healthz"), 10),
             packets.packet("call", packets.call("/v1/bounds", b'{"clip":"bend","t":0.5}'), 11, 1)],
    "batch": [packets.packet("call", packets.call(
        "/v1/query", b'{"queries":[{"op":"pose","model":"awkward.gltf","joints":["arm"]}]}'), 12)],
    "stream": [packets.packet("subscribe", Query(clip=0, layout=1, indices=[0]).subscribe("palette", True, 2, 60, 0, 1), 13, 1),
               packets.packet("control", packets.control(13, position_s=0.5), 14), packets.packet("credit", packets.credit(13, 1), 15),
               packets.packet("unsubscribe", packets.unsubscribe(13), 16)],
    "crowd": [packets.packet("crowd", crowd.build(
        ["awkward.gltf"], [crowd.Entity(layers=[crowd.Layer(clip=0, time_s=0.5)], layout="mat3x4")], None, None, [], [crowd.Wanted(joints=[0])], []), 24)],
    "watch": [packets.packet("watch", packets.watch(True), 17, 1), packets.packet("ping", b"", 18), packets.packet("close", b"", 19, 1)],
}


@pytest.mark.parametrize("name", REQUESTS)
def test_requests_are_the_bytes_of_the_examples(name):
    asked = [bytes(step.bytes) for step in packet_examples.load(name)[1] if step.is_client]
    assert REQUESTS[name] == asked


def test_every_example_is_looked_at():
    assert set(EXAMPLES) == set(REQUESTS) | {"errors", "malformed", "raycast"}  # test_raycast.py has that one


def answers():
    """(name, whole packets of the server) of the examples that contain whole packets."""
    for name in EXAMPLES:
        for i, step in enumerate(packet_examples.load(name)[1]):
            if not step.is_client and not step.has_rest:
                yield f"{name}-{i}", bytes(byte or 0 for byte in step.bytes)


def read(data, step=1 << 30, payload_max=1 << 20):
    """Parse `data` as a packet, fed `step` bytes at a time; None if it is incomplete."""
    reader = Reader(payload_max)
    while data:
        want = reader.want()
        part, data = data[:min(step, len(want))], data[min(step, len(want)):]
        want[:len(part)] = part
        packet = reader.took(len(part))
        if packet is not None:
            assert not data
            return packet
    return None


def understand(packet):
    """Everything that the client parses from a packet."""
    if packet.kind == "error":
        return packet.error()
    if packet.kind == "stream":
        return Frames(packets.read_stream(packet)[3])
    takers = {"hello": packets.read_hello, "opened": packets.read_opened, "found": packets.read_found, "changed": packets.read_changed,
              "frames": lambda answer: Frames(answer.body)}
    return takers.get(packet.kind, lambda answer: answer)(packet)


@pytest.mark.parametrize("name, data", answers())
def test_answers_of_the_examples_are_understood(name, data):
    for step in 1, 7, 1 << 30:
        packet = read(data, step)
        reference = oracle.view("header", data[:32])
        assert (packet.kind, packet.id, packet.model, packet.code) == (
            oracle.NAME[reference["kind"]], reference["id"], reference["model"], reference["code"])
        understand(packet)


@pytest.mark.parametrize("name, data", answers())
def test_a_payload_that_is_cut_is_refused(name, data):
    """Cut the payload at every length in a well-formed packet: the only exception is ProtocolError."""
    size, kind = struct.unpack_from("<IH", data)
    fixed = {"hello": 64, "error": 16, "opened": 48, "found": 48, "stream": 16, "changed": 32, "frames": size}
    for shorter in range(size):
        cut = bytearray(oracle.pad(data[:32 + shorter]))
        struct.pack_into("<I", cut, 0, shorter)
        try:
            understand(read(bytes(cut)))
            assert shorter >= fixed.get(oracle.NAME[kind], 0)
        except ProtocolError as error:
            assert error.code == "bad_answer" and error.message
        except PosedError as error:
            assert False, error


class Impostor:
    """A server that sends these bytes to each client, then closes."""

    def __init__(self, data, stays=False):
        self.data, self.stays = data, stays
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.address = "127.0.0.1:%d" % self.socket.getsockname()[1]
        self.thread = threading.Thread(target=self.serve, daemon=True)
        self.thread.start()

    def serve(self):
        kept = []
        while True:
            try:
                link, _ = self.socket.accept()
            except OSError:
                return
            kept.append(link)
            try:
                link.sendall(self.data)
                if not self.stays:
                    link.shutdown(socket.SHUT_WR)
            except OSError:
                pass  # the client refused the bytes and left

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.shutdown(socket.SHUT_RDWR)
        self.socket.close()


def hello_bytes():
    return bytes(byte or 0 for byte in packet_examples.load("hello")[1][1].bytes)


def answers_to_a_palette():
    """The server's answers to a client that asks for a palette: hello, opened, frames; and where each of them ends."""
    opened = bytes(byte or 0 for byte in packet_examples.load("open")[1][1].bytes)
    frames = bytearray(byte or 0 for byte in packet_examples.load("palette")[1][1].bytes)
    struct.pack_into("<I", frames, 8, 2)
    return [hello_bytes(), opened, bytes(frames)]


def test_what_the_impostor_says_in_full_is_an_answer():
    with Impostor(b"".join(answers_to_a_palette())) as impostor, connect(impostor.address) as client:
        assert client.model("awkward.gltf").palette(0, 0.5, layout="mat3x4").shape == (2, 3, 4)


def test_every_truncation_of_the_server_is_an_error():
    whole = b"".join(answers_to_a_palette())
    ends = set(itertools.accumulate(len(part) for part in answers_to_a_palette()))
    for size in range(len(whole)):
        with Impostor(whole[:size]) as impostor:
            with pytest.raises(PosedError) as caught, connect(impostor.address, reconnect_tries=0) as client:
                client.model("awkward.gltf").palette(0, 0.5, layout="mat3x4")
            assert caught.value.code == ("connection_lost" if size in ends | {0} else "bad_answer"), size


@pytest.mark.parametrize("size", [2**32 - 1, 2**31, (1 << 20) + 1])
def test_a_hostile_length_is_refused_before_memory_is_taken(size):
    hostile = struct.pack("<IHHIIIHHII", size, packets.KINDS["frames"], 0, 2, 1, 1, 0, 0, 0, 0)
    tracemalloc.start()
    with Impostor(b"".join(answers_to_a_palette()[:2]) + hostile, stays=True) as impostor:
        with connect(impostor.address, answer_max_bytes=1 << 20) as client, pytest.raises(ProtocolError, match="answer_max_bytes"):
            client.model("awkward.gltf").palette(0, 0.5)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 4 << 20


def test_a_hostile_content_length_is_refused():
    with Impostor(b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n", stays=True) as impostor:
        with connect("http://" + impostor.address) as client, pytest.raises(ProtocolError, match="answer_max_bytes"):
            client.version()


@pytest.mark.parametrize("body, message", [
    (gzip.compress(b'{"name":"posed"}', mtime=0), None),
    (gzip.compress(bytes(1 << 21), mtime=0), "answer_max_bytes"),
    (gzip.compress(b'{"name":"posed"}', mtime=0)[:-9], "cut"),
    (b"no gzip", "gzip"),
])
def test_packed_answers_are_unpacked_within_the_limit(monkeypatch, body, message):
    monkeypatch.setattr(Address, "is_local", False)
    head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % len(body)
    with Impostor(head + body, stays=True) as impostor, connect("http://" + impostor.address, answer_max_bytes=1 << 20) as client:
        if message is None:
            assert client.version() == {"name": "posed"}
        else:
            with pytest.raises(ProtocolError, match=message):
                client.version()


def test_packed_and_plain_answers_are_the_same(server, monkeypatch):
    answers = {}
    for is_local in (True, False):
        monkeypatch.setattr(Address, "is_local", is_local)
        transport = HttpTransport(parse("http://" + server.ports["http"]), None, 10, 1 << 24)
        answers[is_local] = transport.ask("/v1/pose", {"model": "robot.glb", "t": "0:1:30"})
        transport.close()
    assert answers[True].body == answers[False].body and len(answers[True].body) > 8192
    assert "gzip" in answers[False].headers["etag"] and "gzip" not in answers[True].headers["etag"]


FRAMES = 32  # offset of the frames in the packet


@pytest.mark.parametrize("offset, letter, value", [
    (0, "4s", b"PSDX"), (4, "H", 2), (6, "H", 3), (8, "I", 100), (12, "H", 9), (14, "H", 7), (16, "I", 2**32 - 1), (20, "I", 2**32 - 1),
    (28, "I", 3), (32, "Q", 2**64 - 1), (32, "Q", 1 << 20), (40, "Q", 2**64 - 1), (40, "Q", 8), (48, "Q", 0), (96 + 16, "I", 2**32 - 1),
    (96 + 20, "I", 4), (96 + 24, "Q", 2**64 - 1), (96 + 24, "Q", 16)])
def test_frames_that_lie_are_refused(offset, letter, value):
    good = answers_to_a_palette()[2][FRAMES:]
    good = good[:struct.unpack_from("<Q", good, 48)[0]]
    assert Frames(good).array(Frames(good).blocks[0], 0).shape == (2, 3, 4)
    bad = bytearray(good)
    struct.pack_into("<" + letter, bad, offset, value)
    with pytest.raises(ProtocolError):
        Frames(bad)


def test_any_changed_byte_is_read_or_refused():
    """A changed byte of frames never makes the reader fail in another way or read outside the answer."""
    good = answers_to_a_palette()[2][FRAMES:]
    good = good[:struct.unpack_from("<Q", good, 48)[0]]
    for at in range(96 + 32):
        for value in 0, 1, 0x7f, 0x80, 0xff:
            bad = bytearray(good)
            bad[at] = value
            try:
                frames = Frames(bad)
                for block in frames.blocks:
                    frames.array(block).sum()
            except ProtocolError:
                pass


@pytest.mark.parametrize("data, message", [
    (b"HTTP/1.1 400 Bad Request\r\n\r\n", "HTTP"), (b"\0" * 64, "kind|0 packet|hello"), (b"SSH-2.0-OpenSSH_9.2p1 Debian-2\r\n" * 9, "bytes|malformed")],
    ids=["http", "zeros", "ssh"])
def test_something_else_that_answers_is_named(data, message):
    with Impostor(data) as impostor, pytest.raises(PosedError, match=message):
        with connect(impostor.address) as client:
            client.version()


def test_a_port_that_only_has_http_is_spoken_http_to(root):
    with start(root) as server, connect(server.ports["http"]) as client:
        assert client.version()["name"] == "posed"
        assert client.model("robot.glb").palette("walk", 0.5).shape == (19, 4, 4)
        # streams go over a WebSocket there
        with client.model("robot.glb").stream("palette", "walk", position_s=0.5, speed=0) as stream:
            assert (next(stream).palette == client.model("robot.glb").palette("walk", 0.5)).all()


def test_a_clip_file_stands_among_the_models_or_is_put_behind_them():
    layers = [crowd.Layer(clip=1), crowd.Layer(clip_file="b.glb"), crowd.Layer(additive=True, reference_clip=3, clip_file="c.glb"), crowd.Layer(clip_file="a.glb")]
    build = lambda *models: crowd.build(models, [crowd.Entity(layers)], None, None, [], [crowd.Wanted()], [])
    data = build("a.glb", "b.glb")
    assert data == build("a.glb", "b.glb", "c.glb")
    assert [struct.unpack_from("<H", data, 64 + 24 + 40 * i + 26)[0] for i in range(4)] == [0, 2, 3, 1] and struct.unpack_from("<I", data, 24) == (3,)
