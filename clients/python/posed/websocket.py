"""A WebSocket (RFC 6455) with the interface of a socket, for the bytes of the binary protocol."""
from __future__ import annotations

import base64
import hashlib
import os
import select
import socket
import ssl
import struct
from typing import Optional, Tuple
from urllib.parse import quote

from . import errors
from .address import Address
from .errors import AnswerCut, ConnectionLost, PosedError, ProtocolError

_GUID = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
_HEAD_BYTES_MAX = 1 << 14
_CONTINUATION, _BINARY, _CLOSE, _PING, _PONG = 0, 2, 8, 9, 10


class WebSocket:
    """The client's side. `settimeout`, `sendall`, `recv_into` and `close` work as on a socket; a close frame reads as the end."""

    def __init__(self, address: Address, timeout_s: float, route: Optional[str] = None) -> None:
        self._socket = address.connect(timeout_s)
        self._unread = b""  # received after the response's head, or with an incomplete head of a frame
        self._left = 0  # unread bytes of the current data frame
        try:
            self._open(address, "/v1/stream" + (f"?route={quote(route)}" if route else ""))
        except BaseException:
            self.close()
            raise

    def _open(self, address: Address, target: str) -> None:
        key = base64.b64encode(os.urandom(16))
        self._socket.sendall((f"GET {target} HTTP/1.1\r\nHost: {address.host_header}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
                              f"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: posed.1\r\nSec-WebSocket-Key: {key.decode()}\r\n\r\n").encode())
        while b"\r\n\r\n" not in self._unread:
            data = self._socket.recv(4096)
            if not data:
                raise ConnectionLost(f"{address} closed the connection")
            self._unread += data
            if len(self._unread) > _HEAD_BYTES_MAX:
                raise ProtocolError(f"{address} answers an endless head")
        head, _, self._unread = self._unread.partition(b"\r\n\r\n")
        first, *lines = head.decode("latin-1").split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        words = first.split(" ", 2)
        if len(words) < 2 or not words[0].startswith("HTTP/1.") or not words[1].isdigit():
            raise ProtocolError(f"{address} does not speak HTTP")
        if words[1] != "101":
            raise self._refusal(int(words[1]), headers.get("content-length", "")).of(address)
        expected = base64.b64encode(hashlib.sha1(key + _GUID).digest()).decode()
        if headers.get("sec-websocket-accept") != expected or headers.get("upgrade", "").lower() != "websocket":
            raise ProtocolError(f"{address} does not open a WebSocket")

    def _refusal(self, status: int, length: str) -> PosedError:
        size = min(int(length), _HEAD_BYTES_MAX) if length.isdigit() and len(length) < 10 else 0
        while len(self._unread) < size:
            data = self._socket.recv(4096)
            if not data:
                break
            self._unread += data
        return errors.from_json(self._unread, status)

    @property
    def is_over(self) -> bool:
        """Whether the server has ended an idle connection."""
        if isinstance(self._socket, ssl.SSLSocket):
            return False  # a TLS socket cannot be inspected
        if not self._unread and not select.select([self._socket], [], [], 0)[0]:
            return False
        try:
            first = self._unread or self._socket.recv(1, socket.MSG_PEEK)
        except OSError:
            return True
        return not first or first[0] & 15 == _CLOSE

    def settimeout(self, timeout_s: "float | None") -> None:
        self._socket.settimeout(timeout_s)

    def sendall(self, data: bytes) -> None:
        self._send(_BINARY, data)

    def _send(self, opcode: int, data: bytes) -> None:
        size = len(data)
        head = bytes([0x80 | opcode])
        if size < 126:
            head += bytes([0x80 | size])
        else:
            head += struct.pack(">BH", 0x80 | 126, size) if size < 1 << 16 else struct.pack(">BQ", 0x80 | 127, size)
        mask = os.urandom(4)
        stream = (mask * (size // 4 + 1))[:size]
        masked = (int.from_bytes(data, "little") ^ int.from_bytes(stream, "little")).to_bytes(size, "little")
        self._socket.sendall(head + mask + masked)

    def recv_into(self, view: memoryview) -> int:
        """Return 0 at the end. A time-out loses nothing."""
        while self._left == 0:
            opcode, size = self._read_head()
            if opcode in (_BINARY, _CONTINUATION):
                self._take_head()
                self._left = size
            elif not self._control(opcode, size):
                return 0
        if self._unread:
            part = self._unread[:min(len(view), self._left)]
            view[:len(part)] = part
            self._unread = self._unread[len(part):]
            count = len(part)
        else:
            count = self._socket.recv_into(view[:self._left])
            if count == 0:
                raise AnswerCut("the server closed the connection within a message")
        self._left -= count
        return count

    def _fill(self, size: int) -> bool:
        """Read until the buffer has that many bytes. Returns False if the connection ends before."""
        while len(self._unread) < size:
            data = self._socket.recv(size - len(self._unread))
            if not data:
                return False
            self._unread += data
        return True

    def _read_head(self) -> Tuple[int, int]:
        """Return (opcode, size) of the next frame, whose head stays unread."""
        if not self._fill(2):
            return _CLOSE, 0
        first, second = self._unread[0], self._unread[1]
        if first & 0x70 or second & 0x80 or (first & 15) not in (_CONTINUATION, _BINARY, _CLOSE, _PING, _PONG):
            raise ProtocolError("a malformed frame of a WebSocket")
        size, more = second, {126: 2, 127: 8}.get(second, 0)
        if more:
            if first & 8 or not self._fill(2 + more):
                raise ProtocolError("a malformed frame of a WebSocket")
            size = int.from_bytes(self._unread[2:2 + more], "big")
        self._head_bytes = 2 + more
        return first & 15, size

    def _take_head(self) -> None:
        self._unread = self._unread[self._head_bytes:]

    def _control(self, opcode: int, size: int) -> bool:
        """Handle a control frame. Returns False at the end."""
        if opcode == _CLOSE or not self._fill(2 + size):
            return False
        data = self._unread[2:2 + size]
        self._unread = self._unread[2 + size:]
        if opcode == _PING:
            self._send(_PONG, data)
        return True

    def close(self) -> None:
        self._socket.close()


def open_socket(address: Address, timeout_s: float, route: Optional[str] = None) -> "socket.socket | WebSocket":
    """Open the transport of a `Link`: a socket, or a WebSocket for ws and wss addresses. route: a model, by which a balancer chooses the
    server of a WebSocket."""
    if address.scheme == "packets":
        return address.connect(timeout_s)
    try:
        return WebSocket(address, timeout_s, route)
    except (socket.timeout, TimeoutError) as error:
        raise errors.TimedOut(f"{address} did not answer in {timeout_s} s") from error
    except OSError as error:
        if isinstance(error, PosedError):
            raise
        raise ConnectionLost(f"{address}: {error}") from error
