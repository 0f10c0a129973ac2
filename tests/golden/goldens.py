#!/usr/bin/python3
"""The golden pictures of pictures.txt, as PNGs in expected/.

    goldens.py compare|write

`compare` draws all pictures, puts them and their differences into build/golden and prints the size of each difference. `write` makes the
drawn pictures the expected ones, and makes the README's first picture from three of them. index.html shows the
expected and the actual picture and their difference side by side. llvmpipe draws the same pixels on all processors of one class, but a few
differ between classes, so a comparison has a tolerance.
"""
import html
import io
import os
import pathlib
import sys

import numpy
from PIL import Image

HERE = pathlib.Path(__file__).resolve().parent
REPOSITORY = HERE.parents[1]
OUT = pathlib.Path(os.environ.get("POSED_BUILD", REPOSITORY / "build")) / "golden"
# A pixel is off if a channel, laid over black and over white, differs by more than this: of 255.
PIXEL_TOLERANCE = 12
# The share of pixels that may be off, and the mean difference of all.
OFF_SHARE, MEAN_TOLERANCE = 0.003, 0.5


def pictures():
    """Name and target of each picture."""
    lines = (HERE / "pictures.txt").read_text().splitlines()
    return [tuple(line.split(None, 1)) for line in lines if line.strip() and not line.startswith("#")]


def fill_root(root, samples):
    """Put all models of the pictures into one folder."""
    sys.path.insert(0, str(HERE))
    import layer_spheres
    import material_models

    for model in (*samples.glob("*.glb"), *(REPOSITORY / "tests" / "oracle" / "models").iterdir()):
        (root / model.name).write_bytes(model.read_bytes())
    material_models.write(root)
    layer_spheres.write(root)


def rgba(data):
    return numpy.asarray(Image.open(io.BytesIO(data)).convert("RGBA"), float)


def over(pixels, background):
    alpha = pixels[..., 3:] / 255
    return pixels[..., :3] * alpha + background * (1 - alpha)


def difference(expected, actual):
    """Per pixel, 0..255: the greatest difference of any channel over black and over white."""
    return numpy.maximum(*(abs(over(expected, b) - over(actual, b)).max(-1) for b in (0.0, 255.0)))


def judge(expected, actual):
    """Why the pictures are not the same, or None."""
    if expected.shape != actual.shape:
        return f"{actual.shape[1]} x {actual.shape[0]} pixels instead of {expected.shape[1]} x {expected.shape[0]}"
    off = difference(expected, actual)
    share, mean = (off > PIXEL_TOLERANCE).mean(), off.mean()
    if share > OFF_SHARE or mean > MEAN_TOLERANCE:
        return f"{share:.2%} of the pixels differ by more than {PIXEL_TOLERANCE}, all by {mean:.2f} on average"
    return None


def compare(name, data):
    """Keep the picture and its difference for the page. Returns why it is not the expected one, or None."""
    for folder in ("actual", "difference"):
        (OUT / folder).mkdir(parents=True, exist_ok=True)
    (OUT / "actual" / f"{name}.png").write_bytes(data)
    path = HERE / "expected" / f"{name}.png"
    if not path.exists():
        return f"there is no expected/{name}.png: make goldens"
    expected, actual = rgba(path.read_bytes()), rgba(data)
    if expected.shape == actual.shape:
        shown = Image.fromarray(numpy.minimum(8 * difference(expected, actual), 255).astype("uint8"))
        shown.save(OUT / "difference" / f"{name}.png")
    return judge(expected, actual)


def page():
    """The expected pictures from this folder, the actual ones and the differences from the last comparison."""
    def cell(folder, name):
        return f'<td><img src="{folder}/{html.escape(name)}.png" alt="" loading="lazy"></td>'

    rows = "\n".join(f'<tr><th>{html.escape(name)}<br><code>{html.escape(target)}</code></th>{cell("expected", name)}'
                     f'{cell("../../build/golden/actual", name)}{cell("../../build/golden/difference", name)}</tr>'
                     for name, target in pictures())
    return f"""<!doctype html>
<meta charset="utf-8">
<title>posed: golden pictures</title>
<style>
body {{ font: 14px/1.4 system-ui, sans-serif; margin: 2em; background: #f4f4f2; color: #222; }}
th {{ text-align: left; font-weight: 600; max-width: 24em; vertical-align: top; padding: .5em 1em .5em 0; }}
code {{ font-weight: 400; font-size: 12px; overflow-wrap: anywhere; color: #555; }}
td {{ vertical-align: top; padding: .25em; }}
img {{ display: block; max-width: 100%; background: repeating-conic-gradient(#ddd 0 25%, #fff 0 50%) 0 0 / 16px 16px; }}
</style>
<h1>Golden pictures</h1>
<p>What is expected is committed; <code>make test</code> draws the rest anew into build/golden. The difference is eight times
as bright as it is. <code>make goldens</code> takes what is drawn as expected.</p>
<table>
<tr><th></th><td>expected</td><td>actual</td><td>difference</td></tr>
{rows}
</table>
<h2>Beside others</h2>
<p>Models as posed, three.js and Blender's Cycles draw them in the same light, by <code>make beside</code>; its numbers are in
build/beside/index.html.</p>
<p><img src="../../protocol/beside.png" alt="Eleven models, each drawn three times, in nearly the same colours"></p>
<p>Spheres with layers of materials as posed and three.js draw them in the same light: <code>layer_spheres.py FOLDER</code>, then <code>beside.py
--size 360 --no-cycles --sheet tests/golden/layers_beside.png FOLDER/*.glb</code>. Without reflection a surface has its base colour here; three.js's tone
map takes 0.04 of it away. Sheen takes as much from the layer below as it reflects itself.</p>
<p><img src="layers_beside.png" alt="Seven rows of spheres, one for each extension, each drawn twice, in nearly the same colours"></p>
"""


def write_title():
    """The README's first picture: the samples side by side."""
    row = [Image.open(HERE / "expected" / f"readme_{name}.png").convert("RGB") for name in ("dragon", "octopus", "robot")]
    title = Image.new("RGB", (sum(picture.width for picture in row), row[0].height), "white")
    for i, picture in enumerate(row):
        title.paste(picture, (i * picture.width, 0))
    title.save(REPOSITORY / "deploy" / "samples" / "samples.png", optimize=True)


def main():
    if sys.argv[1:] not in (["compare"], ["write"]):
        print(__doc__.strip(), file=sys.stderr)
        return 2
    sys.path.insert(0, str(REPOSITORY / "tests" / "api"))
    import tempfile

    from conftest import SAMPLES, Server

    is_writing, failed = sys.argv[1] == "write", 0
    with tempfile.TemporaryDirectory() as folder:
        fill_root(pathlib.Path(folder), SAMPLES)
        server = Server(folder)
        for name, target in pictures():
            answer = server.get("/v1/" + target)
            if answer.status != 200:
                print(f"{name}: {answer.status} {answer.body.decode(errors='replace')}")
                failed += 1
                continue
            if is_writing:
                (HERE / "expected" / f"{name}.png").write_bytes(answer.body)
            why = compare(name, answer.body)
            failed += why is not None
            print(f"{name}: {why or 'as expected'}")
        server.end()
    if is_writing:
        known = {f"{name}.png" for name, _ in pictures()}
        for stale in (HERE / "expected").iterdir():
            if stale.name not in known:
                stale.unlink()
        (HERE / "index.html").write_text(page())
        write_title()
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
