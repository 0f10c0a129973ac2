#!/usr/bin/env python3
"""Converts every model with clips to GLB with /v1/export, and reads the file with posed, three.js and Blender. Each node and joint must be
where it is in the original, at keys and between them, and Khronos' validator must find no error. The models are those of ../shared, the
samples, and those of tests/oracle. Some get the clips of other files. A file that is not exact may be off by what it states; Blender also
reads the samples with optimize=1.

    convert.py [--only words of a path] [--keep DIR]

--keep saves the GLB files whose reading is wrong. Closes with one line, `N passed, M failed, K skipped`; one test is one file and one reader.
"""
import argparse
import pathlib
import shutil
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "api")]
import conftest  # noqa: E402
from conversions import blender, glb_jobs, original, readers  # noqa: E402
from conversions.case import Case  # noqa: E402

SHARED = HERE.parents[2] / "shared" / "models"
TOLERANCE, BLENDER_TOLERANCE = 2e-6, 1e-5  # of the model's size
OPTIMIZED = 1e-4  # likewise: what optimize=1 allows
KEPT = ("kept.gltf", "rich.gltf")  # several scenes, extras, markers, TEXCOORD_1, colours and parts of VRM
MERGES = [  # a model, and files whose clips it gets
    ("shared/fbx/ozz_arnaud.fbx", ("shared/fbx/ozz_run.fbx",)),
    ("shared/adversarial/a_cubic_skin.gltf", ("shared/adversarial/b_step.gltf", "shared/adversarial/h_late_start.gltf")),
]
# (reader, model): why the reader is not used, although the file is correct
LIBERTIES = {
    ("three.js", "SimpleSkin.gltf"): "it normalises quaternions that are not of unit length",
    ("Blender", "SimpleSkin.gltf"): "it normalises quaternions that are not of unit length",
}


class Run:
    """Counts, and the results for the end."""

    def __init__(self, folder, keep):
        self.folder, self.root, self.keep = folder, folder / "root", keep
        self.counts = {"passed": 0, "failed": 0, "skipped": 0}
        self.skipped, self.refused, self.worst = {}, [], {}

    def passed(self, reader, error):
        self.counts["passed"] += 1
        self.worst[reader] = max(self.worst.get(reader, 0.0), error)

    def fail(self, what, reader, why, path=None):
        self.counts["failed"] += 1
        print(f"FAILED  {what}, read by {reader}: {why}", flush=True)
        if self.keep and path:
            self.keep.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, self.keep)

    def skip(self, what, why):
        self.counts["skipped"] += 1
        self.skipped[what, why] = self.skipped.get((what, why), 0) + 1

    def judge(self, case, reader, tolerance, read):
        """read() returns the greatest error and where it is."""
        liberty = LIBERTIES.get((reader, pathlib.Path(case.model).name))
        if liberty:
            self.skip(reader, liberty)
            return
        try:
            error, where = read()
        except (AssertionError, RuntimeError, ValueError) as problem:
            self.fail(case.converted, reader, str(problem)[:600], case.path)
            return
        if error <= tolerance:
            self.passed(reader, error)
        else:
            self.fail(case.converted, reader, f"{where} is off by {error:.2e} of the size", case.path)


def copy_models(run):
    (run.root / "kept").mkdir()
    for name in KEPT:
        shutil.copy(HERE.parent / "api" / "export" / name, run.root / "kept")
    for name, folder in (("samples", conftest.SAMPLES), ("oracle", HERE.parent / "oracle" / "models"), ("shared", SHARED)):
        if folder.is_dir():
            shutil.copytree(folder, run.root / name, ignore=shutil.ignore_patterns(".*", "uploads"))
        else:
            run.skip("models of other people" if name == "shared" else name, f"there is no {folder}")
    (run.root / "converted").mkdir()


def convert(run, server, jobs, model, files=()):
    """The case of a model with clips, or None: it cannot be read, has no clip, or glTF cannot express it."""
    if not original.clips_of(server, model):
        return None
    path = run.root / "converted" / ((model + "".join("+" + pathlib.Path(file).name for file in files)).replace("/", "_") + ".glb")
    query = {"clip_file": list(files)} if files else {}
    data, error = original.export(server, model, exact=1, **query)
    is_exact = not error
    if error and error["code"] == "not_in_gltf":
        run.refused.append(error["message"])
        data, error = original.export(server, model, **query)
    if error:
        run.fail(model, "posed", f"{error['code']}: {error['message']}")
        return None
    path.write_bytes(data)
    validate(run, jobs, path)
    case = Case(server, model, files, path, str(path.relative_to(run.root)))
    case.stated = 0.0 if is_exact else readers.stated(case)
    return case


def optimize(run, server, jobs, model):
    """The case of a sample with optimize=1, without meshopt, which Blender does not read."""
    path = run.root / "converted" / (model.replace("/", "_") + ".small.glb")
    data, error = original.export(server, model, optimize=1, compress="none")
    if error:
        run.fail(model, "posed", f"{error['code']}: {error['message']}")
        return None
    path.write_bytes(data)
    validate(run, jobs, path)
    case = Case(server, model, (), path, str(path.relative_to(run.root)))
    case.stated = OPTIMIZED
    return case


def validate(run, jobs, path):
    if not jobs:
        run.skip("Khronos' validator", "there is no node, or npm's registry is out of reach")
        return
    answer = jobs.ask("validate", file=path)
    messages = [f"{one['code']} {one.get('pointer', '')}: {one['message']}" for one in answer["messages"] if one["severity"] == 0]
    if answer["errors"]:
        run.fail(path.name, "Khronos' validator", "; ".join(messages[:3]), path)
    else:
        run.passed("Khronos' validator", 0.0)


def judge(run, case, reader, tolerance, read_it):
    """With what the file states, if it is approximate."""
    if case.stated:
        run.judge(case, f"{reader}, approximately", 1, lambda: readers.within(case.stated, tolerance, read_it))
    else:
        run.judge(case, reader, tolerance, read_it)


def read(run, jobs, case):
    judge(run, case, "posed", TOLERANCE, lambda: readers.by_posed(case))
    if jobs:
        judge(run, case, "three.js", TOLERANCE, lambda: readers.by_three(case, jobs))
    else:
        run.skip("three.js", "there is no node, or npm's registry is out of reach")


def read_by_blender(run, cases):
    """One Blender reads all of them."""
    asked, jobs = [], []
    for case in cases:
        times = readers.blender_times(case)
        if not blender.program():
            run.skip("Blender", "it is not installed")
        elif not times:
            run.skip("Blender", "no key is one of all channels")
        else:
            asked.append((case, times))
            jobs.append(blender.job_of(case.path, times))
    for (case, times), answer in zip(asked, blender.run(jobs, run.folder) if jobs else []):
        judge(run, case, "Blender", BLENDER_TOLERANCE, lambda case=case, times=times, answer=answer: readers.by_blender(case, times, answer))


def compare_contents(run, cases):
    """What Blender reads of files beyond their poses, and of the originals."""
    kept = [case for case in cases if case.model.startswith("kept/")]
    if not blender.program() or not kept:
        return
    files = [str(path) for case in kept for path in (run.root / case.model, case.path)]
    answers = blender.run([{"job": "contents", "file": file} for file in files], run.folder)
    for case, was, now in zip(kept, answers[::2], answers[1::2]):
        run.judge(case, "Blender, beyond poses", BLENDER_TOLERANCE, lambda was=was, now=now: readers.kept_in_blender(was, now))


def check(run, server, jobs, words):
    models = sorted(one["model"] for one in server.json("/v1/models")["models"])
    wanted = [(model, ()) for model in models] + [(model, files) for model, files in MERGES if model in models]
    cases = []
    for model, files in wanted:
        case = convert(run, server, jobs, model, files) if words in model else None
        if case:
            read(run, jobs, case)
            cases.append(case)
        if case and model.startswith("samples/") and not files:
            cases += [small for small in [optimize(run, server, jobs, model)] if small]
    read_by_blender(run, cases)
    compare_contents(run, cases)


def report(run):
    for line in run.refused:
        print(f"refused: {line}")
    for (what, why), count in run.skipped.items():
        print(f"skipped: {what}: {why} ({count})")
    for reader, error in run.worst.items():
        print(f"the worst of the good ones, read by {reader}: {error:.1e} of "
              + ("what the file says" if "approximately" in reader else "its model's size"))
    print("{passed} passed, {failed} failed, {skipped} skipped".format(**run.counts))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="")
    parser.add_argument("--keep", type=pathlib.Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="posed-convert-") as folder:
        run = Run(pathlib.Path(folder), options.keep)
        run.root.mkdir()
        copy_models(run)
        server, jobs = conftest.Server(run.root, "--render-workers", "0", "--log", "off"), glb_jobs.begin()
        try:
            check(run, server, jobs, options.only)
        finally:
            server.end()
            if jobs:
                jobs.end()
    report(run)
    return run.counts["failed"] > 0


if __name__ == "__main__":
    sys.exit(main())
