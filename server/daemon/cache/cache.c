/* cache.c - the cache: answers requests, and starts checks of files without a request. */
#include "daemon/cache/cache.h"

#include "base/mem.h"
#include "daemon/cache/cache_slot.h"
#include "daemon/support/stats.h"

#include <stdlib.h>
#include <utlist.h>

enum {
    FAILED_REST_MS = 250, /* events in the folder of a broken file do not cause imports more often than this */
    TIMER_MS = 40,        /* a change often has several events: one check covers them all, */
    CHECKING_MAX = 8,     /* and this many models at a time */
};

/* --- its life --- */

static void on_events(void *user)
{
    struct cache *cache = user;
    cache->has_events = true;
    if (cache->slots != NULL)
        cache_start_timer(cache);
}

/* Checks under the former root, or before the root became readable again, are void. */
static void on_root_event(void *user, enum root_event event)
{
    struct cache *cache = user;
    if (event == ROOT_DOWN) {
        cache_go_offline(cache);
        return;
    }
    if (event == ROOT_MOVED && cache->backing->watch != NULL)
        folder_watch_reset(cache->backing->watch);
    for (struct cache_slot *slot = cache->used; slot != NULL; slot = slot->next) {
        slot->checked_ms = 0;
        slot_invalidate_shared(slot);
    }
    on_events(cache);
}

struct cache *cache_new(uv_loop_t *loop, const struct config *config, struct import_pool *pool, int root_fd,
                        struct disk_cache *disk)
{
    struct cache *cache = mem_zalloc(1, sizeof *cache);
    *cache = (struct cache){.loop = loop, .config = config, .pool = pool, .facts = fact_table_new(), .tick = 1};
    uv_timer_init(loop, &cache->timer);
    cache->timer.data = cache;
    cache_begin_answers(cache);
    cache->backing = backing_new(loop, config, root_fd, disk, on_events, cache);
    const int fds[ROOT_MONITOR_FDS] = {root_fd, cache->backing->root_fd};
    cache->monitor = root_monitor_new(loop, config, fds, on_root_event, cache);
    return cache;
}

const char *cache_disk_failure(const struct cache *cache)
{
    return cache->backing->disk_failure.code != 0 ? cache->backing->disk_failure.message : NULL;
}

static void on_timer_closed(uv_handle_t *timer) { free(timer->data); }

static void on_answers_closed(uv_handle_t *rest)
{
    struct cache *cache = container_of((uv_idle_t *)rest, struct cache, answering.rest);
    uv_close((uv_handle_t *)&cache->timer, on_timer_closed);
}

void cache_free(struct cache *cache)
{
    if (cache == NULL)
        return;
    while (cache->used != NULL) {
        revalidation_abandon(cache->used->run);
        slot_abandon_claim(cache->used);
        slot_remove(cache->used);
    }
    fact_table_free(cache->facts);
    root_monitor_free(cache->monitor);
    backing_end(cache->backing);
    backing_unref(cache->backing);
    uv_timer_stop(&cache->timer);
    cache_end_answers(cache, on_answers_closed);
}

void cache_share_capacity(struct cache *cache, struct retargeted_clip_cache *retargeted_clips)
{
    cache->retargeted_clips = retargeted_clips;
}
void cache_evict_to_fit(struct cache *cache) { cache_evict(cache, NULL); }

void cache_listen(struct cache *cache, struct cache_listener *listener) { cache->listener = listener; }

bool cache_is_offline(const struct cache *cache, const char **why)
{
    const bool is_down = root_monitor_is_down(cache->monitor);
    if (why != NULL)
        *why = is_down ? root_monitor_why(cache->monitor) : NULL;
    return is_down;
}

void cache_note_source(struct cache *cache, const char *path, int error)
{
    root_monitor_note(cache->monitor, path, error);
}

void cache_next_tick(struct cache *cache) { cache->tick++; }

/* --- requests --- */

struct folder_watch *cache_folder_watch(const struct cache *cache) { return cache->backing->watch; }

void cache_read_events(struct cache *cache)
{
    if (cache->backing->watch != NULL && cache->drained_tick != cache->tick)
        folder_watch_drain(cache->backing->watch);
    cache->drained_tick = cache->tick;
}

/* Events are read once a tick, for all requests in it. */
static bool is_vouched_for(struct cache_slot *slot)
{
    if (slot->set == NULL)
        return false;
    cache_read_events(slot->cache);
    return slot_has_no_events(slot);
}

/* True if the state of the files is still valid. Regular checks find changes without an event (a write through a
 * mapping, or under another name). */
static bool is_fresh(struct cache_slot *slot)
{
    const struct config *config = slot->cache->config;
    const bool is_late = cache_now_ms() - slot->checked_ms >= config->limits.value[LIMIT_WATCH_TIME_MS];
    if (config->watch == WATCH_OFF)
        return true;
    if (slot->stale_ms != 0)
        return root_monitor_is_down(slot->cache->monitor) || !is_late;
    if (slot->set == NULL && slot->due_ms != 0) /* its next version was being written: the next look is planned */
        return true;
    if (!is_vouched_for(slot))
        return slot->set == NULL && !is_late;
    if (is_late && slot->state == SLOT_READY)
        slot_look(slot, SLOT_CHECKING);
    return true;
}

static bool is_ready(struct cache_slot *slot, bool is_whole)
{
    return (slot->state == SLOT_READY || slot->state == SLOT_CHECKING) && (slot->imported->has_pixels || !is_whole) &&
           is_fresh(slot);
}

/* True if a failure is too old, or if an event in the folder may have supplied a missing file. */
static bool is_over(struct cache_slot *slot)
{
    const uint64_t age_ms = cache_now_ms() - slot->failed_ms;
    return age_ms >= slot->cache->config->limits.value[LIMIT_FAILED_TIME_MS] ||
           (age_ms >= FAILED_REST_MS && slot->set != NULL && !is_vouched_for(slot));
}

int cache_get(struct cache *cache, const char *path, struct cache_waiter *waiter, struct imported_model **imported,
              struct err *err)
{
    struct cache_slot *slot = slot_find_or_add(cache, path);
    const bool is_offline = root_monitor_is_down(cache->monitor);
    *imported = NULL;
    waiter->origin = MODEL_IN_MEMORY;
    waiter->waited_to_ns = 0;
    waiter->stale_s = 0;
    if (is_offline && (slot->state == SLOT_IMPORTING || slot->state == SLOT_CONFIRMING))
        return slot_unavailable(slot, err);
    if (is_offline && slot->imported != NULL && cache->config->watch != WATCH_OFF)
        slot_mark_stale(slot);
    if (is_ready(slot, waiter->is_whole)) {
        if (slot_is_expired(slot))
            return slot_unavailable(slot, err);
        waiter->stale_s = slot_stale_s(slot);
        stats_add(STAT_CACHE_STALE, waiter->stale_s != 0);
        *imported = imported_model_ref(slot->imported);
        stats_add(STAT_CACHE_HITS, 1);
        return 1;
    }
    if (slot->state == SLOT_FAILED && is_over(slot))
        slot_clear(slot);
    else if (slot->state == SLOT_FAILED && is_fresh(slot))
        return err_set(err, slot->err->code, "%s", slot->err->message);
    stats_add(STAT_IMPORTS_SHARED, slot->state == SLOT_IMPORTING || slot->state == SLOT_CONFIRMING);
    waiter_add(&slot->waiting, waiter, slot);
    if (slot->state <= SLOT_FAILED)
        slot_look(slot, SLOT_LOOKING);
    return 0;
}

void cache_cancel(struct cache_waiter *waiter)
{
    struct cache_slot *slot = waiter->slot;
    DL_DELETE(*waiter->list, waiter);
    waiter->list = NULL;
    waiter->slot = NULL;
    if (slot == NULL || slot_is_wanted(slot))
        return;
    if (slot->state == SLOT_SETTLING || slot->state == SLOT_ELSEWHERE ||
        (slot->state == SLOT_IMPORTING && import_pool_drop(slot->cache->pool, &slot->job)))
        slot_give_up(slot);
}

void cache_offer(struct cache *cache, const char *path, struct imported_model *imported)
{
    struct cache_slot *slot = slot_find_or_add(cache, path);
    slot_drop_offer(slot);
    slot->offered = imported_model_ref(imported);
}

/* --- the known state, without a check --- */

static enum cache_state state_of(const struct cache_slot *slot, const struct stamp *stamp)
{
    const bool is_first_look = slot->state == SLOT_LOOKING && slot->imported == NULL && slot->err == NULL;
    if (slot->state >= SLOT_IMPORTING || is_first_look)
        return CACHE_IMPORTING;
    if (!stamp_equal(&slot->stamp, stamp))
        return CACHE_NEW;
    return slot->imported != NULL ? CACHE_READY : CACHE_FAILED;
}

struct cache_info cache_describe(const struct cache *cache, const char *path, const struct stamp *stamp)
{
    const struct cache_slot *slot = slot_find(cache, path);
    struct cache_info info = {.state = slot != NULL ? state_of(slot, stamp) : CACHE_NEW};
    if (info.state == CACHE_READY)
        info.hash = slot->imported->hash;
    if (info.state == CACHE_FAILED)
        info.err = slot->err;
    else
        info.facts = fact_table_find(cache->facts, path, stamp);
    return info;
}

/* --- looks without a request --- */

/* True if the slot needs a later check. */
static bool check_later(struct cache_slot *slot, uint64_t now_ms)
{
    struct cache *cache = slot->cache;
    const bool is_due = slot->due_ms != 0 && now_ms >= slot->due_ms;
    const bool is_offline = root_monitor_is_down(cache->monitor);
    const bool has_events =
        cache->has_events && slot->imported != NULL && slot->set != NULL && !slot_has_no_events(slot);
    if ((slot->state == SLOT_SETTLING || slot->state == SLOT_ELSEWHERE) && is_due)
        slot_look(slot, SLOT_LOOKING);
    else if ((is_due || has_events) && slot->state == SLOT_READY && !is_offline && cache->checking_count < CHECKING_MAX)
        slot_look(slot, SLOT_CHECKING);
    else
        return has_events || slot->due_ms != 0;
    return false;
}

static void on_timer(uv_timer_t *timer)
{
    struct cache *cache = timer->data;
    const uint64_t now_ms = cache_now_ms();
    bool is_left = false;
    for (struct cache_slot *slot = cache->used; slot != NULL; slot = slot->next)
        is_left = check_later(slot, now_ms) || is_left;
    if (is_left)
        return;
    cache->has_events = false;
    uv_timer_stop(timer);
}

void cache_start_timer(struct cache *cache)
{
    if (!uv_is_active((uv_handle_t *)&cache->timer))
        uv_timer_start(&cache->timer, on_timer, TIMER_MS, TIMER_MS);
}
