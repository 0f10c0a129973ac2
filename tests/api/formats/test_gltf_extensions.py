"""Extensions of glTF that change the content: instances of a mesh, invisible nodes, animation pointers."""
import io
import json
import pathlib
import re
import struct
import sys

import pytest
from PIL import Image

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "oracle"))
import conformance  # noqa: E402
from conftest import REPOSITORY  # noqa: E402
from contract_model import Document  # noqa: E402
from matrices import from_trs, multiply, transform  # noqa: E402

DRAWS = False

TURN = [0.5, 0.5, -0.5, 0.5]
OUTER = ([3.0, -2.0, 5.0], [0.0, 0.6, 0.0, 0.8], [2.0, 0.5, 1.5])  # rotated, unevenly scaled, off the origin
INSTANCES = [([1.0, 2.0, 3.0], TURN, [1.0, 3.0, 0.25]), ([-4.0, 0.0, 1.0], [0.0, 0.0, 0.6, 0.8], [2.0, 1.0, 1.0])]
CORNERS = [[1.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 3.0]]


def triangle(document):
    position = document.accessor("VEC3", [x for corner in CORNERS for x in corner], bounds=True)
    document.root["meshes"] = [{"primitives": [{"attributes": {"POSITION": position}}]}]


def node(trs):
    return dict(zip(("translation", "rotation", "scale"), trs))


def vertices(server, **query):
    """[(node, points)] of each mesh."""
    answer = server.json("/v1/mesh", **query)
    return [(mesh["node"], [positions[i:i + 3] for i in range(0, len(positions), 3)], mesh["in_scene"])
            for mesh, positions in zip(answer["meshes"], answer["frames"][0]["positions"], strict=True)]


def test_every_instance_of_a_mesh_is_drawn(start, tmp_path):
    document = Document()
    triangle(document)
    attributes = {name: document.accessor(kind, [x for instance in INSTANCES for x in instance[i]])
                  for i, (name, kind) in enumerate([("TRANSLATION", "VEC3"), ("ROTATION", "VEC4"), ("SCALE", "VEC3")])}
    document.root.update(nodes=[{**node(OUTER), "name": "grove", "mesh": 0, "extensions": {"EXT_mesh_gpu_instancing": {"attributes": attributes}}}],
                         scenes=[{"nodes": [0]}], extensionsRequired=["EXT_mesh_gpu_instancing"])
    (tmp_path / "grove.gltf").write_text(document.text())
    server = start("--render-workers", "1", root=tmp_path)
    got = vertices(server, model="grove.gltf")
    assert len(got) == len(INSTANCES)
    places = [transform(multiply(from_trs(*OUTER), from_trs(*instance)), corner) for instance in INSTANCES for corner in CORNERS]
    conformance.compared_points(tmp_path / "grove.gltf", conformance.WORKED, [point for _, points, _ in got for point in points], places)
    for (_, points, in_scene), instance in zip(got, INSTANCES):
        scene_from_instance = multiply(from_trs(*OUTER), from_trs(*instance))
        assert in_scene
        for point, corner in zip(points, CORNERS, strict=True):
            assert point == pytest.approx(transform(scene_from_instance, corner), abs=1e-5)
    nodes = server.json("/v1/model", model="grove.gltf")["nodes"]
    assert [(n["name"], n["parent"]) for n in nodes] == [("grove", -1), ("", 0), ("", 0)]
    assert server.get("/v1/render?model=grove.gltf&width=32&height=32").status == 200


def test_instances_that_no_model_can_have_are_refused(start, tmp_path):
    server = start("--render-workers", "0", "--max-nodes", "100", root=tmp_path)
    for name, rows, other, code in [("many", 200, 200, "model_limit"), ("uneven", 3, 2, "bad_model")]:
        document = Document()
        triangle(document)
        attributes = {"TRANSLATION": document.accessor("VEC3", [0.5] * 3 * rows), "SCALE": document.accessor("VEC3", [1.0] * 3 * other)}
        document.root.update(nodes=[{"mesh": 0, "extensions": {"EXT_mesh_gpu_instancing": {"attributes": attributes}}}])
        (tmp_path / f"{name}.gltf").write_text(document.text())
        answer = server.get(f"/v1/model?model={name}.gltf")
        error = json.loads(answer.body)["error"]
        assert (answer.status, error["code"]) == (422, code) and "nodes[0].extensions.EXT_mesh_gpu_instancing" in error["message"]


def test_nodes_that_are_not_visible_are_not_drawn(start, tmp_path):
    document = Document()
    triangle(document)
    document.root.update(nodes=[{"mesh": 0, "translation": [9, 0, 0]},
                                {"mesh": 0, "children": [2], "extensions": {"KHR_node_visibility": {"visible": False}}}, {"mesh": 0}],
                         extensionsRequired=["KHR_node_visibility"])
    (tmp_path / "veil.gltf").write_text(document.text())
    server = start("--render-workers", "0", root=tmp_path)
    assert [(n, in_scene) for n, _, in_scene in vertices(server, model="veil.gltf")] == [(0, True), (1, False), (2, False)]
    assert [n.get("hidden", False) for n in server.json("/v1/model", model="veil.gltf")["nodes"]] == [False, True, True]


def test_channels_that_point_move_nodes(start, tmp_path):
    document = Document()
    triangle(document)
    times, values = document.accessor("SCALAR", [0.0, 1.0], bounds=True), document.accessor("VEC3", [2, 0.5, 1.5, 1, 1, 3])
    document.root.update(nodes=[{**node(OUTER), "mesh": 0}], extensionsRequired=["KHR_animation_pointer"], animations=[{
        "samplers": [{"input": times, "output": values}],
        "channels": [{"sampler": 0, "target": {"path": "pointer", "extensions": {"KHR_animation_pointer": {"pointer": "/nodes/0/scale"}}}}]}])
    (tmp_path / "swell.gltf").write_text(document.text())
    server = start("--render-workers", "0", root=tmp_path)
    (_, points, _), = vertices(server, model="swell.gltf", clip=0, t=0.5)
    places = [transform(from_trs(OUTER[0], OUTER[1], [1.5, 0.75, 2.25]), corner) for corner in CORNERS]
    conformance.compared_points(tmp_path / "swell.gltf", conformance.WORKED, points, places)
    for point, corner in zip(points, CORNERS, strict=True):
        assert point == pytest.approx(transform(from_trs(OUTER[0], OUTER[1], [1.5, 0.75, 2.25]), corner), abs=1e-5)


MOVES = [[0.5, 0.0, -1.0], [0.0, 2.0, 0.25], [-1.5, 0.5, 3.0]]


def morphing(*channels):
    """A triangle with three morph targets, shown twice; channels: (pointer, times, values, interpolation)."""
    document = Document()
    triangle(document)
    primitive = document.root["meshes"][0]["primitives"][0]
    primitive["targets"] = [{"POSITION": document.accessor("VEC3", move * 3, bounds=True)} for move in MOVES]
    document.root["meshes"][0]["weights"] = [0.1, 0.2, 0.3]
    samplers = [{"input": document.accessor("SCALAR", times, bounds=True), "output": document.accessor("SCALAR", values), "interpolation": how}
                for _, times, values, how in channels]
    document.root.update(
        nodes=[{**node(OUTER), "mesh": 0}, {**node(INSTANCES[0]), "mesh": 0, "weights": [1.0, 0.0, 0.0]}],
        animations=[{"samplers": samplers, "channels": [
            {"sampler": i, "target": {"path": "pointer", "extensions": {"KHR_animation_pointer": {"pointer": pointer}}}}
            for i, (pointer, *_) in enumerate(channels)]}])
    return document.text()


def expected(trs, weights):
    moved = [[x + sum(w * move[i] for w, move in zip(weights, MOVES)) for i, x in enumerate(corner)] for corner in CORNERS]
    return [pytest.approx(transform(from_trs(*trs), corner), abs=1e-5) for corner in moved]


@pytest.mark.parametrize("channels, t, weights", [
    # one weight each, keys at times of their own: exact between and outside them
    ([("/nodes/0/weights/0", [0, 1], [0, 1], "LINEAR"), ("/nodes/0/weights/2", [0.5, 2], [1, 0], "LINEAR")], 0.75, [[0.75, 0.2, 5 / 6], [1, 0, 0]]),
    ([("/nodes/0/weights/0", [0, 1], [0, 1], "LINEAR"), ("/nodes/0/weights/2", [0.5, 2], [1, 0], "LINEAR")], 0.25, [[0.25, 0.2, 1], [1, 0, 0]]),
    ([("/nodes/0/weights/0", [0, 1], [0, 1], "LINEAR"), ("/nodes/0/weights/2", [0.5, 2], [1, 0], "LINEAR")], 1.5, [[1, 0.2, 1 / 3], [1, 0, 0]]),
    ([("/nodes/1/weights/1", [0, 1], [0, 1], "STEP"), ("/nodes/1/weights/0", [0, 0.5], [2, 3], "STEP")], 0.75, [[0.1, 0.2, 0.3], [3, 0, 0]]),
    # a spline: at half the time of (0, 1, slopes 0 and 2) it is 0.5 - 2 / 8
    ([("/nodes/0/weights/1", [0, 1], [0, 0, 0, 2, 1, 0], "CUBICSPLINE")], 0.5, [[0.1, 0.25, 0.3], [1, 0, 0]]),
    # a mesh's weights are those of the nodes without their own
    ([("/meshes/0/weights", [0, 1], [0, 0, 0, 1, 2, 3], "LINEAR")], 0.5, [[0.5, 1, 1.5], [1, 0, 0]]),
    ([("/meshes/0/weights/2", [0, 1], [0, 1], "LINEAR"), ("/nodes/1/weights", [0, 1], [0, 0, 0, 1, 1, 1], "LINEAR")], 0.5, [[0.1, 0.2, 0.5], [0.5, 0.5, 0.5]]),
])
def test_channels_that_point_at_weights_move_them(start, tmp_path, channels, t, weights):
    (tmp_path / "a.gltf").write_text(morphing(*channels))
    server = start("--render-workers", "0", root=tmp_path)
    assert server.json("/v1/model", model="a.gltf")["warnings"] == []
    shown = [points for _, points, _ in vertices(server, model="a.gltf", clip=0, t=t)]
    assert shown == [expected(trs, own) for trs, own in zip((OUTER, INSTANCES[0]), weights)]


@pytest.mark.parametrize("channels, kept", [
    ([("/nodes/0/weights/3", [0, 1], [0, 1], "LINEAR")], [0.1, 0.2, 0.3]),
    ([("/nodes/0/weights/0", [0, 1], [4, 4], "LINEAR"), ("/nodes/0/weights/0", [0, 1], [5, 5], "LINEAR")], [4, 0.2, 0.3]),
    ([("/nodes/0/weights", [0, 1], [4] * 6, "LINEAR"), ("/nodes/0/weights/0", [0, 1], [5, 5], "LINEAR")], [4, 4, 4]),
    ([("/nodes/0/weights/0", [0, 1], [5, 5], "LINEAR"), ("/nodes/0/weights", [0, 1], [4] * 6, "LINEAR")], [5, 0.2, 0.3]),
    ([("/nodes/0/weights/0", [0, 1], [5, 5], "LINEAR"), ("/nodes/0/weights/1", [0, 1], [4, 4], "STEP")], [5, 0.2, 0.3]),
])
def test_weights_that_cannot_be_moved_together_rest(start, tmp_path, channels, kept):
    (tmp_path / "a.gltf").write_text(morphing(*channels))
    server = start("--render-workers", "0", root=tmp_path)
    assert [warning["code"] for warning in server.json("/v1/model", model="a.gltf")["warnings"]] == ["channel_ignored"]
    assert vertices(server, model="a.gltf", clip=0, t=0.5)[0][1] == expected(OUTER, kept)


@pytest.mark.parametrize("target, values", [("weights", [5] * 6), ("weights/2", [5, 5])])
def test_a_mesh_that_channels_move_twice_is_told_once_for_all_its_nodes(start, tmp_path, target, values):
    document = json.loads(morphing(*[(f"/meshes/0/{target}", [0, 1], values, "LINEAR")] * 2))
    document["nodes"] = [{"mesh": 0} for _ in range(5)]
    document["scenes"] = [{"nodes": list(range(5))}]
    (tmp_path / "a.gltf").write_text(json.dumps(document))
    model = start("--render-workers", "0", root=tmp_path).json("/v1/model", model="a.gltf")
    assert model["clips"][0]["channels"] == 5
    assert [warning["message"] for warning in model["warnings"]] == [
        "animations[0].channels[1] moves the weights of meshes[0], as a channel before it does"]


def test_a_vrm_file_names_the_bones_of_its_human(start, tmp_path):
    document = Document()
    triangle(document)
    document.root.update(nodes=[{"mesh": 0, "children": [1]}, {"name": "J_Hips", "children": [2]}, {"name": "J_Spine"}], scenes=[{"nodes": [0]}],
                         extensionsUsed=["VRMC_vrm"], extensions={"VRMC_vrm": {"specVersion": "1.0", "humanoid": {"humanBones": {
                             "spine": {"node": 2}, "hips": {"node": 1}}}}})
    text = document.text().encode()
    text += b" " * (-len(text) % 4)
    (tmp_path / "hero.vrm").write_bytes(struct.pack("<4sIIII", b"glTF", 2, 20 + len(text), len(text), 0x4e4f534a) + text)
    server = start("--render-workers", "0", root=tmp_path)
    model = server.json("/v1/model", model="hero.vrm")
    assert model["humanoid"] == {"hips": 1, "spine": 2} and model["format"] == "GLB 2.0"
    assert [m["model"] for m in server.json("/v1/models")["models"]] == ["hero.vrm"]
    (tmp_path / "hero.vrm").write_bytes(b"no GLB")
    assert json.loads(server.get("/v1/model?model=hero.vrm").body)["error"]["code"] == "not_a_model"


def square(document, material, **extensions):
    """A primitive: a unit square in x and y."""
    position = document.accessor("VEC3", [0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0], bounds=True)
    indices = document.accessor("SCALAR", [0, 1, 2, 0, 2, 3], component=5123)
    return {"attributes": {"POSITION": position}, "indices": indices, "material": material, **({"extensions": extensions} if extensions else {})}


def paint(red, green, blue):
    return {"doubleSided": True, "extensions": {"KHR_materials_unlit": {}}, "pbrMetallicRoughness": {"baseColorFactor": [red, green, blue, 1]}}


def colours(answer):
    """The colours of a picture's opaque pixels."""
    assert answer.status == 200, answer.body
    image = Image.open(io.BytesIO(answer.body)).convert("RGBA")
    return {colour[:3] for _, colour in image.getcolors(image.width * image.height) if colour[3] == 255}


def json_of_glb(answer):
    size, = struct.unpack_from("<I", answer.body, 12)
    return json.loads(answer.body[20:20 + size])


def test_a_variant_of_the_materials_is_chosen(start, tmp_path):
    document = Document()
    mapping = {"KHR_materials_variants": {"mappings": [{"material": 1, "variants": [0, 2]}, {"material": 2, "variants": [1]}]}}
    document.root.update(
        materials=[paint(1, 0, 0), paint(0, 1, 0), paint(0, 0, 1)], extensionsRequired=["KHR_materials_variants"],
        extensions={"KHR_materials_variants": {"variants": [{"name": "spring"}, {"name": "night"}, {"name": "7"}]}},
        meshes=[{"primitives": [square(document, 0, **mapping)]}], nodes=[{**node(OUTER), "mesh": 0}])
    (tmp_path / "shoe.gltf").write_text(document.text())
    server = start("--render-workers", "1", root=tmp_path)
    assert server.json("/v1/model", model="shoe.gltf")["variants"] == ["spring", "night", "7"]
    for query, material, colour in [("", 0, (255, 0, 0)), ("&variant=spring", 1, (0, 255, 0)), ("&variant=1", 2, (0, 0, 255)),
                                    ("&variant_name=7", 1, (0, 255, 0)), ("&variant=2", 1, (0, 255, 0))]:
        assert colours(server.get("/v1/render?model=shoe.gltf&width=64&height=64&camera=front&aa=0" + query)) == {colour}, query
        answer = json.loads(server.get("/v1/mesh?model=shoe.gltf" + query).body)
        assert [m["material"] for m in answer["meshes"]] == [material]
        exported = json_of_glb(server.get("/v1/mesh?format=glb&model=shoe.gltf" + query))
        assert exported["materials"][0]["pbrMetallicRoughness"]["baseColorFactor"] == \
            document.root["materials"][material]["pbrMetallicRoughness"]["baseColorFactor"]
    for path in ("/v1/render", "/v1/mesh"):
        answer = server.get(path + "?model=shoe.gltf&variant=nigth")
        error = json.loads(answer.body)["error"]
        assert (answer.status, error["code"]) == (404, "variant_not_found") and "no variant 'nigth'" in error["message"]
        assert error["candidates"][0]["name"] == "night"
        assert "they go from 0 to 2" in json.loads(server.get(path + "?model=shoe.gltf&variant=3").body)["error"]["message"]


def points_at_visibility(sampler, index):
    pointer = {"pointer": f"/nodes/{index}/extensions/KHR_node_visibility/visible"}
    return {"sampler": sampler, "target": {"path": "pointer", "extensions": {"KHR_animation_pointer": pointer}}}


def test_channels_that_point_at_visibility_hide_and_show(start, tmp_path):
    document = Document()
    times = document.accessor("SCALAR", [0.0, 1.0, 2.0], bounds=True)
    blinks, shows = (document.accessor("SCALAR", keys, component=5121) for keys in ([1, 0, 1], [0, 0, 1]))
    hidden = {"KHR_node_visibility": {"visible": False}}
    document.root.update(
        materials=[paint(1, 0, 0), paint(0, 1, 0), paint(0, 0, 1), paint(1, 1, 0)],
        meshes=[{"primitives": [square(document, i)]} for i in range(4)],
        nodes=[{**node(OUTER), "children": [1, 4]}, {"mesh": 0, "children": [2, 3]}, {"mesh": 1, "translation": [2, 0, 0]},
               {"mesh": 2, "translation": [0, 2, 0], "extensions": hidden}, {"mesh": 3, "translation": [2, 2, 0], "extensions": hidden}],
        scenes=[{"nodes": [0]}], extensionsRequired=["KHR_animation_pointer", "KHR_node_visibility"],
        animations=[{"samplers": [{"input": times, "output": keys, "interpolation": "STEP"} for keys in (blinks, shows)],
                     "channels": [points_at_visibility(0, 1), points_at_visibility(1, 4)]}])
    (tmp_path / "blink.gltf").write_text(document.text())
    server = start("--render-workers", "1", root=tmp_path)
    assert server.json("/v1/model", model="blink.gltf")["warnings"] == []
    red, green, yellow = (255, 0, 0), (0, 255, 0), (255, 255, 0)
    for query, shown in [("clip=0&t=0", {red, green}), ("clip=0&t=0.99", {red, green}), ("clip=0&t=2&wrap=clamp", {red, green, yellow}),
                         ("clip=-", {red, green})]:
        assert colours(server.get("/v1/render?model=blink.gltf&width=96&height=96&camera=front&aa=0&" + query)) == shown, query
        assert len(json_of_glb(server.get("/v1/mesh?format=glb&model=blink.gltf&" + query))["materials"]) == len(shown), query
    answer = server.get("/v1/render?model=blink.gltf&clip=0&t=1.5")
    error = json.loads(answer.body)["error"]
    assert (answer.status, error["code"]) == (422, "nothing_to_draw") and "hides every mesh at 1.5 s" in error["message"]
    assert server.get("/v1/render?model=blink.gltf&clip=0&t=1.5&allow_empty=1").status == 200


def test_every_extension_of_the_table_may_be_required(start, tmp_path):
    text = (REPOSITORY / "protocol/formats.md").read_text(encoding="utf-8")
    text = text[text.index("\n## glTF extensions\n"):text.index("\n## 3MF extensions\n")]
    names = {name for line in text.splitlines() if line.startswith("| ") for name in re.findall(r"`(\w+)`", line.split("|")[1])}
    assert len(names) > 60
    for name in names | {"KHR_of_tomorrow"}:
        document = Document()
        triangle(document)
        document.root.update(nodes=[{"mesh": 0}], extensionsUsed=[name], extensionsRequired=[name])
        (tmp_path / f"{name}.gltf").write_text(document.text())
    server = start("--render-workers", "0", root=tmp_path)
    refused = {name: server.get(f"/v1/model?model={name}.gltf") for name in names | {"KHR_of_tomorrow"}}
    refused = {name: answer.error() for name, answer in refused.items() if answer.status != 200}
    assert refused == {"KHR_of_tomorrow": "unsupported_extension"}
