"""Files of a few kilobytes that use one big thing many times. They cost what their bytes are worth, or are refused with the name of the
thing. The cost is the importer's processor time, which --import-cpu limits, whatever else runs."""
import json
import struct

import pytest

from importers import NO_RENDERING

DRAWS = False

pytestmark = pytest.mark.short

FLOAT = 5126
KEYS = 50000


def document(**members):
    return {"asset": {"version": "2.0"}, **members}


def zeros(count, kind):
    return {"componentType": FLOAT, "count": count, "type": kind}


def channels(count, path="translation", samplers=1):
    return [{"sampler": i % samplers, "target": {"node": i, "path": path}} for i in range(count)]


def with_keys(**members):
    """Rising times (accessor 0) and values (accessor 1) in a file beside it."""
    return document(buffers=[{"uri": "keys.bin", "byteLength": 16 * KEYS}],
                    bufferViews=[{"buffer": 0, "byteLength": 4 * KEYS},
                                 {"buffer": 0, "byteOffset": 4 * KEYS, "byteLength": 12 * KEYS}],
                    accessors=[{"bufferView": 0, **zeros(KEYS, "SCALAR")}, {"bufferView": 1, **zeros(KEYS, "VEC3")}],
                    **members)


def triangle_mesh(primitives):
    return [{"primitives": primitives}]


ROWS = "bytes of rows"
SMALL = {
    "zeros": (document(nodes=[{"mesh": 0}], accessors=[zeros(3000000, "VEC3")],
                       meshes=triangle_mesh([{"attributes": {"POSITION": 0}}])), "accessors[0]: its 36000000 " + ROWS),
    "samplers of two times": (
        document(nodes=[{}] * 400, accessors=[zeros(500000, "SCALAR"), zeros(500000, "VEC3"), zeros(500000, "SCALAR")],
                 animations=[{"channels": channels(400, samplers=2),
                              "samplers": [{"input": 0, "output": 1}, {"input": 2, "output": 1}]}]), ROWS),
    "primitives": (with_keys(nodes=[{"mesh": 0}], meshes=triangle_mesh([{"attributes": {"POSITION": 1}}] * 500)),
                   "accessors[1]: its 600000 " + ROWS),
    "skins": (document(nodes=[{}], accessors=[zeros(400000, "MAT4")],
                       skins=[{"joints": [0], "inverseBindMatrices": 0}] * 500), "accessors[0]: its 25600000 " + ROWS),
    "morph targets": (document(nodes=[{"mesh": 0}], accessors=[zeros(100000, "VEC3")], meshes=triangle_mesh(
        [{"attributes": {"POSITION": 0}, "targets": [{"POSITION": 0}] * 4000}])), "accessors[0]"),
    "mesh nodes": (with_keys(nodes=[{"mesh": 0}] * 3000, meshes=triangle_mesh([{"attributes": {"POSITION": 1}}])),
                   "draw 100050000 vertices"),
}


@pytest.fixture
def root(tmp_path):
    times = [i / 30 for i in range(KEYS)]
    (tmp_path / "keys.bin").write_bytes(struct.pack(f"<{4 * KEYS}f", *times, *([1.0] * 3 * KEYS)))
    return tmp_path


@pytest.mark.parametrize("name", SMALL)
def test_small_files_of_big_things_are_refused_by_name(start, root, name):
    content, words = SMALL[name]
    (root / "a.gltf").write_text(json.dumps(content, separators=(",", ":")))
    assert (root / "a.gltf").stat().st_size < 100000
    answer = start("--import-cpu", "5", *NO_RENDERING, root=root).get("/v1/model?model=a.gltf")
    assert (answer.status, answer.error()) == (422, "model_limit"), answer.body
    assert words in answer.json()["error"]["message"]


def test_channels_share_one_sampler(start, root):
    """With copies for each of the 4000 channels there would be 200 million keys."""
    count = 4000
    animation = {"channels": channels(count), "samplers": [{"input": 0, "output": 1}]}
    (root / "a.gltf").write_text(json.dumps(with_keys(nodes=[{}] * count, animations=[animation])))
    # All keys at time 0 are one key: 500,000 useless rows, read once.
    collapsed = document(nodes=[{}] * 400, accessors=[zeros(500000, "SCALAR"), zeros(500000, "VEC3")],
                         animations=[{**animation, "channels": channels(400)}])
    (root / "b.gltf").write_text(json.dumps(collapsed))
    server = start("--import-cpu", "5", *NO_RENDERING, root=root)
    for name, channel_count, keys in (("a.gltf", count, KEYS), ("b.gltf", 400, 1)):
        answer = server.get(f"/v1/model?model={name}")
        assert answer.status == 200, answer.body
        clip = answer.json()["clips"][0]
        assert (clip["channels"], clip["keys"]) == (channel_count, channel_count * keys)


def test_primitives_share_morph_targets(start, root):
    """Some exporters give every material's primitive the whole mesh: 16 primitives with 40 targets."""
    rows = 2000
    mesh = triangle_mesh([{"attributes": {"POSITION": 0},
                           "targets": [{"POSITION": 1 + t} for t in range(40)]} for _ in range(16)])
    accessors = [{"bufferView": 0, "byteOffset": 12 * rows * (t % 2), **zeros(rows, "VEC3")} for t in range(41)]
    content = document(nodes=[{"mesh": 0, "weights": [0.0] * 39 + [1.0]}], meshes=mesh, accessors=accessors,
                       bufferViews=[{"buffer": 0, "byteLength": 24 * rows}],
                       buffers=[{"uri": "rows.bin", "byteLength": 24 * rows}])
    (root / "rows.bin").write_bytes(struct.pack("<3f", 1, 2, 3) * rows + struct.pack("<3f", 10, 0, 0) * rows)
    (root / "a.gltf").write_text(json.dumps(content))
    server = start("--import-cpu", "5", "--max-model", "4000000", *NO_RENDERING, root=root)
    answer = server.get("/v1/mesh?model=a.gltf")
    assert answer.status == 200, answer.body
    last = answer.json()["frames"][0]["positions"][15]
    assert len(last) == 3 * rows and last[-3:] == [2.0, 4.0, 6.0]
