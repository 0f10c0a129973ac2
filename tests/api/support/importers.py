"""Programs named posed-import that misbehave, for --worker-dir: real processes that really die."""
import pathlib
import re
import sys

from conftest import BUILD, wait_until
from server_state import wait_for_stats

REAL = f'"{(BUILD / "posed-import").resolve()}" "$@"'
# The tests here draw nothing, and the folder has no posed-render.
NO_RENDERING = ("--render-workers", "0")


STAND_IN = pathlib.Path(__file__).resolve().parent / "stand_in"
PROGRAM = """#!{python} -SEB
import sys
sys.path.insert(0, {here!r})
import import_stand_in
import_stand_in.main({real!r}, {script!r})
"""


def install(folder, script):
    """Options for a server whose importers run this shell script. {real} in it is the real importer with its arguments. The real one
    answers the server's requests at its start."""
    folder = pathlib.Path(folder)
    folder.mkdir(exist_ok=True)
    program = folder / "posed-import"
    program.write_text(PROGRAM.format(python=sys.executable, here=str(STAND_IN), real=str((BUILD / "posed-import").resolve()),
                                      script=script.replace("{real}", REAL)))
    program.chmod(0o755)
    return ("--worker-dir", str(folder), *NO_RENDERING)


def install_waiting(folder, models="*"):
    """Options for a server whose importer waits at models whose path matches the shell pattern, and the file that lets it go on when it
    exists."""
    go = pathlib.Path(folder) / "go"
    options = install(folder, f'case "$*" in {models}) while [ ! -e "{go}" ]; do sleep 0.02; done;; esac; exec {{real}}')
    return options, go


def imports(server, model=None):
    """The number of imports that have ended, of one model or all."""
    wanted = f"import model='{model}'" if model else "import model='"
    return sum(wanted in line for line in server.lines())


def write_long_model(folder):
    """Write long.obj, which takes seconds to import."""
    lines = [f"v {i % 311}.{i} {i % 7} {i % 13}.5" for i in range(800_000)]
    lines += [f"f {i} {i + 1} {i + 2}" for i in range(1, 799_990)]
    (pathlib.Path(folder) / "long.obj").write_text("\n".join(lines))


def importer_of(server):
    """The process id of a working, confined importer."""
    filters = lambda pid: re.findall(r"^(?:Name|Seccomp|Seccomp_filters):\t(.*)$", pathlib.Path(f"/proc/{pid}/status").read_text(),
                                     re.MULTILINE)

    def find():
        _, _, of_server = filters(server.process.pid)  # a container may have some for all processes
        for pid in pathlib.Path(f"/proc/{server.process.pid}/task/{server.process.pid}/children").read_text().split():
            try:
                name, _, own = filters(pid)
            except FileNotFoundError:
                continue
            if name == "posed-import" and int(own) >= int(of_server) + 2:  # its fork server's filter, and its own
                return int(pid)
        return None
    wait_until(find, "no importer")
    return find()


# a.gltf takes longer than any test; its importer writes its process id
SLOW_A = 'case "$*" in *a.gltf*) echo $$ > {pids}; sleep 100 & wait;; esac; exec {real}'


def pid_in(path):
    wait_until(lambda: path.exists() and path.read_text().endswith("\n"), "no importer")
    return int(path.read_text())


def wait_for_imports(server, **values):
    return wait_for_stats(server, lambda stats: values.items() <= stats["imports"].items())["imports"]
