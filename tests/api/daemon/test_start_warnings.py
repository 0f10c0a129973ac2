"""What the start's log and --check-config warn of: misspelt variables, and who may change models."""
import re
import subprocess

import pytest

from conftest import REPOSITORY
from posectl import posectl

pytestmark = pytest.mark.short
# A variable of the environment, as the shell, Python, JavaScript, Make and YAML write it.
USED = re.compile(r"""\$\{?POSED_([A-Z0-9_]+) | environ(?:ment)?(?:\.get\(|\[)"POSED_([A-Z0-9_]+) | getenv\("POSED_([A-Z0-9_]+)
                      | \benv\.POSED_([A-Z0-9_]+) | \bPOSED_([A-Z0-9_]+)=""", re.X)
WRONG = {"POSED_HTPP": "127.0.0.1:1", "POSED_COLOUR": "red", "POSED_PORT": "tcp://10.0.0.7:7878", "POSED_SERVICE_HOST": "10.0.0.7", "POSED_BUILD": "build"}
MEANT = "the variable POSED_HTPP has no effect; did you mean POSED_HTTP?"
FOREIGN = "the variable POSED_COLOUR has no effect; posed --help names those that have"


def test_variables_without_effect_are_told(start, command, tmp_path):
    status, out, err = command("--check-config", "--root", str(tmp_path), env=WRONG)
    assert status == 0 and "POSED_HTTP=127.0.0.1:7878\n" in out
    assert sorted(err.splitlines()) == [f"posed: warning: {FOREIGN}", f"posed: warning: {MEANT}"]
    server = start(env=WRONG)
    assert " warn " in server.wait_for_line(MEANT) and server.wait_for_line(FOREIGN)
    assert sum("has no effect" in line for line in server.lines()) == 2


def test_posectl_tells_what_was_misspelt(tmp_path):
    (tmp_path / "empty.obj").write_text("v 0 0 0\n")
    done = posectl("info", tmp_path / "empty.obj", env=WRONG)
    assert [line for line in done.err.splitlines() if "variable" in line] == [f"posectl: warning: {MEANT}"]
    assert "variable" not in posectl("info", "-q", tmp_path / "empty.obj", env=WRONG).err
    assert "variable" not in posectl("--help", env=WRONG).err


def test_variables_that_the_project_uses_are_known(command, tmp_path):
    """In scripts, settings, documents and tests; the C sources read theirs by getenv()."""
    listed = subprocess.run(["git", "-c", "safe.directory=*", "ls-files"], cwd=REPOSITORY, capture_output=True, text=True, check=True).stdout.splitlines()
    used = set()
    for name in listed:
        path = REPOSITORY / name
        if path.is_file() and "/corpus/" not in name and path != REPOSITORY / "tests/api/daemon/test_start_warnings.py":
            text = path.read_text(encoding="utf-8", errors="replace")
            found = re.findall(r'getenv\("POSED_([A-Z0-9_]+)', text) if path.suffix in (".c", ".h") else ["".join(names) for names in USED.findall(text)]
            used.update(found)
    options = set(re.findall(r"POSED_([A-Z0-9_]+)", command("--help")[1]))
    assert {"SERVER", "TOKEN", "PROGRAM", "URL", "FRONT_USER", "SAMPLES", "TIMES_XML"} <= used - options
    status, _, err = command("--check-config", "--root", str(tmp_path), env={f"POSED_{name}": "1" for name in used - options})
    assert (status, err) == (0, ""), "server/daemon/config/other_variables.def lacks it"


@pytest.mark.parametrize("http, token, says", [("127.0.0.1:0", False, "uploads need no token: "), ("0.0.0.0:0", False, "so it takes none: "),
                                               ("127.0.0.1:0", True, None), ("none", False, None)])
def test_uploads_without_a_token_are_told(start, command, tmp_path, http, token, says):
    (tmp_path / "tokens").write_text("0123456789abcdef\n")
    uploads = tmp_path / "uploads"
    uploads.mkdir()
    options = ["--uploads", str(uploads), "--http", http, "--unix", str(tmp_path / "socket"), "--cache-dir", "none"]
    options += ["--token-file", str(tmp_path / "tokens")] if token else []
    status, _, err = command("--check-config", "--root", str(tmp_path), "--tcp", "none", *options)
    told = [line for line in err.splitlines() if "--uploads" in line]
    assert status == 0 and len(told) == (says is not None)
    assert says is None or told[0].startswith(f"posed: warning: --uploads {uploads}: ") and says in told[0] and "--token-file" in told[0]
    server = start(*options)
    server.wait_for_line(" serves ")
    assert says is None or " warn " in server.wait_for_line(says)
    assert sum("--uploads" in line for line in server.lines()) == len(told)
