"""The times at which the clips of a glTF file are compared: at keys, between them, and at the ends."""
import bisect
import math
import struct

MANY = 12
BETWEEN = 0.37  # of the way from a key to the next, where nothing is symmetric
NUDGE = 1e-5    # seconds beside a jump, whose time is a double in some formats and a float32 in glTF


def f32(x):
    return struct.unpack("<f", struct.pack("<f", x))[0]


def some(items, count=MANY):
    """About this many of them at most, evenly spaced, and the last."""
    return sorted({*items[::max(1, len(items) // count)], *items[-1:]})


def channels_of(model, clip):
    """(node, path, interpolation, key times) of each channel; model: a gltf_evaluator.Model."""
    animation = model.document["animations"][clip]
    for channel in animation["channels"]:
        sampler = animation["samplers"][channel["sampler"]]
        times = [row[0] for row in model.accessor(sampler["input"])]
        yield channel["target"].get("node"), channel["target"]["path"], sampler.get("interpolation", "LINEAR"), times


def ulp(t):
    """The distance of float32 numbers at t, which is the precision of keys' times."""
    return 2.0 ** (math.frexp(t)[1] - 24) if t > 0 else 0.0


def nudge(t):
    return max(NUDGE, 4 * ulp(t))


def jumps_of(channels):
    """Times of keys at which the value jumps: of STEP channels, and of two keys at almost the same time."""
    found = set()
    for _, _, mode, times in channels:
        found |= set(times) if mode == "STEP" else {t for a, b in zip(times, times[1:]) if b - a < nudge(b) for t in (a, b)}
    return sorted(found)


def all_times(model, clip, is_exact):
    """For readers that follow the specification everywhere. is_exact: the original has the same float32 keys, so a jump is at the same
    time. Otherwise none of the times is at a jump, but some are near one."""
    channels = list(channels_of(model, clip))
    keys = sorted({t for _, _, _, times in channels for t in times})
    jumps = [] if is_exact else jumps_of(channels)
    chosen = [a for t in some(keys) for a in ([max(t - nudge(t), 0.0), t + nudge(t)] if t in jumps else [t])]
    between = some([a + BETWEEN * (b - a) for a, b in zip(keys, keys[1:])])
    even = [keys[-1] * share for share in (0.0, 0.123, 0.41, 0.77, 1.0)] if keys else [0.0]
    is_near = lambda t: any(abs(t - jump) < 0.9 * nudge(jump) for jump in jumps[max(0, bisect.bisect(jumps, t) - 4):bisect.bisect(jumps, t) + 4])
    return sorted(t for t in {*chosen, *between, *even} if not is_near(t))


LONG = 600.0  # seconds; Blender's frames are float32, too, and beyond this a jump may begin and end in the same one


def frame_ulp(t):
    return ulp(24 * t) / 24


def times_at_keys(model, clip):
    """For Blender, which has no slerp between keys and no cubic tangents of glTF: times that are keys of every channel for which that
    matters, or outside its keys. A moment after the key if another channel jumps."""
    channels = list(channels_of(model, clip))
    keys = sorted({t for _, _, _, times in channels for t in times})
    strict = [set(times) for _, path, mode, times in channels if mode == "CUBICSPLINE" or (mode == "LINEAR" and path == "rotation")]
    steps = {t for _, _, mode, times in channels if mode == "STEP" for t in times}
    double = set(jumps_of([one for one in channels if one[2] != "STEP"]))
    good = [t for t in keys if t < LONG and t not in double and all(t in times or not min(times) < t < max(times) for times in strict)]
    return [t + 1e-6 * max(1.0, t) if t in steps else t for t in some(good)]
