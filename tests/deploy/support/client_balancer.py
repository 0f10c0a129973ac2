"""HAProxy in front of servers of posed: HTTP by model or route, and packets over TCP to any of them."""
import shutil
import signal
import socket
import subprocess

import pytest
from conftest import PATIENCE_S, wait_until

CONFIG = """
global
    stats socket {folder}/admin.sock mode 600 level admin
    hard-stop-after 5s
defaults
    timeout connect 1s
    timeout client 60s
    timeout server 60s
    timeout tunnel 1h
    timeout queue 5s
    retries 3
    option redispatch 1
    default-server check inter 200ms fall 2 rise 1 on-marked-down shutdown-sessions
frontend web
    mode http
    bind 127.0.0.1:{http}
    http-request set-var(txn.place) url_param(route)
    http-request set-var(txn.place) url_param(model) unless {{ var(txn.place) -m found }}
    http-request set-header X-Place %[var(txn.place)]
    http-request disable-l7-retry if {{ method PUT DELETE }}
    default_backend web
backend web
    mode http
    balance hdr(X-Place)
    hash-type consistent sdbm avalanche
    retry-on conn-failure empty-response
    option httpchk
    http-check send meth GET uri /readyz ver HTTP/1.1 hdr Host localhost
    http-check expect status 200
{web}
listen packets
    mode tcp
    bind 127.0.0.1:{tcp}
    balance roundrobin
{packets}
"""


def free_port():
    """A port that stays reserved, for a program such as HAProxy that binds it with SO_REUSEADDR and SO_REUSEPORT."""
    one = socket.socket()
    one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    one.bind(("127.0.0.1", 0))
    return one


class Balancer:
    """places: how many servers there may be. `servers` exist already, others are added by add()."""

    def __init__(self, folder, servers, places):
        program = shutil.which("haproxy", path="/usr/sbin:/usr/local/sbin:/usr/bin")
        if program is None:
            pytest.skip("haproxy is not installed: make deploy-test installs it")
        self.folder, self.held = folder, [free_port(), free_port()]
        ports = [one.getsockname()[1] for one in self.held]
        self.http, self.tcp = (f"127.0.0.1:{port}" for port in ports)

        def lines(name):
            there = [f"    server s{i} {server.ports[name]}" for i, server in enumerate(servers)]
            return "\n".join(there + [f"    server s{i} 127.0.0.1:1 disabled" for i in range(len(servers), places)])
        config = folder / "haproxy.cfg"
        config.write_text(CONFIG.format(folder=folder, http=ports[0], tcp=ports[1], web=lines("http"), packets=lines("tcp")))
        self.log = open(folder / "haproxy.log", "wb")
        self.process = subprocess.Popen([program, "-db", "-f", config], stdout=self.log, stderr=self.log)
        wait_until(lambda: self.count_up() == len(servers), "HAProxy sees the servers")

    def ask(self, command):
        with socket.socket(socket.AF_UNIX) as admin:
            admin.settimeout(PATIENCE_S)
            admin.connect(str(self.folder / "admin.sock"))
            admin.sendall(command.encode() + b"\n")
            answer = b""
            while data := admin.recv(65536):
                answer += data
        return answer.decode()

    def rows(self, backend):
        """{server: row of `show stat`}, by the names of its columns."""
        head, *rows = self.ask("show stat").lstrip("# ").splitlines()
        names = head.split(",")
        parsed = [dict(zip(names, row.split(","))) for row in rows if row]
        return {row["svname"]: row for row in parsed if row["pxname"] == backend}

    def count_up(self):
        assert self.process.poll() is None, (self.folder / "haproxy.log").read_text()
        if not (self.folder / "admin.sock").exists():
            return 0
        try:
            ups = [sum(row["status"].startswith("UP") and name.startswith("s") for name, row in self.rows(backend).items()) for backend in ("web", "packets")]
        except OSError:
            return 0
        return min(ups)

    def add(self, place, server):
        """Put a server into an empty place."""
        for backend, port in ("web", "http"), ("packets", "tcp"):
            host, number = server.ports[port].rsplit(":", 1)
            self.ask(f"set server {backend}/s{place} addr {host} port {number}")
            self.ask(f"enable health {backend}/s{place}")
            self.ask(f"set server {backend}/s{place} state ready")

    def close(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self.log.close()
        for one in self.held:
            one.close()
