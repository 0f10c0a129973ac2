"""Requests over HTTP, on TCP or on a Unix socket."""
from __future__ import annotations

import http.client
import select
import socket
import threading
import zlib
from typing import Any, Dict, Optional
from urllib.parse import quote

from . import crowd, errors, raycast
from .address import Address
from .answer import Answer
from .errors import AnswerCut, ConnectionLost, PosedError, ProtocolError, TimedOut
from .parameters import Parameters, target
from .reconnect import Outage, Reconnect, is_end

#: by the magic number at the beginning of a body
_BINARY = {b"PSDC": crowd.CONTENT_TYPE, b"PSDR": raycast.CONTENT_TYPE}
_KEPT = ("x-posed-unmatched", "x-posed-clip", "x-posed-time", "x-posed-camera", "etag", "x-request-id")


class _Lines:
    """A file that keeps the last line read from it."""

    def __init__(self, file: Any) -> None:
        self._file = file
        self.last = b""

    def readline(self, *limit: int) -> bytes:
        self.last = self._file.readline(*limit)
        return self.last

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)


class _Response(http.client.HTTPResponse):
    """http.client mistakes the end of a connection for the end of the headers."""

    def begin(self) -> None:
        lines = _Lines(self.fp)
        self.fp = lines  # type: ignore[assignment]
        super().begin()
        if lines.last.strip(b"\r\n") or not lines.last:
            raise AnswerCut("the response was cut within its headers")


class _Connection(http.client.HTTPConnection):
    response_class = _Response

    def __init__(self, address: Address, timeout_s: float) -> None:
        super().__init__(address.host or "localhost", address.port or 80, timeout=timeout_s)
        self.address = address

    def connect(self) -> None:
        self.sock = self.address.connect(self.timeout or 0)


def _file(name: str, route: Optional[str]) -> str:
    return "/v1/models/" + quote(name) + (f"?route={quote(route)}" if route else "")


class HttpTransport:
    """A persistent connection. If it ends, another one is opened, and a request that only reads is sent once more. A lock orders the
    requests of several threads."""

    def __init__(self, address: Address, token: Optional[str], timeout_s: float, answer_max_bytes: int,
                 reconnect: Reconnect = Reconnect()) -> None:
        self.address, self.timeout_s, self.answer_max_bytes, self.reconnect = address, timeout_s, answer_max_bytes, reconnect
        self._has_answered = False  # the first request to a server that cannot be reached is an error at once
        self._headers = {"Host": address.host_header}
        if token:
            self._headers["Authorization"] = f"Bearer {token}"
        self._lock = threading.Lock()
        self._connection: Optional[_Connection] = None

    def ask(self, path: str, parameters: Parameters) -> Answer:
        """Return the answer of an operation; raises PosedError for an error."""
        where, body = target(path, parameters)
        return self.request("POST" if body else "GET", where, body or None)

    def operation(self, op: str, parameters: Parameters) -> Answer:
        """Send palette, pose, mesh or render."""
        return self.ask("/v1/" + op, parameters)

    def crowd(self, body: bytes) -> Answer:
        """Send a binary crowd."""
        return self.request("POST", "/v1/crowd", body)

    def raycast(self, body: bytes) -> Answer:
        """Send a binary raycast."""
        return self.request("POST", "/v1/raycast", body)

    def upload(self, name: str, data: Any, route: Optional[str] = None) -> Answer:
        return self.request("PUT", _file(name, route), data)

    def delete(self, name: str, route: Optional[str] = None) -> None:
        self.request("DELETE", _file(name, route), None)

    def request(self, method: str, where: str, body: Any) -> Answer:
        # A PUT of the same content would be safe to repeat, but its body may be a file that was read already. A DELETE that had succeeded
        # would answer that there is no such model.
        may_repeat = method in ("GET", "POST")
        outage, asked = Outage(self.reconnect, f"{method} {where[:200]}"), 0
        with self._lock:
            while True:
                try:
                    connection = self._connected(may_repeat)
                    outage.is_back()
                    asked += 1
                    answer = self._try(connection, method, where, body)
                    self._has_answered = True
                    return answer
                except PosedError as error:
                    if not is_end(error):
                        raise
                    self._close()
                    is_unreachable = isinstance(error, ConnectionLost) and error.is_unreachable
                    if is_unreachable and not self._has_answered and not outage.tries or not is_unreachable and not may_repeat:
                        raise
                    if asked > 1:
                        raise outage.gave_up(error) from error
                    outage.wait(error)

    def _connected(self, may_repeat: bool) -> _Connection:
        """Return a connection that the server has not closed while it was idle. A request without a retry gets a connection that was
        never idle."""
        connection = self._connection
        if connection is not None and (not may_repeat or connection.sock is None or select.select([connection.sock], [], [], 0)[0]):
            self._close()
        if self._connection is None:
            connection = _Connection(self.address, self.timeout_s)
            connection.connect()
            self._connection = connection
        assert self._connection is not None
        return self._connection

    def _try(self, connection: _Connection, method: str, where: str, body: Any) -> Answer:
        headers = dict(self._headers)
        if not self.address.is_local:
            headers["Accept-Encoding"] = "gzip"
        if method == "POST":
            headers["Content-Type"] = _BINARY.get(body[:4] if isinstance(body, bytes) else b"", "application/json")
        try:
            try:
                connection.request(method, where, body, headers)
            except BrokenPipeError:
                pass  # the server has refused early: the response has arrived
            response = connection.getresponse()
            answer = self._read(response)
        except (socket.timeout, TimeoutError) as error:
            self._close()
            raise TimedOut(f"{self.address} did not answer in {self.timeout_s} s") from error
        except http.client.IncompleteRead as error:
            self._close()
            raise AnswerCut(f"the response was cut after {len(error.partial)} bytes") from error
        except OSError as error:
            self._close()
            if isinstance(error, PosedError):
                raise
            raise ConnectionLost(f"{self.address} closed the connection: {error}") from error
        except http.client.HTTPException as error:
            self._close()
            if isinstance(error, http.client.BadStatusLine) and _is_begun(str(error)):
                raise AnswerCut(f"the response was cut within its first line: {str(error)!r}") from error
            raise ProtocolError(f"{self.address} does not speak HTTP: {error!r}") from error
        except ProtocolError:
            self._close()
            raise
        if response.status >= 400:
            raise errors.from_json(bytes(answer.body), response.status, _number(response.headers.get("Retry-After"))).of(self.address)
        if response.status not in (200, 201, 204):
            raise ProtocolError(f"the status {response.status} was not expected")
        return answer

    def _read(self, response: http.client.HTTPResponse) -> Answer:
        if response.length is not None and response.length > self.answer_max_bytes:
            raise ProtocolError(f"a response of {response.length} bytes; at most {self.answer_max_bytes} are taken (answer_max_bytes)")
        body = response.read() if response.length is not None else response.read(self.answer_max_bytes + 1)
        if len(body) > self.answer_max_bytes:
            raise ProtocolError(f"a response of more than {self.answer_max_bytes} bytes (answer_max_bytes)")
        if response.headers.get("Content-Encoding") == "gzip":
            body = self._unpack(body)
        headers: Dict[str, str] = {name: response.headers[name] for name in _KEPT if name in response.headers}
        return Answer(response.headers.get("Content-Type", ""), body, headers, _number(response.headers.get("X-Posed-Warnings")))

    def _unpack(self, packed: bytes) -> bytes:
        unpacker = zlib.decompressobj(wbits=31)
        try:
            body = unpacker.decompress(packed, self.answer_max_bytes + 1)
        except zlib.error as error:
            raise ProtocolError(f"the response is not valid gzip: {error}") from error
        if len(body) > self.answer_max_bytes:
            raise ProtocolError(f"a response of more than {self.answer_max_bytes} bytes (answer_max_bytes)")
        if not unpacker.eof:
            raise ProtocolError("the compressed response was cut")
        return body

    def _close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def close(self) -> None:
        with self._lock:
            self._close()


def _is_begun(line: str) -> bool:
    """Whether this is the beginning of a status line."""
    return bool(line) and ("HTTP/1.1 ".startswith(line) or line.startswith("HTTP/1."))


def _number(text: Optional[str]) -> int:
    return int(text) if text is not None and text.isdigit() and len(text) < 10 else 0
