/* render_pool.h - pictures by posed-render processes that stay alive: a bounded queue, one picture a process at a time.
 *
 * Whatever a process does, each job ends with a picture or an error: a process that dies is replaced and its job
 * is tried once more, one that takes too long is killed, and one that cannot even start is tried again with
 * growing pauses while jobs are answered with its last words. Loop thread only. */
#pragma once

#include "../base/buf.h"
#include "../base/err.h"
#include "../worker/render_job.h"
#include "baked.h"
#include "config.h"

#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

struct render_pool;

/* The references that the pool has of its own. */
struct render_pins {
    struct baked *model, *clips[RENDER_SOURCES_MAX];
};

/* The owner's; it stays until done() has run or starting() returned false. */
struct render_query {
    struct baked *baked;        /* the pool holds a reference of its own while it has the job */
    uint32_t width, height;     /* pixels, 1..LIMIT_PICTURE_SIDE */
    struct baked *const *clips; /* likewise, [clip_count]: other models that clips are from; the owner's list */
    uint32_t clip_count;        /* 0..RENDER_SOURCES_MAX */
    uint32_t clip_source;       /* 0: the clip is one of `baked`; n: of clips[n - 1] */
    int32_t clip;               /* or POSE_REST */
    double clip_time_s;         /* wrapped */
    uint32_t root;              /* 0, or 1 + the node whose movement over the ground is taken out */
    bool has_turn;              /* its turning too */
    double root_start_s;        /* clip time since which it moves */
    double yaw_deg, pitch_deg;
    uint8_t background[4];            /* RGBA, straight alpha */
    const struct render_blend *blend; /* instead of clip; the owner's, as long as the query. NULL: none */
    /* The job is about to be drawn, or drawn again. False: nobody waits for it any more, it is dropped. NULL: true. */
    bool (*starting)(struct render_query *query);
    /* Runs once, never before render_pool_submit() returns. *png is the callee's to move from (buf_init it
     * then) and freed otherwise; unmatched: what of the clips has no partner, "" for nothing to say. NULL: *err says
     * why. Errors: ERR_NOTHING_TO_DRAW, ERR_NOT_FINITE, ERR_CLIP_NO_MATCH,
     * ERR_RENDER_FAILED, ERR_RENDER_MEMORY, ERR_RENDER_SYSCALL, ERR_RENDER_TIMEOUT, ERR_NO_MEMORY, ERR_UNAVAILABLE. */
    void (*done)(struct render_query *query, struct buf *png, const char *unmatched, const struct err *err);
    void *user;                       /* the owner's */
    struct render_query *prev, *next; /* private to the pool */
    struct render_pins pins;          /* likewise */
    uint32_t attempts, sends;         /* likewise */
};

/* Starts config->render_workers processes; `config` is borrowed. */
struct render_pool *render_pool_new(uv_loop_t *loop, const struct config *config);

/* Returns 0, ERR_OVERLOADED when the queue is full, or ERR_UNAVAILABLE when there are no workers by
 * configuration (the job is then not taken). */
int render_pool_submit(struct render_pool *pool, struct render_query *query, struct err *err);

/* What the workers draw with ("llvmpipe (LLVM 15.0.6, 256 bits), OSMesa 22.3.6, avx2"): pixels are the same where
 * this is the same. "" until a worker has started; then it changes only if a restarted worker finds another driver. */
const char *render_pool_renderer(const struct render_pool *pool);

/* Drops all jobs without a word and kills the processes; what is left ends by itself while the loop runs. */
void render_pool_free(struct render_pool *pool);
