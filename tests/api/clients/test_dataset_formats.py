"""clients/python/examples/dataset_formats.py: COCO and transforms.json of a set, read by other code and compared with the arrays."""
import json
import os
import shutil
import subprocess
import sys

import numpy as np
import pytest

from conftest import REPOSITORY, SAMPLES
from posectl import pass_folder
from rigs import limb

pytestmark = pytest.mark.skipif("POSED_SERVER" in os.environ or not SAMPLES.is_dir(), reason="starts servers of its own, on the samples")

PROGRAM = REPOSITORY / "clients/python/examples/dataset_formats.py"
CUBE = "".join(f"v {9 + x} {-4 + 2 * y} {3 + 3 * z}\n" for x in (0, 1) for y in (0, 1) for z in (0, 1)) + "".join(
    f"f {a} {b} {c}\nf {a} {c} {b}\n" for a, b, c in
    [(1, 2, 4), (1, 4, 3), (5, 7, 8), (5, 8, 6), (1, 5, 6), (1, 6, 2), (3, 4, 8), (3, 8, 7), (1, 3, 7), (1, 7, 5), (2, 6, 8), (2, 8, 4)])


def two_nodes():
    """The limb of rigs.py, with a second node beside it that shows a part of the same mesh without its skin."""
    document = json.loads(limb())
    document["nodes"].append({"name": "copy", "mesh": 0, "translation": [9, 1, 0], "scale": [1, .5, 1], "rotation": [.6, 0, 0, .8]})
    document["scenes"][0]["nodes"].append(len(document["nodes"]) - 1)
    return json.dumps(document)


@pytest.fixture(scope="module")
def sets(tmp_path_factory):
    """The folder of a set with keypoints of the robot, and of one of other models."""
    top = tmp_path_factory.mktemp("formats")
    for name in "one", "two":
        (top / name).mkdir()
    shutil.copy(SAMPLES / "robot.glb", top / "one")
    (top / "two/pair.gltf").write_text(two_nodes())
    (top / "two/cube.obj").write_text(CUBE)
    pass_folder("dataset", top / "one", "--width", "60", "--height", "44", "--clips", "walk", "--t", "0,0.5", "--orbit", "3:0,30",
                "--keypoints", "head,hand_right,foot_left", out="of_one")
    pass_folder("dataset", top / "two", "--size", "50", "--orbit", "2", out="of_two")
    return top


def made(*words):
    done = subprocess.run([sys.executable, PROGRAM, *map(str, words)], capture_output=True, text=True, timeout=120)
    return done.returncode, json.loads(done.stdout) if done.returncode == 0 else done.stderr


def decode(segmentation):
    """The mask of run lengths, pixel by pixel: column-major, and the first run is without the mask."""
    height, width = segmentation["size"]
    mask, at, is_inside = np.zeros((height, width), bool), 0, False
    for count in segmentation["counts"]:
        for pixel in range(at, at + count):
            mask[pixel % height, pixel // height] = is_inside
        at, is_inside = at + count, not is_inside
    assert at == height * width
    return mask


def arrays_of(folder, image):
    with np.load(folder / image["file_name"].replace(".png", ".npz")) as arrays:
        return {name: arrays[name] for name in arrays}


@pytest.mark.parametrize("name, per", [("one", []), ("two", []), ("two", ["--per", "node"])])
def test_masks_and_boxes_of_coco_are_those_of_the_arrays(sets, name, per):
    folder = sets / f"of_{name}"
    status, coco = made("coco", folder, *per)
    assert status == 0, coco
    lines = [json.loads(line) for line in (folder / "manifest.jsonl").read_text().splitlines()]
    images, names = {image["id"]: image for image in coco["images"]}, {entry["id"]: entry["name"] for entry in coco["categories"]}
    assert [image["file_name"] for image in coco["images"]] == [line["file"] for line in lines]
    assert len({entry["id"] for entry in coco["annotations"]}) == len(coco["annotations"])
    found = {}
    for entry in coco["annotations"]:
        image, name_of = images[entry["image_id"]], names[entry["category_id"]]
        node, mask = arrays_of(folder, image)["node"], decode(entry["segmentation"])
        model, _, index = name_of.partition("#")
        assert mask.shape == (image["height"], image["width"]) and entry["area"] == mask.sum() > 0 and bool(index) == bool(per)
        assert np.array_equal(mask, node == int(index) if index else node >= 0)
        x, y, width, height = entry["bbox"]
        assert mask[y:y + height, x:x + width].sum() == mask.sum()
        assert mask[y].any() and mask[y + height - 1].any() and mask[:, x].any() and mask[:, x + width - 1].any()
        found.setdefault(image["file_name"], set()).add(int(index or 0))
        assert model == lines[entry["image_id"] - 1]["model"]
    for line in lines:
        node = arrays_of(folder, {"file_name": line["file"]})["node"]
        assert found[line["file"]] == (set(node[node >= 0].tolist()) if per else {0})
    assert not per or max(map(len, found.values())) == 2


def test_run_lengths_of_any_mask(sets):
    """Masks that begin or end with a mask, are empty or full."""
    sys.path.insert(0, str(PROGRAM.parent))
    try:
        from dataset_formats import run_lengths
    finally:
        sys.path.pop(0)
    random = np.random.default_rng(1)
    for mask in [np.zeros((3, 5), bool), np.ones((3, 5), bool), *(random.random((1 + k % 7, 1 + k % 5)) < .4 for k in range(60))]:
        told = run_lengths(mask)
        assert np.array_equal(decode(told), mask) and all(count > 0 for count in told["counts"][1:])


def test_keypoints_of_coco_are_where_the_vertices_are_seen(sets):
    """A keypoint lies within the box of the model, and a visible one on the model."""
    folder = sets / "of_one"
    status, coco = made("coco", folder)
    assert status == 0 and coco["categories"][0]["keypoints"] == ["head", "hand_right", "foot_left"]
    images, states = {image["id"]: image for image in coco["images"]}, []
    for entry in coco["annotations"]:
        points = np.reshape(entry["keypoints"], (3, 3))
        told = json.loads((folder / images[entry["image_id"]]["file_name"].replace(".png", ".json")).read_text())["frames"][0]
        x, y, width, height = entry["bbox"]
        assert entry["num_keypoints"] == 3 and np.allclose(points[:, :2], told["pixels"])
        assert (points[:, 0] > x - 2).all() and (points[:, 0] < x + width + 2).all()
        assert (points[:, 1] > y - 2).all() and (points[:, 1] < y + height + 2).all()
        assert [{1: "hidden", 2: "visible"}[int(seen)] for seen in points[:, 2]] == told["states"]
        camera = json.loads((folder / "robot.glb/cameras.json").read_text())[entry["image_id"] - 1]["camera"]
        assert camera["view_from_scene"] == told["camera"]["view_from_scene"]
        states += told["states"]
    assert "hidden" in states


def test_rays_of_transforms_json_meet_the_surface(sets):
    """By camera_to_world of OpenGL and the intrinsics, the depth of each pixel leads to the same place of the scene from all sides: into the
    cube, whose corners the test knows."""
    folder = sets / "of_two"
    status, transforms = made("nerf", folder, "two/cube.obj")
    assert status == 0 and len(transforms["frames"]) == 2
    for frame in transforms["frames"]:
        depth = arrays_of(folder, {"file_name": frame["file_path"]})["depth"]
        rows, columns = np.nonzero(np.isfinite(depth))
        forward = depth[rows, columns]
        local = np.stack([(columns + .5 - frame["cx"]) / frame["fl_x"] * forward, -(rows + .5 - frame["cy"]) / frame["fl_y"] * forward, -forward,
                          np.ones_like(forward)])
        places = (np.array(frame["transform_matrix"]) @ local)[:3].T
        low, high = np.array([9, -4, 3]), np.array([10, -2, 6])
        assert len(places) > 200 and (places > low - 1e-4).all() and (places < high + 1e-4).all()
        assert (np.minimum(abs(places - low), abs(places - high)).min(axis=1) < 1e-4).all()  # on a side of it
        assert frame["w"] == 50 and transforms["camera_angle_x"] == pytest.approx(2 * np.arctan(25 / frame["fl_x"]))
    moments = made("nerf", sets / "of_one", "one/robot.glb", 0.5)[1]["frames"]
    assert len(moments) == 6 and {frame["time"] for frame in moments} == {0.5}


def test_what_cannot_be_written_is_told(sets):
    assert made("nerf", sets / "of_two", "nobody.glb") == (1, "dataset_formats: the set has no such sample of 'nobody.glb'\n")
    assert made("coco")[0] == 2 and made("coco", sets)[0] == 1
