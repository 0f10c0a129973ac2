/* upload_store.h - the folder of uploads: stages, publishes and removes files.
 *
 * An upload is invisible under its name until it is complete and imported; the next start removes the remains of a
 * crash. It resolves paths of clients beneath the folder and follows no links. All functions wait for the file system:
 * work threads, or start-up. */
#pragma once

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

/* The prefix of a stage's name; 16 hex digits follow. */
#define UPLOAD_STAGE_PREFIX ".posed-upload-"
enum { UPLOAD_STAGE_SIZE = 32, UPLOAD_FOLDER_SIZE = 1024 };

struct upload_store {
    int fd;                          /* of the folder, O_PATH */
    const char *root;                /* path of the root, borrowed */
    char folder[UPLOAD_FOLDER_SIZE]; /* its path under the root with a trailing slash; "" is the root itself */
};

/* Opens `folder`, whose place under the root is `place` (see upload_folder.h). Removes unfinished uploads of earlier
 * processes. ERR_BAD_PARAMETER: it is no folder, or not writable. */
int upload_store_open(struct upload_store *store, const char *folder, const char *root, const char *place,
                      struct err *err);
/* Checks that the folder is still at its path under the root. ERR_UNAVAILABLE: one of them was moved or replaced, so a
 * file in the folder would not be found, or would be another model. */
int upload_store_check_place(const struct upload_store *store, struct err *err);
void upload_store_close(struct upload_store *store);

/* Checks whether `path`, and the file `inner` in the folder `path`, may be in the store: they must not be hidden,
 * deeper than listings go or longer than a path may be. `inner` is NULL if `path` is the file, and "" for any file in
 * it. ERR_BAD_PATH; the message names `inner`, else `path`. Pure; any thread. */
int upload_store_check(const struct upload_store *store, const char *path, const char *inner, struct err *err);

/* The private folder of one upload, locked while it is open. */
struct upload_stage {
    char name[UPLOAD_STAGE_SIZE]; /* in the store; "" = no stage */
    int fd;                       /* of the folder */
};

/* Makes the folder and locks it. Returns 0, ERR_UNAVAILABLE or ERR_STORAGE, with *stage as after upload_stage_remove().
 */
int upload_stage_begin(const struct upload_store *store, struct upload_stage *stage, struct err *err);
/* Creates a file, and the folders of its path, in the stage. Returns a descriptor for writing, or ERR_CONFLICT (the
 * name is taken), ERR_STORAGE. */
int upload_stage_create(const struct upload_stage *stage, const char *path, struct err *err);
/* Removes the stage with its contents. Does nothing if there is none. ERR_STORAGE: something is left for the next
 * start. */
int upload_stage_remove(const struct upload_store *store, struct upload_stage *stage, struct err *err);

/* Writes the bytes. ERR_STORAGE: "the disk is full" and similar errors. */
int upload_write(int fd, const char *bytes, size_t size_bytes, struct err *err);

/* Flushes the file, once it is complete, so that the published file is whole even after a power failure. */
int upload_sync(int fd, struct err *err);
/* Flushes everything in a stage. */
int upload_sync_all(const struct upload_stage *stage, struct err *err);

/* Moves `item` of the stage to `path` in the store, atomically even if the machine fails. The previous object moves to
 * the stage. *is_new: there was none. ERR_CONFLICT: a folder is in place of a file, or the other way round, or a file
 * in place of a parent folder, or a folder that did not come as a zip would be replaced, or `path` is inside one that
 * did (file_access.h). ERR_BAD_PATH: the name is too long for the file system. ERR_UNAVAILABLE. After any error the
 * store is unchanged. */
int upload_store_publish(const struct upload_store *store, const struct upload_stage *stage, const char *item,
                         const char *path, bool *is_new, struct err *err);

/* Deletes a file, or a folder with its contents, however deep, and the folders above it that are then empty. This is
 * atomic even if the machine fails, and 0 means that the bytes are gone too. ERR_MODEL_NOT_FOUND, ERR_UNAVAILABLE,
 * ERR_STORAGE: the deletion did not happen, or could not remove all bytes, as the message says. */
int upload_store_delete(const struct upload_store *store, const char *path, struct err *err);
