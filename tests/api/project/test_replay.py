"""The program that replays the corpora of the fuzz targets: it has every target, and reports failures."""
import os
import pathlib
import re
import signal
import subprocess

import pytest

from conftest import BUILD, PATIENCE_S, REPOSITORY, wait_until

# `make test` builds the one with sanitizers, with either compiler, whatever else is built.
PROGRAM = next((path for path in (*BUILD.glob("sanitize*/test/replay"), BUILD / "test/replay") if path.exists()), None)
pytestmark = pytest.mark.skipif(PROGRAM is None, reason="make test builds the program")


def start(*arguments):
    return subprocess.Popen([PROGRAM, *arguments], cwd=REPOSITORY, stdout=subprocess.PIPE, text=True)


def end(process):
    """(exit status, its output without the seconds)."""
    output = process.communicate(timeout=PATIENCE_S)[0]
    return process.returncode, re.sub(r" in \d+\.\d\d s$", "", output, flags=re.M).splitlines()


def inputs(name):
    return f"replay {name}: {len(list((REPOSITORY / 'tests/fuzz/corpus' / name).iterdir()))} inputs"


def test_every_target_is_in_it():
    assert end(start("--list")) == (0, sorted(path.stem[len("fuzz_"):] for path in (REPOSITORY / "tests/fuzz").glob("fuzz_*.c")))


def test_named_targets_are_replayed():
    status, lines = end(start("text", "bake"))
    assert (status, sorted(lines)) == (0, [inputs("bake"), inputs("text")])


@pytest.mark.parametrize("make", [pathlib.Path.mkdir, lambda path: None], ids=["no inputs", "no folder"])
def test_a_target_without_inputs_fails(tmp_path, make):
    make(tmp_path / "corpus")
    assert end(start("-j", "1", f"ply={tmp_path}/corpus", "text")) == (
        1, [f"replay ply: failed at {tmp_path}/corpus: exit status 1", "replay ply: 0 inputs", inputs("text")])


def test_an_input_that_ends_its_process_fails_and_the_others_run(tmp_path):
    (tmp_path / "1").write_bytes(b"ply")
    os.mkfifo(tmp_path / "2")  # a reader waits for bytes
    (tmp_path / "3").write_bytes(b"")
    process = start("-j", "1", f"ply={tmp_path}", "text")
    writers = []

    def is_read():
        try:
            writers.append(os.open(tmp_path / "2", os.O_WRONLY | os.O_NONBLOCK))
        except OSError:
            assert process.poll() is None
        return writers

    try:
        wait_until(is_read)
        os.kill(int(pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text()), signal.SIGKILL)
        assert end(process) == (1, [f"replay ply: failed at {tmp_path}/2: signal 9 (Killed)", "replay ply: 2 inputs", inputs("text")])
    finally:
        process.kill()
        for writer in writers:
            os.close(writer)


def test_arguments_that_are_wrong_are_refused():
    for arguments in (["no-target"], ["-j", "0"], ["-j", "x"], ["--corpus"]):
        assert end(start(*arguments))[0] == 2, arguments
