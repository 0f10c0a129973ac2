"""Runs posectl as a user does, with its private server unless a test names another one."""
import json
import os
import pty
import struct
import subprocess

from conftest import BUILD, PATIENCE_S

POSECTL = BUILD / "posectl"


def environment(**more):
    """The environment without the test run's own variables (POSED_SERVER has another meaning there), and without a shared cache."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith("POSED_") and k != "NO_COLOR"}
    return {**kept, "POSED_CACHE_DIR": "none", **more}


class Done:
    def __init__(self, process):
        self.status, self.out, self.err = process.returncode, process.stdout, process.stderr


def posectl(*arguments, cwd=None, env=None, text=True):
    return Done(subprocess.run([POSECTL, *map(str, arguments)], cwd=cwd, env=environment(**(env or {})), capture_output=True,
                               text=text, timeout=4 * PATIENCE_S))


def pass_folder(command, folder, *options, status=0, out="out", what=None):
    """The JSON of a command that makes a file of each model of a folder, run beside the folder. what: others than the folder."""
    done = posectl(command, *(what or (folder.name,)), "-o", out, "--json", *options, cwd=folder.parent)
    assert done.status == status, (done.status, done.err)
    return json.loads(done.out)


def on_terminal(*arguments, cwd, **env):
    """The output of posectl if stdout and stderr are a terminal."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen([POSECTL, *map(str, arguments)], cwd=cwd, stdin=theirs, stdout=theirs, stderr=theirs,
                               env=environment(TERM="xterm", **env))
    os.close(theirs)
    shown = b""
    while True:
        try:
            part = os.read(ours, 65536)
        except OSError:
            break
        if not part:
            break
        shown += part
    os.close(ours)
    return process.wait(PATIENCE_S), shown.decode()


def begin(*arguments, cwd=None, env=None, **options):
    """Start a posectl whose stdout is a pipe."""
    return subprocess.Popen([POSECTL, *map(str, arguments)], cwd=cwd, env=environment(**(env or {})), stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True, **options)


def children(pid):
    with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
        return [int(word) for word in file.read().split()]


def is_running(pid):
    """Whether the process runs; a zombie does not."""
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
            return file.read().rsplit(")", 1)[1].split()[0] not in "ZX"
    except OSError:
        return False


def png_size(path):
    """(width, height) of a complete picture."""
    data = path.read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n" and data[-8:-4] == b"IEND", f"{path} is no whole PNG"
    return struct.unpack_from(">II", data, 16)
