#!/usr/bin/env python3
"""Rewrites models with tools that do not mean to change them. /v1/compare must find each equal to the original, or name only those
differences that tests/conversions/told.py gives a reason for. Every one of these reasons must be needed.

The models are the samples, eleven animated models of ../shared, and small scenes for the tools that keep keys as they are. The tools are
posed (plain, compressed, at 60 poses a second), three.js' exporter, gltf-transform and gltfpack, which tests/web pins, and Blender. Those
that are not here are skipped.

    rewritten.py [--only WORD] [--keep DIR]
    rewritten.py --write    makes the files of tests/api/compare/rewritten anew

--only takes the tools and models whose `tool model` has this word. --keep saves what is told without a reason, as DIR/TOOL/MODEL/old.glb and
new.glb. Closes with one line, `N passed, M failed, K skipped`.
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
from conversions import animated, blender, glb_jobs, rewriters, told  # noqa: E402

STORED = HERE.parent / "api" / "compare" / "rewritten"
SMALL = ("arm", "bare", "crane", "creature_1")  # those of which STORED has what each tool makes


class Run:
    """Counts, and the reasons that were used."""

    def __init__(self, server, keep):
        self.server, self.keep = server, keep
        self.counts, self.by_tool = collections.Counter(), collections.defaultdict(collections.Counter)
        self.used, self.asked = set(), set()

    def fail(self, tool, path, why):
        self.counts["failed"] += 1
        self.by_tool[tool]["failed"] += 1
        print(f"FAILED  {path.stem}, written by {tool}: {why}", flush=True)

    def judge(self, tool, path, new):
        """Compare a rewritten file with the original. A difference may have several reasons."""
        root = self.server.root
        answer = self.server.json("/v1/compare", model=str(new.relative_to(root)), **{"with": str(path.relative_to(root))})
        self.asked |= {(reason, place) for reason in told.REASONS for place in reason.places_in(tool, path.stem)}
        left = []
        for difference in answer["differences"]:
            reasons = {(reason, reason.explains(tool, path.stem, difference)) for reason in told.REASONS}
            reasons = {(reason, place) for reason, place in reasons if place}
            self.used |= reasons
            left += [] if reasons else [difference["message"]]
        if left:
            self.fail(tool, path, f"{len(left)} differences; {'; '.join(left[:3])}")
            self.save(tool, path, new)
        else:
            self.counts["passed"] += 1
            self.by_tool[tool]["equal" if answer["equal"] else "told"] += 1

    def save(self, tool, path, new):
        if self.keep:
            folder = self.keep / tool / path.stem
            folder.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, folder / "old.glb")
            shutil.copy(new, folder / "new.glb")

    def close(self):
        for reason, place in sorted(self.asked - self.used, key=str):
            self.counts["failed"] += 1
            print(f"FAILED  {place} does not need the reason '{reason.why}'")
        for tool, counts in self.by_tool.items():
            print(f"{tool}: {counts['equal']} equal, {counts['told']} told for a reason, {counts['failed']} failed")
        print(f"{self.counts['passed']} passed, {self.counts['failed']} failed, {self.counts['skipped']} skipped")
        return self.counts["failed"] > 0


def write(tool, shop, paths):
    """[(path, the rewritten file, error or None)]."""
    folder = shop.server.root / tool
    folder.mkdir(exist_ok=True)
    pairs = [(path, folder / path.name) for path in paths]
    failed = rewriters.TOOLS[tool](shop, pairs)
    return [(path, out, failed.get(path)) for path, out in pairs]


def check(run, shop, scenes, models, word):
    for tool in rewriters.TOOLS:
        paths = [path for path, _ in models] + (scenes if tool not in rewriters.AT_A_RATE else [])
        wanted = [path for path in paths if word in f"{tool} {path.stem}"]
        why = rewriters.missing(tool, shop)
        if why and wanted:
            run.counts["skipped"] += len(wanted)
            print(f"skipped: {tool}: {why} ({len(wanted)})")
            continue
        for path, out, error in write(tool, shop, wanted) if wanted else []:
            if error:
                run.fail(tool, path, error)
            else:
                run.judge(tool, path, out)
    for path, source in models:
        if source and word in f"convert {path.stem}":
            run.judge("convert", source, path)


def write_stored(shop):
    paths = [path for path in animated.scenes(shop.server.root) if path.stem in SMALL]
    if not shop.jobs or not blender.program():
        sys.exit("this needs node, npm's registry and Blender")
    for tool, name in (("three", "three"), ("blender-keys", "blender")):
        for path, out, error in write(tool, shop, paths):
            if error:
                sys.exit(f"{path.name}: {error}")
            shutil.copyfile(out, STORED / f"{path.stem}.{name}.glb")
    return False


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="")
    parser.add_argument("--keep", type=pathlib.Path)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="posed-rewritten-") as name:
        folder = pathlib.Path(name)
        (folder / "root").mkdir()
        server = conftest.Server(folder / "root", "--render-workers", "0", "--log", "off")
        shop = rewriters.Workshop(server, glb_jobs.begin(), folder)
        try:
            if options.write:
                return write_stored(shop)
            run = Run(server, options.keep)
            models = animated.models(server, folder / "root")
            check(run, shop, animated.scenes(folder / "root"), models, options.only)
            if len(models) == len(animated.SAMPLES):
                print("skipped: the models of ../shared are not here")
                run.counts["skipped"] += len(animated.OTHERS)
            return run.close()
        finally:
            server.end()
            if shop.jobs:
                shop.jobs.end()


if __name__ == "__main__":
    sys.exit(main())
