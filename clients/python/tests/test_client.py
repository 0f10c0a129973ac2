"""The client with a real server: errors, pictures, lists, batches, uploads, threads, lost connections."""
import concurrent.futures
import io
import pathlib
import socket
import struct
import zlib

import pytest

import posed
from conftest import WAYS, addresses, start


@pytest.mark.parametrize("ask, code, status", [
    (lambda c: c.model("robot.glb").palette("wlak"), "clip_not_found", 404),
    (lambda c: c.model("robot.glb").palette(99), "clip_not_found", 404),
    (lambda c: c.model("robot.glb").palette(skin="nobody"), "skin_not_found", 404),
    (lambda c: c.model("awkward.gltf").pose(0, joints=["twin"]), "ambiguous_name", 409),
    (lambda c: c.model("robot.glb").pose(0, joints=[4, "hand_rihgt"]), "joint_not_found", 404),
    (lambda c: c.model("nobody.glb").info(), "model_not_found", 404),
    (lambda c: c.model("nobody.glb").palette(), "model_not_found", 404),
    (lambda c: c.model("../robot.glb").palette(), "bad_path", 400),
    (lambda c: c.model("robot.glb").palette(0, wrap="bounce"), "bad_parameter", 400),
    (lambda c: c.model("robot.glb").palette(0, 0.5, wdth=3), "unknown_parameter", 400),
    (lambda c: c.model("robot.glb").palette(0, "0:1000:1000"), "too_many_frames", 400),
    (lambda c: c.model("robot.glb").palette(0, float("nan")), "bad_parameter", 400),
    (lambda c: c.model("robot.glb").palette(0, hash="0" * 64), "hash_mismatch", 409),
    (lambda c: c.model("robot.glb").mesh(0, mesh="nothing"), "mesh_not_found", 404),
    (lambda c: c.model("robot.glb").render(width=99999), "bad_parameter", 400),
    (lambda c: c.model("robot.glb").render(0, 0.5, yaw=3, width=99999), "bad_parameter", 400),
    (lambda c: c.ask("/v1/nothing"), "not_found", 404),
])
def test_errors_are_exceptions_with_the_servers_code(client, ask, code, status):
    with pytest.raises(posed.PosedError) as caught:
        ask(client)
    error = caught.value
    assert (error.code, error.status) == (code, status)
    assert error.message and code in str(error)


def test_an_unknown_name_has_candidates(client):
    with pytest.raises(posed.PosedError) as caught:
        client.model("robot.glb").palette("wlak")
    assert caught.value.candidates[0] == {"index": 0, "name": "walk"}
    assert "; there are 0 'walk', 1 'wave'" in str(caught.value)


def test_names_of_digits_and_commas_are_names(client):
    model = client.model("awkward.gltf")
    assert model.pose(0, joints="7").nodes == (9,)
    assert model.pose(0, joints=["a,b+c", "7"]).nodes == (10, 9)
    assert model.pose(0, joints=7).nodes == (7,)
    with pytest.raises(ValueError, match="use indices"):
        model.pose(0, joints=["7", 2])


def test_joints_may_have_other_names(client):
    model = client.model("robot.glb")
    rules = {"hand_*": "hand,*", "head": "cap"}
    own, some = model.pose("walk", 0.3), model.pose("walk", 0.3, clip_file="robot.glb", rename_joints=rules)
    assert some.scene.shape == own.scene.shape and not (some.scene == own.scene).all()
    listed = model.pose("walk", 0.3, clip_file="robot.glb", rename_joints=[f"{old}={new}" for old, new in rules.items()])
    assert (listed.scene == some.scene).all()
    assert (model.pose("walk", 0.3, clip_file="robot.glb", rename_joints="none:*=*").scene == own.scene).all()


@pytest.mark.parametrize("options", [dict(t=[]), dict(joints=[])])
def test_empty_lists_are_refused(client, options):
    with pytest.raises(ValueError, match="empty list"):
        client.model("robot.glb").pose(0, **options)


def test_long_questions_travel_as_a_body(client):
    times = [i / 997 for i in range(3000)]
    pose = client.model("robot.glb").pose("walk", times, joints="head")
    assert pose.times == tuple(times) and pose.scene.shape == (3000, 1, 4, 4)
    assert client.json("/v1/pose", model="robot.glb", t=times, joints="head")["frames"][2999]["time"] == times[-1]


def pixels_of(picture):
    """Return (width, height, bits and kind of colour) of a PNG, after checking all sums."""
    data, at, kinds = bytes(picture), 8, []
    while at < len(data):
        size, = struct.unpack_from(">I", data, at)
        assert zlib.crc32(data[at + 4:at + 8 + size]) == struct.unpack_from(">I", data, at + 8 + size)[0]
        kinds.append(data[at + 4:at + 8])
        at += 12 + size
    assert kinds[0] == b"IHDR" and kinds[-1] == b"IEND"
    return struct.unpack_from(">II", data, 16)


def test_pictures_are_bytes_that_a_notebook_shows(server):
    pictures = []
    for way in WAYS:
        with posed.connect(addresses(server)[way]) as client:
            robot = client.model("robot.glb")
            pictures.append([robot.render(), robot.render("walk", 0.5, width=64, height=48, yaw=30, background="204080"),
                             robot.render("walk", 0.5, width=64, height=48, view="depth", camera="back")])
    assert all(others == pictures[0] for others in pictures)
    first, second, third = pictures[0]
    assert isinstance(first, bytes) and first._repr_png_() == first and pixels_of(first) == (256, 256)
    assert pixels_of(second) == pixels_of(third) == (64, 48) and second != third
    assert "IHDR" not in repr(first) and first.content_type == "image/png"


def test_sheets_and_animations(client):
    robot = client.model("robot.glb")
    sheet = robot.sheet(clip="walk", frames=4, width=32, height=16)
    assert pixels_of(sheet)[0] * pixels_of(sheet)[1] >= 4 * 32 * 16 and sheet != robot.turntable(clip="walk", frames=4, width=32, height=16)
    moving = robot.turntable(clip="walk", frames=3, width=32, height=32, format="webp")
    assert moving[8:12] == b"WEBP" and moving.content_type == "image/webp" and moving._repr_png_() is None
    assert moving._repr_mimebundle_() == {"image/webp": bytes(moving)}
    assert client.json("/v1/sheet", model="robot.glb", clip="walk", frames=4, format="json")


def test_a_picture_can_be_saved(server, tmp_path):
    picture = server.model("robot.glb").render("walk", 0.5, width=32, height=32)
    picture.save(tmp_path / "robot.png")
    assert (tmp_path / "robot.png").read_bytes() == picture


def test_passes_of_a_picture_are_arrays(server):
    numpy = pytest.importorskip("numpy")
    robot = server.model("robot.glb")
    passes = robot.render("walk", 0.5, width=32, height=24, passes=["depth", "normal", "motion"], t2=0.6)
    found = passes.arrays()
    assert {name: array.shape for name, array in found.items()} == {
        "depth": (24, 32), "normal": (24, 32, 3), "motion": (24, 32, 2), "camera_k": (3, 3), "camera_from_scene_opencv": (4, 4),
        "camera_from_scene_opengl": (4, 4), "near_far": (2,)}
    k, near_far = found["camera_k"], found["near_far"].tolist()
    camera = {"fx": k[0, 0], "fy": k[1, 1], "cx": k[0, 2], "cy": k[1, 2], "near": near_far[0], "far": near_far[1], "convention": "opencv",
              "camera_from_scene": found["camera_from_scene_opencv"].T.ravel()}
    assert robot.render("walk", 0.5, width=32, height=24, camera=camera) == robot.render("walk", 0.5, width=32, height=24)
    shown = numpy.isfinite(found["depth"])
    assert shown.any() and (numpy.linalg.norm(found["normal"], axis=2) > 0.99).tolist() == shown.tolist()
    assert passes.content_type == "application/zip" and list(passes._repr_mimebundle_()) == ["text/plain"]
    with pytest.raises(posed.ProtocolError):
        robot.render("walk", 0.5, width=32, height=32).arrays()


def test_the_list_of_models_has_all_pages(tmp_path):
    for i in range(1001):
        (tmp_path / f"{i:04}.glb").touch()
    with start(tmp_path) as server:
        assert [entry["model"] for entry in server.models()] == [f"{i:04}.glb" for i in range(1001)]


def test_other_operations(client):
    models = client.models()
    assert isinstance(models, list) and [entry["model"] for entry in models] == ["awkward.gltf", "robot.glb"]
    assert [entry["model"] for entry in client.models(prefix="rob")] == ["robot.glb"]
    assert client.version()["name"] == "posed"
    assert client.stats()["connections"]["open"] >= 1
    assert {"gltf", "fbx"} <= {entry["ending"] for entry in client.formats()}
    light = client.environment(light="flat")
    assert light.kind == "environment" and list(light.array(light.find("harmonics"))[0]) == pytest.approx([1, 1, 1], abs=1e-3)
    assert list(light.array(light.find("light_map", 1))[0]) == pytest.approx([1, 1, 1, 1], abs=1e-2)
    robot = client.model("robot.glb")
    assert [clip["name"] for clip in robot.info()["clips"]] == ["walk", "wave", "dance"]
    assert robot.bounds("walk", over="clip")["whole"]["bounds"]["max"][1] > 1
    assert robot.compare("robot.glb", "walk", tolerance=0.01)["equal"] and not robot.compare("awkward.gltf")["equal"]
    assert robot.glb("walk", 0.5, textures="none")[:4] == b"glTF"
    assert robot.export(clips=["walk"], textures="none")[:4] == b"glTF"


def test_a_batch_answers_each(client):
    pose, wrong, model = client.batch([{"op": "pose", "model": "robot.glb", "clip": "walk", "t": [0, 0.5], "joints": ["head", 4]},
                                       {"op": "palette", "model": "robot.glb", "clip": "wlak"}, {"op": "model", "model": "awkward.gltf"}])
    assert len(pose["frames"]) == 2 and model["counts"]["nodes"] == 11
    assert isinstance(wrong, posed.PosedError) and (wrong.code, wrong.status) == ("clip_not_found", 404) and wrong.candidates


@pytest.mark.parametrize("way", WAYS)
def test_uploads_and_tokens(root, tmp_path, way):
    token = "a-token-of-20-letters"
    (tmp_path / "tokens").write_text(token + "\n")
    (tmp_path / "models" / "in").mkdir(parents=True)
    data = (root / "awkward.gltf").read_bytes()
    with start_with_token(tmp_path) as (server, address):
        with pytest.raises(posed.PosedError) as caught, posed.connect(address(way)) as client:
            client.version()
        assert (caught.value.code, caught.value.status) == ("unauthorized", 401)
        with posed.connect(address(way), token=token) as client:
            assert client.upload("a b/ä.gltf", data)["counts"]["nodes"] == 11
            assert client.upload("c.gltf", io.BytesIO(data))["model"] == "in/c.gltf"
            assert client.upload("d.gltf", pathlib.Path(root / "awkward.gltf"))["model"] == "in/d.gltf"
            assert client.model("in/a b/ä.gltf").pose("bend", 0.5).scene.shape == (11, 4, 4)
            with pytest.raises(posed.PosedError) as caught:
                client.upload("e.gltf", b"not a model")
            assert caught.value.status in (415, 422)
            client.delete("a b/ä.gltf")
            with pytest.raises(posed.PosedError) as caught:
                client.delete("a b/ä.gltf")
            assert caught.value.code == "model_not_found"


class start_with_token:
    """posed.serve connects at once, which a server with tokens refuses. This starts one and returns its address."""

    def __init__(self, folder):
        self.folder = folder

    def __enter__(self):
        self.server = start(self.folder / "models", "--uploads", str(self.folder / "models" / "in"),
                            "--token-file", str(self.folder / "tokens"), token="a-token-of-20-letters")
        return self.server, lambda way: addresses(self.server)[way]

    def __exit__(self, *_):
        self.server.close()


def test_threads_may_share_a_client(client):
    model = client.model("robot.glb")
    times = [i / 50 for i in range(60)]
    expected = [model.palette("walk", t).tobytes() for t in times]
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        assert list(pool.map(lambda t: model.palette("walk", t).tobytes(), times)) == expected


def test_a_server_that_was_restarted_is_found_again(root, tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = f"127.0.0.1:{free.getsockname()[1]}"
    with start(root, "--tcp", port) as server:
        client = posed.connect(port, reconnect_tries=2)
        before = client.model("robot.glb").palette("walk", 0.5)
        web = posed.connect("http://" + port, reconnect_tries=2)
        web.version()
        server.close()
        with pytest.raises(posed.ConnectionLost):
            client.model("robot.glb").palette("walk", 0.5)
    with start(root, "--tcp", port):
        assert (client.model("robot.glb").palette("walk", 0.5) == before).all()
        assert web.version()["name"] == "posed"
    client.close()
    web.close()


def test_names_follow_the_content_of_the_file(root, tmp_path):
    """When the file changes, names are found again, because their indices may differ."""
    text = (root / "awkward.gltf").read_text()
    (tmp_path / "m.gltf").write_text(text)
    with start(tmp_path) as server:
        model = server.model("m.gltf")
        assert model.pose(0, joints="arm").nodes == (2,)
        (tmp_path / "m.gltf").write_text(text.replace('"arm"', '"leg"').replace('"hand"', '"arm"'))
        assert model.pose(0, joints="arm").nodes == (0,)
        with pytest.raises(posed.PosedError, match="joint_not_found"):
            model.pose(0, joints="hand")


def test_many_models_share_the_handles(root, server, monkeypatch):
    with posed.connect(server.address) as client:
        few = posed.packets.Hello(**{**vars(client._packets.hello), "models_max": 1})
        monkeypatch.setattr(client._packets._link, "hello", few)
        for _ in range(3):
            for path, count in ("robot.glb", 20), ("awkward.gltf", 11):
                assert len(client.model(path).pose().nodes) == count or path == "robot.glb"
        assert len(client._packets._handles) == 1
        with client.model("robot.glb") as robot:
            robot.pose()
        assert not client._packets._handles


@pytest.mark.parametrize("scheme", ["", "http://"])
def test_a_server_that_says_nothing_times_out(scheme):
    with socket.create_server(("127.0.0.1", 0)) as silent:
        with pytest.raises(posed.TimedOut) as caught:
            posed.connect(f"{scheme}127.0.0.1:{silent.getsockname()[1]}", timeout_s=0.05).version()
    assert caught.value.code == "timed_out" and isinstance(caught.value, TimeoutError)


@pytest.mark.parametrize("address", ["ftp://x", "http://a/b", "http://a?b", ""])
def test_addresses_that_mean_nothing_are_refused(address, monkeypatch):
    monkeypatch.setenv("POSED_SERVER", "gopher://x")
    with pytest.raises(ValueError, match="a server is host:port"):
        posed.connect(address or None)


def test_a_refusal_names_the_server(client):
    with pytest.raises(posed.PosedError) as caught:
        client.model("nothing.glb").palette()
    assert caught.value.server == str(client.address) and str(caught.value).endswith(f" (server {client.address})")
    assert "(server" not in caught.value.message


def test_a_port_alone_is_one_of_this_machine():
    with pytest.raises(posed.ConnectionLost, match="cannot connect to 127.0.0.1:1:"):
        posed.connect("1")


def test_no_server_is_an_error():
    for address in "unix:/nowhere/at/all", "127.0.0.1:1":
        with pytest.raises(posed.ConnectionLost, match="cannot connect to " + address):
            posed.connect(address)
