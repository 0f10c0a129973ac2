#!/usr/bin/env python3
"""Reference values that the tests compare with posed's. The evaluators of this folder compute them from the sample models, the files in
models/ and the models of corner_models.py, binary_models.py and ogre_models.py, at some times of every clip.

    refs.py SAMPLES --write    make tests/oracle/refs anew, and compare with three.js (needs npm)
    refs.py SAMPLES --check    compute the values and compare the stored ones; exit status 1 if they differ

Members of a reference file: `model`; `size` of the model, to which tolerances are relative; `up` and `unit_m` if the format defines them;
`nodes`, the index or name of each; `clips` with `name`, `duration` and `frames`: `t`, `nodes` (scene_from_node, 16 numbers in columns),
`palettes` (of each skin by joint), `vertices`. `rest` has the vertices as in the file; for glTF, the index of the mesh entry follows each. A
clip with index null is the rest pose. `three` is the worst difference from three.js, relative to size.
"""
import json
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import binary_models  # noqa: E402
import bvh_evaluator  # noqa: E402
import collada_skins  # noqa: E402
import corner_models  # noqa: E402
import fbx_evaluator  # noqa: E402
import gltf_evaluator  # noqa: E402
import md5_evaluator  # noqa: E402
import ogre_models  # noqa: E402
import smd_evaluator  # noqa: E402
import static_evaluator  # noqa: E402
import x_evaluator  # noqa: E402
from matrices import flat  # noqa: E402

MODELS, REFS = HERE / "models", HERE / "refs"
SAMPLES = ["dragon.glb", "octopus.glb", "robot.glb"]
VERTICES_MAX, NODES_MAX = 12, 8
SAME = 1e-9  # relative to the size: the difference that another machine's sine may make in the same formula


def some(items, count):
    """About this many of them at most, evenly spaced."""
    return items[::max(1, len(items) // count)]


class Gltf:
    """gltf_evaluator.Model with the interface of the other evaluators. Nodes are identified by index, because their names have no meaning.
    """

    up, unit_m = [0, 1, 0], 1  # 3.4

    def __init__(self, model):
        self.model = model
        self.nodes = list(range(len(model.nodes)))
        self.clips = []
        for c, clip in enumerate(model.document.get("animations", [])):
            times = {row[0] for s in clip["samplers"] for row in model.accessor(s["input"])}
            self.clips.append({"name": clip.get("name"), "times": sorted(times | {0.0, model.duration(c)})})
        self.drawn = [(n, p) for n, node in enumerate(model.nodes) if "mesh" in node
                      for p in model.document["meshes"][node["mesh"]]["primitives"]]
        self.points = [[list(p) for p in model.accessor(p["attributes"]["POSITION"])] for _, p in self.drawn]
        self.only = [some(list(range(len(points))), VERTICES_MAX // len(self.drawn) + 1) for points in self.points]
        self.posed = None

    def pose(self, clip, t):
        self.posed = self.model.pose(clip, t)
        return [self.model.scene_from_node(self.posed[0], n) for n in self.nodes]

    def palettes(self, scene):
        return [{str(j): m for j, m in enumerate(self.model.palette(s, self.posed[0]))}
                for s in range(len(self.model.document.get("skins", [])))]

    def vertices(self, scene):
        return [(self.points[entry][v], place, entry) for entry, ((n, p), only) in enumerate(zip(self.drawn, self.only))
                for v, place in zip(only, self.model.vertices(n, p, *self.posed, only))]


def evaluators(samples):
    """(name, how to make it) of every model with a reference."""
    found = [(name, lambda name=name: Gltf(gltf_evaluator.Model.from_glb((samples / name).read_bytes()))) for name in SAMPLES]
    found += [(name, lambda make=make: Gltf(gltf_evaluator.Model(make()))) for name, make in corner_models.ALL.items()]
    found += list(binary_models.ALL.items()) + list(ogre_models.ALL.items())
    kinds = {".bvh": bvh_evaluator, ".dae": collada_skins, ".fbx": fbx_evaluator, ".smd": smd_evaluator, ".x": x_evaluator}
    for path in sorted(MODELS.iterdir()):
        if path.suffix == ".md5mesh":
            clips = sorted(MODELS.glob("*.md5anim"), key=lambda clip: (clip.stem != path.stem, clip.name))
            found.append((path.name, lambda path=path, clips=clips: md5_evaluator.Model(path, clips)))
        elif path.suffix in kinds:
            found.append((path.name, lambda path=path: kinds[path.suffix].Model(path)))
        elif path.suffix != ".md5anim":
            found.append((path.name, lambda path=path: static_evaluator.Model(path)))
    return found


def times_of(clip):
    """The ends, a key within, and times between keys where the server is meant to be exact."""
    keys = clip["times"]
    if clip.get("keys_only"):
        return keys
    middle = len(keys) // 2
    between = [a + share * (b - a) for a, b, share in ((keys[0], keys[1], 0.5), (keys[middle - 1], keys[middle], 0.25),
                                                       (keys[-2], keys[-1], 0.875))] if len(keys) > 1 else []
    return sorted({keys[0], keys[middle], keys[-1], *between})


def rounded(x):
    """Nine digits, which is more than float32 has."""
    if isinstance(x, dict):
        return {key: rounded(y) for key, y in x.items()}
    return [rounded(y) for y in x] if isinstance(x, list) else float("%.9g" % x) + 0.0


def frame(model, clip, t, nodes):
    scene = model.pose(clip, t)
    vertices = model.vertices(scene)
    palettes = [{joint: flat(skin[joint]) for joint in some(list(skin), NODES_MAX)} for skin in model.palettes(scene)]
    return {"t": t, "nodes": [flat(scene[n]) for n in nodes], "vertices": [list(v[1]) for v in vertices], "palettes": palettes}, \
        [list(map(float, v[0])) + list(v[2:]) for v in vertices]


def reference(name, model):
    nodes, size, clips, rest = some(list(range(len(model.nodes))), NODES_MAX), 1e-3, [], []
    for c, clip in [(None, {"name": None, "times": [0.0]})] + list(enumerate(model.clips)):
        frames = []
        for t in times_of(clip):
            made, rest = frame(model, c, t, nodes)
            size = max([size] + [abs(x) for p in made["vertices"] for x in p] + [abs(x) for m in made["nodes"] for x in m[12:15]])
            frames.append({key: value if key == "t" else rounded(value) for key, value in made.items()})
        clips.append({"index": c, "name": clip["name"], "duration": clip["times"][-1], "frames": frames})
    return {"model": name, "size": float("%.9g" % size), "up": getattr(model, "up", None), "unit_m": getattr(model, "unit_m", None), "nodes": [model.nodes[n] for n in nodes], "rest": rest, "clips": clips}


def difference(a, b, where=""):
    """(greatest difference of two numbers, where); infinite if anything else differs."""
    if isinstance(a, (int, float)) and isinstance(b, (int, float)) and not isinstance(a, bool):
        return abs(a - b), where
    if isinstance(a, dict) and isinstance(b, dict) and a.keys() == b.keys():
        return max((difference(a[k], b[k], f"{where}/{k}") for k in a), default=(0.0, where))
    if isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        return max((difference(x, y, f"{where}/{i}") for i, (x, y) in enumerate(zip(a, b))), default=(0.0, where))
    return (0.0, where) if a == b else (float("inf"), where)


def text_of(reference):
    """JSON with a frame's matrices a line each, so that a change shows in a diff."""
    return json.dumps(reference, ensure_ascii=False, separators=(",", ":")).replace('{"t":', '\n{"t":').replace('"nodes":', '\n"nodes":') \
        .replace('"palettes":', '\n"palettes":').replace('"vertices":', '\n"vertices":') + "\n"


def stored(name):
    path = REFS / f"{name}.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else None


def check(samples):
    """The differences from the evaluators' values, one a line."""
    wrong = []
    made = evaluators(samples)
    for name, make in made:
        kept, now = stored(name), reference(name, make())
        if kept is None:
            wrong.append(f"{name}: no values are stored")
            continue
        kept.pop("three", None)
        worst, where = difference(kept, json.loads(text_of(now)))
        if worst > SAME * now["size"]:
            wrong.append(f"{name}: {where} differs by {worst:.2e} from what the evaluator makes now")
    for path in sorted(REFS.glob("*.json")):
        if path.name[:-len(".json")] not in {name for name, _ in made}:
            wrong.append(f"{path.name}: there is no such model")
    return wrong


def write(samples):
    import second_opinion
    REFS.mkdir(exist_ok=True)
    for path in REFS.glob("*.json"):
        path.unlink()
    for name, make in evaluators(samples):
        model = make()
        made = reference(name, model)
        three = second_opinion.of(name, made, samples, [clip.get("begin", 0.0) for clip in model.clips])
        if three is not None:
            made["three"] = three
        (REFS / f"{name}.json").write_text(text_of(made), encoding="utf-8")
        print(f"{name}: {len(made['clips']) - 1} clips, size {made['size']:.4g}" +
              (f"; three.js differs by {three['worst']:.1e}" if three else ""), flush=True)


def main():
    if len(sys.argv) != 3 or sys.argv[2] not in ("--write", "--check"):
        sys.exit(__doc__)
    samples = pathlib.Path(sys.argv[1])
    if sys.argv[2] == "--write":
        write(samples)
        return
    wrong = check(samples)
    for line in wrong:
        print(line)
    sys.exit("run `make refs` and look at the difference" if wrong else 0)


if __name__ == "__main__":
    main()
