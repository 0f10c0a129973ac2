"""BVH files compared with an evaluator written from the format, and the files that readers get wrong."""
import math
import pathlib
import random
import sys

import pytest
from conftest import REPOSITORY

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "oracle"))
import bvh_evaluator  # noqa: E402
import conformance  # noqa: E402
import random_bvh  # noqa: E402
from matrices import flat  # noqa: E402

DRAWS = False

CASES = 120
TOLERANCE = 1e-6  # relative to the greatest number
OF_OTHERS = REPOSITORY.parent / "shared" / "models" / "bugs"


def worst_error(server, root, name, rng):
    """Compares nodes, clip, and the poses of all nodes: at rest, at frames, between them and outside."""
    model = bvh_evaluator.Model(root / name)
    shown = server.json("/v1/model", model=name)
    assert [(node["name"], node["parent"]) for node in shown["nodes"]] == [(n or None, p) for n, p in zip(model.nodes, model.parents)], name
    assert [clip["name"] for clip in shown["clips"]] == ["Motion"] * len(model.clips)
    worst = 0.0
    for clip in [None, *range(len(model.clips))]:
        times = model.clips[clip]["times"] if clip is not None else [0.0]
        assert clip is None or shown["clips"][clip]["duration"] == times[-1], name
        asked = times + [rng.uniform(0, 1.2 * times[-1]) for _ in range(4)]
        answer = server.json("/v1/pose", what="scene", model=name, clip="-" if clip is None else clip, wrap="clamp", t=[repr(t) for t in asked])
        for t, frame in zip(asked, answer["frames"], strict=True):
            expected = [flat(m) for m in model.pose(clip, t)]
            size = max(abs(x) for m in expected for x in m)
            worst = max([worst] + [abs(a - b) / size for got, m in zip(frame["scene"], expected, strict=True) for a, b in zip(got, m, strict=True)])
    return worst


def test_random_files_agree_with_the_format(start, tmp_path):
    server = start("--log", "off", "--render-workers", "0", root=tmp_path)
    for seed in range(CASES):
        name = f"random_{seed}.bvh"
        (tmp_path / name).write_bytes(random_bvh.make(seed).encode())
        error = worst_error(server, tmp_path, name, random.Random(seed))
        conformance.compared(tmp_path / name, conformance.EVALUATOR, error)
        assert error < TOLERANCE, (name, error)


def test_random_files_use_every_corner():
    makers = [random_bvh.Maker(seed) for seed in range(CASES)]
    texts = [random_bvh.make(seed) for seed in range(CASES)]
    assert {maker.end_of_line for maker in makers} == {"\n", "\r\n", "\r"} and len({maker.end_site for maker in makers}) == 4
    for part in ("JOINT Bip01 Spine 1", "JOINT End Site", "JOINT MOTION", "CHANNELS 0", "CHANNELS 1 ", "CHANNELS 6 ", "Frame Time: 0\n", "channels"):
        assert any(part in text for text in texts), part
    assert any(text.upper().count("ROOT ") > 2 for text in texts) and any("FRAME TIME" not in text.upper() for text in texts)


def text_of(name="Spine", said=2, step="0.1", rows=("1 2 3 10 20 30 40", "0 0 0 0 0 0 0")):
    time = "" if step is None else f"Frame Time: {step}\n"
    return ("HIERARCHY\nROOT Hips\n{\nOFFSET 0 0 0\nCHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation\n"
            f"JOINT {name}\n{{\nOFFSET 0 10 0\nCHANNELS 1 Xrotation\nEnd Site\n{{\nOFFSET 0 4 0\n}}\n}}\n}}\n"
            f"MOTION\nFrames: {said}\n{time}" + "".join(f"{row}\n" for row in rows))


KINDS = {
    "name_with_blanks": (text_of("Bip01 Spine 1"), 0.1, []),
    "frame_time_zero": (text_of(step="0"), 1 / 30, ["frame_rate_assumed"]),
    "frame_time_missing": (text_of(step=None), 1 / 30, ["frame_rate_assumed"]),
    "exponents": (text_of(step="1E-01", rows=("1e0 .2E+1 +3 1e1 2e1 3.0e+1 4E1", "0 0 0 -0 0 -0e5 0")), 0.1, []),
    "too_few": (text_of(said=5), 0.1, ["frame_count_differs"]),
    "too_many": (text_of(said=1), 0.1, ["frame_count_differs"]),
    "cut": (text_of(said=3, rows=("1 2 3 10 20 30 40", "0 0 0 0 0 0 0", "1 2 3")), 0.1, ["frame_count_differs"]),
}


def test_files_that_readers_get_wrong(start, tmp_path):
    for name, (text, _, _) in KINDS.items():
        (tmp_path / f"{name}.bvh").write_text(text, encoding="utf-8")
    server = start("--render-workers", "0", root=tmp_path)
    for name, (_, duration, codes) in KINDS.items():
        shown = server.json("/v1/model", model=f"{name}.bvh")
        assert shown["clips"][0]["duration"] == pytest.approx(duration, rel=1e-12), name
        assert [warning["code"] for warning in shown["warnings"]] == codes, name
        stated = None if "frame_rate_assumed" in codes else 10
        assert shown.get("frame_rate") == (stated and pytest.approx(stated)), name
        assert worst_error(server, tmp_path, f"{name}.bvh", random.Random(1)) < TOLERANCE, name
        spine = server.json("/v1/pose", model=f"{name}.bvh", t=0, what="scene")["frames"][0]["scene"][1][12:15]
        z, x = math.radians(10), math.radians(20)  # y last, which leaves the y axis alone
        assert spine == pytest.approx([1 - 10 * math.sin(z) * math.cos(x), 2 + 10 * math.cos(z) * math.cos(x), 3 + 10 * math.sin(x)], abs=1e-5), name
    assert server.json("/v1/model", model="name_with_blanks.bvh")["nodes"][1]["name"] == "Bip01 Spine 1"


# --- files of others ---

VALUES = {  # duration, warnings
    "bvh/euler_wrap.bvh": (0.2, []),
    "bvh/exponents.bvh": (3.33333e-2, []),
    "bvh/frame_time_zero.bvh": (1 / 30, ["frame_rate_assumed"]),
    "bvh/mixed_channels.bvh": (2 * 0.0333333, ["offset_replaced"]),
    "bvh/name_with_blanks.bvh": (0, []),
    "retarget/tpose.bvh": (0.99999, []),
    "retarget/collapsed_rest.bvh": (0.99999, []),
}


@pytest.mark.skipif(not OF_OTHERS.is_dir(), reason="no ../shared/models/bugs")
@pytest.mark.parametrize("name", VALUES)
def test_files_of_others(start, name):
    server = start("--render-workers", "0", root=OF_OTHERS)
    duration, codes = VALUES[name]
    shown = server.json("/v1/model", model=name)
    assert shown["clips"][0]["duration"] == pytest.approx(duration, rel=1e-12)
    assert [warning["code"] for warning in shown["warnings"]] == codes
    assert worst_error(server, OF_OTHERS, name, random.Random(1)) < TOLERANCE


@pytest.mark.skipif(not OF_OTHERS.is_dir(), reason="no ../shared/models/bugs")
def test_a_pointer_of_git_lfs_is_named(start):
    assert start("--render-workers", "0", root=OF_OTHERS).get("/v1/model?model=lfs/w.bvh").error() == "lfs_pointer"


# --- damage ---

def test_errors_name_line_and_joint(start, tmp_path):
    (tmp_path / "a.bvh").write_text(text_of("Bip01 Spine 1").replace("OFFSET 0 10 0", "OFFSET 0 ten 0"))
    (tmp_path / "b.bvh").write_text(text_of(rows=("1 2 3 10 20 30 40", "1 2 3 10 20 30 x")))
    (tmp_path / "deep.bvh").write_text("HIERARCHY ROOT a {" + "JOINT a {" * 20000 + "}" * 20001 + "MOTION Frames: 0")
    server = start("--render-workers", "0", root=tmp_path)
    for name, code, message in (("a", "bad_model", "line 8: joint 'Bip01 Spine 1': a number of OFFSET is expected, not 'ten'"),
                                ("b", "bad_model", "line 20: frame 1, joint 'Spine', Xrotation: a number is expected, not 'x'"),
                                ("deep", "model_limit", "--max-depth")):
        answer = server.get(f"/v1/model?model={name}.bvh")
        assert answer.error() == code and message in answer.json()["error"]["message"], answer.body


def test_utf_16(start, tmp_path):
    (tmp_path / "a.bvh").write_bytes(text_of("Hüfte 2").encode("utf-16"))
    shown = start("--render-workers", "0", root=tmp_path).json("/v1/model", model="a.bvh")
    assert shown["nodes"][1]["name"] == "Hüfte 2"


def test_cut_files_have_an_answer(start, tmp_path):
    data = text_of().encode()
    steps = range(0, len(data), 7)
    for size in steps:
        (tmp_path / f"{size}.bvh").write_bytes(data[:size])
    server = start("--render-workers", "0", root=tmp_path)
    statuses = {size: server.get(f"/v1/model?model={size}.bvh").status for size in steps}
    values = data.index(b"1 2 3")
    assert all(status == (200 if size >= values else status) and status in (200, 415, 422) for size, status in statuses.items()), statuses
    assert set(statuses.values()) >= {200, 422}
