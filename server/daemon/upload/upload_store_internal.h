/* upload_store_internal.h - names, errors, and the folders that came as zips, shared by upload_store.c (stages and
 * publishes) and upload_remove.c (removes). Private to these two; work threads.
 *
 * A folder that came as a zip (file_access.h) contains only the files of that zip, because its models may open all of
 * it. */
#pragma once

#include "daemon/upload/upload_store.h"

/* Converts errno, which it preserves: ERR_STORAGE, or ERR_BAD_PATH for a name that the file system refuses. */
int upload_storage_error(const char *what, struct err *err);

/* Opens the folder of a descriptor that may be O_PATH, for fsync(), so that changes in it survive a power failure.
 * Returns a descriptor, or -1 and errno. */
int upload_open_folder(int folder_fd);

/* Makes an unused name, which upload_store_sweep() recognizes. */
int upload_stage_name(char name[UPLOAD_STAGE_SIZE], struct err *err);

/* Locks the folder for all servers that share it, so that checks of a path stay valid until it is used. Returns a
 * descriptor to close, or ERR_STORAGE. Not recursive. */
int upload_lock(const struct upload_store *store, struct err *err);

/* True if `path` beneath the folder came as a zip. */
bool upload_is_zip(int folder_fd, const char *path);

/* Checks the parent folders of `path`. ERR_CONFLICT, with an errno: one of them came as a zip. */
int upload_check_way(const struct upload_store *store, const char *path, struct err *err);

/* Removes the remains of dead processes from the store. */
void upload_store_sweep(const struct upload_store *store);

/* Removes the empty folders above `path`, from the innermost on. */
void upload_store_remove_empty(const struct upload_store *store, const char *path);
