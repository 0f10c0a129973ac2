"""--cache-dir: a restart needs no import, and the worst that damage to the folder can cause is an import."""
import os
import resource
import shutil
import subprocess

import pytest

from conftest import SAMPLES, Server, wait_until
from disk_kills import kill_and_restart, temporary
from importers import NO_RENDERING, imports
from small_models import MD5MESH, TRIANGLE, gltf, md5anim, place

DRAWS = False

pytestmark = pytest.mark.short


@pytest.fixture
def root(tmp_path):
    folder = tmp_path / "root"
    folder.mkdir()
    return folder


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "cache"


def ask(server, model="a.gltf"):
    return server.get(f"/v1/palette?model={model}")


def disk(server):
    return server.json("/v1/stats")["disk"]


def wait_stored(server, count=1):
    wait_until(lambda: disk(server)["stored"] >= count, "nothing is stored")


def begin(start, root, folder, *options, rendering=()):
    return start("--cache-dir", str(folder), *(rendering or NO_RENDERING), *options, root=root)


def test_restart_needs_no_import(start, root, folder):
    (root / "a.gltf").write_text(gltf(x=3))
    server = begin(start, root, folder)
    first = ask(server)
    assert place(first) == 3 and imports(server) == 1
    wait_stored(server)
    server.end()
    for _ in range(2):
        server = begin(start, root, folder)
        again = ask(server)
        assert again.body == first.body and again.headers["etag"] == first.headers["etag"]
        assert imports(server) == 0
        stats = server.json("/v1/stats")
        assert (stats["disk"]["hits"], stats["disk"]["misses"], stats["imports"]["started"]) == (1, 0, 0)
        listed = server.json("/v1/models")["models"][0]
        assert listed["state"] == "ready" and listed["hash"] == server.json("/v1/model", model="a.gltf")["hash"]
        server.end()


def test_every_answer_is_that_of_an_import(start, folder):
    """All operations on a sample, including pictures with textures, byte for byte."""
    if not SAMPLES.is_dir():
        pytest.skip("no sample models")
    targets = [f"/v1/{op}?model=dragon.glb&clip=0&t=0.3" for op in ("palette", "pose", "mesh", "bounds")]
    targets += ["/v1/model?model=dragon.glb", "/v1/render?model=dragon.glb&clip=0&t=0.3&width=64&height=64"]
    server = begin(start, SAMPLES, folder, rendering=("--render-workers", "1"))
    expected = [server.get(target) for target in targets]
    assert [one.status for one in expected] == [200] * 6
    wait_stored(server)
    server.end()
    server = begin(start, SAMPLES, folder, rendering=("--render-workers", "1"))
    # The first target leaves the textures on disk and the last one needs them; and the reverse.
    assert [server.get(target).body for target in targets] == [one.body for one in expected]
    assert imports(server) == 0 and disk(server)["hits"] >= 1
    server.end()
    server = begin(start, SAMPLES, folder, rendering=("--render-workers", "1"))
    assert [server.get(target).body for target in reversed(targets)] == [one.body for one in reversed(expected)]
    assert imports(server) == 0


def test_an_exported_file_has_its_textures(start, folder):
    target = "/v1/mesh?model=robot.glb&t=0&format=glb"
    server = start("--cache-dir", str(folder), *NO_RENDERING, root=SAMPLES)
    wanted = server.get(target)
    wait_stored(server)
    server.end()
    server = start("--cache-dir", str(folder), *NO_RENDERING, root=SAMPLES)
    assert server.get("/v1/palette?model=robot.glb&t=0").status == 200  # it needs none
    got = server.get(target)
    assert got.headers["etag"] == wanted.headers["etag"] and got.body == wanted.body
    assert imports(server) == 0


def test_touched_and_copied_files_need_no_import(start, root, folder):
    (root / "a.gltf").write_text(gltf(x=3, buffer="tri.bin"))
    (root / "tri.bin").write_bytes(TRIANGLE)
    server = begin(start, root, folder)
    ask(server)
    wait_stored(server)
    os.utime(root / "a.gltf", (1, 1))
    assert place(ask(server)) == 3  # while it runs, too
    (root / "tri.bin").unlink()
    (root / "tri.bin").write_bytes(TRIANGLE)
    assert place(ask(server)) == 3
    assert imports(server) == 1 and disk(server)["hits"] == 2
    server.end()
    elsewhere = root.parent / "checkout"
    shutil.copytree(root, elsewhere)
    server = begin(start, elsewhere, folder)
    assert place(ask(server)) == 3 and imports(server) == 0


@pytest.mark.parametrize("change", ["model", "companion", "missing companion", "texture", "clip"])
def test_changed_while_the_server_was_down(start, root, folder, change):
    """Anything that the import looked at, including files that it did not find."""
    (root / "a.gltf").write_text(gltf(x=1, buffer="tri.bin", image="skin.png"))
    (root / "tri.bin").write_bytes(TRIANGLE)
    if change == "texture":
        (root / "skin.png").write_bytes(b"no picture")
    (root / "leg.md5mesh").write_text(MD5MESH)
    (root / "walk.md5anim").write_text(md5anim(7))
    model = "leg.md5mesh" if change == "clip" else "a.gltf"
    server = begin(start, root, folder)
    before = ask(server, model).headers["etag"]
    wait_stored(server)
    server.end()
    if change == "model":
        (root / "a.gltf").write_text(gltf(x=2, buffer="tri.bin", image="skin.png"))
    elif change == "companion":
        (root / "tri.bin").write_bytes(TRIANGLE[:-4] + b"\0\0\x80\x3f")
    elif change == "clip":
        (root / "run.md5anim").write_text(md5anim(8))
    else:
        (root / "skin.png").write_bytes(b"another" if change == "texture" else b"appears")
    server = begin(start, root, folder)
    after = ask(server, model)
    assert after.status == 200 and imports(server) == 1 and disk(server)["hits"] == 0
    assert (after.headers["etag"] != before) == (change != "texture")  # it was broken before and after: the same answer


def test_other_limits_are_other_models(start, root, folder):
    (root / "a.gltf").write_text(gltf(image="skin.png"))
    (root / "skin.png").write_bytes(bytes(5000))
    server = begin(start, root, folder)
    ask(server)
    wait_stored(server)
    server.end()
    for option, count in (("--max-url", 0), ("--max-texture-side", 1), ("--max-file", 1)):
        server = begin(start, root, folder, option, "4000" if option != "--max-texture-side" else "512")
        assert ask(server).status == 200 and imports(server) == count, option
        server.end()


def damage(path, region):
    data = bytearray(path.read_bytes())
    if region == "empty":
        data = b""
    elif region == "cut":
        data = data[:-1]
    elif region == "half":
        data = data[:len(data) // 2]
    elif region == "longer":
        data += b"x"
    elif region == "noise":
        data = os.urandom(len(data))
    elif region == "version":
        data[8] ^= 0xff
    elif region == "last":
        data[-1] ^= 1
    else:
        data[region] ^= 1
    path.write_bytes(data)


@pytest.mark.parametrize("ending", ["index", "model"])
def test_damaged_files_are_made_anew(start, root, folder, ending):
    """Each region of both kinds of files: beginning, version, fields, sources, checksum, the model itself."""
    (root / "a.gltf").write_text(gltf(x=3))
    regions = ["empty", "cut", "half", "longer", "noise", "version", "last", 0, 12, 20, 60, 100]
    regions += [4096 + 8, 4096 + 64, 4096 + 900, 4096 + 1400] if ending == "model" else []
    server = begin(start, root, folder)
    expected = ask(server).body
    wait_stored(server)
    server.end()
    for region in regions:
        path, = folder.glob("*." + ending)
        damage(path, region)
        server = begin(start, root, folder)
        assert ask(server).body == expected
        wait_stored(server)
        stats = disk(server)
        assert imports(server) == 1 and stats["removed"] == 1 and stats["hits"] == 0, region
        server.end()
        assert server.process.returncode == 0
    server = begin(start, root, folder)
    assert ask(server).body == expected and imports(server) == 0


def exchange(one, other):
    between = one.with_suffix(".between")
    one.rename(between)
    other.rename(one)
    between.rename(other)


@pytest.mark.parametrize("endings", [["index"], ["model"], ["index", "model"]], ids="-".join)
def test_files_of_another_model_are_not_believed(start, folder, endings):
    """Exchanges each pair of the cache's files, of models whose own files are old, so that only their stamps decide."""
    models = ["dragon.glb", "octopus.glb", "robot.glb"]
    if not SAMPLES.is_dir():
        pytest.skip("no sample models")
    targets = [f"/v1/{op}?model={model}" for model in models for op in ("palette", "pose", "model")]
    targets += [f"/v1/palette?model={model}&clip_file={other}" for model in models for other in models]
    server = begin(start, SAMPLES, folder)
    expected = [server.get(target).body for target in targets]
    wait_stored(server, len(models))
    server.end()
    for i, j in [(0, 1), (0, 2), (1, 2)]:
        for ending in endings:
            paths = sorted(folder.glob("*." + ending))
            assert len(paths) == len(models)
            exchange(paths[i], paths[j])
        server = begin(start, SAMPLES, folder)
        assert [server.get(target).body for target in targets] == expected
        wrong = imports(server)
        assert wrong in (2, 3) and disk(server)["hits"] == 3 - wrong
        wait_stored(server, wrong)
        assert disk(server)["removed"] >= 2
        server.end()


def test_damaged_textures_are_found_when_they_are_used(start, root, folder):
    """Palettes do not read them. A picture does, and comes from a new import."""
    if not SAMPLES.is_dir():
        pytest.skip("no sample models")
    shutil.copy(SAMPLES / "dragon.glb", root)
    options = ("--render-workers", "1")
    picture = "/v1/render?model=dragon.glb&clip=0&width=64&height=64"
    server = begin(start, root, folder, rendering=options)
    palette, expected = ask(server, "dragon.glb").body, server.get(picture).body
    wait_stored(server)
    server.end()
    path, = folder.glob("*.model")
    data = bytearray(path.read_bytes())
    size, first, count = (int.from_bytes(data[at:at + 8], "little") for at in (48, 56, 64))
    assert count > 256 << 10, "the sample has no large texture"
    data[len(data) - size + first + count // 2] ^= 1
    path.write_bytes(data)
    server = begin(start, root, folder, rendering=options)
    assert ask(server, "dragon.glb").body == palette and imports(server) == 0
    assert server.get(picture).body == expected and imports(server) == 1
    assert disk(server)["removed"] == 1


def test_the_folder_cannot_be_used(start, root, tmp_path):
    (root / "a.gltf").write_text(gltf(x=3))
    (tmp_path / "file").write_text("x")
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o777)
    for place_of_cache, word in [(tmp_path / "file" / "cache", "cannot make"), (shared, "others may write")]:
        server = begin(start, root, place_of_cache)
        assert place(ask(server)) == 3 and server.get("/readyz").status == 200
        assert [word in line for line in server.lines() if "disk cache" in line] == [True]
        assert not list(shared.iterdir())


@pytest.fixture
def small_disk(tmp_path):
    """A file system of its own. It comes before `start` in a test, so that servers end first."""
    path = tmp_path / "small"
    path.mkdir()
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256k,mode=0700", "none", path], capture_output=True)
    if done.returncode != 0:
        pytest.skip("may not mount a file system")
    yield path
    subprocess.run(["umount", path], check=True)


def test_the_disk_is_full(root, small_disk, start):
    (root / "a.gltf").write_text(gltf(x=1))
    (root / "large.gltf").write_text(gltf(x=2, triangles=5000))
    server = begin(start, root, small_disk / "cache", "--cache-dir-size", "1g")
    assert place(ask(server)) == 1
    wait_stored(server)
    assert place(ask(server, "large.gltf")) == 2
    server.wait_for_line("takes nothing for now")
    (root / "large.gltf").write_text(gltf(x=3, triangles=5000))
    assert place(ask(server, "large.gltf")) == 3 and server.get("/readyz").status == 200
    assert disk(server)["errors"] == 1 and not temporary(small_disk / "cache")
    assert len([line for line in server.lines() if "takes nothing" in line]) == 1


def test_a_disk_that_fills_up_with_models_drops_old_ones(root, small_disk, start):
    for i in range(8):
        (root / f"{i}.gltf").write_text(gltf(x=i, triangles=500))
    server = begin(start, root, small_disk / "cache", "--cache-dir-size", "1g")
    for i in range(8):
        assert place(ask(server, f"{i}.gltf")) == i
        wait_stored(server, i + 1)
    assert disk(server)["evicted"] > 0 and disk(server)["errors"] == 0
    server.end()
    server = begin(start, root, small_disk / "cache", "--cache-dir-size", "1g")
    assert place(ask(server, "7.gltf")) == 7 and imports(server) == 0


def test_the_disk_is_read_only(root, small_disk, start):
    (root / "a.gltf").write_text(gltf(x=1))
    (root / "b.gltf").write_text(gltf(x=2))
    server = begin(start, root, small_disk / "cache")
    ask(server)
    wait_stored(server)
    server.end()
    subprocess.run(["mount", "-o", "remount,ro", small_disk], check=True)
    server = begin(start, root, small_disk / "cache")
    assert place(ask(server)) == 1 and imports(server) == 0
    assert place(ask(server, "b.gltf")) == 2
    assert "read-only" in server.wait_for_line("takes nothing for now").lower()
    assert server.get("/readyz").status == 200


def test_a_limit_on_file_sizes(root, folder):
    """SIGXFSZ does not end the server."""
    (root / "a.gltf").write_text(gltf(x=1, triangles=1000))
    probe = Server(root, "--cache-dir", str(folder), *NO_RENDERING)
    ask(probe)
    size = int(probe.wait_for_line("import model=").split("bytes=")[1].split()[0])
    probe.end()
    shutil.rmtree(folder)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size + 2000, before[1]))  # only the model fits
    try:
        server = Server(root, "--cache-dir", str(folder), *NO_RENDERING)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    try:
        assert place(ask(server)) == 1
        server.wait_for_line("takes nothing for now")
        assert place(ask(server)) == 1 and not temporary(folder)
    finally:
        server.end()
    assert server.process.returncode == 0


def test_two_servers_share_the_folder(start, root, folder):
    for i in range(6):
        (root / f"{i}.gltf").write_text(gltf(x=i))
    servers = [begin(start, root, folder) for _ in range(2)]
    for i in range(6):
        assert place(ask(servers[i % 2], f"{i}.gltf")) == i
    for server in servers:
        wait_stored(server, 3)
    for i in range(6):
        assert place(ask(servers[(i + 1) % 2], f"{i}.gltf")) == i
    assert [imports(server) for server in servers] == [3, 3]
    assert [disk(server)["hits"] for server in servers] == [3, 3] and not temporary(folder)


def test_folder_removed_under_the_server(start, root, folder):
    (root / "a.gltf").write_text(gltf(x=1))
    (root / "b.gltf").write_text(gltf(x=2))
    server = begin(start, root, folder)
    ask(server)
    wait_stored(server)
    shutil.rmtree(folder)
    assert place(ask(server, "b.gltf")) == 2
    server.wait_for_line("takes nothing for now")
    assert place(ask(server)) == 1 and place(ask(server, "b.gltf")) == 2


def test_killed_while_storing(start, root, folder):
    """start: skips the test if the server was started by somebody else."""
    kill_and_restart(root, folder, kills=5)
