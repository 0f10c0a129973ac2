"""A client of one server."""
from __future__ import annotations

import os
import struct
from typing import Any, BinaryIO, Callable, Dict, List, Optional, Sequence, Union

from . import errors
from .address import Address, parse
from .answer import Answer
from .crowd import CrowdPose, Entities, EntitiesAsked, Mask, Wanted, build
from .errors import ProtocolError, SpeaksHttp
from .frames import Frames
from .http import HttpTransport
from .link import Link, PacketTransport
from .model import Model
from .parameters import make
from .raycast import Hits, RaysAsked, TargetsAsked
from .raycast import build as build_raycast
from .reconnect import TRIES, WITHIN_S, Reconnect

ANSWER_BYTES_MAX = 1 << 30


def connect(address: Union[str, "os.PathLike[str]", None] = None, *, token: Optional[str] = None, timeout_s: float = 30.0,
            answer_max_bytes: int = ANSWER_BYTES_MAX, reconnect_tries: int = TRIES, reconnect_s: float = WITHIN_S,
            on_reconnect: Optional[Callable[[str, int, float], None]] = None, route: Optional[str] = None) -> "Client":
    """A client of the server at `address`:

    "127.0.0.1:7879"            the binary protocol over TCP, or HTTP if the port speaks only that
    "unix:/run/posed.sock"      the binary protocol over a Unix socket
    "http://127.0.0.1:7878"     HTTP; "https://.." for a server behind a proxy; "http+unix:/run/posed.sock"
    "ws://127.0.0.1:7878"       the binary protocol over a WebSocket, also "wss://.."
    None                        POSED_SERVER of the environment, else 127.0.0.1:7879

    token: if the server requires one (`--token-file`). timeout_s: how long a server may send nothing before `TimedOut`.
    answer_max_bytes: longer answers are refused before memory is allocated for them.
    reconnect_tries, reconnect_s: how often, and within how many seconds, the client tries to open a connection again after one has ended.
    It sends an interrupted request once more if that only reads. 0: never. on_reconnect: called as ``on_reconnect(what, tries, seconds)``
    when a connection works again; it must not use the client. route: the model by which a balancer chooses the server of a WebSocket;
    without it, the first model that was used.
    """
    return Client(parse(address), token, timeout_s, answer_max_bytes, Reconnect(reconnect_tries, reconnect_s, on_reconnect), route)


class Client:
    """A server and a connection to it. `connect` makes a client; `serve` makes one together with its server.

    address: the server's address, as for `connect`. Several threads may share a client and its models; it sends their requests one after
    the other. Clients of different threads send requests at the same time. Streams and watches have their own connections, each for one
    thread at a time. Do not use a client on both sides of a fork.
    """

    def __init__(self, address: Address, token: Optional[str] = None, timeout_s: float = 30.0,
                 answer_max_bytes: int = ANSWER_BYTES_MAX, reconnect: Reconnect = Reconnect(), route: Optional[str] = None) -> None:
        self._options = (token, timeout_s, answer_max_bytes)
        self._reconnect, self._route = reconnect, route
        self._address = address
        self.address = str(address)
        self._packets: Optional[PacketTransport] = None
        if address.scheme in ("packets", "ws", "wss"):
            try:
                self._packets = PacketTransport(address, *self._options, reconnect, route)
            except SpeaksHttp:
                pass
        # The ports of the binary protocol accept HTTP too.
        self._http = HttpTransport(_as({"packets": "http", "ws": "http", "wss": "https"}, address), *self._options, reconnect)
        self._transport: Union[PacketTransport, HttpTransport] = self._packets or self._http

    def __repr__(self) -> str:
        return f"<posed.{type(self).__name__} {self.address}>"

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connections, except those of streams and watches."""
        if self._packets is not None:
            self._packets.close()
        self._http.close()

    def model(self, path: str) -> Model:
        """Return the model with this path under the server's root. Sends no request yet."""
        return Model(self, path)

    def models(self, prefix: Optional[str] = None) -> List[Dict[str, Any]]:
        """Return the models under the server's root: `model` (the path), `bytes`, `modified`, `state`, `hash`, `error`."""
        page = self.json("/v1/models", prefix=prefix)
        models: List[Dict[str, Any]] = page["models"]
        while page["next"] is not None:
            page = self.json("/v1/models", prefix=prefix, after=page["next"])
            models += page["models"]
        return models

    def batch(self, queries: Sequence[Dict[str, Any]]) -> List[Any]:
        """Send several queries in one round trip, each a dict with `op` ("model", "palette", "pose", "mesh", "bounds") and its parameters.
        Returns the JSON answer of each, or a `PosedError` (not raised) if that query failed."""
        results = self.json("/v1/query", queries=[make(query) for query in queries])["results"]
        return [_result(result) for result in results]

    def raycast(self, entities: Sequence[Dict[str, Any]], rays: Sequence[Dict[str, Any]], **options: Any) -> List[Dict[str, Any]]:
        """Find where rays hit posed entities, as JSON; protocol/hits.md has the members of both. `raycast_crowd` is for many rays and
        entities. options: `fit`, `test` ("volumes", "mesh"), `hits` ("nearest", "all"). Returns the hits, by ray, then distance."""
        return list(self.json("/v1/raycast", entities=list(entities), rays=list(rays), **options)["hits"])

    def crowd(self, models: Sequence[str], entities: EntitiesAsked, *, masks: Sequence[Mask] = (), wanted: Sequence[Wanted] = (Wanted(),),
              layers: Any = None, worlds: Any = None, hashes: Sequence[Optional[str]] = (), poses: Sequence[CrowdPose] = ()) -> Entities:
        """Return the poses of many entities, each with its own layers, in one round trip (protocol/crowd.md): all floats in one array.

        models: paths, to which entities refer by index. It may lack files that are a `clip_file` of a layer. entities: `Entity` objects; or
        arrays: records of `entity_dtype()` with layers of `layer_dtype()` and worlds (n, 12) of float64, or other objects with these bytes.
        masks, poses and wanted: lists to which layers and entities refer by index. hashes: the content that each model must have, or None. The
        error of an entity is not raised: see `Entities.errors`.
        """
        return Entities(self._transport.crowd(build(models, entities, layers, worlds, masks, wanted, hashes, poses)).body)

    def raycast_crowd(self, models: Sequence[str], entities: EntitiesAsked, rays: RaysAsked, *, targets: TargetsAsked = None,
                      fit: str = "capsule", test: str = "volumes", hits: str = "nearest", masks: Sequence[Mask] = (),
                      wanted: Sequence[Wanted] = (Wanted(),), layers: Any = None, worlds: Any = None,
                      hashes: Sequence[Optional[str]] = (), poses: Sequence[CrowdPose] = ()) -> Hits:
        """Find where rays and moving balls hit the entities of a crowd, in binary: arrays in, arrays out (protocol/hits.md).

        models, entities, masks, wanted, layers, worlds, hashes, poses: as for `crowd`; layouts and wanted have no effect. rays: `Ray` objects, or
        an array of `rays()`. targets: the entities that rays may hit, and their motion; `Target` objects, or records of `target_dtype()`.
        None: all entities, and they stand still. fit: "capsule", "box" or "sphere"; test: "volumes" or "mesh"; hits: "nearest" or "all".
        The error of a single entity or ray is raised, and its message names it (``entities[3]: ..``), because a shot at an incomplete crowd
        would give a wrong answer.
        """
        crowd = build(models, entities, layers, worlds, masks, wanted, hashes, poses)
        asked = build_raycast(crowd, targets, rays, fit, test, hits)
        found = Hits(self._transport.raycast(asked).body)
        if struct.pack("<II", found.entity_count, found.ray_count) != asked[12:20]:
            raise ProtocolError("the answer is that of another raycast")
        return found

    def upload(self, name: str, data: Union[bytes, BinaryIO, "os.PathLike[str]"], *, route: Optional[str] = None) -> Dict[str, Any]:
        """Store a model, or a zip of one with its companions, if the server accepts uploads. Returns the same as `Model.info`. data: the
        bytes, an open file, or a path (`pathlib.Path`). It always uses HTTP. route: by which balancers choose a server: the path that the
        model will have."""
        if isinstance(data, os.PathLike):
            with open(data, "rb") as file:
                return dict(self._http.upload(name, file, route).json())
        return dict(self._http.upload(name, data, route).json())

    def delete(self, name: str, *, route: Optional[str] = None) -> None:
        """Deletes an uploaded model."""
        self._http.delete(name, route)

    def version(self) -> Dict[str, Any]:
        return dict(self.json("/v1/version"))

    def stats(self) -> Dict[str, Any]:
        """The server's counters."""
        return dict(self.json("/v1/stats"))

    def environment(self, **options: Any) -> Frames:
        """Return the light of pictures (`light`, `environment`, `environment_yaw`) as blocks: `harmonics` and the levels of `light_map`. As
        a Radiance file: ``client.ask("/v1/environment", format="hdr").body``."""
        return Frames(self.ask("/v1/environment", **{**options, "format": "bin"}).body)

    def formats(self) -> List[Dict[str, Any]]:
        """Return the file formats that the server reads."""
        return list(self.json("/v1/formats")["formats"])

    def ask(self, path: str, /, **parameters: Any) -> Answer:
        """Send any read operation, for example ``ask("/v1/render", model="fox.glb", view="depth")``."""
        return self._transport.ask(path, make(parameters))

    def json(self, path: str, /, **parameters: Any) -> Any:
        """Do the same as `ask`, and parse the JSON answer."""
        return self.ask(path, **parameters).json()

    def operation(self, op: str, **parameters: Any) -> Answer:
        """Send palette, pose, mesh or render in the fastest form of the connection."""
        return self._transport.operation(op, make(parameters))

    def link(self, route: Optional[str] = None) -> Link:
        """Open another connection of the binary protocol, as streams do; over a WebSocket if the client uses HTTP. route: the model that it
        is for."""
        if self._packets is not None:
            return self._packets.link(self._route or route)
        return Link(_as({"packets": "ws", "http": "ws", "https": "wss"}, self._address), *self._options, self._route or route)

    @property
    def reconnect(self) -> Reconnect:
        return self._reconnect

    def forget(self, path: str) -> None:
        if self._packets is not None:
            self._packets.forget(path)


def _as(schemes: Dict[str, str], address: Address) -> Address:
    return Address(schemes.get(address.scheme, address.scheme), address.host, address.port, address.path)


def _result(result: Any) -> Any:
    if isinstance(result, dict) and isinstance(result.get("error"), dict) and "code" in result["error"]:
        error = result["error"]
        status = {code: status for code, status in errors.CODES.values()}.get(error["code"], 500)
        return errors.PosedError(str(error["code"]), str(error.get("message", "")), status, error.get("candidates"))
    return result
