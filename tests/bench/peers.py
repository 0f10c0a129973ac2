"""Private instances of the programs that posed is compared with: on free ports, in temporary folders, ended by their process ids."""
import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import time

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "api"))
import conftest  # noqa: E402

PROGRAMS = conftest.BUILD / "bench"
NGINX = """
daemon off; master_process off; worker_processes 1; pid {folder}/nginx.pid; error_log {folder}/error.log crit;
events {{ worker_connections 1024; }}
http {{
  access_log off; tcp_nodelay on; tcp_nopush off; sendfile {sendfile}; keepalive_requests 1000000000; keepalive_timeout 1h;
  open_file_cache max=64 inactive=1h; open_file_cache_valid 1h;
  client_body_temp_path {folder}/a; proxy_temp_path {folder}/b; fastcgi_temp_path {folder}/c; uwsgi_temp_path {folder}/d; scgi_temp_path {folder}/e;
  server {{ listen 127.0.0.1:{port}; location / {{ root {folder}/files; }} }}
}}
"""


def program(name):
    """Return a path, or exit with a message."""
    found = shutil.which(name, path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")
    if not found:
        raise SystemExit(f"no program {name}: run deploy/deps.sh bench")
    return found


def free_port():
    """A port without a listener. The caller tries again if another program takes it meanwhile."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def pin(pid, processor):
    """Pin all threads of a process to one processor; None: to no particular one."""
    if processor is None:
        return
    for thread in os.listdir(f"/proc/{pid}/task"):
        os.sched_setaffinity(int(thread), {processor})


class Peer:
    """Another program's server. `start(port)` makes its command line."""

    def __init__(self, name, folder, start):
        self.name, self.folder = name, pathlib.Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        for _ in range(5):
            self.port = free_port()
            with open(self.folder / "log", "wb") as log:
                self.process = subprocess.Popen(start(self.port), stdout=log, stderr=log, stdin=subprocess.DEVNULL, cwd=self.folder)
            if self._listens():
                return
            self.end()
        raise SystemExit(f"{name} does not start: {(self.folder / 'log').read_text(errors='replace')[-2000:]}")

    def _listens(self):
        deadline = time.monotonic() + 10
        while time.monotonic() < deadline and self.process.poll() is None:
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
                return True
            except OSError:
                time.sleep(0.01)
        return False

    @property
    def pid(self):
        return self.process.pid

    @property
    def address(self):
        return f"127.0.0.1:{self.port}"

    def end(self):
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()


def nginx(folder, sendfile, body):
    """Serves `body` at /body. sendfile: "on" or "off"."""
    folder = pathlib.Path(folder)
    (folder / "files").mkdir(parents=True)
    (folder / "files" / "body").write_bytes(body)

    def start(port):
        (folder / "nginx.conf").write_text(NGINX.format(folder=folder, port=port, sendfile=sendfile))
        return [program("nginx"), "-p", str(folder), "-c", str(folder / "nginx.conf")]

    return Peer(f"nginx, sendfile {sendfile}", folder, start)


def redis(folder, body):
    """Has `body` as the value of "body"."""
    peer = Peer("redis", folder, lambda port: [program("redis-server"), "--port", str(port), "--bind", "127.0.0.1", "--save", "",
                                               "--appendonly", "no", "--dir", str(folder)])
    with socket.create_connection(("127.0.0.1", peer.port), 10) as one:
        one.sendall(b"*3\r\n$3\r\nSET\r\n$4\r\nbody\r\n$%d\r\n%s\r\n" % (len(body), body))
        answer = one.recv(64)
    if answer != b"+OK\r\n":
        raise SystemExit(f"redis says {answer}")
    return peer


class Asked:
    """A program that answers each line on its stdin with a line of JSON, and is idle between."""

    def __init__(self, *words):
        self.words = [str(word) for word in words]
        self.process = subprocess.Popen(self.words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, line):
        try:
            self.process.stdin.write(line + "\n")
            self.process.stdin.flush()
            return json.loads(self.process.stdout.readline())
        except (OSError, ValueError):
            raise SystemExit(f"{' '.join(self.words)} ended instead of answering '{line}'") from None

    def end(self):
        self.process.stdin.close()
        self.process.wait(30)
        self.process.stdout.close()


def load(address, *targets, pid=None, processor=None, **options):
    """The result of build/bench/load. pid: of the server, for its processor time per answer."""
    words = [word for name, value in options.items() for word in ("--" + name.replace("_", "-"), str(value))]
    words += ["--pid", str(pid)] if pid else []
    pinned = (lambda: os.sched_setaffinity(0, {processor})) if processor is not None else None
    done = subprocess.run([PROGRAMS / "load", *words, address, *targets], stdout=subprocess.PIPE, text=True, check=False, preexec_fn=pinned)
    if done.returncode:
        raise SystemExit(f"the load client ended with {done.returncode}: {done.stdout}")
    found = json.loads(done.stdout)
    if set(found["status"]) != {"200"}:
        raise SystemExit(f"not every answer of {address} was good: {found['status']}")
    return found
