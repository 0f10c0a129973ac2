"""A palette as JSON: posed's writer beside cJSON, in one program (json_floats.c), the same bits."""
import json
import subprocess

import peers
import quiet

TITLE = "a palette as JSON"
JOINTS = 24


def once():
    """{layout: nanoseconds of both}."""
    found = subprocess.check_output([peers.PROGRAMS / "json_floats", str(JOINTS)], text=True)
    return {row["layout"]: row for row in map(json.loads, found.splitlines())}


def run(bench):
    rounds = bench.interleave({"both": quiet.processor_time(once)})
    for layout in rounds.rows[0]["both"][0]:
        of = lambda key, layout=layout: lambda found: found[layout][key] / (1 if key == "ratio" else 1e3)
        bench.add("palette_json", f"{JOINTS} joints, {layout}", "\u00b5s", rounds.figure("both", of("posed_ns")), "cJSON",
                  rounds.figure("both", of("cjson_ns")), rounds.figure("both", of("ratio")), "json", headline=True)
