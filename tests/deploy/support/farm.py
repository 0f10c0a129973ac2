"""Several servers on one folder of models, and a single one that gives the expected answers."""
import contextlib
import os
import re
import shutil
import socket

from conftest import SAMPLES, Server

UPLOADS = "incoming"


class Port:
    """A port of 127.0.0.1 that no other program gets. It is bound here, not listened on, so that a program can take it by SO_REUSEADDR, and
    again after it has ended."""

    def __init__(self):
        self.socket = socket.socket()
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        self.socket.bind(("127.0.0.1", 0))
        self.number = self.socket.getsockname()[1]
        self.address = f"127.0.0.1:{self.number}"

    def close(self):
        self.socket.close()


class Slot:
    """A place for an instance. Its ports stay the same, whichever instance is in it."""

    def __init__(self, name):
        self.name, self.http, self.packets, self.admin = name, Port(), Port(), Port()
        self.server = None
        self.old_lines = []  # of earlier instances

    def lines(self):
        return self.old_lines + (self.server.lines() if self.server else [])

    def mark(self):
        """A position in the log, for lines_since(). Lines of an instance that has ended meanwhile are left out."""
        return self.server, os.fstat(self.server.log.fileno()).st_size if self.is_up() else 0

    def lines_since(self, mark):
        if not self.is_up():
            return []
        begin = mark[1] if mark[0] is self.server else 0
        end = os.fstat(self.server.log.fileno()).st_size
        return os.pread(self.server.log.fileno(), end - begin, begin).decode(errors="replace").splitlines()

    def is_up(self):
        return self.server is not None and self.server.process.poll() is None


def make_models(root, copies=6):
    """Copies of the samples, which are separate models for balancers. Returns their names."""
    names = []
    for sample in sorted(SAMPLES.glob("*.glb")):
        for i in range(copies):
            names.append(f"{sample.stem}-{i}.glb")
            shutil.copy(sample, root / names[-1])
    return names


class Farm:
    """`count` servers on `root`. Slots beyond that are for instances that do not exist yet."""

    def __init__(self, root, count=4, slots=5, options=(), takes_uploads=True):
        self.root, self.options = root, list(options)
        if takes_uploads:
            (root / UPLOADS).mkdir(exist_ok=True)
            self.options += ["--uploads", str(root / UPLOADS)]
        self.all = contextlib.ExitStack()
        self.slots = [Slot(f"posed-{i + 1}") for i in range(slots)]
        for slot in self.slots:
            self.all.callback(slot.http.close)
            self.all.callback(slot.packets.close)
            self.all.callback(slot.admin.close)
        try:
            for slot in self.slots[:count]:
                self.begin(slot)
        except BaseException:
            self.all.close()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.all.close()

    def begin(self, slot, *options):
        """Start an instance there. The previous one, if any, has ended."""
        if slot.server:
            slot.old_lines += slot.server.lines()
            slot.server.end()
        ports = ["--http", slot.http.address, "--tcp", slot.packets.address, "--admin", slot.admin.address]
        slot.server = Server(self.root, *self.options, *ports, *options)
        self.all.callback(slot.server.end)
        return slot.server

    def up(self):
        return [slot for slot in self.slots if slot.is_up()]

    def lines_of(self, text):
        """The names of the slots whose logs have the text, once for each line."""
        return [slot.name for slot in self.slots for line in slot.lines() if text in line]

    def placement(self, since=None):
        """The instances that have answered requests about a model, by its name. since: marks() of the first moment."""
        placed = {}
        for slot in self.slots:
            for line in slot.lines_since(since[slot.name]) if since else slot.lines():
                found = re.search(r" operation=\S+ model=(\S+\.glb) ", line)
                if found:
                    placed.setdefault(found[1], set()).add(slot.name)
        return placed

    def marks(self):
        return {slot.name: slot.mark() for slot in self.slots}
