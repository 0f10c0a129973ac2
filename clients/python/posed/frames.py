"""Binary frames (protocol/frames.md): finds the numbers of a palette, a pose or a mesh in an answer's bytes."""
from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import Any, List, Optional, Tuple

from .arrays import Array, Buffer, transposed, view
from .errors import ProtocolError

KINDS = {1: "palette", 2: "pose", 3: "mesh", 4: "keys", 5: "environment"}
LAYOUTS = ("mat4", "mat3x4", "dualquat")
SPACES = ("scene", "root", "mesh")
WRAPS = ("loop", "clamp", "mirror")
BLOCKS = {1: "palette", 2: "scene", 3: "local", 4: "local_matrix", 5: "positions", 6: "normals", 7: "root_motion", 16: "nodes",
          17: "sheared", 18: "rest", 19: "indices", 20: "span", 21: "influence_firsts", 22: "influence_joints", 23: "influence_weights",
          24: "dual_weights", 25: "joint_nodes", 26: "joint_from_bind", 27: "channels", 28: "key_times", 29: "key_values",
          30: "rest_normals", 31: "texcoords", 32: "second_texcoords", 33: "colors", 34: "tangents",
          35: "harmonics", 36: "light_map"}
_FLOATS = {"mat4": 16, "mat3x4": 12, "dualquat": 8}
_SHAPES = {"mat4": (4, 4), "mat3x4": (3, 4), "dualquat": (2, 4)}
_MATRICES = ("palette", "scene", "local_matrix", "joint_from_bind")
_LETTERS = {"nodes": ("I", 1), "sheared": ("I", 1), "indices": ("I", 1), "span": ("d", 4), "local": ("f", 10), "positions": ("f", 3),
            "normals": ("f", 3), "rest": ("f", 3), "root_motion": ("f", 4), "influence_firsts": ("I", 1), "influence_joints": ("I", 1),
            "influence_weights": ("f", 1), "dual_weights": ("f", 1), "joint_nodes": ("I", 1),
            "channels": ("I", 6), "key_times": ("d", 1), "key_values": ("f", 1),
            "rest_normals": ("f", 3), "texcoords": ("f", 2), "second_texcoords": ("f", 2), "colors": ("B", 4), "tangents": ("f", 4),
            "harmonics": ("f", 3), "light_map": ("e", 4)}
_HEADER = struct.Struct("<4sHHIHHIIiIQQQd32s")
_BLOCK = struct.Struct("<HHIiiIIQ")


@dataclass(frozen=True)
class Block:
    """An array of the answer: `kind` is as in protocol/frames.md; `index`, `node` and `primitive` identify its source."""

    kind: str
    is_once: bool
    index: int
    node: int
    primitive: int
    count: int
    item_bytes: int
    offset: int


class Frames:
    """An answer in binary frames. Every length in it is checked against its size before anything is read.

    data          the bytes; arrays are views on them
    kind          "palette", "pose", "mesh" or "keys"
    layout        "mat4", "mat3x4" or "dualquat"
    space, wrap   from the request
    clip          index of the clip, -1 for the rest pose
    duration_s    of the clip, in seconds
    content_hash  of the model, 64 hex digits
    times         from the request, in seconds; clip_times: the resulting times inside the clip
    blocks        all blocks, see `Block`
    warnings      the number of warnings about the model and its clip files
    """

    def __init__(self, data: Buffer, warnings: int = 0) -> None:
        self.data, self.warnings = memoryview(data), warnings
        if len(self.data) < _HEADER.size:
            raise ProtocolError(f"binary frames of {len(self.data)} bytes")
        (magic, version, layout, self._header_bytes, kind, space, self.frame_count, block_count, self.clip, wrap, self._frames_offset,
         self._frame_bytes, size, self.duration_s, content_hash) = _HEADER.unpack_from(self.data)
        if magic != b"PSDF" or version != 1:
            raise ProtocolError("the answer is not binary frames of version 1")
        if size != len(self.data):
            raise ProtocolError(f"binary frames of {len(self.data)} bytes that should be {size}")
        if kind not in KINDS or layout >= len(LAYOUTS) or space >= len(SPACES) or wrap >= len(WRAPS):
            raise ProtocolError("binary frames of an unknown kind")
        self.kind, self.layout, self.space, self.wrap = KINDS[kind], LAYOUTS[layout], SPACES[space], WRAPS[wrap]
        self.content_hash = content_hash.hex()
        times_at = _HEADER.size + _BLOCK.size * block_count
        if times_at + 16 * self.frame_count > min(self._header_bytes, size):
            raise ProtocolError("the header of binary frames is shorter than its counts say")
        if self._frames_offset + self.frame_count * self._frame_bytes > size:
            raise ProtocolError("binary frames reach beyond the answer")
        self.blocks: List[Block] = []
        for i in range(block_count):
            self._read_block(_HEADER.size + _BLOCK.size * i)
        pairs = struct.unpack_from(f"<{2 * self.frame_count}d", self.data, times_at)
        self.times: Tuple[float, ...] = pairs[::2]
        self.clip_times: Tuple[float, ...] = pairs[1::2]

    def _read_block(self, at: int) -> None:
        number, once, index, node, primitive, count, item_bytes, offset = _BLOCK.unpack_from(self.data, at)
        kind = BLOCKS.get(number)
        if kind is None:
            return
        letter, numbers = ("f", _FLOATS[self.layout]) if kind in _MATRICES else _LETTERS[kind]
        if item_bytes != numbers * struct.calcsize(letter):
            raise ProtocolError(f"a {kind} block with items of {item_bytes} bytes")
        if offset + count * item_bytes > (len(self.data) if once else self._frame_bytes):
            raise ProtocolError(f"a {kind} block reaches beyond the answer")
        self.blocks.append(Block(kind, bool(once), index, node, primitive, count, item_bytes, offset))

    def find(self, kind: str, index: Optional[int] = None) -> Block:
        """Return the first block of a kind (and index). Raises LookupError if it does not exist."""
        for block in self.blocks:
            if block.kind == kind and index in (None, block.index):
                return block
        raise LookupError(f"the answer has no {kind}" + ("" if index is None else f" {index}"))

    def array(self, block: Block, frame: Optional[int] = None) -> Array:
        """Return the numbers of a block, without copying them (with NumPy).

        Shape, where n is the block's count: matrices (n, 4, 4), (n, 3, 4) or (n, 2, 4), with rows before columns (a dual quaternion: real
        before dual, x y z w); local (n, 10), positions (n, 3), indices (n,). The frames of the answer are the first axis, unless `frame`
        selects one or the block occurs once.
        """
        letter, width = ("f", 0) if block.kind in _MATRICES else _LETTERS[block.kind]
        item: Tuple[int, ...] = _SHAPES[self.layout] if not width else (() if width == 1 else (width,))
        shape = (block.count, *item)
        start = block.offset
        if block.is_once:
            return self._turned(block, view(self.data, start, letter, shape), 1)
        start += self._frames_offset
        if frame is not None:
            if not 0 <= frame < self.frame_count:
                raise IndexError(f"there are {self.frame_count} frames")
            return self._turned(block, view(self.data, start + frame * self._frame_bytes, letter, shape), 1)
        return self._turned(block, view(self.data, start, letter, (self.frame_count, *shape), self._frame_bytes), 2)

    def _turned(self, block: Block, array: Any, depth: int) -> Array:
        return transposed(array, depth) if self.layout == "mat4" and block.kind in _MATRICES else array
