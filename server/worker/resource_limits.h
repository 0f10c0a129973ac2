/* resource_limits.h - resource limits that a worker program puts on itself before it touches outside data.
 * Linux; call once, early in main(), from the only thread. */
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

/* What a process passes on to those that it makes: no new privileges, OOM score 1000 where allowed. Also: it dies with
 * its parent, and descriptors above last_fd are closed (0: none). */
int resource_limits_settle(int last_fd, struct err *err);

/* The rest, after resource_limits_settle() of this process or of the one that made it. Also: no core dumps. */
int resource_limits_set(const struct resource_limits *limits, struct err *err);

/* Others go first from now on: a worker starts as fast as the server would, and yields once it works for clients.
 * has_group: all threads of the process group that it leads; else this thread alone, which is all that the filter of a
 * fork server allows. */
enum { RESOURCE_LIMITS_NICE = 19 };
int resource_limits_yield(bool has_group, struct err *err);
/* The same for its session among others, if it leads one. It cannot fail: not every kernel has such places. */
void resource_limits_yield_session(void);

/* Fills out with what the process is limited to, as the kernel says: "memory=2147483648; processor time=15 s; ...".
 * Before sandbox_enter(), which takes the calls away. */
enum { RESOURCE_LIMITS_TEXT_SIZE = 256 };
void resource_limits_text(char out[RESOURCE_LIMITS_TEXT_SIZE]);

/* Writes text to a file of /proc in one call. False, with errno, when it cannot. */
bool proc_write(const char *path, const char *text);
