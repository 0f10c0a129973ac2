/* timeouts.h - manages many timeouts of few lengths by one FIFO list for each kind, so that arming, disarming and
 * finding expired ones take constant time.
 *
 * Pure: the caller passes the time, in milliseconds that never go back. Not thread-safe. */
#pragma once

#include <stdint.h>

enum timeout_kind {
    TIMEOUT_NONE,   /* no timeout runs */
    TIMEOUT_FIRST,  /* connected, nothing sent yet */
    TIMEOUT_HEADER, /* in a request's head */
    TIMEOUT_BODY,   /* in a request's body */
    TIMEOUT_IDLE,   /* between requests */
    TIMEOUT_WRITE,  /* a reply waits for the client to read */
    TIMEOUT_LINGER, /* the last reply is sent; waiting for the client to close */
    TIMEOUT_COUNT
};

/* A member of objects that can time out. Zeroed is disarmed. */
struct timeout {
    struct timeout *prev, *next;
    uint64_t deadline_ms;
    enum timeout_kind kind; /* TIMEOUT_NONE while disarmed */
};

struct timeouts {
    struct timeout heads[TIMEOUT_COUNT]; /* rings; the head is not an entry */
    uint64_t length_ms[TIMEOUT_COUNT];
};

/* Initializes the lists without timeouts. length_ms: of each kind. */
void timeouts_init(struct timeouts *timeouts, const uint64_t length_ms[TIMEOUT_COUNT]);
/* Starts or restarts the timeout with this kind; TIMEOUT_NONE disarms it. */
void timeout_arm(struct timeouts *timeouts, struct timeout *timeout, enum timeout_kind kind, uint64_t now_ms);
static inline void timeout_disarm(struct timeout *timeout)
{
    if (timeout->kind == TIMEOUT_NONE)
        return;
    timeout->prev->next = timeout->next;
    timeout->next->prev = timeout->prev;
    *timeout = (struct timeout){0};
}

/* Returns the next expired timeout, disarmed, with its kind in *kind; NULL if there is none. */
struct timeout *timeouts_expired(struct timeouts *timeouts, uint64_t now_ms, enum timeout_kind *kind);

/* Returns the timeout of these kinds that has run longest, or NULL. */
struct timeout *timeouts_oldest(const struct timeouts *timeouts, const enum timeout_kind *kinds, int count);
