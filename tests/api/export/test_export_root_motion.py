"""root_motion= of /v1/export: what a clip moves over the ground is taken out, or given to the node above."""
import json

import numpy
import pytest

from humans import A, T, UNREAL, Human
from importers import NO_RENDERING
from rigs import Writer
from round_trip import Glb

DRAWS = False

pytestmark = pytest.mark.short

TURNED = [0.3, -0.4, 0.2, 0.84261498]  # a rotation about no axis of the scene
UNEVEN = {"translation": [7, -3, 11], "rotation": TURNED, "scale": [1.5, 0.5, 2]}
HOLDER = {"translation": [1, 2, -1], "rotation": [0, 0.6, 0, 0.8], "scale": [0.8, 1.2, 1]}
TIMES = [0, 0.21, 0.5, 0.77, 1, 1.4, 1.93, 2]
ROWS = [(0.2, 1, -0.3), (2, 1.5, 0.4), (5, 0.7, 3), (9, 1, 7)]


def cubic(rows):
    return [row for i, value in enumerate(rows) for row in ((0.3, -1, i), value, (i, 0.5, -2))]


def rig(interpolation="LINEAR", moves_above=None):
    """armature (uneven, turned, off the origin) > holder (likewise) > hips, which travels > leg; the skin has hips and leg."""
    writer = Writer()
    writer.rig(["armature", "holder", "hips", "leg"],
               {"armature": (None, UNEVEN), "holder": ("armature", HOLDER), "hips": ("holder", {"translation": [0.2, 1, -0.3]}),
                "leg": ("hips", {"translation": [0, -0.5, 0.1], "rotation": [0.2, 0, 0, 0.9797959]})})
    document = writer.document
    positions = [(0, 0, 0), (1, 0, 0), (0, 2, 0), (1, 2, 3), (-1, 1, 1), (0.5, -2, 1)]
    document["meshes"] = [{"primitives": [{"attributes": {
        "POSITION": writer.accessor(positions, "VEC3"), "JOINTS_0": writer.accessor([(0, 1, 0, 0)] * 6, "VEC4", 5121, "B"),
        "WEIGHTS_0": writer.accessor([(0.25 + 0.1 * i, 0.75 - 0.1 * i, 0, 0) for i in range(6)], "VEC4")}}]}]
    document["skins"] = [{"joints": [2, 3]}]
    document["nodes"].append({"name": "body", "mesh": 0, "skin": 0})
    document["scenes"][0]["nodes"].append(4)
    times, ends = writer.accessor([0, 0.5, 1.2, 2], "SCALAR"), writer.accessor([0, 2], "SCALAR")
    rows = cubic(ROWS) if interpolation == "CUBICSPLINE" else ROWS
    samplers = [{"input": times, "output": writer.accessor(rows, "VEC3"), "interpolation": interpolation},
                {"input": ends, "output": writer.accessor([(0, 0, 0, 1), (0.5, 0.5, 0.5, 0.5)], "VEC4")}]
    channels = [{"sampler": 0, "target": {"node": 2, "path": "translation"}}, {"sampler": 1, "target": {"node": 3, "path": "rotation"}}]
    for path, values in (moves_above or {}).items():
        channels.append({"sampler": len(samplers), "target": {"node": 1, "path": path}})
        samplers.append({"input": ends, "output": writer.accessor(values, "VEC4" if path == "rotation" else "VEC3")})
    document["animations"] = [{"name": "go", "samplers": samplers, "channels": channels}]
    return writer.text()


def ask(server, path, **parameters):
    answer = server.get(path + "?" + "&".join(f"{name}={value}" for name, value in parameters.items()))
    assert answer.status == 200, answer.body
    return answer


def vertices(server, model, **more):
    frames = ask(server, "/v1/mesh", model=model, format="json", wrap="clamp", t=",".join(map(str, TIMES)), **more).json()["frames"]
    return numpy.array([frame["positions"] for frame in frames])


def locals_of(server, model, node):
    frames = ask(server, "/v1/pose", model=model, wrap="clamp", what="local", joints=node, t=",".join(map(str, TIMES))).json()["frames"]
    return numpy.array([frame["local"][0] for frame in frames])


def size_of(points):
    return numpy.ptp(points.reshape(-1, 3), axis=0).max()


def exported(server, folder, model, how, **more):
    answer = ask(server, "/v1/export", model=model, root_motion=how, **more)
    (folder / f"{how}.glb").write_bytes(answer.body)
    return Glb(answer.body)


@pytest.mark.parametrize("interpolation", ["LINEAR", "STEP", "CUBICSPLINE"])
@pytest.mark.parametrize("more", [{}, {"fps": 30}, {"optimize": 1}])
def test_in_place_is_what_extraction_leaves(start, tmp_path, interpolation, more):
    """Also between keys, of every interpolation: the server's own extraction computes each pose by itself."""
    if more.get("fps") and interpolation != "LINEAR":
        pytest.skip("poses at a rate follow jumps and curves at their own times only")
    (tmp_path / "rig.gltf").write_text(rig(interpolation))
    server = start(*NO_RENDERING)
    before = vertices(server, "rig.gltf")
    exported(server, tmp_path, "rig.gltf", "in-place", **more)
    expected, actual = vertices(server, "rig.gltf", root_motion="extract"), vertices(server, "in-place.glb")
    near = (1e-6 if not more else 2e-3) * size_of(before)
    assert abs(actual - expected).max() < near
    assert abs(actual - before).max() > 0.3 * size_of(before)
    place = numpy.array([frame["scene"][0][12:15] for frame in ask(
        server, "/v1/pose", model="in-place.glb", wrap="clamp", joints="hips", t=",".join(map(str, TIMES))).json()["frames"]])
    assert numpy.ptp(place, axis=0)[[0, 2]].max() < near and numpy.ptp(place[:, 1]) > 1


@pytest.mark.parametrize("interpolation", ["LINEAR", "STEP", "CUBICSPLINE"])
@pytest.mark.parametrize("moves_above", [None, {"translation": [HOLDER["translation"]] * 2, "rotation": [HOLDER["rotation"]] * 2}])
def test_to_root_moves_the_node_above_and_no_vertex(start, tmp_path, interpolation, moves_above):
    (tmp_path / "rig.gltf").write_text(rig(interpolation, moves_above=moves_above))
    server = start(*NO_RENDERING)
    glb = exported(server, tmp_path, "rig.gltf", "to-root")
    before, after = vertices(server, "rig.gltf"), vertices(server, "to-root.glb")
    assert abs(after - before).max() < 1e-6 * size_of(before)
    targets = [(channel["target"]["node"], channel["target"]["path"]) for channel in glb.json["animations"][0]["channels"]]
    assert len(targets) == len(set(targets)) and (1, "translation") in targets
    extracted = ask(server, "/v1/pose", model="to-root.glb", wrap="clamp", t=",".join(map(str, TIMES)), root_motion="extract", root="holder",
                    joints="hips").json()["frames"]
    places = numpy.array([frame["scene"][0][12:15] for frame in extracted])
    assert numpy.ptp(places, axis=0)[[0, 2]].max() < 1e-5 * size_of(before)  # without the holder's movement there is none
    assert numpy.ptp(locals_of(server, "to-root.glb", "holder")[:, :3], axis=0).max() > 1


def test_keep_is_the_default_and_other_nodes_are_told(start, tmp_path):
    (tmp_path / "rig.gltf").write_text(rig())
    server = start(*NO_RENDERING)
    assert ask(server, "/v1/export", model="rig.gltf").body == ask(server, "/v1/export", model="rig.gltf", root_motion="keep").body
    exported(server, tmp_path, "rig.gltf", "in-place", root="leg")  # which no clip moves along
    assert abs(vertices(server, "in-place.glb") - vertices(server, "rig.gltf")).max() == 0


def test_the_hips_move_below_a_root_that_stands(start, tmp_path):
    """A human whose root bone keeps its place, turned, in centimetres and off the origin: Unreal's names tell its hips."""
    human = Human({**T, "names": UNREAL, "turn": [0, 0.6, 0, 0.8], "place": A["place"], "scale": 100})
    document = json.loads(human.write(has_walk=True))
    document["skins"].append({"joints": [[node["name"] for node in document["nodes"]].index("root")]})
    (tmp_path / "human.gltf").write_text(json.dumps(document))
    server = start(*NO_RENDERING)
    before = vertices(server, "human.gltf")
    assert abs(vertices(server, "human.gltf", root_motion="extract") - before).max() == 0  # the root bone is what extraction looks at
    exported(server, tmp_path, "human.gltf", "in-place")
    still = vertices(server, "human.gltf", root_motion="extract", root="pelvis")
    assert abs(vertices(server, "in-place.glb") - still).max() < 1e-6 * size_of(before)
    assert abs(still - before).max() > 0.1 * size_of(before)
    exported(server, tmp_path, "human.gltf", "to-root")
    assert abs(vertices(server, "to-root.glb") - before).max() < 1e-6 * size_of(before)
    assert numpy.ptp(locals_of(server, "to-root.glb", "root")[:, :3], axis=0).max() > 50


def hips_on_top():
    """Hips with nothing above them, turned and unevenly scaled off the origin, with a skin."""
    document = json.loads(rig())
    hips, leg = document["nodes"][2], document["nodes"][3]
    hips.update(rotation=TURNED, scale=[1.5, 0.5, 2])
    hips["children"], document["nodes"] = [1], [hips, leg, document["nodes"][4]]
    document["scenes"][0]["nodes"] = [0, 2]
    document["skins"][0]["joints"] = [0, 1]
    for channel in document["animations"][0]["channels"]:
        channel["target"]["node"] -= 2
    return json.dumps(document)


@pytest.mark.parametrize("more", [{}, {"fps": 30}, {"optimize": 1}, {"clips": "-", "clip_file": "rig.gltf"}, {"up": "z", "unit": "cm"}])
def test_hips_without_a_root_bone_get_one(start, tmp_path, more):
    (tmp_path / "rig.gltf").write_text(hips_on_top())
    server = start(*NO_RENDERING)
    glb = exported(server, tmp_path, "rig.gltf", "to-root", **more)
    names = [node.get("name") for node in glb.json["nodes"]]
    root, hips = names.index("root"), names.index("hips")
    assert hips in glb.json["nodes"][root]["children"] and len(names) == len(set(names))
    assert (root, "translation") in [(channel["target"]["node"], channel["target"]["path"]) for channel in glb.json["animations"][0]["channels"]]
    before, after = vertices(server, "rig.gltf"), vertices(server, "to-root.glb")
    if "unit" in more:
        after = after.reshape(-1, 3)[:, [0, 2, 1]] * [0.01, 0.01, -0.01]
        before = before.reshape(-1, 3)
        assert numpy.ptp(locals_of(server, "to-root.glb", "hips")[:, :3], axis=0).max() > 0
    assert abs(after - before).max() < (2e-3 if more.get("optimize") or more.get("fps") else 1e-6) * size_of(before)
    assert "root" not in [node["name"] for node in server.json("/v1/model?model=rig.gltf")["nodes"]]
    exported(server, tmp_path, "rig.gltf", "in-place")
    assert Glb((tmp_path / "in-place.glb").read_bytes()).json["nodes"][0]["name"] == "hips"


def test_clips_of_other_files(start, tmp_path):
    (tmp_path / "rig.gltf").write_text(rig())
    bare = json.loads(rig("CUBICSPLINE"))
    (tmp_path / "clips.gltf").write_text(json.dumps(bare))
    server = start(*NO_RENDERING)
    exported(server, tmp_path, "rig.gltf", "in-place", clips="-", clip_file="clips.gltf")
    before, still = vertices(server, "clips.gltf"), vertices(server, "clips.gltf", root_motion="extract")
    assert abs(vertices(server, "in-place.glb") - still).max() < 1e-6 * size_of(before)


@pytest.mark.parametrize("text, query, words", [
    (lambda: rig(moves_above={"rotation": [(0, 0, 0, 1), (0, 1, 0, 0)]}), "root_motion=in-place", "node 1 'holder'"),
    (lambda: rig(), "root_motion=to-root&root=armature", None),
    (lambda: rig(), "root=hips", "root_motion=in-place or to-root"),
    (lambda: rig(), "root_motion=in-place&format=posed", "format=posed"),
    (lambda: rig(), "root_motion=extract", "keep"),
    (lambda: rig(), "root_motion=in-place&root=nobody", "nobody"),
])
def test_what_cannot_be_done_is_said(start, tmp_path, text, query, words):
    (tmp_path / "rig.gltf").write_text(text())
    answer = start(*NO_RENDERING).get(f"/v1/export?model=rig.gltf&{query}")
    assert answer.status == (200 if words is None else 400 if words != "nobody" else 404), answer.body
    assert words is None or words in json.loads(answer.body)["error"]["message"]


def test_libraries_of_many_clips(start, tmp_path):
    """Each of many clips is freed of its motion over the ground, and counts as work."""
    document = json.loads(rig())
    clip, = document["animations"]
    document["animations"] = [{**clip, "name": f"go {i}"} for i in range(80)]
    document["nodes"] += [{"name": f"helper {i}"} for i in range(1000)]
    (tmp_path / "rig.gltf").write_text(json.dumps(document))
    glb = exported(start(*NO_RENDERING, root=tmp_path), tmp_path, "rig.gltf", "in-place")
    assert [animation["name"] for animation in glb.json["animations"]] == [f"go {i}" for i in range(80)]
    server = start("--max-evaluations", "60000", *NO_RENDERING, root=tmp_path)
    assert server.get("/v1/export?model=rig.gltf").status == 200
    assert server.get("/v1/export?model=rig.gltf&root_motion=in-place").error() == "too_many_frames"


@pytest.mark.parametrize("how", ["in-place", "to-root"])
def test_keys_that_channels_and_clips_share_stay_shared(start, tmp_path, how):
    """Keys that move by themselves are written once for all others: the file does not grow with the number of channels."""
    document = json.loads(rig())
    clip, = document["animations"]
    for i in range(200):
        document["nodes"][3].setdefault("children", []).append(len(document["nodes"]))
        clip["channels"].append({"sampler": 1, "target": {"node": len(document["nodes"]), "path": "rotation"}})
        document["nodes"].append({"name": f"finger {i}"})
    document["animations"] = [{**clip, "name": f"go {i}"} for i in range(5)]
    (tmp_path / "rig.gltf").write_text(json.dumps(document))
    server = start(*NO_RENDERING)
    rotations = lambda glb: {(a, glb.json["animations"][a]["samplers"][channel["sampler"]]["output"]): None
                             for a in range(5) for channel in glb.json["animations"][a]["channels"]
                             if channel["target"]["path"] == "rotation"}
    kept, moved = (exported(server, tmp_path, "rig.gltf", way) for way in ("keep", how))
    assert len({output for _, output in rotations(kept)}) == len({output for _, output in rotations(moved)}) == 1
    difference = vertices(server, f"{how}.glb", clip=3) - vertices(server, "rig.gltf", clip=3)
    assert numpy.ptp(difference, axis=1).max() < 1e-4 # the body as a whole is elsewhere, and nothing else
    assert (numpy.abs(difference).max() > 1) == (how == "in-place")
