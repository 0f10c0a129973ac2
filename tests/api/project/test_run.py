"""`make run`: its output, and that no process outlives it."""
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import time

import pytest

from conftest import BUILD, PATIENCE_S, REPOSITORY, SAMPLES

pytestmark = pytest.mark.skipif("POSED_SERVER" in os.environ or not SAMPLES.is_dir(), reason="needs the programs and the samples")

# A make that runs these tests must not pass its options and job slots to the one under test.
ENVIRONMENT = {k: v for k, v in os.environ.items() if not k.startswith(("POSED_", "MAKE", "MFLAGS"))} | {"POSED_CACHE_DIR": "none"}


def children_of(pid):
    """The process ids of all descendants."""
    parents = {}
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            after_name = stat.read_text(errors="replace").rpartition(")")[2].split()
        except OSError:
            continue
        parents.setdefault(int(after_name[1]), []).append(int(stat.parent.name))
    found = list(parents.get(pid, []))
    for child in found:
        found.extend(parents.get(child, []))
    return found


def is_running(pid):
    try:
        return "\nState:\tZ" not in pathlib.Path(f"/proc/{pid}/status").read_text(errors="replace")
    except OSError:
        return False


class MakeRun:
    """`make run` in a session of its own, as a shell would start it, with a file in place of the terminal.

    `-o all`: the programs are those of POSED_BUILD as they are, however they were compiled."""

    def __init__(self, folder, *variables, http="127.0.0.1:0"):
        self.output = folder / "output"
        with open(self.output, "wb") as output:
            self.process = subprocess.Popen(
                ["make", "-s", "-o", "all", "run", "NODEPS=1", f"out={BUILD}", f"ROOT={SAMPLES}", f"HTTP={http}", *variables],
                cwd=REPOSITORY, stdout=output, stderr=subprocess.STDOUT, start_new_session=True, env=ENVIRONMENT)

    def text(self):
        return self.output.read_text()

    def wait_until_told(self):
        deadline = time.monotonic() + PATIENCE_S
        while "Ctrl-C stops it." not in self.text():
            assert self.process.poll() is None and time.monotonic() < deadline, self.text()
            time.sleep(0.02)
        return self.text()

    def assert_all_end(self, stop):
        everyone = children_of(self.process.pid)
        assert len(everyone) >= 2, "at least the server and the reader of its lines"
        stop()
        self.process.wait(PATIENCE_S)
        deadline = time.monotonic() + PATIENCE_S
        while left := [pid for pid in everyone if is_running(pid)]:
            assert time.monotonic() < deadline, (left, self.text())
            time.sleep(0.02)
        assert " info stopped\n" in self.text()

    def end(self):
        left = [self.process.pid, *children_of(self.process.pid)] if self.process.poll() is None else []
        for pid in left:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        self.process.wait()


@pytest.fixture
def make_run(tmp_path):
    running = []

    def begin(*variables, **options):
        running.append(MakeRun(tmp_path, *variables, **options))
        return running[-1]

    yield begin
    for one in running:
        one.end()


def paste_all(text, folder):
    """Run the curl lines of the text as a shell would. Returns the output of each."""
    lines = re.findall(r"^  (curl .*)$", text, re.M)
    assert len(lines) == 3, text
    done = [subprocess.run(["sh", "-c", line], cwd=folder, capture_output=True, timeout=PATIENCE_S) for line in lines]
    assert [one.returncode for one in done] == [0, 0, 0]
    return [one.stdout for one in done]


def test_prints_the_ready_line_the_url_and_lines_that_work(make_run, tmp_path):
    run = make_run()
    text = run.wait_until_told()
    address = re.search(r"^posed ready http=(\S+)", text, re.M)[1]
    assert f"Open http://{address}/ in a browser" in text
    model, palette, picture = paste_all(text, tmp_path)
    assert b'{"model":"dragon.glb"' in model and b'"clips":[' in model
    assert b'"layout":"mat4"' in palette, palette[:200]
    assert picture == b"" and (tmp_path / "frame.png").read_bytes().startswith(b"\x89PNG\r\n\x1a\n")
    run.assert_all_end(lambda: os.killpg(run.process.pid, signal.SIGINT))


def test_sigterm_to_make_ends_everything(make_run):
    run = make_run()
    run.wait_until_told()
    run.assert_all_end(lambda: run.process.send_signal(signal.SIGTERM))


def test_lines_work_for_a_name_that_needs_quoting(make_run, tmp_path):
    root = tmp_path / "models"
    root.mkdir()
    name = "it's \"5\" \\ % & #é $HOME.glb"
    shutil.copy(SAMPLES / "robot.glb", root / name)
    text = make_run(f"ROOT={root}").wait_until_told()
    model, palette, _ = paste_all(text, tmp_path)
    assert b'"clips"' in model and b'"error"' not in palette
    assert (tmp_path / "frame.png").read_bytes().startswith(b"\x89PNG")


def test_names_an_address_to_open_when_listening_everywhere(make_run, tmp_path):
    text = make_run(http="0.0.0.0:0").wait_until_told()
    port = re.search(r"^posed ready http=0\.0\.0\.0:(\d+)\b", text, re.M)[1]
    assert f"Open http://127.0.0.1:{port}/ in" in text
    paste_all(text, tmp_path)


def test_says_that_the_port_is_in_use(make_run):
    with socket.create_server(("127.0.0.1", 0)) as other:
        address = "127.0.0.1:%d" % other.getsockname()[1]
        run = make_run(http=address)
        assert run.process.wait(PATIENCE_S) != 0
    said = [line for line in run.text().splitlines() if not line.startswith("make: ***")]
    assert len(said) == 1 and said[0].startswith("posed: ") and address in said[0] and "in use" in said[0], said


@pytest.mark.parametrize("typo", ["PORT=7900", "root=/models"])
def test_a_name_that_would_be_ignored_is_refused(make_run, typo):
    run = make_run(typo)
    assert run.process.wait(PATIENCE_S) == 2
    assert f"make run takes ROOT=, HTTP= and ARGS=, not {typo.split('=')[0]}=" in run.text() and "posed ready" not in run.text()


def test_an_empty_folder_is_said(make_run, tmp_path):
    (tmp_path / "models").mkdir()
    text = make_run(f"ROOT={tmp_path / 'models'}").wait_until_told()
    assert f"There are no models in {tmp_path / 'models'} yet" in text
