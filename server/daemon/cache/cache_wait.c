/* cache_wait.c - the lists of who waits for a slot, and those who do not any more. */
#include "daemon/cache/cache_slot.h"

#include <stddef.h>
#include <utlist.h>

static void add(struct cache_waiter **list, struct cache_waiter *wait, struct cache_slot *slot)
{
    wait->list = list;
    wait->slot = slot;
    DL_APPEND(*list, wait);
}

void waiter_add(struct cache_slot *slot, struct cache_waiter *wait) { add(&slot->waiting, wait, slot); }

struct cache_waiter *waiter_take(struct cache_waiter **list)
{
    struct cache_waiter *wait = *list;
    if (wait == NULL)
        return NULL;
    DL_DELETE(*list, wait);
    wait->list = NULL;
    wait->slot = NULL;
    return wait;
}

void waiter_move_all(struct cache_waiter **from, struct cache_waiter **to, struct cache_slot *slot)
{
    for (struct cache_waiter *wait; (wait = waiter_take(from)) != NULL;)
        add(to, wait, slot);
}

bool slot_is_wanted(const struct cache_slot *slot) { return slot->served != NULL || slot->waiting != NULL; }

void cache_cancel(struct cache_waiter *wait)
{
    struct cache_slot *slot = wait->slot;
    DL_DELETE(*wait->list, wait);
    wait->list = NULL;
    wait->slot = NULL;
    if (slot != NULL && !slot_is_wanted(slot))
        slot_on_unwanted(slot);
}
