"""Hits of libposed-eval (tests/eval/eval_probe.c): the volumes and the bits of /v1/hitboxes and /v1/raycast."""
import json
import random
import re
import shutil
import subprocess
import sys
import urllib.error
import urllib.request

import numpy as np
import pytest

import contract_model
from conftest import BUILD, PATIENCE_S, REPOSITORY, SAMPLES, Server
from eval_probe import EvalProbe, LibraryError

sys.path.insert(0, str(REPOSITORY / "tests" / "oracle"))
import random_models  # noqa: E402
from raycasts import NONE, read_hits  # noqa: E402

DRAWS = False

FITS = ["capsule", "box", "sphere"]
NAMES = ["robot.glb", "dragon.glb", "octopus.glb", "awkward.gltf", "given.glb", *(f"random_{seed}.gltf" for seed in range(4))]
HITBOXES = {"version": 1, "volumes": [
    {"joint": "head", "name": "visage \u00e9", "sphere": {"center": [0, 0.2, 0.05], "radius": 0.22}},
    {"joint": "head", "capsule": {"from": [0, 0.3, 0], "to": [0, 0.4, 0], "radius": 0.2}},
    {"joint": "chest", "fit": "box"}, {"joint": 2, "none": True}]}


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    """A server, and folder/NAME.posed of each of its models."""
    root, folder = tmp_path_factory.mktemp("models"), tmp_path_factory.mktemp("posed")
    for name in NAMES[:3]:
        shutil.copy(SAMPLES / name, root / name)
    shutil.copy(SAMPLES / "robot.glb", root / "given.glb")
    (root / "awkward.gltf").write_text(contract_model.awkward(), encoding="utf-8")
    for seed in range(4):
        (root / f"random_{seed}.gltf").write_text(json.dumps(random_models.make(seed)), encoding="utf-8")
    (root / "given.hitboxes.json").write_text(json.dumps(HITBOXES), encoding="utf-8")
    running = Server(root, draws=False)
    for name in NAMES:
        (folder / f"{name}.posed").write_bytes(running.get(f"/v1/export?model={name}&format=posed").body)
    running.folder = folder
    yield running
    running.end()


@pytest.fixture(params=NAMES)
def both(models, request):
    with EvalProbe(models.folder / f"{request.param}.posed") as probe:
        yield models, request.param, probe


def floats(text):
    return np.frombuffer(bytes.fromhex(text), np.float32)


def parts(answer):
    return answer.split(";") if answer else []


@pytest.mark.parametrize("fit", FITS)
def test_hitboxes_are_those_of_the_server(both, fit):
    server, name, probe = both
    volumes = server.json("/v1/hitboxes", model=name, fit=fit)["volumes"]
    made = parts(probe.ask(f"hitboxes {FITS.index(fit)}"))
    assert len(made) == len(volumes)
    for text, volume in zip(made, volumes):
        head, numbers = text.rsplit(" ", 1)
        node, kind, rest = head.split(" ", 2)
        called, vertices, outside, given = rest.rsplit(" ", 3)
        values = floats(numbers)
        assert (int(node), FITS[int(kind)], int(vertices)) == (volume["joint"], volume["kind"], volume["vertices"])
        assert called == volume.get("volume", "-") and given == str(int(volume["source"] == "file"))
        assert float(f"{int(outside) / max(int(vertices), 1):.6g}") == pytest.approx(volume["outside"], abs=1e-6)
        keys = {"capsule": [("from", 0, 3), ("to", 3, 6), ("radius", 13, 14)], "sphere": [("center", 0, 3), ("radius", 13, 14)],
                "box": [("center", 0, 3), ("rotation", 6, 10), ("half", 10, 13)]}[volume["kind"]]
        for key, first, end in keys:
            assert np.array_equal(values[first:end], np.float32(np.atleast_1d(volume[key]))), (node, key)


def random_world(rng):
    """Rotated, unevenly scaled, off the origin; column by column."""
    q, _ = np.linalg.qr(np.array([[rng.gauss(0, 1) for _ in range(3)] for _ in range(3)]))
    world = np.eye(4)
    world[:3, :3] = q @ np.diag([rng.uniform(0.5, 2) for _ in range(3)])
    world[:3, 3] = [rng.uniform(-4, 4) for _ in range(3)]
    return [float(x) for x in world.T.ravel()]


def random_pose(rng, info):
    """As JSON for the server, and as calls for the probe."""
    world = random_world(rng)
    calls = ["entity world=" + ",".join(map(repr, world))]
    if not info["clips"]:
        return {"clip": "-", "t": 0, "world": world}, calls
    layers = [{"clip": rng.choice(info["clips"])["index"], "t": rng.uniform(-1, 3), "weight": rng.choice([1, 0.25, rng.random()])}
              for _ in range(rng.randint(1, 3))]
    calls += [f"layer clip={layer['clip']} t={layer['t']!r} weight={layer['weight']!r}" for layer in layers]
    return {"layers": layers, "world": world}, calls


def is_refused(server, entity, test="volumes"):
    """Whether the server says that the entity's pose is not finite."""
    body = {"test": test, "entities": [entity], "rays": [{"origin": [0, 0, 9], "direction": [0, 0, -1]}]}
    try:
        cast_by_server(server, body)
    except urllib.error.HTTPError as error:
        return json.loads(error.read())["error"]["code"] == "not_finite"
    return False


def random_scene(server, rng, name, info, probe, verb="add"):
    """Entities as JSON; the probe gets them in its scene, or as its targets."""
    entities = []
    while len(entities) < 8:
        pose, calls = random_pose(rng, info)
        entity = {"model": name, **pose}
        for call in calls:
            probe.ask(call)
        if rng.random() < 0.6:
            probe.ask("first")
            entity["end"], calls = random_pose(rng, info)
            if "layers" not in entity["end"]:
                del entity["end"]["clip"]
            for call in calls:
                probe.ask(call)
        if rng.random() < 0.3:
            entity["mask"] = rng.randrange(1, 4)
        try:
            if verb == "target" and is_refused(server, entity, "mesh"):
                probe.ask("evaluate")
                continue
            probe.ask(f"{verb}{'_moving' if 'end' in entity else ''} {entity.get('mask', NONE)}")
            entities.append(entity)
        except LibraryError as error:
            assert error.status == -8 and is_refused(server, entity)
    return entities


def random_rays(rng, entities, size):
    """A tenth of them go along an axis, where 0 has either sign."""
    rays = []
    for _ in range(80):
        target = rng.choice(entities)["world"][12:15]
        origin = [x + rng.gauss(0, 5 * size) for x in target]
        ray = {"origin": origin, "direction": [t + rng.gauss(0, size / 3) - x for t, x in zip(target, origin)]}
        if rng.random() < 0.1:
            ray = {"origin": [*target[:2], target[2] + 5 * size], "direction": [rng.choice([0.0, -0.0]), rng.choice([0.0, -0.0]), -2.0]}
        for key, value in (("radius", rng.uniform(0, size / 3)), ("at", rng.random()), ("max", rng.uniform(0, 20 * size)),
                           ("mask", rng.randrange(1, 4)), ("ignore", rng.randrange(len(entities)))):
            if rng.random() < 0.4:
                ray[key] = value
        rays.append(ray)
    return rays


def cast_by_server(server, body):
    data = json.dumps({**body, "format": "bin"}).encode()
    request = urllib.request.Request(f"{server.url}/v1/raycast", data, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request) as answer:
        return read_hits(answer.read())["hits"]


def cast_by_library(probe, which, rays):
    words = [x for ray in rays for x in (*ray["origin"], *ray["direction"], ray.get("max", float("inf")), ray.get("radius", 0.0),
                                         ray.get("at", 0.0), ray.get("mask", NONE), ray.get("ignore", -1))]
    hits = []
    for text in parts(probe.ask(f"rays {which} " + " ".join(map(repr, words)))):
        *numbers, values = text.split()
        ray, entity, node, part, inside = map(int, numbers)
        distance, *rest = map(float, floats(values))
        hits.append({"ray": ray, "entity": entity, "node": node, "part": part, "inside": inside == 1,
                     "distance": distance, "point": rest[:3], "normal": rest[3:]})
    return hits


@pytest.mark.parametrize("fit", FITS)
def test_hits_have_the_bits_of_the_server(both, fit):
    server, name, probe = both
    info, rng = server.json("/v1/model", model=name), random.Random(name + fit)
    if not parts(probe.ask(f"hitboxes {FITS.index(fit)}")):
        pytest.skip("no volumes")
    size = max(np.ptp([info["bounds"]["min"], info["bounds"]["max"]], axis=0).max(), 0.1)
    found = {"nearest": 0, "all": 0}
    for _ in range(2):
        probe.ask("clear")
        entities = random_scene(server, rng, name, info, probe)
        rays = random_rays(rng, entities, size)
        for which in found:
            theirs = cast_by_server(server, {"entities": entities, "rays": rays, "fit": fit, "hits": which})
            ours = cast_by_library(probe, which, rays)
            for hit in theirs:
                del hit["triangle"], hit["barycentric"]
                hit["point"], hit["normal"] = list(hit["point"]), list(hit["normal"])
            assert ours == theirs
            found[which] += len(ours)
    assert found["all"] > found["nearest"] > 20


def cast_at_meshes(probe, which, rays):
    words = [x for ray in rays for x in (*ray["origin"], *ray["direction"], ray.get("max", float("inf")), ray.get("radius", 0.0),
                                         ray.get("at", 0.0), ray.get("mask", NONE), ray.get("ignore", -1))]
    hits = []
    for text in parts(probe.ask(f"mesh_rays {which} " + " ".join(map(repr, words)))):
        *numbers, values = text.split()
        ray, entity, node, _, triangle, inside = map(int, numbers)
        distance, *rest = map(float, floats(values))
        hits.append({"ray": ray, "entity": entity, "node": node, "triangle": triangle, "inside": inside == 1, "distance": distance,
                     "point": rest[:3], "normal": rest[3:6], "barycentric": rest[6:]})
    return hits


def test_hits_at_meshes_have_the_bits_of_the_server(both):
    server, name, probe = both
    info, rng = server.json("/v1/model", model=name), random.Random(name + "mesh")
    size = max(np.ptp([info["bounds"]["min"], info["bounds"]["max"]], axis=0).max(), 0.1)
    found = {"nearest": 0, "all": 0}
    probe.ask("meshes")
    entities = random_scene(server, rng, name, info, probe, "target")
    rays = random_rays(rng, entities, size)
    for which in found:
        theirs = cast_by_server(server, {"entities": entities, "rays": rays, "test": "mesh", "hits": which})
        ours = cast_at_meshes(probe, which, rays)
        for hit in theirs:
            del hit["part"]  # of the mesh; the library's part is the draw
            for key in ("point", "normal", "barycentric"):
                hit[key] = list(hit[key])
        assert ours == theirs
        found[which] += len(ours)
    assert found["all"] > found["nearest"] > 5


def test_what_is_refused(models):
    with EvalProbe(models.folder / "robot.glb.posed") as probe:
        probe.ask("hitboxes 0")
        for numbers, words in (("0 0 0 0 0 0 1 0 0 1 -1", "ray 0: direction is 0"), ("0 0 0 0 0 1 -1 0 0 1 -1", "ray 0: most"),
                               ("0 0 0 0 0 1 1 -1 0 1 -1", "ray 0: radius"), ("0 0 0 0 0 1 1 nan 0 1 -1", "ray 0: radius"),
                               ("0 0 0 0 0 1 1 0 2 1 -1", "ray 0: at"), ("nan 0 0 0 0 1 1 0 0 1 -1", "ray 0: origin"),
                               ("0 0 0 0 0 1e39 1 0 0 1 -1", "ray 0: origin"), ("0 0 0 0 0 1 nan 0 0 1 -1", "ray 0: most")):
            with pytest.raises(LibraryError) as error:
                probe.ask(f"rays nearest {numbers}")
            assert error.value.status == -1 and error.value.message.startswith(words)
        assert probe.ask("rays all 0 0 0 0 0 1 inf 0 0 1 -1") == ""  # there is no entity
        for _ in range(16):
            probe.ask("layer clip=0 t=0.3")
            probe.ask("add 1")
        probe.ask("layer clip=0 t=0.3")
        with pytest.raises(LibraryError) as error:
            probe.ask("add 1")
        assert error.value.status == -10 and "no room" in error.value.message
        probe.ask("clear")
        probe.ask("layer clip=0 t=0.3")
        probe.ask("add 1")
        with pytest.raises(LibraryError) as error:
            probe.ask("hitboxes 3")
        assert error.value.status == -1


# --- the example ---

def run_example(*words):
    return subprocess.run([BUILD / "example_hit", *words], capture_output=True, text=True, timeout=PATIENCE_S)


@pytest.mark.parametrize("time_s", ["0.3", "0.9", "7.77"])
def test_the_example_hits_the_head_of_a_character_that_walks(models, time_s):
    done = run_example(models.folder / "robot.glb.posed", "walk", "head", time_s)
    assert done.returncode == 0, done.stderr + done.stdout
    frame, = models.json("/v1/pose", model="robot.glb", clip="walk", t=time_s)["frames"]
    volumes = models.json("/v1/hitboxes", model="robot.glb")["volumes"]
    head = next(volume for volume in volumes if volume["name"] == "head")
    world_from_joint = np.array(frame["scene"][head["joint"]]).reshape(4, 4).T
    middle = (world_from_joint @ [*(np.array(head["from"]) + head["to"]) / 2, 1])[:3]
    ray = {"origin": [*middle[:2], middle[2] + 10], "direction": [-0.0, -0.0, -1]}
    hit, = cast_by_server(models, {"entities": [{"model": "robot.glb", "clip": "walk", "t": float(time_s)}], "rays": [ray]})
    assert hit["node"] in below(models.json("/v1/model", model="robot.glb")["nodes"], head["joint"])
    said, = re.findall(r"^hit after (\S+) units at \((\S+), (\S+), (\S+)\)$", done.stdout, re.M)
    assert [float(word) for word in said] == pytest.approx([hit["distance"], *hit["point"]], abs=1e-4)


def below(nodes, top):
    """The node and all nodes below it."""
    found = {top}
    for node, one in enumerate(nodes):
        if one["parent"] in found:
            found.add(node)
    return found


def test_the_example_says_when_something_else_is_in_the_way(models):
    done = run_example(models.folder / "robot.glb.posed", "walk", "arm_left", "0")
    assert (done.returncode, done.stdout) == (1, "missed\n")


def test_the_example_says_what_is_wrong(models):
    robot = models.folder / "robot.glb.posed"
    assert run_example().returncode == 2 and "usage" in run_example().stderr
    done = run_example(robot, "wlak", "head", "0")
    assert done.returncode == 2 and "no clip 'wlak' among its 3: 'walk', 'wave', 'dance'" in done.stderr
    done = run_example(robot, "walk", "haed", "0")
    assert done.returncode == 2 and "no node 'haed'" in done.stderr
    done = run_example(robot, "walk", "root", "0")
    assert done.returncode == 2 and "has no volume" in done.stderr
