"""deploy/ci: the page about a pull request, in a real repository, and the commands of both workflows."""
import os
import re
import shutil
import struct
import subprocess

import pytest

from conftest import REPOSITORY
from posectl import POSECTL, environment, png_size
from rigs import HALF, Writer
from small_models import gltf

pytestmark = [pytest.mark.skipif("POSED_SERVER" in os.environ, reason="starts servers of its own"),
              pytest.mark.skipif(not shutil.which("git"), reason="no git")]
SCRIPT = REPOSITORY / "deploy/ci/pull-request.sh"


def glb(text):
    data = text.encode() + b" " * (-len(text.encode()) % 4)
    return struct.pack("<4sIIII", b"glTF", 2, 20 + len(data), len(data), 0x4E4F534A) + data


def hero(angle=0.0, clip="wave"):
    """A clip of five keys; the toe is rotated by `angle` (the z of its rotation) at 0.5 s."""
    writer = Writer()
    writer.rig(["root", "hip", "knee", "toe"])
    writer.skin()
    times = writer.accessor([0, 0.25, 0.5, 0.75, 1], "SCALAR")
    knee = writer.accessor([[HALF, 0, 0, HALF], [0.6, 0, 0, 0.8], [0.5, 0, 0, HALF * 1.224744871391589], [0.6, 0, 0, 0.8], [HALF, 0, 0, HALF]], "VEC4")
    toe = writer.accessor([[0, 0, 0, 1]] * 2 + [[0, 0, angle, (1 - angle * angle) ** 0.5]] + [[0, 0, 0, 1]] * 2, "VEC4")
    writer.document["animations"] = [{
        "name": clip, "samplers": [{"input": times, "output": knee}, {"input": times, "output": toe}],
        "channels": [{"sampler": 0, "target": {"node": 2, "path": "rotation"}}, {"sampler": 1, "target": {"node": 3, "path": "rotation"}}]}]
    return glb(writer.text())


def git(folder, *arguments):
    words = ["git", "-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "init.defaultBranch=main", *arguments]
    return subprocess.run(words, cwd=folder, check=True, capture_output=True, text=True, env=environment(GIT_CONFIG_GLOBAL="/dev/null")).stdout


def commit(folder, message):
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", message)


@pytest.fixture
def repository(tmp_path):
    """A branch that changes one key of hero.glb, adds a model and removes one; main goes on meanwhile."""
    folder = tmp_path / "repository"
    (folder / "in").mkdir(parents=True)
    git(folder, "init", "-q")
    (folder / "in/hero.glb").write_bytes(hero())
    (folder / "in/other.gltf").write_text(gltf())
    (folder / "in/old.gltf").write_text(gltf())
    (folder / "in/broken.gltf").write_text("no")
    (folder / "notes.txt").write_text("no model")
    commit(folder, "first")
    git(folder, "branch", "change")
    (folder / "in/other.gltf").write_text(gltf(x=5))
    commit(folder, "meanwhile")
    git(folder, "checkout", "-q", "change")
    (folder / "in/hero.glb").write_bytes(hero(0.25))
    (folder / "in/new `model`.glb").write_bytes(hero(clip="hop"))
    (folder / "in/old.gltf").unlink()
    (folder / "notes.txt").write_text("still none")
    commit(folder, "change")
    return folder


def review(folder, *arguments, **more):
    done = subprocess.run([SCRIPT, *arguments], cwd=folder, capture_output=True, text=True, timeout=300,
                          env=environment(POSECTL=str(POSECTL), GIT_CONFIG_GLOBAL="/dev/null", **more))
    report = folder / "model-review/report.md"
    return done, report.read_text() if report.exists() else ""


def test_the_page_tells_what_changed_and_shows_it(repository):
    done, report = review(repository, "main")
    assert done.returncode == 0, done.stderr
    differences, changes, sheets, check = re.split(r"^# (?:Models in this change|Sheets|Check)$", report, flags=re.M)
    first, _, second = report.splitlines()[:3]
    assert first == "# 1 of 3 models changed: motion in 1; 1 added, 1 removed"
    assert re.fullmatch(r"The worst is in/hero\.glb: 'toe' of 'wave' is .* at 0\.5 s\.", second), second
    assert re.findall(r"^- (.*)$", changes, re.M) == ["removed: `in/old.gltf`", "changed: `in/hero.glb`", "new: `in/new ?model?.glb`"]
    assert "in/hero.glb" in differences and "wave" in differences and "toe" in differences and re.search(r"\b0\.5\d* s", differences), differences
    assert "other.gltf" not in report
    pictures = re.findall(r"!\[[^]]*\]\(([^)]+)\)", report)
    assert len(pictures) >= 4
    for picture in pictures:
        png_size(repository / "model-review" / picture)
    assert sheets.count("\n## ") == 2 and sheets.count("![") == 2
    assert "2 models: 0 errors" in check and (repository / "model-review/check.sarif").exists() and (repository / "model-review/check.xml").exists()
    assert git(repository, "status", "--porcelain") == "?? model-review/\n"


def test_a_new_error_fails_and_an_accepted_one_does_not(repository):
    (repository / "in/broken.gltf").write_text("still no")
    commit(repository, "touch")
    done, report = review(repository, "main")
    assert (done.returncode, "not_a_model" in report) == (1, True), done.stderr
    subprocess.run([POSECTL, "check", ".", "--write-baseline", "posed.known.json"], cwd=repository, env=environment(), check=True, capture_output=True)
    done, report = review(repository, "main")
    assert (done.returncode, "1 accepted" in report) == (0, True), done.stderr
    (repository / "posed.known.json").unlink()
    done, _ = review(repository, "main", POSED_BASELINE="nowhere.json")
    assert done.returncode == 3


@pytest.mark.parametrize("link", ["model-review", "out", "out/in"])
def test_no_link_of_the_change_is_followed(repository, link):
    """The folder of the page, or one above it, is a link that the change has committed."""
    victim = repository.parent / "victim"
    victim.mkdir()
    (victim / "report.md").write_text("of an earlier run")
    (victim / "precious").write_text("data")
    (repository / link).parent.mkdir(exist_ok=True)
    (repository / link).symlink_to(victim)
    commit(repository, "link")
    done, _ = review(repository, "main", *([] if link == "model-review" else ["out/in/page"]))
    assert done.returncode == 2 and f"{link}' is a symbolic link in the work tree" in done.stderr
    assert sorted(path.name for path in victim.iterdir()) == ["precious", "report.md"]


def test_the_page_is_made_elsewhere_and_replaces_what_the_change_has_there(repository):
    (repository / "model-review/sheets").mkdir(parents=True)
    (repository / "model-review/report.md").write_text("a page that the change made up")
    (repository / "model-review/sheets/1.png").symlink_to("../../.git/config")
    (repository / "posed.known.json").symlink_to(".git/config")
    commit(repository, "page")
    done, report = review(repository, "main")
    assert done.returncode == 2 and "'posed.known.json' is a symbolic link" in done.stderr
    (repository / "posed.known.json").unlink()
    commit(repository, "no baseline")
    done, report = review(repository, "main")
    assert done.returncode == 0 and report.startswith("# 1 of 3 models changed: "), done.stderr
    assert not (repository / "model-review/sheets/1.png").is_symlink() and not list(repository.glob(".model-review.*"))


def test_a_model_of_a_change_opens_no_hidden_file(repository):
    """Such as .git/config, which holds a job's token."""
    (repository / "in/evil.gltf").write_text(gltf(buffer="../.git/config"))
    (repository / "in/way.gltf").symlink_to("../.git/config")
    (repository / "in/far\u202e.gltf").symlink_to("/etc/hostname")
    commit(repository, "evil")
    done, report = review(repository, "main")
    assert done.returncode == 1, done.stderr
    assert "see --allow-hidden" in report and "symbolic link" in report and "\\u202e" in report and "\u202e" not in report
    assert sorted(path.name for path in (repository / "model-review/sheets").iterdir()) == ["3.png", "4.png"]  # of the other two


def test_a_name_that_is_no_text_leaves_the_page_one(repository):
    (repository / os.fsdecode(b"in/bad\xff.gltf")).write_text(gltf())
    commit(repository, "bytes")
    done, report = review(repository, "main")  # which reads the page as UTF-8
    assert done.returncode == 1 and report.count("`in/bad.gltf?`") == 2, done.stderr  # posectl check does not open such a name


def test_without_models_the_page_says_so(repository):
    (repository / "notes.txt").write_text("text")
    commit(repository, "text")
    done, report = review(repository, "HEAD~1")
    assert done.returncode == 0 and report.endswith("No model changed.\n")


def test_a_file_beside_a_model_changes_it(repository):
    (repository / "in/split.gltf").write_text(gltf(buffer="split.bin"))
    (repository / "in/split.bin").write_bytes(bytes(36))
    commit(repository, "split")
    (repository / "in/split.bin").write_bytes(struct.pack("<9f", 0, 0, 0, 1, 0, 0, 0, 1, 0))
    commit(repository, "bytes")
    assert "- changed: `in/split.gltf`\n" in review(repository, "HEAD~1")[1]


@pytest.mark.parametrize("arguments, status, says", [
    ([], 2, "usage: pull-request.sh BASE [FOLDER]"), (["nowhere"], 2, "no commit is both in 'nowhere' and in HEAD"),
    (["main", "in"], 2, "'in' is not empty"), (["main", "."], 2, "is not empty")])
def test_what_is_wrong_is_said(repository, arguments, status, says):
    done, report = review(repository, *arguments)
    assert (done.returncode, says in done.stderr.replace(f"{repository}/", ""), report) == (status, True, ""), done.stderr
    assert (repository / "in/hero.glb").exists()


def commands(name):
    """What a workflow runs, in order."""
    text = (REPOSITORY / "deploy/ci" / name).read_text()
    return re.findall(r"^ +- run: (.*)$|^ +run: (.*)$|^    - (posed-pull-request .*)$", text, re.M)


@pytest.mark.parametrize("name, variables, files", [
    ("github.yml", {"GITHUB_BASE_REF": "main"}, ["report.md"]),
    ("gitlab.yml", {"CI_MERGE_REQUEST_DIFF_BASE_SHA": "origin/main"}, ["report.md", "check.xml"])])
def test_workflows_run_as_they_are(repository, tmp_path, name, variables, files):
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "-q", "--branch", "change", str(repository), str(clone))
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/posed-pull-request").symlink_to(SCRIPT)
    (tmp_path / "bin/posectl").symlink_to(POSECTL)
    env = environment(PATH=f"{tmp_path}/bin:{os.environ['PATH']}", GITHUB_WORKSPACE=str(clone), GITHUB_STEP_SUMMARY=str(tmp_path / "summary.md"),
                      POSED_PROGRAM=str(POSECTL.parent / "posed"), GIT_CONFIG_SYSTEM=str(tmp_path / "system"), **variables)
    ran = [next(filter(None, found)) for found in commands(name)]
    assert len(ran) >= 1
    for command in ran:
        done = subprocess.run(["bash", "-e", "-c", command], cwd=clone, env=env, capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, (command, done.stderr)
    assert all((clone / "model-review" / file).exists() for file in files)
    text = (REPOSITORY / "deploy/ci" / name).read_text()
    assert all((clone / path).exists() for path in re.findall(r"model-review(?:/[\w.]*)?", text))
    if name == "github.yml":
        summary = (tmp_path / "summary.md").read_text()
        assert "changed: `in/hero.glb`" in summary and "![" not in summary
