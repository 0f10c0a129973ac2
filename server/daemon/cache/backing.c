/* backing.c - data shared by the cache and its work threads, and stores of imported models on disk. */
#include "daemon/cache/revalidation.h"

#include "base/mem.h"
#include "daemon/support/log.h"
#include "daemon/support/stats.h"
#include "daemon/threads/work.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>
#include <utlist.h>

/* Each keeps a model in memory until it is on the disk. */
enum { STORES_MAX = 64 };

struct backing_store {
    struct work work;
    struct backing *backing;
    struct imported_model *imported; /* NULL: nothing is stored */
    char *path;                      /* NULL: the folder is tidied */
    bool is_claimed;                 /* the path's claim is released at the end */
    struct disk_report report;
    struct backing_store *prev, *next;
};

static void queue_store(struct backing *backing, struct backing_store *store);

struct backing *backing_new(uv_loop_t *loop, const struct config *config, int root_fd, struct disk_cache *disk,
                            void (*changed)(void *user), void *user)
{
    struct backing *backing = mem_zalloc(1, sizeof *backing);
    *backing = (struct backing){
        .loop = loop,
        .config = config,
        .root_fd = fcntl(root_fd, F_DUPFD_CLOEXEC, 0),
        .disk = disk,
        .watch = config->watch == WATCH_AUTO ? folder_watch_new(loop, changed, user) : NULL,
        .refs = 1,
    };
    if (disk != NULL)
        queue_store(backing, mem_zalloc(1, sizeof(struct backing_store)));
    return backing;
}

void backing_unref(struct backing *backing)
{
    if (--backing->refs > 0)
        return;
    close(backing->root_fd);
    disk_cache_free(backing->disk);
    folder_watch_unref(backing->watch);
    free(backing);
}

void backing_report(struct backing *backing, const struct disk_report *report)
{
    stats_add(STAT_DISK_STORED, report->stored);
    stats_add(STAT_DISK_REMOVED, report->removed);
    stats_add(STAT_DISK_EVICTED, report->evicted);
    stats_add(STAT_DISK_ERRORS, report->errors);
    if (backing->disk != NULL)
        stats_set(STAT_DISK_BYTES, disk_cache_size(backing->disk));
    const bool is_broken = backing->disk_failure.code != 0;
    if (report->err.code != 0 && !is_broken)
        log_warn("the disk cache in %s takes nothing for now: %s", backing->config->cache_dir, report->err.message);
    if (report->stored > 0 && is_broken)
        log_info("the disk cache in %s takes models again", backing->config->cache_dir);
    if (report->err.code != 0 || report->stored > 0)
        backing->disk_failure = report->err;
}

/* --- one store after the other --- */

static void on_store_work(struct work *work)
{
    struct backing_store *store = work->data;
    const struct backing *backing = store->backing;
    if (store->path == NULL)
        disk_cache_tidy(backing->disk, &store->report);
    if (store->imported != NULL)
        disk_cache_store(backing->disk, backing->root_fd, store->path, store->imported, &store->report);
    if (store->is_claimed)
        disk_cache_release(backing->disk, store->path);
}

static void free_store(struct backing_store *store)
{
    imported_model_unref(store->imported);
    backing_unref(store->backing);
    free(store->path);
    free(store);
}

static void on_stored(struct work *work, int status __attribute__((unused)))
{
    struct backing_store *store = work->data;
    struct backing *backing = store->backing;
    backing_report(backing, &store->report);
    DL_DELETE(backing->stores, store);
    stats_set(STAT_DISK_STORING, --backing->store_count);
    if (backing->stores != NULL)
        work_start(backing->loop, WORK_FILES, &backing->stores->work, on_store_work, on_stored);
    free_store(store);
}

static void queue_store(struct backing *backing, struct backing_store *store)
{
    store->work.data = store;
    store->backing = backing;
    backing->refs++;
    DL_APPEND(backing->stores, store);
    stats_set(STAT_DISK_STORING, ++backing->store_count);
    if (backing->store_count == 1)
        work_start(backing->loop, WORK_FILES, &store->work, on_store_work, on_stored);
}

void backing_store(struct backing *backing, const char *path, struct imported_model *imported, bool is_claimed)
{
    const bool is_kept = imported != NULL && backing->disk != NULL && backing->store_count < STORES_MAX;
    if (!is_kept && !is_claimed)
        return;
    struct backing_store *store = mem_zalloc(1, sizeof *store);
    store->imported = is_kept ? imported_model_ref(imported) : NULL;
    store->path = mem_strdup(path);
    store->is_claimed = is_claimed;
    queue_store(backing, store);
}

void backing_end(struct backing *backing)
{
    folder_watch_close(backing->watch);
    while (backing->stores != NULL && backing->stores->next != NULL) {
        struct backing_store *dropped = backing->stores->next;
        DL_DELETE(backing->stores, dropped);
        backing->store_count--;
        free_store(dropped);
    }
}
