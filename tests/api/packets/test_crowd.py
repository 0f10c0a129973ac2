"""Crowds (protocol/crowd.md): many entities in one request have the same bits over HTTP, packets and WebSocket as one by one."""
import json
import os
import random
import re
import shutil
import struct

import pytest

import exposition
import packets
from conftest import SAMPLES, Server, wait_until
from crowds import ANSWER_TYPE, FLOATS, Answer, Crowd, answers_of, of_models, post, query_of
from packets import Link, packet

DRAWS = False

pytestmark = pytest.mark.short
PATHS = ["robot.glb", "dragon.glb", "octopus.glb"]
LAYOUTS = ["mat4", "mat3x4", "dualquat"]


@pytest.fixture(scope="module", params=["1", "2"], ids=["one-loop", "two-loops"])
def own(tmp_path_factory, request):
    if os.environ.get("POSED_SERVER"):
        pytest.skip("needs a server of its own")
    root = tmp_path_factory.mktemp("crowd")
    for name in PATHS:
        shutil.copy(SAMPLES / name, root / name)
    (root / "broken.glb").write_bytes(b"glTF and no more")
    running = Server(root, "--tcp", "127.0.0.1:0", "--unix", str(root / "s"), "--loops", request.param, "--max-entities", "400", draws=False)
    running.ports["unix"] = str(root / "s")
    yield running
    code = running.process.poll()
    running.end()
    assert code is None, f"the server died with {code}"


@pytest.fixture(scope="module")
def models(own):
    return {path: own.json("/v1/model", model=path) for path in PATHS}


def scene(models, count=200, seed=1, handles=None):
    """A crowd of random entities, and for each (path, body of the equivalent query, operation)."""
    chance = random.Random(seed)
    crowd, queries = Crowd(), []
    places = {path: crowd.model(path) if handles is None else crowd.model(handle=handles[path]) for path in PATHS}
    skin, some, nodes = crowd.wanted(), crowd.wanted(items=[3, 0, 5]), crowd.wanted(what=1, skin=0, items=[2, 7, 1])
    masks = {"spine": crowd.mask((4, 1)), "not": crowd.mask((3, 2))}
    scopes = {"spine": {"subtree": 4}, "not": {"except": 3}}
    for _ in range(count):
        path = chance.choice(PATHS)
        clips = len(models[path]["clips"])
        layout = chance.randrange(3)
        layers, asked = [], []
        for i in range(chance.choice([0, 1, 1, 2, 3])):
            clip, time, wrap = chance.randrange(clips), chance.uniform(-3, 6), chance.randrange(3)
            layer = {"clip": clip, "time_s": time, "wrap": wrap}
            query = {"clip": clip, "t": time, "wrap": ["loop", "clamp", "mirror"][wrap]}
            layers.append(layer)
            asked.append(query)
        for layer, query in list(zip(layers, asked))[:0 if len(layers) < 2 else None]:
            layer["weight"] = query["weight"] = chance.choice([0.5, 1, 2, chance.random()])
            if chance.random() < 0.5:
                mask = chance.choice(list(masks))
                layer["mask"] = masks[mask]
                query.update(scopes[mask])
        if len(layers) == 3:
            layers[2].update(mode=1, weight=0.25, reference_clip=0, reference_time_s=0.125)
            asked[2].update(mode="additive", weight=0.25, reference={"clip": 0, "t": 0.125})
        want = chance.choice([skin, skin, some, nodes])
        crowd.entity(layers, model=places[path], wanted=want, layout=layout)
        body = {"layout": LAYOUTS[layout], **({"clip": "-"} if not layers else {"layers": asked})}
        if len(asked) == 1:
            body = {**body, **asked[0]}
            del body["layers"]
        queries.append((path, {**body, **({"joints": [2, 7, 1]} if want == nodes else {"skin": 0})}, "pose" if want == nodes else "palette",
                        [3, 0, 5] if want == some else None))
    return crowd, queries


def test_two_hundred_entities_are_what_each_is_alone(own, models):
    crowd, queries = scene(models)
    found = answers_of(own, crowd)
    assert len(set(found.values())) == 1
    answer = Answer(found["http"])
    wrong = 0
    for i, (path, body, op, joints) in enumerate(queries):
        text = json.dumps({"model": path, "format": "bin", **body}).encode()
        if i in answer.errors:  # dual quaternions of a non-rigid transform
            with own.connect() as connection:
                connection.send(f"POST /v1/{op} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(text)}\r\n\r\n".encode() + text)
                alone = connection.answer()
            assert alone.status == 422 and alone.json()["error"]["code"] == "not_rigid" and answer.errors[i][0] == 44, (body, answer.errors[i])
            wrong += 1
            continue
        alone = query_of(own, path, body, op)
        size = 4 * FLOATS[LAYOUTS.index(body["layout"])]
        if joints:
            alone = b"".join(alone[j * size:(j + 1) * size] for j in joints)
        assert answer.floats[i] == alone, (i, path, body)
    assert wrong < 100
    assert [model["content_hash"].hex() for model in answer.models] == [models[path]["hash"] for path in PATHS]


def test_handles_name_models_too(own, models):
    crowd, _ = scene(models, 30)
    named = Answer(post(own, crowd.bytes()).body)
    with Link(own.ports["tcp"]) as link:
        handles = {path: link.open(path) for path in PATHS}
        crowd, _ = scene(models, 30, handles=handles)
        answer = link.ask("crowd", crowd.bytes())
        assert answer.kind == "entities" and answer.model == 0
        assert Answer(answer.payload).floats == named.floats
        assert [model["handle"] for model in Answer(answer.payload).models] == list(handles.values())
        assert post(own, crowd.bytes()).status == 200  # each is an error: a handle belongs to a connection
        link.ask("close", model=handles["dragon.glb"])
        again = Answer(link.ask("crowd", crowd.bytes()).payload)
        assert {code for code, _ in again.errors.values()} - {44} == {20} and again.models[1]["code"] == 20
        assert any("the handle 2 is not open" in message for _, message in again.errors.values())


def floats_of(answer, i):
    return struct.unpack(f"<{len(answer.floats[i]) // 4}f", answer.floats[i])


def test_a_place_in_the_world(own):
    """A rotated, unevenly scaled place off the origin, compared with the product."""
    rows = [0.0, -2.0, 0.0, 10.0, 3.0, 0.0, 0.0, -5.0, 0.0, 0.0, 0.5, 2.0]
    crowd = Crowd()
    crowd.model("robot.glb")
    crowd.wanted()
    crowd.wanted(what=1)
    layers = [{"clip": 0, "time_s": 0.3}, {"clip": 1, "time_s": 0.7, "weight": 0.5}]
    for wanted in 0, 1:
        crowd.entity(layers, wanted=wanted, layout=1)
        crowd.entity(layers, wanted=wanted, layout=1, world=crowd.world(rows))
    answer = Answer(post(own, crowd.bytes()).body)
    assert not answer.errors and answer.entities[2]["count"] == own.json("/v1/model", model="robot.glb")["counts"]["nodes"]
    for plain, placed in (0, 1), (2, 3):
        here, there = floats_of(answer, plain), floats_of(answer, placed)
        for m in range(0, len(here), 12):
            matrix = [here[m + 4 * r:m + 4 * r + 4] for r in range(3)] + [(0, 0, 0, 1)]
            product = [sum(rows[4 * r + k] * matrix[k][c] for k in range(4)) for r in range(3) for c in range(4)]
            assert there[m:m + 12] == pytest.approx(product, abs=2e-5)


def test_what_is_wrong_with_an_entity_is_its_own(own, models):
    crowd = Crowd()
    robot, missing, broken, up = (crowd.model(path) for path in ("robot.glb", "nobody.glb", "broken.glb", "../up.glb"))
    other = crowd.model("dragon.glb", content_hash=b"\x01" * 32)
    skin, no_skin, no_joint = crowd.wanted(), crowd.wanted(skin=99), crowd.wanted(what=1, items=[1, 100000])
    good = [{"clip": 0, "time_s": 0.5}]
    mask = crowd.mask((100000, 0))
    nan, far = crowd.world([float("nan")] * 12), crowd.world([1e300] * 12)
    cases = [
        ({"layers": good}, None),
        ({"layers": good, "model": missing}, (20, "nobody.glb")),
        ({"layers": good, "model": broken}, (33, "broken.glb")),
        ({"layers": good, "model": up}, (6, "../up.glb")),
        ({"layers": good, "model": other}, (26, "content hash")),
        ({"layers": good, "wanted": no_skin}, (22, "no skin 99")),
        ({"layers": good, "wanted": no_joint}, (23, "no node 100000")),
        ({"layers": [{"clip": 99}]}, (21, "layer 0: there is no clip 99")),
        ({"layers": [{"clip": -2}]}, (21, "no clip -2")),
        ({"layers": good + [{"time_s": float("inf")}]}, (3, "layer 1: its time is not finite")),
        ({"layers": [{"weight": -1}]}, (3, "weight")),
        ({"layers": [{"weight": float("nan")}]}, (3, "weight")),
        ({"layers": [{"mode": 1, "weight": 1.5}]}, (3, "from 0 to 1")),
        ({"layers": [{"mode": 1, "reference_clip": 99}]}, (21, "layer 0: its reference")),
        ({"layers": [{"mask": mask}]}, (23, "mask 0: there is no node 100000")),
        ({"layers": good, "world": nan}, (3, "place 0")),
        ({"layers": good, "world": far}, (3, "place 1")),
        ({"layers": good, "model": robot, "wanted": skin}, None),
    ]
    for values, _ in cases:
        crowd.entity(**values)
    found = answers_of(own, crowd)
    assert len(set(found.values())) == 1
    answer = Answer(found["http"])
    for i, (values, expected) in enumerate(cases):
        assert (i in answer.errors) == (expected is not None), (values, answer.errors.get(i))
        if expected:
            code, message = answer.errors[i]
            assert code == expected[0] and expected[1] in message and message.startswith(f"entity {i} of '"), (values, message)
    assert answer.floats[0] == answer.floats[-1] == query_of(own, "robot.glb", {"clip": 0, "t": 0.5, "skin": 0})
    assert [model["code"] for model in answer.models] == [0, 20, 33, 6, 26]
    assert answer.entities[7]["count"] == answer.entities[0]["count"] and answer.entities[1]["count"] == 0


def test_json_has_the_same_numbers(own, models):
    crowd, _ = scene(models, 20)
    crowd.entity([{"clip": 99}])
    answer = Answer(post(own, crowd.bytes()).body)
    text = post(own, crowd.bytes(), "?format=json")
    assert text.status == 200 and text.headers["content-type"] == "application/json"
    found = text.json()
    assert [model["hash"] for model in found["models"]] == [model["content_hash"].hex() for model in answer.models]
    for i, entity in enumerate(found["entities"]):
        if i in answer.errors:
            assert entity["error"]["message"] == answer.errors[i][1]
        else:
            flat = [x for matrix in entity["matrices"] for x in matrix]
            assert struct.pack(f"<{len(flat)}f", *flat) == answer.floats[i] and FLOATS[LAYOUTS.index(entity["layout"])] == len(entity["matrices"][0])
    assert found["entities"][-1]["error"]["code"] == "clip_not_found"


def one():
    crowd = Crowd()
    crowd.model("robot.glb")
    crowd.wanted()
    crowd.mask((4, 1))
    crowd.wanted(items=[1])
    crowd.world([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0])
    crowd.entity([{"clip": 0, "time_s": 0.5}, {"clip": 1, "mask": 0}], wanted=1, world=0)
    return crowd


def test_a_form_that_is_broken_is_an_error_of_all(own):
    body = one().bytes()
    assert post(own, body).status == 200
    for size in list(range(0, len(body), 7)) + [len(body) - 1]:
        answer = post(own, body[:size] if size else b"PSD")
        assert answer.status == 400 and answer.error() == "bad_request", size
    answer = post(own, body + b"\0")
    assert answer.status == 400
    with Link(own.ports["tcp"]) as link:  # over packets, nothing can follow it
        answer = link.ask("crowd", body[:-1])
        code, offset, message, _ = answer.error()
        assert code == 1 and offset == 16 + 32 + 8 and "size" in message, (offset, message)  # hello, header, size_bytes
        assert answer.has("closing") and link.is_closed_by_server()


def test_limits(own):
    crowd = Crowd()
    crowd.model("robot.glb")
    crowd.wanted()
    for _ in range(401):
        crowd.entity([{"clip": 0}])
    answer = post(own, crowd.bytes())
    assert answer.status == 400 and answer.error() == "bad_parameter" and "--max-entities 400" in answer.json()["error"]["message"]
    with Link(own.ports["tcp"]) as link:  # an invalid value: the connection goes on
        assert link.ask("crowd", crowd.bytes()).code == 3
        assert link.ask("ping").kind == "done"
        assert link.ask("crowd", one().bytes(), model=1).code == 3


def test_a_large_crowd_is_made_beside_the_loop(own, models):
    """More than a loop evaluates itself: the same answer."""
    crowd, _ = scene(models, 400, seed=3)
    found = answers_of(own, crowd)
    assert len(set(found.values())) == 1
    small, _ = scene(models, 20, seed=3)
    assert Answer(found["http"]).floats[:20] == Answer(post(own, small.bytes()).body).floats


def test_models_are_imported_first(own, tmp_path):
    root = tmp_path
    for name in PATHS:
        shutil.copy(SAMPLES / name, root / name)
    fresh = Server(root, draws=False)
    try:
        crowd = Crowd()
        for path in PATHS:
            crowd.model(path)
        crowd.wanted()
        for i in range(3):
            crowd.entity([{"clip": 0, "time_s": 0.5}], model=i)
        answer = Answer(post(fresh, crowd.bytes()).body)
        assert not answer.errors
        for i, path in enumerate(PATHS):
            assert answer.floats[i] == query_of(fresh, path, {"clip": 0, "t": 0.5, "skin": 0})
    finally:
        fresh.end()


def test_the_log_names_it(own):
    """Its operation, and the first of its models with a valid path; the error of an invalid crowd."""
    told = lambda line: re.search(r"method=(\S+) path=(.+) status=(\d+) .* code=(\S+) operation=(\S+) model=(\S+) from=(\S+) ", line).groups()
    cases = [
        ("several", of_models("dragon.glb", "robot.glb"), "", ("/v1/crowd", "200", "-", "crowd", "dragon.glb", "memory")),
        ("up", of_models("../up.glb", "robot.glb"), "", ("/v1/crowd", "200", "-", "crowd", "robot.glb", "memory")),
        ("json", of_models("robot.glb"), "?format=json", ("/v1/crowd?format=json", "200", "-", "crowd", "robot.glb", "memory")),
        ("handle", of_models(handle=1), "", ("/v1/crowd", "200", "-", "crowd", "-", "-")),
        ("cut", of_models("robot.glb")[:-1], "", ("/v1/crowd", "400", "bad_request", "crowd", "-", "-")),
    ]
    post(own, of_models("dragon.glb", "robot.glb"))  # imports the missing models
    for name, body, query, expected in cases:
        answer = post(own, body, query, headers=[f"X-Request-Id: log-{name}"])
        line = own.wait_for_line(f"id=log-{name} ")
        assert told(line) == ("POST", *expected) and answer.status == int(expected[1]), line
        assert expected[2] == "-" or answer.json()["error"]["message"] in line
    with Link(own.ports["tcp"]) as link:
        link.next_id = 770_000  # a number that no other test of this server uses
        handle = link.open("octopus.glb")
        for body, expected in ((of_models(handle=handle), ("200", "-", "crowd", "octopus.glb", "memory")),
                               (of_models(handle=handle + 1), ("200", "-", "crowd", "-", "-")),
                               (of_models("robot.glb")[:-1], ("400", "bad_request", "crowd", "-", "-"))):
            link.ask("crowd", body)
            assert told(own.wait_for_line(f"id={link.next_id} ")) == ("PACKET", "crowd", *expected)


def test_metrics_count_it(own):
    count = lambda status: exposition.read(own).get("posed_requests_total", operation="crowd", status=status)
    good, bad = count("200"), count("400")
    post(own, of_models("robot.glb"))
    post(own, of_models("robot.glb")[:-1])
    with Link(own.ports["tcp"]) as link:
        link.ask("crowd", of_models("robot.glb"))
    wait_until(lambda: (count("200") - good, count("400") - bad) == (2, 1))


@pytest.mark.parametrize("body", [b"", b"{}", b"[]", b'{"entities":[]}', b"PSDC", b"PSDE" + bytes(60)])
def test_bodies_that_are_no_crowd_are_refused(own, body):
    for target in "", "?format=json", "?route=x":
        answer = post(own, body, target)
        assert answer.status == 400 and answer.json()["error"]["code"] == "bad_request", answer.body
    with packets.connect(own.ports, "tcp") as link:
        assert link.ask("crowd", body).error()[0] == 1  # a malformed packet: the connection ends
