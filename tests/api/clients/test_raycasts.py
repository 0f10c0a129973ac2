"""200 rays and balls at 40 random entities have the same bits through every client over every transport, in process, and as JSON.
tests/clients/raycast_scene.py has the scene and the canonical form of its hits."""
import json
import os
import re
import shutil
import subprocess
import sys

import numpy
import pytest

import packet_examples
from conftest import BUILD, REPOSITORY, SAMPLES, Server
from cutting_relay import CuttingRelay
from packets import DOCUMENTS
from raycasts import read_hits

FOLDER = REPOSITORY / "tests" / "clients"
sys.path.insert(0, str(FOLDER))
import raycast_scene  # noqa: E402

MODELS = ["robot.glb", "dragon.glb", "octopus.glb"]
CODES = {number: name for number, name in re.findall(r'^X\(ERR_\w+, (\d+), \d+, "(\w+)"', (DOCUMENTS / "errors.def").read_text(), re.M)}
PYTHON, NODE, C = [sys.executable, FOLDER / "raycast_python.py"], ["node", FOLDER / "raycast_js.mjs"], [BUILD / "test/client_raycast"]
CLIENTS = {
    "python-http": (PYTHON, lambda s: s.url, []),
    "python-tcp": (PYTHON, lambda s: s.ports["tcp"], []),
    "python-unix": (PYTHON, lambda s: "unix:" + s.ports["unix"], []),
    "python-websocket": (PYTHON, lambda s: "ws://" + s.address, []),
    "python-objects": (PYTHON, lambda s: s.ports["tcp"], ["objects"]),
    "c-tcp": (C, lambda s: s.ports["tcp"], []),
    "c-unix": (C, lambda s: s.ports["unix"], []),
    "javascript-http": (NODE, lambda s: s.url, []),
    "javascript-websocket": (NODE, lambda s: s.url, ["socket"]),
    "javascript-objects": (NODE, lambda s: s.url, ["http", "objects"]),
}


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    if os.environ.get("POSED_SERVER"):
        pytest.skip("needs a server of its own")
    root = tmp_path_factory.mktemp("raycasts")
    for name in MODELS:
        shutil.copy(SAMPLES / name, root)
    running = Server(root, "--tcp", "127.0.0.1:0", "--unix", str(root / "socket"))
    yield running
    running.end()


@pytest.fixture(scope="module")
def scene(own, tmp_path_factory):
    """The file of the scene."""
    models = {}
    for name in MODELS:
        info = own.json("/v1/model", model=name)
        low, high = info["bounds"]["min"], info["bounds"]["max"]
        models[name] = len(info["clips"]), [(a + b) / 2 for a, b in zip(low, high)], max(b - a for a, b in zip(low, high))
    path = tmp_path_factory.mktemp("scene") / "scene.txt"
    path.write_text(raycast_scene.make(models))
    return path


def run(own, name, path, to=None):
    """to: an address that replaces the client's."""
    command, address, more = CLIENTS[name]
    if command is NODE:
        subprocess.run([REPOSITORY / "tests" / "web" / "run.sh", "--install"], check=True, timeout=300)
    return subprocess.run([*command, to or address(own), path, *more], capture_output=True, text=True, timeout=300,
                          env={**os.environ, "POSED_BUILD": str(BUILD)})


@pytest.fixture(scope="module")
def expected(own, scene):
    """{cast: its lines}, from the bytes that format=bin gives for JSON."""
    read = raycast_scene.Scene(scene.read_text())
    return {cast: [line_of(hit) for hit in read_hits(post(own, body_of(read, cast, format="bin")).body)["hits"]] for cast in read.casts}


def post(server, body):
    text = json.dumps(body).encode()
    with server.connect() as connection:
        connection.send(f"POST /v1/raycast HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(text)}\r\n\r\n".encode() + text)
        answer = connection.answer()
    assert answer.status == 200, answer.body[:500]
    return answer


def line_of(hit):
    return raycast_scene.line_of([hit[name] for name in ("ray", "entity", "node", "part", "triangle", "inside")],
                                 [hit["distance"], *hit["point"], *hit["normal"], *hit["barycentric"]])


def pose_of(scene, entity):
    """A pose in the form of JSON."""
    layers = []
    for one in entity["layers"]:
        layer = {"clip": one["clip"], "t": one["time_s"], "weight": one["weight"], "wrap": one["wrap"]}
        if one["mask"] >= 0:
            for scope, node in scene.masks[one["mask"]]:
                layer.setdefault({"node": "joints"}.get(scope, scope), []).append(node)
        if one["additive"]:
            layer.update(mode="additive", reference={"clip": one["reference_clip"], "t": one["reference_time_s"]})
        layers.append(layer)
    rows = entity["world"]
    world = [rows[4 * row + column] if row < 3 else float(column == 3) for column in range(4) for row in range(4)]
    if not layers:
        return {"clip": "-", "t": 0, "world": world}
    if len(layers) == 1:
        del layers[0]["weight"]
        return {**layers[0], "world": world}
    return {"layers": layers, "world": world}


def body_of(scene, cast, **more):
    entities = []
    for begin, end, mask in scene.targets:
        entity = scene.entities[begin]
        entities.append({"model": scene.models[entity["model"]], "mask": mask, **pose_of(scene, entity)})
        if end >= 0:
            entities[-1]["end"] = {"wrap": "loop", **pose_of(scene, scene.entities[end])}
            if "layers" in entities[-1]["end"]:
                del entities[-1]["end"]["wrap"]
    rays = [{name: value for name, value in ray.items() if value not in (float("inf"), -1)} for ray in scene.rays]
    return {"fit": cast[0], "test": cast[1], "hits": cast[2], "entities": entities, "rays": rays, **more}


def told(done):
    """{cast: its lines}"""
    assert done.returncode == 0, done.stderr[-2000:]
    found = {}
    for line in done.stdout.splitlines():
        if line.startswith("cast "):
            *cast, count = line.split()[1:]
            lines = found[tuple(cast)] = []
            counts = found.setdefault("counts", [])
            counts.append((lines, int(count)))
        else:
            lines.append(line)
    assert all(len(lines) == count for lines, count in found.pop("counts"))
    return found


def test_the_scene_has_hits_of_all_kinds(scene, expected):
    read = raycast_scene.Scene(scene.read_text())
    assert (len(read.targets), len(read.rays), len(expected)) == (40, 200, 8) and any(end >= 0 for _, end, _ in read.targets)
    for cast, lines in expected.items():
        hit = [line.split() for line in lines]
        assert len(hit) > 100 and len({words[1] for words in hit}) > 25, cast  # most of the entities are hit
        assert any(words[5] == "1" for words in hit), cast
        assert any(read.rays[int(words[0])]["radius"] for words in hit) and any(not read.rays[int(words[0])]["radius"] for words in hit)
        if cast[2] == "nearest":
            assert len(hit) == len({words[0] for words in hit})
            assert len(hit) < len(expected[(*cast[:2], "all")])


@pytest.mark.parametrize("client", CLIENTS)
def test_every_client_has_the_bits_of_json(own, scene, expected, client):
    assert told(run(own, client, scene)) == expected


def test_in_process_they_are_the_same(own, scene, expected, tmp_path):
    """libposed-eval on the .posed files of the same models."""
    for name in MODELS:
        (tmp_path / f"{name}.posed").write_bytes(own.get(f"/v1/export?model={name}&format=posed").body)
    done = subprocess.run([BUILD / "test" / "eval_raycast", tmp_path, scene], capture_output=True, text=True, timeout=300)
    assert told(done) == expected


def test_json_tells_the_numbers_of_the_bytes(own, scene, expected):
    read = raycast_scene.Scene(scene.read_text())
    for cast in read.casts:
        hits = json.loads(post(own, body_of(read, cast)).body)["hits"]
        assert len(hits) == len(expected[cast])
        for hit, line in zip(hits, expected[cast]):
            ray, entity, node, _, triangle, inside, *bits = line.split()
            floats = numpy.array([int(word, 16) for word in bits], "<u4").view("<f4")
            assert (hit["ray"], hit["entity"], hit.get("joint", hit.get("node")), hit.get("triangle", 0)) == (int(ray), int(entity), int(node), int(triangle))
            assert hit.get("inside", False) == (inside == "1")
            numbers = [hit["distance"], *hit["point"], *hit["normal"], *hit.get("barycentric", [0, 0, 0])]
            assert numpy.array_equal(numpy.float32(numbers), floats)


# --- what is wrong ---

HEAD = "model robot.glb\nwanted palette 0\nentity 0 0 mat4\nlayer 0 0.3 1.0 -1 loop override 0 0.0\n"
RAY, CAST = "ray 0 1.5 9 0 0 -1 inf 0 0 4294967295 -1\n", "cast capsule volumes nearest\n"
WRONG = {
    "a clip": (HEAD.replace("layer 0", "layer 99") + "target 0 -1 1\n" + RAY, "clip_not_found", r"^entities\[0\]: "),
    "a clip of the second pose": (HEAD + HEAD[HEAD.index("entity"):].replace("layer 0", "layer 99") + "target 0 -1 1\ntarget 0 1 1\n" + RAY,
                                  "clip_not_found", r"^entities\[1\]"),
    "a joint of a mask": ("mask node 999\n" + HEAD.replace("1.0 -1", "1.0 0") + "target 0 -1 1\n" + RAY, "joint_not_found", r"^entities\[0\]: "),
    "a pose": (HEAD + "target 0 -1 1\ntarget 7 -1 1\n" + RAY, "bad_parameter", r"^entities\[1\]: its poses are 7 and -1; the crowd has 1"),
    "no direction": (HEAD + "target 0 -1 1\n" + RAY + RAY.replace("-1 inf", "0 inf"), "bad_parameter", r"^rays\[1\]: .*direction"),
    "a moment": (HEAD + "target 0 -1 1\n" + RAY.replace("inf 0 0", "inf 0 2"), "bad_parameter", r"^rays\[0\]: 'at'"),
    "a radius": (HEAD + "target 0 -1 1\n" + RAY.replace("inf 0 0", "inf -1 0"), "bad_parameter", r"^rays\[0\]: 'radius'"),
    "nobody to ignore": (HEAD + "target 0 -1 1\n" + RAY.replace(" -1\n", " 5\n"), "bad_parameter", r"^rays\[0\]: 'ignore' is 5; there are 1 entities"),
    "a place": (HEAD.replace("mat4", "mat4 nan 0 0 0 0 1 0 0 0 0 1 0") + "target 0 -1 1\n" + RAY, None, r"^entities\[0\]: "),
    "no rays": (HEAD + "target 0 -1 1\n", "bad_parameter", r"^raycast: 1 entities and 0 rays; it takes 1 to "),
}


@pytest.mark.parametrize("client", ["python-http", "python-tcp", "c-tcp", "javascript-http", "javascript-websocket"])
@pytest.mark.parametrize("what", WRONG)
def test_what_is_wrong_is_named(own, tmp_path, client, what):
    text, code, message = WRONG[what]
    (tmp_path / "wrong.txt").write_text(text + CAST)
    done = run(own, client, tmp_path / "wrong.txt")
    word, number, said = done.stdout.split(" ", 2)
    assert done.returncode == 1 and word == "error", done.stderr
    assert code in (None, CODES.get(number, number)) and re.search(message, said), (number, said)


# --- the C client without a server ---

def test_the_c_client_writes_the_bytes_of_the_example(tmp_path):
    (tmp_path / "scene.txt").write_text("model awkward.gltf\nwanted nodes 0\nentity 0 0 mat4 1 0 0 0 0 1 0 0 0 0 1 0\n"
                                        "ray 0 0 5000 0 0 -1 inf 1000 0 4294967295 -1\n" + CAST)
    done = subprocess.run([*C, "write", tmp_path / "scene.txt"], capture_output=True, text=True, check=True)
    asked, = [bytes(step.bytes) for step in packet_examples.load("raycast")[1] if step.is_client]
    assert bytes.fromhex(done.stdout) == asked


def test_the_c_client_reads_whole_answers_alone(own, scene, tmp_path):
    read = raycast_scene.Scene(scene.read_text())
    data = post(own, body_of(read, ("capsule", "volumes", "nearest"), format="bin")).body
    path, count = tmp_path / "answer", len(read_hits(data)["hits"])

    def said(answer):
        path.write_bytes(answer)
        return subprocess.run([*C, "read", path], capture_output=True, text=True, check=True).stdout

    assert said(data) == f"{count} hits\n"
    assert said(post(own, {**body_of(read, read.casts[0], format="bin"), "rays": [{"origin": [1e6, 0, 0], "direction": [1, 0, 0]}]}).body) == "0 hits\n"
    for cut in (0, 1, 31, 32, 95, len(data) - 64, len(data) - 1):
        assert said(data[:cut]) == "status -5\n", cut
    assert said(data + bytes(64)) == "status -5\n"
    for at in (0, 4, 16, 20, 24, 35, 39):  # magic, version, counts, test, size; places of the first hit
        assert said(data[:at] + bytes([data[at] ^ 0x82]) + data[at + 1:]) == "status -5\n", at


@pytest.mark.parametrize("client, port", [("c-tcp", "tcp"), ("python-tcp", "tcp"), ("javascript-websocket", "http")])
def test_rays_are_cast_once_more_where_the_connection_ends(own, scene, expected, client, port):
    """On the other connection the models of the C client have other handles, and the crowd of the raycast contains them."""
    def cast(relay):
        return told(run(own, client, scene, f"http://{relay.address}" if port == "http" else relay.address))

    tcp = own.address if port == "http" else own.ports["tcp"]
    with CuttingRelay(tcp) as relay:
        assert cast(relay) == expected
        whole = relay.passed[0]
    for size in (whole // 100, whole // 3, whole * 2 // 3):
        with CuttingRelay(tcp, [size]) as relay:
            assert cast(relay) == expected, size
            assert len(relay.passed) == 2


def test_the_readmes_shot_hits(own, tmp_path):
    """The second program of clients/c/README.md works when it is put before the end of the first one."""
    whole, shot = [block for block in re.findall(r"```c\n(.*?)```", (REPOSITORY / "clients/c/README.md").read_text(), re.S) if "struct posed_" in block]
    end = "    posed_disconnect(&server);"
    assert whole.count(end) == 1
    (tmp_path / "shot.c").write_text(whole.replace("127.0.0.1:7879", own.ports["tcp"]).replace(end, "{\n" + shot + "}\n" + end).replace("<posed.h>", '"posed.h"'))
    subprocess.run(["cc", "-Wall", "-Wextra", "-Werror", tmp_path / "shot.c", f"-I{REPOSITORY}/clients/c", REPOSITORY / "clients/c/posed.c", "-o", tmp_path / "shot"],
                   check=True)
    done = subprocess.run([tmp_path / "shot"], capture_output=True, text=True, timeout=60)
    assert re.search(r"^joint 5 after 8\.7\d+ units$", done.stdout, re.M), done.stdout + done.stderr
