/* import_run.c - one import: the child process, the broker that serves it files, and the check of its result on a
 * work thread. */
#include "daemon/importer/import_run.h"

#include "base/container_of.h"
#include "base/mem.h"
#include "worker/import_files.h"
#include "daemon/threads/work.h"
#include "daemon/importer/import_broker.h"
#include "daemon/importer/import_outcome.h"
#include "daemon/process/child.h"
#include "daemon/process/fork_server.h"
#include "daemon/support/log.h"
#include "daemon/support/metrics.h"
#include "daemon/support/fd.h"
#include "daemon/model/sources.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* --- killed from outside --- */

/* The latest few files, by their bytes, whose last import was killed from outside: a second kill in a row is not a
 * coincidence. One list for the whole process. */
enum { KILLS_MAX = 64 };

struct kill {
    uint64_t size_bytes;
    uint8_t hash[SOURCE_HASH_SIZE];
};

static struct {
    pthread_mutex_t mutex;
    uint32_t count;
    struct kill kills[KILLS_MAX]; /* the oldest first */
} known = {.mutex = PTHREAD_MUTEX_INITIALIZER};

static bool has_size(uint64_t size_bytes)
{
    bool is_found = false;
    pthread_mutex_lock(&known.mutex);
    for (uint32_t i = 0; i < known.count; i++)
        is_found = is_found || known.kills[i].size_bytes == size_bytes;
    pthread_mutex_unlock(&known.mutex);
    return is_found;
}

/* With the mutex. */
static void take_out(uint32_t index)
{
    known.count--;
    memmove(known.kills + index, known.kills + index + 1, (known.count - index) * sizeof *known.kills);
}

static bool note(const struct kill *kill, bool is_killed)
{
    bool was_killed = false;
    pthread_mutex_lock(&known.mutex);
    for (uint32_t i = 0; i < known.count && !was_killed; i++) {
        was_killed = known.kills[i].size_bytes == kill->size_bytes &&
                     memcmp(known.kills[i].hash, kill->hash, sizeof kill->hash) == 0;
        if (was_killed)
            take_out(i);
    }
    if (is_killed) {
        if (known.count == KILLS_MAX)
            take_out(0);
        known.kills[known.count++] = *kill;
    }
    pthread_mutex_unlock(&known.mutex);
    return was_killed && is_killed;
}

/* Notes the end of an import of the file at `path` beneath the folder, killed or not. Reads the file if that matters.
 * Returns true if it was killed, and so was the last import of the same bytes, at any path. */
static bool kill_history_note(int folder_fd, const char *path, uint64_t max_file_bytes, bool is_killed)
{
    struct stat stat;
    struct source source = {.path = (char *)(uintptr_t)path};
    if (root_lstat(folder_fd, path, &stat) != 0 || (!is_killed && !has_size((uint64_t)stat.st_size)) ||
        !source_read(folder_fd, max_file_bytes, NULL, &source) || source.kind != SOURCE_BYTES)
        return false;
    struct kill kill = {.size_bytes = source.stamp.size_bytes};
    memcpy(kill.hash, source.hash, sizeof kill.hash);
    return note(&kill, is_killed);
}

/* --- one import --- */

struct import_run {
    uv_loop_t *loop;
    struct child child;
    struct fork_server *fork_server; /* of the owner; unused after abandoning */
    struct work work;
    struct import_broker *broker;
    struct import_grant files; /* of a thread while the broker is open; root_fd is the run's own */
    int open_parts;            /* the child, the broker and import_run_start() */
    int result_fd;             /* -1 once it belongs to the imported model */
    bool is_abandoned;
    bool is_upload;  /* not published yet */
    bool is_archive; /* the result is not a model but the files of a zip: */
    int archive_fd;  /* -1 while there are none */
    char *path;      /* a copy: the work thread may outlive the owner's */
    uint64_t key;
    uint64_t started_ns;
    struct file_policy policy; /* copies, too */
    struct limits limits;
    struct import_exit end;
    struct imported_model *imported;
    struct err err; /* the outcome when imported is NULL */
    import_run_done *done;
    void *context;
};

static void free_run(struct import_run *run)
{
    fd_close(run->result_fd);
    fd_close(run->archive_fd);
    imported_model_unref(run->imported);
    fd_close(run->files.root_fd);
    file_access_fini(&run->files.access);
    free(run->path);
    free(run);
}

/* Returns the error of an import that could not begin. */
static int code_of(int error)
{
    return err_is_shortage(error) ? ERR_OVERLOADED : err_is_source(error) ? ERR_SOURCE_UNAVAILABLE : ERR_INTERNAL;
}

/* Keeps the sources that the importer was allowed to open, and no others that it claims. */
static int keep_sources(struct import_run *run)
{
    struct imported_model *imported = run->imported;
    const int error = import_grant_resolve(&run->files);
    if (error != 0)
        return err_set(&run->err, code_of(error), "%s: cannot look at its folder: %s", run->path, strerror(error));
    imported->sources = file_access_sources(&run->files.access, run->files.root_fd, imported->sources);
    if (imported->sources == NULL)
        return err_set(&run->err, ERR_BAD_BAKE, "%s: the importer's result is about files that it could not open",
                       run->path);
    return 0;
}

static bool is_killed_again(struct import_run *run)
{
    char place[IMPORT_PATH_SIZE];
    if (import_grant_resolve(&run->files) != 0)
        return false;
    const int folder_fd = file_access_place(&run->files.access, run->files.root_fd, run->path, place);
    return folder_fd >= 0 &&
           kill_history_note(folder_fd, place, run->limits.value[LIMIT_FILE_BYTES], import_exit_is_kill(&run->end));
}

/* Work thread: checking a large model takes longer than the loop can wait. */
static void find_outcome(struct work *work)
{
    struct import_run *run = work->data;
    if (run->err.code != 0)
        return;
    run->end.is_killed_again = is_killed_again(run);
    const int rc = run->is_archive ? import_outcome_archive(run->result_fd, &run->end, &run->err)
                                   : import_outcome(run->result_fd, &run->end, run->key, &run->imported, &run->err);
    if (rc < 0)
        return;
    if (run->is_archive)
        run->archive_fd = run->result_fd;
    run->result_fd = -1;
    if (!run->is_archive && keep_sources(run) < 0) {
        imported_model_unref(run->imported);
        run->imported = NULL;
    }
}

/* Counts it and logs it. */
static void tell_end(const struct import_run *run)
{
    const uint64_t spent_ns = uv_hrtime() - run->started_ns;
    const double ms = (double)spent_ns / 1e6;
    if (import_exit_needs_libraries(&run->end))
        return; /* another run goes on with it */
    metrics_count_import(run->archive_fd >= 0 || run->imported != NULL ? METRIC_SUCCESS : METRIC_ERROR, spent_ns);
    const char *what = run->is_upload ? "upload" : "import";
    if (run->archive_fd >= 0)
        log_info("unpacked zip='%s' ms=%.1f", run->path, ms);
    else if (run->imported != NULL)
        log_info("%s model='%s' ms=%.1f bytes=%llu", what, run->path, ms,
                 (unsigned long long)run->imported->model.size_bytes);
    else
        log_info("%s model='%s' ms=%.1f error=%s (%s)", what, run->path, ms, err_name(run->err.code), run->err.message);
}

static void on_outcome(struct work *work, int status __attribute__((unused)))
{
    struct import_run *run = work->data;
    if (run->is_abandoned) {
        free_run(run);
        return;
    }
    tell_end(run);
    /* The run is freed first: its descriptors and memory are available to done(). */
    import_run_done *done = run->done;
    void *context = run->context;
    const struct err err = run->err;
    const struct import_run_end end = {.imported = run->imported,
                                       .archive_fd = run->archive_fd,
                                       .err = &err,
                                       .is_transient = import_exit_is_transient(&run->end),
                                       .needs_libraries = import_exit_needs_libraries(&run->end)};
    run->imported = NULL;
    run->archive_fd = -1;
    free_run(run);
    done(context, &end);
}

static void one_closed(struct import_run *run)
{
    if (--run->open_parts > 0)
        return;
    if (run->is_abandoned)
        free_run(run);
    else
        work_start(run->loop, WORK_FILES, &run->work, find_outcome, on_outcome);
}

static void on_child_closed(struct child *child) { one_closed(container_of(child, struct import_run, child)); }
static void on_broker_closed(void *context) { one_closed(context); }

static void on_ended(struct child *child)
{
    struct import_run *run = container_of(child, struct import_run, child);
    run->end.child = child->exit;
    if (child->exit.term_signal != 0 && !run->is_abandoned)
        fork_server_renew(run->fork_server); /* addresses that a crash may have revealed become invalid */
    if (child->exit.is_timeout && import_broker_is_working(run->broker))
        run->end.is_unavailable = true; /* its time went by while it waited for a file */
    import_broker_close(run->broker);
}

static void on_stopped(void *context, enum import_stop why)
{
    struct import_run *run = context;
    run->end.is_starved = why == IMPORT_STOP_STARVED;
    run->end.is_breach = why == IMPORT_STOP_BREACH;
    run->end.is_unavailable = why == IMPORT_STOP_UNAVAILABLE;
    child_kill(&run->child, SIGKILL);
}

/* Copies: a thread may use them when the service is gone. */
static bool take_files(struct import_run *run, int root_fd, const struct import_task *task)
{
    run->files.path = run->path;
    run->files.policy = &run->policy;
    run->files.root_fd = fcntl(root_fd, F_DUPFD_CLOEXEC, 0);
    return run->files.root_fd >= 0 && (task->access == NULL || file_access_copy(&run->files.access, task->access));
}

static void start_child(struct import_run *run, int files_fd)
{
    static const struct child_events EVENTS = {.ended = on_ended, .closed = on_child_closed};
    const int rc = fork_server_start_child(run->fork_server, &run->child, files_fd, run->result_fd, &EVENTS);
    run->open_parts++;
    child_limit_time(&run->child, run->limits.value[LIMIT_IMPORT_TIME_MS]);
    if (rc == 0)
        return;
    err_set(&run->err, code_of(-rc), "%s: cannot start '%s': %s", run->path, fork_server_program(run->fork_server),
            uv_strerror(rc));
    import_broker_close(run->broker);
}

struct import_run *import_run_start(uv_loop_t *loop, struct fork_server *fork_server, const struct config *config,
                                    int root_fd, const struct import_task *task, uint64_t key, import_run_done *done,
                                    void *context)
{
    static const struct import_broker_events BROKER_EVENTS = {.stopped = on_stopped, .closed = on_broker_closed};
    struct import_run *run = mem_zalloc(1, sizeof *run);
    run->loop = loop;
    run->fork_server = fork_server;
    run->work.data = run;
    run->path = mem_strdup(task->path);
    run->is_archive = task->is_archive;
    run->is_upload = task->access != NULL;
    run->archive_fd = run->files.root_fd = -1;
    run->key = key;
    run->limits = config->limits;
    run->policy = config->files;
    run->end = (struct import_exit){.path = run->path, .limits = &run->limits, .has_libraries = task->has_libraries};
    run->done = done;
    run->context = context;
    run->started_ns = uv_hrtime();
    int files_fd = -1;
    run->open_parts = 1;
    run->result_fd = memfd_create("posed-model", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (run->result_fd >= 0 && take_files(run, root_fd, task))
        run->broker = import_broker_start(loop, &run->files, &run->limits, &BROKER_EVENTS, run, &files_fd);
    if (run->broker == NULL) {
        err_set(&run->err, code_of(errno), "%s: no memory file or socket for the import: %s", run->path,
                strerror(errno));
    } else {
        run->open_parts++;
        start_child(run, files_fd);
        close(files_fd);
    }
    one_closed(run);
    return run;
}

void import_run_abandon(struct import_run *run)
{
    run->is_abandoned = true;
    metrics_count_import(METRIC_CANCELLED, uv_hrtime() - run->started_ns);
    child_kill(&run->child, SIGKILL);
}
