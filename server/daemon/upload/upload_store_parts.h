/* upload_store_parts.h - what upload_store.c (staging, into place) and upload_remove.c (away) share. Private to them.
 */
#pragma once

#include "daemon/upload/upload_store.h"

/* Of errno, which it keeps: ERR_STORAGE, or ERR_BAD_PATH for a name that the file system does not take. */
int upload_storage_error(const char *what, struct err *err);

/* The folder of a descriptor that may be O_PATH, for fsync(): what was made, renamed or removed in it is so after a
 * power failure too. A descriptor, or -1 and errno. */
int upload_open_folder(int folder_fd);

/* A name that nothing has, and that upload_store_sweep() knows. */
int upload_stage_name(char name[UPLOAD_STAGE_SIZE], struct err *err);

/* Removes what processes that are dead left in the store. */
void upload_store_sweep(const struct upload_store *store);

/* The folders above `path`, from the innermost, until one holds something. */
void upload_store_remove_empty(const struct upload_store *store, const char *path);
