"""Copies of the tree in which mutations.py makes its mistakes: built, tested, put back.

A copy begins with what `make` has built beside the tree, times kept, so that a mistake builds the objects of one file and one program.
"""
import dataclasses
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time

TOP = pathlib.Path(__file__).resolve().parents[1]
BUILT = ("obj", "gen", "make-environments", "posed", "posed-import", "posed-assimp.so", "posed-render", "posectl", "test/unit", "samples/baked")
PROGRAMS = ("build/posed", "build/posed-import", "build/posed-assimp.so")  # programs that the black-box tests start
FAILED, NO_TEST = b"[  FAILED  ]", "unit: no test runs"  # of tests/unit/support/main.c

# A mistake that hangs is found, too. All steps take less than a minute of processor time. None waits that long without using any.
PROCESSOR_LIMIT_S = 900
STALLED_LIMIT_S = 300
LOOK_EVERY_S = 5
TICKS_PER_S = os.sysconf("SC_CLK_TCK")

PYTEST = (sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider")
UNIT = "unit tests"
API = {
    "random models": ("tests/api/answers/test_exact.py::test_random_models_agree_with_the_specification[0]",),
    "stored references": ("tests/api/answers/test_refs.py", "-k", "reference_values"),
    "files of MD2": ("tests/api/formats/test_md2.py",),
    "checks of motion": ("tests/api/answers/test_check.py", "tests/api/answers/test_check_walks.py"),
    "bends": ("tests/api/answers/test_flex.py",),
    "root motion of files": ("tests/api/export/test_export_root_motion.py",),
    "files of VRM": ("tests/api/formats/test_vrm.py", "tests/api/formats/test_vrm_front.py::test_a_model_tells_where_it_faces"),
    "constraints": ("tests/api/formats/test_constraints.py",),
    "given poses": ("tests/api/answers/test_given_blends.py", "tests/api/answers/test_given_frames.py", "tests/api/answers/test_given_words.py"),
    "looks": ("tests/api/formats/test_vrm_looks.py",),
    "rests of clips": ("tests/api/answers/test_clip_rest.py",),
}


def linker():
    """The fastest installed one: a program is linked for each mistake."""
    return next((f"-fuse-ld={name}" for name in ("lld", "gold") if shutil.which(f"ld.{name}")), "")


def session_seconds(session):
    """Processor seconds of all processes of a session, and of their ended children."""
    ticks = 0
    for path in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text(errors="replace").rsplit(")", 1)[1].split()
        except OSError:
            continue  # it has ended
        if int(fields[3]) == session:
            ticks += sum(map(int, fields[11:15]))
    return ticks / TICKS_PER_S


class Limits:
    """Returns whether a command has run too long."""

    def __init__(self, session):
        self.session, self.looked, self.moved, self.seconds = session, time.monotonic(), time.monotonic(), 0.0

    def breach(self):
        now = time.monotonic()
        if now - self.looked < LOOK_EVERY_S:
            return None
        self.looked, seconds = now, session_seconds(self.session)
        if seconds > self.seconds:
            self.moved, self.seconds = now, seconds
        if seconds > PROCESSOR_LIMIT_S:
            return f"no end after {PROCESSOR_LIMIT_S} s of processor time"
        return f"no end, and nothing happens for {STALLED_LIMIT_S} s" if now - self.moved > STALLED_LIMIT_S else None


@dataclasses.dataclass
class Copy:
    """One copy; one thread at a time uses it."""

    folder: pathlib.Path
    log: pathlib.Path = None
    processor_s: float = 0.0

    def fill(self):
        """Copies the sources of the tree, including those that git does not know yet, and what is built of them."""
        listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=TOP, capture_output=True, text=True, check=True)
        for name in listed.stdout.splitlines():
            if (TOP / name).exists():
                (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(TOP / name, self.folder / name)
        for name in BUILT:
            to = self.folder / "build" / name
            to.parent.mkdir(parents=True, exist_ok=True)
            subprocess.run(["cp", "-a", TOP / "build" / name, to], check=True)
        self.log = self.folder / "log"

    def run(self, command, stops_at=None):
        """None if it passes, else how it ended. It is ended when its output contains the bytes stops_at."""
        environment = {**os.environ, "CFLAGS": "-g0", "LDFLAGS": linker(), "POSED_BUILD": str(self.folder / "build"),
                       "POSED_SAMPLES": str(TOP / "build/samples")}
        with open(self.log, "wb") as log:
            process = subprocess.Popen(command, cwd=self.folder, stdout=log, stderr=subprocess.STDOUT, env=environment, start_new_session=True)
        limits, ended = Limits(process.pid), None
        with open(self.log, "rb") as said:
            while ended is None:
                pid, status, usage = os.wait4(process.pid, os.WNOHANG)
                if pid:
                    process.returncode = os.waitstatus_to_exitcode(status)
                    self.processor_s += usage.ru_utime + usage.ru_stime
                    return None if process.returncode == 0 else "fails"
                ended = "fails" if stops_at and stops_at in said.read() else limits.breach()
                time.sleep(0.05)
        os.killpg(process.pid, signal.SIGKILL)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        self.processor_s += usage.ru_utime + usage.ru_stime
        return ended

    def build(self, *targets):
        """Whether it builds. One program at a time, because other copies use the other processors."""
        return self.run(["make", "-s", "NODEPS=1", *targets]) is None

    def unit(self, words=""):
        """None, or the failure of the unit tests with the words in their names. If no test has them, nothing is found."""
        ended = self.run(["build/test/unit", words] if words else ["build/test/unit"], stops_at=FAILED)
        return None if words and NO_TEST in self.text() else ended

    def api(self, name):
        return self.run([*PYTEST, *API[name]])

    def text(self):
        """The output of the last command."""
        return self.log.read_text(errors="replace")

    def tests(self, first):
        """(name, function that runs it) in order: first the tests that are expected to notice the mistake, then all. Builds programs when
        they are needed."""
        if first in API:
            yield first, lambda: self.api(first)
        else:
            yield f"{UNIT} of {first}", lambda: self.unit(first)
        yield UNIT, self.unit
        for name in API:
            yield name, lambda: self.api(name)  # runs before the next name comes

    def tried(self, first):
        """(whether a test notices the mistake of the copy, which one)."""
        if not self.build("build/test/unit"):
            return False, "it does not build"
        for name, test in self.tests(first):
            if name in API and not self.build(*PROGRAMS):
                return False, "it does not build"
            ended = test()
            if ended:
                return True, name + ("" if ended == "fails" else f": {ended}")
        return False, "all tests pass"
