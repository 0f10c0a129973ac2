"""3D Studio files: meshes are where the editor has them, whatever the keyframer says about things that do not move."""
import math
import pathlib
import sys

import conformance
import pytest
from small_3ds import BOX, ROOT, file, mesh, node

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "oracle"))
from matrices import from_trs, multiply, transform, translation, turned  # noqa: E402

DRAWS = False

A = from_trs([10, 0, 0], turned("z", math.radians(90)), [1, 2, 1])
B = multiply(A, from_trs([0, 5, 0], turned("x", math.radians(45)), [2, 2, 3]))
KEYS_A, KEYS_B = ((10, 0, 0), (0, 0, 1), 90, (1, 2, 1)), ((0, 5, 0), (1, 0, 0), 45, (2, 2, 3))
PIVOT = [1, 2, 3]
HELD = multiply(A, translation([-x for x in PIVOT]))

# name: (scene_from_mesh of A, nodes, whether the tree of nodes stays)
CASES = {
    "tree": (A, [node(0, "A", ROOT, keys=KEYS_A), node(1, "B", 0, keys=KEYS_B)], True),
    "pivot": (HELD, [node(0, "A", ROOT, PIVOT, KEYS_A), node(1, "B", 0, keys=KEYS_B)], True),
    "no tracks": (A, [node(0, "A", ROOT), node(1, "B", 0)], False),
    "child without tracks": (A, [node(0, "A", ROOT, keys=KEYS_A), node(1, "B", 0)], False),
    "child first": (A, [node(1, "B", 0, keys=KEYS_B), node(0, "A", ROOT, keys=KEYS_A)], False),
    "mesh without node": (A, [node(0, "A", ROOT, keys=KEYS_A)], False),
    "child in scene": (A, [node(0, "A", ROOT, keys=KEYS_A), node(1, "B", 0, keys=((3, 5, 0), (1, 0, 0), 45, (2, 2, 3)))], False),
}


def corners(points):
    return [[f(p[i] for p in points) for i in range(3)] for f in (min, max)]


@pytest.mark.parametrize("name", CASES)
def test_meshes_stand_where_the_editor_has_them(start, tmp_path, name):
    scene_from_mesh, nodes, has_tree = CASES[name]
    places = [[transform(m, p) for p in BOX] for m in (scene_from_mesh, B)]
    (tmp_path / "a.3ds").write_bytes(file([mesh("A", places[0], scene_from_mesh), mesh("B", places[1], B)], nodes))
    server = start(root=tmp_path)
    shown = {row["name"]: row for row in server.json("/v1/model", model="a.3ds")["nodes"]}
    answer = server.json("/v1/mesh", model="a.3ds", t=0, clip="-")["frames"][0]["positions"]
    got = [[positions[i:i + 3] for i in range(0, len(positions), 3)] for positions in answer]
    order = sorted(("A", "B"), key=lambda one: shown[one]["node"])
    conformance.compared_points(tmp_path / "a.3ds", conformance.WORKED, sum(got, []), sum(places, []))
    for points, one in zip(got, order):
        for ours, file_has in zip(corners(points), corners(places["AB".index(one)])):
            assert ours == pytest.approx(file_has, abs=1e-4)
    assert (shown["B"]["parent"] == shown["A"]["node"]) == has_tree
