"""Finds out whether the machine was otherwise idle during a measurement.

Each of four signs counts: processor time of processes other than ours; time that a hypervisor took; a piece of work of fixed size
that takes longer than at its best, before or after; and how long the measured processes waited for a processor that others had. If a
program measures its own processor time, others may run beside it as long as they leave it a processor. More of them would take turns
with it and evict its caches.
"""
import ctypes
import hashlib
import math
import os
import pathlib
import time

TICK_S = 1 / os.sysconf("SC_CLK_TCK")
OTHERS_MAX = 0.03  # of all processors' time
STEAL_MAX = 0.01
SLOWER_MAX = 0.15  # than the best time of the fixed piece of work
WAITED_MAX = 0.03  # of the measured time
PATIENCE_S, LOOK_S = 60, 0.2  # of a whole run, to wait for other processes; the interval of the checks
BLOCK = bytes(256 << 10)


def processors():
    """Seconds so far of all processors: (used, stolen)."""
    fields = [int(one) for one in pathlib.Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:]]
    user, nice, system, _, _, _, _, steal = (fields + [0] * 8)[:8]
    return (user + nice + system) * TICK_S, steal * TICK_S


def processes():
    """{pid: (parent, seconds of its own and of its ended children)}."""
    table = {}
    for entry in os.scandir("/proc"):
        if not entry.name.isdigit():
            continue
        try:
            fields = pathlib.Path(entry.path, "stat").read_text().rsplit(")", 1)[1].split()
        except (OSError, IndexError):
            continue
        table[int(entry.name)] = int(fields[1]), sum(int(one) for one in fields[11:15]) * TICK_S
    return table


def totals(root=None):
    """Seconds so far of (this process and all below it, all other processes), including ended ones."""
    table, root = processes(), root or os.getpid()
    below = {}
    for pid, (parent, _) in table.items():
        below.setdefault(parent, []).append(pid)
    found, ours = [root], 0.0
    while found:
        pid = found.pop()
        ours += table.get(pid, (0, 0.0))[1]
        found += below.get(pid, [])
    return ours, sum(seconds for _, seconds in table.values()) - ours


def adopt_orphans():
    """Become the parent of orphans of our children: xvfb-run ends before its Xvfb, whose time is ours too (prctl(2),
    PR_SET_CHILD_SUBREAPER)."""
    ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)


def waited_s(pid):
    """How long a process' first thread, which answers, waited while it was ready to run; None if the kernel does not report it."""
    try:
        return int(pathlib.Path(f"/proc/{pid}/schedstat").read_text().split()[1]) / 1e9
    except (OSError, ValueError, IndexError):
        return None


def work_s():
    """The time of a fixed piece of work: the least of three."""
    times = []
    for _ in range(3):
        begin = time.perf_counter()
        hashlib.sha256(BLOCK).digest()
        times.append(time.perf_counter() - begin)
    return min(times)


def processor_time(task):
    """Marks a task whose result is in processor time, not in elapsed time."""
    task.is_processor_time = True
    return task


def reasons_of(seconds, cpus, others_s, unseen_s, steal_s, work, best, waits, is_processor_time=False):
    """The reasons why a measurement does not count; empty: it was undisturbed. others_s: seconds of other processes; unseen_s: seconds of
    processes that are not visible here, such as those of another container, estimated from the kernel's samples; work: times of the fixed
    piece of work before and after; waits: seconds that each measured process waited."""
    found = []
    capacity = seconds * cpus
    bound = max(OTHERS_MAX * capacity, capacity - seconds if is_processor_time else 0)
    if others_s > bound + TICK_S or unseen_s > bound + samples_error_s(capacity):
        found.append("other processes ran")
    if steal_s > STEAL_MAX * capacity + TICK_S:
        found.append("the hypervisor took time")
    if max(work) > (1 + SLOWER_MAX) * best:
        found.append("the processor was slower")
    if any(wait > WAITED_MAX * seconds + 0.001 for wait in waits):
        found.append("it waited for a processor")
    return found


def samples_error_s(capacity):
    """The possible error of /proc/stat: it counts the process that runs at each tick, so half a processor is a coin toss a hundred times a
    second. Three standard deviations, and the rounding."""
    return TICK_S * (3 + 1.5 * math.sqrt(capacity / TICK_S))


class Quiet:
    """Watches a run. `best` is the least time of the fixed piece of work so far; it is measured thoroughly at the start."""

    def __init__(self):
        self.cpus = len(os.sched_getaffinity(0))
        self.best = min(work_s() for _ in range(20))
        self.seen = {}  # reason: number of times, over the whole run
        self.patience_s = PATIENCE_S

    def _work(self):
        now = work_s()
        self.best = min(self.best, now)
        return now

    def settle(self):
        """Wait until other processes are idle, as long as there is patience."""
        while self.patience_s > 0:
            self.patience_s -= LOOK_S
            others = totals()[1]
            time.sleep(LOOK_S)
            if totals()[1] - others <= OTHERS_MAX * LOOK_S * self.cpus + TICK_S:
                return

    def watch(self, task):
        """(the result of task(), [reasons]). task.pids, if it has them: processes that must not wait, because each has a processor to
        itself."""
        before, pids = self._work(), getattr(task, "pids", ())
        waits, start = [waited_s(pid) for pid in pids], (*processors(), *totals())
        begin = time.perf_counter()
        value = task()
        seconds = time.perf_counter() - begin
        used, stolen, ours, others = (now - then for now, then in zip((*processors(), *totals()), start))
        waits = [now - then for now, then in zip([waited_s(pid) for pid in pids], waits) if now is not None and then is not None]
        found = reasons_of(seconds, self.cpus, others, used - ours - others, stolen, (before, self._work()), self.best, waits,
                           getattr(task, "is_processor_time", False))
        for reason in found:
            self.seen[reason] = self.seen.get(reason, 0) + 1
        return value, found
