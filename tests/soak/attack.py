#!/usr/bin/env python3
"""Attacks servers of several configurations, one after the other, in many ways at once. No answer to an honest client may be wrong.
When all attackers have left, the server must be back in its former state and end when it is told to. Between two servers, the
records of the disk cache are exchanged. Every second server under the wide attacks is killed during uploads.

    attack.py [--seconds 300] [--seed 1] [--only words of a name]

Closes with one line, `N passed, M failed, K skipped`.
"""
import argparse
import pathlib
import signal
import socket
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "api"))
import conftest  # noqa: E402
import importers  # noqa: E402
import renderers  # noqa: E402
from attacks import crowd, uploads, work  # noqa: E402
from attacks.battle import STAGE, WORKERS, Battle  # noqa: E402
from attacks.honest import Notes  # noqa: E402

WIDE = {"oversize": work.oversize, "odd forms": crowd.forms, "pieces": crowd.pieces, "handles": crowd.handles, "streams": crowd.streams,
        "over good models": uploads.over_good_models, "companions": uploads.companions, "deep": uploads.deep,
        "whole or not": uploads.whole_or_not, "bad imports": work.bad_imports, "bad renders": work.bad_renders}
TIGHT = {"waves": crowd.waves, "more waves": crowd.waves, "odd forms": crowd.forms, "bad imports": work.bad_imports,
         "over good models": uploads.over_good_models}
# name: loops, where it listens, how many files it may open (None: enough), the attacks
SETUPS = {
    "one loop": (1, "127.0.0.1", None, WIDE),
    "72 files": (1, "127.0.0.1", 72, TIGHT),
    "two loops, IPv6": (2, "[::1]", None, WIDE),
    "two loops, 96 files": (2, "127.0.0.1", 96, TIGHT),
    "four loops": (4, "127.0.0.1", None, WIDE),
    "four loops, IPv6, 128 files": (4, "[::1]", 128, TIGHT),
}


def has_ipv6():
    try:
        with socket.socket(socket.AF_INET6) as one:
            one.bind(("::1", 0))
        return True
    except OSError:
        return False


def exchange_records(cache):
    """Now and then each index file gets the content of another one, and each model file, too."""
    for ending in (".index", ".model"):
        paths = sorted(path for path in cache.iterdir() if path.suffix == ending)
        contents = [path.read_bytes() for path in paths]
        for path, content in zip(paths, contents[1:] + contents[:1]):
            path.write_bytes(content)


def round_of(battle, notes, name, seconds, seed, is_killed):
    loops, host, files, attacks = SETUPS[name]
    before = len(battle.faults)
    battle.begin(loops, host, files)
    with battle.connect() as connection:
        for target in notes.list:  # memory that the server takes for its work is no leak
            notes.check(battle, target, connection.get(target))
    level = battle.level()
    honest = {"honest": notes.http, "honest too": notes.http, "honest packets": notes.by_packets}
    battle.fight({**honest, **attacks}, seconds, f"{seed}/{name}")
    if is_killed:
        battle.fight({"whole or not": uploads.whole_or_not, "whole": uploads.whole_or_not}, 1, seed)
        battle.end(name, signal.SIGKILL)
    else:
        battle.settle(level, name)
        crowd.check_health(battle)
        battle.end(name)
    right = battle.counts["honest: right"] + battle.counts["honest: right by packets"]
    print(f"{'ok' if len(battle.faults) == before else 'FAILED'}  {name}{', killed' if is_killed else ''}: {right} right answers so far",
          flush=True)
    exchange_records(battle.cache)
    return len(battle.faults) == before


def has_nothing_half(battle):
    """After the server was killed and the next has started: the listed models are complete, and nothing else exists."""
    before = len(battle.faults)
    battle.begin(calm=True)
    uploads.check_whole(battle)
    battle.wait_for("last", "a stage of a killed server is removed", lambda: not list(battle.uploads.rglob(f"{STAGE}*")))
    battle.end("last")
    return len(battle.faults) == before


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=300)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    names = [name for name in SETUPS if options.only in name]
    skipped = [name for name in names if "IPv6" in name and not has_ipv6()]
    names = [name for name in names if name not in skipped]
    passed = failed = 0
    with tempfile.TemporaryDirectory(prefix="posed-attack-") as folder:
        programs = pathlib.Path(folder) / "bin"
        real = [str((conftest.BUILD / "posed-render").resolve())]
        importers.install(programs, work.IMPORTER)
        rendering, _ = renderers.install(programs, work.RENDERER.replace("{real!r}", f"{real!r} + sys.argv[1:]"), WORKERS)
        battle = Battle(folder, rendering)
        battle.begin(calm=True)
        notes = Notes(battle)
        battle.end("calm")
        for number, name in enumerate(names):
            is_killed = SETUPS[name][2] is None and number % 4 == 0
            is_good = round_of(battle, notes, name, options.seconds / len(names), options.seed, is_killed)
            passed, failed = passed + is_good, failed + (not is_good)
        passed, failed = (passed + 1, failed) if has_nothing_half(battle) else (passed, failed + 1)
    for what, count in sorted(battle.counts.items()):
        print(f"  {count:7} {what}")
    print(f"{passed} passed, {failed} failed, {len(skipped)} skipped")
    return 1 if failed or battle.faults else 0


if __name__ == "__main__":
    sys.exit(main())
