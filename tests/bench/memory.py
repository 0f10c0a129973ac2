"""The memory of a cached model without textures, compared with aiGetMemoryRequirements of assimp's scene of the same file; and its size on
disk, with textures, compared with that file."""
import json
import shutil
import struct
import subprocess

import imports
import peers
import poses
import skeletons

TITLE = "a model in memory, textures aside, and on disk, with them"
PIXELS = 28  # of server/anim/model/model_sections.def


def texture_bytes(baked):
    """The size of the pixels' section in a file of the disk cache: the bake follows its head (protocol/disk-cache.md, baked-model.md)."""
    data = baked.read_bytes()
    bake = (struct.unpack_from("<I", data, 12)[0] + 4095) // 4096 * 4096
    sections = struct.unpack_from("<I", data, bake + 12)[0]
    rows = [struct.unpack_from("<IIQQ", data, bake + 32 + 24 * i) for i in range(sections)]
    return sum(item_bytes * count for kind, item_bytes, _, count in rows if kind == PIXELS)


def run(bench):
    root, cache = bench.make_folder("memory"), bench.make_folder("memory-cache")
    paths = [bench.samples / "robot.glb", *bench.others(*imports.OTHERS)]
    for path in paths:
        for one in path.parent.iterdir() if path.suffix == ".md5mesh" else [path]:
            shutil.copy(one, root)
    for joints in (24, 1000):
        (root / f"rig_{joints}.glb").write_bytes(skeletons.glb(joints))
        paths.append(root / f"rig_{joints}.glb")
    server = peers.conftest.Server(root, "--log", "off", "--render-workers", "0", "--cache-dir", str(cache))
    try:
        for path in paths:
            before = server.json("/v1/stats")["cache"]["bytes"]
            baked = poses.bake(server, cache, path.name)
            ours = server.json("/v1/stats")["cache"]["bytes"] - before - texture_bytes(baked)
            bench.add_exact("memory", f"{path.name}, in --cache-dir", "bytes", baked.stat().st_size, "its file", path.stat().st_size, is_share=True,
                            headline=path.name in ("Fox.glb", "robot.glb"))
            scene = subprocess.run([peers.PROGRAMS / "assimp_scene", root / path.name], stdout=subprocess.PIPE, check=True)
            theirs = json.loads(scene.stdout)["bytes"]
            bench.add_exact("memory", path.name, "bytes", ours, "assimp", theirs, target="memory", is_share=True,
                            headline=path.name in ("Fox.glb", "robot.glb", "rig_1000.glb"))
    finally:
        server.end()
