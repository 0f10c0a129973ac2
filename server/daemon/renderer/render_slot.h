/* render_slot.h - the slots of a pool's workers. Private to render_pool.c, which gives them pictures, and
 * render_slot.c, which keeps a worker in each. Loop thread only. */
#pragma once

#include "daemon/renderer/render_pool.h"
#include "daemon/renderer/render_worker.h"

enum { RENDER_NAME_SIZE = 256 };

/* A place for a worker. Its timer is the pause before the next start, or checks a worker that is idle or draws a
 * picture without a waiter. Its cpu_timer checks the processor time of a worker that starts or draws. */
struct render_slot {
    struct render_pool *pool;
    struct render_worker *worker; /* NULL: none runs */
    bool is_ready;
    bool is_cancelled;           /* the worker was killed because its picture has no waiter */
    bool is_over_cpu;            /* the worker was killed for its processor time */
    struct render_task *picture; /* under way */
    uint64_t started_ms;         /* when it began */
    uint64_t idle_ms;            /* since when there is no picture, and */
    uint64_t idle_used_ms;       /* the worker's processor time at that moment */
    uint32_t deaths;             /* since the last picture */
    uint32_t failed_starts;      /* since it was last ready */
    uint64_t cpu_end_ms;         /* the total processor time at which the worker is killed */
    uv_timer_t timer, cpu_timer;
};

struct render_pool {
    uv_loop_t *loop;
    const struct config *config;
    struct budget *budget;
    struct job_queue queue;
    uint64_t running_count;
    uint64_t last_job_id; /* over all workers: an answer to another worker's job is invalid */
    char name[RENDER_NAME_SIZE];
    struct err start_failure; /* why the last start failed; code 0 after a successful one */
    bool is_told;             /* the log has reported that no worker starts */
    uint32_t open_timers;     /* the last one frees the pool */
    uint32_t slot_count;
    struct render_slot slots[];
};

/* --- render_slot.c --- */

/* Starts a worker, and a new one whenever it ends. */
void render_slot_start(struct render_slot *slot);

/* Kills the worker once it has used cpu_ms more of processor time. */
void render_slot_limit_cpu(struct render_slot *slot, uint64_t cpu_ms);

/* --- render_pool.c --- */

/* Gives queued pictures to idle workers. */
void render_pool_start_jobs(struct render_pool *pool);
uint64_t render_pool_time_limit_ms(const struct render_pool *pool, const struct render_task *picture);
uint64_t render_pool_cpu_limit_ms(const struct render_pool *pool, const struct render_task *picture);
/* Reports the error to all waiters of the picture. If a renderer lacked memory, the error names the limit. */
void render_pool_fail(struct render_pool *pool, struct render_task *picture, const struct err *why);
void render_pool_fail_queue(struct render_pool *pool, const struct err *err);
/* True if no worker can be started at present. */
bool render_pool_is_broken(const struct render_pool *pool);
