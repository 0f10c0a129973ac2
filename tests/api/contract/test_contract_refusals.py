"""Unknown input is refused with the parameter's name, never guessed at."""
import pytest

pytestmark = pytest.mark.short
P = "model=awkward.gltf"
OPS = ["model", "palette", "pose", "mesh", "render"]


def refused(server, target, code, *words):
    answer = server.get(target)
    assert (answer.status, answer.error()) == (400, code), (target, answer.body)
    assert answer.headers["cache-control"] == "no-store" and "etag" not in answer.headers
    message = answer.json()["error"]["message"]
    assert all(word in message for word in words), (message, words)
    assert "\n" not in message and not message.endswith(".")


@pytest.mark.parametrize("target, near", [
    (f"/v1/render?{P}&wdth=9", "width"), (f"/v1/render?{P}&backgroud=fff", "background"), (f"/v1/palette?{P}&skn=0", "skin"),
    (f"/v1/palette?{P}&T=0", "'t'"), (f"/v1/palette?{P}&lay%6fut_=mat4", "layout"), ("/v1/palette?modle=awkward.gltf", "model"),
    (f"/v1/pose?{P}&jonts=0", "joints"), (f"/v1/mesh?{P}&normal=1", "normals"), ("/v1/models?limt=3", "limit"),
    (f"/v1/palette?{P}&widht=9", "widht"), (f"/v1/palette?{P}&Format=bin", "format"),
    (f"/v1/palette?{P}&width=9", "/v1/render"), (f"/v1/render?{P}&indices=1", "/v1/mesh"),
    (f"/v1/model?{P}&t=0", "/v1/palette"), (f"/v1/palette?{P}&=1", ""), (f"/v1/palette?{P}&unheard=1", "protocol/http.md"),
    ("/healthz?x=1", "none"), ("/v1/version?v", "none"), ("/livez?verbose", "none"), ("/page/js/client.js?v", "none"),
])
def test_unknown_parameters(awkward, target, near):
    refused(awkward, target, "unknown_parameter", near)


@pytest.mark.parametrize("query", [
    f"palette?{P}&{P}", f"palette?{P}&clip=0&clip=0", f"palette?{P}&clip=0&clip_name=bend", f"palette?{P}&wrap=loop&wrap=loop",
    f"palette?{P}&space=root&space=root", f"palette?{P}&format=bin&format=bin", f"palette?{P}&layout=mat4&layout=mat4",
    f"render?{P}&width=1&width=1", f"render?{P}&yaw=0&y%61w=0", f"mesh?{P}&rest=1&rest=1", f"mesh?{P}&mesh=0&mesh=0",
    f"model?{P}&hash={'0' * 64}&hash={'0' * 64}", "models?limit=1&limit=1", "models?prefix=&prefix=",
])
def test_duplicates(awkward, query):
    refused(awkward, "/v1/" + query, "duplicate_parameter", "")


@pytest.mark.parametrize("op", OPS)
def test_model_is_needed(awkward, op):
    refused(awkward, f"/v1/{op}", "missing_parameter", "'model'")
    refused(awkward, f"/v1/{op}?model=", "bad_path")


@pytest.mark.parametrize("query", [
    "palette?wrap=Loop", "palette?wrap=", "palette?wrap=loop,clamp", "palette?space=local", "palette?layout=mat4x4",
    "palette?format=xml", "palette?format=", "palette?skin=", "palette?skin=0,", "palette?skin=99999999999999999999",
    "palette?clip=", "palette?clip=99999999999", "palette?mesh=0", "palette?space=mesh&mesh=", "pose?what=global",
    "pose?what=", "pose?what=local,", "pose?joints=", "pose?joints=,", "mesh?indices=yes", "mesh?indices=", "mesh?indices=2",
    "mesh?rest=yes", "mesh?normals=01", "mesh?mesh=", "render?width=0", "render?width=-1", "render?width=4097",
    "render?width=1e2", "render?width=", "render?width=99999999999999999999", "render?height=0", "render?height=12.5",
    "render?background=red", "render?background=%23ffffff", "render?background=fff", "render?background=fffffg",
    "render?background=", "render?background=fffffff", "render?yaw=nan", "render?yaw=inf", "render?yaw=", "render?yaw=1e999",
    "render?yaw=90deg", "render?pitch=91", "render?pitch=-90.001", "render?pitch=nan", "render?t=0,1", "render?t=0&t=1",
    "render?t=0:1:2", "palette?clip=%ff", "palette?clip=%zz", "palette?clip=%4", "palette?clip=%", "palette?clip=a%00b",
    "palette?clip=%c0%80", "palette?clip=%ed%a0%80", "pose?joint_name=%00", "palette?layout=mat4%20",
])
def test_bad_values(awkward, query):
    op, _, rest = query.partition("?")
    name = rest.split("&")[-1].split("=")[0]
    refused(awkward, f"/v1/{op}?{P}&{rest}", "bad_parameter", f"'{name}'")


@pytest.mark.parametrize("query", ["limit=0", "limit=1001", "limit=-1", "limit=x", "limit=", "prefix=%ff", "after=%00"])
def test_bad_lists(awkward, query):
    refused(awkward, "/v1/models?" + query, "bad_parameter", f"'{query.split('=')[0]}'")


def test_refused_before_the_model_is_looked_at(awkward):
    refused(awkward, "/v1/palette?model=nothing.gltf&wrp=loop", "unknown_parameter", "wrap")


@pytest.mark.parametrize("target, near", [("/v1/palete?x", "/v1/palette"), ("/v1/palette/", "/v1/palette"), ("/v1", ""),
                                          ("/V1/MODELS", ""), ("/healthy", "/healthz"), ("/v1/%70ose", "")])
def test_unknown_resources(awkward, target, near):
    answer = awkward.get(target)
    assert (answer.status, answer.error()) == (404, "not_found") and near in answer.json()["error"]["message"]
    assert set(answer.json()) == {"error"} and set(answer.json()["error"]) == {"code", "message"}
