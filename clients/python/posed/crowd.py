"""Crowds: the poses of many entities in one request (protocol/crowd.md)."""
from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union, cast

from . import arrays
from .arrays import Array, Buffer, transposed, view
from .errors import PosedError, ProtocolError
from .packets import LAYOUTS, WRAPS, error_of

CONTENT_TYPE = "application/vnd.posed.crowd"
ANSWER_TYPE = "application/vnd.posed.entities"
SCOPES = {"node": 0, "subtree": 1, "except": 2}

_HEADER = struct.Struct("<4sHHI12I4x")
_ENTITY = struct.Struct("<HHIHBxi8x")
_LAYER = struct.Struct("<iiddBBHid")
_MODEL = struct.Struct("<IIQ32s")
_ANSWER = struct.Struct("<4sHHIIIIQQQQQ")
_POSED = struct.Struct("<QIHH")
_WRONG = struct.Struct("<IIII")
_SHAPES = {64: (4, 4), 48: (3, 4), 32: (2, 4)}
_MODEL_BYTES = 48


@dataclass
class Layer:
    """A clip at one time, or a given pose; protocol/blending.md defines the result of several. Clips and nodes are indices: look names up
    once.

    clip            index in clip_file, -1 the rest pose
    time_s          seconds
    weight          override: 0 to 1000; additive, or of a pose: 0 to 1
    pose            plays a given pose in place of a clip: an index into the crowd's poses. It replaces what it gives, or with `additive`
                    is added; what is of clips has no effect
    mask            which nodes it may move: an index into the crowd's masks; -1: all
    reference_clip  additive: the reference pose, at reference_time_s, of the same file; the layer adds the difference from it
    clip_file       path of the file with the clips, which move the nodes of the same names; None: the entity's own model. A file that the
                    crowd's models lack is appended to them
    """

    clip: int = 0
    time_s: float = 0.0
    weight: float = 1.0
    mask: int = -1
    wrap: str = "loop"
    additive: bool = False
    reference_clip: int = 0
    reference_time_s: float = 0.0
    clip_file: Optional[str] = None
    pose: Optional[int] = None


#: what a pose gives of a node, in the order of its numbers
PARTS = {"translation": (1, 3), "rotation": (2, 4), "scale": (4, 3)}


@dataclass
class CrowdPose:
    """A given pose: local transforms of nodes, {node: {"translation": [x, y, z], "rotation": [x, y, z, w], "scale": [x, y, z]}}, of each
    node any of them. Nodes are indices. What it does not give stays as the layers before it make it."""

    nodes: Mapping[int, Mapping[str, Sequence[float]]]


@dataclass
class Mask:
    """Nodes that a layer may move: these, and these with all nodes below them, except these with all nodes below them."""

    nodes: Sequence[int] = ()
    subtree: Sequence[int] = ()
    except_: Sequence[int] = ()


@dataclass
class Wanted:
    """Selects matrices of an entity: the palette of a skin, or with `nodes` world_from_node.

    skin    index; -1: all, skin after skin
    joints  indices in the skin's order of joints, empty: all
    nodes   indices, empty list: all; None: the palette
    """

    skin: int = 0
    joints: Sequence[int] = ()
    nodes: Optional[Sequence[int]] = None


@dataclass
class Entity:
    """An entity. model, wanted: indices into the crowd's lists. world_from_scene: 12 numbers, the upper three rows of the matrix from its
    file's scene to the world; None: it is not moved. Without layers it is at rest."""

    layers: Sequence[Layer] = ()
    model: int = 0
    wanted: int = 0
    layout: str = "mat4"
    world_from_scene: Optional[Sequence[float]] = None


def entity_dtype() -> Any:
    """The dtype of a NumPy array of entities for `Client.crowd`; world: an index into `worlds`, or -1. Begin with `numpy.zeros`: the bytes
    between fields must be 0."""
    return arrays.numpy.dtype({"names": ["model", "wanted", "first_layer", "layer_count", "layout", "world"],
                               "formats": ["<u2", "<u2", "<u4", "<u2", "u1", "<i4"], "offsets": [0, 2, 4, 8, 10, 12], "itemsize": 24})


def layer_dtype() -> Any:
    """The same for layers; mask: -1 for all nodes; wrap 0 loop, 1 clamp, 2 mirror; mode 0 override, 1 additive, 2 a given pose, 3 a given pose that
    is added; clip_model: the owner of
    the clips, 0 the entity's own model, 1 + an index into the models for another file."""
    return arrays.numpy.dtype({"names": ["clip", "mask", "time_s", "weight", "wrap", "mode", "clip_model", "reference_clip", "reference_time_s"],
                               "formats": ["<i4", "<i4", "<f8", "<f8", "u1", "u1", "<u2", "<i4", "<f8"],
                               "offsets": [0, 4, 8, 16, 24, 25, 26, 28, 32], "itemsize": 40})


def _find_files(models: List[str], entities: Sequence[Entity]) -> Dict[Optional[str], int]:
    """Return the `clip_model` of each clip_file. Files that the models lack are appended to them."""
    found: Dict[Optional[str], int] = {path: 1 + place for place, path in reversed(list(enumerate(models)))}
    for entity in entities:
        for layer in entity.layers:
            if layer.clip_file is not None and layer.clip_file not in found:
                models.append(layer.clip_file)
                found[layer.clip_file] = len(models)
    found[None] = 0
    return found


def _pack_entities(entities: Sequence[Entity], models: List[str]) -> Tuple[bytes, bytes, bytes]:
    rows, layers, worlds = bytearray(), bytearray(), bytearray()
    files = _find_files(models, entities)
    put_entity, put_layer = _ENTITY.pack, _LAYER.pack
    for entity in entities:
        world = -1
        if entity.world_from_scene is not None:
            world = len(worlds) // 96
            worlds += struct.pack("<12d", *entity.world_from_scene)
        count = len(entity.layers)
        rows += put_entity(entity.model, entity.wanted, len(layers) // 40 if count else 0, count, LAYOUTS[entity.layout], world)
        for layer in entity.layers:
            if layer.pose is not None:
                layers += put_layer(layer.pose, layer.mask, 0.0, layer.weight, 0, 3 if layer.additive else 2, 0, 0, 0.0)
            elif layer.additive:
                layers += put_layer(layer.clip, layer.mask, layer.time_s, layer.weight, WRAPS[layer.wrap], 1, files[layer.clip_file],
                                    layer.reference_clip, layer.reference_time_s)
            else:
                layers += put_layer(layer.clip, layer.mask, layer.time_s, layer.weight, WRAPS[layer.wrap], 0, files[layer.clip_file], 0,
                                    0.0)
    return bytes(rows), bytes(layers), bytes(worlds)


def _pack_masks(masks: Sequence[Mask]) -> Tuple[bytes, bytes]:
    rows, nodes = b"", b""
    for mask in masks:
        listed = [(node, scope) for scope, of in enumerate((mask.nodes, mask.subtree, mask.except_)) for node in of]
        rows += struct.pack("<II", len(nodes) // 8, len(listed))
        nodes += b"".join(struct.pack("<IHH", node, scope, 0) for node, scope in listed)
    return rows, nodes


def _pack_wanted(wanted: Sequence[Wanted]) -> Tuple[bytes, bytes]:
    rows, items = b"", b""
    for one in wanted:
        listed = one.joints if one.nodes is None else one.nodes
        what, skin = (0, one.skin) if one.nodes is None else (1, 0)
        rows += struct.pack("<HHiII", what, 0, skin, len(items) // 4 if listed else 0, len(listed))
        items += struct.pack(f"<{len(listed)}I", *listed)
    return rows, items


def _pack_poses(poses: Sequence[CrowdPose]) -> Tuple[bytes, bytes, bytes]:
    rows, nodes, numbers = bytearray(), bytearray(), bytearray()
    for pose in poses:
        rows += struct.pack("<IIII", len(nodes) // 8, len(pose.nodes), len(numbers) // 4, 0)
        for node, given in sorted(pose.nodes.items()):
            unknown = set(given) - set(PARTS)
            if unknown:
                raise ValueError(f"a pose gives {', '.join(PARTS)} of a node, not {', '.join(sorted(unknown))}")
            nodes += struct.pack("<IHH", node, sum(PARTS[part][0] for part in given), 0)
            for part, (_, count) in PARTS.items():
                if part in given:
                    numbers += struct.pack(f"<{count}f", *given[part])
    return bytes(rows), bytes(nodes), bytes(numbers)


def _bytes(records: Any, size: int, what: str) -> bytes:
    data = bytes(memoryview(records).cast("B")) if records is not None else b""
    if len(data) % size:
        raise ValueError(f"{what}: {len(data)} bytes are no records of {size}")
    return data


def build(models: Sequence[str], entities: Any, layers: Any, worlds: Any, masks: Sequence[Mask], wanted: Sequence[Wanted],
          hashes: Sequence[Optional[str]], poses: Sequence[CrowdPose] = ()) -> bytes:
    """Return the bytes of a request. entities: a sequence of `Entity`, or records with `layers` and `worlds`."""
    models = list(models)
    if isinstance(entities, (list, tuple)):
        if layers is not None or worlds is not None:
            raise ValueError("layers and worlds stand in the entities, unless these are an array")
        rows, of_layers, of_worlds = _pack_entities(entities, models)
    else:
        rows, of_layers, of_worlds = _bytes(entities, 24, "entities"), _bytes(layers, 40, "layers"), _bytes(worlds, 96, "worlds")
    paths = [path.encode() for path in models]
    pinned = list(hashes) + [None] * (len(paths) - len(hashes))
    of_models = b"".join(_MODEL.pack(0, len(path), 0, bytes.fromhex(one or "")) for path, one in zip(paths, pinned))
    of_masks, mask_nodes = _pack_masks(masks)
    of_wanted, items = _pack_wanted(wanted)
    of_poses, pose_nodes, numbers = _pack_poses(poses)
    body = b"".join((rows, of_layers, of_worlds, of_models, of_masks, mask_nodes, of_wanted, items, of_poses, pose_nodes, numbers, *paths))
    return _HEADER.pack(b"PSDC", 1, 0, _HEADER.size + len(body), len(rows) // 24, len(of_layers) // 40, len(of_worlds) // 96, len(paths),
                        len(masks), len(mask_nodes) // 8, len(wanted), len(items) // 4, sum(map(len, paths)), len(poses),
                        len(pose_nodes) // 8, len(numbers) // 4) + body


class Entities:
    """The answer to a crowd. Every length in it is checked against its size before anything is read.

    data     the bytes; arrays are views on them
    floats   entity after entity, in the order of the request: a float32 array of NumPy, else a memoryview of
             format "f"; a graphics API can upload both. Zeros for an entity with an error
    counts   the number of matrices of each entity
    errors   {index of an entity: PosedError}
    hashes   the content hash of each model, "" for a missing model; then those of other files that layers name
    """

    def __init__(self, data: Buffer) -> None:
        self.data = memoryview(data)
        size = len(self.data)
        if size < _ANSWER.size:
            raise ProtocolError(f"an answer to a crowd of {size} bytes")
        magic, version, _, count, model_count, wrong_count, _, at, floats_bytes, wrong_at, whole, _ = _ANSWER.unpack_from(self.data)
        if magic != b"PSDE" or version != 1 or whole != size:
            raise ProtocolError("the answer is not a crowd's of version 1, or is not whole")
        tables = _ANSWER.size + count * _POSED.size + model_count * _MODEL_BYTES
        if at < tables or at % 16 or wrong_at != at + floats_bytes or wrong_at + wrong_count * _WRONG.size > size:
            raise ProtocolError("the tables of an answer to a crowd reach beyond it")
        rows = list(_POSED.iter_unpack(self.data[_ANSWER.size:_ANSWER.size + count * _POSED.size]))
        self._entities = cast(List[Tuple[int, int, int, int]], rows)
        for offset, matrices, item_bytes, _ in self._entities:
            if offset != at or item_bytes not in _SHAPES:
                raise ProtocolError("the entities of an answer to a crowd do not follow each other")
            at += matrices * item_bytes
        if at != wrong_at:
            raise ProtocolError("the floats of an answer to a crowd are not those of its entities")
        self.counts = [entity[1] for entity in self._entities]
        self._start = wrong_at - floats_bytes
        self.errors = self._read_errors(wrong_at, wrong_count)
        first = _ANSWER.size + count * _POSED.size
        hashes = [bytes(self.data[first + i * _MODEL_BYTES:first + i * _MODEL_BYTES + 32]) for i in range(model_count)]
        self.hashes = [one.hex() if any(one) else "" for one in hashes]
        self._floats_bytes = floats_bytes

    def _read_errors(self, at: int, count: int) -> Dict[int, PosedError]:
        errors: Dict[int, PosedError] = {}
        text_at = at + count * _WRONG.size
        for i in range(count):
            entity, code, size, _ = _WRONG.unpack_from(self.data, at + i * _WRONG.size)
            if size > len(self.data) - text_at:
                raise ProtocolError("the messages of an answer to a crowd reach beyond it")
            errors[entity] = error_of(code, bytes(self.data[text_at:text_at + size]).decode("utf-8", "replace"))
            text_at += size
        return errors

    def __len__(self) -> int:
        return len(self._entities)

    @property
    def floats(self) -> Array:
        data = self.data[self._start:self._start + self._floats_bytes]
        return arrays.numpy.frombuffer(data, "<f4") if arrays.numpy is not None else data.cast("f")

    def __getitem__(self, entity: int) -> Array:
        """Return the matrices of an entity: (count, 4, 4), row, column; mat3x4 (count, 3, 4), dualquat (count, 2, 4). Raises its
        PosedError."""
        if entity in self.errors:
            raise self.errors[entity]
        offset, count, item_bytes, _ = self._entities[entity]
        found = view(self.data, offset, "f", (count, *_SHAPES[item_bytes]))
        return transposed(found, 1) if item_bytes == 64 else found


#: entities for `Client.crowd`: `Entity` objects, or records as in protocol/crowd.md (NumPy: `entity_dtype()`)
EntitiesAsked = Union[Sequence[Entity], Any]
