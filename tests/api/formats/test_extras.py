"""Extras and clip markers of formats other than glTF, through /v1/model."""
import pytest

from importers import NO_RENDERING
from small_fbx import fbx
from small_mdl import mdl

DRAWS = False

pytestmark = pytest.mark.short


@pytest.fixture
def ask(start, tmp_path):
    def model(name, content):
        (tmp_path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
        answer = start(*NO_RENDERING, root=tmp_path).get(f"/v1/model?model={name}")
        assert answer.status == 200, answer.body
        return answer
    return model


def by_name(model):
    return {node["name"]: node for node in model["nodes"]}


def test_fbx_user_properties(ask):
    answer = ask("a.fbx", fbx(
        hip=['P: "speed", "double", "Number", "A+U",1.10,0,2', 'P: "id", "ULongLong", "", "U",12345678901234567890',
             'P: "note", "KString", "", "U", "say &quot;hi&quot;&cr;&lf;\\ é"', 'P: "plain", "int", "Integer", "",7'],
        material=['P: "fibre", "int", "Integer", "A+U",3'], take=['P: "loop", "bool", "", "U",0']))
    assert b'"speed":1.10,"id":12345678901234567890' in answer.body
    model = answer.json()
    assert by_name(model)["hip"]["extras"] == {"speed": 1.1, "id": 12345678901234567890,
                                              "note": 'say "hi"\r\n\\ é'}
    assert "extras" not in by_name(model)["leg"]
    assert model["materials"][0]["extras"] == {"fibre": 3}
    assert model["clips"][0]["extras"] == {"loop": False}


def test_fbx_properties_of_nodes_of_one_name_are_their_own(ask):
    model = ask("a.fbx", fbx(hip=['P: "a", "int", "", "U",1'], leg=['P: "b", "int", "", "U",2'], leg_name="hip")).json()
    assert [node.get("extras") for node in model["nodes"] if node["name"] == "hip"] == [{"a": 1}, {"b": 2}]


def test_fbx_timeline_markers_are_those_of_the_takes_that_play_then(ask):
    model = ask("a.fbx", fbx(span=(1, 3), markers=[("late", 3.5), ("hit", 2.25), ("first", 1), ("before", 0.5)])).json()
    assert model["clips"][0]["duration"] == 2
    assert model["clips"][0]["markers"] == [{"name": "first", "time": 0}, {"name": "hit", "time": 1.25}]


def test_fbx_markers_of_a_take_without_a_span_are_reported(ask):
    model = ask("a.fbx", fbx(span=(0, 0), markers=[("hit", 1)])).json()
    assert all("markers" not in clip for clip in model["clips"])
    assert not model["clips"] or "markers_dropped" in [one["code"] for one in model["warnings"]]


def test_mdl_events(ask):
    model = ask("a.mdl", mdl(("walk", 10, 11, [(5, 5004, "step.wav"), (2, 1003, "")]), ("idle", 30, 2, []),
                             ("run", 20, 3, [(1, 7, "x")]))).json()
    clips = model["clips"]
    assert [(clip["name"], clip["duration"]) for clip in clips][0] == ("walk", 1)
    assert clips[0]["markers"] == [{"name": "1003", "time": 0.2}, {"name": "5004", "time": 0.5, "value": "step.wav"}]
    assert "markers" not in clips[1]
    assert clips[2]["markers"] == [{"name": "7", "time": 0.05, "value": "x"}]
    assert by_name(model)["walk"]["extras"]["FramesPerSecond"] == 10
    assert "AnimationIndex" not in by_name(model)["walk"]["extras"]


def test_bones_of_mdl_follow_their_parents(start, tmp_path):
    (tmp_path / "a.mdl").write_bytes(mdl(("walk", 10, 2, [])))
    server = start(*NO_RENDERING, root=tmp_path)
    nodes = by_name(server.json("/v1/model", model="a.mdl"))
    assert nodes["arm"]["parent"] == nodes["root"]["node"]
    pose = server.json("/v1/pose", model="a.mdl", clip="-", joints="root,arm")["frames"][0]["scene"]
    assert [matrix[12:15] for matrix in pose] == [[1, 2, 3], [5, 2, 3]]


def test_mdl_with_too_many_events(ask):
    model = ask("a.mdl", mdl(("walk", 10, 11, [(i % 11, i, "") for i in range(12000)]))).json()
    assert len(model["clips"][0]["markers"]) == 10000
    assert "markers_dropped" in [one["code"] for one in model["warnings"]]
