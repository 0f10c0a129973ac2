"""WebSockets of the client: a server that answers something else, and frames as in RFC 6455."""
import base64
import hashlib
import re
import socket
import struct
import threading

import pytest

import posed
from posed.address import parse
from posed.websocket import WebSocket

from test_packets import answers_to_a_palette


class Impostor:
    """Opens a WebSocket for one client, sends `data` and closes; `received` is what the client sent, unmasked."""

    def __init__(self, data, head=None):
        self.data, self.head, self.received = data, head, b""
        self.has_more = threading.Condition()
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.url = "ws://127.0.0.1:%d" % self.socket.getsockname()[1]
        self.thread = threading.Thread(target=self.serve, daemon=True)
        self.thread.start()

    def serve(self):
        link, _ = self.socket.accept()
        self.socket.close()  # no second connection: the client repeats requests that were lost between two answers
        with link:
            asked = b""
            while b"\r\n\r\n" not in asked:
                asked += link.recv(4096)
            key = re.search(rb"Sec-WebSocket-Key: (.*)\r\n", asked)[1]
            accept = base64.b64encode(hashlib.sha1(key + b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11").digest())
            link.sendall(self.head or b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                         b"Sec-WebSocket-Accept: " + accept + b"\r\n\r\n")
            try:
                link.sendall(self.data)
                link.shutdown(socket.SHUT_WR)
                while True:
                    data = link.recv(4096)
                    if not data:
                        return
                    with self.has_more:
                        self.received += data
                        self.has_more.notify()
            except ConnectionError:
                pass  # the client refused the bytes and left

    def wait_for(self, size):
        """Wait until the client has sent that many bytes: a close with unread bytes would lose data under way."""
        with self.has_more:
            assert self.has_more.wait_for(lambda: len(self.received) >= size, 30)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()
        self.thread.join(30)


def frame(data, opcode=2, is_last=True):
    size = len(data)
    head = bytes([opcode | 0x80 * is_last]) + (bytes([size]) if size < 126 else struct.pack(">BH", 126, size) if size < 65536
                                              else struct.pack(">BQ", 127, size))
    return head + data


def test_messages_in_pieces_pings_and_all_sizes_are_read():
    whole = bytes(range(256)) * 300
    sent = (frame(whole[:10], is_last=False) + frame(b"hello", 9) + frame(whole[10:1000], 0, is_last=False) + frame(b"", 0)
            + frame(b"", 10) + frame(whole[1000:]) + frame(b"\x03\xe8", 8))
    with Impostor(sent) as impostor:
        link = WebSocket(parse(impostor.url), 30)
        got, room = b"", bytearray(7000)
        while True:
            size = link.recv_into(memoryview(room))
            if size == 0:
                break
            got += room[:size]
        impostor.wait_for(len("....") + 2 + len("hello"))
        link.close()
    assert got == whole
    assert impostor.received[0] == 0x8a and impostor.received[1] == 0x85  # a pong, masked
    mask = impostor.received[2:6]
    assert bytes(a ^ mask[i % 4] for i, a in enumerate(impostor.received[6:])) == b"hello"


def test_packets_over_it_are_answers():
    sent = b"".join(frame(part) for part in answers_to_a_palette())
    with Impostor(sent) as impostor, posed.connect(impostor.url) as client:
        assert client.model("awkward.gltf").palette(0, 0.5, layout="mat3x4").shape == (2, 3, 4)


def test_every_truncation_is_an_error():
    sent = b"".join(frame(part) for part in answers_to_a_palette())
    for size in range(0, len(sent), 3):
        with Impostor(sent[:size]) as impostor, pytest.raises(posed.PosedError) as caught:
            with posed.connect(impostor.url, reconnect_tries=0) as client:
                client.model("awkward.gltf").palette(0, 0.5, layout="mat3x4")
        assert caught.value.code in ("bad_answer", "connection_lost")


@pytest.mark.parametrize("sent", [
    b"\xc2\x01a", b"\x82\x81aaaaa", b"\x83\x00", b"\x89\x7e\x00\x80", b"\x82\x7f" + b"\xff" * 8 + b"a" * 64, b"\x81\x02hi"])
def test_malformed_frames_are_refused(sent):
    with Impostor(sent) as impostor, pytest.raises(posed.PosedError) as caught:
        posed.connect(impostor.url, reconnect_tries=0)
    assert caught.value.code in ("bad_answer", "connection_lost")


@pytest.mark.parametrize("head, code", [
    (b"HTTP/1.1 403 Forbidden\r\nContent-Length: 58\r\n\r\n" + b'{"error":{"code":"origin_not_allowed","message":"no page"}}', "origin_not_allowed"),
    (b"HTTP/1.1 404 Not Found\r\n\r\n", "internal"), (b"HTTP/1.1 101 Switching Protocols\r\n\r\n", "bad_answer"), (b"SSH-2.0\r\n\r\n", "bad_answer"),
    (b"x" * 20000, "bad_answer")])
def test_an_answer_that_opens_nothing_is_an_error(head, code):
    with Impostor(b"", head) as impostor, pytest.raises(posed.PosedError) as caught:
        posed.connect(impostor.url)
    assert caught.value.code == code
