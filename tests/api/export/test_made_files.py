"""Files made for features of formats other than glTF, and for rare ones of glTF: exported, read again, and compared at a vertex."""
import json
import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "oracle"))
import random_fbx
from round_trip import Glb, check, query
from small_fbx import TICKS_PER_S
from test_export import Document, export, positions, warnings

DRAWS = False


def near(server, a, b, exact, **parameters):
    """Every vertex of every mesh is where it was."""
    for x, y in zip(positions(server, a, **parameters), positions(server, b, **parameters), strict=True):
        assert y == pytest.approx(x, abs=exact), parameters


# --- FBX ---

class Fbx(random_fbx.Writer):
    """A mesh with two points on a bone, one on the next and one on both, which rotates: everything in which a dual quaternion differs."""

    def __init__(self, method="Linear", curve=((0, 0), (1, 90)), bone=(), stop_s=None):
        super().__init__(1)
        rows = [("Lcl Translation", "Lcl Translation", [3.0, -1.0, 2.0]), ("Lcl Rotation", "Lcl Rotation", [20.0, 30.0, 40.0]),
                ("Lcl Scaling", "Lcl Scaling", [2.0, 2.0, 2.0])]
        self.top = self.node("top", "Null", rows, 0)
        self.mesh = self.node("mesh", "Mesh", [], self.top)
        self.root = self.node("root", "LimbNode", [("Lcl Translation", "Lcl Translation", [0.5, 0.0, 0.0])], self.top)
        self.tip = self.node("tip", "LimbNode", [("Lcl Translation", "Lcl Translation", [1.0, 0.0, 0.0]), *bone], self.root)
        geometry = self.add("Geometry", "", "Mesh", random_fbx.array("Vertices", [0, 0, 0, 1, 0, 0.5, 2, 1, 0, 1, 1, 1.0])
                            + random_fbx.array("PolygonVertexIndex", [0, 1, -3, 1, 2, -4]) + "GeometryVersion: 124\n")
        self.link(geometry, self.mesh)
        self.skin(geometry, method)
        self.turn(curve, stop_s)

    def node(self, name, kind, rows, parent):
        node = self.add("Model", name, kind, "Version: 232\n" + random_fbx.properties(rows))
        self.link(node, parent)
        return node

    def skin(self, geometry, method):
        skin = self.add("Deformer", "skin", "Skin", f'Version: 101\nSkinningType: "{method}"\n')
        self.link(skin, geometry)
        for bone, x, weights in ((self.root, 0.5, {0: 1.0, 1: 0.5, 3: 0.25}), (self.tip, 1.5, {1: 0.5, 2: 1.0, 3: 0.75})):
            bind = [1.0 if i % 5 == 0 else 0.0 for i in range(16)]
            link, bind[12] = bind[:12] + [x, 0.0, 0.0, 1.0], -x
            body = random_fbx.array("Indexes", list(weights)) + random_fbx.array("Weights", list(weights.values()))
            cluster = self.add("Deformer", "", "Cluster", "Version: 100\n" + body + random_fbx.array("Transform", bind)
                               + random_fbx.array("TransformLink", link), "SubDeformer")
            self.link(cluster, skin)
            self.link(bone, cluster)

    def turn(self, curve, stop_s):
        """The tip about z, by (seconds or ticks, degrees), linear between keys."""
        ticks = [time if isinstance(time, int) and time > 1000 else round(time * TICKS_PER_S) for time, _ in curve]
        span = [] if stop_s is None else [("LocalStart", "KTime", [0]), ("LocalStop", "KTime", [stop_s * TICKS_PER_S])]
        stack, layer = self.add("AnimationStack", "bend", "", random_fbx.properties(span), "AnimStack"), self.add("AnimationLayer", "base", "", prefix="AnimLayer")
        values = self.add("AnimationCurveNode", "R", "", random_fbx.properties([("d|Z", "Number", [0.0])]), "AnimCurveNode")
        body = (f"Default: 0\nKeyVer: 4008\n" + random_fbx.array("KeyTime", ticks) + random_fbx.array("KeyValueFloat", [y for _, y in curve])
                + random_fbx.array("KeyAttrFlags", [4]) + random_fbx.array("KeyAttrDataFloat", [0, 0, 0, 0])
                + random_fbx.array("KeyAttrRefCount", [len(curve)]))
        keys = self.add("AnimationCurve", "", "", body, "AnimCurve")
        self.link(layer, stack)
        self.link(values, layer)
        self.link(values, self.tip, "Lcl Rotation")
        self.link(keys, values, "d|Z")

    def text(self):
        head = "; FBX 7.4.0 project file\nFBXHeaderExtension:  {\nFBXVersion: 7400\n}\nGlobalSettings:  {\nVersion: 1000\n"
        return head + ('Properties70:  {\nP: "UpAxis", "int", "Integer", "",1\nP: "UnitScaleFactor", "double", "Number", "",100\n}\n}\n'
                       + "Objects:  {\n" + "".join(self.objects) + "}\nConnections:  {\n" + "".join(self.links) + "}\n")


def test_dual_quaternions_are_refused_or_approximated(start, tmp_path):
    (tmp_path / "linear.fbx").write_text(Fbx().text())
    (tmp_path / "dual.fbx").write_text(Fbx("DualQuaternion").text())
    server = start()
    data, glb = export(server, "linear.fbx")
    (tmp_path / "linear.glb").write_bytes(data)
    assert warnings(glb) == [] and check(server, "linear.fbx", "linear.glb", glb) < 2e-6
    answer = server.get("/v1/export?model=dual.fbx&exact=1")
    assert (answer.status, answer.error()) == (422, "not_in_gltf")
    assert "'skin' moves its vertices by dual quaternions" in answer.json()["error"]["message"]
    data, glb = export(server, "dual.fbx")
    (tmp_path / "dual.glb").write_bytes(data)
    said, = glb.json["asset"]["extras"]["warnings"]
    assert said["code"] == "linear_skinning"
    for time in (0, 0.5, 1):  # the file has the result of linear blending
        near(server, "linear.fbx", "dual.glb", 2e-5, clip="bend", t=time, wrap="clamp")
    worst = max(abs(x - y) for a, b in zip(positions(server, "dual.fbx", t=1, wrap="clamp"), positions(server, "dual.glb", t=1, wrap="clamp"))
                for x, y in zip(a, b))
    assert worst > 0.02  # which differs from the model's place
    off = float(said["message"].split("off by ")[1].split()[0])
    assert worst <= off * 1.01 and off < 4 * worst
    assert server.json("/v1/compare", model="dual.glb", **{"with": "linear.fbx"})["equal"]
    told, = server.json("/v1/compare", model="dual.glb", **{"with": "dual.fbx"})["differences"]
    assert told["kind"] == "weights" and told["message"].endswith("follow joints by linear blending, and did by dual quaternions"), told


def test_key_times_that_are_no_floats(start, tmp_path):
    """Half an hour into a take, floats are 0.1 ms apart: keys at ticks between them, and fast rotations."""
    later = [(round((1800 + i / 29.97 + 0.00003) * TICKS_PER_S), 80 * (i % 2)) for i in range(12)]
    (tmp_path / "a.fbx").write_text(Fbx(curve=[(0, 0), *later]).text())
    server = start()
    data, glb = export(server, "a.fbx")
    (tmp_path / "b.glb").write_bytes(data)
    said, = glb.json["asset"]["extras"]["warnings"]
    assert said["code"] == "key_times_rounded"
    off = float(said["message"].split(" of the model's size")[0].split("(")[1])
    assert off / 4 < check(server, "a.fbx", "b.glb", glb, exact=1.01 * off) and 1e-4 < off < 0.01
    told, = glb.json["asset"]["extras"]["approximations"]
    assert {name: told[name] for name in said} == said and told["share_of_size"] == pytest.approx(off, rel=0.1)
    answer = server.get("/v1/export?model=a.fbx&exact=1")
    assert (answer.status, answer.error()) == (422, "not_in_gltf")
    assert "key times that 32 bit floats are too far from" in answer.json()["error"]["message"]
    near(server, "a.fbx", "b.glb", 1e-4, clip="bend", t=900)


def test_sampled_keys_are_at_floats(start, tmp_path):
    """Each has the motion at the time that the file keeps, however late."""
    later = [(round((1800 + i / 7) * TICKS_PER_S), 80 * (i % 2)) for i in range(12)]
    (tmp_path / "a.fbx").write_text(Fbx(curve=[(0, 0), *later]).text())
    server = start()
    data, glb = export(server, "a.fbx", fps=29.97)
    (tmp_path / "b.glb").write_bytes(data)
    times = glb.key_times(0)
    assert warnings(glb) == [] and len(times) > 50000
    for time in times[-40:]:
        near(server, "a.fbx", "b.glb", 2e-6, clip="bend", t=repr(time), wrap="clamp")


def test_keys_side_by_side_stay_in_order(start, tmp_path):
    """Two keys a tick apart have the same float: the value jumps there, in the file too."""
    at = round(1000 * TICKS_PER_S)
    (tmp_path / "a.fbx").write_text(Fbx(curve=[(0, 0), (at, 10), (at + 1, 80), (1001, 90)]).text())
    server = start()
    data, glb = export(server, "a.fbx")
    (tmp_path / "b.glb").write_bytes(data)
    times = glb.key_times(0)
    assert times == sorted(set(times)) and times[0] == 0
    for time in (500, 999.9, 1000.1, 1000.9):
        near(server, "a.fbx", "b.glb", 1e-2, clip="bend", t=time)


def test_a_clip_that_goes_on_after_its_last_key(start, tmp_path):
    (tmp_path / "a.fbx").write_text(Fbx(stop_s=3).text())
    server = start()
    data, glb = export(server, "a.fbx")
    (tmp_path / "b.glb").write_bytes(data)
    for name in ("a.fbx", "b.glb"):
        assert server.get(query("/v1/model", model=name)).json()["clips"][0]["duration"] == 3, name
    for time_s in (0.5, 1.5, 3.25):  # before the last key, after it, and in the repetition
        near(server, "a.fbx", "b.glb", 1e-5, clip=0, t=time_s, wrap="loop")


def test_cameras_that_look_along_x(start, tmp_path):
    fbx = Fbx()
    eye = fbx.node("eye", "Camera", [("Lcl Translation", "Lcl Translation", [1.0, 2.0, 3.0])], fbx.top)
    attribute = fbx.add("NodeAttribute", "eye", "Camera", random_fbx.properties(
        [("FieldOfView", "Number", [40.0]), ("NearPlane", "double", [0.5]), ("FarPlane", "double", [50.0])]) + 'TypeFlags: "Camera"\n')
    fbx.link(attribute, eye)
    (tmp_path / "a.fbx").write_text(fbx.text())
    server = start()
    data, glb = export(server, "a.fbx")
    (tmp_path / "b.glb").write_bytes(data)
    views = [node for node in glb.json["nodes"] if "camera" in node]
    assert len(views) == len(glb.json["cameras"]) == 1 and "name" not in views[0]
    x, y, z, w = views[0]["rotation"]
    assert [-(2 * x * z + 2 * w * y), -(2 * y * z - 2 * w * x), -(1 - 2 * x * x - 2 * y * y)] == pytest.approx([1, 0, 0], abs=1e-6)  # of -z
    assert [node["name"] for node in glb.json["nodes"] if glb.json["nodes"].index(views[0]) in node.get("children", [])] == ["eye"]
    cameras = [server.json("/v1/model", model=model)["cameras"][0] for model in ("a.fbx", "b.glb")]
    assert [camera["name"] for camera in cameras] == ["eye", "eye"]
    a, b = (server.get(query("/v1/render", model=model, camera="eye", width=48, height=48, clip="-")).status for model in ("a.fbx", "b.glb"))
    assert a == b


# --- BVH ---

def bvh(frame_time, frames):
    rows = "".join(f"{frame} 1 2 {10 * frame} 20 0\n" for frame in range(frames))
    return ("HIERARCHY\nROOT hip\n{\nOFFSET 0 0 0\nCHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation\n"
            "End Site\n{\nOFFSET 0 5 0\n}\n}\n" + f"MOTION\nFrames: {frames}\nFrame Time: {frame_time}\n{rows}")


@pytest.mark.parametrize("frame_time", ["0.0333333", "0.00833333", "33.3333333"])
def test_motion_capture(start, tmp_path, frame_time):
    (tmp_path / "a.bvh").write_text(bvh(frame_time, 40))
    server = start()
    data, glb = export(server, "a.bvh")
    (tmp_path / "b.glb").write_bytes(data)
    assert check(server, "a.bvh", "b.glb", glb) < 2e-6
    assert set(warnings(glb)) <= {"unit", "up_axis"}


# --- glTF ---

TURNED = {"translation": [3, -1, 2], "rotation": [0.5, 0.5, 0.5, 0.5], "scale": [1, 2, 3]}


def test_many_joints_of_a_vertex_and_one_named_twice(start, tmp_path):
    """Seven joints of one vertex need two sets. A joint that the skin names twice, with two bind matrices, gets a node for each."""
    document = Document(scene=0)
    points = document.add("VEC3", "f", [(0, 0, 0), (1, 0, 0), (0, 1, 2)], min=[0, 0, 0], max=[1, 1, 2])
    joints = [document.add("VEC4", "B", [row] * 3) for row in ((0, 1, 2, 3), (4, 5, 6, 7))]
    weights = [document.add("VEC4", "f", [row] * 3) for row in ((0.25, 0.125, 0.125, 0.125), (0.125, 0.125, 0.125, 0))]
    binds = document.add("MAT4", "f", [[1 + x, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0.5 * x, 1, -x, 1] for x in range(8)])
    document.json.update(
        scenes=[{"nodes": [0]}], meshes=[{"primitives": [{"attributes": {
            "POSITION": points, "JOINTS_0": joints[0], "WEIGHTS_0": weights[0], "JOINTS_1": joints[1], "WEIGHTS_1": weights[1]}}]}],
        nodes=[{"name": "top", **TURNED, "children": [1, 2, 3, 4, 5, 6, 7]}, {"name": "body", "mesh": 0, "skin": 0}]
        + [{"name": f"j{i}", "translation": [i, 0, 1], "scale": [1, 1 + i, 1]} for i in range(6)],
        skins=[{"joints": [0, 2, 3, 4, 5, 6, 7, 7], "inverseBindMatrices": binds}])
    (tmp_path / "a.gltf").write_text(document.text())
    server = start()
    answer = server.get("/v1/export?model=a.gltf")
    assert answer.status == 200, answer.body[:300]
    glb = Glb(answer.body)
    (tmp_path / "b.glb").write_bytes(answer.body)
    assert check(server, "a.gltf", "b.glb", glb) < 2e-6
    near(server, "a.gltf", "b.glb", 2e-5, clip="-")
    attributes = glb.json["meshes"][0]["primitives"][0]["attributes"]
    assert sorted(attributes) == ["JOINTS_0", "JOINTS_1", "POSITION", "WEIGHTS_0", "WEIGHTS_1"]
    assert sum(glb.rows(attributes["WEIGHTS_0"])[0] + glb.rows(attributes["WEIGHTS_1"])[0]) == 1
    named = glb.json["skins"][0]["joints"]
    assert len(named) == len(set(named)) == 8 and glb.json["nodes"][7]["children"] == [named[7]]


def small(**more):
    document = Document(scene=0)
    points = document.add("VEC3", "f", [(0, 0, 0), (1, 0, 0), (0, 1, 2), (1, 1, 1)], min=[0, 0, 0], max=[1, 1, 2])
    document.json.update(scenes=[{"nodes": [0]}], nodes=[{"name": "turned", "mesh": 0, **TURNED}],
                         meshes=[{"primitives": [{"attributes": {"POSITION": points}, "mode": mode} for mode in (0, 1, 2, 3, 4, 5, 6)]}])
    document.json.update(more)
    return document


def test_points_and_lines(start, tmp_path):
    (tmp_path / "a.gltf").write_text(small().text())
    server = start()
    data, glb = export(server, "a.gltf")
    (tmp_path / "b.glb").write_bytes(data)
    assert {primitive.get("mode", 4) for primitive in glb.json["meshes"][0]["primitives"]} == {0, 1, 4}
    near(server, "a.gltf", "b.glb", 1e-6, clip="-")
    assert server.json("/v1/compare", model="b.glb", **{"with": "a.gltf"})["equal"]


def test_variants(start, tmp_path):
    document = small(materials=[{"name": "red"}, {"name": "blue"}, {"name": "green", "doubleSided": True}],
                     extensionsUsed=["KHR_materials_variants"],
                     extensions={"KHR_materials_variants": {"variants": [{"name": "day"}, {"name": "night"}, {"name": "dusk"}]}})
    mappings = [{"material": 1, "variants": [0, 2]}, {"material": 2, "variants": [1]}]
    document.json["meshes"][0]["primitives"][4].update(material=0, extensions={"KHR_materials_variants": {"mappings": mappings}})
    (tmp_path / "a.gltf").write_text(document.text())
    server = start()
    data, glb = export(server, "a.gltf")
    (tmp_path / "b.glb").write_bytes(data)
    assert [v["name"] for v in glb.json["extensions"]["KHR_materials_variants"]["variants"]] == ["day", "night", "dusk"]
    said = glb.json["meshes"][0]["primitives"][4]["extensions"]["KHR_materials_variants"]["mappings"]
    assert {v: one["material"] for one in said for v in one["variants"]} == {0: 1, 2: 1, 1: 2}
    assert [m["name"] for m in glb.json["materials"]] == ["red", "blue", "green"]
    a, b = (server.json("/v1/model", model=model) for model in ("a.gltf", "b.glb"))
    assert a["variants"] == b["variants"]


def test_clips_of_one_name_and_of_nothing(start, tmp_path):
    document = small()
    times = document.add("SCALAR", "f", [0.5, 1], min=[0.5], max=[1])
    places = [document.add("VEC3", "f", [(0, 0, 0), (x, 0, 0)]) for x in (4, 8)]
    document.json["animations"] = [{"name": "go", "samplers": [{"input": times, "output": place}],
                                    "channels": [{"sampler": 0, "target": {"node": 0, "path": "translation"}}]} for place in places]
    document.json["animations"].insert(1, {"name": "nothing", "samplers": [{"input": times, "output": places[0]}],
                                           "channels": [{"sampler": 0, "target": {"path": "scale"}}]})
    (tmp_path / "a.gltf").write_text(document.text())
    server = start()
    data, glb = export(server, "a.gltf")
    (tmp_path / "b.glb").write_bytes(data)
    assert [clip["name"] for clip in glb.json["animations"]] == ["go", "nothing", "go"]
    assert check(server, "a.gltf", "b.glb", glb) < 2e-6
    for clip, x in ((0, 4), (1, 3), (2, 8)):
        assert positions(server, "b.glb", clip=clip, t=1, wrap="clamp")[0][0] == pytest.approx(x, abs=1e-6)
    assert len(export(server, "a.gltf", clips="2,0")[1].json["animations"]) == 2
    assert server.get("/v1/export?model=a.gltf&clips=go").error() == "ambiguous_name"


def test_channels_that_share_keys_cost_what_the_file_does(start, tmp_path):
    """20000 nodes use the keys of two accessors in turns. If each had a copy, there would be billions of times."""
    nodes, keys = 20000, 200000
    document = Document(scene=0, scenes=[{"nodes": list(range(nodes))}], nodes=[{"name": f"n{i}"} for i in range(nodes)])
    inputs = [document.add("SCALAR", "f", [i / 4 + by for i in range(keys)], min=[by], max=[(keys - 1) / 4 + by]) for by in (0, 0.125)]
    values = document.add("VEC3", "f", [(0, 0, 0)] * keys)
    document.json["animations"] = [{"samplers": [{"input": one, "output": values} for one in inputs], "channels": [
        {"sampler": i % 2, "target": {"node": i, "path": "translation"}} for i in range(nodes)]}]
    (tmp_path / "a.gltf").write_text(document.text())
    _, glb = export(start(), "a.gltf")
    samplers = glb.json["animations"][0]["samplers"]
    assert len(samplers) == nodes and len({json.dumps(sampler) for sampler in samplers}) == 2
