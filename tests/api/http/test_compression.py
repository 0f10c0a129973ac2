"""Content-Encoding: a compressed answer decodes to the same bytes, and has a tag of its own."""
import ctypes
import gzip
import json

import pytest

from conftest import SAMPLES
from importers import NO_RENDERING
from server_state import wait_for_stats
from small_models import gltf

DRAWS = False

pytestmark = pytest.mark.short
SMALL = "/v1/palette?model=robot.glb&t=0.5"
MIDDLE = "/v1/palette?model=robot.glb&t=0:0.5:30"  # compressed on the loop
WHOLE = "/v1/palette?model=robot.glb&t=0:3:30"  # made completely, compressed while it is sent
PIECES = "/v1/pose?model=robot.glb&t=0:40:30&what=local,scene"  # made and compressed while it is sent
ALL = [MIDDLE, WHOLE, PIECES, "/page/model/model.js", "/v1/bounds?model=robot.glb&t=0:20:30"]


def unzstd(data, size):
    zstd = ctypes.CDLL("libzstd.so.1")
    zstd.ZSTD_decompress.restype = ctypes.c_size_t
    zstd.ZSTD_decompress.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t]
    out = ctypes.create_string_buffer(size + 1)
    assert zstd.ZSTD_decompress(out, size + 1, data, len(data)) == size
    return out.raw[:size]


def decode(answer, size):
    coding = answer.headers.get("content-encoding")
    if coding == "gzip":
        return gzip.decompress(answer.body)
    return unzstd(answer.body, size) if coding == "zstd" else answer.body


@pytest.mark.parametrize("coding", ["gzip", "zstd"])
@pytest.mark.parametrize("target", ALL)
def test_decodes_to_the_same(server, target, coding):
    plain, coded = server.get(target), server.get(target, f"Accept-Encoding: {coding}")
    assert plain.status == coded.status == 200
    assert "content-encoding" not in plain.headers and coded.headers["content-encoding"] == coding
    assert decode(coded, len(plain.body)) == plain.body
    assert len(coded.body) < len(plain.body) / 2
    assert coded.headers["content-type"] == plain.headers["content-type"]
    for answer in (plain, coded):
        assert "Accept-Encoding" in [name.strip() for name in answer.headers["vary"].split(",")]
    assert plain.headers["etag"] != coded.headers["etag"] and coding in coded.headers["etag"]
    again = server.get(target, f"Accept-Encoding: {coding}")
    assert again.body == coded.body and again.headers.get("etag") == coded.headers.get("etag")


@pytest.mark.parametrize("target", [
    "/v1/stats", "/healthz", "/v1/version", MIDDLE + "&format=bin", PIECES + "&format=bin", "/v1/mesh?model=robot.glb&format=glb"])
def test_what_is_small_or_no_text_stays(server, target):
    answer = server.get(target, "Accept-Encoding: gzip, zstd")
    assert answer.status == 200 and "content-encoding" not in answer.headers
    assert "Accept-Encoding" not in answer.headers.get("vary", "")


@pytest.mark.parametrize("header, coding", [
    ("gzip, deflate, br, zstd", "zstd"), ("gzip, deflate", "gzip"), ("zstd;q=0.1, gzip;q=0.9", "gzip"), ("*", "gzip"),
    ("br", None), ("gzip;q=0", None), ("identity", None), ("gzip;q=0.5, identity", None), ("identity;q=0", None), ("", None),
    (";;,=q", None)])
def test_weights_are_honoured(server, header, coding):
    answer = server.get(MIDDLE, f"Accept-Encoding: {header}")
    assert answer.status == 200 and answer.headers.get("content-encoding") == coding


@pytest.mark.parametrize("target", [MIDDLE, WHOLE, PIECES])
def test_head_says_the_same(server, target):
    with server.connect() as one:
        for accepts in ("gzip", "zstd", "identity"):
            get = one.get(target, f"Accept-Encoding: {accepts}")
            head = one.get(target, f"Accept-Encoding: {accepts}", method="HEAD")
            differ = {"date", "x-request-id"}
            assert {k: v for k, v in get.headers.items() if k not in differ} == {k: v for k, v in head.headers.items() if k not in differ}


@pytest.mark.parametrize("target", [SMALL, MIDDLE, WHOLE, PIECES])
def test_a_copy_is_known_by_its_own_tag(server, target):
    tags = {accepts: server.get(target, f"Accept-Encoding: {accepts}").headers["etag"] for accepts in ("identity", "gzip", "zstd")}
    assert len(set(tags.values())) == (1 if target == SMALL else 3)
    for accepts, tag in tags.items():
        answer = server.get(target, f"Accept-Encoding: {accepts}", f'If-None-Match: "other", W/{tag}')
        assert answer.status == 304 and answer.headers["etag"] == tag and answer.body == b""
        assert "content-encoding" not in answer.headers and "Accept-Encoding" in answer.headers["vary"]
        # the plain copy is valid for every client
        answer = server.get(target, f"Accept-Encoding: {accepts}", f"If-None-Match: {tags['identity']}")
        assert answer.status == 304 and answer.headers["etag"] == tags["identity"]
    if target != SMALL:  # a client that no longer accepts gzip gets what it accepts
        answer = server.get(target, f"If-None-Match: {tags['gzip']}")
        assert answer.status == 200 and answer.headers["etag"] == tags["identity"]
        assert server.get(target, "Accept-Encoding: zstd", f"If-None-Match: {tags['gzip']}").status == 200
        # a tag of another answer with this answer's coding does not match
        other = tags["gzip"].replace(tags["identity"][1:17], "0" * 16)
        assert server.get(target, "Accept-Encoding: gzip", f"If-None-Match: {other}").status == 200


def test_repeated_queries_in_turns(server):
    """The same query by clients that accept other codings."""
    plain = server.get(MIDDLE).body
    with server.connect() as one:
        for accepts in ("gzip", "identity", "zstd", "gzip", "identity", "gzip") * 2:
            answer = one.get(MIDDLE, f"Accept-Encoding: {accepts}")
            assert answer.headers.get("content-encoding", "identity") == accepts
            assert decode(answer, len(plain)) == plain


def test_a_batch_and_a_list(server):
    body = json.dumps({"queries": [{"op": "palette", "model": "robot.glb", "t": [i / 30 for i in range(60)]}]})
    with server.connect() as one:
        for accepts in ("gzip", "zstd"):
            one.send(f"POST /v1/query HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: {accepts}\r\nContent-Length: {len(body)}\r\n\r\n{body}")
            answer = one.answer()
            assert answer.headers["content-encoding"] == accepts
            data = gzip.decompress(answer.body) if accepts == "gzip" else unzstd(answer.body, json_size(server, body))
            assert len(json.loads(data)["results"][0]["frames"]) == 60


def json_size(server, body):
    with server.connect() as one:
        one.send(f"POST /v1/query HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n\r\n{body}")
        return len(one.answer().body)


def test_http_1_0_has_no_chunks(server):
    for target, coding in ((MIDDLE, "gzip"), (WHOLE, None), (PIECES, None)):
        with server.connect() as one:
            one.send(f"GET {target} HTTP/1.0\r\nHost: localhost\r\nAccept-Encoding: gzip\r\n\r\n")
            answer = one.answer()
            assert answer.headers.get("content-encoding") == coding and "content-length" in answer.headers


def test_small_ones_stay_but_say_that_they_may_not(server):
    answer = server.get(SMALL, "Accept-Encoding: gzip")
    assert "content-encoding" not in answer.headers and answer.headers["vary"] == "Accept, Accept-Encoding"


def test_options(start):
    off = start(*NO_RENDERING, "--compress", "off", root=SAMPLES)
    answer = off.get(WHOLE, "Accept-Encoding: gzip")
    assert "content-encoding" not in answer.headers and "Accept-Encoding" not in answer.headers["vary"]
    low = start(*NO_RENDERING, "--compress-from", "100", root=SAMPLES)
    assert low.get(SMALL, "Accept-Encoding: gzip").headers["content-encoding"] == "gzip"
    assert "content-encoding" not in low.get("/healthz", "Accept-Encoding: gzip").headers


# --- slow readers ---

LARGE = "/v1/mesh?model=large.gltf&t=0:39:1"


@pytest.fixture
def slow(start, tmp_path):
    root = tmp_path / "root"
    root.mkdir()
    (root / "large.gltf").write_text(gltf(x=0.1234567, triangles=5000))
    server = start(*NO_RENDERING, root=root)
    assert server.get("/v1/model?model=large.gltf").status == 200
    return server


@pytest.mark.parametrize("coding", ["gzip", "zstd"])
def test_slow_readers(slow, coding):
    """The whole answer is compressed while it is read. A client that leaves ends its encoder, and one that stays gets everything."""
    plain = slow.get(LARGE).body
    clients = []
    for _ in range(10):
        one = slow.connect(receive_bytes=4096)
        one.send(f"GET {LARGE} HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: {coding}\r\n\r\n")
        clients.append(one)
    for one in clients[:5]:
        one.socket.close()
    for one in clients[5:]:
        answer = one.answer()
        assert answer.headers["content-encoding"] == coding and decode(answer, len(plain)) == plain
        one.socket.close()
    stats = wait_for_stats(slow, lambda stats: stats["answers"]["streaming"] == 0 and stats["connections"]["open"] == 1)
    assert stats["client_memory"]["bytes"] < 1 << 20 and stats["answers"]["broken"] == 0


@pytest.mark.parametrize("coding", ["gzip", "zstd"])
def test_cut_bodies_are_noticed(slow, coding):
    with slow.connect() as one:
        answer = one.get(LARGE, f"Accept-Encoding: {coding}")
    whole = answer.body
    plain = slow.get(LARGE).body
    for cut in (1, len(whole) // 2, len(whole) - 1):
        with pytest.raises((EOFError, OSError, AssertionError)):
            answer.body = whole[:cut]
            decode(answer, len(plain))
