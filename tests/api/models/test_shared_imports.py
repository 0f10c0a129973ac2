"""Servers that share a --cache-dir: one of them imports a model, and the others read it from there."""
import os
import random
import shutil
import signal
import subprocess
import threading

import pytest

from conftest import SAMPLES, wait_until
from importers import NO_RENDERING, imports, install, install_waiting, pid_in
from small_models import gltf, place

DRAWS = False
MODELS = 64

pytestmark = pytest.mark.short


@pytest.fixture
def root(tmp_path):
    folder = tmp_path / "root"
    folder.mkdir()
    return folder


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "cache"


def begin(start, root, folder, *options):
    return start("--cache-dir", str(folder), *(options or NO_RENDERING), root=root)


def stats(server):
    return server.json("/v1/stats")


def later(server, target):
    """Ask in a thread. The answer is in the list when the thread has ended."""
    answers = []
    thread = threading.Thread(target=lambda: answers.append(server.get(target)))
    thread.start()
    return thread, answers


def ask_all(server, models, seed, connections=8):
    """Ask for every model once, in an order of its own, over several connections at the same time."""
    order = list(models)
    random.Random(seed).shuffle(order)
    statuses, lock = [], threading.Lock()

    def ask():
        while True:
            with lock:
                if not order:
                    return
                model = order.pop()
            status = server.get(f"/v1/model?model={model}").status
            with lock:
                statuses.append(status)
    threads = [threading.Thread(target=ask) for _ in range(connections)]
    for thread in threads:
        thread.start()
    return threads, statuses


def write_copies(root, count):
    """Copies of the samples with different extras, and many small models."""
    if not SAMPLES.is_dir():
        pytest.skip("no sample models")
    sources = [(SAMPLES / name).read_bytes() for name in ("robot.glb", "dragon.glb", "octopus.glb")]
    for i in range(count):
        if i % 8 != 0:
            (root / f"{i}.glb").write_text(gltf(x=i, triangles=1000))
            continue
        content = sources[i // 8 % 3]
        size = int.from_bytes(content[12:16], "little")  # of the JSON, whose last byte is a space or the brace
        text = content[20:20 + size].rstrip()[:-1] + b',"extras":{"copy":%d}}' % i
        text += b" " * (-len(text) % 4)
        binary = content[20 + size:]
        head = b"glTF" + (2).to_bytes(4, "little") + (20 + len(text) + len(binary)).to_bytes(4, "little")
        (root / f"{i}.glb").write_bytes(head + len(text).to_bytes(4, "little") + b"JSON" + text + binary)
    return [f"{i}.glb" for i in range(count)]


@pytest.mark.parametrize("seeds", [(1, 1), (1, 2)], ids=["same order", "other order"])
def test_two_servers_import_each_model_once(start, root, folder, seeds):
    """As many models as may wait to be stored (STORES_MAX in backing.c): of others, a slow disk keeps none."""
    models = write_copies(root, MODELS)
    servers = [begin(start, root, folder) for _ in seeds]
    asked = [ask_all(server, models, seed) for seed, server in zip(seeds, servers)]
    for threads, statuses in asked:
        for thread in threads:
            thread.join()
        assert statuses == [200] * MODELS
    counts = [stats(server) for server in servers]
    assert sum(one["imports"]["started"] for one in counts) == MODELS
    for one in counts:
        assert one["disk"]["hits"] + one["imports"]["started"] == MODELS
        assert one["disk"]["misses"] == one["imports"]["started"] == one["cache"]["misses"]


def test_who_waits_is_answered_from_disk(start, root, folder, tmp_path):
    (root / "a.gltf").write_text(gltf(x=3))
    options, go = install_waiting(tmp_path / "bin")
    first = begin(start, root, folder, *options)
    second = begin(start, root, folder)
    thread, answers = later(first, "/v1/palette?model=a.gltf")
    wait_until(lambda: stats(first)["imports"]["running"] == 1, "no import")
    waiting, got = later(second, "/v1/palette?model=a.gltf")
    wait_until(lambda: stats(second)["disk"]["waited"] == 1, "nothing waits")
    listed = second.json("/v1/models")["models"][0]
    assert listed["state"] == "importing"
    assert stats(second)["imports"] == {**stats(second)["imports"], "running": 0, "waiting": 0, "started": 0}
    go.write_text("")
    thread.join()
    waiting.join()
    assert place(answers[0]) == place(got[0]) == 3
    assert "from=disk" in second.wait_for_line("/v1/palette") and imports(second) == 0


def test_others_are_imported_meanwhile(start, root, folder, tmp_path):
    """An import that waits for another server takes no place among the imports, nor in their queue."""
    for name in ("a", "b", "c"):
        (root / f"{name}.gltf").write_text(gltf())
    options, go = install_waiting(tmp_path / "bin", "*[ab].gltf*")
    first = begin(start, root, folder, *options, "--import-workers", "2")
    second = begin(start, root, folder, *NO_RENDERING, "--import-workers", "1", "--import-queue", "1")
    threads = [later(first, f"/v1/palette?model={name}.gltf")[0] for name in ("a", "b")]
    wait_until(lambda: stats(first)["imports"]["running"] == 2, "no imports")
    threads += [later(second, f"/v1/palette?model={name}.gltf")[0] for name in ("a", "b")]
    wait_until(lambda: stats(second)["disk"]["waited"] == 2, "nothing waits")
    assert second.get("/v1/palette?model=c.gltf").status == 200
    go.write_text("")
    for thread in threads:
        thread.join()
    assert stats(second)["imports"]["started"] == 1


@pytest.mark.parametrize("killed", ["server", "importer"])
def test_a_killed_owner_keeps_nobody_waiting(start, root, folder, tmp_path, killed):
    (root / "a.gltf").write_text(gltf(x=3))
    pids = tmp_path / "pids"
    first = begin(start, root, folder, *install(tmp_path / "bin", f"echo $$ > {pids}; sleep 100 & wait"))
    second = begin(start, root, folder)
    thread, answers = later(first, "/v1/palette?model=a.gltf") if killed == "importer" else (None, None)
    if thread is None:
        def ask():
            try:
                first.get("/v1/palette?model=a.gltf")
            except OSError:
                pass
        thread = threading.Thread(target=ask)
        thread.start()
    importer = pid_in(pids)
    waiting, got = later(second, "/v1/palette?model=a.gltf")
    wait_until(lambda: stats(second)["disk"]["waited"] == 1, "nothing waits")
    os.kill(first.process.pid if killed == "server" else importer, signal.SIGKILL)
    waiting.join()
    thread.join()
    assert place(got[0]) == 3 and imports(second) == 1
    if killed == "importer":
        assert answers[0].status == 503


def test_a_failure_is_everybodys_own(start, root, folder, tmp_path):
    """A failure is not stored: the servers that waited import the model, too."""
    (root / "a.gltf").write_text("{}")
    options, go = install_waiting(tmp_path / "bin")
    first = begin(start, root, folder, *options)
    second = begin(start, root, folder)
    thread, answers = later(first, "/v1/palette?model=a.gltf")
    wait_until(lambda: stats(first)["imports"]["running"] == 1, "no import")
    waiting, got = later(second, "/v1/palette?model=a.gltf")
    wait_until(lambda: stats(second)["disk"]["waited"] == 1, "nothing waits")
    go.write_text("")
    thread.join()
    waiting.join()
    assert answers[0].status == got[0].status == 422 and answers[0].body == got[0].body
    assert imports(first) == imports(second) == 1


def test_patience_has_an_end(start, root, folder, tmp_path):
    """--import-timeout, and the time that storing may take."""
    (root / "a.gltf").write_text(gltf(x=3))
    options, go = install_waiting(tmp_path / "bin")
    first = begin(start, root, folder, *options, "--import-timeout", "60s")
    second = begin(start, root, folder, *NO_RENDERING, "--import-timeout", "100ms")
    thread, _ = later(first, "/v1/palette?model=a.gltf")
    wait_until(lambda: stats(first)["imports"]["running"] == 1, "no import")
    second.get("/v1/palette?model=a.gltf")
    assert imports(second) in (1, 2)  # its own, however far it came in that time, and its second try
    go.write_text("")
    thread.join()


def test_who_leaves_waits_no_longer(start, root, folder, tmp_path):
    (root / "a.gltf").write_text(gltf())
    options, go = install_waiting(tmp_path / "bin")
    first = begin(start, root, folder, *options)
    second = begin(start, root, folder)
    thread, _ = later(first, "/v1/palette?model=a.gltf")
    wait_until(lambda: stats(first)["imports"]["running"] == 1, "no import")
    with second.connect() as client:
        client.send(b"GET /v1/palette?model=a.gltf HTTP/1.1\r\nHost: localhost\r\n\r\n")
        wait_until(lambda: stats(second)["disk"]["waited"] == 1, "nothing waits")
    wait_until(lambda: second.json("/v1/models")["models"][0]["state"] == "new", "it still waits")
    go.write_text("")
    thread.join()
    assert stats(second)["imports"]["started"] == 0


# --- a folder from elsewhere ---

def test_another_machine(start, root, folder):
    """Other memory, another root, other inodes and times: no import."""
    (root / "sub").mkdir()
    for i in range(4):
        (root / f"sub/{i}.gltf").write_text(gltf(x=i))
    server = begin(start, root, folder, *NO_RENDERING, "--max-file", "200m", "--max-model", "900m", "--import-memory", "2g")
    for i in range(4):
        assert place(server.get(f"/v1/palette?model=sub/{i}.gltf")) == i
    wait_until(lambda: stats(server)["disk"]["stored"] == 4, "nothing is stored")
    server.end()
    elsewhere = root.parent / "another" / "place"
    shutil.copytree(root, elsewhere, copy_function=shutil.copyfile)
    shutil.rmtree(root)
    for options in (("--max-file", "20m", "--max-model", "90m", "--import-memory", "200m"), ("--max-file", "256m")):
        server = begin(start, elsewhere, folder, *NO_RENDERING, *options)
        for i in range(4):
            assert place(server.get(f"/v1/palette?model=sub/{i}.gltf")) == i
        assert stats(server)["imports"]["started"] == 0 and stats(server)["disk"]["hits"] == 4
        server.end()
