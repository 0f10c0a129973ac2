"""A BVH evaluator written from the format (Biovision hierarchical data; Meredith and Maddock, "Motion capture file formats
explained", 2001): a joint stands at its OFFSET and is turned by its rotation channels in the order in which they stand (the
first is the outermost), in degrees. Frame f is at f * Frame Time.

Readers disagree about a joint that has an OFFSET and position channels. Here the channels stand for the OFFSET, as recording
programs write them and Blender reads them. They also disagree about the number of frames where the file has others than it says;
here all whole frames count. Without a frame time there are 30 frames a second. End sites, which have no name, are called by their joint.

The format says nothing about times between frames. Here positions go straight and rotations on the shorter arc.
"""
import math
import re

from matrices import from_trs, hamilton, lerp, scene_matrices, slerp, span, turned

# A name ends with its line or at a brace, and may have blanks. A match of this kind begins where the last one ended.
PARTS = re.compile(r"\s*(?:(?:ROOT|JOINT)[ \t]+(?P<name>[^\r\n{]*?)\s*\{|(?P<end>End\s+Site)\s*\{|OFFSET\s+(?P<offset>\S+\s+\S+\s+[^\s}]+)"
                   r"|CHANNELS\s+(?P<count>\d+)(?P<channels>(?:\s+[XYZ](?:position|rotation))*)|(?P<close>\})|(?P<motion>MOTION))", re.I)
FRAMES = re.compile(r"Frames:\s*(-?\d+)", re.I)
FRAME_TIME = re.compile(r"Frame[ \t]*Time:[ \t]*(\S*)", re.I)


class Model:
    def __init__(self, path):
        text = path.read_bytes().decode("utf-8-sig")
        self.nodes, self.parents, self.offsets, self.channels = [], [], [], []
        motion = self._hierarchy(text)
        step = FRAME_TIME.search(text, motion)
        step_s = float(step[1] or 0) if step else 0.0
        values = text[max(match.end() for match in (step, FRAMES.search(text, motion)) if match):]
        numbers = [float(x) for x in values.split()]
        width = sum(map(len, self.channels))
        count = len(numbers) // width
        step_s = step_s if step_s > 0 else 1 / 30
        self.clips = [{"name": "Motion", "times": [f * step_s for f in range(count)],
                       "frames": [self._joints(numbers[f * width:]) for f in range(count)]}] if count else []

    def _hierarchy(self, text):
        """Returns where the motion begins."""
        above, at = [], re.match(r"\s*HIERARCHY", text, re.I).end()
        while True:
            part = PARTS.match(text, at)
            at = part.end()
            if part["motion"]:
                return at
            if part["close"]:
                above.pop()
            elif part["offset"]:
                self.offsets[above[-1]] = [float(x) for x in part["offset"].split()]
            elif part["count"]:
                self.channels[above[-1]] = part["channels"].split()
                assert len(self.channels[above[-1]]) == int(part["count"])
            else:
                self.nodes.append(f"EndSite_{self.nodes[above[-1]]}" if part["end"] else part["name"])
                self.parents.append(above[-1] if above else -1)
                self.offsets.append([0.0, 0.0, 0.0])
                self.channels.append([])
                above.append(len(self.nodes) - 1)

    def _joints(self, numbers):
        joints, at = [], 0
        for offset, channels in zip(self.offsets, self.channels):
            place, turn = list(offset), [0.0, 0.0, 0.0, 1.0]
            for channel in channels:
                axis = channel[0].lower()
                if channel.lower().endswith("position"):
                    place["xyz".index(axis)] = numbers[at]
                else:
                    turn = hamilton(turn, turned(axis, math.radians(numbers[at])))
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
