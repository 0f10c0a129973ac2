"""The crowd of crowd_scene.py with the Python client: crowd_python.py ADDRESS SCENE."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "clients" / "python"))
import posed  # noqa: E402
from crowd_scene import Scene, line_of  # noqa: E402
from posed.crowd import CrowdPose, Entity, Layer, Mask, Wanted  # noqa: E402


def masks_of(scene):
    return [Mask(*([node for word, node in mask if word == scope] for scope in ("node", "subtree", "except"))) for mask in scene.masks]


def entities_of(scene):
    return [Entity([Layer(**layer) for layer in entity["layers"]], entity["model"], entity["wanted"], entity["layout"], entity["world"])
            for entity in scene.entities]


def main(address, path):
    scene = Scene(pathlib.Path(path).read_text(encoding="utf-8"))
    with posed.connect(address) as client:
        crowd = client.crowd(scene.models, entities_of(scene), masks=masks_of(scene), wanted=[Wanted(**one) for one in scene.wanted],
                             poses=[CrowdPose(pose) for pose in scene.poses])
    floats = memoryview(crowd.floats).cast("B")
    at = 0
    for i, count in enumerate(crowd.counts):
        size = count * {"mat4": 64, "mat3x4": 48, "dualquat": 32}[scene.entities[i]["layout"]]
        print(f"{i} error {crowd.errors[i].code}" if i in crowd.errors else line_of(i, count, floats[at:at + size]))
        at += size
    print(line_of("all", len(floats), floats))


if __name__ == "__main__":
    main(*sys.argv[1:])
