"""Attacks by work: queries above the limits, batches of them, misbehaving importers and renderers."""
import json
import time

from renderers import MISDEEDS

QUERIES = [{"op": "palette", "t": "0:1000:0.001"}, {"op": "mesh", "t": "0:100:0.001"}, {"op": "pose", "t": "0:9:0.0001"},
           {"op": "bounds", "t": "0:1000:0.001"}, {"op": "palette", "t": "0"}, {"op": "render"}]
IMPORTER_STATUSES = {404, 415, 422, 503}


def oversize(battle, rng):
    """One query, or a batch of 256 of them: refused or answered, and soon."""
    query = {"model": f"{rng.randrange(4)}.gltf", **rng.choice(QUERIES)}
    if rng.random() < 0.5:
        target = "/v1/" + query.pop("op") + "?" + "&".join(f"{name}={value}" for name, value in query.items())
        with battle.connect() as connection:
            battle.expect("oversize", connection.get(target), {200, 400, 413, 422})
        return
    body = json.dumps({"queries": [query] * rng.choice((2, 256, 300))})
    began = time.monotonic()
    with battle.connect() as connection:
        connection.send(f"POST /v1/query HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n"
                        f"\r\n{body}")
        battle.expect("batch", connection.answer(), {200, 400, 413, 422})
    if time.monotonic() - began > 50:
        battle.fault(f"a batch of {query} took {time.monotonic() - began:.0f} s")


# --- programs that misbehave where the model or the picture asks for it ---

# The shell of the importer, by the number in the model's name: bad-N.gltf
IMPORTER_FAULTS = ["kill -SEGV $$", "kill -ABRT $$", "kill -KILL $$", "kill -XCPU $$", "exit 0", "exit 1", "exit 99", "exit 2",
                   "head -c 100000 /dev/urandom >&4; exit 0", "{real}; truncate -s 200 /proc/self/fd/4; exit 0",
                   "printf nonsense >&3; sleep 30", "head -c 5000000 /dev/zero >&2; kill -SEGV $$", "sleep 60",
                   "exec 3>&- 4>&-; sleep 60"]
IMPORTER = "case \"$*\" in\n" + "".join(f"*bad-{i}.gltf*) {fault};;\n" for i, fault in enumerate(IMPORTER_FAULTS)) + "esac\nexec {real}"
FIRST_WIDTH = 13  # pictures of this width and the following ones make the renderer misbehave
# Between honest clients and a real renderer. Its misbehaviour replaces the real one's answer.
RENDERER = f"""
MISDEEDS = {[script.replace("ready();", "").replace("ready()", "").strip() for script, _, _ in MISDEEDS.values()]!r}
real = Real({{real!r}})
send(real.read())
while True:
    data, files = receive_job()
    n, (w, h) = job_number(data), job_size(data)
    if {FIRST_WIDTH} <= w < {FIRST_WIDTH} + len(MISDEEDS):
        job = lambda: (n, w, h)
        exec(MISDEEDS[w - {FIRST_WIDTH}], globals())
        os._exit(7)
    real.ask(data, files)
    send(real.read())
"""


def bad_imports(battle, rng):
    number = rng.randrange(len(IMPORTER_FAULTS))
    path = battle.root / f"bad-{number}.gltf"
    if not path.exists():
        path.write_text((battle.root / "1.gltf").read_text())
    with battle.connect() as connection:
        battle.expect(f"importer {number}", connection.get(f"/v1/palette?model=bad-{number}.gltf"), IMPORTER_STATUSES)


def bad_renders(battle, rng):
    number = rng.randrange(len(MISDEEDS))
    name, (_, status, _) = list(MISDEEDS.items())[number][0], list(MISDEEDS.values())[number]
    with battle.connect() as connection:
        battle.expect(f"renderer: {name}", connection.get(f"/v1/render?model=0.gltf&width={FIRST_WIDTH + number}&height=20"),
                      {status[0], "render_failed", "render_timeout"})
    battle.stop.wait(0.5)  # most take a renderer for its whole time
