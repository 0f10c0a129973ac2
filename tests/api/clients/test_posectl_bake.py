"""posectl bake: tables of transforms and vertices, each read by a reader that shares no code with posectl."""
import csv
import json
import shutil
import struct
import subprocess
import zlib

import numpy as np
import pytest

from conftest import SAMPLES
from import_models import TOP
from importers import NO_RENDERING
from posectl import posectl
from rigs import CLIPS, character

pytestmark = pytest.mark.skipif(not SAMPLES.is_dir(), reason="no sample models")

# A quarter turn about y in the joint's space, and a place off its origin.
SOCKET = "muzzle=hand_right:0.25,-0.5,0.1:0,90,0"
JOINT_FROM_SOCKET = np.array([[0, 0, 1, 0.25], [0, 1, 0, -0.5], [-1, 0, 0, 0.1], [0, 0, 0, 1]])
WALK = 1.2000000476837158
ODD_NAME = 'hand, "left" ??/ \u00e9 */'


@pytest.fixture
def folder(tmp_path):
    shutil.copy(SAMPLES / "robot.glb", tmp_path)
    (tmp_path / "rig.gltf").write_text(character(CLIPS))
    odd = json.loads(character({**CLIPS, "run\n2": CLIPS["run"]}))
    for node, name in zip(odd["nodes"], [ODD_NAME, "count", "Count", "2nd"]):
        node["name"] = name
    (tmp_path / "odd.gltf").write_text(json.dumps(odd))
    return tmp_path


def poses(server, model, clip, times, joints):
    """The server's own matrices, [frames][joints], rows first."""
    answer = server.get(f"/v1/pose?model={model}&clip={clip}&wrap=clamp&joints={','.join(joints)}&t={','.join(map(repr, times))}").json()
    return np.array([frame["scene"] for frame in answer["frames"]]).reshape(len(times), len(joints), 4, 4).transpose(0, 1, 3, 2)


def matrices(trs):
    """[..][10] as matrices: T * R * S."""
    t, (x, y, z, w), s = trs[..., :3], np.moveaxis(trs[..., 3:7], -1, 0), trs[..., 7:]
    out = np.zeros((*trs.shape[:-1], 4, 4))
    out[..., 3, 3] = 1
    out[..., :3, 3] = t
    rows = [[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]]
    for r in range(3):
        for c in range(3):
            out[..., r, c] = rows[r][c] * s[..., c]
    return out


def npy(path):
    """The array of a .npy file, with the header parsed by hand (NEP 1) and by NumPy."""
    data = path.read_bytes()
    assert data[:8] == b"\x93NUMPY\x01\x00"
    length = struct.unpack_from("<H", data, 8)[0]
    assert (10 + length) % 64 == 0 and data[9 + length:10 + length] == b"\n"
    header = eval(data[10:10 + length], {"__builtins__": {}})  # noqa: S307: a literal that this test's posectl wrote
    assert header["descr"] == "<f4" and header["fortran_order"] is False
    array = np.frombuffer(data, "<f4", offset=10 + length).reshape(header["shape"])
    assert np.array_equal(array, np.load(path))
    return array


def png(path):
    """[height][width][3] of a 16-bit RGB picture (PNG, third edition: filters in 9.2)."""
    data, at, packed = path.read_bytes(), 8, b""
    while at < len(data):
        size, kind = struct.unpack_from(">I4s", data, at)
        if kind == b"IHDR":
            width, height, depth, colour = struct.unpack_from(">IIBB", data, at + 8)
        packed += data[at + 8:at + 8 + size] if kind == b"IDAT" else b""
        at += size + 12
    assert (depth, colour) == (16, 2)
    stride, rows, before = width * 6, zlib.decompress(packed), np.zeros(width * 6, np.int64)
    out = np.zeros((height, stride), np.uint8)
    for y in range(height):
        kind, row = rows[y * (stride + 1)], np.frombuffer(rows, np.uint8, stride, y * (stride + 1) + 1).astype(np.int64)
        if kind == 2:
            row = (row + before) & 255
        elif kind != 0:
            for i in range(stride):
                a, b, c = (row[i - 6] if i >= 6 else 0), before[i], (before[i - 6] if i >= 6 else 0)
                paeth = min((a, b, c), key=lambda v, p=a + b - c: abs(p - v))
                row[i] = (row[i] + {1: a, 3: (a + b) // 2, 4: paeth}[kind]) & 255
        out[y], before = row, row
    return out.reshape(height, width, 3, 2).astype(np.int64) @ [256, 1]


def test_json_has_both_ends_and_the_poses_of_the_server(start, folder):
    done = posectl("bake", "robot.glb", "--as", "json", "--clips", "wa*", "--fps", 7, "--joints", "head,hand_*", "--socket", SOCKET,
                   cwd=folder)
    assert (done.status, done.err) == (0, "") and done.out.startswith("robot.json  ") and "2 clips" in done.out
    assert done.out.endswith(", 3 joints, 1 socket\n")
    table = json.loads((folder / "robot.json").read_text())
    assert [item["name"] for item in table["items"]] == ["head", "hand_left", "hand_right", "muzzle"]
    assert table["values"] == "trs" and table["fps"] == 7
    walk, wave = table["clips"]
    assert (walk["name"], walk["first_frame"], walk["frame_count"], walk["loop"]) == ("walk", 0, 10, True)
    times = table["times"][:10]
    assert times == [i / 7 for i in range(9)] + [WALK] and (wave["first_frame"], wave["frame_count"]) == (10, 15)
    found = matrices(np.array(table["frames"]))
    expected = poses(start(*NO_RENDERING, root=folder), "robot.glb", "walk", times, ["head", "hand_left", "hand_right"])
    np.testing.assert_allclose(found[:10, :3], expected, atol=1e-6)
    np.testing.assert_allclose(found[:10, 3], expected[:, 2] @ JOINT_FROM_SOCKET, atol=1e-6)
    quaternions = np.array(table["frames"])[:10, :, 3:7]
    assert np.all(np.sum(quaternions[1:] * quaternions[:-1], axis=-1) > 0), "signs that engines can interpolate"


def test_defaults(folder):
    assert posectl("bake", "robot.glb", "-o", "a.csv", cwd=folder).status == 0
    with open(folder / "a.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == (37 + 61 + 49) * 19 and rows[0]["name"] == "root"
    assert [row["time"] for row in rows[::19]][:3] == ["0", repr(1 / 30), repr(2 / 30)]
    assert posectl("bake", "robot.glb", "--as", "csv", "--clips", "rest", "-o", "rest/", cwd=folder).status == 0
    rest = (folder / "rest/robot.csv").read_text().splitlines()
    assert len(rest) == 20 and rest[1].startswith("rest,0,0,root,")


def test_matrices_of_a_rig_that_shears(start, folder):
    """A rotated, unevenly scaled root off the origin: tests a vertex, not only a matrix."""
    done = posectl("bake", "rig.gltf", "--as", "csv", "--joints", "toe", cwd=folder)
    assert done.status == 1 and "not_rigid: rig.gltf: 'toe' shears in clip '" in done.err and "--values matrix" in done.err
    done = posectl("bake", "rig.gltf", "--as", "csv", "--values", "matrix", "--joints", "toe,knee", "--socket", "tip=toe:1,2,3:30,40,50",
                   "--clips", "run", "--fps", 10, "-o", "-", cwd=folder)
    rows = list(csv.reader(done.out.splitlines()))
    assert rows[0][:4] == ["clip", "frame", "time", "name"] and rows[0][4:8] == ["m00", "m01", "m02", "m03"] and len(rows) == 1 + 6 * 3
    found = np.array([[float(cell) for cell in row[4:]] for row in rows[1:]]).reshape(6, 3, 4, 4)
    expected = poses(start(*NO_RENDERING, root=folder), "rig.gltf", "run", [0, 0.1, 0.2, 0.3, 0.4, 0.5], ["toe", "knee"])
    assert np.array_equal(found[:, :2].astype("f4"), expected.astype("f4")), "the server's floats"
    cx, cy, cz, sx, sy, sz = *np.cos(np.radians([30, 40, 50])), *np.sin(np.radians([30, 40, 50]))
    turn = (np.array([[cz, -sz, 0], [sz, cz, 0], [0, 0, 1]]) @ np.array([[cy, 0, sy], [0, 1, 0], [-sy, 0, cy]])
            @ np.array([[1, 0, 0], [0, cx, -sx], [0, sx, cx]]))
    vertex = np.array([0.5, -0.25, 2])
    in_joint = np.append(turn @ vertex + [1, 2, 3], 1)
    np.testing.assert_allclose((found[:, 2] @ np.append(vertex, 1)), expected[:, 0] @ in_joint, rtol=1e-6, atol=1e-6)


def test_numpy(start, folder):
    assert posectl("bake", "rig.gltf", "-o", "t/rig.npy", "--values", "palette", "--fps", 8, cwd=folder).status == 0
    about, array = json.loads((folder / "t/rig.npy.json").read_text()), npy(folder / "t/rig.npy")
    assert array.shape == (10, 3, 4, 4) and [item["name"] for item in about["items"]] == ["knee", "hip", "toe"]
    run = about["clips"][1]
    times = about["times"][run["first_frame"]:]
    answer = start(*NO_RENDERING, root=folder).get(
        f"/v1/palette?model=rig.gltf&clip=run&wrap=clamp&t={','.join(map(repr, times))}").json()
    expected = np.array([frame["palettes"][0] for frame in answer["frames"]]).reshape(-1, 3, 4, 4).transpose(0, 1, 3, 2)
    assert np.array_equal(array[run["first_frame"]:], expected.astype("f4")) and run["loop"] is False
    assert posectl("bake", "robot.glb", "-o", "hand.npy", "--joints", "hand_left", cwd=folder).status == 0
    assert npy(folder / "hand.npy").shape == (147, 1, 10)


PROBE = r"""
#include <stdio.h>
#include "odd.h"
int main(void)
{
    unsigned c, f, i, k;
    printf("%d %d %d\n", ODD_CLIP_COUNT, ODD_FRAME_COUNT, ODD_ITEM_COUNT);
    printf("%d %d %d %d\n", ODD_CLIP_RUN_2, ODD_ITEM_COUNT_2, ODD_ITEM_COUNT_3, ODD_ITEM__2ND);
    for (c = 0; c < ODD_CLIP_COUNT; c++)
        printf("%u %u %d %.17g %s\n", odd_clips[c].first_frame, odd_clips[c].frame_count, odd_clips[c].loop, odd_clips[c].duration_s,
               odd_clips[c].name);
    printf("%s\n", odd_item_names[0]);
    for (f = 0; f < ODD_FRAME_COUNT; f++)
        for (i = 0; i < ODD_ITEM_COUNT; i++)
            for (k = 0; k < ODD_FLOATS; k++)
                printf("%.9g\n", (double)odd_values[f][i][k]);
    return 0;
}
"""


@pytest.mark.parametrize("compiler", [["gcc", "-std=c99"], ["g++", "-x", "c++"]])
def test_c_compiles_as_c_and_as_cpp(folder, compiler):
    names = ["--joints", ODD_NAME, "--joints", "count,Count,2nd", "--values", "matrix"]
    assert posectl("bake", "odd.gltf", "-o", "odd.c", *names, cwd=folder).status == 0
    assert posectl("bake", "odd.gltf", "-o", "odd.json", *names, cwd=folder).status == 0
    (folder / "probe.c").write_text(PROBE)
    subprocess.run([*compiler, "-Wall", "-Wextra", "-pedantic", "-Werror", "-o", "probe", "probe.c", "odd.c"], cwd=folder, check=True)
    lines = subprocess.run(["./probe"], cwd=folder, capture_output=True, check=True, encoding="utf-8").stdout.split("\n")
    table = json.loads((folder / "odd.json").read_text())
    frames = np.array(table["frames"])
    assert lines[0] == f"3 {len(frames)} 4" and lines[1] == "2 1 2 3"
    assert lines[2] == "0 16 0 0.5 stand" and lines[4:6] == ["32 16 0 0.5 run", "2"]
    assert lines[6] == ODD_NAME
    assert np.array_equal(np.array([float(line) for line in lines[7:-1]], "f4"), frames.astype("f4").ravel())


def test_csv_quotes_names(folder):
    done = posectl("bake", "odd.gltf", "--as", "csv", "--values", "matrix", "-o", "-", cwd=folder)
    assert done.status == 0
    rows = list(csv.reader(done.out.splitlines(keepends=True)))
    assert {row[0] for row in rows[1:]} == {"stand", "run", "run\n2"} and {len(row) for row in rows} == {20}
    done = posectl("bake", "odd.gltf", "--as", "csv", "--values", "matrix", "--joints", ODD_NAME, "-o", "-", cwd=folder)
    assert {row[3] for row in csv.reader(done.out.splitlines(keepends=True))} == {"name", ODD_NAME}


@pytest.mark.parametrize("model, clip, fps", [("rig.gltf", "run", 12), ("robot.glb", "walk", 4)])
def test_vertex_animation_textures(start, folder, model, clip, fps):
    done = posectl("bake", model, "--as", "png", "--clips", f"{clip},stand", "--fps", fps, "-o", "vat/it", cwd=folder)
    assert (done.status, done.err) == (0, "")
    about = json.loads((folder / "vat/it.vertices.json").read_text())
    assert (about["positions"], about["normals"]) == ("it.positions.png", "it.normals.png")
    positions, normals = png(folder / "vat/it.positions.png"), png(folder / "vat/it.normals.png")
    assert positions.shape == normals.shape == (about["height"], about["width"], 3)
    low, high, count, rows = np.array(about["min"]), np.array(about["max"]), about["vertex_count"], about["rows_per_frame"]
    one = next(entry for entry in about["clips"] if entry["name"] == clip)
    times = about["times"][one["first_frame"]:one["first_frame"] + one["frame_count"]]
    answer = start(*NO_RENDERING, root=folder).get(
        f"/v1/mesh?model={model}&clip={clip}&wrap=clamp&normals=1&rest=1&indices=1&t={','.join(map(repr, times))}").json()
    assert sum(mesh["vertices"] for mesh in about["meshes"]) == count and about["height"] == rows * about["frame_count"]
    for i, frame in enumerate(answer["frames"]):
        top = (one["first_frame"] + i) * rows
        for picture, name, at, span in (positions, "positions", low, high - low), (normals, "normals", -1, 2):
            found = picture[top:top + rows].reshape(-1, 3)[:count] / 65535 * span + at
            expected = np.concatenate([np.reshape(entry, (-1, 3)) for entry in frame[name]]).astype("f4").astype(float)
            quantum = np.broadcast_to(np.asarray(span) / 65535, (3,))
            assert np.all(np.abs(found - expected) <= quantum / 2 + 1e-9 * (1 + np.abs(expected))), (name, i)
    for mesh, rest, triangles in zip(about["meshes"], answer["rest"], answer["indices"], strict=True):
        assert np.array_equal(np.array(mesh["rest_positions"], "f4"), np.array(rest, "f4")) and mesh["triangles"] == triangles


def test_wide_models_take_several_rows(folder):
    assert posectl("bake", "robot.glb", "--as", "png", "--clips", "rest", cwd=folder).status == 0
    about = json.loads((folder / "robot.vertices.json").read_text())
    assert (about["vertex_count"], about["rows_per_frame"], about["width"], about["height"]) == (11050, 3, 3684, 3)


def test_more_than_a_texture_or_an_answer_holds(folder, monkeypatch):
    monkeypatch.setattr("rigs.DURATION", 20)
    (folder / "long.gltf").write_text(character(CLIPS))
    done = posectl("bake", "long.gltf", "--as", "png", "--fps", 1000, cwd=folder)
    assert done.status == 1 and "6 vertices at 40002 frames are more than a texture" in done.err and "--fps" in done.err
    done = posectl("bake", "long.gltf", "-o", "long.npy", "--values", "matrix", "--fps", 1000, "--joints", "toe", "--json", cwd=folder)
    answer = json.loads(done.out)
    assert answer["frame_count"] == 40002 and [file["file"] for file in answer["files"]] == ["long.npy", "long.npy.json"]
    assert npy(folder / "long.npy").shape == (40002, 1, 4, 4)


def test_the_same_bytes_again(folder):
    for kind in ("json", "csv", "npy", "c", "png"):
        for run in ("one", "two"):
            assert posectl("bake", "rig.gltf", "--as", kind, "--fps", 5, *([] if kind == "png" else ["--values", "matrix"]), "-q",
                           "-o", f"{run}/rig", cwd=folder).out == ""
    one = {path.name: path.read_bytes() for path in (folder / "one").iterdir()}
    assert one == {path.name: path.read_bytes() for path in (folder / "two").iterdir()}
    assert sorted(one) == ["rig.c", "rig.csv", "rig.h", "rig.json", "rig.normals.png", "rig.npy", "rig.npy.json", "rig.positions.png",
                           "rig.vertices.json"]


def test_a_running_server(start, folder):
    server = start(*NO_RENDERING, "--tcp", "127.0.0.1:0", root=folder)
    done = posectl("bake", "robot.glb", "--as", "csv", "--joints", "head", "-o", "-", "--server", server.ports["tcp"])
    assert done.status == 0 and done.out == posectl("bake", "robot.glb", "--as", "csv", "--joints", "head", "-o", "-", cwd=folder).out


@pytest.mark.skipif('"glb|posed"' not in (TOP / "server/wire/request/request_params.def").read_text(encoding="utf-8"),
                    reason="this server writes no .posed files")
def test_a_posed_file_is_the_servers(start, folder):
    server = start(*NO_RENDERING, root=folder)
    done = posectl("bake", "robot.glb", "-o", "robot.posed", cwd=folder)
    made = (folder / "robot.posed").read_bytes()
    assert (done.status, done.out, done.err) == (0, f"robot.posed  {len(made)} bytes\n", "")
    assert made == server.get("/v1/export?model=robot.glb&format=posed").body
    assert posectl("bake", "robot.glb", "-o", "-", "--as", "json", "--clips", "rest", cwd=folder).status == 0
    done = posectl("bake", "robot.glb", "-o", "robot.posed", "--fps", 30, cwd=folder)
    assert done.status == 0, done.err
    assert (folder / "robot.posed").read_bytes() == server.get("/v1/export?model=robot.glb&format=posed&fps=30").body != made
    done = posectl("bake", "robot.glb", "-o", "robot.posed", "--clips", "walk", cwd=folder)
    assert done.status == 2 and "--clips does not go with posed files" in done.err


@pytest.mark.parametrize("arguments, status, message", [
    (["robot.glb"], 2, "what to write? --as json"),
    (["robot.glb", "-o", "a.txt"], 2, "not 'a.txt'"),
    (["robot.glb", "-o", "a.csv", "--as", "json"], 2, "contradict"),
    (["robot.glb", "-o", "-", "--as", "npy"], 2, "more than one file"),
    (["robot.glb", "--as", "xlsx"], 2, "--as takes one of"),
    (["robot.glb", "--as", "csv", "--fps", "0"], 2, "--fps takes a number from 0.001"),
    (["robot.glb", "--as", "png", "--joints", "head"], 2, "--joints does not go with png files"),
    (["robot.glb", "--as", "csv", "--values", "palette", "--socket", "a=head:0,0,0"], 2, "does not go with --joints and --socket"),
    (["robot.glb", "--as", "csv", "--socket", "muzzle"], 2, "--socket takes NAME=JOINT:X,Y,Z"),
    (["robot.glb", "--as", "csv", "--socket", "=head"], 2, "--socket takes NAME=JOINT:X,Y,Z"),
    (["robot.glb", "--as", "csv", "--socket", "a=head:0,0"], 1, "there is no joint 'head:0,0'"),
    (["robot.glb", "--as", "csv", "--joints", "hed"], 1, "there is no joint 'hed'; did you mean 'head'?"),
    (["robot.glb", "--as", "csv", "--joints", "99"], 1, "there is no joint '99'"),
    (["robot.glb", "--as", "csv", "--joints", "tail_*"], 1, "there is no joint 'tail_*'"),
    (["robot.glb", "--as", "csv", "--clips", "swim"], 1, "no clip matches --clips 'swim'"),
    (["nobody.glb", "--as", "csv"], 2, "nobody.glb"),
    (["robot.glb", "--as", "csv", "-o", "/proc/none/a.csv"], 3, "cannot write"),
])
def test_what_is_refused(folder, arguments, status, message):
    before = sorted(folder.iterdir())
    done = posectl("bake", *arguments, cwd=folder)
    assert (done.status, done.out) == (status, "") and message in done.err, done.err
    assert sorted(folder.iterdir()) == before
