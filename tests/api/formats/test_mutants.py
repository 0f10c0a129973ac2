"""Damaged models of every format through a running server. `make soak` runs all of them."""
import os
import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "soak"))
import mutants  # noqa: E402


@pytest.mark.skipif(bool(os.environ.get("POSED_SERVER")), reason="needs a server of its own")
def test_the_server_outlives_damaged_models():
    if not any(mutants.seeds().values()):
        pytest.skip("no sample models")
    faults, codes, formats = mutants.run(240, seed="short")
    assert not faults, "\n".join(faults)
    assert sum(formats.values()) == 240 and codes[200] > 0 and len(codes) > 3, codes
