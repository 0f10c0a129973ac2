"""Environments as equirectangular pictures (height, width, 3) of linear light, as three.js and Blender have them: the first row is up (+Y), and the
direction x, y, z is at u = atan2(z, x) / 2 pi + 1/2 from the left and v = 1/2 - asin(y) / pi from the top. Files are Radiance RGBE."""
import math
import re

import numpy


def directions(width, height):
    """Unit vectors through the centres of all pixels."""
    around = ((numpy.arange(width) + 0.5) / width - 0.5) * 2 * math.pi
    up = (0.5 - (numpy.arange(height) + 0.5) / height) * math.pi
    flat = numpy.cos(up)[:, None]
    return numpy.stack([flat * numpy.cos(around), numpy.repeat(numpy.sin(up)[:, None], width, 1), flat * numpy.sin(around)], -1)


def looked_up(pixels, wanted):
    """The light from directions, interpolated linearly between pixels."""
    height, width = pixels.shape[:2]
    x = (numpy.arctan2(wanted[..., 2], wanted[..., 0]) / (2 * math.pi) + 0.5) * width - 0.5
    y = numpy.clip((0.5 - numpy.arcsin(numpy.clip(wanted[..., 1], -1, 1)) / math.pi) * height - 0.5, 0, height - 1)
    left, top = numpy.floor(x).astype(int), numpy.minimum(numpy.floor(y).astype(int), height - 2)
    fx, fy = (x - left)[..., None], (y - top)[..., None]

    def row(at):
        return pixels[at, left % width] * (1 - fx) + pixels[at, (left + 1) % width] * fx

    return row(top) * (1 - fy) + row(top + 1) * fy


def turned(pixels, there_from_here):
    """The same light in another space; there_from_here is a rotation, 3 x 3."""
    height, width = pixels.shape[:2]
    return looked_up(pixels, directions(width, height) @ numpy.asarray(there_from_here).T)


def uniform(light=1.0, width=64, height=32):
    return numpy.full((height, width, 3), light)


def packed(pixels):
    """A Radiance file without run lengths: a mantissa for each channel and one exponent (Ward 1991, Real Pixels)."""
    peak = pixels.max(-1)
    mantissa, exponent = numpy.frexp(peak)
    scale = numpy.where(peak > 1e-32, mantissa * 256 / numpy.maximum(peak, 1e-38), 0)
    rgbe = numpy.concatenate([numpy.minimum(numpy.round(pixels * scale[..., None]), 255), numpy.where(peak > 1e-32, exponent + 128, 0)[..., None]], -1)
    return b"#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y %d +X %d\n" % pixels.shape[:2] + rgbe.astype("u1").tobytes()


def unpacked(data):
    """A Radiance file with or without run lengths of whole rows."""
    head = re.search(rb"\n\n-Y (\d+) \+X (\d+)\n", data)
    height, width, at = int(head[1]), int(head[2]), head.end()
    rows = numpy.empty((height, width, 4), "u1")
    for row in rows:
        if data[at:at + 4] != bytes([2, 2, width >> 8, width & 255]):
            row[:] = numpy.frombuffer(data, "u1", 4 * width, at).reshape(width, 4)
            at += 4 * width
            continue
        at += 4
        for channel in range(4):
            x = 0
            while x < width:
                count, value = data[at], data[at + 1]
                if count > 128:
                    row[x:x + count - 128, channel] = value
                    x, at = x + count - 128, at + 2
                else:
                    row[x:x + count, channel] = numpy.frombuffer(data, "u1", count, at + 1)
                    x, at = x + count, at + 1 + count
    return rows[..., :3] * numpy.where(rows[..., 3] > 0, numpy.ldexp(1.0, rows[..., 3].astype(int) - 136), 0.0)[..., None]
