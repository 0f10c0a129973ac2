"""/v1/sheet and /v1/turntable: the contents of the cells, the manifest about them, and the same as animations."""
import io
import json
import threading

import numpy
import pytest
from PIL import Image

SHEET = "/v1/sheet?model=robot.glb"
SMALL = "&width=48&height=64"


def pixels(answer, kind="image/png"):
    """The picture as rows of RGBA."""
    assert answer.status == 200, answer.body[:300]
    assert answer.headers["content-type"] == kind
    return numpy.asarray(Image.open(io.BytesIO(answer.body)).convert("RGBA")).astype(int)


def frames(answer, kind):
    """The frames of an animation as RGBA, their durations in milliseconds, and the number of loops."""
    assert answer.status == 200, answer.body[:300]
    assert answer.headers["content-type"] == kind
    image = Image.open(io.BytesIO(answer.body))
    found, durations, loops = [], [], image.info.get("loop")
    for i in range(image.n_frames):
        image.seek(i)
        found.append(numpy.asarray(image.convert("RGBA")).astype(int))
        durations.append(image.info["duration"])
    return found, durations, loops


def cut(sheet, cell):
    return sheet[cell["y"]:cell["y"] + cell["height"], cell["x"]:cell["x"] + cell["width"]]


def both(server, query):
    """The sheet's pixels and its manifest, which must fit each other."""
    manifest = server.json(query + "&format=json")
    sheet = pixels(server.get(query + "&format=png"))
    assert sheet.shape[:2] == (manifest["height"], manifest["width"])
    assert (pixels(server.get(manifest["picture"])) == sheet).all()
    return sheet, manifest


def box(cell):
    """Left, top, right, bottom of all pixels that are not transparent; edges of pixels."""
    rows, columns = numpy.nonzero(cell[:, :, 3].max(axis=1))[0], numpy.nonzero(cell[:, :, 3].max(axis=0))[0]
    return numpy.array([columns[0], rows[0], columns[-1] + 1, rows[-1] + 1])


def projected(manifest, cell, points):
    """The positions of points of the scene in the cell."""
    view = numpy.array(manifest["directions"][cell["direction"]]["view_from_scene"]).reshape(4, 4).T
    clip = numpy.array(manifest["clip_from_view"]).reshape(4, 4).T
    seen = clip @ view @ numpy.vstack([points.T, numpy.ones(len(points))])
    return (numpy.stack([1 + seen[0] / seen[3], 1 - seen[1] / seen[3]]) / 2
            * numpy.array([[cell["width"]], [cell["height"]]])).T


def deformed(server, clip, time):
    answer = server.json("/v1/mesh", model="robot.glb", clip=clip, t=time)
    return numpy.concatenate([numpy.array(mesh).reshape(-1, 3) for mesh in answer["frames"][0]["positions"]])


@pytest.mark.short
def test_each_cell_shows_its_moment_from_its_side(server):
    """The manifest's cameras project the deformed vertices exactly to the pixels."""
    query = SHEET + "&clip=1&directions=4&frames=3&width=120&height=150&gap=5&padding=3&yaw=20&pitch=30&aa=0&frame=pose"
    sheet, manifest = both(server, query)
    assert [(c["row"], c["column"], c["direction"], c["frame"]) for c in manifest["cells"]] == [
        (d, f, d, f) for d in range(4) for f in range(3)]
    assert [d["yaw"] for d in manifest["directions"]] == [20, 110, 200, 290]
    duration = manifest["clips"][0]["duration"]
    extremes = []
    for cell in manifest["cells"]:
        assert cell["clip_time"] == pytest.approx(duration * cell["frame"] / 3)
        places = projected(manifest, cell, deformed(server, 1, cell["clip_time"]))
        expected = numpy.concatenate([places.min(axis=0), places.max(axis=0)])
        assert numpy.abs(box(cut(sheet, cell)) - expected).max() < 1.01
        extremes.append(expected)
    # all cells together just fill one of them
    extremes = numpy.array(extremes)
    margins = [*extremes[:, :2].min(axis=0), 120 - extremes[:, 2].max(), 150 - extremes[:, 3].max()]
    assert 0 < min(margins) < 0.07 * 150
    # nothing is between them
    for cell in manifest["cells"]:
        cut(sheet, cell)[:] = 0
    assert not sheet.any()


def test_manifests_tell_the_frames_a_second(server):
    def rates(query):
        manifest = server.json(query + "&format=json" + SMALL)
        return [manifest["fps"]] + [clip["fps"] for clip in manifest["clips"]]

    walk, wave, dance = (clip["duration"] for clip in server.json(SHEET + "&clips=all&format=json")["clips"])
    assert rates(SHEET + "&clip=0&frames=4&directions=2") == pytest.approx([4 / walk] * 2)
    assert rates(SHEET + "&clip=0&rate=7") == [7, 7]  # 1.2 s is not a multiple of 1/7 s: the last frame is shorter
    assert rates(SHEET + "&clip=0&t=0,0.1,0.5,0.6") == [None, None]
    assert rates(SHEET + "&clips=all&frames=4") == [None, *map(pytest.approx, (4 / walk, 4 / wave, 4 / dance))]
    assert rates(SHEET.replace("sheet", "turntable") + "&clip=-&play_rate=24") == [24]


def test_anchor_origin_and_scale(server):
    _, manifest = both(server, SHEET + "&clip=1&directions=8&frames=2&pitch=25" + SMALL)
    cell = manifest["cells"][0]
    pivot = numpy.array([manifest["pivot"]])
    for direction in range(8):
        one = {**cell, "direction": direction}
        assert numpy.allclose(projected(manifest, one, pivot)[0], manifest["anchor"], atol=1e-6)
        origin = projected(manifest, one, numpy.zeros((1, 3)))[0]
        assert numpy.allclose(origin, manifest["directions"][direction]["origin"], atol=1e-6)
    view = numpy.array(manifest["directions"][0]["view_from_scene"]).reshape(4, 4).T
    right = projected(manifest, cell, pivot + view[0, :3])[0]
    assert right[0] - manifest["anchor"][0] == pytest.approx(manifest["pixels_per_unit"], rel=1e-6)
    assert manifest["projection"] == "perspective"


def test_sheets_in_one_box_have_one_camera(server):
    """One model is at rest and the other moves, seen from all sides."""
    frame = "&frame_box=-1,-0.5,-1,1.5,3,1" + SMALL
    manifests = [server.json(f"/v1/{query}{frame}&format=json")
                 for query in ("sheet?model=octopus.glb&clip=-&frames=1&directions=6", "sheet?model=robot.glb&clip=1&frames=3&directions=6",
                               "turntable?model=robot.glb&clip=-&frames=6&pitch=0", "turntable?model=dragon.glb&frames=6&pitch=0")]
    first = manifests[0]
    for manifest in manifests[1:]:
        assert manifest["pivot"] == first["pivot"] and manifest["anchor"] == pytest.approx(first["anchor"], abs=1e-9)
        for a, b in zip(first["directions"], manifest["directions"], strict=True):
            assert a["view_from_scene"] == pytest.approx(b["view_from_scene"], abs=1e-9)
        for i in (0, 5):  # near and far follow the model
            assert manifest["clip_from_view"][i] == first["clip_from_view"][i]
    assert first["pivot"] == [0, -0.5, 0]


@pytest.mark.short
@pytest.mark.parametrize("more", ["", "&frame=pose&clip=-", "&projection=isometric&background=224466", "&margin=0",
                                  "&distance=1.5&target=0,0.5,0", "&frame_box=-1,-0.5,-1,1.5,3,1", "&from=0.2&to=0.6", "&root_motion=extract"])
def test_cells_are_the_pictures_of_their_times(server, more):
    """A strip framed over the whole clip equals the pictures of its times, to the last bit."""
    clip = "" if "clip=" in more else "&clip=1"
    query = f"{SHEET}{clip}&frames=5&columns=2&yaw=30{more}{SMALL}"
    sheet, manifest = both(server, query)
    assert (manifest["columns"], manifest["rows"]) == (2, 3)
    for cell in manifest["cells"]:
        single = pixels(server.get(f"/v1/render?model=robot.glb{clip}&t={cell['time']}&yaw=30{more}{SMALL}"))
        if "clip=-" in more:
            assert numpy.abs(cut(sheet, cell) - single).mean() < 1
        else:
            assert (cut(sheet, cell) == single).all()
    ground = [0x22, 0x44, 0x66, 255] if "background" in more else [0, 0, 0, 0]
    assert (sheet[2 * 64:, 48:] == ground).all()  # the place without a cell


@pytest.mark.short
def test_projections(server):
    """A square on the ground is twice as wide as high at 30 degrees. At 35.264 all axes are equally long."""
    for projection, pitch in (("level", 0), ("isometric", 35.264389682754654), ("dimetric", 30)):
        query = SHEET + f"&clip=1&directions=4&frames=2&yaw=45&projection={projection}" + SMALL
        sheet, manifest = both(server, query)
        assert manifest["projection"] == "orthographic"
        assert [d["pitch"] for d in manifest["directions"]] == [pitch] * 4
        places = projected(manifest, manifest["cells"][0], numpy.vstack([numpy.zeros(3), numpy.eye(3)]))
        x, up, z = (places[1:] - places[0]) / manifest["pixels_per_unit"]
        assert abs(x[0]) == pytest.approx(2 ** -0.5) and abs(z[0]) == pytest.approx(2 ** -0.5)
        slope = numpy.sin(numpy.radians(pitch))
        assert abs(x[1] / x[0]) == pytest.approx(slope, abs=1e-9) and abs(z[1] / z[0]) == pytest.approx(slope, abs=1e-9)
        if projection == "isometric":
            lengths = numpy.hypot(*numpy.array([x, up, z]).T)
            assert numpy.allclose(lengths, lengths[0])
        for cell in manifest["cells"]:
            expected = projected(manifest, cell, deformed(server, 1, cell["clip_time"]))
            assert numpy.abs(box(cut(sheet, cell)) - [*expected.min(axis=0), *expected.max(axis=0)]).max() < 1.01


@pytest.mark.parametrize("what", ["view=normals", "view=joints&aa=0", "view=depth", "view=skeleton", "shadow=1"])
def test_every_view_has_the_same_cells(server, what):
    query = SHEET + "&clip=1&frames=2&directions=2" + SMALL
    manifest = server.json(query + "&format=json")
    other = server.json(query + "&format=json&" + what)
    assert [other[k] for k in ("cells", "directions", "anchor")] == [manifest[k] for k in ("cells", "directions", "anchor")]
    sheet, plain = pixels(server.get(query + "&" + what)), pixels(server.get(query))
    for cell in manifest["cells"]:
        assert numpy.abs(box(cut(sheet, cell))[:3] - box(cut(plain, cell))[:3]).max() <= (20 if "shadow" in what else 3)


@pytest.mark.short
@pytest.mark.parametrize("background", ["", "&background=ff8800"])
def test_animations_have_the_cells_as_frames(server, background):
    query = SHEET + "&clip=1&frames=5" + SMALL + background
    sheet, manifest = both(server, query)
    query += "&play_rate=12.5"
    rated = server.json(query + "&format=json")
    assert rated["picture"] == manifest["picture"] and rated["fps"] == 12.5  # a PNG does not move
    cells = [cut(sheet, cell) for cell in manifest["cells"]]
    for form, kind in (("apng", "image/apng"), ("webp", "image/webp")):
        found, durations, loops = frames(server.get(query + f"&format={form}"), kind)
        assert loops == 0 and [round(d) for d in durations] == [80] * 5
        for frame, cell in zip(found, cells, strict=True):
            assert (frame[:, :, 3] == cell[:, :, 3]).all()
            assert (frame == cell)[cell[:, :, 3] > 0].all()
    found, durations, loops = frames(server.get(query + "&format=gif"), "image/gif")
    assert loops == 0 and durations == [80] * 5
    for frame, cell in zip(found, cells, strict=True):
        is_there = cell[:, :, 3] >= 128
        assert ((frame[:, :, 3] == 255) == is_there).all()
        assert numpy.abs(frame - cell)[is_there][:, :3].mean() < 4
        assert numpy.abs(frame - cell)[is_there][:, :3].max() < 60


def test_gif_keeps_few_colors_exactly(server):
    query = SHEET + "&clip=1&frames=3&view=joints" + SMALL
    sheet, manifest = both(server, query)
    found, _, _ = frames(server.get(query + "&format=gif"), "image/gif")
    for frame, cell in zip(found, manifest["cells"], strict=True):
        assert (frame == cut(sheet, cell))[cut(sheet, cell)[:, :, 3] > 0].all()


def test_animations_take_as_long_as_the_clip(server):
    manifest = server.json(SHEET + "&clip=1&rate=7&format=json")
    length_s = manifest["clips"][0]["duration"]
    assert sum(cell["duration"] for cell in manifest["cells"]) == pytest.approx(length_s)
    for form, kind, step in (("apng", "image/apng", 1), ("webp", "image/webp", 1), ("gif", "image/gif", 10)):
        _, durations, _ = frames(server.get(SHEET + f"&clip=1&rate=7&format={form}" + SMALL), kind)
        assert abs(sum(durations) - 1000 * length_s) <= step
        assert len(durations) == len(manifest["cells"])


def test_loops(server):
    for form, kind in (("apng", "image/apng"), ("webp", "image/webp")):
        assert frames(server.get(SHEET + f"&frames=2&loops=3&format={form}" + SMALL), kind)[2] == 3
    # a GIF stores how often it repeats
    body = server.get(SHEET + "&frames=2&loops=3&format=gif" + SMALL).body
    assert b"\x21\xff\x0bNETSCAPE2.0\x03\x01\x02\x00\x00" in body
    assert b"NETSCAPE" not in server.get(SHEET + "&frames=2&loops=1&format=gif" + SMALL).body


def test_turntable(server):
    query = "/v1/turntable?model=robot.glb&clip=1&t=0.3&frames=6&yaw=15" + SMALL
    found, durations, loops = frames(server.get(query), "image/apng")
    assert len(found) == 6 and loops == 0 and abs(sum(durations) - 500) <= 1
    sheet, manifest = both(server, query)
    assert [d["yaw"] for d in manifest["directions"]] == [15 + 60 * i for i in range(6)]
    for frame, cell in zip(found, manifest["cells"], strict=True):
        assert (frame == cut(sheet, cell))[cut(sheet, cell)[:, :, 3] > 0].all()
    # a whole turn has no effect
    same = pixels(server.get(query.replace("yaw=15", "yaw=375") + "&format=png"))
    assert (same == sheet).mean() > 0.999


@pytest.mark.short
def test_all_clips(server):
    clips = server.json("/v1/model", model="robot.glb")["clips"]
    sheet, manifest = both(server, SHEET + "&clips=all" + SMALL)
    assert [c["index"] for c in manifest["clips"]] == list(range(len(clips)))
    for cell in manifest["cells"]:  # the moments that /v1/render picks
        told = server.get(f"/v1/render?model=robot.glb&clip={cell['clip']}").headers["x-posed-time"]
        assert cell["time"] == cell["clip_time"] == float(told)
    assert manifest["rows"] == 1
    assert all(cut(sheet, cell)[:, :, 3].any() for cell in manifest["cells"])
    rows = server.json(SHEET + "&clips=all&frames=3&format=json")
    assert [(c["row"], c["column"]) for c in rows["cells"]] == [(r, c) for r in range(len(clips)) for c in range(3)]


def test_caption_bands(server):
    plain, without = both(server, SHEET + "&clips=all&frames=2&width=160&height=80")
    sheet, manifest = both(server, SHEET + "&clips=all&frames=2&width=160&height=80&captions=1")
    band = manifest["caption_height"]
    assert band > 0 and manifest["height"] == without["height"] + manifest["rows"] * band
    words = set()
    for cell, old in zip(manifest["cells"], without["cells"], strict=True):
        assert (cut(sheet, cell) == cut(plain, old)).all()
        below = cut(sheet, {**cell, "y": cell["y"] + cell["height"], "height": band})
        assert below[:, :, 3].any()
        words.add(below.tobytes())
    assert len(words) == len(manifest["cells"])  # each is different


def test_layers_and_bodies(start, server):
    body = {"model": "robot.glb", "t": [0, 0.25, 0.5], "width": 48, "height": 64,
            "layers": [{"clip": 0, "weight": 1}, {"clip": 1, "weight": 2}]}

    def post(**more):
        text = json.dumps({**body, **more})
        with server.connect() as connection:
            connection.send(f"POST /v1/sheet HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                            f"Content-Length: {len(text)}\r\n\r\n{text}")
            return connection.answer()

    sheet = pixels(post())
    assert sheet.shape == (64, 3 * 48, 4)
    assert not (sheet[:, :48] == sheet[:, 48:96]).all()
    manifest = post(format="json").json()
    assert manifest["picture"] is None and manifest["clips"] == []
    assert [c["clip"] for c in manifest["cells"]] == [None] * 3
    del body["t"]
    assert post().error() == "bad_parameter"


@pytest.mark.short
def test_headers(server):
    answer = server.get(SHEET + "&frames=2" + SMALL)
    assert answer.headers["content-disposition"] == 'inline; filename="robot-sheet.png"'
    tag = answer.headers["etag"]
    again = server.get(SHEET + "&frames=2" + SMALL, f"If-None-Match: {tag}")
    assert again.status == 304 and again.headers["etag"] == tag
    assert server.get(SHEET + "&frames=3" + SMALL, f"If-None-Match: {tag}").status == 200
    head = server.get(SHEET + "&frames=2" + SMALL, method="HEAD")
    assert head.status == 200 and head.headers["content-length"] == str(len(answer.body))
    assert server.get(SHEET + "&frames=2" + SMALL).body == answer.body
    gif = server.get("/v1/turntable?model=robot.glb&frames=2&format=gif" + SMALL)
    assert gif.headers["content-disposition"] == 'inline; filename="robot-turntable.gif"'


@pytest.mark.parametrize("query, code, words", [
    ("&frames=200&directions=8", "too_many_frames", "1024 cells"),
    ("&frames=100&width=1000&height=1000", "bad_parameter", "--max-picture-pixels"),
    ("&frames=64&columns=1&width=1&height=300", "bad_parameter", "16384"),
    ("&format=bmp", "bad_parameter", "format"),
    ("&clip=99", "clip_not_found", "99"),
    ("&framez=3", "unknown_parameter", "frame"),
    ("&projection=isometric&pitch=3", "bad_parameter", "projection"),
    ("&camera=0", "camera_not_found", "no cameras"),
    ("&camera=FRONT", "camera_not_found", "no camera 'FRONT'; every model has front, back, left, right, top and three_quarter"),
    ("&view=onion", "bad_parameter", "view"),
    ("&t=auto", "bad_parameter", "t"),
    ("&frames=2&gap=9999", "bad_parameter", "gap"),
    ("&captions=yes", "bad_parameter", "captions"),
])
def test_refusals(server, query, code, words):
    answer = server.get(SHEET + query)
    assert answer.status == (404 if code.endswith("not_found") else 400)
    assert answer.error() == code and words in answer.json()["error"]["message"], answer.body


def test_a_sheet_without_a_visible_pixel(start, tmp_path):
    (tmp_path / "flat.gltf").write_text(json.dumps({
        "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}], "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
        "accessors": [{"componentType": 5126, "type": "VEC3", "count": 3, "min": [0, 0, 0], "max": [0, 0, 0]}]}))
    answer = start().get("/v1/sheet?model=flat.gltf&frames=3")
    assert answer.status == 422 and answer.error() == "nothing_to_draw"


def test_the_same_sheet_is_drawn_once(start):
    from conftest import SAMPLES
    server = start("--render-workers", "1", root=SAMPLES)
    server.get("/v1/render?model=robot.glb")
    before = server.json("/v1/stats")["renders"]
    bodies, query = [], SHEET + "&frames=40&width=200&height=200"
    threads = [threading.Thread(target=lambda: bodies.append(server.get(query).body)) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    after = server.json("/v1/stats")["renders"]
    assert len(set(bodies)) == 1 and len(bodies) == 6
    assert after["started"] - before["started"] + after["shared"] - before["shared"] == 6
