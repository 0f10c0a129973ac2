"""A private server: posed as a child of this process, on a Unix socket that nobody else sees."""
from __future__ import annotations

import atexit
import os
import pathlib
import shutil
import subprocess
import tempfile
import threading
from typing import Any, Dict, List, Mapping, Optional, Sequence, Union

from .client import Client, connect
from .errors import ConnectionLost
from .model import Model

PathLike = Union[str, "os.PathLike[str]"]

# The server is ended by its watcher, a shell that reads a pipe which this process holds: it closes however this process ends,
# also by SIGKILL. The shell's own ends of stdout and stderr are closed, so that these close with the server.
_WATCHER = '"$@" </dev/null & p=$!; exec >/dev/null 2>&1; read _; kill $p; wait $p'


def find_program(program: Optional[PathLike] = None) -> str:
    """The server's program: the argument, POSED_PROGRAM of the environment, `posed` on the PATH, or, in posed's source tree, build/posed."""
    named = os.fspath(program) if program is not None else os.environ.get("POSED_PROGRAM")
    if named:
        found = shutil.which(named)
        if found is None:
            raise FileNotFoundError(f"'{named}' is no program")
        return found
    above = pathlib.Path(__file__).resolve().parents
    built = above[3] / "build" / "posed" if len(above) > 3 and (above[3] / "protocol" / "packets.def").exists() else None
    found = shutil.which("posed") or (shutil.which(str(built)) if built is not None else None)
    if found is None:
        raise FileNotFoundError("there is no program posed: install it, or say where it is in POSED_PROGRAM")
    return found


def serve(root: PathLike = ".", *options: str, program: Optional[PathLike] = None, timeout_s: float = 30.0,
          token: Optional[str] = None, env: Optional[Mapping[str, str]] = None) -> "Server":
    """Starts a private server on the models in the folder `root` and waits until it is ready. It ends with the block, `close`, or this
    process, however that ends.

        with posed.serve("models") as server:
            print(server.model("robot.glb").info()["clips"])

    options: of posed, such as "--import-workers", "4" (`posed --help`). program: see `find_program`. env: the server's environment,
    else this process's. timeout_s: of starting, and of the connections that are made. token: for these, with "--token-file".
    """
    return Server(root, options, program, timeout_s, token, env)


class Server:
    """A server that runs. `address` is where (``unix:/..``), `connect` makes clients, and `client` is one that is there already."""

    def __init__(self, root: PathLike, options: Sequence[str], program: Optional[PathLike], timeout_s: float, token: Optional[str],
                 env: Optional[Mapping[str, str]]) -> None:
        self._timeout_s, self._token = timeout_s, token
        path = find_program(program)
        # a path of a Unix socket has about 100 bytes, which some temporary folders are longer than
        base = None if len(tempfile.gettempdir()) < 60 else "/tmp"
        self._folder = tempfile.TemporaryDirectory(prefix="posed-", dir=base)
        socket_path = os.path.join(self._folder.name, "socket")
        self.address = "unix:" + socket_path
        self._log = tempfile.TemporaryFile()
        command: List[str] = [path, "--root", os.fspath(root), "--http", "none", "--tcp", "none", "--unix", socket_path, *options]
        self._process = subprocess.Popen(["/bin/sh", "-c", _WATCHER, "sh", *command], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                         stderr=self._log, env=env, start_new_session=True)
        atexit.register(self.close)
        try:
            self._wait_until_ready(timeout_s)
            self.client: Client = self.connect()
        except BaseException:
            self.close()
            raise

    def _wait_until_ready(self, timeout_s: float) -> None:
        assert self._process.stdout is not None
        timer = threading.Timer(timeout_s, self._end)
        timer.start()
        line = self._process.stdout.readline()
        timer.cancel()
        #: where else it listens, with options that say so: {"unix": "/..", "http": "127.0.0.1:40001"}
        self.ports: Dict[str, str] = dict(port.split("=", 1) for port in line.decode().split()[2:] if "=" in port)
        if not line.startswith(b"posed ready"):
            self._end()
            raise ConnectionLost("posed did not start: " + (self.log().strip() or f"nothing came in {timeout_s} s"))

    def connect(self, **options: Any) -> Client:
        """Another client; options as of `posed.connect`."""
        merged: Dict[str, Any] = {"timeout_s": self._timeout_s, "token": self._token, **options}
        return connect(self.address, **merged)

    def model(self, path: str) -> Model:
        """A model under the root."""
        return self.client.model(path)

    def log(self) -> str:
        """What the server said on stderr so far."""
        size = os.fstat(self._log.fileno()).st_size
        return os.pread(self._log.fileno(), size, 0).decode("utf-8", "replace")

    def __enter__(self) -> "Server":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def _end(self) -> None:
        """Tells the watcher to end the server."""
        if self._process.stdin is not None and not self._process.stdin.closed:
            self._process.stdin.close()

    def close(self) -> None:
        """Ends the server and waits for its end; requests under way are finished first."""
        atexit.unregister(self.close)
        if hasattr(self, "client"):
            self.client.close()
        self._end()
        self._process.wait()
        if self._process.stdout is not None:
            self._process.stdout.close()
        self._log.close()
        self._folder.cleanup()
