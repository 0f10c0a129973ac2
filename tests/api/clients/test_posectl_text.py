"""posectl text: lines that change only if a model does, and show its changes in git."""
import io
import json
import math
import os
import shutil
import subprocess

import pytest
from PIL import Image

from conftest import REPOSITORY, SAMPLES
from posectl import POSECTL, environment, posectl
from rigs import HALF, Writer

pytestmark = pytest.mark.skipif("POSED_SERVER" in os.environ, reason="starts servers of its own")
LEAN = {"root": (None, {"translation": [5, -1, 2], "rotation": [0, 0, HALF, HALF], "scale": [2, 1, 0.5]}),
        "upper": ("root", {"translation": [0, 1, 0]}),
        "forearm.L": ("upper", {"translation": [0, 2, 0], "rotation": [HALF, 0, 0, HALF]}),
        "tip": ("forearm.L", {"translation": [0, 1, 0.5]}),
        "other": ("root", {"translation": [1, 0, 0]})}


def turn(degrees, axis=2):
    q = [0, 0, 0, math.cos(math.radians(degrees) / 2)]
    q[axis] = math.sin(math.radians(degrees) / 2)
    return q


def product(*quaternions):
    x, y, z, w = quaternions[0]
    for a, b, c, d in quaternions[1:]:
        x, y, z, w = w * a + x * d + y * c - z * b, w * b - x * c + y * d + z * a, w * c + x * b - y * a + z * d, w * d - x * a - y * b - z * c
    return [x, y, z, w]


def since_rest(rotation, rest, above):
    """What the text says of a rotation: since the rest pose, in the axes of the scene, where `above` is the rotation of the joint above."""
    *axis, w = product(above, rotation, [-n for n in rest[:3]] + rest[3:], [-n for n in above[:3]] + above[3:])
    length = sum(n * n for n in axis) ** 0.5
    degrees = 2 * math.degrees(math.atan2(length, abs(w))) * (-1 if w < 0 else 1)
    return " ".join(f"{round(n / length * degrees / 0.2) / 5 + 0.0:g}" for n in axis)


def forearm(degrees):
    return "rotation " + since_rest(turn(degrees), LEAN["forearm.L"][1]["rotation"], LEAN["root"][1]["rotation"])


KEYS = {0: turn(0), 0.5: turn(20), 1: turn(0)}


def arm(keys=KEYS, names=("root", "upper", "forearm.L", "tip", "other"), positions=None, picture=None, weight=0.5, edit=lambda document: None):
    """A rotated, unevenly scaled arm off the origin, whose forearm swings."""
    writer = Writer()
    writer.rig(list(names), LEAN)
    document = writer.document
    positions = positions or [(0, 0, 0), (1, 0, 0), (0, 2, 0), (0, 1, 3), (1, 0, 1), (0, 0, 2)]
    document["materials"] = [{"name": "skin", "doubleSided": True, "pbrMetallicRoughness": {"baseColorFactor": [1, 0.5, 0.25, 1]}}]
    primitive = {"material": 0, "attributes": {
        "POSITION": writer.accessor(positions, "VEC3"),
        "JOINTS_0": writer.accessor([(0, 1, 0, 0)] * 6, "VEC4", 5121, "B"), "WEIGHTS_0": writer.accessor([(weight, 1 - weight, 0, 0)] * 6, "VEC4")}}
    if picture:
        image = io.BytesIO()
        Image.new("RGB", (8, 8), picture).save(image, "PNG")
        document["images"] = [{"bufferView": len(document["bufferViews"]), "mimeType": "image/png"}]
        data = image.getvalue()
        document["bufferViews"].append({"buffer": 0, "byteOffset": len(writer.bytes), "byteLength": len(data)})
        writer.bytes += data + b"\0" * (-len(data) % 4)
        document["textures"] = [{"source": 0}]
        document["materials"][0]["pbrMetallicRoughness"]["baseColorTexture"] = {"index": 0}
        primitive["attributes"]["TEXCOORD_0"] = writer.accessor([(0, 0)] * 6, "VEC2")
    document["meshes"] = [{"name": "sleeve", "primitives": [primitive]}]
    document["skins"] = [{"name": "bones", "joints": [names.index("upper"), names.index("forearm.L")]}]
    document["nodes"].append({"name": "body", "mesh": 0, "skin": 0})
    document["scenes"][0]["nodes"].append(len(names))
    document["animations"] = [{"name": "swing", "samplers": [
        {"input": writer.accessor(list(keys), "SCALAR"), "output": writer.accessor(list(keys.values()), "VEC4")}],
        "channels": [{"sampler": 0, "target": {"node": names.index("forearm.L"), "path": "rotation"}}]}]
    edit(document)
    return writer.text()


def text_of(tmp_path, text, name="arm.gltf"):
    (tmp_path / name).write_text(text)
    done = posectl("text", tmp_path / name)
    assert done.status == 0, done.err
    return done.out.splitlines()


def test_lines_say_what_the_model_is(tmp_path):
    lines = text_of(tmp_path, arm(picture=(200, 100, 50)))
    for line in ["format glTF 2.0", "unit 1 m", "node root: translation 5 -1 2 rotation 0 0 90 scale 2 1 0.5",
                 "node forearm.L in upper: translation -2 0 0", "node body: translation 0 0 0, mesh sleeve, with a skin",
                 "skin of body: 2 joints, linear", "skin of body: joint forearm.L translation 2 -1 2 rotation 69.2 69.2 69.2 scale 2 0.5 1",
                 "clip swing: 1 s from 0 s", "clip swing: forearm.L at 0.5 s: " + forearm(20)]:
        assert line in lines, (line, lines)
    assert sum(line.startswith("clip swing: forearm.L at") for line in lines) == 31  # 30 moments a second and the end
    assert not any("clip swing: tip" in line or "clip swing: root" in line for line in lines)  # at rest
    assert "mesh of body: skin: 2 triangles, up to 2 joints a vertex, 0 morph targets, box 0 0 0 to 1 2 3" in lines
    assert any(line.startswith("mesh of body: skin: vertices ") and ", weights of joints " in line for line in lines)
    assert any(line.startswith("material skin: base_color 1 0.5 0.25 1, ") and line.endswith(", double-sided") for line in lines)
    assert any(line.startswith("material skin: base_color texture (embedded) found, 8 x 8, ") for line in lines)
    assert any(line.startswith("material skin: base_color pixels ") for line in lines)


def noisy(quaternion):
    return [-number + 3e-8 for number in quaternion]  # also the opposite quaternion, which is the same rotation


def test_what_writers_do_is_no_change(tmp_path):
    """Nodes in another order, other keys for the same motion, the last digits, opposite quaternions."""
    plain = text_of(tmp_path, arm())
    other = arm(names=("other", "tip", "forearm.L", "root", "upper"),
                keys={time: noisy(turn(20 * (2 * time if time < 0.5 else 2 - 2 * time))) for time in [i / 60 for i in range(61)]})
    again = text_of(tmp_path, other)
    assert plain == again


def changed(before, after):
    return sorted(set(before) - set(after)), sorted(set(after) - set(before))


@pytest.mark.parametrize("what, edit, words", [
    ("rest", {"edit": lambda d: d["nodes"][3].update(translation=[0, 1.25, 0.5])}, "node tip in forearm.L: translation 0.5 0 0.625 "),
    ("name", {"edit": lambda d: d["nodes"][3].update(name="hook")}, "node hook in forearm.L:"),
    ("material", {"edit": lambda d: d["materials"][0].update(alphaMode="BLEND")}, "alpha blend"),
    ("vertex", {"positions": [(0, 0, 0), (1, 0, 0), (0, 2, 0), (0, 1, 3), (1, 0, 1), (0, 0.0001, 2)]}, ": vertices "),
    ("weights", {"weight": 0.25}, ", weights of joints "),
    ("clip name", {"edit": lambda d: d["animations"][0].update(name="wave")}, "clip wave: 1 s"),
])
def test_each_change_is_its_own_line(tmp_path, what, edit, words):
    before, after = text_of(tmp_path, arm()), text_of(tmp_path, arm(**edit))
    gone, new = changed(before, after)
    assert any(words in line for line in new), (gone, new)
    if what in ("rest", "material", "vertex"):
        assert len(gone) == len(new) == 1, (gone, new)


def smile(keys, interpolation="LINEAR"):
    """A triangle with two morph targets, whose weights a clip moves."""
    writer = Writer()
    positions, offsets = ([(0, 0, 0), (1, 0, 0), (0, 1, 0)], [(0, 0, 1)] * 3)
    targets = [{"POSITION": writer.accessor(offsets, "VEC3")} for _ in range(2)]
    writer.document["meshes"] = [{"primitives": [{"attributes": {"POSITION": writer.accessor(positions, "VEC3")}, "targets": targets}]}]
    writer.document.update(nodes=[{"name": "face", "mesh": 0}], scenes=[{"nodes": [0]}], scene=0)
    rows = [row for row in keys.values() for row in ([(9, 9), row, (8, 8)] if interpolation == "CUBICSPLINE" else [row])]
    writer.document["animations"] = [{"name": "talk", "channels": [{"sampler": 0, "target": {"node": 0, "path": "weights"}}], "samplers": [
        {"input": writer.accessor(list(keys), "SCALAR"), "output": writer.accessor([w for row in rows for w in row], "SCALAR"),
         "interpolation": interpolation}]}]
    return writer.text()


@pytest.mark.parametrize("interpolation", ["LINEAR", "CUBICSPLINE"])
def test_weights_of_morph_targets_are_told_at_their_keys(tmp_path, interpolation):
    lines = text_of(tmp_path, smile({0: (0, 0.5), 0.25: (1, 0.5), 0.5: (1, 0.5), 0.75: (0, 0.3333)}, interpolation))
    assert [line for line in lines if "weights 0" in line or "weights 1" in line] == [
        "clip talk: face at 0 s: weights 0 0.5", "clip talk: face at 0.25 s: weights 1 0.5", "clip talk: face at 0.75 s: weights 0 0.3333"]


def test_pixels_are_told(tmp_path):
    gone, new = changed(*(text_of(tmp_path, arm(picture=color)) for color in [(200, 100, 50), (201, 100, 50)]))
    assert len(gone) == len(new) == 1 and new[0].startswith("material skin: base_color pixels ")


def test_names_that_are_not_one(tmp_path):
    def edit(document):
        document["nodes"][3]["name"] = "forearm.L"  # as its parent
        document["nodes"][4].update(name="two\nlines")
        document["nodes"][1].pop("name")
        document["animations"] *= 2
    lines = text_of(tmp_path, arm(edit=edit))
    for start in ("node -/forearm.L in -:", "node forearm.L/forearm.L in -/forearm.L:", "node two\\nlines in root:",
                  "clip swing: -/forearm.L at 0.5 s:", "clip swing#2: -/forearm.L at 0.5 s:"):
        assert any(line.startswith(start) for line in lines), (start, lines)


def test_a_model_without_geometry_and_one_that_cannot_be_read(tmp_path):
    writer = Writer()
    writer.rig(["root", "upper"], LEAN)
    assert any(line.startswith("node upper in root: translation -1 0 0 ") for line in text_of(tmp_path, writer.text()))
    broken = text_of(tmp_path, "{")
    assert len(broken) == 1 and broken[0].startswith("this model cannot be read: ")
    pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n"
    lines = text_of(tmp_path, pointer, "hero.glb")
    assert lines[0].startswith("a pointer of Git LFS") and lines[1:] == pointer.splitlines()
    assert posectl("text", tmp_path / "none.glb").status == 2


def test_a_pipe_is_no_model(tmp_path):
    os.mkfifo(tmp_path / "pipe.glb")
    done = posectl("text", "pipe.glb", cwd=tmp_path)
    assert done.status == 0 and "'pipe.glb' is not a regular file" in done.out


@pytest.mark.skipif(shutil.which("git") is None, reason="no git")
def test_a_pointer_of_git_lfs_is_what_it_stands_for(tmp_path):
    """git runs git-lfs as `git lfs smudge -- PATH` with the pointer as its input; here git-lfs is a stand-in."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "arm.gltf").write_text(arm())
    (tmp_path / "bin/git-lfs").write_text(f'#!/bin/sh\ngrep -q sha256:4d7a && [ "$1" = smudge ] && cat {tmp_path}/arm.gltf\n')
    (tmp_path / "bin/git-lfs").chmod(0o755)
    (tmp_path / "hero.gltf").write_text("version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n")
    done = posectl("text", tmp_path / "hero.gltf", cwd=tmp_path, env={"PATH": f"{tmp_path}/bin:{os.environ['PATH']}"})
    assert done.status == 0 and done.out == posectl("text", tmp_path / "arm.gltf").out


# --- in git ---

def readme_line(start):
    (line,) = (line for line in (REPOSITORY / "clients/cli/README.md").read_text().splitlines() if line.startswith(start))
    return line


@pytest.fixture
def repository(tmp_path):
    """A repository with the lines of the README, in which arm.gltf was committed and then changed."""
    if shutil.which("git") is None:
        pytest.skip("no git")

    def git(*arguments):
        env = environment(PATH=f"{POSECTL.parent}:{os.environ['PATH']}", HOME=str(tmp_path), GIT_CONFIG_NOSYSTEM="1")
        done = subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false", *arguments],
                              cwd=tmp_path / "game", env=env, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout

    (tmp_path / "game/models").mkdir(parents=True)
    git("init", "-q", ".")
    subprocess.run(readme_line("git config --global diff.posed.textconv"), shell=True, check=True, env={**os.environ, "HOME": str(tmp_path)})
    assert "`*.glb diff=posed`" in (REPOSITORY / "clients/cli/README.md").read_text()
    (tmp_path / "game/.gitattributes").write_text("*.gltf diff=posed\n")
    git.model = tmp_path / "game/models/arm.gltf"
    git.model.write_text(arm())
    git("add", "-A")
    git("commit", "-q", "-m", "an arm")
    return git


def test_git_diff_names_clip_joint_and_time(repository):
    """A forearm key turned by 8 degrees."""
    repository.model.write_text(arm(keys={**KEYS, 0.5: turn(28)}))
    shown = repository("diff")
    lines = [line for line in shown.splitlines() if line[:1] in "+-" and line[:3] not in ("+++", "---")]
    assert f"-clip swing: forearm.L at 0.5 s: {forearm(20)}" in lines and f"+clip swing: forearm.L at 0.5 s: {forearm(28)}" in lines
    assert all(line[1:].startswith("clip swing: forearm.L at ") for line in lines), lines
    repository("commit", "-q", "-a", "-m", "a wave")
    assert shown.split("@@", 1)[1] == repository("log", "-p", "-1").split("@@", 1)[1]  # here both come from temporary files
    repository.model.write_text("no model")
    assert "+this model cannot be read" in repository("diff")


def test_the_samples_have_one_text(tmp_path):
    first, second = (posectl("text", SAMPLES / "octopus.glb").out for _ in range(2))
    assert first == second and len(first.splitlines()) > 100
    assert posectl("text", SAMPLES / "octopus.glb", "-o", tmp_path / "a.txt").out == "" and (tmp_path / "a.txt").read_text() == first


@pytest.mark.parametrize("sample", ["robot", "dragon", "octopus"])
def test_a_converted_sample_has_the_same_text(tmp_path, sample):
    done = posectl("convert", SAMPLES / f"{sample}.glb", "-o", tmp_path / f"{sample}.glb")
    assert done.status == 0, done.err
    assert posectl("text", tmp_path / f"{sample}.glb").out == posectl("text", SAMPLES / f"{sample}.glb").out
