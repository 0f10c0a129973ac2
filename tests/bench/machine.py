"""Describes the measured machine and builds."""
import os
import pathlib
import platform
import re
import subprocess

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]


def read(path, otherwise=""):
    try:
        return pathlib.Path(path).read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return otherwise


def said(*words, pattern=r"(.+)", otherwise="not found"):
    """A program's output about itself, on stdout or stderr."""
    try:
        done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=20, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return otherwise
    found = re.search(pattern, done.stdout)
    return found.group(1).strip() if found else otherwise


def machine():
    information = read("/proc/cpuinfo")
    field = lambda name: (re.search(rf"^{name}\s*: (.+)$", information, re.M) or [None, ""])[1]
    release = re.search(r'^PRETTY_NAME="?([^"\n]+)', read("/etc/os-release"), re.M)
    governor = {read(one) for one in pathlib.Path("/sys/devices/system/cpu").glob("cpu*/cpufreq/scaling_governor")}
    return {
        "processor": field("model name") or platform.machine(),
        "family": f"{field('cpu family')}/{field('model')}/{field('stepping')}",
        "processors": len(os.sched_getaffinity(0)),
        "memory_gib": round(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 2**30, 1),
        "kernel": platform.release(),
        "system": release[1] if release else platform.system(),
        "governor": ", ".join(sorted(governor)) or "none is told",
        "hypervisor": "yes" if " hypervisor" in field("flags") else "no",
    }


def commit():
    """The commit of a working tree, and whether it was changed."""
    git = lambda *words: subprocess.run(["git", "-C", REPOSITORY, *words], capture_output=True, text=True, check=False)
    try:
        head = git("rev-parse", "--short=12", "HEAD")
        changed = git("status", "--porcelain", "--untracked-files=no").stdout.strip()
    except OSError:
        return "unknown"
    return "none" if head.returncode else head.stdout.strip() + (" with changes" if changed else "")


def package(name):
    return said("dpkg-query", "-W", "-f", "${Version}", name)


def builds(version):
    """version: the answer of a running server to /v1/version."""
    return {
        "posed": ", ".join(f"{key} {value}" for key, value in version.items() if value is not None),
        "commit": commit(),
        "gcc": said(os.environ.get("CC", "gcc"), "--version"),
        "assimp": package("libassimp-dev"),
        "nginx": said("nginx", "-v", pattern=r"nginx/(\S+)"),
        "redis": said("redis-server", "--version", pattern=r"v=(\S+)"),
        "f3d": said("f3d", "--version", pattern=r"f3d (\S+)"),
        "mesa": package("libgl1-mesa-dri"),
        "node": said("node", "--version"),
        "three": said("node", "-p", f"require('{REPOSITORY}/tests/web/node_modules/three/package.json').version"),
    }
