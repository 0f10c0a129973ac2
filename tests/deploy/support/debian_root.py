"""A minimal Debian 12 in a folder: to install packages in, and to start with its systemd.

Made once (build/deploy-test/base-*.tar) from this machine's apt sources; downloaded packages are kept beside it. Everything runs in
namespaces that end with it, so that neither a mount nor a process is left behind. Needs root.
"""
import contextlib
import hashlib
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time

import pytest

REPOSITORY = pathlib.Path(__file__).resolve().parents[3]
WORK = REPOSITORY / "build" / "deploy-test"
BOOT = pathlib.Path(__file__).with_name("boot.sh")
PACKAGES = "usr-is-merged,systemd,systemd-sysv,dbus"
PATIENCE_S = 600  # for a command, such as apt-get with its downloads
WAIT_S = 90  # for events that are immediate unless the machine is busy
# Makes a folder of this machine the root of a command, with its own processes and mounts.
ENTER = """
set -e
mount --make-rprivate /
mount -t proc proc "$1/proc"
mount --rbind /dev "$1/dev"
mount --rbind /sys "$1/sys"
mkdir -p "$1/var/cache/apt/archives" && mount --bind "$2" "$1/var/cache/apt/archives"
root=$1
shift 2
exec chroot "$root" "$@"
"""


def is_refused():
    """Why such a root is impossible here, or None."""
    if os.geteuid() != 0:
        return "needs root, for chroot and mounts"
    if shutil.which("mmdebstrap") is None:
        return "mmdebstrap is not installed: deploy/deps.sh deploy"
    tried = subprocess.run(["unshare", "--mount", "--pid", "--fork", "mount", "-t", "proc", "proc", "/proc"],
                           capture_output=True, text=True, check=False)
    return f"mounts are refused here: {tried.stderr.strip()}" if tried.returncode != 0 else None


def sources():
    """Debian's apt sources of this machine."""
    for path in "/etc/apt/sources.list.d/debian.sources", "/etc/apt/sources.list":
        with contextlib.suppress(OSError):
            text = pathlib.Path(path).read_text(encoding="utf-8")
            if "bookworm" in text:
                return text
    pytest.skip("apt on this machine has no sources of Debian 12")


def base():
    """The path of the minimal root as a tar. It is made if it does not exist."""
    asked = subprocess.run(["apt-config", "dump"], capture_output=True, text=True, check=True).stdout.splitlines()
    options = [line for line in asked if line.startswith(("Acquire::http", "Acquire::Check-", "Acquire::Retries"))]
    name = hashlib.sha256("\n".join([PACKAGES, sources(), *options]).encode()).hexdigest()[:12]
    made = WORK / f"base-{name}.tar"
    if not made.exists():
        WORK.mkdir(parents=True, exist_ok=True)
        part = WORK / "base.part.tar"
        run = subprocess.run(["mmdebstrap", "--quiet", "--mode=root", "--variant=minbase", "--format=tar", f"--include={PACKAGES}",
                              "--hook-dir=/usr/share/mmdebstrap/hooks/merged-usr", '--aptopt=Acquire::Languages "none"',
                              *(f"--aptopt={option}" for option in options), "bookworm", part, "-"],
                             input=sources(), env={**os.environ, "TMPDIR": str(WORK)}, capture_output=True, text=True, check=False)
        if run.returncode != 0:
            pytest.skip(f"mmdebstrap cannot make a minimal Debian 12: {run.stderr.strip()[-300:]}")
        part.rename(made)
    return made


class DebianRoot:
    """A root at `path`."""

    def __init__(self, path):
        self.path = pathlib.Path(path)

    def run(self, *command, check=True, **options):
        """Run a command in the root, in the network of this machine. Returns the same as subprocess.run()."""
        archives = WORK / "archives"
        (archives / "partial").mkdir(parents=True, exist_ok=True)
        options = {"capture_output": True, "text": True, "timeout": PATIENCE_S, "stdin": subprocess.DEVNULL, **options}
        proxies = {k: v for k, v in os.environ.items() if k.lower().endswith("_proxy")}
        done = subprocess.run(["unshare", "--mount", "--pid", "--fork", "--kill-child", "bash", "-c", ENTER, "-", self.path, archives,
                               "/usr/bin/env", "-i", "HOME=/root", "LC_ALL=C.UTF-8", "DEBIAN_FRONTEND=noninteractive",
                               "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
                               *(f"{k}={v}" for k, v in proxies.items()), *map(str, command)], check=False, **options)
        if check:
            assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
        return done

    def apt(self, *arguments):
        return self.run("apt-get", "-q", "-y", *arguments)

    def install(self, *packages):
        """Install .deb files of this machine and their dependencies."""
        names = []
        for package in packages:
            shutil.copy(package, self.path / "root")
            names.append(f"/root/{pathlib.Path(package).name}")
        self.apt("update")
        return self.apt("install", "--no-install-recommends", *names)

    @contextlib.contextmanager
    def booted(self):
        """Start the root's systemd as process 1 of its own namespaces. Yields a running Machine."""
        groups = [folder / f"posed-test-{os.getpid()}" for folder in cgroup_roots()]
        for group in groups:
            group.mkdir(exist_ok=True)
        join = "".join(f"echo $$ >{group}/cgroup.procs; " for group in groups)
        process = subprocess.Popen(["bash", "-c", f"{join} exec unshare --mount --pid --uts --ipc --net --cgroup --fork --kill-child "
                                    f"bash {BOOT} {self.path}"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                   start_new_session=True)
        try:
            yield Machine(process)
        finally:
            process.send_signal(signal.SIGKILL)  # unshare, and with it process 1 and everything below
            process.wait()
            for group in groups:
                remove_group(group)


class Machine:
    """A root that systemd has started."""

    def __init__(self, process):
        deadline = time.monotonic() + WAIT_S
        self.init = None
        while True:
            assert process.poll() is None, "systemd did not start"
            assert time.monotonic() < deadline, "systemd is not up"
            children = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
            if children:
                self.init = int(children[0])
                state = self.run("systemctl", "is-system-running", check=False).stdout.strip()
                if state in ("running", "degraded"):
                    return
            time.sleep(0.1)

    def run(self, *command, check=True, **options):
        """Run a command inside, as its root."""
        options = {"capture_output": True, "text": True, "timeout": PATIENCE_S, "stdin": subprocess.DEVNULL, **options}
        done = subprocess.run(["nsenter", "-t", str(self.init), "-a", "/usr/bin/env", "-i", "PATH=/usr/sbin:/usr/bin", *map(str, command)],
                              check=False, **options)
        if check:
            assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
        return done

    def curl(self, url):
        """The body of an answer, from this machine's curl in the network of the root."""
        return subprocess.run(["nsenter", "-t", str(self.init), "-n", "curl", "-fsS", "--max-time", str(WAIT_S), url],
                              capture_output=True, check=True, timeout=PATIENCE_S).stdout

    def show(self, unit, name):
        return self.run("systemctl", "show", "-P", name, unit).stdout.strip()

    def wait(self, condition, what):
        deadline = time.monotonic() + WAIT_S
        while not condition():
            assert time.monotonic() < deadline, what
            time.sleep(0.1)


def cgroup_roots():
    top = pathlib.Path("/sys/fs/cgroup")
    if (top / "cgroup.controllers").exists():
        return [top]
    return [top / name for name in ("systemd", "memory", "pids") if (top / name).is_dir()]


def remove_group(group):
    """Its processes have been killed, and the kernel needs a moment to remove them."""
    deadline = time.monotonic() + 10
    while group.is_dir() and time.monotonic() < deadline:
        for folder, _, _ in os.walk(group, topdown=False):
            with contextlib.suppress(OSError):
                os.rmdir(folder)
        time.sleep(0.05)


@contextlib.contextmanager
def debian_root():
    """A fresh root; removed at the end."""
    why_not = is_refused()
    if why_not:
        pytest.skip(why_not)
    tar = base()
    with tempfile.TemporaryDirectory(prefix="root.", dir=WORK) as folder:
        os.chmod(folder, 0o755)
        subprocess.run(["tar", "-C", folder, "--numeric-owner", "--exclude=./dev/*", "-xf", tar], check=True)
        root = DebianRoot(folder)
        for name in "/etc/resolv.conf", "/etc/hosts":
            shutil.copy(name, f"{folder}{name}")
        yield root
