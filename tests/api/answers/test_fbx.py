"""FBX files compared with an evaluator written from the SDK's documents: nodes, palettes, vertices and takes of random files."""
import json
import math
import pathlib
import random
import re
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "oracle"))
import conformance  # noqa: E402
import fbx_evaluator  # noqa: E402
import random_fbx  # noqa: E402
import random_fbx_old  # noqa: E402
from conftest import REPOSITORY  # noqa: E402
from matrices import flat  # noqa: E402

DRAWS = False

CASES, ALL_CASES = 120, 500  # in make test; in make soak t=fbx
TOLERANCE = 1e-5  # of the model's size
JUMP_S, JUMP = 1e-7, 1e-3  # a curve jumps where it changes by more than this share of its value within this time
OLD_EVERY = 6  # one seed of so many makes a file of version 6
REFERENCES = REPOSITORY.parent / "shared" / "refs_fbx"
MODELS = REPOSITORY.parent / "shared" / "models" / "fbx_ufbx"


def distance(got, expected):
    assert len(got) == len(expected) and all(math.isfinite(x) for x in got), got
    return max((abs(x - y) for x, y in zip(got, expected)), default=0.0)


class Expected:
    """The evaluator's result for a model at one time."""

    def __init__(self, model, clip, t):
        scene = model.pose(clip, t)
        self.nodes = [flat(m) for m in scene]
        self.palettes = [{joint: flat(m) for joint, m in palette.items()} for palette in model.palettes(scene)]
        self.vertices, placed = {}, iter(model.vertices(scene))
        for n, geometry in model.meshes:
            self.vertices.setdefault(n, []).extend(next(placed)[1] for _ in range(len(geometry.record.array("Vertices")) // 3))

    def size(self):
        return max([1e-3] + [abs(x) for m in self.nodes for x in m[12:15]] + [abs(x) for points in self.vertices.values() for p in points for x in p])


def is_smooth(model, clip, t):
    """False at steps and ends of repetitions: there the last bits decide on which side a time is."""
    time = t + model.takes[clip].begin
    for curve in [curve for layer in model.takes[clip].layers for node in layer.nodes.values() for curve in node.curves.values()]:
        first, last = curve.keys[0].time, curve.keys[-1].time
        some = [curve.at(time + d) for d in (-JUMP_S, 0, JUMP_S)]
        turns = (time - first) / (last - first) if last > first and not first < time < last else 0.5
        if max(some) - min(some) > JUMP * (1 + max(map(abs, some))) or abs(turns - round(turns)) * (last - first) < JUMP_S:
            return False
    return True


def times_of(model, clip, rng):
    """The ends, a few keys, and times between."""
    if clip is None:
        return [0.0]
    keys = model.clips[clip]["times"]
    fixed = {keys[0], keys[-1], rng.choice(keys), rng.choice(keys)}
    return sorted({t for t in fixed if is_smooth(model, clip, t)} | {rng.uniform(0, keys[-1]) for _ in range(3)})


def vertex_error(mesh, frame, names, model, expected):
    """Every vertex of the server is one of the node's points, and every point occurs."""
    worst, found = 0.0, {}
    for entry, positions in zip(mesh["meshes"], frame["positions"], strict=True):
        found.setdefault(names[entry["node"]], []).extend(positions[i:i + 3] for i in range(0, len(positions), 3))
    assert set(found) == {model.nodes[n] for n in expected.vertices}, f"there are meshes at {sorted(found)}"
    for n, points in expected.vertices.items():
        got = found[model.nodes[n]]
        for some, others in ((points, got), (got, points)):
            worst = max(worst, max(min(distance(p, q) for q in others) for p in some))
    return worst


def palette_error(skins, palettes, expected):
    """Joints are in the order of the file's clusters. The mesh's node may follow, which moves points without weights. A mesh without a skin
    may have a skin with only its own node."""
    names = [[joint["name"] for joint in skin["joints"]] for skin in skins]
    worst = 0.0
    for joints in expected:
        same = [got for some, got in zip(names, palettes) if some[:len(joints)] == list(joints) and len(some) <= len(joints) + 1]
        assert same, f"no skin has the joints {list(joints)}: {names}"
        worst = max(worst, min(max(distance(a, b) for a, b in zip(got, joints.values())) for got in same))
    return worst


def check(server, name, model, clip, times):
    """Return (greatest error relative to the model's size, where)."""
    query = {"model": name, "clip": "-" if clip is None else clip, "wrap": "clamp", "t": [repr(t) for t in times]}
    pose, palette, mesh = server.json("/v1/pose", what="scene", **query), server.json("/v1/palette", **query), server.json("/v1/mesh", **query)
    names = [node["name"] for node in server.json("/v1/model", model=name)["nodes"]]
    worst = (0.0, "")
    for f, t in enumerate(times):
        expected = Expected(model, clip, t)
        scene = {node["name"]: m for node, m in zip(pose["nodes"], pose["frames"][f]["scene"])}
        errors = {"nodes": max(distance(scene[node], m) for node, m in zip(model.nodes, expected.nodes)),
                  "palettes": palette_error(palette["skins"], palette["frames"][f]["palettes"], expected.palettes),
                  "vertices": vertex_error(mesh, mesh["frames"][f], names, model, expected)}
        worst = max([worst] + [(error / expected.size(), f"{what} of clip {clip} at t={t!r}") for what, error in errors.items()])
    return worst


def make(seed):
    return (random_fbx_old if seed % OLD_EVERY == 0 else random_fbx).make(seed)


def seed_error(server, root, seed):
    """Return (greatest error of all clips and the rest pose, where) for one random file."""
    path = root / f"random_{seed}.fbx"
    path.write_text(make(seed), encoding="utf-8")
    model, rng = fbx_evaluator.Model(path), random.Random(seed)
    clips = server.json("/v1/model", model=path.name)["clips"]
    assert [clip["name"] for clip in clips] == [clip["name"] for clip in model.clips], clips
    for clip, made in zip(clips, model.clips):
        assert clip["duration"] == pytest.approx(made["times"][-1], rel=1e-6)
    return max(check(server, path.name, model, clip, times_of(model, clip, rng)) for clip in [None, *range(len(clips))])


def test_random_files_agree_with_the_documents(start, tmp_path):
    server = start("--log", "off", "--render-workers", "0", root=tmp_path)
    for seed in range(CASES):
        error, where = seed_error(server, tmp_path, seed)
        conformance.compared(tmp_path / f"random_{seed}.fbx", conformance.EVALUATOR, error)
        assert error <= TOLERANCE, f"seed {seed}: {where} is off by {error:.2e} of the model's size"


def test_random_files_use_every_corner():
    """The generators themselves: if they stopped making a feature, the comparison would prove less."""
    texts = [random_fbx.make(seed) for seed in range(CASES)]
    for word in ("DualQuaternion", "BlendWeights", '"Rigid"', "TransformLink", "FullWeights: *3", "FullWeights: *2", '"Solo"', '"Mute"',
                 "Repetition: 2", "Type: A", "Type: M", "Type: K", "Type: R", '"Weight"', "RotationSpaceForLimitOnly", "GeometricRotation",
                 "TCDefinition: 0", "&quot;", '"RotationAccumulationMode"', "DeformPercent", "d|Weight", '"PostRotation"'):
        assert sum(word in text for text in texts) >= 5, word
    for prop, values in (("RotationOrder", range(6)), ("InheritType", range(3)), ("BlendMode", range(1, 3))):
        for value in values:
            assert sum(re.search(f'P: "{prop}", "enum", "", "A[+]?",{value}\n', text) is not None for text in texts) >= 5, (prop, value)
    old = [random_fbx_old.make(seed) for seed in range(0, CASES, OLD_EVERY)]
    for word in (",L", ",C,s", ",C,n", ",U,a,n", ",U,s", ",U,b", ",a,0.", ",r,0.", ",l,0.", '"Cluster"'):
        assert sum(word in text for text in old) >= 5, word


@pytest.mark.skipif(not REFERENCES.is_dir(), reason="../shared/refs_fbx is not there")
@pytest.mark.parametrize("path", sorted(REFERENCES.glob("*_ascii.fbx.*.json")), ids=lambda path: path.name)
def test_evaluator_agrees_with_stored_references(path):
    """The evaluator itself, compared with another program's results for files from elsewhere: nodes and control points."""
    reference = json.loads(path.read_text(encoding="utf-8"))
    model = fbx_evaluator.Model(MODELS / pathlib.Path(reference["source"]).name)
    clip = reference["clip"]["index"] if reference["clip"]["index"] >= 0 else None
    names = [name for name, _ in reference["nodes"]]
    for frame in reference["frames"]:
        expected = Expected(model, clip, frame["t"] - reference["clip"]["time_begin"])
        for n, name in enumerate(model.nodes):
            if names.count(name) == 1 and frame["world"][names.index(name)]:
                error = distance(expected.nodes[n], frame["world"][names.index(name)])
                assert error <= 1e-6 * expected.size(), f"{name} at {frame['t']}: {error:.2e}"
        for entry, moved in zip(reference["meshes"], frame["skinned"]):
            name = names[entry["node"]]
            if names.count(name) == 1:
                points = expected.vertices[model.nodes.index(name)]
                error = max(distance(points[v], p) for v, p in zip(entry["samples"], moved["pts"]))
                assert error <= 1e-6 * expected.size(), f"vertices of {name} at {frame['t']}: {error:.2e}"
