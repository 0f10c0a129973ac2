"""Models that other tools have rewritten without changing a pose are equal to the originals: those that posed converts now, and small files
from three.js' exporter and Blender (`tests/soak/rewritten.py` makes them, and compares the files of more tools)."""
import pathlib
import urllib.parse

import pytest

import conftest
import rewritten_scenes
import small_scenes

DRAWS = False

HERE = pathlib.Path(__file__).resolve().parent
WRITTEN = sorted((HERE / "rewritten").glob("*.glb"))  # NAME.TOOL.glb


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    folder = tmp_path_factory.mktemp("rewritten")
    for name, make in rewritten_scenes.SCENES.items():
        (folder / f"{name}.glb").write_bytes(small_scenes.glb(make()))
    for path in WRITTEN:
        (folder / path.name).write_bytes(path.read_bytes())
    return folder


@pytest.fixture(scope="module")
def server(root):
    running = conftest.Server(root, "--log", "off", "--render-workers", "0")
    yield running
    running.end()


def differences(server, new, old):
    answer = server.json("/v1/compare", model=new, **{"with": old})
    assert answer["equal"] == (not answer["differences"])
    return [one["message"] for one in answer["differences"]]


@pytest.mark.parametrize("name", sorted(rewritten_scenes.SCENES))
def test_what_posed_converts_is_equal(server, root, name):
    answer = server.get("/v1/export?" + urllib.parse.urlencode({"model": f"{name}.glb", "format": "glb"}))
    assert answer.status == 200, answer.body
    (root / f"{name}.posed.glb").write_bytes(answer.body)
    assert answer.body != (root / f"{name}.glb").read_bytes()
    assert differences(server, f"{name}.posed.glb", f"{name}.glb") == []


@pytest.mark.parametrize("path", WRITTEN, ids=lambda path: path.name)
def test_what_other_tools_wrote_is_equal(server, path):
    assert differences(server, path.name, path.name.split(".")[0] + ".glb") == []


def test_there_are_files_of_both_tools():
    assert {path.name.split(".")[1] for path in WRITTEN} == {"blender", "three"}
