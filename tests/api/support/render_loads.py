"""Pictures of many kinds, and the resources that the render workers use to draw them."""
import hashlib
import pathlib
import shutil
import sys

import conftest
import small_models

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "golden"))
import material_models  # noqa: E402

SHAPES = ("width=96&height=96", "width=64&height=64&aa=0&yaw=40", "width=80&height=48&pitch=30&shadow=1",
          "width=33&height=57&background=204060,ffffff80", "width=1&height=1", "width=120&height=20&alpha=premultiplied&yaw=200",
          "width=72&height=72&view=normals", "width=64&height=64&view=wireframe&pitch=-20", "width=64&height=64&view=skeleton",
          "width=48&height=96&compression=small&t=0.37&shadow=1&pitch=60")


def make_models(root):
    """Make models with every kind of material, and an animated one. Returns their names."""
    material_models.write(root)
    (root / "triangle.gltf").write_text(small_models.gltf())
    for path in sorted(conftest.SAMPLES.glob("*.glb"))[:1]:
        shutil.copy(path, root)
    return sorted(path.name for path in root.iterdir() if path.suffix in (".gltf", ".glb", ".obj"))


def queries(models):
    return [f"/v1/render?model={model}&{shape}" for shape in SHAPES for model in models]


def sums(server, targets):
    """SHA-256 of each picture; None without one (a tiny model may miss the only sample)."""
    found = []
    with server.connect() as connection:
        for target in targets:
            answer = connection.get(target)
            assert answer.status in (200, 422), (target, answer.body)
            found.append(hashlib.sha256(answer.body).hexdigest() if answer.status == 200 else None)
    return found


def workers(server):
    """Process ids of the server's render workers."""
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        try:
            head, tail = (entry / "stat").read_text().rsplit(")", 1)
        except (OSError, ValueError):
            continue
        if "posed-render" in head and int(tail.split()[1]) == server.process.pid:
            found.append(int(entry.name))
    return sorted(found)


def resident_kib(pid):
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1])
    return 0
