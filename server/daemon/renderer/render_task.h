/* render_task.h - one picture to be drawn and everyone who waits for it: equal requests get the same bytes. Owned by
 * the pool; loop thread only. */
#pragma once

#include "base/blob.h"
#include "daemon/support/job_queue.h"
#include "base/err.h"
#include "worker/render_job.h"
#include "daemon/model/imported_model.h"

#include <stdbool.h>
#include <stdint.h>

/* What is to be drawn. All is borrowed for the call. */
struct render_spec {
    const struct render_job *job; /* the picture as the worker gets it, without magic, ids and what is of the models */
    const struct render_cell *cells; /* [job->cell_count], zeroed between their fields */
    const struct render_layer_moment
        *layer_moments;                  /* [cell_count][blend.layer_count], at most RENDER_LAYER_MOMENTS_MAX */
    const char *renames;                 /* [job->rename_bytes] */
    struct imported_model *imported;     /* the model that is drawn */
    struct imported_model *const *clips; /* [clip_count]: other models that clips are from */
    uint32_t clip_count;                 /* 0..RENDER_SOURCES_MAX */
    struct imported_model *environment;  /* what lights it, or NULL */
};

/* One who waits for a picture; the owner's, until done() has run or the wait is cancelled. */
struct render_waiter {
    /* Runs once, never before render_pool_submit() returns. *png is borrowed: blob_ref() keeps it; NULL: *err says why.
     * Errors: ERR_NOTHING_TO_DRAW, ERR_NOT_FINITE, ERR_CLIP_NO_MATCH, ERR_NO_HUMANOID, ERR_TOO_MANY_FRAMES,
     * ERR_RENDER_FAILED, ERR_RENDER_MEMORY, ERR_RENDER_SYSCALL, ERR_RENDER_TIMEOUT, ERR_RENDER_CPU, ERR_UNAVAILABLE. */
    void (*done)(struct render_waiter *wait, struct blob *png, const struct render_notes *notes, const struct err *err);
    uint64_t started_ns;         /* of uv_hrtime(): when a worker got the picture; 0: none did */
    struct render_task *picture; /* private, like the rest */
    struct render_waiter *prev, *next;
};

struct render_task {
    struct render_job job; /* without its job_id */
    char *tail;            /* what follows it: cells, times of layers, rules that rename joints */
    size_t tail_bytes;
    struct imported_model *imported; /* references */
    struct imported_model *clips[RENDER_SOURCES_MAX];
    struct imported_model *environment; /* or NULL */
    struct render_waiter *waits;
    uint64_t started_ns;      /* see struct render_waiter */
    uint32_t attempts, sends; /* to workers; those that died before they read the job are no attempts */
    struct job_queue_entry queued;
};

/* Takes references on the models and copies the rest. */
struct render_task *render_task_new(const struct render_spec *query);
void render_task_add_waiter(struct render_task *picture, struct render_waiter *wait);
bool render_task_equals(const struct render_task *picture, const struct render_task *other);
/* Tells all who wait and frees the picture. */
void render_task_finish(struct render_task *picture, struct blob *png, const struct render_notes *notes,
                        const struct err *err);
/* Frees it without a word. NULL is fine. */
void render_task_free(struct render_task *picture);
