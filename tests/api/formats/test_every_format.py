"""Every row of formats.def has a file that tests it: one of those here, or one that the test named here reads."""
import pathlib
import re
import shutil
import sys

import pytest

TOP = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(TOP / "tests/api/support"))
import conformance  # noqa: E402
import small_static  # noqa: E402
from small_static import CORNERS  # noqa: E402

DRAWS = False


def as_is(corner):
    return corner


def mirrored(corner):
    """From left-handed axes, by negating z."""
    return corner[0], corner[1], -corner[2]


def turned(corner):
    """assimp has made y the up axis."""
    return corner[0], corner[2], -corner[1]


FILES = {
    "ac": (small_static.ac, as_is), "ac3d": (small_static.ac, as_is), "amf": (small_static.amf, as_is), "ase": (small_static.ase, as_is),
    "cob": (small_static.cob, as_is), "dxf": (small_static.dxf, as_is), "enff": (small_static.enff, as_is), "ifc": (small_static.ifc, as_is),
    "iqm": (small_static.iqm, turned), "lxo": (small_static.lxo, mirrored), "md3": (small_static.md3, as_is), "mdc": (small_static.mdc, as_is),
    "nff": (small_static.nff, as_is), "off": (small_static.off, as_is), "ogex": (small_static.ogex, as_is), "pmx": (small_static.pmx, mirrored),
    "q3o": (small_static.q3o, as_is), "xgl": (small_static.xgl, as_is),
}
# Where the others are tested: a file of the tree that contains the extension.
ELSEWHERE = {
    "3ds": "tests/api/formats/test_3ds.py", "3mf": "tests/api/formats/test_threemf.py", "b3d": "tests/oracle/binary_models.py", "blend": "tests/api/formats/test_refused_formats.py",
    "bvh": "tests/oracle/bvh_evaluator.py", "dae": "tests/api/formats/test_collada.py", "fbx": "tests/oracle/fbx_evaluator.py",
    "glb": "tests/oracle/gltf_evaluator.py", "gltf": "tests/oracle/gltf_evaluator.py", "lwo": "tests/api/formats/test_lwo.py", "md2": "tests/api/formats/test_md2.py",
   
    "md5anim": "tests/oracle/md5_evaluator.py", "md5mesh": "tests/oracle/md5_evaluator.py", "mdl": "tests/api/support/small_mdl.py",
    "mesh": "tests/api/formats/test_ogre.py",
    "ms3d": "tests/oracle/binary_models.py", "obj": "tests/oracle/obj_evaluator.py", "ply": "tests/api/formats/test_static_formats.py",
    "smd": "tests/oracle/smd_evaluator.py", "stl": "tests/api/formats/test_static_formats.py", "vrm": "tests/api/formats/test_gltf_extensions.py",
    "vrma": "tests/api/formats/test_vrm.py",
    "x": "tests/oracle/x_evaluator.py", "x3d": "tests/api/formats/test_static_formats.py",
    "zae": "tests/api/formats/test_collada.py",
}
# Debian's assimp-testmodels has files of these. Tests skip them without that package.
TEST_MODELS = pathlib.Path("/usr/share/assimp/models")
OF_TEST_MODELS = {"csm": "CSM/ThomasFechten.csm", "lws": "LWS/move_x.lws", "q3s": "Q3D/WusonOrange.q3s"}


def test_every_row_has_a_file():
    rows = set(re.findall(r'^X\("(\w+)"', (TOP / "protocol/formats.def").read_text(encoding="utf-8"), re.M))
    assert rows == FILES.keys() | ELSEWHERE.keys() | OF_TEST_MODELS.keys()
    for ending, path in ELSEWHERE.items():
        assert re.search(rf"\b{ending}\b", (TOP / path).read_text(encoding="utf-8"), re.I), (ending, path)


def test_vertices_of_each_format(start, tmp_path):
    for ending, (make, _) in FILES.items():
        content = make()
        (tmp_path / f"a.{ending}").write_bytes(content if isinstance(content, bytes) else content.encode())
    server = start("--render-workers", "0", root=tmp_path)
    for ending, (_, scene_from_file) in FILES.items():
        answer = server.json("/v1/mesh", model=f"a.{ending}")
        got = [positions[i:i + 3] for positions in answer["frames"][0]["positions"] for i in range(0, len(positions), 3)]
        expected = {scene_from_file(corner) for corner in CORNERS}
        conformance.compared_points(tmp_path / f"a.{ending}", conformance.WORKED, got, expected)
        assert {tuple(round(x, 4) + 0.0 for x in point) for point in got} == expected, ending
        assert server.json("/v1/model", model=f"a.{ending}")["counts"]["triangles"] == 4, ending


@pytest.mark.skipif(not TEST_MODELS.is_dir(), reason="assimp-testmodels is not installed")
def test_files_of_others_are_read(start, tmp_path):
    for ending, path in OF_TEST_MODELS.items():
        shutil.copy(TEST_MODELS / path, tmp_path / f"a.{ending}")
    shutil.copy(TEST_MODELS / "LWS/simple_cube.lwo", tmp_path)
    server = start("--render-workers", "0", root=tmp_path)
    assert len(server.json("/v1/model", model="a.csm")["nodes"]) > 40
    assert server.json("/v1/model", model="a.q3s")["counts"]["triangles"] > 3000
    scene = server.json("/v1/model", model="a.lws")
    assert scene["counts"]["triangles"] == 12 and scene["clips"][0]["duration"] > 1


def test_what_quick3d_calls_up(start, tmp_path):
    (tmp_path / "a.q3o").write_bytes(small_static.q3o())
    server = start("--render-workers", "0", root=tmp_path)
    assert server.json("/v1/model", model="a.q3o")["up"] == [0, 0, 1]


def test_colours_of_open_gex_are_left_out(start, tmp_path):
    for count in (3, 4):
        (tmp_path / f"{count}.ogex").write_text(small_static.ogex(colors=count))
    server = start("--render-workers", "0", root=tmp_path)
    for count in (3, 4):
        answer = server.json("/v1/model", model=f"{count}.ogex")
        assert answer["counts"]["triangles"] == 4 and [w["code"] for w in answer["warnings"]] == ["colors_not_read"]


def test_ifc_with_and_without_owners(start, tmp_path):
    (tmp_path / "none.ifc").write_text(small_static.ifc())
    (tmp_path / "spaced.ifc").write_text(small_static.ifc(owner=" $ "))
    server = start("--render-workers", "0", root=tmp_path)
    assert server.json("/v1/model", model="none.ifc")["hash"] == server.json("/v1/model", model="spaced.ifc")["hash"]
