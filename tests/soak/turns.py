#!/usr/bin/env python3
"""Sends each operation at the largest sizes that the limits allow, over HTTP, TCP and a WebSocket, to servers with one and two loops, and
reads how much processor time the longest turn of their loops took. Closes with one line, `N passed, M failed, K skipped`.

    turns.py [--repeat 5] [--words PART]

Each request and its repetitions go to a server of their own. The bound is that of one request (2 ms) plus an allowance for the turn's
other work and a busy machine. A table lists the longest turns first.
"""
import argparse
import pathlib
import sys
import tempfile

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[1] / "api"), str(pathlib.Path(__file__).resolve().parents[1] / "api" / "support")]
import conftest  # noqa: E402
import large_requests  # noqa: E402

BOUND_US = 5000


def longest_turn_us(root, name, way, loops, repeat):
    target, body = large_requests.REQUESTS[name]()
    server = conftest.Server(root, "--loops", str(loops), "--tcp", "127.0.0.1:0", "--log", "off", draws=False)
    try:
        for model in large_requests.MODELS:
            answer = server.get(f"/v1/bounds?model={model}")  # a short one
            assert answer.status == 200, answer.body
        for _ in range(repeat):
            large_requests.ask(server, way, target, body)
        return server.json("/v1/stats")["loops"]["longest_turn_us"]
    finally:
        server.end()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--words", default="", help="only requests whose name has these")
    options = parser.parse_args()
    found = []
    with tempfile.TemporaryDirectory(prefix="posed-turns-") as root:
        large_requests.put_models(pathlib.Path(root))
        for name in large_requests.REQUESTS:
            for way in large_requests.WAYS if options.words in name else ():
                for loops in 1, 2:
                    found.append((longest_turn_us(root, name, way, loops, options.repeat), name, way, loops))
                    print(f"{found[-1][0]:8} us  {name}, {way}, {loops} loops", flush=True)
    found.sort(reverse=True)
    print("the longest turns:")
    for turn_us, name, way, loops in found[:20]:
        print(f"{turn_us:8} us  {name}, {way}, {loops} loops{'' if turn_us < BOUND_US else ': FAULT'}")
    failed = sum(turn_us >= BOUND_US for turn_us, *_ in found)
    print(f"{len(found) - failed} passed, {failed} failed, 0 skipped")
    return 1 if failed or not found else 0


if __name__ == "__main__":
    sys.exit(main())
