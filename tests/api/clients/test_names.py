"""Every client writes the name of a model in the same way, that of protocol/names.def. Balancers and caches compare bytes, and see equal
names as equal. The tests read the bytes on the wire. For the C client see tests/unit/packets/test_client.c."""
import http.server
import json
import re
import shutil
import socket
import subprocess
import sys
import threading

import pytest

from conftest import BUILD, PATIENCE_S, REPOSITORY

sys.path.insert(0, str(REPOSITORY / "clients" / "python"))
import posed  # noqa: E402

NAMES = [tuple(json.loads(f'"{text}"') for text in row) for row in re.findall(
    r'^X\("((?:[^"\\]|\\.)*)", "((?:[^"\\]|\\.)*)"\)$', (REPOSITORY / "protocol" / "names.def").read_text(), re.M)]
needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="needs node")


@pytest.fixture
def recorder():
    """A server that records its requests, (method, target, body), and finds nothing."""
    asked = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do(self):
            asked.append((self.command, self.path, self.rfile.read(int(self.headers.get("Content-Length", 0)))))
            body = b'{"error":{"code":"model_not_found","message":"no"}}'
            self.send_response(404)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_GET = do_POST = do_PUT = do_DELETE = do

        def log_message(self, *_):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}", asked
        server.shutdown()
        thread.join()


def expected(path, escaped):
    """The requests of an HTTP client about a model, by a query, by a body and in a batch, and its upload and deletion."""
    return [("GET", f"/v1/model?model={escaped}"), ("POST", f"/v1/pose?model={escaped}"), ("POST", f"/v1/query?route={escaped}"),
            ("PUT", f"/v1/models/{escaped}?route=in/{escaped}"), ("DELETE", f"/v1/models/{escaped}")]


def check(asked):
    assert [(method, target) for method, target, _ in asked] == [line for name in NAMES for line in expected(*name)]
    bodies = [json.loads(body) for method, _, body in asked if method == "POST"]
    for (path, _), pose, batch in zip(NAMES, bodies[::2], bodies[1::2]):
        assert pose == {"layers": [{"clip": "walk"}]}, "what is in the target is not in the body"
        assert [query["model"] for query in batch["queries"]] == [path, path]


def test_the_table_has_what_is_awkward():
    assert len(NAMES) > 15 and all(re.fullmatch(r"(?:[A-Za-z0-9._~/-]|%[0-9A-F]{2})+", escaped) for _, escaped in NAMES)
    assert not {chr(c) for c in range(33, 127) if not chr(c).isalnum()} - set("".join(path for path, _ in NAMES))


def test_the_python_client(recorder):
    url, asked = recorder
    with posed.connect(url) as client:
        for path, _ in NAMES:
            for ask in (lambda: client.ask("/v1/model", model=path), lambda: client.ask("/v1/pose", model=path, layers=[{"clip": "walk"}]),
                        lambda: client.batch([{"op": "pose", "model": path}, {"op": "model", "model": path}]),
                        lambda: client.upload(path, b"x", route="in/" + path), lambda: client.delete(path)):
                with pytest.raises(posed.PosedError):
                    ask()
    check(asked)


JS = """
const { Client } = await import(process.argv[1] + '/clients/js/posed.js');
const client = new Client(process.argv[2]);
for (const path of JSON.parse(process.argv[3])) {
  for (const ask of [() => client.ask('/v1/model', { model: path }), () => client.ask('/v1/pose', { model: path, layers: [{ clip: 'walk' }] }),
    () => client.batch([{ op: 'pose', model: path }, { op: 'model', model: path }]),
    () => client.upload(path, new Uint8Array(1), { route: 'in/' + path }), () => client.delete(path)]) {
    await ask().then(() => { throw new Error('an answer'); }, () => {});
  }
}
"""


def node(program, *words):
    return subprocess.run(["node", "--input-type=module", "-e", program, *words], capture_output=True, text=True, check=True, timeout=PATIENCE_S).stdout


@needs_node
def test_the_javascript_client(recorder):
    url, asked = recorder
    node(JS, str(REPOSITORY), url, json.dumps([path for path, _ in NAMES]))
    check(asked)


@needs_node
def test_the_pages(tmp_path):
    """Their addresses as the browser receives them. The server provides the client."""
    shutil.copytree(REPOSITORY / "clients" / "page", tmp_path / "page")
    shutil.copytree(REPOSITORY / "clients" / "js", tmp_path / "page" / "js")
    (tmp_path / "package.json").write_text('{"type":"module"}')
    said = node("""const { link, modelLink } = await import(process.argv[1]);
        console.log(JSON.stringify(JSON.parse(process.argv[2]).map((model) => [link('v1/render', { model, view: 'lit' }), modelLink(model)])));""",
                str(tmp_path / "page" / "common" / "http.js"), json.dumps([path for path, _ in NAMES]))
    assert json.loads(said) == [[f"v1/render?model={escaped}&view=lit", f"m/{escaped}"] for _, escaped in NAMES]


def test_posectl(start):
    """A listener stands between it and the server. `*`, `?` and `[` are patterns for posectl."""
    host, port = start("--tcp", "127.0.0.1:0").ports["tcp"].rsplit(":", 1)
    for path, escaped in [name for name in NAMES if not set("*?[") & set(name[0])]:
        heard = bytearray()
        with socket.create_server(("127.0.0.1", 0)) as listener:
            process = subprocess.Popen([BUILD / "posectl", "bounds", "--server", f"127.0.0.1:{listener.getsockname()[1]}", "--", path],
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            listener.settimeout(PATIENCE_S)
            client, _ = listener.accept()
            with client, socket.create_connection((host, int(port))) as inner:
                relay = threading.Thread(target=pass_on, args=(inner, client))
                relay.start()
                pass_on(client, inner, heard)
                relay.join()
            process.communicate(timeout=PATIENCE_S)
        assert b"model=" + escaped.encode() in heard, (path, bytes(heard))


def pass_on(source, target, heard=None):
    while data := source.recv(65536):
        if heard is not None:
            heard += data
        target.sendall(data)
    try:
        target.shutdown(socket.SHUT_WR)
    except OSError:
        pass  # it is gone as well
