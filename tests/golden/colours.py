"""Colours as arrays (..., 3) of floats: sRGB (IEC 61966-2-1), the tone map Khronos PBR Neutral, CIE L*a*b* (CIE 15:2004, white point D65)."""
import numpy

XYZ_FROM_LINEAR = numpy.array([[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]])
WHITE_XYZ = XYZ_FROM_LINEAR.sum(1)


def encoded(linear):
    """sRGB 0..1 of linear light, which is clipped at 1."""
    c = numpy.clip(linear, 0, 1)
    return numpy.where(c <= 0.0031308, 12.92 * c, 1.055 * c ** (1 / 2.4) - 0.055)


def linear(srgb):
    return numpy.where(srgb <= 0.04045, srgb / 12.92, ((srgb + 0.055) / 1.055) ** 2.4)


def neutral(color):
    """Khronos PBR Neutral Tone Mapper (2024), by its specification: linear light to linear display light."""
    compression_start, desaturation = 0.8 - 0.04, 0.15
    low = color.min(-1, keepdims=True)
    color = color - numpy.where(low < 0.08, low - 6.25 * low * low, 0.04)
    peak = color.max(-1, keepdims=True)
    span = 1 - compression_start
    new_peak = 1 - span * span / (numpy.maximum(peak, compression_start) + span - compression_start)
    lowered = color * (new_peak / numpy.maximum(peak, 1e-9))
    paled = 1 - 1 / (desaturation * (peak - new_peak) + 1)
    return numpy.where(peak < compression_start, color, lowered * (1 - paled) + new_peak * paled)


def lab(srgb):
    """L* 0..100, a*, b* of sRGB 0..1."""
    xyz = linear(numpy.asarray(srgb, float)) @ XYZ_FROM_LINEAR.T / WHITE_XYZ
    f = numpy.where(xyz > 216 / 24389, numpy.cbrt(xyz), (24389 / 27 * xyz + 16) / 116)
    x, y, z = f[..., 0], f[..., 1], f[..., 2]
    return numpy.stack([116 * y - 16, 500 * (x - y), 200 * (y - z)], -1)


def lightness_chroma(srgb):
    """(L*, C*ab) of one colour."""
    l, a, b = lab(srgb)
    return float(l), float(numpy.hypot(a, b))
