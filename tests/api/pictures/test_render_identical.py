"""The same queries give the same bytes: in each run, with any number of workers, in every process, with either driver. Drawing does not use
more and more memory."""
import sys

import pytest

import conftest
from render_loads import make_models, queries, resident_kib, sums, workers
from renderers import install_script

ONE = ("--render-workers", "1")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    root = tmp_path_factory.mktemp("pictures")
    return root, queries(make_models(root))


@pytest.fixture(scope="module")
def expected(folder):
    root, targets = folder
    server = conftest.Server(root, *ONE)
    try:
        first = sums(server, targets)
        assert first == sums(server, targets), "a second run has other pictures"
        return first
    finally:
        server.end()


def test_there_are_enough_different_pictures(expected):
    found = [one for one in expected if one is not None]
    assert len(found) >= 40 and len(set(found)) >= 36


def test_other_process_other_order_more_workers(folder, expected):
    root, targets = folder
    server = conftest.Server(root, "--render-workers", "3")
    try:
        # from the last to the first, so that each picture follows another one
        assert sums(server, targets[::-1])[::-1] == expected
    finally:
        server.end()


def test_egl_draws_what_osmesa_draws(folder, expected, tmp_path):
    """A worker with EGL instead of the usual driver."""
    real = str((conftest.BUILD / "posed-render").resolve())
    script = f"#!{sys.executable}\nimport os, sys\nos.execv({real!r}, [{real!r}, *sys.argv[1:], '--gl', 'egl'])\n"
    root, targets = folder
    server = conftest.Server(root, *ONE, *install_script(tmp_path / "workers", script))
    try:
        if server.get(targets[0]).status == 503:
            pytest.skip("no EGL here")
        renderer = server.json("/v1/version")["renderer"]
        assert ", EGL," in renderer
        assert sums(server, targets) == expected
    finally:
        server.end()


@pytest.mark.skipif(conftest.is_sanitized(), reason="sanitizers keep what was freed")
def test_memory_stays_level(folder):
    root, targets = folder
    server = conftest.Server(root, *ONE)
    try:
        sums(server, targets)
        (pid,) = workers(server)
        before = resident_kib(pid)
        for _ in range(2):
            sums(server, targets)
        assert workers(server) == [pid], "the worker was replaced"
        assert resident_kib(pid) < before + 4096
    finally:
        server.end()
