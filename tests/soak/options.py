#!/usr/bin/env python3
"""Converts every model with each option of /v1/export alone and with each two of them: Khronos' validator must find no error in the files. The
models are the samples, those of tests/oracle, and those of ../shared.

    options.py [--only words of a path] [--pairs SHARE] [--keep DIR]

All models get each option alone. The samples get all pairs, each other model a SHARE of them (default 0.1), each time other ones. --keep saves
the files with errors. Closes with one line, `N passed, M failed, K skipped`; one test is one file.
"""
import argparse
import itertools
import pathlib
import shutil
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "api")]
import conftest  # noqa: E402
from conversions import glb_jobs, original  # noqa: E402

SHARED = HERE.parents[2] / "shared" / "models"
OPTIONS = [("compress", "meshopt"), ("compress", "draco"), ("optimize", "1"), ("optimize_alone", "1"), ("exact", "1"), ("fps", "30"), ("up", "y"),
           ("up", "z"), ("unit", "m"), ("unit", "cm"), ("clips", "-"), ("textures", "png"), ("textures", "jpeg"), ("textures", "webp"),
           ("textures", "none"), ("max_texture", "64"), ("quality", "30")]
# What the request may not or glTF cannot say; a model that is no model is told by the same code for every option.
REFUSED = {"not_in_gltf", "too_many_frames"}


def query_of(options):
    """The parameters of /v1/export, or None where two options are of one name or posed says that they do not go together."""
    query = dict(options)
    if len(query) < len(options) or ({"optimize", "optimize_alone"} <= query.keys()):
        return None
    if query.pop("optimize_alone", None):  # without meshopt
        if "compress" in query:
            return None
        query |= {"optimize": "1", "compress": "none"}
    lossy = query.get("textures") in ("jpeg", "webp") or query.keys() & {"textures", "max_texture"} == {"max_texture"}
    is_refused = (query.get("compress") == "draco" and "optimize" in query) or (query.get("textures") == "none" and "max_texture" in query) or (
        "quality" in query and not lossy)
    return None if is_refused else query


def queries(share, turn):
    """The queries of a model: none, each option alone, and the share of the pairs whose turn it is."""
    alone = [query for query in (query_of([one]) for one in OPTIONS) if query]
    pairs = [query for query in map(query_of, itertools.combinations(OPTIONS, 2)) if query]
    step = max(1, round(1 / share)) if share else len(pairs) + 1
    return [{}, *alone, *pairs[turn % step::step]]


class Run:
    """Counts, and where files are."""

    def __init__(self, folder, keep):
        self.root, self.path, self.keep = folder / "root", folder / "made.glb", keep
        self.counts = {"passed": 0, "failed": 0, "skipped": 0}
        self.pairs, self.codes, self.models = set(), {}, 0

    def check(self, server, jobs, model, query):
        data, error = original.export(server, model, **query)
        if error and (not query or error["code"] in REFUSED):
            self.counts["skipped"] += 1
            self.codes[error["code"]] = self.codes.get(error["code"], 0) + 1
            return not error["code"] in REFUSED
        wrong = f"{error['code']}: {error['message']}" if error else self.wrong(jobs, data)
        self.counts["failed" if wrong else "passed"] += 1
        self.pairs.add(tuple(sorted(query.items())))
        if wrong:
            print(f"FAILED  {model} with {query}: {wrong}", flush=True)
            if self.keep and data:
                self.keep.mkdir(parents=True, exist_ok=True)
                (self.keep / f"{self.counts['failed']}_{pathlib.Path(model).name}.glb").write_bytes(data)
        return False

    def wrong(self, jobs, data):
        self.path.write_bytes(data)
        answer = jobs.ask("validate", file=self.path)
        errors = [f"{one['code']} {one.get('pointer', '')}: {one['message']}" for one in answer["messages"] if one["severity"] == 0]
        return "; ".join(errors[:3] or ["errors"]) if answer["errors"] else ""


def check(run, server, jobs, options):
    for turn, model in enumerate(sorted(one["model"] for one in server.json("/v1/models")["models"])):
        if options.only not in model:
            continue
        run.models += 1
        for query in queries(1 if model.startswith("samples") else options.pairs, turn):
            if run.check(server, jobs, model, query):
                break  # no model


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="")
    parser.add_argument("--pairs", type=float, default=0.1)
    parser.add_argument("--keep", type=pathlib.Path)
    options = parser.parse_args()
    jobs = glb_jobs.begin()
    if not jobs:
        print("skipped: there is no node, or npm's registry is out of reach\n0 passed, 0 failed, 1 skipped")
        return 0
    with tempfile.TemporaryDirectory(prefix="posed-options-") as folder:
        run = Run(pathlib.Path(folder), options.keep)
        for name, source in (("samples", conftest.SAMPLES), ("oracle", HERE.parent / "oracle" / "models"), ("shared", SHARED)):
            if source.is_dir():
                shutil.copytree(source, run.root / name, ignore=shutil.ignore_patterns(".*", "uploads"))
        server = conftest.Server(run.root, "--render-workers", "0", "--log", "off")
        try:
            check(run, server, jobs, options)
        finally:
            server.end()
            jobs.end()
    print(f"{run.models} models, {len(run.pairs)} different queries; refused: {run.codes}")
    print("{passed} passed, {failed} failed, {skipped} skipped".format(**run.counts))
    return run.counts["failed"] > 0


if __name__ == "__main__":
    sys.exit(main())
