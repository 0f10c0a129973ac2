"""Access control: Host names, bearer tokens, origins of web pages."""
import pytest

DRAWS = False

pytestmark = pytest.mark.short

TOKEN = "0123456789abcdef-one"
BEARER = f"Authorization: Bearer {TOKEN}"


def ask(server, host="localhost", target="/v1/models", *headers, method="GET"):
    with server.connect() as connection:
        lines = "".join(line + "\r\n" for line in headers)
        connection.send(f"{method} {target} HTTP/1.1\r\nHost: {host}\r\n{lines}\r\n")
        return connection.answer(is_head=method == "HEAD")


@pytest.fixture
def token_file(tmp_path):
    path = tmp_path / "tokens"
    path.write_text(f"# of the farm\n{TOKEN}\n")
    return path


def test_a_rebound_name_is_refused_on_loopback(server):
    for host in "evil.example", "evil.example:7878", "127.0.0.1.evil.example", "169.254.1.1":
        answer = ask(server, host)
        assert (answer.status, answer.error()) == (421, "host_not_allowed")
    for host in "localhost", "127.0.0.1:1", "[::1]:7878", "app.localhost", server.address:
        assert ask(server, host).status == 200
    assert ask(server, "evil.example", "/healthz").status == 200


def test_the_host_of_an_absolute_target_counts(server):
    """The Host header is ignored then (RFC 9112, 3.2.2), as proxies do that look at the target."""
    for host, target, status in (("localhost", "http://evil.example/v1/models", 421), ("localhost", "http://localhost.evil.example:1", 421),
                                 ("evil.example", "http://localhost/v1/models", 200), ("evil.example", "HTTPS://[::1]:7878/v1/models", 200)):
        assert ask(server, host, target).status == status


def test_allowed_hosts(start):
    server = start("--allow-host", "posed.example,*.farm.example")
    assert ask(server, "posed.example:7878").status == 200
    assert ask(server, "a.farm.example").status == 200
    assert ask(server, "localhost").status == 200
    assert ask(server, "farm.example").status == 421
    assert ask(start("--allow-host", "*"), "evil.example").status == 200


def test_a_public_address_answers_any_name_and_warns(start, token_file):
    server = start("--http", "0.0.0.0:0")
    server.address = "127.0.0.1:" + server.address.rsplit(":", 1)[1]
    assert ask(server, "anything.example").status == 200
    server.wait_for_line("set --token-file")
    warned = start("--http", "0.0.0.0:0", "--token-file", token_file)
    warned.wait_for_line("serves")
    assert not any("set --token-file" in line for line in warned.lines())


def test_tokens_for_everything(start, token_file):
    server = start("--token-file", token_file)
    answer = ask(server)
    assert (answer.status, answer.error()) == (401, "unauthorized")
    assert answer.headers["www-authenticate"].startswith("Bearer")
    assert ask(server, "localhost", "/v1/models", "Authorization: Bearer 0123456789abcdef-two").status == 401
    assert ask(server, "localhost", "/v1/models", BEARER).status == 200
    assert ask(server, "localhost", "/nowhere").status == 401
    for target in "/healthz", "/readyz", "/":
        assert ask(server, "localhost", target).status == 200
    assert not any(TOKEN in line for line in server.lines())


def test_tokens_for_uploads_leave_reading_open(start, token_file):
    server = start("--token-file", token_file, "--token-for", "uploads")
    assert ask(server).status == 200
    answer = ask(server, "localhost", "/v1/models/a.glb", method="DELETE")
    assert (answer.status, answer.error()) == (401, "unauthorized")


def test_pages_of_other_origins(start):
    server = start("--cors", "https://editor.example,http://localhost:5173")
    answer = ask(server, "localhost", "/v1/models", "Origin: https://editor.example")
    assert answer.headers["access-control-allow-origin"] == "https://editor.example"
    assert "etag" in answer.headers["access-control-expose-headers"].lower()
    assert "Origin" in answer.headers["vary"]
    for origin in "https://evil.example", "null", "http://editor.example":
        answer = ask(server, "localhost", "/v1/models", "Origin: " + origin)
        assert answer.status == 200 and "access-control-allow-origin" not in answer.headers
        assert "Origin" in answer.headers["vary"]
    ahead = "Origin: https://editor.example", "Access-Control-Request-Method: POST"
    answer = ask(server, "localhost", "/v1/query", *ahead, method="OPTIONS")
    assert (answer.status, answer.body) == (204, b"")
    assert "POST" in answer.headers["access-control-allow-methods"]
    assert "Authorization" in answer.headers["access-control-allow-headers"]
    answer = ask(server, "localhost", "/v1/query", "Origin: https://evil.example", ahead[1], method="OPTIONS")
    assert answer.status == 405 and "access-control-allow-origin" not in answer.headers


def test_a_browser_asks_ahead_without_the_token(start, token_file):
    server = start("--token-file", token_file, "--cors", "*")
    answer = ask(server, "localhost", "/v1/query", "Origin: https://a.example", "Access-Control-Request-Method: POST", method="OPTIONS")
    assert (answer.status, answer.headers["access-control-allow-origin"]) == (204, "*")
    answer = ask(server, "localhost", "/v1/models", "Origin: https://a.example")
    assert (answer.status, answer.headers["access-control-allow-origin"]) == (401, "*")


def test_without_cors_no_page_is_told_anything(server):
    answer = ask(server, "localhost", "/v1/models", "Origin: https://editor.example")
    assert not [name for name in answer.headers if name.startswith("access-control")]
    answer = ask(server, "localhost", "/v1/models/a.glb", "Origin: https://editor.example", method="PUT")
    assert (answer.status, answer.error()) == (403, "origin_not_allowed")


@pytest.mark.parametrize("options, named", [
    (("--token-file", "nowhere"), "nowhere"),
    (("--token-file", "."), "."),
    (("--allow-host", "http://a"), "--allow-host"),
    (("--cors", "editor.example"), "--cors"),
    (("--token-for", "some"), "--token-for"),
])
def test_bad_options_are_named(command, tmp_path, options, named):
    code, _, complaint = command("--root", tmp_path, "--check-config", *options)
    assert code == 2 and named in complaint


def test_a_token_file_without_a_token(command, tmp_path):
    (tmp_path / "tokens").write_text("short\n")
    code, _, complaint = command("--root", tmp_path, "--check-config", "--token-file", tmp_path / "tokens")
    assert code == 2 and "line 1" in complaint and "short" not in complaint
