"""Layers of glTF materials (clearcoat, sheen, ...) from a file to /v1/model, to an exported GLB and into a comparison."""
import json
import pathlib
import struct
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "golden"))
import layer_spheres  # noqa: E402

DRAWS = False

EXTENSION = "KHR_materials_"
NEUTRAL = {"ior": 1.5, "specularFactor": 1, "specularColorFactor": [1, 1, 1], "iridescenceIor": 1.3, "iridescenceThicknessMinimum": 100,
           "iridescenceThicknessMaximum": 400}


def document_of(glb):
    size, = struct.unpack_from("<I", glb, 12)
    return json.loads(glb[20:20 + size])


def near(one, other):
    if isinstance(one, list):
        return len(one) == len(other) and all(map(near, one, other))
    return abs(one - other) <= 1e-6 * max(1, abs(other))


@pytest.fixture()
def served(start, tmp_path):
    for name in layer_spheres.NAMES:
        (tmp_path / f"{name}.glb").write_bytes(layer_spheres.spheres(name))
    return start(root=tmp_path)


def check_factors(served, name):
    document = document_of(layer_spheres.spheres(name))
    answer = served.json(f"/v1/model?model={name}.glb")
    assert answer["warnings"] == []
    for material, source in zip(answer["materials"], document["materials"]):
        for extension, members in source.get("extensions", {}).items():
            if not any(value != NEUTRAL.get(key, 0) for key, value in members.items()) or members.get("transmissionFactor") == 0:
                assert extension not in material.get("extensions", {})  # it has no effect
                continue
            got = material["extensions"][extension]
            for key, value in members.items():
                if key.endswith("Texture"):
                    slot = "".join("_" + c.lower() if c.isupper() else c for c in key.removesuffix("Texture"))
                    content = answer["textures"][material["textures"][slot]["texture"]]["content"]
                    assert content == ("colors" if slot.endswith("_color") else "data")
                else:
                    assert near(got[key], value)
        assert set(material.get("extensions", {})) <= set(source.get("extensions", {}))


def check_vertex(served, name):
    """The pole of the second ball, which is rotated, unevenly scaled and off the origin."""
    node = document_of(layer_spheres.spheres(name))["nodes"][1]
    x, y, z, w = node["rotation"]
    turned = [2 * (x * y - z * w), 1 - 2 * (x * x + z * z), 2 * (y * z + x * w)]
    expected = [at + node["scale"][1] * part for at, part in zip(node["translation"], turned)]
    got = served.json(f"/v1/mesh?model={name}.glb&clip=-")["frames"][0]["positions"][1][:3]
    assert all(abs(a - b) < 1e-5 for a, b in zip(got, expected))


def test_factors_and_textures_are_those_of_the_file(served):
    for name in layer_spheres.NAMES:
        check_factors(served, name)
        check_vertex(served, name)


def test_exported_and_read_again_they_are_the_same(served, start, tmp_path_factory):
    folder = tmp_path_factory.mktemp("again")
    for name in layer_spheres.NAMES:
        (folder / f"{name}.glb").write_bytes(served.get(f"/v1/export?model={name}.glb").body)
        (folder / f"{name}_before.glb").write_bytes(layer_spheres.spheres(name))
    server = start(root=folder)
    for name in layer_spheres.NAMES:
        before, after = (server.json(f"/v1/model?model={name}{end}.glb")["materials"] for end in ("_before", ""))
        for one, other in zip(before, after):
            assert one.get("extensions") == other.get("extensions")
            assert list(one["textures"]) == list(other["textures"])
        assert server.json(f"/v1/compare?model={name}.glb&with={name}_before.glb")["differences"] == []


def test_a_change_of_a_layer_is_a_difference(start, tmp_path):
    (tmp_path / "old.glb").write_bytes(layer_spheres.spheres("clearcoat"))
    (tmp_path / "new.glb").write_bytes(layer_spheres.spheres("clearcoat").replace(b'"clearcoatFactor": 0.5', b'"clearcoatFactor": 0.2'))
    differences = start(root=tmp_path).json("/v1/compare?model=new.glb&with=old.glb")["differences"]
    assert [d["kind"] for d in differences] == ["material"]
    assert "clearcoatFactor is 0.2 and was 0.5" in differences[0]["message"]
