#!/usr/bin/env python3
"""Checks which folders call each other, from the object files (nm); tests/layers.sh checks the includes. Prints each breach.

    tests/calls.py build/obj

A folder of server/ calls only layers and folders that tests/layers.txt names. No two folders of server/ or of clients/cli include or call
each other, directly or through others. Inside a folder, at most FILES_MAX files call each other in a circle."""
import collections
import pathlib
import re
import subprocess
import sys

TOP = pathlib.Path(__file__).resolve().parents[1]
FILES_MAX = 5


def table():
    """({layer: layers}, {folder: folders}) that may be included."""
    layers, folders = {}, {}
    for line in (TOP / "tests/layers.txt").read_text().splitlines():
        row = re.match(r"(layer )?([a-z0-9/_]+):([^|]*)", line)
        if row and row[1]:
            layers[row[2]] = set(row[3].split())
        elif row:
            layer = row[2].split("/")[0]
            folders[row[2]] = {f"{layer}/{name}" for name in row[3].split()}
    return layers, folders


def sources_of(objects):
    """{object file: the source that it is made of} in server/ and clients/cli."""
    found = {}
    for path in sorted(objects.rglob("*.o")):
        source = path.relative_to(objects).with_suffix("")
        if not any((TOP / f"{source}{ending}").exists() for ending in (".c", ".cpp")):
            continue  # left by a source that has moved
        if source.parts[0] == "server" or source.parts[:2] == ("clients", "cli"):
            found[path] = str(source)
    return found


def calls(objects):
    """{source: {source: symbols}} of what lies in server/ and clients/cli: tags of nm are upper case where a symbol is seen outside."""
    defined, used = {"server": {}, "clients": {}}, collections.defaultdict(set)
    paths = {str(path): source for path, source in sources_of(objects).items()}
    # one process for all: each takes longer to start than to read a file
    listed = subprocess.run(["nm", "-PA", *paths], capture_output=True, text=True, check=True).stdout if paths else ""
    for line in listed.splitlines():
        path, symbol, tag = line.split()[:3]
        source = paths[path.removesuffix(":")]
        if tag == "U":
            used[source].add(symbol)
        elif tag in "TDBRVWC":
            defined[pathlib.PurePath(source).parts[0]].setdefault(symbol, source)
    graph = collections.defaultdict(lambda: collections.defaultdict(set))
    for source, symbols in used.items():
        # posectl has functions of its own with names of the server's, and links one file of it.
        known = {**defined["server"], **(defined["clients"] if source.startswith("clients") else {})}
        for symbol in symbols:
            if known.get(symbol, source) != source:
                graph[source][known[symbol]].add(symbol)
    return graph


def circles(graph):
    """The sets of nodes that reach each other, of two nodes or more (Tarjan 1972, without recursion)."""
    number, low, stack, found = {}, {}, [], []
    for root in sorted(graph):
        work = [(root, iter(sorted(graph[root])))] if root not in number else []
        while work:
            node, rest = work[-1]
            if node not in number:
                number[node] = low[node] = len(number)
                stack.append(node)
            for child in rest:
                if child not in number:
                    work.append((child, iter(sorted(graph.get(child, ())))))
                    break
                if child in stack:
                    low[node] = min(low[node], number[child])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == number[node]:
                    at = stack.index(node)
                    found.append(sorted(stack[at:]))
                    del stack[at:]
    return [circle for circle in found if len(circle) > 1]


def folder_of(source):
    return str(pathlib.PurePath(source).parent).removeprefix("server/")


def client_folders(graph):
    """{folder of posectl: the others that it includes or calls}. What lies above the folders has them all."""
    found = collections.defaultdict(set)
    for path in (TOP / "clients/cli").glob("*/*.[ch]"):
        for other in re.findall(r'^#include "(clients/cli/[^/]+)/', path.read_text(), re.M):
            found[f"clients/cli/{path.parent.name}"].add(other)
    for source, targets in graph.items():
        for target in targets:
            if source.count("/") == 3 and target.startswith("clients/cli/") and target.count("/") == 3:
                found[folder_of(source)].add(folder_of(target))
    return {here: others - {here} for here, others in found.items()}


def breaches(objects):
    layers, folders = table()
    graph = calls(objects)
    if not graph:
        yield f"no object files in {objects}"
    inside = collections.defaultdict(dict)
    for source, targets in graph.items():
        here = folder_of(source)
        inside[here][source] = {target for target in targets if folder_of(target) == here}
        for target, symbols in targets.items():
            there = folder_of(target)
            layer, other = here.split("/")[0], there.split("/")[0]
            is_server = source.startswith("server/")
            if is_server and layer != other and other not in layers[layer]:
                yield f"{source} calls {', '.join(sorted(symbols))} of {target}: {layer} may not call {other}"
            elif is_server and layer == other and here != there and here != layer and there not in folders.get(here, ()):
                yield f"{source} calls {', '.join(sorted(symbols))} of {target}: {here} may not call {there}"
    for circle in circles(folders):
        yield f"circle of folders in tests/layers.txt: {' '.join(circle)}"
    for circle in circles(client_folders(graph)):
        yield f"circle of folders of posectl: {' '.join(circle)}"
    for here, files in sorted(inside.items()):
        for circle in circles(files):
            if len(circle) > FILES_MAX:
                names = " ".join(pathlib.PurePath(source).name for source in circle)
                yield f"{len(circle)} files of {here} call each other in a circle (at most {FILES_MAX}): {names}"


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    found = list(breaches(pathlib.Path(sys.argv[1]).resolve()))
    for line in found:
        print("calls:", line)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
