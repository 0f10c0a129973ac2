"""IMPORT_VERSION stands for the result of an import in the key of the disk cache. It is incremented when the result changes.

import_hashes.json has a hash of the result of each model's import, and of the model's file. If libraries made another file with the same
generator (another machine's sine), the model is not compared.
"""
import json
import os
import pathlib
import re

import pytest

from conftest import SAMPLES, wait_until
from import_models import TOP, digest, stored_bakes, without_stamps, write_models
from importers import NO_RENDERING

DRAWS = False

STORED = pathlib.Path(__file__).with_name("import_hashes.json")
HEADER = "server/import/import_version.h"
WRITE = "WRITE_HASHES=1 python3 -m pytest tests/api/formats/test_import_version.py"
# Formats without a small file in the tree, or that are refused.
WITHOUT_FILE = {"blend", "csm", "lws", "q3s", "vrm", "vrma"}


def import_version():
    return int(re.search(r"IMPORT_VERSION = (\d+)", (TOP / HEADER).read_text()).group(1))


def ask(server, name):
    """Make the server import it. A parameter of a picture imports an environment."""
    if name.endswith(".hdr"):
        server.get(f"/v1/render?model=robot.glb&environment={name}&width=16&height=16")
        return 200
    return server.get(f"/v1/model?model={name}").status


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Return {model: (hash of its file, hash of its import's result)}."""
    from conftest import Server
    if not SAMPLES.is_dir():
        pytest.skip("no sample models")
    root, folder = tmp_path_factory.mktemp("models"), tmp_path_factory.mktemp("cache")
    folder.chmod(0o700)
    names = write_models(root)
    server = Server(root, "--cache-dir", str(folder), "--render-workers", "1")
    try:
        refused = [name for name in names if ask(server, name) != 200]
        assert not refused
        wait_until(lambda: len(stored_bakes(folder)) >= len(names), "a model is not stored")
    finally:
        server.end()
    return {name: [digest((root / name).read_bytes()), digest(without_stamps(bake))]
            for name, bake in sorted(stored_bakes(folder).items())}


def test_a_change_of_bytes_raises_the_number(made):
    number = import_version()
    stored = json.loads(STORED.read_text()) if STORED.is_file() else {"import_version": 0, "models": {}}
    changed = [name for name, (source, made_of_it) in stored["models"].items()
               if name in made and made[name][0] == source and made[name][1] != made_of_it]
    if "WRITE_HASHES" in os.environ:
        assert not changed or number > stored["import_version"], f"increment IMPORT_VERSION in {HEADER} first: {changed}"
        STORED.write_text(json.dumps({"import_version": number, "models": made}, indent=1) + "\n")
        return
    assert not changed or number != stored["import_version"], \
        f"an import makes other bytes than before of {', '.join(changed)}: increment IMPORT_VERSION in {HEADER}, then {WRITE}"
    assert number == stored["import_version"], f"{STORED.name} is of another IMPORT_VERSION: {WRITE}"
    assert made.keys() == stored["models"].keys(), f"{STORED.name} is about other models: {WRITE}"
    same = [name for name in made if made[name][0] == stored["models"][name][0]]
    assert len(same) > 0.8 * len(made), f"the files are others: {WRITE}"


def test_every_reader_is_covered(made):
    rows = dict(re.findall(r'^X\("(\w+)", "[^"]*", (\w+)', (TOP / "protocol/formats.def").read_text(encoding="utf-8"), re.M))
    endings = {name.rsplit(".", 1)[1] for name in made}
    assert {rows[ending] for ending in endings & rows.keys()} == set(rows.values()) and "hdr" in endings
    assert rows.keys() - endings <= WITHOUT_FILE | {"md5anim"}


def test_stamps_are_no_part(start, made, tmp_path):
    """Copies with other times, imported by another server, have the same hashes."""
    root, folder = tmp_path / "root", tmp_path / "cache"
    root.mkdir()
    write_models(root)
    server = start("--cache-dir", str(folder), *NO_RENDERING, "--import-workers", "2", root=root)
    names = ["robot.glb", "gate.fbx", "random_1.dae", "small.ifc", "ogre_1_100.mesh"]
    for name in names:
        assert ask(server, name) == 200
    wait_until(lambda: len(stored_bakes(folder)) == len(names), "a model is not stored")
    assert {name: digest(without_stamps(bake)) for name, bake in stored_bakes(folder).items()} == {name: made[name][1] for name in names}
