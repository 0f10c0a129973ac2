"""Libraries that replace the system's functions in a server's process, by LD_PRELOAD."""
import functools
import pathlib
import shutil
import subprocess
import tempfile

import pytest

from conftest import REPOSITORY

FOLDER = tempfile.TemporaryDirectory(prefix="posed-stand-ins-")  # gone with this process


@functools.cache
def compiled(name):
    library = pathlib.Path(FOLDER.name) / f"{name}.so"
    source = REPOSITORY / "tests" / "api" / "support" / "stand_in" / f"{name}.c"
    subprocess.run(["cc", "-O1", "-shared", "-fPIC", "-o", library, source, "-ldl"], check=True)
    return library


def stand_in_library(name):
    """support/stand_in/NAME.c as a library, compiled once for all tests of a process."""
    if not shutil.which("cc"):
        pytest.skip("there is no C compiler")
    return compiled(name)
