/* cache_fill.c - fills a slot with its model: the state machine of cache_slot.h.
 *
 * A check of the files says whether the model in memory is still valid, whether the disk cache has the model, or
 * whether it has to be imported; after an import a second check says whether the imported files are unchanged. */
#include "daemon/cache/cache_slot.h"

#include "base/mem.h"
#include "daemon/support/log.h"
#include "daemon/support/stats.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <utlist.h>

enum { WRITER_POLL_MS = 200 };

/* --- the end of the work on a slot --- */

static void enter_ready_or_failed(struct cache_slot *slot)
{
    slot->state = slot->imported != NULL ? SLOT_READY : SLOT_FAILED;
    slot->settling_ms = 0;
    slot->elsewhere_ms = 0;
}

void slot_finish(struct cache_slot *slot, bool is_gone, const struct err *why)
{
    struct cache *cache = slot->cache;
    struct cache_waiter *served = NULL, *waiting = NULL;
    slot_release_claim(slot, NULL);
    waiter_move_all(&slot->served, &served, NULL);
    waiter_move_all(&slot->waiting, &waiting, NULL);
    struct imported_model *imported = why == NULL && slot->imported != NULL ? imported_model_ref(slot->imported) : NULL;
    struct err err = {0};
    if (imported == NULL)
        err = why != NULL ? *why : *slot->err;
    char *path = waiting != NULL ? mem_strdup(slot->path) : NULL;
    if (waiting == NULL)
        slot_drop_offer(slot);
    if (is_gone)
        slot_remove(slot);
    else
        enter_ready_or_failed(slot);
    cache_evict(cache, is_gone || served == NULL ? NULL : slot);
    waiters_answer(cache, &served, imported, &err);
    waiters_ask_again(cache, &waiting, path);
    free(path);
    imported_model_unref(imported);
}

void slot_give_up(struct cache_slot *slot)
{
    struct err err;
    err_set(&err, ERR_REQUEST_TIMEOUT, "%s: no request waits for the model any more", slot->path);
    slot_finish(slot, true, &err);
}

void slot_wait_anew(struct cache_slot *slot)
{
    waiter_move_all(&slot->waiting, &slot->served, slot);
    waiter_move_all(&slot->served, &slot->waiting, slot);
}

/* --- LOOKING, CHECKING, CONFIRMING --- */

static void on_looked(void *user, struct revalidation *found);

static bool is_whole_wanted(const struct cache_slot *slot)
{
    const struct cache_waiter *waiter;
    DL_FOREACH(slot->served, waiter)
    if (waiter->is_whole)
        return true;
    return false;
}

/* is_offline: do not touch the root. */
static void look(struct cache_slot *slot, enum slot_state state, bool is_offline)
{
    struct cache *cache = slot->cache;
    if (state == SLOT_LOOKING)
        waiter_move_all(&slot->waiting, &slot->served, slot);
    const struct revalidation asked = {
        .path = slot->path,
        .is_check_only = state != SLOT_LOOKING,
        .is_whole = state == SLOT_LOOKING && is_whole_wanted(slot),
        .maybe_partial = state == SLOT_CONFIRMING || (slot->state == SLOT_SETTLING && slot->err != NULL),
        .is_offline = is_offline,
        .known = slot->imported,
        .has_failed = slot->err != NULL,
        .failed_stamp = slot->stamp,
        .set = slot->set,
        .is_new = state == SLOT_CONFIRMING && slot->imported != NULL,
    };
    cache->checking_count += state == SLOT_CHECKING;
    slot->state = state;
    slot->due_ms = 0;
    slot->is_offline = asked.is_offline;
    slot->run = revalidation_start(cache->backing, &asked, on_looked, slot);
}

void slot_look(struct cache_slot *slot, enum slot_state state)
{
    look(slot, state, root_monitor_is_down(slot->cache->monitor));
}

static void take_found(struct cache_slot *slot, const struct revalidation *found)
{
    /* the event that a look follows may be what the model lacked: then it counts as one that is still to be looked at
     */
    const bool is_old_failure = slot->err != NULL && slot->state != SLOT_CONFIRMING && !found->maybe_partial &&
                                found->verdict == REVALIDATION_SAME;
    slot->cache->checking_count -= slot->state == SLOT_CHECKING;
    slot->run = NULL;
    if (!is_old_failure && !slot->is_offline)
        slot->count = found->count;
    slot->checked_ms = cache_now_ms();
    if (found->verdict != REVALIDATION_UNAVAILABLE)
        slot->stale_ms = 0;
    if (!found->is_retaken)
        return;
    folder_watch_set_unref(slot->set);
    slot->set = found->taken;
}

static void set_origin(struct cache_slot *slot, enum model_origin origin, uint64_t waited_to_ns)
{
    struct cache_waiter *waiter;
    DL_FOREACH(slot->served, waiter)
    {
        waiter->origin = origin;
        waiter->waited_to_ns = waited_to_ns;
    }
}

static void set_stale(struct cache_slot *slot)
{
    struct cache_waiter *waiter;
    DL_FOREACH(slot->served, waiter)
    {
        waiter->stale_s = slot_stale_s(slot);
        stats_add(STAT_CACHE_STALE, waiter->stale_s != 0);
    }
}

/* --- SETTLING --- */

/* The file is not complete: requests wait until it is, within a bound. */
static void settle(struct cache_slot *slot, uint64_t wait_ms)
{
    const uint64_t now_ms = cache_now_ms(), limit_ms = slot->cache->config->limits.value[LIMIT_SETTLE_TIME_MS];
    slot_release_claim(slot, NULL);
    if (slot->settling_ms == 0)
        slot->settling_ms = now_ms;
    if (now_ms - slot->settling_ms >= limit_ms) {
        struct err err;
        err_set(&err, ERR_MODEL_CHANGING, "%s: the file is being written, and was for %llu ms; try again later",
                slot->path, (unsigned long long)limit_ms);
        set_origin(slot, MODEL_UNKNOWN, uv_hrtime());
        slot_finish(slot, true, &err);
        return;
    }
    if (!slot_is_wanted(slot)) {
        slot_give_up(slot);
        return;
    }
    slot_wait_anew(slot);
    slot->state = SLOT_SETTLING;
    slot->due_ms = now_ms + wait_ms;
    cache_start_timer(slot->cache);
}

/* --- IMPORTING --- */

static void on_starting(struct import_job *job)
{
    struct cache_slot *slot = slot_of_job(job);
    stats_add(STAT_CACHE_MISSES, 1);
    stats_add(STAT_DISK_MISSES, slot->cache->backing->disk != NULL);
    slot->import_ns = uv_hrtime();
    waiter_move_all(&slot->waiting, &slot->served, slot);
}

static bool is_import_wanted(const struct import_job *job) { return slot_is_wanted(slot_of_job(job)); }

static void on_imported(struct import_job *job, struct imported_model *imported, const struct err *err)
{
    struct cache_slot *slot = slot_of_job(job);
    /* otherwise it was ended for another, never begun or killed, which says nothing: the next request tries again */
    const bool is_about_model = imported != NULL || (err != NULL && err_http_status(err->code) != 503 &&
                                                     !root_monitor_is_down(slot->cache->monitor));
    set_origin(slot, MODEL_IMPORTED, slot->import_ns);
    if (imported == NULL && err != NULL && err->code == ERR_SOURCE_UNAVAILABLE) {
        /* remembered like other failures, so that not every request runs an importer that only reports this */
        root_monitor_note(slot->cache->monitor, slot->path, EIO);
        slot_keep_error(slot, err);
        slot_wait_anew(slot);
        look(slot, SLOT_LOOKING, true);
        return;
    }
    if (imported != NULL)
        slot_keep_model(slot, imported);
    else if (is_about_model)
        slot_keep_error(slot, err);
    if (is_about_model)
        slot_look(slot, SLOT_CONFIRMING);
    else
        slot_finish(slot, true, err);
}

/* The model that an import of this file would make is there already. */
static bool take_offer(struct cache_slot *slot)
{
    const struct source *file = slot->offered != NULL ? sources_find_model(slot->offered->sources) : NULL;
    if (file == NULL || !stamp_equal(&file->stamp, &slot->stamp))
        return false;
    on_starting(&slot->job);
    on_imported(&slot->job, imported_model_ref(slot->offered), NULL);
    return true;
}

static void start_import(struct cache_slot *slot, const struct revalidation *found)
{
    struct err err;
    if (!slot_is_wanted(slot)) {
        slot_give_up(slot);
        return;
    }
    slot_clear(slot);
    slot->stamp = found->stamp;
    slot->seen = found->seen;
    slot->state = SLOT_IMPORTING;
    slot->import_ns = 0;
    slot->job = (struct import_job){.path = slot->path,
                                    .prepare = slot_prepare_import,
                                    .starting = on_starting,
                                    .is_wanted = is_import_wanted,
                                    .done = on_imported};
    const struct cache_waiter *waiter;
    uint64_t count = 0;
    slot_wait_anew(slot);
    DL_COUNT(slot->waiting, waiter, count);
    stats_add(STAT_IMPORTS_SHARED, slot->elsewhere_ms == 0 ? count - 1 : 0);
    if (take_offer(slot) || import_pool_submit(slot->cache->pool, &slot->job, &err) == 0)
        return;
    waiter_move_all(&slot->waiting, &slot->served, slot);
    slot_finish(slot, true, &err);
}

/* --- results of a check --- */

static void on_same(struct cache_slot *slot, const struct revalidation *found)
{
    if (found->maybe_partial)
        slot->failed_ms = cache_now_ms(); /* only now it is known to be about the whole file */
    slot_finish(slot, false, NULL);
}

static void on_loaded(struct cache_slot *slot, const struct revalidation *found)
{
    if (slot->imported != NULL && strcmp(slot->imported->hash, found->loaded->hash) != 0)
        slot_report_change(slot);
    stats_add(STAT_DISK_HITS, 1);
    log_info("disk model='%s' ms=%.1f bytes=%llu", slot->path, found->ms,
             (unsigned long long)found->loaded->model.size_bytes);
    slot_keep_model(slot, found->loaded);
    set_origin(slot, MODEL_LOADED, 0);
    slot_finish(slot, false, NULL);
}

/* The former model is answered while its next version is being written. Each request looks anew whether it still is:
 * the kernel tells of the writer's close before the file counts as closed, so no event may follow. */
static void on_writing(struct cache_slot *slot)
{
    if (slot->imported == NULL) {
        settle(slot, WRITER_POLL_MS);
        return;
    }
    slot->count--;
    slot->due_ms = cache_now_ms() + WRITER_POLL_MS;
    cache_start_timer(slot->cache);
    slot_finish(slot, false, NULL);
}

static void on_gone(struct cache_slot *slot, const struct revalidation *found)
{
    /* a lack of descriptors says nothing about the file */
    const bool is_gone = found->err.code != ERR_OVERLOADED || slot->imported == NULL;
    if (is_gone)
        slot_report_change(slot);
    slot_finish(slot, is_gone, &found->err);
}

/* The files are unreadable. For some time the cache answers with the model from memory or disk. */
static void on_unavailable(struct cache_slot *slot, const struct revalidation *found)
{
    const bool is_confirming = slot->state == SLOT_CONFIRMING; /* whether the import saw whole files is not known */
    const bool is_other =
        found->loaded != NULL && slot->imported != NULL && strcmp(slot->imported->hash, found->loaded->hash) != 0;
    if (found->source_error != 0)
        root_monitor_note(slot->cache->monitor, found->source_path, found->source_error);
    if (found->loaded != NULL && is_other) {
        imported_model_unref(found->loaded); /* an older one than that in memory */
    } else if (found->loaded != NULL) {
        slot_keep_model(slot, found->loaded);
        set_origin(slot, MODEL_LOADED, 0);
        stats_add(STAT_DISK_HITS, 1);
    }
    struct err err = found->err;
    if (err.code == 0)
        slot_unavailable(slot, &err);
    slot_mark_stale(slot);
    const bool lacks_pixels = slot->imported != NULL && is_whole_wanted(slot) && !slot->imported->has_pixels;
    if (is_confirming || (slot->imported == NULL && slot->err == NULL))
        slot_finish(slot, true, &err);
    else if (slot->imported != NULL && (lacks_pixels || slot_is_expired(slot)))
        slot_finish(slot, false, &err);
    else {
        set_stale(slot);
        slot_finish(slot, false, NULL);
    }
}

static void on_confirmed(struct cache_slot *slot, const struct revalidation *found)
{
    const bool is_same = found->verdict == REVALIDATION_SAME;
    if (slot->imported != NULL && is_same) {
        slot_release_claim(slot, slot->imported);
    } else if (slot->imported != NULL) {
        /* for requests from before the change; the next look drops it */
        slot->checked_ms = 0;
        slot->count--;
        slot->cache->has_events = true;
        cache_start_timer(slot->cache);
    }
    if (slot->imported != NULL || is_same)
        slot_finish(slot, false, NULL);
    else if (found->verdict == REVALIDATION_GONE)
        slot_finish(slot, true, &found->err);
    else
        settle(slot, found->verdict == REVALIDATION_WRITING ? WRITER_POLL_MS : 0);
}

static void on_looked(void *user, struct revalidation *found)
{
    struct cache_slot *slot = user;
    take_found(slot, found);
    if (found->verdict == REVALIDATION_UNAVAILABLE) {
        on_unavailable(slot, found);
        return;
    }
    if (slot->state == SLOT_CONFIRMING) {
        on_confirmed(slot, found);
        return;
    }
    switch (found->verdict) {
    case REVALIDATION_SAME:
        on_same(slot, found);
        break;
    case REVALIDATION_CHANGED:
        slot_report_change(slot);
        slot_finish(slot, true, NULL);
        break;
    case REVALIDATION_LOADED:
        on_loaded(slot, found);
        break;
    case REVALIDATION_IMPORT:
        if (!found->is_unchanged)
            slot_report_change(slot);
        start_import(slot, found);
        break;
    case REVALIDATION_WRITING:
        on_writing(slot);
        break;
    case REVALIDATION_GONE:
        on_gone(slot, found);
        break;
    case REVALIDATION_UNAVAILABLE:
        break;
    }
}
