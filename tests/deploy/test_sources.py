"""The recipes of deploy/sources: rclone mounts or copies the files of nginx and an S3 server. Changes are seen, and an outage is survived.
"""
import pathlib

import pytest

from conftest import wait_until
from importers import NO_RENDERING
from small_models import gltf, place
from sources import RECIPES, Mount, S3Server, Sync, WebServer

OPTIONS = ("--watch-interval", "100ms", "--source-timeout", "1s", *NO_RENDERING)


def model(x):
    """The size depends on x, because times of HTTP are whole seconds."""
    return gltf(x=x).encode() + b" " * x


@pytest.fixture(params=[S3Server, WebServer], ids=lambda one: one.name)
def source(request, tmp_path):
    one = request.param(tmp_path / "source")
    try:
        one.put("a.gltf", model(1))
        yield one
    finally:
        one.end()


@pytest.fixture(params=[Mount, Sync], ids=["mount", "sync"])
def root(request, tmp_path, source):
    one = request.param(tmp_path, tmp_path / "models", source)
    yield tmp_path / "models"
    one.end()


def ask(server, name="a.gltf"):
    return server.get(f"/v1/palette?model={name}")


def wait_for(server, x, name="a.gltf"):
    """There is never an error meanwhile: at most the model does not exist yet."""
    def is_there():
        answer = ask(server, name)
        assert answer.status in (200, 404), answer.body
        return answer.status == 200 and place(answer) == x
    wait_until(is_there, f"{name} does not come to be at {x}")


def test_changes_are_seen_and_an_outage_is_survived(start, source, root):
    server = start(*OPTIONS, root=root)
    wait_for(server, 1)
    source.put("a.gltf", model(2))
    source.put("b.gltf", model(3))
    wait_for(server, 2)
    wait_for(server, 3, "b.gltf")
    assert [one["model"] for one in server.json("/v1/models")["models"]] == ["a.gltf", "b.gltf"]
    source.end()
    for _ in range(100):
        assert place(ask(server)) == 2 and place(ask(server, "b.gltf")) == 3
        assert ask(server, "c.gltf").status == 404 or ask(server, "c.gltf").error() == "source_unavailable"
    source.begin()
    source.put("a.gltf", model(4))

    def is_changed():
        answer = ask(server)
        assert answer.status == 200, answer.body
        return place(answer) == 4
    wait_until(is_changed, "the change after the outage is not seen")
    source.remove("b.gltf")
    wait_until(lambda: ask(server, "b.gltf").status == 404, "a deleted model is still there")
    assert place(ask(server)) == 4


def test_the_recipes_use_the_scripts_that_are_tested():
    yaml = pytest.importorskip("yaml", reason="python3-yaml is not installed: make deploy-test does that")
    for recipe in sorted(RECIPES.glob("*.yaml")):
        script = "mount.sh" if "mount" in recipe.name else "sync.sh"
        for document in yaml.safe_load_all(recipe.read_text()):
            assert isinstance(document, dict), recipe
        assert script in recipe.read_text(), recipe
        assert recipe.name in (RECIPES / "README.md").read_text(), recipe
    mount = next(yaml.safe_load_all((RECIPES / "kubernetes-mount.yaml").read_text()))
    containers = {one["name"]: one for one in mount["spec"]["template"]["spec"]["containers"] + mount["spec"]["template"]["spec"].get("initContainers", [])}
    ways = {name: one["volumeMounts"][0].get("mountPropagation") for name, one in containers.items() if one["volumeMounts"][0]["name"] == "models"}
    assert ways == {"posed": "HostToContainer", "rclone": "Bidirectional"}
    assert pathlib.Path(RECIPES / "mount.sh").stat().st_mode & 0o111 and pathlib.Path(RECIPES / "sync.sh").stat().st_mode & 0o111
