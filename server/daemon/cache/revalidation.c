#include "daemon/cache/revalidation.h"

#include "base/mem.h"
#include "base/file_formats.h"
#include "daemon/model/file_access.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* How long ago a file must have been written last: to be taken for complete where its writer cannot be seen, and for
 * nobody to be looked for. */
static const int64_t QUIET_NS = INT64_C(500000000), YOUNG_NS = INT64_C(2000000000);

struct revalidation_run {
    uv_work_t work;
    struct backing *fresh;
    struct revalidation look;
    char *path;
    void (*done)(void *user, struct revalidation *look); /* NULL: abandoned */
    void *user;
    struct disk_report report;
};

/* --- the work thread --- */

/* How long ago the content or the name changed; clocks of other machines may be ahead. */
static int64_t age_ns(const struct stamp *stamp)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    const int64_t latest = stamp->mtime_ns > stamp->ctime_ns ? stamp->mtime_ns : stamp->ctime_ns;
    int64_t age;
    if (__builtin_sub_overflow((int64_t)now.tv_sec * 1000000000 + now.tv_nsec, latest, &age) || age == INT64_MIN)
        return INT64_MAX;
    return age < 0 ? -age : age;
}

enum writer { WRITER_NONE, WRITER_SEEN, WRITER_UNKNOWN };

/* A read lease is given only while nobody has the file open for writing (fcntl(2), F_SETLEASE), to its owner or
 * root. It is given back at once: whoever opens the file for writing in between waits for that. */
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

static bool is_being_written(int root_fd, const struct revalidation *look)
{
    const int64_t age = age_ns(&look->stamp);
    if (age > YOUNG_NS)
        return false;
    const enum writer writer = find_writer(root_fd, look->path);
    return writer == WRITER_SEEN || (writer == WRITER_UNKNOWN && look->is_doubtful && age < QUIET_NS);
}

/* The set for these files in place of what there was. */
static void take_set(const struct backing *fresh, struct revalidation *look, const struct sources *sources)
{
    if (fresh->watch == NULL)
        return;
    folder_watch_set_unref(look->taken);
    look->is_retaken = true;
    look->taken = folder_watch_take(fresh->watch, fresh->root_fd, look->path, sources);
    look->is_starved = look->taken == NULL && err_is_shortage(errno);
}

/* Not to be taken for files that events cannot vouch for: a change would be seen late. */
static enum revalidation_verdict starved(struct revalidation *look)
{
    err_set(&look->err, ERR_OVERLOADED, "'%s': no file descriptor or memory is free to watch it; try again later",
            look->path);
    return REVALIDATION_GONE;
}

/* Before anything is looked at: what changes later changes the count. */
static void begin_count(const struct backing *fresh, struct revalidation *look)
{
    if (look->set == NULL || look->is_new || !folder_watch_set_is_live(look->set))
        take_set(fresh, look, look->known != NULL ? look->known->sources : NULL);
    const struct folder_watch_set *set = look->is_retaken ? look->taken : look->set;
    look->count = set != NULL ? folder_watch_set_count(set) : 0;
}

static int check_model(const struct backing *fresh, struct revalidation *look)
{
    struct err *err = &look->err;
    if (file_access_check_model(&fresh->config->files, fresh->root_fd, look->path, err) < 0)
        return err->code;
    if (root_stat_model(fresh->root_fd, look->path, &look->stamp, err) < 0)
        return err->code;
    if (file_format_of(look->path) == NULL)
        return err_set(err, ERR_UNKNOWN_FORMAT, "%s: no importer knows this file's ending", look->path);
    return root_check_readable(fresh->root_fd, look->path, err);
}

/* The folders of its companions are only known now, so its files have to be looked at once more. */
static bool load(const struct backing *fresh, struct revalidation *look, struct disk_report *report)
{
    if (fresh->disk == NULL ||
        !disk_cache_load(fresh->disk, fresh->root_fd, look->path, look->is_whole, &look->loaded, report))
        return false;
    take_set(fresh, look, look->loaded->sources);
    look->count = look->taken != NULL ? folder_watch_set_count(look->taken) : 0;
    if (!look->is_starved && sources_are_unchanged(fresh->root_fd, look->loaded->sources))
        return true;
    imported_model_unref(look->loaded); /* nobody else knows of it */
    look->loaded = NULL;
    return false;
}

static enum revalidation_verdict judge(const struct backing *fresh, struct revalidation *look,
                                       struct disk_report *report)
{
    begin_count(fresh, look);
    if (look->is_starved)
        return starved(look);
    const bool is_same = look->known != NULL && sources_are_unchanged(fresh->root_fd, look->known->sources);
    look->is_unchanged = is_same;
    if (is_same && (!look->is_whole || look->known->has_pixels))
        return REVALIDATION_SAME;
    if (check_model(fresh, look) < 0)
        return REVALIDATION_GONE;
    if (!is_same && is_being_written(fresh->root_fd, look))
        return REVALIDATION_WRITING;
    if (look->has_failed && stamp_equal(&look->stamp, &look->failed_stamp))
        return REVALIDATION_SAME;
    if (look->is_check_only)
        return REVALIDATION_CHANGED;
    if (load(fresh, look, report))
        return REVALIDATION_LOADED;
    return look->is_starved ? starved(look) : REVALIDATION_IMPORT;
}

static double now_ms(void) { return (double)uv_hrtime() / 1e6; }

static void on_work(uv_work_t *work)
{
    struct revalidation_run *run = work->data;
    const double start_ms = now_ms();
    run->look.verdict = judge(run->fresh, &run->look, &run->report);
    run->look.ms = now_ms() - start_ms;
}

/* --- the loop thread --- */

static void free_run(struct revalidation_run *run)
{
    folder_watch_set_unref(run->look.set);
    imported_model_unref(run->look.known);
    backing_unref(run->fresh);
    free(run->path);
    free(run);
}

static void on_done(uv_work_t *work, int status __attribute__((unused)))
{
    struct revalidation_run *run = work->data;
    struct revalidation *look = &run->look;
    backing_report(run->fresh, &run->report);
    if (run->done != NULL) {
        run->done(run->user, look);
    } else {
        imported_model_unref(look->loaded);
        folder_watch_set_unref(look->taken);
    }
    free_run(run);
}

struct revalidation_run *revalidation_start(uv_loop_t *loop, struct backing *fresh, const struct revalidation *look,
                                            void (*done)(void *user, struct revalidation *look), void *user)
{
    struct revalidation_run *run = mem_zalloc(1, sizeof *run);
    run->work.data = run;
    run->fresh = backing_ref(fresh);
    run->look = *look;
    run->look.path = run->path = mem_strdup(look->path);
    run->look.known = look->known != NULL ? imported_model_ref(look->known) : NULL;
    run->look.set = look->set != NULL ? folder_watch_set_ref(look->set) : NULL;
    run->done = done;
    run->user = user;
    uv_queue_work(loop, &run->work, on_work, on_done);
    return run;
}

void revalidation_abandon(struct revalidation_run *run)
{
    if (run != NULL)
        run->done = NULL;
}
