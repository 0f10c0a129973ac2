"""The floats of libposed-eval have stored hashes: palettes of a crowd, and hits of rays at it, by volumes and by meshes. `make test-arm`
asks the library for AArch64 for the same, through POSED_EVAL_BUILD (where its example is) and POSED_EVAL_RUN (the program that runs it)."""
import json
import os
import pathlib
import re
import subprocess

import pytest

from conftest import BUILD, PATIENCE_S, SAMPLES, Server

DRAWS = False

STORED = pathlib.Path(__file__).with_name("library_bits.json")
EXAMPLE = [*os.environ.get("POSED_EVAL_RUN", "").split(), pathlib.Path(os.environ.get("POSED_EVAL_BUILD", BUILD)) / "example_crowd"]
pytestmark = pytest.mark.short
MODELS = "robot", "dragon", "octopus"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with a .posed file of each model, as the server makes it."""
    folder = tmp_path_factory.mktemp("bits")
    server = Server(SAMPLES, draws=False)
    for name in MODELS:
        (folder / f"{name}.posed").write_bytes(server.get(f"/v1/export?model={name}.glb&format=posed").body)
    server.end()
    return folder


@pytest.mark.parametrize("name", MODELS)
def test_a_crowd_and_its_hits_have_the_stored_bits(folder, name):
    done = subprocess.run([*EXAMPLE, folder / f"{name}.posed", "--entities", "30", "--ticks", "4", "--shots", "20"], capture_output=True,
                          text=True, timeout=PATIENCE_S, check=True)
    hits, found = re.search(r" (\d+) hits, hash ([0-9a-f]{16})$", done.stdout, re.M).groups()
    assert int(hits) > 0
    stored = json.loads(STORED.read_text())
    if "WRITE_HASHES" in os.environ:
        STORED.write_text(json.dumps({**stored, name: found}, indent=1, sort_keys=True) + "\n")
        return
    assert found == stored[name], "where other bits are meant: increment ANSWER_VERSION, WRITE_HASHES=1, make answers"
