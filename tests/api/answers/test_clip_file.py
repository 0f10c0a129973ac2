"""clip_file=: the clip of another file moves a model exactly as the same clip in its own file does."""
import json

import pytest

from importers import NO_RENDERING, imports
from rigs import CLIPS, RIG, character, moves

pytestmark = pytest.mark.short

@pytest.fixture
def root(tmp_path):
    folder = tmp_path / "root"
    (folder / "anims").mkdir(parents=True)
    (folder / "body.gltf").write_text(character())
    (folder / "whole.gltf").write_text(character(CLIPS))
    (folder / "anims/moves.gltf").write_text(moves())
    return folder


@pytest.mark.parametrize("query", [
    "palette?clip=run&t=0,0.1,0.37", "palette?clip=1&t=0:2:9&wrap=mirror&layout=mat3x4",
    "palette?t=0.3", "palette?clip=-", "pose?clip=run&what=local,scene&t=0.2,0.45", "mesh?clip=run&t=0.4&normals=1",
    "pose?clip=run&from=0.1&to=0.3&speed=-0.5&t=0.25", "bounds?clip=run&t=0.2", "bounds?clip=run&over=clip"])
def test_same_as_a_clip_of_its_own(start, root, query):
    server = start(*NO_RENDERING, root=root)
    own = server.get(f"/v1/{query}&model=whole.gltf").json()
    other = server.get(f"/v1/{query}&model=body.gltf&clip_file=anims/moves.gltf").json()
    assert all(other[key] == own[key] for key in own.keys() - {"model", "hash", "frames"})
    assert other.get("frames") == own.get("frames")  # to the last bit, because both palettes come from compiled clips
    assert other["clip_file"]["model"] == "anims/moves.gltf"
    assert other["clip_file"]["hash"] == server.get("/v1/model?model=anims/moves.gltf").json()["hash"]
    assert other["clip_file"]["unmatched"]["nodes"] == [] and other["clip_file"]["warnings"] == []
    still = [joint["name"] for joint in other["clip_file"]["unmatched"]["joints"]]
    assert still == (["hip", "knee", "toe"] if other["clip"] is None else
                     ["toe"] if other["clip"]["name"] == "run" else ["knee", "toe"])


def test_binary(start, root):
    server = start(*NO_RENDERING, root=root)
    own = server.get("/v1/palette?model=whole.gltf&clip=run&t=0.2&format=bin").body
    other = server.get("/v1/palette?model=body.gltf&clip_file=anims/moves.gltf&clip=run&t=0.2&format=bin").body
    assert len(own) == len(other) and own[-3 * 64:] == other[-3 * 64:]


def test_picture(start, root):
    server = start(root=root)
    own = server.get("/v1/render?model=whole.gltf&clip=run&t=0.4&width=64&height=64")
    assert own.status == 200
    other = server.get("/v1/render?model=body.gltf&clip_file=anims/moves.gltf&clip=run&t=0.4&width=64&height=64")
    rest = server.get("/v1/render?model=body.gltf&width=64&height=64")
    assert other.body == own.body != rest.body
    again = server.get("/v1/render?model=body.gltf&clip_file=anims/moves.gltf&clip=stand&width=64&height=64")
    assert again.status == 200 and again.headers["etag"] != other.headers["etag"]


def post(server, path, body):
    text = json.dumps(body)
    with server.connect() as connection:
        connection.send(f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                        f"Content-Length: {len(text)}\r\n\r\n{text}")
        answer = connection.answer()
    assert answer.status == 200, answer.body
    return answer


def test_layers(start, root):
    server = start(*NO_RENDERING, root=root)
    layers = [{"clip": "run", "t": 0.3}, {"clip": "stand", "t": 0.1, "weight": 3}]
    body = {"layers": layers, "what": ["local"]}
    own = post(server, "/v1/pose", {"model": "whole.gltf", **body}).json()
    other = post(server, "/v1/pose", {"model": "body.gltf", "clip_file": "anims/moves.gltf", **body}).json()
    assert other["frames"] == own["frames"] and other["layers"] == own["layers"]
    assert [joint["name"] for joint in other["clip_file"]["unmatched"]["joints"]] == ["toe"]


def test_picture_of_layers(start, root):
    server = start(root=root)
    body = {"layers": [{"clip": "run", "t": 0.4}, {"clip": "stand", "t": 0.1, "mode": "additive"}], "width": 64,
            "height": 64}
    own = post(server, "/v1/render", {"model": "whole.gltf", **body})
    other = post(server, "/v1/render", {"model": "body.gltf", "clip_file": "anims/moves.gltf", **body})
    assert own.body == other.body and own.headers["content-type"] == "image/png"


def test_what_has_no_partner_is_listed(start, root):
    rig = {**RIG, "tail": ("hip", {}), "twin": ("root", {}), "": ("root", {})}
    clips = {"run": {**CLIPS["run"], ("tail", "translation"): [[0, 0, 0], [1, 1, 1]],
                     ("twin", "translation"): [[0, 0, 0], [1, 1, 1]], ("", "scale"): [[1, 1, 1], [2, 2, 2]]}}
    names = ["tail", "twin", "", "hip", "knee", "root"]
    (root / "anims/moves.gltf").write_text(moves(clips, names, rig))
    document = json.loads(character())
    document["nodes"] += [{"name": "twin"}, {"name": "twin"}]
    (root / "body.gltf").write_text(json.dumps(document))
    server = start(*NO_RENDERING, root=root)
    answer = server.get("/v1/palette?model=body.gltf&clip_file=anims/moves.gltf").json()
    assert answer["clip_file"]["unmatched"] == {
        "nodes": [{"node": 0, "name": "tail", "reason": "missing"}, {"node": 1, "name": "twin", "reason": "ambiguous"},
                  {"node": 2, "name": "", "reason": "unnamed"}],
        "joints": [{"node": 3, "name": "toe"}]}
    own = server.get("/v1/palette?model=whole.gltf&clip=run").json()
    assert answer["frames"] == own["frames"]


def test_errors(start, root):
    rig = {"Hips": (None, {})}
    (root / "anims/other.gltf").write_text(moves({"run": {("Hips", "scale"): [[1, 1, 1], [2, 2, 2]]}}, ["Hips"], rig))
    server = start(*NO_RENDERING, root=root)

    def refused(query, status, code, *words):
        answer = server.get(f"/v1/palette?model=body.gltf&{query}")
        assert (answer.status, answer.error()) == (status, code)
        message = answer.json()["error"]["message"]
        assert all(word in message for word in words), message

    refused("clip_file=anims/other.gltf", 422, "clip_no_match", "anims/other.gltf", "body.gltf", "'run'", "'Hips'")
    refused("clip_file=anims/moves.gltf&clip=ruin", 404, "clip_not_found", "anims/moves.gltf")
    refused("clip_file=body.gltf", 404, "clip_not_found", "body.gltf", "no clips")
    refused("clip_file=anims/none.gltf", 404, "model_not_found", "anims/none.gltf")
    refused("clip_file=../x.gltf", 400, "bad_path", "clip_file")
    refused("clip_file=", 400, "bad_path", "clip_file")
    assert server.get("/v1/model?model=body.gltf&clip_file=a.gltf").error() == "unknown_parameter"
    nearest = server.get("/v1/palette?model=body.gltf&clip_file=anims/moves.gltf&clip=ruin").json()["error"]
    assert [one["name"] for one in nearest["candidates"]][0] == "run"


def test_picture_of_a_clip_that_moves_nothing(start, root):
    rig = {"Hips": (None, {})}
    (root / "anims/other.gltf").write_text(moves({"run": {("Hips", "scale"): [[1, 1, 1], [2, 2, 2]]}}, ["Hips"], rig))
    server = start(root=root)
    picture = server.get("/v1/render?model=body.gltf&clip_file=anims/other.gltf")
    assert (picture.status, picture.error()) == (422, "clip_no_match")


def test_both_files_are_watched(start, root):
    server = start(*NO_RENDERING, root=root)
    query = "/v1/palette?model=body.gltf&clip_file=anims/moves.gltf&clip=run&t=0.4"
    first = server.get(query)
    assert first.headers["cache-control"] == "no-cache" and imports(server) == 2
    assert server.get(query, f"If-None-Match: {first.headers['etag']}").status == 304
    changed = {"run": {**CLIPS["run"], ("hip", "translation"): [[0, 1, 0], [1, 3, 4]]}}
    (root / "anims/moves.gltf").write_text(moves(changed))
    second = server.get(query, f"If-None-Match: {first.headers['etag']}")
    assert second.status == 200 and second.headers["etag"] != first.headers["etag"]
    assert second.json()["frames"] != first.json()["frames"] and imports(server) == 3
    hash_ = first.json()["hash"]
    assert server.get(f"{query}&hash={hash_}").headers["cache-control"] == "no-cache"


def test_both_contents_named_make_an_answer_that_never_changes(start, root):
    server = start(*NO_RENDERING, root=root)
    query = "/v1/palette?model=body.gltf&clip_file=anims/moves.gltf&clip=run&t=0.4"
    first = server.get(query)
    own, other = first.json()["hash"], first.json()["clip_file"]["hash"]
    assert server.get(f"{query}&clip_hash={other}").headers["cache-control"] == "no-cache"
    named = server.get(f"{query}&hash={own}&clip_hash={other}")
    assert "immutable" in named.headers["cache-control"] and named.body == first.body
    known = f"If-None-Match: {named.headers['etag']}"
    assert server.get(f"{query}&hash={own}&clip_hash={other.upper()}", known).status == 304
    for wrong in (own, "0" * 64):
        refused = server.get(f"{query}&hash={own}&clip_hash={wrong}", known)
        assert (refused.status, refused.error()) == (409, "hash_mismatch")
        assert "anims/moves.gltf" in refused.json()["error"]["message"]
    changed = {"run": {**CLIPS["run"], ("hip", "translation"): [[0, 1, 0], [1, 3, 4]]}}
    (root / "anims/moves.gltf").write_text(moves(changed))
    assert server.get(f"{query}&hash={own}&clip_hash={other}", known).status == 409
    assert server.get(f"/v1/palette?model=body.gltf&clip_hash={other}").error() == "bad_parameter"
    assert server.get(f"/v1/palette?model=whole.gltf&hash={'0' * 64}").status == 409
