/* uploads.c - all uploads: their folder, their number, checks of names, and deletions. */
#include "base/mem.h"
#include "base/file_formats.h"
#include "daemon/support/stats.h"
#include "daemon/config/access_policy.h"
#include "daemon/support/log.h"
#include "daemon/upload/upload_internal.h"
#include "daemon/support/fd.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utlist.h>

/* --- one of them --- */

static bool is_zip(const char *name)
{
    const size_t bytes = strlen(name);
    return bytes > 4 && strcasecmp(name + bytes - 4, ".zip") == 0;
}

static int check_name(const struct uploads *uploads, const char *name, const char *inner, struct err *err)
{
    if (uploads == NULL)
        return err_set(err, ERR_UNAVAILABLE, "this server takes no uploads; start it with --uploads DIR");
    if (uploads->is_off)
        return err_set(
            err, ERR_UNAVAILABLE,
            "this server takes no uploads: on an address that is not loopback they need a token; start it with "
            "--token-file FILE");
    return upload_store_check(&uploads->store, name, inner, err);
}

int upload_begin(struct uploads *uploads, const char *name, void (*has_capacity)(void *user), void *user,
                 struct upload **out, struct err *err)
{
    if (check_name(uploads, name, is_zip(name) ? "" : NULL, err) < 0)
        return err->code;
    if (file_format_of(name) == NULL && !is_zip(name))
        return err_set(err, ERR_UNKNOWN_FORMAT, "'%.200s': no importer knows this extension; see /v1/formats", name);
    const uint64_t most = uploads->config->limits.value[LIMIT_UPLOADS];
    if (uploads->is_ending)
        return err_set(err, ERR_SHUTTING_DOWN, "the server is stopping");
    if (uploads->count >= most)
        return err_set(err, ERR_OVERLOADED, "as many uploads as %s are under way; try again later",
                       LIMIT_TEXT(&uploads->config->limits, LIMIT_UPLOADS));
    struct upload *upload = mem_zalloc(1, sizeof *upload);
    upload->uploads = uploads;
    upload->sink = (struct http_sink){upload_take, uploads->config->limits.value[LIMIT_UPLOAD_BYTES]};
    upload->name = mem_strdup(name);
    upload->base = basename(upload->name);
    upload->is_zip = is_zip(name);
    upload->target = mem_strndup(name, strlen(name) - (upload->is_zip ? 4 : 0));
    upload->item = basename(upload->target);
    upload->archive_fd = -1;
    upload->fd = upload->files.fd = -1;
    upload->has_capacity = has_capacity;
    upload->capacity_user = user;
    upload->work.data = upload;
    /* one read more than fills it, so that only a lack of memory can fail */
    buf_init(&upload->waiting, 2 * UPLOAD_WAITING_BYTES);
    buf_init(&upload->writing, 2 * UPLOAD_WAITING_BYTES);
    DL_APPEND(uploads->all, upload);
    uploads->count++;
    stats_set(STAT_UPLOADS_RUNNING, uploads->count);
    *out = upload;
    return 0;
}

/* Frees `uploads` once it is ending and nothing of it is in use. */
static void uploads_release(struct uploads *uploads)
{
    if (!uploads->is_ending || uploads->count > 0 || uploads->delete_count > 0)
        return;
    upload_store_close(&uploads->store);
    free(uploads);
}

void upload_free(struct upload *upload)
{
    struct uploads *uploads = upload->uploads;
    DL_DELETE(uploads->all, upload);
    uploads->count--;
    stats_set(STAT_UPLOADS_RUNNING, uploads->count);
    buf_fini(&upload->waiting);
    buf_fini(&upload->writing);
    fd_close(upload->archive_fd);
    imported_model_unref(upload->imported);
    file_access_fini(&upload->access);
    free(upload->name);
    free(upload->target);
    free(upload);
    uploads_release(uploads);
}

/* --- all of them --- */

int uploads_new(uv_loop_t *loop, const struct config *config, struct import_pool *imports, struct uploads **out,
                struct err *err)
{
    *out = NULL;
    if (config->uploads == NULL)
        return 0;
    struct uploads *uploads = mem_zalloc(1, sizeof *uploads);
    uploads->loop = loop;
    uploads->config = config;
    uploads->imports = imports;
    if (upload_store_open(&uploads->store, config->uploads, config->root, config->files.uploads, err) < 0) {
        free(uploads);
        return err->code;
    }
    uploads->is_off = access_policy_edits_are_open(config);
    *out = uploads;
    return 0;
}

const char *uploads_folder(const struct uploads *uploads)
{
    return uploads == NULL || uploads->is_off ? NULL : uploads->store.folder;
}

const char *uploads_lack(const struct uploads *uploads)
{
    return uploads == NULL ? "folder" : uploads->is_off ? "token" : NULL;
}

void uploads_free(struct uploads *uploads)
{
    if (uploads == NULL)
        return;
    uploads->is_ending = true;
    uploads->count++; /* so that the last one does not free the list during the walk */
    struct upload *upload, *next;
    DL_FOREACH_SAFE(uploads->all, upload, next)
    upload_abandon(upload);
    uploads->count--;
    uploads_release(uploads);
}

/* --- delete --- */

struct deletion {
    struct uploads *uploads;
    struct work work;
    char *name;
    struct err err;
    void (*done)(void *user, const struct err *err);
    void *user;
};

static void delete_file(struct work *work)
{
    struct deletion *deletion = work->data;
    upload_store_delete(&deletion->uploads->store, deletion->name, &deletion->err);
}

static void on_deleted(struct work *work, int status __attribute__((unused)))
{
    struct deletion *deletion = work->data;
    struct uploads *uploads = deletion->uploads;
    if (deletion->err.code == 0)
        stats_add(STAT_UPLOADS_DELETED, 1);
    deletion->done(deletion->user, &deletion->err);
    free(deletion->name);
    free(deletion);
    uploads->delete_count--;
    uploads_release(uploads);
}

int upload_delete(struct uploads *uploads, const char *name, void (*done)(void *user, const struct err *err),
                  void *user, struct err *err)
{
    if (check_name(uploads, name, NULL, err) < 0) /* uploads may be NULL, which it refuses */
        return err->code;
    if (uploads->delete_count >=
        uploads->config->limits.value[LIMIT_UPLOADS]) /* each has a thread, which may wait for the disk */
        return err_set(err, ERR_OVERLOADED, "as many deletions as %s allows are under way; try again later",
                       LIMIT_TEXT(&uploads->config->limits, LIMIT_UPLOADS));
    struct deletion *deletion = mem_zalloc(1, sizeof *deletion);
    deletion->uploads = uploads;
    deletion->name = mem_strdup(name);
    deletion->done = done;
    deletion->user = user;
    deletion->work.data = deletion;
    uploads->delete_count++;
    work_start(uploads->loop, WORK_FILES, &deletion->work, delete_file, on_deleted);
    return 0;
}
