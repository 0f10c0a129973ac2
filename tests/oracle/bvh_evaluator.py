"""A BVH evaluator written from the format (Biovision hierarchical data; Meredith and Maddock, "Motion capture file formats
explained", 2001): a joint stands at its OFFSET and is turned by its rotation channels in the order in which they stand (the
first is the outermost), in degrees. Frame f is at f * Frame Time.

Readers disagree about a joint that has an OFFSET and position channels. Here the channels stand for the OFFSET, as recording
programs write them and Blender reads them.

The format says nothing about times between frames. Here positions go straight and rotations on the shorter arc.
"""
import math

from matrices import from_trs, hamilton, lerp, scene_matrices, slerp, span, turned


class Model:
    def __init__(self, path):
        words = path.read_text(encoding="utf-8").split()
        self.nodes, self.parents, self.offsets, self.channels = [], [], [], []
        above, current, at = [], -1, 0
        while words[at] != "MOTION":
            word = words[at]
            if word in ("ROOT", "JOINT", "End"):
                current = len(self.nodes)
                self.nodes.append(None if word == "End" else words[at + 1])
                self.parents.append(above[-1] if above else -1)
                self.channels.append([])
                at += 1
            elif word == "{":
                above.append(current)
            elif word == "}":
                above.pop()
            elif word == "OFFSET":
                self.offsets.append([float(x) for x in words[at + 1:at + 4]])
                at += 3
            elif word == "CHANNELS":
                count = int(words[at + 1])
                self.channels[current] = words[at + 2:at + 2 + count]
                at += 1 + count
            at += 1
        count, step_s = int(words[at + 2]), float(words[at + 5])
        width = sum(map(len, self.channels))
        numbers = [float(x) for x in words[at + 6:]]
        assert len(numbers) == count * width
        self.clips = [{"name": "Motion", "times": [f * step_s for f in range(count)],
                       "frames": [self._joints(numbers[f * width:]) for f in range(count)]}]

    def _joints(self, numbers):
        joints, at = [], 0
        for offset, channels in zip(self.offsets, self.channels):
            place, turn = list(offset), [0.0, 0.0, 0.0, 1.0]
            for channel in channels:
                if channel.endswith("position"):
                    place["XYZ".index(channel[0])] = numbers[at]
                else:
                    turn = hamilton(turn, turned(channel[0].lower(), math.radians(numbers[at])))
                at += 1
            joints.append((place, turn))
        return joints

    def pose(self, clip, t):
        if clip is None:
            joints = [(offset, [0, 0, 0, 1]) for offset in self.offsets]
        else:
            frames = self.clips[clip]["frames"]
            k, u = span(self.clips[clip]["times"], t)
            joints = frames[k] if u == 0 else [(lerp(a[0], b[0], u), slerp(a[1], b[1], u))
                                               for a, b in zip(frames[k], frames[k + 1])]
        return scene_matrices(self.parents, [from_trs(p, q, [1, 1, 1]) for p, q in joints])

    def palettes(self, scene):
        return []

    def vertices(self, scene):
        return []
