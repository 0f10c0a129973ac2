"""/v1/export?format=posed, and libposed-eval (tests/eval/eval_probe.c) with such files: the bits of the server."""
import json
import pathlib
import random
import shutil
import struct
import sys
import urllib.parse
import urllib.request

import pytest

import contract_model
from conftest import REPOSITORY, SAMPLES, Server
from contract_model import Frames
from eval_probe import EvalProbe, LibraryError
from small_models import gltf

sys.path.insert(0, str(REPOSITORY / "tests" / "oracle"))
import random_fbx  # noqa: E402
import random_models  # noqa: E402

sys.path.insert(0, str(REPOSITORY / "tests" / "api" / "formats"))
import constraint_files  # noqa: E402

DRAWS = False

TYPE = "application/vnd.posed.model"
GLTF_SEEDS, FBX_SEEDS = range(6), range(12)
NAMES = ["dragon.glb", "robot.glb", "octopus.glb", "awkward.gltf", "crane.x", "joints.fbx", "layers.fbx", "gate.fbx", "many.glb",
         *(f"random_{seed}.gltf" for seed in GLTF_SEEDS), *(f"random_{seed}.fbx" for seed in FBX_SEEDS)]
STATUS = {"not_finite": -8, "not_rigid": -9}


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    """A server, and folder/NAME.posed of each of its models."""
    root = tmp_path_factory.mktemp("models")
    folder = tmp_path_factory.mktemp("posed")
    for name in NAMES[:3]:
        shutil.copy(SAMPLES / name, root / name)
    for name in NAMES[4:8]:
        shutil.copy(REPOSITORY / "tests" / "oracle" / "models" / name, root / name)
    (root / "many.glb").write_bytes(constraint_files.glb(constraint_files.many().document()))
    (root / "awkward.gltf").write_text(contract_model.awkward(), encoding="utf-8")
    for seed in GLTF_SEEDS:
        (root / f"random_{seed}.gltf").write_text(json.dumps(random_models.make(seed)), encoding="utf-8")
    for seed in FBX_SEEDS:
        (root / f"random_{seed}.fbx").write_text(random_fbx.make(seed), encoding="utf-8")
    running = Server(root, draws=False)
    for name in NAMES:
        answer = running.get(f"/v1/export?model={name}&format=posed")
        assert answer.status == 200, answer.body
        (folder / f"{name}.posed").write_bytes(answer.body)
    running.folder = folder
    yield running
    running.end()


@pytest.fixture(params=NAMES)
def both(models, request):
    """The server's client and the library's probe, for one model."""
    with EvalProbe(models.folder / f"{request.param}.posed") as probe:
        assert probe.first == "ready"
        yield Questions(models, request.param), probe


class Questions:
    def __init__(self, server, name):
        self.server, self.name = server, name
        self.info = server.json("/v1/model", model=name)

    def frames(self, op, **query):
        """The binary answer of a POST, or the code of its error."""
        body = json.dumps({"model": self.name, **query}).encode()
        request = urllib.request.Request(f"{self.server.url}/v1/{op}", body, {
            "Content-Type": "application/json", "Accept": "application/vnd.posed.frames"})
        try:
            with urllib.request.urlopen(request) as answer:
                return Frames(answer.read())
        except urllib.error.HTTPError as error:
            return json.loads(error.read())["error"]["code"]

    def times(self):
        """(clip, time) with times inside each clip, before and after it, and at its keys."""
        rng = random.Random(self.name)
        yield -1, 0.0
        for clip in self.info["clips"]:
            for share in (0, 1, 0.37, rng.random(), -0.4, 1.9):
                yield clip["index"], share * clip["duration"]


def same(probe, line, frames, blocks, frame=0):
    """Whether the probe returns the bytes of these blocks, or the server's error."""
    if isinstance(frames, str):
        with pytest.raises(LibraryError) as error:
            probe.ask(line)
        assert error.value.status == STATUS[frames], (line, frames, error.value)
        return
    wanted = b"".join(frames.bytes(block, frame) for block in blocks)
    assert bytes.fromhex(probe.ask(line)) == wanted, line


def clip_words(clip):
    return "-" if clip < 0 else clip


LAYOUTS = ["mat4", "mat3x4", "dualquat"]


def test_palettes_have_the_bits_of_the_server(both):
    ask, probe = both
    for clip, time_s in ask.times():
        probe.evaluate(f"clip={clip} t={time_s!r}")
        for skin in range(len(ask.info["skins"])):
            for layout, word in enumerate(LAYOUTS):
                frames = ask.frames("palette", clip=clip_words(clip), t=time_s, skin=[skin], layout=word)
                same(probe, f"palette {skin} {layout}", frames, getattr(frames, "blocks", []))


def test_poses_have_the_bits_of_the_server(both):
    ask, probe = both
    for clip, time_s in ask.times():
        probe.evaluate(f"clip={clip} t={time_s!r}")
        for layout, word in enumerate(LAYOUTS):
            frames = ask.frames("pose", clip=clip_words(clip), t=time_s, what="scene", layout=word)
            same(probe, f"nodes {layout}", frames, getattr(frames, "blocks", []))
        frames = ask.frames("pose", clip=clip_words(clip), t=time_s, what="local")
        same(probe, "locals", frames, [] if isinstance(frames, str) else frames.named("local"))
        if not isinstance(frames, str) and frames.named("sheared"):
            places = frames.integers(frames.named("sheared")[0])
            matrices = frames.bytes(frames.named("local_matrix")[0])
            assert b"".join(bytes.fromhex(probe.ask(f"local {node}")) for node in places) == matrices


def test_palettes_are_the_same_whatever_is_asked_before(both):
    ask, probe = both
    for clip, time_s in ask.times():
        line = f"clip={clip} t={time_s!r}"
        probe.evaluate(line)
        for skin in range(len(ask.info["skins"])):
            try:
                first = probe.ask(f"palette {skin} 0")
                probe.ask("nodes 0")
                probe.ask("locals")
            except LibraryError:
                continue
            assert probe.ask(f"palette {skin} 0") == first


def test_vertices_have_the_bits_of_the_server(both):
    ask, probe = both
    for clip, time_s in list(ask.times())[:5]:
        probe.evaluate(f"clip={clip} t={time_s!r}")
        frames = ask.frames("mesh", clip=clip_words(clip), t=time_s, normals=True, indices=False)
        draws = int(probe.ask("info").split(" draws")[0].split()[-1])
        for draw in range(draws):
            if isinstance(frames, str):
                break
            blocks = [frames.named(name)[draw] for name in ("positions", "normals")]
            same(probe, f"vertices {draw}", frames, blocks)


SPANS = [{}, {"wrap": "clamp", "speed": -1.5}, {"wrap": "mirror", "phase": 0.3, "from": 0.1}]


def test_root_motion_has_the_bits_of_the_server(both):
    ask, probe = both
    if not ask.info["clips"]:
        pytest.skip("no clips")
    for clip, time_s in list(ask.times())[1:]:
        for turn in (0, 1):
            query = {"clip": clip, "t": time_s, "root_motion": "extract", "yaw": turn}
            frames = ask.frames("pose", **query, what="scene")
            try:
                probe.evaluate(f"clip={clip} t={time_s!r}", entity=f"motion={1 + turn}")
            except LibraryError as error:
                assert frames == "bad_parameter" and error.status == -1
                probe.ask("evaluate")
                continue
            same(probe, "nodes 0", frames, [] if isinstance(frames, str) else frames.named("scene"))
            if not isinstance(frames, str):
                same(probe, "step", frames, frames.named("root_motion"))
            for skin in range(len(ask.info["skins"])):
                palette = ask.frames("palette", **query, skin=[skin])
                same(probe, f"palette {skin} 0", palette, [] if isinstance(palette, str) else palette.named("palette"))


def random_layers(rng, info):
    """Layers as JSON for the server and as words for the probe."""
    asked, words = [], []
    for number in range(rng.randint(2, 4)):
        clip = rng.choice(info["clips"])
        layer = {"clip": clip["index"], "t": rng.uniform(-1, 3), "weight": rng.choice([0, 0.25, 1, rng.random()])}
        line = f"clip={layer['clip']} t={layer['t']!r} weight={layer['weight']!r}"
        if number > 0 and rng.random() < 0.4:
            layer["mode"] = "additive"
            line += " additive=1"
            if rng.random() < 0.5:
                layer["reference"] = {"clip": "-"}
                line += " reference=-1"
        for key, scope in (("joints", "node"), ("subtree", "subtree"), ("except", "except")):
            if rng.random() < 0.3:
                layer[key] = [rng.randrange(len(info["nodes"]))]
                line += f" {scope}={layer[key][0]}"
        if rng.random() < 0.4:
            span = rng.choice(SPANS[1:])
            if span.get("from", 0) <= clip["duration"]:
                layer.update(span)
                for key, value in span.items():
                    line += f" {key}={['loop', 'clamp', 'mirror'].index(value) if key == 'wrap' else value}"
        asked.append(layer)
        words.append(line)
    return asked, words


def test_blends_have_the_bits_of_the_server(both):
    ask, probe = both
    if not ask.info["clips"]:
        pytest.skip("no clips")
    rng = random.Random(ask.name)
    for _ in range(12):
        layers, words = random_layers(rng, ask.info)
        probe.evaluate(*words)
        frames = ask.frames("pose", layers=layers, what="scene")
        same(probe, "nodes 0", frames, getattr(frames, "blocks", []))
        for skin in range(len(ask.info["skins"])):
            for layout, word in enumerate(LAYOUTS):
                palette = ask.frames("palette", layers=layers, skin=[skin], layout=word)
                same(probe, f"palette {skin} {layout}", palette, getattr(palette, "blocks", []))


def test_names_and_numbers_are_those_of_the_server(both):
    ask, probe = both
    info = ask.info
    words = probe.ask("info").split()
    assert int(words[0]) == len(info["nodes"]) and int(words[2]) == len(info["skins"]) and int(words[4]) == len(info["clips"])
    assert words[-1] == info["hash"]
    for what, things in (("node", info["nodes"]), ("clip", info["clips"])):
        names = [thing["name"] for thing in things]
        for index, name in enumerate(names):
            if not name or "\n" in name:
                continue
            if names.count(name) == 1:
                assert int(probe.ask(f"find {what} {name}")) == index
            else:
                with pytest.raises(LibraryError) as error:
                    probe.ask(f"find {what} {name}")
                assert error.value.status == -7
    with pytest.raises(LibraryError) as error:
        probe.ask("find clip nobody's")
    assert error.value.status == -6


def test_every_kernel_gives_the_same_bits(models):
    with EvalProbe(models.folder / "dragon.glb.posed", "map") as probe:
        answers = []
        for kernel in ("scalar", "sse2", "avx2", "avx512", "neon", "auto"):
            try:
                probe.ask(f"kernel {kernel}")
            except LibraryError as error:
                assert error.status == -1
                continue
            probe.evaluate("clip=1 t=0.77")
            answers.append(probe.ask("palette 0 0"))
        assert len(answers) >= 3 and len(set(answers)) == 1


def test_a_world_transform_is_in_palettes_and_nodes(models):
    """Rotated about z, stretched and moved: columns (0, 2, 0), (-3, 0, 0), (0, 0, 1), then (5, 6, 7)."""
    world = "0,2,0,0,-3,0,0,0,0,0,1,0,5,6,7,1"
    with EvalProbe(models.folder / "dragon.glb.posed") as probe:
        probe.evaluate("clip=0 t=0.3")
        plain = probe.floats("nodes 0").reshape(-1, 4, 4)
        probe.evaluate("clip=0 t=0.3", entity=f"world={world}")
        placed = probe.floats("nodes 0").reshape(-1, 4, 4)
        palette = probe.floats("palette 0 0").reshape(-1, 4, 4)
        for before, after in zip(plain, placed):
            x, y, z = (float(value) for value in before[3][:3])
            assert after[3][:3] == pytest.approx([-3 * y + 5, 2 * x + 6, z + 7], abs=1e-4)
        assert (palette[:, 3, 3] == 1).all()
        with pytest.raises(LibraryError) as error:
            probe.evaluate(entity="world=0,0,0,1,0,0,0,0,0,0,0,0,0,0,0,1")
        assert error.value.status == -1 and "affine" in error.value.message


# --- the server's answer ---

def test_the_file_is_answered_as_files_are(models):
    answer = models.get("/v1/export?model=robot.glb&format=posed")
    assert answer.headers["content-type"] == TYPE
    assert answer.headers["content-disposition"] == 'attachment; filename="robot.posed"'
    assert answer.body[:8] == b"posedfl\n"
    tag = answer.headers["etag"]
    assert tag.endswith('-posed"')
    assert models.get("/v1/export?model=robot.glb&format=posed", "If-None-Match: " + tag).status == 304
    assert models.get("/v1/export?model=robot.glb", "If-None-Match: " + tag).status == 200
    assert models.get("/v1/export?model=robot.glb&format=posed").body == answer.body
    assert models.get("/v1/export?model=robot.glb&format=glb").body[:4] == b"glTF"


@pytest.mark.parametrize("parameter", ["textures=none", "subtree=1", "clips=0", "clip_name=walk", "clip_file=dragon.glb",
                                       "strict=1", "up=z", "unit=m", "exact=1", "compress=meshopt"])
def test_what_is_for_glb_files_is_refused(models, parameter):
    answer = models.get(f"/v1/export?model=robot.glb&format=posed&{parameter}")
    assert answer.status == 400 and answer.error() == "bad_parameter"
    assert f"'{parameter.split('=')[0]}' does not go with format=posed" in answer.json()["error"]["message"]


RATE = 12


@pytest.mark.parametrize("name", ["awkward.gltf", "robot.glb", "dragon.glb", "joints.fbx"])
def test_a_file_with_fps_has_the_vertices_of_the_model_in_its_frames(models, tmp_path, name):
    """awkward.gltf is turned, scaled unevenly and away from the origin. Clips keep their places, names and lengths."""
    path = tmp_path / "sampled.posed"
    whole = models.get(f"/v1/export?model={name}&format=posed")
    answer = models.get(f"/v1/export?model={name}&format=posed&fps={RATE}", "If-None-Match: " + whole.headers["etag"])
    assert answer.status == 200 and answer.body != whole.body
    path.write_bytes(answer.body)
    ask = Questions(models, name)
    apart = moved = 0
    with EvalProbe(path) as probe:
        assert probe.first == "ready"
        words = probe.ask("info").split()
        assert int(words[4]) == len(ask.info["clips"]) and words[-1] == ask.info["hash"]
        for clip in ask.info["clips"]:
            at = [k / RATE for k in range(int(clip["duration"] * RATE) + 1)] + [clip["duration"], 0.5 / RATE]
            for time_s in at:
                frames = ask.frames("mesh", clip=clip["index"], t=time_s, wrap="clamp", normals=True, indices=False)
                if isinstance(frames, str):
                    continue
                probe.evaluate(f"clip={clip['index']} t={time_s!r} wrap=1")
                for draw, block in enumerate(frames.named("positions")):
                    stored = frames.bytes(block, 0)
                    wanted = struct.unpack(f"<{len(stored) // 4}f", stored)
                    found = probe.floats(f"vertices {draw}")[:len(wanted)]
                    size = max(map(abs, wanted))
                    difference = max(abs(float(a) - b) for a, b in zip(found, wanted))
                    if time_s is at[-1]:
                        apart = max(apart, difference / size)
                    else:
                        assert difference <= 2e-6 * size, (clip["name"], time_s, draw)
                    moved += 1
    assert moved > 10
    if name in ("robot.glb", "dragon.glb"):
        assert apart > 1e-5  # between frames the keys of the file are no more


@pytest.mark.short
def test_a_file_with_fps_of_clips_that_move_nothing(start, tmp_path):
    document = json.loads(gltf())
    document["animations"] = [{"name": "still", "samplers": [{"input": 0, "output": 0}], "channels": [{"sampler": 0, "target": {"path": "rotation"}}]}]
    document["accessors"][0] |= {"componentType": 5126, "type": "SCALAR", "count": 1, "min": [0], "max": [0]}
    del document["meshes"], document["nodes"][0]["mesh"]
    (tmp_path / "still.gltf").write_text(json.dumps(document), encoding="utf-8")
    answer = start().get("/v1/export?model=still.gltf&format=posed&fps=10")
    assert answer.status == 200, answer.body
    (tmp_path / "still.posed").write_bytes(answer.body)
    with EvalProbe(tmp_path / "still.posed") as probe:
        assert probe.first == "ready" and int(probe.ask("info").split()[4]) == 1


def test_a_file_that_would_be_too_large(start):
    server = start("--max-answer", "64k", root=SAMPLES)
    answer = server.get("/v1/export?model=robot.glb&format=posed")
    assert answer.status == 400 and answer.error() == "too_many_frames"


# --- refused files ---

def opened(path, *words):
    with EvalProbe(path, *words) as probe:
        return probe.first


def test_damaged_files_are_refused(models, tmp_path):
    whole = (models.folder / "joints.fbx.posed").read_bytes()
    rng = random.Random(7)
    path = tmp_path / "damaged.posed"
    for words in ([], ["map"]):
        for size in [0, 1, 7, 63, 64, len(whole) // 2, len(whole) - 1]:
            path.write_bytes(whole[:size])
            assert opened(path, *words).startswith("error -3 0 '"), size
        for _ in range(20):
            changed = bytearray(whole)
            changed[rng.randrange(len(whole))] ^= 1 << rng.randrange(8)
            path.write_bytes(changed)
            first = opened(path, *words)
            assert first.startswith("error -3 0 '") and str(path) in first, first
        path.write_bytes(whole)
        assert opened(path, *words) == "ready"


def test_files_that_cannot_be_read(tmp_path):
    missing = opened(tmp_path / "missing.posed")
    assert missing.startswith("error -2 2 cannot read '") and missing.endswith("No such file or directory")
    assert opened(tmp_path).startswith("error -2 21 cannot read '")
    assert opened(pathlib.Path("/dev/null")).startswith("error -2 22 cannot read '")
