#!/usr/bin/env python3
"""Compares the writer of floats with the standard library's, for more than 2^27 bit patterns, on two threads.

    floats.py [--all]

--all compares all bit patterns, which takes minutes.
"""
import os
import pathlib
import sys

COUNT = 3 << 26  # of which one in 128 is no number
floats = pathlib.Path(os.environ.get("POSED_BUILD", "build")) / "test" / "floats"
os.execv(floats, [floats, str(1 << 32 if "--all" in sys.argv[1:] else COUNT), "2"])
