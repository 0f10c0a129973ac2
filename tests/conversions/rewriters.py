"""Tools that read a GLB file and write it again. Each of TOOLS is a name and a function of a Workshop, of which files were to be written:
(source, the file to write) of each. It returns {source: error} of those that it could not write."""
from dataclasses import dataclass

from . import blender, original

STEPS = ("dedup", "prune", "weld", "quantize", "meshopt", "resample")  # of gltf-transform


@dataclass
class Workshop:
    """jobs: glb_jobs.GlbJobs or None. server: its root holds the sources; folder: for what tools need."""

    server: object
    jobs: object
    folder: object


def by_posed(**query):
    def write(shop, pairs):
        failed = {}
        for source, out in pairs:
            data, error = original.export(shop.server, str(source.relative_to(shop.server.root)), **query)
            if error:
                failed[source] = error["message"]
            else:
                out.write_bytes(data)
        return failed
    return write


def by_node(job, **parameters):
    def write(shop, pairs):
        failed = {}
        for source, out in pairs:
            try:
                shop.jobs.ask(job, file=source, out=out, **parameters)
            except RuntimeError as error:
                failed[source] = str(error)
        return failed
    return write


def by_blender(job):
    def write(shop, pairs):
        answers = blender.run([{"job": job, "file": str(source), "out": str(out)} for source, out in pairs], shop.folder)
        return {source: answer["error"][-300:] for (source, _), answer in zip(pairs, answers) if "error" in answer}
    return write


POSED = {
    "posed": by_posed(),
    "posed-meshopt": by_posed(compress="meshopt"),
    "posed-draco": by_posed(compress="draco"),
    "posed-fps60": by_posed(fps=60),
}
NODE = {
    "three": by_node("rewrite"),
    **{step: by_node("transform", steps=[step]) for step in STEPS},
    "gltf-transform": by_node("transform", steps=list(STEPS)),
    "gltfpack": by_node("pack", options=[]),
    "gltfpack-keep": by_node("pack", options=["-kn", "-km", "-ke", "-c"]),
}
BLENDER = {"blender": by_blender("bake"), "blender-keys": by_blender("rewrite")}
TOOLS = {**POSED, **NODE, **BLENDER}
AT_A_RATE = ("posed-fps60", "gltfpack", "gltfpack-keep", "blender")  # those that replace the keys by poses at a rate


def missing(tool, shop):
    """Why a tool cannot be used here, or None."""
    if tool in NODE and not shop.jobs:
        return "node or npm's registry is not here"
    if tool in BLENDER and not blender.program():
        return "Blender is not installed"
    return None
