"""Textures in answers: the files' own bytes where the answer can hold them, else encoded from their pixels."""
import gzip
import io
import json
import os
import pathlib
import zipfile
import zlib

import pytest
from PIL import Image

import small_blend
import textured_models as made
from round_trip import Glb

DRAWS = False

KTX2 = pathlib.Path(__file__).parents[2] / "fuzz/corpus/texture/etc1s_busy.ktx2"


def source(kind):
    return {"png": lambda: made.picture("PNG"), "jpg": lambda: made.picture("JPEG"), "webp": lambda: made.picture("WEBP"),
            "ktx2": KTX2.read_bytes}[kind]()


WRITERS = {
    "gltf beside": lambda folder, data, kind: made.write_gltf(folder, data, kind, "beside"),
    "gltf data URI": lambda folder, data, kind: made.write_gltf(folder, data, kind, "uri"),
    "glb": lambda folder, data, kind: made.write_gltf(folder, data, kind, "view"),
    "gltf view of a data URI": lambda folder, data, kind: made.write_gltf(folder, data, kind, "uri_view"),
    "fbx embedded": lambda folder, data, kind: made.write_fbx(folder, data, kind, "embedded"),
    "fbx beside": lambda folder, data, kind: made.write_fbx(folder, data, kind, "beside"),
    "fbx text": made.write_text_fbx,
    "fbx text in pieces": lambda folder, data, kind: made.write_text_fbx(folder, data, kind, 57),
    "fbx text in padded pieces": lambda folder, data, kind: made.write_text_fbx(folder, data, kind, 70),
    "3mf stored": lambda folder, data, kind: made.write_zip(folder, data, kind, "a.3mf", zipfile.ZIP_STORED),
    "3mf deflated": lambda folder, data, kind: made.write_zip(folder, data, kind, "a.3mf", comment=b"a comment"),
    "zae stored": lambda folder, data, kind: made.write_zip(folder, data, kind, "a.zae", zipfile.ZIP_STORED),
    "zae deflated": lambda folder, data, kind: made.write_zip(folder, data, kind, "a.zae"),
    "assimp beside": made.write_ac,
    "obj": made.write_obj,
    "blend": small_blend.write,
}


def export(server, model, rest="", operation="export?"):
    answer = server.get(f"/v1/{operation}model={model}{rest}")
    assert answer.status == 200, answer.body
    return Glb(answer.body)


def image(glb, index=0):
    """(mimeType, bytes) of an image of the file."""
    entry = glb.json["images"][index]
    view = glb.json["bufferViews"][entry["bufferView"]]
    return entry["mimeType"], bytes(glb.bin[view["byteOffset"]:view["byteOffset"] + view["byteLength"]])


def told(glb):
    return [{key: use[key] for key in ("format", "own_file", "width", "height")} for use in glb.json["asset"]["extras"]["textures"]]


def warnings(glb):
    return {warning["code"]: warning["message"] for warning in glb.json["asset"]["extras"]["warnings"]}


@pytest.mark.parametrize("kind", list(made.MIME))
@pytest.mark.parametrize("writer", list(WRITERS))
def test_bytes_are_those_of_the_source(start, tmp_path, writer, kind):
    data = source(kind)
    model = WRITERS[writer](tmp_path, data, kind)
    server = start()
    assert [texture["state"] for texture in server.json("/v1/model", model=model)["textures"]] == ["found"]
    for operation in ("export?", "mesh?format=glb&"):
        glb = export(server, model, "", operation)
        assert image(glb) == (made.MIME[kind], data)
        extension = made.EXTENSIONS.get(kind)
        if extension is None:
            assert glb.json["textures"] == [{"source": 0, "sampler": 0}]
        else:
            assert glb.json["textures"] == [{"sampler": 0, "extensions": {extension: {"source": 0}}}]
            assert extension in glb.json["extensionsUsed"] and extension in glb.json["extensionsRequired"]
        assert [(use["format"], use["own_file"]) for use in told(glb)] == [({"jpg": "jpeg"}.get(kind, kind), True)]
    answer = server.get(f"/v1/texture?model={model}&texture=0")
    assert (answer.status, answer.headers["content-type"], answer.body) == (200, made.MIME[kind], data)
    assert server.get(f"/v1/texture?model={model}&texture=0", method="HEAD").headers["content-length"] == str(len(data))


def test_a_picture_in_a_compressed_blend_file_is_encoded(start, tmp_path):
    model = small_blend.write(tmp_path, source("jpg"), "jpg")
    (tmp_path / model).write_bytes(gzip.compress((tmp_path / model).read_bytes()))
    glb = export(start(), model)
    assert image(glb)[0] == "image/png" and told(glb)[0]["own_file"] is False and "texture_encoded" in warnings(glb)


def test_one_picture_for_colours_and_data_is_one_image(start, tmp_path):
    data = source("png")
    glb = export(start(), made.write_gltf(tmp_path, data, "png", slot="both"))
    assert len(glb.json["textures"]) == 2 and len(glb.json["images"]) == 1
    assert [texture["source"] for texture in glb.json["textures"]] == [0, 0] and image(glb) == ("image/png", data)


@pytest.mark.parametrize("form, kind, pil", [("png", "image/png", "PNG"), ("jpeg", "image/jpeg", "JPEG"), ("webp", "image/webp", "WEBP")])
def test_other_forms_are_encoded_from_the_pixels(start, tmp_path, form, kind, pil):
    origin = "webp" if form == "png" else "png"
    server = start()
    model = made.write_gltf(tmp_path, source(origin), origin)
    glb = export(server, model, f"&textures={form}")
    mime, data = image(glb)
    picture = Image.open(io.BytesIO(data))
    assert (mime, picture.format, picture.size) == (kind, pil, (48, 20))
    expected = Image.open(io.BytesIO(source(origin))).convert("RGB")
    errors = [abs(a - b) for x, y in zip(picture.convert("RGB").getdata(), expected.getdata()) for a, b in zip(x, y)]
    assert sum(errors) / len(errors) < 12
    assert told(glb) == [{"format": form, "own_file": False, "width": 48, "height": 20}]
    texture = server.get(f"/v1/texture?model={model}&texture=0&textures={form}")
    assert (texture.headers["content-type"], texture.body) == (kind, data)
    assert ("extensionsRequired" in glb.json) == (form == "webp")
    own = made.write_gltf(tmp_path, source({"jpeg": "jpg"}.get(form, form)), {"jpeg": "jpg"}.get(form, form))
    assert image(export(server, own, f"&textures={form}")) == (kind, source({"jpeg": "jpg"}.get(form, form)))


def test_quality_decides_the_size(start, tmp_path):
    server = start()
    model = made.write_gltf(tmp_path, made.picture("PNG", 64, 64), "png")
    for form in ("jpeg", "webp"):
        low, usual, high = (len(image(export(server, model, f"&textures={form}{rest}"))[1]) for rest in ("&quality=5", "", "&quality=100"))
        assert low < usual < high


def test_a_picture_with_alpha_does_not_become_a_jpeg(start, tmp_path):
    glb = export(start(), made.write_gltf(tmp_path, made.picture("PNG", mode="RGBA"), "png"), "&textures=jpeg")
    assert image(glb)[0] == "image/png" and told(glb)[0]["format"] == "png"


def test_no_textures(start, tmp_path):
    glb = export(start(), made.write_gltf(tmp_path, source("png"), "png"), "&textures=none")
    assert "images" not in glb.json and "textures" not in glb.json and glb.json["asset"]["extras"]["textures"][0]["state"] == "left_out"


@pytest.mark.parametrize("kind", ["png", "jpg", "webp", "ktx2"])
def test_larger_pictures_are_reduced_in_their_format(start, tmp_path, kind):
    server = start()
    model = made.write_gltf(tmp_path, source(kind), kind)
    width = max(Image.open(io.BytesIO(server.get(f"/v1/texture?model={model}&texture=0&textures=png").body)).size)
    glb = export(server, model, "&max_texture=16")
    mime, data = image(glb)
    assert mime == ("image/png" if kind == "ktx2" else made.MIME[kind]) and max(Image.open(io.BytesIO(data)).size) == 16 < width
    assert told(glb)[0]["own_file"] is False
    for side in (4096, 48 if kind != "ktx2" else 1024):  # not larger than that
        assert image(export(server, model, f"&max_texture={side}")) == (made.MIME[kind], source(kind))


def test_colours_are_reduced_in_linear_light(start, tmp_path):
    checks = Image.new("RGB", (64, 64))
    checks.putdata([(255, 255, 255) if (x + y) % 2 else (0, 0, 0) for y in range(64) for x in range(64)])
    out = io.BytesIO()
    checks.save(out, "PNG")
    server = start()
    reduced = {}
    for slot in ("base", "both"):
        glb = export(server, made.write_gltf(tmp_path, out.getvalue(), "png", slot=slot), "&max_texture=32")
        reduced[slot] = [set(Image.open(io.BytesIO(image(glb, i)[1])).convert("RGB").getdata()) for i in range(len(glb.json["images"]))]
    assert reduced == {"base": [{(188, 188, 188)}], "both": [{(188, 188, 188)}, {(128, 128, 128)}]}  # light, and numbers


def test_reduced_normals_have_unit_length(start, tmp_path):
    slopes = Image.new("RGB", (64, 64))
    slopes.putdata([((218, 128, 218), (128, 218, 218))[(x + y) % 2] for y in range(64) for x in range(64)])  # (0.7, 0, 0.7), (0, 0.7, 0.7)
    out = io.BytesIO()
    slopes.save(out, "PNG")
    glb = export(start(), made.write_gltf(tmp_path, out.getvalue(), "png", slot="normal"), "&max_texture=8")
    texels = set(Image.open(io.BytesIO(image(glb)[1])).convert("RGB").getdata())
    assert len(texels) == 1
    x, y, z = (texel / 255 * 2 - 1 for texel in texels.pop())
    assert abs(x * x + y * y + z * z - 1) < 0.02 and x == y and abs(z / x - 2) < 0.05


# --- sides that are no powers of two ---

def in_light(picture):
    """Rows of rows of (r, g, b) in linear light."""
    curve = [s / 255 / 12.92 if s / 255 <= 0.04045 else ((s / 255 + 0.055) / 1.055) ** 2.4 for s in range(256)]
    pixels = picture.convert("RGB").load()
    return [[[curve[c] for c in pixels[x, y]] for x in range(picture.width)] for y in range(picture.height)]


def by_area(row, count):
    """A row of colours as `count` ones, each the mean of those under it."""
    scale = len(row) / count
    out = []
    for i in range(count):
        parts = [(min(k + 1, (i + 1) * scale) - max(k, i * scale), row[k]) for k in range(int(i * scale), min(len(row), int((i + 1) * scale) + 1))]
        total = sum(part for part, _ in parts)
        out.append([sum(part * color[c] for part, color in parts) / total for c in range(3)])
    return out


def reduced(picture, width, height):
    rows = [by_area(row, width) for row in in_light(picture)]
    columns = [by_area([row[x] for row in rows], height) for x in range(width)]
    return [[columns[x][y] for x in range(width)] for y in range(height)]


def blobs(width, height):
    """A picture of areas of light and dark, the narrowest of some pixels."""
    picture = Image.new("RGB", (width, height))
    picture.putdata([(255 if (x // 9 + y // 7) % 2 else 20, 255 * x // width, 200 if (x * x + y * y) // 900 % 2 else 10)
                     for y in range(height) for x in range(width)])
    return picture


@pytest.mark.parametrize("size, most, expected", [((300, 200), 128, (128, 85)), ((200, 300), 128, (85, 128)), ((300, 200), 299, (299, 199)),
                                                  ((300, 200), 20, (20, 13)), ((300, 1), 7, (7, 1)), ((64, 48), 32, (32, 24))])
def test_reduced_pictures_keep_their_proportions(start, tmp_path, size, most, expected):
    picture, out = blobs(*size), io.BytesIO()
    picture.save(out, "PNG")
    server = start()
    model = made.write_gltf(tmp_path, out.getvalue(), "png")
    glb = export(server, model, f"&max_texture={most}")
    told_size = {key: told(glb)[0][key] for key in ("width", "height")}
    small = Image.open(io.BytesIO(image(glb)[1]))
    assert small.size == expected == (told_size["width"], told_size["height"]) and told(glb)[0]["own_file"] is False
    assert server.get(f"/v1/texture?model={model}&texture=0&max_texture={most}").body == image(glb)[1]
    errors = [abs(a - b) for row, other in zip(in_light(small), reduced(picture, *expected)) for x, y in zip(row, other) for a, b in zip(x, y)]
    assert sum(errors) / len(errors) < 0.03, "it is the mean of the light of the source"
    lights = [sum(color[c] for row in rows for color in row) / (len(rows) * len(rows[0])) for rows in (in_light(small), in_light(picture)) for c in range(3)]
    assert all(abs(a - b) < 0.01 for a, b in zip(lights[:3], lights[3:])), "and as bright"


def test_reduced_normals_of_any_size_have_unit_length(start, tmp_path):
    slopes = Image.new("RGB", (300, 200))
    slopes.putdata([((218, 128, 218), (128, 218, 218))[(x + y) % 2] for y in range(200) for x in range(300)])
    out = io.BytesIO()
    slopes.save(out, "PNG")
    small = Image.open(io.BytesIO(image(export(start(), made.write_gltf(tmp_path, out.getvalue(), "png", slot="normal"), "&max_texture=128"))[1]))
    assert small.size == (128, 85)
    lengths = [sum((texel / 255 * 2 - 1) ** 2 for texel in texels) for texels in small.convert("RGB").getdata()]
    assert all(abs(length - 1) < 0.03 for length in lengths)


def test_numbers_of_any_size_are_averaged_as_numbers(start, tmp_path):
    checks = Image.new("RGB", (300, 200))
    checks.putdata([(255, 255, 255) if (x + y) % 2 else (0, 0, 0) for y in range(200) for x in range(300)])
    out = io.BytesIO()
    checks.save(out, "PNG")
    glb = export(start(), made.write_gltf(tmp_path, out.getvalue(), "png", slot="both"), "&max_texture=30")
    colours, numbers = (list(Image.open(io.BytesIO(image(glb, i)[1])).convert("RGB").getdata()) for i in range(2))
    mean = lambda pixels: sum(pixel[0] for pixel in pixels) / len(pixels)  # noqa: E731
    assert len(colours) == 30 * 20 and abs(mean(colours) - 188) < 2 and abs(mean(numbers) - 128) < 2


@pytest.mark.parametrize("size", [(20, 12), (48, 20), (64, 33), (7, 5)])
def test_texels_that_stay_square_are_those_of_the_source(start, tmp_path, size):
    """The import enlarges textures with the filter NEAREST without mixing their pixels."""
    data = made.picture("TGA", *size)
    document, _ = made.gltf(data, "png", "beside")
    document["samplers"] = [{"magFilter": 9728}]
    document["textures"][0]["sampler"] = 0
    (tmp_path / "skin.png").write_bytes(data)  # a TGA, whatever its name
    (tmp_path / "a.gltf").write_text(json.dumps(document))
    mime, got = image(export(start(), "a.gltf"))
    assert mime == "image/png" and list(Image.open(io.BytesIO(got)).convert("RGB").getdata()) == list(Image.open(io.BytesIO(data)).getdata())


@pytest.mark.parametrize("mode", ["RGB", "RGBA"])
@pytest.mark.parametrize("size", [(300, 200), (511, 129), (65, 127), (1, 3)])
def test_pictures_of_any_size_are_those_of_the_source(start, tmp_path, size, mode):
    """Their pixels are drawn with sides of powers of two, from which a file without own bytes is restored."""
    picture, out = blobs(*size).convert(mode), io.BytesIO()
    if mode == "RGBA":
        picture.putalpha(Image.frombytes("L", size, bytes(x * 255 // size[0] for y in range(size[1]) for x in range(size[0]))))
    picture.save(out, "TGA")
    made.write_obj(tmp_path, out.getvalue(), "tga")
    got = Image.open(io.BytesIO(image(export(start(), "a.obj"))[1])).convert("RGBA")
    assert got.size == size
    errors = [abs(a - b) * (x[3] / 255) for x, y in zip(picture.convert("RGBA").getdata(), got.getdata()) for a, b in zip(x, y)]
    assert sum(errors) / len(errors) < 0.7 and sorted(errors)[len(errors) * 9 // 10] <= 2 and max(errors) < 32, "of dark pixels beside light ones"


def test_sides_that_are_powers_of_two_are_the_pixels_of_the_source(start, tmp_path):
    data = made.picture("TGA", 64, 32)
    made.write_obj(tmp_path, data, "tga")
    assert list(Image.open(io.BytesIO(image(export(start(), "a.obj"))[1])).convert("RGB").getdata()) == list(Image.open(io.BytesIO(data)).getdata())


def test_formats_that_glb_has_not_become_png(start, tmp_path):
    server = start()
    image_file = Image.open(io.BytesIO(source("png")))
    image_file.save(tmp_path / "skin.tga")
    made.write_obj(tmp_path, (tmp_path / "skin.tga").read_bytes(), "tga")
    glb = export(server, "a.obj")
    assert image(glb)[0] == "image/png" and told(glb) == [{"format": "png", "own_file": False, "width": 48, "height": 20}]
    assert "texture 0 'skin.tga' of 48 x 20 pixels is a PNG of 48 x 20" in warnings(glb)["texture_encoded"]
    assert "texture_encoded" not in warnings(export(server, "a.obj", "&textures=png"))
    image_file.convert("CMYK").save(tmp_path / "skin.jpg")  # no viewer's business
    made.write_obj(tmp_path, (tmp_path / "skin.jpg").read_bytes(), "jpg")
    assert image(export(server, "a.obj"))[0] == "image/png"


@pytest.mark.parametrize("metallic, roughness", [((12, 60), (50, 20)), ((50, 20), (12, 60)), ((50, 60), (3, 3)), ((3, 3), (50, 60))])
def test_a_mixed_picture_has_the_larger_sides_of_its_parts(start, tmp_path, metallic, roughness):
    made.write_obj(tmp_path, source("png"), "png")
    (tmp_path / "a.mtl").write_text("newmtl skin\nmap_Pm m.png\nmap_Pr r.png\n")
    Image.new("L", metallic, 40).save(tmp_path / "m.png")
    Image.new("L", roughness, 200).save(tmp_path / "r.png")
    server = start()
    seen = Image.open(io.BytesIO(image(export(server, "a.obj"))[1])).convert("RGB")
    assert seen.size == (50, 60) and seen.getextrema()[1:] == ((200, 200), (40, 40))
    texture, = server.json("/v1/model", model="a.obj")["textures"]
    assert (texture["width"], texture["height"]) == (50, 60), texture


def test_what_is_drawn_smaller_is_told(start, tmp_path):
    data = made.picture("JPEG", 2500, 16)
    model = made.write_gltf(tmp_path, data, "jpg")
    server = start()
    told_by_model = {one["code"]: one["message"] for one in server.json("/v1/model", model=model)["warnings"]}
    assert told_by_model == {"texture_reduced": "texture 'skin.jpg' of 2500 x 16 pixels is drawn with 2048 x 16: the limit is "
                                                "--max-texture-side 2048"}
    glb = export(server, model)
    assert image(glb) == ("image/jpeg", data) and warnings(glb) == {}  # its own bytes
    glb = export(server, model, "&textures=png")
    assert Image.open(io.BytesIO(image(glb)[1])).size == (2048, 13) and list(warnings(glb)) == ["texture_reduced"]
    assert warnings(glb)["texture_reduced"].endswith("; --max-texture-side 4096 keeps more")
    assert list(warnings(export(server, model, "&textures=png&max_texture=1024"))) == []
    larger = start("--max-texture-side", "4096")
    assert larger.json("/v1/model", model=model)["warnings"] == []
    assert Image.open(io.BytesIO(larger.get(f"/v1/texture?model={model}&texture=0&textures=png").body)).size == (2500, 16)


@pytest.mark.parametrize("most, size", [(2048, (2048, 11)), (4096, (3000, 16))])
def test_a_tga_is_as_large_as_the_pixels_in_memory(start, tmp_path, most, size):
    """No glTF has a TGA, and the server has no decoder: its pixels are those that are drawn."""
    made.write_obj(tmp_path, made.picture("TGA", 3000, 16), "tga")
    glb = export(start("--max-texture-side", str(most)), "a.obj")
    told = warnings(glb)["texture_encoded"]
    assert Image.open(io.BytesIO(image(glb)[1])).size == size and f"3000 x 16 pixels is a PNG of {size[0]} x {size[1]}" in told
    assert told.endswith("; --max-texture-side 4096 keeps more") == (most == 2048), told


# --- files that change ---

def test_a_changed_picture_is_read_anew(start, tmp_path):
    server = start()
    model = made.write_gltf(tmp_path, source("png"), "png")
    assert image(export(server, model)) == ("image/png", source("png"))
    other = made.picture("PNG", seed=99)
    (tmp_path / "skin.png").write_bytes(other)
    assert image(export(server, model)) == ("image/png", other)
    os.remove(tmp_path / "skin.png")
    assert export(server, model).json["asset"]["extras"]["textures"][0]["state"] == "missing"


@pytest.fixture
def unwatched(start, tmp_path):
    """A server that has imported the model and does not look at its files."""
    def begin(kind="png", **parameters):
        model = made.write_gltf(tmp_path, source(kind), kind, **parameters)
        server = start("--watch", "off", "--watch-interval", "600000")
        assert server.json("/v1/model", model=model)["textures"][0]["state"] == "found"
        return server, model
    return begin


def unserved(server, model, name):
    """Every answer with the file's bytes is refused, and the pixels are still there."""
    for path in (f"/v1/export?model={model}", f"/v1/texture?model={model}&texture=0", f"/v1/mesh?model={model}&format=glb"):
        answer = server.get(path)
        assert (answer.status, answer.error()) == (503, "model_changing"), answer.body
        assert f"'{name}'" in answer.json()["error"]["message"] and answer.headers["retry-after"]
    form = "png" if name.endswith("jpg") else "jpeg"
    assert export(server, model, f"&textures={form}").json["images"][0]["mimeType"] == f"image/{form}"
    return True


def test_a_deleted_picture_is_refused(unwatched, tmp_path):
    server, model = unwatched("jpg")
    os.remove(tmp_path / "skin.jpg")
    assert unserved(server, model, "skin.jpg")


def test_a_picture_of_other_bytes_is_refused(unwatched, tmp_path):
    server, model = unwatched()
    data = bytearray(source("png"))
    data[-20] ^= 1  # as long as before
    (tmp_path / "skin.png").write_bytes(data)
    assert unserved(server, model, "skin.png")
    (tmp_path / "skin.png").write_bytes(source("png"))  # the same bytes again, whatever their time
    assert image(export(server, model)) == ("image/png", source("png"))


@pytest.mark.parametrize("data", [b"", b"x" * 100000], ids=["shorter", "larger"])
def test_a_picture_of_another_size_is_refused(unwatched, tmp_path, data):
    server, model = unwatched()
    (tmp_path / "skin.png").write_bytes(source("png") + data if data else source("png")[:-1])
    assert unserved(server, model, "skin.png")


def test_a_link_out_of_the_root_is_refused(unwatched, tmp_path, tmp_path_factory):
    server, model = unwatched()
    outside = tmp_path_factory.mktemp("outside") / "skin.png"
    outside.write_bytes(source("png"))
    os.remove(tmp_path / "skin.png")
    os.symlink(outside, tmp_path / "skin.png")
    assert unserved(server, model, "skin.png")


def test_a_model_that_became_shorter_is_refused(unwatched, tmp_path):
    server, model = unwatched(where="view")
    (tmp_path / model).write_bytes((tmp_path / model).read_bytes()[:300])
    assert unserved(server, model, model)


def test_pictures_of_stored_models_are_read(start, tmp_path):
    """A model of the disk cache has its textures' places, too."""
    cache = tmp_path / "cache"
    root = tmp_path / "root"
    root.mkdir()
    model = made.write_gltf(root, source("webp"), "webp")
    for _ in range(2):
        server = start("--cache-dir", str(cache), root=root)
        assert image(export(server, model)) == ("image/webp", source("webp"))
        server.end()


# --- limits ---

def test_answers_with_textures_keep_the_limit(start, tmp_path):
    noise = Image.frombytes("RGB", (256, 256), os.urandom(256 * 256 * 3))
    out = io.BytesIO()
    noise.save(out, "PNG")
    server = start("--max-answer", "100000")
    model = made.write_gltf(tmp_path, out.getvalue(), "png")
    for path in (f"/v1/export?model={model}", f"/v1/texture?model={model}&texture=0"):
        answer = server.get(path)
        assert (answer.status, answer.error()) == (400, "too_many_frames"), answer.body
    assert server.get(f"/v1/export?model={model}&max_texture=64").status == 200


@pytest.mark.parametrize("operation", ["export?", "mesh?format=glb&"])
@pytest.mark.parametrize("rest", ["", "&textures=png"])
def test_an_answer_that_is_full_before_its_last_picture_is_refused(start, tmp_path, operation, rest):
    server = start("--max-answer", "100000")
    model = made.write_gltf(tmp_path, source("png"), "png")
    document = json.loads((tmp_path / model).read_text())
    material = document["materials"][0]
    for slot, side in (("normalTexture", 250), ("emissiveTexture", 251), ("occlusionTexture", 252)):
        noise = Image.frombytes("RGB", (side, side), os.urandom(side * side * 3))
        noise.save(tmp_path / f"{slot}.png")
        document["images"].append({"uri": f"{slot}.png"})
        document["textures"].append({"source": len(document["images"]) - 1})
        material[slot] = {"index": len(document["textures"]) - 1}
    (tmp_path / model).write_text(json.dumps(document))
    answer = server.get(f"/v1/{operation}model={model}{rest}")
    assert (answer.status, answer.error()) == (400, "too_many_frames"), answer.body


@pytest.mark.parametrize("query, words", [
    ("export?model=a&textures=0", "it must be keep, png, jpeg, webp or none"), ("mesh?model=a&format=glb&textures=1", "keep, png, jpeg, webp or none"),
    ("export?model=a&max_texture=0", "whole number from 1 to 16384"), ("export?model=a&max_texture=16385", "whole number from 1 to 16384"),
    ("export?model=a&quality=50", "'quality' needs"), ("export?model=a&textures=jpeg&quality=0", "from 1 to 100"),
    ("export?model=a&textures=none&quality=5", "textures=none"), ("texture?model=a&texture=0&textures=none", "it must be keep, png, jpeg or webp"),
])
def test_refusals(start, query, words):
    answer = start().get("/v1/" + query)
    assert answer.error() == "bad_parameter" and words in answer.json()["error"]["message"]


# --- hostile zips ---

def patched(folder, model, at, value):
    """Changes bytes of the entry of the picture in the zip's directory, from `at` on; all other entries are as they were."""
    data = bytearray((folder / model).read_bytes())
    entry = data.rindex(b"PK\1\2")
    data[entry + at:entry + at + len(value)] = value
    (folder / model).write_bytes(data)


HOSTILE_ZIPS = {
    "a comment like an end": lambda folder, model: (folder / model).write_bytes((folder / model).read_bytes()[:-2] + b"\x16\0PK\5\6" + b"\xff" * 18),
    "a name longer than the file": lambda folder, model: patched(folder, model, 28, b"\xff\xff"),
    "a local header outside": lambda folder, model: patched(folder, model, 42, b"\xff\xff\xff\x7f"),
    "a size larger than the file": lambda folder, model: patched(folder, model, 20, b"\xff\xff\xff\x7f"),
    "another method": lambda folder, model: patched(folder, model, 10, b"\x0e\0"),
    "encrypted": lambda folder, model: patched(folder, model, 8, b"\1\0"),
}


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED], ids=["stored", "deflated"])
@pytest.mark.parametrize("damage", list(HOSTILE_ZIPS))
def test_hostile_zips_are_refused_or_read(start, tmp_path, damage, method):
    """Whatever the directory of a zip says, the answer is the picture's bytes, pixels or an error, and the server lives."""
    data = source("png")
    server = start()
    for name in ("a.3mf", "a.zae"):
        model = made.write_zip(tmp_path, data, "png", name, method)
        HOSTILE_ZIPS[damage](tmp_path, model)
        answer = server.get(f"/v1/export?model={model}")
        if answer.status == 200:
            textures = Glb(answer.body).json["asset"]["extras"]["textures"]
            assert textures[0]["state"] in ("missing", "broken") or image(Glb(answer.body))[0] == "image/png"
            if textures[0].get("own_file"):
                assert image(Glb(answer.body)) == ("image/png", data)
        else:
            assert answer.error() in ("not_a_model", "bad_model"), answer.body
    sound = made.write_zip(tmp_path, data, "png", "sound.3mf", method)
    assert image(export(server, sound)) == ("image/png", data)


def test_a_zip_that_changed_is_refused(start, tmp_path):
    """The stream of deflate at the place is another one: as long as before, or of endless zeros."""
    data = source("png")
    model = made.write_zip(tmp_path, data, "png")
    server = start("--watch", "off", "--watch-interval", "600000")
    assert image(export(server, model)) == ("image/png", data)
    sound = (tmp_path / model).read_bytes()
    with zipfile.ZipFile(tmp_path / model) as package:
        info = package.getinfo("3D/skin.png")
    begin = info.header_offset + 30 + len(info.filename)
    bomb = zlib.compressobj(9, zlib.DEFLATED, -15)
    stream = (bomb.compress(bytes(10 * 1024 * info.compress_size)) + bomb.flush())[:info.compress_size]
    for other in (bytes(info.compress_size), b"\xff" * info.compress_size, stream.ljust(info.compress_size, b"\0")):
        (tmp_path / model).write_bytes(sound[:begin] + other + sound[begin + info.compress_size:])
        assert unserved(server, model, model)
    (tmp_path / model).write_bytes(sound)
    assert image(export(server, model)) == ("image/png", data)


def test_large_pictures_of_zips_are_whole(start, tmp_path):
    """More bytes than the server reads and inflates at once."""
    out = io.BytesIO()
    Image.frombytes("RGB", (300, 300), os.urandom(300 * 300 * 3)).save(out, "PNG")
    server = start()
    for model in (made.write_zip(tmp_path, out.getvalue(), "png"), made.write_zip(tmp_path, out.getvalue(), "png", "a.zae"),
                  made.write_text_fbx(tmp_path, out.getvalue(), "png", 999), made.write_fbx(tmp_path, out.getvalue(), "png")):
        assert image(export(server, model)) == ("image/png", out.getvalue())


def test_a_data_uri_with_blanks_is_the_own_file(start, tmp_path):
    data = source("png")
    model = made.write_gltf(tmp_path, data, "png", "uri")
    document = json.loads((tmp_path / model).read_text())
    head, text = document["images"][0]["uri"].split(",")
    document["images"][0]["uri"] = head + "," + " ".join(text[i:i + 76] for i in range(0, len(text), 76))
    (tmp_path / model).write_text(json.dumps(document))
    assert image(export(start(), model)) == ("image/png", data)


def test_extras_of_parts_of_materials_are_listed(start, tmp_path):
    model = made.write_gltf(tmp_path, source("png"), "png")
    document = json.loads((tmp_path / model).read_text())
    material = document["materials"][0]
    material["extras"] = {"kept": 1}
    material["pbrMetallicRoughness"]["extras"] = {"a": 1}
    material["pbrMetallicRoughness"]["baseColorTexture"]["extras"] = {"b": {"extras": 2}}
    material["extensions"] = {"KHR_materials_clearcoat": {"clearcoatFactor": 1, "clearcoatTexture": {"index": 0, "extras": {"c": 1}}},
                              "ACME_unknown": {"part": {"extras": 1}}}
    document["extensionsUsed"] = ["KHR_materials_clearcoat", "ACME_unknown"]
    (tmp_path / model).write_text(json.dumps(document))
    glb = export(start(), model)
    assert glb.json["materials"][0]["extras"] == {"kept": 1}
    dropped = {one["message"] for one in glb.json["asset"]["extras"]["dropped"] if one["code"] == "extras"}
    assert dropped == {f"{part}extras: materials[0]" for part in (
        "pbrMetallicRoughness.", "pbrMetallicRoughness.baseColorTexture.", "extensions.KHR_materials_clearcoat.clearcoatTexture.")}


def test_names_are_kept(start, tmp_path):
    glb = export(start(), made.write_gltf(tmp_path, source("jpg"), "jpg"))
    assert glb.json["images"][0]["name"] == "skin.jpg" and json.loads(json.dumps(glb.json))
