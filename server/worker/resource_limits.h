/* resource_limits.h - resource limits that a worker program sets on itself before it handles outside data. Linux. Call
 * it once, early in main(), from the only thread. */
#pragma once

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

struct resource_limits {
    uint64_t cpu_s;        /* RLIMIT_CPU; 0 = none */
    uint64_t memory_bytes; /* RLIMIT_AS; 0 = none, as in builds with sanitizers */
    uint64_t file_bytes;   /* RLIMIT_FSIZE, bounds the result's memfd; 0 = none */
    uint64_t open_files;   /* RLIMIT_NOFILE; 0 = none */
};

/* Sets what child processes inherit: no new privileges, OOM score 1000 where allowed. Also, the process dies with its
 * parent, and descriptors above last_fd are closed (0: none). */
int resource_limits_settle(int last_fd, struct err *err);

/* Sets the limits, after resource_limits_settle() in this process or its parent. Also disables core dumps. */
int resource_limits_set(const struct resource_limits *limits, struct err *err);

/* Lowers the priority: a worker starts as fast as the server would, and yields to others once it works for clients.
 * has_group: for all threads of the process group that it leads; otherwise only for this thread, which is all that a
 * fork server's filter allows. */
enum { RESOURCE_LIMITS_NICE = 19 };
int resource_limits_yield(bool has_group, struct err *err);
/* Does the same for the session among others, if the process leads one. It ignores failures, because not every kernel
 * has autogroups. */
void resource_limits_yield_session(void);

/* Writes the limits that the kernel reports to out: "memory=2147483648; processor time=15 s; ...". Call it before
 * sandbox_enter(), which forbids the needed calls. */
enum { RESOURCE_LIMITS_TEXT_SIZE = 256 };
void resource_limits_text(char out[RESOURCE_LIMITS_TEXT_SIZE]);

/* Writes text to a file of /proc in one call. False, with errno, on failure. */
bool proc_write(const char *path, const char *text);
