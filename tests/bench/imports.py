"""The time until a model is available, compared with assimp's own import of the same file, in a program and on the command line."""
import json
import shutil
import subprocess
import time

import fbx_kinds
import fbx_rigs
import peers
import skeletons

TITLE = "from a file to a model"
OTHERS = ("gltf/Fox.glb", "gltf/cesium_man.gltf", "md5/Bob.md5mesh", "fbx/ozz_run.fbx", "dae/ozz_astro_max.dae", "bvh/01_01.bvh")
COPIES = 16
HEADLINES = ("Fox.glb", "ozz_run.fbx")


def make_models(bench):
    """{file: folder of copies}: a server imports each copy once. The folders are named 0, 1, ..."""
    root = bench.make_folder("imports")
    sources = [bench.samples / "robot.glb", *bench.others(*OTHERS)]
    (bench.folder / "rig_300.glb").write_bytes(skeletons.glb(300))
    sources.append(bench.folder / "rig_300.glb")
    for copy in range(COPIES):
        for path in sources:
            folder = root / str(copy) / path.stem
            folder.mkdir(parents=True)
            companions = path.parent.iterdir() if path.suffix == ".md5mesh" else [path]
            for one in companions:
                shutil.copy(one, folder)
    return root, {path.name: f"{path.stem}/{path.name}" for path in sources}


def import_ms(server, model):
    """For a running server: from the request to the answer, with process start, sandbox and checks."""
    with server.connect() as connection:
        begin = time.perf_counter()
        answer = connection.get(f"/v1/model?model={model}")
        ms = (time.perf_counter() - begin) * 1e3
    if answer.status != 200:
        raise SystemExit(f"{model}: {answer.body}")
    return ms


def assimp_ms(path):
    """The time of assimp's Importer::ReadFile in a program of its own."""
    return json.loads(subprocess.run([peers.PROGRAMS / "assimp_scene", path], stdout=subprocess.PIPE, check=True).stdout)["ms"]


def fbx_reader(path):
    """The cost of posed's own FBX reader in a program of its own: milliseconds and bytes (import_fbx.c)."""
    return json.loads(subprocess.run([peers.PROGRAMS / "import_fbx", path], stdout=subprocess.PIPE, check=True).stdout)


FBX_MEMORY_SLACK_BYTES = 16 << 20


def run_fbx(bench):
    """The reader alone compared with assimp's ReadFile, in turn, and its peak of memory compared with its limit."""
    rig = bench.folder / "rig_30000.fbx"
    rig.write_bytes(fbx_rigs.rig(seconds=10.0) if bench.is_quick else fbx_rigs.rig())
    for path in [*bench.others("fbx/ozz_run.fbx"), rig]:
        rounds = bench.interleave({"posed": lambda: fbx_reader(path)["ms"], "assimp": lambda: assimp_ms(path)})
        bench.add("imports", f"{path.name}, the reader alone", "ms", rounds.figure("posed"), "assimp, in-process", rounds.figure("assimp"),
                  rounds.ratio("assimp", "posed"))
        sizes = fbx_reader(path)
        bench.add_exact("imports", f"{path.name}, peak above an idle importer", "bytes", sizes["bytes"],
                        "2 x arrays + model + 16 MiB", 2 * sizes["arrays"] + sizes["baked"] + FBX_MEMORY_SLACK_BYTES, is_share=True)


def run_fbx_kinds(bench):
    """The reader alone, by processor time, on files that are large in one way each, compared with assimp's ReadFile."""
    for path in fbx_kinds.write_all(bench.folder).values():
        rounds = bench.interleave({"posed": lambda: fbx_reader(path)["cpu_ms"], "assimp": lambda: assimp_ms(path)})
        bench.add("imports", f"{path.name}, the reader's processor time", "ms", rounds.figure("posed"), "assimp, in-process",
                  rounds.figure("assimp"), rounds.ratio("assimp", "posed"))
        bench.add_exact("imports", f"{path.name}, peak above an idle importer", "bytes", fbx_reader(path)["bytes"])


def cold_ms(root, model):
    """From the start of a server to the last byte of the first palette, or, for models without a skin, of the first pose."""
    begin = time.perf_counter()
    server = peers.conftest.Server(root, "--log", "off", "--render-workers", "0")
    try:
        answer = server.get(f"/v1/palette?model={model}&format=bin")
        if answer.status != 200:
            answer = server.get(f"/v1/pose?model={model}&format=bin")
        ms = (time.perf_counter() - begin) * 1e3
        if answer.status != 200:
            raise SystemExit(f"{model}: {answer.body}")
        return ms
    finally:
        server.end()


def tool_ms(path):
    """The command `assimp info`: process start, import, a page of text."""
    begin = time.perf_counter()
    subprocess.run([peers.program("assimp"), "info", path], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    return (time.perf_counter() - begin) * 1e3


def run(bench):
    run_fbx(bench)
    run_fbx_kinds(bench)
    root, models = make_models(bench)
    server = peers.conftest.Server(root, "--log", "off", "--render-workers", "0")
    try:
        for name, model in models.items():
            copies = iter(range(COPIES))
            import_ms(server, f"{next(copies)}/{model}")
            path = root / "0" / model
            rounds = bench.interleave({
                "posed": lambda: import_ms(server, f"{next(copies)}/{model}"), "assimp": lambda: assimp_ms(path),
                "cold": lambda: cold_ms(root, f"0/{model}"), "tool": lambda: tool_ms(path)})
            first = name in HEADLINES
            bench.add("imports", f"{name}, sandboxed import in a server", "ms", rounds.figure("posed"), "assimp, in-process", rounds.figure("assimp"),
                      rounds.ratio("assimp", "posed"), headline=first)
            bench.add("imports", f"{name}, cold start to the first palette", "ms", rounds.figure("cold"), "assimp info", rounds.figure("tool"),
                      rounds.ratio("tool", "cold"), headline=first)
    finally:
        server.end()
