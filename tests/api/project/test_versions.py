"""The name of a build: deploy/version.sh, the places that show it, and those that must not; entity tags of two builds."""
import ctypes
import json
import os
import pathlib
import re
import shutil
import subprocess

import pytest

from conftest import BUILD, REPOSITORY, SAMPLES, Server

NAMES = re.compile(r"(\d+\.\d+\.\d+)(\+git\d{8}\.\d{6}\.[0-9a-f]{8}(\.dirty)?)?")
RELEASE, = re.findall(r'^#define POSED_RELEASE "(.*)"$', (REPOSITORY / "server/base/version.h").read_text(), re.M)
#: Files that may show the build. Bytes that are kept or compared have only the release.
TELLERS = {"server/base/version.h", "server/base/version.c", "server/daemon/main.c", "server/daemon/service/service_info.c",
           "server/daemon/service/service_metrics.c", "clients/cli/main.c", "clients/cli/output/sarif.c", "clients/eval/eval_error.c"}


def said(*command, **options):
    return subprocess.run(command, capture_output=True, text=True, check=True, **options).stdout.strip()


# --- the name ---


@pytest.fixture
def tree(tmp_path):
    """A tree with a number and the program that names it, dated in another time zone."""
    top = tmp_path / "tree"
    for path in "deploy/version.sh", "server/base/version.h":
        (top / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(REPOSITORY / path, top / path)
    return top


def git(top, *words, date="2026-11-27T23:30:00-0300"):
    who = {f"GIT_{role}_{what}": text for role in ("AUTHOR", "COMMITTER")
           for what, text in (("NAME", "a"), ("EMAIL", "a@localhost"), ("DATE", date))}
    own = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    return said("git", "-C", top, *words, env={**own, **who, "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null"})


def commit(top, **options):
    if not (top / ".git").exists():
        git(top, "init", "-q")
    git(top, "add", "-A")
    git(top, "commit", "-q", "--allow-empty", "-m", "a change", **options)
    return git(top, "rev-parse", "HEAD")[:8]


def name(top, **options):
    return said(top / "deploy/version.sh", **options)


def test_a_release_is_the_commit_with_the_tag(tree):
    first = commit(tree)
    assert name(tree) == f"{RELEASE}+git20261128.023000.{first}"  # in UTC
    git(tree, "tag", "v9.9.9")
    assert name(tree) == f"{RELEASE}+git20261128.023000.{first}"
    git(tree, "tag", f"v{RELEASE}")
    assert name(tree) == RELEASE
    (tree / "notes").write_text("no file of the commit")
    assert name(tree) == RELEASE
    (tree / "deploy/version.sh").write_text((tree / "deploy/version.sh").read_text() + "# a change\n")
    assert name(tree) == f"{RELEASE}+git20261128.023000.{first}.dirty"
    second = commit(tree)
    assert name(tree) == f"{RELEASE}+git20261128.023000.{second}"


@pytest.mark.skipif(shutil.which("dpkg") is None, reason="no dpkg")
def test_packages_of_later_commits_are_newer(tree):
    """Also of one day, whatever their hashes."""
    names = []
    for time in "10:59:59", "11:00:00", "11:00:01", "20:00:00", "23:59:59":
        commit(tree, date=f"2026-11-27T{time}+0000")
        names.append(name(tree))
    commit(tree, date="2026-11-28T00:00:00+0000")
    names.append(name(tree))
    for older, newer in zip([RELEASE, *names], [*names, re.sub(r"\d+$", lambda last: str(int(last[0]) + 1), RELEASE)]):
        assert subprocess.run(["dpkg", "--compare-versions", older, "lt", newer], check=False).returncode == 0, (older, newer)


def test_a_clone_without_tags_and_history_is_no_release(tree, tmp_path):
    commit(tree)
    last = commit(tree)
    git(tree, "tag", "-a", "-m", "released", f"v{RELEASE}")
    assert name(tree) == RELEASE
    git(tmp_path, "clone", "-q", "--depth", "1", "--no-tags", tree.as_uri(), "shallow")
    assert name(tmp_path / "shallow") == f"{RELEASE}+git20261128.023000.{last}"
    git(tree, "worktree", "add", "-q", "--detach", tmp_path / "beside")  # its .git is a file
    assert name(tmp_path / "beside") == RELEASE


def test_without_a_repository_there_is_the_number(tree, tmp_path):
    assert name(tree) == RELEASE
    git(tmp_path, "init", "-q")  # another repository, around the tree
    commit(tmp_path)
    assert name(tree) == RELEASE
    (tree / ".git").mkdir()  # unusable
    assert name(tree) == RELEASE
    (tree / ".git").rmdir()
    git(tree, "init", "-q")  # without a commit
    assert name(tree) == RELEASE
    assert name(tree, env={**os.environ, "GIT_DIR": str(tmp_path / ".git")}) == RELEASE
    assert name(tree, env={"PATH": str(only(tmp_path, "sh", "sed", "dirname"))}) == RELEASE


def only(tmp_path, *programs):
    """A folder for PATH that has no git."""
    folder = tmp_path / "programs"
    folder.mkdir()
    for program in programs:
        (folder / program).symlink_to(shutil.which(program))
    return folder


@pytest.mark.skipif(os.getuid() != 0, reason="gives files to another user")
def test_root_names_a_tree_of_somebody_else(tree):
    """git refuses to look for a repository there, which would give one build two names: sudo make install."""
    there = commit(tree)
    for path in [tree, *tree.rglob("*")]:
        os.chown(path, 12345, 12345)
    assert name(tree, env={**os.environ, "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null"}) == f"{RELEASE}+git20261128.023000.{there}"


# --- who tells it ---


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    if os.environ.get("POSED_SERVER"):
        pytest.skip("needs a server of its own")
    root = tmp_path_factory.mktemp("root")
    shutil.copy(SAMPLES / "robot.glb", root)
    running = Server(root)
    yield running
    running.end()


def test_all_tell_one_build(server):
    build = server.json("/v1/version")["version"]
    assert NAMES.fullmatch(build)[1] == RELEASE
    assert said(BUILD / "posed", "--version").split()[:2] == ["posed", build]
    assert said(BUILD / "posectl", "--version") == f"posectl {build}"
    assert server.wait_for_line(" serves ").split("posed ")[1].split()[0] == build
    assert f'version="{build}"' in next(line for line in server.get("/metrics").body.decode().splitlines() if line.startswith("posed_build_info{"))
    assert json.loads(said(BUILD / "posectl", "check", "--format", "sarif", SAMPLES / "robot.glb"))["runs"][0]["tool"]["driver"]["version"] == build


@pytest.mark.skipif(BUILD.name in ("sanitize", "tsan"), reason="a library with a sanitizer is not for this process")
def test_the_library_tells_the_same(server):
    library = ctypes.CDLL(str(BUILD / "libposed-eval.so.2"))
    library.pe_version.restype = ctypes.c_char_p
    assert library.pe_version().decode() == server.json("/v1/version")["version"]


def test_what_is_kept_has_the_release_alone(server):
    answer = server.get("/v1/export?model=robot.glb")
    assert answer.headers["server"] == f"posed/{RELEASE}" and f'"generator":"posed {RELEASE}"'.encode() in answer.body
    assert said(BUILD / "posed-import", "--version").startswith(f"posed-import {RELEASE} ")
    for path in BUILD / "posed-import", BUILD / "posed-render":  # their bytes identify the importer
        assert b"@(#)posed " not in path.read_bytes()


def test_no_other_file_tells_the_build():
    found = set()
    for folder in "server", "clients":
        for ending in "*.c", "*.h", "*.cpp":
            found |= {str(path.relative_to(REPOSITORY)) for path in (REPOSITORY / folder).rglob(ending) if "posed_version()" in path.read_text() or
                      "posed_version(void)" in path.read_text()}
    assert found == TELLERS


def test_packages_of_languages_and_the_image_have_the_number():
    python, javascript = REPOSITORY / "clients/python/pyproject.toml", REPOSITORY / "clients/js/package.json"
    assert re.search(r'^version = "(.*)"', python.read_text(), re.M)[1] == RELEASE == json.loads(javascript.read_text())["version"]
    assert re.search(r"^- \*\*State:\*\* version (.+?)\. ", (REPOSITORY / "README.md").read_text(), re.M)[1] == RELEASE
    assert re.search(r"^ARG VERSION=(.+)$", (REPOSITORY / "Dockerfile").read_text(), re.M)[1] == RELEASE
    assert re.search(r"^## (\d\S+) - 20\d\d-\d\d-\d\d$", (REPOSITORY / "CHANGELOG.md").read_text(), re.M)[1] == RELEASE


# --- entity tags ---


def rebuilt(folder, old, new):
    """The server with another text in it, beside the same workers, as if built from another commit."""
    folder.mkdir()
    program = (BUILD / "posed").read_bytes()
    assert len(old) == len(new) and program.count(old) == 1, (old, program.count(old))
    (folder / "posed").write_bytes(program.replace(old, new))
    (folder / "posed").chmod(0o755)
    for worker in "posed-import", "posed-assimp.so", "posed-render":
        (folder / worker).symlink_to(BUILD / worker)
    return folder


def tags(monkeypatch, build, root):
    """(the answer of /v1/version, {target: entity tag})"""
    import conftest
    monkeypatch.setattr(conftest, "BUILD", pathlib.Path(build))
    running = Server(root)
    try:
        of = {target: running.get(target).headers["etag"] for target in (
            "/v1/palette?model=robot.glb&clip=walk&t=0.5", "/v1/export?model=robot.glb", "/v1/models",
            "/v1/render?model=robot.glb&clip=walk&t=0.5&width=16&height=16")}
        for target, tag in of.items():
            assert running.get(target, f"If-None-Match: {tag}").status == 304
        return running.json("/v1/version"), of
    finally:
        running.end()


def test_entity_tags_are_of_answers_and_not_of_builds(tmp_path, server, monkeypatch):
    root = tmp_path / "root"
    root.mkdir()
    shutil.copy(SAMPLES / "robot.glb", root)
    version, of_this = tags(monkeypatch, BUILD, root)
    told = b"@(#)posed " + version["version"].encode()
    commit_of_later = rebuilt(tmp_path / "later", told + b"\0", told[:-1] + b"x\0")
    later, of_later = tags(monkeypatch, commit_of_later, root)
    assert later["version"] == version["version"][:-1] + "x" and of_later == of_this
    number = str(version["answers"]).encode()
    other = rebuilt(tmp_path / "other", b"posed %s answers %s\0" % (RELEASE.encode(), number), b"posed %s answers %s\0" % (RELEASE.encode(), b"x" * len(number)))
    _, of_other = tags(monkeypatch, other, root)
    assert of_other.keys() == of_this.keys() and not set(of_other.values()) & set(of_this.values())
