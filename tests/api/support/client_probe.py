"""The C client, driven by tests/clients/probe.c."""
import os
import subprocess

from conftest import BUILD, PATIENCE_S
from packets import KIND


class Probe:
    """One call per line, one answer per line. token: the client's; environment: limits of its reconnecting."""

    def __init__(self, address, *token, **environment):
        self.process = subprocess.Popen([BUILD / "test" / "client_probe", address, *token], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        text=True, env={**os.environ, **environment})

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.stdout.close()
        assert self.process.wait(PATIENCE_S) in (0, 1)

    def ask(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        return self.process.stdout.readline().rstrip("\n")

    def payload(self, line, kind):
        """The payload of an answer, which must be a packet of this kind."""
        answer = self.ask(line).split(" ")
        assert answer[0] == str(KIND[kind]), answer[:12]
        return bytes.fromhex(answer[2])
