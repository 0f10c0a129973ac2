"""Debian's Prometheus on a free port with a test's configuration, and its data."""
import json
import re
import shutil
import subprocess
import tempfile
import urllib.parse
import urllib.request

import pytest

from conftest import PATIENCE_S, wait_until

PROGRAMS = ("prometheus", "promtool")


def need():
    """Skip the test if Debian's package is not installed."""
    missing = [program for program in PROGRAMS if shutil.which(program) is None]
    if missing:
        pytest.skip(f"{' and '.join(missing)} not installed: make deploy-test installs them")


def promtool(*args, text=None, folder=None):
    """(exit status, output) of promtool."""
    ran = subprocess.run(["promtool", *args], input=text, cwd=folder, capture_output=True, text=True, timeout=PATIENCE_S)
    return ran.returncode, ran.stdout + ran.stderr


class Prometheus:
    def __init__(self, folder, config="prometheus.yml"):
        """folder: has the configuration, and receives the data."""
        self.log = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen(
            ["prometheus", f"--config.file={folder / config}", f"--storage.tsdb.path={folder / 'data'}", "--web.listen-address=127.0.0.1:0"],
            stdout=self.log, stderr=subprocess.STDOUT)
        self.address = None
        try:
            wait_until(self._has_port, "Prometheus does not start")
        except BaseException:
            self.end()
            raise

    def _has_port(self):
        assert self.process.poll() is None, self.said()
        found = re.search(r'msg="Listening on" address=(\S+)', self.said())
        self.address = found and found.group(1)
        return found and "Server is ready" in self.said()

    def said(self):
        self.log.flush()
        with open(f"/proc/self/fd/{self.log.fileno()}", encoding="utf-8", errors="replace") as log:
            return log.read()

    def api(self, path, **query):
        with urllib.request.urlopen(f"http://{self.address}/api/v1/{path}?{urllib.parse.urlencode(query)}", timeout=PATIENCE_S) as answer:
            found = json.load(answer)
        assert found["status"] == "success", found
        return found["data"]

    def query(self, expression):
        """The label sets and values of the expression now."""
        found = self.api("query", query=expression)
        assert found["resultType"] == "vector", (expression, found)
        return [(one["metric"], float(one["value"][1])) for one in found["result"]]

    def end(self):
        self.process.terminate()
        try:
            self.process.wait(PATIENCE_S)
        finally:
            self.process.kill()
            self.log.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end()
