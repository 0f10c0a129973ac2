"""Blends that the server mixes in float, compared with its own evaluation in double precision, on the sample models: at 1,000 random times
and weights each, with masks and additive layers."""
import pathlib
import random
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "oracle"))
import gltf_evaluator  # noqa: E402
import matrices  # noqa: E402
from conftest import SAMPLES  # noqa: E402
from raw_requests import post  # noqa: E402

DRAWS = False

MOMENTS, PER_QUERY = 1000, 50
BOUND = 2e-6 + 1e-7  # of the model's size; the exact result is rounded to float32 as well


def random_layers(rng, clips, nodes):
    layers = []
    for _ in range(rng.randint(2, 4)):
        layer = {"clip": rng.randrange(clips), "t": rng.uniform(0, 5), "weight": rng.uniform(0.01, 1)}
        if rng.random() < 0.3:
            layer[rng.choice(["subtree", "except", "joints"])] = rng.randrange(nodes)
        if layers and rng.random() < 0.25:
            layer["mode"] = "additive"
            layer["weight"] /= 2
        layers.append(layer)
    return layers


def query(server, queries):
    answer = post(server, "/v1/query", {"queries": queries})
    assert answer.status == 200, answer.body
    return answer.json()["results"]


def size_of(server, name):
    bounds = server.json("/v1/model", model=name)["bounds"]
    return max(b - a for a, b in zip(bounds["min"], bounds["max"]))


def worst_of(model, palettes, poses):
    """The greatest difference of an element. `poses` also have local transforms, so the server makes them in double precision."""
    worst = 0.0
    scene = [matrices.from_flat(m) for m in poses["frames"][0]["scene"]]
    for s, skin in enumerate(model.document["skins"]):
        binds = [matrices.from_flat(m) for m in model.accessor(skin["inverseBindMatrices"])]
        for j, node in enumerate(skin["joints"]):
            exact = matrices.flat(matrices.multiply(scene[node], binds[j]))
            worst = max(worst, *(abs(a - b) for a, b in zip(palettes["frames"][0]["palettes"][s][j], exact)))
    return worst


@pytest.mark.parametrize("name", ["dragon.glb", "octopus.glb", "robot.glb"])
def test_blends_are_within_their_bound(start, name):
    server = start("--log", "off", "--render-workers", "0", root=SAMPLES)
    model, rng = gltf_evaluator.Model.from_glb((SAMPLES / name).read_bytes()), random.Random(name)
    clips, nodes = len(model.document["animations"]), len(model.document["nodes"])
    size, worst = size_of(server, name), 0.0
    for _ in range(MOMENTS // PER_QUERY):
        blends = [{"model": name, "t": 0, "layers": random_layers(rng, clips, nodes)} for _ in range(PER_QUERY)]
        results = query(server, [{"op": "palette", **blend} for blend in blends]
                        + [{"op": "pose", "what": "local,scene", **blend} for blend in blends])
        for palettes, poses in zip(results[:PER_QUERY], results[PER_QUERY:]):
            worst = max(worst, worst_of(model, palettes, poses))
    poses = server.json("/v1/stats")["poses"]
    assert worst <= BOUND * size, f"{worst / size:.2e} of the model's size"
    assert poses["compiled"] + poses["exact"] == MOMENTS
    assert poses["compiled"] > 0.9 * MOMENTS, poses
    print(f"{name}: {worst / size:.2e} of the model's size, {poses}")


def test_the_ends_of_a_fade_are_the_clips(server):
    alone = server.json("/v1/palette", model="robot.glb", clip=1, t=0.3)["frames"][0]["palettes"]
    ends = [{"op": "palette", "model": "robot.glb", "t": 0.3, "layers": [{"clip": 1, "weight": a}, {"clip": 0, "weight": b}, {"clip": 1, "weight": a}]}
            for a, b in ((1, 0), (0.3, 0))]
    for result in query(server, ends):
        assert result["frames"][0]["palettes"] == alone


def test_joints_alone_have_the_values_that_they_have_among_all(server):
    layers = [{"clip": 0, "weight": 0.7}, {"clip": 1, "weight": 0.3}]
    one = {"op": "pose", "model": "robot.glb", "t": 0.3, "layers": layers}
    everything, few = query(server, [one, {**one, "joints": [5, 3]}])
    scene = everything["frames"][0]["scene"]
    assert few["frames"][0]["scene"] == [scene[5], scene[3]]
