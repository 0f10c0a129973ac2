"""Servers that are killed (SIGKILL) during uploads and deletions, again and again. Afterwards every model is complete, the older one or the
newer one, and nothing else is on the disk."""
import io
import os
import pathlib
import random
import shutil
import threading
import time
import zipfile

from conftest import PATIENCE_S, Server, wait_until
from disk_kills import is_alive, with_fork_servers
from importers import NO_RENDERING
from small_models import TRIANGLE, gltf

VERSIONS = 3
FILES = ("one.gltf", "birds/two.gltf", "birds/far/away/three.gltf")
ZIPS = ("four", "birds/five")  # folders, each with a model and its buffer
BRANCHES, LEVELS = 12, 150     # of a tree to delete


def triangles(version):
    """Enough for several pieces of an upload. Each version has another size."""
    return 3000 + 1000 * version


def parts(name, version):
    """The files of a model, by their paths under the folder of uploads."""
    if name in FILES:
        return {name: gltf(x=version, triangles=triangles(version)).encode()}
    return {f"{name}/m.gltf": gltf(x=version, buffer="data/b.bin", triangles=triangles(version)).encode(),
            f"{name}/data/b.bin": TRIANGLE * triangles(version)}


def packed(name, version):
    """The request: its name and its body."""
    if name in FILES:
        return name, parts(name, version)[name]
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, data in parts(name, version).items():
            archive.writestr(path[len(name) + 1:], data)
    return name + ".zip", out.getvalue()


def model_of(name):
    return "in/" + (name if name in FILES else name + "/m.gltf")


def answers(server, name):
    """The server's answers about a model: its description and all its vertices."""
    said = []
    for operation in ("model", "mesh"):
        answer = server.get(f"/v1/{operation}?model={model_of(name)}")
        assert answer.status == 200, (name, answer.body)
        said.append(answer.body)
    return said


def put(connection, name, version, pause_s=0.0):
    target, body = packed(name, version)
    connection.send(f"PUT /v1/models/{target} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n\r\n")
    connection.send(body[:len(body) // 2])
    time.sleep(pause_s)
    connection.send(body[len(body) // 2:])
    return connection.answer()


def begin(root):
    return Server(root, "--uploads", str(root / "in"), *NO_RENDERING)


def record(root):
    """The answers about each version of each model, from an undisturbed server."""
    server = begin(root)
    try:
        with server.connect() as connection:
            said = {}
            for name in FILES + ZIPS:
                for version in range(VERSIONS):
                    assert put(connection, name, version).status in (200, 201)
                    said[name, version] = answers(server, name)
                assert connection.get(f"/v1/models/{name}", method="DELETE").status == 204
    finally:
        server.end()
    assert os.listdir(root / "in") == []
    return said


class Operation:
    """One request: the models that it changes and their new versions (None: deleted), and its time; `end_s` is None if no answer came."""

    def __init__(self, effects):
        self.effects = effects
        self.start_s, self.end_s = time.monotonic(), None


class Round:
    """The clients during one life of a server."""

    def __init__(self, server, seed):
        self.server, self.operations, self.faults, self.tree_is_deleted = server, [], [], False
        jobs = [(self.work, name) for name in FILES + ZIPS] + [(self.delete_folder, None), (self.delete_tree, None)]
        self.threads = [threading.Thread(target=self.run, args=(job, name, f"{seed}-{i}"))
                        for i, (job, name) in enumerate(jobs)]

    def run(self, job, name, seed):
        try:
            with self.server.connect() as connection:
                job(connection, name, random.Random(seed))
        except (OSError, AttributeError):
            pass  # the kill: a connection ends, an answer is None
        except AssertionError as fault:
            if "the body is cut" not in str(fault) and "HTTP/1.1" not in str(fault):
                self.faults.append(fault)

    def ask(self, effects, request, allowed):
        operation = Operation(effects)
        self.operations.append(operation)
        answer = request()
        assert answer.status in allowed, (effects, answer.status, answer.body)
        operation.end_s = time.monotonic()

    def work(self, connection, name, rng):
        while True:
            if rng.random() < 0.3:
                self.ask({name: None}, lambda: connection.get(f"/v1/models/{name}", method="DELETE"), (204, 404))
            version, pause_s = rng.randrange(VERSIONS), rng.choice((0, 0, 0.01))
            # 404: the folder above was deleted before the new model was described
            self.ask({name: version}, lambda: put(connection, name, version, pause_s), (200, 201, 404))

    def delete_folder(self, connection, _, rng):
        """Deletes several models at once, while others arrive in the same folder."""
        gone = {name: None for name in FILES + ZIPS if name.startswith("birds/")}
        while True:
            time.sleep(rng.uniform(0, 0.1))
            self.ask(gone, lambda: connection.get("/v1/models/birds", method="DELETE"), (204, 404))

    def delete_tree(self, connection, _, rng):
        time.sleep(rng.uniform(0, 0.1))
        self.ask({}, lambda: connection.get("/v1/models/tree", method="DELETE"), (204,))
        self.tree_is_deleted = True

    def kill_after(self, delay_s):
        for thread in self.threads:
            thread.start()
        time.sleep(delay_s)
        workers = with_fork_servers(self.server)
        self.server.process.kill()
        self.server.wait()
        wait_until(lambda: not any(is_alive(pid) for pid in workers), "a worker outlives its server")
        for thread in self.threads:
            thread.join(PATIENCE_S)
        assert not self.faults, (self.faults, self.server.lines())

    def possible(self, name, before):
        """The possible versions of a model afterwards. If an answer was read before another request began, it cannot be the last."""
        operations = [operation for operation in self.operations if name in operation.effects]
        ended = [operation for operation in operations if operation.end_s is not None]
        last = [operation.effects[name] for operation in operations
                if operation.end_s is None or not any(other.start_s > operation.end_s for other in ended)]
        return set(last) | (set() if ended else {before})


def plant_tree(folder):
    """Make a tree that no upload could make, for a deletion to be killed in. Returns its contents."""
    shutil.rmtree(folder, ignore_errors=True)
    for i in range(BRANCHES):
        branch = folder / f"branch{i}"
        branch.mkdir(parents=True)
        (branch / "file.gltf").write_bytes(b"x")
    os.makedirs(folder / "/".join("d" * LEVELS))
    return tree_of(folder)


def tree_of(folder):
    return sorted(os.path.relpath(os.path.join(above, name), folder)
                  for above, folders, names in os.walk(folder) for name in folders + names)


def found_on_disk(folder):
    """The version of each model whose files are all there, byte for byte. Files that belong to no model are a fault."""
    files = {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*")
             if path.is_file() and path.relative_to(folder).parts[0] != "tree"}
    found = {}
    for name in FILES + ZIPS:
        found[name] = None
        for version in range(VERSIONS):
            wanted = parts(name, version)
            if all(files.get(path) == data for path, data in wanted.items()):
                found[name] = version
                for path in (*wanted, f"{name}/.posed-zip"):  # the server's notes about a zip belong to it
                    files.pop(path, None)
                break
    assert not files, f"half of something: {sorted(files)}"
    return found


def check(server, folder, said):
    """Return the version of each model, or None."""
    leftovers = [name for name in os.listdir(folder) if name.startswith(".")]
    assert not leftovers, leftovers
    found = found_on_disk(folder)
    listed = {entry["model"] for entry in server.json("/v1/models")["models"] if not entry["model"].startswith("in/tree/")}
    assert listed == {model_of(name) for name, version in found.items() if version is not None}
    for name, version in found.items():
        if version is not None:
            assert answers(server, name) == said[name, version], (name, version)
    return found


def kill_rounds(root, rounds, seed=1):
    """Kill `rounds` servers on the folder `root`, which is made, and check each time what the next one finds. Returns the number of
    answered requests, the number of requests that were running when a server was killed, and the number of kills that left a stage or a
    partly removed tree for the next start to remove."""
    rng = random.Random(seed)
    folder = pathlib.Path(root) / "in"
    folder.mkdir(parents=True)
    said = record(root)
    counts = {"answered": 0, "cut": 0, "swept": 0}
    server = begin(root)
    try:
        before = check(server, folder, said)
        for number in range(rounds):
            planted = plant_tree(folder / "tree")
            life = Round(server, f"{seed}-{number}")
            life.kill_after(rng.uniform(0.01, 0.3))
            counts["answered"] += sum(operation.end_s is not None for operation in life.operations)
            counts["cut"] += sum(operation.end_s is None for operation in life.operations)
            counts["swept"] += any(name.startswith(".") for name in os.listdir(folder))
            server.end()
            server = begin(root)
            after = check(server, folder, said)
            for name, version in after.items():
                possible = life.possible(name, before[name])
                assert version in possible, (seed, number, name, before[name], version, possible)
            left = tree_of(folder / "tree")
            assert left == [] if life.tree_is_deleted else left in ([], planted), (seed, number, left[:10])
            before = after
    finally:
        server.end()
    return counts
