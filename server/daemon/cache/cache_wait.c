/* cache_wait.c - the lists of who waits for a slot, and those who do not any more. */
#include "daemon/cache/cache_parts.h"

#include <stddef.h>
#include <utlist.h>

static void add(struct cache_wait **list, struct cache_wait *wait, struct cache_slot *slot)
{
    wait->list = list;
    wait->slot = slot;
    DL_APPEND(*list, wait);
}

void wait_add(struct cache_slot *slot, struct cache_wait *wait) { add(&slot->waiting, wait, slot); }

struct cache_wait *wait_take(struct cache_wait **list)
{
    struct cache_wait *wait = *list;
    if (wait == NULL)
        return NULL;
    DL_DELETE(*list, wait);
    wait->list = NULL;
    wait->slot = NULL;
    return wait;
}

void wait_move_all(struct cache_wait **from, struct cache_wait **to, struct cache_slot *slot)
{
    for (struct cache_wait *wait; (wait = wait_take(from)) != NULL;)
        add(to, wait, slot);
}

bool slot_is_wanted(const struct cache_slot *slot) { return slot->served != NULL || slot->waiting != NULL; }

void cache_cancel(struct cache_wait *wait)
{
    struct cache_slot *slot = wait->slot;
    DL_DELETE(*wait->list, wait);
    wait->list = NULL;
    wait->slot = NULL;
    if (slot != NULL && !slot_is_wanted(slot))
        slot_on_unwanted(slot);
}
