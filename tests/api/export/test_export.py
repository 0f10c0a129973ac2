"""/v1/export: the whole model as a file with the poses of the model."""
import json
import re
import struct

import pytest

from conftest import SAMPLES
from round_trip import Glb, check, query
from small_fbx import fbx
from small_models import gltf

DRAWS = False

TYPE = "model/gltf-binary"


def export(server, model, **parameters):
    answer = server.get(query("/v1/export", model=model, **parameters))
    assert (answer.status, answer.headers["content-type"]) == (200, TYPE), answer.body[:500]
    return answer.body, Glb(answer.body)


def warnings(glb):
    return [warning["code"] for warning in glb.json["asset"]["extras"]["warnings"]]


@pytest.mark.short
@pytest.mark.skipif(not SAMPLES.is_dir(), reason="no sample models")
def test_headers(server):
    answer = server.get("/v1/export?model=robot.glb")
    assert answer.headers["content-disposition"] == 'attachment; filename="robot.glb"'
    assert (answer.headers["cache-control"], "vary" in answer.headers) == ("no-cache", False)
    head = server.get("/v1/export?model=robot.glb&format=glb", method="HEAD")
    assert (head.status, head.body, head.headers["content-length"]) == (200, b"", str(len(answer.body)))
    assert head.headers["etag"] == answer.headers["etag"]
    again = server.get("/v1/export?model=robot.glb", "If-None-Match: " + answer.headers["etag"])
    assert (again.status, again.body) == (304, b"")
    assert server.get("/v1/export?model=robot.glb").body == answer.body
    digest = Glb(answer.body).json["asset"]["extras"]["hash"]
    assert "immutable" in server.get(f"/v1/export?model=robot.glb&hash={digest}").headers["cache-control"]
    assert server.get("/v1/export?model=robot.glb&hash=" + "0" * 64).error() == "hash_mismatch"


@pytest.mark.skipif(not SAMPLES.is_dir(), reason="no sample models")
@pytest.mark.parametrize("model", ["robot.glb", "dragon.glb", "octopus.glb"])
def test_samples_read_again_are_the_same(start, tmp_path, model):
    (tmp_path / model).write_bytes((SAMPLES / model).read_bytes())
    server = start()
    data, glb = export(server, model)
    (tmp_path / "again.glb").write_bytes(data)
    assert warnings(glb) == []
    assert check(server, model, "again.glb", glb) == 0
    again, _ = export(server, "again.glb")
    for key in ("animations", "meshes", "nodes", "skins", "materials"):
        assert Glb(again).json[key] == glb.json[key]


@pytest.mark.skipif(not SAMPLES.is_dir(), reason="no sample models")
def test_clips_are_those_asked_for(server):
    def names(**parameters):
        return [clip["name"] for clip in export(server, "robot.glb", textures="none", **parameters)[1].json.get("animations", [])]

    assert names(clips="wave,0") == ["wave", names()[0]] and names(clip_name="walk") == ["walk"]
    assert names(clips="-") == []
    assert server.get("/v1/export?model=robot.glb&clips=wavy").error() == "clip_not_found"
    assert server.get("/v1/export?model=robot.glb&clips=-&clip_name=walk").error() == "bad_parameter"
    assert "images" not in export(server, "robot.glb", textures="none")[1].json


class Document:
    """A glTF file with its arrays inside."""

    def __init__(self, **members):
        self.json = {"asset": {"version": "2.0"}, "accessors": [], "bufferViews": [], **members}
        self.bytes = b""

    def add(self, kind, letter, rows, **more):
        width = {"SCALAR": 1, "VEC3": 3, "VEC4": 4, "MAT4": 16}[kind]
        flat = [value for row in rows for value in (row if width > 1 else [row])]
        data = struct.pack(f"<{len(flat)}{letter}", *flat)
        self.json["bufferViews"].append({"buffer": 0, "byteOffset": len(self.bytes), "byteLength": len(data)})
        self.bytes += data + b"\0" * (-len(data) % 4)
        component = {"f": 5126, "H": 5123, "B": 5121}[letter]
        self.json["accessors"].append({"bufferView": len(self.json["bufferViews"]) - 1, "componentType": component, "count": len(rows),
                                       "type": kind, **more})
        return len(self.json["accessors"]) - 1

    def text(self):
        import base64
        self.json["buffers"] = [{"byteLength": len(self.bytes), "uri": "data:application/octet-stream;base64,"
                                 + base64.b64encode(self.bytes).decode()}]
        return json.dumps(self.json)


# One axis sheared and scaled, rotated and moved: no translation, rotation and scale give this matrix.
SHEAR = [2, 0.5, 0, 0, 0.25, 1, 0.5, 0, 0, -0.75, 3, 0, 4, -2, 1, 1]


def strange():
    """Joints of one skin below two roots, one of them twice; six joints for a vertex; a mesh with a skin and without; a matrix that shears;
    a hidden node; cubic keys; a clip without channels and one that changes visibility."""
    document = Document(scene=0, extensionsUsed=["KHR_node_visibility", "KHR_animation_pointer"], scenes=[{"nodes": [0, 1, 2, 5]}])
    points = document.add("VEC3", "f", [(0, 0, 0), (1, 0, 0), (0, 1, 2)], min=[0, 0, 0], max=[1, 1, 2])
    joints = [document.add("VEC4", "B", rows) for rows in ([(0, 1, 2, 3), (1, 1, 0, 0), (0, 0, 0, 0)], [(3, 2, 0, 0)] * 3)]
    weights = [document.add("VEC4", "f", rows) for rows in (
        [(0.25, 0.25, 0.125, 0.125), (0.25, 0.5, 0.25, 0), (0, 0, 0, 0)], [(0.125, 0.125, 0, 0), (0, 0, 0, 0), (0, 0, 0, 0)])]
    binds = document.add("MAT4", "f", [[2, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, x, 1, 0, 1] for x in range(4)])
    deltas = document.add("VEC3", "f", [(0, 0, 1), (0, 2, 0), (3, 0, 0)], min=[0, 0, 0], max=[3, 2, 1])
    times = document.add("SCALAR", "f", [0.25, 1, 2.5], min=[0.25], max=[2.5])
    turns = document.add("VEC4", "f", [(0, 0, 0, 0), (0, 0, 0, 1), (0, 0.5, 0, 0)] + [(0, 0, 0, 0), (0, 1, 0, 0), (0.25, 0, 0, 0)]
                         + [(0, 0, 1, 0), (0, 0.6, 0, 0.8), (0, 0, 0, 0)])
    moves = document.add("VEC3", "f", [(0, 0, 0), (1, 2, 3), (-1, 0, 5)])
    shown = document.add("SCALAR", "B", [1, 0, 1])
    blend = document.add("SCALAR", "f", [0, 1, 0.5])
    document.json.update(
        nodes=[
            {"name": "left", "children": [3], "translation": [5, 0, 0], "rotation": [0.5, 0.5, 0.5, 0.5], "scale": [1, 2, 3]},
            {"name": "right", "translation": [0, 0, -7], "extras": {"side": "r"}},
            {"name": "body", "mesh": 0, "skin": 0, "weights": [0.5]},
            {"name": "bent", "matrix": SHEAR, "children": [4]},
            {"name": "tip", "translation": [0, 1, 0], "mesh": 0},
            {"name": "hidden", "mesh": 0, "camera": 0, "extensions": {"KHR_node_visibility": {"visible": False}}},
            {"name": "outside", "mesh": 0}],
        skins=[{"name": "rig", "joints": [1, 0, 3, 4], "inverseBindMatrices": binds}],
        cameras=[{"name": "eye", "type": "perspective", "perspective": {"yfov": 0.5, "znear": 0.1}}],
        meshes=[{"name": "shape", "extras": {"targetNames": ["smile"]}, "primitives": [{
            "attributes": {"POSITION": points, "JOINTS_0": joints[0], "WEIGHTS_0": weights[0], "JOINTS_1": joints[1], "WEIGHTS_1": weights[1]},
            "targets": [{"POSITION": deltas}]}]}],
        animations=[
            {"name": "twist", "extras": {"loop": True}, "samplers": [
                {"input": times, "output": turns, "interpolation": "CUBICSPLINE"}, {"input": times, "output": moves, "interpolation": "STEP"},
                {"input": times, "output": blend}],
             "channels": [{"sampler": 0, "target": {"node": 0, "path": "rotation"}}, {"sampler": 1, "target": {"node": 1, "path": "translation"}},
                          {"sampler": 2, "target": {"node": 2, "path": "weights"}}]},
            {"samplers": [{"input": times, "output": shown, "interpolation": "STEP"}], "channels": [{"sampler": 0, "target": {
                "path": "pointer", "extensions": {"KHR_animation_pointer": {"pointer": "/nodes/4/extensions/KHR_node_visibility/visible"}}}}]},
            {"name": "still", "samplers": [{"input": times, "output": moves}], "channels": [{"sampler": 0, "target": {"path": "translation"}}]}])
    return document


def positions(server, model, **parameters):
    return server.get(query("/v1/mesh", model=model, **parameters)).json()["frames"][0]["positions"]


def test_a_strange_model(start, tmp_path):
    (tmp_path / "a.gltf").write_text(strange().text())
    server = start()
    data, glb = export(server, "a.gltf")
    (tmp_path / "b.glb").write_bytes(data)
    assert check(server, "a.gltf", "b.glb", glb) < 2e-6
    for parameters in ({"clip": "-"}, {"clip": "twist", "t": 0.7}, {"clip": "twist", "t": 2.25}):
        for a, b in zip(positions(server, "a.gltf", **parameters), positions(server, "b.glb", **parameters)):
            assert max(abs(x - y) for x, y in zip(a, b)) < 2e-5, parameters
    nodes, document = glb.json["nodes"], glb.json
    assert [node.get("name") for node in nodes[:7]] == ["left", "right", "body", "bent", "tip", "hidden", "outside"]
    assert nodes[1]["extras"] == {"side": "r"} and nodes[5]["extensions"] == {"KHR_node_visibility": {"visible": False}}
    top = document["scenes"][0]["nodes"]
    assert [nodes[n].get("name") for n in top] == ["scene"] and nodes[top[0]]["children"] == [0, 1, 2, 5]
    assert document["skins"][0]["joints"] == [1, 0, 3, 4] and document["cameras"][0]["name"] == "eye"
    assert [clip.get("name") for clip in document["animations"]] == ["twist", None, "still"]
    assert document["animations"][0]["extras"] == {"loop": True}
    assert [sampler.get("interpolation") for sampler in document["animations"][0]["samplers"]] == ["CUBICSPLINE", "STEP", None]
    assert document["meshes"][0]["extras"] == {"targetNames": ["smile"]}
    attributes = document["meshes"][0]["primitives"][0]["attributes"]
    assert sorted(attributes) == ["JOINTS_0", "POSITION", "WEIGHTS_0"]  # four joints are left without duplicates
    assert [len(mesh["primitives"]) for mesh in document["meshes"]] == [1, 1] and "JOINTS_0" not in document["meshes"][1]["primitives"][0]["attributes"]
    assert glb.rows(attributes["WEIGHTS_0"])[1] == [0.75, 0.25, 0, 0] and glb.rows(attributes["JOINTS_0"])[2] == [0, 0, 0, 0]
    assert sorted(document["extensionsUsed"]) == ["KHR_animation_pointer", "KHR_node_visibility"]


def test_axes_and_unit(start, tmp_path):
    """A rotation and a scale above everything: 3 units up along z become 3 cm up along y, in units of 1 m."""
    (tmp_path / "a.gltf").write_text(gltf(x=3))
    server = start()
    export_of = lambda **parameters: export(server, "a.gltf", **parameters)
    assert warnings(export_of()[1]) == [] and len(export_of(up="y", unit="m")[1].json["nodes"]) == 1
    for parameters, place in (({"unit": "cm"}, [300, 0, 0]), ({"unit": 0.5}, [6, 0, 0]), ({"up": "z"}, [3, 0, 0]), ({"up": "x"}, [0, -3, 0]),
                              ({"up": "z", "unit": "inch"}, [3 / 0.0254, 0, 0])):
        data, glb = export_of(**parameters)
        (tmp_path / "b.glb").write_bytes(data)
        triangle = positions(server, "b.glb")[0]
        assert triangle[:3] == pytest.approx(place, rel=1e-6), parameters
        assert glb.json["nodes"][-1]["name"] == "gltf_from_scene" and glb.json["scenes"][0]["nodes"] == [1]
    up = positions(server, "b.glb")[0]
    assert [x - y for x, y in zip(up[6:9], up[:3])] == pytest.approx([0, 0, 1 / 0.0254], abs=1e-3)  # y is z now
    for bad in ("up=w", "unit=0", "unit=parsec", "fps=0", "clips=", "format=gltf", "exact=2"):
        assert server.get("/v1/export?model=a.gltf&" + bad).error() == "bad_parameter", bad


def test_a_subtree_keeps_what_it_needs(start, tmp_path):
    (tmp_path / "a.gltf").write_text(strange().text())
    server = start()
    data, glb = export(server, "a.gltf", subtree="body", clips="twist")
    assert [node["name"] for node in glb.json["nodes"] if "name" in node] == ["left", "right", "body", "bent", "tip", "scene"]
    assert len(glb.json["meshes"]) == 1 and "mesh" not in glb.json["nodes"][4]
    (tmp_path / "b.glb").write_bytes(data)
    assert positions(server, "b.glb", t=0.7)[0] == pytest.approx(positions(server, "a.gltf", t=0.7)[0], abs=2e-5)
    alone = export(server, "a.gltf", subtree="tip")[1]
    assert [node.get("name") for node in alone.json["nodes"]] == ["left", "bent", "tip", None] and "skins" not in alone.json
    assert server.get("/v1/export?model=a.gltf&subtree=nobody").error() == "joint_not_found"


def test_poses_at_a_rate(start, tmp_path):
    (tmp_path / "a.gltf").write_text(strange().text())
    server = start()
    data, glb = export(server, "a.gltf", fps=4, clips="twist")
    (tmp_path / "b.glb").write_bytes(data)
    assert glb.key_times(0) == [i / 4 for i in range(11)]
    assert {sampler.get("interpolation") for sampler in glb.json["animations"][0]["samplers"]} == {None}
    for time in (0.25, 1.5, 2.5):
        for a, b in zip(positions(server, "a.gltf", clip="twist", t=time, wrap="clamp"), positions(server, "b.glb", clip="twist", t=time, wrap="clamp")):
            assert b == pytest.approx(a, abs=2e-5)


def test_what_is_too_large_is_refused(start, tmp_path):
    (tmp_path / "a.gltf").write_text(strange().text())
    server = start("--max-answer", "64k")
    answer = server.get("/v1/export?model=a.gltf&fps=1000")
    assert (answer.status, answer.error()) == (400, "too_many_frames")
    assert server.get("/v1/export?model=a.gltf").status == 200


@pytest.mark.skipif(not SAMPLES.is_dir(), reason="no sample models")
def test_keys_alone_may_be_too_much(start):
    server = start("--max-answer", "16k", root=SAMPLES)
    assert server.get("/v1/export?model=robot.glb").error() == "too_many_frames"
    assert server.get("/v1/export?model=robot.glb&clips=-").error() == "too_many_frames"


OWN_SCALES = {"hip": ['P: "Lcl Scaling", "Lcl Scaling", "", "A",2,1,3', 'P: "Lcl Rotation", "Lcl Rotation", "", "A",20,0,50'],
              "leg": ['P: "InheritType", "enum", "", "",2', 'P: "Lcl Rotation", "Lcl Rotation", "", "A",0,0,30',
                      'P: "Lcl Translation", "Lcl Translation", "", "A",0,4,0', 'P: "Lcl Scaling", "Lcl Scaling", "", "A",1,0.5,2']}


@pytest.mark.parametrize("inherit", [0, 2])  # axis by axis, and not at all from the parent
@pytest.mark.parametrize("moved", ["Lcl Translation", "Lcl Scaling"])
def test_scales_that_are_not_inherited(start, tmp_path, inherit, moved):
    """Two nodes say them exactly, also where a clip moves the hip's scale from 1 to 5. A mesh hangs below the leg."""
    leg = [line.replace('"",2', f'"",{inherit}') for line in OWN_SCALES["leg"]]
    (tmp_path / "a.fbx").write_text(fbx(**{**OWN_SCALES, "leg": leg}, moved=moved, body_below=11))
    server = start()
    data, glb = export(server, "a.fbx", textures="none")
    (tmp_path / "b.glb").write_bytes(data)
    nodes = {node["name"]: node for node in glb.json["nodes"]}
    above = nodes["leg_unscaled"]
    assert [glb.json["nodes"][child]["name"] for child in above["children"]] == ["leg"] and above["translation"] == [0, 4, 0]
    assert above["scale"] == pytest.approx([1 / 2, 1, 1 / 3]) and "translation" not in nodes["leg"]
    assert [node["name"] for node in glb.json["nodes"]][-1] == "leg_unscaled"  # the others keep their indices
    is_exact = moved == "Lcl Translation"
    assert check(server, "a.fbx", "b.glb", glb) < (2e-6 if is_exact else 1e-5)
    for clip, t in (("-", 0), ("run", 0.23), ("run", 1.41)):
        a, b = (positions(server, model, clip=clip, t=t)[0] for model in ("a.fbx", "b.glb"))
        assert len(a) == 9 and b == pytest.approx(a, abs=1e-4)
    approximations = [one["code"] for one in glb.json["asset"]["extras"]["approximations"]]
    assert not {"scales_approximated"} & {*warnings(glb), *(approximations if is_exact else [])}
    answer = server.get("/v1/export?model=a.fbx&exact=1")
    assert answer.status == (200 if is_exact else 422)
    if not is_exact:
        assert answer.error() == "not_in_gltf" and "nodes that do not inherit the scales above them" in answer.json()["error"]["message"]


def test_scales_that_nothing_undoes(start, tmp_path):
    """A scale of 0 has no inverse."""
    hip = ['P: "Lcl Scaling", "Lcl Scaling", "", "A",2,0,3']
    (tmp_path / "a.fbx").write_text(fbx(hip=hip, leg=OWN_SCALES["leg"]))
    (tmp_path / "plain.fbx").write_text(fbx(leg=OWN_SCALES["leg"]))
    server = start()
    told, = (one for one in export(server, "a.fbx")[1].json["asset"]["extras"]["approximations"] if "the rest pose" in one["message"])
    assert told["code"] == "scales_approximated" and told["share_of_size"] > 0.1
    assert server.get("/v1/export?model=a.fbx&exact=1").error() == "not_in_gltf"
    data, glb = export(server, "plain.fbx")
    assert all("unscaled" not in node["name"] for node in glb.json["nodes"])
    assert export(server, "plain.fbx", exact=1)[0] == data


def test_poses_between_keys_of_scales_are_counted_before_they_are_made(start, tmp_path):
    """Where 1/s bends, a clip is looked at up to 32 times between two frames: what the limit forbids is not computed."""
    limit, frames = 1300, 120
    (tmp_path / "a.fbx").write_text(fbx(**OWN_SCALES, moved="Lcl Scaling"))
    server = start("--max-evaluations", str(limit))
    nodes = len(server.json("/v1/model", model="a.fbx")["nodes"])
    assert 2 * frames * nodes < limit, "the frames themselves are allowed"
    answer = server.get("/v1/export?model=a.fbx")
    assert (answer.status, answer.error()) == (400, "too_many_frames"), answer.body
    counted = int(re.search(r"takes (\d+) steps", answer.json()["error"]["message"]).group(1))
    assert limit < counted <= limit + nodes
    assert start().get("/v1/export?model=a.fbx").status == 200


def test_markers_and_lengths_of_clips(start, tmp_path):
    """A take of two seconds whose keys end early, and a marker on the timeline."""
    (tmp_path / "a.fbx").write_text(fbx(markers=[("hit", 2.5)], span=(1, 3)))
    server = start()
    data, glb = export(server, "a.fbx")
    (tmp_path / "b.glb").write_bytes(data)
    clips = [server.json("/v1/model", model=model)["clips"][0] for model in ("a.fbx", "b.glb")]
    assert clips[0]["duration"] == clips[1]["duration"] == 2
    assert [(marker["name"], marker["time"]) for marker in glb.json["animations"][0]["extras"]["markers"]] == [
        (marker["name"], marker["time"]) for marker in clips[0]["markers"]]
    assert check(server, "a.fbx", "b.glb", glb) < 2e-6
    assert set(warnings(glb)) <= {"unit", "up_axis"}


EARLY = """<?xml version="1.0"?><COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1"><asset><up_axis>Y_UP</up_axis></asset>
<library_animations><animation id="a">
<source id="in"><float_array id="i" count="3">-1 1 3</float_array><technique_common><accessor source="#i" count="3">
<param name="TIME" type="float"/></accessor></technique_common></source>
<source id="out"><float_array id="o" count="3">0 8 2</float_array><technique_common><accessor source="#o" count="3">
<param name="X" type="float"/></accessor></technique_common></source>
<source id="how"><Name_array id="h" count="3">LINEAR LINEAR LINEAR</Name_array><technique_common><accessor source="#h" count="3">
<param name="INTERPOLATION" type="name"/></accessor></technique_common></source>
<sampler id="s"><input semantic="INPUT" source="#in"/><input semantic="OUTPUT" source="#out"/><input semantic="INTERPOLATION" source="#how"/></sampler>
<channel source="#s" target="box/move.X"/></animation></library_animations>
<library_visual_scenes><visual_scene id="v"><node id="box" name="box"><translate sid="move">0 1 2</translate></node></visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#v"/></scene></COLLADA>"""


@pytest.mark.parametrize("times", ["0 5e-324 3", "0.1 0.10000000000000002 0.10000000000000004", "1e6 1000000.001 1000000.002"])
def test_keys_within_one_float(start, tmp_path, times):
    """There may be no earlier float to take: then they take later ones."""
    (tmp_path / "a.dae").write_text(EARLY.replace("-1 1 3", times))
    server = start()
    data, glb = export(server, "a.dae")
    found = glb.key_times(0)
    assert found == sorted(set(found)) and found[0] >= 0 and len(found) >= 3
    assert found[-1] == pytest.approx(float(times.split()[-1]), rel=1e-6)
    (tmp_path / "b.glb").write_bytes(data)
    assert server.get("/v1/pose?model=b.glb&t=0").status == 200


def test_keys_before_time_0(start, tmp_path):
    (tmp_path / "a.dae").write_text(EARLY)
    server = start()
    answer = server.get("/v1/export?model=a.dae&exact=1")
    assert (answer.status, answer.error()) == (422, "not_in_gltf")
    assert "keys of node 1 'box' before time 0" in answer.json()["error"]["message"]
    data, glb = export(server, "a.dae")
    (tmp_path / "b.glb").write_bytes(data)
    assert warnings(glb) == [] and glb.key_times(0) == [0, 1, 3]
    (tmp_path / "still.dae").write_text(re.sub("<library_animations>.*</library_animations>", "", EARLY, flags=re.S))
    message = server.get("/v1/export?model=still.dae&clip_file=a.dae&exact=1").json()["error"]["message"]
    assert message.startswith("'still.dae': clip 0 ") and " of 'a.dae' has keys of node 1 'box' before time 0" in message
    cropped, = glb.json["asset"]["extras"]["approximations"]
    assert (cropped["code"], cropped["share_of_size"]) == ("keys_cropped", 0)
    assert check(server, "a.dae", "b.glb", glb) < 2e-6
    place = server.json("/v1/pose", model="b.glb", t=0.5, what="scene", joints="box")["frames"][0]["scene"][0][12:15]
    assert place == [6, 1, 2]
