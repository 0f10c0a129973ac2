"""/v1/export: the whole model as a file that has the poses of the model."""
import json
import math
import struct

import pytest

from conftest import SAMPLES
from round_trip import Glb, check, query
from small_models import gltf

TYPE = "model/gltf-binary"


def export(server, model, **parameters):
    answer = server.get(query("/v1/export", model=model, **parameters))
    assert (answer.status, answer.headers["content-type"]) == (200, TYPE), answer.body[:500]
    return answer.body, Glb(answer.body)


def warnings(glb):
    return [warning["code"] for warning in glb.json["asset"]["extras"]["warnings"]]


@pytest.mark.short
@pytest.mark.skipif(not SAMPLES.is_dir(), reason="no sample models")
def test_headers(server):
    answer = server.get("/v1/export?model=robot.glb")
    assert answer.headers["content-disposition"] == 'attachment; filename="robot.glb"'
    assert (answer.headers["cache-control"], "vary" in answer.headers) == ("no-cache", False)
    head = server.get("/v1/export?model=robot.glb&format=glb", method="HEAD")
    assert (head.status, head.body, head.headers["content-length"]) == (200, b"", str(len(answer.body)))
    assert head.headers["etag"] == answer.headers["etag"]
    again = server.get("/v1/export?model=robot.glb", "If-None-Match: " + answer.headers["etag"])
    assert (again.status, again.body) == (304, b"")
    assert server.get("/v1/export?model=robot.glb").body == answer.body
    digest = Glb(answer.body).json["asset"]["extras"]["hash"]
    assert "immutable" in server.get(f"/v1/export?model=robot.glb&hash={digest}").headers["cache-control"]
    assert server.get("/v1/export?model=robot.glb&hash=" + "0" * 64).error() == "hash_mismatch"


@pytest.mark.skipif(not SAMPLES.is_dir(), reason="no sample models")
@pytest.mark.parametrize("model", ["robot.glb", "dragon.glb", "octopus.glb"])
def test_samples_read_again_are_the_same(start, tmp_path, model):
    (tmp_path / model).write_bytes((SAMPLES / model).read_bytes())
    server = start()
    data, glb = export(server, model)
    (tmp_path / "again.glb").write_bytes(data)
    assert warnings(glb) == []
    assert check(server, model, "again.glb", glb) == 0
    again, _ = export(server, "again.glb")
    for key in ("animations", "meshes", "nodes", "skins", "materials"):
        assert Glb(again).json[key] == glb.json[key]


@pytest.mark.skipif(not SAMPLES.is_dir(), reason="no sample models")
def test_clips_are_those_asked_for(server):
    def names(**parameters):
        return [clip["name"] for clip in export(server, "robot.glb", textures=0, **parameters)[1].json.get("animations", [])]

    assert names(clips="wave,0") == ["wave", names()[0]] and names(clip_name="walk") == ["walk"]
    assert names(clips="-") == []
    assert server.get("/v1/export?model=robot.glb&clips=wavy").error() == "clip_not_found"
    assert server.get("/v1/export?model=robot.glb&clips=-&clip_name=walk").error() == "bad_parameter"
    assert "images" not in export(server, "robot.glb", textures=0)[1].json
