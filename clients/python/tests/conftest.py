"""Tests of the Python client over a real server.

POSED_BUILD    folder of posed and its workers (default: build of the repository)
POSED_SAMPLES  folder of the sample models (default: build/samples)
"""
import os
import pathlib
import shutil
import sys

import pytest

PACKAGE = pathlib.Path(__file__).resolve().parents[1]
REPOSITORY = PACKAGE.parents[1]
PROTOCOL = REPOSITORY / "protocol"
BUILD = pathlib.Path(os.environ.get("POSED_BUILD", REPOSITORY / "build"))
SAMPLES = pathlib.Path(os.environ.get("POSED_SAMPLES", REPOSITORY / "build" / "samples"))
sys.path[:0] = [str(PACKAGE), str(REPOSITORY / "tests" / "api" / "support")]

import posed  # noqa: E402

# Long timeouts of the server: a test or a worker that waits for the processor is not a failure.
PATIENT = {f"POSED_{name}_TIMEOUT": "120s" for name in ("HEADER", "IDLE", "BODY", "WRITE", "IMPORT", "SETTLE", "RENDER")}
ENVIRONMENT = {**{k: v for k, v in os.environ.items() if not k.startswith("POSED_")}, **PATIENT, "POSED_CACHE_DIR": "none"}
PORTS = ("--http", "127.0.0.1:0", "--tcp", "127.0.0.1:0")


def start(root, *options, **more):
    return posed.serve(root, *PORTS, *options, program=BUILD / "posed", env=ENVIRONMENT, **more)


@pytest.fixture(scope="session")
def root(tmp_path_factory):
    """The sample robot and the model of all awkward cases."""
    folder = tmp_path_factory.mktemp("models")
    shutil.copy(SAMPLES / "robot.glb", folder)
    shutil.copy(PROTOCOL / "examples" / "awkward.gltf", folder)
    return folder


@pytest.fixture(scope="session")
def server(root):
    with start(root) as running:
        yield running


def addresses(server):
    """The server's addresses for `posed.connect`."""
    return {"tcp": server.ports["tcp"], "unix": server.address, "http": "http://" + server.ports["http"],
            "http+unix": "http+" + server.address, "ws": "ws://" + server.ports["http"]}


WAYS = ("tcp", "unix", "http", "http+unix", "ws")


@pytest.fixture(params=WAYS)
def client(request, server):
    with posed.connect(addresses(server)[request.param]) as connected:
        yield connected
