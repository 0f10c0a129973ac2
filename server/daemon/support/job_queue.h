/* job_queue.h - a bounded FIFO queue of jobs for a few workers, from which each job can be removed. Loop thread only;
 * the jobs belong to their owners. */
#pragma once

#include "base/err.h"
#include "base/limits.h"
#include "daemon/support/metrics.h"
#include "daemon/support/stats.h"

#include <stdbool.h>

/* A member of each job; zeroed before its first use. */
struct job_queue_entry {
    struct job_queue_entry *prev, *next;
    uint64_t queued_ns; /* of uv_hrtime(): since when it has waited */
    bool is_queued;
};

struct job_queue {
    const struct limits *limits;
    enum limit limit;                /* of the queue's length */
    enum statistic waiting, refused; /* STAT_COUNT: not counted */
    enum metric_queue wait;          /* where waiting times are counted */
    const char *what;                /* the jobs, for the sentence of a refusal: "models" */
    struct job_queue_entry *first;   /* NULL: nothing waits */
    uint64_t count;
};

/* Appends a job. Returns 0, or ERR_OVERLOADED if the queue is full. */
int job_queue_put(struct job_queue *queue, struct job_queue_entry *entry, struct err *err);
/* Prepends a job that was taken but could not be done, regardless of the limit. */
void job_queue_put_back(struct job_queue *queue, struct job_queue_entry *entry);
void job_queue_remove(struct job_queue *queue, struct job_queue_entry *entry);
/* Removes a job whose turn has come, and counts its waiting time. */
void job_queue_start(struct job_queue *queue, struct job_queue_entry *entry);
/* Starts the first and returns it; NULL: nothing waits. */
struct job_queue_entry *job_queue_take(struct job_queue *queue);
