/* work.h - runs long or disk-bound work of an event loop in work threads, and reports its end to the loop. It replaces
 * uv_queue_work(), which reports the end by uv_async_send() (wakeup.h explains its cost), and whose threads do not
 * yield to event loops. All loops of the process share the threads, which start with the first work and take work of
 * their kind in its order. It uses the `data` of a loop: set it to NULL before uv_loop_init(), which keeps it. */
#pragma once

#include "daemon/threads/message_queue.h"

/* Threads of one kind do no work of another, so that threads stuck in a hanging file system do not delay answers, and
 * imports whose files hang do not delay the checks and imports of other models. */
enum work_kind {
    WORK_COMPUTES, /* opens no file and never waits */
    WORK_FILES,
    WORK_IMPORT_FILES, /* opens files for importers, each of which waits for one at a time */
    WORK_ANSWER_FILES, /* reads pictures of models for answers */
    WORK_KINDS
};

/* A member of the object of the work, which must exist until `done`. */
struct work {
    void *data; /* the caller's */
    /* private */
    struct message message; /* reports the end to the loop */
    struct work *next;      /* in the queue of work that no thread has taken */
    struct work_loop *loop;
    enum work_kind kind;
    void (*run)(struct work *work);
    void (*done)(struct work *work, int status);
    int status;
};

/* Sets the number of threads of a kind, four by default; before the first work. */
void work_set_thread_count(enum work_kind kind, unsigned count);
/* Prepares a loop for reports of ends. The first work does this too, but ends the process if it finds no descriptor: so
 * call it before there are clients. On the loop. */
void work_loop_open(uv_loop_t *loop);
/* Closes this, when the loop has no work and no other handles left. Does nothing if there was no work. On the loop. */
void work_loop_close(uv_loop_t *loop);

/* Starts work, on the loop, which runs until `done` was called. run: called in a work thread. done: called on the loop;
 * status: 0, or UV_ECANCELED. */
void work_start(uv_loop_t *loop, enum work_kind kind, struct work *work, void (*run)(struct work *work),
                void (*done)(struct work *work, int status));
/* Cancels work that no thread has taken yet: `done` gets UV_ECANCELED. Does nothing for work that is not under way. On
 * the loop. */
void work_cancel(struct work *work);

/* Frees an object in a work thread, because freeing many pages takes a loop long. The thread calls fini(copy) for a
 * copy of the object's `size_bytes`; the original belongs to nobody any more. On the loop. */
void work_free(uv_loop_t *loop, const void *object, size_t size_bytes, void (*fini)(void *copy));
