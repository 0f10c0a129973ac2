"""/v1/export?compress=: the same values in fewer bytes."""
import math

import pytest

import conformance
from conftest import SAMPLES
from round_trip import EXACT, check, query, size_of
from small_models import gltf
from test_export import Document, export, positions

DRAWS = False

SIDE = 24  # vertices along one side of the sheet


def waves(offset):
    return [(math.sin(x * 0.7 + offset), math.cos(y * 0.3 - offset), math.sin((x + y) * 0.2) * offset) for y in range(SIDE) for x in range(SIDE)]


def sheet():
    """A sheet of triangles with a line around it, on a rotated, unevenly scaled chain of seven joints far from the origin; six
    joints for a vertex; two morph targets; the sheet once more without its skin."""
    vertices = SIDE * SIDE
    document = Document(scene=0, scenes=[{"nodes": [0, 8, 9]}])
    places = [(x + 0.1 * math.sin(y), 2 * y + 0.01 * x * x, math.cos(x * y)) for y in range(SIDE) for x in range(SIDE)]
    points = document.add("VEC3", "f", places, min=[-9, -9, -9], max=[99, 99, 9])
    normals = document.add("VEC3", "f", [(math.sin(v) * 0.6, math.cos(v) * 0.6, 0.8) for v in range(vertices)])
    joints = [document.add("VEC4", "B", [tuple((v + first + i) % 7 if first + i < 6 else 0 for i in range(4)) for v in range(vertices)])
              for first in (0, 4)]
    shares = [[(1 + (v * 7 + i * 13) % 11) for i in range(6)] for v in range(vertices)]
    weights = [document.add("VEC4", "f", [tuple(row[first + i] / sum(row) if first + i < 6 else 0 for i in range(4)) for row in shares])
               for first in (0, 4)]
    cells = [(x + y * SIDE) for y in range(SIDE - 1) for x in range(SIDE - 1)]
    triangles = document.add("SCALAR", "H", [corner for c in cells for corner in (c, c + 1, c + SIDE, c + 1, c + SIDE + 1, c + SIDE)])
    edge = list(range(SIDE)) + list(range(2 * SIDE - 1, vertices, SIDE)) + list(range(vertices - 2, vertices - SIDE - 1, -1))
    line = document.add("SCALAR", "H", edge)
    targets = [document.add("VEC3", "f", waves(offset), min=[-9] * 3, max=[9] * 3) for offset in (0.5, 2)]
    binds = document.add("MAT4", "f", [[1, 0, 0, 0, 0, 0.5, 0.25, 0, 0, 0, 1, 0, -j, 3 * j, 0.5, 1] for j in range(7)])
    times = document.add("SCALAR", "f", [k / 30 for k in range(60)], min=[0], max=[59 / 30])
    turns = document.add("VEC4", "f", [(math.sin(k / 60) * 0.6, 0, math.sin(k / 60) * 0.8, math.cos(k / 60)) for k in range(60)])
    blend = document.add("SCALAR", "f", [value for k in range(60) for value in (math.sin(k / 9), k / 60)])
    attributes = {"POSITION": points, "NORMAL": normals, "JOINTS_0": joints[0], "WEIGHTS_0": weights[0], "JOINTS_1": joints[1],
                  "WEIGHTS_1": weights[1]}
    morphs = [{"POSITION": target} for target in targets]
    chain = [{"name": f"j{j}", "translation": [1, 2, 0.5], "rotation": [0, 0.6, 0, 0.8], "scale": [1, 1.5, 0.75], "children": [j + 1]}
             for j in range(7)]
    chain[0].update(translation=[100, -40, 7], scale=[2, 0.5, 3])
    del chain[6]["children"]
    document.json.update(
        nodes=chain + [{"name": "nothing"}, {"name": "body", "mesh": 0, "skin": 0, "weights": [0.25, 0]},
                       {"name": "rigid", "mesh": 0, "translation": [-50, 0, 3], "scale": [1, 2, -3], "rotation": [0.5, 0.5, 0.5, 0.5]}],
        skins=[{"joints": list(range(7)), "inverseBindMatrices": binds}],
        materials=[{"name": "day"}, {"name": "night"}], extensionsUsed=["KHR_materials_variants"],
        extensions={"KHR_materials_variants": {"variants": [{"name": "dark"}]}},
        meshes=[{"primitives": [{"attributes": attributes, "indices": triangles, "targets": morphs, "material": 0,
                                 "extensions": {"KHR_materials_variants": {"mappings": [{"material": 1, "variants": [0]}]}}},
                                {"attributes": attributes, "indices": line, "mode": 2, "targets": morphs}]}],
        animations=[{"name": "wave", "samplers": [{"input": times, "output": turns}, {"input": times, "output": blend}], "channels":
                     [{"sampler": 0, "target": {"node": j, "path": "rotation"}} for j in range(7)]
                     + [{"sampler": 1, "target": {"node": 8, "path": "weights"}}]}])
    return document


def turned(triangle):
    """The triangle, rotated to begin with its first corner."""
    at = triangle.index(min(triangle))
    return triangle[at:] + triangle[:at]


def triangles(indices):
    return [turned(indices[i:i + 3]) for i in range(0, len(indices), 3)]


@pytest.mark.parametrize("word, share", [("meshopt", 0.75), ("draco", 0.92)])
def test_the_same_vertices(start, tmp_path, word, share):
    (tmp_path / "a.gltf").write_text(sheet().text())
    server = start()
    plain_data, plain = export(server, "a.gltf")
    assert export(server, "a.gltf", compress="none")[0] == plain_data
    data, glb = export(server, "a.gltf", compress=word)
    assert len(data) < share * len(plain_data)
    (tmp_path / "b.glb").write_bytes(data)
    (tmp_path / "plain.glb").write_bytes(plain_data)
    error = check(server, "a.gltf", "b.glb", plain)
    conformance.compared(tmp_path / "b.glb", conformance.ORIGINAL, error)
    assert error < EXACT
    size = size_of(server, "a.gltf")
    for parameters in ({"clip": "-"}, {"clip": "wave", "t": 0}, {"clip": "wave", "t": 0.723}, {"clip": "wave", "t": 1.9}):
        of_file, of_plain = positions(server, "b.glb", **parameters), positions(server, "plain.glb", **parameters)
        assert of_file == of_plain, parameters  # to the last bit
        for a, b in zip(positions(server, "a.gltf", **parameters), of_file):
            assert max(abs(x - y) for x, y in zip(a, b)) < EXACT * size, parameters
    answers = [server.json("/v1/mesh", model=model, clip="-", indices=1)["indices"] for model in ("a.gltf", "b.glb")]
    assert [list(map(len, lists)) for lists in answers] == [list(map(len, answers[0]))] * 2
    for a, b in zip(*answers):
        assert a == b or word == "meshopt" and triangles(a) == triangles(b)


def test_the_words_of_the_extension(start, tmp_path):
    """Views of a buffer that the file does not have, each with the position of its stream in the buffer that it has."""
    (tmp_path / "a.gltf").write_text(sheet().text())
    server = start()
    document = export(server, "a.gltf", compress="meshopt")[1].json
    assert document["extensionsRequired"] == ["EXT_meshopt_compression"] and "EXT_meshopt_compression" in document["extensionsUsed"]
    stored, missing = document["buffers"]
    assert missing["extensions"] == {"EXT_meshopt_compression": {"fallback": True}} and "uri" not in missing
    ends = [0, 0]
    modes = {}
    for i, view in enumerate(document["bufferViews"]):
        packed = view.get("extensions", {}).get("EXT_meshopt_compression")
        if packed is None:
            assert view["buffer"] == 0
            continue
        assert view["buffer"] == 1 and packed["buffer"] == 0 and view["byteOffset"] % 4 == 0
        assert packed["byteStride"] * packed["count"] == view["byteLength"] > packed["byteLength"] and packed["byteStride"] % 4 == 0
        assert view["byteOffset"] >= ends[1] and packed["byteOffset"] >= ends[0]
        ends = [packed["byteOffset"] + packed["byteLength"], view["byteOffset"] + view["byteLength"]]
        modes[i] = packed["mode"]
    assert ends[1] == missing["byteLength"] and ends[0] <= stored["byteLength"]
    accessors = document["accessors"]
    sheet_mode, line_mode = (modes[accessors[primitive["indices"]]["bufferView"]] for primitive in document["meshes"][0]["primitives"])
    assert (sheet_mode, line_mode) == ("TRIANGLES", "INDICES")
    assert modes[accessors[document["meshes"][0]["primitives"][0]["attributes"]["POSITION"]]["bufferView"]] == "ATTRIBUTES"
    assert modes[accessors[document["animations"][0]["samplers"][0]["output"]]["bufferView"]] == "ATTRIBUTES"


def test_the_words_of_draco(start, tmp_path):
    """Triangles of each primitive are a stream. Lines and morph targets stay unchanged."""
    (tmp_path / "a.gltf").write_text(sheet().text())
    server = start()
    document = export(server, "a.gltf", compress="draco")[1].json
    assert document["extensionsRequired"] == ["KHR_draco_mesh_compression"] and len(document["buffers"]) == 1
    assert sorted(document["extensionsUsed"]) == ["KHR_draco_mesh_compression", "KHR_materials_variants"]
    (skinned, line), (rigid, _) = (mesh["primitives"] for mesh in document["meshes"])
    streams = [primitive["extensions"]["KHR_draco_mesh_compression"] for primitive in (skinned, rigid)]
    assert streams[0]["bufferView"] != streams[1]["bufferView"] and set(line) == {"attributes", "indices", "mode", "targets"}
    assert streams[0]["attributes"] == {"POSITION": 0, "NORMAL": 1, "JOINTS_0": 2, "WEIGHTS_0": 3, "JOINTS_1": 4, "WEIGHTS_1": 5}
    assert streams[1]["attributes"] == {"POSITION": 0, "NORMAL": 1}
    assert all(primitive["extensions"]["KHR_materials_variants"]["mappings"] == [{"material": 1, "variants": [0]}] for primitive in (skinned, rigid))
    packed = [document["accessors"][i] for i in (*skinned["attributes"].values(), skinned["indices"])]
    assert not any("bufferView" in accessor for accessor in packed) and "min" in packed[0]
    assert all("bufferView" in document["accessors"][target["POSITION"]] for target in skinned["targets"])
    assert all("bufferView" in document["accessors"][i] for i in (*line["attributes"].values(), line["indices"]))


def test_nothing_to_compress(start, tmp_path):
    """A file without arrays, and one with a single triangle: they do not use the extension."""
    (tmp_path / "a.gltf").write_text('{"asset":{"version":"2.0"},"nodes":[{"name":"alone"}],"scenes":[{"nodes":[0]}]}')
    (tmp_path / "b.gltf").write_text(gltf())
    server = start()
    for model in ("a.gltf", "b.gltf"):
        for word in ("meshopt", "draco"):
            assert export(server, model, compress=word)[0] == export(server, model)[0]
    answer = server.get("/v1/export?model=a.gltf&compress=zip")
    assert answer.error() == "bad_parameter" and "'compress' is 'zip'" in answer.json()["error"]["message"]


def test_limits_hold_for_what_is_unpacked(start, tmp_path):
    """A morph target of zeros is a few bytes as a stream."""
    document = Document(scene=0, scenes=[{"nodes": [0]}])
    count = 20000
    points = document.add("VEC3", "f", [(1, 2, 3)] * count, min=[1, 2, 3], max=[1, 2, 3])
    targets = [document.add("VEC3", "f", [(0, 0, t)] * count, min=[0, 0, t], max=[0, 0, t]) for t in range(8)]
    document.json.update(nodes=[{"mesh": 0}], meshes=[{"primitives": [{"attributes": {"POSITION": points}, "mode": 0,
                                                                       "targets": [{"POSITION": target} for target in targets]}]}])
    (tmp_path / "a.gltf").write_text(document.text())
    wide = start()
    assert len(export(wide, "a.gltf", compress="meshopt")[0]) < 100_000
    narrow = start("--max-answer", "1m")
    assert narrow.get("/v1/export?model=a.gltf&compress=meshopt").error() == "too_many_frames"


@pytest.mark.skipif(not SAMPLES.is_dir(), reason="no sample models")
@pytest.mark.parametrize("word, share", [("meshopt", 0.5), ("draco", 0.75)])
def test_samples(start, tmp_path, word, share):
    (tmp_path / "robot.glb").write_bytes((SAMPLES / "robot.glb").read_bytes())
    server = start()
    plain_data, plain = export(server, "robot.glb", textures="none")
    data, _ = export(server, "robot.glb", textures="none", compress=word)
    assert len(data) < share * len(plain_data)
    (tmp_path / "again.glb").write_bytes(data)
    assert check(server, "robot.glb", "again.glb", plain) == 0
    etags = {server.get(query("/v1/export", model="robot.glb", **more)).headers["etag"] for more in ({}, {"compress": word})}
    assert len(etags) == 2
