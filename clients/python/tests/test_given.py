"""Poses of one's own in layers: from arrays, lists, answers and files, over every transport."""
import io
import json
import struct
import subprocess
import sys
import zipfile

import numpy
import pytest

import posed
from conftest import PACKAGE
from posed import GivenPose

NODES = ["head", "neck"]
TURN = [0.0, 0.6, 0.0, 0.8]


@pytest.fixture
def answer(client):
    return client.model("awkward.gltf").pose("bend", 0.7, what="local")


def parts(local):
    return {"translation": local[..., :3], "rotation": local[..., 3:7], "scale": local[..., 7:]}


def test_a_frame_sent_back_is_that_frame(client, answer, tmp_path):
    model, sheared = client.model("awkward.gltf"), list(answer.local_matrix)
    wanted = answer.local.tobytes()
    numbers = numpy.array(answer.local)
    numbers[sheared] = numpy.nan
    lists = {name: [None if place in sheared else row for place, row in enumerate(part.tolist())] for name, part in parts(answer.local).items()}
    found = client.json("/v1/pose", model="awkward.gltf", clip="bend", t=0.7, what="local")
    numpy.savez_compressed(tmp_path / "pose.npz", nodes=answer.nodes, **parts(numbers))
    (tmp_path / "pose.json").write_text(json.dumps(found))
    (tmp_path / "pose.bin").write_bytes(answer.frames.data)
    poses = [answer, found, answer.frames, GivenPose.of(answer), GivenPose.of(found), GivenPose(answer.nodes, **parts(numbers)),
             GivenPose(answer.nodes, **lists), GivenPose(answer.nodes, **{name: part[None] for name, part in parts(numbers).items()}),
             GivenPose(numpy.array(answer.nodes), **parts(numbers.astype("f8"))),
             *[GivenPose.load(tmp_path / f"pose.{kind}") for kind in ("npz", "json", "bin")], GivenPose.load(open(tmp_path / "pose.npz", "rb"))]
    for i, pose in enumerate(poses):
        assert model.pose("bend", 0.2, what="local").local.tobytes() != wanted
        assert model.pose(None, 0.0, what="local", layers=[{"pose": pose}]).local.tobytes() == wanted, i
        if not isinstance(pose, dict):
            assert model.pose(None, 0.0, what="local", layers=[{"clip": "bend", "t": 0.2}, pose]).local.tobytes() == wanted, i


def test_every_method_takes_it(client):
    model, pose = client.model("robot.glb"), GivenPose(NODES, degrees=[[0, 50, 0], None], scale=[[1, 1, 1], [1, 2, 0.5]], relative_to="rest")
    layers = [{"clip": "walk"}, {"pose": pose, "weight": 0.5}]
    json_layers = [{"clip": "walk"}, {"pose": pose.to_json(), "weight": 0.5}]
    plain = [{"clip": "walk"}]
    for of in (lambda layers: model.palette(None, 0.3, layers=layers).tobytes(), lambda layers: model.palettes(None, 0.3, layers=layers)[0].tobytes(),
               lambda layers: model.pose(None, 0.3, layers=layers).scene.tobytes(), lambda layers: model.mesh(None, 0.3, layers=layers).parts[0].positions.tobytes(),
               lambda layers: model.glb(None, 0.3, layers=layers), lambda layers: model.bounds(None, 0.3, layers=layers)["frames"],
               lambda layers: model.render(None, 0.3, layers=layers, width=32, height=32), lambda layers: model.turntable(t=0.3, layers=layers, frames=2, width=32, height=32),
               lambda layers: model.sheet(t=[0.1, 0.3], layers=layers, width=32, height=32),
               lambda layers: client.batch([{"op": "bounds", "model": "robot.glb", "t": 0.3, "layers": layers}])[0]["frames"]):
        assert of(layers) == of(json_layers) != of(plain)
    rays = [{"origin": [0, 1.9, 5], "direction": [0, 0, -1]}]
    hit, = client.raycast([{"model": "robot.glb", "t": 0, "layers": [GivenPose(["head"], translation=[[0, 9, 0]])]}], rays) or [None]
    assert hit != client.raycast([{"model": "robot.glb", "t": 0, "layers": [{"clip": "-"}]}], rays)[0]


def test_streams_show_it(client):
    model = client.model("robot.glb")
    walk = model.pose("walk", 0.3, what="local")
    with model.stream("pose", None, position_s=0.7, rate=50, what="local", layers=[{"clip": "wave"}, walk]) as stream:
        for frame in (next(stream), next(stream)):
            assert frame.array("local").tobytes() == walk.local.tobytes() != model.pose("wave", 0.7, what="local").local.tobytes()
    turn = numpy.array([[[0, 0, 0, 1]], [TURN]], dtype="f4")
    layers = [{"clip": "walk"}, {"pose": GivenPose(["head"], rotation=turn, rate=1), "weight": 0.5}]
    with model.stream("palette", None, position_s=0.25, paused=True, layers=layers, wrap="clamp") as stream:
        for time in 0.25, 0.75:
            stream.seek(time)
            assert next(stream).palette.tobytes() == model.palette(None, time, layers=layers, wrap="clamp").tobytes()
    with model.stream("mesh", "walk", position_s=0.5, turn=["head:0,40,0", "arm_left:0,0,70"]) as stream:
        frame = next(stream)
        wanted = model.mesh("walk", frame.time_s, turn=["head:0,40,0", "arm_left:0,0,70"]).parts[0].positions.tobytes()
        assert frame.array("positions").tobytes() == wanted != model.mesh("walk", frame.time_s).parts[0].positions.tobytes()


def test_frames_are_played(client):
    model = client.model("robot.glb")
    turn = numpy.array([[[0, 0, 0, 1]], [TURN], [[0, -0.6, 0, 0.8]]], dtype="f4")
    for pose in GivenPose(["head"], rotation=turn, rate=10), GivenPose(["head"], rotation=turn.tolist(), times=numpy.array([0, 0.1, 0.2])):
        local = model.pose(None, [0, 0.1, 0.2, 9], joints="head", what="local", wrap="clamp", layers=[pose]).local
        assert local[:, 0, 3:7].tolist() == [turn[0, 0].tolist(), turn[1, 0].tolist(), turn[2, 0].tolist(), turn[2, 0].tolist()]


def test_a_table_of_bake_is_read(client, tmp_path):
    local = numpy.array(client.model("robot.glb").pose("walk", [0, 0.5], joints=NODES, what="local").local)
    about = {"values": "local", "clips": [{"name": "walk"}], "items": [{"name": "head", "node": 5}, {"name": "node4", "node": 4}]}

    def save(**changes):
        numpy.savez(tmp_path / "walk.npz", values=local, times=numpy.array([0, 0.5]), about=json.dumps({**about, **changes}).encode())
        return tmp_path / "walk.npz"

    pose = GivenPose.load(save())
    assert pose.nodes == ["head", 4]
    again = client.model("robot.glb").pose(None, [0, 0.5], joints=NODES, what="local", wrap="clamp", layers=[pose]).local
    assert again.tobytes() == local.tobytes()
    for changes, fault in (({"values": "trs"}, "--values local"), ({"clips": [{}, {}]}, "2 clips"), ({"items": []}, r"array 'values' has the shape \(2, 2, 10\)")):
        with pytest.raises(ValueError, match=fault):
            GivenPose.load(save(**changes))


def test_morphs_and_expressions_are_sent_as_the_protocol_has_them():
    pose = GivenPose(morphs={"smile": 0.5, ("face", "blink"): [0, 1]}, expressions={"happy": numpy.array([0.25, 0.75])}, rate=30)
    assert pose.to_json() == {"nodes": [], "relative_to": "parent", "rate": 30.0, "morphs": ["smile", {"mesh": "face", "target": "blink"}],
                              "expressions": ["happy"], "frames": [{"morphs": [0.5, 0.0], "expressions": [0.25]}, {"morphs": [0.5, 1.0], "expressions": [0.75]}]}
    assert GivenPose(look={"at": [0, 1.5, 3]}).to_json() == {"nodes": [], "relative_to": "parent", "look": {"at": [0, 1.5, 3]}, "frames": [{}]}
    with pytest.raises(ValueError, match="'morphs': frame 0, 'smile' is nan"):
        GivenPose(morphs={"smile": float("nan")}).to_json()


def test_the_server_names_what_is_wrong(client):
    model = client.model("robot.glb")
    with pytest.raises(posed.PosedError, match=r"layers\[1\]: .*'nose'") as caught:
        model.palette(None, 0, layers=[{"clip": "walk"}, GivenPose(["nose"], degrees=[[0, 1, 0]])])
    assert caught.value.code == "joint_not_found"
    with pytest.raises(posed.PosedError, match="frame 1.*'head'.*length 0"):
        model.palette(None, 0, layers=[GivenPose(["head"], rotation=[[TURN], [[0, 0, 0, 0]]])])
    with pytest.raises(posed.PosedError) as caught:
        model.palette(None, 0, morph="smile:1")
    assert caught.value.code == "morph_not_found"


@pytest.mark.parametrize("fault, given", [
    ("'rotation': frame 0, node 'head' .place 0. has 3 numbers, not 4", {"nodes": ["head"], "rotation": [[0, 0, 0]]}),
    ("'rotation': frame 1, node 'neck' .place 1., number 3 is nan", {"nodes": NODES, "rotation": [[TURN, TURN], [TURN, [0, 0, 0, float("nan")]]]}),
    ("'scale': frame 0, node 4 .place 0., number 1 is inf", {"nodes": [4], "scale": [[1, float("inf"), 1]]}),
    ("'scale': frame 0, node 4 .place 0., number 1 is no number: 'a'", {"nodes": [4], "scale": [[1, "a", 1]]}),
    ("'rotation': frame 0 has 1 nodes, and 'nodes' has 2", {"nodes": NODES, "rotation": [TURN]}),
    ("'scale' has 2 frames, and 'rotation' has 3", {"nodes": ["head"], "rotation": [[TURN]] * 3, "scale": numpy.ones((2, 1, 3))}),
    ("'rotation': frame 1, node 'head' .place 0. is not given, unlike in frame 0", {"nodes": ["head"], "rotation": [[TURN], [None]]}),
    ("'rotation': frame 1, node 'head' .place 0. is given, unlike in frame 0", {"nodes": NODES, "rotation": [[None, TURN], [TURN, TURN]]}),
    ("'nodes': node 1 is neither an index nor a name", {"nodes": ["head", 1.5]}),
    ("'times' has 1 frames, and 'rotation' has 2", {"nodes": ["head"], "rotation": [[TURN]] * 2, "times": [0]}),
    ("'times': frame 1 is nan", {"nodes": ["head"], "rotation": [[TURN]] * 2, "times": [0, float("nan")]}),
    ("'rate' does not go with 'times'", {"nodes": ["head"], "rotation": [[TURN]] * 2, "times": [0, 1], "rate": 3})])
def test_arrays_that_do_not_fit(fault, given):
    with pytest.raises(ValueError, match=fault):
        GivenPose(**given)


def npz(**arrays):
    out = io.BytesIO()
    numpy.savez(out, **arrays)
    return out.getvalue()


def zipped(name, data, method=zipfile.ZIP_STORED):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        archive.writestr(zipfile.ZipInfo(name), data, compress_type=method)  # of one time always: names of tests are made of it
    return out.getvalue()


def npy(shape, kind="<f8", items=b""):
    head = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}\n".encode()
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head + items


@pytest.mark.parametrize("data, fault", [
    (b"nonsense", "Expecting value"), (b"PK\x03\x04", "no whole .npz archive"), (b"PSDF" + bytes(200), "frames"), (b"[" * 100000, "recursion|Expecting"),
    (npz(nodes=["head"], rotations=[TURN]), "'rotations' is no array of a pose"), (npz(nodes=["head"]), "there is no array"),
    (npz(nodes=["head"], rotation=TURN), r"array 'rotation' has the shape \(4,\)"), (npz(nodes=[["head"]], rotation=[TURN]), "array 'nodes' has the shape"),
    (npz(nodes=numpy.array(["head"], dtype=object), rotation=[TURN]), "array 'nodes'"), (npz(rotation=[TURN], rate=[1, 2]), "array 'rate'"),
    (npz(values=[1.0]), "values, times and about"), (zipped("scale.txt", b""), "no array"), (zipped("scale.npy", b""), "array 'scale'"),
    (zipped("scale.npy", npy("(99999999999, 3)")), "array 'scale': the shape"), (zipped("scale.npy", npy("(1, 3)", items=bytes(23))), "its 23 bytes"),
    (zipped("scale.npy", npy("__import__('os')")), "array 'scale'"), (zipped("scale.npy", npy("(1,)", "|O")), "array 'scale'"),
    (zipped("scale.npy", bytes(65 << 20), zipfile.ZIP_DEFLATED), "64 MiB"), (zipped("scale.npy", bytes(2000), zipfile.ZIP_DEFLATED)[:60], "no whole")])
def test_files_of_strangers_are_refused(tmp_path, data, fault):
    (tmp_path / "x.npz").write_bytes(data)
    with pytest.raises(ValueError, match=r"x\.npz: .*" + f"({fault})"):
        GivenPose.load(tmp_path / "x.npz")


def test_a_file_cut_anywhere_is_refused(tmp_path, server):
    frames = bytes(server.model("robot.glb").pose("walk", [0, 0.1], what="local").frames.data)
    for whole in npz(nodes=NODES, rotation=[TURN, TURN], times=[0.0]), frames:
        for size in range(0, len(whole), max(1, len(whole) // 60)):
            with pytest.raises(ValueError):
                GivenPose.load(io.BytesIO(whole[:size]))
        assert len(GivenPose.load(io.BytesIO(whole)).nodes) in (2, 20)


def test_without_numpy_lists_do(server):
    script = (f"import sys; sys.path.insert(0, {str(PACKAGE)!r}); sys.modules['numpy'] = None; import posed\n"
              f"model = posed.connect({server.address!r}).model('robot.glb'); answer = model.pose('walk', 0.3, what='local')\n"
              f"again = model.pose(None, 0.0, what='local', layers=[posed.GivenPose.of(answer)])\n"
              f"assert again.local == answer.local; print(posed.GivenPose(['head'], rotation=[{TURN}]).to_json()['frames'])\n"
              f"try: posed.GivenPose.load(sys.argv[1])\nexcept ValueError as error: print(error)")
    path = PACKAGE / "tests" / "conftest.py"
    done = subprocess.run([sys.executable, "-c", script, str(path)], capture_output=True, text=True)
    assert done.returncode == 0 and done.stdout.startswith(f"[{{'rotation': [{TURN}]}}]\n"), done
