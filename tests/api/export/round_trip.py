"""Whether an exported file has the poses of its model: both are asked for palettes and nodes at the keys of the file and between them.

As a program: round_trip.py MODEL.. or a folder, against a posed that serves ROOT: see the end."""
import json
import struct
import urllib.parse

WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}
LETTERS = {5121: "B", 5123: "H", 5125: "I", 5126: "f"}
EXACT = 2e-6
TIMES_MAX = 240  # of a clip; if it has more keys, every n-th is compared
TIMES_AT_ONCE = 40


class Glb:
    """A parsed GLB file (chapter 4 of the specification)."""

    def __init__(self, data):
        assert struct.unpack("<4sII", data[:12]) == (b"glTF", 2, len(data))
        size, kind = struct.unpack("<I4s", data[12:20])
        assert kind == b"JSON" and size % 4 == 0
        self.json = json.loads(data[20:20 + size])
        self.bin = b""
        at = 20 + size
        if at < len(data):
            size, kind = struct.unpack("<I4s", data[at:at + 8])
            assert kind == b"BIN\0" and size % 4 == 0 and at + 8 + size == len(data)
            self.bin = data[at + 8:]

    def values(self, index):
        accessor = self.json["accessors"][index]
        count = accessor["count"] * WIDTHS[accessor["type"]]
        letter = LETTERS[accessor["componentType"]]
        view = self.json["bufferViews"][accessor["bufferView"]]
        at = view["byteOffset"]
        return list(struct.unpack(f"<{count}{letter}", self.bin[at:at + count * struct.calcsize(letter)]))

    def rows(self, index):
        width, values = WIDTHS[self.json["accessors"][index]["type"]], self.values(index)
        return [values[i:i + width] for i in range(0, len(values), width)]

    def key_times(self, clip):
        """Of all channels of an animation, without duplicates."""
        samplers = self.json["animations"][clip]["samplers"]
        inputs = {sampler["input"] for sampler in samplers}
        return sorted({time for index in inputs for time in self.values(index)})


def moments(keys):
    """The keys and the midpoints between them; evenly chosen ones if there are many. Without adjacent keys, between which values jump,
    because a file stores such a time only to within 32 bits."""
    pairs = [(a, b) for a, b in zip(keys, keys[1:]) if b - a > 1e-6 * b]
    apart = [b for (_, b), (c, _) in zip(pairs, pairs[1:]) if b == c] + keys[:1] + keys[-1:]
    all_times = sorted(set(apart) | {(a + b) / 2 for a, b in pairs})
    step = max(1, -(-len(all_times) // TIMES_MAX))
    return all_times[::step]


def size_of(server, model):
    """The longest side of the box around the model at rest, or around its nodes."""
    bounds = ask(server, "/v1/bounds", model=model, clip="-")["frames"][0]["bounds"]
    return max(b - a for a, b in zip(bounds["min"], bounds["max"])) if bounds else 0


def distance(a, b, size):
    """The approximate distance between the places to which two matrices move a point of the model: their axes by the longest, at the
    model's size."""
    axes = [(x, y) for i, (x, y) in enumerate(zip(a, b)) if i % 4 != 3 and i < 12]
    longest = max(abs(x) for pair in axes for x in pair) or 1
    return max(max(abs(x - y) for x, y in axes) / longest * size, max(abs(x - y) for x, y in zip(a[12:15], b[12:15])))


def query(path, **parameters):
    return path + "?" + urllib.parse.urlencode(parameters, doseq=True)


def ask(server, path, **parameters):
    answer = server.get(query(path, **parameters))
    assert answer.status == 200, (path, parameters, answer.body[:500])
    return answer.json()


def worst_of_clip(server, a, b, clips, times, nodes, skins, size):
    """The greatest distance between two models at these times, and where: (units, time, what)."""
    worst = (0.0, None, None)
    for i in range(0, len(times), TIMES_AT_ONCE):
        some = ",".join(map(repr, times[i:i + TIMES_AT_ONCE]))
        answers = []
        for model, clip in zip((a, b), clips):
            parameters = {"model": model, "clip": clip, "t": some, "wrap": "clamp"}
            poses = ask(server, "/v1/pose", what="scene", joints=",".join(map(str, range(nodes))), **parameters)["frames"] if nodes else []
            palettes = ask(server, "/v1/palette", skin=",".join(map(str, skins)), **parameters)["frames"] if skins else []
            answers.append((poses, palettes))
        for frame_a, frame_b in zip(answers[0][0], answers[1][0]):
            for n, (x, y) in enumerate(zip(frame_a["scene"], frame_b["scene"])):
                worst = max(worst, (distance(x, y, size), frame_a["time"], f"node {n}"), key=lambda entry: entry[0])
        for frame_a, frame_b in zip(answers[0][1], answers[1][1]):
            for s, (palette_a, palette_b) in enumerate(zip(frame_a["palettes"], frame_b["palettes"])):
                assert len(palette_a) == len(palette_b)
                for j, (x, y) in enumerate(zip(palette_a, palette_b)):
                    worst = max(worst, (distance(x, y, size), frame_a["time"], f"skin {s} joint {j}"), key=lambda entry: entry[0])
    return worst


def check(server, a, b, glb, exact=EXACT):
    """Compare model `a` with `b`, which was made from `glb`, the whole model. Returns the greatest distance as a share of the size."""
    info_a, info_b = (ask(server, "/v1/model", model=name) for name in (a, b))
    size = size_of(server, a) or 1
    nodes = len(info_a["nodes"])
    for x, y in zip(info_a["nodes"], info_b["nodes"]):
        assert x["name"] == y["name"]
    own = [skin["index"] for skin in info_a["skins"] if not skin.get("rigid")]
    assert [len(info_a["skins"][s]["joints"]) for s in own] == [len(info_b["skins"][s]["joints"]) for s in own]
    assert [clip["name"] for clip in info_a["clips"]] == [clip["name"] for clip in info_b["clips"]]
    found = [worst_of_clip(server, a, b, ("-", "-"), [0.0], nodes, own, size)]
    assert found[0][0] <= exact * size, ("rest", found[0], size)
    for clip, (x, y) in enumerate(zip(info_a["clips"], info_b["clips"])):
        assert abs(x["duration"] - y["duration"]) <= 1e-6 * max(1, x["duration"]), (x, y)
        worst = worst_of_clip(server, a, b, (clip, clip), moments(glb.key_times(clip)), nodes, own, size)
        assert worst[0] <= exact * size, (clip, x["name"], worst, size)
        found.append(worst)
    return max(entry[0] for entry in found) / size


def main():
    """round_trip.py ROOT OUT [WORD=VALUE..]: export every model under ROOT into OUT, and compare them."""
    import pathlib
    import shutil
    import sys

    import conftest

    root, out = map(pathlib.Path, sys.argv[1:3])
    more = dict(word.split("=", 1) for word in sys.argv[3:])
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    counts = {"same": 0, "refused": 0, "different": 0}
    with_all = out / "all"
    shutil.copytree(root, with_all / "from")
    (with_all / "to").mkdir()
    server = conftest.Server(with_all, "--max-answer", "512m")
    models = [entry["model"] for entry in ask(server, "/v1/models", prefix="from/")["models"]]
    for model in models:
        info = server.get(query("/v1/model", model=model))
        if info.status != 200 or not info.json()["nodes"]:  # a clip of glTF needs a node to move
            continue
        answer = server.get(query("/v1/export", model=model, **more))
        if answer.status != 200:
            counts["refused"] += 1
            print("refused  ", model, answer.json()["error"]["code"], answer.json()["error"]["message"])
            continue
        glb = Glb(answer.body)
        name = "to/" + model[5:].replace("/", "_") + ".glb"
        (with_all / name).write_bytes(answer.body)
        warnings = [warning["code"] + ": " + warning["message"] for warning in glb.json["asset"]["extras"]["warnings"]]
        try:
            share = check(server, model, name, glb)
            counts["same"] += 1
            print(f"same      {model} {share:.2g}", *warnings)
        except AssertionError as error:
            counts["different"] += 1
            print("DIFFERENT", model, str(error)[:300], *warnings)
        sys.stdout.flush()
    print(counts)
    server.end()


if __name__ == "__main__":
    import pathlib
    import sys

    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
    main()
