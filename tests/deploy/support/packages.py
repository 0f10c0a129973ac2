"""The Debian packages that `make deb` makes of this tree."""
import functools
import os
import pathlib
import shutil
import subprocess

import pytest

REPOSITORY = pathlib.Path(__file__).resolve().parents[3]
VERSION = subprocess.run([REPOSITORY / "deploy/version.sh"], capture_output=True, text=True, check=True).stdout.strip()


def make(*arguments, cwd=REPOSITORY, **environment):
    """Run make as a user would. A failure contains its output."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("MAKE", "MFLAGS"))}
    done = subprocess.run(["make", *arguments], cwd=cwd, env=kept | environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"make {' '.join(arguments)}: {done.stdout[-3000:]}{done.stderr[-3000:]}"
    return done.stdout


@functools.cache
def packages():
    """{name: path} of the packages, made once."""
    if shutil.which("dh") is None:
        pytest.skip("debhelper is not installed: deploy/deps.sh deb")
    make(f"-j{os.cpu_count()}", "deb")
    return {path.name.split("_")[0]: path for path in sorted((REPOSITORY / "build/deb").glob("*.deb"))}
