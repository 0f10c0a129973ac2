"""The examples of protocol/http.md and answers.md have exactly the fields of real answers."""
import json
import re

import pytest

from conftest import REPOSITORY, SAMPLES
from small_mdl import mdl

pytestmark = pytest.mark.short
P = "model=awkward.gltf"


def examples(name):
    return [json.loads(text) for text in re.findall(r"```json\n(.*?)```", (REPOSITORY / "protocol" / name).read_text(), re.S)]


def fields(value, path=""):
    """Paths of all fields. Items of a list share a path, and so do node numbers."""
    if isinstance(value, dict):
        found = set()
        for key, one in value.items():
            key = "N" if key.isdigit() else key
            found |= {f"{path}.{key}"} | fields(one, f"{path}.{key}")
        return found
    if isinstance(value, list):
        return set().union(*(fields(one, path + "[]") for one in value))
    return set()


def example_with(name, *keys):
    found = [one for one in examples(name) if set(keys) <= set(one)]
    assert len(found) == 1, (name, keys, len(found))
    return fields(found[0])


def test_palette(awkward):
    answer = awkward.json(f"/v1/palette?{P}&skin=0&layout=mat3x4")
    assert fields(answer) == example_with("answers.md", "space")


def test_pose(awkward):
    answer = awkward.json(f"/v1/pose?{P}&joints=2,3&what=local,scene")
    assert fields(answer) == example_with("answers.md", "nodes", "frames")


def test_mesh(awkward):
    answer = awkward.json(f"/v1/mesh?{P}&rest=1&indices=1")
    assert fields(answer) == example_with("answers.md", "meshes", "frames", "rest")


def test_model(server, awkward, a_model, start, tmp_path):
    """Every field of the example occurs in some model, and no model has others."""
    found = fields(awkward.json(f"/v1/model?{P}")) | fields(server.json(f"/v1/model?model={a_model}"))
    broken = '{"asset":{"version":"2.0"},"images":[{"uri":"none.png"}],"textures":[{"source":0}],' \
             '"materials":[{"pbrMetallicRoughness":{"baseColorTexture":{"index":0}}}],"nodes":[{"camera":0}],' \
             '"cameras":[{"type":"perspective","perspective":{"yfov":1,"znear":1}}]}'
    (tmp_path / "a.gltf").write_text(broken)
    answer = start(root=tmp_path).json("/v1/model", model="a.gltf")
    assert [one["code"] for one in answer["warnings"]] == ["texture_missing"]
    assert {"path": "none.png", "role": "texture", "missing": True, "bytes": 0} in answer["files"]
    (tmp_path / "b.mdl").write_bytes(mdl(("walk", 10, 3, [(1, 7, "step.wav")])))
    marked = {field for field in fields(start(root=tmp_path).json("/v1/model", model="b.mdl")) if ".markers" in field}
    named = '{"asset":{"version":"2.0"},"nodes":[{"mesh":0}],"accessors":[{"componentType":5126,"count":3,"type":"VEC3"}],"meshes":[' \
            '{"primitives":[{"attributes":{"POSITION":0},"targets":[{"POSITION":0},{"POSITION":0}]}],"extras":{"targetNames":["smile"]}}]}'
    (tmp_path / "c.gltf").write_text(named)
    meshes = start(root=tmp_path).json("/v1/model", model="c.gltf")["meshes"]
    assert meshes[0]["targets"] == ["smile", None]
    marked |= {field for field in fields({"meshes": meshes}) if field.endswith(".targets")}
    any_slot = lambda all_fields: {re.sub(r"(\.materials\[\]\.textures)\.\w+", r"\1.*", field) for field in all_fields}
    assert any_slot(found | fields(answer) | marked) == any_slot(example_with("answers.md", "warnings"))


def test_models_of_the_list(start, tmp_path, awkward):
    documented = example_with("http.md", "models")
    (tmp_path / "a.gltf").write_text("{}")
    server = start(root=tmp_path)
    assert server.get("/v1/model?model=a.gltf").status == 422
    assert fields(server.json("/v1/models")) | fields(awkward.json("/v1/models")) == documented


def test_error_and_version(awkward):
    assert fields(awkward.get(f"/v1/palette?{P}&clip=nothing").json()) == example_with("http.md", "error")
    version = awkward.json("/v1/version")
    assert fields(version) == example_with("http.md", "protocol")
    assert version["name"] == "posed" and version["protocol"] == 1 and re.fullmatch(r"\d+\.\d+\.\d+(\+\S+)?", version["version"])


def test_operations(awkward):
    for target in ("/healthz", "/livez", "/readyz"):
        assert awkward.json(target) == {"status": "ok"}


def test_every_table_of_parameters(awkward):
    """Each operation accepts the parameters of its table, and refuses those that only other tables name."""
    document = (REPOSITORY / "protocol" / "http.md").read_text()
    sections = re.findall(r"^## `GET (/v1/\w+)`\n(.*?)(?=^## )", document, re.S | re.M)
    tables = {path: re.findall(r"^\| `(\w+)` \|", text, re.M) for path, text in sections}
    names = set(sum(tables.values(), []))
    for sheet in ("/v1/sheet", "/v1/turntable"):  # "and every parameter of /v1/render but those of passes"
        tables[sheet] += [name for name in tables["/v1/render"] if name not in ("passes", "normal_space", "t2")]
    table = (REPOSITORY / "server" / "wire" / "operations" / "operations.def").read_text()
    operations = re.findall(r'^OPERATION\(\w+, "\w+", "(/v1/\w+)", NULL, [A-Z |]*GET', table, re.M)
    assert sorted(tables) == sorted(operations), "the sections of http.md are not the operations of operations.def that take a GET"
    for path, own in tables.items():
        for name in names:
            answer = awkward.get(f"{path}?{name}=%00")
            code = answer.error()
            assert (code != "unknown_parameter") == (name in own), (path, name, answer.body)


def test_words_and_ranges_of_the_tables(awkward):
    for query in ("palette?wrap=loop", "palette?wrap=clamp", "palette?wrap=mirror", "palette?space=scene", "palette?space=root",
                  "palette?space=mesh", "palette?layout=mat4", "palette?layout=mat3x4", "pose?layout=mat3x4", "mesh?format=json",
                  "mesh?format=bin", "pose?what=local", "pose?what=scene", "mesh?indices=0", "mesh?normals=1", "mesh?rest=1",
                  "render?pitch=90", "render?pitch=-90", "render?width=4096&height=64"):
        op, _, rest = query.partition("?")
        answer = awkward.get(f"/v1/{op}?{P}&{rest}")
        assert answer.status == 200, answer.body
    for query in ("limit=1", "limit=1000", "prefix=", "prefix=awk&after=a", "after="):
        assert [one["model"] for one in awkward.json("/v1/models?" + query)["models"]] == ["awkward.gltf"], query
    assert awkward.json("/v1/models?after=awkward.gltf") == {"models": [], "next": None}
    assert awkward.json("/v1/models?prefix=x") == {"models": [], "next": None}


def test_gallery(server):
    answer = server.get("/")
    assert answer.headers["content-type"] == "text/html; charset=utf-8" and b"<!doctype html>" in answer.body[:40].lower()


@pytest.mark.skipif(not SAMPLES.is_dir(), reason="no sample models")
def test_example_queries_of_the_documents_work(server):
    """The queries of http.md that name a sample."""
    document = (REPOSITORY / "protocol" / "http.md").read_text()
    targets = re.findall(r"^\$ curl '?http://127\.0\.0\.1:7878(/v1/[^' ]+)(?! -H)", document, re.M)
    targets = [target for target in targets if "?" in target]  # the others are POST: another test has their bodies
    assert targets
    for target in targets:
        assert server.get(target).status == 200, target
