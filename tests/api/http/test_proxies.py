"""What the server believes of proxies in front of it, and what it sends them: addresses, traces, caches, routes."""
import json
import re
import socket
import struct

import pytest

from conftest import REPOSITORY
from packets import Link, WebSocketLink, hello
from raw_requests import ask, post
from small_models import gltf
from upload_requests import TRIANGLE, delete, put

pytestmark = pytest.mark.short
TRACE, PARENT = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
TOKEN = "a-token-of-20-letters"
SIGNATURE = b"\r\n\r\n\0\r\nQUIT\n"
V2 = SIGNATURE + b"\x21\x11" + struct.pack(">H4B4BHHBH2s", 17, 203, 0, 113, 9, 198, 51, 100, 1, 56324, 443, 2, 2, b"hi")
ROUTES = re.findall(r'^OPERATION\(\w+, "\w+", "(/\S*)", \S+, ([A-Z |]+),', (REPOSITORY / "server" / "wire" / "operations" / "operations.def").read_text(), re.M)
V1 = b"PROXY TCP6 2001:db8::9 2001:db8::1 4711 443\r\n"


@pytest.fixture
def root(tmp_path):
    folder = tmp_path / "root"
    (folder / "in").mkdir(parents=True)
    (folder / "a.gltf").write_text(gltf())
    return folder


def logged(server, request_id):
    return json.loads(server.wait_for_line(f'"id":"{request_id}"'))


def remote(server, request_id, *headers, before=b""):
    with server.connect() as connection:
        connection.send(before)
        assert connection.get("/v1/version", f"X-Request-Id: {request_id}", *headers).status == 200
    return logged(server, request_id)["remote"]


def test_headers_of_trusted_proxies(start):
    server = start("--log", "json", "--trusted-proxy", "127.0.0.0/8,10.0.0.0/8")
    assert remote(server, "none").startswith("127.0.0.1:")
    assert remote(server, "one", "X-Forwarded-For: 203.0.113.9") == "203.0.113.9"
    assert remote(server, "spoofed", "X-Forwarded-For: 1.1.1.1, 203.0.113.9, 10.0.0.2") == "203.0.113.9"
    assert remote(server, "lines", "X-Forwarded-For: 1.1.1.1", "X-Forwarded-For: 203.0.113.9") == "203.0.113.9"
    assert remote(server, "v6", 'Forwarded: for="[2001:db8::9]:4711";proto=https') == "[2001:db8::9]:4711"
    assert remote(server, "hidden", "Forwarded: for=1.1.1.1, for=_gazonk") == "_gazonk"
    assert remote(server, "both", "Forwarded: for=1.1.1.1", "X-Forwarded-For: 203.0.113.9") == "203.0.113.9"
    assert remote(server, "junk", "X-Forwarded-For: <script>").startswith("127.0.0.1:")


@pytest.mark.parametrize("options", [(), ("--trusted-proxy", "10.0.0.0/8,::1,unix")])
def test_headers_of_anybody_else(start, options):
    server = start("--log", "json", *options)
    assert remote(server, "one", "X-Forwarded-For: 203.0.113.9", "Forwarded: for=203.0.113.9").startswith("127.0.0.1:")
    for header in V1, V2:
        with server.connect() as connection:
            connection.send(header)
            assert connection.answer().status == 400
            assert connection.is_closed_by_server()


def test_proxy_protocol(start):
    server = start("--log", "json", "--trusted-proxy", "127.0.0.1")
    assert remote(server, "v1", before=V1) == "[2001:db8::9]:4711"
    assert remote(server, "v2", before=V2) == "203.0.113.9:56324"
    assert remote(server, "local", before=SIGNATURE + b"\x20\0\0\0").startswith("127.0.0.1:")
    # the address that the proxy names is no proxy, so its headers are a client's
    assert remote(server, "client", "X-Forwarded-For: 1.1.1.1", before=V2) == "203.0.113.9:56324"
    with server.connect() as connection:
        connection.send(V2 + b"GET /v1/version HTTP/1.1\r\nHost: localhost\r\n\r\n" * 2)
        assert [connection.answer().status for _ in range(2)] == [200, 200]
    for bad in b"PROXY TCP4 nobody\r\n", V2[:12] + b"\x11" + V2[13:], V1[:-2] + b"\n", b"PROXY " + b"x" * 200:
        with server.connect() as connection:
            connection.send(bad)
            answer = connection.answer()
            assert (answer.status, answer.error()) == (400, "bad_request") and b"PROXY header" in answer.body
            assert connection.is_closed_by_server()


def test_proxy_protocol_in_front_of_packets(start, root, tmp_path):
    path = str(tmp_path / "socket")
    server = start("--log", "json", "--tcp", "127.0.0.1:0", "--unix", path, "--trusted-proxy", "unix,127.0.0.1", root=root)
    for number, address in enumerate((server.ports["tcp"], path)):
        with Link(address, greet=False) as link:
            for at in range(len(V2)):  # byte by byte
                link.send(V2[at:at + 1])
            link.send(hello())
            assert link.read().kind == "hello"
            link.next_id += number
            link.open("a.gltf")
            assert logged(server, link.next_id)["remote"] == "203.0.113.9:56324"
    with socket.socket(socket.AF_UNIX) as plain:
        plain.connect(path)
        plain.sendall(V1 + b"GET /v1/version HTTP/1.1\r\nHost: localhost\r\nX-Request-Id: unix\r\n\r\n")
        assert plain.recv(12) == b"HTTP/1.1 200"
    assert logged(server, "unix")["remote"] == "[2001:db8::9]:4711"


def test_proxy_header_that_comes_slowly(start):
    server = start("--trusted-proxy", "127.0.0.1", "--header-timeout", "1s")
    with server.connect() as connection:
        connection.send(V2[:20])
        assert connection.is_closed_by_server()


def test_the_end_does_not_wait_for_a_proxy_header(start):
    server = start("--trusted-proxy", "127.0.0.1")
    with server.connect() as connection:
        connection.send(V2[:20])
        assert server.get("/v1/version").status == 200
        server.signal(15)
        assert server.wait() == 0
        assert connection.is_closed_by_server()


@pytest.mark.parametrize("text, part", [
    ("10.0.0.1/8", "bits behind its prefix"), ("example.org", "'example.org' is no network"), ("10.0.0.0/8,", "''"),
    ("10.0.0.0/33", "10.0.0.0/33")])
def test_bad_networks(command, text, part):
    status, _, err = command("--trusted-proxy", text)
    assert status == 2 and err.startswith("posed: --trusted-proxy: ") and part in err


def test_how_visitors_see_the_server_is_believed_of_trusted_proxies(start, root):
    """Without --trusted-proxy the server believes everybody, see test_pages.py."""
    lines = "X-Forwarded-Proto: https", "X-Forwarded-Host: models.example"
    for networks, address in (("127.0.0.1", "https://models.example/v1/render"), ("10.0.0.0/8", "http://localhost/v1/render")):
        page = start("--trusted-proxy", networks, root=root).get("/m/a.gltf", *lines).body.decode()
        assert re.search(r'og:image" content="([^?]*)', page)[1] == address


def test_forwarded_headers_open_no_door(start):
    """Other Host names are refused, whatever a trusted proxy says about its client."""
    server = start("--trusted-proxy", "127.0.0.1")
    with server.connect() as connection:
        connection.send("GET /v1/models HTTP/1.1\r\nHost: models.example\r\nX-Forwarded-For: 127.0.0.1\r\n"
                        "X-Forwarded-Host: localhost\r\nForwarded: for=127.0.0.1;host=localhost\r\n\r\n")
        assert connection.answer().status == 421


# --- traces ---

def test_traceparent_is_echoed_and_logged(start):
    server = start("--log", "json")
    parent = f"00-{TRACE}-{PARENT}-01"
    answer = server.get("/v1/version", f"traceparent: {parent}", "X-Request-Id: good")
    assert answer.headers["traceparent"] == parent and logged(server, "good")["trace"] == TRACE
    answer = server.get("/nothing", f"Traceparent: cc-{TRACE}-{PARENT}-03-more", "X-Request-Id: later")
    assert answer.headers["traceparent"] == parent and logged(server, "later")["trace"] == TRACE
    for number, bad in enumerate((f"00-{TRACE}-{PARENT}", f"00-{TRACE.upper()}-{PARENT}-01", f"00-{'0' * 32}-{PARENT}-01", "x")):
        answer = server.get("/v1/version", f"traceparent: {bad}", f"X-Request-Id: bad{number}")
        assert "traceparent" not in answer.headers and "trace" not in logged(server, f"bad{number}")
    with server.connect() as connection:  # of a request, not of the connection
        connection.get("/v1/version", f"traceparent: {parent}")
        assert "traceparent" not in connection.get("/v1/version").headers


def test_traceparent_and_client_of_a_websocket(start, root):
    server = start("--log", "json", "--trusted-proxy", "127.0.0.1", root=root)
    parent = f"00-{TRACE}-{PARENT}-00"
    with WebSocketLink(server.address, headers={"traceparent": parent, "X-Forwarded-For": "203.0.113.9"}) as link:
        assert link.headers["traceparent"] == parent
        link.open("a.gltf")
        line = logged(server, link.next_id)
        assert (line["method"], line["trace"], line["remote"]) == ("PACKET", TRACE, "203.0.113.9")


# --- the request log ---

def test_probes_are_logged_only_when_they_fail_or_it_is_said(start):
    for option in (), ("--log-probes",):
        server = start(*option)
        for probe in "/healthz", "/livez", "/readyz":
            assert server.get(probe).status == 200
            assert server.get(probe + "?route=a").status == 200
            assert server.get(probe, method="POST").status == 405
        server.get("/v1/version", "X-Request-Id: last")
        server.wait_for_line("id=last")
        lines = [line for line in server.lines() if re.search(r"path=/(healthz|livez|readyz)\b", line)]
        assert len([line for line in lines if " status=405 " in line]) == 3
        assert len(lines) == (9 if option else 3)


# --- route ---

NO_BODY = {"/v1/crowd": "bad_request"}  # their body is binary; without one the request is bad


def test_route_is_taken_everywhere_and_changes_nothing(start, root):
    server = start("--uploads", str(root / "in"), root=root)
    targets = ["/v1/models", "/v1/formats", "/v1/version", "/v1/model?model=a.gltf", "/v1/pose?model=a.gltf&t=1",
               "/v1/palette?model=a.gltf", "/v1/palette?model=a.gltf&t=0.5", "/v1/mesh?model=a.gltf&format=glb",
               "/v1/export?model=a.gltf", "/v1/sheet?model=a.gltf&format=json&frames=2&width=16&height=16",
               "/v1/turntable?model=a.gltf&format=json&frames=2&width=16&height=16", "/v1/bounds?model=a.gltf",
               "/v1/keys?model=a.gltf&clip=-", "/v1/compare?model=a.gltf&with=a.gltf", "/v1/environment?format=json", "/healthz", "/livez", "/readyz",
               "/v1/render?model=a.gltf&width=16&height=16&allow_empty=1", "/", "/m/a.gltf", "/embed/a.gltf", "/page/model/model.js"]
    others = {path for path, _ in ROUTES} - {target.split("?")[0] for target in targets} - {"/m/", "/embed/", "/page/", "/v1/models/", "/v1/stream", "/v1/query"}
    assert {"/metrics", "/v1/stats", "/v1/texture"} <= others
    for path, traits in ROUTES:
        if path in others:  # their counts differ each time, or they lack a parameter and report it
            ways = [server.get(path + route) if "GET" in traits else post(server, path + route, {}) for route in ("", "?route=a.gltf")]
            assert len({one.status for one in ways}) == 1 and all(one.status == 200 or one.error() == NO_BODY.get(path, "missing_parameter") for one in ways), (path, ways[1].body)
    for target in targets:
        plain = server.get(target)
        assert plain.status in (200, 422), plain.body
        for route in "route=a.gltf", "route=b%2Fc+d", "route":
            routed = server.get(target + ("&" if "?" in target else "?") + route)
            assert (routed.status, routed.body) == (plain.status, plain.body), target
            assert routed.headers.get("etag") == plain.headers.get("etag")
    for path, body in (("/v1/query", {"queries": [{"op": "model", "model": "a.gltf"}]}), ("/v1/pose", {"model": "a.gltf"})):
        plain, routed = post(server, path, body), post(server, path + "?route=a.gltf", body)
        assert plain.status == routed.status == 200 and plain.body == routed.body
    answer = put(server, "b.gltf?route=in/b.gltf", TRIANGLE)
    assert (answer.status, answer.json()["model"]) == (201, "in/b.gltf")
    assert delete(server, "b.gltf?route=in/b.gltf").status == 204
    with WebSocketLink(server.address, path="/v1/stream?route=a.gltf") as link:
        assert link.status == 101
        link.open("a.gltf")
    assert server.get("/v1/pose?model=a.gltf&route=a&route=b").error() == "duplicate_parameter"
    assert post(server, "/v1/pose", {"model": "a.gltf", "route": "a"}).error() == "unknown_parameter"


# --- caches ---

def test_cache_control(start, root, tmp_path):
    (tmp_path / "token").write_text(TOKEN)
    token = "Authorization: Bearer " + TOKEN
    year = "max-age=31536000, immutable"
    listed = "max-age=60, stale-while-revalidate=600"
    for options, plain, immutable in (
            ((), "no-cache", "public, " + year),
            (("--cache-control", "stale-while-revalidate=600,max-age=60"), "public, " + listed, "public, " + year),
            (("--cache-control", "max-age=60,stale-while-revalidate=600", "--token-file", tmp_path / "token"), "private, " + listed, "private, " + year),
            (("--token-file", tmp_path / "token", "--token-for", "uploads"), "no-cache", "public, " + year)):
        server = start(*options, root=root)
        first = server.get("/v1/pose?model=a.gltf", token)
        assert (first.status, first.headers["cache-control"]) == (200, plain)
        again = server.get("/v1/pose?model=a.gltf", token, "If-None-Match: " + first.headers["etag"])
        assert (again.status, again.headers["cache-control"]) == (304, plain)
        exact = server.get("/v1/pose?model=a.gltf&hash=" + first.json()["hash"], token)
        assert (exact.status, exact.headers["cache-control"]) == (200, immutable)
        for _ in range(3):  # prepared from the second on
            assert server.get("/v1/palette?model=a.gltf&t=0", token).headers["cache-control"] == plain
        assert server.get("/v1/models", token).headers["cache-control"] == "no-cache"
        assert server.get("/v1/pose?model=none.gltf", token).headers["cache-control"] == "no-store"


@pytest.mark.parametrize("text", ["max-age", "max-age=60s", "60", "no-store", "stale-while-revalidate=5", "max-age=1,max-age=1"])
def test_bad_cache_control(command, text):
    status, _, err = command("--cache-control", text)
    assert status == 2 and err.startswith("posed: --cache-control: ")


# --- interim answers ---

def test_no_interim_answer_but_the_one_that_was_asked_for(start, root):
    server = start("--uploads", str(root / "in"), root=root)
    for version, expect, status in (("1.1", "miracles", 417), ("1.1", "100-continue, miracles", 417), ("1.0", "miracles", 201),
                                    ("1.0", "100-continue", 201)):
        with server.connect() as connection:
            connection.send(f"PUT /v1/models/{version}{len(expect)}.gltf HTTP/{version}\r\nHost: localhost\r\nExpect: {expect}\r\n"
                            f"Content-Length: {len(TRIANGLE)}\r\n\r\n")
            connection.send(TRIANGLE)
            answer = connection.answer()
            assert answer.status == status, answer.body
            assert status != 417 or (answer.error() == "expectation_failed" and answer.headers["connection"] == "close")
    with server.connect() as connection:  # and not where nothing follows
        assert connection.get("/v1/version", "Expect: 100-continue").status == 200
    connection = ask(server, "/v1/model?model=a.gltf")
    connection.socket.shutdown(socket.SHUT_WR)
    data = b""
    while part := connection.socket.recv(65536):
        data += part
    connection.socket.close()
    assert data.startswith(b"HTTP/1.1 200 OK\r\n") and data.count(b"HTTP/1.1") == 1
