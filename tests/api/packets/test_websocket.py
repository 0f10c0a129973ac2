"""The WebSocket around the packets: opening, access, frames of RFC 6455, closing. Other tests check its contents."""
import base64
import os
import shutil
import subprocess
import struct

import pytest

import packets
from conftest import PATIENCE_S, REPOSITORY, SAMPLES, Server
from packets import WebSocketLink, packet, query, subscribe

DRAWS = False

pytestmark = pytest.mark.short
TOKEN = "a-token-of-20-letters"


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    if os.environ.get("POSED_SERVER"):
        pytest.skip("needs a server of its own")
    root = tmp_path_factory.mktemp("websocket")
    shutil.copy(SAMPLES / "dragon.glb", root)
    running = Server(root, "--tcp", "127.0.0.1:0", draws=False)
    yield running
    code = running.process.poll()
    running.end()
    assert code is None, f"the server died with {code}"


def open_it(server, **headers):
    return WebSocketLink(server.address, greet=False, headers={k.replace("_", "-"): v for k, v in headers.items()})


def test_opening(own):
    with open_it(own) as one:
        assert one.status == 101 and one.headers["connection"] == "Upgrade" and "sec-websocket-protocol" not in one.headers
    with open_it(own, Sec_WebSocket_Protocol="chat, posed.1") as one:
        assert one.status == 101 and one.headers["sec-websocket-protocol"] == "posed.1"
    with open_it(own, Connection="keep-alive, Upgrade", Upgrade="WebSocket") as one:
        assert one.status == 101


@pytest.mark.parametrize("headers", [
    {"Sec_WebSocket_Version": "8"}, {"Sec_WebSocket_Version": None}, {"Sec_WebSocket_Key": None},
    {"Sec_WebSocket_Key": "short"}, {"Sec_WebSocket_Key": base64.b64encode(bytes(17)).decode()},
    {"Connection": "keep-alive"}, {"Upgrade": None}, {"Upgrade": "h2c"}])
def test_no_opening(own, headers):
    with open_it(own, **headers) as one:
        assert one.status == 400 and "content-length" in one.headers


OPENING = ("GET {path} HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: {version}\r\n"
           f"Sec-WebSocket-Key: {WebSocketLink.KEY}\r\n")
GET = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"


@pytest.mark.parametrize("body", ["Content-Length: 5\r\n\r\nhello", "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
                                  "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n", f"Content-Length: {len(GET)}\r\n\r\n" + GET])
def test_an_opening_with_a_body_is_refused(own, body):
    """A proxy that ignores the body of a WebSocket's opening would see frames where the server sees the body."""
    with own.connect() as one:
        one.send(OPENING.format(path="/v1/stream", version=13) + body + GET)
        answer = one.answer()
        assert (answer.status, answer.error()) == (400, "bad_request") and "no body" in answer.json()["error"]["message"]
        assert answer.headers["connection"] == "close" and one.is_closed_by_server()


def test_an_opening_of_no_bytes_is_one(own):
    with open_it(own, Content_Length="0") as one:
        assert one.status == 101


@pytest.mark.parametrize("path, version, headers, status", [
    ("/v1/stream", 99, "", 400), ("/v1/stream", 13, "Origin: http://evil.example\r\n", 403), ("/v1/stream?x=1", 13, "", 400),
    ("/healthz", 13, "", 200), ("/nothing", 13, "", 404)])
def test_nothing_is_read_as_a_request_behind_a_refused_opening(own, path, version, headers, status):
    """A proxy that looks only at the request would tunnel everything after it, past its own rules."""
    with own.connect() as one:
        one.send(OPENING.format(path=path, version=version) + headers + "\r\n" + GET)
        answer = one.answer()
        assert answer.status == status and answer.headers["connection"] == "close"
        assert one.is_closed_by_server(), "the request behind it was answered"
    with own.connect() as one:
        one.send(OPENING.format(path="/healthz", version=13).replace("GET", "POST") + "Content-Length: 1\r\n\r\nx" + GET)
        assert one.answer().status == 405 and one.is_closed_by_server()
    assert own.get("/healthz", "Upgrade: h2c", "Connection: Upgrade").headers.get("connection") != "close"


def test_other_requests_of_its_path(own):
    assert own.get("/v1/stream").status == 400
    assert own.get("/v1/stream?x=1").error() == "unknown_parameter"
    assert own.get("/v1/stream", method="HEAD").status == 400
    assert own.get("/v1/stream", "Content-Length: 0", method="POST").status == 405
    with packets.Link(own.ports["tcp"]) as one:
        assert one.ask("call", packets.call("/v1/stream")).error()[0] == 1


def test_upgrade_of_other_paths_is_ignored(own):
    answer = own.get("/healthz", "Upgrade: websocket", "Connection: Upgrade")
    assert answer.status == 200


# --- who may ---


def test_host_and_origin(own, start, tmp_path):
    host = own.address
    for origin, status in (("http://evil.example", 403), ("null", 403), (f"http://{host}", 101), (f"https://{host}", 101)):
        with open_it(own, Host=host, Origin=origin) as one:
            assert one.status == status, origin
    with open_it(own, Host="evil.example") as one:
        assert one.status == 421
    open_to = start("--cors", "https://editor.example")
    for origin, status in (("https://editor.example", 101), ("https://other.example", 403)):
        with open_it(open_to, Origin=origin) as one:
            assert one.status == status


def test_tokens(start, tmp_path):
    (tmp_path / "tokens").write_text(TOKEN + "\n")
    server = start("--token-file", str(tmp_path / "tokens"))
    with WebSocketLink(server.address, token=TOKEN.encode()) as one:
        assert one.ask("ping").kind == "done"
    with WebSocketLink(server.address) as one:
        assert one.hello.error()[0] == 16 and one.read() is None and one.close_status == 1008
    with WebSocketLink(server.address, headers={"Authorization": f"Bearer {TOKEN}"}) as one:
        assert one.ask("ping").kind == "done"
    with open_it(server, Authorization="Bearer nonsense-of-20-letters") as one:
        assert one.status == 401


# --- frames ---


def test_a_packet_is_a_message_and_bounds_of_the_client_mean_nothing(own):
    with WebSocketLink(own.address, greet=False) as one:
        data = packets.hello() + packet("open", b"dragon.glb", id=1) + packet("mesh", query(), id=2, model=1)
        for i in range(0, 40):
            one.send_frame(2, data[i:i + 1])
        one.send_frame(2, data[40:50], final=False)
        one.send_frame(9, b"are you there")  # a ping between the parts of a message
        one.send_frame(0, b"", final=False)
        one.send_frame(0, data[50:])
        seen = []
        while len(seen) < 4:
            seen.append(one.read_frame())
        assert (10, b"are you there") in seen
        sizes = [len(payload) for opcode, payload in seen if opcode == 2]
        assert len(sizes) == 3 and sizes[2] > 65536 and not any(size % 16 for size in sizes)


def test_opening_and_hello_in_one_piece(own):
    with WebSocketLink(own.address, greet=False) as one, open_it(own) as other:
        assert other.status == 101
        head = ("GET /v1/stream HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                f"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {one.KEY}\r\n\r\n").encode()
        with own.connect() as raw:
            hello = packets.hello()
            raw.send(head + bytes([0x82, 0x80 | len(hello)]) + bytes(4) + hello)
            answer = b""
            while b"\x82\x60" not in answer:
                answer += raw.socket.recv(65536)
            assert answer.startswith(b"HTTP/1.1 101 ")


def test_text_closes(own):
    with WebSocketLink(own.address) as one:
        one.send_frame(1, b"hello")
        assert one.read() is None and one.close_status == 1003


def test_what_is_too_long_closes(own):
    with WebSocketLink(own.address) as one:
        one.socket.sendall(b"\x82\xff" + struct.pack(">Q", 1 << 40) + bytes(4) + b"x")
        assert one.read() is None and one.close_status == 1009


MALFORMED = {
    "not masked": b"\x82\x01a",
    "a reserved bit": b"\xc2\x80" + bytes(4),
    "an opcode that is none": b"\x83\x80" + bytes(4),
    "the rest of no message": b"\x80\x80" + bytes(4),
    "a ping that is too long": b"\x89\xfe\x01\x00" + bytes(4) + bytes(256),
}


@pytest.mark.parametrize("name", MALFORMED)
def test_malformed_frames_close(own, name):
    with WebSocketLink(own.address) as one:
        one.socket.sendall(MALFORMED[name])
        assert one.read() is None and one.close_status in (1002, None)  # a close may have no status


def test_malformed_packets_close_too(own):
    with WebSocketLink(own.address) as one:
        one.send(b"\0" * 6 + b"\1" * 26)
        last = one.read()
        assert last.error()[1] == 16 + 6 and last.has("closing")
        assert one.read() is None and one.close_status == 1002


def test_close_is_answered(own):
    with WebSocketLink(own.address) as one:
        model = one.open("dragon.glb")
        one.send(packet("subscribe", subscribe(credit=2**31, rate=1000), id=7, model=model))
        one.read()
        one.send_frame(8, struct.pack(">H", 1000))
        while (answer := one.read()) is not None:
            assert answer.kind == "stream"
        assert one.close_status == 1000
        assert one._raw(1) is None


def test_the_end_of_the_server_is_told(start):
    server = start()
    with WebSocketLink(server.address) as one:
        server.process.terminate()
        assert one.read().error()[0] == 54 and one.read() is None and one.close_status == 1001


def test_pings_without_reading_cost_no_memory(own):
    with WebSocketLink(own.address, receive_bytes=4096) as one:
        one.socket.settimeout(5)
        ping = bytes([0x89, 0xfd]) + bytes(4) + bytes(125)
        with pytest.raises((ConnectionError, TimeoutError)):
            for _ in range(100000):
                one.socket.sendall(ping * 100)
        assert own.json("/v1/stats")["client_memory"]["bytes"] < 8 << 20


def test_node_speaks_it(own, tmp_path):
    """A WebSocket from elsewhere: that of Node 22, or npm's if Debian's Node is older."""
    found = subprocess.run([REPOSITORY / "tests/web/node.sh", "22"], capture_output=True, text=True, check=False)
    if found.returncode != 0:
        pytest.skip("there is no Node 22: tests/web/run.sh --install gets it, where npm's registry is in reach")
    script = """
        const socket = new WebSocket(process.argv[1], ["posed.1"]);
        socket.binaryType = "arraybuffer";
        socket.onopen = () => { socket.send(new Uint8Array([0x89,0x50,0x53,0x44,0x50,13,10,0,1,0,0,0,0,0,0,0])); };
        socket.onmessage = ({data}) => {
            console.log(socket.protocol, new DataView(data).getUint16(4, true), new DataView(data).getUint16(32, true));
            socket.close();
        };
        socket.onclose = ({code}) => console.log("closed", code);
    """
    done = subprocess.run([found.stdout.strip(), "-e", script, f"ws://{own.address}/v1/stream"], capture_output=True, text=True, timeout=PATIENCE_S)
    assert done.stdout.split() == ["posed.1", "128", "1", "closed", "1005"], done
