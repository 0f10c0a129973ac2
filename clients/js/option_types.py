#!/usr/bin/env python3
"""The option types of the JavaScript client, made from the server's table of parameters.

option_types.py           print them
option_types.py --write   put them into clients/js/posed.d.ts, between its two comments
option_types.py --check   exit 1 when posed.d.ts has others
"""
import pathlib
import re
import sys

TOP = pathlib.Path(__file__).resolve().parents[2]
TYPES = TOP / "clients/js/posed.d.ts"
BEGIN = "// Made by `make types` from request_params.def.\n"
END = "// End of what `make types` makes.\n"
ROW = re.compile(r'^X\(\w+, "(\w+)", ([\w| ]+), (\w+), \w+, (?:"([^"]*)"|(VIEW_WORDS|PASS_WORDS)), "([^"]*)"\)$', re.M)
QUERIES = ["FOR_PALETTE", "FOR_POSE", "FOR_MESH", "FOR_RENDER", "FOR_BOUNDS", "FOR_KEYPOINTS"]
# Interface, the interfaces that it extends, and the operations that have all of its parameters.
INTERFACES = [
    ("ReferenceParameters", [], [*QUERIES, "FOR_LAYER", "FOR_REFERENCE"]),
    ("SpanParameters", ["ReferenceParameters"], [*QUERIES, "FOR_LAYER"]),
    ("LayerParameters", ["SpanParameters"], ["FOR_LAYER"]),
    ("ClipParameters", ["Abortable", "SpanParameters"], QUERIES),
    ("PaletteParameters", ["ClipParameters"], ["FOR_PALETTE"]),
    ("PoseParameters", ["ClipParameters"], ["FOR_POSE"]),
    ("MeshParameters", ["ClipParameters"], ["FOR_MESH"]),
    ("BoundsParameters", ["ClipParameters"], ["FOR_BOUNDS"]),
    ("KeypointsParameters", ["ClipParameters"], ["FOR_KEYPOINTS"]),
    ("KeysParameters", ["Abortable"], ["FOR_KEYS"]),
    ("HitboxesParameters", ["Abortable"], ["FOR_HITBOXES"]),
    ("RaycastParameters", ["Abortable"], ["FOR_RAYCAST"]),
    ("CompareParameters", ["Abortable"], ["FOR_COMPARE"]),
    ("CheckParameters", ["Abortable"], ["FOR_CHECK"]),
    ("FlexParameters", ["Abortable"], ["FOR_FLEX"]),
    ("TextureParameters", ["Abortable"], ["FOR_TEXTURE"]),
    ("PictureParameters", ["ClipParameters"], ["FOR_RENDER"]),
    ("RenderParameters", ["PictureParameters"], ["FOR_ONE_PICTURE"]),
    ("TurntableParameters", ["PictureParameters"], ["FOR_SHEETS"]),
    ("SheetParameters", ["TurntableParameters"], ["FOR_SHEET"]),
    ("EnvironmentParameters", ["Abortable"], ["FOR_ENVIRONMENT"]),
    ("ExportParameters", ["Abortable"], ["FOR_EXPORT"]),
]
# The meaning of the table's words in capitals. Other words are literal.
NUMBERS = {"INDEX", "SECONDS", "RATE", "FACTOR", "SHARE", "DEGREES", "PIXELS", "COUNT", "METRES", "STOPS"}
STRINGS = {"NAME", "TEXT", "PATH", "HASH", "RRGGBB", "RRGGBBAA", "-"}
BOX = "string | readonly number[]"
WHOLE = {"0|1": "Flag", "INDEX|NAME": "Ref", "INDEX|NAME|-": "Ref", "all|INDEX|NAME": "Ref", "SECONDS|START:END:FPS": "Times", "INDEX|NAME|X,Y,Z": "Ref | readonly number[]",
         "MINX,MINY,MINZ,MAXX,MAXY,MAXZ": BOX, "PATTERN=NAME": "Renames", "ROLE=JOINT": "Renames", "JOINT:X,Y,Z": "string",
         "TARGET:WEIGHT": "string", "NAME:WEIGHT": "string", "YAW,PITCH|X,Y,Z": BOX}
JSON = {"layers": "readonly LayerParameters[]", "pose": "GivenPose", "reference": "ReferenceParameters", "entities": "readonly RaycastEntity[]",
        "rays": "readonly Ray[]", "points": "readonly KeypointPoint[]"}


def rows():
    """The parameters as (name, operations, type, text). `model` is left out, and the `format` that a method sets itself."""
    text = (TOP / "server/wire/request/request_params.def").read_text(encoding="utf-8")
    tables = {"VIEW_WORDS": "protocol/pictures/views.def", "PASS_WORDS": "protocol/pictures/passes.def"}
    listed = {name: "|".join(re.findall(r'^X\(\w+, "(\w+)"', (TOP / table).read_text(encoding="utf-8"), re.M)) for name, table in tables.items()}
    found = ROW.findall(text)
    if len(found) != len(re.findall(r"^X\(", text, re.M)):
        sys.exit("request_params.def has a row that this script cannot read")
    return [(name, split(operations), type_of(name, often, values or listed[words]), said) for name, operations, often, values, words, said in found
            if name not in ("model", "with", "queries", "prefix", "limit", "after", "texture") and not (name == "format" and "bin" in values)]


def split(operations):
    """Parameters of all pictures except sheets go to pictures. The interfaces of sheets have only their differences."""
    some = operations.replace("FOR_GIVEN", " | ".join(QUERIES)).split(" | ")
    return some + ["FOR_RENDER", "FOR_SHEETS"] if {"FOR_ONE_PICTURE", "FOR_TURNTABLE"} <= set(some) else some


def type_of(name, how_often, values):
    words = values.split("|")
    if values == "JSON":
        return JSON[name]
    if values in WHOLE:
        one = WHOLE[values]
    elif any(word in STRINGS for word in words):
        one = "string"
    elif "CAMERA" in words:
        one = "Ref | CameraNumbers"
    elif words[0] in NUMBERS:
        one = "number"
    else:
        one = " | ".join("number" if word in NUMBERS else f"'{word}'" for word in words)
    if how_often != "MANY" or one in ("Times", BOX):
        return one
    if one == "Renames":
        return one
    return "Refs" if one == "Ref" else f"{one} | readonly string[]" if one == "string" else f"{one} | ReadonlyArray<{one}>"


def types():
    parameters, members, out = rows(), {"Abortable": {}}, []
    for interface, bases, operations in INTERFACES:
        above = {name: type for base in bases for name, type in members[base].items()}
        others = [row for row in parameters if row[1] == operations and above.get(row[0], row[2]) != row[2]]
        own = [row for row in parameters if set(operations) <= set(row[1]) and row[0] not in above] + others
        members[interface] = {**above, **{row[0]: row[2] for row in own}}
        names = " | ".join(f"'{row[0]}'" for row in others)
        of = [f"Omit<{base}, {names}>" if others else base for base in bases]
        out.append(f"export interface {interface}{' extends ' if bases else ''}{', '.join(of)} {{")
        out += [f"  /** {text} */\n  {name}?: {type};" for name, _, type, text in own] + ["}\n"]
    return "\n".join(out) + "\n"


def main():
    text = TYPES.read_text(encoding="utf-8")
    begin, end = text.index(BEGIN) + len(BEGIN), text.index(END)
    if sys.argv[1:] == ["--write"]:
        TYPES.write_text(text[:begin] + types() + text[end:], encoding="utf-8")
    elif sys.argv[1:] == ["--check"]:
        if text[begin:end] != types():
            sys.exit("clients/js/posed.d.ts has other options than request_params.def: run make types")
    elif sys.argv[1:]:
        sys.exit(__doc__)
    else:
        print(types(), end="")


main()
