"""retarget=rest of /v1/export: the file has the clips of another human as keys, which play as they do without the export."""
import json
import math

import numpy as np
import pytest

from humans import A, T, Human
from importers import NO_RENDERING
from round_trip import Glb, moments, query

DRAWS = False

pytestmark = pytest.mark.short
SHORT = {**T, "thigh": 0.3, "shin": 0.35, "turn": [0, math.sin(0.4), 0, math.cos(0.4)], "scale": 2, "place": [5, 1, -3]}


def walker(shape):
    """A human with two clips: a walk, and a kick, in which the joints of its left leg exchange their motions."""
    document = json.loads(Human(shape).write(has_walk=True))
    walk, = document["animations"]
    channels = [channel for channel in walk["channels"] if "Left" in document["nodes"][channel["target"]["node"]]["name"]]
    outputs = [walk["samplers"][channel["sampler"]] for channel in channels]
    document["animations"].append({"name": "kick", "samplers": outputs[::-1], "channels": [
        {**channel, "sampler": i} for i, channel in enumerate(channels)]})
    return json.dumps(document)


@pytest.fixture
def root(tmp_path):
    (tmp_path / "anims").mkdir()
    (tmp_path / "anims/tall.gltf").write_text(walker(T))
    (tmp_path / "anims/short.gltf").write_text(walker(SHORT))
    (tmp_path / "hero.gltf").write_text(Human(A).write())
    return tmp_path


def ask(server, path, **parameters):
    answer = server.get(query(path, **parameters))
    assert answer.status == 200, answer.body
    return answer


def places(server, model, times, **more):
    frames = [frame for i in range(0, len(times), 60) for frame in ask(
        server, "/v1/pose", model=model, wrap="clamp", t=",".join(map(repr, times[i:i + 60])), **more).json()["frames"]]
    return np.array([frame["scene"] for frame in frames], float)[:, :, 12:15]


@pytest.mark.parametrize("feet", ["free", "lock"])
def test_clips_of_other_humans(start, root, feet):
    server = start(*NO_RENDERING, root=root)
    files = ["anims/tall.gltf", "anims/short.gltf"]
    rest = {"retarget": "rest", "feet": feet}
    answer = ask(server, "/v1/export", model="hero.gltf", clip_file=files, clip_names="{file} {clip}", **rest)
    (root / "merged.glb").write_bytes(answer.body)
    glb = Glb(answer.body)
    assert [clip["name"] for clip in glb.json["animations"]] == ["tall walk", "tall kick", "short walk", "short kick"]
    size = np.ptp(places(server, "hero.gltf", [0.0])[0], axis=0).max()
    seen = []
    for i, (file, clip) in enumerate((file, clip) for file in files for clip in ("walk", "kick")):
        keys = glb.key_times(i)
        own = places(server, "merged.glb", keys, clip=i)
        beside = places(server, "hero.gltf", keys, clip_file=file, clip=clip, **rest)
        assert np.abs(own - beside).max() < 2e-6 * size, (file, clip)
        times = moments(keys)
        own = places(server, "merged.glb", times, clip=i)
        beside = places(server, "hero.gltf", times, clip_file=file, clip=clip, **rest)
        assert np.abs(own - beside).max() < 1e-4 * size, (file, clip)
        seen.append(own[len(times) // 3])
    assert min(np.abs(a - b).max() for n, a in enumerate(seen) for b in seen[:n]) > 1e-3 * size, "four clips, four poses"
    vertices = [ask(server, "/v1/mesh", model=model, t=0.47, wrap="clamp", clip="0", **more).json()["frames"][0]["positions"]
                for model, more in (("merged.glb", {}), ("hero.gltf", {"clip_file": files[0], **rest}))]
    assert np.abs(np.array(vertices[0], float) - vertices[1]).max() < 1e-4 * size
    told = glb.json["asset"]["extras"]["clip_files"]
    assert [(file["model"], file["retarget"]["feet"], file["unmatched"]["nodes"]) for file in told] == [(file, feet, []) for file in files]
    for file, shape in zip(told, (T, SHORT)):
        assert file["retarget"]["scale"] == pytest.approx(Human(A).leg() / Human(shape).leg(), rel=1e-5)
        assert [warning["code"] for warning in file["warnings"]] == (["feet_slide"] if feet == "free" else [])
    assert (";slide=" in answer.headers["x-posed-unmatched"]) and ("x-posed-warnings" in answer.headers) == (feet == "free")


def test_bones_and_rates(start, root):
    names = {**A["names"], "leftFoot": "stump"}
    (root / "hero.gltf").write_text(Human({**A, "names": names}).write())
    server = start(*NO_RENDERING, root=root)
    rest = {"model": "hero.gltf", "clip_file": "anims/tall.gltf", "retarget": "rest"}
    refused = server.get(query("/v1/export", **rest))
    assert (refused.status, refused.error()) == (422, "humanoid_incomplete") and "leftFoot" in refused.json()["error"]["message"]
    glb = Glb(ask(server, "/v1/export", **rest, bones="leftFoot=stump", clip_map="mixamo", strict=1, fps=10).body)
    assert len(glb.key_times(0)) == 21
    for path, more in (("feet", "lock"), ("bones", "leftFoot=stump")):
        assert server.get(query("/v1/export", model="hero.gltf", clip_file="anims/tall.gltf", **{path: more})).error() == "bad_parameter"
    assert server.get("/v1/export?model=hero.gltf&retarget=rest").error() == "bad_parameter"


def test_the_model_itself_as_clip_file(start, root):
    server = start(*NO_RENDERING, root=root)
    plain, rest = (Glb(ask(server, "/v1/export", model="anims/tall.gltf", clips="-", clip_file="anims/tall.gltf", **more).body)
                   for more in ({}, {"retarget": "rest"}))
    assert rest.json["animations"] == plain.json["animations"]


def test_too_much_work(start, root):
    server = start("--max-evaluations", "20000", *NO_RENDERING, root=root)
    answer = server.get("/v1/export?model=hero.gltf&clip_file=anims/tall.gltf&retarget=rest")
    assert (answer.status, answer.error()) == (400, "too_many_frames"), answer.body
    assert "anims/tall.gltf" in answer.json()["error"]["message"]
