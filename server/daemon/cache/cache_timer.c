/* cache_timer.c - looks at models nobody asks for: those whose folders changed, and those that were being written. */
#include "daemon/cache/cache_slot.h"

#include "base/mem.h"

#include <stdlib.h>

/* A change is often several: they are looked at together, a few models at a time. */
enum { TICK_MS = 40, BESIDE_MAX = 8 };

struct cache_timer {
    uv_timer_t timer;
    struct cache *cache; /* NULL: freed */
};

static bool has_events(const struct cache_slot *slot)
{
    return slot->set != NULL && slot->imported != NULL &&
           (folder_watch_set_count(slot->set) != slot->count || !folder_watch_set_is_live(slot->set));
}

/* True when the slot is to be looked at at a later tick. */
static bool tick(struct cache_slot *slot, uint64_t now_ms)
{
    struct cache *cache = slot->cache;
    const bool is_due = slot->due_ms != 0 && now_ms >= slot->due_ms;
    const bool is_wanted = is_due || (cache->has_events && has_events(slot));
    if (slot->work == SLOT_SETTLING && is_due)
        slot_revalidate(slot, false);
    else if (is_wanted && slot->work == SLOT_IDLE && cache->beside_count < BESIDE_MAX)
        slot_revalidate(slot, true);
    else
        return is_wanted || slot->due_ms != 0;
    return false;
}

static void on_tick(uv_timer_t *handle)
{
    struct cache *cache = ((struct cache_timer *)handle->data)->cache;
    const uint64_t now_ms = cache_now_ms();
    bool is_left = false;
    for (struct cache_slot *slot = cache->used; slot != NULL; slot = slot->next)
        is_left = tick(slot, now_ms) || is_left;
    if (is_left)
        return;
    cache->has_events = false;
    uv_timer_stop(handle);
}

struct cache_timer *cache_timer_new(struct cache *cache)
{
    struct cache_timer *timer = mem_zalloc(1, sizeof *timer);
    timer->cache = cache;
    timer->timer.data = timer;
    uv_timer_init(cache->loop, &timer->timer);
    return timer;
}

void cache_timer_start(struct cache_timer *timer)
{
    if (!uv_is_active((uv_handle_t *)&timer->timer))
        uv_timer_start(&timer->timer, on_tick, TICK_MS, TICK_MS);
}

static void on_closed(uv_handle_t *handle) { free(handle->data); }

void cache_timer_free(struct cache_timer *timer)
{
    timer->cache = NULL;
    uv_close((uv_handle_t *)&timer->timer, on_closed);
}
