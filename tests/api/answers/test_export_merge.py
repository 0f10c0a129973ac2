"""clip_file= of /v1/export: one file with the clips of other files. Each clip moves the model as it does from its own file."""
import json
import struct

import numpy as np
import pytest

from importers import NO_RENDERING
from rigs import CLIPS, RIG, character, moves

DRAWS = False

pytestmark = pytest.mark.short


def renamed(prefix, clips):
    rig = {prefix + name: (parent and prefix + parent, place) for name, (parent, place) in RIG.items()}
    return moves({clip: {(prefix + name, path): rows for (name, path), rows in channels.items()} for clip, channels in clips.items()},
                 list(rig), rig)


@pytest.fixture
def root(tmp_path):
    (tmp_path / "anims").mkdir()
    (tmp_path / "body.gltf").write_text(character({"own": CLIPS["stand"]}))
    (tmp_path / "anims/run.gltf").write_text(moves({"Take 001": CLIPS["run"]}))
    (tmp_path / "anims/stand.gltf").write_text(renamed("mixamorig:", {"Take 001": CLIPS["stand"]}))
    (tmp_path / "anims/both.gltf").write_text(moves(CLIPS))
    (tmp_path / "anims/lost.gltf").write_text(renamed("x", CLIPS))
    rig = {**RIG, "tail": ("hip", {})}
    (tmp_path / "anims/tail.gltf").write_text(moves({"wag": {**CLIPS["run"], ("tail", "scale"): [[1, 1, 1], [2, 2, 2]]}}, list(rig), rig))
    return tmp_path


def post(server, body):
    data = json.dumps(body).encode()
    with server.connect() as connection:
        connection.send(f"POST /v1/export HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(data)}\r\n\r\n".encode() + data)
        return connection.answer()


def export(server, files, **more):
    answer = post(server, {"model": "body.gltf", "clip_file": files, **more})
    assert answer.status == 200, answer.body
    size, = struct.unpack_from("<I", answer.body, 12)
    return answer, json.loads(answer.body[20:20 + size])


def names(document):
    return [animation["name"] for animation in document["animations"]]


def test_clips_move_the_file_as_they_move_the_model(start, root):
    server = start(*NO_RENDERING, root=root)
    files = ["anims/run.gltf", "anims/stand.gltf"]
    answer, document = export(server, files, rename_joints=["mixamorig:*=*"])
    assert names(document) == ["own", "run", "stand"], "clips of one name are called after their files"
    (root / "merged.glb").write_bytes(answer.body)
    for file, clip in zip(files, ("run", "stand")):
        for t in (0, 0.13, 0.5):
            rules = "&rename_joints=mixamorig:*=*"
            beside = server.get(f"/v1/mesh?model=body.gltf&clip_file={file}&clip=0&t={t}&wrap=clamp{rules}").json()["frames"][0]["positions"]
            inside = server.get(f"/v1/mesh?model=merged.glb&clip={clip}&t={t}&wrap=clamp").json()["frames"][0]["positions"]
            np.testing.assert_allclose(inside, beside, atol=2e-5)
    assert [file["model"] for file in document["asset"]["extras"]["clip_files"]] == files
    assert all(file["unmatched"]["nodes"] == [] for file in document["asset"]["extras"]["clip_files"])
    assert answer.headers["x-posed-unmatched"] == '0;joints=1;joint_names="toe"'


def test_names(start, root):
    server = start(*NO_RENDERING, root=root)
    assert names(export(server, ["anims/both.gltf"])[1]) == ["own", "stand", "run"], "all differ"
    files = ["anims/both.gltf", "anims/run.gltf", "anims/tail.gltf", "anims/stand.gltf"]
    rules = {"rename_joints": "mixamorig:*=*"}
    assert names(export(server, files, **rules)[1]) == ["own", "both_stand", "both_run", "run", "tail", "stand"]
    assert names(export(server, files, clip_names="{file}", **rules)[1]) == ["own", "both", "both_2", "run", "tail", "stand"]
    assert names(export(server, files, clip_names="<{clip}>{file}", clips="-", **rules)[1]) == [
        "<stand>both", "<run>both", "<Take 001>run", "<wag>tail", "<Take 001>stand"]
    for wrong in ("x", "{folder}", "{file", "{}"):
        refused = post(server, {"model": "body.gltf", "clip_file": files, "clip_names": wrong})
        assert refused.error() == "bad_parameter" and "{file}" in refused.json()["error"]["message"]


def test_what_has_no_partner(start, root):
    server = start(*NO_RENDERING, root=root)
    answer, document = export(server, ["anims/tail.gltf"])
    node, = document["asset"]["extras"]["clip_files"][0]["unmatched"]["nodes"]
    assert node["name"] == "tail" and node["reason"] == "missing"
    assert answer.headers["x-posed-unmatched"].startswith('1;names="tail"')
    refused = post(server, {"model": "body.gltf", "clip_file": ["anims/run.gltf", "anims/tail.gltf"], "strict": 1})
    message = refused.json()["error"]["message"]
    assert refused.error() == "clip_no_match" and "anims/tail.gltf" in message and "'tail'" in message
    assert export(server, ["anims/run.gltf"], strict=1)
    idle = post(server, {"model": "body.gltf", "clip_file": ["anims/run.gltf"], "strict": 1, "rename_joints": "x:*=*"})
    assert idle.error() == "bad_parameter" and "'x:*=*'" in idle.json()["error"]["message"]
    lost = post(server, {"model": "body.gltf", "clip_file": ["anims/run.gltf", "anims/lost.gltf"]})
    assert lost.error() == "clip_no_match" and "anims/lost.gltf" in lost.json()["error"]["message"]


def test_refused(start, root):
    server = start(*NO_RENDERING, root=root)
    for query in ("strict=1", "clip_names={file}", "rename_joints=a=b"):
        refused = server.get(f"/v1/export?model=body.gltf&{query.replace('{', '%7B').replace('}', '%7D')}")
        assert refused.error() == "bad_parameter" and "clip_file" in refused.json()["error"]["message"]
    (root / "still.gltf").write_text(character())
    assert server.get("/v1/export?model=body.gltf&clip_file=still.gltf").error() == "clip_not_found"
    assert server.get("/v1/export?model=body.gltf&clip_file=none.gltf").error() == "model_not_found"
    assert server.get("/v1/export?model=body.gltf&clip_file=../x.gltf").error() == "bad_path"
    many = post(server, {"model": "body.gltf", "clip_file": [f"{i}.gltf" for i in range(65)]})
    assert many.error() == "bad_parameter" and "more than 64 files" in many.json()["error"]["message"]
