/* render_slot.h - the places of a pool's workers. Private to render_pool.c, which gives them pictures, and
 * render_slot.c, which keeps a worker in each. Loop thread only. */
#pragma once

#include "daemon/renderer/render_pool.h"
#include "daemon/renderer/render_worker.h"

enum { RENDER_NAME_SIZE = 256 };

/* A place for a worker. Its timer is the pause before the next start, or checks a worker that has nothing to draw or
 * draws what has no waiter. Its cpu_timer looks at the processor time of one that starts or draws. */
struct render_slot {
    struct render_pool *pool;
    struct render_worker *worker; /* NULL: none runs */
    bool is_ready;
    bool is_cancelled;           /* the worker was killed because its picture has no waiter */
    bool is_over_cpu;            /* it was killed for its processor time */
    struct render_task *picture; /* under way */
    uint64_t started_ms;         /* when it began */
    uint64_t idle_ms;            /* since when there is none, and */
    uint64_t idle_used_ms;       /* the processor time that the worker had used by then */
    uint32_t deaths;             /* since the last picture */
    uint32_t failed_starts;      /* since it was last ready */
    uint64_t cpu_end_ms;         /* the processor time of its life at which the worker is killed */
    uv_timer_t timer, cpu_timer;
};

struct render_pool {
    uv_loop_t *loop;
    const struct config *config;
    struct budget *budget;
    struct job_queue queue;
    uint64_t running_count;
    uint64_t last_job_id; /* of all workers: the answer to another's job is none */
    char name[RENDER_NAME_SIZE];
    struct err start_failure; /* why the last start failed; its code is 0 after one that did not */
    bool is_told;             /* the log has it that no worker can be started */
    uint32_t open_timers;     /* the pool is freed with the last */
    uint32_t slot_count;
    struct render_slot slots[];
};

/* --- render_slot.c --- */

/* Starts a worker, and another whenever it has ended. */
void render_slot_start(struct render_slot *slot);

/* Kills the worker once it has used so much processor time from now on. */
void render_slot_limit_cpu(struct render_slot *slot, uint64_t cpu_ms);

/* --- render_pool.c --- */

/* Gives queued pictures to workers that have none. */
void render_pool_start_jobs(struct render_pool *pool);
uint64_t render_pool_time_limit_ms(const struct render_pool *pool, const struct render_task *picture);
uint64_t render_pool_cpu_limit_ms(const struct render_pool *pool, const struct render_task *picture);
/* Tells all who wait for the picture. An error for lack of a renderer's memory names the limit. */
void render_pool_fail(struct render_pool *pool, struct render_task *picture, const struct err *why);
void render_pool_fail_queue(struct render_pool *pool, const struct err *err);
/* No worker can be started as things are. */
bool render_pool_is_broken(const struct render_pool *pool);
