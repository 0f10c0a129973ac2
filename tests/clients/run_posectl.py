"""posectl as a runner: run_posectl.py ADDRESS. Parameters without an option are given with --param. Errors have their messages: `ID message
TEXT` beside `ID error CODE`. It is the slowest runner, because it starts a command for each query."""
import json
import os
import pathlib
import re
import subprocess
import sys

import canonical

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = pathlib.Path(os.environ.get("POSED_BUILD", REPOSITORY / "build")) / "posectl"


def command_of(query):
    """The command's name and its argument."""
    if query.op == "query":
        return ["query", "-"]
    model = query.parameters().get("model")
    return ["info" if query.op == "model" else query.op, *([model] if model else [])]


def options(query, known):
    """--NAME=VALUE of each parameter except the model."""
    for name, value in query.parameters().items() if query.op != "query" else []:
        option = f"--{name.replace('_', '-')}"
        for part in value if isinstance(value, list) and name not in ("layers", "points") else [value]:
            text = part if isinstance(part, str) else json.dumps(part)
            if name != "model":
                yield f"{option}={text}" if option in known else f"--param={name}={text}"


def answer_of(address, query):
    command = command_of(query)
    known = re.findall(r"^  (--[a-z0-9-]+)", subprocess.run([PROGRAM, command[0], "--help"], capture_output=True, text=True).stdout, re.M)
    command += ["--server", address, "--out=-", *options(query, known)]
    command += ["--format=bin"] if query.is_frames else []
    result = subprocess.run([PROGRAM, *command], input=query.text.encode(), capture_output=True, timeout=60)
    if result.returncode and not result.stdout:
        sentence = result.stderr.decode().splitlines()[0]  # a further one may list the alternatives
        code, message = sentence.removeprefix("posectl: ").split(": ", 1)
        return [*canonical.of_error(code), "message " + message.removesuffix(f" (server {address})")]
    return canonical.of_frames(result.stdout) if query.is_frames else canonical.of_bytes(result.stdout)


def main(address):
    for query in canonical.queries(sys.stdin):
        for line in answer_of(address, query):
            print(query.id, line)


if __name__ == "__main__":
    main(*sys.argv[1:])
