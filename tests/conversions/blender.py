"""Debian's Blender: its readings of GLB files, and the files that it writes."""
import json
import pathlib
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "oracle"))
import gltf_evaluator  # noqa: E402
from matrices import from_flat, inverse, multiply  # noqa: E402

from . import glb_file  # noqa: E402

TURN = [[1, 0, 0, 0], [0, 0, -1, 0], [0, 1, 0, 0], [0, 0, 0, 1]]  # Blender's world from glTF's: (x, -z, y)
BACK = inverse(TURN)


def program():
    return shutil.which("blender")


def run(jobs, folder):
    """The answers to the jobs of blender_jobs.py, by one process. RuntimeError if it ended badly."""
    asked, answered = folder / "blender_jobs.json", folder / "blender_answers.json"
    asked.write_text(json.dumps(jobs), encoding="utf-8")
    answered.unlink(missing_ok=True)
    done = subprocess.run([program(), "-b", "--factory-startup", "--python", HERE / "blender_jobs.py", "--", asked, answered],
                          capture_output=True, text=True, errors="replace", check=False)
    if not answered.is_file():
        raise RuntimeError(f"Blender ended with status {done.returncode}: {(done.stdout + done.stderr)[-500:]}")
    return json.loads(answered.read_text(encoding="utf-8"))


def job_of(path, clips):
    """A job for a GLB file with new names that identify its nodes and clips, because Blender's names are unique and short. clips: {index:
    times}."""
    document, data = glb_file.split(path.read_bytes())
    for n, node in enumerate(document.get("nodes", [])):
        node["name"] = f"n{n}"
    for c, clip in enumerate(document.get("animations", [])):
        clip["name"] = f"c{c}"
    named, still = path.with_suffix(".named.glb"), path.with_suffix(".still.glb")
    named.write_bytes(glb_file.join(document, data))
    document.pop("animations", None)
    still.write_bytes(glb_file.join(document, data))
    return {"job": "poses", "file": str(named), "rest": str(still),
            "clips": [{"track": f"c{clip}", "times": times} for clip, times in clips.items()]}


def in_blender(matrix):
    return multiply(TURN, from_flat(matrix), BACK)


def pairs_of(document, answer, at_rest, frames, free, clip):
    """Return (name, posed's numbers, Blender's, the allowed difference) for a clip's frames. at_rest: posed's matrices of the
    nodes at rest; frames: the matrices at each time. free: {time: share}.

    Objects have the same world matrices. At rest, the axes of a bone may be turned and its scale may differ. So the bone's movement from
    rest, which does not depend on its axes, and its position are compared."""
    is_left_out = {n for n, node in enumerate(document["nodes"]) if {"skin", "camera"} & node.keys() or "extensions" in node}
    for (t, no_fault), nodes, theirs in zip(free.items(), frames, answer["clips"][clip], strict=True):
        for n, matrix in enumerate(nodes):
            if matrix is None:  # the original does not have the node
                continue
            name, what = f"n{n}", f"node {n} at {t!r} s"
            if name in theirs["bones"]:
                ours = in_blender(matrix)
                yield what + ", place", [ours[r][3] for r in range(3)], theirs["bones"][name][12:15], no_fault
                moved = multiply(ours, inverse(in_blender(at_rest[n])))
                moved_2 = multiply(from_flat(theirs["bones"][name]), inverse(from_flat(answer["rest"]["bones"][name])))
                yield what + ", from rest", sum(moved, []), sum(moved_2, []), no_fault
            elif name in theirs["objects"] and n not in is_left_out:
                yield what, sum(in_blender(matrix), []), sum(from_flat(theirs["objects"][name]), []), no_fault


def model_of(path):
    return gltf_evaluator.Model.from_glb(path.read_bytes())
