"""A DirectX X evaluator written from the format (Microsoft, "X File Format Reference", text form).

- Matrices are for row vectors and stored by row: read by column, they are matrices for column vectors.
- A Frame's matrix is relative to the enclosing frame. SkinWeights' matrix takes the mesh to the bone, and the mesh's own frame
  does not count for a skinned mesh.
- Keys of type 0 are rotations, w x y z, of the opposite sense; 1 scales; 2 positions; 4 matrices. AnimTicksPerSecond gives the time.
- Between keys, rotations are interpolated on the shorter arc, positions and scales linearly.
- The format is left-handed. posed's answers are right-handed: every z is negated.
"""
import re

from matrices import IDENTITY, from_flat, from_trs, lerp, multiply, scaling, scene_matrices, skinned, slerp, span, transform

MIRROR = scaling([1, 1, -1])
TICKS_PER_S = 25  # if a file does not say it


class Block:
    def __init__(self, kind, name):
        self.kind, self.name, self.numbers, self.texts, self.blocks, self.references = kind, name, [], [], [], []

    def all(self, kind):
        return [block for block in self.blocks if block.kind == kind]


def parse(text):
    text = text.split("\n", 1)[1]
    tokens = re.findall(r'"[^"]*"|[{}]|[^\s;,{}"]+', re.sub(r"(#|//)[^\n]*", "", text))
    top, stack, words = Block("top", ""), [], []
    current = top
    for token in tokens:
        if token == "{":
            stack.append(current)
            current = Block(words[0] if words else "reference", words[1] if len(words) > 1 else "")
            words = []
        elif token == "}":
            if current.kind == "reference":
                stack[-1].references += words
            else:
                stack[-1].blocks.append(current)
            current, words = stack.pop(), []
        elif token[0] == '"':
            current.texts.append(token[1:-1])
        elif re.fullmatch(r"[-+0-9.e]+", token):
            current.numbers.append(float(token))
        else:
            words.append(token)
    return top


class Model:
    def __init__(self, path):
        top = parse(path.read_text(encoding="utf-8"))
        self.nodes, self.parents, self.local, self.meshes = [], [], [], []
        for frame in top.all("Frame"):
            self._frame(frame, -1)
        rates = top.all("AnimTicksPerSecond")
        rate = rates[0].numbers[0] if rates else TICKS_PER_S
        self.clips = [self._clip(one, rate) for one in top.all("AnimationSet")]

    def _frame(self, block, parent):
        n = len(self.nodes)
        self.nodes.append(block.name)
        self.parents.append(parent)
        matrices = block.all("FrameTransformMatrix")
        self.local.append(from_flat(matrices[0].numbers) if matrices else IDENTITY)
        for mesh in block.all("Mesh"):
            count = int(mesh.numbers[0])
            points = [mesh.numbers[1 + 3 * i:4 + 3 * i] for i in range(count)]
            self.meshes.append((n, points, mesh.all("SkinWeights")))
        for child in block.all("Frame"):
            self._frame(child, n)

    def _clip(self, block, rate):
        channels, times = {}, set()
        for animation in block.all("Animation"):
            paths = {}
            for keys in animation.all("AnimationKey"):
                kind, count = int(keys.numbers[0]), int(keys.numbers[1])
                rows, at = [], 2
                for _ in range(count):
                    width = int(keys.numbers[at + 1])
                    rows.append((keys.numbers[at] / rate, keys.numbers[at + 2:at + 2 + width]))
                    at += 2 + width
                paths[kind] = rows
                times.update(t for t, _ in rows)
            channels[self.nodes.index(animation.references[0])] = paths
        return {"name": block.name, "times": sorted(times), "channels": channels}

    @staticmethod
    def _sample(rows, t, mix):
        k, u = span([time for time, _ in rows], t)
        return rows[k][1] if u == 0 else mix(rows[k][1], rows[k + 1][1], u)

    def pose(self, clip, t):
        local = list(self.local)
        for n, paths in (self.clips[clip]["channels"] if clip is not None else {}).items():
            w, x, y, z = self._sample(paths[0], t, slerp)
            local[n] = from_trs(self._sample(paths[2], t, lerp), [-x, -y, -z, w], self._sample(paths[1], t, lerp))
        return [multiply(MIRROR, scene, MIRROR) for scene in scene_matrices(self.parents, local)]

    def _palette(self, scene, skins):
        """By joint: scene_from_joint * joint_from_bind."""
        return {skin.texts[0]: multiply(scene[self.nodes.index(skin.texts[0])], MIRROR,
                                        from_flat(skin.numbers[-16:]), MIRROR) for skin in skins}

    def palettes(self, scene):
        return [self._palette(scene, skins) for _, _, skins in self.meshes if skins]

    def vertices(self, scene):
        found = []
        for node, points, skins in self.meshes:
            palette = self._palette(scene, skins)
            for v, point in enumerate(points):
                influences = []
                for skin in skins:
                    count = int(skin.numbers[0])
                    places = [int(x) for x in skin.numbers[1:1 + count]]
                    if v in places:
                        influences.append((skin.texts[0], skin.numbers[1 + count + places.index(v)]))
                rest = transform(MIRROR, point)
                found.append((rest, skinned(influences, palette, rest) if skins else transform(scene[node], rest)))
        return found
