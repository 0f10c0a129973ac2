"""/v1/hitboxes and /v1/raycast: fits, hitbox files, and hits compared with an independent computation in numpy."""
import json
import math
import pathlib
import re
import sys

import numpy as np
import pytest

import contract_model
import packets
import raycasts
from conftest import SAMPLES
from importers import NO_RENDERING

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "oracle"))
import hits  # noqa: E402  tests/oracle

DRAWS = False

pytestmark = pytest.mark.short
MODEL = "robot.glb"
FITS = ["capsule", "box", "sphere"]


def send(server, path, data):
    with server.connect() as connection:
        connection.send(f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(data)}\r\n\r\n".encode() + data)
        return connection.answer()


def ask(server, path, body):
    return send(server, path, json.dumps(body).encode())


def post(server, body):
    answer = ask(server, "/v1/raycast", body)
    assert answer.status == 200, answer.body
    return answer.json()


def column_major(matrix):
    return [float(x) for x in np.asarray(matrix).T.ravel()]


def random_world(random, sheared=True):
    """A rotated, sheared matrix with uneven scale and an offset."""
    q, _ = np.linalg.qr(random.normal(size=(3, 3)))
    world = np.eye(4)
    world[:3, :3] = q @ np.diag(random.uniform(0.5, 2, 3))
    if sheared:
        world[:3, :3] = world[:3, :3] @ np.array([[1, 0.3, 0], [0, 1, -0.2], [0, 0, 1]])
    world[:3, 3] = random.uniform(-4, 4, 3)
    return world


def scene_of(server, model, **query):
    """scene_from_node of every node at one time."""
    frame, = server.json("/v1/pose", model=model, **query)["frames"]
    return [np.array(m).reshape(4, 4).T for m in frame["scene"]]


# --- volumes ---

@pytest.mark.parametrize("fit", FITS)
def test_volumes_hold_the_vertices_that_their_joints_lead(server, fit):
    answer = server.json("/v1/hitboxes", model=MODEL, fit=fit)
    assert answer["fit"] == fit and answer["model"] == MODEL
    model = server.json("/v1/model", model=MODEL)
    mesh = server.json("/v1/mesh", model=MODEL, clip="-", rest=1, weights=1)
    skins = {skin["index"]: skin for skin in mesh["skins"]}
    led = {}
    for head, rest, moved in zip(mesh["meshes"], mesh["rest"], mesh["influences"]):
        skin = skins[head["skin"]]
        firsts, joints, weights = moved["firsts"], moved["joints"], moved["weights"]
        for v, point in enumerate(np.array(rest).reshape(-1, 3)):
            most = min(range(firsts[v], firsts[v + 1]), key=lambda i: (-weights[i], joints[i]))
            inverse = np.array(skin["joint_from_bind"][joints[most]]).reshape(4, 4).T
            led.setdefault(skin["joints"][joints[most]]["node"], []).append((inverse @ [*point, 1])[:3])
    assert [volume["joint"] for volume in answer["volumes"]] == sorted(led)
    for volume in answer["volumes"]:
        assert volume["kind"] == fit and volume["source"] == "fit"
        assert volume["name"] == model["nodes"][volume["joint"]]["name"]
        depths = [hits.depth(volume, point) for point in led[volume["joint"]]]
        size = np.ptp(np.array(led[volume["joint"]]), axis=0).max()
        assert volume["vertices"] == len(depths)
        outside = sum(depth > 0 for depth in depths) / len(depths)
        assert volume["outside"] == pytest.approx(outside, abs=1e-12) and outside <= 0.05
        assert max(depths) < size  # and no volume is much larger than its contents
        if fit == "capsule":
            assert volume["radius"] <= size
        if fit == "box":
            assert 2 * max(volume["half"]) <= 1.1 * math.sqrt(3) * size


# --- rays ---

def placed_volumes(server, entities, fit):
    """Return (entity, volume, its matrices in the first and the second pose) for all volumes of all entities."""
    placed = []
    for e, entity in enumerate(entities):
        end = entity.get("end", {})
        worlds = [np.array(world).reshape(4, 4).T for world in (entity["world"], end.get("world", entity["world"]))]
        poses = [scene_of(server, entity["model"], clip=entity["clip"], t=t) for t in (entity["t"], end.get("t", entity["t"]))]
        for volume in server.json("/v1/hitboxes", model=entity["model"], fit=fit)["volumes"]:
            placed.append((e, volume, *(world @ pose[volume["joint"]] for world, pose in zip(worlds, poses))))
    return placed


def entities_and_rays(random, count):
    entities = [
        {"model": MODEL, "clip": "walk", "t": 0.3, "world": column_major(random_world(random))},
        {"model": "octopus.glb", "clip": 0, "t": 0.5, "world": column_major(random_world(random, False))},
        {"model": MODEL, "clip": "wave", "t": 0.2, "world": column_major(random_world(random)),
         "end": {"t": 0.4, "world": column_major(random_world(random))}},
    ]
    rays = []
    for n in range(count):
        world = np.array(entities[n % 2]["world"]).reshape(4, 4).T
        target = (world @ [*random.normal([0, 0.8, 0], 0.3), 1])[:3]
        origin = random.uniform(-12, 12, 3)
        direction = (target - origin) / np.linalg.norm(target - origin)
        rays.append({"origin": list(origin), "direction": list(direction), "at": float(random.uniform())})
    return entities, rays


@pytest.mark.parametrize("fit", FITS)
def test_rays_hit_what_numpy_finds(server, fit):
    random = np.random.default_rng(FITS.index(fit))
    entities, rays = entities_and_rays(random, 24)
    every = post(server, {"fit": fit, "hits": "all", "entities": entities, "rays": rays})
    nearest = post(server, {"fit": fit, "entities": entities, "rays": rays})
    assert every["test"] == "volumes" and every["fit"] == fit and every["entities"] == 3 and every["rays"] == 24
    compared = 0
    placed = placed_volumes(server, entities, fit)
    for r, ray in enumerate(rays):
        told = [hit for hit in every["hits"] if hit["ray"] == r]
        assert [hit["distance"] for hit in told] == sorted(hit["distance"] for hit in told)
        by_place = {(hit["entity"], hit["joint"]): hit for hit in told}
        sure = {}
        for e, volume, begin, end in placed:
            matrix = (1 - ray["at"]) * begin + ray["at"] * end
            distance = hits.enter(volume, matrix, ray["origin"], ray["direction"])
            if distance is not None:
                sure[e, volume["joint"]] = distance
        assert set(by_place) == set(sure), r
        for place, distance in sure.items():
            hit = by_place[place]
            assert hit["distance"] == pytest.approx(distance, abs=2e-4)
            np.testing.assert_allclose(hit["point"], np.array(ray["origin"]) + hit["distance"] * np.array(ray["direction"]), atol=1e-4)
            assert np.linalg.norm(hit["normal"]) == pytest.approx(1, abs=1e-5)
            assert np.dot(hit["normal"], ray["direction"]) < 1e-5
            assert hit.get("inside", False) == (distance == 0)
            compared += 1
        assert [hit for hit in nearest["hits"] if hit["ray"] == r] == told[:1]
    assert compared > 20


def test_meshes_are_hit_where_numpy_finds_it(server):
    random = np.random.default_rng(7)
    entities, rays = entities_and_rays(random, 16)
    del entities[2]["end"]
    answer = post(server, {"test": "mesh", "hits": "all", "entities": entities, "rays": rays})
    found = {(hit["ray"], hit["entity"], hit["node"], hit["primitive"], hit["triangle"]): hit for hit in answer["hits"]}
    expected = set()
    for e, entity in enumerate(entities):
        world = np.array(entity["world"]).reshape(4, 4).T
        mesh = server.json("/v1/mesh", model=entity["model"], clip=entity["clip"], t=entity["t"], indices=1)
        for head, indices, positions in zip(mesh["meshes"], mesh["indices"], mesh["frames"][0]["positions"]):
            points = np.array(positions).reshape(-1, 3) @ world[:3, :3].T + world[:3, 3]
            corners = points[np.array(indices)].reshape(-1, 3, 3)
            for r, ray in enumerate(rays):
                o, d = np.array(ray["origin"]), np.array(ray["direction"])
                edges = corners[:, 1:] - corners[:, :1]  # all triangles at once
                p = np.cross(d, edges[:, 1])
                with np.errstate(divide="ignore", invalid="ignore"):
                    inverse = 1 / np.einsum("ij,ij->i", edges[:, 0], p)
                    away = o - corners[:, 0]
                    v = np.einsum("ij,ij->i", away, p) * inverse
                    q = np.cross(away, edges[:, 0])
                    w = (q @ d) * inverse
                    t = np.einsum("ij,ij->i", edges[:, 1], q) * inverse
                inner = 1e-4  # near an edge, both triangles are correct
                sure = (v > inner) & (w > inner) & (v + w < 1 - inner) & (t > 1e-4)
                for index in np.flatnonzero(sure):
                    key = (r, e, head["node"], head["primitive"], int(index))
                    expected.add(key)
                    hit = found[key]
                    assert hit["distance"] == pytest.approx(t[index], abs=2e-4)
                    np.testing.assert_allclose(hit["barycentric"], [1 - v[index] - w[index], v[index], w[index]], atol=2e-2)
                    np.testing.assert_allclose(np.array(hit["barycentric"]) @ corners[index], hit["point"], atol=1e-3)
    assert len(expected) > 10 and len(found) - len(expected) <= len(expected) // 4
    near = post(server, {"test": "mesh", "entities": entities, "rays": rays})["hits"]
    for hit in near:
        assert hit["distance"] == min(one["distance"] for one in answer["hits"] if one["ray"] == hit["ray"])


def test_layers_masks_and_ends(server):
    still = np.eye(4)
    entity = {"model": MODEL, "layers": [{"clip": "walk", "t": 0.2}, {"clip": "wave", "t": 0.4, "joints": "hand_right"}],
              "world": column_major(still)}
    there = np.eye(4)
    there[0, 3] = 10
    moving = {**entity, "end": {"world": column_major(there)}}
    ray = {"origin": [0, 1, 9], "direction": [0, 0, -3]}
    one, = post(server, {"entities": [entity], "rays": [ray]})["hits"]
    assert one["ray"] == 0 and one["entity"] == 0 and 0 < one["distance"] < 9
    # half of the way is 5 units, which moves the same hit
    half = {**ray, "origin": [5, 1, 9], "at": 0.5}
    moved, = post(server, {"entities": [moving], "rays": [half]})["hits"]
    assert moved["joint"] == one["joint"] and moved["distance"] == pytest.approx(one["distance"], abs=1e-5)
    assert moved["point"][0] == pytest.approx(one["point"][0] + 5, abs=1e-5)
    assert post(server, {"entities": [moving], "rays": [{**ray, "at": 0.5}]})["hits"] == []


def test_who_is_hit_and_how_far(server):
    entities = [{"model": MODEL, "mask": 1}, {"model": MODEL, "mask": 2, "world": column_major(
        [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, -3], [0, 0, 0, 1]])}]
    ray = {"origin": [0, 1, 9], "direction": [0, 0, -1]}

    def entity_of(**more):
        return [hit["entity"] for hit in post(server, {"entities": entities, "rays": [{**ray, **more}]})["hits"]]

    assert entity_of() == [0] and entity_of(mask=1) == [0] and entity_of(mask=3) == [0]
    assert entity_of(mask=2) == [1] and entity_of(ignore=0) == [1]
    assert entity_of(mask=4) == [] and entity_of(mask=1, ignore=0) == []
    assert entity_of(max=5) == [] and entity_of(max=9) == [0]
    assert entity_of(origin=[0, 1, -1.5]) == [1] and entity_of(origin=[0, 1, -9]) == []
    inside, = post(server, {"entities": entities, "rays": [{**ray, "origin": [0, 1, 0]}]})["hits"]
    assert inside["inside"] is True and inside["distance"] == 0 and inside["normal"] == [0, 0, 1]


def test_balls_are_larger_rays(server):
    entity = {"model": MODEL, "clip": "walk", "t": 0.3}
    ray = {"origin": [0.1, 1.1, 9], "direction": [0, 0, -1]}
    for kind in ("volumes", "mesh"):
        distances = []
        for radius in (0, 0.05, 0.2, 1):
            hit, = post(server, {"test": kind, "entities": [entity], "rays": [{**ray, "radius": radius}]})["hits"]
            distances.append(hit["distance"])
            middle = np.array([0.1, 1.1, 9 - hit["distance"]])
            assert np.linalg.norm(middle - hit["point"]) == pytest.approx(radius, abs=1e-4)
            if radius > 0:
                np.testing.assert_allclose((middle - hit["point"]) / radius, hit["normal"], atol=1e-3)
        assert distances == sorted(distances, reverse=True) and distances[0] > distances[-1]


def test_batches_tell_the_same(server):
    one = server.json("/v1/hitboxes", model=MODEL, fit="box")
    batch = ask(server, "/v1/query", {"queries": [{"op": "hitboxes", "model": MODEL, "fit": "box"}]}).json()
    assert batch["results"] == [one]


@pytest.mark.parametrize("body, code, words", [
    ({"entities": [{"model": MODEL}]}, "missing_parameter", "'rays'"),
    ({"rays": [{"origin": [0, 0, 0], "direction": [0, 0, 1]}]}, "missing_parameter", "'entities'"),
    ({"entities": [], "rays": []}, "bad_parameter", "'entities' has 0 entries"),
    ({"entities": [{"clip": 0}], "rays": [{"origin": [0, 0, 0], "direction": [0, 0, 1]}]}, "missing_parameter", "entities[0]"),
    ({"entities": [{"model": MODEL, "world": [1, 2]}], "rays": []}, "bad_parameter", "entities[0]: parameter 'world'"),
    ({"entities": [{"model": MODEL, "world": [1] * 16}], "rays": []}, "bad_parameter", "affine"),
    ({"entities": [{"model": MODEL, "t": [1, 2]}], "rays": []}, "bad_parameter", "'t' names 2 times"),
    ({"entities": [{"model": MODEL, "joints": "head"}], "rays": []}, "unknown_parameter", "entities[0]"),
    ({"entities": [{"model": MODEL, "end": {"model": "dragon.glb"}}], "rays": []}, "bad_parameter", "end: parameter 'model'"),
    ({"entities": [{"model": MODEL, "clip_file": "dragon.glb"}], "rays": []}, "unknown_parameter", "clip_file"),
    ({"entities": [{"model": MODEL, "layers": [{"clip_file": "nobody.glb"}]}], "rays": [{"origin": [0, 0, 0], "direction": [0, 0, 1]}]}, "model_not_found", "nobody.glb"),
    ({"entities": [{"model": MODEL}], "rays": [{"origin": [0, 0, 0]}]}, "missing_parameter", "rays[0]"),
    ({"entities": [{"model": MODEL}], "rays": [{"origin": [0, 0, 0], "direction": [0, 0, 0]}]}, "bad_parameter", "rays[0]"),
    ({"entities": [{"model": MODEL}], "rays": [{"origin": [0, 0], "direction": [0, 0, 1]}]}, "bad_parameter", "origin"),
    ({"entities": [{"model": MODEL}], "rays": [{"origin": [0, 0, 0], "direction": [0, 0, 1], "at": 2}]}, "bad_parameter", "'at'"),
    ({"entities": [{"model": MODEL}], "rays": [{"origin": [0, 0, 0], "direction": [0, 0, 1], "length": 2}]}, "unknown_parameter", "length"),
    ({"entities": [{"model": MODEL}], "rays": [{"origin": [0, 0, 0], "direction": [0, 0, 1], "ignore": 1}]}, "bad_parameter", "'ignore' is 1"),
    ({"entities": [{"model": MODEL, "clip": "jog"}], "rays": [{"origin": [0, 0, 0], "direction": [0, 0, 1]}]}, "clip_not_found", "entities[0]"),
    ({"entities": [{"model": "nobody.glb"}], "rays": [{"origin": [0, 0, 0], "direction": [0, 0, 1]}]}, "model_not_found", "nobody.glb"),
    ({"test": "x", "entities": [{"model": MODEL}], "rays": []}, "bad_parameter", "'test'"),
    ({"entities": [{"model": MODEL, "mask": 1, "twice": {"mask": 1}}], "rays": []}, "duplicate_parameter", "entities[0]: parameter 'mask' is given twice"),
    ({"entities": [{"model": MODEL, "end": {"t": 1}, "twice": {"end": {"t": 1}}}], "rays": []}, "duplicate_parameter", "entities[0]: parameter 'end' is given twice"),
    ({"entities": [{"model": MODEL, "end": {"world": [], "twice": {"world": []}}}], "rays": []}, "duplicate_parameter", "end: parameter 'world' is given twice"),
])
def test_what_is_wrong_is_named(server, body, code, words):
    """A member "twice": {"name": 1} stands for a second "name": 1."""
    text = re.sub(r'"twice": \{(.*?)\}(?=\})', r"\1", json.dumps(body))
    answer = send(server, "/v1/raycast", text.encode())
    assert answer.error() == code and words in answer.json()["error"]["message"]


def test_raycast_takes_post_only(server):
    answer = server.get("/v1/raycast")
    assert answer.status == 405 and answer.headers["allow"] == "POST"


# --- the hitbox file ---

def write(root, volumes, version=1):
    (root / "hero.hitboxes.json").write_text(json.dumps({"version": version, "volumes": volumes}))


@pytest.fixture
def root(tmp_path):
    (tmp_path / "hero.glb").write_bytes((SAMPLES / MODEL).read_bytes())
    return tmp_path


def test_a_file_replaces_adds_and_removes(start, root):
    server = start(*NO_RENDERING, root=root)
    before = server.get("/v1/hitboxes?model=hero.glb")
    plain = {volume["name"]: volume for volume in before.json()["volumes"]}
    write(root, [
        {"joint": "head", "name": "face", "sphere": {"center": [0, 0.2, 0], "radius": 0.25}},
        {"joint": "head", "name": "hat", "capsule": {"from": [0, 0.4, 0], "to": [0, 0.6, 0], "radius": 0.1}},
        {"joint": "chest", "fit": "box"},
        {"joint": "antenna", "none": True},
        {"joint": 0, "box": {"center": [0, 1, 0], "half": [1, 0.5, 0.25], "rotation": [0, 0, 2, 0]}},
    ])
    after = server.get("/v1/hitboxes?model=hero.glb")
    assert after.headers["etag"] != before.headers["etag"] and after.json()["hash"] != before.json()["hash"]
    volumes = after.json()["volumes"]
    names = [(volume["name"], volume.get("volume"), volume["kind"], volume["source"]) for volume in volumes]
    assert ("head", "face", "sphere", "file") in names and ("head", "hat", "capsule", "file") in names
    assert ("chest", None, "box", "fit") in names and "antenna" not in [name[0] for name in names]
    box = next(volume for volume in volumes if volume["joint"] == 0)
    assert box["rotation"] == [0, 0, 1, 0] and box["half"] == [1, 0.5, 0.25] and box["vertices"] == 0 and box["outside"] == 0
    assert len(volumes) == len(plain) + 1  # a hat and a box are added, the antenna is removed
    face = next(volume for volume in volumes if volume.get("volume") == "face")
    assert face["vertices"] == plain["head"]["vertices"] and face["outside"] > 0
    hit, = post(server, {"entities": [{"model": "hero.glb", "clip": "-"}], "rays": [{"origin": [0, 9, 0], "direction": [0, -1, 0]}]})["hits"]
    assert (hit["name"], hit["volume"]) == ("head", "hat")
    (root / "hero.hitboxes.json").unlink()
    assert server.json("/v1/hitboxes", model="hero.glb")["volumes"] == list(plain.values())


@pytest.mark.parametrize("volumes, words", [
    ([{"joint": "tail", "none": True}], "volumes[0]: joint 'tail': 'joint': the model has no node of this name"),
    ([{"joint": "head", "none": True}, {"joint": "head", "fit": "box"}], "volumes[1]"),
    ([{"joint": "head"}], "volumes[0]: joint 'head': there must be one of"),
    ([{"joint": "head", "sphere": {"center": [0, 0, 0]}}], "joint 'head': sphere: 'radius' must be a number above 0"),
    ([{"joint": "head", "sphere": {"center": [0, 0, 0], "radius": 0}}], "'radius'"),
    ([{"joint": "head", "sphere": {"center": [0, 0], "radius": 1}}], "'center' must be a list of 3"),
    ([{"joint": "head", "sphere": {"center": [0, 0, 0], "radius": 1, "mass": 2}}], "'mass'"),
    ([{"joint": "head", "box": {"center": [0, 0, 0], "half": [1, -1, 1]}}], "'half'"),
    ([{"joint": "head", "box": {"center": [0, 0, 0], "half": [1, 1, 1], "rotation": [0, 0, 0, 0]}}], "'rotation'"),
    ([{"joint": 4000, "none": True}], "'joint' is node 4000"),
    ([{"none": True}], "'joint' must be there"),
    ([{"joint": "head", "fit": "cone"}], "'fit' must be capsule, box or sphere"),
    ([7], "volumes[0]: it is no object"),
])
def test_a_wrong_file_is_named_and_spoils_nothing_else(start, root, volumes, words):
    write(root, volumes)
    server = start(*NO_RENDERING, root=root)
    cast = {"entities": [{"model": "hero.glb"}], "rays": [{"origin": [0, 9, 0], "direction": [0, -1, 0]}]}
    for answer in (server.get("/v1/hitboxes?model=hero.glb"), ask(server, "/v1/raycast", cast)):
        assert answer.status == 422 and answer.error() == "bad_hitboxes"
        assert words in answer.json()["error"]["message"] and "hero.hitboxes.json" in answer.json()["error"]["message"]
    assert server.get("/v1/palette?model=hero.glb").status == 200
    warning, = [w for w in server.json("/v1/model", model="hero.glb")["warnings"] if w["code"] == "bad_hitboxes"]
    assert words in warning["message"]
    write(root, [])
    assert server.get("/v1/hitboxes?model=hero.glb").status == 200


@pytest.mark.parametrize("text, words", [
    ("{", "not JSON"), ("[]", "no JSON object"), ('{"version": 2, "volumes": []}', "'version' must be 1"),
    ('{"version": 1}', "'volumes'"), ('{"version": 1, "volumes": [], "more": 1}', "'more'"), ("\xff", "UTF-8"),
])
def test_bytes_that_are_no_hitbox_file(start, root, text, words):
    (root / "hero.hitboxes.json").write_bytes(text.encode("latin-1"))
    server = start(*NO_RENDERING, root=root)
    answer = server.get("/v1/hitboxes?model=hero.glb")
    assert answer.error() == "bad_hitboxes" and words in answer.json()["error"]["message"]


def test_awkward_joints_are_hit_too(awkward):
    """Shears, joints of several skins, nodes without names."""
    random = np.random.default_rng(3)
    volumes = awkward.json("/v1/hitboxes", model="awkward.gltf")["volumes"]
    scene = scene_of(awkward, "awkward.gltf", clip=0, t=0.3)
    tried = 0
    for volume in volumes:
        middle = np.mean([volume["from"], volume["to"]], axis=0)
        target = (scene[volume["joint"]] @ [*middle, 1])[:3]
        for _ in range(5):
            origin = target + random.normal(size=3) * 30
            ray = {"origin": list(origin), "direction": list((target - origin) / np.linalg.norm(target - origin))}
            told = post(awkward, {"hits": "all", "entities": [{"model": "awkward.gltf", "clip": 0, "t": 0.3}], "rays": [ray]})
            mine = [hit for hit in told["hits"] if hit["joint"] == volume["joint"]]
            expected = hits.enter(volume, scene[volume["joint"]], ray["origin"], ray["direction"])
            if volume["radius"] > 1e-3 and abs(np.linalg.det(scene[volume["joint"]])) > 1e-9:
                assert mine and mine[0]["distance"] == pytest.approx(expected, abs=2e-3)
                tried += 1
    assert tried >= 5 and contract_model.ROOT == 4


# --- binary ---

MODELS = [(MODEL, 0), ("octopus.glb", 0)]


def binary_scene(server, random):
    """The same scene in both forms."""
    entities, rays = entities_and_rays(random, 40)
    clips = {clip["name"]: clip["index"] for clip in server.json("/v1/model", model=MODEL)["clips"]}
    binary = []
    for entity in entities:
        clip = clips.get(entity["clip"], 0)
        one = {"model": [path for path, _ in MODELS].index(entity["model"]), "layers": [(clip, entity["t"], 1)],
               "world": entity["world"]}
        if "end" in entity:
            one["end"] = {"layers": [(clip, entity["end"]["t"], 1)], "world": entity["end"]["world"]}
        binary.append(one)
    entities[0]["mask"] = binary[0]["mask"] = 1
    rays[3]["ignore"], rays[4]["radius"], rays[5]["mask"], rays[6]["max"] = 0, 0.3, 2, 3.0
    return entities, binary, rays


def check_same(told, expected, is_mesh):
    assert len(told["hits"]) == len(expected["hits"]) > 5
    for one, other in zip(told["hits"], expected["hits"]):
        assert (one["ray"], one["entity"]) == (other["ray"], other["entity"])
        assert one["node"] == other["node" if is_mesh else "joint"]
        assert one["inside"] == other.get("inside", False)
        for field in ("point", "normal"):
            assert [np.float32(x) for x in one[field]] == [np.float32(x) for x in other[field]]
        assert np.float32(one["distance"]) == np.float32(other["distance"])
        if is_mesh:
            assert (one["part"], one["triangle"]) == (other["primitive"], other["triangle"])
            assert [np.float32(x) for x in one["barycentric"]] == [np.float32(x) for x in other["barycentric"]]


@pytest.mark.parametrize("kind", ["volumes", "mesh"])
@pytest.mark.parametrize("which", ["nearest", "all"])
def test_all_ways_have_the_same_bits(server, kind, which):
    entities, binary, rays = binary_scene(server, np.random.default_rng(11))
    expected = post(server, {"test": kind, "hits": which, "entities": entities, "rays": rays})
    data = raycasts.raycast(binary, rays, MODELS, test=kind, hits=which)
    answer = send(server, "/v1/raycast", data)
    assert answer.status == 200, answer.body
    assert answer.headers["content-type"] == "application/vnd.posed.hits"
    told = raycasts.read_hits(answer.body)
    assert told["test"] == kind and told["entities"] == 3 and told["rays"] == 40
    check_same(told, expected, kind == "mesh")
    as_json = send(server, "/v1/raycast?format=json", data)
    assert as_json.headers["content-type"] == "application/json" and as_json.json() == expected
    as_bytes = ask(server, "/v1/raycast?format=bin", {"test": kind, "hits": which, "entities": entities, "rays": rays})
    assert as_bytes.body == answer.body


def test_packets_and_websockets(start):
    server = start(*NO_RENDERING, "--tcp", "127.0.0.1:0", root=SAMPLES)
    _, binary, rays = binary_scene(server, np.random.default_rng(12))
    expected = send(server, "/v1/raycast", raycasts.raycast(binary, rays, MODELS)).body
    for port in ("tcp", "ws"):
        with packets.connect(server.ports, port) as link:
            answer = link.ask("raycast", raycasts.raycast(binary, rays, MODELS))
            assert answer.kind == "hits" and answer.payload == expected
            handle = link.open(MODEL)
            again = link.ask("raycast", raycasts.raycast(binary, rays, [(MODEL, handle), MODELS[1]]))
            assert again.payload == expected
            refused = link.ask("raycast", raycasts.raycast(binary, rays, [(MODEL, handle + 9), MODELS[1]]))
            assert refused.error()[0] == 20 and "handle" in refused.error()[2]
            assert link.ask("ping").kind == "done"


def test_every_cut_and_changed_byte_is_refused_or_answered(server):
    data = raycasts.raycast([{"model": 0, "layers": [(0, 0.3, 1)]}], [{"origin": [0, 1, 9], "direction": [0, 0, -1]}], MODELS[:1])
    assert len(raycasts.read_hits(send(server, "/v1/raycast", data).body)["hits"]) == 1
    for size in range(4, len(data)):
        answer = send(server, "/v1/raycast", data[:size])
        assert answer.status == 400 and answer.error() == "bad_request", size
    for at in range(4, len(data)):
        changed = bytearray(data)
        changed[at] ^= 0xFF
        answer = send(server, "/v1/raycast", bytes(changed))
        assert answer.status in (200, 400, 404, 409, 415, 422), (at, answer.body)
    assert send(server, "/v1/raycast?fit=box", data).error() == "duplicate_parameter"


@pytest.mark.parametrize("change, words", [
    ({"rays": [{"origin": [0, 0, 0], "direction": [0, 0, 0]}]}, "rays[0]"),
    ({"rays": [{"origin": [math.nan, 0, 0], "direction": [0, 0, 1]}]}, "rays[0]"),
    ({"rays": [{"origin": [0, 0, 0], "direction": [0, 0, 1], "radius": -1}]}, "'radius'"),
    ({"rays": [{"origin": [0, 0, 0], "direction": [0, 0, 1], "at": 1.5}]}, "'at'"),
    ({"rays": [{"origin": [0, 0, 0], "direction": [0, 0, 1], "ignore": 1}]}, "'ignore' is 1"),
    ({"entities": [{"model": 0, "layers": [(99, 0, 1)]}]}, "entities[0]: layer 0: there is no clip 99"),
    ({"models": [("nobody.glb", 0)]}, "nobody.glb"),
    ({"models": [(MODEL, 3)]}, "handles are for packets"),
])
def test_values_of_binary_raycasts(server, change, words):
    parts = {"entities": [{"model": 0, "layers": [(0, 0.3, 1)]}], "rays": [{"origin": [0, 1, 9], "direction": [0, 0, -1]}],
             "models": MODELS[:1], **change}
    answer = send(server, "/v1/raycast", raycasts.raycast(**parts))
    assert answer.status in (400, 404) and words in answer.json()["error"]["message"], answer.body
