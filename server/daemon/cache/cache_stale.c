/* cache_stale.c - models that are answered although their files cannot be looked at. */
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
