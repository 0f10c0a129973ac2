"""The bytes of the binary protocol (protocol/tcp.md): builds requests and parses answers, without sockets.

Nothing here waits. Sizes from the other side are checked against a limit before memory is allocated.
"""
from __future__ import annotations

import struct
from dataclasses import dataclass, field
from typing import Dict, Optional, Sequence

from . import errors
from .errors import PosedError, ProtocolError, SpeaksHttp

MAGIC = b"\x89PSDP\r\n\0"
VERSION = 1
HEADER_BYTES = 32
NO_OFFSET = 2**64 - 1
TOKEN_BYTES_MAX = 256

#: kinds of packets. A test compares these tables with protocol/packets.def.
KINDS: Dict[str, int] = {
    "open": 1, "close": 2, "find": 3, "info": 4, "palette": 5, "pose": 6, "mesh": 7, "render": 8, "call": 9, "subscribe": 10,
    "control": 11, "credit": 12, "unsubscribe": 13, "watch": 14, "ping": 15, "crowd": 16, "raycast": 17,
    "hello": 128, "error": 129, "done": 130, "opened": 131, "found": 132, "json": 133, "frames": 134, "png": 135, "glb": 136,
    "other": 137, "entities": 138, "hits": 139, "stream": 192, "changed": 193,
}
NAMES = {number: name for name, number in KINDS.items()}
#: content types of the kinds that are responses of HTTP; the notes of `other` have its type
TYPES = {"json": "application/json", "frames": "application/vnd.posed.frames", "png": "image/png", "glb": "model/gltf-binary",
         "entities": "application/vnd.posed.entities", "hits": "application/vnd.posed.hits"}
HEADER_FLAGS = {"changed": 1, "last": 2, "closing": 4, "stale": 8}
QUERY_FLAGS = {
    "from": 1, "to": 2, "speed": 4, "phase": 8, "range": 16, "root_motion": 32, "turn": 64, "indices": 128, "normals": 256,
    "rest": 512, "json": 1024, "glb": 2048, "no_textures": 4096, "weights": 8192, "more": 16384,
}
CONTROL_FLAGS = {"pause": 1, "resume": 2, "seek": 4, "speed": 8, "rate": 16}
FIND = {"clip": 1, "skin": 2, "node": 3, "mesh": 4}
WRAPS = {"loop": 0, "clamp": 1, "mirror": 2}
LAYOUTS = {"mat4": 0, "mat3x4": 1, "dualquat": 2}
SPACES = {"scene": 0, "root": 1, "mesh": 2}
WHATS = {"local": 1, "scene": 2, "both": 3}
CLIP_REST, CLIP_FIRST = -1, -2

_HEADER = struct.Struct("<IHHIIIHHII")
_HELLO = struct.Struct("<HHIIIQIId24s")
_QUERY = struct.Struct("<iBBBBIIIiiIdddd")
_PICTURE = struct.Struct("<II4sIdd")
_SUBSCRIBE = struct.Struct("<HHIddd")
_CONTROL = struct.Struct("<IIddd")
_ERROR = struct.Struct("<QII")


def pad(data: bytes) -> bytes:
    """Append zeros up to a multiple of 16."""
    return data + bytes(-len(data) % 16)


def hello(token: Optional[str] = None) -> bytes:
    """Make the first packet of a client."""
    text = (token or "").encode()
    if len(text) > TOKEN_BYTES_MAX:
        raise ValueError(f"a token has at most {TOKEN_BYTES_MAX} bytes")
    return pad(MAGIC + struct.pack("<HHI", VERSION, 0, len(text)) + text)


def packet(kind: str, payload: bytes = b"", id: int = 0, model: int = 0, generation: int = 0) -> bytes:
    """Make a request."""
    return _HEADER.pack(len(payload), KINDS[kind], 0, id, model, generation, 0, 0, 0, 0) + pad(payload)


@dataclass
class Query:
    """The payload of palette, pose and mesh, with the field names of protocol/tcp.md; missing fields keep their defaults."""

    clip: int = CLIP_FIRST
    wrap: int = 0
    layout: int = 0
    space: int = 0
    what: int = 0
    flags: int = 0
    times: Sequence[float] = ()
    indices: Sequence[int] = ()
    mesh: int = -1
    root: int = -1
    from_s: float = 0.0
    to_s: float = 0.0
    speed: float = 0.0
    phase: float = 0.0
    more: bytes = b""

    def _front(self) -> bytes:
        return _QUERY.pack(self.clip, self.wrap, self.layout, self.space, self.what, self.flags, len(self.times), len(self.indices),
                           self.mesh, self.root, 0, self.from_s, self.to_s, self.speed, self.phase)

    def payload(self) -> bytes:
        return self._front() + struct.pack(f"<{len(self.times)}d{len(self.indices)}I", *self.times, *self.indices)

    def render(self, width: int, height: int, background: bytes, yaw_deg: float, pitch_deg: float) -> bytes:
        """Make the payload of a picture."""
        picture = _PICTURE.pack(width, height, background, 0, yaw_deg, pitch_deg)
        return self._front() + picture + struct.pack(f"<{len(self.times)}d", *self.times)

    def subscribe(self, kind: str, is_paused: bool, credit: int, rate: float, position_s: float, speed: float) -> bytes:
        """Make the payload of a stream of answers of this kind. `more`: its parameters that have no field, as JSON."""
        stream = _SUBSCRIBE.pack(KINDS[kind], int(is_paused), credit, rate, position_s, speed)
        return self._front() + stream + struct.pack(f"<{len(self.indices)}I", *self.indices) + self.more


def find(what: str, name: str) -> bytes:
    return struct.pack("<HHIQ", FIND[what], 0, 0, 0) + name.encode()


def find_index(what: str, index: int) -> bytes:
    return struct.pack("<HHIQ", FIND[what], 1, index, 0)


def call(target: str, body: bytes = b"") -> bytes:
    """Make an operation of HTTP; with a body it is a POST."""
    path = target.encode()
    return struct.pack("<HHIII", int(bool(body)), 0, len(path), len(body), 0) + path + body


def control(stream: int, position_s: Optional[float] = None, speed: Optional[float] = None, rate: Optional[float] = None,
            pause: bool = False, resume: bool = False) -> bytes:
    flags = (pause * CONTROL_FLAGS["pause"] | resume * CONTROL_FLAGS["resume"] | (position_s is not None) * CONTROL_FLAGS["seek"]
             | (speed is not None) * CONTROL_FLAGS["speed"] | (rate is not None) * CONTROL_FLAGS["rate"])
    return _CONTROL.pack(stream, flags, position_s or 0.0, speed or 0.0, rate or 0.0)


def credit(stream: int, count: int) -> bytes:
    return struct.pack("<II", stream, count)


def unsubscribe(stream: int) -> bytes:
    return struct.pack("<I", stream)


def watch(is_on: bool) -> bytes:
    return struct.pack("<I", int(is_on))


@dataclass
class Packet:
    """A packet of the server. `body` is the answer, a view on the received bytes; `notes` are headers of HTTP."""

    kind: str
    flags: int
    id: int
    model: int
    generation: int
    code: int
    warnings: int
    body: memoryview
    notes: Dict[str, str] = field(default_factory=dict)

    def has(self, flag: str) -> bool:
        return bool(self.flags & HEADER_FLAGS[flag])

    def error(self) -> PosedError:
        """Make the exception for an `error` packet."""
        if len(self.body) < _ERROR.size:
            raise ProtocolError(f"an error packet of {len(self.body)} bytes")
        offset, retry_after_s, size = _ERROR.unpack_from(self.body)
        if size > len(self.body) - _ERROR.size:
            raise ProtocolError(f"an error packet whose message of {size} bytes does not fit")
        rest = bytes(self.body[_ERROR.size:])
        code, status = errors.CODES.get(self.code, ("internal", 500))
        return errors.from_json(rest[size:], status, retry_after_s, code, None if offset == NO_OFFSET else offset,
                                rest[:size].decode("utf-8", "replace"))


@dataclass(frozen=True)
class Hello:
    """The server's version and limits, see protocol/tcp.md."""

    version: int
    payload_max: int
    models_max: int
    streams_max: int
    answer_max: int
    frames_max: int
    picture_side_max: int
    rate_max: float
    server: str


def read_hello(answer: Packet) -> Hello:
    if answer.kind != "hello" or len(answer.body) < _HELLO.size:
        raise ProtocolError(f"a {answer.kind} packet of {len(answer.body)} bytes instead of a hello")
    version, _, payload, models, streams, size, frames, side, rate, server = _HELLO.unpack_from(answer.body)
    if version != VERSION:
        raise ProtocolError(f"the server speaks version {version} of the protocol, this client {VERSION}")
    return Hello(version, payload, models, streams, size, frames, side, rate, server.rstrip(b"\0").decode("ascii", "replace"))


@dataclass(frozen=True)
class Opened:
    content_hash: str
    node_count: int
    skin_count: int
    clip_count: int
    mesh_count: int


def read_opened(answer: Packet) -> Opened:
    _expect(answer, "opened", 48)
    content_hash, *counts = struct.unpack_from("<32s4I", answer.body)
    return Opened(content_hash.hex(), *counts)


def read_found(answer: Packet) -> int:
    """Return the index of what was found."""
    _expect(answer, "found", 48)
    _, _, index, _, joint_count, _, _, name_bytes = struct.unpack_from("<HHIiIddI", answer.body)
    if 48 + 4 * joint_count + name_bytes > len(answer.body):
        raise ProtocolError("a found packet that is shorter than its counts say")
    return int(index)


def read_stream(answer: Packet) -> "tuple[int, int, int, memoryview]":
    """Return (tick, skipped, credit, frames) of a frame of a stream."""
    _expect(answer, "stream", 16)
    tick, skipped, left = struct.unpack_from("<QII", answer.body)
    return tick, skipped, left, answer.body[16:]


def read_changed(answer: Packet) -> "tuple[str, str]":
    """Return (content hash or "", message) of a change."""
    _expect(answer, "changed", 32)
    content = bytes(answer.body[:32])
    return content.hex() if any(content) else "", bytes(answer.body[32:]).decode("utf-8", "replace")


def _expect(answer: Packet, kind: str, size: int) -> None:
    if answer.kind != kind or len(answer.body) < size:
        raise ProtocolError(f"a {answer.kind} packet of {len(answer.body)} bytes where {kind} was expected")


def _read_notes(data: bytes) -> Dict[str, str]:
    notes = {}
    for line in data.decode("utf-8", "replace").splitlines():
        name, colon, value = line.partition(": ")
        if not colon:
            raise ProtocolError(f"the note {line!r} has no colon")
        notes[name.lower()] = value
    return notes


class Reader:
    """Assembles packets from bytes as they arrive. Fill the start of `want()` and pass the number of bytes to `took()`, which returns a
    packet when it is complete. `want()` is never larger than the rest of the packet, so nothing is lost if a read is interrupted and
    continued later.

    Each payload has memory of its own, whose size is compared with `payload_max` before it is allocated. Views on it (`Packet.body`) stay
    valid, and no other packet overwrites them.
    """

    def __init__(self, payload_max: int) -> None:
        self.payload_max = payload_max
        self._start()

    def _start(self) -> None:
        self._buffer = bytearray(HEADER_BYTES)
        self._filled = 0
        self._header: Optional[tuple[int, ...]] = None

    @property
    def is_between(self) -> bool:
        """Whether no packet is partly received."""
        return self._header is None and self._filled == 0

    @property
    def head(self) -> bytes:
        """The first bytes of a partly received packet, to identify data that is no packet."""
        return bytes(self._buffer[:self._filled]) if self._header is None else b""

    def want(self) -> memoryview:
        return memoryview(self._buffer)[self._filled:]

    def took(self, size: int) -> Optional[Packet]:
        self._filled += size
        if self._filled < len(self._buffer):
            return None
        if self._header is None:
            self._header = _HEADER.unpack(self._buffer)
            self._check()
            self._buffer = bytearray(self._header[0] + -self._header[0] % 16)
            self._filled = 0
            if self._buffer:
                return None
        packet = self._packet()
        self._start()
        return packet

    def _check(self) -> None:
        assert self._header is not None
        size, kind, _, _, _, _, code, reserved, _, note_bytes = self._header
        if bytes(self._buffer[:5]) == b"HTTP/":
            raise SpeaksHttp()
        if size > self.payload_max:
            raise ProtocolError(f"a packet of {size} bytes; at most {self.payload_max} are taken (answer_max_bytes)")
        if reserved or note_bytes > size:
            raise ProtocolError("a packet's header is malformed")
        if (kind == KINDS["error"]) != bool(code) and kind != KINDS["changed"]:
            raise ProtocolError(f"a packet of kind {kind} with the error {code}")

    def _packet(self) -> Packet:
        assert self._header is not None
        size, kind, flags, id, model, generation, code, _, warnings, note_bytes = self._header
        view = memoryview(self._buffer)
        if any(view[size:]):
            raise ProtocolError("a packet's padding is not zero")
        notes = _read_notes(bytes(view[size - note_bytes:size])) if note_bytes else {}
        return Packet(NAMES.get(kind, str(kind)), flags, id, model, generation, code, warnings, view[:size - note_bytes], notes)


def error_of(number: int, message: str) -> PosedError:
    """Make the exception for the number of an error."""
    code, status = errors.CODES.get(number, ("internal", 500))
    return PosedError(code, message, status)
