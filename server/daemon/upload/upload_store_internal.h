/* upload_store_internal.h - what upload_store.c (staging, into place) and upload_remove.c (taking away) share: names,
 * errors, and the folders that came as zips. Private to these two; work threads.
 *
 * A folder that came as a zip (file_access.h) has what came with it and nothing else, since its models may open all of
 * it. */
#pragma once

#include "daemon/upload/upload_store.h"

/* Of errno, which it keeps: ERR_STORAGE, or ERR_BAD_PATH for a name that the file system does not take. */
int upload_storage_error(const char *what, struct err *err);

/* Opens the folder of a descriptor that may be O_PATH, for fsync(): what was made, renamed or removed in it then
 * survives a power failure. Returns a descriptor, or -1 and errno. */
int upload_open_folder(int folder_fd);

/* Makes up a name that nothing has, and that upload_store_sweep() knows. */
int upload_stage_name(char name[UPLOAD_STAGE_SIZE], struct err *err);

/* Locks the folder for all servers that share it: what is found on the way to a place holds until it is taken. Returns
 * a descriptor to close, or ERR_STORAGE. Not recursive. */
int upload_lock(const struct upload_store *store, struct err *err);

/* Whether what is `path` beneath the folder came as a zip. */
bool upload_is_zip(int folder_fd, const char *path);

/* ERR_CONFLICT, with an errno: one of the folders that `path` lies in came as a zip. */
int upload_check_way(const struct upload_store *store, const char *path, struct err *err);

/* Removes what dead processes left in the store. */
void upload_store_sweep(const struct upload_store *store);

/* Removes the folders above `path`, from the innermost, until one holds something. */
void upload_store_remove_empty(const struct upload_store *store, const char *path);
