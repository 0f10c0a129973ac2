"""Small files for every reader of the importer, and the bytes of their imports, as in the disk cache."""
import hashlib
import json
import pathlib
import shutil
import struct
import sys

from conftest import SAMPLES

TOP = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(TOP / "tests/oracle"))
sys.path.insert(0, str(TOP / "tests/api/formats"))
import binary_models  # noqa: E402
import corner_models  # noqa: E402
import ogre_models  # noqa: E402
import random_bvh  # noqa: E402
import random_collada  # noqa: E402
import random_fbx  # noqa: E402
import random_models  # noqa: E402
import random_obj  # noqa: E402
import random_threemf  # noqa: E402
import refs  # noqa: E402
import small_3ds  # noqa: E402
import small_fbx  # noqa: E402
import small_md2  # noqa: E402
import small_mdl  # noqa: E402
import small_static  # noqa: E402
import test_3ds  # noqa: E402
import test_every_format  # noqa: E402
import test_lwo  # noqa: E402
import test_md2  # noqa: E402
import test_static_formats  # noqa: E402

SEEDS = range(4)
SOURCE_FILES = 30  # the section of model_sections.def
PICTURE = bytes.fromhex("ff000081") * 6 + bytes.fromhex("00ff0081") * 2  # of 4 x 2 texels, red, green, blue, exponent


def radiance():
    return b"#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 2 +X 4\n" + PICTURE


def x3d():
    solids = "<Box size='2 4 6'/>", "<Sphere radius='3'/>", "<Cone bottomRadius='2' height='6'/>", test_static_formats.FACE_SET
    shapes = "".join(f"<Shape><Appearance><Material diffuseColor='1 0 0'/></Appearance>{solid}</Shape>" for solid in solids)
    return test_static_formats.x3d(test_static_formats.x3d_transform(test_static_formats.INNER, shapes))


def small_files():
    """(name, bytes or text)"""
    yield "sky.hdr", radiance()
    yield "solids.x3d", x3d()
    yield "old.lwo", test_lwo.lwob()
    yield "layers.lwo", test_lwo.lwo2()
    yield "frames.md2", small_md2.md2(test_md2.FRAMES)
    yield "man.mdl", small_mdl.mdl(("walk", 10, 2, []))
    yield "leg.fbx", small_fbx.fbx()
    for name, (scene_from_mesh, nodes, _) in test_3ds.CASES.items():
        meshes = [small_3ds.mesh("A", small_3ds.BOX, scene_from_mesh), small_3ds.mesh("B", small_3ds.BOX, test_3ds.B)]
        yield f"{name.replace(' ', '_')}.3ds", small_3ds.file(meshes, nodes)
    for ending, (make, _) in test_every_format.FILES.items():
        yield f"small.{ending}", make()
    for name, make in corner_models.ALL.items():
        yield name, json.dumps(make())
    for name, make in binary_models.ALL.items():
        yield name, make.file()
    for seed in SEEDS:
        yield f"random_{seed}.gltf", json.dumps(random_models.make(seed))
        yield f"random_{seed}.bvh", random_bvh.make(seed)
        for name, content in zip((f"random_{seed}.obj", f"random_{seed}.mtl"), random_obj.make(seed, f"random_{seed}"), strict=True):
            yield name, content
        yield f"random_{seed}.dae", random_collada.make(seed)[0]
        yield f"random_{seed}.fbx", random_fbx.make(seed)
    yield "packed.zae", small_static.zipped("a.dae", random_collada.make(0)[0])


def write_models(root):
    """Write them with the samples. Returns the models' names."""
    for path in [*refs.MODELS.iterdir(), *(SAMPLES / name for name in refs.SAMPLES)]:
        shutil.copyfile(path, root / path.name)
    for name, content in small_files():
        (root / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    for name, make in ogre_models.ALL.items():
        for file, data in make.files(name[:-len(".mesh")]).items():
            (root / file).write_bytes(data)
    for seed in SEEDS:
        random_threemf.write(seed, root / f"random_{seed}.3mf")
    return sorted(path.name for path in root.iterdir() if path.suffix not in (".md5anim", ".skeleton", ".material", ".mtl"))


# --- the disk cache's files (protocol/disk-cache.md) ---

def without_stamps(bake):
    """The baked model, with zeros instead of its files' dates and places on the disk."""
    count, = struct.unpack_from("<I", bake, 12)
    bytes_of = bytearray(bake)
    for i in range(count):
        section, size, offset, items = struct.unpack_from("<IIQQ", bake, 32 + 24 * i)
        for k in range(items if section == SOURCE_FILES else 0):
            first = offset + k * size
            bytes_of[first + 16:first + size] = bytes(size - 16)
    return bytes(bytes_of)


def stored_bakes(folder):
    """{model: the baked model} of the folder."""
    found = {}
    for path in folder.glob("*.index"):
        index = path.read_bytes()
        at = 100
        role, length = struct.unpack_from("<I", index, at)[0], struct.unpack_from("<I", index, at + 72)[0]
        while role != 0:
            at += 76 + length
            role, length = struct.unpack_from("<I", index, at)[0], struct.unpack_from("<I", index, at + 72)[0]
        entry = (folder / f"{index[48:64].hex()}.model").read_bytes()
        record, = struct.unpack_from("<I", entry, 12)
        found[index[at + 76:at + 76 + length].decode()] = entry[(record + 4095) // 4096 * 4096:]
    return found


def digest(data):
    return hashlib.sha256(data).hexdigest()[:32]
