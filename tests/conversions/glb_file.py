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
