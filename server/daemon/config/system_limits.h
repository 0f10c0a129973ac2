/* system_limits.h - how much processor and memory this process may use: what the machine has, what its cgroup
 * (container) allows, or its own limits (ulimit -v), whichever is least. Start-up only. */
#pragma once

#include <stdint.h>

struct system_limits {
    uint32_t cores;        /* at least 1; by affinity and cgroup quota, a started core counts */
    uint64_t memory_bytes; /* 0 = unknown */
};

/* `root` is "" for the real machine; a test lays its own files under another: ROOT/proc/meminfo,
 * ROOT/proc/self/cgroup, ROOT/sys/fs/cgroup/... (man 7 cgroups, kernel Documentation/admin-guide/cgroup-v2.rst). */
void system_limits_read(const char *root, struct system_limits *out);
