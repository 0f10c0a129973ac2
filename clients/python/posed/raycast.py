"""Raycasts: find where rays and moving balls hit the entities of a crowd, in binary (protocol/hits.md)."""
from __future__ import annotations

import math
import struct
from dataclasses import dataclass
from typing import Any, Dict, Iterator, NamedTuple, Sequence, Tuple, Union

from . import arrays
from .arrays import Array, Buffer, view
from .errors import ProtocolError

CONTENT_TYPE = "application/vnd.posed.raycast"
ANSWER_TYPE = "application/vnd.posed.hits"
FITS = {"capsule": 0, "box": 1, "sphere": 2}
TESTS = {"volumes": 0, "mesh": 1}
WHICH = {"nearest": 0, "all": 1}
#: a mask of all bits
ALL = 0xFFFFFFFF
#: `ignore` and `end` of records without a target
NONE = 0xFFFFFFFF

_HEADER = struct.Struct("<4sHHIIIIBBB37x")
_TARGET = struct.Struct("<IiI4x")
_RAY = struct.Struct("<9dII")
_ANSWER = struct.Struct("<4sHHIIIB3xQ")
_HIT = struct.Struct("<6I10f")

Three = Tuple[float, ...]


@dataclass
class Target:
    """What rays may hit: an entity of the crowd. It stands still, or moves from its pose to the pose of another entity.

    begin  its first pose: an index into the crowd's entities
    end    its second pose, of the same model: an index into the entities; -1: it stands still
    mask   only rays with one of these bits hit it
    """

    begin: int
    end: int = -1
    mask: int = ALL


@dataclass
class Ray:
    """A ray, or a moving ball. Origin and direction have three numbers each, in world space.

    direction  of any length but 0; distances are in world units
    max        the greatest distance of a hit
    radius     radius of a ball whose centre moves along the ray
    at         0 to 1: the moment between first and second poses of targets
    mask       hits only targets with one of these bits
    ignore     the index of a target that it passes through, such as the shooter; -1: none
    """

    origin: Sequence[float]
    direction: Sequence[float]
    max: float = math.inf
    radius: float = 0.0
    at: float = 0.0
    mask: int = ALL
    ignore: int = -1


class Hit(NamedTuple):
    """A hit as numbers; `Hits` defines them."""

    ray: int
    entity: int
    node: int
    part: int
    triangle: int
    inside: bool
    distance: float
    point: Three
    normal: Three
    barycentric: Three


def target_dtype() -> Any:
    """The dtype of a NumPy array of targets for `Client.raycast_crowd`; end: -1 for one that stands still."""
    return arrays.numpy.dtype({"names": ["begin", "end", "mask"], "formats": ["<u4", "<i4", "<u4"], "offsets": [0, 4, 8], "itemsize": 16})


def ray_dtype() -> Any:
    """The same for rays; ignore: 2**32 - 1 (`NONE`) for none. `rays()` makes such arrays."""
    return arrays.numpy.dtype([("origin", "<f8", 3), ("direction", "<f8", 3), ("max", "<f8"), ("radius", "<f8"), ("at", "<f8"),
                               ("mask", "<u4"), ("ignore", "<u4")])


def hit_dtype() -> Any:
    """The dtype of `Hits.records`; flags: 1 if `inside`."""
    return arrays.numpy.dtype([("ray", "<u4"), ("entity", "<u4"), ("node", "<u4"), ("part", "<u4"), ("triangle", "<u4"), ("flags", "<u4"),
                               ("distance", "<f4"), ("point", "<f4", 3), ("normal", "<f4", 3), ("barycentric", "<f4", 3)])


def rays(origin: Any, direction: Any, *, max: Any = math.inf, radius: Any = 0.0, at: Any = 0.0, mask: Any = ALL, ignore: Any = -1) -> Any:
    """Make a NumPy array of rays, of `ray_dtype()`. origin, direction: (n, 3), or three numbers for all; the others: (n,), or one number
    for all. They have the meanings of the fields of `Ray`."""
    numpy = arrays.numpy
    if numpy is None:
        raise ValueError("rays() makes NumPy arrays, and there is no NumPy: use Ray objects")
    columns: Dict[str, Any] = {name: numpy.asarray(value, float) for name, value in (("origin", origin), ("direction", direction))}
    for name, value in columns.items():
        if value.ndim not in (1, 2) or value.shape[-1] != 3:
            raise ValueError(f"{name} has the shape {value.shape}, not (n, 3)")
    columns.update(max=numpy.asarray(max, float), radius=numpy.asarray(radius, float), at=numpy.asarray(at, float))
    columns["mask"], columns["ignore"] = _whole(mask, 0, "mask"), _whole(ignore, -1, "ignore")
    shapes = [value.shape[:-1] if name in ("origin", "direction") else value.shape for name, value in columns.items()]
    try:
        count = numpy.broadcast_shapes((1,), *shapes)
    except ValueError:
        raise ValueError(f"there are different numbers of {', '.join(columns)}: {shapes}") from None
    if len(count) != 1:
        raise ValueError(f"rays have one axis, not {len(count)}")
    made = numpy.empty(count, ray_dtype())
    for name, value in columns.items():
        made[name] = value
    return made


def _whole(value: Any, least: int, what: str) -> Any:
    """Convert to u32; -1 becomes `NONE`."""
    found = arrays.numpy.asarray(value)
    if found.dtype.kind not in "iu" or (found < least).any() or (found > ALL).any():
        raise ValueError(f"{what} is whole numbers from {least} to 2**32 - 1")
    return (found.astype("i8") & ALL).astype("<u4")


def _word(words: Dict[str, int], word: str, what: str) -> int:
    if word not in words:
        raise ValueError(f"{what} is one of {', '.join(words)}, not '{word}'")
    return words[word]


def _records(records: Any, dtype: Any, size: int, what: str) -> bytes:
    """Return the bytes of an array of records, or of another object that has them."""
    numpy = arrays.numpy
    if numpy is not None and isinstance(records, numpy.ndarray):
        if records.dtype != dtype():
            raise ValueError(f"{what}: an array of {records.dtype}, not of {dtype.__name__}()")
        clean = numpy.zeros(records.shape, records.dtype)  # the bytes between fields may be arbitrary
        for name in records.dtype.names:
            clean[name] = records[name]
        return bytes(clean.tobytes())
    try:
        data = bytes(memoryview(records).cast("B"))
    except TypeError:
        raise ValueError(f"{what}: a list or records, not {type(records).__name__}") from None
    if len(data) % size:
        raise ValueError(f"{what}: {len(data)} bytes are no records of {size}")
    return data


def _pack_targets(targets: Any, crowd: bytes) -> bytes:
    if targets is None:
        count, = struct.unpack_from("<I", crowd, 12)
        return b"".join(_TARGET.pack(place, -1, ALL) for place in range(count))
    if not isinstance(targets, (list, tuple)):
        return _records(targets, target_dtype, _TARGET.size, "targets")
    packed = bytearray()
    for i, target in enumerate(targets):
        try:
            packed += _TARGET.pack(target.begin, target.end, target.mask)
        except (struct.error, AttributeError, TypeError) as error:
            raise ValueError(f"targets[{i}]: {error}") from error
    return bytes(packed)


def _pack_rays(asked: Any) -> bytes:
    if not isinstance(asked, (list, tuple)):
        return _records(asked, ray_dtype, _RAY.size, "rays")
    packed = bytearray()
    for i, ray in enumerate(asked):
        try:
            if len(ray.origin) != 3 or len(ray.direction) != 3:
                raise ValueError(f"rays[{i}]: origin and direction have {len(ray.origin)} and {len(ray.direction)} numbers, not 3")
            packed += _RAY.pack(*ray.origin, *ray.direction, ray.max, ray.radius, ray.at, ray.mask, NONE if ray.ignore == -1 else ray.ignore)
        except (struct.error, AttributeError, TypeError) as error:
            raise ValueError(f"rays[{i}]: {error}") from error
    return bytes(packed)


def build(crowd: bytes, targets: Any, asked: Any, fit: str, test: str, hits: str) -> bytes:
    """Return the bytes of a request. crowd: made by `crowd.build`; its entities are the poses."""
    words = _word(FITS, fit, "fit"), _word(TESTS, test, "test"), _word(WHICH, hits, "hits")
    of_targets, of_rays = _pack_targets(targets, crowd), _pack_rays(asked)
    size = _HEADER.size + len(of_targets) + len(of_rays) + len(crowd)
    return b"".join((_HEADER.pack(b"PSDR", 1, 0, size, len(of_targets) // _TARGET.size, len(of_rays) // _RAY.size, len(crowd), *words),
                     of_targets, of_rays, crowd))


class Hits:
    """The answer to a raycast, ordered by ray, then by distance: columns, one entry for each hit. With NumPy they are views on the
    answer's bytes, else tuples. Every length and index is checked before anything is read.

    ray, entity   (n,): indices into the rays, and into the targets; without targets, into the crowd's entities
    node          (n,): volumes: the joint; meshes: the node that carries the mesh
    part          (n,): volumes: index into the `volumes` of /v1/hitboxes; meshes: the primitive of the node's mesh
    triangle      (n,): meshes: index within the primitive; volumes: 0
    inside        (n,): whether the ray begins inside the volume, or the ball begins in touch: `distance` is 0
    distance      (n,): travelled by the ray, or by the centre of the ball, in world units
    point         (n, 3): the point of the hit, in world space
    normal        (n, 3): unit length, away from the surface; for a ball, from `point` to its centre
    barycentric   (n, 3): meshes: barycentric coordinates of `point` in the triangle; volumes: 0

    data  the bytes; entity_count, ray_count, test ("volumes" or "mesh"): from the request.
    ``len(hits)``, ``hits[2]`` and ``for hit in hits`` give `Hit` objects.
    """

    def __init__(self, data: Buffer) -> None:
        self.data = memoryview(data)
        size = len(self.data)
        if size < _ANSWER.size:
            raise ProtocolError(f"an answer to a raycast of {size} bytes")
        magic, version, _, self.entity_count, self.ray_count, self._count, test, whole = _ANSWER.unpack_from(self.data)
        if magic != b"PSDH" or version != 1 or whole != size or _ANSWER.size + self._count * _HIT.size != size or test > 1:
            raise ProtocolError("the answer is not a raycast's of version 1, or is not whole")
        self.test = list(TESTS)[test]
        for places, count in ((self.ray, self.ray_count), (self.entity, self.entity_count)):
            most = max(places, default=-1) if arrays.numpy is None else places.max(initial=0) if len(places) else -1
            if most >= count:
                raise ProtocolError("the hits of an answer are of rays or entities that were not asked")

    def _column(self, offset: int, letter: str, *shape: int) -> Array:
        return view(self.data, _ANSWER.size + offset, letter, (self._count, *shape), _HIT.size)

    @property
    def ray(self) -> Array:
        return self._column(0, "I")

    @property
    def entity(self) -> Array:
        return self._column(4, "I")

    @property
    def node(self) -> Array:
        return self._column(8, "I")

    @property
    def part(self) -> Array:
        return self._column(12, "I")

    @property
    def triangle(self) -> Array:
        return self._column(16, "I")

    @property
    def inside(self) -> Array:
        flags = self._column(20, "I")
        return tuple(bool(flag & 1) for flag in flags) if arrays.numpy is None else flags & 1 != 0

    @property
    def distance(self) -> Array:
        return self._column(24, "f")

    @property
    def point(self) -> Array:
        return self._column(28, "f", 3)

    @property
    def normal(self) -> Array:
        return self._column(40, "f", 3)

    @property
    def barycentric(self) -> Array:
        return self._column(52, "f", 3)

    @property
    def records(self) -> Any:
        """All columns as one NumPy array of `hit_dtype()`; without NumPy, the bytes of the hits, 64 each."""
        data = self.data[_ANSWER.size:]
        return data if arrays.numpy is None else arrays.numpy.frombuffer(data, hit_dtype())

    def __len__(self) -> int:
        return int(self._count)

    def __getitem__(self, place: int) -> Hit:
        if not -len(self) <= place < len(self):
            raise IndexError(f"there is no hit {place}; the answer has {len(self)}")
        row = _HIT.unpack_from(self.data, _ANSWER.size + place % len(self) * _HIT.size)
        return Hit(row[0], row[1], row[2], row[3], row[4], bool(row[5] & 1), row[6], row[7:10], row[10:13], row[13:16])

    def __iter__(self) -> Iterator[Hit]:
        return (self[place] for place in range(len(self)))

    def __repr__(self) -> str:
        return f"<posed.Hits: {len(self)} of {self.ray_count} rays at {self.entity_count} entities, {self.test}>"


#: rays for `Client.raycast_crowd`: `Ray` objects, or records as in protocol/hits.md (NumPy: `rays()`, `ray_dtype()`)
RaysAsked = Union[Sequence[Ray], Any]
#: the same for targets; None: each entity of the crowd, standing still
TargetsAsked = Union[Sequence[Target], Any]
