"""HAProxy, nginx and Varnish with the files of deploy/proxies, in front of the servers of a farm."""
import os
import pathlib
import shutil
import signal
import subprocess

import pytest
from conftest import PATIENCE_S, REPOSITORY, Connection, wait_until
from farm import Port

PROXIES = REPOSITORY / "deploy" / "proxies"


def program(name, package):
    """The path of a program. Skips the test if it is missing."""
    found = shutil.which(name, path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")
    if found is None:
        pytest.skip(f"{name} is not installed: apt-get install {package}, or make deploy-test")
    return found


class Front:
    """A program that clients ask instead of an instance, at `address`."""

    def __init__(self, farm, folder):
        self.farm, self.folder = farm, pathlib.Path(folder)
        self.http = Port()
        self.address = self.http.address
        self.log = (self.folder / "front.log").open("w+b")
        self.process = None

    def __enter__(self):
        try:
            self.begin()
            wait_until(self.is_ready, "the proxy does not answer")
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        if self.process and self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(PATIENCE_S)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self.log.close()
        self.http.close()

    def run(self, command, env=None):
        self.process = subprocess.Popen(command, stdout=self.log, stderr=self.log, env={**os.environ, **(env or {})})

    def said(self):
        return (self.folder / "front.log").read_text(errors="replace")

    def is_ready(self):
        assert self.process.poll() is None, self.said()
        try:
            with Connection(self.address) as one:
                answer = one.get("/readyz")
                return answer is not None and answer.status == 200
        except OSError:
            return False

    def add(self, slot):
        """Tell the proxy about an instance that has just started."""


class HAProxy(Front):
    name = "haproxy"

    def __init__(self, farm, folder):
        super().__init__(farm, folder)
        self.packets, self.metrics = Port(), Port()

    def begin(self):
        env = {"POSED_FRONT_HTTP": self.address, "POSED_FRONT_PACKETS": self.packets.address, "POSED_FRONT_METRICS": self.metrics.address}
        if os.geteuid() != 0:
            env["POSED_FRONT_USER"] = "none"
        for i, slot in enumerate(self.farm.slots):
            env[f"POSED_{i + 1}"] = slot.http.address
            env[f"POSED_{i + 1}_PACKETS"] = slot.packets.address
        self.run([program("haproxy", "haproxy"), "-W", "-db", "-f", PROXIES / "haproxy.cfg"], env)

    def __exit__(self, *_):
        super().__exit__()
        self.packets.close()
        self.metrics.close()

    def samples(self):
        """Its metrics: {'name{labels}': value}."""
        with Connection(self.metrics.address) as one:
            text = one.get("/metrics").body.decode()
        return {key: float(value) for key, value in (line.rsplit(" ", 1) for line in text.splitlines() if line and line[0] != "#")}


class Nginx(Front):
    name = "nginx"
    cache = "off"

    def servers(self, slots):
        lines = "".join(f"server {slot.http.address} max_fails=1 fail_timeout=2s;\n" for slot in slots)
        (self.folder / "posed-servers.conf").write_text(lines)

    def begin(self):
        text = (PROXIES / "nginx.conf").read_text()
        for name, value in (("POSED_LISTEN", self.address), ("POSED_CACHE_FOLDER", str(self.folder / "cache")), ("POSED_CACHE", self.cache)):
            text = text.replace("${" + name + "}", value)
        assert "${" not in text
        (self.folder / "posed.conf").write_text(text)
        temporary = "".join(f"{name}_temp_path {self.folder}/{name};\n" for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        (self.folder / "nginx.conf").write_text(
            f"daemon off; pid {self.folder}/pid; error_log stderr warn; worker_processes 1; worker_rlimit_nofile 4096;\n"
            f"{'user root;' if os.geteuid() == 0 else ''} events {{ worker_connections 1024; }}\n"
            f"http {{ access_log off; {temporary} include posed.conf; }}\n")
        self.servers(self.farm.up())
        self.run([program("nginx", "nginx-light"), "-p", self.folder, "-c", self.folder / "nginx.conf"])

    def add(self, slot):
        self.servers([*self.farm.up(), slot] if slot not in self.farm.up() else self.farm.slots)
        before = self.workers()
        self.process.send_signal(signal.SIGHUP)
        wait_until(lambda: self.workers() - before, "nginx does not reload")

    def workers(self):
        return set(pathlib.Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split())


class CachingNginx(Nginx):
    name = "nginx with a cache"
    cache = "posed"


class Varnish(Front):
    name = "varnish"

    def backends(self, slots):
        made = subprocess.run(["sh", PROXIES / "varnish-backends.sh", *(slot.http.address for slot in slots)], capture_output=True, text=True, check=True)
        (self.folder / "posed-backends.vcl").write_text(made.stdout)

    def begin(self):
        self.backends(self.farm.up())
        self.run([program("varnishd", "varnish"), "-F", "-j", "none", "-n", self.folder / "work", "-a", self.address, "-f", PROXIES / "varnish.vcl", "-s", "malloc,64m",
                  "-p", f"vcl_path={self.folder}", "-p", "http_gzip_support=off", "-p", "backend_idle_timeout=30"])

    def add(self, slot):
        self.backends(self.farm.slots)
        for command in (["vcl.load", "added", str(PROXIES / "varnish.vcl")], ["vcl.use", "added"]):
            subprocess.run([program("varnishadm", "varnish"), "-n", self.folder / "work", *command], check=True, capture_output=True, timeout=PATIENCE_S)
