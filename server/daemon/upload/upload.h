/* upload.h - uploads of models: the bytes go to a staged file, an import checks that it is a model, then it is
 * published at once.
 *
 * A broken, refused or abandoned upload leaves nothing behind, and keeps an older file of that name. The importer is
 * told the final path and gets exactly the files that it will have there, so that what is checked is what is found.
 * Work threads write the files; at most UPLOAD_WAITING_BYTES wait for them, then the client waits. Loop thread only. */
#pragma once

#include "wire/http/http_parser.h"
#include "daemon/config/config.h"
#include "daemon/importer/import_pool.h"

#include <stdbool.h>
#include <uv.h>

struct uploads; /* all there are, and the folder they go to */
struct upload;  /* one */

enum { UPLOAD_WAITING_BYTES = 4 << 20 };

/* Notes in config->files where config->uploads lies under the root, which must not hold what only the operator may
 * write or read. Before anything is opened. ERR_BAD_PARAMETER. */
int uploads_find_folder(struct config *config, struct err *err);

/* Opens config->uploads; *out is NULL when there is none. All are borrowed. ERR_BAD_PARAMETER. */
int uploads_new(uv_loop_t *loop, const struct config *config, struct import_pool *imports, struct uploads **out,
                struct err *err);
/* Ends every upload with ERR_SHUTTING_DOWN; the pool is gone by now. What is left ends while the loop runs. */
void uploads_free(struct uploads *uploads);

/* Where they go: a path under the root with a slash behind it, "" for the root; NULL when none are taken. */
const char *uploads_folder(const struct uploads *uploads);

/* Why none are taken: "folder": config->uploads names none; "token": there is none, and others than this machine's
 * users reach the server; NULL: they are taken. */
const char *uploads_lack(const struct uploads *uploads);

/* Begins one for the file `name`. has_room() runs when upload_is_full() has become false. Returns 0, ERR_UNAVAILABLE
 * (uploads_lack()), ERR_BAD_PATH, ERR_UNKNOWN_FORMAT or ERR_OVERLOADED. */
int upload_begin(struct uploads *uploads, const char *name, void (*has_room)(void *user), void *user,
                 struct upload **out, struct err *err);
/* Where its bytes go; gives the error of the disk when there was one. */
struct http_sink *upload_sink(struct upload *upload);
bool upload_is_full(const struct upload *upload);
/* Ends it before its time, as soon as no thread works for it: the client is gone before its last byte, or the server is
 * stopping. The upload is no longer the caller's. */
void upload_abandon(struct upload *upload);

/* How one ended; all borrowed for the call. */
struct upload_end {
    const char *path;                /* of the model under the root; NULL: `err` says why there is none */
    bool is_new;                     /* nothing was in its place */
    struct imported_model *imported; /* the model as it was stored */
    bool is_current;                 /* with sources as an import from its path would have them */
    const struct err *err;
};
typedef void upload_done(void *user, const struct upload_end *end);

/* The last byte is there. done() runs once, perhaps before this returns. The upload is gone afterwards. */
void upload_finish(struct upload *upload, upload_done *done, void *user);

/* Takes away the file or folder `name`; done() as above, with a NULL path either way. Returns 0, ERR_UNAVAILABLE or
 * ERR_BAD_PATH. */
int upload_delete(struct uploads *uploads, const char *name, void (*done)(void *user, const struct err *err),
                  void *user, struct err *err);
