/* revalidation.c - checks the files of a model in work threads. */
#include "daemon/cache/revalidation.h"

#include "base/file_formats.h"
#include "base/mem.h"
#include "daemon/model/file_access.h"
#include "daemon/model/root_look.h"
#include "daemon/model/source_access.h"
#include "daemon/model/walk.h"
#include "daemon/threads/work.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utlist.h>

/* --- looks --- */

/* A file that was written less than YOUNG_NS ago may still have a writer. Where writers cannot be seen, it counts as
 * complete after QUIET_NS. */
static const int64_t QUIET_NS = INT64_C(500000000), YOUNG_NS = INT64_C(2000000000);

struct revalidation_run {
    struct work work;
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

/* Call it before the check of the files, so that a later change makes the count differ. */
static void begin_count(const struct backing *backing, struct revalidation *check)
{
    if (check->set == NULL || check->is_new || !folder_watch_set_is_live(check->set))
        take_set(backing, check, check->known != NULL ? check->known->sources : NULL);
    const struct folder_watch_set *set = check->is_retaken ? check->taken : check->set;
    check->count = set != NULL ? folder_watch_set_count(set) : 0;
}

/* Puts the nearest name into the error of a file that is not there. */
static void suggest(const struct backing *backing, struct revalidation *check)
{
    struct stat stat;
    if (file_format_of_environment(check->path) != NULL || root_lstat(backing->root_fd, check->path, &stat) == 0 ||
        errno != ENOENT)
        return;
    char *nearest = walk_nearest(backing->root_fd, check->path);
    if (nearest != NULL)
        err_set(&check->err, ERR_MODEL_NOT_FOUND, "there is no model '%s' under the root; did you mean '%s'?",
                check->path, nearest);
    free(nearest);
}

static int check_model(const struct backing *backing, struct revalidation *check)
{
    struct err *err = &check->err;
    if (file_access_check_model(&backing->config->files, backing->root_fd, check->path, err) < 0)
        return err->code;
    if (root_stat_model(backing->root_fd, check->path, &check->stamp, err) < 0) {
        if (err->code == ERR_MODEL_NOT_FOUND && !check->is_check_only)
            suggest(backing, check);
        return err->code;
    }
    if (file_format_of(check->path) == NULL && file_format_of_environment(check->path) == NULL) {
        file_format_unknown(check->path, err);
        return err_prefix(err, "%s", check->path);
    }
    return root_check_readable(backing->root_fd, check->path, err);
}

/* Only now the folders of its companions are known and watched, so its files are checked once more. */
static bool load(const struct backing *backing, struct revalidation *check, struct disk_report *report)
{
    if (backing->disk == NULL)
        return false;
    check->seen = disk_cache_seen(backing->disk, check->path);
    if (!disk_cache_load(backing->disk, backing->root_fd, check->path, check->is_whole, &check->loaded, report))
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

/* True if the check is void, because the file system failed, or because the root is no longer the open folder. */
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

/* Fills in the results that do not need the root. */
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

static void on_work(struct work *work)
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

/* The largest number of work threads that check files: if calls hang, the others remain free. */
static uint32_t looks_max(const struct backing *backing)
{
    const uint32_t threads = backing->config->file_threads;
    return threads >= 4 ? threads / 2 : 1;
}

static void on_done(struct work *work, int status);

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
        work_start(backing->loop, WORK_FILES, &run->work, on_work, on_done);
    }
}

static void on_done(struct work *work, int status __attribute__((unused)))
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
        work_start(backing->loop, WORK_FILES, &run->work, on_work, on_done);
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
