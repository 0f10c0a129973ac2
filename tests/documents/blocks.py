"""The blocks of shell commands in documents: where they are, which commands they have, what a marker says, whether an output is the one shown.

A marker is a word behind the language of a fence, which no renderer shows:

    ```sh needs=docker       is not run: MARKERS says what it needs
    ```sh terminal           goes on until Ctrl-C: runs beside the blocks that follow, until the next one with this marker

A block that a reader saves is a file for the blocks that follow: the line in front is `NAME`: or says "save this as `NAME`", or the
paragraph behind begins with "Save it as `NAME`".
"""
import dataclasses
import re
import subprocess

SHELLS = ("sh", "bash", "shell", "console")
MARKERS = {
    "needs=docker": "a container engine",
    "needs=cluster": "a Kubernetes cluster",
    "needs=network": "a package registry, or hosts of a reader",
    "needs=service": "root on a machine with systemd, for packages and services",
    "needs=time": "more than a minute",
    "needs=change": "the change that the page describes",
    "terminal": "a terminal of its own, until Ctrl-C",
}
ELLIPSIS = "..."


@dataclasses.dataclass
class Block:
    """`line`: of the first line within the fence. `saved_as`: the name under which a reader saves it, or None."""
    line: int
    language: str
    markers: list
    text: str
    saved_as: str = None

    @property
    def is_shell(self):
        return self.language in SHELLS and not self.saved_as

    @property
    def need(self):
        """What it needs to be run, or None."""
        return next((marker.partition("=")[2] for marker in self.markers if marker.startswith("needs=")), None)

    @property
    def stays(self):
        return "terminal" in self.markers


@dataclasses.dataclass
class Command:
    """`expected`: the output that the document shows, or None."""
    line: int
    text: str
    expected: str = None


def blocks_of(document):
    """All blocks of a document's text, also of other languages. ValueError names the line of a fence that is wrong."""
    lines = document.split("\n")
    blocks, i = [], 0
    while i < len(lines):
        opened = re.fullmatch(r"( *)(```+)([^`]*)", lines[i])
        if not opened:
            i += 1
            continue
        indent, fence, info = opened[1], opened[2], opened[3].split()
        end = next((j for j in range(i + 1, len(lines)) if lines[j].strip() == fence), None)
        if end is None:
            raise ValueError(f"{i + 1}: a block that does not end")
        text = "".join(line.removeprefix(indent) + "\n" for line in lines[i + 1:end])
        block = Block(i + 2, info[0] if info else "", info[1:], text, saved_as(lines[:i], lines[end + 1:]))
        check_markers(block)
        blocks.append(block)
        i = end + 1
    return blocks


def check_markers(block):
    if block.language in SHELLS:
        for marker in block.markers:
            if marker not in MARKERS:
                raise ValueError(f"{block.line - 1}: unknown marker '{marker}', not one of: {' '.join(MARKERS)}")
        if len(block.markers) > 1:
            raise ValueError(f"{block.line - 1}: more than one marker: {' '.join(block.markers)}")


def paragraph(lines):
    """The first paragraph of lines, as one line."""
    words = []
    for line in lines:
        if line.strip():
            words += line.split()
        elif words:
            break
    return " ".join(words)


def saved_as(before, after):
    above = " ".join(reversed(paragraph([" ".join(reversed(line.split())) for line in reversed(before)]).split()))
    found = re.fullmatch(r"`([\w./-]+)`:", above) or re.search(r"[Ss]ave this as `([\w./-]+)`[^`]*:$", above) or \
        re.match(r"Save it as `([\w./-]+)`", paragraph(after))
    return found[1] if found else None


def is_complete(text):
    """Whether a shell would run the text, and not wait for a quote, a word or a here-document to end."""
    if text.endswith("\\\n"):
        return False
    done = subprocess.run(["bash", "-n"], input=text, capture_output=True, text=True)
    return done.returncode == 0 and "here-document" not in done.stderr


def commands_of(block):
    """Its commands, each as a user ends it by Enter. Of console those behind "$ ", with the output that follows."""
    commands, lines, i = [], block.text.splitlines(), 0
    while i < len(lines):
        start, text = i, ""
        if block.language == "console" and not lines[i].startswith("$ "):
            raise ValueError(f"{block.line + i}: no command above this output: {lines[i]}")
        while i < len(lines) and not (text and is_complete(text)):
            text += (lines[i].removeprefix("$ ") if i == start and block.language == "console" else lines[i]) + "\n"
            i += 1
        if not is_complete(text):
            raise ValueError(f"{block.line + start}: a command that does not end: {text.strip()}")
        command = Command(block.line + start, text)
        if block.language == "console":
            shown = i
            while i < len(lines) and not lines[i].startswith("$ "):
                i += 1
            command.expected = "\n".join(lines[shown:i]) if i > shown else None
        if text.strip():
            commands.append(command)
    return commands


def is_as_shown(expected, got):
    """Whether an output is the one that a document shows. There `...` stands for anything: for lines on a line of its own, else within
    its line. How many bytes a picture has, and how many microseconds something takes, depends on the machine."""
    pattern = ""
    for line in expected.strip().split("\n"):
        if line.strip() == ELLIPSIS:
            pattern += r"(?:.*\n)*?"
            continue
        words = ".*".join(re.escape(part) for part in line.rstrip().split(ELLIPSIS))
        words = re.sub(r"^(\S+\\\.png\\ .*)\\ \d+\\ bytes", r"\1\\ \\d+\\ bytes", words)
        words = re.sub(r"\d+(?:\\\.\d+)?\\ us\b", r"[\\d.]+\\ us", words)
        pattern += words + r"[ ]*\n"
    return re.fullmatch(pattern, got.strip() + "\n") is not None
