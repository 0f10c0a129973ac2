#!/usr/bin/env python3
"""try_blocks.py [DOCUMENT..] - runs the shell blocks of documents as a reader types them, and compares what they print.

Each document has a machine of its own: namespaces of mounts, processes and the network, where all files are those of this machine below
a layer that takes what is written. posed is installed there, as `make install` does. The blocks run in their order, in one shell at the
top of the tree; `make run` runs beside those that ask a server. What a document starts or writes ends with it. Needs what `make` and
`make samples` build, and root. Exit status 0 also where namespaces or mounts are refused: the line then begins with "documents: skipped:".
"""
import argparse
import collections
import fcntl
import json
import os
import pathlib
import re
import shlex
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
import zipfile

import blocks

TOP = pathlib.Path(__file__).resolve().parents[2]
PATIENCE_S = 600  # for a command, on a machine that has other work
SETTLES_S = 10  # what goes on in a terminal and does not say that it is ready
SERVER = "127.0.0.1:7878"
SAMPLES = TOP / "build/samples"  # what `make run` serves
ASKS_SERVER = re.compile(r":787[89]\b")
NAMESPACES = ["unshare", "--mount", "--pid", "--net", "--fork", "--kill-child"]
# What documents take for a reader's own, where a block names it.
OWN = {"models": "build/samples", "crow.fbx": "tests/oracle/models/joints.fbx", "mocap/*.bvh": "tests/documents/human.bvh"}
AC3D = "AC3Db\nOBJECT world\nkids 1\nOBJECT poly\nnumvert 3\n0 0 0\n1 0 0\n0 1 0\nnumsurf 1\nSURF 0x20\nmat 0\nrefs 3\n0 0 0\n1 1 0\n2 0 1\nkids 0\n"
# A step: the state that the steps before have left, one command, the state that it leaves.
STEP = """
. "$1/state"
set -a
trap '{ export -p; declare -f; printf "cd %q\\n" "$PWD"; } >"$1/state"' EXIT
. "$1/command"
"""


class Session:
    """The terminal of a reader, and what runs beside it."""

    def __init__(self, folder):
        self.folder = folder
        self.home = folder / "home"
        self.home.mkdir()
        # Where no output is shown, an error of HTTP is one of curl.
        (self.home / "curl").mkdir()
        (self.home / "curl" / ".curlrc").write_text("fail-with-body\n")
        (folder / "state").write_text(f"cd {shlex.quote(str(TOP))}\n")
        self.environment = {"HOME": str(self.home), "USER": "root", "TERM": "dumb", "LC_ALL": "C.UTF-8",
                            "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"}
        self.beside = []

    def where(self):
        """The current folder of the terminal."""
        return pathlib.Path(subprocess.run(["bash", "-c", '. "$1/state"; pwd', "bash", self.folder], env=self.environment, check=True,
                                           capture_output=True, text=True).stdout.strip())

    def run(self, text, fails_on_http=True):
        """(status, output) of a command, which the output of what it leaves in the background does not delay."""
        (self.folder / "command").write_text(text)
        environment = self.environment | ({"CURL_HOME": str(self.home / "curl")} if fails_on_http else {})
        with open(self.folder / "output", "w+b") as output:
            process = subprocess.Popen(["bash", "-c", STEP, "bash", self.folder], env=environment, stdin=subprocess.DEVNULL, stdout=output,
                                       stderr=output, start_new_session=True)
            try:
                status = process.wait(PATIENCE_S)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
                status = f"none after {PATIENCE_S} s"
            output.seek(0)
            return status, output.read().decode(errors="replace")

    def leave(self):
        """Ends what runs beside. What has failed before, as (text, status, output)."""
        failed = []
        for text, process, name in self.beside:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGTERM)
                self.wait_for_group(process)
            elif process.returncode:
                failed.append((text, process.returncode, name.read_text(errors="replace")))
        self.beside = []
        return failed

    @staticmethod
    def wait_for_group(process):
        """Until a process and all that it has started have ended: their parent is then this one, process 1 of the namespace."""
        process.wait()
        while True:
            try:
                os.waitpid(-process.pid, 0)
            except ChildProcessError:
                return

    def stay(self, text):
        """Starts what runs beside the blocks that follow, in place of what did before. Returns, once each of its commands has said that
        it is ready or some time has passed, an error or None."""
        self.leave()
        needed = text.count("\n") or 1
        is_server = re.search(r"\bposed --|\bmake run\b", text)
        patience_s = PATIENCE_S if is_server else SETTLES_S
        name = self.folder / "beside"
        name.with_suffix(".sh").write_text(text)
        with open(name, "wb") as output:
            process = subprocess.Popen(["bash", "-ec", '. "$1"; . "$2"', "bash", self.folder / "state", name.with_suffix(".sh")],
                                       env=self.environment, stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True)
        self.beside.append((text, process, name))
        started = time.monotonic()
        while process.poll() is None:
            if len(re.findall(r"\bready\b", name.read_text(errors="replace"))) >= needed:
                return None
            if time.monotonic() - started > patience_s:
                return f"not ready after {patience_s} s:\n{name.read_text(errors='replace')}" if is_server else None
            time.sleep(0.05)
        self.beside = []
        return f"ended with status {process.returncode} instead of going on:\n{name.read_text(errors='replace')}"


def provide(text, folder):
    """Puts a reader's own files into a folder, those that a command names."""
    named = lambda name: re.search(rf"(?<![\w./-]){re.escape(name)}(?![\w.-])", text) and not (folder / name).exists()
    for name, source in OWN.items():
        if named(name):
            place = folder / name.replace("*", "walk")
            place.parent.mkdir(exist_ok=True)
            (shutil.copytree if (TOP / source).is_dir() else shutil.copy)(TOP / source, place)
    if named("hero.fbx"):
        subprocess.run(["assimp", "export", TOP / OWN["mocap/*.bvh"], folder / "hero.fbx"], check=True, stdout=subprocess.DEVNULL)
    if named("model.acc"):
        (folder / "model.acc").write_text(AC3D)
    if named("hero.zip"):
        with zipfile.ZipFile(folder / "hero.zip", "w") as archive:
            archive.write(SAMPLES / "robot.glb", "robot.glb")


def untracked():
    """What `git status` shows at the top of the tree beside a reader's own files; nothing without git."""
    own = {name.partition("/")[0] for name in OWN} | {"hero.fbx", "model.acc", "hero.zip"}
    done = subprocess.run(["git", "-c", "safe.directory=*", "status", "--porcelain", "--untracked-files=normal"], cwd=TOP, capture_output=True, text=True, check=False)
    return {line[3:] for line in done.stdout.splitlines() if line.startswith("??") and line[3:].rstrip("/") not in own}


def answers():
    with socket.socket() as probe:
        return probe.connect_ex((SERVER.partition(":")[0], int(SERVER.partition(":")[2]))) == 0


class Document:
    """Tries a document. What it found is in `failures` and `counts`."""

    def __init__(self, name, session):
        self.name, self.session = name, session
        self.failures, self.counts = [], collections.Counter()

    def fail(self, line, command, *sentences):
        self.failures.append("\n".join([f"{self.name}:{line}: {command.strip()}", *(s.rstrip() for s in sentences)]))

    def try_all(self):
        saved, before = [], untracked()
        for block in blocks.blocks_of((TOP / self.name).read_text(encoding="utf-8")):
            if block.saved_as:
                saved.append(block)
            elif block.is_shell and block.need:
                self.counts[block.need] += 1
            elif block.is_shell:
                self.save(saved)
                commands = blocks.commands_of(block)
                self.prepare("".join(one.text for one in [*saved, *commands]), commands, block)
                saved = [one for one in saved if ASKS_SERVER.search(one.text)]
                self.counts["ran"] += 1
                self.try_block(block, commands)
        for text, status, got in self.session.leave():
            self.fail(0, text, f"ended with status {status}:", got)
        left = untracked() - before
        if left and not self.name.startswith("server/docs/howto/"):  # those are about files of the source
            self.fail(0, "git status", "shows what the blocks have written, and .gitignore lacks: " + " ".join(sorted(left)))

    def save(self, saved):
        for block in saved:
            path = self.session.where() / block.saved_as
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block.text)

    def prepare(self, asked, commands, block):
        provide("".join(command.text for command in commands), self.session.where())
        if not block.stays and ASKS_SERVER.search(asked) and not answers():
            error = self.session.stay(f"cd {shlex.quote(str(TOP))} && exec make run")
            if error:
                self.fail(block.line, "make run", error)

    def try_block(self, block, commands):
        if block.stays:
            error = self.session.stay(block.text)
            if error:
                self.fail(block.line, block.text, error)
            return
        compared = False
        for command in commands:
            status, got = self.session.run(command.text, command.expected is None)
            if command.expected is None and status != 0:
                self.fail(command.line, command.text, f"status {status}, and the output:", got)
            elif command.expected is not None:
                compared = True
                if not isinstance(status, int) or not blocks.is_as_shown(command.expected, got):
                    self.fail(command.line, command.text, f"status {status}; expected:", command.expected, "got:", got)
        self.counts["compared"] += compared


# --- the machine of a document: process 1 of its namespaces ---------------------------------------------------------


def mount(*arguments):
    subprocess.run(["mount", *arguments], check=True, capture_output=True, text=True)


def enter(base):
    """All files of this machine and what is installed, below a layer that takes what is written; loopback, and no other network."""
    scratch = base / "scratch"
    mount("-t", "tmpfs", "posed-documents", scratch)
    root, upper, work = (scratch / name for name in ("root", "upper", "work"))
    for folder in (root, work):
        folder.mkdir()
    shutil.copytree(base / "installed", upper, symlinks=True)
    mount("-t", "overlay", "-o", f"lowerdir=/,upperdir={upper},workdir={work}", "posed-documents", root)
    if not os.path.exists(f"{root}{TOP}/Makefile"):
        raise OSError(f"{TOP} is not in the file system of /")
    for folder in ("dev", "sys"):
        mount("--rbind", f"/{folder}", f"{root}/{folder}")
    mount("-t", "proc", "proc", f"{root}/proc")
    if pathlib.Path("/tmp") not in TOP.parents:
        mount("-t", "tmpfs", "-o", "mode=1777", "posed-documents", f"{root}/tmp")
    os.chroot(root)
    os.chdir(TOP)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        fcntl.ioctl(control, 0x8914, struct.pack("16sh14x", b"lo", 1))  # SIOCSIFFLAGS, IFF_UP


def inside(base, name, result):
    try:
        enter(pathlib.Path(base))
    except subprocess.CalledProcessError as error:
        sys.exit(error.stderr)
    except OSError as error:
        sys.exit(str(error))
    if name:
        document = Document(name, Session(pathlib.Path(tempfile.mkdtemp(prefix="posed-reader-", dir="/tmp"))))
        document.try_all()
        with os.fdopen(int(result), "w") as told:
            json.dump({"failures": document.failures, "counts": document.counts}, told)


# --- outside ---------------------------------------------------------------------------------------------------------


def in_namespaces(base, name, result):
    return [*NAMESPACES, sys.executable, __file__, "--inside", str(base), name, str(result)]


def try_document(base, name):
    """Its counts and failures, from a machine of its own."""
    told, result = os.pipe()
    with os.fdopen(told) as reader:
        process = subprocess.Popen(in_namespaces(base, name, result), pass_fds=[result], stdin=subprocess.DEVNULL)
        os.close(result)
        text = reader.read()
    if process.wait() != 0 or not text:
        return {"failures": [f"{name}: could not be tried: status {process.returncode}"], "counts": {}}
    return json.loads(text)


def all_documents():
    """README.md first, then those of folders."""
    others = {"build", ".git", "node_modules", ".pytest_cache"}
    found = []
    for folder, folders, files in os.walk(TOP):
        folders[:] = sorted(set(folders) - others)
        found += [os.path.relpath(os.path.join(folder, name), TOP) for name in sorted(files) if name.endswith(".md")]
    return found


def with_blocks(documents):
    """Those that have commands."""
    return [name for name in documents if any(block.is_shell for block in blocks.blocks_of((TOP / name).read_text(encoding="utf-8")))]


def total(documents, counts):
    needs = ", ".join(f"{need} {counts[need]}" for need in (m.partition("=")[2] for m in blocks.MARKERS) if need and counts.get(need))
    more = sum(count for name, count in counts.items() if name not in ("ran", "compared"))
    return f"documents: {counts['ran']} blocks of {len(documents)} documents ran, {counts['compared']} compared; {more} need: {needs or 'nothing'}"


def try_documents(base, documents):
    counts, failures = collections.Counter(), []
    for name in documents:
        started = time.monotonic()
        tried = try_document(base, name)
        counts.update(tried["counts"])
        failures += tried["failures"]
        for failure in tried["failures"]:
            print(failure + "\n", flush=True)
        print(f"{'FAILED' if tried['failures'] else 'ok':6} {time.monotonic() - started:5.1f} s  {name}", flush=True)
    print(total(documents, counts) + (f"; {len(failures)} FAILED" if failures else ""))
    return 1 if failures else 0


def main():
    if sys.argv[1:2] == ["--inside"]:
        return inside(*sys.argv[2:])
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("documents", nargs="*", metavar="DOCUMENT")
    documents = with_blocks(os.path.relpath(name, TOP) for name in arguments.parse_args().documents) or with_blocks(all_documents())
    base = pathlib.Path(tempfile.mkdtemp(prefix="posed-documents-"))
    try:
        for name in "installed", "scratch":
            (base / name).mkdir()
        probe = subprocess.run(in_namespaces(base, "", ""), capture_output=True, text=True)
        if probe.returncode != 0:
            print(f"documents: skipped: this machine gives no namespaces or mounts: {probe.stderr.strip().partition(chr(10))[0]}")
            return 0
        # Not a part of the make that runs this: its flags are not for others.
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}
        subprocess.run(["make", "-s", "install", "NODEPS=1", f"DESTDIR={base}/installed"], cwd=TOP, env=environment, check=True,
                       stdout=subprocess.DEVNULL)
        return try_documents(base, documents)
    finally:
        shutil.rmtree(base)


if __name__ == "__main__":
    sys.exit(main())
