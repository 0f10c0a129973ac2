"""The binary protocol of protocol/tcp.md: a client that builds and reads packets by protocol/packets.def."""
import pathlib
import re
import socket
import struct

DOCUMENTS = pathlib.Path(__file__).resolve().parents[3] / "protocol"
ROWS = [(kind, [part.strip().strip('"') for part in rest.split(",", 4)]) for kind, rest in
        re.findall(r'^(PACKET|FIELD|FLAG)\((.*)\)$', (DOCUMENTS / "packets.def").read_text(), re.M)]
KIND = {row[2]: int(row[1]) for kind, row in ROWS if kind == "PACKET"}
NAME = {number: name for name, number in KIND.items()}
FLAG = {(row[0].lower(), row[3]): int(row[2]) for kind, row in ROWS if kind == "FLAG"}
FIELDS = {}  # part: [(offset, type, name)]
for _kind, _row in ROWS:
    if _kind == "FIELD":
        FIELDS.setdefault(_row[0].lower(), []).append((int(_row[1]), _row[2], _row[3]))

MAGIC = b"\x89PSDP\r\n\0"
HEADER = 32
NO_OFFSET = 2**64 - 1
LETTERS = {"u8": "B", "u16": "H", "u32": "I", "i32": "i", "u64": "Q", "f64": "d", "f32": "f"}
PATIENCE_S = 120
# the defaults of a query, for the rest pose of everything
QUERY = {"clip": -2, "mesh": -1, "root": -1}


def pad(data):
    return data + b"\0" * (-len(data) % 16)


def fields(part, **values):
    """The fixed fields of a part, except those named 0."""
    out = bytearray()
    for offset, kind, name in FIELDS[part]:
        size = struct.calcsize("<" + LETTERS[kind]) if kind in LETTERS else int(kind[5:] or 0) if kind[:5] == "bytes" else 0
        if size == 0:
            break
        out += b"\0" * (offset + size - len(out))
        value = values.pop(name, 0)
        out[offset:offset + size] = struct.pack("<" + LETTERS[kind], value) if kind in LETTERS else bytes(value or size)
    assert not values, f"{part} has no {values}"
    return bytes(out)


def view(part, payload):
    """The fixed fields of a part as a dict, and the following bytes under "rest"."""
    out, end = {}, 0
    for offset, kind, name in FIELDS[part]:
        end = offset
        if kind in LETTERS:
            out[name], = struct.unpack_from("<" + LETTERS[kind], payload, offset)
            end = offset + struct.calcsize(LETTERS[kind])
        elif kind[:5] == "bytes":
            end = offset + int(kind[5:])
            out[name] = payload[offset:end]
    out["rest"] = payload[end:]
    return out


def hello(token=b"", version=1):
    return pad(MAGIC + struct.pack("<HHI", version, 0, len(token)) + token)


def packet(kind, payload=b"", id=0, model=0, generation=0):
    header = struct.pack("<IHHIIIHHII", len(payload), KIND.get(kind, kind), 0, id, model, generation, 0, 0, 0, 0)
    return header + pad(payload)


def flags(part, *names):
    return sum(FLAG[part, name] for name in names)


def query(times=(), indices=(), flag_names=(), **values):
    """The payload of palette, pose and mesh."""
    values = {**QUERY, "flags": flags("query", *flag_names), "time_count": len(times), "index_count": len(indices), **values}
    return fields("query", **values) + struct.pack(f"<{len(times)}d{len(indices)}I", *times, *indices)


def render(times=(), flag_names=(), **values):
    values = {**QUERY, "flags": flags("query", *flag_names), "time_count": len(times), **values}
    of_query = {name for _, _, name in FIELDS["query"]}
    front = fields("query", **{k: v for k, v in values.items() if k in of_query})
    picture = fields("render", **{k: v for k, v in values.items() if k not in of_query})
    return front + picture[64:] + struct.pack(f"<{len(times)}d", *times)


def subscribe(kind="palette", indices=(), flag_names=(), **values):
    values = {**QUERY, "flags": flags("query", *flag_names), "index_count": len(indices), "speed": 1, **values}
    of_stream = {name for _, _, name in FIELDS["subscribe"]}
    front = fields("query", **{k: v for k, v in values.items() if k not in of_stream})
    stream = fields("subscribe", kind=KIND[kind], **{k: v for k, v in values.items() if k in of_stream})
    return front + stream[64:] + struct.pack(f"<{len(indices)}I", *indices)


def control(stream, *flag_names, **values):
    return fields("control", stream=stream, flags=flags("control", *flag_names), **values)


def find(what, name=None, index=0):
    number = {"clip": 1, "skin": 2, "node": 3, "mesh": 4}[what]
    return fields("find", what=number, by=int(name is None), index=index) + (name or "").encode()


def call(target, body=None):
    target, body = target.encode(), (body or "").encode()
    return fields("call", method=int(bool(body)), target_bytes=len(target), body_bytes=len(body)) + target + body


class Packet:
    """One packet of the server."""

    def __init__(self, header, payload):
        self.header = view("header", header)
        self.payload = payload
        self.bytes = header + pad(payload)
        self.kind = NAME.get(self.header["kind"], self.header["kind"])
        self.id, self.model, self.generation = (self.header[name] for name in ("id", "model", "generation"))
        self.code, self.flags, self.warnings = (self.header[name] for name in ("code", "flags", "warnings"))
        end = len(payload) - self.header["note_bytes"]
        self.body, self.notes = payload[:end], payload[end:].decode()

    def has(self, flag):
        return bool(self.flags & FLAG["header", flag])

    def view(self):
        return view(self.kind, self.payload)

    def error(self):
        """(number, offset, message, JSON) of an error packet."""
        assert self.kind == "error" and self.code, (self.kind, self.payload)
        error = self.view()
        message = error["rest"][:error["message_bytes"]].decode()
        return self.code, error["offset"], message, error["rest"][error["message_bytes"]:]

    def __repr__(self):
        return f"<{self.kind} id={self.id} model={self.model} code={self.code} flags={self.flags} {self.payload[:80]}>"


class Link:
    """A connection that speaks packets."""

    def __init__(self, address, token=b"", greet=True, receive_bytes=None, timeout_s=PATIENCE_S):
        """address: host:port, or the path of a Unix socket."""
        if address.startswith("/"):
            self.socket = socket.socket(socket.AF_UNIX)
            target = address
        else:
            host, port = address.rsplit(":", 1)
            self.socket = socket.socket(socket.AF_INET6 if "[" in host else socket.AF_INET)
            target = (host.strip("[]"), int(port))
        if receive_bytes:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_bytes)
        self.socket.settimeout(timeout_s)
        self.socket.connect(target)
        self.unread = b""
        self.next_id = 100
        self.hello = None
        if greet:
            self.send(hello(token))
            self.hello = self.read()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def send(self, data):
        self.socket.sendall(data)

    def _take(self, size):
        while len(self.unread) < size:
            data = self.socket.recv(1 << 20)
            if not data:
                return None
            self.unread += data
        data, self.unread = self.unread[:size], self.unread[size:]
        return data

    def read(self):
        """The next packet; None if the server closed instead."""
        header = self._take(HEADER)
        if header is None:
            assert not self.unread, self.unread
            return None
        size, = struct.unpack_from("<I", header)
        padded = self._take(size + -size % 16)
        assert padded is not None, "the packet is cut"
        assert not any(padded[size:]), "the padding is not zero"
        return Packet(header, padded[:size])

    def ask(self, kind, payload=b"", model=0, generation=0, id=None):
        """Send a request and return its answer. Drops stream packets that arrive meanwhile."""
        if id is None:
            self.next_id += 1
            id = self.next_id
        self.send(packet(kind, payload, id, model, generation))
        while True:
            answer = self.read()
            if answer is None or answer.kind not in ("stream", "changed"):
                assert answer is None or answer.id == id, answer
                return answer

    def open(self, path):
        answer = self.ask("open", path.encode())
        assert answer.kind == "opened", answer.error()
        return answer.model

    def is_closed_by_server(self):
        try:
            return not self.unread and self.socket.recv(1) == b""
        except ConnectionResetError:
            return True


class WebSocketLink(Link):
    """The same within a WebSocket, with a handshake and frames of our own (RFC 6455)."""

    KEY = "dGhlIHNhbXBsZSBub25jZQ=="
    ACCEPT = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="  # the RFC's example, section 1.3

    def __init__(self, address, token=b"", greet=True, headers=(), path="/v1/stream", **options):
        """headers: additional lines of the opening; {name: None} leaves one out."""
        super().__init__(address, greet=False, **options)
        self.close_status = None
        self.messages = []  # sizes of the server's messages
        lines = {"Host": "localhost", "Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13",
                 "Sec-WebSocket-Key": self.KEY, **dict(headers)}
        text = "".join(f"{name}: {value}\r\n" for name, value in lines.items() if value is not None)
        self.socket.sendall(f"GET {path} HTTP/1.1\r\n{text}\r\n".encode())
        self.raw = b""
        while b"\r\n\r\n" not in self.raw:
            data = self.socket.recv(65536)
            assert data, self.raw
            self.raw += data
        head, self.raw = self.raw.split(b"\r\n\r\n", 1)
        first, *lines = head.decode().split("\r\n")
        self.status = int(first.split()[1])
        self.headers = {name.lower(): value for name, value in (line.split(": ", 1) for line in lines)}
        if self.status != 101:
            return
        assert self.headers["sec-websocket-accept"] == self.ACCEPT and self.headers["upgrade"] == "websocket"
        if greet:
            self.send(hello(token))
            self.hello = self.read()

    def send_frame(self, opcode, data=b"", final=True, mask=b"\x11\x22\x33\x44"):
        size = len(data)
        length = bytes([0x80 | size]) if size < 126 else b"\xfe" + struct.pack(">H", size) if size < 65536 else (
            b"\xff" + struct.pack(">Q", size))
        masks = (mask * (size // 4 + 1))[:size]
        masked = (int.from_bytes(data, "little") ^ int.from_bytes(masks, "little")).to_bytes(size, "little")
        self.socket.sendall(bytes([(0x80 if final else 0) | opcode]) + length + mask + masked)

    def send(self, data):
        self.send_frame(2, data)

    def _raw(self, size):
        while len(self.raw) < size:
            data = self.socket.recv(1 << 20)
            if not data:
                return None
            self.raw += data
        data, self.raw = self.raw[:size], self.raw[size:]
        return data

    def read_frame(self):
        """(opcode, payload), or None if the server closed."""
        head = self._raw(2)
        if head is None:
            return None
        assert head[0] & 0x80 and not head[1] & 0x80, "servers send whole messages, unmasked"
        size = head[1]
        if size == 126:
            size, = struct.unpack(">H", self._raw(2))
        elif size == 127:
            size, = struct.unpack(">Q", self._raw(8))
        return head[0] & 15, self._raw(size) if size else b""

    def _take(self, size):
        while len(self.unread) < size:
            frame = self.read_frame()
            if frame is None or frame[0] == 8:
                if frame and frame[1]:
                    self.close_status, = struct.unpack_from(">H", frame[1])
                return None
            assert frame[0] == 2, frame
            assert not self.unread, "a packet is a message"
            self.messages.append(len(frame[1]))
            self.unread += frame[1]
        data, self.unread = self.unread[:size], self.unread[size:]
        return data


def connect(ports, way, **options):
    """A Link over one of the three transports: tcp, unix, ws. ports: those of a Server."""
    return WebSocketLink(ports["http"], **options) if way == "ws" else Link(ports[way], **options)
