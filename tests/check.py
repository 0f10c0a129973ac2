#!/usr/bin/env python3
"""Checks the changed files in about two minutes: `make check [since=REF]`.

    check.py --build build [--since REF]

Finds the files that changed since REF. The default is the last commit or, if nothing has changed since, the commit at which the branch
left main. Builds with warnings as errors, checks layers, format and types of the changed files, and runs the unit tests and the
black-box tests that tests/areas.txt names for their folders. A changed test file of tests/api is run, too. Closes with
the line of tests/run.py.
"""
import argparse
import os
import pathlib
import re
import resource
import shlex
import subprocess
import sys
import tempfile
import time

import areas

TOP = pathlib.Path(__file__).resolve().parents[1]
C_ENDINGS = (".c", ".h", ".cpp", ".def", ".glsl", ".vert", ".frag", ".geom")
CHECKED = ("server/", "clients/", "tests/unit/", "tests/fuzz/", "tests/bench/", "tests/clients/", "tests/eval/", "deploy/")  # by cppcheck, as by make lint


def git(*arguments):
    done = subprocess.run(["git", *arguments], cwd=TOP, capture_output=True, text=True)
    return done.stdout.splitlines() if done.returncode == 0 else None


def changed_since(since):
    """(the base of the comparison, the changed files that still exist, the deleted ones)"""

    def paths(reference):
        changed = git("diff", "--name-only", "--no-renames", reference)
        if changed is None:
            sys.exit(f"check: git does not know {reference}")
        return sorted({*changed, *git("ls-files", "--others", "--exclude-standard")})

    reference, found = since or "HEAD", paths(since or "HEAD")
    if not since and not found:
        head = git("rev-parse", "HEAD")
        bases = [git("merge-base", "HEAD", name) for name in ("origin/main", "main")]
        reference = next((base[0] for base in bases if base and base != head), "HEAD~1")
        found = paths(reference)
    return reference, [path for path in found if (TOP / path).is_file()], [path for path in found if not (TOP / path).is_file()]


def forget_unchecked_objects(build, changed):
    """Remove the objects of changed files that another make has built since the last check, perhaps with warnings."""
    stamp = build / "checked"
    checked = stamp.stat().st_mtime_ns if stamp.exists() else 0
    names = {path for path in changed if path.endswith((".c", ".cpp", ".h", ".def"))}
    for listed in (build / "obj").rglob("*.d") if names else ():
        made = listed.with_suffix(".o")
        if made.exists() and made.stat().st_mtime_ns > checked and not names.isdisjoint(listed.read_text().split()):
            made.unlink()
    return stamp


def quoted(paths):
    return " ".join(map(shlex.quote, paths))


def looks(changed, build):
    """The suites that check the files themselves, as make lint does."""
    c_files = [path for path in changed if path.endswith((".c", ".h", ".cpp"))]
    suites = []
    if c_files:
        suites += ["layers=one:tests/layers.sh", f"calls=one:tests/calls.py {build}/obj",
                   f"format=one:clang-format --dry-run -Werror {quoted(c_files)}"]
    sources = [path for path in c_files if path.startswith(CHECKED) and path.endswith((".c", ".cpp"))]
    if sources:
        suites.append("lint=one:cppcheck -q --std=c11 --error-exitcode=1 --inline-suppr --enable=warning,portability "
                      f"--suppress=missingIncludeSystem --suppress=unknownMacro -Iserver -I. -I{build}/gen {quoted(sources)}")
    if any(path.startswith("clients/python/") and path.endswith(".py") for path in changed):
        suites.append("types=one:MYPYPATH=clients/python mypy --config-file clients/python/pyproject.toml --cache-dir=/dev/null "
                      "clients/python/posed clients/python/examples/*.py")
    scripts = [path for path in changed if path.endswith((".js", ".mjs"))]
    if scripts:
        suites.append("scripts=one:" + " && ".join(f"node --check {shlex.quote(path)}" for path in scripts))
    programs = [path for path in changed if path.endswith(".py")]
    if programs:
        suites.append(f"syntax=one:{sys.executable} -c 'import ast, sys; [ast.parse(open(p).read(), p) for p in sys.argv[1:]]' {quoted(programs)}")
    return suites


def api_suite(expression, folders, build, left):
    """Collects only the folders that the expression names."""
    return (f"api=pytest:POSED_CHECK_LEFT={left} POSED_BUILD={build.resolve()} POSED_SAMPLES={TOP}/build/samples {sys.executable} -m pytest -q -rfEs "
            f"-p no:cacheprovider -n {min(8, 2 * os.cpu_count())} --dist loadfile -m {shlex.quote(expression)} {quoted(folders)}")


def run_suites(suites, build):
    """Run them with tests/run.py. Returns (its last line, the names of the failed ones, its exit status)."""
    command = [sys.executable, "tests/run.py", "--log", build / "test/logs", "--slots", "2", *suites]
    process = subprocess.Popen(command, cwd=TOP, stdout=subprocess.PIPE, encoding="utf-8", errors="replace")
    last, failed = "", []
    for line in process.stdout:
        counted = re.match(r"== (\S+): \d+ passed, (\d+) failed", line)
        if counted and int(counted[2]):
            failed.append(counted[1])
        print(last, end="", flush=True)
        last = line
    return last.strip(), failed, process.wait()


def processor_s():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def say_what_is_left(left):
    for path in sorted(left.glob("*")):
        print(f"check: {path.read_text()} slower tests of tests/api/{path.name} are left to make test")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--since")
    parser.add_argument("targets", nargs="*", help="what make has to build where compiled files have changed")
    options = parser.parse_args()
    start = time.monotonic()
    reference, changed, gone = changed_since(options.since)
    print(f"check: {len(changed) + len(gone)} files changed since {reference}: {' '.join([*changed, *gone][:8])}"
          f"{' ...' if len(changed) + len(gone) > 8 else ''}", flush=True)
    if not changed and not gone:
        sys.exit("check: nothing has changed; make check since=REF compares with another commit")
    needed, expression, folders = areas.of([*changed, *gone])
    stamp = forget_unchecked_objects(options.build, changed)
    jobs = [] if "-j" in os.environ.get("MAKEFLAGS", "") else [f"-j{os.cpu_count()}"]
    if subprocess.run(["make", "-s", *jobs, "NODEPS=1", "werror=1", *options.targets], cwd=TOP).returncode != 0:
        sys.exit("check: FAILED: it does not build without warnings; what the compiler says is above")
    stamp.touch()
    print(f"check: built in {time.monotonic() - start:.0f} s", flush=True)
    suites = looks(changed, options.build)
    if "unit" in needed:
        suites += [f"unit-{shard}=cmocka:{options.build}/test/unit --shard {shard}/2" for shard in (1, 2)]
    if "python" in needed:
        suites.append(f"python=pytest:POSED_BUILD={options.build.resolve()} POSED_SAMPLES={TOP}/build/samples {sys.executable} -m pytest -q -rfEs "
                      "-p no:cacheprovider clients/python/tests")
    with tempfile.TemporaryDirectory() as left:
        if expression:
            suites.append(api_suite(expression, folders, options.build, left))
        last, failed, status = run_suites(suites, options.build)
        say_what_is_left(pathlib.Path(left))
    if failed:
        print(f"check: FAILED: {', '.join(failed)}")
    print(f"check: {time.monotonic() - start:.0f} s, of the processors {processor_s():.0f} s")
    print(last)
    return status


if __name__ == "__main__":
    sys.exit(main())
