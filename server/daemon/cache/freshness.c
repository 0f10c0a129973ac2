#include "daemon/cache/freshness.h"

#include "base/mem.h"
#include "daemon/support/background.h"
#include "daemon/support/log.h"
#include "daemon/support/stats.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

/* Each holds a model in memory until it is on the disk. */
enum { STORES_MAX = 64 };

struct store {
    uv_work_t work;
    struct freshness *fresh;
    struct baked *baked;
    char *path;
    bool is_tidying; /* instead of storing */
    struct disk_report report;
    struct store *next;
};

static void queue_store(struct freshness *fresh, struct store *store);

struct freshness *freshness_new(uv_loop_t *loop, const struct config *config, int root_fd, struct disk_cache *disk,
                                void (*changed)(void *user), void *user)
{
    struct freshness *fresh = mem_zalloc(1, sizeof *fresh);
    *fresh = (struct freshness){
        .loop = loop,
        .config = config,
        .root_fd = fcntl(root_fd, F_DUPFD_CLOEXEC, 0),
        .disk = disk,
        .watch = config->watch == WATCH_AUTO ? watch_new(loop, changed, user) : NULL,
        .refs = 1,
    };
    if (disk != NULL) {
        struct store *tidying = mem_zalloc(1, sizeof *tidying);
        tidying->is_tidying = true;
        queue_store(fresh, tidying);
    }
    return fresh;
}

struct freshness *freshness_ref(struct freshness *fresh)
{
    fresh->refs++;
    return fresh;
}

void freshness_unref(struct freshness *fresh)
{
    if (--fresh->refs > 0)
        return;
    close(fresh->root_fd);
    disk_cache_free(fresh->disk);
    watch_unref(fresh->watch);
    free(fresh);
}

void freshness_report(struct freshness *fresh, const struct disk_report *report)
{
    stats_add(STAT_DISK_STORED, report->stored);
    stats_add(STAT_DISK_REMOVED, report->removed);
    stats_add(STAT_DISK_EVICTED, report->evicted);
    stats_add(STAT_DISK_ERRORS, report->errors);
    if (fresh->disk != NULL)
        stats_set(STAT_DISK_BYTES, disk_cache_size(fresh->disk));
    if (report->err.code != 0 && !fresh->is_broken)
        log_warn("the disk cache in %s takes nothing for now: %s", fresh->config->cache_dir, report->err.message);
    if (report->stored > 0 && fresh->is_broken)
        log_info("the disk cache in %s takes models again", fresh->config->cache_dir);
    if (report->err.code != 0 || report->stored > 0)
        fresh->is_broken = report->err.code != 0;
}

/* --- one store after the other --- */

static void on_work(uv_work_t *work)
{
    struct store *store = work->data;
    const struct freshness *fresh = store->fresh;
    background_thread();
    if (store->is_tidying)
        disk_cache_tidy(fresh->disk, &store->report);
    else
        disk_cache_store(fresh->disk, fresh->root_fd, store->path, store->baked, &store->report);
}

static void free_store(struct store *store)
{
    baked_unref(store->baked);
    freshness_unref(store->fresh);
    free(store->path);
    free(store);
}

static void on_stored(uv_work_t *work, int status)
{
    struct store *store = work->data;
    struct freshness *fresh = store->fresh;
    (void)status;
    freshness_report(fresh, &store->report);
    fresh->stores = store->next;
    fresh->store_count--;
    if (fresh->stores != NULL)
        uv_queue_work(fresh->loop, &fresh->stores->work, on_work, on_stored);
    else
        fresh->last_store = NULL;
    free_store(store);
}

static void queue_store(struct freshness *fresh, struct store *store)
{
    store->work.data = store;
    store->fresh = freshness_ref(fresh);
    if (fresh->last_store != NULL)
        fresh->last_store->next = store;
    else
        fresh->stores = store;
    fresh->last_store = store;
    if (fresh->store_count++ == 0)
        uv_queue_work(fresh->loop, &store->work, on_work, on_stored);
}

void freshness_store(struct freshness *fresh, const char *path, struct baked *baked)
{
    if (fresh->disk == NULL || fresh->store_count >= STORES_MAX)
        return;
    struct store *store = mem_zalloc(1, sizeof *store);
    store->baked = baked_ref(baked);
    store->path = mem_strdup(path);
    queue_store(fresh, store);
}

void freshness_end(struct freshness *fresh)
{
    watch_close(fresh->watch);
    struct store *first = fresh->stores;
    while (first != NULL && first->next != NULL) {
        struct store *dropped = first->next;
        first->next = dropped->next;
        fresh->store_count--;
        free_store(dropped);
    }
    fresh->last_store = first;
}
