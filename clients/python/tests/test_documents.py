"""The documents' examples work when pasted."""
import importlib.util
import os
import re
import shutil
import subprocess
import sys

import pytest

from conftest import BUILD, ENVIRONMENT, PACKAGE, REPOSITORY, SAMPLES


def shown():
    """Yield (name, program, output) of the Python blocks, each followed by a block of text."""
    for name in "clients/README.md", "clients/python/README.md":
        text = (REPOSITORY / name).read_text(encoding="utf-8")
        for i, (program, printed) in enumerate(re.findall(r"```python\n(.*?)```\n(?:\nprints\n)?\n```text\n(.*?)```", text, re.S)):
            yield pytest.param(program, printed, id=f"{name}-{i}")


@pytest.mark.parametrize("program, printed", shown())
@pytest.mark.parametrize("has_numpy", [True, False])
def test_programs_of_the_readmes_print_what_they_show(program, printed, has_numpy, tmp_path):
    program = program.replace("build/samples", str(SAMPLES))
    hide = "" if has_numpy else "import sys; sys.modules['numpy'] = None\n"
    result = subprocess.run([sys.executable, "-"], input=hide + program, capture_output=True, text=True, cwd=tmp_path, timeout=60,
                            env={**ENVIRONMENT, "PYTHONPATH": str(PACKAGE), "POSED_PROGRAM": str(BUILD / "posed")})
    assert (result.returncode, result.stdout) == (0, printed), result.stderr
    for path in tmp_path.glob("*.png"):
        assert path.read_bytes()[1:4] == b"PNG"


def test_there_are_programs_to_paste():
    assert len(list(shown())) == 5


def test_pip_installs_it(tmp_path):
    """Without a network, and from a copy: setuptools writes into the folder that it builds."""
    shutil.copytree(PACKAGE, tmp_path / "python", ignore=shutil.ignore_patterns("__pycache__"))
    subprocess.run([sys.executable, "-m", "pip", "install", "-q", "--no-build-isolation", "--no-deps", "--target", tmp_path / "site", tmp_path / "python"],
                   check=True, capture_output=True, timeout=120)
    here = lambda folder: {path.name for path in folder.iterdir() if path.name != "__pycache__"}
    assert here(tmp_path / "site" / "posed") == here(PACKAGE / "posed") and "py.typed" in here(PACKAGE / "posed")


def test_the_commands_of_the_readme_install_it(tmp_path):
    """In a folder of its own, as Debian wants it; of the commands for pip the one that needs no network."""
    if importlib.util.find_spec("ensurepip") is None:
        pytest.skip("no python3-venv")
    blocks = re.findall(r"```sh(?: needs=network)?\n(.*?)```", (PACKAGE / "README.md").read_text(encoding="utf-8"), re.S)
    make, with_index, without = (block.strip() for block in blocks[:3])
    assert with_index == without.replace("--no-build-isolation ", "")
    shutil.copytree(PACKAGE, tmp_path / "clients/python", ignore=shutil.ignore_patterns("__pycache__"))
    for command in make, without, "env/bin/python3 -c 'import posed; print(posed.__file__)'":
        done = subprocess.run(["sh", "-c", command.replace("python3 -m", f"{sys.executable} -m")], cwd=tmp_path, capture_output=True, text=True, timeout=120,
                              env={**os.environ, "PIP_NO_INDEX": "1", "PYTHONPATH": ""})
        assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.startswith(f"{tmp_path}/env/lib/")


def test_the_example_finds_the_hand():
    run = lambda *words: subprocess.run([sys.executable, PACKAGE / "examples" / "hand_at_hit.py", *words], capture_output=True, text=True,
                                        env={**ENVIRONMENT, "PYTHONPATH": str(PACKAGE), "POSED_PROGRAM": str(BUILD / "posed")}, timeout=60)
    found = run(SAMPLES)
    assert re.fullmatch(r"robot.glb, dance at \d\.\d{3} s: hand_right is at( -?\d+\.\d{4}){3}\n", found.stdout), found.stderr
    missing = run(SAMPLES, "robot.glb", "dance", "hand_rihgt")
    assert missing.returncode == 1 and "joint_not_found" in missing.stderr
    missing = run(SAMPLES, "robot.glb", "danc")
    assert missing.returncode == 1 and "clip_not_found" in missing.stderr


def test_the_package_can_be_installed(tmp_path):
    """pip installs the package, typed, without dependencies. (A wheel needs setuptools; its metadata do not.)"""
    text = (PACKAGE / "pyproject.toml").read_text()
    assert 'requires-python = ">=3.9"' in text and "dependencies = []" in text
    assert (PACKAGE / "posed" / "py.typed").exists()
    version = re.search(r'^version = "(.*)"', text, re.M)[1]
    result = subprocess.run([sys.executable, "-c", "import posed; print(posed.__version__)"], capture_output=True, text=True,
                            env={**os.environ, "PYTHONPATH": str(PACKAGE)})
    assert result.stdout.strip() == version
