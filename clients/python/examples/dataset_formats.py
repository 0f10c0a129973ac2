#!/usr/bin/env python3
"""Writes what other programs read of a data set that posectl dataset has made.

    dataset_formats.py coco SET [--per node] > coco.json        annotations of COCO: masks, boxes, keypoints
    dataset_formats.py nerf SET MODEL [TIME]  > transforms.json   cameras of NeRF, of the samples of one model (at one time)

SET is the folder of posectl dataset -o. File names are relative to it.

coco: one annotation a picture: the model, whose category is its path. With --per node one for each node with a mesh that can be seen; the
category is MODEL#NODE. Both need the pass `node`. `segmentation` is run-length encoded: {"size": [height, width], "counts": [..]}, pixels
without and with the mask in turn, column by column. With `posectl dataset --keypoints` the annotation of a model has them, too.

nerf: transform_matrix leads from the camera to the scene, by OpenGL's convention: x right, y up, looking along -z. The scene keeps its axes
and unit. Each frame has its own intrinsics in pixels.
"""
import json
import pathlib
import sys
from typing import Any, Dict, List, Optional, Tuple

import numpy as np

VISIBILITY = {"outside": 0, "hidden": 1, "visible": 2}  # 0: not labelled


def samples(folder: pathlib.Path) -> List[Dict[str, Any]]:
    return [json.loads(line) for line in (folder / "manifest.jsonl").read_text(encoding="utf-8").splitlines()]


def run_lengths(mask: "np.ndarray[Any, Any]") -> Dict[str, Any]:
    """Encodes a mask [height, width] as COCO does."""
    pixels = mask.T.ravel()
    changes = np.flatnonzero(pixels[1:] != pixels[:-1]) + 1
    bounds = np.concatenate([[0], [0] if pixels[0] else [], changes, [pixels.size]])
    return {"size": list(mask.shape), "counts": np.diff(bounds).astype(int).tolist()}


def annotation_of(mask: "np.ndarray[Any, Any]") -> Dict[str, Any]:
    rows, columns = np.nonzero(mask)
    left, top = int(columns.min()), int(rows.min())
    return {"bbox": [left, top, int(columns.max()) + 1 - left, int(rows.max()) + 1 - top], "area": int(mask.sum()), "iscrowd": 0,
            "segmentation": run_lengths(mask)}


def keypoints_of(folder: pathlib.Path, sample: Dict[str, Any]) -> Tuple[List[str], List[float]]:
    """Returns the names of the sample's keypoints, and x, y and visibility of each."""
    if "keypoints" not in sample:
        return [], []
    told = json.loads((folder / sample["keypoints"]["file"]).read_text(encoding="utf-8"))
    frame = told["frames"][0]
    numbers: List[float] = []
    for pixel, state in zip(frame["pixels"], frame["states"]):
        seen = 0 if pixel is None else VISIBILITY.get(state, 0)
        numbers += [*(pixel if seen else (0, 0)), seen]
    return [point["name"] or "" for point in told["points"]], numbers


def coco(folder: pathlib.Path, per_node: bool = False) -> Dict[str, Any]:
    images: List[Dict[str, Any]] = []
    annotations: List[Dict[str, Any]] = []
    categories: Dict[str, Dict[str, Any]] = {}
    for number, sample in enumerate(samples(folder), 1):
        images.append({"id": number, "file_name": sample["file"], "width": sample["width"], "height": sample["height"]})
        with np.load(folder / sample["arrays"]["file"]) as arrays:
            node = arrays["node"]
        names, points = keypoints_of(folder, sample)
        for index in np.unique(node[node >= 0]).tolist() if per_node else [None] * bool((node >= 0).any()):
            name = sample["model"] if index is None else f"{sample['model']}#{index}"
            category = categories.setdefault(name, {"id": len(categories) + 1, "name": name, "supercategory": sample["model"]})
            entry = {"id": len(annotations) + 1, "image_id": number, "category_id": category["id"],
                     **annotation_of(node >= 0 if index is None else node == index)}
            if names and index is None:
                category.update(keypoints=names, skeleton=[])
                entry.update(keypoints=points, num_keypoints=sum(seen > 0 for seen in points[2::3]))
            annotations.append(entry)
    return {"images": images, "annotations": annotations, "categories": list(categories.values())}


def nerf(folder: pathlib.Path, model: str, time: Optional[float] = None) -> Dict[str, Any]:
    chosen = [sample for sample in samples(folder) if sample["model"] == model and (time is None or abs(sample["time"] - time) < 1e-6)]
    if not chosen:
        raise ValueError(f"the set has no such sample of '{model}'")
    place, frames = (folder / chosen[0]["file"]).parent, []
    told = {entry["file"]: entry for entry in json.loads((place / "cameras.json").read_text(encoding="utf-8"))}
    for sample in chosen:
        entry = told[pathlib.PurePosixPath(sample["file"]).name]
        camera = entry["camera"]
        if camera["projection"] != "perspective":
            raise ValueError(f"'{sample['file']}' has no perspective, which transforms.json needs")
        camera_from_scene = np.reshape(camera["camera_from_scene"]["opengl"], (4, 4)).T
        frames.append({"file_path": sample["file"], "transform_matrix": np.linalg.inv(camera_from_scene).tolist(),
                       "fl_x": camera["fx"], "fl_y": camera["fy"], "cx": camera["cx"], "cy": camera["cy"],
                       "w": sample["width"], "h": sample["height"], "time": sample["time"]})
    first = frames[0]
    return {"camera_angle_x": float(2 * np.arctan2(first["w"] / 2, first["fl_x"])), "frames": frames}


def main(words: List[str]) -> int:
    if len(words) in (2, 4) and words[0] == "coco" and words[2:] in ([], ["--per", "node"]):
        made = coco(pathlib.Path(words[1]), bool(words[2:]))
    elif len(words) in (3, 4) and words[0] == "nerf":
        made = nerf(pathlib.Path(words[1]), words[2], float(words[3]) if words[3:] else None)
    else:
        print(__doc__, file=sys.stderr)
        return 2
    json.dump(made, sys.stdout)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except (OSError, ValueError, KeyError) as error:
        sys.exit(f"dataset_formats: {error!r}" if isinstance(error, KeyError) else f"dataset_formats: {error}")
