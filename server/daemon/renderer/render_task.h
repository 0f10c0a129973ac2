/* render_task.h - one picture to draw and its waiters: equal requests get the same bytes. Owned by the pool; loop
 * thread only. */
#pragma once

#include "base/blob.h"
#include "daemon/support/job_queue.h"
#include "base/err.h"
#include "worker/render_job.h"
#include "daemon/model/imported_model.h"

#include <stdbool.h>
#include <stdint.h>

/* The picture to draw. All is borrowed for the call. */
struct render_spec {
    const struct render_job *job;    /* the job for the worker, without magic, ids and the models' fields */
    const struct render_cell *cells; /* [job->cell_count], zeroed between their fields */
    const struct render_layer_moment
        *layer_moments;                  /* [cell_count][blend.layer_count], at most RENDER_LAYER_MOMENTS_MAX */
    const char *renames;                 /* [job->rename_bytes] */
    const char *given;                   /* [render_job_given_size(job)] */
    struct imported_model *imported;     /* the model to draw */
    struct imported_model *const *clips; /* [clip_count]: other models that supply clips */
    uint32_t clip_count;                 /* 0..RENDER_SOURCES_MAX */
    struct imported_model *environment;  /* its light, or NULL */
};

/* A waiter for a picture, owned by the caller. The pool uses it until done() has run or the wait is cancelled. */
struct render_waiter {
    /* Runs once, never before render_pool_submit() returns. *png is borrowed: blob_ref() keeps it; NULL: *err says why.
     * Errors: ERR_NOTHING_TO_DRAW, ERR_NOT_FINITE, ERR_CLIP_NO_MATCH, ERR_NO_HUMANOID, ERR_TOO_MANY_FRAMES,
     * ERR_RENDER_FAILED, ERR_RENDER_MEMORY, ERR_RENDER_SYSCALL, ERR_RENDER_TIMEOUT, ERR_RENDER_CPU, ERR_UNAVAILABLE. */
    void (*done)(struct render_waiter *wait, struct blob *png, const struct render_notes *notes, const struct err *err);
    uint64_t started_ns;         /* of uv_hrtime(): when a worker got the picture; 0: never */
    struct render_task *picture; /* private, like the rest */
    struct render_waiter *prev, *next;
};

struct render_task {
    struct render_job job; /* without its job_id */
    char *tail;            /* the data after it: cells, times of layers, rules that rename joints */
    size_t tail_bytes;
    char *given;                     /* [render_job_given_size(&job)], or NULL */
    uint64_t given_hash;             /* so that megabytes are compared only where they are equal */
    struct imported_model *imported; /* references */
    struct imported_model *clips[RENDER_SOURCES_MAX];
    struct imported_model *environment; /* or NULL */
    struct render_waiter *waits;
    uint64_t started_ns;      /* see struct render_waiter */
    uint32_t attempts, sends; /* to workers; a worker that died before it read the job is not an attempt */
    struct job_queue_entry queued;
};

/* Makes a task: takes references to the models and copies the rest. */
struct render_task *render_task_new(const struct render_spec *query);
void render_task_add_waiter(struct render_task *picture, struct render_waiter *wait);
bool render_task_equals(const struct render_task *picture, const struct render_task *other);
/* Reports the result to all waiters and frees the task. */
void render_task_finish(struct render_task *picture, struct blob *png, const struct render_notes *notes,
                        const struct err *err);
/* Frees it without reporting. NULL is fine. */
void render_task_free(struct render_task *picture);
