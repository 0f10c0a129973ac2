"""An SMD evaluator written from the format (Valve's StudioMdl data, version 1).

- `nodes`: index, name, parent. `skeleton`: for each `time` (a frame number) position and Euler angles in radians of the bones, relative
  to their parents: about x first, then y, then z. A bone that a frame omits stays as it was. Time 0 is the bind pose.
- `triangles`: vertices in model space in the bind pose, with links (bone, weight). If the weights sum to less than 1, the bone at the
  line's start gets the rest.
- A file has no frame rate. This evaluator plays 25 frames a second, as posed's importer does, with a warning.
- Between frames, positions are interpolated linearly and rotations on the shorter arc.
"""
from matrices import from_trs, hamilton, inverse, lerp, multiply, scene_matrices, skinned, slerp, span, turned

FRAMES_PER_S = 25


class Model:
    up = [0, 0, 1]

    def __init__(self, path):
        lines = iter(path.read_text(encoding="utf-8").splitlines())
        self.nodes, self.parents, self.corners = [], [], []
        frames = []
        for line in lines:
            section = line.strip()
            if section in ("nodes", "skeleton", "triangles"):
                body = []
                for line in lines:
                    if line.strip() == "end":
                        break
                    body.append(line)
                if section == "nodes":
                    for row in body:
                        _, name, parent = row.split('"')[0], row.split('"')[1], row.split('"')[2]
                        self.nodes.append(name)
                        self.parents.append(int(parent))
                elif section == "skeleton":
                    frames = self._frames(body)
                else:
                    self._corners(body)
        self.bind = scene_matrices(self.parents, [from_trs(p, q, [1, 1, 1]) for p, q in frames[0][1]])
        self.clips = [{"name": None, "times": [f / FRAMES_PER_S for f, _ in frames], "frames": [joints for _, joints in frames]}]

    def _frames(self, body):
        frames = []
        for row in body:
            words = row.split()
            if words[0] == "time":
                frames.append((int(words[1]), list(frames[-1][1]) if frames else [None] * len(self.nodes)))
                continue
            x, y, z = (float(word) for word in words[4:7])
            turn = hamilton(turned("z", z), hamilton(turned("y", y), turned("x", x)))
            frames[-1][1][int(words[0])] = ([float(word) for word in words[1:4]], turn)
        return frames

    def _corners(self, body):
        for row in body:
            words = row.split()
            if len(words) < 9:
                continue
            links = [(int(words[10 + 2 * i]), float(words[11 + 2 * i])) for i in range(int(words[9]))] if len(words) > 9 else []
            lacking = 1 - sum(weight for _, weight in links)
            if lacking > 1e-6:
                links.append((int(words[0]), lacking))
            self.corners.append(([float(word) for word in words[1:4]], links))

    def pose(self, clip, t):
        if clip is None:
            return self.bind
        frames = self.clips[clip]["frames"]
        k, u = span(self.clips[clip]["times"], t)
        joints = frames[k] if u == 0 else [(lerp(a[0], b[0], u), slerp(a[1], b[1], u)) for a, b in zip(frames[k], frames[k + 1])]
        return scene_matrices(self.parents, [from_trs(p, q, [1, 1, 1]) for p, q in joints])

    def _palette(self, scene):
        return [multiply(a, inverse(b)) for a, b in zip(scene, self.bind)]

    def palettes(self, scene):
        return [dict(zip(self.nodes, self._palette(scene)))]

    def vertices(self, scene):
        palette = self._palette(scene)
        return [(p, skinned(links, palette, p)) for p, links in self.corners]
