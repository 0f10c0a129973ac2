/* render_pool.h - pictures, drawn by posed-render processes that stay alive: a bounded queue, one picture a process.
 *
 * Whatever a process does, each task ends with a picture or an error. A process that dies is replaced, and its task is
 * tried once more. A process that takes too long, by its processor time or by the clock, is killed. While no process
 * starts, tasks fail with what it said last, and starts are repeated at growing intervals. Equal tasks are drawn once.
 * Queued work with no remaining waiter is cancelled; work under way without one is ended when others need the process.
 * Loop thread only. */
#pragma once

#include "daemon/support/budget.h"
#include "daemon/config/config.h"
#include "daemon/renderer/render_task.h"

#include <uv.h>

struct render_pool;

/* Starts config->render_workers processes; all are borrowed. */
struct render_pool *render_pool_new(uv_loop_t *loop, const struct config *config, struct budget *budget);

/* Returns 0, or the error of every picture as long as there are no workers by configuration or none starts. */
int render_pool_check(const struct render_pool *pool, struct err *err);
/* Whether workers start: 1, one is there; 0, the first are on their way; or the error of the last start: none does,
 * ERR_OVERLOADED for a shortage. For a pool that has workers by configuration. */
int render_pool_check_start(const struct render_pool *pool, struct err *err);
/* Has the picture drawn, or waits for the same one that is queued or under way. Returns 0, ERR_OVERLOADED when the
 * queue is full, or ERR_UNAVAILABLE when there are no workers by configuration or none starts (*wait is then not
 * taken). *query is borrowed for the call. */
int render_pool_submit(struct render_pool *pool, const struct render_spec *query, struct render_waiter *wait,
                       struct err *err);
/* *wait, whose done() has not run, is the owner's again: done() will not run. */
void render_pool_cancel(struct render_pool *pool, struct render_waiter *wait);

/* How many pictures wait for a worker. */
uint64_t render_pool_waiting(const struct render_pool *pool);

/* Starts pictures that wait for room in the budget. */
void render_pool_resume(struct render_pool *pool);

/* What the workers draw with ("llvmpipe (LLVM 15.0.6, 256 bits), OSMesa 22.3.6, avx2"): pixels are the same where
 * this is the same. "" until a worker has started; then it changes only if a restarted worker finds another driver. */
const char *render_pool_renderer(const struct render_pool *pool);

/* Drops all tasks without done() and kills the processes; the rest ends while the loop runs. */
void render_pool_free(struct render_pool *pool);
