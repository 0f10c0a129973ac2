"""What `make install` puts into a folder: documents whose links lead to something that is installed, a library that programs find."""
import os
import pathlib
import subprocess

import pytest

from conftest import BUILD, REPOSITORY, is_sanitized
from document_links import dead_links, links


def install(folder, *variables, target="install", **environment):
    """make install, of the programs that are there."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("MAKE", "MFLAGS"))}
    done = subprocess.run(["make", "-s", "-o", "all", target, "NODEPS=1", f"out={BUILD}", f"DESTDIR={folder}", *variables], cwd=REPOSITORY,
                          env=kept | environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    folder = tmp_path_factory.mktemp("installed")
    install(folder)
    return folder / "usr/local"


def test_links_of_installed_documents_lead_to_what_is_installed(installed):
    documents = sorted((installed / "share/doc/posed").rglob("*.md"))
    count, dead = 0, []
    for path in documents:
        text = path.read_text(encoding="utf-8")
        count += len(list(links(text)))
        dead += [f"{path.relative_to(installed)}: {fault}" for fault in dead_links(path, text)]
    assert "\n".join(dead) == ""
    assert len(documents) > 30 and count > 300


def test_links_to_what_is_not_installed_are_text(installed):
    """The name of the place stays, and so do links beside it."""
    text = (installed / "share/doc/posed/README.md").read_text(encoding="utf-8")
    assert "server [`server/README.md` of the source tree]" in text and "[clients](clients/README.md)" in text
    assert "tests/clients [`tests/clients/README.md` of the source tree]" in (installed / "share/doc/posed/clients/README.md").read_text(encoding="utf-8")


# --- the library ---


@pytest.fixture
def loader(tmp_path):
    """PATH with an ldconfig that finds what stands in the file `found`."""
    folder = tmp_path / "programs"
    folder.mkdir()
    (folder / "ldconfig").write_text(f'#!/bin/sh\n[ $# = 0 ] || cat {tmp_path}/found\n')
    (folder / "ldconfig").chmod(0o755)
    (tmp_path / "found").write_text("1 libs found in cache\n\tlibz.so.1 (libc6,x86-64) => /lib/libz.so.1\n")
    return f"{folder}:{os.environ['PATH']}"


def test_where_programs_do_not_find_the_library_the_install_says_what_helps(tmp_path, loader):
    said = install("", f"PREFIX={tmp_path}/own", PATH=loader)
    assert f"programs do not find {tmp_path}/own/lib/libposed-eval.so.2 yet" in said and "/etc/ld.so.conf.d/posed.conf && ldconfig" in said
    assert f"LD_LIBRARY_PATH={tmp_path}/own/lib" in said
    with (tmp_path / "found").open("a") as cache:
        cache.write(f"\tlibposed-eval.so.2 (libc6,x86-64) => {tmp_path}/own/../own/lib/libposed-eval.so.2\n")
    assert "programs do not find" not in install("", f"PREFIX={tmp_path}/own", PATH=loader)
    assert "programs do not find" not in install(tmp_path / "stage", PATH=loader)


@pytest.mark.skipif(is_sanitized(), reason="a library with a sanitizer needs its program to have one")
def test_a_program_that_is_linked_with_the_installed_library_runs(tmp_path, loader):
    install("", f"PREFIX={tmp_path}/own", PATH=loader)
    env = {**os.environ, "PKG_CONFIG_PATH": f"{tmp_path}/own/lib/pkgconfig", "LD_LIBRARY_PATH": f"{tmp_path}/own/lib"}
    source = REPOSITORY / "clients/eval/example_pose.c"
    subprocess.run(f"cc '{source}' $(pkg-config --cflags --libs posed-eval) -o {tmp_path}/pose", shell=True, env=env, check=True)
    done = subprocess.run([tmp_path / "pose"], cwd=tmp_path, env=env, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "") and "robot.posed': No such file" in done.stderr


# --- make uninstall ---


def tree(folder):
    """Each path below the folder, with the text of files."""
    return {path.relative_to(folder): path.read_text() if path.is_file() else None for path in folder.rglob("*")}


@pytest.mark.parametrize("prefix", ["usr/local", "own"])
def test_uninstall_leaves_what_was_there(tmp_path, prefix):
    """What a system has, and files of other programs."""
    root = tmp_path / "root"
    for name in "usr/local/bin", "usr/local/include", "usr/local/lib", "usr/local/share/man", f"{prefix}/bin", f"{prefix}/libexec/posed":
        (root / name).mkdir(parents=True, exist_ok=True)
    for name in "bin/posedx", "libexec/posed/other":
        (root / prefix / name).write_text("of another program")
    before = tree(root)
    install(root, f"PREFIX=/{prefix}", target="uninstall")
    assert tree(root) == before
    install(root, f"PREFIX=/{prefix}", f"LIBDIR=/{prefix}/lib/here")
    assert (root / prefix / "bin/posed").exists() and (root / prefix / "lib/here/libposed.a").exists()
    install(root, f"PREFIX=/{prefix}", f"LIBDIR=/{prefix}/lib/here", target="uninstall")
    assert tree(root) == before


def test_uninstall_without_destdir(tmp_path):
    install("", f"PREFIX={tmp_path}/own")
    assert (tmp_path / "own/bin/posectl").exists()
    assert install("", f"PREFIX={tmp_path}/own", target="uninstall") == "" and not (tmp_path / "own").exists()
