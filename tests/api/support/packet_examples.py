"""The examples of protocol/tcp.md: files of protocol/examples, how they are read and replayed, and how they are made.

    python3 tests/api/support/packet_examples.py --write     asks the server in build/ and writes files and document anew
"""
import pathlib
import re
import struct
import sys

import packets
import crowds
import raycasts
from packets import DOCUMENTS, FIELDS, HEADER, LETTERS, Link, call, control, find, packet, query, render, subscribe

FOLDER = DOCUMENTS / "examples"
DOCUMENT = DOCUMENTS / "tcp.md"
MODEL = "awkward.gltf"
ANY = None  # a byte that may be anything
REST = "*"  # all following bytes may be anything, too


class Step:
    """One packet of an example: its sender and its bytes, None for arbitrary ones. has_rest: more bytes may follow."""

    def __init__(self, is_client):
        self.is_client, self.bytes, self.has_rest = is_client, [], False

    def matches(self, data):
        return (len(data) >= len(self.bytes) if self.has_rest else len(data) == len(self.bytes)) and all(
            want is ANY or want == have for want, have in zip(self.bytes, data))


def read(text):
    """(names of examples that come first, steps) of a file's text."""
    after, steps = [], []
    for line in text.splitlines():
        if line.startswith("after "):
            after = line.split()[1:]
        elif line[:2] in ("> ", "< "):
            steps.append(Step(line[0] == ">"))
        elif line.strip():
            offset, data = re.match(r"([0-9a-f]{4})  ((?:(?:[0-9a-f]{2}|\?\?) ?)+|\*)", line).groups()
            assert int(offset, 16) == len(steps[-1].bytes), line
            if data == REST:
                steps[-1].has_rest = True
            else:
                steps[-1].bytes += [ANY if byte == "??" else int(byte, 16) for byte in data.split()]
    return after, steps


def load(name):
    return read((FOLDER / f"{name}.txt").read_text())


def replay(link, name):
    """Send the client's packets and compare the answers; link is a Link that has sent nothing yet."""
    for part in [*load(name)[0], name]:
        for step in load(part)[1]:
            if step.is_client:
                link.send(bytes(step.bytes))
                continue
            data = whole(link)
            assert step.matches(data), f"{part}: {data.hex(' ')} instead of {step.bytes}"


def whole(link):
    """The bytes of the next packet."""
    answer = link.read()
    assert answer is not None, "the server closed"
    return answer.bytes


# --- making them ---


def examples():
    """(name, title, names that come first, the client's packets with the number of answers and a description)"""
    yield "hello", "The hello, and what the server tells", [], [("the hello of a client without a token", packets.hello(), 1)]
    yield "hello_token", "A token, where the server wants one (this one does not)", [], [
        ("the hello with the token \"a-token-of-20-letters\"", packets.hello(b"a-token-of-20-letters"), 1)]
    yield "open", "open", ["hello"], [("open: the handle will be 1", packet("open", MODEL.encode(), id=1), 1)]
    yield "find", "find", ["hello", "open"], [
        ("find: the clip \"bend\"", packet("find", find("clip", "bend"), id=2, model=1), 1),
        ("find: skin 0", packet("find", find("skin", index=0), id=3, model=1), 1),
        ("find: a clip that is not there", packet("find", find("clip", "bent"), id=4, model=1), 1)]
    yield "palette", "palette", ["hello", "open"], [
        ("palette: skin 0 of clip 0 at 0.5 s, as mat3x4",
         packet("palette", query([0.5], [0], clip=0, layout=1), id=5, model=1), 1)]
    yield "pose", "pose", ["hello", "open"], [
        ("pose: node 2 of clip 0, local, from 0 to 1 s at 2 a second",
         packet("pose", query([0, 1, 2], [2], ["range"], clip=0, what=1), id=6, model=1, generation=1), 1)]
    yield "mesh", "mesh", ["hello", "open"], [
        ("mesh: mesh 1 at rest", packet("mesh", query(clip=-1, mesh=1), id=7, model=1), 1)]
    yield "render", "render", ["hello", "open"], [
        ("render: 64 x 48, clip 0 at 0.5 s, from the side",
         packet("render", render([0.5], clip=0, width=64, height=48, yaw_deg=90), id=8, model=1), 1)]
    yield "info", "info", ["hello", "open"], [("info", packet("info", id=9, model=1), 1)]
    yield "call", "call", ["hello", "open"], [
        ("call: GET /healthz", packet("call", call("/healthz"), id=10), 1),
        ("call: POST /v1/bounds, with the parameters in a body",
         packet("call", call("/v1/bounds", '{"clip":"bend","t":0.5}'), id=11, model=1), 1)]
    poses = crowds.Crowd()
    poses.model(MODEL)
    poses.wanted(items=[0])
    poses.entity([{"clip": 0, "time_s": 0.5}], layout=1)
    yield "crowd", "crowd", ["hello", "open"], [
        ("crowd: one entity, clip 0 at 0.5 s, the first joint of skin 0 as mat3x4", packet("crowd", poses.bytes(), id=24), 1)]
    yield "raycast", "raycast", ["hello", "open"], [
        ("raycast: a large ball along -z at one entity at rest", packet("raycast", raycasts.raycast(
            [{"model": 0, "layers": []}], [{"origin": [0, 0, 5000], "direction": [0, 0, -1], "radius": 1000}], [("", 1)]), id=25), 1)]
    yield "batch", "A batch is a call", ["hello"], [
        ("call: POST /v1/query", packet("call", call(
            "/v1/query", '{"queries":[{"op":"pose","model":"awkward.gltf","joints":["arm"]}]}'), id=12), 1)]
    yield "stream", "A stream", ["hello", "open"], [
        ("subscribe: paused, 60 frames a second, 2 credits",
         packet("subscribe", subscribe(clip=0, layout=1, indices=[0], is_paused=1, credit=2, rate=60), id=13, model=1), 1),
        ("control: seek to 0.5 s, which sends one frame", packet("control", control(13, "seek", position_s=0.5), id=14), 2),
        ("credit: one frame more; it has no answer", packet("credit", struct.pack("<II", 13, 1), id=15), 0),
        ("unsubscribe", packet("unsubscribe", struct.pack("<I", 13), id=16), 1)]
    yield "watch", "watch, ping, close", ["hello", "open"], [
        ("watch", packet("watch", struct.pack("<I", 1), id=17, model=1), 1),
        ("ping", packet("ping", id=18), 1), ("close", packet("close", id=19, model=1), 1)]
    yield "errors", "Errors of requests", ["hello", "open"], [
        ("a handle that is not open", packet("info", id=20, model=7), 1),
        ("a kind that is no request", packet(99, id=21), 1),
        ("a clip that is not there", packet("palette", query(clip=99), id=22, model=1), 1)]
    yield "malformed", "A malformed packet: byte 104 of what the client has sent is not 0", ["hello", "open"], [
        ("find: its field `reserved` is 1", packet("find", b"\1\0\0\0" + bytes(4) + b"\1" + bytes(7), id=23, model=1), 1)]


CLIENT_HELLO = [(0, "bytes8", "magic"), (8, "u16", "version"), (10, "u16", "reserved"), (12, "u32", "token_bytes")]
FRAMES_HEAD = [(0, "bytes4", "magic"), (4, "u16", "version"), (6, "u16", "layout"), (8, "u32", "header_bytes"),
               (12, "u16", "kind"), (14, "u16", "space"), (16, "u32", "frame_count"), (20, "u32", "block_count"),
               (24, "i32", "clip"), (28, "u32", "wrap"), (32, "u64", "frames_offset"), (40, "u64", "frame_bytes"),
               (48, "u64", "size_bytes"), (56, "f64", "duration_s"), (64, "bytes32", "content_hash")]
BLOCK = [(0, "u16", "kind"), (2, "u16", "once"), (4, "u32", "index"), (8, "i32", "node"), (12, "i32", "primitive"),
         (16, "u32", "count"), (20, "u32", "item_bytes"), (24, "u64", "offset")]
CROWD = {part: [(offset, kind, name) for name, (offset, kind) in fields.items()] for part, fields in crowds.FIELDS.items()}
RAYCAST = {part: [(offset, kind, name) for name, (offset, kind) in fields.items()]
           for part, fields in crowds.read_fields("raycast.def").items()}
CHANGING = {"content_hash", "server"}  # values that differ from server to server
CUT_BYTES = 128  # longer text is shown in part


class Writer:
    """Turns packets into annotated lines."""

    def __init__(self, data, is_client=False):
        self.data, self.at, self.lines, self.is_client = data, 0, [], is_client

    def put(self, size, label, is_any=False):
        for start in range(0, size, 16):
            part = self.data[self.at:self.at + min(16, size - start)]
            text = " ".join("??" if is_any else f"{byte:02x}" for byte in part)
            note = label(part) if callable(label) else label if start == 0 else ""
            self.lines.append(f"{self.at:04x}  {text:<47}  {note}".rstrip())
            self.at += len(part)

    def table(self, rows, prefix="", base=None):
        base = self.at if base is None else base
        for offset, kind, name in rows:
            if kind in LETTERS:
                size = struct.calcsize(LETTERS[kind])
                value, = struct.unpack_from("<" + LETTERS[kind], self.data, base + offset)
                shown = value if kind == "f64" or value < 2**32 else f"{value:#x}"
                self.put(size, f"{prefix}{name} {shown}")
            elif kind[:5] == "bytes":
                size = int(kind[5:])
                self.put(size, f"{prefix}{name}", name in CHANGING and not self.is_client)
            else:
                break

    def header(self):
        self.table(FIELDS["header"][:3])
        self.table([row for row in FIELDS["header"][3:6]], base=0)
        rest = self.data[20:32]
        if any(rest):
            self.table(FIELDS["header"][6:], base=0)
        else:
            self.put(12, "code, reserved, warnings, note_bytes 0")

    def text(self, size):
        self.put(size, lambda part: part.decode("latin-1").replace("\n", " ").join('""'))

    def floats(self, size, label=""):
        self.put(size, lambda part: label + "  ".join(f"{x:.6g}" for x in struct.unpack(f"<{len(part) // 4}f", part)))

    def frames(self):
        base = self.at
        self.table(FRAMES_HEAD)
        frame_count, block_count = struct.unpack_from("<II", self.data, base + 16)
        header_bytes, = struct.unpack_from("<I", self.data, base + 8)
        frames_offset, frame_bytes, size = struct.unpack_from("<3Q", self.data, base + 32)
        for b in range(block_count):
            self.table(BLOCK, f"block {b}: ")
        for f in range(frame_count):
            self.table([(0, "f64", "time"), (8, "f64", "clip_time")], f"frame {f}: ")
        blocks = [struct.unpack_from("<2HI2i2IQ", self.data, base + 96 + 32 * b) for b in range(block_count)]
        spans = [(block[7], b, None, block) for b, block in enumerate(blocks) if block[1]]
        spans += [(frames_offset + f * frame_bytes + block[7], b, f, block) for f in range(frame_count)
                  for b, block in enumerate(blocks) if not block[1]]
        for start, b, f, block in spans:
            if base + start > self.at:
                self.put(base + start - self.at, "zeros up to a multiple of 16")
            where = f"block {b}, " + (f"frame {f}, " if f is not None else "")
            for item in range(block[5]):
                if block[0] in (16, 17, 19):
                    self.put(block[6], f"{where}item {item}")
                else:
                    self.floats(block[6], f"{where}item {item}: ")
        if base + size > self.at:
            self.put(base + size - self.at, "zeros up to a multiple of 16")

    def record(self, rows, label):
        """One record of crowd.def or raycast.def."""
        base = self.at
        for offset, kind, name in rows:
            if kind in ("f64s", "f32s"):
                later = [other for other, _, _ in rows if other > offset]
                step, letter = (8, "d") if kind == "f64s" else (4, "f")
                size = (min(later) if later else offset + 12 * step if len(rows) == 1 else offset + 3 * step) - offset
                shown = struct.unpack_from(f"<{size // step}{letter}", self.data, base + offset)
                self.put(size, f"{label}{name} " + " ".join(f"{one:.6g}" for one in shown))
            else:
                self.table([(offset, kind, name)], label, base)

    def crowd(self):
        base = self.at
        self.record(CROWD["ASKED"], "")
        for part in crowds.ORDER:
            offset, _ = crowds.FIELDS["ASKED"][crowds.COUNTS[part]]
            count, = struct.unpack_from("<I", self.data, base + offset)
            for i in range(count):
                self.record(CROWD[part], f"{part.lower()} {i}: ")

    def entities(self):
        base = self.at
        self.record(CROWD["ANSWER"], "")
        entities, models = struct.unpack_from("<II", self.data, base + 8)
        for i in range(entities):
            self.record(CROWD["POSED"], f"entity {i}: ")
        for i in range(models):
            self.record(CROWD["FOUND_MODEL"], f"model {i}: ")
        start, size = struct.unpack_from("<QQ", self.data, base + 24)
        if base + start > self.at:
            self.put(base + start - self.at, "zeros up to a multiple of 16")
        self.floats(size)

    def raycast(self):
        base = self.at
        self.record(RAYCAST["ASKED"], "")
        entities, rays = struct.unpack_from("<II", self.data, base + 12)
        for i in range(entities):
            self.record(RAYCAST["TARGET"], f"entity {i}: ")
        for i in range(rays):
            self.record(RAYCAST["RAY"], f"ray {i}: ")
        self.crowd()

    def hits(self):
        base = self.at
        self.record(RAYCAST["ANSWER"], "")
        for i in range(struct.unpack_from("<I", self.data, base + 16)[0]):
            self.record(RAYCAST["HIT"], f"hit {i}: ")

    def pad(self):
        if self.at < len(self.data):
            self.put(len(self.data) - self.at, "zeros up to a multiple of 16")


def of_client(data):
    writer = Writer(data, is_client=True)
    if data.startswith(packets.MAGIC):
        writer.table(CLIENT_HELLO)
        writer.text(struct.unpack_from("<I", data, 12)[0])
        writer.pad()
        return writer.lines
    writer.header()
    size, kind = struct.unpack_from("<IH", data)
    kind = packets.NAME.get(kind)
    of_query = kind in ("palette", "pose", "mesh", "render", "subscribe")
    if of_query:
        writer.table(FIELDS["query"])
        count, indices = struct.unpack_from("<2I", data, HEADER + 12)
        writer.table([row for row in FIELDS.get(kind, [])], base=HEADER)
        for _ in range(count):
            writer.table([(0, "f64", "time")])
        for _ in range(indices):
            writer.table([(0, "u32", "index")])
    elif kind in ("crowd", "raycast"):
        getattr(writer, kind)()
    elif size:
        writer.table(FIELDS[kind])
        writer.text(HEADER + size - writer.at)
    writer.pad()
    return writer.lines


def cut(writer, what):
    """The rest of this packet is not shown, and neither is its size."""
    writer.lines[0] = "0000  ?? ?? ?? ??" + " " * 38 + "payload_bytes"
    writer.lines.append(f"{writer.at:04x}  {REST}" + " " * 48 + what)
    return writer.lines


def of_server(data):
    writer = Writer(data)
    size, kind = struct.unpack_from("<IH", data)
    kind = packets.NAME[kind]
    writer.header()
    if kind in FIELDS and kind not in ("entities", "hits"):
        writer.table(FIELDS[kind])
    if kind == "png":
        writer.put(8, "the signature of PNG files")
        return cut(writer, "the rest of the picture")
    if kind in ("frames", "stream"):
        writer.frames()
    elif kind in ("entities", "hits"):
        getattr(writer, kind)()
    elif kind == "found":
        joints, = struct.unpack_from("<I", data, HEADER + 12)
        for _ in range(joints):
            writer.table([(0, "u32", "joint")])
    elif kind == "error":
        message, = struct.unpack_from("<I", data, HEADER + 12)
        writer.text(message)
    if HEADER + size - writer.at > CUT_BYTES:
        return cut(writer, "JSON")
    writer.text(HEADER + size - writer.at)
    writer.pad()
    return writer.lines


def make(link_of):
    """{name: (title, text)} from the server's present answers. link_of: a function that opens a Link without a hello."""
    made = {}
    for name, title, after, steps in examples():
        lines = ["after " + " ".join(after)] if after else []
        with link_of() as link:
            for other in after:
                for part, count in made[other][2]:
                    link.send(part)
                    for _ in range(count):
                        whole(link)
            for note, data, count in steps:
                lines += [f"> {note}", *of_client(data)]
                link.send(data)
                for _ in range(count):
                    got = whole(link)
                    kind = packets.NAME[struct.unpack_from("<H", got, 4)[0]]
                    lines += [f"< {kind}", *of_server(got)]
        made[name] = (title, "\n".join(lines) + "\n", [(data, count) for _, data, count in steps])
    return {name: (title, text) for name, (title, text, _) in made.items()}


def section(made):
    """The part of the document after the heading Examples."""
    return "".join(f"\n### {title}\n\n`{name}.txt`\n\n```packets\n{text}```\n" for name, (title, text) in made.items())


def blocks(document):
    """{name: text} of the document's examples."""
    return dict(re.findall(r"^`(\w+)\.txt`\n\n```packets\n(.*?)```$", document, re.M | re.S))


def write():
    import contract_model
    from conftest import Server
    FOLDER.mkdir(exist_ok=True)
    (FOLDER / MODEL).write_text(contract_model.awkward())
    server = Server(FOLDER, "--tcp", "127.0.0.1:0")
    try:
        made = make(lambda: Link(server.ports["tcp"], greet=False))
    finally:
        server.end()
    for old in FOLDER.glob("*.txt"):
        old.unlink()
    for name, (_, text) in made.items():
        (FOLDER / f"{name}.txt").write_text(text)
    document = DOCUMENT.read_text()
    front = document[:document.index("## Examples")]
    intro = document[document.index("## Examples"):].split("\n### ")[0].rstrip("\n")
    DOCUMENT.write_text(front + intro + "\n" + section(made))


if __name__ == "__main__":
    assert sys.argv[1:] == ["--write"], __doc__
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
    write()
