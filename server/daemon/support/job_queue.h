/* job_queue.h - jobs that wait for one of a few workers: first come, first served, no more of them than a limit allows,
 * and each can be taken out again. Loop thread only; the jobs stay their owners'. */
#pragma once

#include "base/err.h"
#include "base/limits.h"
#include "daemon/support/metrics.h"
#include "daemon/support/stats.h"

#include <stdbool.h>

/* A member of each job; zeroed before its first use. */
struct job_queue_entry {
    struct job_queue_entry *prev, *next;
    uint64_t queued_ns; /* of uv_hrtime(): since when it waits */
    bool is_queued;
};

struct job_queue {
    const struct limits *limits;
    enum limit limit;                /* of how many may wait */
    enum statistic waiting, refused; /* STAT_COUNT: not counted */
    enum metric_queue wait;          /* where waiting times are counted */
    const char *what;                /* the jobs, for the sentence of a refusal: "models" */
    struct job_queue_entry *first;   /* NULL: nothing waits */
    uint64_t count;
};

/* Behind all others. Returns 0, or ERR_OVERLOADED when as many wait as may. */
int job_queue_put(struct job_queue *queue, struct job_queue_entry *entry, struct err *err);
/* Before all others, whatever the limit: a job that was taken and could not be done. */
void job_queue_put_back(struct job_queue *queue, struct job_queue_entry *entry);
void job_queue_remove(struct job_queue *queue, struct job_queue_entry *entry);
/* Likewise, and counts how long it has waited: its turn has come. */
void job_queue_start(struct job_queue *queue, struct job_queue_entry *entry);
/* Starts the first and returns it; NULL: nothing waits. */
struct job_queue_entry *job_queue_take(struct job_queue *queue);
