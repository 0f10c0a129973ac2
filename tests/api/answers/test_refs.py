"""The server's answers, compared with the stored reference values of tests/oracle (`make refs` makes them)."""
import math
import pathlib
import shutil
import subprocess
import sys

import pytest

ORACLE = pathlib.Path(__file__).resolve().parents[2] / "oracle"
sys.path.insert(0, str(ORACLE))
import binary_models  # noqa: E402
import conformance  # noqa: E402
import corner_models  # noqa: E402
import json  # noqa: E402
import ogre_models  # noqa: E402
import refs  # noqa: E402
from conftest import SAMPLES, Server  # noqa: E402

DRAWS = False

NAMES = sorted(path.name[:-len(".json")] for path in refs.REFS.glob("*.json"))
TOLERANCE = 1e-5  # of the model's size


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    """A server with all models that have references."""
    root = tmp_path_factory.mktemp("refs")
    for path in refs.MODELS.iterdir():
        shutil.copy(path, root)
    for name in refs.SAMPLES:
        shutil.copy(SAMPLES / name, root)
    for name, make in corner_models.ALL.items():
        (root / name).write_text(json.dumps(make()), encoding="utf-8")
    for name, make in binary_models.ALL.items():
        (root / name).write_bytes(make.file())
    for name, make in ogre_models.ALL.items():
        for file, data in make.files(name[:-len(".mesh")]).items():
            (root / file).write_bytes(data)
    running = Server(root, "--log", "off", "--render-workers", "0")
    yield running
    running.end()


def distance(got, expected):
    assert len(got) == len(expected) and all(math.isfinite(x) for x in got)
    return max(abs(x - y) for x, y in zip(got, expected))


def node_error(nodes, matrices, reference, expected):
    """By index if the reference has indices, else by name. A node without a name cannot be identified."""
    place = {node["node" if isinstance(reference["nodes"][0], int) else "name"]: i for i, node in enumerate(nodes)}
    return max(distance(matrices[place[key]], m) for key, m in zip(reference["nodes"], expected) if key is not None)


def palette_error(skins, palettes, expected):
    """By joint: by its index for glTF, where the skins are the file's, else by its name in any skin."""
    worst = 0.0
    for s, joints in enumerate(expected):
        for joint, m in joints.items():
            if joint.isdigit():
                found = [palettes[s][int(joint)]]
            else:
                found = [p[j] for skin, p in zip(skins, palettes) for j, one in enumerate(skin["joints"]) if one["name"] == joint]
            assert found, f"no skin has joint {joint}"
            worst = max(worst, min(distance(got, m) for got in found))
    return worst


def vertex_error(rest, positions, reference, expected):
    """Finds a vertex by its position in the file. If several are there, the nearest counts."""
    worst = 0.0
    for (x, y, z, *entry), place in zip(reference["rest"], expected):
        candidates = [
            positions[e][i:i + 3] for e in (entry or range(len(rest))) for i in range(0, len(rest[e]), 3)
            if max(abs(rest[e][i] - x), abs(rest[e][i + 1] - y), abs(rest[e][i + 2] - z)) <= 1e-6 * reference["size"]]
        assert candidates, f"no vertex is at {x}, {y}, {z} in the file"
        worst = max(worst, min(distance(got, place) for got in candidates))
    return worst


def clip_error(server, reference, clip):
    """The greatest error of a clip relative to the model's size, and where it occurs."""
    query = {"model": reference["model"], "clip": "-" if clip["index"] is None else clip["index"], "wrap": "clamp",
             "t": [repr(frame["t"]) for frame in clip["frames"]]}
    pose, palette = server.json("/v1/pose", **query), server.json("/v1/palette", **query)
    mesh = server.json("/v1/mesh", rest=1, **query) if reference["rest"] else None
    worst = (0.0, "")
    for f, frame in enumerate(clip["frames"]):
        errors = [(palette_error(palette["skins"], palette["frames"][f]["palettes"], frame["palettes"]), "palette")]
        if frame["nodes"]:
            errors.append((node_error(pose["nodes"], pose["frames"][f]["scene"], reference, frame["nodes"]), "nodes"))
        if mesh:
            errors.append((vertex_error(mesh["rest"], mesh["frames"][f]["positions"], reference, frame["vertices"]), "vertices"))
        worst = max([worst] + [(error / reference["size"], f"{what} at t={frame['t']}") for error, what in errors])
    return worst


@pytest.mark.parametrize("name", NAMES)
def test_answers_are_the_reference_values(models, name):
    reference = refs.stored(name)
    info = models.json("/v1/model", model=reference["model"])
    clips = [clip for clip in reference["clips"] if clip["index"] is not None]
    assert len(info["clips"]) == len(clips)
    assert info["up"] == (reference["up"] and pytest.approx(reference["up"], abs=1e-6))
    assert info["unit_m"] == (reference["unit_m"] and pytest.approx(reference["unit_m"], rel=1e-6))
    for clip in reference["clips"]:
        if clip["index"] is not None:
            shown = info["clips"][clip["index"]]
            assert shown["duration"] == pytest.approx(clip["duration"], rel=1e-6), shown
            assert clip["name"] is None or shown["name"] == clip["name"]
        error, where = clip_error(models, reference, clip)
        conformance.compared(models.root / reference["model"], conformance.STORED, error)
        assert error <= TOLERANCE, f"{name}, clip {clip['index']}: {where} is off by {error:.2e} of the model's size"


def test_stored_values_are_what_the_evaluators_make_now():
    wrong = refs.check(SAMPLES)
    assert not wrong, "run `make refs` and look at the difference:\n" + "\n".join(wrong)


def test_there_is_a_reference_for_every_model_of_the_folder():
    assert len(NAMES) >= 18
    named = {path.name for path in refs.MODELS.iterdir() if path.suffix != ".md5anim"}
    assert named <= set(NAMES)


def test_a_changed_value_is_noticed(tmp_path):
    """The check itself: a copy of the folder in which one number of one file was changed."""
    copy = tmp_path / "oracle"
    shutil.copytree(ORACLE, copy)
    command = [sys.executable, copy / "refs.py", SAMPLES, "--check"]
    changed = copy / "refs/turned.bvh.json"
    text = changed.read_text(encoding="utf-8")
    reference = json.loads(text)
    reference["clips"][1]["frames"][1]["nodes"][0][12] += 1e-4
    changed.write_text(json.dumps(reference), encoding="utf-8")
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 1 and "turned.bvh" in done.stdout and "make refs" in done.stderr, done
    changed.unlink()
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 1 and "turned.bvh: no values are stored" in done.stdout
