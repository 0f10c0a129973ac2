"""What three.js makes of a model, compared with the evaluators' values: for `make refs` alone, which leaves the figure in the
reference file. Formats that three.js has a loader for; nodes, not vertices.

three.js is an engine and takes liberties; where it does, the reason stands here, and the rest is compared.
"""
import json
import os
import pathlib
import shutil
import subprocess
import tempfile

import corner_models

HERE = pathlib.Path(__file__).resolve().parent
FOLDER = HERE.parents[1] / "build" / "three"
AGREES = 2e-5  # of the model's size: three.js keeps keys as float32

# (model, clip, node), "*" for any: why three.js is not compared
LIBERTIES = {
    ("corner_curves.gltf", "*", 3): "it takes a matrix with shear apart",
    ("corner_integers.gltf", 0, "*"): "it takes the integer -32768 for less than -1",
    ("lever.dae", 0, "base"): "it joins channels of one node by time and holds values between",
    ("turned.bvh", 0, "*"): "it adds position channels to the OFFSET",
    **{("pivots.fbx", 0, node): "it turns the arm about its origin, not about the pivot" for node in ("arm", "hand", "finger ü", "box")},
    **{("pivots.fbx", 1, node): "between keys it turns several angles at once by the arc" for node in ("hand", "finger ü")},
    ("curves.fbx", 0, "*"): "it takes curves for straight lines and holds the last key",
    ("layers.fbx", 0, "*"): "it does not blend layers",
    ("layers.fbx", 1, "*"): "it does not blend layers",
    ("joints.fbx", 0, "root"): "it takes curves for straight lines",
    **{("joints.fbx", "*", node): "it applies the parent's scale for the inheritance that leaves it out" for node in ("spine", "neck", "head")},
}
UNREAD = {"gate.fbx": "it reads FBX from version 7000 on"}


def install():
    FOLDER.mkdir(parents=True, exist_ok=True)
    wanted = (HERE / "package.json").read_bytes()
    kept = FOLDER / "package.json"
    if (FOLDER / "node_modules" / "three").is_dir() and kept.is_file() and kept.read_bytes() == wanted:
        return
    shutil.copy(HERE / "package.json", kept)
    subprocess.run(["npm", "install", "--no-audit", "--no-fund", "--silent"], cwd=FOLDER, check=True)


def takes_liberties(name, clip, node):
    return any((name, c, n) in LIBERTIES for c in (clip, "*") for n in (node, "*"))


def ask(path, clip, times):
    done = subprocess.run(["node", HERE / "three_poses.mjs", path, "-" if clip is None else str(clip), *map(repr, times)], cwd=FOLDER,
                          capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"three.js cannot read {path.name}: {done.stderr[-500:]}")
    return json.loads(done.stdout)


def of(name, made, samples, begins):
    """{"version", "worst"}, or None if three.js has no loader. begins: the file's time at which each clip starts. Raises if it disagrees.
    """
    if pathlib.Path(name).suffix not in (".gltf", ".glb", ".fbx", ".dae", ".bvh") or name in UNREAD:
        return None
    install()
    worst, version = 0.0, None
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / name
        if name in corner_models.ALL:
            path.write_text(json.dumps(corner_models.ALL[name]()), encoding="utf-8")
        else:
            path = samples / name if (samples / name).is_file() else HERE / "models" / name
        for clip in made["clips"]:
            begin = begins[clip["index"]] if clip["index"] is not None else 0.0
            answer = ask(path.resolve(), clip["index"], [frame["t"] + begin for frame in clip["frames"]])
            version = answer["version"]
            for frame, matrices in zip(clip["frames"], answer["frames"]):
                theirs = dict(zip(answer["nodes"], matrices))
                for node, ours in zip(made["nodes"], frame["nodes"]):
                    if node in theirs and not takes_liberties(name, clip["index"], node):
                        error = max(abs(x - y) for x, y in zip(ours, theirs[node])) / made["size"]
                        if os.environ.get("SHOW") and error > AGREES:
                            print(f"    {name} clip {clip['index']} t={frame['t']:.4f} node {node}: {error:.1e}")
                        worst = max(worst, error)
    if worst > AGREES:
        raise RuntimeError(f"{name}: three.js {version} differs by {worst:.1e} of the model's size")
    return {"version": version, "worst": float("%.0e" % worst)}
