"""rich.gltf: a glTF file with everything that posed itself does not use: copyright, extras, scenes, extensions of others, markers.

Scene 1 is shown. Node 1 draws mesh 0, whose vertices have three sets of texture coordinates; nodes 4 and 5 draw mesh 1 and are in
scenes of their own. Node 2 has a light and a camera, and a clip moves it."""
import json
import pathlib

PATH = pathlib.Path(__file__).with_name("rich.gltf")


def document():
    return json.loads(PATH.read_text())


def text(**changes):
    """The file, with other members at its top."""
    return json.dumps({**document(), **changes})
