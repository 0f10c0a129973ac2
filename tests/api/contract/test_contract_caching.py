"""ETag, If-None-Match, hash=, HEAD, and the headers that go with them."""
import re

import pytest

from small_models import gltf

pytestmark = pytest.mark.short
P = "model=awkward.gltf"
TARGETS = [f"/v1/{op}?{P}" for op in ("model", "palette", "pose", "mesh")] + [f"/v1/render?{P}&width=16&height=16"]


def tag(server, target, *headers):
    answer = server.get(target, *headers)
    assert answer.status == 200, answer.body
    return answer.headers["etag"]


@pytest.mark.parametrize("one, other", [
    ("palette?model=awkward.gltf&clip=0&t=0.5&wrap=clamp", "palette?wrap=clamp&t=0.5&clip=0&model=awkward.gltf"),
    ("palette?model=awkward.gltf&t=0,0.5", "palette?t=0&model=awkward.gltf&t=.50"),
    ("palette?model=awkward.gltf&t=0:1:2", "palette?model=awkward.gltf&t=0,0.5,1"),
    ("palette?model=awkward.gltf", "palette?model=%61wkward.gltf&wrap=loop&space=scene&layout=mat4&format=json&t=0"),
    ("pose?model=awkward.gltf", "pose?&&model=awkward.gltf&what=scene&"),
    ("pose?model=awkward.gltf&what=local,scene", "pose?model=awkward.gltf&what=scene&what=local"),
    ("mesh?model=awkward.gltf", "mesh?model=awkward.gltf&rest=0&normals=0&indices=0"),
    ("render?model=awkward.gltf", "render?model=awkward.gltf&width=256&height=256&camera=three_quarter&background=transparent"),
    ("render?model=awkward.gltf&camera=front&t=0", "render?model=awkward.gltf&yaw=0&pitch=0&t=0"),
    ("render?model=awkward.gltf&background=ff8000", "render?model=awkward.gltf&background=FF8000ff"),
])
def test_same_question_same_tag_and_bytes(awkward, one, other):
    a, b = awkward.get("/v1/" + one), awkward.get("/v1/" + other)
    assert a.status == b.status == 200
    assert a.headers["etag"] == b.headers["etag"] and a.body == b.body
    assert re.fullmatch(r'"[!#-~]+"', a.headers["etag"])


def test_other_questions_have_other_tags(awkward):
    queries = ["", "&t=1", "&t=1,0", "&t=0,1", "&wrap=clamp", "&clip=1", "&clip=-", "&clip_name=7", "&skin=0", "&skin=0,0",
               "&skin=1", "&space=root", "&space=mesh&skin=0", "&space=mesh&skin=0&mesh=3", "&layout=mat3x4", "&format=bin"]
    tags = [tag(awkward, f"/v1/palette?{P}{query}") for query in queries]
    tags += [tag(awkward, target) for target in TARGETS if "palette" not in target]
    tags += [tag(awkward, f"/v1/render?{P}&width=16&height=16&frame=pose&t=0&{query}") for query in (
        "yaw=1", "pitch=1", "background=000000", "background=00000001", "background=000000,ffffff",
        "aa=0", "alpha=premultiplied", "compression=small", "shadow=1", "clip=1", "ortho=1", "distance=2",
        "margin=0", "fov=9", "target=0", "target_name=7", "camera=left", "allow_empty=1", "format=json")]
    tags += [tag(awkward, f"/v1/render?{P}&width=64&height=64&{query}") for query in ("t=1", "frame=pose")]
    tags += [tag(awkward, f"/v1/mesh?{P}&{query}") for query in ("rest=1", "normals=1", "indices=1", "mesh=0")]
    tags += [tag(awkward, f"/v1/pose?{P}&{query}") for query in ("what=local", "what=local,scene", "joints=0")]
    assert len(set(tags)) == len(tags)
    assert tag(awkward, f"/v1/render?{P}&background=00000000") == tag(awkward, f"/v1/render?{P}")


@pytest.mark.parametrize("value", ['{}x', '{} "b"', '{}, b', '*, {}', '"a" {}', "w/{}", "{};q=1", '"b c", {}'])
def test_what_is_no_list_of_tags_matches_nothing(awkward, value):
    target = f"/v1/palette?{P}"
    known = tag(awkward, target)
    answer = awkward.get(target, "If-None-Match: " + value.format(known))
    assert answer.status == 200 and answer.body
    assert awkward.get(target, "If-None-Match: " + f'"*" , ,{known},').status == 304


@pytest.mark.parametrize("target", TARGETS)
def test_not_modified(awkward, target):
    first = awkward.get(target)
    known = first.headers["etag"]
    for value in (known, f"W/{known}", "*", f'"a", {known}', f'"a,b",{known},"c"', f'W/"x" , W/{known}'):
        again = awkward.get(target, "If-None-Match: " + value)
        assert (again.status, again.body) == (304, b""), value
        for name in ("etag", "cache-control", "vary"):
            assert again.headers.get(name) == first.headers.get(name)
        assert "content-type" not in again.headers and again.headers["x-request-id"]
        assert awkward.get(target, "If-None-Match: " + value, method="HEAD").status == 304
    for value in ('"x"', known.strip('"'), known[:-2] + '"', "", "W/" + known.strip('"')):
        assert awkward.get(target, "If-None-Match: " + value).status == 200, value


@pytest.mark.parametrize("target", TARGETS)
def test_hash(awkward, target):
    content = awkward.json("/v1/model", model="awkward.gltf")["hash"]
    assert awkward.get(target).headers["cache-control"] == "no-cache"
    for text in (content, content.upper()):
        pinned = awkward.get(f"{target}&hash={text}")
        assert pinned.status == 200 and pinned.headers["cache-control"] == "public, max-age=31536000, immutable"
        assert pinned.body == awkward.get(target).body
    wrong = awkward.get(f"{target}&hash={'0' * 64}")
    assert (wrong.status, wrong.error()) == (409, "hash_mismatch") and wrong.headers["cache-control"] == "no-store"
    assert "etag" not in wrong.headers
    for bad in ("", "0" * 63, "0" * 65, "g" * 64, content[:-1] + "%20"):
        assert awkward.get(f"{target}&hash={bad}").error() == "bad_parameter"


@pytest.mark.parametrize("target", TARGETS + ["/v1/models", "/v1/version", "/healthz", "/livez", "/readyz", "/",
                                              f"/v1/palette?{P}&clip=nothing", "/nothing", f"/v1/palette?{P}&format=bin"])
def test_head_is_get_without_its_body(awkward, target):
    get, head = awkward.get(target), awkward.get(target, method="HEAD")
    assert head.status == get.status and head.body == b""
    other = {"date", "x-request-id"}
    assert {k: v for k, v in head.headers.items() if k not in other} == {k: v for k, v in get.headers.items() if k not in other}
    assert int(head.headers["content-length"]) == len(get.body)
    assert get.headers["x-content-type-options"] == "nosniff" and get.headers["x-request-id"]


def test_tag_changes_with_the_content_only(start, tmp_path):
    (tmp_path / "a.gltf").write_text(gltf())
    server = start(root=tmp_path)
    targets = [f"/v1/{op}?model=a.gltf" for op in ("model", "palette", "pose", "mesh")]
    first = [tag(server, target) for target in targets]
    (tmp_path / "a.gltf").write_text(gltf(x=2))
    second = [tag(server, target) for target in targets]
    assert not set(first) & set(second)
    (tmp_path / "a.gltf").unlink()
    (tmp_path / "a.gltf").write_text(gltf())
    assert [tag(server, target) for target in targets] == first


def test_cache_control_of_the_rest(awkward):
    for target in ("/v1/models", "/"):
        assert awkward.get(target).headers["cache-control"] == "no-cache"
    for target in ("/v1/version", "/healthz", "/livez", "/readyz", "/nothing", f"/v1/pose?{P}&joints=99"):
        assert awkward.get(target).headers["cache-control"] == "no-store"


def model_hash(server, name):
    return server.json("/v1/model", model=name)["hash"]


def test_hash_is_of_the_content(start, tmp_path):
    """A copy has the same content. What remains of a texture is part of it."""
    (tmp_path / "copies").mkdir()
    for name in ("plain.gltf", "copies/plain.gltf"):
        (tmp_path / name).write_text(gltf(x=1))
    for name in ("a.gltf", "b.gltf"):
        (tmp_path / name).write_text(gltf(x=1, image="skin.png"))
    server = start("--max-file", "10k", "--render-workers", "0")
    plain, missing = model_hash(server, "plain.gltf"), model_hash(server, "a.gltf")
    assert model_hash(server, "copies/plain.gltf") == plain
    assert model_hash(server, "b.gltf") == missing != plain
    (tmp_path / "skin.png").write_bytes(bytes(10241))
    assert server.json("/v1/model", model="a.gltf")["textures"][0]["state"] == "broken"
    too_large = model_hash(server, "a.gltf")
    assert model_hash(server, "b.gltf") == too_large not in (plain, missing)
    (tmp_path / "a.gltf").write_text(gltf(x=2))
    assert model_hash(server, "a.gltf") not in (plain, missing, too_large)


def test_the_renderer_is_named_with_all_that_its_bytes_depend_on(awkward):
    """The renderer's name is part of the tags of pictures: another version of a library gives another tag."""
    assert awkward.get(f"/v1/render?{P}&width=16&height=16").status == 200
    name = awkward.get("/v1/version").json()["renderer"]
    for library in ("FreeType", "DejaVu Sans", "libwebp", "giflib", "libjpeg-turbo", "isa-l", "libdeflate", "OpenEXR", "zlib"):
        assert re.search(rf", {library} \d+\.\d+", name), name
