"""Tests of what deploy/ holds, with the programs that it is written for: Debian's haproxy, nginx, varnish, prometheus, ...

`make deploy-test` installs them; a test whose program is missing is skipped and says so. Servers are those of tests/api/conftest.py, whose
names and fixtures this one has too.
"""
import importlib.util
import pathlib
import sys

DEPLOY_TESTS = pathlib.Path(__file__).resolve().parent
_spec = importlib.util.spec_from_file_location("api_conftest", DEPLOY_TESTS.parent / "api" / "conftest.py")
_api = sys.modules["api_conftest"] = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(_api)
globals().update({name: value for name, value in vars(_api).items() if not name.startswith("__")})

# Tests import the modules of support/ by name, as in tests/api/support.
sys.path.insert(0, str(DEPLOY_TESTS / "support"))
