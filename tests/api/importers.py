"""Programs named posed-import that misbehave, for --worker-dir: real processes that really die."""
import pathlib

from conftest import BUILD

REAL = f'"{(BUILD / "posed-import").resolve()}" "$@"'
# The tests here draw nothing, and the folder has no posed-render.
NO_RENDERING = ("--render-workers", "0")


def install(folder, script):
    """Options for a server whose importer is this shell script; {real} in it is the real one with its arguments.
    What the server asks at its start, the real one answers."""
    folder = pathlib.Path(folder)
    folder.mkdir(exist_ok=True)
    program = folder / "posed-import"
    asked = 'case " $* " in *" --attempt "*) exec {real} ;; esac\n'
    program.write_text("#!/bin/sh\n" + (asked + script).replace("{real}", REAL) + "\n")
    program.chmod(0o755)
    return ("--worker-dir", str(folder), *NO_RENDERING)


def install_waiting(folder, models="*"):
    """Options for a server whose importer waits with models whose path the shell's pattern fits, and the file that lets it
    go on once it is there."""
    go = pathlib.Path(folder) / "go"
    options = install(folder, f'case "$*" in {models}) while [ ! -e "{go}" ]; do sleep 0.02; done;; esac; exec {{real}}')
    return options, go


def imports(server, model=None):
    """How many imports have ended so far, of one model or all."""
    wanted = f"import model='{model}'" if model else "import model='"
    return sum(wanted in line for line in server.lines())
