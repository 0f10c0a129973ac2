"""tests/eval/eval_probe.c as an object."""
import subprocess

import numpy

from conftest import BUILD

PROBE = BUILD / "test" / "eval_probe"


class LibraryError(Exception):
    def __init__(self, status, message):
        super().__init__(message)
        self.status, self.message = status, message


class EvalProbe:
    """Calls libposed-eval for a .posed file. Floats are returned as arrays of float32, so == compares bits except for NaN and -0."""

    def __init__(self, path, *words):
        self.process = subprocess.Popen([PROBE, path, *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.first = self.process.stdout.readline().rstrip("\n")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()

    def ask(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline().rstrip("\n")
        if answer.startswith("error "):
            _, status, message = answer.split(" ", 2)
            raise LibraryError(int(status), message)
        return answer

    def floats(self, line):
        return numpy.frombuffer(bytes.fromhex(self.ask(line)), numpy.float32)

    def evaluate(self, *layers, entity=""):
        """layers: "clip=1 t=0.5", ..."""
        if entity:
            self.ask("entity " + entity)
        for layer in layers:
            self.ask("layer " + layer)
        self.ask("evaluate")
