/* cache_stale.c - answers from models whose files are unreadable, and ends work under way when the root goes down. */
#include "daemon/cache/cache_slot.h"

enum { MS_PER_S = 1000 };

void slot_mark_stale(struct cache_slot *slot)
{
    const uint64_t since_ms = root_monitor_since_ms(slot->cache->monitor);
    if (slot->stale_ms == 0)
        slot->stale_ms = since_ms != 0 ? since_ms : cache_now_ms();
    slot_invalidate_shared(slot);
}

bool slot_is_expired(const struct cache_slot *slot)
{
    const uint64_t limit_ms = slot->cache->config->limits.value[LIMIT_STALE_TIME_MS];
    return slot->stale_ms != 0 && cache_now_ms() - slot->stale_ms >= limit_ms;
}

uint32_t slot_stale_s(const struct cache_slot *slot)
{
    if (slot->stale_ms == 0)
        return 0;
    const uint64_t age_s = (cache_now_ms() - slot->stale_ms) / MS_PER_S;
    return age_s >= UINT32_MAX ? UINT32_MAX : (uint32_t)age_s + 1;
}

int slot_unavailable(const struct cache_slot *slot, struct err *err)
{
    return root_unavailable(slot->path, root_monitor_why(slot->cache->monitor), err);
}

/* --- work on slots that waits for the root --- */

/* Work that may never end, and requests that wait for it. */
static bool waits_for_root(const struct cache_slot *slot)
{
    switch (slot->state) {
    case SLOT_LOOKING:
    case SLOT_CHECKING:
    case SLOT_CONFIRMING:
        return !slot->is_offline;
    case SLOT_IMPORTING:
        return slot_is_wanted(slot);
    default:
        return false;
    }
}

static void go_offline(struct cache_slot *slot)
{
    struct cache *cache = slot->cache;
    struct err err;
    slot_unavailable(slot, &err);
    if (slot->state == SLOT_IMPORTING) {
        struct cache_waiter *waiting = NULL;
        const bool is_dropped = import_pool_drop(cache->pool, &slot->job);
        waiter_move_all(&slot->served, &waiting, NULL);
        waiter_move_all(&slot->waiting, &waiting, NULL);
        if (is_dropped)
            slot_finish(slot, true, &err);
        waiters_answer(cache, &waiting, NULL, &err);
        return;
    }
    revalidation_abandon(slot->run);
    slot->run = NULL;
    cache->checking_count -= slot->state == SLOT_CHECKING;
    if (slot->state == SLOT_CONFIRMING) {
        slot_finish(slot, true, &err);
        return;
    }
    slot_mark_stale(slot);
    if (slot->state == SLOT_CHECKING) {
        slot_finish(slot, false, NULL);
        return;
    }
    slot_wait_anew(slot);
    slot_look(slot, SLOT_LOOKING);
}

void cache_go_offline(struct cache *cache)
{
    for (struct cache_slot *slot = cache->used; slot != NULL;)
        if (waits_for_root(slot)) {
            go_offline(slot); /* which may change the list: from its start again */
            slot = cache->used;
        } else {
            slot_invalidate_shared(slot);
            slot = slot->next;
        }
}
