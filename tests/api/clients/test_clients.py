"""Every client over every transport gives the same answers, bit for bit; tests/clients/README.md describes the comparison. The
reference is the server's answer to plain HTTP in JSON, without any client."""
import json
import os
import shutil
import subprocess
import sys

import pytest

from conftest import BUILD, REPOSITORY, SAMPLES, Server
from packets import DOCUMENTS

FOLDER = REPOSITORY / "tests" / "clients"
sys.path.insert(0, str(FOLDER))
import canonical  # noqa: E402

QUERIES = canonical.queries((FOLDER / "queries.txt").read_text().splitlines())
#: (name, command, its address and further arguments)
RUNNERS = [
    ("python-http-json", "run_python.py", lambda s: [s.url, "json"]),
    ("python-http-binary", "run_python.py", lambda s: [s.url]),
    ("python-tcp", "run_python.py", lambda s: [s.ports["tcp"]]),
    ("python-unix", "run_python.py", lambda s: ["unix:" + s.ports["unix"]]),
    ("python-websocket", "run_python.py", lambda s: ["ws://" + s.address]),
    ("c-tcp", "run_c.py", lambda s: [s.ports["tcp"]]),
    ("c-unix", "run_c.py", lambda s: [s.ports["unix"]]),
    ("posectl-tcp", "run_posectl.py", lambda s: [s.ports["tcp"]]),
    ("posectl-unix", "run_posectl.py", lambda s: [s.ports["unix"]]),
    ("javascript-http-json", "run_js.mjs", lambda s: [s.url, "json"]),
    ("javascript-http-binary", "run_js.mjs", lambda s: [s.url]),
    ("javascript-websocket", "run_js.mjs", lambda s: [s.url, "socket"]),
]


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    if os.environ.get("POSED_SERVER"):
        pytest.skip("needs a server of its own")
    root = tmp_path_factory.mktemp("clients")
    shutil.copy(SAMPLES / "robot.glb", root)
    shutil.copy(DOCUMENTS / "examples" / "awkward.gltf", root)
    running = Server(root, "--tcp", "127.0.0.1:0", "--unix", str(root / "socket"))
    for path in "robot.glb", "awkward.gltf":  # /v1/models says which models are in memory
        running.json("/v1/model", model=path)
    yield running
    running.end()


def ask(server, query):
    """The answer to plain HTTP."""
    if query.body is None:
        return server.get(query.target())
    with server.connect() as connection:
        body = query.text.encode()
        connection.send(f"POST {query.target()} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                        f"Content-Length: {len(body)}\r\n\r\n".encode() + body)
        return connection.answer()


@pytest.fixture(scope="module")
def expected(own):
    """Return {id: lines} and {id: the error's message}."""
    lines, messages = {}, {}
    for query in QUERIES:
        answer = ask(own, query)
        if answer.status != 200:
            lines[query.id] = canonical.of_error(answer.error())
            messages[query.id] = answer.json()["error"]["message"]
        elif query.is_frames:
            found = answer.json()
            found["node_count"] = own.json("/v1/model", model=found["model"])["counts"]["nodes"]
            lines[query.id] = canonical.of_json(query.op, found)
        else:
            lines[query.id] = canonical.of_bytes(answer.body)
    return lines, messages


def test_the_queries_ask_for_everything(expected):
    lines, messages = expected
    assert len(lines) == len(QUERIES) >= 60
    assert {query.op for query in QUERIES} == {"palette", "pose", "mesh", "render", "keypoints", "sheet", "turntable", "bounds", "keys", "model", "models",
                                                "formats", "version", "query"}
    assert sorted(messages) == sorted(query.id for query in QUERIES if query.id.startswith("e"))
    assert len({found[0] for query, found in lines.items() if query in messages}) >= 12
    kinds = {line.split()[0] for found in lines.values() for line in found}
    assert kinds == {"error", "bytes", "times", *canonical.BLOCKS.values()}


def run(program, words, queries=(FOLDER / "queries.txt").read_text()):
    is_js = program.endswith(".mjs")
    if is_js:  # Node before version 22 takes its WebSocket from there
        subprocess.run([REPOSITORY / "tests" / "web" / "run.sh", "--install"], check=True, timeout=300)
    result = subprocess.run(["node" if is_js else sys.executable, FOLDER / program, *words], input=queries, capture_output=True, text=True,
                            timeout=300, env={**os.environ, "POSED_BUILD": str(BUILD)})
    assert result.returncode == 0, result.stderr[-4000:]
    found = {}
    for line in result.stdout.splitlines():
        id, text = line.split(" ", 1)
        found.setdefault(id, []).append(text)
    return found


@pytest.mark.parametrize("program, words", [pytest.param(program, words, id=name) for name, program, words in RUNNERS])
def test_numbers_are_the_same(own, expected, program, words):
    lines, messages = expected
    found = run(program, words(own))
    assert found.keys() == lines.keys()
    for id, got in found.items():
        says = ["message " + messages[id]] if id in messages and program == "run_posectl.py" else []
        assert sorted(got) == sorted(lines[id] + says), id


@pytest.mark.parametrize("program, words", [pytest.param(program, words, id=name) for name, program, words in RUNNERS])
def test_a_frame_sent_back_is_that_frame(own, program, words):
    """All local transforms of a clip's frame are a layer as they came, and the answer to it has the same bits."""
    frames = {f"{model} {clip} {t}": own.json("/v1/pose", model=model, clip=clip, t=t, what="local")
              for model, clip, times in (("robot.glb", "walk", [0.3, 1.1]), ("robot.glb", "wave", [0.77]), ("awkward.gltf", "bend", [0.7]))
              for t in times}
    asked = {f"x{i}": {"model": name.split()[0], "what": "local", "layers": [{"pose": answer}]} for i, (name, answer) in enumerate(frames.items())}
    found = run(program, words(own), "".join(f"{id} pose {json.dumps(body)}\n" for id, body in asked.items()))
    for id, answer in zip(asked, frames.values()):
        wanted = [line for line in canonical.of_json("pose", {**answer, "node_count": len(answer["nodes"])}) if line.startswith("local 0 ")]
        assert len(wanted) == 1 and [line for line in found[id] if line.startswith("local 0 ")] == wanted, id
    assert len(set(map(tuple, found.values()))) == 4


def test_another_bit_is_noticed(own, expected):
    """The canonical form keeps every bit: it distinguishes -0 from 0, and neighbouring float32 numbers."""
    assert len({canonical.bits("f", [x]) for x in (0.0, -0.0, 1.0, 1.0000001)}) == 4
    answer = own.get("/v1/palette?model=robot.glb&format=bin")
    data = bytearray(answer.body)
    before = canonical.of_frames(data)
    data[-64] ^= 1
    assert sum(a != b for a, b in zip(before, canonical.of_frames(data))) == 1
    found = own.json("/v1/palette", model="robot.glb")
    assert sorted(canonical.of_json("palette", json.loads(json.dumps(found)))) == sorted(before)


def option_types(*options, top=REPOSITORY):
    return subprocess.run([sys.executable, top / "clients/js/option_types.py", *options], capture_output=True, text=True)


def test_the_option_types_of_javascript_are_those_of_the_table(tmp_path):
    made = option_types("--check")
    assert made.returncode == 0, made.stderr
    table, types = "server/wire/request/request_params.def", "clients/js/posed.d.ts"
    for name in [table, types, "protocol/pictures/views.def", "protocol/pictures/passes.def", "clients/js/option_types.py"]:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes((REPOSITORY / name).read_bytes())
    with open(tmp_path / table, "a") as file:
        file.write('X(DANCE, "dance", FOR_MESH, MANY, value_dance, "waltz|tango", "what it dances")\n')
    assert option_types("--check", top=tmp_path).returncode == 1
    assert option_types("--write", top=tmp_path).returncode == 0
    assert "  dance?: 'waltz' | 'tango' | ReadonlyArray<'waltz' | 'tango'>;" in (tmp_path / types).read_text()
    assert option_types("--check", top=tmp_path).returncode == 0
