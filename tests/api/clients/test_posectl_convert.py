"""posectl convert: a model as a GLB file."""
import json
import shutil

import pytest

from conftest import SAMPLES
from posectl import posectl
from small_fbx import fbx

pytestmark = pytest.mark.skipif(not SAMPLES.is_dir(), reason="no sample models")


@pytest.fixture
def folder(tmp_path):
    shutil.copy(SAMPLES / "robot.glb", tmp_path)
    (tmp_path / "hero.fbx").write_text(fbx())
    (tmp_path / "odd.fbx").write_text(fbx(hip=['P: "Lcl Scaling", "Lcl Scaling", "", "A",2,0,3'], leg=[
        'P: "InheritType", "enum", "", "",2', 'P: "Lcl Rotation", "Lcl Rotation", "", "A",0,0,30']))
    return tmp_path


def test_one_line_and_the_file(folder):
    done = posectl("convert", "robot.glb", "-o", "out/hero.glb", "--clips", "walk", "--no-textures", cwd=folder)
    size = (folder / "out/hero.glb").stat().st_size
    assert (done.status, done.out, done.err) == (0, f"out/hero.glb  {size} bytes  20 nodes, 1 skin, 1 mesh, 1 clip\n", "")
    assert (folder / "out/hero.glb").read_bytes()[:4] == b"glTF"
    again = posectl("convert", "robot.glb", "-o", "-", "--clips=walk", "--textures", "none", cwd=folder, text=False)
    assert again.out == (folder / "out/hero.glb").read_bytes() and again.err == b""


def test_textures_are_as_asked_for(folder):
    own = (folder / "robot.glb").read_bytes()
    for options, mime in (([], "image/png"), (["--textures", "jpeg", "--quality", "40"], "image/jpeg"), (["--textures", "webp"], "image/webp")):
        done = posectl("convert", "robot.glb", "-o", "hero.glb", *options, cwd=folder)
        assert (done.status, done.err) == (0, ""), done.err
        data = (folder / "hero.glb").read_bytes()
        size = int.from_bytes(data[12:16], "little")
        glb = json.loads(data[20:20 + size])
        view = glb["bufferViews"][glb["images"][0]["bufferView"]]
        picture = data[28 + size + view["byteOffset"]:][:view["byteLength"]]
        assert glb["images"][0]["mimeType"] == mime and (picture in own) == (options == [])
    small = posectl("convert", "robot.glb", "-o", "small.glb", "--max-texture", "8", cwd=folder)
    assert small.status == 0 and (folder / "small.glb").stat().st_size < (folder / "hero.glb").stat().st_size
    done = posectl("convert", "robot.glb", "-o", "hero.glb", "--textures", "0", cwd=folder)
    assert done.status == 2 and "keep, png, jpeg, webp or none" in done.err


def test_without_a_name_it_is_the_models(folder):
    done = posectl("convert", "hero.fbx", "--json", cwd=folder)
    answer = json.loads(done.out)
    assert done.status == 0 and (answer["model"], answer["file"], answer["clips"], answer["skins"]) == ("hero.fbx", "hero.glb", 1, 0)
    assert answer["bytes"] == (folder / "hero.glb").stat().st_size
    assert answer["warnings"] == [] and done.err == ""


def test_what_is_refused(folder):
    before = (folder / "robot.glb").read_bytes()
    done = posectl("convert", "robot.glb", cwd=folder)
    assert done.status == 2 and "-o FILE" in done.err and (folder / "robot.glb").read_bytes() == before
    done = posectl("convert", "robot.glb", "-o", "robot.gltf", cwd=folder)
    assert done.status == 2 and "convert writes .glb, not 'robot.gltf'" in done.err
    assert posectl("convert", cwd=folder).status == 2 and posectl("convert", "nobody.fbx", "-o", "a.glb", cwd=folder).status == 2
    done = posectl("convert", "odd.fbx", "-o", "odd.glb", "--exact", cwd=folder)
    assert done.status == 1 and "not_in_gltf" in done.err and not (folder / "odd.glb").exists()


def test_what_gltf_cannot_say_is_told(folder):
    done = posectl("convert", "odd.fbx", "-o", "odd.glb", cwd=folder)
    assert done.status == 0 and "warning: scales_approximated" in done.err and "posectl: approximated: " not in done.err and (folder / "odd.glb").exists()
    assert "posectl: approximated: scales_approximated: the rest pose" in posectl("convert", "odd.fbx", "-o", "odd.glb", "-v", cwd=folder).err
    assert posectl("convert", "odd.fbx", "-o", "odd.glb", "-q", cwd=folder).err == ""
    told = json.loads(posectl("convert", "odd.fbx", "-o", "odd.glb", "--json", cwd=folder).out)["approximations"]
    assert told[0]["code"] == "scales_approximated" and told[0]["share_of_size"] > 1e-4


def test_root_motion_goes_to_a_root_bone(folder):
    """A walk stays on the spot, or is that of a root bone, which hips with nothing above them get."""
    (folder / "walker.bvh").write_text("HIERARCHY\nROOT Hips\n{\nOFFSET 3 1 2\nCHANNELS 3 Xposition Yposition Zposition\nEnd Site\n{\nOFFSET 0 1 0\n}\n}\n"
                                       "MOTION\nFrames: 3\nFrame Time: 0.5\n3 1 2\n5 2 7\n9 1 4\n")
    for how, names in (("keep", ["Hips"]), ("in-place", ["Hips"]), ("to-root", ["Hips", "root"])):
        done = posectl("convert", "walker.bvh", "-o", f"{how}.glb", "--root-motion", how, cwd=folder)
        assert (done.status, done.err) == (0, ""), done.err
        data = (folder / f"{how}.glb").read_bytes()
        glb = json.loads(data[20:20 + int.from_bytes(data[12:16], "little")])
        moved = sorted(glb["nodes"][channel["target"]["node"]]["name"] for channel in glb["animations"][0]["channels"])
        assert moved == names
    assert (folder / "keep.glb").read_bytes() != (folder / "in-place.glb").read_bytes()
    assert posectl("convert", "walker.bvh", "-o", "x.glb", "--root-motion", "extract", cwd=folder).status == 2


def document(path):
    data = path.read_bytes()
    return json.loads(data[20:20 + int.from_bytes(data[12:16], "little")])


def test_a_pose_on_a_clip_is_a_clip(folder):
    """The same as layers in words; --fps is that of the file, and --name the clip's."""
    pose = {"nodes": {"head": {"degrees": [0, 40, 0]}}, "relative_to": "rest"}
    (folder / "head.json").write_text(json.dumps(pose))
    more = ["--fps", "12", "--no-textures"]
    assert posectl("convert", "robot.glb", "--clips", "walk", "--pose", "head.json", "--pose-weight", "0.5", "-o", "a.glb", *more, cwd=folder).status == 0
    layers = json.dumps([{"clip": "walk"}, {"pose": pose, "weight": 0.5}])
    assert posectl("convert", "robot.glb", "--layers", layers, "-o", "b.glb", *more, cwd=folder).status == 0
    assert (folder / "a.glb").read_bytes() == (folder / "b.glb").read_bytes()
    clip, = document(folder / "a.glb")["animations"]
    times = document(folder / "a.glb")["accessors"][clip["samplers"][0]["input"]]
    assert (clip["name"], times["count"], times["max"]) == ("blend", 16, [pytest.approx(1.2)])
    rest = posectl("convert", "robot.glb", "--pose", "head.json", "--name", "nod", "-o", "c.glb", cwd=folder)
    assert rest.status == 0, rest.err
    clip, = document(folder / "c.glb")["animations"]
    assert (clip["name"], len(clip["channels"])) == ("nod", 1), "without --clips it lies on the rest pose"


def test_a_pose_on_the_clip_of_a_file(folder):
    (folder / "anims").mkdir()
    shutil.copy(folder / "robot.glb", folder / "anims/moves.glb")
    (folder / "head.json").write_text('{"nodes":{"head":{"degrees":[0,40,0]}}}')
    done = posectl("convert", "robot.glb", "--clips", "anims/moves.glb", "--pose", "head.json", "-o", "a.glb", "--no-textures", cwd=folder)
    assert done.status == 0, done.err
    glb = document(folder / "a.glb")
    assert len(glb["animations"]) == 1 and glb["asset"]["extras"]["clip_files"][0]["model"].endswith("moves.glb")
    assert len(glb["animations"][0]["channels"]) > 10


def test_a_folder_with_a_pose(folder):
    (folder / "odd.fbx").unlink()
    done = posectl("convert", ".", "--clips", "-", "--turn", "1:0,40,0", "-o", "out/", cwd=folder)
    assert done.status == 0, done.err
    for name in ("robot.glb", "hero.glb"):
        clip, = document(folder / "out" / name)["animations"]
        assert clip["name"] == "blend"
    again = posectl("convert", ".", "--clips", "-", "--turn", "1:0,41,0", "-o", "out/", cwd=folder)
    assert "2 converted" in again.out, "another angle is another file"


@pytest.mark.parametrize("words, said", [
    (["--pose", "head.json"], "no node 'heads'"),
    (["--turn", "head:0,1,0"], "a pose on top needs one clip, and 'robot.glb' has 3"),
    (["--pose-weight", "0.5"], "--pose-weight is about a pose"),
    (["--layers", "[{}]", "--strict", "1", "--clip-file", "robot.glb"], "parameter 'strict' does not go with layers"),
    (["--name", "mine", "--clips", "walk"], "must be a text with {file} or {clip}"),
])
def test_poses_that_are_refused(folder, words, said):
    (folder / "head.json").write_text('{"nodes":{"heads":{"degrees":[0,40,0]}}}')
    done = posectl("convert", "robot.glb", "-o", "a.glb", *words, cwd=folder)
    assert done.status in (1, 2) and said in done.err, done.err
    assert not (folder / "a.glb").exists()
