"""posectl convert in parts: more clip files than a request takes, and exports that are too much for one answer."""
import json
import os
import shutil
import struct

import numpy
import pytest

from acting_relay import ActingRelay
from conftest import SAMPLES
from importers import NO_RENDERING
from posectl import posectl
from rigs import CLIPS, RIG, character, moves

FILES = 70
TAIL = {**RIG, "tail": ("hip", {})}


class Glb:
    def __init__(self, data):
        size, = struct.unpack_from("<I", data, 12)
        assert struct.unpack_from("<4sII", data) == (b"glTF", 2, len(data))
        self.json, self.bin = json.loads(data[20:20 + size]), data[28 + size:]

    def accessor(self, index):
        """Its JSON without its position, and its bytes; compressed ones unchanged."""
        about = dict(self.json["accessors"][index])
        view = dict(self.json["bufferViews"][about.pop("bufferView")])
        packed = view.get("extensions", {}).get("EXT_meshopt_compression")
        place = dict(packed or view)
        at, size = place.pop("byteOffset", 0), place["byteLength"]
        assert self.json["buffers"][view["buffer"]]["byteLength"] >= view.get("byteOffset", 0) + view["byteLength"]
        assert 0 <= at and at + size <= self.json["buffers"][0]["byteLength"] <= len(self.bin)
        return about, place, self.bin[at:at + size]

    def clips(self):
        found = []
        for clip in self.json["animations"]:
            samplers = [{**sampler, "input": self.accessor(sampler["input"]), "output": self.accessor(sampler["output"])}
                        for sampler in clip["samplers"]]
            found.append({"name": clip["name"], "channels": clip["channels"], "samplers": samplers, "extras": clip.get("extras")})
        return found

    def names(self):
        return [clip["name"] for clip in self.json["animations"]]

    def rest(self):
        """Everything except the clips and the positions of bytes."""
        return {key: value for key, value in self.json.items() if key not in ("animations", "accessors", "bufferViews", "buffers")}


def convert(server, file, *arguments, status=0):
    done = posectl("convert", *arguments, "--server", server.ports["tcp"], "-o", file)
    assert done.status == status, done.err + done.out
    return (Glb(file.read_bytes()) if status == 0 else None), done


def is_refused(server, model, clip_files, compress="none"):
    """Whether a single request is too much."""
    data = json.dumps({"model": model, "fps": 60, **({"compress": compress} if compress in ("meshopt", "draco") else {}), **({"clip_file": clip_files} if clip_files else {})}).encode()
    with server.connect() as connection:
        connection.send(f"POST /v1/export HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(data)}\r\n\r\n".encode() + data)
        answer = connection.answer()
    return answer.status == 400 and answer.json()["error"]["code"] == "too_many_frames"


@pytest.fixture
def root(tmp_path):
    folder = tmp_path / "root"
    (folder / "anims/more").mkdir(parents=True)
    shutil.copy(SAMPLES / "robot.glb", folder / "robot.glb")
    (folder / "body.gltf").write_text(character({"own": CLIPS["stand"], "own2": CLIPS["run"]}))
    for i in range(FILES):
        (folder / f"anims/c{i:02}.gltf").write_text(moves({"Take 001": CLIPS["run"]} if i % 3 else CLIPS))
    (folder / "anims/more/c01.gltf").write_text(moves({"Take 001": CLIPS["stand"]}))
    (folder / "anims/tail.gltf").write_text(moves({"wag": {**CLIPS["run"], ("tail", "scale"): [[1, 1, 1], [2, 2, 2]]}}, list(TAIL), TAIL))
    return folder


def files(*names):
    return [word for name in names for word in ("--clips", f"anims/{name}.gltf")]


MANY = [f"c{i:02}" for i in range(FILES)]


@pytest.mark.parametrize("query, steps", [
    ([], 3500), (["--compress", "meshopt"], 18000), (["--compress", "draco"], 18000), (["--no-textures", "--up", "z", "--unit", "cm"], 3500)])
def test_a_file_that_is_too_much_for_one_answer_is_the_same(start, root, tmp_path, query, steps):
    """A server that resamples few keys in one answer, and one that resamples all of them."""
    command = ["robot.glb", "--fps", "60", *query]
    low, full = (start(*NO_RENDERING, "--tcp", "127.0.0.1:0", *more, root=root) for more in (["--max-evaluations", str(steps)], []))
    whole, _ = convert(full, tmp_path / "whole.glb", *command)
    assert is_refused(low, "robot.glb", [], *query[1:2])
    joined, done = convert(low, tmp_path / "joined.glb", *command)
    assert len(joined.names()) == 3 and joined.names() == whole.names()
    assert joined.clips() == whole.clips()
    assert joined.rest() == whole.rest()
    assert "1 skin, 1 mesh, 3 clips" in done.out


def test_more_files_than_a_request_takes(start, root, tmp_path):
    server = start(*NO_RENDERING, "--tcp", "127.0.0.1:0", root=root)
    joined, done = convert(server, root / "joined.glb", "body.gltf", *files(*MANY, "more/c01", "tail"))
    expected = ["own", "own2"]
    for name in MANY:
        expected += [f"{name}_stand", f"{name}_run"] if int(name[1:]) % 3 == 0 else [name]
    assert joined.names() == expected + ["c01_2", "tail"]
    told = joined.json["asset"]["extras"]["clip_files"]
    assert [file["model"] for file in told] == [f"anims/{name}.gltf" for name in [*MANY, "more/c01", "tail"]]
    assert "unmatched: anims/tail.gltf: 1 node with keys has no partner: tail" in done.err
    for clip, file, index in (1, None, 1), (2, "c00", 0), (3, "c00", 1), (60, MANY[43], 0), (len(expected), "more/c01", 0):
        for t in 0, 0.13, 0.5:
            other = f"&clip_file=anims/{file}.gltf&clip={index}" if file else f"&clip={index}"
            beside = server.get(f"/v1/mesh?model=body.gltf{other}&t={t}&wrap=clamp").json()["frames"][0]["positions"]
            made = server.get(f"/v1/mesh?model=joined.glb&clip={clip}&t={t}&wrap=clamp").json()["frames"][0]["positions"]
            assert numpy.abs(numpy.array(made) - numpy.array(beside)).max() < 1e-5, (clip, t)


@pytest.mark.parametrize("more", [[], ["--name", "{file}"], ["--name", "{clip}"], ["--name", "x {clip}-{file}"], ["--rename-joints", "zz*=*"],
                                  ["--clips", "own2"], ["--clips", "-"], ["--retarget", "names"]])
def test_names_and_notes_are_those_of_one_request(start, root, tmp_path, more):
    """Parts because of the amount of work, compared with a single request."""
    names = ["c00", "c01", "c02", "more/c01", "c03", "tail"]
    command = ["body.gltf", *files(*names), *more, "--fps", "60"]
    low, full = (start(*NO_RENDERING, "--tcp", "127.0.0.1:0", *options, root=root) for options in (["--max-evaluations", "700"], []))
    whole, whole_done = convert(full, tmp_path / "whole.glb", *command)
    assert is_refused(low, "body.gltf", [f"anims/{name}.gltf" for name in names])
    joined, joined_done = convert(low, tmp_path / "joined.glb", *command)
    assert joined.names() == whole.names()
    assert joined.clips() == whole.clips()
    assert joined.rest() == whole.rest()
    assert sorted(joined_done.err.splitlines()) == sorted(whole_done.err.splitlines())


def test_a_rule_that_one_part_needs_is_no_warning(start, root, tmp_path):
    """The rule renames nothing in the files of the first part."""
    rig = {"mixamorig:" + name: (parent and "mixamorig:" + parent, place) for name, (parent, place) in RIG.items()}
    clip = {("mixamorig:" + name, path): rows for (name, path), rows in CLIPS["run"].items()}
    (root / "anims/zz.gltf").write_text(moves({"other": clip}, list(rig), rig))
    server = start(*NO_RENDERING, "--tcp", "127.0.0.1:0", root=root)
    joined, done = convert(server, tmp_path / "x.glb", "body.gltf", *files(*MANY, "zz"), "--rename-joints", "mixamorig:*=*", "--rename-joints", "no*=*")
    assert done.err.count("rename_unused") == FILES + 1 and "mixamorig" not in done.err
    assert joined.names()[-1] == "other" or joined.names()[-1] == "zz"
    _, done = convert(server, tmp_path / "y.glb", "body.gltf", *files(*MANY, "zz"), "--rename-joints", "mixamorig:*=*", "--strict", status=2)
    assert "at most 64 clip files" in done.err and not (tmp_path / "y.glb").exists()


@pytest.mark.parametrize("more, code, status", [
    (["--strict"], "clip_no_match", 1), (["--clips", "nope"], "clip_not_found", 1), (["--unit", "x"], "bad_parameter", 2),
    (["--hash", "0" * 64], "hash_mismatch", 1)])
def test_errors_leave_no_file(start, root, tmp_path, more, code, status):
    server = start(*NO_RENDERING, "--tcp", "127.0.0.1:0", root=root)
    _, done = convert(server, tmp_path / "x.glb", "body.gltf", *files(*MANY, "tail"), *more, status=status)
    assert code in done.err and not (tmp_path / "x.glb").exists()


def test_the_estimate_is_of_all_parts(start, root):
    server = start(*NO_RENDERING, "--tcp", "127.0.0.1:0", root=root)
    done = posectl("convert", "body.gltf", *files(*MANY), "--estimate", "--server", server.ports["tcp"])
    assert done.status == 0 and done.out.startswith("about ")
    done = posectl("convert", "body.gltf", *files(*MANY), "--estimate", "--json", "--server", server.ports["tcp"])
    assert done.status == 0 and json.loads(done.out)["estimate"]["seconds"] > 0


def test_a_model_that_changes_meanwhile_is_an_error(start, root, tmp_path):
    server = start(*NO_RENDERING, "--tcp", "127.0.0.1:0", root=root)

    def change():
        (root / "new").write_text(character({"own": CLIPS["run"]}))
        os.replace(root / "new", root / "body.gltf")
    with ActingRelay(server.ports["tcp"], b"c69.gltf", change) as relay:
        done = posectl("convert", "body.gltf", *files(*MANY), "--server", relay.address, "-o", tmp_path / "x.glb")
    assert relay.act is None
    assert done.status == 1 and "hash_mismatch" in done.err and not (tmp_path / "x.glb").exists()
