#include "daemon/cache/backing.h"

#include "base/mem.h"
#include "daemon/support/thread_priority.h"
#include "daemon/support/log.h"
#include "daemon/support/stats.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

/* Each holds a model in memory until it is on the disk. */
enum { STORES_MAX = 64 };

struct backing_store {
    uv_work_t work;
    struct backing *fresh;
    struct imported_model *imported;
    char *path;
    bool is_tidying; /* instead of storing */
    struct disk_report report;
    struct backing_store *next;
};

static void queue_store(struct backing *fresh, struct backing_store *store);

struct backing *backing_new(uv_loop_t *loop, const struct config *config, int root_fd, struct disk_cache *disk,
                            void (*changed)(void *user), void *user)
{
    struct backing *fresh = mem_zalloc(1, sizeof *fresh);
    *fresh = (struct backing){
        .loop = loop,
        .config = config,
        .root_fd = fcntl(root_fd, F_DUPFD_CLOEXEC, 0),
        .disk = disk,
        .watch = config->watch == WATCH_AUTO ? folder_watch_new(loop, changed, user) : NULL,
        .refs = 1,
    };
    if (disk != NULL) {
        struct backing_store *tidying = mem_zalloc(1, sizeof *tidying);
        tidying->is_tidying = true;
        queue_store(fresh, tidying);
    }
    return fresh;
}

struct backing *backing_ref(struct backing *fresh)
{
    fresh->refs++;
    return fresh;
}

void backing_unref(struct backing *fresh)
{
    if (--fresh->refs > 0)
        return;
    close(fresh->root_fd);
    disk_cache_free(fresh->disk);
    folder_watch_unref(fresh->watch);
    free(fresh);
}

void backing_report(struct backing *fresh, const struct disk_report *report)
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
    struct backing_store *store = work->data;
    const struct backing *fresh = store->fresh;
    thread_priority_background();
    if (store->is_tidying)
        disk_cache_tidy(fresh->disk, &store->report);
    else
        disk_cache_store(fresh->disk, fresh->root_fd, store->path, store->imported, &store->report);
}

static void free_store(struct backing_store *store)
{
    imported_model_unref(store->imported);
    backing_unref(store->fresh);
    free(store->path);
    free(store);
}

static void on_stored(uv_work_t *work, int status)
{
    struct backing_store *store = work->data;
    struct backing *fresh = store->fresh;
    (void)status;
    backing_report(fresh, &store->report);
    fresh->stores = store->next;
    fresh->store_count--;
    if (fresh->stores != NULL)
        uv_queue_work(fresh->loop, &fresh->stores->work, on_work, on_stored);
    else
        fresh->last_store = NULL;
    free_store(store);
}

static void queue_store(struct backing *fresh, struct backing_store *store)
{
    store->work.data = store;
    store->fresh = backing_ref(fresh);
    if (fresh->last_store != NULL)
        fresh->last_store->next = store;
    else
        fresh->stores = store;
    fresh->last_store = store;
    if (fresh->store_count++ == 0)
        uv_queue_work(fresh->loop, &store->work, on_work, on_stored);
}

void backing_store(struct backing *fresh, const char *path, struct imported_model *imported)
{
    if (fresh->disk == NULL || fresh->store_count >= STORES_MAX)
        return;
    struct backing_store *store = mem_zalloc(1, sizeof *store);
    store->imported = imported_model_ref(imported);
    store->path = mem_strdup(path);
    queue_store(fresh, store);
}

void backing_end(struct backing *fresh)
{
    folder_watch_close(fresh->watch);
    struct backing_store *first = fresh->stores;
    while (first != NULL && first->next != NULL) {
        struct backing_store *dropped = first->next;
        first->next = dropped->next;
        fresh->store_count--;
        free_store(dropped);
    }
    fresh->last_store = first;
}
