"""How soon a restarted server answers: from its disk cache, compared with an import. disk_cache.py has more models."""
import shutil
import time

import disk_cache

TITLE = "first palette after a restart, from the ready line on"


def run(bench):
    root, cache = bench.make_folder("restarts"), bench.folder / "restarts-cache"
    paths = [bench.samples / "robot.glb", *bench.others("gltf/Fox.glb", "fbx/ozz_run.fbx")]
    for path in paths:
        shutil.copy(path, root)
    time.sleep(2.1)  # files that changed within two seconds before an import are hashed at the next start (disk_load.c)
    for path in paths:
        once = lambda *options, name=path.name: disk_cache.first_palette(root, name, *options)
        once("--cache-dir", str(cache))
        rounds = bench.interleave({"disk": lambda: once("--cache-dir", str(cache)), "import": lambda: once("--cache-dir", "none")})
        if any(row["disk"][0][1]["disk"]["hits"] != 1 for row in rounds.rows):
            raise SystemExit(f"{path.name} did not come from the disk cache")
        ms = lambda found: found[0]
        bench.add("restarts", path.name, "ms", rounds.figure("disk", ms), "import", rounds.figure("import", ms), rounds.ratio("import", "disk", ms),
                  headline=path.stem in ("robot", "Fox"))
