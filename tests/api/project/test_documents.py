"""Everything that documents name exists: linked files and their headings, paths, source files, targets of make, options, identifiers. The
decisions are complete."""
import os
import pathlib
import re
import subprocess

import pytest

from document_links import dead_links, prose

TOP = pathlib.Path(__file__).resolve().parents[3]
OTHERS = {"build", ".git", "node_modules", ".pytest_cache"}
SOURCE = r"[\w.*-]+\.(?:c|h|cpp|def|py|mjs|js|ts|sh|md|html|frag|vert|geom|yml|txt|toml)"


def files(suffix=""):
    """Every file of the tree with this suffix, except built ones."""
    stack, found = [TOP], []
    while stack:
        for path in stack.pop().iterdir():
            if path.name in OTHERS:
                continue
            if path.is_dir() and not path.is_symlink():
                stack.append(path)
            elif path.name.endswith(suffix):
                found.append(path)
    return sorted(found)


DOCUMENTS = files(".md")
NAMES = {path.name for path in files()}
CODE = {path: path.read_text(encoding="utf-8") for path in files() if path.name != "test_documents.py" and path.suffix in (".c", ".h", ".cpp", ".def", ".py", ".js", ".mjs", ".ts", ".frag", ".vert")}
IDENTIFIERS = set().union(*(re.findall(r"\w+", text) for text in CODE.values()))
OPTIONS = {word for path, text in CODE.items() if path.parts[len(TOP.parts)] in ("protocol", "server", "clients")
           for word in re.findall(r'"(?:--)?([a-z][a-z0-9_-]*)[" =]', text)}
TARGETS = {name for line in re.findall(r"^([\w-][\w -]*):(?!=)", (TOP / "Makefile").read_text(encoding="utf-8"), re.M) for name in line.split()}


def has(pattern, folders):
    return any(any(folder.glob(pattern)) if "*" in pattern else (folder / pattern).exists() for folder in folders)


def wrong_names(path, text):
    """Wrong words in backticks: paths from the top, from server/ or from the document's folder, and names of source files. Files that the
    document's own commands make are not wrong."""
    own = "\n".join(re.findall(r"^```.*?^```$", text, re.S | re.M))
    folders = [TOP, TOP / "server", path.parent]
    begins = {one.name for folder in (TOP, TOP / "server") for one in folder.iterdir() if one.is_dir()} - OTHERS
    for word in re.findall(r"`([^`\n]+)`", prose(text)):
        if re.fullmatch(r"[\w.*-]+(/[\w.*-]+)+/?", word) and word.split("/")[0] in begins:
            if not has(word.rstrip("/"), folders) and "NAME" not in word and pathlib.PurePath(word).name not in own:
                yield f"path {word}"
        elif re.fullmatch(SOURCE, word) and word not in own and not any(pathlib.PurePath(name).match(word) for name in NAMES):
            yield f"file {word}"


def wrong_targets(text):
    commands = re.findall(r"`(make [^`]*)`", text) + re.findall(r"^(?:\$ )?(make .*)$", "\n".join(re.findall(r"^```(?:sh|console)(?: \S+)?\n(.*?)^```$", text, re.S | re.M)), re.M)
    for command in commands:
        for word in re.split(r" #|&&|;", re.sub("'[^']*'", "", command))[0].split()[1:]:
            if re.fullmatch(r"[a-z][a-z-]*", word) and word not in TARGETS:
                yield f"target {word} in: {command}"


def wrong_options(text):
    """Wrong options in backticks: no program here has them. Names of limits, parameters and options occur in the code as texts."""
    own = "\n".join(re.findall(r"^```.*?^```$", text, re.S | re.M))
    for words in re.findall(r"`([^`\n]+)`", prose(text)):
        for option in re.findall(r"(?<![\w-])--([a-z][a-z0-9-]*)", words):
            if not {option, option.replace("-", "_")} & OPTIONS and f"--{option}" not in own:
                yield f"option --{option}"


def wrong_identifiers(text):
    """`name()`, `struct name` and `enum name` that occur neither in the code nor in the document's own code."""
    own = "\n".join(re.findall(r"^```.*?^```$", text, re.S | re.M))
    for name in re.findall(r"`(?:(?:struct|enum) )?(\w+)(?:\(\))?`", "".join(re.findall(r"`(?:\w+\(\)|struct \w+|enum \w+)`", prose(text)))):
        if name not in IDENTIFIERS and name not in own:
            yield f"identifier {name}"


def faults(path, text):
    return [*dead_links(path, text), *wrong_names(path, text), *wrong_targets(text), *wrong_options(text), *wrong_identifiers(text)]


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: str(path.relative_to(TOP)))
def test_what_a_document_names_is_there(path):
    assert "\n".join(faults(path, path.read_text(encoding="utf-8"))) == ""


@pytest.mark.parametrize("text", [
    "[a page](nowhere.md)", "[a heading](protocol/http.md#no-such-heading)", "in `server/base/nowhere.c`", "in `base/nowhere.h`", "in `tests/nowhere/*.py`",
    "`nowhere_at_all.c` has it", "`make tset`", "with `--max-nodse 5`", "`cache_gte()`", "`struct no_such_thing`", "```sh\nmake tset\n```\n", "```sh needs=time\nmake tset\n```\n", "```console\n$ make all tset   # comment\n```\n"])
def test_what_is_not_there_is_noticed(text):
    assert len(faults(TOP / "README.md", text)) == 1


def test_what_is_there_is_found():
    text = "[p](protocol/http.md#who-may-ask) `server/base/err.h` `base/*.h` `err.h` `protocol/*.def` `make run ROOT=x` `make -j8 test` `libuv/uv.h` `make` `--max-nodes 5` `posectl sheet --play-rate 3` `cache_get()` `enum view`\n"
    assert faults(TOP / "README.md", text) == []


def test_the_readme_is_short_and_shows_what_tests_run():
    """Its commands are the two of make, which tests/fresh.sh runs, curls, which test_project.py runs, and the container's."""
    text = (TOP / "README.md").read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 160
    blocks = re.findall(r"^```(\w*(?: needs=docker)?)[^\n]*\n(.*?)^```$", text, re.S | re.M)
    assert [re.findall(r"^make \w+", block, re.M) for kind, block in blocks if kind == "sh"] == [["make run", "make test"]]
    assert all(block.startswith("$ curl ") for kind, block in blocks if not kind.startswith("sh"))
    assert sum(kind == "console" for kind, _ in blocks) == 3


def test_the_readme_has_the_figures_of_the_bench():
    """In thousands: a row of its table for each peer."""
    table = (TOP / "tests/bench/README.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| 50 connections: HTTP, [^|]* \| (\d+)k [^|]* \| (redis|nginx): (\d+)k ", table, re.M)
    text = " ".join((TOP / "README.md").read_text(encoding="utf-8").split())
    posed, nginx, redis = re.search(r"(\d+),000 palettes a second over 50 HTTP connections.* nginx sends (\d+),000 files .* redis (\d+),000", text).groups()
    assert sorted(rows) == [(posed, "nginx", nginx), (posed, "redis", redis)]


def test_decisions_are_complete():
    folder = TOP / "server/docs/decisions"
    records = sorted(folder.glob("*/*.md"))
    numbers = [int(re.fullmatch(r"(\d{4})-[a-z0-9-]+\.md", path.name)[1]) for path in records]
    assert len(set(numbers)) == len(numbers)
    index = (folder / "README.md").read_text(encoding="utf-8")
    for path, number in zip(records, numbers):
        text = path.read_text(encoding="utf-8")
        title = re.match(r"# (\d+\. .*)\n", text)[1]
        assert title.startswith(f"{number}. ")
        assert index.count(f"- [{title}]({path.relative_to(folder)})\n") == 1, path
        assert re.findall(r"^## (.*)$", text, re.M) in (["Context", "Decision", "Consequences"], ["Context", "Decision", "Consequences", "Measurement"]), path
    assert len(re.findall(r"^- \[\d+\. ", index, re.M)) == len(records)
    for group in {path.parent for path in records}:
        assert 5 <= len(list(group.iterdir())) <= 25, group


def test_the_manual_is_text_and_names_every_variable():
    """As roff: a backslash that C has interpreted leaves a control character."""
    build = pathlib.Path(os.environ.get("POSED_BUILD", TOP / "build"))
    text = subprocess.run([build / "posed-man"], capture_output=True, check=True).stdout.decode()
    assert not re.findall(r"[^\n -\x7e]", text)
    for name in "NOTIFY_SOCKET", "WATCHDOG_USEC", "LISTEN_FDS", "LISTEN_FDNAMES", "POSED_ROOT":
        assert f"\\fB{name}\\fR" in text, name
