"""Queries and the canonical form of their answers (README.md), for runners written in Python."""
import json
import struct
import sys
import urllib.parse
import zlib

FRAMES = ("palette", "pose", "mesh")
BLOCKS = {1: "palette", 2: "scene", 3: "local", 4: "local_matrix", 5: "positions", 6: "normals", 7: "root_motion", 16: "nodes",
          17: "sheared", 18: "rest", 19: "indices", 20: "span"}
LETTERS = {"nodes": "I", "sheared": "I", "indices": "I", "span": "d"}


class Query:
    """id, op, and `text`, the rest of the line. `body`: the JSON object, or None."""

    def __init__(self, line):
        self.id, self.op, *rest = line.strip().split(None, 2)
        self.text = rest[0] if rest else ""
        self.body = json.loads(self.text) if self.text.startswith("{") else None

    @property
    def is_frames(self):
        """Whether the answer can be binary frames."""
        return self.op in FRAMES and "format=" not in self.text

    def parameters(self):
        """Names and values: strings of a query, or the members of a body."""
        if self.body is not None:
            return self.body
        values = urllib.parse.parse_qs(self.text, keep_blank_values=True)  # a repeated parameter is a list
        return {name: texts if len(texts) > 1 else texts[0] for name, texts in values.items()}

    def target(self, *more):
        """Path and query of the HTTP request."""
        query = "&".join([part for part in [self.text if self.body is None else "", *more] if part])
        return f"/v1/{self.op}" + ("?" + query if query else "")


def queries(lines):
    return [Query(line) for line in lines if line.strip() and not line.startswith("#")]


def bits(letter, numbers):
    digits, number = (16, "Q") if letter == "d" else (8, "I")
    data = struct.pack(f"<{len(numbers)}{letter}", *numbers)
    return " ".join(f"{x:0{digits}x}" for x in struct.unpack(f"<{len(numbers)}{number}", data))


def block(kind, frame, index, numbers):
    return f"{kind} {frame} {index} " + bits(LETTERS.get(kind, "f"), numbers)


def of_bytes(data):
    return [f"bytes {len(data)} {zlib.crc32(data):08x}"]


def of_error(code):
    return [f"error {code}"]


def of_frames(data):
    """The lines of binary frames, parsed by protocol/frames.md."""
    frame_count, block_count = struct.unpack_from("<II", data, 16)
    frames_offset, frame_bytes = struct.unpack_from("<QQ", data, 32)
    table = [struct.unpack_from("<2HI2i2IQ", data, 96 + 32 * b) for b in range(block_count)]
    lines = ["times " + bits("d", struct.unpack_from(f"<{2 * frame_count}d", data, 96 + 32 * block_count))]
    for number, once, index, _, _, count, item_bytes, offset in table:
        kind = BLOCKS[number]
        letter = LETTERS.get(kind, "f")
        numbers = count * item_bytes // struct.calcsize(letter)
        for f in ["-"] if once else range(frame_count):
            start = offset if once else frames_offset + f * frame_bytes + offset
            lines.append(block(kind, f, index, struct.unpack_from(f"<{numbers}{letter}", data, start)))
    return lines


def of_json(op, answer):
    """The lines of a JSON answer, equal to the frames'."""
    frames = answer["frames"]
    lines = ["times " + bits("d", [x for frame in frames for x in (frame["time"], frame["clip_time"])])]
    if "speed" in answer:
        lines.append(block("span", "-", 0, [answer[name] for name in ("from", "to", "speed", "phase")]))
    for f, frame in enumerate(frames):
        if "root_motion" in frame:
            lines.append(block("root_motion", f, 0, [*frame["root_motion"]["translation"], frame["root_motion"].get("yaw", 0)]))
    add = {"palette": _palette, "pose": _pose, "mesh": _mesh}[op]
    return lines + add(answer, frames)


def _flat(lists):
    return [x for part in lists for x in part]


def _palette(answer, frames):
    return [block("palette", f, skin["index"], _flat(frame["palettes"][s])) for f, frame in enumerate(frames)
            for s, skin in enumerate(answer["skins"])]


def _pose(answer, frames):
    lines, nodes = [], [node["node"] for node in answer["nodes"]]
    if nodes != list(range(len(nodes))) or len(nodes) != answer["node_count"]:
        lines.append(block("nodes", "-", 0, nodes))
    for f, frame in enumerate(frames):
        if "scene" in frame:
            lines.append(block("scene", f, 0, _flat(frame["scene"])))
        if "local" in frame:
            lines.append(block("local", f, 0, _flat(entry or [0] * 10 for entry in frame["local"])))
            sheared = [place for place, entry in enumerate(frame["local"]) if entry is None]
            if sheared:
                matrices = [frame["local_matrix"][str(nodes[place])] for place in sheared]
                lines.append(block("local_matrix", f, 0, _flat(matrices)))
            if sheared and f == 0:
                lines.append(block("sheared", "-", 0, sheared))
    return lines


def _mesh(answer, frames):
    lines = []
    for kind in "rest", "indices":
        lines += [block(kind, "-", i, numbers) for i, numbers in enumerate(answer.get(kind, []))]
    for kind in "positions", "normals":
        lines += [block(kind, f, i, numbers) for f, frame in enumerate(frames) for i, numbers in enumerate(frame.get(kind, []))]
    return lines


def run(answer_of):
    """Read queries on stdin, write results on stdout. answer_of: a function from Query to lines without the id."""
    for query in queries(sys.stdin):
        for line in answer_of(query):
            print(query.id, line)
