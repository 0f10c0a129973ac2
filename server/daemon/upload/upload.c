/* upload.c - runs one upload: receives, unpacks, imports and publishes it, and removes the stage. */

#include "base/container_of.h"
#include "daemon/support/log.h"
#include "daemon/support/stats.h"
#include "daemon/upload/upload_internal.h"
#include "daemon/support/fd.h"

#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void on_worked(struct work *work, int status);

static void run_work(struct work *work)
{
    struct upload *upload = work->data;
    upload->run(upload);
}

static void start_work(struct upload *upload, void (*run)(struct upload *upload),
                       void (*done)(struct work *work, int status))
{
    upload->is_working = true;
    upload->run = run;
    work_start(upload->uploads->loop, WORK_FILES, &upload->work, run_work, done);
}

/* --- end --- */

static void on_removed(struct work *work, int status __attribute__((unused)))
{
    struct upload *upload = work->data;
    if (upload->err.code != 0)
        log_warn("not all of an upload is off the disk, the next start tries again: %s", upload->err.message);
    upload_free(upload);
}

/* Work thread. */
static void remove_files(struct upload *upload)
{
    fd_close(upload->fd);
    upload->fd = -1;
    upload->err.code = 0; /* done() has had it */
    upload_stage_remove(&upload->uploads->store, &upload->files, &upload->err);
}

/* Tells how it ended, once, and removes the stage. */
static void finish(struct upload *upload)
{
    upload->stage = UPLOAD_OVER;
    if (upload->done != NULL) {
        const bool is_good = upload->err.code == 0;
        const struct upload_end end = {.path = is_good ? upload->published_path : NULL,
                                       .is_new = upload->is_new,
                                       .imported = upload->imported,
                                       .is_current = upload->is_current,
                                       .err = &upload->err};
        stats_add(is_good ? STAT_UPLOADS_STORED : STAT_UPLOADS_REFUSED, 1);
        upload->done(upload->user, &end);
        upload->done = NULL;
    }
    upload->has_capacity = NULL;
    start_work(upload, remove_files, on_removed);
}

/* Ends it early. Only a stop of the server does so while a client waits for the result. */
static void stop(struct upload *upload)
{
    if (upload->err.code == 0)
        err_set(&upload->err, ERR_SHUTTING_DOWN, "the server is stopping");
    finish(upload);
}

/* --- work threads --- */

static void write_piece(struct upload *upload)
{
    struct err *err = &upload->err;
    if (upload->fd < 0) {
        if (upload_stage_begin(&upload->uploads->store, &upload->files, err) < 0)
            return;
        upload->fd = upload_stage_create(&upload->files, upload->base, err);
        if (upload->fd < 0)
            return;
    }
    upload_write(upload->fd, upload->writing.data, upload->writing.size_bytes, err);
}

/* The file is whole. */
static void close_file(struct upload *upload)
{
    upload_sync(upload->fd, &upload->err);
    close(upload->fd); /* close it at once: a file open for writing counts as unfinished */
    upload->fd = -1;
}

static void unpack(struct upload *upload)
{
    upload_unpack(&upload->uploads->store, &upload->files, upload->archive_fd, upload->target, upload->model_path,
                  &upload->err);
}

static void publish(struct upload *upload)
{
    const struct upload_store *store = &upload->uploads->store;
    struct imported_model *imported = upload->imported;
    const bool is_unchanged = file_access_is_unchanged(&upload->access, -1, imported->sources);
    if (upload_store_publish(store, &upload->files, upload->item, upload->target, &upload->is_new, &upload->err) < 0 ||
        !is_unchanged)
        return;
    const int root_fd = open(store->root, O_PATH | O_DIRECTORY | O_CLOEXEC);
    struct sources *moved =
        root_fd < 0 ? NULL
                    : file_access_moved(&upload->access, root_fd, &upload->uploads->config->files, imported->sources);
    fd_close(root_fd);
    if (moved == NULL)
        return;
    sources_free(imported->sources); /* no other code has the model yet */
    imported->sources = moved;
    upload->is_current = true;
}

/* --- import --- */

static bool is_import_wanted(const struct import_job *job __attribute__((unused))) { return true; }

static void on_imported(struct import_job *job, struct imported_model *imported, const struct err *err)
{
    struct upload *upload = container_of(job, struct upload, import);
    if (job->archive_fd >= 0) {
        upload->archive_fd = job->archive_fd;
        upload->stage = UPLOAD_UNPACKING;
        start_work(upload, unpack, on_worked);
    } else if (imported != NULL) {
        upload->imported = imported;
        upload->stage = UPLOAD_PUBLISHING;
        start_work(upload, publish, on_worked);
    } else {
        upload->err = *err;
        finish(upload);
    }
}

/* Sets the importer's access and path, both as they will be after publishing. */
static int find_access(struct upload *upload, enum upload_state stage)
{
    char own[PATH_MAX], place[NAME_MAX + 2];
    const bool is_in_folder = stage == UPLOAD_IMPORTING && upload->is_zip;
    snprintf(own, sizeof own, "%s%s%s", upload->uploads->store.folder, is_in_folder ? upload->target : upload->name,
             is_in_folder ? "/" : "");
    snprintf(place, sizeof place, "%s%s", is_in_folder ? upload->item : upload->base, is_in_folder ? "/" : "");
    const int bytes = snprintf(upload->published_path, sizeof upload->published_path, "%s%s", own,
                               is_in_folder ? upload->model_path : "");
    if (bytes >= (int)sizeof upload->published_path)
        return err_set(&upload->err, ERR_BAD_PATH, "the path '%.80s...' is too long", upload->name);
    file_access_fini(&upload->access);
    if (!file_access_stage(&upload->access, own, upload->files.fd, place))
        return err_set(&upload->err, ERR_OVERLOADED, "no file descriptor is free for the upload; try again later");
    return 0;
}

/* Starts an import of the file in the stage: the zip, or the model. */
static void import(struct upload *upload, enum upload_state stage)
{
    upload->stage = stage;
    if (find_access(upload, stage) < 0) {
        finish(upload);
        return;
    }
    upload->import = (struct import_job){.path = upload->published_path,
                                         .access = &upload->access,
                                         .is_wanted = is_import_wanted,
                                         .done = on_imported,
                                         .is_archive = stage == UPLOAD_OPENING,
                                         .archive_fd = -1};
    if (import_pool_submit(upload->uploads->imports, &upload->import, &upload->err) < 0)
        finish(upload);
}

/* --- the course of an upload --- */

static void make_capacity(struct upload *upload)
{
    if (!upload->is_full)
        return;
    upload->is_full = false;
    if (upload->has_capacity != NULL)
        upload->has_capacity(upload->capacity_user);
}

static void receive(struct upload *upload)
{
    if (upload->waiting.size_bytes > 0 && upload->err.code == 0) {
        const struct buf written = upload->writing;
        upload->writing = upload->waiting;
        upload->waiting = written;
        buf_clear(&upload->waiting);
        start_work(upload, write_piece, on_worked);
        make_capacity(upload);
        return;
    }
    if (!upload->is_whole) {
        make_capacity(upload); /* after a fault too: it is said when the next bytes come */
        return;
    }
    if (upload->err.code == 0 && upload->files.name[0] == '\0')
        err_set(&upload->err, ERR_EMPTY_FILE, "%.300s: the upload has no bytes", upload->name);
    if (upload->err.code != 0)
        finish(upload);
    else if (upload->fd >= 0)
        start_work(upload, close_file, on_worked);
    else
        import(upload, upload->is_zip ? UPLOAD_OPENING : UPLOAD_IMPORTING);
}

static void on_worked(struct work *work, int status __attribute__((unused)))
{
    struct upload *upload = work->data;
    upload->is_working = false;
    switch (upload->stage) {
    case UPLOAD_RECEIVING:
        receive(upload);
        break;
    case UPLOAD_OPENING:
    case UPLOAD_IMPORTING:
        break; /* on_imported() continues */
    case UPLOAD_UNPACKING:
        if (upload->err.code == 0) {
            import(upload, UPLOAD_IMPORTING);
        } else {
            err_prefix(&upload->err, "%.300s", upload->name);
            finish(upload);
        }
        break;
    case UPLOAD_OVER:
        stop(upload);
        break;
    case UPLOAD_PUBLISHING:
        finish(upload);
        break;
    }
}

int upload_take(struct http_sink *sink, const char *bytes, size_t size_bytes, struct err *err)
{
    struct upload *upload = container_of(sink, struct upload, sink);
    if (!upload->is_working && upload->err.code != 0) { /* while a thread works the error is its */
        *err = upload->err;
        return err->code;
    }
    buf_put(&upload->waiting, bytes, size_bytes);
    if (buf_failed(&upload->waiting))
        return err_set(err, ERR_NO_MEMORY, "no memory for the upload");
    upload->is_full = upload->waiting.size_bytes >= UPLOAD_WAITING_BYTES;
    if (!upload->is_working)
        receive(upload);
    return 0;
}

struct http_sink *upload_sink(struct upload *upload) { return &upload->sink; }
bool upload_is_full(const struct upload *upload) { return upload->is_full; }

void upload_finish(struct upload *upload, upload_done *done, void *user)
{
    upload->has_capacity = NULL;
    upload->done = done;
    upload->user = user;
    upload->is_whole = true;
    if (!upload->is_working)
        receive(upload);
}

void upload_abandon(struct upload *upload)
{
    upload->has_capacity = NULL;
    if (upload->is_working && upload->stage == UPLOAD_PUBLISHING)
        return; /* it ends by itself, with its answer */
    upload->stage = UPLOAD_OVER;
    if (!upload->is_working)
        stop(upload);
}
