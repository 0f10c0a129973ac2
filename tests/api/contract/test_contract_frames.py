"""Binary frames, parsed by protocol/frames.md, have the same bits as JSON."""
import pytest

from contract_model import Frames, bits

pytestmark = pytest.mark.short
P = "model=awkward.gltf"
TYPE = "application/vnd.posed.frames"
TARGETS = [
    "palette?t=0,0.3,2.5", "palette?t=0.3&layout=mat3x4", "palette?skin=3,0&t=0:1:10&space=root", "palette?clip=-",
    "palette?space=mesh&skin=0,4", "palette?wrap=mirror&t=3&skin=1", "palette?clip=late&wrap=clamp&t=-1,9",
    "pose?t=0.3,1.9", "pose?what=local,scene&t=0.3,-1", "pose?what=local&layout=mat3x4&joints=3,0,3",
    "pose?joints=6,1", "pose?what=local&joints=hand",
    "mesh?t=0,1.75", "mesh?t=0.3,1&rest=1&indices=1&normals=1", "mesh?mesh=1&normals=1", "mesh?mesh=body&rest=1",
]


def both(server, target):
    op, _, query = target.partition("?")
    target = f"/v1/{op}?{P}&{query}"
    binary, text = server.get(target + "&format=bin"), server.get(target + "&format=json")
    assert binary.status == text.status == 200, (binary.body, text.body)
    assert binary.headers["content-type"] == TYPE and text.headers["content-type"] == "application/json"
    return Frames(binary.body), text.json()


@pytest.mark.parametrize("target", TARGETS)
def test_head(awkward, target):
    frames, answer = both(awkward, target)
    assert frames.hash == answer["hash"]
    assert frames.kind == {"palette": 1, "pose": 2, "mesh": 3}[target.split("?")[0]]
    assert ["mat4", "mat3x4"][frames.layout] == answer.get("layout", "mat4")
    assert ["scene", "root", "mesh"][frames.space] == answer.get("space", "scene")
    assert ["loop", "clamp", "mirror"][frames.wrap] == answer["wrap"]
    assert (frames.clip, frames.duration_s) == ((-1, 0) if answer["clip"] is None else
                                                (answer["clip"]["index"], answer["clip"]["duration"]))
    assert frames.times == [(frame["time"], frame["clip_time"]) for frame in answer["frames"]]
    assert frames.frames_offset + frames.frame_count * frames.frame_bytes == frames.size_bytes


@pytest.mark.parametrize("target", [one for one in TARGETS if one.startswith("palette")])
def test_palettes(awkward, target):
    frames, answer = both(awkward, target)
    assert [block["index"] for block in frames.named("palette")] == [skin["index"] for skin in answer["skins"]]
    for f, frame in enumerate(answer["frames"]):
        for block, palette in zip(frames.blocks, frame["palettes"]):
            assert frames.bytes(block, f) == bits(sum(palette, []))


@pytest.mark.parametrize("target", [one for one in TARGETS if one.startswith("pose")])
def test_poses(awkward, target):
    frames, answer = both(awkward, target)
    nodes = [node["node"] for node in answer["nodes"]]
    assert ([frames.integers(block) for block in frames.named("nodes")] or [list(range(len(nodes)))]) == [nodes]
    for f, frame in enumerate(answer["frames"]):
        names = {"scene", "local"} & set(frame)
        assert {block["name"] for block in frames.blocks} >= names
        for block in frames.named("scene"):
            assert frames.bytes(block, f) == bits(sum(frame["scene"], []))
        for block in frames.named("local"):
            assert frames.bytes(block, f) == bits(sum((one or [0] * 10 for one in frame["local"]), []))
        sheared = [nodes.index(node) if nodes.count(node) == 1 else i for i, node in enumerate(nodes) if node == 3]
        if "local" in frame and sheared:
            assert frames.integers(frames.named("sheared")[0]) == sheared
            expected = sum((frame["local_matrix"][str(nodes[i])] for i in sheared), [])
            assert frames.bytes(frames.named("local_matrix")[0], f) == bits(expected)
        else:
            assert not frames.named("sheared") and not frames.named("local_matrix")


@pytest.mark.parametrize("target", [one for one in TARGETS if one.startswith("mesh")])
def test_meshes(awkward, target):
    frames, answer = both(awkward, target)
    for name in ("rest", "indices"):
        found = frames.named(name)
        assert len(found) == len(answer.get(name, []))
        for block, expected in zip(found, answer.get(name, [])):
            assert frames.integers(block) == expected if name == "indices" else frames.bytes(block) == bits(expected)
    for f, frame in enumerate(answer["frames"]):
        for name in ("positions", "normals"):
            found = frames.named(name)
            assert len(found) == len(frame.get(name, []))
            for e, (block, expected) in enumerate(zip(found, frame.get(name, []))):
                entry = answer["meshes"][e]
                assert (block["index"], block["node"], block["primitive"]) == (e, entry["node"], entry["primitive"])
                assert frames.bytes(block, f) == bits(expected)


@pytest.mark.parametrize("accept, is_binary", [
    (TYPE, True), (f"text/html, {TYPE}", True), (f"application/json;q=0.5, {TYPE}", True), (TYPE.upper(), True),
    (f"{TYPE};q=0.5, application/json", False), ("*/*", False), ("application/*", False), ("text/html", False),
    (f"{TYPE};q=0", False), ("image/png", False),
])
def test_accept(awkward, accept, is_binary):
    for op in ("palette", "pose", "mesh"):
        answer = awkward.get(f"/v1/{op}?{P}", "Accept: " + accept)
        assert answer.status == 200 and "Accept" in answer.headers["vary"].split(", ")
        assert answer.headers["content-type"] == (TYPE if is_binary else "application/json")
        chosen = awkward.get(f"/v1/{op}?{P}&format={'bin' if is_binary else 'json'}")
        assert chosen.body == answer.body and chosen.headers["etag"] == answer.headers["etag"]


def test_format_goes_before_accept(awkward):
    assert awkward.get(f"/v1/pose?{P}&format=json", "Accept: " + TYPE).headers["content-type"] == "application/json"
    assert awkward.get(f"/v1/pose?{P}&format=bin", "Accept: application/json").headers["content-type"] == TYPE


def test_other_answers_have_one_form(awkward):
    for target in (f"/v1/model?{P}", "/v1/models", "/v1/version", f"/v1/render?{P}&width=8&height=8"):
        assert awkward.get(target, "Accept: " + TYPE).headers["content-type"] in ("application/json", "image/png")


def test_errors_are_json_in_binary_too(awkward):
    assert awkward.get(f"/v1/palette?{P}&clip=nothing&format=bin", "Accept: " + TYPE).error() == "clip_not_found"


def test_numbers_are_shortest_and_finite(awkward):
    """Times return digit for digit, and floats read as doubles round to the same float32."""
    body = awkward.get(f"/v1/palette?{P}&t=0.1,0.30000000000000004,1e-7,1e21").body.decode()
    for text in ('"time":0.1,', '"time":0.30000000000000004,', '"time":1e-7,', '"time":1e21,'):
        assert text in body, text
    assert "NaN" not in body and "Infinity" not in body and "inf" not in body
