"""The difference between the poses that a program reads from a converted file and the original's: (the greatest, relative to the model's
size, where). ValueError and RuntimeError if it cannot be found."""
import re

from . import blender, key_times, original

MEASURED_BETWEEN = 1.5  # the file's stated error may be less than the greatest at any time


def by_posed(case):
    worst = (0.0, "")
    again = [clip["name"] for clip in original.clips_of(case.server, case.converted) or []]
    if again != [clip.name for clip in case.clips]:
        raise ValueError(f"its clips are {again}, not {[clip.name for clip in case.clips]}")
    for clip in case.clips:
        times = case.times[clip.index]
        error = original.difference(case.original(clip.index), original.poses(case.server, case.converted, clip.index, times), times,
                                    case.free(clip.index))
        worst = max(worst, (error[0], f"clip {clip.index}, {error[1]}"))
    return worst


def stated(case):
    """How far an approximate file says that it is off, as a share of the largest coordinate. It is measured at keys and between them."""
    said = [float(number) for one in case.parsed.document["asset"]["extras"]["approximations"]
            for number in re.findall(r"off by (\S+) units", one["message"])]
    return MEASURED_BETWEEN * max([0.0, *said]) / case.original(0).size


def within(stated_share, tolerance, read):
    """(the error that a reader finds as a share of the one that the file states and of its own tolerance, where)."""
    error, where = read()
    return error / (stated_share + tolerance), where


def by_three(case, jobs):
    worst = (0.0, "")
    asked = [{"clip": clip.index, "times": case.times[clip.index]} for clip in case.clips]
    answer = jobs.ask("poses", file=case.path, clips=asked)
    for clip, frames in zip(case.clips, answer["clips"], strict=True):
        poses, free, pairs = case.original(clip.index), case.free(clip.index), []
        for t, (nodes, palettes, _), theirs in zip(case.times[clip.index], poses.frames, frames, strict=True):
            pairs += [(f"node '{poses.names[n]}' at {t!r} s", matrix, theirs["nodes"][str(case.places[n])], free.get(t, 0.0))
                      for n, matrix in enumerate(nodes) if str(case.places[n]) in theirs["nodes"]]  # of its first scene
            pairs += [(f"joint {j} of skin {s} at {t!r} s", matrix, other, free.get(t, 0.0)) for s, skin in theirs["palettes"].items()
                      for j, (matrix, other) in enumerate(zip(palettes[int(s)], skin, strict=True))]
        if not pairs:
            raise ValueError(f"it finds no node in clip {clip.index}")
        error = original.worst(poses.size, pairs)
        worst = max(worst, (error[0], f"clip {clip.index}, {error[1]}"))
    return worst


def blender_times(case):
    """{clip: times} of the clips with keys at which Blender is meant to be exact."""
    found = {clip.index: key_times.times_at_keys(case.parsed, clip.index) for clip in case.clips}
    return {clip: times for clip, times in found.items() if times}


def by_blender(case, times, answer):
    """times: the requested ones; answer: of blender_jobs.py."""
    if "error" in answer:
        raise RuntimeError(answer["error"][-500:])
    worst = (0.0, "")
    arrange = lambda nodes: [nodes[case.places.index(n)] if n in case.places else None for n in range(len(case.parsed.nodes))]
    for c, (clip, chosen) in enumerate(times.items()):
        poses, free = case.poses_at(clip, chosen), case.free_at(clip, chosen, key_times.frame_ulp)
        pairs = blender.pairs_of(case.parsed.document, answer, arrange(case.rest.frames[0][0]), [arrange(frame[0]) for frame in poses.frames], free, c)
        error = original.worst(poses.size, pairs)
        worst = max(worst, (error[0], f"clip {clip}, {error[1]}"))
    return worst


def kept_in_blender(original_answer, answer):
    """The same of two contents() of blender_jobs.py: (the greatest difference of texture coordinates and colours, where). ValueError if
    anything else differs."""
    for one in (original_answer, answer):
        if "error" in one:
            raise RuntimeError(one["error"][-500:])
    were, are = original_answer["objects"], answer["objects"]
    worst = (0.0, "")
    if were.keys() != are.keys():
        raise ValueError(f"its objects are {sorted(are)}, not {sorted(were)}")
    for name, was in were.items():
        for part in ("extras", "mesh", "parent", "materials", "bones"):
            if was[part] != are[name][part]:
                raise ValueError(f"{part} of '{name}' are {are[name][part]}, not {was[part]}")
        for part, most, step in (("uvs", 2, 0.0), ("colors", 1, 1.01 / 255)):  # files have bytes, and so has Blender
            layers = was[part][:most]
            if [len(layer) for layer in layers] != [len(layer) for layer in are[name][part]]:
                raise ValueError(f"'{name}' has other {part}")
            for one, other in zip(sum(layers, []), sum(are[name][part], [])):
                worst = max(worst, (abs(one - other) - step, f"{part} of '{name}'"))
    return worst
