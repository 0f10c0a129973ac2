"""posectl --pose: poses from JSON, binary frames and arrays, on top of a clip; and what is said of files that are none."""
import base64
import io
import json
import os
import shutil
import struct
import subprocess
import zipfile

import numpy
import pytest

from conftest import REPOSITORY, SAMPLES, Server
from posectl import POSECTL, environment, png_size

NODES = ["head", "neck"]


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    if os.environ.get("POSED_SERVER"):
        pytest.skip("needs a server of its own")
    root = tmp_path_factory.mktemp("poses")
    shutil.copy(SAMPLES / "robot.glb", root)
    shutil.copy(REPOSITORY / "protocol/examples/awkward.gltf", root)
    running = Server(root, "--tcp", "127.0.0.1:0")
    running.root = root
    yield running
    running.end()


@pytest.fixture
def ask(own, tmp_path):
    """Run posectl in tmp_path on the server. Returns what subprocess does."""
    def run(*arguments, **options):
        return subprocess.run([POSECTL, *map(str, arguments), "--server", own.ports["tcp"]], cwd=tmp_path, env=environment(), capture_output=True,
                              timeout=120, **options)
    return run


@pytest.fixture
def local(ask):
    """The local transforms of the first frame, or the error."""
    def run(*arguments, model="robot.glb", **options):
        done = ask("pose", model, "--what", "local", "--json", *arguments, **options)
        assert done.returncode in (0, 1, 2), done.stderr
        return json.loads(done.stdout)["frames"][0]["local"] if done.returncode == 0 else done.stderr.decode()
    return run


def refuses(local, tmp_path, words, **arrays):
    numpy.savez(tmp_path / "a.npz", **arrays)
    said = local("--pose", "a.npz")
    assert isinstance(said, str) and said.startswith("posectl: --pose: 'a.npz': "), said
    for word in words:
        assert word in said, said


@pytest.fixture
def frame(local, ask, tmp_path):
    """The local transforms of a frame, and files that give them: an answer as JSON, as a layer, as a list, as binary frames, as arrays."""
    done = ask("pose", "robot.glb", "--clip", "walk", "--t", "0.3", "--what", "local", "-o", "answer.json")
    assert done.returncode == 0, done.stderr
    text = (tmp_path / "answer.json").read_text()
    answer = json.loads(text)
    (tmp_path / "layer.json").write_text(f'{{"pose": {text}, "weight": 1}}')
    (tmp_path / "list.json").write_text(f'\n [{{"clip": "wave"}}, {{"pose": {text}}}] \n')
    assert ask("pose", "robot.glb", "--clip", "walk", "--t", "0.3", "--what", "local", "--format", "bin", "-o", "answer.bin").returncode == 0
    wanted = answer["frames"][0]["local"]
    numbers = numpy.array(wanted)
    parts = {"translation": numbers[:, :3], "rotation": numbers[:, 3:7], "scale": numbers[:, 7:]}
    numpy.savez(tmp_path / "indices.npz", nodes=numpy.arange(len(wanted)), **parts)
    numpy.savez(tmp_path / "all.npz", **parts)
    floats = {name: numpy.asfortranarray(part[None].astype(kind)) for (name, part), kind in zip(parts.items(), ("<f4", ">f8", ">f4"))}
    numpy.savez_compressed(tmp_path / "names.npz", nodes=[node["name"] for node in answer["nodes"]], times=[0.0], **floats)
    numpy.savez(tmp_path / "bytes.npz", nodes=numpy.array([node["name"].encode() for node in answer["nodes"]]), **parts)
    return wanted


FILES = ["answer.json", "layer.json", "list.json", "answer.bin", "indices.npz", "all.npz", "names.npz", "bytes.npz"]


def test_a_frame_given_back_is_that_frame(frame, local, tmp_path):
    assert local("--clip", "wave", "--t", "0.3") != frame != local("--clip", "-")
    for file in FILES:
        assert local("--pose", file) == frame, file
        assert local("--pose", file, "--clip", "wave", "--t", "0.3") == frame, file
    for file in "answer.json", "answer.bin", "names.npz":
        assert local("--pose", "-", input=(tmp_path / file).read_bytes()) == frame, file


@pytest.mark.parametrize("text", ['{"nodes":{"head":{"degrees":[0,20,0]}}}', '{"pose":{"nodes":{"head":{"degrees":[0,20,0]}}}}',
                                  '[{"pose":{"nodes":{"head":{"degrees":[0,20,0]}}}}]'])
def test_a_byte_order_mark_is_passed_over(local, tmp_path, text):
    """A file, and a pipe, as programs of Windows write them: a pose, a layer or layers."""
    plain = local("--pose", "-", input=text.encode())
    assert plain != local()
    (tmp_path / "marked.json").write_bytes(b"\xef\xbb\xbf" + text.encode())
    assert local("--pose", "marked.json") == plain
    assert local("--pose", "-", input=b"\xef\xbb\xbf" + text.encode()) == plain
    assert "neither JSON (line 1)" in local("--pose", "-", input=b"\xef\xbb\xbf" * 2 + text.encode())


def test_a_baked_clip_is_that_clip(frame, local, ask, tmp_path):
    done = ask("bake", "robot.glb", "--values", "local", "--joints", "*", "--clips", "walk", "-o", "walk.npz")
    assert done.returncode == 0, done.stderr
    for t in "0", "0.3", "1.1":
        wanted = local("--clip", "walk", "--t", t)
        assert local("--pose", "walk.npz", "--t", t) == wanted != local("--pose", "walk.npz", "--t", "0.7")
    ask("bake", "robot.glb", "--clips", "walk", "-o", "scene.npz")
    assert "in the scene (--values trs)" in local("--pose", "scene.npz")
    ask("bake", "robot.glb", "--values", "local", "-o", "three.npz")
    assert "has 3 clips" in local("--pose", "three.npz")
    done = ask("bake", "robot.glb", "--values", "local", "--socket", "a=head", "-o", "socket.npz")
    assert done.returncode == 2 and b"--socket" in done.stderr
    sheared = ask("bake", "awkward.gltf", "--values", "local", "--joints", "3", "--clips", "bend", "-o", "s.npz")
    assert sheared.returncode == 1 and b"shears" in sheared.stderr


def test_baked_local_numbers_are_those_of_the_server(own, ask, tmp_path):
    assert ask("bake", "robot.glb", "--values", "local", "--clips", "walk", "--joints", "head,arm_left", "--fps", "10", "-o", "t.csv").returncode == 0
    lines = (tmp_path / "t.csv").read_text().splitlines()
    assert lines[0] == "clip,frame,time,name,tx,ty,tz,qx,qy,qz,qw,sx,sy,sz"
    for line in lines[1:]:
        _, _, t, name, *numbers = line.split(",")
        wanted, = own.json("/v1/pose", model="robot.glb", clip="walk", t=t, wrap="clamp", joints=name, what="local")["frames"][0]["local"]
        sign = numpy.sign(float(numbers[6]) * wanted[6])
        wanted = [x * sign if 3 <= i < 7 else x for i, x in enumerate(wanted)]
        assert numpy.array(numbers, "f4").tolist() == numpy.array(wanted, "f4").tolist(), line


def test_signs_of_baked_local_quaternions_do_not_change(own, ask, tmp_path):
    """A file whose keys are the same rotations with other signs."""
    turns = [(sign * numpy.array([0, numpy.sin(angle), 0, numpy.cos(angle)])).astype("<f4") for angle, sign in ((0, 1), (0.2, -1), (0.4, 1))]
    data = numpy.array([0, 1, 2], "<f4").tobytes() + b"".join(turn.tobytes() for turn in turns)
    accessors = [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "SCALAR", "min": [0], "max": [2]},
                 {"bufferView": 1, "componentType": 5126, "count": 3, "type": "VEC4"}]
    model = {"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}], "nodes": [{"name": "wheel"}], "accessors": accessors,
             "buffers": [{"byteLength": len(data), "uri": "data:application/octet-stream;base64," + base64.b64encode(data).decode()}],
             "bufferViews": [{"buffer": 0, "byteLength": 12}, {"buffer": 0, "byteOffset": 12, "byteLength": 48}],
             "animations": [{"samplers": [{"input": 0, "output": 1}], "channels": [{"sampler": 0, "target": {"node": 0, "path": "rotation"}}]}]}
    (own.root / "wheel.gltf").write_text(json.dumps(model))
    assert ask("bake", "wheel.gltf", "--values", "local", "--fps", "10", "-o", "wheel.npz").returncode == 0
    q = numpy.load(tmp_path / "wheel.npz")["values"][:, 0, 3:7]
    assert len(q) == 21 and (numpy.sum(q[1:] * q[:-1], axis=1) > 0.9).all()
    answers = own.json("/v1/pose", model="wheel.gltf", t="0:2:10", what="local", wrap="clamp")["frames"]
    assert min(sum(a * b for a, b in zip(one["local"][0][3:7], two["local"][0][3:7])) for one, two in zip(answers, answers[1:])) < -0.9


def test_weight_mode_and_what_lies_below(own, local, tmp_path):
    pose = {"nodes": {"head": {"degrees": [0, 40, 0], "scale": [1, 2, 0.5]}}, "relative_to": "rest"}
    (tmp_path / "head.json").write_text(json.dumps(pose))

    def of(*layers, t=0):
        with own.connect() as connection:
            body = json.dumps({"model": "robot.glb", "what": "local", "t": t, "layers": layers}).encode()
            connection.send(b"POST /v1/pose HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
            return connection.answer().json()["frames"][0]["local"]

    assert local("--pose", "head.json") == of({"pose": pose}) != of({"clip": "-"})
    assert local("--pose", "head.json", "--clip", "walk", "--t", "0.3", "--speed", "2") == of({"clip": "walk", "speed": 2}, {"pose": pose}, t=0.3)
    assert local("--pose", "head.json", "--clip", "walk", "--t", "0.3", "--pose-weight", "0.25") == of(
        {"clip": "walk"}, {"pose": pose, "weight": 0.25}, t=0.3)
    assert local("--pose", "head.json", "--clip", "walk", "--t", "0.3", "--pose-mode", "additive") == of(
        {"clip": "walk"}, {"pose": pose, "mode": "additive"}, t=0.3) != of({"clip": "walk"}, {"pose": pose}, t=0.3)
    assert local("--pose", "head.json", "--clip-file", "robot.glb") == of({"clip": 0}, {"pose": pose})
    both = local("--layers", '[{"clip":"wave"}]', "--pose", "head.json", "--pose", "head.json", "--pose-mode", "additive", "--t", "0.4")
    assert both == of({"clip": "wave"}, {"pose": pose, "mode": "additive"}, {"pose": pose, "mode": "additive"}, t=0.4)
    assert local("--layers", "[]", "--pose", "head.json") == of({"pose": pose})
    turned = local("--pose", "head.json", "--turn", "head:0,40,0")
    assert turned[5][3:7] == of({"pose": {"nodes": {"head": {"degrees": [0, 40, 0]}}}})[5][3:7] and turned[5][7:] == [1, 2, 0.5]


def test_a_vertex_is_where_the_given_transform_takes_it(own, ask, local, tmp_path):
    """A turned, unevenly scaled joint off the origin, from arrays: its scene matrix, and a vertex of the skin that follows it alone."""
    place, scale, q = [0.3, -0.2, 0.7], [1.5, 0.5, 2.0], numpy.array([0.1, 0.5, -0.3, 0.8])
    q /= numpy.linalg.norm(q)
    numpy.savez(tmp_path / "head.npz", nodes=["head"], translation=[place], rotation=[q], scale=[scale])
    x, y, z, w = q
    turn = numpy.array([[1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
                        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
                        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)]])
    matrix = numpy.eye(4)
    matrix[:3, :3], matrix[:3, 3] = turn * scale, place
    below = own.json("/v1/pose", model="robot.glb", clip="walk", t=0.3, joints="neck")["frames"][0]["scene"][0]
    scene = numpy.array(below).reshape(4, 4).T @ matrix
    done = ask("pose", "robot.glb", "--clip", "walk", "--t", "0.3", "--pose", "head.npz", "--joints", "head", "--json")
    numpy.testing.assert_allclose(numpy.array(json.loads(done.stdout)["frames"][0]["scene"][0]).reshape(4, 4).T, scene, atol=1e-6)
    mesh = own.json("/v1/mesh", model="robot.glb", clip="-", rest=1, weights=1)
    moved = json.loads(ask("mesh", "robot.glb", "--clip", "walk", "--t", "0.3", "--pose", "head.npz", "--json").stdout)
    found = 0
    for part, (entry, influences) in enumerate(zip(mesh["meshes"], mesh["influences"])):
        skin = next(skin for skin in mesh["skins"] if skin["index"] == entry["skin"])
        head = next(i for i, joint in enumerate(skin["joints"]) if joint["node"] == 5)
        inverse = numpy.array(skin["joint_from_bind"][head]).reshape(4, 4).T
        for v, (first, end) in enumerate(zip(influences["firsts"], influences["firsts"][1:])):
            if influences["joints"][first:end] == [head]:
                point = numpy.array([*mesh["rest"][part][3 * v:3 * v + 3], 1])
                numpy.testing.assert_allclose(moved["frames"][0]["positions"][part][3 * v:3 * v + 3], (scene @ inverse @ point)[:3], atol=2e-5)
                found += 1
    assert found > 50


def test_pictures_boxes_and_palettes(frame, ask, tmp_path):
    assert ask("bounds", "robot.glb", "--pose", "names.npz", "--json").stdout != ask("bounds", "robot.glb", "--clip", "-", "--json").stdout
    palettes = {}
    for name, options in (("given", ["--pose", "answer.json"]), ("clip", ["--clip", "walk", "--t", "0.3"]), ("rest", ["--clip", "-"])):
        palettes[name] = numpy.array(json.loads(ask("palette", "robot.glb", "--json", *options).stdout)["frames"][0]["palettes"])
    numpy.testing.assert_allclose(palettes["given"], palettes["clip"], atol=1e-6)
    assert numpy.abs(palettes["given"] - palettes["rest"]).max() > 0.05
    for command, more in (("render", []), ("sheet", ["--t", "0,0.1", "--format", "png"]), ("turntable", ["--frames", "2", "--format", "png"])):
        done = ask(command, "robot.glb", "--pose", "names.npz", "--width", "48", "--height", "48", *more, "-o", f"{command}.png")
        assert done.returncode == 0, done.stderr
        assert png_size(tmp_path / f"{command}.png")[1] == 48
        bare = ask(command, "robot.glb", "--clip", "-", "--width", "48", "--height", "48", *more, "-o", "bare.png")
        assert bare.returncode == 0 and (tmp_path / "bare.png").read_bytes() != (tmp_path / f"{command}.png").read_bytes()


def test_arrays_that_do_not_fit(local, tmp_path):
    q = numpy.tile([0, 0, 0, 1.0], (3, 2, 1))

    def with_number(*place, value):
        out = q.copy()
        out[place] = value
        return out

    refuses(local, tmp_path, ["array 'rotation': frame 2, node \"neck\" (place 1) is a quaternion of length 0"], nodes=NODES,
            rotation=with_number(2, 1, value=0))
    refuses(local, tmp_path, ["frame 2, node \"neck\" (place 1) is not given, unlike in frame 0"], nodes=NODES,
            rotation=with_number(2, 1, value=numpy.nan))
    refuses(local, tmp_path, ["frame 1, node 4 (place 0), number 2 is NaN"], nodes=[4, 5], rotation=with_number(1, 0, 2, value=numpy.nan))
    refuses(local, tmp_path, ["frame 0, node \"head\" (place 0), number 3 is infinite"], nodes=NODES, rotation=with_number(0, 0, 3, value=-numpy.inf))
    refuses(local, tmp_path, ["array 'nodes' has the shape (1,)", "that is 1 nodes, and other arrays have 2"], nodes=["head"], rotation=q)
    refuses(local, tmp_path, ["array 'scale' has the shape (2, 2, 3)", "that is 2 frames, and other arrays have 3"], nodes=NODES, rotation=q,
            scale=numpy.ones((2, 2, 3)))
    refuses(local, tmp_path, ["array 'rotation' has the shape (3, 2, 3)", "(frames, nodes, 4)"], nodes=NODES, rotation=q[:, :, :3])
    refuses(local, tmp_path, ["array 'rotation' has the shape (1, 3, 2, 4)"], nodes=NODES, rotation=q[None])
    refuses(local, tmp_path, ["array 'rotation' has the shape (0, 2, 4); it is empty"], nodes=NODES, rotation=q[:0])
    refuses(local, tmp_path, ["array 'rotation'", "must be numbers"], nodes=NODES, rotation=numpy.array(["a"] * 24).reshape(3, 2, 4))
    refuses(local, tmp_path, ["'rotations' is no array of a pose; it has nodes"], nodes=NODES, rotations=q)
    refuses(local, tmp_path, ["there is no array 'translation', 'rotation' or 'scale'"], nodes=NODES)
    refuses(local, tmp_path, ["array 'nodes' has the shape (2, 1)"], nodes=[["head"], ["neck"]], rotation=q)
    refuses(local, tmp_path, ["array 'nodes': node 1 is neither an index nor a text"], nodes=[4, -5], rotation=q)
    refuses(local, tmp_path, ["array 'nodes' has the shape (2,); it must be a list of indices or names"], nodes=[4.0, 5.0], rotation=q)
    refuses(local, tmp_path, ["'nodes.npy' has items that are neither numbers"], nodes=numpy.array(NODES, dtype=object), rotation=q)
    refuses(local, tmp_path, ["array 'times' has the shape (2,); it must be 3 numbers"], nodes=NODES, rotation=q, times=[0, 1])
    refuses(local, tmp_path, ["array 'times': frame 2 is at 0.1 s"], nodes=NODES, rotation=q, times=[0, 0.1, 0.1])
    refuses(local, tmp_path, ["array 'times': frame 0 is at -1 s"], nodes=NODES, rotation=q, times=[-1, 0, 1])
    refuses(local, tmp_path, ["array 'rate' is 0"], nodes=NODES, rotation=q, rate=0)
    refuses(local, tmp_path, ["array 'rate' has the shape (); it does not go with 'times'"], nodes=NODES, rotation=q, rate=30, times=[0, 1, 2])
    refuses(local, tmp_path, ["'relative_to'", "it must be the text 'parent' or 'rest'"], nodes=NODES, rotation=q, relative_to="world")
    refuses(local, tmp_path, ["at most 10000 frames"], nodes=["head"], scale=numpy.ones((10001, 1, 3)))
    refuses(local, tmp_path, ["array 'about' is no JSON"], values=numpy.ones((1, 1, 10)))


def test_relative_rates_and_parts_that_are_not_given(local, tmp_path):
    q, half = numpy.full((2, 2, 4), numpy.nan), numpy.sqrt(0.5)
    q[:, 0] = [[0, 0, 0, 1], [0, half, 0, half]]
    numpy.savez(tmp_path / "a.npz", nodes=NODES, rotation=q, rate=10, relative_to="rest", scale=numpy.array([[[1, 2, 3], [1, 1, 1]]] * 2, dtype="i2"))
    numpy.savez(tmp_path / "rest.npz", nodes=["head"], translation=[[0.25, 0, 0]], relative_to="rest")
    numpy.savez(tmp_path / "parent.npz", nodes=["head"], translation=[[0.25, 0, 0]], relative_to="parent")
    assert local("--pose", "rest.npz")[5][:3] == [0.25, 0.08, 0] and local("--pose", "parent.npz")[5][:3] == [0.25, 0, 0]
    walk, given = (local("--clip", "walk", "--t", "0.05", "--wrap", "clamp", *more) for more in ([], ["--pose", "a.npz"]))
    assert given[5][3:7] == pytest.approx([0, numpy.sin(numpy.pi / 8), 0, numpy.cos(numpy.pi / 8)], abs=1e-6)
    assert given[5][7:] == [1, 2, 3] and given[4] == walk[4] and given[8] == walk[8] != local()[8]


def test_long_motions(local, tmp_path):
    """A body longer than the memory for a short request; one of more values, and one of more bytes, than a server takes."""
    def motion(frames, nodes=20):
        angles = numpy.linspace(0, 3, frames)[:, None] + numpy.arange(nodes) / 7
        zeros = numpy.zeros_like(angles)
        numpy.savez(tmp_path / "a.npz", rotation=numpy.stack([zeros, numpy.sin(angles / 2), zeros, numpy.cos(angles / 2)], axis=2), rate=30)
        return local("--pose", "a.npz", "--t", "99", "--wrap", "clamp")

    assert motion(600)[19][3:7] == pytest.approx([0, numpy.sin((3 + 19 / 7) / 2), 0, numpy.cos((3 + 19 / 7) / 2)], abs=1e-6)
    assert "body_too_large" in motion(1000) and "--pose: 'a.npz'" not in motion(1000)
    assert "bytes of JSON, and a request has at most 1048576: give fewer frames or nodes" in motion(3000)


def test_errors_of_the_server_name_the_file(local, tmp_path):
    numpy.savez(tmp_path / "a.npz", nodes=["head", "nose"], scale=numpy.ones((2, 3)))
    said = local("--pose", "a.npz")
    assert "layers[0]: pose: nodes[1]: 'robot.glb' has no node 'nose'" in said and "--pose: 'a.npz'" in said
    (tmp_path / "a.json").write_text('{"nodes": ["head"], "frames": [{"rotation": [[0, 0, 0, 1]]}, {"rotation": [[0, 0, 0, 0]]}]}')
    said = local("--clip", "walk", "--pose", "a.json")
    assert "layers[1]: " in said and "pose: frame 1: " in said and "'head'" in said and "--pose: 'a.json'" in said


@pytest.mark.parametrize("text, fault", [
    (b"", "it is empty"), (b"nonsense", "neither JSON (line 1), nor binary frames, nor a .npz archive"), (b'{\n"nodes":\n[', "neither JSON (line 3)"),
    (b"3", "it is JSON, but no pose"), (b"[]", "an empty list"), (b"[1]", "a list of something else than layers"), (b'{"a": 1}\0', "neither JSON"),
    (b"PK\x03\x04", "no whole .npz archive: its end is missing"), (b"PSDF" + bytes(200), "binary frames are cut or damaged")])
def test_files_that_are_no_pose(local, tmp_path, text, fault):
    (tmp_path / "x").write_bytes(text)
    said = local("--pose", "x")
    assert said.startswith("posectl: --pose: 'x': ") and fault in said, said


def test_options_that_do_not_go_together(frame, local, ask):
    assert "--pose-weight takes a number from 0 to 1, not '2'" in local("--pose", "all.npz", "--pose-weight", "2")
    assert "--pose-mode takes one of replace|additive" in local("--pose", "all.npz", "--pose-mode", "override")
    assert "--pose-weight is about a pose" in local("--pose-weight", "1")
    assert "which say their weight and mode themselves: --pose-mode is for a pose" in local("--pose", "layer.json", "--pose-mode", "additive")
    assert "--pose-weight is for a pose" in local("--pose", "list.json", "--pose-weight", "0.5")
    assert "--pose: - is given twice" in local("--pose", "-", "--pose", "-", input=b'{"nodes":{}}')
    assert "--layers takes a list" in local("--layers", "{}", "--pose", "all.npz")
    assert "cannot be read: No such file" in local("--pose", "none.npz")
    assert "cannot be read: Is a directory" in local("--pose", ".")
    for command in "keys", "thumbs":
        done = ask(command, "robot.glb", "--pose", "all.npz", "-o", "out")
        assert done.returncode == 2 and b"unknown option --pose" in done.stderr


# --- archives of strangers ---


def archive(members, **changes):
    """A .npz of stored members. changes: fields of the first row of the directory, by their place."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as file:
        for name, data in members:
            file.writestr(zipfile.ZipInfo(name), data)  # of one time always: the names of tests are made of it
    data = bytearray(out.getvalue())
    row = data.find(b"PK\x01\x02")
    for field, value in changes.items():
        where, form = {"flags": (8, "<H"), "method": (10, "<H"), "crc": (16, "<I"), "packed": (20, "<I"), "size": (24, "<I"), "name": (28, "<H"),
                       "head": (42, "<I")}[field]
        struct.pack_into(form, data, row + where, value)
    return bytes(data)


def npy(head, items=b"", version=1):
    text = head.encode()
    return b"\x93NUMPY" + bytes([version, 0]) + struct.pack("<H" if version == 1 else "<I", len(text)) + text + items


ONE = npy("{'descr': '<f8', 'fortran_order': False, 'shape': (1, 3), }\n", struct.pack("<3d", 1, 2, 3))
HEAD = "{'descr': '%s', 'fortran_order': %s, 'shape': %s, }"


@pytest.mark.parametrize("data, fault", [
    (archive([("scale.npy", ONE)], flags=1), "is encrypted"), (archive([("scale.npy", ONE)], method=12), "other than deflate"),
    (archive([("scale.npy", ONE)], crc=1), "its checksum is another one"), (archive([("scale.npy", ONE)], method=8), "does not unpack to its size"),
    (archive([("scale.npy", ONE)], size=2**32 - 1), "claims a size that its bytes cannot have"),
    (archive([("scale.npy", ONE)], method=8, size=60 << 20), "claims a size that its bytes cannot have"),
    (archive([("scale.npy", ONE)], size=2**32 - 1, packed=2**32 - 1), "is too large: all arrays together may have 64 MiB"),
    (archive([("scale.npy", ONE)], size=2**20, packed=2**20), "reaches beyond the file"),
    (archive([("scale.npy", ONE)], head=2**32 - 1), "is not where the directory says"), (archive([("scale.npy", ONE)], head=1), "is not where"),
    (archive([("scale.npy", ONE)], name=9999), "its directory is damaged"), (archive([("scale.txt", ONE)]), "its name does not end in .npy"),
    (archive([(f"{i}.npy", ONE) for i in range(65)]), "more than 64 members"), (archive([]), "it is empty"),
    (archive([("scale.npy", b"")]), "is no .npy file"), (archive([("scale.npy", ONE[:20])]), "is cut within its head"),
    (archive([("scale.npy", ONE[:-1])]), "has the shape (1, 3), which is 24 bytes, and has 23"),
    (archive([("scale.npy", npy("{}"))]), "lacks descr, fortran_order or shape"), (archive([("scale.npy", npy("[]"))]), "has no head"),
    (archive([("scale.npy", npy("{'descr': '<f8'"))]), "its head is damaged"), (archive([("scale.npy", npy("{'x': 1}"))]), "its head is damaged"),
    (archive([("scale.npy", npy(HEAD % ("|O", "False", "(1,)")))]), "neither numbers"),
    (archive([("scale.npy", npy(HEAD % ("<f3", "False", "(1,)")))]), "neither numbers"),
    (archive([("scale.npy", npy(HEAD % ("<f8", "Maybe", "(1,)")))]), "its head is damaged"),
    (archive([("scale.npy", npy(HEAD % ("<f8", "False", "(99999999999999999999, 3)")))]), "too many axes or items"),
    (archive([("scale.npy", npy(HEAD % ("<f8", "False", "(60000, 60000, 60000, 3)")))]), "too many axes or items"),
    (archive([("scale.npy", npy(HEAD % ("<f8", "False", "(1, 1, 1, 1, 1)")))]), "too many axes or items"),
    (archive([("scale.npy", npy(HEAD % ("<f8", "False", "(-1, 3)")))]), "too many axes or items"),
    (archive([("scale.npy", npy(HEAD % ("<U99999999", "False", "(1,)")))]), "neither numbers"),
    (archive([("nodes.npy", npy(HEAD % ("<U1", "False", "(1,)"), struct.pack("<I", 0xd800))), ("scale.npy", ONE)]), "node 0 is neither"),
    (archive([("scale.npy", npy(HEAD % ("<f8", "False", "(1, 3)"), bytes(24), version=9))]), "of version 1 to 3"),
])
def test_hostile_archives_are_refused(local, tmp_path, data, fault):
    (tmp_path / "x.npz").write_bytes(data)
    said = local("--pose", "x.npz")
    assert said.startswith("posectl: --pose: 'x.npz': ") and fault in said, said


def test_a_bomb_takes_no_memory(ask, tmp_path):
    """An archive whose members unpack to more than the limit is refused before one is unpacked."""
    with zipfile.ZipFile(tmp_path / "x.npz", "w", zipfile.ZIP_DEFLATED) as file:
        for name in "scale.npy", "rotation.npy":
            file.writestr(name, bytes(60 << 20))
    assert (tmp_path / "x.npz").stat().st_size < 200000
    done = ask("pose", "robot.glb", "--pose", "x.npz", preexec_fn=lambda: __import__("resource").setrlimit(
        __import__("resource").RLIMIT_AS, (600 << 20, 600 << 20)))
    assert done.returncode == 2 and b"no .npy file" in done.stderr or b"64 MiB" in done.stderr, done.stderr
    (tmp_path / "y.npz").write_bytes(archive([("scale.npy", ONE), ("scale.npy", ONE)]))
    assert b"is there twice" in ask("pose", "robot.glb", "--pose", "y.npz").stderr


def test_an_archive_cut_anywhere_is_refused(frame, ask, tmp_path):
    for file in "names.npz", "answer.bin":
        whole = (tmp_path / file).read_bytes()
        for size in [*range(0, 60, 7), *range(60, len(whole), max(1, len(whole) // 25)), len(whole) - 1]:
            (tmp_path / "cut").write_bytes(whole[:size])
            done = ask("pose", "robot.glb", "--pose", "cut")
            assert done.returncode == 2 and done.stderr.startswith(b"posectl: --pose: 'cut': "), (file, size, done.stderr)


def test_the_options_are_documented():
    help = {command: subprocess.run([POSECTL, command, "--help"], capture_output=True, text=True).stdout
            for command in ("palette", "pose", "mesh", "bounds", "render", "sheet", "turntable", "thumbs", "keys")}
    for command, text in help.items():
        assert ("--pose FILE" in text) == (command not in ("thumbs", "keys")), command
        for option in "--turn JOINT:X,Y,Z", "--morph TARGET:WEIGHT", "--expression NAME:WEIGHT":
            assert (option in text) == (command != "keys"), (command, option)
    man = subprocess.run([POSECTL, "man"], capture_output=True, text=True).stdout.replace("\\", "")
    completion = subprocess.run([POSECTL, "completion", "bash"], capture_output=True, text=True).stdout
    for option in "--pose", "--pose-weight", "--pose-mode", "--turn", "--morph", "--expression":
        assert option in man and option in completion, option
