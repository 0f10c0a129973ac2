#!/usr/bin/env python3
"""make scale: computes what loads need, and where models are in a large fleet, for deploy/scale.md.

    scale.py [--write] [--instances 1000] [--models 1000000]

Prints the tables of that page; --write puts them into it. Costs come from the figures of tests/bench/README.md (make bench, make
bench-readme), placements from a simulation with a fixed seed.
"""
import argparse
import pathlib

import cost
import figures
import placement

PAGE = pathlib.Path(__file__).resolve().parents[2] / "deploy" / "scale.md"
MARKS = {name: (f"<!-- {name}: made by `make scale` -->", f"<!-- /{name} -->") for name in ("cost", "loads", "spread", "changes", "hot")}
INSTANCES, MODELS, ZIPF = 1000, 1000000, 0.9
POINTS = {16: "HAProxy, `weight 1`", 67: "Varnish's `shard` director", 160: "nginx `hash ... consistent`", 1600: "HAProxy, `weight 100`"}
LOADS = (cost.Load("a team: a thousand assets, ten million requests a day", 1e3, 9.9e6, 1e5, 100),
         cost.Load("a studio: 30,000 assets, a hundred million a day", 3e4, 9.9e7, 1e6, 1000),
         cost.Load("a game: 5,000 assets, ten thousand million a day, no pictures", 5e3, 1e10, 0, 10, peak=3),
         cost.Load("an archive: a million assets, ten million a day, a third of it pictures", 1e6, 7e6, 3e6, 2000))


def number(value):
    """Three digits, with thousands apart."""
    if value == 0:
        return "0"
    if value >= 100:
        return f"{float(f'{value:.3g}'):,.0f}"
    return f"{value:.3g}"


def size(size_bytes):
    for unit, bytes_each in (("TB", 1e12), ("GB", 1e9), ("MB", 1e6)):
        if size_bytes >= bytes_each:
            return f"{number(size_bytes / bytes_each)} {unit}"
    return f"{number(size_bytes / 1e3)} kB"


def time(time_s):
    for unit, seconds in (("h", 3600), ("min", 60)):
        if time_s >= 2 * seconds:
            return f"{number(time_s / seconds)} {unit}"
    return f"{number(time_s)} s"


def rows(head, body):
    return "\n".join(["| " + " | ".join(head) + " |", "|" + "---|" * len(head), *("| " + " | ".join(map(str, row)) + " |" for row in body)])


def cost_table(found):
    one = cost.cost(found)
    return f"On {found.machine}:\n\n" + rows(("what", "cost"), (
        ("palettes of 24 joints, one at a time over HTTP", f"{number(one.palettes_per_s)} a second a core"),
        ("palettes of 24 joints, 16 under way over TCP", f"{number(one.pipelined_per_s)} a second a core"),
        ("pictures of 256 x 256, a light character", f"{number(one.pictures_per_s)} a second a core"),
        ("pictures of 256 x 256, 19,680 triangles", f"{number(one.heavy_pictures_per_s)} a second a core"),
        ("cold imports of a character, sandboxed and checked", f"{number(one.imports_per_s)} a second a core"),
        ("a character in memory, without its textures", f"{size(one.memory_bytes)}: {number(cost.GB / one.memory_bytes)} models a GB"),
        ("a character in `--cache-dir`, with its textures", f"{size(one.disk_bytes)}: {number(cost.GB / one.disk_bytes)} models a GB")))


def loads_table(found):
    one = cost.cost(found)
    body = []
    for load in LOADS:
        needs = cost.need(load, one)
        body.append((load.name, f"{number(needs.palettes_per_s)} a second", f"{number(needs.palette_cores)} + {number(needs.picture_cores)}",
                     needs.cores, size(needs.memory_bytes), size(needs.disk_bytes), time(needs.first_import_s), time(needs.imports_a_day_s)))
    head = ("load", "palettes at the peak", "cores for palettes + pictures", "cores", "memory", "disk", "importing all once, on one core", "imports a day")
    return rows(head, body)


def times(value):
    return f"{value:.2f}x"


def spread_table(instances, models):
    hashes, shares = placement.model_hashes(models), placement.zipf(models, ZIPF)
    body = []
    for points, words in POINTS.items():
        found = placement.spread(placement.Ring(range(instances), points).owners(hashes), shares, instances)
        four = placement.spread(placement.Ring(range(4), points).owners(hashes), shares, 4)
        body.append((words, points, times(four.models_most), times(found.models_most), times(found.models_p99)))
    return rows(("balancer", "points of an instance", "most models, 4 instances", f"most models, {instances:,} instances", "99 % have at most"), body)


def changes_table(instances, models):
    hashes, shares = placement.model_hashes(models), placement.zipf(models, ZIPF)
    body = []
    for words, change in ((f"{count} lost" if way == placement.lose else f"{count} added", way(instances, 160, hashes, shares, count))
                          for way, count in ((placement.lose, 1), (placement.lose, 10), (placement.lose, 100), (placement.join, 1), (placement.join, 100))):
        body.append((words, f"{change.moved:.2%}", f"{change.without_reason:.2%}", f"{change.requests_moved:.2%}"))
    return rows((f"of {instances:,} instances", "models that move", "of these without need", "requests for them"), body)


def hot_table(found, instances, models):
    hashes, one = placement.model_hashes(models), cost.cost(found)
    body = []
    for exponent in (0.7, 0.9, 1.1):
        shares = placement.zipf(models, exponent)
        plain = placement.spread(placement.Ring(range(instances), 160).owners(hashes), shares, instances)
        body.append((exponent, "as it is", f"{shares[0]:.2%}", times(plain.requests_most), number(one.palettes_per_s * instances / plain.requests_most),
                     "0", 1))
        for bound in (1.5,):
            limited = placement.bounded(instances, 160, hashes, shares, bound)
            body.append((exponent, f"bounded to {bound:g}x", f"{shares[0]:.2%}", times(limited.most),
                         number(one.palettes_per_s * instances / limited.most), f"{limited.copies:.3%}", limited.widest))
    return rows(("Zipf's exponent", "placement", "requests for the hottest model", "busiest instance, of the mean", "palettes a second of the fleet",
                 "models twice and more", "instances with the hottest"), body)


def tables(instances=INSTANCES, models=MODELS):
    found = figures.read()
    yield "cost", cost_table(found)
    yield "loads", loads_table(found)
    yield "spread", spread_table(instances, models)
    yield "changes", changes_table(instances, models)
    yield "hot", hot_table(found, instances, models)


def fill(page, made):
    """The page with these tables between their marks."""
    for name, table in made:
        begin, end = MARKS[name]
        head, rest = page.split(begin)
        page = f"{head}{begin}\n{table}\n{end}{rest.split(end)[1]}"
    return page


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--instances", type=int, default=INSTANCES)
    parser.add_argument("--models", type=int, default=MODELS)
    options = parser.parse_args()
    if options.write and (options.instances, options.models) != (INSTANCES, MODELS):
        parser.error(f"the page is about {INSTANCES} instances and {MODELS} models")
    made = []
    for name, table in tables(options.instances, options.models):
        print(f"\n{name}\n\n{table}", flush=True)
        made.append((name, table))
    if options.write:
        PAGE.write_text(fill(PAGE.read_text(), made))
        print(f"\nwrote {PAGE.name}")


if __name__ == "__main__":
    main()
