"""HTTP itself: framing, order, limits, timeouts, headers. Needs no model unless a test says so."""
import re
import signal
import socket
import threading
import time

import pytest

from conftest import SAMPLES, wait_until

DRAWS = False

pytestmark = pytest.mark.short
GET = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"


def test_keep_alive(server):
    with server.connect() as connection:
        for _ in range(3):
            answer = connection.get("/healthz")
            assert answer.status == 200
            assert answer.headers.get("connection") != "close"


def test_close_when_asked(server):
    with server.connect() as connection:
        assert connection.get("/healthz", "Connection: close").headers["connection"] == "close"
        assert connection.is_closed_by_server()


def test_http_1_0(server):
    with server.connect() as connection:
        connection.send("GET /healthz HTTP/1.0\r\n\r\n")
        answer = connection.answer()
        assert answer.status == 200 and answer.headers["connection"] == "close"
        assert connection.is_closed_by_server()
    with server.connect() as connection:
        connection.send("GET /healthz HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
        assert connection.answer().headers["connection"].lower() == "keep-alive"
        assert connection.get("/healthz").status == 200


def test_pipelined_answers_come_in_order(server):
    with server.connect() as connection:
        connection.send("".join(f"GET /{i} HTTP/1.1\r\nHost: localhost\r\nX-Request-Id: n{i}\r\n\r\n" for i in range(50)))
        assert [connection.answer().headers["x-request-id"] for _ in range(50)] == [f"n{i}" for i in range(50)]


def test_pipelined_work_does_not_stop_the_others(start, a_model):
    """Hundreds of requests that arrive in one read, a millisecond each. Other requests are answered between them."""
    server = start("--log-probes", root=SAMPLES)
    target = f"/v1/palette?model={a_model}&t=0:0.099:1000"
    with server.connect() as connection, server.connect() as other:
        assert connection.get(target, method="HEAD").status == 200
        assert other.get("/healthz").status == 200
        count = 300
        server.signal(signal.SIGSTOP)  # it finds both at once, the work first
        connection.send(f"HEAD {target} HTTP/1.1\r\nHost: localhost\r\n\r\n" * count)
        other.send(GET)
        server.signal(signal.SIGCONT)
        assert other.answer().status == 200
        assert all(connection.answer(is_head=True).status == 200 for _ in range(count))
    wait_until(lambda: sum("path=/v1/palette" in line for line in server.lines()) == 1 + count)
    order = ["path=/healthz" in line for line in server.lines() if " path=/" in line]
    waited = order.index(True, 2) - 2
    assert waited < count / 2, f"an answer came behind {waited} of {count} of another client"


def test_slow_answer_does_not_lose_its_place(start, a_model):
    """A model's first request is an import. Requests after it are answered after it."""
    own = start(root=SAMPLES)
    with own.connect() as connection:
        connection.send(f"GET /v1/model?model={a_model} HTTP/1.1\r\nHost: localhost\r\nX-Request-Id: slow\r\n\r\n" + GET)
        first, second = connection.answer(), connection.answer()
        assert first.headers["x-request-id"] == "slow" and first.status == 200
        assert second.status == 200 and second.headers["x-request-id"] != "slow"


def test_byte_by_byte(server):
    with server.connect() as connection:
        for byte in GET.encode():
            connection.send(bytes([byte]))
        assert connection.answer().status == 200


def test_two_requests_cut_anywhere(server):
    data = (GET + GET).encode()
    for cut in range(1, len(data), 7):
        with server.connect() as connection:
            connection.send(data[:cut])
            time.sleep(0.002)
            connection.send(data[cut:])
            assert connection.answer().status == connection.answer().status == 200


def test_head(server):
    get = server.get("/v1/version")
    with server.connect() as connection:
        head = connection.get("/v1/version", method="HEAD")
        assert head.status == 200 and head.headers["content-length"] == str(len(get.body))
        assert connection.get("/healthz").status == 200, "the head's body was sent"


def test_half_closed_client_gets_its_answer(server):
    with server.connect() as connection:
        connection.send(GET + GET)
        connection.socket.shutdown(socket.SHUT_WR)
        statuses = [connection.answer().status]
        while statuses.count(200) < 2:
            statuses.append(connection.answer().status)
        assert set(statuses) <= {100, 200}  # 100: if an answer took a moment, the server checked whether the client was still there
        assert connection.is_closed_by_server()


def test_unknown_path(server):
    assert server.get("/nothing").status == 404
    assert server.get("/nothing").error() == "not_found"


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS"])
def test_method_not_allowed(server, method):
    answer = server.get("/v1/models", method=method)
    assert (answer.status, answer.error()) == (405, "method_not_allowed")
    assert "GET" in answer.headers["allow"] and "HEAD" in answer.headers["allow"]


def test_unknown_method(server):
    with server.connect() as connection:
        assert connection.get("/healthz", method="FROBNICATE").status == 405
        assert connection.is_closed_by_server()


def test_body_is_read_and_the_connection_goes_on(server):
    with server.connect() as connection:
        connection.send("POST /healthz HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nhello" + GET)
        assert connection.answer().status == 405
        assert connection.answer().status == 200
        connection.send("POST /healthz HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n" + GET)
        assert connection.answer().status == 405
        assert connection.answer().status == 200


def test_expect_continue(server):
    with server.connect() as connection:
        connection.send("POST /healthz HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n")
        assert connection.answer().status == 100
        connection.send("abc" + GET)
        assert connection.answer().status == 405
        assert connection.answer().status == 200


def test_body_too_large(server):
    with server.connect() as connection:
        connection.send("POST /healthz HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1048577\r\n\r\n")
        answer = connection.answer()
        assert (answer.status, answer.error()) == (413, "body_too_large")
        assert answer.headers["connection"] == "close"


def test_body_too_large_in_chunks(start):
    server = start("--max-body", "10k")
    with server.connect() as connection:
        connection.send("POST /healthz HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n")
        try:
            for _ in range(20):
                connection.send("400\r\n" + "x" * 1024 + "\r\n")
        except (BrokenPipeError, ConnectionResetError):
            pass
        assert connection.answer().error() == "body_too_large"


def test_answer_survives_a_client_that_keeps_sending(start):
    """The refused body is still on its way when the answer is sent. A plain close would reset the connection."""
    server = start("--max-body", "1k")
    for _ in range(5):
        with server.connect() as connection:
            connection.send("POST /healthz HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2000000\r\n\r\n")
            connection.send(b"x" * 1000000)
            assert connection.answer().status == 413
            assert connection.is_closed_by_server()


def test_uri_too_long(start):
    server = start("--max-url", "200")
    assert server.get("/healthz?" + "a" * 500).error() == "uri_too_long"
    assert server.get("/healthz?" + "a" * 500).status == 414
    assert server.get("/" + "a" * 150).status == 404


def test_headers_too_large(server):
    assert server.get("/healthz", "X-Large: " + "a" * 9000).status == 431
    assert server.get("/healthz", *[f"X-{i}: 1" for i in range(101)]).error() == "headers_too_large"
    assert server.get("/healthz", *[f"X-{i}: 1" for i in range(90)]).status == 200


@pytest.mark.parametrize("request_bytes", [
    b"GET /healthz HTTP/1.1\r\n\r\n",                                      # no Host
    b"GET /healthz HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
    b"GET /healthz HTTP/1.1\r\nHost: localhost:http\r\n\r\n",
    b"GET /healthz HTTP/1.1\r\nHost: localhost:80@evil.example\r\n\r\n",
    b"GET /healthz HTTP/1.1\r\nHost: localhost:65536\r\n\r\n",
    b"GET /healthz HTTP/1.1\r\nHost: localhost:80:81\r\n\r\n",
    b"GET /healthz HTTP/1.1\r\nHost: ::1\r\n\r\n",
    b"GET /healthz HTTP/1.1\r\nHost: [::1]evil.example\r\n\r\n",
    b"GET http://localhost:x/healthz HTTP/1.1\r\nHost: localhost\r\n\r\n",
    b"GET http://u@localhost/healthz HTTP/1.1\r\nHost: localhost\r\n\r\n",
    b"GET /healthz HTTP/2.0\r\nHost: a\r\n\r\n",
    b"GET /healthz\r\n\r\n",
    b"GET  /healthz HTTP/1.1\r\nHost: a\r\n\r\n",
    b"GET /healthz HTTP/1.1\nHost: a\n\n",
    b"GET /healthz HTTP/1.1\r\nHost : a\r\n\r\n",
    b"GET /healthz HTTP/1.1\r\nHost: a\r\nX: 1\r\n folded\r\n\r\n",
    b"GET /healthz HTTP/1.1\r\nHost: a\r\nX: a\0b\r\n\r\n",
    b"POST /healthz HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    b"POST /healthz HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd",
    b"POST /healthz HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n",
    b"POST /healthz HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999999999999\r\n\r\n",
    b"POST /healthz HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
    b"POST /healthz HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n",
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",              # TLS on a plain port
])
def test_bad_request(server, request_bytes):
    with server.connect() as connection:
        connection.send(request_bytes + GET.encode())
        answer = connection.answer()
        assert answer.status in (400, 413), answer.status
        assert answer.headers["connection"] == "close"
        answer.error()
        assert connection.is_closed_by_server(), "something was answered after a request that cannot be framed"


@pytest.mark.parametrize("host", ["localhost", "localhost:", "localhost:1", "127.0.0.1:65535", "[::1]", "[::1]:80"])
def test_good_hosts(server, host):
    with server.connect() as connection:
        connection.send(f"GET /v1/version HTTP/1.1\r\nHost: {host}\r\n\r\nGET http://{host}/v1/version HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert [connection.answer().status for _ in range(2)] == [200, 200]


def test_answers_before_a_bad_request_are_sent(server):
    with server.connect() as connection:
        connection.send(GET + GET + "bad\r\n\r\n")
        assert [connection.answer().status for _ in range(3)] == [200, 200, 400]


def test_request_id_is_echoed_or_made(server):
    assert server.get("/healthz", "X-Request-Id: Abc-1.2_x").headers["x-request-id"] == "Abc-1.2_x"
    made = {server.get("/healthz", "X-Request-Id: not valid").headers["x-request-id"] for _ in range(5)}
    made |= {server.get("/healthz").headers["x-request-id"] for _ in range(5)}
    assert len(made) == 10 and all(re.fullmatch(r"[0-9a-f]{16}", one) for one in made)
    assert server.get("/nothing", "X-Request-Id: " + "a" * 65).headers["x-request-id"] != "a" * 65
    with server.connect() as connection:
        connection.send("nonsense\r\n\r\n")
        assert connection.answer().headers["x-request-id"]


def test_date_and_server(server):
    headers = server.get("/healthz").headers
    assert re.fullmatch(r"(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d [A-Z][a-z][a-z] \d{4} \d\d:\d\d:\d\d GMT", headers["date"])
    assert headers["server"].startswith("posed/")


def test_slow_header_is_408(start):
    server = start("--header-timeout", "300ms")
    begin = time.monotonic()
    with server.connect() as connection:
        connection.send("GET /healthz HTTP/1.1\r\n")
        answer = connection.answer()
        assert (answer.status, answer.error()) == (408, "request_timeout")
        assert time.monotonic() - begin > 0.2
        assert connection.is_closed_by_server()


def test_dripping_header_is_408(start):
    """Bytes that keep arriving do not extend the time."""
    server = start("--header-timeout", "500ms")
    with server.connect() as connection:
        connection.send("GET /healthz HTTP/1.1\r\nX: ")
        connection.socket.settimeout(0.05)

        def is_answered():
            connection.send("x")
            try:
                return connection._more()
            except socket.timeout:
                return False
        wait_until(is_answered, "no answer while dripping")
        assert connection.answer().status == 408


def test_slow_body_is_408(start):
    server = start("--body-timeout", "300ms")
    with server.connect() as connection:
        connection.send("POST /healthz HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\nabc")
        assert connection.answer().status == 408


def test_idle_connections_are_closed_without_a_word(start):
    server = start("--idle-timeout", "300ms", "--header-timeout", "300ms")
    with server.connect() as silent, server.connect() as used:
        assert used.get("/healthz").status == 200
        assert used.is_closed_by_server()
        assert silent.is_closed_by_server()


def test_idle_time_starts_anew_with_each_request(start):
    server = start("--idle-timeout", "2s")
    with server.connect() as used, server.connect() as silent:
        assert used.get("/healthz").status == silent.get("/healthz").status == 200
        wait_until(lambda: used.get("/healthz").status == 200 and silent.is_closed_by_server(0.05))
        assert used.get("/healthz").status == 200


def test_each_of_a_crowd_above_the_limit_is_told(start):
    server = start("--max-connections", "1")
    with server.connect() as held:
        assert held.get("/healthz").status == 200
        server.signal(signal.SIGSTOP)
        crowd = [server.connect() for _ in range(200)]
        for one in crowd:
            one.socket.shutdown(socket.SHUT_WR)
        server.signal(signal.SIGCONT)
        answers = [one.answer() for one in crowd]
        assert [answer and answer.status for answer in answers] == [503] * len(crowd)
        for one in crowd:
            one.socket.close()


def test_too_many_connections(start):
    server = start("--max-connections", "3")
    held = [server.connect() for _ in range(3)]
    assert all(one.get("/healthz").status == 200 for one in held)
    with server.connect() as refused:
        answer = refused.answer()
        assert (answer.status, answer.error()) == (503, "overloaded")
        assert answer.headers["retry-after"]
        assert refused.is_closed_by_server()
    held.pop().socket.close()
    wait_until(lambda: server.get("/healthz").status == 200, "a closed connection does not make room")
    for one in held:
        one.socket.close()


def test_client_that_reads_nothing_is_held_back(start):
    """Thousands of pipelined requests and no reading: the server stops accepting them, and drops the client in time."""
    server = start("--write-timeout", "500ms")
    with server.connect() as connection:
        connection.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        request = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n" * 1000
        with pytest.raises((ConnectionResetError, BrokenPipeError)):
            for _ in range(10000):
                connection.send(request)
    assert server.get("/healthz").status == 200
    assert len([line for line in server.lines() if "path=/ " in line]) < 3000, "answers pile up"


def test_slow_reader_gets_everything(start):
    """Back-pressure starts and ends without losing an answer."""
    server = start()
    count = 500
    body = server.get("/").body
    with server.connect() as connection:
        sender = threading.Thread(target=lambda: connection.send(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n" * count))
        sender.start()
        time.sleep(0.5)
        assert all(connection.answer().body == body for _ in range(count))
        sender.join()


def test_slow_reader_is_not_taken_for_a_dead_one(start):
    """A trickle is progress, although the kernel's buffer hides it from the server for a long time."""
    server = start("--write-timeout", "2s")
    with server.connect() as connection:
        connection.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 8192)
        sender = threading.Thread(target=lambda: connection.send(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n" * 500))
        sender.start()
        for _ in range(60):
            time.sleep(0.1)
            assert connection.socket.recv(4096), "closed while the client was reading"
        sender.join()
