"""What looks like a fault to posectl check and thumbs and is none: a note with -v, or a picture from another side."""
import json
import math
import os

import pytest

from conftest import SAMPLES, Server
from importers import NO_RENDERING
from posectl import posectl
from rigs import HALF, Writer
from small_models import gltf

pytestmark = pytest.mark.skipif("POSED_SERVER" in os.environ, reason="starts servers of its own")
BLENDER_4 = b"BLENDER-v403" + bytes(100)
GODOT = {"binary": b"RSRC" + bytes(60), "compressed": b"RSCC" + bytes(60), "text": b'[gd_resource type="ArrayMesh" format=3]\n'}


def check(folder, *options, status=0):
    done = posectl("check", folder, "--json", *options)
    assert done.status == status, (done.status, done.out, done.err)
    report = json.loads(done.out)
    return {model["model"]: model for model in report["models"]}, report["totals"]


def rules(model, what="findings"):
    return [entry["rule"] for entry in model[what]]


# --- files that are no models ---

@pytest.mark.parametrize("content", GODOT.values(), ids=GODOT)
def test_resources_of_godot_are_skipped(tmp_path, content):
    (tmp_path / "rock.mesh").write_bytes(content)
    (tmp_path / "crate.gltf").write_text(gltf())
    models, totals = check(tmp_path)
    assert models["rock.mesh"]["findings"] == [] and models["rock.mesh"]["skipped"] and not models["crate.gltf"]["skipped"]
    assert (totals["skipped"], totals["error"]) == (1, 0) and "Godot" in models["rock.mesh"]["notes"][0]["message"]
    few, all_ = posectl("check", tmp_path), posectl("check", tmp_path, "-v")
    assert "rock.mesh" not in few.out and "2 models: 0 errors, 0 warnings, 0 infos, 1 skipped" in few.out
    assert "rock.mesh\n  note     unreadable" in all_.out and "export the scene from Godot as glTF" in all_.out
    drawn = [posectl("thumbs", tmp_path, "-o", tmp_path / "out", *options) for options in ([], ["-v"])]
    assert [done.status for done in drawn] == [0, 0] and "rock.mesh" not in drawn[0].out and ", 1 skipped, " in drawn[0].out
    assert "skipped  rock.mesh  this is a resource of Godot" in drawn[1].out and not list(tmp_path.glob("out/rock*"))
    junit = posectl("check", tmp_path, "--format", "junit").out
    assert 'failures="0"' in junit and 'skipped="1"' in junit and '<skipped message="not checked: this is a resource of Godot' in junit


def test_a_mesh_that_is_neither_ogre_s_nor_godot_s_is_a_fault(tmp_path):
    (tmp_path / "rock.mesh").write_bytes(b"something else")
    models, _ = check(tmp_path, status=1)
    assert rules(models["rock.mesh"]) == ["unreadable"] and not models["rock.mesh"]["skipped"]


@pytest.mark.parametrize("beside, is_fault", [("hero.gltf", False), ("hero.GLTF", False), ("other.gltf", True), ("hero.png", True), ("sub/hero.gltf", True)])
def test_a_blend_file_beside_its_export_is_skipped(tmp_path, beside, is_fault):
    (tmp_path / "hero.blend").write_bytes(BLENDER_4)
    (tmp_path / beside).parent.mkdir(exist_ok=True)
    (tmp_path / beside).write_text(gltf())
    for path in tmp_path, tmp_path / "hero.blend": # as CI names changed files
        models, _ = check(path, status=int(is_fault))
        assert rules(models["hero.blend"]) == ["unreadable"] * is_fault and models["hero.blend"]["skipped"] != is_fault
        assert is_fault or f"its export '{beside}' is beside it" in models["hero.blend"]["notes"][0]["message"]
    done = posectl("thumbs", tmp_path, "-o", tmp_path / "out", "--json")
    report = json.loads(done.out)
    assert [entry["model"] for entry in report["failed" if is_fault else "skipped"]] == ["hero.blend"] and done.status == int(is_fault)


def test_a_blend_file_is_a_fault_again_without_its_export(tmp_path):
    (tmp_path / "hero.blend").write_bytes(BLENDER_4)
    (tmp_path / "hero.gltf").write_text(gltf())
    (tmp_path / "crate.gltf").write_text(gltf())
    draw = lambda: posectl("thumbs", tmp_path, "-o", tmp_path / "out", "--json").status
    assert draw() == 0
    (tmp_path / "hero.gltf").unlink()
    assert draw() == 1
    (tmp_path / "hero.glb").write_bytes((SAMPLES / "robot.glb").read_bytes())
    assert draw() == 0


def test_a_running_server_s_files_are_skipped_too(start, tmp_path):
    root = tmp_path / "root"
    root.mkdir()
    for name, content in {"hero.blend": BLENDER_4, "alone.blend": BLENDER_4, "hero.gltf": gltf().encode(), "rock.mesh": GODOT["binary"]}.items():
        (root / name).write_bytes(content)
    server = start(*NO_RENDERING, "--tcp", "127.0.0.1:0", root=root)
    done = posectl("check", "--server", server.ports["tcp"], "", "--json")
    models = {model["model"]: model for model in json.loads(done.out)["models"]}
    assert {name for name, model in models.items() if model["skipped"]} == {"hero.blend", "rock.mesh"}
    assert rules(models["alone.blend"]) == ["unreadable"] and done.status == 1


# --- textures that are computed ---

def obj(folder, name, texture, has_texcoords=True):
    corners = "1/1 2/2 3/3 4/4" if has_texcoords else "1 2 3 4"
    (folder / f"{name}.obj").write_text(f"mtllib {name}.mtl\nusemtl m\nv -1 0 0\nv 1 0 0\nv 1 2 0\nv -1 2 0\nvt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\nf {corners}\n")
    (folder / f"{name}.mtl").write_text("newmtl m\nKd 0.2 0.6 0.3\n" + (f"map_Kd {texture}\n" if texture else ""))


def test_procedural_textures_are_not_missing(tmp_path):
    name = "Procedural,num=0,type=Clouds"
    obj(tmp_path, "clouds", name)
    obj(tmp_path, "bare", name, has_texcoords=False)
    obj(tmp_path, "plain", None)
    obj(tmp_path, "gone", "Procedural.png")
    models, _ = check(tmp_path, status=1)
    assert rules(models["clouds.obj"]) == rules(models["bare.obj"]) == rules(models["plain.obj"]) == []
    assert rules(models["gone.obj"]) == ["missing-texture"]
    assert rules(models["clouds.obj"], "notes") == ["missing-texture"] and name in models["clouds.obj"]["notes"][0]["message"]
    assert name not in posectl("check", tmp_path).out and name in posectl("check", tmp_path, "-v").out
    assert posectl("thumbs", tmp_path, "-o", tmp_path / "out").status == 0
    clouds, plain, gone = ((tmp_path / f"out/{kind}.obj.png").read_bytes() for kind in ("clouds", "plain", "gone"))
    assert clouds == plain != gone # lilac squares stand for missing pictures only


# --- clips that are poses ---

def pose(name, keys):
    """A character with a clip of one key, or of several equal ones."""
    writer = Writer()
    writer.rig(["root", "hip", "knee", "toe"])
    writer.skin()
    writer.clips({name: {("hip", "rotation"): [[0, HALF, 0, HALF]] * 2}})
    sampler, = writer.document["animations"][0]["samplers"]
    for accessor in sampler["input"], sampler["output"]:
        writer.document["accessors"][accessor]["count"] = keys
    return writer.text()


@pytest.mark.parametrize("name", ["T-Pose", "TPose", "Walk_Pose", "idle_pose", "Bind Pose", "pose", "Armature|A_POSE", "rig/TPose", "T-Pose.001"])
def test_poses_may_stand_still(tmp_path, name):
    (tmp_path / "one.gltf").write_text(pose(name, 1))
    (tmp_path / "two.gltf").write_text(pose(name, 2))
    models, totals = check(tmp_path)
    assert totals["warning"] == 0, models
    assert rules(models["one.gltf"], "notes") == ["zero-length-clip"] and rules(models["two.gltf"], "notes") == ["clip-without-motion"]
    assert f"clip 0 '{name}' is a pose, and has no duration" in posectl("check", tmp_path, "-v").out


@pytest.mark.parametrize("name", ["jump", "Poses", "T-Pose to idle", "posed"])
def test_other_clips_may_not(tmp_path, name):
    (tmp_path / "one.gltf").write_text(pose(name, 1))
    models, _ = check(tmp_path)
    assert rules(models["one.gltf"]) == ["zero-length-clip"] and models["one.gltf"]["notes"] == []


# --- surfaces with one side ---

def card(normal):
    """A square that faces along an axis and is not seen from behind."""
    axis = [abs(n) for n in normal].index(1)
    a, b = [[float(i == (axis + k) % 3) for i in range(3)] for k in (1, 2)]
    a, b = (a, b) if normal[axis] > 0 else (b, a)
    return card_of([[x * p + y * q for p, q in zip(a, b)] for x, y in ((-1, -1), (1, -1), (1, 1), (-1, -1), (1, 1), (-1, 1))])


def card_of(corners):
    writer = Writer()
    writer.document.update({"scenes": [{"nodes": [0]}], "nodes": [{"mesh": 0}],
                            "meshes": [{"primitives": [{"attributes": {"POSITION": writer.accessor(corners, "VEC3")}}]}]})
    return writer.text()


NORMALS = {"front": (0, 0, 1), "back": (0, 0, -1), "left": (1, 0, 0), "right": (-1, 0, 0), "up": (0, 1, 0), "down": (0, -1, 0)}


def test_a_model_that_faces_away_is_drawn_from_another_side(tmp_path):
    models = tmp_path / "models"
    models.mkdir()
    for name, normal in NORMALS.items():
        (models / f"{name}.gltf").write_text(card(normal))
    server = Server(models)
    done = posectl("thumbs", models, "-o", tmp_path / "out", "--size", "64")
    assert done.status == 0 and "6 drawn (6 pictures)" in done.out, (done.out, done.err)
    sides = {"front": "", "left": "", "up": "", "back": "&camera=three_quarter&yaw=180", "right": "&camera=three_quarter&yaw=180",
             "down": "&camera=three_quarter&pitch=-75"}
    for name, side in sides.items():
        expected = server.get(f"/v1/render?model={name}.gltf&width=64&height=64{side}").body
        assert (tmp_path / f"out/{name}.gltf.png").read_bytes() == expected, name
    server.end()


def tilted(across, degrees):
    """A square with one side, seen at so many degrees from its edge by the usual camera, which looks from yaw 35 and pitch 15. across: the
    edge that shows; its normal lies beside or above the view."""
    yaw, pitch, angle = (math.radians(value) for value in (35, 15, degrees))
    view = [math.sin(yaw) * math.cos(pitch), math.sin(pitch), math.cos(yaw) * math.cos(pitch)]
    right = [math.cos(yaw), 0, -math.sin(yaw)]
    above = [view[1] * right[2] - view[2] * right[1], view[2] * right[0] - view[0] * right[2], view[0] * right[1] - view[1] * right[0]]
    along, normal = (above, right) if across == "upright" else (right, above)
    into = [n * math.sin(angle) - v * math.cos(angle) for n, v in zip(normal, view)]  # away from the camera
    corners = [[x * p + y * q for p, q in zip(along, into)] for x, y in ((-1, -1), (1, -1), (1, 1), (-1, -1), (1, 1), (-1, 1))]
    facing = [along[(i + 1) % 3] * into[(i + 2) % 3] - along[(i + 2) % 3] * into[(i + 1) % 3] for i in range(3)]
    if sum(f * v for f, v in zip(facing, view)) < 0:
        corners = [corners[i] for i in (0, 2, 1, 3, 5, 4)]
    return card_of(corners)


@pytest.mark.parametrize("across, side", [("upright", "&camera=left"), ("level", "&camera=three_quarter&yaw=180")])
def test_a_model_that_shows_its_edge_is_drawn_from_another_side(tmp_path, across, side):
    models = tmp_path / "models"
    models.mkdir()
    for degrees in 1, 2, 6, 30:
        (models / f"{degrees}.gltf").write_text(tilted(across, degrees))
    server = Server(models)
    for more, alpha in ([], ""), (["--background", "ffffff"], "&background=ffffff"):
        done = posectl("thumbs", models, "-o", tmp_path / f"out{len(more)}", "--size", "128", *more)
        assert done.status == 0 and "4 drawn (4 pictures)" in done.out, (done.out, done.err)
        for degrees in 1, 2, 6, 30:
            asked = f"/v1/render?model={degrees}.gltf&width=128&height=128{alpha}{side if degrees < 6 else ''}"
            found = (tmp_path / f"out{len(more)}/{degrees}.gltf.png").read_bytes()
            assert found == server.get(asked).body, degrees
    server.end()


def test_what_is_thin_from_everywhere_keeps_its_side(tmp_path):
    (tmp_path / "spear.obj").write_text("".join(f"v {x} {y} {z}\n" for y in (0, 2) for x, z in ((0, 0), (0.01, 0), (0, 0.01))) +
                                        "f 1 2 5 4\nf 2 3 6 5\nf 3 1 4 6\n")
    server = Server(tmp_path)
    assert posectl("thumbs", tmp_path, "-o", tmp_path / "out", "--size", "128").status == 0
    assert (tmp_path / "out/spear.obj.png").read_bytes() == server.get("/v1/render?model=spear.obj&width=128&height=128").body
    server.end()


@pytest.mark.parametrize("side", [["--yaw", "35"], ["--camera", "front"], ["--param", "yaw=35"], ["--pitch", "15"], ["--projection", "isometric"]])
def test_the_user_s_own_side_stays(tmp_path, side):
    (tmp_path / "back.gltf").write_text(card(NORMALS["back"]))
    done = posectl("thumbs", tmp_path, "-o", tmp_path / "out", "--size", "64", *side)
    assert done.status == 1 and "nothing_to_draw" in done.out and "with their backs to the camera" in done.out


def test_a_model_that_no_side_shows_fails_for_the_usual_side(tmp_path):
    (tmp_path / "dot.gltf").write_text(card(NORMALS["front"]).replace('"nodes": [{"mesh": 0}]', '"nodes": [{"mesh": 0, "scale": [0, 0, 0]}]'))
    done = posectl("thumbs", tmp_path, "-o", tmp_path / "out", "--size", "64")
    assert done.status == 1 and "nothing_to_draw" in done.out, done.out


# --- limits ---

@pytest.mark.parametrize("variable, value, option", [("POSED_MAX_NODES", "2", "--max-nodes"), ("POSED_MAX_FILE", "1000", "--max-file 1000"),
                                                     ("POSED_MAX_MODEL", "1000", "--max-model 1000"), ("POSED_MAX_CLIPS", "1", "--max-clips 1")])
def test_limits_are_named_with_what_sets_them(start, tmp_path, variable, value, option):
    robot = SAMPLES / "robot.glb"
    told = {command: posectl(command, robot, *more, env={variable: value})
            for command, more in {"info": [], "check": [], "thumbs": ["-o", tmp_path / "out"]}.items()}
    for command, done in told.items():
        assert done.status == 1 and option in done.out + done.err and f"; {variable} sets it here" in done.out + done.err, (command, done.out, done.err)
    server = start(*NO_RENDERING, "--tcp", "127.0.0.1:0", option.split()[0], value, root=SAMPLES)
    done = posectl("info", "robot.glb", "--server", server.ports["tcp"])
    assert option in done.err and variable not in done.err
