"""A small rig, its skin and its moves as glTF files: all in one file, or the moves in files of their own."""
import base64
import json
import struct

HALF = 0.5 ** 0.5
# name -> (parent, transform); a rotated, unevenly scaled root off the origin
RIG = {
    "root": (None, {"translation": [5, -1, 2], "rotation": [0, 0, HALF, HALF], "scale": [2, 1, 0.5]}),
    "hip": ("root", {"translation": [0, 1, 0]}),
    "knee": ("hip", {"translation": [0, 2, 0], "rotation": [HALF, 0, 0, HALF]}),
    "toe": ("knee", {"translation": [0, 1, 0.5]}),
}
CLIPS = {
    "stand": {("hip", "translation"): [[0, 1, 0], [0, 1, 0.25]]},
    "run": {("hip", "translation"): [[0, 1, 0], [1, 3, -2]], ("hip", "rotation"): [[0, 0, 0, 1], [0, HALF, 0, HALF]],
            ("knee", "rotation"): [[HALF, 0, 0, HALF], [0, 0, -0.6, 0.8]], ("knee", "scale"): [[1, 1, 1], [1, 2, 3]]},
}
DURATION = 0.5


class Writer:
    """A glTF file with all its data inside."""

    def __init__(self):
        self.bytes = b""
        self.document = {"asset": {"version": "2.0"}, "bufferViews": [], "accessors": [], "nodes": []}

    def accessor(self, rows, kind, component=5126, code="f"):
        flat = [number for row in rows for number in (row if isinstance(row, (list, tuple)) else [row])]
        data = struct.pack(f"<{len(flat)}{code}", *flat)
        self.document["bufferViews"].append({"buffer": 0, "byteOffset": len(self.bytes), "byteLength": len(data)})
        self.bytes += data + b"\0" * (-len(data) % 4)
        self.document["accessors"].append({"bufferView": len(self.document["bufferViews"]) - 1, "type": kind,
                                           "componentType": component, "count": len(rows)})
        return len(self.document["accessors"]) - 1

    def rig(self, names, rig=RIG):
        nodes = self.document["nodes"]
        for name in names:
            nodes.append({"name": name, **rig[name][1]})
        for name in names:
            children = [names.index(child) for child in names if rig[child][0] == name]
            if children:
                nodes[names.index(name)]["children"] = children
        self.document["scenes"] = [{"nodes": [i for i, name in enumerate(names) if rig[name][0] not in names]}]
        self.document["scene"] = 0
        self.names = names

    def skin(self):
        """Triangles between the joints, each vertex on two of them. The bind pose differs from the rest pose."""
        joints = [self.names.index(name) for name in ("knee", "hip", "toe")]
        binds = [[1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, -1 * i, 0.5, i, 1] for i in range(3)]
        positions = [(0, 0, 0), (1, 0, 0), (0, 2, 0), (1, 2, 3), (-1, 1, 1), (0.5, -2, 1)]
        self.document["materials"] = [{"doubleSided": True}]
        primitive = {"material": 0, "attributes": {
            "POSITION": self.accessor(positions, "VEC3"),
            "JOINTS_0": self.accessor([(i % 3, (i + 1) % 3, 0, 0) for i in range(6)], "VEC4", 5121, "B"),
            "WEIGHTS_0": self.accessor([(0.25, 0.75, 0, 0)] * 6, "VEC4")}}
        self.document["meshes"] = [{"primitives": [primitive]}]
        self.document["skins"] = [{"joints": joints, "inverseBindMatrices": self.accessor(binds, "MAT4")}]
        self.document["nodes"].append({"name": "body", "mesh": 0, "skin": 0})
        self.document["scenes"][0]["nodes"].append(len(self.document["nodes"]) - 1)

    def clips(self, clips):
        times = self.accessor([0, DURATION], "SCALAR")
        self.document["animations"] = [{
            "name": name,
            "samplers": [{"input": times, "output": self.accessor(rows, "VEC4" if path == "rotation" else "VEC3")}
                         for (_, path), rows in channels.items()],
            "channels": [{"sampler": i, "target": {"node": self.names.index(node), "path": path}}
                         for i, (node, path) in enumerate(channels)]} for name, channels in clips.items()]

    def text(self):
        self.document["buffers"] = [{"byteLength": len(self.bytes), "uri": "data:application/octet-stream;base64," +
                                     base64.b64encode(self.bytes).decode()}]
        return json.dumps(self.document)


def character(clips=None):
    writer = Writer()
    writer.rig(["root", "hip", "knee", "toe"])
    writer.skin()
    if clips:
        writer.clips(clips)
    return writer.text()


def moves(clips=CLIPS, names=("toe", "knee", "hip", "root"), rig=RIG):
    writer = Writer()
    writer.rig(list(names), rig)
    writer.clips(clips)
    return writer.text()
