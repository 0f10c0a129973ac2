"""Sources of models: nginx and an S3 server, and rclone, which mounts or copies their files."""
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import time

import pytest

from conftest import PATIENCE_S, wait_until

DEPLOY_TESTS = pathlib.Path(__file__).resolve().parents[1]
S3RVER = DEPLOY_TESTS / "node_modules" / "s3rver" / "bin" / "s3rver.js"
BUCKET = "models"
# Short times for tests: listings are fetched again at once, and a missing server is given up at the first try.
QUICK = {"RCLONE_DIR_CACHE_TIME": "100ms", "RCLONE_ATTR_TIMEOUT": "0s", "RCLONE_LOW_LEVEL_RETRIES": "1", "RCLONE_RETRIES": "1", "RCLONE_CONTIMEOUT": "1s",
         "RCLONE_TIMEOUT": "2s", "RCLONE_CONFIG": "/dev/null"}
RECIPES = DEPLOY_TESTS.parents[1] / "deploy" / "sources"


def environment(**more):
    """The environment without this machine's settings for other S3 servers and for proxies."""
    return {**{k: v for k, v in os.environ.items() if not k.startswith(("AWS_", "RCLONE_")) and not k.lower().endswith("_proxy")}, **more}


def need(*programs):
    for program in programs:
        if not shutil.which(program):
            pytest.skip(f"{program} is not installed: make deploy-test does that")


def need_fuse():
    need("rclone", "fusermount3")
    try:
        os.close(os.open("/dev/fuse", os.O_RDWR))
    except OSError as why:
        pytest.skip(f"no file system in user space is allowed here: /dev/fuse: {why.strerror}")


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def wait_for_port(port, process):
    def is_open():
        assert process.poll() is None, f"{process.args[0]} ended with {process.returncode}"
        with socket.socket() as one:
            return one.connect_ex(("127.0.0.1", port)) == 0
    wait_until(is_open, f"nothing listens on port {port}")


class Program:
    """A process of a test, with its output in a file. A stopped one is continued before it ends."""

    def __init__(self, folder, name, *command, env=None):
        self.log = folder / f"{name}.log"
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen([str(word) for word in command], stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=environment(**(env or {})))

    def send(self, number):
        self.process.send_signal(number)

    def end(self, number=signal.SIGTERM):
        if self.process.poll() is None:
            self.process.send_signal(number)
            self.process.send_signal(signal.SIGCONT)
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait(PATIENCE_S)


class WebServer:
    """nginx according to deploy/sources/README.md: with an index that rclone reads."""
    name = "nginx"

    def __init__(self, folder):
        need("nginx")
        self.folder, self.port, self.program = folder, free_port(), None
        self.models = folder / "www"
        self.models.mkdir(parents=True)
        os.chmod(folder, 0o755)
        temporary = "".join(f"{kind}_temp_path {folder}/{kind};" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        (folder / "nginx.conf").write_text(
            f"daemon off; master_process off; pid {folder}/pid; error_log {folder}/error.log; events {{}}\n"
            f"http {{ access_log off; {temporary}\n"
            f"  server {{ listen 127.0.0.1:{self.port}; root {self.models}; autoindex on; }} }}\n")
        self.begin()

    def begin(self):
        self.program = Program(self.folder, "nginx", "nginx", "-e", self.folder / "error.log", "-c", self.folder / "nginx.conf")
        wait_for_port(self.port, self.program.process)

    def put(self, name, content):
        (self.models / "new").write_bytes(content)
        os.replace(self.models / "new", self.models / name)

    def remove(self, name):
        (self.models / name).unlink()

    def end(self):
        self.program.end()

    @property
    def remote(self):
        return ":http:", {"RCLONE_HTTP_URL": f"http://127.0.0.1:{self.port}/"}


class S3Server:
    """s3rver, from npm: an S3 server that keeps its objects in a folder."""
    name = "s3"
    KEYS = {"RCLONE_S3_ACCESS_KEY_ID": "S3RVER", "RCLONE_S3_SECRET_ACCESS_KEY": "S3RVER"}

    def __init__(self, folder):
        need("node", "rclone")
        if not S3RVER.exists():
            pytest.skip("s3rver is not installed: make deploy-test does that with npm")
        self.folder, self.port, self.program = folder, free_port(), None
        folder.mkdir(parents=True, exist_ok=True)
        self.begin()

    def begin(self):
        self.program = Program(self.folder, "s3rver", "node", S3RVER, "--directory", self.folder / "objects", "--address", "127.0.0.1",
                               "--port", self.port, "--configure-bucket", BUCKET)
        wait_for_port(self.port, self.program.process)

    def rclone(self, *words, content=None):
        remote, env = self.remote
        done = subprocess.run(["rclone", "--config", "/dev/null", *words], input=content, capture_output=True, env=environment(**env))
        assert done.returncode == 0, done.stderr

    def put(self, name, content):
        self.rclone("rcat", f":s3:{BUCKET}/{name}", content=content)

    def remove(self, name):
        self.rclone("deletefile", f":s3:{BUCKET}/{name}")

    def end(self):
        self.program.end()

    @property
    def remote(self):
        return f":s3:{BUCKET}", {**self.KEYS, "RCLONE_S3_PROVIDER": "Other", "RCLONE_S3_ENDPOINT": f"http://127.0.0.1:{self.port}", "RCLONE_S3_FORCE_PATH_STYLE": "true"}


class Mount:
    """deploy/sources/mount.sh: rclone mount of a source at `path`."""

    def __init__(self, folder, path, source):
        need_fuse()
        self.folder, self.path, self.source, self.program = folder, path, source, None
        path.mkdir(parents=True, exist_ok=True)
        self.begin()

    def begin(self):
        remote, env = self.source.remote
        self.program = Program(self.folder, "mount", "sh", RECIPES / "mount.sh", remote, self.path, env={**env, **QUICK, "RCLONE_CACHE_DIR": str(self.folder / "rclone")})

        def is_there():
            if self.program.process.poll() is not None:
                text = self.program.log.read_text()
                if "permission denied" in text.lower() or "not permitted" in text.lower():
                    pytest.skip("no file system in user space is allowed here: " + text.strip().splitlines()[-1])
                raise AssertionError(text)
            return os.path.ismount(self.path)
        wait_until(is_there, "nothing is mounted")

    def unmount(self):
        subprocess.run(["fusermount3", "-u", "-z", self.path], capture_output=True)

    def end(self):
        self.program.end(signal.SIGKILL)
        self.unmount()


class Sync:
    """deploy/sources/sync.sh: rclone sync of a source into the folder `path`, again and again."""

    def __init__(self, folder, path, source):
        need("rclone")
        remote, env = source.remote
        path.mkdir(parents=True, exist_ok=True)
        self.program = Program(folder, "sync", "sh", RECIPES / "sync.sh", remote, path, "1", env={**env, **QUICK})

    def end(self):
        self.program.end()
