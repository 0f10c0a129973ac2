#!/usr/bin/env python3
"""Holds ten thousand idle connections. They must cost little and must not slow other requests; further ones get 503 and are closed.

    connections.py [--count 10000]

Closes with one line, `N passed, M failed, K skipped`.
"""
import argparse
import pathlib
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "api"))
import conftest  # noqa: E402
from raw_requests import connect_many, file_limit  # noqa: E402
from server_state import memory_kib, wait_for_stats  # noqa: E402
from small_models import gltf  # noqa: E402


SPARE = 8  # connections beside the idle ones


def palettes_ms(server, count=300):
    """The sorted times of palettes over a connection of their own."""
    times = []
    with server.connect() as one:
        for i in range(count):
            began = time.monotonic()
            if one.get(f"/v1/palette?model=a.gltf&t={i / 100}").status != 200:
                raise AssertionError("a palette was not answered")
            times.append((time.monotonic() - began) * 1000)
    return sorted(times)


def wait_until_full(server, count):
    """Opens no connection, because there would be no room for it."""
    wait_for_files(server, lambda files: files >= count)


def wait_for_files(server, is_it):
    files = pathlib.Path(f"/proc/{server.process.pid}/fd")
    deadline = time.monotonic() + conftest.PATIENCE_S
    while not is_it(len(list(files.iterdir()))):
        assert time.monotonic() < deadline
        time.sleep(0.1)


def hold(server, count):
    """Yield what succeeded. Raises AssertionError on a failure."""
    before_kib, alone = memory_kib(server), palettes_ms(server)
    clients = connect_many(server, count)
    wait_for_stats(server, lambda stats: stats["connections"]["open"] == count + 1)
    each_kib = (memory_kib(server) - before_kib) / count
    assert each_kib < 8, f"{each_kib:.1f} KiB of memory for each connection"
    yield f"{count} idle connections, {each_kib:.2f} KiB each"
    beside = palettes_ms(server)
    yield (f"palettes: median {alone[150]:.3f} ms and p99 {alone[297]:.3f} ms alone, "
           f"{beside[150]:.3f} ms and {beside[297]:.3f} ms beside them")
    for one in clients:
        one.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
    for one in clients:
        assert one.recv(4096).startswith(b"HTTP/1.1 200")
    yield "each of them was answered"
    clients += connect_many(server, SPARE)
    wait_until_full(server, count + SPARE)
    more = connect_many(server, 20)
    for one in more:
        assert one.recv(4096).startswith(b"HTTP/1.1 503")
        one.close()
    yield "more than --max-connections are answered 503"
    for one in clients:
        one.close()
    wait_for_files(server, lambda files: files < count)  # there is room to ask
    stats = wait_for_stats(server, lambda stats: stats["connections"]["open"] == 1)["connections"]
    assert stats["timed_out"] == 0 and stats["refused"] >= 20, stats
    assert memory_kib(server) - before_kib < 8 * count
    yield "all of them left"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=10000)
    count = parser.parse_args().count
    if not file_limit(count + 100):
        print(f"this process may not open {count} files: raise the hard limit, ulimit -Hn")
        print("0 passed, 0 failed, 1 skipped")
        return 0
    with tempfile.TemporaryDirectory() as root:
        (pathlib.Path(root) / "a.gltf").write_text(gltf())
        server = conftest.Server(root, "--render-workers", "0", "--header-timeout", "10min", "--idle-timeout", "10min",
                                 "--max-connections", str(count + SPARE), "--max-connections-per-address", str(2 * count))
        passed = failed = 0
        try:
            for what in hold(server, count):
                passed += 1
                print(what, flush=True)
        except AssertionError as fault:
            failed = 1
            print("FAULT", fault)
        finally:
            server.end()
    if server.process.returncode != 0:
        failed += 1
        print(f"FAULT the server ended with {server.process.returncode}")
    print(f"{passed} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
