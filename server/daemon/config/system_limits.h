/* system_limits.h - finds how much processor and memory this process may use: the least of the machine's, its cgroup's
 * (container) and its own limits (ulimit -v). Start-up only. */
#pragma once

#include <stdint.h>

struct system_limits {
    uint32_t cores;        /* at least 1; by affinity and cgroup quota, rounded up */
    uint64_t memory_bytes; /* 0 = unknown */
};

/* `root` is "" for the real machine; a test puts its own files under another root: ROOT/proc/meminfo,
 * ROOT/proc/self/cgroup, ROOT/sys/fs/cgroup/... (man 7 cgroups, kernel Documentation/admin-guide/cgroup-v2.rst). */
void system_limits_read(const char *root, struct system_limits *out);
