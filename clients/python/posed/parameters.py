"""The parameters of a request, as HTTP has them (protocol/http.md) and as fields of the binary protocol."""
from __future__ import annotations

import json
import numbers
import re
from typing import Any, Callable, Dict, List, Tuple
from urllib.parse import quote

from . import packets
from .given import GivenPose

#: the rest pose, as `clip`
REST = "-"
Parameters = Dict[str, Any]

#: longer queries go into the body of a POST; by default a server accepts 8192 bytes (--max-url)
_QUERY_BYTES_MAX = 4000
#: parameters that take a name, and those for names that would otherwise be read as an index or a list
_NAMED = {"clip": "clip_name", "skin": "skin_name", "joints": "joint_name", "mesh": "mesh_name", "joint": "joint_name",
          "camera": "camera_name", "target": "target_name", "variant": "variant_name", "root": "", "subtree": ""}
_LISTS = ("skin", "joints", "subtree")
#: lists of objects, which only a body can have
_OBJECTS = ("layers", "queries", "entities", "rays", "points")
#: these are in the query even if there is a body
_IN_TARGET = ("model", "route")
_NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?")


def make(options: Dict[str, Any]) -> Parameters:
    """Make parameters for HTTP: drops those that are None, removes a `_` at the end (``from_``), and distinguishes names from indices."""
    out: Parameters = {}
    for key, value in options.items():
        name = key[:-1] if key.endswith("_") else key
        if value is None:
            continue
        value = _member(name, value)
        if isinstance(value, list) and not value and name not in _OBJECTS:
            raise ValueError(f"'{key}' is an empty list")
        if name in _NAMED:
            name = _name_of(name, value)
        if name in out:
            raise TypeError(f"'{name}' is given twice")
        out[name] = value
    return out


def _member(name: str, value: Any) -> Any:
    """Convert a parameter, or the member of a layer. A pose may be a `GivenPose` or an answer, and a whole layer too."""
    if name == "pose" and not isinstance(value, dict):
        return _plain((value if isinstance(value, GivenPose) else GivenPose.of(value)).to_json())
    if name == "layers" and isinstance(value, (list, tuple)):
        return [_plain(layer if isinstance(layer, dict) else {"pose": layer}) for layer in value]
    return _plain(value)


def _plain(value: Any) -> Any:
    """Convert numbers of NumPy and sequences to those of JSON, within objects too (a list of weights in a layer)."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, dict):
        return {name: _member(name, part) for name, part in value.items()}
    if isinstance(value, bool) or type(value).__name__ in ("bool_", "bool"):
        return int(value)
    if isinstance(value, numbers.Integral):
        return int(value)
    if isinstance(value, numbers.Real):
        return float(value)
    if hasattr(value, "tolist"):
        return _plain(value.tolist())
    return [_plain(part) for part in value]


def _name_of(name: str, value: Any) -> str:
    """Return `name`, or the parameter that takes names if the string would otherwise mean something else."""
    parts = value if isinstance(value, list) else [value]
    marks = "," if name in _LISTS else ""
    awkward = [part for part in parts if isinstance(part, str) and (
        part == "" or part.isdigit() or any(mark in part for mark in marks))]
    if not awkward:
        return name
    if not _NAMED[name] or not all(isinstance(part, str) for part in parts):
        raise ValueError(f"'{awkward[0]}' as '{name}' looks like an index or a list: use indices")
    return _NAMED[name]


def target(path: str, parameters: Parameters) -> Tuple[str, bytes]:
    """Return (target, body) of the request. It has a body if the query would be too long or cannot express it. Even then `model` and
    `route` are in the target, where a balancer sees them. The route of a batch about one model is that model."""
    if any(name in _OBJECTS or isinstance(value, dict) for name, value in parameters.items()):
        return _with_body(path, parameters)
    query = _query(path, parameters)
    if len(query) > _QUERY_BYTES_MAX and path in POSTABLE:
        return _with_body(path, parameters)
    return query, b""


def _query(path: str, parameters: Parameters) -> str:
    pairs = [f"{name}={_text(part)}" for name, value in parameters.items()
             for part in (_lists(name, value) if isinstance(value, list) else [value])]
    return path + ("?" if pairs else "") + "&".join(pairs)


def _with_body(path: str, parameters: Parameters) -> Tuple[str, bytes]:
    seen = {name: parameters[name] for name in _IN_TARGET if isinstance(parameters.get(name), str)}
    models = {query.get("model") if isinstance(query, dict) else None for query in parameters.get("queries", [])}
    if "route" not in seen and len(models) == 1 and isinstance(model := models.pop(), str):
        seen["route"] = model
    where = _query(path, seen)
    if len(where) > _QUERY_BYTES_MAX:
        where, seen = path, {}
    return where, json.dumps({name: value for name, value in parameters.items() if name not in seen}).encode()


#: operations that take a body; for others a long query stays a query
POSTABLE = ("/v1/palette", "/v1/pose", "/v1/mesh", "/v1/bounds", "/v1/keys", "/v1/keypoints", "/v1/render", "/v1/sheet", "/v1/turntable", "/v1/query")


def _lists(name: str, value: List[Any]) -> List[Any]:
    """Entries that repeat the parameter. Commas separate the numbers of a list."""
    if all(not isinstance(part, str) for part in value):
        return [",".join(_number(part) for part in value)]
    return value


def _number(value: Any) -> str:
    return repr(value)


def _text(value: Any) -> str:
    """Write a value in the one form that protocol/http.md defines."""
    return quote(value if isinstance(value, str) else _number(value), safe="/")


class Unsayable(Exception):
    """The binary protocol's own requests have no field for this; `call` must be used."""


#: finds the index of a name: (what, name) -> index
Find = Callable[[str, str], int]
_COMMON = {"model", "clip", "clip_name", "t", "wrap", "from", "to", "speed", "phase", "root_motion", "root", "format"}
_OWN = {
    "palette": {"skin", "skin_name", "space", "layout", "yaw"},
    "pose": {"what", "joints", "joint_name", "layout", "yaw"},
    "mesh": {"mesh", "mesh_name", "indices", "normals", "rest", "weights", "yaw"},
    "render": {"width", "height", "background", "yaw", "pitch", "root_yaw"},
}


def to_query(op: str, parameters: Parameters, find: Find) -> packets.Query:
    """Return the fields of palette, pose, mesh and render. Raises Unsayable for a value that they cannot express exactly, so that the
    server reports its error."""
    if set(parameters) - _COMMON - _OWN[op]:
        raise Unsayable
    query = packets.Query()
    query.wrap = _word(packets.WRAPS, parameters, "wrap", "loop")
    query.layout = _word(packets.LAYOUTS, parameters, "layout", "mat4")
    query.space = _word(packets.SPACES, parameters, "space", "scene")
    _flag(query, "root_motion", parameters, "root_motion", "extract")
    _flag(query, "turn", parameters, "root_yaw" if op == "render" else "yaw", 1)
    for name in "indices", "normals", "rest", "weights":
        _flag(query, name, parameters, name, 1)
    for name, field in ("from", "from_s"), ("to", "to_s"), ("speed", "speed"), ("phase", "phase"):
        if name in parameters:
            setattr(query, field, _real(parameters[name]))
            query.flags |= packets.QUERY_FLAGS[name]
    what = parameters.get("what")
    if op == "pose":
        whats = [what] if isinstance(what, str) else what or ["scene"]
        query.what = sum({packets.WHATS.get(str(word), 9) for word in whats})
        if query.what > 3:
            raise Unsayable
    _times(query, parameters.get("t"))
    _names(op, query, parameters, find)
    return query


def to_stream_query(op: str, parameters: Parameters, find: Find) -> packets.Query:
    """Return the fields of a stream; if they cannot express all parameters, these are JSON behind them."""
    if "t" in parameters:
        raise ValueError("a stream has no t: give it position_s, rate and speed")
    try:
        return to_query(op, parameters, find)
    except Unsayable:
        return packets.Query(flags=packets.QUERY_FLAGS["more"], more=json.dumps(parameters).encode())


def _word(words: Dict[str, int], parameters: Parameters, name: str, default: str) -> int:
    value = parameters.get(name, default)
    if not isinstance(value, str) or value not in words:
        raise Unsayable
    return words[value]


def _flag(query: packets.Query, flag: str, parameters: Parameters, name: str, yes: Any) -> None:
    value = parameters.get(name, 0)
    if value == yes:
        query.flags |= packets.QUERY_FLAGS[flag]
    elif value != 0 or isinstance(value, str):
        raise Unsayable


def _real(value: Any) -> float:
    if not isinstance(value, (int, float)):
        raise Unsayable
    return float(value)


def _times(query: packets.Query, t: Any) -> None:
    if isinstance(t, str):
        parts = t.split(":")
        if not all(_NUMBER.fullmatch(part) for part in parts):
            raise Unsayable
        query.times = [float(part) for part in parts]
        if len(parts) == 3:
            query.flags |= packets.QUERY_FLAGS["range"]
        elif len(parts) != 1:
            raise Unsayable
    elif t is not None:
        query.times = [_real(part) for part in (t if isinstance(t, list) else [t])]


def _names(op: str, query: packets.Query, parameters: Parameters, find: Find) -> None:
    def index(what: str, value: Any) -> int:
        found = find(what, value) if isinstance(value, str) else value
        if not isinstance(found, int) or not 0 <= found < 2**31:
            raise Unsayable
        return found

    def several(what: str, *names: str) -> List[int]:
        value: Any = next((parameters[name] for name in names if name in parameters), [])
        return [index(what, part) for part in (value if isinstance(value, list) else [value])]

    if parameters.get("clip") == REST:
        query.clip = packets.CLIP_REST
    elif "clip" in parameters or "clip_name" in parameters:
        query.clip = index("clip", parameters.get("clip", parameters.get("clip_name")))
    if "root" in parameters:
        query.root = index("node", parameters["root"])
    if op == "palette":
        query.indices = several("skin", "skin", "skin_name")
    elif op == "pose":
        query.indices = several("node", "joints", "joint_name")
    elif op == "mesh" and ("mesh" in parameters or "mesh_name" in parameters):
        query.mesh = index("mesh", parameters.get("mesh", parameters.get("mesh_name")))
