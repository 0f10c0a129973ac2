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

/* What is to be drawn. */
struct render_spec {
    struct imported_model *imported;
    const struct picture_spec *picture; /* borrowed, as are cells and times; sides 1..LIMIT_PICTURE_SIDE */
    uint32_t width, height;             /* of the whole picture; every cell lies within */
    const struct render_cell *cells;    /* [cell_count], zeroed between their fields */
    uint32_t cell_count;                /* 1..RENDER_CELLS_MAX */
    enum sheet_format format;
    uint32_t loops, captions, caption_height; /* as worker/render_job.h has them */
    const double *layer_times_s;              /* [cell_count][blend->layer_count], at most RENDER_LAYER_TIMES_MAX */
    struct imported_model *const *clips;      /* [clip_count]: other models that clips are from */
    uint32_t clip_count;                      /* 0..RENDER_SOURCES_MAX */
    uint32_t root;                            /* 0, or 1 + the node whose movement over the ground is taken out */
    bool has_turn;                            /* its turning too */
    uint32_t joint;                           /* 0, or 1 + the node that the view is about */
    const struct render_blend *blend;         /* instead of the cells' clips, or NULL */
};

/* One who waits for a picture; the owner's, until done() has run or the wait is cancelled. */
struct render_waiter {
    /* Runs once, never before render_pool_submit() returns. *png is borrowed: blob_ref() keeps it; NULL: *err says why.
     * Errors: ERR_NOTHING_TO_DRAW, ERR_NOT_FINITE, ERR_CLIP_NO_MATCH, ERR_RENDER_FAILED, ERR_RENDER_MEMORY,
     * ERR_RENDER_SYSCALL, ERR_RENDER_TIMEOUT, ERR_UNAVAILABLE. */
    void (*done)(struct render_waiter *wait, struct blob *png, const struct render_notes *notes, const struct err *err);
    uint64_t started_ns;         /* of uv_hrtime(): when a worker got the picture; 0: none did */
    struct render_task *picture; /* private, like the rest */
    struct render_waiter *prev, *next;
};

struct render_task {
    struct render_job job; /* without its job_id */
    char *tail;            /* what follows it: the cells and the times of layers */
    size_t tail_bytes;
    struct imported_model *imported; /* references */
    struct imported_model *clips[RENDER_SOURCES_MAX];
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
