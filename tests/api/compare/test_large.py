"""Models of more vertices than are looked at for their texture coordinates: those that are left out lead to no wrong pairs."""
import array
import json
import math
import struct

import pytest

from importers import NO_RENDERING

DRAWS = False

SIDE = 390  # squared: vertices of a file, most of which are elsewhere
PATCH = 4   # squared: vertices with a copy at the same place of the texture


def hilly(height, copies_at=None):
    """A surface whose middle has hills, on a turned, unevenly scaled node. copies_at: a patch of its middle is there once more, far away.
    Copies come first and the patch comes last, so that a list with an end may have one without the other. Triangles of the patch share no
    vertices with the others, and so do those of the copies."""
    patch = [(SIDE // 2 + i % PATCH, SIDE // 2 + i // PATCH) for i in range(PATCH * PATCH)]
    rest = [(x, z) for z in range(SIDE) for x in range(SIDE)]
    points, uvs, triangles = array.array("f"), array.array("f"), array.array("I")

    def add(grid, cells, places):
        first = len(points) // 3
        index = {at: first + i for i, at in enumerate(grid)}
        for x, z in grid:
            points.extend(places(x, z))
            uvs.extend(((x + 0.25) / SIDE, (z + 0.25) / SIDE))
        for x, z in cells:
            a, b, c, d = (index.get(at) for at in ((x, z), (x, z + 1), (x + 1, z), (x + 1, z + 1)))
            if None not in (a, b, c, d):
                triangles.extend((a, b, c, c, b, d))

    def on_hills(x, z):
        inside = 2 < x < SIDE - 3 and 2 < z < SIDE - 3
        return x, height * (2 + math.sin(x / 5) * math.cos(z / 7)) if inside else 0, z

    if copies_at is not None:
        add(patch, patch, lambda x, z: (copies_at + x, 0.5 * (x % 2), z))
    hole = set(patch)
    add([at for at in rest if at not in hole], [at for at in rest if at not in hole], on_hills)
    add(patch, patch, on_hills)
    parts = [data.tobytes() for data in (points, uvs, triangles)]
    views = [{"buffer": 0, "byteOffset": sum(map(len, parts[:i])), "byteLength": len(part)} for i, part in enumerate(parts)]
    document = {
        "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}], "buffers": [{"byteLength": sum(map(len, parts))}],
        "nodes": [{"name": "land", "mesh": 0, "translation": [3, -2, 5], "rotation": [0, 0, 0.6, 0.8], "scale": [1, 2, 1]}],
        "meshes": [{"name": "land", "primitives": [{"attributes": {"POSITION": 0, "TEXCOORD_0": 1}, "indices": 2}]}],
        "bufferViews": views, "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": len(points) // 3, "type": "VEC3", "min": [-9999] * 3, "max": [9999] * 3},
            {"bufferView": 1, "componentType": 5126, "count": len(points) // 3, "type": "VEC2"},
            {"bufferView": 2, "componentType": 5125, "count": len(triangles), "type": "SCALAR"}]}
    text = json.dumps(document).encode()
    text += b" " * (-len(text) % 4)
    data = b"".join(parts)
    return struct.pack("<4sIIII", b"glTF", 2, 28 + len(text) + len(data), len(text), 0x4e4f534a) + text + struct.pack(
        "<II", len(data), 0x004e4942) + data


def test_a_copy_whose_twin_is_left_out_is_no_partner(start, tmp_path):
    """The hills rise by 1.5 at most, which the node doubles; the copy of the patch is 500 units away."""
    (tmp_path / "old.glb").write_bytes(hilly(0))
    (tmp_path / "new.glb").write_bytes(hilly(0.5, copies_at=500))
    told = start(*NO_RENDERING, root=tmp_path).json("/v1/compare", model="new.glb", **{"with": "old.glb"})
    moved, = (d for d in told["differences"] if "elsewhere, up to" in d["message"])
    assert moved["distance"] == pytest.approx(3, abs=0.01), moved
    assert moved["message"].startswith(f"mesh 'land': {(SIDE - 6) ** 2 - PATCH ** 2} vertices are elsewhere"), moved
    assert [d["new"] for d in told["differences"] if "are new, or elsewhere" in d["message"]] == [2 * PATCH ** 2]
