#!/usr/bin/env python3
"""The writer of floats against the standard library's, over more than 2^27 bit patterns on two threads.

    floats.py [--all]

--all takes every bit pattern there is, a matter of minutes.
"""
import os
import pathlib
import sys

COUNT = 3 << 26  # of which one in 128 is no number
floats = pathlib.Path(os.environ.get("POSED_BUILD", "build")) / "test" / "floats"
os.execv(floats, [floats, str(1 << 32 if "--all" in sys.argv[1:] else COUNT), "2"])
