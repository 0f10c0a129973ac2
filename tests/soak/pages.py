#!/usr/bin/env python3
"""Measures how late frames arrive while three hundred pages of a model are open, each with a stream of palettes over a WebSocket
like that of the real page. Meanwhile pages of the gallery ask for changes. Every frame must equal the answer to a request.

    pages.py [--count 300] [--rate 30] [--seconds 20] [--late-ms 250]

Closes with one line, `N passed, M failed, K skipped`.
"""
import argparse
import multiprocessing
import pathlib
import random
import selectors
import shutil
import struct
import sys
import tempfile
import time
import urllib.parse

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "api"))
import conftest  # noqa: E402
from packets import HEADER, connect, packet, subscribe  # noqa: E402
from raw_requests import file_limit  # noqa: E402

CREDIT = 8        # frames under way, as in a page
READERS = 2       # processes that read in place of the pages
KEPT_SHARE = 50   # one of this many frames is compared with a request's answer
LISTS_S = 3       # the interval at which a page of the gallery asks for changes


class Page:
    """One page: its connection, and the times at which its frames arrived."""

    def __init__(self, ports, number, rate):
        self.link = connect(ports, "ws")
        self.model = self.link.open("robot.glb")
        self.rate = rate
        self.first = None   # (time, tick) of the frame that was earliest by its clock
        self.late_s = []
        self.skipped = 0
        self.kept = []
        self.unread = b""
        position_s = number % 10 / 10
        self.link.send(packet("subscribe", subscribe(clip=0, layout=1, credit=CREDIT, rate=rate, position_s=position_s), id=7, model=self.model))
        assert self.link.read().kind == "done"
        self.unread = self.link.raw
        self.link.socket.setblocking(False)

    def messages(self):
        """The complete messages so far. Servers send them unmasked and in one frame (RFC 6455, 5.2)."""
        while True:
            try:
                data = self.link.socket.recv(1 << 18)
            except BlockingIOError:
                break
            assert data, "the server closed a page's stream"
            self.unread += data
        at = 0
        while len(self.unread) - at >= 4:
            size, start = self.unread[at + 1], at + 2
            if size == 126:
                size, start = struct.unpack_from(">H", self.unread, at + 2)[0], at + 4
            elif size == 127:
                if len(self.unread) - at < 10:
                    break
                size, start = struct.unpack_from(">Q", self.unread, at + 2)[0], at + 10
            if len(self.unread) < start + size:
                break
            assert self.unread[at] == 0x82, "a message is whole and binary"
            yield self.unread[start:start + size]
            at = start + size
        self.unread = self.unread[at:]

    def read(self, chance):
        now, count = time.monotonic(), 0
        for message in self.messages():
            size, = struct.unpack_from("<I", message)
            tick, skipped = struct.unpack_from("<QI", message, HEADER)
            frames = message[HEADER + 16:HEADER + size]
            count += 1
            self.skipped += skipped
            self.late_s.append((now, tick))
            if chance.random() * KEPT_SHARE < 1:
                self.kept.append(frames)
        if count:
            self.link.socket.setblocking(True)
            self.link.send(packet("credit", struct.pack("<II", 7, count), id=1))
            self.link.socket.setblocking(False)

    def lateness_ms(self):
        """For each frame, the delay after its due time, which the earliest frame defines."""
        base = min(came - tick / self.rate for came, tick in self.late_s)
        return [(came - tick / self.rate - base) * 1000 for came, tick in self.late_s]


def read_pages(ports, numbers, options, results):
    chance = random.Random(numbers[0])
    selector = selectors.DefaultSelector()
    pages = [Page(ports, number, options.rate) for number in numbers]
    for page in pages:
        selector.register(page.link.socket, selectors.EVENT_READ, page)
    end = time.monotonic() + options.seconds
    while time.monotonic() < end:
        for key, _ in selector.select(0.2):
            key.data.read(chance)
    results.put(([late for page in pages for late in page.lateness_ms()], sum(page.skipped for page in pages),
                 [frames for page in pages for frames in page.kept], min(len(page.late_s) for page in pages)))


def ask_for_changes(address, count, end, results):
    """The requests of `count` pages of the gallery."""
    times, tag = [], None
    with conftest.Connection(address) as one:
        while time.time() < end:
            began = time.monotonic()
            answer = one.get("/v1/models?folders=1", *([f"If-None-Match: {tag}"] if tag else []))
            times.append((time.monotonic() - began) * 1000)
            assert answer.status == (304 if tag else 200)
            tag = answer.headers["etag"]
            time.sleep(max(0, LISTS_S / count - (time.monotonic() - began)))
    results.put(sorted(times))


def share(values, of):
    return values[min(len(values) - 1, int(len(values) * of))]


def open_pages(server, options):
    """Yield what succeeded. Raises AssertionError on a failure."""
    results, asked = multiprocessing.Queue(), multiprocessing.Queue()
    readers = [multiprocessing.Process(target=read_pages, args=(server.ports, range(i, options.count, READERS), options, results), daemon=True)
               for i in range(READERS)]
    lists = multiprocessing.Process(target=ask_for_changes, args=(server.address, options.count, time.time() + options.seconds, asked), daemon=True)
    for one in [*readers, lists]:
        one.start()
    late, skipped, kept, least = [], 0, [], None
    for _ in readers:
        found = results.get(timeout=options.seconds + conftest.PATIENCE_S)
        late += found[0]
        skipped += found[1]
        kept += found[2]
        least = found[3] if least is None else min(least, found[3])
    late.sort()
    yield (f"{options.count} pages, {len(late)} frames of {options.count * options.rate * options.seconds:.0f}, {skipped} left out; "
           f"late by {share(late, 0.5):.1f} ms in the median, p99 {share(late, 0.99):.1f} ms, at most {late[-1]:.1f} ms")
    assert least > options.rate, f"a page got {least} frames"
    assert share(late, 0.99) < options.late_ms, f"p99 is above {options.late_ms} ms: is the machine busy?"
    yield f"p99 is below {options.late_ms} ms"
    times = asked.get(timeout=conftest.PATIENCE_S)
    yield f"{len(times)} questions of the gallery: median {share(times, 0.5):.1f} ms, p99 {share(times, 0.99):.1f} ms"
    answers = {}
    for frames in kept:
        moment, = struct.unpack_from("<d", frames, 96 + 32 * struct.unpack_from("<I", frames, 20)[0])
        if moment not in answers:
            query = urllib.parse.urlencode({"model": "robot.glb", "clip": 0, "layout": "mat3x4", "format": "bin", "t": repr(moment)})
            answers[moment] = server.get("/v1/palette?" + query).body
        assert answers[moment] == frames, f"the frame of {moment} s is another than a request's"
    assert kept
    yield f"{len(kept)} frames of {len(answers)} moments are those of requests"
    for one in [*readers, lists]:
        one.join()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--rate", type=float, default=30)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--late-ms", type=float, default=250, help="of the p99; two quiet cores have a tenth of it")
    options = parser.parse_args()
    if not file_limit(options.count + 100):
        print("0 passed, 0 failed, 1 skipped")
        return 0
    with tempfile.TemporaryDirectory() as root:
        shutil.copy(conftest.SAMPLES / "robot.glb", root)
        server = conftest.Server(root, "--render-workers", "0", "--max-connections", str(options.count + 20))
        passed = failed = 0
        try:
            for what in open_pages(server, options):
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
