"""Streams of frames and changes of models: iterators over a connection of their own."""
from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Any, Deque, Dict, Optional, Tuple

from . import packets
from .arrays import Array
from .errors import PosedError
from .frames import Frames
from .link import Handle, Link
from .packets import Packet
from .parameters import Unsayable, make, to_query


@dataclass(frozen=True)
class Frame:
    """One frame of a stream.

    tick        which frame of the stream it is, those skipped counted
    skipped     how many were not sent since the last one, because this side was slow
    time_s      the position it shows, in seconds
    is_changed  the model is another one since the last frame: indices may mean something else
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
        """A block's numbers, shaped as `Frames.array` says: "palette", "scene", "local", "positions", .. of the skin or part `index`."""
        return self.frames.array(self.frames.find(kind, index), 0)

    @property
    def palette(self) -> Array:
        """The first skin's palette."""
        return self.array("palette")


class Stream:
    """Frames of a clip as time passes. Iterating waits for the next one; frames that this side is too slow for are skipped, and with the
    credit of 1 that a stream has by itself none is late.

        with model.stream("palette", "walk", rate=30) as stream:
            for frame in stream:
                draw(frame.palette)

    A frame's credit is given back when the next one is asked for. `pause`, `resume`, `seek`, `set_speed` and `set_rate` return when the
    server has done it, and frames that came before that are dropped. For one thread at a time. It ends with the block, `close`, or an error
    that the server ends it with; there is no natural end, because clips loop. Where the model changes, the stream goes on with the new
    content and the indices that it has; `Frame.is_changed` says so.
    """

    def __init__(self, link: Link, path: str, kind: str, options: Dict[str, Any], rate: float, position_s: float, speed: float,
                 credit: int, is_paused: bool, timeout_s: Optional[float]) -> None:
        self._link, self._timeout_s = link, timeout_s
        self._waiting: Deque[Packet] = deque()
        self._owed = 0
        try:
            if kind not in ("palette", "pose", "mesh"):
                raise ValueError(f"'{kind}': a stream is of palette, pose or mesh")
            handle = Handle(link.open(path))
            while not self._subscribe(handle, kind, options, (is_paused, credit, rate, position_s, speed)):
                pass
        except BaseException:
            link.close()
            raise

    def _subscribe(self, handle: Handle, kind: str, options: Dict[str, Any], clock: Tuple[bool, int, float, float, float]) -> bool:
        """False if the model changed between the look-up of a name and its use. Not by the generation of the request: that
        would end the stream at the next change."""
        try:
            query = to_query(kind, make(options), lambda what, name: handle.find(self._link, what, name))
        except Unsayable:
            raise ValueError(f"a stream of {kind} cannot have one of these: {', '.join(options)}") from None
        if query.times:
            raise ValueError("a stream has no t: give it position_s, rate and speed")
        generation = handle.generation
        self._id = self._link.upcoming_id
        done = self._link.ask("subscribe", query.subscribe(kind, *clock), handle.number, aside=self._waiting.append)
        handle.saw(done)
        if handle.generation == generation:
            return True
        self._link.ask("unsubscribe", packets.unsubscribe(self._id), aside=self._waiting.append)
        self._waiting.clear()
        return False

    def __enter__(self) -> "Stream":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __iter__(self) -> "Stream":
        return self

    def __next__(self) -> Frame:
        if self._link.is_closed:
            raise StopIteration
        if self._owed:
            self._link.send(packets.packet("credit", packets.credit(self._id, self._owed), self._link.next_id()))
            self._owed = 0
        while True:
            packet = self._waiting.popleft() if self._waiting else self._link.read(self._timeout_s)
            if packet.kind == "error":
                self.close()
                raise packet.error()
            if packet.kind == "stream" and packet.id == self._id:
                tick, skipped, _, data = packets.read_stream(packet)
                self._owed += 1
                return Frame(tick, skipped, packet.has("changed"), packet.generation, Frames(data, packet.warnings))

    def pause(self) -> None:
        """Stops frames until `resume` or `seek`."""
        self._control(pause=True)

    def resume(self) -> None:
        self._control(resume=True)

    def seek(self, position_s: float) -> None:
        """The next frame shows this time; a paused stream sends that one."""
        self._control(position_s=position_s)

    def set_speed(self, speed: float) -> None:
        """Seconds that the position moves in a second; negative: backwards."""
        self._control(speed=speed)

    def set_rate(self, rate: float) -> None:
        """Frames a second; 0: as fast as they are read."""
        self._control(rate=rate)

    def _control(self, **what: Any) -> None:
        if self._link.is_closed:
            raise PosedError("not_found", "the stream has ended", 404)
        self._link.ask("control", packets.control(self._id, **what), aside=self._waiting.append)
        # older frames are dropped, but their credit is returned
        late = [packet for packet in self._waiting if packet.kind == "stream"]
        self._owed += len(late)
        self._waiting = deque(packet for packet in self._waiting if packet.kind != "stream")
        if self._owed:
            self._link.send(packets.packet("credit", packets.credit(self._id, self._owed), self._link.next_id()))
            self._owed = 0

    def close(self) -> None:
        """Ends the stream and its connection."""
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
    """

    def __init__(self, link: Link, path: str, timeout_s: Optional[float]) -> None:
        self._link, self._timeout_s = link, timeout_s
        self._waiting: Deque[Packet] = deque()
        try:
            opened = link.open(path)
            #: hash of the content when the watch began, 64 hex digits
            self.content_hash = packets.read_opened(opened).content_hash
            link.ask("watch", packets.watch(True), opened.model, aside=self._waiting.append)
        except BaseException:
            link.close()
            raise

    def __enter__(self) -> "Watch":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __iter__(self) -> "Watch":
        return self

    def __next__(self) -> Change:
        if self._link.is_closed:
            raise StopIteration
        while True:
            packet = self._waiting.popleft() if self._waiting else self._link.read(self._timeout_s)
            if packet.kind == "error":
                self.close()
                raise packet.error()
            if packet.kind == "changed":
                content_hash, message = packets.read_changed(packet)
                return Change(packet.generation, content_hash, packets.error_of(packet.code, message) if packet.code else None)

    def close(self) -> None:
        """Ends the watch and its connection."""
        self._link.close()
