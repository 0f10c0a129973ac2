#!/usr/bin/env python3
"""Times of a test run: a table of every suite, file and test, and the load of the processors.

    times.py FILE [COUNT]       prints the COUNT (20) slowest tests and files of the table, and how much processor time was idle

The table has tabs between its columns: kind (run, suite, file, test), suite, file, test, seconds of wall time, seconds of processor
time (empty if unknown) and result (passed, failed, skipped). The row of the run ends with the times of the whole machine from
/proc/stat, as `idle S, stolen S, of N processors`.
"""
import collections
import csv
import os
import pathlib
import re
import signal
import sys
import xml.etree.ElementTree

COLUMNS = ("kind", "suite", "file", "test", "seconds", "processor_s", "result")
Row = collections.namedtuple("Row", COLUMNS)
NAME_SIZE = 200  # of a test: pytest makes the name of a parameter of 2 MB from all its bytes
TOP = pathlib.Path(__file__).resolve().parents[1]


class Processors:
    """Seconds that all processors of the machine have been idle, and stolen by a hypervisor, since this object was made (proc(5))."""

    def __init__(self):
        self.count = os.cpu_count()
        self.start = self._read()

    @staticmethod
    def _read():
        with open("/proc/stat", encoding="ascii") as file:
            ticks = [int(n) for n in file.readline().split()[1:]]
        return [n / os.sysconf("SC_CLK_TCK") for n in (ticks[3] + ticks[4], ticks[7])]

    def text(self):
        idle, stolen = (now - then for now, then in zip(self._read(), self.start))
        return f"idle {idle:.0f} s, stolen {stolen:.0f} s, of {self.count} processors"


def junit_rows(suite, path):
    """The tests of a JUnit report by pytest or node. An unfinished report has none."""
    try:
        root = xml.etree.ElementTree.parse(path).getroot()
    except (OSError, xml.etree.ElementTree.ParseError):
        return []
    rows = []
    for case in root.iter("testcase"):
        where = case.get("file") or case.get("classname", "").replace(".", "/") + ".py"
        if os.path.isabs(where):
            where = os.path.relpath(where, TOP)
        ended = {child.tag for child in case}
        result = "failed" if ended & {"failure", "error"} else "skipped" if "skipped" in ended else "passed"
        used = next((one.get("value") for one in case.iter("property") if one.get("name") == "processor_s"), "")
        rows.append(Row("test", suite, where, case.get("name"), float(case.get("time", 0)), used, result))
    return rows


def unit_files():
    """The file of each unit test, by the test's name."""
    return {name: str(path.relative_to(TOP)) for path in (TOP / "tests/unit").glob("*/*.c")
            for name in re.findall(r"^TEST\((\w+)\)", path.read_text(encoding="utf-8"), re.M)}


def by_file(rows):
    """A row for each file of the tests in rows, longest first."""
    sums, used = collections.defaultdict(float), collections.defaultdict(float)
    failed = set()
    for row in rows:
        if row.file:
            sums[row.suite, row.file] += row.seconds
            if row.processor_s:
                used[row.suite, row.file] += float(row.processor_s)
            if row.result == "failed":
                failed.add((row.suite, row.file))
    return [Row("file", *key, "", seconds, f"{used[key]:.2f}" if key in used else "", "failed" if key in failed else "passed")
            for key, seconds in sorted(sums.items(), key=lambda item: -item[1])]


def write(path, rows):
    with open(path, "w", encoding="utf-8", newline="") as file:
        table = csv.writer(file, delimiter="\t", quoting=csv.QUOTE_NONE, quotechar=None, escapechar="\\", lineterminator="\n")
        table.writerow(COLUMNS)
        for row in rows:
            table.writerow(row._replace(test=row.test[:NAME_SIZE], seconds=f"{row.seconds:.3f}"))


def read(path):
    with open(path, encoding="utf-8", newline="") as file:
        table = csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE, quotechar=None, escapechar="\\")
        assert tuple(next(table)) == COLUMNS, f"{path} is no table of times"
        return [Row(*fields)._replace(seconds=float(fields[4])) for fields in table]


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # for `make slow | head`
    path, count = pathlib.Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) == 3 else 20
    if not path.exists():
        sys.exit(f"times: there is no {path}: `make test` writes it")
    rows = read(path)
    for kind, what in (("test", "tests"), ("file", "files"), ("suite", "suites")):
        some = sorted((row for row in rows if row.kind == kind), key=lambda row: -row.seconds)
        print(f"{min(count, len(some))} slowest of {len(some)} {what}, in seconds:")
        for row in some[:count]:
            print(f"{row.seconds:8.2f}  {' '.join(filter(None, (row.suite, row.file, row.test)))}"
                  f"{f' ({row.processor_s} s of processor time)' if row.processor_s else ''}{' FAILED' * (row.result == 'failed')}")
    for row in rows:
        if row.kind == "run":
            print(f"in all {row.seconds:.0f} s, {row.processor_s} s of processor time; the machine: {row.result}")


if __name__ == "__main__":
    main()
