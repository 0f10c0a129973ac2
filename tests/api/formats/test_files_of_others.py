"""Small files of public bug reports in ../shared/models/bugs: each is read as its author meant it."""
import math

import pytest

from conftest import REPOSITORY, Server

DRAWS = False

BUGS = REPOSITORY.parent / "shared" / "models" / "bugs"

pytestmark = pytest.mark.skipif(not BUGS.is_dir(), reason="../shared/models/bugs is not there")


@pytest.fixture(scope="module")
def server():
    """A server whose root is the folder of the files."""
    running = Server(BUGS, "--log", "off", "--render-workers", "0", draws=False)
    yield running
    running.end()


def codes(model):
    return {warning["code"] for warning in model["warnings"]}


# --- COLLADA ---

def angle_of(time_s):
    """Of the file's one BEZIER curve, from 0 to 360 degrees within 5 s, whose control values are 6875.42."""
    s, r = time_s / 5, 1 - time_s / 5
    return 3 * r * s * 6875.42 + s ** 3 * 360


@pytest.mark.parametrize("clip, start_s", [(0, 1), (1, 3)])
def test_collada_clips_begin_at_their_start(server, clip, start_s):
    name = "t3/cts_clip_2_clips_on_different_animation_different_time.dae"
    model = server.json("/v1/model", model=name)
    assert [(c["start"], c["duration"]) for c in model["clips"]] == [(0, 1), (0, 1)]
    answer = server.json("/v1/pose", model=name, clip=clip, wrap="clamp", t=["0", "0.25", "0.5", "1"], what="scene", joints="prop")
    for frame, part_s in zip(answer["frames"], (0, 0.25, 0.5, 1)):
        angle = math.radians(angle_of(start_s + part_s))
        assert frame["scene"][0][:2] == pytest.approx([50 * math.cos(angle), 50 * math.sin(angle)], abs=1e-4)


def test_collada_file_that_calls_itself_by_name_is_whole(server):
    model = server.json("/v1/model", model="t3/cts_self/self.dae")
    assert "instance_ignored" not in codes(model)
    assert [mesh["name"] for mesh in model["meshes"]] == ["cube"]


def test_collada_skin_without_its_geometry_leaves_a_skeleton(server):
    model = server.json("/v1/model", model="t3/ozz_pab_skeleton.dae")
    assert "instance_ignored" in codes(model)
    assert (len(model["nodes"]), len(model["meshes"]), len(model["clips"])) == (148, 0, 1)


# --- FBX ---

def test_fbx_shapes_of_old_files_have_their_weights_at_rest(server):
    """The file gives 35.2 % of Box02 and 89.6 % of Box03, which moves the point (-10, -10, 0) by (0, -7.2664, -4.5259). Z points up."""
    mesh = server.json("/v1/mesh", model="t3/max7_blend_cube_5000_binary.fbx", clip="-", rest=1)
    rest, posed = mesh["rest"][0][:3], mesh["frames"][0]["positions"][0][:3]
    assert rest == pytest.approx([-10, -10, 0], abs=1e-4)
    y, z = -10 - 0.896 * 7.2664213, -0.896 * 4.5259171
    assert posed == pytest.approx([-10, z, -y], abs=1e-4)


# --- 3MF ---

def test_3mf_elements_with_an_undeclared_prefix_are_left_out(server):
    model = server.json("/v1/model", model="t3/multiprop-metallic.3mf")
    assert codes(model) == {"elements_ignored", "material_approximated"}
    assert (model["counts"]["triangles"], model["bounds"]) == (12, {"min": [0, 0, 0], "max": [10, 10, 10]})
    assert [material["name"] for material in model["materials"]] == [None, "Metal"]


# --- PLY and STL ---

def test_ply_faces_before_vertices_are_read(server):
    assert server.json("/v1/model", model="text/face_before_vertex.ply")["counts"]["triangles"] == 1


def test_ply_texture_whose_name_has_a_blank_at_its_end_is_found(server):
    model = server.json("/v1/model", model="text/texturefile_trailing_blank.ply")
    assert [(texture["uri"], texture["state"]) for texture in model["textures"]] == [("my tex.png", "found")]
    assert model["warnings"] == []


def test_stl_decimal_comma_is_refused_with_its_line(server):
    answer = server.get("/v1/model?model=text/ascii_comma.stl")
    assert answer.status == 422
    assert "line 5: 'a number' is expected, not '1,5'" in answer.json()["error"]["message"]


# --- SMD and DirectX ---

@pytest.mark.parametrize("name, texture", [("c4", "mat"), ("indent", "mat"), ("matname", "dir\\\\mat name.tga")])
def test_smd_comments_indents_and_blanks_in_names_are_read(server, name, texture):
    model = server.json("/v1/model", model=f"text/{name}.smd")
    assert (model["counts"]["triangles"], model["bounds"]) == (1, {"min": [0, 0, 0], "max": [1, 1, 0]})
    assert [t["uri"] for t in model["textures"]] == [texture]


def test_smd_of_a_skeleton_is_read(server):
    assert [node["name"] for node in server.json("/v1/model", model="text/i_usual.smd")["nodes"]] == ["root"]


def test_directx_whole_numbers_are_read(server):
    assert server.json("/v1/mesh", model="text/a0.x", rest=1)["rest"] == [[0, 1, 0, 1, 0, 0, 0, 0, 0]]
