"""protocol/formats.def, protocol/conformance.tsv, /v1/formats and the tables of protocol/formats.md agree."""
import pathlib
import re
import subprocess
import sys

import pytest

TOP = pathlib.Path(__file__).resolve().parents[3]

sys.path.append(str(TOP / "tests"))
import conformance_table  # noqa: E402

pytestmark = pytest.mark.short
UNTESTED = {"blend"}  # nothing of the project writes it


def table(*options, top=TOP):
    return subprocess.run([sys.executable, top / "tests/formats_table.py", *options], capture_output=True, text=True)


def test_the_document_has_the_table():
    result = table("--check")
    assert result.returncode == 0, result.stderr


def test_a_changed_table_is_noticed_and_made_again(tmp_path):
    for name in ["protocol", "tests"]:
        (tmp_path / name).mkdir()
    for name in ["protocol/formats.def", "protocol/formats.md", "protocol/conformance.tsv", "tests/conformance_table.py", "tests/formats_table.py"]:
        (tmp_path / name).write_bytes((TOP / name).read_bytes())
    formats = tmp_path / "protocol/formats.def"
    formats.write_text(formats.read_text(encoding="utf-8") + 'X("zzz", "Z", ASSIMP, "", "", NONE, "sleeps \\"well\\"")\n',
                       encoding="utf-8")
    assert table("--check", top=tmp_path).returncode == 1
    assert table("--write", top=tmp_path).returncode == 0
    assert '| `.zzz` | Z | assimp | none | - | - | 0 | - | - | sleeps "well" |' in (tmp_path / "protocol/formats.md").read_text(encoding="utf-8")
    assert table("--check", top=tmp_path).returncode == 0
    measured = tmp_path / "protocol/conformance.tsv"
    measured.write_text(re.sub(r"(?m)^(extension\tKHR_node_visibility\t)\d+", r"\g<1>4711", measured.read_text(encoding="utf-8")), encoding="utf-8")
    assert table("--check", top=tmp_path).returncode == 1
    assert table("--write", top=tmp_path).returncode == 0
    assert "but not drawn | 4711 |" in (tmp_path / "protocol/formats.md").read_text(encoding="utf-8")


def test_every_format_and_extension_was_measured():
    rows = conformance_table.stored()
    names = lambda kind: [row["name"] for row in rows if row["kind"] == kind]
    assert names("format") == conformance_table.formats(), "run make conformance"
    assert names("extension") == conformance_table.extensions(), "run make conformance"
    for column in ("files", "drawn", "exported"):
        assert {row["name"] for row in rows if row["kind"] == "format" and int(row[column]) == 0} == UNTESTED, column
    assert not [row["name"] for row in rows if row["kind"] == "extension" and row["files"] == "0"]
    assert all(re.fullmatch(r"0|[1-9]e-\d+|", row[column]) for row in rows for column in ("export error", "error"))


def test_what_tests_note_is_counted_and_rounded_up(tmp_path):
    lines = ["glb\ta\tread\t\t", "glb\ta\tcompared\tevaluator\t2.01e-07", "glb\tb\tcompared\tevaluator\t9.6e-08", "glb\tb\tdrawn\t\t",
             "glb\tb\texported\toriginal\t0.0", "glb\tc\tcompared\tworked values\t1e-07", "KHR_xmp\ta\tread\t\t"]
    (tmp_path / "1.tsv").write_text("\n".join(lines[:3]) + "\n")
    (tmp_path / "2.tsv").write_text("\n".join(lines[3:]) + "\n")
    rows = conformance_table.table(conformance_table.noted(tmp_path))
    assert ["format", "glb", "3", "1", "1", "0", "evaluator 2, worked values 1", "3e-7"] in rows
    assert ["extension", "KHR_xmp", "1", "0", "0", "", "", ""] in rows
    assert [conformance_table.up(error) for error in (9.6e-8, 1e-7, 1.1e-7, 0.25, 1e-17)] == ["1e-7", "1e-7", "2e-7", "3e-1", "0"]
    before = [dict(zip(conformance_table.COLUMNS, row)) for row in rows]
    (tmp_path / "1.tsv").write_text("")
    fewer = conformance_table.table(conformance_table.noted(tmp_path))
    assert conformance_table.lost(before, fewer) == []
    (tmp_path / "2.tsv").write_text("\n".join(lines[3:4]) + "\n")
    fewer = conformance_table.table(conformance_table.noted(tmp_path))
    assert conformance_table.lost(before, fewer) == ["format glb has no exported any more", "format glb has no references any more",
                                                     "extension KHR_xmp has no files any more"]


def test_formats_are_those_of_the_table(server):
    formats = server.json("/v1/formats")["formats"]
    printed = table().stdout
    for one in formats:
        words = {"exact": "exact", "at_keys": "exact at keys", "partly": "partly", "none": "none"}[one["clips"]]
        reader = {"own": "own reader", "assimp": "assimp"}[one["reader"]]
        rows = [row for row in printed.splitlines() if f"`.{one['ending']}`" in row]
        assert len(rows) == 1 and f"| {reader} | {words} | " in rows[0] and rows[0].endswith(f" | {one['fidelity']} |") and one["name"] in rows[0]
        assert one["exact"] == (one["clips"] == "exact")
    assert printed.count("`.") == len(formats) >= 40
    by_ending = {one["ending"]: one for one in formats}
    assert by_ending["glb"]["exact"] and by_ending["glb"]["reader"] == "own"
    assert by_ending["md5anim"]["companion_of"] == "md5mesh" and by_ending["obj"]["clips"] == "none"


def test_formats_take_no_parameter(server):
    answer = server.get("/v1/formats?x=1")
    assert (answer.status, answer.error()) == (400, "unknown_parameter")
    assert server.get("/v1/formats").headers["cache-control"] == "no-cache"
