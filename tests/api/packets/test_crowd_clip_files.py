"""Crowds and binary raycasts whose layers play clips of other files (clip_model of protocol/crowd.md): the bits of clip_file=."""
import json
import random
import struct

import pytest

import packets
import raycasts
from crowds import Answer, Crowd, answers_of, post, query_of
from importers import NO_RENDERING
from rigs import CLIPS, HALF, RIG, character, moves

DRAWS = False

pytestmark = pytest.mark.short
SWAY = {"sway": {("hip", "rotation"): [[0, 0, 0, 1], [0.6, 0, 0, 0.8]], ("toe", "scale"): [[1, 1, 1], [2, 1, 0.5]]}}
KICK = {"kick": {("knee", "rotation"): [[HALF, 0, 0, HALF], [0.6, 0, 0, 0.8]]}, "nod": {("toe", "translation"): [[0, 1, 0.5], [1, 1, 0]]}}
# Each with its clips; the first two are characters.
FILES = {"anna.gltf": ["sway"], "ben.gltf": ["kick", "nod"], "moves/walk.gltf": ["stand", "run"], "moves/kicks.gltf": ["kick", "nod"]}
LAYOUTS = ["mat4", "mat3x4", "dualquat"]
SCOPES = {"leg": (("knee", 1), {"subtree": "knee"}), "rest": (("knee", 2), {"except": "knee"})}
NODES = ["root", "hip", "knee", "toe"]
WORLD = [0.0, -2.0, 0.0, 10.0, 3.0, 0.0, 0.0, -5.0, 0.0, 0.0, 0.5, 2.0]  # rotated, unevenly scaled, off the origin


@pytest.fixture
def root(tmp_path):
    folder = tmp_path / "root"
    (folder / "moves").mkdir(parents=True)
    (folder / "anna.gltf").write_text(character(SWAY))
    (folder / "ben.gltf").write_text(character(KICK))
    (folder / "moves/walk.gltf").write_text(moves(CLIPS))
    (folder / "moves/kicks.gltf").write_text(moves(KICK, ("hip", "root", "knee", "toe")))
    (folder / "nobody.gltf").write_text(moves({"run": {("nobody", "translation"): [[0, 0, 0], [1, 1, 1]]}}, ["nobody"], {"nobody": (None, {})}))
    (folder / "broken.gltf").write_text("{")
    return folder


@pytest.fixture(params=["1", "2"], ids=["one-loop", "two-loops"])
def own(start, root, tmp_path, request):
    running = start(*NO_RENDERING, "--tcp", "127.0.0.1:0", "--unix", str(tmp_path / "s"), "--loops", request.param, root=root)
    running.ports["unix"] = str(tmp_path / "s")
    return running


def layer_of(chance, path, first=False):
    """(fields of the record, the same layer in JSON)"""
    file = chance.choice(list(FILES))
    clip, time, weight = chance.randrange(-1, len(FILES[file])), chance.uniform(-1, 2), chance.choice([0.25, 0.5, 1])
    is_own = file == path and chance.random() < 0.7
    record = {"clip": clip, "time_s": time, "weight": weight, "clip_model": 0 if is_own else 1 + list(FILES).index(file)}
    query = {"clip": "-" if clip < 0 else clip, "t": time, "weight": weight, **({} if is_own else {"clip_file": file})}
    if not first and chance.random() < 0.5:
        mask = chance.choice(list(SCOPES))
        record["mask"] = list(SCOPES).index(mask)
        query.update(SCOPES[mask][1])
    if not first and chance.random() < 0.4:
        reference, at = chance.randrange(-1, len(FILES[file])), chance.uniform(0, 1)
        record.update(mode=1, reference_clip=reference, reference_time_s=at)
        query.update(mode="additive", reference={"clip": "-" if reference < 0 else reference, "t": at, **({} if is_own else {"clip_file": file})})
    return record, query


def scene(seed=3, count=120, world=False):
    chance = random.Random(seed)
    crowd, queries = Crowd(), []
    for path in FILES:
        crowd.model(path)
    for (node, scope), _ in SCOPES.values():
        crowd.mask((NODES.index(node), scope))
    crowd.wanted()
    crowd.wanted(what=1, items=[3, 0, 2])
    place = {"world": crowd.world(WORLD)} if world else {}
    for _ in range(count):
        model = chance.randrange(2)
        path = list(FILES)[model]
        layers = [layer_of(chance, path, i == 0) for i in range(chance.choice([1, 1, 2, 3, 4]))]
        nodes, layout = chance.random() < 0.25, chance.randrange(2)
        crowd.entity([record for record, _ in layers], model=model, wanted=int(nodes), layout=layout, **place)
        what = {"joints": [3, 0, 2]} if nodes else {"skin": 0}
        queries.append((path, {"layout": LAYOUTS[layout], "layers": [query for _, query in layers], **what}, "pose" if nodes else "palette"))
    return crowd, queries


def views(server):
    return server.json("/v1/stats")["clip_views"]


def test_bits_are_those_of_clip_file(own):
    crowd, queries = scene()
    found = answers_of(own, crowd)
    assert len(set(found.values())) == 1
    answer = Answer(found["http"])
    assert not answer.errors
    for i, (path, body, op) in enumerate(queries):
        assert answer.floats[i] == query_of(own, path, body, op), (i, path, body)
        alone = Crowd()
        alone.lists, alone.paths = {**crowd.lists, "entity": [crowd.lists["entity"][i]]}, crowd.paths
        assert Answer(post(own, alone.bytes()).body).floats == [answer.floats[i]]


def test_many_that_are_alike_are_evaluated_together(own):
    """Blends of one shape with clips of all files: groups of them have the bits of single ones."""
    chance = random.Random(8)
    crowd, queries = Crowd(), []
    for path in FILES:
        crowd.model(path)
    crowd.wanted()
    for _ in range(64):
        layers = [layer_of(chance, "anna.gltf", True) for _ in range(2)]
        crowd.entity([record for record, _ in layers], layout=1)
        queries.append({"layout": "mat3x4", "skin": 0, "layers": [query for _, query in layers]})
    answer = Answer(post(own, crowd.bytes()).body)
    assert not answer.errors
    for floats, body in zip(answer.floats, queries):
        assert floats == query_of(own, "anna.gltf", body), body


def test_one_clip_alone_is_the_clip(own):
    """The same as clip_file= without layers, in every layout that the rig allows."""
    crowd = Crowd()
    for path in FILES:
        crowd.model(path)
    crowd.wanted()
    asked = [(file, clip, time) for file in FILES for clip in range(len(FILES[file])) for time in (0, 0.1, 0.3)]
    for file, clip, time in asked:
        crowd.entity([{"clip": clip, "time_s": time, "clip_model": 1 + list(FILES).index(file)}])
    answer = Answer(post(own, crowd.bytes()).body)
    assert not answer.errors and len({*answer.floats}) > len(asked) // 2
    for i, (file, clip, time) in enumerate(asked):
        assert answer.floats[i] == query_of(own, "anna.gltf", {"clip_file": file, "clip": clip, "t": time, "skin": 0}), asked[i]


def transform(rows, point):
    return [sum(rows[4 * r + k] * x for k, x in enumerate([*point, 1])) for r in range(3)]


def test_in_a_world_a_vertex_is_where_it_belongs(own):
    here, there = (Answer(post(own, scene(count=40, world=world)[0].bytes()).body) for world in (False, True))
    assert not here.errors and not there.errors
    for i, entity in enumerate(here.entities):
        size = entity["item_bytes"] // 4
        plain, placed = ([struct.unpack_from(f"<{size}f", answer.floats[i], 4 * size * m) for m in range(entity["count"])] for answer in (here, there))
        for one, other in zip(plain, placed):
            one, other = ([m[4 * c + r] for r in range(3) for c in range(4)] if size == 16 else list(m) for m in (one, other))
            for corner in (0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1):
                assert transform(other, corner) == pytest.approx(transform(WORLD, transform(one, corner)), abs=1e-4)
    # vertex 3 of the skin: (1, 2, 3), 0.25 on the first joint and 0.75 on the second
    crowd = Crowd()
    for path in FILES:
        crowd.model(path)
    crowd.wanted()
    layers = [{"clip": 1, "time_s": 0.3, "clip_model": 3}, {"clip": 0, "time_s": 0.2, "clip_model": 4}]
    crowd.entity(layers, world=crowd.world(WORLD), layout=1)
    palette = struct.unpack("<36f", Answer(post(own, crowd.bytes()).body).floats[0])
    skinned = [0.25 * a + 0.75 * b for a, b in zip(*(transform(palette[12 * j:12 * j + 12], (1, 2, 3)) for j in (0, 1)))]
    query = {"model": "anna.gltf", "t": 0, "layers": [{"clip_file": "moves/walk.gltf", "clip": 1, "t": 0.3}, {"clip_file": "moves/kicks.gltf", "clip": 0, "t": 0.2}]}
    assert skinned == pytest.approx(transform(WORLD, vertices_of(own, query)[3]), abs=1e-4)


def vertices_of(server, query):
    frame, = send(server, "/v1/mesh", json.dumps(query).encode()).json()["frames"]
    flat, = frame["positions"]
    return [flat[i:i + 3] for i in range(0, len(flat), 3)]


def send(server, path, body):
    with server.connect() as connection:
        connection.send(f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body)
        return connection.answer()


def test_what_is_wrong_is_the_entitys_own(own):
    crowd = Crowd()
    anna, walk, missing, broken, up, nobody = (crowd.model(path) for path in (
        "anna.gltf", "moves/walk.gltf", "moves/jump.gltf", "broken.gltf", "../up.gltf", "nobody.gltf"))
    other = crowd.model("moves/kicks.gltf", content_hash=b"\1" * 32)
    crowd.wanted()
    of = lambda file, **more: {"clip_model": 1 + file, **more}
    cases = [
        ([of(walk, clip=1, time_s=0.3)], None),
        ([of(missing)], (20, "layer 0: the file of its clip: there is no model 'moves/jump.gltf'")),
        ([{}, of(missing, clip=-1)], (20, "layer 1: the file of its clip: there is no model 'moves/jump.gltf'")),
        ([of(broken)], (34, "broken.gltf")),
        ([of(up)], (6, "../up.gltf")),
        ([of(other)], (26, "moves/kicks.gltf: its content hash")),
        ([of(walk, clip=2)], (21, "layer 0: 'moves/walk.gltf': there is no clip 2; there are 2")),
        ([of(walk, clip=-2)], (21, "layer 0: 'moves/walk.gltf': there is no clip -2")),
        ([{}, of(walk, mode=1, reference_clip=7)], (21, "layer 1: its reference: 'moves/walk.gltf': there is no clip 7")),
        ([of(nobody)], (45, "layer 0: 'nobody.gltf'")),
        ([of(nobody)], (45, "layer 0: 'nobody.gltf'")),
        ([of(nobody, clip=-1)], None),
        ([of(walk, clip=-1)], None),
        ([of(walk, clip=1, time_s=0.3)], None),
    ]
    for layers, _ in cases:
        crowd.entity(layers)
    found = answers_of(own, crowd)
    assert len(set(found.values())) == 1
    answer = Answer(found["http"])
    for i, (layers, expected) in enumerate(cases):
        assert (i in answer.errors) == (expected is not None), (layers, answer.errors.get(i))
        if expected:
            code, message = answer.errors[i]
            assert code == expected[0] and expected[1] in message and message.startswith(f"entity {i} of 'anna.gltf': "), (layers, message)
    assert answer.floats[0] == answer.floats[-1] == query_of(own, "anna.gltf", {"clip_file": "moves/walk.gltf", "clip": 1, "t": 0.3, "skin": 0})
    assert answer.floats[11] == answer.floats[12] == query_of(own, "anna.gltf", {"clip": "-", "t": 0, "skin": 0})


def test_a_place_behind_the_models_breaks_the_form(own):
    crowd = Crowd()
    crowd.model("anna.gltf")
    crowd.wanted()
    crowd.entity([{"clip_model": 1}, {"clip_model": 2}])
    at = 64 + 24 + 40 + 26
    answer = post(own, crowd.bytes())
    assert answer.status == 400 and answer.error() == "bad_request"
    assert "clip_model" in answer.json()["error"]["message"] and f"byte {at}" in answer.json()["error"]["message"]
    with packets.Link(own.ports["tcp"]) as link:
        code, offset, message, _ = link.ask("crowd", crowd.bytes()).error()
        assert code == 1 and offset == 16 + 32 + at and "clip_model" in message


def test_views_are_made_once_and_shared(own):
    crowd, _ = scene()
    pairs = {(entity["model"], layer["clip_model"], clip) for entity in crowd.lists["entity"]
             for layer in crowd.lists["layer"][entity["first_layer"]:entity["first_layer"] + entity["layer_count"]] if layer["clip_model"]
             for clip in [layer["clip"], *([layer["reference_clip"]] if layer.get("mode") else [])] if clip >= 0}
    for path in FILES:
        own.json("/v1/model", model=path)
    before = own.json("/v1/stats")["answers"]["started"]
    first = post(own, crowd.bytes()).body
    made = views(own)
    assert made["misses"] == made["kept"] == len(pairs)
    queued = own.json("/v1/stats")["answers"]["started"]
    assert queued == before + 1  # made in a work thread
    assert post(own, crowd.bytes()).body == first
    again = own.json("/v1/stats")
    assert again["clip_views"]["misses"] == made["misses"] and again["clip_views"]["hits"] >= made["hits"] + len(pairs)
    assert again["answers"]["started"] == queued  # the loop itself answers
    query_of(own, "anna.gltf", {"clip_file": "moves/walk.gltf", "clip": 1, "t": 0.3, "skin": 0})
    assert views(own)["misses"] == made["misses"]


def test_without_room_for_views_the_bits_are_the_same(start, own, root):
    crowd, _ = scene(count=30)
    small = start(*NO_RENDERING, "--cache-bytes", "1M", "--cache-dir", "none", root=root)
    assert [post(small, crowd.bytes()).body for _ in range(2)] == [post(own, crowd.bytes()).body] * 2


@pytest.mark.parametrize("count", [64, 65])
def test_most_clips(start, root, count):
    (root / "many.gltf").write_text(moves({f"run {i}": CLIPS["run"] for i in range(80)}))
    server = start(*NO_RENDERING, root=root)
    crowd = Crowd()
    crowd.model("anna.gltf")
    crowd.model("many.gltf")
    crowd.wanted()
    for i in range(200):
        crowd.entity([{"clip": i % count, "clip_model": 2, "time_s": 0.3}])
    answer = post(server, crowd.bytes())
    if count == 64:
        assert answer.status == 200 and len({*Answer(answer.body).floats}) == 1
    else:
        assert answer.error() == "too_many_frames" and "more than 64 clips of other files" in answer.json()["error"]["message"]


def test_handles_lend_clips_too(own):
    crowd, _ = scene(count=20)
    with packets.Link(own.ports["tcp"]) as link:
        named = Crowd()
        named.lists, named.paths = {**crowd.lists, "model": []}, b""
        for path in FILES:
            named.model(handle=link.open(path))
        assert Answer(link.ask("crowd", named.bytes()).payload).floats == Answer(post(own, crowd.bytes()).body).floats


# --- raycasts ---

@pytest.mark.parametrize("kind", ["volumes", "mesh"])
def test_rays_meet_what_plays_other_files(own, root, kind):
    """A character with clips of other files is hit where a character that has these clips itself is hit."""
    (root / "whole.gltf").write_text(character({**SWAY, **CLIPS, **KICK}))
    models = [("anna.gltf", 0), ("moves/walk.gltf", 0), ("moves/kicks.gltf", 0), ("whole.gltf", 0)]
    world = [0, 3, 0, 0, -2, 0, 0, 0, 0, 0, 0.5, 0, 10, -5, 2, 1]  # column by column
    layers = [(0, 0.1, 0.5), (1, 0.3, 0.5, 2), (0, 0.2, 1, 3)], [(0, 0.1, 0.5), (2, 0.3, 0.5), (3, 0.2, 1)]
    end = [(1, 0.45, 1, 2)], [(2, 0.45, 1)]
    query = {"model": "whole.gltf", "t": 0, "layers": [{"clip": clip, "t": time, "weight": weight} for clip, time, weight in layers[1]]}
    vertices = [transform(WORLD, vertex) for vertex in vertices_of(own, query)]
    chance = random.Random(5)
    rays = []
    for triangle in (0, 1, 2), (3, 4, 5):
        for at in (0, 0, 0.5, 1):
            middle = [sum(vertices[v][i] for v in triangle) / 3 for i in range(3)]
            origin = [x + chance.uniform(-20, 20) for x in middle]
            rays.append({"origin": origin, "direction": [a - b for a, b in zip(middle, origin)], "at": at, "radius": 0 if kind == "mesh" else 2})
    told = []
    for i, model in enumerate((0, 3)):
        one = {"model": model, "layers": layers[i], "world": world, "end": {"layers": end[i]}}
        answer = send(own, "/v1/raycast", raycasts.raycast([one], rays, models, test=kind))
        assert answer.status == 200, answer.body
        told.append(raycasts.read_hits(answer.body)["hits"])
    names = [(hit["ray"], hit["entity"], hit["node"], hit["triangle"]) for hit in told[0]]
    assert len(names) >= 4 and names == [(hit["ray"], hit["entity"], hit["node"], hit["triangle"]) for hit in told[1]]
    files = ["anna.gltf", "moves/walk.gltf", "moves/kicks.gltf"]  # the same bits in JSON
    as_json = lambda parts: {"layers": [{"clip": clip, "t": time, "weight": weight, **({"clip_file": files[file[0] - 1]} if file else {})} for clip, time, weight, *file in parts]}
    entity = {"model": "anna.gltf", "world": world, **as_json(layers[0]), "end": as_json(end[0])}
    answer = send(own, "/v1/raycast?format=bin", json.dumps({"test": kind, "entities": [entity], "rays": rays}).encode())
    assert answer.status == 200, answer.body
    assert raycasts.read_hits(answer.body)["hits"] == told[0]
    for one, other in zip(*told):
        assert one["point"] == pytest.approx(other["point"], abs=1e-3) and one["distance"] == pytest.approx(other["distance"], abs=1e-3)


def test_rays_name_what_is_wrong(own):
    ray = [{"origin": [0, 1, 9], "direction": [0, 0, -1]}]
    ask = lambda layers, *files: send(own, "/v1/raycast", raycasts.raycast([{"model": 0, "layers": layers}], ray, [("anna.gltf", 0), *((file, 0) for file in files)]))
    for layers, file, code, words in (([(9, 0, 1, 2)], "moves/walk.gltf", "clip_not_found", "entities[0]: layer 0: 'moves/walk.gltf': there is no clip 9"),
                                      ([(0, 0, 1, 2)], "nobody.gltf", "clip_no_match", "entities[0]: layer 0: 'nobody.gltf'"),
                                      ([(0, 0, 1, 2)], "moves/jump.gltf", "model_not_found", "moves/jump.gltf"),
                                      ([(0, 0, 1, 3)], "moves/walk.gltf", "bad_request", "clip_model")):
        answer = ask(layers, file)
        assert answer.error() == code and words in answer.json()["error"]["message"], answer.body
    ask = lambda layers: send(own, "/v1/raycast", json.dumps({"entities": [{"model": "anna.gltf"}, {"model": "anna.gltf", "layers": layers}], "rays": ray}).encode())
    for layer, code, words in (({"clip_file": "moves/walk.gltf", "clip": 9}, "clip_not_found", "entities[1]: "),
                               ({"clip_file": "nobody.gltf"}, "clip_no_match", "entities[1]: layers[0]: 'nobody.gltf'"),
                               ({"clip_file": "moves/jump.gltf"}, "model_not_found", "moves/jump.gltf"),
                               ({"clip_file": "moves/walk.gltf", "clip_hash": "1" * 64}, "hash_mismatch", "moves/walk.gltf")):
        answer = ask([layer])
        assert answer.error() == code and words in answer.json()["error"]["message"], answer.body


def test_a_reference_of_another_file(own, root):
    """Only in JSON: the hits equal the hits of a character that has all clips itself."""
    (root / "whole.gltf").write_text(character({**SWAY, **CLIPS, **KICK}))
    ray = [{"origin": [9, 9, 9], "direction": [-1, -2, -1.5], "radius": 6}]
    layers = [{"clip": "sway", "t": 0.2}, {"clip": "run", "clip_file": "moves/walk.gltf", "t": 0.3, "mode": "additive", "weight": 0.5,
                                           "reference": {"clip": "kick", "clip_file": "moves/kicks.gltf", "t": 0.1}}]
    whole = json.loads(json.dumps(layers).replace('"clip_file": "moves/walk.gltf", ', "").replace('"clip_file": "moves/kicks.gltf", ', ""))
    told = []
    for model, parts in ("anna.gltf", layers), ("whole.gltf", whole), ("whole.gltf", whole[:1]):
        answer = send(own, "/v1/raycast?format=bin", json.dumps({"entities": [{"model": model, "layers": parts}], "rays": ray}).encode())
        assert answer.status == 200, answer.body
        told += raycasts.read_hits(answer.body)["hits"]
    assert len(told) == 3 and told[0]["node"] == told[1]["node"] and told[2]["distance"] != pytest.approx(told[1]["distance"], abs=1e-3)
    assert told[0]["point"] == pytest.approx(told[1]["point"], abs=1e-3)
