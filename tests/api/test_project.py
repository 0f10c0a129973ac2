"""What the project says of itself: layers hold, samples are models, references agree, the README's commands work."""
import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

TOP = pathlib.Path(__file__).resolve().parents[2]
SHARED = TOP.parent / "shared"


@pytest.mark.parametrize("path, line", [
    ("anim/pose.c", '#include "../app/config.h"'),
    ("base/buf.c", '#include "../anim/model.h"'),
    ("wire/json.c", "#include <uv.h>"),
    ("app/main.c", "#include <assimp/scene.h>"),
    ("app/main.c", '#include "../import/opener.h"'),
    ("app/main.c", '#include "../worker/limits.h"'),
    ("anim/pose.c", "#include <time.h>"),
])
def test_layers_fail_on_a_forbidden_include(tmp_path, path, line):
    server = tmp_path / "server"
    shutil.copytree(TOP / "server", server)
    clean = subprocess.run([TOP / "tests/layers.sh", server], capture_output=True, text=True)
    assert clean.returncode == 0, clean.stdout
    with open(server / path, "a", encoding="utf-8") as file:
        file.write(line + "\n")
    broken = subprocess.run([TOP / "tests/layers.sh", server], capture_output=True, text=True)
    assert broken.returncode == 1
    assert path in broken.stdout


@pytest.mark.skipif(not SHARED.is_dir(), reason="the reference models are not beside the project")
def test_every_reference_frame_is_within_tolerance(tmp_path):
    """judge.py wants PROJECT/build/posed: a folder that links to the build under test."""
    (tmp_path / "build").symlink_to(os.environ.get("POSED_BUILD", TOP / "build"))
    result = subprocess.run([sys.executable, SHARED / "oracle/judge.py", tmp_path, SHARED / "models", SHARED / "refs"],
                            capture_output=True, text=True, timeout=500)
    assert result.returncode == 0, result.stdout[-4000:] + result.stderr[-2000:]
    counts = re.search(r"(\d+) of (\d+) clips within tolerance", result.stdout)
    assert counts and int(counts[1]) == int(counts[2]) >= 45


def readme_commands():
    """(command, printed) pairs: in the README's console blocks, a line "$ curl ..." is followed by what it prints."""
    pairs = []
    for block in re.findall(r"```console\n(.*?)```", (TOP / "README.md").read_text(encoding="utf-8"), re.S):
        for part in re.split(r"^\$ ", block, flags=re.M)[1:]:
            command, _, printed = part.partition("\n")
            if "curl" in command:
                pairs.append((command, printed))
    return pairs


@pytest.mark.parametrize("command, printed", readme_commands())
def test_readme_curl_prints_what_it_says(server, tmp_path, command, printed):
    command = command.replace("http://127.0.0.1:7878", server.url)
    result = subprocess.run(["bash", "-c", command], capture_output=True, text=True, cwd=tmp_path, timeout=60)
    assert result.returncode == 0, result.stderr
    assert result.stdout.strip() == printed.replace("127.0.0.1:7878", server.url.removeprefix("http://")).strip()


def test_readme_shows_commands():
    assert len(readme_commands()) >= 4


def test_samples_are_skinned_textured_and_have_clips(server):
    models = server.json("/v1/models")["models"]
    assert sorted(m["model"] for m in models) == ["dragon.glb", "octopus.glb", "robot.glb"]
    for entry in models:
        model = server.json("/v1/model", model=entry["model"])
        assert len(model["clips"]) >= 3 and len(model["skins"][0]["joints"]) > 10
        assert {t["state"] for t in model["textures"]} == {"found"}
        assert model["warnings"] == []


def test_install_puts_programs_and_documents_in_place(tmp_path):
    build = os.environ.get("POSED_BUILD", str(TOP / "build"))
    out = os.path.relpath(build, TOP)
    config = [] if out == "build" else [f"out={out}"]
    subprocess.run(["make", "-s", "-o", "all", "install", "NODEPS=1", f"DESTDIR={tmp_path}", "PREFIX=/usr", *config], cwd=TOP,
                   check=True, capture_output=True)
    posed = tmp_path / "usr/bin/posed"
    assert (tmp_path / "usr/libexec/posed/posed-import").exists() and (tmp_path / "usr/libexec/posed/posed-render").exists()
    version = subprocess.run([posed, "--version"], capture_output=True, text=True, check=True)
    assert version.stdout.startswith("posed ")
