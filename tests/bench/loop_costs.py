#!/usr/bin/env python3
"""The cost of an answer for the daemon with one event loop and with several: make bench t=loop_costs.

    loop_costs.py [--loops 1,2,4] [--connections 16]

It counts events and measures no time: a real server runs under valgrind's callgrind, and 16 connections take turns with one request at a
time. After each loop has learned the model, the counters are reset: instructions; bus-locked operations (atomic read-modify-writes,
including those inside mutexes); calls that lock a mutex; allocations; messages between loops. An answer made by the loop of its
connection costs the same with any number of loops. Only the answers that the first loop makes for the others cost more.
"""
import argparse
import collections
import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "api"))
import conftest  # noqa: E402

STAND_IN = pathlib.Path(__file__).with_name("programs") / "openat2_stand_in.c"
REQUESTS = 320
BATCH = json.dumps({"queries": [{"op": "palette", "model": "robot.glb", "clip": "walk", "t": i / 10} for i in range(8)]}).encode()
COUNTED = {"mutexes": r"pthread_mutex_lock$|^__lll_lock", "allocations": r"^(malloc|calloc|realloc)$", "messages": r"^message_queue_post$"}
COLUMNS = ("instructions", "bus-locked", *COUNTED)


def http(target, body=None):
    head = f"{'POST' if body else 'GET'} {target} HTTP/1.1\r\nHost: localhost\r\n"
    return f"{head}Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body if body else f"{head}\r\n".encode()


# The requests by name: the request of a number. Times differ, so that no answer repeats an earlier one.
QUESTIONS = {
    "palette, binary": lambda i: http(f"/v1/palette?model=robot.glb&clip=walk&t={i * 0.0007:.4f}&format=bin"),
    "one joint, JSON": lambda i: http(f"/v1/pose?model=robot.glb&clip=walk&t={i * 0.0007:.4f}&joints=hand_right"),
    "palette, 120 times": lambda i: http(f"/v1/palette?model=robot.glb&clip=walk&t={i * 0.0007:.4f}:1:120&format=bin"),
    "a model's description": lambda i: http("/v1/model?model=robot.glb"),
    "batch of 8 palettes": lambda i: http("/v1/query", BATCH),
    "the list of models": lambda i: http("/v1/models"),
    "health": lambda i: http("/healthz"),
}


class Client:
    """A connection that sends one request at a time."""

    def __init__(self, address):
        host, port = address.rsplit(":", 1)
        self.socket = socket.create_connection((host, int(port)))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def ask(self, request):
        self.socket.sendall(request)
        data = b""
        while b"\r\n\r\n" not in data:
            data += self.receive()
        head, _, body = data.partition(b"\r\n\r\n")
        size = int(re.search(rb"(?i)\r\ncontent-length: *(\d+)", head)[1])
        while len(body) < size:
            body += self.receive()
        if b" 200 " not in head.split(b"\r\n")[0] + b" ":
            raise SystemExit(f"loop_costs: {head.decode()}\n{body.decode(errors='replace')}")

    def receive(self):
        data = self.socket.recv(1 << 18)
        if not data:
            raise SystemExit("loop_costs: the server closed the connection")
        return data


def counts(path):
    """callgrind's counts: {"instructions", "bus-locked", name of a function: calls}."""
    names, calls, called = {}, collections.Counter(), None
    for line in path.read_text(errors="replace").splitlines():
        name = re.match(r"(c?)fn=\((\d+)\)(?: (.*))?", line)
        if name:
            if name[3]:
                names[name[2]] = re.split(r"['@]", name[3])[0]
            called = name[2] if name[1] else called
        elif line.startswith("calls="):
            calls[names[called]] += int(line[6:].split()[0])
        elif line.startswith("events:"):
            events = line.split()[1:]
        elif line.startswith("totals:"):
            totals = dict(zip(events, map(int, line.split()[1:])))
    found = {word: sum(count for name, count in calls.items() if re.search(pattern, name)) for word, pattern in COUNTED.items()}
    return {"instructions": totals["Ir"], "bus-locked": totals.get("Ge", 0), **found}


def control(server, what):
    """Runs callgrind_control for the server: --zero or --dump."""
    subprocess.run(["callgrind_control", what, str(server.process.pid)], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def run(folder, library, loops, connections, question):
    """The cost of each of REQUESTS answers."""
    out = folder / f"callgrind.{loops}"
    tool = ["valgrind", "--tool=callgrind", "--quiet", "--collect-bus=yes", "--fair-sched=yes", f"--callgrind-out-file={out}"]
    server = conftest.Server(conftest.SAMPLES, "--log", "off", "--render-workers", "0", "--loops", str(loops),
                             env={"LD_PRELOAD": str(library)}, by=tool)
    try:
        clients = [Client(server.address) for _ in range(connections)]
        for i in range(2 * connections):
            clients[i % connections].ask(question(i))
        control(server, "--zero")
        for i in range(REQUESTS):
            clients[i % connections].ask(question(2 * connections + i))
        control(server, "--dump")
        for client in clients:
            client.socket.close()
    finally:
        server.end()
    found = counts(folder / f"{out.name}.1")
    (folder / f"{out.name}.1").unlink()
    return {word: count / REQUESTS for word, count in found.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--loops", default="1,2,4")
    parser.add_argument("--connections", type=int, default=16)
    options = parser.parse_args()
    if not shutil.which("valgrind") or os.uname().machine != "x86_64":
        raise SystemExit("loop_costs: this needs valgrind, on x86-64")
    print("| per answer | loops | " + " | ".join(COLUMNS) + " |\n|---|---|" + "---|" * len(COLUMNS))
    with tempfile.TemporaryDirectory(prefix="posed-bench-") as name:
        folder = pathlib.Path(name)
        library = folder / "openat2.so"
        subprocess.run(["cc", "-O1", "-shared", "-fPIC", "-o", library, STAND_IN], check=True)
        for words, question in QUESTIONS.items():
            for loops in map(int, options.loops.split(",")):
                each = run(folder, library, loops, options.connections, question)
                print(f"| {words} | {loops} | " + " | ".join(f"{each[word]:.{0 if word == 'instructions' else 1}f}" for word in COLUMNS) + " |", flush=True)


if __name__ == "__main__":
    main()
