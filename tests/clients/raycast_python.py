"""The casts of raycast_scene.py with the Python client: raycast_python.py ADDRESS SCENE [objects]. With `objects` rays and targets are
objects, and hits are read one by one. Without it they are NumPy arrays."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "clients" / "python"))
import numpy  # noqa: E402

import posed  # noqa: E402
from crowd_python import entities_of, masks_of  # noqa: E402
from raycast_scene import Scene, line_of  # noqa: E402


def arrays_of(scene):
    """Targets and rays."""
    targets = numpy.zeros(len(scene.targets), posed.target_dtype())
    if scene.targets:
        targets["begin"], targets["end"], targets["mask"] = (list(column) for column in zip(*scene.targets))
    if not scene.rays:
        return targets, numpy.zeros(0, posed.ray_dtype())
    columns = {name: [ray[name] for ray in scene.rays] for name in scene.rays[0]}
    return targets, posed.rays(columns.pop("origin"), columns.pop("direction"), **columns)


def lines_of(hits, is_of_objects):
    if is_of_objects:
        return [line_of(hit[:6], [hit.distance, *hit.point, *hit.normal, *hit.barycentric]) for hit in hits]
    heads = numpy.column_stack([hits.ray, hits.entity, hits.node, hits.part, hits.triangle, hits.inside])
    bits = numpy.column_stack([hits.distance, hits.point, hits.normal, hits.barycentric]).view("<u4")
    return [" ".join([*map(str, head), *(f"{word:08x}" for word in row)]) for head, row in zip(heads.tolist(), bits.tolist())]


def main(address, path, form=""):
    scene = Scene(pathlib.Path(path).read_text(encoding="utf-8"))
    targets, rays = arrays_of(scene)
    if form == "objects":
        targets, rays = [posed.Target(*target) for target in scene.targets], [posed.Ray(**ray) for ray in scene.rays]
    with posed.connect(address) as client:
        for fit, test, which in scene.casts:
            try:
                hits = client.raycast_crowd(scene.models, entities_of(scene), rays, targets=targets, fit=fit, test=test, hits=which,
                                            masks=masks_of(scene), wanted=[posed.Wanted(**one) for one in scene.wanted])
            except posed.PosedError as error:
                print("error", error.code, error.message)
                return 1
            print("cast", fit, test, which, len(hits))
            print("\n".join(lines_of(hits, form == "objects")) + "\n" * bool(len(hits)), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
