"""retarget=rest: the walk of one human on another with other bones, another rest pose, other axes and units."""
import json

import numpy as np
import pytest

from humans import A, KEYS, LIMBS, RATE, SHAPES, STEP, T, UNREAL, Human, apart, places, pointing
from importers import NO_RENDERING

pytestmark = pytest.mark.short


@pytest.fixture
def root(tmp_path):
    folder = tmp_path / "root"
    folder.mkdir()
    (folder / "walk.gltf").write_text(Human(T).write(has_walk=True))
    (folder / "hero.gltf").write_text(Human(A).write())
    return folder


def slide(human, at):
    """How far ankles move while the walk has them planted, in leg lengths: at keys 0 to 15 the left one, then the right one."""
    worst = 0
    for step in range(4):
        foot = at[("left" if step % 2 == 0 else "right") + "Foot"][2 * step * STEP:2 * (step + 1) * STEP + 1]
        worst = max(worst, np.linalg.norm(foot - foot[0], axis=1).max() / human.leg())
    return worst


TIMES = [i / (2 * RATE) for i in range(2 * KEYS - 1)]


@pytest.mark.parametrize("shape", SHAPES)
def test_limbs_point_where_the_sources_do(start, root, shape):
    hero, walker = Human(SHAPES[shape]), Human(T)
    (root / "hero.gltf").write_text(hero.write())
    server = start(*NO_RENDERING, root=root)
    source, _ = places(server, walker, TIMES, model="walk.gltf", clip="walk")
    moved, answer = places(server, hero, TIMES, model="hero.gltf", clip_file="walk.gltf", clip="walk", retarget="rest")
    for limb in LIMBS:
        assert apart(hero, moved, walker, source, limb) < 0.5, limb
    down = pointing(hero, moved, "leftUpperArm")[15]
    assert down[1] < -0.99 # at key 7.5 the arm hangs down, although the rest pose has it half down
    way = hero.canonical(moved["hips"][-1] - moved["hips"][0])
    legs = hero.leg() / hero.shape["scale"] / walker.leg()
    np.testing.assert_allclose(way, [0, 0, 1.8 * legs], atol=0.01)
    told = answer["clip_file"]["retarget"]
    assert told["feet"] == "free" and told["scale"] == pytest.approx(hero.leg() / walker.leg(), rel=1e-5)
    assert answer["clip_file"]["unmatched"]["nodes"] == []


def test_planted_feet(start, root):
    server = start(*NO_RENDERING, root=root)
    hero = Human(A)
    query = {"model": "hero.gltf", "clip_file": "walk.gltf", "retarget": "rest"}
    free, answer = places(server, hero, TIMES, **query)
    assert slide(hero, free) > 0.03
    assert answer["clip_file"]["retarget"]["slide"] == pytest.approx(slide(hero, free), abs=0.01)
    assert [warning["code"] for warning in answer["clip_file"]["warnings"]] == ["feet_slide"]
    locked, answer = places(server, hero, TIMES, **query, feet="lock")
    assert slide(hero, locked) < 0.02
    assert answer["clip_file"]["retarget"]["slide"] < 0.01 and answer["clip_file"]["warnings"] == []
    assert answer["clip_file"]["retarget"]["feet"] == "lock"
    header = server.get("/v1/palette?model=hero.gltf&clip_file=walk.gltf&retarget=rest&format=bin").headers
    assert header["x-posed-unmatched"].endswith(";slide=0.054") and header["x-posed-warnings"] == "1"


def test_the_warning_about_feet_that_no_lock_can_hold_does_not_recommend_it(start, root):
    (root / "hero.gltf").write_text(Human({**A, "thigh": 0.02, "shin": 0.9}).write()) # the knee cannot shorten this leg
    server = start(*NO_RENDERING, root=root)
    for feet, slide_least, says in ("free", 0.1, "; feet=lock keeps them"), ("lock", 0.05, "; with these legs, feet=lock cannot hold them"):
        told = server.json("/v1/pose", model="hero.gltf", clip_file="walk.gltf", clip="walk", retarget="rest", feet=feet)["clip_file"]
        assert told["retarget"]["slide"] > slide_least
        assert [(warning["code"], says in warning["message"]) for warning in told["warnings"]] == [("feet_slide", True)], told["warnings"]


def test_the_warning_about_feet_is_whole_however_far_they_slide(start, root):
    hero = json.loads(Human({**A, "scale": 1, "thigh": 0.02, "shin": 0.9}).write())
    for node in hero["nodes"]:
        if node["name"].startswith("ball"):
            node["translation"] = [1e37 * x for x in node["translation"]]
    (root / "hero.gltf").write_text(json.dumps(hero))
    server = start(*NO_RENDERING, root=root)
    told = server.json("/v1/pose", model="hero.gltf", clip_file="walk.gltf", clip="walk", retarget="rest", feet="lock")["clip_file"]
    assert told["warnings"][0]["message"].endswith("feet=lock cannot hold them in every pose"), told["warnings"]


def test_a_rig_on_itself_is_the_clip(start, root):
    twin = Human({**T, "odd": 0.7})
    (root / "hero.gltf").write_text(twin.write())
    (root / "walk.gltf").write_text(twin.write(has_walk=True))
    server = start(*NO_RENDERING, root=root)
    for query in ("pose?what=local,scene", "mesh?normals=1"):
        own = server.get(f"/v1/{query}&model=walk.gltf&t=0.1,0.47,1.9").json()
        other = server.get(f"/v1/{query}&model=hero.gltf&clip_file=walk.gltf&retarget=rest&t=0.1,0.47,1.9").json()
        for one, two in zip(own["frames"], other["frames"]):
            for key in ("scene", "meshes"):
                if key in one:
                    flat = [np.array([part if key == "scene" else part["positions"] for part in frame[key]], float) for frame in (one, two)]
                    np.testing.assert_allclose(*flat, rtol=0, atol=4e-6)
    assert other["clip_file"]["retarget"] == {"feet": "free", "scale": 1, "slide": pytest.approx(0, abs=1e-6)}


def test_missing_roles_are_named(start, root):
    names = {**UNREAL, "leftFoot": "stump", "rightLowerLeg": "peg"}
    (root / "hero.gltf").write_text(Human({**A, "names": names}).write())
    (root / "box.gltf").write_text(json.dumps({"asset": {"version": "2.0"}, "nodes": [{"name": "box"}], "scenes": [{"nodes": [0]}]}))
    server = start(*NO_RENDERING, root=root)
    query = "/v1/palette?model=hero.gltf&clip_file=walk.gltf&retarget=rest"

    def refused(extra, code, *words):
        answer = server.get(query + extra)
        assert (answer.status, answer.error()) == (404 if code == "joint_not_found" else 422, code), answer.body
        assert all(word in answer.json()["error"]["message"] for word in words), answer.body

    refused("", "humanoid_incomplete", "hero.gltf", "leftFoot, rightLowerLeg", "bones")
    refused("&bones=leftFoot=stump", "humanoid_incomplete", "rightLowerLeg")
    refused("&bones=leftFoot=hoof", "joint_not_found", "'hoof'", "leftFoot")
    refused("&bones=leftFoot=stump&bones=rightLowerLeg=peg&bones=leftLowerLeg=peg", "humanoid_incomplete", "rightLowerLeg")
    refused("&bones=leftFoot=ball_r&bones=rightLowerLeg=peg", "humanoid_incomplete", "'ball_r' (leftFoot)", "'calf_l'")
    refused("&bones=leftFoot=stump&bones=rightLowerLeg=peg&clip_map=rigify", "humanoid_incomplete", "walk.gltf", "clip_bones")
    assert server.get(query + "&bones=leftFoot=stump&bones=rightLowerLeg=Peg").status == 200
    with server.connect() as connection:
        body = json.dumps({"model": "hero.gltf", "clip_file": "walk.gltf", "retarget": "rest",
                           "bones": {"leftFoot": "stump", "rightLowerLeg": "peg"}, "clip_bones": ["head=-"]})
        connection.send(f"POST /v1/palette HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n\r\n{body}")
        answer = connection.answer()
    assert answer.status == 200, answer.body


def test_pictures_and_layers(start, root):
    server = start(root=root)
    query = "model=hero.gltf&clip_file=walk.gltf&retarget=rest&width=64&height=64"
    free, locked = (server.get(f"/v1/render?{query}&t=0.4&feet={feet}") for feet in ("free", "lock"))
    by_name = server.get("/v1/render?model=hero.gltf&clip=-&width=64&height=64")
    assert free.status == locked.status == 200, free.body
    assert len({free.body, locked.body, by_name.body}) == 3
    assert free.headers["x-posed-unmatched"].endswith(";slide=0.054") and free.headers["x-posed-warnings"] == "1"
    assert server.get(f"/v1/render?{query}&t=0.4&feet=free").body == free.body
    assert server.get(f"/v1/sheet?{query}&clips=all&frames=3").status == 200
    layers = {"model": "hero.gltf", "clip_file": "walk.gltf", "retarget": "rest", "layers": [{"clip": "walk", "t": 0.4}]}
    with server.connect() as connection:
        for path in ("/v1/pose", "/v1/render"):
            body = json.dumps({**layers, **({"width": 64, "height": 64, "frame": "pose"} if path == "/v1/render" else {})})
            connection.send(f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n\r\n{body}")
            answer = connection.answer()
            assert answer.status == 200, answer.body
            if path == "/v1/pose":
                own = server.get("/v1/pose?model=hero.gltf&clip_file=walk.gltf&retarget=rest&t=0.4").json()
                np.testing.assert_allclose(answer.json()["frames"][0]["scene"], own["frames"][0]["scene"], atol=1e-4)
    refused = server.get(f"/v1/render?{query}&bones=hips=-")
    assert (refused.status, refused.error()) == (422, "humanoid_incomplete")


def test_the_model_itself_as_clip_file(start, root):
    server = start(*NO_RENDERING, root=root)
    own = server.json("/v1/pose", model="walk.gltf", t=0.3)["frames"]
    assert server.json("/v1/pose", model="walk.gltf", clip_file="walk.gltf", retarget="rest", t=0.3)["frames"] == own


def test_too_long_a_clip(start, root):
    server = start("--max-evaluations", "10000", *NO_RENDERING, root=root)
    answer = server.get("/v1/palette?model=hero.gltf&clip_file=walk.gltf&retarget=rest")
    assert (answer.status, answer.error()) == (400, "too_many_frames")
    assert "'walk'" in answer.json()["error"]["message"]


def test_hips_far_below(start, root):
    """Each joint above the hips is placed by its parent: the cost of a pose is linear in their number, not quadratic."""
    count = 12000
    for name in ("walk", "hero"):
        document = json.loads((root / f"{name}.gltf").read_text())
        top = next(i for i, node in enumerate(document["nodes"]) if node["name"] == "root")
        first = len(document["nodes"])
        document["nodes"] += [{"name": f"above {i}", "children": [first + i + 1 if i + 1 < count else top]} for i in range(count)]
        roots = document["scenes"][0]["nodes"]
        roots[roots.index(top)] = first
        (root / f"far_{name}.gltf").write_text(json.dumps(document))
    server = start(*NO_RENDERING, root=root)
    near, far = (server.json("/v1/pose", model=f"{far}hero.gltf", clip_file=f"{far}walk.gltf", clip="walk", retarget="rest", t=0.5,
                             joints=Human(A).names["hips"])["frames"][0]["scene"][0] for far in ("", "far_"))
    assert far == pytest.approx(near, rel=1e-6, abs=1e-6)
