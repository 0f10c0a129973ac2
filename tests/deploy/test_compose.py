"""deploy/compose.yaml, by Debian's docker-compose over podman: up, a kill, a drain, down.

The base image and posed's own image are those that `make image-test` leaves behind: no registry is asked.
"""
import contextlib
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import urllib.request

import pytest
from conftest import PATIENCE_S, REPOSITORY, RunningServer, wait_until
from farm import Port, make_models
from load import Load, questions

CACHE = pathlib.Path(os.environ.get("IMGTEST_CACHE", "/var/tmp/posed-image-test"))
BUILT = "localhost/posed-test:latest"
BUILD_TIME_S = 600
NAMES = [f"posed-{i}" for i in (1, 2, 3, 4)]


class Podman:
    """podman as in deploy/image-test.sh, and its service for docker-compose."""

    def __init__(self, folder):
        conf = CACHE / "conf"
        self.env = {**os.environ, "CONTAINERS_STORAGE_CONF": str(conf / "storage.conf"), "CONTAINERS_CONF": str(conf / "containers.conf"),
                    "CONTAINERS_REGISTRIES_CONF": str(conf / "registries.conf"), "TMPDIR": str(CACHE / "tmp")}
        self.socket = folder / "podman.sock"
        self.log = (folder / "podman.log").open("w")
        self.process = None

    def run(self, *command):
        return subprocess.run(["podman", "--log-level=fatal", *command], env=self.env, capture_output=True, text=True, timeout=PATIENCE_S)

    def __enter__(self):
        (CACHE / "tmp").mkdir(exist_ok=True)
        self.process = subprocess.Popen(["podman", "--log-level=error", "system", "service", "-t", "0", f"unix://{self.socket}"], env=self.env,
                                        stdout=self.log, stderr=self.log)
        wait_until(self.socket.exists, "podman's service does not start")
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(PATIENCE_S)
        self.log.close()


class Compose:
    def __init__(self, podman, root):
        self.ports = {name: Port() for name in ("PORT", "PACKETS_PORT", "METRICS_PORT")}
        numbers = {name: str(port.number) for name, port in self.ports.items()}
        for port in self.ports.values():
            port.close()  # the engine's own forwarder takes no bound port
        self.address = "127.0.0.1:" + numbers["PORT"]
        self.metrics = "http://127.0.0.1:" + numbers["METRICS_PORT"] + "/metrics"
        self.project = f"posedtest{os.getpid()}"
        self.env = {**podman.env, **numbers, "DOCKER_HOST": f"unix://{podman.socket}", "COMPOSE_PROJECT_NAME": self.project, "MODELS": str(root), "POSED_TAG": self.project}

    def __call__(self, *command, timeout_s=PATIENCE_S):
        done = subprocess.run(["docker-compose", *command], cwd=REPOSITORY / "deploy", env=self.env, capture_output=True, text=True, timeout=timeout_s)
        assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
        return done.stdout

    def up(self):
        """The instances that HAProxy considers healthy."""
        try:
            with urllib.request.urlopen(self.metrics, timeout=PATIENCE_S) as answer:
                text = answer.read().decode()
        except OSError:
            return None
        return [name for name in NAMES if f'haproxy_server_status{{proxy="posed",server="{name}",state="UP"}} 1' in text]


@pytest.fixture
def podman():
    missing = [program for program in ("podman", "docker-compose") if shutil.which(program) is None]
    if missing:
        pytest.skip(f"{' and '.join(missing)} not installed: make deploy-test installs them")
    if os.geteuid() != 0 or not (CACHE / "conf" / "storage.conf").exists():
        pytest.skip("needs root, and the images of make image-test")
    with tempfile.TemporaryDirectory() as folder, Podman(pathlib.Path(folder)) as running:
        for image in (BUILT, "localhost/debian:bookworm-slim"):
            if running.run("image", "exists", image).returncode != 0:
                pytest.skip(f"there is no image {image}: run make image-test first")
        yield running


@pytest.fixture
def compose(podman, tmp_path):
    make_models(tmp_path, copies=3)
    tmp_path.chmod(0o755)
    made = Compose(podman, tmp_path)
    own, front = f"docker.io/library/posed:{made.project}", f"docker.io/library/posed-haproxy:{made.project}"
    with contextlib.ExitStack() as left:
        left.callback(podman.run, "rmi", own, front)
        assert podman.run("tag", BUILT, own).returncode == 0
        made("build", "haproxy", timeout_s=BUILD_TIME_S)
        left.callback(made, "down", "-v")
        made("up", "-d", "--no-build")
        yield made


def test_the_file_is_complete_and_asks_for_the_models():
    if shutil.which("docker-compose") is None:
        pytest.skip("docker-compose is not installed: make deploy-test installs it")
    environment = {name: value for name, value in os.environ.items() if name != "MODELS"}
    folder = REPOSITORY / "deploy"
    assert subprocess.run(["docker-compose", "config", "-q"], cwd=folder, env={**environment, "MODELS": "/tmp"}).returncode == 0
    lacking = subprocess.run(["docker-compose", "config", "-q"], cwd=folder, env=environment, capture_output=True, text=True)
    assert lacking.returncode != 0 and "set MODELS to the folder of your models" in lacking.stderr


def test_up_a_kill_a_drain_down(compose, podman):
    wait_until(lambda: compose.up() == NAMES, "the instances do not come up")
    front = RunningServer(compose.address)
    models = [model["model"] for model in json.loads(front.get("/v1/models").body)["models"]]
    assert len(models) == 9
    asked = questions(front, models)
    with Load(compose.address, asked, threads=3) as load:
        load.wait_for(len(asked))
        compose("kill", "posed-2")
        wait_until(lambda: compose.up() == ["posed-1", "posed-3", "posed-4"], "HAProxy does not notice")
        load.wait_for(len(asked))
        compose("start", "posed-2")
        compose("stop", "posed-3")
        wait_until(lambda: compose.up() == ["posed-1", "posed-2", "posed-4"], "HAProxy does not notice")
        load.wait_for(len(asked))
    print(f"compose: {load.counts['right']} answers right, {len(load.failures)} failed, slowest {load.slowest_s:.2f} s")
    assert not load.failures, load.failures[:5]
    compose("down", "-v")
    assert compose.project not in podman.run("ps", "-a", "--format", "{{.Names}}").stdout
    assert compose.project not in podman.run("volume", "ls", "--format", "{{.Name}}").stdout
