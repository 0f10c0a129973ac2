"""deploy/systemd: systemd's analysis of the unit, and the service in a Debian started by systemd."""
import json
import re
import shutil
import signal
import subprocess

import pytest

from debian_root import debian_root
from packages import REPOSITORY, packages

UNITS = REPOSITORY / "deploy/systemd"
URL = "http://127.0.0.1:7878"
PNG = b"\x89PNG\r\n\x1a\n"

needs_systemd_analyze = pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd is not installed")

OPTIONS = (REPOSITORY / "server/daemon/config/options.def").read_text(encoding="utf-8")
needs_signals = pytest.mark.skipif('"drain-delay"' not in OPTIONS, reason="this server has neither watchdog nor passed sockets")


@needs_systemd_analyze
def test_units_are_well_formed(tmp_path):
    """The program must exist for systemd-analyze: this build's program takes its place."""
    for unit in sorted(UNITS.glob("posed.s[eo]*")):
        (tmp_path / unit.name).write_text(unit.read_text(encoding="utf-8").replace("/usr/bin/posed", "/bin/true"), encoding="utf-8")
    units = sorted(tmp_path.iterdir())
    assert "posed.service" in {unit.name for unit in units}
    checked = subprocess.run(["systemd-analyze", "verify", "--man=no", *units], capture_output=True, text=True, check=False)
    assert checked.returncode == 0 and checked.stdout + checked.stderr == ""


@needs_systemd_analyze
def test_its_exposure_is_below_three():
    checked = subprocess.run(["systemd-analyze", "security", "--offline=true", "--threshold=30", "--no-pager", UNITS / "posed.service"],
                             capture_output=True, text=True, check=False)
    level = re.search(r"Overall exposure level for posed.service: ([0-9.]+)", checked.stdout)
    assert checked.returncode == 0 and float(level[1]) < 3, checked.stdout[-2000:]


def test_settings_in_the_default_file_are_options():
    """Each commented variable of posed.default is a variable of an option."""
    options = OPTIONS + (REPOSITORY / "protocol/limits.def").read_text(encoding="utf-8")
    names = re.findall(r"^#(POSED_[A-Z_]+)=", (UNITS / "posed.default").read_text(encoding="utf-8"), re.M)
    names += re.findall(r"(POSED_[A-Z_]+)=", (UNITS / "posed.service").read_text(encoding="utf-8"))
    assert len(names) >= 5
    for name in names:
        assert f'"{name.removeprefix("POSED_").lower().replace("_", "-")}"' in options, name


@pytest.fixture(scope="module")
def machine():
    """A Debian whose systemd has started the package's service."""
    made = packages()
    with debian_root() as root:
        root.install(made["posed"], made["posectl"])
        with root.booted() as booted:
            yield booted


def is_active(machine):
    """Of the service."""
    return machine.run("systemctl", "is-active", "posed", check=False).stdout.strip() == "active"


def status(machine, key):
    pid = machine.show("posed", "MainPID")
    return re.search(rf"^{key}:\s*(.*)$", machine.run("cat", f"/proc/{pid}/status").stdout, re.M)[1]


def journal(machine):
    return machine.run("journalctl", "-u", "posed", "-o", "cat", "--no-pager").stdout


def stats(machine):
    return json.loads(machine.curl(f"{URL}/v1/stats"))


def test_it_serves_after_boot(machine):
    state = machine.run("systemctl", "is-active", "posed", check=False).stdout.strip()
    assert state == "active", journal(machine)
    model = json.loads(machine.curl(f"{URL}/v1/models?limit=1"))["models"][0]["model"]
    assert b'"palettes":[[' in machine.curl(f"{URL}/v1/palette?model={model}&t=0.5")
    assert machine.curl(f"{URL}/v1/render?model={model}&t=0.5").startswith(PNG)


def test_it_runs_as_its_user_without_rights(machine):
    user = machine.run("id", "-u", "posed").stdout.strip()
    assert status(machine, "Uid").split() == [user] * 4 and user != "0"
    assert int(status(machine, "CapEff"), 16) == int(status(machine, "CapBnd"), 16) == 0
    assert status(machine, "NoNewPrivs") == "1" and status(machine, "Seccomp") == "2"


def test_the_unit_takes_nothing_from_the_sandbox_of_the_workers(machine):
    """Their report is the same as outside the unit, for the same user."""
    def reports(text):
        return re.findall(r"^ +((?:system calls|Landlock|namespaces) .*?) *$", text, re.M)

    machine.run("sh", "-ec", "mkdir -p /run/systemd/system/posed.service.d && cd /run/systemd/system/posed.service.d && "
                "printf '[Service]\\nExecStartPre=/usr/bin/posed --self-test-sandbox\\n' >test.conf && systemctl daemon-reload && systemctl restart posed")
    inside = reports(journal(machine))
    machine.run("sh", "-ec", "rm /run/systemd/system/posed.service.d/test.conf && systemctl daemon-reload && systemctl restart posed")
    assert len(inside) == 6 and sum(re.fullmatch("system calls +filtered", line) is not None for line in inside) == 2, journal(machine)
    assert "workers are confined" in journal(machine)
    # RestrictNamespaces= and the filter of the unit would cause refusals here.
    outside = machine.run("setpriv", "--reuid=posed", "--regid=posed", "--clear-groups", "env", "POSED_ROOT=/usr/share/posed/samples",
                          "POSED_CACHE_DIR=none", "posed", "--self-test-sandbox", check=False)
    assert inside == reports(outside.stdout)


def test_a_restart_takes_models_from_the_cache_folder(machine):
    machine.curl(f"{URL}/v1/palette?model=robot.glb")
    machine.wait(lambda: stats(machine)["disk"]["stored"] + stats(machine)["disk"]["hits"] > 0, "nothing is stored in the cache folder")
    machine.run("systemctl", "restart", "posed")
    machine.curl(f"{URL}/v1/palette?model=robot.glb")
    after = stats(machine)
    assert after["disk"]["hits"] == 1 and after["imports"]["started"] == 0


def test_reload_keeps_the_process(machine):
    before = machine.show("posed", "MainPID")
    machine.run("systemctl", "reload", "posed")
    assert machine.show("posed", "MainPID") == before and is_active(machine)
    machine.curl(f"{URL}/healthz")


def test_a_process_that_dies_is_started_again(machine):
    before = machine.show("posed", "MainPID")
    machine.run("sh", "-c", f"kill -{signal.SIGKILL.value} {before}")
    machine.wait(lambda: machine.show("posed", "MainPID") not in (before, "0") and is_active(machine), "it is not started again")
    machine.curl(f"{URL}/healthz")


@needs_signals
def test_the_watchdog_is_told_that_it_lives(machine):
    before, restarts = machine.show("posed", "WatchdogTimestampMonotonic"), machine.show("posed", "NRestarts")
    assert int(before) > 0
    machine.wait(lambda: machine.show("posed", "WatchdogTimestampMonotonic") != before, "the watchdog hears nothing")
    assert machine.show("posed", "NRestarts") == restarts


@needs_signals
def test_a_socket_unit_holds_the_port_while_the_service_is_away(machine):
    machine.run("systemctl", "stop", "posed.service")
    machine.run("systemctl", "start", "posed.socket")
    assert machine.run("systemctl", "is-active", "posed.service", check=False).stdout.strip() == "inactive"
    machine.curl(f"{URL}/healthz")  # this starts the service
    assert is_active(machine)
    machine.run("systemctl", "stop", "posed.socket", "posed.service")
    machine.run("systemctl", "start", "posed.service")


def test_stop_ends_it_in_order(machine):
    machine.run("systemctl", "stop", "posed")
    assert machine.show("posed", "Result") == "success" and machine.show("posed", "ExecMainStatus") == "0"


def test_a_bad_setting_is_told_and_not_tried_again(machine):
    machine.run("sh", "-c", "cp /etc/default/posed /root/kept && echo POSED_ROOT=/missing >>/etc/default/posed")
    machine.run("systemctl", "reset-failed", "posed")  # the starts of earlier tests count for StartLimitBurst=
    assert machine.run("systemctl", "start", "posed", check=False).returncode != 0
    assert machine.run("systemctl", "is-active", "posed", check=False).stdout.strip() == "failed"
    assert machine.show("posed", "NRestarts") == "0" and "/missing" in journal(machine)
    machine.run("sh", "-c", "cp /root/kept /etc/default/posed && systemctl reset-failed posed && systemctl start posed")
    assert is_active(machine)
