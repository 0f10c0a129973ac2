"""Phrases and identifiers of tests/words.txt must not come back."""
import re

import pytest

from conftest import REPOSITORY

FOLDERS = "server", "clients", "protocol", "deploy", "shaders", "README.md"
KINDS = (".c", ".h", ".cpp", ".def", ".md", ".py", ".js", ".sh")


def rows():
    lines = (REPOSITORY / "tests/words.txt").read_text(encoding="utf-8").splitlines()
    return [line.split(": ", 1) for line in lines if line and line[0] != "#"]


def lines():
    """(place, line) of all sources and documents."""
    for folder in FOLDERS:
        top = REPOSITORY / folder
        for path in [top] if top.is_file() else sorted(top.rglob("*")):
            if path.suffix in KINDS and path.is_file() and "node_modules" not in path.parts:
                for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
                    yield f"{path.relative_to(REPOSITORY)}:{number}", line


def breaches(rows, lines):
    wanted = [(re.compile(pattern), instead) for pattern, instead in rows]
    return [f"{place}: {found[0]!r}; {instead}" for place, line in lines for pattern, instead in wanted if (found := pattern.search(line))]


def test_no_word_comes_back():
    assert len(rows()) > 5 and not breaches(rows(), lines())


@pytest.mark.parametrize("line", ["static bool has_ending(const char *path)", "the file's ending is unknown", '#include "daemon/disk/disk_parts.h"',
                                  "    uv_queue_work(loop, &work, run, done);", "nothing where nobody says it", "/* Queues the head of an HTTP reply. */",
                                  "and no other interim answer", "| answer header | meaning |", "Answer: [answers.md, model](answers.md#model).",
                                  "    answer = await this.#server.get(url);", '#include "daemon/conn/http_reply.h"'])
def test_a_word_that_comes_back_is_found(line):
    assert len(breaches(rows(), [("x.c:1", line)])) == 1


@pytest.mark.parametrize("line", ["It answers 503 to the first bytes", "HTTP answers in the order of the requests", "The answer's header has the handle as `model`",
                                  "    const answer = await this.ask(path);", "conn_end_reply(conn, reply);"])
def test_other_meanings_are_no_breach(line):
    assert breaches(rows(), [("x.c:1", line)]) == []
