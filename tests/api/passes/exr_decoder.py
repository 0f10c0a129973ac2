"""Reads an OpenEXR file of scan lines with ZIP compression, by the description of its layout and with numpy and zlib alone."""
import struct
import zlib

import numpy

KINDS = {0: "<u4", 1: "<f2", 2: "<f4"}
ROWS = 16  # of a chunk


def attributes(data):
    """The values of the header by name, as (type, bytes), and the place behind it."""
    assert data[:8] == b"\x76\x2f\x31\x01\x02\0\0\0", "one part of scan lines, with short names"
    found, at = {}, 8
    while data[at]:
        name, kind = data[at:].split(b"\0", 2)[:2]
        at += len(name) + len(kind) + 2
        size, = struct.unpack_from("<i", data, at)
        found[name.decode()] = (kind.decode(), data[at + 4:at + 4 + size])
        at += 4 + size
    return found, at + 1


def channels(header):
    """(name, numpy type) of each channel, in the order of the file."""
    kind, rest = header["channels"]
    found = []
    assert kind == "chlist"
    while rest != b"\0":
        name, rest = rest.split(b"\0", 1)
        pixel, linear, x, y = struct.unpack_from("<iB3xii", rest)
        assert (linear, x, y) == (0, 1, 1)
        found.append((name.decode(), KINDS[pixel]))
        rest = rest[16:]
    return found


def unpack(packed, size):
    """Undoes ZIP: deflate, then each byte is a difference, then the even bytes stand before the odd ones."""
    if len(packed) == size:
        return packed
    steps = numpy.frombuffer(zlib.decompress(packed), numpy.uint8).astype(numpy.int64)
    steps[1:] -= 128
    halves = (numpy.cumsum(steps) & 255).astype(numpy.uint8)
    whole = numpy.empty(size, numpy.uint8)
    whole[0::2], whole[1::2] = halves[:(size + 1) // 2], halves[(size + 1) // 2:]
    return whole.tobytes()


def read(data):
    """(header, {channel: array of height x width})"""
    header, table = attributes(data)
    assert header["compression"] == ("compression", b"\3") and header["lineOrder"] == ("lineOrder", b"\0")
    left, top, right, bottom = struct.unpack("<4i", header["dataWindow"][1])
    assert (left, top) == (0, 0) and header["displayWindow"] == header["dataWindow"]
    width, height, names = right + 1, bottom + 1, channels(header)
    rows = {name: [] for name, _ in names}
    for place in struct.unpack_from(f"<{-(-height // ROWS)}Q", data, table):
        first, size = struct.unpack_from("<ii", data, place)
        count, at = min(ROWS, height - first), 0
        line_size = sum(numpy.dtype(kind).itemsize for _, kind in names) * width
        plain = unpack(data[place + 8:place + 8 + size], count * line_size)
        for _ in range(count):
            for name, kind in names:
                rows[name].append(numpy.frombuffer(plain, kind, width, at))
                at += width * numpy.dtype(kind).itemsize
    return header, {name: numpy.array(lines) for name, lines in rows.items()}
