"""Private servers are found, started, and end with the process that started them."""
import os
import pathlib
import select
import signal
import subprocess
import sys

import pytest

import posed
from conftest import BUILD, ENVIRONMENT, PACKAGE


def test_a_private_server_ends_with_its_block(root):
    with posed.serve(root, program=BUILD / "posed", env=ENVIRONMENT) as server:
        folder = pathlib.Path(server.address[5:]).parent
        assert isinstance(server, posed.Client) and server.version()["name"] == "posed"
        assert server.model("robot.glb").palette("walk", 0.5).shape == (19, 4, 4)
        assert "robot.glb" in [model["model"] for model in server.models()]
        assert server.ask("/v1/render", model="robot.glb", width=16, height=16).content_type == "image/png"
        assert folder.stat().st_mode & 0o777 == 0o700
        with server.connect() as other:
            assert other.version()["name"] == "posed"
    assert not folder.exists()
    with pytest.raises(posed.ConnectionLost):
        posed.connect(server.address)
    with pytest.raises(posed.ConnectionLost):
        server.version()
    server.close()


def test_the_program_is_found(monkeypatch, tmp_path):
    monkeypatch.setenv("POSED_PROGRAM", str(BUILD / "posed"))
    assert posed.find_program() == str(BUILD / "posed")
    monkeypatch.delenv("POSED_PROGRAM")
    monkeypatch.setenv("PATH", str(BUILD))
    assert posed.find_program() == str(BUILD / "posed")
    with pytest.raises(FileNotFoundError, match="is not a program"):
        posed.find_program(tmp_path / "posed")


def test_a_server_that_does_not_start_says_why(tmp_path):
    with pytest.raises(posed.ConnectionLost, match="nowhere"):
        posed.serve(tmp_path / "nowhere", program=BUILD / "posed", env=ENVIRONMENT)
    with pytest.raises(posed.ConnectionLost, match="--wdth"):
        posed.serve(tmp_path, "--wdth", program=BUILD / "posed", env=ENVIRONMENT)


SCRIPT = """
import os, signal, sys
sys.path.insert(0, sys.argv[1])
import posed
server = posed.serve(sys.argv[2], program=sys.argv[3])
print(server.connect().json("/v1/version")["name"], flush=True)
{end}
"""


@pytest.mark.parametrize("end", ["", "raise SystemExit(3)", "os.kill(os.getpid(), signal.SIGKILL)", "os.kill(os.getpid(), signal.SIGTERM)"])
def test_a_private_server_ends_with_the_process(root, tmp_path, end):
    """The server holds a pipe open, which reads as closed when the server has ended."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    os.set_blocking(read, True)
    program = tmp_path / "posed"
    program.write_text(f'#!/bin/sh\nexec 9>"{pipe}" "{BUILD / "posed"}" --worker-dir "{BUILD}" "$@"\n')
    program.chmod(0o755)
    process = subprocess.Popen([sys.executable, "-c", SCRIPT.format(end=end), PACKAGE, root, program], stdout=subprocess.PIPE,
                               env=ENVIRONMENT)
    line = process.stdout.readline()
    assert line == b"posed\n"
    process.wait(30)
    assert select.select([read], [], [], 30)[0] and os.read(read, 1) == b""
    os.close(read)
    process.stdout.close()
    assert process.returncode in (0, 3, -signal.SIGKILL, -signal.SIGTERM)
