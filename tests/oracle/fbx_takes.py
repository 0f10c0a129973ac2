"""Takes of an FBX file: the value of an object's property at a time, with all layers of the take.

- A stack has layers, a layer has curve nodes (one for each animated property), a curve node has curves and, for an axis
  without a curve, a number.
- The first layer of a stack gives the value, or the object itself if the layer has none. Each other layer changes it by its BlendMode:
  0 additive: adds value times weight; 1 override, ignoring the weight; 2 override-passthrough: mixes by weight.
- Lcl Rotation: RotationAccumulationMode 0 applies one rotation after the other (a layer's by the share of its weight, or slerp), 1 adds
  angles.
- Lcl Scaling: ScaleAccumulationMode 0 multiplies with powers, 1 adds.
- Muted layers do not count. If any layer is solo, only solo layers count. A layer's Weight, 0..100, may have a curve.
- Version 6 has takes of one layer with channels T, R and S of every model.
"""
import fbx_curves
from fbx_transforms import euler_quaternion, order_of, quaternion_euler
from matrices import hamilton, normalized, slerp

ADDITIVE, OVERRIDE, PASSTHROUGH = 0, 1, 2
OLD_NAMES = {"T": "Lcl Translation", "R": "Lcl Rotation", "S": "Lcl Scaling"}
COMPONENTS = {"X": 0, "Y": 1, "Z": 2}


class CurveNode:
    def __init__(self):
        self.defaults, self.curves = {}, {}  # by component

    def at(self, static, time):
        value = [self.defaults.get(c, x) for c, x in enumerate(static)]
        for component, curve in self.curves.items():
            if component < len(value):
                value[component] = curve.at(time)
        return value


class Layer:
    """nodes: {(object's id, property): CurveNode}."""

    def __init__(self, layer=None):
        number = layer.number if layer else lambda name, fallback=0: fallback
        self.id = layer.id if layer else None
        self.mode, self.weight = int(number("BlendMode")), float(number("Weight", 100.0))
        self.is_muted, self.is_solo = bool(number("Mute")), bool(number("Solo"))
        self.turns, self.multiplies = number("RotationAccumulationMode") == 0, number("ScaleAccumulationMode") == 0
        self.nodes = {}

    def weight_at(self, time):
        node = self.nodes.get((self.id, "Weight"))
        weight = (node.at([self.weight], time)[0] if node else self.weight) / 100
        return max(0.0, min(1.0, weight))


def power(x, exponent):
    """With the size of x and the sign of x; a weight of 0 gives 1."""
    if exponent <= 0:
        return 1.0
    return x if exponent >= 1 else (1 if x >= 0 else -1) * abs(x) ** exponent


def combine(layer, weight, prop, under, value, order):
    if layer.mode == OVERRIDE:
        return value
    is_added = layer.mode == ADDITIVE
    if prop == "Lcl Scaling" and layer.multiplies:
        return [power(a, 1 if is_added else 1 - weight) * power(b, weight) for a, b in zip(under, value)]
    if prop == "Lcl Rotation" and layer.turns:
        a, b = euler_quaternion(under, order), euler_quaternion(value, order)
        q = hamilton(a, slerp([0, 0, 0, 1], b, weight)) if is_added else slerp(a, b, weight)
        return quaternion_euler(normalized(q), order)
    return [a + weight * b for a, b in zip(under, value)] if is_added else [(1 - weight) * a + weight * b for a, b in zip(under, value)]


class Take:
    """begin, end in seconds of the file's time line; at() takes such a time."""

    def __init__(self, name, begin, end, layers):
        self.name, self.begin, self.end, self.layers = name, begin, end, layers

    def at(self, obj, prop, static, time):
        value = list(static)
        has_solo = any(layer.is_solo for layer in self.layers)
        for i, layer in enumerate(self.layers):
            node = layer.nodes.get((obj.id, prop))
            if not node or layer.is_muted or (has_solo and not layer.is_solo):
                continue
            found = node.at(static, time)
            value = combine(layer, layer.weight_at(time), prop, value, found, order_of(obj)) if i else found
        return value

    def key_times(self):
        return sorted({key.time for layer in self.layers for node in layer.nodes.values() for curve in node.curves.values() for key in curve.keys})


def component(prop):
    return COMPONENTS.get(prop.rsplit("|", 1)[-1], 0)


def read_curve_node(scene, obj):
    node = CurveNode()
    for name, values in obj.properties.items():
        if name.startswith("d|") and values:
            node.defaults[component(name)] = float(values[0])
    for curve, prop in scene.below(obj.id, "AnimationCurve"):
        made = fbx_curves.read(curve.record, scene)
        if made:
            node.curves[component(prop or "X")] = made
    return node


def span_of(scene, properties, old_take):
    for name in ("Local", "Reference"):
        if name + "Start" in properties and name + "Stop" in properties:
            return [scene.seconds(properties[name + end][0]) for end in ("Start", "Stop")]
        if old_take and old_take.one(name + "Time"):
            return [scene.seconds(ticks) for ticks in old_take.one(name + "Time").values]
    return [0.0, 0.0]


def read_stack(scene, stack, old_take):
    layers = []
    for obj, _ in scene.below(stack.id, "AnimationLayer"):
        layer = Layer(obj)
        for node, _ in scene.below(obj.id, "AnimationCurveNode"):
            for target, prop in scene.above(node.id):
                if prop:
                    layer.nodes[target, prop] = read_curve_node(scene, node)
        layers.append(layer)
    return Take(stack.name, *span_of(scene, stack.properties, old_take), layers)


def read_channel(scene, record):
    node = CurveNode()
    parts = [record] if record.one("Key") or record.one("Default") else record.all("Channel")
    for part in parts:
        c = COMPONENTS.get(part.values[0], 0)
        if part.one("Default"):
            node.defaults[c] = float(part.value("Default"))
        curve = fbx_curves.read_old(part, scene)
        if curve:
            node.curves[c] = curve
    return node


def read_take(scene, record):
    layer = Layer()
    for target in record.records:
        if target.name in ("Model", "Deformer", "Geometry"):
            for channel in target.all("Channel"):
                if channel.values[0] == "Transform":
                    for part in channel.all("Channel"):
                        layer.nodes[target.values[0], OLD_NAMES[part.values[0]]] = read_channel(scene, part)
                else:
                    layer.nodes[target.values[0], channel.values[0]] = read_channel(scene, channel)
    return Take(record.values[0], *span_of(scene, {}, record), [layer])


def read(scene):
    takes = scene.top.one("Takes")
    old = {record.values[0]: record for record in takes.all("Take")} if takes else {}
    if scene.version < 7000:
        return [read_take(scene, record) for record in old.values()]
    return [read_stack(scene, o, old.get(o.name)) for o in scene.objects.values() if o.kind == "AnimationStack"]
