"""A root that is an rclone mount of nginx. Each part of it stops and comes back, and no existing model is 404 or 500."""
import os
import signal

import pytest

from conftest import wait_until
from importers import NO_RENDERING, imports
from small_models import gltf, place
from sources import Mount, WebServer

OPTIONS = ("--watch-interval", "100ms", "--source-timeout", "500ms", *NO_RENDERING)


@pytest.fixture
def web(tmp_path):
    one = WebServer(tmp_path / "web")
    try:
        one.put("a.gltf", gltf(x=1).encode())
        one.put("b.gltf", gltf(x=2).encode())
        yield one
    finally:
        one.end()


@pytest.fixture
def mount(tmp_path, web):
    one = Mount(tmp_path, tmp_path / "mnt", web)
    yield one
    one.end()


def ask(server, model="a.gltf"):
    return server.get(f"/v1/palette?model={model}")


def is_stale(server, model="a.gltf"):
    answer = ask(server, model)
    assert answer.status == 200, answer.body
    return "x-posed-stale" in answer.headers


def check_outage(server, web, first, stop, come_back):
    """During the outage known models stay the same, others are 503. Afterwards changes are seen, and deleted models are 404."""
    wait_until(lambda: not is_stale(server), "the model is stale before the outage")
    stop()
    wait_until(lambda: is_stale(server), "the model is not stale")
    stale = ask(server)
    assert stale.body == first.body and stale.headers["etag"] == first.headers["etag"]
    for model in ("b.gltf", "none.gltf"):
        answer = ask(server, model)
        assert (answer.status, answer.error()) == (503, "source_unavailable") and answer.headers["retry-after"]
    assert server.json("/v1/stats")["source"]["available"] == 0 and server.get("/healthz").status == 200
    come_back()
    wait_until(lambda: not is_stale(server), "the model stays stale")
    assert ask(server).body == first.body
    wait_until(lambda: ask(server, "b.gltf").status == 200, "the other model stays unavailable")
    assert place(ask(server, "b.gltf")) == 2 and ask(server, "none.gltf").status == 404
    wait_until(lambda: server.json("/v1/stats")["source"]["available"] == 1, "the root stays unavailable")
    web.put("a.gltf", gltf(x=7).encode() + b" ")  # of another size, because times of HTTP are whole seconds
    wait_until(lambda: place(ask(server)) == 7, "a change is not seen")
    web.remove("a.gltf")
    wait_until(lambda: ask(server).status == 404, "a deleted model is still there")
    server.wait_for_line("cannot be read")
    server.wait_for_line("can be read again")


def test_nginx_ends_and_begins_again(start, web, mount):
    server = start(*OPTIONS, root=mount.path)
    check_outage(server, web, ask(server), web.end, web.begin)


def test_rclone_is_killed_and_mounts_again(start, web, mount):
    """First the mount is dead (ENOTCONN). Then it is gone, and the folder beneath it is visible. Then there is a new one."""
    server = start(*OPTIONS, root=mount.path)
    first = ask(server)

    def stop():
        mount.program.end(signal.SIGKILL)
        wait_until(lambda: is_stale(server), "the model is not stale")
        mount.unmount()
        assert os.listdir(mount.path) == []
        for _ in range(20):
            assert is_stale(server)

    check_outage(server, web, first, stop, mount.begin)


def test_the_folder_beneath_the_mount_is_not_empty(start, tmp_path, web):
    path = tmp_path / "mnt"
    path.mkdir()
    (path / "b.gltf").write_text(gltf(x=99))
    mount = Mount(tmp_path, path, web)
    try:
        server = start(*OPTIONS, root=path)
        first = ask(server)

        def stop():
            mount.end()
            assert os.listdir(path) == ["b.gltf"]
        check_outage(server, web, first, stop, mount.begin)
    finally:
        mount.end()


def test_rclone_stops_and_goes_on(start, web, mount):
    """Hanging calls: requests are answered nevertheless, and none of them takes a thread."""
    server = start(*OPTIONS, root=mount.path)
    first = ask(server)
    check_outage(server, web, first, lambda: mount.program.send(signal.SIGSTOP), lambda: mount.program.send(signal.SIGCONT))
    threads = len(os.listdir(f"/proc/{server.process.pid}/task"))
    web.put("a.gltf", gltf(x=1).encode())
    wait_until(lambda: ask(server).status == 200, "the model is not there")
    mount.program.send(signal.SIGSTOP)
    wait_until(lambda: is_stale(server), "the model is not stale")
    for i in range(100):
        assert ask(server, f"{i}.gltf").status == 503
    assert len(os.listdir(f"/proc/{server.process.pid}/task")) <= threads + 2
    mount.program.send(signal.SIGCONT)


def test_a_restart_before_the_outage(start, tmp_path, web, mount):
    """Then the model is on disk only."""
    options = (*OPTIONS, "--cache-dir", str(tmp_path / "cache"))
    server = start(*options, root=mount.path)
    first = ask(server)
    wait_until(lambda: server.json("/v1/stats")["disk"]["stored"] == 1, "nothing is stored")
    server.end()
    server = start(*options, root=mount.path)
    web.end()
    wait_until(lambda: ask(server, "none.gltf").status == 503, "rclone still has its list")
    stale = ask(server)
    assert is_stale(server) and stale.body == first.body and imports(server) == 0
    web.begin()
