"""protocol/examples: the server answers with these bytes on every transport, and protocol/tcp.md shows these files."""
import os
import socket

import pytest

import contract_model
import packet_examples
from conftest import Server
from packets import NAME, Link, connect

pytestmark = pytest.mark.short
NAMES = sorted(path.stem for path in packet_examples.FOLDER.glob("*.txt"))


@pytest.fixture(scope="module")
def ports(tmp_path_factory):
    if os.environ.get("POSED_SERVER"):
        pytest.skip("needs a server of its own")
    path = str(tmp_path_factory.mktemp("examples") / "s")
    running = Server(packet_examples.FOLDER, "--tcp", "127.0.0.1:0", "--unix", path)
    yield running.ports
    running.end()
    assert running.process.returncode == 0


def test_there_is_an_example_of_every_kind():
    kinds = set()
    for name in NAMES:
        for step in packet_examples.load(name)[1]:
            if step.bytes[:4] != list(b"\x89PSD"):
                kinds.add(NAME.get(step.bytes[4] + 256 * step.bytes[5]))
    # A changing file has no bytes to replay; a GLB and an HTML page are as long as a file.
    assert set(NAME.values()) - kinds == {"changed", "glb", "other"}


@pytest.mark.parametrize("port", ["tcp", "unix", "ws"])
@pytest.mark.parametrize("name", NAMES)
def test_example_is_what_the_server_says(ports, name, port):
    with connect(ports, port, greet=False) as link:
        packet_examples.replay(link, name)
        if name == "malformed":
            assert link.read() is None
            return
        link.socket.shutdown(socket.SHUT_WR)
        assert link.read() is None, "nothing comes but what the example has"


def test_an_example_that_is_wrong_is_noticed(ports):
    _, (asked, answered) = packet_examples.load("palette")
    for at in 0, 8, len(answered.bytes) - 1:
        with Link(ports["tcp"], greet=False) as link:
            packet_examples.replay(link, "open")
            link.send(bytes(asked.bytes))
            got = packet_examples.whole(link)
        assert answered.matches(got)
        answered.bytes[at] ^= 1
        assert not answered.matches(got)
        answered.bytes[at] ^= 1


def test_document_shows_the_files():
    shown = packet_examples.blocks(packet_examples.DOCUMENT.read_text())
    assert shown == {name: (packet_examples.FOLDER / f"{name}.txt").read_text() for name in NAMES}


def test_model_of_the_examples_is_that_of_the_contract():
    assert (packet_examples.FOLDER / packet_examples.MODEL).read_text() == contract_model.awkward()
