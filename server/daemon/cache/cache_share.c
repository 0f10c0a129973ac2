/* cache_hot.c - models that are lent to other loops. */
#include "daemon/cache/cache_slot.h"

#include "base/mem.h"

#include <utlist.h>

/* What is said of its files now; no look is due and none is under way. */
static bool can_lend(const struct cache_slot *slot, uint64_t good_until_ms)
{
    if (slot->imported == NULL || slot->work != SLOT_IDLE || slot->due_ms != 0 || slot->is_doubtful)
        return false;
    if (cache_now_ms() >= good_until_ms)
        return false;
    return slot->set == NULL ||
           (folder_watch_set_is_live(slot->set) && folder_watch_set_count(slot->set) == slot->count);
}

static uint64_t good_until_ms(const struct cache_slot *slot)
{
    const struct config *config = slot->cache->config;
    return config->watch == WATCH_OFF ? UINT64_MAX : slot->checked_ms + config->limits.value[LIMIT_WATCH_TIME_MS];
}

static bool is_same(const struct shared_model *shared, const struct cache_slot *slot, uint64_t until_ms)
{
    return shared->imported == slot->imported && shared->set == slot->set && shared->count == slot->count &&
           shared->good_until_ms == until_ms;
}

static struct shared_model *lend(struct cache_slot *slot, uint64_t until_ms)
{
    struct shared_model *shared = mem_zalloc(1, sizeof *shared);
    shared->path = mem_strdup(slot->path);
    shared->imported = imported_model_ref(slot->imported);
    shared->set = slot->set == NULL ? NULL : folder_watch_set_ref(slot->set);
    shared->count = slot->count;
    shared->good_until_ms = until_ms;
    shared->slot = slot;
    atomic_init(&shared->ref_count, 1);
    slot->shared = shared;
    DL_APPEND(slot->cache->hots, shared);
    return shared;
}

struct shared_model *cache_share(struct cache *cache, const char *path)
{
    struct cache_slot *slot;
    HASH_FIND_STR(cache->slots, path, slot);
    if (slot == NULL)
        return NULL;
    const uint64_t until_ms = good_until_ms(slot);
    if (!can_lend(slot, until_ms))
        return NULL;
    if (slot->shared != NULL && !is_same(slot->shared, slot, until_ms))
        slot_invalidate(slot);
    return shared_model_ref(slot->shared != NULL ? slot->shared : lend(slot, until_ms));
}

/* One that is over is used up to now. */
static void note_use(const struct shared_model *shared, struct cache_slot *slot)
{
    if (atomic_load_explicit(&shared->used_ms, memory_order_relaxed) != shared->noted_ms)
        slot_touch(slot);
}

void slot_invalidate(struct cache_slot *slot)
{
    struct cache *cache = slot->cache;
    struct shared_model *shared = slot->shared;
    if (shared == NULL)
        return;
    slot->shared = NULL;
    shared->slot = NULL;
    DL_DELETE(cache->hots, shared);
    note_use(shared, slot);
    atomic_store_explicit(&shared->is_over, true, memory_order_release);
    if (cache->borrower != NULL)
        cache->borrower->taken_back(cache->borrower, shared);
    shared_model_unref(shared);
}

void cache_invalidate_all(struct cache *cache)
{
    while (cache->hots != NULL)
        slot_invalidate(cache->hots->slot);
}

static int by_use(const struct shared_model *a, const struct shared_model *b)
{
    return (a->noted_ms > b->noted_ms) - (a->noted_ms < b->noted_ms);
}

void cache_note_use(struct cache *cache)
{
    for (struct shared_model *shared = cache->hots; shared != NULL; shared = shared->next) {
        const uint64_t used_ms = atomic_load_explicit(&shared->used_ms, memory_order_relaxed);
        shared->is_used = used_ms != shared->noted_ms;
        shared->noted_ms = used_ms;
    }
    DL_SORT(cache->hots, by_use);
    for (struct shared_model *shared = cache->hots; shared != NULL; shared = shared->next)
        if (shared->is_used)
            slot_touch(shared->slot);
}

void cache_set_holder(struct cache *cache, struct cache_holder *borrower) { cache->borrower = borrower; }
