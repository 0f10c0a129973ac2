"""A stand-in for a server that answers whatever it likes, and texts that a terminal would obey."""
import json
import random
import re
import socket
import struct
import threading

from conftest import REPOSITORY
from packets import HEADER, KIND, fields, hello, packet, pad

# ESC, a bell, a line feed, DEL, C1's CSI, all marks of direction, special characters of XML and Markdown
HOSTILE = "\x1b[31mred\x07\n\r\x7f\x9b2J" + "".join(map(chr, [*range(0x202A, 0x202F), *range(0x2066, 0x206A)])) + "<b>'\"&|`"
# characters that must not be printed: all except line feed and tab, which posectl itself writes (in a pipe it has no colours)
OBEYED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")

# every member that posectl reads in an answer
MEMBERS = sorted({name for path in (REPOSITORY / "clients/cli").rglob("*.c")
                  for name in re.findall(r'(?:json_(?:get|child)|member_(?:text|number|index))\([^"\n]*"(\w+)"', path.read_text())})
VALUES = [None, True, 0, -1, 1, 3, 0.5, 1e18, 1e308, "", "x", HOSTILE, "x" * 500, [], {}, [[]], [None], [{}], [HOSTILE] * 3, [1.5] * 16, [0, 1, 2]]


def document(chance, depth=3):
    """An object with most members, of any types."""
    def value(level):
        kind = chance.random()
        if level == 0 or kind < 0.3:
            return chance.choice(VALUES)
        if kind < 0.65:
            return [value(level - 1) for _ in range(chance.randrange(4))]
        return {name: value(level - 1) for name in chance.sample(MEMBERS, 12)}
    return {name: value(depth - 1) for name in MEMBERS if chance.random() < 0.8}


PLAIN = [b"", b"{", b"null", b"[]", b"[1,2]", b'"text"', b"17", b"{}", b"[" * 5000, b'{"error":', b"\xff\xfe{}", json.dumps(HOSTILE).encode(),
         json.dumps(HOSTILE, ensure_ascii=False).encode(), b'{"models":[{"model":"a"}],"next":"a"}']


def texts(level=2):
    """An object with every member, each a text or a list of such objects: all printed text is hostile."""
    lists = {"models", "clips", "skins", "meshes", "materials", "textures", "warnings", "nodes", "joints", "channels", "differences",
             "formats", "results", "variants", "primitives", "cameras", "lights", "markers", "candidates", "frames"}
    numbers = {"index", "node", "mesh", "skin", "parent", "bytes", "vertices", "width", "height", "duration", "seconds"}
    return {name: [texts(level - 1)] if name in lists and level > 0 else 0 if name in numbers
            else {"code": HOSTILE, "message": HOSTILE} if name == "error" else HOSTILE for name in (MEMBERS if level > 0 else {"name", "code", "message", "path", "interpolation", "kind", "state"})}


def answers(seed):
    """A function from the number of a request to (kind, payload). It is the same for the same seed."""
    def answer(number):
        chance = random.Random(f"{seed} {number}")
        kind = chance.random()
        if kind < 0.15:
            return "json", chance.choice(PLAIN)
        if kind < 0.2:
            return chance.choice(["frames", "png", "glb", "other", "done"]), chance.randbytes(chance.randrange(200))
        if kind < 0.3:
            text = HOSTILE.encode()
            return "error", fields("error", message_bytes=len(text)) + text + chance.choice(PLAIN)
        return "json", json.dumps(document(chance), ensure_ascii=False).encode()
    return answer


class HostileServer:
    """Accepts connections on a port of its own, and answers each request with `answer`."""

    def __init__(self, answer):
        self.answer = answer
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self.listener.getsockname()[1]}"
        self.lock, self.count = threading.Lock(), 0
        threading.Thread(target=self._accept, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()

    def _accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client):
        limits = {"payload_max": 1 << 20, "models_max": 8, "streams_max": 4, "answer_max": 1 << 30, "frames_max": 4096,
                  "picture_side_max": 4096, "rate_max": 60, "server": b"0".ljust(24, b"\0")}
        with client, client.makefile("rb") as stream:
            try:
                stream.read(len(hello()))
                client.sendall(packet("hello", fields("hello", version=1, **limits)))
                while header := stream.read(HEADER):
                    size, _, _, id = struct.unpack_from("<IHHI", header)
                    stream.read(len(pad(b"x" * size)))
                    with self.lock:
                        number, self.count = self.count, self.count + 1
                    kind, payload = self.answer(number)
                    code = 60000 if kind == "error" else 0
                    client.sendall(struct.pack("<IHHIIIHHII", len(payload), KIND[kind], 0, id, 0, 0, code, 0, 0, 0) + pad(payload))
            except OSError:
                pass
