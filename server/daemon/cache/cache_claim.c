/* cache_claim.c - decides which of the servers that share a disk cache imports a model: a work thread claims it when
 * the import could begin. Requests for a model that another server imports wait outside of the import queue. */
#include "daemon/cache/cache_slot.h"

#include "base/mem.h"
#include "daemon/support/stats.h"
#include "daemon/threads/work.h"

#include <stdlib.h>

enum {
    ELSEWHERE_POLL_MS = 80,   /* another server's import */
    STORE_PATIENCE_MS = 5000, /* how long storing a model may take after its import */
};

struct claim_run {
    struct work work;
    struct backing *backing;
    char *path;
    uint64_t seen;
    enum disk_claim claim;
    struct cache_slot *slot; /* NULL: abandoned */
};

/* --- waiting --- */

/* Another server imports the model: requests wait outside of the queue until it has finished. */
static void await_other(struct cache_slot *slot)
{
    slot_wait_anew(slot);
    slot->state = SLOT_ELSEWHERE;
    slot->due_ms = cache_now_ms() + ELSEWHERE_POLL_MS;
    cache_start_timer(slot->cache);
}

/* Until the other would have taken its import for a hang, and storing may take: then something is wrong with it, or its
 * model cannot be stored. Its processor time is not to be seen, and a second import would keep a busy machine busier.
 */
static bool is_patience_over(struct cache_slot *slot)
{
    const uint64_t now_ms = cache_now_ms();
    if (slot->elsewhere_ms == 0) {
        slot->elsewhere_ms = now_ms;
        stats_add(STAT_DISK_WAITED, 1);
    }
    return now_ms - slot->elsewhere_ms >= slot->cache->config->limits.value[LIMIT_IMPORT_TIME_MS] + STORE_PATIENCE_MS;
}

static void decide(struct cache_slot *slot, enum disk_claim claim)
{
    struct import_pool *pool = slot->cache->pool;
    slot->claim = NULL;
    slot->is_claimed = claim == DISK_CLAIM_OURS;
    const bool is_waiting = claim == DISK_CLAIM_THEIRS && !is_patience_over(slot);
    if (slot_is_wanted(slot) && !is_waiting && claim != DISK_CLAIM_OVERTAKEN) {
        import_pool_go(pool, &slot->job);
        return;
    }
    import_pool_leave(pool, &slot->job);
    if (!slot_is_wanted(slot))
        slot_give_up(slot);
    else if (is_waiting)
        await_other(slot);
    else
        slot_look(slot, SLOT_LOOKING);
}

/* --- asking --- */

static void on_work(struct work *work)
{
    struct claim_run *run = work->data;
    run->claim = disk_cache_claim(run->backing->disk, run->path, run->seen);
}

static void on_claimed(struct work *work, int status __attribute__((unused)))
{
    struct claim_run *run = work->data;
    if (run->slot != NULL)
        decide(run->slot, run->claim);
    else if (run->claim == DISK_CLAIM_OURS)
        backing_store(run->backing, run->path, NULL, true);
    backing_unref(run->backing);
    free(run->path);
    free(run);
}

bool slot_prepare_import(struct import_job *job)
{
    struct cache_slot *slot = slot_of_job(job);
    struct backing *backing = slot->cache->backing;
    if (backing->disk == NULL)
        return true;
    struct claim_run *run = mem_zalloc(1, sizeof *run);
    *run = (struct claim_run){.backing = backing, .path = mem_strdup(slot->path), .seen = slot->seen, .slot = slot};
    run->work.data = run;
    backing->refs++;
    slot->claim = run;
    work_start(backing->loop, WORK_FILES, &run->work, on_work, on_claimed);
    return false;
}

void slot_abandon_claim(struct cache_slot *slot)
{
    if (slot->claim != NULL)
        slot->claim->slot = NULL;
}

void slot_release_claim(struct cache_slot *slot, struct imported_model *imported)
{
    backing_store(slot->cache->backing, slot->path, imported, slot->is_claimed);
    slot->is_claimed = false;
}
