"""The binary protocol over a socket or WebSocket: a connection, and the requests of a client over one."""
from __future__ import annotations

import select
import socket
import threading
from collections import OrderedDict
from typing import Callable, Dict, Optional, Tuple

from . import packets
from .address import Address
from .answer import Answer
from .errors import AnswerCut, ConnectionLost, PosedError, ProtocolError, SpeaksHttp, TimedOut
from .packets import Packet, Reader
from .parameters import Parameters, Unsayable, target, to_query
from .reconnect import Outage, Reconnect, is_end
from .websocket import WebSocket, open_socket


class Link:
    """A connection after its hello. For one thread at a time."""

    def __init__(self, address: Address, token: Optional[str], timeout_s: float, answer_max_bytes: int, route: Optional[str] = None) -> None:
        self.address, self.timeout_s = address, timeout_s
        self._socket = open_socket(address, timeout_s, route)
        self._reader = Reader(answer_max_bytes)
        self._next_id = 0
        self.is_closed = False
        try:
            self.send(packets.hello(token))
            first = self.read()
            if first.kind == "error":
                raise first.error().of(address)
            self.hello = packets.read_hello(first)
        except BaseException:
            self.close()
            raise

    @property
    def upcoming_id(self) -> int:
        """The id of the next request."""
        return self._next_id % (2**32 - 1) + 1

    def next_id(self) -> int:
        self._next_id = self.upcoming_id
        return self._next_id

    def send(self, data: bytes) -> None:
        try:
            self._socket.settimeout(self.timeout_s)
            self._socket.sendall(data)
        except (socket.timeout, TimeoutError) as error:
            self.close()
            raise TimedOut(f"{self.address} did not take the request in {self.timeout_s} s") from error
        except OSError as error:
            # What the server sent before it closed says more than the closed connection.
            if not isinstance(error, (BrokenPipeError, ConnectionResetError)):
                self.close()
                raise ConnectionLost(f"{self.address}: {error}") from error

    def read(self, timeout_s: Optional[float] = -1) -> Packet:
        """Return the next packet. timeout_s: None waits forever. If no byte of the packet arrived in time, the connection stays usable."""
        wait_s = self.timeout_s if timeout_s == -1 else timeout_s
        try:
            while True:
                self._socket.settimeout(self.timeout_s if not self._reader.is_between else wait_s)
                size = self._socket.recv_into(self._reader.want())
                if size == 0:
                    self._ended()
                packet = self._reader.took(size)
                if packet is not None:
                    return packet
        except (socket.timeout, TimeoutError) as error:
            if timeout_s == -1 or not self._reader.is_between:
                self.close()
            raise TimedOut(f"{self.address} did not answer in {wait_s} s") from error
        except ProtocolError:
            self.close()
            raise
        except OSError as error:
            self.close()
            if isinstance(error, PosedError):
                raise
            raise ConnectionLost(f"{self.address}: {error}") from error

    def _ended(self) -> None:
        if self._reader.head.startswith(b"HTTP/"):
            raise SpeaksHttp()
        if not self._reader.is_between:
            raise AnswerCut("the server closed the connection within a packet")
        raise ConnectionLost(f"{self.address} closed the connection")

    def ask(self, kind: str, payload: bytes = b"", model: int = 0, generation: int = 0,
            aside: Optional[Callable[[Packet], None]] = None) -> Packet:
        """Send a request and return its answer; raises PosedError for an error. aside: receives packets that arrive before it."""
        id = self.next_id()
        self.send(packets.packet(kind, payload, id, model, generation))
        while True:
            answer = self.read()
            if answer.kind == "error" and (answer.id == id or answer.has("closing")):
                if answer.has("closing"):
                    self.close()
                raise answer.error().of(self.address)
            if answer.kind in ("stream", "changed", "error"):
                if aside is not None:
                    aside(answer)
            elif answer.id == id:
                return answer
            elif answer.kind in packets.KINDS:
                self.close()
                raise ProtocolError(f"a {answer.kind} packet for the request {answer.id} instead of {id}")

    @property
    def is_over(self) -> bool:
        """Whether the server has ended an idle connection: then it can be read, and holds the server's last packet, or the end."""
        if self.is_closed:
            return True
        if isinstance(self._socket, WebSocket):
            return self._socket.is_over
        if not select.select([self._socket], [], [], 0)[0]:
            return False
        try:
            head = self._socket.recv(packets.HEADER_BYTES, socket.MSG_PEEK)
        except OSError:
            return True
        return not head or head[4:6] == packets.KINDS["error"].to_bytes(2, "little")

    def open(self, path: str) -> Packet:
        answer = self.ask("open", path.encode())
        packets.read_opened(answer)
        return answer

    def close(self) -> None:
        self.is_closed = True
        self._socket.close()


class Handle:
    """A model that is open on a link, with the indices of names that were found."""

    def __init__(self, opened: Packet) -> None:
        self.number, self.generation = opened.model, opened.generation
        self._found: Dict[Tuple[str, str], int] = {}

    def find(self, link: Link, what: str, name: str) -> int:
        index = self._found.get((what, name))
        if index is None:
            answer = link.ask("find", packets.find(what, name), self.number)
            self.saw(answer)
            index = self._found[what, name] = packets.read_found(answer)
        return index

    def saw(self, answer: Packet) -> None:
        """Forget the names if the answer is from other content."""
        if answer.generation != self.generation:
            self._found.clear()
            self.generation = answer.generation


class PacketTransport:
    """The requests of a client over one link. If the link ends, another one is opened, and the interrupted request is sent once more: all
    requests only read. A lock orders the requests of several threads."""

    def __init__(self, address: Address, token: Optional[str], timeout_s: float, answer_max_bytes: int, reconnect: Reconnect = Reconnect(),
                 route: Optional[str] = None) -> None:
        self.address, self.token, self.timeout_s, self.answer_max_bytes = address, token, timeout_s, answer_max_bytes
        self.reconnect, self.route = reconnect, route
        self._lock = threading.Lock()
        self._handles: "OrderedDict[str, Handle]" = OrderedDict()
        self._link: Optional[Link] = self._first()

    def _first(self) -> Link:
        """Open the first link. A server that cannot be reached is an error at once; a server that a balancer has lost is not."""
        outage = Outage(self.reconnect, f"the connection to {self.address}")
        while True:
            try:
                return self.link()
            except PosedError as error:
                if not is_end(error) or isinstance(error, ConnectionLost) and error.is_unreachable and not outage.tries:
                    raise
                outage.wait(error)

    def link(self, route: Optional[str] = None) -> Link:
        """Open another connection."""
        return Link(self.address, self.token, self.timeout_s, self.answer_max_bytes, route or self.route)

    @property
    def hello(self) -> packets.Hello:
        with self._lock:
            return self._linked().hello

    def ask(self, path: str, parameters: Parameters) -> Answer:
        """Send any HTTP operation, as a `call`."""
        where, body = target(path, parameters)
        payload = packets.call(where, body)
        return self._again(f"{'POST' if body else 'GET'} {where[:200]}", lambda link: _answer(link.ask("call", payload)))

    def operation(self, op: str, parameters: Parameters) -> Answer:
        """Send palette, pose, mesh or render, as its own packet if that can express the parameters."""
        if self.route is None:
            self.route = str(parameters.get("model", "")) or None
        return self._again(f"{op} of '{parameters.get('model', '')}'", lambda link: self._operation(link, op, parameters))

    def crowd(self, body: bytes) -> Answer:
        """Send a crowd, with models as paths."""
        return self._again("a crowd", lambda link: _answer(link.ask("crowd", body)))

    def raycast(self, body: bytes) -> Answer:
        """Send a raycast, with models as paths."""
        return self._again("a raycast", lambda link: _answer(link.ask("raycast", body)))

    def _operation(self, link: Link, op: str, parameters: Parameters) -> Answer:
        path = parameters["model"]
        if not _is_typed(op, parameters):
            where, body = target("/v1/" + op, parameters)
            return _answer(link.ask("call", packets.call(where, body)))
        handle = self._handle(link, path)
        names: Dict[str, int] = {}

        def find(what: str, name: str) -> int:
            names[name] = 1
            return handle.find(link, what, name)

        for _ in range(8):  # the content may change between finding a name and using it, but not forever
            try:
                payload = _payload(op, parameters, to_query(op, parameters, find))
            except Unsayable:
                where, body = target("/v1/" + op, parameters)
                return _answer(link.ask("call", packets.call(where, body)))
            try:
                answer = link.ask(op, payload, handle.number, handle.generation if names else 0)
            except PosedError as error:
                if error.code != "hash_mismatch" or not names:
                    raise
                handle.generation = 0  # `find` reports the new one
                handle._found.clear()
                continue
            handle.saw(answer)
            return _answer(answer)
        raise PosedError("model_changing", f"'{path}' changes too often", 503, retry_after_s=1)

    def _handle(self, link: Link, path: str) -> Handle:
        handle = self._handles.get(path)
        if handle is None:
            if len(self._handles) >= max(1, link.hello.models_max):
                _, oldest = self._handles.popitem(last=False)
                link.ask("close", model=oldest.number)
            handle = self._handles[path] = Handle(link.open(path))
        self._handles.move_to_end(path)
        return handle

    def _linked(self) -> Link:
        if self._link is None or self._link.is_over:
            self._drop()
            self._link = self.link()
        return self._link

    def _drop(self) -> None:
        self._handles.clear()
        if self._link is not None:
            self._link.close()
        self._link = None

    def _again(self, what: str, request: Callable[[Link], Answer]) -> Answer:
        outage, asked = Outage(self.reconnect, what), 0
        with self._lock:
            while True:
                try:
                    link = self._linked()
                    outage.is_back()
                    asked += 1
                    answer = request(link)
                    outage.is_over()
                    return answer
                except PosedError as error:
                    if not is_end(error):
                        raise
                    self._drop()
                    if asked > 1:
                        raise outage.gave_up(error) from error
                    outage.wait(error)

    def forget(self, path: str) -> None:
        """Close the handle of a model if there is one."""
        with self._lock:
            handle = self._handles.pop(path, None)
            if handle is not None and self._link is not None and not self._link.is_over:
                try:
                    self._link.ask("close", model=handle.number)
                except PosedError as error:
                    if not is_end(error):
                        raise
                    self._drop()  # the handle ends with it

    def close(self) -> None:
        with self._lock:
            if self._link is not None:
                self._link.close()


def _is_typed(op: str, parameters: Parameters) -> bool:
    """Whether the operation's own packet can express the parameters."""
    if op != "render":
        return parameters.get("format") == "bin"
    # Without a time or a direction, a picture has defaults that the packet cannot express.
    return "format" not in parameters and "t" in parameters and ("yaw" in parameters or "pitch" in parameters)


def _payload(op: str, parameters: Parameters, query: packets.Query) -> bytes:
    if op != "render":
        return query.payload()
    numbers = [parameters.get(name, default) for name, default in (("width", 256), ("height", 256), ("yaw", 0), ("pitch", 0))]
    background = parameters.get("background", "transparent")
    if any(isinstance(number, (str, list)) for number in numbers) or len(query.times) != 1 or query.flags & packets.QUERY_FLAGS["range"]:
        raise Unsayable
    if not all(isinstance(side, int) and 0 < side < 2**32 for side in numbers[:2]):
        raise Unsayable
    try:
        color = bytes(4) if background == "transparent" else bytes.fromhex(background)
    except (ValueError, TypeError):
        raise Unsayable from None
    if len(color) not in (3, 4):
        raise Unsayable
    return query.render(numbers[0], numbers[1], (color + b"\xff")[:4], float(numbers[2]), float(numbers[3]))


def _answer(answer: Packet) -> Answer:
    content_type = packets.TYPES.get(answer.kind) or answer.notes.get("content-type")
    if content_type is None:
        raise ProtocolError(f"a {answer.kind} packet is not an answer")
    headers = {name: value for name, value in answer.notes.items() if name != "content-type"}
    return Answer(content_type, answer.body, headers, answer.warnings)
