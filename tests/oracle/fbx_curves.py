"""FBX animation curves: keys, tangents of every kind, and extrapolation before the first and after the last key.

- A key's flags define its span to the next one: constant (0x100: the next key's value), linear, cubic.
- A cubic span is a Bezier curve in time and value. Its inner points are at a share of the span, a third or the weight of the tangent,
  and the slope there gives their values. With unequal weights, time is a cubic in the parameter, which is solved for.
- Slopes: user and broken tangents are stored, the one towards the next key with this key. Auto tangents are half the chord and half the
  time-weighted mean of both sides, or the chord alone (time independent), pulled to a side by a bias. TCB is Kochanek and Bartels'.
- Clamp: flat beside an equal value. Progressive clamp: no inner point exceeds a neighbour's value, and the ends are flat.
"""
import struct

CONSTANT, LINEAR, CUBIC = 0x2, 0x4, 0x8
AUTO, TCB, USER, BROKEN, NEXT = 0x100, 0x200, 0x400, 0x800, 0x100
CLAMP, TIME_INDEPENDENT, PROGRESSIVE = 0x1000, 0x2000, 0x4000
WEIGHT_RIGHT, WEIGHT_NEXT_LEFT = 0x1000000, 0x2000000
THIRD = 0.333333  # the value in the comments that programs write into ASCII files; 1 / 3 differs by up to 5e-6 of a model's size
SNAP = 1e-3  # ticks: the error of a sum of doubles at the end of a repetition
EDGE_BIAS, BIAS_SLOPE = 5, 40  # a bias beyond 500 adds its square, in hundreds, times 40


def float_of(bits):
    """The float that an ASCII file writes as the integer of its 32 bits."""
    return bits if isinstance(bits, float) else struct.unpack("<f", struct.pack("<I", bits & 0xFFFFFFFF))[0]


def weights_of(bits):
    """Two numbers of 16 bits, in ten-thousandths: for this key's right and the next key's left tangent."""
    bits &= 0xFFFFFFFF
    return (bits & 0xFFFF) * 1e-4, (bits >> 16) * 1e-4


class Key:
    def __init__(self, time, value, flags, right=0.0, next_left=0.0, bits=0):
        """right, next_left, bits: the first three floats of the key; for TCB tension, continuity and the bits of bias."""
        self.time, self.value, self.flags = time, value, flags
        self.right, self.next_left, self.bits = right, next_left, bits
        self.weight_right = weights_of(bits)[0] if flags & WEIGHT_RIGHT else THIRD
        self.weight_next_left = weights_of(bits)[1] if flags & WEIGHT_NEXT_LEFT else THIRD
        self.slope_left = self.slope_right = 0.0
        self.weight_left = THIRD


def chord(a, b):
    return (b.value - a.value) / (b.time - a.time) if b.time > a.time else 0.0


def edge_bias(bias):
    beyond = abs(bias) / 100 - EDGE_BIAS
    return beyond * beyond * BIAS_SLOPE if beyond > 0 else 0.0


def auto_slope(before, key, behind, bias):
    """For a key between two others."""
    flags = key.flags
    if flags & CLAMP and min(abs(before.value - key.value), abs(behind.value - key.value)) <= 0:
        return 0.0
    slope = chord(before, behind)
    if not flags & TIME_INDEPENDENT:
        left, right = chord(before, key), chord(key, behind)
        share = (key.time - before.time) / (behind.time - before.time)
        slope = (slope + left * (1 - share) + right * share) / 2
        weight, target = abs(bias) / 100, right if bias > 0 else left
        if weight > 1e-4:
            towards = target - slope if abs(target - slope) > 1e-5 else bias
            slope = slope * (1 - weight) + target * weight + (edge_bias(bias) if towards > 0 else -edge_bias(bias))
    if flags & PROGRESSIVE:
        sign = 1.0 if slope >= 0 else -1.0
        left, right = key.weight_left * (key.time - before.time), key.weight_right * (behind.time - key.time)
        most = [sign * (key.value - before.value) / left if left > 0 else 0.0, sign * (behind.value - key.value) / right if right > 0 else 0.0]
        slope = sign * min([abs(slope)] + [max(limit, 0.0) for limit in most])
    return slope


def end_slope(key, other, first, second, bias):
    """For the first or last key, which has only one neighbour."""
    if key.flags & PROGRESSIVE or (key.flags & CLAMP and abs(other.value - key.value) <= 0):
        return 0.0
    added = 0.0 if key.flags & TIME_INDEPENDENT else edge_bias(bias)
    return chord(first, second) + (added if bias > 0 else -added)


def set_auto(before, key, behind):
    """The floats of both sides hold the bias here, not a slope."""
    left_bias = -before.next_left if before and before.flags & CUBIC and not before.flags & TCB else 0.0
    if before and behind and before.time < key.time < behind.time:
        if abs(key.right - left_bias) <= 1e-4:
            left_bias = key.right
        key.slope_left, key.slope_right = auto_slope(before, key, behind, left_bias), auto_slope(before, key, behind, key.right)
    elif before and before.time < key.time:
        key.slope_left = key.slope_right = end_slope(key, before, before, key, left_bias)
    elif behind and key.time < behind.time:
        key.slope_left = key.slope_right = end_slope(key, behind, key, behind, key.right)


def set_tcb(before, key, behind):
    """Kochanek and Bartels (1984). At an end the only side counts fully."""
    tension, continuity, bias = key.right, key.next_left, float_of(key.bits)
    half = 0.5 if before and behind else 1.0
    left, right = chord(before, key) if before else 0.0, chord(key, behind) if behind else 0.0
    key.slope_left = half * (1 - tension) * ((1 + bias) * (1 - continuity) * left + (1 - bias) * (1 + continuity) * right)
    key.slope_right = half * (1 - tension) * ((1 + bias) * (1 + continuity) * left + (1 - bias) * (1 - continuity) * right)


def left_of_next(key, behind):
    """(slope, weight) that this key gives to the left side of the next one."""
    if key.flags & CONSTANT or (key.flags & CUBIC and key.flags & TCB):
        return 0.0, THIRD
    if not key.flags & CUBIC:
        return chord(key, behind), THIRD
    return key.next_left, key.weight_next_left


class Curve:
    def __init__(self, keys, before=("C", -1), behind=("C", -1), ticks_per_s=46186158000):
        """before, behind: (letter, repetitions or -1) of what is outside the keys."""
        self.keys, self.outside, self.ticks_per_s = keys, (before, behind), ticks_per_s
        for i, key in enumerate(keys):
            last, following = keys[i - 1] if i else None, keys[i + 1] if i + 1 < len(keys) else None
            if last:
                key.slope_left, key.weight_left = left_of_next(last, key)
            if key.flags & CUBIC and not key.flags & CONSTANT:
                key.slope_right = key.right
                if key.flags & TCB:
                    key.weight_right = THIRD
                    set_tcb(last, key, following)
                elif not key.flags & USER:
                    set_auto(last, key, following)
            elif not key.flags & CONSTANT and following:
                key.slope_right = chord(key, following)

    def at(self, time):
        first, last = self.keys[0], self.keys[-1]
        if len(self.keys) == 1:
            return first.value
        if first.time <= time <= last.time:
            return self.within(time)
        return self.beyond(time, first, last)

    def within(self, time):
        k = max((i for i, key in enumerate(self.keys) if key.time <= time), default=0)
        a = self.keys[k]
        if time <= a.time or k + 1 == len(self.keys):
            return a.value
        b = self.keys[k + 1]
        u = (time - a.time) / (b.time - a.time)
        if a.flags & CONSTANT:
            return b.value if a.flags & NEXT else a.value
        if not a.flags & CUBIC:
            return a.value + u * (b.value - a.value)
        length = b.time - a.time
        u = parameter(a.weight_right, 1 - b.weight_left, u)
        return bezier(a.value, a.value + a.weight_right * length * a.slope_right, b.value - b.weight_left * length * b.slope_left, b.value, u)

    def beyond(self, time, first, last):
        is_before = time < first.time
        kind, count = self.outside[0 if is_before else 1]
        end = first if is_before else last
        if kind == "K":
            return end.value + (first.slope_right if is_before else last.slope_left) * (time - end.time)
        length = last.time - first.time
        if kind not in "MRA" or count == 0 or length * self.ticks_per_s < 1:
            return end.value
        far = first.time - time if is_before else time - last.time
        turns = int((far + SNAP / self.ticks_per_s) // length)
        far = max(far - turns * length, 0.0)
        far = 0.0 if far * self.ticks_per_s < SNAP else far
        if 0 < count <= turns:
            turns, far = count - 1, length
        if kind == "M" and turns % 2 == 0:
            far = length - far
        inner = self.within(min(max(last.time - far if is_before else first.time + far, first.time), last.time))
        whole = (last.value - first.value) * (turns + 1) if kind == "A" else 0.0
        return inner - whole if is_before else inner + whole


def bezier(p0, p1, p2, p3, u):
    v = 1 - u
    return v * v * v * p0 + 3 * u * v * (v * p1 + u * p2) + u * u * u * p3


def parameter(x1, x2, x):
    """The u at which a Bezier curve from 0 over x1 and x2 to 1 is x, by bisection. Weights in [0, 1] make it monotonic."""
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if bezier(0, x1, x2, 1, middle) < x else (low, middle)
    return (low + high) / 2


def outside_of(record, name):
    found = record.one(name)
    kind = found.value("Type", "C") if found else "C"
    kind = chr(kind) if isinstance(kind, int) else kind
    return kind if kind in "CKMRA" else "C", int(found.value("Repetition", -1)) if found else -1


def read(record, scene):
    """An AnimationCurve object: flags and floats are run-length coded by KeyAttrRefCount. None without keys."""
    times, values = record.array("KeyTime"), record.array("KeyValueFloat")
    flags, floats, counts = record.array("KeyAttrFlags"), record.array("KeyAttrDataFloat"), record.array("KeyAttrRefCount")
    run_of = [run for run, count in enumerate(counts) for _ in range(int(count))]
    keys = []
    for i, (ticks, value) in enumerate(zip(times, values)):
        run = run_of[i]
        right, next_left, bits = floats[4 * run], floats[4 * run + 1], floats[4 * run + 2]
        keys.append(Key(scene.seconds(ticks), float(value), int(flags[run]), float_of(right), float_of(next_left), bits))
    if not keys:
        return None
    return Curve(keys, outside_of(record, "Pre-Extrapolation"), outside_of(record, "Post-Extrapolation"), scene.ticks_per_s)


def read_old(record, scene):
    """A Channel of a Take: `Key: time, value, kind, ...` in version 4005 of keys. None if there is only a Default."""
    words = record.one("Key").values if record.one("Key") else []
    version = int(record.value("KeyVer", 4005))
    keys, at = [], 0
    while at + 2 < len(words):
        ticks, value, kind = words[at:at + 3]
        at += 3
        flags, right, next_left, bits = LINEAR, 0.0, 0.0, 0
        if kind == "C":
            flags = CONSTANT | (NEXT if version >= 4004 and words[at] == "n" else 0)
            at += version >= 4004
        elif kind == "U":
            slopes, at = words[at], at + 1
            flags = CUBIC | USER | BROKEN if slopes in "sb" else CUBIC | AUTO | TIME_INDEPENDENT | PROGRESSIVE
            if slopes in "sb":
                right, next_left = float(words[at]), float(words[at + 1])
            at += {"s": 2, "b": 2, "a": 0, "p": 2, "q": 2, "t": 3, "d": 1}[slopes]
            lists = {"s": version != 4003, "b": version != 4003, "a": version > 4004, "p": 1 + (version > 4004),
                     "q": 1 + (version > 4004), "t": 0, "d": 1}[slopes]
            for _ in range(lists):
                mode, at = words[at], at + 1
                given = {"n": 0, "c": 0, "a": 3, "l": 2, "r": 1}[mode]
                numbers = [float(x) for x in words[at:at + bin(given).count("1")]]
                at += len(numbers)
                if given & 1:
                    bits, flags = bits | round(numbers[0] * 1e4), flags | WEIGHT_RIGHT
                if given & 2:
                    bits, flags = bits | round(numbers[-1] * 1e4) << 16, flags | WEIGHT_NEXT_LEFT
        keys.append(Key(scene.seconds(float(ticks)), float(value), flags, right, next_left, bits))
    if not keys:
        return None
    return Curve(keys, outside_of(record, "Pre-Extrapolation"), outside_of(record, "Post-Extrapolation"), scene.ticks_per_s)
