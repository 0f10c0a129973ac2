"""/v1/compare: a change is reported with its joint and time. Files that only differ in notation are equal."""
import base64
import copy
import json
import struct

import pytest

from importers import NO_RENDERING
from rigs import CLIPS, HALF, RIG, Writer, character

DRAWS = False

pytestmark = pytest.mark.short
OLD = character(CLIPS)


def rig(clips=CLIPS, nodes=RIG, order=("root", "hip", "knee", "toe")):
    writer = Writer()
    writer.rig(list(order), nodes)
    writer.skin()
    writer.clips(clips)
    return writer.text()


def document(change, text=OLD):
    value = json.loads(text)
    change(value)
    return json.dumps(value)


def turned(rows, key, rotation):
    out = copy.deepcopy(rows)
    out[key] = rotation
    return out


@pytest.fixture
def compare(start, tmp_path):
    """(new text, old text, query) -> the answer."""
    root = tmp_path / "root"
    root.mkdir()
    server = start(*NO_RENDERING, root=root)
    count = iter(range(1000))

    def ask(new, old=OLD, **query):
        number = next(count)
        for name, text in (("new", new), ("old", old)):
            (root / f"{name}{number}.gltf").write_text(text)
        return server.json("/v1/compare", model=f"new{number}.gltf", **{"with": f"old{number}.gltf"}, **query)
    ask.server, ask.root = server, root
    return ask


def kinds(answer):
    return [(difference["kind"], difference["subject"].get("joint")) for difference in answer["differences"]]


def test_the_same_file_is_equal(compare):
    answer = compare(OLD)
    assert answer["equal"] and answer["differences"] == [] and answer["left_out"] == {}
    assert [(clip["name"], clip["duration_s"], clip["worst"]["distance"]) for clip in answer["clips"]] == [
        ("stand", [0.5, 0.5], 0), ("run", [0.5, 0.5], 0)]
    assert answer["size"] > 1 and answer["tolerance"] == 0.001 and not answer["unit_converted"]


def test_written_otherwise_is_equal(compare):
    """Another order, a node above everything, sanitised names, signs of quaternions."""
    assert compare(rig(order=("toe", "knee", "hip", "root")))["equal"]

    def wrap(value):
        value["nodes"].append({"name": "Armature", "children": value["scenes"][0]["nodes"]})
        value["scenes"][0]["nodes"] = [len(value["nodes"]) - 1]
    assert compare(document(wrap))["equal"]
    more = {**RIG, "knee.L [x]": RIG["knee"], "toe": ("knee.L [x]", RIG["toe"][1])}
    del more["knee"]
    as_three = {**RIG, "kneeL_x": RIG["knee"], "toe": ("kneeL_x", RIG["toe"][1])}
    del as_three["knee"]

    def named(nodes, knee):
        clips = {"stand": CLIPS["stand"]}
        writer = Writer()
        writer.rig(["root", "hip", knee, "toe"], nodes)
        writer.names = ["root", "hip", "knee", "toe"]
        writer.skin()
        writer.clips(clips)
        return writer.text()
    assert compare(named(as_three, "kneeL_x"), named(more, "knee.L [x]"))["equal"]
    signs = {**CLIPS, "run": {**CLIPS["run"], ("hip", "rotation"): [[0, 0, 0, -1], [0, -HALF, 0, -HALF]]}}
    assert compare(rig(signs))["equal"]


@pytest.mark.parametrize("joint", ["hip", "knee"])
def test_a_key_is_told_with_joint_and_time(compare, joint):
    rows = CLIPS["run"][joint, "rotation"]
    x, y, z, w = rows[1]
    s, c = 0.0697565, 0.9975641  # 8 degrees about x
    changed = {**CLIPS, "run": {**CLIPS["run"], (joint, "rotation"): turned(
        rows, 1, [x * c + w * s, y * c + z * s, z * c - y * s, w * c - x * s])}}
    answer = compare(rig(changed))
    assert kinds(answer) == [("pose", joint)] and not answer["equal"]
    told = answer["differences"][0]
    assert told["subject"]["clip"] == "run" and told["time_s"] == 0.5 and told["distance"] > 0.01 and told["share"] > 0.001
    # the scales above a joint shear the rotations below it
    assert 2 < told["angle_deg"] < 20 and f"joint '{joint}'" in told["message"] and "at 0.5 s" in told["message"]
    assert answer["clips"][1]["worst"]["time_s"] == 0.5 and answer["clips"][0]["worst"]["distance"] == 0


def test_names_and_parents(compare):
    def rename(value):
        value["nodes"][2]["name"] = "patella"
    answer = compare(document(rename))
    assert kinds(answer) == [("joint_renamed", "patella")]
    assert (answer["differences"][0]["old"], answer["differences"][0]["new"]) == ("knee", "patella")

    def prefix(value):
        for node in value["nodes"]:
            node["name"] = "mixamorig:" + node["name"]
    # all are renamed; the skinned mesh is not a joint
    assert sorted(kinds(compare(document(prefix)))) == sorted(("joint_renamed", "mixamorig:" + name) for name in ("hip", "knee", "toe"))
    moved = {**RIG, "toe": ("hip", RIG["toe"][1])}
    told = [d for d in compare(rig(nodes=moved))["differences"] if d["kind"] == "joint_reparented"]
    assert [(d["subject"]["joint"], d["old"], d["new"]) for d in told] == [("toe", "knee", "hip")]


def test_joints_come_and_go(compare):
    def remove(value):
        value["nodes"][2]["children"] = []
        value["nodes"][3] = {"name": "other", "translation": [9, 9, 9]}
        value["skins"][0]["joints"] = [2, 1, 1]
    answer = compare(document(remove))
    assert ("joint_removed", "toe") in kinds(answer)
    assert ("joint_added", "toe") in kinds(compare(OLD, document(remove)))


def test_clips(compare):
    def first(name):
        def change(value):
            value["animations"][0]["name"] = name
        return change
    told = compare(document(first("idle")))["differences"]
    assert [(d["kind"], d["old"], d["new"]) for d in told] == [("clip_renamed", "stand", "idle")]
    gone = compare(rig({"run": CLIPS["run"]}))["differences"]
    assert [(d["kind"], d["subject"]["clip"]) for d in gone] == [("clip_removed", "stand")]
    come = compare(OLD, rig({"run": CLIPS["run"]}))["differences"]
    assert [(d["kind"], d["subject"]["clip"]) for d in come] == [("clip_added", "stand")]
    assert compare(OLD, rig({"run": CLIPS["run"]}), clip="run")["equal"]


def test_a_clip_is_longer(compare, monkeypatch):
    monkeypatch.setattr("rigs.DURATION", 0.75)
    longer = rig()
    told = [d for d in compare(longer)["differences"] if d["kind"] == "clip_length"]
    assert [(d["subject"]["clip"], d["old"], d["new"]) for d in told] == [("stand", 0.5, 0.75), ("run", 0.5, 0.75)]


def test_tolerance_and_rest(compare):
    nodes = {**RIG, "hip": ("root", {"translation": [0, 1.3, 0]})}
    clips = {"run": CLIPS["run"]}
    answer = compare(rig(clips, nodes), rig(clips))
    assert kinds(answer) == [("rest", "hip")] and answer["differences"][0]["distance"] == pytest.approx(0.3, rel=1e-5)
    assert compare(rig(clips, nodes), rig(clips), tolerance=0.5)["equal"]


def test_units_and_axes_are_converted_in_the_root(compare):
    """A node above everything that scales by 100 changes the size, because glTF is in metres."""
    def scale(value):
        value["nodes"].append({"scale": [100, 100, 100], "children": value["scenes"][0]["nodes"]})
        value["scenes"][0]["nodes"] = [len(value["nodes"]) - 1]
    assert not compare(document(scale))["equal"]


def test_requests(compare):
    server = compare.server
    compare(OLD)
    ask = "/v1/compare?model=new0.gltf&with="
    answer = server.get(ask + "old0.gltf")
    assert answer.headers["etag"] and server.get(ask + "old0.gltf", f"If-None-Match: {answer.headers['etag']}").status == 304
    (compare.root / "old0.gltf").write_text(rig({"run": CLIPS["run"]}))
    changed = server.get(ask + "old0.gltf", f"If-None-Match: {answer.headers['etag']}")
    assert changed.status == 200 and not changed.json()["equal"]
    for target, status, code, word in ((ask + "none.gltf", 404, "model_not_found", "none.gltf"), ("/v1/compare?model=none.gltf&with=old0.gltf", 404, "model_not_found", "none.gltf"),
                                       ("/v1/compare?model=new0.gltf", 400, "missing_parameter", "with"), (ask + "../a", 400, "bad_path", "with"),
                                       (ask + "old0.gltf&tolerance=0", 400, "bad_parameter", "tolerance"), (ask + "old0.gltf&clip=nope", 404, "clip_not_found", "nope")):
        refused = server.get(target)
        assert (refused.status, refused.error()) == (status, code), target
        assert word in refused.json()["error"]["message"]


def test_a_server_of_few_steps_says_so(start, tmp_path):
    root = tmp_path / "root"
    root.mkdir()
    (root / "a.gltf").write_text(OLD)
    server = start(*NO_RENDERING, "--max-evaluations", "40", root=root)
    answer = server.json("/v1/compare", model="a.gltf", **{"with": "a.gltf"})
    assert sum(clip["left_out"] for clip in answer["clips"]) > 0
    few = start(*NO_RENDERING, "--max-evaluations", "10", root=root)
    assert few.get("/v1/compare?model=a.gltf&with=a.gltf").error() == "too_many_frames"


# --- what is drawn ---

def surface(weights=((0.25, 0.75, 0, 0),) * 6, positions=None, indices=(0, 1, 2, 2, 1, 3, 4, 0, 5), material=None, order=range(6)):
    """The rig with triangles. `order` changes the order of the vertices."""
    writer = Writer()
    writer.rig(["root", "hip", "knee", "toe"])
    writer.skin()
    writer.clips(CLIPS)
    primitive = writer.document["meshes"][0]["primitives"][0]
    positions = positions or [(0, 0, 0), (1, 0, 0), (0, 2, 0), (1, 2, 3), (-1, 1, 1), (0.5, -2, 1)]
    place = {vertex: at for at, vertex in enumerate(order)}
    primitive["attributes"] = {
        "POSITION": writer.accessor([positions[i] for i in order], "VEC3"),
        "JOINTS_0": writer.accessor([(i % 3, (i + 1) % 3, 0, 0) for i in order], "VEC4", 5121, "B"),
        "WEIGHTS_0": writer.accessor([weights[i] for i in order], "VEC4")}
    primitive["indices"] = writer.accessor([place[i] for i in indices], "SCALAR", 5123, "H")
    writer.document["materials"] = [{"name": "cloth", "doubleSided": True, **(material or {})}]
    return writer.text()


def test_vertices_in_another_order_are_equal(compare):
    assert compare(surface(order=(5, 3, 1, 0, 2, 4), indices=(2, 1, 3, 0, 5, 4, 1, 2, 0)), surface())["equal"]
    tiny = [(0.2499, 0.7501, 0, 0)] * 6
    assert compare(surface(weights=tiny), surface())["equal"]


def test_weights_are_told_with_joint_and_mesh(compare):
    weights = [(0.25, 0.75, 0, 0)] * 5 + [(0.35, 0.65, 0, 0)]
    told = compare(surface(weights=weights), surface())["differences"]
    # vertex 5 follows joints 2 (toe) and 0 (knee)
    assert sorted((d["kind"], d["subject"]["joint"], round(d["old"], 6), round(d["new"], 6)) for d in told) == [
        ("weights", "knee", 0.75, 0.65), ("weights", "toe", 0.25, 0.35)]
    assert all(d["subject"]["meshes"] == [0, 0] for d in told)


def test_triangles_and_vertices(compare):
    told = compare(surface(indices=(0, 1, 2, 2, 1, 3)), surface())["differences"]
    # no triangle has the last two vertices any longer
    assert [(d["kind"], d["old"], d.get("new"), d["subject"]["meshes"]) for d in told] == [("mesh", 2, None, [0, None]), ("triangles", 3, 2, [0, 0])]

    def bind(value):
        matrices = value["skins"][0]["inverseBindMatrices"]
        view = value["bufferViews"][value["accessors"][matrices]["bufferView"]]
        head, data = value["buffers"][0]["uri"].split(",")
        data = bytearray(base64.b64decode(data))
        data[view["byteOffset"] + 48:view["byteOffset"] + 52] = struct.pack("<f", 0.3)  # of the knee: 0.3 along x
        value["buffers"][0]["uri"] = f"{head},{base64.b64encode(data).decode()}"
    told = compare(document(bind, surface()), surface())["differences"]
    assert ("rest", "knee") in [(d["kind"], d["subject"].get("joint")) for d in told]
    moved = [(0, 0, 0), (1, 0, 0), (0, 2, 0), (1, 2, 3.2), (-1, 1, 1), (0.5, -2, 1)]
    told = compare(surface(positions=moved), surface())["differences"]
    assert [(d["kind"], d["subject"]["meshes"]) for d in told] == [("mesh", [0, 0])] and "1 vertex is elsewhere" in told[0]["message"]


@pytest.mark.parametrize("material, word", [
    ({"pbrMetallicRoughness": {"roughnessFactor": 0.5}}, "roughness"), ({"doubleSided": False}, "double sided"),
    ({"alphaMode": "BLEND"}, "alpha mode"), ({"emissiveFactor": [0.2, 0, 0]}, "emissive"), ({"name": "silk"}, "silk"),
    ({"pbrMetallicRoughness": {"baseColorFactor": [1, 0.9, 1, 1]}}, "base colour"), ({"extensions": {"KHR_materials_unlit": {}}}, "unlit")])
def test_materials(compare, material, word):
    told = compare(surface(material=material), surface())["differences"]
    assert [d["kind"] for d in told] == ["material"] and word in told[0]["message"]
    assert told[0]["subject"]["material"] == material.get("name", "cloth")


def test_a_factor_that_was_rounded_is_equal(compare):
    near = {"pbrMetallicRoughness": {"baseColorFactor": [1, 0.9965, 1, 1], "roughnessFactor": 0.997}}
    assert compare(surface(material=near), surface())["equal"]


def face(names=("smile", "blink"), delta=0.5, weights=((0, 0), (1, 0.5)), rest=(0.25, 0)):
    """A triangle with two morph targets that a clip moves, on a rotated, unevenly scaled node."""
    writer = Writer()
    times = writer.accessor([0, 1], "SCALAR")
    targets = [{"POSITION": writer.accessor([(0, 0, 0), (0, 0, 0), offset], "VEC3")} for offset in ((0, delta, 0), (0.2, 0, 0.1))]
    primitive = {"attributes": {"POSITION": writer.accessor([(0, 0, 0), (1, 0, 0), (0, 1, 0)], "VEC3")}, "targets": targets}
    writer.document.update(
        nodes=[{"name": "head", "mesh": 0, "rotation": [0, 0, HALF, HALF], "scale": [2, 1, 0.5], "translation": [5, -1, 2], "weights": list(rest)}],
        meshes=[{"name": "face", "primitives": [primitive], "extras": {"targetNames": list(names)}}], scenes=[{"nodes": [0]}], scene=0,
        animations=[{"name": "talk", "channels": [{"sampler": 0, "target": {"node": 0, "path": "weights"}}],
                     "samplers": [{"input": times, "output": writer.accessor([w for key in weights for w in key], "SCALAR")}]}])
    return writer.text()


def test_morph_targets(compare):
    assert compare(face(), face())["equal"]
    told = compare(face(weights=((0, 0), (1, 0.75))), face())["differences"]
    assert [(d["kind"], d["subject"]["clip"], d["subject"]["mesh"], d["time_s"]) for d in told] == [("pose", "talk", "face", 1)]
    assert "'blink'" in told[0]["message"] and told[0]["distance"] > 0.01
    told = compare(face(names=("smile", "wink")), face())["differences"]
    assert [d["kind"] for d in told] == ["morph_targets"] and "'blink'" in told[0]["message"]
    told = compare(face(delta=0.6), face())["differences"]
    assert [d["kind"] for d in told] == ["morph_targets"] and "'smile'" in told[0]["message"]


def test_the_pose_of_the_moment_may_be_the_rest_pose(compare):
    """Blender writes nodes that a clip moves in this way."""
    run = {channel: rows[::-1] for channel, rows in CLIPS["run"].items()}  # it does not begin as RIG rests
    clips = {"run": run}

    def at_rest(key):
        nodes = dict(RIG)
        for name in ("hip", "knee"):
            parts = {path: run[name, path][key] for path in ("translation", "rotation", "scale") if (name, path) in run}
            nodes[name] = (RIG[name][0], {**RIG[name][1], **parts})
        return rig(clips, nodes)
    half = {**RIG, "hip": ("root", {"translation": [0.5, 2, -1]})}  # not a pose of the first frames
    assert compare(at_rest(0), rig(clips))["equal"]
    assert {d["kind"] for d in compare(rig(clips, half), rig(clips))["differences"]} == {"rest"}


def test_triangles_that_many_nodes_draw_again_and_again(start, tmp_path):
    """A mesh of three vertices and millions of indices, at thousands of nodes: not all of its triangles are compared, and the answer says
    so."""
    nodes, indices = 30000, 3000000
    points = struct.pack("<9f", 0, 0, 0, 1, 0, 0, 0, 1, 2)
    data = points + bytes([0, 1, 2]) * (indices // 3)
    model = {"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": list(range(nodes))}], "nodes": [{"mesh": 0, "name": f"n{i}"} for i in range(nodes)],
             "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
             "accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3", "min": [0, 0, 0], "max": [1, 1, 2]},
                           {"bufferView": 1, "componentType": 5121, "count": indices, "type": "SCALAR"}],
             "bufferViews": [{"buffer": 0, "byteLength": 36}, {"buffer": 0, "byteOffset": 36, "byteLength": indices}],
             "buffers": [{"byteLength": len(data), "uri": "data:application/octet-stream;base64," + base64.b64encode(data).decode()}]}
    (tmp_path / "a.gltf").write_text(json.dumps(model))
    answer = start(*NO_RENDERING).json("/v1/compare", model="a.gltf", **{"with": "a.gltf"})
    assert answer["equal"] and answer["left_out"]["vertices"] > 0
