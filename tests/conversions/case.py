"""A converted file: its sources, the compared times, and the original's poses at these times."""
import functools
import pathlib
from dataclasses import dataclass

from . import blender, key_times, original


@dataclass
class Clip:
    """A clip of the converted file. file: the model of the original clip, if it is a different one; source: the clip's index there."""

    index: int
    name: str
    source: int
    file: str = None

    def query(self):
        return {"clip_file": self.file} if self.file else {}


def clips_in(document, server, model, files):
    """The clips of a file made from a model and clip files, without those that it reports as left out."""
    wanted = [(file, clip) for file in (None, *files) for clip in original.clips_of(server, file or model)]
    warnings = document["asset"].get("extras", {}).get("warnings", [])
    left_out, found = sum(one["code"] == "clip_left_out" for one in warnings), []
    for animation in document.get("animations", []):
        while wanted and wanted[0][1]["name"] != animation.get("name") and left_out:
            wanted.pop(0)
            left_out -= 1
        file, clip = wanted.pop(0) if wanted else (None, {"name": None, "index": -1})
        found.append(Clip(len(found), clip["name"], clip["index"], file))
    if len(wanted) > left_out:
        raise ValueError(f"clip '{wanted[0][1]['name']}' is not in the file")
    return found


class Case:
    def __init__(self, server, model, files, path, converted):
        """files: the files whose clips it got. path: of the GLB file; converted: its path below the server's root."""
        self.server, self.model, self.path, self.converted = server, model, path, converted
        self.parsed = blender.model_of(path)
        self.clips = clips_in(self.parsed.document, server, model, files)
        self.has_same_keys = all(pathlib.Path(file).suffix in (".gltf", ".glb") for file in (model, *files))
        self.times = {clip.index: key_times.all_times(self.parsed, clip.index, self.has_same_keys) for clip in self.clips}
        self.original = functools.cache(lambda index: self.poses_at(index, self.times[index]))
        self.free = functools.cache(lambda index: {} if self.has_same_keys else self.free_at(index, self.times[index], key_times.ulp))

    def free_at(self, index, times, ulp):
        """{time: how far the original's pose moves, relative to its size, between a representable time and the next one}."""
        sides = [self.poses_at(index, [max(t + sign * ulp(t), 0.0) for t in times]) for sign in (-1, 1)]
        rows = [original.rows_of(side, range(len(side.names)), times) for side in sides]
        return {t: original.worst(sides[0].size, [("", row, rows[1][key]) for key, row in rows[0].items() if key[-1] == t])[0] for t in times}

    def poses_at(self, index, times):
        clip = self.clips[index]
        return original.poses(self.server, self.model, clip.source, times, **clip.query())

    @functools.cached_property
    def rest(self):
        return original.poses(self.server, self.model, None, [0.0])

    @functools.cached_property
    def places(self):
        """For each node of the original: its index in the file."""
        return original.find_nodes(self.rest, original.poses(self.server, self.converted, None, [0.0]))
