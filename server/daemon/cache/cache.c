#include "daemon/cache/cache_slot.h"

#include "base/mem.h"
#include "daemon/support/log.h"
#include "daemon/support/stats.h"

#include <stdlib.h>
#include <string.h>
#include <utlist.h>

/* Failed models are small but not nothing. */
enum { SLOTS_MAX = 16384 };
/* A folder in which much happens beside a broken file is no reason to import that again and again. */
enum { FAILED_REST_MS = 250 };

uint64_t cache_now_ms(void) { return uv_hrtime() / 1000000; }

/* --- life --- */

static void on_events(void *user)
{
    struct cache *cache = user;
    cache->has_events = true;
    cache->moment++;
    if (cache->timer != NULL && cache->slots != NULL)
        cache_timer_start(cache->timer);
}

/* What was seen under the old root says nothing. */
static void on_root_moved(void *user)
{
    struct cache *cache = user;
    if (cache->fresh->watch != NULL)
        folder_watch_reset(cache->fresh->watch);
    for (struct cache_slot *slot = cache->used; slot != NULL; slot = slot->next)
        slot->checked_ms = 0;
    cache_invalidate_all(cache);
    on_events(cache);
}

struct cache *cache_new(uv_loop_t *loop, const struct config *config, struct import_pool *pool, int root_fd,
                        struct disk_cache *disk)
{
    struct cache *cache = mem_zalloc(1, sizeof *cache);
    *cache = (struct cache){.loop = loop, .config = config, .pool = pool, .turn = 1, .moment = 1};
    cache->fresh = backing_new(loop, config, root_fd, disk, on_events, cache);
    cache->timer = cache_timer_new(cache);
    const int fds[ROOT_MONITOR_FDS] = {root_fd, cache->fresh->root_fd};
    if (config->watch != WATCH_OFF)
        cache->guard =
            root_monitor_new(loop, config->root, config->limits.value[LIMIT_WATCH_TIME_MS], fds, on_root_moved, cache);
    return cache;
}

void cache_free(struct cache *cache)
{
    if (cache == NULL)
        return;
    for (struct cache_slot *slot = cache->used; slot != NULL; slot = slot->next)
        revalidation_abandon(slot->look);
    while (cache->used != NULL)
        slot_remove(cache->used);
    cache_timer_free(cache->timer);
    root_monitor_free(cache->guard);
    backing_end(cache->fresh);
    backing_unref(cache->fresh);
    free(cache);
}

void cache_listen(struct cache *cache, struct cache_listener *listener) { DL_APPEND(cache->listeners, listener); }

/* --- slots --- */

static struct cache_slot *find(const struct cache *cache, const char *path)
{
    struct cache_slot *slot;
    HASH_FIND_STR(cache->slots, path, slot);
    return slot;
}

static struct cache_slot *add_slot(struct cache *cache, const char *path)
{
    struct cache_slot *slot = mem_zalloc(1, sizeof *slot);
    slot->cache = cache;
    slot->path = mem_strdup(path);
    slot->job = (struct import_job){
        .path = slot->path, .starting = slot_on_starting, .is_wanted = slot_is_import_wanted, .done = slot_on_imported};
    HASH_ADD_KEYPTR(hh, cache->slots, slot->path, strlen(slot->path), slot);
    DL_PREPEND(cache->used, slot);
    return slot;
}

void slot_touch(struct cache_slot *slot)
{
    if (slot->cache->used == slot)
        return;
    DL_DELETE(slot->cache->used, slot);
    DL_PREPEND(slot->cache->used, slot);
}

/* A model comes (1) or goes (-1). */
static void count_model(struct cache *cache, int sign, struct imported_model *imported)
{
    imported->is_cached = sign > 0;
    cache->baked_count += (uint64_t)(int64_t)sign;
    cache->baked_bytes += sign > 0 ? imported->held_bytes : -imported->held_bytes;
    stats_set(STAT_CACHE_MODELS, cache->baked_count);
    stats_set(STAT_CACHE_BYTES, cache->baked_bytes);
}

void slot_clear(struct cache_slot *slot)
{
    slot_invalidate(slot);
    if (slot->imported != NULL)
        count_model(slot->cache, -1, slot->imported);
    imported_model_unref(slot->imported);
    slot->imported = NULL;
    free(slot->err);
    slot->err = NULL;
    slot->is_doubtful = false;
}

void slot_keep_baked(struct cache_slot *slot, struct imported_model *imported)
{
    slot_clear(slot);
    slot_touch(slot); /* it was asked for long ago: others that were used since must not have it evicted unused */
    slot->imported = imported;
    count_model(slot->cache, 1, imported);
    const struct source *model = sources_find_model(imported->sources);
    if (model != NULL)
        slot->stamp = model->stamp;
}

void slot_keep_err(struct cache_slot *slot, const struct err *err)
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

static bool is_too_much(const struct cache *cache)
{
    return cache->baked_bytes > cache->config->cache_bytes || cache->baked_count > cache->config->models_max ||
           HASH_COUNT(cache->slots) > SLOTS_MAX;
}

/* From the least recently used on, until the rest fits. What is being worked on stays. */
static void evict(struct cache *cache)
{
    if (is_too_much(cache))
        cache_note_use(cache);
    struct cache_slot *slot = cache->used != NULL ? cache->used->prev : NULL; /* utlist: the head's prev is the tail */
    while (slot != NULL && is_too_much(cache)) {
        struct cache_slot *before = slot != cache->used ? slot->prev : NULL;
        if (slot->work == SLOT_IDLE) {
            stats_add(STAT_CACHE_EVICTED, slot->imported != NULL);
            slot_remove(slot);
        }
        slot = before;
    }
}

void slot_report_change(struct cache_slot *slot)
{
    if (slot->imported == NULL)
        return;
    stats_add(STAT_CACHE_CHANGED, 1);
    log_info("changed model='%s'", slot->path);
    struct cache_listener *listener, *next;
    DL_FOREACH_SAFE(slot->cache->listeners, listener, next)
    listener->changed(listener, slot->path);
}

/* --- answers --- */

/* Answers a list that no slot holds any more. *imported and *err are borrowed. */
static void answer(struct cache_waiter **list, struct imported_model *imported, const struct err *err)
{
    for (struct cache_waiter *wait; (wait = waiter_take(list)) != NULL;)
        wait->ready(wait, imported, err);
}

/* One by one, as if each had just asked. */
static void ask_again(struct cache *cache, const char *path, struct cache_waiter **list)
{
    for (struct cache_waiter *wait; (wait = waiter_take(list)) != NULL;) {
        struct imported_model *imported = NULL;
        struct err err = {0};
        const int rc = cache_get(cache, path, wait, &imported, &err);
        if (rc != 0)
            wait->ready(wait, imported, &err);
        imported_model_unref(imported);
    }
}

void slot_finish(struct cache_slot *slot, bool is_gone, const struct err *err)
{
    struct cache *cache = slot->cache;
    struct cache_waiter *served = NULL, *waiting = NULL;
    waiter_move_all(&slot->served, &served, NULL);
    waiter_move_all(&slot->waiting, &waiting, NULL);
    struct imported_model *imported = err == NULL && slot->imported != NULL ? imported_model_ref(slot->imported) : NULL;
    struct err said = {0};
    if (imported == NULL)
        said = err != NULL ? *err : *slot->err;
    char *path = waiting != NULL ? mem_strdup(slot->path) : NULL;
    slot->settling_ms = 0;
    if (waiting == NULL)
        slot_drop_offer(slot);
    if (is_gone)
        slot_remove(slot);
    evict(cache);
    answer(&served, imported, &said);
    if (waiting != NULL)
        ask_again(cache, path, &waiting);
    free(path);
    imported_model_unref(imported);
}

/* --- asking --- */

/* True when the kernel says that nothing has happened in the folders since the last look. */
static bool is_vouched_for(struct cache_slot *slot)
{
    struct cache *cache = slot->cache;
    if (slot->set == NULL || !folder_watch_set_is_live(slot->set))
        return false;
    if (cache->drained_turn != cache->turn)
        folder_watch_drain(cache->fresh->watch);
    cache->drained_turn = cache->turn;
    return folder_watch_set_is_live(slot->set) && folder_watch_set_count(slot->set) == slot->count;
}

/* Whether what is known of the files still holds. What no event tells (a file that is written through a mapping, or
 * under another name) is found by a look beside, now and then. */
static bool is_fresh(struct cache_slot *slot)
{
    const struct cache *cache = slot->cache;
    const bool is_late = cache_now_ms() - slot->checked_ms >= cache->config->limits.value[LIMIT_WATCH_TIME_MS];
    if (cache->config->watch == WATCH_OFF)
        return true;
    /* it was being written: until something happens, such as the end of that, the model is what it was */
    if (slot->due_ms != 0 && (slot->set == NULL || is_vouched_for(slot)))
        return true;
    if (!is_vouched_for(slot))
        return slot->set == NULL && !is_late;
    if (is_late && slot->work == SLOT_IDLE && slot->imported != NULL)
        slot_revalidate(slot, true);
    return true;
}

static bool is_failure_remembered(struct cache_slot *slot)
{
    const uint64_t age_ms = cache_now_ms() - slot->failed_ms;
    return slot->err != NULL && !slot->is_doubtful &&
           age_ms < slot->cache->config->limits.value[LIMIT_FAILED_TIME_MS] && is_fresh(slot);
}

/* Too old, or what happened in the folder may be what the model lacked. */
static bool is_failure_over(struct cache_slot *slot)
{
    const uint64_t age_ms = cache_now_ms() - slot->failed_ms;
    if (slot->err == NULL || slot->is_doubtful)
        return false;
    return age_ms >= slot->cache->config->limits.value[LIMIT_FAILED_TIME_MS] ||
           (age_ms >= FAILED_REST_MS && slot->set != NULL && !is_vouched_for(slot));
}

static bool is_free(const struct cache_slot *slot) { return slot->work == SLOT_IDLE || slot->is_beside; }

/* Once a moment: until the turn ends or an event is taken, what is known of the files stays what it is. */
static bool is_fresh_now(struct cache_slot *slot)
{
    if (slot->fresh_moment == slot->cache->moment)
        return true;
    const bool is_fresh_yet = is_fresh(slot); /* which may take events */
    if (is_fresh_yet)
        slot->fresh_moment = slot->cache->moment;
    return is_fresh_yet;
}

static bool is_ready(struct cache_slot *slot, bool is_whole)
{
    return is_free(slot) && slot->imported != NULL && (slot->imported->has_pixels || !is_whole) && is_fresh_now(slot);
}

struct imported_model *cache_peek(struct cache *cache, const char *path, bool is_whole)
{
    struct cache_slot *slot = find(cache, path);
    if (slot == NULL || !is_ready(slot, is_whole))
        return NULL;
    slot_touch(slot);
    return slot->imported;
}

int cache_get(struct cache *cache, const char *path, struct cache_waiter *wait, struct imported_model **imported,
              struct err *err)
{
    *imported = NULL;
    struct cache_slot *slot = find(cache, path);
    if (slot != NULL)
        slot_touch(slot);
    else
        slot = add_slot(cache, path);
    if (is_ready(slot, wait->is_whole)) {
        *imported = imported_model_ref(slot->imported);
        stats_add(STAT_CACHE_HITS, 1);
        return 1;
    }
    if (is_free(slot) && is_failure_remembered(slot))
        return err_set(err, slot->err->code, "%s", slot->err->message);
    if (slot->work == SLOT_IDLE && is_failure_over(slot))
        slot_clear(slot);
    stats_add(STAT_IMPORTS_SHARED, slot->work == SLOT_IMPORTING || slot->is_after_import);
    waiter_add(slot, wait);
    if (slot->work == SLOT_IDLE)
        slot_revalidate(slot, false);
    return 0;
}

void cache_offer(struct cache *cache, const char *path, struct imported_model *imported)
{
    struct cache_slot *slot = find(cache, path);
    if (slot == NULL)
        slot = add_slot(cache, path);
    slot_drop_offer(slot);
    slot->offered = imported_model_ref(imported);
}

void cache_next_tick(struct cache *cache)
{
    cache->turn++;
    cache->moment++;
}

static enum cache_state state_of(const struct cache_slot *slot, const struct stamp *stamp)
{
    const bool is_known = stamp_equal(&slot->stamp, stamp);
    if (slot->work == SLOT_IMPORTING || slot->work == SLOT_SETTLING || slot->is_after_import)
        return CACHE_IMPORTING;
    if (slot->imported != NULL)
        return is_known ? CACHE_READY : CACHE_NEW;
    if (slot->err != NULL)
        return is_known ? CACHE_FAILED : CACHE_NEW;
    return slot->work == SLOT_LOOKING ? CACHE_IMPORTING : CACHE_NEW;
}

struct cache_info cache_describe(const struct cache *cache, const char *path, const struct stamp *stamp)
{
    const struct cache_slot *slot = find(cache, path);
    struct cache_info info = {.state = slot != NULL ? state_of(slot, stamp) : CACHE_NEW};
    if (info.state == CACHE_READY)
        info.hash = slot->imported->hash;
    if (info.state == CACHE_FAILED)
        info.err = slot->err;
    return info;
}
