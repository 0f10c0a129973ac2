"""A Half-Life MDL (version 10) without a mesh: two bones, sequences, and their events."""
import struct

BONES = (("root", -1, (1, 2, 3)), ("arm", 0, (4, 0, 0)))


def text(words, size):
    return words.encode().ljust(size, b"\0")


def sequence(label, rate, frames, event_count, events_at, motion_at):
    return (text(label, 32) + struct.pack("<f10i", rate, 0, 0, 0, event_count, events_at, frames, 0, 0, 0, 0) +
            struct.pack("<3f2i6f", *[0] * 11) + struct.pack("<2i2i4f6i", 1, motion_at, *[0] * 12))


def mdl(*sequences, flags=0, texel=0):
    """For each sequence its label, frames a second, number of frames, and events: frame, number, options. `flags` and the one `texel`
    belong to its texture."""
    out = bytearray(244)
    places = {"bones": len(out)}
    for name, parent, place in BONES:
        out += text(name, 32) + struct.pack("<8i6f6f", parent, 0, *[-1] * 6, *place, 0, 0, 0, *[0.01] * 6)
    places["groups"] = len(out)
    out += text("default", 32) + text("", 72)
    places["textures"] = len(out)
    places["pixels"] = len(out) + 80
    out += text("skin.bmp", 64) + struct.pack("<4i", flags, 1, 1, places["pixels"]) + bytes([texel] + [0] * 3) + bytes(768)
    places["skins"] = len(out)
    out += bytes(4)
    rows = b""
    for label, rate, frames, events in sequences:
        events_at = len(out)
        for frame, number, options in events:
            out += struct.pack("<3i", frame, number, 0) + text(options, 64)
        rows += sequence(label, rate, frames, len(events), events_at, len(out))
        out += bytes(12 * len(BONES))
    places["sequences"] = len(out)
    out += rows
    places["bodies"] = len(out)
    out += text("body", 64) + struct.pack("<3i", 1, 1, len(out) + 76) + text("empty", 112)
    header = text("IDST", 4) + struct.pack("<i", 10) + text("test.mdl", 64) + struct.pack("<i", len(out)) + bytes(64)
    header += struct.pack("<10i", len(BONES), places["bones"], 0, 0, 0, 0, len(sequences), places["sequences"], 1,
                          places["groups"])
    header += struct.pack("<8i", 1, places["textures"], places["pixels"], 1, 1, places["skins"], 1, places["bodies"])
    out[:244] = header.ljust(244, b"\0")
    return bytes(out)
