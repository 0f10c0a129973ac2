"""clients/eval/example_crowd.c under AddressSanitizer with UndefinedBehaviorSanitizer, and under ThreadSanitizer."""
import os
import subprocess

from conftest import BUILD, PATIENCE_S

# `make library-sanitized` builds both, whatever else is built: the first with the compiler of SANITIZE_CC, in a folder named after it.
PROGRAMS = {"asan": [*sorted(BUILD.glob("sanitize*/example_crowd"), key=lambda path: -path.stat().st_mtime), BUILD / "example_crowd"],
            "tsan": [BUILD / "tsan" / "example_crowd", BUILD.parent / "tsan" / "example_crowd"]}
THREADS = 8


def program(sanitizer):
    """Its path, or None if it is not built."""
    for path in PROGRAMS[sanitizer]:
        mark = {"asan": "__asan_init", "tsan": "__tsan_init"}[sanitizer]
        if path.exists() and mark in subprocess.run(["nm", path], capture_output=True, text=True, check=True).stdout:
            return path
    return None


def play(path, file, seconds):
    """Eight threads on one model, crowds and shots; (exit status, its output)."""
    environment = {**os.environ, "TSAN_OPTIONS": "halt_on_error=1", "UBSAN_OPTIONS": "print_stacktrace=1"}
    done = subprocess.run([path, file, "--threads", str(THREADS), "--entities", "64", "--ticks", "10", "--shots", "20", "--seconds", str(seconds)],
                          capture_output=True, text=True, env=environment, timeout=PATIENCE_S + seconds)
    return done.returncode, done.stdout + done.stderr
