/* upload_store.h - the folder of uploads: staging in it, publishing, removing.
 *
 * Nothing of an upload is visible under its name until it is complete and imported; what a crash leaves is removed at
 * the next start. Paths of clients are resolved beneath the folder and follow no links. Everything here waits for the
 * file system: work threads, or start-up. */
#pragma once

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

/* What the name of a stage begins with; 16 hex digits follow. */
#define UPLOAD_STAGE_PREFIX ".posed-upload-"
enum { UPLOAD_STAGE_SIZE = 32, UPLOAD_FOLDER_SIZE = 1024 };

struct upload_store {
    int fd;                          /* of the folder, O_PATH */
    const char *root;                /* path of the root, borrowed */
    char folder[UPLOAD_FOLDER_SIZE]; /* its path under the root with a slash behind it; "" is the root itself */
};

/* Writes where `folder` lies under the root into out[UPLOAD_FOLDER_SIZE], and creates it if only its last part is
 * missing. ERR_BAD_PARAMETER: it is not the root or a folder beneath it. */
int upload_store_place(const char *folder, const char *root, char *out, struct err *err);

/* Opens `folder` and creates it if only its last part is missing. Removes what earlier processes left in the middle of
 * an upload. ERR_BAD_PARAMETER: it is not the root or a folder beneath it, or cannot be written to. */
int upload_store_open(struct upload_store *store, const char *folder, const char *root, struct err *err);
/* ERR_UNAVAILABLE: the folder is not what is found at its path under the root any more, because one of them was moved
 * or replaced: what is put into it would not be found, or not be the model that it is taken for. */
int upload_store_check_place(const struct upload_store *store, struct err *err);
void upload_store_close(struct upload_store *store);

/* Whether `path`, and the file `inner` in the folder `path`, may lie in the store: nothing hidden, nothing in more
 * folders than listings go into or with more bytes than a path has. `inner` is NULL where `path` is the file, and ""
 * for any one. ERR_BAD_PATH; the message names `inner`, else `path`. Pure; any thread. */
int upload_store_check(const struct upload_store *store, const char *path, const char *inner, struct err *err);

/* A folder of its own for one upload, locked while it is open. */
struct upload_stage {
    char name[UPLOAD_STAGE_SIZE]; /* in the store; "" = there is none */
    int fd;                       /* of the folder */
};

/* Makes the folder and locks it. Returns 0, ERR_UNAVAILABLE or ERR_STORAGE, with *stage as after upload_stage_remove().
 */
int upload_stage_begin(const struct upload_store *store, struct upload_stage *stage, struct err *err);
/* Creates a file, and the folders on its way, in the stage. Returns a descriptor for writing, or ERR_CONFLICT (the name
 * is taken), ERR_STORAGE. */
int upload_stage_create(const struct upload_stage *stage, const char *path, struct err *err);
/* All of it, with what is inside. Does nothing when there is none. ERR_STORAGE: something is left, for the next start.
 */
int upload_stage_remove(const struct upload_store *store, struct upload_stage *stage, struct err *err);

/* ERR_STORAGE: "the disk is full" and the like. */
int upload_write(int fd, const char *bytes, size_t size_bytes, struct err *err);

/* Once all is written; so that what is published later is whole after a power failure too. */
int upload_sync(int fd, struct err *err);
/* The same for everything in a stage. */
int upload_sync_all(const struct upload_stage *stage, struct err *err);

/* Makes what is `item` in the stage what is `path` in the store: all of it or nothing, also when the machine fails.
 * What was there before goes to the stage. *is_new: nothing was. ERR_CONFLICT: a folder is where the file should go, or
 * the other way round, or a file is where a folder is needed, or a folder that did not come as a zip would be replaced,
 * or `path` lies in one that did (file_access.h). ERR_BAD_PATH: the file system takes no name as long. ERR_UNAVAILABLE.
 * After any error the store is as it was. */
int upload_store_publish(const struct upload_store *store, const struct upload_stage *stage, const char *item,
                         const char *path, bool *is_new, struct err *err);

/* Takes away a file, or a folder with all that is in it, however deep, and the folders above it that are empty then. It
 * is gone at once or not at all, also when the machine fails, and 0 means that its bytes are too. ERR_MODEL_NOT_FOUND,
 * ERR_UNAVAILABLE, ERR_STORAGE: nothing happened, or not all of its bytes could be removed, as the message says. */
int upload_store_delete(const struct upload_store *store, const char *path, struct err *err);
