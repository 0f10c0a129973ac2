/* render_pool.h - draws pictures in long-lived posed-render processes, with a bounded queue and one picture per
 * process.
 *
 * Whatever a process does, each task ends with a picture or an error. The pool replaces a process that dies, and
 * retries its task once. It kills a process that exceeds its limit of processor time or elapsed time. While no process
 * starts, tasks fail with the last message of the process, and the pool repeats starts at growing intervals. It draws
 * equal tasks once. It cancels queued work without waiters, and ends work under way without waiters when others need
 * the process. Loop thread only. */
#pragma once

#include "daemon/support/budget.h"
#include "daemon/config/config.h"
#include "daemon/renderer/render_task.h"

#include <uv.h>

struct render_pool;

/* Starts config->render_workers processes; borrows its arguments. */
struct render_pool *render_pool_new(uv_loop_t *loop, const struct config *config, struct budget *budget);

/* Returns 0, or the error that all pictures get while the configuration has no workers or none starts. */
int render_pool_check(const struct render_pool *pool, struct err *err);
/* Checks whether workers start. Returns 1 if one runs, 0 while the first are starting, or the error of the last start
 * if none runs (ERR_OVERLOADED for a shortage). For a pool with workers by configuration. */
int render_pool_check_start(const struct render_pool *pool, struct err *err);
/* Queues the picture, or waits for an equal one that is queued or under way. Returns 0, ERR_OVERLOADED if the queue is
 * full, or ERR_UNAVAILABLE if the configuration has no workers or none starts (it then does not take *wait). *query is
 * borrowed for the call. */
int render_pool_submit(struct render_pool *pool, const struct render_spec *query, struct render_waiter *wait,
                       struct err *err);
/* Cancels *wait, whose done() has not run and will not run; its owner may reuse it. */
void render_pool_cancel(struct render_pool *pool, struct render_waiter *wait);

/* Returns the number of pictures that wait for a worker. */
uint64_t render_pool_waiting(const struct render_pool *pool);

/* Starts pictures that waited for room in the budget. */
void render_pool_resume(struct render_pool *pool);

/* Returns the workers' driver ("llvmpipe (LLVM 15.0.6, 256 bits), OSMesa 22.3.6, avx2"); equal drivers give equal
 * pixels. "" until a worker has started; then it changes only if a restarted worker finds another driver. */
const char *render_pool_renderer(const struct render_pool *pool);

/* Drops all tasks without done() and kills the processes; cleanup ends while the loop runs. */
void render_pool_free(struct render_pool *pool);
