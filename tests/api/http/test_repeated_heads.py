"""Requests whose heads repeat the previous one of their connection, except for the number of its time. The server decides nothing about
such a head again: access, the client behind a proxy, the accepted coding, the query. Each answer is the same as on a fresh connection."""
import json
import os
import shutil
import signal

import pytest

from conftest import SAMPLES, Connection, wait_until
from importers import NO_RENDERING
from small_models import gltf, place

DRAWS = False

pytestmark = pytest.mark.short
TOKEN, OTHER = "0123456789abcdef-one", "0123456789abcdef-two"
TARGET = "/v1/palette?model=robot.glb&clip=0&format=bin&t={}"
TRACE = "traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
HOST, BEARER, ORIGIN, GZIP = "Host: localhost", f"Authorization: Bearer {TOKEN}", "Origin: https://a.example", "Accept-Encoding: gzip"
BASE = (HOST, BEARER, ORIGIN, GZIP, TRACE, "X-Request-Id: one", 'If-None-Match: "x"')


@pytest.fixture
def tokens(tmp_path):
    file = tmp_path / "tokens"
    file.write_text(f"{TOKEN}\n{OTHER}\n")
    return file


@pytest.fixture
def root(tmp_path):
    folder = tmp_path / "root"
    folder.mkdir()
    shutil.copy(SAMPLES / "robot.glb", folder)
    return folder


def ask(connection, t, *lines, target=TARGET, version="1.1"):
    """(status, headers without those that differ from one answer to the next, body)"""
    connection.send(f"GET {target.format(t)} HTTP/{version}\r\n" + "".join(line + "\r\n" for line in lines) + "\r\n")
    answer = connection.answer()
    return answer.status, {name: value for name, value in answer.headers.items() if name != "date"}, answer.body


def fresh(server, t, *lines, **options):
    with server.connect() as connection:
        return ask(connection, t, *lines, **options)


def repeated(server):
    """How many requests were answered by a prepared query."""
    return server.json("/v1/stats")["requests"]["repeated"]


VARIANTS = [
    ("Accept-Encoding", GZIP, "Accept-Encoding: gziq", 200), ("coding of JSON", GZIP, "Accept-Encoding: zstd", 200),
    ("Host", HOST, "Host: localhosu", 421), ("Authorization", BEARER, BEARER[:-1] + "f", 401), ("another token", BEARER, f"Authorization: Bearer {OTHER}", 200),
    ("Origin", ORIGIN, "Origin: https://b.example", 200), ("trace", TRACE, TRACE[:-1] + "0", 200), ("no trace", TRACE, TRACE[:-1] + "x", 200),
    ("id", "X-Request-Id: one", "X-Request-Id: onf", 200), ("longer id", "X-Request-Id: one", "X-Request-Id: one-two-three", 200),
    ("tag", 'If-None-Match: "x"', 'If-None-Match: *', 304), ("closing", GZIP, "Connection: close", 200)]


@pytest.mark.parametrize("shape", ["format=bin", "format=json&layout=mat3x4"])
@pytest.mark.parametrize("name, line, other, status", VARIANTS, ids=[row[0] for row in VARIANTS])
def test_one_other_byte(start, root, tokens, shape, name, line, other, status):
    """After repeats of one head, the other head is judged for itself, and its repeats, too."""
    server = start("--token-file", tokens, "--token-for", "all", "--cors", "https://a.example", "--allow-host", "localhost", "--compress-from", "1",
                   *NO_RENDERING, root=root)
    target = TARGET.replace("format=bin", shape)
    changed = tuple(other if one == line else one for one in BASE)
    expected = [(fresh(server, t, *BASE, target=target), fresh(server, t, *changed, target=target)) for t in (0.25, 1.5)]
    assert expected[0][0][0] == 200 and expected[0][1][0] == status and expected[0][0][2] != expected[1][0][2]
    with server.connect() as connection:
        for _ in range(3):
            for i in range(4):
                assert ask(connection, (0.25, 1.5)[i % 2], *BASE, target=target) == expected[i % 2][0], i
            for i in range(1 if name == "closing" else 3):
                assert ask(connection, (0.25, 1.5)[i % 2], *changed, target=target) == expected[i % 2][1], i
            if name == "closing":
                assert connection.is_closed_by_server()
                return


def test_tags_of_compressed_answers(start, root):
    """A tag with the suffix of a coding is rewritten for each request."""
    server = start("--compress-from", "1", *NO_RENDERING, root=root)
    target = TARGET.replace("format=bin", "format=json")
    tags = [fresh(server, t, HOST, GZIP, target=target)[1]["etag"] for t in (0.25, 1.5)]
    with server.connect() as connection, server.connect() as other:
        for turn in range(3):
            for i in 0, 1, 0, 1:
                wanted = f"If-None-Match: {tags[0]}"
                status, headers, body = ask(connection, (0.25, 1.5)[i], HOST, GZIP, wanted, target=target)
                assert (status, headers["etag"]) == ((304, tags[0]) if i == 0 else (200, tags[1])), (turn, i)
                ask(other, 0.5, HOST, GZIP, f"If-None-Match: {tags[1]}", target=target)


def test_numbers_of_every_length(start, root):
    """Longer and shorter numbers move what follows them in the head, which may move to other memory."""
    server = start(*NO_RENDERING, root=root)
    numbers = ["0.5", "1", "0." + "3" * 37, "1", "0." + "3" * 38, "0.25", "0." + "3" * 60, "0.25", "1-2", "0.25", "--", "1e400", "1.5", "", "1.5",
               "0000.500000000", "-1", "1e-3", "1,2", "1.5", "0:1:3", "0.5"]
    for target in TARGET, "/v1/palette?t={}&model=robot.glb&clip=0&format=bin", "/v1/palette?t={}&t=1&model=robot.glb&format=bin":
        with server.connect() as connection:
            for number in numbers * 3:
                again = ask(connection, number, HOST, "X-Request-Id: a", target=target)
                assert again == fresh(server, number, HOST, "X-Request-Id: a", target=target), number


def test_a_token_is_revoked_between_two_repeats(start, root, tokens):
    server = start("--token-file", tokens, "--token-for", "all", *NO_RENDERING, root=root)
    with server.connect() as revoked, server.connect() as kept:
        stays = f"Authorization: Bearer {OTHER}"
        for i in range(4):
            assert [ask(revoked, i / 8, HOST, BEARER)[0], ask(kept, i / 8, HOST, stays)[0]] == [200, 200]
        before = repeated_with(server, OTHER)
        assert before >= 4
        tokens.write_text(f"{OTHER}\n")
        server.signal(signal.SIGHUP)
        server.wait_for_line("(0 added, 1 removed)")
        for i in range(4):
            assert [ask(revoked, i / 8, HOST, BEARER)[0], ask(kept, i / 8, HOST, stays)[0]] == [401, 200]
        tokens.write_text(f"{OTHER}\n{TOKEN}\n")
        server.signal(signal.SIGHUP)
        server.wait_for_line("(1 added, 0 removed)")
        assert ask(revoked, 0.5, HOST, BEARER)[0] == 200


def repeated_with(server, token):
    return server.get("/v1/stats", f"Authorization: Bearer {token}").json()["requests"]["repeated"]


def test_hosts_and_origins_change_between_two_repeats(start, root, tmp_path):
    hosts, origins = tmp_path / "hosts", tmp_path / "origins"
    hosts.write_text("a.example\n")
    origins.write_text("https://a.example\n")
    server = start("--allow-host", f"@{hosts}", "--cors", f"@{origins}", *NO_RENDERING, root=root)

    def turn(connection, status, allowed):
        for i in range(4):
            answer = ask(connection, i / 8, "Host: a.example", ORIGIN)
            assert (answer[0], answer[1].get("access-control-allow-origin"), answer[1].get("vary")) == (status, allowed, vary), i

    with server.connect() as connection:
        vary = "Accept, Origin"
        turn(connection, 200, "https://a.example")
        origins.write_text("https://b.example\n")
        server.signal(signal.SIGHUP)
        server.wait_for_line("--allow-host unchanged, --cors changed")
        turn(connection, 200, None)
        origins.write_text("*\n")
        server.signal(signal.SIGHUP)
        wait_until(lambda: sum("--cors changed" in line for line in server.lines()) == 2, "the origins are not read again")
        vary = "Accept"
        turn(connection, 200, "*")
        hosts.write_text("b.example\n")
        server.signal(signal.SIGHUP)
        server.wait_for_line("--allow-host changed")
        vary = None
        turn(connection, 421, "*")


def test_a_file_is_replaced_between_two_repeats(start, root):
    """By one whose answers have another size, by one with warnings, and by none."""
    server = start(*NO_RENDERING, root=root)
    target = "/v1/palette?model=a.glb&clip=0&format=bin&t={}"
    samples = "robot.glb", "dragon.glb", "robot.glb"
    sizes = set()
    with server.connect() as connection:
        for sample in samples:
            shutil.copy(SAMPLES / sample, root / "other")
            os.replace(root / "other", root / "a.glb")
            for i in range(4):
                again = ask(connection, i / 8, HOST, "X-Request-Id: a", target=target)
                assert again == fresh(server, i / 8, HOST, "X-Request-Id: a", target=target)
                assert again[0] == 200
            sizes.add(len(again[2]))
        (root / "a.glb").unlink()
        assert ask(connection, 1, HOST, "X-Request-Id: a", target=target)[0] == 404
        assert ask(connection, 1, HOST, "X-Request-Id: a", target=target)[0] == 404
    assert len(sizes) == 2


def test_a_file_with_warnings_between_two_repeats(start, root):
    server = start(*NO_RENDERING, root=root)
    target = "/v1/palette?model=a.gltf&t={}"
    with server.connect() as connection:
        for x, is_warned in (1, False), (2, True), (3, False):
            model = json.loads(gltf(x=x))
            if is_warned:
                model["extensionsUsed"] = ["VENDOR_unknown"]
            (root / "other").write_text(json.dumps(model))
            os.replace(root / "other", root / "a.gltf")
            for i in range(4):
                connection.send(f"GET {target.format(i)} HTTP/1.1\r\nHost: localhost\r\n\r\n")
                answer = connection.answer()
                assert place(answer) == x and ("x-posed-warnings" in answer.headers) == is_warned, (x, i)


def test_a_query_is_dropped_between_two_repeats(start, root):
    """The queries of other connections take its place."""
    server = start("--loops", "1", *NO_RENDERING, root=root)
    with server.connect() as connection, server.connect() as other:
        expected = [fresh(server, i / 4, HOST, "X-Request-Id: a") for i in range(4)]
        for turn in range(3):
            for i in range(4):
                assert ask(connection, i / 4, HOST, "X-Request-Id: a") == expected[i]
            for i in range(600):
                assert other.get(f"/v1/palette?model=robot.glb&clip=0&format=bin&phase={(i + turn) / 1024}&t=0").status == 200


def test_pipelined(start, root):
    """Repeats that come together, with others between them."""
    server = start(*NO_RENDERING, root=root)
    heads = [(i / 16, ("X-Request-Id: a",) if i % 10 else ("X-Request-Id: b", GZIP)) for i in range(60)]
    expected = [fresh(server, t, HOST, *lines) for t, lines in heads]
    text = "".join(f"GET {TARGET.format(t)} HTTP/1.1\r\n" + "".join(line + "\r\n" for line in (HOST, *lines)) + "\r\n" for t, lines in heads)
    with server.connect() as connection:
        for step in (len(text), 301, 97):
            for at in range(0, len(text), step):
                connection.send(text[at:at + step])
            for one in expected:
                answer = connection.answer()
                assert (answer.status, {n: v for n, v in answer.headers.items() if n != "date"}, answer.body) == one
    assert repeated(server) > 150


def test_made_ids_differ(start, root):
    server = start(*NO_RENDERING, root=root)
    with server.connect() as connection:
        ids = [ask(connection, i / 8, HOST)[1]["x-request-id"] for i in range(12)]
    assert len(set(ids)) == 12 and all(len(one) == 16 for one in ids)
    lines = [line for line in server.lines() if "operation=palette" in line]
    wait_until(lambda: all(any(f"id={one}" in line for line in server.lines()) for one in ids), f"not all are logged: {lines}")


def test_the_admin_port(start, root):
    server = start("--admin", "127.0.0.1:0", *NO_RENDERING, root=root)
    admin = Connection(server.ports["admin"])
    for i in range(4):
        assert fresh(server, i / 8, HOST)[0] == 200
        assert ask(admin, i / 8, HOST)[0] == 404
    admin.socket.close()


def test_the_client_behind_a_proxy(start, root):
    """The log names the client of each request."""
    server = start("--log", "json", "--trusted-proxy", "127.0.0.1", *NO_RENDERING, root=root)
    clients = ["203.0.113.9"] * 4 + ["203.0.113.8"] * 3 + ["203.0.113.9"] * 2
    with server.connect() as connection:
        for i, client in enumerate(clients):
            assert ask(connection, f"0.{i}25", HOST, f"X-Forwarded-For: {client}", TRACE)[0] == 200
        for i in range(3):
            assert ask(connection, f"1.{i}25", HOST)[0] == 200

    def lines():
        return [one for one in (json.loads(line) for line in server.lines() if line.startswith("{")) if one.get("operation") == "palette"]

    wait_until(lambda: len(lines()) == 12, "not all are logged")
    for i, client in enumerate(clients):
        line = lines()[i]
        assert (line["remote"], line["path"], line["trace"]) == (client, TARGET.format(f"0.{i}25"), TRACE.split("-")[1]), line
    assert all(line["remote"].startswith("127.0.0.1:") and "trace" not in line for line in lines()[9:])


def test_the_old_version_of_http(start, root):
    server = start(*NO_RENDERING, root=root)
    lines = "Connection: keep-alive", "X-Request-Id: a"
    expected = [fresh(server, i / 8, *lines, version="1.0") for i in range(4)]
    assert expected[0][1]["connection"] == "keep-alive"
    with server.connect() as connection:
        for i in (0, 1, 2, 3, 2, 1):
            assert ask(connection, i / 8, *lines, version="1.0") == expected[i]
