/* wakeup.h - wakes an event loop from another thread or from a signal handler.
 *
 * It replaces uv_async_t: in libuv 1.44 (Debian 12) the loop spins while the sender is preempted in the middle of
 * uv_async_send(). This happens here, because a woken loop takes the processor from threads that yield to it. libuv
 * 1.45 does not have this problem. */
#pragma once

#include <stdatomic.h>
#include <uv.h>

struct wakeup {
    uv_poll_t poll;      /* keeps its loop running; data is the caller's */
    atomic_int fd;       /* an eventfd; -1 after closing */
    atomic_bool is_sent; /* sent and not yet taken */
    void (*taken)(struct wakeup *wakeup);
};

/* Initializes it while the loop is not running. taken: called on the loop, once for all earlier wakeups. Ends the
 * process if the system has no descriptor left. */
void wakeup_init(struct wakeup *wakeup, uv_loop_t *loop, void (*taken)(struct wakeup *wakeup));
/* Wakes the loop. Any thread, any signal handler. Does nothing after closing, but no other thread may be in here at
 * that time. */
void wakeup_send(struct wakeup *wakeup);
/* Closes it, on the loop. *wakeup must exist until `closed`, which may be NULL. */
void wakeup_close(struct wakeup *wakeup, uv_close_cb closed);
