"""An FBX evaluator for ASCII files of versions 6 and 7, written from Autodesk's documents (FBX SDK help: "Computing transformation matrices",
FbxNode, FbxAnimLayer, FbxAnimCurve, FbxCluster, FbxSkin, FbxBlendShapeChannel) and from what files of their programs hold.

- fbx_ascii reads the file, fbx_curves and fbx_takes say what a property is at a time, fbx_transforms where nodes are, fbx_deform where vertices are.
- A take is the part LocalStart..LocalStop of one time line: clip time 0 is LocalStart.
- Nodes are the file's Models in the file's order. Scene space is the file's own: unit and axes are reported, not applied.
"""
import fbx_deform
import fbx_takes
import fbx_transforms
from fbx_ascii import Scene
from matrices import multiply, transform


class Model:
    def __init__(self, path):
        self.scene = Scene(path.read_text(encoding="utf-8"))
        settings = self.scene.settings
        number = lambda name, fallback: settings[name][0] if name in settings else fallback
        self.unit_m = number("UnitScaleFactor", 1) / 100
        self.up = [int(number("UpAxisSign", 1)) * (axis == number("UpAxis", 1)) for axis in range(3)]
        self.models = [o for o in self.scene.objects.values() if o.kind == "Model"]
        self.node_of = {o.id: n for n, o in enumerate(self.models)}
        self.nodes = [o.name for o in self.models]
        self.parents = [self._parent(o) for o in self.models]
        self.inherit = [int(o.number("InheritType", 1)) for o in self.models]
        self.takes = fbx_takes.read(self.scene)
        self.clips = [self._clip(take) for take in self.takes]
        self.meshes = [(n, g) for n, o in enumerate(self.models) for g, _ in self.scene.below(o.id, "Geometry", "Mesh")]
        self.clip, self.time = None, 0.0
        rest = self.pose(None, 0.0)
        self.skins = {g.id: self._skin(n, g, rest) for n, g in reversed(self.meshes)}

    def _parent(self, model):
        return next((self.node_of[parent] for parent, prop in self.scene.above(model.id) if parent in self.node_of and not prop), -1)

    def _clip(self, take):
        length = take.end - take.begin
        keys = [t - take.begin for t in take.key_times()]
        return {"name": take.name, "times": sorted({0.0, length} | {t for t in keys if 0 < t < length}), "begin": take.begin}

    def _skin(self, n, geometry, rest):
        found = self.scene.below(geometry.id, "Deformer", "Skin")
        return fbx_deform.Skin(self.scene, found[0][0], self.node_of, self.models[n], rest) if found else None

    def value(self, obj, prop, fallback):
        """A property's numbers at the time of the last pose()."""
        static = obj.vector(prop, fallback)
        return self.takes[self.clip].at(obj, prop, static, self.time) if self.clip is not None else static

    def pose(self, clip, t):
        """t from the beginning of the clip. Blend shapes of palettes() and vertices() use the same time."""
        self.clip, self.time = clip, t + (self.takes[clip].begin if clip is not None else 0.0)
        local = [fbx_transforms.Local(o, lambda prop, fallback=(0, 0, 0), o=o: self.value(o, prop, fallback)) for o in self.models]
        return fbx_transforms.scene_matrices(self.parents, local, self.inherit)

    def palettes(self, scene):
        """{joint's name: matrix} of each skinned mesh."""
        return [{self.nodes[node]: m for (node, _, _), m in zip(skin.clusters, skin.palette(scene))}
                for skin in (self.skins[g.id] for _, g in self.meshes) if skin]

    def vertices(self, scene):
        """(control point, its place) of each mesh of each node. The point is as in the mesh: without a skin, after the geometric transform.
        """
        found = []
        for n, geometry in self.meshes:
            numbers = [float(x) for x in geometry.record.array("Vertices")]
            points = [numbers[v:v + 3] for v in range(0, len(numbers) - 2, 3)]
            shaped = fbx_deform.Shapes(self.scene, geometry).moved(
                points, lambda channel: self.value(channel, "DeformPercent", (channel.record.value("DeformPercent", 0.0),))[0])
            node_from_mesh = fbx_transforms.geometric(self.models[n])
            own, skin = multiply(scene[n], node_from_mesh), self.skins[geometry.id]
            placed = skin.moved(shaped, skin.palette(scene), own) if skin else [transform(own, p) for p in shaped]
            found += list(zip(points if skin else [transform(node_from_mesh, p) for p in points], placed))
        return found
