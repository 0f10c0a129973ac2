/* budget.h - limits the memory that clients can make the server hold: unread replies and received parts of requests. It
 * is one sum over all connections of all loops; any thread.
 *
 * Large answers and pictures begin only while there is room, so that slow readers delay others but do not exhaust the
 * memory. The server always makes small answers, but a connection with unread answers gets no more while the budget is
 * used up. If others wait for room, the server disconnects a client that does not read an answer within
 * --write-timeout. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { BUDGET_SMALL_BYTES = 65536 }; /* answers and bodies up to this size need no room */

struct budget {
    uint64_t max_bytes;
    atomic_uint_fast64_t used_bytes;
    atomic_uint_fast64_t waiting_bytes; /* of large unanswered requests: part of used_bytes */
    atomic_uint_fast32_t shortages;     /* number of requests without room: each loop acts on new ones */
};

/* Counts no shortage. */
static inline bool budget_is_used_up(const struct budget *budget)
{
    return atomic_load_explicit(&budget->used_bytes, memory_order_relaxed) >= budget->max_bytes;
}
/* Counts no shortage. */
static inline bool budget_could_take(const struct budget *budget, uint64_t more_bytes)
{
    return atomic_load_explicit(&budget->used_bytes, memory_order_relaxed) + more_bytes <= budget->max_bytes;
}
/* True if more_bytes fit; otherwise counts a shortage. */
bool budget_has_capacity(struct budget *budget, uint64_t more_bytes);
/* Counts a large request until budget_request_ends(). Large requests may hold half of the memory: if they held all of
 * it, no answer would have room to begin. False: that half is full, and nothing is counted. */
bool budget_request_begins(struct budget *budget, uint64_t bytes);
void budget_request_ends(struct budget *budget, uint64_t bytes);
/* Changes one holder's share from *counted_bytes to `bytes`. */
static inline void budget_count(struct budget *budget, size_t *counted_bytes, size_t bytes)
{
    if (bytes == *counted_bytes)
        return;
    atomic_fetch_add_explicit(&budget->used_bytes, (uint64_t)bytes - *counted_bytes, memory_order_relaxed);
    *counted_bytes = bytes;
}
