"""A model on the server: its palettes, poses, meshes and pictures."""
from __future__ import annotations

from typing import Any, Dict, List, Optional, Protocol, Sequence, Tuple, Union

from .answer import Answer, Picture
from .arrays import Array
from .frames import Block, Frames
from .link import Link
from .parameters import REST
from .reconnect import Reconnect
from .stream import Stream, Watch

#: a clip: index, name, `REST`, or None: the model's first
Clip = Union[int, str, None]
#: a time in seconds, several, or a range "start:end:frames a second"
Times = Union[float, str, Sequence[Union[float, str]], None]
__all__ = ["Clip", "Mesh", "Model", "Part", "Pose", "REST", "Times"]


class Asker(Protocol):
    """The part of a client that a model needs."""

    def ask(self, path: str, /, **parameters: Any) -> Answer: ...
    def json(self, path: str, /, **parameters: Any) -> Any: ...
    def operation(self, op: str, **parameters: Any) -> Answer: ...
    def link(self, route: Optional[str] = None) -> Link: ...
    @property
    def reconnect(self) -> Reconnect: ...
    def forget(self, path: str) -> None: ...


class Pose:
    """Transforms of nodes. The first axis of arrays is the nodes if one time was requested, else the times.

    nodes          indices of the nodes, in the order of the arrays
    times          from the request, in seconds; clip_times: the resulting times inside the clip
    frames         the whole answer
    """

    def __init__(self, frames: Frames, is_single: bool) -> None:
        self.frames, self._frame = frames, 0 if is_single else None
        self.times, self.clip_times = frames.times, frames.clip_times
        kinds = [block.kind for block in frames.blocks]
        if "nodes" in kinds:
            self.nodes: Tuple[int, ...] = tuple(int(node) for node in frames.array(frames.find("nodes")))
        else:
            first = next(block for block in frames.blocks if block.kind in ("scene", "local"))
            self.nodes = tuple(range(first.count))

    @property
    def scene(self) -> Array:
        """scene_from_node, shape (.., nodes, 4, 4): row, column. Units of the file."""
        return self._array("scene")

    @property
    def local(self) -> Array:
        """parent_from_node as (.., nodes, 10): translation x y z, rotation x y z w, scale x y z. Ten zeros for a sheared node, whose matrix
        is in `local_matrix`."""
        return self._array("local")

    @property
    def local_matrix(self) -> Dict[int, Array]:
        """The matrices (.., 4, 4) of sheared nodes, by their position in `nodes`."""
        if not any(block.kind == "sheared" for block in self.frames.blocks):
            return {}
        matrices = self._array("local_matrix")
        places = [int(place) for place in self.frames.array(self.frames.find("sheared"))]
        if self._frame is not None:
            return {place: matrices[i] for i, place in enumerate(places)}
        return {place: [frame[i] for frame in matrices] for i, place in enumerate(places)}

    @property
    def root_motion(self) -> Array:
        """With `root_motion="extract"`, (.., 4): translation x y z since the start, and yaw in degrees."""
        array = self._array("root_motion")
        return array[0] if self._frame is not None else tuple(frame[0] for frame in array)

    def _array(self, kind: str) -> Array:
        return self.frames.array(self.frames.find(kind), self._frame)


class Part:
    """A primitive of a mesh node. `index` is its position in the answer; `node` and `primitive` identify it."""

    def __init__(self, frames: Frames, block: Block, frame: Optional[int]) -> None:
        self._frames, self._frame = frames, frame
        self.index, self.node, self.primitive, self.vertex_count = block.index, block.node, block.primitive, block.count

    @property
    def positions(self) -> Array:
        """(.., vertices, 3), scene space."""
        return self._array("positions")

    @property
    def normals(self) -> Array:
        """With `normals=True`: (.., vertices, 3), unit length."""
        return self._array("normals")

    @property
    def rest(self) -> Array:
        """With `rest=True`: (vertices, 3), as in the file."""
        return self._array("rest")

    @property
    def indices(self) -> Array:
        """With `indices=True`: (indices,), uint32, from 0 in every part."""
        return self._array("indices")

    @property
    def influence_firsts(self) -> Array:
        """With `weights=True`: (vertices + 1,), uint32: influences [firsts[v], firsts[v + 1]) move vertex v. There is at least one."""
        return self._array("influence_firsts")

    @property
    def influence_joints(self) -> Array:
        """With `weights=True`: (influences,), uint32, joints of the part's skin, in the order of its palette."""
        return self._array("influence_joints")

    @property
    def influence_weights(self) -> Array:
        """With `weights=True`: (influences,), float32; those of a vertex sum to 1."""
        return self._array("influence_weights")

    @property
    def dual_weights(self) -> Array:
        """With `weights=True`, for skins with the method `blended`: (vertices,), how much a vertex follows its dual quaternions."""
        return self._array("dual_weights")

    @property
    def rest_normals(self) -> Array:
        """With `attributes=True`: (vertices, 3), as in the file, or those of the faces."""
        return self._array("rest_normals")

    @property
    def texcoords(self) -> Array:
        """With `attributes=True`, if the file has them: (vertices, 2). `second_texcoords` is the same."""
        return self._array("texcoords")

    @property
    def second_texcoords(self) -> Array:
        return self._array("second_texcoords")

    @property
    def colors(self) -> Array:
        """With `attributes=True`, if the file has them: (vertices, 4), uint8, RGBA, linear."""
        return self._array("colors")

    @property
    def tangents(self) -> Array:
        """With `attributes=True`, if the file has them: (vertices, 4), xyz and the side of the bitangent."""
        return self._array("tangents")

    def _array(self, kind: str) -> Array:
        return self._frames.array(self._frames.find(kind, self.index), self._frame)


class Mesh:
    """Deformed vertices. The first axis of arrays is the vertices if one time was requested, else the times."""

    def __init__(self, frames: Frames, is_single: bool) -> None:
        self.frames, self.times, self.clip_times = frames, frames.times, frames.clip_times
        frame = 0 if is_single else None
        self.parts: List[Part] = [Part(frames, block, frame) for block in frames.blocks if block.kind == "positions"]

    @property
    def joint_from_bind(self) -> Dict[int, Array]:
        """With `weights=True`: the inverse bind matrices of each skin, by its index: (joints, 4, 4). palette = scene_from_joint @ these."""
        return self._of_skins("joint_from_bind")

    @property
    def joint_nodes(self) -> Dict[int, Array]:
        """With `weights=True`: the nodes of the joints of each skin, by its index: (joints,), uint32."""
        return self._of_skins("joint_nodes")

    def _of_skins(self, kind: str) -> Dict[int, Array]:
        return {block.index: self.frames.array(block) for block in self.frames.blocks if block.kind == kind}


class Model:
    """A model under the server's root. `Client.model` makes it, and sends no request.

    Other parameters go to the server, with the names of protocol/http.md (``from_``, ``to``, ``speed``, ``wrap``, ``root_motion``,
    ``layers``, ``clip_file``, ``hash``, ..). An unknown one is an error. Clips, skins, nodes and meshes are an index (int) or a name (str).
    Errors are `PosedError`.
    """

    def __init__(self, client: Asker, path: str) -> None:
        self.client, self.path = client, path

    def __repr__(self) -> str:
        return f"<posed.Model {self.path!r}>"

    def __enter__(self) -> "Model":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def close(self) -> None:
        """Close the handle of a binary connection. The next request opens another."""
        self.client.forget(self.path)

    def info(self, **options: Any) -> Dict[str, Any]:
        """Return the contents of the model: clips, nodes, skins, meshes, materials, warnings (protocol/answers.md, model)."""
        return dict(self.client.json("/v1/model", model=self.path, **options))

    def frames(self, kind: str, clip: Clip = None, t: Times = 0.0, **options: Any) -> Frames:
        """Return a palette, a pose or a mesh as binary frames: the server's whole answer."""
        return self.client.operation(kind, model=self.path, clip=clip, t=t, format="bin", **options).frames()

    def palette(self, clip: Clip = None, t: Times = 0.0, skin: Union[int, str] = 0, **options: Any) -> Array:
        """Return the skinning matrices scene_from_joint * joint_from_bind of one skin, which take its vertices from bind to scene space.

        They are float32, with the shape (joints, 4, 4) for one time, (times, joints, 4, 4) for a list or a range of times; row, column, for
        column vectors: ``palette[j] @ [x, y, z, 1]``. With `layout="mat3x4"` the last two axes are (3, 4), with `layout="dualquat"` (2, 4):
        real, dual. A NumPy array is a view on the answer's bytes, which nothing else uses. Without NumPy the result is nested tuples of the
        same shape. `space` is "scene", "root" or "mesh".
        """
        frames = self.frames("palette", clip, t, skin=skin, **options)
        return frames.array(frames.find("palette"), 0 if _is_single(t) else None)

    def palettes(self, clip: Clip = None, t: Times = 0.0, **options: Any) -> Dict[int, Array]:
        """Return the palettes of all skins (or of `skin=[..]`) at once, by the skin's index."""
        frames = self.frames("palette", clip, t, **options)
        frame = 0 if _is_single(t) else None
        return {block.index: frames.array(block, frame) for block in frames.blocks if block.kind == "palette"}

    def pose(self, clip: Clip = None, t: Times = 0.0, joints: Union[int, str, Sequence[Union[int, str]], None] = None,
             what: Union[str, Sequence[str], None] = None, **options: Any) -> Pose:
        """Return the transforms of all nodes, or of `joints` in the given order. `what`: "scene", "local" or both in a list."""
        return Pose(self.frames("pose", clip, t, joints=joints, what=what, **options), _is_single(t))

    def mesh(self, clip: Clip = None, t: Times = 0.0, **options: Any) -> Mesh:
        """Return the deformed vertices in scene space; `indices=True`, `normals=True`, `rest=True` add more; `mesh` selects one."""
        return Mesh(self.frames("mesh", clip, t, **options), _is_single(t))

    def glb(self, clip: Clip = None, t: Times = 0.0, **options: Any) -> bytes:
        """Return the posed model as a glTF file. `textures="none"` leaves textures out."""
        return bytes(self.client.operation("mesh", model=self.path, clip=clip, t=t, format="glb", **options).body)

    def export(self, **options: Any) -> bytes:
        """Return the whole model as a glTF file: skeleton, weights, clips. `clips`, `subtree`, `up`, `unit`, .. as in protocol/http.md."""
        return bytes(self.client.ask("/v1/export", model=self.path, **options).body)

    def bounds(self, clip: Clip = None, t: Times = None, **options: Any) -> Dict[str, Any]:
        """Return boxes around the posed model (protocol/answers.md, bounds); `over="clip"` for the whole clip."""
        return dict(self.client.json("/v1/bounds", model=self.path, clip=clip, t=t, **options))

    def hitboxes(self, fit: str = "capsule", **options: Any) -> Dict[str, Any]:
        """Return the volumes of the joints (protocol/hits.md): fitted capsules, boxes or spheres, or those of the model's hitbox file."""
        return dict(self.client.json("/v1/hitboxes", model=self.path, fit=fit, **options))

    def keypoints(self, clip: Clip = None, t: Times = 0.0, joints: Union[int, str, Sequence[Union[int, str]], None] = None,
                  points: Optional[Sequence[Dict[str, Any]]] = None, **options: Any) -> Dict[str, Any]:
        """Return where points of the model are in its picture, and whether they are visible (protocol/answers.md, keypoints): nodes, those of a
        human with `body="roles"` or `"openpose"`, and `points`, each a dict with `joint` and `offset` or with `mesh`, `triangle` and
        `barycentric`. The camera is that of `render()` with the same options."""
        return dict(self.client.json("/v1/keypoints", model=self.path, clip=clip, t=t, joints=joints, points=points, **options))

    def keys(self, clip: Clip = None, joints: Union[int, str, Sequence[Union[int, str]], None] = None, **options: Any) -> Dict[str, Any]:
        """Return the keys of a clip, or of all clips, as the model keeps them (protocol/answers.md, keys); `path` selects properties of
        nodes."""
        return dict(self.client.json("/v1/keys", model=self.path, clip=clip, joints=joints, **options))

    def check(self, clip: Clip = None, **options: Any) -> Dict[str, Any]:
        """Return what is wrong with the motion of a clip, or of all clips (protocol/http.md)."""
        return dict(self.client.json("/v1/check", model=self.path, clip=clip, **options))

    def flex(self, joint: Optional[Union[int, str]] = None, **options: Any) -> Dict[str, Any]:
        """Return what the skin does where a joint, or each joint, bends (protocol/rules/flex.md)."""
        return dict(self.client.json("/v1/flex", model=self.path, joint=joint, **options))

    def compare(self, old: str, clip: Clip = None, **options: Any) -> Dict[str, Any]:
        """Return the differences between this model and an older one, which is given by its path (protocol/compare.md). `clip`: only this
        one; `tolerance`: a share of the model's size."""
        return dict(self.client.json("/v1/compare", model=self.path, with_=old, clip=clip, **options))

    def texture(self, index: int, **options: Any) -> Picture:
        """Return a texture of the model as its own file, or with `textures="png"` as PNG, by its index in `info()["textures"]`."""
        return Picture.of(self.client.ask("/v1/texture", model=self.path, texture=index, **options))

    def render(self, clip: Clip = None, t: Times = None, **options: Any) -> Picture:
        """Return a picture (PNG): bytes, which a notebook shows. Without `t` the server chooses the time; `width`, `height`, `yaw`,
        `pitch`, `camera`, `background`, `view`, .. as in protocol/http.md. `camera` may be a dict: the camera by numbers, or that of a
        picture, ``json.loads(picture.headers["x-posed-camera"])``."""
        return Picture.of(self.client.operation("render", model=self.path, clip=clip, t=t, **options))

    def sheet(self, **options: Any) -> Picture:
        """Return several moments, clips or directions in one picture (`frames`, `clips`, `directions`, ..), or an animation
        (`format="webp"`). The positions of the cells: ``client.json("/v1/sheet", model=.., format="json", ..)``."""
        return Picture.of(self.client.ask("/v1/sheet", model=self.path, **options))

    def turntable(self, **options: Any) -> Picture:
        """Return the model from all sides, in one picture or as an animation."""
        return Picture.of(self.client.ask("/v1/turntable", model=self.path, **options))

    def stream(self, kind: str = "palette", clip: Clip = None, *, rate: float = 0.0, position_s: float = 0.0, speed: float = 1.0,
               credit: int = 1, paused: bool = False, timeout_s: Optional[float] = None, **options: Any) -> Stream:
        """Stream frames in real time: an iterator, on a connection of its own. See `Stream`.

        kind: "palette", "pose" or "mesh". rate: frames a second, 0: as fast as they are read. credit: how many the server may send ahead.
        More than 1 hides network latency, but a slow reader then gets up to credit - 1 old frames. timeout_s: how long to wait for a frame,
        None: forever. options: those of the method of the same name, `skin`, `joints`, `layout`, ..
        """
        return Stream(self._link, self.client.reconnect, self.path, kind, {"clip": clip, **options}, rate, position_s, speed, credit, paused, timeout_s)

    def watch(self, timeout_s: Optional[float] = None) -> Watch:
        """Report changes of the model's files: an iterator, on a connection of its own. See `Watch`."""
        return Watch(self._link, self.client.reconnect, self.path, timeout_s)

    def _link(self) -> Link:
        return self.client.link(self.path)


def _is_single(t: Times) -> bool:
    return t is None or isinstance(t, str) and ":" not in t and "," not in t or not isinstance(t, str) and not hasattr(t, "__len__")
