/* worker_usage.h - tracks the worker processes, their ends and their resource usage, for /metrics. Main loop's thread
 * only; before the loop runs, the main thread. */
#pragma once

#include "wire/encode/exposition.h"

#include <stdbool.h>
#include <sys/resource.h>
#include <sys/types.h>

/* The purpose of a process. */
enum worker_program {
    WORKER_PROBE,         /* start-up queries: its version, its sandbox */
    WORKER_IMPORT,        /* one import */
    WORKER_IMPORT_SERVER, /* forks the processes of imports */
    WORKER_RENDER,
    WORKER_PROGRAM_COUNT
};

enum worker_end { WORKER_EXITED, WORKER_FAILED, WORKER_SIGNALLED, WORKER_TIMED_OUT, WORKER_KILLED, WORKER_END_COUNT };

/* A running process. A member of struct child. */
struct worker_entry {
    enum worker_program program;
    pid_t pid; /* 0: not in the list */
    struct worker_entry *prev, *next;
};

/* Adds a started process; the entry must not move until worker_usage_remove(). */
void worker_usage_add(struct worker_entry *entry, enum worker_program program, pid_t pid);
/* Removes a process that has ended and was waited for. used: the result of wait4(), or NULL if other code has waited.
 * Does nothing for an entry outside of the list. */
void worker_usage_remove(struct worker_entry *entry, enum worker_end end, const struct rusage *used);

/* Each writes the samples of one family. */
void worker_usage_put_starts(struct exposition *out);
void worker_usage_put_ends(struct exposition *out);
void worker_usage_put_processes(struct exposition *out);
void worker_usage_put_cpu(struct exposition *out);
/* These two read /proc, for at most WORKER_READS_MAX processes of each program. */
enum { WORKER_READS_MAX = 128 };
void worker_usage_put_memory(struct exposition *out);
void worker_usage_put_fds(struct exposition *out);
