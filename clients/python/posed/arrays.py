"""Numbers of an answer: NumPy arrays if NumPy is installed, nested tuples otherwise."""
from __future__ import annotations

import struct
from typing import Any, Tuple, Union

try:
    import numpy as numpy  # crowd.py imports it from here
except ImportError:
    numpy = None  # type: ignore[assignment]

#: numpy.ndarray, or tuples in tuples of the same shape
Array = Any
Buffer = Union[bytes, bytearray, memoryview]

_TYPES = {"e": "<f2", "f": "<f4", "I": "<u4", "d": "<f8"}


def has_numpy() -> bool:
    return numpy is not None


def view(data: Buffer, offset: int, letter: str, shape: Tuple[int, ...], stride: int = 0) -> Array:
    """`shape` numbers from `offset` on: float16 (`e`), float32 (`f`), uint32 (`I`) or float64 (`d`), little-endian.

    stride: bytes from one entry of the first axis to the next, if there are gaps. With NumPy it is a view
    on `data`, nothing is copied. The caller has checked that it fits `data`.
    """
    item = struct.calcsize("<" + letter)
    count = 1
    for n in shape[1:]:
        count *= n
    stride = stride or count * item
    if numpy is not None:
        strides = [item] * len(shape)
        for axis in range(len(shape) - 2, 0, -1):
            strides[axis] = strides[axis + 1] * shape[axis + 1]
        strides[0] = stride
        if 0 in shape:
            return numpy.empty(shape, _TYPES[letter])
        return numpy.ndarray(shape, _TYPES[letter], data, offset, tuple(strides))
    rows = (struct.unpack_from(f"<{count}{letter}", data, offset + i * stride) for i in range(shape[0]))
    return tuple(_nest(row, shape[1:]) for row in rows)


def _nest(flat: Tuple[Any, ...], shape: Tuple[int, ...]) -> Any:
    if not shape:
        return flat[0]
    if len(shape) == 1:
        return flat
    step = len(flat) // shape[0] if shape[0] else 0
    return tuple(_nest(flat[i * step:(i + 1) * step], shape[1:]) for i in range(shape[0]))


def transposed(array: Array, depth: int) -> Array:
    """Swap the two axes after the first `depth`: columns of a matrix become rows. With NumPy, a view."""
    if numpy is not None:
        return array.swapaxes(depth, depth + 1)
    if depth:
        return tuple(transposed(part, depth - 1) for part in array)
    return tuple(zip(*array))
