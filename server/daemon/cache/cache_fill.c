/* cache_fill.c - how a slot comes by its model: a look at the files, an import where that says so, and a second look
 * whether the files are still those that were imported. */
#include "daemon/cache/cache_slot.h"

#include "base/container_of.h"

#include "daemon/support/log.h"
#include "daemon/support/stats.h"

#include <stddef.h>
#include <string.h>
#include <utlist.h>

enum { WRITER_LOOK_MS = 200 };

static void on_looked(void *user, struct revalidation *found);

static bool is_whole_wanted(const struct cache_slot *slot)
{
    const struct cache_waiter *wait;
    DL_FOREACH(slot->served, wait)
    if (wait->is_whole)
        return true;
    return false;
}

static void start_look(struct cache_slot *slot, struct revalidation *look)
{
    struct cache *cache = slot->cache;
    look->path = slot->path;
    look->set = slot->set;
    look->known = slot->imported;
    look->has_failed = slot->err != NULL;
    look->failed_stamp = slot->stamp;
    look->is_doubtful = slot->is_doubtful || slot->is_after_import;
    slot->work = SLOT_LOOKING;
    slot->due_ms = 0;
    slot->look = revalidation_start(cache->loop, cache->fresh, look, on_looked, slot);
}

void slot_revalidate(struct cache_slot *slot, bool is_beside)
{
    slot->is_beside = is_beside;
    slot->cache->beside_count += is_beside;
    if (!is_beside) {
        waiter_move_all(&slot->waiting, &slot->served, slot);
    }
    struct revalidation look = {.is_check_only = is_beside, .is_whole = is_whole_wanted(slot)};
    start_look(slot, &look);
}

static void look_after_import(struct cache_slot *slot)
{
    struct revalidation look = {.is_check_only = true, .is_new = slot->imported != NULL};
    slot->is_after_import = true;
    start_look(slot, &look);
}

/* --- imports --- */

static struct cache_slot *slot_of(const struct import_job *job) { return container_of(job, struct cache_slot, job); }

/* Nobody waits, and nothing is known yet: the slot goes. */
static void drop(struct cache_slot *slot)
{
    struct err err;
    err_set(&err, ERR_REQUEST_TIMEOUT, "%s: nobody waits for the model any more", slot->path);
    slot->work = SLOT_IDLE;
    slot_finish(slot, true, &err);
}

void slot_on_unwanted(struct cache_slot *slot)
{
    /* where it was running it may be gone by now, with the slot */
    if (slot->work == SLOT_SETTLING ||
        (slot->work == SLOT_IMPORTING && import_pool_drop(slot->cache->pool, &slot->job)))
        drop(slot);
}

void slot_on_starting(struct import_job *job)
{
    struct cache_slot *slot = slot_of(job);
    waiter_move_all(&slot->waiting, &slot->served, slot);
}

bool slot_is_import_wanted(const struct import_job *job) { return slot_is_wanted(slot_of(job)); }

/* All wait for work that has not begun. */
static void wait_anew(struct cache_slot *slot)
{
    waiter_move_all(&slot->waiting, &slot->served, slot);
    waiter_move_all(&slot->served, &slot->waiting, slot);
}

/* The model that an import of this file would make is there already. */
static bool take_offer(struct cache_slot *slot, const struct stamp *stamp)
{
    const struct source *model = slot->offered != NULL ? sources_find_model(slot->offered->sources) : NULL;
    if (model == NULL || !stamp_equal(&model->stamp, stamp))
        return false;
    slot_on_starting(&slot->job);
    slot_on_imported(&slot->job, imported_model_ref(slot->offered), NULL);
    return true;
}

static void begin_import(struct cache_slot *slot, const struct stamp *stamp)
{
    struct err err;
    if (!slot_is_wanted(slot)) {
        drop(slot);
        return;
    }
    slot_clear(slot);
    slot->stamp = *stamp;
    slot->work = SLOT_IMPORTING;
    const struct cache_waiter *wait;
    uint64_t count = 0;
    stats_add(STAT_CACHE_MISSES, 1);
    stats_add(STAT_DISK_MISSES, slot->cache->fresh->disk != NULL);
    wait_anew(slot);
    DL_COUNT(slot->waiting, wait, count);
    stats_add(STAT_IMPORTS_SHARED, count - 1);
    if (take_offer(slot, stamp))
        return;
    if (import_pool_submit(slot->cache->pool, &slot->job, &err) == 0)
        return;
    slot->work = SLOT_IDLE;
    waiter_move_all(&slot->waiting, &slot->served, slot);
    slot_finish(slot, true, &err);
}

/* Else it was ended for another, never begun or killed, which says nothing: who asks next tries again. */
static bool is_about_model(const struct err *err) { return err_http_status(err->code) != 503; }

void slot_on_imported(struct import_job *job, struct imported_model *imported, const struct err *err)
{
    struct cache_slot *slot = slot_of(job);
    if (imported == NULL && !is_about_model(err)) {
        slot->work = SLOT_IDLE;
        slot_finish(slot, true, err);
        return;
    }
    if (imported != NULL)
        slot_keep_baked(slot, imported);
    else
        slot_keep_err(slot, err);
    look_after_import(slot);
}

/* --- what a look found --- */

/* The file is not complete: who waits does so until it is, within a bound. */
static void settle(struct cache_slot *slot, uint64_t wait_ms)
{
    const uint64_t now_ms = cache_now_ms(), limit_ms = slot->cache->config->limits.value[LIMIT_SETTLE_TIME_MS];
    if (slot->settling_ms == 0)
        slot->settling_ms = now_ms;
    if (now_ms - slot->settling_ms >= limit_ms) {
        struct err err;
        err_set(&err, ERR_MODEL_CHANGING, "%s: the file is being written, and was for %llu ms; try again later",
                slot->path, (unsigned long long)limit_ms);
        slot_finish(slot, true, &err);
        return;
    }
    wait_anew(slot);
    if (!slot_is_wanted(slot)) {
        drop(slot);
        return;
    }
    slot->work = SLOT_SETTLING;
    slot->due_ms = now_ms + wait_ms;
    cache_timer_start(slot->cache->timer);
}

static void on_gone(struct cache_slot *slot, const struct revalidation *found)
{
    /* a lack of descriptors says nothing about the file */
    const bool is_gone = found->err.code != ERR_OVERLOADED || slot->imported == NULL;
    if (is_gone)
        slot_report_change(slot);
    slot_finish(slot, is_gone, &found->err);
}

/* The model is answered as it was while its next version is being written. */
static void on_writing(struct cache_slot *slot)
{
    if (slot->imported == NULL) {
        settle(slot, WRITER_LOOK_MS);
        return;
    }
    slot->due_ms = cache_now_ms() + WRITER_LOOK_MS;
    cache_timer_start(slot->cache->timer);
    slot_finish(slot, false, NULL);
}

static void on_loaded(struct cache_slot *slot, struct revalidation *found)
{
    if (slot->imported != NULL && strcmp(slot->imported->hash, found->loaded->hash) != 0)
        slot_report_change(slot);
    stats_add(STAT_DISK_HITS, 1);
    log_info("disk model='%s' ms=%.1f bytes=%llu", slot->path, found->ms,
             (unsigned long long)found->loaded->model.size_bytes);
    slot_keep_baked(slot, found->loaded);
    slot_finish(slot, false, NULL);
}

static void on_same(struct cache_slot *slot)
{
    if (slot->is_doubtful)
        slot->failed_ms = cache_now_ms();
    slot->is_doubtful = false;
    slot_finish(slot, false, NULL);
}

static void after_import(struct cache_slot *slot, struct revalidation *found)
{
    const bool is_same = found->verdict == REVALIDATION_SAME;
    if (slot->imported != NULL && is_same)
        backing_store(slot->cache->fresh, slot->path, slot->imported);
    if (slot->imported != NULL && !is_same) {
        /* for those who asked before the change; the next look drops it */
        slot->checked_ms = 0;
        slot->count--;
        slot->cache->has_events = true;
        cache_timer_start(slot->cache->timer);
    }
    if (slot->imported != NULL || is_same) {
        slot_finish(slot, false, NULL);
    } else if (found->verdict == REVALIDATION_GONE) {
        slot_finish(slot, true, &found->err);
    } else { /* it failed, perhaps because somebody is writing the file */
        slot->is_doubtful = true;
        settle(slot, found->verdict == REVALIDATION_WRITING ? WRITER_LOOK_MS : 0);
    }
}

static void take_found(struct cache_slot *slot, struct revalidation *found)
{
    /* what happened beside a file that failed may be what it lacked: that stays to be tried */
    const bool is_old_failure = slot->err != NULL && !slot->is_after_import && found->verdict == REVALIDATION_SAME;
    slot->look = NULL;
    slot->work = SLOT_IDLE;
    if (!is_old_failure || slot->is_doubtful)
        slot->count = found->count;
    slot->checked_ms = cache_now_ms();
    slot->fresh_moment = 0;
    if (!found->is_retaken)
        return;
    folder_watch_set_unref(slot->set);
    slot->set = found->taken;
}

static void on_looked(void *user, struct revalidation *found)
{
    struct cache_slot *slot = user;
    const bool is_after_import = slot->is_after_import;
    take_found(slot, found);
    slot->cache->beside_count -= slot->is_beside;
    slot->is_after_import = slot->is_beside = false;
    if (is_after_import) {
        after_import(slot, found);
        return;
    }
    switch (found->verdict) {
    case REVALIDATION_SAME:
        on_same(slot);
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
        begin_import(slot, &found->stamp);
        break;
    case REVALIDATION_WRITING:
        on_writing(slot);
        break;
    case REVALIDATION_GONE:
        on_gone(slot, found);
        break;
    }
}
