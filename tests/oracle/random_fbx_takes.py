"""The takes of random_fbx: curves with every kind of key, tangent and extrapolation, in one or several layers.

What has no one answer is left out: several quaternion layers over angles far apart (which way round), powers of scales through zero.
"""
import struct

CONSTANT, LINEAR, CUBIC = 0x2, 0x4, 0x8
AUTO, TCB, USER, BROKEN, NEXT = 0x100, 0x200, 0x400, 0x800, 0x100
CLAMP, TIME_INDEPENDENT, PROGRESSIVE = 0x1000, 0x2000, 0x4000
WEIGHT_RIGHT, WEIGHT_NEXT_LEFT = 0x1000000, 0x2000000
STATIC_TOO = ["RotationPivot", "ScalingPivot", "RotationOffset", "ScalingOffset", "PreRotation", "PostRotation"]


def float_bits(x):
    """Floats as in ASCII files: the integer of their 32 bits."""
    return struct.unpack("<i", struct.pack("<f", x))[0]


def array(name, values):
    return f"{name}: *{len(values)} {{\n a: {','.join(map(repr, values))}\n}}\n"


def properties(rows):
    return "Properties70:  {\n" + "".join(f'P: "{name}", "{kind}", "", "A+",{value!r}\n' for name, kind, value in rows) + "}\n"


def key_attributes(w, spread):
    """(flags, three floats as bits) of a key. An auto key uses the slope beside it as a bias, so slopes are not steep."""
    slope, bias = min(3 * spread, 200), 520 if spread < 10 else 100
    rng = w.rng
    kind = rng.choice(["constant", "linear", "user", "broken", "auto", "auto", "clamp", "progressive", "independent", "bias", "tcb"])
    bits = [float_bits(0.0)] * 3
    if kind == "constant":
        return CONSTANT | rng.choice([0, NEXT]), bits
    if kind == "linear":
        return LINEAR, bits
    if kind == "tcb":
        return CUBIC | TCB, [float_bits(rng.uniform(-1, 1)) for _ in range(3)]
    flags = CUBIC | {"user": USER, "broken": USER | BROKEN, "auto": AUTO, "clamp": AUTO | CLAMP, "bias": AUTO,
                     "progressive": AUTO | TIME_INDEPENDENT | PROGRESSIVE, "independent": AUTO | TIME_INDEPENDENT}[kind]
    if flags & USER:
        bits = [float_bits(rng.uniform(-slope, slope)), float_bits(rng.uniform(-slope, slope)), bits[2]]
    elif kind == "bias":
        bits = [float_bits(rng.choice([rng.uniform(-100, 100), rng.uniform(-bias, bias)])), float_bits(rng.uniform(-100, 100)), bits[2]]
    if w.has(0.4):
        flags |= rng.choice([WEIGHT_RIGHT, WEIGHT_NEXT_LEFT, WEIGHT_RIGHT | WEIGHT_NEXT_LEFT])
        packed = rng.randint(500, 9500) | rng.randint(500, 9500) << 16
        bits[2] = packed - (1 << 32) if packed >> 31 else packed
    return flags, bits


class Range:
    """The range of the keys of a curve: values around a middle; is_calm: linear between keys and near the middle."""

    def __init__(self, middle, spread, is_calm=False):
        self.middle, self.spread, self.is_calm = middle, spread, is_calm


def make_curve(w, span, ticks_per_s):
    """The id of a curve."""
    rng = w.rng
    count = rng.choice([1, 2, 2, 3, 5])
    times = sorted(rng.sample(range(1, 60, 2), count))
    values = [span.middle + rng.uniform(-span.spread, span.spread) for _ in times]
    if count > 2 and w.has(0.3):
        values[1] = values[0]  # for clamps
    runs = []
    while sum(length for length, _ in runs) < count:
        attributes = (LINEAR, [float_bits(0.0)] * 3) if span.is_calm else key_attributes(w, span.spread)
        runs.append((min(rng.choice([1, 1, 2]), count - sum(length for length, _ in runs)), attributes))
    body = "Default: 0\nKeyVer: 4009\n" + array("KeyTime", [t * ticks_per_s // 24 for t in times]) + array("KeyValueFloat", values)
    body += array("KeyAttrFlags", [flags for _, (flags, _) in runs])
    body += array("KeyAttrDataFloat", [x for _, (_, bits) in runs for x in bits + [0]])
    body += array("KeyAttrRefCount", [length for length, _ in runs])
    for name in ("Pre-Extrapolation", "Post-Extrapolation"):
        if w.has(0.4) and not span.is_calm:
            body += f"{name}:  {{\nType: {rng.choice('CKMRA')}\nRepetition: {rng.choice([-1, -1, 1, 2, 0])}\n}}\n"
    return w.add("AnimationCurve", "", "", body, "AnimCurve")


def make_curve_node(w, layer, target, prop, spans, ticks_per_s):
    """spans: a Range for each component; of three, some have no curve and stay at the middle."""
    letters = "XYZ" if len(spans) == 3 else [prop]
    rows = [(f"d|{letter}", "Number", float(span.middle)) for letter, span in zip(letters, spans)]
    node = w.add("AnimationCurveNode", prop[:5], "", properties(rows), "AnimCurveNode")
    w.link(node, layer)
    w.link(node, target, prop)
    for letter, span in zip(letters, spans):
        if len(spans) == 1 or w.has(0.75):
            w.link(make_curve(w, span, ticks_per_s), node, f"d|{letter}")


def layer_rows(w, is_first, turns, multiplies):
    rows = [("RotationAccumulationMode", "enum", 0 if turns else 1), ("ScaleAccumulationMode", "enum", 0 if multiplies else 1)]
    if not is_first:
        rows += [("BlendMode", "enum", w.rng.choice([0, 0, 1, 2, 2])), ("Weight", "Number", w.rng.choice([100.0, 0.0, w.rng.uniform(5, 95)]))]
        if w.has(0.1):
            rows.append(("Mute", "bool", 1))
    if w.has(0.1) and not turns:
        rows.append(("Solo", "bool", 1))
    return [row for row in rows if row[0] in ("Weight", "Solo", "Mute") or row[2] != 0 or w.has(0.5)]


class Stack:
    """The common data of all layers of a stack. turns, multiplies: how their rotations and scales accumulate; near: the nodes whose first
    layer has angles, which later quaternion layers may rotate further."""

    def __init__(self, w, identity):
        self.id, self.near = identity, []
        self.layer_count, self.turns, self.multiplies = w.rng.choice([1, 1, 2, 3]), w.has(0.5), w.has(0.5)
        self.is_near = self.turns and self.layer_count > 1  # angles whose blend has one shortest way
        self.is_calm = self.multiplies and self.layer_count > 1


def make_layer(w, stack, is_first, nodes, channels, ticks_per_s):
    layer = w.add("AnimationLayer", "layer", "", properties(layer_rows(w, is_first, stack.turns, stack.multiplies)), "AnimLayer")
    w.link(layer, stack.id)
    for node in nodes:
        if w.has(0.6):
            make_curve_node(w, layer, node.id, "Lcl Translation", [Range(w.rng.uniform(-2, 2), 2) for _ in range(3)], ticks_per_s)
        if w.has(0.6) and (not stack.is_near or (node.is_free and (is_first or node in stack.near))):
            stack.near.append(node)
            far = 20 if stack.is_near else w.rng.choice([40, 90, 400])
            spans = [Range(w.rng.uniform(-far, far) / 2, far, stack.is_near) for _ in range(3)]
            make_curve_node(w, layer, node.id, "Lcl Rotation", spans, ticks_per_s)
        if w.has(0.35) and not w.is_even:
            make_curve_node(w, layer, node.id, "Lcl Scaling", [Range(1.2, 0.5, stack.is_calm) for _ in range(3)], ticks_per_s)
        if w.has(0.08):
            prop = w.rng.choice(STATIC_TOO)
            spread = 60 if prop in ("PreRotation", "PostRotation") else 1
            make_curve_node(w, layer, node.id, prop, [Range(0.0, spread) for _ in range(3)], ticks_per_s)
    for channel in channels:
        if w.has(0.6):
            make_curve_node(w, layer, channel, "DeformPercent", [Range(40.0, 70)], ticks_per_s)
    if not is_first and w.has(0.3):
        make_curve_node(w, layer, layer, "Weight", [Range(50.0, 45, True)], ticks_per_s)


def make_stacks(w, nodes, channels, ticks_per_s):
    for s in range(w.rng.choice([1, 1, 2])):
        begin = w.rng.choice([0, 0, w.rng.randint(-20, 40)])
        end = begin + w.rng.randint(6, 90)
        rows = [(f"Local{name}", "KTime", t * ticks_per_s // 24) for name, t in (("Start", begin), ("Stop", end))]
        stack = Stack(w, w.add("AnimationStack", f"take {s}", "", properties(rows), "AnimStack"))
        for i in range(stack.layer_count):
            make_layer(w, stack, i == 0, nodes, channels, ticks_per_s)
