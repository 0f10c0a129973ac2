"""Whatever the importer does, its model gets an error that says so, and the server goes on as if nothing had happened."""
import contextlib
import os
import re
import signal
import sys

import pytest

import packets
from conftest import PATIENCE_S, is_sanitized, wait_until
from disk_kills import children, end_fork_servers, fork_servers, is_alive
from importers import NO_RENDERING, imports, install, install_waiting
from server_state import memory_files, memory_kib, open_files
from small_models import gltf

pytestmark = pytest.mark.short


@pytest.fixture
def root(tmp_path):
    folder = tmp_path / "root"
    folder.mkdir()
    (folder / "a.gltf").write_text(gltf())
    return folder


# Valid requests, one after the other, for more files than a model may have.
ASK_FOREVER = """
import socket, struct
files = socket.socket(fileno=3)
for i in range(5000):
    files.send(struct.pack("<II4096s16s", 0x4c494650, 1, b"none%d" % i, b""))
    files.recv(100)
"""

# A failure with the number in its first argument.
REFUSE = """
import os, struct, sys

DRAWS = False
os.write(4, struct.pack("<8sII480s", b"posedno\\n", int(sys.argv[1]), 0, b"because"))
sys.exit(1)
"""

FAULTS = {
    "segfault": ("kill -SEGV $$", 422, "import_crashed", "signal 11"),
    "bus error": ("kill -BUS $$", 422, "import_crashed", "signal 7"),
    "assertion": ("echo 'warning' >&2; echo \"tree.cpp:7: walk(): Assertion 'depth < 9' failed.\" >&2; kill -ABRT $$",
                  422, "import_aborted", "the importer stopped at a check of its own"),
    "bad_alloc": ("echo \"terminate called after throwing an instance of 'std::bad_alloc'\" >&2; kill -ABRT $$",
                  422, "import_memory", "memory"),
    "processor time": ("kill -XCPU $$", 422, "import_cpu", "processor time"),
    "file size": ("kill -XFSZ $$", 422, "import_too_large", "larger"),
    "no result": ("exit 0", 422, "bad_bake", "empty"),
    "noise": ("head -c 100000 /dev/urandom >&4; exit 0", 422, "bad_bake", "a.gltf"),
    "noise as a refusal": ("head -c 100000 /dev/urandom >&4; exit 1", 422, "import_crashed", "status 1"),
    "strange status": ("exit 99", 422, "import_crashed", "status 99"),
    "cut result": ("{real}; truncate -s 200 /proc/self/fd/4; exit 0", 422, "bad_bake", "a.gltf"),
    "result for another version": ("{real}; printf '\\377' | dd of=/proc/self/fd/4 bs=1 seek=8 conv=notrunc 2>/dev/null",
                                   422, "bad_bake", "a.gltf"),
    "wrong arguments": ("echo 'posed-import: unknown option' >&2; exit 2", 422, "import_crashed", "unknown option"),
    "a command that is not there": ("exec /none/such", 422, "import_crashed", "status 127"),
    "a seal against seals": (f"{{real}}; exec {sys.executable} -c 'import fcntl; fcntl.fcntl(4, 1033, 1)'", 422, "bad_bake", "sealed"),
    "a number that is no reason": (f"exec {sys.executable} -c '{REFUSE}' 53", 422, "import_crashed", "the importer failed: because"),
    "a number of nothing": (f"exec {sys.executable} -c '{REFUSE}' 4000000000", 422, "import_crashed", "the importer failed: because"),
    "its own memory": (f"exec {sys.executable} -c '{REFUSE}' 55", 422, "import_memory", "because"),
    "noise to who opens files": ("printf nonsense >&3; sleep 30", 422, "import_crashed", "no request"),
    "no end of questions": (f"exec {sys.executable} -c '{ASK_FOREVER}'", 422, "import_crashed", "no request"),
    "much to say": ("head -c 5000000 /dev/zero | tr '\\0' x >&2; kill -SEGV $$", 422, "import_crashed", "signal 11"),
    "no program": ("", 500, "internal", "posed-import"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_fault(start, root, tmp_path, fault):
    script, status, code, word = FAULTS[fault]
    options = install(tmp_path / "bin", script)
    server = start(*options, root=root)
    files = open_files(server)
    if fault == "no program":
        (tmp_path / "bin" / "posed-import").unlink()
        end_fork_servers(server)
    with server.connect() as connection:
        answer = connection.get("/v1/palette?model=a.gltf")
        assert (answer.status, answer.error()) == (status, code)
        message = answer.json()["error"]["message"]
        assert "a.gltf" in message and word in message
        # the same connection, and the model's error in the listing
        entry = connection.get("/v1/models").json()["models"][0]
        assert (entry["state"], entry["error"]["code"]) == ("failed", code)
        assert connection.get("/healthz").status == 200
    server.wait_for_line(f"error={code}")
    wait_until(lambda: open_files(server) <= files + 1 and children(server) == [], "something of the importer is left")


def test_an_importer_that_always_wants_libraries_is_started_twice(start, root, tmp_path):
    server = start(*install(tmp_path / "bin", f'echo "$$" >> "{tmp_path}/runs"; exit 3'), root=root)
    answer = server.get("/v1/palette?model=a.gltf")
    assert (answer.status, answer.error()) == (422, "import_crashed") and "status 3" in answer.json()["error"]["message"]
    assert len((tmp_path / "runs").read_text().split()) == 2 and imports(server) == 1


@pytest.mark.parametrize("name, remedy", [("a.blend", "export it from Blender as glTF (.glb)"), ("a.OGEX", "export it as glTF"), ("a.gltf", None)])
@pytest.mark.parametrize("script", ["kill -SEGV $$", "echo 'free(): invalid pointer' >&2; kill -ABRT $$", "echo 'ai_assert failure' >&2; kill -ABRT $$"])
def test_file_that_ends_its_reader_has_a_remedy(start, root, tmp_path, name, remedy, script):
    (root / name).write_bytes(b"BLENDER-v279")
    server = start(*install(tmp_path / "bin", script), root=root)
    message = server.get(f"/v1/model?model={name}").json()["error"]["message"]
    assert message.endswith(remedy) if remedy else "export" not in message


def test_fork_server_that_ends_is_replaced(start, root):
    """Between two imports, and during a request for one: clients do not notice."""
    server = start(*NO_RENDERING, root=root)
    first, = fork_servers(server)
    assert server.get("/v1/palette?model=a.gltf").status == 200
    end_fork_servers(server)
    (root / "b.gltf").write_text(gltf(x=2))
    assert server.get("/v1/palette?model=b.gltf").status == 200
    second, = fork_servers(server)
    assert second != first
    assert server.wait_for_line("the process that makes importers ended").endswith(
        "(signal 9, Killed, perhaps because memory ran out) and is replaced; it was asked for 1 importer")
    assert " warn " in server.wait_for_line("the process that makes importers ended")
    started = server.json("/v1/stats")["imports"]["started"]
    os.kill(int(second), signal.SIGSTOP)
    (root / "c.gltf").write_text(gltf(x=3))
    with server.connect() as connection:
        connection.send("GET /v1/palette?model=c.gltf HTTP/1.1\r\nHost: localhost\r\n\r\n")
        # its state is "importing" a moment before the stopped process receives the request
        wait_until(lambda: server.json("/v1/stats")["imports"]["started"] == started + 1)
        with contextlib.suppress(ProcessLookupError):  # the server may have been first
            os.kill(int(second), signal.SIGKILL)
        assert connection.answer().status == 200
    assert imports(server, "c.gltf") == 2  # one that never began, and its second try


def test_fork_server_that_is_stopped_is_replaced(start, root):
    """For no reason, during the imports of several requests, and more requests arrive meanwhile."""
    for name in "bc":
        (root / f"{name}.gltf").write_text(gltf(x=2))
    server = start(*NO_RENDERING, "--import-workers", "2", root=root)
    stopped, = fork_servers(server)
    os.kill(int(stopped), signal.SIGSTOP)
    with server.connect() as connection:
        connection.send("".join(f"GET /v1/palette?model={name}.gltf HTTP/1.1\r\nHost: localhost\r\n\r\n" for name in "abc"))
        assert [connection.answer().status for _ in range(3)] == [200] * 3
    line = server.wait_for_line("the process that makes importers was stopped and is replaced")
    assert re.search("; it was asked for [12] importers?$", line), line  # it has written nothing, so this is the whole message
    wait_until(lambda: not is_alive(stopped), "it lives on")
    assert len(fork_servers(server)) == 1
    assert server.json("/v1/stats")["imports"]["failed"] == {}


def test_fork_servers_that_always_stop(start, root, tmp_path):
    """Two tries, then an answer that says what helps."""
    folder = tmp_path / "bin"
    options = install(folder, "exec {real}")
    program = folder / "posed-import"
    stop = 'import os, signal\nif "--fork-server" in sys.argv: os.kill(os.getpid(), signal.SIGSTOP)\n'
    program.write_text(program.read_text().replace("import import_stand_in\n", stop + "import import_stand_in\n"))
    server = start(*options, root=root)
    answer = server.get("/v1/palette?model=a.gltf")
    assert (answer.status, answer.error()) == (503, "overloaded") and int(answer.headers["retry-after"]) > 0
    assert "the process that makes importers ended" in answer.json()["error"]["message"]


def test_fork_servers_that_babble(start, root, tmp_path):
    """The server ends them. The message names the reason, not the signal that the server sent."""
    folder = tmp_path / "bin"
    options = install(folder, "exec {real}")
    program = folder / "posed-import"
    babble = 'import os, signal\nif "--fork-server" in sys.argv: os.write(2, b"never mind\\n"); os.write(3, b"babble"); signal.pause()\n'
    program.write_text(program.read_text().replace("import import_stand_in\n", babble + "import import_stand_in\n"))
    server = start(*options, root=root)
    assert server.get("/v1/palette?model=a.gltf").error() == "overloaded"
    line = server.wait_for_line("the process that makes importers sent something that is no answer and is replaced")
    assert re.search("; it was asked for [01] importers?: never mind$", line), line


def test_importers_outlive_their_fork_server(start, root, tmp_path):
    options, go = install_waiting(tmp_path / "bin")
    server = start(*options, root=root)
    with server.connect() as connection:
        connection.send("GET /v1/palette?model=a.gltf HTTP/1.1\r\nHost: localhost\r\n\r\n")
        wait_until(lambda: children(server), "no import")
        end_fork_servers(server)
        go.touch()
        assert connection.answer().status == 200


def test_a_crash_has_the_next_importer_from_another_fork_server(start, root, tmp_path):
    """All children of a fork server have the same addresses. A file that learns them by crashing one importer cannot use them in the next.
    """
    server = start(*install(tmp_path / "bin", 'case "$*" in *crash*) kill -SEGV $$;; esac; exec {real}'), root=root)
    (root / "crash.gltf").write_text(gltf())
    first, = fork_servers(server)
    assert server.get("/v1/palette?model=a.gltf").status == 200
    assert fork_servers(server) == [first]
    assert server.get("/v1/palette?model=crash.gltf").error() == "import_crashed"
    wait_until(lambda: len(fork_servers(server)) == 1 and fork_servers(server) != [first], "it is the same")


def killed(tmp_path, *signals):
    """The script of an importer that ends by one of these signals in each import of a file of the same name, and then works."""
    cases = " ".join(f"{i}) kill -{int(number)} $$;;" for i, number in enumerate(signals))
    return (f'for last; do :; done; name="{tmp_path}/$(basename "$last").times"; times=$(cat "$name" 2>/dev/null || echo 0)\n'
            f'echo $((times + 1)) > "$name"; case $times in {cases} esac; exec {{real}}')


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT])
def test_a_kill_from_outside_says_nothing_about_the_model(start, root, tmp_path, number):
    server = start(*install(tmp_path / "bin", killed(tmp_path, number)), "--failure-ttl", "60m", root=root)
    with server.connect() as connection:
        answer = connection.get("/v1/palette?model=a.gltf")
        assert (answer.status, answer.error()) == (503, "import_killed"), answer.body
        assert int(answer.headers["retry-after"]) > 0 and f"signal {int(number)}" in answer.json()["error"]["message"]
        assert connection.get("/v1/models").json()["models"][0]["state"] == "new"
        # nothing is remembered: a client that retries as told gets its answer
        assert connection.get("/v1/palette?model=a.gltf").status == 200
    assert server.json("/v1/stats")["imports"]["failed"] == {"import_killed": 1}


@pytest.mark.parametrize("number, code", [(signal.SIGKILL, "import_memory"), (signal.SIGTERM, "import_crashed")])
def test_two_kills_in_a_row_are_the_models(start, root, tmp_path, number, code):
    (root / "copy.gltf").write_bytes((root / "a.gltf").read_bytes())
    (root / "other.gltf").write_text(gltf() + "\n")
    script = killed(tmp_path, number, number)
    server = start(*install(tmp_path / "bin", script), "--failure-ttl", "60m", root=root)
    assert server.get("/v1/palette?model=a.gltf").error() == "import_killed"
    assert server.get("/v1/palette?model=other.gltf").error() == "import_killed"  # other bytes
    answer = server.get("/v1/palette?model=copy.gltf")  # the same bytes
    assert (answer.status, answer.error()) == (422, code) and "twice in a row" in answer.json()["error"]["message"]
    assert "retry-after" not in answer.headers
    # this is remembered: the next import would work
    assert server.get("/v1/palette?model=copy.gltf").error() == code
    assert imports(server, "copy.gltf") == 1
    assert server.get("/v1/palette?model=a.gltf").error() == code
    assert server.get("/v1/palette?model=other.gltf").error() == code


def test_an_import_between_two_kills(start, root, tmp_path):
    """The two kills are not consecutive."""
    server = start(*install(tmp_path / "bin", killed(tmp_path, 9)), root=root)
    assert server.get("/v1/palette?model=a.gltf").error() == "import_killed"
    assert server.get("/v1/palette?model=a.gltf").status == 200
    (root / "copy.gltf").write_bytes((root / "a.gltf").read_bytes())
    assert server.get("/v1/palette?model=copy.gltf").error() == "import_killed"
    assert server.get("/v1/palette?model=copy.gltf").status == 200


def test_many_kills_are_forgotten_in_time(start, root, tmp_path):
    """The memory is bounded: kills of long ago are forgotten."""
    for i in range(70):
        (root / f"{i}.gltf").write_text(gltf() + " " * i)
    server = start(*install(tmp_path / "bin", "kill -KILL $$"), root=root)
    (root / "a.gltf").unlink()
    with server.connect() as connection:
        for i in range(70):
            assert connection.get(f"/v1/palette?model={i}.gltf").error() == "import_killed"
        assert connection.get("/v1/palette?model=69.gltf").error() == "import_memory"
        assert connection.get("/v1/palette?model=0.gltf").error() == "import_killed"


def test_a_kill_by_a_person(start, root, tmp_path):
    """By a signal that really comes from outside, over packets as well: the same code, and when to try again."""
    options, go = install_waiting(tmp_path / "bin")
    server = start(*options, "--tcp", "127.0.0.1:0", root=root)
    with packets.Link(server.ports["tcp"]) as link, server.connect() as connection:
        link.send(packets.packet("open", b"a.gltf", id=1))
        wait_until(lambda: children(server), "no import")
        connection.send("GET /v1/palette?model=a.gltf HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert server.get("/healthz").status == 200
        os.kill(int(children(server)[0]), signal.SIGKILL)
        told = link.read()
        assert told.error()[0] == 62 and told.view()["retry_after_s"] > 0
        go.touch()
        # it arrived while the import was running: it gets the result of that import, or of another one
        assert connection.answer().status in (200, 503)
        assert server.get("/v1/palette?model=a.gltf").status == 200


def test_no_end_of_an_importer_is_the_servers_fault(start, root, tmp_path):
    """Every exit status, and every signal, while the model's file is valid."""
    (root / "a.gltf").unlink()
    signals = [n for n in range(1, 65) if n not in (17, 18, 19, 20, 21, 22, 23, 28, 32, 33)]  # these end no process, or cannot be sent
    script = ('for last; do :; done; name=$(basename "$last" .gltf)\n'
              'case $name in s*) exit "${name#s}";; *) kill -"${name#k}" $$; exit 0;; esac')
    names = [f"s{n}" for n in range(256)] + [f"k{n}" for n in signals]
    for i, name in enumerate(names):
        (root / f"{name}.gltf").write_text(gltf() + " " * i)
    server = start(*install(tmp_path / "bin", script), "--import-workers", "2", root=root)
    with server.connect() as connection:
        for at in range(0, len(names), 64):
            some = names[at:at + 64]
            connection.send("".join(f"GET /v1/palette?model={name}.gltf HTTP/1.1\r\nHost: localhost\r\n\r\n" for name in some))
            for name in some:
                answer = connection.answer()
                assert answer.status == (503 if name in ("k1", "k2", "k3", "k9", "k15") else 422), (name, answer.body)
                assert name in answer.json()["error"]["message"]
    assert "requests" in server.json("/v1/stats") and server.json("/v1/stats")["imports"]["failed"].get("internal", 0) == 0


def test_timeout_ends_the_whole_group(start, root, tmp_path):
    pids = tmp_path / "pids"
    script = f"sleep 100 & echo $! $$ >> {pids}; wait"
    server = start(*install(tmp_path / "bin", script), "--import-timeout", "2500ms", root=root)
    answer = server.get("/v1/palette?model=a.gltf")
    assert (answer.status, answer.error()) == (503, "import_timeout") and int(answer.headers["retry-after"]) > 0
    message = answer.json()["error"]["message"]
    assert "2500 ms, twice" in message and "a.gltf" in message and "see --import-timeout 2500" in message
    ended = pids.read_text().split()
    assert len(ended) == 4  # of two tries
    for pid in map(int, ended):
        wait_until(lambda: not is_alive(pid), f"process {pid} lives on")
    assert server.json("/v1/models")["models"][0]["state"] == "new"  # nothing is remembered
    assert server.json("/v1/stats")["imports"]["failed"] == {"import_timeout": 1}
    assert server.get("/healthz").status == 200


def test_an_importer_that_hangs_once_costs_nobody_an_answer(start, root, tmp_path):
    hung = tmp_path / "hung"
    script = f'[ -e "{hung}" ] || {{ : > "{hung}"; kill -STOP $$; }}; exec {{real}}'
    server = start(*install(tmp_path / "bin", script), "--import-timeout", "5s", root=root)
    assert server.get("/v1/palette?model=a.gltf").status == 200
    assert imports(server, "a.gltf") == 2 and server.json("/v1/stats")["imports"]["failed"] == {}


def test_child_that_stays_behind_is_not_waited_for(start, root, tmp_path):
    child = tmp_path / "child"
    server = start(*install(tmp_path / "bin", f"sleep {3 * PATIENCE_S} & echo $! > {child}; exec {{real}}"), root=root)
    assert server.get("/v1/palette?model=a.gltf").status == 200
    pid = int(child.read_text())
    assert is_alive(pid)
    os.kill(pid, signal.SIGKILL)


def test_real_memory_limit(start, root):
    """A small file that asks for a lot of memory."""
    (root / "greedy.off").write_text("OFF\n200000000 200000000 0\n0 0 0\n")
    if is_sanitized():
        pytest.skip("AddressSanitizer cannot work under a limit on address space")
    server = start("--import-memory", "300m", *NO_RENDERING, root=root)
    answer = server.get("/v1/model?model=greedy.off")
    assert (answer.status, answer.error()) == (422, "import_memory"), answer.body
    assert "greedy.off" in answer.json()["error"]["message"]
    assert server.get("/v1/model?model=a.gltf").status == 200


def test_real_processor_limit(start, root, tmp_path):
    script = "ulimit -S -t 1; while :; do :; done"
    server = start(*install(tmp_path / "bin", script), "--import-cpu", "1s", root=root)
    answer = server.get("/v1/model?model=a.gltf")
    assert (answer.status, answer.error()) == (422, "import_cpu")
    assert "limit of 1 s; see --import-cpu 1" in answer.json()["error"]["message"]


def test_full_queue(start, root, tmp_path):
    for name in "bcd":
        (root / f"{name}.gltf").write_text(gltf())
    options, go = install_waiting(tmp_path / "bin")
    server = start(*options, "--import-workers", "1", "--import-queue", "1", root=root)
    waiting = []
    for name in "ab":
        waiting.append(server.connect())
        waiting[-1].send(f"GET /v1/palette?model={name}.gltf HTTP/1.1\r\nHost: localhost\r\n\r\n")
        wait_until(lambda: server.get(f"/v1/models?prefix={name}").json()["models"][0]["state"] == "importing")
    refused = server.get("/v1/palette?model=c.gltf")
    assert (refused.status, refused.error()) == (503, "overloaded") and "retry-after" in refused.headers
    # waiting for an import that has already been requested takes no place
    waiting.append(server.connect())
    waiting[-1].send("GET /v1/palette?model=b.gltf HTTP/1.1\r\nHost: localhost\r\n\r\n")
    assert server.get("/healthz").status == 200  # everything that was sent before has been read
    go.touch()
    assert [one.answer().status for one in waiting] == [200] * 3
    assert server.get("/v1/palette?model=c.gltf").status == 200
    for one in waiting:
        one.socket.close()


def test_stopping_during_an_import(start, root, tmp_path):
    options, go = install_waiting(tmp_path / "bin")
    server = start(*options, root=root)
    with server.connect() as connection:
        connection.send("GET /v1/palette?model=a.gltf HTTP/1.1\r\nHost: localhost\r\n\r\n")
        wait_until(lambda: children(server), "no import")
        server.signal(signal.SIGTERM)
        server.wait_for_line("stopping on SIGTERM")
        go.touch()
        assert connection.answer().status == 200
    assert server.wait() == 0


def test_memory_after_many_bad_files(start, root):
    for i in range(150):
        (root / f"{i}.gltf").write_text("{" + "x" * i)
        (root / f"{i}.obj").write_text("f 1 2 3\n" * i)
    server = start(*NO_RENDERING, root=root)
    before = memory_kib(server)
    with server.connect() as connection:
        for i in range(150):
            for ending in ("gltf", "obj"):
                assert connection.get(f"/v1/model?model={i}.{ending}").status in (415, 422)
    if not is_sanitized():  # AddressSanitizer keeps freed memory for a while
        assert memory_kib(server) - before < 20000
    assert memory_files(server) == 0
