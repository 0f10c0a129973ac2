"""posectl as a runner: run_posectl.py ADDRESS. It has commands for some operations and options for most parameters, and
leaves the other queries out. It tells errors as messages:
`ID message TEXT`. A command for each query, so it is the slowest."""
import json
import os
import pathlib
import subprocess
import sys

import canonical

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = pathlib.Path(os.environ.get("POSED_BUILD", REPOSITORY / "build")) / "posectl"
COMMANDS = {"palette": "palette", "pose": "pose", "mesh": "mesh", "render": "render", "sheet": "sheet", "turntable": "turntable",
            "model": "info"}


def options(query):
    """--NAME=VALUE of each parameter but the model."""
    for name, value in query.parameters().items():
        for part in value if isinstance(value, list) and name != "layers" else [value]:
            if name != "model":
                yield f"--{name.replace('_', '-')}=" + (part if isinstance(part, str) else json.dumps(part))


def answer_of(address, query):
    command = [PROGRAM, COMMANDS[query.op], query.parameters()["model"], "--server", address, *options(query)]
    command += ["--json"] if query.op == "model" else ["--out=-"]
    command += ["--format=bin"] if query.is_frames else []
    result = subprocess.run(command, capture_output=True, timeout=60)
    if result.returncode:
        message = result.stderr.decode().strip().removeprefix("posectl: ")
        return [] if message.startswith("unknown option") else ["message " + message]
    if query.op == "model":  # printed as a line
        assert result.stdout.endswith(b"}\n\n")
        return canonical.of_bytes(result.stdout[:-1])
    return canonical.of_frames(result.stdout) if query.is_frames else canonical.of_bytes(result.stdout)


def main(address):
    for query in canonical.queries(sys.stdin):
        if query.op in COMMANDS:
            for line in answer_of(address, query):
                print(query.id, line)


if __name__ == "__main__":
    main(*sys.argv[1:])
