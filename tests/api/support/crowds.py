"""Builds requests and reads answers of the binary crowd of protocol/crowd.md, by protocol/crowd.def."""
import json
import re
import struct

import packets
from packets import DOCUMENTS, LETTERS


def read_rows(name):
    """(RECORD or FIELD, its words) of each row of a table of protocol/."""
    return [(kind, [part.strip().strip('"') for part in rest.split(",", 4)]) for kind, rest in
            re.findall(r'^(RECORD|FIELD)\((.*)\)$', (DOCUMENTS / name).read_text(), re.M)]


def read_fields(name):
    """{part: {name: (offset, type)}}"""
    found = {}
    for kind, row in read_rows(name):
        if kind == "FIELD":
            found.setdefault(row[0], {})[row[3]] = (int(row[1]), row[2])
    return found


BYTES = {row[0]: int(row[1]) for kind, row in read_rows("crowd.def") if kind == "RECORD"}
FIELDS = read_fields("crowd.def")
CONTENT_TYPE, ANSWER_TYPE = "application/vnd.posed.crowd", "application/vnd.posed.entities"
FLOATS = [16, 12, 8]
ORDER = ["ENTITY", "LAYER", "WORLD", "MODEL", "MASK", "MASK_NODE", "WANTED", "WANTED_ITEM", "POSE", "POSE_NODE", "POSE_NUMBER"]
COUNTS = {"ENTITY": "entity_count", "LAYER": "layer_count", "WORLD": "world_count", "MODEL": "model_count", "MASK": "mask_count",
          "MASK_NODE": "mask_node_count", "WANTED": "wanted_count", "WANTED_ITEM": "wanted_item_count",
          "POSE": "pose_count", "POSE_NODE": "pose_node_count", "POSE_NUMBER": "pose_number_count"}
DEFAULTS = {"ENTITY": {"world": -1}, "LAYER": {"mask": -1, "weight": 1.0}}


def record(part, **values):
    out = bytearray(BYTES[part])
    for name, value in {**DEFAULTS.get(part, {}), **values}.items():
        offset, kind = FIELDS[part][name]
        if kind in LETTERS:
            struct.pack_into("<" + LETTERS[kind], out, offset, value)
        elif kind == "f64s":
            struct.pack_into(f"<{len(value)}d", out, offset, *value)
        else:
            out[offset:offset + len(value)] = value
    return bytes(out)


def view(part, data, at):
    """The fields of the record at `at`."""
    found = {}
    for name, (offset, kind) in FIELDS[part].items():
        if kind in LETTERS:
            found[name], = struct.unpack_from("<" + LETTERS[kind], data, at + offset)
        else:
            found[name] = data[at + offset:at + offset + int(kind[5:])]
    return found


def build(paths=b"", **lists):
    """Build a request; lists: {part in small letters: [fields of a record]}, such as entity=[dict(..)]."""
    parts = {part: [record(part, **values) for values in lists.pop(part.lower(), [])] for part in ORDER}
    assert not lists, lists
    body = b"".join(b"".join(parts[part]) for part in ORDER) + paths
    head = record("ASKED", magic=b"PSDC", version=1, size_bytes=64 + len(body), path_bytes=len(paths),
                  **{COUNTS[part]: len(parts[part]) for part in ORDER})
    return head + body


class Crowd:
    """A request under construction, entity by entity; it makes lists and indices itself."""

    def __init__(self):
        self.lists = {part.lower(): [] for part in ORDER}
        self.paths = b""

    def add(self, part, **values):
        self.lists[part].append(values)
        return len(self.lists[part]) - 1

    def model(self, path=None, handle=0, content_hash=bytes(32)):
        path = (path or "").encode()
        self.paths += path
        return self.add("model", handle=handle, path_bytes=len(path), content_hash=content_hash)

    def mask(self, *nodes):
        """nodes: (node, scope)"""
        first = len(self.lists["mask_node"])
        for node, scope in nodes:
            self.add("mask_node", node=node, scope=scope)
        return self.add("mask", first_node=first, node_count=len(nodes))

    def wanted(self, what=0, skin=0, items=()):
        first = len(self.lists["wanted_item"]) if items else 0
        for item in items:
            self.add("wanted_item", item=item)
        return self.add("wanted", what=what, skin=skin, first_item=first, item_count=len(items))

    def pose(self, *nodes):
        """nodes: (node, {1: translation, 2: rotation, 4: scale}), by rising node"""
        first, number = len(self.lists["pose_node"]), len(self.lists["pose_number"])
        for node, parts in nodes:
            self.add("pose_node", node=node, parts=sum(parts))
            for part in sorted(parts):
                for value in parts[part]:
                    self.add("pose_number", number=value)
        return self.add("pose", first_node=first, node_count=len(nodes), first_number=number)

    def world(self, rows):
        return self.add("world", world_from_scene=rows)

    def entity(self, layers=(), model=0, wanted=0, **values):
        first = len(self.lists["layer"]) if layers else 0
        for layer in layers:
            self.add("layer", **layer)
        return self.add("entity", model=model, wanted=wanted, first_layer=first, layer_count=len(layers), **values)

    def bytes(self):
        return build(self.paths, **self.lists)


def of_models(*paths, handle=0):
    """The bytes of a crowd with one entity of each model."""
    crowd = Crowd()
    for path in paths:
        crowd.model(path)
    if handle:
        crowd.model(handle=handle)
    crowd.wanted()
    for i in range(len(crowd.lists["model"])):
        crowd.entity([{"clip": 0}], model=i)
    return crowd.bytes()


class Answer:
    """head, entities, models: fields; floats[i]: bytes; errors: {entity: (code, message)}."""

    def __init__(self, data):
        self.data = data
        self.head = view("ANSWER", data, 0)
        assert self.head["magic"] == b"PSDE" and self.head["version"] == 1 and self.head["size_bytes"] == len(data)
        at = BYTES["ANSWER"]
        self.entities = [view("POSED", data, at + i * BYTES["POSED"]) for i in range(self.head["entity_count"])]
        at += len(self.entities) * BYTES["POSED"]
        self.models = [view("FOUND_MODEL", data, at + i * BYTES["FOUND_MODEL"]) for i in range(self.head["model_count"])]
        at += len(self.models) * BYTES["FOUND_MODEL"]
        assert at == self.head["floats_offset"]
        self.floats = []
        for entity in self.entities:  # contiguous, in the order of the request
            assert entity["offset"] == at and at % 16 == 0
            size = entity["count"] * entity["item_bytes"]
            self.floats.append(data[at:at + size])
            at += size
        assert at == self.head["errors_offset"] == self.head["floats_offset"] + self.head["floats_bytes"]
        wrong = [view("WRONG", data, at + i * BYTES["WRONG"]) for i in range(self.head["error_count"])]
        at += len(wrong) * BYTES["WRONG"]
        self.errors = {}
        for one in wrong:
            self.errors[one["entity"]] = one["code"], data[at:at + one["message_bytes"]].decode()
            at += one["message_bytes"]
        assert at == len(data) and list(self.errors) == sorted(self.errors)
        assert self.errors.keys() == {i for i, entity in enumerate(self.entities) if entity["code"]}
        assert all(not any(self.floats[i]) and self.entities[i]["code"] == code for i, (code, _) in self.errors.items())


def post(server, body, query="", content_type=CONTENT_TYPE, headers=()):
    """The answer of POST /v1/crowd."""
    lines = "".join(f"{line}\r\n" for line in [f"Content-Type: {content_type}", f"Content-Length: {len(body)}", *headers])
    with server.connect() as connection:
        connection.send(f"POST /v1/crowd{query} HTTP/1.1\r\nHost: localhost\r\n{lines}\r\n".encode() + body)
        return connection.answer()


def answers_of(own, crowd):
    """The same crowd over every transport."""
    body = crowd.bytes()
    http = post(own, body)
    assert http.status == 200 and http.headers["content-type"] == ANSWER_TYPE, http.body[:300]
    found = {"http": http.body}
    for port in "tcp", "unix", "ws":
        with packets.connect(own.ports, port) as link:
            answer = link.ask("crowd", body)
            assert answer.kind == "entities", answer.error()
            found[port] = answer.payload
    return found


def query_of(server, path, body, op="palette"):
    """The floats of one frame of POST /v1/palette or /v1/pose, as bytes."""
    text = json.dumps({"model": path, "format": "bin", **body}).encode()
    with server.connect() as connection:
        connection.send(f"POST /v1/{op} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(text)}\r\n\r\n".encode() + text)
        answer = connection.answer()
    assert answer.status == 200, answer.body
    frames_offset, frame_bytes, size = struct.unpack_from("<3Q", answer.body, 32)
    block_count, = struct.unpack_from("<I", answer.body, 20)
    found = b""
    for b in range(block_count):
        kind, once, _, _, _, count, item_bytes, offset = struct.unpack_from("<2HI2i2IQ", answer.body, 96 + 32 * b)
        if kind in (1, 2) and not once:
            found += answer.body[frames_offset + offset:frames_offset + offset + count * item_bytes]
    return found
