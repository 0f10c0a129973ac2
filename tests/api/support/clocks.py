"""A server whose clocks a test can set."""
import mmap
import pathlib
import struct

import pytest

from conftest import is_sanitized
from stand_ins import stand_in_library

YEAR_S = 365 * 24 * 3600


class Clocks:
    """Seconds by which the clocks of the processes with `env` are ahead of the real ones."""

    def __init__(self, folder):
        if is_sanitized():
            pytest.skip("a sanitizer must be loaded before the clocks")
        folder = pathlib.Path(folder)
        folder.mkdir(exist_ok=True)
        library, path = stand_in_library("clock_stand_in"), folder / "clocks"
        path.write_bytes(bytes(16))
        with path.open("r+b") as file:
            self.ahead = mmap.mmap(file.fileno(), 16)
        self.env = {"LD_PRELOAD": str(library), "POSED_TEST_CLOCKS": str(path)}

    def turn(self, wall_s=0, monotonic_s=0):
        wall, monotonic = struct.unpack("<qq", self.ahead[:])
        self.ahead[:] = struct.pack("<qq", wall + wall_s, monotonic + monotonic_s)
