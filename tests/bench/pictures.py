"""Thumbnails a second, and how soon after a cold start the first is there: beside f3d, a process for each picture under one Xvfb.

256 x 256, anti-aliased, transparent, two at a time. posed draws a moment of a clip; f3d 1.3 draws the bind pose. "full" is the model with every
texture that a material can have; robot (19,680 triangles) and dragon (13,560) are heavy. thumbnails.py has more of it.
"""
import struct
import subprocess
import time

import peers
import thumbnails

TITLE = "thumbnails of 256 x 256"
MODELS = {"Fox base": "thumbnails_base", "cesium_man base": "thumbnails_base", "Bob base": "thumbnails_base", "Fox full": "thumbnails_full",
          "cesium_man full": "thumbnails_full", "Bob full": "thumbnails_full", "robot base": "thumbnails_heavy", "dragon base": "thumbnails_heavy"}
NOT_F3D = ("Bob base", "Fox full", "cesium_man full", "Bob full", "dragon base")  # it reads no MD5; the others would add nothing
FIRST = ("Fox base", "robot base")
AT_ONCE = 2
F3D = '"$0" "$1" --output="$2/$3.png" --resolution=256,256 --no-background --dry-run --quiet'


def is_picture(path):
    head = path.read_bytes()[:24] if path.is_file() else b""
    return head[:8] == b"\x89PNG\r\n\x1a\n" and struct.unpack(">II", head[16:24]) == (256, 256)


def f3d_once(path, out, count):
    """(seconds for `count` pictures, errors). The X server is started once for all of them."""
    for old in out.glob("*.png"):
        old.unlink()
    script = f"seq {count} | xargs -P {AT_ONCE} -I N sh -c '{F3D}' \"$0\" \"$1\" \"$2\" N"
    begin = time.perf_counter()
    done = subprocess.run([peers.program("xvfb-run"), "-a", "sh", "-c", script, peers.program("f3d"), str(path), str(out)],
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
    seconds = time.perf_counter() - begin
    is_good = done.returncode == 0 and all(is_picture(out / f"{i + 1}.png") for i in range(count))
    return seconds, "" if is_good else done.stderr[-500:].strip() or f"exit status {done.returncode}"


def f3d(path, out, count):
    """Seconds. f3d crashes now and then on busy machines, so it has three tries."""
    for _ in range(3):
        seconds, wrong = f3d_once(path, out, count)
        if not wrong:
            return seconds
    raise SystemExit(f"f3d draws no picture of {path.name}: {wrong}")


def ask(bench, server, model, is_packets=False):
    """Pictures a second of a server, each with another camera."""
    address, speech = (server.ports["tcp"], "packets") if is_packets else (server.address, "http")
    target = thumbnails.PICTURE.format(model) + "&yaw={t}"
    return peers.load(address, target, speak=speech, connections=8, times=359, seconds=bench.seconds(0.6), warm_up=bench.seconds(0.1))["per_second"]


def add_rates(bench, rounds, models):
    for name in models:
        who = ("posed", name)
        if name in NOT_F3D:
            bench.add("pictures", name, "a second", rounds.figure(who), target=MODELS[name], headline=True)
        else:
            bench.add("pictures", name, "a second", rounds.figure(who), "f3d", rounds.figure(("f3d", name)), rounds.ratio(who, ("f3d", name)),
                      MODELS[name], headline=True)
    bench.add("pictures", "robot base, by packets over TCP", "a second", rounds.figure(("packets", "robot base")))


def add_firsts(bench, root, cache, out, models):
    for name in FIRST:
        if name not in models:
            continue
        model = models[name]
        once = lambda model=model: thumbnails.first_thumbnail(root, cache, model)
        once()
        rounds = bench.interleave({"posed": once, "f3d": lambda model=model: f3d(root / model, out, 1) * 1e3})
        bench.add("pictures", f"{name}, cold start to the first picture, model in the disk cache", "ms", rounds.figure("posed"), "f3d",
                  rounds.figure("f3d"), rounds.ratio("f3d", "posed"), "first_thumbnail_ms", headline=True)


def run(bench):
    root, cache, out = bench.make_folder("pictures"), bench.folder / "pictures-cache", bench.make_folder("f3d")
    bench.others(*thumbnails.OTHERS)
    models = {name: model for name, model in thumbnails.make_models(root, bench.shared) if name in MODELS}
    pictures = 2 if bench.is_quick else 4
    server = peers.conftest.Server(root, "--render-workers", str(thumbnails.WORKERS), "--log", "off", "--tcp", "127.0.0.1:0")
    try:
        tasks = {("packets", "robot base"): lambda: ask(bench, server, models["robot base"], True)}
        for name, model in models.items():
            server.get(thumbnails.PICTURE.format(model))
            tasks["posed", name] = lambda model=model: ask(bench, server, model)
            if name not in NOT_F3D:
                tasks["f3d", name] = lambda model=model: pictures / f3d(root / model, out, pictures)
        rounds = bench.interleave(tasks)
    finally:
        server.end()
    add_rates(bench, rounds, models)
    add_firsts(bench, root, cache, out, models)
