"""protocol/warnings.md lists every code that the server's code can say, and no other."""
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
