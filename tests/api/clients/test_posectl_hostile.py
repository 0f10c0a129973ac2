"""posectl with hostile servers and models: it ends with a status and a message, and prints nothing that a terminal obeys."""
import json
import os
import signal
import struct
import urllib.parse
import xml.etree.ElementTree

import pytest

from hostile_server import HOSTILE, OBEYED, HostileServer, answers, PLAIN, texts
from posectl import posectl

pytestmark = pytest.mark.skipif("POSED_SERVER" in os.environ, reason="starts servers of its own")

QUERIES = '{"queries":[{"op":"model","model":"a.glb"}]}'
COMMANDS = [
    "info a.glb b.glb", "info a.glb --json", "palette a.glb", "pose a.glb", "mesh a.glb", "bounds a.glb", "keys a.glb", "palette a.glb --json",
    "palette a.glb --estimate", "convert a.glb -o out.glb", "convert a.glb --clips b/c.glb -o out.glb", "bake a.glb -o out.csv",
    "bake a.glb -o out.json --values palette", "bake a.glb -o out.png", "bake a.glb -o out.c", "render a.glb -o out.png",
    "sheet a.glb --clips all -o out.png", "sheet a.glb --estimate", "turntable a.glb -o out.gif", "thumbs x/ -o thumbs --clips all --index",
    "thumbs a.glb -o thumbs --report thumbs.xml", "check a.glb b.glb", "check x/ --format sarif", "check x/ --format junit", "check x/ --json",
    "diff a.glb b.glb", "diff a.glb b.glb --format markdown -o page.md", "diff a.glb b.glb --format junit", "diff a.glb b.glb --format sarif",
    "diff x/ y/ --json", "text a.glb", "bench a.glb --seconds 0.01 -c 1", "query queries.json", "models", "models --json", "formats", "version",
    "version --json"]


def ask(command, answer, folder, **env):
    """Run posectl, which must end by itself and print nothing that a terminal obeys."""
    (folder / "queries.json").write_text(QUERIES)
    with HostileServer(answer) as server:
        done = posectl(*command.split(), "--server", server.address, "--reconnect", "0", cwd=folder, env=env)
    assert 0 <= done.status <= 3, (command, done.status, done.err[-3000:])
    assert not OBEYED.search(done.out) and not OBEYED.search(done.err), (command, done.out[-500:], done.err[-500:])
    assert done.status == 0 or done.err or done.out or (folder / "page.md").exists(), command
    return done


@pytest.mark.parametrize("command", COMMANDS)
def test_any_answer_ends_with_a_status(command, tmp_path):
    for seed in range(4):
        ask(command, answers(seed), tmp_path)


@pytest.mark.parametrize("command", COMMANDS)
def test_json_of_no_use_is_an_error(command, tmp_path):
    for plain in PLAIN[:4]:
        done = ask(command, lambda number: ("json", plain), tmp_path)
        assert done.status != 0 or command.split()[0] in ("render", "sheet", "turntable", "bench") or "--json" in command or "-o" in command, command


@pytest.mark.parametrize("command", COMMANDS)
def test_texts_of_a_server_are_shown_as_escapes(command, tmp_path):
    done = ask(command, lambda number: ("json", json.dumps(texts(), ensure_ascii=False).encode()), tmp_path)
    if command in ("info a.glb b.glb", "models", "version", "diff a.glb b.glb", "text a.glb", "keys a.glb"):
        assert "\\x1b[31m" in done.out and "\\u202e" in done.out and "\\u009b" in done.out, done.out


def test_a_list_that_does_not_end_ends(tmp_path):
    page = b'{"models":[{"model":"a.glb"}],"next":"a.glb"}'
    done = ask("models", lambda number: ("json", page), tmp_path)
    assert done.status == 3 and "does not go on" in done.err


NAME = HOSTILE.replace("/", "").replace("\n", "").replace("\r", "")


def hostile_model():
    """A clip, nodes, a skin, a material, a missing picture, and warnings that quote them; each name is hostile."""
    floats = struct.pack("<9f", 0, 0, 0, 1, 0, 0, 0, 1, 0) + struct.pack("<2f", 0, 1) + struct.pack("<6f", 0, 0, 0, 1, 0, 0)
    views = [(0, 36), (36, 8), (44, 24)]
    import base64
    return json.dumps({
        "asset": {"version": "2.0", "generator": HOSTILE}, "scene": 0, "scenes": [{"nodes": [0], "name": HOSTILE}],
        "nodes": [{"name": HOSTILE, "mesh": 0, "children": [1]}, {"name": HOSTILE + "2"}],
        "skins": [{"name": HOSTILE, "joints": [1]}],
        "meshes": [{"name": HOSTILE, "primitives": [{"attributes": {"POSITION": 0}, "material": 0}]}],
        "materials": [{"name": HOSTILE, "pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}}],
        "textures": [{"source": 0}], "images": [{"uri": "no%1B%5B31m\u202e.png"}], "extensionsUsed": [HOSTILE],
        "animations": [{"name": HOSTILE, "samplers": [{"input": 1, "output": 2}], "channels": [
            {"sampler": 0, "target": {"node": 1, "path": "translation"}}, {"sampler": 0, "target": {"node": 1, "path": "translation"}}]}],
        "accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3", "min": [0, 0, 0], "max": [1, 1, 0]},
                      {"bufferView": 1, "componentType": 5126, "count": 2, "type": "SCALAR", "min": [0], "max": [1]},
                      {"bufferView": 2, "componentType": 5126, "count": 2, "type": "VEC3"}],
        "bufferViews": [{"buffer": 0, "byteOffset": at, "byteLength": size} for at, size in views],
        "buffers": [{"byteLength": len(floats), "uri": "data:application/octet-stream;base64," + base64.b64encode(floats).decode()}]})


@pytest.mark.parametrize("command", [
    "info MODEL", "info MODEL --json", "keys MODEL", "pose MODEL", "text MODEL", "check . --loops *", "check . --format sarif", "check . --format junit",
    "check . --json", "diff MODEL other.gltf", "diff MODEL other.gltf --format markdown", "diff . . --format junit", "diff MODEL other.gltf --format sarif",
    "models .", "models . --json", "thumbs . -o ../out --size 16 --format junit --quiet", "warm . --cache-dir ../cache", "-v info MODEL",
    "render MODEL --clip none"])
def test_texts_of_a_model_are_shown_as_escapes(command, tmp_path):
    folder = tmp_path / "in"
    folder.mkdir()
    name = NAME + ".gltf"
    (folder / name).write_text(hostile_model())
    (folder / "other.gltf").write_text(hostile_model().replace("[31mred", "[32mred"))
    (folder / (NAME + "bad.gltf")).write_text("no")
    done = posectl(*[name if word == "MODEL" else word for word in command.split()], cwd=folder)
    assert done.status in (0, 1), done.err
    assert not OBEYED.search(done.out) and not OBEYED.search(done.err), (done.out, done.err)
    assert "31mred" in done.out + done.err or "32mred" in done.out, (done.out, done.err)
    if command.endswith("junit --quiet") or command.endswith("--format junit"):
        xml.etree.ElementTree.fromstring(done.out)
    if command.endswith("sarif"):
        shown = [result["message"]["text"] for result in json.loads(done.out)["runs"][0]["results"]]
        assert shown and not any(OBEYED.search(text) for text in shown)


def test_the_log_of_a_server_shows_escapes(start, tmp_path):
    for form in "text", "json":
        (tmp_path / (NAME + ".gltf")).write_text("no")
        server = start("--log", form, root=tmp_path)
        assert server.get("/v1/model?model=" + urllib.parse.quote(NAME + ".gltf")).status == 415
        server.signal(signal.SIGTERM)
        server.wait()
        log = "\n".join(server.lines())
        assert "31mred" in log and "\\u202e" in log and not OBEYED.search(log), log
