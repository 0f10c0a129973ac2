"""Servers that are killed while they write the disk cache, again and again."""
import os
import pathlib
import signal
import time

from conftest import Server, wait_until
from importers import NO_RENDERING, imports
from small_models import gltf, place

MODELS = 4


def with_fork_servers(server):
    return pathlib.Path(f"/proc/{server.process.pid}/task/{server.process.pid}/children").read_text().split()


def is_fork_server(pid):
    """Importers have the fork server's command line, but no session of their own."""
    try:
        session = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[3]
        return session == pid and b"--fork-server" in pathlib.Path(f"/proc/{pid}/cmdline").read_bytes()
    except (FileNotFoundError, ProcessLookupError):
        return False


def fork_servers(server):
    return [pid for pid in with_fork_servers(server) if is_fork_server(pid)]


def end_fork_servers(server):
    """Kill them while they wait for work. The server does not know an importer before that has reported."""
    for pid in fork_servers(server):
        wait_until(lambda: state_of(pid) in "SZX", "it does not wait")
        if is_alive(pid):
            os.kill(int(pid), signal.SIGKILL)
        wait_until(lambda: not is_alive(pid), "it lives on")


def children(server):
    """The working processes. Children of fork servers belong to the server; the fork servers do not count."""
    return [pid for pid in with_fork_servers(server) if not is_fork_server(pid)]


def state_of(pid):
    """The letter of its state in /proc: "S" while it waits; "X" when it has ended."""
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return "X"


def is_alive(pid):
    """A zombie that its new parent has not noticed yet counts as dead."""
    return state_of(pid) not in "ZX"


def temporary(folder):
    return [name for name in os.listdir(folder) if name.startswith(".tmp")]


def write_models(root, kill):
    for i in range(MODELS):
        (root / f"{i}.gltf").write_text(gltf(x=kill * 10 + i, triangles=20000))


def begin(root, folder):
    return Server(root, "--cache-dir", str(folder), *NO_RENDERING)


def kill_soon(root, folder, delay_s):
    """A server that dies some time after the first of its imports."""
    server = begin(root, folder)
    try:
        with server.connect() as connection:
            for i in range(MODELS):
                connection.send(f"GET /v1/palette?model={i}.gltf HTTP/1.1\r\nHost: localhost\r\n\r\n")
            connection.answer()
            time.sleep(delay_s)
        workers = with_fork_servers(server)
        server.process.send_signal(signal.SIGKILL)
        server.wait()
        wait_until(lambda: not any(is_alive(pid) for pid in workers), "a worker outlives its server")
        return len(temporary(folder)) if folder.is_dir() else 0
    finally:
        server.end()


def check(root, folder, kill):
    """The next server answers correctly, from disk or by an import, and removes everything of the killed one."""
    server = begin(root, folder)
    try:
        for i in range(MODELS):
            assert place(server.get(f"/v1/palette?model={i}.gltf")) == kill * 10 + i
        stats = server.json("/v1/stats")["disk"]
        assert stats["errors"] == 0, server.lines()
        assert imports(server) + stats["hits"] == MODELS, (stats, server.lines())
        wait_until(lambda: not temporary(folder) and server.json("/v1/stats")["disk"]["stored"] >= stats["misses"],
                   "a temporary file is left, or a model is not stored")
    finally:
        server.end()
    assert server.process.returncode == 0
    assert all(name.endswith((".model", ".index")) or name == "imports.lock" for name in os.listdir(folder))
    return stats


def kill_and_restart(root, folder, kills):
    """Return how many kills left a temporary file, and how many models came from disk afterwards."""
    left = hits = 0
    for kill in range(kills):
        write_models(root, kill)
        left += kill_soon(root, folder, delay_s=0.002 * (kill % 23)) > 0
        hits += check(root, folder, kill)["hits"]
    return left, hits
