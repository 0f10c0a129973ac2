/* render_worker.h - starts one posed-render process, sends it jobs, and watches it until it ends. Loop thread only.
 *
 * The process gets a socket for its jobs and a pipe as stderr, and nothing else from the daemon. */
#pragma once

#include "base/buf.h"
#include "base/err.h"
#include "daemon/config/config.h"
#include "daemon/renderer/render_task.h"

#include <stdbool.h>
#include <uv.h>

struct render_worker;

/* How a worker ended. */
struct render_worker_end {
    int code;          /* the error of its current picture: ERR_RENDER_FAILED, ERR_RENDER_MEMORY, ERR_RENDER_SYSCALL */
    bool has_read_job; /* it had read the current job, if any, and may have died of it */
    bool is_by_itself; /* it exited with 0 */
    bool is_timeout;   /* render_worker_limit_time() */
    /* "was killed by signal 11 (Segmentation fault)" and its last output, for a sentence that starts with the program's
     * name. */
    const char *why;
};

/* Events for the owner; `context` comes from render_worker_start(). None runs before that has returned. */
struct render_worker_events {
    /* The worker can draw; name: of its driver. */
    void (*ready)(void *context, const char *name);
    /* The answer to the current job. The callee may move from png; NULL: *err says why. */
    void (*answered)(void *context, struct buf *png, const struct render_notes *notes, const struct err *err);
    /* The process has ended and the worker is freed. */
    void (*ended)(void *context, const struct render_worker_end *end);
};

/* Starts a worker. Returns NULL if the program cannot be started. Borrows `events`. */
struct render_worker *render_worker_start(uv_loop_t *loop, const struct config *config,
                                          const struct render_worker_events *events, void *context, struct err *err);

/* Sends the picture as the job of this number; the task is borrowed until answered(), ended() or
 * render_worker_abandon(). One at a time, only after ready(). If the worker does not take the job, it is killed, and
 * ended() follows. */
void render_worker_send(struct render_worker *worker, const struct render_task *task, uint64_t job_id);

/* Kills the process if it still runs in time_ms; ended() follows. Replaces the previous limit; 0: no limit. */
void render_worker_limit_time(struct render_worker *worker, uint64_t time_ms);

/* Returns the processor time of the process, as counted by the kernel; 0 if it has ended. */
uint64_t render_worker_cpu_used_ms(const struct render_worker *worker);

/* Kills the process for a breach of the contract ("sent ..."); ended() follows. */
void render_worker_kill_for(struct render_worker *worker, const char *breach);
/* Kills the process; ended() follows. */
void render_worker_kill(struct render_worker *worker);

/* Kills the process without any event; its memory is freed while the loop runs. */
void render_worker_abandon(struct render_worker *worker);
