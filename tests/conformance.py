"""What tests find out about formats and glTF extensions, for the tables of protocol/formats.md. `make conformance` names a folder in
POSED_CONFORMANCE; each process of tests adds lines to a file of its own there, and tests/conformance_table.py makes the tables of them. Otherwise
nothing is noted.

A line: an extension of a file's name or of glTF, a hash of the file, what was done (read, drawn, exported, compared), the reference, and how
far the file was off, relative to its size. The last two may be empty."""
import functools
import hashlib
import json
import os
import pathlib
import struct
import urllib.parse

FOLDER = os.environ.get("POSED_CONFORMANCE")
EVALUATOR, STORED, WORKED, ORIGINAL = "evaluator", "stored values", "worked values", "original"
noted = set()


def document_of(data):
    """The JSON of a glTF or GLB file."""
    if data[:4] == b"glTF":
        data = data[20:20 + struct.unpack_from("<I", data, 12)[0]]
    return json.loads(data)


def extensions_of(value):
    """The names of all glTF extensions in a document, wherever they are."""
    if isinstance(value, list):
        return set().union(*map(extensions_of, value))
    if not isinstance(value, dict):
        return set()
    lists = (value.get(key) for key in ("extensionsUsed", "extensionsRequired", "extensions"))
    names = {name for one in lists if isinstance(one, (dict, list)) for name in one if isinstance(name, str)}
    return names.union(*map(extensions_of, value.values()))


@functools.lru_cache(maxsize=4096)
def keys_of(path, _stamp):
    """The file's hash, its name's extension, and the glTF extensions that it uses."""
    data = path.read_bytes()
    keys = [path.suffix[1:].lower()]
    if keys[0] in ("gltf", "glb", "vrm", "vrma"):
        keys += sorted(extensions_of(document_of(data)))
    return hashlib.sha256(data).hexdigest()[:16], tuple(keys)


def note(path, what, reference="", error=None):
    if not FOLDER or not path.is_file():
        return
    stamp = path.stat()
    digest, keys = keys_of(path, (stamp.st_mtime_ns, stamp.st_size))
    lines = {f"{key}\t{digest}\t{what}\t{reference}\t{'' if error is None else repr(float(error))}\n" for key in keys} - noted
    noted.update(lines)
    with open(pathlib.Path(FOLDER, f"{os.getpid()}.tsv"), "a", encoding="utf-8") as out:
        out.writelines(sorted(lines))


def note_answer(root, target, answer, method="GET"):
    """Every model of a good answer was read, and perhaps drawn or exported."""
    path, _, query = target.partition("?")
    values = urllib.parse.parse_qs(query)
    if not FOLDER or answer is None or answer.status != 200 or method != "GET" or "model" not in values:
        return
    what = "drawn" if path == "/v1/render" else "exported" if path == "/v1/export" else "read"
    note(pathlib.Path(root, values["model"][0]), what)


def compared(path, reference, error):
    note(pathlib.Path(path), "compared", reference, error)


def exported(path, error):
    """A GLB file was made of it, which is off by so much."""
    note(pathlib.Path(path), "exported", ORIGINAL, error)


def apart(got, expected):
    """How far the points of one list are from the nearest of the other, relative to the greatest coordinate."""
    size = max([1e-3] + [abs(x) for point in expected for x in point])
    pairs = ((p, others) for some, others in ((got, expected), (expected, got)) for p in some)
    return max((min(max(abs(x - y) for x, y in zip(p, q, strict=True)) for q in others) for p, others in pairs), default=0.0) / size


def compared_points(path, reference, got, expected):
    """Points of a model, whose order means nothing."""
    if FOLDER:
        got, expected = ({tuple(point) for point in points} for points in (got, expected))
        compared(path, reference, apart(got, expected))
