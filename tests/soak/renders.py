#!/usr/bin/env python3
"""Draws ten thousand pictures of mixed models, views and sizes. The worker must survive, take no more memory than after the first
thousand, and draw the same pictures at the end as at the beginning. Closes with one line, `N passed, M failed, K skipped`.

    renders.py [--count 10000]
"""
import argparse
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "api"))
import conftest  # noqa: E402
import render_loads  # noqa: E402

SLACK_KIB = 4096


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=10000)
    options = parser.parse_args()
    failed = 0
    with tempfile.TemporaryDirectory(prefix="posed-renders-") as folder:
        root = pathlib.Path(folder)
        targets = render_loads.queries(render_loads.make_models(root))
        server = conftest.Server(root, "--render-workers", "1", "--log", "off")
        try:
            first, drawn = render_loads.sums(server, targets), len(targets)
            (pid,) = render_loads.workers(server)
            level = None
            while drawn < options.count:
                failed += render_loads.sums(server, targets) != first
                drawn += len(targets)
                if level is None and drawn >= options.count // 10:
                    level = render_loads.resident_kib(pid)
            end = render_loads.resident_kib(pid)
            failed += render_loads.workers(server) != [pid]
            failed += end > level + SLACK_KIB
            print(f"{drawn} pictures, {len(targets)} different ones; the worker took {level} KiB after a tenth of them, {end} KiB at the end")
        finally:
            server.end()
    print(f"{drawn} passed, {failed} failed, 0 skipped")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
