#include "daemon/conn/timeouts.h"

#include <stddef.h>

void timeouts_init(struct timeouts *timeouts, const uint64_t length_ms[TIMEOUT_NONE])
{
    for (int kind = 0; kind < TIMEOUT_NONE; kind++) {
        struct timeout *head = &timeouts->heads[kind];
        *head = (struct timeout){.prev = head, .next = head, .kind = TIMEOUT_NONE};
        timeouts->length_ms[kind] = length_ms[kind];
    }
}

void timeout_init(struct timeout *timeout) { *timeout = (struct timeout){.kind = TIMEOUT_NONE}; }

void timeout_disarm(struct timeout *timeout)
{
    if (timeout->kind == TIMEOUT_NONE)
        return;
    timeout->prev->next = timeout->next;
    timeout->next->prev = timeout->prev;
    timeout_init(timeout);
}

void timeout_arm(struct timeouts *timeouts, struct timeout *timeout, enum timeout_kind kind, uint64_t now_ms)
{
    timeout_disarm(timeout);
    if (kind == TIMEOUT_NONE)
        return;
    struct timeout *head = &timeouts->heads[kind];
    *timeout = (struct timeout){
        .prev = head->prev, .next = head, .deadline_ms = now_ms + timeouts->length_ms[kind], .kind = kind};
    head->prev->next = timeout;
    head->prev = timeout;
}

struct timeout *timeouts_expired(struct timeouts *timeouts, uint64_t now_ms, enum timeout_kind *kind)
{
    for (int i = 0; i < TIMEOUT_NONE; i++) {
        struct timeout *first = timeouts->heads[i].next;
        if (first == &timeouts->heads[i] || first->deadline_ms > now_ms)
            continue;
        *kind = first->kind;
        timeout_disarm(first);
        return first;
    }
    return NULL;
}
