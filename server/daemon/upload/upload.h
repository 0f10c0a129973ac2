/* upload.h - receives uploads of models: writes the bytes to a staged file, checks it by an import, then publishes it
 * atomically.
 *
 * A broken, refused or abandoned upload leaves nothing behind, and keeps an older file of that name. The importer gets
 * the final path and exactly the files that it will find there, so that the check covers the published state. Work
 * threads write the files; when UPLOAD_WAITING_BYTES wait for them, the client has to wait. Loop thread only. */
#pragma once

#include "wire/http/http_parser.h"
#include "daemon/config/config.h"
#include "daemon/importer/import_pool.h"

#include <stdbool.h>
#include <uv.h>

struct uploads; /* all uploads, and their folder */
struct upload;  /* one upload */

enum { UPLOAD_WAITING_BYTES = 4 << 20 };

/* Opens config->uploads, which upload_folder_find() has found; *out is NULL if there is none. Borrows its arguments.
 * ERR_BAD_PARAMETER. */
int uploads_new(uv_loop_t *loop, const struct config *config, struct import_pool *imports, struct uploads **out,
                struct err *err);
/* Ends every upload with ERR_SHUTTING_DOWN, after the pool was freed. Cleanup ends while the loop runs. */
void uploads_free(struct uploads *uploads);

/* Returns their folder: a path under the root with a trailing slash, "" for the root; NULL if uploads are off. */
const char *uploads_folder(const struct uploads *uploads);

/* Returns why uploads are off: "folder": config->uploads names none; "token": there is none, and clients from other
 * machines reach the server; NULL: they are on. */
const char *uploads_lack(const struct uploads *uploads);

/* Begins an upload of the file `name`. has_capacity() runs when upload_is_full() has become false. Returns 0,
 * ERR_UNAVAILABLE (uploads_lack()), ERR_BAD_PATH, ERR_UNKNOWN_FORMAT or ERR_OVERLOADED. */
int upload_begin(struct uploads *uploads, const char *name, void (*has_capacity)(void *user), void *user,
                 struct upload **out, struct err *err);
/* Returns the sink for its bytes, which reports an earlier error of the disk. */
struct http_sink *upload_sink(struct upload *upload);
bool upload_is_full(const struct upload *upload);
/* Ends it early, as soon as no thread works for it, because the client has left or the server is stopping. The caller
 * must not use the upload any more. */
void upload_abandon(struct upload *upload);

/* The result of an upload; all borrowed for the call. */
struct upload_end {
    const char *path;                /* of the model under the root; NULL: `err` says why there is none */
    bool is_new;                     /* it replaced nothing */
    struct imported_model *imported; /* the stored model */
    bool is_current;                 /* its sources match an import from its path */
    const struct err *err;
};
typedef void upload_done(void *user, const struct upload_end *end);

/* Ends the upload after its last byte. done() runs once, perhaps before this returns. The upload is freed
 * afterwards. */
void upload_finish(struct upload *upload, upload_done *done, void *user);

/* Deletes the file or folder `name`; done() runs once, with an error or NULL. Returns 0, ERR_UNAVAILABLE or
 * ERR_BAD_PATH. */
int upload_delete(struct uploads *uploads, const char *name, void (*done)(void *user, const struct err *err),
                  void *user, struct err *err);
