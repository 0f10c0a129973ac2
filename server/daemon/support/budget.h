/* budget.h - the memory that clients can make the server hold: replies that they have not read yet, and what they have
 * sent of their requests. One sum over all connections of all loops; any thread.
 *
 * Large answers and pictures begin only while there is room, so that slow readers cost others time and not the server
 * its memory. Small answers are always made; a connection with unread answers gets no more while the budget is used up.
 * When others wait for room, a client that does not read an answer within --write-timeout is disconnected. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { BUDGET_SMALL_BYTES = 65536 }; /* answers and bodies up to here need no room */

struct budget {
    uint64_t max_bytes;
    atomic_uint_fast64_t used_bytes;
    atomic_uint_fast64_t waiting_bytes; /* of large requests without an answer yet: part of used_bytes */
    atomic_uint_fast32_t shortages;     /* how often a request found no room: each loop acts on new ones */
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
/* True when `more_bytes` more fit; otherwise one more shortage is counted. */
bool budget_has_room(struct budget *budget, uint64_t more_bytes);
/* Large requests may hold half of the memory: if they held all of it, no answer would have room to begin. False: it is
 * held. Else they are counted until budget_request_ends(). */
bool budget_request_begins(struct budget *budget, uint64_t bytes);
void budget_request_ends(struct budget *budget, uint64_t bytes);
/* One holder's share is now `bytes`, and was *counted_bytes. */
static inline void budget_count(struct budget *budget, size_t *counted_bytes, size_t bytes)
{
    if (bytes == *counted_bytes)
        return;
    atomic_fetch_add_explicit(&budget->used_bytes, (uint64_t)bytes - *counted_bytes, memory_order_relaxed);
    *counted_bytes = bytes;
}
