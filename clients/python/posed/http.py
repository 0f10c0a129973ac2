"""Requests over HTTP, on TCP or on a Unix socket."""
from __future__ import annotations

import http.client
import socket
import threading
import zlib
from typing import Any, Dict, Optional
from urllib.parse import quote

from . import errors
from .address import Address
from .answer import Answer
from .errors import ConnectionLost, PosedError, ProtocolError, TimedOut
from .parameters import Parameters, target

_KEPT = ("x-posed-unmatched", "x-posed-clip", "x-posed-time", "x-posed-camera", "etag", "x-request-id")


class _Connection(http.client.HTTPConnection):
    def __init__(self, address: Address, timeout_s: float) -> None:
        super().__init__(address.host or "localhost", address.port or 80, timeout=timeout_s)
        self.address = address

    def connect(self) -> None:
        self.sock = self.address.connect(self.timeout or 0)


def _file(name: str, route: Optional[str]) -> str:
    return "/v1/models/" + quote(name) + (f"?route={quote(route)}" if route else "")


class HttpTransport:
    """One connection, kept open and opened again where the server closed it between two requests. A lock makes requests
    of several threads one after the other."""

    def __init__(self, address: Address, token: Optional[str], timeout_s: float, answer_max_bytes: int) -> None:
        self.address, self.timeout_s, self.answer_max_bytes = address, timeout_s, answer_max_bytes
        self._headers = {"Host": address.host_header}
        if token:
            self._headers["Authorization"] = f"Bearer {token}"
        self._lock = threading.Lock()
        self._connection: Optional[_Connection] = None

    def ask(self, path: str, parameters: Parameters) -> Answer:
        """The answer of an operation; raises PosedError for an error."""
        where, body = target(path, parameters)
        return self.request("POST" if body else "GET", where, body or None)

    def operation(self, op: str, parameters: Parameters) -> Answer:
        """palette, pose, mesh or render."""
        return self.ask("/v1/" + op, parameters)

    def upload(self, name: str, data: Any, route: Optional[str] = None) -> Answer:
        return self.request("PUT", _file(name, route), data)

    def delete(self, name: str, route: Optional[str] = None) -> None:
        self.request("DELETE", _file(name, route), None)

    def request(self, method: str, where: str, body: Any) -> Answer:
        with self._lock:
            is_old = self._connection is not None
            if method not in ("GET", "POST"):
                self._close()
            try:
                return self._try(method, where, body)
            except ConnectionLost:
                # closed while idle, not because of this request, which is safe to repeat
                if not is_old or method not in ("GET", "POST"):
                    raise
                return self._try(method, where, body)

    def _try(self, method: str, where: str, body: Any) -> Answer:
        if self._connection is None:
            self._connection = _Connection(self.address, self.timeout_s)
        headers = dict(self._headers)
        if not self.address.is_local:
            headers["Accept-Encoding"] = "gzip"
        if method == "POST":
            headers["Content-Type"] = "application/json"
        try:
            try:
                self._connection.request(method, where, body, headers)
            except BrokenPipeError:
                pass  # refused before all of it was sent: the answer is there
            response = self._connection.getresponse()
            answer = self._read(response)
        except (socket.timeout, TimeoutError) as error:
            self._close()
            raise TimedOut(f"{self.address} did not answer in {self.timeout_s} s") from error
        except (http.client.RemoteDisconnected, ConnectionError) as error:
            self._close()
            if isinstance(error, PosedError):
                raise
            raise ConnectionLost(f"{self.address} closed the connection: {error}") from error
        except http.client.IncompleteRead as error:
            self._close()
            raise ProtocolError(f"the answer was cut after {len(error.partial)} bytes") from error
        except http.client.HTTPException as error:
            self._close()
            raise ProtocolError(f"{self.address} does not speak HTTP: {error!r}") from error
        except ProtocolError:
            self._close()
            raise
        if response.status >= 400:
            raise errors.from_json(bytes(answer.body), response.status, _number(response.headers.get("Retry-After")))
        if response.status not in (200, 201, 204):
            raise ProtocolError(f"the status {response.status} was not expected")
        return answer

    def _read(self, response: http.client.HTTPResponse) -> Answer:
        if response.length is not None and response.length > self.answer_max_bytes:
            raise ProtocolError(f"an answer of {response.length} bytes; at most {self.answer_max_bytes} are taken (answer_max_bytes)")
        body = response.read() if response.length is not None else response.read(self.answer_max_bytes + 1)
        if len(body) > self.answer_max_bytes:
            raise ProtocolError(f"an answer of more than {self.answer_max_bytes} bytes (answer_max_bytes)")
        if response.headers.get("Content-Encoding") == "gzip":
            body = self._unpack(body)
        headers: Dict[str, str] = {name: response.headers[name] for name in _KEPT if name in response.headers}
        return Answer(response.headers.get("Content-Type", ""), body, headers, _number(response.headers.get("X-Posed-Warnings")))

    def _unpack(self, packed: bytes) -> bytes:
        unpacker = zlib.decompressobj(wbits=31)
        try:
            body = unpacker.decompress(packed, self.answer_max_bytes + 1)
        except zlib.error as error:
            raise ProtocolError(f"the answer is not valid gzip: {error}") from error
        if len(body) > self.answer_max_bytes:
            raise ProtocolError(f"an answer of more than {self.answer_max_bytes} bytes (answer_max_bytes)")
        if not unpacker.eof:
            raise ProtocolError("the compressed answer was cut")
        return body

    def _close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def close(self) -> None:
        with self._lock:
            self._close()


def _number(text: Optional[str]) -> int:
    return int(text) if text is not None and text.isdigit() and len(text) < 10 else 0
