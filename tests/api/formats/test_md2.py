"""MD2 models: frames as clips, and the picture beside the model."""
import json

import conformance
import pytest
from small_md2 import POINTS, md2, pcx

DRAWS = False

FRAMES = [("stand01", (1, 2, 3), (10, 20, 30)), ("stand02", (0.5, 2, 1), (0, 0, -5)), ("stand03", (1, 1, 1), (0, 0, 0)), ("run1", (2, 2, 2), (1, 1, 1)),
          ("run2", (1, 1, 1), (8, 0, 0)), ("death101", (1, 1, 1), (0, 0, 1)), ("death102", (1, 1, 1), (0, 0, 2)), ("death201", (1, 1, 1), (0, 3, 0))]


def at(frame):
    _, scale, move = FRAMES[frame]
    return sorted([scale[i] * p[i] + move[i] for i in range(3)] for p in POINTS)


def points_of(positions):
    return sorted(positions[0][i:i + 3] for i in range(0, len(positions[0]), 3))


def test_frames_are_clips_by_their_names(start, tmp_path):
    (tmp_path / "a.md2").write_bytes(md2(FRAMES))
    server = start(root=tmp_path)
    shown = server.json("/v1/model", model="a.md2")
    assert [(clip["name"], clip["duration"]) for clip in shown["clips"]] == [
        ("stand", pytest.approx(0.2)), ("run", pytest.approx(0.1)), ("death1", pytest.approx(0.1)), ("death2", 0)]
    assert (shown["up"], shown["forward"], shown["warnings"]) == ([0, 0, 1], [1, 0, 0], [])
    ask = lambda clip, t: points_of(server.json("/v1/mesh", model="a.md2", clip=clip, t=t, wrap="clamp")["frames"][0]["positions"])
    for clip, t, frame in (("-", 0, 0), ("stand", 0, 0), ("stand", 0.1, 1), ("stand", 0.2, 2), ("run", 0, 3), ("death1", 0.1, 6), ("death2", 0, 7)):
        conformance.compared_points(tmp_path / "a.md2", conformance.WORKED, ask(clip, t), at(frame))
        assert ask(clip, t) == [pytest.approx(p, abs=1e-4) for p in at(frame)]
    between = [[0.75 * x + 0.25 * y for x, y in zip(p, q)] for p, q in zip(*([[s[i] * p[i] + m[i] for i in range(3)] for p in POINTS]
                                                                             for _, s, m in FRAMES[3:5]))]
    assert ask("run", 0.025) == [pytest.approx(p, abs=1e-4) for p in sorted(between)]


def test_triangles_turn_the_other_way(start, tmp_path):
    """The game's triangles are clockwise. A normal points to the side from which they are visible."""
    (tmp_path / "a.md2").write_bytes(md2([("a", (1, 1, 1), (0, 0, 0))], points=[[0, 0, 0], [255, 0, 0], [255, 255, 0], [0, 255, 0]]))
    mesh = start(root=tmp_path).json("/v1/mesh", model="a.md2", normals=1, t=0)["frames"][0]
    assert mesh["normals"][0][:3] == pytest.approx([0, 0, -1])


def test_names_that_group_nothing_are_one_clip(start, tmp_path):
    (tmp_path / "a.md2").write_bytes(md2([(name, (1, 1, 1), (0, 0, 0)) for name in ("a", "b", "c")]))
    assert [clip["name"] for clip in start(root=tmp_path).json("/v1/model", model="a.md2")["clips"]] == ["frames"]


PALETTE = [(255, 0, 0), (0, 255, 0), (0, 0, 255)] + [(i, i, i) for i in range(3, 256)]


@pytest.mark.parametrize("named, kept", [("models/soldier/skin.pcx", "skin.pcx"), ("", "a.pcx"), ("models/skin.png", "skin.pcx")])
def test_the_skin_is_found_beside_the_model(start, tmp_path, named, kept):
    (tmp_path / "a.md2").write_bytes(md2(FRAMES, [named] if named else []))
    (tmp_path / kept).write_bytes(pcx(5, 3, [0, 0, 0, 1, 200] * 3, PALETTE))
    server = start(root=tmp_path)
    shown = server.json("/v1/model", model="a.md2")
    is_elsewhere = named.endswith(kept) and named != kept
    assert [(texture["uri"], texture["state"]) for texture in shown["textures"]] == [(named if is_elsewhere else kept, "found")]
    assert [warning["code"] for warning in shown["warnings"]] == ["file_found_elsewhere"] * is_elsewhere


def test_a_skin_that_is_nowhere_is_said(start, tmp_path):
    (tmp_path / "a.md2").write_bytes(md2(FRAMES, ["models/soldier/skin.pcx"]))
    assert [warning["code"] for warning in start(root=tmp_path).json("/v1/model", model="a.md2")["warnings"]] == ["texture_missing"]


def test_damaged_files_are_refused_with_the_part_that_is_wrong(start, tmp_path):
    whole = md2(FRAMES, ["skin.pcx"])
    broken = {"version": whole[:4] + b"\7" + whole[5:], "header": whole[:60], "frames": whole[:-1],
              "triangle 0 has vertex": whole[:68 + 64 + 16] + b"\xff\xff" + whole[68 + 64 + 18:]}
    for i, data in enumerate(broken.values()):
        (tmp_path / f"{i}.md2").write_bytes(data)
    server = start(root=tmp_path)
    for i, name in enumerate(broken):
        error = json.loads(server.get(f"/v1/model?model={i}.md2").body)["error"]
        assert error["code"] == "bad_model" and name in error["message"]
