"""posectl --rename-joints and --joint-map: clips of rigs whose joints have other names."""
import json
import re

import pytest

from posectl import posectl
from rigs import CLIPS, RIG, character, moves

RULES = {"A root": "root", "A hip": "hip", "A knee": "knee", "A toe": "toe"}


@pytest.fixture
def models(tmp_path):
    folder = tmp_path / "models"
    folder.mkdir()
    rig = {f"A {name}": (parent and f"A {parent}", place) for name, (parent, place) in RIG.items()}
    clips = {clip: {(f"A {name}", path): rows for (name, path), rows in channels.items()} for clip, channels in CLIPS.items()}
    (folder / "body.gltf").write_text(character())
    (folder / "plain.gltf").write_text(moves())
    (folder / "other.gltf").write_text(moves(clips, list(rig), rig))
    return folder


def frames(models, file, *options):
    done = posectl("pose", "body.gltf", "--clip-file", file, "--clip", "run", "--t", "0.2", *options, "--json", cwd=models)
    assert done.status == 0, done.err
    return json.loads(done.out)["frames"]


def test_rules_of_the_command_line_and_of_files(models, tmp_path):
    own = frames(models, "plain.gltf")
    assert frames(models, "other.gltf", "--rename-joints", "A *=*") == own
    lines, mapping, wrong = tmp_path / "map.txt", tmp_path / "map.json", tmp_path / "wrong.txt"
    lines.write_text("# of the other rig\r\n\n  A root = root\r\nA hip=hip\nA knee=knee\nA toe=toe")
    mapping.write_text(json.dumps(RULES, indent=1))
    wrong.write_text("A hip=knee\nA knee=hip\nA root=root\nA toe=toe\n")
    assert frames(models, "other.gltf", "--joint-map", lines) == own
    assert frames(models, "other.gltf", "--joint-map", mapping) == own
    assert frames(models, "other.gltf", "--joint-map", wrong) != own
    assert frames(models, "other.gltf", "--joint-map", wrong, "--rename-joints", "A *=*") == own, "the command line's come first"


def test_pictures(models, tmp_path):
    (tmp_path / "map.txt").write_text("A *=*\n")
    options = ["--clip", "run", "--t", "0.4", "--width", "40", "--height", "40"]
    for out, file, more in (("own.png", "plain.gltf", []), ("other.png", "other.gltf", ["--joint-map", tmp_path / "map.txt"])):
        done = posectl("render", "body.gltf", "--clip-file", file, *options, *more, "-o", tmp_path / out, cwd=models)
        assert done.status == 0, done.err
    assert (tmp_path / "own.png").read_bytes() == (tmp_path / "other.png").read_bytes()
    for out, file, more in (("own", "plain.gltf", []), ("other", "other.gltf", ["--joint-map", tmp_path / "map.txt"])):
        done = posectl("thumbs", "body.gltf", "--clip-file", file, "--clip", "run", "--t", "0.4", *more, "-o", tmp_path / out, cwd=models)
        assert done.status == 0, done.err
    assert (tmp_path / "own/body.gltf.png").read_bytes() == (tmp_path / "other/body.gltf.png").read_bytes()


@pytest.mark.parametrize("text, fault", [
    ("A hip=hip\n\nA knee\n", ":3: 'A knee' is no rule"), ("a=b\n=b", ":2: '=b': a side is empty"), ("a=", ":1: 'a=': a side is empty"),
    ("# none\n", "has no rules"), ("*a*=b", ":1: '*a*=b': a side has more than one"), ("a=*", ":1: 'a=*': only the new name"),
    ('{"a": "b",\n "c": 3}', ":2: the new name of 'c' is no text"), ('{"a": "b",\n\n', ":3: this is not JSON"),
    ('{\n"a=b": "c"}', ":2: 'a=b=c': the name before has a '='"), ("a=b\0c", "NUL")])
def test_faults_of_a_file_name_the_line(models, text, fault):
    (models / "map").write_text(text)
    done = posectl("pose", "body.gltf", "--clip-file", "other.gltf", "--joint-map", "map", cwd=models)
    assert done.status == 2 and "map" in done.err and fault in done.err, done.err


def test_convert_with_clips_of_other_files(models, tmp_path):
    (models / "anims").mkdir()
    for name in ("plain", "other"):
        (models / f"{name}.gltf").rename(models / f"anims/{name}.gltf")
    (models / "map.txt").write_text("A *=*\n")
    out = tmp_path / "hero.glb"

    def convert(*arguments, status=0):
        done = posectl("convert", "body.gltf", "-o", out, *arguments, cwd=models)
        assert done.status == status, done.err
        return done

    convert("--clips", "anims/*.gltf", "--joint-map", "map.txt")
    assert re.findall(r"^(\S+)  ", posectl("keys", out, cwd=tmp_path).out, re.M) == ["other_stand", "other_run", "plain_stand", "plain_run"]
    for t in ("0", "0.2"):
        beside = posectl("mesh", "body.gltf", "--clip-file", "anims/plain.gltf", "--clip", "run", "--t", t, "--json", cwd=models)
        inside = posectl("mesh", out, "--clip", "other_run", "--t", t, "--json", cwd=tmp_path)
        for one, other in zip(*(json.loads(done.out)["frames"][0]["positions"][0] for done in (beside, inside)), strict=True):
            assert one == pytest.approx(other, abs=2e-5)
    named = convert("--clips", "anims/plain.gltf", "--name", "{clip} ({file})", "--json")
    assert json.loads(named.out)["clips"] == 2 and json.loads(named.out)["clip_files"][0]["unmatched"]["nodes"] == []
    assert "anims/other.gltf" in convert("--clips", "anims/*.gltf", status=1).err
    assert "'none/*.gltf' matches no file" in convert("--clips", "none/*.gltf", status=2).err
    lost = convert("--clips", "anims/other.gltf", "--rename-joints", "A k*=k*", "--rename-joints", "A r*=r*")
    assert "anims/other.gltf: 1 node with keys has no partner: A hip" in lost.err
    strict = ("--rename-joints", "A k*=k*", "--strict")
    assert "'A hip'" in convert("--clips", "anims/other.gltf", *strict, status=1).err


def test_no_file(models):
    done = posectl("pose", "body.gltf", "--clip-file", "other.gltf", "--joint-map", "none", cwd=models)
    assert done.status == 2 and "cannot read 'none'" in done.err
    assert posectl("info", "body.gltf", "--joint-map", "none", cwd=models).status == 2, "no option of info"
