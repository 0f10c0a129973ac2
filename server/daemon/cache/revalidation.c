/* revalidation.c - what work threads do for the cache: they look at the files of a model, and store imported models on
 * disk. */
#include "daemon/cache/revalidation.h"

#include "base/file_formats.h"
#include "base/mem.h"
#include "daemon/model/file_access.h"
#include "daemon/model/root_look.h"
#include "daemon/model/source_access.h"
#include "daemon/support/log.h"
#include "daemon/support/stats.h"
#include "daemon/support/thread_priority.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <utlist.h>

/* --- what is shared, and stores --- */

/* Each keeps a model in memory until it is on the disk. */
enum { STORES_MAX = 64 };

struct backing_store {
    uv_work_t work;
    struct backing *backing;
    struct imported_model *imported; /* NULL: nothing is stored, but the folder tidied */
    char *path;
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

/* Counts what a look or a store did, and logs once what the operator should know. */
static void backing_report(struct backing *backing, const struct disk_report *report)
{
    stats_add(STAT_DISK_STORED, report->stored);
    stats_add(STAT_DISK_REMOVED, report->removed);
    stats_add(STAT_DISK_EVICTED, report->evicted);
    stats_add(STAT_DISK_ERRORS, report->errors);
    if (backing->disk != NULL)
        stats_set(STAT_DISK_BYTES, disk_cache_size(backing->disk));
    if (report->err.code != 0 && !backing->is_broken)
        log_warn("the disk cache in %s takes nothing for now: %s", backing->config->cache_dir, report->err.message);
    if (report->stored > 0 && backing->is_broken)
        log_info("the disk cache in %s takes models again", backing->config->cache_dir);
    if (report->err.code != 0 || report->stored > 0)
        backing->is_broken = report->err.code != 0;
}

/* --- one store after the other --- */

static void on_store_work(uv_work_t *work)
{
    struct backing_store *store = work->data;
    const struct backing *backing = store->backing;
    thread_priority_background();
    if (store->imported == NULL)
        disk_cache_tidy(backing->disk, &store->report);
    else
        disk_cache_store(backing->disk, backing->root_fd, store->path, store->imported, &store->report);
}

static void free_store(struct backing_store *store)
{
    imported_model_unref(store->imported);
    backing_unref(store->backing);
    free(store->path);
    free(store);
}

static void on_stored(uv_work_t *work, int status __attribute__((unused)))
{
    struct backing_store *store = work->data;
    struct backing *backing = store->backing;
    backing_report(backing, &store->report);
    DL_DELETE(backing->stores, store);
    backing->store_count--;
    if (backing->stores != NULL)
        uv_queue_work(backing->loop, &backing->stores->work, on_store_work, on_stored);
    free_store(store);
}

static void queue_store(struct backing *backing, struct backing_store *store)
{
    store->work.data = store;
    store->backing = backing;
    backing->refs++;
    DL_APPEND(backing->stores, store);
    if (backing->store_count++ == 0)
        uv_queue_work(backing->loop, &store->work, on_store_work, on_stored);
}

void backing_store(struct backing *backing, const char *path, struct imported_model *imported)
{
    if (backing->disk == NULL || backing->store_count >= STORES_MAX)
        return;
    struct backing_store *store = mem_zalloc(1, sizeof *store);
    store->imported = imported_model_ref(imported);
    store->path = mem_strdup(path);
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

/* --- looks --- */

/* A file that was written less than YOUNG_NS ago may still have a writer. Where writers cannot be seen, it counts as
 * complete after QUIET_NS. */
static const int64_t QUIET_NS = INT64_C(500000000), YOUNG_NS = INT64_C(2000000000);

struct revalidation_run {
    uv_work_t work;
    struct backing *backing;
    struct revalidation check;
    char *path;
    void (*done)(void *user, struct revalidation *check); /* NULL: abandoned */
    void *user;
    struct disk_report report;
    char source_path[ROOT_LOOK_PATH_SIZE];
    struct revalidation_run *prev, *next; /* of backing->queued */
};

/* --- the work thread --- */

/* How long ago the content or the name changed; clocks of other machines may be ahead. */
static int64_t age_ns(const struct stamp *stamp)
{
    const int64_t latest = stamp->mtime_ns > stamp->ctime_ns ? stamp->mtime_ns : stamp->ctime_ns;
    int64_t age;
    if (__builtin_sub_overflow(stamp_now_ns(), latest, &age) || age == INT64_MIN)
        return INT64_MAX;
    return age < 0 ? -age : age;
}

enum writer { WRITER_NONE, WRITER_SEEN, WRITER_UNKNOWN };

/* The kernel grants a read lease only while no process has the file open for writing (fcntl(2), F_SETLEASE), and only
 * to its owner or root. It is given back at once: a process that opens the file for writing in between waits for that.
 */
static enum writer find_writer(int root_fd, const char *path)
{
    const int fd = root_open_beneath(root_fd, path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return WRITER_UNKNOWN;
    const int rc = fcntl(fd, F_SETLEASE, F_RDLCK);
    const int error = errno;
    if (rc == 0)
        fcntl(fd, F_SETLEASE, F_UNLCK);
    close(fd);
    return rc == 0 ? WRITER_NONE : error == EAGAIN ? WRITER_SEEN : WRITER_UNKNOWN;
}

static bool is_being_written(int root_fd, const struct revalidation *check)
{
    const int64_t age = age_ns(&check->stamp);
    if (age > YOUNG_NS)
        return false;
    const enum writer writer = find_writer(root_fd, check->path);
    return writer == WRITER_SEEN || (writer == WRITER_UNKNOWN && check->maybe_partial && age < QUIET_NS);
}

/* Takes a new set for these files. */
static void take_set(const struct backing *backing, struct revalidation *check, const struct sources *sources)
{
    if (backing->watch == NULL)
        return;
    folder_watch_set_unref(check->taken);
    check->is_retaken = true;
    check->taken = folder_watch_take(backing->watch, backing->root_fd, check->path, sources);
    check->is_starved = check->taken == NULL && err_is_shortage(errno);
}

/* Without a set a change would be seen late, so a shortage is not treated like files without events. */
static enum revalidation_verdict starved(struct revalidation *check)
{
    err_set(&check->err, ERR_OVERLOADED, "'%s': no file descriptor or memory is free to watch it; try again later",
            check->path);
    return REVALIDATION_GONE;
}

/* Comes before the look at the files: a later change makes the count differ. */
static void begin_count(const struct backing *backing, struct revalidation *check)
{
    if (check->set == NULL || check->is_new || !folder_watch_set_is_live(check->set))
        take_set(backing, check, check->known != NULL ? check->known->sources : NULL);
    const struct folder_watch_set *set = check->is_retaken ? check->taken : check->set;
    check->count = set != NULL ? folder_watch_set_count(set) : 0;
}

static int check_model(const struct backing *backing, struct revalidation *check)
{
    struct err *err = &check->err;
    if (file_access_check_model(&backing->config->files, backing->root_fd, check->path, err) < 0)
        return err->code;
    if (root_stat_model(backing->root_fd, check->path, &check->stamp, err) < 0)
        return err->code;
    if (file_format_of(check->path) == NULL && file_format_of_environment(check->path) == NULL) {
        file_format_unknown(check->path, err);
        return err_prefix(err, "%s", check->path);
    }
    return root_check_readable(backing->root_fd, check->path, err);
}

/* Only now the folders of its companions are known and watched, so its files are checked once more. */
static bool load(const struct backing *backing, struct revalidation *check, struct disk_report *report)
{
    if (backing->disk == NULL ||
        !disk_cache_load(backing->disk, backing->root_fd, check->path, check->is_whole, &check->loaded, report))
        return false;
    take_set(backing, check, check->loaded->sources);
    check->count = check->taken != NULL ? folder_watch_set_count(check->taken) : 0;
    if (!check->is_starved && sources_are_unchanged(backing->root_fd, check->loaded->sources))
        return true;
    imported_model_unref(check->loaded); /* it is not shared yet */
    check->loaded = NULL;
    return false;
}

static enum revalidation_verdict judge(const struct backing *backing, struct revalidation *check,
                                       struct disk_report *report)
{
    begin_count(backing, check);
    if (check->is_starved)
        return starved(check);
    const bool is_same = check->known != NULL && sources_are_unchanged(backing->root_fd, check->known->sources);
    check->is_unchanged = is_same;
    if (is_same && (!check->is_whole || check->known->has_pixels))
        return REVALIDATION_SAME;
    if (check_model(backing, check) < 0)
        return REVALIDATION_GONE;
    if (!is_same && is_being_written(backing->root_fd, check))
        return REVALIDATION_WRITING;
    if (check->has_failed && stamp_equal(&check->stamp, &check->failed_stamp))
        return REVALIDATION_SAME;
    if (check->is_check_only)
        return REVALIDATION_CHANGED;
    if (load(backing, check, report))
        return REVALIDATION_LOADED;
    return check->is_starved ? starved(check) : REVALIDATION_IMPORT;
}

/* Whether nothing follows from what the look found, because the file system failed, or because the root is not the
 * folder that is open any more. */
static bool is_unavailable(const struct backing *backing, struct revalidation_run *run)
{
    struct revalidation *check = &run->check;
    if (check->verdict == REVALIDATION_SAME && check->is_unchanged)
        return false;
    if (check->verdict == REVALIDATION_LOADED)
        return false;
    check->source_error = source_error();
    if (check->source_error == 0 && check->verdict == REVALIDATION_GONE && check->err.code == ERR_MODEL_NOT_FOUND &&
        backing->config->watch != WATCH_OFF) {
        const int error = root_check(backing->root_fd, backing->config->root);
        check->source_error = error == ENOENT || error == ENOTDIR || err_is_source(error) ? error : 0;
        source_forget_error(); /* the error is the root's */
    }
    snprintf(run->source_path, sizeof run->source_path, "%s", source_error() != 0 ? source_error_path() : "");
    return check->source_error != 0;
}

/* What is known without the root. */
static void load_stale(const struct backing *backing, struct revalidation_run *run)
{
    struct revalidation *check = &run->check;
    const bool is_known = check->known != NULL && (!check->is_whole || check->known->has_pixels);
    check->verdict = REVALIDATION_UNAVAILABLE;
    if (!check->is_offline)
        root_unavailable(check->path,
                         check->source_error == ESTALE ? "it is another now" : strerror(check->source_error),
                         &check->err);
    if (!check->is_check_only && !is_known && backing->disk != NULL)
        disk_cache_load_stale(backing->disk, check->path, check->is_whole, &check->loaded, &run->report);
}

static double now_ms(void) { return (double)uv_hrtime() / 1e6; }

static void on_work(uv_work_t *work)
{
    struct revalidation_run *run = work->data;
    const double start_ms = now_ms();
    source_forget_error();
    if (!run->check.is_offline)
        run->check.verdict = judge(run->backing, &run->check, &run->report);
    if (run->check.is_offline || is_unavailable(run->backing, run))
        load_stale(run->backing, run);
    run->check.ms = now_ms() - start_ms;
}

/* --- the loop thread --- */

static void free_run(struct revalidation_run *run)
{
    folder_watch_set_unref(run->check.set);
    imported_model_unref(run->check.known);
    backing_unref(run->backing);
    free(run->path);
    free(run);
}

/* At most so many work threads: if calls do not return, others are left. */
static uint32_t looks_max(const struct backing *backing)
{
    const uint32_t threads = backing->config->work_threads;
    return threads >= 4 ? threads / 2 : 1;
}

static void on_done(uv_work_t *work, int status);

static void start_queued(struct backing *backing)
{
    while (backing->queued != NULL && backing->look_count < looks_max(backing)) {
        struct revalidation_run *run = backing->queued;
        DL_DELETE(backing->queued, run);
        if (run->done == NULL) {
            free_run(run);
            continue;
        }
        backing->look_count++;
        uv_queue_work(backing->loop, &run->work, on_work, on_done);
    }
}

static void on_done(uv_work_t *work, int status __attribute__((unused)))
{
    struct revalidation_run *run = work->data;
    struct revalidation *check = &run->check;
    struct backing *backing = run->backing;
    backing->refs++; /* done() may end the cache */
    backing->look_count -= !check->is_offline;
    check->source_path = run->source_path;
    backing_report(run->backing, &run->report);
    if (run->done != NULL) {
        run->done(run->user, check);
    } else {
        imported_model_unref(check->loaded);
        folder_watch_set_unref(check->taken);
    }
    free_run(run);
    start_queued(backing);
    backing_unref(backing);
}

struct revalidation_run *revalidation_start(struct backing *backing, const struct revalidation *check,
                                            void (*done)(void *user, struct revalidation *check), void *user)
{
    struct revalidation_run *run = mem_zalloc(1, sizeof *run);
    run->work.data = run;
    run->backing = backing;
    backing->refs++;
    run->check = *check;
    run->check.path = run->path = mem_strdup(check->path);
    run->check.known = check->known != NULL ? imported_model_ref(check->known) : NULL;
    run->check.set = check->set != NULL ? folder_watch_set_ref(check->set) : NULL;
    run->done = done;
    run->user = user;
    if (check->is_offline) {
        uv_queue_work(backing->loop, &run->work, on_work, on_done);
        return run;
    }
    DL_APPEND(backing->queued, run);
    start_queued(backing);
    return run;
}

void revalidation_abandon(struct revalidation_run *run)
{
    if (run != NULL)
        run->done = NULL;
}
