"""Real proxies in front of a server with --trusted-proxy: its log has the address of their client, over HTTP and packets. The client asks
from 127.0.0.2, the proxies from 127.0.0.1."""
import contextlib
import json
import pathlib
import shutil
import socket
import subprocess

import pytest

from conftest import Connection, wait_until
from packets import Link, hello
from small_models import gltf

CLIENT = "127.0.0.2"
FRONTS = {  # for HAProxy: how it listens, and how it forwards
    "forwardfor": "mode http\n option forwardfor\n", "v1": "mode http\n", "v2": "mode http\n", "packets": "mode tcp\n"}
SENDS = {"forwardfor": "", "v1": "send-proxy", "v2": "send-proxy-v2 proxy-v2-options unique-id", "packets": "send-proxy-v2"}


@pytest.fixture
def root(tmp_path):
    folder = tmp_path / "root"
    folder.mkdir()
    (folder / "a.gltf").write_text(gltf())
    return folder


class From(Connection):
    """A connection from CLIENT."""

    def __init__(self, address):
        host, port = address.rsplit(":", 1)
        self.socket = socket.create_connection((host, int(port)), source_address=(CLIENT, 0), timeout=120)
        self.unread = b""


def program(name):
    found = shutil.which(name, path="/usr/sbin:/usr/bin:/sbin")
    if found is None:
        pytest.skip(f"{name} is not installed: make deploy-test")
    return found


def remote(server, request_id):
    return json.loads(server.wait_for_line(f'"id":"{request_id}"'))["remote"]


@pytest.fixture
def server(start, root):
    return start("--log", "json", "--tcp", "127.0.0.1:0", "--trusted-proxy", "127.0.0.1", root=root)


@pytest.fixture
def haproxy(server, tmp_path):
    """{front: address}. It listens on the test's sockets, so that no port is chosen twice."""
    path = program("haproxy")
    with contextlib.ExitStack() as stack:
        sockets = {name: stack.enter_context(socket.create_server(("127.0.0.1", 0))) for name in FRONTS}
        text = "defaults\n timeout connect 5s\n timeout client 60s\n timeout server 60s\n"
        for name, mode in FRONTS.items():
            at = server.ports["tcp" if name == "packets" else "http"]
            unique = " unique-id-format %[uuid()]\n" if name == "v2" else ""
            check = "" if name == "packets" else " option httpchk GET /readyz\n"
            probe = "check inter 200ms check-send-proxy" if SENDS[name] else "check inter 200ms"
            text += f"listen {name}\n {mode}{unique}{check} bind fd@{sockets[name].fileno()}\n server posed {at} source 127.0.0.1 {probe} {SENDS[name]}\n"
        (tmp_path / "haproxy.cfg").write_text(text)
        log = stack.enter_context((tmp_path / "haproxy.log").open("w+"))
        process = subprocess.Popen([path, "-db", "-f", str(tmp_path / "haproxy.cfg")], stdout=log, stderr=log,
                                   pass_fds=[one.fileno() for one in sockets.values()])
        try:
            yield {name: "127.0.0.1:%d" % one.getsockname()[1] for name, one in sockets.items()}
            assert process.poll() is None, (tmp_path / "haproxy.log").read_text()
            assert "DOWN" not in (tmp_path / "haproxy.log").read_text(), "its probes, which speak for themselves, failed"
        finally:
            process.kill()
            process.wait()


@pytest.mark.parametrize("front", ["forwardfor", "v1", "v2"])
def test_haproxy_over_http(server, haproxy, front):
    with From(haproxy[front]) as connection:
        port = connection.socket.getsockname()[1]
        for number in range(3):  # the last two reuse its connection to the server
            answer = connection.get("/v1/model?model=a.gltf", f"X-Request-Id: {front}{number}", "X-Forwarded-For: 1.1.1.1", "Forwarded: for=1.1.1.1")
            assert answer.status == 200, answer.body
            assert remote(server, f"{front}{number}") == (CLIENT if front == "forwardfor" else f"{CLIENT}:{port}")


def test_haproxy_before_packets(server, haproxy):
    with Link(haproxy["packets"], greet=False) as link:
        link.socket.close()
        host, port = haproxy["packets"].split(":")
        link.socket = socket.create_connection((host, int(port)), source_address=(CLIENT, 0), timeout=120)
        here = link.socket.getsockname()[1]
        link.send(hello())
        assert link.read().kind == "hello"
        link.open("a.gltf")
        assert remote(server, link.next_id) == f"{CLIENT}:{here}"


def test_nginx(server, tmp_path):
    """It adds X-Forwarded-For and the scheme. A page's preview has the address that visitors use."""
    path = program("nginx")
    folder = pathlib.Path(tmp_path / "nginx")
    folder.mkdir()
    inside = "".join(f"{kind}_temp_path {folder}/{kind};" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    (folder / "nginx.conf").write_text(f"""daemon off; master_process off; pid {folder}/pid; error_log stderr;
        events {{}}
        http {{ access_log off; {inside}
          server {{ listen 127.0.0.1:{{port}}; location / {{ proxy_pass http://{server.address}; proxy_http_version 1.1; proxy_set_header Connection "";
            proxy_set_header Host localhost; proxy_set_header X-Forwarded-Host models.example; proxy_set_header X-Forwarded-Proto https;
            proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for; }} }} }}""".replace("{port}", str(free_port())))
    process = subprocess.Popen([path, "-c", str(folder / "nginx.conf"), "-p", str(folder)], stderr=subprocess.PIPE)
    try:
        address = "127.0.0.1:" + (folder / "nginx.conf").read_text().split("listen 127.0.0.1:")[1].split(";")[0]
        wait_until(lambda: answers(address) or process.poll() is not None)
        with From(address) as connection:
            page = connection.get("/m/a.gltf", "X-Request-Id: page", "X-Forwarded-For: 1.1.1.1, 10.0.0.1")
            assert page.status == 200 and b"https://models.example/v1/render?model=a.gltf" in page.body
        assert remote(server, "page") == CLIENT
    finally:
        process.kill()
        process.communicate()


def free_port():
    """nginx cannot take a socket of the test: this one was free a moment ago."""
    with socket.create_server(("127.0.0.1", 0)) as one:
        return one.getsockname()[1]


def answers(address):
    try:
        with From(address):
            return True
    except OSError:
        return False
