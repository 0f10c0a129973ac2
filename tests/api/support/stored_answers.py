"""All answers whose bytes the tests store, and ANSWER_VERSION, which stands for these bytes in entity tags. answer_hashes.json has the
hash of each answer. A test fails if an answer changed and the number did not.

    python3 tests/api/support/stored_answers.py --write     records the present answers as those of the number (make answers)

An answer is identified by its request, so that another request, or another model, makes a new answer, not a changed one. Kinds:

    bits       tests/unit/bits/stored: results of the evaluator
    library    tests/api/library/library_bits.json: results of libposed-eval
    example    protocol/examples: packets
    picture    tests/golden/expected
    query      tests/clients/queries.txt and MORE, over HTTP, as the server answers now; pictures only if the renderer is the recorded one
"""
import hashlib
import json
import os
import pathlib
import re
import shutil
import sys
import tempfile

import packet_examples

TOP = pathlib.Path(__file__).resolve().parents[3]
STORED = TOP / "tests/api/answers/answer_hashes.json"
HEADER = "server/wire/reply/answer_version.h"
WRITE = "make answers"
MODELS = [pathlib.Path(os.environ.get("POSED_SAMPLES", TOP / "build/samples")) / "robot.glb", TOP / "protocol/examples/awkward.gltf"]
#: Operations and forms that queries.txt lacks.
MORE = ["palette model=robot.glb&clip=walk&t=0.3&format=bin", "pose model=robot.glb&clip=walk&t=0.3&format=bin",
        "mesh model=robot.glb&clip=walk&t=0.3&normals=1&weights=1&format=bin", "export model=robot.glb", "export model=awkward.gltf",
        "export model=robot.glb&format=posed", "hitboxes model=robot.glb", "check model=robot.glb", "check model=awkward.gltf&loop=yes",
        "flex model=robot.glb&angles=40", "compare model=robot.glb&with=awkward.gltf",
        "texture model=robot.glb&texture=0", "environment light=studio", "environment light=outdoor&format=hdr",
        "render model=robot.glb&clip=walk&t=0.5&width=40&height=40&format=webp", "render model=robot.glb&clip=walk&t=0.5&width=40&height=40&format=jpeg"]
DRAWN = ("render", "sheet", "turntable")
#: These depend on the installation, not on a model.
UNSTORED = ("version", "models", "formats")


def digest(*parts):
    sha = hashlib.sha256()
    for part in parts:
        part = part if isinstance(part, bytes) else str(part).encode()
        sha.update(len(part).to_bytes(8, "little") + part)
    return sha.hexdigest()[:16]


def maker():
    """(release, number): what entity tags hash."""
    release, = re.findall(r'^#define POSED_RELEASE "(.*)"$', (TOP / "server/base/version.h").read_text(), re.M)
    number, = re.findall(r"^#define ANSWER_VERSION (\d+)$", (TOP / HEADER).read_text(), re.M)
    return release, int(number)


# --- what is stored in files ---


def bits():
    for path in sorted((TOP / "tests/unit/bits/stored").glob("*.txt")):
        lines = path.read_text().splitlines()
        model = lines[0].split()
        assert model[:2] == ["model", "bytes"], path
        for line in lines[1:]:
            clip, what, found = line.split()
            yield f"bits {path.stem} {clip} {what} {model[2][:8]}", found


def library():
    for name, found in json.loads((TOP / "tests/api/library/library_bits.json").read_text()).items():
        yield f"library {name}", found


def examples():
    for path in sorted(packet_examples.FOLDER.glob("*.txt")):
        after, steps = packet_examples.read(path.read_text())
        asked = [bytes(step.bytes) for step in steps if step.is_client]
        answered = [f"{step.bytes}{step.has_rest}" for step in steps if not step.is_client]
        yield f"example {path.stem} {digest(*after, *asked)[:8]}", digest(*answered)


def pictures():
    sys.path.insert(0, str(TOP / "tests/golden"))
    import goldens
    for name, target in goldens.pictures():
        yield f"picture {name} {digest(target)[:8]}", digest((goldens.HERE / "expected" / f"{name}.png").read_bytes())


# --- what a server answers now ---


def queries():
    """(name, operation, parameters)"""
    for line in (TOP / "tests/clients/queries.txt").read_text().splitlines():
        words = line.split(None, 2)
        if words and not line.startswith(("#", "e")) and words[1] not in UNSTORED:
            yield words[0], words[1], words[2] if len(words) > 2 else ""
    for line in MORE:
        operation, parameters = line.split(None, 1)
        yield "more", operation, parameters


def answered(server):
    """{key: (hash, whether it was drawn)}"""
    models = [server.json("/v1/model", model=path.name)["hash"] for path in MODELS]
    found = {}
    for name, operation, parameters in queries():
        with server.connect() as connection:
            if parameters.startswith("{"):
                connection.send(f"POST /v1/{operation} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                                f"Content-Length: {len(parameters)}\r\n\r\n{parameters}".encode())
                answer = connection.answer()
            else:
                answer = connection.get(f"/v1/{operation}?{parameters}")
        assert answer.status == 200, (name, operation, parameters, answer.body)
        found[f"query {name} {operation} {digest(parameters, *models)[:8]}"] = (digest(answer.body), operation in DRAWN)
    return found


def fill_root(root):
    for model in MODELS:
        shutil.copy(model, root)


def find(server):
    """(the content of answer_hashes.json, keys of drawn answers)"""
    asked = answered(server)
    hashes = {**dict(bits()), **dict(library()), **dict(examples()), **dict(pictures()), **{key: found for key, (found, _) in asked.items()}}
    release, number = maker()
    return ({"release": release, "answer_version": number, "renderer": server.json("/v1/version")["renderer"], "hashes": hashes},
            {key for key, (_, is_drawn) in asked.items() if is_drawn})


# --- the judgement ---


def changed(stored, found, drawn=()):
    """Keys of answers that have changed. Another renderer draws other pictures, and has other entity tags."""
    is_other = found["renderer"] != stored["renderer"]
    return [key for key, value in found["hashes"].items()
            if key in stored["hashes"] and stored["hashes"][key] != value and not (is_other and key in drawn)]


def complaint(stored, found, drawn=()):
    """What the developer must do, or None. stored, found: as from find()."""
    others = changed(stored, found, drawn)
    is_raised = (found["release"], found["answer_version"]) != (stored["release"], stored["answer_version"])
    if others and not is_raised:
        return f"other bytes than before: {', '.join(others)}: increment ANSWER_VERSION in {HEADER}, then {WRITE}"
    if is_raised:
        return f"{STORED.name} is of another ANSWER_VERSION or release: {WRITE}"
    if stored["hashes"].keys() != found["hashes"].keys():
        return f"{STORED.name} is about other answers, {sorted(stored['hashes'].keys() ^ found['hashes'].keys())}: {WRITE}"
    return None


def refusal(stored, found, drawn=()):
    """Why `found` must not be written over `stored`, or None."""
    if found["release"] == stored["release"] and found["answer_version"] < stored["answer_version"]:
        return f"ANSWER_VERSION {found['answer_version']} has stood for other bytes: it only rises"
    others = changed(stored, found, drawn)
    if others and (found["release"], found["answer_version"]) == (stored["release"], stored["answer_version"]):
        return f"other bytes than before: {', '.join(others)}: increment ANSWER_VERSION in {HEADER} first"
    return None


def load():
    return json.loads(STORED.read_text())


def main():
    if sys.argv[1:] != ["--write"]:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    sys.path.insert(0, str(TOP / "tests/api"))
    from conftest import Server
    with tempfile.TemporaryDirectory() as root:
        fill_root(root)
        server = Server(root)
        try:
            found, drawn = find(server)
        finally:
            server.end()
    why = refusal(load(), found, drawn) if STORED.is_file() else None
    if why is not None:
        print(f"{WRITE}: {why}", file=sys.stderr)
        return 1
    STORED.write_text(json.dumps(found, indent=0) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
