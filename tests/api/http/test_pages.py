"""The pages for people: shells of /, /m/PATH and /embed/PATH, and their files below /page/."""
import gzip
import html
import re
from pathlib import Path
from urllib.parse import parse_qs, quote, urlsplit

import pytest
from conftest import SAMPLES

pytestmark = pytest.mark.short

TOP = Path(__file__).resolve().parents[3]
TOKEN = "0123456789abcdef-one"
PAGE_MAX_BYTES = 300_000  # gzipped: what a visitor of /m/ loads before the model
POLICY = {"default-src": "'none'", "script-src": "'self'", "style-src": "'self'", "connect-src": "'self'",
          "img-src": "'self' data: blob:", "base-uri": "'self'", "form-action": "'none'", "frame-ancestors": "'none'"}


def ask(server, target, *headers, host="localhost", method="GET"):
    with server.connect() as connection:
        lines = "".join(line + "\r\n" for line in headers)
        connection.send(f"{method} {target} HTTP/1.1\r\nHost: {host}\r\n{lines}\r\n")
        return connection.answer(is_head=method == "HEAD")


def policy_of(answer):
    return dict(part.strip().split(" ", 1) for part in answer.headers["content-security-policy"].split(";"))


def meta_of(page):
    return {name: html.unescape(content) for name, content in re.findall(r'<meta (?:property|name)="([^"]*)" content="([^"]*)">', page)}


def asset_files():
    """Each served file, by its name below /page/."""
    found = {str(file.relative_to(TOP / "clients/page")): file for file in (TOP / "clients/page").glob("*/*") if file.suffix in (".css", ".js", ".svg")}
    found |= {f"js/{file.name}": file for file in (TOP / "clients/js").glob("*.js")}
    return found | {f"shaders/{file.name}": file for file in (TOP / "shaders").iterdir()}


@pytest.mark.parametrize("target", ("/", "/?q=fox&folder=a", "/m/fox.glb", "/m/a/b%20c.glb?clip=walk&nonsense", "/embed/there/is/no/such.fbx"))
def test_a_shell_runs_nothing_but_this_server_s_files(server, target):
    answer = ask(server, target)
    page = answer.body.decode()
    assert answer.status == 200 and answer.headers["content-type"] == "text/html; charset=utf-8"
    assert policy_of(answer) == POLICY
    assert "{{" not in page and not re.search(r"<script(?![^>]*src=)|<style|\son\w+=|\sstyle=", page)
    assert not re.search(r"""(src|href)=["']?(https?:|/)""", page), "an address that is not relative"
    for name in re.findall(r'(?:src|href)="page/([^"]*)"', page):
        assert ask(server, "/page/" + name).status == 200, name


@pytest.mark.parametrize("target, up", (("/", ""), ("/m/a.glb", "../"), ("/m/a/b/c.glb?x=/y/", "../../../"), ("/embed/a%2Fb.glb", "../")))
def test_addresses_in_a_page_are_relative_to_the_server_s_own_root(server, target, up):
    page = ask(server, target).body.decode()
    assert re.search(r'<base href="([^"]*)">', page)[1] == "./" + up
    assert page.index("<base") < re.search('<link(?! rel="icon")|<script', page).start()


def test_every_file_of_the_pages_is_served_as_it_is(server):
    for name, file in asset_files().items():
        answer = ask(server, "/page/" + name)
        kind = {".css": "text/css", ".js": "text/javascript"}.get(file.suffix, "text/plain")
        assert (answer.status, answer.headers["content-type"]) == (200, kind + "; charset=utf-8"), name
        assert answer.body == file.read_bytes(), name
        assert answer.headers["cache-control"] == "no-cache"
        again = ask(server, "/page/" + name, "If-None-Match: " + answer.headers["etag"])
        assert (again.status, again.body) == (304, b"") and again.headers["etag"] == answer.headers["etag"]
        head = ask(server, "/page/" + name, method="HEAD")
        assert head.headers["content-length"] == str(len(answer.body)) and head.headers["etag"] == answer.headers["etag"]


def test_assets_are_compressed(server):
    plain = ask(server, "/page/gallery/gallery.js")
    packed = ask(server, "/page/gallery/gallery.js", "Accept-Encoding: gzip")
    assert packed.headers["content-encoding"] == "gzip" and "Accept-Encoding" in packed.headers["vary"]
    assert gzip.decompress(packed.body) == plain.body and len(packed.body) < len(plain.body) / 2
    assert ask(server, "/page/gallery/gallery.js", "Accept-Encoding: gzip", "If-None-Match: " + packed.headers["etag"]).status == 304


@pytest.mark.parametrize("name", ("", "x", "model", "model/", "model/index.html", "model/embed.html", "gallery/gallery.js/", "../http.md", "a%00b",
                                  "gallery/GALLERY.js", "README.md", "js/package.json"))
def test_other_names_are_no_assets(server, name):
    answer = ask(server, "/page/" + name)
    assert (answer.status, answer.error()) in ((404, "not_found"), (400, "bad_path")), answer.body


@pytest.mark.parametrize("target", ("/m/", "/m/../a.glb", "/m//a.glb", "/m/a%00.glb", "/m/a%2F..%2Fb.glb", "/m/a%ff.glb", "/embed/", "/embed/%2Fetc"))
def test_a_page_s_path_is_checked_as_that_of_a_model(server, target):
    assert ask(server, target).error() == "bad_path"


def test_pages_are_only_for_reading(server):
    for target in "/", "/m/a.glb", "/embed/a.glb", "/page/gallery/gallery.js":
        answer = ask(server, target, "Content-Length: 0", method="POST")
        assert (answer.status, answer.headers["allow"]) == (405, "GET, HEAD")
    head = ask(server, "/m/a.glb", method="HEAD")
    assert head.status == 200 and head.body == b"" and int(head.headers["content-length"]) > 100


@pytest.mark.skipif(not SAMPLES.is_dir(), reason="no sample models")
def test_a_link_to_a_model_has_a_title_and_a_picture(server):
    page = ask(server, "/m/robot.glb?clip=walk&t=0.25&yaw=30&panel=clips&model=other.glb&width=9&hash=1", host="localhost:80").body.decode()
    assert re.search("<title>(.*)</title>", page)[1] == "robot.glb - posed"
    meta = meta_of(page)
    assert (meta["og:title"], meta["og:type"], meta["og:site_name"]) == ("robot.glb", "website", "posed")
    picture = meta["og:image"]
    assert picture == "http://localhost:80/v1/render?model=robot.glb&width=1200&height=630&clip=walk&t=0.25&yaw=30&background=ffffff"
    assert (meta["og:image:width"], meta["og:image:height"], meta["twitter:card"]) == ("1200", "630", "summary_large_image")
    assert ask(server, picture.removeprefix("http://localhost:80")).headers["content-type"] == "image/png"
    assert "og:" not in ask(server, "/embed/robot.glb").body.decode()


@pytest.mark.skipif(not SAMPLES.is_dir(), reason="no sample models")
@pytest.mark.parametrize("state, asked", (
    ("clip=walk&clip_file=robot.glb&clip_file=dragon.glb", {"clip": ["walk"], "clip_file": ["robot.glb"]}),
    ("light=outdoor&exposure=1&tone=aces", {"light": ["outdoor"], "exposure": ["1"], "tone": ["aces"]}),
    ("light=outdoor&exposure=1&tone=aces&shadow=1&view=skeleton", {"view": ["skeleton"]})))
def test_what_the_page_has_beyond_a_picture_is_left_out_of_its_picture(server, state, asked):
    picture = meta_of(ask(server, "/m/robot.glb?" + state).body.decode())["og:image"]
    query = parse_qs(urlsplit(picture).query)
    assert {name: query[name] for name in query if name not in ("model", "width", "height", "background")} == asked
    assert ask(server, picture[picture.index("/v1/"):]).headers["content-type"] == "image/png"


@pytest.mark.parametrize("headers, address", (
    (("X-Forwarded-Proto: https",), "https://posed.test:81/"),
    (("X-Forwarded-Proto: https, http", "X-Forwarded-Host: models.example, inner:7878", "X-Forwarded-Prefix: /tools/posed/"), "https://models.example/tools/posed/"),
    (("X-Forwarded-Proto: javascript", "X-Forwarded-Host: a b", "X-Forwarded-Prefix: //evil.example"), "http://posed.test:81/"),
    (("X-Forwarded-Host: \"><script>", "X-Forwarded-Prefix: /a/../b"), "http://posed.test:81/"),
    (("X-Forwarded-Prefix: x",), "http://posed.test:81/")))
def test_the_picture_s_address_is_that_which_visitors_see(start, headers, address):
    page = ask(start("--allow-host", "*"), "/m/a.glb", *headers, host="posed.test:81").body.decode()
    assert meta_of(page)["og:image"].startswith(address + "v1/render?model=a.glb&")


NASTY = ["</title><script>alert(1)</script>.glb", "\"><img src=x onerror=alert(1)>.glb", "' onload='x.glb", "&lt;b&gt;&amp.glb", "{{head}}.glb", "ünï 龍 #1?a=b&c;d%41.glb"]


@pytest.mark.parametrize("name", NASTY)
def test_the_path_is_text_whatever_is_in_it(server, name):
    for target in "/m/", "/embed/":
        page = ask(server, target + "sub/" + quote(name, safe="")).body.decode()
        assert len(re.findall("<script", page)) == len(re.findall("<script", ask(server, target + "sub/a.glb").body.decode()))
        assert html.unescape(re.search("<title>(.*)</title>", page)[1]) == name.split("/")[-1] + " - posed"
        if target == "/m/":
            meta = meta_of(page)
            assert meta["og:title"] == "sub/" + name
            assert parse_qs(urlsplit(meta["og:image"]).query)["model"] == ["sub/" + name]


def test_shells_need_no_token_and_tell_no_picture_where_one_is_needed(start, tmp_path):
    (tmp_path / "tokens").write_text(TOKEN + "\n")
    server = start("--token-file", tmp_path / "tokens")
    for target in "/", "/m/a.glb", "/embed/a.glb", "/page/gallery/gallery.js":
        assert ask(server, target).status == 200
    assert "og:image" not in ask(server, "/m/a.glb").body.decode()
    for target in "/mx", "/v1/models", "/embed", "/pages/x":
        assert ask(server, target).status == 401, target
    edits = start("--token-file", tmp_path / "tokens", "--token-for", "uploads")
    assert "og:image" in ask(edits, "/m/a.glb").body.decode()
    assert "og:image" not in ask(start("--render-workers", "0"), "/m/a.glb").body.decode()
    assert ask(start("--allow-host", "good.example"), "/m/a.glb", host="evil.example").status == 421


def test_frames(start):
    server = start("--frame-ancestors", "self, https://Wiki.example,https://*.example.org:8443")
    assert policy_of(ask(server, "/embed/a.glb"))["frame-ancestors"] == "'self' https://wiki.example https://*.example.org:8443"
    for target in "/", "/m/a.glb":
        assert policy_of(ask(server, target))["frame-ancestors"] == "'none'", "only /embed/ is for frames"
    assert policy_of(ask(start("--frame-ancestors", "*"), "/embed/a.glb"))["frame-ancestors"] == "*"


@pytest.mark.parametrize("name", ("wiki.example", "https://", "https://a.example/path", "https://a.example;script-src *", "'none'", "https://*.", "https://a b",
                                  "https://*.*.example", "javascript:x"))
def test_bad_lists_of_frames_do_not_start(command, tmp_path, name):
    code, _, complaint = command("--root", tmp_path, "--check-config", "--frame-ancestors", name)
    assert code == 2 and "--frame-ancestors: '" in complaint


def test_a_model_s_page_is_small(server):
    """All of its files: all of clients/page except the gallery, and of the others those that its modules import."""
    names = [name for name in asset_files() if not name.startswith("gallery/")]
    size = sum(len(ask(server, target, "Accept-Encoding: gzip").body) for target in ["/m/a.glb", *("/page/" + name for name in names)])
    assert 0 < size < PAGE_MAX_BYTES


def test_pages_put_what_models_say_as_text():
    """No script of the pages turns text into markup."""
    for name, file in asset_files().items():
        if not name.startswith("shaders/"):
            assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function", file.read_text()), name
