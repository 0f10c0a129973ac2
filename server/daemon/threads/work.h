/* work.h - work threads: an event loop gives away what takes long or waits for a disk, and hears of its end.
 *
 * In place of uv_queue_work(), which tells of the end by uv_async_send() (wakeup.h says what that costs), and whose
 * threads do not yield to event loops. All loops of the process share the threads, which begin with the first work and
 * take that of their kind in the order in which it comes. The `data` of a loop is for this: NULL before uv_loop_init(),
 * which keeps it.
 */
#pragma once

#include "daemon/threads/message_queue.h"

/* Threads of one kind do no work of the other: those that wait for a file system that hangs keep no answer waiting. */
enum work_kind {
    WORK_COMPUTES, /* opens no file and waits for nobody */
    WORK_FILES,
    WORK_KINDS
};

/* A member of what is worked on, which stays until `done`. */
struct work {
    void *data; /* the caller's */
    /* private */
    struct message message; /* of its end, to the loop */
    struct work *next;      /* in the queue of those that no thread has taken */
    struct work_loop *loop;
    enum work_kind kind;
    void (*run)(struct work *work);
    void (*done)(struct work *work, int status);
    int status;
};

/* How many threads of a kind there are, four if nobody says; before the first work. */
void work_set_thread_count(enum work_kind kind, unsigned count);
/* What a loop needs to hear of ends. The first work makes it, too, but needs a descriptor then, without which the
 * process ends: call it before there are clients. On the loop. */
void work_loop_open(uv_loop_t *loop);
/* On the loop, when none of its work is left and no other handle either. Nothing where there was no work. */
void work_loop_close(uv_loop_t *loop);

/* On the loop, which runs until `done` was called. run: in a work thread. done: on the loop; status: 0, or
 * UV_ECANCELED. */
void work_start(uv_loop_t *loop, enum work_kind kind, struct work *work, void (*run)(struct work *work),
                void (*done)(struct work *work, int status));
/* On the loop: if no thread has taken it, none will, and `done` has UV_ECANCELED. Nothing for work that is not under
 * way. */
void work_cancel(struct work *work);
