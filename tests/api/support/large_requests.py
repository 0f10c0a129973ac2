"""Requests of each kind near the greatest sizes that the limits allow, and models that make them expensive."""
import base64
import json
import math
import shutil
import struct

import crowds
import packets
import raycasts
from conftest import SAMPLES
from raw_requests import post

MODELS = ["robot.glb", "dragon.glb", "flat.gltf", "names.gltf", "volumes.gltf", "clips.gltf"]
TRIANGLES, NAMES, VOLUMES, ITEMS, ENTITIES, CLIPS = 250_000, 6000, 4096, 195_000, 8192, 20_000
CORNERS = struct.pack("<9f", -1, -1, 0, 1, -1, 0, 0, 1, 0)


def document(nodes, indices=b"", uses=()):
    """A glTF of one triangle that the nodes in `uses` draw; indices: u32 of its corners, repeated at will."""
    data = CORNERS + indices
    views = [{"buffer": 0, "byteLength": len(CORNERS)}]
    accessors = [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3", "min": [-1, -1, 0], "max": [1, 1, 0]}]
    primitive = {"attributes": {"POSITION": 0}}
    if indices:
        views.append({"buffer": 0, "byteOffset": len(CORNERS), "byteLength": len(indices)})
        accessors.append({"bufferView": 1, "componentType": 5125, "count": len(indices) // 4, "type": "SCALAR"})
        primitive["indices"] = 1
    for node in uses:
        nodes[node]["mesh"] = 0
    return json.dumps({
        "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": list(range(len(nodes)))}], "nodes": nodes,
        "meshes": [{"primitives": [primitive]}], "accessors": accessors, "bufferViews": views,
        "buffers": [{"uri": "data:application/octet-stream;base64," + base64.b64encode(data).decode(), "byteLength": len(data)}]})


def put_models(root):
    """All of MODELS."""
    for name in MODELS[:2]:
        shutil.copy(SAMPLES / name, root / name)
    flat = struct.pack("<3I", 0, 1, 2) * TRIANGLES
    (root / "flat.gltf").write_text(document([{"name": "all in one place"}], flat, [0]))
    names = [{"name": f"{n:04d}" + "n" * 4090} for n in range(NAMES)]
    (root / "names.gltf").write_text(document(names, uses=[0]))
    (root / "clips.gltf").write_text(many_clips())
    (root / "volumes.gltf").write_text(document([{"name": f"v{n}"} for n in range(VOLUMES)], uses=range(VOLUMES)))


def many_clips():
    """A triangle with clips whose names begin alike, each of two keys."""
    text = json.loads(document([{"name": "a"}], uses=[0]))
    data = CORNERS + struct.pack("<8f", 0, 1, 0, 0, 0, 1, 0, 0)
    text["buffers"] = [{"uri": "data:application/octet-stream;base64," + base64.b64encode(data).decode(), "byteLength": len(data)}]
    text["bufferViews"] += [{"buffer": 0, "byteOffset": len(CORNERS), "byteLength": 8}, {"buffer": 0, "byteOffset": len(CORNERS) + 8, "byteLength": 24}]
    text["accessors"] += [{"bufferView": 1, "componentType": 5126, "count": 2, "type": "SCALAR", "min": [0], "max": [1]},
                          {"bufferView": 2, "componentType": 5126, "count": 2, "type": "VEC3"}]
    text["animations"] = [{"name": "clip" * 20 + str(n), "channels": [{"sampler": 0, "target": {"node": 0, "path": "translation"}}],
                           "samplers": [{"input": 1, "output": 2}]} for n in range(CLIPS)]
    return json.dumps(text)


def rays(count, **more):
    """Rays down at everything near the origin, from slightly different places."""
    return [{"origin": [0.0001 * math.sin(r), 0.0001 * math.cos(r), 9], "direction": [0, 0, -1], **more} for r in range(count)]


def raycast_json(model, lines, **words):
    return json.dumps({"entities": [{"model": model}], "rays": lines, **words}).encode()


def raycast_binary(model, lines, **words):
    return raycasts.raycast([{"model": 0, "layers": []}], lines, [(model, 0)], **words)


def crowd(**lists):
    """A crowd of robots. lists: {part in small letters: its records as bytes}."""
    path = b"robot.glb"
    lists = {"model": crowds.record("MODEL", path_bytes=len(path)), "wanted": crowds.record("WANTED", what=0, skin=0), **lists}
    parts = {part: lists.get(part.lower(), b"") for part in crowds.ORDER}
    body = b"".join(parts.values()) + path
    counts = {crowds.COUNTS[part]: len(data) // crowds.BYTES[part] for part, data in parts.items()}
    return crowds.record("ASKED", magic=b"PSDC", version=1, size_bytes=64 + len(body), path_bytes=len(path), **counts) + body


def items(values):
    return struct.pack(f"<{len(values)}I", *values)


def shared_list():
    """Each entity wants the same list."""
    return crowd(entity=crowds.record("ENTITY") * ENTITIES, wanted=crowds.record("WANTED", what=0, skin=0, item_count=ITEMS),
                 wanted_item=items([1] * ITEMS))


def overlapping_lists():
    """Each entity has a list of its own, which is most of a shared list and ends with an item that does not exist."""
    count = 140_000
    return crowd(entity=b"".join(crowds.record("ENTITY", wanted=e) for e in range(ENTITIES)),
                 wanted=b"".join(crowds.record("WANTED", what=0, skin=0, first_item=e, item_count=count - e) for e in range(ENTITIES)),
                 wanted_item=items([1] * (count - 1) + [99_999]))


def shared_masks():
    """Masks with the same nodes."""
    count = 8000
    return crowd(entity=b"".join(crowds.record("ENTITY", first_layer=e, layer_count=1) for e in range(count)),
                 layer=b"".join(crowds.record("LAYER", mask=e) for e in range(count)),
                 mask=crowds.record("MASK", first_node=0, node_count=1024) * count,
                 mask_node=crowds.record("MASK_NODE", node=1, scope=0) * 1024)


def wrong_entities():
    return crowd(entity=b"".join(crowds.record("ENTITY", first_layer=e, layer_count=1) for e in range(ENTITIES)),
                 layer=b"".join(crowds.record("LAYER", clip=1000 + e) for e in range(ENTITIES)))


def plain_crowd():
    return crowd(entity=b"".join(crowds.record("ENTITY", first_layer=e, layer_count=1) for e in range(ENTITIES)),
                 layer=b"".join(crowds.record("LAYER", time_s=e / 100) for e in range(ENTITIES)))


def batch(**query):
    return json.dumps({"queries": [{"model": "dragon.glb", "clip": 0, "t": q / 99, **query} for q in range(256)]}).encode()


def moments(op, count=9999, **query):
    body = {"model": "robot.glb", "clip": 0, "t": [round(i / 1000, 3) for i in range(count)], **query}
    return f"/v1/{op}", json.dumps(body).encode()


def ask(server, way, target, body):
    """(whether it succeeded, the answer's bytes) over http, tcp or websocket. A crowd or a raycast other than JSON has packets of its own,
    everything else is a `call`."""
    if way == "http":
        answer = server.get(target) if body is None else post(server, target, body)
        assert answer.status in (200, 400, 413, 422), (answer.status, answer.body[:300])
        return answer.status == 200, answer.body
    kind = {b"PSDC": "crowd", b"PSDR": "raycast"}.get((body or b"")[:4], "call")
    with packets.Link(server.ports["tcp"]) if way == "tcp" else packets.WebSocketLink(server.address) as link:
        answer = link.ask(kind, packets.call(target, body and body.decode()) if kind == "call" else body)
        return answer.kind != "error", answer.payload


WAYS = "http", "tcp", "websocket"

# name: (target, body or None: GET). Each succeeds, or is refused as too much.
REQUESTS = {
    "crowd of one list": lambda: ("/v1/crowd", shared_list()),
    "crowd of many lists": lambda: ("/v1/crowd", overlapping_lists()),
    "crowd of masks": lambda: ("/v1/crowd", shared_masks()),
    "crowd of wrong entities": lambda: ("/v1/crowd", wrong_entities()),
    "crowd": lambda: ("/v1/crowd", plain_crowd()),
    "rays at entities that name clips": lambda: ("/v1/raycast", json.dumps({"rays": rays(1), "entities": [
        {"model": "clips.gltf", "layers": [{"clip": "clip" * 20 + str(n % CLIPS)}] * 2} for n in range(2000)]}).encode()),
    "batch of clips that are not there": lambda: ("/v1/query", json.dumps({"queries": [
        {"op": "bounds", "model": "clips.gltf", "clip": "clip" * 20 + "x"}] * 240}).encode()),
    "many rays": lambda: ("/v1/raycast", raycast_json("robot.glb", rays(5500))),
    "values": lambda: ("/v1/query", b'{"queries":[' + b"0," * 65000 + b"0]}"),
    "mesh": lambda: moments("mesh", 40, model="dragon.glb"),
    "batch of meshes": lambda: ("/v1/query", batch(op="mesh", clip=0)),
    "batch of a large mesh": lambda: ("/v1/query", json.dumps({"queries": [
        {"op": "mesh", "model": "dragon.glb", "clip": 0, "t": [t / 100 for t in range(60)]}]}).encode()),
    "rays at triangles": lambda: ("/v1/raycast", raycast_json("flat.gltf", rays(100), test="mesh")),
    "rays at triangles, binary": lambda: ("/v1/raycast", raycast_binary("flat.gltf", rays(390), test="mesh")),
    "balls at triangles": lambda: ("/v1/raycast", raycast_binary("flat.gltf", rays(40, radius=0.5), test="mesh")),
    "all hits of volumes": lambda: ("/v1/raycast", raycast_json("volumes.gltf", rays(25), hits="all")),
    "all hits of volumes, binary": lambda: ("/v1/raycast", raycast_binary("volumes.gltf", rays(1900), hits="all")),
    "balls at a robot": lambda: ("/v1/raycast", raycast_binary("robot.glb", rays(600, radius=0.5))),
    "names": lambda: ("/v1/model?model=names.gltf", None),
    "pose with names": lambda: ("/v1/pose?model=names.gltf&t=0", None),
    "hitboxes with names": lambda: ("/v1/hitboxes?model=names.gltf", None),
    "batch of poses": lambda: ("/v1/query", batch(op="pose")),
    "batch of palettes": lambda: ("/v1/query", batch(op="palette")),
    "batch of bounds": lambda: ("/v1/query", batch(op="bounds")),
    "batch of hitboxes": lambda: ("/v1/query", json.dumps({"queries": [{"op": "hitboxes", "model": "robot.glb"}] * 256}).encode()),
    "batch of unknown names": lambda: ("/v1/query", json.dumps({"queries": [{"op": "mesh", "animation_retargeting_factor_two": 1}] * 256}, separators=",:").encode()),
    "batch of empty layers": lambda: ("/v1/query", json.dumps({"queries": [
        {"op": "pose", "model": "robot.glb", "layers": [{}] * 12}] * 190}, separators=",:").encode()),
    "batch that a loop parses": lambda: ("/v1/query", json.dumps({"queries": [
        {"op": "pose", "model": "robot.glb", "layers": [{}] * 12}] * 75}, separators=",:").encode()),
    "estimate": lambda: moments("pose", estimate=True),
    "palettes": lambda: moments("palette"),
    "palettes, binary": lambda: moments("palette", format="bin"),
    "poses": lambda: moments("pose", 2000),
    "bounds": lambda: moments("bounds"),
    "keys": lambda: ("/v1/keys?model=dragon.glb&clip=0", None),
    "comparison": lambda: ("/v1/compare?model=dragon.glb&with=robot.glb", None),
    "export": lambda: ("/v1/export?model=dragon.glb", None),
}
