"""The Debian packages of `make deb`: their contents, their dependencies, and what remains after they are removed."""
import os
import re
import shutil
import subprocess

import pytest

from debian_root import debian_root
from document_links import dead_links
from packages import REPOSITORY, VERSION, make, packages

TRIPLET = subprocess.run(["gcc", "-dumpmachine"], capture_output=True, text=True, check=True).stdout.strip()
PNG = b"\x89PNG\r\n\x1a\n"


def control(package, name):
    return subprocess.run(["dpkg-deb", "-f", packages()[package], name], capture_output=True, text=True, check=True).stdout.strip()


def unpacked(package, folder):
    subprocess.run(["dpkg-deb", "-R", packages()[package], folder], check=True)
    return folder


def depends(package, field="Depends"):
    return {word.split()[0].split(":")[0] for word in control(package, field).split(",")}


def test_the_packages_are_those_of_this_version():
    assert {"posed", "posectl", "libposed-dev", "libposed-eval2", "libposed-eval-dev"} <= set(packages())
    assert {control(name, "Version") for name in packages()} == {VERSION}


def test_lintian_finds_nothing():
    if shutil.which("lintian") is None:
        pytest.skip("lintian is not installed: deploy/deps.sh deploy")
    found = subprocess.run(["lintian", "--allow-root", "--profile", "debian", "--fail-on", "error,warning", *packages().values()],
                           capture_output=True, text=True, check=False)
    assert found.returncode == 0 and not found.stdout, found.stdout + found.stderr


def test_programs_are_stripped_and_depend_on_what_they_load(tmp_path):
    folder = unpacked("posed", tmp_path / "posed")
    programs = [folder / "usr/bin/posed", *(folder / "usr/libexec/posed").iterdir()]
    assert len(programs) == 4
    owners = set()
    for program in programs:
        sections = subprocess.run(["readelf", "-SWd", program], capture_output=True, text=True, check=True).stdout
        assert ".debug_info" not in sections and ".symtab" not in sections, program
        assert "BIND_NOW" in sections and "NEEDED" in sections, program
        for line in subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout.splitlines():
            assert "not found" not in line, f"{program}: {line}"
        for name in (line.split("[")[1].rstrip("]") for line in sections.splitlines() if "(NEEDED)" in line):
            library = subprocess.run(["dpkg-query", "-S", f"*/{TRIPLET}/{name}"], capture_output=True, text=True, check=True).stdout
            owners.add(library.split(":")[0])
    # libosmesa6 is opened by name, as is libtiff6, without which all else works; the fonts are files to read.
    assert owners | {"libosmesa6", "fonts-dejavu-core"} <= depends("posed")
    assert "libtiff6" in depends("posed", "Recommends")
    assert "libosmesa6" not in depends("posectl") and "libassimp5" not in depends("posectl")


def test_settings_are_a_conffile_and_manual_pages_are_there(tmp_path):
    folder = unpacked("posed", tmp_path / "posed")
    assert (folder / "DEBIAN/conffiles").read_text() == "/etc/default/posed\n"
    assert (folder / "lib/systemd/system/posed.service").read_bytes() == (REPOSITORY / "deploy/systemd/posed.service").read_bytes()
    assert (folder / "usr/share/man/man1/posed.1.gz").exists()
    assert (unpacked("posectl", tmp_path / "posectl") / "usr/share/man/man1/posectl.1.gz").exists()


def test_links_of_its_documents_lead_to_what_is_in_it(tmp_path):
    folder = unpacked("posed", tmp_path / "posed") / "usr/share/doc/posed"
    dead = [f"{path.relative_to(folder)}: {fault}" for path in sorted(folder.rglob("*.md")) for fault in dead_links(path, path.read_text(encoding="utf-8"))]
    assert "\n".join(dead) == ""


def test_the_same_commit_gives_the_same_bytes_in_another_folder(tmp_path):
    """The files of the tree and `make deb` are all that it takes. A folder without .git has to be told what the commit is called."""
    made = packages()
    copy = tmp_path / "elsewhere"
    for name in subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=REPOSITORY, capture_output=True,
                               text=True, check=True).stdout.split("\0"):
        if name and (REPOSITORY / name).exists():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(REPOSITORY / name, copy / name, follow_symlinks=False)
    stamp = subprocess.run(["git", "log", "-1", "--format=%ct"], cwd=REPOSITORY, capture_output=True, text=True, check=True).stdout.strip()
    version = subprocess.run([REPOSITORY / "deploy/version.sh"], capture_output=True, text=True, check=True).stdout.strip()
    make(f"-j{os.cpu_count()}", "deb", f"version={version}", cwd=copy, SOURCE_DATE_EPOCH=stamp)
    again = {path.name: path.read_bytes() for path in (copy / "build/deb").glob("*.deb")}
    assert again.keys() == {path.name for path in made.values()}
    differing = [path.name for path in made.values() if path.read_bytes() != again[path.name]]
    assert not differing


@pytest.fixture(scope="module")
def root():
    made = packages()
    with debian_root() as fresh:
        fresh.install(made["posed"], made["posectl"])
        yield fresh


def test_installed_in_a_minimal_debian_it_draws(root):
    assert root.run("posed", "--version").stdout.startswith(f"posed {VERSION}")
    picture = root.run("posectl", "render", "/usr/share/posed/samples/robot.glb", "-o", "-", text=False).stdout
    assert picture.startswith(PNG)
    assert '"clips":[' in root.run("posectl", "info", "--json", "/usr/share/posed/samples/dragon.glb").stdout.replace(" ", "")
    assert root.run("getent", "passwd", "posed").stdout.startswith("posed:")


def test_the_package_of_a_later_commit_replaces_that_of_an_earlier_one(root, tmp_path):
    """Of the same day, and with a larger hash."""
    if "+git" not in VERSION:
        pytest.skip("this is a release")
    earlier = re.sub(r"(\+git\d+)\.\d+\..*", r"\1.000000.ffffffff", VERSION)
    folder = unpacked("posectl", tmp_path / "posectl")
    text = (folder / "DEBIAN/control").read_text()
    (folder / "DEBIAN/control").write_text(text.replace(f"Version: {VERSION}\n", f"Version: {earlier}\n"))
    subprocess.run(["dpkg-deb", "-b", folder, root.path / "root/earlier.deb"], check=True, capture_output=True)
    root.run("dpkg", "--install", "--force-downgrade", "/root/earlier.deb")
    assert f"Unpacking posectl ({VERSION}) over ({earlier})" in root.install(packages()["posectl"]).stdout


def test_a_program_is_built_with_the_c_client(root):
    root.install(packages()["libposed-dev"])
    root.apt("install", "--no-install-recommends", "gcc", "pkg-config")
    shutil.copy(REPOSITORY / "clients/c/example_skin.c", root.path / "root")
    root.run("sh", "-ec", "cd /root && gcc -o example example_skin.c $(pkg-config --cflags --libs posed) && ./example 2>&1 | grep -q .")


def test_a_program_is_built_with_the_evaluator_in_its_process(root):
    root.install(packages()["libposed-eval2"], packages()["libposed-eval-dev"])
    shutil.copy(REPOSITORY / "clients/eval/README.md", root.path / "root")
    root.run("sh", "-ec", "cd /root && posectl bake /usr/share/posed/samples/robot.glb -o robot.posed && sed -n '/^```c$/,/^```$/{/^```$/q;p}' README.md | sed '/^```/d' > pose.c && "  # the first program
             "gcc -o pose pose.c $(pkg-config --cflags --libs posed-eval) && ./pose | grep -q '19 joints, the right hand at -0.627 1.629 0.020'")


def test_purged_nothing_of_it_is_left(root):
    """The last test of this module, because it removes the packages."""
    assert (root.path / "usr/bin/posed").exists() and (root.path / "etc/default/posed").exists()
    root.apt("remove", "posed", "posectl")
    assert (root.path / "etc/default/posed").exists() and not (root.path / "usr/bin/posed").exists()
    for folder in "var/cache/posed", "var/log/posed":  # as the service makes them
        (root.path / folder).mkdir(exist_ok=True)
    root.apt("purge", "posed", "posectl", "libposed-dev", "libposed-eval-dev", "libposed-eval2")
    left = [str(path) for folder in ("etc", "usr", "lib", "var/cache", "var/lib") for path in (root.path / folder).rglob("*pose[dc]*")
            if "/apt/" not in str(path)]
    assert left == [] and not (root.path / "var/log/posed").exists()
    for line in root.run("dpkg", "-l").stdout.splitlines():
        assert "pose" not in line.split()[1:2], line
