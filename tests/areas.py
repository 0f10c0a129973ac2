"""Which tests are about which folder: tests/areas.txt, for tests/check.py."""
import pathlib
import re

TOP = pathlib.Path(__file__).resolve().parents[1]
API = "tests/api"


def rows(text=None):
    """{folder: (suites, expression)}"""
    table = {}
    for line in (text or (TOP / "tests/areas.txt").read_text(encoding="utf-8")).splitlines():
        if line and not line.startswith("#"):
            folders, _, rest = line.partition(":")
            suites, _, expression = rest.partition("|")
            for folder in folders.split():
                assert folder not in table, f"two rows for {folder}"
                table[folder] = (set(suites.split()), expression.strip())
    return table


def markers():
    """{marker: the path of what has it}: each folder of tests/api, and each file of tests in it."""
    folders = [path for path in sorted((TOP / API).iterdir()) if any(path.glob("test_*.py"))]
    return {path.stem: path.relative_to(TOP) for folder in folders for path in (folder, *sorted(folder.glob("test_*.py")))}


def names(expression):
    return set(re.findall(r"\w+", expression)) - {"and", "or", "not"}


def row_of(path, table):
    """The longest row that the path lies in; None for a file at the top."""
    return max((folder for folder in table if path.startswith(folder + "/")), key=len, default=None)


def of(paths):
    """(suites, expression, paths of tests that pytest has to collect) for changed paths."""
    table, suites, expressions = rows(), set(), {}
    everywhere = markers()
    for path in paths:
        name = pathlib.PurePath(path).stem
        if path.startswith(API + "/") and name in everywhere and str(everywhere[name]) == path:
            expressions[name] = True  # a test: itself
            continue
        row = row_of(path, table) or "tests"
        suites |= table[row][0]
        if table[row][1]:
            expressions[table[row][1]] = True
    expression = " or ".join(f"({part})" for part in expressions)
    collected = sorted({str(everywhere[name]) for part in expressions for name in names(re.sub(r"not \w+", "", part)) if name in everywhere})
    return suites, expression, [path for path in collected if not any(path.startswith(other + "/") for other in collected)]
