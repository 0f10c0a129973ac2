#!/usr/bin/env python3
"""Runs suites one after another and closes with one line, `N passed, M failed, K skipped`.

    run.py --log DIR NAME=KIND:COMMAND...

KIND says how to count: cmocka, pytest and node print their own totals; `total` closes with a line as this program does;
`replay` prints `replay NAME: N inputs`, and a line for each failure; `one` is a single test that passes when its command
exits 0. A suite that ends badly without a counted failure counts as one; a suite that ran nothing is a failure. Exit
status 1 when anything failed.
"""
import argparse
import pathlib
import re
import subprocess
import sys
import time


def count_cmocka(text):
    total = lambda pattern: sum(int(n) for n in re.findall(pattern, text))
    ran = total(r"\[=+\] (?:\S+: )?(\d+) test\(s\) run")
    failed = total(r"\[  FAILED  \] (?:\S+: )?(\d+) test\(s\)")
    skipped = total(r"\[  SKIPPED \] (?:\S+: )?(\d+) test\(s\)")
    return ran - failed - skipped, failed, skipped


def count_pytest(text):
    lines = [line for line in text.splitlines() if re.search(r"\d+ (passed|failed|skipped|error)", line)]
    last = lines[-1] if lines else ""
    of = lambda word: sum(int(n) for n in re.findall(r"(\d+) " + word, last))
    return of("passed") + of("xfailed"), of("failed") + of("error") + of("xpassed"), of("skipped")


def count_node(text):
    """The totals at the end, `# pass 3` (TAP) or `\u2139 pass 3` (spec). A cancelled test did not pass."""
    of = lambda word: sum(int(n) for n in re.findall(rf"^(?:#|\u2139) {word} (\d+)$", text, re.M))
    return of("pass"), of("fail") + of("cancelled"), of("skipped") + of("todo")


def count_replay(text):
    failed = re.findall(r"^replay \S+: failed at ", text, re.M)
    return sum(int(n) for n in re.findall(r"^replay \S+: (\d+) inputs", text, re.M)), len(failed), 0


def count_total(text):
    totals = re.findall(r"^(\d+) passed, (\d+) failed, (\d+) skipped$", text, re.M)
    return tuple(int(n) for n in totals[-1]) if totals else (0, 0, 0)


COUNT = {"cmocka": count_cmocka, "pytest": count_pytest, "node": count_node, "total": count_total, "replay": count_replay,
         "one": lambda text: (0, 0, 0)}


def run(name, kind, command, log_path):
    """Runs one suite with its output on the terminal and in a log; returns (passed, failed, skipped)."""
    print(f"== {name}", flush=True)
    start = time.monotonic()
    text = []
    with open(log_path, "w", encoding="utf-8") as log:
        process = subprocess.Popen(command, shell=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                   encoding="utf-8", errors="replace")
        for line in process.stdout:
            log.write(line)
            text.append(line)
            if kind != "cmocka" or not re.match(r"\[ +(RUN|OK) +\]", line):
                print(line, end="", flush=True)
        status = process.wait()
    passed, failed, skipped = COUNT[kind]("".join(text))
    if kind == "one":
        passed = int(status == 0)
    if status != 0 and failed == 0:
        print(f"{name}: ended with status {status}, see {log_path}")
        failed = 1
    if passed + failed + skipped == 0:
        print(f"{name}: ran no test")
        failed = 1
    print(f"== {name}: {passed} passed, {failed} failed, {skipped} skipped in {time.monotonic() - start:.0f} s", flush=True)
    return passed, failed, skipped


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--log", required=True, type=pathlib.Path)
    parser.add_argument("suites", nargs="+", metavar="NAME=KIND:COMMAND")
    options = parser.parse_args()
    options.log.mkdir(parents=True, exist_ok=True)
    totals = [0, 0, 0]
    for suite in options.suites:
        name, rest = suite.split("=", 1)
        kind, command = rest.split(":", 1)
        for i, n in enumerate(run(name, kind, command, options.log / f"{name}.log")):
            totals[i] += n
    print(f"{totals[0]} passed, {totals[1]} failed, {totals[2]} skipped")
    return 1 if totals[1] or not totals[0] else 0


if __name__ == "__main__":
    sys.exit(main())
