#!/usr/bin/env python3
"""Measures how long posed's writer and cJSON take to write a palette of 24 joints as JSON, in one program, with the same bits.

    json_floats.py [--joints 24] [--repeat 5]

Prints a table, and a line of JSON for each layout: CPU time of a palette in ns (medians of the medians of the runs), and the ratio.
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess

BENCH = pathlib.Path(os.environ.get("POSED_BUILD", "build")) / "bench" / "json_floats"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--joints", type=int, default=24)
    parser.add_argument("--repeat", type=int, default=5)
    options = parser.parse_args()
    runs = [[json.loads(line) for line in subprocess.check_output([BENCH, str(options.joints)], text=True).splitlines()]
            for _ in range(options.repeat)]
    print(f"{'palette as JSON':18} {'posed':>10} {'cJSON':>10} {'ratio':>7}")
    rows = [{**same[0], **{key: round(statistics.median(row[key] for row in same), 2)
                           for key in same[0] if key.endswith(("_ns", "_per_float")) or key == "ratio"}} for same in zip(*runs)]
    for row in rows:
        print(f"{row['layout']:8} {row['joints']:2} joints {row['posed_ns'] / 1e3:7.2f} us {row['cjson_ns'] / 1e3:7.1f} us {row['ratio']:6.1f}x")
    for row in rows:
        print(json.dumps(row))


if __name__ == "__main__":
    main()
