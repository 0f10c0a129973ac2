/* wakeup.h - wakes an event loop from another thread or from a signal's handler.
 *
 * In place of uv_async_t: that of libuv 1.44 (Debian 12) keeps the loop spinning while the sender stands preempted in
 * the middle of uv_async_send(), and that is what happens where the loop, once woken, takes the processor of a thread
 * that yields to it. libuv 1.45 does not. */
#pragma once

#include <stdatomic.h>
#include <uv.h>

struct wakeup {
    uv_poll_t poll;      /* keeps its loop running; data is the caller's */
    atomic_int fd;       /* an eventfd; -1 once it is closed */
    atomic_bool is_sent; /* and not taken yet */
    void (*taken)(struct wakeup *wakeup);
};

/* taken: called on the loop, once for all that was sent before. The loop is not running. Ends the process where the
 * system has no descriptor left. */
void wakeup_init(struct wakeup *wakeup, uv_loop_t *loop, void (*taken)(struct wakeup *wakeup));
/* Any thread, any handler of a signal. Nothing once it is closed, but then no other thread may be in here. */
void wakeup_send(struct wakeup *wakeup);
/* On the loop. closed may be NULL; until then *wakeup has to stay. */
void wakeup_close(struct wakeup *wakeup, uv_close_cb closed);
