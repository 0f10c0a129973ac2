"""protocol/formats.def, /v1/formats and the table of protocol/formats.md agree."""
import pathlib
import subprocess
import sys

import pytest

TOP = pathlib.Path(__file__).resolve().parents[3]

pytestmark = pytest.mark.short


def table(*options, top=TOP):
    return subprocess.run([sys.executable, top / "tests/formats_table.py", *options], capture_output=True, text=True)


def test_the_document_has_the_table():
    result = table("--check")
    assert result.returncode == 0, result.stderr


def test_a_changed_table_is_noticed_and_made_again(tmp_path):
    for name in ["protocol", "tests"]:
        (tmp_path / name).mkdir()
    for name in ["protocol/formats.def", "protocol/formats.md", "tests/formats_table.py"]:
        (tmp_path / name).write_bytes((TOP / name).read_bytes())
    formats = tmp_path / "protocol/formats.def"
    formats.write_text(formats.read_text(encoding="utf-8") + 'X("zzz", "Z", ASSIMP, "", "", NONE, "sleeps \\"well\\"")\n',
                       encoding="utf-8")
    assert table("--check", top=tmp_path).returncode == 1
    assert table("--write", top=tmp_path).returncode == 0
    assert '| `.zzz` | Z | assimp | none | sleeps "well" |' in (tmp_path / "protocol/formats.md").read_text(encoding="utf-8")
    assert table("--check", top=tmp_path).returncode == 0


def test_formats_are_those_of_the_table(server):
    formats = server.json("/v1/formats")["formats"]
    printed = table().stdout
    for one in formats:
        words = {"exact": "exact", "at_keys": "exact at keys", "partly": "partly", "none": "none"}[one["clips"]]
        reader = {"own": "own reader", "assimp": "assimp"}[one["reader"]]
        rows = [row for row in printed.splitlines() if f"`.{one['ending']}`" in row]
        assert len(rows) == 1 and f"| {reader} | {words} | {one['fidelity']} |" in rows[0] and one["name"] in rows[0]
        assert one["exact"] == (one["clips"] == "exact")
    assert printed.count("`.") == len(formats) >= 40
    by_ending = {one["ending"]: one for one in formats}
    assert by_ending["glb"]["exact"] and by_ending["glb"]["reader"] == "own"
    assert by_ending["md5anim"]["companion_of"] == "md5mesh" and by_ending["obj"]["clips"] == "none"


def test_formats_take_no_parameter(server):
    answer = server.get("/v1/formats?x=1")
    assert (answer.status, answer.error()) == (400, "unknown_parameter")
    assert server.get("/v1/formats").headers["cache-control"] == "no-cache"
