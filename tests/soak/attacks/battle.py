"""A server under attack: the common parts of attackers and honest clients, and the conditions after all have left."""
import collections
import contextlib
import os
import pathlib
import random
import shutil
import signal
import subprocess
import threading
import time

import conftest
import disk_kills
import packets
import render_loads
from server_state import memory_kib, open_files
from small_models import gltf
from upload_requests import put

MEMORY_SLACK_KIB = 64 << 10
FILES_SLACK = 4
WORKERS = 3  # renderers
STAGE = ".posed-upload-"
PATIENCE_S = 40


class Battle:
    """The folders of all servers, one after the other, and the present server."""

    def __init__(self, folder, programs):
        """programs: options of misbehaving importers and renderers."""
        self.folder = pathlib.Path(folder)
        self.root, self.cache, self.uploads = (self.folder / name for name in ("root", "cache", "root/up"))
        self.programs = programs
        self.faults, self.counts = [], collections.Counter()
        self.stop = threading.Event()
        self.server = self.files = None
        self.uploads.mkdir(parents=True)
        for i in range(4):
            (self.root / f"{i}.gltf").write_text(gltf(x=i, triangles=50 * i + 1))
        for sample in sorted(conftest.SAMPLES.glob("*.glb"))[:2]:
            shutil.copy(sample, self.root)
        (self.root / ".env").write_text("SECRET=1")
        (self.root / ".private").mkdir()
        (self.root / ".private" / "s.png").write_bytes(b"SECRET")
        (self.root / "decoy.bin").write_bytes(b"SECRET" * 100)

    # --- the server ---

    def begin(self, loops=1, host="127.0.0.1", files=None, calm=False):
        """files: how many files the system lets the server open."""
        options = ["--http", f"{host}:0", "--tcp", f"{host}:0", "--unix", str(self.folder / "socket"), "--loops", str(loops),
                   "--uploads", str(self.uploads), "--cache-dir", str(self.cache), "--cache-bytes", "16m", "--import-timeout", "5s",
                   "--import-workers", "2", "--failure-ttl", "1ms", "--render-timeout", "2s", "--header-timeout", "10s",
                   "--settle-timeout", "2s", "--log", "off", "--max-upload", "4m", "--client-memory", "300m"]
        options += ["--render-workers", str(WORKERS)] if calm else self.programs
        build, limited = conftest.BUILD, self.folder / "limited"
        limited.mkdir(exist_ok=True)
        program = limited / "posed"
        program.write_text(f'#!/bin/sh\nulimit -n {files or 4096}\nexec "{build.resolve()}/posed" "$@"\n')
        program.chmod(0o755)
        conftest.BUILD = build if calm else limited
        try:
            self.server = conftest.Server(self.root, *options)
        finally:
            conftest.BUILD = build
        self.stop.clear()
        self.files = files
        return self.server

    @property
    def is_tight(self):
        return self.files is not None

    def connect(self, **options):
        return self.server.connect(**{"timeout_s": 60, **options})

    def link(self, rng):
        """A connection of packets, over any transport."""
        return packets.connect(self.server.ports, rng.choice(("tcp", "unix", "ws")), timeout_s=60)

    # --- observations ---

    def fault(self, text):
        if len(self.faults) < 200:
            self.faults.append(text)
            print("FAULT", text, flush=True)

    def expect(self, what, answer, allowed):
        """Checks that the answer has one of these statuses, or codes of errors. None: the server closed."""
        said = [None] if answer is None else [answer.status] + ([answer.error()] if answer.status >= 400 else [])
        self.counts[f"{what}: {said[-1]}"] += 1
        if not set(said) & ({503, 429} | set(allowed)) and not (answer is None and self.is_tight):
            self.fault(f"{what}: {said} {'' if answer is None else answer.body[:300]}")
        return answer is not None and answer.status < 300

    def put(self, what, name, body, allowed):
        answer = put(self.server, name, body, timeout_s=60)
        if answer is not None and answer.status in (200, 201) and not set(allowed) & {200, 201}:
            self.fault(f"{what}: {name} was taken")
        if answer is not None and answer.status >= 400 and STAGE in answer.body.decode(errors="replace"):
            self.fault(f"{what}: a stage is named: {answer.body[:300]}")
        return self.expect(what, answer, allowed)

    def run(self, what, attack, seed):
        """Runs the attack again and again. The server may close its connections; its answers are checked."""
        rng = random.Random(seed)
        while not self.stop.is_set():
            try:
                attack(self, rng)
                self.counts[what] += 1
            except (OSError, EOFError) as problem:
                self.counts[f"{what}: {type(problem).__name__}"] += 1
                time.sleep(0.02)
            except AssertionError as problem:
                if not self.is_tight and not self.stop.is_set():
                    self.fault(f"{what}: {problem!r:.300}")

    def fight(self, attacks, seconds, seed):
        """attacks: {name: function of a battle and a random.Random}."""
        threads = [threading.Thread(target=self.run, args=(name, attack, f"{seed}/{name}")) for name, attack in attacks.items()]
        for thread in threads:
            thread.start()
        time.sleep(seconds)
        self.stop.set()
        for thread in threads:
            thread.join()

    # --- what remains ---

    def level(self):
        return memory_kib(self.server), open_files(self.server), self.threads()

    def threads(self):
        return len(os.listdir(f"/proc/{self.server.process.pid}/task"))

    def settle(self, before, name):
        """When all have left, the server is as before."""
        server = self.server
        if server.process.poll() is not None:
            self.fault(f"{name}: the server ended with {server.process.returncode}: {server.lines()[-5:]}")
            return
        checks = {
            "connections": lambda: server.json("/v1/stats")["connections"]["open"] == 1,
            "workers": lambda: len(disk_kills.children(server)) <= WORKERS and len(render_loads.workers(server)) <= WORKERS,
            "descriptors": lambda: open_files(server) <= before[1] + FILES_SLACK + 40,  # models in memory are files
            "memory": lambda: conftest.is_sanitized() or memory_kib(server) <= before[0] + MEMORY_SLACK_KIB,
            "threads": lambda: self.threads() <= before[2],
        }
        for what, is_so in checks.items():
            self.wait_for(name, what, is_so, lambda: f"{self.level()} after {before}, children {disk_kills.children(server)}")

    def wait_for(self, name, what, is_so, explain=lambda: ""):
        deadline, problem = time.monotonic() + PATIENCE_S, None
        while time.monotonic() < deadline:
            try:
                if is_so():
                    return
            except OSError as error:
                problem = error
            time.sleep(0.05)
        self.fault(f"{name}: {what}: not so; {explain()} {problem or ''}")

    def end(self, name, number=signal.SIGTERM):
        server, children = self.server, disk_kills.children(self.server) if self.server.process.poll() is None else []
        with contextlib.suppress(ProcessLookupError):
            server.signal(number)
        try:
            status = server.wait(60)
            if number == signal.SIGTERM and status != 0:
                self.fault(f"{name}: SIGTERM ended it with {status}: {server.lines()[-3:]}")
        except subprocess.TimeoutExpired:
            self.fault(f"{name}: SIGTERM does not end it: {server.lines()[-3:]}")
            server.process.kill()
        self.wait_for(name, "no worker outlives its server", lambda: not any(disk_kills.is_alive(pid) for pid in children))
        server.end()
        if number == signal.SIGTERM:
            self.look_at_disk(name)

    def look_at_disk(self, name):
        left = [path for path in self.root.rglob("*") if path.name.startswith(STAGE)] + disk_kills.temporary(self.cache)
        if left or (self.folder / "socket").exists():
            self.fault(f"{name}: left on the disk: {left[:5]} {os.listdir(self.folder)}")
