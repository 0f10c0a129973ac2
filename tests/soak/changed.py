#!/usr/bin/env python3
"""Makes changes of known size to models (tests/conversions/changes.py). /v1/compare must tell each of them with its kind, and with its joint
and time if it is in a pose, also when the changed file was rewritten by a tool. A tool that loses the change itself is left out: HIDDEN says
why.

    changed.py [--only WORD] [--keep DIR]

--only takes the changes and tools whose `change tool` has this word. --keep saves the pairs whose change is not told, as
DIR/CHANGE/TOOL/old.glb and new.glb. Closes with one line, `N passed, M failed, K skipped`.
"""
import argparse
import collections
import pathlib
import shutil
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "api")]
import conftest  # noqa: E402
from conversions import animated, changes, glb_file, glb_jobs, rewriters  # noqa: E402

TOOLS = ("posed", "posed-draco", "three", "gltf-transform", "gltfpack-keep", "blender", "blender-keys")
# (tool, change): why the change is not in the rewritten file
FIRST = "the joint is told at the first frame, a T pose, of which resampling loses more than the change"
TANGENTS = "it keeps no tangents"
HIDDEN = {
    ("gltfpack-keep", "head_3_degrees_for_a_second"): FIRST,
    ("blender", "head_3_degrees_for_a_second"): FIRST,
    **{(tool, "cubic_tangents_doubled"): TANGENTS for tool in ("gltf-transform", "gltfpack-keep", "blender", "blender-keys")},
}


def change_files(root, models, word):
    """{change: the changed file} of the models that are here. Every change makes another file."""
    found = {}
    (root / "changed").mkdir()
    here = {path.stem: path for path, _ in models}
    for change in changes.CHANGES:
        if change.model in here and any(word in f"{change.name} {tool}" for tool in ("", *TOOLS)):
            original = here[change.model].read_bytes()
            file = glb_file.Editor(original)
            change.change(file)
            assert file.glb() != glb_file.Editor(original).glb(), change.name
            found[change] = root / "changed" / f"{change.name}.glb"
            found[change].write_bytes(file.glb())
    return found


def judge(server, counts, change, tool, new, keep):
    answer = server.json("/v1/compare", model=str(new.relative_to(server.root)), **{"with": f"{change.model}.glb"})
    if any(change.is_told_by(difference, bool(tool)) for difference in answer["differences"]):
        counts["passed"] += 1
        return
    counts["failed"] += 1
    messages = [f"{one['kind']}: {one['message']}" for one in answer["differences"]]
    print(f"FAILED  {change.name} of {change.model}, {'rewritten by ' + tool if tool else 'as it is'}: "
          f"{len(messages)} other differences; {'; '.join(messages[:4])}", flush=True)
    if keep:
        folder = keep / change.name / (tool or "as_it_is")
        folder.mkdir(parents=True, exist_ok=True)
        shutil.copy(server.root / f"{change.model}.glb", folder / "old.glb")
        shutil.copy(new, folder / "new.glb")


def check(shop, counts, files, word, keep):
    for change, path in files.items():
        if word in f"{change.name} ":
            judge(shop.server, counts, change, None, path, keep)
    for tool in TOOLS:
        wanted = {change: path for change, path in files.items() if word in f"{change.name} {tool}" and (tool, change.name) not in HIDDEN}
        why = rewriters.missing(tool, shop)
        if why:
            counts["skipped"] += len(wanted)
            print(f"skipped: {tool}: {why} ({len(wanted)})")
            continue
        folder = shop.server.root / tool
        folder.mkdir()
        failed = rewriters.TOOLS[tool](shop, [(path, folder / path.name) for path in wanted.values()]) if wanted else {}
        for change, path in wanted.items():
            if path in failed:
                counts["failed"] += 1
                print(f"FAILED  {change.name} of {change.model}: {tool}: {failed[path]}", flush=True)
            else:
                judge(shop.server, counts, change, tool, folder / path.name, keep)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="")
    parser.add_argument("--keep", type=pathlib.Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="posed-changed-") as name:
        folder, counts = pathlib.Path(name), collections.Counter()
        (folder / "root").mkdir()
        server = conftest.Server(folder / "root", "--render-workers", "0", "--log", "off")
        shop = rewriters.Workshop(server, glb_jobs.begin(), folder)
        try:
            files = change_files(folder / "root", animated.models(server, folder / "root"), options.only)
            missing = len(changes.CHANGES) - len(files) if not options.only else 0
            if missing:
                counts["skipped"] += missing
                print(f"skipped: the models of ../shared are not here ({missing})")
            check(shop, counts, files, options.only, options.keep)
        finally:
            server.end()
            if shop.jobs:
                shop.jobs.end()
    print(f"{counts['passed']} passed, {counts['failed']} failed, {counts['skipped']} skipped")
    return counts["failed"] > 0


if __name__ == "__main__":
    sys.exit(main())
