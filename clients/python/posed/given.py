"""Poses of one's own, for layers in place of clips (protocol/blending.md)."""
from __future__ import annotations

import io
import json
import math
import os
import zipfile
import zlib
from typing import Any, Dict, List, Mapping, Optional, Sequence, Union

from . import arrays
from .errors import ProtocolError
from .frames import Frames

Node = Union[int, str]
#: the parts of a transform and their numbers, in the order of an item of `local`
_PARTS = {"translation": 3, "rotation": 4, "scale": 3}
_LOCAL = 10
_FILE_BYTES_MAX = 64 << 20
_NAMES = ("nodes", *_PARTS, "times", "rate", "relative_to")
_TABLE = ("values", "times", "about")


class GivenPose:
    """Transforms, morph weights and expressions for a layer: one frame, or several that are played as a clip is.

        wave = posed.GivenPose(["arm_right", "forearm_right"], degrees=[[0, 0, -70], [0, 0, -30]], relative_to="rest")
        robot.render("walk", 0.3, layers=[{"clip": "walk"}, {"pose": wave, "weight": 0.8}])

    A layer takes it as its `pose`, and a list of layers takes it as a whole layer. What it does not give stays as the layers below have it.

    nodes        indices, names or roles in a human ("head", "leftUpperArm")
    translation  (frames, nodes, 3) or (nodes, 3), in the model's unit; arrays of NumPy or lists. None or NaN for a node's numbers: not given
    rotation     (.., nodes, 4): quaternions x, y, z, w; or degrees, (.., nodes, 3), about x, y and z in `order`
    scale        (.., nodes, 3)
    times        seconds of the frames, from 0 on and rising; or rate, frames a second (the server's default is 30)
    relative_to  "parent": local transforms, as `Model.pose(what="local")` returns them; "rest": changes of the rest pose
    morphs       weights by the name of the target, (mesh, target) for those of one mesh: a number, or one for each frame
    expressions  weights of a VRM file's expressions by name, likewise
    look         where the eyes of a VRM file look: {"yaw": .., "pitch": ..} in degrees to its left and down, or {"at": [x, y, z]}

    ValueError: arrays that do not fit, with the array, the frame, the node and the number. The server reports what is wrong with nodes.
    """

    def __init__(self, nodes: Sequence[Node] = (), *, translation: Any = None, rotation: Any = None, degrees: Any = None, scale: Any = None,
                 times: Any = None, rate: Optional[float] = None, order: Optional[str] = None, relative_to: str = "parent",
                 morphs: Optional[Mapping[Any, Any]] = None, expressions: Optional[Mapping[str, Any]] = None,
                 look: Optional[Mapping[str, Any]] = None) -> None:
        self.nodes: List[Node] = [_node(node, place) for place, node in enumerate(_list(nodes))]
        self.relative_to, self.order, self.rate, self.look = relative_to, order, rate, look
        given = {"translation": (translation, 3), "rotation": (rotation, 4), "degrees": (degrees, 3), "scale": (scale, 3)}
        self._parts = {name: _frames(name, array, count, self.nodes) for name, (array, count) in given.items() if array is not None}
        self._weights = {"morphs": dict(morphs or {}), "expressions": dict(expressions or {})}
        self.times = None if times is None else [_number(time, f"'times': frame {frame}") for frame, time in enumerate(_list(times))]
        self.frame_count = self._count_frames()
        if rate is not None and times is not None:
            raise ValueError("'rate' does not go with 'times'")
        self._check()

    @classmethod
    def load(cls, file: Any) -> "GivenPose":
        """Read a file (a path, or an object with `read`): an `.npz` of arrays with the names of the parameters above, or of `posectl bake
        --values local`; an answer of /v1/pose?what=local, as JSON or binary frames; or a pose in JSON. It needs NumPy for arrays."""
        name = os.fspath(file) if isinstance(file, (str, os.PathLike)) else getattr(file, "name", "the file")
        try:
            data = _read(file)
            if data[:2] == b"PK":
                return cls(**_from_npz(data))
            return cls.of(Frames(data)) if data[:4] == b"PSDF" else cls.of(json.loads(data))
        except (ValueError, RecursionError, ProtocolError) as error:
            raise ValueError(f"{name}: {error}") from error

    @classmethod
    def of(cls, answer: Any) -> "GivenPose":
        """Return the pose of an answer: a `Pose` of ``what="local"``, its `Frames`, or the dict of its JSON; or a pose in JSON."""
        if isinstance(answer, Mapping):
            pose = cls.__new__(cls)
            pose._json = dict(answer)
            return pose
        frames = answer if isinstance(answer, Frames) else getattr(answer, "frames", None)
        if not isinstance(frames, Frames):
            raise ValueError(f"a pose is an answer with local transforms, not {type(answer).__name__}")
        return cls(**_from_frames(frames))

    def to_json(self) -> Dict[str, Any]:
        """Return the member `pose` of a layer."""
        if self._json is not None:
            return self._json
        out: Dict[str, Any] = {"nodes": self.nodes, "relative_to": self.relative_to}
        if self.order is not None:
            out["order"] = self.order
        if self.look is not None:
            out["look"] = dict(self.look)
        if self.rate is not None:
            out["rate"] = float(self.rate)
        for kind, weights in self._weights.items():
            if weights:
                out[kind] = [_target(name) for name in weights]
        out["frames"] = [self._frame(frame) for frame in range(self.frame_count)]
        return out

    #: the pose as it came, where it came as JSON
    _json: Optional[Dict[str, Any]] = None

    def _frame(self, frame: int) -> Dict[str, Any]:
        out: Dict[str, Any] = {name: part[frame] for name, part in self._parts.items()}
        if self.times is not None:
            out["time"] = self.times[frame]
        for kind, weights in self._weights.items():
            if weights:
                out[kind] = [_weight(kind, name, weight, frame) for name, weight in weights.items()]
        return out

    def _count_frames(self) -> int:
        counts = {name: len(part) for name, part in self._parts.items()}
        if self.times is not None:
            counts["times"] = len(self.times)
        for weights in self._weights.values():
            counts.update((str(name), len(_list(weight))) for name, weight in weights.items() if _is_list(weight))
        for name, count in counts.items():
            other, most = max(counts.items(), key=lambda item: item[1])
            if count != most:
                raise ValueError(f"'{name}' has {count} frames, and '{other}' has {most}")
        return max(counts.values(), default=1)

    def _check(self) -> None:
        for name, part in self._parts.items():
            for frame, rows in enumerate(part):
                if len(rows) != len(self.nodes):
                    raise ValueError(f"'{name}': frame {frame} has {len(rows)} nodes, and 'nodes' has {len(self.nodes)}")
                for place, row in enumerate(rows):
                    if (row is None) != (part[0][place] is None):
                        raise ValueError(f"'{name}': frame {frame}, node {self.nodes[place]!r} (place {place}) is "
                                         f"{'not ' if row is None else ''}given, unlike in frame 0")
        if self.frame_count == 0:
            raise ValueError("there are no frames")


def _is_list(value: Any) -> bool:
    return hasattr(value, "__len__") and not isinstance(value, (str, bytes))


def _list(value: Any) -> List[Any]:
    return list(value.tolist() if hasattr(value, "tolist") else value)


def _node(node: Any, place: int) -> Node:
    if isinstance(node, bytes):
        node = node.decode("utf-8", "replace")
    if isinstance(node, str):
        return node
    if isinstance(node, bool) or not hasattr(node, "__index__"):
        raise ValueError(f"'nodes': node {place} is neither an index nor a name: {node!r}")
    return int(node)


def _number(value: Any, place: str) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise ValueError(f"{place} is no number: {value!r}") from None
    if not math.isfinite(number):
        raise ValueError(f"{place} is {number}")
    return number


def _frames(name: str, array: Any, count: int, nodes: Sequence[Node]) -> List[List[Optional[List[float]]]]:
    """Return [frame][node] of an array with or without an axis of frames: lists of `count` numbers, or None."""
    rows = _list(array)
    row: Any = next((entry for entry in rows if entry is not None), None)
    item: Any = None if row is None else next((entry for entry in _list(row) if entry is not None), None)
    if not _is_list(item):
        rows = [rows]
    return [[_row(f"'{name}': frame {frame}, node {(nodes[place] if place < len(nodes) else place)!r} (place {place})", numbers, count)
             for place, numbers in enumerate(_list(frame_rows or []))] for frame, frame_rows in enumerate(rows)]


def _row(place: str, row: Any, count: int) -> Optional[List[float]]:
    if row is None:
        return None
    numbers = _list(row) if _is_list(row) else [row]
    if len(numbers) != count:
        raise ValueError(f"{place} has {len(numbers)} numbers, not {count}")
    if all(isinstance(number, float) and math.isnan(number) for number in numbers):
        return None
    return [_number(number, f"{place}, number {i}") for i, number in enumerate(numbers)]


def _target(name: Any) -> Any:
    return {"mesh": name[0], "target": name[1]} if isinstance(name, tuple) else name


def _weight(kind: str, name: Any, weight: Any, frame: int) -> float:
    return _number(_list(weight)[frame] if _is_list(weight) else weight, f"'{kind}': frame {frame}, {name!r}")


def _read(file: Any) -> bytes:
    if hasattr(file, "read"):
        data = file.read(_FILE_BYTES_MAX + 1)
    else:
        with open(file, "rb") as opened:
            data = opened.read(_FILE_BYTES_MAX + 1)
    if len(data) > _FILE_BYTES_MAX:
        raise ValueError("it is longer than 64 MiB")
    return bytes(data)


def _from_frames(frames: Frames) -> Dict[str, Any]:
    """The parameters of a pose that is an answer in binary frames."""
    kinds = [block.kind for block in frames.blocks]
    if "local" not in kinds:
        raise ValueError("these frames have no local transforms: ask for what='local'")
    local = [_list(frame) for frame in frames.array(frames.find("local"), None)]
    nodes = _list(frames.array(frames.find("nodes"))) if "nodes" in kinds else range(len(local[0]) if local else 0)
    sheared = {int(place) for place in _list(frames.array(frames.find("sheared")))} if "sheared" in kinds else set()
    out: Dict[str, Any] = {"nodes": [int(node) for node in nodes], "times": list(frames.times)}
    first = 0
    for name, count in _PARTS.items():
        out[name] = [[None if place in sheared else row[first:first + count] for place, row in enumerate(frame)] for frame in local]
        first += count
    return out


def _from_npz(data: bytes) -> Dict[str, Any]:
    """The parameters of a pose that is an archive of arrays."""
    if arrays.numpy is None:
        raise ValueError("arrays need NumPy")
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = archive.infolist()
            if sum(member.file_size for member in members) > _FILE_BYTES_MAX or len(members) > 64:
                raise ValueError("all arrays together may have 64 MiB, and be 64")
            found = {member.filename[:-4]: _array(archive, member) for member in members if member.filename.endswith(".npy")}
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError, OSError) as error:
        raise ValueError(f"it is no whole .npz archive: {error}") from error
    if len(found) != len(members):
        raise ValueError("it has a member that is no array, or one twice")
    return _from_table(found) if "values" in found else _from_arrays(found)


def _array(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> Any:
    """Read an array. Its shape is compared with its bytes before there is memory for it, and objects are refused."""
    form: Any = arrays.numpy.lib.format
    with archive.open(member) as stream:
        data = stream.read(member.file_size)
    try:
        file = io.BytesIO(data)
        version = form.read_magic(file)
        read = form.read_array_header_1_0 if version == (1, 0) else form.read_array_header_2_0
        shape, is_fortran_order, kind = read(file)
        rest = data[file.tell():]
        if kind.hasobject or kind.names is not None or math.prod(shape) * kind.itemsize != len(rest):
            raise ValueError(f"the shape {shape} of {kind} is not that of its {len(rest)} bytes")
        return arrays.numpy.frombuffer(rest, kind).reshape(shape, order="F" if is_fortran_order else "C")
    except (ValueError, TypeError, SyntaxError, MemoryError, OverflowError) as error:
        raise ValueError(f"array '{member.filename[:-4]}': {error}") from error


def _from_arrays(found: Dict[str, Any]) -> Dict[str, Any]:
    unknown = [name for name in found if name not in _NAMES]
    if unknown:
        raise ValueError(f"'{unknown[0]}' is no array of a pose; it has {', '.join(_NAMES)}")
    out: Dict[str, Any] = {}
    for name, array in found.items():
        if name in _PARTS and (array.ndim not in (2, 3) or array.shape[-1] != _PARTS[name] or array.dtype.kind not in "fiu"):
            raise ValueError(f"array '{name}' has the shape {array.shape}; it must be numbers of the shape (frames, nodes, {_PARTS[name]}) or "
                             f"(nodes, {_PARTS[name]})")
        if name in ("rate", "relative_to") and array.size != 1:
            raise ValueError(f"array '{name}' has the shape {array.shape}; it must be one item")
        if name in ("nodes", "times") and array.ndim != 1:
            raise ValueError(f"array '{name}' has the shape {array.shape}; it must be a list")
        out[name] = array.item() if name in ("rate", "relative_to") else array
    part = next((out[name] for name in _PARTS if name in out), None)
    if part is None:
        raise ValueError("there is no array 'translation', 'rotation' or 'scale'")
    out.setdefault("nodes", range(part.shape[-2]))
    return out


def _from_table(found: Dict[str, Any]) -> Dict[str, Any]:
    """The arrays that posectl bake writes."""
    unknown = [name for name in found if name not in _TABLE]
    about = json.loads(bytes(found["about"].item())) if "about" in found and found["about"].size == 1 else None
    if unknown or not isinstance(about, dict):
        raise ValueError("a table of posectl bake has the arrays values, times and about")
    if about.get("values") != "local":
        raise ValueError(f"the numbers of this table of posectl bake are in the scene (--values {about.get('values')}), and a pose has local "
                         "ones: bake it with --values local")
    items, values = about.get("items", []), found["values"]
    if len(about.get("clips", [])) != 1:
        raise ValueError(f"this table of posectl bake has {len(about.get('clips', []))} clips, and a pose is one motion: bake it with --clips NAME")
    if values.ndim != 3 or values.shape[1:] != (len(items), _LOCAL):
        raise ValueError(f"array 'values' has the shape {values.shape}, not (frames, {len(items)}, {_LOCAL})")
    out: Dict[str, Any] = {"nodes": [item["node"] if item["name"] == f"node{item['node']}" else item["name"] for item in items],
                           "times": found.get("times")}
    return {**out, "translation": values[:, :, :3], "rotation": values[:, :, 3:7], "scale": values[:, :, 7:]}
