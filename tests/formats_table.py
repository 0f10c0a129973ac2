#!/usr/bin/env python3
"""The table of protocol/formats.md, made from protocol/formats.def.

formats_table.py           print the table
formats_table.py --write   put it into protocol/formats.md, between its two comments
formats_table.py --check   exit 1 if protocol/formats.md has a different one
"""
import ast
import pathlib
import re
import sys

TOP = pathlib.Path(__file__).resolve().parents[1]
BEGIN = "<!-- formats: made by `make readme` from protocol/formats.def -->\n"
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


def table():
    groups = {}
    for ending, name, reader, _, clips, fidelity in rows():
        endings, names = groups.setdefault((reader, clips, fidelity), ([], []))
        endings.append(f"`.{ending}`")
        if name not in names:
            names.append(name)
    lines = ["| files | format | read by | clips | what is exact, what is not |", "|---|---|---|---|---|"]
    for (reader, clips, fidelity), (endings, names) in groups.items():
        lines.append(f"| {' '.join(endings)} | {', '.join(names)} | {'assimp' if reader == 'ASSIMP' else 'own reader'} | {CLIPS[clips]} | {fidelity} |")
    return "\n".join(lines) + "\n"


def main():
    document = TOP / "protocol/formats.md"
    text = document.read_text(encoding="utf-8")
    if sys.argv[1:] == []:
        print(table(), end="")
        return
    begin, end = text.index(BEGIN) + len(BEGIN), text.index(END)
    if sys.argv[1:] == ["--write"]:
        document.write_text(text[:begin] + table() + text[end:], encoding="utf-8")
    elif sys.argv[1:] == ["--check"]:
        if text[begin:end] != table():
            sys.exit("protocol/formats.md has another table than protocol/formats.def: run make readme")
    else:
        sys.exit(__doc__)


main()
