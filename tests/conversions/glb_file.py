"""Reads and writes GLB files; packs glTF files, with what they refer to, into one."""
import base64
import json
import struct
import urllib.parse


def _bytes_of(uri, folder):
    if uri.startswith("data:"):
        return base64.b64decode(uri.split(",", 1)[1])
    return (folder / urllib.parse.unquote(uri)).read_bytes()


def split(data):
    """(document, the bytes of its buffer) of a GLB file."""
    size = struct.unpack_from("<I", data, 12)[0]
    return json.loads(data[20:20 + size]), data[28 + size:]


def join(document, data):
    """document: its first buffer is `data`, with the length that it gets here; None if it has none."""
    if data:
        document["buffers"] = [{"byteLength": len(data)}]
    text = json.dumps(document).encode()
    text += b" " * (-len(text) % 4)
    rest = struct.pack("<II", len(data) + -len(data) % 4, 0x004E4942) + data + b"\0" * (-len(data) % 4) if data else b""
    return struct.pack("<4sIIII", b"glTF", 2, 20 + len(text) + len(rest), len(text), 0x4E4F534A) + text + rest


def packed(path):
    """A .gltf file with its buffers and pictures as a GLB file, otherwise unchanged."""
    document, data = json.loads(path.read_text(encoding="utf-8")), b""
    starts = []
    for buffer in document.get("buffers", []):
        starts.append(len(data))
        data += _bytes_of(buffer["uri"], path.parent)
        data += b"\0" * (-len(data) % 4)
    for view in document.get("bufferViews", []):
        view["byteOffset"] = starts[view["buffer"]] + view.get("byteOffset", 0)
        view["buffer"] = 0
    for image in document.get("images", []):
        if "uri" in image:
            uri = image.pop("uri")
            picture = _bytes_of(uri, path.parent)
            image.setdefault("mimeType", "image/png" if picture.startswith(b"\x89PNG") else "image/jpeg")
            image["bufferView"] = len(document.setdefault("bufferViews", []))
            document["bufferViews"].append({"buffer": 0, "byteOffset": len(data), "byteLength": len(picture)})
            data += picture + b"\0" * (-len(picture) % 4)
    return join(document, data)


COMPONENTS = {5120: "b", 5121: "B", 5122: "h", 5123: "H", 5125: "I", 5126: "f"}
WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}


class Editor:
    """A GLB file whose numbers can be read and replaced. What it replaces stays in the buffer, unused."""

    def __init__(self, data):
        self.document, self.buffer = split(data)

    def glb(self):
        return join(self.document, self.buffer)

    def view(self, index):
        view = self.document["bufferViews"][index]
        start = view.get("byteOffset", 0)
        return self.buffer[start:start + view["byteLength"]]

    def add_view(self, data):
        self.buffer += b"\0" * (-len(self.buffer) % 4)
        self.document["bufferViews"].append({"buffer": 0, "byteOffset": len(self.buffer), "byteLength": len(data)})
        self.buffer += data
        return len(self.document["bufferViews"]) - 1

    def rows(self, index):
        """The numbers of an accessor that is not sparse, as they are stored: a list for each element."""
        accessor = self.document["accessors"][index]
        row = struct.Struct(f"<{WIDTHS[accessor['type']]}{COMPONENTS[accessor['componentType']]}")
        data = self.view(accessor["bufferView"])
        stride = self.document["bufferViews"][accessor["bufferView"]].get("byteStride", row.size)
        return [list(row.unpack_from(data, accessor.get("byteOffset", 0) + i * stride)) for i in range(accessor["count"])]

    def add_rows(self, like, rows):
        """The index of a new accessor of the type of the accessor `like`."""
        accessor = {k: v for k, v in self.document["accessors"][like].items() if k not in ("bufferView", "byteOffset", "min", "max")}
        row = struct.Struct(f"<{WIDTHS[accessor['type']]}{COMPONENTS[accessor['componentType']]}")
        padding = b"\0" * (-row.size % 4)  # of vertex attributes; of keys and indices there is none
        is_padded = padding and accessor["type"] != "SCALAR"
        data = b"".join(row.pack(*one) + (padding if is_padded else b"") for one in rows)
        accessor.update(count=len(rows), bufferView=self.add_view(data))
        if is_padded:
            self.document["bufferViews"][-1]["byteStride"] = row.size + len(padding)
        if "min" in self.document["accessors"][like]:
            stored = [row.unpack(row.pack(*one)) for one in rows]
            accessor.update(min=[min(column) for column in zip(*stored)], max=[max(column) for column in zip(*stored)])
        self.document["accessors"].append(accessor)
        return len(self.document["accessors"]) - 1
