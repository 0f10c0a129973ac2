/* render_worker.h - one posed-render process: it is started, gets jobs, and is watched until it ends. Loop thread only.
 *
 * The process gets a socket for its jobs and a pipe as stderr, and nothing else of the daemon's. */
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
    int code; /* what to say of a picture that it was at: ERR_RENDER_FAILED, ERR_RENDER_MEMORY, ERR_RENDER_SYSCALL */
    bool has_read_job; /* it had read the job under way, if there was one, and may have died of it */
    bool is_by_itself; /* it exited with 0 */
    bool is_timeout;   /* render_worker_limit_time() */
    /* "was killed by signal 11 (Segmentation fault)" and what it said last, for a sentence that starts with the
     * program's name. */
    const char *why;
};

/* Events for the owner; `context` is that of render_worker_start(). None runs before that has returned. */
struct render_worker_events {
    /* It can draw; name: of its driver. */
    void (*ready)(void *context, const char *name);
    /* The answer to the job under way. png: the callee's to move from; NULL: *err says why. */
    void (*answered)(void *context, struct buf *png, const struct render_notes *notes, const struct err *err);
    /* The process is gone and the worker is freed. */
    void (*ended)(void *context, const struct render_worker_end *end);
};

/* Returns NULL when the program cannot be started. `events` stays the caller's. */
struct render_worker *render_worker_start(uv_loop_t *loop, const struct config *config,
                                          const struct render_worker_events *events, void *context, struct err *err);

/* Has the picture drawn, as the job of this number; the task is borrowed until answered(), ended() or
 * render_worker_abandon(). One at a time, only after ready(). A worker that takes none is killed: ended() follows. */
void render_worker_send(struct render_worker *worker, const struct render_task *task, uint64_t job_id);

/* Kills the process when it is still there in time_ms; ended() follows. In place of the time that was set before; 0: it
 * has any time. */
void render_worker_limit_time(struct render_worker *worker, uint64_t time_ms);

/* The processor time that the process has used, by the kernel's account; 0 when it has ended. */
uint64_t render_worker_cpu_used_ms(const struct render_worker *worker);

/* Kills the process for a breach of the contract ("sent ..."); ended() follows. */
void render_worker_kill_for(struct render_worker *worker, const char *breach);
/* Kills the process; ended() follows. */
void render_worker_kill(struct render_worker *worker);

/* Kills the process without any event; the rest is freed while the loop runs. */
void render_worker_abandon(struct render_worker *worker);
