"""/v1/pose and /v1/mesh: every node, every vertex."""
import pytest

from contract_model import (BODY, HAND, NODES, PARENTS, PLATE, SHEAR, SHEARED, bend, inverse, is_near, of_trs, place, product,
                            rest_trs)

pytestmark = pytest.mark.short
P = "model=awkward.gltf"


def test_scene_is_parent_times_local(awkward):
    answer = awkward.json(f"/v1/pose?{P}&what=local,scene&t=0,0.3,1,1.9")
    for frame in answer["frames"]:
        expected = bend(frame["clip_time"])
        for i, scene in enumerate(frame["scene"]):
            assert is_near(scene, expected[i]), NODES[i]
            local = of_trs(frame["local"][i]) if frame["local"][i] else frame["local_matrix"][str(i)]
            parent = PARENTS[i]
            again = local if parent < 0 else product(frame["scene"][parent], local)
            assert is_near(again, scene), NODES[i]


def test_locals_are_the_files(awkward):
    frame = awkward.json(f"/v1/pose?{P}&what=local&clip=-")["frames"][0]
    assert set(frame) == {"time", "clip_time", "local", "local_matrix"}
    for i in range(len(NODES)):
        if i == SHEAR:
            assert frame["local"][i] is None and frame["local_matrix"] == {str(SHEAR): SHEARED}
        else:
            assert is_near(frame["local"][i], rest_trs(i), 1e-7)


@pytest.mark.parametrize("query, keys", [
    ("", {"scene"}), ("what=scene", {"scene"}), ("what=local", {"local", "local_matrix"}),
    ("what=local,scene", {"local", "scene", "local_matrix"}), ("what=scene&what=local", {"local", "scene", "local_matrix"}),
    ("what=local&joints=hand", {"local"}),
])
def test_what(awkward, query, keys):
    frame = awkward.json(f"/v1/pose?{P}&{query}")["frames"][0]
    assert set(frame) == {"time", "clip_time"} | keys


def test_selection_is_in_the_order_asked(awkward):
    everything = awkward.json(f"/v1/pose?{P}&what=local,scene&t=0.3")["frames"][0]
    some = awkward.json(f"/v1/pose?{P}&what=local,scene&t=0.3&joints=6,3&joints=0,3")["frames"][0]
    for key in ("local", "scene"):
        assert some[key] == [everything[key][i] for i in (6, 3, 0, 3)]
    assert some["local_matrix"] == everything["local_matrix"]


def test_layout(awkward):
    for what in ("scene", "local"):
        whole = awkward.json(f"/v1/pose?{P}&what={what}&joints=3&t=0.3")["frames"][0]
        compact = awkward.json(f"/v1/pose?{P}&what={what}&joints=3&t=0.3&layout=mat3x4")["frames"][0]
        m, rows = (frame["scene"][0] if what == "scene" else frame["local_matrix"]["3"] for frame in (whole, compact))
        assert rows == [m[4 * c + r] for r in range(3) for c in range(4)]


# --- meshes ---


def test_entries(awkward):
    """There is an entry for every mesh node and primitive, including the node outside the scene."""
    meshes = awkward.json(f"/v1/mesh?{P}")["meshes"]
    keys = ("node", "mesh", "name", "primitive", "skin", "material", "vertices", "indices", "topology", "in_scene")
    assert [tuple(entry[key] for key in keys) for entry in meshes] == [
        (1, 0, "body", 0, 0, None, 4, 6, "triangles", True),
        (3, 1, None, 0, 4, None, 4, 6, "triangles", True), (3, 1, None, 1, 4, None, 4, 6, "triangles", True),
        (6, 1, None, 0, 5, None, 4, 6, "triangles", False), (6, 1, None, 1, 5, None, 4, 6, "triangles", False)]


def test_what_is_added(awkward):
    plain = awkward.json(f"/v1/mesh?{P}")
    assert not {"rest", "indices"} & set(plain) and "normals" not in plain["frames"][0]
    full = awkward.json(f"/v1/mesh?{P}&rest=1&indices=1&normals=1&t=0,1")
    assert {"rest", "indices"} <= set(full) and all("normals" in frame for frame in full["frames"])
    assert awkward.get(f"/v1/mesh?{P}&rest=0&indices=0&normals=0").body == awkward.get(f"/v1/mesh?{P}").body
    for lists in (full["rest"], full["frames"][1]["positions"], full["frames"][1]["normals"]):
        assert [len(one) for one in lists] == [3 * entry["vertices"] for entry in full["meshes"]]
    for entry, rest, indices in zip(full["meshes"], full["rest"], full["indices"]):
        source = BODY if entry["mesh"] == 0 else PLATE
        assert len(indices) == entry["indices"] and max(indices) < entry["vertices"]
        corners = [rest[3 * i:3 * i + 3] for i in indices]
        assert corners == [source[3 * i:3 * i + 3] for i in (0, 1, 2, 0, 2, 3)]


def test_rigid_vertices_and_normals(awkward):
    """A normal stays at right angles to its surface under shear and uneven scale."""
    answer = awkward.json(f"/v1/mesh?{P}&mesh=1&rest=1&normals=1&indices=1&t=1.75")
    assert [entry["node"] for entry in answer["meshes"]] == [3, 3, 6, 6]
    scene = bend(1.75)
    frame = answer["frames"][0]
    for e, entry in enumerate(answer["meshes"]):
        rest, positions, normals = answer["rest"][e], frame["positions"][e], frame["normals"][e]
        for v in range(entry["vertices"]):
            assert is_near(positions[3 * v:3 * v + 3], place(scene[entry["node"]], rest[3 * v:3 * v + 3]))
            assert abs(sum(x * x for x in normals[3 * v:3 * v + 3]) - 1) < 1e-5
    body = awkward.json(f"/v1/mesh?{P}&mesh=body&rest=1&normals=1&clip=-")
    assert len(body["meshes"]) == 1
    v = next(v for v in range(4) if body["rest"][0][3 * v:3 * v + 3] == [1, 0, 0])  # all of it follows the hand
    palette = awkward.json(f"/v1/palette?{P}&skin=0&clip=-")["frames"][0]["palettes"][0][1]
    back = inverse(palette)
    expected = [back[4 * c + 2] for c in range(3)]  # the inverse's transpose times (0, 0, 1)
    length = sum(x * x for x in expected) ** 0.5
    assert is_near(body["frames"][0]["normals"][0][3 * v:3 * v + 3], [x / length for x in expected], 1e-5)


def test_model_agrees_with_the_mesh(awkward):
    """The bounds are around the drawn vertices at rest."""
    model, mesh = awkward.json(f"/v1/model?{P}"), awkward.json(f"/v1/mesh?{P}&clip=-")
    drawn = sum((p for e, p in zip(mesh["meshes"], mesh["frames"][0]["positions"]) if e["in_scene"]), [])
    assert is_near(model["bounds"]["min"], [min(drawn[i::3]) for i in range(3)], 1e-6)
    assert is_near(model["bounds"]["max"], [max(drawn[i::3]) for i in range(3)], 1e-6)
    assert model["counts"] == {"nodes": 11, "skins": 6, "joints": 6, "meshes": 2, "vertices": 12, "triangles": 6, "clips": 9,
                               "warnings": len(model["warnings"])}
    assert model["nodes"][HAND]["parent"] == 2
