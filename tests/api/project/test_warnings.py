"""protocol/warnings.md lists exactly the codes that the server uses, and formats.md exactly the glTF extensions that it knows."""
import re

import pytest

from conftest import REPOSITORY

pytestmark = pytest.mark.short


def test_the_document_has_every_code():
    said = set()
    for path in (REPOSITORY / "server").rglob("*.c"):
        text = path.read_text(encoding="utf-8")
        said |= set(re.findall(r'\b(?:bake_warn|add_warning)\([^;"]*?"([a-z_]+)"', text))
    document = (REPOSITORY / "protocol/warnings.md").read_text(encoding="utf-8")
    rows = [row.split("|")[1] for row in document.splitlines() if row.startswith("| `")]
    listed = [code for row in rows for code in re.findall(r"`([a-z_]+)`", row)]
    assert len(listed) == len(set(listed))
    assert said - set(listed) == set(), "codes that protocol/warnings.md does not have"
    assert set(listed) - said == set(), "codes that nothing says"


def test_every_extension_of_gltf_is_in_the_page_of_formats():
    known = set(re.findall(r'^EXTENSION\("(\w+)"', (REPOSITORY / "server/import/gltf/gltf_extensions.def").read_text(), re.M))
    section = (REPOSITORY / "protocol/formats.md").read_text().split("## glTF extensions")[1]
    assert known and set(re.findall(r"`((?:KHR|EXT|[A-Z]+C?)_\w+|VRM)`", section)) == known
