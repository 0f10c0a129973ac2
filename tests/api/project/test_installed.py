"""What `make install` puts into a folder: documents whose links lead to something that is installed."""
import os
import pathlib
import subprocess

import pytest

from conftest import BUILD, REPOSITORY
from document_links import dead_links, links


def install(folder, *variables):
    """make install, of the programs that are there."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("MAKE", "MFLAGS"))}
    done = subprocess.run(["make", "-s", "-o", "all", "install", "NODEPS=1", f"out={BUILD}", f"DESTDIR={folder}", *variables], cwd=REPOSITORY,
                          env=kept, capture_output=True, text=True, check=False)
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
