"""500 random mixtures of given poses, clips, weights and masks, compared with an evaluator written from protocol/blending.md: palettes that
are compiled and exact ones, poses, vertices, boxes and rays; in batches of JSON, over TCP and WebSocket."""
import json
import math
import pathlib
import random
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "oracle"))
import gltf_evaluator  # noqa: E402
import given_evaluator  # noqa: E402
import matrices  # noqa: E402
import packets  # noqa: E402
from conftest import SAMPLES, Server  # noqa: E402
from given_mixtures import FACE, Chances, faced  # noqa: E402
from raw_requests import post  # noqa: E402

DRAWS = False
BOUND = 5e-7  # of the size
COUNTS = {"robot.glb": 120, "octopus.glb": 80, "dragon.glb": 60, "faced.glb": 240}
SOME_VERTICES = 30


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    root = tmp_path_factory.mktemp("blends")
    for name in COUNTS:
        (root / name).write_bytes(faced() if name == "faced.glb" else (SAMPLES / name).read_bytes())
    running = Server(root, "--tcp", "127.0.0.1:0", "--log", "off", draws=False)
    yield running
    running.end()


class Case:
    """A model, its evaluator, and random queries about it."""

    def __init__(self, server, name):
        self.server, self.name, self.rng = server, name, random.Random(name)
        self.model = gltf_evaluator.Model.from_glb(pathlib.Path(server.root, name).read_bytes())
        self.blends = given_evaluator.Blends(self.model)
        bounds = server.json("/v1/model", model=name)["bounds"]
        self.size = max(max(abs(x) for x in bounds["min"] + bounds["max"]), *(b - a for a, b in zip(bounds["min"], bounds["max"])))
        self.chances = Chances(self.rng, self.model, self.size, FACE if name == "faced.glb" else ())
        self.meshes = [(mesh["node"], self.model.document["meshes"][mesh["mesh"]]["primitives"][mesh["primitive"]])
                       for mesh in server.json("/v1/mesh", model=name)["meshes"]]
        self.worst = {}

    def query(self, op):
        times = [self.rng.uniform(-1, 4) for _ in range(self.rng.choice([1, 1, 3]))]
        layers = self.chances.layers(len(times))
        return {"op": op, "model": self.name, "t": times, "layers": layers, **({"what": ["local", "scene"]} if op == "pose" else {})}

    def note(self, what, got, expected, size):
        assert len(got) == len(expected) and all(math.isfinite(x) for x in got)
        error = max((abs(a - b) for a, b in zip(got, expected)), default=0) / size
        self.worst[what] = max(self.worst.get(what, 0), error)
        return error

    def check(self, query, answer):
        errors = []
        assert "error" not in answer, (query, answer)
        for f, t in enumerate(query["t"]):
            pose = self.blends.pose(query["layers"], t, f)
            scene = self.blends.scene(pose)
            size = max([self.size] + [abs(m[r][3]) for m in scene for r in range(3)])  # a given pose may be larger than the model
            errors += getattr(self, "check_" + query["op"])(answer["frames"][f], pose, scene, size)
        assert max(errors) <= BOUND, (max(errors), json.dumps(query))

    def check_palette(self, frame, pose, scene, size):
        """The nodes of meshes without a skin are skins of one joint, behind the others."""
        rigid = [[scene[n]] for n, node in enumerate(self.model.nodes) if "mesh" in node and "skin" not in node]
        return [self.note("palette", got, matrices.flat(expected), size)
                for one, skin in zip(frame["palettes"], self.blends.palettes(pose) + rigid, strict=True) for got, expected in zip(one, skin, strict=True)]

    def check_pose(self, frame, pose, scene, size):
        errors = [self.note("scene", got, matrices.flat(expected), size) for got, expected in zip(frame["scene"], scene, strict=True)]
        for got, one in zip(frame["local"], pose.transforms, strict=True):
            q = one["rotation"]
            side = -1 if sum(a * b for a, b in zip(q, got[3:7])) < 0 else 1
            errors.append(self.note("local", got, one["translation"] + [side * x for x in q] + one["scale"], size))
        return errors

    def check_mesh(self, frame, pose, scene, size):
        errors = []
        for positions, (node, primitive) in zip(frame["positions"], self.meshes, strict=True):
            count = len(positions) // 3
            only = range(count) if count <= SOME_VERTICES else self.rng.sample(range(count), SOME_VERTICES)
            expected = self.blends.vertices(pose, node, primitive, only)
            errors += [self.note("vertices", positions[3 * v:3 * v + 3], place, size) for v, place in zip(only, expected)]
        return errors

    def check_bounds(self, frame, pose, scene, size):
        errors = []
        for box, (node, primitive) in zip(frame["meshes"], self.meshes, strict=True):
            places = self.blends.vertices(pose, node, primitive)
            errors += [self.note("bounds", box[side], [least(p[k] for p in places) for k in range(3)], size) for side, least in (("min", min), ("max", max))]
        return errors


def ask(case, queries):
    """The answers, each over one of the transports."""
    found = [None] * len(queries)
    batch = [i for i in range(len(queries)) if i % 3 == 0]
    answer = post(case.server, "/v1/query", {"queries": [queries[i] for i in batch]})
    assert answer.status == 200, answer.body[:300]
    for i, result in zip(batch, answer.json()["results"]):
        found[i] = result
    for way, rest in (("tcp", 1), ("ws", 2)):
        with packets.connect(case.server.ports, way) as link:
            for i in range(rest, len(queries), 3):
                one = {key: value for key, value in queries[i].items() if key != "op"}
                found[i] = json.loads(link.ask("call", packets.call(f"/v1/{queries[i]['op']}", json.dumps(one))).body)
    return found


@pytest.mark.parametrize("name", COUNTS)
def test_mixtures_agree_with_the_arithmetic(server, name):
    case = Case(server, name)
    ops = ["palette", "pose", "mesh", *(["bounds"] if name == "faced.glb" else [])]
    before = server.json("/v1/stats")["poses"]
    queries = [case.query(ops[i % len(ops)]) for i in range(COUNTS[name])]
    for query, answer in zip(queries, ask(case, queries)):
        case.check(query, answer)
    after = server.json("/v1/stats")["poses"]
    print(f"{name}: " + ", ".join(f"{what} {error:.1e}" for what, error in case.worst.items()), after)
    assert all(after[kind] > before[kind] for kind in ("compiled", "exact"))


def test_entities_of_a_raycast_are_posed_by_given_layers(server):
    """Rays along the normals of triangles hit where the evaluator's triangles are."""
    case = Case(server, "faced.glb")
    for _ in range(60):
        layers = case.chances.layers(1)
        t = case.rng.uniform(0, 2)
        pose = case.blends.pose(layers, t)
        triangles = []
        for node, primitive in case.meshes:
            places = case.blends.vertices(pose, node, primitive)
            triangles += [places[i:i + 3] for i in range(0, len(places), 3)]
        size = max(case.size, *(abs(x) for corners in triangles for corner in corners for x in corner))
        corners = case.rng.choice(triangles)
        a, b, c = corners
        u, v = [q - p for p, q in zip(a, b)], [q - p for p, q in zip(a, c)]
        normal = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]]
        length = math.sqrt(sum(x * x for x in normal))
        assert length > 1e-6
        normal, middle = [x / length for x in normal], [sum(p[k] for p in corners) / 3 for k in range(3)]
        ray = {"origin": [m + 3 * size * n for m, n in zip(middle, normal)], "direction": [-n for n in normal]}
        found = [hit for hit in (distance_to(one, ray) for one in triangles) if hit is not None]
        answer = post(server, "/v1/raycast", {"test": "mesh", "entities": [{"model": case.name, "t": t, "layers": layers}], "rays": [ray]})
        assert answer.status == 200, answer.body
        hit, = answer.json()["hits"]
        assert abs(hit["distance"] - min(found)) <= BOUND * 4 * size, (hit, min(found), json.dumps(layers))


def distance_to(corners, ray):
    """Where the ray crosses the triangle (Moeller, Trumbore 1997), or None."""
    a, b, c = corners
    minus = lambda p, q: [x - y for x, y in zip(p, q)]
    cross = lambda p, q: [p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2], p[0] * q[1] - p[1] * q[0]]
    dot = lambda p, q: sum(x * y for x, y in zip(p, q))
    u, v, s = minus(b, a), minus(c, a), minus(ray["origin"], a)
    h = cross(ray["direction"], v)
    det = dot(u, h)
    if abs(det) < 1e-12:
        return None
    x, q = dot(s, h) / det, cross(s, u)
    y = dot(ray["direction"], q) / det
    return dot(v, q) / det if x >= 0 and y >= 0 and x + y <= 1 else None


def test_several_times_are_the_times_one_by_one(server):
    """And every transport gives the same."""
    case = Case(server, "octopus.glb")
    for _ in range(20):
        query = {key: value for key, value in case.query("palette").items() if key != "op"}
        times = [0.1, 0.7, 1.9]
        layers = [{**layer, "weight": layer["weight"][0] if isinstance(layer["weight"], list) else layer["weight"]} for layer in query["layers"]]
        whole = post(server, "/v1/palette", {**query, "t": times, "layers": layers}).json()
        for t, frame in zip(times, whole["frames"], strict=True):
            alone = post(server, "/v1/palette", {**query, "t": t, "layers": layers}).json()
            assert alone["frames"] == [frame]
        for way in "tcp", "ws":
            with packets.connect(server.ports, way) as link:
                body = json.dumps({**query, "t": times, "layers": layers})
                assert json.loads(link.ask("call", packets.call("/v1/palette", body)).body) == whole
