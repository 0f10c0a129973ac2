"""The models that tests/soak rewrites: small scenes, the samples, and animated models of ../shared of several formats, each as a GLB file."""
import pathlib
import shutil

import conftest
import rewritten_scenes
import small_scenes

from . import glb_file, original

SHARED = pathlib.Path(__file__).resolve().parents[3] / "shared" / "models"
SAMPLES = ("dragon", "octopus", "robot")
# glTF with skins, morph targets and all interpolations; FBX, BVH and COLLADA, of which posed makes the GLB file.
OTHERS = ("gltf/Fox.glb", "gltf/cesium_man.gltf", "gltf/MorphStressTest.gltf", "gltf/box_animated.gltf", "gltf/rigged_simple.gltf",
          "adversarial/a_cubic_skin.gltf", "adversarial/m_morph_and_skin.gltf", "fbx/huesitos.fbx",
          "fbx_ufbx/maya_game_sausage_7500_binary_combined.fbx", "bvh/01_01.bvh", "dae/ozz_astro_max.dae")


def scenes(root):
    """Paths of the small scenes, written below root."""
    for name, make in rewritten_scenes.SCENES.items():
        (root / f"{name}.glb").write_bytes(small_scenes.glb(make()))
    return [root / f"{name}.glb" for name in rewritten_scenes.SCENES]


def models(server, root):
    """(the GLB file below root, the source that posed converted into it or None) of each. Without ../shared: of the samples only."""
    found = [(root / f"{name}.glb", None) for name in SAMPLES]
    for path, _ in found:
        shutil.copy(conftest.SAMPLES / path.name, path)
    for source in [SHARED / name for name in OTHERS] if SHARED.is_dir() else []:
        path = root / f"{source.stem}.glb"
        if source.suffix in (".glb", ".gltf"):
            path.write_bytes(source.read_bytes() if source.suffix == ".glb" else glb_file.packed(source))
            found.append((path, None))
            continue
        copied = root / source.name
        copied.write_bytes(source.read_bytes())
        data, error = original.export(server, str(copied.relative_to(server.root)))
        if error:
            raise RuntimeError(f"{source.name}: {error['message']}")
        path.write_bytes(data)
        found.append((path, copied))
    return found
