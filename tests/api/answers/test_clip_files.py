"""Layers with clips of different files, and what the headers of an answer say about them."""
import json
import os
import urllib.parse

import pytest

from importers import NO_RENDERING
from rigs import CLIPS, RIG, character, moves

pytestmark = pytest.mark.short
EVEN = {"sway": {("hip", "rotation"): [[0, 0, 0, 1], [0.6, 0, 0, 0.8]], ("toe", "scale"): [[1, 1, 1], [2, 1, 0.5]]}}


@pytest.fixture
def root(tmp_path):
    """Three clips in one file, and each clip in a file of its own with the nodes in another order."""
    folder = tmp_path / "root"
    (folder / "anims").mkdir(parents=True)
    (folder / "body.gltf").write_text(character())
    (folder / "whole.gltf").write_text(character({**CLIPS, **EVEN}))
    for name, order in (("stand", ("hip", "root", "knee", "toe")), ("run", ("toe", "knee", "hip", "root"))):
        (folder / f"anims/{name}.gltf").write_text(moves({name: CLIPS[name]}, order))
    (folder / "anims/sway.gltf").write_text(moves(EVEN, ("root", "toe", "hip", "knee")))
    return folder


def post(server, path, body):
    data = json.dumps(body).encode()
    with server.connect() as connection:
        connection.send(f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(data)}\r\n\r\n".encode() + data)
        return connection.answer()


LAYERS = [{"clip": "run", "weight": 0.7, "speed": 0.5}, {"clip": "stand", "weight": 0.3, "t": 0.1},
          {"clip": "sway", "mode": "additive", "weight": 0.5, "reference": {"clip": "run", "t": 0.4}}]


def spread(layers):
    """The same layers, with each clip from the file that has only this clip."""
    parts = [{**layer, "clip_file": f"anims/{layer['clip']}.gltf"} for layer in layers]
    for part in parts:
        if "reference" in part:
            part["reference"] = {**part["reference"], "clip_file": f"anims/{part['reference']['clip']}.gltf"}
    return parts


def floats_of(value):
    """All numbers of an answer, in order."""
    if isinstance(value, (dict, list)):
        return [one for part in (value.values() if isinstance(value, dict) else value) for one in floats_of(part)]
    return [value]


@pytest.mark.parametrize("path", ["/v1/palette", "/v1/pose", "/v1/mesh", "/v1/bounds"])
def test_same_as_clips_of_one_file(start, root, path):
    server = start(*NO_RENDERING, root=root)
    own = post(server, path, {"model": "whole.gltf", "t": [0.1, 0.45], "layers": LAYERS})
    other = post(server, path, {"model": "body.gltf", "t": [0.1, 0.45], "layers": spread(LAYERS)})
    assert own.status == other.status == 200, (own.body, other.body)
    # Blends in float may multiply in another order, within the error bound of each.
    assert floats_of(other.json()["frames"]) == pytest.approx(floats_of(own.json()["frames"]), abs=1e-5 if path in ("/v1/palette", "/v1/pose") else 0)
    assert "clip_file" not in other.json()
    layers = other.json()["layers"]
    for name, layer in zip(("run", "stand", "sway"), layers):
        assert layer["clip"] == {"index": 0, "name": name, "duration": 0.5}
        assert layer["clip_file"]["model"] == f"anims/{name}.gltf"
        assert layer["clip_file"]["hash"] == server.json("/v1/model", model=f"anims/{name}.gltf")["hash"]
        assert layer["clip_file"]["unmatched"]["nodes"] == []
    still = [[joint["name"] for joint in layer["clip_file"]["unmatched"]["joints"]] for layer in layers]
    assert still == [["toe"], ["knee", "toe"], ["knee"]]
    assert layers[2]["reference"]["clip"]["name"] == "run"
    assert layers[2]["reference"]["clip_file"]["model"] == "anims/run.gltf" and "reference" not in layers[0]
    assert other.headers["x-posed-unmatched"] == "0;joints=0" and "x-posed-unmatched" not in own.headers


def test_pictures(start, root):
    server = start(root=root)
    shape = {"width": 64, "height": 64, "t": 0.4}
    own = post(server, "/v1/render", {"model": "whole.gltf", "layers": LAYERS, **shape})
    other = post(server, "/v1/render", {"model": "body.gltf", "layers": spread(LAYERS), **shape})
    assert own.status == other.status == 200, other.body
    assert own.body == other.body and other.headers["x-posed-unmatched"] == "0;joints=0"
    for part in ("run", "stand"):
        one = post(server, "/v1/render", {"model": "body.gltf", "layers": spread([{"clip": part}]), **shape})
        assert one.status == 200 and one.body != own.body
    many = [{"clip": name, "weight": 1 + i} for i, name in enumerate(["run", "stand", "sway"] * 5)]
    own = post(server, "/v1/render", {"model": "whole.gltf", "layers": many, **shape})
    assert post(server, "/v1/render", {"model": "body.gltf", "layers": spread(many), **shape}).body == own.body


def test_skeleton_of_moves_of_other_files(start, root):
    """A model without meshes: the picture shows its bones, which the clips of the other files move."""
    (root / "bones.gltf").write_text(moves({}, ("root", "hip", "knee", "toe")))
    (root / "all.gltf").write_text(moves({**CLIPS, **EVEN}, ("root", "hip", "knee", "toe")))
    server = start(root=root)
    shape = {"width": 64, "height": 64, "t": 0.4}
    own = post(server, "/v1/render", {"model": "all.gltf", "layers": LAYERS, **shape})
    other = post(server, "/v1/render", {"model": "bones.gltf", "layers": spread(LAYERS), **shape})
    assert own.status == other.status == 200 and own.body == other.body


def test_a_layer_beside_the_file_of_the_request(start, root):
    """Layers without a file use the request's. A layer that names the model uses the model's own clip."""
    server = start(*NO_RENDERING, root=root)
    layers = [{"clip": "run"}, {"clip": "stand", "clip_file": "whole.gltf"}, {"clip": "sway", "clip_file": "anims/sway.gltf"}]
    answer = post(server, "/v1/pose", {"model": "whole.gltf", "clip_file": "anims/run.gltf", "t": 0.3, "layers": layers}).json()
    own = post(server, "/v1/pose", {"model": "whole.gltf", "t": 0.3, "layers": [{"clip": n} for n in ("run", "stand", "sway")]}).json()
    assert answer["frames"] == own["frames"]
    assert answer["clip_file"]["model"] == "anims/run.gltf"
    assert [layer.get("clip_file", {}).get("model") for layer in answer["layers"]] == [None, "whole.gltf", "anims/sway.gltf"]
    assert [joint["name"] for joint in answer["clip_file"]["unmatched"]["joints"]] == ["toe"]


def test_in_a_batch(start, root):
    server = start(*NO_RENDERING, root=root)
    one = {"model": "body.gltf", "t": 0.2, "layers": spread(LAYERS)}
    bad = {**one, "layers": [*spread(LAYERS), {"clip_file": "anims/none.gltf"}]}
    results = post(server, "/v1/query", {"queries": [{"op": op, **part} for part in (one, bad) for op in ("pose", "bounds")]})
    results = results.json()["results"]
    assert results[0] == post(server, "/v1/pose", one).json() and results[1] == post(server, "/v1/bounds", one).json()
    assert [part["error"]["code"] for part in results[2:]] == ["model_not_found"] * 2


def awkward_moves(root):
    """run.gltf with nodes that body.gltf lacks, one of them with a name in another script, one without a name."""
    rig = {**RIG, "Köpf, \"1\"": ("hip", {}), "骨": ("root", {}), "": ("root", {})}
    strangers = {(name, "translation"): [[0, 0, 0], [1, 1, 1]] for name in ("Köpf, \"1\"", "骨", "")}
    names = ["Köpf, \"1\"", "骨", "", "hip", "knee", "root"]
    (root / "anims/run.gltf").write_text(moves({"run": {**CLIPS["run"], **strangers}}, names, rig))


HEADER = '3;names="K%C3%B6pf%2C%20%221%22,%E9%AA%A8,#2";joints=1;joint_names="toe"'


def test_header_of_binary_answers_and_pictures(start, root):
    awkward_moves(root)
    server = start(root=root)
    query = "model=body.gltf&clip_file=anims/run.gltf&clip=run&t=0.2"
    for target in (f"palette?{query}&format=bin", f"pose?{query}&format=bin", f"mesh?{query}&format=bin",
                   f"render?{query}&width=32&height=32", f"bounds?{query}", f"palette?{query}"):
        answer = server.get("/v1/" + target)
        assert answer.status == 200 and answer.headers["x-posed-unmatched"] == HEADER, target
        assert server.get("/v1/" + target, method="HEAD").headers["x-posed-unmatched"] == HEADER
        again = server.get("/v1/" + target, f"If-None-Match: {answer.headers['etag']}")
        assert again.status == 304 and "x-posed-unmatched" not in again.headers
    names = HEADER.split('"')[1].split(",")
    document = server.json("/v1/palette?" + query)["clip_file"]["unmatched"]
    assert [urllib.parse.unquote(name) for name in names[:2]] == [node["name"] for node in document["nodes"][:2]]
    for target in ("palette?model=body.gltf", "render?model=body.gltf&width=32&height=32", "palette?model=whole.gltf&format=bin"):
        assert "x-posed-unmatched" not in server.get("/v1/" + target).headers
    layers = [{"clip_file": "anims/run.gltf"}, {"clip_file": "anims/sway.gltf"}, {"clip_file": "anims/run.gltf", "t": 0.1}]
    for path in ("/v1/mesh", "/v1/render"):
        answer = post(server, path, {"model": "body.gltf", "layers": layers, **({"format": "bin"} if path == "/v1/mesh" else {})})
        assert answer.headers["x-posed-unmatched"] == HEADER.replace('1;joint_names="toe"', "0"), path


def test_header_counts_warnings(start, root):
    document = json.loads(character(CLIPS))
    document["images"] = [{"uri": "none.png"}]
    document["textures"] = [{"source": 0}]
    document["materials"] = [{"pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}}]
    (root / "warned.gltf").write_text(json.dumps(document))
    server = start(root=root)
    count = len(server.json("/v1/model", model="warned.gltf")["warnings"])
    assert count > 0
    for target in ("model?model=warned.gltf", "palette?model=warned.gltf&format=bin", "render?model=warned.gltf&width=16&height=16",
                   "pose?model=body.gltf&clip_file=warned.gltf"):
        assert server.get("/v1/" + target).headers["x-posed-warnings"] == str(count), target
    both = post(server, "/v1/pose", {"model": "warned.gltf", "layers": [{"clip_file": "warned.gltf"}, {}]})
    assert both.headers["x-posed-warnings"] == str(2 * count)
    assert "x-posed-warnings" not in server.get("/v1/palette?model=body.gltf").headers


def test_what_is_refused_names_the_file(start, root):
    (root / "anims/other.gltf").write_text(moves({"run": {("Hips", "scale"): [[1, 1, 1], [2, 2, 2]]}}, ["Hips"], {"Hips": (None, {})}))
    server = start(root=root)
    good = {"clip_file": "anims/run.gltf"}

    def refused(layers, status, code, *words):
        for path in ("/v1/pose", "/v1/render"):
            answer = post(server, path, {"model": "body.gltf", "layers": layers})
            assert (answer.status, answer.error()) == (status, code), answer.body
            message = answer.json()["error"]["message"]
            assert path == "/v1/render" and code == "clip_no_match" or all(word in message for word in words), message

    refused([good, {"clip_file": "anims/none.gltf"}], 404, "model_not_found", "anims/none.gltf")
    refused([good, {"clip_file": "anims/sway.gltf", "clip": "swaj"}], 404, "clip_not_found", "anims/sway.gltf", "'swaj'")
    refused([good, {"clip_file": "anims/other.gltf"}], 422, "clip_no_match", "anims/other.gltf", "'Hips'")
    refused([good, {"clip_file": "body.gltf"}], 404, "clip_not_found", "body.gltf", "no clips")
    refused([good, {"clip_file": "anims/sway.gltf", "from": 9}], 400, "bad_parameter", "layers[1]", "'from'")
    refused([good, {"clip_file": "../x.gltf"}], 400, "bad_path", "layers[1]")
    refused([good, {**good, "clip_hash": "0" * 64}], 409, "hash_mismatch", "anims/run.gltf")
    refused([good, {**good, "mode": "additive", "reference": {"clip_file": "anims/sway.gltf", "clip": "no"}}], 404,
            "clip_not_found", "anims/sway.gltf")
    nearest = post(server, "/v1/pose", {"model": "body.gltf", "layers": [{**good, "clip": "ran"}]}).json()["error"]
    assert nearest["candidates"] == [{"index": 0, "name": "run"}]


def test_named_contents_never_change(start, root):
    server = start(*NO_RENDERING, root=root)
    hashes = {name: server.json("/v1/model", model=name)["hash"]
              for name in ("body.gltf", "anims/run.gltf", "anims/stand.gltf", "anims/sway.gltf")}
    layers = [{**part, "clip_hash": hashes[part["clip_file"]]} for part in spread(LAYERS)]
    body = {"model": "body.gltf", "hash": hashes["body.gltf"], "t": 0.3}
    assert post(server, "/v1/pose", {**body, "layers": spread(LAYERS)}).headers["cache-control"] == "no-cache"
    # the reference's file is run.gltf too, which another layer already names
    named = post(server, "/v1/pose", {**body, "layers": layers})
    assert "immutable" in named.headers["cache-control"]
    assert post(server, "/v1/pose", {**body, "layers": layers}).headers["etag"] == named.headers["etag"]
    (root / "anims/sway.gltf").write_text(moves({"sway": EVEN["sway"] | {("hip", "scale"): [[1, 1, 1], [2, 2, 2]]}}))
    assert post(server, "/v1/pose", {**body, "layers": layers}).error() == "hash_mismatch"
    other = post(server, "/v1/pose", {"model": "body.gltf", "t": 0.3, "layers": spread(LAYERS)})
    assert other.headers["etag"] != named.headers["etag"]


def memory_files(server):
    folder, count = f"/proc/{server.process.pid}/fd", 0
    for fd in os.listdir(folder):
        try:
            count += "memfd:" in os.readlink(f"{folder}/{fd}")
        except FileNotFoundError:
            pass  # the connection has been closed meanwhile
    return count


def test_models_are_let_go_on_every_path(start, root):
    """However a request ends, the models that it held are freed once their files have changed."""
    server = start(*NO_RENDERING, root=root)
    good, bad = spread(LAYERS), [*spread(LAYERS), {"clip_file": "anims/none.gltf"}]
    wrong = [*spread(LAYERS), {"clip_file": "anims/run.gltf", "clip_hash": "0" * 64}]
    unknown, refused = [*spread(LAYERS), {"clip_file": "anims/sway.gltf", "clip": "no"}], [{"clip_file": "anims/run.gltf", "from": 9}]
    counts = []
    for i in range(8):
        for name in ("stand", "run"):
            (root / f"anims/{name}.gltf").write_text(moves({name: {**CLIPS[name], ("toe", "translation"): [[0, 1, i], [1, 1, i]]}}))
        statuses = [post(server, "/v1/pose", {"model": "body.gltf", "layers": layers}).status
                    for layers in (good, bad, wrong, unknown, refused)]
        assert statuses == [200, 404, 409, 404, 400]
        counts.append(memory_files(server))
    assert max(counts[1:]) == counts[1] <= 4, counts
