"""The C client as a runner: run_c.py ADDRESS, through tests/clients/probe.c. It uses the client's typed requests if they can express the
query, with names found by `find`, else `call`."""
import os
import pathlib
import re
import subprocess
import sys

import canonical

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
PROBE = pathlib.Path(os.environ.get("POSED_BUILD", REPOSITORY / "build")) / "test" / "client_probe"
CODES = {int(number): name for number, name in
         re.findall(r'^X\(ERR_\w+, (\d+), \d+, "(\w+)"', (REPOSITORY / "protocol" / "errors.def").read_text(), re.M)}
WORDS = {"wrap": ["loop", "clamp", "mirror"], "layout": ["mat4", "mat3x4", "dualquat"], "space": ["scene", "root"],
         "what": ["", "local", "scene", "local,scene"]}
FLAGS = {"indices": 128, "normals": 256, "rest": 512}
KNOWN = {"model", "clip", "t", "skin", "joints", "mesh", *WORDS, *FLAGS}


class Refused(Exception):
    pass


class Probe:
    def __init__(self, address):
        self.process = subprocess.Popen([PROBE, address], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.path = None

    def ask(self, line):
        """The words of the answer. Raises Refused with the error's code."""
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        words = self.process.stdout.readline().rstrip("\n").split(" ")
        if words[0] == "error":
            raise Refused(CODES[int(words[1])])
        assert words[0] != "failed", (line, words)
        return words

    def payload(self, line):
        words = self.ask(line)
        return bytes.fromhex(words[2]) if len(words) > 2 else b""

    def open(self, path):
        if self.path != path:
            if self.path is not None:
                self.ask("close")
            self.path = None
            self.ask("open " + path)
            self.path = path

    def index(self, what, name):
        return name if name.isdigit() else self.ask(f"find {what} {name}")[FOUND_INDEX]


FOUND_INDEX = 3


def typed(query):
    """Whether the client's structs can express the query."""
    if not query.is_frames or query.body is not None:
        return False
    parameters = query.parameters()
    return set(parameters) <= KNOWN and not (query.op == "palette" and "mesh" in parameters) and all(
        parameters.get(name, words[0]) in words for name, words in WORDS.items())


def pairs(probe, query):
    """The probe's KEY=VALUE of a query."""
    parameters = query.parameters()
    out, flags = [], sum(FLAGS[name] for name in FLAGS if parameters.get(name) == "1")
    for name, words in WORDS.items():
        if name in parameters:
            out.append(f"{name}={words.index(parameters[name])}")
    clip = parameters.get("clip")
    if clip is not None:
        out.append("clip=" + ("-1" if clip == "-" else probe.index("clip", clip)))
    t = parameters.get("t")
    if t is not None:
        flags |= 16 if ":" in t else 0
        out.append("t=" + t.replace(":", ","))
    for name, what in ("skin", "skin"), ("joints", "node"):
        if name in parameters:
            out.append("indices=" + ",".join(probe.index(what, part) for part in parameters[name].split(",")))
    if "mesh" in parameters:
        out.append("mesh=" + probe.index("mesh", parameters["mesh"]))
    return " ".join([query.op, *out, f"flags={flags}"])


def answer_of(probe, query):
    if typed(query):
        probe.open(query.parameters()["model"])
        return canonical.of_frames(probe.payload(pairs(probe, query)))
    body = " " + query.text if query.body is not None else ""
    form = ["format=bin"] if query.is_frames else []
    data = probe.payload("call " + query.target(*form) + body)
    return canonical.of_frames(data) if query.is_frames else canonical.of_bytes(data)


def main(address):
    probe = Probe(address)

    def or_error(query):
        try:
            return answer_of(probe, query)
        except Refused as error:
            return canonical.of_error(error)
    canonical.run(or_error)
    probe.process.stdin.close()
    assert probe.process.wait(30) == 0


if __name__ == "__main__":
    main(*sys.argv[1:])
