"""/v1/palette compared with arithmetic: rotated, unevenly scaled and off the origin, including root and mesh node."""
import json

import pytest

from contract_model import (ARM, BODY, BODY_JOINTS, BODY_WEIGHTS, BONES, HAND, IDENTITY, MESH_NODE, OUTSIDE, PLATE, ROOT,
                            SHEAR, bend, inverse, is_near, place, product)
from small_models import gltf

pytestmark = pytest.mark.short
P = "model=awkward.gltf"
SKINS = [([ARM, HAND], BONES), ([HAND], [IDENTITY]), ([HAND, ARM], [IDENTITY] * 2), ([ARM], [IDENTITY]),
         ([SHEAR], [IDENTITY]), ([OUTSIDE], [IDENTITY])]
USED_BY = [MESH_NODE, None, None, None, SHEAR, OUTSIDE]
TIMES = [0, 0.3, 1, 1.75]


def palettes(server, query=""):
    answer = server.json(f"/v1/palette?{P}&t={','.join(map(str, TIMES))}&{query}")
    return answer, [frame["palettes"] for frame in answer["frames"]]


def check(found, expected):
    assert len(found) == len(expected)
    for matrix, other in zip(found, expected):
        assert is_near(matrix, other), (matrix, other)


def test_scene(awkward):
    answer, found = palettes(awkward)
    assert (answer["space"], answer["layout"], answer["wrap"]) == ("scene", "mat4", "loop")
    assert answer["clip"] == {"index": 0, "name": "bend", "duration": 2}
    for time, frame in zip(TIMES, found):
        scene = bend(time)
        for (nodes, bones), palette in zip(SKINS, frame):
            check(palette, [product(scene[node], bone) for node, bone in zip(nodes, bones)])
            assert all(matrix[3::4] == [0, 0, 0, 1] for matrix in palette)


def test_root(awkward):
    """Uses the root's rest transform, although the clip scales the root."""
    answer, found = palettes(awkward, "space=root")
    assert answer["space"] == "root"
    front = inverse(bend()[ROOT])
    for time, frame in zip(TIMES, found):
        scene = bend(time)
        for (nodes, bones), palette in zip(SKINS, frame):
            check(palette, [product(front, product(scene[node], bone)) for node, bone in zip(nodes, bones)])


def test_mesh(awkward):
    """Uses the mesh node's transform at that time; the clip moves it."""
    for query, skins, node_of in [("skin=0,4,5", [0, 4, 5], USED_BY), ("skin=1,0&mesh=3", [1, 0], [SHEAR] * 6)]:
        answer, found = palettes(awkward, "space=mesh&" + query)
        assert answer["space"] == "mesh"
        for time, frame in zip(TIMES, found):
            scene = bend(time)
            for skin, palette in zip(skins, frame):
                front = inverse(scene[node_of[skin]])
                check(palette, [product(front, product(scene[node], bone)) for node, bone in zip(*SKINS[skin])])


def test_mesh_space_of_an_unused_skin(awkward):
    """No mesh node uses skin 1, so there is no node to be relative to."""
    answer = awkward.json(f"/v1/palette?{P}&space=mesh&skin=1")
    check(answer["frames"][0]["palettes"][0], [bend(0)[HAND]])


def test_mesh_needs_its_space(awkward):
    answer = awkward.get(f"/v1/palette?{P}&mesh=1")
    assert (answer.status, answer.error()) == (400, "bad_parameter")


@pytest.mark.parametrize("space", ["scene", "root", "mesh"])
def test_mat3x4_is_mat4_in_rows(awkward, space):
    query = f"skin=0,4,5&space={space}"
    whole, compact = (palettes(awkward, query + more)[1] for more in ("", "&layout=mat3x4"))
    for a, b in zip(whole, compact):
        for m, rows in zip(sum(a, []), sum(b, [])):
            assert rows == [m[4 * c + r] for r in range(3) for c in range(4)]


def test_rest(awkward):
    answer = awkward.json(f"/v1/palette?{P}&clip=-&skin=0")
    assert answer["clip"] is None
    check(answer["frames"][0]["palettes"][0], [product(bend()[n], b) for n, b in zip([ARM, HAND], BONES)])


def test_vertices_are_the_sums_that_the_palette_says(awkward):
    """The sum of weight * palette[joint] * POSITION, for skinned and rigid meshes, equals /v1/mesh."""
    times = "t=0.3,1.75"
    frames = awkward.json(f"/v1/palette?{P}&{times}")["frames"]
    mesh = awkward.json(f"/v1/mesh?{P}&{times}&rest=1")
    for frame, posed in zip(frames, mesh["frames"]):
        for entry, rest, found in zip(mesh["meshes"], mesh["rest"], posed["positions"]):
            palette = frame["palettes"][entry["skin"]]
            source = BODY if entry["skin"] == 0 else PLATE
            for v in range(entry["vertices"]):
                bind = rest[3 * v:3 * v + 3]
                file_vertex = [source[i:i + 3] for i in range(0, len(source), 3)].index(bind)
                weights, joints = [1], [0]
                if entry["skin"] == 0:
                    weights = BODY_WEIGHTS[4 * file_vertex:4 * file_vertex + 4]
                    joints = BODY_JOINTS[4 * file_vertex:4 * file_vertex + 4]
                parts = [[w * x for x in place(palette[j], bind)] for w, j in zip(weights, joints)]
                assert is_near(found[3 * v:3 * v + 3], [sum(column) for column in zip(*parts)]), (entry, v)


def test_a_pose_that_is_not_finite_names_its_joint(awkward):
    for op in ("palette", "pose", "mesh", "render"):
        more = "&skin=0" if op == "palette" else ""
        answer = awkward.get(f"/v1/{op}?{P}&clip=overflow&t=0.9{more}")
        assert (answer.status, answer.error()) == (422, "not_finite"), op
        message = answer.json()["error"]["message"]
        assert "awkward.gltf" in message and "overflow" in message and "hand" in message and "0.9" in message, message
        assert awkward.get(f"/v1/{op}?{P}&clip=overflow&t=0{more}").status == 200
    answer = awkward.get(f"/v1/palette?{P}&clip=overflow&t=0,0.9&format=bin")
    assert (answer.status, answer.error()) == (422, "not_finite")
    assert awkward.get(f"/v1/pose?{P}&clip=overflow&t=0.9&joints=arm,root").status == 200


def test_palette_of_a_sample(server, a_model):
    """The same sums for a real character, with the model's own lists."""
    target = f"/v1/palette?model={a_model}&t=0.4"
    answer = server.json(target)
    pose = server.json(f"/v1/pose?model={a_model}&t=0.4")["frames"][0]["scene"]
    rest = server.json(f"/v1/palette?model={a_model}&clip=-")["frames"][0]["palettes"]
    still = server.json(f"/v1/pose?model={a_model}&clip=-")["frames"][0]["scene"]
    for s, skin in enumerate(answer["skins"]):
        for j, joint in enumerate(skin["joints"]):
            bind = product(inverse(still[joint["node"]]), rest[s][j])
            assert is_near(answer["frames"][0]["palettes"][s][j], product(pose[joint["node"]], bind), 1e-4)


def test_root_space_of_several_roots(start, tmp_path):
    """Several roots: no transform in front. A root that cannot be inverted is an error, not a number."""
    one = {"mesh": 0, "translation": [5, 0, 0], "scale": [2, 2, 2]}
    for name, nodes in [("two", [one, {}]), ("flat", [{**one, "scale": [0, 0, 0]}])]:
        model = json.loads(gltf())
        model["nodes"], model["scenes"] = nodes, [{"nodes": list(range(len(nodes)))}]
        (tmp_path / f"{name}.gltf").write_text(json.dumps(model))
    server = start(root=tmp_path)
    scene, root = (server.json("/v1/palette", model="two.gltf", space=space)["frames"] for space in ("scene", "root"))
    assert scene == root and root[0]["palettes"][0][0] == [2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 2, 0, 5, 0, 0, 1]
    for space in ("root", "mesh"):
        assert server.get(f"/v1/palette?model=flat.gltf&space={space}").error() == "not_finite"
    assert server.get("/v1/palette?model=flat.gltf").status == 200
