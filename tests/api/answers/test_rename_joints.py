"""rename_joints=: a clip whose joints have other names moves a model as the clip with the model's names does."""
import json
import urllib.parse

import numpy as np
import pytest

from importers import NO_RENDERING
from rigs import CLIPS, RIG, character, moves

pytestmark = pytest.mark.short
PREFIX = "mixamorig:"
RULE = {"rename_joints": "mixamorig:*=*"}
BIPED = {"root": "Bip01", "hip": "Bip01 Pelvis", "knee": "Bip01 L, Calf", "toe": "Bip01 Zehe ö"}


def renamed(name_of):
    """The moves of rigs.py with renamed nodes."""
    rig = {name_of(name): (parent and name_of(parent), place) for name, (parent, place) in RIG.items()}
    clips = {clip: {(name_of(name), path): rows for (name, path), rows in channels.items()} for clip, channels in CLIPS.items()}
    return moves(clips, [name_of(name) for name in ("toe", "knee", "hip", "root")], rig)


@pytest.fixture
def root(tmp_path):
    folder = tmp_path / "root"
    folder.mkdir(parents=True)
    (folder / "body.gltf").write_text(character())
    (folder / "plain.gltf").write_text(moves())
    (folder / "mixamo.gltf").write_text(renamed(lambda name: PREFIX + name))
    (folder / "biped.gltf").write_text(renamed(BIPED.get))
    return folder


def query(path, **parameters):
    return f"/v1/{path}?" + urllib.parse.urlencode({"model": "body.gltf", **parameters}, doseq=True)


def post(server, path, body):
    data = json.dumps(body).encode()
    with server.connect() as connection:
        connection.send(f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(data)}\r\n\r\n".encode() + data)
        return connection.answer()


OF_BIPED = {"rename_joints": [f"{other}={name}" for name, other in BIPED.items()]}


@pytest.mark.parametrize("path, options", [
    ("palette", {"t": "0,0.1,0.37"}), ("pose", {"t": 0.2, "what": "local,scene"}), ("mesh", {"t": 0.4, "normals": 1}),
    ("bounds", {"over": "clip"}), ("pose", {"t": 0.3, "format": "bin"}), ("mesh", {"t": "0:0.5:20", "format": "bin"})])
@pytest.mark.parametrize("file, rules", [("mixamo.gltf", RULE), ("biped.gltf", OF_BIPED)])
def test_same_as_a_clip_with_the_names_of_the_model(start, root, path, options, file, rules):
    server = start(*NO_RENDERING, root=root)
    own = server.get(query(path, clip_file="plain.gltf", clip="run", **options))
    other = server.get(query(path, clip_file=file, clip="run", **options, **rules))
    assert own.status == other.status == 200 and own.headers["x-posed-unmatched"] == other.headers["x-posed-unmatched"]
    if "format" in options:
        assert own.body == other.body
    else:
        assert {**own.json(), "clip_file": None} == {**other.json(), "clip_file": None}
    without = server.get(query(path, clip_file=file, clip="run", **options))
    assert (without.status, without.error()) == (422, "clip_no_match")


def test_a_vertex(start, root):
    """Computed by hand: the hip half a second into run, below a rotated, unevenly scaled root off the origin."""
    server = start(*NO_RENDERING, root=root)
    frame = server.get(query("mesh", clip_file="mixamo.gltf", clip="run", t=0.25, **RULE)).json()["frames"][0]

    def matrix(translation=(0, 0, 0), rotation=(0, 0, 0, 1), scale=(1, 1, 1)):
        x, y, z, w = np.array(rotation) / np.linalg.norm(rotation)
        turn = np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
                         [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
                         [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)]])
        out = np.eye(4)
        out[:3, :3], out[:3, 3] = turn * scale, translation
        return out

    def halfway(one, other):
        one, other = np.array(one), np.array(other)
        return one + (other if one @ other >= 0 else -other)

    run = CLIPS["run"]
    scene = matrix(**RIG["root"][1]) @ matrix([0.5, 2, -1], halfway(*run[("hip", "rotation")]))
    knee = scene @ matrix([0, 2, 0], halfway(*run[("knee", "rotation")]), [1, 1.5, 2])
    binds = [np.array([[1, 0, 0, -i], [0, 1, 0, 0.5], [0, 0, 1, i], [0, 0, 0, 1]]) for i in range(3)]
    vertex = np.array([0, 0, 0, 1])  # the first vertex, which follows knee and hip
    expected = 0.25 * knee @ binds[0] @ vertex + 0.75 * scene @ binds[1] @ vertex
    np.testing.assert_allclose(frame["positions"][0][:3], expected[:3], atol=1e-5)


def test_picture(start, root):
    server = start(root=root)
    options = {"clip": "run", "t": 0.4, "width": 64, "height": 64}
    own = server.get(query("render", clip_file="plain.gltf", **options))
    other = server.get(query("render", clip_file="mixamo.gltf", **options, **RULE))
    assert own.status == other.status == 200 and own.body == other.body and own.headers["etag"] != other.headers["etag"]
    assert other.headers["x-posed-unmatched"] == '0;joints=1;joint_names="toe"'
    assert server.get(query("render", clip_file="mixamo.gltf", **options)).error() == "clip_no_match"
    idle = server.get(query("render", clip_file="mixamo.gltf", **options, rename_joints=["mixamorig:*=*", "no:*=*"]))
    assert idle.body == own.body
    assert idle.headers["x-posed-unmatched"] == '0;joints=1;joint_names="toe";rules=1;rule_texts="no%3A%2A%3D%2A"'
    assert int(idle.headers["x-posed-warnings"]) == int(other.headers.get("x-posed-warnings", 0)) + 1
    sheet = {"clips": "all", "frames": 2, "width": 32, "height": 32}
    assert server.get(query("sheet", clip_file="plain.gltf", **sheet)).body == \
        server.get(query("sheet", clip_file="mixamo.gltf", **sheet, **RULE)).body


def test_rules_of_a_body(start, root):
    server = start(*NO_RENDERING, root=root)
    body = {"model": "body.gltf", "clip_file": "biped.gltf", "clip": "run", "t": 0.2}
    own = server.get(query("pose", clip_file="biped.gltf", clip="run", t=0.2, **OF_BIPED))
    for rules in (OF_BIPED["rename_joints"], {other: name for name, other in BIPED.items()}):
        answer = post(server, "/v1/pose", {**body, "rename_joints": rules})
        assert answer.status == 200 and answer.body == own.body and answer.headers["etag"] == own.headers["etag"]
        batch = post(server, "/v1/query", {"queries": [{"op": "pose", **body, "rename_joints": rules}]}).json()
        assert batch["results"][0]["frames"] == own.json()["frames"]
    for rules, fault in (({}, "empty object"), ({"a": 1}, "'a' needs a name"), ({"a=b": "c"}, "'a=b' has a '='"), ([], "empty list"),
                         ({"a*": "**"}, "rule 'a*=**'")):
        refused = post(server, "/v1/pose", {**body, "rename_joints": rules})
        assert refused.error() == "bad_parameter" and fault in refused.json()["error"]["message"], refused.body


def test_layers_share_the_rules(start, root):
    server = start(*NO_RENDERING, root=root)

    def layers(one, other):
        return [{"clip_file": one, "clip": "run", "weight": 0.7},
                {"clip_file": other, "clip": "stand", "mode": "additive", "reference": {"clip_file": one, "clip": "stand", "t": 0.1}}]

    rules = RULE | {"rename_joints": ["mixamorig:*=*", *OF_BIPED["rename_joints"]]}
    own = post(server, "/v1/mesh", {"model": "body.gltf", "t": 0.2, "layers": layers("plain.gltf", "plain.gltf")})
    other = post(server, "/v1/mesh", {"model": "body.gltf", "t": 0.2, "layers": layers("mixamo.gltf", "biped.gltf"), **rules})
    assert own.status == other.status == 200 and own.json()["frames"] == other.json()["frames"]
    assert all(layer["clip_file"]["warnings"] == [] for layer in other.json()["layers"])
    refused = post(server, "/v1/pose", {"model": "body.gltf", "layers": [{"clip_file": "mixamo.gltf", **RULE}]})
    assert refused.error() == "unknown_parameter"


def test_what_renames_nothing_is_a_warning(start, root):
    server = start(*NO_RENDERING, root=root)
    good = server.get(query("pose", clip_file="mixamo.gltf", clip="run", **RULE))
    rules = ["mixamorig:*=*", "mixamorig:knee=shin", "tail=x"]
    answer = server.get(query("pose", clip_file="mixamo.gltf", clip="run", rename_joints=rules))
    assert answer.json()["frames"] == good.json()["frames"]
    warning, = answer.json()["clip_file"]["warnings"]
    assert warning["code"] == "rename_unused" and "'mixamorig:knee=shin', 'tail=x'" in warning["message"]
    assert int(answer.headers["x-posed-warnings"]) == int(good.headers.get("x-posed-warnings", 0)) + 1
    assert answer.headers["x-posed-unmatched"].endswith(';rules=2;rule_texts="mixamorig%3Aknee%3Dshin,tail%3Dx"')


def test_names_that_become_ambiguous(start, root):
    server = start(*NO_RENDERING, root=root)
    rules = ["mixamorig:knee=hip", "mixamorig:toe=stranger", "mixamorig:*=*"]
    document = server.get(query("pose", clip_file="mixamo.gltf", clip="run", rename_joints=["mixamorig:hip=hip"])).json()
    assert document["clip_file"]["unmatched"]["nodes"] == [{"node": 1, "name": "mixamorig:knee", "reason": "missing"}]
    refused = server.get(query("pose", clip_file="mixamo.gltf", clip="run", rename_joints=rules))
    assert refused.error() == "clip_no_match" and "'mixamorig:hip', renamed 'hip'," in refused.json()["error"]["message"]
    only = ["mixamorig:hip=HIP", "mixamorig:*=*"]
    document = server.get(query("pose", clip_file="mixamo.gltf", clip="run", rename_joints=only)).json()
    assert document["clip_file"]["unmatched"]["nodes"] == [
        {"node": 2, "name": "mixamorig:hip", "renamed": "HIP", "reason": "missing"}]


def test_refused(start, root):
    server = start(*NO_RENDERING, root=root)
    for rule, fault in (("mixamorig", "no '='"), ("*a*=b", "more than one"), ("a=*", "pattern has none"), ("=b", "empty"), ("a=", "empty")):
        refused = server.get(query("pose", clip_file="mixamo.gltf", rename_joints=rule))
        message = refused.json()["error"]["message"]
        assert refused.error() == "bad_parameter" and "rename_joints" in message and f"'{rule}'" in message and fault in message
    assert "clip_file" in server.get(query("pose", rename_joints="a=b")).json()["error"]["message"]
