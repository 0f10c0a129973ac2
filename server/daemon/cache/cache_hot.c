/* cache_hot.c - models that are lent to other loops. */
#include "daemon/cache/cache_parts.h"

#include "base/mem.h"

#include <utlist.h>

/* What is said of its files now; no look is due and none is under way. */
static bool can_lend(const struct cache_slot *slot, uint64_t good_until_ms)
{
    if (slot->baked == NULL || slot->work != SLOT_IDLE || slot->due_ms != 0 || slot->is_doubtful)
        return false;
    if (cache_now_ms() >= good_until_ms)
        return false;
    return slot->set == NULL || (watch_set_is_live(slot->set) && watch_set_count(slot->set) == slot->count);
}

static uint64_t good_until_ms(const struct cache_slot *slot)
{
    const struct config *config = slot->cache->config;
    return config->watch == WATCH_OFF ? UINT64_MAX : slot->checked_ms + config->limits.value[LIMIT_WATCH_TIME_MS];
}

static bool is_same(const struct hot *hot, const struct cache_slot *slot, uint64_t until_ms)
{
    return hot->baked == slot->baked && hot->set == slot->set && hot->count == slot->count &&
           hot->good_until_ms == until_ms;
}

static struct hot *lend(struct cache_slot *slot, uint64_t until_ms)
{
    struct hot *hot = mem_zalloc(1, sizeof *hot);
    hot->path = mem_strdup(slot->path);
    hot->baked = baked_ref(slot->baked);
    hot->set = slot->set == NULL ? NULL : watch_set_ref(slot->set);
    hot->count = slot->count;
    hot->good_until_ms = until_ms;
    hot->slot = slot;
    atomic_init(&hot->ref_count, 1);
    slot->hot = hot;
    DL_APPEND(slot->cache->hots, hot);
    return hot;
}

struct hot *cache_lend(struct cache *cache, const char *path)
{
    struct cache_slot *slot;
    HASH_FIND_STR(cache->slots, path, slot);
    if (slot == NULL)
        return NULL;
    const uint64_t until_ms = good_until_ms(slot);
    if (!can_lend(slot, until_ms))
        return NULL;
    if (slot->hot != NULL && !is_same(slot->hot, slot, until_ms))
        slot_take_back(slot);
    return hot_ref(slot->hot != NULL ? slot->hot : lend(slot, until_ms));
}

/* One that is over is used up to now. */
static void note_use(const struct hot *hot, struct cache_slot *slot)
{
    if (atomic_load_explicit(&hot->used_ms, memory_order_relaxed) != hot->noted_ms)
        slot_touch(slot);
}

void slot_take_back(struct cache_slot *slot)
{
    struct cache *cache = slot->cache;
    struct hot *hot = slot->hot;
    if (hot == NULL)
        return;
    slot->hot = NULL;
    hot->slot = NULL;
    DL_DELETE(cache->hots, hot);
    note_use(hot, slot);
    atomic_store_explicit(&hot->is_over, true, memory_order_release);
    if (cache->borrower != NULL)
        cache->borrower->taken_back(cache->borrower, hot);
    hot_unref(hot);
}

void cache_take_all_back(struct cache *cache)
{
    while (cache->hots != NULL)
        slot_take_back(cache->hots->slot);
}

static int by_use(const struct hot *a, const struct hot *b)
{
    return (a->noted_ms > b->noted_ms) - (a->noted_ms < b->noted_ms);
}

void cache_note_use(struct cache *cache)
{
    for (struct hot *hot = cache->hots; hot != NULL; hot = hot->next) {
        const uint64_t used_ms = atomic_load_explicit(&hot->used_ms, memory_order_relaxed);
        hot->is_used = used_ms != hot->noted_ms;
        hot->noted_ms = used_ms;
    }
    DL_SORT(cache->hots, by_use);
    for (struct hot *hot = cache->hots; hot != NULL; hot = hot->next)
        if (hot->is_used)
            slot_touch(hot->slot);
}

void cache_lend_to(struct cache *cache, struct cache_borrower *borrower) { cache->borrower = borrower; }
