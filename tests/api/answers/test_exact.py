"""Every value of the server for random models, compared with an evaluator written from the glTF specification."""
import json
import math
import pathlib
import random
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "oracle"))
import conformance  # noqa: E402
import gltf_evaluator  # noqa: E402
import matrices  # noqa: E402
import random_models  # noqa: E402
from conftest import SAMPLES  # noqa: E402

DRAWS = False

CASES, PER_SERVER = 1000, 250
TOLERANCE = 1e-5  # of the model's size


def difference(got, expected):
    assert len(got) == len(expected)
    assert all(math.isfinite(x) for x in got)
    return max((abs(x - y) for x, y in zip(got, expected)), default=0.0)


def times_of(model, clip, rng):
    """At keys, between them, before the first and after the last."""
    if clip is None:
        return [0.0]
    end = model.duration(clip)
    sampler = rng.choice(model.document["animations"][clip]["samplers"])
    keys = [row[0] for row in model.accessor(sampler["input"])]
    return [rng.choice(keys), rng.uniform(0, end), rng.uniform(0, end), end]


def check(server, name, model, clip, times):
    """The greatest error of one model's clip, relative to the model's size."""
    document = model.document
    query = {"model": name, "clip": "-" if clip is None else clip, "wrap": "clamp", "t": [repr(t) for t in times]}
    ask = lambda path, **more: server.json(path, **query, **more)
    palettes, poses, meshes = ask("/v1/palette"), ask("/v1/pose"), ask("/v1/mesh")
    worst, size = 0.0, 1e-3
    for f, t in enumerate(times):
        local, weights = model.pose(clip, t)
        entry = 0
        for n, node in enumerate(document["nodes"]):
            if "mesh" not in node:
                continue
            expected = model.vertices(n, document["meshes"][node["mesh"]]["primitives"][0], local, weights)
            assert meshes["meshes"][entry]["node"] == n
            values = [x for p in expected for x in p]
            size = max(size, *(abs(x) for x in values))
            worst = max(worst, difference(meshes["frames"][f]["positions"][entry], values))
            entry += 1
        for s in range(len(document["skins"])):
            for got, expected in zip(palettes["frames"][f]["palettes"][s], model.palette(s, local), strict=True):
                worst = max(worst, difference(got, matrices.flat(expected)))
                size = max(size, *(abs(x) for x in matrices.flat(expected)))
        assert [n["node"] for n in poses["nodes"]] == list(range(len(document["nodes"])))
        for n, got in enumerate(poses["frames"][f]["scene"]):
            expected = matrices.flat(model.scene_from_node(local, n))
            worst = max(worst, difference(got, expected))
            size = max(size, *(abs(x) for x in expected))
    return worst / size


@pytest.mark.parametrize("first", range(0, CASES, PER_SERVER))
def test_random_models_agree_with_the_specification(start, tmp_path, first):
    server = start("--log", "off", "--render-workers", "0", root=tmp_path)
    for seed in range(first, first + PER_SERVER):
        name = f"random_{seed}.gltf"
        model, rng = gltf_evaluator.Model(random_models.make(seed)), random.Random(seed)
        (tmp_path / name).write_text(json.dumps(model.document), encoding="utf-8")
        clip = rng.randrange(len(model.document["animations"])) if "animations" in model.document else None
        error = check(server, name, model, clip, times_of(model, clip, rng))
        conformance.compared(tmp_path / name, conformance.EVALUATOR, error)
        assert error <= TOLERANCE, f"seed {seed}: {error:.2e} of the model's size"


@pytest.mark.parametrize("name", ["dragon.glb", "octopus.glb", "robot.glb"])
def test_samples_agree_with_the_specification(server, name):
    model = gltf_evaluator.Model.from_glb((SAMPLES / name).read_bytes())
    for clip in range(len(model.document["animations"])):
        error = check(server, name, model, clip, [0.25, model.duration(clip)])
        conformance.compared(SAMPLES / name, conformance.EVALUATOR, error)
        assert error <= TOLERANCE


def test_random_models_use_every_corner():
    """The generator itself: if it stopped making a feature, the comparison would prove less."""
    documents = [random_models.make(seed) for seed in range(200)]
    text = "".join(map(json.dumps, documents))
    for word in ("STEP", "CUBICSPLINE", '"sparse"', '"normalized"', '"matrix"', "JOINTS_2", '"targets"', "byteStride", '"weights"'):
        assert text.count(word) >= 10, word
    assert any("inverseBindMatrices" not in skin for d in documents for skin in d["skins"])
    assert any(len(d["skins"]) == 2 for d in documents)
