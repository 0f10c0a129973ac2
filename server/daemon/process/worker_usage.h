/* worker_usage.h - which worker processes there are, how they ended and what they use, for /metrics. Main loop's thread
 * only; before the loop runs, the main thread. */
#pragma once

#include "wire/encode/exposition.h"

#include <stdbool.h>
#include <sys/resource.h>
#include <sys/types.h>

/* What a process is for. */
enum worker_program {
    WORKER_PROBE,         /* what is asked at the start: its version, its sandbox */
    WORKER_IMPORT,        /* one import */
    WORKER_IMPORT_SERVER, /* makes the processes of imports */
    WORKER_RENDER,
    WORKER_PROGRAM_COUNT
};

enum worker_end { WORKER_EXITED, WORKER_FAILED, WORKER_SIGNALLED, WORKER_TIMED_OUT, WORKER_KILLED, WORKER_END_COUNT };

/* A process that runs. A member of struct child. */
struct worker_entry {
    enum worker_program program;
    pid_t pid; /* 0: it is not in the list */
    struct worker_entry *prev, *next;
};

/* It was started; the entry stays where it is until worker_usage_remove(). */
void worker_usage_add(struct worker_entry *entry, enum worker_program program, pid_t pid);
/* It has ended and was waited for. used: what wait4() tells, or NULL where somebody else has waited. Does nothing for
 * an entry that is in no list. */
void worker_usage_remove(struct worker_entry *entry, enum worker_end end, const struct rusage *used);

/* Write the samples of one family each. */
void worker_usage_put_starts(struct exposition *out);
void worker_usage_put_ends(struct exposition *out);
void worker_usage_put_processes(struct exposition *out);
void worker_usage_put_cpu(struct exposition *out);
/* These two ask /proc, of WORKER_READS_MAX processes of each program at most. */
enum { WORKER_READS_MAX = 128 };
void worker_usage_put_memory(struct exposition *out);
void worker_usage_put_fds(struct exposition *out);
