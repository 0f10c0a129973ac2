"""The commands of deploy/proxies/README.md, as they are, in a minimal Debian."""
import re
import shutil

import pytest

from debian_root import debian_root
from packages import REPOSITORY

PROXIES = REPOSITORY / "deploy/proxies"
SERVICES = "systemctl "  # nothing runs in this root


@pytest.fixture(scope="module")
def root():
    with debian_root() as fresh:
        fresh.apt("update")
        shutil.copytree(PROXIES, fresh.path / "root/proxies")
        yield fresh


def follow(root, heading, then):
    """The commands below the heading, and one more."""
    section = (PROXIES / "README.md").read_text(encoding="utf-8").split(f"\n## {heading}\n")[1]
    commands = re.search(r"```sh[^\n]*\n(.*?)```", section, re.S)[1]
    kept = [line.replace("apt-get install", "apt-get install -q -y --no-install-recommends") for line in commands.splitlines() if not line.startswith(SERVICES)]
    return root.run("sh", "-ec", "\n".join(["cd /root/proxies", *kept, then]))


def test_nginx(root):
    done = follow(root, "nginx", "nginx -t && stat -c %U $POSED_CACHE_FOLDER")
    assert "syntax is ok" in done.stderr and done.stdout.splitlines()[-1] == "www-data", done.stdout + done.stderr


def test_haproxy(root):
    done = follow(root, "HAProxy", "set -a; . /etc/default/haproxy; haproxy -c -f /etc/haproxy/haproxy.cfg")
    assert "Configuration file is valid" in done.stdout, done.stdout + done.stderr
