#!/usr/bin/python3
"""Compares posed's pictures with three.js' and Blender's Cycles': the same vertices, camera, environment and tone map (Khronos PBR Neutral).

    beside.py [--light WORD | --environment FILE.hdr] [--query QUERY] [--size PIXELS] [--sheet FILE] [--no-cycles] [MODEL ...]

A MODEL is a file that posed reads, with its companions. The default is the samples and the eight models of beside_models.py. The light comes from
/v1/environment with --light (studio), or from an .hdr. --query has further parameters of /v1/render, as in pictures.txt. Pictures, numbers and
index.html are in build/beside; --sheet also writes all pictures as one, without the empty rows above and below. The numbers are CIE L* and C* of
the median colour and of the mean of the brightest tenth, over the pixels that all pictures cover: posed's excess over the other.
The exit status is 1 if posed's picture is duller than three.js's by more than 5.

Missing programs (npm's packages, Chromium, Blender) are reported and left out.
"""
import argparse
import html
import io
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import urllib.parse

import numpy
from PIL import Image, ImageDraw

HERE = pathlib.Path(__file__).resolve().parent
REPOSITORY = HERE.parents[1]
OUT = REPOSITORY / "build" / "beside"
SAMPLES = ("dragon.glb", "octopus.glb", "robot.glb")
DULLER_BY = 5.0

sys.path.insert(0, str(HERE))
import beside_models  # noqa: E402
import colours  # noqa: E402
import panorama  # noqa: E402


def parts_of(data):
    """The JSON of a GLB file."""
    return json.loads(data[20:20 + int.from_bytes(data[12:16], "little")])


def is_still(data):
    return data[:4] == b"glTF" and not {"animations", "skins"} & parts_of(data).keys()


def columns(numbers):
    return numpy.array(numbers, float).reshape(4, 4).T


def environment_from_gltf(view_from_gltf):
    """A rotation. The environment is fixed to the camera, so that every view of a model has the same light."""
    rotation = view_from_gltf[:3, :3]
    return rotation / numpy.cbrt(numpy.linalg.det(rotation))  # without the unit of the scene


def ask(server, target):
    answer = server.get(target)
    if answer.status != 200:
        raise RuntimeError(f"{target}: {answer.status} {answer.body.decode(errors='replace')}")
    return answer


class Picture:
    """A model for all renderers: posed's picture, and the job for the others."""

    def __init__(self, server, folder, model, light, query, size):
        self.name = pathlib.Path(model).stem
        words = urllib.parse.urlencode({"model": model, "width": size, "height": size, **light})
        asked = f"/v1/render?{words}{'&' + query if query else ''}"
        self.pixels = {"posed": numpy.asarray(Image.open(io.BytesIO(ask(server, asked).body)).convert("RGBA"), float) / 255}
        told = ask(server, asked + "&format=json").json()
        data = (folder / model).read_bytes()
        if not is_still(data):
            clip = told["clip"]["index"] if told["clip"] else "-"
            pose = urllib.parse.urlencode({"model": model, "clip": clip, "t": told["clip_time"], "wrap": "clamp", "format": "glb"})
            data = ask(server, f"/v1/mesh?{pose}").body
        view_from_scene = columns(told["camera"]["view_from_scene"])
        turn = [node["matrix"] for node in parts_of(data)["nodes"] if node.get("name") == "gltf_from_scene" and "matrix" in node]
        gltf_from_scene = columns(turn[0]) if turn else numpy.eye(4)
        view_from_gltf = view_from_scene @ numpy.linalg.inv(gltf_from_scene)
        self.environment_from_gltf = environment_from_gltf(view_from_gltf)
        (OUT / f"{self.name}.glb").write_bytes(data)
        self.job = {"glb": str(OUT / f"{self.name}.glb"), "width": size, "height": size,
                    "view_from_scene": view_from_gltf.T.ravel().tolist(), "clip_from_view": told["camera"]["clip_from_view"]}

    def hang(self, light):
        """The environment's file, rotated to its place over the model."""
        path = OUT / f"{self.name}.hdr"
        path.write_bytes(panorama.packed(panorama.turned(light, self.environment_from_gltf)))
        self.job["hdr"] = str(path)


def light_of(server, words):
    """The environment's pixels. Words: light= or environment=."""
    return panorama.unpacked(ask(server, "/v1/environment?" + urllib.parse.urlencode({**words, "format": "hdr"})).body)


def by_three(pictures):
    """Draw with three.js; returns why it is impossible, or None."""
    installed = subprocess.run([REPOSITORY / "tests/web/run.sh", "--install"], capture_output=True, text=True, check=False)
    if installed.returncode != 0:
        return f"three.js: {installed.stderr.strip()}"
    jobs = [{**one.job, "tone": "neutral", "exposure": 1, "out": str(OUT / f"{one.name}.three.png")} for one in pictures]
    done = subprocess.run(["node", HERE / "beside_three.mjs"], input="\n".join(map(json.dumps, jobs)), capture_output=True, text=True, check=False)
    replies = [json.loads(line) for line in done.stdout.splitlines()]
    faults = [f"{one.name}: {reply['error']}" for one, reply in zip(pictures, replies) if "error" in reply]
    if done.returncode != 0 or faults or len(replies) != len(jobs):
        return f"three.js: {'; '.join(faults)} {done.stderr.strip()[-400:]}"
    for one, job in zip(pictures, jobs, strict=True):
        one.pixels["three.js"] = shrunk(numpy.asarray(Image.open(job["out"]).convert("RGBA"), float) / 255)
    return None


def shrunk(pixels):
    """Half the size: the mean of four, for colours multiplied by their alpha."""
    flat = pixels.copy()
    flat[..., :3] *= flat[..., 3:]
    height, width = flat.shape[0] // 2, flat.shape[1] // 2
    mean = flat.reshape(height, 2, width, 2, 4).mean((1, 3))
    mean[..., :3] /= numpy.maximum(mean[..., 3:], 1e-6)
    return mean


def by_cycles(pictures):
    """Draw with Cycles; returns why it is impossible, or None. The tone mapping is done here, by the same formula as three.js's."""
    blender = shutil.which("blender")
    if not blender:
        return "Cycles: no blender here (apt-get install blender)"
    jobs = [{**one.job, "out": str(OUT / f"{one.name}.cycles.npy")} for one in pictures]
    (OUT / "cycles.json").write_text(json.dumps(jobs))
    done = subprocess.run([blender, "-b", "--factory-startup", "--python-exit-code", "1", "--python", HERE / "beside_cycles.py", "--", OUT / "cycles.json"],
                          capture_output=True, text=True, errors="replace", check=False)
    if done.returncode != 0:
        return f"Cycles: {(done.stdout + done.stderr)[-600:]}"
    for one, job in zip(pictures, jobs, strict=True):
        light = numpy.load(job["out"]).astype(float)
        light[..., :3] /= numpy.maximum(light[..., 3:], 1e-6)
        one.pixels["Cycles"] = numpy.concatenate([colours.encoded(colours.neutral(light[..., :3])), light[..., 3:]], -1)
    return None


def differences(one):
    """{other: {"median"|"brightest": (L*, C*) by which posed exceeds it}} over the pixels that both cover completely."""
    found = {}
    for other in one.pixels.keys() - {"posed"}:
        covered = (one.pixels["posed"][..., 3] > 0.99) & (one.pixels[other][..., 3] > 0.99)
        if covered.sum() < 16:
            raise RuntimeError(f"{one.name}: posed and {other} have no pixel in common")
        seen = {who: numpy.minimum(one.pixels[who][covered][:, :3], 1) for who in ("posed", other)}
        middles = {who: colours.lightness_chroma(numpy.median(colors, 0)) for who, colors in seen.items()}
        bright = {who: colours.lightness_chroma(brightest(colors)) for who, colors in seen.items()}
        found[other] = {"median": tuple(numpy.subtract(middles["posed"], middles[other])),
                        "brightest": tuple(numpy.subtract(bright["posed"], bright[other]))}
    return found


def brightest(colors):
    lightness = colours.lab(colors)[:, 0]
    return colors[lightness >= numpy.quantile(lightness, 0.9)].mean(0)


def is_duller(found):
    return any(number < -DULLER_BY for numbers in found.get("three.js", {}).values() for number in numbers)


def told(numbers):
    return "L* {:+.1f}, C* {:+.1f}".format(*numbers)


def on_white(pixels):
    alpha = pixels[..., 3:]
    return Image.fromarray((numpy.clip(pixels[..., :3] * alpha + 1 - alpha, 0, 1) * 255 + 0.5).astype("uint8"))


def sheet_of(pictures, across=2):
    """All pictures in one: posed, three.js, Cycles for each model."""
    size, line, gap = pictures[0].job["width"], 14, 12
    drawn_by = [who for who in ("posed", "three.js", "Cycles") if any(who in one.pixels for one in pictures)]
    wide, low, high = len(drawn_by) * size + gap, *rows_with_something(pictures)
    tall = high - low + line
    sheet = Image.new("RGB", (across * wide - gap, -(-len(pictures) // across) * tall), "white")
    draw = ImageDraw.Draw(sheet)
    for i, one in enumerate(pictures):
        x, y = i % across * wide, i // across * tall
        for k, who in enumerate(drawn_by):
            if who in one.pixels:
                sheet.paste(on_white(one.pixels[who][low:high]), (x + k * size, y + line))
            draw.text((x + k * size + 4, y + 1), f"{one.name.replace('_', ' ')}: {who}" if k == 0 else who, fill=(60, 60, 60))
    return sheet


def rows_with_something(pictures):
    """The rows of pixels from the first that any picture covers to the last."""
    covered = numpy.any([pixels[..., 3].max(1) > 0 for one in pictures for pixels in one.pixels.values()], axis=0).nonzero()[0]
    return int(covered[0]), int(covered[-1]) + 1


def page(pictures, words):
    def cell(one, who):
        if who not in one.pixels:
            return "<td></td>"
        on_white(one.pixels[who]).save(OUT / f"{one.name}.{who}.page.png")
        return f'<td><img src="{html.escape(one.name)}.{who}.page.png" alt=""></td>'

    rows = []
    for one in pictures:
        lines = "".join(f"<br>{html.escape(other)}: median {told(d['median'])}; brightest tenth {told(d['brightest'])}"
                        for other, d in sorted(differences(one).items()))
        rows.append(f"<tr><th>{html.escape(one.name)}<small>{lines}</small></th>{''.join(cell(one, who) for who in ('posed', 'three.js', 'Cycles'))}</tr>")
    return f"""<!doctype html>
<meta charset="utf-8">
<title>posed beside three.js and Cycles</title>
<style>
body {{ font: 14px/1.4 system-ui, sans-serif; margin: 2em; color: #222; }}
th {{ text-align: left; max-width: 24em; vertical-align: top; }} small {{ font-weight: 400; color: #555; }}
</style>
<h1>posed beside three.js and Cycles</h1>
<p>Light: {html.escape(json.dumps(words))}. Numbers: what posed's colours have more in CIE lightness and chroma.</p>
<table><tr><th></th><td>posed</td><td>three.js</td><td>Cycles</td></tr>
{chr(10).join(rows)}
</table>
"""


def arguments():
    parser = argparse.ArgumentParser(usage=__doc__, add_help=False)
    parser.add_argument("--light", default="studio")
    parser.add_argument("--environment", type=pathlib.Path)
    parser.add_argument("--query", default="")
    parser.add_argument("--size", type=int, default=256)
    parser.add_argument("--sheet", type=pathlib.Path)
    parser.add_argument("--no-cycles", action="store_true")
    parser.add_argument("models", nargs="*", type=pathlib.Path)
    return parser.parse_args()


def fill_root(root, samples, asked):
    """Put the models into one folder with their companions. Returns their paths under it."""
    for source in asked.models:
        if source.suffix.lower() == ".glb":
            shutil.copy(source, root)
        else:
            shutil.copytree(source.parent, root, dirs_exist_ok=True)
    if asked.environment:
        shutil.copy(asked.environment, root / "environment.hdr")
    if asked.models:
        return [source.name for source in asked.models]
    for name in SAMPLES:
        shutil.copy(samples / name, root)
    return [*SAMPLES, *beside_models.write(root)]


def main():
    asked = arguments()
    words = {"environment": "environment.hdr"} if asked.environment else {"light": asked.light}
    sys.path.insert(0, str(REPOSITORY / "tests" / "api"))
    from conftest import SAMPLES as samples
    from conftest import Server

    OUT.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        names = fill_root(root, samples, asked)
        server = Server(root)
        try:
            pictures = [Picture(server, root, name, words, asked.query, asked.size) for name in names]
            light = light_of(server, words)
        finally:
            server.end()
    for one in pictures:
        one.hang(light)
    left_out = [why for why in (by_three(pictures), None if asked.no_cycles else by_cycles(pictures)) if why]
    duller = 0
    for one in pictures:
        for other, found in sorted(differences(one).items()):
            print(f"{one.name}: beside {other}: median {told(found['median'])}; brightest tenth {told(found['brightest'])}")
        if is_duller(differences(one)):
            print(f"{one.name}: duller than three.js by more than {DULLER_BY:g}")
            duller += 1
    (OUT / "index.html").write_text(page(pictures, words))
    sheet = sheet_of(pictures)
    sheet.save(OUT / "sheet.png")
    if asked.sheet:
        sheet.save(asked.sheet, optimize=True)
    for why in left_out:
        print(f"beside: skipped: {why}")
    print(f"beside: {OUT / 'index.html'}")
    return duller > 0


if __name__ == "__main__":
    sys.exit(main())
