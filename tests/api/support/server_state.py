"""What a running server holds: processes, memory, descriptors, statistics, and a sanitizer's reports."""
import os
import pathlib
import re
import time

from conftest import PATIENCE_S


def workers(server):
    """Process ids of the server's renderers."""
    found = []
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            name, rest = stat.read_text().split("(", 1)[1].rsplit(")", 1)
        except (OSError, IndexError):
            continue  # it has ended meanwhile
        state, parent = rest.split()[:2]
        if name.startswith("posed-render") and int(parent) == server.process.pid and state != "Z":
            found.append(int(stat.parent.name))
    return found


def open_files(server):
    return len(os.listdir(f"/proc/{server.process.pid}/fd"))


def memory_files(server):
    """Models and results of imports that the process holds, in any of its threads."""
    count = 0
    for entry in os.scandir(f"/proc/{server.process.pid}/fd"):
        try:
            count += "memfd" in os.readlink(entry.path)
        except FileNotFoundError:
            pass  # closed since it was listed
    return count


def memory_kib(server):
    for line in pathlib.Path(f"/proc/{server.process.pid}/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1])


def wait_for_stats(server, is_so):
    """The first statistics for which is_so() is true."""
    deadline = time.monotonic() + PATIENCE_S
    while not is_so(stats := server.json("/v1/stats")):
        assert time.monotonic() < deadline, stats
        time.sleep(0.02)
    return stats


DESCRIPTOR_CALLS = {"accept4", "close", "closedir", "fcntl", "fdopendir", "open", "open64", "openat", "openat64", "opendir",
                    "pipe2", "socket", "socketpair"}


def sanitizer_reports(server):
    """A sanitizer's reports about memory. libuv closes descriptors by a bare system call, which ThreadSanitizer does not see. It reports a
    race between the next user of the number and the previous one."""
    said = []
    for part in "\n".join(server.lines()).split("=================="):
        calls = re.findall(r"^ +#0 (\w+)", part, re.M)[:2]
        if ("WARNING: Thr" in part and DESCRIPTOR_CALLS.isdisjoint(calls)) or "ERROR: Addr" in part:
            said.append(part)
    return said
