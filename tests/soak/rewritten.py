#!/usr/bin/env python3
"""Rewrites models with posed, three.js' exporter and Blender without changing a pose. /v1/compare must find each equal to the original.

    rewritten.py [--keep DIR]
    rewritten.py --write    makes the files of tests/api/compare/rewritten anew

--keep saves the files that /v1/compare finds different. Closes with one line, `N passed, M failed, K skipped`.
"""
import argparse
import pathlib
import shutil
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "api")]
import conftest  # noqa: E402
import rewritten_scenes  # noqa: E402
import small_scenes  # noqa: E402
from conversions import blender, glb_jobs, original  # noqa: E402

STORED = HERE.parent / "api" / "compare" / "rewritten"
SMALL = ("arm", "bare", "crane", "creature_1")  # those of which STORED has what each tool makes
SHARED = HERE.parents[2] / "shared" / "models" / "gltf" / "Fox.glb"  # real keys, and a texture


def make_models(root):
    """Paths of the models that are rewritten."""
    for name, make in rewritten_scenes.SCENES.items():
        (root / f"{name}.glb").write_bytes(small_scenes.glb(make()))
    if SHARED.is_file():
        shutil.copy(SHARED, root)
    return sorted(root.glob("*.glb"))


def write_by_posed(server, paths):
    for path in paths:
        data, error = original.export(server, path.name)
        if data:
            path.with_suffix(".posed.glb").write_bytes(data)
        yield path, path.with_suffix(".posed.glb"), error and error["message"]


def write_by_three(jobs, paths):
    for path in paths:
        out = path.with_suffix(".three.glb")
        try:
            jobs.ask("rewrite", file=path, out=out)
            yield path, out, None
        except RuntimeError as error:
            yield path, out, str(error)


def write_by_blender(paths, folder):
    outs = [path.with_suffix(".blender.glb") for path in paths]
    answers = blender.run([{"job": "rewrite", "file": str(path), "out": str(out)} for path, out in zip(paths, outs)], folder)
    return [(path, out, answer.get("error")) for path, out, answer in zip(paths, outs, answers)]


def compare(server, path, out):
    """The differences, one a line."""
    answer = server.json("/v1/compare", model=out.name, **{"with": path.name})
    return [] if answer["equal"] else [one["message"] for one in answer["differences"]]


def check(server, paths, folder, keep):
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    tools = {"posed": lambda: write_by_posed(server, paths)}
    jobs = glb_jobs.begin()
    tools["three.js"] = (lambda: write_by_three(jobs, paths)) if jobs else None
    tools["Blender"] = (lambda: write_by_blender(paths, folder)) if blender.program() else None
    for tool, write in tools.items():
        if not write:
            print(f"skipped: {tool}: it is not here ({len(paths)})")
            counts["skipped"] += len(paths)
            continue
        for path, out, error in list(write()):
            found = [error] if error else compare(server, path, out)
            counts["failed" if found else "passed"] += 1
            if found:
                print(f"FAILED  {path.name}, written by {tool}: {len(found)} differences; {'; '.join(found[:3])}", flush=True)
                if keep and out.is_file():
                    keep.mkdir(parents=True, exist_ok=True)
                    shutil.copy(path, keep)
                    shutil.copy(out, keep)
    if jobs:
        jobs.end()
    print("{passed} passed, {failed} failed, {skipped} skipped".format(**counts))
    return counts["failed"] > 0


def write_stored(folder):
    paths = [path for path in make_models(folder) if path.stem in SMALL]
    jobs = glb_jobs.begin()
    if not jobs or not blender.program():
        sys.exit("this needs node, npm's registry and Blender")
    for path, out, error in [*write_by_three(jobs, paths), *write_by_blender(paths, folder)]:
        if error:
            sys.exit(f"{path.name}: {error}")
        shutil.copyfile(out, STORED / out.name)
    jobs.end()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--keep", type=pathlib.Path)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="posed-rewritten-") as name:
        folder = pathlib.Path(name)
        if options.write:
            return write_stored(folder)
        (folder / "root").mkdir()
        paths = make_models(folder / "root")
        server = conftest.Server(folder / "root", "--render-workers", "0", "--log", "off")
        try:
            return check(server, paths, folder, options.keep)
        finally:
            server.end()


if __name__ == "__main__":
    sys.exit(main())
