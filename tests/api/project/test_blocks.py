"""The shell blocks of documents: markers are known, and the runner (tests/documents) notices what does not work as a document shows it.
`make documents-test` runs them."""
import os
import pathlib
import re
import subprocess
import sys

import pytest

TOP = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(TOP / "tests/documents"))
import blocks
import try_blocks

DOCUMENTS = try_blocks.with_blocks(try_blocks.all_documents())


@pytest.mark.parametrize("name", DOCUMENTS)
def test_blocks_have_known_markers_and_whole_commands(name):
    for block in blocks.blocks_of((TOP / name).read_text(encoding="utf-8")):
        if block.is_shell:
            assert blocks.commands_of(block), block.line


def test_what_can_run_runs():
    found = [block for name in DOCUMENTS for block in blocks.blocks_of((TOP / name).read_text(encoding="utf-8")) if block.is_shell]
    assert len(found) > 90 and sum(block.need is None for block in found) > 50
    assert DOCUMENTS[0] == "README.md" and {"clients/cli/README.md", "deploy/README.md", "protocol/http.md"} < set(DOCUMENTS)


def test_the_page_of_tests_has_every_marker():
    rows = dict(re.findall(r"^\| `(needs=\w+|terminal)` \| (.*) \|$", (TOP / "tests/README.md").read_text(encoding="utf-8"), re.M))
    assert rows == blocks.MARKERS


@pytest.mark.parametrize("document, told", [
    ("```sh needs=dokcer\ntrue\n```\n", "1: unknown marker 'needs=dokcer', not one of: needs=docker "),
    ("\n```console quiet\n$ true\n```\n", "2: unknown marker 'quiet'"),
    ("```sh needs=time needs=docker\ntrue\n```\n", "1: more than one marker: needs=time needs=docker"),
    ("```sh\ntrue\n", "1: a block that does not end"),
    ("```console\nabc\n```\n", "2: no command above this output: abc"),
    ("```sh\ntrue\necho 'abc\n```\n", "3: a command that does not end: echo 'abc"),
])
def test_a_block_that_is_wrong_is_refused(document, told):
    with pytest.raises(ValueError) as error:
        for block in blocks.blocks_of(document):
            blocks.commands_of(block)
    assert str(error.value).startswith(told)


def test_other_languages_have_no_markers():
    block, = blocks.blocks_of("```c title=needs\nint x;\n```\n")
    assert not block.is_shell and block.text == "int x;\n"


def test_commands_end_where_a_shell_runs_them():
    block, = blocks.blocks_of("1. in a list\n\n   ```console\n   $ cat <<END\n   a 'b\n   END\n   a 'b\n   $ echo '\n   x' \\\n     y\n   $ true\n   ```\n")
    assert [(one.line, one.text, one.expected) for one in blocks.commands_of(block)] == [
        (4, "cat <<END\na 'b\nEND\n", "a 'b"), (8, "echo '\nx' \\\n  y\n", None), (11, "true\n", None)]


@pytest.mark.parametrize("before, after, name", [
    ("text\n\n`a/b.sh`:\n", "", "a/b.sh"), ("Start it, and save\nthis as `x.mjs` at the top:\n", "", "x.mjs"), ("", "\nSave it as `p.c` and build:\n", "p.c"),
    ("Append to `a.py`:\n", "\nand save it\n", None), ("`a.sh`:\n\nother text\n", "", None)])
def test_a_reader_saves_a_block(before, after, name):
    block, = blocks.blocks_of(f"{before}\n```sh\ntrue\n```\n{after}")
    assert (block.saved_as, block.is_shell) == (name, name is None)


@pytest.mark.parametrize("shown, got, is_same", [
    ("a\nb", "a\nb\n", True), ("a\nb", "a\nc\n", False), ("a", "a\nb\n", False), ("a\n...\nd", "a\nb\nc\nd\n", True), ("a\n...\nd", "a\nd\n", True),
    ("a ... d", "a b c d\n", True), ("a ... d", "a b\nc d\n", False), ("f.*", "fx", False),
    ("x.png  2 x 2  108150 bytes", "x.png  2 x 2  7 bytes", True), ("x.png  2 x 2  108150 bytes", "x.png  2 x 3  7 bytes", False),
    ("x.glb  5 bytes", "x.glb  7 bytes", False), ("60 ticks, 141.5 us each", "60 ticks, 90 us each", True), ("60 ticks, 141.5 us each", "61 ticks, 90 us each", False)])
def test_outputs_are_compared(shown, got, is_same):
    assert blocks.is_as_shown(shown, got) == is_same


DOCUMENT = """
```c
1 2 3
```

Save it as `numbers.txt`, then:

```sh
mkdir -p inner && cd inner
name=value
greet() { echo "hello $1"; }
```

```sh needs=docker
false
```

```console
$ cat numbers.txt
1 2 3
$ greet $name
hello value
$ false
$ echo wrong
right
```

```sh
false && true
```
"""


def test_a_document_is_one_terminal_in_which_failures_are_noticed(tmp_path):
    (tmp_path / "page.md").write_text(DOCUMENT.replace("cd inner", f"cd {tmp_path}"))
    session = try_blocks.Session(tmp_path)
    session.run(f"cd {tmp_path}")
    document = try_blocks.Document(str(tmp_path / "page.md"), session)
    document.try_all()
    assert dict(document.counts) == {"ran": 3, "compared": 1, "docker": 1}
    assert [failure.partition(": ")[2] for failure in document.failures] == [
        "false\nstatus 1, and the output:\n", "echo wrong\nstatus 0; expected:\nright\ngot:\nwrong", "false && true\nstatus 1, and the output:\n"]
    assert [int(failure.partition(": ")[0].rpartition(":")[2]) for failure in document.failures] == [23, 24, 29]


def test_what_stays_in_a_terminal_runs_beside_the_others(tmp_path):
    (tmp_path / "page.md").write_text("```sh terminal\necho ready\nsleep 1000 & wait\n```\n\n```sh\nkill -0 $(cat pid)\n```\n\n```sh terminal\nexit 3\n```\n"
                                      .replace("echo ready", f"echo $$ >{tmp_path}/pid; echo ready").replace("cat pid", f"cat {tmp_path}/pid"))
    document = try_blocks.Document(str(tmp_path / "page.md"), try_blocks.Session(tmp_path))
    document.try_all()
    failure, = document.failures
    assert failure.endswith(":11: exit 3\nended with status 3 instead of going on:") and not pathlib.Path(f"/proc/{(tmp_path / 'pid').read_text().strip()}").exists()


def test_the_last_line_counts():
    assert try_blocks.total(["a", "b"], {"ran": 5, "compared": 2, "docker": 1, "time": 2}) == \
        "documents: 5 blocks of 2 documents ran, 2 compared; 3 need: docker 1, time 2"


def test_it_says_why_it_is_skipped():
    """As root without the capability to mount, or as another user."""
    without = ["setpriv", "--bounding-set", "-sys_admin", "--inh-caps", "-sys_admin"] if os.geteuid() == 0 else []
    done = subprocess.run([*without, TOP / "tests/documents/try_blocks.py", "README.md"], capture_output=True, text=True)
    if done.stderr.startswith("setpriv:"):
        pytest.skip(done.stderr.strip())
    assert (done.returncode, done.stderr) == (0, "")
    assert re.fullmatch("documents: skipped: this machine gives no namespaces or mounts: .*Operation not permitted\n", done.stdout)
