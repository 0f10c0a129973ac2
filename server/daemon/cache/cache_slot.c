/* cache_slot.c - stores the slots: finds them by path, keeps them in the order of use, counts, evicts and shares
 * them. */
#include "daemon/cache/cache_slot.h"

#include "base/mem.h"
#include "daemon/cache/retargeted_clip_cache.h"
#include "daemon/support/log.h"
#include "daemon/support/stats.h"

#include <stdlib.h>
#include <string.h>
#include <utlist.h>

/* Failed models are small but not nothing. */
enum { SLOTS_MAX = 16384 };

/* --- finding --- */

struct cache_slot *slot_find(const struct cache *cache, const char *path)
{
    struct cache_slot *slot;
    HASH_FIND_STR(cache->slots, path, slot);
    return slot;
}

/* It is the latest used. */
static void slot_touch(struct cache_slot *slot)
{
    if (slot->cache->used == slot)
        return;
    DL_DELETE(slot->cache->used, slot);
    DL_PREPEND(slot->cache->used, slot);
}

struct cache_slot *slot_find_or_add(struct cache *cache, const char *path)
{
    struct cache_slot *slot = slot_find(cache, path);
    if (slot != NULL) {
        slot_touch(slot);
        return slot;
    }
    slot = mem_zalloc(1, sizeof *slot);
    slot->cache = cache;
    slot->path = mem_strdup(path);
    HASH_ADD_KEYPTR(hh, cache->slots, slot->path, strlen(slot->path), slot);
    DL_PREPEND(cache->used, slot);
    return slot;
}

/* --- the content of a slot --- */

/* A model comes (1) or goes (-1). */
static void count_model(struct cache *cache, int sign, struct imported_model *imported)
{
    imported->is_cached = sign > 0;
    cache->model_count += (uint64_t)(int64_t)sign;
    cache->model_bytes += sign > 0 ? imported->held_bytes : -imported->held_bytes;
    stats_set(STAT_CACHE_MODELS, cache->model_count);
    stats_set(STAT_CACHE_BYTES, cache->model_bytes);
}

void slot_clear(struct cache_slot *slot)
{
    slot_invalidate_shared(slot);
    if (slot->imported != NULL)
        count_model(slot->cache, -1, slot->imported);
    imported_model_unref(slot->imported);
    slot->imported = NULL;
    free(slot->err);
    slot->err = NULL;
}

void slot_keep_model(struct cache_slot *slot, struct imported_model *imported)
{
    slot_clear(slot);
    slot->imported = imported;
    count_model(slot->cache, 1, imported);
    const struct source *file = sources_find_model(imported->sources);
    if (file == NULL)
        return;
    const struct model_facts facts = model_facts_of(&imported->model);
    slot->stamp = file->stamp;
    fact_table_note(slot->cache->facts, slot->path, &slot->stamp, &facts);
}

void slot_keep_error(struct cache_slot *slot, const struct err *err)
{
    slot_clear(slot);
    slot->err = mem_alloc(sizeof *slot->err);
    *slot->err = *err;
    slot->failed_ms = cache_now_ms();
}

void slot_drop_offer(struct cache_slot *slot)
{
    imported_model_unref(slot->offered);
    slot->offered = NULL;
}

void slot_remove(struct cache_slot *slot)
{
    struct cache *cache = slot->cache;
    slot_clear(slot);
    slot_drop_offer(slot);
    folder_watch_set_unref(slot->set);
    HASH_DEL(cache->slots, slot);
    DL_DELETE(cache->used, slot);
    free(slot->path);
    free(slot);
}

void slot_report_change(struct cache_slot *slot)
{
    struct cache_listener *listener = slot->cache->listener;
    if (slot->imported == NULL)
        return;
    stats_add(STAT_CACHE_CHANGED, 1);
    log_info("changed model='%s'", slot->path);
    if (listener != NULL)
        listener->changed(listener, slot->path);
}

bool slot_has_no_events(const struct cache_slot *slot)
{
    return slot->set != NULL && folder_watch_set_is_unchanged(slot->set, slot->count);
}

/* --- sharing with other threads --- */

/* A use in the same millisecond as one that was noted is not told apart from it. */
static void note_use(struct cache_slot *slot, const struct shared_model *shared)
{
    if (atomic_load_explicit(&shared->used_ms, memory_order_relaxed) != shared->noted_ms)
        slot_touch(slot);
}

void slot_invalidate_shared(struct cache_slot *slot)
{
    struct cache *cache = slot->cache;
    struct shared_model *shared = slot->shared;
    if (shared == NULL)
        return;
    slot->shared = NULL;
    shared->slot = NULL;
    DL_DELETE(cache->shareds, shared);
    note_use(slot, shared);
    atomic_store_explicit(&shared->good_until_ms, 0, memory_order_release);
    if (cache->listener != NULL)
        cache->listener->invalidated(cache->listener, shared);
    shared_model_unref(shared);
}

struct shared_model *shared_model_ref(struct shared_model *shared)
{
    atomic_fetch_add_explicit(&shared->ref_count, 1, memory_order_relaxed);
    return shared;
}

void shared_model_unref(struct shared_model *shared)
{
    if (shared == NULL || atomic_fetch_sub_explicit(&shared->ref_count, 1, memory_order_acq_rel) > 1)
        return;
    imported_model_unref(shared->imported);
    folder_watch_set_unref(shared->set);
    free(shared->path);
    free(shared);
}

static struct shared_model *share(struct cache_slot *slot)
{
    struct shared_model *shared = mem_zalloc(1, sizeof *shared);
    shared->path = mem_strdup(slot->path);
    shared->imported = imported_model_ref(slot->imported);
    shared->set = slot->set == NULL ? NULL : folder_watch_set_ref(slot->set);
    shared->count = slot->count;
    shared->slot = slot;
    atomic_init(&shared->ref_count, 1);
    slot->shared = shared;
    DL_APPEND(slot->cache->shareds, shared);
    return shared;
}

bool cache_has(struct cache *cache, const char *path)
{
    const struct cache_slot *slot = slot_find(cache, path);
    return slot != NULL && slot->imported != NULL && slot->state < SLOT_IMPORTING;
}

struct shared_model *cache_share(struct cache *cache, const char *path)
{
    struct cache_slot *slot = slot_find(cache, path);
    const struct config *config = cache->config;
    if (slot == NULL || slot->state != SLOT_READY || slot->due_ms != 0 || slot->stale_ms != 0)
        return NULL;
    const uint64_t until_ms =
        config->watch == WATCH_OFF ? UINT64_MAX : slot->checked_ms + config->limits.value[LIMIT_WATCH_TIME_MS];
    if (cache_now_ms() >= until_ms || (slot->set != NULL && !slot_has_no_events(slot)))
        return NULL;
    if (slot->shared != NULL && (slot->shared->set != slot->set || slot->shared->count != slot->count))
        slot_invalidate_shared(slot);
    struct shared_model *shared = slot->shared != NULL ? slot->shared : share(slot);
    atomic_store_explicit(&shared->good_until_ms, until_ms, memory_order_release);
    return shared_model_ref(shared);
}

/* --- eviction --- */

static bool is_too_much(const struct cache *cache)
{
    const uint64_t view_bytes =
        cache->retargeted_clips != NULL ? retargeted_clip_cache_bytes(cache->retargeted_clips) : 0;
    return cache->model_bytes + view_bytes > cache->config->cache_bytes ||
           cache->model_count > cache->config->models_max || HASH_COUNT(cache->slots) > SLOTS_MAX;
}

static int by_use(const struct shared_model *a, const struct shared_model *b)
{
    return (a->noted_ms > b->noted_ms) - (a->noted_ms < b->noted_ms);
}

/* Moves models that other threads have used since the last time to the front, in the order of use. */
static void note_uses(struct cache *cache)
{
    for (struct shared_model *shared = cache->shareds; shared != NULL; shared = shared->next) {
        const uint64_t used_ms = atomic_load_explicit(&shared->used_ms, memory_order_relaxed);
        shared->is_used = used_ms != shared->noted_ms;
        shared->noted_ms = used_ms;
    }
    DL_SORT(cache->shareds, by_use);
    for (struct shared_model *shared = cache->shareds; shared != NULL; shared = shared->next)
        if (shared->is_used)
            slot_touch(shared->slot);
}

void cache_evict(struct cache *cache, struct cache_slot *latest)
{
    if (is_too_much(cache))
        note_uses(cache);
    if (latest != NULL)
        slot_touch(latest);
    struct cache_slot *slot = cache->used != NULL ? cache->used->prev : NULL; /* utlist: the head's prev is the tail */
    while (slot != NULL && is_too_much(cache)) {
        struct cache_slot *before = slot != cache->used ? slot->prev : NULL;
        if (slot->state <= SLOT_FAILED) {
            stats_add(STAT_CACHE_EVICTED, slot->imported != NULL);
            slot_remove(slot);
        }
        slot = before;
    }
}
