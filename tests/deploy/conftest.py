"""Tests of what deploy/ holds, by the programs of Debian that it is for. `make deploy-test` installs them and runs these tests."""
import pathlib
import sys

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(REPOSITORY / "tests/deploy/support"), str(REPOSITORY / "tests/api/support")]
