#include "daemon/conn/timeouts.h"

#include <stddef.h>

void timeouts_init(struct timeouts *timeouts, const uint64_t length_ms[TIMEOUT_COUNT])
{
    for (int kind = 1; kind < TIMEOUT_COUNT; kind++) {
        struct timeout *head = &timeouts->heads[kind];
        *head = (struct timeout){.prev = head, .next = head};
        timeouts->length_ms[kind] = length_ms[kind];
    }
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
    for (int i = 1; i < TIMEOUT_COUNT; i++) {
        struct timeout *first = timeouts->heads[i].next;
        if (first == &timeouts->heads[i] || first->deadline_ms > now_ms)
            continue;
        *kind = first->kind;
        timeout_disarm(first);
        return first;
    }
    return NULL;
}

struct timeout *timeouts_oldest(const struct timeouts *timeouts, const enum timeout_kind *kinds, int count)
{
    struct timeout *oldest = NULL;
    uint64_t oldest_ms = UINT64_MAX;
    for (int i = 0; i < count; i++) {
        const struct timeout *head = &timeouts->heads[kinds[i]];
        const uint64_t began_ms = head->next->deadline_ms - timeouts->length_ms[kinds[i]];
        if (head->next == head || began_ms >= oldest_ms)
            continue;
        oldest = head->next;
        oldest_ms = began_ms;
    }
    return oldest;
}
