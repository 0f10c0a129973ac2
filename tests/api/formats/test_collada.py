"""COLLADA files compared with an evaluator written from the specification: transforms, curves, clips."""
import pathlib
import random
import struct
import sys
import zipfile

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "oracle"))
import collada_evaluator  # noqa: E402
import collada_skins  # noqa: E402
import conformance  # noqa: E402
import random_collada  # noqa: E402

DRAWS = False

CASES = 150
TOLERANCE = 1e-5  # relative to the greatest number


def times_of(scene, rng):
    keys = sorted({t for entries in scene.channels(scene.everything).values() for _, curve in entries for t in curve.times})
    return keys[:6] + [keys[-1]] + [rng.uniform(keys[0] - 0.1, keys[-1] + 0.1) for _ in range(8)]


def check(server, name, scene, clip, times, start_s=0):
    query = {"model": name, "clip": "-" if clip == "-" else clip if clip is not None else 0, "wrap": "clamp", "t": [repr(max(t, 0)) for t in times]}
    answer = server.json("/v1/pose", what="scene", **query)
    assert len(answer["nodes"]) == len(scene.nodes) + 1  # and the scene itself
    worst = 0
    for frame in answer["frames"]:
        t = None if clip == "-" else frame["clip_time"] + start_s
        for got, expected in zip(frame["scene"][1:], scene.evaluate(t, None if clip == "-" else clip), strict=True):
            expected = collada_evaluator.flat(expected)
            worst = max(worst, max(abs(a - b) for a, b in zip(got, expected, strict=True)) / max(map(abs, expected)))
    return worst


def check_vertices(server, name, model, clip, times, start_s=0):
    """Identifies each vertex of the answer by its position in the file, which is unique."""
    query = {"model": name, "clip": "-" if clip == "-" else clip if clip is not None else 0, "wrap": "clamp", "t": [repr(max(t, 0)) for t in times], "rest": 1}
    answer = server.json("/v1/mesh", **query)
    triples = lambda rows: [row[i:i + 3] for row in rows for i in range(0, len(row), 3)]  # noqa: E731
    worst = 0
    for frame in answer["frames"]:
        own, t = (None, None) if clip == "-" else (clip, frame["clip_time"] + start_s)
        expected = model.vertices(model.scene.evaluate(t, own), own, t)
        places = {tuple(struct.unpack("3f", struct.pack("3f", *at))): place for at, place in expected}
        size = max(abs(v) for _, place in expected for v in place)
        for at, got in zip(triples(answer["rest"]), triples(frame["positions"]), strict=True):
            worst = max(worst, max(abs(a - b) for a, b in zip(got, places[tuple(at)], strict=True)) / size)
    return worst


def test_random_files_agree_with_the_specification(start, tmp_path):
    server = start("--log", "off", "--render-workers", "0", root=tmp_path)
    for seed in range(CASES):
        text, clips = random_collada.make(seed)
        name = f"random_{seed}.dae"
        (tmp_path / name).write_text(text, encoding="utf-8")
        scene, rng = collada_evaluator.Scene(text), random.Random(seed)
        model = server.json("/v1/model", model=name)
        codes = {w["code"] for w in model["warnings"]}
        assert codes <= {"shear_dropped"}, (seed, model["warnings"])
        assert [c["name"] for c in model["clips"]][:len(clips)] == clips
        if codes:
            continue
        times = times_of(scene, rng)
        for clip in ["-"] + (clips or [None]):
            error = check(server, name, scene, clip, times)
            conformance.compared(tmp_path / name, conformance.EVALUATOR, error)
            assert error <= TOLERANCE, f"seed {seed}, clip {clip}: {error:.2e}"
            if model["meshes"]:
                error = check_vertices(server, name, collada_skins.Model(tmp_path / name), clip, times[::3])
                conformance.compared(tmp_path / name, conformance.EVALUATOR, error)
                assert error <= TOLERANCE, f"seed {seed}, clip {clip}, vertices: {error:.2e}"


@pytest.mark.parametrize("start_s", [0.375, -5.0])  # exact in binary, like a time of the file minus the first, so that steps are met
def test_random_clips_begin_at_their_start(start, tmp_path, start_s):
    server = start("--log", "off", "--render-workers", "0", root=tmp_path)
    for seed in range(0, CASES, 3):
        text, clips = random_collada.make(seed)
        name, rng = f"late_{seed}.dae", random.Random(seed)
        (tmp_path / name).write_text(text.replace("<animation_clip ", f'<animation_clip start="{start_s}" '), encoding="utf-8")
        model = server.json("/v1/model", model=name)
        if model["warnings"]:
            continue
        scene = collada_evaluator.Scene(text)
        times = [0] + [rng.uniform(0, 3 - min(start_s, 0)) for _ in range(8)]
        for clip in clips:
            error = check(server, name, scene, clip, times, start_s)
            conformance.compared(tmp_path / name, conformance.EVALUATOR, error)
            assert error <= TOLERANCE, f"seed {seed}, clip {clip}: {error:.2e}"
            if model["meshes"]:
                error = check_vertices(server, name, collada_skins.Model(tmp_path / name), clip, times[::3], start_s)
                conformance.compared(tmp_path / name, conformance.EVALUATOR, error)
                assert error <= TOLERANCE, f"seed {seed}, clip {clip}, vertices: {error:.2e}"


def test_clips_of_no_time_are_refused_by_name(start, tmp_path):
    text, clips = next(made for made in map(random_collada.make, range(CASES)) if made[1])
    times = ("1e300", "-1e300", "inf", "soon")
    for i, time in enumerate(times):
        (tmp_path / f"start{i}.dae").write_text(text.replace("<animation_clip ", f'<animation_clip start="{time}" '), encoding="utf-8")
        (tmp_path / f"end{i}.dae").write_text(text.replace("<animation_clip ", f'<animation_clip end="{time}" '), encoding="utf-8")
    server = start("--render-workers", "0", root=tmp_path)
    for name in (f"{end}{i}.dae" for end in ("start", "end") for i in range(len(times))):
        error = server.get(f"/v1/model?model={name}").json()["error"]
        assert error["code"] == "bad_model" and f"clip '{clips[0]}' has a start or end that is no time" in error["message"], (name, error)


def test_random_files_use_every_corner():
    texts = [random_collada.make(seed)[0] for seed in range(CASES)]
    for word in ("LINEAR", "STEP", "BEZIER", "HERMITE", "<matrix", "(3)(1)", ".ANGLE", ".Y", "<lookat", "instance_node url", "animation_clip", "-inner",
                 "<triangles", "<polylist", "<polygons", "<tristrips", "<trifans", "<morph", '"RELATIVE"', "<IDREF_array", "<skeleton", " -1 ", ' source="#m', "offset=\"2\""):
        assert sum(word in text for text in texts) >= 10, word


def test_clip_is_cut_to_its_part_of_the_time(start, tmp_path):
    maker = random_collada.Maker(1)
    maker.animate("n0/place", lambda k: [0, 0, 0])
    text = random_collada.TEMPLATE.format(
        animations='<animation id="a"><source id="i"><float_array id="ia" count="2">0 4</float_array><technique_common>'
                   '<accessor source="#ia" count="2"/></technique_common></source><source id="o"><float_array id="oa" count="2">0 8</float_array>'
                   '<technique_common><accessor source="#oa" count="2"/></technique_common></source><sampler id="s">'
                   '<input semantic="INPUT" source="#i"/><input semantic="OUTPUT" source="#o"/></sampler><channel source="#s" target="n/p.X"/></animation>',
        clips='<library_animation_clips><animation_clip name="part" start="1" end="3"><instance_animation url="#a"/></animation_clip>'
              '<animation_clip id="long" start="0" end="5"><instance_animation url="#a"/></animation_clip></library_animation_clips>',
        nodes='<node id="n" name="n"><translate sid="p">0 7 0</translate></node>', things="")
    (tmp_path / "cut.dae").write_text(text, encoding="utf-8")
    server = start("--log", "off", "--render-workers", "0", root=tmp_path)
    model = server.json("/v1/model", model="cut.dae")
    assert [(c["name"], c["start"], c["duration"]) for c in model["clips"]] == [("part", 0, 2), ("long", 0, 5)]
    assert model["warnings"] == []
    answer = server.json("/v1/pose", model="cut.dae", clip="part", wrap="clamp", t=["0", "0.5", "1", "2", "3"], what="scene")
    assert [frame["scene"][1][12] for frame in answer["frames"]] == [2, 3, 4, 6, 6]
    answer = server.json("/v1/pose", model="cut.dae", clip="long", wrap="clamp", t=["4", "4.5", "5"], what="scene")
    assert [frame["scene"][1][12:15] for frame in answer["frames"]] == [[8, 7, 0]] * 3


@pytest.mark.short
@pytest.mark.parametrize("damage, why", [
    (lambda text: text.replace("<COLLADA", '<!DOCTYPE COLLADA [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;">]>\n<COLLADA', 1), "entities"),
    (lambda text: text.replace("<COLLADA", '<!DOCTYPE COLLADA [<!ENTITY a SYSTEM "file:///etc/passwd">]>\n<COLLADA', 1), "entities"),
    (lambda text: text.replace("</asset>", "&nothing;</asset>"), "undefined entity"),
    (lambda text: text.replace('version="1.4.1"', 'version="1.3.1"'), "COLLADA 1.3.1, of which 1.4.0, 1.4.1 and 1.5.0 are read"),
    (lambda text: text.replace(' version="1.4.1"', "").replace("2005/11", "2004"), "1.3 or older"),
    (lambda text: text.replace("<visual_scene ", "<other ").replace("</visual_scene>", "</other>"), "no <visual_scene>"),
])
def test_what_cannot_be_read_is_refused_with_a_reason(start, tmp_path, damage, why):
    text, _ = random_collada.make(1)
    (tmp_path / "odd.dae").write_text(damage(text), encoding="utf-8")
    server = start("--log", "off", "--render-workers", "0", root=tmp_path)
    answer = server.get("/v1/model?model=odd.dae")
    assert answer.status == 422, answer.body
    assert why in answer.json()["error"]["message"]


def test_skewed_node_leans(start, tmp_path):
    """y leans towards x by 45 degrees: x' = x + y."""
    (tmp_path / "lean.dae").write_text(
        '<COLLADA version="1.4.1" xmlns="http://www.collada.org/2005/11/COLLADASchema"><asset><up_axis>Y_UP</up_axis></asset>'
        '<library_geometries><geometry id="g"><mesh><source id="p"><float_array id="pa" count="9">0 0 0 1 10 2 0 1 4</float_array>'
        '<technique_common><accessor source="#pa" count="3" stride="3"><param name="X" type="float"/><param name="Y" type="float"/>'
        '<param name="Z" type="float"/></accessor></technique_common></source><vertices id="v"><input semantic="POSITION" source="#p"/></vertices>'
        '<triangles count="1"><input semantic="VERTEX" source="#v" offset="0"/><p>0 1 2</p></triangles></mesh></geometry></library_geometries>'
        '<library_visual_scenes><visual_scene id="s"><node id="n" name="n"><translate>5 6 7</translate><skew sid="k">45 0 1 0 1 0 0</skew>'
        '<scale>2 1 1</scale><instance_geometry url="#g"/></node></visual_scene></library_visual_scenes>'
        '<scene><instance_visual_scene url="#s"/></scene></COLLADA>', encoding="utf-8")
    server = start("--log", "off", "--render-workers", "0", root=tmp_path)
    pose = server.json("/v1/pose", model="lean.dae", joints="n")
    assert pose["frames"][0]["scene"][0] == pytest.approx([2, 0, 0, 0, 1, 1, 0, 0, 0, 0, 1, 0, 5, 6, 7, 1], abs=1e-6)
    mesh = server.json("/v1/mesh", model="lean.dae", rest=1)
    rest, posed = ([tuple(row[i:i + 3]) for i in range(0, 9, 3)] for row in (mesh["rest"][0], mesh["frames"][0]["positions"][0]))
    for (x, y, z), place in zip(rest, posed):
        assert place == pytest.approx([5 + 2 * x + y, 6 + y, 7 + z], abs=1e-5)


RED = bytes([0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 24, 0, 0, 0, 255])  # a TGA of one texel

PAINTED = ('<COLLADA version="1.4.1" xmlns="http://www.collada.org/2005/11/COLLADASchema"><library_images><image id="i"><init_from>{path}</init_from></image>'
           '</library_images><library_effects><effect id="e"><profile_COMMON><technique><lambert><diffuse><texture texture="i" texcoord="t"/></diffuse>'
           '</lambert></technique></profile_COMMON></effect></library_effects><library_materials><material id="m"><instance_effect url="#e"/></material>'
           '</library_materials><library_visual_scenes><visual_scene id="s"><node id="n" name="n"><translate sid="p">1 2 3</translate></node>'
           '</visual_scene></library_visual_scenes>{animations}<scene><instance_visual_scene url="#s"/></scene></COLLADA>')


def bezier_animation():
    maker = random_collada.Maker(4)
    maker.rng = random.Random(8)
    while "BEZIER" not in "".join(maker.animations):
        maker.animations.clear()
        maker.animate("n/p", lambda k: [k, 3 - k, k * k])
    return f'<library_animations>{"".join(maker.animations)}</library_animations>'


@pytest.mark.parametrize("names, root", [
    (["scene.dae", "images/red.tga", "manifest.xml"], "scene.dae"),
    (["sub folder/scene.dae", "sub folder/images/red.tga", "manifest.xml"], "./sub%20folder/scene.dae#s"),
    (["deep/scene.dae", "deep/other.dae", "RED.TGA"], None),
])
def test_archives_play_as_files_do(start, tmp_path, names, root):
    animations = bezier_animation()
    text = PAINTED.format(path="images/red.tga", animations=animations)
    (tmp_path / "plain.dae").write_text(text, encoding="utf-8")
    with zipfile.ZipFile(tmp_path / "packed.zae", "w", zipfile.ZIP_DEFLATED) as archive:
        for name in names:
            archive.writestr(name, f"<dae_root> {root} </dae_root>" if name == "manifest.xml" else RED if name.lower().endswith("tga") else text.replace('url="#s"', 'url="./Scene.dae#s"'))
    server = start("--log", "off", "--render-workers", "0", root=tmp_path)
    model = server.json("/v1/model", model="packed.zae")
    assert [t["state"] for t in model["textures"]] == ["found"]
    assert model["warnings"] == []
    assert server.json("/v1/model", model="plain.dae")["textures"][0]["state"] == "missing"
    asked = {"what": "scene", "wrap": "clamp", "t": [f"{i / 16}" for i in range(33)]}
    packed, plain = (server.json("/v1/pose", model=name, clip=0, **asked)["frames"] for name in ("packed.zae", "plain.dae"))
    assert packed == plain


@pytest.mark.short
@pytest.mark.parametrize("files, why", [
    ({"readme.txt": "no model"}, "the zip holds no .dae"),
    ({"manifest.xml": "<dae_root>gone.dae</dae_root>", "here.dae": "<COLLADA/>"}, "manifest.xml names 'gone.dae', which is not in the zip"),
    ({"manifest.xml": "<other/>", "here.dae": "<COLLADA/>"}, "manifest.xml has no <dae_root>"),
    ({"here.dae": "<html/>"}, "the document's element is <html>, not <COLLADA>"),
    ({"../out.dae": "<COLLADA/>"}, "leads outside"),
])
def test_archives_that_hold_no_model_are_refused(start, tmp_path, files, why):
    with zipfile.ZipFile(tmp_path / "odd.zae", "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    server = start("--log", "off", "--render-workers", "0", root=tmp_path)
    answer = server.get("/v1/model?model=odd.zae")
    assert answer.status in (415, 422)
    assert why in answer.json()["error"]["message"]
