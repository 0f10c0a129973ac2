#!/usr/bin/env python3
"""Runs suites, some in parallel, and closes with one line, `N passed, M failed, K skipped`.

    run.py --log DIR [--slots N] NAME=KIND:COMMAND... [then NAME=KIND:COMMAND...]...

KIND says how to count: cmocka, pytest and node print their own totals; `total` closes with the same line as this program;
`replay` prints `replay NAME: N inputs in S s`, and a line for each failure; `one` is a single test that passes if its command exits 0. A
suite that fails without a counted failure counts as one failure, and so does a suite that ran nothing. The exit status is 1 if anything
failed.

With --slots N, N suites run at once and start in their order; those after `then` start when all before it have ended. Their output does
not mix: that of the first running suite is shown as it comes, that of others when it has ended. DIR/NAME.log has the output of each,
DIR/times.tsv the time of each suite, file and test (times.py). POSED_TIMES_XML tells a suite where to write a JUnit report.
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys
import threading
import time

import times


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


class Screen:
    """The terminal, which one suite has at a time: the oldest running one. Lines of the others wait."""

    def __init__(self):
        self.lock = threading.Lock()
        self.waiting = {}  # name: lines, in the order in which suites began

    def begin(self, name):
        with self.lock:
            self.waiting[name] = []

    def say(self, name, line):
        with self.lock:
            if next(iter(self.waiting)) == name:
                print(line, end="", flush=True)
            else:
                self.waiting[name].append(line)

    def end(self, name):
        """Show the waiting lines of this suite after those before it, and give the terminal to the next."""
        with self.lock:
            if next(iter(self.waiting)) != name:
                self.waiting[name].append(None)  # shown when its turn comes
                return
            del self.waiting[name]
            while self.waiting:
                first = next(iter(self.waiting))
                lines = self.waiting[first]
                is_ended = bool(lines) and lines[-1] is None
                print("".join(line for line in lines if line is not None), end="", flush=True)
                lines.clear()
                if not is_ended:
                    break
                del self.waiting[first]


class Suite:
    """One command: how it is counted, where its output goes, and its time."""

    def __init__(self, text, folder):
        self.name, rest = text.split("=", 1)
        self.kind, self.command = rest.split(":", 1)
        self.log = folder / f"{self.name}.log"
        self.junit = folder / f"{self.name}.xml"
        self.counts = (0, 1, 0)  # until it has ended as a suite does
        self.seconds = self.processor_s = 0.0
        self.rows, self.names = [], set()

    def run(self, screen):
        screen.begin(self.name)
        screen.say(self.name, f"== {self.name}\n")
        self.junit.unlink(missing_ok=True)
        start = time.monotonic()
        status, text = self._watch(screen)
        self.seconds = time.monotonic() - start
        self._count(status, text, screen)
        self.rows += times.junit_rows(self.name, self.junit)
        passed, failed, skipped = self.counts
        screen.say(self.name, f"== {self.name}: {passed} passed, {failed} failed, {skipped} skipped in {self.seconds:.0f} s, "
                              f"{self.processor_s:.0f} s of processor time\n")
        screen.end(self.name)

    def _watch(self, screen):
        """Run the command. Returns its exit status and its output."""
        # A suite that calls make starts a new one, which is not part of the make that runs this.
        environment = {name: value for name, value in os.environ.items() if name not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL")}
        lines, last = [], time.monotonic()
        with open(self.log, "w", encoding="utf-8") as log:
            process = subprocess.Popen(self.command, shell=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                       encoding="utf-8", errors="replace", env={**environment, "POSED_TIMES_XML": str(self.junit.absolute())})
            for line in process.stdout:
                log.write(line)
                lines.append(line)
                if self.kind != "cmocka" or not re.match(r"\[ +(RUN|OK) +\]", line):
                    screen.say(self.name, line)
                now = time.monotonic()
                self._time_line(line, now - last)
                last = now
            _, status, used = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        self.processor_s = used.ru_utime + used.ru_stime
        return process.returncode, "".join(lines)

    def _time_line(self, line, since_s):
        """A line that ends a test makes a row: with the time since the previous line for cmocka, with its own seconds for a replay."""
        if self.kind == "cmocka" and (ended := re.match(r"\[ +(OK|FAILED|SKIPPED) +\] (\w+)$", line)):
            if ended[2] not in self.names:  # cmocka prints the failed ones once more at its end
                self.names.add(ended[2])
                result = {"OK": "passed"}.get(ended[1], ended[1].lower())
                self.rows.append(times.Row("test", self.name, UNIT_FILES.get(ended[2], ""), ended[2], since_s, "", result))
        elif self.kind == "replay" and (ended := re.match(r"replay (\w+): \d+ inputs in ([\d.]+) s", line)):
            self.rows.append(times.Row("test", self.name, f"tests/fuzz/fuzz_{ended[1]}.c", ended[1], float(ended[2]), "", "passed"))

    def _count(self, status, text, screen):
        passed, failed, skipped = COUNT[self.kind](text)
        if self.kind == "one":
            passed = int(status == 0)
        if status != 0 and failed == 0:
            screen.say(self.name, f"{self.name}: ended with status {status}, see {self.log}\n")
            failed = 1
        if passed + failed + skipped == 0:
            screen.say(self.name, f"{self.name}: ran no test\n")
            failed = 1
        self.counts = passed, failed, skipped

    def row(self):
        return times.Row("suite", self.name, "", "", self.seconds, f"{self.processor_s:.0f}", "failed" if self.counts[1] else "passed")


UNIT_FILES = times.unit_files()


def run_all(suites, slots, screen):
    """Runs the suites, as many at once as there are slots."""
    queue = list(suites)
    lock = threading.Lock()

    def work():
        while True:
            with lock:
                if not queue:
                    return
                suite = queue.pop(0)
            suite.run(screen)

    workers = [threading.Thread(target=work) for _ in range(min(slots, len(suites)))]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--log", required=True, type=pathlib.Path)
    parser.add_argument("--slots", type=int, default=1)
    parser.add_argument("suites", nargs="+", metavar="NAME=KIND:COMMAND")
    options = parser.parse_args()
    options.log.mkdir(parents=True, exist_ok=True)
    stages = [[]]
    for text in options.suites:
        if text == "then":
            stages.append([])
        else:
            stages[-1].append(Suite(text, options.log))
    suites = [suite for stage in stages for suite in stage]
    processors, start, screen = times.Processors(), time.monotonic(), Screen()
    for stage in stages:
        run_all(stage, max(options.slots, 1), screen)
    seconds, used, machine = time.monotonic() - start, sum(suite.processor_s for suite in suites), processors.text()
    tests = [row for suite in suites for row in suite.rows]
    run = times.Row("run", "", "", "", seconds, f"{used:.0f}", machine)
    times.write(options.log / "times.tsv", [run, *(suite.row() for suite in suites), *times.by_file(tests), *tests])
    for suite in suites if len(suites) > 1 else []:
        print(f"{suite.seconds:6.0f} s  {suite.name}{f': FAILED, see {suite.log}' if suite.counts[1] else ''}")
    print(f"in {seconds:.0f} s, with {used:.0f} s of processor time; the machine: {machine}")
    totals = [sum(suite.counts[i] for suite in suites) for i in range(3)]
    print(f"{totals[0]} passed, {totals[1]} failed, {totals[2]} skipped")
    return 1 if totals[1] or not totals[0] else 0


if __name__ == "__main__":
    sys.exit(main())
