"""Constraints of nodes (VRMC_node_constraint) at every pose, against the specification in Python. tests/web compares with three-vrm."""
import io
import json
import time

import numpy as np
import pytest
from PIL import Image

import crowds
from constraint_files import TIMES, Pose, Rig, constraint, glb, many, poses, slerp
from importers import NO_RENDERING

NEAR = 2e-5  # of the rig, whose size is about 1
CORNERS = np.array([(0, 0, 0, 1), (0.05, 0.01, 0.1, 1), (-0.04, 0.08, 0.02, 1)])  # of the triangle of each node


@pytest.fixture
def rig(tmp_path):
    made = many()
    (tmp_path / "many.glb").write_bytes(glb(made.document()))
    return made


def scene_of(server, **query):
    frames = server.json("/v1/pose", **query)["frames"]
    return np.array([frame["scene"] for frame in frames]).reshape(len(frames), -1, 4, 4).transpose(0, 1, 3, 2)


AT = ",".join(map(str, TIMES))


def test_all_kinds_axes_and_weights_are_as_specified(start, tmp_path, rig):
    server = start(*NO_RENDERING, root=tmp_path)
    expected = poses(rig)
    scene = scene_of(server, model="many.glb", clip=0, t=AT, wrap="clamp")
    assert np.abs(scene[:, :len(rig.parents)] - expected).max() < NEAR
    assert np.abs(expected - expected[:1]).max() > 0.5
    rest = scene_of(server, model="many.glb", clip="-", t=0)
    assert np.abs(rest[:, :len(rig.parents)] - poses(rig, [None])).max() < NEAR
    info = server.json("/v1/model", model="many.glb")
    assert info["clips"][0]["evaluation"] == "exact" and info["warnings"] == []
    assert len(info["constraints"]) == sum("extensions" in node for node in rig.nodes)
    named = {rig.nodes[one["node"]]["name"]: one for one in info["constraints"]}
    assert named["roll Y 0.3"] == {"node": named["roll Y 0.3"]["node"], "kind": "roll", "source": 2, "axis": "y", "weight": pytest.approx(0.3)}
    assert named["aim NegativeZ 1"]["axis"] == "-z" and "axis" not in named["no weight"] and named["no weight"]["weight"] == 1
    order = [rig.nodes[one["node"]]["name"] for one in info["constraints"]]
    assert order.index("A") < order.index("B") < order.index("C") > order.index("D")


def test_palettes_meshes_and_bounds_have_them(start, tmp_path, rig):
    server = start(*NO_RENDERING, root=tmp_path)
    expected = poses(rig)
    at = {"model": "many.glb", "clip": 0, "t": AT, "wrap": "clamp"}
    palette = np.array([frame["palettes"][0] for frame in server.json("/v1/palette", **at)["frames"]])
    assert np.abs(palette.reshape(len(TIMES), -1, 4, 4).transpose(0, 1, 3, 2) - expected).max() < NEAR
    vertices = np.einsum("fnij,cj->fnci", expected, CORNERS)[..., :3]
    mesh = np.array([frame["positions"][0] for frame in server.json("/v1/mesh", **at)["frames"]]).reshape(vertices.shape)
    assert np.abs(mesh - vertices).max() < NEAR
    bounds = server.json("/v1/bounds", **at)["frames"]
    for frame, points in zip(bounds, vertices):
        assert np.allclose([frame["bounds"]["min"], frame["bounds"]["max"]], [points.min((0, 1)), points.max((0, 1))], atol=NEAR)


def ask(server, path, body):
    data = json.dumps(body).encode()
    with server.connect() as connection:
        connection.send(f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(data)}\r\n\r\n".encode() + data)
        answer = connection.answer()
    assert answer.status == 200, answer.body
    return answer.json()


def test_crowds_and_rays_have_them(start, tmp_path, rig):
    server = start(*NO_RENDERING, root=tmp_path)
    expected = poses(rig)
    crowd = crowds.Crowd()
    crowd.model("many.glb")
    crowd.wanted()
    for at in TIMES * 3:  # enough for a group
        crowd.entity([{"clip": 0, "time_s": at, "weight": 1, "wrap": 1}])
    answer = crowds.Answer(crowds.post(server, crowd.bytes()).body)
    assert len(answer.floats) == 12 and answer.errors == {}
    for i, floats in enumerate(answer.floats):
        palette = np.frombuffer(floats, np.float32).reshape(len(rig.parents), -1)
        wanted = expected[i % 4][:, :3] if palette.shape[1] == 12 else expected[i % 4].transpose(0, 2, 1)
        assert np.abs(palette - wanted.reshape(palette.shape)).max() < NEAR
    node = next(n for n, one in enumerate(rig.nodes) if one["name"] == "aim NegativeZ 1")
    corners = [(expected[2, node] @ corner)[:3] for corner in CORNERS]
    middle, normal = np.mean(corners, 0), np.cross(corners[1] - corners[0], corners[2] - corners[0])
    normal /= np.linalg.norm(normal)
    hits = ask(server, "/v1/raycast", {
        "test": "mesh", "hits": "all", "entities": [{"model": "many.glb", "clip": 0, "t": TIMES[2]}],
        "rays": [{"origin": list(middle + 0.01 * normal), "direction": list(-normal), "max": 0.02}]})["hits"]
    hit = next(one for one in hits if one["triangle"] == node)
    assert np.abs(np.array(hit["point"]) - middle).max() < NEAR


def test_blends_are_constrained_after_they_are_blended(start, tmp_path, rig):
    server = start(*NO_RENDERING, root=tmp_path)
    rotations = {n: node["rotation"] for n, node in enumerate(rig.nodes)}
    translations = {n: node["translation"] for n, node in enumerate(rig.nodes)}
    for (node, path), rows in rig.keys.items():
        if path == "rotation":
            rotations[node] = slerp(rotations[node], rows[2], 0.25)
        else:
            translations[node] = 0.75 * np.array(translations[node]) + 0.25 * np.array(rows[2])
    pose = Pose(rig, rotations, translations)
    frames = ask(server, "/v1/pose", {"model": "many.glb", "layers": [{"clip": 0, "t": TIMES[2], "weight": 0.25}, {"clip": "-", "weight": 0.75}]})["frames"]
    scene = np.array(frames[0]["scene"]).reshape(-1, 4, 4).transpose(0, 2, 1)
    assert np.abs(scene[:len(rig.parents)] - [pose.scene(n) for n in range(len(rig.parents))]).max() < NEAR


def exported(server, tmp_path, query):
    """The scene matrices by name, of the model that the exported file makes."""
    answer = server.get(f"/v1/export?model=many.glb{query}")
    assert answer.status == 200, answer.body
    name = f"made{len(list(tmp_path.iterdir()))}.glb"
    (tmp_path / name).write_bytes(answer.body)
    info = server.json("/v1/model", model=name)
    scene = scene_of(server, model=name, clip=0, t=AT, wrap="clamp")
    return info, {node["name"]: scene[:, n] for n, node in enumerate(info["nodes"]) if node["name"]}


@pytest.mark.parametrize("query, near", (("", NEAR), ("&optimize=1", 2e-4), ("&fps=60", 2e-3), ("&compress=meshopt", NEAR)))
def test_exported_files_have_the_constraints_and_the_poses(start, tmp_path, rig, query, near):
    server = start(*NO_RENDERING, root=tmp_path)
    info, scene = exported(server, tmp_path, query)
    expected = poses(rig)
    assert len(info["constraints"]) == len(server.json("/v1/model", model="many.glb")["constraints"])
    for n, node in enumerate(rig.nodes):
        assert np.abs(scene[node["name"]] - expected[:, n]).max() < near, node["name"]


def test_an_export_warns_of_programs_that_do_not_know_constraints(start, tmp_path, rig):
    small = Rig()
    top = small.add("top")
    hand = small.add("hand", top)
    small.add("twist", top, rule=constraint("roll", hand, "X"))
    small.animate(hand)
    (tmp_path / "one.glb").write_bytes(glb(small.document()))
    server = start(*NO_RENDERING, root=tmp_path)

    def said(model, query=""):
        answer = server.get(f"/v1/export?model={model}{query}")
        assert answer.status == 200
        size = int.from_bytes(answer.body[12:16], "little")
        warnings = json.loads(answer.body[20:20 + size])["asset"]["extras"]["warnings"]
        return [one["message"] for one in warnings if one["code"] == "constraints_kept"]
    ends = "where a program does not know the extension, the keys alone move them; /v1/pose and posectl bake have the poses"
    count = len(server.json("/v1/model", model="many.glb")["constraints"])
    first = min(one["node"] for one in server.json("/v1/model", model="many.glb")["constraints"])
    assert said("many.glb") == [f"{count} nodes follow others by VRMC_node_constraint, node {first} is the first: {ends}"]
    assert said("many.glb", "&clips=-") == []  # nothing moves
    assert said("one.glb") == [f"1 node follows another by VRMC_node_constraint, node 2 is the first: {ends}"]
    assert said("one.glb", "&subtree=1") == []


def test_exported_constraints_are_those_of_the_model(start, tmp_path, rig):
    """They do not count as extras, of which the model keeps 1 MiB, and one that it limits is written as it moves."""
    writer = rig.document()
    writer.document["nodes"] = json.loads(json.dumps(writer.document["nodes"]))
    writer.document["nodes"][0]["extras"] = {"x": "y" * 1048560}
    node = next(node for node in writer.document["nodes"] if "VRMC_node_constraint" in node.get("extensions", {}))
    next(iter(node["extensions"]["VRMC_node_constraint"]["constraint"].values()))["weight"] = 7e7
    data = glb(writer).replace(b"70000000.0", b"1" + b"e400" + b" " * 5)
    (tmp_path / "many.glb").write_bytes(data)
    server = start(*NO_RENDERING, root=tmp_path)
    constraints = server.json("/v1/model", model="many.glb")["constraints"]
    before = scene_of(server, model="many.glb", clip=0, t=AT, wrap="clamp")
    info, scene = exported(server, tmp_path, "")
    by_name = {node["name"]: n for n, node in enumerate(server.json("/v1/model", model="many.glb")["nodes"]) if node["name"]}
    assert len(info["constraints"]) == len(constraints) and scene.keys() >= by_name.keys()
    for name, n in by_name.items():
        assert np.abs(scene[name] - before[:, n]).max() < NEAR, name


def test_a_circle_does_not_come_back(start, tmp_path):
    """Without one of its nodes, the others of a circle are valid; the model ignores all, and so does the file."""
    def follower(name, source):
        return {"name": name, "rotation": [0.1, 0.2, 0.3, 0.9273618], "extensions": {"VRMC_node_constraint": {
            "specVersion": "1.0", "constraint": {"rotation": {"source": source}}}}}
    document = {"asset": {"version": "2.0"}, "scenes": [{"nodes": [0, 1, 2]}], "scene": 0, "extensionsUsed": ["VRMC_node_constraint"],
                "nodes": [follower("a", 1), follower("b", 2), follower("c", 0)]}
    (tmp_path / "circle.gltf").write_text(json.dumps(document))
    server = start(*NO_RENDERING, root=tmp_path)
    info = server.json("/v1/model", model="circle.gltf")
    assert "constraints" not in info and "constraints_ignored" in [warning["code"] for warning in info["warnings"]]
    answer = server.get("/v1/export?model=circle.gltf&subtree=a&subtree=b")
    assert answer.status == 200 and b"VRMC_node_constraint" not in answer.body


@pytest.mark.parametrize("extension", ["VRMC_node_constraint", "VRMC_vrm_animation", "KHR_materials_unlit", "KHR_texture_transform", "EXT_unknown"])
def test_lists_in_place_of_objects_are_refused_or_ignored(start, tmp_path, extension):
    """Wherever an object of the file has extensions."""
    places = {"nodes": {}, "samplers": {}, "images": {"uri": "a.png"}, "materials": {}, "textures": {}, "cameras": {"type": "perspective"},
              "meshes": {"primitives": []}, "skins": {"joints": [0]}, "scenes": {"nodes": [0]}, "animations": {"channels": [], "samplers": []}}
    files = []
    for place, plain in places.items():
        for value in ({extension: [1]}, {extension: {"extensions": [1]}}, {extension: {"constraint": [1, {"extensions": [[]]}]}}, [1], [[{}]]):
            document = {"asset": {"version": "2.0"}, "nodes": [{}], "scenes": [{"nodes": [0]}]}
            document[place] = [{**plain, "extensions": value}]
            if place == "cameras":
                document[place][0]["perspective"] = {"yfov": 1, "znear": 1, "extensions": value}
                document["nodes"][0]["camera"] = 0
            if place == "materials":
                document[place][0]["pbrMetallicRoughness"] = {"extensions": value}
            files.append(f"{place}{len(files)}.gltf")
            (tmp_path / files[-1]).write_text(json.dumps(document))
    server = start(*NO_RENDERING, root=tmp_path)
    for name in files:
        answer = server.get(f"/v1/model?model={name}")
        assert answer.status == 200 or answer.error() == "bad_model", (name, answer.body[:300])


def test_a_subtree_brings_what_its_constraints_need(start, tmp_path, rig):
    """The joints of a skin stay, so these files have none."""
    writer = rig.document()
    writer.document.pop("skins"), writer.document.pop("meshes")
    writer.document.update(nodes=rig.nodes, scenes=[{"nodes": [n for n, parent in enumerate(rig.parents) if parent is None]}])
    (tmp_path / "many.glb").write_bytes(glb(writer))
    server = start(*NO_RENDERING, root=tmp_path)
    expected, names = poses(rig), [node["name"] for node in rig.nodes]
    for top, brings in (("roll X 1", {"top", "arm", "hand"}), ("C", {"top", "arm", "hand", "tip", "A", "B", "D", "E"}), ("below", {"aim of a root", "tip", "hand", "arm", "top"})):
        info, scene = exported(server, tmp_path, "&subtree=" + top.replace(" ", "%20"))
        assert scene.keys() == brings | {top}, top
        for name in scene:
            assert np.abs(scene[name] - expected[:, names.index(name)]).max() < NEAR, (top, name)


def chain(count, kind):
    """A chain of nodes, each of which follows the one before it: a roll or a rotation its parent, an aim the first node."""
    nodes = [{"name": "first", "translation": [0.1, 0.2, 0.3], "rotation": [0.6, 0, 0, 0.8], "children": [1]}]
    for n in range(1, count + 1):
        nodes.append({"translation": [0, 0.01, 0], "rotation": [0, 0, 0.1 * (n % 3), (1 - (0.1 * (n % 3)) ** 2) ** 0.5],
                      "children": [n + 1] if n < count else [],
                      "extensions": constraint(kind, 0 if kind == "aim" else n - 1, {"roll": "Y", "aim": "PositiveY"}.get(kind), 0.5)})
    nodes[-1].pop("children")
    return {"asset": {"version": "2.0"}, "scenes": [{"nodes": [0]}], "scene": 0, "nodes": nodes, "extensionsUsed": ["VRMC_node_constraint"]}


@pytest.mark.parametrize("kind", ("roll", "aim", "rotation"))
def test_ten_thousand_constraints_cost_ten_thousand_steps(start, tmp_path, kind):
    count = 10000
    (tmp_path / "chain.gltf").write_text(json.dumps(chain(count, kind)))
    server = start("--max-evaluations", str(10 * (2 * count + 1)), *NO_RENDERING, root=tmp_path)
    info = server.json("/v1/model", model="chain.gltf")
    assert [one["node"] for one in info["constraints"]] == list(range(1, count + 1)) and info["warnings"] == []
    times = ",".join(str(0.1 * i) for i in range(10))
    began = time.monotonic()
    assert server.get(f"/v1/pose?model=chain.gltf&joints=first&t={times}").status == 200
    assert time.monotonic() - began < 20  # 10 poses; a second where each took the square of its nodes would be an hour
    refused = server.get(f"/v1/pose?model=chain.gltf&joints=first&t={times},1")
    assert refused.error() == "too_many_frames" and f"{2 * count + 1} steps each" in refused.json()["error"]["message"]


def test_what_depends_on_itself_is_left_out_and_named(start, tmp_path):
    rig = Rig(3)
    a, b = rig.add("a", rule=constraint("rotation", 1)), rig.add("b", rule=constraint("rotation", 0))
    rig.add("c", a, rule=constraint("rotation", b, weight=0.5))
    rig.add("d", rule=constraint("rotation", 3))
    rig.add("e", rule=constraint("aim", 99, "PositiveX"))
    (tmp_path / "circle.glb").write_bytes(glb(rig.document()))
    server = start(*NO_RENDERING, root=tmp_path)
    info = server.json("/v1/model", model="circle.glb")
    assert [one["node"] for one in info["constraints"]] == [2]
    told = [one["message"] for one in info["warnings"] if one["code"] == "constraints_ignored"]
    assert len(told) == 3 and "node 4" in told[0] and "node 3" in told[1]
    assert "no node of the file" in told[0] and "node itself" in told[1] and "node 0 depends on itself" in told[2] and "others" in told[2]


def pixels(answer):
    assert answer.status == 200, answer.body
    return np.asarray(Image.open(io.BytesIO(answer.body)).convert("RGBA")).astype(int)


def differing(a, b):
    return int((np.abs(a - b).max(axis=2) > 40).sum())


def test_pictures_have_them(start, tmp_path, rig):
    """A picture is that of the same nodes where the specification puts them, and another without the constraints."""
    made, plain = rig.document(), rig.document()
    (tmp_path / "many.glb").write_bytes(glb(made))
    plain.document["nodes"] = [{name: value for name, value in node.items() if name != "extensions"} for node in rig.nodes]
    plain.document["nodes"].append({"mesh": 0, "skin": 0})
    plain.document["scenes"] = [{"nodes": [n for n, parent in enumerate(rig.parents) if parent is None] + [len(rig.parents)]}]
    (tmp_path / "plain.glb").write_bytes(glb(plain))
    plain.document["nodes"][:-1] = [{"matrix": list(m.T.flatten())} for m in poses(rig)[2]]
    plain.document["scenes"] = [{"nodes": list(range(len(plain.document["nodes"])))}]
    plain.document.pop("animations")
    (tmp_path / "placed.glb").write_bytes(glb(plain))
    server = start(root=tmp_path)
    box = "frame_box=-1,-3,-2,4,2,3"
    many, without, placed = (pixels(server.get(f"/v1/render?model={name}.glb&clip={clip}&t={TIMES[2]}&{box}&wrap=clamp&width=300&height=300"))
                             for name, clip in (("many", 0), ("plain", 0), ("placed", "-")))
    assert differing(many, placed) < 20 < 200 < differing(many, without)
    turned = server.get(f"/v1/render?model=many.glb&clip=0&t=0&turn=C:30,0,0")
    assert turned.status == 400 and "a constraint leads node" in turned.json()["error"]["message"], turned.body
