#!/usr/bin/env python3
"""make bench: compares posed with programs for the same purpose, in one run.

    bench.py [--quick] [--out FOLDER] [PART...]
    bench.py PROGRAM [its options]     another program of this folder: thumbnails, overload, disk_cache
    bench.py --readme [PART...]        writes the table of the last run, or of the last run of these parts, into tests/bench/README.md

Prints a table for each part, writes FOLDER/bench.json and FOLDER/bench.svg (build/bench; for a PART bench-PART.json). The compared
programs are measured in turn, at least five times. Figures are medians, with half the distance of their quartiles. Measurements that
something else on the machine disturbed are repeated. If that does not help, there is no ratio (rounds.py, quiet.py). --quick: two short
rounds, to see that it works.
"""
import argparse
import importlib
import json
import os
import pathlib
import shutil
import sys
import tempfile
import time

import chart
import machine
import peers
import quiet
import report
import rounds

HERE = pathlib.Path(__file__).resolve().parent
SHARED = HERE.parents[2] / "shared" / "models"
README = HERE / "README.md"
PARTS = ("poses", "palette_json", "serving", "crowd_ticks", "beside_renders", "probes", "pictures", "passes", "cold_folder", "comparisons", "imports", "restarts", "live", "memory")
PICTURE = "![The same as bars, with the targets](speed.svg)"
AGAIN_S = 300  # disturbed measurements are repeated up to this time after the start: a run takes about ten minutes
MARKS = ("<!-- speed: made by `make bench-readme` from the last `make bench` -->", "<!-- /speed -->")


class Bench:
    """The common data of parts: paths, durations, and the place for lines."""

    def __init__(self, folder, is_quick):
        self.folder, self.is_quick = pathlib.Path(folder), is_quick
        self.samples, self.shared = peers.conftest.SAMPLES, SHARED
        self.quiet = quiet.Quiet()
        self.begin = time.monotonic()
        self.lines = []
        self.skipped = []
        processors = sorted(os.sched_getaffinity(0))
        self.processors = len(processors)
        # the server on one, the client on another
        self.server_processor, self.client_processor = processors[:2] if len(processors) > 1 else (None, None)

    def seconds(self, full):
        """The duration of a measurement that takes `full` seconds, shorter in a quick run."""
        return full / 5 if self.is_quick else full

    def interleave(self, tasks, again=rounds.ROUNDS):
        wanted = 2 if self.is_quick else rounds.ROUNDS
        has_time = not self.is_quick and time.monotonic() - self.begin < AGAIN_S
        return rounds.interleave(self.quiet.watch, tasks, wanted, again if has_time else 0, self.quiet.settle)

    def add(self, *words, **fields):
        self.lines.append(report.Line(*words, **fields))

    def add_exact(self, part, what, unit, ours, peer="", theirs=None, **fields):
        """Add a line of counted, not measured, values."""
        one = lambda value: rounds.Figure(value, 0.0, [value], [])
        self.add(part, what, unit, one(ours), peer, one(theirs) if theirs else None, one(ours / theirs) if theirs else None, **fields)

    def skip(self, what):
        """Skip something that this machine lacks."""
        self.skipped.append(what)

    def make_folder(self, name):
        path = self.folder / name
        path.mkdir()
        return path

    def others(self, *names):
        """Models of others by their names in ../shared/models, if they exist."""
        found = [self.shared / name for name in names if (self.shared / name).is_file()]
        if len(found) < len(names):
            self.skip("models of ../shared")
        return found


def run(parts, is_quick):
    """All lines of these parts, as a report."""
    quiet.adopt_orphans()
    with tempfile.TemporaryDirectory(prefix="posed-bench-") as folder:
        bench = Bench(folder, is_quick)
        spent, failed = {}, []
        root = bench.make_folder("none")
        server = peers.conftest.Server(root, "--log", "off", "--render-workers", "0")
        found = {"quick": is_quick, "machine": machine.machine(), "builds": machine.builds(server.json("/v1/version"))}
        server.end()
        for line in report.machine_text(found):
            print(line)
        for name in parts:
            begin, first = time.monotonic(), len(bench.lines)
            part = importlib.import_module(name)
            try:
                part.run(bench)
            except (SystemExit, Exception) as error:  # the other parts are still useful
                failed.append(f"{name}: {error}")
                print(f"bench: {failed[-1]}")
            spent[name] = round(time.monotonic() - begin, 1)
            print()
            for line in report.table(part.TITLE, [one.json() for one in bench.lines[first:]]):
                print(line, flush=True)
        return {**found, "lines": [one.json() for one in bench.lines], "skipped": sorted(set(bench.skipped)), "seconds": spent,
                "failed": failed, "disturbances": bench.quiet.seen}


def summary(found):
    count = lambda verdict: sum(row["verdict"] == verdict for row in found["lines"])
    yield f"{count('met')} targets met, {count('missed')} missed, {count('disturbed')} lines disturbed; {sum(found['seconds'].values()):.0f} s"
    for reason, times in found["disturbances"].items():
        yield f"measurements that count for nothing because {reason}: {times}"
    if found["skipped"]:
        yield f"not here: {', '.join(found['skipped'])}"


def read_run(folder, name):
    found = json.loads((folder / f"{name}.json").read_text())
    if found["quick"]:
        raise SystemExit("bench: the last run was a quick one: make bench")
    machine_words = f"{found['machine']['processor']}, {found['machine']['processors']} processors, {found['machine']['system']}"
    return found, "\n".join([f"On {machine_words}, commit {found['builds']['commit']}:", "", *report.markdown(found)])


def write_readme(folder, parts=()):
    """A full run replaces all of the page's results. A part that was measured alone is below, with its own commit."""
    text = README.read_text()
    head, rest = text.split(MARKS[0])
    middle, tail = rest.split(MARKS[1])
    if parts:
        found, table = read_run(folder, "-".join(["bench", *parts]))
        mark = f"\n\n<!-- {', '.join(parts)} -->\n"
        blocks = [block for block in middle.rstrip("\n").split("\n\n<!-- ") if not block.startswith(mark.removeprefix("\n\n<!-- "))]
        middle = "\n\n<!-- ".join(blocks) + f"{mark}Measured later, on its own. {table}\n"
    else:
        found, table = read_run(folder, "bench")
        middle = f"\n{table}\n\n{PICTURE}\n"
        shutil.copy(folder / "bench.svg", HERE / "speed.svg")
    README.write_text(f"{head}{MARKS[0]}{middle}{MARKS[1]}{tail}")


def main():
    if len(sys.argv) > 1 and sys.argv[1] not in PARTS and (HERE / f"{sys.argv[1]}.py").is_file():
        os.execv(sys.executable, [sys.executable, str(HERE / f"{sys.argv[1]}.py"), *sys.argv[2:]])
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--readme", action="store_true")
    parser.add_argument("--out", type=pathlib.Path, default=peers.conftest.BUILD / "bench")
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(PARTS))
    options = parser.parse_args()
    unknown = [name for name in options.parts if name not in PARTS]
    if unknown:
        parser.error(f"no part '{unknown[0]}'; there are {', '.join(PARTS)}")
    if options.readme:
        write_readme(options.out, options.parts)
        return
    found = run(options.parts or PARTS, options.quick)
    print()
    for line in summary(found):
        print(line)
    options.out.mkdir(parents=True, exist_ok=True)
    name = "-".join(["bench", *options.parts])
    (options.out / f"{name}.json").write_text(json.dumps(found, indent=1) + "\n")
    (options.out / f"{name}.svg").write_text(chart.svg(found))
    print(f"wrote {options.out / name}.json and .svg")
    sys.exit(bool(found["failed"]))


if __name__ == "__main__":
    main()
