#!/usr/bin/env python3
"""protocol/conformance.tsv: for each format and glTF extension, how many files the tests of `make conformance` read, drew, exported to GLB
and compared with a reference, and how far the worst one was off.

conformance_table.py FOLDER            print the table of what the tests noted in FOLDER (tests/conformance.py)
conformance_table.py FOLDER --write    write it; not if a format or an extension that had files has none any more
"""
import math
import pathlib
import re
import sys

TOP = pathlib.Path(__file__).resolve().parents[1]
TABLE = TOP / "protocol/conformance.tsv"
COLUMNS = ["kind", "name", "files", "drawn", "exported", "export error", "references", "error"]


NOTHING = 1e-12  # relative to the size: what rounding in double precision leaves


def up(error):
    """Rounded up to one digit: 2.1e-7 is 3e-7, and nothing is 0."""
    if error <= NOTHING:
        return "0"
    power = math.floor(math.log10(error))
    digit = math.ceil(error / 10.0 ** power - 1e-6)
    return f"{digit}e{power}" if digit < 10 else f"1e{power + 1}"


def extensions():
    """The glTF extensions that the document has in its table."""
    text = (TOP / "protocol/formats.md").read_text(encoding="utf-8")
    text = text[text.index("\n## glTF extensions\n"):text.index("\n## 3MF extensions\n")]
    rows = [line.split("|")[1] for line in text.splitlines() if line.startswith("| ") and "`" in line.split("|")[1]]
    return [name for row in rows for name in re.findall(r"`(\w+)`", row)]


def formats():
    return re.findall(r'^X\("(\w+)"', (TOP / "protocol/formats.def").read_text(encoding="utf-8"), re.M)


def noted(folder):
    """{extension: [(hash, what, reference, error or None)]}"""
    found = {}
    for path in sorted(pathlib.Path(folder).glob("*.tsv")):
        for line in path.read_text(encoding="utf-8").splitlines():
            key, digest, what, reference, error = line.split("\t")
            found.setdefault(key, []).append((digest, what, reference, float(error) if error else None))
    return found


def row(kind, name, lines):
    files = lambda *kinds: len({digest for digest, what, _, _ in lines if not kinds or what in kinds})
    worst = lambda what: max((error for _, of, _, error in lines if of == what and error is not None), default=None)
    shown = lambda error: "" if error is None else up(error)
    counts = {}
    for digest, what, reference, _ in lines:
        if what == "compared":
            counts.setdefault(reference, set()).add(digest)
    references = ", ".join(f"{reference} {len(digests)}" for reference, digests in sorted(counts.items()))
    return [kind, name, str(files()), str(files("drawn")), str(files("exported")), shown(worst("exported")), references, shown(worst("compared"))]


def table(found):
    return [row("format", name, found.get(name, [])) for name in formats()] + [row("extension", name, found.get(name, [])) for name in extensions()]


def stored(path=TABLE):
    """The rows of the committed table, each {column: text}."""
    lines = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
    return [dict(zip(COLUMNS, line.split("\t"), strict=True)) for line in lines[1:]]


def lost(before, rows):
    """What had files, comparisons or pictures, and has none any more."""
    now = {(r[0], r[1]): dict(zip(COLUMNS, r)) for r in rows}
    return [f"{old['kind']} {old['name']} has no {column} any more" for old in before if (old["kind"], old["name"]) in now
            for column in ("files", "drawn", "exported", "references")
            if old[column] not in ("", "0") and now[old["kind"], old["name"]][column] in ("", "0")]


def main():
    if len(sys.argv) < 2 or sys.argv[2:] not in ([], ["--write"]):
        sys.exit(__doc__)
    rows = table(noted(sys.argv[1]))
    text = "\n".join("\t".join(r) for r in [COLUMNS, *rows]) + "\n"
    if sys.argv[2:] == []:
        print(text, end="")
        return
    missing = lost(stored(), rows)
    if missing:
        sys.exit("make conformance: " + "; ".join(missing))
    TABLE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
