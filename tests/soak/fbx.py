#!/usr/bin/env python3
"""Sends random FBX files to a running server, and compares every node, palette and vertex with the evaluator of tests/oracle.
Closes with one line, `N passed, M failed, K skipped`.

    fbx.py [--count 500] [--first 0] [--keep DIR]

--keep saves the files with wrong answers.
"""
import argparse
import pathlib
import shutil
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "api"))
import conftest  # noqa: E402
import test_fbx  # noqa: E402


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=test_fbx.ALL_CASES)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--keep", type=pathlib.Path)
    options = parser.parse_args()
    failed, worst = 0, 0.0
    with tempfile.TemporaryDirectory(prefix="posed-fbx-") as folder:
        root = pathlib.Path(folder)
        server = conftest.Server(root, "--render-workers", "0", "--log", "off")
        try:
            for seed in range(options.first, options.first + options.count):
                try:
                    error, where = test_fbx.seed_error(server, root, seed)
                except (AssertionError, KeyError) as e:
                    error, where = float("inf"), f"{type(e).__name__}: {str(e).splitlines()[0] if str(e) else ''}"
                path = root / f"random_{seed}.fbx"
                if error <= test_fbx.TOLERANCE:
                    worst = max(worst, error)
                else:
                    failed += 1
                    print(f"seed {seed}: {error:.2e} of the model's size, {where}", flush=True)
                    if options.keep:
                        options.keep.mkdir(parents=True, exist_ok=True)
                        shutil.copy(path, options.keep)
                path.unlink()
        finally:
            server.end()
    print(f"the worst of the good ones is off by {worst:.1e} of its model's size")
    print(f"{options.count - failed} passed, {failed} failed, 0 skipped")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
