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

from .address import Address
from .client import Client, connect
from .errors import ConnectionLost
from .reconnect import Reconnect

PathLike = Union[str, "os.PathLike[str]"]

# A watcher ends the server. It is a shell that reads a pipe whose other end this process holds. The pipe closes when this process ends,
# even by SIGKILL. The shell closes its own stdout and stderr, so that they close when the server ends.
_WATCHER = '"$@" </dev/null & p=$!; exec >/dev/null 2>&1; read _; kill $p; wait $p'


def find_program(program: Optional[PathLike] = None) -> str:
    """Find the server's program: the argument, POSED_PROGRAM of the environment, `posed` on the PATH, or, in posed's source tree,
    build/posed."""
    named = os.fspath(program) if program is not None else os.environ.get("POSED_PROGRAM")
    if named:
        found = shutil.which(named)
        if found is None:
            raise FileNotFoundError(f"'{named}' is not a program")
        return found
    above = pathlib.Path(__file__).resolve().parents
    built = above[3] / "build" / "posed" if len(above) > 3 and (above[3] / "protocol" / "packets.def").exists() else None
    found = shutil.which("posed") or (shutil.which(str(built)) if built is not None else None)
    if found is None:
        raise FileNotFoundError("cannot find the program posed: install it, or set POSED_PROGRAM to its path, which is build/posed after 'make' in the source tree")
    return found


def serve(root: PathLike = ".", *options: str, program: Optional[PathLike] = None, timeout_s: float = 30.0,
          token: Optional[str] = None, env: Optional[Mapping[str, str]] = None) -> "Server":
    """Start a private server on the models in the folder `root`, wait until it is ready, and return a client of it. The server ends
    with the block, with `close`, or with this process, even after SIGKILL.

        with posed.serve("models") as server:
            print(server.version()["name"], server.model("robot.glb").info()["clips"])

    options: of posed, such as "--import-workers", "4" (`posed --help`). program: see `find_program`. env: the server's environment, by
    default this process's. timeout_s: for the start and for each connection. token: for the connections, with "--token-file".
    """
    return Server(root, options, program, timeout_s, token, env)


class Server(Client):
    """A private server and a client of it: it has every method of `Client`. `connect` makes more clients. `ports` has the other ports, if
    options ask for them. `log` returns the server's output."""

    def __init__(self, root: PathLike, options: Sequence[str], program: Optional[PathLike], timeout_s: float, token: Optional[str],
                 env: Optional[Mapping[str, str]]) -> None:
        path = find_program(program)
        # The path of a Unix socket has about 100 bytes; some temporary folders are longer.
        base = None if len(tempfile.gettempdir()) < 60 else "/tmp"
        self._folder = tempfile.TemporaryDirectory(prefix="posed-", dir=base)
        socket_path = os.path.join(self._folder.name, "socket")
        self._log = tempfile.TemporaryFile()
        command: List[str] = [path, "--root", os.fspath(root), "--http", "none", "--tcp", "none", "--unix", socket_path, *options]
        self._process = subprocess.Popen(["/bin/sh", "-c", _WATCHER, "sh", *command], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                         stderr=self._log, env=env, start_new_session=True)
        try:
            self._wait_until_ready(timeout_s)
            super().__init__(Address("packets", path=socket_path), token, timeout_s, reconnect=Reconnect(0))  # a private server does not come back
            atexit.register(self.close)
        except BaseException:
            self._end()
            raise

    def _wait_until_ready(self, timeout_s: float) -> None:
        assert self._process.stdout is not None
        timer = threading.Timer(timeout_s, self._stop)
        timer.start()
        line = self._process.stdout.readline()
        timer.cancel()
        #: the ports of the server: {"unix": "/..", "http": "127.0.0.1:40001"}
        self.ports: Dict[str, str] = dict(port.split("=", 1) for port in line.decode().split()[2:] if "=" in port)
        if not line.startswith(b"posed ready"):
            self._stop()
            raise ConnectionLost("posed did not start: " + (self.log().strip() or f"nothing came in {timeout_s} s"))

    def connect(self, **options: Any) -> Client:
        """Make another client; options as for `posed.connect`."""
        token, timeout_s, _ = self._options
        merged: Dict[str, Any] = {"timeout_s": timeout_s, "token": token, "reconnect_tries": 0, **options}
        return connect(self.address, **merged)

    def log(self) -> str:
        """The server's stderr so far."""
        size = os.fstat(self._log.fileno()).st_size
        return os.pread(self._log.fileno(), size, 0).decode("utf-8", "replace")

    def __enter__(self) -> "Server":
        return self

    def close(self) -> None:
        """Close the connections, end the server and wait for its end. It finishes requests under way first."""
        super().close()
        self._end()

    def _stop(self) -> None:
        """Tell the watcher to end the server."""
        if self._process.stdin is not None and not self._process.stdin.closed:
            self._process.stdin.close()

    def _end(self) -> None:
        atexit.unregister(self.close)
        self._stop()
        self._process.wait()
        if self._process.stdout is not None:
            self._process.stdout.close()
        self._log.close()
        self._folder.cleanup()
