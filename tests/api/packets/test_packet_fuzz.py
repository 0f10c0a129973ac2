"""Ten thousand random packets, from fixed seeds. Each is answered or ends its connection. The server survives, and its memory does not
grow. tests/fuzz/fuzz_packets.c looks for more with a fuzzer."""

import pathlib
import random
import shutil
import socket
import struct

import pytest

import packets
from conftest import SAMPLES, is_sanitized
from packets import HEADER, Link, WebSocketLink, call, control, find, packet, query, render, subscribe

DRAWS = False

pytestmark = pytest.mark.short
SEEDS, PACKETS_EACH = 20, 500
EDGES = [0, 1, 2, 3, 7, 127, 128, 255, 256, 65535, 65536, 2**31 - 1, 2**31, 2**32 - 2, 2**32 - 1]
NUMBERS = [0.0, -0.0, 0.5, -1.0, 1e-300, 1e300, float("inf"), float("-inf"), float("nan"), 1000.0, 1001.0]
PING = 0xfffffff0


def rss_bytes(server):
    text = pathlib.Path(f"/proc/{server.process.pid}/status").read_text()
    return int(text.split("VmRSS:")[1].split()[0]) * 1024


def a_payload(chance):
    """(kind, payload) of a request as a client might send it."""
    times = [chance.choice(NUMBERS[:4]) for _ in range(chance.randrange(4))]
    indices = [chance.randrange(5) for _ in range(chance.randrange(3))]
    names = chance.sample([name for part, name in packets.FLAG if part == "query"], chance.randrange(3))
    number = chance.randrange(1, 4)
    return chance.choice([
        lambda: ("open", chance.choice([b"dragon.glb", b"nothing.glb", b"../x", b"", bytes(5), chance.randbytes(20)])),
        lambda: ("close", b""),
        lambda: ("find", find(chance.choice(["clip", "skin", "node", "mesh"]), chance.choice(["fly", "", None, "x" * 300]),
                              0)),
        lambda: ("info", b""),
        lambda: (chance.choice(["palette", "pose", "mesh"]), query(times, indices, names, clip=chance.randrange(-2, 4),
                                                                   wrap=chance.randrange(3), layout=chance.randrange(3))),
        lambda: ("render", render(times[:1], clip=0, width=8, height=8, yaw_deg=chance.choice(NUMBERS))),
        lambda: ("call", call(chance.choice(["/v1/pose?t=0", "/v1/bounds", "/v1/version", "/v1/stats", "/v1/models", "/x", "*"]),
                              chance.choice([None, "{}", "[]", '{"t":[0,1]}', '{"layers":[{"clip":0}]}', "{" * 50]))),
        lambda: ("subscribe", subscribe(chance.choice(["palette", "pose", "mesh", "ping"]), indices, credit=chance.choice(EDGES),
                                        rate=chance.choice(NUMBERS), position_s=chance.choice(NUMBERS), is_paused=chance.randrange(3))),
        lambda: ("control", control(number, *chance.sample(["pause", "resume", "seek", "speed", "rate"], 2), speed=chance.choice(NUMBERS),
                                    rate=chance.choice(NUMBERS), position_s=chance.choice(NUMBERS))),
        lambda: ("credit", struct.pack("<II", number, chance.choice(EDGES))),
        lambda: ("unsubscribe", struct.pack("<I", number)),
        lambda: ("watch", struct.pack("<I", chance.randrange(3))),
        lambda: ("ping", b""),
        lambda: (chance.randrange(70000) & 0xffff, chance.randbytes(chance.randrange(100))),
    ])()


def a_packet(chance):
    """(bytes, whether the reader on the other side finds its end)"""
    kind, payload = a_payload(chance)
    data = bytearray(packet(kind, payload, id=chance.randrange(1, 4), model=chance.choice([0, 1, 1, 1, 2, 99]),
                            generation=chance.choice([0, 0, 0, 1, 2])))
    change = chance.randrange(4)
    if change == 1 and len(payload):  # another value in a field of the payload
        at = HEADER + 4 * chance.randrange((len(payload) + 3) // 4)
        data[at:at + 4] = struct.pack("<I", chance.choice(EDGES))[:max(0, HEADER + len(payload) - at)] + bytes(
            max(0, at + 4 - HEADER - len(payload)))
    elif change == 2:  # random bits
        for _ in range(chance.randrange(1, 4)):
            data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    elif change == 3 and chance.randrange(4) == 0:  # cut off, or with bytes appended
        data = data[:chance.randrange(len(data))] if chance.randrange(2) else data + chance.randbytes(chance.randrange(1, 40))
    claimed = struct.unpack("<I", data[:4])[0] if len(data) >= HEADER else -1
    return bytes(data), claimed >= 0 and HEADER + claimed + -claimed % 16 == len(data)


def a_link(server, chance):
    link = WebSocketLink(server.address) if chance.randrange(4) == 0 else Link(server.ports["tcp"])
    assert link.hello.kind == "hello"
    link.send(packet("open", b"dragon.glb", id=77))
    return link


def is_alive_after(link, data, has_end):
    """Send it; true if the connection goes on."""
    try:
        link.send(data + packet("ping", id=PING) if has_end else data)
        if not has_end:
            link.socket.shutdown(socket.SHUT_WR)
        while (answer := link.read()) is not None:
            if answer.id == PING and answer.kind == "done":
                return True
            if answer.kind == "error":
                answer.error()
                if answer.has("closing"):
                    assert link.read() is None
                    return False
    except (ConnectionError, BrokenPipeError):
        pass
    return False


def test_packets_of_chance(start, tmp_path):
    shutil.copy(SAMPLES / "dragon.glb", tmp_path)
    own = start("--tcp", "127.0.0.1:0", "--max-frames", "200", "--max-picture-side", "16", "--log", "off")
    sent, ended, before = 0, 0, None
    for seed in range(SEEDS):
        chance = random.Random(seed)
        link = a_link(own, chance)
        for _ in range(PACKETS_EACH):
            data, has_end = a_packet(chance)
            sent += 1
            if not is_alive_after(link, data, has_end):
                link.socket.close()
                link = a_link(own, chance)
                ended += 1
        link.socket.close()
        if seed == 2:  # everything that the server keeps was needed once
            before = rss_bytes(own)
    assert sent == SEEDS * PACKETS_EACH and ended < sent / 2
    with Link(own.ports["tcp"]) as one:
        model = one.open("dragon.glb")
        assert one.ask("palette", query([0.5], clip=0), model=model).kind == "frames"
    stats = own.json("/v1/stats")
    assert stats["streams"]["open"] == 0 and stats["client_memory"]["bytes"] < 1 << 20
    if not is_sanitized():
        assert rss_bytes(own) - before < 30 << 20
    own.end()
    assert own.process.returncode == 0, "nothing is lost"


def test_bytes_of_chance(start, tmp_path):
    """Bytes that are no protocol: hellos of any kind, and then anything."""
    own = start("--tcp", "127.0.0.1:0", "--log", "off")
    chance = random.Random(1)
    for i in range(500):
        with Link(own.ports["tcp"], greet=False) as one:
            start_bytes = chance.choice([b"", packets.MAGIC[:chance.randrange(9)], packets.hello(), packets.hello(chance.randbytes(30))])
            try:
                one.send(start_bytes + chance.randbytes(chance.randrange(300)))
                one.socket.shutdown(socket.SHUT_WR)
                while one.socket.recv(65536):
                    pass
            except ConnectionError:
                pass
    assert own.get("/healthz").status == 200
