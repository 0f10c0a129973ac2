#!/usr/bin/env python3
"""The table of protocol/formats.md, made from protocol/formats.def and from what tests have measured (protocol/conformance.tsv), and the last
two columns of its table of glTF extensions.

formats_table.py           print the table
formats_table.py --write   put it into protocol/formats.md, between its two comments
formats_table.py --check   exit 1 if protocol/formats.md has different ones
"""
import ast
import pathlib
import re
import sys

import conformance_table

TOP = pathlib.Path(__file__).resolve().parents[1]
BEGIN = "<!-- formats: made by `make readme` from protocol/formats.def and protocol/conformance.tsv -->\n"
END = "<!-- /formats -->\n"
CLIPS = {"EXACT": "exact", "AT_KEYS": "exact at keys", "PARTLY": "partly", "NONE": "none"}
STRING = r'"((?:[^"\\]|\\.)*)"'
ROW = re.compile(rf"^X\({STRING}, {STRING}, (\w+), {STRING}, {STRING}, (\w+), {STRING}\)$", re.M)


def rows():
    """The rows of formats.def as (ending, name, reader, companion_of, clips, fidelity)."""
    text = (TOP / "protocol/formats.def").read_text(encoding="utf-8")
    found = [(ending, name, reader, companion, clips, ast.literal_eval(f'"{fidelity}"'))
             for ending, name, reader, companion, _, clips, fidelity in ROW.findall(text)]
    if len(found) != len(re.findall(r"^X\(", text, re.M)):
        sys.exit("formats.def has a row that this script cannot read")
    return found


def total(rows, column):
    return sum(int(row[column]) for row in rows)


def worst(rows, column):
    """Errors are numbers of one digit, as text."""
    return max((row[column] for row in rows if row[column]), key=float, default="-")


def references(rows):
    counts = {}
    for row in rows:
        for reference, count in re.findall(r"([^,]+?) (\d+)(?:, |$)", row["references"]):
            counts[reference] = counts.get(reference, 0) + int(count)
    return ", ".join(f"{reference} {count}" for reference, count in sorted(counts.items())) or "-"


def measured(kind, names):
    return [row for row in conformance_table.stored() if row["kind"] == kind and row["name"] in names]


def table():
    groups = {}
    for ending, name, reader, _, clips, fidelity in rows():
        endings, names = groups.setdefault((reader, clips, fidelity), ([], []))
        endings.append(ending)
        if name not in names:
            names.append(name)
    columns = ["extension", "format", "read by", "clips", "drawn", "exported", "files", "compared with", "worst error", "what is exact, what is not"]
    lines = [f"| {' | '.join(columns)} |", "|---" * len(columns) + "|"]
    for (reader, clips, fidelity), (endings, names) in groups.items():
        found = measured("format", endings)
        cells = [" ".join(f"`.{ending}`" for ending in endings), ", ".join(names), "assimp" if reader == "ASSIMP" else "own reader", CLIPS[clips],
                 "yes" if total(found, "drawn") else "-", worst(found, "export error"), str(total(found, "files")), references(found),
                 worst(found, "error"), fidelity]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def extensions_table(text):
    """The rows of the table of extensions: two columns as they are, and two that are measured."""
    lines = ["| extension | what posed does | files | worst error |", "|---|---|---|---|"]
    for line in text.splitlines()[2:]:
        names, does = line.strip("|").split("|")[:2]
        found = measured("extension", re.findall(r"`(\w+)`", names))
        counts = sorted({int(row["files"]) for row in found}) or [0]
        files = str(counts[0]) if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
        lines.append(f"| {names.strip()} | {does.strip()} | {files} | {worst(found, 'error')} |")
    return "\n".join(lines) + "\n"


def made(text):
    """The document with the tables as they should be."""
    begin, end = text.index(BEGIN) + len(BEGIN), text.index(END)
    text = text[:begin] + table() + text[end:]
    begin = text.index("| extension | what posed does |")
    end = text.index("\n\n", begin) + 1
    return text[:begin] + extensions_table(text[begin:end]) + text[end:]


def main():
    document = TOP / "protocol/formats.md"
    text = document.read_text(encoding="utf-8")
    if sys.argv[1:] == []:
        print(table(), end="")
    elif sys.argv[1:] == ["--write"]:
        document.write_text(made(text), encoding="utf-8")
    elif sys.argv[1:] == ["--check"]:
        if text != made(text):
            sys.exit("protocol/formats.md has other tables than protocol/formats.def and protocol/conformance.tsv: run make readme")
    else:
        sys.exit(__doc__)


main()
