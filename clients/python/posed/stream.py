"""Streams of frames and changes of models: iterators over a connection of their own."""
from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Any, Callable, Deque, Dict, Optional

from . import packets
from .arrays import Array
from .errors import ConnectionLost, PosedError, TimedOut
from .frames import Frames
from .link import Handle, Link
from .packets import Packet
from .parameters import make, to_stream_query
from .reconnect import Outage, Reconnect, is_end


@dataclass(frozen=True)
class Frame:
    """One frame of a stream.

    tick        the number of the frame, counting skipped ones
    skipped     how many were not sent since the last one, because the client was slow
    time_s      the position that it shows, in seconds
    is_changed  the model has changed since the last frame: indices may mean something else
    generation  counts the contents of the model
    frames      the answer: binary frames with one frame
    """

    tick: int
    skipped: int
    is_changed: bool
    generation: int
    frames: Frames

    @property
    def time_s(self) -> float:
        return self.frames.times[0]

    def array(self, kind: str = "palette", index: Optional[int] = None) -> Array:
        """Return a block's numbers, shaped as by `Frames.array`: "palette", "scene", "local", "positions", .. of the skin or part `index`.
        """
        return self.frames.array(self.frames.find(kind, index), 0)

    @property
    def palette(self) -> Array:
        """The first skin's palette."""
        return self.array("palette")


class Stream:
    """Frames of a clip in real time. Iterating waits for the next one. A slow client skips frames, and with the default credit of 1 it
    gets no old ones.

        with model.stream("palette", "walk", rate=30) as stream:
            for frame in stream:
                draw(frame.palette)

    A frame's credit is given back when the next one is requested. `pause`, `resume`, `seek`, `set_speed` and `set_rate` return when the
    server has done it; frames that arrived before are dropped. For one thread at a time. The stream ends with the block, with `close`, or
    with an error of the server; there is no natural end, because clips loop. If the model changes, the stream goes on with the new
    content and the same indices, and `Frame.is_changed` is true.

    If the connection ends, the stream goes on over another one with the frame after the last one that arrived, at its time. The position
    stands still meanwhile. No tick is left out or arrives twice.
    """

    def __init__(self, open_link: Callable[[], Link], reconnect: Reconnect, path: str, kind: str, options: Dict[str, Any], rate: float,
                 position_s: float, speed: float, credit: int, is_paused: bool, timeout_s: Optional[float]) -> None:
        self._open_link, self._timeout_s = open_link, timeout_s
        self._path, self._kind, self._options = path, kind, options
        self._rate, self._speed, self._is_paused = rate, speed, is_paused
        self._position_s = position_s  # of the next frame
        self._is_owed = False  # a paused stream was sought, and must send a frame
        self._tick = self._first_tick = 0  # the next tick; the first one of this connection
        self._credit = credit  # frames that the server may still send
        self._waiting: Deque[Packet] = deque()
        self._owed = 0
        self._hash, self._generation, self._first_generation = "", 1, 0
        self._is_changed = False  # since the last frame, while there was no connection
        self._is_closed = False
        self._outage = Outage(reconnect, f"the stream of {kind} of '{path}'")
        if kind not in ("palette", "pose", "mesh"):
            raise ValueError(f"'{kind}': a stream is of palette, pose or mesh")
        try:
            self._begin()
        except PosedError as error:
            if not is_end(error) or isinstance(error, ConnectionLost) and error.is_unreachable:
                raise
            self._take_up(error)

    def _begin(self) -> None:
        """Open a connection and continue the stream from where it is."""
        link = self._open_link()
        self._waiting.clear()
        try:
            opened = link.open(self._path)
            handle = Handle(opened)
            while not self._subscribe(link, handle):
                pass
            if self._is_paused and self._is_owed:
                link.ask("control", packets.control(self._id, position_s=self._position_s), aside=self._waiting.append)
        except BaseException:
            link.close()
            raise
        content_hash = packets.read_opened(opened).content_hash
        is_other = self._hash not in ("", content_hash)
        self._first_generation = self._generation - (0 if is_other else 1)
        self._is_changed |= is_other
        self._hash = content_hash
        self._link, self._first_tick = link, self._tick

    def _subscribe(self, link: Link, handle: Handle) -> bool:
        """Return False if the model changed between finding a name and using it. The request does not name a generation, because that would
        end the stream at the next change."""
        query = to_stream_query(self._kind, make(self._options), lambda what, name: handle.find(link, what, name))
        generation = handle.generation
        self._id = link.upcoming_id
        payload = query.subscribe(self._kind, self._is_paused, self._credit, self._rate, self._position_s, self._speed)
        done = link.ask("subscribe", payload, handle.number, aside=self._waiting.append)
        handle.saw(done)
        if handle.generation == generation:
            return True
        link.ask("unsubscribe", packets.unsubscribe(self._id), aside=self._waiting.append)
        self._waiting.clear()
        return False

    def _take_up(self, error: PosedError) -> None:
        """Continue over another connection after `error` has ended one."""
        try:
            self._outage.reopen(self._begin, error)
        except PosedError:
            self.close()
            raise

    def __enter__(self) -> "Stream":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __iter__(self) -> "Stream":
        return self

    def __next__(self) -> Frame:
        while not self._is_closed:
            try:
                return self._next()
            except PosedError as error:
                if isinstance(error, TimedOut) and not self._link.is_closed:
                    raise
                if not is_end(error):
                    self.close()
                    raise
                self._link.close()
                self._take_up(error)
        raise StopIteration

    def _next(self) -> Frame:
        self._give_back()
        while True:
            packet = self._waiting.popleft() if self._waiting else self._link.read(self._timeout_s)
            if packet.kind == "error":
                raise packet.error()
            if packet.kind == "stream" and packet.id == self._id:
                return self._frame(packet)

    def _frame(self, packet: Packet) -> Frame:
        tick, skipped, _, data = packets.read_stream(packet)
        frame = Frame(self._first_tick + tick, skipped, packet.has("changed") or self._is_changed, self._first_generation + packet.generation,
                      Frames(data, packet.warnings))
        self._saw(packet)
        self._tick, self._generation, self._hash = frame.tick + 1, frame.generation, frame.frames.content_hash
        self._position_s = frame.time_s + (self._speed / self._rate if self._rate and not self._is_paused else 0.0)
        self._is_owed = self._is_changed = False
        self._outage.is_over()
        return frame

    def _saw(self, packet: Packet) -> None:
        """Note that the credit of this frame is used. It is given back with the next request."""
        self._credit -= 1
        self._owed += 1

    def _give_back(self) -> None:
        if self._owed:
            self._credit += self._owed
            owed, self._owed = self._owed, 0
            self._link.send(packets.packet("credit", packets.credit(self._id, owed), self._link.next_id()))

    def pause(self) -> None:
        """Stop frames until `resume` or `seek`."""
        self._control(pause=True)
        self._is_paused = True

    def resume(self) -> None:
        self._control(resume=True)
        self._is_paused = False

    def seek(self, position_s: float) -> None:
        """Move to a time, which the next frame shows. A paused stream sends that one."""
        self._control(position_s=position_s)
        self._position_s, self._is_owed = position_s, self._is_paused

    def set_speed(self, speed: float) -> None:
        """Set the seconds that the position moves in a second; negative: backwards."""
        self._control(speed=speed)
        self._speed = speed

    def set_rate(self, rate: float) -> None:
        """Set the frames a second; 0: as fast as they are read."""
        self._control(rate=rate)
        self._rate = rate

    def _control(self, **what: Any) -> None:
        if self._is_closed:
            raise PosedError("not_found", "the stream has ended", 404)
        asked = 0
        while True:
            try:
                asked += 1
                self._link.ask("control", packets.control(self._id, **what), aside=self._waiting.append)
                break
            except PosedError as error:
                if not is_end(error):
                    raise
                self._link.close()
                if asked > 1:
                    self.close()
                    raise self._outage.gave_up(error) from error
                self._take_up(error)
        # Older frames are dropped, but their credit is given back.
        for packet in self._waiting:
            if packet.kind == "stream":
                self._tick = self._first_tick + packets.read_stream(packet)[0] + 1
                self._saw(packet)
        self._waiting = deque(packet for packet in self._waiting if packet.kind != "stream")
        try:
            self._give_back()
        except PosedError as error:
            if not is_end(error):
                raise
            self._link.close()  # the next frame reports it

    def close(self) -> None:
        """End the stream and its connection."""
        self._is_closed = True
        self._link.close()


@dataclass(frozen=True)
class Change:
    """A watched model has changed: `generation` and `content_hash` of the new content, or the `error` if it cannot be read."""

    generation: int
    content_hash: str
    error: Optional[PosedError]


class Watch:
    """Changes of a model's content. Iterating waits for the next one.

        with model.watch() as changes:
            for change in changes:
                print(change.content_hash)

    If the connection ends, the model is watched over another one. A change meanwhile is reported; several are reported as one. If the
    model cannot be read then, the watch ends with an error.
    """

    def __init__(self, open_link: Callable[[], Link], reconnect: Reconnect, path: str, timeout_s: Optional[float]) -> None:
        self._open_link, self._path, self._timeout_s = open_link, path, timeout_s
        self._waiting: Deque[Packet] = deque()
        self._missed: Optional[Change] = None
        self._last_hash, self._generation, self._first_generation = "", 1, 0
        self._is_begun = self._is_closed = False
        self._outage = Outage(reconnect, f"the watch of '{path}'")
        try:
            self._begin()
        except PosedError as error:
            if not is_end(error) or isinstance(error, ConnectionLost) and error.is_unreachable:
                raise
            self._take_up(error)
        #: hash of the content when the watch began, 64 hex digits
        self.content_hash = self._last_hash

    def _begin(self) -> None:
        link = self._open_link()
        self._waiting.clear()
        try:
            opened = link.open(self._path)
            link.ask("watch", packets.watch(True), opened.model, aside=self._waiting.append)
        except BaseException:
            link.close()
            raise
        self._link = link
        content_hash = packets.read_opened(opened).content_hash
        is_other = self._is_begun and content_hash != self._last_hash
        self._first_generation = self._generation - (0 if is_other else 1)
        if is_other:
            self._missed = Change(self._generation + 1, content_hash, None)
        self._last_hash, self._is_begun = content_hash, True

    def _take_up(self, error: PosedError) -> None:
        try:
            self._outage.reopen(self._begin, error)
        except PosedError:
            self.close()
            raise

    def __enter__(self) -> "Watch":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __iter__(self) -> "Watch":
        return self

    def __next__(self) -> Change:
        while not self._is_closed:
            if self._missed is not None:
                missed, self._missed = self._missed, None
                self._generation = missed.generation
                return missed
            try:
                return self._next()
            except PosedError as error:
                if isinstance(error, TimedOut) and not self._link.is_closed:
                    raise
                if not is_end(error):
                    self.close()
                    raise
                self._link.close()
                self._take_up(error)
        raise StopIteration

    def _next(self) -> Change:
        while True:
            packet = self._waiting.popleft() if self._waiting else self._link.read(self._timeout_s)
            if packet.kind == "error":
                raise packet.error()
            if packet.kind == "changed":
                self._last_hash, message = packets.read_changed(packet)
                self._generation = self._first_generation + packet.generation
                self._outage.is_over()
                return Change(self._generation, self._last_hash, packets.error_of(packet.code, message) if packet.code else None)

    def close(self) -> None:
        """End the watch and its connection."""
        self._is_closed = True
        self._link.close()
