"""All clients through HAProxy, under load, while one instance is killed, one is stopped, and one is added: no answer is wrong or lost."""
import collections
import json
import pathlib
import shutil
import signal
import subprocess
import sys
import threading

import pytest

from client_balancer import Balancer
from conftest import BUILD, PATIENCE_S, REPOSITORY, SAMPLES, Server, wait_until

sys.path.insert(0, str(REPOSITORY / "clients" / "python"))
import posed  # noqa: E402

TIMES = [i / 16 for i in range(16)]
MODELS = ["robot.glb", "dragon.glb", "octopus.glb"]
MORE = 25  # answers of every load in every phase
STREAM = ("palette", 0)


class Loads:
    """Threads that send requests until they are stopped; the number of answers of each, and all errors."""

    def __init__(self):
        self.answers, self.wrong = collections.Counter(), []
        self.is_over = False
        self.threads = []

    def add(self, name, once):
        """once(i) raises, or returns whether the answer was correct."""
        def run():
            i = 0
            while not self.is_over:
                try:
                    if not once(i):
                        self.wrong.append((name, i, "another answer"))
                except Exception as error:  # any error of a client
                    self.wrong.append((name, i, repr(error)))
                self.answers[name] += 1
                i += 1
        self.answers[name] = 0
        self.threads.append(threading.Thread(target=run, name=name))

    def start(self):
        for thread in self.threads:
            thread.start()

    def wait_for_more(self):
        before = dict(self.answers)
        wait_until(lambda: self.wrong or all(self.answers[name] >= before[name] + MORE for name in before), f"answers: {before}, {self.answers}")
        assert not self.wrong, self.wrong[:5]

    def stop(self):
        self.is_over = True
        for thread in self.threads:
            thread.join(PATIENCE_S)


@pytest.fixture
def root(tmp_path):
    folder = tmp_path / "models"
    folder.mkdir()
    for model in MODELS:
        shutil.copy(SAMPLES / model, folder)
    return folder


@pytest.fixture
def expected(root):
    """{model: {time: the bytes of binary frames}} and {model: {time: palette}}, from a server without a balancer."""
    server = Server(root)
    frames = {model: {t: server.get(f"/v1/palette?model={model}&clip=0&t={t}&format=bin").body for t in TIMES} for model in MODELS}
    server.end()
    return frames


def palette_of(frames):
    return bytes(posed.Frames(frames).array(posed.Frames(frames).find("palette", None), 0).tobytes())


def add_python(loads, name, address, expected, clients):
    client = posed.connect(address)
    clients.append(client)
    palettes = {model: {t: palette_of(frames) for t, frames in times.items()} for model, times in expected.items()}

    def once(i):
        model, t = MODELS[i % len(MODELS)], TIMES[i % len(TIMES)]
        return client.model(model).palette(0, t, skin=0).tobytes() == palettes[model][t]
    loads.add(name, once)
    stream = client.model("robot.glb").stream(*STREAM, rate=60, credit=4)
    clients.append(stream)
    seen = []

    def next_frame(_):
        frame = next(stream)
        is_next = not seen or frame.tick == seen[-1] + 1 + frame.skipped
        seen.append(frame.tick)
        return is_next
    loads.add(name + " stream", next_frame)


def add_c(loads, address, expected, processes):
    probe = subprocess.Popen([BUILD / "test" / "client_probe", address], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    processes.append(probe)

    def ask(line):
        probe.stdin.write(line + "\n")
        probe.stdin.flush()
        return probe.stdout.readline().rstrip("\n")
    assert ask("open dragon.glb").startswith("opened ")

    def once(i):
        t = TIMES[i % len(TIMES)]
        answer = ask(f"palette clip=0 t={t}")
        if answer.split(" ")[-1] != expected["dragon.glb"][t].hex():
            raise AssertionError(answer[:200])
        return True
    loads.add("c", once)


def add_posectl(loads, address, expected, tmp_path):
    program = BUILD / "posectl"
    server = ["--server", address]
    first = {}

    def once(i):
        t = TIMES[i % 4]
        done = subprocess.run([program, "palette", "robot.glb", "--clip", "0", "--t", str(t), "--json", *server], capture_output=True, timeout=PATIENCE_S)
        assert done.returncode == 0, done.stderr
        return first.setdefault(t, done.stdout) == done.stdout and json.loads(done.stdout)["frames"][0]["time"] == t
    loads.add("posectl", once)

    def bench(_):
        done = subprocess.run([program, "bench", "dragon.glb", "--seconds", "0.2", "--connections", "2", "--json", *server], capture_output=True,
                              timeout=PATIENCE_S)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)["answers"] > 0
    loads.add("posectl bench", bench)


def add_javascript(loads, url, expected, tmp_path, processes):
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed")
    ws = REPOSITORY / "tests" / "web" / "node_modules" / "ws" / "wrapper.mjs"
    path = tmp_path / "expected.json"
    path.write_text(json.dumps({model: {str(t): frames.hex() for t, frames in times.items()} for model, times in expected.items()}))
    script = pathlib.Path(__file__).parent / "support" / "load_js.mjs"
    process = subprocess.Popen([node, script, url, path, ws.as_uri() if ws.exists() else ""], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    processes.append(process)
    ways = ["http", "post"] + (["ws", "stream"] if ws.exists() else [])
    for way in ways:
        loads.answers["js " + way] = 0

    def read():
        for line in process.stdout:
            word, way, *why = line.rstrip("\n").split(" ", 2)
            if word != "ok":
                loads.wrong.append(("js " + way, loads.answers["js " + way], *why))
            loads.answers["js " + way] += 1
    loads.threads.append(threading.Thread(target=read, name="js"))
    return "ws" in ways


def test_nothing_is_wrong_and_nothing_is_lost(root, expected, tmp_path):
    servers = [Server(root, "--tcp", "127.0.0.1:0") for _ in range(3)]
    balancer = Balancer(tmp_path, servers, places=4)
    loads, processes, clients = Loads(), [], []
    try:
        for name, address in ("python tcp", balancer.tcp), ("python http", f"http://{balancer.http}"), ("python ws", f"ws://{balancer.http}"):
            add_python(loads, name, address, expected, clients)
        add_c(loads, balancer.tcp, expected, processes)
        add_posectl(loads, balancer.tcp, expected, tmp_path)
        has_websocket = add_javascript(loads, f"http://{balancer.http}", expected, tmp_path, processes)
        loads.start()
        loads.wait_for_more()

        killed, stopped, _ = servers
        killed.ends = (-signal.SIGKILL,)
        killed.signal(signal.SIGKILL)
        loads.wait_for_more()
        wait_until(lambda: balancer.count_up() == 2)

        servers.append(Server(root, "--tcp", "127.0.0.1:0"))
        balancer.add(3, servers[3])
        wait_until(lambda: balancer.count_up() == 3)
        loads.wait_for_more()

        stopped.signal(signal.SIGTERM)
        loads.wait_for_more()
        wait_until(lambda: balancer.count_up() == 2)
        assert stopped.wait() == 0
        loads.wait_for_more()
        assert int(balancer.rows("packets")["s3"]["stot"]) > 0 and int(balancer.rows("web")["s3"]["stot"]) > 0
    finally:
        loads.is_over = True
        for process in processes[1:]:
            process.stdin.close()  # this ends the load of the JavaScript client
        loads.stop()
        for process in processes[:1]:
            process.stdin.close()
        for one in clients:
            one.close()
        for process in processes:
            try:
                process.wait(PATIENCE_S)
            finally:
                process.kill()
                process.stdout.close()
        balancer.close()
        for server in servers:
            server.end()
    assert not loads.wrong
    if not has_websocket:
        pytest.skip("all was right, but the JavaScript client had no WebSocket: make deploy-test installs ws by npm")
