"""Attacks by connections: more than the server may open, odd requests, thousands of handles and watches."""
import contextlib
import socket

import conftest
import packets

WAVE = 200
HANDLES = 1024  # of a connection, protocol/limits.def

# Requests, and the statuses that they may get; None: the server closes.
FORMS = [
    (b"GET /v1/stream HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
     b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nContent-Length: 5\r\n\r\nhello", {400}),
    (b"GET /healthz HTTP/1.1\r\nHost: localhost:80x\r\n\r\n", {400}),
    (b"GET /healthz HTTP/1.1\r\nHost: localhost:-1\r\n\r\n", {400}),
    (b"GET /healthz HTTP/1.1\r\n\r\n", {400}),
    (b"GET /healthz HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", {400}),
    (b"POST /v1/query HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", {400}),
    (b"POST /v1/query HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd", {400}),
    (b"POST /v1/query HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", {400, 501}),
    (b"GET /healthz HTTP/1.1\r\nHost : localhost\r\n\r\n", {400}),
    (b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: a\r\n b\r\n\r\n", {400}),
    (b"GET http://localhost/healthz HTTP/1.1\r\nHost: localhost\r\n\r\n", {200, 400, 404}),
    (b"GET /" + b"a" * 9000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n", {414}),
    (b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: " + b"a" * 9000 + b"\r\n\r\n", {431}),
    (b"\x16\x03\x01\x02\x00\x01\x00", {400, None}), (b"\0" * 100, {400, None}), (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", {400, 505, None}),
]


def waves(battle, rng):
    """More connections than there are descriptors, beside imports. Some send requests, some only stay for a moment."""
    with contextlib.ExitStack() as held:
        for i in range(WAVE):
            if battle.stop.is_set():
                return
            one = held.enter_context(contextlib.closing(one_socket(battle, rng)))
            with contextlib.suppress(OSError):
                if i % 3 == 0:
                    one.sendall(f"GET /v1/palette?model={rng.randrange(4)}.gltf HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
                elif i % 3 == 1:
                    one.sendall(packets.hello() + packets.packet("open", b"0.gltf", id=1))
        battle.stop.wait(rng.random() / 5)


def one_socket(battle, rng):
    """A connection to any of the ports. It may not be accepted for a while."""
    ports = battle.server.ports
    way = rng.choice(("http", "tcp", "unix"))
    if way == "unix":
        one = socket.socket(socket.AF_UNIX)
        one.settimeout(20)
        one.connect(ports["unix"])
        return one
    host, port = ports[way].rsplit(":", 1)
    return socket.create_connection((host.strip("[]"), int(port)), timeout=20)


def forms(battle, rng):
    request, allowed = rng.choice(FORMS)
    with battle.connect(timeout_s=30) as connection:
        connection.send(request)
        connection.socket.shutdown(socket.SHUT_WR)
        answer = connection.answer()
        while answer is not None and answer.status == 100:  # if the answer took a moment, the server checked whether the client was there
            answer = connection.answer()
        battle.expect("odd form", answer, allowed)


def pieces(battle, rng):
    """Half a request, a request in pieces, an unread answer, a reset."""
    with battle.connect(timeout_s=30) as connection:
        target = rng.choice(("/v1/mesh?model=3.gltf", "/v1/models", "/v1/stats"))
        request = f"GET {target} HTTP/1.1\r\nHost: localhost\r\n\r\n" * rng.choice((1, 2, 50))
        connection.send(request[:rng.randrange(1, len(request) + 1)])
        if rng.random() < 0.3:
            connection.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        battle.stop.wait(rng.random() / 20)


def handles(battle, rng):
    """As many handles and watches as allowed, and more, on one connection, which then ends without notice."""
    with battle.link(rng) as link:
        count = HANDLES + 50
        link.send(b"".join(packets.packet("open", f"{i % 4}.gltf".encode(), id=i + 1) for i in range(count)))
        opened = [link.read() for _ in range(count)]
        models = [one.model for one in opened if one is not None and one.kind == "opened"]
        refused = {one.code for one in opened if one is not None and one.kind == "error"}
        if len(models) > HANDLES or not refused <= {53, 54, 55, 57}:
            battle.fault(f"handles: {len(models)} on one connection, refusals {refused}")
        watch = packets.struct.pack("<II", 1, 0)
        link.send(b"".join(packets.packet("watch", watch, id=5000 + i, model=model) for i, model in enumerate(models)))
        if rng.random() < 0.5:
            for _ in models:
                link.read()


def streams(battle, rng):
    """More streams than allowed, at the highest rate, unread."""
    with battle.link(rng) as link:
        model = link.ask("open", b"0.gltf").model
        for i in range(40):
            link.send(packets.packet("subscribe", packets.subscribe(rate=rng.choice((0, 0.001, 1000)), credit=2**32 - 1), id=i + 1,
                                     model=model))
        battle.stop.wait(rng.random() / 2)


def check_health(battle):
    with battle.connect(timeout_s=conftest.PATIENCE_S) as connection:
        battle.expect("health", connection.get("/healthz"), {200})
