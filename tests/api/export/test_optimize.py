"""/v1/export?optimize=1: poses and vertices within the stated distance, in fewer bytes."""
import itertools
import json
import math
import struct

import pytest

from conftest import REPOSITORY, SAMPLES
from round_trip import TIMES_AT_ONCE, ask, query, size_of, worst_of_clip
from small_models import gltf
from small_scenes import png
from test_compress import sheet
from test_export import Document, export, positions

DRAWS = False
SHARE = 1e-4  # of the size


def report(glb):
    return glb.json["asset"]["extras"]["optimized"]


def clouds(server, model, moments):
    """The vertices of all draws, in any order: for each its positions at all moments."""
    frames = []
    for parameters in moments:
        lists = positions(server, model, **parameters)
        frames.append([tuple(values[i:i + 3]) for values in lists for i in range(0, len(values), 3)])
    return [tuple(x for point in track for x in point) for track in zip(*frames)]


def apart(tracks, others, reach):
    """How far the vertices of one list are from the nearest of the other: the greatest distance at a moment; infinite beyond `reach`."""
    def cell(track, shift=(0, 0, 0)):
        return tuple(math.floor(x / reach) + s for x, s in zip(track, shift))

    def distance(a, b):
        return max(math.dist(a[i:i + 3], b[i:i + 3]) for i in range(0, len(a), 3))

    cells = {}
    for other in others:
        cells.setdefault(cell(other), []).append(other)
    shifts = list(itertools.product((-1, 0, 1), repeat=3))
    return max(min((distance(a, b) for shift in shifts for b in cells.get(cell(a, shift), ())), default=math.inf) for a in tracks)


def far(server, plain, small, moments, nodes, clips):
    """The greatest distance of a vertex, in both directions, or of a node, as a share of the size."""
    size = size_of(server, plain)
    a, b = (set(clouds(server, model, moments)) for model in (plain, small))
    of_vertices = max(apart(a, b, 2 * SHARE * size), apart(b, a, 2 * SHARE * size))
    of_nodes = max([0.0] + [worst_of_clip(server, plain, small, (clip, clip), times, nodes, [], size / 10)[0] for clip, times in clips])
    return of_vertices / size, of_nodes / size


def write_both(server, folder, model, **parameters):
    """Export a model with and without optimize=1."""
    plain = {key: value for key, value in parameters.items() if key not in ("compress",)}
    (folder / "plain.glb").write_bytes(export(server, model, **plain)[0])
    data, glb = export(server, model, optimize=1, **parameters)
    (folder / "small.glb").write_bytes(data)
    return data, glb


MOMENTS = [{"clip": "-"}] + [{"clip": "wave", "t": t} for t in (0, 0.31, 0.723, 1.9)]


@pytest.mark.parametrize("more", [{}, {"compress": "none"}, {"fps": 60}, {"up": "z", "unit": "cm"}])
def test_vertices_and_nodes_stay_within_the_distance(start, tmp_path, more):
    """Rotated, unevenly scaled and mirrored, off the origin, six joints for a vertex, and morph targets."""
    (tmp_path / "a.gltf").write_text(sheet().text())
    server = start()
    data, glb = write_both(server, tmp_path, "a.gltf", **more)
    assert len(data) < (0.45 if "compress" in more else 0.3) * (tmp_path / "plain.glb").stat().st_size
    assert export(server, "a.gltf", optimize=1, **more)[0] == data
    said = report(glb)
    assert said["share_of_size_most"] == SHARE and 0 < said["share_of_size"] <= SHARE
    nodes = len(ask(server, "/v1/model", model="a.gltf")["nodes"])
    of_vertices, of_nodes = far(server, "plain.glb", "small.glb", MOMENTS, nodes, [("wave", [0.31, 0.723, 1.9])])
    assert 1e-6 < of_vertices <= 1.05 * said["share_of_size"] and of_nodes <= SHARE
    for parameters in MOMENTS:
        boxes = [ask(server, "/v1/bounds", model=model, **parameters)["frames"][0]["bounds"] for model in ("plain.glb", "small.glb")]
        size = size_of(server, "plain.glb")
        assert all(abs(x - y) <= SHARE * size for side in ("min", "max") for x, y in zip(boxes[0][side], boxes[1][side]))


CURVES = REPOSITORY / "tests/oracle/models/curves.fbx"


def test_keys_of_splines_that_others_give_fall_away(start, tmp_path):
    """Slopes of keys stay as they are. Nodes are where they were, at keys and between them."""
    (tmp_path / "a.fbx").write_bytes(CURVES.read_bytes())
    server = start()
    data, glb = write_both(server, tmp_path, "a.fbx")
    said = report(glb)
    assert said["keys"][1] < 0.5 * said["keys"][0] and 0 < said["share_of_size"] <= SHARE
    splines = [sampler for clip in glb.json["animations"] for sampler in clip["samplers"] if sampler.get("interpolation") == "CUBICSPLINE"]
    assert splines and all(glb.json["accessors"][one["output"]]["count"] % (3 * glb.json["accessors"][one["input"]]["count"]) == 0 for one in splines)
    model = ask(server, "/v1/model", model="plain.glb")
    size = size_of(server, "plain.glb")
    for index, clip in enumerate(model["clips"]):
        times = [clip["duration"] * k / 97 for k in range(98)]
        off, *where = worst_of_clip(server, "plain.glb", "small.glb", (index, index), times, len(model["nodes"]), [], size / 10)
        assert off <= 1.05 * SHARE * size, where
    assert report(export(server, "a.fbx", optimize=1, exact=1)[1])["share_of_size"] == 0


def test_exact_loses_nothing(start, tmp_path):
    (tmp_path / "a.gltf").write_text(sheet().text())
    server = start()
    data, glb = write_both(server, tmp_path, "a.gltf", exact=1)
    assert len(data) < 0.75 * (tmp_path / "plain.glb").stat().st_size
    assert report(glb)["share_of_size"] == 0 and "KHR_mesh_quantization" not in glb.json["extensionsRequired"]
    for parameters in MOMENTS:  # the same bits
        assert set(clouds(server, "plain.glb", [parameters])) == set(clouds(server, "small.glb", [parameters]))


def test_the_words_of_the_extensions(start, tmp_path):
    (tmp_path / "a.gltf").write_text(sheet().text())
    server = start()
    document = export(server, "a.gltf", optimize=1)[1].json
    assert document["extensionsRequired"] == ["KHR_mesh_quantization", "EXT_meshopt_compression"]
    accessors, views = document["accessors"], document["bufferViews"]
    packed = lambda accessor: views[accessor["bufferView"]].get("extensions", {}).get("EXT_meshopt_compression", {})
    attributes = {name: accessors[at] for name, at in document["meshes"][0]["primitives"][0]["attributes"].items()}
    assert [attributes[name]["componentType"] for name in ("POSITION", "NORMAL", "JOINTS_0", "WEIGHTS_0")] == [5122, 5120, 5121, 5123]
    assert packed(attributes["NORMAL"])["filter"] == "OCTAHEDRAL" and attributes["NORMAL"]["normalized"]
    assert attributes["POSITION"]["normalized"] and min(attributes["POSITION"]["min"]) == -max(attributes["POSITION"]["max"])
    assert max(attributes["POSITION"]["max"]) in (2 ** (bits - 1) - 1 for bits in (14, 15, 16))
    assert all("byteStride" in view for view in views if view.get("target") == 34962)
    rigid = next(node for node in document["nodes"] if node.get("name") == "rigid")
    child = document["nodes"][rigid["children"][0]]  # it has the mesh and its grid; the node keeps its own transform
    assert "mesh" not in rigid and rigid["scale"] == [1, 2, -3] and set(child) == {"mesh", "translation", "scale"}
    assert len(set(child["scale"])) == 1
    answer = server.get("/v1/export?model=a.gltf&optimize=1&compress=draco")
    assert answer.error() == "bad_parameter" and "compress=draco" in answer.json()["error"]["message"]
    plain = export(server, "a.gltf", optimize=1, compress="none")[1].json
    assert plain["extensionsRequired"] == ["KHR_mesh_quantization"] and len(plain["buffers"]) == 1


def test_weights_sum_to_one_exactly(start, tmp_path):
    (tmp_path / "a.gltf").write_text(sheet().text())
    server = start()
    glb = export(server, "a.gltf", optimize=1, compress="none")[1]
    attributes = glb.json["meshes"][0]["primitives"][0]["attributes"]

    def rows(index):
        accessor, view = glb.json["accessors"][index], glb.json["bufferViews"][glb.json["accessors"][index]["bufferView"]]
        at, stride = view["byteOffset"] + accessor.get("byteOffset", 0), view["byteStride"]
        return [struct.unpack_from("<4H", glb.bin, at + i * stride) for i in range(accessor["count"])]

    sums = {sum(a) + sum(b) for a, b in zip(rows(attributes["WEIGHTS_0"]), rows(attributes["WEIGHTS_1"]))}
    assert sums == {65535}


def repeated(vertices=240):
    """Four meshes whose triangles do not share vertices: two have equal arrays. A line moves with time, with a key for each frame; one
    node stays at rest although it has keys. A material, a skin and a mesh that nothing uses."""
    document = Document(scene=0, scenes=[{"nodes": [0, 1, 2, 3]}])
    places = [(math.sin(v // 2), math.cos(v // 2), v // 2 * 0.01) for v in range(vertices)]
    points = [document.add("VEC3", "f", places, min=[-1, -1, 0], max=[1, 1, 9]) for _ in range(2)]
    unused = document.add("VEC3", "f", places, min=[-1, -1, 0], max=[1, 1, 9])
    times = document.add("SCALAR", "f", [k / 30 for k in range(91)], min=[0], max=[3])
    line = document.add("VEC3", "f", [(k / 30, 0, -k / 15) for k in range(91)])
    turn = document.add("VEC4", "f", [(0, 0, 0, 1)] * 91)
    document.json.update(
        nodes=[{"name": "one", "mesh": 0}, {"name": "two", "mesh": 1, "translation": [4, 0, 0]}, {"name": "goes"}, {"name": "stays"}],
        meshes=[{"name": name, "primitives": [{"attributes": {"POSITION": at}, "material": 1}]}
                for name, at in (("a", points[0]), ("b", points[1]), ("unused", unused))],
        materials=[{"name": "alone"}, {"name": "used"}], skins=[{"name": "bare", "joints": [2]}],
        animations=[{"name": "move", "samplers": [{"input": times, "output": line}, {"input": times, "output": turn}], "channels":
                     [{"sampler": 0, "target": {"node": 2, "path": "translation"}}, {"sampler": 1, "target": {"node": 3, "path": "rotation"}}]}])
    return document


def test_what_is_merged_and_dropped(start, tmp_path):
    (tmp_path / "a.gltf").write_text(repeated().text())
    server = start()
    _, glb = write_both(server, tmp_path, "a.gltf")
    document, said = glb.json, report(glb)
    assert [node.get("name") for node in document["nodes"][:4]] == ["one", "two", "goes", "stays"]
    assert [mesh["name"] for mesh in document["meshes"]] == ["a", "b"] and [one["name"] for one in document["materials"]] == ["used"]
    assert (said["materials"], said["skins"], said["meshes"]) == (["alone"], ["bare"], ["unused"]) and "skins" not in document
    assert len({mesh["primitives"][0]["attributes"]["POSITION"] for mesh in document["meshes"]}) == 1 and said["equal_arrays"] == 1
    assert said["vertices"] == [480, 240]  # equal pairs are one
    assert (said["keys"], said["still_channels"]) == ([182, 2], 1)
    assert [channel["target"]["node"] for channel in document["animations"][0]["channels"]] == [2]
    again = ask(server, "/v1/model", model="small.glb")["clips"][0]
    assert again["duration"] == 3
    for t in (0, 0.711, 1.5, 3):
        places = [ask(server, "/v1/pose", model=model, clip=0, t=t, what="scene", wrap="clamp", joints="2,3")["frames"][0]["scene"]
                  for model in ("plain.glb", "small.glb")]
        assert all(math.dist(a[12:15], b[12:15]) < SHARE * size_of(server, "plain.glb") for a, b in zip(*places))


def test_blended_triangles_keep_their_order(start, tmp_path):
    document = json.loads(sheet().text())
    document["materials"][0]["alphaMode"] = "BLEND"
    (tmp_path / "a.gltf").write_text(json.dumps(document))
    (tmp_path / "opaque.gltf").write_text(sheet().text())
    server = start()

    def centres(model):
        lists = ask(server, "/v1/mesh", model=model, clip="-", indices=1)
        values, indices = lists["frames"][0]["positions"][0], lists["indices"][0]
        corner = lambda i: values[3 * i:3 * i + 3]
        return [[sum(x) / 3 for x in zip(*map(corner, indices[t:t + 3]))] for t in range(0, len(indices), 3)]

    for model, is_kept in (("a.gltf", True), ("opaque.gltf", False)):
        write_both(server, tmp_path, model)
        size = size_of(server, "plain.glb")
        pairs = list(zip(centres("plain.glb"), centres("small.glb"), strict=True))
        assert all(math.dist(a, b) < SHARE * size for a, b in pairs) == is_kept


def test_clips_of_another_file(start, tmp_path):
    (tmp_path / "a.gltf").write_text(sheet().text())
    (tmp_path / "b.gltf").write_text(sheet().text().replace('"wave"', '"other"'))
    server = start()
    write_both(server, tmp_path, "a.gltf", clip_file="b.gltf")
    assert [clip["name"] for clip in ask(server, "/v1/model", model="small.glb")["clips"]] == ["wave", "other"]
    of_vertices, of_nodes = far(server, "plain.glb", "small.glb", [{"clip": "other", "t": t} for t in (0.3, 1.1)], 9, [("other", [0.3, 1.1])])
    assert of_vertices <= SHARE and of_nodes <= SHARE


def test_rotations_of_another_length(start, tmp_path):
    """Readers that do not normalise rotations enlarge by them: they stay floats."""
    document = Document(scene=0, scenes=[{"nodes": [0]}])
    points = document.add("VEC3", "f", [(1, 2, 3), (4, 2, 3), (1, 9, 3)], min=[1, 2, 3], max=[4, 9, 3])
    times = document.add("SCALAR", "f", [0, 1], min=[0], max=[1])
    turns = document.add("VEC4", "f", [(0, 0, 0, 1), (0, 0, 0.7069, 0.7069)])
    document.json.update(nodes=[{"name": "n", "mesh": 0}], meshes=[{"primitives": [{"attributes": {"POSITION": points}}]}],
                         animations=[{"samplers": [{"input": times, "output": turns}],
                                      "channels": [{"sampler": 0, "target": {"node": 0, "path": "rotation"}}]}])
    (tmp_path / "a.gltf").write_text(document.text())
    server = start()
    _, glb = write_both(server, tmp_path, "a.gltf")
    assert glb.json["accessors"][glb.json["animations"][0]["samplers"][0]["output"]]["componentType"] == 5126
    of_vertices, _ = far(server, "plain.glb", "small.glb", [{"clip": 0, "t": 1, "wrap": "clamp"}], 1, [])
    assert of_vertices <= report(glb)["share_of_size"] * 1.05


def test_a_pose_that_holds_keeps_its_times(start, tmp_path):
    """One key would do, but a clip lasts from its first key to its last."""
    document = Document(scene=0, scenes=[{"nodes": [0]}])
    times = document.add("SCALAR", "f", [0.5 + k / 8 for k in range(21)], min=[0.5], max=[3])
    held = document.add("VEC3", "f", [(1, 2, 3)] * 21)
    rest = document.add("VEC3", "f", [(1, 1, 1)] * 21)
    document.json.update(nodes=[{"name": "n"}], animations=[{"samplers": [{"input": times, "output": at} for at in (held, rest)], "channels":
                         [{"sampler": s, "target": {"node": 0, "path": path}} for s, path in ((0, "translation"), (1, "scale"))]}])
    (tmp_path / "a.gltf").write_text(document.text())
    server = start()
    _, glb = write_both(server, tmp_path, "a.gltf")
    assert (report(glb)["keys"], report(glb)["still_channels"]) == ([42, 2], 1)
    assert glb.key_times(0) == [0.5, 3]
    assert ask(server, "/v1/pose", model="small.glb", clip=0, t=2, what="scene")["frames"][0]["scene"][0][12:15] == [1, 2, 3]


def test_small_and_empty_models(start, tmp_path):
    (tmp_path / "a.gltf").write_text('{"asset":{"version":"2.0"},"nodes":[{"name":"alone"}],"scenes":[{"nodes":[0]}]}')
    (tmp_path / "b.gltf").write_text(gltf())
    point = Document(scene=0, scenes=[{"nodes": [0]}])
    at = point.add("VEC3", "f", [(5, 6, 7)], min=[5, 6, 7], max=[5, 6, 7])
    point.json.update(nodes=[{"mesh": 0}], meshes=[{"primitives": [{"attributes": {"POSITION": at}, "mode": 0}]}])
    (tmp_path / "c.gltf").write_text(point.text())
    server = start()
    for model in ("a.gltf", "b.gltf", "c.gltf"):
        _, glb = write_both(server, tmp_path, model)
        assert ask(server, "/v1/model", model="small.glb")["nodes"][0]["name"] == ask(server, "/v1/model", model=model)["nodes"][0]["name"]
        assert report(glb)["share_of_size"] <= SHARE
    assert positions(server, "small.glb") == positions(server, "c.gltf")


def test_the_work_has_a_limit(start, tmp_path):
    """Keys that many channels share are reduced once; others count as steps."""
    joints, keys = 40, 4000
    document = Document(scene=0, scenes=[{"nodes": list(range(joints))}])
    times = document.add("SCALAR", "f", [k / 30 for k in range(keys)], min=[0], max=[(keys - 1) / 30])
    halves = [[math.sin(k * k * 0.37 + j) for k in range(keys)] for j in range(joints)]
    turns = [document.add("VEC4", "f", [(math.sin(half) * 0.6, 0, math.sin(half) * 0.8, math.cos(half)) for half in row]) for row in halves]
    document.json.update(nodes=[{"name": f"j{j}", "translation": [0, j, 0]} for j in range(joints)],
                         animations=[{"samplers": [{"input": times, "output": turn} for turn in turns],
                                      "channels": [{"sampler": j, "target": {"node": j, "path": "rotation"}} for j in range(joints)]}])
    (tmp_path / "own.gltf").write_text(document.text())
    for sampler in document.json["animations"][0]["samplers"]:
        sampler["output"] = turns[0]
    (tmp_path / "shared.gltf").write_text(document.text())
    server = start("--max-evaluations", "150000")
    assert server.get("/v1/export?model=own.gltf").status == 200
    refused = server.get("/v1/export?model=own.gltf&optimize=1")
    assert refused.error() == "too_many_frames" and "takes" in refused.json()["error"]["message"]
    glb = export(server, "shared.gltf", optimize=1)[1].json
    rotations = glb["accessors"][glb["animations"][0]["samplers"][0]["output"]]
    assert glb["bufferViews"][rotations["bufferView"]]["extensions"]["EXT_meshopt_compression"]["filter"] == "QUATERNION"
    assert rotations["count"] == keys  # none is given by its neighbours


@pytest.mark.skipif(not SAMPLES.is_dir(), reason="no sample models")
@pytest.mark.parametrize("name, most", [("robot.glb", 0.11), ("dragon.glb", 0.13), ("octopus.glb", 0.26)])
def test_samples(start, tmp_path, name, most):
    (tmp_path / name).write_bytes((SAMPLES / name).read_bytes())
    server = start()
    data, glb = write_both(server, tmp_path, name, textures="none")
    assert len(data) < most * (tmp_path / "plain.glb").stat().st_size
    assert "TEXCOORD_0" in report(glb)["attributes"]
    estimate = server.get(query("/v1/export", model=name, textures="none", optimize=1, estimate=1)).json()["estimate"]
    assert 0.5 * len(data) < estimate["bytes"] < 2 * len(data)
    nodes = len(ask(server, "/v1/model", model=name)["nodes"])
    size = size_of(server, name)
    for clip, about in enumerate(ask(server, "/v1/model", model=name)["clips"]):
        times = [about["duration"] * k / 17 for k in range(18)]
        assert len(times) <= TIMES_AT_ONCE
        assert worst_of_clip(server, "plain.glb", "small.glb", (clip, clip), times, nodes, [], size / 10)[0] <= SHARE * size
    assert report(glb)["share_of_size"] <= SHARE


def test_a_texture_without_coordinates(start, tmp_path):
    """glTF requires coordinates of a material with a texture; an OBJ file need not have them."""
    (tmp_path / "a.mtl").write_text("newmtl wool\nmap_Kd skin.png\n")
    (tmp_path / "skin.png").write_bytes(png([[(255, 0, 0)]]))
    (tmp_path / "a.obj").write_text("mtllib a.mtl\nv 9 0 0\nv 10 0 0\nv 9 1 0\nusemtl wool\nf 1 2 3\n")
    glb = export(start(), "a.obj", optimize=1, compress="none")[1]
    primitive, = glb.json["meshes"][0]["primitives"]
    assert "baseColorTexture" in glb.json["materials"][primitive["material"]]["pbrMetallicRoughness"]
    assert glb.values(primitive["attributes"]["TEXCOORD_0"]) == [0] * 6
